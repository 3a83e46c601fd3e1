//! Explains why recordings do not answer a call, the closest matches first.

mod describe;
mod index;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;

use super::comparison::{ClientComparison, MatchKey, name_order};
use super::player::compared_keys;
use super::{
    MessagesKnown, PlaybackClient, PlaybackRun, PlayedCall, PlayedRequest, SetRecording,
    ToolsKnown, TypeError,
};

pub(super) use index::MissIndex;
use index::{Name, USED};

/// The recordings that do not answer a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// The closest ones.
    pub nearest: Vec<Miss>,
    /// Number of all of them.
    pub count: usize,
}

/// A recording that does not answer a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Its position in the set.
    pub index: usize,
    /// Reasons against a match, in the order tools, messages, context keys, use; empty if it would match and another one
    /// was first.
    pub reasons: Vec<Reason>,
    /// Distance from the request, only for ranking.
    pub distance: usize,
}

/// Reason for which a recording does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Different tools.
    ToolNames {
        /// Tools that the request offers but the recording lacks.
        missing: Vec<Arc<str>>,
        /// Tools that the recording has but the request does not offer. If both lists are empty, the same names are
        /// stored in a different order.
        extra: Vec<Arc<str>>,
    },
    /// A different number of messages.
    MessageCount {
        /// Number in the request.
        expected: u64,
        /// Number in the recording.
        actual: u64,
    },
    /// A different number of messages than the request, whose number the log does not print.
    OtherCount {
        /// Number in the recording.
        actual: u64,
    },
    /// Different context keys.
    ContextKeys {
        /// Keys that the client computes for the request but the recording lacks.
        missing: Vec<Arc<str>>,
        /// Keys that the recording has but the client does not compute.
        extra: Vec<Arc<str>>,
    },
    /// It is already used.
    Used {
        /// The call that used it; `None` if it was used before the first one, according to a log.
        call: Option<usize>,
    },
    /// It never matches; the reason is a sentence without a full stop.
    Never(&'static str),
    /// The client fails when it compares this recording.
    Breaks(TypeError),
}

/// Number of recordings that are cached with their distances: tests often repeat requests.
const MAX_CACHED_RECORDINGS: usize = 1 << 20;

/// Ranks the recordings that do not answer the calls of a run. Results are reused for equal requests.
#[derive(Debug)]
pub struct Ranking<'r> {
    run: &'r PlaybackRun,
    cache: Mutex<CandidateCache<'r>>,
}

/// Recordings with their distances from a request, without use.
type Candidates = Arc<[(usize, usize)]>;

#[derive(Debug, Default)]
struct CandidateCache<'r> {
    /// By request and how many are ranked. Of the origin of a request it only matters whether the number of messages is known.
    known: HashMap<(&'r MatchKey, MessagesKnown, usize), Candidates>,
    len: usize,
}

impl<'r> Ranking<'r> {
    /// Creates a ranking without cached results.
    pub fn new(run: &'r PlaybackRun) -> Self {
        Self { run, cache: Mutex::default() }
    }

    /// Returns at most `limit` of the closest recordings that do not answer a call.
    pub fn misses(&self, call: usize, limit: usize) -> Misses {
        let served = self.run.calls.get(call).and_then(PlayedCall::index);
        self.rank(call, served, limit)
    }

    /// Returns the closest recordings without the one that is `served`; one that answers by position may be ranked as well.
    pub(super) fn rank(&self, call: usize, served: Option<usize>, limit: usize) -> Misses {
        let run = self.run;
        let is_known = |at: &&PlayedCall| at.request.tools_known == ToolsKnown::Yes;
        let Some(at) = run.calls.get(call).filter(is_known) else { return Misses::default() };
        let all = run.set.recordings.len();
        let count = all - usize::from(served.is_some_and(|served| served < all));
        let limit = limit.min(count);
        if limit == 0 {
            let nearest = Vec::new();
            return Misses { nearest, count };
        }
        let index = run.miss_index();
        let candidates = self.candidates(&at.request, limit);
        let others = candidates.iter().filter(|(_, index)| Some(*index) != served);
        let mut ranked: Vec<(usize, usize)> = others
            .map(|(distance, recording)| {
                let used_weight = USED * usize::from(index.is_used(*recording, call));
                (distance + used_weight, *recording)
            })
            .collect();
        if limit < ranked.len() {
            // Only the few that are shown are sorted: this runs for each call of a run.
            ranked.select_nth_unstable(limit);
            ranked.truncate(limit);
        }
        ranked.sort_unstable();
        let nearest = ranked.into_iter().map(|(distance, index)| {
            let recording = &run.set.recordings[index];
            let mut reasons = differences(recording, &at.request, run.rules.client);
            reasons.extend(was_used(run, index, call).map(|call| Reason::Used { call }));
            Miss { index, reasons, distance }
        });
        Misses { nearest: nearest.collect(), count }
    }

