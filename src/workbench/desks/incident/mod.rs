//! Imports an incident: session drafts or a fixture of its calls, their secrets, and how they are saved.

mod drafts;
mod fetch;
mod fixture;
mod saving;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Core, DeskState, DeskView, Effect, Latest, ProjectStart, StepDirection};
use author::fixture::{FixtureTarget, IncidentCalls, IncidentFixture};
use author::import::{DraftSecret, Duplicate, Incident, RunFilter, SecretChoice, file_name};
use author::redact::NameList;
use author::session::SessionFormat;
use document::text::{Source, quoted};
use protocol::{
    Compute, DocId, DraftPreview, EngineEvent, ImportEvent, IncidentSource, Lane, LoadedIncident,
    SessionPlan, SessionSteps, SessionsTarget,
};

pub use fetch::{FetchAction, FetchState, LangSmithFetch};
pub use fixture::FixtureForm;
use fixture::preview_fixture;

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
    /// Makes a session with the imported text as its input.
    UseText,
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
    /// Chooses the call that went wrong, counted from 0: later calls are left out. The chosen one of a draft again keeps all.
    ChooseCall(usize),
    /// Sets the names of persons, separated by commas, which are personal data as well.
    Names(String),
    /// Sets what the fixture is made with.
    EditFixture(FixtureForm),
    /// Decides about a secret, by its position among all; `None` decides about all that are not decided.
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

/// Content beside the list of drafts in a narrow window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ImportSide {
    /// The calls and the personal data.
    #[default]
    Fields,
    /// The text of the file.
    Text,
}

/// The progress of an import.
#[derive(Clone, Debug, Default)]
pub enum ImportState {
    /// Nothing was imported yet.
    #[default]
    Nothing,
    /// It is being read.
    Reading,
    /// Here are the drafts.
    Ready,
    /// It cannot be read; the reason is a sentence without a full stop.
    Failed(Arc<str>),
}

/// The view state of an import.
#[derive(Debug, Default)]
pub struct ImportDesk {
    number: u64,
    source: Option<IncidentSource>,
    /// The dropped paths, until it is known whether they are an incident.
    dropped: Option<Vec<PathBuf>>,
    pub filter: RunFilter,
    /// Whether the source is a text that has no calls.
    pub is_plain_text: bool,
    as_text: bool,
    pub state: ImportState,
    pub incident: Arc<Incident>,
    pub calls: Arc<IncidentCalls>,
    pub fixture: FixtureForm,
    /// The path of the fixture, from the project root.
    fixture_path: String,
    /// The personal data of the fixture.
    fixture_secrets: Vec<DraftSecret>,
    /// Names of persons, separated by commas.
    pub names: String,
    /// Whether the fixture is written as soon as it is planned.
    writes_when_planned: bool,
    /// Kinds of fixtures that the project has.
    offered: Vec<FixtureTarget>,
    pub log: Option<Arc<str>>,
    pub config: Option<DocId>,
    /// The personal data of all drafts.
    secrets: Vec<DraftSecret>,
    included: Vec<bool>,
    pub selected: usize,
    pub side: ImportSide,
    pub to: SessionsTarget,
    /// Grows with every change that affects the files of the drafts.
    decisions_revision: u64,
    pub preview: Latest<(u64, usize), Result<Arc<DraftPreview>, String>>,
    pub plan: Option<Arc<SessionPlan>>,
    pub plan_error: Option<Arc<str>>,
    plan_number: u64,
    /// Whether an existing file is replaced, by position in the plan.
    replaced: Vec<bool>,
    pub fetch: LangSmithFetch,
    /// Steps that undo or redo the last saving, and the revision of the history at that time.
    inverse: Option<(SessionSteps, u64)>,
    /// The file of the first saved session, until it is loaded and can be shown.
    path_to_show: Option<Arc<str>>,
    pub revision: u64,
}

impl DeskState for ImportDesk {
    fn sync(&mut self, core: &mut Core) {
        self.show_saved(core);
        self.request_preview(core);
    }

