//! Imports an incident: session drafts, their secrets, and how they are saved.

mod desk;
mod drafts;
mod fetch;
mod preview;
mod saving;
#[cfg(test)]
mod tests;

pub use desk::{ImportDesk, ImportSide, ImportState};
pub use fetch::{
    FetchAction, FetchEvent, FetchRequest, FetchState, LangSmithFetch, LangSmithStatus,
};
pub use preview::DraftPreview;
pub use saving::{
    ConfigChange, ExistingFile, PlannedFile, SessionPlan, SessionSteps, SessionsTarget,
};

use std::path::PathBuf;
use std::sync::Arc;

use crate::ops::files::FilesChanged;
use crate::ops::import::FetchForm;
use crate::ops::import::RunFilter;
use crate::ops::import::{DraftSecret, Incident, SecretChoice};
use crate::text::{Source, counted};
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;

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

/// The source of an incident.
#[derive(Clone, Debug, PartialEq)]
pub enum IncidentSource {
    /// Files and folders, inside or outside the project.
    Files(Vec<PathBuf>),
    /// Dropped files and folders, if they are clearly an incident.
    Dropped(Vec<PathBuf>),
    /// A text that was pasted or typed.
    Text(Arc<str>),
    /// Runs that were fetched from LangSmith.
    Fetched {
        /// The name of the incident.
        name: Arc<str>,
        /// The runs in the format of a LangSmith export.
        text: Arc<str>,
    },
    /// Open recordings.
    Recordings(Vec<DocId>),
}

impl IncidentSource {
    /// The name for the user.
    pub fn name(&self) -> String {
        match self {
            Self::Text(_) => "Pasted text".to_owned(),
            Self::Fetched { name, .. } => name.to_string(),
            Self::Recordings(docs) => counted(docs.len(), "recording", "recordings"),
            Self::Files(paths) | Self::Dropped(paths) => match &paths[..] {
                [path] => {
                    let name = path.file_name().unwrap_or(path.as_os_str());
                    name.to_string_lossy().into_owned()
                }
                _ => counted(paths.len(), "file", "files"),
            },
        }
    }
}

/// An event of an import.
#[derive(Clone, Debug)]
pub enum ImportEvent {
    /// The incident with this number was read, or could not be: a sentence without a full stop.
    Read(u64, Result<LoadedIncident, String>),
    /// The file of a draft, as requested with this key.
    Previewed((u64, usize), Result<Arc<DraftPreview>, String>),
    /// The plan with this number.
    Planned(u64, Result<Arc<SessionPlan>, String>),
    /// The dropped paths with this number are not an incident.
    NotAnIncident(u64, Vec<PathBuf>),
    /// The result of writing files.
    FilesWritten(SessionSteps, FilesChanged),
    /// An event of a fetch from LangSmith.
    Fetch(FetchEvent),
}

/// A loaded incident, with its place in the project.
#[derive(Clone, Debug)]
pub struct LoadedIncident {
    /// The drafts.
    pub incident: Arc<Incident>,
    /// The text, if it is the log of a failed playback.
    pub log: Option<Arc<str>>,
    /// The nearest configuration, which can list the sessions.
    pub config: Option<DocId>,
}

/// A request to read an incident.
#[derive(Debug)]
pub struct ReadIncident {
    /// The number that the response carries.
    pub number: u64,
    /// The source of the incident.
    pub source: IncidentSource,
    pub filter: RunFilter,
    /// All items; the sessions among them already exist.
    pub items: Items,
    /// The texts of the edited documents.
    pub texts: Vec<(DocId, Source)>,
}

/// A request to plan the saving of drafts.
#[derive(Debug)]
pub struct PlanSessions {
    /// The number that the response carries.
    pub number: u64,
    /// All drafts.
    pub incident: Arc<Incident>,
    /// The secrets with their decisions.
    pub secrets: Vec<DraftSecret>,
    /// The positions of the included drafts.
    pub drafts: Vec<usize>,
    /// Where to save.
    pub to: SessionsTarget,
    /// The configuration that lists the sessions.
    pub config: Option<DocId>,
    pub items: Items,
}
