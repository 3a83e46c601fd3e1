//! What commands of the command line wrote, kept so that the last ones can be undone.
//!
//! Each command is a step of two files in a folder of its project, in Retake's data folder: a list of the written files, each with
//! the hash of its new content, and the contents that they had before. The list grows as files are written, so that a command that
//! is interrupted can be undone, too. A step that cannot be kept never prevents a file from being written.

mod store;

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::engine::disk::files::change_files;
use crate::engine::disk::parallel::map_writes;
use crate::engine::disk::recovery::SavedPath;
use crate::engine::disk::review::{self, WriteReport};
use crate::engine::disk::root::{Root, describe_error};
use crate::engine::disk::save::{
    self, SaveTarget, TempFileAccess, create_locked, largest_file, open_private, random_name,
};
use crate::engine::disk::state;
use crate::ops::files::{FileStep, FilesChanged};
use crate::ops::review::{Decisions, PlannedWrite};
use crate::ops::saving::{Expected, Fingerprint, SaveFault, Saved};
use crate::ops::source::sha256_hex;
use crate::ops::triage::FileChange;

pub use store::{UndoFile, UndoRefusal, UndoStore};

/// How many steps of a project are kept, and how many bytes in all: 200 MiB.
const MOST_STEPS: usize = 20;
const MOST_BYTES: u64 = 200 << 20;

/// The endings of a step's two files.
const LIST: &str = ".jsonl";
const CONTENTS: &str = ".bytes";

/// The first line of a list.
#[derive(Debug, Serialize, Deserialize)]
struct StepHead {
    command: String,
    seconds: i64,
}

/// Every other line: a file that was written.
#[derive(Debug, Serialize, Deserialize)]
struct WrittenFile {
    path: SavedPath,
    /// The bytes of the contents that it had before; `None` if there was no file.
    before: Option<Range<u64>>,
    /// The hash of its new content; `None` if it was removed.
    after: Option<Box<str>>,
}

/// Writes the files of one command, and records what is needed to undo it. Every command that changes a project's files gets one,
/// and has no other way to write them.
#[derive(Debug)]
pub struct StepRecorder {
    /// The command as a line.
    command: String,
    /// Where steps are kept; `None` if they are not.
    folder: Result<Option<PathBuf>, String>,
    step: Mutex<RecordedStep>,
}

/// One of many files to write.
#[derive(Debug)]
pub struct FileToWrite {
    pub target: SaveTarget,
    pub bytes: Arc<[u8]>,
    /// What must be there now.
    pub expected: Expected,
}

#[derive(Debug, Default)]
struct RecordedStep {
    open: Option<OpenStep>,
    /// Why the step cannot be kept.
    fault: Option<String>,
    /// Whether the command has written a file.
    has_written: bool,
}

/// The two files of a step that is being written.
#[derive(Debug)]
struct OpenStep {
    dir: Dir,
    name: String,
    list: StepFile,
    contents: StepFile,
    has_files: bool,
}

/// A file that grows.
#[derive(Debug)]
struct StepFile {
    file: File,
    length: u64,
}

impl StepRecorder {
    /// Creates a recorder for a command.
    pub fn new(command: String) -> Self {
        Self {
            command,
            folder: state::undo(),
            step: Mutex::default(),
        }
    }

    /// As [`new`](Self::new), with another folder for steps.
    #[cfg(test)]
    fn in_folder(command: &str, folder: &Path) -> Self {
        Self {
            command: command.to_owned(),
            folder: Ok(Some(folder.to_owned())),
            step: Mutex::default(),
        }
    }

    /// Writes a file as [`save::write`] does.
    ///
    /// # Errors
    ///
    /// As there; the step does not contain the file then.
    pub fn write(
        &self,
        target: SaveTarget,
        bytes: impl Into<Arc<[u8]>>,
        expected: Expected,
    ) -> Result<Saved, SaveFault> {
        let bytes = bytes.into();
        let (target, stable) = target.with_stable_text(&bytes);
        let bytes = stable.map_or(bytes, |text| text.text().as_bytes().into());
        let path = target.path();
        let before = save::read_replaced(&target);
        if let Ok(before) = &before
            && (before.as_deref() == Some(&*bytes) || !fits(&expected, before.as_deref()))
        {
            // Nothing is written: the file is the same already, or is not what it has to be.
            let is_same = before.as_deref() == Some(&*bytes);
            let saved = save::write(target, bytes, expected)?;
            if !is_same {
                self.lock().has_written = true;
                self.note(Err(
                    "another program changed a file at the same time".to_owned()
                ));
            }
            return Ok(saved);
        }
        let before = before.map_err(|fault| fault.to_string());
        let kept = before.and_then(|before| self.keep(&path, before.as_deref()));
        let kept = kept.map_err(|reason| self.note(Err(reason)));
        let saved = save::write(target, Arc::clone(&bytes), expected)?;
        self.lock().has_written = true;
        if let Ok(before) = kept {
            self.note(self.list(&path, before, Some(&bytes)));
        }
        Ok(saved)
    }

