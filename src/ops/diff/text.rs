//! Two texts side by side: which line became which, and which words of it differ.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::fold::Fold;
use super::outline::Outline;
use super::pairing::{Budget, Pair, pair};
use super::{Side, counted, fold, listed, words};
use crate::text::{LineEnds, Source, Span};

/// How long the alignment of lines may search for the shortest answer before it takes a coarser one.
const PATIENCE: Duration = Duration::from_secs(2);

/// Two texts, line beside line. Never fails, and takes time in proportion to the texts, whatever they hold.
///
/// Line ends do not make lines differ: where they do, and nothing else shows it, a [`Note`] says so.
#[derive(Clone, Debug)]
pub struct TextDiff {
    left: Source,
    right: Source,
    outline: Outline,
    /// Every line of both texts, in order, equal stretches included.
    pub rows: Vec<Row>,
    /// The stretches that differ, in order.
    pub changes: Vec<Change>,
    /// The equal stretches that can be hidden, in order.
    pub folds: Vec<Fold>,
    /// What differs beyond the lines.
    pub notes: Vec<Note>,
    /// Whether the search for the shortest answer was cut off.
    pub precision: Precision,
}

/// Whether the alignment is the one that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// It is.
    Full,
    /// The texts were too large and too different: more may be marked as changed than had to be.
    Coarse,
}

/// One line across both sides. Lines are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// The same on both sides, but perhaps for the line's end.
    Same {
        /// The line's number in the left text.
        left: u32,
        /// The line's number in the right text.
        right: u32,
    },
    /// One line that was changed; the marks say where.
    Changed {
        /// As it is on the left.
        left: Line,
        /// As it is on the right.
        right: Line,
    },
    /// Two lines with little in common, in one place: nothing is marked because all of it differs.
    Replaced {
        /// The number of the left line.
        left: u32,
        /// The number of the right line.
        right: u32,
    },
    /// A line of the left text only.
    Left(u32),
    /// A line of the right text only.
    Right(u32),
}

/// A changed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// The words that differ, as bytes within the line, in order, none empty.
    pub marks: Box<[Span]>,
}

impl Row {
    /// The number of the line on a side, from 1; `None` where that side has nothing.
    pub fn number(&self, side: Side) -> Option<u32> {
        match (self, side) {
            (
                Self::Same { left, .. } | Self::Replaced { left, .. } | Self::Left(left),
                Side::Left,
            ) => Some(*left),
            (
                Self::Same { right, .. } | Self::Replaced { right, .. } | Self::Right(right),
                Side::Right,
            ) => Some(*right),
            (Self::Changed { left, .. }, Side::Left) => Some(left.number),
            (Self::Changed { right, .. }, Side::Right) => Some(right.number),
            (Self::Left(_), Side::Right) | (Self::Right(_), Side::Left) => None,
        }
    }

    /// The words that differ on a side, as bytes within its line.
    pub fn marks(&self, side: Side) -> &[Span] {
        match (self, side) {
            (Self::Changed { left, .. }, Side::Left) => &left.marks,
            (Self::Changed { right, .. }, Side::Right) => &right.marks,
            _ => &[],
        }
    }

    /// True for a line that is the same on both sides.
    pub fn is_same(&self) -> bool {
        matches!(self, Self::Same { .. })
    }
}

/// A stretch of rows that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Positions in [`TextDiff::rows`].
    pub rows: Range<usize>,
    /// How much it changes.
    pub size: Size,
}

/// How much differs. Its text reads `2 words`, `1 word and 3 lines added`, `white space`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Words within changed lines, on the side that has more of them.
    pub words: usize,
    /// Changed lines in which no word differs, only signs or white space.
    pub wordless: usize,
    /// Lines that became quite other lines.
    pub replaced: usize,
    /// Lines only the right has.
    pub added: usize,
    /// Lines only the left has.
    pub removed: usize,
}

