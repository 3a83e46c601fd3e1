//! The result of playing, with indexes for the views.

use std::sync::Arc;

use crate::ops::playback::failure_log::{LoggedFailure, Suspect};
use crate::ops::playback::fixes::{self, Fix};
use crate::ops::playback::{
    CallVerdict, PlaybackMode, PlaybackRules, PlaybackRun, PlayedCall, PlayedRequest, PlayerState,
    RecordingSet, RunStrip, SkippedFile,
};
use crate::workbench::core::library::DocId;

/// The input that was read. It can be played with other rules without reading again.
#[derive(Clone, Debug, Default)]
pub struct PlaybackInput {
    pub set: Arc<RecordingSet>,
    /// The documents of its recordings, by position.
    pub docs: Vec<Option<DocId>>,
    /// The requests, in order.
    pub requests: Vec<Arc<PlayedRequest>>,
    /// The recordings that were used before the first call.
    pub before: PlayerState,
    /// Files among the requests that contain no request.
    pub skipped: Vec<SkippedFile>,
    /// The content of the log, if the requests come from one.
    pub log: Option<LogNote>,
}

/// The content of a log, in addition to its requests.
#[derive(Clone, Debug, PartialEq)]
pub struct LogNote {
    /// The failures in a few words, in the order of the log.
    pub failures: Vec<String>,
    /// The failure that is played.
    pub chosen: usize,
    /// The rules of that failure's client; `None` if the log does not show them.
    pub rules: Option<PlaybackRules>,
    /// Remarks, as sentences: how the test ended, why this set is used, what could not be read.
    pub remarks: Vec<String>,
    /// Whether the log does not contain the failed request.
    pub lacks_request: bool,
    /// The recording to show first.
    pub suspect: Option<Suspect>,
    /// The parsed failure.
    pub failure: LoggedFailure,
}

/// A finding about a run, or about two compared runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayFinding {
    /// Calls that match no signature and are answered by file order.
    FellBack,
    /// Calls without an answer.
    Unanswered,
    /// Recordings that are used more than once.
    ServedTwice,
    /// Recordings with the same signature and different answers.
    SharedSignature,
    /// Recordings that are not used.
    NeverUsed,
    /// Calls that return `undefined`.
    Undefined,
    /// Calls that the two runs answer differently.
    Differs,
}

#[derive(Clone, Debug)]
pub struct PlaybackResult {
    /// The number of the request.
    pub number: u64,
    pub input: Arc<PlaybackInput>,
    /// The calls.
    pub run: PlaybackRun,
    /// The run it is compared with.
    pub compared_run: Option<PlaybackRun>,
    /// The fixes for the set.
    pub fixes: Vec<Fix>,
    /// The calls along the time axis.
    pub strip: RunStrip,
    /// Calls with a wrong answer or none; if there are none, calls that are answered by file order.
    pub wrong: Vec<usize>,
    /// How many recordings are used after each number of calls, starting with 0.
    used_after: Vec<usize>,
    /// Calls that share a signature, are answered by a reused recording, or differ.
    shared: Vec<usize>,
    shared_positions: Vec<usize>,
    twice: Vec<usize>,
    twice_positions: Vec<usize>,
    differing: Vec<usize>,
}

impl PlaybackResult {
    /// Plays the input.
    pub fn new(
        number: u64,
        input: Arc<PlaybackInput>,
        rules: PlaybackRules,
        beside: Option<PlaybackRules>,
    ) -> Self {
        let play = |rules| {
            let (set, before) = (Arc::clone(&input.set), input.before.clone());
            PlaybackRun::resume(set, rules, before, input.requests.clone())
        };
        let (run, beside) = (play(rules), beside.map(play));
        let calls_where = |is: &dyn Fn(usize, &PlayedCall) -> bool| -> Vec<usize> {
            let calls = run.calls.iter().enumerate();
            calls.filter(|(at, call)| is(*at, call)).map(|(at, _)| at).collect()
        };
        let mut wrong = calls_where(&|_, call| call.verdict.is_bad());
        if wrong.is_empty() {
            wrong = calls_where(&|_, call| call.verdict != CallVerdict::Right);
        }
        let is_shared = |call: &PlayedCall| call.served().is_some_and(|served| served.first_of > 1);
        let is_twice = |call: &PlayedCall| {
            let twice = &run.findings.served_twice;
            call.index().is_some_and(|index| {
                twice.binary_search_by_key(&index, |twice| twice.recording).is_ok()
            })
        };
        let twice = run.findings.served_twice.iter();
        Self {
            number,
            fixes: fixes::for_run(&run),
            strip: RunStrip::new(&run),
            used_after: used_after(&run),
            shared: calls_where(&|_, call| is_shared(call)),
            shared_positions: sorted(run.findings.ambiguous.concat()),
            twice: calls_where(&|_, call| is_twice(call)),
            twice_positions: twice.map(|twice| twice.recording).collect(),
            differing: calls_where(&|at, call| {
                let other = beside.as_ref().and_then(|beside| beside.calls.get(at));
                other.is_some_and(|other| is_different(call, other))
            }),
            wrong,
            input,
            run,
            compared_run: beside,
        }
    }

