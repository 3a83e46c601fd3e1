//! The request of a call, from the arguments that a traceback prints of its frames.

use std::sync::Arc;

use serde_json::Value;

use super::lines::LogLine;
use super::python_literal;
use super::{Miss, PrintedBody, PrintedRequest};

/// Where the body of a request begins in a line, the names of frames nearest to the network first.
const BODIES: [(&str, Argument); 7] = [
    ("real_request_body = ", Argument::Text),
    ("vcr_request_body = ", Argument::Text),
    ("'json': ", Argument::Value),
    ("json_data={", Argument::Value),
    ("'content': ", Argument::Text),
    ("body = ", Argument::Text),
    ("data = ", Argument::Text),
];

/// The form of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    /// The body, as a text or as bytes.
    Text,
    /// A value that is sent as JSON.
    Value,
}

/// Adds what the frames of a traceback print of the request to an error that does not.
pub(super) fn add_request(lines: &[&LogLine<'_>], miss: &mut Miss) {
    let address = || {
        lines.iter().rev().find_map(|line| {
            let (_, rest) = line.text.split_once("equest = <Request(")?;
            let (method, rest_of_it) = rest.split_once(", ")?;
            let url = rest_of_it.trim_end().trim_end_matches(")>");
            let unquoted = |text: &str| text.trim_matches(['\'', '"']).into();
            Some(PrintedRequest { method: unquoted(method), url: unquoted(url), body: None })
        })
    };
    let body = || {
        BODIES.into_iter().find_map(|(start, form)| {
            lines.iter().rev().find_map(|line| argument(&line.text, start, form))
        })
    };
    let printed = miss.request.as_mut().and_then(|request| request.body.take());
    // Of two bodies that are cut, the one with an end shows more.
    let is_better = |body: &PrintedBody| match (&printed, body) {
        (Some(PrintedBody::Cut(..)), PrintedBody::Cut(_, end)) => !end.is_empty(),
        _ => true,
    };
    let Some(body) = body().filter(is_better).or(printed.clone()) else {
        miss.code = literals(lines);
        miss.request = miss.request.take().or_else(address);
        return;
    };
    let request = miss.request.take().or_else(address).unwrap_or_default();
    miss.request = Some(PrintedRequest { body: Some(body), ..request });
}

fn argument(line: &str, start: &str, form: Argument) -> Option<PrintedBody> {
    let at = line.find(start)?;
    // A name that only ends so is another one; `self.body = …` is code.
    let is_name = form == Argument::Value || at == 0;
    let rest = &line[at + start.len()..];
    if !is_name {
        return None;
    }
    match form {
        Argument::Text => {
            let (text, is_whole, after) = python_literal::string(rest)?;
            if let Some((text, end)) = text.split_once("...").filter(|_| is_whole && rest.len() > 200)
                // Long arguments are cut in their middle.
                && serde_json::from_str::<Value>(text).is_err()
            {
                return Some(PrintedBody::Cut(text.into(), end.into()));
            }
            let is_whole = is_whole && after.trim().is_empty();
            (!text.is_empty()).then(|| {
                if is_whole {
                    PrintedBody::Whole(text.into())
                } else {
                    PrintedBody::Cut(text.into(), "".into())
                }
            })
        }
        Argument::Value => {
            let rest = if start.ends_with('{') { &line[at + start.len() - 1..] } else { rest };
            let (value, after) = python_literal::value(rest)?;
            // Long arguments are cut in their middle, which may be in a text.
            let is_cut = line.len() > 200 && rest[..rest.len() - after.len()].contains("...");
            (!is_cut && (value.is_object() || value.is_array()))
                .then(|| PrintedBody::Whole(value.to_string().into()))
        }
    }
}

/// The most texts of code that are compared with recorded ones.
const MAX_LITERALS: usize = 60;
/// The least letters of such a text: shorter ones are keys and names.
const MIN_LITERAL_CHARS: usize = 10;

/// Returns the texts in the lines of code of a traceback.
fn literals(lines: &[&LogLine<'_>]) -> Vec<Arc<str>> {
    let code =
        lines.iter().filter(|line| line.text.starts_with("    ") || line.text.starts_with('>'));
    let mut literals: Vec<Arc<str>> = Vec::new();
    for line in code {
        let mut rest = &*line.text;
        while let Some(start) = rest.find(['\'', '"']).filter(|_| literals.len() < MAX_LITERALS) {
            let Some((text, true, after)) = python_literal::string(&rest[start..]) else { break };
            // A text with braces is a template, whose values are not known.
            if text.len() >= MIN_LITERAL_CHARS && text.contains(' ') && !text.contains('{') {
                literals.push(text.into());
            }
            rest = after;
        }
    }
    literals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_cut_in_a_text_is_not_whole() {
        let line = |text: &str, end: usize| {
            format!("kwargs = {{'json': {{'content': '{text}'}}, 'data': '{}'}}", "x".repeat(end))
        };
        let is_read =
            |text: &str, end| argument(&line(text, end), "'json': ", Argument::Value).is_some();
        let rows =
            [("Well... no", 9, true), ("You are...a refund", 200, false), ("All", 200, true)];
        for (text, end, expected) in rows {
            assert_eq!(is_read(text, end), expected, "{text}");
        }
    }
}
