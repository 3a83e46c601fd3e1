//! JSON in a form that is equal for values which a client takes for equal, and as Python's `json.dumps` writes it.

use super::request_filter::Replacements;
use document::{Node, NodeKind, json};

/// The values that a client takes for equal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonEquality<'a> {
    /// Whether `1`, `1.0` and `true` are different, as in Rust's serde.
    pub(super) has_types: bool,
    /// The values that are not compared: keys with dots and positions in brackets, such as `messages[0].id`.
    pub(super) ignored_paths: &'a [Box<str>],
}

impl JsonEquality<'_> {
    /// Returns a text that is equal for equal values; `None` for a value that is not equal to itself.
    pub(super) fn canonical(&self, node: Node<'_>) -> Option<String> {
        // In lists and objects Python compares the one NaN of its parser with itself.
        if node.kind() == NodeKind::Number && float(node).is_nan() {
            return None;
        }
        let mut text = String::new();
        self.write(node, "", &mut text);
        Some(text)
    }

    fn write(&self, node: Node<'_>, path: &str, text: &mut String) {
        let is_ignored = |path: &str| self.ignored_paths.iter().any(|ignored| **ignored == *path);
        // Without paths to ignore, none is written.
        let join = |separator: &str, part: &str| match (self.ignored_paths, path) {
            ([], _) => String::new(),
            (_, "") => part.to_owned(),
            (_, path) => format!("{path}{separator}{part}"),
        };
        if is_ignored(path) && !self.ignored_paths.is_empty() {
            text.push('_');
            return;
        }
        match node.kind() {
            NodeKind::Object => {
                let mut members = node.members();
                members.sort_by_key(|(key, _)| *key);
                text.push('{');
                for (key, member) in members {
                    let path = join(".", key);
                    if self.ignored_paths.is_empty() || !is_ignored(&path) {
                        *text += &json::quoted_key(member);
                        text.push(':');
                        self.write(member, &path, text);
                        text.push(',');
                    }
                }
                text.push('}');
            }
            NodeKind::Array => {
                text.push('[');
                for (index, item) in node.items().enumerate() {
                    let path = match (self.ignored_paths, path) {
                        ([], _) => String::new(),
                        (_, path) => format!("{path}[{index}]"),
                    };
                    self.write(item, &path, text);
                    text.push(',');
                }
                text.push(']');
            }
            NodeKind::Number => *text += &self.number(node),
            NodeKind::Bool if self.has_types => *text += &json::text(node),
            NodeKind::Bool => text.push(if node.as_bool() == Some(true) { '1' } else { '0' }),
            NodeKind::Null => text.push('n'),
            NodeKind::String => *text += &json::quoted_text(node),
            NodeKind::Timestamp | NodeKind::Expression => *text += &json::text(node),
        }
    }

    fn number(&self, node: Node<'_>) -> String {
        let written = node.scalar_text().unwrap_or_default();
        let number = float(node);
        if self.has_types {
            let is_whole = written.parse::<i64>().is_ok() || written.parse::<u64>().is_ok();
            return if is_whole && written != "-0" {
                written.to_owned()
            } else {
                format!("{number:?}f")
            };
        }
        // A Python integer has any number of digits.
        if let Some(digits) = integer(written) {
            return if digits == "-0" { "0" } else { digits }.to_owned();
        }
        if number == 0.0 {
            "0".to_owned()
        } else if number.fract() == 0.0 {
            format!("{number:.0}")
        } else {
            format!("{number:?}")
        }
    }
}

/// Returns the keys with dots and the positions in brackets that lead to a value, such as `messages[0].content`; empty for the root.
pub(crate) fn json_path(node: Node<'_>) -> String {
    let mut nodes: Vec<Node<'_>> = node.ancestors().collect();
    nodes.pop();
    nodes.iter().rev().fold(String::new(), |path, node| match node.key() {
        None => format!("{path}[{}]", node.index()),
        Some(key) if path.is_empty() => key.to_owned(),
        Some(key) => format!("{path}.{key}"),
    })
}

