//! How a command is run, and why it cannot be.

use super::declared::Within;
use super::{Command, Section};
use crate::format::Severity;
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;

/// What a command does.
pub(super) type Deed = fn(&mut Workbench) -> Vec<Effect>;

/// What a command does if it can be used now; if not, the reason in a few words.
pub(super) type Can = Result<Deed, &'static str>;

/// The reason, unless what is needed is there.
pub(super) fn need(is_there: bool, reason: &'static str) -> Result<(), &'static str> {
    if is_there { Ok(()) } else { Err(reason) }
}

/// The deed where what it needs is there, else the reason.
pub(super) fn when(is_there: bool, reason: &'static str, deed: Deed) -> Can {
    after(need(is_there, reason), deed)
}

/// The deed where a need is met that several commands have, else the reason.
pub(super) fn after(need: Result<(), &'static str>, deed: Deed) -> Can {
    need.map(|()| deed)
}

/// What follows from a change of memory alone.
pub(super) fn nothing() -> Vec<Effect> {
    Vec::new()
}

impl Workbench {
    /// Whether a command can be used now; if not, the reason in a few words.
    pub fn can_run(&self, command: Command) -> Result<(), &'static str> {
        self.deed(command).map(|_| ())
    }

    /// Whether what a command is about lies under the palette, a form, or what else is shown over the desk: it is not to move
    /// unseen.
    pub fn is_covered(&self, command: Command) -> bool {
        self.overlay.is_some() && is_about_what_is_shown(command.section())
    }

    pub(in crate::workbench) fn run(&mut self, command: Command) -> Vec<Effect> {
        if self.is_covered(command) || self.waiting.holds(command) {
            return Vec::new();
        }
        match self.deed(command) {
            Ok(deed) => deed(self),
            // Arrows are pressed everywhere.
            Err(_) if matches!(command, Command::NextColumn | Command::PreviousColumn) => {
                Vec::new()
            }
            Err(reason) => {
                self.notify(Severity::Note, format!("{}: {reason}.", command.name()));
                Vec::new()
            }
        }
    }

    fn deed(&self, command: Command) -> Can {
        match command.within() {
            Within::File(command) => self.file_deed(command),
            Within::Edit(command) => self.edit_deed(command),
            Within::Go(command) => self.go_deed(command),
            Within::List(command) => self.list_deed(command),
            Within::Tape(command) => self.tape_deed(command),
            Within::Session(command) => self.session_deed(command),
            Within::Compare(command) => self.compare_deed(command),
            Within::Review(command) => self.review_deed(command),
            Within::Live(command) => self.live_deed(command),
            Within::Run(command) => self.run_deed(command),
            Within::Window(command) => self.window_deed(command),
        }
    }

    /// Does something with the document that commands are about, if there is one.
    pub(super) fn on_subject(
        &mut self,
        deed: impl FnOnce(&mut Self, DocId) -> Vec<Effect>,
    ) -> Vec<Effect> {
        self.subject().map_or_else(Vec::new, |id| deed(self, id))
    }

    /// Shows what lies over the desk, or no longer.
    pub(super) fn toggle_overlay(&mut self, wanted: Overlay) -> Vec<Effect> {
        self.overlay = (self.overlay != Some(wanted)).then_some(wanted);
        Vec::new()
    }
}

fn is_about_what_is_shown(section: Section) -> bool {
    match section {
        Section::List
        | Section::Tape
        | Section::Session
        | Section::Compare
        | Section::Review
        | Section::Live => true,
        Section::File | Section::Edit | Section::Go | Section::Run | Section::Window => false,
    }
}
