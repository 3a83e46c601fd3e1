//! What the tapes desk says, in words and numbers.

use crate::ops::diff::counted;
use crate::ops::diff::thousands;
use crate::ops::tape::consumer::Reading;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::reel::Reel;
use crate::ops::tape::timeline::{Column, Stretch};
use crate::ops::tape::timing::{MILLISECOND, SECOND, Stats, duration};
use crate::text::visible;
use crate::ui::theme::Tone;

/// The speeds to choose from, slow first.
pub(super) const SPEEDS: [(Speed, &str); 7] = [
    (Speed::Times(0.1), "0.1×"),
    (Speed::Times(0.5), "0.5×"),
    (Speed::Times(1.0), "1×"),
    (Speed::Times(4.0), "4×"),
    (Speed::Times(20.0), "20×"),
    (Speed::Times(100.0), "100×"),
    (Speed::Instant, "Instant"),
];

/// The waits from which on a silence can be marked, in nanoseconds.
pub(super) const SILENCES: [f64; 6] = [1e8, 2e8, 5e8, 1e9, 2e9, 5e9];

/// How much of a chunk's text a line shows.
const LONGEST: usize = 400;

/// A number of the tape, with what it is called.
#[derive(Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) tone: Tone,
    /// The chunk that it is about.
    pub(super) chunk: Option<usize>,
}

/// A moment, in seconds to the millisecond.
pub(super) fn seconds(nanos: f64) -> String {
    format!("{:.3}", nanos / SECOND)
}

/// A delay in milliseconds, with as many digits as it has, a microsecond at the finest.
pub(super) fn millis(nanos: f64) -> String {
    let shown = format!("{:.3}", nanos / MILLISECOND);
    let shown = shown.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) = shown
        .split_once('.')
        .map_or((shown, None), |(whole, rest)| (whole, Some(rest)));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), thousands);
    match rest {
        Some(rest) => format!("{whole}.{rest}"),
        None => whole,
    }
}

/// The numbers above the timeline.
pub(super) fn figures(stats: &Stats, silence_nanos: f64) -> Vec<Figure> {
    let figure = |name, value: String, tone| Figure {
        name,
        value,
        tone,
        chunk: None,
    };
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
    let first = stats
        .first_nanos
        .map(|nanos| format!("{} s", seconds(nanos)));
    let gaps = stats.gaps.map(|gaps| {
        let (median, p95) = (duration(gaps.median_nanos), duration(gaps.p95_nanos));
        format!("{median}, {p95}")
    });
    let longest = stats.gaps.map(|gaps| {
        let wait = duration(gaps.longest_nanos);
        format!("{wait} at chunk {}", thousands(gaps.longest_at + 1))
    });
    let is_silent = stats
        .gaps
        .is_some_and(|gaps| gaps.longest_nanos >= silence_nanos);
    let text = format!(
        "{} chunks, {} characters",
        thousands(stats.chunks),
        thousands(stats.chars)
    );
    vec![
        figure("First chunk after", or_none(first), Tone::Note),
        figure(
            "Total",
            format!("{} s", seconds(stats.total_nanos)),
            Tone::Plain,
        ),
        figure("Gap, median and p95", or_none(gaps), Tone::Plain),
        Figure {
            chunk: stats.gaps.map(|gaps| gaps.longest_at),
            ..figure(
                "Longest gap",
                or_none(longest),
                if is_silent {
                    Tone::Warning
                } else {
                    Tone::Plain
                },
            )
        },
        figure("Text", text, Tone::Plain),
        figure("Lost by whole ms", lost(stats), Tone::Plain),
    ]
}

fn lost(stats: &Stats) -> String {
    match stats.lost.chunks {
        0 => "nothing".to_owned(),
        _ => format!("{} in all", duration(stats.lost.nanos)),
    }
}

/// What stands below a tape's name in the list.
pub(super) fn summary(total_nanos: Option<f64>, chunks: Option<u32>) -> String {
    let chunks = counted(chunks.unwrap_or_default() as usize, "chunk", "chunks");
    match total_nanos {
        Some(nanos) => format!("{:.2} s, {chunks}", nanos / SECOND),
        None => chunks,
    }
}

/// A chunk's text on one line, shortened; what is hidden in it is shown.
pub(super) fn line(text: &str) -> String {
    let end = text
        .char_indices()
        .nth(LONGEST)
        .map_or(text.len(), |(at, _)| at);
    let text = text.get(..end).unwrap_or_default();
    match text.strip_prefix(' ') {
        Some(rest) => format!("·{}", visible(rest)),
        None => visible(text).into_owned(),
    }
}

/// A text as one line that can be typed: line ends, tabs and backslashes as escapes.
pub(super) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            letter => shown.push(letter),
        }
    }
    shown
}

