//! The origin of files as Retake itself has stored it: the command that wrote a file last, and the review in which it was put together.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::disk::review::read_decisions;
use crate::disk::root::Root;
use crate::disk::undo::UndoStore;
use calls::source::sha256_hex;
use compare::review::{Applied, ReviewVerdict};

/// Commands after which a file has the words that were recorded.
const KEEPING_COMMANDS: [&str; 4] = ["review", "stabilize", "stamp", "undo"];

/// The last writes of a project's files by Retake.
#[derive(Debug, Default)]
pub(crate) struct StoredOrigins {
    root: PathBuf,
    /// By path: the hash of what the last command wrote, and the command.
    commands: HashMap<PathBuf, (Box<str>, Arc<str>)>,
    /// By path from the root: the hashes of files that a review put together from two takes.
    merged: HashMap<Arc<str>, Vec<Arc<str>>>,
}

impl StoredOrigins {
    /// Reads them. What cannot be read is not known.
    pub(crate) fn read(root: &Root) -> Self {
        let store = UndoStore::open(root.path());
        let mut merged: HashMap<Arc<str>, Vec<Arc<str>>> = HashMap::new();
        for (pair, decision) in read_decisions(root).unwrap_or_default().iter() {
            let is_merged =
                matches!(decision.verdict, Some(ReviewVerdict::Part(_) | ReviewVerdict::KeepNoise));
            if let Some(Applied::File(sha256)) = decision.applied.clone().filter(|_| is_merged) {
                merged.entry(Arc::clone(&pair.path)).or_default().push(sha256);
            }
        }
        Self {
            root: root.path().to_owned(),
            commands: store.map(|store| store.last_writes()).unwrap_or_default(),
            merged,
        }
    }

    /// Returns why a file with this content is known to be derived.
    pub(crate) fn of(&self, root_path: &str, bytes: &[u8]) -> Option<Arc<str>> {
        let written = self.commands.get(&self.root.join(root_path));
        let merged = self.merged.get(root_path);
        // Most files were written by no command, and hashing each would cost more than reading it.
        if written.is_none() && merged.is_none() {
            return None;
        }
        let hash = sha256_hex(bytes);
        if merged.is_some_and(|hashes| hashes.iter().any(|merged| **merged == *hash)) {
            return Some("A review put it together from two takes".into());
        }
        let (_, command) = written.filter(|(sha256, _)| **sha256 == *hash)?;
        let name = command.split_whitespace().skip(1).find(|word| !word.starts_with('-'));
        let is_meant = name.is_some_and(|name| !KEEPING_COMMANDS.contains(&name));
        is_meant.then(|| format!("Written by `{command}`").into())
    }
}
