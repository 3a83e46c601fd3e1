//! The tapes desk: one streamed answer at a time, along the axis of its time.

mod action;
mod comparison;
mod desk;
mod drag;
mod editing;
mod form;
mod new_tape;
mod picture;
mod playhead;
mod requests;
#[cfg(test)]
pub(in crate::workbench) mod tests;
mod transport;
mod verification;
mod visible_range;

use std::sync::Arc;

use crate::format::{FileKind, Severity};
use crate::ops::Item;
use crate::ops::tape::prepared_tape::miniature;
use crate::ops::tape::timing::TapePace;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::{DocId, OpenDocument};
use crate::workbench::core::navigation::Desk;
use crate::workbench::state::Workbench;

use desk::CurrentTape;

#[cfg(test)]
pub(in crate::workbench) use tests::answer;

pub use action::{TapeThumbnail, TapesAction, TapesEvent};
pub use comparison::{
    CompareAction, CompareEvent, CompareRequest, CompareTapes, ComparedTape, ComparisonState,
    FilterDifferences, RankTapes, TapeComparison,
};
pub use desk::{TapeState, TapesDesk};
pub use drag::ChunkDrag;
pub use form::{TapeEditForm, TapeEditKind};
pub use new_tape::{
    Chunking, MakeTape, NewTapeAction, NewTapeEvent, NewTapeForm, NewTapeResult, NewTapeSource,
    Recipe, SaveTape,
};
pub use picture::{DrawPicture, PictureEvent};
pub use requests::{MakeThumbnails, PrepareTape, PreviewTapeEdit};
pub use transport::{EndBehavior, Transport};
pub use verification::{
    Verification, VerificationRequest, Verified, VerifyAction, VerifyRequest, VerifySource,
};
pub use visible_range::Zoom;

impl Workbench {
    /// The state of the selected tape.
    pub fn tape_state(&self) -> TapeState {
        let Some(doc) = self.tapes.selected else {
            return TapeState::Nothing;
        };
        match (self.tapes.prepared(), self.core.library.opened(doc)) {
            (Some(tape), _) => TapeState::Ready(Arc::clone(tape)),
            (None, Some(OpenDocument::Failed(reason))) => TapeState::Failed(Arc::clone(reason)),
            (None, Some(OpenDocument::Ready(..))) => {
                let fault = self.tapes.fault_of(doc).cloned();
                fault.map_or(TapeState::Reading, TapeState::Failed)
            }
            _ => TapeState::Reading,
        }
    }

    /// Sets the time, in seconds since a fixed moment; the playhead moves with it.
    pub fn set_time(&mut self, now: f64) {
        self.tapes.now = now;
        self.live.set_time(now);
        if self.tapes.transport.is_playing() {
            self.tapes.with_transport(Transport::tick);
        }
    }

    /// Handles an action of the tapes desk.
    pub(in crate::workbench) fn act_on_tapes(&mut self, action: TapesAction) {
        let tapes = &mut self.tapes;
        match action {
            TapesAction::Select(doc) => self.select_tape(doc),
            TapesAction::MakeThumbnails(docs) => {
                tapes.is_making_thumbnails = true;
                let tapes = docs
                    .into_iter()
                    .filter_map(|doc| self.core.library.current(doc));
                let tapes = tapes.collect();
                self.core.request(Effect::run(MakeThumbnails { tapes }));
            }
            TapesAction::Seek(nanos) => {
                tapes.with_transport(|transport, schedule, now| {
                    transport.seek(schedule, nanos, now);
                });
            }
            TapesAction::GoTo(arrived) => {
                tapes.with_transport(|transport, schedule, _| transport.go_to(schedule, arrived));
            }
            TapesAction::SetSpeed(speed) => tapes.transport.set_speed(speed, tapes.now),
            TapesAction::SetPace(pace) => {
                if let Some(tape) = tapes.prepared().cloned() {
                    tapes.transport.set_pace(pace, tape.schedule(pace));
                }
            }
            TapesAction::EditTape(cut) => self.edit_tape(cut),
            TapesAction::EditForm(form) => {
                tapes.form = form;
                tapes.preview = None;
            }
            TapesAction::Apply => self.apply_form_of_tape(),
            TapesAction::Compare(action) => self.act_on_comparison(action),
            TapesAction::Verify(action) => self.act_on_request(action),
            TapesAction::NewTape(action) => self.act_on_new_tape(action),
            TapesAction::Picture(look) => self.export_picture(Some(look)),
            TapesAction::DrawPicture(path, look) => self.draw(path, look),
            TapesAction::Drag(pull) => tapes.drag_chunks(pull),
            TapesAction::Drop => tapes.release_drag(),
            TapesAction::SetRange(range) => tapes.transport.set_range(range),
            TapesAction::SetSilence(nanos) => tapes.silence_nanos = Some(nanos),
            TapesAction::Show(stretch) => tapes.visible_range.show(stretch, tapes.total_nanos()),
            TapesAction::Zoom(zoom) => {
                let (total, nanos) = (tapes.total_nanos(), tapes.transport.nanos);
                tapes.visible_range.zoom(zoom, nanos, total);
            }
        }
    }

