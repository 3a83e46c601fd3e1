//! Which call of an old cassette is which of a new one: by request, by signature, by order.

use std::collections::BTreeMap;

use super::AlignedCalls;
use super::view::{BodyJson, BodyView, CallView, is_telemetry};
use crate::ops::diff::text::stayed;
use crate::ops::diff::word_diff::Weighed;
use crate::ops::review::align::find_moved;
use crate::ops::review::similarity::{Hashes, hash, text_of};
use crate::ops::signature::SignatureText;
use crate::ops::tape::verify::ignore;

/// The least score at which calls with different requests belong together.
const MIN_SIMILARITY: f32 = 0.55;
/// What an equal signature adds to the share of common words.
const SIGNATURE: f32 = 0.25;
/// What an equal address adds.
const ADDRESS: f32 = 0.1;
/// How much text of a request is compared, from its end: the beginnings of conversations are alike.
const TEXT: usize = 4096;
/// The most pairs of calls that are compared by their text.
const MOST_WEIGHED: usize = 1 << 14;

/// The alignment of two lists of calls, by their places in these.
#[derive(Debug)]
pub(super) struct Alignment {
    /// For each old call the new one that it became.
    pub(super) partners: Vec<Option<usize>>,
    /// Whether an old call has another place among those that stayed.
    pub(super) moved: Vec<bool>,
    /// The numbers of the calls in both files, from 1.
    numbers: [Vec<usize>; 2],
}

/// What a call is recognised by.
struct CallMarks {
    /// Of method, path and decoded request, without ids and times.
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
        let url = view.interaction.uri();
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = path.find('/').map_or("", |at| &path[at..]);
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let address = hash((view.interaction.method(), ignore::masked(path).0));
        let request = view.call.document.body.request();
        let is_of_model = request.is_some();
        // All messages of telemetry are alike, so that they are paired in their order.
        let sketch = if is_telemetry(view) { 0 } else { sketch_of(&view.request) };
        Self {
            request: hash((address, sketch)),
            answer: sketch_of(&view.response),
            signature: request.map(|request| hash(SignatureText::of_request(request))),
            address,
            kind: (is_of_model, if is_of_model { 0 } else { address }),
            words: Weighed::new(&text(view)),
        }
    }
}

/// Returns the same for bodies that are equal except for ids and times.
fn sketch_of(body: &BodyView<'_>) -> u64 {
    let root = body.json().and_then(BodyJson::root);
    root.map_or(0, |root| Hashes::new(root.tree()).sketch(root))
}

/// Returns the last words of a request.
fn text(view: &CallView<'_>) -> String {
    let document = &view.call.document;
    let mut text = match document.body.request() {
        Some(request) => {
            let messages = request.messages.iter();
            let messages = messages.map(|message| text_of(document.node(message.node)));
            messages.collect::<String>()
        }
        None => {
            let root = view.request.json().and_then(BodyJson::root);
            root.map(text_of).unwrap_or_default()
        }
    };
    let mut cut = text.len().saturating_sub(TEXT);
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    text.split_off(cut)
}

/// Aligns the calls of two cassettes.
pub(super) fn align([old, new]: &[Vec<CallView<'_>>; 2]) -> Alignment {
    let marks = [old, new].map(|views| views.iter().map(CallMarks::new).collect::<Vec<_>>());
    let mut aligner =
        CallAligner { partners: [vec![None; old.len()], vec![None; new.len()]], marks: &marks };
    aligner.pair_equal();
    aligner.pair_similar();
    aligner.pair_in_order();
    let [partners, _] = aligner.partners;
    Alignment {
        moved: find_moved(&partners),
        partners,
        numbers: [old, new].map(|views| views.iter().map(|it| it.number).collect()),
    }
}

impl Alignment {
    /// Returns the old call of each new one.
    pub(super) fn sources(&self) -> Vec<Option<usize>> {
        let mut sources = vec![None; self.numbers[1].len()];
        for (at, partner) in self.partners.iter().enumerate() {
            if let Some(partner) = partner {
                sources[*partner] = Some(at);
            }
        }
        sources
    }

    /// Returns the calls in the order of the new file, each removed one behind the one that it followed.
    pub(super) fn in_order(&self) -> Vec<AlignedCalls> {
        let new_number = |at: usize| self.numbers[1].get(at).copied();
        let sources = self.sources().into_iter().enumerate();
        let mut calls: Vec<AlignedCalls> = sources
            .map(|(at, source)| AlignedCalls {
                old: source.map(|source| self.numbers[0][source]),
                new: new_number(at),
            })
            .collect();
        for (at, partner) in self.partners.iter().enumerate() {
            if partner.is_some() {
                continue;
            }
            let removed = AlignedCalls { old: Some(self.numbers[0][at]), new: None };
            let before = at.checked_sub(1).map(|at| self.numbers[0][at]);
            let place = calls.iter().position(|it| it.old == before);
            let place = place.filter(|_| before.is_some()).map_or(0, |at| at + 1);
            calls.insert(place, removed);
        }
        calls
    }
}

struct CallAligner<'m> {
    partners: [Vec<Option<usize>>; 2],
    marks: &'m [Vec<CallMarks>; 2],
}

