//! The entries of a comparison from top to bottom: headings, rows of names, rows of text, folds.

mod layout;
mod lines;
mod names_ui;
mod sheet_ui;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::highlight::{Language, LineState};
use crate::markdown::Markdown;
use compare::recordings::{CallSection, DifferenceTarget, RecordingComparison, SectionKind};
use compare::signature::NameRow;
use compare::source::lines_of;
use document::diff::Side;
use document::diff::fold::{OpenFolds, Unified, VisibleDiffLine};
use document::diff::text::{DiffRow, TextDiff};
use document::text::{Span, listed, lower_first, thousands, upper_first, visible_lines};
use protocol::SourceComparison;
use workbench::{DiffLayout, SideBySide};

pub use lines::{DisplayLine, LineRun};
pub use sheet_ui::{class_color, selectable, sheet_ui, tint_look, whole_sheet_ui};

/// Content of a comparison.
#[derive(Clone, Debug)]
pub enum SheetContent {
    /// Two calls, part by part. Sections count from 0 as in [`RecordingComparison::sections`]; the section after the last holds
    /// the ignored differences.
    Calls(Arc<RecordingComparison>),
    /// The values of the files of two calls.
    Values(Arc<RecordingComparison>, Arc<TextDiff>),
    /// The texts of the files of two calls.
    Files(Arc<RecordingComparison>),
    /// A source then and now.
    Source(Arc<SourceComparison>),
    /// One text without a second side.
    Single(Arc<TextDiff>),
    /// A document in two versions.
    Document(Arc<TextDiff>, Language),
}

impl SheetContent {
    /// Returns the two texts of a section.
    pub fn diff(&self, section: usize) -> Option<&TextDiff> {
        match self {
            Self::Calls(calls) => calls.sections.get(section).map(|section| &section.diff),
            Self::Files(calls) => Some(&calls.files),
            Self::Source(source) => source.diff.as_ref().map(|diff| &diff.text),
            Self::Values(_, diff) | Self::Single(diff) | Self::Document(diff, _) => Some(diff),
        }
    }

    /// Returns the number under which the open folds of a section are stored.
    pub fn fold_section(&self, section: usize) -> usize {
        match self {
            // The sections of the whole files come after the parts and the ignored differences.
            Self::Files(calls) => calls.sections.len() + 1,
            Self::Values(calls, _) => calls.sections.len() + 2,
            _ => section,
        }
    }

    fn sections(&self) -> usize {
        match self {
            Self::Calls(calls) => calls.sections.len(),
            _ => 1,
        }
    }

    /// Returns the number of sections of calls that are equal, from the first of a range on.
    fn equal_sections(&self, sections: Range<usize>, hidden: Option<usize>) -> usize {
        let Self::Calls(calls) = self else { return 0 };
        let is_equal = |section: &usize| {
            let diff = &calls.sections[*section].diff;
            // A heading may differ above equal texts, such as by the stop reason.
            let has_difference = || calls.differences.iter().any(|d| d.target.is_in(*section));
            hidden != Some(*section) && diff.notes.is_empty() && diff.is_same() && !has_difference()
        };
        sections.take_while(is_equal).count()
    }

    /// Returns what a fold of equal sections says: `Answer and request are equal`.
    pub(super) fn equal_label(&self, first: usize, count: usize) -> String {
        let Self::Calls(calls) = self else { return String::new() };
        let run = &calls.sections[first..first + count];
        let mut kinds: Vec<SectionKind> = run.iter().map(|section| section.kind).collect();
        kinds.dedup();
        let names = kinds.iter().map(|kind| equal_name(calls, *kind, first..first + count));
        let names: Vec<String> = names.collect();
        let is_one = count == 1 || names == [REQUEST];
        let verb = if is_one { "is" } else { "are" };
        format!("{} {verb} equal", upper_first(&listed(&names)))
    }
}

/// Name of all messages of a request that differs in nothing.
const REQUEST: &str = "request";

