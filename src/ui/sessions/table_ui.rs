//! Paints the tool responses: their header, and the rows on screen.

use egui::{Rect, Sense, Ui, pos2, vec2};

use super::faults_ui::{self, faults_ui};
use super::field_ui::{PROBLEM_HEIGHT, problem_ui};
use super::form_ui::{Form, SessionProps};
use super::response_ui::{self, response_ui};
use super::row_ui::{TOOL_LEFT, cells, row_ui, tool_name};
use super::sessions_data::SessionData;
use author::session::{SessionEdit, fault};
use document::text::{counted, thousands};
use document::{Node, Severity};
use widgets::theme::{self, tokens};
use widgets::{
    BlockVerdict, Button, CallBlock, Column, List, Row, RowShape, RowSlot, fields, icons,
};
use workbench::{Command, FormCursor, Panel, SessionsDesk};

const RESPONSE_ROW: RowShape =
    RowShape { height: 40.0, lines: &[20.0], hair: true, ..RowShape::ONE_LINE };

/// Left edge of the strip, from that of the heading.
const STRIP_LEFT: f32 = 132.0;

/// Draws the table.
pub(super) fn table_ui(ui: &mut Ui, form: &mut Form<'_>) {
    let props = form.props;
    widgets::hair_line(ui);
    head_ui(ui, form);
    let count = props.data.responses();
    if count == 0 {
        // The heading and its button say it all.
        return;
    }
    let (heading, _) = widgets::allocate_row(ui, theme::TABLE_HEADING, Sense::hover());
    let [_, tool, response, status, latency] = cells(heading).map(|cell| cell.x_range());
    let columns = [
        Column::new("Tool", tool),
        Column::new("Response", response),
        Column::number("Status", status),
        Column::number("Latency", latency),
    ];
    widgets::table_heading(ui, heading, &columns);
    let places = RowPositions::new(props.data, props.desk);
    let size = vec2(ui.available_width(), places.top(count));
    let table_rect = Rect::from_min_size(ui.next_widget_position(), size);
    // With the panel, so that the list also scrolls when one opens below the row.
    let cursor = props.desk.response().map(|row| (row, props.desk.panel()));
    List::new("Tool responses", &RESPONSE_ROW, count)
        .tops(&|row| places.top(row))
        .selection(cursor, |(row, _)| Some(row))
        .show_inside(ui, |slot| response_row_ui(slot, &places, form));
    // After the rows, over which its line is painted.
    drag_ui(ui, table_rect, &places, form);
    ui.add_space(theme::PADDING);
}

/// Draws the heading with the strip of the tool calls, and the button that adds one.
fn head_ui(ui: &mut Ui, form: &mut Form<'_>) {
    let props = form.props;
    let blocks: Vec<CallBlock> = (0..props.data.responses())
        .filter_map(|row| Some(call_block(props, row, props.data.response(row)?)))
        .collect();
    let row = widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let title = if blocks.is_empty() { "No tool responses" } else { "Tool responses" };
        widgets::subtitle(ui, title);
        widgets::at_right(ui, |ui| {
            let add = Button::ghost("Add").icon(icons::PLUS).command(Command::AddResponse, Ok(()));
            widgets::command_button(ui, add, Command::AddResponse, form.actions);
        });
    });
    if !blocks.is_empty() {
        let left = pos2(row.left() + STRIP_LEFT, row.center().y);
        let end = widgets::row_strip(ui, left, &blocks);
        let place = Rect::from_x_y_ranges(left.x..=end, row.y_range());
        let strip = ui.interact(place, ui.auto_id_with("strip"), Sense::hover());
        let millis: f32 = blocks.iter().map(|block| block.length).sum();
        let calls = counted(blocks.len(), "call", "calls");
        let name = format!("{calls}, {} ms", thousands(millis as usize));
        widgets::describe(&strip, egui::Role::Label, &name);
        widgets::hint(strip, &name);
    }
}

/// Returns the block of a tool response: how it ended, as long as its latency.
fn call_block(props: SessionProps<'_>, row: usize, response: Node<'_>) -> CallBlock {
    let number = |key| response.get(key).and_then(Node::as_f64);
    let problem = props.data.problem_at(FormCursor::Response(row)).map(|p| p.severity);
    let verdict = match (number("status").map(|status| status as i64), problem) {
        // Flakestorm has status 0 for a tool that gave no answer.
        (_, Some(Severity::Error)) | (Some(..=0 | 408 | 500..), _) => BlockVerdict::Wrong,
        (Some(400..), _) => BlockVerdict::OrderDecides,
        _ if fault::detect(response).is_some() => BlockVerdict::OrderDecides,
        _ => BlockVerdict::Right,
    };
    // A file may have a negative number.
    CallBlock { verdict, length: number("latency_ms").unwrap_or_default().max(0.0) as f32 }
}