    /// Writes many files, several at the same time. The results are in the order of the files.
    pub fn write_all(&self, files: &[FileToWrite]) -> Vec<Result<Saved, SaveFault>> {
        map_writes("Writing", files, |file| {
            let (target, bytes) = (file.target.clone(), Arc::clone(&file.bytes));
            self.write(target, bytes, file.expected.clone())
        })
    }

    /// Writes files as decided in a review, as [`review::apply`] does.
    pub fn apply(&self, root: &Root, writes: &[PlannedWrite]) -> WriteReport {
        let report = review::apply(root, writes);
        for write in &report.done {
            self.lock().has_written = true;
            self.note(self.record_step(root, &write.step));
        }
        report
    }

    /// Carries out steps, as [`change_files`] does. `changes` is what they make of the files altogether.
    pub(in crate::engine) fn change_files(
        &self,
        steps: &[FileStep],
        changes: &[FileChange<'_>],
        target: impl Fn(&str) -> Result<SaveTarget, SaveFault>,
    ) -> FilesChanged {
        let keep = |change: &FileChange<'_>| {
            let path = target(change.path)
                .map_err(|fault| fault.to_string())?
                .path();
            let before = self.keep(&path, change.before)?;
            Ok((path, before))
        };
        let kept: Result<Vec<_>, String> = changes.iter().map(keep).collect();
        let changed = change_files(steps, &target);
        if changed.done.is_empty() {
            return changed;
        }
        self.lock().has_written = true;
        match kept {
            Ok(_) if changed.fault.is_some() => {
                self.note(Err("only a part of its files was changed".to_owned()));
            }
            Ok(kept) => {
                for ((path, before), change) in kept.into_iter().zip(changes) {
                    self.note(self.list(&path, before, change.after));
                }
            }
            Err(reason) => self.note(Err(reason)),
        }
        changed
    }

    /// Saves the decisions of a review.
    ///
    /// # Errors
    ///
    /// Why they cannot be saved.
    pub fn keep_decisions(&self, root: &Root, decisions: &Decisions) -> Result<(), SaveFault> {
        let (target, bytes) = review::decisions_file(root, decisions)?;
        self.write(target, bytes, Expected::Anything).map(drop)
    }

    /// Ends the step. Returns why the command cannot be undone, if so, as a sentence without a full stop.
    pub fn finish(self) -> Option<String> {
        let step = self.step.into_inner();
        let step = step.unwrap_or_else(PoisonError::into_inner);
        match step.open {
            Some(step) if step.has_files => store::remove_oldest(&step.dir),
            Some(step) => step.remove(),
            None => {}
        }
        let fault = step.fault.filter(|_| step.has_written);
        fault.map(|reason| format!("This command cannot be undone: {reason}"))
    }

    fn record_step(&self, root: &Root, step: &FileStep) -> Result<(), String> {
        let FileStep::Write {
            path,
            before,
            after,
        } = step
        else {
            return Err("it moved a file".to_owned());
        };
        let path = root.path().join(&**path);
        let before = self.keep(&path, before.as_deref())?;
        self.list(&path, before, after.as_deref())
    }

    /// Keeps the content that a file has before it is written; returns where. The first one creates the step.
    fn keep(&self, path: &Path, before: Option<&[u8]>) -> Result<Option<Range<u64>>, String> {
        let mut step = self.lock();
        let Some(folder) = self.folder.as_ref().map_err(Clone::clone)? else {
            return Ok(None);
        };
        if step.fault.is_some() {
            return Ok(None);
        }
        if step.open.is_none() {
            let folder = folder.join(store::folder_name(&store::project_of(path)));
            let open = OpenStep::create(&folder, &self.command);
            step.open = Some(open.map_err(|error| fault(&folder, &error))?);
        }
        let (Some(open), Some(before)) = (&mut step.open, before) else {
            return Ok(None);
        };
        let start = open.contents.length;
        if start + before.len() as u64 > MOST_BYTES {
            return Err("its files have more than 200 MiB".to_owned());
        }
        let kept = open.contents.append(before);
        kept.map_err(|error| fault(folder, &error))?;
        Ok(Some(start..open.contents.length))
    }

    /// Adds a file that was written.
    fn list(
        &self,
        path: &Path,
        before: Option<Range<u64>>,
        after: Option<&[u8]>,
    ) -> Result<(), String> {
        let line = WrittenFile {
            path: SavedPath::from_path(path),
            before,
            after: after.map(sha256_hex),
        };
        let mut step = self.lock();
        match &mut step.open {
            Some(open) => {
                open.has_files = true;
                let added = open.list.append_line(&line);
                added.map_err(|error| describe_error(&error).to_string())
            }
            None => Ok(()),
        }
    }

