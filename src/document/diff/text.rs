//! Compares two texts: aligns lines, and marks different words.

mod alignment;
mod row;
mod size;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
pub(super) mod tests;

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::outline::Outline;
use super::pairing::{CompareBudget, LinePair, pair};
use super::{Side, word_diff};
use crate::text::{Source, Span, counted};

pub(super) use alignment::align_lines;
pub use alignment::stayed;
pub use row::{DiffLine, DiffRow};
pub use size::{DiffNote, DiffSize};

/// Time limit of the search for the shortest alignment, after which a coarser one is used.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// Number of context lines before and after a change.
// git shows as many.
const CONTEXT_LINES: usize = 3;

/// Minimum number of lines in a fold.
// A fold is a line itself: hiding one or two lines would gain nothing.
const MIN_FOLD_LINES: usize = 3;

/// Maximum number of names in a fold's description.
const MAX_FOLD_NAMES: usize = 4;

/// Two aligned texts. Never fails, and takes linear time for any texts.
///
/// Lines with different line endings are equal; a [`DiffNote`] reports the difference.
#[derive(Clone, Debug)]
pub struct TextDiff {
    left: Source,
    right: Source,
    /// The kind of headings.
    pub(super) outline: Outline,
    /// Every line of both texts, in order, equal stretches included.
    pub rows: Vec<DiffRow>,
    /// The changed ranges in order.
    pub changes: Vec<DiffHunk>,
    /// The equal ranges that can be hidden, in order.
    pub folds: Vec<Fold>,
    /// Differences besides lines.
    pub notes: Vec<DiffNote>,
    /// Whether the search was cut off.
    pub precision: Precision,
}

/// Whether the search for an alignment was completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// It was.
    Full,
    /// The texts were too large and too different: more than necessary may be marked as changed.
    Coarse,
}

/// A range of changed rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffHunk {
    /// Positions in [`TextDiff::rows`].
    pub rows: Range<usize>,
    /// Size of the change.
    pub size: DiffSize,
}

/// A range of equal rows that is shown as one line until it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Positions in [`TextDiff::rows`].
    pub rows: Range<usize>,
    /// Names in the hidden lines: headings, nodes, keys. A few at most.
    pub names: Vec<Box<str>>,
}

impl Fold {
    /// Returns the text of its line: `14 unchanged lines: Ticket, Customer`.
    pub fn describe(&self) -> String {
        let mut words = counted(self.rows.len(), "unchanged line", "unchanged lines");
        if !self.names.is_empty() {
            words.push_str(": ");
            words.push_str(&self.names.join(", "));
        }
        words
    }
}

impl TextDiff {
    /// Compares two texts.
    pub fn new(left: &Source, right: &Source, outline: Outline) -> Self {
        let [l, r] = [left, right].map(lines);
        let start = Instant::now();
        let deadline = start + TIME_LIMIT;
        let ops = align_lines(&l, &r, &|left, right| {
            // Histogram aligns rare lines first, so that blocks stay whole; after the deadline, the rest is aligned coarsely.
            capture_diff_slices_deadline(Algorithm::Histogram, left, right, Some(deadline))
        });
        let precision = if Instant::now() < deadline { Precision::Full } else { Precision::Coarse };
        let mut budget = CompareBudget::new();
        let mut rows = Vec::with_capacity(l.len().max(r.len()));
        for op in ops {
            let (tag, old, new) = op.as_tag_tuple();
            let at = (old.start, new.start);
            match tag {
                DiffTag::Equal => {
                    rows.extend(
                        std::iter::zip(old, new)
                            .map(|(i, j)| DiffRow::Same { left: number(i), right: number(j) }),
                    );
                }
                DiffTag::Delete => rows.extend(old.map(|i| DiffRow::Left(number(i)))),
                DiffTag::Insert => rows.extend(new.map(|j| DiffRow::Right(number(j)))),
                DiffTag::Replace => {
                    let (l, r) = (&l[old], &r[new]);
                    let pairs = pair(l, r, &mut budget);
                    rows.extend(pairs.into_iter().map(|pair| row(pair, l, r, at, &mut budget)));
                }
            }
        }
        let mut diff = Self {
            left: left.clone(),
            right: right.clone(),
            outline,
            rows,
            changes: Vec::new(),
            folds: Vec::new(),
            notes: Vec::new(),
            precision,
        };
        diff.changes = diff.find_changes();
        diff.folds = diff.find_folds();
        diff.notes = diff.find_notes();
        diff
    }

