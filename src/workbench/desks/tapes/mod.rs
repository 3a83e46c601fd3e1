//! The tapes desk: one streamed answer at a time, along the axis of its time.

mod drag;
mod form;
mod new_tape;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use self::drag::ActiveDrag;
use self::new_tape::NewTapeDraft;
use crate::{
    Core, DeskState, Effect, EndBehavior, Latest, OpenDocument, ProjectStart, StepDirection,
    Transport, VisibleRange, Zoom,
};
use author::tape_picture::{PictureOptions, draw_picture};
use calls::Item;
use calls::tape::edits::TapeEdit;
use calls::tape::playback::Speed;
use calls::tape::prepared_tape::{PreparedTape, TapeTiming, miniature};
use calls::tape::timeline::TimeRange;
use calls::tape::timing::{MILLISECOND, TapePace, TapeSchedule};
use document::text::{counted, quoted};
use document::{FileKind, Severity};
use machine::picture::{Picture, PictureTheme};
use protocol::{Desk, DocId, MakeThumbnails, PrepareTape, Revision, TapeThumbnail, TapesEvent};

pub use drag::ChunkDrag;
pub use form::{TapeEditForm, TapeEditKind};
pub use new_tape::{Chunking, NewTapeAction, NewTapeForm};
#[cfg(test)]
pub(crate) use tests::answer;

/// An action of the tapes desk.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesAction {
    /// Selects a tape.
    Select(DocId),
    /// Requests the thumbnails of these visible tapes.
    MakeThumbnails(Vec<DocId>),
    /// Moves the playhead, in nanoseconds since the start of the call.
    Seek(f64),
    /// Moves the playhead to the time at which this many chunks have arrived.
    GoTo(usize),
    SetSpeed(Speed),
    /// Sets which delays are played.
    SetPace(TapePace),
    /// Selects a range of time, or none.
    SetRange(Option<TimeRange>),
    /// Sets from which wait on silences are marked, in nanoseconds.
    SetSilence(f64),
    /// Shows this range of time.
    Show(TimeRange),
    /// Zooms in or out.
    Zoom(Zoom),
    /// Edits the stream of the shown tape.
    EditTape(TapeEdit),
    /// Shows chunks moved in time while they are dragged, or at their own times.
    Drag(Option<ChunkDrag>),
    /// An action of the form of a new tape.
    NewTape(NewTapeAction),
    /// Drops the dragged chunks.
    Drop,
    /// Sets the values of the form, or closes it.
    EditForm(Option<TapeEditForm>),
    /// Applies the edit of the form.
    Apply,
}

/// The default of the shortest wait that is marked as a silence.
const DEFAULT_SILENCE_NANOS: f64 = 500.0 * MILLISECOND;

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
    listed: Option<u64>,
    pub selected: Option<DocId>,
    /// The selected tape, or why it cannot be shown.
    current: Latest<(DocId, Revision), Result<Arc<PreparedTape>, Arc<str>>>,
    pub thumbnails: HashMap<DocId, TapeThumbnail>,
    is_making_thumbnails: bool,
    pub transport: Transport,
    visible_range: VisibleRange,
    silence_nanos: Option<f64>,
    pub form: Option<TapeEditForm>,
    preview: Option<EditPreview>,
    drag: Option<ActiveDrag>,
    new_tape: Option<NewTapeDraft>,
    /// The chunk to move the playhead to when the tape is prepared, from 1.
    pub(crate) wanted_chunk: Option<usize>,
    /// The path of a new tape that is to be selected as soon as it is listed.
    awaited_path: Option<Arc<str>>,
    now: f64,
}

/// An edit that is previewed.
#[derive(Debug)]
struct EditPreview {
    doc: DocId,
    revision: Revision,
    edit: TapeEdit,
    /// The timing after this edit; while it is computed, after the previous one.
    timing: Option<Result<Arc<TapeTiming>, String>>,
    is_awaited: bool,
}

impl TapesDesk {
    /// Whether a thumbnail of this item is missing and can be requested. The thumbnail of the selected tape is made from the
    /// prepared tape, so that its file is not read twice.
    pub fn needs_thumbnail(&self, doc: DocId, item: &Item) -> bool {
        // A row is replaced when its file changes.
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
        self.silence_nanos.unwrap_or(DEFAULT_SILENCE_NANOS)
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
        let range_chunks = schedule
            .zip(self.transport.range)
            .map(|(schedule, range)| {
                schedule.arrived_before(range.from_nanos)..schedule.arrived(range.to_nanos)
            })
            .filter(|chunks| !chunks.is_empty());
        range_chunks.unwrap_or(chunk..chunk + 1)
    }

