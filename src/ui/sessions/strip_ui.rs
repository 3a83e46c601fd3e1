//! Paints the tool calls of the session as a strip: transport, axis and lanes, and the details of the selected call.

use egui::{Rect, Sense, Ui, vec2};

use super::form_state::SessionProps;
use super::sessions_data::{SessionData, one_line};
use crate::strip::{
    AXIS_HEIGHT, LanesView, StripCalls, StripPicture, UNTIMED, keys_ui, lanes_ui, transport_ui,
};
use crate::tapes::TimeScale;
use calls::tape::timing::{MILLISECOND, SECOND};
use document::text::{thousands, visible};
use play::playback::strip_picture::{LANE, NAMES, seconds};
use play::playback::{CallBlock, ResultStatus, RunStrip};
use widgets::theme::{self, tokens};
use widgets::{StyledText, icons};
use workbench::{Action, Actions, FormCursor, PlayheadAction, SessionView, SessionsAction};

/// The height of what is known of the selected call, and of the legend.
const DETAILS_HEIGHT: f32 = 132.0;
const LEGEND_HEIGHT: f32 = 32.0;
/// The width of the names of values.
const VALUE_NAMES_WIDTH: f32 = 88.0;

/// Input of the strip: the tool calls with their session.
#[derive(Clone, Copy)]
struct ToolCalls<'a> {
    data: &'a SessionData,
    strip: &'a RunStrip,
}

impl StripCalls for ToolCalls<'_> {
    fn lanes_title(&self) -> &'static str {
        "Tool"
    }

    fn lane_name(&self, lane: usize) -> String {
        let lane = self.strip.lanes.get(lane);
        let name = lane.and_then(|lane| lane.node.as_deref());
        name.map_or_else(|| "no tool".to_owned(), |name| visible(name).into_owned())
    }

    fn block_name(&self, call: usize, is_played: bool) -> String {
        let Some(block) = self.strip.blocks.get(call) else { return String::new() };
        let lane = self.lane_name(block.lane);
        let start =
            self.strip.start_label(call).map_or_else(String::new, |start| format!(", {start}"));
        let outcome = if is_played {
            format!("{}, {}", describe_latency(block), self.outcome(call))
        } else {
            "not played yet".to_owned()
        };
        format!("Tool call {}, {lane}{start}, {outcome}", call + 1)
    }

    fn block_detail(&self, call: usize) -> String {
        self.strip.blocks.get(call).map_or_else(String::new, describe_latency)
    }

    fn playhead(&self, action: PlayheadAction) -> Action {
        Action::from(SessionsAction::Playhead(action))
    }

    fn select(&self, call: usize) -> Action {
        Action::from(SessionsAction::Point(Some(FormCursor::Response(call))))
    }

    fn open(&self) -> Action {
        Action::from(SessionsAction::ShowView(SessionView::Form))
    }

    fn menu_ui(&self, ui: &mut Ui, actions: &mut Actions) {
        widgets::menu_choice(ui, icons::PENCIL, "Show in the form", self.open(), actions);
    }

    // A session has nothing to play again.
    fn tools_ui(&self, _: &mut Ui, _: bool, _: &mut Actions) {}
}

impl ToolCalls<'_> {
    /// Returns how a call ended: its problem, its status, or that it is right.
    fn outcome(&self, call: usize) -> String {
        if let Some(problem) = self.data.problem_at(FormCursor::Response(call)) {
            return problem.message;
        }
        let session = self.data.session();
        let response = session.and_then(|session| session.tool_responses.get(call));
        let status = response.and_then(|response| response.status.as_ref());
        match status.map(|status| status.value) {
            None => "no status".to_owned(),
            // Flakestorm's sessions use status 0 for a call without an answer.
            Some(..=0) => "no answer".to_owned(),
            // HTTP's request timeout and gateway timeout.
            Some(status @ (408 | 504)) => format!("timeout, status {status}"),
            Some(status @ 400..) => format!("error, status {status}"),
            Some(status) => format!("status {status}"),
        }
    }
}

/// Returns the latency of a tool call: in milliseconds, or from ten seconds on in seconds.
fn describe_latency(block: &CallBlock) -> String {
    match block.time.nanos() {
        _ if !block.is_measured => "no latency".to_owned(),
        nanos if nanos < 10.0 * SECOND => {
            let millis = (nanos / MILLISECOND).round() as usize;
            format!("{} ms", thousands(millis))
        }
        nanos => seconds(nanos),
    }
}

