//! What the tapes desk shows: the list, the tape that is ready, the playhead, the form.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::action::Glance;
use super::form::{CutForm, CutKind};
use super::making::Making;
use super::pull::Pulling;
use super::takes::Over;
use super::transport::Transport;
use super::verifying::Verifying;
use super::window::Window;
use crate::ops::Item;
use crate::ops::tape::cut::Cut;
use crate::ops::tape::reel::Reel;
use crate::ops::tape::timeline::Stretch;
use crate::ops::tape::timing::{MILLISECOND, Schedule, Stats};
use crate::workbench::library::DocId;
use crate::workbench::working_copy::Revision;

/// From which wait on a silence is marked, at first.
const SILENCE_NANOS: f64 = 500.0 * MILLISECOND;

/// How the selected tape stands.
#[derive(Clone, Debug)]
pub enum Shown {
    /// No tape is selected.
    Nothing,
    /// It is being read.
    Reading,
    /// Here it is.
    Ready(Arc<Reel>),
    /// It cannot be shown, for this reason.
    Failed(Arc<str>),
}

/// How the tapes desk is shown.
#[derive(Debug, Default)]
pub struct TapesDesk {
    pub(super) tapes: Vec<DocId>,
    pub(super) listed: Option<u64>,
    pub(super) selected: Option<DocId>,
    pub(super) laid: Option<Laid>,
    pub(super) awaited: Option<(DocId, Revision)>,
    pub(super) glances: HashMap<DocId, Glance>,
    pub(super) glancing: bool,
    pub(super) transport: Transport,
    pub(super) window: Window,
    pub(super) silence_nanos: Option<f64>,
    pub(super) form: Option<CutForm>,
    pub(super) tried: Option<Tried>,
    pub(super) over: Over,
    pub(super) verifying: Option<Verifying>,
    pub(super) pulling: Option<Pulling>,
    pub(super) making: Option<Making>,
    /// The path of a new tape that is to be shown as soon as it is listed.
    pub(super) awaited_path: Option<Arc<str>>,
    pub(super) now: f64,
}

/// A cut that is looked at before it is made.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) doc: DocId,
    pub(super) revision: Revision,
    pub(super) cut: Cut,
    /// Of this cut; while it is awaited, of the one before.
    pub(super) stats: Option<Result<Stats, String>>,
    pub(super) is_awaited: bool,
}

/// A tape that is ready.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) doc: DocId,
    pub(super) revision: Revision,
    pub(super) reel: Option<Arc<Reel>>,
}

impl TapesDesk {
    /// Every tape that is open, in the order of their paths.
    pub fn tapes(&self) -> &[DocId] {
        &self.tapes
    }

    /// The tape that is shown.
    pub fn selected(&self) -> Option<DocId> {
        self.selected
    }

    /// A tape in a few columns; `None` until that is made.
    pub fn glance(&self, doc: DocId) -> Option<&[f32]> {
        self.glances.get(&doc).map(|glance| &*glance.columns)
    }

    /// Whether a miniature has to be made of this row of a file, and can be asked for. That of the selected tape is made when the
    /// tape is ready; its file is not read for that a second time.
    pub fn wants_glance(&self, doc: DocId, item: &Item) -> bool {
        let is_of = |glance: &Glance| std::ptr::eq(&*glance.of, item);
        let is_made = self.glances.get(&doc).is_some_and(is_of);
        !self.glancing && !is_made && self.selected != Some(doc)
    }

    /// The selected tape, made ready. While another text of it is being read, as it was before.
    pub fn reel(&self) -> Option<&Arc<Reel>> {
        let laid = self.laid.as_ref();
        let laid = laid.filter(|laid| Some(laid.doc) == self.selected)?;
        laid.reel.as_ref()
    }

    /// The text that the tape was made ready from.
    pub fn revision(&self) -> Option<Revision> {
        self.laid.as_ref().map(|laid| laid.revision)
    }

