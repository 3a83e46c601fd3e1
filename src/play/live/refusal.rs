//! Calls of a cassette that failed: clients of cassettes get their status and body in their turn.

use std::borrow::Cow;

use calls::javascript::stringify;
use calls::json::{list, object};
use document::call::{BodyContent, CallFailure, ModelCall};
use document::text::Source;
use document::{Document, json};

/// Gives a call that failed a place in the set of its file: a recording without content, whose answer is [`tape`].
pub fn add_to_set(call: &mut ModelCall<'_>) {
    let Some(request) = status_and_body(call).and_then(|_| call.document.tree.root()) else {
        return;
    };
    let request = stringify(request);
    let record = format!(r#"{{"request":{request},"response":{{"response":{{"content":[]}}}}}}"#);
    call.document = Cow::Owned(document::read(Source::new(record), "call.json"));
    // With its status the call would still count as failed, and sets skip those.
    call.facts.http = None;
}

/// Returns a tape that ends as a call of this file failed.
pub fn tape(call: &ModelCall<'_>, file: &Document) -> Option<Document> {
    let (status, body) = status_and_body(call)?;
    let body = match body {
        BodyContent::Text(text) => text.text().to_owned(),
        BodyContent::Tree(node) => json::text(file.node(*node)).into_owned(),
        // A tape holds text.
        BodyContent::Bytes(_) => return None,
    };
    let ended = object! { "how": "refused", "status": usize::from(status), "body": body };
    let meta = object! { "model": "", "recordedAt": "", "ended": ended };
    let tape = object! { "meta": meta, "request": object! {}, "stream": list![] };
    Some(document::read(Source::new(tape.into_string()), "tape.json"))
}

/// Returns what was received; `None` for a call that did not fail, and in archives, whose readers skip those that did.
fn status_and_body<'c>(call: &'c ModelCall<'_>) -> Option<(u16, &'c BodyContent)> {
    let body = call.facts.http.as_ref()?.response_body.as_ref()?;
    match call.failure()? {
        CallFailure::Status(status) => Some((status, &body.content)),
        CallFailure::Failed | CallFailure::NoAnswer | CallFailure::UnreadAnswer => None,
    }
}