/// Returns an integer of JSON as it is written.
fn integer(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty();
    // YAML reads a leading zero as an octal number.
    (is_plain && (digits.len() == 1 || !digits.starts_with('0'))).then_some(text)
}

fn float(node: Node<'_>) -> f64 {
    let written = node.scalar_text().unwrap_or_default();
    // `NaN` and `Infinity` are numbers for Python.
    written.parse().ok().or_else(|| node.as_f64()).unwrap_or(f64::NAN)
}

/// Decodes JSON as `json.loads` does: also UTF-16, by its mark.
///
/// # Errors
///
/// Returns the exception of Python.
pub(super) fn python_text(bytes: &[u8]) -> Result<String, &'static str> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            let text = std::str::from_utf8(bytes).map(str::to_owned);
            return text.map_err(|_| "UnicodeDecodeError");
        }
    };
    let pairs = bytes[2..].chunks(2);
    let units: Option<Vec<u16>> = pairs.map(|pair| Some(read(pair.try_into().ok()?))).collect();
    let text = units.and_then(|units| String::from_utf16(&units).ok());
    text.ok_or("UnicodeDecodeError")
}

/// Returns a value as `json.dumps` writes it, after replacing the members of objects.
pub(super) fn dumps(node: Node<'_>, replacements: Option<&Replacements<'_>>) -> String {
    let mut text = String::new();
    write_dumps(node, replacements, &mut text);
    text
}

fn write_dumps(node: Node<'_>, replacements: Option<&Replacements<'_>>, text: &mut String) {
    match node.kind() {
        NodeKind::Object => {
            let mut replaced_members: Vec<(usize, String)> = Vec::new();
            text.push('{');
            let start = text.len();
            for (key, member) in node.members() {
                let replacement = replacements.and_then(|list| Some((list, list.find(key)?)));
                let new_value = match replacement {
                    None => None,
                    Some((_, (_, None))) => continue,
                    Some((list, (position, Some(value)))) => Some((list, position, value)),
                };
                let name = json::quoted_key(member);
                let name = json::to_ascii(&name);
                if let Some((list, position, value)) = new_value
                    && !list.is_nested
                {
                    let value = json::quote(value);
                    let value = json::to_ascii(&value);
                    replaced_members.push((position, format!("{name}: {value}")));
                    continue;
                }
                separate(text, start);
                *text += &name;
                *text += ": ";
                match new_value {
                    Some((.., value)) => *text += &json::to_ascii(&json::quote(value)),
                    None => write_dumps(member, nested(replacements), text),
                }
            }
            // vcrpy takes a member out and adds it again, so it is last.
            replaced_members.sort_by_key(|(position, _)| *position);
            for (_, member) in replaced_members {
                separate(text, start);
                *text += &member;
            }
            text.push('}');
        }
        NodeKind::Array => {
            text.push('[');
            let start = text.len();
            for item in node.items() {
                separate(text, start);
                write_dumps(item, nested(replacements), text);
            }
            text.push(']');
        }
        NodeKind::Number => *text += &python_number(node),
        NodeKind::Bool => *text += if node.as_bool() == Some(true) { "true" } else { "false" },
        NodeKind::Null => *text += "null",
        NodeKind::String => *text += &json::to_ascii(&json::quoted_text(node)),
        NodeKind::Timestamp | NodeKind::Expression => {
            *text += &json::to_ascii(&json::text(node));
        }
    }
}

/// Adds what divides an element from the one before it, if there is one: the list begins at `start`.
fn separate(text: &mut String, start: usize) {
    if text.len() > start {
        *text += ", ";
    }
}

fn nested<'r, 'a>(replacements: Option<&'r Replacements<'a>>) -> Option<&'r Replacements<'a>> {
    replacements.filter(|list| list.is_nested)
}

