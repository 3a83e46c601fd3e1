//! The steps of a project: which there are, and how the last one is undone.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::de::DeserializeOwned;

use super::{MAX_STEPS, MAX_TOTAL_BYTES, STEP_ENDING, StepHead, StepRecord, StoredContent};
use crate::disk::files::carry_out;
use crate::disk::parallel::map_writes;
use crate::disk::root::{RegularFile, describe_error, project_above};
use crate::disk::save::{self, SaveTarget, lock, open_append, sync_folder};
use crate::disk::state;
use crate::progress::Phase;
use author::command_step::{CommandStep, UndoMode};
use author::saving::{SaveFailure, SaveFault};
use calls::source::sha256_hex;
use document::files::{FileBytes, FileStep};

/// The file whose lock a command or an undo holds. It stays: a file that is removed while another process waits for it locks nothing.
const LOCK_NAME: &str = "lock";

/// The time between two attempts to take a lock.
const LOCK_INTERVAL: Duration = Duration::from_millis(20);

/// The longest line of a step: a command has at most 2 MiB.
const MAX_LINE_BYTES: u64 = 8 << 20;

/// The steps of one project.
#[derive(Debug)]
pub struct UndoStore {
    /// `None` if there are none.
    dir: Option<Dir>,
}

/// The steps of one project while no command changes its files.
#[derive(Debug)]
pub struct LockedSteps<'s> {
    store: &'s UndoStore,
    _lock: Option<File>,
}

/// A file as it is and as it was before a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoFile {
    pub path: PathBuf,
    /// The content now; `None` if the step removed the file.
    pub now: FileBytes,
    /// The content before the step; `None` if there was no file.
    pub before: FileBytes,
}

/// Changes that undoing a step makes. Files that are as they were before the step are not listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoPlan {
    pub files: Vec<UndoFile>,
    /// Files that are not as the step left them and stay as they are, each with the reason.
    pub skipped: Vec<(PathBuf, String)>,
}

/// Reason that a step is not undone. No file has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoRefusal {
    /// These files are not as the step left them, each with the reason.
    Changed(Vec<(PathBuf, String)>),
    /// Another reason, as a sentence without a full stop.
    Failed(String),
}

impl fmt::Display for UndoRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => f.write_str(reason),
            Self::Changed(files) => {
                let files: Vec<String> = files
                    .iter()
                    .map(|(path, reason)| format!("{}: {reason}", path.display()))
                    .collect();
                write!(f, "Nothing was undone: {}", files.join("; "))
            }
        }
    }
}

impl From<SaveFault> for UndoRefusal {
    fn from(fault: SaveFault) -> Self {
        Self::Failed(fault.to_string())
    }
}

/// Returns the project of a path: the one that encloses it, else the current folder if the path is in that, else its folder.
pub(super) fn project_of(path: &Path) -> PathBuf {
    let full_path = path
        .ancestors()
        .find_map(|p| std::fs::canonicalize(p).ok())
        .unwrap_or_else(|| path.to_owned());
    let folder = match full_path.parent() {
        Some(folder) if full_path.is_file() => folder,
        _ => &full_path,
    };
    if let Some(project) = project_above(folder) {
        return project.to_owned();
    }
    let current_folder = std::env::current_dir()
        .and_then(std::fs::canonicalize)
        .ok()
        .filter(|current_folder| folder.starts_with(current_folder));
    current_folder.unwrap_or_else(|| folder.to_owned())
}

/// Returns the name of a project's folder.
pub(super) fn folder_name(project: &Path) -> String {
    // Hashed, since a path may be longer than a name can be.
    let hash = sha256_hex(project.as_os_str().as_encoded_bytes());
    hash.get(..32).unwrap_or(&hash).to_owned()
}

