//! The answer: its kind, its form, and a preview of the text to be written.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Key, Layout, Margin, Modifiers, ScrollArea, Sense, Ui, vec2};

use super::answer_modes_ui::{call_ui, recording_ui, rule_ui, text_ui};
use super::form_ui::quiet_ui;
use super::queue_data::{AnswerContext, AnswerPreview, QueueRequestData, QueueView};
use super::queue_list_ui::queue_action;
use play::live::queue::ANSWER_TIMEOUT;
use widgets::code::piece_color;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, Segment, StyledText, segmented};
use workbench::{
    Actions, AnswerMethod, Command, PendingRequest, QueueAction, QueueDesk, Workbench,
};

const FOOT_HEIGHT: f32 = 60.0;
/// The remaining time is highlighted below this many seconds.
const URGENT_SECONDS: f64 = 10.0;
/// Digit keys that choose among the first entries.
const DIGITS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// Draws the answer.
pub(super) fn answer_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    request: &PendingRequest,
    view: &mut QueueView,
    actions: &mut Actions,
) {
    let desk = &workbench.live.queue;
    let Some(data) = &view.data.request else { return };
    // A request for the focus is followed once, not in each frame.
    let wants_focus = std::mem::replace(&mut view.focus, desk.focus) != desk.focus;
    let mut context =
        AnswerContext { desk, request, data, draft: request.draft.clone(), wants_focus };
    // Before all clicks of this frame, so that the typed input can be inserted there.
    let first = actions.len();
    head_ui(ui, &context);
    mode_ui(ui, request.draft.method, actions);
    let room = ui.available_rect_before_wrap();
    // The button keeps its place, however long the form and the preview are.
    let foot = room.with_min_y(room.bottom() - FOOT_HEIGHT);
    widgets::place(ui, room.with_max_y(foot.top()), |ui| body_ui(ui, &mut context, actions));
    widgets::place(ui, foot, |ui| foot_ui(ui, desk, actions));
    // In a text, digits are typed.
    if workbench.live.chooses_by_digits(&workbench.core) && !ui.ctx().text_edit_focused() {
        let digit_index = ui.input_mut(|input| {
            let mut digits = DIGITS.iter().filter_map(|digit| Key::from_name(digit));
            digits.position(|digit| input.consume_key(Modifiers::NONE, digit))
        });
        actions.extend(digit_index.map(|index| queue_action(QueueAction::Choose(index))));
    }
    if context.draft != request.draft {
        // Typed input is applied before clicks.
        let fill = QueueAction::Fill(request.id.clone(), Box::new(context.draft));
        actions.insert(first, queue_action(fill));
    }
}

fn head_ui(ui: &mut Ui, context: &AnswerContext<'_>) {
    let colors = tokens(ui);
    let seconds_left = context.desk.seconds_left(context.request);
    let (words, limit, color) = if context.request.is_overdue {
        ("over 30 s".to_owned(), String::new(), colors.warning)
    } else {
        (
            // Rounded up, so that 0 appears only when the time is over.
            format!("{:.0} s", seconds_left.ceil()),
            format!("left of {}", ANSWER_TIMEOUT.as_secs()),
            if seconds_left < URGENT_SECONDS { colors.warning } else { colors.text_strong },
        )
    };
    let rect = widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let title = theme::semibold(theme::TITLE);
        StyledText::new().with("Answer", title, colors.text_strong).show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            StyledText::new()
                .with(&words, theme::mono(theme::LABEL), color)
                .after(theme::GAP, &limit, theme::regular(theme::ROW), colors.muted)
                .show(ui);
        });
    });
    widgets::line_below(ui, rect);
}

