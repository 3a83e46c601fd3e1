//! Reads what a triage needs: the logs of a run, and the sets of its failures. Writes its fixes.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cap_std::fs::Dir;

use crate::disk::machine_map::{NumberedItem, group_by_machine};
use crate::disk::parallel::map_parallel;
use crate::disk::project::Project;
use crate::disk::root::{
    MAX_FILE_BYTES, OpenFolder, OpenedPath, ReadRefusal, RegularFile, describe_error, display_path,
    open_each, parent_folder, read_file, to_sentence,
};
use crate::disk::save::SaveTarget;
use crate::disk::undo::StepRecorder;
use ::compare::review::ledger;
use author::import::{ImportKind, detect_kind};
use author::saving::{SaveFailure, SaveFault};
use calls::Item;
use calls::stable::StableSettings;
use document::eval_archive::{is_archive, unpacked_members};
use document::files::{FilesChanged, file_name};
use document::text::Source;
use document::{Document, DocumentBody};
use machine::MachineMap;
use play::audit::looks_like_test_log;
use play::playback::failure_log::LoggedFailure;
use play::run_requests::RunRequests;
use play::triage::{
    AfterFixes, CassetteFiles, CassetteIndex, EmptyFolder, ReviewLedger, SetFiles, looks_like_run,
    read_log,
};

/// The ending of an archive of logs, as CI stores what a run leaves.
const ARCHIVE_ENDING: &str = ".zip";

/// The most machines that are drawn on a page.
const MAX_MAPS: usize = 8;

/// Depth to which folders of logs are searched.
const MAX_DEPTH: usize = 8;

/// Number of bytes at the end of a log that show whether tests failed: runners list and count them there.
const LOG_END_BYTES: usize = 64 << 10;

/// The most files of a folder that are recognised, since others may have the same endings.
const MAX_RECOGNISED_FILES: usize = 20;

/// The logs of a run.
#[derive(Debug, Default)]
pub struct RunLogs {
    /// Each log with its path as given.
    pub logs: Vec<(Arc<str>, Arc<str>)>,
    /// Files and folders that could not be read, as sentences without a full stop that start with the path.
    pub unread: Vec<String>,
    pub(crate) kind: LogKind,
}

/// The logs that are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum LogKind {
    /// What test runners print, and JUnit reports.
    #[default]
    Output,
    /// Requests that tests send.
    Requests,
    /// What test runners print of any run, and requests.
    Tests,
}

impl LogKind {
    /// Endings of the names of such logs in folders and archives.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Output => &[".log", ".txt", ".xml", ".out"],
            Self::Requests => &[".jsonl", ".log", ".json"],
            Self::Tests => &[".log", ".txt", ".xml", ".out", ".jsonl"],
        }
    }

    fn is_log(self, text: &str) -> bool {
        match self {
            Self::Output => looks_like_run(text),
            Self::Requests => RunRequests::is_log(text),
            Self::Tests => looks_like_test_log(text),
        }
    }

    /// What a file lacks that is none, as the end of a sentence.
    fn lacking(self) -> &'static str {
        match self {
            Self::Output => "no failed test, no output of a playback client and no JUnit report",
            Self::Tests => "no output of a test runner, no JUnit report and no log of the plugin",
            Self::Requests => {
                "not a log of requests, which the plugin of `retake plugin pytest` writes"
            }
        }
    }

    fn is_log_name(self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.endings().iter().any(|end| name.ends_with(end))
    }
}

/// Reads logs and JUnit reports, and those in folders and zip files. Blocks. Nothing outside `root` is read, or else outside of the project that
/// each path is in.
pub fn read_run_logs(paths: &[PathBuf], root: Option<&Path>) -> RunLogs {
    read_logs(paths, root, RunLogs::default())
}

/// Reads logs of requests, and those in folders and zip files, in the same way. Blocks.
pub fn read_request_logs(paths: &[PathBuf], root: Option<&Path>) -> RunLogs {
    read_logs(paths, root, RunLogs { kind: LogKind::Requests, ..RunLogs::default() })
}

/// Reads both, and logs of runs without failures. Blocks.
pub fn read_test_logs(paths: &[PathBuf], root: Option<&Path>) -> RunLogs {
    read_logs(paths, root, RunLogs { kind: LogKind::Tests, ..RunLogs::default() })
}