/// Takes the lock of a project.
///
/// # Errors
///
/// Returns an error if another process still holds it after this time, as a sentence without a full stop.
pub(super) fn lock_project(dir: &Dir, wait: Duration) -> Result<File, String> {
    let file = open_append(dir, LOCK_NAME.as_ref()).map_err(|e| describe_error(&e).to_string())?;
    let phase = Phase::new("Waiting for another command in this project, seconds", 0);
    let start = Instant::now();
    // Where files cannot be locked, the comparison of contents before each write must suffice.
    while !lock(&file).unwrap_or(true) {
        let elapsed = start.elapsed();
        if elapsed >= wait {
            return Err("another command of Retake is changing files of this project".to_owned());
        }
        phase.set(elapsed.as_secs() as usize, 0, 0);
        thread::sleep(LOCK_INTERVAL);
    }
    Ok(file)
}

/// Returns the names of all steps, the oldest first.
fn names(dir: &Dir) -> Vec<String> {
    let entries = dir.entries().into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(STEP_ENDING)?.to_owned())).collect();
    names.sort_unstable();
    names
}

pub(super) fn remove_step(dir: &Dir, name: &str) {
    // A step that stays is harmless: a file that is as it was before is not changed when the step is undone again.
    let _ = dir.remove_file(format!("{name}{STEP_ENDING}"));
}

/// Removes the oldest steps until the others fit.
pub(super) fn remove_oldest(dir: &Dir) {
    let names = names(dir);
    let size = |name: &String| dir.metadata(format!("{name}{STEP_ENDING}")).map_or(0, |m| m.len());
    let mut bytes: u64 = names.iter().map(size).sum();
    let mut steps = names.len();
    for name in &names {
        // The last step always stays: it fits.
        if steps <= 1 || steps <= MAX_STEPS && bytes <= MAX_TOTAL_BYTES {
            break;
        }
        bytes -= size(name).min(bytes);
        steps -= 1;
        remove_step(dir, name);
    }
}

/// Removes what the command of the newest step left if it was killed: temporary files, and a step without a file. Returns the number
/// in the step's name.
pub(super) fn clean_after_newest(dir: &Dir) -> Option<i64> {
    let name = names(dir).pop()?;
    match read_step(dir, &name) {
        Some(step) if !step.files.is_empty() => clean_beside(step.files.keys(), None),
        _ => remove_step(dir, &name),
    }
    name.split('-').next()?.parse().ok()
}

/// Removes temporary files in the folders of these files.
fn clean_beside<'p>(paths: impl Iterator<Item = &'p PathBuf>, root: Option<&Path>) {
    // Each folder is cleaned once, however many of its files the step has.
    let folders: BTreeMap<_, _> = paths.map(|path| (path.parent(), path)).collect();
    for path in folders.into_values() {
        if let Ok(target) = SaveTarget::chosen(path, root) {
            save::clean_beside(&target);
        }
    }
}

/// A step with its files, by path.
struct ReadStep {
    head: StepHead,
    reader: BufReader<File>,
    files: BTreeMap<PathBuf, ListedFile>,
}

#[derive(Default)]
struct ListedFile {
    /// The content before the step, and where it is in the file of the step; `None` if there was no file.
    before: Option<(u64, StoredContent)>,
    /// The hashes of the contents that the step gave it, in order; `None` where it removed the file. While the command ran or if it
    /// was killed, the file may have any of them.
    after: Vec<Option<Box<str>>>,
}

impl UndoStore {
    /// Opens the steps of the project that a path is in.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no folder for Retake's data, as a message for the user.
    pub fn open(path: &Path) -> Result<Self, String> {
        Ok(match state::undo()? {
            Some(folder) => Self::in_folder(path, &folder),
            None => Self { dir: None },
        })
    }

    /// Opens the steps of a project that are kept in this folder.
    pub(crate) fn in_folder(path: &Path, folder: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = folder.join(folder_name(&project_of(&path)));
        Self { dir: Dir::open_ambient_dir(folder, ambient_authority()).ok() }
    }

    /// Returns the steps, the last one first. What is no step is skipped.
    pub fn steps(&self) -> Vec<CommandStep> {
        let Some(dir) = &self.dir else { return Vec::new() };
        let names = names(dir).into_iter().rev();
        let steps = names.filter_map(|name| {
            let step = read_step(dir, &name)?;
            Some(CommandStep {
                id: name.into(),
                command: step.head.command,
                seconds: step.head.seconds,
                files: step.files.into_keys().collect(),
            })
        });
        steps.filter(|step| !step.files.is_empty()).collect()
    }

