//! Replaces a value in TOML. A text keeps its form (`"`, `'`, `"""` or `'''`) where that can hold it.

use super::expected_edit::ExpectedEdit;
use super::lines::DocumentLines;
use super::set::fits_syntax;
use super::{EditCandidates, EditRefusal, JsonValue};
use crate::json::quote;
use crate::text::{Source, TextEdit};
use crate::{Node, NodeKind, toml};

pub(super) fn plans<'a>(
    node: Node<'a>,
    value: &JsonValue,
) -> Result<EditCandidates<'a>, EditRefusal> {
    let refusal = |reason: &str| Err(EditRefusal::at(node, reason));
    let lines = DocumentLines::new(node.tree());
    if is_by_headers(&lines, node) {
        return refusal("The table is written with headers; edit its values one by one");
    }
    check_value(node, value)?;
    let range = node.span().range();
    let newline = lines.newline(range.start);
    let new = value.root();
    let ways = match (new.as_str(), node.kind()) {
        (Some(text), NodeKind::Timestamp) => {
            // JSON has no times, so a text in the form of a time takes the place of a time.
            is_time(text).then(|| text.to_owned()).into_iter().chain([basic(text)]).collect()
        }
        (Some(text), NodeKind::String) => alike(node.raw(), text, newline),
        _ => vec![inline(new)],
    };
    let ways = ways.into_iter().map(|new| TextEdit { range: range.clone(), new });
    Ok(EditCandidates {
        outcome: ExpectedEdit::Set(node, value.clone()),
        candidates: ways.collect(),
    })
}

/// Checks that TOML can represent a value.
fn check_value(place: Node<'_>, value: &JsonValue) -> Result<(), EditRefusal> {
    fits_syntax(place, value)?;
    let has_null = value.tree().nodes().any(|node| node.kind() == NodeKind::Null);
    if has_null {
        return Err(EditRefusal::at(place, "TOML has no null"));
    }
    let is_too_large = |part: Node<'_>| {
        let is_whole = part.kind() == NodeKind::Number && !part.raw().contains(['.', 'e', 'E']);
        // TOML requires parsers to hold 64 bits with a sign, and to refuse what they cannot hold.
        is_whole && part.raw().parse::<i64>().is_err()
    };
    if value.tree().nodes().any(is_too_large) {
        return Err(EditRefusal::at(place, "TOML holds whole numbers of 64 bits only"));
    }
    Ok(())
}

/// Returns whether a value is a table of a header, a list of such tables, or the document.
pub(super) fn is_by_headers(lines: &DocumentLines<'_>, node: Node<'_>) -> bool {
    let start = node.span().range().start;
    match node.kind() {
        NodeKind::Object => !lines.text[start..].starts_with('{'),
        // A value in brackets is on the line of its key.
        NodeKind::Array => node.key().is_some() && lines.starts_line(start),
        _ => false,
    }
}

/// Returns whether a text is a time as TOML writes one.
fn is_time(text: &str) -> bool {
    let (tree, problems) = toml::parse(&Source::new(format!("a = {text}")));
    let value = tree.at_pointer("/a");
    problems.is_empty()
        && value.is_some_and(|value| value.kind() == NodeKind::Timestamp && value.raw() == text)
}

/// Returns the ways to write a text in place of another one, the most alike first. A line end of a text of several lines is that of
/// the file; another one needs an escape.
fn alike(old: &str, text: &str, newline: &str) -> Vec<String> {
    let old_starts_below = old.get(3..).is_some_and(|old| old.starts_with(['\n', '\r']));
    let multiline = |quotes: &str, lines: &[String]| {
        // A line end directly behind the quotes is no part of the text.
        let is_blank = lines.len() > 1 && lines.first().is_some_and(String::is_empty);
        let first = if old_starts_below || is_blank { newline } else { "" };
        format!("{quotes}{first}{}{quotes}", lines.join(newline))
    };
    let escaped_lines = || {
        let lines: Vec<String> = text.split(newline).map(escaped).collect();
        multiline("\"\"\"", &lines)
    };
    let is_plain = |text: &str| !text.chars().any(|c| c.is_control() && c != '\t');
    let mut ways = Vec::new();
    if old.starts_with("'''") {
        let lines: Vec<String> = text.split(newline).map(str::to_owned).collect();
        let fits = lines.iter().all(|line| is_plain(line));
        // A quote at the end would be read as one of the closing ones.
        let fits = fits && !text.contains("'''") && !text.ends_with('\'');
        ways.extend(fits.then(|| multiline("'''", &lines)));
        ways.push(escaped_lines());
    } else if old.starts_with("\"\"\"") {
        ways.push(escaped_lines());
    } else if old.starts_with('\'') {
        let fits = is_plain(text) && !text.contains('\'');
        ways.extend(fits.then(|| format!("'{text}'")));
    }
    // Every text can be written in double quotes.
    ways.push(basic(text));
    ways
}

