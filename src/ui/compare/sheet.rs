//! The entries of a comparison from top to bottom: headings, rows of names, rows of text, folds.

use std::ops::Range;
use std::sync::Arc;

use crate::ops::diff::Side;
use crate::ops::diff::fold::{OpenFolds, Unified, VisibleDiffLine};
use crate::ops::diff::recordings::{DifferenceTarget, RecordingComparison, SectionKind};
use crate::ops::diff::source::lines_of;
use crate::ops::diff::text::{DiffRow, TextDiff};
use crate::text::Span;
use crate::ui::highlight::{Language, State};
use crate::workbench::{Pane, SideBySide, ThenAndNow};

/// What is compared.
#[derive(Clone, Debug)]
pub enum Content {
    /// Two calls, part by part. Sections count from 0 as in [`RecordingComparison::sections`]; the section after the last holds
    /// the ignored differences.
    Calls(Arc<RecordingComparison>),
    /// The texts of the files of two calls.
    Files(Arc<RecordingComparison>),
    /// A source then and now.
    Source(Arc<ThenAndNow>),
    /// One text without a second side.
    Alone(Arc<TextDiff>),
    /// A document in two versions.
    Document(Arc<TextDiff>, Language),
}

impl Content {
    /// Returns the two texts of a section.
    pub fn diff(&self, section: usize) -> Option<&TextDiff> {
        match self {
            Self::Calls(calls) => calls.sections.get(section).map(|section| &section.diff),
            Self::Files(calls) => Some(&calls.files),
            Self::Source(source) => source.diff.as_ref().map(|diff| &diff.text),
            Self::Alone(diff) | Self::Document(diff, _) => Some(diff),
        }
    }

    /// Returns the number under which the open folds of a section are stored.
    pub fn fold_section(&self, section: usize) -> usize {
        match self {
            // The sections of the whole files come after the parts and the ignored differences.
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
    /// The language, for colours.
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

/// One entry across both sides. Sections, rows and folds are given by their indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The heading of the signatures.
    Signatures,
    /// A name of a tool, by its row.
    Tool(usize),
    /// The counts of messages; a line above separates them from the names.
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
    /// One side of a row, in the unified view; an equal row is shown by its right side.
    One {
        /// The section.
        section: usize,
        /// The row.
        row: usize,
        /// The side of the text.
        side: Side,
    },
    /// A closed fold.
    Fold {
        /// The section.
        section: usize,
        /// The fold.
        fold: usize,
    },
    /// A difference of a section beyond its lines.
    Note {
        /// The section.
        section: usize,
        /// The note.
        note: usize,
    },
    /// The search for the shortest difference was stopped early.
    Coarse(usize),
    /// Placeholder of a section whose texts are equal and empty.
    Same(usize),
    /// The heading of the ignored differences; opens and closes them.
    SetAside {
        /// Whether it is open.
        open: bool,
    },
    /// An ignored timestamp or ID.
    Aside(usize),
    /// Empty space at the end of a section.
    Gap,
}

/// The selected entries, which are marked by a bar on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    entries: Vec<Range<usize>>,
}

impl Focus {
    /// Returns whether an entry is selected.
    pub fn holds(&self, entry: usize) -> bool {
        let after = self.entries.partition_point(|range| range.start <= entry);
        after > 0 && self.entries[after - 1].contains(&entry)
    }

