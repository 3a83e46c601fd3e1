//! The tapes desk: one streamed answer at a time, along the axis of its time.

mod form;
mod transport;
mod window;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::action::Step;
use super::event::Effect;
use super::library::{DocId, Opened};
use super::navigation::{Desk, Location, View};
use super::state::Workbench;
use super::working_copy::Revision;
use crate::format::{Kind, Severity};
use crate::ops::Item;
use crate::ops::tape::cut::Cut;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::reel::Reel;
use crate::ops::tape::timeline::Stretch;
use crate::ops::tape::timing::{MILLISECOND, Pace, Schedule, Stats};

pub use form::{CutForm, CutKind};
pub use transport::{AtEnd, Transport};
pub use window::Zoom;

/// From which wait on a silence is marked, at first.
const SILENCE_NANOS: f64 = 500.0 * MILLISECOND;

/// Something the user asked for on the tapes desk.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesAction {
    /// Show this tape.
    Select(DocId),
    /// These tapes are in sight, and have no miniature yet.
    Glance(Vec<DocId>),
    /// Go to a moment, in nanoseconds since the start of the call.
    Seek(f64),
    /// Go to the moment at which so many chunks have come.
    GoTo(usize),
    /// Play so fast.
    SetSpeed(Speed),
    /// Play by these delays.
    SetPace(Pace),
    /// Choose this stretch of time, or none.
    SetRange(Option<Stretch>),
    /// Mark silences from so many nanoseconds on.
    SetSilence(f64),
    /// Show this stretch of time.
    Show(Stretch),
    /// Show more or less of the tape.
    Zoom(Zoom),
    /// Change the stream of the tape that is shown.
    Cut(Cut),
    /// Fill in this form, or none.
    Edit(Option<CutForm>),
    /// Make the cut that the form describes.
    Apply,
}

/// What the tapes desk asks of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesEffect {
    /// Make this tape ready, as it was read from the text with this name.
    Lay(DocId, Revision),
    /// Find the bytes of a cut in the text with this name.
    Cut(DocId, Revision, Cut),
    /// Find out what a tape would be like after a cut.
    Try(DocId, Cut),
    /// Make the miniatures of these tapes.
    Glance(Vec<DocId>),
}

/// What the engine answers.
#[derive(Clone, Debug)]
pub enum TapesEvent {
    /// A tape is ready; `None`: it is no tape.
    Laid(DocId, Revision, Option<Arc<Reel>>),
    /// The cut of the text with this name would change nothing.
    Unchanged(DocId, Revision),
    /// What a tape would be like after a cut, or why that cannot be made.
    Tried(Cut, Result<Stats, String>),
    /// Miniatures, each with the row of the file that it was made of.
    Glanced(Vec<(DocId, Glance)>),
}

/// A tape in a few columns.
#[derive(Clone, Debug)]
pub struct Glance {
    /// The row of the file that it was made of.
    pub of: Arc<Item>,
    /// Each from 0 to 1; none where the file cannot be read.
    pub columns: Arc<[f32]>,
}

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
    tapes: Vec<DocId>,
    listed: Option<u64>,
    selected: Option<DocId>,
    laid: Option<Laid>,
    awaited: Option<(DocId, Revision)>,
    glances: HashMap<DocId, Glance>,
    glancing: bool,
    transport: Transport,
    window: window::Window,
    silence_nanos: Option<f64>,
    form: Option<CutForm>,
    tried: Option<Tried>,
    now: f64,
}

/// A cut that is looked at before it is made.
#[derive(Debug)]
struct Tried {
    doc: DocId,
    revision: Revision,
    cut: Cut,
    stats: Option<Result<Stats, String>>,
}

/// A tape that is ready.
#[derive(Debug)]
struct Laid {
    doc: DocId,
    revision: Revision,
    reel: Option<Arc<Reel>>,
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