/// Returns the name of the sections of a kind among some that are equal and follow each other.
fn equal_name(calls: &RecordingComparison, kind: SectionKind, run: Range<usize>) -> String {
    let (start, sections) = (run.start, &calls.sections);
    let count = |sections: &[CallSection]| sections.iter().filter(|s| s.kind == kind).count();
    let (equal, all) = (count(&sections[run]), count(sections));
    if kind == SectionKind::Message {
        // Each message has a section, so that its place is its number.
        let number = count(&sections[..start]) + 1;
        return match equal {
            _ if equal == all && calls.has_equal_request() => REQUEST.to_owned(),
            1 if all == 1 => "message".to_owned(),
            1 => format!("message {}", thousands(number)),
            _ => format!("messages {} to {}", thousands(number), thousands(number + equal - 1)),
        };
    }
    let title = sections.iter().find(|section| section.kind == kind).map(|section| section.title);
    let noun = lower_first(title.unwrap_or_default());
    match (equal, all > equal) {
        (1, false) => noun,
        (1, true) => format!("another {noun}"),
        (_, false) => format!("{} {noun}s", thousands(equal)),
        (_, true) => format!("{} other {noun}s", thousands(equal)),
    }
}

/// Style of the text of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionStyle {
    /// The language, for colours.
    pub language: Language,
    /// Whether lines have numbers.
    pub numbers: bool,
}

/// One entry across both sides. Sections, rows and folds are given by their indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetEntry {
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
    Row { section: usize, row: usize },
    /// One side of a row, in the unified view; an equal row is shown by its right side.
    OneSide {
        section: usize,
        row: usize,
        /// The side of the text.
        side: Side,
    },
    /// Equal rows of a section as rendered Markdown, by their number.
    Rendered { section: usize, text: usize },
    /// A closed fold.
    Fold { section: usize, fold: usize },
    /// A difference of a section beyond its lines.
    Note { section: usize, note: usize },
    /// The search for the shortest difference was stopped early.
    Coarse(usize),
    /// Placeholder of a section whose texts are equal and empty.
    Same(usize),
    /// Sections of calls that are equal, as one closed fold.
    EqualSections { first: usize, count: usize },
    /// The heading of the ignored differences; opens and closes them.
    IgnoredHeading { open: bool },
    /// An ignored timestamp or ID.
    IgnoredRow(usize),
    /// Empty space at the end of a section.
    Gap,
}

/// The selected entries, which are marked by a bar on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetFocus {
    entries: Vec<Range<usize>>,
}

impl SheetFocus {
    /// Returns whether an entry is selected.
    pub fn contains(&self, entry: usize) -> bool {
        let count = self.entries.partition_point(|range| range.start <= entry);
        count > 0 && self.entries[count - 1].contains(&entry)
    }

    /// Returns the range from the first to the last selected entry.
    pub fn span(&self) -> Option<Range<usize>> {
        Some(self.entries.first()?.start..self.entries.last()?.end)
    }
}

/// All entries of a comparison, in order. Rebuilt when folds, pane or content change, never while painting.
#[derive(Debug)]
pub struct Sheet {
    /// Content whose entries these are.
    pub content: SheetContent,
    /// The layout: side by side or unified.
    pub pane: DiffLayout,
    /// Whether differences are not marked, because the sides have too little in common.
    pub is_unmarked: bool,
    /// The entries from top to bottom.
    pub entries: Vec<SheetEntry>,
    /// For each section the index of the entry of its first row.
    starts: Vec<usize>,
    states: Vec<[Vec<LineState>; 2]>,
    texts: Vec<Markdown>,
}

/// Returns whether the names of two calls differ that clients compare. Of other files than recordings only the tools are their own: the
/// rest is compared by DyGram's clients.
fn has_signatures(calls: &RecordingComparison) -> bool {
    let signatures = &calls.signatures;
    let differs = |names: &[NameRow]| names.iter().any(|row| !matches!(row, NameRow::Both(_)));
    let has_other_tools = differs(&signatures.tools);
    has_other_tools
        || calls.is_judged && (calls.has_other_request() || differs(&signatures.context_keys))
}

