//! Chooses the tape or recording that answers a call.

use std::cell::LazyCell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::near_miss::{MAX_CANDIDATES, nearest, recordings};
use super::{Catalog, CatalogTape, ChosenAnswer, Fallback, MatchedBy, ServeChoice};
use crate::client::HttpRequest;
use crate::live::client_call::ClientCall;
use crate::playback::{
    MatchStep, NO_SIGNATURE, PlaybackMode, PlaybackRules, PlaybackRun, PlayedRequest, Reason,
    RecordingSet,
};
use calls::Pool;
use calls::api::Api;
use calls::reading::conversation_key;
use calls::tape::verify::{Strictness, VerifyVerdict, verify};
use document::tape::{RequestShape, Tape};
use document::text::{Source, counted};
use document::{DocumentBody, json};

const SAME_REQUEST: &str = "It was recorded for the same request.";
const SAME_CONVERSATION: &str = "It was recorded for the same conversation: the messages are equal in their texts and tool calls.";

impl ChosenAnswer {
    fn new(path: &Arc<str>, matched_by: MatchedBy) -> Self {
        Self { path: Arc::clone(path), matched_by }
    }
}

impl Catalog {
    /// Chooses the answer of a call and counts it as served.
    pub fn choose(&self, name: &str, call: &ClientCall, http: &HttpRequest) -> ServeChoice {
        let mut choice = ServeChoice::default();
        let request = to_played_request(name, call);
        let chosen_tape = self
            .by_request(call, &mut choice)
            .or_else(|| self.by_cassette(http, &mut choice))
            .or_else(|| self.by_recorded_request(call, &mut choice))
            .or_else(|| self.by_set(request.as_ref()?, &mut choice))
            .or_else(|| self.by_order(call, &mut choice));
        if chosen_tape.is_none() {
            // A cassette is nearest by what its own client compares.
            choice.nearest.extend(nearest(self, call, request.as_ref()));
            choice.nearest.truncate(MAX_CANDIDATES);
        }
        choice.chosen = chosen_tape;
        choice
    }

    /// Chooses the recording that answers a request of a queue and marks it as used.
    pub fn choose_recording(&self, request: &Arc<PlayedRequest>) -> ServeChoice {
        let mut choice = ServeChoice::default();
        choice.chosen = self.by_set(request, &mut choice);
        if choice.chosen.is_none() {
            choice.nearest = recordings(self, request);
        }
        choice
    }

    fn by_request(&self, call: &ClientCall, choice: &mut ServeChoice) -> Option<ChosenAnswer> {
        let strictness = self.rules.tapes;
        if let Some((tape, verdict)) = self.least_served(|tape| tape.matches(call, strictness)) {
            let ignored_differences = verdict.map(|verdict| verdict.ignored).unwrap_or_default();
            choice.differences = ignored_differences.into_iter().map(|d| d.message).collect();
            let (how, why) = match strictness {
                Strictness::Strict => (MatchedBy::Strict, SAME_REQUEST),
                Strictness::Loose => (
                    MatchedBy::Loose(choice.differences.len()),
                    "With loose comparison, it was recorded for the same request.",
                ),
            };
            choice.why.push(why.to_owned());
            return Some(ChosenAnswer::new(&tape.path, how));
        }
        // Computed at most once, and only if some tape has a conversation to compare.
        let sent = LazyCell::new(|| {
            let body = call.body.tree.root();
            body.map(|body| conversation_key(body, RequestShape::Other))
        });
        let best = self.least_served(|tape| {
            let is_alike =
                tape.conversation.is_some() && tape.conversation == tape.key_of(call, &sent);
            is_alike.then(|| tape.compare(call, strictness))
        });
        if let Some((tape, verdict)) = best {
            let diffs = verdict.map(|verdict| verdict.differences).unwrap_or_default();
            choice.differences = diffs.into_iter().map(|difference| difference.message).collect();
            choice.why.push(SAME_CONVERSATION.to_owned());
            return Some(ChosenAnswer::new(&tape.path, MatchedBy::Conversation));
        }
        if !self.tapes.is_empty() {
            let tapes = counted(self.tapes.len(), "tape", "tapes");
            choice.why.push(format!("None of {tapes} was recorded for this request."));
        }
        None
    }

