//! Limits of numbers, lengths and counts in a schema.

use document::{Node, NodeKind};

/// A numeric limit in a schema.
pub(super) struct Limit {
    key: &'static str,
    size: fn(Node<'_>) -> Option<f64>,
    fails: fn(f64, f64) -> bool,
    lead: &'static str,
    one: &'static str,
    many: &'static str,
}

impl Limit {
    /// Returns a message if a value is not within the limit.
    pub(super) fn violation(&self, schema: Node<'_>, value: Node<'_>) -> Option<String> {
        let limit = schema.get(self.key)?.as_f64()?;
        // JSON Schema ignores a limit for values of another type.
        let size = (self.size)(value)?;
        let what = if limit == 1.0 { self.one } else { self.many };
        (self.fails)(size, limit).then(|| format!("{} {limit}{what}", self.lead))
    }
}

const fn limit(
    key: &'static str,
    size: fn(Node<'_>) -> Option<f64>,
    fails: fn(f64, f64) -> bool,
    lead: &'static str,
    (one, many): (&'static str, &'static str),
) -> Limit {
    Limit { key, size, fails, lead, one, many }
}

const AT_LEAST: &str = "Expected at least";
const AT_MOST: &str = "Expected at most";

const NO_UNIT: (&str, &str) = ("", "");
const CHARACTERS: (&str, &str) = (" character", " characters");
const ELEMENTS: (&str, &str) = (" element", " elements");
const PROPERTIES: (&str, &str) = (" property", " properties");

pub(super) const LIMITS: [Limit; 11] = [
    limit("minimum", number, |size, least| size < least, AT_LEAST, NO_UNIT),
    limit("maximum", number, |size, most| size > most, AT_MOST, NO_UNIT),
    limit("exclusiveMinimum", number, |size, least| size <= least, "Expected more than", NO_UNIT),
    limit("exclusiveMaximum", number, |size, most| size >= most, "Expected less than", NO_UNIT),
    limit("multipleOf", number, is_no_multiple, "Expected a multiple of", NO_UNIT),
    limit("minLength", length, |size, least| size < least, AT_LEAST, CHARACTERS),
    limit("maxLength", length, |size, most| size > most, AT_MOST, CHARACTERS),
    limit("minItems", items, |size, least| size < least, AT_LEAST, ELEMENTS),
    limit("maxItems", items, |size, most| size > most, AT_MOST, ELEMENTS),
    limit("minProperties", members, |size, least| size < least, AT_LEAST, PROPERTIES),
    limit("maxProperties", members, |size, most| size > most, AT_MOST, PROPERTIES),
];

fn number(value: Node<'_>) -> Option<f64> {
    (value.kind() == NodeKind::Number).then(|| value.as_f64())?
}

fn length(value: Node<'_>) -> Option<f64> {
    // JSON Schema counts characters, neither bytes nor UTF-16 units.
    value.as_str().map(|text| text.chars().count() as f64)
}

fn items(value: Node<'_>) -> Option<f64> {
    (value.kind() == NodeKind::Array).then(|| value.len() as f64)
}

fn members(value: Node<'_>) -> Option<f64> {
    (value.kind() == NodeKind::Object).then(|| value.len() as f64)
}

/// 0.3 is a multiple of 0.1, although their binary fractions are not.
fn is_no_multiple(number: f64, step: f64) -> bool {
    let share = number / step;
    step > 0.0 && (share - share.round()).abs() > 1e-9 * share.abs().max(1.0)
}
