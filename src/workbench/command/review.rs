//! Commands for reviewing re-recorded files.

use super::declared::by_section::Review;
use super::running::{Can, after, need, when};
use crate::ops::review::ReviewVerdict;
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::review::{Reach, ReviewAction};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn review_deed(&self, command: Review) -> Can {
        match command {
            Review::AcceptPair => after(self.can_decide(), |it| {
                it.decide_on(Reach::Pair, ReviewVerdict::Accept)
            }),
            Review::RejectPair => after(self.can_decide(), |it| {
                it.decide_on(Reach::Pair, ReviewVerdict::Reject)
            }),
            Review::SkipPair => after(self.can_decide(), |it| {
                it.decide_on(Reach::Pair, ReviewVerdict::Skip)
            }),
            Review::AcceptGroup => after(self.can_decide(), |it| {
                it.decide_on(Reach::Group, ReviewVerdict::Accept)
            }),
            Review::RejectGroup => after(self.can_decide(), |it| {
                it.decide_on(Reach::Group, ReviewVerdict::Reject)
            }),
            Review::AcceptRest => after(self.needs_undecided(), |it| {
                it.decide_on(Reach::Rest, ReviewVerdict::Accept)
            }),
            Review::RejectRest => after(self.needs_undecided(), |it| {
                it.decide_on(Reach::Rest, ReviewVerdict::Reject)
            }),
            Review::UndoDecision => {
                let can_undo = self.shows_review() && self.review.can_undo();
                when(can_undo, "no decision to undo", |it| {
                    it.act_on_review(ReviewAction::Undo)
                })
            }
            Review::ApplyDecisions => {
                let can_apply = self.shows_review() && self.review.to_apply() > 0;
                when(can_apply, "no decisions to apply", |it| {
                    it.act_on_review(ReviewAction::ProposeApply)
                })
            }
            Review::IgnoreLikeThis => after(self.can_decide(), |it| {
                it.act_on_review(ReviewAction::DraftRule)
            }),
            Review::CompareAgain => when(self.shows_review(), "the review is not shown", |it| {
                it.act_on_review(ReviewAction::LookAgain)
            }),
            Review::ChooseReviewBase => when(self.project.is_some(), "nothing is open", |it| {
                it.toggle_overlay(Overlay::ReviewAgainst)
            }),
            Review::OpenDifftool => after(self.can_decide(), |it| {
                it.act_on_review(ReviewAction::OpenDifftool)
            }),
        }
    }

    fn needs_undecided(&self) -> Result<(), &'static str> {
        self.can_decide()?;
        need(self.has_undecided(), "no undecided pairs")
    }

    fn decide_on(&mut self, reach: Reach, verdict: ReviewVerdict) -> Vec<Effect> {
        self.act_on_review(ReviewAction::Decide(reach, verdict))
    }
}
