//! The sections of commands.

use protocol::Desk;

/// The section that a command is listed in, in menus and in the table of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandSection {
    /// Opening, closing, reading.
    File,
    /// Edits and undo.
    Edit,
    /// Moving between desks and views.
    Go,
    /// Lists and what is selected in them.
    List,
    /// A playback and its fixes.
    Playback,
    /// A tape and its playhead.
    Tape,
    /// A session and its tool responses.
    Session,
    /// Problems and their fixes.
    Problem,
    /// Comparing two items.
    Compare,
    /// Reviewing re-recorded files.
    Review,
    /// Running programs: queues, the recorder and the server.
    Live,
    /// The project's own commands.
    Run,
    /// Appearance and help.
    Window,
}

impl CommandSection {
    /// All sections, in the order of the menu.
    pub const ALL: &[Self] = &[
        Self::File,
        Self::Edit,
        Self::Go,
        Self::List,
        Self::Playback,
        Self::Tape,
        Self::Session,
        Self::Problem,
        Self::Compare,
        Self::Review,
        Self::Live,
        Self::Run,
        Self::Window,
    ];

    /// The desk on which the letter keys of its commands apply; `None` if they apply everywhere.
    pub fn desk(self) -> Option<Desk> {
        match self {
            Self::Playback => Some(Desk::Playback),
            Self::Tape => Some(Desk::Tapes),
            Self::Session => Some(Desk::Sessions),
            Self::Problem => Some(Desk::Problems),
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
            Self::Playback => "Playback",
            Self::Tape => "Tape",
            Self::Session => "Session",
            Self::Problem => "Problem",
            Self::Compare => "Compare",
            Self::Review => "Review",
            Self::Live => "Live",
            Self::Run => "Run",
            Self::Window => "Window",
        }
    }
}
