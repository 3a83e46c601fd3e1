//! The queue side of the live desk: folders in which programs wait, their requests, and the answers.
//!
//! The engine watches folders and writes answers; this module holds the waiting requests, the drafts and the log. Nothing is
//! watched before the user requests it, and only answers are written: by the user, or by a rule of the project while rules
//! answer automatically.

mod handlers;
mod request;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::StepDirection;
use jiff::{SignedDuration, Timestamp};
use play::live::queue::{ANSWER_TIMEOUT, AnswerRule, QueueReply};
use protocol::{DocId, RequestId, RuleMode};

pub use request::{AnswerDraft, AnswerMethod, AnswerRuleDraft, PendingRequest, RequestTool};

/// Number of answered requests that the log keeps.
const MAX_LOG_ENTRIES: usize = 200;

/// A queue that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedQueue {
    pub folder: Arc<Path>,
    pub exists: bool,
    /// Whether rules answer automatically there.
    pub rule_mode: RuleMode,
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// Answered by the user.
    ByHand,
    /// Answered like the recording with this name.
    Recording(Arc<str>),
    /// Answered by the rule with this name.
    Rule(Arc<str>),
    /// Answered by another program.
    Elsewhere,
    Withdrawn,
    TimedOut,
    /// Not readable; the reason is a sentence.
    Unreadable(Arc<str>),
}

/// An entry of the log of requests.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestLogEntry {
    pub id: RequestId,
    pub label: String,
    pub at: Timestamp,
    pub outcome: RequestOutcome,
}

/// The watched queues with their requests.
#[derive(Debug, Default)]
pub struct QueueDesk {
    pub watched: Vec<WatchedQueue>,
    /// In the order in which they were written.
    pending: Vec<PendingRequest>,
    /// The latest first.
    pub log: Vec<RequestLogEntry>,
    selected: Option<RequestId>,
    pub rules: Arc<[AnswerRule]>,
    pub rule_faults: Arc<[String]>,
    /// The rule that is being edited.
    pub rule_draft: AnswerRuleDraft,
    /// The running ranking: the request, and the revision of the items.
    ranking: Option<(RequestId, u64)>,
    /// The current time, in seconds of the window's clock.
    now: f64,
    /// Grows with every change of what is shown.
    pub revision: u64,
    /// Grows each time the cursor is to move to the answer.
    pub focus: u64,
}

impl QueueDesk {
    /// Number of requests that are waiting and not timed out.
    pub fn waiting(&self) -> usize {
        self.in_time().count()
    }

    /// The waiting requests that are not timed out, by deadline.
    pub fn in_time(&self) -> impl Iterator<Item = &PendingRequest> {
        self.pending.iter().filter(|request| request.is_waiting())
    }

    pub fn selected(&self) -> Option<&PendingRequest> {
        self.find(self.selected.as_ref()?)
    }

    /// Returns a request, timed out or not.
    pub fn find(&self, id: &RequestId) -> Option<&PendingRequest> {
        self.pending.iter().find(|request| request.id == *id)
    }

    /// The answer of the selected request as it would be written, or what is missing, in a few words.
    pub fn reply(&self) -> Option<Result<QueueReply, String>> {
        let request = self.selected()?;
        Some(match (request.draft.method, request.rule(&self.rules)) {
            (AnswerMethod::Rule, None) => Err("no rule matches this request".to_owned()),
            // Only the engine reads files.
            (AnswerMethod::Rule, Some(rule)) => rule.reply(&request.question, |path| {
                Err(format!("the answer is read from {path} when it is written"))
            }),
            _ => request.reply().map(|(reply, _)| reply),
        })
    }

    /// Reason the answer cannot be written now, in a few words.
    pub fn blocked_reason(&self) -> Option<String> {
        let request = self.selected()?;
        if request.ended.is_some() {
            return Some("the request is no longer waiting".to_owned());
        }
        if request.writing.is_some() {
            return Some("the answer is being written".to_owned());
        }
        match request.draft.method {
            // The answer of a rule may be in a file, so a fault in it is found only when it is written.
            AnswerMethod::Rule if request.rule(&self.rules).is_some() => None,
            _ => self.reply()?.err(),
        }
    }

    /// Number of seconds until a request times out; at least 0.
    pub fn seconds_left(&self, request: &PendingRequest) -> f64 {
        (request.deadline - self.now).clamp(0.0, ANSWER_TIMEOUT.as_secs_f64())
    }

    fn find_mut(&mut self, id: &RequestId) -> Option<&mut PendingRequest> {
        self.pending.iter_mut().find(|request| request.id == *id)
    }

    fn selected_mut(&mut self) -> Option<&mut PendingRequest> {
        self.find_mut(&self.selected.clone()?)
    }

    fn update_queue(&mut self, folder: &Path, change: impl FnOnce(&mut WatchedQueue)) {
        let mut queues = self.watched.iter_mut();
        if let Some(queue) = queues.find(|queue| *queue.folder == *folder) {
            change(queue);
            self.revision += 1;
        }
    }

    /// Moves the selection by some waiting requests.
    pub(crate) fn step(&mut self, step: StepDirection, rows: usize) {
        let ids: Vec<RequestId> = self.in_time().map(|request| request.id.clone()).collect();
        let position = ids.iter().position(|id| Some(id) == self.selected.as_ref());
        if let Some(id) = ids.get(step.target_in(position, rows, ids.len())) {
            self.select(id.clone());
        }
    }

