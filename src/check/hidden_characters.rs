//! `hidden-characters`: text that looks different from what is stored.

use crate::check_document::ProblemCollector;
use document::tape::received;
use document::text::{HiddenKind, Source, Span, first_hidden, has_hidden_kind, visible};
use document::{Node, NodeKind, RuleId, Tree};

rule! {
    /// A name or a text contains characters that are not visible: characters that reverse the direction of text, so that it
    /// looks different from what is stored; invisible characters; or control characters that a terminal executes.
    ///
    /// Two tool names may look the same and be different, a prompt may contain words that only the model sees, a log may
    /// overwrite itself. Colour codes in the output of a tool are common and mostly harmless. Retake always displays such
    /// characters escaped and never executes them.
    HiddenCharacters {
        title: "The text contains hidden characters",
        fix: "Remove the characters, unless the recorded text really contained them.",
        before: "Looks like \"transition_to_done\"" => "\"name\": \"transition_to_\\u200bdone\"",
        after: "Is it" => "\"name\": \"transition_to_done\"",
    }
}

/// Number of characters that are shown before and after the hidden one.
const CONTEXT_CHARS: usize = 12;

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    let document = findings.document;
    let tree = findings.tree;
    let source = tree.source();
    if hides_nothing(tree) {
        return;
    }
    let received_node = received(document);
    for node in tree.nodes() {
        // A tape has its answer twice; it is reported at the chunk, which people edit.
        if Some(node.id()) == received_node.map(Node::id) && is_in_chunks(node) {
            continue;
        }
        if let Some((span, message)) = of_key(node, source).or_else(|| of_value(node, source)) {
            findings.add_at_span(RuleId::HiddenCharacters, span, node, message);
        }
    }
    let Some(root) = tree.root().filter(|_| !is_plain(source.text())) else { return };
    for gap in gaps(tree) {
        let Some((index, character, kind)) = first_hidden(source.slice(gap)) else { continue };
        let start = gap.start as usize + index;
        let span = Span::new(start, start + character.len_utf8());
        let description = describe(source.slice(gap), index, character, kind);
        let message = format!("There is {description}, outside of any value");
        findings.add_at_span(RuleId::HiddenCharacters, span, root, message);
    }
}

/// Returns whether a chunk of a tape has the first hidden character of what was received.
fn is_in_chunks(received_node: Node<'_>) -> bool {
    let hidden_char = |node: Node<'_>| Some(first_hidden(node.as_str()?)?.1);
    let chunks = received_node.parent().and_then(|tape| tape.get("stream"));
    let mut texts = chunks.into_iter().flat_map(Node::items).filter_map(|chunk| chunk.get("text"));
    hidden_char(received_node).is_some_and(|c| texts.any(|text| hidden_char(text) == Some(c)))
}

/// Returns true when a fast scan of the whole text shows that it cannot contain hidden characters, which is the case for
/// nearly every file: it has visible characters only, and no escape can decode to a hidden one.
fn hides_nothing(tree: &Tree) -> bool {
    let source = tree.source();
    let text = &source.text()[source.content_start()..];
    !has_hidden_kind(text) && !has_rare_escape(text)
}

/// Returns whether a backslash may begin another escape than those for quotes, slashes, blanks and line ends.
fn has_rare_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut escaped_backslash = None;
    memchr::memchr_iter(b'\\', bytes).any(|at| {
        if escaped_backslash == Some(at) {
            return false;
        }
        match bytes.get(at + 1) {
            Some(b'\\') => escaped_backslash = Some(at + 1),
            Some(b'"' | b'\'' | b'/' | b'n' | b'r' | b't' | b' ' | b'\t' | b'\n' | b'\r') => {}
            _ => return true,
        }
        false
    })
}

/// Returns the parts of the text between scalars and keys, such as comments.
fn gaps(tree: &Tree) -> Vec<Span> {
    let texts = tree.nodes().filter(|node| {
        node.is_alias() || !matches!(node.kind(), NodeKind::Object | NodeKind::Array)
    });
    let keys = tree.nodes().filter_map(Node::key_span);
    let mut spans: Vec<Span> = texts.map(Node::span).chain(keys).collect();
    spans.sort_unstable();
    let mut gaps = Vec::new();
    let mut end = tree.source().content_start();
    for span in spans.iter().map(|span| span.range()) {
        if span.start > end {
            gaps.push(Span::new(end, span.start));
        }
        end = end.max(span.end);
    }
    gaps.push(Span::new(end, tree.source().text().len()));
    gaps
}

fn of_key(node: Node<'_>, source: &Source) -> Option<(Span, String)> {
    let key = node.key().filter(|key| !is_plain(key))?;
    let (index, character, kind) = first_hidden(key)?;
    let span = place_in(source, node.key_span()?, character);
    Some((span, format!("The key contains {}", describe(key, index, character, kind))))
}

