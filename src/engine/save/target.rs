//! Where a file is saved.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::fault;
use crate::engine::root::{Opened, Refusal, Root, beneath, given, uninterrupted};
use crate::ops::saving::{Fault, SaveFault};

/// Where a file is saved: a folder that bounds the save, and a path beneath it.
#[derive(Clone, Debug)]
pub struct Target {
    dir: Arc<Dir>,
    /// Where `dir` lies, as an absolute path.
    folder: Arc<Path>,
    beneath: PathBuf,
    /// For people.
    shown: Arc<str>,
}

/// The folder that holds a file, with all links on the way resolved, and the file's name in it.
pub(super) struct Place {
    pub(super) folder: Dir,
    pub(super) name: OsString,
}

impl Target {
    /// A file of a project; see [`Project::target`](crate::engine::Project::target).
    pub(in crate::engine) fn of_opened(
        opened: &Opened,
        beneath: PathBuf,
        shown: &Arc<str>,
    ) -> Self {
        Self {
            dir: Arc::clone(&opened.dir),
            folder: Arc::clone(&opened.folder),
            beneath,
            shown: Arc::clone(shown),
        }
    }

    /// A file beneath a root, by its path from there; it need not exist.
    ///
    /// # Errors
    ///
    /// [`Fault::Outside`] for a path that could lead out.
    pub fn beneath(root: &Root, path: &str) -> Result<Self, SaveFault> {
        let inside = || {
            let beneath = beneath(path).map_err(|refusal| refused("reached", refusal))?;
            let dir = root.dir().try_clone();
            Ok(Self {
                dir: Arc::new(dir.map_err(|error| fault("reached", &error))?),
                folder: root.path().into(),
                beneath: beneath.into(),
                shown: path.into(),
            })
        };
        inside().map_err(|reason| SaveFault {
            path: path.into(),
            reason,
        })
    }

    /// A file that the user named for this very save, in a dialog or as an argument; it may lie anywhere.
    ///
    /// # Errors
    ///
    /// When its folder cannot be opened.
    pub fn chosen(path: &Path) -> Result<Self, SaveFault> {
        let shown = given(path).into();
        Self::at(path, &shown).map_err(|reason| SaveFault {
            path: shown,
            reason,
        })
    }

    fn at(path: &Path, shown: &Arc<str>) -> Result<Self, Fault> {
        let real = match std::fs::canonicalize(path) {
            // A new file, or a link to nothing, which the save refuses.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let name = path.file_name().ok_or(Fault::FolderGone)?;
                let folder = match path.parent() {
                    Some(parent) if parent != Path::new("") => parent,
                    _ => Path::new("."),
                };
                let folder = std::fs::canonicalize(folder).map_err(|error| folder_fault(&error))?;
                folder.join(name)
            }
            real => real.map_err(|error| fault("reached", &error))?,
        };
        let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(Fault::Failed {
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
        })
    }

    /// Where the file lies, as an absolute path; a link on the way is not resolved.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.beneath)
    }

    /// The file, for people.
    pub fn shown(&self) -> &Arc<str> {
        &self.shown
    }

    /// Where the folder lies that bounds the save, and the file's path from there.
    pub(in crate::engine) fn parts(&self) -> (&Path, &Path) {
        (&self.folder, &self.beneath)
    }

    pub(super) fn fault(&self, reason: Fault) -> SaveFault {
        SaveFault {
            path: Arc::clone(&self.shown),
            reason,
        }
    }

    /// Opens the folder that the file is really in.
    pub(super) fn resolve(&self) -> Result<Place, Fault> {
        let linked;
        let real = match uninterrupted(|| self.dir.symlink_metadata(&self.beneath)) {
            Ok(metadata) if metadata.is_symlink() => {
                linked = self.follow()?;
                &linked
            }
            // The links to its folder are followed when that is opened.
            _ => &self.beneath,
        };
        let folder = match real.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = uninterrupted(|| self.dir.open_dir(folder));
        Ok(Place {
            folder: folder.map_err(|error| folder_fault(&error))?,
            name: real.file_name().unwrap_or(OsStr::new(".")).to_owned(),
        })
    }

    /// Where a link leads, beneath the folder that bounds the save.
    fn follow(&self) -> Result<PathBuf, Fault> {
        match uninterrupted(|| self.dir.canonicalize(&self.beneath)) {
            // To nothing: the save refuses the link itself.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.beneath.clone()),
            real => real.map_err(|error| folder_fault(&error)),
        }
    }
}

fn folder_fault(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Fault::FolderGone,
        _ => reach_fault(error),
    }
}

fn reach_fault(error: &io::Error) -> Fault {
    match Refusal::of(error) {
        Refusal::Outside(why) => Fault::Outside(why),
        _ => fault("reached", error),
    }
}

/// Why something could not be looked at.
pub(super) fn refused(doing: &'static str, refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Outside(why) => Fault::Outside(why),
        Refusal::Missing => Fault::FileGone,
        Refusal::Unreadable(why) => Fault::Failed { doing, why },
    }
}
