//! Commands for moving between desks and views.

use super::declared::by_section::Go;
use super::running::{Can, nothing, when};
use crate::workbench::action::{Overlay, Step};
use crate::workbench::navigation::{Desk, View};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn go_deed(&self, command: Go) -> Can {
        let is_open = self.project.is_some();
        match command {
            Go::ShowPalette => Ok(|it| it.toggle_overlay(Overlay::Palette)),
            Go::GoLibrary => Ok(|it| it.go(Desk::Library, View::List)),
            Go::GoPlayback => when(is_open, "nothing is open", |it| {
                it.go(Desk::Playback, View::List)
            }),
            Go::GoTapes => Ok(|it| it.go(Desk::Tapes, View::List)),
            Go::GoSessions => Ok(|it| it.go(Desk::Sessions, View::List)),
            Go::GoSeeds => Ok(|it| it.go(Desk::Seeds, View::List)),
            Go::GoReview => when(is_open, "nothing is open", |it| {
                it.go(Desk::Review, View::List)
            }),
            Go::GoProblems => Ok(|it| it.go(Desk::Problems, View::List)),
            Go::GoLive => when(is_open, "nothing is open", |it| {
                it.go(Desk::Live, View::List)
            }),
            Go::GoSources => Ok(Self::go_sources),
            Go::Back => {
                let can_go = self.navigation.can_go_back();
                when(can_go, "there is no previous view", |it| {
                    it.navigation.back();
                    nothing()
                })
            }
            Go::Forward => {
                let can_go = self.navigation.can_go_forward();
                when(can_go, "there is no next view", |it| {
                    it.navigation.forward();
                    nothing()
                })
            }
            Go::Close => Ok(|it| {
                it.close();
                nothing()
            }),
            Go::NextProblem => when(self.has_problems(), "there are no problems", |it| {
                it.step_problem(Step::Next)
            }),
            Go::PreviousProblem => when(self.has_problems(), "there are no problems", |it| {
                it.step_problem(Step::Previous)
            }),
        }
    }

    fn has_problems(&self) -> bool {
        self.library.tally().next().is_some()
    }
}
