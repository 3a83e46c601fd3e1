//! What a comparison shows from top to bottom, one entry a line: headings, rows of names, rows of text, folds.

use std::ops::Range;
use std::sync::Arc;

use crate::ops::diff::Side;
use crate::ops::diff::fold::{Opened, Shown, Unified};
use crate::ops::diff::recordings::{Comparison, SectionKind, Target};
use crate::ops::diff::source::lines_of;
use crate::ops::diff::text::{Row, TextDiff};
use crate::text::Span;
use crate::ui::highlight::{Language, State};
use crate::workbench::{Pane, SideBySide, ThenAndNow};

/// What stands beside each other.
#[derive(Clone, Debug)]
pub enum Content {
    /// Two calls, part by part. Sections count from 0 as in [`Comparison::sections`]; the one after the last is what is
    /// set aside.
    Calls(Arc<Comparison>),
    /// The files of two calls as they are written.
    Files(Arc<Comparison>),
    /// A source as it was and as it is.
    Source(Arc<ThenAndNow>),
    /// One text alone.
    Alone(Arc<TextDiff>),
    /// A document in two versions.
    Document(Arc<TextDiff>, Language),
}

impl Content {
    /// The two texts of a section.
    pub fn diff(&self, section: usize) -> Option<&TextDiff> {
        match self {
            Self::Calls(calls) => calls.sections.get(section).map(|section| &section.diff),
            Self::Files(calls) => Some(&calls.files),
            Self::Source(source) => source.diff.as_ref().map(|diff| &diff.text),
            Self::Alone(diff) | Self::Document(diff, _) => Some(diff),
        }
    }

    /// The number by which folds of a section are kept open.
    pub fn fold_section(&self, section: usize) -> usize {
        match self {
            // The whole files come after the parts and what is set aside.
            Self::Files(calls) => calls.sections.len() + 1,
            _ => section,
        }
    }

    fn sections(&self) -> usize {
        match self {
            Self::Calls(calls) => calls.sections.len(),
            _ => 1,
        }
    }
}

/// How the text of a section is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// For colours.
    pub language: Language,
    /// Whether lines have numbers.
    pub numbers: bool,
}

impl Style {
    fn of(content: &Content, section: usize) -> Self {
        let language = match content {
            Content::Calls(calls) => {
                match calls.sections.get(section).map(|section| section.kind) {
                    Some(kind) if kind.is_prose() => Language::Prose,
                    _ => Language::Values,
                }
            }
            Content::Files(_) => Language::Json,
            Content::Source(_) | Content::Alone(_) => Language::Machine,
            Content::Document(_, language) => *language,
        };
        Self {
            language,
            numbers: !matches!(content, Content::Calls(_)),
        }
    }
}

/// One line from side to side. Sections, rows and folds are named by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The heading over the signatures.
    Signatures,
    /// A name of a tool, by its row.
    Tool(usize),
    /// The counts of messages; a line above it parts it from the names.
    MessageCount,
    /// Neither side has context keys.
    NoContextKeys,
    /// A context key, by its row.
    ContextKey(usize),
    /// The heading of a section.
    Heading(usize),
    /// A row of a section, both sides.
    Row {
        /// The section.
        section: usize,
        /// The row.
        row: usize,
    },
    /// What a row holds on one side, in the unified view; an equal row stands for both by its right side.
    One {
        /// The section.
        section: usize,
        /// The row.
        row: usize,
        /// Whose text it is.
        side: Side,
    },
    /// A closed fold.
    Fold {
        /// The section.
        section: usize,
        /// The fold.
        fold: usize,
    },
    /// What differs beyond the lines of a section.
    Note {
        /// The section.
        section: usize,
        /// The note.
        note: usize,
    },
    /// The search for the shortest difference was cut off.
    Coarse(usize),
    /// The texts of a section are equal and empty of anything to fold: says so.
    Same(usize),
    /// The heading over what is set aside; opens it.
    SetAside {
        /// Whether it is open.
        open: bool,
    },
    /// A time or an id that is set aside.
    Aside(usize),
    /// Empty space at the end of a section.
    Gap,
}

/// What is in focus: its entries are marked by a bar at both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    entries: Vec<Range<usize>>,
}

impl Focus {
    /// Whether an entry is in focus.
    pub fn holds(&self, entry: usize) -> bool {
        let after = self.entries.partition_point(|range| range.start <= entry);
        after > 0 && self.entries[after - 1].contains(&entry)
    }

    /// The first and the last entry in focus.
    pub fn span(&self) -> Option<Range<usize>> {
        Some(self.entries.first()?.start..self.entries.last()?.end)
    }
}

/// Everything a comparison shows, in order. Made anew when folds, pane or content change, never while painting.
#[derive(Debug)]
pub struct Sheet {
    /// What it shows.
    pub content: Content,
    /// How it is laid out.
    pub pane: Pane,
    /// From top to bottom.
    pub entries: Vec<Entry>,
    /// Where the rows of each section begin among the entries.
    starts: Vec<usize>,
    states: Vec<[Vec<State>; 2]>,
}

