//! The output of a failed test run: its first error is the expected failure, and the log itself is all that there is to
//! start from.

use super::report::file_name;
use super::session_draft::{SessionDraft, provenance};
use super::{ImportInput, Imported};
use calls::agent_run::chat_messages;
use document::edit::JsonValue;
use document::foreign::ForeignFormat;
use document::{Document, DocumentBody};
use play::playback::failure_log::FailureLog;

/// Prefixes of lines that log the input.
const INPUT_PREFIXES: [&str; 6] =
    ["input:", "prompt:", "user:", "question:", "human:", "user input:"];

/// Words that mark a failure.
// In order of priority: a line that names the error says more than one that only reports a failure.
const FAILURE_MARKERS: [&str; 6] =
    ["error:", "exception:", "fail ", "failed", "traceback", "panicked at"];

/// The longest part of a log that becomes an input.
const MAX_INPUT_BYTES: usize = 4000;

/// Returns true if a document is a text of several lines with a failure in one of them, or the output of a playback client. Data and chats
/// mention failures, too.
pub(super) fn is_log(document: &Document) -> bool {
    let text = document.source().text();
    let is_data = document.not_plain_text("").is_some();
    // Logs of programs have JSON in their lines, too.
    let is_foreign = matches!(document.body, DocumentBody::Foreign(document) if document.format != ForeignFormat::JsonLines);
    let has_failure = || !is_data && failure(text).is_some() && chat_messages(text).is_none();
    // One or two lines that mention an error are a message, no log.
    text.lines().nth(2).is_some()
        && !is_foreign
        && (has_failure() || FailureLog::looks_like_log(text))
}

/// Returns the first line with a failure; a line that names the error has priority.
fn failure(text: &str) -> Option<&str> {
    let find_line =
        |word: &&str| text.lines().map(str::trim).find(|l| l.to_ascii_lowercase().contains(word));
    FAILURE_MARKERS.iter().find_map(find_line)
}

pub(super) fn drafts(input: ImportInput<'_>) -> Imported {
    let text = input.document.source().text();
    let mut draft = SessionDraft::default();
    let requested = text.lines().find_map(|line| {
        let line = line.trim();
        let word = INPUT_PREFIXES.iter().find(|w| line.to_ascii_lowercase().starts_with(**w))?;
        Some(line[word.len()..].trim()).filter(|input_text| !input_text.is_empty())
    });
    match requested {
        Some(input_text) => {
            draft.session.input = input_text.to_owned();
            draft.mark_generated("/input", "The input in the log");
        }
        None => {
            let end = text.floor_char_boundary(text.len().min(MAX_INPUT_BYTES));
            draft.session.input = text[..end].trim().to_owned();
            let how = "The beginning of the log, which does not contain the input";
            draft.mark_generated("/input", how);
            let note = "The log does not contain the input of the agent; replace the input";
            draft.notes.push(note.to_owned());
        }
    }
    if let Some(failure) = failure(text) {
        draft.session.expected_failure = Some(failure.to_owned());
        draft.mark_generated("/expected_failure", "The first error of the log");
    }
    draft.identify("log", &[text.trim()]);
    draft.set_source("manual", "For entry by hand");
    let file = JsonValue::text(file_name(input.file));
    draft.session.context.push(provenance("failure_log", &[("file", Some(file))]));
    Imported { drafts: vec![draft], ..Imported::default() }
}
