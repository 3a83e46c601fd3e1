//! Paints one tool response.

use egui::{CursorIcon, Event, Rect, Response, Role, Sense, Ui, pos2, vec2};

use super::draft::InputKind;
use super::field_ui::{
    FieldFont, FieldInput, FieldSize, field_input_ui, put_cursor_last, sync_cursor,
};
use super::form_state::FormState;
use super::response_ui;
use super::sessions_data::one_line;
use author::session::{Acceptance, acceptance, fault};
use document::{Node, NodeKind};
use widgets::theme::{self, Tone, tokens};
use widgets::{Row, RowSlot, fields, icons};
use workbench::{FormCursor, Panel, SessionsAction};

/// The cells of a row.
pub(super) struct ResponseColumns {
    drag_handle: Rect,
    pub(super) number: Rect,
    pub(super) tool: Rect,
    pub(super) response: Rect,
    pub(super) status: Rect,
    pub(super) latency: Rect,
    bolt: Rect,
}

impl ResponseColumns {
    /// Returns the cells of a row; the response takes the width that the others leave.
    pub(super) fn new(rect: Rect) -> Self {
        let mut left = rect.left() + 6.0;
        let mut cell = |width: f32| {
            let cell = Rect::from_x_y_ranges(left..=left + width, rect.y_range());
            left += width;
            cell
        };
        let drag_handle = cell(20.0);
        let number = cell(32.0);
        // Names of tools rarely need more; the response gets the rest.
        let tool = cell((rect.width() * 0.25).clamp(96.0, 180.0));
        let rest_width = 60.0 + 76.0 + 40.0;
        // The widths of status, latency and faults, with the gaps, come off first.
        let response = cell((rect.right() - rest_width - tool.right()).max(40.0));
        let status = cell(56.0);
        let latency = cell(76.0);
        let bolt = cell(40.0);
        let inner = |cell: Rect| cell.with_max_x(cell.right() - theme::GAP);
        Self {
            drag_handle,
            number,
            tool: inner(tool),
            response: inner(response),
            status: inner(status),
            latency: inner(latency),
            bolt,
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
    drag_handle_ui(ui, columns.drag_handle, row, state);
    let font = theme::mono(theme::LABEL);
    let line = widgets::line(ui, &number.to_string(), font, tokens(ui).muted, 32.0);
    widgets::paint_line(ui.painter(), pos2(columns.number.left(), rect.center().y), line);
    // In the order of the columns, which is the order of Tab.
    cell_ui(ui, columns.tool, (row, "tool", InputKind::Text), &tool_name(row), state);
    answer_ui(ui, columns.response, row, response, state);
    let name = format!("Status of response {number}");
    cell_ui(ui, columns.status, (row, "status", InputKind::Number), &name, state);
    let name = format!("Latency in ms of response {number}");
    cell_ui(ui, columns.latency, (row, "latency_ms", InputKind::Millis), &name, state);
    faults_button_ui(ui, columns.bolt, row, state);
}

/// Draws the handle by which a row is dragged.
fn drag_handle_ui(ui: &mut Ui, cell: Rect, row: usize, state: &mut FormState<'_>) {
    let id = ui.scope_id().with(("drag_handle", row));
    // Only dragging: a click on the handle selects the row below it.
    let response = ui.interact(cell, id, Sense::DRAG);
    let name = format!("Drag response {}", row + 1);
    widgets::describe(&response, Role::Button, &name);
    let tokens = tokens(ui);
    let color =
        if response.hovered() || response.dragged() { tokens.text_strong } else { tokens.muted };
    widgets::paint_icon(ui.painter(), cell.center(), icons::GRIP_VERTICAL, theme::ICON, color);
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
    let fault = state.drafts.fault(&pointer, kind);
    // One line of text: a taller field would start at the top of the row.
    let room = Rect::from_center_size(cell.center(), vec2(cell.width(), 20.0));
    let input = FieldInput { pointer: &pointer, kind, name, font: FieldFont::Data };
    let layout = match kind {
        InputKind::Number | InputKind::Millis => egui::Layout::right_to_left(egui::Align::Center),
        _ => egui::Layout::left_to_right(egui::Align::Center),
    };
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(room).layout(layout));
    let response = field_input_ui(&mut child, state, input, FieldSize::Line).response.response;
    // The first click selects the row, so that its keys work; the second edits.
    let point = Some(FormCursor::Response(row));
    if props.desk.cursor != point {
        // Added after the field, so egui gives the click to the cover.
        let cover = ui.interact(cell, ui.scope_id().with(("cell", row, key)), Sense::CLICK);
        widgets::on_click(&cover, SessionsAction::Point(point), state.actions);
    }
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

/// Draws the response, shortened; a click opens it.
fn answer_ui(ui: &mut Ui, cell: Rect, row: usize, response: Node<'_>, state: &mut FormState<'_>) {
    let tokens = tokens(ui);
    let answer = response.get("response");
    let words = answer.map_or_else(|| "none".to_owned(), one_line);
    let is_refused = answer.is_some_and(|a| acceptance(a.kind()) != Acceptance::Accepted);
    let control = ui.interact(cell, ui.scope_id().with(("answer", row)), Sense::click());
    let name = format!("Edit response {}", row + 1);
    widgets::describe(&control, Role::Button, &name);
    let mut left = cell.left();
    if let Some(fault) = fault::detect(response) {
        let mut child = ui.new_child(
            egui::UiBuilder::new()
                .max_rect(cell)
                .layout(egui::Layout::left_to_right(egui::Align::Center)),
        );
        left = widgets::tag(&mut child, "", fault.seen_as(), Tone::Warning).rect.right() + 6.0;
    }
    let color = match (is_refused, answer.is_some_and(|a| !a.is_empty() || a.as_str().is_some())) {
        (true, _) => tokens.error,
        (_, true) => tokens.text,
        (_, false) => tokens.muted,
    };
    let line = widgets::line(ui, &words, theme::mono(theme::LABEL), color, cell.right() - left);
    widgets::paint_line(ui.painter(), pos2(left, cell.center().y), line);
    if control.has_focus() {
        widgets::focus_ring_inside(ui, cell.expand2(vec2(4.0, -5.0)), theme::RADIUS_KEY);
    }
    let control = control.on_hover_cursor(CursorIcon::PointingHand);
    if control.clicked() {
        toggle_panel(row, Panel::Response, state);
    }
    // Letters in front of an object would only make it invalid.
    let is_typed = answer.is_some_and(|a| matches!(a.kind(), NodeKind::Null | NodeKind::String));
    if is_typed {
        type_answer(ui, &control, row, state);
    }
    sync_cursor(&control, state, FormCursor::Response(row));
}

/// Passes text that is typed while the cell has the focus to the field below the row, which opens for it.
fn type_answer(ui: &Ui, cell: &Response, row: usize, state: &mut FormState<'_>) {
    let props = state.props;
    // Letters are text here, although no text field has the focus.
    fields::mark_typed(ui.ctx(), cell.id);
    let mut letters = String::new();
    if cell.has_focus() {
        ui.input_mut(|input| {
            // Removed, or the field that opens would get them a second time.
            input.events.retain(|event| match event {
                // Space clicks a focused control, which opens the field.
                Event::Text(text) if text != " " || !letters.is_empty() => {
                    letters.push_str(text);
                    false
                }
                _ => true,
            });
        });
    }
    if letters.is_empty() {
        return;
    }
    let pointer = format!("{}/response", props.data.response_pointer(row));
    let node = props.data.node(&pointer);
    let text = state.drafts.text(&pointer, InputKind::Text, node) + &letters;
    let name = response_ui::field_name(row);
    let field = (&*pointer, &*name);
    put_cursor_last(ui, fields::live(field.0, field.1), &text);
    state.drafts.set_text(field, InputKind::Text, node, text);
    // Before the field exists: a draft without the focus would be committed at once.
    state.drafts.set_focus(&pointer);
    state.push(SessionsAction::Point(Some(FormCursor::Response(row))));
    state.push(SessionsAction::Open(Some(Panel::Response)));
}

/// Draws the button that opens the faults.
fn faults_button_ui(ui: &mut Ui, cell: Rect, row: usize, state: &mut FormState<'_>) {
    let props = state.props;
    let tokens = tokens(ui);
    let rect = Rect::from_center_size(cell.center(), vec2(theme::CONTROL, theme::CONTROL));
    let response = ui.interact(rect, ui.scope_id().with(("bolt", row)), Sense::click());
    let name = format!("Inject a fault into response {}", row + 1);
    widgets::describe(&response, Role::Button, &name);
    let is_open = (props.desk.response(), props.desk.panel()) == (Some(row), Some(Panel::Faults));
    if is_open {
        let stroke = egui::Stroke::new(1.0, tokens.accent);
        ui.painter().rect_stroke(rect, 6.0, stroke, egui::StrokeKind::Inside);
    }
    let color = if is_open || response.hovered() || response.has_focus() {
        tokens.text_strong
    } else {
        tokens.muted
    };
    widgets::paint_icon(ui.painter(), rect.center(), icons::ZAP, theme::ICON, color);
    widgets::focus_ring(ui, &response, theme::RADIUS_CONTROL);
    sync_cursor(&response, state, FormCursor::Response(row));
    if widgets::tip(response, &name, &["F"]).clicked() {
        toggle_panel(row, Panel::Faults, state);
    }
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
