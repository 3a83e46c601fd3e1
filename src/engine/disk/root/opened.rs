//! The opened paths, each with its root.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;

use super::path::{display_path, given_path, joined, path_below, path_up};
use super::user_path::{enclosing_project, real_path};
use super::{OpenError, ReadRefusal, Root, describe_error};
use crate::disk::staged::{StagedIndex, StagedProject};
use check::settings::FILE_NAME;
use document::text::visible;

/// A folder or file that the user opened, with its root.
#[derive(Clone, Debug)]
pub struct OpenedPath {
    /// As it was given, with `/` between its parts and none at its end.
    pub given: Arc<str>,
    /// The root for everything in it.
    pub root: Arc<Root>,
    /// The folder, or the file's folder.
    pub dir: Arc<Dir>,
    /// The absolute path of `dir` without links.
    pub folder: Arc<Path>,
    /// Path of `dir` from the root, empty for the root itself.
    pub prefix: Arc<str>,
    /// The name of the file, when a file was opened.
    pub file: Option<PathBuf>,
}

impl OpenedPath {
    /// Returns whether a file with this path from the root would be checked, if it existed.
    pub(crate) fn contains(&self, root_path: &str) -> bool {
        if let Some(staged) = &self.root.staged {
            return staged.is_checked(root_path);
        }
        match &self.file {
            Some(file) => joined(&self.prefix, &file.to_string_lossy()) == root_path,
            None => path_below(&self.prefix, root_path).is_some(),
        }
    }

    /// Returns the path of a file from the root.
    pub(crate) fn root_path(&self, beneath: &Path) -> String {
        joined(&self.prefix, &display_path(beneath))
    }

    /// Returns whether the description of a format says where the calls of a file are.
    pub(crate) fn describes(&self, beneath: &Path) -> bool {
        let formats = &self.root.settings.settings.formats;
        // Most projects describe nothing; then no path is built for each file.
        !formats.is_empty() && formats.describes(&self.root_path(beneath))
    }

    /// The file with this name at its root, or the root itself, as if that had been named as well; `None` where the root cannot be opened
    /// again.
    pub(crate) fn at_root(&self, file: Option<&str>) -> Option<Self> {
        let root = &self.root;
        let root_path = match &self.file {
            Some(file) => joined(&self.prefix, &file.to_string_lossy()),
            None => self.prefix.to_string(),
        };
        // Begins as the user gave the path, where that is possible, so that messages name files in the same way.
        let root_text = match self.given.strip_suffix(&*root_path) {
            Some(parent) if parent.is_empty() || parent.ends_with('/') => parent.to_owned(),
            Some(parent) if root_path.is_empty() => format!("{parent}/"),
            _ => format!("{}/", display_path(&root.path)),
        };
        Some(Self {
            given: format!("{root_text}{}", file.unwrap_or_default()).into(),
            root: Arc::clone(root),
            dir: Arc::new(root.dir.try_clone().ok()?),
            folder: root.path.as_path().into(),
            prefix: "".into(),
            file: file.map(PathBuf::from),
        })
    }
}

/// Bounds of reading.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadBounds<'a> {
    /// The folder outside of which nothing is read; `None`: the project that contains each path.
    pub root: Option<&'a Path>,
    /// Whether files that git ignores are read, whatever the project's settings say.
    pub lists_git_ignored: bool,
    /// Whether what is known from earlier scans is used.
    pub uses_caches: bool,
}

impl<'a> From<Option<&'a Path>> for ReadBounds<'a> {
    fn from(root: Option<&'a Path>) -> Self {
        Self { root, ..Self::default() }
    }
}

/// Opens what the user named. Paths of one project share its root.
///
/// # Errors
///
/// The first path, or the root, that cannot be opened.
pub fn open_all<'a>(
    paths: &[PathBuf],
    bounds: impl Into<ReadBounds<'a>>,
) -> Result<Vec<OpenedPath>, OpenError> {
    open_each(paths, bounds)?.into_iter().collect()
}

/// Opens what the user named, each path separately: a failure does not prevent the others from being opened.
///
/// # Errors
///
/// The root, when it cannot be opened.
pub fn open_each<'a>(
    paths: &[PathBuf],
    bounds: impl Into<ReadBounds<'a>>,
) -> Result<Vec<Result<OpenedPath, OpenError>>, OpenError> {
    let bounds = bounds.into();
    let mut roots = Roots::new(&bounds)?;
    Ok(paths.iter().map(|path| open(path, &mut roots, &bounds)).collect())
}

/// Opens the only path that the user named.
///
/// # Errors
///
/// The path, or the root, when it cannot be opened.
pub(crate) fn open_one<'a>(
    path: &Path,
    bounds: impl Into<ReadBounds<'a>>,
) -> Result<OpenedPath, OpenError> {
    let bounds = bounds.into();
    open(path, &mut Roots::new(&bounds)?, &bounds)
}

