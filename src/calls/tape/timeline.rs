//! A tape along the time axis, aggregated into as many columns as are painted.
//!
//! Built once, off the window's thread. The cost of each query is proportional to its result (columns, silences) times
//! the logarithm of the number of chunks, so a million chunks are as smooth as forty.

mod peaks;

use std::ops::Range;

use super::text::chars_of;
use super::timing::{TapePace, TapeSchedule};
use document::tape::Tape;
use peaks::Peaks;

/// A time range, in nanoseconds since the start of the call: `from..to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeRange {
    /// The start.
    pub from_nanos: f64,
    /// The end (exclusive).
    pub to_nanos: f64,
}

/// The chunks that arrive within one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineColumn {
    /// The chunks that arrive in it.
    pub chunks: Range<usize>,
    pub chars: usize,
    /// Number of characters of the largest one.
    pub tallest: u32,
    /// Number of empty ones.
    pub empty: usize,
}

/// A wait that is longer than others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SilentGap {
    /// The chunk that ends it.
    pub before: usize,
    /// When it begins and ends.
    pub time_range: TimeRange,
}

/// A tape along the time axis.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    schedule: TapeSchedule,
    /// Prefix sums of characters before each chunk, and the total.
    chars: Vec<u32>,
    /// Prefix sums of empty chunks before each chunk, and the total.
    empty: Vec<u32>,
    sizes: Peaks<u32>,
    waits: Peaks<f64>,
}

impl TimeRange {
    /// Returns its duration in nanoseconds.
    pub fn nanos(self) -> f64 {
        (self.to_nanos - self.from_nanos).max(0.0)
    }

    /// Returns where a column starts, given the number of columns of equal width.
    fn border(self, column: usize, columns: usize) -> f64 {
        // Exactly the end: rounding could put the last chunk behind it.
        if column == columns {
            self.to_nanos
        } else {
            self.from_nanos + self.nanos() * (column as f64 / columns as f64)
        }
    }
}

impl Timeline {
    /// Builds the timeline of a tape.
    pub fn new(tape: &Tape, pace: TapePace) -> Self {
        let sizes: Vec<u32> = chars_of(tape).map(|chars| chars as u32).collect();
        let schedule = TapeSchedule::from_tape(tape, pace);
        let waits = tape.chunks.iter().map(|chunk| pace.wait_nanos(chunk.delay_nanos));
        let empties = tape.chunks.iter().map(|chunk| u32::from(chunk.text.is_empty()));
        Self {
            waits: Peaks::new(waits.collect()),
            chars: sums(sizes.iter().copied()),
            empty: sums(empties),
            sizes: Peaks::new(sizes),
            schedule,
        }
    }

    /// Returns when each chunk arrives.
    pub fn schedule(&self) -> &TapeSchedule {
        &self.schedule
    }

    /// Returns the number of characters of a chunk.
    pub fn chars(&self, chunk: usize) -> usize {
        sum(&self.chars, chunk..chunk + 1)
    }

    /// Returns the number of characters of the largest chunk.
    pub fn tallest(&self) -> u32 {
        self.sizes.highest(0..self.schedule.len()).unwrap_or_default()
    }

    /// Returns the chunks that arrive in a time range.
    pub fn chunks(&self, stretch: TimeRange) -> Range<usize> {
        let first = self.schedule.arrived_before(stretch.from_nanos);
        first..self.schedule.arrived_before(stretch.to_nanos).max(first)
    }

    /// Returns what arrives in each of `columns` columns of equal width. A chunk that arrives at the end of the range
    /// belongs to the last column, so that the last chunk of a tape is in a picture of the whole tape.
    pub fn columns(&self, stretch: TimeRange, columns: usize) -> Vec<TimelineColumn> {
        let mut start = self.schedule.arrived_before(stretch.from_nanos);
        let column = |index: usize| {
            let border = stretch.border(index + 1, columns);
            let end = if index + 1 == columns {
                self.schedule.arrived(border)
            } else {
                self.schedule.arrived_before(border)
            };
            let chunks = start..end.max(start);
            start = chunks.end;
            self.column(chunks)
        };
        (0..columns).map(column).collect()
    }

    /// Aggregates these chunks.
    pub fn column(&self, chunks: Range<usize>) -> TimelineColumn {
        TimelineColumn {
            chars: sum(&self.chars, chunks.clone()),
            tallest: self.sizes.highest(chunks.clone()).unwrap_or_default(),
            empty: sum(&self.empty, chunks.clone()),
            chunks,
        }
    }

    /// Returns the waits of at least this length that overlap a time range, in order, including the one before the
    /// first chunk.
    ///
    /// Waits do not overlap, so no more are found than fit; pass at least the duration of one pixel.
    pub fn silences(&self, stretch: TimeRange, min_nanos: f64) -> Vec<SilentGap> {
        let first = self.schedule.arrived(stretch.from_nanos);
        // The chunk that ends the wait at the right border arrives behind it.
        let last = self.schedule.arrived_before(stretch.to_nanos);
        let mut gaps = Vec::new();
        self.waits.at_least(min_nanos, first..last + 1, &mut |chunk, wait| {
            let to_nanos = self.schedule.arrival_nanos(chunk);
            let from_nanos = to_nanos - wait;
            gaps.push(SilentGap { before: chunk, time_range: TimeRange { from_nanos, to_nanos } });
        });
        gaps
    }

