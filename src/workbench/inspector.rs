//! Where the inspector is placed, and whether it is shown.

use super::action::{InspectorTab, StepDirection};
use super::command::Command;
use super::navigation::{Desk, DeskView};
use super::sessions::{SessionSide, SessionsAction};
use super::state::Workbench;

/// Where the window has room for the inspector.
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
}

impl Inspector {
    pub(super) fn new() -> Self {
        Self {
            placement: InspectorPlacement::default(),
            docked: true,
            floating: false,
        }
    }

    pub(super) fn is_shown(&self) -> bool {
        match self.placement {
            InspectorPlacement::Docked => self.docked,
            InspectorPlacement::Floating => self.floating,
        }
    }

    pub(super) fn show(&mut self) {
        match self.placement {
            InspectorPlacement::Docked => self.docked = true,
            InspectorPlacement::Floating => self.floating = true,
        }
    }

    pub(super) fn toggle(&mut self) {
        match self.placement {
            InspectorPlacement::Docked => self.docked = !self.docked,
            InspectorPlacement::Floating => self.floating = !self.floating,
        }
    }

    /// Closes it if it is shown over the desk. Returns whether it was.
    pub(super) fn close(&mut self) -> bool {
        self.placement == InspectorPlacement::Floating && std::mem::take(&mut self.floating)
    }
}

impl Workbench {
    /// Whether the text of the selected item is visible.
    pub(super) fn shows_text(&self) -> bool {
        let here = self.core.here();
        let listed = here.desk == Desk::Library && here.view == DeskView::List;
        let in_session = self.core.shows(Desk::Sessions) && self.sessions.selected.is_some();
        in_session
            || listed
                && self.core.list.selected.is_some()
                && self.core.inspector.is_shown()
                && self.core.tab == InspectorTab::Text
    }

    /// Runs a search command. Moves the cursor to the list's filter if no text is shown.
    pub(super) fn find(&mut self, command: Command) {
        let request = match command {
            Command::FindAndReplace => FindRequest::Replace,
            Command::FindNext => FindRequest::Go(StepDirection::Next),
            Command::FindPrevious => FindRequest::Go(StepDirection::Previous),
            _ if !self.shows_text() => return self.run(Command::FocusFilter),
            _ => FindRequest::Find,
        };
        self.core.find_request = Some(request);
        if self.core.shows(Desk::Sessions) {
            return self.act_on_sessions(SessionsAction::ShowSide(SessionSide::Text));
        }
        self.core.tab = InspectorTab::Text;
        self.core.inspector.show();
        self.core.go(Desk::Library, DeskView::List);
    }
}
