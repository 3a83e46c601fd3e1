//! Commands for reviewing re-recorded files.

use super::dispatch::{HandlerOrReason, action, action_after, action_if, handler_if, require};
use crate::core::command::declared::by_section::Review;
use crate::{DecisionScope, Overlay, ReviewAction, StepDirection, Workbench};
use compare::review::ReviewVerdict;
use protocol::Desk;

impl Workbench {
    pub(super) fn review_handler(&self, command: Review) -> HandlerOrReason {
        use DecisionScope::{Group, Lane, Pair, Rest};
        use ReviewVerdict::{Accept, Discuss, KeepNoise, Reject, Skip};
        let is_shown = self.core.shows(Desk::Review);
        let can_decide = self.review.can_decide(&self.core);
        let decide = |scope, verdict| -> HandlerOrReason {
            can_decide?;
            require(scope != Rest || self.review.has_undecided(), "no undecided pairs")?;
            let has_lane = scope != Lane || self.review.has_undecided_in_lane();
            require(has_lane, "no undecided pairs in the lane")?;
            if verdict == KeepNoise {
                self.review.can_keep_noise(scope)?;
            }
            action(ReviewAction::Decide(scope, verdict))
        };
        let open_beside = |step: StepDirection| -> HandlerOrReason {
            can_decide?;
            let index = self.review.group.and_then(|group| step.beside(group));
            let group = index.and_then(|index| self.review.review.groups.get(index));
            let group = group.ok_or("no other group is in this direction")?;
            action(ReviewAction::Open(group.id.as_str().into()))
        };
        match command {
            Review::NextGroup => open_beside(StepDirection::Next),
            Review::PreviousGroup => open_beside(StepDirection::Previous),
            Review::AcceptPair => decide(Pair, Accept),
            Review::KeepNoisePair => decide(Pair, KeepNoise),
            Review::RejectPair => decide(Pair, Reject),
            Review::SkipPair => decide(Pair, Skip),
            Review::DiscussPair => decide(Pair, Discuss),
            Review::AcceptGroup => decide(Group, Accept),
            Review::KeepNoiseGroup => decide(Group, KeepNoise),
            Review::RejectGroup => decide(Group, Reject),
            Review::DiscussGroup => decide(Group, Discuss),
            Review::AcceptLane => decide(Lane, Accept),
            Review::KeepNoiseLane => decide(Lane, KeepNoise),
            Review::RejectLane => decide(Lane, Reject),
            Review::AcceptRest => decide(Rest, Accept),
            Review::KeepNoiseRest => decide(Rest, KeepNoise),
            Review::RejectRest => decide(Rest, Reject),
            Review::UndoDecision => {
                let can_undo = is_shown && self.review.decisions.can_undo();
                action_if(can_undo, "no decision to undo", ReviewAction::Undo)
            }
            Review::ApplyDecisions => {
                let can_apply = is_shown && self.review.statuses.to_apply > 0;
                action_if(can_apply, "no decisions to apply", ReviewAction::ProposeApply)
            }
            Review::IgnoreLikeThis => action_after(can_decide, ReviewAction::DraftRule),
            Review::CompareAgain => {
                action_if(is_shown, "the review is not shown", ReviewAction::CompareAgain)
            }
            Review::ChooseReviewBase => {
                handler_if(self.core.project.is_some(), "nothing is open", |workbench| {
                    workbench.toggle_overlay(Overlay::ReviewAgainst);
                })
            }
            Review::OpenDifftool => action_after(can_decide, ReviewAction::OpenDifftool),
        }
    }
}
