//! Traces of Go's `httprr`: requests and responses as they are on the wire, each pair after a line with their numbers of bytes.
//!
//! The format is defined in `golang.org/x/oscar/internal/httprr`. The tree has a list of calls as a cassette has it, with each value at
//! its place in the text.

use std::ops::Range;

use super::tree::{MemberKey, NodeId, NodeKind, Scalar, Tree};
use super::{Syntax, text::Source};
use crate::text::Span;

/// The first line of a trace.
pub const FIRST_LINE: &str = "httprr trace v1\n";

/// Reads the calls of a trace, up to the first that breaks off.
pub fn parse(source: &Source) -> Tree {
    let mut tree = Tree::new(source.clone(), Syntax::Code);
    let text = source.text();
    let root = tree.push(None, None, NodeKind::Array, Span::new(0, text.len()), None);
    let mut at = FIRST_LINE.len();
    while let Some((request, response)) = record(text, at) {
        at = response.end;
        push_call(&mut tree, root, text, request, response);
    }
    if at < text.len() {
        tree.set_ill_formed();
    }
    tree.close(root, text.len());
    tree
}

/// Returns the bytes of the two messages of the record at a byte.
fn record(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let (line, _) = text.get(at..)?.split_once('\n')?;
    let (request_bytes, response_bytes) = line.trim_end_matches('\r').split_once(' ')?;
    let start = at + line.len() + 1;
    let middle = start.checked_add(request_bytes.parse().ok()?)?;
    let end = middle.checked_add(response_bytes.parse().ok()?)?;
    // A length that ends in a letter of several bytes is one of a damaged file.
    text.get(start..middle).zip(text.get(middle..end)).map(|_| (start..middle, middle..end))
}

fn push_call(
    tree: &mut Tree,
    root: NodeId,
    text: &str,
    request: Range<usize>,
    response: Range<usize>,
) {
    let call = tree.push(Some(root), None, NodeKind::Object, Span::empty(request.start), None);
    let first_line = |message: &Range<usize>| {
        let line = text[message.clone()].lines().next().unwrap_or_default();
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        let mut words = line.splitn(3, ' ').scan(at, |at, word| {
            let span = Span::new(*at, *at + word.len());
            *at += word.len() + 1;
            Some(span)
        });
        [words.next(), words.next()]
    };
    let [method, url] = first_line(&request);
    let [_, status] = first_line(&response);
    push_message(
        tree,
        call,
        "request",
        text,
        &request,
        &[("method", method, NodeKind::String), ("url", url, NodeKind::String)],
    );
    push_message(tree, call, "response", text, &response, &[("status", status, NodeKind::Number)]);
    tree.close(call, response.end);
}

fn push_message(
    tree: &mut Tree,
    call: NodeId,
    name: &str,
    text: &str,
    message: &Range<usize>,
    words: &[(&str, Option<Span>, NodeKind)],
) {
    let key = |name: &str, at: usize| {
        Some(MemberKey { span: Span::empty(at), text: Scalar::Decoded(name.to_owned()) })
    };
    let start = message.start;
    let node = tree.push(Some(call), key(name, start), NodeKind::Object, Span::empty(start), None);
    for (word, span, kind) in words {
        if let Some(span) = span {
            tree.push(Some(node), key(word, start), *kind, *span, Some(Scalar::Plain));
        }
    }
    let (head, body_start) = match text[message.clone()].find("\r\n\r\n") {
        Some(end) => (start..start + end, start + end + 4),
        None => (message.clone(), message.end),
    };
    let headers =
        tree.push(Some(node), key("headers", start), NodeKind::Object, Span::empty(start), None);
    let mut at = head.start;
    for line in text[head.clone()].split("\r\n") {
        if let Some((name, value)) = line.split_once(':')
            && at > head.start
        {
            let value_start = at + name.len() + 1 + (value.len() - value.trim_start().len());
            let span = Span::new(value_start, value_start + value.trim().len());
            let name = MemberKey { span: Span::new(at, at + name.len()), text: Scalar::Plain };
            tree.push(Some(headers), Some(name), NodeKind::String, span, Some(Scalar::Plain));
        }
        at += line.len() + 2;
    }
    tree.close(headers, head.end);
    let body = Span::new(body_start, message.end);
    tree.push(Some(node), key("body", body_start), NodeKind::String, body, Some(Scalar::Plain));
    tree.close(node, message.end);
}
