//! Paints the table of differences.

use egui::Ui;

use super::data::{DifferenceRow, difference_row};
use super::lanes_ui::sign_style;
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps};
use crate::text::thousands;
use crate::ui::tapes::tapes_ui::TapeProps;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{
    self, Column, Columns, Line, List, PlacedColumns, Row, RowShape, RowSlot, StyledText,
};
use crate::workbench::{Action, CompareAction, TapesAction};

/// The numbers, the difference and, if there is room, the text.
const COLUMNS: [&str; 5] = ["At, s", "Chunk", "Other", "Difference", "Text"];

/// Draws the table. A click selects a difference.
pub(super) fn differences_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    takes: &ComparedTake,
    differing: &DifferingSteps,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let count = differing.steps().len();
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let (title, muted) = (theme::semibold(theme::BODY), theme::regular(theme::ROW));
        StyledText::new()
            .with("Differences", title, colors.text_strong)
            .after(theme::GAP, &thousands(count), muted, colors.muted)
            .show(ui);
    });
    widgets::hair_line(ui);
    if count == 0 {
        widgets::empty_state(ui, "The tapes are equal within this tolerance.", None);
        return;
    }
    let columns = place_columns(ui);
    columns.heading(ui, None);
    let pace = props.desk.transport.pace;
    List::new("Differing chunks", &RowShape::ONE_LINE, count)
        .of(props.doc)
        .selection(Some(props.desk.comparison.at), Some)
        .show(ui, |slot| {
            let index = slot.index;
            let row = difference_row(props.tape, takes, differing, index, pace);
            let is_here = index == props.desk.comparison.at;
            if row.is_some_and(|row| row_ui(slot, &row, &columns, is_here)) {
                let show = CompareAction::Show(index);
                actions.push(Action::from(TapesAction::Compare(show)));
            }
        });
}

fn place_columns(ui: &Ui) -> PlacedColumns<'static, &'static str> {
    let [at, ours, theirs, what, text] = COLUMNS.map(|name| (name, name));
    let number = |(key, name), width, gap| Column::new(key, name, width).gap(gap).at_right();
    let columns = [
        number(at, 72.0, 0.0),
        number(ours, 60.0, 0.0),
        number(theirs, 76.0, 16.0),
        Column::new(what.0, what.1, 192.0),
        Column::rest(text.0, text.1, 0.0),
    ];
    Columns::new("steps", &columns)
        .below_line()
        .hide(&[(text.0, 40.0)])
        .grow(what.0, 0.0, 192.0)
        .place(ui, ui.max_rect().left(), ui.available_width())
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    row: &DifferenceRow,
    columns: &PlacedColumns<'_, &str>,
    is_here: bool,
) -> bool {
    let colors = tokens(slot.ui);
    let [ours, theirs] = &row.chunks;
    let name =
        format!("At {} s, chunk {ours} against {theirs}, {}: {}", row.at, row.summary, row.text);
    let mono = |text: &str| StyledText::new().with(text, theme::mono(theme::LABEL), colors.text);
    let number = |text: &str| Line::from(StyledText::new()).right(mono(text));
    let (icon, color) = sign_style(row.sign, colors);
    let summary = Line::new(&row.summary, theme::regular(theme::LABEL), colors.text_strong);
    let cells = [
        number(&row.at),
        number(ours),
        number(theirs),
        summary.icon(icon, color),
        mono(&row.text).into(),
    ];
    let row = Row::new(name).selected(is_here).tip(&*row.text);
    let cells = columns.cells().zip(cells);
    let row = cells.fold(row, |row, ((_, x), line)| row.cell(x).line(line));
    slot.show(row).clicked()
}
