//! Where the inspector is placed, and whether it is shown.

use super::action::{Step, Tab};
use super::command::Command;
use super::event::Effect;
use super::navigation::{Desk, View};
use super::sessions::{SessionSide, SessionsAction};
use super::state::Workbench;

/// Where the window has room for the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Room {
    /// Beside the desk; shown unless it was hidden.
    #[default]
    Beside,
    /// Over the desk; shown only on request.
    Over,
}

/// A search command for the text that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindWish {
    /// Finds the selected text, or the text typed next.
    Find,
    /// Finds and replaces.
    Replace,
    /// Goes to the next or previous match.
    Go(Step),
}

/// The state of the inspector. Each placement has its own visibility, so that resizing the window back restores it.
#[derive(Debug)]
pub(super) struct Inspector {
    pub(super) room: Room,
    beside: bool,
    over: bool,
}

impl Inspector {
    pub(super) fn new() -> Self {
        Self {
            room: Room::default(),
            beside: true,
            over: false,
        }
    }

    pub(super) fn is_shown(&self) -> bool {
        match self.room {
            Room::Beside => self.beside,
            Room::Over => self.over,
        }
    }

    pub(super) fn show(&mut self) {
        match self.room {
            Room::Beside => self.beside = true,
            Room::Over => self.over = true,
        }
    }

    pub(super) fn toggle(&mut self) {
        match self.room {
            Room::Beside => self.beside = !self.beside,
            Room::Over => self.over = !self.over,
        }
    }

    /// Closes it if it is shown over the desk. Returns whether it was.
    pub(super) fn close(&mut self) -> bool {
        self.room == Room::Over && std::mem::take(&mut self.over)
    }
}

impl Workbench {
    /// Whether the text of the selected item is visible.
    pub(super) fn shows_text(&self) -> bool {
        let here = self.here();
        let listed = here.desk == Desk::Library && here.view == View::List;
        let in_session = self.shows_sessions() && self.sessions.selected().is_some();
        in_session
            || listed
                && self.list.selected.is_some()
                && self.inspector.is_shown()
                && self.tab == Tab::Text
    }

    /// Runs a search command. Moves the cursor to the list's filter if no text is shown.
    pub(super) fn find(&mut self, command: Command) -> Vec<Effect> {
        let request = match command {
            Command::FindAndReplace => FindWish::Replace,
            Command::FindNext => FindWish::Go(Step::Next),
            Command::FindPrevious => FindWish::Go(Step::Previous),
            _ if !self.shows_text() => return self.run(Command::FocusFilter),
            _ => FindWish::Find,
        };
        self.find_wanted = Some(request);
        if self.shows_sessions() {
            return self.act_on_sessions(SessionsAction::ShowSide(SessionSide::Text));
        }
        self.tab = Tab::Text;
        self.inspector.show();
        self.go(Desk::Library, View::List)
    }
}
