//! Paints the details of the selected call, or a one-line summary if there is no space for them.

use egui::{RichText, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use super::call_row_text::{self, IconWord, clock_time};
use super::calls_ui::CallsContext;
use super::recorded_ui::recorded_ui;
use super::served_ui::served_ui;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, StyledText};
use crate::workbench::{Action, CallId, InspectorPlacement, ListenerKind};

/// Width of the names of facts.
const NAMES: f32 = 96.0;
/// Draws the details of the selected call.
pub(super) fn call_details_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    room: InspectorPlacement,
    actions: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let Some(id) = context.desk.selected else {
        widgets::empty_state(ui, "Select a call to see why it got its answer.", None);
        return;
    };
    match id.listener {
        ListenerKind::Recorder => {
            let Some(call) = context.desk.recorded.get(id) else {
                return;
            };
            let title = format!("Recorded at {}", clock_time(call.began.at, &context.zone));
            let head = (&*title, &call_row_text::recorded_state(call));
            head_ui(ui, head, room, actions);
            scroll_ui(ui, id, |ui| recorded_ui(ui, call, actions));
        }
        ListenerKind::Server => {
            let Some(call) = context.desk.served.get(id) else {
                return;
            };
            let title = format!("Served at {}", clock_time(call.began.at, &context.zone));
            let chosen = call.choice.as_ref().and_then(|choice| choice.chosen.as_ref());
            let mark = match chosen {
                Some(chosen) => call_row_text::match_step(chosen.matched_by),
                None => call_row_text::served_state(call),
            };
            head_ui(ui, (&title, &mark), room, actions);
            scroll_ui(ui, id, |ui| served_ui(ui, context, (id, call), actions));
        }
    }
}

/// Draws a one-line summary of the selected call, if there is no space beside the desk.
pub(super) fn call_summary_ui(ui: &mut Ui, context: &CallsContext<'_>, actions: &mut Vec<Action>) {
    let Some(id) = context.desk.selected else {
        return;
    };
    let colors = tokens(ui);
    let inner = widgets::selection_line(ui, actions);
    let recorded = context.desk.recorded.get(id);
    let found = match id.listener {
        ListenerKind::Recorder => {
            recorded.map(|call| call_row_text::recorded_row(call, context.now, &context.zone))
        }
        ListenerKind::Server => {
            let call = context.desk.served.get(id);
            call.map(|call| call_row_text::served_row(call, context.now, &context.zone))
        }
    };
    let Some(found) = found else { return };
    let text = format!("{}: {}, {}", found.at, found.result.word, found.detail);
    let icon = (found.state.icon, colors.tone(found.state.tone));
    widgets::paint_icon_word(ui, inner, icon, (&text, colors.text));
}

fn scroll_ui(ui: &mut Ui, id: CallId, content: impl FnOnce(&mut Ui)) {
    let area = ScrollArea::vertical().id_salt(id).auto_shrink(false);
    area.show(ui, content);
}

fn head_ui(
    ui: &mut Ui,
    (title, mark): (&str, &IconWord),
    room: InspectorPlacement,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), theme::DESK_HEADER);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        widgets::close_button(ui, room, "Close the call", actions);
        widgets::tag(ui, mark.icon, &mark.word, mark.tone);
    });
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        StyledText::new().with(title, theme::semibold(theme::TITLE), colors.text_strong).show(ui);
    });
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

/// Adds muted text.
pub(super) fn muted_ui(ui: &mut Ui, words: &str) {
    let color = tokens(ui).muted;
    let text = RichText::new(words).font(theme::regular(theme::ROW));
    ui.label(text.color(color));
}

/// Adds a fact: its name, its value, and a note.
pub(super) fn fact_ui(ui: &mut Ui, name: &str, data: &str, note: &str) {
    fact_row_ui(ui, name, |ui| {
        let colors = tokens(ui);
        let words = StyledText::new().with(data, theme::mono(theme::LABEL), colors.text_strong);
        let words = words.after(6.0, note, theme::regular(theme::ROW), colors.muted);
        words.show(ui).on_hover_text(data);
    });
}

/// Adds a fact whose value is a control.
pub(super) fn fact_row_ui(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    let size = vec2(ui.available_width(), 24.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let line = widgets::line(ui, name, theme::regular(theme::ROW), tokens(ui).muted, NAMES);
    widgets::paint_line(ui.painter(), pos2(rect.left(), rect.center().y), line);
    widgets::place_left(ui, rect.with_min_x(rect.left() + NAMES), content);
}
