//! Placement of the inspector, and whether it is shown.

use crate::core::Core;
use crate::core::navigation::StepDirection;
use protocol::{LibraryRow, ListTarget};

/// Place where the window has room for the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InspectorPlacement {
    /// Beside the desk; shown unless it was hidden.
    #[default]
    Docked,
    /// Over the desk; shown only on request.
    Floating,
}

/// A search command for the text that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindRequest {
    /// Finds the selected text, or the text typed next.
    Find,
    Replace,
    /// Goes to the next or previous match.
    Go(StepDirection),
}

/// The state of the inspector. Each placement has its own visibility, so that resizing the window back restores it.
#[derive(Debug)]
pub struct Inspector {
    pub placement: InspectorPlacement,
    /// In the order of the placements.
    shown: [bool; 2],
    /// Whether prompts of nodes are shown as text instead of as a card.
    pub full_prompt: bool,
    /// Whether the body of the selected call is to be edited.
    pub(crate) edits_decoded: bool,
}

impl Default for Inspector {
    fn default() -> Self {
        // Only the docked one.
        let shown = [true, false];
        Self {
            placement: InspectorPlacement::Docked,
            shown,
            full_prompt: false,
            edits_decoded: false,
        }
    }
}

impl Inspector {
    pub fn is_shown(&self) -> bool {
        self.shown[self.placement as usize]
    }

    pub(crate) fn show(&mut self) {
        self.shown[self.placement as usize] = true;
    }

    pub(crate) fn toggle(&mut self) {
        self.shown[self.placement as usize] ^= true;
    }

    /// Closes it if it is shown over the desk. Returns whether it was.
    pub(crate) fn close(&mut self) -> bool {
        // A docked inspector covers nothing that Esc could uncover.
        let is_closed = self.placement == InspectorPlacement::Floating && self.is_shown();
        self.shown[self.placement as usize] &= !is_closed;
        is_closed
    }
}

impl Core {
    /// Returns the call before or after the one that is shown: in a file whose calls are listed, or in the set of a recording. Before the
    /// first one, and while the calls are not listed, the keys unfold and fold them.
    pub(crate) fn call_beside(&self, step: StepDirection) -> Option<ListTarget> {
        let id = self.list.selected?;
        let item = self.library.get(id)?;
        if !self.is_unfolded(id) {
            return None;
        }
        let is_back = step == StepDirection::Previous;
        if !item.calls.is_empty() {
            let call = self.list.selected_call;
            // Before the first one, the keys fold.
            let is_at_start = call.unwrap_or_default() == 0 && is_back;
            return (!is_at_start).then(|| (id, Some(step.target_in(call, 1, item.calls.len()))));
        }
        let rows = &self.list.listing.rows;
        let row = self.list.listing.row_of(id)?;
        let LibraryRow::Member(_, number) = rows[row] else { return None };
        match rows.get(step.beside(row)?) {
            Some(LibraryRow::Member(other, _)) => Some((*other, None)),
            _ => (number > 0 || !is_back).then_some((id, None)),
        }
    }
}