impl Size {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            wordless: self.wordless + other.wordless,
            replaced: self.replaced + other.replaced,
            added: self.added + other.added,
            removed: self.removed + other.removed,
        }
    }

    /// True when nothing differs.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        let mut part = |count: usize, what: &str| {
            if count > 0 {
                parts.push(counted(count, "line", "lines") + what);
            }
        };
        part(self.replaced, " replaced");
        part(self.added, " added");
        part(self.removed, " removed");
        if self.words > 0 {
            parts.insert(0, counted(self.words, "word", "words"));
        } else if self.wordless > 0 {
            parts.insert(0, "signs or white space".to_owned());
        }
        f.write_str(&listed(&parts))
    }
}

/// What differs between two texts though no line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The lines end in different ways.
    LineEnds {
        /// How the left text's lines end.
        left: LineEnds,
        /// How the right text's lines end.
        right: LineEnds,
    },
    /// Only this side's last line has a line end.
    FinalLineEnd(Side),
    /// Only this side begins with a byte order mark.
    ByteOrderMark(Side),
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |ends| match ends {
            LineEnds::None => "no line end",
            LineEnds::Lf => "LF",
            LineEnds::CrLf => "CRLF",
            LineEnds::Mixed => "line ends of more than one kind",
        };
        match self {
            Self::LineEnds { left, right } if left == right => {
                write!(
                    f,
                    "Lines end differently: both sides have line ends of more than one kind."
                )
            }
            Self::LineEnds { left, right } => {
                write!(
                    f,
                    "Lines end differently: {} left, {} right.",
                    name(*left),
                    name(*right)
                )
            }
            Self::FinalLineEnd(side) => {
                write!(f, "Only the {} ends with a line end.", side.as_str())
            }
            Self::ByteOrderMark(side) => {
                write!(
                    f,
                    "Only the {} begins with a byte order mark.",
                    side.as_str()
                )
            }
        }
    }
}

