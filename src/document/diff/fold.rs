//! The lines of the side-by-side and unified views, with some folds of equal lines open.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Side;
use super::text::{DiffRow, Fold, TextDiff};

/// Number of lines searched backwards for a heading.
// Bounds the time for one row of a long text that has no headings.
const MAX_LOOK_BACK_LINES: usize = 2_000;

/// The open folds, by position in [`TextDiff::folds`].
pub type OpenFolds = BTreeSet<usize>;

/// A line of the side-by-side view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleDiffLine {
    /// A row, by position in [`TextDiff::rows`].
    Row(usize),
    /// A closed fold, by position in [`TextDiff::folds`].
    Fold(usize),
}

/// A line of the unified view: in a change, first all removed lines, then all added ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unified {
    /// An equal row.
    Same(usize),
    /// One side of a row.
    One(usize, Side),
    /// A closed fold.
    Fold(usize),
}

impl TextDiff {
    /// Returns the lines of the side-by-side view with these folds open.
    pub fn visible_lines(&self, open_folds: &OpenFolds) -> Vec<VisibleDiffLine> {
        // Folds hide most rows of a long text, so slots for all rows would mostly stay empty.
        let mut lines = Vec::with_capacity(self.rows.len().min(4_096));
        let mut at = 0;
        for (index, fold) in self.closed(open_folds) {
            lines.extend((at..fold.rows.start).map(VisibleDiffLine::Row));
            lines.push(VisibleDiffLine::Fold(index));
            at = fold.rows.end;
        }
        lines.extend((at..self.rows.len()).map(VisibleDiffLine::Row));
        lines
    }

    /// Returns the lines of the unified view with these folds open.
    pub fn unified(&self, open_folds: &OpenFolds) -> impl Iterator<Item = Unified> {
        let mut folds = self.closed(open_folds).peekable();
        let mut at = 0;
        let stretches = std::iter::from_fn(move || {
            let start = at;
            let row = self.rows.get(start)?;
            if let Some((index, fold)) = folds.next_if(|(_, fold)| fold.rows.start == start) {
                at = fold.rows.end;
                return Some(FoldStretch::Fold(index));
            }
            at = match self.change_at(start) {
                Some(change) => self.changes[change].rows.end,
                None => start + 1,
            };
            Some(if row.is_same() {
                FoldStretch::Same(start)
            } else {
                FoldStretch::Change(start..at)
            })
        });
        stretches.flat_map(move |stretch| {
            let (same, change) = match stretch {
                FoldStretch::Fold(index) => (Some(Unified::Fold(index)), 0..0),
                FoldStretch::Same(row) => (Some(Unified::Same(row)), 0..0),
                FoldStretch::Change(rows) => (None, rows),
            };
            let sides = Side::BOTH.into_iter().flat_map(move |side| {
                let rows = change.clone().zip(&self.rows[change.clone()]);
                rows.filter(move |(_, row)| row.number(side).is_some())
                    .map(move |(at, _)| Unified::One(at, side))
            });
            same.into_iter().chain(sides)
        })
    }

    /// Returns the heading of a row: the nearest line above it that is a heading and contains this row. A heading
    /// belongs to itself.
    pub fn heading(&self, row: usize) -> Option<&str> {
        let side = match self.rows.get(row)? {
            DiffRow::Left(_) => Side::Left,
            _ => Side::Right,
        };
        let row_text = self.row_text(row, side)?;
        if let Some(name) = self.outline.heading(row_text) {
            return Some(name);
        }
        let mut depth = indentation(row_text);
        if row_text.trim().is_empty() {
            // A blank line has no indentation of its own: whatever is above it may contain it.
            depth = usize::MAX;
        }
        let number = self.rows[row].number(side)?;
        for earlier_line in (1..number).rev().take(MAX_LOOK_BACK_LINES) {
            let line = self.line(side, earlier_line);
            if self.outline.nests() {
                if line.trim().is_empty() || indentation(line) >= depth {
                    continue;
                }
                depth = indentation(line);
            }
            if let Some(name) = self.outline.heading(line) {
                return Some(name);
            }
        }
        None
    }

    fn closed(&self, open_folds: &OpenFolds) -> impl Iterator<Item = (usize, &Fold)> {
        self.folds.iter().enumerate().filter(|(index, _)| !open_folds.contains(index))
    }
}

enum FoldStretch {
    Same(usize),
    Change(Range<usize>),
    Fold(usize),
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::outline::Outline;
    use crate::diff::text::tests::diff;
    use proptest::prelude::*;

    fn numbered(lines: u32, change: &[u32]) -> String {
        (1..=lines)
            .map(|number| {
                if change.contains(&number) {
                    format!("changed line {number}\n")
                } else {
                    format!("line {number}\n")
                }
            })
            .collect()
    }

    #[test]
    fn a_fold_opens_by_itself_and_the_others_stay_closed() {
        let diff = diff(&numbered(30, &[]), &numbered(30, &[10, 20]), Outline::Plain);
        let ranges: Vec<_> = diff.folds.iter().map(|fold| fold.rows.clone()).collect();
        assert_eq!(ranges, [0..6, 13..16, 23..30]);
        assert_eq!(diff.visible_lines(&OpenFolds::default()).len(), 30 - 6 - 3 - 7 + 3);
        let lines = diff.visible_lines(&OpenFolds::from([1]));
        assert_eq!(lines.len(), 30 - 6 - 7 + 2);
        assert_eq!(lines[0], VisibleDiffLine::Fold(0));
    }

    #[test]
    fn unified_shows_what_left_before_what_came() {
        let diff = diff("a\nold one\nold two\nz\n", "a\nnew one\nnew two\nz\n", Outline::Plain);
        let lines: Vec<Unified> = diff.unified(&OpenFolds::default()).collect();
        assert_eq!(
            lines,
            [
                Unified::Same(0),
                Unified::One(1, Side::Left),
                Unified::One(2, Side::Left),
                Unified::One(1, Side::Right),
                Unified::One(2, Side::Right),
                Unified::Same(3),
            ]
        );
    }

    #[test]
    fn a_row_belongs_to_the_heading_above_it() {
        let machine = "machine \"M\"\ntask a {\n  prompt: \"x\";\n}\na -> b;\n";
        let machine = diff(machine, machine, Outline::Machine);
        let headings: Vec<_> = (0..5).map(|row| machine.heading(row)).collect();
        assert_eq!(headings, [Some("machine"), Some("a"), Some("a"), None, None]);
        let prompt = diff("", "# Role\nYou are.\n\n# Objective\nDecide.\n", Outline::Markdown);
        assert_eq!((prompt.heading(1), prompt.heading(4)), (Some("Role"), Some("Objective")));
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn with_every_fold_open_every_row_is_shown(left in "([ab]\n){0,30}", right in "([ab]\n){0,30}") {
            let diff = diff(&left, &right, Outline::Plain);
            let open_folds: OpenFolds = (0..diff.folds.len()).collect();
            let all_lines: Vec<VisibleDiffLine> = (0..diff.rows.len()).map(VisibleDiffLine::Row).collect();
            prop_assert_eq!(diff.visible_lines(&open_folds), all_lines);
            let lines = diff.rows.iter().map(|row| if row.is_same() { 1 } else { Side::BOTH.iter().filter(|side| row.number(**side).is_some()).count() });
            prop_assert_eq!(diff.unified(&open_folds).count(), lines.sum::<usize>());
        }
    }
}
