//! The value of a literal of JavaScript, and its `JSON.stringify`.

use crate::json::{JsonLayout, JsonWriter, javascript_number, quote};

/// The value of a literal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Text(String),
    Number(f64),
    Bool(bool),
    Null,
    Undefined,
    List(Vec<Literal>),
    /// The members in the order of JavaScript, each key once.
    Object(Vec<(String, Literal)>),
}

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
                // Numbers outside the range are not errors in JavaScript.
                " ".repeat((*spaces).clamp(0.0, MAX_INDENT as f64) as usize)
            }
            Some(Literal::Text(text)) => text.chars().take(MAX_INDENT).collect(),
            Some(Literal::Bool(_) | Literal::List(_) | Literal::Object(_)) => return None,
        }))
    }
}

/// Returns the result of `JSON.stringify`: a text, or `undefined`; `None` for a text of more than `max_len` bytes. Indentation and texts
/// within texts could make a small file take much memory.
pub(super) fn stringify(value: &Literal, indent: &Indent, max_len: usize) -> Option<Literal> {
    if *value == Literal::Undefined {
        return Some(Literal::Undefined);
    }
    let layout = match indent.0.as_str() {
        "" => JsonLayout::Compact,
        spaces => JsonLayout::Indented(spaces),
    };
    let mut writer = JsonWriter::new(layout).up_to(max_len);
    write(&mut writer, value);
    let json = writer.into_text();
    // The writer stops behind its limit, so a text that is too long is not whole.
    (json.len() <= max_len).then_some(Literal::Text(json))
}

fn write(writer: &mut JsonWriter<'_>, value: &Literal) {
    match value {
        // `undefined` becomes null only in lists; objects leave it out.
        Literal::Null | Literal::Undefined => writer.json("null"),
        Literal::Bool(value) => writer.json(if *value { "true" } else { "false" }),
        Literal::Number(value) => writer.json(&javascript_number(*value)),
        Literal::Text(text) => writer.json(&quote(text)),
        Literal::List(elements) => writer.list(elements, write),
        Literal::Object(members) => {
            let entries = members.iter().filter(|(_, value)| *value != Literal::Undefined);
            writer.object(entries.map(|(key, value)| (quote(key), value)), write);
        }
    }
}
