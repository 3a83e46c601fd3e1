//! The strip of the sessions desk: the tool calls of the session along the time axis, and the playhead.

use std::sync::Arc;

use super::{FormCursor, SessionState, SessionsDesk};
use crate::core::Core;
use crate::core::navigation::StepDirection;
use crate::core::strip_player::{PlayheadAction, StripPlayer};
use author::session::{session_at, session_strip};
use calls::Item;
use play::playback::RunStrip;
use protocol::{Desk, Revision, SessionId};

/// View of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionView {
    /// Its fields, and a row for each tool response.
    #[default]
    Form,
    /// A block for each tool call along the time axis.
    Strip,
}

/// The state of the strip.
#[derive(Debug, Default)]
pub struct SessionStrip {
    pub view: SessionView,
    pub player: StripPlayer,
    made: Option<MadeStrip>,
    /// The tool response that the playhead is in.
    placed: Option<usize>,
}

/// The strip, and what it was made from.
#[derive(Debug)]
struct MadeStrip {
    id: SessionId,
    revision: Revision,
    /// The file with its problems.
    item: Arc<Item>,
    strip: Arc<RunStrip>,
}

impl SessionStrip {
    /// The same settings for another project.
    pub(super) fn reset(&self) -> Self {
        Self { view: self.view, player: self.player.reset(), ..Self::default() }
    }
}

impl SessionsDesk {
    /// The strip, if it is shown and there are tool calls.
    pub fn shown_strip(&self) -> Option<&Arc<RunStrip>> {
        let made_strip = self.strip.made.as_ref()?;
        let is_of = self.selected.as_ref() == Some(&made_strip.id);
        let is_shown = self.strip.view == SessionView::Strip && is_of;
        (is_shown && !made_strip.strip.blocks.is_empty()).then_some(&made_strip.strip)
    }

    /// The tool call that is selected on the strip: the one under the cursor, else the one at the playhead.
    pub fn strip_call(&self, strip: &RunStrip) -> usize {
        let last = strip.blocks.len().saturating_sub(1);
        let at_playhead = || strip.call_at(self.strip.player.transport.nanos);
        self.response().unwrap_or_else(at_playhead).min(last)
    }

    /// Shows the session as a form or as a strip.
    pub(super) fn show_view(&mut self, view: SessionView) {
        self.strip.view = view;
        // The strip has no room for panels.
        if view == SessionView::Strip {
            self.panel = None;
        }
    }

    pub(super) fn act_on_playhead(&mut self, action: PlayheadAction) {
        if let Some(strip) = self.shown_strip().cloned() {
            let call = self.strip.player.act(&strip, action);
            self.point_at_playhead(call);
        }
    }

    /// Plays the tool calls in recorded time, or pauses.
    pub(crate) fn play_strip(&mut self) {
        if let Some(strip) = self.shown_strip().cloned() {
            let call = self.strip.player.toggle(&strip);
            self.point_at_playhead(Some(call));
        }
    }

    /// Selects the next or previous tool call.
    pub(crate) fn step_strip(&mut self, step: StepDirection) {
        if let Some(strip) = self.shown_strip().cloned() {
            // A strip that is shown has at least one block.
            let index = step.target(self.strip_call(&strip), 1).min(strip.blocks.len() - 1);
            self.point(Some(FormCursor::Response(index)));
        }
    }

    /// Sets the time; the playhead moves with it, and the cursor with the playhead.
    pub(crate) fn set_time(&mut self, now: f64) {
        let is_playing = self.strip.player.transport.is_playing();
        let strip = self.shown_strip().filter(|_| is_playing).cloned();
        let call = self.strip.player.set_time(now, strip.as_deref());
        self.point_at_playhead(call);
    }

    fn point_at_playhead(&mut self, call: Option<usize>) {
        if let Some(call) = call {
            self.strip.placed = Some(call);
            self.point(Some(FormCursor::Response(call)));
        }
    }

    /// Lays out the strip again if the text has changed, and moves the playhead to the tool response under the cursor if that was
    /// selected elsewhere.
    pub(super) fn sync_strip(&mut self, core: &Core) {
        let is_shown = self.strip.view == SessionView::Strip && core.shows(Desk::Sessions);
        if !is_shown || self.make_strip(core).is_none() {
            self.strip.player.transport.pause();
            return;
        }
        let index = self.response();
        let Some(strip) = self.shown_strip().cloned() else { return };
        if let Some(index) = index.filter(|_| self.strip.placed != index) {
            self.strip.player.go_to_call(&strip, index);
        }
        self.strip.placed = index;
    }

    fn make_strip(&mut self, core: &Core) -> Option<()> {
        let id = self.selected.clone()?;
        let SessionState::Ready(document, revision) = self.state(core) else { return None };
        let item = core.library.share(id.doc)?;
        let old_strip = self.strip.made.as_ref().filter(|old_strip| old_strip.id == id);
        let is_current =
            // A row is replaced when its problems change, which the strip shows.
            |old_strip: &MadeStrip| old_strip.revision == revision && Arc::ptr_eq(&old_strip.item, &item);
        if old_strip.is_some_and(is_current) {
            return Some(());
        }
        let session = session_at(&document, &id.pointer)?;
        let strip = Arc::new(session_strip(session, &id.pointer, &item.problems));
        if old_strip.is_none() {
            self.strip.player = self.strip.player.reset();
            self.strip.player.show_start(&strip);
            self.strip.placed = None;
        }
        self.strip.made = Some(MadeStrip { id, revision, item, strip });
        Some(())
    }
}
