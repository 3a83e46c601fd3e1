//! Plays many calls in sequence, and summarizes the run.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::call::Doubt;
use super::misses::{Among, Miss, Misses, Ranking};
use super::{
    Asked, Call, Client, Handed, Outcome, Player, Rules, Set, State, Step, Summary, Verdict, Why,
    error_text,
};

/// A simulated run of calls against a set.
#[derive(Clone, Debug)]
pub struct Run {
    /// The rules.
    pub rules: Rules,
    /// The set.
    pub set: Arc<Set>,
    /// The state before the first call, from a log.
    pub before: State,
    /// All calls in order.
    pub calls: Vec<Call>,
    /// For each recording, the calls that it answers, in order.
    pub served_in: Vec<Vec<usize>>,
    /// Findings of the whole run.
    pub findings: Findings,
    /// The summary in words.
    pub summary: Summary,
}

/// Findings of a whole run. Calls and recordings are given by position, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Calls of a hybrid run that are answered by position because no signature matches.
    pub fell_back: Vec<usize>,
    /// Recordings that answer more than once.
    pub served_twice: Vec<ServedTwice>,
    /// Groups of recordings with one signature and different answers, where file order decides for a call of this run.
    pub ambiguous: Vec<Vec<usize>>,
    /// Recordings that answer no call.
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
    /// Its position.
    pub recording: usize,
    /// The calls.
    pub calls: Vec<usize>,
}

impl Run {
    /// Plays requests against a set with no recordings used.
    pub fn new(set: Arc<Set>, rules: Rules, requests: Vec<Arc<Asked>>) -> Self {
        Self::resume(set, rules, State::default(), requests)
    }

    /// Plays requests against a set with some recordings already used.
    ///
    /// After a call without an answer, the run continues with the state before it; a real test stops there.
    pub fn resume(set: Arc<Set>, rules: Rules, before: State, requests: Vec<Arc<Asked>>) -> Self {
        let mut served_in = vec![Vec::new(); set.recordings.len()];
        let mut player = Player::resume(&set, rules, &before);
        let mut calls = Vec::with_capacity(requests.len());
        for (number, asked) in requests.into_iter().enumerate() {
            let outcome = player.play(&asked);
            let mut reused = None;
            if let Outcome::Served(served) = &outcome
                && let Some(calls) = served_in.get_mut(served.index)
            {
                reused = calls.last().copied();
                calls.push(number);
            }
            let verdict = match Verdict::of(&asked, &outcome, &set, rules) {
                Verdict::Right if reused.is_some() => Verdict::ByPosition(Doubt::Reused),
                verdict => verdict,
            };
            calls.push(Call {
                asked,
                outcome,
                reused,
                verdict,
                next: player.state().next,
            });
        }
        let mut run = Self {
            rules,
            set,
            before,
            calls,
            served_in,
            findings: Findings::default(),
            summary: Summary::default(),
        };
        run.findings = Findings::of(&run);
        run.summary = Summary::of(&run);
        run
    }

    /// Returns the state of the client after this many calls; 0 is before the first.
    pub fn state_after(&self, calls: usize) -> State {
        let mut used = self.before.used.clone();
        used.resize(self.set.recordings.len(), false);
        let calls = &self.calls[..calls.min(self.calls.len())];
        for index in calls.iter().filter_map(Call::index) {
            used[index] = true;
        }
        State {
            used,
            next: calls.last().map_or(self.before.next, |call| call.next),
        }
    }

    /// Explains why the other recordings do not answer a call, at most `limit` of the closest ones. For many calls see
    /// [`Ranking`].
    pub fn misses(&self, call: usize, limit: usize) -> Misses {
        Ranking::new(self).misses(call, limit)
    }

    /// Returns the closest match of a call, including a recording that answers it by position. If a log reports the
    /// different tools, it is the recording they are reported for.
    pub fn nearest(&self, call: usize) -> Option<Miss> {
        let mut ranking = Ranking::new(self);
        let served = self.calls.get(call).and_then(Call::compared_in_log);
        if let Some(served) = served {
            let all = ranking.among(call, Among::All, usize::MAX).nearest;
            return all.into_iter().find(|miss| miss.index == served);
        }
        ranking.among(call, Among::All, 1).nearest.pop()
    }

    /// Explains step by step how a call gets its answer.
    pub fn why(&self, call: usize) -> Vec<Why> {
        super::why::why(self, call)
    }

    /// Returns the error message of the client at a call; `None` if it does not fail.
    pub fn error(&self, call: usize) -> Option<String> {
        let at = self.calls.get(call)?;
        error_text(&self.set, self.rules, &at.asked, &at.outcome, || {
            self.state_after(call)
        })
    }

    /// Returns the first call at which the client fails, where a real test stops.
    pub fn first_error(&self) -> Option<usize> {
        let ends = |call: &Call| match &call.outcome {
            Outcome::Served(served) => matches!(served.handed, Handed::Breaks(_)),
            Outcome::PastEnd { .. } => self.rules.client != Client::Browser,
            Outcome::NoMatch | Outcome::Breaks { .. } => true,
            Outcome::Skipped => false,
        };
        self.calls.iter().position(ends)
    }

    /// Returns the last call before this one in which a recording was used.
    pub(super) fn used_in(&self, recording: usize, before: usize) -> Option<usize> {
        let calls = self.served_in.get(recording)?;
        let count = calls.partition_point(|call| *call < before);
        calls[..count].last().copied()
    }
}

impl Findings {
    fn of(run: &Run) -> Self {
        let calls = |is: &dyn Fn(&Call) -> bool| -> Vec<usize> {
            let all = run.calls.iter().enumerate();
            all.filter(|(_, call)| is(call)).map(|(at, _)| at).collect()
        };
        let recordings = run.served_in.iter().enumerate();
        let twice = recordings.clone().filter(|(_, calls)| calls.len() > 1);
        let was_used = |index: usize| run.before.used.get(index).copied().unwrap_or_default();
        let fell_back = |call: &Call| {
            let step = call.served().map(|served| served.step);
            step == Some(Step::Sequential)
        };
        Self {
            fell_back: match run.rules.mode {
                super::Mode::Hybrid => calls(&fell_back),
                _ => Vec::new(),
            },
            served_twice: twice
                .map(|(recording, calls)| ServedTwice {
                    recording,
                    calls: calls.clone(),
                })
                .collect(),
            ambiguous: ambiguous(run),
            unused: recordings
                .filter(|(index, calls)| calls.is_empty() && !was_used(*index))
                .map(|(index, _)| index)
                .collect(),
            undefined: calls(&|call| call.verdict == Verdict::Undefined),
            unanswered: calls(&|call| call.verdict.is_unanswered()),
            wrong: calls(&|call| matches!(call.verdict, Verdict::Wrong(_))),
            uncertain: calls(&|call| call.asked.uncertain.is_some()),
        }
    }
}

/// Returns the recordings among which file order decided, grouped by signature.
fn ambiguous(run: &Run) -> Vec<Vec<usize>> {
    let mut of_key: HashMap<_, Vec<usize>> = HashMap::new();
    let mut asked = Vec::new();
    let client = run.rules.client;
    for (index, recorded) in run.set.recordings.iter().enumerate() {
        if let Some(key) = super::player::recorded_key(recorded, client) {
            of_key.entry(key).or_default().push(index);
        }
    }
    for call in &run.calls {
        if call.served().is_some_and(|served| served.first_of > 1) {
            let key = super::player::asked_key(&call.asked, client);
            asked.extend(of_key.remove(&key));
        }
    }
    asked.sort_unstable();
    asked
}
