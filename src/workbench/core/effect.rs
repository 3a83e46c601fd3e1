//! Effects: what the workbench requests from the engine or the shell.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Choice, Dialog, DialogKind};
use protocol::{Cancellable, Remembered, Request};

/// Work that the workbench requests from the engine or the shell.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there are a few at a time, each passed on at once")]
pub enum Effect {
    /// Runs a request in the engine.
    Run(Request),
    /// Cancels what is running.
    Cancel(Cancellable),
    /// Opens a dialog.
    Pick(Dialog),
    /// Copies text to the clipboard.
    Copy(String),
    /// Stores the state for the next start.
    Remember(Remembered),
    /// Opens another window without a project.
    OpenWindow,
    /// Closes the window.
    Quit,
}

impl Effect {
    /// Runs a request in the engine.
    pub fn run(request: impl Into<Request>) -> Self {
        Self::Run(request.into())
    }

    /// Opens a dialog that chooses one path.
    pub(crate) fn pick<A: Any + Send>(
        title: &'static str,
        kind: DialogKind,
        callback: impl Fn(PathBuf) -> A + Send + Sync + 'static,
    ) -> Self {
        let callback = move |path| Choice(Box::new(callback(path)));
        // No path means that the dialog was cancelled.
        let callback = move |paths: Vec<PathBuf>| paths.into_iter().next().map(&callback);
        Self::Pick(Dialog { title, kind, then: Arc::new(callback) })
    }

    /// Opens a dialog that chooses any number of paths.
    pub(crate) fn pick_many<A: Any + Send>(
        title: &'static str,
        kind: DialogKind,
        callback: fn(Vec<PathBuf>) -> A,
    ) -> Self {
        let callback = move |paths: Vec<PathBuf>| {
            (!paths.is_empty()).then(|| Choice(Box::new(callback(paths))))
        };
        Self::Pick(Dialog { title, kind, then: Arc::new(callback) })
    }
}
