//! Commands for moving between desks and views.

use super::dispatch::{HandlerOrReason, handler_if};
use crate::core::command::Command;
use crate::core::command::declared::by_section::Go;
use crate::core::navigation::{DeskView, StepDirection};
use crate::core::view::Overlay;
use crate::state::Workbench;
use protocol::Desk;

impl Workbench {
    pub(super) fn go_handler(&self, command: Go) -> HandlerOrReason {
        let is_open = self.core.project.is_some();
        match command {
            Go::ShowPalette => Ok(|it| it.toggle_overlay(Overlay::Palette)),
            Go::GoPath => Ok(Self::toggle_path_field),
            Go::GoLibrary => Ok(|it| it.core.go(Desk::Library, DeskView::List)),
            Go::GoPlayback => handler_if(is_open, "nothing is open", |it| {
                it.core.go(Desk::Playback, DeskView::List);
            }),
            Go::GoTapes => Ok(|it| it.core.go(Desk::Tapes, DeskView::List)),
            Go::GoSessions => Ok(|it| it.core.go(Desk::Sessions, DeskView::List)),
            Go::GoSeeds => Ok(|it| it.core.go(Desk::Seeds, DeskView::List)),
            Go::GoReview if !is_open => Ok(|it| {
                it.pick_folder_then(
                    "Open the folder with the changed recordings",
                    Command::GoReview,
                );
            }),
            Go::GoReview => Ok(|it| it.core.go(Desk::Review, DeskView::List)),
            Go::GoProblems => Ok(|it| it.core.go(Desk::Problems, DeskView::List)),
            Go::GoLive => handler_if(is_open, "nothing is open", |it| {
                it.core.go(Desk::Live, DeskView::List);
            }),
            Go::GoSources => Ok(|it| it.problems.go_sources(&mut it.core)),
            Go::Back => {
                let can_go = self.core.navigation.can_go_back();
                handler_if(can_go, "there is no previous view", |it| {
                    it.core.navigation.back();
                })
            }
            Go::Forward => {
                let can_go = self.core.navigation.can_go_forward();
                handler_if(can_go, "there is no next view", |it| {
                    it.core.navigation.forward();
                })
            }
            Go::Close => Ok(|it| {
                it.close();
            }),
            Go::NextProblem => handler_if(self.has_problems(), "there are no problems", |it| {
                it.problems.step_problem(&mut it.core, StepDirection::Next);
            }),
            Go::PreviousProblem => handler_if(self.has_problems(), "there are no problems", |it| {
                it.problems.step_problem(&mut it.core, StepDirection::Previous);
            }),
        }
    }

    fn has_problems(&self) -> bool {
        self.core.library.tally().next().is_some()
    }
}