fn read_logs(paths: &[PathBuf], root: Option<&Path>, mut run_logs: RunLogs) -> RunLogs {
    let opened = match open_each(paths, root) {
        Ok(opened) => opened,
        Err(error) => {
            run_logs.unread.push(format!("Cannot open: {error}"));
            return run_logs;
        }
    };
    for opened in opened {
        match opened {
            Ok(opened) => run_logs.add(&opened),
            Err(error) => run_logs.unread.push(format!("Cannot open: {error}")),
        }
    }
    run_logs
}

/// Reads the same among dropped paths. A folder that contains JSON files is a project or a set, so that it is not read.
pub(crate) fn read_run_folders(paths: &[PathBuf], root: Option<&Path>) -> RunLogs {
    let has_json = |opened: &OpenedPath| {
        // A folder that cannot be listed may be a project.
        opened.file.is_none() && contains_json(opened, Path::new(""), MAX_DEPTH).unwrap_or(true)
    };
    match open_each(paths, root) {
        Ok(opened) if !opened.iter().flatten().any(has_json) => read_run_logs(paths, root),
        _ => RunLogs::default(),
    }
}

impl RunLogs {
    fn add(&mut self, opened: &OpenedPath) {
        if let Some(file) = &opened.file {
            match self.read(opened, file, Arc::clone(&opened.given)) {
                Ok(true) => {}
                Ok(false) => {
                    let other = describe_other(opened, file).unwrap_or_default();
                    self.unread.push(format!("{}: {}{other}", opened.given, self.kind.lacking()));
                }
                Err(reason) => self.unread.push(reason),
            }
            return;
        }
        let mut paths = Vec::new();
        self.find(opened, Path::new(""), MAX_DEPTH, &mut paths);
        // Folders are listed in no order, and the logs of one run must not change their order.
        paths.sort();
        let old_len = self.logs.len();
        for file in paths {
            let path = format!("{}/{}", opened.given, display_path(&file));
            if let Err(reason) = self.read(opened, &file, path.into()) {
                self.unread.push(reason);
            }
        }
        if self.logs.len() == old_len {
            let names = self.kind.endings().join(", ");
            let content = match self.kind {
                LogKind::Output => "output of a playback client",
                LogKind::Requests => "requests of tests",
                LogKind::Tests => "output of tests",
            };
            self.unread
                .push(format!("{}: no log among its files ({names}) has {content}", opened.given));
        }
    }

    /// Finds the files in a folder that may be logs. A folder that cannot be listed does not prevent the others from being listed.
    fn find(&mut self, opened: &OpenedPath, parent: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
        let mut folders = Vec::new();
        if let Err(error) = list_logs(opened, parent, self.kind, paths, &mut folders) {
            let folder = Path::new(&*opened.given).join(parent);
            let reason = describe_error(&error);
            self.unread.push(format!("{}: {reason}", display_path(&folder)));
        }
        for folder in folders.iter().filter(|_| depth > 0) {
            self.find(opened, folder, depth - 1, paths);
        }
    }

    /// Reads a log. Returns whether it is one.
    fn read(&mut self, opened: &OpenedPath, file: &Path, path: Arc<str>) -> Result<bool, String> {
        let bytes = read_file(&opened.dir, file)
            .map_err(|refusal| format!("{path}: {}", to_sentence(refusal)))?;
        if !is_archive(&bytes) {
            return Ok(self.read_log(path, bytes));
        }
        let members =
            unpacked_members(&bytes, MAX_FILE_BYTES as usize, |name| self.kind.is_log_name(name))
                .map_err(|reason| format!("{path}: it cannot be unpacked: {reason}"))?;
        let mut has_log = false;
        for (name, content) in members {
            has_log |= self.read_log(format!("{path}/{name}").into(), content);
        }
        Ok(has_log)
    }

    /// Keeps what is a log, once: CI stores the log of a job as a whole and in parts. Returns whether it is one.
    fn read_log(&mut self, path: Arc<str>, bytes: Vec<u8>) -> bool {
        let text = Source::from_bytes(bytes);
        let is_log = self.kind.is_log(text.text());
        if is_log && !self.logs.iter().any(|(_, other)| **other == *text.text()) {
            self.logs.push((path, text.text().into()));
        }
        is_log
    }
}

