//! Edits of a session that a file holds: each replaces the bytes of what it is about, and no others.

use std::borrow::Cow;

use super::{InjectedFault, ResponseFix, fault};
use document::edit::{self, Edit, EditRefusal, JsonValue, second_reader};
use document::session::Session;
use document::text::{Source, TextEdit, visible};
use document::{Document, DocumentBody, Node, NodeKind, Syntax, Tree, json, yaml};

/// A change of a session. Pointers are JSON Pointers (RFC 6901) into its document as it is before.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEdit {
    /// A field, which may not be there yet, becomes a text.
    Text(String, String),
    /// A field, which may not be there yet, becomes a whole number or null.
    Number(String, Option<i64>),
    /// A field goes.
    Clear(String),
    /// A value that YAML 1.1 reads as another type becomes a text, with the letters it has.
    Quote(String),
    /// The response of the tool response at this place.
    Response(String, JsonValue),
    /// Something goes wrong in the tool response at this place.
    Fault(String, InjectedFault),
    /// The tool response at this place is restored to its state before a fault was inserted.
    Restore(String, String),
    /// The tool response at this place gets a response that its owner accepts.
    FixResponse(String, ResponseFix),
    /// The session at this place gets another tool response, before the one with this index.
    Add(String, usize),
    /// Duplicates the tool response at this place.
    Duplicate(String),
    /// The tool response at this place goes.
    Delete(String),
    /// The tool response at this place gets this index.
    Move(String, usize),
}

/// The keys of a session in the order of the owner's documents.
const SESSION_KEYS: &[&str] = &[
    "id",
    "name",
    "source",
    "captured_at",
    "input",
    "context",
    "tool_responses",
    "expected_failure",
    "contract",
];

/// The keys of a tool response.
const TOOL_RESPONSE_KEYS: &[&str] = &["tool", "response", "status", "latency_ms"];

/// Returns the session at a pointer: the file's own at the root, or one of those in a configuration.
pub fn session_at<'d>(document: &'d Document, pointer: &str) -> Option<&'d Session> {
    match &document.body {
        DocumentBody::Session(session) if pointer.is_empty() => Some(session),
        DocumentBody::Config(config) => {
            let node = document.tree.at_pointer(pointer)?.id();
            config.sessions.iter().find(|session| session.node == node)
        }
        _ => None,
    }
}

impl SessionEdit {
    /// Returns the bytes it replaces; `None` where it would change nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if there is nothing at the place of the edit, or an edit is refused.
    pub fn plan(&self, document: &Document) -> Result<Option<TextEdit>, EditRefusal> {
        let tree = &document.tree;
        let edits = match self {
            Self::Text(pointer, text) => vec![set_or_insert(tree, pointer, JsonValue::text(text))],
            Self::Number(pointer, number) => {
                vec![set_or_insert(tree, pointer, number_or_null(*number))]
            }
            Self::Clear(pointer) | Self::Delete(pointer) => match tree.at_pointer(pointer) {
                Some(_) => vec![Edit::Remove { pointer: pointer.to_owned() }],
                None => Vec::new(),
            },
            Self::Quote(pointer) => {
                let node = edit::at(tree, pointer)?;
                // PyYAML reads `12:30` as 750; the letters are what was meant.
                let letters = node.scalar_text().map_or_else(|| json::text(node), Cow::from);
                vec![set_or_insert(tree, pointer, JsonValue::text(&letters))]
            }
            Self::Response(pointer, value) => {
                vec![set_or_insert(tree, &format!("{pointer}/response"), value.clone())]
            }
            Self::Fault(pointer, fault) => return fault::plan(tree, pointer, *fault),
            Self::Restore(pointer, text) => return restore(document, pointer, text),
            Self::FixResponse(pointer, fix) => return fix.plan(tree, pointer),
            Self::Add(pointer, at) => vec![add(tree, pointer, *at)],
            Self::Duplicate(pointer) => vec![duplicate(edit::at(tree, pointer)?, pointer)],
            Self::Move(pointer, to) => vec![Edit::Move { pointer: pointer.clone(), to: *to }],
        };
        edit::plan_all(tree, &edits)
    }

    /// Returns its name in the history, in the imperative.
    pub fn label(&self) -> String {
        match self {
            Self::Text(pointer, _) | Self::Number(pointer, _) => {
                format!("Edit {}", describe_place(pointer))
            }
            Self::Clear(pointer) => format!("Remove {}", describe_place(pointer)),
            Self::Quote(pointer) => format!("Quote {}", describe_place(pointer)),
            Self::Response(pointer, _) => format!("Edit response of {}", describe_place(pointer)),
            Self::Fault(pointer, fault) => {
                format!("{} in {}", fault.name(), describe_place(pointer))
            }
            Self::Restore(pointer, _) => format!("No fault in {}", describe_place(pointer)),
            Self::FixResponse(pointer, ResponseFix::AsText) => {
                format!("Convert {} to text", describe_place(pointer))
            }
            Self::FixResponse(pointer, ResponseFix::Wrapped) => {
                format!("Wrap {}", describe_place(pointer))
            }
            Self::Add(_, at) => format!("Add tool response {}", at + 1),
            Self::Duplicate(pointer) => format!("Duplicate {}", describe_place(pointer)),
            Self::Delete(pointer) => format!("Delete {}", describe_place(pointer)),
            Self::Move(pointer, to) => {
                format!("Move {} to place {}", describe_place(pointer), to + 1)
            }
        }
    }
}

