//! Repeated keys in one object.

use std::collections::HashMap;

use crate::text::quoted;
use crate::{NodeId, Problem, RuleId, Tree};

/// Up to this number of members, keys are compared pairwise; above it, by hash.
// Few comparisons cost less than a map, and most objects are small.
const FEW_MEMBERS: usize = 12;

/// Returns the members of an object whose keys are repeated later, each with the last member of the same key. YAML merge keys may be
/// repeated.
pub(crate) fn duplicates(tree: &Tree, object: NodeId) -> Vec<(NodeId, NodeId)> {
    let object = tree.node(object);
    let mut members = object.items().filter(|item| !item.is_merge());
    let mut found = Vec::new();
    if object.len() <= FEW_MEMBERS {
        while let Some(item) = members.next() {
            let later = members.clone().filter(|other| other.has_key_of(item));
            found.extend(later.last().map(|last| (item.id(), last.id())));
        }
        return found;
    }
    let mut last_of: HashMap<Option<&str>, NodeId> = HashMap::with_capacity(object.len());
    last_of.extend(members.clone().map(|item| (item.key(), item.id())));
    let pairs = members.filter_map(|item| Some((item.id(), *last_of.get(&item.key())?)));
    found.extend(pairs.filter(|(item, last)| item != last));
    found
}

/// Returns the problem of a repeated key.
pub(crate) fn duplicate_key(tree: &Tree, earlier: NodeId, last: NodeId) -> Problem {
    let (earlier, last) = (tree.node(earlier), tree.node(last));
    let place = tree.source().place(last.key_span().unwrap_or_default().start as usize);
    let what = format!(
        "The key {} is repeated at line {}, column {}; only the last one counts",
        quoted(tree.source().slice(earlier.key_span().unwrap_or_default())),
        place.line,
        place.column
    );
    let span = earlier.key_span().unwrap_or_default();
    Problem::at(RuleId::DuplicateKey, tree.source(), span, earlier.bounded_pointer(), what)
}
