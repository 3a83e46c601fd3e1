//! The open paths, their roots, and what was read below them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crate::disk::cassette_configs::CassetteConfigs;
use crate::disk::contract_configs::ContractConfigs;
use crate::disk::git;
use crate::disk::guard::lock;
use crate::disk::history::{self, NotFound, OriginalSource, SearchBounds};
use crate::disk::index_cache::{CacheOptions, IndexCaches};
use crate::disk::project_settings::ProjectSettings;
use crate::disk::reader::MemoryBudget;
use crate::disk::redaction_key::known_key;
use crate::disk::root::{
    self, OpenError, OpenedPath, ReadBounds, ReadRefusal, RegularFile, Root, open_all, open_each,
    open_staged, to_sentence,
};
use crate::disk::save::{self, SaveTarget};
use crate::disk::snapshots::{Snapshots, SourceSnapshot};
use crate::disk::sources::{RootSources, StoredSources, candidates};
use crate::disk::state;
use author::saving::{SaveFailure, SaveFault};
use calls::secret::CustomPatterns;
use calls::stable::{StableSave, can_be_stable};
use calls::{Item, Pool};
use check::settings::FILE_NAME;
use check::settings::Settings;
use check::{Levels, Overrides, SourceMode};
use document::text::Source;
use document::{Document, Problem, RuleId, Severity};
use play::playback::{SetRecording, SkippedFile};

/// Files and folders that are open, and how to read them again.
#[derive(Debug)]
pub struct Project {
    pub(crate) opened: Vec<OpenedPath>,
    /// Number of opened paths that the user named; those after them are settings.
    pub(crate) named_paths: usize,
    pub(crate) root_contexts: Vec<Arc<RootContext>>,
    /// The problem levels for each opened path.
    pub(crate) levels: Vec<Levels>,
    pub(crate) pool: Pool,
    /// Memory for files that are read at the same time.
    pub(crate) budget: MemoryBudget,
    /// Locations of the files of the items, in the order in which the items arrived.
    locations: Mutex<ItemLocations>,
    /// The root that the user gave.
    bound: Option<PathBuf>,
    /// The stored copies of sources that have changed since.
    pub(crate) snapshots: Option<Arc<Snapshots>>,
    /// The [index caches](crate::disk::index_cache); `None`: none are used.
    pub(crate) caches: Option<CacheOptions>,
    /// Recordings that were read as clients load them, by item number, each valid as long as its item stays the same.
    pub(crate) known_recordings: Mutex<HashMap<usize, (Arc<Item>, SetRecordingRead)>>,
}

/// A recording as clients load it, or why it is skipped.
pub(crate) type SetRecordingRead = Result<SetRecording, SkippedFile>;

/// The sources and configurations that files below one root refer to.
#[derive(Debug)]
pub(crate) struct RootContext {
    pub(crate) root: Arc<Root>,
    pub(crate) sources: RootSources,
    pub(crate) contract_configs: ContractConfigs,
    pub(crate) cassette_configs: CassetteConfigs,
}

/// Location of an item's file.
#[derive(Clone, Debug)]
pub(crate) struct ItemLocation {
    opened: u32,
    /// The path below the opened folder; `None` where it follows from the item's own path.
    beneath: Option<Box<Path>>,
}

/// Locations of the files of all items, in the order in which the items arrived.
#[derive(Debug, Default)]
struct ItemLocations {
    opened: Vec<u32>,
    /// The few paths that do not follow from the item's own path.
    beneath: HashMap<usize, Box<Path>>,
}

impl ItemLocations {
    fn push(&mut self, location: ItemLocation) {
        if let Some(beneath) = location.beneath {
            self.beneath.insert(self.opened.len(), beneath);
        }
        self.opened.push(location.opened);
    }

    fn get(&self, index: usize) -> Option<ItemLocation> {
        let beneath = self.beneath.get(&index).cloned();
        Some(ItemLocation { opened: *self.opened.get(index)?, beneath })
    }
}

