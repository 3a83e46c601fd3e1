//! The sort order of the library.

use std::cmp::Ordering;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use crate::{DocId, Items};
use calls::Item;
use document::Severity;
use document::text::{leading_number, natural_order};

/// A column of the library's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LibraryColumn {
    /// The status of the item.
    Status,
    /// Its label.
    Id,
    /// Its folder.
    Set,
    /// Number of tools that its request offers, at most.
    Tools,
    /// The tool that its answer calls, or the first words.
    Answer,
    /// The model that answered.
    Model,
    /// When it was recorded.
    RecordedAt,
    /// The tokens of its calls.
    Tokens,
    /// Number of its problems.
    Problems,
}

impl LibraryColumn {
    /// The columns from left to right.
    pub const ALL: &[Self] = &[
        Self::Status,
        Self::Id,
        Self::Set,
        Self::Tools,
        Self::Answer,
        Self::Model,
        Self::RecordedAt,
        Self::Tokens,
        Self::Problems,
    ];

    /// The label of the column header.
    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "Status",
            Self::Id => "Id",
            Self::Set => "Set",
            Self::Tools => "Tools",
            Self::Answer => "Answer",
            Self::Model => "Model",
            Self::RecordedAt => "Recorded at",
            Self::Tokens => "Tokens",
            Self::Problems => "Problems",
        }
    }
}

/// The sorted column and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    pub column: LibraryColumn,
    /// Whether the order is descending.
    pub descending: bool,
}

impl Sort {
    /// The sort after a click on a column header: reversed if it was sorted by that column, else its default direction.
    #[must_use]
    pub fn after_click(self, column: LibraryColumn) -> Self {
        if self.column == column {
            return Self { descending: !self.descending, ..self };
        }
        Self {
            column,
            // The newest and the largest are looked for more often.
            descending: matches!(
                column,
                LibraryColumn::RecordedAt
                    | LibraryColumn::Tools
                    | LibraryColumn::Tokens
                    | LibraryColumn::Problems
            ),
        }
    }
}

impl Default for Sort {
    fn default() -> Self {
        Self { column: LibraryColumn::RecordedAt, descending: true }
    }
}

/// All items by path, folder by folder, in [`natural_order`].
pub(crate) fn by_path(items: &Items) -> Arc<[DocId]> {
    // By folder first, so that a folder is compared once and not with each of its files.
    let mut folders: HashMap<&str, Vec<(&str, DocId)>> = HashMap::new();
    for (id, item) in items.iter() {
        folders.entry(item.folder()).or_default().push((item.file_name(), id));
    }
    let mut folders: Vec<_> = folders.into_iter().collect();
    folders.sort_unstable_by(|(a, _), (b, _)| natural_order(a, b));
    let files = folders.into_iter().flat_map(|(_, mut files)| {
        files.sort_unstable_by(|(a, x), (b, y)| natural_order(a, b).then(x.cmp(y)));
        files
    });
    files.map(|(_, id)| id).collect()
}

/// All items in a sort order; equal items stay in the order of `by_path`.
pub(crate) fn sorted(items: &Items, by_path: &[DocId], sort: Sort) -> Arc<[DocId]> {
    let key_of = |id: &DocId| Some(Keyed::new(*id, items.get(*id)?, sort.column));
    let mut keyed_items: Vec<Keyed<'_>> = by_path.iter().filter_map(key_of).collect();
    keyed_items.sort_by(|a, b| {
        let ordering =
            a.begin.cmp(&b.begin).then_with(|| compare_rest(sort.column, a.item, b.item));
        if sort.descending { ordering.reverse() } else { ordering }
    });
    keyed_items.into_iter().map(|k| k.id).collect()
}

/// An item with the beginning of its sort key. Most pairs differ there, which avoids the slow comparison of whole
/// keys.
struct Keyed<'a> {
    begin: u128,
    id: DocId,
    item: &'a Item,
}