/// Draws the strip of the session.
pub(super) fn strip_ui(
    ui: &mut Ui,
    props: SessionProps<'_>,
    view: &mut LanesView,
    actions: &mut Actions,
) {
    let Some(strip) = props.desk.shown_strip() else {
        return widgets::empty_sentence(ui, "No tool calls. Add tool responses in the form.");
    };
    let calls = ToolCalls { data: props.data, strip };
    let player = &props.desk.strip.player;
    let call = props.desk.strip_call(strip);
    // Distinguishes sessions, so that animations do not run from one to the other.
    let number = props.data.id().map_or(0, |id| id.doc.index() as u64);
    let picture = StripPicture::new(ui, &calls, (strip, player), (number, call), props.is_reduced);
    transport_ui(ui, &picture, actions);
    widgets::hair_line(ui);
    let (area, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let (area, legend) = area.split_top_bottom_at_y(area.bottom() - LEGEND_HEIGHT);
    let (axis, rest) = area.split_top_bottom_at_y(area.top() + AXIS_HEIGHT);
    // The details stay visible; with many tools the lanes scroll.
    let height = (strip.lanes.len() as f32 * LANE).min((rest.height() - DETAILS_HEIGHT).max(LANE));
    let (lanes, rest) = rest.split_top_bottom_at_y(rest.top() + height);
    let left = area.left() + NAMES;
    let scale = TimeScale {
        shown: player.visible_time(strip),
        left,
        // A window narrower than the names would make the scale negative.
        width: (area.right() - theme::PADDING - left).max(1.0),
        moved: None,
    };
    lanes_ui(ui, &picture, (axis, lanes), scale, view, actions);
    let details = rest.with_max_y((rest.top() + DETAILS_HEIGHT).min(rest.bottom()));
    let inner = details.shrink2(vec2(theme::PADDING, theme::SECTION_GAP));
    widgets::place(ui, inner, |ui| details_ui(ui, &calls, call));
    let line = Rect::from_min_size(legend.min, vec2(legend.width(), 1.0));
    ui.painter().rect_filled(line, 0.0, tokens(ui).hair);
    let inner = legend.shrink2(vec2(theme::PADDING, 0.0));
    let is_timed = strip.is_timed();
    widgets::place_left(ui, inner, |ui| legend_ui(ui, is_timed));
}

/// Draws the details of the selected tool call.
fn details_ui(ui: &mut Ui, calls: &ToolCalls<'_>, call: usize) {
    let Some(block) = calls.strip.blocks.get(call) else { return };
    let colors = tokens(ui);
    let title = format!("Tool call {}", call + 1);
    widgets::heading(ui, "", &title, &calls.lane_name(block.lane));
    ui.add_space(4.0);
    let (_, tone) = widgets::outcome_style(block.status);
    let tone = match block.status {
        ResultStatus::Good => colors.text_strong,
        _ => colors.tone(tone),
    };
    let response = calls
        .data
        .response(call)
        .and_then(|response| response.get("response"))
        .map_or_else(|| "none".to_owned(), one_line);
    let latency = describe_latency(block);
    let start = calls.strip.start_label(call).unwrap_or_else(|| "not recorded".to_owned());
    for (name, value, color) in [
        ("Begins at", &start, colors.text_strong),
        ("Latency", &latency, colors.text_strong),
        ("Outcome", &calls.outcome(call), tone),
        ("Response", &response, colors.text_strong),
    ] {
        let (rect, _) = widgets::allocate_row(ui, theme::TEXT_LINE, Sense::hover());
        let (left, right) = rect.split_left_right_at_x(rect.left() + VALUE_NAMES_WIDTH);
        let font = theme::regular(theme::LABEL);
        widgets::place_left(ui, left, |ui| {
            StyledText::new().with(name, font, colors.muted).show(ui);
        });
        let font = theme::regular(theme::ROW);
        widgets::place_left(ui, right, |ui| {
            StyledText::new().with(value, font, color).show(ui);
        });
    }
}

/// Draws the meaning of the marks, and the keys.
fn legend_ui(ui: &mut Ui, is_timed: bool) {
    let colors = tokens(ui);
    ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
    for (status, text) in [
        (ResultStatus::Good, "as it should"),
        (ResultStatus::Doubtful, "refused, or a warning"),
        (ResultStatus::Bad, "error or timeout"),
    ] {
        let (icon, tone) = widgets::outcome_style(status);
        let (rect, _) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::hover());
        widgets::paint_icon(ui.painter(), rect.center(), icon, theme::ICON, colors.tone(tone));
        StyledText::new().with(text, theme::regular(theme::LABEL), colors.muted).show(ui);
        ui.add_space(theme::GAP);
    }
    if !is_timed {
        StyledText::new().with(UNTIMED, theme::regular(theme::LABEL), colors.muted).show(ui);
    }
    keys_ui(ui);
}
