//! The steps of a project: which there are, and how the last one is undone.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::{CONTENTS, LIST, MOST_BYTES, MOST_STEPS, StepHead, WrittenFile};
use crate::engine::disk::files::carry_out;
use crate::engine::disk::parallel::map_writes;
use crate::engine::disk::root::{project_above, read};
use crate::engine::disk::save::{self, SaveTarget};
use crate::engine::disk::state;
use crate::ops::command_step::CommandStep;
use crate::ops::files::FileStep;
use crate::ops::saving::SaveFault;
use crate::ops::source::sha256_hex;

/// The steps of one project.
#[derive(Debug)]
pub struct UndoStore {
    /// `None` if there are none.
    dir: Option<Dir>,
}

/// A file as it is and as it was before a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoFile {
    pub path: PathBuf,
    /// The content now; `None` if the step removed the file.
    pub now: Option<Arc<[u8]>>,
    /// The content before the step; `None` if there was no file.
    pub before: Option<Arc<[u8]>>,
}

/// Why a step is not undone. No file has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoRefusal {
    /// These files are not as the step left them, each with what happened.
    Changed(Vec<(PathBuf, &'static str)>),
    /// Another reason, as a sentence without a full stop.
    Failed(String),
}

impl fmt::Display for UndoRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => f.write_str(reason),
            Self::Changed(files) => {
                let files = files
                    .iter()
                    .map(|(path, what)| format!("{}: {what}", path.display()));
                let files: Vec<String> = files.collect();
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
    let real = path
        .ancestors()
        .find_map(|it| std::fs::canonicalize(it).ok());
    let real = real.unwrap_or_else(|| path.to_owned());
    let folder = match real.parent() {
        Some(folder) if real.is_file() => folder,
        _ => &real,
    };
    if let Some(project) = project_above(folder) {
        return project.to_owned();
    }
    let here = std::env::current_dir().and_then(std::fs::canonicalize);
    let here = here.ok().filter(|here| folder.starts_with(here));
    here.unwrap_or_else(|| folder.to_owned())
}

/// Returns the name of a project's folder.
pub(super) fn folder_name(project: &Path) -> String {
    let hash = sha256_hex(project.as_os_str().as_encoded_bytes());
    hash.get(..32).unwrap_or(&hash).to_owned()
}

/// Returns the names of all steps, the oldest first.
fn names(dir: &Dir) -> Vec<String> {
    let entries = dir.entries().into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(LIST)?.to_owned()))
        .collect();
    names.sort_unstable();
    names
}

pub(super) fn remove_step(dir: &Dir, name: &str) {
    // Without its list a step is not found; what is left of it is removed with the oldest.
    let _ = dir.remove_file(format!("{name}{LIST}"));
    let _ = dir.remove_file(format!("{name}{CONTENTS}"));
}

/// Removes the oldest steps until the others fit.
pub(super) fn remove_oldest(dir: &Dir) {
    let names = names(dir);
    let size = |name: &String| {
        let parts = [LIST, CONTENTS].map(|ending| dir.metadata(format!("{name}{ending}")));
        parts.into_iter().flatten().map(|it| it.len()).sum::<u64>()
    };
    let mut bytes: u64 = names.iter().map(size).sum();
    let mut steps = names.len();
    for name in &names {
        // The last step always stays: its contents alone fit.
        if steps <= 1 || steps <= MOST_STEPS && bytes <= MOST_BYTES {
            break;
        }
        bytes -= size(name).min(bytes);
        steps -= 1;
        remove_step(dir, name);
    }
}

/// A step with its files.
struct ReadStep {
    head: StepHead,
    /// The contents before and the hash after, by path: of a file that was written twice, the first and the last.
    files: Vec<ListedFile>,
}

struct ListedFile {
    path: PathBuf,
    before: Option<Range<u64>>,
    /// The hash of the content after the step.
    after: Option<Box<str>>,
}

impl UndoStore {
    /// Opens the steps of the project that a path is in.
    ///
    /// # Errors
    ///
    /// When there is no folder for Retake's data, as a message for the user.
    pub fn open(path: &Path) -> Result<Self, String> {
        Ok(match state::undo()? {
            Some(folder) => Self::in_folder(path, &folder),
            None => Self { dir: None },
        })
    }

    /// Opens the steps of a project that are kept in this folder.
    pub(in crate::engine) fn in_folder(path: &Path, folder: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = folder.join(folder_name(&project_of(&path)));
        Self {
            dir: Dir::open_ambient_dir(folder, ambient_authority()).ok(),
        }
    }

