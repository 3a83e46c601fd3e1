//! Chunks that are moved along the axis of time: dragged, or pushed by keys a millisecond at a time.

use std::ops::Range;

use super::desk::TapesDesk;
use crate::format::tape::Chunk;
use crate::ops::tape::cut::{Cut, Rest};
use crate::ops::tape::timeline::Stretch;
use crate::workbench::event::Effect;
use crate::workbench::library::{DocId, Opened};
use crate::workbench::state::Workbench;

/// Chunks that come later or earlier, all behind them as well.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// Which.
    pub chunks: Range<usize>,
    /// By how much later, in nanoseconds; below 0 for earlier.
    pub nanos: f64,
}

/// A pull, and how far it has come.
#[derive(Clone, Debug)]
pub(super) struct Pulling {
    pub(super) pull: Pull,
    state: State,
    /// What keys ask for while the tape is being changed, in nanoseconds.
    owed_nanos: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It may still become another one.
    Held,
    /// It is to be made.
    LetGo,
    /// Its bytes are being found, or the tape is being made ready.
    Made,
}

impl Pull {
    /// The cut that makes it.
    pub(super) fn cut(&self, chunks: &[Chunk]) -> Cut {
        match (self.chunks.len(), chunks.get(self.chunks.start)) {
            (1, Some(chunk)) => Cut::SetDelay {
                chunk: self.chunks.start,
                delay_nanos: chunk.delay_nanos + self.nanos,
            },
            _ => Cut::Shift {
                chunks: self.chunks.clone(),
                nanos: self.nanos,
                rest: Rest::Follows,
            },
        }
    }

    /// The same, but not before the chunk in front.
    fn within(mut self, chunks: &[Chunk]) -> Self {
        let wait = chunks.get(self.chunks.start);
        self.nanos = self.nanos.max(-wait.map_or(0.0, |chunk| chunk.delay_nanos));
        self
    }
}

impl TapesDesk {
    /// Chunks that are being moved, and are not where they will be.
    pub fn pull(&self) -> Option<&Pull> {
        self.pulling.as_ref().map(|pulling| &pulling.pull)
    }

    /// Moves chunks, or no longer. What was let go of already is made first.
    pub(super) fn pull_by(&mut self, pull: Option<Pull>) {
        let is_held = |pulling: &Pulling| pulling.state == State::Held;
        if !self.pulling.as_ref().is_none_or(is_held) {
            return;
        }
        let chunks = self.reel().map_or(&[][..], |reel| reel.chunks());
        self.pulling = pull.map(|pull| Pulling {
            pull: pull.within(chunks),
            state: State::Held,
            owed_nanos: 0.0,
        });
    }

    /// Makes the pull, as soon as that can be.
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

    /// Lets the chosen chunks come so much later. Several pushes in a row are made together where the tape is not ready yet.
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

    /// Gives a pull up that is still held.
    pub(super) fn give_pull_up(&mut self) -> bool {
        let gone = self.pulling.take_if(|pulling| pulling.state == State::Held);
        gone.is_some()
    }

    /// The tape is as the pull wanted it, or cannot be: goes on with what keys asked for meanwhile.
    fn pulled(&mut self) {
        let Some(pulling) = self.pulling.take() else {
            return;
        };
        let Pull { chunks, nanos } = pulling.pull;
        if let Some(range) = self.transport.range() {
            self.transport.set_range(Some(Stretch {
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
    /// Makes a pull that was let go of, and forgets it when it is made.
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
        let chunks = self.tapes.reel().map_or(&[][..], |reel| reel.chunks());
        let cut = self.tapes.pull().map(|pull| pull.cut(chunks));
        if let Some(pulling) = &mut self.tapes.pulling {
            pulling.state = State::Made;
        }
        cut.map_or_else(Vec::new, |cut| self.cut_tape(cut))
    }

    fn state_of_pull(&self) -> Option<State> {
        self.tapes.pulling.as_ref().map(|pulling| pulling.state)
    }

    /// Whether the tape is ready as its text is now, and no change of it is on its way.
    fn is_at_rest(&self, doc: DocId) -> bool {
        let laid = self.tapes.laid.as_ref();
        let is_ready = match self.library.opened(doc) {
            Some(Opened::Ready(_, revision)) => {
                laid.is_some_and(|laid| (laid.doc, laid.revision) == (doc, *revision))
            }
            _ => false,
        };
        is_ready && !self.waiting.is_expecting(doc)
    }
}
