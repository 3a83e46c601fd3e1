//! The tapes desk: one streamed answer at a time, along the axis of its time.

mod action;
mod desk;
mod drag;
mod editing;
mod form;
mod new_tape;
mod picture;
mod playhead;
#[cfg(test)]
pub(in crate::workbench) mod tests;

use std::sync::Arc;

use crate::format::{FileKind, Severity};
use crate::ops::Item;
use crate::ops::tape::prepared_tape::miniature;
use crate::ops::tape::timing::TapePace;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::OpenDocument;
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::state::{Core, ProjectStart};
use crate::workbench::core::transport::Transport;
use crate::workbench::core::visible_range::VisibleRange;
use crate::workbench::desks::{Closed, DeskState};
use crate::workbench::requests::{
    Desk, DocId, MakeThumbnails, PrepareTape, TapeThumbnail, TapesEvent,
};

#[cfg(test)]
pub(in crate::workbench) use tests::answer;

pub use action::TapesAction;
pub use desk::{TapeState, TapesDesk};
pub use drag::ChunkDrag;
pub use form::{TapeEditForm, TapeEditKind};
pub use new_tape::{Chunking, NewTapeAction, NewTapeForm};

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
        let effect = self.sync_new_tape(core);
        core.request(effect);
        let Some(doc) = self.selected else { return };
        if core.library.opened(doc).is_none() {
            core.request_document(doc);
        }
        if let Some(OpenDocument::Ready(document, revision)) = core.library.opened(doc)
            && let Some(item) = core.library.get(doc)
        {
            let wanted = (doc, *revision);
            if self.current.want(&wanted) {
                core.request(Effect::run(PrepareTape {
                    doc,
                    path: Arc::clone(&item.root_path),
                    revision: *revision,
                    document: Arc::clone(document),
                }));
            }
        }
        self.sync_drag(core);
        let effect = self.preview_edit(core);
        core.request(effect);
    }

    fn has_rows(&self) -> bool {
        !self.tapes.is_empty()
    }

    /// Selects a tape some rows away.
    fn step(&mut self, core: &mut Core, step: StepDirection, rows: usize) {
        let at = self.tapes.iter().position(|doc| Some(*doc) == self.selected);
        let to = at.map_or(0, |at| step.target(at, rows)).min(self.tapes.len().saturating_sub(1));
        if let Some(doc) = self.tapes.get(to).copied() {
            self.select_tape(core, doc);
        }
    }

    /// Moves the playhead to the start or the end of the tape.
    fn step_to_end(&mut self, _core: &mut Core, step: StepDirection) {
        self.with_transport(|transport, schedule, _| {
            let arrived = match step {
                StepDirection::Next => schedule.len(),
                StepDirection::Previous => 0,
            };
            transport.go_to(schedule, arrived);
        });
    }

    fn open_selected(&mut self, core: &mut Core) {
        if let Some(doc) = self.selected {
            core.show(doc);
        }
    }

    fn close(&mut self, _core: &mut Core) -> Closed {
        self.close_top();
        Closed::Something
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

impl TapesDesk {
    /// The state of the selected tape.
    pub fn state(&self, core: &Core) -> TapeState {
        let Some(doc) = self.selected else { return TapeState::Nothing };
        match (self.prepared(), core.library.opened(doc)) {
            (Some(tape), _) => TapeState::Ready(Arc::clone(tape)),
            (None, Some(OpenDocument::Failed(reason))) => TapeState::Failed(Arc::clone(reason)),
            (None, Some(OpenDocument::Ready(..))) => {
                let fault = self.fault_of(doc).cloned();
                fault.map_or(TapeState::Reading, TapeState::Failed)
            }
            _ => TapeState::Reading,
        }
    }

    /// Sets the time; the playhead moves with it.
    pub(in crate::workbench) fn set_time(&mut self, now: f64) {
        self.now = now;
        if self.transport.is_playing() {
            self.with_transport(Transport::tick);
        }
    }

    pub(in crate::workbench) fn act(&mut self, core: &mut Core, action: TapesAction) {
        match action {
            TapesAction::Select(doc) => self.select_tape(core, doc),
            TapesAction::MakeThumbnails(docs) => {
                self.is_making_thumbnails = true;
                let docs = docs.into_iter().filter_map(|doc| core.library.current(doc));
                let request = MakeThumbnails { tapes: docs.collect() };
                core.request(Effect::run(request));
            }
            TapesAction::Seek(nanos) => {
                self.with_transport(|transport, schedule, now| {
                    transport.seek(schedule, nanos, now);
                });
            }
            TapesAction::GoTo(arrived) => {
                self.with_transport(|transport, schedule, _| transport.go_to(schedule, arrived));
            }
            TapesAction::SetSpeed(speed) => self.transport.set_speed(speed, self.now),
            TapesAction::SetPace(pace) => {
                if let Some(tape) = self.prepared().cloned() {
                    self.transport.set_pace(pace, tape.schedule(pace));
                }
            }
            TapesAction::EditTape(cut) => self.edit_tape(core, cut),
            TapesAction::EditForm(form) => {
                self.form = form;
            }
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
        if self.prepared().is_some() {
            self.go_to_wanted_chunk(core, doc);
        }
    }

    pub(in crate::workbench) fn receive(&mut self, core: &mut Core, event: TapesEvent) {
        match event {
            TapesEvent::Prepared(doc, revision, prepared)
                if self.current.accept(&(doc, revision)) =>
            {
                if let (Some(of), Ok(tape)) = (core.library.share(doc), &prepared) {
                    let thumbnail = TapeThumbnail {
                        item: of,
                        columns: miniature(tape.timeline(TapePace::Recorded)),
                    };
                    self.thumbnails.insert(doc, thumbnail);
                }
                self.current.value = Some(prepared.map_err(Arc::from));
                self.with_transport(|transport, schedule, _| transport.follow(schedule));
                self.go_to_wanted_chunk(core, doc);
            }
            TapesEvent::Prepared(..) => {}
            TapesEvent::NewTape(event) => self.on_new_tape_event(core, event),
            TapesEvent::EditPreviewed(cut, timing) => {
                if let Some(tried) = self.preview.as_mut().filter(|tried| tried.edit == cut) {
                    tried.timing = Some(timing);
                    tried.is_awaited = false;
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
        let listed = Some(core.library.items_revision);
        if self.listed == listed {
            return;
        }
        self.listed = listed;
        let library = &core.library;
        let is_tape = |(_, item): &(DocId, &Item)| item.kind == FileKind::Tape;
        let mut tapes: Vec<(&str, DocId)> =
            library.iter().filter(is_tape).map(|(doc, item)| (&*item.root_path, doc)).collect();
        tapes.sort_unstable();
        self.tapes = tapes.into_iter().map(|(_, doc)| doc).collect();
        let is_open = |doc: &DocId| library.get(*doc).is_some();
        let selected = self.selected.filter(is_open);
        // The selection in the library is what the user was looking at.
        let looked_at = core.list.selected.filter(|doc| self.tapes.contains(doc));
        let first = self.tapes.first().copied();
        let path = self.awaited_path.as_deref();
        let awaited = path.and_then(|path| {
            let is_it = |doc: &DocId| library.get(*doc).is_some_and(|item| &*item.path == path);
            self.tapes.iter().copied().find(is_it)
        });
        if awaited.is_some() {
            self.awaited_path = None;
        }
        match awaited.or(selected).or(looked_at).or(first) {
            Some(doc) => self.select_tape(core, doc),
            None => self.selected = None,
        }
    }
}
