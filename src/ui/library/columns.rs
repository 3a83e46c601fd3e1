//! Widths of the columns, and which columns are hidden in a narrow table.

use egui::Rangef;

use crate::workbench::{Grouping, LibraryColumn};

/// A column and its position, from left to right.
pub(super) type PlacedColumn = (LibraryColumn, Rangef);

/// The columns that can be hidden, the first ones first.
const GIVE_WAY: [LibraryColumn; 4] = [
    LibraryColumn::Model,
    LibraryColumn::Set,
    LibraryColumn::Kind,
    LibraryColumn::Tools,
];
/// Minimum width of the tools; another column is hidden to reach it.
const TOOLS_AT_LEAST: f32 = 120.0;
/// Below this width the tools are hidden, too.
const TOOLS_AT_ALL: f32 = 84.0;
/// Sufficient width for the tools; what remains goes to the id, up to a maximum.
const TOOLS_ENOUGH: f32 = 240.0;
const ID: f32 = 170.0;
const ID_AT_MOST: f32 = 320.0;
/// Indentation of rows below a heading.
pub(super) const GROUPED_INDENT: f32 = 22.0;
/// Minimum width of a resized column.
const NARROWEST: f32 = 48.0;

/// The widths that the user has set; other columns have their default width.
#[derive(Clone, Debug, Default)]
pub(super) struct Widths(Vec<(LibraryColumn, f32)>);

/// Positions of the columns.
#[derive(Clone, Debug)]
pub(super) struct LibraryColumns {
    /// The shown columns, from left to right.
    pub(super) shown: Vec<PlacedColumn>,
    /// The hidden columns.
    pub(super) hidden: Vec<LibraryColumn>,
}

impl Widths {
    /// Resets a column to its default width.
    pub(super) fn reset(&mut self, column: LibraryColumn) {
        self.0.retain(|(other, _)| *other != column);
    }

    fn set(&mut self, column: LibraryColumn, width: f32) {
        self.reset(column);
        self.0.push((column, width));
    }

    fn custom_width(&self, column: LibraryColumn) -> Option<f32> {
        let drawn = self.0.iter().find(|(other, _)| *other == column);
        drawn.map(|(_, width)| *width)
    }

    fn width_of(&self, column: LibraryColumn, grouping: Grouping) -> Option<f32> {
        let made = match column {
            LibraryColumn::Status if grouping == Grouping::None => 132.0,
            LibraryColumn::Status => 132.0 + GROUPED_INDENT,
            LibraryColumn::Kind => 92.0,
            LibraryColumn::Id => ID,
            LibraryColumn::Set => 104.0,
            LibraryColumn::Tools => return None,
            LibraryColumn::Model => 120.0,
            LibraryColumn::RecordedAt => 132.0,
            LibraryColumn::Problems => 80.0,
        };
        Some(self.custom_width(column).unwrap_or(made))
    }
}

impl LibraryColumns {
    /// Lays out the columns from `left` over `width`; the tools take the remaining width.
    pub(super) fn new(left: f32, width: f32, grouping: Grouping, widths: &Widths) -> Self {
        let mut columns: Vec<LibraryColumn> = LibraryColumn::ALL.to_vec();
        if grouping == Grouping::Folder {
            columns.retain(|column| *column != LibraryColumn::Set);
        }
        let of = |column: &LibraryColumn| widths.width_of(*column, grouping);
        let rest = |columns: &[LibraryColumn]| width - columns.iter().filter_map(of).sum::<f32>();
        let mut hidden = Vec::new();
        for column in GIVE_WAY {
            let enough = match column {
                LibraryColumn::Tools => TOOLS_AT_ALL,
                _ => TOOLS_AT_LEAST,
            };
            if rest(&columns) >= enough {
                break;
            }
            if columns.contains(&column) {
                columns.retain(|other| *other != column);
                hidden.push(column);
            }
        }
        let left_over = rest(&columns).max(0.0);
        let more_id = if widths.custom_width(LibraryColumn::Id).is_some() {
            0.0
        } else if columns.contains(&LibraryColumn::Tools) {
            (left_over - TOOLS_ENOUGH).clamp(0.0, ID_AT_MOST - ID)
        } else {
            left_over
        };
        let mut at = left;
        let mut place = |column| {
            let start = at;
            at += match column {
                LibraryColumn::Tools => left_over - more_id,
                LibraryColumn::Id => of(&column).unwrap_or_default() + more_id,
                column => of(&column).unwrap_or_default(),
            };
            (column, Rangef::new(start, at))
        };
        Self {
            shown: columns.into_iter().map(&mut place).collect(),
            hidden,
        }
    }

