//! Aligns the lines of two texts: first those that occur once in each, then what is between them.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt as _};
use similar::DiffOp;

/// Aligns the lines between two that occur once, by their numbers.
pub(crate) type GapAligner<'a> = &'a dyn Fn(&[u32], &[u32]) -> Vec<DiffOp>;

/// Number of occurrences of a line in a text, with its place if it occurs once.
#[derive(Clone, Copy)]
enum Occurrence {
    Never,
    At(usize),
    Often,
}

impl Occurrence {
    fn and(self, at: usize) -> Self {
        if matches!(self, Self::Never) { Self::At(at) } else { Self::Often }
    }
}

/// Returns the equal and the different ranges of two lists of lines, in order. Two that are next to each other are not both equal. `align`
/// aligns what is between two lines that occur once.
pub(crate) fn align_lines<L: Copy + Eq + Hash>(
    left: &[L],
    right: &[L],
    align: GapAligner<'_>,
) -> Vec<DiffOp> {
    let mut numbers: HashMap<L, u32> = HashMap::with_capacity(left.len());
    let mut occurrences: Vec<[Occurrence; 2]> = Vec::with_capacity(left.len());
    // Each line is hashed once; from here on, numbers are compared.
    let [left, right]: [Vec<u32>; 2] = [(0, left), (1, right)].map(|(side, lines)| {
        let number = |(at, line): (usize, &L)| {
            let number = *numbers.entry(*line).or_insert_with(|| {
                occurrences.push([Occurrence::Never; 2]);
                occurrences.len() as u32 - 1
            });
            let occurrence = &mut occurrences[number as usize][side];
            *occurrence = occurrence.and(at);
            number
        };
        lines.iter().enumerate().map(number).collect()
    });
    let partner = |number: &u32| match occurrences[*number as usize] {
        [Occurrence::At(_), Occurrence::At(place)] => Some(place),
        _ => None,
    };
    let partners: Vec<Option<usize>> = left.iter().map(partner).collect();
    // As in a patience diff; lines that moved would cross other anchors.
    let anchors = partners.iter().zip(stayed(&partners)).enumerate();
    let anchors =
        anchors.filter_map(|(at, (partner, is_anchor))| Some((at, partner.filter(|_| is_anchor)?)));
    let mut all_ops = Vec::new();
    let mut from = (0, 0);
    for to in anchors.chain([(left.len(), right.len())]) {
        align_gap((&left[from.0..to.0], &right[from.1..to.1]), from, align, &mut all_ops);
        if to.0 < left.len() {
            push_equal(&mut all_ops, to, 1);
        }
        from = (to.0 + 1, to.1 + 1);
    }
    all_ops
}

/// Aligns two ranges of lines that begin at these places.
fn align_gap(
    (left, right): (&[u32], &[u32]),
    (old, new): (usize, usize),
    align: GapAligner<'_>,
    ops: &mut Vec<DiffOp>,
) {
    if left == right {
        return push_equal(ops, (old, new), left.len());
    }
    for op in align(left, right) {
        ops.push(match op {
            DiffOp::Equal { old_index, new_index, len } => {
                push_equal(ops, (old + old_index, new + new_index), len);
                continue;
            }
            DiffOp::Delete { old_index, old_len, new_index } => {
                DiffOp::Delete { old_index: old + old_index, old_len, new_index: new + new_index }
            }
            DiffOp::Insert { old_index, new_index, new_len } => {
                DiffOp::Insert { old_index: old + old_index, new_index: new + new_index, new_len }
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => DiffOp::Replace {
                old_index: old + old_index,
                old_len,
                new_index: new + new_index,
                new_len,
            },
        });
    }
}

/// Adds equal lines, to those before them if these are equal, too.
fn push_equal(ops: &mut Vec<DiffOp>, (old_index, new_index): (usize, usize), more: usize) {
    match ops.last_mut() {
        _ if more == 0 => {}
        Some(DiffOp::Equal { len, .. }) => *len += more,
        _ => ops.push(DiffOp::Equal { old_index, new_index, len: more }),
    }
}

/// Returns which elements of a list are where they were, by the places of their partners in another one: the most whose partners rise.
pub fn stayed(partners: &[Option<usize>]) -> Vec<bool> {
    // The last element of the best rising sequence of each length, and for each element the one before it in its sequence.
    let (mut ends, mut previous): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, partner) in partners.iter().enumerate() {
        let Some(partner) = partner else {
            previous.push(None);
            continue;
        };
        let is_below = |end: &usize| partners[*end] < Some(*partner);
        // Most partners rise, so the longest sequence is looked at first.
        let len = match ends.last() {
            Some(end) if is_below(end) => ends.len(),
            _ => ends.partition_point(is_below),
        };
        previous.push(len.checked_sub(1).map(|len| ends[len]));
        match ends.get_mut(len) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut flags = vec![false; partners.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        flags[at] = true;
        next = previous[at];
    }
    flags
}