/// Number of the fold of equal sections, in the first of them.
pub(super) const EQUAL_FOLD: usize = usize::MAX;

/// Equal rows of more bytes are shown as they are written.
const MAX_RENDERED_BYTES: usize = 50_000;

/// The unified sheet of a difference, laid out again only for another one.
#[derive(Debug, Default)]
pub struct DiffSheet(Option<(Arc<TextDiff>, Arc<Sheet>)>);

impl DiffSheet {
    /// Returns the sheet of the first lines of a difference.
    pub fn of(&mut self, diff: &Arc<TextDiff>, language: Language, max_lines: usize) -> Arc<Sheet> {
        // A difference is replaced as a whole, so its address shows whether it is another one.
        self.0 = self.0.take().filter(|(old, _)| Arc::ptr_eq(old, diff));
        let make = || (Arc::clone(diff), Sheet::unified(diff, language, max_lines));
        Arc::clone(&self.0.get_or_insert_with(make).1)
    }
}

impl Sheet {
    /// Lays out a comparison of two items, without marks if these are unlike.
    pub fn new(content: SheetContent, side_by_side: &SideBySide, pane: DiffLayout) -> Self {
        use SheetContent::{Calls, Files, Values};
        let is_unmarked = match &content {
            Calls(calls) | Files(calls) | Values(calls, _) => calls.is_unlike(),
            _ => false,
        };
        let sheet = Self::with_folds(content, &|section| side_by_side.opened(section), pane);
        Self { is_unmarked, ..sheet }
    }

