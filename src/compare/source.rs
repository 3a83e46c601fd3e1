//! Compares a machine source as recorded with its current version.

use document::diff::Side;
use document::diff::outline::Outline;
use document::diff::text::{DiffSize, TextDiff};
use document::text::{Source, Span};

/// The old (left) and the current (right) version of a source.
#[derive(Clone, Debug)]
pub struct SourceDiff {
    /// The two texts.
    pub text: TextDiff,
    /// The changes in the order of the text.
    pub changes: Vec<SourceChange>,
}

/// One changed range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceChange {
    /// Position in [`TextDiff::changes`].
    pub change: usize,
    /// The nearest heading or name: the node of the lines.
    pub heading: Option<Box<str>>,
    /// The side of the line numbers [`first`](Self::first) and [`last`](Self::last): the right, unless it has no lines
    /// there.
    pub side: Side,
    /// Number of the first line, from 1.
    pub first: u32,
    /// Number of the last line.
    pub last: u32,
    pub size: DiffSize,
    pub lines: LineKind,
}

/// Kind of changed lines, guessed from their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// Only comments or empty lines.
    Comment,
    /// At least one line with an arrow.
    Edge,
    /// Anything else.
    Other,
}

impl SourceChange {
    /// Returns its place: `Line 18`, `Lines 25 to 29`, or `Line 3 (before)` for removed lines.
    pub fn place(&self) -> String {
        place(self.side, self.first, self.last)
    }

    /// Describes its place and size: `line 18, 2 words`.
    pub fn describe(&self) -> String {
        format!("{}, {}", self.place(), self.size)
    }
}

impl SourceDiff {
    /// Compares the old text of a source with the current one.
    pub fn new(then: &Source, now: &Source) -> Self {
        let text = TextDiff::new(then, now, Outline::Machine);
        let changes = (0..text.changes.len()).map(|index| change(&text, index)).collect();
        Self { text, changes }
    }
}

fn change(text: &TextDiff, index: usize) -> SourceChange {
    let change = &text.changes[index];
    let rows = &text.rows[change.rows.clone()];
    let (side, first) = text.change_line(change);
    let last = rows.iter().rev().find_map(|row| row.number(side));
    // The first line of the change that is not blank determines the heading.
    let is_filled = |row: &usize| text.row_text(*row, side).is_some_and(|l| !l.trim().is_empty());
    let heading_row = change.rows.clone().find(is_filled).unwrap_or(change.rows.start);
    let mut lines = LineKind::Comment;
    for (row, side) in change.rows.clone().flat_map(|row| Side::BOTH.map(|side| (row, side))) {
        let line = text.row_text(row, side).unwrap_or_default().trim();
        if line.is_empty() || line.starts_with("//") || line.starts_with("/*") {
            continue;
        }
        if line.contains("->") || line.contains("=>") {
            lines = LineKind::Edge;
            break;
        }
        lines = LineKind::Other;
    }
    SourceChange {
        change: index,
        heading: text.heading(heading_row).map(Into::into),
        side,
        first,
        last: last.unwrap_or(first),
        size: change.size,
        lines,
    }
}

/// Index of changes by line on both sides.
#[derive(Clone, Debug)]
pub struct ChangedLines<'a> {
    text: &'a TextDiff,
    /// First line, last line and position in [`SourceDiff::changes`], in order.
    sides: [Vec<(u32, u32, usize)>; 2],
}

impl<'a> ChangedLines<'a> {
    /// Builds the index.
    pub fn new(diff: &'a SourceDiff) -> Self {
        let text = &diff.text;
        let sides = Side::BOTH.map(|side| {
            let lines = |(at, change): (usize, &SourceChange)| {
                let rows = &text.rows[text.changes[change.change].rows.clone()];
                let mut numbers = rows.iter().filter_map(|row| row.number(side));
                let first = numbers.next()?;
                Some((first, numbers.next_back().unwrap_or(first), at))
            };
            diff.changes.iter().enumerate().filter_map(lines).collect()
        });
        Self { text, sides }
    }

    /// Returns the changes that overlap a range of a side's text, in order.
    pub fn within(&self, side: Side, span: Span) -> impl Iterator<Item = usize> {
        let (first, last) = lines_of(self.text.source(side), span);
        let all = &self.sides[side as usize];
        let from = all.partition_point(|lines| lines.1 < first);
        all[from..].iter().take_while(move |lines| lines.0 <= last).map(|lines| lines.2)
    }
}

/// Returns the first and the last line of a range, from 1.
pub fn lines_of(text: &Source, span: Span) -> (u32, u32) {
    let number = |at: u32| text.place(at as usize).line;
    // The end is behind the range; an empty range is on the line of its start.
    (number(span.start), number(span.end.max(span.start + 1) - 1))
}

/// Formats a place by its lines: `Line 18`, `Lines 25 to 29`, or `Line 3 (before)` for removed lines.
pub fn place(side: Side, top: u32, last: u32) -> String {
    let then = match side {
        Side::Left => " (before)",
        Side::Right => "",
    };
    if top == last { format!("Line {top}{then}") } else { format!("Lines {top} to {last}{then}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_listed_by_hunk_with_their_node() {
        let then = "machine \"M\"\n\ntask a {\n    prompt: \"one\";\n}\n\na -> b;\n// note\nold -> gone;\n";
        let now = "machine \"M\"\n\ntask a {\n    prompt: \"two\";\n}\n\na -> c;\n// note\n\ntask d {\n}\n";
        let diff = SourceDiff::new(&Source::new(then), &Source::new(now));
        let lines: Vec<String> = diff
            .changes
            .iter()
            .map(|change| format!("{:?} {}: {:?}", change.heading, change.describe(), change.lines))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        Some("a") Line 4, 1 word: Other
        None Line 7, 1 word: Edge
        Some("d") Lines 9 to 11, 1 line replaced and 2 lines added: Edge
        "#);
    }
}
