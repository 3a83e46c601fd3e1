//! Aligns two takes by their text.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::{OverlayStep, Relation};
use crate::ops::diff::word_diff::split;
use crate::ops::tape::text::TapeText;
use crate::text::TextEdit;

/// Time limit, after which the rest counts as different text.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// A place where both takes have a chunk border at the same position of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AlignAnchor {
    left: usize,
    right: usize,
}

/// A part of the text that both have in common.
#[derive(Clone, Copy, Debug)]
struct EqualStretch {
    left: usize,
    right: usize,
    len: usize,
}

/// Returns all steps, without their durations.
pub(super) fn steps(texts: &[TapeText; 2]) -> Vec<OverlayStep> {
    let mut steps = Vec::new();
    let mut before: Option<AlignAnchor> = None;
    for anchor in anchors(texts) {
        let all = [(0, anchor.left), (1, anchor.right)].map(|(side, at)| {
            let from = before.map(|before| if side == 0 { before.left } else { before.right });
            let first = from.map_or(0, |from| texts[side].chunks_until(from));
            first..texts[side].chunks_until(at)
        });
        steps_between(
            texts,
            before.unwrap_or(AlignAnchor { left: 0, right: 0 }),
            anchor,
            all,
            &mut steps,
        );
        before = Some(anchor);
    }
    steps
}

/// Returns the steps between two anchors: the chunks with text, then the empty ones after them, one by one.
fn steps_between(
    texts: &[TapeText; 2],
    from: AlignAnchor,
    to: AlignAnchor,
    all: [Range<usize>; 2],
    steps: &mut Vec<OverlayStep>,
) {
    let [left, right] = texts;
    let is_same = left.text().get(from.left..to.left) == right.text().get(from.right..to.right);
    // The first chunk that reaches the place; those behind it are empty.
    let reach = |text: &TapeText, chunks: &Range<usize>, from: usize, to: usize| {
        if from == to {
            chunks.start
        } else {
            text.chunks_before(to).saturating_add(1).clamp(chunks.start, chunks.end)
        }
    };
    let [l, r] = all;
    let middle = [reach(left, &l, from.left, to.left), reach(right, &r, from.right, to.right)];
    let with_text = [l.start..middle[0], r.start..middle[1]];
    if !(with_text[0].is_empty() && with_text[1].is_empty()) {
        let is_one = with_text[0].len() == 1 && with_text[1].len() == 1;
        let relation = match (is_same, is_one) {
            (true, true) => Relation::Same,
            (true, false) => Relation::Recut,
            (false, _) => Relation::Changed,
        };
        let [left, right] = with_text;
        steps.push(step(relation, left, right));
    }
    let (mut l, mut r) = (middle[0]..l.end, middle[1]..r.end);
    while !l.is_empty() && !r.is_empty() {
        steps.push(step(Relation::Same, l.start..l.start + 1, r.start..r.start + 1));
        (l.start, r.start) = (l.start + 1, r.start + 1);
    }
    if !(l.is_empty() && r.is_empty()) {
        steps.push(step(Relation::Recut, l, r));
    }
}

fn step(relation: Relation, left: Range<usize>, right: Range<usize>) -> OverlayStep {
    OverlayStep { relation, left, right, left_nanos: 0.0, right_nanos: 0.0 }
}

/// Returns the places where both have a border, in order, including the start and the end.
fn anchors(texts: &[TapeText; 2]) -> Vec<AlignAnchor> {
    let [left, right] = texts;
    let mut anchors = vec![AlignAnchor { left: 0, right: 0 }];
    let end = AlignAnchor { left: left.text().len(), right: right.text().len() };
    for equal in equals(left.text(), right.text()) {
        let mut borders = right.borders(equal.right..equal.right + equal.len).peekable();
        for border in left.borders(equal.left..equal.left + equal.len) {
            let across = border - equal.left + equal.right;
            while borders.next_if(|border| *border < across).is_some() {}
            let anchor = AlignAnchor { left: border, right: across };
            if borders.peek() == Some(&across) && anchors.last() != Some(&anchor) {
                anchors.push(anchor);
            }
        }
    }
    if anchors.last() != Some(&end) {
        anchors.push(end);
    }
    anchors
}

/// Returns the common parts of two texts in order.
fn equals(left: &str, right: &str) -> Vec<EqualStretch> {
    let Some(edit) = TextEdit::between(left, right) else {
        return vec![EqualStretch { left: 0, right: 0, len: left.len() }];
    };
    let (start, end) = (edit.range.start, edit.range.end);
    let mut equals = vec![EqualStretch { left: 0, right: 0, len: start }];
    let words = [split(&left[start..end]), split(&edit.new)];
    let deadline = Some(Instant::now() + TIME_LIMIT);
    let ops = capture_diff_slices_deadline(Algorithm::Histogram, &words[0], &words[1], deadline);
    let len = |side: usize, range: Range<usize>| {
        words[side][range].iter().map(|word| word.len()).sum::<usize>()
    };
    let (mut l, mut r) = (start, start);
    for op in ops {
        let (tag, old, new) = op.as_tag_tuple();
        let (old, new) = (len(0, old), len(1, new));
        if tag == DiffTag::Equal {
            equals.push(EqualStretch { left: l, right: r, len: old });
        }
        (l, r) = (l + old, r + new);
    }
    equals.push(EqualStretch { left: l, right: r, len: left.len() - end });
    equals
}
