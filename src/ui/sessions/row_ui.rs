//! Paints one tool response.

use egui::{CursorIcon, Rect, Role, Sense, Ui, vec2};

use super::faults_ui::fault_icon;
use super::field_ui::{FieldFont, FieldInput, FieldSize, field_input_ui, sync_cursor};
use super::form_ui::Form;
use super::sessions_data::one_line;
use author::session::{Acceptance, acceptance, fault};
use document::Node;
use widgets::theme::{self, Tone, tokens};
use widgets::{FieldState, Line, Row, RowSlot, icons};
use workbench::{Command, FormCursor, InputKind, Panel, SessionsAction};

/// Width of the buttons on the row under the cursor.
const TOOLS_WIDTH: f32 = 3.0 * theme::CONTROL;

/// Distance from the left edge of the form to the names of the tools.
pub(super) const TOOL_LEFT: f32 = theme::PADDING + 36.0;

/// Returns the cells of a row: number, tool, response, status and latency. The response takes the width that the others leave.
pub(super) fn cells(rect: Rect) -> [Rect; 5] {
    let right = rect.right() - theme::PADDING;
    let tool = rect.left() + TOOL_LEFT;
    // Names of tools rarely need more; the response gets the rest.
    let response = tool + (rect.width() * 0.25).clamp(96.0, 168.0);
    let [status, latency] = [right - 152.0, right - 80.0];
    [
        (rect.left() + theme::PADDING, tool - theme::GAP),
        (tool, response - theme::GAP),
        (response, (status - theme::GAP).max(response + 40.0)),
        (status, latency - theme::GAP),
        (latency, right),
    ]
    .map(|(left, right)| rect.with_min_x(left).with_max_x(right))
}

/// Returns the accessible name of the field for a tool.
pub(super) fn tool_name(row: usize) -> String {
    format!("Tool of response {}", row + 1)
}

/// Draws a row; a click moves the cursor to it.
pub(super) fn row_ui(slot: &mut RowSlot<'_>, form: &mut Form<'_>) {
    let props = form.props;
    let row = slot.index;
    let Some(response) = props.data.response(row) else { return };
    let number = row + 1;
    let content = Row::new(format!("Tool response {number}"));
    if slot.show(content.selected(props.desk.response() == Some(row))).clicked() {
        form.push(SessionsAction::Point(Some(FormCursor::Response(row))));
    }
    let (ui, rect) = (&mut *slot.ui, slot.rect);
    let [number_cell, tool, mut answer, status, latency] = cells(rect);
    let tools = answer;
    number_ui(ui, number_cell, row, form);
    // In the order of the columns, which is the order of Tab.
    cell_ui(ui, tool, (row, "tool", InputKind::Text), &tool_name(row), form);
    if props.desk.response() == Some(row) {
        answer.max.x = (answer.right() - TOOLS_WIDTH).max(answer.left() + 40.0);
    }
    answer_ui(ui, answer, row, response, form);
    let name = format!("Status of response {number}");
    cell_ui(ui, status, (row, "status", InputKind::Number), &name, form);
    let name = format!("Latency in ms of response {number}");
    cell_ui(ui, latency, (row, "latency_ms", InputKind::Millis), &name, form);
    tools_ui(ui, tools.with_min_x(answer.right()), form);
}

/// Draws the buttons of the row under the cursor, unless there is no room for them.
fn tools_ui(ui: &mut Ui, room: Rect, form: &mut Form<'_>) {
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
            widgets::command_icon(ui, icon, command, Ok(()), form.actions);
        }
    });
}

