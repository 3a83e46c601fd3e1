//! Incidents become sessions: drafts that know where each of their fields came from.
//!
//! [`detect_kind`] detects what a text is, [`drafts`] and [`drafts_of_set`] make sessions from it, [`KnownSessions`] recognises those that
//! already exist. Nothing is written here, and nothing is dropped silently: what a session cannot contain is noted.

mod duplicate;
mod failure_log;
mod fetch_form;
mod har;
mod importer;
mod incident;
mod langsmith;
pub mod langsmith_api;
mod name;
mod recordings;
mod report;
mod run_filter;
mod runs;
mod secrets;
mod session_draft;
mod text;

use ::calls::reading;
use document::foreign::{is_har, is_runs};
use document::text::named_enum;
use document::{Document, DocumentBody, FileKind, Node, NodeKind, Problem};
use play::triage::looks_like_run;

pub use duplicate::{Duplicate, KnownSessions, make_ids_unique};
pub use fetch_form::{FetchField, FetchForm, FetchScope, FieldCheck};
pub use importer::{FileOrigin, Importer};
pub use incident::Incident;
pub use langsmith::{Filter, RunStatus};
pub use name::{PATTERN, file_name};
pub use recordings::drafts_of_set;
pub use run_filter::RunFilter;
pub use secrets::{
    DraftSecret, SecretChoice, SecretSelector, choose, redaction, secrets, secrets_of_files,
};
pub use session_draft::{AgentAnswer, FieldOrigin, SessionDraft};

named_enum! {
    /// The kind of a text that can be imported.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum ImportKind {
        /// A report of Flakestorm: one draft for each mutation that failed.
        Report = "a Flakestorm report",
        /// Runs of LangSmith: one draft for each.
        LangSmith = "a LangSmith export",
        /// A transcript or trace of an agent: one draft for each run.
        AgentRun = "a run of an agent",
        /// A recording: one draft for all of its set.
        Recording = "a recording",
        /// An HTTP archive: one draft.
        Har = "an HTTP archive",
        /// The output of a failed test run: one draft.
        FailureLog = "a failure log",
        /// A chat of a user and an agent, in a text or as JSON: one draft.
        ChatLog = "a chat log",
        /// Anything else: no draft, unless all of it is imported as text.
        #[default]
        Text = "a text",
        /// A session, which needs no import.
        Session = "a session",
    }

    /// Returns its name, with an article.
    pub fn name;
}

/// A document with the name of its file, as people know it.
#[derive(Clone, Copy, Debug)]
pub struct ImportInput<'a> {
    /// The file name, or a description such as "pasted text".
    pub file: &'a str,
    /// Content of the file.
    pub document: &'a Document,
}

#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The contract of every draft.
    pub contract: Option<String>,
    /// Filter of the runs of a LangSmith export.
    pub filter: Filter,
    /// Whether a document of any other kind is imported as plain text.
    pub as_text: bool,
}

/// Result of an import.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// In the order of the file.
    pub drafts: Vec<SessionDraft>,
    /// Number of runs or mutations that were skipped: they passed, or did not match the filter.
    pub skipped: usize,
    /// Notes on parts that could not be taken, a sentence each without a full stop.
    pub notes: Vec<String>,
}

