//! Limits of numbers, lengths and counts in a schema.

use crate::format::{Node, NodeKind};

/// A numeric limit in a schema.
pub(super) struct Limit {
    key: &'static str,
    size: fn(Node<'_>) -> Option<f64>,
    fails: fn(f64, f64) -> bool,
    lead: &'static str,
    what: &'static str,
}

impl Limit {
    /// Returns a message if a value is not within the limit.
    pub(super) fn violation(&self, schema: Node<'_>, value: Node<'_>) -> Option<String> {
        let wanted = schema.get(self.key)?.as_f64()?;
        let size = (self.size)(value)?;
        (self.fails)(size, wanted).then(|| format!("{} {wanted}{}", self.lead, self.what))
    }
}

const fn limit(
    key: &'static str,
    size: fn(Node<'_>) -> Option<f64>,
    fails: fn(f64, f64) -> bool,
    lead: &'static str,
    what: &'static str,
) -> Limit {
    Limit {
        key,
        size,
        fails,
        lead,
        what,
    }
}

const LEAST: &str = "Expected at least";
const MOST: &str = "Expected at most";

pub(super) const LIMITS: [Limit; 11] = [
    limit("minimum", number, |it, least| it < least, LEAST, ""),
    limit("maximum", number, |it, most| it > most, MOST, ""),
    limit(
        "exclusiveMinimum",
        number,
        |it, least| it <= least,
        "Expected more than",
        "",
    ),
    limit(
        "exclusiveMaximum",
        number,
        |it, most| it >= most,
        "Expected less than",
        "",
    ),
    limit(
        "multipleOf",
        number,
        is_no_multiple,
        "Expected a multiple of",
        "",
    ),
    limit(
        "minLength",
        length,
        |it, least| it < least,
        LEAST,
        " characters",
    ),
    limit(
        "maxLength",
        length,
        |it, most| it > most,
        MOST,
        " characters",
    ),
    limit(
        "minItems",
        items,
        |it, least| it < least,
        LEAST,
        " elements",
    ),
    limit("maxItems", items, |it, most| it > most, MOST, " elements"),
    limit(
        "minProperties",
        members,
        |it, least| it < least,
        LEAST,
        " properties",
    ),
    limit(
        "maxProperties",
        members,
        |it, most| it > most,
        MOST,
        " properties",
    ),
];

fn number(value: Node<'_>) -> Option<f64> {
    (value.kind() == NodeKind::Number).then(|| value.as_f64())?
}

fn length(value: Node<'_>) -> Option<f64> {
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
