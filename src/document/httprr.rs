//! Traces of Go's `httprr`: requests and responses as they are on the wire, each pair after a line with their numbers of bytes.
//!
//! The format is defined in `golang.org/x/oscar/internal/httprr`. The tree has a list of calls as a cassette has it, with each value at
//! its place in the text.

use std::ops::Range;

use super::tree::{MemberKey, NodeId, NodeKind, Scalar, Tree};
use super::{Problem, RuleId, Syntax, text::Source};
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

/// Returns the problem of a trace that is cut or in which numbers of bytes do not fit, at the line of these.
pub(super) fn problem(tree: &Tree) -> Option<Problem> {
    let last = tree.root().filter(|_| !tree.is_well_formed())?.items().last();
    let start = last.map_or(FIRST_LINE.len(), |call| call.span().range().end);
    let line = tree.source().text()[start..].lines().next().unwrap_or_default();
    let message = if counts(line).is_some() {
        "The numbers of bytes do not fit the request and the response that follow"
    } else {
        "The numbers of bytes of a request and a response are expected"
    };
    let span = Span::new(start, start + line.len());
    let problem = Problem::at(RuleId::Syntax, tree.source(), span, "", message);
    Some(problem.with_help("Record the trace again: httprr reads none of its calls."))
}

/// Returns whether a tree was read from a trace.
pub(super) fn is_trace(tree: &Tree) -> bool {
    tree.syntax() == Syntax::Code && tree.source().text().starts_with(FIRST_LINE)
}

/// Returns the bytes of the two messages of the record at a byte.
fn record(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let (line, _) = text.get(at..)?.split_once('\n')?;
    let (request_bytes, response_bytes) = counts(line)?;
    let start = at + line.len() + 1;
    let middle = start.checked_add(request_bytes)?;
    let end = middle.checked_add(response_bytes)?;
    // A length that ends in a letter of several bytes is one of a damaged file.
    let response = text.get(start..middle).and(text.get(middle..end))?;
    let next = text[end..].lines().next();
    // A wrong number leaves the beginning of a response or the end of one to its neighbour.
    let fits = (response.is_empty() || response.starts_with("HTTP/"))
        && next.is_none_or(|line| counts(line).is_some());
    fits.then_some((start..middle, middle..end))
}

/// Returns the numbers of bytes in the line before a request and a response.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (request, response) = line.trim_end_matches('\r').split_once(' ')?;
    Some((request.parse().ok()?, response.parse().ok()?))
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
        let mut words = line.splitn(3, ' ').scan(message.start, |at, word| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Node;
    use crate::edit::{Edit, JsonValue, plan};

    fn trace() -> String {
        let request =
            "POST http://a.example/v1 HTTP/1.1\r\nContent-Length: 7\r\nX-Key: abc\r\n\r\n{\"a\":1}";
        let response =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{\"b\":2}\r\n0\r\n\r\n";
        let record = format!("{} {}\n{request}{response}", request.len(), response.len());
        format!("{FIRST_LINE}{record}{record}")
    }

    fn edited(edit: &Edit) -> String {
        let text = trace();
        match plan(&parse(&Source::new(text.as_str())), edit) {
            Ok(edit) => {
                let mut new_text = text;
                edit.apply(&mut new_text);
                assert!(parse(&Source::new(new_text.as_str())).is_well_formed(), "{new_text}");
                new_text
            }
            Err(refusal) => refusal.to_string(),
        }
    }

    fn set(pointer: &str, value: &str) -> String {
        let value = JsonValue::parse(value).unwrap();
        edited(&Edit::Set { pointer: pointer.to_owned(), value })
    }

    #[test]
    fn the_numbers_of_bytes_follow_an_edit() {
        let old = trace();
        let second = |old: &str, from: &str, to: &str| {
            let (first, rest) = old.split_at(old.rfind(from).unwrap());
            format!("{first}{}", rest.replacen(from, to, 1))
        };
        let line = old.lines().nth(1).unwrap();
        let (request, response) = line.split_once(' ').unwrap();
        let (request, response): (usize, usize) =
            (request.parse().unwrap(), response.parse().unwrap());
        let counts = |request: usize, response: usize| format!("{request} {response}");
        let new = second(&second(&old, "\"a\":1", "\"a\":1000"), ": 7", ": 10");
        assert_eq!(
            set("/1/request/body#/a", "1000"),
            second(&new, line, &counts(request + 4, response))
        );
        let new = second(&second(&old, "\"b\":2", "\"b\":2000000000"), "7\r\n{", "10\r\n{");
        assert_eq!(
            set("/1/response/body#/b", "2000000000"),
            second(&new, line, &counts(request, response + 10))
        );
        let new = second(&old, "/v1", "/version1");
        assert_eq!(
            set("/1/request/url", "\"http://a.example/version1\""),
            second(&new, line, &counts(request + 6, response))
        );
        let new = second(&old, "X-Key: abc\r\n", "");
        assert_eq!(
            edited(&Edit::Remove { pointer: "/1/request/headers/X-Key".to_owned() }),
            second(&new, line, &counts(request - 12, response))
        );
    }

    #[test]
    fn a_damaged_trace_has_a_problem_at_its_line() {
        let text = trace();
        let problem = |text: &str| {
            let document = crate::read(Source::new(text), "a.httprr");
            crate::testing::describe_problems(&document.problems)
        };
        assert_eq!(problem(&text), "");
        let (request, response) = text.lines().nth(1).unwrap().split_once(' ').unwrap();
        let counts = format!("{request} {response}");
        let cut = &text[..text.len() - 20];
        insta::assert_snapshot!(problem(cut), @r#"14:1 syntax at "": The numbers of bytes do not fit the request and the response that follow"#);
        for (old, new) in [(request, "60"), (response, "80")] {
            let first = text.replacen(&counts, &counts.replace(old, new), 1);
            assert!(problem(&first).starts_with("2:1 syntax"), "{first}: {}", problem(&first));
        }
        insta::assert_snapshot!(problem("httprr trace v1\nPOST / HTTP/1.1\n"), @r#"2:1 syntax at "": The numbers of bytes of a request and a response are expected"#);
    }

    #[test]
    fn an_empty_message_is_a_call() {
        let tree = parse(&Source::new("httprr trace v1\n0 0\n"));
        assert_eq!(tree.root().map(Node::len), Some(1));
    }

    #[test]
    fn what_would_tear_a_trace_is_refused() {
        insta::assert_snapshot!(set("/0/request/url", "\"a b\""), @"The new text would end the value in its line (line 3, column 6)");
        insta::assert_snapshot!(set("/0/response/body", "\"{}\""), @"The body is compressed or in chunks with their sizes; edit its content with `#` (line 10, column 1)");
        insta::assert_snapshot!(set("/0/request", "{}"), @"In a trace of httprr, only texts are written; edit its content with `#` (line 3, column 1)");
    }
}
