//! Placement of the inspector, and whether it is shown.

use crate::core::navigation::StepDirection;

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
    docked: bool,
    floating: bool,
    /// Whether prompts of nodes are shown as text instead of as a card.
    pub full_prompt: bool,
}

impl Inspector {
    pub(crate) fn new() -> Self {
        Self {
            placement: InspectorPlacement::default(),
            docked: true,
            floating: false,
            full_prompt: false,
        }
    }

    pub fn is_shown(&self) -> bool {
        match self.placement {
            InspectorPlacement::Docked => self.docked,
            InspectorPlacement::Floating => self.floating,
        }
    }

    pub(crate) fn show(&mut self) {
        match self.placement {
            InspectorPlacement::Docked => self.docked = true,
            InspectorPlacement::Floating => self.floating = true,
        }
    }

    pub(crate) fn toggle(&mut self) {
        match self.placement {
            InspectorPlacement::Docked => self.docked = !self.docked,
            InspectorPlacement::Floating => self.floating = !self.floating,
        }
    }

    /// Closes it if it is shown over the desk. Returns whether it was.
    pub(crate) fn close(&mut self) -> bool {
        // A docked inspector covers nothing that Esc could uncover.
        self.placement == InspectorPlacement::Floating && std::mem::take(&mut self.floating)
    }
}