/// What was typed so. A backslash before any other letter is one.
pub(super) fn unescaped(typed: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    let mut letters = typed.chars().peekable();
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

/// What a consumer makes of a chunk, in a few words.
pub(super) fn reading(reading: Reading) -> (String, Tone) {
    match reading {
        Reading::Empty => ("empty".to_owned(), Tone::Warning),
        Reading::Json => ("JSON".to_owned(), Tone::Good),
        Reading::Lines(lines) => (counted(lines, "line of JSON", "lines of JSON"), Tone::Good),
        Reading::Cut => ("cut within a value".to_owned(), Tone::Error),
        Reading::Rest { since } => (format!("goes on from chunk {}", since + 1), Tone::Warning),
        Reading::NotJson { at } => (format!("no JSON at byte {at}"), Tone::Error),
    }
}

/// What is said of the chunks under the pointer.
pub(super) fn told(reel: &Reel, column: &Column) -> Vec<String> {
    match column.chunks.len() {
        0 => Vec::new(),
        1 => {
            let chunk = column.chunks.start;
            let delay = reel
                .chunks()
                .get(chunk)
                .map_or(0.0, |chunk| chunk.delay_nanos);
            let text = reel.chunks().get(chunk).map_or("", |chunk| &chunk.text);
            vec![
                format!(
                    "Chunk {}, {}",
                    chunk + 1,
                    counted(column.chars, "character", "characters")
                ),
                format!("waits {} ms, at {} s", millis(delay), at_of(reel, chunk)),
                if text.is_empty() {
                    "empty".to_owned()
                } else {
                    line(text)
                },
            ]
        }
        count => vec![
            format!(
                "Chunks {} to {}",
                thousands(column.chunks.start + 1),
                thousands(column.chunks.end)
            ),
            format!(
                "{} chunks, {} characters",
                thousands(count),
                thousands(column.chars)
            ),
        ],
    }
}

fn at_of(reel: &Reel, chunk: usize) -> String {
    let schedule = reel.schedule(crate::ops::tape::timing::Pace::Recorded);
    seconds(schedule.arrival_nanos(chunk))
}

/// A place on the axis.
#[derive(Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) nanos: f64,
    /// Its words; none for a small one.
    pub(super) label: Option<String>,
}

/// Places on the axis, as many as fit where each label needs some nanoseconds; five small ones to a labelled one.
pub(super) fn ticks(shown: Stretch, label_nanos: f64) -> Vec<Tick> {
    const SMALL: u64 = 5;
    let step = round_up(label_nanos.max(1.0));
    let digits = match step >= 10.0 * SECOND {
        true => 0,
        false => (-(step / SECOND).log10().floor()).clamp(1.0, 9.0) as usize,
    };
    let small = step / SMALL as f64;
    let first = (shown.from_nanos / small).ceil() as u64;
    let last = (shown.to_nanos / small).floor() as u64;
    let tick = |index: u64| {
        let nanos = index as f64 * small;
        let label = format!("{:.digits$} s", nanos / SECOND);
        Tick {
            nanos,
            label: index.is_multiple_of(SMALL).then_some(label),
        }
    };
    (first..=last).map(tick).collect()
}

/// The next of 1, 2, 5, 10, 20, 50 and so on.
fn round_up(nanos: f64) -> f64 {
    let ten = 10_f64.powf(nanos.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0];
    times
        .into_iter()
        .map(|times| times * ten)
        .find(|step| *step >= nanos)
        .unwrap_or(10.0 * ten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(
            [81e6, 1.61e9, 43.25e6, 0.0].map(millis),
            ["81", "1,610", "43.25", "0"]
        );
        assert_eq!(seconds(3.9794e9), "3.979");
        assert_eq!(line(" a\nb"), "·a\\nb");
        assert_eq!(summary(Some(6.842e9), Some(41)), "6.84 s, 41 chunks");
    }

    #[test]
    fn what_is_typed_is_the_text_again() {
        let text = "a\\ud83d\\n\n\t\r\\";
        assert_eq!(unescaped(&escaped(text)), text);
        assert_eq!(unescaped("\\x"), "\\x");
    }

    #[test]
    fn the_axis_has_round_places() {
        let shown = Stretch {
            from_nanos: 0.3e9,
            to_nanos: 2.1e9,
        };
        let labels: Vec<String> = ticks(shown, 0.4e9)
            .into_iter()
            .filter_map(|tick| tick.label)
            .collect();
        assert_eq!(labels, ["0.5 s", "1.0 s", "1.5 s", "2.0 s"]);
        let labels = ticks(shown, 3e6).into_iter().filter_map(|tick| tick.label);
        assert_eq!(labels.take(2).collect::<Vec<_>>(), ["0.300 s", "0.305 s"]);
    }
}
