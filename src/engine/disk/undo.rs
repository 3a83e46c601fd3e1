//! Records of what commands of the command line wrote, kept so that the last ones can be undone.
//!
//! Each command is a step: a file in a folder of its project, in Retake's data folder. Its first line names the command. A record for
//! each change of a file follows: a line with the hashes of the old and the new content, and then the old content.
//!
//! **A record is on disk before its file is changed.** So whenever a command ends, also by `kill -9` or a power failure, each file has
//! the old content or one that the step names, and undoing what was not done yet changes nothing. A step that cannot be kept never
//! prevents a file from being written.
//!
//! A command holds the lock of its project from its first record to its end, and undoing holds it, too: steps never mix. The system
//! releases it when the process ends.

mod store;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::disk::files::{beneath, change_files};
use crate::disk::guard::lock;
use crate::disk::parallel::map_writes;
use crate::disk::recovery::SavedPath;
use crate::disk::review::{self, WriteReport};
use crate::disk::root::{Root, describe_error, uninterrupted};
use crate::disk::save::{
    self, SaveTarget, TempFileAccess, create_locked, largest_file, open_private, random_name,
    sync_folder,
};
use crate::disk::state;
use author::saving::{Expected, SaveFault, Saved};
use calls::source::sha256_hex;
use compare::review::{Decisions, PlannedWrite};
use document::files::{FileBytes, FileStep, FilesChanged};

pub use store::{LockedSteps, UndoFile, UndoPlan, UndoRefusal, UndoStore};

/// Number of steps of a project that are kept, and of bytes in all: 200 MiB.
const MAX_STEPS: usize = 20;
const MAX_TOTAL_BYTES: u64 = 200 << 20;

/// Time that a command waits for another one that changes files of its project: longer than most run, but not forever, because
/// a stopped process keeps its lock.
pub const MAX_COMMAND_WAIT: Duration = Duration::from_secs(60);

/// The ending of a step's file.
const STEP_ENDING: &str = ".step";

/// The first line of a step.
#[derive(Debug, Serialize, Deserialize)]
struct StepHead {
    command: String,
    seconds: i64,
}

/// Every other line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepRecord {
    /// A file that is about to change. Its old content follows, and a line feed.
    Change {
        path: SavedPath,
        /// `None` if there is no file.
        before: Option<StoredContent>,
        /// The hash of its new content; `None` if it is removed.
        after: Option<Box<str>>,
    },
    /// The last change of this file was not made.
    Failed { path: SavedPath },
}

/// A content that follows its line.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredContent {
    length: u64,
    sha256: Box<str>,
}

/// Writes the files of one command, and records what is needed to undo it. Every command that changes a project's files gets one,
/// and has no other way to write them.
#[derive(Debug)]
pub struct StepRecorder {
    /// The command as a line.
    command: String,
    /// The folder in which steps are kept; `None` if they are not.
    folder: Result<Option<PathBuf>, String>,
    step: Mutex<RecordedStep>,
}

/// One of many files to write.
#[derive(Clone, Debug)]
pub struct FileToWrite {
    pub target: SaveTarget,
    pub bytes: Arc<[u8]>,
    /// The content that must be there now.
    pub expected: Expected,
}

/// A file whose change is recorded, if it will change.
#[derive(Debug)]
struct PreparedWrite {
    file: FileToWrite,
    will_change: bool,
}

#[derive(Debug, Default)]
struct RecordedStep {
    open: Option<OpenStep>,
    /// The reason that the step cannot be kept.
    fault: Option<String>,
    /// Whether the command has changed a file.
    has_written: bool,
}

/// The file of a step that is being written.
#[derive(Debug)]
struct OpenStep {
    dir: Dir,
    name: String,
    file: File,
    length: u64,
    /// The lock of the project.
    _lock: File,
}

impl StepRecorder {
    /// Creates a recorder for a command.
    pub fn new(command: String) -> Self {
        Self { command, folder: state::undo(), step: Mutex::default() }
    }

    /// As [`new`](Self::new), with another folder for steps.
    #[cfg(test)]
    fn in_folder(command: &str, folder: &Path) -> Self {
        Self { folder: Ok(Some(folder.to_owned())), ..Self::new(command.to_owned()) }
    }

