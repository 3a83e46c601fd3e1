//! Passes the answers of dialogs to the window.

use std::path::PathBuf;

use crossbeam_channel::Sender;

use crate::workbench::{Choice, Dialog};

/// Where the answer to a dialog goes.
#[derive(Debug)]
pub struct DialogAnswer {
    pub(super) to_shell: Sender<Choice>,
    pub(super) dialog: Dialog,
    pub(super) ctx: egui::Context,
}

impl DialogAnswer {
    /// Sends what was chosen; may be called on any thread.
    pub fn send(self, chosen: Vec<PathBuf>) {
        if let Some(choice) = self.dialog.answer(chosen) {
            // If the answer to an earlier dialog still waits, that one counts.
            let _ = self.to_shell.try_send(choice);
            self.ctx.request_repaint();
        }
    }
}