    /// The playhead, and how it moves.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The stretch of time that is shown.
    pub fn shown(&self) -> Stretch {
        self.window.stretch(self.total_nanos())
    }

    /// From which wait on a silence is marked, in nanoseconds.
    pub fn silence_nanos(&self) -> f64 {
        self.silence_nanos.unwrap_or(SILENCE_NANOS)
    }

    /// The form that is being filled in.
    pub fn form(&self) -> Option<&CutForm> {
        self.form.as_ref()
    }

    /// What the tape would be like after the cut that the form describes, or after the pull; `None` until that is known.
    pub fn tried(&self) -> Option<&Result<Stats, String>> {
        self.tried.as_ref()?.stats.as_ref()
    }

    /// The chunks that cuts are for: those of the chosen range, else the one at the playhead.
    pub fn chosen(&self) -> Range<usize> {
        let chunk = self.transport.chunk().unwrap_or_default();
        let schedule = self.schedule();
        let of_range = schedule
            .zip(self.transport.range())
            .map(|(schedule, range)| {
                schedule.arrived_before(range.from_nanos)..schedule.arrived(range.to_nanos)
            });
        let of_range = of_range.filter(|chunks| !chunks.is_empty());
        of_range.unwrap_or(chunk..chunk + 1)
    }

    /// Whether a range is chosen, or the playhead is at a chunk.
    pub fn has_chosen(&self) -> bool {
        self.transport.chunk().is_some() || self.transport.range().is_some()
    }

    /// What the form is for: the chosen range; where none is, all chunks, or for what is done to one chunk that at the playhead.
    pub fn form_is_for(&self, kind: CutKind) -> Range<usize> {
        let all = 0..self.schedule().map_or(0, Schedule::len);
        match (kind, self.transport.range()) {
            (CutKind::SlowStart | CutKind::Redact, None) => all,
            (CutKind::Stall, None) | (_, Some(_)) => self.chosen(),
            (_, None) => all,
        }
    }

    /// The cut that is looked at before it is made.
    pub(super) fn cut_to_try(&self) -> Option<Cut> {
        if let Some(pull) = self.pull() {
            return Some(pull.cut(self.reel()?.chunks()));
        }
        self.form_cut()?.ok()
    }

    pub(super) fn form_cut(&self) -> Option<Result<Cut, String>> {
        let form = self.form.as_ref()?;
        Some(form.cut(self.form_is_for(form.kind)))
    }

    /// Whether the playhead is in a wait of more than a minute.
    pub(in crate::workbench) fn is_in_long_wait(&self) -> bool {
        let ends = |schedule| self.transport.long_wait_ends(schedule);
        self.schedule().and_then(ends).is_some()
    }

    pub(super) fn is_no_tape(&self, doc: DocId) -> bool {
        let laid = self.laid.as_ref();
        laid.is_some_and(|laid| laid.doc == doc && laid.reel.is_none())
    }

    fn schedule(&self) -> Option<&Schedule> {
        let pace = self.transport.pace();
        self.reel().map(|reel| reel.schedule(pace))
    }

    /// How long the tape is, or the other take that lies over it where that is longer.
    pub(super) fn total_nanos(&self) -> f64 {
        let total = self.schedule().map_or(0.0, Schedule::total_nanos);
        total.max(self.over.total_nanos(&self.transport))
    }

    /// Has the transport do something with the tape that is shown.
    pub(super) fn play(&mut self, deed: impl FnOnce(&mut Transport, &Schedule, f64)) {
        if let Some(reel) = self.reel().cloned() {
            let schedule = reel.schedule(self.transport.pace());
            deed(&mut self.transport, schedule, self.now);
            let total = self.total_nanos();
            self.window.keep_in_sight(self.transport.nanos(), total);
        }
    }

    /// The same desk for the same project, read again.
    pub(in crate::workbench) fn again(&mut self) -> Self {
        Self {
            silence_nanos: self.silence_nanos,
            transport: self.transport.rewound(),
            over: self.over.fresh(),
            now: self.now,
            ..Self::default()
        }
    }
}
