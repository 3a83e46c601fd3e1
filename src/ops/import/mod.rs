//! Incidents become sessions: drafts that know where each of their fields came from.
//!
//! [`what`] detects what a text is, [`drafts`] and [`drafts_of_set`] make sessions from it, [`Known`] recognises those that
//! are there already. Nothing is written here, and nothing is lost in silence: what a session cannot hold is noted.

mod draft;
mod duplicate;
mod failure_log;
mod gather;
mod har;
mod incident;
mod langsmith;
mod name;
mod recordings;
mod report;
mod secrets;
mod text;
mod time;

use crate::format::foreign::{is_har, is_runs};
use crate::format::{Body, Document, Kind, Node, NodeKind};

pub use draft::{Answer, Draft, Origin};
pub use duplicate::{Duplicate, Known, make_ids_unique};
pub use gather::{Gather, Named};
pub use incident::{DraftField, Incident};
pub use langsmith::{Filter, Status};
pub use name::{PATTERN, file_name};
pub use recordings::drafts_of_set;
pub use secrets::{Choice, Secret, Which, choose, redaction, secrets};
pub use time::{parse_time, start_of_range};

/// The kind of a text that can be imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum What {
    /// A report of Flakestorm: one draft for each mutation that failed.
    Report,
    /// Runs of LangSmith: one draft for each.
    LangSmith,
    /// A recording: one draft for all of its set.
    Recording,
    /// An HTTP archive: one draft.
    Har,
    /// What a failed test run printed: one draft.
    FailureLog,
    /// Any other text: one draft.
    #[default]
    Text,
    /// A session, which needs no import.
    Session,
}

impl What {
    /// Returns its name, with an article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Report => "a Flakestorm report",
            Self::LangSmith => "a LangSmith export",
            Self::Recording => "a recording",
            Self::Har => "an HTTP archive",
            Self::FailureLog => "a failure log",
            Self::Text => "a text",
            Self::Session => "a session",
        }
    }
}

/// A document with the name of its file, as people know it.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The file name, or a description such as "pasted text".
    pub file: &'a str,
    /// What it holds.
    pub document: &'a Document,
}

/// Options of an import.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The contract of every draft.
    pub contract: Option<String>,
    /// Which runs of a LangSmith export are imported.
    pub filter: Filter,
    /// Whether a document of any other kind is imported as plain text.
    pub as_text: bool,
}

/// What an import gave.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// In the order of the file.
    pub drafts: Vec<Draft>,
    /// How many runs or mutations were skipped: they passed, or did not match the filter.
    pub passed_over: usize,
    /// What was there and could not be taken, a sentence each without a full stop.
    pub notes: Vec<String>,
}

/// Detects what a document is.
pub fn what(document: &Document) -> What {
    let root = document.tree.root();
    let is = |check: fn(Node<'_>) -> bool| root.is_some_and(check);
    match document.kind() {
        Kind::Report => What::Report,
        Kind::Recording => What::Recording,
        _ if is(is_runs) || langsmith::is_lines(document) => What::LangSmith,
        _ if is(is_har) => What::Har,
        Kind::Session | Kind::Config => What::Session,
        _ if failure_log::is_log(document.source().text()) => What::FailureLog,
        _ => What::Text,
    }
}

/// Makes drafts of one document. A recording is taken as a set of its own.
///
/// # Errors
///
/// Why there is nothing to import, as a sentence without a full stop.
pub fn drafts(input: Input<'_>, options: &Wish) -> Result<Imported, String> {
    let mut imported = match (what(input.document), &input.document.body) {
        (What::Report, Body::Report(report)) => report::drafts(input, report),
        (What::LangSmith, _) => langsmith::drafts(input, &options.filter)?,
        (What::Recording, _) => return drafts_of_set(&[input], options),
        (What::Har, _) => har::drafts(input)?,
        (What::FailureLog, _) => failure_log::drafts(input),
        (What::Session, _) => return Err("It is already a session".to_owned()),
        _ if options.as_text => text::drafts(input)?,
        _ => match input.document.not_plain_text(input.file) {
            Some(what) => return Err(not_text(input.document, &what)),
            None => text::drafts(input)?,
        },
    };
    finish(&mut imported, options);
    Ok(imported)
}

/// Whether a document is refused as the text of an incident, because it is data of no kind that becomes a session.
pub fn is_refused(file: &str, document: &Document) -> bool {
    what(document) == What::Text && document.not_plain_text(file).is_some()
}

/// Why something is not imported as the text of an incident.
fn not_text(document: &Document, what: &str) -> String {
    let help = match &document.body {
        Body::Foreign(foreign) => foreign.format.help(),
        _ => {
            "Sessions can be imported from reports, LangSmith runs, recordings, HTTP archives, failure logs and texts."
        }
    };
    format!("It is {what}. {}", help.trim_end_matches('.'))
}

/// Makes drafts of a document that holds runs of LangSmith, whatever else it may look like.
fn drafts_of_runs(input: Input<'_>, options: &Wish) -> Result<Imported, String> {
    let mut imported = langsmith::drafts(input, &options.filter)?;
    finish(&mut imported, options);
    Ok(imported)
}

fn finish(imported: &mut Imported, options: &Wish) {
    for draft in &mut imported.drafts {
        if let Some(contract) = &options.contract {
            draft.session.contract = Some(contract.clone());
            draft.made("/contract", "Chosen for this import");
        }
    }
}

/// The text of a field, if it is one and says something.
fn text_of<'t>(node: Node<'t>, key: &str) -> Option<Node<'t>> {
    let field = node.get(key)?;
    let says = field.as_str().is_some_and(|text| !text.trim().is_empty());
    says.then_some(field)
}

fn is_null(node: &Node<'_>) -> bool {
    node.kind() == NodeKind::Null
}

#[cfg(test)]
mod tests;
