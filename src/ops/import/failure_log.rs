//! What a failed test run printed: the first error is what is expected to fail, and the log itself is what there is to
//! start from.

use super::draft::{Draft, provenance};
use super::report::file_name;
use super::{Imported, Input};
use crate::ops::edit::Value;
use crate::ops::playback::failure_log::FailureLog;

/// Words at the beginning of a line behind which what was asked is logged.
const ASKED: [&str; 6] = [
    "input:",
    "prompt:",
    "user:",
    "question:",
    "human:",
    "user input:",
];

/// Words that tell of a failure.
const FAILED: [&str; 6] = [
    "error:",
    "exception:",
    "fail ",
    "failed",
    "traceback",
    "panicked at",
];

/// The longest part of a log that becomes an input.
const MOST: usize = 4000;

/// Whether a text is several lines of which one tells of a failure, or is what a playback client prints.
pub(super) fn is_log(text: &str) -> bool {
    text.lines().nth(2).is_some() && (failure(text).is_some() || FailureLog::is_one(text))
}

/// The first line that tells of a failure; one that names an error counts more than one that only says that there is one.
fn failure(text: &str) -> Option<&str> {
    let tells = |word: &&str| {
        let mut lines = text.lines().map(str::trim);
        lines.find(|line| line.to_ascii_lowercase().contains(word))
    };
    FAILED.iter().find_map(tells)
}

pub(super) fn drafts(input: Input<'_>) -> Imported {
    let text = input.document.source().text();
    let mut draft = Draft::default();
    let asked = text.lines().find_map(|line| {
        let line = line.trim();
        let word = ASKED
            .iter()
            .find(|word| line.to_ascii_lowercase().starts_with(**word))?;
        Some(line[word.len()..].trim()).filter(|asked| !asked.is_empty())
    });
    match asked {
        Some(asked) => {
            draft.session.input = asked.to_owned();
            draft.made("/input", "What the log says was asked");
        }
        None => {
            let end = text.floor_char_boundary(text.len().min(MOST));
            draft.session.input = text[..end].trim().to_owned();
            draft.made(
                "/input",
                "The beginning of the log, which does not say what was asked",
            );
            draft.notes.push(
                "The log does not say what the agent was asked; put that in place of the input"
                    .to_owned(),
            );
        }
    }
    if let Some(failure) = failure(text) {
        draft.session.expected_failure = Some(failure.to_owned());
        draft.made("/expected_failure", "The first error of the log");
    }
    draft.identify("log", &[text.trim()]);
    draft.session.source = Some("manual".to_owned());
    draft.made("/source", "What is put in by hand");
    let file = Value::text(file_name(input.file));
    draft
        .session
        .context
        .push(provenance("failure_log", &[("file", Some(file))]));
    Imported {
        drafts: vec![draft],
        ..Imported::default()
    }
}