    /// How many recordings are used after this number of calls.
    pub fn used_after(&self, calls: usize) -> usize {
        let last = self.used_after.len().saturating_sub(1);
        self.used_after.get(calls.min(last)).copied().unwrap_or_default()
    }

    /// The call of the other run, if its answer is different.
    pub fn other_answer(&self, call: usize) -> Option<&PlayedCall> {
        self.differing.binary_search(&call).ok()?;
        self.compared_run.as_ref()?.calls.get(call)
    }

    /// The calls of a finding, in order; `None` if it has none.
    pub fn calls_of(&self, finding: PlayFinding) -> Option<&[usize]> {
        let findings = &self.run.findings;
        Some(match finding {
            PlayFinding::FellBack => &findings.fell_back,
            PlayFinding::Unanswered => &findings.unanswered,
            PlayFinding::ServedTwice => &self.twice,
            PlayFinding::SharedSignature => &self.shared,
            PlayFinding::NeverUsed => return None,
            PlayFinding::Undefined => &findings.undefined,
            PlayFinding::Differs => &self.differing,
        })
    }

    /// The positions of a finding, in order; `None` if it has none.
    pub fn positions_of(&self, finding: PlayFinding) -> Option<&[usize]> {
        match finding {
            PlayFinding::ServedTwice => Some(&self.twice_positions),
            PlayFinding::SharedSignature => Some(&self.shared_positions),
            PlayFinding::NeverUsed => Some(&self.run.findings.unused),
            _ => None,
        }
    }

    /// The findings of this run, with their counts.
    pub fn findings(&self) -> Vec<(PlayFinding, usize)> {
        let findings = &self.run.findings;
        let calls = |finding| (finding, self.calls_of(finding).map_or(0, <[_]>::len));
        let mut findings_of_run = match self.run.rules.mode {
            PlaybackMode::Hybrid => vec![calls(PlayFinding::FellBack)],
            PlaybackMode::Signature | PlaybackMode::Sequential => Vec::new(),
        };
        if findings_of_run.is_empty() || !findings.unanswered.is_empty() {
            findings_of_run.push(calls(PlayFinding::Unanswered));
        }
        findings_of_run.extend([
            (PlayFinding::ServedTwice, findings.served_twice.len()),
            (PlayFinding::SharedSignature, findings.ambiguous.len()),
            (PlayFinding::NeverUsed, findings.unused.len()),
            calls(PlayFinding::Undefined),
        ]);
        if self.compared_run.is_some() {
            findings_of_run.push(calls(PlayFinding::Differs));
        }
        findings_of_run
    }

    /// The document of the recording at a position.
    pub fn doc(&self, position: usize) -> Option<DocId> {
        self.input.docs.get(position).copied().flatten()
    }
}

/// Whether two clients answer a call differently, or for different reasons.
fn is_different(call: &PlayedCall, other: &PlayedCall) -> bool {
    let answer = |call: &PlayedCall| call.served().map(|served| (served.index, served.step));
    answer(call) != answer(other) || call.verdict != other.verdict
}

fn used_after(run: &PlaybackRun) -> Vec<usize> {
    let is_used = |used: &&bool| **used;
    let mut used = run.before.used.iter().filter(is_used).count();
    let mut counts = Vec::with_capacity(run.calls.len() + 1);
    counts.push(used);
    for call in &run.calls {
        let was_used = |index: usize| run.before.used.get(index).copied().unwrap_or_default();
        let is_new = call.reused.is_none() && call.index().is_some_and(|index| !was_used(index));
        used += usize::from(is_new);
        counts.push(used);
    }
    counts
}

fn sorted(mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_unstable();
    positions
}
