//! `retake play`: writes the text of a tape with its timing.

use std::io::{self, IsTerminal as _, stdout};
use std::path::PathBuf;

use schemars::JsonSchema;

use super::common::RootOption;
use super::output::{Output, shown};
use super::{
    ColorMode, CommandError, CommandResult, CommandVerdict, read_document, report_error, write,
};
use calls::tape::playback::{LONG_NANOS, Speed, TapePlayback, Utf8Chunks};
use calls::tape::timing::{SECOND, TapePace, format_duration, has_delay};
use document::json::quote_utf16;
use document::tape::Tape;
use document::text::{count, visible_lines};
use document::{Document, DocumentBody};
use engine::player::{Monotonic, play};

/// Write a tape's text to stdout, each chunk at its time.
///
/// A pipe gets every byte of the text, so that a client under test can read from it. Closing the pipe early is not an error.
/// Times count from the start, so that delays do not add up. A character that is split between two chunks is written with the
/// second one. On a terminal, hidden and control characters are escaped.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake play tapes/slow-start.json\n  retake play tapes/slow-start.json --speed 4 | my-client\n  \
                  retake play tapes/slow-start.json --instant --jsonl"
)]
pub(super) struct PlayArgs {
    /// A tape.
    tape: PathBuf,
    /// The playback speed, from 0.1 to 100.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = speed, conflicts_with = "instant")]
    speed: f64,
    /// Write all chunks without delay.
    #[arg(long)]
    instant: bool,
    /// Print JSON, one line for each chunk: its index, planned and actual time in nanoseconds since the start, and text.
    #[arg(long)]
    jsonl: bool,
    /// Wait whole milliseconds before each chunk, as the tape's own player does.
    #[arg(long)]
    whole_ms: bool,
    /// Skip delays longer than this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    skip_over: Option<f64>,
    #[command(flatten)]
    within: RootOption,
}

pub(super) fn speed(text: &str) -> Result<f64, String> {
    // `4×` is how the window shows a speed, and `4x` how people write it.
    text.trim_end_matches(['x', '×'])
        .parse()
        .ok()
        .filter(|speed| (0.1..=100.0).contains(speed))
        .ok_or_else(|| {
            "expected a number from 0.1 to 100; use --instant to play without delays".to_owned()
        })
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    seconds.ok_or_else(|| "expected a number of seconds".to_owned())
}

pub(super) fn run(arguments: &PlayArgs) -> CommandResult {
    let document = read_document(&arguments.tape, arguments.within.root())?;
    let DocumentBody::Tape(tape) = &document.body else {
        let (kind, path) = (document.describe_kind(), arguments.tape.to_string_lossy());
        return Err(CommandError(format!("Expected a tape, found {kind}: {}", shown(&path))));
    };
    let playback = arguments.playback();
    report_playback(tape, &document, &playback);
    // Times are counted from the start, so that a late chunk does not delay those after it.
    let due_nanos = playback.due_nanos(tape);
    let utf8 = Utf8Chunks::new(&document, tape);
    let is_terminal = stdout().is_terminal();
    // The text of a tape belongs to its consumer, and must not be coloured.
    write(ColorMode::Never, |output| {
        play(&due_nanos, &mut Monotonic::start(), |index, actual_nanos| {
            if arguments.jsonl {
                line(output, &utf8, index, due_nanos[index], actual_nanos)
            } else {
                text(output, &utf8.chunk(index), is_terminal)
            }
        })
    })?;
    Ok(CommandVerdict::Passed)
}

impl PlayArgs {
    fn playback(&self) -> TapePlayback {
        TapePlayback {
            speed: if self.instant { Speed::Instant } else { Speed::Times(self.speed) },
            pace: if self.whole_ms { TapePace::WholeMillis } else { TapePace::Recorded },
            skip_over_nanos: self.skip_over.map(|seconds| seconds * SECOND),
        }
    }
}

/// Reports on stderr which chunks are not played as in the file, and long delays.
fn report_playback(tape: &Tape, document: &Document, playback: &TapePlayback) {
    if !document.problems.is_empty() {
        let problems = count(document.problems.len(), "problem");
        report_error(&format!(
            "The tape has {problems}; run `retake check` to see them. Readable chunks are played"
        ));
    }
    let unusable_count = tape.chunks.iter().filter(|chunk| !has_delay(document, chunk)).count();
    if unusable_count > 0 {
        let chunks = count(unusable_count, "chunk");
        report_error(&format!("{chunks} without a valid delay; played immediately"));
    }
    let long_chunks =
        tape.chunks.iter().filter(|chunk| playback.wait_nanos(chunk.delay_nanos) > LONG_NANOS);
    if let Some(longest_delay) = long_chunks.map(|chunk| chunk.delay_nanos).max_by(f64::total_cmp) {
        report_error(&format!(
            "The tape has a delay of {}; `--skip-over 60` skips it",
            format_duration(longest_delay)
        ));
    }
    let skipped_count = tape.chunks.iter().filter(|c| playback.is_skipped(c.delay_nanos)).count();
    // Without delays, none is skipped either.
    if skipped_count > 0 && playback.speed != Speed::Instant {
        report_error(&format!("{} skipped", count(skipped_count, "long delay")));
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

/// A line of --jsonl. A text that no JSON reader of Rust holds, such as half a surrogate pair, is escaped, so it is not written from here.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct PlayedChunk {
    index: usize,
    /// When the chunk is due, in nanoseconds since the start.
    planned_ns: u64,
    /// When it was written.
    actual_ns: u64,
    text: String,
}

fn line(
    output: &mut Output,
    utf8: &Utf8Chunks<'_>,
    index: usize,
    planned_nanos: u64,
    actual_nanos: u64,
) -> io::Result<()> {
    let text = quote_utf16(&utf8.units(index));
    output.json_line(&format!(
        "{{\"index\":{index},\"planned_ns\":{planned_nanos},\"actual_ns\":{actual_nanos},\"text\":{text}}}"
    ))?;
    output.flush()
}
