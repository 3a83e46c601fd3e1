//! What is asked of LangSmith's API, and what its answers say.
//!
//! Defined by its documented endpoints: `GET /api/v1/runs/{id}`, `POST /api/v1/runs/query`, which answers page by page with
//! `cursors.next`, and `GET /api/v1/sessions?name=…` for the id of a project.

use std::collections::HashSet;
use std::time::Duration;

use super::json::{Json, list, object};
use crate::format::{self, Document, Node, NodeKind};
use crate::ops::import::{Filter, Status};
use crate::ops::tape::javascript::stringify;
use crate::text::Source;

/// How many runs a page has.
const PAGE: usize = 100;

/// One run, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// The id of the run it is a part of.
    pub parent: Option<String>,
    /// The trace it belongs to.
    pub trace: String,
    /// The project it lies in.
    pub project: Option<String>,
    /// Whether it is asked for.
    pub is_taken: bool,
    json: String,
}

/// A page of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The runs.
    pub runs: Vec<Run>,
    /// What is asked for the next page; `None`: there is none.
    pub next: Option<String>,
}

/// What is done after an answer that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is one.
    Answer,
    /// It is asked again after this time.
    Again(Duration),
    /// It is told, as a sentence without a full stop.
    Fail(String),
}

/// How often something is asked at most.
const MOST_TRIES: u32 = 5;

/// The longest wait between two tries, whatever the other side wishes.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The path for one run.
pub fn run_path(id: &str) -> String {
    format!("/api/v1/runs/{}", escaped(id))
}

/// The path for the projects of a name.
pub fn project_path(name: &str) -> String {
    format!("/api/v1/sessions?name={}&limit=2", escaped(name))
}

/// The path for queries.
pub const QUERY_PATH: &str = "/api/v1/runs/query";

/// Asks for the root runs of a project. What the API cannot say as exactly as [`Filter`] is looked at when they are there.
pub fn roots_query(project: &str, filter: &Filter, cursor: Option<&str>) -> String {
    let error = match filter.status {
        Status::All => None,
        Status::Error => Some(true),
        Status::Warning => Some(false),
    };
    let mut members = vec![("session", list![project]), ("is_root", true.into())];
    members.extend(error.map(|error| ("error", error.into())));
    members.extend(
        filter
            .from
            .map(|from| ("start_time", from.to_string().into())),
    );
    let until = filter
        .until
        .map(|until| format!("lt(start_time, \"{until}\")"));
    members.extend(until.map(|until| ("filter", until.into())));
    paged(members, cursor)
}

/// Asks for all runs of a trace.
pub fn trace_query(trace: &str, project: Option<&str>, cursor: Option<&str>) -> String {
    let mut members = vec![("trace", Json::from(trace))];
    members.extend(project.map(|project| ("session", list![project])));
    paged(members, cursor)
}

fn paged(mut members: Vec<(&str, Json)>, cursor: Option<&str>) -> String {
    members.push(("limit", PAGE.into()));
    members.extend(cursor.map(|cursor| ("cursor", cursor.into())));
    Json::object(members).into_string()
}

/// Reads a page of runs. `before` is what this page was asked with: a side that gives the same cursor again has no more.
///
/// # Errors
///
/// Why it is none, as a sentence without a full stop.
pub fn page(text: &str, filter: &Filter, before: Option<&str>) -> Result<Page, String> {
    let document = parsed(text)?;
    let root = document.tree.root();
    let runs = root.and_then(|root| root.get("runs"));
    let runs = runs.filter(|runs| runs.kind() == NodeKind::Array);
    let runs = runs.ok_or("The answer of LangSmith has no list of runs")?;
    let next = root.and_then(|root| root.get("cursors")?.get("next")?.as_str());
    let next = next.filter(|next| !next.is_empty() && Some(*next) != before);
    Ok(Page {
        runs: runs
            .items()
            .filter_map(|run| Run::of(run, filter))
            .collect(),
        next: next.map(str::to_owned),
    })
}

/// Reads one run, which is taken however it ended.
///
/// # Errors
///
/// Why it is none, as a sentence without a full stop.
pub fn run(text: &str) -> Result<Run, String> {
    let document = parsed(text)?;
    let run = document
        .tree
        .root()
        .and_then(|root| Run::of(root, &Filter::default()));
    run.ok_or_else(|| "The answer of LangSmith is no run".to_owned())
}

/// Reads the id of the project with this name.
///
/// # Errors
///
/// That there is none, as a sentence without a full stop.
pub fn project(text: &str, name: &str) -> Result<String, String> {
    let document = parsed(text)?;
    let all = document.tree.root().into_iter().flat_map(Node::items);
    let mut named = all.filter(|project| project.get("name").and_then(Node::as_str) == Some(name));
    let id = named.find_map(|project| project.get("id")?.as_str().map(str::to_owned));
    id.ok_or_else(|| format!("LangSmith has no project {name}"))
}

fn parsed(text: &str) -> Result<Document, String> {
    let document = format::read(Source::new(text), "runs.json");
    match document.tree.fault() {
        Some(fault) => Err(format!(
            "The answer of LangSmith is no JSON: {}",
            fault.message
        )),
        None => Ok(document),
    }
}

impl Run {
    fn of(node: Node<'_>, filter: &Filter) -> Option<Self> {
        let text = |key| node.get(key).and_then(Node::as_str).map(str::to_owned);
        let id = text("id")?;
        Some(Self {
            parent: text("parent_run_id"),
            trace: text("trace_id").unwrap_or_else(|| id.clone()),
            project: text("session_id"),
            is_taken: filter.takes(node),
            json: stringify(node),
            id,
        })
    }
}

