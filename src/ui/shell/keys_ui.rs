//! Paints the sheet of keyboard shortcuts.

use egui::{Frame, Id, Key, Margin, Modifiers, ScrollArea, Sense, Ui, vec2};

use super::keys_data::{KeyGroup, KeyRow, KeysData, KeysSheet};
use widgets::theme::{self, tokens};
use widgets::{
    Button, Line, TextField, dialog, fields, heading, hint, icons, keys_row, link, on_click,
    place_left, place_right,
};
use workbench::{Action, Actions, Command, Workbench};

const WIDTH: f32 = 880.0;
const MAX_HEIGHT: f32 = 772.0;
const HEAD_HEIGHT: f32 = 56.0;
const FOOT_HEIGHT: f32 = 48.0;
/// From both sides to the content.
const SIDE_MARGIN: i8 = 20;
/// Between the two columns.
const COLUMN_GAP: f32 = 44.0;
/// Below this width the groups are in one column.
const TWO_COLUMNS_MIN_WIDTH: f32 = 700.0;

/// Draws the shortcuts over the desk. Esc or a click outside closes the sheet.
pub fn keys_ui(ui: &mut Ui, workbench: &Workbench, sheet: &mut KeysSheet, actions: &mut Actions) {
    let window = ui.ctx().content_rect();
    let (width, top) = (WIDTH.min(window.width() - 48.0), theme::overlay_top(window));
    let max_height = MAX_HEIGHT.min(window.height() - top - 24.0);
    // Taken before the search field, which would move its caret by the arrows and drop the focus on Esc.
    let presses = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
    let is_escaped = presses(Key::Escape) > 0;
    let lines = presses(Key::ArrowDown) as f32 - presses(Key::ArrowUp) as f32;
    let pages = presses(Key::PageDown) as f32 - presses(Key::PageUp) as f32;
    let room = (max_height - HEAD_HEIGHT - FOOT_HEIGHT - 2.0).max(80.0);
    // A page keeps one row in sight, so that the reader does not lose the place.
    let scroll = lines * 2.0 * theme::ROW_HEIGHT + pages * (room - theme::ROW_HEIGHT);
    let response = dialog::modal(ui, "keys").show(ui.ctx(), |ui| {
        ui.set_width(width);
        ui.set_max_height(max_height);
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        let is_closed = head_ui(ui, sheet);
        dialog::divider(ui);
        let data = KeysData::new(workbench, sheet);
        let area = ScrollArea::vertical()
            // Another content starts at its top.
            .id_salt((&sheet.query, sheet.desk.map(protocol::Desk::name)))
            .auto_shrink([false, true])
            .min_scrolled_height(room)
            .max_height(room);
        area.show(ui, |ui| {
            ui.scroll_with_delta(vec2(0.0, -scroll));
            body_ui(ui, &data);
        });
        dialog::divider(ui);
        foot_ui(ui, &data, sheet, actions);
        is_closed
    });
    if response.inner || is_escaped || response.backdrop_response.clicked() {
        actions.push(Action::SetOverlay(None));
    }
}

/// Draws the title and the search field; returns whether the sheet was closed.
fn head_ui(ui: &mut Ui, sheet: &mut KeysSheet) -> bool {
    let (rect, _) = widgets::allocate_row(ui, HEAD_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(f32::from(SIDE_MARGIN), 0.0));
    let title = Line::of("Keys", tokens(ui).title());
    let left = inner.left() + title.width(ui) + theme::SECTION_GAP;
    title.show_in(ui, inner);
    let (is_closed, right) = place_right(ui, inner, |ui| {
        ui.add(Button::icon_only(icons::X, "Close").keys(vec!["Esc".to_owned()])).clicked()
    });
    let field = rect.with_min_x(left).with_max_x(right - theme::SECTION_GAP);
    place_left(ui, field, |ui| {
        let id = Id::unique("keys query");
        let edit = TextField::search(id, "Command or key", &mut sheet.query)
            .hint("Command or key, such as Ctrl D");
        let response = edit.show(ui, field.width(), |_| {}, |_| {});
        fields::focus_first(ui, &response);
    });
    is_closed
}

fn body_ui(ui: &mut Ui, data: &KeysData) {
    if let Some(desk) = &data.desk {
        let frame = Frame::new().fill(tokens(ui).raised);
        frame.inner_margin(Margin::symmetric(SIDE_MARGIN, 14)).show(ui, |ui| desk_ui(ui, desk));
        dialog::divider(ui);
    }
    Frame::new().inner_margin(Margin::symmetric(SIDE_MARGIN, 14)).show(ui, |ui| {
        if data.columns.iter().all(Vec::is_empty) {
            widgets::muted(ui, "No command matches.");
            return;
        }
        columns_ui(ui, |ui, column| {
            let groups = match column {
                Some(column) => data.columns[column].iter().collect::<Vec<_>>(),
                None => data.columns.iter().flatten().collect(),
            };
            for (index, group) in groups.into_iter().enumerate() {
                if index > 0 {
                    ui.add_space(theme::SECTION_GAP);
                }
                group_heading(ui, group);
                group.rows.iter().for_each(|row| row_ui(ui, row));
            }
        });
    });
}

/// Draws the keys of a desk: the first half of them in the left column.
fn desk_ui(ui: &mut Ui, desk: &KeyGroup) {
    group_heading(ui, desk);
    let half = desk.rows.len().div_ceil(2);
    columns_ui(ui, |ui, column| {
        let rows = match column {
            Some(0) => &desk.rows[..half],
            Some(_) => &desk.rows[half..],
            None => &desk.rows[..],
        };
        rows.iter().for_each(|row| row_ui(ui, row));
    });
}

/// Lays out two columns by their number, or in a narrow window everything in one.
fn columns_ui(ui: &mut Ui, mut content: impl FnMut(&mut Ui, Option<usize>)) {
    if ui.available_width() < TWO_COLUMNS_MIN_WIDTH {
        return content(ui, None);
    }
    ui.spacing_mut().item_spacing.x = COLUMN_GAP;
    ui.columns(2, |columns| {
        for (index, ui) in columns.iter_mut().enumerate() {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
            content(ui, Some(index));
        }
    });
}

fn group_heading(ui: &mut Ui, group: &KeyGroup) {
    heading(ui, group.icon, group.name, group.note);
    ui.add_space(4.0);
}

fn row_ui(ui: &mut Ui, row: &KeyRow) {
    hint(keys_row(ui, &row.name, &row.keys), row.tooltip);
}

/// Draws the links to the keys of other desks.
fn foot_ui(ui: &mut Ui, data: &KeysData, sheet: &mut KeysSheet, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, FOOT_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(f32::from(SIDE_MARGIN), 0.0));
    let ((), right) = place_right(ui, inner, |ui| {
        // Keys are set in the file of the settings.
        let change = Button::ghost("Change keys…").icon(icons::KEYBOARD);
        on_click(&ui.add(change), Action::Run(Command::OpenSettings), actions);
    });
    place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
        widgets::muted(ui, "Other desks");
        for desk in &data.others {
            if link(ui, desk.name()).clicked() {
                // A search hides the desk that was just chosen.
                sheet.query.clear();
                sheet.desk = Some(*desk);
            }
        }
    });
}
