//! Requests to LangSmith's API, and parsing of its responses.
//!
//! Defined by its documented endpoints: `GET /api/v1/runs/{id}`, `POST /api/v1/runs/query`, which answers page by page with
//! `cursors.next`, and `GET /api/v1/sessions?name=…` for the id of a project.

mod fetch_error;
mod retry;

use std::collections::HashSet;
use std::time::Duration;

pub use fetch_error::FetchError;
pub use retry::{ResponseAction, response_action, retry_after, wait_for_connection};

use super::{Filter, RunStatus};
use calls::javascript::stringify;
use calls::json::{Json, list, object};
use document::text::Source;
use document::{Document, Node, NodeKind, Problem};

/// Number of runs on a page.
const RUNS_PER_PAGE: usize = 100;

/// One run, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LangSmithRun {
    pub id: String,
    /// Id of the parent run.
    pub parent: Option<String>,
    /// The trace it belongs to.
    pub trace: String,
    /// The project that contains it.
    pub project: Option<String>,
    /// Whether it matches the request itself (and is no child of a matching run).
    pub is_taken: bool,
    json: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunPage {
    pub runs: Vec<LangSmithRun>,
    /// Cursor of the next page; `None` on the last one.
    pub next: Option<String>,
}

/// Runs to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchTarget {
    /// The run with this id and its descendants.
    Run(String),
    /// Root runs of a project.
    Project {
        name: String,
        /// Filter for its root runs.
        filter: Filter,
        /// Maximum number of runs.
        limit: usize,
    },
}

