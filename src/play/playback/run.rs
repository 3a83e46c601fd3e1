//! A run of calls that was played, and its summary.

use std::sync::{Arc, OnceLock};

use super::error_text::{error_line, error_text};
use super::misses::MissIndex;
use super::tool_uses::ToolUses;
use super::{
    CallOutcome, PlaybackClient, PlaybackRules, PlayedCall, PlayerState, RecordingSet,
    ResponseShape,
};
use document::text::counted;

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
    pub(super) miss_index: OnceLock<Arc<MissIndex>>,
    /// Made when the first rename of a tool is considered.
    pub(super) tool_uses: OnceLock<Arc<ToolUses>>,
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// Status, for its color and icon.
    pub status: ResultStatus,
    /// One sentence with its full stop.
    pub title: String,
    /// Details in one or two sentences; may be empty.
    pub detail: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResultStatus {
    /// Each call gets its answer.
    #[default]
    Good,
    /// Each call gets an answer that fits, some only by file order.
    Doubtful,
    /// Some call gets no answer, or a wrong one.
    Bad,
}

impl PlaybackRun {
    /// Returns the state of the client after this many calls; 0 is before the first.
    pub fn state_after(&self, calls: usize) -> PlayerState {
        let mut used = self.before.used.clone();
        // The state of a run without a log has no flags.
        used.resize(self.set.recordings.len(), false);
        let calls = &self.calls[..calls.min(self.calls.len())];
        for index in calls.iter().filter_map(PlayedCall::index) {
            used[index] = true;
        }
        PlayerState { used, next: calls.last().map_or(self.before.next, |call| call.next) }
    }

    /// Returns how many calls and recordings it has: `2 calls against 3 recordings`.
    pub fn extent(&self) -> String {
        let recordings = counted(self.set.recordings.len(), "recording", "recordings");
        match self.calls.len() {
            0 => format!("No calls, {recordings}"),
            calls => format!("{} against {recordings}", counted(calls, "call", "calls")),
        }
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
        self.miss_index
            .get_or_init(|| Arc::new(MissIndex::new(&self.set, &self.before, &self.served_in)))
    }

    pub(super) fn tool_uses(&self) -> &ToolUses {
        self.tool_uses.get_or_init(|| Arc::new(ToolUses::new(&self.set, &self.calls)))
    }

    /// Returns the last call before this one in which a recording was used.
    pub(super) fn used_in(&self, recording: usize, call_limit: usize) -> Option<usize> {
        let calls = self.served_in.get(recording)?;
        // Calls were added while they were played, so they ascend.
        let count = calls.partition_point(|call| *call < call_limit);
        calls[..count].last().copied()
    }
}
