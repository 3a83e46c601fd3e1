//! Simulates a client call by call.

use std::cmp::Ordering;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::comparison::{ClientComparison, MatchKey, TypeError};
use super::{
    PlaybackClient, PlaybackMode, PlaybackRules, PlayedRequest, RecordingSet, ResponseShape,
    SetRecording, ToolsKnown,
};

/// A simulated client. It uses an index of signatures, so the time of a call does not depend on the size of the set.
#[derive(Debug)]
pub struct Player<'a> {
    set: &'a RecordingSet,
    rules: PlaybackRules,
    state: PlayerState,
    queues: Vec<SignatureQueue>,
    by_match_key: HashMap<LookupKey<'a>, usize>,
    /// For each recording its queue, if any request can match it.
    queue_of: Vec<Option<usize>>,
    /// Recordings that make the client fail, in order.
    breaks: PositionLine,
    /// Recordings that make the client fail if the tools and the message count are equal.
    breaks_when_alike: Vec<PositionLine>,
    by_half: HashMap<(&'a ToolNameSlice, u64), usize>,
}

/// State of a client between calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerState {
    /// For each recording of the set, whether it is used.
    pub used: Vec<bool>,
    /// The position of the next sequential step.
    pub next: usize,
}

/// The step that found a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchStep {
    Signature,
    Sequential,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// A recording was found.
    Served(Served),
    /// No unused recording has the signature: the client fails with an error.
    NoMatch,
    /// All recordings are used: the client fails with an error; the browser client continues with an empty answer.
    PastEnd {
        /// The position that was next.
        index: usize,
    },
    /// It is uncertain whether the call is made, and no unused recording has its signature: nothing is played.
    Skipped,
    /// The client fails when it compares this recording.
    Breaks { index: usize, error: TypeError },
}

/// The recording that answers a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its position in the set.
    pub index: usize,
    /// Step that found it.
    pub step: MatchStep,
    /// Number of unused recordings with this signature, of which it was the first, if their answers differ; else 1.
    pub first_of: usize,
    pub response: ResponseShape,
}

type ToolNameSlice = [Option<Arc<str>>];

/// The compared properties: tools, number of messages, context keys.
type LookupKey<'a> = (&'a ToolNameSlice, u64, &'a [Arc<str>]);

fn key(match_key: &MatchKey, has_context_keys: bool) -> LookupKey<'_> {
    let keys = if has_context_keys { &*match_key.keys } else { &[] };
    (&match_key.names, match_key.messages, keys)
}

/// Returns the context keys of a recording and of a request as a client compares them.
pub(super) fn compared_keys<'a>(
    recording: &'a SetRecording,
    request: &'a PlayedRequest,
    client: PlaybackClient,
) -> (&'a [Arc<str>], &'a [Arc<str>]) {
    let stored_keys = &*recording.signature().context_keys;
    let own = recorded_key(recording, client).map_or(stored_keys, |(_, _, keys)| keys);
    (own, request_key(request, client).2)
}

/// Positions in order; used ones at the front are skipped permanently.
#[derive(Debug, Default)]
struct PositionLine {
    members: Vec<usize>,
    passed: usize,
}

impl PositionLine {
    fn first_unused(&mut self, used: &[bool]) -> Option<usize> {
        // A used recording never becomes free again, so each is passed once in a run.
        let waiting = &self.members[self.passed..];
        let is_used = |index: &&usize| used.get(**index).copied().unwrap_or_default();
        self.passed += waiting.iter().take_while(is_used).count();
        self.members.get(self.passed).copied()
    }

    fn has_unused(&self, used: &[bool]) -> bool {
        let mut waiting = self.members[self.passed..].iter();
        waiting.any(|index| !used.get(*index).copied().unwrap_or_default())
    }
}

/// The recordings with one signature.
#[derive(Debug, Default)]
struct SignatureQueue {
    line: PositionLine,
    /// Number of unused ones.
    unused: usize,
    /// Number of unused ones by answer.
    answers: HashMap<u64, usize>,
}

impl<'a> Player<'a> {
    /// Creates a player with no recordings used.
    pub fn new(set: &'a RecordingSet, rules: PlaybackRules) -> Self {
        let count = set.recordings.len();
        let mut player = Self {
            set,
            rules,
            state: PlayerState { used: vec![false; count], next: 0 },
            queues: Vec::new(),
            by_match_key: HashMap::new(),
            queue_of: vec![None; count],
            breaks: PositionLine::default(),
            breaks_when_alike: Vec::new(),
            by_half: HashMap::new(),
        };
        for (index, recording) in set.recordings.iter().enumerate() {
            player.index(index, recording);
        }
        player
    }

    /// Creates a player with a state.
    pub fn resume(set: &'a RecordingSet, rules: PlaybackRules, state: &PlayerState) -> Self {
        let mut player = Self::new(set, rules);
        player.state.next = state.next;
        // Marked one by one, because the counts of the queues depend on it.
        for (index, _) in state.used.iter().enumerate().filter(|(_, used)| **used) {
            player.mark_used(index);
        }
        player
    }

    fn index(&mut self, index: usize, recording: &'a SetRecording) {
        match &recording.comparison {
            ClientComparison::Never(_) => {}
            ClientComparison::Breaks(_) => self.breaks.members.push(index),
            ClientComparison::BreaksWhenAlike(match_key, _) => {
                let number = *self.by_half.entry(partial_key(match_key)).or_insert_with(|| {
                    self.breaks_when_alike.push(PositionLine::default());
                    self.breaks_when_alike.len() - 1
                });
                self.breaks_when_alike[number].members.push(index);
            }
            ClientComparison::Compared(match_key) => {
                let key = recording_key(recording, match_key, self.rules.client);
                let number = *self.by_match_key.entry(key).or_insert_with(|| {
                    self.queues.push(SignatureQueue::default());
                    self.queues.len() - 1
                });
                let queue = &mut self.queues[number];
                queue.line.members.push(index);
                queue.unused += 1;
                *queue.answers.entry(recording.answer_hash).or_default() += 1;
                self.queue_of[index] = Some(number);
            }
        }
    }

