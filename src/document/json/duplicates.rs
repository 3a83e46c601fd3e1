//! Repeated keys in one object.

use std::collections::HashMap;

use crate::text::quoted;
use crate::{NodeId, Problem, RuleId, Tree};

/// Up to this number of members, keys are compared pairwise; above it, by hash.
// Few comparisons cost less than a map, and most objects are small.
const MAX_PAIRWISE_MEMBERS: usize = 12;

/// Returns the members of an object whose keys are repeated later, each with the last member of the same key. YAML merge keys may be
/// repeated.
pub(crate) fn duplicates(tree: &Tree, object: NodeId) -> Vec<(NodeId, NodeId)> {
    let object = tree.node(object);
    let mut members = object.items().filter(|item| !item.is_merge());
    let mut id_pairs = Vec::new();
    if object.len() <= MAX_PAIRWISE_MEMBERS {
        while let Some(item) = members.next() {
            let twins = members.clone().filter(|other| other.has_key_of(item));
            id_pairs.extend(twins.last().map(|last| (item.id(), last.id())));
        }
        return id_pairs;
    }
    let mut last_of: HashMap<Option<&str>, NodeId> = HashMap::with_capacity(object.len());
    last_of.extend(members.clone().map(|item| (item.key(), item.id())));
    let pairs = members.filter_map(|item| Some((item.id(), *last_of.get(&item.key())?)));
    id_pairs.extend(pairs.filter(|(item, last)| item != last));
    id_pairs
}

/// Returns the problem of a repeated key.
pub(crate) fn duplicate_key(tree: &Tree, first: NodeId, last: NodeId) -> Problem {
    let (first, last) = (tree.node(first), tree.node(last));
    let place = tree.source().place(last.key_span().unwrap_or_default().start as usize);
    let message = format!(
        "The key {} is repeated at line {}, column {}; only the last one counts",
        quoted(tree.source().slice(first.key_span().unwrap_or_default())),
        place.line,
        place.column
    );
    let span = first.key_span().unwrap_or_default();
    Problem::at(RuleId::DuplicateKey, tree.source(), span, first.bounded_pointer(), message)
}
