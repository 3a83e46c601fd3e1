//! Moves chunks in time: dragged with the mouse, or moved with keys in steps of milliseconds.

use std::ops::Range;

use super::TapesDesk;
use crate::{Core, OpenDocument};
use calls::tape::edits::{FollowingChunks, TapeEdit};
use calls::tape::timeline::TimeRange;
use document::tape::Chunk;
use protocol::DocId;

/// A move of chunks in time; all later chunks move, too.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkDrag {
    pub chunks: Range<usize>,
    /// The distance in nanoseconds; negative for earlier.
    pub nanos: f64,
}

/// A drag with its phase.
#[derive(Clone, Debug)]
pub(super) struct ActiveDrag {
    pub(super) drag: ChunkDrag,
    state: DragPhase,
    /// The distance that keys requested while the tape is being edited, in nanoseconds.
    pending_nanos: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DragPhase {
    /// In progress.
    Held,
    /// Dropped, to be applied.
    Released,
    /// The edit is being planned, or the tape is being prepared again.
    Applied,
}

impl ChunkDrag {
    /// The edit of the drag.
    pub(super) fn to_edit(&self, chunks: &[Chunk]) -> TapeEdit {
        match (self.chunks.len(), chunks.get(self.chunks.start)) {
            // Each delay is counted from the previous chunk, so later chunks move with this one.
            (1, Some(chunk)) => TapeEdit::SetDelay {
                chunk: self.chunks.start,
                delay_nanos: chunk.delay_nanos + self.nanos,
            },
            _ => TapeEdit::Shift {
                chunks: self.chunks.clone(),
                nanos: self.nanos,
                rest: FollowingChunks::Follows,
            },
        }
    }

    /// Limits the drag, so that no chunk moves before the previous one.
    fn clamped(mut self, chunks: &[Chunk]) -> Self {
        let wait = chunks.get(self.chunks.start);
        self.nanos = self.nanos.max(-wait.map_or(0.0, |chunk| chunk.delay_nanos));
        self
    }
}

impl TapesDesk {
    /// The chunks that are being moved, while they are not at their new times.
    pub fn drag(&self) -> Option<&ChunkDrag> {
        self.drag.as_ref().map(|active_drag| &active_drag.drag)
    }

    /// Sets the drag, or cancels it. A drag that was dropped already is applied first.
    pub(super) fn drag_chunks(&mut self, pull: Option<ChunkDrag>) {
        let is_held = |active_drag: &ActiveDrag| active_drag.state == DragPhase::Held;
        if !self.drag.as_ref().is_none_or(is_held) {
            return;
        }
        let chunks = self.prepared().map_or(&[][..], |tape| tape.chunks());
        self.drag = pull.map(|pull| ActiveDrag {
            drag: pull.clamped(chunks),
            state: DragPhase::Held,
            pending_nanos: 0.0,
        });
    }

    /// Drops the chunks; the edit is applied as soon as possible.
    pub(super) fn release_drag(&mut self) {
        self.drag = self.drag.take().and_then(|active_drag| match active_drag.state {
            // A click moves nothing.
            DragPhase::Held if active_drag.drag.nanos == 0.0 => None,
            DragPhase::Held => Some(ActiveDrag { state: DragPhase::Released, ..active_drag }),
            DragPhase::Released | DragPhase::Applied => Some(active_drag),
        });
    }

    /// Moves the selected chunks. Several moves in a row are applied together if the tape is not ready yet.
    pub(crate) fn nudge(&mut self, nanos: f64) {
        match &mut self.drag {
            Some(active_drag) => active_drag.pending_nanos += nanos,
            None => {
                let chunks = self.chosen();
                self.drag_chunks(Some(ChunkDrag { chunks, nanos }));
                self.release_drag();
            }
        }
    }

    /// Cancels a drag in progress.
    pub(super) fn cancel_drag(&mut self) -> bool {
        self.drag.take_if(|active_drag| active_drag.state == DragPhase::Held).is_some()
    }

    /// The edit was applied, or failed: continues with the moves that keys requested meanwhile.
    fn on_drag_applied(&mut self) {
        let Some(active_drag) = self.drag.take() else { return };
        let ChunkDrag { chunks, nanos } = active_drag.drag;
        // The selected range stays on the chunks that have moved.
        if let Some(range) = self.transport.range {
            self.transport.set_range(Some(TimeRange {
                from_nanos: range.from_nanos + nanos,
                to_nanos: range.to_nanos + nanos,
            }));
        }
        if active_drag.pending_nanos != 0.0 {
            let nanos = active_drag.pending_nanos;
            self.drag_chunks(Some(ChunkDrag { chunks, nanos }));
            self.release_drag();
        }
    }

    /// Applies a dropped drag, and removes it when that is done.
    pub(super) fn sync_drag(&mut self, core: &mut Core) {
        if !self.selected.is_some_and(|doc| self.is_idle(core, doc)) {
            return;
        }
        if self.drag_phase() == Some(DragPhase::Applied) {
            self.on_drag_applied();
        }
        if self.drag_phase() != Some(DragPhase::Released) {
            return;
        }
        let chunks = self.prepared().map_or(&[][..], |tape| tape.chunks());
        let edit = self.drag().map(|pull| pull.to_edit(chunks));
        if let Some(active_drag) = &mut self.drag {
            active_drag.state = DragPhase::Applied;
        }
        if let Some(edit) = edit {
            self.edit_tape(core, edit);
        }
    }

    fn drag_phase(&self) -> Option<DragPhase> {
        self.drag.as_ref().map(|active_drag| active_drag.state)
    }

    /// Whether the prepared tape is up to date, and no edit is in progress.
    pub(super) fn is_idle(&self, core: &Core, doc: DocId) -> bool {
        let is_ready = match core.library.opened(doc) {
            Some(OpenDocument::Ready(_, revision)) => self.current.key == Some((doc, *revision)),
            _ => false,
        };
        is_ready && !core.pending_changes.is_expecting(doc)
    }
}