    /// Whether a range is selected, or the playhead is at a chunk.
    pub fn has_chosen(&self) -> bool {
        self.transport.chunk().is_some() || self.transport.range.is_some()
    }

    /// The chunks that the form applies to: the selected range, else all chunks or the one at the playhead.
    pub fn form_is_for(&self, kind: TapeEditKind) -> Range<usize> {
        match (kind, self.transport.range) {
            // A stall is added to one chunk.
            (TapeEditKind::Stall, None) | (_, Some(_)) => self.chosen(),
            (_, None) => 0..self.schedule().map_or(0, TapeSchedule::len),
        }
    }

    fn edit_to_preview(&self) -> Option<TapeEdit> {
        if let Some(pull) = self.drag() {
            return Some(pull.to_edit(self.prepared()?.chunks()));
        }
        self.form_edit()?.ok()
    }

    fn form_edit(&self) -> Option<Result<TapeEdit, String>> {
        let form = self.form.as_ref()?;
        Some(form.edit(self.form_is_for(form.kind)))
    }

    /// Whether the playhead is in a wait of more than a minute.
    pub(crate) fn is_in_long_wait(&self) -> bool {
        self.schedule().and_then(|schedule| self.transport.long_wait_end(schedule)).is_some()
    }

    fn prepared_of(&self, doc: DocId) -> Option<&Result<Arc<PreparedTape>, Arc<str>>> {
        let is_of = self.current.key.is_some_and(|(other, _)| other == doc);
        self.current.value.as_ref().filter(|_| is_of)
    }

    fn schedule(&self) -> Option<&TapeSchedule> {
        let pace = self.transport.pace;
        self.prepared().map(|tape| tape.schedule(pace))
    }

    /// The duration of the tape, or of the tape after the edit of the form if that is longer.
    fn total_nanos(&self) -> f64 {
        let total = self.schedule().map_or(0.0, TapeSchedule::total_nanos);
        let pace = self.transport.pace;
        // The axis must not move under the pointer that drags a chunk.
        let new_timing = self.edited_timing().filter(|_| self.drag.is_none());
        new_timing.map_or(total, |timing| timing.timeline(pace).schedule().total_nanos().max(total))
    }

    /// Runs a function on the transport with the schedule of the selected tape.
    pub(crate) fn with_transport(&mut self, act: impl FnOnce(&mut Transport, &TapeSchedule, f64)) {
        if let Some(tape) = self.prepared().cloned() {
            let schedule = tape.schedule(self.transport.pace);
            act(&mut self.transport, schedule, self.now);
            self.visible_range.keep_in_sight(self.transport.nanos, self.total_nanos());
        }
    }

    /// The state of the selected tape.
    pub fn state(&self, core: &Core) -> TapeState {
        let Some(doc) = self.selected else { return TapeState::Nothing };
        match (self.prepared(), core.library.opened(doc)) {
            (Some(tape), _) => TapeState::Ready(Arc::clone(tape)),
            (None, Some(OpenDocument::Failed(reason))) => TapeState::Failed(Arc::clone(reason)),
            (None, Some(OpenDocument::Ready(..))) => self
                .prepared_of(doc)
                .and_then(|t| t.as_ref().err())
                .cloned()
                .map_or(TapeState::Reading, TapeState::Failed),
            _ => TapeState::Reading,
        }
    }

    /// Sets the time; the playhead moves with it.
    pub(crate) fn set_time(&mut self, now: f64) {
        self.now = now;
        if self.transport.is_playing() {
            self.with_transport(Transport::tick);
        }
    }

