//! Placement of the inspector, and whether it is shown.

use std::sync::Arc;

use crate::{Core, Effect, Latest, OpenDocument, StepDirection, WorkingCopy};
use calls::Item;
use calls::media::{Medium, media_of_call};
use document::text::quoted;
use document::{FileKind, NodeId};
use play::blame::CallCommits;
use protocol::{
    CommitsKey, Compute, DocId, EngineEvent, FindCommits, Lane, LibraryRow, ListTarget, MediaKey,
};

/// Place where the window has room for the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InspectorPlacement {
    /// Beside the desk; shown unless it was hidden.
    #[default]
    Docked,
    /// Over the desk; shown only on request.
    Floating,
}

/// A search command for the text that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindRequest {
    /// Finds the selected text, or the text typed next.
    Find,
    Replace,
    /// Goes to the next or previous match.
    Go(StepDirection),
}

/// The state of the inspector. Each placement has its own visibility, so that resizing the window back restores it.
#[derive(Debug)]
pub struct Inspector {
    pub placement: InspectorPlacement,
    /// In the order of the placements.
    shown: [bool; 2],
    /// Whether prompts of nodes are shown as text instead of as a card.
    pub full_prompt: bool,
    /// Whether the body of the selected call is to be edited.
    pub(crate) edits_decoded: bool,
}

impl Default for Inspector {
    fn default() -> Self {
        // Only the docked one.
        let shown = [true, false];
        Self {
            placement: InspectorPlacement::Docked,
            shown,
            full_prompt: false,
            edits_decoded: false,
        }
    }
}

impl Inspector {
    pub fn is_shown(&self) -> bool {
        self.shown[self.placement as usize]
    }

    pub(crate) fn show(&mut self) {
        self.shown[self.placement as usize] = true;
    }

    pub(crate) fn toggle(&mut self) {
        self.shown[self.placement as usize] ^= true;
    }

    /// Closes it if it is shown over the desk. Returns whether it was.
    pub(crate) fn close(&mut self) -> bool {
        // A docked inspector covers nothing that Esc could uncover.
        let is_closed = self.placement == InspectorPlacement::Floating && self.is_shown();
        self.shown[self.placement as usize] &= !is_closed;
        is_closed
    }
}

impl Core {
    /// Returns the call before or after the one that is shown: in a file whose calls are listed, or in the set of a recording. Before the
    /// first one, and while the calls are not listed, the keys unfold and fold them.
    pub(crate) fn call_beside(&self, step: StepDirection) -> Option<ListTarget> {
        let id = self.list.selected?;
        let item = self.library.get(id)?;
        if !self.is_unfolded(id) {
            return None;
        }
        let is_back = step == StepDirection::Previous;
        if !item.calls.is_empty() {
            let call = self.list.selected_call;
            // Before the first one, the keys fold.
            let is_at_start = call.unwrap_or_default() == 0 && is_back;
            return (!is_at_start).then(|| (id, Some(step.target_in(call, 1, item.calls.len()))));
        }
        let rows = &self.list.listing.rows;
        let row = self.list.listing.row_of(id)?;
        let LibraryRow::Member(_, number) = rows[row] else { return None };
        match rows.get(step.beside(row)?) {
            Some(LibraryRow::Member(other, _)) => Some((*other, None)),
            _ => (number > 0 || !is_back).then_some((id, None)),
        }
    }

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
        self.commits.revision += u64::from(self.commits.found.receive(&key, calls));
    }

    /// Requests the media of the selected call once its file was read and is shown. Files are searched off the frame: they may be large.
    pub(crate) fn sync_media(&mut self) {
        let Some(doc) = self.list.selected.filter(|_| self.inspector.is_shown()) else { return };
        let Some(OpenDocument::Ready(document, revision)) = self.library.opened(doc) else {
            return;
        };
        let Some(item) = self.library.get(doc) else { return };
        let call = match item.kind {
            FileKind::Recording | FileKind::Request => None,
            _ if item.calls.is_empty() => return,
            _ => Some(self.list.selected_call.unwrap_or_else(|| item.main_call())),
        };
        let node = match call {
            Some(call) => item.calls.get(call).map(|row| row.node),
            None => Some(NodeId::ROOT),
        };
        let Some(node) = node else { return };
        let key = MediaKey { generation: self.generation, doc, revision: *revision, call };
        let work = format!("decoding the pictures of {}", quoted(item.root_path()));
        let document = Arc::clone(document);
        if self.media.decoded.want(&key) {
            self.request(Effect::run(Compute::new(Lane::Newest("media"), work, move || {
                EngineEvent::MediaDecoded(key, media_of_call(&document, node).into())
            })));
        }
    }
}

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

/// The pictures and sounds of the call that was shown last.
#[derive(Debug, Default)]
pub struct ShownMedia {
    pub(crate) decoded: Latest<MediaKey, Arc<[Medium]>>,
}

impl ShownMedia {
    /// Returns those of a file, with the key of the call that they are of.
    pub fn of(&self, doc: DocId) -> Option<(MediaKey, &Arc<[Medium]>)> {
        Some((self.decoded.key.filter(|key| key.doc == doc)?, self.decoded.value.as_ref()?))
    }
}
