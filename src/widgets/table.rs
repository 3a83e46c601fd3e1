//! Tables: lists with columns. See [`list`](super::list) for how their rows are shown.
//!
//! ```ignore
//! let columns = Columns::new("sources", &[
//!         Column::new(SourceColumn::Status, "Status", 120.0),
//!         Column::rest(SourceColumn::Source, "Source", 80.0),
//!         Column::new(SourceColumn::Recordings, "Recordings", 104.0).gap(20.0),
//!     ])
//!     .place(ui, left, width);
//! if let Some(column) = columns.heading(ui, Some((sort.column, Sorted::Up))) {
//!     actions.push(Action::SortBy(column));
//! }
//! List::new("List of sources", &RowShape::TWO_LINES, rows.len()).show(ui, |slot| {
//!     let mut row = Row::new(name);
//!     for (column, x) in columns.cells() {
//!         row = row.cell(x).line(line_of(column, &rows[slot.index]));
//!     }
//!     slot.show(row);
//! });
//! ```

use egui::{
    Align, CursorIcon, Id, Rangef, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use super::place::allocate_row;
use super::sizes::{set_size, size};
use super::{focus_ring_inside, styled_text};
use crate::icons;
use crate::theme::{self, tokens};

/// The narrowest that the user can make a column.
const MIN_COLUMN_WIDTH: f32 = 48.0;
/// The user can make columns wider until the rest is as narrow as this.
const MIN_REST_WIDTH: f32 = 120.0;

/// Between the name of a column and the arrow that shows its order.
const ARROW_GAP: f32 = 4.0;

/// The sort direction of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorted {
    /// Smallest first.
    Up,
    /// Greatest first.
    Down,
}

/// A column, before it is known how wide the table is.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub struct Column<'a, K> {
    key: K,
    /// The text of the heading.
    pub name: &'a str,
    /// Text that the heading shows in place of the name.
    title: Option<&'a str>,
    width: f32,
    gap: f32,
    align: Align,
    takes_rest: bool,
}

impl<'a, K> Column<'a, K> {
    /// Creates a column of some width, which includes the gap after its content. Without a name it has no heading.
    pub fn new(key: K, name: &'a str, width: f32) -> Self {
        Self {
            key,
            name,
            title: None,
            width,
            gap: theme::GAP,
            align: Align::Min,
            takes_rest: false,
        }
    }

    /// Creates the column that takes the width that the others leave, but at least `width`.
    pub fn rest(key: K, name: &'a str, width: f32) -> Self {
        Self { takes_rest: true, ..Self::new(key, name, width) }
    }

    /// Sets the gap after the content.
    pub fn gap(self, gap: f32) -> Self {
        Self { gap, ..self }
    }

    /// Shows another text as the heading, such as one that changes.
    pub fn title(self, title: &'a str) -> Self {
        Self { title: Some(title), ..self }
    }

    /// Aligns the heading at the right, for a column of numbers.
    pub fn at_right(self) -> Self {
        Self { align: Align::Max, ..self }
    }
}

/// Widths that the user has set, by the name of the column.
type Widths = Vec<(String, f32)>;

/// The columns of a table.
#[must_use]
pub struct Columns<'a, K> {
    table: &'a str,
    columns: Vec<Column<'a, K>>,
    hide: Vec<(K, f32)>,
    has_line_above: bool,
}

impl<'a, K: Copy + PartialEq> Columns<'a, K> {
    /// Creates the columns, from left to right. `table` is the name that identifies the table.
    pub fn new(table: &'a str, columns: &[Column<'a, K>]) -> Self {
        let columns = columns.to_vec();
        Self { table, columns, hide: Vec::new(), has_line_above: false }
    }

    /// Omits the line above the heading where there is one already.
    pub fn below_line(self) -> Self {
        Self { has_line_above: true, ..self }
    }

    /// Hides columns in this order, each while the rest is narrower than the width beside it.
    pub fn hide(self, hide: &[(K, f32)]) -> Self {
        Self { hide: hide.to_vec(), ..self }
    }

    /// Places the columns from `left` over `width`.
    pub fn place(self, ui: &Ui, left: f32, width: f32) -> PlacedColumns<'a, K> {
        let set: Widths = self
            .columns
            .iter()
            .map(|column| column.name)
            .filter_map(|name| {
                let width = size(ui, &size_name(self.table, name))?;
                Some((name.to_owned(), width))
            })
            .collect();
        self.place_with(&set, left, width)
    }

    fn place_with(mut self, set: &Widths, left: f32, width: f32) -> PlacedColumns<'a, K> {
        let is_set = |column: &Column<'_, K>| set.iter().find(|(name, _)| *name == column.name);
        // Taken before the widths of the user replace the designed ones.
        let rest_least =
            self.columns.iter().find(|column| column.takes_rest).map_or(0.0, |column| column.width);
        for column in &mut self.columns {
            if let Some((_, width)) = is_set(column) {
                column.width = *width;
            }
        }
        let left_over = |columns: &[Column<'_, K>]| {
            let fixed_columns = columns.iter().filter(|column| !column.takes_rest);
            width - fixed_columns.map(|column| column.width).sum::<f32>()
        };
        for (key, rest_width) in &self.hide {
            // Each hidden column makes room, so the width is read again before the next.
            if left_over(&self.columns) >= *rest_width {
                break;
            }
            self.columns.retain(|column| column.key != *key);
        }
        let rest = left_over(&self.columns).max(rest_least);
        let mut at = left;
        let placements = self.columns.into_iter().map(|column| {
            let start = at;
            at += if column.takes_rest { rest } else { column.width };
            (column, Rangef::new(start, at))
        });
        PlacedColumns {
            table: self.table,
            id: Id::unique(("columns", self.table)),
            shown: placements.collect(),
            has_line_above: self.has_line_above,
        }
    }
}