/// Draws the number, by which a row is dragged.
fn number_ui(ui: &Ui, cell: Rect, row: usize, form: &mut Form<'_>) {
    let id = ui.scope_id().with(("drag_handle", row));
    // Only dragging: a click on the number selects the row below it.
    let response = ui.interact(cell, id, Sense::DRAG);
    let number = (row + 1).to_string();
    widgets::describe(&response, Role::Button, &format!("Drag response {number}"));
    let (tokens, font) = (tokens(ui), theme::mono(theme::LABEL));
    let line = if response.hovered() || response.dragged() {
        Line::number("", font, tokens.muted).icon(icons::GRIP_VERTICAL, tokens.text_strong)
    } else {
        Line::number(&number, font, tokens.muted)
    };
    line.show_in(ui, cell.with_max_x(cell.right() - theme::GAP));
    if response.drag_started() {
        *form.dragged = Some(row);
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
    form: &mut Form<'_>,
) {
    let props = form.props;
    let pointer = format!("{}/{key}", props.data.response_pointer(row));
    let fault = props.desk.drafts.fault(&pointer, kind);
    // One line of text: a taller field would start at the top of the row.
    let room = Rect::from_center_size(cell.center(), vec2(cell.width(), 20.0));
    let input = FieldInput { pointer: &pointer, kind, name, font: FieldFont::Data };
    let field = |ui: &mut Ui| field_input_ui(ui, form, input, FieldSize::Line);
    let response = match kind {
        InputKind::Number | InputKind::Millis => widgets::place_right(ui, room, field).0,
        _ => widgets::place_left(ui, room, field),
    };
    cover_ui(ui, cell, (row, key), form);
    let is_lit = response.has_focus() || response.hovered();
    // The border is the only sign of a fault in a cell: the row has no room for a sentence.
    if is_lit || fault.is_some() {
        let field_state = if fault.is_some() { FieldState::Invalid } else { FieldState::Valid };
        widgets::field_border(ui, cell.expand2(vec2(5.0, -5.0)), &response, field_state);
    }
    sync_cursor(&response, form, FormCursor::Response(row));
    if let Some(fault) = fault {
        widgets::hint(response, &format!("{fault}."));
    }
}

/// Covers a cell of a row without the cursor: the first click selects the row, so that its keys work; the second edits.
fn cover_ui(ui: &Ui, cell: Rect, (row, key): (usize, &str), form: &mut Form<'_>) {
    let point = Some(FormCursor::Response(row));
    if form.props.desk.cursor != point {
        // Added after the cell, so egui gives the click to the cover.
        let cover = ui.interact(cell, ui.scope_id().with(("cell", row, key)), Sense::CLICK);
        widgets::on_click(&cover, SessionsAction::Point(point), form.actions);
    }
}

/// Draws the response, shortened, or the fault in it; a click opens it.
fn answer_ui(ui: &mut Ui, cell: Rect, row: usize, response: Node<'_>, form: &mut Form<'_>) {
    let tokens = tokens(ui);
    let answer = response.get("response");
    let is_refused = answer.is_some_and(|a| acceptance(a.kind()) != Acceptance::Accepted);
    let is_empty = answer.is_none_or(|a| a.is_empty() && a.as_str().is_none_or(str::is_empty));
    let control = ui.interact(cell, ui.scope_id().with(("answer", row)), Sense::click());
    widgets::describe(&control, Role::Button, &format!("Edit response {}", row + 1));
    let fault = fault::detect(response);
    let mut left = cell.left();
    if let Some(fault) = fault {
        let (icon, word) = (fault_icon(fault), fault.seen_as());
        let tag = widgets::place_left(ui, cell, |ui| widgets::tag(ui, icon, word, Tone::Warning));
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
        let line = Line::new(&words, theme::mono(theme::LABEL), color);
        line.show_in(ui, cell.with_min_x(left));
    }
    if control.has_focus() {
        widgets::focus_ring_inside(ui, cell.expand2(vec2(4.0, -5.0)), theme::RADIUS_KEY);
    }
    let control = control.on_hover_cursor(CursorIcon::PointingHand);
    if control.clicked() {
        toggle_panel(row, Panel::Response, form);
    }
    cover_ui(ui, cell, (row, "answer"), form);
    sync_cursor(&control, form, FormCursor::Response(row));
}

/// Opens or closes a panel below a row.
fn toggle_panel(row: usize, panel: Panel, form: &mut Form<'_>) {
    let props = form.props;
    let old = (props.desk.response(), props.desk.panel());
    // The same click closes what it opened.
    let new_panel = (old != (Some(row), Some(panel))).then_some(panel);
    form.push(SessionsAction::Point(Some(FormCursor::Response(row))));
    form.push(SessionsAction::Open(new_panel));
}
