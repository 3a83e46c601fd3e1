//! The conditions and actions of queue commands.

use super::actions::QueueAction;
use crate::workbench::core::navigation::{Desk, DeskView, Location};
use crate::workbench::desks::live::LiveSide;
use crate::workbench::state::Workbench;

impl Workbench {
    /// Whether the queue side is shown.
    pub(in crate::workbench) fn shows_queue(&self) -> bool {
        let (desk, view) = (Desk::Live, DeskView::List);
        self.core.here() == Location { desk, view } && self.live.side == LiveSide::Queue
    }

    /// Whether digits choose an entry of what is shown, so that they run no command.
    pub fn chooses_by_digits(&self) -> bool {
        self.shows_queue() && self.core.overlay.is_none() && self.live.queue.selected().is_some()
    }

    /// Moves the cursor to the answer.
    pub(in crate::workbench) fn enter_answer(&mut self) {
        self.live.queue.focus += 1;
    }

    /// Stops watching the queue of the shown request, else the queue that was watched last.
    pub(in crate::workbench) fn stop_watching(&mut self) {
        let desk = &self.live.queue;
        let shown = desk.selected.as_ref().map(|id| id.queue.clone());
        let folder = shown.or_else(|| desk.watched.last().map(|it| it.folder.clone()));
        if let Some(it) = folder {
            self.act_on_queue(QueueAction::Stop(it));
        }
    }
}
