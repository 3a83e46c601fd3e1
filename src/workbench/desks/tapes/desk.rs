//! The view state of the tapes desk: the list, the prepared tape, the playhead and the form.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::drag::ActiveDrag;
use super::form::{TapeEditForm, TapeEditKind};
use super::new_tape::NewTapeDraft;
use crate::ops::Item;
use crate::ops::tape::edits::TapeEdit;
use crate::ops::tape::prepared_tape::{PreparedTape, TapeTiming};
use crate::ops::tape::timeline::TimeRange;
use crate::ops::tape::timing::{MILLISECOND, TapeSchedule};
use crate::workbench::core::latest::Latest;
use crate::workbench::core::transport::Transport;
use crate::workbench::core::visible_range::VisibleRange;
use crate::workbench::requests::{DocId, Revision, TapeThumbnail};

/// The default of the shortest wait that is marked as a silence.
const SILENCE_NANOS: f64 = 500.0 * MILLISECOND;

/// The state of the selected tape.
#[derive(Clone, Debug)]
pub enum TapeState {
    /// No tape is selected.
    Nothing,
    /// It is being read.
    Reading,
    Ready(Arc<PreparedTape>),
    /// It cannot be shown, for this reason.
    Failed(Arc<str>),
}

/// The view state of the tapes desk.
#[derive(Debug, Default)]
pub struct TapesDesk {
    pub tapes: Vec<DocId>,
    pub(super) listed: Option<u64>,
    pub selected: Option<DocId>,
    /// The selected tape, or why it cannot be shown.
    pub(super) current: Latest<(DocId, Revision), Result<Arc<PreparedTape>, Arc<str>>>,
    pub(super) thumbnails: HashMap<DocId, TapeThumbnail>,
    pub(super) is_making_thumbnails: bool,
    pub transport: Transport,
    pub(super) visible_range: VisibleRange,
    pub(super) silence_nanos: Option<f64>,
    pub form: Option<TapeEditForm>,
    pub(super) preview: Option<EditPreview>,
    pub(super) drag: Option<ActiveDrag>,
    pub(super) new_tape: Option<NewTapeDraft>,
    /// The chunk to move the playhead to when the tape is prepared, from 1.
    pub(super) wanted_chunk: Option<usize>,
    /// The path of a new tape that is to be selected as soon as it is listed.
    pub(super) awaited_path: Option<Arc<str>>,
    pub(super) now: f64,
}

/// An edit that is previewed.
#[derive(Debug)]
pub(super) struct EditPreview {
    pub(super) doc: DocId,
    pub(super) revision: Revision,
    pub(super) edit: TapeEdit,
    /// The timing after this edit; while it is computed, after the previous one.
    pub(super) timing: Option<Result<Arc<TapeTiming>, String>>,
    pub(super) is_awaited: bool,
}

impl TapesDesk {
    /// The thumbnail of a tape; `None` until it is made.
    pub fn thumbnail(&self, doc: DocId) -> Option<&TapeThumbnail> {
        self.thumbnails.get(&doc)
    }

    /// Whether a thumbnail of this item is missing and can be requested. The thumbnail of the selected tape is made from the
    /// prepared tape, so that its file is not read twice.
    pub fn needs_thumbnail(&self, doc: DocId, item: &Item) -> bool {
        let is_of = |thumbnail: &TapeThumbnail| std::ptr::eq(&*thumbnail.item, item);
        let is_made = self.thumbnails.get(&doc).is_some_and(is_of);
        !self.is_making_thumbnails && !is_made && self.selected != Some(doc)
    }

    /// The selected tape, prepared for display; the previous version while a new one is being prepared.
    pub fn prepared(&self) -> Option<&Arc<PreparedTape>> {
        self.prepared_of(self.selected?)?.as_ref().ok()
    }

    /// The revision of the text of the prepared tape.
    pub fn revision(&self) -> Option<Revision> {
        self.current.key.map(|(_, revision)| revision)
    }

    /// The visible range of time.
    pub fn shown(&self) -> TimeRange {
        self.visible_range.stretch(self.total_nanos())
    }

    /// The shortest wait that is marked as a silence, in nanoseconds.
    pub fn silence_nanos(&self) -> f64 {
        self.silence_nanos.unwrap_or(SILENCE_NANOS)
    }

