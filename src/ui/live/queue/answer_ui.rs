//! The answer: its form, and the button that writes it.

use egui::{Align, Key, Layout, Modifiers, ScrollArea, Sense, Ui, vec2};

use super::answer_modes_ui::{call_ui, recording_ui, rule_ui, text_ui};
use super::queue_data::{AnswerContext, QueueView};
use super::queue_list_ui::queue_action;
use play::live::queue::ANSWER_TIMEOUT;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText};
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
    let room = ui.available_rect_before_wrap();
    // The button keeps its place, however long the form is.
    let foot = room.with_min_y(room.bottom() - FOOT_HEIGHT);
    widgets::place(ui, room.with_max_y(foot.top()), |ui| body_ui(ui, &mut context, actions));
    widgets::place(ui, foot, |ui| foot_ui(ui, desk, request.draft.method, actions));
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
    let (words, color) = match seconds_left {
        _ if context.request.is_overdue => ("over 30 s".to_owned(), colors.warning),
        // Rounded up, so that 0 appears only when the time is over.
        seconds if seconds < URGENT_SECONDS => (format!("{:.0} s", seconds.ceil()), colors.warning),
        seconds => (format!("{:.0} s", seconds.ceil()), colors.text_strong),
    };
    let rect = widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title(ui, "Answer");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let tip = format!("Left of {} seconds", ANSWER_TIMEOUT.as_secs());
            let words = StyledText::of(&words, (theme::mono(theme::TITLE), color));
            words.show(ui).on_hover_text(tip);
        });
    });
    widgets::line_below(ui, rect);
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
    });
}

/// Draws the way to answer otherwise, and the button that writes the answer.
fn foot_ui(ui: &mut Ui, desk: &QueueDesk, method: AnswerMethod, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, FOOT_HEIGHT, Sense::hover());
    widgets::line_above(ui, rect);
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    widgets::place_left(ui, inner, |ui| {
        let (name, icon, command) = match method {
            AnswerMethod::Tool => ("Text instead", icons::MESSAGE_SQUARE, Command::AnswerByText),
            _ => ("Tool instead", icons::WRENCH, Command::AnswerByTool),
        };
        let button = Button::ghost(name).icon(icon).command(command, Ok(()));
        widgets::command_button(ui, button, command, actions);
    });
    let reason = desk.blocked_reason();
    widgets::place_right(ui, inner, |ui| {
        let write = Command::WriteAnswer;
        let button = Button::primary(write.name()).command(write, Ok(())).show_keys();
        widgets::command_button(ui, button.disabled(reason.as_deref()), write, actions);
    });
}