    /// Whether a miniature has to be made of this row of a file, and can be asked for.
    pub fn wants_glance(&self, doc: DocId, item: &Item) -> bool {
        let is_of = |glance: &Glance| std::ptr::eq(&*glance.of, item);
        !self.glancing && !self.glances.get(&doc).is_some_and(is_of)
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

    /// What the tape would be like after the cut that the form describes; `None` until that is known.
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

    /// What the form is for: the chosen range; where none is, all chunks, or for what is done to one chunk that at the playhead.
    pub fn form_is_for(&self, kind: CutKind) -> Range<usize> {
        let all = 0..self.schedule().map_or(0, Schedule::len);
        match (kind, self.transport.range()) {
            (CutKind::SlowStart | CutKind::Redact, None) => all,
            (CutKind::Stall, None) | (_, Some(_)) => self.chosen(),
            (_, None) => all,
        }
    }

    fn form_cut(&self) -> Option<Result<Cut, String>> {
        let form = self.form.as_ref()?;
        Some(form.cut(self.form_is_for(form.kind)))
    }

    /// Whether the playhead is in a wait of more than a minute.
    pub(super) fn is_in_long_wait(&self) -> bool {
        let ends = |schedule| self.transport.long_wait_ends(schedule);
        self.schedule().and_then(ends).is_some()
    }

    fn is_no_tape(&self, doc: DocId) -> bool {
        let laid = self.laid.as_ref();
        laid.is_some_and(|laid| laid.doc == doc && laid.reel.is_none())
    }

    fn schedule(&self) -> Option<&Schedule> {
        let pace = self.transport.pace();
        self.reel().map(|reel| reel.schedule(pace))
    }

    fn total_nanos(&self) -> f64 {
        self.schedule().map_or(0.0, Schedule::total_nanos)
    }

    /// Has the transport do something with the tape that is shown.
    fn play(&mut self, deed: impl FnOnce(&mut Transport, &Schedule, f64)) {
        if let Some(reel) = self.reel().cloned() {
            let schedule = reel.schedule(self.transport.pace());
            deed(&mut self.transport, schedule, self.now);
            let total = schedule.total_nanos();
            self.window.keep_in_sight(self.transport.nanos(), total);
        }
    }

    /// The same desk for the same project, read again.
    pub(super) fn again(&mut self) -> Self {
        Self {
            silence_nanos: self.silence_nanos,
            transport: self.transport.rewound(),
            now: self.now,
            ..Self::default()
        }
    }
}

impl Workbench {
    /// How the tapes desk is shown.
    pub fn tapes_desk(&self) -> &TapesDesk {
        &self.tapes
    }

    /// How the selected tape stands.
    pub fn tape_shown(&self) -> Shown {
        let Some(doc) = self.tapes.selected else {
            return Shown::Nothing;
        };
        match (self.tapes.reel(), self.library.opened(doc)) {
            (Some(reel), _) => Shown::Ready(Arc::clone(reel)),
            (None, Some(Opened::Failed(reason))) => Shown::Failed(Arc::clone(reason)),
            (None, Some(Opened::Ready(..))) if self.tapes.is_no_tape(doc) => {
                Shown::Failed("The file is no tape any more".into())
            }
            _ => Shown::Reading,
        }
    }

    /// Tells the time, in seconds since any moment: the playhead moves with it.
    pub fn tell_time(&mut self, now: f64) {
        self.tapes.now = now;
        if self.tapes.transport.is_playing() {
            self.tapes.play(Transport::tick);
        }
    }

    /// Whether tapes are shown.
    pub(super) fn shows_tapes(&self) -> bool {
        let (desk, view) = (Desk::Tapes, View::List);
        self.here() == Location { desk, view }
    }

