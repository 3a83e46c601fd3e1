//! Moves chunks in time: dragged with the mouse, or moved with keys in steps of milliseconds.

use std::ops::Range;

use super::desk::TapesDesk;
use crate::format::tape::Chunk;
use crate::ops::tape::edits::{FollowingChunks, TapeEdit};
use crate::ops::tape::timeline::TimeRange;
use crate::workbench::event::Effect;
use crate::workbench::library::{DocId, Opened};
use crate::workbench::state::Workbench;

/// A move of chunks in time; all later chunks move, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// The chunks.
    pub chunks: Range<usize>,
    /// The distance in nanoseconds; negative for earlier.
    pub nanos: f64,
}

/// A drag with its phase.
#[derive(Clone, Debug)]
pub(super) struct Pulling {
    pub(super) pull: Pull,
    state: State,
    /// The distance that keys requested while the tape is being edited, in nanoseconds.
    owed_nanos: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In progress.
    Held,
    /// Dropped, to be applied.
    LetGo,
    /// The edit is being planned, or the tape is being prepared again.
    Made,
}

impl Pull {
    /// The edit of the drag.
    pub(super) fn cut(&self, chunks: &[Chunk]) -> TapeEdit {
        match (self.chunks.len(), chunks.get(self.chunks.start)) {
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
    fn within(mut self, chunks: &[Chunk]) -> Self {
        let wait = chunks.get(self.chunks.start);
        self.nanos = self.nanos.max(-wait.map_or(0.0, |chunk| chunk.delay_nanos));
        self
    }
}

impl TapesDesk {
    /// The chunks that are being moved, while they are not at their new times.
    pub fn pull(&self) -> Option<&Pull> {
        self.pulling.as_ref().map(|pulling| &pulling.pull)
    }

    /// Sets the drag, or cancels it. A drag that was dropped already is applied first.
    pub(super) fn pull_by(&mut self, pull: Option<Pull>) {
        let is_held = |pulling: &Pulling| pulling.state == State::Held;
        if !self.pulling.as_ref().is_none_or(is_held) {
            return;
        }
        let chunks = self.reel().map_or(&[][..], |tape| tape.chunks());
        self.pulling = pull.map(|pull| Pulling {
            pull: pull.within(chunks),
            state: State::Held,
            owed_nanos: 0.0,
        });
    }

    /// Drops the chunks; the edit is applied as soon as possible.
    pub(super) fn let_go(&mut self) {
        self.pulling = self.pulling.take().and_then(|pulling| match pulling.state {
            State::Held if pulling.pull.nanos == 0.0 => None,
            State::Held => Some(Pulling {
                state: State::LetGo,
                ..pulling
            }),
            State::LetGo | State::Made => Some(pulling),
        });
    }

    /// Moves the selected chunks. Several moves in a row are applied together if the tape is not ready yet.
    pub(in crate::workbench) fn push(&mut self, nanos: f64) {
        match &mut self.pulling {
            Some(pulling) => pulling.owed_nanos += nanos,
            None => {
                let chunks = self.chosen();
                self.pull_by(Some(Pull { chunks, nanos }));
                self.let_go();
            }
        }
    }

    /// Cancels a drag in progress.
    pub(super) fn give_pull_up(&mut self) -> bool {
        let gone = self.pulling.take_if(|pulling| pulling.state == State::Held);
        gone.is_some()
    }

    /// The edit was applied, or failed: continues with the moves that keys requested meanwhile.
    fn pulled(&mut self) {
        let Some(pulling) = self.pulling.take() else {
            return;
        };
        let Pull { chunks, nanos } = pulling.pull;
        if let Some(range) = self.transport.range() {
            self.transport.set_range(Some(TimeRange {
                from_nanos: range.from_nanos + nanos,
                to_nanos: range.to_nanos + nanos,
            }));
        }
        if pulling.owed_nanos != 0.0 {
            let nanos = pulling.owed_nanos;
            self.pull_by(Some(Pull { chunks, nanos }));
            self.let_go();
        }
    }
}

impl Workbench {
    /// Applies a dropped drag, and removes it when that is done.
    pub(super) fn follow_pull(&mut self) -> Vec<Effect> {
        if !self.tapes.selected.is_some_and(|doc| self.is_at_rest(doc)) {
            return Vec::new();
        }
        if self.state_of_pull() == Some(State::Made) {
            self.tapes.pulled();
        }
        if self.state_of_pull() != Some(State::LetGo) {
            return Vec::new();
        }
        let chunks = self.tapes.reel().map_or(&[][..], |tape| tape.chunks());
        let cut = self.tapes.pull().map(|pull| pull.cut(chunks));
        if let Some(pulling) = &mut self.tapes.pulling {
            pulling.state = State::Made;
        }
        cut.map_or_else(Vec::new, |cut| self.cut_tape(cut))
    }

    fn state_of_pull(&self) -> Option<State> {
        self.tapes.pulling.as_ref().map(|pulling| pulling.state)
    }

    /// Whether the prepared tape is up to date, and no edit is in progress.
    fn is_at_rest(&self, doc: DocId) -> bool {
        let current = self.tapes.laid.as_ref();
        let is_ready = match self.library.opened(doc) {
            Some(Opened::Ready(_, revision)) => {
                current.is_some_and(|current| (current.doc, current.revision) == (doc, *revision))
            }
            _ => false,
        };
        is_ready && !self.waiting.is_expecting(doc)
    }
}
