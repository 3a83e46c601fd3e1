//! Triages a whole run: its failures by cause, the fix of each cause, and which failures are answered since.

mod fixing;
mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::reading::{RunKey, is_in};
use crate::{Core, DeskState, DeskView, DialogKind, Effect, News, ProjectStart, StepDirection};
use document::Severity;
use play::triage::CauseGroup;
use protocol::{Desk, DiskChange, LoggedRun, RunSource, TriagedRun};

/// An action of the triage.
#[derive(Clone, Debug, PartialEq)]
pub enum TriageAction {
    /// Reads a run. A single failure is played, several are triaged.
    Read(RunSource),
    /// Opens a dialog to choose the logs of a run.
    PickLogs,
    /// Shows the last run.
    Show,
    /// Selects a cause, counted from 0. After the last one are the failures without a set.
    SelectCause(usize),
    /// Shows all failures of a cause, none, or the first ones.
    Unfold(usize, Unfolding),
    /// Selects a failure by its position in the run.
    SelectFailure(usize),
    /// Shows the selected failure.
    OpenFailure,
    /// Plays the selected failure on the playback desk.
    PlayFailure,
    /// Compares the selected failure with the recording at this position of its set.
    SelectRecording(usize),
    /// Opens a dialog to choose the folder with the recordings of the failures without a set.
    PickSet,
    /// Plays the failures without a set in the set of this folder.
    AssignSet(PathBuf),
    /// Shows this recording, given by its path from the project root.
    OpenRecording(Arc<str>),
    /// Shows this call of a cassette, counted from 1.
    OpenCall(Arc<str>, usize),
    /// Compares the source of this recording at the time of recording with its current version.
    CompareSource(Arc<str>),
    /// Shows the changes that fix the selected cause.
    Fix,
    /// Shows the changes that fix all causes.
    FixAll,
    /// Records the recordings of the selected cause again.
    Regenerate,
    /// Writes a page of the run that is shown, or of this log, into a file.
    WritePage(PathBuf, Option<RunSource>),
}

/// The progress of a triage.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TriageState {
    /// No run was read yet.
    #[default]
    Nothing,
    /// The causes are being found.
    Reading,
    /// Here are the causes.
    Ready,
    /// There is nothing to show; the reason is a sentence.
    Failed(Arc<str>),
    /// Number of tests that passed where none failed.
    Passed(usize),
}

/// Failures of a cause that are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unfolding {
    /// The first ones; of a solved cause, none.
    #[default]
    First,
    All,
    None,
}

/// Number of failures that are listed of a cause until more are requested.
pub const FIRST_FAILURES: usize = 6;

/// The view state of a triage.
#[derive(Debug, Default)]
pub struct TriageDesk {
    pub state: TriageState,
    pub run: Option<Arc<LoggedRun>>,
    pub triaged: Option<Arc<TriagedRun>>,
    /// The positions of the failures of each cause, and last, of those without a set.
    lists: Vec<Vec<usize>>,
    /// The selected cause, counted from 0. After the last one are the failures without a set.
    pub cause: usize,
    /// The selected failure of that cause, counted from 0.
    pub failure: usize,
    /// The recording of the set that the selected failure is compared with; `None` for the nearest.
    pub recording: Option<usize>,
    unfolded: BTreeMap<usize, Unfolding>,
    /// A run that waits for a project.
    kept: Option<RunSource>,
    /// The source that is being read, and its number.
    reading: Option<(u64, RunSource)>,
    /// The folders of the sets.
    folders: BTreeSet<Arc<str>>,
    /// Grows with every change of these folders on disk.
    touched: u64,
    /// Inputs that were played last.
    played: Option<RunKey>,
    awaited: Option<u64>,
    number: u64,
    /// Whether all causes are being fixed: changes of files follow after the edits.
    fixes_all: bool,
    /// Grows with every change of what is shown.
    pub revision: u64,
}

impl DeskState for TriageDesk {
    fn sync(&mut self, core: &mut Core) {
        self.sync_run(core);
    }

