//! Goes to documents and views, opens and copies.

use std::path::PathBuf;

use super::Core;
use crate::{DeskView, Effect, InspectorTab, Location, SideBySide, SourceTab, StepDirection};
use calls::file_part::FilePart;
use document::text::{Span, quoted, visible};
use document::{Node, Severity};
use protocol::{Cancellable, Desk, DocId, ListTarget, ScanRequest};

/// Number of recent folders that are remembered.
const MAX_RECENT_FOLDERS: usize = 12;

/// The beginning of the notice about copied text.
const COPIED_PREFIX: &str = "Copied: ";

/// Number of characters of the copied text that the notice shows.
const MAX_COPIED_CHARS: usize = 48;

impl Core {
    /// Requests the data of the current view if it is not loaded, and drops the data of the previous view.
    pub(crate) fn sync_view(&mut self) {
        let view = self.here().view;
        if self.side.as_ref().is_some_and(|side| side.view == view) {
            self.sync_source_changes();
            return;
        }
        let effect = match view {
            DeskView::List | DeskView::Import | DeskView::Triage | DeskView::Failure => None,
            DeskView::Conflict(doc) => {
                let merge = self.library.merge_versions(doc);
                if merge.is_none() {
                    // The conflict was resolved elsewhere.
                    self.navigation.here.view = DeskView::List;
                }
                merge
            }
            DeskView::Compare { left, right } => self.library.compare(left, right).map(Effect::run),
            DeskView::Source(doc) => self.library.compare_source(doc).map(Effect::run),
        };
        let is_left_behind = self.side.take().is_some();
        self.side = effect.as_ref().map(|_| SideBySide::new(view));
        self.sync_source_changes();
        let cancel = || is_left_behind.then_some(Effect::Cancel(Cancellable::Comparison));
        self.request(effect.or_else(cancel));
    }

    /// Shows a place in the text of a document.
    pub(crate) fn reveal(&mut self, doc: DocId, span: Span) {
        self.tab = InspectorTab::Text;
        self.reveal = Some((doc, span));
        self.inspector.show();
        self.go(Desk::Library, DeskView::List);
        self.select(doc);
    }

    /// Shows the place or value that waits for its text, if the text is read.
    pub(crate) fn sync_reveal(&mut self) {
        let Some((doc, part)) = &self.next_reveal else { return };
        let doc = *doc;
        let Some((text, _)) = self.library.text(doc) else { return };
        let (span, lacks) = match part {
            FilePart::Pointer(pointer) => {
                // A text that is edited has no tree until it is parsed.
                let Some(document) = self.library.document(doc) else { return };
                let node = document.tree.at_pointer(pointer);
                (node.map(Node::span), format!("value at {}", quoted(pointer)))
            }
            FilePart::Place(place) => {
                let is_there = place.line as usize <= text.line_count();
                (is_there.then(|| text.rest_of_line(*place)), format!("line {}", place.line))
            }
            // Never reached: only places and pointers wait for a text.
            FilePart::Call(_) | FilePart::Chunk(_) => (None, part.to_string()),
        };
        self.next_reveal = None;
        if let Some(span) = span {
            self.reveal = Some((doc, span));
        } else if let Some(item) = self.library.get(doc) {
            self.notify(Severity::Warning, format!("{} has no {lacks}.", quoted(&item.path)));
        }
    }

    /// Shows a recording's source as it was recorded and as it is now.
    pub(crate) fn compare_source(&mut self, doc: DocId) {
        self.show_source(doc, SourceTab::ThenAndNow);
    }

    /// Shows a tab of a recording's source.
    pub(crate) fn show_source(&mut self, doc: DocId, tab: SourceTab) {
        self.source_tab = tab;
        self.go(self.here().desk, DeskView::Source(doc));
    }

    /// Goes to the next or previous change of what is shown side by side.
    pub(crate) fn step_change(&mut self, step: StepDirection) {
        if let Some(side) = &mut self.side {
            side.show(step.target(side.change, 1));
        }
    }

    /// Copies text and reports it in a notice, because nothing else on screen changes.
    pub(crate) fn copy(&mut self, text: String) {
        let first = text.trim_start().lines().next().unwrap_or_default();
        let excerpt: String = first.chars().take(MAX_COPIED_CHARS).collect();
        let ellipsis = if excerpt.len() < text.trim().len() { "…" } else { "" };
        // The clipboard has only the last text.
        self.notices.retain(|notice| !notice.text.starts_with(COPIED_PREFIX));
        self.notify(
            Severity::Note,
            format!("{COPIED_PREFIX}{}{ellipsis}", visible(excerpt.trim_end())),
        );
        self.request(Effect::Copy(text));
    }

    pub(crate) fn open(&mut self, paths: Vec<PathBuf>) {
        self.remembered.opened.clear();
        // Samples are deleted with the window, so the next start must not open them.
        if !self.are_samples(&paths) {
            // In reverse, so that the first path becomes the most recent one.
            for path in paths.iter().rev() {
                self.remembered.recent.retain(|other| other != path);
                self.remembered.recent.insert(0, path.clone());
            }
            self.remembered.recent.truncate(MAX_RECENT_FOLDERS);
            self.remembered.opened.clone_from(&paths);
        }
        self.request(Effect::Remember(self.remembered.clone()));
        self.request(Effect::run(ScanRequest(paths)));
    }

    pub(crate) fn go(&mut self, desk: Desk, view: DeskView) {
        self.navigation.go(Location { desk, view });
        self.overlay = None;
    }

    /// Shows an item in the inspector, whatever view is shown now. Keeps the overlay open.
    pub(crate) fn show(&mut self, id: DocId) {
        let overlay = self.overlay;
        self.go(Desk::Library, DeskView::List);
        self.overlay = overlay;
        self.inspector.show();
        self.select(id);
    }

    /// Selects an item, or a call in it: then the text shows its place.
    pub(crate) fn select_target(&mut self, (id, call): ListTarget) {
        self.select(id);
        self.list.selected_call = call;
        let row = call.and_then(|call| self.library.get(id)?.calls.get(call));
        if let Some(row) = row {
            self.reveal = Some((id, row.mark.span));
        }
    }

    pub(crate) fn select(&mut self, id: DocId) {
        self.list.selected = Some(id);
        self.list.selected_call = None;
        if self.reveal.is_some_and(|(doc, _)| doc != id) {
            self.reveal = None;
            self.next_reveal = None;
        }
        self.request_document(id);
    }

    pub(crate) fn request_document(&mut self, id: DocId) {
        let request = self.library.request(id).then(|| self.library.read_file(id)).flatten();
        self.request(request);
    }

    /// Returns whether one of these paths is in the samples. They are deleted with the window, so they are not remembered.
    pub(crate) fn are_samples(&self, paths: &[PathBuf]) -> bool {
        let is_sample = |path: &PathBuf| self.samples.iter().any(|folder| path.starts_with(folder));
        paths.iter().any(is_sample)
    }
}