    fn has_rows(&self) -> bool {
        self.has_content()
    }

    fn step(&mut self, _core: &mut Core, step: StepDirection, rows: usize) {
        self.revision += 1;
        if self.makes_fixture() {
            let count = self.calls.rows.len();
            return self.choose_fixture_call(step.target_in(Some(self.fixture.call), rows, count));
        }
        self.selected = step.target_in(Some(self.selected), rows, self.included.len());
    }

    fn open_selected(&mut self, core: &mut Core) {
        // The row of a call is chosen already, and nothing is written by a key that chooses.
        if !self.makes_fixture() {
            self.propose_saving_sessions(core);
        }
    }

    fn start_project(&mut self, start: ProjectStart) {
        if start == ProjectStart::Other {
            self.inverse = None;
        }
        // The result of the fetch would become an import of another project.
        self.fetch.stop();
    }
}

impl ImportDesk {
    /// Whether anything was imported.
    pub fn is_begun(&self) -> bool {
        self.source.is_some()
    }

    /// Whether drafts are shown.
    pub(crate) fn has_drafts(&self) -> bool {
        matches!(self.state, ImportState::Ready) && !self.included.is_empty()
    }

    /// Whether there is something to save.
    pub(crate) fn has_content(&self) -> bool {
        if self.makes_fixture() { self.has_calls() } else { self.has_drafts() }
    }

    /// The personal data of what is made.
    pub fn shown_secrets(&self) -> &[DraftSecret] {
        if self.makes_fixture() { &self.fixture_secrets } else { &self.secrets }
    }

    /// Whether a draft is saved.
    pub fn is_included(&self, draft: usize) -> bool {
        self.included.get(draft) == Some(&true)
    }

    /// The positions of the drafts that are saved.
    pub fn included(&self) -> Vec<usize> {
        let flags = self.included.iter().enumerate();
        flags.filter_map(|(index, is_included)| is_included.then_some(index)).collect()
    }

    /// Number of undecided secrets of a draft.
    pub fn undecided_secrets(&self, draft: usize) -> usize {
        self.incident
            .secrets_of(draft)
            .iter()
            .filter_map(|index| self.secrets.get(*index))
            .filter(|secret| secret.choice == SecretChoice::Open)
            .count()
    }

    /// Whether the existing file at a position of the plan is replaced.
    pub fn replaces(&self, file: usize) -> bool {
        self.replaced.get(file) == Some(&true)
    }

    /// The positions of all secrets, undecided ones first.
    pub fn secrets_to_decide(&self) -> Vec<usize> {
        let secrets = self.shown_secrets();
        let mut positions: Vec<usize> = (0..secrets.len()).collect();
        positions.sort_by_key(|position| secrets[*position].choice != SecretChoice::Open);
        positions
    }

    fn name_list(&self) -> NameList {
        // Fails only for more names than anyone types.
        NameList::parse(&self.names.replace(',', "\n")).unwrap_or_default()
    }

    /// Number of undecided secrets.
    pub fn undecided(&self) -> usize {
        let secrets = self.shown_secrets().iter();
        secrets.filter(|secret| secret.choice == SecretChoice::Open).count()
    }

    /// The position of the first undecided secret.
    pub fn first_undecided(&self) -> Option<usize> {
        self.shown_secrets().iter().position(|secret| secret.choice == SecretChoice::Open)
    }

