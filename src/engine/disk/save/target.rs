//! Targets of saves.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::fault;
use crate::disk::root::{
    OpenedPath, ReadRefusal, Root, beneath, enclosing_project, folder_of, given_path, real_above,
    real_path, uninterrupted,
};
use author::saving::{SaveFailure, SaveFault};
use calls::stable::StableSave;
use document::text::{Source, visible};

/// Target of a save: a folder that bounds it, and a path beneath the folder.
#[derive(Clone, Debug)]
pub struct SaveTarget {
    dir: Arc<Dir>,
    /// The absolute path of `dir`.
    folder: Arc<Path>,
    beneath: PathBuf,
    /// A description for readers.
    pub shown: Arc<str>,
    /// Settings by which the file is made stable, if its project has them.
    stable: Option<Arc<StableSave>>,
}

/// The folder that holds a file, with all links on the way resolved, and the file's name in it.
pub(super) struct SavePlace {
    pub(super) folder: Dir,
    pub(super) name: OsString,
}

impl SaveTarget {
    /// A file of a project; see [`Project::target`](crate::Project::target).
    pub(crate) fn of_opened(opened: &OpenedPath, beneath: PathBuf, shown: &Arc<str>) -> Self {
        Self {
            dir: Arc::clone(&opened.dir),
            folder: Arc::clone(&opened.folder),
            beneath,
            shown: Arc::clone(shown),
            stable: None,
        }
    }

    /// The same file, made stable whenever it is saved.
    pub(crate) fn stable(self, stable_save: StableSave) -> Self {
        Self { stable: Some(Arc::new(stable_save)), ..self }
    }

    /// Returns the stable text to write in place of these bytes, if there is another one, and the target of it.
    pub(crate) fn with_stable_text(mut self, bytes: &[u8]) -> (Self, Option<Source>) {
        let stable_save = self.stable.take();
        (self, stable_save.and_then(|stable_save| stable_save.text(bytes)))
    }