    /// Returns the column that is resized when the border to the right of column `index` is moved: the one on the side
    /// of the border where widths are fixed.
    pub(super) fn resizable_at(&self, index: usize) -> Option<LibraryColumn> {
        let tools = self
            .shown
            .iter()
            .position(|(column, _)| *column == LibraryColumn::Tools);
        let drawn = match tools {
            Some(tools) if index >= tools => index + 1,
            _ => index,
        };
        self.shown.get(drawn).map(|(column, _)| *column)
    }

    /// Moves the border to the right of column `index` by some points.
    pub(super) fn resize(&self, index: usize, by: f32, widths: &mut Widths) {
        let width_of = |column: LibraryColumn| {
            let placed = self.shown.iter().find(|(other, _)| *other == column);
            placed.map_or(0.0, |(_, x)| x.span())
        };
        let Some(column) = self.resizable_at(index) else {
            return;
        };
        let by = if self.shown[index].0 == column {
            by
        } else {
            -by
        };
        // The id keeps its width: only the tools make room.
        widths.set(LibraryColumn::Id, width_of(LibraryColumn::Id));
        let room = (width_of(LibraryColumn::Tools) - TOOLS_AT_LEAST).max(0.0);
        let width = width_of(column);
        widths.set(column, (width + by.min(room)).max(NARROWEST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(columns: &LibraryColumns) -> String {
        let names = columns.shown.iter().map(|(column, _)| column.name());
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_model_is_hidden_first_and_the_id_never() {
        let at = |width| LibraryColumns::new(0.0, width, Grouping::None, &Widths::default());
        assert_eq!(
            names(&at(956.0)),
            "Status Kind Id Set Offered tools Model Recorded at Problems"
        );
        assert_eq!(
            names(&at(844.0)),
            "Status Kind Id Set Offered tools Recorded at Problems"
        );
        assert_eq!(
            names(&at(816.0)),
            "Status Kind Id Offered tools Recorded at Problems"
        );
        assert_eq!(names(&at(592.0)), "Status Id Recorded at Problems");
        assert_eq!(
            at(816.0).hidden,
            [LibraryColumn::Model, LibraryColumn::Set],
            "and it is known which"
        );
        let last = at(592.0).shown.last().map(|(_, x)| x.max);
        assert_eq!(last, Some(592.0), "what is left over is given to the id");
    }

    #[test]
    fn a_border_can_be_dragged_while_the_tools_have_room() {
        let mut widths = Widths::default();
        let at = |widths: &Widths| LibraryColumns::new(0.0, 1300.0, Grouping::None, widths);
        let span = |widths: &Widths, index: usize| at(widths).shown[index].1.span();
        at(&widths).resize(1, 30.0, &mut widths);
        assert_eq!(span(&widths, 1), 122.0);
        // A column to the right of the tools grows towards them.
        assert_eq!(at(&widths).resizable_at(4), Some(LibraryColumn::Model));
        at(&widths).resize(4, -20.0, &mut widths);
        assert_eq!(span(&widths, 5), 140.0);
        at(&widths).resize(1, 9999.0, &mut widths);
        assert_eq!(span(&widths, 4), TOOLS_AT_LEAST);
        at(&widths).resize(0, -9999.0, &mut widths);
        assert_eq!(span(&widths, 0), NARROWEST);
        widths.reset(LibraryColumn::Status);
        assert_eq!(span(&widths, 0), 132.0);
    }
}
