//! The request: its prompt and messages, and the nearest recordings.

use egui::{ScrollArea, Ui};

use super::queue_data::{NearestLine, QueueData, QueueRequestData, QueueView};
use super::queue_list_ui::{offers_ui, queue_action};
use crate::inspector::conversation_ui;
use document::text::visible;
use widgets::icons;
use widgets::theme::{self, Tokens, Tone, tokens};
use widgets::{Line, List, Row, RowShape, StyledText};
use workbench::{Actions, AnswerMethod, Command, PendingRequest, QueueAction, RequestOutcome};

const NEAREST_ROW: RowShape =
    RowShape { margins: (theme::INDENT, theme::GAP), ..RowShape::ONE_LINE };

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
    head_ui(ui, request, actions);
    // Each request keeps its own scroll position.
    let area = ScrollArea::vertical().id_salt(("request", &data.id));
    area.auto_shrink(false).show_viewport(ui, |ui, viewport| {
        conversation_ui(ui, viewport, &data.conversation, &mut view.sections, actions);
        near_ui(ui, request, data, actions);
    });
}

fn head_ui(ui: &mut Ui, request: &PendingRequest, actions: &mut Actions) {
    let (icon, state, tone) = state_look(request);
    let right = |ui: &mut Ui, actions: &mut Actions| {
        // The icon of a waiting request says it; other states need their word.
        if tone != Tone::Note {
            widgets::tag(ui, icon, state, tone);
        }
        let command = Command::CompareNearest;
        if request.recording().is_some() {
            widgets::command_icon(ui, icons::COLUMNS_2, command, Ok(()), actions);
        }
    };
    widgets::header(ui, actions, right, |ui, _| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let color = tokens(ui).tone(tone);
        widgets::icon(ui, icons::HOURGLASS, theme::ICON_HEADING, color);
        let title = widgets::title(ui, &visible(&request.title()));
        title.on_hover_text(visible(request.request_id()));
    });
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

/// Draws the nearest recordings, each with the difference that matters first.
fn near_ui(ui: &mut Ui, request: &PendingRequest, data: &QueueRequestData, actions: &mut Actions) {
    widgets::hair_line(ui);
    widgets::padded(ui, |ui| {
        let Some(nearest) = &data.nearest else {
            widgets::heading(ui, icons::FILE_PLAY, "Nearest recordings", "searching");
            return;
        };
        let note = if nearest.lines.is_empty() { "no recordings are open" } else { &nearest.set };
        widgets::heading(ui, icons::FILE_PLAY, "Nearest recordings", note);
        let draft = &request.draft;
        let used = (draft.method == AnswerMethod::Recording).then_some(draft.recording);
        List::new("Nearest recordings", &NEAREST_ROW, nearest.lines.len())
            .selection(used, Some)
            .show_inside(ui, |slot| {
                let line = &nearest.lines[slot.index];
                let row = near_row(line, used == Some(slot.index), tokens(slot.ui));
                if slot.show(row).clicked() && line.has_answer {
                    // In this order, because the choice refers to the current way of answering.
                    actions.push(queue_action(QueueAction::Answer(AnswerMethod::Recording)));
                    actions.push(queue_action(QueueAction::Choose(slot.index)));
                }
            });
    });
}

fn near_row(line: &NearestLine, is_used: bool, colors: &Tokens) -> Row {
    let font = || theme::regular(theme::ROW);
    let right = match (is_used, line.has_answer) {
        (true, _) => "in use",
        (false, true) => "Use its answer",
        (false, false) => "no answer",
    };
    let color = if is_used || !line.has_answer { colors.muted } else { colors.accent };
    let (label_font, muted) = colors.muted_data();
    let words = StyledText::new().with(&line.short, font(), colors.text_strong).after(
        theme::SECTION_GAP,
        &line.label,
        label_font,
        muted,
    );
    Row::new(format!("{}, {}", line.label, line.short))
        .selected(is_used)
        .line(Line::from(words).right(StyledText::new().with(right, font(), color)))
        .tip(line.reasons.join("\n"))
}
