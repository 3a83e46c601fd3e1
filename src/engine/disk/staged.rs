//! Reads what is staged for the next commit from git's index, as git will commit it; the working tree is not read.
//!
//! Here a repository is opened as git opens it, with its configuration: a user who checks staged files works in it and
//! commits there. No program is started.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use gix::ObjectId;
use gix::index::entry::{Mode, Stage};

use crate::disk::file_names::{SKIPPED_FOLDERS, is_ours, may_be_cassette, may_be_ours};
use crate::disk::git_files::check_git_files;
use crate::disk::project_settings::ProjectSettings;
use crate::disk::root::{
    ReadRefusal, describe_error, is_packed, parent_folder, read_file, unpacked,
};
use check::settings::FILE_NAME;
use document::files::file_name;
use document::is_lfs_pointer;

/// The index of a repository, and its differences from the latest commit.
#[derive(Debug)]
pub(crate) struct StagedIndex {
    repository: gix::ThreadSafeRepository,
    pub(crate) work_tree: PathBuf,
    dir: Dir,
    /// Every file with its content.
    files: BTreeMap<String, ObjectId>,
    /// Links and submodules, which have no text: files there are read from the working tree.
    others: HashSet<String>,
    /// Files that the next commit changes.
    changed: HashSet<String>,
    /// The names of files that the next commit changes or removes and that may be sources.
    sources: HashSet<String>,
}

impl StagedIndex {
    /// Opens the repository that encloses a folder.
    ///
    /// # Errors
    ///
    /// A message that says why nothing can be read.
    pub(crate) fn open(folder: &Path) -> Result<Self, String> {
        check_git_files(folder)?;
        // For `git commit -a` or `git commit FILE`, git passes a temporary index to the hook in `GIT_INDEX_FILE`.
        let repository = gix::discover_with_environment_overrides(folder)
            .map_err(|error| error_chain(&error))?;
        let work_tree = repository.workdir().ok_or("the repository has no work tree")?;
        let work_tree = std::fs::canonicalize(work_tree).map_err(|error| describe_error(&error))?;
        let index = repository.index_or_empty().map_err(|error| error_chain(&error))?;
        let (mut files, mut others) = (BTreeMap::new(), HashSet::new());
        for entry in index.entries() {
            let path = entry.path(&index).to_string();
            match entry.mode {
                // Files with an unresolved merge cannot be committed.
                _ if entry.stage() != Stage::Unconflicted => {}
                Mode::FILE | Mode::FILE_EXECUTABLE => drop(files.insert(path, entry.id)),
                _ => drop(others.insert(path)),
            }
        }
        let committed_files = committed(&repository)?;
        let is_changed = |path: &&String| committed_files.get(*path) != files.get(*path);
        let changed: HashSet<String> = files.keys().filter(is_changed).cloned().collect();
        let removed_paths = committed_files.keys().filter(|path| !files.contains_key(*path));
        // No source is JSON or YAML.
        let sources = changed.iter().chain(removed_paths).filter(|path| !is_ours(Path::new(path)));
        Ok(Self {
            sources: sources.map(|path| file_name(path).to_owned()).collect(),
            repository: repository.into_sync(),
            dir: Dir::open_ambient_dir(&work_tree, ambient_authority())
                .map_err(|error| describe_error(&error))?,
            work_tree,
            files,
            others,
            changed,
        })
    }

    /// The folders that are projects: the top, empty, and those with a `retake.toml`.
    pub(crate) fn projects(&self) -> BTreeSet<&str> {
        let files = self.files.keys();
        let projects = files.filter_map(|path| path.strip_suffix(FILE_NAME)?.strip_suffix('/'));
        std::iter::once("").chain(projects).collect()
    }

    /// Reads a file as it is staged.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadRefusal> {
        let Some(id) = self.files.get(path) else {
            let mut ancestors = Path::new(path).ancestors().filter_map(Path::to_str);
            return if ancestors.any(|a| self.others.contains(a)) {
                self.read_working_tree(path)
            } else {
                Err(ReadRefusal::Missing)
            };
        };
        let refusal = |error: gix::Error| ReadRefusal::Unreadable(error_chain(&error).into());
        let repository = self.repository.to_thread_local();
        let mut blob = repository.find_blob(*id).map_err(refusal)?;
        // Git LFS stages only a pointer; the content that belongs to it is in the working tree.
        if is_lfs_pointer(&blob.data) {
            self.read_working_tree(path)
        } else {
            let bytes = std::mem::take(&mut blob.data);
            if is_packed(Path::new(path)) { unpacked(bytes) } else { Ok(bytes) }
        }
    }

    fn read_working_tree(&self, path: &str) -> Result<Vec<u8>, ReadRefusal> {
        read_file(&self.dir, Path::new(path))
    }

    /// Whether a recording names a source that the next commit changes.
    fn names_changed_source(&self, path: &str) -> bool {
        if self.sources.is_empty() {
            return false;
        }
        // A file that cannot be read is reported when it is staged itself.
        self.read(path).is_ok_and(|text| names_any(&text, &self.sources))
    }
}

/// The files of the latest commit; none before the first.
fn committed(repository: &gix::Repository) -> Result<BTreeMap<String, ObjectId>, String> {
    let tree = repository.head_tree_id_or_empty().map_err(|error| error_chain(&error))?;
    let tree = repository.find_tree(tree).map_err(|error| error_chain(&error))?;
    let files = tree
        .traverse()
        .breadthfirst
        .files()
        .map_err(|error| error_chain(&error))?
        .into_iter()
        .filter(|file| file.mode.is_blob());
    Ok(files.map(|file| (file.filepath.to_string(), file.oid)).collect())
}

