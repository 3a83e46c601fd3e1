//! The commits that recorded the calls of the selected file.

use std::sync::Arc;

use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::latest::Latest;
use crate::core::library::OpenDocument;
use crate::core::working_copy::WorkingCopy;
use calls::Item;
use document::FileKind;
use play::blame::CallCommits;
use protocol::{CommitsKey, DocId, FindCommits};

/// The commits of the file that was selected last; none if it has no history.
#[derive(Debug, Default)]
pub struct SelectedCommits {
    found: Latest<CommitsKey, Vec<CallCommits>>,
    /// Grows with every answer.
    pub revision: u64,
    /// Grows when another commit is checked out.
    pub(crate) history: u64,
}

impl SelectedCommits {
    /// Returns the commits of a call, or of the only call of a file.
    pub fn of(&self, doc: DocId, call: Option<usize>) -> Option<&CallCommits> {
        let is_found = self.found.key.is_some_and(|key| key.doc == doc);
        let calls = self.found.value.as_ref().filter(|_| is_found)?;
        match (call, calls.as_slice()) {
            (Some(call), calls) => calls.get(call),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }
}

impl Core {
    /// Requests the commits of the selected file once it was read and is shown. What is not saved has none.
    pub(crate) fn sync_commits(&mut self) {
        let Some(doc) = self.list.selected.filter(|_| self.inspector.is_shown()) else { return };
        let Some(OpenDocument::Ready(_, revision)) = self.library.opened(doc) else { return };
        let key = CommitsKey {
            generation: self.generation,
            doc,
            revision: *revision,
            history: self.commits.history,
        };
        let has_calls = |item: &Arc<Item>| {
            [FileKind::Recording, FileKind::Tape, FileKind::Cassette].contains(&item.kind)
        };
        let item = self.library.share(doc).filter(has_calls);
        let is_unsaved = self.library.copy(doc).is_some_and(WorkingCopy::is_unsaved);
        let Some(item) = item.filter(|_| !is_unsaved) else { return };
        if self.commits.found.want(&key) {
            self.request(Effect::run(FindCommits { key, item }));
        }
    }

    pub(crate) fn on_commits_found(&mut self, key: CommitsKey, calls: Vec<CallCommits>) {
        if self.commits.found.accept(&key) {
            self.commits.found.value = Some(calls);
            self.commits.revision += 1;
        }
    }
}