pub struct PlacedColumns<'a, K> {
    table: &'a str,
    id: Id,
    shown: Vec<(Column<'a, K>, Rangef)>,
    has_line_above: bool,
}

impl<K: Copy + PartialEq> PlacedColumns<'_, K> {
    /// Returns the shown columns with the edges of their content.
    pub fn cells(&self) -> impl Iterator<Item = (K, Rangef)> {
        let content_range = |x: &Rangef, gap| Rangef::new(x.min, x.max - gap);
        self.shown.iter().map(move |(column, x)| (column.key, content_range(x, column.gap)))
    }

    /// Returns the edges of a column's content; empty if the column is hidden.
    pub fn cell(&self, key: K) -> Rangef {
        let mut cells = self.cells();
        cells.find(|(k, _)| *k == key).map_or(Rangef::point(0.0), |(_, x)| x)
    }

    /// Draws the heading. With `sort`, a click on a column sorts by it; returns the clicked column.
    pub fn heading(&self, ui: &mut Ui, sort: Option<(K, Sorted)>) -> Option<K> {
        let (rect, _) = allocate_row(ui, theme::TABLE_HEADING, Sense::hover());
        let colors = tokens(ui);
        ui.painter().rect_filled(rect, 0.0, colors.panel);
        let hair = Stroke::new(1.0, colors.hair);
        let lines = [rect.top() + 0.5, rect.bottom() - 0.5];
        for y in lines.iter().skip(usize::from(self.has_line_above)) {
            ui.painter().hline(rect.x_range(), *y, hair);
        }
        let mut click = None;
        for (index, (column, x)) in self.shown.iter().enumerate() {
            if column.name.is_empty() {
                continue;
            }
            let x = Rangef::new(x.min, x.max - column.gap);
            let cell = Rect::from_x_y_ranges(x, rect.y_range());
            let id = match sort {
                Some((by, order)) => {
                    let column_sort = (by == column.key).then_some(order);
                    let response = heading_cell(ui, cell, column.name, column.align, column_sort);
                    if response.clicked() {
                        click = Some(column.key);
                    }
                    response.id
                }
                None => {
                    let id = self.id.with(("heading", column.name));
                    name_ui(ui, id, cell, column)
                }
            };
            ui.ctx().accesskit_node_builder(id, |node| {
                node.set_column_index(index);
            });
        }
        for index in 0..self.shown.len().saturating_sub(1) {
            self.border_ui(ui, rect, index);
        }
        click
    }

    /// Returns the column that is resized with the border to the right of column `index`: the one that is not on the side of
    /// the rest.
    fn resized(&self, index: usize) -> Option<usize> {
        let mut columns = self.shown.iter();
        let rest = columns.position(|(column, _)| column.takes_rest)?;
        let column_index = if index >= rest { index + 1 } else { index };
        let (column, _) = self.shown.get(column_index)?;
        // Widths are kept by name.
        (!column.name.is_empty()).then_some(column_index)
    }

    /// Draws the right border of a column: a drag resizes, a double click resets the width.
    fn border_ui(&self, ui: &Ui, heading: Rect, index: usize) {
        let Some(column_index) = self.resized(index) else { return };
        let (column, _) = &self.shown[index];
        let x = self.shown[index].1.max - column.gap / 2.0;
        let rect = Rect::from_center_size(pos2(x, heading.center().y), vec2(8.0, heading.height()));
        let name = self.shown[column_index].0.name;
        let response =
            ui.interact(rect, self.id.with(("border", name)), Sense::CLICK | Sense::DRAG);
        crate::describe(&response, Role::Splitter, &format!("Width of {name}"));
        if response.hovered() || response.dragged() {
            let line = Stroke::new(1.0, tokens(ui).strong);
            ui.painter().vline(x.round() + 0.5, rect.y_range(), line);
        }
        if response.dragged() {
            let delta = response.drag_delta().x;
            let mut set = Widths::new();
            // Right of the rest, dragging to the left makes a column wider.
            self.resize(&mut set, column_index, if column_index == index { delta } else { -delta });
            for (column, width) in set {
                set_size(ui, &size_name(self.table, &column), Some(width));
            }
        }
        if response.double_clicked() {
            set_size(ui, &size_name(self.table, name), None);
        }
        response.on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal);
    }

    /// Makes a column wider by some points, as far as the rest has room.
    fn resize(&self, set: &mut Widths, column_index: usize, delta: f32) {
        let rest = self.shown.iter().find(|(column, _)| column.takes_rest);
        let room = rest.map_or(0.0, |(_, x)| x.span() - MIN_REST_WIDTH).max(0.0);
        let (column, x) = &self.shown[column_index];
        let width = (x.span() + delta.min(room)).max(MIN_COLUMN_WIDTH);
        set.retain(|(name, _)| name != column.name);
        set.push((column.name.to_owned(), width));
    }
}

