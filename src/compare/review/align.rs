//! Alignment of two lists: which element of one became which element of the other. The steps are the same for the lists of
//! values, which are aligned here, and for the calls of cassettes; what an element is recognised by differs.

use foldhash::{HashMap, HashMapExt as _};

use super::similarity::{Hashes, hash, text_of};
use document::diff::text::stayed;
use document::diff::word_diff::Weighed;
use document::{Node, NodeKind};

/// The least similarity at which an element counts as a changed version of one with another name.
const MIN_SIMILARITY: f32 = 0.6;

/// The most pairs of elements between two aligned ones that are compared by similarity.
// A gap of 32 elements on each side: pairs grow with the square, and each compares two texts.
const MAX_COMPARED_PAIRS: usize = 1024;

/// The alignment of two lists.
#[derive(Debug)]
pub(super) struct Alignment {
    /// For each element of the first list the one of the second that it became.
    pub(super) partners: Vec<Option<usize>>,
    /// For each element of the second list the one of the first that it was.
    pub(super) sources: Vec<Option<usize>>,
    /// Whether an element of the first list is elsewhere in the second, relative to those that stayed.
    pub(super) moved: Vec<bool>,
}

/// The pairs that were found up to now.
pub(super) struct Partners([Vec<Option<usize>>; 2]);

impl Partners {
    /// Returns no pairs, for lists of these lengths.
    pub(super) fn new(lens: [usize; 2]) -> Self {
        Self(lens.map(|len| vec![None; len]))
    }

    pub(super) fn pair(&mut self, a: usize, b: usize) {
        self.0[0][a] = Some(b);
        self.0[1][b] = Some(a);
    }

    pub(super) fn are_free(&self, a: usize, b: usize) -> bool {
        self.0[0][a].is_none() && self.0[1][b].is_none()
    }

    /// Returns those elements of a list that have no partner.
    pub(super) fn free(&self, side: usize, all: impl IntoIterator<Item = usize>) -> Vec<usize> {
        all.into_iter().filter(|at| self.0[side][*at].is_none()).collect()
    }

    /// Returns the elements without a partner between each two pairs that kept their order.
    pub(super) fn gaps(&self) -> Vec<[Vec<usize>; 2]> {
        let [partners, sources] = &self.0;
        let pairs = partners.iter().zip(stayed(partners)).enumerate();
        let anchors = pairs.filter_map(|(a, (p, i))| Some((a, p.filter(|_| i)?)));
        let ends = anchors.chain([(partners.len(), sources.len())]);
        let gap = |from: &mut (usize, usize), to: (usize, usize)| {
            let gap = [self.free(0, from.0..to.0), self.free(1, from.1..to.1)];
            *from = (to.0 + 1, to.1 + 1);
            Some(gap)
        };
        ends.scan((0, 0), gap).collect()
    }

    /// Pairs the best of weighed pairs first; of equal ones, those that are first in the list.
    pub(super) fn pair_best(
        &mut self,
        mut scores: Vec<(f32, usize, usize)>,
        may_pair: impl Fn(usize, usize) -> bool,
    ) {
        // Stable: equally similar pairs stay in the order of their list.
        scores.sort_by(|x, y| y.0.total_cmp(&x.0));
        for (_, a, b) in scores {
            if self.are_free(a, b) && may_pair(a, b) {
                self.pair(a, b);
            }
        }
    }

    /// Pairs what has no partner in its order, if both sides have equally many.
    pub(super) fn pair_in_order(
        &mut self,
        [a, b]: [Vec<usize>; 2],
        may_pair: impl Fn(usize, usize) -> bool,
    ) {
        let (a, b) = (self.free(0, a), self.free(1, b));
        // With more on one side, nothing says which of them has no partner.
        if a.len() != b.len() {
            return;
        }
        for (a, b) in a.into_iter().zip(b) {
            if may_pair(a, b) {
                self.pair(a, b);
            }
        }
    }

    /// Returns the alignment, in which what does not keep the order of most pairs has moved.
    pub(super) fn finish(self) -> Alignment {
        let [partners, sources] = self.0;
        let pairs = partners.iter().zip(stayed(&partners));
        let moved = pairs.map(|(partner, is_in_order)| partner.is_some() && !is_in_order).collect();
        Alignment { partners, sources, moved }
    }
}

/// A list with the hashes of its elements.
pub(super) struct HashedList<'a, 'h> {
    pub(super) list: Node<'a>,
    pub(super) hashes: &'h Hashes,
}

/// Aligns two lists. The choice between two equally good alignments does not depend on the order of the lists.
pub(super) fn align(first: &HashedList<'_, '_>, second: &HashedList<'_, '_>) -> Alignment {
    // The texts give an order that both directions share, so that the way back is the mirror of the way there.
    if first.list.raw() <= second.list.raw() {
        align_ordered(first, second)
    } else {
        align_ordered(second, first).mirrored()
    }
}

fn align_ordered(first: &HashedList<'_, '_>, second: &HashedList<'_, '_>) -> Alignment {
    let (a, b) = (first.list.items().collect(), second.list.items().collect());
    let mut aligner = Aligner::new(a, b);
    // From certain marks to uncertain ones: each step pairs only what the ones before left over.
    let exact = [first, second].map(|side| side.each(|hashes, node| Some(hashes.exact(node))));
    aligner.ends(&exact);
    aligner.unique(&exact);
    aligner.spread(&exact);
    let sketch = [first, second].map(|side| side.each(|hashes, node| Some(hashes.sketch(node))));
    aligner.unique(&sketch);
    aligner.spread(&sketch);
    // Ids before names: several calls may have the name of one tool. `tool` is the name in sessions.
    for key in ["id", "tool_use_id", "name", "tool"] {
        aligner.unique(&[first, second].map(|side| side.each(|_, node| named(node, key))));
    }
    aligner.gaps();
    aligner.partners.finish()
}

