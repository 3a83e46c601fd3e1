//! `hidden-characters`: text that reads otherwise than it is.

use super::document::Findings;
use crate::format::{Node, NodeKind, RuleId, Syntax, Tree};
use crate::text::{Hidden, Source, Span, first_hidden, visible};

rule! {
    /// A name or a text holds characters that nobody sees: ones that reverse the direction of text, so that it reads
    /// otherwise than it is stored; invisible ones; or ones that command a terminal which prints them.
    ///
    /// Two tools may look the same and differ, a prompt may carry words that only the model sees, a log may rewrite itself.
    /// Colours in what a tool printed are common and mostly harmless. Everything is shown here escaped and obeyed nowhere.
    HiddenCharacters {
        title: "The text holds hidden characters",
        fix: "Remove the characters, unless the recorded text really had them.",
        before: "Looks like \"transition_to_done\"" => "\"name\": \"transition_to_\\u200bdone\"",
        after: "Is it" => "\"name\": \"transition_to_done\"",
    }
}

/// How many characters are shown before and after the hidden one.
const AROUND: usize = 12;

/// How many bytes are looked at together.
const PIECE: usize = 64;

pub(super) fn judge(findings: &mut Findings<'_>) {
    let tree = findings.tree();
    let source = tree.source();
    if hides_nothing(tree) {
        return;
    }
    for node in tree.nodes() {
        let hidden = of_key(node, source).or_else(|| of_value(node, source));
        if let Some((span, message)) = hidden {
            findings.at_span(RuleId::HiddenCharacters, span, node, message);
        }
    }
    let Some(root) = tree.root().filter(|_| !is_plain(source.text())) else {
        return;
    };
    for gap in gaps(tree) {
        let Some((at, character, kind)) = first_hidden(source.slice(gap)) else {
            continue;
        };
        let start = gap.start as usize + at;
        let span = Span::new(start, start + character.len_utf8());
        let said = says(source.slice(gap), at, character, kind);
        let message = format!("Between the values there is {said}");
        findings.at_span(RuleId::HiddenCharacters, span, root, message);
    }
}

/// True when a look at the text as a whole tells that nothing can be hidden in it, which is so for nearly every file: it is
/// plain but for characters that show, and no escape stands for another.
fn hides_nothing(tree: &Tree) -> bool {
    let source = tree.source();
    let text = &source.text()[source.content_start()..];
    let all_show = || {
        let pieces = text.as_bytes().chunks(PIECE).enumerate();
        let mut odd = pieces.filter(|(_, piece)| !is_plain(piece));
        odd.all(|(number, piece)| {
            let bytes = piece.iter().enumerate();
            let mut odd = bytes.filter(|(_, byte)| !is_plain_byte(**byte));
            odd.all(|(at, _)| {
                // In the middle of a character nothing begins, and its beginning was looked at.
                let rest = text.get(number * PIECE + at..).unwrap_or_default();
                rest.chars().next().is_none_or(|c| Hidden::of(c).is_none())
            })
        })
    };
    let mut escapes = memchr::memchr_iter(b'\\', text.as_bytes());
    let none_hides = |at: usize| !matches!(text.as_bytes().get(at + 1), Some(b'u' | b'b' | b'f'));
    // What an escape of YAML stands for is not told by two bytes.
    tree.syntax() == Syntax::Json && all_show() && escapes.all(none_hides)
}

/// What lies between texts and keys: comments, above all.
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
    let (at, character, kind) = first_hidden(key)?;
    let raw = node.key_span()?;
    let span = place_in(source, raw, character);
    Some((
        span,
        format!("The key holds {}", says(key, at, character, kind)),
    ))
}

fn of_value(node: Node<'_>, source: &Source) -> Option<(Span, String)> {
    // What an alias stands for is told where it stands.
    if node.kind() != NodeKind::String || node.is_alias() {
        return None;
    }
    let text = node.as_str().filter(|text| !is_plain(text))?;
    let (at, character, kind) = first_hidden(text)?;
    let span = place_in(source, node.span(), character);
    Some((
        span,
        format!("The text holds {}", says(text, at, character, kind)),
    ))
}

/// True for printable ASCII with its tabs and line ends, which is nearly all text and quickly told.
fn is_plain(text: impl AsRef<[u8]>) -> bool {
    let bytes = text.as_ref().iter();
    // No early end: this way the compiler looks at many bytes at once.
    bytes.fold(true, |all, &byte| all & is_plain_byte(byte))
}

fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// "a character that reorders text (U+202E): `…before\u{202e}after…`"
fn says(text: &str, at: usize, character: char, kind: Hidden) -> String {
    let (before, after) = text.split_at(at);
    let start = before.char_indices().rev().nth(AROUND - 1);
    let end = after.char_indices().nth(AROUND + 1);
    let before_cut = start.map_or(0, |(start, _)| start);
    let after_cut = end.map_or(after.len(), |(end, _)| end);
    format!(
        "{} (U+{:04X}): `{}{}{}{}`",
        kind.name(),
        u32::from(character),
        if before_cut > 0 { "…" } else { "" },
        visible(&before[before_cut..]),
        visible(&after[..after_cut]),
        if after_cut < after.len() { "…" } else { "" },
    )
}

/// Where in the text as written the character stands, raw or as its `\u` escape; else all of it.
fn place_in(source: &Source, raw_span: Span, character: char) -> Span {
    let start = raw_span.start as usize;
    let raw = source.slice(raw_span);
    if let Some(at) = raw.find(character) {
        return Span::new(start + at, start + at + character.len_utf8());
    }
    let mut units = [0; 2];
    let escape: String = (character.encode_utf16(&mut units).iter())
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    match raw.to_ascii_lowercase().find(&escape) {
        Some(at) => Span::new(start + at, start + at + escape.len()),
        None => raw_span,
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn keys_and_text_are_judged_as_decoded_and_shown_escaped() {
        let text = concat!(
            r#"{ "request": { "messages": [ { "role": "user", "content": "run \u001b[31mred" } ], "tools": [], "#,
            "\"sy\u{200b}s\": \"pay \u{202e}lap\",\n \"fine\": \"a\\tb\\n é 👩\u{200d}💻\", \"zero\": \"\\b\" } }"
        );
        insta::assert_snapshot!(found(RuleId::HiddenCharacters, "turn-1.json", text).join("\n"), @r"
        warning 1:64 /request/messages/0/content The text holds a control character (U+001B): `run \u{1b}[31mred`
        warning 1:100 /request/sy\u{200b}s The key holds an invisible character (U+200B): `sy\u{200b}s`
        warning 2:34 /request/zero The text holds a control character (U+0008): `\u{8}`
        ");
    }

    #[test]
    fn comments_are_judged_and_a_byte_order_mark_is_none() {
        let text = "\u{feff}id: a # ok\ninput: hi # \u{202e}done\ntool_responses: []\n";
        insta::assert_snapshot!(found(RuleId::HiddenCharacters, "a.yaml", text).join("\n"), @r"warning 2:13  Between the values there is a character that reorders text (U+202E): ` # \u{202e}done\n`");
    }

    #[test]
    fn many_are_counted() {
        let values = vec![r#""\u200b""#; 200].join(",");
        let problems = found(RuleId::HiddenCharacters, "a.json", &format!("[{values}]"));
        assert_eq!(problems.len(), 10);
        assert!(
            problems[9].ends_with("(and 190 more like this)"),
            "{problems:?}"
        );
    }
}
