//! The body that was sent, from the recorded one and the difference that a client prints of both.

use serde_json::Value;

use crate::client::HttpRequest;
use crate::run_log::FailedMatcher;
use document::diff::Side;
use document::{Node, NodeKind};

/// Number of letters after which the client cuts a line.
const MAX_LINE_CHARS: usize = 200;

/// Returns the body of the request whose difference from a recorded one a client printed, in the style of the recorded one; `None` if
/// the difference is of another call, or is not printed as a whole.
pub(super) fn sent_body(recorded: &HttpRequest, failed: &FailedMatcher) -> Option<String> {
    let body = recorded.body.json()?;
    let old = recorded.body.text()?;
    let sent: Value = serde_json::from_str(&changed(&lines(&old)?, failed, Side::Left)?).ok()?;
    let has_blanks = old.contains("\": ") || !old.contains("\":");
    let mut text = String::new();
    write_like(&mut text, &sent, Some(body.root()), has_blanks);
    Some(if old.is_ascii() && old.contains("\\u") { ascii(&text) } else { text })
}

/// Returns whether a recorded request has become the one whose difference from its former body a client printed.
pub(super) fn is_sent(recorded: &HttpRequest, failed: &FailedMatcher) -> bool {
    let body = recorded.body.text().and_then(|text| lines(&text));
    body.is_some_and(|lines| changed(&lines, failed, Side::Right).is_some())
}

/// Returns the lines of a body as the client prints them.
fn lines(body: &str) -> Option<Vec<String>> {
    // Read in this way, members are sorted by their keys, as they are in the lines.
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(body).ok()?).ok()?;
    Some(pretty.lines().map(ascii).collect())
}

/// Applies a unified difference to the lines of the side that is known, and returns those of the other one.
fn changed(lines: &[String], failed: &FailedMatcher, known: Side) -> Option<String> {
    if failed.diff.is_empty() || failed.diff.iter().any(|line| line.starts_with('…')) {
        return None;
    }
    let (own_sign, other_sign) = if known == Side::Left { ("-", "+") } else { ("+", "-") };
    let mut rest = lines;
    let mut new_lines: Vec<&str> = Vec::new();
    for line in &failed.diff {
        if let Some(ranges) = line.strip_prefix("@@ -") {
            let mut ranges = ranges.split(' ');
            let (old, new) = (ranges.next()?, ranges.next()?.strip_prefix('+')?);
            let range = if known == Side::Left { old } else { new };
            let (first, count) = range.split_once(',').unwrap_or((range, "1"));
            // A range without lines is named by the line before it.
            let before = first.parse::<usize>().ok()?.checked_sub(usize::from(count != "0"))?;
            let same_count = before.checked_sub(lines.len() - rest.len())?;
            let (same, after) = rest.split_at_checked(same_count)?;
            new_lines.extend(same.iter().map(String::as_str));
            rest = after;
            continue;
        }
        let cut = line.strip_suffix('…').filter(|cut| cut.chars().count() >= MAX_LINE_CHARS);
        let (sign, text) = cut.unwrap_or(line).split_at_checked(1)?;
        if sign == other_sign {
            // The end of a line that is cut is not known.
            new_lines.push(Some(text).filter(|_| cut.is_none())?);
            continue;
        }
        let (own, after) = rest.split_first()?;
        let is_equal = match cut {
            Some(_) => own.starts_with(text),
            None => own.trim_end() == text.trim_end(),
        };
        if !is_equal || sign != own_sign && sign != " " {
            return None;
        }
        new_lines.extend((sign == " ").then_some(own.as_str()));
        rest = after;
    }
    new_lines.extend(rest.iter().map(String::as_str));
    Some(new_lines.join("\n"))
}

/// Escapes all letters that are not ASCII, as Python writes JSON.
fn ascii(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
        } else {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            escaped.extend(units.into_iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    escaped
}

/// Writes a value with its members in the order of those of another one.
fn write_like(text: &mut String, value: &Value, like: Option<Node<'_>>, has_blanks: bool) {
    let (comma, colon) = if has_blanks { (", ", ": ") } else { (",", ":") };
    match value {
        Value::Object(members) => {
            let like = like.filter(|like| like.kind() == NodeKind::Object);
            let known = like.into_iter().flat_map(Node::items).filter_map(|item| item.key());
            let mut keys: Vec<&str> = known.filter(|key| members.contains_key(*key)).collect();
            let new_keys = members.keys().map(String::as_str);
            keys.extend(new_keys.filter(|key| like.is_none_or(|like| like.get(key).is_none())));
            text.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                text.push_str(if at == 0 { "" } else { comma });
                text.push_str(&Value::from(key).to_string());
                text.push_str(colon);
                write_like(text, &members[key], like.and_then(|like| like.get(key)), has_blanks);
            }
            text.push('}');
        }
        Value::Array(elements) => {
            text.push('[');
            for (at, element) in elements.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { comma });
                let like = like.and_then(|like| like.items().nth(at));
                write_like(text, element, like, has_blanks);
            }
            text.push(']');
        }
        value => text.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::RequestBody;

    fn sent(recorded: &str, diff: &[&str]) -> String {
        let request = HttpRequest {
            body: RequestBody::Bytes(recorded.as_bytes().to_vec()),
            ..HttpRequest::default()
        };
        let diff = diff.iter().map(|line| (*line).into()).collect();
        let failed = FailedMatcher { name: "body".into(), diff, ..FailedMatcher::default() };
        sent_body(&request, &failed).unwrap_or_default()
    }

    #[test]
    fn a_difference_is_applied_to_the_recorded_body() {
        let recorded = r#"{"model":"m","é":[1,{"b":2,"a":"ü"}],"k":0.5}"#;
        let long = format!("+  \"model\": \"{}…", "x".repeat(200));
        let rows: [(&[&str], &str); 7] = [
            (
                &[
                    "@@ -2,3 +2,3 @@",
                    "   \"k\": 0.5,",
                    "-  \"model\": \"m\",",
                    "+  \"model\": \"n\",",
                    "   \"\\u00e9\": [",
                ],
                r#"{"model":"n","é":[1,{"b":2,"a":"ü"}],"k":0.5}"#,
            ),
            // A new member is after the known ones.
            (
                &[
                    "@@ -1,0 +2 @@",
                    "+  \"c\": [],",
                    "@@ -7 +8,2 @@",
                    "-      \"a\": \"\\u00fc\",",
                    "+      \"a\": \"\\u00fc\\u00fc\",",
                    "+      \"aa\": 1,",
                ],
                r#"{"model":"m","é":[1,{"b":2,"a":"üü","aa":1}],"k":0.5,"c":[]}"#,
            ),
            (&["@@ -2,1 +1,0 @@", "-  \"k\": 0.5,"], r#"{"model":"m","é":[1,{"b":2,"a":"ü"}]}"#),
            // Of another call, or cut.
            (&["@@ -2,1 +1,0 @@", "-  \"k\": 0.75,"], ""),
            (&["@@ -2,1 +1,0 @@", "-  \"k\": 0.5,", "… (3 more lines)"], ""),
            (&["@@ -3 +3 @@", "-  \"model\": \"m\",", &long], ""),
            (&[], ""),
        ];
        for (diff, expected) in rows {
            assert_eq!(sent(recorded, diff), expected, "{diff:?}");
        }
        let spaced =
            sent(r#"{"b": "\u00e9", "a": 1}"#, &["@@ -2 +2 @@", "-  \"a\": 1,", "+  \"a\": 2,"]);
        assert_eq!(spaced, r#"{"b": "\u00e9", "a": 2}"#);
    }
}
