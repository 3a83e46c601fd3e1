//! Running sessions by their owner: the command is shown first, and runs when the user says so.

use std::sync::Arc;

use super::{ContractLook, Listing};
use crate::ops::diff::counted;
use crate::workbench::event::Effect;
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
    /// Copies the command that runs the session.
    pub(in crate::workbench) fn copy_run_command(&mut self) -> Vec<Effect> {
        let look = self.contract_look();
        let command = look.and_then(|look| look.commands.one.clone());
        command.map_or_else(Vec::new, |it| self.copy(it.to_string()))
    }

    fn shown_contract(&self) -> Result<&ContractLook, &'static str> {
        let look = self.contract_look().filter(|_| self.shows_sessions());
        look.map(Arc::as_ref).ok_or("no session is shown")
    }

    /// Whether a contract is shown; if not, why.
    pub(in crate::workbench) fn needs_contract(&self) -> Result<(), &'static str> {
        self.shown_contract().map(|_| ())
    }

    /// Whether there is a configuration to list the session in; if not, why.
    pub(in crate::workbench) fn needs_config(&self) -> Result<(), &'static str> {
        let look = self.shown_contract()?;
        let config = look.config.as_ref();
        let config = config.ok_or("there is no flakestorm.yaml to list it in")?;
        match config.listing {
            Listing::Inline => Err("it stands in the configuration as it is"),
            Listing::Listed if look.configs.len() < 2 => Err("it is listed already"),
            _ => Ok(()),
        }
    }

    /// Whether the session can be said in a command; if not, why.
    pub(in crate::workbench) fn needs_run_command(&self) -> Result<(), &'static str> {
        let one = self.shown_contract()?.commands.one.as_ref();
        let said = one.map(|_| ());
        said.ok_or("the file's name cannot be said in a command")
    }

    /// Whether as much can be run; if not, why.
    pub(in crate::workbench) fn needs_runner(&self, scope: Scope) -> Result<(), &'static str> {
        let commands = &self.shown_contract()?.commands;
        if !commands.is_there {
            return Err("there is no program flakestorm on the PATH");
        }
        match scope {
            Scope::One => self.needs_run_command(),
            Scope::Folder if commands.folder.is_empty() => {
                Err("there are no files of sessions in its folder")
            }
            Scope::Folder => Ok(()),
        }
    }

    /// Shows the commands, to be run when the user says so.
    pub(in crate::workbench) fn propose_run(&mut self, scope: Scope) {
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