    /// Lays out a comparison with these folds open, by section.
    pub fn with_folds<'a>(
        content: SheetContent,
        open_folds_of: &dyn Fn(usize) -> Option<&'a OpenFolds>,
        pane: DiffLayout,
    ) -> Self {
        Self::without(content, open_folds_of, pane, None)
    }

    /// Lays out the first lines of a difference as a unified sheet, whose folds cannot be opened.
    pub fn unified(diff: &Arc<TextDiff>, language: Language, max_lines: usize) -> Arc<Self> {
        let content = SheetContent::Document(Arc::clone(diff), language);
        let mut sheet = Self::with_folds(content, &|_| None, DiffLayout::Unified);
        sheet.truncate(max_lines);
        Arc::new(sheet)
    }

    /// Lays out a comparison without a section, which is shown elsewhere.
    pub fn without<'a>(
        content: SheetContent,
        open_folds_of: &dyn Fn(usize) -> Option<&'a OpenFolds>,
        pane: DiffLayout,
        hidden: Option<usize>,
    ) -> Self {
        let mut sheet = Self {
            pane,
            is_unmarked: false,
            entries: Vec::new(),
            starts: Vec::new(),
            states: Vec::new(),
            texts: Vec::new(),
            content,
        };
        // The signatures are below the answer, if they say something.
        let answers = match &sheet.content {
            SheetContent::Calls(calls) => has_signatures(calls).then(|| calls.answer_sections()),
            _ => None,
        };
        sheet.add_sections(open_folds_of, answers, hidden);
        if let SheetContent::Calls(calls) = &sheet.content
            && !calls.ignored.is_empty()
        {
            let open = open_folds_of(calls.sections.len()).is_some_and(|folds| folds.contains(&0));
            sheet.entries.push(SheetEntry::IgnoredHeading { open });
            if open {
                sheet.entries.extend((0..calls.ignored.len()).map(SheetEntry::IgnoredRow));
            }
        }
        sheet
    }

    /// Keeps only the first entries; returns how many were removed.
    pub fn truncate(&mut self, entries: usize) -> usize {
        let rest_count = self.entries.len().saturating_sub(entries);
        self.entries.truncate(entries);
        rest_count
    }

    /// Adds all sections but the hidden one, each run of equal ones as one fold, and the signatures in front of the section `answers`.
    fn add_sections<'a>(
        &mut self,
        open_folds_of: &dyn Fn(usize) -> Option<&'a OpenFolds>,
        answers: Option<usize>,
        hidden: Option<usize>,
    ) {
        let no_folds = OpenFolds::new();
        let mut section = 0;
        while section < self.content.sections() {
            if Some(section) == answers {
                self.add_signatures();
            }
            let open = open_folds_of(self.content.fold_section(section)).unwrap_or(&no_folds);
            let end = answers
                .filter(|answers| section < *answers)
                .unwrap_or_else(|| self.content.sections());
            let count = self.content.equal_sections(section..end, hidden);
            if count > 0 && !open.contains(&EQUAL_FOLD) {
                self.entries.push(SheetEntry::EqualSections { first: section, count });
                self.skip_sections(count);
                section += count;
                continue;
            }
            // Opened sections are listed up to the end of their run.
            for section in section..section + count.max(1) {
                if hidden == Some(section) {
                    self.skip_sections(1);
                    continue;
                }
                let open = open_folds_of(self.content.fold_section(section));
                self.add_section(section, open.unwrap_or(&no_folds));
            }
            section += count.max(1);
        }
        if answers == Some(self.content.sections()) {
            self.add_signatures();
        }
    }

    /// Adds no entries for sections that are closed or shown elsewhere.
    fn skip_sections(&mut self, count: usize) {
        for _ in 0..count {
            self.starts.push(self.entries.len());
            self.states.push(Default::default());
        }
    }

    fn add_signatures(&mut self) {
        let SheetContent::Calls(calls) = &self.content else { return };
        let signatures = &calls.signatures;
        self.entries.push(SheetEntry::Signatures);
        self.entries.extend((0..signatures.tools.len()).map(SheetEntry::Tool));
        if calls.is_judged {
            self.entries.push(SheetEntry::MessageCount);
            match signatures.context_keys.len() {
                0 => self.entries.push(SheetEntry::NoContextKeys),
                keys => self.entries.extend((0..keys).map(SheetEntry::ContextKey)),
            }
        }
        self.entries.push(SheetEntry::Gap);
    }

    fn add_section(&mut self, section: usize, open_folds: &OpenFolds) {
        let content = self.content.clone();
        let Some(diff) = content.diff(section) else { return };
        let in_parts = matches!(content, SheetContent::Calls(_));
        if in_parts {
            self.entries.push(SheetEntry::Heading(section));
        }
        // First, because a difference that no line shows would be missed below a long text.
        let notes = 0..diff.notes.len();
        self.entries.extend(notes.map(|note| SheetEntry::Note { section, note }));
        if diff.precision == document::diff::text::Precision::Coarse {
            self.entries.push(SheetEntry::Coarse(section));
        }
        let start = self.entries.len();
        self.starts.push(start);
        match self.pane {
            DiffLayout::SideBySide => {
                self.entries.extend(diff.visible_lines(open_folds).into_iter().map(
                    |line| match line {
                        VisibleDiffLine::Row(row) => SheetEntry::Row { section, row },
                        VisibleDiffLine::Fold(fold) => SheetEntry::Fold { section, fold },
                    },
                ));
            }
            DiffLayout::Unified => {
                self.entries.extend(diff.unified(open_folds).map(|line| match line {
                    Unified::Same(row) => SheetEntry::OneSide { section, row, side: Side::Right },
                    Unified::One(row, side) => SheetEntry::OneSide { section, row, side },
                    Unified::Fold(fold) => SheetEntry::Fold { section, fold },
                }));
            }
        }
        if matches!(&content, SheetContent::Calls(calls) if calls.sections[section].is_text) {
            self.render_equal_rows(section, diff, start);
        }
        if diff.rows.is_empty() {
            self.entries.push(SheetEntry::Same(section));
        }
        if in_parts {
            self.entries.push(SheetEntry::Gap);
        }
        // A line's colours depend on all lines before it, so states are computed once and not while painting.
        let language = self.style(section).language;
        self.states.push(Side::BOTH.map(|side| language.states(diff.source(side))));
    }

    /// Replaces equal rows by the Markdown that they are. Rows that differ stay as written, with their marks, and so do the equal
    /// ones around them that a block of code continues in.
    fn render_equal_rows(&mut self, section: usize, diff: &TextDiff, start: usize) {
        let mut is_code = false;
        let lines = diff.source(Side::Right).text().lines();
        let codes = lines.map(|line| {
            // The same marks open and close a block of code, so each such line toggles.
            is_code ^= line.trim_start().starts_with("```");
            is_code
        });
        let codes: Vec<bool> = codes.collect();
        let equal_line = |entry: &SheetEntry| match entry {
            SheetEntry::Row { row, .. } | SheetEntry::OneSide { row, .. } => {
                diff.rows.get(*row).filter(|row| row.is_same())?.number(Side::Right)
            }
            _ => None,
        };
        let rows = self.entries.split_off(start);
        for run in rows.chunk_by(|a, b| equal_line(a).is_some() && equal_line(b).is_some()) {
            let ends = run.first().and_then(equal_line).zip(run.last().and_then(equal_line));
            let is_inside = |number: u32| {
                (number as usize).checked_sub(1).and_then(|at| codes.get(at)) == Some(&true)
            };
            let Some((first, last)) =
                // Parsed alone, the end of a block of code would be read as its beginning.
                ends.filter(|(first, last)| !is_inside(first - 1) && !is_inside(*last))
            else {
                self.entries.extend_from_slice(run);
                continue;
            };
            let lines: Vec<&str> = (first..=last)
                .map(|number| diff.line(Side::Right, number).trim_end_matches(['\r', '\n']))
                .collect();
            let text = lines.join("\n");
            // A rendered run is one entry, which is laid out and painted as a whole, however little of it is visible.
            if text.len() > MAX_RENDERED_BYTES {
                self.entries.extend_from_slice(run);
                continue;
            }
            self.entries.push(SheetEntry::Rendered { section, text: self.texts.len() });
            self.texts.push(Markdown::new(&visible_lines(&text)));
        }
    }

    /// Returns rendered rows, by their number.
    pub(super) fn rendered(&self, text: usize) -> Option<&Markdown> {
        self.texts.get(text)
    }

    /// Returns how the text of a section is painted.
    pub fn style(&self, section: usize) -> SectionStyle {
        let language = match &self.content {
            SheetContent::Calls(calls) => match calls.sections.get(section) {
                Some(section) if section.kind.is_prose() => Language::Prose,
                _ => Language::Values,
            },
            SheetContent::Files(_) | SheetContent::Values(..) => Language::Json,
            SheetContent::Source(_) | SheetContent::Single(_) => Language::Machine,
            SheetContent::Document(_, language) => *language,
        };
        // The text of a call's part or of a value is decoded, so that its line numbers would not be those of the file.
        SectionStyle { language, numbers: !matches!(language, Language::Prose | Language::Values) }
    }

    /// Returns the highlighter state at the beginning of line `number` (from 1).
    pub fn state(&self, section: usize, side: Side, number: u32) -> LineState {
        let states = self.states.get(section).map(|sides| &sides[side as usize]);
        let index = number.saturating_sub(1) as usize;
        states.and_then(|states| states.get(index)).copied().unwrap_or_default()
    }

    /// Returns the entries of a row of a section; in the unified view there may be two.
    fn entries_of(&self, section: usize, rows: &Range<usize>) -> Option<Range<usize>> {
        let start = *self.starts.get(section)?;
        let rest = self.entries.get(start..)?;
        let is_in = |entry: &SheetEntry| match entry {
            SheetEntry::Row { section: s, row } | SheetEntry::OneSide { section: s, row, .. } => {
                *s == section && rows.contains(row)
            }
            _ => false,
        };
        let first = rest.iter().position(is_in)?;
        let length = rest[first..].iter().take_while(|entry| is_in(entry)).count();
        Some(start + first..start + first + length)
    }

    /// Returns the rows of a source or document that contain this span of a side's text.
    pub fn rows_of(&self, side: Side, span: Span) -> Option<Range<usize>> {
        // Sources and documents have one section.
        let diff = self.content.diff(0)?;
        let (first, last) = lines_of(diff.source(side), span);
        let is_in = |row: &DiffRow| row.number(side).is_some_and(|n| (first..=last).contains(&n));
        let start = diff.rows.iter().position(is_in)?;
        let end = diff.rows.iter().rposition(is_in)?;
        Some(start..end + 1)
    }

    /// Returns the entries of these rows, except folded ones.
    pub fn focus_on(&self, rows: &Range<usize>) -> SheetFocus {
        SheetFocus { entries: self.entries_of(0, rows).into_iter().collect() }
    }

    /// Returns the heading of a section of calls, and the rows below it.
    pub fn focus_on_section(&self, section: usize) -> SheetFocus {
        let heading = self.entries.iter().position(|entry| *entry == SheetEntry::Heading(section));
        let Some(first) = heading else { return SheetFocus::default() };
        let is_row = |entry: &&SheetEntry| {
            use SheetEntry::{OneSide, Rendered, Row};
            matches!(entry, Row { .. } | OneSide { .. } | Rendered { .. })
        };
        let length = self.entries[first + 1..].iter().take_while(is_row);
        SheetFocus { entries: std::iter::once(first..first + 1 + length.count()).collect() }
    }

    /// Returns the entries of a difference or change, by its number.
    pub fn focus(&self, change: usize) -> SheetFocus {
        let entries = match &self.content {
            SheetContent::Calls(calls) => match calls.differences.get(change) {
                Some(difference) => self.target(&difference.target),
                None => Vec::new(),
            },
            _ => {
                let change = self.content.diff(0).and_then(|diff| diff.changes.get(change));
                change.and_then(|change| self.entries_of(0, &change.rows)).into_iter().collect()
            }
        };
        SheetFocus { entries }
    }

    /// Returns the entries of several changes, by their numbers in order.
    pub fn focus_all(&self, changes: &[usize]) -> SheetFocus {
        let entries = changes.iter().flat_map(|change| self.focus(*change).entries);
        SheetFocus { entries: entries.collect() }
    }

    fn target(&self, target: &DifferenceTarget) -> Vec<Range<usize>> {
        let find_one = |target_entry: SheetEntry| {
            let at = self.entries.iter().position(|entry| *entry == target_entry);
            at.map(|at| at..at + 1)
        };
        let entry = match target {
            // A stored list of tools that is outdated concerns no single row.
            DifferenceTarget::Tools(rows) if rows.is_empty() => SheetEntry::Signatures,
            DifferenceTarget::Tools(rows) => {
                // Of two tools that replace each other, both can be in one row.
                let rows = BTreeSet::from_iter(rows.iter().copied());
                return rows
                    .into_iter()
                    .filter_map(|row| find_one(SheetEntry::Tool(row)))
                    .collect();
            }
            DifferenceTarget::MessageCount => SheetEntry::MessageCount,
            DifferenceTarget::ContextKey(row) => SheetEntry::ContextKey(*row),
            DifferenceTarget::Heading(section) => SheetEntry::Heading(*section),
            DifferenceTarget::Rows(section, rows) => {
                return rows.iter().filter_map(|rows| self.entries_of(*section, rows)).collect();
            }
        };
        find_one(entry).into_iter().collect()
    }

    /// Returns how a row is marked on a side.
    pub fn tint(row: &DiffRow, side: Side) -> RowTint {
        match (row, side) {
            (DiffRow::Same { .. }, _) => RowTint::None,
            (DiffRow::Left(_), Side::Right) | (DiffRow::Right(_), Side::Left) => RowTint::Absent,
            (_, Side::Left) => RowTint::Removed,
            (_, Side::Right) => RowTint::Added,
        }
    }
}