/// Finds the logs of failed test runs that are directly in the opened folders or in those of their projects, by their paths as given. Blocks.
pub fn find_failed_runs(project: &Project) -> Vec<String> {
    let named = project.opened.iter().take(project.named_paths);
    let folders = named.filter(|opened| opened.file.is_none());
    // The folder of a project may be an opened one, too.
    let mut found: BTreeMap<PathBuf, String> = BTreeMap::new();
    for opened in folders.flat_map(|o| [o.at_root(None), Some(o.clone())]).flatten() {
        let mut files = Vec::new();
        // A folder that cannot be listed is reported where it is read.
        let _ = list_logs(&opened, Path::new(""), LogKind::Output, &mut files, &mut Vec::new());
        files.retain(|file| file.extension().is_some_and(|end| end == "log" || end == "txt"));
        files.sort();
        let runs = files.iter().take(MAX_RECOGNISED_FILES);
        found.extend(runs.filter(|file| is_failed_run(&opened.dir, file)).map(|file| {
            let path = Path::new(&*opened.given).join(file);
            let path = display_path(path.strip_prefix(".").unwrap_or(&path));
            (opened.folder.join(file), path.to_string())
        }));
    }
    found.into_values().collect()
}

fn is_failed_run(dir: &Dir, file: &Path) -> bool {
    let opened = RegularFile::open(dir, file).ok();
    opened.and_then(|mut file| file.read_tail(LOG_END_BYTES).ok()).is_some_and(|bytes| {
        let end = Source::from_bytes(bytes);
        looks_like_run(end.text()) && !read_log("", end.text()).failures.is_empty()
    })
}

/// Describes what a file is that is no log, and which commands read it, as the end of a sentence.
fn describe_other(opened: &OpenedPath, file: &Path) -> Option<String> {
    let bytes = read_file(&opened.dir, file).ok()?;
    let document = document::read(Source::from_bytes(bytes), &opened.given);
    let kind = detect_kind(&document);
    let reader = match kind {
        ImportKind::Report => "`retake import` and `retake contract` read",
        ImportKind::Session => "`retake contract` reads",
        ImportKind::FailureLog | ImportKind::Text => return None,
        _ => "`retake import` reads",
    };
    let name = match &document.body {
        DocumentBody::Foreign(foreign) => foreign.describe(),
        _ => kind.name().to_owned(),
    };
    Some(format!("; it is {name}, which {reader}"))
}