    pub(crate) fn act(&mut self, core: &mut Core, action: TapesAction) {
        match action {
            TapesAction::Select(doc) => self.select_tape(core, doc),
            TapesAction::MakeThumbnails(docs) => {
                // One request at a time; views request more when it is answered.
                self.is_making_thumbnails = true;
                let docs = docs.into_iter().filter_map(|doc| core.library.current(doc));
                core.request(Effect::run(MakeThumbnails { tapes: docs.collect() }));
            }
            TapesAction::Seek(nanos) => {
                self.with_transport(|transport, schedule, now| {
                    transport.seek(schedule, nanos, now);
                });
            }
            TapesAction::GoTo(count) => {
                self.with_transport(|transport, schedule, _| transport.go_to(schedule, count));
            }
            TapesAction::SetSpeed(speed) => self.transport.set_speed(speed, self.now),
            TapesAction::SetPace(pace) => {
                if let Some(tape) = self.prepared().cloned() {
                    self.transport.set_pace(pace, tape.schedule(pace));
                }
            }
            TapesAction::EditTape(edit) => self.edit_tape(core, edit),
            TapesAction::EditForm(form) => self.form = form,
            TapesAction::Apply => self.apply_form(core),
            TapesAction::NewTape(action) => self.act_on_new_tape(core, action),
            TapesAction::Drag(pull) => self.drag_chunks(pull),
            TapesAction::Drop => self.release_drag(),
            TapesAction::SetRange(range) => self.transport.set_range(range),
            TapesAction::SetSilence(nanos) => self.silence_nanos = Some(nanos),
            TapesAction::Show(stretch) => self.visible_range.show(stretch, self.total_nanos()),
            TapesAction::Zoom(zoom) => {
                let (total, nanos) = (self.total_nanos(), self.transport.nanos);
                self.visible_range.zoom(zoom, nanos, total);
            }
        }
    }

    fn select_tape(&mut self, core: &mut Core, doc: DocId) {
        if self.selected != Some(doc) {
            self.selected = Some(doc);
            self.transport = self.transport.rewound();
            self.visible_range = VisibleRange::default();
            self.form = None;
            self.drag = None;
        }
        core.request_document(doc);
        // For a tape that is prepared already, no event follows.
        if self.prepared().is_some() {
            self.go_to_wanted_chunk(core, doc);
        }
    }

    pub(crate) fn receive(&mut self, core: &mut Core, event: TapesEvent) {
        match event {
            TapesEvent::Prepared(doc, stamp, prepared) if self.current.accept(&(doc, stamp)) => {
                if let (Some(item), Ok(tape)) = (core.library.share(doc), &prepared) {
                    let thumbnail = TapeThumbnail {
                        item,
                        columns: miniature(tape.timeline(TapePace::Recorded)),
                    };
                    self.thumbnails.insert(doc, thumbnail);
                }
                self.current.value = Some(prepared.map_err(Arc::from));
                // After an edit, the playhead stays at its chunk.
                self.with_transport(|transport, schedule, _| transport.follow(schedule));
                self.go_to_wanted_chunk(core, doc);
            }
            TapesEvent::Prepared(..) => {}
            TapesEvent::NewTape(event) => self.on_new_tape_event(core, event),
            TapesEvent::EditPreviewed(edit, timing) => {
                // The form may have another value by now.
                if let Some(view) = self.preview.as_mut().filter(|view| view.edit == edit) {
                    view.timing = Some(timing);
                    view.is_awaited = false;
                }
            }
            TapesEvent::ThumbnailsReady(thumbnails, problem) => {
                self.is_making_thumbnails = false;
                self.thumbnails.extend(thumbnails);
                if let Some(reason) = problem {
                    core.notify(Severity::Error, reason);
                }
            }
        }
    }

    /// Lists the tapes again after items were added, removed or changed.
    fn list_tapes(&mut self, core: &mut Core) {
        let revision = Some(core.library.items_revision);
        if self.listed == revision {
            return;
        }
        self.listed = revision;
        let store = &core.library;
        let is_tape = |(_, item): &(DocId, &Item)| item.kind == FileKind::Tape;
        let mut tapes: Vec<(&str, DocId)> =
            store.iter().filter(is_tape).map(|(doc, item)| (item.root_path(), doc)).collect();
        tapes.sort_unstable();
        self.tapes = tapes.into_iter().map(|(_, doc)| doc).collect();
        let selected_doc = self.selected.filter(|doc: &DocId| store.get(*doc).is_some());
        // The selection in the library is what the user was looking at.
        let library_doc = core.list.selected.filter(|doc| self.tapes.contains(doc));
        let first = self.tapes.first().copied();
        let path = self.awaited_path.as_deref();
        let awaited_doc = path.and_then(|path| {
            let is_awaited = |doc: &DocId| store.get(*doc).is_some_and(|item| &*item.path == path);
            self.tapes.iter().copied().find(is_awaited)
        });
        if awaited_doc.is_some() {
            self.awaited_path = None;
        }
        match awaited_doc.or(selected_doc).or(library_doc).or(first) {
            Some(doc) => self.select_tape(core, doc),
            None => self.selected = None,
        }
    }

