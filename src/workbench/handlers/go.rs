//! Commands for moving between desks and views.

use super::dispatch::{HandlerOrReason, action, action_if, handler, handler_if};
use crate::core::command::declared::by_section::Go;
use crate::{Action, Command, Overlay, StepDirection, Workbench};
use protocol::Desk;

impl Workbench {
    pub(super) fn go_handler(&self, command: Go) -> HandlerOrReason {
        let is_open = self.core.project.is_some();
        let step_problem = |step| {
            let has_problems = self.problems.has_problems(&self.core);
            handler_if(has_problems, "there are no problems", move |workbench| {
                workbench.problems.step_problem(&mut workbench.core, step);
            })
        };
        match command {
            Go::ShowPalette => handler(|w| w.toggle_overlay(Overlay::Palette)),
            Go::GoPath => handler(Self::toggle_path_field),
            Go::GoLibrary => action(Action::Go(Desk::Library)),
            Go::GoPlayback => action_if(is_open, "nothing is open", Action::Go(Desk::Playback)),
            Go::GoTapes => action(Action::Go(Desk::Tapes)),
            Go::GoSessions => action(Action::Go(Desk::Sessions)),
            Go::GoSeeds => action(Action::Go(Desk::Seeds)),
            Go::GoReview if !is_open => handler(|workbench| {
                let title = "Open the folder with the changed recordings";
                workbench.pick_folder_then(title, Command::GoReview);
            }),
            Go::GoReview => action(Action::Go(Desk::Review)),
            Go::GoProblems => action(Action::Go(Desk::Problems)),
            Go::GoLive => action_if(is_open, "nothing is open", Action::Go(Desk::Live)),
            Go::GoAudit => action_if(is_open, "nothing is open", Action::Go(Desk::Audit)),
            Go::Back => {
                let can_go = self.core.navigation.can_go_back();
                handler_if(can_go, "there is no previous view", |w| w.core.navigation.back())
            }
            Go::Forward => {
                let can_go = self.core.navigation.can_go_forward();
                handler_if(can_go, "there is no next view", |w| w.core.navigation.forward())
            }
            Go::Close => handler(Self::close),
            Go::NextProblem => step_problem(StepDirection::Next),
            Go::PreviousProblem => step_problem(StepDirection::Previous),
        }
    }
}
