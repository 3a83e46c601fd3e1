//! Hashes of values, which find equal and similar values without comparing each pair.

use std::hash::{BuildHasher as _, Hash, Hasher as _};

use foldhash::fast::FixedState;

use calls::tape::verify::ignore;
use document::{Node, NodeKind, Tree};

/// For each value of a tree two numbers: equal values have equal ones. Nothing is decided by them alone: they say what to
/// compare with what.
pub(super) struct Hashes {
    exact: Vec<u64>,
    sketch: Vec<u64>,
}

impl Hashes {
    pub(super) fn new(tree: &Tree) -> Self {
        let mut hashes = Self { exact: vec![0; tree.len()], sketch: vec![0; tree.len()] };
        // Parents precede their parts, so in reverse order the parts are first.
        for at in (0..tree.len()).rev() {
            for node in tree.nodes_at(at..at + 1) {
                hashes.exact[at] = value(node, &|part| Some(hashes.exact[part.positions().start]));
                hashes.sketch[at] = sketch(node, &|part| hashes.sketch[part.positions().start]);
            }
        }
        hashes
    }

    /// Returns the same for values that are equal.
    pub(super) fn exact(&self, node: Node<'_>) -> u64 {
        self.exact[node.positions().start]
    }

    /// Returns the same for values that are equal except for times, ids and durations.
    pub(super) fn sketch(&self, node: Node<'_>) -> u64 {
        self.sketch[node.positions().start]
    }
}

/// Returns the same as [`Hashes::sketch`], for a value of which nothing else is needed.
pub(super) fn sketch_of(node: Node<'_>) -> u64 {
    sketch(node, &sketch_of)
}

/// The hash of a value by those of its parts, without times, ids and durations.
fn sketch(node: Node<'_>, part_sketch: &dyn Fn(Node<'_>) -> u64) -> u64 {
    if is_noise(node) {
        return 0;
    }
    match node.as_str() {
        Some(text) => hash(ignore::masked(text).0),
        None => value(node, &|part| {
            let is_noise = part.key().is_some_and(names_noise);
            (!is_noise).then(|| part_sketch(part))
        }),
    }
}

/// Returns whether members of this name say nothing about what their object is.
fn names_noise(key: &str) -> bool {
    ignore::names_id(key) || ignore::names_date(key) || ignore::names_duration(key)
}

fn is_noise(node: Node<'_>) -> bool {
    let is_noise = |text: &str| ignore::is_id(text) || ignore::is_date(text);
    node.as_str().is_some_and(is_noise)
}

pub(super) fn hash(value: impl Hash) -> u64 {
    // The seed is fixed: what is sorted by hashes has the same order in every run.
    FixedState::default().hash_one(value)
}

/// Returns the texts and numbers in a value, without the names of its members; of a long value, only the first ones.
pub(super) fn text_of(node: Node<'_>) -> String {
    const MAX_TEXT_BYTES: usize = 4096;
    let mut all = String::new();
    for part in node.tree().nodes_at(node.positions()) {
        if all.len() > MAX_TEXT_BYTES {
            break;
        }
        if let Some(text) = part.scalar_text() {
            all.push_str(text);
            all.push(' ');
        }
    }
    all
}

/// The hash of a value by those of its parts; a part without one does not count, and members in any order are the same.
fn value(node: Node<'_>, part: &dyn Fn(Node<'_>) -> Option<u64>) -> u64 {
    if let Some(target) = node.alias_target() {
        // The target of an alias precedes it in the text, so the hash of the alias is not known yet.
        return hash(target.raw());
    }
    match node.kind() {
        NodeKind::Object => {
            let member = |item: Node<'_>| Some(hash((item.key(), part(item)?)));
            // A sum ignores the order of members. It starts at 1, because 0 is the sketch of noise.
            node.items().filter_map(member).fold(1, u64::wrapping_add)
        }
        NodeKind::Array => {
            let mut hasher = FixedState::default().build_hasher();
            node.items().filter_map(part).for_each(|part| hasher.write_u64(part));
            hasher.finish()
        }
        // `1` and `1.0` are no difference, so their hashes are equal.
        NodeKind::Number => hash(node.as_f64().map(f64::to_bits)),
        kind => hash((kind, node.scalar_text())),
    }
}
