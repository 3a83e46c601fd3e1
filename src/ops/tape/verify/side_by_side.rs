//! Shows two requests side by side, part by part, with the events of their histories aligned.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::values::{compared_keys, meaning};
use super::{RequestDifference, VerifyVerdict, requests};
use crate::format::tape::RequestShape;
use crate::format::{Document, Node, NodeKind};
use crate::ops::diff::outline::Outline;
use crate::ops::diff::text::TextDiff;
use crate::ops::javascript::{indented, members, stringify};
use crate::text::{Source, Span};

/// Result of comparing a part of two requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestPartStatus {
    /// The same in both.
    Same,
    /// It differs, so the tape does not answer.
    Differs,
    /// It differs only in ignored ways.
    Ignored,
}

/// A part of two requests: a value of each, or of one only.
#[derive(Clone, Debug)]
pub struct RequestPart {
    /// Its name: `systemPrompt`, `event 3`.
    pub name: String,
    /// The result of the comparison.
    pub status: RequestPartStatus,
    /// Its place in the tape.
    pub tape: Option<Span>,
    /// Its place in the request.
    pub request: Option<Span>,
    /// Both as indented JSON; empty on a side without it.
    pub diff: TextDiff,
}

/// Returns the parts of both requests side by side.
pub fn side_by_side(
    tape: &Document,
    request: &Document,
    verdict: &VerifyVerdict,
) -> Vec<RequestPart> {
    let Ok((shape, [ours, theirs])) = requests(tape, request) else {
        return Vec::new();
    };
    if ours.kind() != NodeKind::Object || theirs.kind() != NodeKind::Object {
        return vec![part("request".to_owned(), [Some(ours), Some(theirs)], verdict)];
    }
    let mut keys: Vec<&str> = compared_keys(shape).to_vec();
    for (key, _) in members(ours).into_iter().chain(members(theirs)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut parts = Vec::new();
    for key in keys {
        let pair = [ours.get(key), theirs.get(key)];
        match (shape, key, pair) {
            (RequestShape::History, "history", [Some(ours), Some(theirs)])
                if theirs.kind() == NodeKind::Array =>
            {
                events([ours, theirs], verdict, &mut parts);
            }
            (.., [None, None]) => {}
            _ => parts.push(part(key.to_owned(), pair, verdict)),
        }
    }
    parts
}

/// Aligns the events of two histories: events with the same meaning are paired, and those between them are paired in
/// order.
fn events(histories: [Node<'_>; 2], verdict: &VerifyVerdict, parts: &mut Vec<RequestPart>) {
    let [left, right] = histories.map(|list| list.items().collect::<Vec<_>>());
    let meanings = |items: &[Node<'_>]| items.iter().map(|item| meaning(*item)).collect::<Vec<_>>();
    for op in capture_diff_slices(Algorithm::Myers, &meanings(&left), &meanings(&right)) {
        let (_, ours, theirs): (DiffTag, Range<usize>, Range<usize>) = op.as_tag_tuple();
        for at in 0..ours.len().max(theirs.len()) {
            let (ours, theirs) = (ours.clone().nth(at), theirs.clone().nth(at));
            let name = match (ours, theirs) {
                (Some(ours), Some(theirs)) if ours != theirs => {
                    format!("event {} of the tape, {} of the request", ours + 1, theirs + 1)
                }
                (Some(ours), Some(_)) => format!("event {}", ours + 1),
                (Some(ours), None) => format!("event {}, only in the tape", ours + 1),
                (None, theirs) => {
                    format!("event {}, only in the request", theirs.unwrap_or_default() + 1)
                }
            };
            let pair = [ours.map(|at| left[at]), theirs.map(|at| right[at])];
            parts.push(part(name, pair, verdict));
        }
    }
}

fn part(name: String, pair: [Option<Node<'_>>; 2], verdict: &VerifyVerdict) -> RequestPart {
    let spans = pair.map(|node| node.map(Node::span));
    let is_within = |one: &RequestDifference| {
        let within = |outer: Option<Span>, inner: Span| {
            outer.is_some_and(|outer| {
                let (outer, inner) = (outer.range(), inner.range());
                outer.start <= inner.start && inner.end <= outer.end
            })
        };
        within(spans[0], one.tape) || within(spans[1], one.request)
    };
    let is_same = pair[0].map(stringify) == pair[1].map(stringify);
    let status = if verdict.differences.iter().any(is_within) {
        RequestPartStatus::Differs
    } else {
        if is_same { RequestPartStatus::Same } else { RequestPartStatus::Ignored }
    };
    let [left, right] = pair.map(|node| Source::new(node.map_or_else(String::new, indented)));
    RequestPart {
        name,
        status,
        tape: spans[0],
        request: spans[1],
        diff: TextDiff::new(&left, &right, Outline::Plain),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Strictness, verify};
    use super::*;
    use crate::format::read;
    use crate::ops::diff::Side;

    fn describe(ours: &str, theirs: &str, strictness: Strictness) -> String {
        let tape = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {ours}, "stream": []}}"#
        );
        let tape = read(Source::new(tape), "tape.json");
        let request = read(Source::new(theirs), "request.json");
        let verdict = verify(&tape, &request, strictness).unwrap();
        let line = |part: &RequestPart| {
            let side = |side| {
                let text = part.diff.source(side).text();
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            };
            let sides = Side::BOTH.map(side);
            format!("{:?} {}: {}\n", part.status, part.name, sides.join(" | "))
        };
        side_by_side(&tape, &request, &verdict).iter().map(line).collect()
    }

    #[test]
    fn events_of_histories_are_in_step() {
        let ours = r#"{"systemPrompt": "s", "model": "m", "history": [{"a": 1}, {"b": 1, "id": "req-1"}, {"c": 1}], "more": 1}"#;
        let theirs = r#"{"model": "m", "systemPrompt": "s", "history": [{"new": 1}, {"a": 1}, {"id": "req-2", "b": 1}, {"c": 2}, {"d": 1}]}"#;
        insta::assert_snapshot!(describe(ours, theirs, Strictness::Strict), @r#"
        Same model: "m" | "m"
        Same systemPrompt: "s" | "s"
        Differs event 1, only in the request:  | { "new": 1 }
        Same event 1 of the tape, 2 of the request: { "a": 1 } | { "a": 1 }
        Differs event 2 of the tape, 3 of the request: { "b": 1, "id": "req-1" } | { "id": "req-2", "b": 1 }
        Differs event 3 of the tape, 4 of the request: { "c": 1 } | { "c": 2 }
        Differs event 5, only in the request:  | { "d": 1 }
        Ignored more: 1 |
        "#);
        insta::assert_snapshot!(describe(ours, theirs, Strictness::Loose), @r#"
        Same model: "m" | "m"
        Same systemPrompt: "s" | "s"
        Differs event 1, only in the request:  | { "new": 1 }
        Same event 1 of the tape, 2 of the request: { "a": 1 } | { "a": 1 }
        Ignored event 2 of the tape, 3 of the request: { "b": 1, "id": "req-1" } | { "id": "req-2", "b": 1 }
        Differs event 3 of the tape, 4 of the request: { "c": 1 } | { "c": 2 }
        Differs event 5, only in the request:  | { "d": 1 }
        Ignored more: 1 |
        "#);
    }

    #[test]
    fn other_requests_are_shown_side_by_side_key_by_key() {
        let ours = r#"{"model": "m", "contents": "c", "config": {"a": 1, "b": 2}}"#;
        let theirs =
            r#"{"contents": "c", "model": "m", "config": {"b": 2, "a": 1}, "extra": null}"#;
        insta::assert_snapshot!(describe(ours, theirs, Strictness::Strict), @r#"
        Same model: "m" | "m"
        Same contents: "c" | "c"
        Differs config: { "a": 1, "b": 2 } | { "b": 2, "a": 1 }
        Ignored extra:  | null
        "#);
        insta::assert_snapshot!(describe(ours, "[1]", Strictness::Strict), @r#"Differs request: { "model": "m", "contents": "c", "config": { "a": 1, "b": 2 } } | [ 1 ]"#);
    }
}