/// Writes a number as Python does: of a float the shortest digits that read as the same.
fn python_number(node: Node<'_>) -> String {
    let written = node.scalar_text().unwrap_or_default();
    if let Some(digits) = integer(written) {
        return digits.to_owned();
    }
    let is_whole = !written.contains(['.', 'e', 'E', 'n', 'N']);
    match float(node) {
        number if number.is_nan() => "NaN".to_owned(),
        number if number.is_infinite() && number > 0.0 => "Infinity".to_owned(),
        number if number.is_infinite() => "-Infinity".to_owned(),
        number if is_whole => format!("{number:.0}"),
        number if number == 0.0 || (1e-4..1e16).contains(&number.abs()) => format!("{number:?}"),
        number => {
            let text = format!("{number:e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            match exponent.strip_prefix('-') {
                Some(exponent) => format!("{digits}e-{exponent:0>2}"),
                None => format!("{digits}e+{exponent:0>2}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;

    #[test]
    fn equal_values_have_one_form() {
        let canonical = |has_types: bool, text: &str| {
            let (tree, _) = json::parse_python(&Source::new(text));
            JsonEquality { has_types, ignored_paths: &[] }.canonical(tree.root().unwrap())
        };
        for (a, b, is_same, is_same_with_types) in [
            (r#"{"a":1,"b":[2]}"#, r#"{ "b": [2.0], "a": true }"#, true, false),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true, true),
            ("1e2", "100", true, false),
            ("-0", "0.0", true, false),
            ("[1,2]", "[2,1]", false, false),
            ("12345678901234567890123", "12345678901234567890124", false, true),
            (r#""\u00e9""#, r#""é""#, true, true),
            ("null", "0", false, false),
        ] {
            assert_eq!(canonical(false, a) == canonical(false, b), is_same, "{a} {b}");
            assert_eq!(canonical(true, a) == canonical(true, b), is_same_with_types, "{a} {b}");
        }
        assert_eq!(canonical(false, "NaN"), None);
        assert_eq!(canonical(false, "[NaN]"), canonical(false, "[ NaN ]"));
    }

    #[test]
    fn ignored_paths_are_not_compared() {
        let is_same = |path: &str, a: &str, b: &str| {
            let paths = [Box::from(path)];
            let equality = JsonEquality { has_types: true, ignored_paths: &paths };
            let canonical = |text: &str| {
                let (tree, _) = json::parse_python(&Source::new(text));
                equality.canonical(tree.root().unwrap())
            };
            canonical(a) == canonical(b)
        };
        for (path, a, b, expected) in [
            ("b", r#"{"a":1,"b":2}"#, r#"{"a":1}"#, true),
            ("b.c", r#"{"b":{"c":1}}"#, r#"{"b":{}}"#, true),
            ("b.c", r#"{"b":{"c":1}}"#, "{}", false),
            ("$.b", r#"{"b":1}"#, r#"{"b":2}"#, false),
            ("b[0].c", r#"{"b":[{"c":1}]}"#, r#"{"b":[{"c":2}]}"#, true),
            ("b[0]", r#"{"b":[1,2]}"#, r#"{"b":[2]}"#, false),
            ("[0]", "[1,2]", "[3,2]", true),
            ("", r#"{"a":1}"#, "5", true),
        ] {
            assert_eq!(is_same(path, a, b), expected, "{path} {a} {b}");
        }
    }

    #[test]
    fn values_are_written_as_python_writes_them() {
        for (text, expected) in [
            (
                r#"{"a":[1,2.50,1e400,-1e-5,1e22],"é":"\ud83d\ude00"}"#,
                r#"{"a": [1, 2.5, Infinity, -1e-05, 1e+22], "\u00e9": "\ud83d\ude00"}"#,
            ),
            (
                "[true,null,0.0001,123456789012345678901]",
                "[true, null, 0.0001, 123456789012345678901]",
            ),
        ] {
            let (tree, _) = json::parse_python(&Source::new(text));
            assert_eq!(dumps(tree.root().unwrap(), None), expected);
        }
    }
}
