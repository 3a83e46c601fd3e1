//! Handlers of the actions and events of the review desk.

use std::sync::Arc;

use super::desk::{PairPane, ReviewDesk, ReviewState};
use super::{
    DecisionStatus, PairRequest, ReviewAction, ReviewBase, ReviewEvent, ReviewRequest,
    ReviewSnapshot, ReviewStart,
};
use crate::format::Severity;
use crate::ops::review::Review;
use crate::workbench::core::disk_changes::DiskChange;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::state::Workbench;

impl ReviewDesk {
    /// The desk after a reload of its project; the decisions are saved in the project.
    pub(in crate::workbench) fn after_reload(&self) -> Self {
        Self {
            base: self.base.clone(),
            manual_pairs: self.manual_pairs.clone(),
            format: self.format,
            number: self.number + 1,
            pane: PairPane {
                number: self.pane.number + 1,
                ..PairPane::default()
            },
            ..Self::default()
        }
    }
}

impl Workbench {
    pub(in crate::workbench) fn act_on_review(&mut self, action: ReviewAction) {
        let begins = matches!(
            action,
            ReviewAction::SetBase(_) | ReviewAction::CompareAgain
        );
        self.review.is_touched |= !begins;
        match action {
            ReviewAction::SetBase(against) => self.review_against(against),
            ReviewAction::CompareAgain => self.review.is_dirty = true,
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
            ReviewAction::SetFormat(shown_as) => {
                self.review.format = shown_as;
                self.review.pane.opened.clear();
                self.review.revision += 1;
            }
            ReviewAction::ToggleIgnored => {
                self.review.shows_ignored = !self.review.shows_ignored;
                self.review.revision += 1;
            }
            ReviewAction::ToggleFollows => {
                self.review.shows_follows = !self.review.shows_follows;
                self.review.revision += 1;
            }
            ReviewAction::Decide(scope, verdict) => self.decide(scope, &verdict),
            ReviewAction::ChooseSide(change, side) => self.choose_side(change, side),
            ReviewAction::Undo => self.undo_decision(),
            ReviewAction::Note(pair, note) => self.write_note(pair, &note),
            ReviewAction::PairWith(old) => self.pair_by_hand(Some(old)),
            ReviewAction::PairAsFound => self.pair_by_hand(None),
            ReviewAction::DraftRule => self.draft_rule(),
            ReviewAction::TypeRule(draft) => self.type_rule(draft),
            ReviewAction::SaveRule => self.save_rule(),
            ReviewAction::ProposeApply => self.propose_apply(),
            ReviewAction::Apply => self.apply_decisions(),
            ReviewAction::OpenDifftool => self.propose_difftool(),
        }
    }

    fn review_against(&mut self, against: ReviewBase) {
        let desk = &mut self.review;
        if desk.base != against {
            let decisions = std::mem::take(&mut desk.decisions);
            *desk = ReviewDesk {
                base: against,
                decisions,
                is_resumed: desk.is_resumed,
                manual_pairs: Default::default(),
                ..desk.after_reload()
            };
        }
        desk.is_dirty = true;
        self.core.go(Desk::Review, DeskView::List);
    }