    /// Takes the first of the matching tapes that were served least often, with the result of the comparison.
    fn least_served(
        &self,
        matches: impl Fn(&CatalogTape) -> Option<Option<VerifyVerdict>>,
    ) -> Option<(&CatalogTape, Option<VerifyVerdict>)> {
        loop {
            let mut best: Option<(&CatalogTape, usize, Option<VerifyVerdict>)> = None;
            for tape in &self.tapes {
                // The count guards no other memory, so threads need no order.
                let served = tape.served.load(Ordering::Relaxed);
                if best.as_ref().is_none_or(|(_, least, _)| served < *least)
                    && let Some(verdict) = matches(tape)
                {
                    best = Some((tape, served, verdict));
                }
            }
            // Nothing is locked while requests are compared: if another call was served from this tape meanwhile, another tape
            // may come first.
            let (tape, served_count, verdict) = best?;
            if tape.count_served(served_count) {
                return Some((tape, verdict));
            }
        }
    }

    /// Chooses a recording by its request: one that is not used, else the last one of a file. Clients of a folder serve none twice.
    fn by_recorded_request(
        &self,
        call: &ClientCall,
        choice: &mut ServeChoice,
    ) -> Option<ChosenAnswer> {
        // By position a client looks at no request.
        if self.rules.mode == PlaybackMode::Sequential || self.keys.is_empty() {
            return None;
        }
        let take = |(set, index): (usize, usize), is_repeat: bool| {
            let (set, state) = self.sets.get(set)?;
            let recording = set.recordings.get(index)?;
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            // A set begins with an empty state.
            state.used.resize(set.recordings.len(), false);
            let is_used = std::mem::replace(&mut state.used[index], true);
            (!is_used || is_repeat && set.is_file).then_some((set, recording))
        };
        for (number, key) in call.keys().into_iter().enumerate() {
            let equal = self.keys.get(&key).map_or(&[][..], Vec::as_slice);
            let mut unused = equal.iter().map(|place| take(*place, false));
            let unused_recording = unused
                .find_map(|tape| tape)
                .or_else(|| equal.iter().rev().find_map(|place| take(*place, true)));
            let Some((set, recording)) = unused_recording else { continue };
            // A recording of a folder has no HTTP body: messages, tools and prompt are its whole request.
            let is_equal = number == 0 || !set.is_file;
            let (how, why) = if is_equal {
                (MatchedBy::Strict, SAME_REQUEST)
            } else {
                (MatchedBy::Conversation, SAME_CONVERSATION)
            };
            choice.why.push(why.to_owned());
            return Some(ChosenAnswer::new(&recording.path, how));
        }
        None
    }

    /// Plays the call against the sets: all by signature before any by position.
    fn by_set(&self, request: &Arc<PlayedRequest>, pick: &mut ServeChoice) -> Option<ChosenAnswer> {
        let steps: &[PlaybackMode] = match self.rules.mode {
            PlaybackMode::Hybrid => &[PlaybackMode::Signature, PlaybackMode::Sequential],
            PlaybackMode::Signature => &[PlaybackMode::Signature],
            PlaybackMode::Sequential => &[PlaybackMode::Sequential],
        };
        steps.iter().find_map(|mode| self.play(*mode, request, pick))
    }

    fn play(
        &self,
        mode: PlaybackMode,
        request: &Arc<PlayedRequest>,
        choice: &mut ServeChoice,
    ) -> Option<ChosenAnswer> {
        let of = self.sets.len();
        let mut misses = Vec::new();
        for (set, state) in &self.sets {
            // Held until the new state is stored, so that two calls never get one recording.
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let rules = PlaybackRules { mode, ..PlaybackRules::default() };
            let start = state.clone();
            let run = PlaybackRun::resume(Arc::clone(set), rules, start, vec![Arc::clone(request)]);
            let Some(served) = run.calls.first().and_then(|call| call.served().copied()) else {
                let why = run.explain(0).into_iter().next();
                misses.extend(why.map(|why| (place(set), why.text)));
                continue;
            };
            choice.why.extend(explain_misses(&misses, of));
            choice.why.extend(run.explain(0).into_iter().map(|why| why.text));
            *state = run.state_after(1);
            let how = match served.step {
                MatchStep::Signature => MatchedBy::Signature { first_of: served.first_of },
                MatchStep::Sequential => MatchedBy::Position(served.index + 1),
            };
            if let MatchedBy::Position(_) = how {
                choice.differences = mismatches(&run, served.index);
            }
            return Some(ChosenAnswer::new(&set.recordings.get(served.index)?.path, how));
        }
        choice.why.extend(explain_misses(&misses, of));
        None
    }

    /// Takes the next tape in order without comparing it.
    fn by_order(&self, call: &ClientCall, choice: &mut ServeChoice) -> Option<ChosenAnswer> {
        if self.rules.fallback == Fallback::Refuse || self.tapes.is_empty() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed) % self.tapes.len();
        let tape = &self.tapes[index];
        let verdict = tape.compare(call, self.rules.tapes);
        let differences = verdict.map(|verdict| verdict.differences).unwrap_or_default();
        choice.differences = differences.into_iter().map(|difference| difference.message).collect();
        choice.why.push(format!(
            "The next tape in order is served: tape {} of {}.",
            index + 1,
            self.tapes.len()
        ));
        tape.served.fetch_add(1, Ordering::Relaxed);
        Some(ChosenAnswer::new(&tape.path, MatchedBy::Next(index + 1)))
    }
}

