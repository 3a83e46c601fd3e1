//! Imports of incidents: fetched, read, previewed, and saved as sessions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{DocId, Items, name_of_paths};
use author::fixture::{IncidentCalls, IncidentFixture, MissingFact};
use author::import::langsmith_api::{FetchError, FetchProgress};
use author::import::{DraftSecret, FetchForm, Incident, PATTERN, RunFilter};
use author::redact::NameList;
use document::Document;
use document::diff::text::TextDiff;
use document::files::{FileStep, FilesChanged};
use document::text::{Source, counted};

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
            Self::Files(paths) | Self::Dropped(paths) => name_of_paths(paths, "file", "files"),
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
    /// The model calls that a fixture can be made of.
    pub calls: Arc<IncidentCalls>,
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
    /// Whether a text without calls is the input of a session.
    pub as_text: bool,
    /// Names of persons, which are personal data as well.
    pub names: NameList,
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
    /// Place to save them.
    pub to: SessionsTarget,
    /// The configuration that lists the sessions.
    pub config: Option<DocId>,
    pub items: Items,
}

/// A draft or calls as a file.
#[derive(Clone, Debug)]
pub struct DraftPreview {
    /// Its file's name; of a fixture its path from the project root.
    pub name: String,
    /// The parsed file; of several the first.
    pub document: Arc<Document>,
    /// All files of a fixture.
    pub fixture: IncidentFixture,
    /// Facts that have to be chosen before there is a file.
    pub missing: BTreeSet<MissingFact>,
}

/// The folder and the file names for saved sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionsTarget {
    /// The folder, from the project root.
    pub folder: String,
    /// The pattern of names, with `{id}`, `{date}`, `{source}` and `{number}`.
    pub pattern: String,
    /// Whether the sessions are added to the configuration.
    pub listed: bool,
}

impl Default for SessionsTarget {
    fn default() -> Self {
        Self { folder: String::new(), pattern: PATTERN.to_owned(), listed: false }
    }
}

/// The plan of saving drafts.
#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// The files, in the order of the drafts.
    pub files: Vec<PlannedFile>,
    /// The change of the configuration.
    pub config: Option<ConfigChange>,
}

/// A file made from a draft.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// From the project root.
    pub path: String,
    /// The content to write.
    pub text: Source,
    pub existing: ExistingFile,
}

/// File that exists at the path of a planned file.
#[derive(Clone, Debug)]
pub enum ExistingFile {
    Nothing,
    /// A file with the same text.
    Same,
    /// A file with another text.
    Other(Arc<[u8]>, Arc<TextDiff>),
    /// No file, but another draft has the same path.
    DuplicateName,
}

/// The change of the configuration.
#[derive(Clone, Debug)]
pub struct ConfigChange {
    /// From the project root.
    pub path: String,
    /// The current text.
    pub before: Source,
    /// The new text.
    pub after: Source,
    pub diff: Arc<TextDiff>,
}

/// Steps that are done and undone together. Paths are from the project root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSteps {
    /// In order.
    pub steps: Vec<FileStep>,
    /// The message after they are done: `Saved 3 sessions`.
    pub message: String,
    /// Whether they undo such steps.
    pub is_undo: bool,
}

/// The LangSmith settings that are known before a request. Does not contain the key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LangSmithStatus {
    /// The URL for requests, such as `https://api.smith.langchain.com`; empty if it is invalid.
    pub endpoint: Arc<str>,
    /// Reason no request is possible.
    pub blocked_reason: Option<FetchError>,
}

/// A request to fetch runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchRequest {
    /// The number that the events of this fetch carry.
    pub number: u64,
    /// The values of the form.
    pub form: FetchForm,
}

/// An event of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchEvent {
    /// The LangSmith settings.
    Known(LangSmithStatus),
    /// The progress of the fetch with this number.
    Progressed(u64, FetchProgress),
    /// The fetched runs in the format of a LangSmith export.
    Ended(u64, Result<Arc<str>, FetchError>),
}
