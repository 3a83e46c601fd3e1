//! `retake source`: the source of a recording as it was when it was recorded.

use std::io::{IsTerminal as _, stdout};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::output::{Output, shown};
use super::{Color, Failure, Verdict, complain, read_everything, write};
use crate::engine::history::{AsRecorded, SourceSearch};
use crate::engine::{Project, SourceLookup};
use crate::format::Kind;
use crate::ops::Item;
use crate::ops::source::{Found, sha256_hex, with_crlf, with_lf};

/// Print the source a recording was made from, as it was then.
///
/// A recording keeps only the hash of its source. The text is looked for in the work tree and then in the history of the
/// git repository inside the project root, by that hash; git itself is not started.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  retake source fixtures/triage/turn-1.json > then.dygram")]
pub(super) struct Arguments {
    /// A recording with source metadata.
    recording: PathBuf,
    /// Read nothing outside this folder [default: the enclosing project].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// When to use colours.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

#[derive(Default, Serialize)]
struct Answer {
    found: bool,
    #[serde(rename = "where")]
    place: Option<&'static str>,
    commit: Option<String>,
    committed_at: Option<String>,
    path: Option<String>,
    text: Option<String>,
    current_text: Option<String>,
    reason: Option<String>,
}

/// The text as it was, and where it is.
enum Then {
    InWorkTree { text: Vec<u8>, path: String },
    InHistory(AsRecorded),
    Nowhere(String),
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let paths = [arguments.recording.clone()];
    let read = read_everything(&paths, arguments.root.as_deref(), SourceLookup::Look)?;
    let path = arguments.recording.to_string_lossy();
    let path = shown(&path);
    let [item] = read.items.as_slice() else {
        let reason = format!("{path} is a folder; name one recording");
        return Err(Failure(reason));
    };
    if item.kind != Kind::Recording {
        let problem = item.problems.first();
        let reason = problem.map_or_else(String::new, |problem| format!(": {}", problem.message));
        let kind = item.kind.as_str();
        return Err(Failure(format!(
            "{path} is no recording but of kind {kind}{reason}"
        )));
    }
    let current = read.project.read_source(0, item);
    let current = current.as_ref().ok().map(|source| source.text());
    let then = then(&read.project, item);
    let verdict = match then {
        Then::Nowhere(_) => Verdict::Failed,
        Then::InWorkTree { .. } | Then::InHistory(_) => Verdict::Passed,
    };
    if !arguments.json {
        tell(&then);
    }
    write(arguments.color, |output| match arguments.json {
        true => output.json(&answer(&then, current)),
        false => print(output, &then),
    })?;
    Ok(verdict)
}

fn then(project: &Project, item: &Item) -> Then {
    let Some(source) = &item.source else {
        return Then::Nowhere("the recording names no source".to_owned());
    };
    match &source.found {
        Found::Unstamped => {
            return Then::Nowhere(
                "the recording does not say which source it was made from".into(),
            );
        }
        Found::Outside(reason) => {
            return Then::Nowhere(format!("its source is not read: {reason}"));
        }
        Found::Fresh(present) | Found::LineEndings(present) => {
            let recorded = source.recorded_hash.as_deref().unwrap_or_default();
            let bytes = project
                .root()
                .and_then(|root| root.read(&present.path).ok());
            let as_recorded = bytes.and_then(|bytes| {
                let variants = [with_lf(&bytes), with_crlf(&bytes), bytes];
                variants
                    .into_iter()
                    .rev()
                    .find(|variant| *sha256_hex(variant) == *recorded)
            });
            if let Some(text) = as_recorded {
                let path = present.path.to_string();
                return Then::InWorkTree { text, path };
            }
        }
        Found::Stale(_) | Found::Missing => {}
    }
    match project.source_as_recorded(0, item, &AtomicBool::new(false)) {
        SourceSearch::Found(found) => Then::InHistory(found),
        SourceSearch::NotFound(reason) => Then::Nowhere(reason.to_string()),
    }
}

/// Says on stderr where the text was found, or why it was not.
fn tell(then: &Then) {
    complain(&match then {
        Then::InWorkTree { path, .. } => {
            format!("Unchanged since the recording: {}", shown(path))
        }
        Then::InHistory(found) => {
            let line_ends = match found.line_ends_differ {
                true => ", there with other line ends",
                false => "",
            };
            format!(
                "Found in commit {} of {}: {}{line_ends}",
                found.commit,
                date(found.committed_at),
                shown(&found.path)
            )
        }
        Then::Nowhere(reason) => format!("Not found: {}", shown(reason)),
    });
}

/// Prints the text: byte for byte to a file or a pipe, with nothing hidden to a terminal.
fn print(output: &mut Output, then: &Then) -> std::io::Result<()> {
    let text = match then {
        Then::InWorkTree { text, .. } => text,
        Then::InHistory(found) => &found.text,
        Then::Nowhere(_) => return Ok(()),
    };
    if !stdout().is_terminal() {
        return output.raw(text);
    }
    for line in String::from_utf8_lossy(text).lines() {
        let shown: Vec<_> = line.split('\t').map(shown).collect();
        output.line(&shown.join("\t"))?;
    }
    Ok(())
}

fn answer(then: &Then, current: Option<&str>) -> Answer {
    let text = |text: &[u8]| Some(String::from_utf8_lossy(text).into_owned());
    let current_text = current.map(str::to_owned);
    match then {
        Then::InWorkTree { text: then, path } => Answer {
            found: true,
            place: Some("working-tree"),
            path: Some(path.clone()),
            text: text(then),
            current_text,
            ..Answer::default()
        },
        Then::InHistory(found) => Answer {
            found: true,
            place: Some("git"),
            commit: Some(found.commit.clone()),
            committed_at: Some(date(found.committed_at)),
            path: Some(found.path.clone()),
            text: text(&found.text),
            current_text,
            ..Answer::default()
        },
        Then::Nowhere(reason) => Answer {
            current_text,
            reason: Some(reason.clone()),
            ..Answer::default()
        },
    }
}

/// A time as ISO 8601, UTC; a commit may claim one that no calendar has.
fn date(seconds: i64) -> String {
    match jiff::Timestamp::from_second(seconds) {
        Ok(time) => time.to_string(),
        Err(_) => "an unknown time".to_owned(),
    }
}
