//! Where the inspector stands, and whether it is shown there.

/// Where the window has room for the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Room {
    /// Beside the desk, where it is unless it was hidden.
    #[default]
    Beside,
    /// Over the desk, where it is only after it was asked for.
    Over,
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
