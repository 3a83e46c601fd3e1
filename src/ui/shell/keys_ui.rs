//! Paints the sheet of keyboard shortcuts.

use egui::{Frame, Id, Key, Margin, Modifiers, ScrollArea, Sense, Ui, pos2, vec2};

use super::keys_data::{KeyGroup, KeyRow, KeysData, KeysSheet};
use widgets::theme::{self, tokens};
use widgets::{
    Button, Caps, TextField, dialog, fields, heading, icons, link, on_click, paint_line,
    paint_line_right, place_left, place_right,
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
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, HEAD_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(f32::from(SIDE_MARGIN), 0.0));
    let title = widgets::line(ui, "Keys", theme::semibold(theme::TITLE), tokens.text_strong, 120.0);
    let left = inner.left() + title.size().x + theme::SECTION_GAP;
    paint_line(ui.painter(), inner.left_center(), title);
    let (is_closed, right) = place_right(ui, inner, |ui| {
        ui.add(Button::icon_only(icons::X, "Close").keys(vec!["Esc".to_owned()])).clicked()
    });
    let field = rect.with_min_x(left).with_max_x(right - theme::SECTION_GAP);
    place_left(ui, field, |ui| {
        let id = Id::unique("keys query");
        let name = "Command or key";
        let edit =
            TextField::search(id, name, &mut sheet.query).hint("Command or key, such as Ctrl D");
        let response = edit.show(ui, field.width(), |_| {}, |_| {});
        fields::focus_first(ui, &response);
    });
    is_closed
}

fn body_ui(ui: &mut Ui, data: &KeysData) {
    if let Some(desk) = &data.desk {
        let frame =
            Frame::new().fill(tokens(ui).raised).inner_margin(Margin::symmetric(SIDE_MARGIN, 14));
        frame.show(ui, |ui| desk_ui(ui, desk));
        dialog::divider(ui);
    }
    Frame::new().inner_margin(Margin::symmetric(SIDE_MARGIN, 14)).show(ui, |ui| {
        if data.columns.iter().all(Vec::is_empty) {
            return dialog::small_text(ui, "No command matches.");
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
                for row in &group.rows {
                    row_ui(ui, row);
                }
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
        for row in rows {
            row_ui(ui, row);
        }
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

/// Draws a command with its keys.
fn row_ui(ui: &mut Ui, row: &KeyRow) {
    let tokens = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, theme::ROW_HEIGHT, Sense::hover());
    let keys: Vec<String> = row.keys.iter().map(|caps| caps.join("+")).collect();
    let label = match keys.join(" or ") {
        keys if keys.is_empty() => format!("{}: no key", row.name),
        keys => format!("{}: {keys}", row.name),
    };
    widgets::describe(&response, egui::Role::Label, &label);
    widgets::tip(response, row.tooltip, &[] as &[&str]);
    let middle = rect.center().y;
    let mut right = rect.right();
    // Painted from the right edge to the left, so in reverse.
    for (index, caps) in row.keys.iter().enumerate().rev() {
        let caps = Caps::new(ui, caps);
        right -= caps.width();
        caps.paint(ui.painter(), pos2(right, middle));
        if index > 0 {
            let font = theme::regular(theme::SMALL);
            let separator = widgets::line(ui, "or", font, tokens.muted, f32::INFINITY);
            right -= theme::GAP;
            let width = separator.size().x;
            paint_line_right(ui.painter(), pos2(right, middle), separator);
            right -= width + theme::GAP;
        }
    }
    let left = rect.left() + theme::INDENT;
    let room = right - theme::SECTION_GAP - left;
    let line = widgets::line(ui, &row.name, theme::regular(theme::ROW), tokens.text_strong, room);
    paint_line(ui.painter(), pos2(left, middle), line);
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
        dialog::small_text(ui, "Other desks");
        for desk in &data.others {
            if link(ui, desk.name()).clicked() {
                // A search hides the desk that was just chosen.
                sheet.query.clear();
                sheet.desk = Some(*desk);
            }
        }
    });
}
