//! The headings that commands stand under.

use crate::workbench::navigation::Desk;

/// Under which heading a command stands in menus and in the table of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Opening, closing, reading.
    File,
    /// Edits and the way back.
    Edit,
    /// Moving between desks and views.
    Go,
    /// Lists and what is selected in them.
    List,
    /// A tape and its playhead.
    Tape,
    /// A session and its tool responses.
    Session,
    /// Two things side by side.
    Compare,
    /// Takes made anew, and what is decided about them.
    Review,
    /// Programs that run now, and what they are told.
    Live,
    /// Commands outside.
    Run,
    /// Looks and help.
    Window,
}

impl Section {
    /// The sections in the order of the menu.
    pub const ALL: &[Self] = &[
        Self::File,
        Self::Edit,
        Self::Go,
        Self::List,
        Self::Tape,
        Self::Session,
        Self::Compare,
        Self::Review,
        Self::Live,
        Self::Run,
        Self::Window,
    ];

    /// The desk that has the letters of its commands for itself; `None` where they are heard everywhere.
    pub fn desk(self) -> Option<Desk> {
        match self {
            Self::Tape => Some(Desk::Tapes),
            Self::Session => Some(Desk::Sessions),
            Self::Review => Some(Desk::Review),
            Self::Live => Some(Desk::Live),
            _ => None,
        }
    }

    /// The heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Go => "Go",
            Self::List => "List",
            Self::Tape => "Tape",
            Self::Session => "Session",
            Self::Compare => "Compare",
            Self::Review => "Review",
            Self::Live => "Live",
            Self::Run => "Run",
            Self::Window => "Window",
        }
    }
}