    fn pair_by_hand(&mut self, old: Option<Arc<str>>) {
        let desk = &mut self.review;
        let new = desk.selected().and_then(|it| it.pair.new.as_ref());
        let Some(new) = new.map(|take| Arc::clone(&take.path)) else {
            return;
        };
        match old {
            Some(old) => drop(desk.manual_pairs.insert(new, old)),
            None => drop(desk.manual_pairs.remove(&new)),
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
    pub(in crate::workbench) fn mark_review_dirty(&mut self, news: &DiskChange) {
        let touches = matches!(
            news,
            DiskChange::Changed(_)
                | DiskChange::Seen(_)
                | DiskChange::Rewritten(_)
                | DiskChange::Removed(_)
        );
        self.review.is_dirty |= touches && self.review.state != ReviewState::NotStarted;
    }

    /// Marks the review as out of date after files were added.
    pub(in crate::workbench) fn mark_review_dirty_by_arrival(&mut self) {
        self.review.is_dirty |=
            self.core.progress.is_none() && self.review.state != ReviewState::NotStarted;
    }

    /// Compares the recordings if needed, and requests the details of the selected pair.
    pub(in crate::workbench) fn sync_review(&mut self) {
        if !self.core.shows(Desk::Review) || self.core.project.is_none() {
            return;
        }
        let desk = &mut self.review;
        let is_wanted = desk.state == ReviewState::NotStarted || desk.is_dirty;
        let is_busy =
            matches!(desk.state, ReviewState::Comparing(..)) || self.core.progress.is_some();
        if is_wanted && !is_busy {
            desk.is_dirty = false;
            desk.number += 1;
            desk.state = ReviewState::Comparing(0, 0);
            desk.revision += 1;
            let by_hand = desk.manual_pairs.iter();
            self.core.effects.push(Effect::run(ReviewRequest {
                number: desk.number,
                base: desk.base.clone(),
                manual_pairs: by_hand
                    .map(|(new, old)| (Arc::clone(new), Arc::clone(old)))
                    .collect(),
                rules: Arc::clone(&desk.rules),
                known: Arc::clone(&desk.review),
            }));
        }
        self.sync_pair();
    }

    fn sync_pair(&mut self) {
        let desk = &mut self.review;
        let Some(at) = desk.pair else {
            return;
        };
        let is_same = |(review, pair): &(Arc<Review>, usize)| {
            Arc::ptr_eq(review, &desk.review) && *pair == at
        };
        if desk.pane.target.as_ref().is_some_and(is_same) {
            return;
        }
        let key =
            |(review, at): &(Arc<Review>, usize)| review.pairs.get(*at).map(|it| it.pair.key());
        let before = desk.pane.target.as_ref().and_then(key);
        if before != desk.selected().map(|it| it.pair.key()) {
            desk.pane.shown = None;
        }
        desk.pane.number += 1;
        desk.pane.target = Some((Arc::clone(&desk.review), at));
        desk.revision += 1;
        let order = PairRequest {
            number: desk.pane.number,
            review: Arc::clone(&desk.review),
            at,
        };
        self.sync_selected_take();
        self.core.request(Effect::run(order));
    }

    /// Handles an event of a review.
    pub(in crate::workbench) fn on_review_event(&mut self, event: ReviewEvent) {
        let number = self.review.number;
        match event {
            ReviewEvent::Started(of, begun) if of == number => self.on_review_started(*begun),
            ReviewEvent::Progressed(of, snapshot) if of == number => {
                self.on_review_progress(snapshot);
            }
            ReviewEvent::Failed(of, reason) if of == number => {
                let desk = &mut self.review;
                desk.state = ReviewState::Failed(reason.into());
                desk.review = Arc::default();
                (desk.pair, desk.group) = (None, None);
                self.update_statuses();
            }
            ReviewEvent::Shown(of, shown) if of == self.review.pane.number => {
                self.review.pane.shown = Some(shown);
                self.review.revision += 1;
            }
            ReviewEvent::RulePreviewed(silences) => self.on_rule_previewed(silences),
            ReviewEvent::RuleSaved(kept) => self.on_rule_saved(kept),
            ReviewEvent::Planned(plan) => self.on_review_planned(plan),
            ReviewEvent::Written { done, left } => self.on_review_written(done, &left),
            ReviewEvent::SaveFailed(reason) => {
                self.core.notify(Severity::Error, format!("{reason}."))
            }
            _ => {}
        }
    }

    fn on_review_started(&mut self, begun: ReviewStart) {
        let desk = &mut self.review;
        (desk.committed_at, desk.unread) = (begun.committed_at, begun.unread);
        if std::mem::replace(&mut desk.is_resumed, true) {
            return;
        }
        match begun.decisions {
            Ok(decisions) => desk.decisions = decisions,
            Err(reason) => {
                let text = format!("{reason}. New decisions replace the saved ones.");
                self.core.notify(Severity::Warning, text);
            }
        }
    }

    fn on_review_progress(&mut self, snapshot: ReviewSnapshot) {
        let desk = &mut self.review;
        desk.state = if snapshot.is_complete {
            ReviewState::Done
        } else {
            ReviewState::Comparing(snapshot.done, snapshot.total)
        };
        // While the recordings are compared again, the previous review is shown until the new one is complete.
        let is_less = snapshot.review.pairs.len() < desk.review.pairs.len();
        if is_less && !snapshot.is_complete {
            desk.revision += 1;
            return;
        }
        let place = desk.place().filter(|_| desk.is_touched);
        desk.review = snapshot.review;
        desk.rules = snapshot.rules;
        self.update_statuses();
        self.review.go_back_to(place);
    }

    /// Returns why no decision can be made now, if so.
    pub(in crate::workbench) fn can_decide(&self) -> Result<(), &'static str> {
        match (self.core.shows(Desk::Review), self.review.pair) {
            (false, _) => Err("the review is not shown"),
            (true, None) => Err("no pair is selected"),
            (true, Some(_)) => Ok(()),
        }
    }

    /// Whether any pair is undecided.
    pub(in crate::workbench) fn has_undecided(&self) -> bool {
        self.review
            .statuses
            .pairs
            .iter()
            .any(|mark| matches!(mark, DecisionStatus::Open | DecisionStatus::Skipped))
    }
}
