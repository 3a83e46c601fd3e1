//! The sessions of a configuration: as it resolves them, and how one more gets in.

use document::config::FlakestormConfig;
use document::edit::{self, Edit, EditRefusal, JsonValue};
use document::session::Session;
use document::text::{Source, TextEdit};
use document::{Document, Node, NodeId, NodeKind, Tree, text};

/// A session as a configuration lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedSession {
    /// The element of `replays.sessions`.
    pub node: NodeId,
    /// Place at which the owner finds the session.
    pub place: SessionPlace,
}

/// Place at which the owner finds a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionPlace {
    /// In the configuration, with this id.
    Inline(Option<String>),
    /// In a file, by its path from the configuration's folder. What else the element says is not read.
    File(String),
}

/// Returns the sessions of a configuration in the order in which they are run.
pub fn resolve_sessions(config: &FlakestormConfig) -> Vec<ResolvedSession> {
    let one = |session: &Session| ResolvedSession {
        node: session.node,
        place: match text(&session.file) {
            // Python treats an empty `file` as false, like a missing one.
            Some(file) if !file.is_empty() => SessionPlace::File(file.to_owned()),
            _ => SessionPlace::Inline(text(&session.id).map(str::to_owned)),
        },
    };
    config.sessions.iter().map(one).collect()
}

