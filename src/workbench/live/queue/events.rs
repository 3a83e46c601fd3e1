//! Handlers of the events of a queue.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::actions::{QueueEffect, QueueEvent};
use super::asking::{Asking, NearSet, RequestId};
use super::desk::{Logged, Outcome};
use super::doing::effect;
use crate::format::Severity;
use crate::ops::live::queue::{ANSWER_TIMEOUT, RuleRequest};
use crate::text::visible;
use crate::workbench::event::Effect;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(in crate::workbench) fn queue_told(&mut self, event: QueueEvent) -> Vec<Effect> {
        let desk = &mut self.live.queue;
        match event {
            QueueEvent::Picked(folder) => return self.watch_queue(&folder),
            QueueEvent::Waits {
                id,
                question,
                at,
                age,
            } => self.request_waits(id, *question, at, age),
            QueueEvent::Written(id, at, Ok(())) => {
                let request = desk.find(&id);
                let by = request.and_then(|request| request.writing.clone());
                desk.end(&id, at, by.unwrap_or(Outcome::ByHand));
            }
            QueueEvent::Written(id, _, Err(reason)) => self.not_written(&id, &reason),
            QueueEvent::Ruled(id, at, rule) => desk.end(&id, at, Outcome::Rule(rule)),
            QueueEvent::Taken(id, at) => desk.end(&id, at, Outcome::SomebodyElse),
            QueueEvent::Left(id, at) => self.request_left(&id, at),
            QueueEvent::Failed(id, at, reason) => self.request_failed(id, at, reason),
            QueueEvent::Gone(folder) => desk.watch(&folder, |it| it.is_there = false),
            QueueEvent::Back(folder) => desk.watch(&folder, |it| it.is_there = true),
            QueueEvent::Rules(rules, faults) => {
                (desk.rules, desk.rule_faults) = (rules, faults);
                desk.revision += 1;
            }
            QueueEvent::Ranked(id, revision, sets) => self.ranked(&id, revision, sets),
            QueueEvent::RuleKept(Ok(())) => {
                let words = "The rule was added to retake.toml and answers from now on.";
                self.notify(Severity::Note, words);
                return effect(QueueEffect::TryRules);
            }
            QueueEvent::RuleKept(Err(reason)) => {
                if let Some(request) = desk.selected_mut() {
                    request.writing = None;
                }
                self.notify(Severity::Error, format!("{reason}."));
            }
        }
        Vec::new()
    }

    fn is_watched(&self, folder: &Path) -> bool {
        let mut watched = self.live.queue.watched.iter();
        watched.any(|watched| *watched.folder == *folder)
    }

    fn request_waits(
        &mut self,
        id: RequestId,
        question: RuleRequest,
        at: Timestamp,
        age: Duration,
    ) {
        // The queue may have been stopped since.
        if !self.is_watched(&id.queue) {
            return;
        }
        let desk = &mut self.live.queue;
        let until = desk.now + ANSWER_TIMEOUT.as_secs_f64() - age.as_secs_f64();
        desk.asking.retain(|request| request.id != id);
        desk.log.retain(|log| log.id != id);
        let place = desk
            .asking
            .partition_point(|request| request.until <= until);
        let request = Asking::new(id.clone(), question, at, until);
        desk.asking.insert(place, request);
        desk.revision += 1;
        let now = desk.now;
        desk.tell_time(now);
        let is_in_time = desk.find(&id).is_some_and(|request| !request.is_past);
        if desk.selected().is_none() && is_in_time {
            desk.selected = Some(id);
        }
    }

    fn not_written(&mut self, id: &RequestId, reason: &str) {
        let desk = &mut self.live.queue;
        if let Some(request) = desk.find_mut(id) {
            request.writing = None;
            let label = request.label();
            desk.revision += 1;
            let words = format!("The answer {} was not written: {reason}.", visible(&label));
            self.notify(Severity::Error, words);
        }
    }

    /// A request without remaining time counts as timed out, whoever deleted its file.
    fn request_left(&mut self, id: &RequestId, at: Timestamp) {
        let desk = &mut self.live.queue;
        let is_past = desk.find(id).is_some_and(|request| request.is_past);
        let outcome = if is_past {
            Outcome::RanOut
        } else {
            Outcome::TakenBack
        };
        desk.end(id, at, outcome);
    }

    fn request_failed(&mut self, id: RequestId, at: Timestamp, reason: String) {
        if !self.is_watched(&id.queue) {
            return;
        }
        let desk = &mut self.live.queue;
        if desk.find(&id).is_some() {
            return self.not_written(&id, &reason);
        }
        desk.put(Logged {
            label: id.name.to_string(),
            at,
            outcome: Outcome::Unreadable(reason.into()),
            id,
        });
    }

    fn ranked(&mut self, id: &RequestId, revision: u64, sets: Arc<[NearSet]>) {
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
