//! All commands: name, tooltip, keys, when each is enabled, and what it does.
//!
//! A command is declared in `declared.rs` and has one match arm in the file of its section in `workbench/handlers/`, which checks
//! its requirements and runs it. Menus, the palette and the keyboard are made from these; the guide's tables of keys are
//! compared with them by a test.

pub(crate) mod declared;
mod keymap;
mod keys;
#[cfg(any(test, feature = "testing"))]
mod testing;

use crate::{DeskView, Location};
pub use declared::{Command, CommandSection};
pub use keymap::Keymap;
pub use keys::{Shortcut, ShortcutKey};
use protocol::{Desk, DocId};

impl Command {
    /// The name in menus and in the palette; ends with `…` if a dialog follows.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// The Lucide name of its icon.
    pub fn icon(self) -> &'static str {
        self.declaration().icon
    }

    /// The description, in one sentence.
    pub fn tooltip(self) -> &'static str {
        self.declaration().tooltip
    }

    /// Its name in `settings.toml`: `save-all`.
    pub fn id(self) -> String {
        let mut id = String::new();
        for sign in self.declaration().variant.chars() {
            if sign.is_ascii_uppercase() && !id.is_empty() {
                id.push('-');
            }
            id.push(sign.to_ascii_lowercase());
        }
        id
    }

    /// Returns the command with this [id](Self::id).
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|command| command.id() == id)
    }

    /// The shortcuts that run it unless the user has changed them, which the [`Keymap`] knows; the first one is shown.
    pub fn default_shortcuts(self) -> &'static [Shortcut] {
        self.declaration().shortcuts
    }

    /// The section it is listed in.
    pub fn section(self) -> CommandSection {
        self.declaration().section
    }

    /// Returns whether a command for tapes also applies to the strip of the playback desk.
    pub(crate) fn applies_to_strip(self) -> bool {
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
            Desk::Audit => Self::GoAudit,
            Desk::Live => Self::GoLive,
        }
    }

    /// Returns whether there is a view in which both commands apply.
    fn shares_view(self, other: Self) -> bool {
        let doc = DocId::new(0);
        let views = [
            DeskView::List,
            DeskView::Compare { left: doc, right: doc },
            DeskView::Source(doc),
            DeskView::Import,
            DeskView::Triage,
            DeskView::Failure,
            DeskView::Conflict(doc),
        ];
        let mut locations =
            Desk::ALL.iter().flat_map(|desk| views.map(|view| Location { desk: *desk, view }));
        locations.any(|location| self.applies_in(location) && other.applies_in(location))
    }

    /// Returns the command of a finding, by its position from 0; `None` behind the last that has keys.
    pub fn finding(number: usize) -> Option<Self> {
        [Self::FirstFinding, Self::SecondFinding, Self::ThirdFinding].get(number).copied()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn no_two_commands_share_a_name() {
        let mut names = HashMap::new();
        for command in Command::ALL {
            assert_eq!(names.insert(command.name(), command), None, "{command:?}");
        }
    }

    #[test]
    fn key_caps_are_written_as_people_say_them() {
        assert_eq!(Command::ShowPalette.default_shortcuts()[0].to_string(), "Ctrl+Shift+P");
        assert_eq!(Command::PreviousProblem.default_shortcuts()[0].to_string(), "Shift+F8");
        assert_eq!(Command::NextChange.default_shortcuts()[0].to_string(), "n");
    }
}
