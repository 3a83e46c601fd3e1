//! Reconstructs the requests of a logged run from the log and from the recordings that answered them.

use std::sync::Arc;

use super::{FailureKind, LoggedCall, LoggedFailure, LoggedStep, MismatchKind, ToolMismatch};
use crate::playback::played_request::{MessagesKnown, PlayedRequest, RequestOrigin, ToolsKnown};
use crate::playback::{
    PlaybackClient, PlaybackMode, PlaybackRules, Player, PlayerState, RecordingSet, SetRecording,
};

/// The requests of a logged run, to be played against the current set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    /// The state before the first of them.
    pub before: PlayerState,
    /// In order.
    pub requests: Vec<Arc<PlayedRequest>>,
}

/// Message counts that are tried if that of the recording would have matched: conversations grow by two.
const MESSAGE_COUNTS: [u64; 6] = [1, 3, 5, 7, 9, 2];

impl LoggedFailure {
    /// Returns the rules of the client; `None` if the log does not show them.
    pub fn rules(&self, set: &RecordingSet) -> Option<PlaybackRules> {
        let shipped = |mode| PlaybackRules { mode, client: PlaybackClient::Shipped };
        if let FailureKind::NoMatch { request, .. } = &self.kind {
            // Only a client that compares only signatures ends so. The one for browsers prints no count of messages.
            let client = match request.messages_known() {
                MessagesKnown::Yes => PlaybackClient::Shipped,
                MessagesKnown::No => PlaybackClient::Browser,
            };
            return Some(PlaybackRules { mode: PlaybackMode::Signature, client });
        }
        let has = |step| self.calls.iter().any(|call| call.step == Some(step));
        let is_past_end = matches!(self.kind, FailureKind::PastEnd { .. });
        if has(LoggedStep::InOrder) || has(LoggedStep::Empty) {
            let is_hybrid = has(LoggedStep::Signature);
            return Some(PlaybackRules {
                mode: if is_hybrid { PlaybackMode::Hybrid } else { PlaybackMode::Sequential },
                client: if is_past_end { PlaybackClient::Shipped } else { PlaybackClient::Browser },
            });
        }
        match (has(LoggedStep::Signature), has(LoggedStep::Sequential)) {
            (false, false) if !is_past_end => None,
            (false, true) if self.ignores_signatures(set) => {
                Some(shipped(PlaybackMode::Sequential))
            }
            _ => Some(shipped(PlaybackMode::Hybrid)),
        }
    }

    /// Returns whether calls were answered by position although the signature of each recording matches, as only a
    /// client that ignores signatures does.
    fn ignores_signatures(&self, set: &RecordingSet) -> bool {
        let rules = PlaybackRules { mode: PlaybackMode::Hybrid, client: PlaybackClient::Shipped };
        let player = Player::new(set, rules);
        let mut fits = self.calls.iter().filter(|call| call.step.is_some()).map(|call| {
            let index = call.recording(set, &player.state().used);
            let recording = index.and_then(|index| set.recordings.get(index));
            let own = recording.and_then(|recording| recording.request.as_deref());
            call.mismatches.is_empty() && own.is_some_and(|own| player.has_match(own))
        });
        fits.next() == Some(true) && fits.all(|fits| fits)
    }

