//! A side-by-side comparison: its result, and the position of the user.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Conflict, Core, DeskView, Effect, Library, SourceChanges};
use check::change::Change;
use document::diff::fold::OpenFolds;
use protocol::{CompareItems, CompareSourceVersions, ComparedCalls, DocId, SourceComparison};

/// The compared items, the result, and the position of the user.
#[derive(Clone, Debug)]
pub struct SideBySide {
    pub(crate) view: DeskView,
    pub content: SideBySideContent,
    pub change: usize,
    /// The changes of a compared source, which [`change`](Self::change) counts; empty for other views.
    pub source: SourceChanges,
    opened: BTreeMap<usize, OpenFolds>,
    /// Grows with every change of the result or the folds, so that views update their layout.
    pub revision: u64,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum SideBySideContent {
    /// In progress.
    Working,
    /// Two recordings, or a recording and a request.
    Recordings(Arc<ComparedCalls>),
    /// A source at the time of recording and now.
    Source(Arc<SourceComparison>),
    /// A document in its base version, on disk and as edited here.
    Versions(Conflict),
    /// Failed, for this reason.
    Failed(Arc<str>),
}

impl Core {
    /// Stores a comparison, unless another view is shown by now.
    pub(crate) fn on_comparison(
        &mut self,
        view: DeskView,
        result: Result<SideBySideContent, String>,
    ) {
        if let Some(side) = self.side.as_mut().filter(|side| side.view == view) {
            side.content = result.unwrap_or_else(|reason| SideBySideContent::Failed(reason.into()));
            // Filled by `sync_source_changes`, which needs the library.
            side.source = SourceChanges::default();
            side.revision += 1;
        }
    }

    /// Compares other calls of the compared files, by their place in the run. What is shown stays until then.
    pub(crate) fn compare_call(&mut self, call: usize) {
        let DeskView::Compare { left, right } = self.here().view else { return };
        let Some(side) = &mut self.side else { return };
        side.change = 0;
        if let Some(request) = self.library.compare(left, right) {
            self.request(Effect::run(CompareItems { call: Some(call), ..request }));
        }
    }

    /// Returns the edit that renames a tool in recordings, as the selected change of their source did.
    pub(crate) fn tool_rename(&self) -> Option<(Change, Vec<DocId>)> {
        let side = self.side.as_ref()?;
        Some(side.source.lines.get(side.change)?.renames.first()?.change(&side.source.affected))
    }

    /// Updates the changes of a compared source after the library changed. The selected change stays selected.
    pub(crate) fn sync_source_changes(&mut self) {
        let Some(side) = &mut self.side else { return };
        let DeskView::Source(doc) = side.view else { return };
        if side.source.is_current(&self.library) {
            return;
        }
        let source = match &side.content {
            SideBySideContent::Source(source) => Some(&**source),
            _ => None,
        };
        let changes = SourceChanges::new(&self.library, doc, source);
        let lines = &side.source.lines;
        let position = lines.get(side.change).and_then(|old| {
            let mut lines = changes.lines.iter();
            // By number, because rows are sorted by the recordings they break, and that changes.
            lines.position(|line| line.number == old.number)
        });
        side.change = position.unwrap_or(0);
        side.source = changes;
        side.revision += 1;
    }
}

impl Library {
    /// Returns the request that compares two items.
    pub(crate) fn compare(&self, left: DocId, right: DocId) -> Option<CompareItems> {
        let (left, right) = ((left, self.share(left)?), (right, self.share(right)?));
        Some(CompareItems { left, right, call: None })
    }

    /// Returns the request that looks up the source of a recording.
    pub(crate) fn compare_source(&self, doc: DocId) -> Option<CompareSourceVersions> {
        Some(CompareSourceVersions { doc, item: self.share(doc)? })
    }
}

impl SideBySide {
    pub(crate) fn new(view: DeskView) -> Self {
        Self {
            view,
            content: SideBySideContent::Working,
            change: 0,
            source: SourceChanges::default(),
            opened: BTreeMap::new(),
            revision: 0,
        }
    }

    /// The open folds of a section; a source is one section, number 0.
    pub fn opened(&self, section: usize) -> Option<&OpenFolds> {
        self.opened.get(&section)
    }

    /// Number of changes to step through.
    pub fn changes(&self) -> usize {
        match &self.content {
            SideBySideContent::Recordings(recordings) => recordings.calls.differences.len(),
            SideBySideContent::Source(_) => self.source.lines.len(),
            SideBySideContent::Versions(conflict) => conflict.places.len(),
            SideBySideContent::Working | SideBySideContent::Failed(_) => 0,
        }
    }

    pub(crate) fn show(&mut self, change: usize) {
        self.change = change.min(self.changes().saturating_sub(1));
    }

    pub(crate) fn toggle(&mut self, section: usize, fold: usize) {
        let open_folds = self.opened.entry(section).or_default();
        if !open_folds.remove(&fold) {
            open_folds.insert(fold);
        }
        self.revision += 1;
    }
}
