//! The rows of the library as they stand on screen: filtered, sorted, grouped.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::library::{DocId, Library};
use crate::format::Severity;
use crate::ops::{Item, Status};

/// A column of the library's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// How the item stands.
    Status,
    /// What it is.
    Kind,
    /// What people call it.
    Id,
    /// The folder it lies in.
    Set,
    /// The tools its request offers.
    Tools,
    /// The model it was made with.
    Model,
    /// When it was recorded.
    RecordedAt,
    /// How many problems it has.
    Problems,
}

impl Column {
    /// The columns from left to right.
    pub const ALL: &[Self] = &[
        Self::Status,
        Self::Kind,
        Self::Id,
        Self::Set,
        Self::Tools,
        Self::Model,
        Self::RecordedAt,
        Self::Problems,
    ];

    /// The word in the table's heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "Status",
            Self::Kind => "Kind",
            Self::Id => "Id",
            Self::Set => "Set",
            Self::Tools => "Tools offered",
            Self::Model => "Model",
            Self::RecordedAt => "Recorded at",
            Self::Problems => "Problems",
        }
    }
}

/// By which column rows are sorted, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// The column.
    pub column: Column,
    /// True for the greatest first.
    pub descending: bool,
}

impl Sort {
    /// The sort after a press on a column's heading: the other way round if it was sorted by, else its natural way.
    #[must_use]
    pub fn pressed(self, column: Column) -> Self {
        if self.column == column {
            return Self {
                descending: !self.descending,
                ..self
            };
        }
        Self {
            column,
            descending: matches!(column, Column::RecordedAt | Column::Problems),
        }
    }
}

impl Default for Sort {
    fn default() -> Self {
        Self {
            column: Column::RecordedAt,
            descending: true,
        }
    }
}

/// Under which headings rows stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grouping {
    /// Under none.
    #[default]
    None,
    /// Under the folder they lie in.
    Folder,
    /// Under how they stand.
    Status,
}

/// One row on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A heading.
    Group {
        /// Its words; also its name in [`Action::ToggleGroup`](super::Action::ToggleGroup).
        name: String,
        /// How many items stand under it.
        count: usize,
        /// How many of each status, in the order of the statuses.
        statuses: Vec<(Status, usize)>,
        /// True when its rows are hidden.
        folded: bool,
    },
    /// An item.
    Item(DocId),
}

/// Counts over everything the filter lets through, whatever quick choice is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All of them.
    pub all: usize,
    /// Whose source changed.
    pub stale: usize,
    /// With an error or a warning.
    pub problems: usize,
    /// Without source metadata.
    pub unstamped: usize,
}

/// Rows in the order they stand on screen.
#[derive(Debug, Default)]
pub struct Listing {
    rows: Vec<Row>,
    /// The items among the rows, in the same order, folded groups included: what stepping walks through.
    order: Vec<DocId>,
    totals: Totals,
    /// How many items there were when it was built.
    seen: usize,
}

/// What decides which rows there are.
pub(super) struct Choice<'a> {
    pub(super) keep: &'a dyn Fn(&Item) -> bool,
    pub(super) quick: &'a dyn Fn(&Item) -> bool,
    pub(super) sort: Sort,
    pub(super) grouping: Grouping,
    pub(super) folded: &'a HashSet<String>,
}

impl Listing {
    pub(super) fn build(library: &Library, choice: &Choice<'_>) -> Self {
        let mut totals = Totals::default();
        let mut order = Vec::new();
        for (id, item) in library.iter().filter(|(_, item)| (choice.keep)(item)) {
            totals.count(item);
            if (choice.quick)(item) {
                order.push((id, item));
            }
        }
        let sort = choice.sort;
        order.sort_by(|(_, a), (_, b)| {
            let by_column = compare(sort.column, a, b);
            let by_column = if sort.descending {
                by_column.reverse()
            } else {
                by_column
            };
            by_column.then_with(|| a.path.cmp(&b.path))
        });
        let rows = match choice.grouping {
            Grouping::None => order.iter().map(|(id, _)| Row::Item(*id)).collect(),
            grouping => grouped(&mut order, grouping, choice.folded),
        };
        Self {
            rows,
            order: order.into_iter().map(|(id, _)| id).collect(),
            totals,
            seen: library.len(),
        }
    }

    /// The rows from top to bottom.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How many items are listed, those in folded groups included.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True when no item is listed.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// How many items there were when it was built.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// Counts over everything the filter lets through.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The visible item `by` rows after (or before) `from`; the first one when `from` is not listed.
    pub(super) fn step(&self, from: Option<DocId>, by: isize) -> Option<DocId> {
        let visible: Vec<DocId> = self.rows.iter().filter_map(Row::item).collect();
        let at = from.and_then(|from| visible.iter().position(|id| *id == from));
        let to = match at {
            Some(at) => at
                .saturating_add_signed(by)
                .min(visible.len().saturating_sub(1)),
            None => 0,
        };
        visible.get(to).copied()
    }