    /// Notes why the step cannot be kept, and removes it: an incomplete one would not restore all files.
    fn note(&self, result: Result<(), String>) {
        let Err(reason) = result else { return };
        let mut step = self.lock();
        step.fault.get_or_insert(reason);
        if let Some(open) = step.open.take() {
            open.remove();
        }
    }

    fn lock(&self) -> MutexGuard<'_, RecordedStep> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenStep {
    fn create(folder: &Path, command: &str) -> io::Result<Self> {
        let dir = open_private(folder)?;
        let now = Timestamp::now();
        loop {
            let name = format!("{:016}-{}", now.as_millisecond(), random_name());
            let access = TempFileAccess::Private;
            let list = create_locked(&dir, &format!("{name}{LIST}"), access)?;
            let contents = create_locked(&dir, &format!("{name}{CONTENTS}"), access)?;
            let (Some(list), Some(contents)) = (list, contents) else {
                continue;
            };
            let (mut list, contents) = (StepFile::new(list), StepFile::new(contents));
            let head = StepHead {
                command: command.to_owned(),
                seconds: now.as_second(),
            };
            list.append_line(&head)?;
            return Ok(Self {
                dir,
                name,
                list,
                contents,
                has_files: false,
            });
        }
    }

    fn remove(self) {
        store::remove_step(&self.dir, &self.name);
    }
}

/// Returns whether a file is what a save expects.
fn fits(expected: &Expected, now: Option<&[u8]>) -> bool {
    match expected {
        Expected::Anything => true,
        Expected::Nothing => now.is_none(),
        Expected::File(file) => now.is_some_and(|now| Fingerprint::from_bytes(now) == *file),
    }
}

fn fault(folder: &Path, error: &io::Error) -> String {
    format!("{} at {}", describe_error(error), folder.display())
}

impl StepFile {
    fn new(file: File) -> Self {
        Self { file, length: 0 }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = self.length + bytes.len() as u64;
        if length > largest_file() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.file.write_all(bytes)?;
        self.length = length;
        Ok(())
    }

    fn append_line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.append(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A project with a file, a folder for steps, and the store of the project.
    fn project() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let (project, state) = (temp.path().join("project"), temp.path().join("state"));
        fs::create_dir_all(&project).unwrap();
        fs::write(project.join("retake.toml"), "").unwrap();
        fs::write(project.join("a.json"), "1").unwrap();
        (temp, project, state)
    }

    fn write(recorder: &StepRecorder, path: &Path, text: &str) {
        let target = SaveTarget::chosen(path, None).unwrap();
        let saved = recorder.write(target, text.as_bytes(), Expected::Anything);
        saved.unwrap();
    }

    fn store(project: &Path, state: &Path) -> UndoStore {
        UndoStore::in_folder(project, state)
    }

    #[test]
    fn a_file_that_is_written_twice_gets_its_first_bytes_back() {
        let (_temp, project, state) = project();
        let recorder = StepRecorder::in_folder("retake edit a.json", &state);
        let (a, new) = (project.join("a.json"), project.join("new.json"));
        for text in ["2", "3"] {
            write(&recorder, &a, text);
            write(&recorder, &new, text);
        }
        assert_eq!(recorder.finish(), None);
        let store = store(&project, &state);
        let steps = store.steps();
        assert_eq!((steps.len(), steps[0].files.len()), (1, 2));
        store.undo(&steps[0], None).unwrap();
        assert_eq!(fs::read_to_string(&a).unwrap(), "1");
        assert!(!new.exists());
        assert_eq!(store.steps(), []);
    }

    #[test]
    fn an_interrupted_command_is_undone_as_far_as_it_was_recorded() {
        let (_temp, project, state) = project();
        let recorder = StepRecorder::in_folder("retake edit a.json", &state);
        write(&recorder, &project.join("a.json"), "2");
        if let Some(open) = &mut recorder.lock().open {
            open.list.file.write_all(b"{\"path\": \"/hal").unwrap();
        }
        // The program ends without finishing the step.
        drop(recorder);
        let store = store(&project, &state);
        let steps = store.steps();
        store.undo(&steps[0], None).unwrap();
        assert_eq!(fs::read_to_string(project.join("a.json")).unwrap(), "1");
    }

    #[test]
    fn what_is_damaged_is_no_step_and_restores_nothing() {
        let (_temp, project, state) = project();
        let recorder = StepRecorder::in_folder("retake edit a.json", &state);
        write(&recorder, &project.join("a.json"), "2");
        recorder.finish();
        let store = store(&project, &state);
        let step = store.steps().remove(0);
        let folder = fs::read_dir(&state)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        fs::write(folder.join(format!("{}{CONTENTS}", step.id)), "").unwrap();
        assert!(matches!(
            store.undo(&step, None),
            Err(UndoRefusal::Failed(_))
        ));
        assert_eq!(fs::read_to_string(project.join("a.json")).unwrap(), "2");
        fs::write(folder.join(format!("{}{LIST}", step.id)), "{}").unwrap();
        assert_eq!(store.steps(), []);
    }
}
