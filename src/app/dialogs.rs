//! Passes the answers of dialogs to the window.

use std::path::PathBuf;

use crossbeam_channel::Sender;

use workbench::{Choice, Dialog};

/// Outcome of a dialog that was not cancelled.
#[derive(Debug)]
pub(super) enum DialogOutcome {
    Chosen(Choice),
    /// The name of the chosen file does not fit, for this reason.
    Unsuitable(Dialog, PathBuf, String),
    /// The desktop could not show it.
    Unavailable(Dialog),
}

/// Return path of the answer to a dialog: the channel of the shell, and the context that wakes it.
#[derive(Debug)]
pub struct DialogAnswer {
    pub(super) to_shell: Sender<DialogOutcome>,
    pub(super) dialog: Dialog,
    pub(super) ctx: egui::Context,
}

impl DialogAnswer {
    /// Sends what was chosen; may be called on any thread.
    pub fn send(self, paths: Vec<PathBuf>) {
        // Checked here because `rfd` returns the name as typed, with any ending.
        let mut checks = paths.iter().map(|path| self.dialog.kind.check_name(path));
        let outcome = match (checks.find_map(Result::err), paths.first()) {
            (Some(fault), Some(path)) => {
                let path = path.clone();
                Some(DialogOutcome::Unsuitable(self.dialog, path, fault))
            }
            // If nothing was chosen, the dialog was cancelled and there is nothing to send.
            _ => self.dialog.answer(paths).map(DialogOutcome::Chosen),
        };
        if let Some(outcome) = outcome {
            // If the answer to an earlier dialog still waits, that one counts.
            let _ = self.to_shell.try_send(outcome);
            self.ctx.request_repaint();
        }
    }

    /// Reports that the desktop could not show the dialog; may be called on any thread.
    pub fn send_unavailable(self) {
        // A full channel holds an earlier answer, and that one counts.
        let _ = self.to_shell.try_send(DialogOutcome::Unavailable(self.dialog));
        self.ctx.request_repaint();
    }
}
