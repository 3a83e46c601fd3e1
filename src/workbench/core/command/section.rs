//! The desks of the sections of commands.

use super::declared::CommandSection;
use protocol::Desk;

impl CommandSection {
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
}