fn mode_ui(ui: &mut Ui, method: AnswerMethod, actions: &mut Actions) {
    let is_narrow = ui.available_width() < 400.0;
    let nearest = if is_narrow { "Nearest" } else { "Nearest recording" };
    let segments = [
        Segment::text("Tool").icon(icons::WRENCH, None),
        Segment::text("Text").icon(icons::TEXT, None),
        Segment::text(nearest).icon(icons::FILE_PLAY, None),
        Segment::text("Rule").icon(icons::LIST_CHECKS, None),
    ];
    let selection = AnswerMethod::ALL.iter().position(|m| *m == method);
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        if let Some(segment) = segmented(ui, &segments, selection.unwrap_or_default()) {
            actions.push(queue_action(QueueAction::Answer(AnswerMethod::ALL[segment])));
        }
    });
    widgets::hair_line(ui);
}

fn body_ui(ui: &mut Ui, context: &mut AnswerContext<'_>, actions: &mut Actions) {
    // Each request and each form keeps its own scroll position.
    let salt = ("answer", &context.data.id, context.draft.method);
    ScrollArea::vertical().id_salt(salt).auto_shrink(false).show(ui, |ui| {
        match context.draft.method {
            AnswerMethod::Tool => call_ui(ui, context, actions),
            AnswerMethod::Text => text_ui(ui, context),
            AnswerMethod::Recording => recording_ui(ui, context, actions),
            AnswerMethod::Rule => rule_ui(ui, context, actions),
        }
        preview_ui(ui, context.data);
    });
}

fn preview_ui(ui: &mut Ui, data: &QueueRequestData) {
    widgets::hair_line(ui);
    widgets::padded(ui, |ui| {
        widgets::heading(ui, "", "What will be written", "");
        ui.add_space(6.0);
        match &data.preview {
            Ok(preview) => {
                code_ui(ui, preview);
                ui.add_space(6.0);
                quiet_ui(ui, "The time is set when it is written.");
            }
            Err(reason) => quiet_ui(ui, &format!("Nothing yet: {reason}.")),
        }
    });
}

fn code_ui(ui: &mut Ui, preview: &AnswerPreview) {
    let colors = tokens(ui);
    let mut job = LayoutJob::default();
    let mut put = |range: std::ops::Range<usize>, color| {
        let mut format = TextFormat::simple(theme::mono(theme::LABEL), color);
        format.line_height = Some(18.0);
        job.append(preview.text.get(range).unwrap_or_default(), 0.0, format);
    };
    let mut offset = 0;
    for (range, piece) in &preview.pieces {
        put(offset..range.start, colors.muted);
        put(range.clone(), piece_color(*piece, colors));
        offset = range.end;
    }
    put(offset..preview.text.len(), colors.muted);
    widgets::card_with(ui, colors.input, Margin::symmetric(12, 10), |ui| {
        job.wrap.max_width = ui.available_width();
        ui.label(job);
    });
}

fn foot_ui(ui: &mut Ui, desk: &QueueDesk, actions: &mut Actions) {
    const KEEP_BUTTON_WIDTH: f32 = 116.0;
    /// Below this width the button has no space for its keys.
    const MIN_KEYS_WIDTH: f32 = 220.0;
    let (rect, _) = widgets::allocate_row(ui, FOOT_HEIGHT, Sense::hover());
    widgets::line_above(ui, rect);
    let reason = desk.blocked_reason();
    widgets::place_left(ui, rect.shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let write = Command::WriteAnswer;
        let width = ui.available_width() - KEEP_BUTTON_WIDTH - theme::GAP;
        let button = Button::primary(write.name())
            .icon(icons::SEND)
            .command(write, Ok(()))
            .disabled(reason.as_deref())
            .width(width);
        let button = if width < MIN_KEYS_WIDTH { button } else { button.show_keys() };
        widgets::command_button(ui, button, write, actions);
        let keep = Command::KeepAsRule;
        let button = Button::secondary(keep.name()).command(keep, Ok(())).width(KEEP_BUTTON_WIDTH);
        widgets::command_button(ui, button, keep, actions);
    });
}
