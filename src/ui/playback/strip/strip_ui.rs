//! Lays out the strip: transport, axis and lanes, and recordings.

use egui::{Rect, Sense, Ui};

use super::recordings_ui;
use crate::ops::playback::RunStrip;
use crate::ops::playback::strip_picture::{ARROWS, NAMES};
use crate::ui::icons;
use crate::ui::picture::picture_button;
use crate::ui::playback::data::PlaybackData;
use crate::ui::strip::{AXIS, LanesView, StripCalls, StripPicture, lanes_ui, transport_ui};
use crate::ui::tapes::TimeScale;
use crate::ui::theme;
use crate::ui::widgets::{self, Button};
use crate::workbench::{Action, Command, PlaybackAction, PlaybackResult, PlayheadAction};

/// Below this height lanes are lower, so that four of them fit.
const LOW: f32 = 420.0;
const LANE_LOW: f32 = 52.0;
/// The least height of the arrows.
const ARROWS_LEAST: f32 = 32.0;

/// State of the strip that is kept between frames.
#[derive(Debug, Default)]
pub struct PlaybackView {
    lanes: LanesView,
    /// The run and the call whose recording was last scrolled into view.
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
        let transport = &data.desk.strip.player.transport;
        Some(Self {
            data,
            played: data.played()?,
            strip,
            nanos: transport.shown_nanos(&strip.schedule, is_reduced),
        })
    }

    /// Returns the strip as it is painted.
    pub(super) fn picture(&self, ui: &Ui) -> StripPicture<'_> {
        let is_reduced = self.data.workbench.core.user.settings.reduced_motion;
        let strip = (self.strip, &self.data.desk.strip.player);
        let at = (self.data.desk.number, self.call());
        StripPicture::new(ui, self, strip, at, is_reduced)
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

impl StripCalls for StripProps<'_> {
    fn lanes_title(&self) -> &'static str {
        "Node"
    }

    fn lane_name(&self, lane: usize) -> String {
        self.strip.lane_name(lane)
    }

    fn block_name(&self, call: usize, is_played: bool) -> String {
        self.strip.block_name(&self.played.run, call, is_played)
    }

    fn block_detail(&self, call: usize) -> String {
        self.played.run.called_tool(call)
    }

    fn playhead(&self, action: PlayheadAction) -> Action {
        Action::from(PlaybackAction::Playhead(action))
    }

    fn select(&self, call: usize) -> Action {
        Action::from(PlaybackAction::ShowCall(call))
    }

    fn open(&self) -> Action {
        Action::Run(Command::OpenSelected)
    }

    fn menu_ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        for command in [Command::OpenSelected, Command::CopyLink] {
            let enabled = command.enabled(self.data.workbench);
            if widgets::menu_command(ui, command, enabled).clicked() {
                actions.push(Action::Run(command));
                ui.close();
            }
        }
        if widgets::menu_item(ui, icons::LIGHTBULB, "Explain this answer", &[], None).clicked() {
            actions.push(Action::from(PlaybackAction::ShowConversation(false)));
            ui.close();
        }
    }

    fn tools_ui(&self, ui: &mut Ui, is_wide: bool, actions: &mut Vec<Action>) {
        let copy = Command::CopyLink;
        let button = if is_wide {
            Button::ghost(copy.name()).icon(icons::LINK)
        } else {
            Button::icon_only(icons::LINK, copy.name())
        };
        let enabled = copy.enabled(self.data.workbench);
        if ui.add(button.command(copy, enabled)).clicked() {
            actions.push(Action::Run(copy));
        }
        picture_button(ui, actions);
    }
}

/// Draws the strip of the played run.
pub(in crate::ui::playback) fn strip_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    view: &mut PlaybackView,
    actions: &mut Vec<Action>,
) {
    let Some(props) = StripProps::new(data) else { return };
    let player = &data.desk.strip.player;
    let mut picture = props.picture(ui);
    transport_ui(ui, &picture, actions);
    widgets::hair_line(ui);
    let (area, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    if area.height() < LOW {
        picture.lane_height = LANE_LOW;
    }
    let lanes = props.strip.lanes.len() as f32 * picture.lane_height;
    let room = area.height() - AXIS - recordings_ui::HEIGHT;
    let arrows = (room - lanes).clamp(ARROWS_LEAST, ARROWS);
    let lanes = lanes.min((room - arrows).max(picture.lane_height));
    let (axis, rest) = area.split_top_bottom_at_y(area.top() + AXIS);
    let (lanes, rest) = rest.split_top_bottom_at_y(rest.top() + lanes);
    let (arrows, rest) = rest.split_top_bottom_at_y(rest.top() + arrows);
    let (recordings, _) = rest.split_top_bottom_at_y(rest.top() + recordings_ui::HEIGHT);
    let left = area.left() + NAMES;
    let scale = TimeScale {
        shown: player.visible_time(props.strip),
        left,
        width: (area.right() - theme::PADDING - left).max(1.0),
        moved: None,
    };
    let drops = lanes_ui(ui, &picture, (axis, lanes), scale, &mut view.lanes, actions);
    let cells = recordings_ui::recordings_ui(ui, &props, recordings, view, actions);
    let curves = Rect::from_min_max(arrows.min, recordings.max);
    recordings_ui::arrows_ui(ui, &props, (arrows, curves), &drops, cells);
}
