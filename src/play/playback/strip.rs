//! The calls of a run, or the tool calls of a session, as blocks along the time axis.
//!
//! Recordings have two times: when the request was sent, and when its answer was received. A block is as long as the recording that
//! answers took. It begins where the block before it ends, or later if the requests themselves were recorded with a pause between
//! them. So blocks never overlap, and are in the order of the calls.

use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use super::{PlaybackRun, PlayedRequest, ResultStatus, SetRecording};
use calls::tape::axis::{Tick, round_up, ticks};
use calls::tape::timeline::TimeRange;
use calls::tape::timing::{SECOND, TapePace, TapeSchedule};
use document::text::thousands;

/// The length of a block whose latency is not known.
const NOMINAL_NANOS: f64 = SECOND;
/// A longer latency is not that of a call: its file was written later.
const MAX_LATENCY_NANOS: f64 = 3600.0 * SECOND;
/// A longer time between two requests is a pause between two runs, not within one.
const MAX_PAUSE_NANOS: f64 = 60.0 * SECOND;

/// The calls of a run along the time axis. Times are in nanoseconds since the first request, whole numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunStrip {
    /// The nodes in the order of their first call.
    pub lanes: Vec<CallLane>,
    /// One block for each call, in order.
    pub blocks: Vec<CallBlock>,
    /// When each call begins, and then when the last one ends.
    pub schedule: TapeSchedule,
}

/// A line of blocks: the calls at one node, or of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLane {
    /// The node, the endpoint or the tool; `None` for calls without one.
    pub node: Option<Arc<str>>,
}

/// A call along the time axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallBlock {
    /// The position of its lane.
    pub lane: usize,
    pub time: TimeRange,
    /// Whether the latency was recorded; else the block has a nominal length.
    pub is_measured: bool,
    /// Rating of its answer.
    pub status: ResultStatus,
    /// Whether it is a call of a model; a cassette has other HTTP calls beside.
    pub is_of_model: bool,
    /// The position of the recording that answers.
    pub recording: Option<usize>,
}

impl RunStrip {
    /// Lays out a run.
    pub fn new(run: &PlaybackRun) -> Self {
        let mut lanes = Lanes::default();
        let mut blocks: Vec<CallBlock> = Vec::with_capacity(run.calls.len());
        let mut previous_request: Option<&PlayedRequest> = None;
        for call in &run.calls {
            let recording = call.index();
            let set_recording = recording.and_then(|index| run.set.recordings.get(index));
            let latency = set_recording.and_then(latency_nanos);
            let previous = blocks.last().map(|block| block.time);
            let from_nanos = previous.map_or(0.0, |previous| {
                let interval = previous_request
                    .and_then(|previous| Some(call.request.sent?.duration_since(previous.sent?)));
                let start = interval.map_or(0.0, |gap| previous.from_nanos + gap.as_nanos() as f64);
                let is_pause = start - previous.to_nanos > MAX_PAUSE_NANOS;
                // The pause itself is not shown: two runs follow each other directly.
                previous.to_nanos.max(if is_pause { 0.0 } else { start })
            });
            let lane = lanes.add(call.request.node.as_ref());
            let to_nanos = from_nanos + latency.unwrap_or(NOMINAL_NANOS);
            blocks.push(CallBlock {
                lane,
                time: TimeRange { from_nanos, to_nanos },
                is_measured: latency.is_some(),
                status: call.verdict.status(),
                is_of_model: set_recording.is_none_or(|recording| recording.is_of_model),
                recording,
            });
            previous_request = Some(&call.request);
        }
        if blocks.iter().all(|block| !block.is_measured) {
            // Among lengths that are not known, the times of requests would look like the lengths of calls.
            for (at, block) in blocks.iter_mut().enumerate() {
                let from_nanos = at as f64 * NOMINAL_NANOS;
                block.time = TimeRange { from_nanos, to_nanos: from_nanos + NOMINAL_NANOS };
            }
        }
        let mut at = 0.0;
        let starts = blocks.iter().map(|block| block.time.from_nanos);
        let times = starts.chain(blocks.last().map(|block| block.time.to_nanos));
        let waits = times.map(|time| time - std::mem::replace(&mut at, time));
        Self {
            lanes: lanes.lanes,
            schedule: TapeSchedule::from_delays(waits, TapePace::Recorded),
            blocks,
        }
    }

