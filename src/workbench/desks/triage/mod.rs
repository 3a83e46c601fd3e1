//! Triages a whole run: its failures by cause, the fix of each cause, and which failures are answered since.

mod fixing;
mod reading;
mod sharing;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use self::reading::{RunKey, is_in};
use crate::core::dialog::DialogKind;
use crate::core::effect::Effect;
use crate::core::navigation::{DeskView, StepDirection};
use crate::core::{Core, News, ProjectStart};
use crate::desks::DeskState;
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
    /// Selects a failure of the selected cause, counted from 0.
    SelectFailure(usize),
    /// Plays the selected failure.
    PlayFailure,
    /// Shows this recording, given by its path from the project root.
    OpenRecording(Arc<str>),
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
}

/// The view state of a triage.
#[derive(Debug, Default)]
pub struct TriageDesk {
    pub state: TriageState,
    pub run: Option<Arc<LoggedRun>>,
    pub triaged: Option<Arc<TriagedRun>>,
    /// The failures of each cause below their headings, and last, those without a set.
    lists: Vec<Vec<(Arc<str>, Vec<usize>)>>,
    /// The selected cause, counted from 0. After the last one are the failures without a set.
    pub cause: usize,
    /// The selected failure of that cause, counted from 0.
    pub failure: usize,
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

    /// Moves through the failures of the selected cause; after the last one, to the next cause.
    fn step(&mut self, _core: &mut Core, step: StepDirection, rows: usize) {
        let count = self.failures().count();
        let is_at_end = step.pick(self.failure + 1 >= count, self.failure == 0);
        // A step to the end stays within the cause.
        if !is_at_end || rows == usize::MAX {
            self.failure = step.target_in(Some(self.failure), rows, count);
            return;
        }
        let old_cause = self.cause;
        self.select_cause(step.target(self.cause, 1));
        // Backwards, a cause is entered at its last failure.
        if self.cause != old_cause && step == StepDirection::Previous {
            self.failure = self.failures().count().saturating_sub(1);
        }
    }

    /// Goes to the next or previous cause.
    fn step_change(&mut self, _core: &mut Core, step: StepDirection) {
        self.select_cause(step.target(self.cause, 1));
    }

    fn open_selected(&mut self, core: &mut Core) {
        if let (Some(run), Some(failure)) = (&self.run, self.selected()) {
            self.play(core, run, failure);
        }
    }

    /// Notes which sets changed.
    fn on_disk_change(&mut self, core: &Core, change: &DiskChange) {
        let mut items = core.library.items_of(change).into_iter();
        let is_touched = items.any(|item| self.folders.contains(item.folder()));
        self.touched += u64::from(is_touched);
    }

    fn on_news(&mut self, core: &Core, news: &News) {
        let mut docs = news.added.iter();
        let is_touched = docs.any(|doc| is_in(&self.folders, &core.library, *doc));
        self.touched += u64::from(is_touched);
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
            TriageAction::SelectFailure(failure) => self.failure = failure,
            TriageAction::PlayFailure => self.open_selected(core),
            TriageAction::OpenRecording(path) => {
                if let Some(doc) = core.library.find(&path) {
                    core.show(doc);
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

    /// Whether the run is being played again.
    pub fn is_playing(&self) -> bool {
        self.awaited.is_some() && self.triaged.is_some()
    }

    /// Describes the run: `37 failures, 2 causes`.
    pub fn title(&self) -> Option<String> {
        self.triaged.as_deref().map(reading::title)
    }

    /// Describes how the run is answered now, as a sentence without a full stop; `None` if nothing is answered.
    pub fn answered(&self) -> Option<String> {
        self.triaged.as_ref()?.progress.describe()
    }

    /// Number of rows of the list of causes: the causes, and the failures without a set.
    pub fn causes(&self) -> usize {
        self.lists.len()
    }

    /// The selected cause; `None` for the failures without a set.
    pub fn group(&self) -> Option<&CauseGroup> {
        self.triaged.as_ref()?.triage.groups.get(self.cause)
    }

    /// The failures of the selected cause by folder, or those without a set by reason.
    pub fn sets(&self) -> &[(Arc<str>, Vec<usize>)] {
        self.lists.get(self.cause).map_or(&[], |sets| sets)
    }

    /// The failures of the selected cause, by their positions in the run.
    pub fn failures(&self) -> impl Iterator<Item = usize> {
        self.sets().iter().flat_map(|(_, failures)| failures.iter().copied())
    }

    /// The selected failure, by its position in the run.
    pub fn selected(&self) -> Option<usize> {
        self.failures().nth(self.failure)
    }

    fn select_cause(&mut self, cause: usize) {
        let cause = cause.min(self.lists.len().saturating_sub(1));
        if cause != self.cause {
            self.cause = cause;
            self.failure = 0;
            self.revision += 1;
        }
    }
}
