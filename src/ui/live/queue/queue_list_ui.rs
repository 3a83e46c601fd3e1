//! The list of queues: waiting requests, and the outcomes of earlier ones.

use egui::{ScrollArea, Sense, Ui, pos2, vec2};

use super::data::{LogLine, QueueData, WatchedLine};
use crate::ops::live::queue::ANSWER_TIMEOUT;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, RowSelection, StyledText};
use crate::workbench::{
    Action, Command, LiveAction, PendingRequest, QueueAction, QueueDesk, RequestId,
};

const FOLDER: f32 = 36.0;
const WAITING: f32 = 72.0;
const NARROW: f32 = 230.0;
/// The remaining time is highlighted below this many seconds.
const SOON: f64 = 10.0;

/// Wraps an action of the queue.
pub(super) fn queue_action(action: QueueAction) -> Action {
    Action::Live(LiveAction::Queue(action))
}

/// Draws the column.
pub(super) fn queue_list_ui(
    ui: &mut Ui,
    desk: &QueueDesk,
    data: &QueueData,
    actions: &mut Vec<Action>,
) {
    for watched in &data.watched {
        folder_ui(ui, watched, actions);
    }
    if data.watched.is_empty() && data.log.is_empty() {
        // The queues that can be watched are shown beside it.
        return;
    }
    watch_ui(ui, actions);
    let selected = desk.selected().map(|request| &request.id);
    let area = ScrollArea::vertical().id_salt("waiting requests");
    area.auto_shrink(false).show(ui, |ui| {
        heading_ui(ui, "Waiting for an answer");
        let mut is_empty = true;
        for request in desk.in_time() {
            is_empty = false;
            waiting_row(ui, desk, request, selected == Some(&request.id), actions);
            widgets::hair_line(ui);
        }
        if is_empty {
            quiet_ui(ui, "No requests waiting.");
        }
        if !data.log.is_empty() {
            ui.add_space(theme::GAP);
            heading_ui(ui, "Answered");
            for line in &data.log {
                log_row(ui, desk, line, selected == Some(&line.id), actions);
            }
        }
    });
}

fn heading_ui(ui: &mut Ui, text: &str) {
    let color = tokens(ui).muted;
    widgets::strip(ui, 36.0, |ui| {
        let font = theme::medium(theme::LABEL);
        StyledText::new().with(text, font, color).show(ui);
    });
}

fn quiet_ui(ui: &mut Ui, text: &str) {
    let color = tokens(ui).muted;
    widgets::strip(ui, 24.0, |ui| {
        let font = theme::regular(theme::ROW);
        StyledText::new().with(text, font, color).show(ui);
    });
}

/// Paints a watched queue.
fn folder_ui(ui: &mut Ui, watched: &WatchedLine, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), FOLDER);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        let stop = widgets::link(ui, "Stop");
        let tip = format!("Stop watching {}", watched.name);
        if stop.on_hover_text(tip).clicked() {
            actions.push(queue_action(QueueAction::Stop(watched.folder.clone())));
        }
    });
    let (icon, color, tip) = if watched.is_there {
        (icons::EYE, colors.good, "Checked many times a second")
    } else {
        (
            icons::EYE_OFF,
            colors.warning,
            "The folder does not exist yet; Retake waits for it",
        )
    };
    let inner = inner.with_max_x(right - theme::GAP);
    let shown = if watched.is_there {
        watched.name.clone()
    } else {
        format!("{}, does not exist yet", watched.name)
    };
    widgets::paint_icon_word(ui, inner, (icon, color), (&shown, colors.text));
    let response = ui.interact(inner, ui.auto_id_with(&watched.folder), Sense::hover());
    let name = if watched.is_there {
        format!("Watching {}", watched.name)
    } else {
        format!("Waiting for the folder {}", watched.name)
    };
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
    response.on_hover_text(tip);
    widgets::hair_line(ui);
}

/// Paints the menu of other queues to watch.
fn watch_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let name = Command::WatchQueue.name();
        if widgets::icon_link(ui, icons::PLUS, name).clicked() {
            actions.push(Action::Run(Command::WatchQueue));
        }
    });
    widgets::hair_line(ui);
}

