//! Dependencies of the listed files: the sources and configurations that they refer to, the branch and its commit.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folders::FoldersToWatch;
use crate::disk::contract_configs::CONFIGS;
use crate::disk::git;
use crate::disk::gitignore::{FILE_NAME as GITIGNORE, files_above};
use crate::disk::project::{Project, RootContext};
use crate::disk::root::{Root, display_path};
use check::settings::FILE_NAME;
use document::files::file_name;
use document::is_machine;

/// Files that are checked again because others depend on them.
pub(super) struct Dependencies {
    roots: Vec<Arc<RootContext>>,
    /// The file that says which branch is checked out.
    head: Option<PathBuf>,
    branch: Option<String>,
    commit: Option<gix::hash::ObjectId>,
    /// Files outside of the listed folders with patterns of what git ignores.
    ignore_files: Vec<PathBuf>,
}

/// Places where something may have changed.
#[derive(Debug)]
pub(super) enum ChangeScope {
    Everywhere,
    /// At these paths, and below those that are folders.
    Paths(Vec<PathBuf>),
    /// At these paths, which are no folders and were none.
    Files(Vec<PathBuf>),
}

#[derive(Debug, Default)]
pub(super) struct DependencyChanges {
    /// The names of sources that were changed, added or removed.
    pub(super) sources: HashSet<String>,
    pub(super) configs: bool,
    /// Whether what is configured about cassettes changed.
    pub(super) cassettes: bool,
    /// The new branch, if it changed.
    pub(super) branch: Option<Option<String>>,
    /// Whether another commit is checked out.
    pub(super) commit: bool,
    /// Whether the project's settings changed: then everything must be read again.
    pub(super) settings: bool,
}

impl Dependencies {
    pub(super) fn new(project: &Project) -> Self {
        let mut roots: Vec<Arc<RootContext>> = Vec::new();
        for context in &project.root_contexts {
            if !roots.iter().any(|other| Arc::ptr_eq(other, context)) {
                roots.push(Arc::clone(context));
            }
        }
        let head = project.root().and_then(git::head);
        Self {
            roots,
            head,
            branch: project.branch(),
            commit: project.head_commit(),
            ignore_files: project.opened.iter().flat_map(files_above).collect(),
        }
    }

    /// Returns whether one of the paths is a file with patterns of what git ignores.
    pub(super) fn has_patterns(&self, paths: &[PathBuf]) -> bool {
        paths.iter().any(|path| {
            path.file_name().is_some_and(|n| n == GITIGNORE) || self.ignore_files.contains(path)
        })
    }

