//! Lays out the strip: transport, axis and lanes, recordings, and what is known of the selected call.

use egui::{Rect, Sense, Ui, vec2};

use super::{lanes_ui, parts_ui, recordings_ui, transport_ui};
use crate::ops::playback::RunStrip;
use crate::ui::playback::data::PlaybackData;
use crate::ui::tapes::{TimeScale, request_next_frame};
use crate::ui::theme;
use crate::ui::widgets;
use crate::workbench::{Action, PlaybackResult};

/// The height of a lane.
pub(super) const LANE: f32 = 68.0;
/// The width of the names of lanes.
pub(super) const NAMES: f32 = 120.0;
const AXIS: f32 = 28.0;
const ARROWS: f32 = 124.0;
/// The height of the arrows in a low window.
const ARROWS_LOW: f32 = 56.0;
/// The height of the parts below, and of the room from which they are shown.
const PARTS: f32 = 152.0;
const PARTS_FROM: f32 = 520.0;
const LEGEND: f32 = 32.0;

/// State of the strip that is kept between frames.
#[derive(Debug, Default)]
pub(in crate::ui::playback) struct StripView {
    /// How far the lanes are scrolled down.
    pub(super) scrolled: f32,
    /// The run and the call whose lane was last scrolled into view, and whose recording was.
    pub(super) shown_lane: Option<(u64, usize)>,
    pub(super) shown_cell: Option<(u64, usize)>,
}

/// What the parts of the strip need to paint a run.
#[derive(Clone, Copy)]
pub(in crate::ui::playback) struct StripProps<'a> {
    pub(super) data: &'a PlaybackData<'a>,
    pub(super) played: &'a PlaybackResult,
    pub(super) strip: &'a RunStrip,
    /// Where the playhead is, in nanoseconds.
    pub(super) nanos: f64,
}

impl<'a> StripProps<'a> {
    /// Reads the desk; `None` if no strip is shown.
    pub(super) fn new(data: &'a PlaybackData<'a>) -> Option<Self> {
        let strip = data.desk.shown_strip()?;
        let is_reduced = data.workbench.core.user.settings.reduced_motion;
        let transport = &data.desk.strip.transport;
        Some(Self {
            data,
            played: data.played()?,
            strip,
            nanos: transport.shown_nanos(&strip.schedule, is_reduced),
        })
    }

    /// The selected call.
    pub(super) fn call(&self) -> usize {
        self.data.desk.call
    }

    /// Whether the playhead has reached a call.
    pub(super) fn is_played(&self, call: usize) -> bool {
        call <= self.call()
    }
}

/// Draws the strip of the played run.
pub(in crate::ui::playback) fn strip_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    view: &mut StripView,
    actions: &mut Vec<Action>,
) {
    let Some(props) = StripProps::new(data) else {
        return;
    };
    let is_reduced = data.workbench.core.user.settings.reduced_motion;
    let transport = &data.desk.strip.transport;
    request_next_frame(ui, transport, &props.strip.schedule, is_reduced);
    transport_ui::transport_ui(ui, &props, actions);
    widgets::hair_line(ui);
    let (area, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let (area, legend) = area.split_top_bottom_at_y(area.bottom() - LEGEND);
    let has_parts = area.height() >= PARTS_FROM;
    let parts = if has_parts { PARTS } else { 0.0 };
    let arrows = if has_parts { ARROWS } else { ARROWS_LOW };
    let room = area.height() - AXIS - arrows - recordings_ui::HEIGHT - parts;
    let lanes = (props.strip.lanes.len() as f32 * LANE).min(room.max(LANE));
    let (axis, rest) = area.split_top_bottom_at_y(area.top() + AXIS);
    let (lanes, rest) = rest.split_top_bottom_at_y(rest.top() + lanes);
    let (arrows, rest) = rest.split_top_bottom_at_y(rest.top() + arrows);
    let (recordings, parts) = rest.split_top_bottom_at_y(rest.top() + recordings_ui::HEIGHT);
    let left = area.left() + NAMES;
    let scale = TimeScale {
        shown: data.desk.visible_time(),
        left,
        width: (area.right() - theme::PADDING - left).max(1.0),
        moved: None,
    };
    let drops = lanes_ui::lanes_ui(ui, &props, (axis, lanes), scale, view, actions);
    let cells = recordings_ui::recordings_ui(ui, &props, recordings, view, actions);
    let curves = Rect::from_min_max(arrows.min, recordings.max);
    recordings_ui::arrows_ui(ui, &props, (arrows, curves), &drops, cells);
    if has_parts {
        widgets::place(ui, parts, |ui| parts_ui::parts_ui(ui, &props, actions));
    }
    let line = Rect::from_min_size(legend.min, vec2(legend.width(), 1.0));
    ui.painter().rect_filled(line, 0.0, theme::tokens(ui).hair);
    let inner = legend.shrink2(vec2(theme::PADDING, 0.0));
    widgets::place_left(ui, inner, parts_ui::legend_ui);
}