fn error_chain(error: &(impl std::error::Error + ?Sized)) -> String {
    document::text::lower_first(&error.to_string())
}

/// Returns whether a recording's text has a `sourceFile` with one of these names. It is not parsed for that: of ten thousand
/// recordings, a commit affects a few.
fn names_any(text: &[u8], names: &HashSet<String>) -> bool {
    const SOURCE_KEY: &[u8] = b"\"sourceFile\"";
    memchr::memmem::find_iter(text, SOURCE_KEY).any(|index| {
        let rest = &text[index + SOURCE_KEY.len()..];
        let mut quotes = memchr::memchr_iter(b'"', rest);
        let (Some(start), Some(end)) = (quotes.next(), quotes.next()) else { return false };
        let value = String::from_utf8_lossy(&rest[start + 1..end]);
        // An escaped name may be any name.
        value.contains('\\') || names.contains(file_name(&value))
    })
}

/// The staged files of one project: a root that is read from the index.
#[derive(Debug)]
pub(crate) struct StagedProject {
    index: Arc<StagedIndex>,
    /// The project's folder relative to the work tree; empty, or with a trailing `/`.
    prefix: String,
    /// The files that are read, relative to the project's folder: what is checked, and the files beside it.
    pub(crate) listed: Vec<String>,
    checked: HashSet<String>,
}

impl StagedProject {
    /// Creates one for a project's folder, relative to the work tree. What is checked is not known yet.
    pub(crate) fn new(index: &Arc<StagedIndex>, folder: &str) -> Self {
        Self {
            index: Arc::clone(index),
            prefix: match folder {
                "" => String::new(),
                folder => format!("{folder}/"),
            },
            listed: Vec::new(),
            checked: HashSet::new(),
        }
    }

    /// Reads a file by its path from the project's folder.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, ReadRefusal> {
        self.index.read(&format!("{}{path}", self.prefix))
    }

    /// Every file of the project, by its path from there.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.index.files.keys().filter_map(|path| path.strip_prefix(&*self.prefix))
    }

    /// Finds what is to be checked: staged files, and recordings whose source is staged. The project's settings define which of these
    /// belong to it.
    pub(crate) fn find(&mut self, project_settings: &ProjectSettings) {
        let settings = &project_settings.settings;
        let is_selected = |path: &str| {
            let paths = &settings.paths;
            let holds =
                |folder: &String| Path::new(path).starts_with(folder.trim_start_matches("./"));
            paths.is_empty() || paths.iter().any(|folder| folder == "." || holds(folder))
        };
        let index = &self.index;
        let mut projects = index.projects();
        // The project at the top has the files that are in no other one.
        projects.remove("");
        let is_own = |path: &str| {
            let mut ancestors = path.match_indices('/').map(|(end, _)| &path[..end]);
            // A project inside of another one has its own settings, and is checked by these.
            let nearest = ancestors.rfind(|folder| projects.contains(folder));
            nearest.unwrap_or_default() == self.prefix.trim_end_matches('/')
        };
        let files = index
            .files
            .keys()
            .filter(|path| {
                let name = Path::new(path);
                let is_described = || {
                    let own_path = path.strip_prefix(&*self.prefix);
                    own_path.is_some_and(|path| settings.formats.describes(path))
                };
                (may_be_ours(name) || may_be_cassette(name) || is_described()) && is_own(path)
            })
            .filter_map(|path| Some((path, path.strip_prefix(&*self.prefix)?)));
        let names: Vec<(&String, &str)> = files
            .filter(|(_, path)| is_selected(path) && !settings.ignore.hides(path))
            .filter(|(_, path)| !path.split('/').any(|part| SKIPPED_FOLDERS.contains(&part)))
            .collect();
        let checked_paths: HashSet<&str> = names
            .iter()
            .filter(|(full, _)| index.changed.contains(*full) || index.names_changed_source(full))
            .map(|(_, path)| *path)
            .collect();
        let folders: HashSet<&str> = checked_paths.iter().map(|path| parent_folder(path)).collect();
        let listed_files = names.iter().filter(|(_, path)| folders.contains(parent_folder(path)));
        self.listed = listed_files.map(|(_, path)| (*path).to_owned()).collect();
        self.checked = checked_paths.into_iter().map(str::to_owned).collect();
    }

    /// Returns whether a file is to be checked, or is the settings file.
    pub(crate) fn is_checked(&self, path: &str) -> bool {
        self.checked.contains(path) || path == FILE_NAME
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_known_by_its_name_however_the_file_is_written() {
        let names = HashSet::from(["a.dygram".to_owned()]);
        let names = |text: &str| names_any(text.as_bytes(), &names);
        assert!(names(r#"{"sourceMetadata": {"sourceFile" : "m/a.dygram"}}"#));
        assert!(names(r#"{"sourceFile":"a.dygram"}"#));
        assert!(names(r#"{"sourceFile":"\u0061.dygram"}"#));
        assert!(!names(r#"{"sourceFile":"m/b.dygram", "x": "a.dygram"}"#));
        assert!(!names(r#"{"sourceFile":"#));
        assert!(!names(r#"{"sourceFile": 3}"#));
    }
}