/// Background of a side of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowTint {
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
    use document::diff::outline::Outline;
    use document::text::Source;

    fn sheet(left: &str, right: &str, pane: DiffLayout) -> Sheet {
        let diff = TextDiff::new(&Source::new(left), &Source::new(right), Outline::Machine);
        Sheet::with_folds(SheetContent::Single(Arc::new(diff)), &|_| None, pane)
    }

    #[test]
    fn a_change_in_focus_is_all_its_entries_in_both_panes() {
        let (left, right) = ("a\nb\nold x\nold y\nc\nd\n", "a\nb\nnew x\nnew y\nc\nd\n");
        assert_eq!(sheet(left, right, DiffLayout::SideBySide).focus(0).span(), Some(2..4));
        let focus = sheet(left, right, DiffLayout::Unified).focus(0);
        assert_eq!(focus.span(), Some(2..6));
        assert!(focus.contains(5) && !focus.contains(6));
        assert_eq!(sheet(left, left, DiffLayout::SideBySide).focus(0).span(), None);
    }

    /// Returns two recordings of a call of `node` with these prompts and answers.
    fn calls(sides: [(&str, &str); 2]) -> Arc<RecordingComparison> {
        let texts = sides.map(|(ticket, tool)| {
            let prompt = format!(
                "# Role\nYou do **one** step.\n\n# Current Position\n- **Node**: sort\n- **Objective**: Decide.\n\n\
                 # Available Transitions\n## {tool}\n- **Description**: known\n\n# Ticket\n{ticket}\n```\n# no heading\n```\n"
            );
            let prompt = serde_json::to_string(&prompt).unwrap();
            format!(
                r#"{{"request": {{"messages": [{{"role": "user", "content": {prompt}}}],
                "tools": [{{"name": "transition_to_{tool}"}}]}},
                "response": {{"response": {{"content": [{{"type": "text", "text": "I **know** it."}},
                {{"type": "tool_use", "name": "transition_to_{tool}", "input": {{}}}}]}}}}}}"#
            )
        });
        let [left, right] =
            texts.map(|text| document::read(Source::new(text.as_str()), "turn-1.json"));
        Arc::new(RecordingComparison::new(&left, &right).unwrap())
    }

    /// Describes the entries in a line each.
    fn picture(calls: &Arc<RecordingComparison>, pane: DiffLayout) -> String {
        let sheet = Sheet::with_folds(SheetContent::Calls(calls.clone()), &|_| None, pane);
        let line = |entry: &SheetEntry| {
            let text = |section: usize, row: usize, side: Side| {
                let diff = sheet.content.diff(section).unwrap();
                diff.row_text(row, side).unwrap_or("-").trim_end().to_owned()
            };
            match *entry {
                SheetEntry::Heading(section) => format!("{}:", calls.sections[section].title),
                SheetEntry::Row { section, row } => {
                    let [left, right] = Side::BOTH.map(|side| text(section, row, side));
                    format!("  {left} | {right}")
                }
                SheetEntry::OneSide { section, row, side } => {
                    format!("  {side:?} {}", text(section, row, side))
                }
                SheetEntry::Fold { section, fold } => {
                    let diff = sheet.content.diff(section).unwrap();
                    format!("  {}", diff.folds[fold].describe())
                }
                SheetEntry::Rendered { text, .. } => {
                    let blocks = sheet.rendered(text).unwrap().blocks.iter();
                    let blocks: Vec<&str> = blocks.map(|block| &*block.text).collect();
                    format!("  rendered {blocks:?}")
                }
                SheetEntry::Gap => String::new(),
                entry => format!("{entry:?}"),
            }
        };
        let lines: Vec<String> = sheet.entries.iter().map(line).collect();
        lines.join("\n")
    }

    #[test]
    fn equal_texts_are_rendered_beside_marked_ones() {
        let differ = calls([("Export hangs.", "respond"), ("Import hangs.", "reply")]);
        insta::assert_snapshot!(picture(&differ, DiffLayout::SideBySide), @r##"
        EqualSections { first: 0, count: 1 }
        Tool call:
          transition_to_respond | transition_to_reply

        Signatures
        Tool(0)
        MessageCount
        NoContextKeys

        Request:
          5 unchanged lines: Role, Current Position, Node
          rendered ["Objective: Decide.", "Available Transitions"]
          ## respond | ## reply
          rendered ["Description: known", "Ticket"]
          Export hangs. | Import hangs.
          rendered ["# no heading"]
        "##);
    }

    #[test]
    fn equal_parts_are_one_fold() {
        let equal_calls = calls([("Export hangs.", "respond"); 2]);
        let content = SheetContent::Calls(equal_calls.clone());
        assert_eq!(content.equal_label(0, 3), "Answer, tool call and request are equal");
        assert_eq!(content.equal_label(0, 1), "Answer is equal");
        insta::assert_snapshot!(picture(&equal_calls, DiffLayout::Unified), @"EqualSections { first: 0, count: 3 }");
        let opened = OpenFolds::from([EQUAL_FOLD]);
        let folds = |section: usize| (section == 0).then_some(&opened);
        let sheet = Sheet::without(content, &folds, DiffLayout::Unified, Some(1));
        let headings = [0, 1, 2].map(|at| sheet.entries.contains(&SheetEntry::Heading(at)));
        assert_eq!(headings, [true, false, false], "the second one is shown elsewhere");
    }

    #[test]
    fn a_fold_names_no_more_than_what_is_equal() {
        let comparison = |members: [&str; 2], contents: [[&str; 4]; 2], answers: [&str; 2]| {
            let documents = [0, 1].map(|side| {
                let message =
                    |text: &str| format!(r#"{{"role": "user", "content": "{text}"}}"#);
                let messages = contents[side].map(message).join(", ");
                let text = format!(
                    r#"{{"request": {{"messages": [{messages}]{}}}, "response": {{"response": {{"content": [{{"type": "text", "text": "Yes."}}]{}}}}}}}"#,
                    members[side], answers[side]
                );
                document::read(Source::new(text.as_str()), "turn-1.json")
            });
            RecordingComparison::new(&documents[0], &documents[1]).unwrap()
        };
        let labels = |comparison: RecordingComparison| {
            let content = SheetContent::Calls(Arc::new(comparison));
            let sheet = Sheet::with_folds(content, &|_| None, DiffLayout::SideBySide);
            let labels = sheet.entries.iter().filter_map(|entry| match entry {
                SheetEntry::EqualSections { first, count } => {
                    Some(sheet.content.equal_label(*first, *count))
                }
                _ => None,
            });
            labels.collect::<Vec<_>>().join(" | ")
        };
        let (none, same) = (["", ""], ["a", "b", "c", "d"]);
        let rows = [
            (none, [same, same], none, "Answer and request are equal"),
            (
                none,
                [same, ["a", "x", "c", "d"]],
                none,
                "Answer and message 1 are equal | Messages 3 to 4 are equal",
            ),
            (
                none,
                [same, ["x", "b", "y", "d"]],
                none,
                "Answer is equal | Message 2 is equal | Message 4 is equal",
            ),
            // The messages are equal, and the request is not.
            (
                [", \"model\": \"m\"", ", \"model\": \"n\""],
                [same, same],
                none,
                "Answer and messages 1 to 4 are equal",
            ),
            (
                [", \"tools\": [{\"name\": \"a\"}]", ", \"tools\": [{\"name\": \"b\"}]"],
                [same, same],
                none,
                "Answer is equal | Messages 1 to 4 are equal",
            ),
            // What differs is of the answer.
            (
                none,
                [same, same],
                ["", ", \"usage\": {\"output\": 2}"],
                "Answer and request are equal",
            ),
        ];
        for (members, contents, answers, expected) in rows {
            assert_eq!(labels(comparison(members, contents, answers)), expected);
        }
    }

    #[test]
    fn differences_beyond_lines_come_first() {
        let sheet = sheet("a\n", "a\r\n", DiffLayout::SideBySide);
        assert_eq!(sheet.entries[0], SheetEntry::Note { section: 0, note: 0 });
        assert_eq!(sheet.entries.len(), 2);
    }
}
