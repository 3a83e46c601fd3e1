//! Imports an incident: session drafts, their secrets, and how they are saved.

mod desk;
mod drafts;
mod fetch;
mod preview;
mod saving;
#[cfg(test)]
mod tests;

pub use desk::{ImportDesk, ImportSide, ImportState};
pub use fetch::{FetchAction, FetchState, LangSmithFetch};

use std::path::PathBuf;

use crate::ops::import::FetchForm;
use crate::ops::import::RunFilter;
use crate::ops::import::SecretChoice;
use crate::workbench::requests::{IncidentSource, SessionsTarget};

/// An action of the import.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportAction {
    /// Reads an incident and shows its drafts.
    Read(IncidentSource),
    /// Imports, plays or opens the paths that were dropped on the window, depending on their content.
    Drop(Vec<PathBuf>),
    /// The same for paths that are not the logs of a run.
    DropOther(Vec<PathBuf>),
    /// Imports text that was pasted outside a text field.
    Paste(String),
    /// Opens a dialog to choose files to read.
    PickFiles,
    /// Sets the filter of runs.
    Filter(RunFilter),
    /// Selects a draft, counted from 0.
    Select(usize),
    /// Includes a draft when drafts are saved, or excludes it.
    Toggle(usize),
    /// Includes all new drafts, or none.
    ToggleAll,
    /// Decides about a secret, by its position among all; `None` decides about all.
    Decide(Option<usize>, SecretChoice),
    /// Sets what is shown beside the drafts.
    ShowSide(ImportSide),
    /// Shows what saving the drafts would write.
    ShowSaving,
    /// Sets where to save.
    SaveTo(SessionsTarget),
    /// Opens a dialog to choose the folder.
    PickFolder,
    /// Sets the folder.
    SaveToFolder(PathBuf),
    /// Replaces the existing file at this position of the plan, or keeps it.
    ToggleReplace(usize),
    /// Saves the drafts as planned.
    Save,
    /// Plays the log on the playback desk instead.
    PlayLog,
    /// Shows the drafts of the last import.
    Show,
    /// An action of the LangSmith form.
    Fetch(FetchAction),
}