/// Returns a text in double quotes.
fn basic(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Escapes a text as JSON does, and DEL, which TOML wants escaped as well.
fn escaped(text: &str) -> String {
    let json = quote(text).replace('\u{7f}', "\\u007f");
    json[1..json.len() - 1].to_owned()
}

/// Writes a key, in quotes if it needs them.
fn key_text(key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !key.is_empty() && key.bytes().all(is_bare) { key.to_owned() } else { basic(key) }
}

/// Writes a value on one line.
fn inline(value: Node<'_>) -> String {
    let parts =
        |write: fn(Node<'_>) -> String| value.items().map(write).collect::<Vec<_>>().join(", ");
    match value.kind() {
        NodeKind::Array => format!("[{}]", parts(inline)),
        NodeKind::Object if value.is_empty() => "{}".to_owned(),
        NodeKind::Object => {
            let member = |part: Node<'_>| {
                let key = key_text(part.key().unwrap_or_default());
                format!("{key} = {}", inline(part))
            };
            format!("{{ {} }}", parts(member))
        }
        NodeKind::String => basic(value.as_str().unwrap_or_default()),
        _ => value.raw().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Edit, plan};
    use super::*;

    const TEXT: &str = "# kept\r
version = 1 # kept\r
at = 2026-03-12T09:14:07Z\r
basic = \"a\\tb\"\r
literal = 'C:\\x'\r
lines = \"\"\"\r
one\r
two\"\"\"\r
raw = '''one\r
two'''\r
ratio = 1.50\r
on = true\r
inner = { a = 1,  b = [ 'x', 2 ] }\r
[calls.\"a b\"]\r
length = [\"112\"] # kept\r
[[items]]\r
name = 'n'";

    fn edited(pointer: &str, value: &str) -> String {
        let (tree, _) = toml::parse(&Source::new(TEXT));
        let edit =
            Edit::Set { pointer: pointer.to_owned(), value: JsonValue::parse(value).unwrap() };
        let edit = match plan(&tree, &edit) {
            Ok(edit) => edit,
            Err(refusal) => return refusal.to_string(),
        };
        let mut new_text = TEXT.to_owned();
        edit.apply(&mut new_text);
        // Only the value is another one.
        let old = tree.at_pointer(pointer).unwrap().span().range();
        assert_eq!(&new_text[..old.start], &TEXT[..old.start]);
        let rest = &TEXT[old.end..];
        assert!(new_text.ends_with(rest));
        new_text[old.start..new_text.len() - rest.len()].to_owned()
    }

    #[test]
    fn values_are_replaced_in_their_form() {
        let lines = [
            edited("/version", "2"),
            edited("/at", "\"2026-03-13T00:00:00+01:00\""),
            edited("/at", "\"later\""),
            edited("/basic", "\"it's \\\"é\\u007f\\\"\\n\""),
            edited("/literal", "\"{\\\"a\\\": 1}\""),
            edited("/literal", "\"it's\""),
            edited("/ratio", "1e3"),
            edited("/on", "false"),
            edited("/on", "\"no\""),
            edited("/inner/a", "-7"),
            edited("/inner/b/0", "\"y\""),
            edited("/inner", "{\"a b\": [1, {\"c\": {}}], \"d\": \"e\"}"),
            edited("/calls/a b/length/0", "\"9\""),
            edited("/items/0/name", "\"m\""),
            edited("/lines", "\"\\n\\\"\\\"\\\"\\n\\\\end\\\"\"").replace('\r', "\\r"),
            edited("/lines", "\"one\\r\\nC:\\\\new\\n\"").replace('\r', "\\r"),
            edited("/raw", "\"a\\r\\nb\"").replace('\r', "\\r"),
            edited("/raw", "\"a\\nb\"").replace('\r', "\\r"),
            edited("/raw", "\"a'''\\nb'\"").replace('\r', "\\r"),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        2
        2026-03-13T00:00:00+01:00
        "later"
        "it's \"é\u007f\"\n"
        '{"a": 1}'
        "it's"
        1e3
        false
        "no"
        -7
        'y'
        { "a b" = [1, { c = {} }], d = "e" }
        "9"
        'm'
        """\r
        \n\"\"\"\n\\end\""""
        """\r
        one\r
        C:\\new\n"""
        '''a\r
        b'''
        """a\nb"""
        """a'''\nb'"""
        "#);
    }

    #[test]
    fn what_toml_cannot_hold_or_has_headers_is_refused() {
        let lines = [
            edited("/on", "null"),
            edited("/version", "123456789012345678901234567890"),
            edited("/items", "[]"),
            edited("/items/0", "{}"),
            edited("/calls", "{}"),
            edited("", "{}"),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        TOML has no null (line 12, column 6)
        TOML holds whole numbers of 64 bits only (line 2, column 11)
        The table is written with headers; edit its values one by one (line 16, column 1)
        The table is written with headers; edit its values one by one (line 16, column 1)
        The table is written with headers; edit its values one by one (line 14, column 2)
        The table is written with headers; edit its values one by one (line 1, column 1)
        ");
    }
}