    /// Does what the user asked for on the tapes desk.
    pub(super) fn act_on_tapes(&mut self, action: TapesAction) -> Vec<Effect> {
        let tapes = &mut self.tapes;
        match action {
            TapesAction::Select(doc) => return self.select_tape(doc),
            TapesAction::Glance(docs) => {
                tapes.glancing = true;
                return vec![Effect::Tapes(TapesEffect::Glance(docs))];
            }
            TapesAction::Seek(nanos) => {
                tapes.play(|transport, schedule, now| transport.seek(schedule, nanos, now));
            }
            TapesAction::GoTo(arrived) => {
                tapes.play(|transport, schedule, _| transport.go_to(schedule, arrived));
            }
            TapesAction::SetSpeed(speed) => tapes.transport.set_speed(speed, tapes.now),
            TapesAction::SetPace(pace) => {
                if let Some(reel) = tapes.reel().cloned() {
                    tapes.transport.set_pace(pace, reel.schedule(pace));
                }
            }
            TapesAction::Cut(cut) => return self.cut_tape(cut),
            TapesAction::Edit(form) => {
                tapes.form = form;
                tapes.tried = None;
            }
            TapesAction::Apply => return self.apply_form_of_tape(),
            TapesAction::SetRange(range) => tapes.transport.set_range(range),
            TapesAction::SetSilence(nanos) => tapes.silence_nanos = Some(nanos),
            TapesAction::Show(stretch) => tapes.window.show(stretch, tapes.total_nanos()),
            TapesAction::Zoom(zoom) => {
                let (total, nanos) = (tapes.total_nanos(), tapes.transport.nanos());
                tapes.window.zoom(zoom, nanos, total);
            }
        }
        Vec::new()
    }

    fn select_tape(&mut self, doc: DocId) -> Vec<Effect> {
        if self.tapes.selected != Some(doc) {
            self.tapes.selected = Some(doc);
            self.tapes.transport = self.tapes.transport.rewound();
            self.tapes.window = window::Window::default();
            self.tapes.form = None;
        }
        self.want(doc)
    }

    /// Asks for the bytes that a cut replaces.
    fn cut_tape(&mut self, cut: Cut) -> Vec<Effect> {
        let (Some(doc), Some(base)) = (self.tapes.selected, self.tapes.revision()) else {
            return Vec::new();
        };
        if self.is_to_be_edited(doc, base) {
            return vec![Effect::Tapes(TapesEffect::Cut(doc, base, cut))];
        }
        Vec::new()
    }