impl<'a> Keyed<'a> {
    fn new(id: DocId, item: &'a Item, column: LibraryColumn) -> Self {
        let begin = match column {
            LibraryColumn::Status => item.status().rank().into(),
            LibraryColumn::Id => natural_begin(item.label()),
            LibraryColumn::Set => first_bytes(item.folder().bytes()),
            LibraryColumn::Answer => first_bytes(answer(item).bytes()),
            LibraryColumn::Model => first_bytes(item.model.iter().flat_map(|model| model.bytes())),
            LibraryColumn::RecordedAt => {
                first_bytes(item.recorded_at.iter().flat_map(|time| time.bytes()))
            }
            LibraryColumn::Tools => item.offered_tools() as u128,
            LibraryColumn::Tokens => item.tokens().unwrap_or_default().into(),
            LibraryColumn::Problems => weight(item),
        };
        Self { begin, id, item }
    }
}

/// Compares two items whose sort keys begin alike.
fn compare_rest(column: LibraryColumn, a: &Item, b: &Item) -> Ordering {
    match column {
        LibraryColumn::Status
        | LibraryColumn::Tools
        | LibraryColumn::Tokens
        | LibraryColumn::Problems => Ordering::Equal,
        LibraryColumn::Id => natural_order(a.label(), b.label()),
        LibraryColumn::Set => a.folder().cmp(b.folder()),
        LibraryColumn::Answer => answer(a).cmp(answer(b)),
        LibraryColumn::Model => a.model.cmp(&b.model),
        LibraryColumn::RecordedAt => a.recorded_at.cmp(&b.recorded_at),
    }
}

fn answer(item: &Item) -> &str {
    item.summary.as_ref().map_or("", |summary| summary.label())
}

fn weight(item: &Item) -> u128 {
    let levels = [Severity::Error, Severity::Warning, Severity::Note];
    // No file has as many problems as 32 bits can count, so no level adds to the next.
    levels.iter().fold(0, |weight, level| weight << 32 | item.count(*level) as u128)
}

/// Number of bytes that fit into the number used for sorting.
const BEGIN_BYTES: usize = size_of::<u128>();

/// The first bytes of a text as a number that sorts like the text.
fn first_bytes(bytes: impl Iterator<Item = u8>) -> u128 {
    let mut begin = [0; BEGIN_BYTES];
    for (place, byte) in begin.iter_mut().zip(bytes) {
        *place = byte;
    }
    u128::from_be_bytes(begin)
}

/// The same for [`natural_order`]: a number in the text becomes a digit, its length and its digits.
fn natural_begin(text: &str) -> u128 {
    let mut begin = Vec::with_capacity(BEGIN_BYTES);
    let mut rest = text;
    while begin.len() < BEGIN_BYTES && !rest.is_empty() {
        match rest.as_bytes()[0] {
            b'0'..=b'9' => {
                let (number, remainder) = leading_number(rest);
                let Some(len) = u8::try_from(number.len()).ok().filter(|len| *len < u8::MAX) else {
                    // Longer than numbers in practice: all such numbers are treated as equal here.
                    begin.extend([b'0', u8::MAX]);
                    break;
                };
                begin.extend([b'0', len]);
                begin.extend(number.bytes());
                rest = remainder;
            }
            _ => {
                let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
                begin.extend(rest.bytes().take(end));
                rest = &rest[end..];
            }
        }
    }
    first_bytes(begin.into_iter())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_in_names_sort_by_value() {
        let mut names = ["turn-10", "turn-2", "turn-02", "turn", "req-1", "turn-2b"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["req-1", "turn", "turn-02", "turn-2", "turn-2b", "turn-10"]);
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn the_beginning_never_contradicts_the_whole(a in "[a0-2é/:.]{0,24}|9{300}1?", b in "[a0-2é/:.]{0,24}|9{254}[0-2]{0,9}") {
            let order = natural_order(&a, &b);
            let begin = natural_begin(&a).cmp(&natural_begin(&b));
            prop_assert!(begin == order || begin == Ordering::Equal, "{begin:?} {order:?}");
            let begin = first_bytes(a.bytes()).cmp(&first_bytes(b.bytes()));
            prop_assert!(begin == a.cmp(&b) || begin == Ordering::Equal);
        }
    }
}
