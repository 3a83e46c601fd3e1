//! Inputs of the parts of the strip.

use egui::{Role, WidgetInfo};

use crate::playback::playback_data::PlaybackData;
use calls::tape::timing::SECOND;
use play::playback::RunStrip;
use play::playback::strip_picture::LANE;
use protocol::PlaybackResult;
use workbench::{Action, PlaybackAction, PlayheadAction, StripPlayer};

/// The strip of a run, as its parts paint it.
#[derive(Clone, Copy)]
pub(super) struct StripProps<'a> {
    pub(super) data: &'a PlaybackData<'a>,
    pub(super) played: &'a PlaybackResult,
    pub(super) strip: &'a RunStrip,
    pub(super) player: &'a StripPlayer,
    /// Painted position of the playhead, in nanoseconds. With reduced motion, the playhead jumps from call to call.
    pub(super) nanos: f64,
    pub(super) lane_height: f32,
}

impl<'a> StripProps<'a> {
    /// Reads the desk; `None` if no strip is shown.
    pub(super) fn new(data: &'a PlaybackData<'a>) -> Option<Self> {
        let (strip, player) = (data.desk.shown_strip()?, &data.desk.strip.player);
        let is_reduced = data.workbench.core.user.settings.reduced_motion;
        let nanos = player.transport.shown_nanos(&strip.schedule, is_reduced);
        Some(Self { data, played: data.played()?, strip, player, nanos, lane_height: LANE })
    }

    /// The selected call.
    pub(super) fn call(&self) -> usize {
        self.data.desk.call
    }

    /// Whether the playhead has reached a call.
    pub(super) fn is_played(&self, call: usize) -> bool {
        // The selected call follows the playhead.
        call <= self.call()
    }

    /// Describes the playhead for screen readers, with one of two names: where times were recorded, and where not.
    pub(super) fn slider_info(&self, timed_name: &str, untimed_name: &str) -> WidgetInfo {
        let (name, value) = if self.strip.is_timed() {
            (timed_name, self.nanos / SECOND)
        } else {
            (untimed_name, (self.call() + 1) as f64)
        };
        WidgetInfo { value: Some(value), ..WidgetInfo::labeled(Role::Slider, true, name) }
    }
}

/// Changes the playhead or what is visible.
pub(super) fn playhead(action: PlayheadAction) -> Action {
    Action::from(PlaybackAction::Playhead(action))
}
