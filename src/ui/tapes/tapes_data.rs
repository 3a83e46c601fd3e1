//! The tape that is shown, and the texts and numbers of the tapes desk.

use calls::tape::playback::Speed;
use calls::tape::prepared_tape::PreparedTape;
use calls::tape::timeline::{TimeRange, TimelineColumn};
use calls::tape::timing::{MILLISECOND, SECOND, Stats, format_duration, lost_nanos};
use document::text::{counted, thousands, visible};
use protocol::DocId;
use widgets::theme::Tone;
use workbench::{Library, TapesDesk};

/// The available speeds, slowest first.
pub(super) const SPEEDS: [(Speed, &str); 7] = [
    (Speed::Times(0.1), "0.1×"),
    (Speed::Times(0.5), "0.5×"),
    (Speed::Times(1.0), "1×"),
    (Speed::Times(4.0), "4×"),
    (Speed::Times(20.0), "20×"),
    (Speed::Times(100.0), "100×"),
    (Speed::Instant, "Instant"),
];

/// The available silence thresholds, in nanoseconds.
pub(super) const SILENCE_NANOS: [f64; 6] = [1e8, 2e8, 5e8, 1e9, 2e9, 5e9];

/// Maximum number of characters of a chunk's text on one line.
const MAX_LINE_CHARS: usize = 400;

/// Input of all parts of the view that paint a tape.
#[derive(Clone, Copy)]
pub(super) struct Props<'a> {
    pub(super) doc: DocId,
    pub(super) desk: &'a TapesDesk,
    pub(super) library: &'a Library,
    pub(super) tape: &'a PreparedTape,
    /// Whether the playhead jumps from chunk to chunk.
    pub(super) is_reduced: bool,
}

/// A statistic of the tape with its name.
#[derive(Debug, PartialEq)]
pub(super) struct TapeStatistic {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) tone: Tone,
    /// The chunk that the statistic refers to.
    pub(super) chunk: Option<usize>,
}

/// Formats a time in seconds, to the millisecond.
pub(super) fn format_seconds(nanos: f64) -> String {
    format!("{:.3}", nanos / SECOND)
}

/// Formats a delay in milliseconds with the necessary digits, at most to the microsecond.
pub(super) fn format_millis(nanos: f64) -> String {
    let text = format!("{:.3}", nanos / MILLISECOND);
    let digits = text.trim_end_matches('0').trim_end_matches('.');
    let (integer, fraction) = digits
        .split_once('.')
        .map_or((digits, None), |(integer, fraction)| (integer, Some(fraction)));
    // A delay beyond the range of integers is possible in a file, and stays without separators.
    let integer = integer.parse().map_or_else(|_| integer.to_owned(), thousands);
    match fraction {
        Some(fraction) => format!("{integer}.{fraction}"),
        None => integer,
    }
}

/// Returns the statistics above the timeline: what neither the clock nor the table says.
pub(super) fn statistics(stats: &Stats, silence_nanos: f64) -> Vec<TapeStatistic> {
    let mut figures = Vec::new();
    let mut add = |name, value: String, tone, chunk| {
        figures.push(TapeStatistic { name, value, tone, chunk });
    };
    if let Some(nanos) = stats.first_nanos {
        add("First chunk after", format!("{} s", format_seconds(nanos)), Tone::Note, None);
    }
    if let Some(gaps) = stats.gaps {
        let (median, p95) = (format_duration(gaps.median_nanos), format_duration(gaps.p95_nanos));
        add("Gap, median and p95", format!("{median}, {p95}"), Tone::Plain, None);
        let wait = format_duration(gaps.longest_nanos);
        let wait = format!("{wait} at chunk {}", thousands(gaps.longest_at + 1));
        // The same threshold as on the timeline, so that both mark the same gaps.
        let is_silent = gaps.longest_nanos >= silence_nanos;
        let tone = if is_silent { Tone::Warning } else { Tone::Plain };
        add("Longest gap", wait, tone, Some(gaps.longest_at));
    }
    add("Text", counted(stats.chars, "character", "characters"), Tone::Plain, None);
    figures
}

/// Describes the wait before the first chunk, or a silence: how long it is, or what is left of it while the playhead is in it.
pub(super) fn describe_wait(is_first: bool, wait: TimeRange, playhead_nanos: f64) -> String {
    let rest = wait_left_nanos(wait, playhead_nanos).map(format_left);
    match (rest, is_first) {
        (Some(rest), true) => format!("first chunk in {rest}"),
        (Some(rest), false) => format!("silence, {rest} left"),
        (None, true) => format!("first chunk after {}", format_duration(wait.to_nanos)),
        (None, false) => format!("silence {}", format_duration(wait.nanos())),
    }
}

/// Returns how much of a wait is left at the playhead, in nanoseconds; `None` unless the playhead is in it.
pub(super) fn wait_left_nanos(wait: TimeRange, playhead_nanos: f64) -> Option<f64> {
    let is_inside = wait.from_nanos < playhead_nanos && playhead_nanos < wait.to_nanos;
    // Both ends are excluded: at its start a wait has not begun to count down.
    is_inside.then_some(wait.to_nanos - playhead_nanos)
}

/// Formats a time that runs out: rounded up to a tenth of a second, so that it is never 0; from a minute on, to a second.
fn format_left(nanos: f64) -> String {
    let tenths = (nanos / (SECOND / 10.0)).ceil();
    if tenths < 600.0 {
        format!("{:.1} s", tenths / 10.0)
    } else {
        format_duration((tenths / 10.0).ceil() * SECOND)
    }
}

