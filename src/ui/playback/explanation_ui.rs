//! Explains the response of a call: each step, the nearest misses, both signatures, and the fixes.

use egui::{
    Align, Frame, Layout, Margin, Rangef, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2,
};

use super::playback_data::{PlaybackData, recording_label, request_place, verdict_look};
use super::signatures_ui::{rows_card, signatures_ui};
use super::strip::conversation_ui;
use document::text::{counted, lower_first, visible};
use play::playback::fixes::Fix;
use play::playback::{Miss, PlayedCall, ResultStatus};
use protocol::{Explanation, PlaybackResult};
use widgets::code::sentence;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, Line, List, Row, RowSelection, RowShape, RowSlot, StyledText, on_click};
use workbench::{Action, Actions, InspectorPlacement, PlaybackAction};

const MISS_ROW: RowShape = RowShape { height: 32.0, lines: &[16.0], ..RowShape::ONE_LINE };

/// Draws the explanation of the selected call, or the conversation.
pub fn explanation_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    placement: InspectorPlacement,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if conversation_ui(ui, data, placement, actions) {
        return;
    }
    let (Some(result), Some(call)) = (data.played(), data.desk.selected()) else { return };
    let title = format!("Call {}", data.desk.call + 1);
    panel_header(ui, (&title, &request_place(&call.request)), |ui| {
        widgets::close_button(ui, placement, "Close the explanation", actions);
        let (icon, tone) = verdict_look(call);
        widgets::tag(ui, icon, &call.verdict_label(), tone);
        if widgets::icon_button(ui, icons::MESSAGES_SQUARE, "Show the conversation").clicked() {
            actions.push(Action::from(PlaybackAction::ShowConversation(true)));
        }
    });
    // Each call of each run begins at its top.
    let area = ScrollArea::vertical().id_salt((data.desk.number, data.desk.call));
    area.auto_shrink(false).show(ui, |ui| {
        let explanation = match data.desk.explanation() {
            Some(Ok(explanation)) => explanation,
            Some(Err(reason)) => {
                let text = format!("{reason}.");
                return section(ui, |ui| numbered_ui(ui, None, &text, ResultStatus::Bad));
            }
            None => return widgets::skeleton_rows(ui, 6, theme::ROW_HEIGHT),
        };
        why_ui(ui, call, explanation, actions);
        fixes_ui(ui, data, actions);
        if !explanation.misses.nearest.is_empty() {
            widgets::hair_line(ui);
            misses_ui(ui, data, result, explanation, actions);
        }
        if let Some((position, diff)) = data.desk.signatures() {
            widgets::hair_line(ui);
            section(ui, |ui| signatures_ui(ui, result, call, position, diff));
        }
    });
}

/// Draws the header of the panel: a title with a note, and controls from the right edge.
pub(super) fn panel_header(ui: &mut Ui, (title, note): (&str, &str), tools: impl FnOnce(&mut Ui)) {
    let colors = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, tools);
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        StyledText::new()
            .with(title, theme::semibold(theme::TITLE), colors.text_strong)
            .after(theme::GAP, note, theme::regular(theme::BODY), colors.muted)
            .show(ui);
    });
    widgets::line_below(ui, rect);
}

/// Draws a part of the explanation with the padding of its region.
fn section(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    Frame::new().inner_margin(Margin::symmetric(16, 14)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        add(ui);
    });
}

fn why_ui(ui: &mut Ui, call: &PlayedCall, explanation: &Explanation, actions: &mut Actions) {
    section(ui, |ui| {
        let title = if call.served().is_some() { "Why this recording" } else { "Why no recording" };
        widgets::heading(ui, "", title, "");
        ui.add_space(6.0);
        for (number, why) in explanation.why.iter().enumerate() {
            numbered_ui(ui, Some(number + 1), &why.text, why.status);
        }
        // Without steps the verdict is the only explanation.
        if let Some(why) = call.verdict.explain().filter(|_| explanation.why.is_empty()) {
            numbered_ui(ui, Some(1), &format!("{why}."), ResultStatus::Doubtful);
        }
        if let Some(error) = &explanation.error {
            ui.add_space(6.0);
            // The whole error is too long for a tooltip; the copy has it.
            let first = error.lines().next().unwrap_or_default();
            let copy = widgets::icon_link(ui, icons::COPY, "Copy the client's error");
            on_click(&copy.on_hover_text(visible(first)), Action::Copy(error.clone()), actions);
        }
    });
}