    /// The timing after the edit of the form or of the drag; `None` until it is known.
    pub fn preview(&self) -> Option<&Result<Arc<TapeTiming>, String>> {
        self.preview.as_ref()?.timing.as_ref()
    }

    /// The timing to draw over that of the tape, which an edit would change.
    pub fn edited_timing(&self) -> Option<&TapeTiming> {
        let preview = self.preview.as_ref()?;
        let is_of = self.current.key == Some((preview.doc, preview.revision));
        let timing = preview.timing.as_ref().filter(|_| is_of)?;
        timing.as_ref().ok().map(|timing| &**timing)
    }

    /// The chunks that edits apply to: those of the selected range, else the one at the playhead.
    pub fn chosen(&self) -> Range<usize> {
        let chunk = self.transport.chunk().unwrap_or_default();
        let schedule = self.schedule();
        let of_range = schedule
            .zip(self.transport.range)
            .map(|(schedule, range)| {
                schedule.arrived_before(range.from_nanos)..schedule.arrived(range.to_nanos)
            })
            .filter(|chunks| !chunks.is_empty());
        of_range.unwrap_or(chunk..chunk + 1)
    }

    /// Whether a range is selected, or the playhead is at a chunk.
    pub fn has_chosen(&self) -> bool {
        self.transport.chunk().is_some() || self.transport.range.is_some()
    }

    /// The chunks that the form applies to: the selected range, else all chunks or the one at the playhead.
    pub fn form_is_for(&self, kind: TapeEditKind) -> Range<usize> {
        let all = 0..self.schedule().map_or(0, TapeSchedule::len);
        match (kind, self.transport.range) {
            (TapeEditKind::SlowStart, None) => all,
            (TapeEditKind::Stall, None) | (_, Some(_)) => self.chosen(),
            (_, None) => all,
        }
    }

    pub(super) fn edit_to_preview(&self) -> Option<TapeEdit> {
        if let Some(pull) = self.drag() {
            return Some(pull.to_edit(self.prepared()?.chunks()));
        }
        self.form_edit()?.ok()
    }

    pub(super) fn form_edit(&self) -> Option<Result<TapeEdit, String>> {
        let form = self.form.as_ref()?;
        Some(form.edit(self.form_is_for(form.kind)))
    }

    /// Whether the playhead is in a wait of more than a minute.
    pub(in crate::workbench) fn is_in_long_wait(&self) -> bool {
        let ends = |schedule| self.transport.long_wait_end(schedule);
        self.schedule().and_then(ends).is_some()
    }

    /// Why a tape cannot be shown.
    pub(super) fn fault_of(&self, doc: DocId) -> Option<&Arc<str>> {
        self.prepared_of(doc)?.as_ref().err()
    }

    fn prepared_of(&self, doc: DocId) -> Option<&Result<Arc<PreparedTape>, Arc<str>>> {
        let is_of = self.current.key.is_some_and(|(of, _)| of == doc);
        self.current.value.as_ref().filter(|_| is_of)
    }

    fn schedule(&self) -> Option<&TapeSchedule> {
        let pace = self.transport.pace;
        self.prepared().map(|tape| tape.schedule(pace))
    }

    /// The duration of the tape, or of the tape after the edit of the form if that is longer.
    pub(super) fn total_nanos(&self) -> f64 {
        let total = self.schedule().map_or(0.0, TapeSchedule::total_nanos);
        let pace = self.transport.pace;
        // The axis must not move under the pointer that drags a chunk.
        let edited = self.edited_timing().filter(|_| self.drag.is_none());
        edited.map_or(total, |edited| edited.timeline(pace).schedule().total_nanos().max(total))
    }

    /// Runs a function on the transport with the schedule of the selected tape.
    pub(super) fn with_transport(
        &mut self,
        change: impl FnOnce(&mut Transport, &TapeSchedule, f64),
    ) {
        if let Some(tape) = self.prepared().cloned() {
            let schedule = tape.schedule(self.transport.pace);
            change(&mut self.transport, schedule, self.now);
            let total = self.total_nanos();
            self.visible_range.keep_in_sight(self.transport.nanos, total);
        }
    }
}
