//! Whole runs: their failures by cause, and the fix of each cause.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::{DocId, Items, name_of_paths};
use calls::Item;
use check::change::{Change, FileFix};
use compare::review::ledger;
use document::files::FileStep;
use document::text::Source;
use play::drift::DriftReport;
use play::playback::PlaybackRun;
use play::playback::failure_log::LoggedFailure;
use play::playback::fixes::Fix;
use play::triage::{
    CassetteSteps, RunProgress, SetFiles, TestCount, Triage, fix_title, is_failed, read_failures,
    remove_repeated,
};

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
            Self::Files(paths) | Self::Dropped(paths) => name_of_paths(paths, "log", "logs"),
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
    /// Parts that could not be read, as sentences without a full stop.
    pub unread: Vec<String>,
    /// Number of tests that the runner reports; `None` if the logs contain none.
    pub tests: Option<TestCount>,
    /// Whether the logs contain runs of a client that did not fail.
    pub has_passed_runs: bool,
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
        for (index, (name, text)) in logs.iter().enumerate() {
            let result = read_failures(name, text);
            run.unread.extend(result.unread);
            // Numbered before some are left out, because the number is the place in the log.
            let failures = result.failures.into_iter().enumerate();
            let (failed, passed): (Vec<_>, Vec<_>) = failures
                .map(|(number, failure)| RunFailure { failure, log: index, number })
                .partition(|f| is_failed(&f.failure));
            run.failures.extend(failed);
            run.has_passed_runs |= !passed.is_empty();
        }
        run.tests = count_tests(&logs);
        // A failure is often both in the log and in the report of its run.
        remove_repeated(&mut run.failures, |f| &f.failure);
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

/// Counts the tests of a run by its logs or by its reports, whichever have more: both may be of the same tests.
fn count_tests(logs: &[(Arc<str>, Arc<str>)]) -> Option<TestCount> {
    let (reports, texts): (Vec<_>, Vec<_>) =
        logs.iter().map(|(_, text)| text).partition(|text| text.trim_start().starts_with('<'));
    let sums = [reports, texts].map(|texts| {
        texts.into_iter().filter_map(|text| TestCount::read(text)).reduce(TestCount::and)
    });
    sums.into_iter().flatten().max_by_key(|count| count.total)
}

/// Leaves out the folder that all logs are in.
fn shorten_paths(logs: &mut [(Arc<str>, Arc<str>)]) {
    let folder = |path: &str| path.rfind('/').map_or(0, |index| index + 1);
    let Some((first, _)) = logs.first().cloned() else { return };
    let mut prefix = &first[..folder(&first)];
    // Ends at the latest with the empty path, which is the start of each.
    while !logs.iter().all(|(path, _)| path.starts_with(prefix)) {
        prefix = &prefix[..folder(prefix.trim_end_matches('/'))];
    }
    let prefix_len = prefix.len();
    for (path, _) in logs {
        *path = path[prefix_len..].into();
    }
}

/// A request to read a run.
#[derive(Clone, Debug)]
pub struct ReadRun {
    /// The number that the response carries.
    pub number: u64,
    pub source: RunSource,
    /// Everything that is open, for logs of requests.
    pub items: Items,
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
    /// Fix of each cause now.
    pub fixes: Vec<CauseFix>,
    /// Fix of all causes now.
    pub all: CauseFix,
    /// The calls of each failure against its set as it is now; `None` without a set.
    pub runs: Vec<Option<PlaybackRun>>,
}

impl TriagedRun {
    /// Plans the fixes that remain.
    pub fn new(
        triage: Arc<Triage>,
        progress: RunProgress,
        sets: &BTreeMap<Arc<str>, SetFiles>,
        items: &Items,
    ) -> Self {
        let docs = documents(sets, items);
        let cassettes = items.iter().filter(|(_, item)| {
            progress.plan.all.steps.iter().any(|step| **step.path() == *item.root_path())
        });
        let cassettes: SetDocuments = cassettes
            .map(|(doc, item)| (item.root_path().into(), (doc, Arc::clone(item))))
            .collect();
        let of_causes = progress.fixes.iter().zip(&progress.plan.causes);
        let fixes = of_causes.map(|(fixes, steps)| {
            CauseFix::new(fixes, sets, &docs).with_cassettes(steps, &cassettes)
        });
        Self {
            fixes: fixes.collect(),
            all: CauseFix::new(&progress.all_fixes(), sets, &docs)
                .with_cassettes(&progress.plan.all, &cassettes),
            runs: (0..triage.failures.len()).map(|at| triage.play(at, sets)).collect(),
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
    /// The logs with this number are of requests, which were compared with what was recorded.
    Compared(u64, Arc<DriftReport>),
    /// The run with this number was played, or could not be: the reason is a sentence without a full stop.
    Played(u64, Result<Arc<TriagedRun>, String>),
    /// The path of the page that was written, or why it was not: a sentence without a full stop.
    Written(Result<String, String>),
}

/// Fix of a cause: first the edits of texts, then the changes of files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CauseFix {
    /// Each edit once, with the paths that it edits.
    pub edits: Vec<FileFix>,
    /// The edited documents.
    pub docs: Vec<DocId>,
    /// The changes of files, in order.
    pub steps: Vec<FileStep>,
    /// A document of each folder in which files are changed, with its row.
    pub folders: Vec<(DocId, Arc<Item>)>,
    /// Description of the changes of files.
    pub moves: Option<FileFixText>,
}

/// Description of a fix that changes files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFixText {
    /// In the imperative.
    pub title: String,
    /// As sentences.
    pub sentence: String,
}

