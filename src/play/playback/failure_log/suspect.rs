//! Finds the recording of a set to look at first.

use std::sync::Arc;

use super::{FailureKind, LoggedFailure};
use crate::playback::comparison::ClientComparison;
use crate::playback::{
    PlaybackClient, PlaybackMode, PlaybackRules, PlaybackRun, PlayerState, RecordingSet,
    SetRecording,
};
use document::text::{counted, quoted};

/// The most likely cause of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its position in the set.
    pub index: usize,
    /// The reason, as a sentence with its full stop.
    pub why: String,
}

impl LoggedFailure {
    /// Returns the state before the failure: used are the recordings with marked or served ids; without ids, those at
    /// the marked positions.
    pub(super) fn state(&self, set: &RecordingSet) -> PlayerState {
        let mut used = vec![false; set.recordings.len()];
        let marked: Vec<_> = match &self.kind {
            FailureKind::NoMatch { available, .. } if !available.is_empty() => {
                let marked = available.iter().filter(|one| one.used);
                marked.map(|one| (one.id.as_ref(), one.index)).collect()
            }
            // No set has this position, so an id that the set lacks marks nothing.
            _ => self.served().map(|id| (Some(id), usize::MAX)).collect(),
        };
        for (id, index) in marked {
            let has_id = |recording: &SetRecording| id.is_some() && recording.id.as_ref() == id;
            let at = set.recordings.iter().position(has_id).unwrap_or(index);
            if let Some(is_used) = used.get_mut(at) {
                *is_used = true;
            }
        }
        // Only signature mode fails so, and it has no counter.
        PlayerState { used, next: 0 }
    }

    /// Returns the ids of recordings that were served before, in order.
    pub(super) fn served(&self) -> impl DoubleEndedIterator<Item = &Arc<str>> {
        self.calls.iter().filter_map(|call| call.id.as_ref())
    }

    /// Describes how the set differs from the one in the log, as a sentence; `None` if it does not, or the log lists
    /// none.
    pub fn changed_since(&self, set: &RecordingSet) -> Option<String> {
        let (then, now) = match &self.kind {
            FailureKind::NoMatch { available, .. } if !available.is_empty() => {
                (available.len(), set.recordings.len())
            }
            _ => (self.total()?, set.recordings.len()),
        };
        (then != now).then(|| {
            let then = counted(then, "recording", "recordings");
            format!("The log shows {then}, but the set now has {now}.")
        })
    }

    /// Returns the number of recordings in the log.
    pub(super) fn total(&self) -> Option<usize> {
        match &self.kind {
            FailureKind::PastEnd { total, .. } => Some(*total),
            FailureKind::NoMatch { available, .. } if !available.is_empty() => {
                Some(available.len())
            }
            _ => {
                let mut positions = self.calls.iter().filter_map(|call| call.position);
                Some(positions.next()?.1)
            }
        }
    }

    /// Returns the recording to look at first; `None` if nothing is suspicious.
    pub fn suspect(&self, set: &Arc<RecordingSet>) -> Option<Suspect> {
        match &self.kind {
            FailureKind::NoMatch { request, .. } => {
                // No other mode ends in this error.
                let (mode, client) = (PlaybackMode::Signature, PlaybackClient::Shipped);
                let rules = PlaybackRules { mode, client };
                let request = vec![Arc::clone(request)];
                let run = PlaybackRun::resume(Arc::clone(set), rules, self.state(set), request);
                if let Some(index) = run.calls.first()?.index() {
                    let why = "It matches this request now, so something changed since the log was written.".to_owned();
                    return Some(Suspect { index, why });
                }
                let nearest = run.misses(0, 1).nearest.pop()?;
                let reasons: Vec<_> = nearest.reasons.iter().map(|r| r.sentence()).collect();
                Some(Suspect {
                    index: nearest.index,
                    why: format!("It is the closest match. {}.", reasons.join(". ")),
                })
            }
            FailureKind::ToolNotFound { tool } => self.caller(tool, set),
            FailureKind::PastEnd { .. } => past_end(set),
            FailureKind::Run { .. } | FailureKind::NoDirectory | FailureKind::Cassette(_) => None,
        }
    }

    /// Returns the recording whose answer called the tool: the one served last, else one that never offered it, else
    /// the first.
    fn caller(&self, tool: &str, set: &RecordingSet) -> Option<Suspect> {
        let calls = |recording: &&SetRecording| recording.calls.iter().any(|call| **call == *tool);
        let callers: Vec<_> =
            set.recordings.iter().enumerate().filter(|(_, recording)| calls(recording)).collect();
        let offers = |recording: &SetRecording| recording.offered().iter().any(|n| **n == *tool);
        let was_last = callers.iter().find(|(_, recording)| {
            let last = self.served().next_back();
            last.is_some() && last == recording.id.as_ref()
        });
        let never_offered = || callers.iter().find(|(_, recording)| !offers(recording));
        let tool = quoted(tool);
        let (caller, why) = match (was_last, never_offered()) {
            (Some(caller), _) => {
                (caller, format!("It was served last, and its answer calls {tool}."))
            }
            (None, Some(caller)) => {
                (caller, format!("Its answer calls {tool}, which its own request does not offer."))
            }
            (None, None) => (callers.first()?, format!("Its answer calls {tool}.")),
        };
        Some(Suspect { index: caller.0, why })
    }
}

/// Explains calls after the last recording: some matched none and used others by position, or there were more than
/// recorded.
fn past_end(set: &RecordingSet) -> Option<Suspect> {
    let never = |recording: &SetRecording| match &recording.comparison {
        // Shipped clients compute no context keys for a request, so stored ones never match.
        ClientComparison::Compared(match_key) => recording.is_stored && !match_key.keys.is_empty(),
        _ => true,
    };
    if let Some(index) = set.recordings.iter().position(never) {
        let count = set.recordings.iter().filter(|recording| never(recording)).count();
        let (more, they) = match count {
            1 => (String::new(), "it"),
            count => (format!(" {} more do not match either.", count - 1), "they"),
        };
        let why = format!(
            "It matches no request of a shipped client.{more} Calls that {they} should answer use up other recordings by position."
        );
        return Some(Suspect { index, why });
    }
    let index = set.recordings.len().checked_sub(1)?;
    let why = "There were more calls than recordings; the recording after this one is missing."
        .to_owned();
    Some(Suspect { index, why })
}
