//! Paints what is known of the selected call in three parts: the call, what answers it, and the verdict with its fixes.

use egui::{Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use super::data::{latency, offered, short_tool};
use super::strip_ui::StripProps;
use crate::ops::playback::strip_picture::RecordingUse;
use crate::text::visible;
use crate::ui::code::sentence;
use crate::ui::dates;
use crate::ui::picture::color;
use crate::ui::playback::data::{recording_label, request_place, step_label, verdict_label};
use crate::ui::playback::explanation_ui::{fix_icon, fix_texts};
use crate::ui::strip::{UNTIMED, keys_ui};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, PlaybackAction};

/// The width of the names of values.
const NAMES: f32 = 88.0;
/// The most fixes.
const FIXES: usize = 2;

/// Draws the three parts.
pub(super) fn parts_ui(ui: &mut Ui, props: &StripProps<'_>, actions: &mut Vec<Action>) {
    let area = ui.max_rect();
    let hair = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(area.x_range(), area.top() + 0.5, hair);
    let width = area.width() / 3.0;
    let part = |at: usize| {
        let corner = pos2(area.left() + at as f32 * width, area.top());
        Rect::from_min_size(corner, vec2(width, area.height()))
    };
    for at in 1..3 {
        ui.painter().vline(part(at).left(), area.y_range(), hair);
    }
    let inner = |at: usize| part(at).shrink2(vec2(theme::PADDING, theme::SECTION_GAP));
    widgets::place(ui, inner(0), |ui| call_ui(ui, props));
    widgets::place(ui, inner(1), |ui| answer_ui(ui, props, actions));
    widgets::place(ui, inner(2), |ui| verdict_ui(ui, props, actions));
}

/// Adds a value after its name.
fn value_ui(ui: &mut Ui, name: &str, value: impl FnOnce(&mut Ui)) {
    let size = vec2(ui.available_width(), theme::TEXT_LINE);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let color = tokens(ui).muted;
    widgets::place_left(ui, rect.with_max_x(rect.left() + NAMES), |ui| {
        let font = theme::regular(theme::LABEL);
        StyledText::new().with(name, font, color).show(ui);
    });
    widgets::place_left(ui, rect.with_min_x(rect.left() + NAMES), value);
}

fn text_ui(ui: &mut Ui, name: &str, value: &str) {
    value_ui(ui, name, |ui| {
        let color = tokens(ui).text_strong;
        let font = theme::regular(theme::ROW);
        StyledText::new().with(value, font, color).show(ui);
    });
}

fn call_ui(ui: &mut Ui, props: &StripProps<'_>) {
    let (Some(call), Some(block)) =
        (props.data.desk.selected(), props.strip.blocks.get(props.call()))
    else {
        return;
    };
    let title = format!("Call {}", props.call() + 1);
    widgets::heading(ui, "", &title, &request_place(&call.request));
    ui.add_space(4.0);
    let start = props.strip.start_label(props.call());
    text_ui(ui, "Sent at", start.as_deref().unwrap_or("not recorded"));
    text_ui(ui, "Latency", &latency(block));
    text_ui(ui, "Offers", &offered(&call.request));
}

fn answer_ui(ui: &mut Ui, props: &StripProps<'_>, actions: &mut Vec<Action>) {
    let Some(call) = props.data.desk.selected() else {
        return;
    };
    let served = call.served().and_then(|served| {
        let recorded = props.played.run.set.recordings.get(served.index)?;
        Some((served, recorded))
    });
    let Some((served, recorded)) = served else {
        widgets::heading(ui, "", "Answered by", "no recording");
        return;
    };
    let note = format!("position {}", served.index + 1);
    widgets::heading(ui, "", "Answered by", &note);
    ui.add_space(4.0);
    value_ui(ui, "Recording", |ui| {
        if widgets::mono_link(ui, &recording_label(recorded)).clicked() {
            let open = PlaybackAction::OpenRecording(served.index);
            actions.push(Action::from(open));
        }
    });
    let step = step_label(served.step, props.played.run.rules.mode);
    value_ui(ui, "Step", |ui| {
        let color = tokens(ui).tone(step.tone);
        let rect = ui.available_rect_before_wrap();
        widgets::paint_icon_word(ui, rect, (step.icon, color), (&step.text, color));
    });
    let tools: Vec<String> = recorded.calls.iter().map(|tool| short_tool(tool)).collect();
    let tools = if tools.is_empty() { "no tool".to_owned() } else { tools.join(", ") };
    text_ui(ui, "Calls", &tools);
    if let Some(answered) = recorded.answered {
        text_ui(ui, "Recorded", &dates::day_of_seconds(answered.as_second()));
    }
}

