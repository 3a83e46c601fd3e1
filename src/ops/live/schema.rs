//! The input schema of a tool: its fields, and validation of values.
//!
//! Supports what offered tools use: `type` (one or several), `properties`, `required`, `additionalProperties: false`,
//! `items`, `enum`, `const`, `minimum`, `maximum`, `minLength`, `maxLength`, `minItems`, `maxItems`. Other keywords are
//! ignored.

use crate::format::{Node, NodeKind};
use crate::ops::javascript::stringify;
use crate::text::listed;

/// A field of a tool's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSchemaField {
    pub name: String,
    /// Type of its value.
    pub kind: FieldKind,
    /// Description for the model.
    pub description: Option<String>,
    pub is_required: bool,
}

/// Type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Plain text.
    Text,
    Number {
        /// Whether it must be an integer.
        whole: bool,
    },
    /// True or false.
    Boolean,
    /// One of these values, each as JSON.
    Choice(Vec<String>),
    /// Any other value, written as JSON.
    Json,
}

/// A violation of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// JSON Pointer of the place within the value.
    pub pointer: String,
    /// Message, as a sentence without a full stop.
    pub message: String,
}

/// Returns the fields of an input in the order of the schema.
pub fn fields(schema: Node<'_>) -> Vec<InputSchemaField> {
    let required = schema.get("required");
    let is_required = |name: &str| {
        let mut names = required.into_iter().flat_map(Node::items);
        names.any(|it| it.as_str() == Some(name))
    };
    let properties = schema.get("properties").into_iter().flat_map(Node::items);
    let fields = properties.filter_map(|property| {
        let name = property.key()?;
        let description = property.get("description").and_then(Node::as_str);
        Some(InputSchemaField {
            name: name.to_owned(),
            kind: FieldKind::from_schema(property),
            description: description.map(str::to_owned),
            is_required: is_required(name),
        })
    });
    fields.collect()
}

impl FieldKind {
    fn from_schema(schema: Node<'_>) -> Self {
        if let Some(values) = schema.get("enum") {
            return Self::Choice(values.items().map(stringify).collect());
        }
        match schema.get("type").and_then(Node::as_str) {
            Some("string") => Self::Text,
            Some("number") => Self::Number { whole: false },
            Some("integer") => Self::Number { whole: true },
            Some("boolean") => Self::Boolean,
            _ => Self::Json,
        }
    }
}

/// Returns the violations of a schema by a value; empty if it is valid.
pub fn misfits(schema: Node<'_>, value: Node<'_>) -> Vec<Misfit> {
    let mut found = Vec::new();
    check(schema, value, "", &mut found, 0);
    found
}

/// Deeper parts of schemas are not checked.
const DEEPEST: usize = 64;

fn check(schema: Node<'_>, value: Node<'_>, pointer: &str, found: &mut Vec<Misfit>, depth: usize) {
    let mut report = |message: String| {
        found.push(Misfit {
            pointer: pointer.to_owned(),
            message,
        });
    };
    if let Some(wanted) = wrong_type(schema, value) {
        report(format!("Expected {}, found {}", wanted, stringify(value)));
        return;
    }
    let values = schema.get("enum").or(schema.get("const"));
    if let Some(values) = values {
        let all: Vec<String> = match schema.get("enum") {
            Some(values) => values.items().map(stringify).collect(),
            None => vec![stringify(values)],
        };
        if !all.contains(&stringify(value)) {
            report(format!(
                "Expected one of {}, found {}",
                listed(&all),
                stringify(value)
            ));
        }
    }
    for limit in &LIMITS {
        let wanted = schema.get(limit.key).and_then(Node::as_f64);
        if let (Some(wanted), Some(size)) = (wanted, (limit.size)(value))
            && (limit.fails)(size, wanted)
        {
            report(format!("{} {wanted}{}", limit.lead, limit.what));
        }
    }
    if depth < DEEPEST {
        parts(schema, value, pointer, found, depth + 1);
    }
}

/// Checks the members or elements of a value.
fn parts(schema: Node<'_>, value: Node<'_>, pointer: &str, found: &mut Vec<Misfit>, depth: usize) {
    if let (NodeKind::Array, Some(items)) = (value.kind(), schema.get("items")) {
        for (index, item) in value.items().enumerate() {
            check(items, item, &format!("{pointer}/{index}"), found, depth);
        }
    }
    if value.kind() != NodeKind::Object {
        return;
    }
    let below = |key: &str| format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
    for name in schema.get("required").into_iter().flat_map(Node::items) {
        let name = name.as_str().unwrap_or_default();
        if value.get(name).is_none() {
            found.push(Misfit {
                pointer: below(name),
                message: format!("`{name}` is missing"),
            });
        }
    }
    let properties = schema.get("properties");
    let is_closed = schema.get("additionalProperties").and_then(Node::as_bool) == Some(false);
    for item in value.items() {
        let key = item.key().unwrap_or_default();
        match properties.and_then(|properties| properties.get(key)) {
            Some(schema) => check(schema, item, &below(key), found, depth),
            None if is_closed => found.push(Misfit {
                pointer: below(key),
                message: format!("The tool has no property `{key}`"),
            }),
            None => {}
        }
    }
}

