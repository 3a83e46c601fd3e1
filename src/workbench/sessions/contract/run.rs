//! Running sessions by their owner: the command is shown first, and runs when the user says so.

use std::sync::Arc;

use super::{ContractAction, Listing};
use crate::ops::diff::counted;
use crate::workbench::action::Overlay;
use crate::workbench::command::Command;
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
    /// Does what a command does that is about the contract.
    pub(in crate::workbench) fn run_on_contract(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::AddToConfig => return self.act_on_contract(ContractAction::AskToList),
            Command::ChooseAnswer => self.overlay = Some(Overlay::ChooseAnswer),
            Command::RunSession => self.propose_run(Scope::One),
            Command::RunFolder => self.propose_run(Scope::Folder),
            Command::CopyRunCommand => {
                let look = self.contract_look();
                let command = look.and_then(|look| look.commands.one.clone());
                return command.map_or_else(Vec::new, |it| self.copy(it.to_string()));
            }
            _ => {}
        }
        Vec::new()
    }

    /// Whether such a command is enabled; if not, why.
    pub(in crate::workbench) fn can_run_on_contract(
        &self,
        command: Command,
    ) -> Result<(), &'static str> {
        let look = self.contract_look().filter(|_| self.shows_sessions());
        let look = look.ok_or("no session is shown")?;
        let config = look.config.as_ref();
        match command {
            Command::AddToConfig => {
                let config = config.ok_or("there is no flakestorm.yaml to list it in")?;
                match config.listing {
                    Listing::Inline => Err("it stands in the configuration as it is"),
                    Listing::Listed if look.configs.len() < 2 => Err("it is listed already"),
                    _ => Ok(()),
                }
            }
            Command::RunSession | Command::RunFolder if !look.commands.is_there => {
                Err("there is no program flakestorm on the PATH")
            }
            Command::RunSession | Command::CopyRunCommand => {
                let said = look.commands.one.as_ref().map(|_| ());
                said.ok_or("the file's name cannot be said in a command")
            }
            Command::RunFolder if look.commands.folder.is_empty() => {
                Err("there are no files of sessions in its folder")
            }
            _ => Ok(()),
        }
    }

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
