//! State that all tasks share, whichever project is open.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use crossbeam_channel::Sender;

use crate::disk::guard::lock;
use crate::disk::recovery::DraftStore;
use crate::disk::samples::SampleCopy;
use crate::live::langsmith::Account;
use author::recovered::RecoveredDraft;

/// State that all tasks share, whichever project is open.
#[derive(Default)]
pub(super) struct Services {
    pub(super) langsmith: Account,
    /// The state folder; `None`: nothing is kept in it.
    pub(super) state: Option<PathBuf>,
    /// The folder with the steps of the command line; `None`: they cannot be undone here.
    pub(super) undo: Option<PathBuf>,
    /// Used on the thread that writes only.
    pub(super) drafts: Mutex<Drafts>,
    /// Finds the documents of drafts among deleted files, too; `None` while nothing is watched.
    pub(super) locator: Mutex<Option<Sender<Arc<RecoveredDraft>>>>,
    /// The samples that were opened.
    pub(super) samples: Mutex<Vec<SampleCopy>>,
}

impl Services {
    /// Makes the requests in this queue wait from now on, if it is the samples' own.
    pub(super) fn renew_samples(&self, queue: &Path) {
        let now = SystemTime::now();
        lock(&self.samples).iter().for_each(|copy| copy.renew(queue, now));
    }
}

/// The unsaved edits of this run and earlier ones.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    /// `None` without a state folder.
    pub(super) store: Option<DraftStore>,
    /// The last problem with storing edits, which is reported once.
    pub(super) last_complaint: Option<String>,
}
