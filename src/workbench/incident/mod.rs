//! An incident that is looked at: drafts of sessions, their secrets, and how they are saved.

mod desk;
mod fetch_form;
mod fetching;
mod filter;
mod making;
mod preview;
mod saving;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

pub use desk::{ImportDesk, ImportSide, ImportState};
pub use fetch_form::{FetchField, FetchForm, FetchOf, FieldCheck};
pub use fetching::{FetchAction, FetchEvent, FetchOrder, FetchState, Fetching, LangSmith};
pub use filter::RunFilter;
pub use preview::{Preview, PreviewDraft};
pub use saving::{
    FileThere, ListsInConfig, PlannedFile, SaveTo, SessionPlan, SessionStep, SessionSteps,
    StepsTaken,
};

use super::items::Items;
use super::library::{DocId, Library};
use crate::format::Kind;
use crate::ops::import::{Choice, Incident, Secret};
use crate::text::Source;

/// What is asked of an import.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportAction {
    /// Read what an incident has left, and show its drafts.
    Read(IncidentFrom),
    /// Take what was dropped on the window for what it is: an incident, a log to be played, or files to be opened.
    Drop(Vec<PathBuf>),
    /// Take what was pasted where no field takes it.
    Paste(String),
    /// Let the user choose files to read.
    PickFiles,
    /// Take only these runs.
    Filter(RunFilter),
    /// Look at a draft, counted from 0.
    Select(usize),
    /// Take a draft along when the others are saved, or leave it.
    Toggle(usize),
    /// Take all drafts that are not there already, or none.
    ToggleAll,
    /// Decide on a secret, by its position among all; `None`: on all.
    Decide(Option<usize>, Choice),
    /// Show this beside the drafts.
    ShowSide(ImportSide),
    /// Show what saving the drafts would do.
    Ask,
    /// Save to here.
    SaveTo(SaveTo),
    /// Let the user choose the folder.
    PickFolder,
    /// Replace the file at this position of the plan, or leave it as it is.
    ToggleReplace(usize),
    /// Write what is shown.
    Save,
    /// Play the log at the playback desk instead.
    PlayLog,
    /// Show the drafts again that were read last.
    Show,
    /// Do something about runs of LangSmith.
    Fetch(FetchAction),
}

/// What an incident is read from.
#[derive(Clone, Debug, PartialEq)]
pub enum IncidentFrom {
    /// Files and folders, in the project or elsewhere.
    Files(Vec<PathBuf>),
    /// The same, if they are an incident beyond doubt.
    Dropped(Vec<PathBuf>),
    /// A text that was pasted or typed.
    Text(Arc<str>),
    /// Runs that were fetched from LangSmith.
    Fetched {
        /// What they are called.
        name: Arc<str>,
        /// The runs, as LangSmith exports them.
        text: Arc<str>,
    },
    /// Recordings that are open.
    Recordings(Vec<DocId>),
}

/// What an import asks of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportEffect {
    /// Read an incident.
    Read(Box<ReadIncident>),
    /// Make the file that a draft becomes.
    Preview(PreviewDraft),
    /// Find out what saving the drafts would do.
    Plan(Box<PlanSessions>),
    /// Write files, or take them back.
    Take(SessionSteps),
    /// Let the user choose files to read.
    PickFiles,
    /// Let the user choose the folder that sessions are saved to.
    PickFolder,
    /// Fetch runs from LangSmith. One that runs is not wanted any more.
    Fetch(FetchOrder),
    /// Stop fetching.
    CancelFetch,
}

/// What the engine answers.
#[derive(Clone, Debug)]
pub enum ImportEvent {
    /// The incident with this number was read, or could not be: a sentence without a full stop.
    Read(u64, Result<Found, String>),
    /// The file that a draft becomes, as it was when this was asked.
    Previewed((u64, usize), Arc<Preview>),
    /// What saving would do, for the plan with this number.
    Planned(u64, Result<Arc<SessionPlan>, String>),
    /// What was dropped with this number is no incident.
    NotAnIncident(u64, Vec<PathBuf>),
    /// What became of files that were to be written.
    Taken(SessionSteps, StepsTaken),
    /// Files were chosen to be read.
    PickedFiles(Vec<PathBuf>),
    /// A folder was chosen to save to.
    PickedFolder(PathBuf),
    /// Something about runs of LangSmith.
    Fetch(FetchEvent),
}

/// An incident, and what is known of where its sessions belong.
#[derive(Clone, Debug)]
pub struct Found {
    /// The drafts.
    pub incident: Arc<Incident>,
    /// The text, where it is the log of a failed playback.
    pub log: Option<Arc<str>>,
    /// The nearest configuration, which can list the sessions.
    pub config: Option<DocId>,
}

/// An incident that is to be read.
#[derive(Clone, Debug)]
pub struct ReadIncident {
    /// Names the answer.
    pub number: u64,
    /// What is read.
    pub from: IncidentFrom,
    /// Which runs are taken.
    pub filter: RunFilter,
    /// All items: the sessions among them are those that are there already.
    pub items: Items,
    /// The texts of those that were edited.
    pub texts: Vec<(DocId, Source)>,
}

/// Requests of the same name are the same.
impl PartialEq for ReadIncident {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// Drafts that are to be saved.
#[derive(Clone, Debug)]
pub struct PlanSessions {
    /// Names the answer.
    pub number: u64,
    /// All drafts.
    pub incident: Arc<Incident>,
    /// What was decided on their secrets.
    pub secrets: Vec<Secret>,
    /// The positions of those that are saved.
    pub drafts: Vec<usize>,
    /// Where to.
    pub to: SaveTo,
    /// The configuration that lists them.
    pub config: Option<DocId>,
    /// All items.
    pub items: Items,
}

/// Requests of the same name are the same.
impl PartialEq for PlanSessions {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// The texts of those documents that an import looks at, where they were edited.
fn edited(library: &Library) -> Vec<(DocId, Source)> {
    let is_read = |doc: DocId| {
        let item = library.get(doc);
        item.is_some_and(|item| matches!(item.kind, Kind::Session | Kind::Config | Kind::Recording))
    };
    let copies = library.copies().filter(|(doc, _)| is_read(*doc));
    copies
        .map(|(doc, copy)| (doc, copy.text().clone()))
        .collect()
}
