//! The list of queues: waiting requests, and the outcomes of earlier ones.

use egui::{Role, ScrollArea, Sense, Ui, vec2};

use super::queue_data::{LogLine, QueueData, WatchedLine};
use document::text::visible;
use play::live::queue::ANSWER_TIMEOUT;
use widgets::icons;
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, StyledText, on_click};
use workbench::{Action, Actions, Command, LiveAction, PendingRequest, QueueAction, QueueDesk};

/// Two lines, and the bar of the remaining time.
const WAITING_ROW: RowShape =
    RowShape { height: 73.0, lines: &[20.0, 40.0], ..RowShape::TWO_LINES };
/// The remaining time is highlighted below this many seconds.
const URGENT_SECONDS: f64 = 10.0;

/// Wraps an action of the queue.
pub(super) fn queue_action(action: QueueAction) -> Action {
    Action::from(LiveAction::Queue(action))
}

/// Draws the column.
pub(super) fn list_ui(ui: &mut Ui, desk: &QueueDesk, data: &QueueData, actions: &mut Actions) {
    for queue in &data.watched {
        folder_ui(ui, desk, queue, actions);
    }
    let selected_id = desk.selected().map(|request| &request.id);
    ScrollArea::vertical().id_salt("waiting requests").auto_shrink(false).show(ui, |ui| {
        let requests: Vec<&PendingRequest> = desk.in_time().collect();
        List::new("Waiting requests", &WAITING_ROW, requests.len())
            .selection(selected_id, |id| requests.iter().position(|r| r.id == *id))
            .show_inside(ui, |slot| {
                let request = requests[slot.index];
                waiting_ui(slot, desk, request, selected_id == Some(&request.id), actions);
            });
        if data.log.is_empty() {
            return;
        }
        widgets::strip(ui, theme::TOOL_ROW, |ui| {
            StyledText::of("Ended", (theme::medium(theme::LABEL), tokens(ui).muted)).show(ui);
        });
        List::new("Ended requests", &RowShape::ONE_LINE, data.log.len())
            .selection(selected_id, |id| data.log.iter().position(|line| line.id == *id))
            .show_inside(ui, |slot| {
                let line = &data.log[slot.index];
                let row = log_row(desk, line, tokens(slot.ui));
                if slot.show(row.selected(selected_id == Some(&line.id))).clicked() {
                    actions.push(queue_action(QueueAction::Select(line.id.clone())));
                }
            });
    });
}

/// Paints a watched queue, with the number of its waiting requests.
fn folder_ui(ui: &mut Ui, desk: &QueueDesk, queue: &WatchedLine, actions: &mut Actions) {
    let colors = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let name = &queue.name;
    // The whole path has no room; a screen reader gets it.
    let last_name = name.rsplit('/').next().unwrap_or(name);
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        let tip = format!("Stop watching {name}");
        let stop = ui.add(Button::ghost("Stop").icon(icons::SQUARE).tooltip(&tip));
        on_click(&stop, queue_action(QueueAction::Stop(queue.folder.clone())), actions);
    });
    let count = desk.in_time().filter(|request| request.id.queue == queue.folder).count();
    let (label, color) = if queue.is_there {
        (format!("Watching {name}"), colors.text_strong)
    } else {
        (format!("Waiting for the folder {name}"), colors.warning)
    };
    let words = match (queue.is_there, count) {
        (false, _) => "Waiting for".to_owned(),
        (true, 0) => "Watching".to_owned(),
        (true, 1) => "1 waits".to_owned(),
        (true, _) => format!("{count} wait"),
    };
    let text = StyledText::of(&words, (theme::semibold(theme::BODY), color));
    let place = inner.with_max_x(right - theme::GAP);
    Line::from(text.with_gap(last_name, colors.label())).show_in(ui, place);
    let response = ui.interact(place, ui.auto_id_with(&queue.folder), Sense::hover());
    widgets::describe(&response, Role::Label, &label);
    widgets::hair_line(ui);
}

fn waiting_ui(
    slot: &mut RowSlot<'_>,
    desk: &QueueDesk,
    request: &PendingRequest,
    is_selected: bool,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let seconds_left = desk.seconds_left(request);
    let title = visible(&request.title()).into_owned();
    let node = visible(request.node().unwrap_or_default());
    let (color, bar_color) = if seconds_left < URGENT_SECONDS {
        (colors.warning, colors.warning)
    } else {
        (colors.text_strong, colors.accent)
    };
    // Rounded up, so that 0 appears only when the time is over.
    let seconds = format!("{:.0} s", seconds_left.ceil());
    let seconds = StyledText::new().with(&seconds, theme::mono(theme::LABEL), color);
    let row = Row::new(format!("{title}, {node}"))
        .selected(is_selected)
        .line(Line::new(&title, theme::medium(theme::BODY), colors.text_strong).right(seconds))
        .line(Line::detail(&node, colors))
        .tip(visible(request.request_id()));
    on_click(&slot.show(row), queue_action(QueueAction::Select(request.id.clone())), actions);
    let mut bar = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
    bar.min.y = bar.max.y - 15.0;
    bar.max.y = bar.min.y + 4.0;
    let share = (seconds_left / ANSWER_TIMEOUT.as_secs_f64()) as f32;
    widgets::paint_bar_in(slot.ui, bar, share, bar_color);
}

/// Returns the row of a request that was answered or ended. A request that still exists can be answered.
fn log_row(desk: &QueueDesk, line: &LogLine, colors: &Tokens) -> Row {
    let (icon, color, outcome_color) = if line.is_bad {
        (icons::CIRCLE_X, colors.error, colors.error)
    } else {
        (icons::CHECK, colors.good, colors.muted)
    };
    let outcome = StyledText::new().with(line.outcome, theme::regular(theme::ROW), outcome_color);
    // The timeout is that of DyGram's client; another program may still be waiting.
    let can_answer = line.is_bad && line.tip.is_empty() && desk.find(&line.id).is_some();
    let tip = if can_answer { "The request still exists and can be answered" } else { &line.tip };
    Row::new(format!("{}, {}", line.label, line.outcome))
        .line(
            Line::new(&line.label, theme::regular(theme::ROW), colors.text_strong)
                .icon(icon, color)
                .right(outcome),
        )
        .tip(format!("{} {tip}", line.time))
}

/// Offers the open queues, and any other folder.
pub(super) fn offers_ui(ui: &mut Ui, data: &QueueData, root: &str, actions: &mut Actions) {
    for (index, queue) in data.unwatched.iter().enumerate() {
        let name = format!("Watch {}", visible(queue));
        let button = if index == 0 { Button::primary(&name) } else { Button::secondary(&name) };
        if ui.add(button.icon(icons::EYE)).clicked() {
            actions.push(queue_action(QueueAction::Watch(std::path::Path::new(root).join(queue))));
        }
        ui.add_space(theme::GAP);
    }
    let name = Command::WatchQueue.name();
    let button =
        if data.unwatched.is_empty() { Button::primary(name) } else { Button::secondary(name) };
    widgets::command_button(ui, button.icon(icons::EYE), Command::WatchQueue, actions);
}