/// The document of each recording, by path.
pub(crate) type SetDocuments = BTreeMap<Arc<str>, (DocId, Arc<Item>)>;

/// Finds the documents of all recordings.
pub(crate) fn documents(sets: &BTreeMap<Arc<str>, SetFiles>, items: &Items) -> SetDocuments {
    let list = items.iter().filter(|(_, item)| sets.contains_key(item.folder()));
    let documents = list.map(|(doc, item)| (item.root_path().into(), (doc, Arc::clone(item))));
    documents.collect()
}

impl CauseFix {
    /// Gathers the fixes of sets, given by folder.
    pub(crate) fn new(
        fixes: &BTreeMap<Arc<str>, Vec<Fix>>,
        sets: &BTreeMap<Arc<str>, SetFiles>,
        documents: &SetDocuments,
    ) -> Self {
        let mut fix_all = Self::default();
        let mut docs = BTreeSet::new();
        for (folder, fixes) in fixes {
            let Some(files) = sets.get(folder) else { continue };
            let (edits, moves): (Vec<&Fix>, Vec<&Fix>) =
                fixes.iter().partition(|fix| !fix.edited().is_empty());
            for fix in edits {
                let all = fix.edited().iter().filter_map(|index| files.set.recordings.get(*index));
                let paths: BTreeSet<Arc<str>> = all.map(|r| Arc::clone(&r.path)).collect();
                let edited_documents = paths.iter().filter_map(|path| documents.get(path));
                docs.extend(edited_documents.map(|(doc, _)| *doc));
                // Without positions, the same fix of several sets is one edit.
                let general_fix = fix.anywhere();
                match fix_all.edits.iter_mut().find(|e| e.fix == general_fix) {
                    Some(edit) => edit.paths.extend(paths),
                    None => fix_all.edits.push(FileFix { fix: general_fix, paths }),
                }
            }
            let steps = files.file_steps(moves.iter().copied());
            let document = files.set.recordings.first().and_then(|r| documents.get(&r.path));
            if let Some(document) = document.filter(|_| !steps.is_empty()) {
                fix_all.folders.push(document.clone());
                fix_all.steps.extend(steps);
                fix_all.moves = fix_all.moves.or_else(|| {
                    let fix = moves.first()?;
                    Some(FileFixText { title: fix_title(fix), sentence: fix.describe() })
                });
            }
        }
        fix_all.docs = docs.into_iter().collect();
        fix_all
    }

    /// Adds the changes of cassettes.
    fn with_cassettes(mut self, plan: &CassetteSteps, cassettes: &SetDocuments) -> Self {
        for step in &plan.steps {
            let document = cassettes.get(step.path());
            // The ledger is no document.
            if document.is_none() && **step.path() != *ledger::PATH {
                continue;
            }
            self.moves = self.moves.or_else(|| {
                let sentence = format!("{}.", plan.sentence);
                Some(FileFixText { title: plan.title.clone(), sentence })
            });
            self.folders.extend(document.cloned());
            self.steps.push(step.clone());
        }
        self
    }

    /// Returns whether nothing would be changed.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.steps.is_empty()
    }

    /// Describes each of the fixes, in the imperative.
    pub fn titles(&self) -> Vec<String> {
        let edits = self.edits.iter().map(|edit| &edit.fix);
        let moves = self.moves.iter().map(|text| text.title.clone());
        let mut titles: Vec<String> = edits.map(fix_title).chain(moves).collect();
        titles.dedup();
        titles
    }

    /// Returns the edits as one change.
    pub fn change(&self) -> Option<Change> {
        match &self.edits[..] {
            [] => None,
            [only] => Some(Change::Fix(only.fix.clone())),
            several => Some(Change::Fixes(several.into())),
        }
    }
}

/// A run to share.
#[derive(Clone, Debug)]
pub enum SharedRun {
    /// The run that is shown, with its causes.
    Shown(Arc<LoggedRun>, Arc<Triage>),
    /// The log of a failure on the playback desk.
    Log(RunSource),
}

/// A request to write a run into a file that the user chose in a dialog, which confirms replacing an existing one.
#[derive(Clone, Debug)]
pub struct WriteRunPage {
    pub path: PathBuf,
    pub run: SharedRun,
    /// Everything that is open.
    pub items: Items,
    /// The texts of edited documents, used in place of the files, in the order of their ids.
    pub edited: Vec<(DocId, Source)>,
}
