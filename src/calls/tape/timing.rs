//! Arrival times of chunks, and statistics of the delays.

use document::Document;
use document::tape::{Chunk, Tape};

/// A millisecond, in the unit of delays.
pub const MILLISECOND: f64 = 1e6;

/// A second, in the unit of delays.
pub const SECOND: f64 = 1e9;

/// The delays with which a tape is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TapePace {
    /// The recorded delays.
    #[default]
    Recorded,
    /// Whole milliseconds for each chunk, as the owner's player waits; fractions are dropped.
    WholeMillis,
}

impl TapePace {
    /// Returns the time to wait for a delay, both in nanoseconds.
    pub fn wait_nanos(self, delay_nanos: f64) -> f64 {
        match self {
            Self::Recorded => delay_nanos,
            Self::WholeMillis => (delay_nanos / MILLISECOND).floor() * MILLISECOND,
        }
    }
}

/// Arrival times of chunks since the start of the call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TapeSchedule {
    /// In nanoseconds, in ascending order.
    arrivals: Vec<f64>,
}

impl TapeSchedule {
    /// Computes the schedule of a tape. Invalid delays count as 0.
    pub fn from_tape(tape: &Tape, pace: TapePace) -> Self {
        Self::from_delays(tape.chunks.iter().map(|chunk| chunk.delay_nanos), pace)
    }

    /// Computes the schedule of these delays.
    pub fn from_delays(delays_nanos: impl IntoIterator<Item = f64>, pace: TapePace) -> Self {
        let arrivals = delays_nanos.into_iter().scan(0.0, |at, delay| {
            *at += pace.wait_nanos(delay);
            Some(*at)
        });
        Self { arrivals: arrivals.collect() }
    }

    /// Returns the number of chunks.
    pub fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// Returns whether there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// Returns when each chunk arrives, in nanoseconds since the start of the call.
    pub fn arrivals_nanos(&self) -> &[f64] {
        &self.arrivals
    }

    /// Returns when a chunk arrives, in nanoseconds since the start of the call; past the end, when the last one
    /// arrives.
    pub fn arrival_nanos(&self, chunk: usize) -> f64 {
        self.arrivals.get(chunk).or(self.arrivals.last()).copied().unwrap_or_default()
    }

    /// Returns the delay of a chunk in nanoseconds.
    pub fn wait_nanos(&self, chunk: usize) -> f64 {
        let previous_nanos = chunk.checked_sub(1).map(|c| self.arrival_nanos(c));
        self.arrival_nanos(chunk) - previous_nanos.unwrap_or_default()
    }

    /// Returns when the last chunk arrives, in nanoseconds since the start of the call.
    pub fn total_nanos(&self) -> f64 {
        self.arrivals.last().copied().unwrap_or_default()
    }

    /// Returns how many chunks have arrived at a time (inclusive).
    pub fn arrived(&self, at_nanos: f64) -> usize {
        self.arrivals.partition_point(|arrival| *arrival <= at_nanos)
    }

    /// Returns how many chunks have arrived before a time.
    pub fn arrived_before(&self, at_nanos: f64) -> usize {
        self.arrivals.partition_point(|arrival| *arrival < at_nanos)
    }
}

/// Statistics of a tape's timing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Returns the number of chunks.
    pub chunks: usize,
    /// Number of characters of the text.
    pub chars: usize,
    /// Time to the first chunk, in nanoseconds; `None` without chunks.
    pub first_nanos: Option<f64>,
    /// When the last chunk arrives, in nanoseconds.
    pub total_nanos: f64,
    /// The waits between chunks; `None` for fewer than two.
    pub gaps: Option<Gaps>,
    /// The time that a player with whole milliseconds drops.
    pub lost: Lost,
}

/// The waits between chunks, without the one before the first. Times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gaps {
    /// The median; of two in the middle, their mean.
    pub median_nanos: f64,
    /// The 95th percentile (nearest rank).
    pub p95_nanos: f64,
    pub longest_nanos: f64,
    /// The chunk after it, counted from 0; of several longest gaps, the first.
    pub longest_at: usize,
}

/// The time that a player with whole milliseconds drops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lost {
    /// The total in nanoseconds.
    pub nanos: f64,
    /// Number of affected chunks.
    pub chunks: usize,
}

/// Returns whether the file has a valid delay for a chunk: a finite number of at least zero. Others count as 0.
pub fn has_delay(document: &Document, chunk: &Chunk) -> bool {
    let nanos = chunk.delay.and_then(|delay| document.node(delay).as_f64());
    nanos.is_some_and(|nanos| nanos.is_finite() && nanos >= 0.0)
}

/// Returns how much of a delay a player with whole milliseconds drops, both in nanoseconds.
pub fn lost_nanos(delay_nanos: f64) -> f64 {
    delay_nanos % MILLISECOND
}

