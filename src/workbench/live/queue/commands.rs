//! The queue's commands: when each can be used, and what it does.

use super::actions::QueueAction;
use super::asking::AnswerWay;
use crate::workbench::command::Command;
use crate::workbench::event::Effect;
use crate::workbench::live::LiveSide;
use crate::workbench::navigation::{Desk, Location, View};
use crate::workbench::state::Workbench;

impl Workbench {
    /// Whether queues are shown.
    pub(in crate::workbench) fn shows_queue(&self) -> bool {
        let (desk, view) = (Desk::Live, View::List);
        self.here() == Location { desk, view } && self.live.side == LiveSide::Queue
    }

    /// Whether digits choose in what is shown, so that they mean nothing else.
    pub fn chooses_by_digits(&self) -> bool {
        self.shows_queue() && self.overlay.is_none() && self.live.queue.selected().is_some()
    }

    /// Puts the cursor into the answer.
    pub(in crate::workbench) fn enter_answer(&mut self) {
        self.live.queue.focus += 1;
    }

    /// Whether a command of queues can be used now; if not, the reason in a few words.
    pub(in crate::workbench) fn can_run_queue(&self, command: Command) -> Result<(), &'static str> {
        let need = |held: bool, reason| if held { Ok(()) } else { Err(reason) };
        let desk = &self.live.queue;
        let is_shown = self.shows_queue() && desk.selected().is_some();
        match command {
            Command::WatchQueue => need(self.project.is_some(), "open a folder first"),
            Command::StopWatching => need(!desk.watched.is_empty(), "no queue is watched"),
            _ => need(is_shown, "no request is shown"),
        }
    }

    pub(in crate::workbench) fn run_queue(&mut self, command: Command) -> Vec<Effect> {
        let desk = &self.live.queue;
        let action = match command {
            Command::StopWatching => {
                let shown = desk.selected.as_ref().map(|id| id.queue.clone());
                let folder = shown.or_else(|| desk.watched.last().map(|it| it.folder.clone()));
                let Some(folder) = folder else {
                    return Vec::new();
                };
                QueueAction::Stop(folder)
            }
            Command::AnswerByTool => QueueAction::Answer(AnswerWay::Tool),
            Command::AnswerByText => QueueAction::Answer(AnswerWay::Text),
            Command::AnswerByRecording => QueueAction::Answer(AnswerWay::Recording),
            Command::AnswerByRule => QueueAction::Answer(AnswerWay::Rule),
            Command::WriteAnswer => QueueAction::Write,
            Command::KeepAsRule => QueueAction::DraftRule,
            Command::CompareNearest => QueueAction::Compare,
            _ => QueueAction::Pick,
        };
        self.act_on_queue(action)
    }
}
