//! Handlers of the events of a queue.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::handlers::run_command;
use super::request::PendingRequest;
use super::{QueueDesk, RequestLogEntry, RequestOutcome};
use crate::core::Core;
use document::Severity;
use document::text::visible;
use play::live::queue::{ANSWER_TIMEOUT, RuleRequest};
use protocol::{NearSet, QueueCommand, QueueEvent, RequestId};

impl QueueDesk {
    pub(crate) fn receive(&mut self, core: &mut Core, event: QueueEvent) {
        match event {
            QueueEvent::RequestArrived { id, question, at, age } => {
                self.on_request(id, *question, at, age);
            }
            QueueEvent::Written(id, Ok(time)) => {
                let request = self.find(&id);
                let outcome = request.and_then(|request| request.writing.clone());
                self.finish(&id, time, outcome.unwrap_or(RequestOutcome::ByHand));
            }
            QueueEvent::Written(id, Err(reason)) => self.on_write_failed(core, &id, &reason),
            QueueEvent::AnsweredByRule(id, time, rule) => {
                self.finish(&id, time, RequestOutcome::Rule(rule));
            }
            QueueEvent::AnsweredElsewhere(id, time) => {
                self.finish(&id, time, RequestOutcome::Elsewhere);
            }
            QueueEvent::Withdrawn(id, time) => self.on_request_withdrawn(&id, time),
            QueueEvent::Failed(id, time, reason) => self.on_request_failed(core, id, time, reason),
            QueueEvent::FolderGone(dir) => self.update_queue(&dir, |queue| queue.exists = false),
            QueueEvent::FolderBack(dir) => self.update_queue(&dir, |queue| queue.exists = true),
            QueueEvent::WatchFailed(dir, reason) => {
                self.forget(&dir);
                core.notify(Severity::Error, format!("{reason}."));
            }
            QueueEvent::Rules(rules, faults) => {
                (self.rules, self.rule_faults) = (rules, faults);
                self.revision += 1;
            }
            QueueEvent::Ranked(id, revision, sets) => self.on_ranked(core, &id, revision, sets),
            QueueEvent::RuleSaved(Ok(())) => {
                let words = "The rule was added to retake.toml and answers from now on.";
                core.notify(Severity::Note, words);
                // The new rule may answer requests that wait already.
                let folders = self.watched.iter().map(|queue| Arc::clone(&queue.folder));
                core.effects.extend(folders.map(|dir| run_command(dir, QueueCommand::TryRules)));
            }
            QueueEvent::RuleSaved(Err(reason)) => {
                // The selected request was marked as waiting for this rule.
                if let Some(request) = self.selected_mut() {
                    request.writing = None;
                }
                core.notify(Severity::Error, format!("{reason}."));
            }
        }
    }

    fn is_watched(&self, folder: &Path) -> bool {
        let mut queues = self.watched.iter();
        queues.any(|queue| *queue.folder == *folder)
    }

    fn on_request(&mut self, id: RequestId, question: RuleRequest, time: Timestamp, age: Duration) {
        // The queue may have been stopped since.
        if !self.is_watched(&id.queue) {
            return;
        }
        // The client counts from the moment it wrote the request, not from when it was found.
        let deadline = self.now + ANSWER_TIMEOUT.as_secs_f64() - age.as_secs_f64();
        // The same request may be written again.
        self.pending.retain(|request| request.id != id);
        self.log.retain(|log| log.id != id);
        let place = self.pending.partition_point(|request| request.deadline <= deadline);
        let request = PendingRequest::new(id.clone(), question, time, deadline);
        self.pending.insert(place, request);
        self.revision += 1;
        let now = self.now;
        // A request that is found late may be overdue already.
        self.set_time(now);
        let is_in_time = self.find(&id).is_some_and(|request| !request.is_overdue);
        // The request that the user is answering stays.
        if self.selected().is_none() && is_in_time {
            self.selected = Some(id);
        }
    }

    fn on_write_failed(&mut self, core: &mut Core, id: &RequestId, reason: &str) {
        if let Some(request) = self.find_mut(id) {
            request.writing = None;
            let label = request.title();
            self.revision += 1;
            let words = format!("The answer {} was not written: {reason}.", visible(&label));
            core.notify(Severity::Error, words);
        }
    }

    /// A request without remaining time counts as timed out, even if another program deleted its file.
    fn on_request_withdrawn(&mut self, id: &RequestId, time: Timestamp) {
        let is_past = self.find(id).is_some_and(|request| request.is_overdue);
        let outcome = if is_past { RequestOutcome::TimedOut } else { RequestOutcome::Withdrawn };
        self.finish(id, time, outcome);
    }

    fn on_request_failed(&mut self, core: &mut Core, id: RequestId, time: Timestamp, text: String) {
        if !self.is_watched(&id.queue) {
            return;
        }
        if self.find(&id).is_some() {
            return self.on_write_failed(core, &id, &text);
        }
        self.add_to_log(RequestLogEntry {
            label: id.name.to_string(),
            at: time,
            outcome: RequestOutcome::Unreadable(text.into()),
            id,
        });
    }

    fn on_ranked(
        &mut self,
        core: &mut Core,
        id: &RequestId,
        revision: u64,
        sets: Result<Arc<[NearSet]>, String>,
    ) {
        let sets = core.or_notify(sets).unwrap_or_default();
        if self.ranking.as_ref() == Some(&(id.clone(), revision)) {
            self.ranking = None;
        }
        if let Some(request) = self.find_mut(id) {
            // Also set after a failure, so that the ranking is not requested again in each frame.
            request.near = Some((revision, sets));
            self.revision += 1;
        }
    }
}
