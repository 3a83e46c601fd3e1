//! The heading of a table. Its rows are those of a [`List`](super::List), whose cells have the edges of the columns.

use egui::{Rangef, Rect, Role, Sense, Ui};

use super::row::{Line, Row, RowShape};
use crate::theme::{self, tokens};

const HEADING_ROW: RowShape =
    RowShape { height: theme::TABLE_HEADING, lines: &[14.0], hair: true, ..RowShape::ONE_LINE };

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name in the heading, also for screen readers.
    pub name: String,
    /// The edges of its content.
    pub x: Rangef,
    /// Whether its name is at the right, above numbers.
    pub is_number: bool,
}

impl Column {
    /// Creates a column of texts.
    pub fn new(name: impl Into<String>, x: Rangef) -> Self {
        Self { name: name.into(), x, is_number: false }
    }

    /// Creates a column of numbers.
    pub fn number(name: impl Into<String>, x: Rangef) -> Self {
        Self { is_number: true, ..Self::new(name, x) }
    }
}

/// Shows the names of the columns above a table.
pub fn table_heading(ui: &Ui, rect: Rect, columns: &[Column]) {
    let colors = tokens(ui);
    let mut row = Row::default().fill(colors.panel);
    for Column { name, x, is_number } in columns {
        let cell = Rect::from_x_y_ranges(*x, rect.y_range());
        let response = ui.interact(cell, ui.auto_id_with(("column", name)), Sense::hover());
        super::describe(&response, Role::ColumnHeader, name);
        let new = if *is_number { Line::number } else { Line::new };
        row = row.cell(*x).line(new(name, theme::medium(theme::LABEL), colors.muted));
    }
    row.show_at(ui, &HEADING_ROW, rect);
}
