//! The request: its conversation, the offered tools, and the nearest recordings.

use egui::{Align, Frame, Layout, Margin, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use super::queue_data::{NearestData, QueueData, QueueRequestData, QueueView};
use super::queue_list_ui::{offers_ui, queue_action};
use crate::inspector::{PrefixedToolName, conversation_ui, paint};
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText};
use workbench::{Actions, AnswerMethod, Command, PendingRequest, QueueAction, RequestOutcome};

const ROW_HEIGHT: f32 = 32.0;
/// Below this width the header has no space for text.
const MIN_TEXT_WIDTH: f32 = 440.0;

/// Draws the empty state while no request is waiting.
pub(super) fn nothing_ui(ui: &mut Ui, root: &str, data: &QueueData, actions: &mut Actions) {
    let (title, text) = match &data.watched[..] {
        [] => (
            "No queue is watched",
            "A live run writes its requests to a folder and waits for answers. Watch the folder to answer them.",
        ),
        _ => ("No requests waiting", "Requests appear here as soon as a program writes them."),
    };
    widgets::empty_desk_with(ui, (icons::RADIO, title), text, |ui| {
        if data.watched.is_empty() {
            offers_ui(ui, data, root, actions);
        }
    });
}

/// Draws the request.
pub(super) fn request_ui(
    ui: &mut Ui,
    request: &PendingRequest,
    view: &mut QueueView,
    actions: &mut Actions,
) {
    let Some(data) = &view.data.request else { return };
    head_ui(ui, request, data, actions);
    // Each request keeps its own scroll position.
    let area = ScrollArea::vertical().id_salt(("request", &data.id));
    area.auto_shrink(false).show_viewport(ui, |ui, viewport| {
        if let Some(conversation) = &data.conversation {
            conversation_ui(ui, viewport, conversation, &mut view.sections, actions);
        }
        tools_ui(ui, data);
        paint::framed(ui, |ui| {
            heading_ui(ui, icons::FINGERPRINT, "Signature", &data.signature);
        });
        near_ui(ui, request, data, actions);
    });
}

fn head_ui(ui: &mut Ui, request: &PendingRequest, data: &QueueRequestData, actions: &mut Actions) {
    let colors = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        let command = Command::CompareNearest;
        let availability = match request.recording() {
            Some(_) => Ok(()),
            None => Err("there is no recording to compare with"),
        };
        let (icon, name) = (icons::COLUMNS_2, command.name());
        let text_button = Button::ghost(name).icon(icon);
        let button = if inner.width() < MIN_TEXT_WIDTH {
            Button::icon_only(icon, name)
        } else {
            text_button
        };
        widgets::command_button(ui, button.command(command, availability), command, actions);
    });
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        paint::icon(ui, icons::INBOX, theme::ICON_HEADING, colors.muted);
        let font = theme::mono_bold(theme::BODY);
        StyledText::new().with(&data.request_id, font, colors.text_strong).show(ui);
        let (icon, word, tone) = state_look(request);
        widgets::tag(ui, icon, word, tone);
    });
    widgets::line_below(ui, rect);
}

/// Returns the icon, the label and the tone of a request's state.
fn state_look(request: &PendingRequest) -> (&'static str, &'static str, Tone) {
    match request.ended.as_ref() {
        None if request.is_overdue => (icons::HOURGLASS, "Probably timed out", Tone::Warning),
        None => (icons::HOURGLASS, "Pending", Tone::Note),
        Some(RequestOutcome::Withdrawn | RequestOutcome::TimedOut) => {
            (icons::CIRCLE_X, "Withdrawn", Tone::Warning)
        }
        Some(RequestOutcome::Elsewhere) => (icons::CHECK, "Answered elsewhere", Tone::Warning),
        Some(_) => (icons::CHECK, "Answered", Tone::Good),
    }
}

/// Adds a heading in the style of messages.
fn heading_ui(ui: &mut Ui, icon: &str, title: &str, note: &str) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, theme::TEXT_LINE, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, format!("{title}, {note}")));
    let words = StyledText::new().with(title, theme::medium(theme::LABEL), colors.muted).after(
        theme::GAP,
        note,
        theme::regular(theme::LABEL),
        colors.muted,
    );
    paint::icon_line(ui, rect, (icon, colors.muted), words);
}