impl TextDiff {
    /// Compares two texts.
    pub fn new(left: &Source, right: &Source, outline: Outline) -> Self {
        let [l, r] = [left, right].map(lines);
        let start = Instant::now();
        let deadline = start + PATIENCE;
        let ops = capture_diff_slices_deadline(Algorithm::Histogram, &l, &r, Some(deadline));
        let precision = match Instant::now() < deadline {
            true => Precision::Full,
            false => Precision::Coarse,
        };
        let mut budget = Budget::new();
        let mut rows = Vec::with_capacity(l.len().max(r.len()));
        for op in ops {
            let (tag, old, new) = op.as_tag_tuple();
            let at = (old.start, new.start);
            match tag {
                DiffTag::Equal => rows.extend(std::iter::zip(old, new).map(|(i, j)| Row::Same {
                    left: number(i),
                    right: number(j),
                })),
                DiffTag::Delete => rows.extend(old.map(|i| Row::Left(number(i)))),
                DiffTag::Insert => rows.extend(new.map(|j| Row::Right(number(j)))),
                DiffTag::Replace => {
                    let (l, r) = (&l[old], &r[new]);
                    let pairs = pair(l, r, &mut budget);
                    rows.extend(
                        pairs
                            .into_iter()
                            .map(|pair| row(pair, l, r, at, &mut budget)),
                    );
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
        diff.folds = fold::find(&diff);
        diff.notes = diff.find_notes();
        diff
    }

    /// The text of a side.
    pub fn source(&self, side: Side) -> &Source {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// How the texts are laid out.
    pub fn outline(&self) -> Outline {
        self.outline
    }

    /// The text of line `number` (from 1), without its line end.
    pub fn line(&self, side: Side, number: u32) -> &str {
        self.source(side).line(number.saturating_sub(1) as usize)
    }

    /// The text of a row on a side; `None` where that side has nothing.
    pub fn row_text(&self, row: usize, side: Side) -> Option<&str> {
        let number = self.rows.get(row)?.number(side)?;
        Some(self.line(side, number))
    }

    /// True when no line differs; the [`notes`](Self::notes) may still tell of line ends.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
    }

    /// How much differs in all.
    pub fn size(&self) -> Size {
        self.changes
            .iter()
            .fold(Size::default(), |sum, change| sum.and(change.size))
    }

    /// Which change a row belongs to.
    pub fn change_at(&self, row: usize) -> Option<usize> {
        let after = self
            .changes
            .partition_point(|change| change.rows.start <= row);
        let index = after.checked_sub(1)?;
        self.changes[index].rows.contains(&row).then_some(index)
    }

    /// The first line of a change for people: its number on the right, or on the left where the right has nothing.
    pub fn change_line(&self, change: &Change) -> (Side, u32) {
        let first = |side| {
            self.rows[change.rows.clone()]
                .iter()
                .find_map(|row| Some((side, row.number(side)?)))
        };
        first(Side::Right)
            .or_else(|| first(Side::Left))
            .unwrap_or((Side::Right, 0))
    }

    fn find_changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut at = 0;
        for stretch in self.rows.chunk_by(|a, b| a.is_same() == b.is_same()) {
            let rows = at..at + stretch.len();
            at = rows.end;
            if !stretch[0].is_same() {
                let size = stretch
                    .iter()
                    .fold(Size::default(), |sum, row| sum.and(self.row_size(row)));
                changes.push(Change { rows, size });
            }
        }
        changes
    }

    /// How much one row changes.
    pub(super) fn row_size(&self, row: &Row) -> Size {
        let mut size = Size::default();
        match row {
            Row::Same { .. } => {}
            Row::Changed { left, right } => {
                let [a, b] = [(Side::Left, left), (Side::Right, right)]
                    .map(|(side, line)| words::count(self.line(side, line.number), &line.marks));
                size.words = a.max(b);
                size.wordless = usize::from(size.words == 0);
            }
            Row::Replaced { .. } => size.replaced = 1,
            Row::Left(_) => size.removed = 1,
            Row::Right(_) => size.added = 1,
        }
        size
    }

    fn find_notes(&self) -> Vec<Note> {
        let (left, right) = (&self.left, &self.right);
        let mut notes = Vec::new();
        let only = |l: bool, r: bool| match (l, r) {
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            _ => None,
        };
        let bom = only(left.has_bom(), right.has_bom());
        notes.extend(bom.map(Note::ByteOrderMark));
        let some_line_ends_differ = self.rows.iter().any(|row| match row {
            Row::Same { left: l, right: r } => {
                let (l, r) = (line_end(left, *l), line_end(right, *r));
                l != r && !l.is_empty() && !r.is_empty()
            }
            _ => false,
        });
        if some_line_ends_differ {
            notes.push(Note::LineEnds {
                left: left.line_ends(),
                right: right.line_ends(),
            });
        }
        let ended = |source: &Source| source.text().ends_with(['\n', '\r']);
        let both_have_text =
            left.text().len() > left.content_start() && right.text().len() > right.content_start();
        let last = only(ended(left), ended(right)).filter(|_| both_have_text);
        notes.extend(last.map(Note::FinalLineEnd));
        notes
    }
}

/// The lines of a text; the empty one after a last line end, which editors show, is none.
fn lines(source: &Source) -> Vec<&str> {
    let mut count = source.line_count();
    if count > 0 && source.line(count - 1).is_empty() {
        count -= 1;
    }
    (0..count).map(|index| source.line(index)).collect()
}

/// What line `number` ends with.
fn line_end(source: &Source, number: u32) -> &str {
    let index = number.saturating_sub(1) as usize;
    let end = source.line_span(index).end;
    let next = match index + 1 < source.line_count() {
        true => source.line_span(index + 1).start,
        false => u32::try_from(source.text().len()).unwrap_or(u32::MAX),
    };
    source.slice(Span::new(end as usize, next as usize))
}

fn row(pair: Pair, l: &[&str], r: &[&str], at: (usize, usize), budget: &mut Budget) -> Row {
    let (left, right) = (|i| number(at.0 + i), |j| number(at.1 + j));
    match pair {
        Pair::Left(i) => Row::Left(left(i)),
        Pair::Right(j) => Row::Right(right(j)),
        Pair::Beside(i, j) => Row::Replaced {
            left: left(i),
            right: right(j),
        },
        Pair::Alike(i, j) if !budget.spend(l[i].len() + r[j].len()) => Row::Replaced {
            left: left(i),
            right: right(j),
        },
        Pair::Alike(i, j) => {
            let (a, b) = words::marks(l[i], r[j]);
            Row::Changed {
                left: Line {
                    number: left(i),
                    marks: a,
                },
                right: Line {
                    number: right(j),
                    marks: b,
                },
            }
        }
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ops::diff::fold::{Opened, Shown};
    use proptest::prelude::*;

    pub(crate) fn diff(left: &str, right: &str, outline: Outline) -> TextDiff {
        TextDiff::new(&Source::new(left), &Source::new(right), outline)
    }

    /// The diff as text: both sides with their marks, folds closed.
    pub(crate) fn render(diff: &TextDiff) -> String {
        let side = |row: &Row, side| {
            let number = row.number(side)?;
            let mut text = diff.line(side, number).to_owned();
            for mark in row.marks(side).iter().rev() {
                text.insert(mark.end as usize, ']');
                text.insert(mark.start as usize, '[');
            }
            Some(format!("{number:>2} {text}"))
        };
        let mut out = String::new();
        for shown in diff.shown(&Opened::default()) {
            let line = match shown {
                Shown::Fold(fold) => format!("  … {}", diff.folds[fold].words()),
                Shown::Row(row) => {
                    let row = &diff.rows[row];
                    let sign = match row {
                        Row::Same { .. } => '=',
                        Row::Changed { .. } => '~',
                        Row::Replaced { .. } => '!',
                        Row::Left(_) => '-',
                        Row::Right(_) => '+',
                    };
                    let [l, r] = Side::BOTH.map(|s| side(row, s).unwrap_or_else(|| "//".into()));
                    format!("{sign} {l:<44}| {r}")
                }
            };
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.extend(diff.notes.iter().map(|note| format!("{note}\n")));
        out
    }

    const THEN: &str = "machine \"Ticket triage\"\n\ncontext Ticket {\n    subject: \"\";\n    body: \"\";\n}\n\ncontext Customer {\n    name: \"\";\n}\n\ntask classify \"Choose a path\" {\n    prompt: \"Decide who should handle this ticket.\";\n}\n\ntask respond \"Answer the customer\" {\n    prompt: \"Write a short, friendly answer.\";\n}\n\nclassify -\"known issue\"-> respond;\nclassify -\"needs a person\"-> escalate;\nrespond -> close;\n";
    const NOW: &str = "machine \"Ticket triage and refunds\"\n\ncontext Ticket {\n    subject: \"\";\n    body: \"\";\n}\n\ncontext Customer {\n    name: \"\";\n}\n\ntask classify \"Choose a path\" {\n    prompt: \"Decide who can handle the ticket.\";\n}\n\ntask reply \"Answer the customer\" {\n    prompt: \"Write a short, friendly answer.\";\n}\n\ntask refund \"Pay back\" {\n    limit<number>: 50;\n}\n\nclassify -\"known issue\"-> reply;\nclassify -\"wants money back\"-> refund;\nclassify -\"needs a person\"-> escalate;\nreply -> close;\nrefund -> close;\n";

    #[test]
    fn a_changed_source_reads_line_beside_line() {
        insta::assert_snapshot!(render(&diff(THEN, NOW, Outline::Machine)), @r#"
        ~  1 machine "Ticket triage"                  |  1 machine "Ticket triage[ and refunds]"
        =  2                                          |  2
        =  3 context Ticket {                         |  3 context Ticket {
        =  4     subject: "";                         |  4     subject: "";
          … 5 unchanged lines: Customer
        = 10 }                                        | 10 }
        = 11                                          | 11
        = 12 task classify "Choose a path" {          | 12 task classify "Choose a path" {
        ~ 13     prompt: "Decide who [should] handle [this] ticket.";| 13     prompt: "Decide who [can] handle [the] ticket.";
        = 14 }                                        | 14 }
        = 15                                          | 15
        ~ 16 task [respond] "Answer the customer" {   | 16 task [reply] "Answer the customer" {
        = 17     prompt: "Write a short, friendly answer.";| 17     prompt: "Write a short, friendly answer.";
        = 18 }                                        | 18 }
        = 19                                          | 19
        + //                                          | 20 task refund "Pay back" {
        + //                                          | 21     limit<number>: 50;
        + //                                          | 22 }
        + //                                          | 23
        ~ 20 classify -"known issue"-> [respond];     | 24 classify -"known issue"-> [reply];
        + //                                          | 25 classify -"wants money back"-> refund;
        = 21 classify -"needs a person"-> escalate;   | 26 classify -"needs a person"-> escalate;
        ~ 22 [respond] -> close;                      | 27 [reply] -> close;
        + //                                          | 28 refund -> close;
        "#);
    }

    #[test]
    fn changes_are_told_by_size() {
        let told: Vec<String> = diff(THEN, NOW, Outline::Machine)
            .changes
            .iter()
            .map(|change| change.size.to_string())
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        2 words
        2 words
        1 word
        1 word and 5 lines added
        1 word and 1 line added
        ");
    }

    #[test]
    fn line_ends_alone_are_told_and_change_no_line() {
        let told = |left: &str, right: &str| render(&diff(left, right, Outline::Plain));
        insta::assert_snapshot!(told("a\nb\n", "a\r\nb\r\n"), @r"
        =  1 a                                        |  1 a
        =  2 b                                        |  2 b
        Lines end differently: LF left, CRLF right.
        ");
        insta::assert_snapshot!(told("a\nb", "\u{feff}a\nb\n"), @r"
        =  1 a                                        |  1 a
        =  2 b                                        |  2 b
        Only the right begins with a byte order mark.
        Only the right ends with a line end.
        ");
        insta::assert_snapshot!(told("a\r\nb\n", "a\nb\r\n"), @r"
        =  1 a                                        |  1 a
        =  2 b                                        |  2 b
        Lines end differently: both sides have line ends of more than one kind.
        ");
        assert!(diff("", "", Outline::Plain).rows.is_empty());
    }

    #[test]
    fn hostile_texts_take_no_longer_than_large_ones() {
        let start = Instant::now();
        let repeated = "a\nb\n".repeat(25_000);
        let shifted = "b\nb\na\n".repeat(17_000);
        let numbered: String = (0..50_000).map(|n| format!("line {n} of many\n")).collect();
        let other: String = (0..50_000)
            .map(|n| format!("line {} of many\n", n * 7 % 50_000))
            .collect();
        let long = "word, ".repeat(200_000);
        let longer = "word; ".repeat(200_001);
        for (left, right) in [
            (&repeated, &shifted),
            (&numbered, &other),
            (&numbered, &repeated),
            (&long, &longer),
        ] {
            assert!(!diff(left, right, Outline::Plain).is_same());
        }
        // Far above what it takes, far below what a quadratic comparison would.
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{:?}",
            start.elapsed()
        );
    }

    fn reassembled(diff: &TextDiff, side: Side) -> Vec<String> {
        let numbers: Vec<u32> = diff
            .rows
            .iter()
            .filter_map(|row| row.number(side))
            .collect();
        assert!(numbers.iter().copied().eq(1..=numbers.len() as u32));
        numbers
            .iter()
            .map(|number| {
                diff.line(side, *number).to_owned() + line_end(diff.source(side), *number)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn the_rows_hold_both_texts_whole(left in "([abc{}]{0,3}(\n|\r\n)?){0,12}", right in "([abc{}]{0,3}(\n|\r\n)?){0,12}") {
            let diff = diff(&left, &right, Outline::Json);
            prop_assert_eq!(reassembled(&diff, Side::Left).concat(), left);
            prop_assert_eq!(reassembled(&diff, Side::Right).concat(), right);
            for row in 0..diff.rows.len() {
                if diff.rows[row].is_same() {
                    prop_assert_eq!(diff.row_text(row, Side::Left), diff.row_text(row, Side::Right));
                }
                prop_assert_eq!(diff.change_at(row).is_none(), diff.rows[row].is_same());
            }
        }

        #[test]
        fn a_text_does_not_differ_from_itself(text in "([ab]{0,3}(\n|\r|\r\n)?){0,12}") {
            let diff = diff(&text, &text, Outline::Plain);
            prop_assert!(diff.is_same() && diff.notes.is_empty());
        }
    }
}
