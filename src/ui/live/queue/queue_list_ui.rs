//! The list of queues: waiting requests, and the outcomes of earlier ones.

use egui::{FontId, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::queue_data::{LogLine, QueueData, WatchedLine};
use document::text::visible;
use play::live::queue::ANSWER_TIMEOUT;
use widgets::icons;
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, StyledText, on_click};
use workbench::{Action, Actions, Command, LiveAction, PendingRequest, QueueAction, QueueDesk};

const FOLDER_HEIGHT: f32 = 36.0;
/// Two lines, and the bar of the remaining time.
const WAITING_ROW: RowShape =
    RowShape { height: 73.0, lines: &[20.0, 40.0], ..RowShape::TWO_LINES };
const ANSWERED_ROW: RowShape = RowShape::ONE_LINE;
const MIN_SECONDS_WIDTH: f32 = 230.0;
/// The remaining time is highlighted below this many seconds.
const URGENT_SECONDS: f64 = 10.0;

/// Wraps an action of the queue.
pub(super) fn queue_action(action: QueueAction) -> Action {
    Action::from(LiveAction::Queue(action))
}

/// Draws the column.
pub(super) fn list_ui(ui: &mut Ui, desk: &QueueDesk, data: &QueueData, actions: &mut Actions) {
    for queue in &data.watched {
        folder_ui(ui, queue, actions);
    }
    if data.watched.is_empty() && data.log.is_empty() {
        // The queues that can be watched are shown beside it.
        return;
    }
    watch_ui(ui, actions);
    let selected_id = desk.selected().map(|request| &request.id);
    ScrollArea::vertical().id_salt("waiting requests").auto_shrink(false).show(ui, |ui| {
        heading_ui(ui, "Waiting for an answer");
        let requests: Vec<&PendingRequest> = desk.in_time().collect();
        List::new("Waiting requests", &WAITING_ROW, requests.len())
            .selection(selected_id, |id| requests.iter().position(|r| r.id == *id))
            .show_inside(ui, |slot| {
                let request = requests[slot.index];
                waiting_ui(slot, desk, request, selected_id == Some(&request.id), actions);
            });
        if requests.is_empty() {
            muted_ui(ui, 24.0, "No requests waiting.", theme::regular(theme::ROW));
        }
        if !data.log.is_empty() {
            ui.add_space(theme::GAP);
            heading_ui(ui, "Ended");
            List::new("Ended requests", &ANSWERED_ROW, data.log.len())
                .selection(selected_id, |id| data.log.iter().position(|line| line.id == *id))
                .show_inside(ui, |slot| {
                    let line = &data.log[slot.index];
                    let row = log_row(desk, line, slot.rect.width(), tokens(slot.ui));
                    if slot.show(row.selected(selected_id == Some(&line.id))).clicked() {
                        actions.push(queue_action(QueueAction::Select(line.id.clone())));
                    }
                });
        }
    });
}

fn muted_ui(ui: &mut Ui, height: f32, text: &str, font: FontId) {
    let color = tokens(ui).muted;
    widgets::strip(ui, height, |ui| {
        StyledText::new().with(text, font, color).show(ui);
    });
}

fn heading_ui(ui: &mut Ui, text: &str) {
    muted_ui(ui, 36.0, text, theme::medium(theme::LABEL));
}

/// Paints a watched queue.
fn folder_ui(ui: &mut Ui, queue: &WatchedLine, actions: &mut Actions) {
    let colors = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, FOLDER_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        let stop = widgets::link(ui, "Stop");
        if stop.on_hover_text(format!("Stop watching {}", queue.name)).clicked() {
            actions.push(queue_action(QueueAction::Stop(queue.folder.clone())));
        }
    });
    let name = &queue.name;
    let (icon, color, tip, words, accessible_name) = if queue.is_there {
        let tip = "Checked many times a second";
        (icons::EYE, colors.good, tip, name.clone(), format!("Watching {name}"))
    } else {
        let tip = "The folder does not exist yet; Retake waits for it";
        let words = format!("{name}, does not exist yet");
        (icons::EYE_OFF, colors.warning, tip, words, format!("Waiting for the folder {name}"))
    };
    let inner = inner.with_max_x(right - theme::GAP);
    widgets::paint_icon_word(ui, inner, (icon, color), (&words, colors.text));
    let response = ui.interact(inner, ui.auto_id_with(&queue.folder), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &accessible_name));
    response.on_hover_text(tip);
    widgets::hair_line(ui);
}

/// Paints the menu of other queues to watch.
fn watch_ui(ui: &mut Ui, actions: &mut Actions) {
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        if widgets::icon_link(ui, icons::PLUS, Command::WatchQueue.name()).clicked() {
            actions.push(Action::Run(Command::WatchQueue));
        }
    });
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
    let label = visible(&request.label()).into_owned();
    let id = visible(request.request_id());
    let (color, bar_color) = if seconds_left < URGENT_SECONDS {
        (colors.warning, colors.warning)
    } else {
        (colors.text_strong, colors.accent)
    };
    let mono = || theme::mono(theme::LABEL);
    // Rounded up, so that 0 appears only when the time is over.
    let seconds = format!("{:.0} s", seconds_left.ceil());
    let row = Row::new(format!("{label}, {id}"))
        .selected(is_selected)
        .line(
            Line::new(&label, theme::medium(theme::BODY), colors.text_strong)
                .right(StyledText::new().with(&seconds, mono(), color)),
        )
        .line(Line::new(&id, mono(), colors.muted));
    on_click(&slot.show(row), queue_action(QueueAction::Select(request.id.clone())), actions);
    let mut bar = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
    bar.min.y = bar.max.y - 15.0;
    bar.max.y = bar.min.y + 4.0;
    let share = (seconds_left / ANSWER_TIMEOUT.as_secs_f64()) as f32;
    widgets::paint_bar_in(slot.ui, bar, share, bar_color);
}

/// Returns the row of a request that was answered or ended. A request that still exists can be answered.
fn log_row(desk: &QueueDesk, line: &LogLine, width: f32, colors: &Tokens) -> Row {
    let (icon, color, outcome_color) = if line.is_bad {
        (icons::CIRCLE_X, colors.error, colors.error)
    } else {
        (icons::CHECK, colors.good, colors.muted)
    };
    let font = || theme::regular(theme::ROW);
    // A narrow column shows no seconds.
    let is_narrow = width - 2.0 * theme::PADDING < MIN_SECONDS_WIDTH;
    let time = line.time.get(..5).filter(|_| is_narrow).unwrap_or(&line.time);
    let time = StyledText::new().with(time, theme::mono(theme::LABEL), colors.muted);
    let words = time.after(theme::GAP, &line.label, font(), colors.text_strong);
    let outcome = StyledText::new().with(&line.outcome, font(), outcome_color);
    let row = Row::new(format!("{}, {}", line.label, line.outcome))
        .line(Line::from(words).icon(icon, color).right(outcome).right_share(0.45));
    match &line.tip {
        Some(tip) => row.tip(tip),
        // The timeout is that of DyGram's client; another program may still be waiting.
        None if line.is_bad && desk.find(&line.id).is_some() => {
            row.tip("The request still exists and can be answered")
        }
        None => row,
    }
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
