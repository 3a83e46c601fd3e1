//! What is open: the paths the user named, their roots, and what was learnt beneath them.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::contracts::Contracts;
use super::git;
use super::root::{self, OpenError, Opened, Refusal, Root, open_all};
use super::sources::Sources;
use super::then::{self, SourceInTime};
use super::walk::{Found, What};
use crate::format::{self, Document};
use crate::ops::Pool;
use crate::text::Source;

/// Files and folders that are open, and how to read them again.
#[derive(Debug)]
pub struct Project {
    pub(super) opened: Vec<Opened>,
    pub(super) surroundings: Vec<Arc<Surroundings>>,
    pub(super) pool: Pool,
    /// Where the files of the items are, in the order in which the items arrived.
    places: Mutex<Vec<Place>>,
}

/// What files beneath one root point to.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) root: Arc<Root>,
    pub(super) sources: Sources,
    pub(super) contracts: Contracts,
}

/// Where an item's file is.
#[derive(Clone, Debug)]
struct Place {
    /// Index of what was opened; it is one of this project's.
    opened: usize,
    path: Arc<str>,
    root_path: Arc<str>,
    /// Path beneath the opened folder, where `path` does not say it: its bytes are not text.
    beneath: Option<Box<Path>>,
}

impl Project {
    /// Opens files and folders; what lies in them is not read yet.
    ///
    /// `root` bounds all reading; without it, each path has the project it lies in (see [`root::enclosing`]).
    ///
    /// # Errors
    ///
    /// The first path, or the root, that cannot be opened.
    pub fn open(paths: &[PathBuf], root: Option<&Path>) -> Result<Self, OpenError> {
        let opened = open_all(paths, root)?;
        let mut known: Vec<Arc<Surroundings>> = Vec::new();
        let mut surroundings = Vec::with_capacity(opened.len());
        for opened in &opened {
            let same = known
                .iter()
                .find(|known| Arc::ptr_eq(&known.root, &opened.root));
            let found = same.cloned().unwrap_or_else(|| {
                let root = &opened.root;
                let new = Arc::new(Surroundings {
                    root: Arc::clone(root),
                    sources: Sources::new(Arc::clone(root)),
                    contracts: Contracts::new(Arc::clone(root)),
                });
                known.push(Arc::clone(&new));
                new
            });
            surroundings.push(found);
        }
        Ok(Self {
            opened,
            surroundings,
            pool: Pool::default(),
            places: Mutex::default(),
        })
    }

    /// True when a folder is among what was opened.
    pub fn has_folder(&self) -> bool {
        self.opened.iter().any(|opened| opened.file.is_none())
    }

    /// The root of what was named first.
    pub fn root(&self) -> Option<&Root> {
        self.opened.first().map(|opened| &*opened.root)
    }

    /// The branch that is checked out there, if there is a repository inside it.
    pub fn branch(&self) -> Option<String> {
        git::branch(self.root()?)
    }

    /// Reads the file of the item that arrived as number `index`, as it is now.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in a sentence.
    pub fn read(&self, index: usize) -> Result<Document, String> {
        let place = self.place(index)?;
        self.read_at(&place)
            .map_err(|refusal| sentence(&refusal.to_string()))
    }

    /// Looks for the source of the recording that arrived as number `index`, as it was recorded (in the work tree, then in
    /// the history) and as it is. Blocks; stops soon after `cancel` is set.
    ///
    /// # Errors
    ///
    /// Why nothing can be looked for, in a sentence.
    pub fn source_in_time(
        &self,
        index: usize,
        cancel: &AtomicBool,
    ) -> Result<SourceInTime, String> {
        let place = self.place(index)?;
        let document = self
            .read_at(&place)
            .map_err(|refusal| sentence(&refusal.to_string()))?;
        self.source_of(index, &document, cancel)
    }

    /// The same for a recording that was read already.
    pub(super) fn source_of(
        &self,
        index: usize,
        document: &Document,
        cancel: &AtomicBool,
    ) -> Result<SourceInTime, String> {
        let place = self.place(index)?;
        let root = &self.opened[place.opened].root;
        then::in_time(root, self.folder_of(&place), document, cancel)
    }

    fn place(&self, index: usize) -> Result<Place, String> {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.get(index).cloned();
        place.ok_or_else(|| "This file is not open any more".to_owned())
    }

    fn read_at(&self, place: &Place) -> Result<Document, Refusal> {
        let opened = &self.opened[place.opened];
        let below = match (&place.beneath, &opened.file) {
            (Some(beneath), _) => beneath,
            (None, Some(file)) => file.as_path(),
            (None, None) => {
                let below = place.path.strip_prefix(&*opened.given);
                let below = below.and_then(|below| below.strip_prefix('/'));
                Path::new(below.ok_or(Refusal::Missing)?)
            }
        };
        let bytes = root::read(&opened.dir, below)?;
        let name = place.path.rsplit('/').next().unwrap_or(&place.path);
        Ok(format::read(Source::from_bytes(bytes), name))
    }

    /// The folder of a file, from the root; outside a root that the user gave, the root itself.
    fn folder_of<'a>(&self, place: &'a Place) -> &'a str {
        match self.opened[place.opened].prefix {
            Some(_) => place
                .root_path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder),
            None => "",
        }
    }

    /// Notes where an item's file is; the items come in the order of arrival.
    pub(super) fn arrived(&self, found: &Found) {
        let is_named = found.what == What::Named;
        let beneath = match found.beneath.to_str() {
            Some(_) if cfg!(unix) => None,
            _ if is_named => None,
            _ => Some(found.beneath.clone().into_boxed_path()),
        };
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.push(Place {
            opened: found.opened,
            path: Arc::clone(&found.path),
            root_path: Arc::clone(&found.root_path),
            beneath,
        });
    }
}

/// Makes a sentence of a reason: what stands there is about the file, so its "it" goes.
pub(super) fn sentence(reason: &str) -> String {
    let reason = reason.strip_prefix("it ").unwrap_or(reason);
    let mut letters = reason.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