    /// Returns the range from the first to the last selected entry.
    pub fn span(&self) -> Option<Range<usize>> {
        Some(self.entries.first()?.start..self.entries.last()?.end)
    }
}

/// All entries of a comparison, in order. Rebuilt when folds, pane or content change, never while painting.
#[derive(Debug)]
pub struct Sheet {
    /// What is compared.
    pub content: Content,
    /// The layout: side by side or unified.
    pub pane: Pane,
    /// The entries from top to bottom.
    pub entries: Vec<Entry>,
    /// For each section the index of the entry of its first row.
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
        opened: &dyn Fn(usize) -> Option<&'a OpenFolds>,
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
            sheet.add_section(section, open.unwrap_or(&OpenFolds::new()));
        }
        if let Content::Calls(calls) = &sheet.content
            && !calls.ignored.is_empty()
        {
            let open = opened(calls.sections.len()).is_some_and(|folds| folds.contains(&0));
            sheet.entries.push(Entry::SetAside { open });
            if open {
                sheet
                    .entries
                    .extend((0..calls.ignored.len()).map(Entry::Aside));
            }
        }
        sheet
    }

    /// Keeps only the first entries; returns how many were removed.
    pub fn cut(&mut self, entries: usize) -> usize {
        let more = self.entries.len().saturating_sub(entries);
        self.entries.truncate(entries);
        more
    }

    fn add_section(&mut self, section: usize, opened: &OpenFolds) {
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
                .extend(
                    diff.visible_lines(opened)
                        .into_iter()
                        .map(|shown| match shown {
                            VisibleDiffLine::Row(row) => Entry::Row { section, row },
                            VisibleDiffLine::Fold(fold) => Entry::Fold { section, fold },
                        }),
                ),
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

    /// Returns how the text of a section is painted.
    pub fn style(&self, section: usize) -> Style {
        Style::of(&self.content, section)
    }

    /// Returns the highlighter state at the beginning of line `number` (from 1).
    pub fn state(&self, section: usize, side: Side, number: u32) -> State {
        let states = self.states.get(section).map(|sides| &sides[side as usize]);
        let index = number.saturating_sub(1) as usize;
        states
            .and_then(|states| states.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the entries of a row of a section; in the unified view there may be two.
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

    /// Returns the rows of a source or document that contain this span of a side's text.
    pub fn rows_of(&self, side: Side, span: Span) -> Option<Range<usize>> {
        let diff = self.content.diff(0)?;
        let (first, last) = lines_of(diff.source(side), span);
        let is_in = |row: &DiffRow| {
            let number = row.number(side);
            number.is_some_and(|number| (first..=last).contains(&number))
        };
        let start = diff.rows.iter().position(is_in)?;
        let end = diff.rows.iter().rposition(is_in)?;
        Some(start..end + 1)
    }

    /// Returns the entries of these rows, except folded ones.
    pub fn focus_on(&self, rows: &Range<usize>) -> Focus {
        let entries = self.entries_of(0, rows).into_iter().collect();
        Focus { entries }
    }

    /// Returns the heading of a section of calls, and the rows below it.
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

    /// Returns the entries of a difference or change, by its number.
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

    fn target(&self, target: &DifferenceTarget) -> Vec<Range<usize>> {
        let one = |wanted: Entry| {
            let at = self.entries.iter().position(|entry| *entry == wanted);
            at.map(|at| at..at + 1)
        };
        match target {
            DifferenceTarget::Tools(rows) if rows.is_empty() => {
                one(Entry::Signatures).into_iter().collect()
            }
            DifferenceTarget::Tools(rows) => {
                let mut rows = rows.clone();
                rows.sort_unstable();
                rows.dedup();
                rows.into_iter()
                    .filter_map(|row| one(Entry::Tool(row)))
                    .collect()
            }
            DifferenceTarget::MessageCount => one(Entry::MessageCount).into_iter().collect(),
            DifferenceTarget::ContextKey(row) => one(Entry::ContextKey(*row)).into_iter().collect(),
            DifferenceTarget::Heading(section) => {
                one(Entry::Heading(*section)).into_iter().collect()
            }
            DifferenceTarget::Rows(section, rows) => {
                let found = rows
                    .iter()
                    .filter_map(|rows| self.entries_of(*section, rows));
                found.collect()
            }
        }
    }

    /// Returns how a row is marked on a side.
    pub fn tint(row: &DiffRow, side: Side) -> Tint {
        match (row, side) {
            (DiffRow::Same { .. }, _) => Tint::None,
            (DiffRow::Left(_), Side::Right) | (DiffRow::Right(_), Side::Left) => Tint::Absent,
            (_, Side::Left) => Tint::Removed,
            (_, Side::Right) => Tint::Added,
        }
    }

    /// Returns the kind of a section; `None` outside of calls.
    pub fn section_kind(&self, section: usize) -> Option<SectionKind> {
        match &self.content {
            Content::Calls(calls) => calls.sections.get(section).map(|section| section.kind),
            _ => None,
        }
    }
}

/// Background of a side of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// No background.
    None,
    /// Only on the left side.
    Removed,
    /// Only on the right side.
    Added,
    /// Nothing on this side.
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
    fn differences_beyond_lines_come_first() {
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