    /// Returns the text of a side.
    pub fn source(&self, side: Side) -> &Source {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Returns the text of line `number` (from 1), without its line end.
    pub fn line(&self, side: Side, number: u32) -> &str {
        self.source(side).line(number.saturating_sub(1) as usize)
    }

    /// Returns the text of a row on a side; `None` if that side has no line.
    pub fn row_text(&self, row: usize, side: Side) -> Option<&str> {
        Some(self.line(side, self.rows.get(row)?.number(side)?))
    }

    /// Returns whether no line differs; the [`notes`](Self::notes) may still report line endings.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the total size of all changes.
    pub fn size(&self) -> DiffSize {
        self.changes.iter().fold(DiffSize::default(), |sum, change| sum.and(change.size))
    }

    /// Returns the change that contains a row.
    pub fn change_at(&self, row: usize) -> Option<usize> {
        let count = self.changes.partition_point(|change| change.rows.start <= row);
        let index = count.checked_sub(1)?;
        self.changes[index].rows.contains(&row).then_some(index)
    }

    /// Returns the first line of a change: its number on the right, or on the left if the right has no lines.
    pub fn change_line(&self, change: &DiffHunk) -> (Side, u32) {
        let first = |side| {
            self.rows[change.rows.clone()].iter().find_map(|row| Some((side, row.number(side)?)))
        };
        first(Side::Right).or_else(|| first(Side::Left)).unwrap_or((Side::Right, 0))
    }

    fn find_changes(&self) -> Vec<DiffHunk> {
        let mut changes = Vec::new();
        let mut at = 0;
        for stretch in self.rows.chunk_by(|a, b| a.is_same() == b.is_same()) {
            let rows = at..at + stretch.len();
            at = rows.end;
            if !stretch[0].is_same() {
                let size = stretch
                    .iter()
                    .fold(DiffSize::default(), |sum, row| sum.and(self.row_size(row)));
                changes.push(DiffHunk { rows, size });
            }
        }
        changes
    }

    /// Returns the size of the change of one row.
    pub fn row_size(&self, row: &DiffRow) -> DiffSize {
        let mut size = DiffSize::default();
        match row {
            DiffRow::Same { .. } => {}
            DiffRow::Changed { left, right } => {
                let [a, b] = [(Side::Left, left), (Side::Right, right)].map(|(side, line)| {
                    word_diff::count(self.line(side, line.number), &line.marks)
                });
                size.words = a.max(b);
                size.wordless = usize::from(size.words == 0);
            }
            DiffRow::Replaced { .. } => size.replaced = 1,
            DiffRow::Left(_) => size.removed = 1,
            DiffRow::Right(_) => size.added = 1,
        }
        size
    }

    /// Finds the folds: equal lines except the context of changes.
    fn find_folds(&self) -> Vec<Fold> {
        let mut folds = Vec::new();
        let mut fold = |from: usize, to: usize| {
            // At the ends of the text there is a change on one side only that needs context.
            let start = if from == 0 { 0 } else { from + CONTEXT_LINES };
            let end = if to == self.rows.len() { to } else { to.saturating_sub(CONTEXT_LINES) };
            if end >= start + MIN_FOLD_LINES {
                folds.push(Fold { rows: start..end, names: self.fold_names(start..end) });
            }
        };
        let mut at = 0;
        for change in &self.changes {
            fold(at, change.rows.start);
            at = change.rows.end;
        }
        fold(at, self.rows.len());
        folds
    }

    /// Returns the names in the lines of a fold.
    fn fold_names(&self, rows: Range<usize>) -> Vec<Box<str>> {
        if self.outline == Outline::Plain {
            return Vec::new();
        }
        let mut names: Vec<Box<str>> = Vec::new();
        for row in rows {
            // The rows of a fold are equal on both sides, so either side will do.
            let text = self.row_text(row, Side::Right).unwrap_or_default();
            let name = self.outline.heading(text);
            let Some(name) = name.filter(|name| !names.iter().any(|n| **n == **name)) else {
                continue;
            };
            if names.len() == MAX_FOLD_NAMES {
                names.push("…".into());
                break;
            }
            names.push(name.into());
        }
        names
    }

    fn find_notes(&self) -> Vec<DiffNote> {
        let (left, right) = (&self.left, &self.right);
        let mut notes = Vec::new();
        let only_side = |is_left: bool, is_right: bool| match (is_left, is_right) {
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            _ => None,
        };
        notes.extend(only_side(left.has_bom(), right.has_bom()).map(DiffNote::ByteOrderMark));
        let some_line_ends_differ = self.rows.iter().any(|row| match row {
            DiffRow::Same { left: l, right: r } => {
                let (l, r) = (line_end(left, *l), line_end(right, *r));
                // A line end that is missing at the end of the text has a note of its own.
                l != r && !l.is_empty() && !r.is_empty()
            }
            _ => false,
        });
        if some_line_ends_differ {
            notes.push(DiffNote::LineEnds { left: left.line_ends(), right: right.line_ends() });
        }
        let has_line_end = |source: &Source| source.text().ends_with(['\n', '\r']);
        // An empty text has no last line that could lack its end.
        let both_have_text =
            left.text().len() > left.content_start() && right.text().len() > right.content_start();
        let last = only_side(has_line_end(left), has_line_end(right)).filter(|_| both_have_text);
        notes.extend(last.map(DiffNote::FinalLineEnd));
        notes
    }
}

/// Returns how many lines are added or removed. Line ends count. git may count some more or less where texts differ much.
pub fn count_changed(left: &str, right: &str) -> usize {
    // A review counts every pair of files, and shows the result as an estimate.
    const COUNT_LIMIT: Duration = Duration::from_millis(200);
    let [left, right] = [left, right].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    // Myers finds the fewest changed lines; a count does not need blocks that stay whole.
    let deadline = Some(Instant::now() + COUNT_LIMIT);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &left, &right, deadline);
    let changes = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    changes.map(|op| op.old_range().len() + op.new_range().len()).sum()
}