impl HashedList<'_, '_> {
    fn each(&self, mark: impl Fn(&Hashes, Node<'_>) -> Option<u64>) -> Vec<Option<u64>> {
        self.list.items().map(|item| mark(self.hashes, item)).collect()
    }
}

/// Returns the hash of an element's name, which is its member `key`.
fn named(node: Node<'_>, key: &str) -> Option<u64> {
    node.get(key).and_then(Node::as_str).map(hash)
}

impl Alignment {
    fn mirrored(self) -> Self {
        let moved = self.sources.iter().map(|source| source.is_some_and(|at| self.moved[at]));
        Self { moved: moved.collect(), partners: self.sources, sources: self.partners }
    }
}

struct Aligner<'a> {
    items: [Vec<Node<'a>>; 2],
    partners: Partners,
}

impl<'a> Aligner<'a> {
    fn new(first: Vec<Node<'a>>, second: Vec<Node<'a>>) -> Self {
        Self { partners: Partners::new([first.len(), second.len()]), items: [first, second] }
    }

    /// Pairs the equal elements at the start and at the end of both lists.
    fn ends(&mut self, marks: &[Vec<Option<u64>>; 2]) {
        let [a, b] = marks;
        let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        // An element that is equal at both ends counts only at the start.
        let rest = a.len().min(b.len()) - start;
        let end = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        (0..start).for_each(|at| self.partners.pair(at, at));
        (1..=end).for_each(|at| self.partners.pair(a.len() - at, b.len() - at));
    }

    /// Pairs elements with the same mark if it occurs once on each side.
    fn unique(&mut self, marks: &[Vec<Option<u64>>; 2]) {
        let mut places: HashMap<u64, [Vec<usize>; 2]> = HashMap::new();
        for (side, marks) in marks.iter().enumerate() {
            for (at, mark) in marks.iter().enumerate() {
                if let (Some(mark), None) = (mark, self.partners.0[side][at]) {
                    places.entry(*mark).or_default()[side].push(at);
                }
            }
        }
        for places in places.into_values() {
            if let [[a], [b]] = places.each_ref().map(Vec::as_slice)
                && may_pair(self.items[0][*a], self.items[1][*b])
            {
                self.partners.pair(*a, *b);
            }
        }
    }

    /// Extends each pair in both directions while the neighbours have equal marks.
    fn spread(&mut self, marks: &[Vec<Option<u64>>; 2]) {
        let len = marks[0].len();
        for at in 1..len {
            self.pair_alike(marks, at, self.partners.0[0][at - 1].map(|partner| partner + 1));
        }
        for at in (1..len).rev() {
            let next = self.partners.0[0][at].and_then(|partner| partner.checked_sub(1));
            self.pair_alike(marks, at - 1, next);
        }
    }

    /// Pairs two elements if their marks are equal and they have no partner yet.
    fn pair_alike(&mut self, marks: &[Vec<Option<u64>>; 2], a: usize, b: Option<usize>) {
        if let Some(b) = b.filter(|b| *b < marks[1].len())
            && self.partners.are_free(a, b)
            && marks[0][a] == marks[1][b]
        {
            self.partners.pair(a, b);
        }
    }

    /// Between two elements that kept their order, pairs the most similar elements first; then, if both sides have
    /// equally many left, these in order.
    fn gaps(&mut self) {
        let Self { items, partners } = self;
        let nodes = |a: usize, b: usize| (items[0][a], items[1][b]);
        for [a, b] in partners.gaps() {
            if a.len() * b.len() <= MAX_COMPARED_PAIRS {
                let weigh = |side: usize, at: &usize| Weighed::new(&text_of(items[side][*at]));
                let first: Vec<_> = a.iter().map(|at| weigh(0, at)).collect();
                let second: Vec<_> = b.iter().map(|at| weigh(1, at)).collect();
                let pairs = (0..a.len()).flat_map(|x| (0..b.len()).map(move |y| (x, y)));
                let scores = pairs
                    .map(|(x, y)| (first[x].similarity(&second[y]), a[x], b[y]))
                    .filter(|(similarity, ..)| *similarity >= MIN_SIMILARITY);
                partners.pair_best(scores.collect(), |left, right| {
                    let (left, right) = nodes(left, right);
                    may_pair(left, right)
                });
            }
            partners.pair_in_order([a, b], |left, right| {
                let (left, right) = nodes(left, right);
                may_pair(left, right) && may_differ(left, right)
            });
        }
    }
}

/// Returns whether one element may have become the other: they are of one kind, type and role.
fn may_pair(a: Node<'_>, b: Node<'_>) -> bool {
    let same = |key: &str| {
        let [a, b] = [a, b].map(|node| node.get(key).and_then(Node::as_str));
        // A type or role that only one of them has is no evidence against the pair.
        a == b || a.is_none() || b.is_none()
    };
    a.kind() == b.kind() && (a.kind() != NodeKind::Object || same("type") && same("role"))
}

/// Whether one element may have become the other although they are not alike. A thing with another name is another thing,
/// unless its type says what it is.
fn may_differ(a: Node<'_>, b: Node<'_>) -> bool {
    let name = |node: Node<'_>| node.get("name").and_then(Node::as_str).map(str::to_owned);
    name(a) == name(b) || a.get("type").is_some() && b.get("type").is_some()
}
