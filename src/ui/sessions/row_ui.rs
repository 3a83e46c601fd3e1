//! Paints one tool response.

use egui::{CursorIcon, Rect, Role, Sense, Ui, pos2, vec2};

use super::faults_ui::fault_icon;
use super::field_ui::{FieldFont, FieldInput, FieldSize, field_input_ui, sync_cursor};
use super::form_state::FormState;
use super::sessions_data::one_line;
use author::session::{Acceptance, acceptance, fault};
use document::Node;
use widgets::theme::{self, Tone, tokens};
use widgets::{Row, RowSlot, icons};
use workbench::{Command, FormCursor, InputKind, Panel, SessionsAction};

/// Width of the buttons on the row under the cursor.
const TOOLS_WIDTH: f32 = 3.0 * theme::CONTROL;

/// The cells of a row.
pub(super) struct ResponseColumns {
    pub(super) number: Rect,
    pub(super) tool: Rect,
    pub(super) response: Rect,
    pub(super) status: Rect,
    pub(super) latency: Rect,
}

impl ResponseColumns {
    /// Returns the cells of a row; the response takes the width that the others leave.
    pub(super) fn new(rect: Rect) -> Self {
        let cell = |left: f32, right: f32| Rect::from_x_y_ranges(left..=right, rect.y_range());
        let (left, right) = (rect.left() + theme::PADDING, rect.right() - theme::PADDING);
        let tool = left + 36.0;
        // Names of tools rarely need more; the response gets the rest.
        let response = tool + (rect.width() * 0.25).clamp(96.0, 168.0);
        let [status, latency] = [right - 152.0, right - 80.0];
        Self {
            number: cell(left, tool - theme::GAP),
            tool: cell(tool, response - theme::GAP),
            response: cell(response, (status - theme::GAP).max(response + 40.0)),
            status: cell(status, latency - theme::GAP),
            latency: cell(latency, right),
        }
    }
}

/// Returns the accessible name of the field for a tool.
pub(super) fn tool_name(row: usize) -> String {
    format!("Tool of response {}", row + 1)
}

/// Draws a row; a click moves the cursor to it.
pub(super) fn row_ui(slot: &mut RowSlot<'_>, state: &mut FormState<'_>) {
    let props = state.props;
    let row = slot.index;
    let Some(response) = props.data.response(row) else { return };
    let number = row + 1;
    let content = Row::new(format!("Tool response {number}"));
    if slot.show(content.selected(props.desk.response() == Some(row))).clicked() {
        state.push(SessionsAction::Point(Some(FormCursor::Response(row))));
    }
    let (ui, rect) = (&mut *slot.ui, slot.rect);
    let columns = ResponseColumns::new(rect);
    number_ui(ui, columns.number, row, state);
    // In the order of the columns, which is the order of Tab.
    cell_ui(ui, columns.tool, (row, "tool", InputKind::Text), &tool_name(row), state);
    let mut answer = columns.response;
    if props.desk.response() == Some(row) {
        answer.max.x = (answer.right() - TOOLS_WIDTH).max(answer.left() + 40.0);
    }
    answer_ui(ui, answer, row, response, state);
    let name = format!("Status of response {number}");
    cell_ui(ui, columns.status, (row, "status", InputKind::Number), &name, state);
    let name = format!("Latency in ms of response {number}");
    cell_ui(ui, columns.latency, (row, "latency_ms", InputKind::Millis), &name, state);
    tools_ui(ui, columns.response.with_min_x(answer.right()), state);
}

/// Draws the buttons of the row under the cursor, unless there is no room for them.
fn tools_ui(ui: &mut Ui, room: Rect, state: &mut FormState<'_>) {
    if room.width() < TOOLS_WIDTH {
        return;
    }
    widgets::place_right(ui, room, |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for (icon, command) in [
            (icons::TRASH_2, Command::DeleteResponse),
            (icons::COPY, Command::DuplicateResponse),
            (icons::ZAP, Command::PutFault),
        ] {
            widgets::command_icon(ui, icon, command, Ok(()), state.actions);
        }
    });
}

/// Draws the number, by which a row is dragged.
fn number_ui(ui: &Ui, cell: Rect, row: usize, state: &mut FormState<'_>) {
    let id = ui.scope_id().with(("drag_handle", row));
    // Only dragging: a click on the number selects the row below it.
    let response = ui.interact(cell, id, Sense::DRAG);
    let number = (row + 1).to_string();
    widgets::describe(&response, Role::Button, &format!("Drag response {number}"));
    let tokens = tokens(ui);
    if response.hovered() || response.dragged() {
        let (center, icon) = (cell.center(), icons::GRIP_VERTICAL);
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON, tokens.text_strong);
    } else {
        let font = theme::mono(theme::LABEL);
        let line = widgets::line(ui, &number, font, tokens.muted, cell.width());
        let right = pos2(cell.right() - theme::GAP, cell.center().y);
        widgets::paint_line_right(ui.painter(), right, line);
    }
    if response.drag_started() {
        *state.dragged = Some(row);
    }
    let response = response.on_hover_cursor(CursorIcon::Grab);
    widgets::tip(response, "Drag to move it, or press", &["Alt", "↑", "↓"]);
}