fn verdict_ui(ui: &mut Ui, props: &StripProps<'_>, actions: &mut Vec<Action>) {
    let Some(call) = props.data.desk.selected() else {
        return;
    };
    let colors = tokens(ui);
    let look = verdict_label(call);
    let (row, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), theme::TEXT_LINE), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Heading, true, &look.text));
    let color = colors.tone(look.tone);
    let center = pos2(row.left() + 7.0, row.center().y);
    widgets::paint_icon(ui.painter(), center, look.icon, theme::ICON, color);
    let font = theme::semibold(theme::BODY);
    let title = widgets::line(ui, &look.text, font, color, row.width() - theme::INDENT);
    let left = pos2(row.left() + theme::INDENT, row.center().y);
    widgets::paint_line(ui.painter(), left, title);
    ui.add_space(4.0);
    let why = match (call.verdict.explain(), call.served()) {
        (Some(why), _) => format!("{why}."),
        (None, Some(_)) => "A recording of an equal request answers.".to_owned(),
        (None, None) => "No recording answers this request.".to_owned(),
    };
    let why = visible(&why);
    let font = theme::regular(theme::ROW);
    let job = sentence(&why, font, colors.text, colors.text_strong, row.width());
    let mut fixes = props.data.desk.fixes().peekable();
    let rows = if fixes.peek().is_some() { 2 } else { 4 };
    StyledText::wrapped(job, rows).show(ui);
    ui.add_space(theme::GAP);
    ui.spacing_mut().item_spacing.y = theme::GAP;
    let most = (ui.available_height() / (theme::CONTROL + theme::GAP)).round() as usize;
    for fix in fixes.take(most.clamp(1, FIXES)) {
        let [title, tip] = fix_texts(props.data, fix);
        let button = Button::secondary(&title).icon(fix_icon(fix)).tooltip(&tip);
        if ui.add(button).clicked() {
            actions.push(Action::from(PlaybackAction::Fix(fix.clone())));
        }
    }
}

/// Draws what the marks mean, and the keys.
pub(super) fn legend_ui(ui: &mut Ui, is_timed: bool) {
    let colors = tokens(ui);
    ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
    let word = |ui: &mut Ui, text: &str| {
        StyledText::new().with(text, theme::regular(theme::LABEL), colors.muted).show(ui);
        ui.add_space(theme::GAP);
    };
    let block = |ui: &mut Ui| ui.allocate_exact_size(vec2(20.0, 10.0), Sense::hover()).0;
    let rect = block(ui);
    ui.painter().rect_filled(rect, 2.0, colors.good_tint);
    let edge = rect.with_max_x(rect.left() + 2.0);
    ui.painter().rect_filled(edge, 0.0, colors.good);
    let length = if is_timed { "call, length is its latency" } else { UNTIMED };
    word(ui, length);
    let rect = block(ui);
    let line = Stroke::new(1.0, colors.strong);
    ui.painter().rect_stroke(rect, 2.0, line, StrokeKind::Inside);
    word(ui, "not played yet");
    for (usage, text) in
        [(RecordingUse::Reused, "served twice"), (RecordingUse::Unused, "not used")]
    {
        let (icon, of) = usage.style();
        let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
        let color = color(ui, of);
        widgets::paint_icon(ui.painter(), rect.center(), icon.sign(), theme::ICON_TAG, color);
        word(ui, text);
    }
    keys_ui(ui);
}