impl Sheet {
    /// Lays out a comparison.
    pub fn new(content: Content, side_by_side: &SideBySide, pane: Pane) -> Self {
        Self::with_folds(content, &|section| side_by_side.opened(section), pane)
    }

    /// Lays out a comparison with these folds open, by section.
    pub fn with_folds<'a>(
        content: Content,
        opened: &dyn Fn(usize) -> Option<&'a Opened>,
        pane: Pane,
    ) -> Self {
        let mut sheet = Self {
            pane,
            entries: Vec::new(),
            starts: Vec::new(),
            states: Vec::new(),
            content,
        };
        if let Content::Calls(calls) = &sheet.content {
            sheet.entries.push(Entry::Signatures);
            let signatures = &calls.signatures;
            sheet
                .entries
                .extend((0..signatures.tools.len()).map(Entry::Tool));
            sheet.entries.push(Entry::MessageCount);
            match signatures.context_keys.len() {
                0 => sheet.entries.push(Entry::NoContextKeys),
                keys => sheet.entries.extend((0..keys).map(Entry::ContextKey)),
            }
            sheet.entries.push(Entry::Gap);
        }
        for section in 0..sheet.content.sections() {
            let open = opened(sheet.content.fold_section(section));
            sheet.add_section(section, open.unwrap_or(&Opened::new()));
        }
        if let Content::Calls(calls) = &sheet.content
            && !calls.set_aside.is_empty()
        {
            let open = opened(calls.sections.len()).is_some_and(|folds| folds.contains(&0));
            sheet.entries.push(Entry::SetAside { open });
            if open {
                sheet
                    .entries
                    .extend((0..calls.set_aside.len()).map(Entry::Aside));
            }
        }
        sheet
    }

    /// Keeps the first entries only; answers how many there were more.
    pub fn cut(&mut self, entries: usize) -> usize {
        let more = self.entries.len().saturating_sub(entries);
        self.entries.truncate(entries);
        more
    }

    fn add_section(&mut self, section: usize, opened: &Opened) {
        let content = self.content.clone();
        let Some(diff) = content.diff(section) else {
            return;
        };
        let in_parts = matches!(content, Content::Calls(_));
        if in_parts {
            self.entries.push(Entry::Heading(section));
        }
        let notes = 0..diff.notes.len();
        self.entries
            .extend(notes.map(|note| Entry::Note { section, note }));
        if diff.precision == crate::ops::diff::text::Precision::Coarse {
            self.entries.push(Entry::Coarse(section));
        }
        self.starts.push(self.entries.len());
        match self.pane {
            Pane::Sides => self
                .entries
                .extend(diff.shown(opened).into_iter().map(|shown| match shown {
                    Shown::Row(row) => Entry::Row { section, row },
                    Shown::Fold(fold) => Entry::Fold { section, fold },
                })),
            Pane::Unified => self
                .entries
                .extend(diff.unified(opened).map(|shown| match shown {
                    Unified::Same(row) => Entry::One {
                        section,
                        row,
                        side: Side::Right,
                    },
                    Unified::One(row, side) => Entry::One { section, row, side },
                    Unified::Fold(fold) => Entry::Fold { section, fold },
                })),
        }
        if diff.rows.is_empty() {
            self.entries.push(Entry::Same(section));
        }
        if in_parts {
            self.entries.push(Entry::Gap);
        }
        let language = self.style(section).language;
        self.states
            .push(Side::BOTH.map(|side| language.states(diff.source(side))));
    }

    /// How the text of a section is painted.
    pub fn style(&self, section: usize) -> Style {
        Style::of(&self.content, section)
    }

    /// What line `number` (from 1) begins inside of.
    pub fn state(&self, section: usize, side: Side, number: u32) -> State {
        let states = self.states.get(section).map(|sides| &sides[side as usize]);
        let index = number.saturating_sub(1) as usize;
        states
            .and_then(|states| states.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// Where a row of a section stands among the entries: all entries of it, in the unified view perhaps two.
    fn entries_of(&self, section: usize, rows: &Range<usize>) -> Option<Range<usize>> {
        let start = *self.starts.get(section)?;
        let rest = self.entries.get(start..)?;
        let is_in = |entry: &Entry| match entry {
            Entry::Row { section: s, row }
            | Entry::One {
                section: s, row, ..
            } => *s == section && rows.contains(row),
            _ => false,
        };
        let first = rest.iter().position(is_in)?;
        let length = rest[first..]
            .iter()
            .take_while(|entry| is_in(entry))
            .count();
        Some(start + first..start + first + length)
    }

    /// The rows of a source or document that hold this stretch of a side's text.
    pub fn rows_of(&self, side: Side, span: Span) -> Option<Range<usize>> {
        let diff = self.content.diff(0)?;
        let (first, last) = lines_of(diff.source(side), span);
        let is_in = |row: &Row| {
            let number = row.number(side);
            number.is_some_and(|number| (first..=last).contains(&number))
        };
        let start = diff.rows.iter().position(is_in)?;
        let end = diff.rows.iter().rposition(is_in)?;
        Some(start..end + 1)
    }

    /// The entries of these rows, as far as they are not folded.
    pub fn focus_on(&self, rows: &Range<usize>) -> Focus {
        let entries = self.entries_of(0, rows).into_iter().collect();
        Focus { entries }
    }

    /// The heading of a section of calls, and the rows below it.
    pub fn focus_on_section(&self, section: usize) -> Focus {
        let heading = self
            .entries
            .iter()
            .position(|entry| *entry == Entry::Heading(section));
        let Some(first) = heading else {
            return Focus::default();
        };
        let rest = self.entries[first + 1..].iter();
        let length =
            rest.take_while(|entry| matches!(entry, Entry::Row { .. } | Entry::One { .. }));
        let entries = first..first + 1 + length.count();
        Focus {
            entries: std::iter::once(entries).collect(),
        }
    }

    /// The entries of a difference or change, by its number.
    pub fn focus(&self, change: usize) -> Focus {
        let entries = match &self.content {
            Content::Calls(calls) => match calls.differences.get(change) {
                Some(difference) => self.target(&difference.target),
                None => Vec::new(),
            },
            _ => {
                let rows = self
                    .content
                    .diff(0)
                    .and_then(|diff| diff.changes.get(change));
                let rows = rows.and_then(|change| self.entries_of(0, &change.rows));
                rows.into_iter().collect()
            }
        };
        Focus { entries }
    }

    fn target(&self, target: &Target) -> Vec<Range<usize>> {
        let one = |wanted: Entry| {
            let at = self.entries.iter().position(|entry| *entry == wanted);
            at.map(|at| at..at + 1)
        };
        match target {
            Target::Tools(rows) if rows.is_empty() => one(Entry::Signatures).into_iter().collect(),
            Target::Tools(rows) => {
                let mut rows = rows.clone();
                rows.sort_unstable();
                rows.dedup();
                rows.into_iter()
                    .filter_map(|row| one(Entry::Tool(row)))
                    .collect()
            }
            Target::MessageCount => one(Entry::MessageCount).into_iter().collect(),
            Target::ContextKey(row) => one(Entry::ContextKey(*row)).into_iter().collect(),
            Target::Heading(section) => one(Entry::Heading(*section)).into_iter().collect(),
            Target::Rows(section, rows) => {
                let found = rows
                    .iter()
                    .filter_map(|rows| self.entries_of(*section, rows));
                found.collect()
            }
        }
    }

    /// Whether a row is marked as differing on a side, and how.
    pub fn tint(row: &Row, side: Side) -> Tint {
        match (row, side) {
            (Row::Same { .. }, _) => Tint::None,
            (Row::Left(_), Side::Right) | (Row::Right(_), Side::Left) => Tint::Absent,
            (_, Side::Left) => Tint::Removed,
            (_, Side::Right) => Tint::Added,
        }
    }

    /// What kind of section this is; `None` outside of calls.
    pub fn section_kind(&self, section: usize) -> Option<SectionKind> {
        match &self.content {
            Content::Calls(calls) => calls.sections.get(section).map(|section| section.kind),
            _ => None,
        }
    }
}

/// How a side of a row stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Not at all.
    None,
    /// Only here, at the left.
    Removed,
    /// Only here, at the right.
    Added,
    /// Nothing is here.
    Absent,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::diff::outline::Outline;
    use crate::text::Source;

    fn sheet(left: &str, right: &str, pane: Pane) -> Sheet {
        let diff = TextDiff::new(&Source::new(left), &Source::new(right), Outline::Machine);
        Sheet::with_folds(Content::Alone(Arc::new(diff)), &|_| None, pane)
    }

    #[test]
    fn a_change_in_focus_is_all_its_entries_in_both_panes() {
        let (left, right) = ("a\nb\nold x\nold y\nc\nd\n", "a\nb\nnew x\nnew y\nc\nd\n");
        assert_eq!(sheet(left, right, Pane::Sides).focus(0).span(), Some(2..4));
        let unified = sheet(left, right, Pane::Unified).focus(0);
        assert_eq!(unified.span(), Some(2..6));
        assert!(unified.holds(5) && !unified.holds(6));
        assert_eq!(sheet(left, left, Pane::Sides).focus(0).span(), None);
    }

    #[test]
    fn what_differs_beyond_lines_is_said_first() {
        let sheet = sheet("a\n", "a\r\n", Pane::Sides);
        assert_eq!(
            sheet.entries[0],
            Entry::Note {
                section: 0,
                note: 0
            }
        );
        assert_eq!(sheet.entries.len(), 2);
    }
}