    fn has_rows(&self) -> bool {
        self.selected().is_some()
    }

    /// Moves through the causes, or while a failure is shown, through the failures of its cause.
    fn step(&mut self, core: &mut Core, step: StepDirection, rows: usize) {
        if core.here().view == DeskView::Failure {
            self.select_failure(step.target_in(Some(self.failure), rows, self.failures().len()));
        } else {
            let order = self.order();
            let at = order.iter().position(|cause| *cause == self.cause);
            if let Some(cause) = order.get(step.target_in(at, rows, order.len())) {
                self.select_cause(*cause);
            }
        }
    }

    /// Goes to the next or previous cause that is not solved, and wraps around at the end.
    fn step_change(&mut self, _core: &mut Core, step: StepDirection) {
        let order = self.order();
        let at = order.iter().position(|cause| *cause == self.cause).unwrap_or_default();
        let others = (1..order.len()).map(|distance| {
            let distance = step.pick(distance, order.len() - distance);
            order[(at + distance) % order.len()]
        });
        if let Some(cause) = { others }.find(|cause| !self.is_solved(*cause)) {
            self.select_cause(cause);
        }
    }

    fn open_selected(&mut self, core: &mut Core) {
        match (&self.run, self.selected()) {
            // A failure without a set is played where another set can be chosen.
            (Some(run), Some(failure))
                if core.here().view == DeskView::Failure || self.group().is_none() =>
            {
                self.play(core, run, failure);
            }
            (_, Some(_)) => core.go(Desk::Playback, DeskView::Failure),
            _ => {}
        }
    }

    fn close(&mut self, core: &mut Core) -> bool {
        let is_failure = core.here().view == DeskView::Failure;
        if is_failure {
            core.go(Desk::Playback, DeskView::Triage);
        }
        is_failure
    }

    /// Notes which sets changed.
    fn on_disk_change(&mut self, core: &Core, change: &DiskChange) {
        let mut items = core.library.items_of(change).into_iter();
        self.touched += u64::from(items.any(|item| self.folders.contains(item.folder())));
    }

    fn on_news(&mut self, core: &Core, news: &News) {
        let mut docs = news.added.iter();
        self.touched += u64::from(docs.any(|doc| is_in(&self.folders, &core.library, *doc)));
    }

    /// After a reload, the run is played again.
    fn start_project(&mut self, start: ProjectStart) {
        self.awaited = None;
        self.played = None;
        self.revision += 1;
        if start != ProjectStart::Again {
            *self = Self {
                // `kept` waits for a project, which may be this one.
                kept: self.kept.take(),
                // Not reset, so that answers for the previous project are not treated as new ones.
                number: self.number,
                revision: self.revision,
                ..Self::default()
            };
        }
    }
}

