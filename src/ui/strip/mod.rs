//! Calls as blocks along the time axis, for the run of the playback desk and for a session: a lane for each node or tool, a block
//! for each call, the playhead and its controls.

mod lanes_ui;
mod transport_ui;

use egui::{Role, Ui, WidgetInfo};

use crate::tapes::request_next_frame;
use calls::tape::timing::SECOND;
use play::playback::RunStrip;
use play::playback::strip_picture::LANE;
use workbench::{Action, Actions, PlayheadAction, StripPlayer};

pub(super) use lanes_ui::{BlockDrop, lanes_ui};
pub(super) use transport_ui::transport_ui;

/// The height of the axis.
pub(super) const AXIS_HEIGHT: f32 = 28.0;

/// State of the lanes that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct LanesView {
    /// Distance by which the lanes are scrolled down, in points.
    scrolled: f32,
    /// The run and the call whose lane was last scrolled into view.
    shown: Option<(u64, usize)>,
}

/// Texts of a desk about the calls of its strip, and the actions of clicks on them.
pub(super) trait StripCalls {
    /// Returns the name of a lane.
    fn lane_name(&self, lane: usize) -> String;

    /// Returns the name of a block for screen readers, without its outcome before it is played.
    fn block_name(&self, call: usize, is_played: bool) -> String;

    /// Returns the second line of a block; may be empty.
    fn block_detail(&self, call: usize) -> String;

    /// Changes the playhead or what is visible.
    fn playhead(&self, action: PlayheadAction) -> Action;

    /// Selects a call.
    fn select(&self, call: usize) -> Action;

    /// Opens the selected call.
    fn open(&self) -> Action;

    /// Draws the menu of the selected call.
    fn menu_ui(&self, ui: &mut Ui, actions: &mut Actions);
}

/// A strip as it is painted.
#[derive(Clone, Copy)]
pub(super) struct StripPicture<'a> {
    pub(super) calls: &'a dyn StripCalls,
    pub(super) strip: &'a RunStrip,
    pub(super) player: &'a StripPlayer,
    /// Painted position of the playhead, in nanoseconds.
    pub(super) nanos: f64,
    /// The selected call.
    pub(super) call: usize,
    pub(super) lane_height: f32,
    /// The number of the strip; another strip has another one.
    pub(super) number: u64,
}

impl<'a> StripPicture<'a> {
    /// Reads the playhead, and requests the next frame while it plays. With reduced motion, the playhead jumps from call to call.
    pub(super) fn new(
        ui: &Ui,
        calls: &'a dyn StripCalls,
        (strip, player): (&'a RunStrip, &'a StripPlayer),
        (number, call): (u64, usize),
        is_reduced: bool,
    ) -> Self {
        request_next_frame(ui, &player.transport, &strip.schedule, is_reduced);
        Self {
            calls,
            strip,
            player,
            nanos: player.transport.shown_nanos(&strip.schedule, is_reduced),
            call,
            lane_height: LANE,
            number,
        }
    }

    /// Whether the playhead has reached a call.
    pub(super) fn is_played(&self, call: usize) -> bool {
        call <= self.call
    }
    /// Describes the playhead for screen readers, with one of two names: where times were recorded, and where not.
    fn slider_info(&self, timed_name: &str, untimed_name: &str) -> WidgetInfo {
        let (name, value) = if self.strip.is_timed() {
            (timed_name, self.nanos / SECOND)
        } else {
            (untimed_name, (self.call + 1) as f64)
        };
        WidgetInfo { value: Some(value), ..WidgetInfo::labeled(Role::Slider, true, name) }
    }
}
