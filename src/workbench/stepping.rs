//! Steps through lists and changes with the arrow keys, `j` and `k`, `n` and `p`.

use crate::{InspectorPlacement, StepDirection, Workbench};
use calls::{Item, ItemStatus};
use protocol::{Desk, DocId};

impl Workbench {
    /// Moves the selection by some rows; side by side, to another change.
    pub(super) fn step(&mut self, step: StepDirection, rows: usize) {
        if let Some((desk, core)) = self.shown_desk_mut() {
            desk.step(core, step, rows);
        } else if self.core.shows(Desk::Library) {
            self.core.step_row(step, rows);
        } else {
            self.core.step_change(step);
        }
    }

    /// Goes to the first or last row or change.
    pub(super) fn step_all(&mut self, step: StepDirection) {
        if let Some((desk, core)) = self.shown_desk_mut() {
            desk.step_to_end(core, step);
        } else if self.core.shows(Desk::Library) {
            self.core.step_to_end(step);
        } else if let Some(side) = &mut self.core.side {
            side.show(step.pick(usize::MAX, 0));
        }
    }

    pub(super) fn open_selected(&mut self) {
        if let Some((desk, core)) = self.shown_desk_mut() {
            return desk.open_selected(core);
        }
        // A floating inspector that is hidden is only shown; a source is compared the next time.
        if self.core.inspector.placement == InspectorPlacement::Floating
            && !self.core.inspector.is_shown()
        {
            self.core.inspector.show();
            return;
        }
        self.core.inspector.show();
        let is_stale = |id: &DocId| {
            let status = self.core.library.get(*id).map(Item::status);
            matches!(status, Some(ItemStatus::Stale | ItemStatus::StaleBreaks))
        };
        if let Some(id) = self.subject().filter(is_stale) {
            self.core.compare_source(id);
        }
    }

    pub(super) fn step_change(&mut self, step: StepDirection) {
        match self.shown_desk_mut() {
            Some((desk, core)) => desk.step_change(core, step),
            None => self.core.step_change(step),
        }
    }
}
