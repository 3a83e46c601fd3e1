//! Handlers of the events of a queue.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::actions::QueueEvent;
use super::desk::{RequestLogEntry, RequestOutcome};
use super::request::{NearSet, PendingRequest, RequestId};
use super::requests::QueueCommand;
use crate::format::Severity;
use crate::ops::live::queue::{ANSWER_TIMEOUT, RuleRequest};
use crate::text::visible;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(in crate::workbench) fn on_queue_event(&mut self, event: QueueEvent) {
        let desk = &mut self.live.queue;
        match event {
            QueueEvent::RequestArrived {
                id,
                question,
                at,
                age,
            } => self.on_request(id, *question, at, age),
            QueueEvent::Written(id, Ok(at)) => {
                let request = desk.find(&id);
                let by = request.and_then(|request| request.writing.clone());
                desk.finish(&id, at, by.unwrap_or(RequestOutcome::ByHand));
            }
            QueueEvent::Written(id, Err(reason)) => self.on_write_failed(&id, &reason),
            QueueEvent::AnsweredByRule(id, at, rule) => {
                desk.finish(&id, at, RequestOutcome::Rule(rule));
            }
            QueueEvent::AnsweredElsewhere(id, at) => {
                desk.finish(&id, at, RequestOutcome::Elsewhere);
            }
            QueueEvent::Withdrawn(id, at) => self.on_request_withdrawn(&id, at),
            QueueEvent::Failed(id, at, reason) => self.on_request_failed(id, at, reason),
            QueueEvent::FolderGone(folder) => desk.update_queue(&folder, |it| it.exists = false),
            QueueEvent::FolderBack(folder) => desk.update_queue(&folder, |it| it.exists = true),
            QueueEvent::WatchFailed(folder, reason) => {
                desk.forget(&folder);
                self.core.notify(Severity::Error, format!("{reason}."));
            }
            QueueEvent::Rules(rules, faults) => {
                (desk.rules, desk.rule_faults) = (rules, faults);
                desk.revision += 1;
            }
            QueueEvent::Ranked(id, revision, sets) => self.on_ranked(&id, revision, sets),
            QueueEvent::RuleSaved(Ok(())) => {
                let words = "The rule was added to retake.toml and answers from now on.";
                self.core.notify(Severity::Note, words);
                let watched = self.live.queue.watched.iter();
                let folders = watched.map(|queue| Arc::clone(&queue.folder));
                let try_rules = folders.map(|folder| QueueCommand::TryRules.effect(folder));
                self.core.effects.extend(try_rules);
            }
            QueueEvent::RuleSaved(Err(reason)) => {
                if let Some(request) = desk.selected_mut() {
                    request.writing = None;
                }
                self.core.notify(Severity::Error, format!("{reason}."));
            }
        }
    }

    fn is_watched(&self, folder: &Path) -> bool {
        let mut watched = self.live.queue.watched.iter();
        watched.any(|watched| *watched.folder == *folder)
    }

    fn on_request(&mut self, id: RequestId, question: RuleRequest, at: Timestamp, age: Duration) {
        // The queue may have been stopped since.
        if !self.is_watched(&id.queue) {
            return;
        }
        let desk = &mut self.live.queue;
        let until = desk.now + ANSWER_TIMEOUT.as_secs_f64() - age.as_secs_f64();
        desk.pending.retain(|request| request.id != id);
        desk.log.retain(|log| log.id != id);
        let place = desk
            .pending
            .partition_point(|request| request.deadline <= until);
        let request = PendingRequest::new(id.clone(), question, at, until);
        desk.pending.insert(place, request);
        desk.revision += 1;
        let now = desk.now;
        desk.set_time(now);
        let is_in_time = desk.find(&id).is_some_and(|request| !request.is_overdue);
        if desk.selected().is_none() && is_in_time {
            desk.selected = Some(id);
        }
    }

    fn on_write_failed(&mut self, id: &RequestId, reason: &str) {
        let desk = &mut self.live.queue;
        if let Some(request) = desk.find_mut(id) {
            request.writing = None;
            let label = request.label();
            desk.revision += 1;
            let words = format!("The answer {} was not written: {reason}.", visible(&label));
            self.core.notify(Severity::Error, words);
        }
    }

    /// A request without remaining time counts as timed out, even if another program deleted its file.
    fn on_request_withdrawn(&mut self, id: &RequestId, at: Timestamp) {
        let desk = &mut self.live.queue;
        let is_past = desk.find(id).is_some_and(|request| request.is_overdue);
        let outcome = if is_past {
            RequestOutcome::TimedOut
        } else {
            RequestOutcome::Withdrawn
        };
        desk.finish(id, at, outcome);
    }

    fn on_request_failed(&mut self, id: RequestId, at: Timestamp, reason: String) {
        if !self.is_watched(&id.queue) {
            return;
        }
        let desk = &mut self.live.queue;
        if desk.find(&id).is_some() {
            return self.on_write_failed(&id, &reason);
        }
        desk.add_to_log(RequestLogEntry {
            label: id.name.to_string(),
            at,
            outcome: RequestOutcome::Unreadable(reason.into()),
            id,
        });
    }

    fn on_ranked(&mut self, id: &RequestId, revision: u64, sets: Result<Arc<[NearSet]>, String>) {
        let sets = sets.unwrap_or_else(|reason| {
            self.core.notify(Severity::Error, format!("{reason}."));
            Arc::default()
        });
        let desk = &mut self.live.queue;
        if desk.ranking.as_ref() == Some(&(id.clone(), revision)) {
            desk.ranking = None;
        }
        if let Some(request) = desk.find_mut(id) {
            request.near = Some((revision, sets));
            desk.revision += 1;
        }
    }
}
