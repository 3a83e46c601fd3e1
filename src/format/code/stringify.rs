//! Implements JavaScript's `JSON.stringify`.

use super::literal::Literal;

/// The indentation of one level; empty for everything on one line.
pub(super) struct Indent(String);

/// The longest indentation that JavaScript uses, in characters.
const MAX_INDENT: usize = 10;

impl Indent {
    /// Returns the indentation that the third argument of the call defines.
    pub(super) fn from_argument(argument: Option<&Literal>) -> Option<Self> {
        Some(Self(match argument {
            None | Some(Literal::Null | Literal::Undefined) => String::new(),
            Some(Literal::Number(spaces)) => {
                " ".repeat((*spaces).clamp(0.0, MAX_INDENT as f64) as usize)
            }
            Some(Literal::Text(text)) => text.chars().take(MAX_INDENT).collect(),
            Some(Literal::Bool(_) | Literal::List(_) | Literal::Object(_)) => return None,
        }))
    }
}

/// Returns the result of `JSON.stringify`: a text, or `undefined`; `None` for a text of more than `most` bytes. Indentation and texts
/// within texts could make a small file take much memory.
pub(super) fn stringify(value: &Literal, indent: &Indent, most: usize) -> Option<Literal> {
    if *value == Literal::Undefined {
        return Some(Literal::Undefined);
    }
    let mut json = String::new();
    write(&mut json, value, (indent, most), 0);
    (json.len() <= most).then_some(Literal::Text(json))
}

fn write(json: &mut String, value: &Literal, (indent, most): (&Indent, usize), depth: usize) {
    match value {
        _ if json.len() > most => {}
        Literal::Null | Literal::Undefined => json.push_str("null"),
        Literal::Bool(value) => json.push_str(if *value { "true" } else { "false" }),
        Literal::Number(value) if value.is_finite() => json.push_str(&number(*value)),
        Literal::Number(_) => json.push_str("null"),
        Literal::Text(text) => json.push_str(&quoted(text)),
        Literal::List(elements) => {
            let parts = elements.iter().map(|element| (None, element));
            parts_of(json, "[]", parts, (indent, most), depth);
        }
        Literal::Object(members) => {
            let defined = members
                .iter()
                .filter(|(_, value)| *value != Literal::Undefined);
            let parts = defined.map(|(key, value)| (Some(key.as_str()), value));
            parts_of(json, "{}", parts, (indent, most), depth);
        }
    }
}

fn parts_of<'a>(
    json: &mut String,
    brackets: &str,
    parts: impl Iterator<Item = (Option<&'a str>, &'a Literal)>,
    (indent, most): (&Indent, usize),
    depth: usize,
) {
    let (opening, closing) = brackets.split_at(1);
    let line = |json: &mut String, depth: usize| {
        if !indent.0.is_empty() {
            json.push('\n');
            json.extend(std::iter::repeat_n(indent.0.as_str(), depth));
        }
    };
    json.push_str(opening);
    let mut any = false;
    for (key, value) in parts {
        if json.len() > most {
            return;
        }
        if std::mem::replace(&mut any, true) {
            json.push(',');
        }
        line(json, depth + 1);
        if let Some(key) = key {
            json.push_str(&quoted(key));
            json.push_str(if indent.0.is_empty() { ":" } else { ": " });
        }
        write(json, value, (indent, most), depth + 1);
    }
    if any {
        line(json, depth);
    }
    json.push_str(closing);
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A finite number as JavaScript writes it: with an exponent only below 1e-6 and from 1e21 on.
pub(super) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&magnitude) {
        return value.to_string();
    }
    let written = format!("{value:e}");
    match written.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        let written = [0.1, -0.0, 1e20, 1e21, 1.5e-7, 1e-6, -2.0].map(number);
        assert_eq!(
            written,
            [
                "0.1",
                "0",
                "100000000000000000000",
                "1e+21",
                "1.5e-7",
                "0.000001",
                "-2"
            ]
        );
    }
}