/// A run with all that lies beneath it, out of the runs of its trace.
pub fn family(run: &Run, trace: Vec<Run>) -> Vec<Run> {
    let mut known: HashSet<String> = HashSet::from([run.id.clone()]);
    let mut left: Vec<Run> = trace.into_iter().filter(|it| it.id != run.id).collect();
    let mut family = vec![run.clone()];
    loop {
        let is_child = |it: &Run| {
            it.parent
                .as_ref()
                .is_some_and(|parent| known.contains(parent))
        };
        let (children, others): (Vec<Run>, Vec<Run>) = left.into_iter().partition(is_child);
        if children.is_empty() {
            return family;
        }
        known.extend(children.iter().map(|child| child.id.clone()));
        family.extend(children);
        left = others;
    }
}

/// All runs as one document, such as LangSmith exports.
pub fn export(runs: Vec<Run>) -> Document {
    let runs: Vec<Json> = runs.into_iter().map(|run| Json::raw(run.json)).collect();
    let text = object! { "runs": runs }.into_string();
    format::read(Source::new(text), "runs.json")
}

/// What is done after an answer with this status, at the n-th try from 1; `retry_after` is the header of that name.
pub fn verdict(status: u16, attempt: u32, retry_after: Option<&str>) -> Verdict {
    match status {
        200..300 => Verdict::Answer,
        401 | 403 => Verdict::Fail(format!(
            "LangSmith does not accept the key in LANGSMITH_API_KEY (status {status})"
        )),
        404 => Verdict::Fail("LangSmith has nothing of that id (status 404)".to_owned()),
        429 | 500.. if attempt < MOST_TRIES => {
            let wished = retry_after.and_then(|wait| wait.trim().parse().ok());
            let wait = wished.map_or(Duration::from_secs(1 << (attempt - 1)), Duration::from_secs);
            Verdict::Again(wait.min(LONGEST_WAIT))
        }
        429 | 500.. => Verdict::Fail(format!(
            "LangSmith answers with status {status} after {MOST_TRIES} tries"
        )),
        _ => Verdict::Fail(format!("LangSmith answers with status {status}")),
    }
}

/// A text as a part of an address.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => {
                escaped.push(byte.into());
            }
            byte => escaped += &format!("%{byte:02X}"),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_asked_for_page_by_page() {
        let filter = Filter {
            status: Status::Error,
            from: "2026-03-01T00:00:00Z".parse().ok(),
            until: "2026-03-02T00:00:00Z".parse().ok(),
            ..Filter::default()
        };
        insta::assert_snapshot!(roots_query("p1", &filter, Some("c2")), @r#"{"session":["p1"],"is_root":true,"error":true,"start_time":"2026-03-01T00:00:00Z","filter":"lt(start_time, \"2026-03-02T00:00:00Z\")","limit":100,"cursor":"c2"}"#);
        insta::assert_snapshot!(trace_query("t", Some("p1"), None), @r#"{"trace":"t","session":["p1"],"limit":100}"#);
        assert_eq!(
            project_path("a b/ü"),
            "/api/v1/sessions?name=a%20b%2F%C3%BC&limit=2"
        );
    }

    #[test]
    fn odd_pages_are_read_as_far_as_they_go() {
        let text = r#"{"runs": [{"id": "a", "parent_run_id": null, "trace_id": 7}, {"id": 3}, null, {"id": "b", "parent_run_id": "a"}], "cursors": {"next": "c"}}"#;
        let read = page(text, &Filter::default(), None).unwrap();
        let ids: Vec<(&str, &str)> = read
            .runs
            .iter()
            .map(|it| (it.id.as_str(), it.trace.as_str()))
            .collect();
        assert_eq!(ids, [("a", "a"), ("b", "b")]);
        assert_eq!(read.next.as_deref(), Some("c"));
        assert_eq!(
            page(text, &Filter::default(), Some("c")).unwrap().next,
            None
        );
        let none = page(r#"{"runs": [], "cursors": null}"#, &Filter::default(), None);
        assert_eq!(none, Ok(Page::default()));
        assert!(page(r#"{"detail": "x"}"#, &Filter::default(), None).is_err());
        assert!(page("<html>", &Filter::default(), None).is_err());
    }

    #[test]
    fn a_run_comes_with_what_lies_beneath_it_and_nothing_else() {
        let one = |id: &str, parent: &str| {
            run(&format!(r#"{{"id": "{id}", "parent_run_id": "{parent}"}}"#)).unwrap()
        };
        let trace = vec![
            one("root", ""),
            one("c", "b"),
            one("a", "root"),
            one("b", "a"),
            one("z", "root"),
        ];
        let family = family(&one("a", "root"), trace);
        let ids: Vec<&str> = family.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
    }

    #[test]
    fn a_busy_side_is_asked_again_and_not_for_ever() {
        assert_eq!(
            verdict(429, 1, Some("7")),
            Verdict::Again(Duration::from_secs(7))
        );
        assert_eq!(
            verdict(503, 3, None),
            Verdict::Again(Duration::from_secs(4))
        );
        assert_eq!(verdict(500, 1, Some("86400")), Verdict::Again(LONGEST_WAIT));
        assert!(matches!(verdict(429, MOST_TRIES, None), Verdict::Fail(_)));
        assert!(matches!(verdict(401, 1, None), Verdict::Fail(_)));
        assert_eq!(verdict(200, 1, None), Verdict::Answer);
    }
}
