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
pub(crate) fn sorted(items: &Items, orders: &Orders, sort: Sort) -> Arc<[DocId]> {
    let mut ids = match sort {
        Sort::Name => return Arc::clone(&orders.by_path),
        Sort::Found => return items.iter().map(|(id, _)| id).collect(),
        Sort::Worst | Sort::Newest => orders.by_path.to_vec(),
    };
    if sort == Sort::Worst {
        ids.sort_by_key(|id| Reverse(orders.verdicts[id.index()]));
    } else {
        ids.sort_by_key(|id| Reverse(items.get(*id).and_then(|item| item.recorded_at.as_deref())));
    }
    ids.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_sort_by_value() {
        let mut names = ["turn-10", "turn-2", "turn-02", "turn", "req-1", "turn-2b"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["req-1", "turn", "turn-02", "turn-2", "turn-2b", "turn-10"]);
    }
}