impl FetchTarget {
    /// Returns the requests in order, each as method and path. Further pages and child runs are requested from the last
    /// path.
    pub fn requests(&self) -> [(&'static str, String); 2] {
        let first = match self {
            Self::Run(id) => run_path(id),
            Self::Project { name, .. } => project_path(name),
        };
        [("GET", first), ("POST", QUERY_PATH.to_owned())]
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchProgress {
    /// Number of requested runs received.
    pub taken: usize,
    /// Number of all runs received, including descendants.
    pub came: usize,
    /// Number of responses received.
    pub answers: usize,
    /// Time until the next try, because the server is busy.
    pub wait: Option<Duration>,
}

/// Extracts the id of a run from an id or from the address of the run's page; `None` if there is none.
pub fn run_id(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_id = |id: &&str| {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-_.~".contains(sign);
        !id.is_empty() && id.chars().all(is_sign)
    };
    let Some((_, address)) = text.split_once("://") else { return Some(text).filter(is_id) };
    let (path, query) = address.split_once(['?', '#']).unwrap_or((address, ""));
    let mut parts = path.split('/').skip_while(|part| !matches!(*part, "r" | "runs"));
    // LangSmith's address of a run that is opened beside a list.
    let peeked = query.split(['&', '#']).find_map(|part| part.strip_prefix("peek="));
    parts.nth(1).filter(is_id).or(peeked.filter(is_id))
}

/// Returns the path for one run.
pub fn run_path(id: &str) -> String {
    format!("/api/v1/runs/{}", escaped(id))
}

/// Returns the path for the projects with a name.
pub fn project_path(name: &str) -> String {
    format!("/api/v1/sessions?name={}&limit=2", escaped(name))
}

pub const QUERY_PATH: &str = "/api/v1/runs/query";

/// Builds the query for the root runs of a project. Conditions of [`Filter`] that the API cannot express exactly are
/// checked on the results.
pub fn roots_query(project: &str, filter: &Filter, cursor: Option<&str>) -> String {
    let error = match filter.status {
        RunStatus::All => None,
        RunStatus::Error => Some(true),
        RunStatus::Warning => Some(false),
    };
    let mut members = vec![("session", list![project]), ("is_root", true.into())];
    members.extend(error.map(|error| ("error", error.into())));
    members.extend(filter.from.map(|from| ("start_time", from.to_string().into())));
    // The query has a member for the start of the range only.
    let until = filter.until.map(|until| format!("lt(start_time, \"{until}\")"));
    members.extend(until.map(|until| ("filter", until.into())));
    paged(members, cursor)
}

/// Builds the query for all runs of a trace.
pub fn trace_query(trace: &str, project: Option<&str>, cursor: Option<&str>) -> String {
    let mut members = vec![("trace", Json::from(trace))];
    members.extend(project.map(|project| ("session", list![project])));
    paged(members, cursor)
}

fn paged(mut members: Vec<(&str, Json)>, cursor: Option<&str>) -> String {
    members.push(("limit", RUNS_PER_PAGE.into()));
    members.extend(cursor.map(|cursor| ("cursor", cursor.into())));
    Json::object(members).into_string()
}

/// Parses a page of runs. `cursor` is the one of this page's request: a server that returns the same cursor again
/// has no more pages.
///
/// # Errors
///
/// Returns why the response is not valid.
pub fn page(text: &str, filter: &Filter, cursor: Option<&str>) -> Result<RunPage, FetchError> {
    let document = parsed(text)?;
    let root = document.tree.root();
    let runs = root.and_then(|root| root.get("runs")).filter(|runs| runs.kind() == NodeKind::Array);
    let problem = || FetchError::Unexpected("LangSmith's response has no list of runs".to_owned());
    let runs = runs.ok_or_else(problem)?;
    let next = root
        .and_then(|root| root.get("cursors")?.get("next")?.as_str())
        .filter(|next| !next.is_empty() && Some(*next) != cursor);
    Ok(RunPage {
        runs: runs.items().filter_map(|run| LangSmithRun::from_node(run, filter)).collect(),
        next: next.map(str::to_owned),
    })
}

/// Parses one run, whatever its status.
///
/// # Errors
///
/// Returns why the response is not valid.
pub fn run(text: &str) -> Result<LangSmithRun, FetchError> {
    let document = parsed(text)?;
    let run = document.tree.root().and_then(|r| LangSmithRun::from_node(r, &Filter::default()));
    run.ok_or_else(|| FetchError::Unexpected("LangSmith's response is not a run".to_owned()))
}

/// Parses the id of the project with this name.
///
/// # Errors
///
/// Returns an error if there is no such project or the response is not valid.
pub fn project(text: &str, name: &str) -> Result<String, FetchError> {
    let document = parsed(text)?;
    let all = document.tree.root().into_iter().flat_map(Node::items);
    let mut projects = all.filter(|p| p.get("name").and_then(Node::as_str) == Some(name));
    let id = projects.find_map(|project| project.get("id")?.as_str().map(str::to_owned));
    id.ok_or_else(|| FetchError::NoProject(name.to_owned()))
}

fn parsed(text: &str) -> Result<Document, FetchError> {
    let document = document::read(Source::new(text), "runs.json");
    if let Some(Problem { message, .. }) = document.tree.fault() {
        return Err(FetchError::Unexpected(format!("LangSmith's response is not JSON: {message}")));
    }
    Ok(document)
}

impl LangSmithRun {
    fn from_node(node: Node<'_>, filter: &Filter) -> Option<Self> {
        let text = |key| node.get(key).and_then(Node::as_str).map(str::to_owned);
        let id = text("id")?;
        Some(Self {
            parent: text("parent_run_id"),
            // The trace of a root run has the id of that run.
            trace: text("trace_id").unwrap_or_else(|| id.clone()),
            project: text("session_id"),
            is_taken: filter.takes(node),
            json: stringify(node),
            id,
        })
    }
}

/// Returns a run with its descendants from the runs of its trace.
pub fn with_descendants(run: &LangSmithRun, trace: Vec<LangSmithRun>) -> Vec<LangSmithRun> {
    let mut known_ids: HashSet<String> = HashSet::from([run.id.clone()]);
    let mut rest: Vec<LangSmithRun> = trace.into_iter().filter(|c| c.id != run.id).collect();
    let mut family = vec![run.clone()];
    loop {
        let is_child = |candidate: &LangSmithRun| {
            candidate.parent.as_ref().is_some_and(|parent| known_ids.contains(parent))
        };
        let (children, others): (Vec<LangSmithRun>, Vec<LangSmithRun>) =
            rest.into_iter().partition(is_child);
        if children.is_empty() {
            return family;
        }
        known_ids.extend(children.iter().map(|child| child.id.clone()));
        family.extend(children);
        rest = others;
    }
}

/// Returns all runs as one document in LangSmith's export format.
pub fn export(runs: Vec<LangSmithRun>) -> Document {
    let runs: Vec<Json> = runs.into_iter().map(|run| Json::raw(run.json)).collect();
    document::read(Source::new(object! { "runs": runs }.into_string()), "runs.json")
}

/// Percent-encodes a text for a URL.
fn escaped(text: &str) -> String {
    let mut escaped_text = String::new();
    for byte in text.bytes() {
        match byte {
            // The unreserved characters of RFC 3986.
            byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => {
                escaped_text.push(byte.into());
            }
            byte => escaped_text += &format!("%{byte:02X}"),
        }
    }
    escaped_text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_requested_page_by_page() {
        let filter = Filter {
            status: RunStatus::Error,
            from: "2026-03-01T00:00:00Z".parse().ok(),
            until: "2026-03-02T00:00:00Z".parse().ok(),
            ..Filter::default()
        };
        insta::assert_snapshot!(roots_query("p1", &filter, Some("c2")), @r#"{"session":["p1"],"is_root":true,"error":true,"start_time":"2026-03-01T00:00:00Z","filter":"lt(start_time, \"2026-03-02T00:00:00Z\")","limit":100,"cursor":"c2"}"#);
        insta::assert_snapshot!(trace_query("t", Some("p1"), None), @r#"{"trace":"t","session":["p1"],"limit":100}"#);
        assert_eq!(project_path("a b/ü"), "/api/v1/sessions?name=a%20b%2F%C3%BC&limit=2");
    }

    #[test]
    fn a_run_is_named_by_its_id_or_by_the_address_of_its_page() {
        let host = "https://smith.langchain.com/o/7a";
        for (text, id) in [
            (" 1f0a-22 ", Some("1f0a-22")),
            (&format!("{host}/projects/p/9/r/1f0a-22?trace_id=3"), Some("1f0a-22")),
            (&format!("{host}/projects/p/9?peek=1f0a-22&peeked_trace=3"), Some("1f0a-22")),
            ("https://api.smith.langchain.com/api/v1/runs/1f0a-22", Some("1f0a-22")),
            (&format!("{host}/projects/p/9"), None),
            ("https://smith.langchain.com/public/9/r", None),
            ("two words", None),
            ("a/b", None),
            ("", None),
        ] {
            assert_eq!(run_id(text), id, "{text}");
        }
    }

    #[test]
    fn the_requests_are_known_before_they_are_sent() {
        let target =
            FetchTarget::Project { name: "a b".to_owned(), filter: Filter::default(), limit: 1 };
        let questions = target.requests().map(|(method, path)| format!("{method} {path}"));
        assert_eq!(
            questions,
            ["GET /api/v1/sessions?name=a%20b&limit=2", "POST /api/v1/runs/query"]
        );
        let [(_, path), _] = FetchTarget::Run("1f".to_owned()).requests();
        assert_eq!(path, "/api/v1/runs/1f");
    }

    #[test]
    fn odd_pages_are_read_as_far_as_they_go() {
        let text = r#"{"runs": [{"id": "a", "parent_run_id": null, "trace_id": 7}, {"id": 3}, null, {"id": "b", "parent_run_id": "a"}], "cursors": {"next": "c"}}"#;
        let read = page(text, &Filter::default(), None).unwrap();
        let ids: Vec<(&str, &str)> =
            read.runs.iter().map(|run| (run.id.as_str(), run.trace.as_str())).collect();
        assert_eq!(ids, [("a", "a"), ("b", "b")]);
        assert_eq!(read.next.as_deref(), Some("c"));
        assert_eq!(page(text, &Filter::default(), Some("c")).unwrap().next, None);
        let none = page(r#"{"runs": [], "cursors": null}"#, &Filter::default(), None);
        assert_eq!(none, Ok(RunPage::default()));
        assert!(page(r#"{"detail": "x"}"#, &Filter::default(), None).is_err());
        assert!(page("<html>", &Filter::default(), None).is_err());
    }

    #[test]
    fn a_run_is_exported_with_its_descendants_only() {
        let one = |id: &str, parent: &str| {
            run(&format!(r#"{{"id": "{id}", "parent_run_id": "{parent}"}}"#)).unwrap()
        };
        let trace =
            vec![one("root", ""), one("c", "b"), one("a", "root"), one("b", "a"), one("z", "root")];
        let family = with_descendants(&one("a", "root"), trace);
        let ids: Vec<&str> = family.iter().map(|run| run.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
    }
}
