//! Caches the inspector's data until its input changes.

use std::sync::Arc;
use std::time::Duration;

use egui::Ui;

use super::inspector::{InspectorContent, InspectorData};
use calls::Item;
use protocol::{DocId, ListTarget, Revision};
use widgets::editor::EditorData;
use workbench::{OpenDocument, Workbench};

/// Longest time for which the previous item stays in the inspector while the next one is read, in seconds.
const MAX_WAIT_SECONDS: f64 = 0.15;

/// The inspector's data and what it was built from.
#[derive(Default)]
pub(super) struct InspectorCache {
    key: Option<(ListTarget, u64, u64, u64)>,
    built: Option<CacheKey>,
    pub(super) data: Option<InspectorData>,
    pub(super) text: Option<EditorData>,
    /// The item whose file is being read, and since when, in seconds.
    awaited: Option<(DocId, f64)>,
}

/// Inputs of the cached data. They do not change while the user types in the text.
struct CacheKey {
    item: Arc<Item>,
    reading: Revision,
    listing: u64,
    call: Option<usize>,
}

/// Returns the selected call of an item, if that is selected.
fn selected_call(workbench: &Workbench, id: DocId) -> Option<usize> {
    workbench.core.list.target().filter(|(selected, _)| *selected == id)?.1
}

impl CacheKey {
    fn new(workbench: &Workbench, id: DocId) -> Option<Self> {
        let library = &workbench.core.library;
        let Some(OpenDocument::Ready(_, reading)) = library.opened(id) else { return None };
        Some(Self {
            item: library.share(id)?,
            reading: *reading,
            listing: workbench.core.list.built.0,
            call: selected_call(workbench, id),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let has_same_inputs =
            (self.reading, self.listing, self.call) == (other.reading, other.listing, other.call);
        // By address: an item is replaced, never changed, and comparing its content would cost more than building again.
        has_same_inputs && Arc::ptr_eq(&self.item, &other.item)
    }
}

impl InspectorCache {
    /// Updates the cache for the selected item. Returns whether there is something to show. The previous item stays
    /// visible for a moment while the next one is read, so that nothing flickers while the user moves through rows.
    pub(super) fn update(&mut self, ui: &Ui, workbench: &Workbench, id: DocId) -> bool {
        let (library, listing) = (&workbench.core.library, &workbench.core.list);
        let target = (id, selected_call(workbench, id));
        let commits = &workbench.core.commits;
        let key = Some((target, library.documents_revision(), listing.built.0, commits.revision));
        // Compared in every frame, so it holds only numbers; the costlier key is made after it.
        if self.key == key {
            return self.data.is_some();
        }
        let cache_key = CacheKey::new(workbench, id);
        let is_same = match (&cache_key, &self.built) {
            (Some(new_key), Some(old_key)) => new_key.is_same(old_key),
            _ => false,
        };
        // Typing changes neither the item nor its last parse: then only the text and the marks below are updated.
        if !is_same {
            let Some(item) = library.get(id) else { return false };
            // Compares with all items of the folder, therefore only after a change.
            let same_count = listing.listing.same_signature(&library.items, id);
            let folder = listing.listing.in_folder(&library.items, item.folder()).iter();
            let data = InspectorData::new(id, item, library.opened(id), same_count, target.1)
                .in_folder(folder.filter_map(|id| Some((*id, library.items.get(*id)?))))
                .shown_from(library);
            if self.is_worth_waiting(ui, &data) {
                // Without storing the key, so that the next frame tries again.
                return true;
            }
            self.data = Some(data);
            self.built = cache_key;
        }
        // Not cleared earlier, because the start of the wait is needed until it ends.
        self.awaited = None;
        let edits = workbench.core.journal.edits_of(id).max(1);
        // Taken, not cloned: the methods below consume it, and it may hold a large recording.
        let data = self.data.take();
        self.data = data.map(|data| {
            let commits = commits.of(id, data.call);
            data.with_working_copy(library.copy(id), edits).with_commits(commits)
        });
        self.text = self.new_text(workbench, id);
        self.key = key;
        true
    }

    fn new_text(&self, workbench: &Workbench, id: DocId) -> Option<EditorData> {
        let data = self.data.as_ref()?;
        let InspectorContent::Ready(ready) = &data.content else { return None };
        let text = workbench.core.library.text(id)?;
        // What was parsed of an unchanged text is taken over from it.
        Some(EditorData::new(id, &data.label, text, ready.code.clone(), self.text.as_ref()))
    }

    /// Returns whether the previous item stays visible because the next one is still being read.
    fn is_worth_waiting(&mut self, ui: &Ui, next: &InspectorData) -> bool {
        let is_other = self.data.as_ref().is_some_and(|data| data.id != next.id);
        if !matches!(next.content, InspectorContent::Reading) || !is_other {
            return false;
        }
        let now = ui.input(|input| input.time);
        let since = match self.awaited {
            Some((id, since)) if id == next.id => since,
            _ => now,
        };
        self.awaited = Some((next.id, since));
        let remaining_seconds = since + MAX_WAIT_SECONDS - now;
        if remaining_seconds > 0.0 {
            // Without input egui paints no further frame, and the previous item would stay.
            ui.ctx().request_repaint_after(Duration::from_secs_f64(remaining_seconds));
        }
        remaining_seconds > 0.0
    }
}