    fn select_tape(&mut self, doc: DocId) {
        if self.tapes.selected != Some(doc) {
            self.tapes.selected = Some(doc);
            self.tapes.transport = self.tapes.transport.rewound();
            self.tapes.visible_range = visible_range::VisibleRange::default();
            self.tapes.form = None;
            self.tapes.comparison = self.tapes.comparison.reset();
            self.tapes.verification = None;
            self.tapes.drag = None;
        }
        self.core.request_document(doc);
    }

    /// Handles an event of the tapes desk.
    pub(in crate::workbench) fn on_tapes_event(&mut self, event: TapesEvent) {
        let tapes = &mut self.tapes;
        match event {
            TapesEvent::Prepared(doc, revision, prepared)
                if tapes.awaited == Some((doc, revision)) =>
            {
                tapes.awaited = None;
                if let (Some(of), Ok(tape)) = (self.core.library.share(doc), &prepared) {
                    let columns = miniature(tape.timeline(TapePace::Recorded));
                    tapes
                        .thumbnails
                        .insert(doc, TapeThumbnail { item: of, columns });
                }
                tapes.current = Some(CurrentTape {
                    doc,
                    revision,
                    prepared: prepared.map_err(Arc::from),
                });
                tapes.with_transport(|transport, schedule, _| transport.follow(schedule));
            }
            TapesEvent::Prepared(..) => {}
            TapesEvent::Picture(event) => self.on_picture_event(event),
            TapesEvent::NewTape(event) => self.on_new_tape_event(event),
            TapesEvent::EditPreviewed(cut, stats) => {
                if let Some(tried) = tapes.preview.as_mut().filter(|tried| tried.edit == cut) {
                    tried.stats = Some(stats);
                    tried.is_awaited = false;
                }
            }
            TapesEvent::ThumbnailsReady(thumbnails, problem) => {
                tapes.is_making_thumbnails = false;
                tapes.thumbnails.extend(thumbnails);
                if let Some(reason) = problem {
                    self.core.notify(Severity::Error, reason);
                }
            }
            TapesEvent::Compare(event) => self.on_compare_event(event),
            TapesEvent::Verified(order, result) => self.on_verified(order, result),
        }
    }

    /// Updates the desk after changes, while it is shown.
    pub(in crate::workbench) fn sync_tapes(&mut self) {
        if !self.core.shows(Desk::Tapes) || self.core.progress.is_some() {
            self.tapes.transport.pause();
            return;
        }
        self.list_tapes();
        let effect = self.sync_new_tape();
        self.core.request(effect);
        let Some(doc) = self.tapes.selected else {
            return;
        };
        if self.core.library.opened(doc).is_none() {
            self.core.request_document(doc);
        }
        if let Some(OpenDocument::Ready(document, revision)) = self.core.library.opened(doc)
            && let Some(item) = self.core.library.get(doc)
        {
            let wanted = (doc, *revision);
            let current = self.tapes.current.as_ref();
            let is_current =
                current.is_some_and(|current| (current.doc, current.revision) == wanted);
            if !is_current && self.tapes.awaited != Some(wanted) {
                self.tapes.awaited = Some(wanted);
                self.core.request(Effect::run(PrepareTape {
                    doc,
                    path: Arc::clone(&item.root_path),
                    revision: *revision,
                    document: Arc::clone(document),
                }));
            }
        }
        self.sync_drag();
        let effect = self.preview_edit();
        self.core.request(effect);
        let effect = self.sync_comparison();
        self.core.request(effect);
        let effect = self.sync_verification();
        self.core.request(effect);
    }

    /// Lists the tapes again after items were added, removed or changed.
    fn list_tapes(&mut self) {
        let listed = Some(self.core.library.items_revision);
        if self.tapes.listed == listed {
            return;
        }
        self.tapes.listed = listed;
        let library = &self.core.library;
        let is_tape = |(_, item): &(DocId, &Item)| item.kind == FileKind::Tape;
        let mut tapes: Vec<(&str, DocId)> = library
            .iter()
            .filter(is_tape)
            .map(|(doc, item)| (&*item.root_path, doc))
            .collect();
        tapes.sort_unstable();
        self.tapes.tapes = tapes.into_iter().map(|(_, doc)| doc).collect();
        let is_open = |doc: &DocId| library.get(*doc).is_some();
        let selected = self.tapes.selected.filter(is_open);
        // The selection in the library is what the user was looking at.
        let looked_at = self
            .core
            .list
            .selected
            .filter(|doc| self.tapes.tapes.contains(doc));
        let first = self.tapes.tapes.first().copied();
        let path = self.tapes.awaited_path.as_deref();
        let awaited = path.and_then(|path| {
            let is_it = |doc: &DocId| library.get(*doc).is_some_and(|item| &*item.path == path);
            self.tapes.tapes.iter().copied().find(is_it)
        });
        if awaited.is_some() {
            self.tapes.awaited_path = None;
        }
        match awaited.or(selected).or(looked_at).or(first) {
            Some(doc) => self.select_tape(doc),
            None => {
                self.tapes.selected = None;
            }
        }
    }
}

impl crate::workbench::desks::DeskState for TapesDesk {}