/// Describes the value at a pointer: "status of tool response 2".
fn describe_place(pointer: &str) -> String {
    let mut tokens = pointer.rsplit('/');
    let (Some(last), second_last) = (tokens.next(), tokens.next()) else { return String::new() };
    let response = |index: &str| {
        let number = index.parse::<usize>().map_or(0, |index| index + 1);
        format!("tool response {number}")
    };
    match (second_last, tokens.next()) {
        (Some("tool_responses"), _) => response(last),
        (Some(index), Some("tool_responses")) => format!("{last} of {}", response(index)),
        _ => visible(last).into_owned(),
    }
}

fn number_or_null(number: Option<i64>) -> JsonValue {
    let number = number.and_then(|number| JsonValue::parse(&number.to_string()).ok());
    number.unwrap_or_else(JsonValue::null)
}

/// Sets a member, or inserts it at its conventional position.
fn set_or_insert(tree: &Tree, pointer: &str, value: JsonValue) -> Edit {
    let (pointer, around) = (pointer.to_owned(), pointer.rsplit_once('/'));
    if tree.at_pointer(&pointer).is_some() {
        return Edit::Set { pointer, value };
    }
    let next = around.and_then(|(around, key)| next_key(tree.at_pointer(around)?, key));
    match next {
        Some(next) => Edit::InsertBefore { pointer, before: next, value },
        None => Edit::Insert { pointer, value },
    }
}

/// Returns the first key of the file that conventionally follows `key`.
fn next_key(mapping: Node<'_>, key: &str) -> Option<String> {
    let keys = [SESSION_KEYS, TOOL_RESPONSE_KEYS].into_iter().find(|order| order.contains(&key))?;
    let place = |key: &str| keys.iter().position(|other| *other == key);
    let mut keys_there = mapping.items().filter_map(Node::key);
    // A key without a place compares as less, so nothing is inserted before it.
    keys_there.find(|other| place(other) > place(key)).map(str::to_owned)
}

/// Restores the bytes that a fault has replaced.
fn restore(doc: &Document, pointer: &str, text: &str) -> Result<Option<TextEdit>, EditRefusal> {
    let tree = &doc.tree;
    let now = edit::at(tree, pointer)?;
    // The bytes may no longer fit where the file has changed, so the result is read before it is used.
    let edit = TextEdit { range: now.span().range(), new: text.to_owned() };
    let mut restored = tree.source().text().to_owned();
    edit.apply(&mut restored);
    let (restored, _) = match tree.syntax() {
        Syntax::Yaml => yaml::parse(&Source::new(restored)),
        _ => json::parse(&Source::new(restored)),
    };
    let node = restored.at_pointer(pointer);
    let is_same_elsewhere =
        |node| tree.syntax() != Syntax::Yaml || second_reader::check_replaced(now, node).is_ok();
    let node = node.filter(|node| restored.fault().is_none() && node.raw() == text);
    if node.is_some_and(is_same_elsewhere) {
        Ok((now.raw() != text).then_some(edit))
    } else {
        Err(EditRefusal {
            reason: "The previous value cannot be restored, because the file has changed"
                .to_owned(),
            place: now.place(),
        })
    }
}

/// A tool response that says nothing yet.
fn add(tree: &Tree, session: &str, at: usize) -> Edit {
    let value = JsonValue::object(&[
        ("tool", JsonValue::text("")),
        ("response", JsonValue::null()),
        ("status", number_or_null(Some(200))),
    ]);
    let list = format!("{session}/tool_responses");
    // `tool_responses:` without a value is null, which cannot take an element.
    let is_list = |node: &Node<'_>| node.kind() == NodeKind::Array;
    match tree.at_pointer(&list).filter(is_list) {
        Some(_) => Edit::Insert { pointer: format!("{list}/{at}"), value },
        None => set_or_insert(tree, &list, JsonValue::list(&[value])),
    }
}

