//! The sort order of the library.

use std::cmp::Reverse;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use crate::{DocId, Items, Orders};
use document::text::{named_enum, natural_order};

named_enum! {
    /// Order of the library's rows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Sort {
        /// The worst first, then by name.
        #[default]
        Worst = "Worst first",
        /// By folder and name.
        Name = "Name",
        /// Those that were recorded last first.
        Newest = "Newest first",
        /// In the order in which they were found. Rows do not move while files are being read.
        Found = "As found",
    }

    /// Returns the label of the order.
    pub fn name;
}

impl Sort {
    /// The orders to choose from.
    pub const CHOICES: [Self; 3] = [Self::Worst, Self::Name, Self::Newest];
}

/// All items by path, folder by folder, in [`natural_order`].
pub(crate) fn by_path(items: &Items) -> Arc<[DocId]> {
    // By folder first, so that a folder is compared once and not with each of its files.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut folders: Vec<(&str, Vec<(&str, DocId)>)> = Vec::new();
    let mut last: Option<(&str, usize)> = None;
    for (id, item) in items.iter() {
        let name = item.folder();
        let number = match last {
            // Most files are in the folder of the one before, which needs no hash.
            Some((last_name, number)) if last_name == name => number,
            _ => *numbers.entry(name).or_insert_with(|| {
                folders.push((name, Vec::new()));
                folders.len() - 1
            }),
        };
        last = Some((name, number));
        folders[number].1.push((item.file_name(), id));
    }
    folders.sort_unstable_by(|(a, _), (b, _)| natural_order(a, b));
    let files = folders.into_iter().flat_map(|(_, mut files)| {
        files.sort_unstable_by(|(a, x), (b, y)| natural_order(a, b).then(x.cmp(y)));
        files
    });
    files.map(|(_, id)| id).collect()
}

/// All items in a sort order; equal items stay in the order of `by_path`.
pub(crate) fn sorted(items: &Items, orders: &Orders, sort: Sort) -> Arc<[DocId]> {
    match sort {
        Sort::Name => Arc::clone(&orders.by_path),
        Sort::Found => items.iter().map(|(id, _)| id).collect(),
        Sort::Worst => {
            let mut ids = orders.by_path.to_vec();
            ids.sort_by_key(|id| Reverse(orders.verdicts[id.index()]));
            ids.into()
        }
        Sort::Newest => {
            let mut times = vec![None; items.ids()];
            // In the order of memory, in which items are looked at in a fraction of the time.
            items.iter().for_each(|(id, item)| times[id.index()] = item.recorded_at.as_deref());
            by_time(&orders.by_path, &times)
        }
    }
}

/// Items by their times, the last first; those without a time come last, and equal ones stay in their order.
fn by_time(ids: &[DocId], times: &[Option<&str>]) -> Arc<[DocId]> {
    let (timed_ids, others): (Vec<DocId>, Vec<DocId>) =
        ids.iter().copied().partition(|id| times[id.index()].is_some());
    if timed_ids.is_empty() {
        return ids.into();
    }
    let mut texts = times.iter().flatten().map(|text| text.as_bytes());
    let first = texts.next().unwrap_or_default();
    let shared_len = texts.fold(first.len(), |len, text| {
        first[..len].iter().zip(text).take_while(|(a, b)| a == b).count()
    });
    // In the order of memory.
    let key = |text: &Option<&str>| text.map(|text| TimeKey::new(&text.as_bytes()[shared_len..]));
    let keys: Vec<TimeKey> = times.iter().map(|text| key(text).unwrap_or_default()).collect();
    let timed_ids = timed_ids.into_iter();
    let mut entries: Vec<(TimeKey, DocId)> = timed_ids.map(|id| (keys[id.index()], id)).collect();
    entries.sort_by(|(left_key, left), (right_key, right)| {
        let order = right_key.cmp(left_key);
        if order.is_eq() && left_key.is_cut() {
            times[right.index()].cmp(&times[left.index()])
        } else {
            order
        }
    });
    entries.into_iter().map(|(_, id)| id).chain(others).collect()
}

/// The beginning of a time, so that few comparisons look at the texts themselves. Keys are in the order of their texts, except that those of
/// long texts may be equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct TimeKey {
    start: [u64; 2],
    /// Length of the text, up to one above the longest whole text.
    len: u8,
}

impl TimeKey {
    /// Length of the texts that are in a key as a whole: enough for day, hour and minute, even if the years differ.
    const LEN: usize = 16;

    fn new(text: &[u8]) -> Self {
        let mut start = [0; Self::LEN];
        let len = text.len().min(Self::LEN);
        start[..len].copy_from_slice(&text[..len]);
        let bits = u128::from_be_bytes(start);
        let len = text.len().min(Self::LEN + 1) as u8;
        Self { start: [(bits >> 64) as u64, bits as u64], len }
    }

    /// Whether the text is longer than the key.
    fn is_cut(&self) -> bool {
        usize::from(self.len) > Self::LEN
    }
}

#[cfg(test)]
mod tests {
    use calls::Item;
    use document::text::cases;
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(cases(500))]

        #[test]
        fn times_are_sorted_as_their_texts(
            start in "[2é]{0,2}", texts in vec(option::of("[\\x00012é-]{0,20}"), 0..60),
        ) {
            let texts = texts.iter().map(|text| text.as_ref().map(|text| format!("{start}{text}")));
            let texts: Vec<Option<String>> = texts.collect();
            let times: Vec<Option<&str>> = texts.iter().map(|text| text.as_deref()).collect();
            // Not the order of memory.
            let ids: Vec<DocId> = (0..times.len()).rev().map(DocId::new).collect();
            let mut plain = ids.clone();
            plain.sort_by_key(|id| Reverse(times[id.index()]));
            prop_assert_eq!(&*by_time(&ids, &times), &*plain);
        }

        #[test]
        fn paths_are_sorted_by_folder_and_name(
            paths in vec("([ab]/)?(x1|x10|x01|é2|)/[a0-2é]{0,3}", 0..60),
        ) {
            let mut items = Items::default();
            for path in &paths {
                items.push(Arc::new(Item::new(path)));
            }
            let mut plain: Vec<(DocId, &Arc<Item>)> = items.iter().collect();
            plain.sort_by(|(_, a), (_, b)| {
                natural_order(a.folder(), b.folder())
                    .then_with(|| natural_order(a.file_name(), b.file_name()))
            });
            let plain: Vec<DocId> = plain.into_iter().map(|(id, _)| id).collect();
            prop_assert_eq!(&*by_path(&items), &*plain);
        }
    }

    #[test]
    fn numbers_in_names_sort_by_value() {
        let mut names = ["turn-10", "turn-2", "turn-02", "turn", "req-1", "turn-2b"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["req-1", "turn", "turn-02", "turn-2", "turn-2b", "turn-10"]);
    }
}
