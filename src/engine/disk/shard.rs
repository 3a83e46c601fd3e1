//! Divides the folders of a project among several runs of a check, on one machine or on several.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use crate::format::Problem;

/// One of several parts of a check. Every part lists all folders, but reads only its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 1.
    pub number: usize,
    /// How many parts there are.
    pub count: usize,
}

/// What a scan of one part has to know of the others, and what the others have to know of it.
#[derive(Debug, Default)]
pub struct ScannedPart {
    /// A hash of all listed paths, which is the same in all parts.
    pub tree: String,
    /// Whether a recording of this part names its source.
    pub any_stamped: bool,
    /// Problems of recordings that do not name their source, if one of another part names it. By the number of the item.
    pub if_stamped: Vec<(usize, Problem)>,
    /// The folders with files that tests play.
    pub fixtures: Vec<String>,
    /// The numbers of items that are listed only if they are below a folder of fixtures of another part.
    pub candidates: Vec<usize>,
}

/// Assigns each folder to the part with the fewest files so far, in the order of listing. All parts come to the same result.
pub(in crate::engine) struct ShardAssignment {
    shard: Shard,
    part_of: HashMap<String, usize>,
    files: Vec<usize>,
    tree: Sha256,
}

impl ShardAssignment {
    pub(in crate::engine) fn new(shard: Shard) -> Self {
        Self {
            shard,
            part_of: HashMap::new(),
            files: vec![0; shard.count.max(1)],
            tree: Sha256::new(),
        }
    }

    /// Returns whether this part reads a file, by its path from the project root. All files are passed in the order of listing.
    pub(in crate::engine) fn takes(&mut self, root_path: &str) -> bool {
        self.tree.update(root_path.as_bytes());
        self.tree.update([0]);
        let folder = root_path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let part = match self.part_of.get(folder) {
            Some(part) => *part,
            None => {
                let parts = self.files.iter().enumerate();
                let smallest = parts.min_by_key(|(_, files)| **files);
                let part = smallest.map_or(0, |(part, _)| part);
                self.part_of.insert(folder.to_owned(), part);
                part
            }
        };
        self.files[part] += 1;
        part + 1 == self.shard.number
    }

    /// Returns a hash of all paths.
    pub(in crate::engine) fn tree(self) -> String {
        let digest = self.tree.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_one_part_and_folders_stay_whole() {
        let paths = ["a/1", "a/2", "a/3", "b/1", "c/1", "c/2", "d/1", "a/late"];
        let parts: Vec<Vec<&str>> = (1..=3)
            .map(|number| {
                let mut assignment = ShardAssignment::new(Shard { number, count: 3 });
                let taken = paths.iter().copied().filter(|path| assignment.takes(path));
                taken.collect()
            })
            .collect();
        assert_eq!(
            parts,
            [vec!["a/1", "a/2", "a/3", "a/late"], vec!["b/1", "d/1"], vec!["c/1", "c/2"]]
        );
    }
}
