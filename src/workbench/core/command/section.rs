//! The sections of commands.

use super::Command;
use crate::workbench::requests::Desk;

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

impl Command {
    /// Returns whether a command for tapes also applies to the strip of the playback desk and of the sessions desk.
    pub(in crate::workbench) fn applies_to_strip(self) -> bool {
        use Command::{FitTape, PlayTape, ZoomIn, ZoomOut};
        matches!(self, PlayTape | ZoomIn | ZoomOut | FitTape)
    }

    /// Returns the command that goes to a desk.
    pub fn go_to(desk: Desk) -> Self {
        match desk {
            Desk::Library => Self::GoLibrary,
            Desk::Playback => Self::GoPlayback,
            Desk::Tapes => Self::GoTapes,
            Desk::Sessions => Self::GoSessions,
            Desk::Seeds => Self::GoSeeds,
            Desk::Review => Self::GoReview,
            Desk::Problems => Self::GoProblems,
            Desk::Live => Self::GoLive,
        }
    }

    /// Returns the desks on which its letter keys apply; none if they apply everywhere.
    fn desks(self) -> impl Iterator<Item = Desk> {
        let strips =
            [Desk::Playback, Desk::Sessions].into_iter().filter(move |_| self.applies_to_strip());
        self.section().desk().into_iter().chain(strips)
    }

    /// Returns whether there is a desk on which the letter keys of both commands apply.
    pub(super) fn shares_desk(self, other: Self) -> bool {
        let is_everywhere = |command: Self| command.section().desk().is_none();
        is_everywhere(self)
            || is_everywhere(other)
            || self.desks().any(|desk| other.desks().any(|it| it == desk))
    }
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
