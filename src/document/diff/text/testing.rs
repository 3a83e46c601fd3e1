//! A comparison of texts as text, for tests.

use super::{DiffRow, TextDiff};
use crate::diff::Side;
use crate::diff::fold::{OpenFolds, VisibleDiffLine};

/// Returns the diff as text: both sides with their marks, folds closed.
pub fn render(diff: &TextDiff) -> String {
    let side = |row: &DiffRow, side| {
        let number = row.number(side)?;
        let mut text = diff.line(side, number).to_owned();
        for mark in row.marks(side).iter().rev() {
            text.insert(mark.end as usize, ']');
            text.insert(mark.start as usize, '[');
        }
        Some(format!("{number:>2} {text}"))
    };
    let mut output = String::new();
    for visible_line in diff.visible_lines(&OpenFolds::default()) {
        let line = match visible_line {
            VisibleDiffLine::Fold(fold) => format!("  … {}", diff.folds[fold].describe()),
            VisibleDiffLine::Row(row) => {
                let row = &diff.rows[row];
                let sign = match row {
                    DiffRow::Same { .. } => '=',
                    DiffRow::Changed { .. } => '~',
                    DiffRow::Replaced { .. } => '!',
                    DiffRow::Left(_) => '-',
                    DiffRow::Right(_) => '+',
                };
                let [l, r] = Side::BOTH.map(|s| side(row, s).unwrap_or_else(|| "//".into()));
                format!("{sign} {l:<44}| {r}")
            }
        };
        output.push_str(line.trim_end());
        output.push('\n');
    }
    output.extend(diff.notes.iter().map(|note| format!("{note}\n")));
    output
}