/// Draws a sentence after its number, or after its status icon.
fn numbered_ui(ui: &mut Ui, number: Option<usize>, text: &str, status: ResultStatus) {
    let colors = tokens(ui);
    let color = if status == ResultStatus::Bad { colors.error } else { colors.text };
    let data = if status == ResultStatus::Bad { colors.error } else { colors.text_strong };
    let text = visible(text);
    let width = ui.available_width() - theme::INDENT;
    let mut job = sentence(&text, theme::regular(theme::ROW), color, data, width);
    // The fonts of text and data have different heights.
    for section in &mut job.sections {
        section.format.line_height = Some(18.0);
    }
    let galley = ui.painter().layout_job(job);
    let (rect, response) = widgets::allocate_row(ui, galley.size().y + 6.0, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, galley.text()));
    let top = pos2(rect.left(), rect.top() + 12.0);
    match number {
        Some(number) => {
            let font = theme::mono(theme::LABEL);
            let line = widgets::line(ui, &number.to_string(), font, colors.muted, 20.0);
            widgets::paint_line(ui.painter(), top, line);
        }
        None => {
            let (icon, tone) = widgets::outcome_style(status);
            let center = top + vec2(6.0, 0.0);
            widgets::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, colors.tone(tone));
        }
    }
    ui.painter().galley(pos2(rect.left() + theme::INDENT, rect.top() + 3.0), galley, color);
}

fn misses_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    result: &PlaybackResult,
    explanation: &Explanation,
    actions: &mut Actions,
) {
    let misses = &explanation.misses;
    section(ui, |ui| {
        let count = format!("{} of {}", misses.nearest.len(), misses.count);
        let heading = widgets::heading(ui, "", "Nearest recordings", &count);
        let (font, color) = (theme::regular(theme::LABEL), tokens(ui).muted);
        let order = widgets::line(ui, "most similar first", font, color, 160.0);
        widgets::paint_line_right(ui.painter(), heading.rect.right_center(), order);
        ui.add_space(8.0);
        let shown_index = data.desk.signatures().map(|(position, _)| position);
        rows_card(ui, |ui| {
            let list = List::new("Recordings by similarity", &MISS_ROW, misses.nearest.len());
            list.show_inside(ui, |slot| {
                let miss = &misses.nearest[slot.index];
                if let Some(recording) = result.run.set.recordings.get(miss.index) {
                    let name = recording_label(recording);
                    miss_ui(slot, miss, &name, shown_index == Some(miss.index), actions);
                }
            });
        });
        if let Some(miss) = misses.nearest.iter().find(|miss| Some(miss.index) == shown_index) {
            ui.add_space(4.0);
            for reason in &miss.reasons {
                numbered_ui(ui, None, &format!("{}.", reason.sentence()), ResultStatus::Doubtful);
            }
            // A recording that does not differ needs no change.
            if !miss.reasons.is_empty() {
                hint_ui(ui, &format!("To match: {}", lower_first(&miss.change(&result.run))));
            }
        }
    });
}

fn hint_ui(ui: &mut Ui, text: &str) {
    let colors = tokens(ui);
    let text = visible(text);
    let width = ui.available_width() - theme::INDENT;
    let font = theme::regular(theme::ROW);
    let job = sentence(&text, font, colors.text_strong, colors.text_strong, width);
    let galley = ui.painter().layout_job(job);
    let (rect, response) = widgets::allocate_row(ui, galley.size().y + 8.0, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, galley.text()));
    let center = pos2(rect.left() + 6.0, rect.top() + 12.0);
    widgets::paint_icon(ui.painter(), center, icons::LIGHTBULB, theme::ICON_TAG, colors.accent);
    let corner = pos2(rect.left() + theme::INDENT, rect.top() + 4.0);
    ui.painter().galley(corner, galley, colors.text_strong);
}

