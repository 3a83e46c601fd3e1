//! Recorded calls of models, found by the shape of what was sent and answered, whatever a recorder wraps around them.
//!
//! A value is a *payload* if it is a request or an answer of an API, in any of the ways in which recorders store it (`payload`). A request
//! belongs to the answer in the same record: the two are paired where their nearest common container is (`pairing`). What else the record
//! says of the call are its facts (`facts`). What is not certain is not paired, and counted.

use std::sync::Arc;

use super::found_calls::CallsFound;
pub use super::found_calls::{CallParts, PayloadAt, PayloadForm};
use super::tree::{Node, NodeId, Tree};

mod facts;
mod pairing;
mod payload;

pub use facts::RecordedCall;
pub(super) use facts::{plain, side_named, untyped_form};
pub use payload::{Payload, event_value, own_value};
pub(super) use payload::{is_answer, payload};

pub type RecordedCalls<'a> = CallsFound<Node<'a>>;

/// Finds the calls of a document.
pub fn find(tree: &Tree) -> RecordedCalls<'_> {
    let found = found(tree);
    let calls = found.calls.iter().map(|call| call.map(|id| tree.node(id)));
    let unsure = found.unsure.iter().map(|payload| payload.map(|id| tree.node(id)));
    CallsFound { calls: calls.collect(), unsure: unsure.collect() }
}

/// Finds the call that a value names.
pub fn at(node: Node<'_>) -> Option<RecordedCall<'_>> {
    let tree = node.tree();
    let calls = &found(tree).calls;
    let index = calls.binary_search_by_key(&node.id(), |call| call.node).ok()?;
    Some(calls[index].map(|id| tree.node(id)))
}

/// Returns the calls of a tree, which is searched once.
fn found(tree: &Tree) -> &CallsFound<NodeId> {
    tree.recorded_calls.get_or_init(|| {
        let RecordedCalls { calls, unsure } = tree.root().map(pairing::search).unwrap_or_default();
        let calls = calls.into_iter().map(|call| call.map(Node::id)).collect();
        let unsure = unsure.into_iter().map(|payload| payload.map(Node::id)).collect();
        Arc::new(CallsFound { calls, unsure })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{DocumentBody, read};

    const ANSWER: &str = r#"{"choices": [{"message": {"role": "assistant", "content": "a"}}]}"#;

    /// Returns the format and the number of the calls of a file in a folder of recordings.
    fn calls(text: &str) -> Option<(&'static str, usize)> {
        let document = read(Source::new(text), "fixtures/a.json");
        assert_eq!(describe_problems(&document.problems), "");
        let DocumentBody::Foreign(foreign) = &document.body else { return None };
        Some((foreign.format.as_str(), find(&document.tree).calls.len()))
    }

    #[test]
    fn conversations_in_conversations_are_read_once_each() {
        let nest = |inside: String, _| {
            format!(r#"{{"messages": [{{"role": "user", "content": "a"}}], "x": {inside}}}"#)
        };
        assert_eq!(calls(&(0..40).fold("1".to_owned(), nest)), None);
    }

    #[test]
    fn many_calls_are_found_in_little_time() {
        const COUNT: usize = 3000;
        let list = |item: &dyn Fn(usize) -> String| {
            format!("[{}]", (0..COUNT).map(item).collect::<Vec<_>>().join(", "))
        };
        let request = |n| format!(r#"{{"model": "m{n}", "messages": [{{"role": "user"}}]}}"#);
        let text = format!(
            r#"{{"sent": {}, "received": {}}}"#,
            list(&request),
            list(&|_| ANSWER.to_owned())
        );
        let document = read(Source::new(text), "fixtures/a.json");
        let found = find(&document.tree).calls;
        assert_eq!(found.len(), COUNT);
        assert!(found.iter().all(|call| at(call.node).is_some_and(|one| one.sent.is_some())));
        // Equal requests of different records are no copies of each other.
        let named = |n| format!(r#""k{n}": {}"#, request(n));
        let requests: Vec<String> = (0..COUNT).map(named).collect();
        assert_eq!(calls(&format!("{{{}}}", requests.join(", "))), None);
    }

    #[test]
    fn values_that_are_like_answers_are_none() {
        for text in [
            r#"{"candidates": [{"name": "a", "content": {"bio": "b"}}]}"#,
            r#"{"candidates": [{"content": "b", "score": 1}]}"#,
            r#"{"questions": 1, "choices": [{"text": "a"}, {"text": "b"}]}"#,
            r#"{"generation": "1", "stop_reason": "a"}"#,
            r#"{"results": [{"outputText": "a"}]}"#,
            r#"{"response": "ok", "done": true}"#,
            r#"{"message": {"text": "a"}, "done": false}"#,
            r#"[{"type": "ping"}, {"type": "ping"}]"#,
        ] {
            assert_eq!(calls(text), None, "{text}");
        }
        for key in ["asyncapi", "traceId", "observations"] {
            let request = r#"{"model": "m", "messages": [{"role": "user"}]}"#;
            let text = format!(r#"{{"{key}": 1, "a": {request}, "b": {ANSWER}}}"#);
            assert_eq!(calls(&text), None, "{text}");
        }
        assert_eq!(calls(ANSWER), Some(("answers", 1)));
    }

    #[test]
    fn lines_of_calls_are_read_whatever_begins_them() {
        let request = r#"{"model": "m", "messages": [{"role": "user"}]}"#;
        let text = crate::json::quote(ANSWER);
        let line = format!(r#"{{"request": {request}, "response": {text}}}"#);
        let find_all =
            |text: String| find(&read(Source::new(text), "fixtures/a.jsonl").tree).calls.len();
        assert_eq!(find_all(format!("{line}\n{line}\n")), 2);
        assert_eq!(find_all(format!("\u{feff}{line}\r\n{line}\r\n")), 2);
        assert_eq!(calls(&line), Some(("recorded", 1)));
        // Of Gemini, an answer alone has the form of an event.
        let sent = r#"{"contents": [{"parts": [{"text": "a"}]}]}"#;
        let received = r#"{"candidates": [{"content": {"role": "model", "parts": []}}]}"#;
        let [sent, received] = [sent, received].map(crate::json::quote);
        assert_eq!(calls(&format!(r#"{{"call": [{sent}, {received}]}}"#)), Some(("recorded", 1)));
    }
}
