//! `retake play`: a tape's text with its timing.

use std::io::{self, IsTerminal as _, stdout};
use std::path::PathBuf;

use super::common::Within;
use super::output::{Output, shown};
use super::{Color, Failure, Verdict, complain, count, read_document, write};
use crate::engine::player::{Monotonic, play};
use crate::format::tape::Tape;
use crate::format::{Body, Document};
use crate::ops::tape::javascript;
use crate::ops::tape::playback::{LONG_NANOS, Playback, Speed, Utf8};
use crate::ops::tape::timing::{Pace, SECOND, duration, has_delay};
use crate::text::visible_lines;

/// Write a tape's text to stdout, each chunk at its time.
///
/// A pipe gets every byte of the text, a client under test can read from it; whoever closes it early has seen enough. Chunks
/// keep their times counted from the start, so that no lateness adds up. A character that was cut into two chunks comes
/// whole, with the second. On a terminal, characters that hide or command are shown escaped.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake play tapes/slow-start.json\n  retake play tapes/slow-start.json --speed 4 | my-client\n  \
                  retake play tapes/slow-start.json --instant --jsonl"
)]
pub(super) struct Arguments {
    /// A tape.
    tape: PathBuf,
    /// So many times as fast, from 0.1 to 100.
    #[arg(long, value_name = "X", default_value = "1", value_parser = speed, conflicts_with = "instant")]
    speed: f64,
    /// All at once.
    #[arg(long)]
    instant: bool,
    /// One line of JSON a chunk: its index, when it was planned and when it came in nanoseconds since the start, its text.
    #[arg(long)]
    jsonl: bool,
    /// Wait whole milliseconds before each chunk, as the tape's own player does.
    #[arg(long)]
    whole_ms: bool,
    /// Do not wait where the tape waits longer than so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    skip_over: Option<f64>,
    #[command(flatten)]
    within: Within,
}

pub(super) fn speed(text: &str) -> Result<f64, String> {
    let speed = text.trim_end_matches(['x', '×']).parse();
    let speed = speed.ok().filter(|speed| (0.1..=100.0).contains(speed));
    speed.ok_or_else(|| {
        "a number from 0.1 to 100 is expected; --instant waits not at all".to_owned()
    })
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    seconds.ok_or_else(|| "a number of seconds is expected".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let document = read_document(&arguments.tape, arguments.within.root())?;
    let Body::Tape(tape) = &document.body else {
        let (kind, path) = (document.kind().as_str(), arguments.tape.to_string_lossy());
        return Err(Failure(format!(
            "The file is no tape but of kind {kind}: {}",
            shown(&path)
        )));
    };
    let playback = arguments.playback();
    tell(tape, &document, &playback);
    let due = playback.due_nanos(tape);
    let utf8 = Utf8::of(&document, tape);
    let is_terminal = stdout().is_terminal();
    write(Color::Never, |output| {
        play(&due, &mut Monotonic::start(), |index, actual| {
            if arguments.jsonl {
                line(output, &utf8, index, due[index], actual)
            } else {
                text(output, &utf8.chunk(index), is_terminal)
            }
        })
    })?;
    Ok(Verdict::Passed)
}

impl Arguments {
    fn playback(&self) -> Playback {
        Playback {
            speed: if self.instant {
                Speed::Instant
            } else {
                Speed::Times(self.speed)
            },
            pace: if self.whole_ms {
                Pace::WholeMillis
            } else {
                Pace::Recorded
            },
            skip_over_nanos: self.skip_over.map(|seconds| seconds * SECOND),
        }
    }
}

/// Says on stderr what is played otherwise than it stands in the file, and what takes long.
fn tell(tape: &Tape, document: &Document, playback: &Playback) {
    if !document.problems.is_empty() {
        let problems = count(document.problems.len(), "problem");
        complain(&format!(
            "The tape has {problems}; `retake check` tells them. What can be played is played"
        ));
    }
    let unusable = tape
        .chunks
        .iter()
        .filter(|chunk| !has_delay(document, chunk));
    let unusable = unusable.count();
    if unusable > 0 {
        let chunks = count(unusable, "chunk");
        complain(&format!(
            "{chunks} without a delay that can be waited; played at once"
        ));
    }
    let long = tape
        .chunks
        .iter()
        .filter(|chunk| playback.waits(chunk.delay_nanos) > LONG_NANOS);
    if let Some(longest) = long.map(|chunk| chunk.delay_nanos).max_by(f64::total_cmp) {
        complain(&format!(
            "The tape waits {} at once; `--skip-over 60` does not",
            duration(longest)
        ));
    }
    let skipped = tape
        .chunks
        .iter()
        .filter(|chunk| playback.skips(chunk.delay_nanos))
        .count();
    if skipped > 0 && playback.speed != Speed::Instant {
        complain(&format!("{} skipped", count(skipped, "long delay")));
    }
}

fn text(output: &mut Output, text: &str, is_terminal: bool) -> io::Result<()> {
    if is_terminal {
        output.raw(visible_lines(text).as_bytes())?;
    } else {
        output.raw(text.as_bytes())?;
    }
    output.flush()
}

fn line(
    output: &mut Output,
    utf8: &Utf8<'_>,
    index: usize,
    planned: u64,
    actual: u64,
) -> io::Result<()> {
    let text = javascript::text(&utf8.units(index));
    output.json_line(&format!(
        "{{\"index\":{index},\"planned_ns\":{planned},\"actual_ns\":{actual},\"text\":{text}}}"
    ))?;
    output.flush()
}
