//! Commands for reviewing re-recorded files.

use super::dispatch::{HandlerOrReason, handler_after, handler_if, require};
use crate::core::command::declared::by_section::Review;
use crate::core::view::Overlay;
use crate::desks::review::{DecisionScope, ReviewAction};
use crate::state::Workbench;
use compare::review::ReviewVerdict;
use protocol::Desk;

impl Workbench {
    pub(super) fn review_handler(&self, command: Review) -> HandlerOrReason {
        let can_decide = self.review.can_decide(&self.core);
        let can_keep_noise = |scope| can_decide.and_then(|()| self.review.can_keep_noise(scope));
        match command {
            Review::AcceptPair => handler_after(can_decide, |it| {
                it.decide_on(DecisionScope::Pair, ReviewVerdict::Accept);
            }),
            Review::KeepNoisePair => handler_after(can_keep_noise(DecisionScope::Pair), |it| {
                it.decide_on(DecisionScope::Pair, ReviewVerdict::KeepNoise);
            }),
            Review::RejectPair => handler_after(can_decide, |it| {
                it.decide_on(DecisionScope::Pair, ReviewVerdict::Reject);
            }),
            Review::SkipPair => handler_after(can_decide, |it| {
                it.decide_on(DecisionScope::Pair, ReviewVerdict::Skip);
            }),
            Review::DiscussPair => handler_after(can_decide, |it| {
                it.decide_on(DecisionScope::Pair, ReviewVerdict::Discuss);
            }),
            Review::AcceptGroup => handler_after(can_decide, |it| {
                it.decide_on(DecisionScope::Group, ReviewVerdict::Accept);
            }),
            Review::KeepNoiseGroup => handler_after(can_keep_noise(DecisionScope::Group), |it| {
                it.decide_on(DecisionScope::Group, ReviewVerdict::KeepNoise);
            }),
            Review::RejectGroup => handler_after(can_decide, |it| {
                it.decide_on(DecisionScope::Group, ReviewVerdict::Reject);
            }),
            Review::DiscussGroup => handler_after(can_decide, |it| {
                it.decide_on(DecisionScope::Group, ReviewVerdict::Discuss);
            }),
            Review::AcceptRest => handler_after(self.needs_undecided(), |it| {
                it.decide_on(DecisionScope::Rest, ReviewVerdict::Accept);
            }),
            Review::KeepNoiseRest => {
                let can_keep = self
                    .needs_undecided()
                    .and_then(|()| self.review.can_keep_noise(DecisionScope::Rest));
                handler_after(can_keep, |it| {
                    it.decide_on(DecisionScope::Rest, ReviewVerdict::KeepNoise);
                })
            }
            Review::RejectRest => handler_after(self.needs_undecided(), |it| {
                it.decide_on(DecisionScope::Rest, ReviewVerdict::Reject);
            }),
            Review::UndoDecision => {
                let can_undo = self.core.shows(Desk::Review) && self.review.can_undo();
                handler_if(can_undo, "no decision to undo", |it| {
                    it.review.act(&mut it.core, ReviewAction::Undo);
                })
            }
            Review::ApplyDecisions => {
                let can_apply = self.core.shows(Desk::Review) && self.review.statuses.to_apply > 0;
                handler_if(can_apply, "no decisions to apply", |it| {
                    it.review.act(&mut it.core, ReviewAction::ProposeApply);
                })
            }
            Review::IgnoreLikeThis => handler_after(can_decide, |it| {
                it.review.act(&mut it.core, ReviewAction::DraftRule);
            }),
            Review::CompareAgain => {
                handler_if(self.core.shows(Desk::Review), "the review is not shown", |it| {
                    it.review.act(&mut it.core, ReviewAction::CompareAgain);
                })
            }
            Review::ChooseReviewBase => {
                handler_if(self.core.project.is_some(), "nothing is open", |it| {
                    it.toggle_overlay(Overlay::ReviewAgainst);
                })
            }
            Review::OpenDifftool => handler_after(can_decide, |it| {
                it.review.act(&mut it.core, ReviewAction::OpenDifftool);
            }),
        }
    }

    fn needs_undecided(&self) -> Result<(), &'static str> {
        self.review.can_decide(&self.core)?;
        require(self.review.has_undecided(), "no undecided pairs")
    }

    fn decide_on(&mut self, reach: DecisionScope, verdict: ReviewVerdict) {
        self.review.act(&mut self.core, ReviewAction::Decide(reach, verdict));
    }
}
