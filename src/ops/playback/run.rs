//! Plays many calls in sequence, and summarizes the run.

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt as _};

use super::call::MismatchCause;
use super::error_text::{error_line, error_text};
use super::fixes::ToolUses;
use super::misses::{Miss, MissIndex, MissScope, Misses, Ranking};
use super::{
    CallOutcome, CallVerdict, ExplanationStep, MatchStep, PlaybackClient, PlaybackRules,
    PlayedCall, PlayedRequest, Player, PlayerState, RecordingSet, ResponseShape, RunSummary,
};
use crate::text::counted;

/// A simulated run of calls against a set.
#[derive(Clone, Debug)]
pub struct PlaybackRun {
    pub rules: PlaybackRules,
    pub set: Arc<RecordingSet>,
    /// The state before the first call, from a log.
    pub before: PlayerState,
    /// All calls in order.
    pub calls: Vec<PlayedCall>,
    /// For each recording, the calls that it answers, in order.
    pub served_in: Vec<Vec<usize>>,
    /// Findings of the whole run.
    pub findings: RunFindings,
    /// The summary in words.
    pub summary: RunSummary,
    /// Made when the first call is explained.
    miss_index: OnceLock<Arc<MissIndex>>,
    /// Made when the first rename of a tool is considered.
    tool_uses: OnceLock<Arc<ToolUses>>,
}

/// Findings of a whole run. Calls and recordings are given by position, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFindings {
    /// Calls of a hybrid run that are answered by position because no signature matches.
    pub fell_back: Vec<usize>,
    /// Recordings that answer more than once.
    pub served_twice: Vec<ServedTwice>,
    /// Groups of recordings with one signature and different answers, where file order decides for a call of this run.
    pub ambiguous: Vec<Vec<usize>>,
    /// Recordings that answer no call; none if nothing is played.
    pub unused: Vec<usize>,
    /// Calls for which the client returns `undefined`.
    pub undefined: Vec<usize>,
    /// Calls that no recording answers.
    pub unanswered: Vec<usize>,
    /// Calls that get an answer to another request.
    pub wrong: Vec<usize>,
    /// Calls that a run may not make, no matter what answers them.
    pub uncertain: Vec<usize>,
}

/// A recording that answers more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedTwice {
    pub recording: usize,
    /// Whether it answered a call before those of the run.
    pub is_used_before: bool,
    pub calls: Vec<usize>,
}

impl PlaybackRun {
    /// Plays requests against a set with no recordings used.
    pub fn new(
        set: Arc<RecordingSet>,
        rules: PlaybackRules,
        requests: impl IntoIterator<Item = Arc<PlayedRequest>>,
    ) -> Self {
        Self::resume(set, rules, PlayerState::default(), requests)
    }

    /// Plays requests against a set with some recordings already used.
    ///
    /// After a call without an answer, the run continues with the state before it; a real test stops there.
    pub fn resume(
        set: Arc<RecordingSet>,
        rules: PlaybackRules,
        before: PlayerState,
        requests: impl IntoIterator<Item = Arc<PlayedRequest>>,
    ) -> Self {
        let PlayedCalls { calls, served_in } = play_calls(&set, rules, &before, requests);
        let mut run = Self {
            rules,
            set,
            before,
            calls,
            served_in,
            findings: RunFindings::default(),
            summary: RunSummary::default(),
            miss_index: OnceLock::new(),
            tool_uses: OnceLock::new(),
        };
        run.findings = RunFindings::new(&run);
        run.summary = RunSummary::new(&run);
        run
    }

    /// Returns the state of the client after this many calls; 0 is before the first.
    pub fn state_after(&self, calls: usize) -> PlayerState {
        let mut used = self.before.used.clone();
        used.resize(self.set.recordings.len(), false);
        let calls = &self.calls[..calls.min(self.calls.len())];
        for index in calls.iter().filter_map(PlayedCall::index) {
            used[index] = true;
        }
        PlayerState { used, next: calls.last().map_or(self.before.next, |call| call.next) }
    }

    /// Explains why the other recordings do not answer a call, at most `limit` of the closest ones. For many calls see
    /// [`Ranking`].
    pub fn misses(&self, call: usize, limit: usize) -> Misses {
        Ranking::new(self).misses(call, limit)
    }

    /// Returns the closest match of a call, including a recording that answers it by position. If a log reports the
    /// different tools, it is the recording they are reported for.
    pub fn nearest(&self, call: usize) -> Option<Miss> {
        let ranking = Ranking::new(self);
        let served = self.calls.get(call).and_then(PlayedCall::compared_in_log);
        if let Some(served) = served {
            let all = ranking.rank(call, MissScope::All, usize::MAX).nearest;
            return all.into_iter().find(|miss| miss.index == served);
        }
        ranking.rank(call, MissScope::All, 1).nearest.pop()
    }

    /// Returns how many calls and recordings it has: `2 calls against 3 recordings`.
    pub fn extent(&self) -> String {
        let recordings = counted(self.set.recordings.len(), "recording", "recordings");
        match self.calls.len() {
            0 => format!("No calls, {recordings}"),
            calls => format!("{} against {recordings}", counted(calls, "call", "calls")),
        }
    }

    /// Explains step by step how a call gets its answer.
    pub fn explain(&self, call: usize) -> Vec<ExplanationStep> {
        super::explanation::explain(self, call)
    }