    /// Writes a file as [`save::write`] does, but only over what was recorded.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn write(
        &self,
        target: SaveTarget,
        bytes: impl Into<Arc<[u8]>>,
        expected: Expected,
    ) -> Result<Saved, SaveFault> {
        let prepared = self.prepare(FileToWrite { target, bytes: bytes.into(), expected });
        self.sync();
        self.write_prepared(&prepared?)
    }

    /// Writes many files, several at the same time. The results are in the order of the files.
    pub fn write_all(&self, files: &[FileToWrite]) -> Vec<Result<Saved, SaveFault>> {
        let prepared_writes: Vec<_> = files.iter().map(|file| self.prepare(file.clone())).collect();
        // Once for all: each sync waits for the disk.
        self.sync();
        map_writes("Writing", &prepared_writes, |write| match write {
            Ok(write) => self.write_prepared(write),
            Err(fault) => Err(fault.clone()),
        })
    }

    /// Writes files as decided in a review, as [`review::apply`] does.
    pub fn apply(&self, root: &Root, writes: &[PlannedWrite]) -> WriteReport {
        self.keep_steps(writes.iter().map(|write| &write.step), beneath(root));
        let report = review::apply(root, writes);
        let failed_steps = report.left.iter().map(|(write, _)| &write.step);
        self.note_steps(!report.done.is_empty(), failed_steps, beneath(root));
        report
    }

    /// Carries out steps, as [`change_files`] does.
    pub(crate) fn change_files(
        &self,
        steps: &[FileStep],
        target: impl Fn(&str) -> Result<SaveTarget, SaveFault>,
    ) -> FilesChanged {
        self.keep_steps(steps.iter(), &target);
        let outcome = change_files(steps, &target);
        self.note_steps(!outcome.done.is_empty(), steps.iter().skip(outcome.done.len()), &target);
        outcome
    }

    /// Saves the decisions of a review.
    ///
    /// # Errors
    ///
    /// The reason they cannot be saved.
    pub fn keep_decisions(&self, root: &Root, decisions: &Decisions) -> Result<(), SaveFault> {
        let (target, bytes) = review::decisions_file(root, decisions)?;
        self.write(target, bytes, Expected::Anything).map(drop)
    }

    /// Ends the step. Returns why the command cannot be undone, if so, as a sentence without a full stop.
    pub fn finish(self) -> Option<String> {
        let step = self.step.into_inner().unwrap_or_else(PoisonError::into_inner);
        match step.open {
            Some(open_step) if step.has_written => store::remove_oldest(&open_step.dir),
            Some(open_step) => open_step.remove(),
            None => {}
        }
        // A command that wrote nothing has nothing to undo.
        let fault = step.fault.filter(|_| step.has_written);
        fault.map(|reason| format!("This command cannot be undone: {reason}"))
    }

    /// Records how a file will change, and binds its write to the content that was recorded.
    fn prepare(&self, mut file: FileToWrite) -> Result<PreparedWrite, SaveFault> {
        let (target, stable) = file.target.with_stable_text(&file.bytes);
        file.target = target;
        file.bytes = stable.map_or(file.bytes, |text| text.text().as_bytes().into());
        let path = file.target.path();
        loop {
            let old_bytes = save::read_replaced(&file.target)?;
            let will_change = old_bytes.as_deref() != Some(&*file.bytes);
            if will_change {
                // Before the step is opened: a write that is refused waits for no other command.
                save::check_expected(&file.target, &file.expected, old_bytes.as_deref())?;
                if self.open(&path) {
                    // Another command may have changed it while this one waited.
                    continue;
                }
                self.keep(&path, old_bytes.as_deref(), Some(&file.bytes));
            }
            file.expected = Expected::from_bytes(old_bytes.as_deref());
            return Ok(PreparedWrite { file, will_change });
        }
    }

    fn write_prepared(&self, write: &PreparedWrite) -> Result<Saved, SaveFault> {
        let file = write.file.clone();
        let path = file.target.path();
        let result = save::write(file.target, file.bytes, file.expected);
        if write.will_change {
            self.note(&path, result.is_ok());
        }
        result
    }

    /// Records how steps will change files, each with the content that it has after the steps before.
    fn keep_steps<'a>(
        &self,
        steps: impl IntoIterator<Item = &'a FileStep>,
        target: impl Fn(&str) -> Result<SaveTarget, SaveFault>,
    ) {
        let mut contents: BTreeMap<Arc<str>, FileBytes> = BTreeMap::new();
        let read = |path: &Arc<str>, contents: &mut BTreeMap<_, _>| {
            let target = target(path)?;
            let file = target.path();
            self.open(&file);
            if !contents.contains_key(path) {
                contents.insert(Arc::clone(path), save::read_replaced(&target)?.map(Arc::from));
            }
            Ok((file, contents.get(path).cloned().flatten()))
        };
        let result: Result<(), SaveFault> = steps.into_iter().try_for_each(|step| {
            let (_, content) = read(step.path(), &mut contents)?;
            for (path, new_content) in step.changes(content) {
                let (file, old_content) = read(path, &mut contents)?;
                self.keep(&file, old_content.as_deref(), new_content.as_deref());
                contents.insert(Arc::clone(path), new_content);
            }
            Ok(())
        });
        if let Err(fault) = result {
            self.lock().fail(fault.to_string());
        }
        self.sync();
    }

    /// Notes whether steps were carried out, and which of them were not.
    fn note_steps<'a>(
        &self,
        has_written: bool,
        failed_steps: impl IntoIterator<Item = &'a FileStep>,
        target: impl Fn(&str) -> Result<SaveTarget, SaveFault>,
    ) {
        self.lock().has_written |= has_written;
        let changes = failed_steps.into_iter().flat_map(|step| step.changes(None));
        for target in changes.filter_map(|(path, _)| target(path).ok()) {
            self.note(&target.path(), false);
        }
    }

    /// Notes whether the change of a file was made that was recorded last.
    fn note(&self, path: &Path, is_made: bool) {
        let mut step = self.lock();
        step.has_written |= is_made;
        if !is_made {
            step.append(&StepRecord::Failed { path: SavedPath::from_path(path) }, None);
        }
    }

    /// Records a change of a file. It is on disk after [`sync`](Self::sync).
    fn keep(&self, path: &Path, data: Option<&[u8]>, new_bytes: Option<&[u8]>) {
        let change = StepRecord::Change {
            path: SavedPath::from_path(path),
            before: data.map(|d| StoredContent { length: d.len() as u64, sha256: sha256_hex(d) }),
            after: new_bytes.map(sha256_hex),
        };
        self.lock().append(&change, data);
    }

    /// Waits until all records are on disk.
    fn sync(&self) {
        let mut step = self.lock();
        if let Some(open_step) = &step.open
            && let Err(error) = uninterrupted(|| open_step.file.sync_all())
        {
            step.fail(describe_error(&error).to_string());
        }
    }

    /// Opens the step for its first file; returns true if it did. Waits for another command that changes files of the project.
    fn open(&self, path: &Path) -> bool {
        let mut step = self.lock();
        if step.open.is_some() || step.fault.is_some() {
            return false;
        }
        let result = match &self.folder {
            Ok(Some(folder)) => {
                let folder = folder.join(store::folder_name(&store::project_of(path)));
                OpenStep::create(&folder, &self.command)
            }
            Ok(None) => return false,
            Err(reason) => Err(reason.clone()),
        };
        match result {
            Ok(open_step) => step.open = Some(open_step),
            Err(reason) => step.fail(reason),
        }
        step.open.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, RecordedStep> {
        lock(&self.step)
    }
}