    /// Returns whether a latency was recorded; else all blocks have the same length, which says nothing.
    pub fn is_timed(&self) -> bool {
        self.blocks.iter().any(|block| block.is_measured)
    }

    /// Returns the marks on the axis, if each label needs `label_nanos`: round times, or where no latency was recorded, the numbers of
    /// calls at their beginnings.
    pub fn axis_ticks(&self, time_range: TimeRange, label_nanos: f64) -> Vec<Tick> {
        let unit_nanos = self.blocks.first().map(|block| block.time.nanos());
        let Some(unit_nanos) = unit_nanos.filter(|_| !self.is_timed()) else {
            return ticks(time_range, label_nanos);
        };
        let step = round_up((label_nanos / unit_nanos).max(1.0)) as usize;
        let calls = self.calls_in(time_range);
        // Multiples of the step, so that calls keep their labels while the strip moves.
        let numbers = ((calls.start + 1).next_multiple_of(step)..=calls.end).step_by(step);
        let tick = |number: usize| {
            let nanos = self.blocks.get(number - 1)?.time.from_nanos;
            Some(Tick { nanos, label: Some(thousands(number)) })
        };
        numbers.filter_map(tick).collect()
    }

    /// Returns how long the run takes.
    pub fn total_nanos(&self) -> f64 {
        self.schedule.total_nanos()
    }

    /// Returns the last call that has begun at a time; of no calls, 0.
    pub fn call_at(&self, nanos: f64) -> usize {
        self.schedule.arrived(nanos).saturating_sub(1).min(self.blocks.len().saturating_sub(1))
    }

    /// Returns the calls whose blocks are at least partly in a range of time.
    pub fn calls_in(&self, time_range: TimeRange) -> Range<usize> {
        let blocks = &self.blocks;
        // Blocks never overlap, so both of their ends ascend.
        let first = blocks.partition_point(|block| block.time.to_nanos <= time_range.from_nanos);
        let last = blocks.partition_point(|block| block.time.from_nanos < time_range.to_nanos);
        first..last.max(first)
    }

    /// Returns the worst status in each of some columns of the same duration, which are the whole run; `None` where no call is
    /// made.
    pub fn columns(&self, count: usize) -> Vec<Option<ResultStatus>> {
        let mut columns = vec![None; count];
        let column = |nanos: f64| (nanos / self.total_nanos() * count as f64) as usize;
        for block in &self.blocks {
            let first = column(block.time.from_nanos).min(count.saturating_sub(1));
            // Even the shortest block colors one column: one bad call of thousands must be visible.
            let last = column(block.time.to_nanos).clamp(first + 1, count.max(first + 1));
            for worst in columns.get_mut(first..last).unwrap_or_default() {
                *worst = (*worst).max(Some(block.status));
            }
        }
        columns
    }

    /// Returns how many calls have each status: good, doubtful and bad.
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for block in &self.blocks {
            counts[block.status as usize] += 1;
        }
        counts
    }
}

/// Lanes while they are collected.
#[derive(Default)]
struct Lanes {
    lanes: Vec<CallLane>,
    of_node: HashMap<Option<Arc<str>>, usize>,
}

impl Lanes {
    /// Returns the position of the lane of a node.
    fn add(&mut self, node: Option<&Arc<str>>) -> usize {
        *self.of_node.entry(node.cloned()).or_insert_with(|| {
            self.lanes.push(CallLane { node: node.cloned() });
            self.lanes.len() - 1
        })
    }
}