    /// Returns for each file the hash of what the last step that wrote it has written, and the command.
    pub(crate) fn last_writes(&self) -> HashMap<PathBuf, (Box<str>, Arc<str>)> {
        let mut writes = HashMap::new();
        let Some(dir) = &self.dir else { return writes };
        for step in names(dir).iter().rev().filter_map(|name| read_step(dir, name)) {
            let command: Arc<str> = step.head.command.into();
            for (path, mut file) in step.files {
                if let Some(sha256) = file.after.pop().flatten() {
                    writes.entry(path).or_insert((sha256, Arc::clone(&command)));
                }
            }
        }
        writes
    }

    /// Returns what undoing a step would change. `root` bounds what is read.
    ///
    /// # Errors
    ///
    /// As [`LockedSteps::undo`].
    pub fn plan(
        &self,
        step: &CommandStep,
        root: Option<&Path>,
        mode: UndoMode,
    ) -> Result<UndoPlan, UndoRefusal> {
        let mut plan = UndoPlan::default();
        if mode == UndoMode::Forget {
            return Ok(plan);
        }
        let stored_step = self.dir.as_ref().and_then(|dir| read_step(dir, &step.id));
        let refusal = || UndoRefusal::Failed("The step is no longer stored".to_owned());
        let ReadStep { files, mut reader, .. } = stored_step.ok_or_else(refusal)?;
        for (path, listed_file) in &files {
            match listed_file.undone(path, root, &mut reader) {
                Ok(file) => plan.files.extend(file),
                Err(reason) => plan.skipped.push((path.clone(), reason)),
            }
        }
        if plan.skipped.is_empty() || mode == UndoMode::SkipChanged {
            Ok(plan)
        } else {
            Err(UndoRefusal::Changed(plan.skipped))
        }
    }

    /// Waits until no command changes files of the project, and prevents that.
    ///
    /// # Errors
    ///
    /// Returns an error if a command still changes files after this time.
    pub fn lock(&self, wait: Duration) -> Result<LockedSteps<'_>, UndoRefusal> {
        let lock = self.dir.as_ref().map(|dir| lock_project(dir, wait)).transpose();
        let refusal = |r| UndoRefusal::Failed(format!("Nothing was undone: {r}. Try again later"));
        Ok(LockedSteps { store: self, _lock: lock.map_err(refusal)? })
    }
}

impl LockedSteps<'_> {
    /// Undoes the last step: every file is as it was before, and those that it created are deleted. Then the step is forgotten. What
    /// an earlier attempt has undone already stays so.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is not as the step left it and the mode does not skip it, or if a file cannot be written. Then the
    /// files are as they were before.
    pub fn undo(
        &self,
        step: &CommandStep,
        root: Option<&Path>,
        mode: UndoMode,
    ) -> Result<UndoPlan, UndoRefusal> {
        // Checked under the lock: another command may have ended since the user chose this step.
        if self.store.steps().first().is_none_or(|last| last.id != step.id) {
            let reason = "Nothing was undone: this is no longer the last command";
            return Err(UndoRefusal::Failed(reason.to_owned()));
        }
        let plan = self.store.plan(step, root, mode)?;
        let restore = |file: &UndoFile| {
            let (new_bytes, old_bytes) = (file.now.clone(), file.before.clone());
            write(&file.path, root, new_bytes, old_bytes)
        };
        let results = map_writes("Restoring", &plan.files, restore);
        if let Some(fault) = results.iter().find_map(|r| r.as_ref().err()) {
            let restored_files = plan.files.iter().zip(&results).filter(|(_, r)| r.is_ok());
            for (file, _) in restored_files {
                write(&file.path, root, file.before.clone(), file.now.clone())?;
            }
            return Err(fault.clone().into());
        }
        clean_beside(step.files.iter(), root);
        if let Some(dir) = &self.store.dir {
            remove_step(dir, &step.id);
            // A step that a power failure restores changes nothing when it is undone again.
            let _ = sync_folder(dir);
        }
        Ok(plan)
    }
}

