//! The strip of the playback desk: which calls are visible along the time axis, and the playhead.

use std::sync::Arc;

use super::PlaybackDesk;
use crate::{Core, PlayheadAction, StripPlayer};
use machine::picture::{Picture, PictureTheme};
use play::playback::RunStrip;
use play::playback::strip_picture::draw_strip;
use protocol::{Desk, PlaybackResult};

/// The state of the strip.
#[derive(Clone, Debug, Default)]
pub struct StripState {
    pub player: StripPlayer,
    /// The run and the call that the playhead is in.
    placed: Option<(u64, usize)>,
}

impl StripState {
    /// The same settings for another project.
    pub(super) fn reset(&self) -> Self {
        Self { player: self.player.reset(), placed: None }
    }
}

impl PlaybackDesk {
    /// The strip, if there are calls.
    pub fn shown_strip(&self) -> Option<&RunStrip> {
        let strip = &self.played()?.strip;
        (!strip.blocks.is_empty()).then_some(strip)
    }

    /// Draws the strip of the run that is shown, with the name of its set.
    pub(crate) fn strip_picture(&self, theme: PictureTheme) -> Option<(String, Picture)> {
        let (result, strip) = (self.played()?, self.shown_strip()?);
        let name = &result.run.set.folder;
        let picture = draw_strip(&result.run, strip, name, theme);
        Some((name.rsplit('/').next().unwrap_or(name).to_owned(), picture))
    }

    /// The result whose strip is shown.
    fn shown_result(&self) -> Option<Arc<PlaybackResult>> {
        let is_shown = self.shown_strip().is_some();
        self.played().filter(|_| is_shown).cloned()
    }

    /// Moves the playhead, and selects the call there, or changes what is visible.
    pub(super) fn move_playhead(&mut self, action: PlayheadAction) {
        if let Some(result) = self.shown_result() {
            let call = self.strip.player.act(&result.strip, action);
            self.show_call_at_playhead(call);
        }
    }

    /// Plays the run in recorded time, or pauses.
    pub(crate) fn play_strip(&mut self) {
        if let Some(result) = self.shown_result() {
            let call = self.strip.player.toggle(&result.strip);
            self.show_call_at_playhead(Some(call));
        }
    }

    /// Sets the time; the playhead moves with it, and the selection with the playhead.
    pub(crate) fn set_time(&mut self, now: f64) {
        let result = self.shown_result();
        let call = self.strip.player.set_time(now, result.as_deref().map(|result| &result.strip));
        self.show_call_at_playhead(call);
    }

    fn show_call_at_playhead(&mut self, call: Option<usize>) {
        if let Some(call) = call {
            self.strip.placed = Some((self.number, call));
            self.show_call(call);
        }
    }

    /// Moves the playhead to the selected call if that was selected elsewhere.
    pub(super) fn sync_strip(&mut self, core: &Core) {
        let result = self.shown_result();
        let Some(result) = result.filter(|_| core.shows(Desk::Playback)) else {
            // Nothing moves while it is not shown.
            self.strip.player.transport.pause();
            return;
        };
        let place = (self.number, self.call);
        let old_place = self.strip.placed.replace(place);
        // If the playhead itself chose this call, moving it to the start of the call would stop it.
        if old_place == Some(place) {
            return;
        }
        let player = &mut self.strip.player;
        if old_place.is_none_or(|(number, _)| number != place.0) {
            player.show_start(&result.strip);
        }
        player.go_to_call(&result.strip, place.1);
    }
}
