//! Steps through lists and changes with the arrow keys, `j` and `k`, `n` and `p`.

use crate::workbench::action::Action;
use crate::workbench::core::inspector::InspectorPlacement;
use crate::workbench::core::library::DocId;
use crate::workbench::core::listing::{self};
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::state::Workbench;

impl Workbench {
    fn step_row(&mut self, by: isize) {
        let list = &self.core.list;
        if let Some(id) = list.listing.step(list.selected, by) {
            self.core.select(id);
        }
    }

    fn step_to(&mut self, end: impl Fn((DocId, DocId)) -> DocId) {
        if let Some(ends) = self.core.list.listing.first_and_last() {
            self.core.select(end(ends));
        }
    }

    /// Moves the selection by some rows: items, problems or changes.
    pub(super) fn step(&mut self, step: StepDirection, rows: isize) {
        let here = self.core.here();
        match (here.view, here.desk) {
            (DeskView::List, Desk::Library) => self.step_row(match step {
                StepDirection::Next => rows,
                StepDirection::Previous => -rows,
            }),
            (DeskView::Compare { .. } | DeskView::Source(_) | DeskView::Conflict(_), _) => {
                self.step_change(step);
            }
            (DeskView::List | DeskView::Import, _) => {
                if let Some((desk, core)) = self.shown_desk_mut() {
                    desk.step(core, step, rows.unsigned_abs());
                }
            }
        }
    }

    /// Goes to the first or last row.
    pub(super) fn step_all(&mut self, step: StepDirection) {
        let here = self.core.here();
        match (here.view, here.desk, step) {
            (DeskView::List, Desk::Library, StepDirection::Next) => self.step_to(|ends| ends.1),
            (DeskView::List, Desk::Library, StepDirection::Previous) => self.step_to(|ends| ends.0),
            (DeskView::Compare { .. } | DeskView::Source(_) | DeskView::Conflict(_), ..) => {
                if let Some(side) = &mut self.core.side {
                    side.show(match step {
                        StepDirection::Next => side.changes().saturating_sub(1),
                        StepDirection::Previous => 0,
                    });
                }
            }
            (DeskView::List | DeskView::Import, ..) => {
                if let Some((desk, core)) = self.shown_desk_mut() {
                    desk.step_to_end(core, step);
                }
            }
        }
    }

    pub(super) fn open_selected(&mut self) {
        if let Some((desk, core)) = self.shown_desk_mut() {
            return desk.open_selected(core);
        }
        // A docked inspector that was not visible yet is opened first.
        if self.core.inspector.placement == InspectorPlacement::Floating
            && !self.core.inspector.is_shown()
        {
            self.core.inspector.show();
            return;
        }
        self.core.inspector.show();
        let stale = |id: &DocId| self.core.library.get(*id).is_some_and(listing::is_stale);
        if let Some(id) = self.subject().filter(stale) {
            self.act(Action::CompareSource(id));
        }
    }

    pub(super) fn step_change(&mut self, step: StepDirection) {
        match self.shown_desk_mut() {
            Some((desk, core)) => desk.step_change(core, step),
            None => self.core.step_change(step),
        }
    }
}