fn contains_json(opened: &OpenedPath, folder: &Path, depth: usize) -> io::Result<bool> {
    for (name, kind) in OpenFolder::open(&opened.dir, folder)?.names()? {
        let is_json = kind.is_file() && name.to_string_lossy().to_lowercase().ends_with(".json");
        if is_json
            || kind.is_dir() && depth > 0 && contains_json(opened, &folder.join(name), depth - 1)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Lists the files of a folder that may be logs, and its folders.
fn list_logs(
    opened: &OpenedPath,
    folder: &Path,
    kind_of_logs: LogKind,
    paths: &mut Vec<PathBuf>,
    folders: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for (name, kind) in OpenFolder::open(&opened.dir, folder)?.names()? {
        let path = folder.join(&name);
        if kind.is_dir() {
            folders.push(path);
        } else if kind.is_file() {
            let name = name.to_string_lossy();
            if kind_of_logs.is_log_name(&name) || name.to_lowercase().ends_with(ARCHIVE_ENDING) {
                paths.push(path);
            }
        }
    }
    Ok(())
}

/// Reads the sets in these folders, from the project root, as clients load them. Blocks.
pub fn read_triage_sets<'a>(
    project: &Project,
    items: impl Iterator<Item = (usize, &'a Arc<Item>)>,
    folders: &BTreeSet<Arc<str>>,
) -> BTreeMap<Arc<str>, SetFiles> {
    let no_cancel = AtomicBool::new(false);
    let items = items.map(|(number, item)| (number, &**item));
    read_each_set(project, items, folders, &no_cancel, |index, item| project.read(index, item))
}

/// The same with a function that reads an item by its number.
pub(crate) fn read_each_set<'a>(
    project: &Project,
    items: impl Iterator<Item = (usize, &'a Item)>,
    folders: &BTreeSet<Arc<str>>,
    cancel: &AtomicBool,
    read_item: impl Fn(usize, &Item) -> Result<Document, String> + Sync,
) -> BTreeMap<Arc<str>, SetFiles> {
    let is_wanted =
        // Clients load only `*.json`.
        |item: &Item| folders.contains(item.folder()) && item.file_name().ends_with(".json");
    let items: Vec<(usize, &Item)> = items.filter(|(_, item)| is_wanted(item)).collect();
    let texts = map_parallel("Reading", &items, cancel, |(index, item)| {
        let document = read_item(*index, item);
        document.map(|document| document.source().clone())
    });
    let mut by_folder: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    let mut stable: BTreeMap<&str, StableSettings> = BTreeMap::new();
    for ((index, item), text) in items.iter().zip(texts) {
        let files = by_folder.entry(item.folder()).or_default();
        // The settings are the same for all files of a folder.
        if files.is_empty()
            && let Ok(stable_save) = project.stable(*index, item)
            && stable_save.settings.on_save
        {
            stable.insert(item.folder(), stable_save.settings);
        }
        files.push((item.root_path().into(), text));
    }
    let sets = by_folder.into_iter().map(|(folder, files)| {
        let set = SetFiles::new(folder, files, &project.pool);
        let set = match stable.remove(folder) {
            Some(settings) => set.stable(settings),
            None => set,
        };
        (folder.into(), set)
    });
    sets.collect()
}

/// Reads the cassettes that the causes of failures depend on. Blocks.
pub fn read_triage_cassettes<'a, 'f>(
    project: &Project,
    items: impl Iterator<Item = (usize, &'a Arc<Item>)>,
    failures: impl Iterator<Item = &'f LoggedFailure>,
) -> CassetteFiles {
    let no_cancel = AtomicBool::new(false);
    let items = items.map(|(number, item)| (number, &**item));
    read_each_cassette(project, items, failures, &no_cancel, |index, item| {
        project.read(index, item)
    })
}

/// The same with a function that reads an item by its number.
pub(crate) fn read_each_cassette<'a, 'f>(
    project: &Project,
    items: impl Iterator<Item = (usize, &'a Item)>,
    failures: impl Iterator<Item = &'f LoggedFailure>,
    cancel: &AtomicBool,
    read_item: impl Fn(usize, &Item) -> Result<Document, String> + Sync,
) -> CassetteFiles {
    let tests: Vec<_> = failures.filter_map(LoggedFailure::cassette_test).collect();
    // Logs of recordings need no index of all cassettes.
    if tests.is_empty() {
        return CassetteFiles::default();
    }
    let items: Vec<(usize, &Item)> = items.collect();
    let index = CassetteIndex::new(items.iter().map(|(_, item)| *item));
    let needed: BTreeSet<Arc<str>> =
        index.needed(tests.iter().map(|test| &***test)).into_iter().collect();
    let needed: Vec<(usize, &Item)> =
        items.into_iter().filter(|(_, item)| needed.contains(item.root_path())).collect();
    let documents =
        map_parallel("Reading", &needed, cancel, |(index, item)| read_item(*index, item));
    let documents = needed.iter().zip(documents);
    // A file that cannot be read has no content: the cause of its failures says so.
    let documents = documents
        .filter_map(|((_, item), document)| Some((item.root_path().into(), document.ok()?)));
    let mut modules = BTreeMap::new();
    // What a log does not print may be in the code of its test.
    if tests.iter().any(|test| test.miss.needs_code()) {
        for (number, item) in &needed {
            for place in item.cassette.iter().flat_map(|facts| facts.tests()) {
                let path = &place.origin.path;
                if let Ok(bytes) = project.read_beneath(*number, path) {
                    modules.entry(Arc::clone(path)).or_insert_with(|| Source::from_bytes(bytes));
                }
            }
        }
    }
    let bytes = needed.first().map(|(number, _)| project.read_beneath(*number, ledger::PATH));
    let ledger = match bytes {
        Some(Ok(bytes)) => ReviewLedger::read(Some(bytes)),
        Some(Err(ReadRefusal::Missing)) => ReviewLedger::read(None),
        Some(Err(_)) | None => None,
    };
    CassetteFiles { index, documents: documents.collect(), modules, ledger }
}

/// Reads the cassettes that the requests of a run used. Blocks.
pub fn read_drift_cassettes<'a>(
    project: &Project,
    items: impl Iterator<Item = (usize, &'a Arc<Item>)>,
    run: &RunRequests,
) -> CassetteFiles {
    let items: Vec<(usize, &Arc<Item>)> = items.collect();
    let index = CassetteIndex::new(items.iter().map(|(_, item)| &***item));
    let names: BTreeSet<&Arc<str>> =
        run.requests.iter().filter_map(|request| request.cassette.as_ref()).collect();
    let paths = names.into_iter().filter_map(|name| index.named(name).ok());
    let paths: BTreeSet<Arc<str>> = paths.map(|(path, _)| Arc::clone(path)).collect();
    let needed = items.iter().filter(|(_, item)| paths.contains(item.root_path()));
    let needed: Vec<&(usize, &Arc<Item>)> = needed.collect();
    let no_cancel = AtomicBool::new(false);
    let read =
        map_parallel("Reading", &needed, &no_cancel, |(number, item)| project.read(*number, item));
    // A request whose cassette has no content says so.
    let documents = needed.iter().zip(read);
    let documents = documents
        .filter_map(|((_, item), document)| Some((item.root_path().into(), document.ok()?)));
    let documents = documents.collect();
    CassetteFiles { index, documents, ..CassetteFiles::default() }
}

/// Finds what is committed of those of these folders that have no set, by folder. Blocks.
pub fn find_empty_folders(
    project: &Project,
    folders: &BTreeSet<Arc<str>>,
    sets: &BTreeMap<Arc<str>, SetFiles>,
    cancel: &AtomicBool,
) -> BTreeMap<Arc<str>, EmptyFolder> {
    let empty_folders = folders.iter().filter(|folder| !sets.contains_key(*folder));
    empty_folders.map(|folder| (Arc::clone(folder), project.empty_folder(folder, cancel))).collect()
}

/// Reads the machines that the recordings in these folders were made from, with these recordings, for a page; a few of them, and none that
/// cannot be read. Blocks.
pub fn read_triage_maps<'a>(
    project: &Project,
    items: impl Iterator<Item = NumberedItem<'a>>,
    folders: &BTreeSet<Arc<str>>,
    cancel: &AtomicBool,
) -> Vec<(Arc<str>, MachineMap)> {
    let items = items.filter(|(_, item)| folders.contains(item.folder()));
    let machines = group_by_machine(items).into_iter().take(MAX_MAPS);
    let maps = machines.filter_map(|(path, recordings)| {
        let map = project.machine_map(&path, &recordings, cancel).ok()?;
        Some((path, map))
    });
    maps.collect()
}

/// Writes the fixes of a triage: file by file, each only if it is as it was read; stops at the first that fails. Blocks.
pub fn write_triage_fixes<'a>(
    recorder: &StepRecorder,
    project: &Project,
    items: impl Iterator<Item = (usize, &'a Arc<Item>)>,
    fixes: &AfterFixes,
) -> FilesChanged {
    let mut folders: BTreeMap<&str, (usize, &Item)> = BTreeMap::new();
    for (index, item) in items {
        // A fix may write a new file, so its place is found by any item of its folder.
        folders.entry(item.folder()).or_insert((index, item));
    }
    let target = |path: &str| -> Result<SaveTarget, SaveFault> {
        let folder = parent_folder(path);
        let fault = || SaveFault { path: path.into(), reason: SaveFailure::FolderGone };
        if path == ledger::PATH {
            let (index, _) = folders.values().next().ok_or_else(fault)?;
            return project.ledger_target(*index);
        }
        let (index, item) = folders.get(folder).ok_or_else(fault)?;
        let folder_target = project.target(*index, item).map_err(|_| fault())?;
        Ok(folder_target.beside(file_name(path)))
    };
    let steps: Vec<_> = fixes.sets.values().flat_map(|set| set.steps.iter().cloned()).collect();
    recorder.change_files(&steps, target)
}
