//! Lays out the strip: transport, axis and lanes, and recordings, and the selected call below it.

use egui::{Rect, Sense, Ui};

use super::lanes_ui::{LanesView, lanes_ui};
use super::recordings_ui;
use super::strip_props::StripProps;
use super::transport_ui::transport_ui;
use crate::playback::call_ui::call_ui;
use crate::playback::playback_data::PlaybackData;
use crate::tapes::{TimeScale, request_next_frame};
use play::playback::strip_picture::{ARROWS, NAMES};
use widgets::theme;
use workbench::Actions;

/// The height of the axis.
const AXIS_HEIGHT: f32 = 28.0;
/// Below this height lanes are lower, so that four of them fit.
const FULL_LANES_MIN_HEIGHT: f32 = 420.0;
const LOW_LANE_HEIGHT: f32 = 52.0;
/// The least height of the arrows, and that of the call below the strip.
const MIN_ARROWS_HEIGHT: f32 = 32.0;
const CALL_HEIGHT: f32 = 168.0;

/// State of the strip that is kept between frames.
#[derive(Debug, Default)]
pub struct PlaybackView {
    lanes: LanesView,
    /// The text in the filter of what can be played.
    pub(crate) filter: String,
    /// The run and the call whose recording was last scrolled into view.
    shown_cell: Option<(u64, usize)>,
}

/// Draws the strip of the played run.
pub(crate) fn strip_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    view: &mut PlaybackView,
    actions: &mut Actions,
) {
    let Some(mut props) = StripProps::new(data) else { return };
    let is_reduced = data.workbench.core.user.settings.reduced_motion;
    request_next_frame(ui, &props.player.transport, &props.strip.schedule, is_reduced);
    transport_ui(ui, &props, actions);
    widgets::hair_line(ui);
    let (area, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let is_low = area.height() < FULL_LANES_MIN_HEIGHT;
    if is_low {
        props.lane_height = LOW_LANE_HEIGHT;
    }
    let lanes = props.strip.lanes.len() as f32 * props.lane_height;
    let room = area.height() - AXIS_HEIGHT - recordings_ui::HEIGHT;
    // The arrows shrink first; lanes that do not fit then have a scroll bar. In a small window, the lanes are worth more than the call.
    let call_height = if is_low { 0.0 } else { CALL_HEIGHT };
    let arrows = (room - lanes - call_height).clamp(MIN_ARROWS_HEIGHT, ARROWS);
    let lanes = lanes.min((room - arrows - call_height).max(props.lane_height));
    let (axis, rest) = area.split_top_bottom_at_y(area.top() + AXIS_HEIGHT);
    let (lanes, rest) = rest.split_top_bottom_at_y(rest.top() + lanes);
    let (arrows, rest) = rest.split_top_bottom_at_y(rest.top() + arrows);
    let (recordings, call) = rest.split_top_bottom_at_y(rest.top() + recordings_ui::HEIGHT);
    let left = area.left() + NAMES;
    let scale = TimeScale {
        shown: props.player.visible_time(props.strip),
        left,
        // Times are divided by the width.
        width: (area.right() - theme::PADDING - left).max(1.0),
        moved: None,
    };
    let drops = lanes_ui(ui, &props, (axis, lanes), scale, &mut view.lanes, actions);
    let cells = recordings_ui::recordings_ui(ui, &props, recordings, &mut view.shown_cell, actions);
    let curves = Rect::from_min_max(arrows.min, recordings.max);
    recordings_ui::arrows_ui(ui, &props, (arrows, curves), &drops, cells);
    if call.is_positive() {
        widgets::line_above(ui, call);
        widgets::place(ui, call, |ui| call_ui(ui, data));
    }
}