fn duplicate(response: Node<'_>, pointer: &str) -> Edit {
    let list = pointer.rsplit_once('/').map_or("", |(list, _)| list);
    Edit::Insert {
        pointer: format!("{list}/{}", response.index() + 1),
        value: JsonValue::from_node(response),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use document::read;

    fn edited(text: &str, edit: &SessionEdit) -> Option<String> {
        let document = read(Source::new(text), "a.yaml");
        let mut text = text.to_owned();
        edit.plan(&document).unwrap()?.apply(&mut text);
        Some(text)
    }

    const HAND_MADE: &str = "# Incident of June\r
id:   a      # the first\r
\r
input: |\r
  One\r
  two\r
# Seen by Jun\r
expected_failure: 'It''s wrong'\r
tool_responses:\r
- tool: x   # lookup\r
  status: 200\r
- {tool: y, latency_ms: 7 }\r
custom: [1,2,   3]\r
";

    #[test]
    fn a_field_that_is_missing_comes_where_it_is_by_custom() {
        let put = |pointer: &str| SessionEdit::Text(pointer.to_owned(), "no".to_owned());
        let mut text = HAND_MADE.to_owned();
        for pointer in ["/name", "/source", "/contract", "/tool_responses/1/tool"] {
            text = edited(&text, &put(pointer)).unwrap();
        }
        let number = SessionEdit::Number("/tool_responses/1/status".to_owned(), Some(504));
        text = edited(&text, &number).unwrap();
        assert!(text.split_inclusive('\n').all(|line| line.ends_with("\r\n")));
        insta::assert_snapshot!(text.replace('\r', ""), @"
        # Incident of June
        id:   a      # the first
        name: 'no'
        source: 'no'

        input: |
          One
          two
        # Seen by Jun
        expected_failure: 'It''s wrong'
        tool_responses:
        - tool: x   # lookup
          status: 200
        - {tool: 'no', status: 504, latency_ms: 7 }
        custom: [1,2,   3]
        contract: 'no'
        ");
    }

    #[test]
    fn a_session_without_tool_responses_gets_some() {
        let add = SessionEdit::Add(String::new(), 0);
        insta::assert_snapshot!(edited("id: a\ninput: b\ncontract: c\n", &add).unwrap(), @r#"
        id: a
        input: b
        tool_responses:
          - tool: ""
            response: null
            status: 200
        contract: c
        "#);
        insta::assert_snapshot!(edited("id: a\ninput: b\ntool_responses: []\n", &add).unwrap(), @r#"
        id: a
        input: b
        tool_responses:
          - tool: ""
            response: null
            status: 200
        "#);
        insta::assert_snapshot!(edited("id: a\ninput: b\ntool_responses:\n", &add).unwrap(), @r#"
        id: a
        input: b
        tool_responses:
          - tool: ""
            response: null
            status: 200
        "#);
    }

    #[test]
    fn a_session_in_a_configuration_and_one_in_json_are_edited_too() {
        let config =
            "agent: {endpoint: x}\nreplays:\n  sessions:\n    - {id: a, input: b}  # one\n";
        let document = read(Source::new(config), "flakestorm.yaml");
        assert!(session_at(&document, "/replays/sessions/0").is_some());
        let edit = SessionEdit::Text("/replays/sessions/0/id".to_owned(), "on".to_owned());
        insta::assert_snapshot!(edited(config, &edit).unwrap(), @r#"
        agent: {endpoint: x}
        replays:
          sessions:
            - {id: "on", input: b}  # one
        "#);
        let json = "{ \"id\": \"a\", \"input\": \"b\" }";
        let document = read(Source::new(json), "a.json");
        let edit = SessionEdit::Text("/name".to_owned(), "on".to_owned());
        let mut text = json.to_owned();
        edit.plan(&document).unwrap().unwrap().apply(&mut text);
        insta::assert_snapshot!(text, @r#"{ "id": "a", "name": "on", "input": "b" }"#);
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn editing_one_field_changes_its_bytes_and_no_others(
            field in 0usize..6,
            text in prop_oneof![any::<String>(), "[-:#a \n'\"{\\[0-9]{0,12}", "(no|12:30|2026-06-11|~)"],
        ) {
            let pointer = ["/id", "/input", "/expected_failure", "/tool_responses/0/tool", "/tool_responses/1/tool", "/custom"][field];
            let document = read(Source::new(HAND_MADE), "a.yaml");
            let node = document.tree.at_pointer(pointer).unwrap();
            let edit = SessionEdit::Text(pointer.to_owned(), text.clone());
            let Some(planned) = edit.plan(&document).unwrap() else {
                prop_assert_eq!(node.as_str(), Some(text.as_str()));
                return Ok(());
            };
            let span = node.span().range();
            let rest = &HAND_MADE[span.end..];
            // A text of several lines may become a block: the comment after it then follows its header.
            let end = if text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) { span.end + rest.find('\r').unwrap_or(rest.len()) } else { span.end };
            let mut new_text = HAND_MADE.to_owned();
            planned.apply(&mut new_text);
            let (head, tail) = (&HAND_MADE[..span.start], &HAND_MADE[end..]);
            prop_assert!(new_text.starts_with(head) && new_text[span.start..].ends_with(tail), "{new_text}");
            for comment in ["# Incident of June", "# the first", "# Seen by Jun", "# lookup"] {
                prop_assert!(new_text.contains(comment), "{new_text}");
            }
            let document = read(Source::new(new_text), "a.yaml");
            prop_assert_eq!(document.tree.at_pointer(pointer).unwrap().as_str(), Some(text.as_str()));
        }
    }
}