/// Form in which a session is added to a configuration.
#[derive(Clone, Copy, Debug)]
pub enum SessionListing<'a> {
    /// By the path of its file, from the configuration's folder.
    File(&'a str),
    /// As a whole.
    Inline(&'a JsonValue),
}

/// The edit that adds a session to `replays.sessions`; what of these is missing is added, too. `None` when the file is
/// listed already.
///
/// # Errors
///
/// Returns an error if `replays` is not an object, if its `sessions` is not a list, or if the edit is refused.
pub fn add(doc: &Document, listing: SessionListing<'_>) -> Result<Option<TextEdit>, EditRefusal> {
    let tree = &doc.tree;
    // A key without a value is null in YAML, and counts as missing.
    let replays = tree.at_pointer("/replays").filter(is_there);
    let sessions = replays.and_then(|replays| replays.get("sessions")).filter(is_there);
    let file =
        |node: Node<'_>| node.get("file").and_then(Node::as_str).map(plain_path).map(str::to_owned);
    let value = match listing {
        SessionListing::File(path) => {
            let is_listed = |node: Node<'_>| file(node).as_deref() == Some(plain_path(path));
            if sessions.into_iter().flat_map(Node::items).any(is_listed) {
                return Ok(None);
            }
            JsonValue::text(path).in_object("file")
        }
        SessionListing::Inline(session) => session.clone(),
    };
    let edit = match (replays, sessions) {
        (_, Some(_)) => Edit::Insert { pointer: "/replays/sessions/-".to_owned(), value },
        (Some(_), None) => set_or_insert(tree, "/replays/sessions", value.in_list()),
        (None, None) => set_or_insert(tree, "/replays", value.in_list().in_object("sessions")),
    };
    edit::plan_all(tree, &[edit])
}

/// Lists files in a configuration one after the other; the text with all of them, and how many were not listed before.
///
/// # Errors
///
/// Those of [`add`].
pub fn add_files(document: &Document, paths: &[String]) -> Result<(Source, usize), EditRefusal> {
    let mut listed = document.clone();
    let mut added = 0;
    for path in paths {
        if let Some(edit) = add(&listed, SessionListing::File(path))? {
            let mut text = listed.source().text().to_owned();
            edit.apply(&mut text);
            // Read again, so that a path that is given twice is listed once. The name decides the syntax only.
            listed = document::read(Source::new(text), "flakestorm.yaml");
            added += 1;
        }
    }
    Ok((listed.source().clone(), added))
}

/// Returns the path of a file as seen from a folder, both from the same root and with `/`: `../replays/a.yaml`.
pub fn path_from(folder: &str, path: &str) -> String {
    let parts = |path| str::split(path, '/').filter(|part| !part.is_empty());
    let (from, to): (Vec<&str>, Vec<&str>) = (parts(folder).collect(), parts(path).collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect::<Vec<&str>>().join("/")
}

fn is_there(node: &Node<'_>) -> bool {
    node.kind() != NodeKind::Null
}

/// A member where there may be a null.
fn set_or_insert(tree: &Tree, pointer: &str, value: JsonValue) -> Edit {
    let is_there = tree.at_pointer(pointer).is_some();
    let pointer = pointer.to_owned();
    if is_there { Edit::Set { pointer, value } } else { Edit::Insert { pointer, value } }
}

fn plain_path(path: &str) -> &str {
    // `./a.yaml` and `a.yaml` are one file.
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::NewSession;
    use super::*;
    use document::{DocumentBody, read};

    fn added(config: &str, listing: SessionListing<'_>) -> Option<String> {
        let document = read(Source::new(config), "flakestorm.yaml");
        let mut text = config.to_owned();
        add(&document, listing).unwrap()?.apply(&mut text);
        Some(text)
    }

    const CONFIG: &str = "version: \"2.0\"\nagent: {endpoint: x}   # local\ncontract: {name: c}\n";

    #[test]
    fn a_file_is_added_behind_the_others_in_their_style() {
        let config = format!(
            "{CONFIG}replays:\n  sessions:\n    - file: \"replays/a.yaml\"  # the first\n\noutput: {{format: json}}\n"
        );
        insta::assert_snapshot!(added(&config, SessionListing::File("replays/b.yaml")).unwrap(), @r#"
        version: "2.0"
        agent: {endpoint: x}   # local
        contract: {name: c}
        replays:
          sessions:
            - file: "replays/a.yaml"  # the first
            - file: "replays/b.yaml"

        output: {format: json}
        "#);
        assert_eq!(added(&config, SessionListing::File("./replays/a.yaml")), None);
    }

    #[test]
    fn many_files_are_added_once_each_by_their_path_from_the_configuration() {
        let document = read(Source::new(CONFIG), "flakestorm.yaml");
        let from = |path: &str| path_from("fixtures/agent", path);
        let paths = [
            from("fixtures/agent/replays/a.yaml"),
            from("fixtures/b.yaml"),
            from("fixtures/b.yaml"),
        ];
        let (text, added) = add_files(&document, &paths).unwrap();
        assert_eq!(added, 2);
        insta::assert_snapshot!(text.text().strip_prefix(CONFIG).unwrap(), @"
        replays:
          sessions:
            - file: replays/a.yaml
            - file: ../b.yaml
        ");
    }

    #[test]
    fn what_is_missing_is_made() {
        insta::assert_snapshot!(added(CONFIG, SessionListing::File("replays/b.yaml")).unwrap(), @r#"
        version: "2.0"
        agent: {endpoint: x}   # local
        contract: {name: c}
        replays:
          sessions:
            - file: replays/b.yaml
        "#);
        let config = format!("{CONFIG}replays:\n  sources: []\n");
        insta::assert_snapshot!(added(&config, SessionListing::File("b.yaml")).unwrap(), @r#"
        version: "2.0"
        agent: {endpoint: x}   # local
        contract: {name: c}
        replays:
          sources: []
          sessions:
            - file: b.yaml
        "#);
        let config = format!("{CONFIG}replays:\n  sessions:\n");
        insta::assert_snapshot!(added(&config, SessionListing::File("b.yaml")).unwrap(), @r#"
        version: "2.0"
        agent: {endpoint: x}   # local
        contract: {name: c}
        replays:
          sessions:
            - file: b.yaml
        "#);
    }

    #[test]
    fn a_session_is_added_as_a_whole() {
        let new = NewSession {
            id: "no".to_owned(),
            input: "One\nTwo\n".to_owned(),
            ..NewSession::default()
        };
        let config = format!(
            "{CONFIG}replays:\n  sessions:\n    - id: a\n      input: b\n      tool_responses: []\n"
        );
        insta::assert_snapshot!(added(&config, SessionListing::Inline(&new.value())).unwrap(), @r#"
        version: "2.0"
        agent: {endpoint: x}   # local
        contract: {name: c}
        replays:
          sessions:
            - id: a
              input: b
              tool_responses: []
            - id: "no"
              input: |
                One
                Two
              tool_responses: []
        "#);
    }

    #[test]
    fn sessions_are_listed_as_their_owner_finds_them() {
        let config = format!(
            "{CONFIG}replays:\n  sessions:\n    - {{file: a.yaml, id: ignored}}\n    - {{id: b, input: c}}\n"
        );
        let document = read(Source::new(config), "flakestorm.yaml");
        let DocumentBody::Config(config) = &document.body else { panic!() };
        let places: Vec<SessionPlace> =
            resolve_sessions(config).into_iter().map(|session| session.place).collect();
        assert_eq!(
            places,
            [SessionPlace::File("a.yaml".to_owned()), SessionPlace::Inline(Some("b".to_owned()))]
        );
    }
}