    /// A file in the same folder, by its name.
    pub(crate) fn beside(&self, name: &str) -> Self {
        let shown_path = match self.shown.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{name}").into(),
            None => name.into(),
        };
        Self {
            beneath: self.beneath.with_file_name(name),
            shown: shown_path,
            stable: None,
            ..self.clone()
        }
    }

    /// A file beneath a root, by its path from there; it need not exist.
    ///
    /// # Errors
    ///
    /// [`SaveFailure::Outside`] for a path that could lead out.
    pub fn beneath(root: &Root, path: &str) -> Result<Self, SaveFault> {
        let build = || {
            let beneath = beneath(path).map_err(|refusal| refused("reached", refusal))?;
            let dir = root.dir.try_clone();
            Ok(Self {
                dir: Arc::new(dir.map_err(|error| fault("reached", &error))?),
                folder: root.path().into(),
                beneath: beneath.into(),
                shown: path.into(),
                stable: None,
            })
        };
        build().map_err(|reason| SaveFault { path: path.into(), reason })
    }

    /// A file that the user named for this save, in a dialog or as an argument. It is in `root`; without one it may be
    /// anywhere, but no link may lead out of the project that the link is in.
    ///
    /// # Errors
    ///
    /// Returns an error if its folder cannot be opened, or [`SaveFailure::Outside`].
    pub fn chosen(path: &Path, root: Option<&Path>) -> Result<Self, SaveFault> {
        let shown_path = given_path(path).into();
        Self::at(path, root, &shown_path).map_err(|reason| SaveFault { path: shown_path, reason })
    }

    /// A file by its path from an output folder that the user named, and that need not exist. It is made stable if the settings of
    /// the project around the folder say so. What is written there stays in that folder; see [`make_folder`](Self::make_folder). The folder itself is bounded as in [`chosen`](Self::chosen).
    ///
    /// # Errors
    ///
    /// As [`chosen`](Self::chosen).
    pub fn below(folder: &Path, name: &Path, root: Option<&Path>) -> Result<Self, SaveFault> {
        let shown_path = given_path(&folder.join(name)).into();
        let target = || {
            let (real_folder, rest) = real_above(folder, root)?;
            let dir = uninterrupted(|| Dir::open_ambient_dir(&real_folder, ambient_authority()))?;
            Ok((dir, real_folder, rest.join(name)))
        };
        match target() {
            Ok((dir, real_folder, beneath)) => Ok(Self {
                stable: stable_in(&real_folder, &beneath).map(Arc::new),
                dir: Arc::new(dir),
                folder: real_folder.into(),
                beneath,
                shown: shown_path,
            }),
            Err(error) => Err(SaveFault { path: shown_path, reason: folder_fault(&error) }),
        }
    }

    /// Appends to the file, which is created if it is missing.
    ///
    /// # Errors
    ///
    /// It cannot be opened or written.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        super::open_append(&self.dir, self.beneath.as_os_str())?.write_all(bytes)
    }

    /// Creates the missing folders above the file.
    ///
    /// # Errors
    ///
    /// Those of the system, and [`SaveFailure::Outside`] where a link leads out of the folder that bounds the save.
    pub fn make_folder(&self) -> Result<(), SaveFault> {
        let Some(folder) = self.beneath.parent().filter(|f| *f != Path::new("")) else {
            return Ok(());
        };
        let result = uninterrupted(|| self.dir.create_dir_all(folder));
        result.map_err(|error| {
            // A link that leads out exists; the system's error is about something else.
            let mut ancestors = folder.ancestors();
            let outside_reason = ancestors.find_map(|ancestor| {
                let error = self.dir.metadata(ancestor).err()?;
                match self.beneath_fault(ancestor, &error) {
                    reason @ SaveFailure::Outside(_) => Some(reason),
                    _ => None,
                }
            });
            self.fault(outside_reason.unwrap_or_else(|| fault("created", &error)))
        })
    }

    fn at(path: &Path, root: Option<&Path>, shown: &Arc<str>) -> Result<Self, SaveFailure> {
        let full_path = match real_path(path, root) {
            // A new file, or a broken link, which the save refuses.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let name = path.file_name().ok_or(SaveFailure::FolderGone)?;
                let folder = real_path(folder_of(path), root).map_err(|e| folder_fault(&e))?;
                folder.join(name)
            }
            full_path => full_path.map_err(|error| reach_fault(&error))?,
        };
        let (Some(folder), Some(name)) = (full_path.parent(), full_path.file_name()) else {
            return Err(SaveFailure::Failed {
                doing: "replaced",
                why: "it is a folder, not a file".into(),
            });
        };
        let dir = uninterrupted(|| Dir::open_ambient_dir(folder, ambient_authority()));
        Ok(Self {
            dir: Arc::new(dir.map_err(|error| folder_fault(&error))?),
            folder: folder.into(),
            beneath: name.into(),
            shown: Arc::clone(shown),
            stable: None,
        })
    }

    /// Returns the absolute path of the file; links in it are not resolved.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.beneath)
    }

    /// Returns the path of the folder that bounds the save, and the file's path from there.
    pub(crate) fn parts(&self) -> (&Path, &Path) {
        (&self.folder, &self.beneath)
    }

    pub(super) fn fault(&self, reason: SaveFailure) -> SaveFault {
        SaveFault { path: Arc::clone(&self.shown), reason }
    }

    /// Opens the folder that the file is really in.
    pub(super) fn resolve(&self) -> Result<SavePlace, SaveFailure> {
        let link_target;
        let path = match uninterrupted(|| self.dir.symlink_metadata(&self.beneath)) {
            Ok(metadata) if metadata.is_symlink() => {
                link_target = self.follow()?;
                &link_target
            }
            // The links to its folder are followed when that is opened.
            _ => &self.beneath,
        };
        let folder = folder_of(path);
        let result = uninterrupted(|| self.dir.open_dir(folder));
        Ok(SavePlace {
            folder: result.map_err(|error| self.beneath_fault(folder, &error))?,
            name: path.file_name().unwrap_or(OsStr::new(".")).to_owned(),
        })
    }

    /// Returns the target of a link, beneath the folder that bounds the save.
    fn follow(&self) -> Result<PathBuf, SaveFailure> {
        match uninterrupted(|| self.dir.canonicalize(&self.beneath)) {
            // A broken link: the save refuses the link itself.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.beneath.clone()),
            result => result.map_err(|error| self.beneath_fault(&self.beneath, &error)),
        }
    }

    /// Returns the reason that a path beneath the folder that bounds the save cannot be reached, with its target where it leads out.
    fn beneath_fault(&self, path: &Path, error: &io::Error) -> SaveFailure {
        let reason = folder_fault(error);
        if !matches!(reason, SaveFailure::Outside(_)) {
            return reason;
        }
        let mut ancestors = path.ancestors();
        let target = ancestors
            .find_map(|a| std::fs::canonicalize(self.folder.join(a)).ok())
            .unwrap_or_else(|| self.path());
        let (folder, target) = (self.folder.to_string_lossy(), target.to_string_lossy());
        let (folder, target) = (visible(&folder), visible(&target));
        SaveFailure::Outside(format!("a link leads out of {folder}, to {target}").into())
    }
}

fn folder_fault(error: &io::Error) -> SaveFailure {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SaveFailure::FolderGone,
        _ => reach_fault(error),
    }
}

fn reach_fault(error: &io::Error) -> SaveFailure {
    match ReadRefusal::from_error(error) {
        ReadRefusal::Outside(reason) => SaveFailure::Outside(reason),
        _ => fault("reached", error),
    }
}

/// Returns the failure for a file that could not be looked at.
pub(super) fn refused(doing: &'static str, refusal: ReadRefusal) -> SaveFailure {
    match refusal {
        ReadRefusal::Outside(reason) => SaveFailure::Outside(reason),
        ReadRefusal::Missing => SaveFailure::FileGone,
        ReadRefusal::Unreadable(why) => SaveFailure::Failed { doing, why },
    }
}

/// Returns how a new file in a folder is made stable, if the settings of the project around the folder say so.
fn stable_in(folder: &Path, beneath: &Path) -> Option<StableSave> {
    let root = Root::open(enclosing_project(folder)).ok()?;
    let settings = &root.settings.settings.stable;
    settings.on_save.then(|| StableSave {
        name: beneath.file_name().unwrap_or_default().to_string_lossy().into(),
        settings: settings.clone(),
        facts: None,
        format: None,
    })
}
