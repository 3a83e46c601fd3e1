//! `retake source`: the source of a recording as it was when it was recorded.

use std::io::{IsTerminal as _, stdout};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::output::{Output, shown};
use super::{Color, Failure, Verdict, complain, read_everything, write};
use crate::engine::SourceLookup;
use crate::engine::then::{Now, Place, Then};
use crate::format::Kind;

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

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let paths = [arguments.recording.clone()];
    let read = read_everything(&paths, arguments.root.as_deref(), SourceLookup::LeaveAlone)?;
    let path = arguments.recording.to_string_lossy();
    let path = shown(&path);
    let item = match read.items.as_slice() {
        [item] if !read.project.has_folder() => item,
        _ => return Err(Failure(format!("{path} is a folder; name one recording"))),
    };
    if item.kind != Kind::Recording {
        let problem = item.problems.first();
        let why = problem.map_or_else(String::new, |problem| format!(": {}", problem.message));
        let kind = item.kind.as_str();
        return Err(Failure(format!(
            "{path} is no recording but of kind {kind}{why}"
        )));
    }
    let in_time = read.project.source_in_time(0, &AtomicBool::new(false));
    let (then, now) = match in_time {
        Ok(in_time) => (in_time.then, in_time.now.ok()),
        Err(reason) => (Err(reason), None),
    };
    if !arguments.json {
        tell(&then);
    }
    write(arguments.color, |output| match arguments.json {
        true => output.json(&answer(&then, now.as_ref())),
        false => print(output, &then),
    })?;
    Ok(match then {
        Ok(_) => Verdict::Passed,
        Err(_) => Verdict::Failed,
    })
}

/// Says on stderr where the text was found, or why it was not.
fn tell(then: &Result<Then, String>) {
    let then = match then {
        Ok(then) => then,
        Err(reason) => return complain(&format!("Not found: {}", shown(reason))),
    };
    let line_ends = match then.line_ends_differ {
        true => ", there with other line ends",
        false => "",
    };
    let place = match &then.place {
        Place::WorkTree => "in the work tree".to_owned(),
        Place::Commit { id, seconds } => format!("in commit {id} of {}", date(*seconds)),
    };
    complain(&format!("Found {place}: {}{line_ends}", shown(&then.path)));
}

/// Prints the text: byte for byte to a file or a pipe, with nothing hidden to a terminal.
fn print(output: &mut Output, then: &Result<Then, String>) -> std::io::Result<()> {
    let Ok(then) = then else { return Ok(()) };
    if !stdout().is_terminal() {
        return output.raw(&then.text);
    }
    for line in String::from_utf8_lossy(&then.text).lines() {
        let shown: Vec<_> = line.split('\t').map(shown).collect();
        output.line(&shown.join("\t"))?;
    }
    Ok(())
}

fn answer(then: &Result<Then, String>, now: Option<&Now>) -> Answer {
    let text = |text: &[u8]| Some(String::from_utf8_lossy(text).into_owned());
    let current_text = now.and_then(|now| text(&now.text));
    match then {
        Ok(then) => {
            let (place, commit, committed_at) = match &then.place {
                Place::WorkTree => ("working-tree", None, None),
                Place::Commit { id, seconds } => ("git", Some(id.clone()), Some(date(*seconds))),
            };
            Answer {
                found: true,
                place: Some(place),
                commit,
                committed_at,
                path: Some(then.path.clone()),
                text: text(&then.text),
                current_text,
                reason: None,
            }
        }
        Err(reason) => Answer {
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