    /// The first and the last visible item.
    pub(super) fn ends(&self) -> Option<(DocId, DocId)> {
        Some((
            self.rows.iter().find_map(Row::item)?,
            self.rows.iter().rev().find_map(Row::item)?,
        ))
    }
}

impl Row {
    /// The item, if it is one.
    pub fn item(&self) -> Option<DocId> {
        match self {
            Self::Item(id) => Some(*id),
            Self::Group { .. } => None,
        }
    }
}

impl Totals {
    fn count(&mut self, item: &Item) {
        self.all += 1;
        self.stale += usize::from(is_stale(item));
        self.problems += usize::from(has_problems(item));
        self.unstamped += usize::from(item.status() == Status::Unstamped);
    }
}

/// True for an item whose source changed.
pub(super) fn is_stale(item: &Item) -> bool {
    matches!(item.status(), Status::Stale | Status::StaleBreaks)
}

/// True for an item with an error or a warning.
pub(super) fn has_problems(item: &Item) -> bool {
    item.worst() >= Some(Severity::Warning)
}

fn compare(column: Column, a: &Item, b: &Item) -> Ordering {
    match column {
        Column::Status => a.status().cmp(&b.status()),
        Column::Kind => a.kind.cmp(&b.kind),
        Column::Id => natural(a.label(), b.label()),
        Column::Set => a.folder().cmp(b.folder()),
        Column::Tools => tools(a).cmp(tools(b)),
        Column::Model => a.model.cmp(&b.model),
        Column::RecordedAt => a.recorded_at.cmp(&b.recorded_at),
        Column::Problems => weight(a).cmp(&weight(b)),
    }
}

fn tools(item: &Item) -> impl Iterator<Item = &str> {
    item.signature
        .iter()
        .flat_map(|signature| signature.tool_names.iter().map(|name| &**name))
}

fn weight(item: &Item) -> (usize, usize, usize) {
    (
        item.count(Severity::Error),
        item.count(Severity::Warning),
        item.count(Severity::Note),
    )
}

/// Compares texts so that `turn-2` stands before `turn-10`, as people expect (playback's own order is another).
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        match (left.chars().next(), right.chars().next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number, rest) = digits(left);
                let (other, other_rest) = digits(right);
                let order = number
                    .len()
                    .cmp(&other.len())
                    .then_with(|| number.cmp(other));
                if order != Ordering::Equal {
                    return order;
                }
                (left, right) = (rest, other_rest);
            }
            (Some(x), Some(y)) if x != y => return x.cmp(&y),
            (Some(x), Some(_)) => (left, right) = (&left[x.len_utf8()..], &right[x.len_utf8()..]),
        }
    }
}

/// Splits off leading digits; zeros in front don't count.
fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.trim_start_matches('0'), rest)
}

fn heading(item: &Item, grouping: Grouping) -> (u8, &str) {
    match grouping {
        Grouping::Status => (item.status().rank(), item.status().label()),
        _ => (
            0,
            if item.folder().is_empty() {
                "."
            } else {
                item.folder()
            },
        ),
    }
}

/// Puts the items under headings, keeping their order within each.
fn grouped(order: &mut [(DocId, &Item)], grouping: Grouping, folded: &HashSet<String>) -> Vec<Row> {
    order.sort_by(|(_, a), (_, b)| heading(a, grouping).cmp(&heading(b, grouping)));
    let mut rows = Vec::with_capacity(order.len());
    for group in order.chunk_by(|(_, a), (_, b)| heading(a, grouping) == heading(b, grouping)) {
        let name = heading(group[0].1, grouping).1.to_owned();
        let mut statuses: Vec<(Status, usize)> = Vec::new();
        for (_, item) in group {
            match statuses
                .iter_mut()
                .find(|(status, _)| *status == item.status())
            {
                Some((_, count)) => *count += 1,
                None => statuses.push((item.status(), 1)),
            }
        }
        statuses.sort();
        let folded = folded.contains(&name);
        rows.push(Row::Group {
            name,
            count: group.len(),
            statuses,
            folded,
        });
        if !folded {
            rows.extend(group.iter().map(|(id, _)| Row::Item(*id)));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_sort_by_value() {
        let mut names = ["turn-10", "turn-2", "turn-02", "turn", "req-1", "turn-2b"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            ["req-1", "turn", "turn-02", "turn-2", "turn-2b", "turn-10"]
        );
    }
}
