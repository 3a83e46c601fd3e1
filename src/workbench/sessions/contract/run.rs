//! Running sessions by their owner: the command is shown first, and runs when the user says so.

use std::sync::Arc;

use crate::ops::diff::counted;
use crate::workbench::state::Workbench;
use crate::workbench::terminal::{Asked, Proposal};

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The session that is shown.
    One,
    /// All of its folder.
    Folder,
}

/// The commands that run sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// The one that runs the session; `None` where its name cannot be said in a command.
    pub one: Option<Arc<str>>,
    /// Those that run the sessions of its folder.
    pub folder: Vec<Arc<str>>,
    /// The folder's path, with a slash at its end.
    pub folder_name: Arc<str>,
    /// What the user should know before, a sentence each.
    pub remarks: Vec<Arc<str>>,
    /// Whether there is a program `flakestorm` to run.
    pub is_there: bool,
}

const UNSAVED: &str =
    "There are unsaved edits. What runs is what is on disk: save first to try what is shown.";

impl Workbench {
    /// Shows the commands, to be run when the user says so.
    pub(super) fn propose_run(&mut self, scope: Scope) {
        let Some(look) = self.contract_look() else {
            return;
        };
        let commands = match scope {
            Scope::One => look.commands.one.iter().map(ToString::to_string).collect(),
            Scope::Folder => look
                .commands
                .folder
                .iter()
                .map(ToString::to_string)
                .collect(),
        };
        let asked = self.run_proposal(scope, commands);
        self.propose(asked);
    }

    fn run_proposal(&self, scope: Scope, commands: Vec<String>) -> Asked {
        if commands.is_empty() {
            return Asked::Refused("The file's name cannot be said in a command.".to_owned());
        }
        let look = self.contract_look();
        let remarks = look.into_iter().flat_map(|look| &look.commands.remarks);
        let mut remarks: Vec<String> = remarks.map(ToString::to_string).collect();
        if self.library.unsaved().next().is_some() {
            remarks.insert(0, UNSAVED.to_owned());
        }
        let name = match scope {
            Scope::One => "Run the session".to_owned(),
            Scope::Folder => format!("Run {}", counted(commands.len(), "session", "sessions")),
        };
        Asked::Run(Proposal {
            name,
            commands,
            remarks,
            origin: None,
        })
    }
}