/// Returns the line below a tape's name in the list.
pub(super) fn summary(total_nanos: Option<f64>, chunks: Option<u32>) -> String {
    // A tape that cannot be read has no count.
    let chunks = counted(chunks.unwrap_or_default() as usize, "chunk", "chunks");
    match total_nanos {
        Some(nanos) => format!("{:.2} s, {chunks}", nanos / SECOND),
        None => chunks,
    }
}

/// Returns a chunk's text on one line, shortened, with hidden characters made visible.
pub(super) fn one_line(text: &str) -> String {
    let end = text.char_indices().nth(MAX_LINE_CHARS).map_or(text.len(), |(index, _)| index);
    let text = text.get(..end).unwrap_or_default();
    match text.strip_prefix(' ') {
        // Where a word begins matters when pieces are joined, and a space at the edge of a row is not visible.
        Some(rest) => format!("·{}", visible(rest)),
        None => visible(text).into_owned(),
    }
}

/// Escapes a text for a single-line field: line ends, tabs, and backslashes that would otherwise start an escape.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped_text = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_escape = |next: &char| matches!(next, '\\' | 'n' | 'r' | 't' | '\n' | '\r' | '\t');
        match letter {
            // Only where it would be read as an escape: most backslashes in JSON text stay as they are.
            '\\' if letters.peek().is_some_and(is_escape) => escaped_text.push_str("\\\\"),
            '\n' => escaped_text.push_str("\\n"),
            '\r' => escaped_text.push_str("\\r"),
            '\t' => escaped_text.push_str("\\t"),
            letter => escaped_text.push(letter),
        }
    }
    escaped_text
}

/// Reverses [`escaped`]. A backslash before any other character stays a backslash.
pub(super) fn unescaped(input: &str) -> String {
    let mut text = String::with_capacity(input.len());
    let mut letters = input.chars().peekable();
    while let Some(letter) = letters.next() {
        let escape = match (letter, letters.peek()) {
            ('\\', Some('\\')) => Some('\\'),
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('r')) => Some('\r'),
            ('\\', Some('t')) => Some('\t'),
            _ => None,
        };
        if escape.is_some() {
            letters.next();
        }
        text.push(escape.unwrap_or(letter));
    }
    text
}

/// Describes the chunks under the pointer.
pub(super) fn describe_chunks(tape: &PreparedTape, column: &TimelineColumn) -> Vec<String> {
    let (chunk, end) = (column.chunks.start, column.chunks.end);
    let chars = counted(column.chars, "character", "characters");
    match column.chunks.len() {
        0 => Vec::new(),
        1 => {
            let delay = tape.chunks().get(chunk).map_or(0.0, |chunk| chunk.delay_nanos);
            let text = tape.chunks().get(chunk).map_or("", |chunk| &chunk.text);
            vec![
                format!("Chunk {}, {chars}", chunk + 1),
                describe_delay(delay, &arrival(tape, chunk)),
                if text.is_empty() { "empty".to_owned() } else { one_line(text) },
            ]
        }
        count => vec![
            format!("Chunks {} to {}", thousands(chunk + 1), thousands(end)),
            format!("{} chunks, {chars}", thousands(count)),
        ],
    }
}

/// Describes the delay of a chunk, and how much of it a player of whole milliseconds drops.
fn describe_delay(delay: f64, time: &str) -> String {
    let description = format!("waits {} ms, at {time} s", format_millis(delay));
    match lost_nanos(delay) {
        0.0 => description,
        nanos => format!("{description}; {} ms lost by rounding to whole ms", format_millis(nanos)),
    }
}

fn arrival(tape: &PreparedTape, chunk: usize) -> String {
    format_seconds(tape.schedule(calls::tape::timing::TapePace::Recorded).arrival_nanos(chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_readable_format() {
        assert_eq!([81e6, 1.61e9, 43.25e6, 0.0].map(format_millis), ["81", "1,610", "43.25", "0"]);
        assert_eq!(format_seconds(3.9794e9), "3.979");
        assert_eq!(one_line(" a\nb"), "·a\\nb");
        assert_eq!(summary(Some(6.842e9), Some(41)), "6.84 s, 41 chunks");
    }

    #[test]
    fn a_wait_counts_down_while_the_playhead_is_in_it() {
        let silence = TimeRange { from_nanos: 2e9, to_nanos: 3.6e9 };
        let times = [1.0, 2.0, 2.01, 2.75, 3.599, 3.6];
        let labels = times.map(|seconds| describe_wait(false, silence, seconds * SECOND));
        insta::assert_snapshot!(labels.join("\n"), @"
        silence 1.6 s
        silence 1.6 s
        silence, 1.6 s left
        silence, 0.9 s left
        silence, 0.1 s left
        silence 1.6 s
        ");
        let first = TimeRange { from_nanos: 0.0, to_nanos: 90e9 };
        let labels = [0.0, 10.0, 89.6].map(|seconds| describe_wait(true, first, seconds * SECOND));
        insta::assert_snapshot!(labels.join("\n"), @"
        first chunk after 1 min 30 s
        first chunk in 1 min 20 s
        first chunk in 0.4 s
        ");
    }

    proptest::proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn any_text_survives_escaping(text in "[\\\\nrtux\n\r\t ]{0,8}") {
            proptest::prop_assert_eq!(unescaped(&escaped(&text)), text);
        }
    }

    #[test]
    fn an_escaped_text_is_unescaped_to_itself() {
        let text = "a\\ud83d\\n\n\t\r\\";
        assert_eq!(unescaped(&escaped(text)), text);
        assert_eq!(unescaped("\\x"), "\\x");
        // Half of a surrogate pair is shown as in the row.
        assert_eq!(escaped("\\ude00 b"), "\\ude00 b");
    }
}