    /// Reason nothing can be saved now, in a few words.
    pub fn blocked_reason(&self) -> Option<&'static str> {
        if self.makes_fixture() {
            return self.fixture_fault();
        }
        let mut drafts = self.included().into_iter().peekable();
        if drafts.peek().is_none() {
            return Some("no draft is included");
        }
        drafts.any(|d| self.undecided_secrets(d) > 0).then_some("decide about the secrets first")
    }

    /// Handles a loaded incident. Keeps earlier decisions about the same secrets and drafts.
    fn show(&mut self, core: &Core, import: LoadedIncident) {
        let LoadedIncident { incident, calls, log, config } = import;
        let mut secrets = incident.secrets.clone();
        for secret in &mut secrets {
            if let Some(twin) = self.secrets.iter().find(|twin| twin.is_same(secret)) {
                secret.choice = twin.choice;
            }
        }
        let id = |incident: &Incident, index: usize| {
            let draft = incident.drafts.get(index);
            draft.map(|draft| draft.session.id.clone())
        };
        let selected_id = id(&self.incident, self.selected);
        self.secrets = secrets;
        self.included = (0..incident.drafts.len()).map(|index| is_new(&incident, index)).collect();
        // Filtering changes positions, so the selection goes by id.
        let place = (0..incident.drafts.len()).find(|index| id(&incident, *index) == selected_id);
        self.selected = place.filter(|_| selected_id.is_some()).unwrap_or_default();
        let is_filtered = matches!(self.state, ImportState::Ready);
        self.incident = incident;
        self.calls = calls;
        self.log = log;
        self.config = config;
        self.state = ImportState::Ready;
        self.plan = None;
        if !is_filtered {
            self.preset_fixture(core);
        }
        self.decisions_revision += 1;
        self.revision += 1;
    }

    fn preview_key(&self) -> (u64, usize) {
        (self.decisions_revision, self.selected)
    }

    /// Reason the file of the selected draft cannot be shown.
    pub fn preview_failure(&self) -> Option<&str> {
        self.preview.value.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// Whether there is a file, in which personal data was looked for.
    pub fn has_file(&self) -> bool {
        matches!(&self.preview.value, Some(Ok(preview)) if preview.missing.is_empty())
    }

    /// Requests the file of the selected draft if it is out of date.
    fn request_preview(&mut self, core: &mut Core) {
        let key = self.preview_key();
        let is_shown = core.here().view == DeskView::Import;
        if !is_shown || !self.has_content() || !self.preview.want(&key) {
            return;
        }
        let lane = Lane::Newest("draft");
        let description = format!("making a draft of {}", quoted(&self.incident.name));
        if self.makes_fixture() {
            return core.request(Effect::run(Compute::answering(
                lane,
                description,
                self.fixture_input(),
                preview_fixture,
                |input, preview| EngineEvent::Import(ImportEvent::Previewed(input.key, preview)),
            )));
        }
        core.request(Effect::run(Compute::answering(
            lane,
            description,
            DraftInput {
                key,
                incident: Arc::clone(&self.incident),
                secrets: self.secrets.clone(),
                pattern: self.to.pattern.clone(),
            },
            make_preview,
            |input, preview| EngineEvent::Import(ImportEvent::Previewed(input.key, preview)),
        )));
    }
}

/// Whether a draft can be loaded and no existing session has the same input and answer.
fn is_new(incident: &Incident, index: usize) -> bool {
    let is_there = matches!(incident.duplicates.get(index), Some(Some(Duplicate::Content(_))));
    incident.drafts.get(index).is_some_and(|draft| draft.fault().is_none()) && !is_there
}

/// Inputs of the preview of a draft.
struct DraftInput {
    /// The key of the response: the revision of the decisions, and the position of the draft.
    key: (u64, usize),
    incident: Arc<Incident>,
    /// The secrets with their decisions.
    secrets: Vec<DraftSecret>,
    /// The pattern of the file name.
    pattern: String,
}

/// Makes the file, or returns why it cannot be written, as a sentence without a full stop.
fn make_preview(input: &DraftInput) -> Result<Arc<DraftPreview>, String> {
    let draft = input.key.1;
    // The draft is one of this incident, so it has a session.
    let session = input.incident.session(draft, &input.secrets).unwrap_or_default();
    let name = file_name(&input.pattern, &session, draft + 1);
    let form = if name.ends_with(".json") { SessionFormat::Json } else { SessionFormat::Yaml };
    let text = input.incident.text(draft, &input.secrets, form)?;
    Ok(Arc::new(DraftPreview {
        document: Arc::new(document::read(Source::new(text), &name)),
        name,
        fixture: IncidentFixture::default(),
        missing: BTreeSet::new(),
    }))
}
