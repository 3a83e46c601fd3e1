//! Who waits at which queue, and what became of those before.

use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::actions::RulesAnswer;
use super::asking::{AnswerWay, Asking, RequestId};
use super::ruling::AnswerRuleDraft;
use crate::ops::live::queue::{AnswerRule, PATIENCE, Reply};
use crate::workbench::action::Step;

/// How many of those that were answered are kept.
const MOST_LOGGED: usize = 200;

/// A queue that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Its folder.
    pub folder: Arc<Path>,
    /// Whether it is there.
    pub is_there: bool,
    /// Whether rules answer by themselves there.
    pub rules: RulesAnswer,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was answered by hand.
    ByHand,
    /// It has the answer of the recording of this name.
    Recording(Arc<str>),
    /// The rule of this name has answered.
    Rule(Arc<str>),
    /// Somebody else has answered.
    SomebodyElse,
    /// It was taken back.
    TakenBack,
    /// Nobody has answered in time.
    RanOut,
    /// It cannot be read; why, in a sentence.
    Unreadable(Arc<str>),
}

/// What became of a request, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// The request.
    pub id: RequestId,
    /// What people call it.
    pub label: String,
    /// When.
    pub at: Timestamp,
    /// What.
    pub outcome: Outcome,
}

/// The queues that are watched, and who waits at them.
#[derive(Debug, Default)]
pub struct QueueDesk {
    pub(super) watched: Vec<Watched>,
    /// In the order in which they were written.
    pub(super) asking: Vec<Asking>,
    /// The latest first.
    pub(super) log: Vec<Logged>,
    pub(super) selected: Option<RequestId>,
    pub(super) rules: Arc<[AnswerRule]>,
    pub(super) rule_faults: Arc<[String]>,
    /// The rule that is being made.
    pub(super) rule_draft: AnswerRuleDraft,
    /// What is being ranked: the request, and the revision of the items.
    pub(super) ranking: Option<(RequestId, u64)>,
    /// Now, in seconds of the window.
    pub(super) now: f64,
    /// Grows with every change of what is shown.
    pub(super) revision: u64,
    /// Grows each time the cursor is to go into the answer.
    pub(super) focus: u64,
}

impl QueueDesk {
    /// The queues that are watched.
    pub fn watched(&self) -> &[Watched] {
        &self.watched
    }

    /// How many requests wait for an answer in time.
    pub fn waiting(&self) -> usize {
        self.in_time().count()
    }

    /// The requests that wait in time, the first to run out first.
    pub fn in_time(&self) -> impl Iterator<Item = &Asking> {
        let waits = |asking: &&Asking| !asking.is_past && asking.ended.is_none();
        self.asking.iter().filter(waits)
    }

    /// What became of requests, the latest first.
    pub fn log(&self) -> &[Logged] {
        &self.log
    }

    /// The request that is shown.
    pub fn selected(&self) -> Option<&Asking> {
        self.find(self.selected.as_ref()?)
    }

    /// A request that waits, be it in time or not.
    pub fn find(&self, id: &RequestId) -> Option<&Asking> {
        self.asking.iter().find(|asking| asking.id == *id)
    }

    /// The project's rules.
    pub fn rules(&self) -> &[AnswerRule] {
        &self.rules
    }

    /// What of the project's file is not understood.
    pub fn rule_faults(&self) -> &[String] {
        &self.rule_faults
    }

    /// The rule that is being made.
    pub fn rule_draft(&self) -> &AnswerRuleDraft {
        &self.rule_draft
    }

    /// The answer of the request that is shown, as it would be written, or what is missing, in a few words.
    pub fn reply(&self) -> Option<Result<Reply, String>> {
        let asking = self.selected()?;
        Some(match (asking.draft.way, asking.rule(&self.rules)) {
            (AnswerWay::Rule, None) => Err("no rule fits this request".to_owned()),
            (AnswerWay::Rule, Some(rule)) => rule.reply(&asking.question, |path| {
                Err(format!("it is read from {path} when it is written"))
            }),
            _ => asking.reply().map(|(reply, _)| reply),
        })
    }

    /// Why the answer cannot be written now, in a few words.
    pub fn why_not(&self) -> Option<String> {
        let asking = self.selected()?;
        if asking.ended.is_some() {
            return Some("nobody waits for it any more".to_owned());
        }
        if asking.writing.is_some() {
            return Some("it is being written".to_owned());
        }
        match asking.draft.way {
            AnswerWay::Rule if asking.rule(&self.rules).is_some() => None,
            _ => self.reply()?.err(),
        }
    }

    /// How many seconds a request has left; none below 0.
    pub fn left(&self, asking: &Asking) -> f64 {
        (asking.until - self.now).clamp(0.0, PATIENCE.as_secs_f64())
    }

    /// Grows with every change of what is shown, but for the time that is left.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Grows each time the cursor is to go into the answer.
    pub fn focus(&self) -> u64 {
        self.focus
    }

    pub(super) fn find_mut(&mut self, id: &RequestId) -> Option<&mut Asking> {
        self.asking.iter_mut().find(|asking| asking.id == *id)
    }

    pub(super) fn selected_mut(&mut self) -> Option<&mut Asking> {
        let id = self.selected.clone()?;
        self.find_mut(&id)
    }