impl RecordedStep {
    fn append(&mut self, record: &StepRecord, content: Option<&[u8]>) {
        if let Some(open_step) = &mut self.open
            && let Err(reason) = open_step.append(record, content)
        {
            self.fail(reason);
        }
    }

    /// Notes why the step cannot be kept, and removes it: an incomplete one would not restore all files.
    fn fail(&mut self, reason: String) {
        self.fault.get_or_insert(reason);
        if let Some(open_step) = self.open.take() {
            open_step.remove();
        }
    }
}

impl OpenStep {
    fn create(folder: &Path, command: &str) -> Result<Self, String> {
        let fail = |error: io::Error| format!("{} at {}", describe_error(&error), folder.display());
        let dir = open_private(folder).map_err(fail)?;
        let lock = store::lock_project(&dir, MAX_COMMAND_WAIT)?;
        let top = store::clean_after_newest(&dir);
        let now = Timestamp::now();
        // The clock may have been set back since the last step.
        let number = top.map_or(0, |number| number.saturating_add(1)).max(now.as_millisecond());
        let (name, file) = loop {
            // With a fixed width, names sort by time.
            let name = format!("{number:016}-{}", random_name());
            let file =
                create_locked(&dir, &format!("{name}{STEP_ENDING}"), TempFileAccess::Private);
            if let Some(file) = file.map_err(fail)? {
                break (name, file);
            }
        };
        let mut step = Self { dir, name, file, length: 0, _lock: lock };
        step.append(&StepHead { command: command.to_owned(), seconds: now.as_second() }, None)?;
        // The name of the step has to be on disk, too, before any file changes.
        sync_folder(&step.dir).map_err(fail)?;
        if top.is_none() {
            // The folders may be new, too.
            for parent in folder.ancestors().skip(1).take(2) {
                let parent = uninterrupted(|| Dir::open_ambient_dir(parent, ambient_authority()));
                parent.and_then(|parent| sync_folder(&parent)).map_err(fail)?;
            }
        }
        Ok(step)
    }

    fn append(&mut self, record: &impl Serialize, content: Option<&[u8]>) -> Result<(), String> {
        let fail = |error: io::Error| describe_error(&error).to_string();
        let mut bytes = serde_json::to_vec(record).map_err(|error| error.to_string())?;
        bytes.push(b'\n');
        if let Some(content) = content {
            bytes.extend_from_slice(content);
            bytes.push(b'\n');
        }
        let length = self.length + bytes.len() as u64;
        if length > MAX_TOTAL_BYTES {
            return Err("its files have more than 200 MiB".to_owned());
        }
        if length > largest_file() {
            return Err(fail(io::ErrorKind::FileTooLarge.into()));
        }
        self.file.write_all(&bytes).map_err(fail)?;
        self.length = length;
        Ok(())
    }

    fn remove(self) {
        store::remove_step(&self.dir, &self.name);
    }
}

#[cfg(test)]
mod tests;