    /// Checks the dependencies again that may have changed.
    pub(super) fn recheck(&mut self, project: &Project, scope: &ChangeScope) -> DependencyChanges {
        let mut changes = DependencyChanges::default();
        for context in &self.roots {
            let targets = scope.paths().map(|paths| beneath(paths, &context.root));
            let is_touched = |path: &str| match (&targets, scope) {
                (None, _) => true,
                (Some(targets), ChangeScope::Files(_)) => targets.contains(Path::new(path)),
                (Some(targets), _) => {
                    let mut ancestors = Path::new(path).ancestors();
                    ancestors.any(|a| targets.contains(a))
                }
            };
            changes.settings |= is_touched(FILE_NAME) && context.root.has_other_settings();
            let sources: Vec<Box<str>> = match (&targets, scope) {
                // Many more sources may be known than files were touched.
                (Some(targets), ChangeScope::Files(_)) => {
                    targets.iter().filter_map(|path| path.to_str()).map(Box::from).collect()
                }
                _ => {
                    let mut sources = context.sources.looked_at();
                    sources.retain(|path| is_touched(path));
                    sources
                }
            };
            let mut sources = context.sources.recheck(sources);
            // A moved source can appear only as a machine, or in a folder that was moved with it.
            let is_relevant = |path: &PathBuf| is_machine(&path.to_string_lossy()) || path.is_dir();
            if scope.paths().is_none_or(|paths| paths.iter().any(is_relevant)) {
                sources.extend(context.sources.forget_moved());
            }
            // Only names, since a recording may name a source by a path from a folder above its own.
            changes.sources.extend(sources.iter().map(|path| file_name(path).to_owned()));
            changes.cassettes |= context.cassette_configs.refresh(|folder| {
                let folder = Path::new(folder);
                targets.as_ref().is_none_or(|targets| {
                    let mut targets = targets.iter();
                    targets.any(|path| path.parent() == Some(folder) || folder.starts_with(path))
                })
            });
            let is_config = |path: &PathBuf| {
                let name = path.file_name();
                CONFIGS.iter().any(|config| name.is_some_and(|name| name == *config))
            };
            if let ChangeScope::Files(paths) = scope
                && !paths.iter().any(is_config)
            {
                continue;
            }
            let mut folders = context.contract_configs.visited_folders().into_iter();
            let configs = |folder: Box<str>| {
                CONFIGS.iter().any(|c| is_touched(format!("{folder}/{c}").trim_start_matches('/')))
            };
            if folders.any(configs) {
                changes.configs |= context.contract_configs.refresh();
            }
        }
        let mut paths = scope.paths().unwrap_or_default().iter();
        // A commit changes the branch first and then the index, which is in the folder of `HEAD`.
        let git = self.head.as_ref().and_then(|head| head.parent());
        if scope.paths().is_none() || paths.any(|path| git.is_some() && path.parent() == git) {
            let commit = project.head_commit();
            changes.commit = std::mem::replace(&mut self.commit, commit) != commit;
            let branch = project.branch();
            if branch != self.branch {
                self.branch.clone_from(&branch);
                changes.branch = Some(branch);
            }
        }
        changes
    }

    /// Counts the paths that were looked at, to know whether there are more to watch.
    pub(super) fn places(&self) -> usize {
        let roots = self.roots.iter();
        let places = roots.map(|context| {
            let configs = context.contract_configs.places() + context.cassette_configs.places();
            context.sources.places() + configs
        });
        places.sum()
    }

    /// Returns the folders to watch although nothing in them is listed.
    pub(super) fn folders(&self) -> FoldersToWatch {
        let mut folders_to_watch = FoldersToWatch::new();
        for context in &self.roots {
            let paths = context.sources.looked_at();
            let sources = paths.iter().filter_map(|path| Path::new(&**path).parent());
            let configs = context.contract_configs.visited_folders();
            let tests = context.cassette_configs.visited_folders();
            let configs = configs.iter().chain(&tests);
            let folders = sources.chain(configs.map(|folder| Path::new(&**folder)));
            for folder in folders.collect::<HashSet<_>>() {
                // If a folder does not exist, watch the one above it.
                folders_to_watch.extend(folder.ancestors().find_map(|f| context.root.folder(f)));
            }
        }
        folders_to_watch.extend(self.roots.iter().filter_map(|c| c.root.folder(Path::new(""))));
        let git = self.head.as_ref().and_then(|head| head.parent());
        let ignore_files = self.ignore_files.iter().filter_map(|file| file.parent());
        let places = git.into_iter().chain(ignore_files);
        // Only roots have an identity here.
        for folder in places.filter(|folder| folder.is_dir()) {
            folders_to_watch.entry(folder.to_owned()).or_default();
        }
        folders_to_watch
    }
}

impl ChangeScope {
    /// Returns the paths; `None` when anything may have changed.
    fn paths(&self) -> Option<&[PathBuf]> {
        match self {
            Self::Everywhere => None,
            Self::Paths(paths) | Self::Files(paths) => Some(paths),
        }
    }
}

/// Those of the paths that are beneath a root, from there.
fn beneath(paths: &[PathBuf], root: &Root) -> HashSet<PathBuf> {
    let paths = paths.iter().filter_map(|path| path.strip_prefix(root.path()).ok());
    paths.map(|path| PathBuf::from(&*display_path(path))).collect()
}