/// Returns what to check when no path is given and the current folder is `folder`: the paths in the project's file, relative to
/// `folder`, or the whole project. `None` when the enclosing project has no `retake.toml`.
///
/// # Errors
///
/// A message when the folder does not exist, or a path in the file leads out of the project.
pub fn default_paths(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let refusal = |error: std::io::Error| ReadRefusal::from_error(&error).to_string();
    let folder = std::fs::canonicalize(folder).map_err(refusal)?;
    let root = Root::open(enclosing_project(&folder)).map_err(refusal)?;
    let settings = &root.settings;
    if settings.file == Err(ReadRefusal::Missing) {
        return Ok(None);
    }
    let root_from_folder = path_up(&folder, root.path());
    let paths = &settings.settings.paths;
    if paths.is_empty() {
        let is_here = root_from_folder.as_os_str().is_empty();
        return Ok(Some(vec![if is_here { PathBuf::from(".") } else { root_from_folder }]));
    }
    let results = paths.iter().map(|path| {
        let metadata = root.dir.metadata(path);
        match metadata.map_err(|error| ReadRefusal::from_error(&error)) {
            Err(ReadRefusal::Outside(reason)) => {
                let path = visible(path);
                Err(format!("{FILE_NAME} lists {path}, but {reason} of the project"))
            }
            // Other problems of the file are reported when it is opened.
            _ => Ok(root_from_folder.join(path)),
        }
    });
    results.collect::<Result<Vec<PathBuf>, String>>().map(Some)
}

/// Opens what is staged in the repository that encloses `folder`, project by project.
///
/// # Errors
///
/// A message that says why nothing can be read.
pub(crate) fn open_staged(folder: &Path) -> Result<Vec<OpenedPath>, String> {
    let fault = |error: io::Error| describe_error(&error);
    let folder = std::fs::canonicalize(folder).map_err(fault)?;
    let index = Arc::new(StagedIndex::open(&folder)?);
    let work_tree_from_folder = path_up(&folder, &index.work_tree);
    let projects = index.projects().into_iter().map(|project| {
        let place = index.work_tree.join(project);
        let root =
            Arc::new(Root::of_staged(&place, StagedProject::new(&index, project)).map_err(fault)?);
        Ok(OpenedPath {
            given: given_path(&work_tree_from_folder.join(project)).into(),
            dir: Arc::new(root.dir.try_clone().map_err(fault)?),
            folder: root.path.as_path().into(),
            prefix: "".into(),
            file: None,
            root,
        })
    });
    projects.collect()
}

/// Source of the roots of opened paths.
enum Roots {
    /// From the user.
    Given(Arc<Root>),
    /// The enclosing projects of the paths; those found so far.
    Found(Vec<Arc<Root>>),
}

impl Roots {
    fn new(bounds: &ReadBounds<'_>) -> Result<Self, OpenError> {
        let Some(path) = bounds.root else { return Ok(Self::Found(Vec::new())) };
        let root = Root::open(path).map_err(|error| OpenError { path: path.to_owned(), error })?;
        Ok(Self::Given(Arc::new(root.within(bounds))))
    }

    /// The root that the user gave.
    fn given(&self) -> Option<&Path> {
        match self {
            Self::Given(root) => Some(root.path()),
            Self::Found(_) => None,
        }
    }

    fn root_for(&mut self, folder: &Path, bounds: &ReadBounds<'_>) -> io::Result<Arc<Root>> {
        let roots = match self {
            Self::Given(root) => return Ok(Arc::clone(root)),
            Self::Found(roots) => roots,
        };
        let place = enclosing_project(folder);
        if let Some(root) = roots.iter().find(|root| root.path == place) {
            return Ok(Arc::clone(root));
        }
        let root = Arc::new(Root::open(place)?.within(bounds));
        roots.push(Arc::clone(&root));
        Ok(root)
    }
}

fn open(path: &Path, roots: &mut Roots, bounds: &ReadBounds<'_>) -> Result<OpenedPath, OpenError> {
    try_open(path, roots, bounds).map_err(|error| OpenError { path: path.to_owned(), error })
}

fn try_open(path: &Path, roots: &mut Roots, bounds: &ReadBounds<'_>) -> io::Result<OpenedPath> {
    let full_path = real_path(path, roots.given())?;
    let is_folder = full_path.is_dir();
    let folder = match full_path.parent() {
        Some(parent) if !is_folder => parent,
        _ => &full_path,
    };
    let root = roots.root_for(folder, bounds)?;
    let prefix = folder.strip_prefix(&root.path).map_err(io::Error::other)?;
    let dir =
        // The system opens no folder with an empty name.
        if prefix == Path::new("") { root.dir.try_clone() } else { root.dir.open_dir(prefix) }?;
    Ok(OpenedPath {
        given: given_path(path).into(),
        prefix: display_path(prefix),
        root,
        dir: Arc::new(dir),
        folder: folder.into(),
        file: (!is_folder).then(|| full_path.file_name().unwrap_or_default().into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_nearest_project_above_what_was_opened() {
        let temp = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(temp.path()).unwrap();
        std::fs::create_dir_all(base.join("work/.git")).unwrap();
        std::fs::create_dir_all(base.join("work/app/recordings")).unwrap();
        std::fs::write(base.join("work/app/retake.toml"), "").unwrap();
        std::fs::write(base.join("work/app/recordings/a.json"), "{}").unwrap();

        let file = base.join("work/app/recordings/a.json");
        let opened = open_all(std::slice::from_ref(&file), None).unwrap();
        assert_eq!(opened[0].root.path(), base.join("work/app"));
        assert_eq!(&*opened[0].prefix, "recordings");

        let opened = open_all(&[base.join("work")], None).unwrap();
        assert_eq!(opened[0].root.path(), base.join("work"));
        assert_eq!(&*opened[0].prefix, "");

        let opened = open_all(std::slice::from_ref(&file), Some(base.as_path())).unwrap();
        assert_eq!(&*opened[0].prefix, "work/app/recordings");
        let error = open_all(&[file], Some(base.join("work/.git").as_path())).unwrap_err();
        assert!(error.to_string().contains("outside the root"), "{error}");
    }
}
