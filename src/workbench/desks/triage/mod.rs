//! Triages a whole run: its failures by cause, the fix of each cause, and which failures are answered since.

mod desk;
mod fixing;
mod reading;
mod sharing;

pub use desk::{TriageDesk, TriageState};
pub use fixing::CauseFix;
pub use sharing::{SharedRun, WriteRunPage};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::ops::playback::failure_log::LoggedFailure;
use crate::ops::triage::{
    RunProgress, SetFiles, Triage, is_failed, read_failures, remove_repeated,
};
use crate::text::{Source, counted};
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;

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

/// The logs of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunSource {
    /// A text with its name.
    Text {
        /// The display name.
        name: Arc<str>,
        text: Arc<str>,
    },
    /// Files that the user chose.
    Files(Vec<PathBuf>),
    /// Dropped files and folders, if they contain failures.
    Dropped(Vec<PathBuf>),
}

impl RunSource {
    /// Returns the name for the user.
    pub fn name(&self) -> String {
        match self {
            Self::Text { name, .. } => name.to_string(),
            Self::Files(paths) | Self::Dropped(paths) => match &paths[..] {
                [path] => {
                    let name = path.file_name().unwrap_or(path.as_os_str());
                    name.to_string_lossy().into_owned()
                }
                _ => counted(paths.len(), "log", "logs"),
            },
        }
    }
}

/// The failures of a run, before their causes are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggedRun {
    /// The display name.
    pub name: String,
    /// The name and the text of each log.
    pub logs: Vec<(Arc<str>, Arc<str>)>,
    /// Each failure once.
    pub failures: Vec<RunFailure>,
    /// What could not be read, as sentences without a full stop.
    pub unread: Vec<String>,
}

/// A failure of a run, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFailure {
    pub failure: LoggedFailure,
    /// The position of its log.
    log: usize,
    /// Its position among everything in its log.
    number: usize,
}

impl LoggedRun {
    /// Reads the failures in the logs of a run.
    pub fn new(name: String, mut logs: Vec<(Arc<str>, Arc<str>)>, unread: Vec<String>) -> Self {
        shorten_paths(&mut logs);
        let mut run = Self { name, unread, ..Self::default() };
        for (at, (name, text)) in logs.iter().enumerate() {
            let read = read_failures(name, text);
            run.unread.extend(read.unread);
            let failures = read.failures.into_iter().enumerate();
            let failures =
                failures.map(|(number, failure)| RunFailure { failure, log: at, number });
            run.failures.extend(failures.filter(|it| is_failed(&it.failure)));
        }
        remove_repeated(&mut run.failures, |it| &it.failure);
        run.logs = logs;
        run
    }

    /// Returns the name and the text of the log of a failure, and the position of the failure in it.
    pub fn place(&self, failure: usize) -> Option<(Arc<str>, Arc<str>, usize)> {
        let failure = self.failures.get(failure)?;
        let (name, text) = self.logs.get(failure.log)?;
        Some((Arc::clone(name), Arc::clone(text), failure.number))
    }
}

/// Leaves out the folder that all logs are in.
fn shorten_paths(logs: &mut [(Arc<str>, Arc<str>)]) {
    let folder = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let Some((first, _)) = logs.first().cloned() else { return };
    let mut shared = &first[..folder(&first)];
    while !logs.iter().all(|(path, _)| path.starts_with(shared)) {
        shared = &shared[..folder(shared.trim_end_matches('/'))];
    }
    let shared = shared.len();
    for (path, _) in logs {
        *path = path[shared..].into();
    }
}

/// A request to read a run.
#[derive(Clone, Debug)]
pub struct ReadRun {
    /// The number that the response carries.
    pub number: u64,
    pub source: RunSource,
}

/// A request to find the causes of a run, or with them, to play its failures again.
#[derive(Clone, Debug)]
pub struct PlayRun {
    /// The number that the response carries.
    pub number: u64,
    pub run: Arc<LoggedRun>,
    /// The causes, if they are known.
    pub triage: Option<Arc<Triage>>,
    /// Everything that is open.
    pub items: Items,
    /// The texts of edited documents, used in place of the files, in the order of their ids.
    pub edited: Vec<(DocId, Source)>,
}

/// A run with its causes, and how it is answered now.
#[derive(Clone, Debug, Default)]
pub struct TriagedRun {
    pub triage: Arc<Triage>,
    pub progress: RunProgress,
    /// What fixes each cause now.
    pub fixes: Vec<CauseFix>,
    /// What fixes all causes now.
    pub all: CauseFix,
}

impl TriagedRun {
    /// Plans the fixes that remain.
    pub fn new(
        triage: Arc<Triage>,
        progress: RunProgress,
        sets: &BTreeMap<Arc<str>, SetFiles>,
        items: &Items,
    ) -> Self {
        let docs = fixing::documents(sets, items);
        let fixes = progress.fixes.iter();
        Self {
            fixes: fixes.map(|fixes| CauseFix::new(fixes, sets, &docs)).collect(),
            all: CauseFix::new(&progress.all_fixes(), sets, &docs),
            triage,
            progress,
        }
    }
}

/// An event of the triage.
#[derive(Clone, Debug)]
pub enum TriageEvent {
    /// The run with this number was read.
    Read(u64, Arc<LoggedRun>),
    /// The run with this number was played, or could not be: the reason is a sentence without a full stop.
    Played(u64, Result<Arc<TriagedRun>, String>),
    /// The path of the page that was written, or why it was not: a sentence without a full stop.
    Written(Result<String, String>),
}
