//! Where the inspector stands, and whether it is shown there.

use super::action::{Step, Tab};
use super::command::Command;
use super::event::Effect;
use super::navigation::{Desk, View};
use super::sessions::{SessionSide, SessionsAction};
use super::state::Workbench;

/// Where the window has room for the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Room {
    /// Beside the desk, where it is unless it was hidden.
    #[default]
    Beside,
    /// Over the desk, where it is only after it was asked for.
    Over,
}

/// What a command asks of the text that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindWish {
    /// To find what is selected in it, or what is typed next.
    Find,
    /// The same, and to put something in its place.
    Replace,
    /// To go to the next place where it was found, or to the one before.
    Go(Step),
}

/// The inspector's state: for each place on its own, so that a window made narrow and wide again shows what it did.
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

    /// Takes it away from over the desk. True if it was there.
    pub(super) fn close(&mut self) -> bool {
        self.room == Room::Over && std::mem::take(&mut self.over)
    }
}

impl Workbench {
    /// Whether the text of the selected item is on screen.
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

    /// Does what a command asks of the text. What finds words in it filters the list where no text is shown.
    pub(super) fn find(&mut self, command: Command) -> Vec<Effect> {
        let wish = match command {
            Command::FindAndReplace => FindWish::Replace,
            Command::FindNext => FindWish::Go(Step::Next),
            Command::FindPrevious => FindWish::Go(Step::Previous),
            _ if !self.shows_text() => return self.run(Command::FocusFilter),
            _ => FindWish::Find,
        };
        self.find_wanted = Some(wish);
        if self.shows_sessions() {
            return self.act_on_sessions(SessionsAction::ShowSide(SessionSide::Text));
        }
        self.tab = Tab::Text;
        self.inspector.show();
        self.go(Desk::Library, View::List)
    }
}