fn miss_ui(slot: &mut RowSlot<'_>, miss: &Miss, name: &str, is_shown: bool, actions: &mut Actions) {
    let colors = tokens(slot.ui);
    let difference = miss.short();
    let difference = visible(&difference);
    let inner = slot.rect.x_range().shrink(12.0);
    let mono = || theme::mono(theme::LABEL);
    let number = (miss.index + 1).to_string();
    let position = StyledText::new().with(&number, mono(), colors.muted);
    let left = inner.min + position.clone().galley(slot.ui, 60.0).size().x.max(14.0) + theme::GAP;
    let label = StyledText::new().with(name, mono(), colors.text_strong);
    let max_width = inner.span() * 0.55;
    let end = left + label.clone().galley(slot.ui, max_width).size().x + theme::GAP;
    let row = Row::new(format!("Position {number}, {name}, {difference}"))
        // The selection of the desk is the call; this one is beside it.
        .selection(if is_shown { RowSelection::SelectedAway } else { RowSelection::None })
        .cell(Rangef::new(inner.min, left))
        .line(position)
        .cell(Rangef::new(left, left + max_width))
        .line(label)
        .cell(Rangef::new(end, inner.max))
        .line(Line::number(&difference, theme::regular(theme::ROW), colors.text));
    let response = slot.show(row);
    // First, because egui reports the second click of a double click as a click, too.
    if response.double_clicked() {
        actions.push(Action::from(PlaybackAction::OpenRecording(miss.index)));
    } else if response.clicked() {
        actions.push(Action::from(PlaybackAction::ShowRecording(miss.index)));
    }
}

fn fixes_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let mut fixes = data.desk.fixes().peekable();
    let can_undo = data.desk.undo.is_some();
    if fixes.peek().is_none() && !can_undo {
        return;
    }
    widgets::hair_line(ui);
    section(ui, |ui| {
        widgets::heading(ui, "", "Fix", "");
        ui.add_space(theme::GAP);
        ui.spacing_mut().item_spacing.y = theme::GAP;
        for (number, fix) in fixes.enumerate() {
            fix_ui(ui, data, fix, number == 0, actions);
        }
        if can_undo && widgets::icon_link(ui, icons::UNDO_2, "Undo the changes to files").clicked()
        {
            actions.push(Action::from(PlaybackAction::UndoFiles));
        }
    });
}

fn fix_icon(fix: &Fix) -> &'static str {
    match fix {
        Fix::ShowSourceChange(_) => icons::COLUMNS_2,
        Fix::RenameTool { .. } => icons::REPLACE,
        Fix::DropContextKeys(_) => icons::BRACES,
        Fix::RecomputeSignatures(_) => icons::FINGERPRINT,
        Fix::WrapResponses(_) => icons::WRAP_TEXT,
        Fix::Duplicate(_) => icons::COPY,
        Fix::Reorder(_) => icons::LIST_ORDERED,
        Fix::Regenerate(_) => icons::REFRESH_CW,
    }
}

/// Returns the label and the tooltip of the button of a fix.
pub(super) fn fix_texts(data: &PlaybackData<'_>, fix: &Fix) -> [String; 2] {
    if let Fix::Regenerate(recordings) = fix
        && data.workbench.core.can_regenerate()
    {
        // Only with a command of the project; otherwise there is only one to copy.
        let recordings = counted(recordings.len(), "recording", "recordings");
        return [format!("Regenerate…  {recordings}"), "Shows the command before it runs.".into()];
    }
    let (title, extent) = (fix.title(), fix.extent());
    let title = if extent.is_empty() { title.to_owned() } else { format!("{title}  {extent}") };
    [title, visible(&fix.describe()).replace('`', "")]
}

fn fix_ui(ui: &mut Ui, data: &PlaybackData<'_>, fix: &Fix, is_first: bool, actions: &mut Actions) {
    let [title, tip] = fix_texts(data, fix);
    let button = match (is_first, fix) {
        (true, Fix::ShowSourceChange(_) | Fix::RenameTool { .. }) => Button::primary(&title),
        _ => Button::secondary(&title),
    };
    let button = button
        .icon(fix_icon(fix))
        .trailing(icons::ARROW_RIGHT)
        .tooltip(&tip)
        .width(ui.available_width());
    if ui.with_layout(Layout::top_down(Align::Min), |ui| ui.add(button)).inner.clicked() {
        actions.push(Action::from(PlaybackAction::Fix(fix.clone())));
    }
}

/// Draws the bar below the calls of a narrow window: the verdict of the selected call, and the button of the
/// explanation.
pub fn summary_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let Some(call) = data.desk.selected() else { return };
    let colors = tokens(ui);
    let inner = widgets::selection_line(ui, actions);
    let (icon, tone) = verdict_look(call);
    let why = call.verdict.explain().map(|why| format!(". {why}"));
    let (number, verdict) = (data.desk.call + 1, call.verdict_label());
    let text = format!("Call {number}: {verdict}{}.", why.unwrap_or_default());
    widgets::paint_icon_word(ui, inner, (icon, colors.tone(tone)), (&visible(&text), colors.text));
}

/// Height of the summary bar.
pub const SUMMARY_HEIGHT: f32 = 44.0;