/// Returns how long the call of a recording took; `None` if its times are missing, equal or of different files.
pub(super) fn latency_nanos(recording: &SetRecording) -> Option<f64> {
    let sent = recording.request.as_ref()?.sent?;
    let nanos = recording.answered?.duration_since(sent).as_nanos() as f64;
    (nanos > 0.0 && nanos <= MAX_LATENCY_NANOS).then_some(nanos)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::testing::{play, recording, set};
    use super::super::{PlaybackMode, PlaybackRules};
    use super::*;

    /// A recording of a request that is sent after this many milliseconds, and answered after some more.
    fn timed(node: &str, tool: &str, sent: u64, took: Option<u64>) -> Value {
        let mut recording = recording(&format!("req-{sent}"), node, tool, 1);
        let at = |millis: u64| {
            let (seconds, millis) = (millis / 1000, millis % 1000);
            let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
            format!("2026-03-12T14:{minutes:02}:{seconds:02}.{millis:03}Z").into()
        };
        recording["request"]["timestamp"] = at(sent);
        recording["recordedAt"] = took.map_or(Value::Null, |took| at(sent + took));
        recording
    }

    fn strip_of(recordings: &[Value], requests: &[&Value]) -> RunStrip {
        let names: Vec<String> = (0..recordings.len()).map(|at| format!("{at:03}")).collect();
        let files = names.iter().map(String::as_str);
        let set = set(files.zip(recordings.iter().cloned()));
        let rules = PlaybackRules { mode: PlaybackMode::Hybrid, ..PlaybackRules::default() };
        RunStrip::new(&play(&set, rules, requests.iter().copied()))
    }

    fn describe(strip: &RunStrip) -> String {
        let name = |lane: usize| {
            let lane = &strip.lanes[lane];
            lane.node.as_deref().unwrap_or("-").to_owned()
        };
        let blocks = strip.blocks.iter().map(|block| {
            let TimeRange { from_nanos, to_nanos } = block.time;
            format!(
                "{} {:.1}..{:.1} s{} {:?} {:?}\n",
                name(block.lane),
                from_nanos / SECOND,
                to_nanos / SECOND,
                if block.is_measured { "" } else { " nominal" },
                block.status,
                block.recording
            )
        });
        let lanes = (0..strip.lanes.len()).map(name);
        blocks.collect::<String>() + &lanes.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_block_is_as_long_as_its_answer_took_and_begins_when_its_request_was_sent() {
        let recordings = [
            timed("intake", "classify", 0, Some(1400)),
            timed("classify", "respond", 1600, Some(1100)),
            timed("reply", "close", 9000, Some(100)),
        ];
        let stranger = timed("classify", "refund", 3000, None);
        let [first, second, _] = &recordings;
        let strip = strip_of(&recordings, &[first, second, &stranger, first]);
        insta::assert_snapshot!(describe(&strip), @"
        intake 0.0..1.4 s Good Some(0)
        classify 1.6..2.7 s Good Some(1)
        classify 3.0..4.4 s Bad Some(0)
        intake 4.4..5.5 s Bad Some(1)
        intake, classify
        ");
        assert_eq!(strip.total_nanos(), 5.5 * SECOND);
        assert_eq!(strip.counts(), [2, 0, 2]);
        let at = [0.0, 1.5, 1.6, 4.4, 9.0].map(|seconds| strip.call_at(seconds * SECOND));
        assert_eq!(at, [0, 0, 1, 3, 3]);
        let in_range = |from: f64, to: f64| {
            strip.calls_in(TimeRange { from_nanos: from * SECOND, to_nanos: to * SECOND })
        };
        assert_eq!(in_range(1.45, 1.55), 1..1);
        assert_eq!(in_range(1.0, 3.0), 0..2);
        assert_eq!(in_range(2.69, 9.0), 1..4);
        use ResultStatus::{Bad, Good};
        let worst = [Good, Good, Bad, Bad].map(Some);
        assert_eq!(strip.columns(4), worst);
    }

    #[test]
    fn what_is_not_known_has_a_nominal_length_and_long_pauses_are_left_out() {
        let recordings = [
            timed("a", "x", 0, None),
            timed("a", "y", 1000, Some(0)),
            timed("a", "z", 600_000, Some(500)),
        ];
        let all: Vec<&Value> = recordings.iter().collect();
        insta::assert_snapshot!(describe(&strip_of(&recordings, &all)), @"
        a 0.0..1.0 s nominal Good Some(0)
        a 1.0..2.0 s nominal Good Some(1)
        a 2.0..2.5 s Good Some(2)
        a
        ");
        let bare = json!({ "request": { "messages": [{}], "tools": [{ "name": "go" }] }, "response": { "response": { "content": [] } } });
        let strip = strip_of(std::slice::from_ref(&bare), &[&bare]);
        insta::assert_snapshot!(describe(&strip), @"
        - 0.0..1.0 s nominal Good Some(0)
        -
        ");
        let none = strip_of(&[], &[]);
        assert_eq!((none.total_nanos(), none.call_at(1.0)), (0.0, 0));
        assert_eq!(none.columns(2), [None, None]);
    }

    #[test]
    fn without_recorded_latencies_all_calls_have_one_length_and_the_axis_has_their_numbers() {
        let recordings = [0, 1000, 1900, 9000].map(|sent| timed("a", "x", sent, None));
        let strip = strip_of(&recordings, &recordings.each_ref());
        insta::assert_snapshot!(describe(&strip), @"
        a 0.0..1.0 s nominal Doubtful Some(0)
        a 1.0..2.0 s nominal Doubtful Some(1)
        a 2.0..3.0 s nominal Doubtful Some(2)
        a 3.0..4.0 s nominal Good Some(3)
        a
        ");
        let all = TimeRange { from_nanos: 0.0, to_nanos: strip.total_nanos() };
        let labels = |label_nanos: f64| {
            let ticks = strip.axis_ticks(all, label_nanos).into_iter();
            let label = |tick: Tick| format!("{}@{}", tick.label.unwrap(), tick.nanos / SECOND);
            ticks.map(label).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(0.5 * SECOND), "1@0 2@1 3@2 4@3");
        assert_eq!(labels(1.5 * SECOND), "2@1 4@3");
        assert_eq!(labels(9.0 * SECOND), "");
        let name = |nanos: f64| strip.time_label(nanos);
        assert_eq!([name(0.0), name(2.5 * SECOND)], ["Call 1", "Call 3"]);
        assert_eq!(strip.start_label(1), None);
        assert_eq!(strip.duration_label(), "4");

        let recordings = [timed("a", "x", 0, Some(1400))];
        let strip = strip_of(&recordings, &recordings.each_ref());
        assert_eq!(strip.time_label(1.25 * SECOND), "1.2 s");
        assert_eq!(strip.start_label(0).as_deref(), Some("0.0 s"));
        assert_eq!(strip.duration_label(), "1.4 s");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn blocks_follow_each_other_without_overlap(
            calls in proptest::collection::vec((0u64..200_000, proptest::option::of(0u64..5000), 0usize..3), 0..20)
        ) {
            let recordings: Vec<Value> = calls.iter()
                .map(|(sent, took, node)| timed(["a", "b", "c"][*node], &format!("t{}", sent % 3), *sent, *took))
                .collect();
            let requests: Vec<&Value> = recordings.iter().rev().collect();
            let strip = strip_of(&recordings, &requests);
            prop_assert_eq!(strip.blocks.len(), recordings.len());
            for pair in strip.blocks.windows(2) {
                let pause = pair[1].time.from_nanos - pair[0].time.to_nanos;
                prop_assert!((0.0..=MAX_PAUSE_NANOS).contains(&pause));
            }
            let lengths: f64 = strip.blocks.iter().map(|block| block.time.nanos()).sum();
            prop_assert!(strip.blocks.iter().all(|block| block.time.nanos() > 0.0));
            prop_assert!(lengths <= strip.total_nanos());
            prop_assert_eq!(strip.total_nanos(), strip.blocks.last().map_or(0.0, |block| block.time.to_nanos));
            for (at, block) in strip.blocks.iter().enumerate() {
                prop_assert_eq!(strip.call_at(block.time.from_nanos), at);
                prop_assert!(strip.calls_in(block.time) == (at..at + 1));
            }
            let mut lanes: Vec<usize> = strip.blocks.iter().map(|block| block.lane).collect();
            lanes.sort_unstable();
            lanes.dedup();
            prop_assert_eq!(lanes.len(), strip.lanes.len());
            prop_assert_eq!(strip.columns(7).iter().flatten().max().copied(), strip.blocks.iter().map(|block| block.status).max());
        }
    }
}