fn of_value(node: Node<'_>, source: &Source) -> Option<(Span, String)> {
    // What an alias refers to is reported at its anchor.
    if node.kind() != NodeKind::String || node.is_alias() {
        return None;
    }
    let text = node.as_str().filter(|text| !is_plain(text))?;
    let (index, character, kind) = first_hidden(text)?;
    let span = place_in(source, node.span(), character);
    Some((span, format!("The text contains {}", describe(text, index, character, kind))))
}

/// Returns true for printable ASCII, tabs and line ends: nearly all text, and fast to check.
fn is_plain(text: impl AsRef<[u8]>) -> bool {
    let bytes = text.as_ref().iter();
    // No early return, so that the compiler can vectorize the loop.
    bytes.fold(true, |is_all, &byte| is_all & is_plain_byte(byte))
}

fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// Describes a hidden character: "a character that reorders text (U+202E): `…before\u{202e}after…`".
fn describe(text: &str, index: usize, character: char, kind: HiddenKind) -> String {
    let (head, tail) = text.split_at(index);
    let start = head.char_indices().rev().nth(CONTEXT_CHARS - 1);
    // One more, since this part begins with the hidden character.
    let end = tail.char_indices().nth(CONTEXT_CHARS + 1);
    let head_start = start.map_or(0, |(start, _)| start);
    let tail_end = end.map_or(tail.len(), |(end, _)| end);
    format!(
        "{} (U+{:04X}): `{}{}{}{}`",
        kind.name(),
        u32::from(character),
        if head_start > 0 { "…" } else { "" },
        visible(&head[head_start..]),
        visible(&tail[..tail_end]),
        if tail_end < tail.len() { "…" } else { "" },
    )
}

/// Returns where the character is in the source text, either raw or as a `\u` escape; otherwise the whole span.
fn place_in(source: &Source, raw_span: Span, character: char) -> Span {
    let start = raw_span.start as usize;
    let raw = source.slice(raw_span);
    if let Some(index) = raw.find(character) {
        return Span::new(start + index, start + index + character.len_utf8());
    }
    let mut units = [0; 2];
    let escape: String =
        (character.encode_utf16(&mut units).iter()).map(|unit| format!("\\u{unit:04x}")).collect();
    // Hex digits are written in either case.
    match raw.to_ascii_lowercase().find(&escape) {
        Some(index) => Span::new(start + index, start + index + escape.len()),
        None => raw_span,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn keys_and_text_are_judged_as_decoded_and_shown_escaped() {
        let text = concat!(
            r#"{ "request": { "messages": [ { "role": "user", "content": "run \u001b[31mred" } ], "tools": [], "#,
            "\"sy\u{200b}s\": \"pay \u{202e}lap\",\n \"fine\": \"a\\tb\\n é 👩\u{200d}💻\", \"zero\": \"\\b\" } }"
        );
        insta::assert_snapshot!(found(RuleId::HiddenCharacters, "turn-1.json", text).join("\n"), @r"
        warning 1:64 /request/messages/0/content The text contains a control character (U+001B): `run \u{1b}[31mred`
        warning 1:100 /request/sy\u{200b}s The key contains an invisible character (U+200B): `sy\u{200b}s`
        warning 2:34 /request/zero The text contains a control character (U+0008): `\u{8}`
        ");
    }

    #[test]
    fn comments_are_judged_and_a_byte_order_mark_is_none() {
        let text = "\u{feff}id: a # ok\ninput: hi # \u{202e}done\ntool_responses: []\n";
        insta::assert_snapshot!(found(RuleId::HiddenCharacters, "a.yaml", text).join("\n"), @r"warning 2:13  There is a character that reorders text (U+202E): ` # \u{202e}done\n`, outside of any value");
    }

    #[test]
    fn what_a_tape_has_as_it_was_received_is_reported_at_the_chunk_only() {
        let tape = |received: &str| {
            let tape = format!(
                r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {{"model": "m", "contents": ""}}, "received": "{received}", "stream": [{{"delayNs": 1, "text": "a\u200bb"}}]}}"#
            );
            let lines = found(RuleId::HiddenCharacters, "tape.json", &tape);
            let pointer = |line: &String| line.split(' ').nth(2).unwrap().to_owned();
            lines.iter().map(pointer).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(tape("a\\u200bb"), "/stream/0/text");
        assert_eq!(tape("ab"), "/stream/0/text");
        assert_eq!(tape("a\\u202eb"), "/received /stream/0/text");
    }

    #[test]
    fn many_are_counted() {
        let values = vec![r#""\u200b""#; 200].join(",");
        let problems = found(RuleId::HiddenCharacters, "a.json", &format!("[{values}]"));
        assert_eq!(problems.len(), 10);
        assert!(problems[9].ends_with("(and 190 more like this)"), "{problems:?}");
    }
}