    /// Returns the rate in characters a second at the middle of each column, counted in a time window around it.
    pub fn rates(&self, stretch: TimeRange, columns: usize, window_nanos: f64) -> Vec<f32> {
        // A window narrower than a column would miss chunks.
        let window = window_nanos.max(stretch.nanos() / columns.max(1) as f64).max(1.0);
        let rate = |column: usize| {
            let middle =
                f64::midpoint(stretch.border(column, columns), stretch.border(column + 1, columns));
            let chunks = self.chunks(TimeRange {
                from_nanos: middle - window / 2.0,
                to_nanos: middle + window / 2.0,
            });
            (sum(&self.chars, chunks) as f64 / (window / super::timing::SECOND)) as f32
        };
        (0..columns).map(rate).collect()
    }
}

/// Returns the prefix sums before each number, and the total.
fn sums(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sum = 0;
    let totals = numbers.map(|number| {
        sum += number;
        sum
    });
    std::iter::once(0).chain(totals).collect()
}

fn sum(sums: &[u32], range: Range<usize>) -> usize {
    let at = |index: usize| sums.get(index).or(sums.last()).copied().unwrap_or_default();
    (at(range.end) - at(range.start)) as usize
}

#[cfg(test)]
mod tests {
    use super::super::testing::tape;
    use super::*;
    use proptest::prelude::*;

    fn timeline(chunks: &[(f64, &str)]) -> Timeline {
        Timeline::new(&tape(chunks), TapePace::Recorded)
    }

    fn whole(timeline: &Timeline) -> TimeRange {
        TimeRange { from_nanos: 0.0, to_nanos: timeline.schedule.total_nanos() }
    }

    const CHUNKS: [(f64, &str); 6] =
        [(4e9, "It"), (1e9, " goes"), (0.0, ""), (1e9, " out"), (3e9, " now"), (1e9, ".")];

    #[test]
    fn columns_add_up_what_arrives_in_them() {
        let timeline = timeline(&CHUNKS);
        let columns = timeline.columns(whole(&timeline), 5);
        let lines: Vec<String> = columns
            .iter()
            .map(|column| {
                format!(
                    "{:?}: {} of at most {}, {} empty",
                    column.chunks, column.chars, column.tallest, column.empty
                )
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        0..0: 0 of at most 0, 0 empty
        0..0: 0 of at most 0, 0 empty
        0..3: 7 of at most 5, 1 empty
        3..4: 4 of at most 4, 0 empty
        4..6: 5 of at most 4, 0 empty
        ");
    }

    #[test]
    fn silences_are_long_waits_within_sight() {
        let timeline = timeline(&CHUNKS);
        let silences = |from: f64, to: f64, min_nanos: f64| {
            let stretch = TimeRange { from_nanos: from, to_nanos: to };
            let gaps = timeline.silences(stretch, min_nanos);
            gaps.iter()
                .map(|silence| {
                    (silence.before, silence.time_range.from_nanos, silence.time_range.to_nanos)
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(silences(0.0, 10e9, 2e9), [(0, 0.0, 4e9), (4, 6e9, 9e9)]);
        assert_eq!(silences(7e9, 8e9, 2e9), [(4, 6e9, 9e9)]);
        assert_eq!(silences(4e9, 6e9, 2e9), []);
        assert_eq!(silences(0.0, 10e9, 5e9), []);
    }

    #[test]
    fn a_rate_is_what_arrives_within_a_second_around() {
        let timeline = timeline(&CHUNKS);
        assert_eq!(timeline.rates(whole(&timeline), 5, 2e9), [0.0, 0.0, 3.5, 2.0, 2.0]);
        assert_eq!(
            Timeline::default().rates(TimeRange { from_nanos: 0.0, to_nanos: 1e9 }, 2, 1e9),
            [0.0, 0.0]
        );
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn each_chunk_is_in_one_column(delays in prop::collection::vec(0u32..4, 0..200), columns in 1usize..50) {
            let chunks: Vec<(f64, &str)> = delays.iter().map(|delay| (f64::from(*delay), "ab")).collect();
            let timeline = timeline(&chunks);
            let all_columns = timeline.columns(whole(&timeline), columns);
            let mut next = 0;
            for column in &all_columns {
                prop_assert_eq!(column.chunks.start, next);
                next = column.chunks.end;
                prop_assert_eq!(column.chars, 2 * column.chunks.len());
            }
            prop_assert_eq!(next, delays.len());
            let silences = timeline.silences(whole(&timeline), 2.0);
            let long: Vec<usize> = (0..delays.len()).filter(|chunk| delays[*chunk] >= 2).collect();
            prop_assert_eq!(silences.iter().map(|silence| silence.before).collect::<Vec<_>>(), long);
        }
    }
}
