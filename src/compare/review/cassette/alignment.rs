//! Alignment of the calls of an old and a new cassette: by request, by signature, by order.

use std::collections::BTreeMap;

use super::view::{BodyJson, BodyView, CallView, is_telemetry};
use crate::review::align::{Alignment, Partners};
use crate::review::change::AlignedCalls;
use crate::review::similarity::{hash, sketch_of, text_of};
use calls::tape::verify::ignore;
use document::address::WrittenAddress;
use document::diff::word_diff::Weighed;
use document::signature::SignatureText;

/// The least score at which calls with different requests belong together.
const MIN_SIMILARITY: f32 = 0.55;
/// Score of an equal signature, which is added to the share of common words.
const SIGNATURE_SCORE: f32 = 0.25;
/// Score of an equal address, which is added as well.
const ADDRESS_SCORE: f32 = 0.1;
/// Number of bytes of a request that are compared, from its end: the beginnings of conversations are alike.
const MAX_TEXT_BYTES: usize = 4096;
/// The most pairs of calls that are compared by their text.
// 128 calls on each side.
const MAX_COMPARED_PAIRS: usize = 1 << 14;

/// Marks by which a call is recognised.
struct CallMarks {
    request: u64,
    /// Of what was answered.
    answer: u64,
    signature: Option<u64>,
    address: u64,
    /// Whether a model was called; else by the address.
    kind: (bool, u64),
    words: Weighed,
}

impl CallMarks {
    fn new(view: &CallView<'_>) -> Self {
        let address = address_mark(view);
        let request = view.call.document.body.request();
        let is_of_model = request.is_some();
        Self {
            request: request_mark(view),
            answer: body_sketch(&view.response),
            signature: request.map(|request| hash(SignatureText::of_request(request))),
            address,
            kind: (is_of_model, if is_of_model { 0 } else { address }),
            words: Weighed::new(&text(view)),
        }
    }
}

/// Returns the same for calls with the same method, path and decoded request, without ids and times.
pub(super) fn request_mark(view: &CallView<'_>) -> u64 {
    // All messages of telemetry are alike, so they are paired in their order.
    let sketch = if is_telemetry(view) { 0 } else { body_sketch(&view.request) };
    hash((address_mark(view), sketch))
}

fn address_mark(view: &CallView<'_>) -> u64 {
    // The host does not count: regions and proxies are in it.
    let path = WrittenAddress::split(view.interaction.uri()).path;
    // Ids in a path are different in each recording.
    hash((view.interaction.method(), ignore::masked(path).0))
}

/// Returns the same for bodies that are equal except for ids and times.
fn body_sketch(body: &BodyView<'_>) -> u64 {
    body.json().and_then(BodyJson::root).map_or(0, sketch_of)
}

/// Returns the last words of a request.
fn text(view: &CallView<'_>) -> String {
    let document = &view.call.document;
    let mut text = match document.body.request() {
        Some(request) => {
            let nodes = request.messages.iter().map(|message| document.node(message.node));
            nodes.map(text_of).collect::<String>()
        }
        None => view.request.json().and_then(BodyJson::root).map(text_of).unwrap_or_default(),
    };
    text.split_off(text.ceil_char_boundary(text.len().saturating_sub(MAX_TEXT_BYTES)))
}

/// Aligns the calls of two cassettes.
pub(super) fn align([old, new]: &[Vec<CallView<'_>>; 2]) -> Alignment {
    let marks = &[old, new].map(|views| views.iter().map(CallMarks::new).collect::<Vec<_>>());
    let mut partners = Partners::new([old.len(), new.len()]);
    pair_equal(&mut partners, marks);
    let free = [partners.free(0, 0..old.len()), partners.free(1, 0..new.len())];
    if free[0].len() * free[1].len() <= MAX_COMPARED_PAIRS {
        partners.pair_best(weigh(free, marks), |_, _| true);
    }
    for gap in partners.gaps() {
        partners.pair_in_order(gap, |old, new| marks[0][old].kind == marks[1][new].kind);
    }
    partners.finish()
}

/// Pairs the calls of the same request: as many as before in their order, else those of the same answer first.
fn pair_equal(partners: &mut Partners, marks: &[Vec<CallMarks>; 2]) {
    let mut equal_calls: BTreeMap<u64, [Vec<usize>; 2]> = BTreeMap::new();
    for (side, marks) in marks.iter().enumerate() {
        for (at, mark) in marks.iter().enumerate() {
            equal_calls.entry(mark.request).or_default()[side].push(at);
        }
    }
    for [old, new] in equal_calls.into_values() {
        // A call was added or removed; equal answers say which ones stayed.
        if old.len() != new.len() {
            let mut from = 0;
            for &at in &old {
                let is_equal = |other: &usize| marks[1][*other].answer == marks[0][at].answer;
                if let Some(place) = new[from..].iter().position(is_equal) {
                    partners.pair(at, new[from + place]);
                    from += place + 1;
                }
            }
        }
        for (old, new) in partners.free(0, old).into_iter().zip(partners.free(1, new)) {
            partners.pair(old, new);
        }
    }
}

/// Weighs pairs of calls by how much their requests have in common; of equally similar ones, those in order are first.
fn weigh([old, new]: [Vec<usize>; 2], marks: &[Vec<CallMarks>; 2]) -> Vec<(f32, usize, usize)> {
    let mut scores = Vec::new();
    for &a in &old {
        for &b in &new {
            let [x, y] = [&marks[0][a], &marks[1][b]];
            if x.kind != y.kind {
                continue;
            }
            let same = |is_same: bool, weight: f32| if is_same { weight } else { 0.0 };
            let signature = x.signature.is_some() && x.signature == y.signature;
            let score = x.words.similarity(&y.words)
                + same(signature, SIGNATURE_SCORE)
                + same(x.address == y.address, ADDRESS_SCORE);
            if score >= MIN_SIMILARITY {
                scores.push((score, a, b));
            }
        }
    }
    // `pair_best` keeps this order among equal scores.
    scores.sort_by_key(|(_, a, b)| a.abs_diff(*b));
    scores
}

/// Returns the calls in the order of the new file, each removed one behind the one that it followed.
pub(super) fn in_order(alignment: &Alignment) -> Vec<AlignedCalls> {
    let sources = alignment.sources.iter().enumerate();
    let mut calls: Vec<AlignedCalls> =
        sources.map(|(a, o)| AlignedCalls { old: o.map(|a| a + 1), new: Some(a + 1) }).collect();
    for (at, partner) in alignment.partners.iter().enumerate() {
        if partner.is_none() {
            let index = calls.iter().position(|call| call.old == Some(at));
            let removed = AlignedCalls { old: Some(at + 1), new: None };
            calls.insert(index.map_or(0, |index| index + 1), removed);
        }
    }
    calls
}