/// Draws a cell that is edited in place.
fn cell_ui(
    ui: &mut Ui,
    cell: Rect,
    (row, key, kind): (usize, &str, InputKind),
    name: &str,
    state: &mut FormState<'_>,
) {
    let props = state.props;
    let pointer = format!("{}/{key}", props.data.response_pointer(row));
    let fault = props.desk.drafts.fault(&pointer, kind);
    // One line of text: a taller field would start at the top of the row.
    let room = Rect::from_center_size(cell.center(), vec2(cell.width(), 20.0));
    let input = FieldInput { pointer: &pointer, kind, name, font: FieldFont::Data };
    let layout = match kind {
        InputKind::Number | InputKind::Millis => egui::Layout::right_to_left(egui::Align::Center),
        _ => egui::Layout::left_to_right(egui::Align::Center),
    };
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(room).layout(layout));
    let response = field_input_ui(&mut child, state, input, FieldSize::Line).response.response;
    cover_ui(ui, cell, (row, key), state);
    let tokens = tokens(ui);
    let stroke = match (response.has_focus(), &fault) {
        // The only sign of a fault in a cell: the row has no room for a sentence.
        (_, Some(_)) => Some(egui::Stroke::new(1.0, tokens.error)),
        (true, None) => Some(egui::Stroke::new(2.0, tokens.ring)),
        (false, None) if response.hovered() => Some(egui::Stroke::new(1.0, tokens.line)),
        _ => None,
    };
    if let Some(stroke) = stroke {
        let frame = cell.expand2(vec2(5.0, -5.0));
        ui.painter().rect_stroke(frame, 4.0, stroke, egui::StrokeKind::Inside);
    }
    sync_cursor(&response, state, FormCursor::Response(row));
    if let Some(fault) = fault {
        widgets::tip(response, &format!("{fault}."), &[] as &[&str]);
    }
}

/// Covers a cell of a row without the cursor: the first click selects the row, so that its keys work; the second edits.
fn cover_ui(ui: &Ui, cell: Rect, (row, key): (usize, &str), state: &mut FormState<'_>) {
    let point = Some(FormCursor::Response(row));
    if state.props.desk.cursor != point {
        // Added after the cell, so egui gives the click to the cover.
        let cover = ui.interact(cell, ui.scope_id().with(("cell", row, key)), Sense::CLICK);
        widgets::on_click(&cover, SessionsAction::Point(point), state.actions);
    }
}

/// Draws the response, shortened, or the fault in it; a click opens it.
fn answer_ui(ui: &mut Ui, cell: Rect, row: usize, response: Node<'_>, state: &mut FormState<'_>) {
    let tokens = tokens(ui);
    let answer = response.get("response");
    let is_refused = answer.is_some_and(|a| acceptance(a.kind()) != Acceptance::Accepted);
    let is_empty = answer.is_none_or(|a| a.is_empty() && a.as_str().is_none_or(str::is_empty));
    let control = ui.interact(cell, ui.scope_id().with(("answer", row)), Sense::click());
    widgets::describe(&control, Role::Button, &format!("Edit response {}", row + 1));
    let fault = fault::detect(response);
    let mut left = cell.left();
    if let Some(fault) = fault {
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut child = ui.new_child(egui::UiBuilder::new().max_rect(cell).layout(layout));
        let tag = widgets::tag(&mut child, fault_icon(fault), fault.seen_as(), Tone::Warning);
        left = tag.rect.right() + theme::GAP;
    }
    // What a fault has emptied says no more than the fault.
    if fault.is_none() || !is_empty {
        let words = answer.map_or_else(|| "none".to_owned(), one_line);
        let color = match (is_refused, is_empty || fault.is_some()) {
            (true, _) => tokens.error,
            (_, false) => tokens.text,
            (_, true) => tokens.muted,
        };
        let font = theme::mono(theme::LABEL);
        let line = widgets::line(ui, &words, font, color, cell.right() - left);
        widgets::paint_line(ui.painter(), pos2(left, cell.center().y), line);
    }
    if control.has_focus() {
        widgets::focus_ring_inside(ui, cell.expand2(vec2(4.0, -5.0)), theme::RADIUS_KEY);
    }
    let control = control.on_hover_cursor(CursorIcon::PointingHand);
    if control.clicked() {
        toggle_panel(row, Panel::Response, state);
    }
    cover_ui(ui, cell, (row, "answer"), state);
    sync_cursor(&control, state, FormCursor::Response(row));
}

/// Opens or closes a panel below a row.
fn toggle_panel(row: usize, panel: Panel, state: &mut FormState<'_>) {
    let props = state.props;
    let old = (props.desk.response(), props.desk.panel());
    // The same click closes what it opened.
    let new_panel = (old != (Some(row), Some(panel))).then_some(panel);
    state.push(SessionsAction::Point(Some(FormCursor::Response(row))));
    state.push(SessionsAction::Open(new_panel));
}