impl CallAligner<'_> {
    fn pair(&mut self, old: usize, new: usize) {
        self.partners[0][old] = Some(new);
        self.partners[1][new] = Some(old);
    }

    fn is_free(&self, old: usize, new: usize) -> bool {
        self.partners[0][old].is_none() && self.partners[1][new].is_none()
    }

    /// Returns the calls of a side without a partner.
    fn free(&self, side: usize) -> Vec<usize> {
        let partners = self.partners[side].iter().enumerate();
        let free = partners.filter(|(_, partner)| partner.is_none());
        free.map(|(at, _)| at).collect()
    }

    /// Pairs the calls of the same request: as many as before in their order, else those of the same answer first.
    fn pair_equal(&mut self) {
        let mut same: BTreeMap<u64, [Vec<usize>; 2]> = BTreeMap::new();
        for (side, marks) in self.marks.iter().enumerate() {
            for (at, mark) in marks.iter().enumerate() {
                same.entry(mark.request).or_default()[side].push(at);
            }
        }
        for [old, new] in same.into_values() {
            if old.len() != new.len() {
                let mut from = 0;
                for &at in &old {
                    let answer = self.marks[0][at].answer;
                    let equal =
                        new[from..].iter().position(|it| self.marks[1][*it].answer == answer);
                    if let Some(place) = equal {
                        self.pair(at, new[from + place]);
                        from += place + 1;
                    }
                }
            }
            let left = |side: usize, all: Vec<usize>| -> Vec<usize> {
                let partners = &self.partners[side];
                all.into_iter().filter(|at| partners[*at].is_none()).collect()
            };
            let (old, new) = (left(0, old), left(1, new));
            for (old, new) in old.into_iter().zip(new) {
                self.pair(old, new);
            }
        }
    }

    /// Pairs calls whose requests have much in common, the most similar first; of equally similar ones those in order.
    fn pair_similar(&mut self) {
        let (old, new) = (self.free(0), self.free(1));
        if old.len() * new.len() > MOST_WEIGHED {
            return;
        }
        let mut scored = Vec::new();
        for &a in &old {
            for &b in &new {
                let [x, y] = [&self.marks[0][a], &self.marks[1][b]];
                if x.kind != y.kind {
                    continue;
                }
                let same = |is_same: bool, weight: f32| if is_same { weight } else { 0.0 };
                let signature = x.signature.is_some() && x.signature == y.signature;
                let score = x.words.similarity(&y.words)
                    + same(signature, SIGNATURE)
                    + same(x.address == y.address, ADDRESS);
                if score >= MIN_SIMILARITY {
                    scored.push((score, a, b));
                }
            }
        }
        let distance = |(_, a, b): &(f32, usize, usize)| a.abs_diff(*b);
        scored.sort_by(|x, y| {
            y.0.total_cmp(&x.0)
                .then_with(|| distance(x).cmp(&distance(y)))
                .then_with(|| (x.1, x.2).cmp(&(y.1, y.2)))
        });
        for (_, a, b) in scored {
            if self.is_free(a, b) {
                self.pair(a, b);
            }
        }
    }

    /// Pairs what is left between two calls that stayed, where both sides have equally many.
    fn pair_in_order(&mut self) {
        let stayed = stayed(&self.partners[0]);
        let lens = self.partners.each_ref().map(Vec::len);
        let anchors = (0..lens[0]).filter(|at| stayed[*at]);
        let anchors = anchors.filter_map(|at| Some((at, self.partners[0][at]?)));
        let anchors: Vec<_> = anchors.chain([(lens[0], lens[1])]).collect();
        let mut from = (0, 0);
        for to in anchors {
            let free = |side: usize, range: std::ops::Range<usize>| -> Vec<usize> {
                let partners = &self.partners[side];
                range.filter(|at| partners[*at].is_none()).collect()
            };
            let (old, new) = (free(0, from.0..to.0), free(1, from.1..to.1));
            if old.len() == new.len() {
                for (a, b) in old.into_iter().zip(new) {
                    if self.marks[0][a].kind == self.marks[1][b].kind {
                        self.pair(a, b);
                    }
                }
            }
            from = (to.0 + 1, to.1 + 1);
        }
    }
}
