//! What came of playing, with what views look up in it.

use std::sync::Arc;

use crate::ops::playback::failure_log::{Failure, Suspect};
use crate::ops::playback::fixes::{self, Fix};
use crate::ops::playback::{Asked, Call, Mode, Rules, Run, Set, Skipped, State, Verdict};
use crate::workbench::library::DocId;

/// What was read to be played. Another mode or client is played from it without reading again.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    /// What is served from.
    pub set: Arc<Set>,
    /// The documents of its recordings, by position.
    pub docs: Vec<Option<DocId>>,
    /// What is asked, in order.
    pub requests: Vec<Arc<Asked>>,
    /// What was used before the first call.
    pub before: State,
    /// Files among the requests that hold none.
    pub left: Vec<Skipped>,
    /// What the log says, where requests come from one.
    pub log: Option<LogNote>,
}

/// What a log says beside its requests.
#[derive(Clone, Debug, PartialEq)]
pub struct LogNote {
    /// Each failure in a few words, in the order of the log.
    pub failures: Vec<String>,
    /// Which one is played.
    pub chosen: usize,
    /// How the client of that one played; `None` where the log does not show it.
    pub rules: Option<Rules>,
    /// What else there is to say, as sentences: how the test ended, why this set is played, what could not be read.
    pub remarks: Vec<String>,
    /// Whether the log does not print the request that failed.
    pub lacks_request: bool,
    /// The recording to look at first.
    pub suspect: Option<Suspect>,
    /// The failure as it was read.
    pub failure: Failure,
}

/// What shows over a whole run, or over two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayFinding {
    /// Calls that no signature answers and the order does.
    FellBack,
    /// Calls that nothing answers.
    Unanswered,
    /// Recordings that answer more than once.
    ServedTwice,
    /// Recordings with one signature and different answers.
    SharedSignature,
    /// Recordings that answer nothing.
    NeverUsed,
    /// Calls for which `undefined` is handed out.
    Undefined,
    /// Calls that the two runs answer differently.
    Differs,
}

/// What came of playing.
#[derive(Clone, Debug)]
pub struct Played {
    /// The order it answers.
    pub number: u64,
    /// What was read for it.
    pub stock: Arc<Stock>,
    /// The calls.
    pub run: Run,
    /// The same calls played in another way.
    pub beside: Option<Run>,
    /// What would mend the set.
    pub fixes: Vec<Fix>,
    /// Calls that get a wrong answer or none; where there are none, those whose answer rests on the order of files.
    pub wrong: Vec<usize>,
    /// How many recordings are used after so many calls; the first is before any.
    used_after: Vec<usize>,
    /// Calls that share a signature, that are served twice, and that differ.
    shared: Vec<usize>,
    shared_positions: Vec<usize>,
    twice: Vec<usize>,
    twice_positions: Vec<usize>,
    differing: Vec<usize>,
}

impl Played {
    /// Plays what was read.
    pub fn new(number: u64, stock: Arc<Stock>, rules: Rules, beside: Option<Rules>) -> Self {
        let play = |rules| {
            let (set, before) = (Arc::clone(&stock.set), stock.before.clone());
            Run::resume(set, rules, before, stock.requests.clone())
        };
        let (run, beside) = (play(rules), beside.map(play));
        let calls_where = |is: &dyn Fn(usize, &Call) -> bool| -> Vec<usize> {
            let calls = run.calls.iter().enumerate();
            calls
                .filter(|(at, call)| is(*at, call))
                .map(|(at, _)| at)
                .collect()
        };
        let mut wrong = calls_where(&|_, call| call.verdict.is_bad());
        if wrong.is_empty() {
            wrong = calls_where(&|_, call| call.verdict != Verdict::Right);
        }
        let is_shared = |call: &Call| call.served().is_some_and(|served| served.first_of > 1);
        let is_twice = |call: &Call| {
            let calls = call.index().and_then(|index| run.served_in.get(index));
            calls.is_some_and(|calls| calls.len() > 1)
        };
        let twice = run.findings.served_twice.iter();
        Self {
            number,
            fixes: fixes::for_run(&run),
            used_after: used_after(&run),
            shared: calls_where(&|_, call| is_shared(call)),
            shared_positions: sorted(run.findings.ambiguous.concat()),
            twice: calls_where(&|_, call| is_twice(call)),
            twice_positions: twice.map(|twice| twice.recording).collect(),
            differing: calls_where(&|at, call| {
                let other = beside.as_ref().and_then(|beside| beside.calls.get(at));
                other.is_some_and(|other| differ(call, other))
            }),
            wrong,
            stock,
            run,
            beside,
        }
    }

    /// How many recordings are used after so many calls.
    pub fn used_after(&self, calls: usize) -> usize {
        let last = self.used_after.len().saturating_sub(1);
        self.used_after
            .get(calls.min(last))
            .copied()
            .unwrap_or_default()
    }

    /// The call of the other run, where that gets another answer.
    pub fn other_answer(&self, call: usize) -> Option<&Call> {
        self.differing.binary_search(&call).ok()?;
        self.beside.as_ref()?.calls.get(call)
    }

    /// The calls that a finding concerns, in order; `None` when it concerns none in particular.
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

    /// The positions that a finding concerns, in order; `None` when it concerns none in particular.
    pub fn positions_of(&self, finding: PlayFinding) -> Option<&[usize]> {
        match finding {
            PlayFinding::ServedTwice => Some(&self.twice_positions),
            PlayFinding::SharedSignature => Some(&self.shared_positions),
            PlayFinding::NeverUsed => Some(&self.run.findings.unused),
            _ => None,
        }
    }

    /// The findings that are told of this run, with how often each was made.
    pub fn findings(&self) -> Vec<(PlayFinding, usize)> {
        let findings = &self.run.findings;
        let calls = |finding| (finding, self.calls_of(finding).map_or(0, <[_]>::len));
        let mut told = match self.run.rules.mode {
            Mode::Hybrid => vec![calls(PlayFinding::FellBack)],
            Mode::Signature | Mode::Sequential => Vec::new(),
        };
        if told.is_empty() || !findings.unanswered.is_empty() {
            told.push(calls(PlayFinding::Unanswered));
        }
        told.extend([
            (PlayFinding::ServedTwice, findings.served_twice.len()),
            (PlayFinding::SharedSignature, findings.ambiguous.len()),
            (PlayFinding::NeverUsed, findings.unused.len()),
            calls(PlayFinding::Undefined),
        ]);
        if self.beside.is_some() {
            told.push(calls(PlayFinding::Differs));
        }
        told
    }

    /// The document of the recording at a position.
    pub fn doc(&self, position: usize) -> Option<DocId> {
        self.stock.docs.get(position).copied().flatten()
    }
}

/// Whether two clients answer a call differently, or by other steps.
fn differ(call: &Call, other: &Call) -> bool {
    let answer = |call: &Call| call.served().map(|served| (served.index, served.step));
    answer(call) != answer(other) || call.verdict != other.verdict
}

fn used_after(run: &Run) -> Vec<usize> {
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

/// What answers the same order is the same.
impl PartialEq for Played {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