    /// Draws the visible part of the tape that is shown; with its name.
    pub(crate) fn picture(&self, core: &Core, theme: PictureTheme) -> Option<(String, Picture)> {
        let item = core.library.get(self.selected?)?;
        let options = PictureOptions {
            title: item.label().to_owned(),
            shown: Some(self.shown()),
            pace: self.transport.pace,
            silence_nanos: self.silence_nanos(),
            theme,
        };
        let name = item.file_name();
        let stem = name.strip_suffix(".json").unwrap_or(name);
        Some((stem.to_owned(), draw_picture(self.prepared()?, &options)))
    }

    /// Repeats the selected range, or stops repeating.
    pub(crate) fn toggle_loop(&mut self) {
        let transport = &mut self.transport;
        transport.end_behavior = match transport.end_behavior {
            EndBehavior::Stop => EndBehavior::Repeat,
            EndBehavior::Repeat => EndBehavior::Stop,
        };
    }

    /// Skips to the end of a long wait.
    pub(crate) fn skip_wait(&mut self) {
        self.with_transport(|transport, schedule, now| {
            if let Some(end) = transport.long_wait_end(schedule) {
                transport.seek(schedule, end, now);
            }
        });
    }

    /// Moves the playhead to the chunk that a link names, if the tape is prepared.
    fn go_to_wanted_chunk(&mut self, core: &mut Core, doc: DocId) {
        let pace = self.transport.pace;
        let chunks = self.prepared().map(|tape| tape.schedule(pace).len());
        let Some(chunks) = chunks else { return };
        let Some(number) = self.wanted_chunk.take() else { return };
        if number > chunks
            && let Some(item) = core.library.get(doc)
        {
            let chunks = counted(chunks, "chunk", "chunks");
            let message = format!("{} has {chunks}, no chunk {number}.", quoted(&item.path));
            core.notify(Severity::Warning, message);
        }
        self.with_transport(|transport, schedule, _| transport.go_to(schedule, number));
    }

    /// Moves the playhead by one chunk.
    pub(crate) fn step_chunk(&mut self, step: StepDirection) {
        self.with_transport(|transport, schedule, _| {
            transport.go_to(schedule, step.target(transport.arrived, 1));
        });
    }
}

impl DeskState for TapesDesk {
    fn subject(&self, _core: &Core) -> Option<DocId> {
        self.selected
    }

    fn sync(&mut self, core: &mut Core) {
        if !core.shows(Desk::Tapes) || core.progress.is_some() {
            self.transport.pause();
            return;
        }
        self.list_tapes(core);
        core.request(self.sync_new_tape(core));
        let Some(doc) = self.selected else { return };
        if core.library.opened(doc).is_none() {
            core.request_document(doc);
        }
        if let Some(OpenDocument::Ready(document, revision)) = core.library.opened(doc)
            && let Some(item) = core.library.get(doc)
            && self.current.want(&(doc, *revision))
        {
            core.request(Effect::run(PrepareTape {
                doc,
                path: item.root_path().into(),
                revision: *revision,
                document: Arc::clone(document),
            }));
        }
        self.sync_drag(core);
        core.request(self.preview_edit(core));
    }

    fn has_rows(&self) -> bool {
        !self.tapes.is_empty()
    }

    /// Selects a tape some rows away.
    fn step(&mut self, core: &mut Core, step: StepDirection, rows: usize) {
        let row = self.tapes.iter().position(|doc| Some(*doc) == self.selected);
        if let Some(doc) = self.tapes.get(step.target_in(row, rows, self.tapes.len())).copied() {
            self.select_tape(core, doc);
        }
    }

    /// Moves the playhead to the start or the end of the tape.
    fn step_to_end(&mut self, _core: &mut Core, step: StepDirection) {
        self.with_transport(|transport, schedule, _| {
            transport.go_to(schedule, step.pick(schedule.len(), 0));
        });
    }

    fn open_selected(&mut self, core: &mut Core) {
        if let Some(doc) = self.selected {
            core.show(doc);
        }
    }

    fn close(&mut self, _core: &mut Core) -> bool {
        if !self.cancel_drag() && self.form.take().is_none() {
            self.transport.set_range(None);
        }
        true
    }

    fn start_project(&mut self, _start: ProjectStart) {
        *self = Self {
            silence_nanos: self.silence_nanos,
            transport: self.transport.rewound(),
            now: self.now,
            ..Self::default()
        };
    }
}