fn waiting_row(
    ui: &mut Ui,
    desk: &QueueDesk,
    request: &PendingRequest,
    is_selected: bool,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), WAITING);
    if !ui.is_rect_visible(egui::Rect::from_min_size(ui.cursor().min, size)) {
        ui.allocate_exact_size(size, Sense::hover());
        return;
    }
    let chosen = if is_selected {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let left = desk.seconds_left(request);
    let label = visible(&request.label()).into_owned();
    let id = visible(request.request_id()).into_owned();
    let seconds = format!("{:.0} s", left.ceil());
    let response = widgets::row(ui, WAITING, chosen, &format!("{label}, {id}"));
    let inner = response.rect.shrink2(vec2(theme::PADDING, 0.0));
    let color = if left < SOON {
        colors.warning
    } else {
        colors.text_strong
    };
    let font = theme::mono(theme::LABEL);
    let seconds = widgets::line(ui, &seconds, font.clone(), color, 60.0);
    let room = inner.width() - seconds.size().x - theme::GAP;
    let first = inner.top() + 20.0;
    widgets::paint_line_right(ui.painter(), pos2(inner.right(), first), seconds);
    let name = theme::medium(theme::BODY);
    let label = widgets::line(ui, &label, name, colors.text_strong, room);
    widgets::paint_line(ui.painter(), pos2(inner.left(), first), label);
    let id = widgets::line(ui, &id, font, colors.muted, inner.width());
    widgets::paint_line(ui.painter(), pos2(inner.left(), first + 20.0), id);
    let bar = egui::Rect::from_min_size(
        pos2(inner.left(), response.rect.bottom() - 14.0),
        vec2(inner.width(), 4.0),
    );
    let bar_color = if left < SOON {
        colors.warning
    } else {
        colors.accent
    };
    let share = (left / ANSWER_TIMEOUT.as_secs_f64()) as f32;
    widgets::paint_bar_in(ui, bar, share, bar_color);
    on_click(ui, &response, &request.id, actions);
}

fn on_click(ui: &Ui, response: &egui::Response, id: &RequestId, actions: &mut Vec<Action>) {
    if response.has_focus() {
        widgets::focus_ring_inside(ui, response.rect, 0);
    }
    if response.clicked() {
        actions.push(queue_action(QueueAction::Select(id.clone())));
    }
}

/// Paints the outcome of a request. A request that still exists can be answered.
fn log_row(
    ui: &mut Ui,
    desk: &QueueDesk,
    line: &LogLine,
    is_selected: bool,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), theme::ROW_HEIGHT);
    if !ui.is_rect_visible(egui::Rect::from_min_size(ui.cursor().min, size)) {
        ui.allocate_exact_size(size, Sense::hover());
        return;
    }
    let chosen = if is_selected {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let name = format!("{}, {}", line.label, line.outcome);
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, &name);
    let inner = response.rect.shrink2(vec2(theme::PADDING, 0.0));
    let middle = inner.center().y;
    let (icon, color) = if line.is_bad {
        (icons::CIRCLE_X, colors.error)
    } else {
        (icons::CHECK, colors.good)
    };
    let center = pos2(inner.left() + theme::ICON / 2.0, middle);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON, color);
    let (row, mono) = (theme::regular(theme::ROW), theme::mono(theme::LABEL));
    let quiet = if line.is_bad {
        colors.error
    } else {
        colors.muted
    };
    let outcome = widgets::line(ui, &line.outcome, row.clone(), quiet, inner.width() * 0.45);
    let end = inner.right() - outcome.size().x - theme::GAP;
    widgets::paint_line_right(ui.painter(), pos2(inner.right(), middle), outcome);
    let left = inner.left() + theme::INDENT;
    // A narrow column shows no seconds.
    let time = if inner.width() < NARROW {
        line.time.get(..5).unwrap_or(&line.time)
    } else {
        &line.time
    };
    let words = StyledText::new()
        .with(time, mono, colors.muted)
        .after(theme::GAP, &line.label, row, colors.text_strong)
        .galley(ui, end - left);
    widgets::paint_line(ui.painter(), pos2(left, middle), words);
    on_click(ui, &response, &line.id, actions);
    let is_there = desk.find(&line.id).is_some();
    match (&line.tip, is_there && line.is_bad) {
        (Some(tip), _) => drop(response.on_hover_text(tip)),
        (None, true) => {
            drop(response.on_hover_text("The request still exists and can be answered"));
        }
        (None, false) => {}
    }
}

/// Offers the open queues, and any other folder.
pub(super) fn offers_ui(ui: &mut Ui, data: &QueueData, root: &str, actions: &mut Vec<Action>) {
    for (at, queue) in data.unwatched.iter().enumerate() {
        let name = format!("Watch {}", visible(queue));
        let button = match at {
            0 => Button::primary(&name),
            _ => Button::secondary(&name),
        };
        if ui.add(button.icon(icons::EYE)).clicked() {
            let folder = std::path::Path::new(root).join(queue);
            actions.push(queue_action(QueueAction::Watch(folder)));
        }
        ui.add_space(theme::GAP);
    }
    let name = Command::WatchQueue.name();
    let button = if data.unwatched.is_empty() {
        Button::primary(name)
    } else {
        Button::secondary(name)
    };
    if ui.add(button.icon(icons::EYE)).clicked() {
        actions.push(Action::Run(Command::WatchQueue));
    }
}
