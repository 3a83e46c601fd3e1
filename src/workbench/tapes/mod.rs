//! The tapes desk: one streamed answer at a time, along the axis of its time.

mod action;
mod cutting;
mod desk;
mod form;
mod making;
mod moves;
mod picture;
mod pull;
mod takes;
#[cfg(test)]
pub(super) mod tests;
mod transport;
mod verifying;
mod window;

use std::sync::Arc;

use super::event::Effect;
use super::library::{DocId, Opened};
use super::navigation::{Desk, Location, View};
use super::state::Workbench;
use crate::format::{FileKind, Severity};
use crate::ops::Item;
use crate::ops::tape::prepared_tape::miniature;
use crate::ops::tape::timing::TapePace;

use desk::Laid;

#[cfg(test)]
pub(super) use tests::answer;

pub use action::{ForTape, Glance, TapesAction, TapesEffect, TapesEvent};
pub use desk::{Shown, TapesDesk};
pub use form::{CutForm, CutKind};
pub use making::{Cutting, Made, MadeOf, MakeAction, MakeEffect, MakeEvent, MakeForm, Recipe};
pub use picture::{PictureEffect, PictureEvent};
pub use pull::Pull;
pub use takes::{LayOrder, Lies, Over, Take, TakesAction, TakesEffect, TakesEvent};
pub use transport::{AtEnd, Transport};
pub use verifying::{RequestFrom, Verified, VerifyAction, VerifyOrder, Verifying};
pub use window::Zoom;

impl Workbench {
    /// The view state of the tapes desk.
    pub fn tapes_desk(&self) -> &TapesDesk {
        &self.tapes
    }

    /// The state of the selected tape.
    pub fn tape_shown(&self) -> Shown {
        let Some(doc) = self.tapes.selected else {
            return Shown::Nothing;
        };
        match (self.tapes.reel(), self.library.opened(doc)) {
            (Some(tape), _) => Shown::Ready(Arc::clone(tape)),
            (None, Some(Opened::Failed(reason))) => Shown::Failed(Arc::clone(reason)),
            (None, Some(Opened::Ready(..))) if self.tapes.is_no_tape(doc) => {
                Shown::Failed("The file is no longer a tape".into())
            }
            _ => Shown::Reading,
        }
    }

    /// Sets the time, in seconds since a fixed moment; the playhead moves with it.
    pub fn tell_time(&mut self, now: f64) {
        self.tapes.now = now;
        self.live.tell_time(now);
        if self.tapes.transport.is_playing() {
            self.tapes.play(Transport::tick);
        }
    }

    /// Whether tapes are shown.
    pub(super) fn shows_tapes(&self) -> bool {
        let (desk, view) = (Desk::Tapes, View::List);
        self.here() == Location { desk, view }
    }

    /// Handles an action of the tapes desk.
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
                if let Some(tape) = tapes.reel().cloned() {
                    tapes.transport.set_pace(pace, tape.schedule(pace));
                }
            }
            TapesAction::Cut(cut) => return self.cut_tape(cut),
            TapesAction::Edit(form) => {
                tapes.form = form;
                tapes.tried = None;
            }
            TapesAction::Apply => return self.apply_form_of_tape(),
            TapesAction::Takes(action) => return self.act_on_takes(action),
            TapesAction::Verify(action) => return self.act_on_request(action),
            TapesAction::Make(action) => return self.make_tape(action),
            TapesAction::Picture(look) => return self.export_picture(Some(look)),
            TapesAction::Pull(pull) => tapes.pull_by(pull),
            TapesAction::LetGo => tapes.let_go(),
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
            self.tapes.over = self.tapes.over.fresh();
            self.tapes.verifying = None;
            self.tapes.pulling = None;
        }
        self.want(doc)
    }

    /// Handles an event of the tapes desk.
    pub(super) fn tapes_made(&mut self, event: TapesEvent) -> Vec<Effect> {
        let tapes = &mut self.tapes;
        match event {
            TapesEvent::Laid(doc, revision, tape) if tapes.awaited == Some((doc, revision)) => {
                tapes.awaited = None;
                if let Some((of, tape)) = self.library.share(doc).zip(tape.as_ref()) {
                    let columns = miniature(tape.timeline(TapePace::Recorded));
                    tapes.glances.insert(doc, Glance { of, columns });
                }
                tapes.laid = Some(Laid {
                    doc,
                    revision,
                    reel: tape,
                });
                tapes.play(|transport, schedule, _| transport.follow(schedule));
            }
            TapesEvent::Laid(..) => {}
            TapesEvent::Picture(event) => return self.picture_told(event),
            TapesEvent::Make(event) => return self.tape_made(event),
            TapesEvent::Unchanged(doc, base) => {
                self.notify(Severity::Note, "The edit would change nothing.");
                return self.run_what_waited(doc, base);
            }
            TapesEvent::Tried(cut, stats) => {
                if let Some(tried) = tapes.tried.as_mut().filter(|tried| tried.cut == cut) {
                    tried.stats = Some(stats);
                    tried.is_awaited = false;
                }
            }
            TapesEvent::Glanced(glances) => {
                tapes.glancing = false;
                tapes.glances.extend(glances);
            }
            TapesEvent::Picked(ForTape::Take, path) => {
                return self.act_on_takes(TakesAction::Lay(Take::File(path)));
            }
            TapesEvent::Picked(ForTape::Request, path) => {
                return self.act_on_request(VerifyAction::Take(RequestFrom::File(path)));
            }
            TapesEvent::Takes(event) => return self.takes_made(event),
            TapesEvent::Verified(order, result) => self.verified(order, result),
        }
        Vec::new()
    }

    /// Updates the desk after changes, while it is shown.
    pub(super) fn follow_tapes(&mut self) -> Vec<Effect> {
        if !self.shows_tapes() || self.progress.is_some() {
            self.tapes.transport.pause();
            return Vec::new();
        }
        let mut effects = self.list_tapes();
        effects.extend(self.follow_making());
        let Some(doc) = self.tapes.selected else {
            return effects;
        };
        if self.library.opened(doc).is_none() {
            effects.extend(self.want(doc));
        }
        if let Some(Opened::Ready(_, revision)) = self.library.opened(doc) {
            let wanted = (doc, *revision);
            let current = self.tapes.laid.as_ref();
            let is_current =
                current.is_some_and(|current| (current.doc, current.revision) == wanted);
            if !is_current && self.tapes.awaited != Some(wanted) {
                self.tapes.awaited = Some(wanted);
                effects.push(Effect::Tapes(TapesEffect::Lay(doc, *revision)));
            }
        }
        effects.extend(self.follow_pull());
        effects.extend(self.try_cut());
        effects.extend(self.follow_takes());
        effects.extend(self.follow_request());
        effects
    }

    /// Lists the tapes again after items were added, removed or changed.
    fn list_tapes(&mut self) -> Vec<Effect> {
        let listed = Some(self.library.items_revision());
        if self.tapes.listed == listed {
            return Vec::new();
        }
        self.tapes.listed = listed;
        let library = &self.library;
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
                Vec::new()
            }
        }
    }
}