    /// Returns the recordings that can be among the nearest of a request.
    fn candidates(&self, request: &'r PlayedRequest, limit: usize) -> Candidates {
        let key = (&request.match_key, request.messages_known(), limit);
        // Entries are inserted whole, so a panic of another thread leaves none half-written.
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = cache().known.get(&key) {
            return Arc::clone(index);
        }
        // Computed without the lock, so that other threads do not wait for it.
        let (set, client) = (&self.run.set, self.run.rules.client);
        let index = self.run.miss_index();
        let candidates: Candidates = index.candidates(set, client, request, limit).into();
        let mut cache = cache();
        if cache.len + candidates.len() > MAX_CACHED_RECORDINGS {
            *cache = CandidateCache::default();
        }
        cache.len += candidates.len();
        cache.known.insert(key, Arc::clone(&candidates));
        candidates
    }
}

/// Returns whether a recording was used before a call, and by which one.
fn was_used(run: &PlaybackRun, recording: usize, call: usize) -> Option<Option<usize>> {
    if let Some(call) = run.used_in(recording, call) {
        return Some(Some(call));
    }
    run.before.used.get(recording).copied().unwrap_or_default().then_some(None)
}

fn differences(
    recording: &SetRecording,
    request: &PlayedRequest,
    client: PlaybackClient,
) -> Vec<Reason> {
    let own = match &recording.comparison {
        ClientComparison::Never(why) => return vec![Reason::Never(why)],
        ClientComparison::Breaks(error) | ClientComparison::BreaksWhenAlike(_, error) => {
            return vec![Reason::Breaks(*error)];
        }
        ClientComparison::Compared(own) => own,
    };
    let match_key = &request.match_key;
    let mut reasons = Vec::new();
    if own.names != match_key.names {
        let (missing, extra) = name_differences(&match_key.names, &own.names);
        reasons.push(Reason::ToolNames { missing, extra });
    }
    if own.messages != match_key.messages {
        let actual = own.messages;
        reasons.push(match request.messages_known() {
            MessagesKnown::Yes => Reason::MessageCount { expected: match_key.messages, actual },
            MessagesKnown::No => Reason::OtherCount { actual },
        });
    }
    let (own, wanted_keys) = compared_keys(recording, request, client);
    if own != wanted_keys {
        let names = |keys: &[Arc<str>]| -> Vec<Name> { keys.iter().cloned().map(Some).collect() };
        let (missing, extra) = name_differences(&names(wanted_keys), &names(own));
        reasons.push(Reason::ContextKeys { missing, extra });
    }
    reasons
}

/// Returns the names only in the first and only in the second list, with duplicates.
fn name_differences(first: &[Name], second: &[Name]) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
    let (first, second) = (sorted(first), sorted(second));
    let (mut only_first, mut only_second) = (Vec::new(), Vec::new());
    // JavaScript's word for a tool without a name, as the client prints it.
    let text = |name: &Name| name.clone().unwrap_or_else(|| "undefined".into());
    let mut others = second.iter().peekable();
    for name in &*first {
        let is_before = |other: &&Name| name_order(other, name).is_lt();
        while let Some(other) = others.next_if(is_before) {
            only_second.push(text(other));
        }
        if others.next_if_eq(&name).is_none() {
            only_first.push(text(name));
        }
    }
    only_second.extend(others.map(text));
    (only_first, only_second)
}

/// Returns the names sorted, which they usually are already.
fn sorted(names: &[Name]) -> Cow<'_, [Name]> {
    if names.is_sorted_by(|a, b| name_order(a, b).is_le()) {
        Cow::Borrowed(names)
    } else {
        let mut names = names.to_vec();
        names.sort_by(name_order);
        Cow::Owned(names)
    }
}

impl PlaybackRun {
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
            let all = ranking.rank(call, None, usize::MAX).nearest;
            return all.into_iter().find(|miss| miss.index == served);
        }
        ranking.rank(call, None, 1).nearest.pop()
    }
}
