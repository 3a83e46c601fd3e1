//! Confirmation before an action that would lose unsaved edits.

use std::path::PathBuf;

use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::link::Link;
use crate::core::view::Overlay;
use protocol::ScanRequest;

/// An action that closes the open documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Closes the window.
    Quit,
    /// Closes the project.
    Close,
    /// Opens other files and folders.
    Open(Vec<PathBuf>),
    /// Reads all open files again.
    Reload,
}

impl Core {
    /// Runs the action: at once if nothing is unsaved, else after confirmation.
    pub(crate) fn leave(&mut self, leaving: Leaving) {
        // Nothing was chosen, so what is open stays.
        if matches!(&leaving, Leaving::Open(paths) if paths.is_empty()) {
            return;
        }
        self.journal.end_typing();
        self.leaving = Some(leaving);
        if self.library.unsaved().next().is_none() {
            return self.finish_leaving();
        }
        self.overlay = Some(Overlay::Unsaved);
    }

    /// Runs the action without saving the edits.
    pub(crate) fn discard(&mut self) {
        let copies = self.library.unsaved();
        // Discarded edits must not be offered for recovery at the next start.
        let forget: Vec<_> = copies.filter_map(|(doc, _)| self.forget_draft(doc)).collect();
        self.effects.extend(forget);
        self.finish_leaving();
    }

    /// Runs the action that unsaved edits delayed.
    pub(crate) fn finish_leaving(&mut self) {
        let Some(leaving) = self.leaving.take() else { return };
        self.overlay = None;
        // The waiting overlays are about documents that are closed now.
        self.waiting_overlays.clear();
        self.remember_view();
        match leaving {
            Leaving::Quit => {
                // The window has a size without a project, too.
                self.request(Effect::Remember(self.remembered.clone()));
                self.request(Effect::Quit);
            }
            Leaving::Close => self.link(Link::CloseProject),
            Leaving::Open(paths) => self.open(paths),
            Leaving::Reload => {
                self.request(Effect::Remember(self.remembered.clone()));
                let paths = self.project.as_ref().map(|project| project.opened.clone());
                self.request(Effect::run(ScanRequest(paths.unwrap_or_default())));
            }
        }
    }
}
