//! Plays many calls in sequence.

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt as _};

use super::call::MismatchCause;
use super::{
    CallOutcome, CallVerdict, MatchStep, PlaybackRules, PlaybackRun, PlayedCall, PlayedRequest,
    Player, PlayerState, RecordingSet, RunFindings, RunSummary, ServedTwice,
};

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
        start_state: PlayerState,
        requests: impl IntoIterator<Item = Arc<PlayedRequest>>,
    ) -> Self {
        let PlayedCalls { calls, served_in } = play_calls(&set, rules, &start_state, requests);
        let mut run = Self {
            rules,
            set,
            before: start_state,
            calls,
            served_in,
            findings: RunFindings::default(),
            summary: RunSummary::default(),
            miss_index: OnceLock::new(),
            tool_uses: OnceLock::new(),
        };
        // Both read the calls of the run itself, so they are filled in last.
        run.findings = RunFindings::new(&run);
        run.summary = RunSummary::new(&run);
        run
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
    start_state: &PlayerState,
    requests: impl IntoIterator<Item = Arc<PlayedRequest>>,
) -> PlayedCalls {
    let mut served_in = vec![Vec::new(); set.recordings.len()];
    let mut player = Player::resume(set, rules, start_state);
    let mut calls = Vec::new();
    for (number, request) in requests.into_iter().enumerate() {
        let outcome = player.play(&request);
        let mut reuse = None;
        if let CallOutcome::Served(served) = &outcome
            && let Some(calls) = served_in.get_mut(served.index)
        {
            reuse = calls.last().copied();
            calls.push(number);
        }
        let verdict = match CallVerdict::judge(&request, &outcome, set, rules) {
            // By signature a recording is served once, so this time its position decided.
            CallVerdict::Right if reuse.is_some() => CallVerdict::ByPosition(MismatchCause::Reused),
            verdict => verdict,
        };
        calls.push(PlayedCall {
            request,
            outcome,
            reused: reuse,
            verdict,
            next: player.state().next,
        });
    }
    PlayedCalls { calls, served_in }
}

impl RunFindings {
    fn new(run: &PlaybackRun) -> Self {
        let calls = |is: &dyn Fn(&PlayedCall) -> bool| -> Vec<usize> {
            let all = run.calls.iter().enumerate();
            all.filter(|(_, call)| is(call)).map(|(at, _)| at).collect()
        };
        let pairs = run.served_in.iter().enumerate();
        let was_used = |index: usize| run.before.used.get(index).copied().unwrap_or_default();
        let times = |index: usize, calls: &[usize]| calls.len() + usize::from(was_used(index));
        let repeated =
            |(index, calls): &(usize, &Vec<usize>)| !calls.is_empty() && times(*index, calls) > 1;
        let twice = pairs.clone().filter(repeated).map(|(recording, calls)| ServedTwice {
            recording,
            is_used_before: was_used(recording),
            calls: calls.clone(),
        });
        let unused = pairs.filter(|(i, c)| !run.calls.is_empty() && c.is_empty() && !was_used(*i));
        let fell_back = |call: &PlayedCall| {
            let step = call.served().map(|served| served.step);
            step == Some(MatchStep::Sequential)
        };
        Self {
            // In sequential mode every call is served by position, so a list of these calls shows nothing.
            fell_back: match run.rules.mode {
                super::PlaybackMode::Hybrid => calls(&fell_back),
                _ => Vec::new(),
            },
            served_twice: twice.collect(),
            ambiguous: ambiguous(run),
            unused: unused.map(|(index, _)| index).collect(),
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
    for (index, recording) in run.set.recordings.iter().enumerate() {
        if let Some(key) = super::player::recorded_key(recording, client) {
            of_key.entry(key).or_default().push(index);
        }
    }
    for call in &run.calls {
        if call.served().is_some_and(|served| served.first_of > 1) {
            let key = super::player::request_key(&call.request, client);
            // Removed, so that a group is listed once, however many of its calls are played.
            groups.extend(of_key.remove(&key));
        }
    }
    groups.sort_unstable();
    groups
}