    /// Returns the error message of the client at a call; `None` if it does not fail.
    pub fn error(&self, call: usize) -> Option<String> {
        let at = self.calls.get(call)?;
        error_text(&self.set, self.rules, &at.request, &at.outcome, || self.state_after(call))
    }

    /// Returns the first line of [`Self::error`], without listing all recordings.
    pub fn error_line(&self, call: usize) -> Option<String> {
        let at = self.calls.get(call)?;
        error_line(&self.set, self.rules, &at.request, &at.outcome)
    }

    /// Returns the first call at which the client fails, where a real test stops.
    pub fn first_error(&self) -> Option<usize> {
        let ends = |call: &PlayedCall| match &call.outcome {
            CallOutcome::Served(served) => matches!(served.response, ResponseShape::Breaks(_)),
            CallOutcome::PastEnd { .. } => self.rules.client != PlaybackClient::Browser,
            CallOutcome::NoMatch | CallOutcome::Breaks { .. } => true,
            CallOutcome::Skipped => false,
        };
        self.calls.iter().position(ends)
    }

    /// Returns the recordings by what a client compares of them.
    pub(super) fn miss_index(&self) -> &MissIndex {
        self.miss_index.get_or_init(|| Arc::new(MissIndex::new(self)))
    }

    pub(super) fn tool_uses(&self) -> &ToolUses {
        self.tool_uses.get_or_init(|| Arc::new(ToolUses::new(self)))
    }

    /// Returns the last call before this one in which a recording was used.
    pub(super) fn used_in(&self, recording: usize, before: usize) -> Option<usize> {
        let calls = self.served_in.get(recording)?;
        let count = calls.partition_point(|call| *call < before);
        calls[..count].last().copied()
    }
}

/// The calls of a run without findings.
pub(super) struct PlayedCalls {
    pub(super) calls: Vec<PlayedCall>,
    served_in: Vec<Vec<usize>>,
}

/// Plays requests against a set.
pub(super) fn play_calls(
    set: &RecordingSet,
    rules: PlaybackRules,
    before: &PlayerState,
    requests: impl IntoIterator<Item = Arc<PlayedRequest>>,
) -> PlayedCalls {
    let mut served_in = vec![Vec::new(); set.recordings.len()];
    let mut player = Player::resume(set, rules, before);
    let mut calls = Vec::new();
    for (number, request) in requests.into_iter().enumerate() {
        let outcome = player.play(&request);
        let mut reused = None;
        if let CallOutcome::Served(served) = &outcome
            && let Some(calls) = served_in.get_mut(served.index)
        {
            reused = calls.last().copied();
            calls.push(number);
        }
        let verdict = match CallVerdict::judge(&request, &outcome, set, rules) {
            CallVerdict::Right if reused.is_some() => {
                CallVerdict::ByPosition(MismatchCause::Reused)
            }
            verdict => verdict,
        };
        calls.push(PlayedCall { request, outcome, reused, verdict, next: player.state().next });
    }
    PlayedCalls { calls, served_in }
}

impl RunFindings {
    fn new(run: &PlaybackRun) -> Self {
        let calls = |is: &dyn Fn(&PlayedCall) -> bool| -> Vec<usize> {
            let all = run.calls.iter().enumerate();
            all.filter(|(_, call)| is(call)).map(|(at, _)| at).collect()
        };
        let recordings = run.served_in.iter().enumerate();
        let was_used = |index: usize| run.before.used.get(index).copied().unwrap_or_default();
        let times = |index: usize, calls: &[usize]| calls.len() + usize::from(was_used(index));
        let twice = recordings
            .clone()
            .filter(|(index, calls)| !calls.is_empty() && times(*index, calls) > 1);
        let fell_back = |call: &PlayedCall| {
            let step = call.served().map(|served| served.step);
            step == Some(MatchStep::Sequential)
        };
        Self {
            fell_back: match run.rules.mode {
                super::PlaybackMode::Hybrid => calls(&fell_back),
                _ => Vec::new(),
            },
            served_twice: twice
                .map(|(recording, calls)| ServedTwice {
                    recording,
                    is_used_before: was_used(recording),
                    calls: calls.clone(),
                })
                .collect(),
            ambiguous: ambiguous(run),
            unused: recordings
                .filter(|(index, calls)| {
                    !run.calls.is_empty() && calls.is_empty() && !was_used(*index)
                })
                .map(|(index, _)| index)
                .collect(),
            undefined: calls(&|call| call.verdict == CallVerdict::Undefined),
            unanswered: calls(&|call| call.verdict.is_unanswered()),
            wrong: calls(&|call| matches!(call.verdict, CallVerdict::Wrong(_))),
            uncertain: calls(&|call| call.request.uncertain.is_some()),
        }
    }
}

/// Returns the recordings among which file order decided, grouped by signature.
fn ambiguous(run: &PlaybackRun) -> Vec<Vec<usize>> {
    let mut of_key: HashMap<_, Vec<usize>> = HashMap::new();
    let mut groups = Vec::new();
    let client = run.rules.client;
    for (index, recorded) in run.set.recordings.iter().enumerate() {
        if let Some(key) = super::player::recorded_key(recorded, client) {
            of_key.entry(key).or_default().push(index);
        }
    }
    for call in &run.calls {
        if call.served().is_some_and(|served| served.first_of > 1) {
            let key = super::player::request_key(&call.request, client);
            groups.extend(of_key.remove(&key));
        }
    }
    groups.sort_unstable();
    groups
}