    fn apply_form_of_tape(&mut self) -> Vec<Effect> {
        match self.tapes.form_cut() {
            Some(Ok(cut)) => {
                self.tapes.form = None;
                self.cut_tape(cut)
            }
            Some(Err(reason)) => {
                self.notify(Severity::Warning, format!("{reason}."));
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Gives the form up, or the chosen range.
    pub(super) fn close_form_of_tape(&mut self) {
        if self.tapes.form.take().is_none() {
            self.tapes.transport.set_range(None);
        }
    }

    /// Has the cut tried that the form describes, once for each that it comes to describe.
    fn try_cut(&mut self) -> Option<Effect> {
        let tapes = &mut self.tapes;
        let Some(Ok(cut)) = tapes.form_cut() else {
            tapes.tried = None;
            return None;
        };
        let (doc, revision) = (tapes.selected?, tapes.revision()?);
        let is_tried =
            |tried: &Tried| (tried.doc, tried.revision, &tried.cut) == (doc, revision, &cut);
        if tapes.tried.as_ref().is_some_and(is_tried) {
            return None;
        }
        tapes.tried = Some(Tried {
            doc,
            revision,
            cut: cut.clone(),
            stats: None,
        });
        Some(Effect::Tapes(TapesEffect::Try(doc, cut)))
    }

    /// Plays or pauses.
    pub(super) fn play_tape(&mut self) {
        self.tapes.play(Transport::toggle);
    }

    /// Plays the chosen range again and again, or no longer.
    pub(super) fn toggle_loop(&mut self) {
        let transport = &mut self.tapes.transport;
        transport.set_at_end(match transport.at_end() {
            AtEnd::Stop => AtEnd::Repeat,
            AtEnd::Repeat => AtEnd::Stop,
        });
    }

    /// Goes on to the next wait's end: nobody has to sit through it.
    pub(super) fn skip_wait(&mut self) {
        self.tapes.play(|transport, schedule, now| {
            if let Some(end) = transport.long_wait_ends(schedule) {
                transport.seek(schedule, end, now);
            }
        });
    }

    /// Goes a chunk on or back.
    pub(super) fn step_chunk(&mut self, step: Step) {
        self.tapes.play(|transport, schedule, _| {
            let arrived = match step {
                Step::Next => transport.arrived() + 1,
                Step::Previous => transport.arrived().saturating_sub(1),
            };
            transport.go_to(schedule, arrived);
        });
    }

    /// Goes to the start or the end of the tape.
    pub(super) fn step_to_end_of_tape(&mut self, step: Step) {
        self.tapes.play(|transport, schedule, _| {
            let arrived = match step {
                Step::Next => schedule.len(),
                Step::Previous => 0,
            };
            transport.go_to(schedule, arrived);
        });
    }

    /// Goes on by some tapes.
    pub(super) fn step_tape(&mut self, by: isize) -> Vec<Effect> {
        let tapes = &self.tapes.tapes;
        let at = tapes
            .iter()
            .position(|doc| Some(*doc) == self.tapes.selected);
        let last = tapes.len().saturating_sub(1);
        let to = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        match tapes.get(to).copied() {
            Some(doc) => self.select_tape(doc),
            None => Vec::new(),
        }
    }

    /// Takes what the engine made.
    pub(super) fn tapes_made(&mut self, event: TapesEvent) -> Vec<Effect> {
        let tapes = &mut self.tapes;
        match event {
            TapesEvent::Laid(doc, revision, reel) if tapes.awaited == Some((doc, revision)) => {
                tapes.awaited = None;
                tapes.laid = Some(Laid {
                    doc,
                    revision,
                    reel,
                });
                tapes.play(|transport, schedule, _| transport.follow(schedule));
            }
            TapesEvent::Laid(..) => {}
            TapesEvent::Unchanged(doc, base) => {
                self.notify(Severity::Note, "The tape is like that already.");
                return self.run_what_waited(doc, base);
            }
            TapesEvent::Tried(cut, stats) => {
                if let Some(tried) = tapes.tried.as_mut().filter(|tried| tried.cut == cut) {
                    tried.stats = Some(stats);
                }
            }
            TapesEvent::Glanced(glances) => {
                tapes.glancing = false;
                tapes.glances.extend(glances);
            }
        }
        Vec::new()
    }

    /// Sees to it that the desk follows what is open, while it is shown.
    pub(super) fn follow_tapes(&mut self) -> Vec<Effect> {
        if !self.shows_tapes() || self.progress.is_some() {
            self.tapes.transport.pause();
            return Vec::new();
        }
        let mut effects = self.list_tapes();
        let Some(doc) = self.tapes.selected else {
            return effects;
        };
        if self.library.opened(doc).is_none() {
            effects.extend(self.want(doc));
        }
        if let Some(Opened::Ready(_, revision)) = self.library.opened(doc) {
            let wanted = (doc, *revision);
            let laid = self.tapes.laid.as_ref();
            let is_laid = laid.is_some_and(|laid| (laid.doc, laid.revision) == wanted);
            if !is_laid && self.tapes.awaited != Some(wanted) {
                self.tapes.awaited = Some(wanted);
                effects.push(Effect::Tapes(TapesEffect::Lay(doc, *revision)));
            }
        }
        effects.extend(self.try_cut());
        effects
    }

    /// Lists the tapes anew where items came, went or changed.
    fn list_tapes(&mut self) -> Vec<Effect> {
        let listed = Some(self.library.items_revision());
        if self.tapes.listed == listed {
            return Vec::new();
        }
        self.tapes.listed = listed;
        let library = &self.library;
        let is_tape = |(_, item): &(DocId, &Item)| item.kind == Kind::Tape;
        let mut tapes: Vec<(&str, DocId)> = library
            .iter()
            .filter(is_tape)
            .map(|(doc, item)| (&*item.root_path, doc))
            .collect();
        tapes.sort_unstable();
        self.tapes.tapes = tapes.into_iter().map(|(_, doc)| doc).collect();
        let is_open = |doc: &DocId| library.get(*doc).is_some();
        let selected = self.tapes.selected.filter(is_open);
        // What is selected in the library is what the user was looking at.
        let looked_at = self
            .list
            .selected
            .filter(|doc| self.tapes.tapes.contains(doc));
        let first = self.tapes.tapes.first().copied();
        match selected.or(looked_at).or(first) {
            Some(doc) => self.select_tape(doc),
            None => {
                self.tapes.selected = None;
                Vec::new()
            }
        }
    }
}