    /// Selects a request. An ended request is removed when it is no longer selected.
    fn select(&mut self, id: RequestId) {
        if self.find(&id).is_none() || self.selected.as_ref() == Some(&id) {
            return;
        }
        self.selected = Some(id);
        self.remove_ended();
    }

    /// Removes ended requests that are not selected.
    fn remove_ended(&mut self) {
        let selected_id = self.selected.as_ref();
        self.pending.retain(|request| request.ended.is_none() || Some(&request.id) == selected_id);
        self.revision += 1;
    }

    /// Selects the request after a removed one, in the order of the list.
    fn select_after(&mut self, position: usize) {
        let later_request = self.pending.iter().skip(position).find(|request| request.is_waiting());
        // After the last one, the request that times out first is next.
        let next = later_request.or_else(|| self.in_time().next());
        self.selected = next.map(|request| request.id.clone());
        self.remove_ended();
    }

    /// Records the outcome of a request. A request that is being answered by hand stays while it is selected.
    fn finish(&mut self, id: &RequestId, time: Timestamp, end: RequestOutcome) {
        let Some(place) = self.pending.iter().position(|request| request.id == *id) else { return };
        let label = self.pending[place].title();
        self.add_to_log(RequestLogEntry { id: id.clone(), label, at: time, outcome: end.clone() });
        let is_own = matches!(
            end,
            RequestOutcome::ByHand | RequestOutcome::Recording(_) | RequestOutcome::Rule(_)
        );
        let request = &mut self.pending[place];
        let is_selected = self.selected.as_ref() == Some(id);
        let is_being_written = request.writing.is_some();
        // If another program has answered, what the user has typed stays on screen.
        if is_selected && !(is_own && is_being_written) && !request.is_untouched() {
            request.ended = Some(end);
            self.revision += 1;
            return;
        }
        self.pending.remove(place);
        self.revision += 1;
        if is_selected {
            self.select_after(place);
        }
    }

    /// Marks the selected request as waiting for a rule, where rules answer automatically.
    fn await_rule(&mut self, rule: &AnswerRule) {
        let Some(request) = self.selected() else { return };
        let is_answered = self.watched.iter().any(|queue| {
            queue.folder == request.id.queue && queue.rule_mode == RuleMode::Automatic
        });
        let name: Arc<str> = rule.name.as_str().into();
        if is_answered
            && rule.answers(&request.question)
            && let Some(request) = self.selected_mut()
        {
            request.writing = Some(RequestOutcome::Rule(name));
        }
    }

    /// Adds an entry to the log, and replaces an earlier entry of the same request.
    fn add_to_log(&mut self, log: RequestLogEntry) {
        self.log.retain(|entry| entry.id != log.id);
        self.log.insert(0, log);
        self.log.truncate(MAX_LOG_ENTRIES);
        self.revision += 1;
    }

    /// Sets the time, and marks requests that timed out.
    pub(crate) fn set_time(&mut self, now: f64) {
        self.now = now;
        let mut entries = Vec::new();
        for request in &mut self.pending {
            if request.is_waiting() && request.deadline <= now {
                request.is_overdue = true;
                let timeout = SignedDuration::try_from(ANSWER_TIMEOUT).unwrap_or_default();
                entries.push(RequestLogEntry {
                    id: request.id.clone(),
                    label: request.title(),
                    at: request.written_at.saturating_add(timeout).unwrap_or(request.written_at),
                    outcome: RequestOutcome::TimedOut,
                });
            }
        }
        for log in entries {
            let is_selected = self.selected.as_ref() == Some(&log.id);
            let place = self.pending.iter().position(|request| request.id == log.id);
            let is_untouched = place.is_some_and(|place| self.pending[place].is_untouched());
            self.add_to_log(log);
            // A draft that was begun stays on screen.
            if let Some(place) = place.filter(|_| is_selected && is_untouched) {
                self.select_after(place + 1);
            }
        }
    }

    /// Removes a queue with its requests.
    fn forget(&mut self, folder: &Path) {
        self.watched.retain(|queue| *queue.folder != *folder);
        self.pending.retain(|request| *request.id.queue != *folder);
        if self.selected().is_none() {
            self.select_after(0);
        }
        self.revision += 1;
    }
}

/// An action of the queue side.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueAction {
    /// Opens a dialog to choose a folder to watch.
    Pick,
    /// Watches the queue to which this request belongs.
    WatchFile(DocId),
    /// Watches the queue in this folder, or the queue whose folder of requests this is.
    Watch(PathBuf),
    /// Stops watching a queue.
    Stop(Arc<Path>),
    /// Sets whether rules answer automatically there.
    SetRuleMode(Arc<Path>, RuleMode),
    /// Shows this request.
    Select(RequestId),
    /// Sets the draft of an answer.
    Fill(RequestId, Box<AnswerDraft>),
    /// Sets how the shown request is answered.
    Answer(AnswerMethod),
    /// Chooses the tool or recording at this position.
    Choose(usize),
    /// Shows the nearest recordings of this set.
    ChooseSet(Arc<str>),
    /// Copies the answer of the chosen recording into the form, to edit it.
    EditAnswer,
    /// Writes the answer of the shown request.
    Write,
    /// Compares the request with the nearest recording.
    Compare,
    /// Makes a rule from the answer.
    DraftRule,
    /// Sets the values of the rule's form.
    TypeRule(AnswerRuleDraft),
    /// Adds the rule to the project's file.
    SaveRule,
}