/// Detects what a document is.
pub fn detect_kind(document: &Document) -> ImportKind {
    let root = document.tree.root();
    let is = |check: fn(Node<'_>) -> bool| root.is_some_and(check);
    let has_calls = || matches!(&document.body, DocumentBody::Foreign(foreign) if reading::reads(foreign.format));
    match document.kind() {
        FileKind::Report => ImportKind::Report,
        FileKind::Recording => ImportKind::Recording,
        _ if is(is_runs) => ImportKind::LangSmith,
        _ if is(is_har) => ImportKind::Har,
        FileKind::Runs => ImportKind::AgentRun,
        _ if has_calls() => ImportKind::Recording,
        FileKind::Session | FileKind::Config => ImportKind::Session,
        // Last, because data of all kinds mentions failures.
        _ if failure_log::is_log(document) => ImportKind::FailureLog,
        _ if runs::chat(document).is_some() => ImportKind::ChatLog,
        _ => ImportKind::Text,
    }
}

/// Makes drafts of one document. A recording, or the calls of another tool, are taken as a set of their own.
///
/// # Errors
///
/// The reason that there is nothing to import, as a sentence without a full stop.
pub fn drafts(input: ImportInput<'_>, options: &ImportOptions) -> Result<Imported, String> {
    let mut imported = match (detect_kind(input.document), &input.document.body) {
        (ImportKind::Report, DocumentBody::Report(report)) => report::drafts(input, report),
        (ImportKind::LangSmith, _) => langsmith::drafts(input, &options.filter)?,
        (ImportKind::Recording, _) => return drafts_of_set(&[input], options),
        (ImportKind::Har, _) => har::drafts(input)?,
        (ImportKind::AgentRun, _) => runs::drafts(input)?,
        (ImportKind::ChatLog, _) => runs::chat_draft(input)?,
        (ImportKind::FailureLog, _) => failure_log::drafts(input),
        (ImportKind::Session, _) => return Err("It is already a session".to_owned()),
        _ if options.as_text => text::drafts(input)?,
        _ => return Err(refusal(input.file, input.document)),
    };
    finish(&mut imported, options);
    Ok(imported)
}

/// Whether no session is made of a document, unless all of it is imported as text.
pub fn is_refused(document: &Document) -> bool {
    detect_kind(document) == ImportKind::Text
}

/// Describes a document that is no plain text, with the place of what makes it unreadable, or that is a log; it completes "It is".
pub fn describe_content(file: &str, document: &Document) -> Option<String> {
    let Some(what) = document.not_plain_text(file) else {
        let is_run = looks_like_run(document.source().text());
        return is_run.then(|| "the log of a test run, which `retake triage` reads".to_owned());
    };
    let is_cause = |problem: &&Problem| problem.rule.hides_content();
    Some(match document.problems.iter().find(is_cause) {
        Some(Problem { place, message, .. }) => {
            format!("{what} (line {}, column {}: {message})", place.line, place.column)
        }
        None => what,
    })
}

/// Returns why no session is made of a document that [`is_refused`], as sentences without the last full stop.
pub fn refusal(file: &str, document: &Document) -> String {
    let text = document.source().text();
    let what = match describe_content(file, document) {
        Some(what) => what,
        None if text.trim().is_empty() => return "There is no text to import".to_owned(),
        None => "a text without a failure".to_owned(),
    };
    let kinds = match &document.body {
        DocumentBody::Foreign(_) => "",
        _ => {
            " Sessions can be imported from reports, runs of agents, recordings, cassettes, HTTP archives, chats and failure logs."
        }
    };
    // The name of the file may follow, which must not look like one more kind.
    format!("It is {what}.{kinds} Retake does not make a session of it yet")
}

/// Makes drafts of a document that holds runs of LangSmith, whatever else it may look like.
fn drafts_of_runs(input: ImportInput<'_>, options: &ImportOptions) -> Result<Imported, String> {
    let mut imported = langsmith::drafts(input, &options.filter)?;
    finish(&mut imported, options);
    Ok(imported)
}

fn finish(imported: &mut Imported, options: &ImportOptions) {
    for draft in &mut imported.drafts {
        if let Some(contract) = &options.contract {
            draft.session.contract = Some(contract.clone());
            draft.mark_generated("/contract", "All sessions of this import get it");
        }
    }
}

/// Returns the text of a field, if it is one and says something.
fn text_of<'t>(node: Node<'t>, key: &str) -> Option<Node<'t>> {
    let field = node.get(key)?;
    field.as_str().is_some_and(|text| !text.trim().is_empty()).then_some(field)
}

fn is_null(node: &Node<'_>) -> bool {
    node.kind() == NodeKind::Null
}

#[cfg(test)]
mod tests;