/// Returns where a set is, in words.
fn place(set: &RecordingSet) -> String {
    match &*set.folder {
        "" => "The project's folder".to_owned(),
        file if set.is_file => format!("`{file}`"),
        folder => format!("`{folder}/`"),
    }
}

/// Explains why sets have no answer, one sentence for each folder; the same reason for several of the `of` sets is
/// given once.
fn explain_misses(misses: &[(String, String)], of: usize) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (folder, why) in misses {
        match groups.iter_mut().find(|(reason, _)| reason == why) {
            Some((_, folders)) => folders.push(folder),
            None => groups.push((why, vec![folder])),
        }
    }
    let sentence = |(why, folders): (&str, Vec<&str>)| match (why, &folders[..]) {
        _ if of == 1 => why.to_owned(),
        (why, [place]) => format!("{place}: {why}"),
        (NO_SIGNATURE, all) if all.len() == of => {
            format!("None of {of} sets has a recording with its signature.")
        }
        (NO_SIGNATURE, some) => {
            let some = some.len();
            format!("{some} of {of} sets have no recording with its signature.")
        }
        (why, some) => format!("{} of {of} sets: {why}", some.len()),
    };
    groups.into_iter().map(sentence).collect()
}

/// Returns why a recording that was served by position does not match.
fn mismatches(run: &PlaybackRun, index: usize) -> Vec<String> {
    let Some(call) = run.calls.first() else { return Vec::new() };
    let recording = &run.set.recordings[index];
    // Alone in a set, so that no other recording is nearer.
    let alone = RecordingSet { recordings: vec![recording.clone()], ..Default::default() };
    let rules = PlaybackRules { mode: PlaybackMode::Signature, ..run.rules };
    let run = PlaybackRun::new(Arc::new(alone), rules, vec![Arc::clone(&call.request)]);
    let nearest = run.nearest(0).filter(|_| run.calls[0].served().is_none());
    nearest.map(|miss| miss.reasons).unwrap_or_default().iter().map(Reason::sentence).collect()
}

/// Returns the request in the format of recordings.
fn to_played_request(name: &str, call: &ClientCall) -> Option<Arc<PlayedRequest>> {
    let request = call.recorded.body.request()?;
    Some(Arc::new(PlayedRequest::from_request(name.into(), request, &Pool::default())))
}

impl CatalogTape {
    /// Increments its count unless that differs from `served_count`.
    fn count_served(&self, served_count: usize) -> bool {
        let (new_count, ordering) = (served_count + 1, Ordering::Relaxed);
        self.served.compare_exchange(served_count, new_count, ordering, ordering).is_ok()
    }

    fn tape(&self) -> Option<&Tape> {
        match &self.request.body {
            DocumentBody::Tape(tape) => Some(tape),
            _ => None,
        }
    }

    /// Returns whether it matches a call, with the result of the comparison if one was made.
    fn matches(&self, call: &ClientCall, strictness: Strictness) -> Option<Option<VerifyVerdict>> {
        let tape = self.tape()?;
        // For this shape, players compare the texts that `JSON.stringify` gives.
        if strictness == Strictness::Strict && tape.request_shape == RequestShape::Other {
            return (self.request_text(call)? == self.stringified).then_some(None);
        }
        let verdict = self.compare(call, strictness)?;
        verdict.matches().then_some(Some(verdict))
    }

    /// Returns the key of a call's request as a conversation: of Gemini's, in the shape of this tape's request.
    fn key_of(
        &self,
        call: &ClientCall,
        sent: &LazyCell<Option<u64>, impl FnOnce() -> Option<u64>>,
    ) -> Option<u64> {
        if call.api != Api::Gemini {
            return **sent;
        }
        let (tree, _) = json::parse(&Source::new(self.request_text(call)?));
        Some(conversation_key(tree.root()?, RequestShape::Other))
    }

    /// Returns a call's request in the shape of this tape's request.
    fn request_text(&self, call: &ClientCall) -> Option<String> {
        let tape = self.tape()?;
        Some(call.in_shape(tape.request_shape, tape.request.map(|id| self.request.node(id))))
    }

    /// Compares a call's request with this tape's.
    pub(super) fn compare(&self, call: &ClientCall, level: Strictness) -> Option<VerifyVerdict> {
        let request = document::read(Source::new(self.request_text(call)?), "request.json");
        verify(&self.request, &request, level).ok()
    }
}
