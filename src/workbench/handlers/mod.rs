//! Handlers of the commands, with the conditions that enable them: a file for each section, with one match arm for each command.

mod applicability;
mod compare;
mod dispatch;
mod edit;
mod file;
mod findings;
mod go;
mod links;
mod list;
mod live;
mod picture;
mod playback;
mod problem;
mod review;
mod run;
mod session;
mod tape;
mod window;

use crate::{Command, Workbench};

impl Command {
    /// Returns `Ok` if it is enabled, else the reason in a few words.
    pub fn enabled(self, workbench: &Workbench) -> Result<(), &'static str> {
        workbench.handler(self).map(|_| ())
    }
}