    /// Returns the state.
    pub fn state(&self) -> &PlayerState {
        &self.state
    }

    /// Returns the rules.
    pub fn rules(&self) -> PlaybackRules {
        self.rules
    }

    /// Returns whether an unused recording has the signature of a request.
    pub fn has_match(&self, request: &PlayedRequest) -> bool {
        let queue = self.by_match_key.get(&request_key(request, self.rules.client));
        request.tools_known == ToolsKnown::Yes
            && queue.is_some_and(|queue| self.queues[*queue].line.has_unused(&self.state.used))
    }

    /// Plays one call. An uncertain call only takes a recording with its signature.
    pub fn play(&mut self, request: &PlayedRequest) -> CallOutcome {
        // A call that may not be made must not use up, by position, a recording that a certain call needs.
        if request.uncertain.is_some()
            && (self.rules.mode == PlaybackMode::Sequential
                || !matches!(self.find(request), Some(Ok(_))))
        {
            return CallOutcome::Skipped;
        }
        if self.rules.mode != PlaybackMode::Sequential {
            match self.find(request) {
                Some(Ok(index)) => return self.serve(index, MatchStep::Signature),
                Some(Err((index, error))) => return CallOutcome::Breaks { index, error },
                None if self.rules.mode == PlaybackMode::Signature => return CallOutcome::NoMatch,
                None => {}
            }
        }
        let index = self.state.next;
        if index >= self.set.recordings.len() {
            return CallOutcome::PastEnd { index };
        }
        // As in the client, the counter does not skip used recordings: hybrid mode can serve one twice.
        self.state.next += 1;
        self.serve(index, MatchStep::Sequential)
    }

    /// Finds the first unused recording that matches, unless the client fails before it.
    fn find(&mut self, request: &PlayedRequest) -> Option<Result<usize, (usize, TypeError)>> {
        let used = &self.state.used;
        let is_known = request.tools_known == ToolsKnown::Yes;
        let key = request_key(request, self.rules.client);
        // Unknown tools are an empty list here, which would match recordings without tools.
        let queue = self.by_match_key.get(&key).copied().filter(|_| is_known);
        let first_match = queue.and_then(|queue| self.queues[queue].line.first_unused(used));
        let twin = self.by_half.get(&partial_key(&request.match_key)).copied().filter(|_| is_known);
        let alike_breaks = twin.and_then(|l| self.breaks_when_alike[l].first_unused(used));
        let breaks = self.breaks.first_unused(used).into_iter().chain(alike_breaks).min();
        match (first_match, breaks) {
            (None, None) => None,
            (Some(index), None) => Some(Ok(index)),
            // The client compares in file order: it fails unless it finds its match before the broken file.
            (Some(index), Some(breaks)) if index.cmp(&breaks) == Ordering::Less => Some(Ok(index)),
            (_, Some(breaks)) => match self.set.recordings.get(breaks)?.comparison {
                ClientComparison::Breaks(error) | ClientComparison::BreaksWhenAlike(_, error) => {
                    Some(Err((breaks, error)))
                }
                _ => None,
            },
        }
    }

    fn serve(&mut self, index: usize, step: MatchStep) -> CallOutcome {
        // Recordings with equal answers are interchangeable: file order matters only if answers differ.
        let first_of = match (step, self.queue_of.get(index).copied().flatten()) {
            (MatchStep::Signature, Some(queue)) if self.queues[queue].answers.len() > 1 => {
                self.queues[queue].unused
            }
            _ => 1,
        };
        self.mark_used(index);
        CallOutcome::Served(Served {
            index,
            step,
            first_of,
            response: self.set.recordings[index].response,
        })
    }

    fn mark_used(&mut self, index: usize) {
        let Some(used) = self.state.used.get_mut(index) else { return };
        // Hybrid mode can serve a used recording again; the queues count it once.
        if std::mem::replace(used, true) {
            return;
        }
        let Some(queue) = self.queue_of[index] else { return };
        let (queue, answer) = (&mut self.queues[queue], self.set.recordings[index].answer_hash);
        queue.unused -= 1;
        if let Some(count) = queue.answers.get_mut(&answer) {
            *count -= 1;
            if *count == 0 {
                queue.answers.remove(&answer);
            }
        }
    }
}

/// Returns what is compared first: tools and number of messages.
fn recording_key<'a>(
    recording: &SetRecording,
    match_key: &'a MatchKey,
    client: PlaybackClient,
) -> LookupKey<'a> {
    // A stored signature is compared as it is; the shipped client computes no keys for any other.
    key(match_key, recording.is_stored || client.computes_context_keys())
}

fn partial_key(match_key: &MatchKey) -> (&ToolNameSlice, u64) {
    (&match_key.names, match_key.messages)
}

/// Returns the compared properties of a recording; `None` if nothing can match it.
pub(super) fn recorded_key(entry: &SetRecording, client: PlaybackClient) -> Option<LookupKey<'_>> {
    match &entry.comparison {
        ClientComparison::Compared(match_key) => Some(recording_key(entry, match_key, client)),
        _ => None,
    }
}

/// Returns the compared properties of a request.
pub(super) fn request_key(request: &PlayedRequest, client: PlaybackClient) -> LookupKey<'_> {
    key(&request.match_key, client.computes_context_keys())
}