impl ListedFile {
    /// Returns what undoing changes; `None` if the file is as it was before.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be undone.
    fn undone(
        &self,
        path: &Path,
        root: Option<&Path>,
        reader: &mut BufReader<File>,
    ) -> Result<Option<UndoFile>, String> {
        let bytes = SaveTarget::chosen(path, root).and_then(|target| save::read_replaced(&target));
        let bytes = match bytes.map_err(|fault| fault.reason) {
            Err(SaveFailure::FolderGone) if self.before.is_none() => None,
            Err(SaveFailure::FolderGone) => return Err("its folder was deleted since".to_owned()),
            bytes => bytes.map_err(|reason| reason.to_string())?,
        };
        let hash = bytes.as_deref().map(sha256_hex);
        let old_content = self.before.as_ref();
        if hash.as_ref() == old_content.map(|(_, old_content)| &old_content.sha256) {
            return Ok(None);
        }
        if !self.after.contains(&hash) {
            let reason = match (hash, self.after.last()) {
                (None, _) => "deleted since",
                (_, Some(None)) => "created since",
                _ => "changed since",
            };
            return Err(reason.to_owned());
        }
        let content = old_content.map(|(start, content)| read_content(reader, *start, content));
        if content == Some(None) {
            return Err("its old content is stored, but damaged".to_owned());
        }
        Ok(Some(UndoFile {
            path: path.to_owned(),
            now: bytes.map(Arc::from),
            before: content.flatten(),
        }))
    }
}

/// Gives a file another content, if it has the expected one.
fn write(
    path: &Path,
    root: Option<&Path>,
    before: FileBytes,
    after: FileBytes,
) -> Result<(), SaveFault> {
    let step = FileStep::Write { path: path.to_string_lossy().into(), before, after };
    carry_out([&step], |_: &str| SaveTarget::chosen(path, root), &mut Vec::new())
}

/// Reads a step; `None` if it is none. Its last record may be incomplete, if the command was killed: its file was not changed then.
fn read_step(dir: &Dir, name: &str) -> Option<ReadStep> {
    let file = RegularFile::open(dir, Path::new(&format!("{name}{STEP_ENDING}"))).ok()?;
    let size = file.bytes;
    let mut reader = BufReader::new(file.into_std());
    let head: StepHead = read_line(&mut reader)?;
    let mut files: BTreeMap<PathBuf, ListedFile> = BTreeMap::new();
    while let Some(record) = read_line(&mut reader) {
        match record {
            StepRecord::Change { path, before, after } => {
                let start = reader.stream_position().ok()?;
                let length = before.as_ref().map_or(0, |content| content.length.saturating_add(1));
                if start.saturating_add(length) > size {
                    break;
                }
                reader.seek_relative(length.try_into().ok()?).ok()?;
                let before = before.map(|content| (start, content));
                // If a file is written twice, only the first content is from before the step.
                let listed_file = files.entry(path.into_path()).or_default();
                if listed_file.after.is_empty() {
                    listed_file.before = before;
                }
                listed_file.after.push(after);
            }
            StepRecord::Failed { path } => {
                files.entry(path.into_path()).or_default().after.pop();
            }
        }
    }
    files.retain(|_, file| !file.after.is_empty());
    Some(ReadStep { head, reader, files })
}

fn read_line<T: DeserializeOwned>(reader: &mut BufReader<File>) -> Option<T> {
    let mut line = Vec::new();
    reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line).ok()?;
    line.ends_with(b"\n").then(|| serde_json::from_slice(&line).ok())?
}

/// Reads a content of a step; `None` if it is not the one that was stored.
fn read_content(reader: &mut BufReader<File>, start: u64, id: &StoredContent) -> Option<Arc<[u8]>> {
    let mut bytes = Vec::new();
    reader.seek(SeekFrom::Start(start)).ok()?;
    reader.by_ref().take(id.length).read_to_end(&mut bytes).ok()?;
    (sha256_hex(&bytes) == id.sha256).then(|| bytes.into())
}