/// Adds a card of rows, indented below its heading.
fn card(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    Frame::new().inner_margin(Margin { left: 22, top: 6, ..Margin::ZERO }).show(ui, |ui| {
        paint::card(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.set_width(ui.available_width());
            add(ui);
        });
    });
}

fn tools_ui(ui: &mut Ui, data: &QueueRequestData) {
    paint::framed(ui, |ui| {
        heading_ui(ui, icons::WRENCH, "Offered tools", &data.tools.len().to_string());
        if data.tools.is_empty() {
            return;
        }
        card(ui, |ui| {
            for (number, (tool, description)) in data.tools.iter().enumerate() {
                if number > 0 {
                    widgets::hair_line(ui);
                }
                tool_ui(ui, tool, description);
            }
        });
    });
}

fn tool_ui(ui: &mut Ui, tool: &PrefixedToolName, description: &str) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, ROW_HEIGHT, Sense::hover());
    if !ui.is_rect_visible(rect) {
        return;
    }
    let name = format!("{}{}, {description}", tool.prefix, tool.rest);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    let inner = rect.shrink2(vec2(12.0, 0.0));
    let middle = inner.center().y;
    let center = pos2(inner.left() + theme::ICON / 2.0, middle);
    let icon = paint::tool_icon(tool.kind);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON, colors.muted);
    let left = inner.left() + theme::INDENT;
    let name = ui.painter().layout_job(paint::tool_name(tool, colors, inner.right() - left));
    let end = left + name.size().x + theme::PADDING;
    widgets::paint_line(ui.painter(), pos2(left, middle), name);
    let font = theme::regular(theme::ROW);
    let words = widgets::line(ui, description, font, colors.muted, inner.right() - end);
    widgets::paint_line_right(ui.painter(), pos2(inner.right(), middle), words);
    if !description.is_empty() {
        response.on_hover_text(description);
    }
}

fn near_ui(ui: &mut Ui, request: &PendingRequest, data: &QueueRequestData, actions: &mut Actions) {
    Frame::new().inner_margin(Margin { left: 16, right: 16, top: 10, bottom: 16 }).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let Some(nearest) = &data.nearest else {
            return heading_ui(ui, icons::FILE_PLAY, "Nearest recordings", "searching");
        };
        let note = if nearest.lines.is_empty() {
            "no recordings are open".to_owned()
        } else {
            format!("in {}, least different first", nearest.set)
        };
        heading_ui(ui, icons::FILE_PLAY, "Nearest recordings", &note);
        if nearest.lines.is_empty() {
            return;
        }
        card(ui, |ui| {
            for number in 0..nearest.lines.len() {
                if number > 0 {
                    widgets::hair_line(ui);
                }
                near_row(ui, request, nearest, number, actions);
            }
        });
    });
}

fn near_row(
    ui: &mut Ui,
    request: &PendingRequest,
    nearest: &NearestData,
    number: usize,
    actions: &mut Actions,
) {
    let Some(line) = nearest.lines.get(number) else { return };
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, ROW_HEIGHT, Sense::hover());
    let name = format!("{}, {}", line.label, line.short);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    let inner = rect.shrink2(vec2(12.0, 0.0));
    let draft = &request.draft;
    let is_used = draft.method == AnswerMethod::Recording && draft.recording == number;
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        if is_used {
            let font = theme::regular(theme::ROW);
            StyledText::new().with("its answer is already in use", font, colors.muted).show(ui);
        } else if line.has_answer {
            // The links of all rows have the same label and need different ids.
            let link = ui.push_id(number, |ui| widgets::link(ui, "Use its answer")).inner;
            if link.clicked() {
                // In this order, because the choice refers to the current way of answering.
                actions.push(queue_action(QueueAction::Answer(AnswerMethod::Recording)));
                actions.push(queue_action(QueueAction::Choose(number)));
            }
        }
    });
    let words = StyledText::new()
        .with(&line.label, theme::mono(theme::LABEL), colors.text_strong)
        .after(theme::SECTION_GAP, &line.short, theme::regular(theme::ROW), colors.muted)
        .galley(ui, right - inner.left() - theme::PADDING);
    widgets::paint_line(ui.painter(), inner.left_center(), words);
    if !line.reasons.is_empty() {
        response.on_hover_ui(|ui| {
            ui.with_layout(Layout::top_down(Align::Min), |ui| {
                for reason in &line.reasons {
                    ui.label(reason);
                }
            });
        });
    }
}