/// Whether the sources that recordings name are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceLookup {
    /// They are found and hashed.
    #[default]
    Look,
    /// They are left alone.
    LeaveAlone,
}

impl Project {
    /// Opens files and folders; what is in them is not read yet.
    ///
    /// `caps` bound all reading; without a root, each path has the project it is in (see [`root::enclosing_project`]).
    ///
    /// # Errors
    ///
    /// The first path, or the root, that cannot be opened.
    pub fn open<'a>(paths: &[PathBuf], caps: impl Into<ReadBounds<'a>>) -> Result<Self, OpenError> {
        Self::open_keeping(paths, caps, None)
    }

    /// As [`open`](Self::open); a copy of each unchanged source is stored, and used when the source has changed.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_keeping<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
        snapshots: Option<Arc<Snapshots>>,
    ) -> Result<Self, OpenError> {
        let bounds = bounds.into();
        Ok(Self {
            bound: bounds.root.map(Path::to_owned),
            ..Self::from_opened(open_all(paths, bounds)?, snapshots)
        })
    }

    /// Opens the files and folders that can be opened, and returns the errors of the others.
    ///
    /// # Errors
    ///
    /// The root, when it cannot be opened.
    pub fn open_found<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
    ) -> Result<(Self, Vec<OpenError>), OpenError> {
        let bounds = bounds.into();
        let (mut opened, mut errors) = (Vec::new(), Vec::new());
        for path in open_each(paths, bounds)? {
            match path {
                Ok(path) => opened.push(path),
                Err(error) => errors.push(error),
            }
        }
        let project = Self {
            bound: bounds.root.map(Path::to_owned),
            caches: (bounds.uses_caches.then(state::caches).flatten()).map(CacheOptions::in_folder),
            ..Self::from_opened(opened, None)
        };
        Ok((project, errors))
    }

    /// Also finds changed sources among the stored copies. A scan stores none.
    pub fn use_snapshots(&mut self, snapshots: Option<Snapshots>) {
        self.snapshots = snapshots.map(Arc::new);
    }

    /// Uses the index caches in this folder for scans from now on; see [`state::caches`](crate::disk::state::caches).
    pub fn use_caches(&mut self, folder: Option<PathBuf>) {
        self.caches = folder.map(CacheOptions::in_folder);
    }

    /// Uses what caches know of sources, while a scan runs.
    pub(crate) fn use_stored_sources(&self, caches: Option<&IndexCaches>) {
        for (opened, context) in self.root_contexts.iter().enumerate() {
            // Of several opened paths below one root, any that has a cache.
            if caches.is_none_or(|caches| caches.of(opened).is_some()) {
                let stored = caches.map(|caches| StoredSources::new(caches.clone(), opened));
                context.sources.use_stored(stored);
            }
        }
    }

    /// Opens what is staged for the next commit, in the repository that encloses `folder`: the files as they are staged,
    /// and their sources as they are staged.
    ///
    /// # Errors
    ///
    /// A message that says why nothing can be read.
    pub fn open_staged(folder: &Path) -> Result<Self, String> {
        Ok(Self::from_opened(open_staged(folder)?, None))
    }

    fn from_opened(opened: Vec<OpenedPath>, snapshots: Option<Arc<Snapshots>>) -> Self {
        let mut contexts: Vec<Arc<RootContext>> = Vec::new();
        let mut root_contexts = Vec::with_capacity(opened.len());
        for opened in &opened {
            // Paths below one root share its context, so that each source and configuration is read once.
            let known_context = contexts.iter().find(|c| Arc::ptr_eq(&c.root, &opened.root));
            let context = known_context.cloned().unwrap_or_else(|| {
                let root = &opened.root;
                let new_context = Arc::new(RootContext {
                    root: Arc::clone(root),
                    sources: RootSources::new(Arc::clone(root), snapshots.clone()),
                    contract_configs: ContractConfigs::new(Arc::clone(root)),
                    cassette_configs: CassetteConfigs::new(Arc::clone(root)),
                });
                contexts.push(Arc::clone(&new_context));
                new_context
            });
            root_contexts.push(context);
        }
        // A copy of the levels for each path, since the user may override them, and the settings of a root are shared.
        let levels = opened.iter().map(|opened| opened.root.settings.settings.levels.clone());
        Self {
            levels: levels.collect(),
            named_paths: opened.len(),
            opened,
            root_contexts,
            pool: Pool::default(),
            budget: MemoryBudget::default(),
            locations: Mutex::default(),
            bound: None,
            snapshots,
            caches: None,
            known_recordings: Mutex::default(),
        }
    }

    /// Overrides the levels of the project's file with those that the user set. Must be called before anything is read.
    pub fn override_levels(&mut self, overrides: &Overrides) {
        for levels in &mut self.levels {
            *levels = std::mem::take(levels).overridden(overrides);
        }
    }

    /// Returns the level of a problem in the item that arrived as number `index`, if its rule reports it as `severity`; `None` if the
    /// rule is off.
    pub fn level_of(&self, index: usize, rule: RuleId, severity: Severity) -> Option<Severity> {
        self.levels_of(index).map_or(Some(severity), |levels| levels.level_of(rule, severity))
    }

    /// Returns whether the settings of an item set a rule to `off`.
    pub(crate) fn is_set_off(&self, index: usize, rule: RuleId) -> bool {
        self.levels_of(index).is_some_and(|levels| levels.is_set_off(rule))
    }

    /// Opens each `retake.toml` that may have problems in addition to what was named, so that its problems are reported, shown and
    /// followed like any other file. Whether descriptions of formats fit is found only when it is read.
    pub fn open_settings(&mut self) {
        let mut roots: Vec<Arc<Root>> = Vec::new();
        // By index, since the loop adds files to the list; the added files need no check.
        for index in 0..self.opened.len() {
            let opened = &self.opened[index];
            let is_reported = roots.iter().any(|root| Arc::ptr_eq(root, &opened.root));
            // Several opened paths may be below one root.
            if is_reported {
                continue;
            }
            let ProjectSettings { settings, problems, .. } = &opened.root.settings;
            let may_have_problems = !problems.is_empty() || !settings.formats.is_empty();
            let file = may_have_problems.then(|| opened.at_root(Some(FILE_NAME))).flatten();
            roots.push(Arc::clone(&opened.root));
            if let Some(file) = file {
                self.opened.push(file);
                self.root_contexts.push(Arc::clone(&self.root_contexts[index]));
                self.levels.push(self.levels[index].clone());
            }
        }
    }

    /// Returns whether something else is configured about a cassette than when it was read.
    pub(crate) fn has_other_cassette_facts(&self, opened: usize, item: &Item) -> bool {
        let configs = &self.root_contexts[opened].cassette_configs;
        let client = item.foreign.and_then(|foreign| foreign.client);
        let facts = client.map(|client| configs.facts(item.root_path(), Some(client)));
        item.cassette.as_deref() != facts.as_ref()
    }

    /// Returns whether sources are needed to check what is open.
    pub fn lookup(&self) -> SourceLookup {
        if self.levels.iter().all(|levels| levels.mode == SourceMode::Skip) {
            SourceLookup::LeaveAlone
        } else {
            SourceLookup::Look
        }
    }

    /// Sets the levels of the problems of an item. Drops those that are off.
    pub(crate) fn set_levels(&self, opened: usize, item: &mut Item) {
        let levels = &self.levels[opened];
        let is_set =
            |fault: &Problem| levels.level_of(fault.rule, fault.severity) == Some(fault.severity);
        // Most problems have the severity of their rule, and are shared with other files.
        if !item.problems.iter().all(is_set) {
            let mut problems = item.problems.to_vec();
            levels.apply(&mut problems);
            item.problems = self.pool.problems(problems);
        }
    }

    /// Sets the levels of problems of items, each with its item's number. Drops those that are off.
    pub(crate) fn apply_levels(
        &self,
        problems: &mut Vec<(usize, Problem)>,
        opened_of: impl Fn(usize) -> Option<usize>,
    ) {
        problems.retain_mut(|(index, problem)| {
            let levels = opened_of(*index).and_then(|opened| self.levels.get(opened));
            let Some(levels) = levels else { return true };
            let severity = levels.level_of(problem.rule, problem.severity);
            problem.severity = severity.unwrap_or(problem.severity);
            severity.is_some()
        });
    }

    /// True when nothing is open.
    pub fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }

    /// True when what is staged was opened.
    pub fn is_staged(&self) -> bool {
        let mut opened = self.opened.iter();
        opened.any(|opened| opened.root.staged.is_some())
    }

    /// True when a folder is among what was opened.
    pub fn has_folder(&self) -> bool {
        self.opened.iter().any(|opened| opened.file.is_none())
    }

    /// The root that the user gave, which bounds whatever else they name; `None`: each path has the project it is in.
    pub(crate) fn bound(&self) -> Option<&Path> {
        self.bound.as_deref()
    }

    /// The root of what was named first.
    pub fn root(&self) -> Option<&Root> {
        self.opened.first().map(|opened| &*opened.root)
    }

    /// The root of what was named first, for a thread of its own.
    pub(crate) fn shared_root(&self) -> Option<Arc<Root>> {
        self.opened.first().map(|opened| Arc::clone(&opened.root))
    }

    /// Returns the settings of the first project; `None` if nothing is open.
    pub fn settings(&self) -> Option<&Settings> {
        self.root().map(|root| &root.settings.settings)
    }

    /// Returns what the first project's settings define as secret and as not secret, with its key for placeholders if it has one.
    pub fn secrets(&self) -> Arc<CustomPatterns> {
        let settings = self.settings();
        let mut secrets = settings.map_or_else(Arc::default, |s| Arc::clone(&s.secrets));
        if let Some(key) = self.root().and_then(|root| known_key(root.path())) {
            // Copies the patterns: the settings, which are shared, have no key.
            Arc::make_mut(&mut secrets).set_key(key);
        }
        secrets
    }

    /// Returns whether the item with the number `index` is to be checked. Files beside a staged file are
    /// only read to check that.
    pub fn is_checked(&self, index: usize, item: &Item) -> bool {
        let staged = self.opened_path(index).and_then(|opened| opened.root.staged.as_ref());
        staged.is_none_or(|staged| staged.is_checked(item.root_path()))
    }

    /// Returns the lowest level that fails a check of the item that arrived as number `index`.
    pub fn fail_on(&self, index: usize) -> Severity {
        self.levels_of(index).map_or(Severity::Error, Levels::fail_on)
    }

    /// Returns whether a rule would be checked in a file with this path from the project root, if the file existed.
    pub fn would_check(&self, root_path: &str, rule: RuleId) -> bool {
        let mut opened = self.opened.iter().zip(&self.levels);
        opened.any(|(opened, levels)| {
            levels.level_of(rule, rule.default_level()).is_some() && opened.contains(root_path)
        })
    }

    /// Returns the path of the root beneath which the item that arrived as number `index` was found.
    pub fn root_above(&self, index: usize) -> Option<&Path> {
        self.opened_path(index).map(|opened| opened.root.path())
    }

    /// Returns the path of the opened folder from its root, or of the folder of the opened file; empty where several paths are
    /// open.
    pub(crate) fn opened_folder(&self) -> &str {
        match &*self.opened {
            [opened] => &opened.prefix,
            _ => "",
        }
    }

    /// Returns what was opened, as absolute paths.
    pub(crate) fn opened_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.opened.iter().map(|opened| match &opened.file {
            Some(file) => opened.folder.join(file),
            None => opened.folder.to_path_buf(),
        })
    }

    /// The commit that is checked out there, if there is a repository inside it.
    pub(crate) fn head_commit(&self) -> Option<gix::hash::ObjectId> {
        git::open(self.root()?, "").ok()?.head()
    }

    /// The branch that is checked out there, if there is a repository inside it.
    pub fn branch(&self) -> Option<String> {
        git::branch(self.root()?)
    }

    /// Reads the file of the item that arrived as number `index`, as it is now.
    ///
    /// # Errors
    ///
    /// A message that says why it cannot be read.
    pub fn read(&self, index: usize, item: &Item) -> Result<Document, String> {
        let (opened, path) = self.location_of(index, item)?;
        let bytes = root::read_file(&opened.dir, &path).map_err(to_sentence)?;
        Ok(opened.root.parse(Source::from_bytes(bytes), item.root_path()))
    }

    /// Parses a text of the item that arrived as number `index`.
    pub(crate) fn parse(&self, index: usize, item: &Item, text: Source) -> Document {
        match self.opened_path(index) {
            Some(opened) => opened.root.parse(text, item.root_path()),
            None => document::read(text, item.root_path()),
        }
    }

    /// Reads the content of an item's file, which was a regular one when the item arrived as number `index`.
    ///
    /// # Errors
    ///
    /// A message that says why it cannot be read.
    pub(crate) fn read_content(&self, index: usize, item: &Item) -> Result<Vec<u8>, String> {
        let (opened, path) = self.location_of(index, item)?;
        let file = RegularFile::open(&opened.dir, &path);
        file.and_then(|mut file| file.read()).map_err(to_sentence)
    }

    /// Returns where the item with the number `index` is saved: where it was read.
    ///
    /// # Errors
    ///
    /// A sentence when it is no longer open.
    pub fn target(&self, index: usize, item: &Item) -> Result<SaveTarget, String> {
        let (opened, path) = self.location_of(index, item)?;
        let target = SaveTarget::of_opened(opened, path.into_owned(), &item.path);
        let is_stable = can_be_stable(item.kind) && opened.root.settings.settings.stable.on_save;
        Ok(if is_stable { target.stable(stable_save(opened, item)) } else { target })
    }

    /// Returns how the item with the number `index` is made stable.
    ///
    /// # Errors
    ///
    /// As [`target`](Self::target).
    pub fn stable(&self, index: usize, item: &Item) -> Result<StableSave, String> {
        let (opened, _) = self.location_of(index, item)?;
        Ok(stable_save(opened, item))
    }

    /// Returns the folder that was opened first, or the folder of the first opened file; as it is listed.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        let opened = self.opened.first()?;
        Some(match &opened.file {
            Some(_) => opened.folder.to_path_buf(),
            None => PathBuf::from(&*opened.given),
        })
    }

    /// Returns a new file by its path from the folder that was opened first.
    ///
    /// # Errors
    ///
    /// A message when no folder is open.
    pub(crate) fn new_file(&self, path: &Path) -> Result<SaveTarget, String> {
        let opened = self.opened.first().ok_or("No folder is open")?;
        let folder = match &opened.file {
            Some(_) => opened.folder.to_string_lossy(),
            None => opened.given.as_ref().into(),
        };
        let shown_path = format!("{folder}/{}", path.to_string_lossy());
        let target = SaveTarget::of_opened(opened, path.to_owned(), &shown_path.clone().into());
        Ok(if opened.root.settings.settings.stable.on_save {
            target.stable(stable_save(opened, &Item::new(&shown_path)))
        } else {
            target
        })
    }

    /// Removes temporary files of interrupted saves; see [`save::clean_leftovers`].
    pub fn clean_leftovers(&self, cancel: &AtomicBool) {
        for opened in &self.opened {
            match opened.file {
                // Only the file's own folder, since the user has not opened those below it.
                Some(_) => save::clean(&opened.dir, &mut |_| {}),
                None => save::clean_leftovers(&opened.dir, cancel),
            }
        }
    }

    /// Returns where an item's file is: its opened path, and its path from there.
    fn location_of<'a>(
        &'a self,
        index: usize,
        item: &'a Item,
    ) -> Result<(&'a OpenedPath, Cow<'a, Path>), String> {
        let place = lock(&self.locations).get(index);
        self.find_location(place, item).ok_or_else(|| "This file is no longer open".to_owned())
    }

    fn find_location<'a>(
        &'a self,
        place: Option<ItemLocation>,
        item: &'a Item,
    ) -> Option<(&'a OpenedPath, Cow<'a, Path>)> {
        let place = place?;
        let opened = self.opened.get(place.opened as usize)?;
        let path = match (place.beneath, &opened.file) {
            (Some(beneath), _) => Cow::Owned(beneath.into_path_buf()),
            (None, Some(file)) => Cow::Borrowed(&**file),
            (None, None) => {
                let path = item.path.strip_prefix(&*opened.given)?;
                Cow::Borrowed(Path::new(path.strip_prefix('/')?))
            }
        };
        Some((opened, path))
    }

    /// Returns the opened path of an item at a location, and its path from there.
    pub(crate) fn resolve_location(
        &self,
        place: &ItemLocation,
        item: &Item,
    ) -> Option<(usize, PathBuf)> {
        let (_, path) = self.find_location(Some(place.clone()), item)?;
        Some((place.opened as usize, path.into_owned()))
    }

    /// Returns the locations of the files of all items, in the order in which the items arrived.
    pub(crate) fn locations(&self) -> Vec<ItemLocation> {
        let locations = lock(&self.locations);
        (0..locations.opened.len()).filter_map(|index| locations.get(index)).collect()
    }

    /// Reads the present source of a recording, as text to show.
    ///
    /// # Errors
    ///
    /// A message that says why it cannot be read.
    pub fn read_source(&self, index: usize, item: &Item) -> Result<Source, String> {
        let file = item
            .source
            .as_ref()
            .and_then(|source| source.found.present())
            .ok_or("There is no source to read")?;
        let context = self.root_context_of(index).ok_or("This file is no longer open")?;
        Ok(Source::from_bytes(context.root.read(&file.path).map_err(to_sentence)?))
    }

    /// Reads a file by its path from the root of the item that arrived as number `index`.
    pub(crate) fn read_beneath(&self, index: usize, path: &str) -> Result<Vec<u8>, ReadRefusal> {
        self.root_context_of(index).ok_or(ReadRefusal::Missing)?.root.read(path)
    }

    /// Returns where the ledger of reviews is in the project of the item that arrived as number `index`.
    pub(crate) fn ledger_target(&self, index: usize) -> Result<SaveTarget, SaveFault> {
        let path = ::compare::review::ledger::PATH;
        let fault = || SaveFault { path: path.into(), reason: SaveFailure::FolderGone };
        SaveTarget::beneath(&self.root_context_of(index).ok_or_else(fault)?.root, path)
    }

    /// Returns whether two items are below the same root.
    pub(crate) fn has_same_root(&self, a: usize, b: usize) -> bool {
        let root = |index| self.root_context_of(index).map(|c| Arc::as_ptr(&c.root));
        root(a).is_some() && root(a) == root(b)
    }

    /// Whether there is a file at a path that another file writes, taken from `folder`: that from the root of the item that
    /// arrived as number `index`.
    pub(crate) fn probe(&self, index: usize, folder: &str, path: &str) -> Result<(), ReadRefusal> {
        self.root_context_of(index).ok_or(ReadRefusal::Missing)?.root.probe_from(folder, path)
    }

    /// Returns a file below the root of the item with the number `index` as a path for a command that runs in the folder of
    /// the project: absolute when it is elsewhere. `None` when the path cannot be written.
    pub(crate) fn path_for_command(&self, index: usize, path: &str) -> Option<String> {
        let root = &self.root_context_of(index)?.root;
        let folder = self.root()?.path();
        let file = root.path().join(path);
        let relative_path = file.strip_prefix(folder).ok().filter(|_| root.path() == folder);
        let file = relative_path.unwrap_or(&file).to_str()?;
        Some(if cfg!(windows) { file.replace('\\', "/") } else { file.to_owned() })
    }

    /// Returns the time of the last change of a file, in seconds since 1970 (UTC), by its path from the root.
    pub(crate) fn modified(&self, index: usize, path: &str) -> Option<i64> {
        let metadata = self.root_context_of(index)?.root.dir.metadata(path).ok()?;
        let modified = metadata.modified().ok()?.into_std();
        i64::try_from(modified.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs()).ok()
    }

    /// Searches the history for the source of a recording as it was when it was recorded. Blocks.
    ///
    /// # Errors
    ///
    /// The reason that it was not found.
    pub fn source_as_recorded(
        &self,
        index: usize,
        item: &Item,
        cancel: &AtomicBool,
    ) -> Result<OriginalSource, NotFound> {
        let fault = |reason: &str| NotFound::Broken(reason.into());
        let context =
            self.root_context_of(index).ok_or_else(|| fault("the recording is no longer open"))?;
        let source = item.source.as_ref();
        let (file, hash) = source
            .and_then(|source| Some((source.file.as_ref()?, source.recorded_hash.as_ref()?)))
            .ok_or_else(|| fault("the recording names no source"))?;
        let mut paths = candidates(item.folder(), file)
            .map_err(|refusal| NotFound::OutsideRoot(refusal.to_string().into()))?;
        if let Some(present_file) = source.and_then(|source| source.found.present()) {
            // The present path is the likeliest one.
            paths.retain(|path| **path != *present_file.path);
            paths.insert(0, present_file.path.to_string());
        }
        let bounds = SearchBounds::default();
        history::find_as_recorded(&context.root, &paths, hash, bounds, cancel)
    }

    /// The source with this hash, if it was kept.
    pub(crate) fn snapshot(&self, hash: &str) -> Option<SourceSnapshot> {
        self.snapshots.as_ref()?.find(hash)
    }

    /// Returns which opened path the item with the number `index` is below.
    pub(crate) fn opened_of(&self, index: usize) -> Option<usize> {
        lock(&self.locations).opened.get(index).map(|opened| *opened as usize)
    }

    /// Returns the opened path that the item with the number `index` is below.
    pub(crate) fn opened_path(&self, index: usize) -> Option<&OpenedPath> {
        self.opened.get(self.opened_of(index)?)
    }

    fn levels_of(&self, index: usize) -> Option<&Levels> {
        self.levels.get(self.opened_of(index)?)
    }

    pub(crate) fn root_context_of(&self, index: usize) -> Option<&Arc<RootContext>> {
        self.root_contexts.get(self.opened_of(index)?)
    }

    /// Notes where an item's file is; the items come in the order of arrival.
    pub(crate) fn add_location(&self, place: ItemLocation) {
        lock(&self.locations).push(place);
    }
}

impl ItemLocation {
    /// The place of a file beneath something that was opened.
    pub(crate) fn new(project: &Project, opened: usize, beneath: &Path) -> Self {
        let is_named = project.opened[opened].file.is_some();
        // Most locations follow from the item's path, which saves a copy of it for each file; on Windows it has other separators.
        let beneath = match beneath.to_str() {
            Some(_) if cfg!(unix) => None,
            _ if is_named => None,
            _ => Some(beneath.into()),
        };
        Self { opened: u32::try_from(opened).unwrap_or(u32::MAX), beneath }
    }
}

/// Returns how an item below an opened path is made stable.
fn stable_save(opened: &OpenedPath, item: &Item) -> StableSave {
    StableSave {
        name: item.file_name().into(),
        settings: opened.root.settings.settings.stable.clone(),
        facts: item.cassette.as_deref().cloned(),
        format: opened.root.settings.settings.formats.of(item.root_path()).cloned(),
    }
}
