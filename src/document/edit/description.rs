//! Names an edit for the history of changes, in the words of the file's kind.

use super::Edit;
use crate::text::visible;
use crate::{Document, FileKind, Node, unescape_step};

/// Number of characters of a value that are shown in a name.
const MAX_SHOWN_CHARS: usize = 32;

/// Describes the effect of an edit, as in "Set status of tool response 2 to 504". Elements count from 1, as they do in
/// the window.
pub fn describe_edit(document: &Document, edit: &Edit) -> String {
    let subject = |pointer| subject(document, pointer);
    match edit {
        Edit::Set { pointer, value } => {
            format!("Set {} to {}", subject(pointer), cut(value.json()))
        }
        Edit::Insert { pointer, .. } | Edit::InsertBefore { pointer, .. } => {
            format!("Insert {}", subject(pointer))
        }
        Edit::Remove { pointer } => format!("Remove {}", subject(pointer)),
        Edit::Rename { pointer, key } => format!("Rename {} to {}", subject(pointer), cut(key)),
        Edit::Move { pointer, to } => {
            format!("Move {} to place {}", subject(pointer), to.saturating_add(1))
        }
    }
}

/// Returns what the elements of a list are called in a kind of file.
fn element(kind: FileKind, list: &str) -> Option<&'static str> {
    Some(match (kind, list) {
        (FileKind::Recording | FileKind::Request, "messages") => "message",
        (FileKind::Recording | FileKind::Request, "tools") => "tool",
        (FileKind::Recording | FileKind::Request, "content") => "block",
        (FileKind::Tape, "stream") => "chunk",
        (FileKind::Tape, "history") => "message",
        (FileKind::Seeds, "seeds") => "seed",
        (FileKind::Seeds, "hashSeeds") => "hash seed",
        (FileKind::Session | FileKind::Config, "tool_responses") => "tool response",
        (FileKind::Session | FileKind::Config, "context") => "context message",
        (FileKind::Config, "sessions") => "session",
        (FileKind::Config, "sources") => "source",
        (FileKind::Config | FileKind::Contract, "invariants") => "invariant",
        (FileKind::Config | FileKind::Contract, "chaos_matrix") => "scenario",
        (FileKind::Config, "golden_prompts") => "golden prompt",
        (FileKind::Report, "mutations") => "mutation",
        (FileKind::Report, "checks") => "check",
        _ => return None,
    })
}

/// Describes the place of a pointer: the keys inside the innermost element that has a name, then what that is part of.
fn subject(document: &Document, pointer: &str) -> String {
    let tokens: Vec<String> = pointer.split('/').skip(1).map(unescape_step).collect();
    let (mut inner, mut outer): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    let mut node = document.tree.root();
    for token in &tokens {
        let list = inner.last().and_then(|list| element(document.kind(), list));
        let number = match token.as_str() {
            // The place behind the last element (RFC 6901).
            "-" => node.map(|list| list.len() + 1),
            index => index.parse().ok().and_then(|index: usize| index.checked_add(1)),
        };
        node = node.and_then(|node| part(node, token));
        match (list, number) {
            (Some(noun), Some(number)) => {
                outer.push(format!("{noun} {number}"));
                inner.clear();
            }
            _ => inner.push(token),
        }
    }
    let mut words: Vec<String> = Vec::new();
    match (inner.as_slice(), outer.is_empty()) {
        ([], true) => words.push("the document".to_owned()),
        ([], false) => {}
        ([key], _) if !key.is_empty() => words.push(cut(key)),
        ([outer, key], true) if is_word(outer) && is_word(key) => {
            words.extend([cut(key), cut(outer)]);
        }
        (_, true) => words.push(cut(pointer)),
        (keys, false) => words.push(cut(&keys.join("/"))),
    }
    words.extend(outer.into_iter().rev());
    words.join(" of ")
}

fn is_word(key: &str) -> bool {
    !key.is_empty() && !key.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

fn part<'t>(node: Node<'t>, token: &str) -> Option<Node<'t>> {
    match token.parse() {
        Ok(index) if node.key().is_none() || node.get(token).is_none() => node.items().nth(index),
        _ => node.get(token),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", visible(&text[..end])),
        None => visible(text).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::JsonValue;
    use crate::read;
    use crate::text::Source;

    fn named(file: &str, text: &str, edit: Edit) -> String {
        describe_edit(&read(Source::new(text), file), &edit)
    }

    const SESSION: &str =
        "id: a\ninput: b\ntool_responses:\n  - tool: t\n    response: {a: {b: 1}}\n  - tool: u\n";
    const TAPE: &str =
        r#"{"meta": {"model": "m"}, "request": {}, "stream": [{"delayNs": 1, "text": "a"}]}"#;

    #[test]
    fn names_are_in_the_words_of_the_kind() {
        let set = |pointer: &str, json: &str| Edit::Set {
            pointer: pointer.to_owned(),
            value: JsonValue::parse(json).unwrap(),
        };
        let value = || JsonValue::parse("{}").unwrap();
        let session = |edit| named("a.yaml", SESSION, edit);
        let tape = |edit| named("a.json", TAPE, edit);
        insta::assert_snapshot!(session(set("/tool_responses/1/status", "504")), @"Set status of tool response 2 to 504");
        insta::assert_snapshot!(session(set("/tool_responses/0/response/a/b", "2")), @"Set response/a/b of tool response 1 to 2");
        insta::assert_snapshot!(session(set("/input", "\"a long text that goes on for longer than anybody reads\"")), @r#"Set input to "a long text that goes on for lo…"#);
        insta::assert_snapshot!(session(Edit::Insert { pointer: "/tool_responses/-".into(), value: value() }), @"Insert tool response 3");
        insta::assert_snapshot!(session(Edit::Rename { pointer: "/tool_responses/0/tool".into(), key: "name".into() }), @"Rename tool of tool response 1 to name");
        insta::assert_snapshot!(tape(Edit::Remove { pointer: "/stream/0".into() }), @"Remove chunk 1");
        insta::assert_snapshot!(tape(Edit::Move { pointer: "/stream/0".into(), to: 2 }), @"Move chunk 1 to place 3");
        insta::assert_snapshot!(tape(set("/meta/model", "\"x\\u001b\"")), @r#"Set model of meta to "x\u001b""#);
        insta::assert_snapshot!(tape(set("", "1")), @"Set the document to 1");
        insta::assert_snapshot!(named("a.json", "{\"a\": [1]}", set("/a/0", "2")), @"Set /a/0 to 2");
    }
}