/// Positions of rows, from the top of the first row.
struct RowPositions<'a> {
    data: &'a SessionData,
    /// The row with an open panel below it, and the height of the panel.
    open: Option<(usize, f32)>,
}

impl<'a> RowPositions<'a> {
    fn new(data: &'a SessionData, desk: &SessionsDesk) -> Self {
        let height = |panel| match panel {
            Panel::Faults => faults_ui::HEIGHT,
            Panel::Response => response_ui::HEIGHT,
        };
        let open = desk.response().zip(desk.panel().map(height));
        Self { data, open }
    }

    fn top(&self, row: usize) -> f32 {
        let panel = self.open.filter(|(open_row, _)| *open_row < row);
        let problems_height = self.data.flagged_before(row) as f32 * PROBLEM_HEIGHT;
        row as f32 * RESPONSE_ROW.height + problems_height + panel.map_or(0.0, |(_, height)| height)
    }

    /// Returns the index of the row before which this vertical position is.
    fn gap_at(&self, y: f32) -> usize {
        // From the middle of a row on, it counts as passed.
        let is_above = |row: &usize| self.top(*row) + RESPONSE_ROW.height / 2.0 < y;
        (0..self.data.responses()).take_while(is_above).count()
    }
}

/// Draws a row, with its problem and the panel that is open below it.
fn response_row_ui(slot: &mut RowSlot<'_>, places: &RowPositions<'_>, form: &mut Form<'_>) {
    let props = form.props;
    let (row, area) = (slot.index, slot.rect);
    // The slot also has the problem and the panel, which must not look selected.
    slot.rect.set_height(RESPONSE_ROW.height);
    row_ui(slot, form);
    let (ui, rect) = (&mut *slot.ui, slot.rect);
    let mut bottom = rect.bottom();
    if let Some(mut problem) = props.data.problem_at(FormCursor::Response(row)) {
        if is_being_named(ui, row, props) {
            // A row that was just added is not wrong yet.
            problem.severity = Severity::Note;
            problem.message = "Type the name of the tool, as the agent calls it.".to_owned();
        }
        let rect = area.with_min_y(bottom).with_max_y(bottom + PROBLEM_HEIGHT);
        let subject = format!("response {}", row + 1);
        let indent = TOOL_LEFT - theme::PADDING;
        widgets::place(ui, rect, |ui| problem_ui(ui, indent, form, (&problem, &subject)));
        bottom = rect.bottom();
    }
    if places.open.is_some_and(|(r, _)| r == row) {
        panel_ui(ui, area.with_min_y(bottom), row, form);
    }
    widgets::line_below(ui, area);
}

/// Returns whether a tool without a name is about to get one: its field has the focus, and no save was tried since.
fn is_being_named(ui: &Ui, row: usize, props: SessionProps<'_>) -> bool {
    let id = fields::live(&format!("{}/tool", props.data.response_pointer(row)), &tool_name(row));
    !props.has_reported_unnamed_tool
        && props.data.is_unnamed(row)
        && ui.memory(|memory| memory.has_focus(id))
}

/// Draws the panel that is open below a row.
fn panel_ui(ui: &mut Ui, rect: Rect, row: usize, form: &mut Form<'_>) {
    let props = form.props;
    let (colors, shape) = (tokens(ui), RowShape { hair: false, ..RESPONSE_ROW });
    // Its border at the sides is outside of the form.
    let ground = rect.expand2(vec2(1.0, 0.0));
    Row::default().fill(colors.panel).border(colors.accent).show_at(ui, &shape, ground);
    let inner = rect.shrink2(vec2(theme::PADDING, theme::GAP));
    widgets::place(ui, inner, |ui| match props.desk.panel() {
        Some(Panel::Faults) => faults_ui(ui, row, form),
        Some(Panel::Response) => response_ui(ui, row, form),
        None => {}
    });
}

/// Draws where a dragged row would go, and moves it there when it is dropped.
fn drag_ui(ui: &mut Ui, area: Rect, places: &RowPositions<'_>, form: &mut Form<'_>) {
    let props = form.props;
    let Some(from) = *form.dragged else { return };
    let Some(pointer) = ui.input(|input| input.pointer.interact_pos()) else { return };
    let count = props.data.responses();
    let gap = places.gap_at((pointer.y - area.top()).clamp(0.0, area.height())).min(count);
    widgets::drop_line(ui, area.with_min_y(area.top() + places.top(gap)));
    if ui.input(|input| input.pointer.any_down()) {
        return;
    }
    *form.dragged = None;
    // Without the dragged row, all rows after it are one place higher.
    let to = if gap > from { gap - 1 } else { gap };
    if to != from {
        form.edit(SessionEdit::Move(props.data.response_pointer(from), to));
    }
}