impl TriageDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: TriageAction) {
        match action {
            TriageAction::Read(source) => self.read(core, source),
            TriageAction::PickLogs => {
                let title = "Choose the logs of the run";
                let read_files = |files| TriageAction::Read(RunSource::Files(files));
                core.request(Effect::pick_many(title, DialogKind::Files, read_files));
            }
            TriageAction::Show => core.go(Desk::Playback, DeskView::Triage),
            TriageAction::SelectCause(cause) => self.select_cause(cause),
            TriageAction::Unfold(cause, unfolding) => {
                self.unfolded.insert(cause, unfolding);
                self.revision += 1;
            }
            TriageAction::SelectFailure(failure) => {
                if let Some(cause) = self.lists.iter().position(|list| list.contains(&failure)) {
                    self.select_cause(cause);
                    let position = self.lists[cause].iter().position(|at| *at == failure);
                    self.select_failure(position.unwrap_or_default());
                }
            }
            TriageAction::OpenFailure => self.open_selected(core),
            TriageAction::PlayFailure => {
                if let (Some(run), Some(failure)) = (&self.run, self.selected()) {
                    self.play(core, run, failure);
                }
            }
            TriageAction::SelectRecording(position) => self.recording = Some(position),
            TriageAction::PickSet => {
                let title = "Choose the folder with the recordings";
                core.request(Effect::pick(title, DialogKind::Folder, TriageAction::AssignSet));
            }
            TriageAction::AssignSet(folder) => self.assign_set(core, &folder),
            TriageAction::OpenRecording(path) => {
                if let Some(doc) = core.library.find(&path) {
                    core.show(doc);
                }
            }
            TriageAction::OpenCall(path, number) => {
                if let Some(doc) = core.library.find(&path) {
                    core.show(doc);
                    core.unfold_selected(true);
                    core.select_target((doc, Some(number.saturating_sub(1))));
                }
            }
            TriageAction::CompareSource(path) => {
                if let Some(doc) = core.library.find(&path) {
                    core.compare_source(doc);
                }
            }
            TriageAction::Fix => self.fix_cause(core),
            TriageAction::FixAll => self.fix_all(core),
            TriageAction::Regenerate => self.regenerate(core),
            TriageAction::WritePage(path, log) => self.write_page(core, path, log),
        }
    }

    /// Returns the causes in the order in which they are listed: those that are solved last.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.lists.len()).collect();
        order.sort_by_key(|cause| self.is_solved(*cause));
        order
    }

    /// Whether all failures of a cause are answered now.
    pub fn is_solved(&self, cause: usize) -> bool {
        let failures = self.lists.get(cause).map_or(&[][..], |list| list);
        let progress = self.triaged.as_ref().map(|run| &run.progress);
        progress.is_some_and(|progress| progress.count_of(failures) == failures.len())
    }

    /// Whether there is a cause besides the selected one that is not solved.
    pub fn has_other_unsolved(&self) -> bool {
        (0..self.lists.len()).any(|cause| cause != self.cause && !self.is_solved(cause))
    }

    /// Returns which failures of a cause are listed.
    pub fn unfolding(&self, cause: usize) -> Unfolding {
        match self.unfolded.get(&cause).copied().unwrap_or_default() {
            Unfolding::First if self.is_solved(cause) => Unfolding::None,
            unfolding => unfolding,
        }
    }

    /// The selected cause; `None` for the failures without a set.
    pub fn group(&self) -> Option<&CauseGroup> {
        self.triaged.as_ref()?.triage.groups.get(self.cause)
    }

    /// The failures of a cause, by their positions in the run.
    pub fn failures_of(&self, cause: usize) -> &[usize] {
        self.lists.get(cause).map_or(&[], |list| list)
    }

    /// The failures of the selected cause, by their positions in the run.
    pub fn failures(&self) -> &[usize] {
        self.failures_of(self.cause)
    }

    /// The selected failure, by its position in the run.
    pub fn selected(&self) -> Option<usize> {
        self.failures().get(self.failure).copied()
    }

    /// Finds the causes again, as if the log named this folder for the failures without a set.
    fn assign_set(&mut self, core: &mut Core, place: &Path) {
        let root = core.project.as_ref().map(|project| &project.root);
        let place = root.and_then(|root| place.strip_prefix(root).ok()).map(Path::to_string_lossy);
        let Some(place) = place else {
            return core.notify(Severity::Note, "Choose a folder of the open project.");
        };
        let Some(triaged) = self.triaged.take() else { return };
        let place: Arc<str> = place.replace('\\', "/").into();
        if let Some(run) = &mut self.run {
            let run = Arc::make_mut(run);
            for (failure, _) in triaged.triage.unassigned() {
                run.failures[failure].failure.directory = Some(Arc::clone(&place));
            }
        }
        self.played = None;
        self.state = TriageState::Reading;
        (self.cause, self.failure, self.unfolded) = Default::default();
        self.revision += 1;
    }

    fn select_failure(&mut self, failure: usize) {
        (self.failure, self.recording) = (failure, None);
        self.revision += 1;
    }

    fn select_cause(&mut self, cause: usize) {
        let cause = cause.min(self.lists.len().saturating_sub(1));
        if cause != self.cause {
            self.cause = cause;
            self.select_failure(0);
        }
    }
}
