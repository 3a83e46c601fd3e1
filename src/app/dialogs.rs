//! Passes the answers of dialogs to the window.

use std::path::PathBuf;

use crossbeam_channel::Sender;

use crate::workbench::{Choice, Dialog};

/// How a dialog ended.
#[derive(Debug)]
pub(super) enum DialogOutcome {
    Chosen(Choice),
    /// The desktop could not show it.
    Unavailable(Dialog),
}

/// Where the answer to a dialog goes.
#[derive(Debug)]
pub struct DialogAnswer {
    pub(super) to_shell: Sender<DialogOutcome>,
    pub(super) dialog: Dialog,
    pub(super) ctx: egui::Context,
}

impl DialogAnswer {
    /// Sends what was chosen; may be called on any thread.
    pub fn send(self, chosen: Vec<PathBuf>) {
        if let Some(choice) = self.dialog.answer(chosen) {
            // If the answer to an earlier dialog still waits, that one counts.
            let _ = self.to_shell.try_send(DialogOutcome::Chosen(choice));
            self.ctx.request_repaint();
        }
    }

    /// Reports that the desktop could not show the dialog; may be called on any thread.
    pub fn send_unavailable(self) {
        let _ = self
            .to_shell
            .try_send(DialogOutcome::Unavailable(self.dialog));
        self.ctx.request_repaint();
    }
}