    /// Returns the steps, the last one first. What is no step is skipped.
    pub fn steps(&self) -> Vec<CommandStep> {
        let Some(dir) = &self.dir else {
            return Vec::new();
        };
        let names = names(dir).into_iter().rev();
        let steps = names.filter_map(|name| {
            let step = read_step(dir, &name)?;
            Some(CommandStep {
                id: name.into(),
                command: step.head.command,
                seconds: step.head.seconds,
                files: step.files.into_iter().map(|file| file.path).collect(),
            })
        });
        steps.filter(|step| !step.files.is_empty()).collect()
    }

    /// Returns the files of a step as they are and as they were before it. `root` bounds what is read.
    ///
    /// # Errors
    ///
    /// When a file is not as the step left it.
    pub fn files(
        &self,
        step: &CommandStep,
        root: Option<&Path>,
    ) -> Result<Vec<UndoFile>, UndoRefusal> {
        let gone = || UndoRefusal::Failed("The step is no longer stored".to_owned());
        let dir = self.dir.as_ref().ok_or_else(gone)?;
        let stored = read_step(dir, &step.id).ok_or_else(gone)?;
        let contents = read(dir, Path::new(&format!("{}{CONTENTS}", step.id)));
        let contents = contents.map_err(|refusal| UndoRefusal::Failed(refusal.to_string()))?;
        let mut files = Vec::new();
        let mut changed = Vec::new();
        for ListedFile {
            path,
            before,
            after,
        } in stored.files
        {
            let now = save::read_replaced(&SaveTarget::chosen(&path, root)?)?;
            let hash = now.as_deref().map(sha256_hex);
            match (&hash, &after) {
                (hash, after) if hash == after => {}
                (None, _) => changed.push((path.clone(), "deleted since")),
                (_, None) => changed.push((path.clone(), "created since")),
                _ => changed.push((path.clone(), "changed since")),
            }
            let range = before.map(|it| it.start as usize..it.end as usize);
            let before = range.map(|range| contents.get(range).map(Arc::from).ok_or_else(gone));
            files.push(UndoFile {
                path,
                now: now.map(Arc::from),
                before: before.transpose()?,
            });
        }
        if changed.is_empty() {
            Ok(files)
        } else {
            Err(UndoRefusal::Changed(changed))
        }
    }

    /// Undoes a step: every file is as it was before, and those that it created are deleted. Then the step is forgotten.
    ///
    /// # Errors
    ///
    /// When a file is not as the step left it, or cannot be written. The files are as they were then.
    pub fn undo(
        &self,
        step: &CommandStep,
        root: Option<&Path>,
    ) -> Result<Vec<UndoFile>, UndoRefusal> {
        let files = self.files(step, root)?;
        let back = |file: &UndoFile| {
            let (now, before) = (file.now.clone(), file.before.clone());
            write(&file.path, root, now, before)
        };
        let restored = map_writes("Restoring", &files, back);
        if let Some(fault) = restored.iter().find_map(|it| it.as_ref().err()) {
            let again = files.iter().zip(&restored).filter(|(_, it)| it.is_ok());
            for (file, _) in again {
                write(&file.path, root, file.before.clone(), file.now.clone())?;
            }
            return Err(fault.clone().into());
        }
        if let Some(dir) = &self.dir {
            remove_step(dir, &step.id);
        }
        Ok(files)
    }
}

/// Gives a file another content, if it has the expected one.
fn write(
    path: &Path,
    root: Option<&Path>,
    before: Option<Arc<[u8]>>,
    after: Option<Arc<[u8]>>,
) -> Result<(), SaveFault> {
    let step = FileStep::Write {
        path: path.to_string_lossy().into(),
        before,
        after,
    };
    let target = |_: &str| SaveTarget::chosen(path, root);
    carry_out([&step], target, &mut Vec::new())
}

/// Reads a step; `None` if it is none. Its last line may be incomplete, if the command was interrupted.
fn read_step(dir: &Dir, name: &str) -> Option<ReadStep> {
    let bytes = read(dir, Path::new(&format!("{name}{LIST}"))).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    let head: StepHead = serde_json::from_str(lines.next()?).ok()?;
    let written = lines.map_while(|line| serde_json::from_str::<WrittenFile>(line).ok());
    let mut files: Vec<ListedFile> = Vec::new();
    let mut known: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for file in written {
        let path = file.path.into_path();
        if let Some(index) = known.get(&path) {
            files[*index].after = file.after;
            continue;
        }
        known.insert(path.clone(), files.len());
        files.push(ListedFile {
            path,
            before: file.before,
            after: file.after,
        });
    }
    // Files are written at the same time, and so listed in any order.
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Some(ReadStep { head, files })
}
