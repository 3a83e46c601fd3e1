//! The places of all files, grouped by equal change.

use std::collections::HashMap;

use super::{PlaceChange, ReplacePlace};

/// A change, and everywhere it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeGroup<'a> {
    pub change: &'a PlaceChange,
    /// The files in their order, each with its places in the order of the text.
    pub files: Vec<(&'a str, Vec<&'a ReplacePlace>)>,
}

impl ChangeGroup<'_> {
    /// Returns how many places change so.
    pub fn places(&self) -> usize {
        self.files.iter().map(|(_, places)| places.len()).sum()
    }
}

/// Groups the places of files by equal change: the change with the most places first, then by their first place.
pub fn group_changes<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [ReplacePlace])>,
) -> Vec<ChangeGroup<'a>> {
    let mut groups: Vec<ChangeGroup<'a>> = Vec::new();
    let mut indices: HashMap<&PlaceChange, usize> = HashMap::new();
    for (path, places) in files {
        for place in places {
            let index = *indices.entry(&place.change).or_insert_with(|| {
                groups.push(ChangeGroup { change: &place.change, files: Vec::new() });
                groups.len() - 1
            });
            let files = &mut groups[index].files;
            match files.last_mut() {
                Some((last, places)) if *last == path => places.push(place),
                _ => files.push((path, vec![place])),
            }
        }
    }
    // Stable: equally many places stay in the order of their first one.
    groups.sort_by_key(|group| std::cmp::Reverse(group.places()));
    groups
}