impl Stats {
    /// Computes the statistics of a tape from its recorded delays.
    pub fn from_tape(tape: &Tape) -> Self {
        let delays = || tape.chunks.iter().map(|chunk| chunk.delay_nanos);
        let lost = delays().map(lost_nanos).filter(|lost| *lost > 0.0).fold(
            Lost::default(),
            |sum, lost| Lost { nanos: sum.nanos + lost, chunks: sum.chunks + 1 },
        );
        Self {
            chunks: tape.chunks.len(),
            chars: super::text::chars_of(tape).sum(),
            first_nanos: delays().next(),
            // The `sum` of no delays would be -0.
            total_nanos: delays().fold(0.0, std::ops::Add::add),
            gaps: Gaps::new(delays().skip(1).collect()),
            lost,
        }
    }
}

impl Gaps {
    /// Computes the statistics of the gaps before the second and later chunks.
    fn new(mut gaps: Vec<f64>) -> Option<Self> {
        let longest_gap = gaps.iter().copied().max_by(f64::total_cmp)?;
        // The first gap is the one before the second chunk.
        let longest_at = 1 + gaps.iter().position(|gap| *gap == longest_gap)?;
        let len = gaps.len();
        // Three selections are linear in the number of chunks; sorting is not.
        let mut nth = |rank: usize| *gaps.select_nth_unstable_by(rank, f64::total_cmp).1;
        let middle = nth(len / 2);
        let median_nanos = match len % 2 {
            0 => f64::midpoint(nth(len / 2 - 1), middle),
            _ => middle,
        };
        // 95 of 100, rounded up, counted from 0.
        let p95_nanos = nth((len * 95).div_ceil(100) - 1);
        Some(Self { median_nanos, p95_nanos, longest_nanos: longest_gap, longest_at })
    }
}

/// Formats a duration, given in nanoseconds, with a suitable unit.
pub fn format_duration(nanos: f64) -> String {
    match nanos {
        0.0 => "0 ms".to_owned(),
        nanos if nanos < 1e3 => format!("{} ns", format_trimmed(nanos, 1)),
        nanos if nanos < 1e6 => format!("{} µs", format_trimmed(nanos / 1e3, 1)),
        nanos if nanos < 1e9 => {
            format!("{} ms", format_trimmed(nanos / 1e6, usize::from(nanos < 1e7)))
        }
        nanos if nanos < 60e9 => format!("{:.1} s", nanos / 1e9),
        nanos => {
            let seconds = (nanos / 1e9).round();
            let (minutes, hours) = ((seconds / 60.0).floor(), (seconds / 3600.0).floor());
            match hours {
                0.0 => format!("{minutes} min {} s", seconds % 60.0),
                hours if hours < 24.0 => format!("{hours} h {} min", minutes % 60.0),
                hours => format!("{} d {} h", (hours / 24.0).floor(), hours % 24.0),
            }
        }
    }
}

fn format_trimmed(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::testing::tape;
    use super::*;

    #[test]
    fn chunks_arrive_after_all_delays_before_them() {
        let tape = tape(&[(1_500_000.0, "a"), (700_000.5, "b"), (2e6, "")]);
        let recorded = TapeSchedule::from_tape(&tape, TapePace::Recorded);
        assert_eq!(recorded.arrivals_nanos(), [1_500_000.0, 2_200_000.5, 4_200_000.5]);
        let effective = TapeSchedule::from_tape(&tape, TapePace::WholeMillis);
        assert_eq!(effective.arrivals_nanos(), [1e6, 1e6, 3e6]);
        let arrived =
            [0.0, 1e6, 2e6, 3e6].map(|at| (effective.arrived_before(at), effective.arrived(at)));
        assert_eq!(arrived, [(0, 0), (0, 2), (2, 2), (2, 3)]);
        assert_eq!(recorded.wait_nanos(1), 700_000.5);
    }

    #[test]
    fn a_few_numbers_say_how_a_tape_goes() {
        let chunks = [
            (1.24e9, "It"),
            (82e6, " is"),
            (1_610_400_000.0, ""),
            (82e6, " né"),
            (104_500_000.0, "."),
        ];
        let stats = Stats::from_tape(&tape(&chunks));
        insta::assert_debug_snapshot!(stats, @"
        Stats {
            chunks: 5,
            chars: 9,
            first_nanos: Some(
                1240000000.0,
            ),
            total_nanos: 3118900000.0,
            gaps: Some(
                Gaps {
                    median_nanos: 93250000.0,
                    p95_nanos: 1610400000.0,
                    longest_nanos: 1610400000.0,
                    longest_at: 2,
                },
            ),
            lost: Lost {
                nanos: 900000.0,
                chunks: 2,
            },
        }
        ");
        let none = Stats::from_tape(&tape(&[]));
        assert_eq!((none.first_nanos, none.gaps, none.total_nanos), (None, None, 0.0));
        let one = Stats::from_tape(&tape(&[(5.0, "a")]));
        assert_eq!((one.first_nanos, one.gaps, one.lost.nanos), (Some(5.0), None, 5.0));
    }

    #[test]
    fn of_a_hundred_gaps_the_95th_is_reported() {
        let delays = (0..101).map(|delay| (f64::from(delay), "a")).collect::<Vec<_>>();
        let gaps = Stats::from_tape(&tape(&delays)).gaps.expect("there are gaps");
        assert_eq!((gaps.median_nanos, gaps.p95_nanos, gaps.longest_at), (50.5, 95.0, 100));
    }
}