/// A numeric limit in a schema.
struct Limit {
    key: &'static str,
    size: fn(Node<'_>) -> Option<f64>,
    fails: fn(f64, f64) -> bool,
    lead: &'static str,
    what: &'static str,
}

const fn new_limit(
    key: &'static str,
    size: fn(Node<'_>) -> Option<f64>,
    fails: fn(f64, f64) -> bool,
    words: (&'static str, &'static str),
) -> Limit {
    Limit {
        key,
        size,
        fails,
        lead: words.0,
        what: words.1,
    }
}

const LIMITS: [Limit; 6] = [
    new_limit(
        "minimum",
        number,
        |it, least| it < least,
        ("Expected at least", ""),
    ),
    new_limit(
        "maximum",
        number,
        |it, most| it > most,
        ("Expected at most", ""),
    ),
    new_limit(
        "minLength",
        length,
        |it, least| it < least,
        ("Expected at least", " characters"),
    ),
    new_limit(
        "maxLength",
        length,
        |it, most| it > most,
        ("Expected at most", " characters"),
    ),
    new_limit(
        "minItems",
        items,
        |it, least| it < least,
        ("Expected at least", " elements"),
    ),
    new_limit(
        "maxItems",
        items,
        |it, most| it > most,
        ("Expected at most", " elements"),
    ),
];

fn number(value: Node<'_>) -> Option<f64> {
    (value.kind() == NodeKind::Number).then(|| value.as_f64())?
}

fn length(value: Node<'_>) -> Option<f64> {
    (value.kind() == NodeKind::String)
        .then(|| value.as_str().map(|text| text.chars().count() as f64))?
}

fn items(value: Node<'_>) -> Option<f64> {
    (value.kind() == NodeKind::Array).then(|| value.len() as f64)
}

/// Returns the expected types, with articles, if the value has none of them.
fn wrong_type(schema: Node<'_>, value: Node<'_>) -> Option<String> {
    let kind = schema.get("type")?;
    let wanted: Vec<&str> = match kind.as_str() {
        Some(kind) => vec![kind],
        None => kind.items().filter_map(Node::as_str).collect(),
    };
    let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let fits = |wanted: &&str| match (*wanted, value.kind()) {
        ("string", NodeKind::String)
        | ("number", NodeKind::Number)
        | ("boolean", NodeKind::Bool)
        | ("object", NodeKind::Object)
        | ("array", NodeKind::Array)
        | ("null", NodeKind::Null) => true,
        ("integer", NodeKind::Number) => is_whole,
        ("string" | "number" | "boolean" | "object" | "array" | "null" | "integer", _) => false,
        // A word that no schema has says nothing.
        _ => true,
    };
    if wanted.is_empty() || wanted.iter().any(fits) {
        return None;
    }
    let names = wanted.iter().map(|wanted| match *wanted {
        "string" => "a text",
        "number" => "a number",
        "integer" => "a whole number",
        "boolean" => "true or false",
        "object" => "an object",
        "array" => "a list",
        _ => "null",
    });
    let names: Vec<&str> = names.collect();
    Some(names.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::json;
    use crate::text::Source;

    const SCHEMA: &str = r#"{"type": "object", "required": ["reason", "day"], "additionalProperties": false, "properties": {
        "reason": {"type": "string", "minLength": 2, "description": "Why"}, "day": {"type": "integer", "minimum": 1, "maximum": 7},
        "how": {"enum": ["fast", "slow"]}, "tags": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 2}, "more": {}}}"#;

    fn describe(value: &str) -> String {
        let (schema, value) = (
            json::parse(&Source::new(SCHEMA)).0,
            json::parse(&Source::new(value)).0,
        );
        let found = misfits(schema.root().unwrap(), value.root().unwrap());
        let lines = found
            .iter()
            .map(|it| format!("{:?} {}\n", it.pointer, it.message));
        lines.collect()
    }

    #[test]
    fn a_value_that_does_not_fit_is_reported_at_its_place() {
        assert_eq!(
            describe(
                r#"{"reason": "so", "day": 2, "how": "fast", "tags": ["a", null], "more": 1}"#
            ),
            ""
        );
        insta::assert_snapshot!(describe("[]"), @r#""" Expected an object, found []"#);
        insta::assert_snapshot!(describe(r#"{"reason": "s", "how": "soon", "tags": [1, "b", "c"], "a/b": 1}"#), @r#"
        "/day" `day` is missing
        "/reason" Expected at least 2 characters
        "/how" Expected one of "fast" and "slow", found "soon"
        "/tags" Expected at most 2 elements
        "/tags/0" Expected a text or null, found 1
        "/a~1b" The tool has no property `a/b`
        "#);
        insta::assert_snapshot!(describe(r#"{"reason": 7, "day": 1.5}"#), @r#"
        "/reason" Expected a text, found 7
        "/day" Expected a whole number, found 1.5
        "#);
        insta::assert_snapshot!(describe(r#"{"reason": "so", "day": 9}"#), @r#""/day" Expected at most 7"#);
    }

    #[test]
    fn a_schema_says_which_fields_a_form_has() {
        let tree = json::parse(&Source::new(SCHEMA)).0;
        let fields = fields(tree.root().unwrap());
        let lines: Vec<String> = fields
            .iter()
            .map(|it| format!("{} {:?} {}", it.name, it.kind, it.is_required))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        reason Text true
        day Number { whole: true } true
        how Choice(["\"fast\"", "\"slow\""]) false
        tags Json false
        more Json false
        "#);
    }
}
