//! Handlers of the actions and events of the review desk.

use std::sync::Arc;

use super::desk::{Looking, Pane, ReviewDesk};
use super::{
    Against, Begun, LookOrder, Mark, PairOrder, ReviewAction, ReviewEffect, ReviewEvent, Snapshot,
};
use crate::format::Severity;
use crate::workbench::event::Effect;
use crate::workbench::navigation::{Desk, View};
use crate::workbench::news::News;
use crate::workbench::state::Workbench;

impl ReviewDesk {
    /// The desk after a reload of its project; the decisions are saved in the project.
    pub(in crate::workbench) fn again(&self) -> Self {
        Self {
            against: self.against.clone(),
            by_hand: self.by_hand.clone(),
            shown_as: self.shown_as,
            number: self.number + 1,
            pane: Pane {
                number: self.pane.number + 1,
                ..Pane::default()
            },
            ..Self::default()
        }
    }
}

impl Workbench {
    /// The review desk, for views.
    pub fn review_desk(&self) -> &ReviewDesk {
        &self.review
    }

    pub(in crate::workbench) fn act_on_review(&mut self, action: ReviewAction) -> Vec<Effect> {
        let begins = matches!(action, ReviewAction::Against(_) | ReviewAction::LookAgain);
        self.review.is_touched |= !begins;
        match action {
            ReviewAction::Against(against) => return self.review_against(against),
            ReviewAction::LookAgain => self.review.is_dirty = true,
            ReviewAction::Open(id) => {
                let groups = &self.review.review.groups;
                if let Some(at) = groups.iter().position(|group| *group.id == *id) {
                    self.review.open(at);
                }
            }
            ReviewAction::Select(key) => {
                if let Some(at) = self.review.find(&key) {
                    self.review.select(at);
                }
            }
            ReviewAction::ShowChange(change) => {
                self.review.pane.change = change;
                self.review.revision += 1;
            }
            ReviewAction::ShowAs(shown_as) => {
                self.review.shown_as = shown_as;
                self.review.pane.opened.clear();
                self.review.revision += 1;
            }
            ReviewAction::ToggleAside => {
                self.review.shows_aside = !self.review.shows_aside;
                self.review.revision += 1;
            }
            ReviewAction::ToggleFollows => {
                self.review.shows_follows = !self.review.shows_follows;
                self.review.revision += 1;
            }
            ReviewAction::Decide(scope, verdict) => return self.decide(scope, &verdict),
            ReviewAction::Take(change, side) => return self.take_change(change, side),
            ReviewAction::Undo => return self.undo_decision(),
            ReviewAction::Note(pair, note) => return self.write_note(pair, &note),
            ReviewAction::PairWith(old) => self.pair_by_hand(Some(old)),
            ReviewAction::PairAsFound => self.pair_by_hand(None),
            ReviewAction::DraftRule => return self.draft_rule(),
            ReviewAction::TypeRule(draft) => return self.type_rule(draft),
            ReviewAction::KeepRule => return self.keep_rule(),
            ReviewAction::ProposeApply => return self.propose_apply(),
            ReviewAction::Apply => return self.apply_decisions(),
            ReviewAction::OpenDifftool => self.propose_difftool(),
        }
        Vec::new()
    }

    fn review_against(&mut self, against: Against) -> Vec<Effect> {
        let desk = &mut self.review;
        if desk.against != against {
            let decisions = std::mem::take(&mut desk.decisions);
            *desk = ReviewDesk {
                against,
                decisions,
                is_resumed: desk.is_resumed,
                by_hand: Default::default(),
                ..desk.again()
            };
        }
        desk.is_dirty = true;
        self.go(Desk::Review, View::List)
    }

    fn pair_by_hand(&mut self, old: Option<Arc<str>>) {
        let desk = &mut self.review;
        let new = desk.selected().and_then(|it| it.pair.new.as_ref());
        let Some(new) = new.map(|take| Arc::clone(&take.path)) else {
            return;
        };
        match old {
            Some(old) => drop(desk.by_hand.insert(new, old)),
            None => drop(desk.by_hand.remove(&new)),
        }
        desk.is_dirty = true;
    }

    /// Opens or closes a fold of the selected pair.
    pub(in crate::workbench) fn toggle_review_fold(&mut self, section: usize, fold: usize) {
        let opened = self.review.pane.opened.entry(section).or_default();
        if !opened.remove(&fold) {
            opened.insert(fold);
        }
        self.review.revision += 1;
    }

    /// Marks the review as out of date after a file changed.
    pub(in crate::workbench) fn touch_review(&mut self, news: &News) {
        let touches = matches!(
            news,
            News::Changed(_) | News::Seen(_) | News::Rewritten(_) | News::Removed(_)
        );
        self.review.is_dirty |= touches && self.review.looking != Looking::Not;
    }

    /// Marks the review as out of date after files were added.
    pub(in crate::workbench) fn touch_review_by_arrival(&mut self) {
        self.review.is_dirty |= self.progress.is_none() && self.review.looking != Looking::Not;
    }