    /// Reconstructs the requests of the run. If the log contains no steps, there is only the failing one.
    pub fn replay(&self, set: &RecordingSet) -> Replay {
        if let FailureKind::NoMatch { request: requests, .. } = &self.kind {
            return Replay { before: self.state(set), requests: vec![Arc::clone(requests)] };
        }
        let start_state = self.before(set);
        let mut player = Player::resume(set, self.rules(set).unwrap_or_default(), &start_state);
        let mut requests = Vec::new();
        let mut play = |one: PlayedRequest, player: &mut Player<'_>| {
            player.play(&one);
            requests.push(Arc::new(one));
        };
        let is_same_size = |total: usize| total == set.recordings.len();
        for call in self.assigned(set) {
            if call.step.is_none() && call.mismatches.is_empty() {
                continue;
            }
            if let Some((position, _)) = call.position.filter(|(_, total)| is_same_size(*total)) {
                // A log that was cut lacks calls in between.
                while player.state().next < position {
                    play(self.unknown(call.line), &mut player);
                }
            }
            play(self.request_of_call(&call, set, &player), &mut player);
        }
        if let FailureKind::PastEnd { index, total } = self.kind {
            while player.state().next < index && is_same_size(total) {
                play(self.unknown(self.line), &mut player);
            }
            play(self.unknown(self.line), &mut player);
        }
        Replay { before: start_state, requests }
    }

    /// Returns the state before the first call in the log.
    fn before(&self, set: &RecordingSet) -> PlayerState {
        let mut used = vec![false; set.recordings.len()];
        let mut first = None;
        for call in self.calls.iter() {
            let index = call.recording(set, &used);
            match (call.step, index, call.position) {
                (None, Some(index), _) if call.mismatches.is_empty() => used[index] = true,
                (_, index, Some((position, _))) if first.is_none() => {
                    first = Some(index.unwrap_or(position));
                }
                _ => {}
            }
        }
        let next = match (first, &self.kind) {
            (Some(first), _) => first,
            (None, FailureKind::PastEnd { index, .. }) => *index,
            (None, _) => 0,
        };
        // The counter moves only with what it serves.
        used.iter_mut().take(next).for_each(|used| *used = true);
        PlayerState { used, next }
    }

    /// Returns whether each recording of the set may have answered a call of the run; of several with one id, all.
    ///
    /// # Errors
    ///
    /// The line of the first call whose recording is unknown, or is not in the set.
    pub fn used_recordings(&self, set: &RecordingSet) -> Result<Vec<bool>, usize> {
        let mut used = vec![false; set.recordings.len()];
        for call in self.calls.iter() {
            // A warning alone names no recording: it may apply to several.
            let is_named = call.id.is_some() || call.position.is_some();
            let index = call.recording(set, &used).filter(|_| is_named);
            *index.and_then(|index| used.get_mut(index)).ok_or(call.line)? = true;
            for (used, recording) in used.iter_mut().zip(&set.recordings) {
                *used |= call.id.is_some() && recording.id == call.id;
            }
        }
        Ok(used)
    }

    /// Creates a request without any details in the log.
    fn unknown(&self, line: usize) -> PlayedRequest {
        let origin = RequestOrigin::Log { line, messages: MessagesKnown::No };
        let name = format!("{}:{line}", self.log).into();
        PlayedRequest {
            tools_known: ToolsKnown::No,
            ..PlayedRequest::from_parts(name, origin, Vec::new(), 1, Box::default())
        }
    }

    /// Reconstructs the request of a call: its tools are those of the recording, changed by the differences in the log.
    fn request_of_call(
        &self,
        call: &LoggedCall,
        set: &RecordingSet,
        player: &Player<'_>,
    ) -> PlayedRequest {
        let index = call.recording(set, &player.state().used);
        let recording = index.and_then(|index| set.recordings.get(index));
        let unknown = |tools_known| PlayedRequest {
            tools_known,
            logged: Some(Arc::new(call.clone())),
            ..self.unknown(call.line)
        };
        let count = call.mismatches.iter().find_map(|mismatch| match mismatch.kind {
            MismatchKind::Count { current, .. } => Some(current),
            MismatchKind::Name { .. } => None,
        });
        let tools: Vec<Arc<str>> = match (&call.tools, recording, count) {
            (Some(tools), ..) => tools.to_vec(),
            // Where the counts differ, the client prints no names.
            (None, _, Some(count)) => return unknown(ToolsKnown::Count(count)),
            (None, Some(recording), None) => call.tools_from(recording),
            (None, None, None) => return unknown(ToolsKnown::No),
        };
        let messages = recording.map_or(1, |recording| match call.step {
            // The call matched, so the request had the count that is stored.
            Some(LoggedStep::Signature) => recording.signature().message_count,
            _ => recording.matching.computed.message_count,
        });
        let message_count = match (call.step, recording) {
            (Some(LoggedStep::Signature), Some(_)) => MessagesKnown::Yes,
            _ => MessagesKnown::No,
        };
        let request_with = |messages: u64| {
            let origin = RequestOrigin::Log { line: call.line, messages: message_count };
            let name = format!("{}:{}", self.log, call.line).into();
            let tools = tools.iter().cloned().map(Some).collect();
            PlayedRequest {
                logged: Some(Arc::new(call.clone())),
                ..PlayedRequest::from_parts(name, origin, tools, messages, Box::default())
            }
        };
        let by_place = call.step == Some(LoggedStep::Sequential);
        let request = request_with(messages);
        // Different tools already explain why no signature fitted, also where the set has been corrected since.
        let by_place = by_place && call.mismatches.is_empty();
        if !by_place || player.rules().mode != PlaybackMode::Hybrid || !player.has_match(&request) {
            return request;
        }
        // No signature fitted then, so it had another count of messages.
        MESSAGE_COUNTS
            .into_iter()
            .map(request_with)
            .find(|other| !player.has_match(other))
            .unwrap_or(request)
    }

    /// Returns the calls with each warning assigned to its call, which is lost if a runner prints warnings separately.
    fn assigned(&self, set: &RecordingSet) -> Vec<LoggedCall> {
        let bare = |call: &LoggedCall| LoggedCall { mismatches: Vec::new(), ..call.clone() };
        let mut calls: Vec<LoggedCall> = self.calls.iter().map(bare).collect();
        let fits = |call: &LoggedCall, mismatch: &ToolMismatch| {
            let index = call.recording(set, &[]);
            let recording = index.and_then(|index| set.recordings.get(index));
            call.step != Some(LoggedStep::Signature)
                && recording.is_some_and(|recording| mismatch.kind.applies_to(recording))
        };
        let mut from = 0;
        for (at, call) in self.calls.iter().enumerate() {
            for mismatch in &call.mismatches {
                let of = (from..=at).find(|one| {
                    let last = calls[*one].mismatches.last();
                    let is_next = last.is_none_or(|last| last.kind.can_precede(&mismatch.kind));
                    is_next && fits(&calls[*one], mismatch)
                });
                from = of.filter(|_| mismatch.is_apart).unwrap_or(at);
                calls[from].mismatches.push(mismatch.clone());
            }
        }
        calls
    }
}

