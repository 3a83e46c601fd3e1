//! The request of a call, from the arguments that a traceback prints of its frames.

use std::sync::Arc;

use serde_json::Value;

use super::lines::LogLine;
use super::python_literal;
use super::{Miss, PrintedBody, PrintedRequest, TestCode};

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
    miss.code = printed_code(lines);
    let Some(body) = body().filter(is_better).or(printed.clone()) else {
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

/// Reads the lines of code of a traceback.
fn printed_code(lines: &[&LogLine<'_>]) -> TestCode {
    let texts = lines.iter().map(|line| &*line.text);
    let code = texts.filter(|line| line.starts_with("    ") || line.starts_with('>'));
    let is_test = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("async ").unwrap_or(line).starts_with("def test")
    };
    TestCode { is_whole: code.clone().any(is_test), texts: literals(code) }
}

/// Reads the code of a function in a module of Python, with the number of its first line, from 1; `None` if there is none or several.
pub fn function_code(module: &str, name: &str) -> Option<(usize, TestCode)> {
    let definition = format!("def {name}(");
    let begins = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("async ").unwrap_or(line).starts_with(&definition)
    };
    let lines: Vec<&str> = module.lines().collect();
    let mut starts = (0..lines.len()).filter(|at| begins(lines[*at]));
    let start = starts.next().filter(|_| starts.next().is_none())?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_inside = |line: &&&str| {
        line.trim().is_empty()
            || indent(line) > indent(lines[start])
            || line.trim_start().starts_with(')')
    };
    let body = lines[start + 1..].iter().take_while(is_inside).copied();
    Some((start + 1, TestCode { texts: literals(body), is_whole: true }))
}

/// Returns the texts in lines of code.
fn literals<'l>(code: impl Iterator<Item = &'l str>) -> Vec<Arc<str>> {
    let mut literals: Vec<Arc<str>> = Vec::new();
    for line in code {
        let mut rest = line;
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

    #[test]
    fn the_code_of_a_function_ends_with_it() {
        let module = "def other():\n    f('not of the test')\n\n@mark\nasync def test_a(\n    x,\n):\n    f('one of the test')\n\n    g(\"two of the test\")\nh('after the test')\n";
        let (line, code) = function_code(module, "test_a").unwrap();
        assert_eq!((line, code.texts.join("|")), (5, "one of the test|two of the test".to_owned()));
        assert_eq!(function_code(module, "test_b"), None);
    }
}