/// Returns the name under which the width of a column is kept.
fn size_name(table: &str, column: &str) -> String {
    format!("{table}/{column}")
}

/// Adds a column heading in its cell. A click sorts by it.
fn heading_cell(
    ui: &mut Ui,
    rect: Rect,
    text: &str,
    align: Align,
    sort: Option<Sorted>,
) -> Response {
    let tokens = tokens(ui);
    let response = ui.interact(rect, ui.auto_id_with(("heading", text)), Sense::click());
    let name = match sort {
        None => text.to_owned(),
        Some(Sorted::Up) => format!("{text}, sorted up"),
        Some(Sorted::Down) => format!("{text}, sorted down"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, ui.is_enabled(), &name));
    let color =
        if sort.is_some() || response.hovered() { tokens.text_strong } else { tokens.muted };
    let arrow_width = sort.map_or(0.0, |_| theme::ICON_TAG + ARROW_GAP);
    let label =
        styled_text::line(ui, text, theme::medium(theme::LABEL), color, rect.width() - arrow_width);
    let left = match align {
        Align::Max => rect.right() - arrow_width - label.size().x,
        _ => rect.left(),
    };
    let right = left + label.size().x;
    styled_text::paint_line(ui.painter(), pos2(left, rect.center().y), label);
    if let Some(sort) = sort {
        let icon = match sort {
            Sorted::Up => icons::ARROW_UP,
            Sorted::Down => icons::ARROW_DOWN,
        };
        let center = pos2(right + ARROW_GAP + theme::ICON_TAG / 2.0, rect.center().y);
        styled_text::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
    }
    if response.has_focus() {
        focus_ring_inside(ui, rect.expand2(vec2(4.0, -3.0)), theme::RADIUS_KEY);
    }
    response.on_hover_cursor(CursorIcon::PointingHand)
}

/// Adds a heading that only names its column.
fn name_ui<K>(ui: &Ui, id: Id, cell: Rect, column: &Column<'_, K>) -> Id {
    let response = ui.interact(cell, id, Sense::hover());
    let text = column.title.unwrap_or(column.name);
    crate::describe(&response, Role::ColumnHeader, text);
    let (font, color) = (theme::medium(theme::LABEL), tokens(ui).muted);
    let line = styled_text::line(ui, text, font, color, cell.width());
    match column.align {
        Align::Max => styled_text::paint_line_right(ui.painter(), cell.right_center(), line),
        _ => styled_text::paint_line(ui.painter(), cell.left_center(), line),
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 8] =
        ["Status", "Kind", "Id", "Set", "Tools", "Model", "Recorded", "Problems"];

    fn place(set: &Widths, width: f32) -> PlacedColumns<'static, &'static str> {
        let widths = [132.0, 92.0, 170.0, 104.0, 0.0, 120.0, 132.0, 80.0];
        let columns: Vec<_> = ALL
            .into_iter()
            .zip(widths)
            .map(|(name, width)| match name {
                "Tools" => Column::rest(name, name, width),
                _ => Column::new(name, name, width),
            })
            .collect();
        Columns::new("test", &columns)
            .hide(&[("Model", 120.0), ("Set", 120.0), ("Kind", 120.0), ("Tools", 84.0)])
            .place_with(set, 0.0, width)
    }

    fn names(width: f32) -> String {
        place(&Widths::default(), width).cells().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_narrow_table_hides_columns_in_their_order() {
        assert_eq!(names(956.0), "Status Kind Id Set Tools Model Recorded Problems");
        assert_eq!(names(844.0), "Status Kind Id Set Tools Recorded Problems");
        assert_eq!(names(816.0), "Status Kind Id Tools Recorded Problems");
        assert_eq!(names(592.0), "Status Id Recorded Problems");
    }

    #[test]
    fn a_border_can_be_dragged_while_the_rest_has_room() {
        let mut set = Widths::default();
        let at = |set: &Widths| place(set, 1300.0);
        let span = |set: &Widths, index: usize| at(set).shown[index].1.span();
        let drag = |set: &mut Widths, index: usize, delta| {
            let columns = at(set);
            let column_index = columns.resized(index).unwrap();
            columns.resize(set, column_index, if column_index == index { delta } else { -delta });
        };
        drag(&mut set, 1, 30.0);
        assert_eq!(span(&set, 1), 122.0);
        // A column to the right of the rest grows towards it.
        drag(&mut set, 4, -20.0);
        assert_eq!(span(&set, 5), 140.0);
        drag(&mut set, 1, 9999.0);
        assert_eq!(span(&set, 4), MIN_REST_WIDTH);
        drag(&mut set, 0, -9999.0);
        assert_eq!(span(&set, 0), MIN_COLUMN_WIDTH);
    }
}