impl LoggedCall {
    /// Returns the position of the recording that answered: by its id, else by its place; for a warning alone, the
    /// first one it applies to.
    fn recording(&self, set: &RecordingSet, used: &[bool]) -> Option<usize> {
        if let Some(id) = &self.id {
            // Several recordings may have one id, so the position in the log decides first.
            let has_id = |index: &usize| set.recordings[*index].id.as_ref() == Some(id);
            let logged = self.position.map(|(position, _)| position);
            let place = logged.filter(|place| *place < set.recordings.len()).filter(has_id);
            let with_id = || (0..set.recordings.len()).filter(has_id);
            let is_unused = |index: &usize| !used.get(*index).copied().unwrap_or_default();
            return place.or_else(|| with_id().find(is_unused)).or_else(|| with_id().next());
        }
        if let Some((position, total)) = self.position {
            // In a set of another size the positions have moved.
            return (total == set.recordings.len()).then_some(position);
        }
        let first = self.mismatches.first()?;
        set.recordings.iter().position(|recording| first.kind.applies_to(recording))
    }

    /// Returns the tools of a request that was answered by position: all different names are printed.
    fn tools_from(&self, recording: &SetRecording) -> Vec<Arc<str>> {
        let (mut old_names, mut new_names) = (Vec::new(), Vec::new());
        for mismatch in &self.mismatches {
            if let MismatchKind::Name { current, recorded: recorded_name, .. } = &mismatch.kind {
                old_names.push(recorded_name);
                new_names.push(current);
            }
        }
        let stays = recording.offered().iter().filter(|name| !old_names.contains(name));
        let mut tools: Vec<Arc<str>> = stays.cloned().collect();
        for name in new_names {
            if !tools.contains(name) {
                tools.push(Arc::clone(name));
            }
        }
        tools
    }
}

impl MismatchKind {
    /// Returns whether a client would print this for the recording.
    fn applies_to(&self, of: &SetRecording) -> bool {
        let offered = of.offered();
        match self {
            Self::Count { recorded, .. } => offered.len() == *recorded,
            Self::Name { index, recorded, .. } => offered.get(*index) == Some(recorded),
        }
    }

    /// Returns whether another mismatch can follow it in the same call: names are compared in order.
    fn can_precede(&self, next: &Self) -> bool {
        match (self, next) {
            (Self::Name { index, .. }, Self::Name { index: next, .. }) => index < next,
            _ => false,
        }
    }
}