    /// Changes what is known of a queue that is watched.
    pub(super) fn watch(&mut self, folder: &Path, change: impl FnOnce(&mut Watched)) {
        let mut watched = self.watched.iter_mut();
        if let Some(watched) = watched.find(|watched| *watched.folder == *folder) {
            change(watched);
            self.revision += 1;
        }
    }

    /// Goes on by some requests that wait in time.
    pub(in crate::workbench::live) fn step(&mut self, step: Step, rows: usize) {
        let ids: Vec<RequestId> = self.in_time().map(|asking| asking.id.clone()).collect();
        let at = ids.iter().position(|id| Some(id) == self.selected.as_ref());
        let last = ids.len().saturating_sub(1);
        let to = match (at, step) {
            (Some(at), Step::Next) => at.saturating_add(rows).min(last),
            (Some(at), Step::Previous) => at.saturating_sub(rows),
            (None, _) => 0,
        };
        if let Some(id) = ids.into_iter().nth(to) {
            self.select(id);
        }
    }

    /// Shows a request. One that nobody waits for any more goes when it is not looked at.
    pub(super) fn select(&mut self, id: RequestId) {
        if self.find(&id).is_none() || self.selected.as_ref() == Some(&id) {
            return;
        }
        self.selected = Some(id);
        self.sweep();
    }

    /// Lets those go that have ended and are not looked at.
    fn sweep(&mut self) {
        let selected = self.selected.as_ref();
        self.asking
            .retain(|asking| asking.ended.is_none() || Some(&asking.id) == selected);
        self.revision += 1;
    }

    /// Shows the request after one that is gone, in the order of the list.
    pub(super) fn select_after(&mut self, at: usize) {
        let waits = |asking: &Asking| !asking.is_past && asking.ended.is_none();
        let after = self.asking.iter().skip(at).find(|asking| waits(asking));
        let next = after.or_else(|| self.asking.iter().find(|asking| waits(asking)));
        self.selected = next.map(|asking| asking.id.clone());
        self.sweep();
    }

    /// Notes what became of a request. One that is being answered by hand stays as long as it is looked at.
    pub(super) fn end(&mut self, id: &RequestId, at: Timestamp, outcome: Outcome) {
        let Some(place) = self.asking.iter().position(|asking| asking.id == *id) else {
            return;
        };
        let label = self.asking[place].short_label();
        self.put(Logged {
            id: id.clone(),
            label,
            at,
            outcome: outcome.clone(),
        });
        let is_own = matches!(
            outcome,
            Outcome::ByHand | Outcome::Recording(_) | Outcome::Rule(_)
        );
        let asking = &mut self.asking[place];
        let is_selected = self.selected.as_ref() == Some(id);
        let was_asked_for = asking.writing.is_some();
        if is_selected && !(is_own && was_asked_for) && !asking.is_untouched() {
            asking.ended = Some(outcome);
            self.revision += 1;
            return;
        }
        self.asking.remove(place);
        self.revision += 1;
        if is_selected {
            self.select_after(place);
        }
    }

    /// Waits for a rule to answer the request that is shown, where rules answer by themselves.
    pub(super) fn await_rule(&mut self, rule: &AnswerRule) {
        let Some(asking) = self.selected() else {
            return;
        };
        let mut watched = self.watched.iter();
        let watched = watched.find(|watched| watched.folder == asking.id.queue);
        let is_answered = watched.is_some_and(|it| it.rules == RulesAnswer::ByThemselves);
        let name: Arc<str> = rule.name.as_str().into();
        if is_answered
            && rule.answers(&asking.question)
            && let Some(asking) = self.selected_mut()
        {
            asking.writing = Some(Outcome::Rule(name));
        }
    }

    /// Adds to what became of requests; of one only the latest is kept.
    pub(super) fn put(&mut self, log: Logged) {
        self.log.retain(|known| known.id != log.id);
        self.log.insert(0, log);
        self.log.truncate(MOST_LOGGED);
        self.revision += 1;
    }

    /// Takes the time, and notes who has run out of it.
    pub(in crate::workbench) fn tell_time(&mut self, now: f64) {
        self.now = now;
        let mut ran_out = Vec::new();
        for asking in &mut self.asking {
            if !asking.is_past && asking.ended.is_none() && asking.until <= now {
                asking.is_past = true;
                let patience = SignedDuration::try_from(PATIENCE).unwrap_or_default();
                ran_out.push(Logged {
                    id: asking.id.clone(),
                    label: asking.short_label(),
                    at: asking.at.saturating_add(patience).unwrap_or(asking.at),
                    outcome: Outcome::RanOut,
                });
            }
        }
        for log in ran_out {
            let is_selected = self.selected.as_ref() == Some(&log.id);
            let place = self.asking.iter().position(|asking| asking.id == log.id);
            let is_untouched = place.is_some_and(|place| self.asking[place].is_untouched());
            self.put(log);
            if let Some(place) = place.filter(|_| is_selected && is_untouched) {
                self.select_after(place + 1);
            }
        }
    }

    /// Forgets a queue and all who wait at it.
    pub(super) fn forget(&mut self, folder: &Path) {
        self.watched.retain(|watched| *watched.folder != *folder);
        self.asking.retain(|asking| *asking.id.queue != *folder);
        if self.selected().is_none() {
            self.select_after(0);
        }
        self.revision += 1;
    }
}