/// Returns the lines of a text, without the empty one after the last line end.
fn lines(source: &Source) -> Vec<&str> {
    let mut count = source.line_count();
    if count > 0 && source.line(count - 1).is_empty() {
        count -= 1;
    }
    (0..count).map(|index| source.line(index)).collect()
}

/// Returns the line end of line `number`.
fn line_end(source: &Source, number: u32) -> &str {
    let index = number.saturating_sub(1) as usize;
    let end = source.line_span(index).end;
    let next = if index + 1 < source.line_count() {
        source.line_span(index + 1).start
    } else {
        u32::try_from(source.text().len()).unwrap_or(u32::MAX)
    };
    source.slice(Span::new(end as usize, next as usize))
}

fn row(
    pair: LinePair,
    l: &[&str],
    r: &[&str],
    at: (usize, usize),
    budget: &mut CompareBudget,
) -> DiffRow {
    let (left, right) = (|i| number(at.0 + i), |j| number(at.1 + j));
    match pair {
        LinePair::Left(i) => DiffRow::Left(left(i)),
        LinePair::Right(j) => DiffRow::Right(right(j)),
        LinePair::Beside(i, j) => DiffRow::Replaced { left: left(i), right: right(j) },
        // Without budget the words are not compared, and nothing can be marked.
        LinePair::Alike(i, j) if !budget.spend(l[i].len() + r[j].len()) => {
            DiffRow::Replaced { left: left(i), right: right(j) }
        }
        LinePair::Alike(i, j) => {
            let (a, b) = word_diff::marks(l[i], r[j]);
            DiffRow::Changed {
                left: DiffLine { number: left(i), marks: a },
                right: DiffLine { number: right(j), marks: b },
            }
        }
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}
