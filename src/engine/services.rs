//! What all tasks share, whichever project is open.

use std::sync::{Arc, Mutex};

use crossbeam_channel::Sender;

use crate::engine::disk::recovery::DraftStore;
use crate::engine::live::langsmith::Account;
use crate::ops::recovered::RecoveredDraft;

/// What all tasks share, whichever project is open.
#[derive(Default)]
pub(super) struct Services {
    pub(super) langsmith: Account,
    /// Used on the thread that writes only.
    pub(super) drafts: Mutex<Drafts>,
    /// Finds the documents of drafts among deleted files, too; `None` while nothing is watched.
    pub(super) locator: Mutex<Option<Sender<Arc<RecoveredDraft>>>>,
}

/// The unsaved edits of this run and earlier ones.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    /// `None` without a state folder.
    pub(super) store: Option<DraftStore>,
    /// The last problem with storing edits, which is reported once.
    pub(super) last_complaint: Option<String>,
}