    /// Compares the recordings if needed, and requests the details of the selected pair.
    pub(in crate::workbench) fn follow_review(&mut self) -> Vec<Effect> {
        if !self.shows_review() || self.project.is_none() {
            return Vec::new();
        }
        let desk = &mut self.review;
        let is_wanted = desk.looking == Looking::Not || desk.is_dirty;
        let is_busy = matches!(desk.looking, Looking::At(..)) || self.progress.is_some();
        let mut effects = Vec::new();
        if is_wanted && !is_busy {
            desk.is_dirty = false;
            desk.number += 1;
            desk.looking = Looking::At(0, 0);
            desk.revision += 1;
            let by_hand = desk.by_hand.iter();
            effects.push(Effect::Review(ReviewEffect::Look(Box::new(LookOrder {
                number: desk.number,
                against: desk.against.clone(),
                by_hand: by_hand
                    .map(|(new, old)| (Arc::clone(new), Arc::clone(old)))
                    .collect(),
                rules: Arc::clone(&desk.rules),
                known: desk.review.clone(),
            }))));
        }
        effects.extend(self.follow_pair());
        effects
    }

    fn follow_pair(&mut self) -> Vec<Effect> {
        let desk = &mut self.review;
        let Some(at) = desk.pair else {
            return Vec::new();
        };
        let is_same =
            |(review, pair): &(super::Shared<_>, usize)| *review == desk.review && *pair == at;
        if desk.pane.of.as_ref().is_some_and(is_same) {
            return Vec::new();
        }
        let key = |(review, at): &(super::Shared<crate::ops::review::Review>, usize)| {
            review.pairs.get(*at).map(|it| it.pair.key())
        };
        let before = desk.pane.of.as_ref().and_then(key);
        if before != desk.selected().map(|it| it.pair.key()) {
            desk.pane.shown = None;
        }
        desk.pane.number += 1;
        desk.pane.of = Some((desk.review.clone(), at));
        desk.revision += 1;
        let order = PairOrder {
            number: desk.pane.number,
            review: desk.review.clone(),
            at,
        };
        let mut effects = self.follow_selected_take();
        effects.push(Effect::Review(ReviewEffect::Show(order)));
        effects
    }

    /// Handles an event of a review.
    pub(in crate::workbench) fn review_found(&mut self, event: ReviewEvent) -> Vec<Effect> {
        let number = self.review.number;
        match event {
            ReviewEvent::Begun(of, begun) if of == number => self.review_begun(*begun),
            ReviewEvent::Found(of, snapshot) if of == number => self.review_grew(snapshot),
            ReviewEvent::Failed(of, reason) if of == number => {
                let desk = &mut self.review;
                desk.looking = Looking::Failed(reason.into());
                desk.review = super::Shared::default();
                (desk.pair, desk.group) = (None, None);
                self.renew_marks();
            }
            ReviewEvent::Shown(of, shown) if of == self.review.pane.number => {
                self.review.pane.shown = Some(shown);
                self.review.revision += 1;
            }
            ReviewEvent::Tried(silences) => self.tried(silences),
            ReviewEvent::RuleKept(kept) => self.rule_kept(kept),
            ReviewEvent::Planned(plan) => self.planned_review(plan),
            ReviewEvent::Written { done, left } => return self.written(done, &left),
            ReviewEvent::NotKept(reason) => self.notify(Severity::Error, format!("{reason}.")),
            _ => {}
        }
        Vec::new()
    }

    fn review_begun(&mut self, begun: Begun) {
        let desk = &mut self.review;
        (desk.committed_at, desk.unread) = (begun.committed_at, begun.unread);
        if std::mem::replace(&mut desk.is_resumed, true) {
            return;
        }
        match begun.kept {
            Ok(decisions) => desk.decisions = decisions,
            Err(reason) => {
                let text = format!("{reason}. New decisions replace the saved ones.");
                self.notify(Severity::Warning, text);
            }
        }
    }

    fn review_grew(&mut self, snapshot: Snapshot) {
        let desk = &mut self.review;
        desk.looking = if snapshot.is_whole {
            Looking::Done
        } else {
            Looking::At(snapshot.done, snapshot.of)
        };
        // While the recordings are compared again, the previous review is shown until the new one is complete.
        let is_less = snapshot.review.pairs.len() < desk.review.pairs.len();
        if is_less && !snapshot.is_whole {
            desk.revision += 1;
            return;
        }
        let place = desk.place().filter(|_| desk.is_touched);
        desk.review = super::Shared(snapshot.review);
        desk.rules = snapshot.rules;
        self.renew_marks();
        self.review.go_back_to(place);
    }

    /// Returns why no decision can be made now, if so.
    pub(in crate::workbench) fn can_decide(&self) -> Result<(), &'static str> {
        match (self.shows_review(), self.review.pair) {
            (false, _) => Err("the review is not shown"),
            (true, None) => Err("no pair is selected"),
            (true, Some(_)) => Ok(()),
        }
    }

    /// Whether any pair is undecided.
    pub(in crate::workbench) fn has_undecided(&self) -> bool {
        self.review
            .marks
            .pairs
            .iter()
            .any(|mark| matches!(mark, Mark::Open | Mark::Skipped))
    }
}
