//! What would lose unsaved edits asks first, once.

use std::path::PathBuf;

use super::action::Overlay;
use super::event::Effect;
use super::state::Workbench;

/// What the user is about to do that closes the documents that are open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Close the window.
    Quit,
    /// Close the project.
    Close,
    /// Open other files and folders in place of these.
    Open(Vec<PathBuf>),
    /// Read all that is open again.
    Reload,
}

impl Workbench {
    /// Leaves what is open: at once if nothing is unsaved, else after asking.
    pub(super) fn leave(&mut self, leaving: Leaving) -> Vec<Effect> {
        self.journal.end_typing();
        self.leaving = Some(leaving);
        if self.library.unsaved().next().is_none() {
            return self.leave_for_good();
        }
        self.overlay = Some(Overlay::Unsaved);
        Vec::new()
    }

    /// Leaves without the edits that are not saved.
    pub(super) fn discard(&mut self) -> Vec<Effect> {
        let unsaved = self.library.unsaved();
        let mut effects: Vec<Effect> = unsaved.map(|(doc, _)| Effect::Forget(doc)).collect();
        effects.extend(self.leave_for_good());
        effects
    }

    /// Does what the user was about to do when unsaved edits stood in the way.
    pub(super) fn leave_for_good(&mut self) -> Vec<Effect> {
        let Some(leaving) = self.leaving.take() else {
            return Vec::new();
        };
        self.overlay = None;
        match leaving {
            Leaving::Quit => vec![Effect::Quit],
            Leaving::Close => self.close_project(),
            Leaving::Open(paths) => self.open(paths),
            Leaving::Reload => {
                let opened = self.project.as_ref().map(|project| project.opened.clone());
                vec![Effect::Scan(opened.unwrap_or_default())]
            }
        }
    }

    /// What the user is about to do, while it waits for an answer about unsaved edits.
    pub fn leaving(&self) -> Option<&Leaving> {
        self.leaving.as_ref()
    }
}
