//! Reads YAML with a second parser before it is written.
//!
//! Our parser and our writer share code, and so could share an error; the second parser has no code in common with them. It
//! follows YAML 1.2 and gives some scalars another type (`yes` is text to it). So outside of an edit its readings before and
//! after are compared with each other, and only new values, which are written for both versions, with what was meant.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::JsonValue;
use super::expected_edit::{ExpectedEdit, ExpectedValue, ExpectedValues};
use crate::text::quoted;
use crate::yaml::write;
use crate::{Node, NodeKind, Tree};

/// The longest text that is read a second time, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Result of the second reader for a text that it does not refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondReading {
    /// It reads what was meant.
    Confirmed,
    /// The text is longer than 1 MiB and not read.
    TooLong,
    /// The text has aliases, whose values change with those they refer to, and is not read.
    HasAliases,
    /// It cannot read the text before the edit as we do: because of an error, a tag that it does not know, or a key that is a
    /// collection.
    Unreadable,
    /// The result has more than the 128 nested values that it reads.
    TooDeep,
}

/// Compares the text of `tree` with that of `new`, which is to have this outcome.
///
/// # Errors
///
/// The value that it reads otherwise than meant, and what to do, as a sentence without a full stop.
pub(super) fn check_edit(
    tree: &Tree,
    new: &Tree,
    outcome: &ExpectedEdit<'_>,
    pieces: &ExpectedValues<'_>,
) -> Result<SecondReading, String> {
    let old_values = match read_before(tree, new) {
        Ok(old_values) => old_values,
        Err(reading) => return Ok(reading),
    };
    let mut expected_values = Vec::new();
    for piece in &pieces.list {
        match piece {
            ExpectedValue::Unchanged(range) => {
                let values = tree.nodes_at(range.clone()).zip(&old_values[range.clone()]);
                expected_values.extend(values.map(|(node, value)| value.after(outcome, node)));
            }
            ExpectedValue::New { key, value, replaces } => {
                let at = expected_values.len();
                expected_values.extend(expected(value));
                expected_values[at].key = match replaces {
                    Some(position) => old_values[*position].key.clone(),
                    None => key.map(Reading::text),
                };
            }
        }
    }
    // The further documents of the file are compared as well, although no edit reaches them.
    expected_values.extend_from_slice(&old_values[tree.len()..]);
    compare(new.source().text(), &expected_values, new)
        .map_err(|reason| format!("{reason}; edit the text instead"))
}

/// Compares a text with one in which the bytes of the value `old` are replaced by those of `new_node`.
///
/// # Errors
///
/// The value outside of this one that it reads otherwise, as a sentence without a full stop.
pub fn check_replaced(old: Node<'_>, new_node: Node<'_>) -> Result<SecondReading, String> {
    let (new, range) = (new_node.tree(), old.positions());
    let old_values = match read_before(old.tree(), new) {
        Ok(old_values) => old_values,
        Err(reading) => return Ok(reading),
    };
    let text = new.source().text();
    let new_values = read(text).map(|read| read.all).unwrap_or_default();
    let mut place = new_values.get(new_node.positions()).unwrap_or_default().to_vec();
    if let Some(first) = place.first_mut() {
        first.key = old_values[range.start].key.clone();
    }
    compare(text, &[&old_values[..range.start], &place, &old_values[range.end..]].concat(), new)
}

/// Reads the text before an edit, or returns why the edit is not checked.
fn read_before(tree: &Tree, new: &Tree) -> Result<Vec<Value>, SecondReading> {
    let text = tree.source().text();
    if text.len().max(new.source().text().len()) > MAX_TEXT_BYTES {
        return Err(SecondReading::TooLong);
    }
    if tree.nodes().any(Node::is_alias) {
        return Err(SecondReading::HasAliases);
    }
    match read(text) {
        // Our tree is of the first document; with another number of values, places would not correspond.
        Ok(values) if values.first_document == tree.len() => Ok(values.all),
        _ => Err(SecondReading::Unreadable),
    }
}

/// Compares a text with the only value that it is to contain.
///
/// # Errors
///
/// The value that it reads otherwise than meant, and what to do, as a sentence without a full stop.
pub fn check_new(text: &str, value: &JsonValue) -> Result<SecondReading, String> {
    if text.len() > MAX_TEXT_BYTES {
        return Ok(SecondReading::TooLong);
    }
    compare(text, &expected(value), value.tree())
        .map_err(|reason| format!("{reason}; write it as JSON instead"))
}

/// Reads a text and compares it with the expected values; `tree` has the same ones, and names them.
fn compare(text: &str, expected: &[Value], tree: &Tree) -> Result<SecondReading, String> {
    let a = match read(text) {
        Ok(a) => a.all,
        Err(error) if is_too_deep(&error) => return Ok(SecondReading::TooDeep),
        Err(error) => {
            return Err(format!("Another YAML reader could not read the result: {error}"));
        }
    };
    // Both are in the order of the tree, so the number of equal values finds the node that differs.
    let equal_count = a.iter().zip(expected).take_while(|(a, expected)| a == expected).count();
    if equal_count == a.len().max(expected.len()) {
        return Ok(SecondReading::Confirmed);
    }
    let place = match tree.nodes().nth(equal_count).map(Node::pointer) {
        Some(pointer) if !pointer.is_empty() => quoted(&pointer),
        _ => "the result".to_owned(),
    };
    Err(format!("Another YAML reader would read {place} differently"))
}

/// The limit of nesting has no error type of its own.
fn is_too_deep(error: &serde_yaml::Error) -> bool {
    error.to_string().starts_with("recursion limit exceeded")
}

/// A scalar, or how many parts a collection has.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reading {
    Null,
    Bool(bool),
    /// Its value in digits: `1.0` is `1`, as under the tag `!!float`.
    Number(String),
    Text(String),
    List(usize),
    Mapping(usize),
}

impl Reading {
    fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A value, without the values inside.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Value {
    key: Option<Reading>,
    reading: Reading,
}

impl Value {
    /// Returns what remains in the place of `node` after an edit that does not replace it.
    fn after(&self, outcome: &ExpectedEdit<'_>, node: Node<'_>) -> Self {
        let key = match outcome {
            ExpectedEdit::Rename(renamed, key) if renamed.id() == node.id() => {
                Some(Reading::text(key))
            }
            _ => self.key.clone(),
        };
        let len = |count: usize| (count + outcome.len_of(node)).saturating_sub(node.len());
        let reading = match &self.reading {
            Reading::List(count) => Reading::List(len(*count)),
            Reading::Mapping(count) => Reading::Mapping(len(*count)),
            scalar => scalar.clone(),
        };
        Self { key, reading }
    }
}

/// Returns what a new value is to be read as.
fn expected(value: &JsonValue) -> Vec<Value> {
    let to_value = |node: Node<'_>| Value {
        key: node.key().map(Reading::text),
        reading: match node.kind() {
            // New values are JSON, which has neither times nor code.
            NodeKind::Null | NodeKind::Timestamp | NodeKind::Expression => Reading::Null,
            NodeKind::Bool => Reading::Bool(node.as_bool() == Some(true)),
            NodeKind::Number => number(&write::number(node.raw())),
            NodeKind::String => Reading::text(node.as_str().unwrap_or_default()),
            NodeKind::Array => Reading::List(node.len()),
            NodeKind::Object => Reading::Mapping(node.len()),
        },
    };
    value.tree().nodes().map(to_value).collect()
}

/// Returns a number as the second reader reads it: one that is too large is text to it.
fn number(text: &str) -> Reading {
    let read = read(text).ok().and_then(|mut read| read.all.pop());
    read.map_or_else(|| Reading::text(text), |value| value.reading)
}

/// All values of a text, in its order, collections before their parts.
#[derive(Default)]
struct Values {
    all: Vec<Value>,
    /// Number of them that are in the first document.
    first_document: usize,
}

fn read(text: &str) -> Result<Values, serde_yaml::Error> {
    let mut read = Values::default();
    let text = text.trim_start_matches('\u{feff}');
    for (index, document) in serde_yaml::Deserializer::from_str(text).enumerate() {
        let Flat(values) = Flat::deserialize(document)?;
        read.all.extend(values);
        if index == 0 {
            read.first_document = read.all.len();
        }
    }
    Ok(read)
}

/// A value and everything in it, in the order of the text.
struct Flat(Vec<Value>);

impl Flat {
    fn one(reading: Reading) -> Self {
        Self(vec![Value { key: None, reading }])
    }
}

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(FlatVisitor)
    }
}

struct FlatVisitor;

impl<'de> Visitor<'de> for FlatVisitor {
    type Value = Flat;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value without a tag")
    }

    fn visit_unit<E: Error>(self) -> Result<Flat, E> {
        Ok(Flat::one(Reading::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Flat, E> {
        Ok(Flat::one(Reading::Bool(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Flat, E> {
        self.visit_u128(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Flat, E> {
        self.visit_i128(value.into())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Flat, E> {
        Ok(Flat::one(Reading::Number(value.to_string())))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Flat, E> {
        Ok(Flat::one(Reading::Number(value.to_string())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Flat, E> {
        Ok(Flat::one(Reading::Number(value.to_string())))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Flat, E> {
        Ok(Flat::one(Reading::text(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Flat, A::Error> {
        let (mut parts, mut count) = (Vec::new(), 0);
        while let Some(Flat(part)) = list.next_element()? {
            parts.extend(part);
            count += 1;
        }
        let Flat(mut values) = Flat::one(Reading::List(count));
        values.append(&mut parts);
        Ok(Flat(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<Flat, A::Error> {
        let (mut parts, mut count) = (Vec::new(), 0);
        while let Some((Flat(mut key), Flat(mut part))) = mapping.next_entry()? {
            part[0].key = key.pop().map(|key| key.reading);
            if !key.is_empty()
                || matches!(part[0].key, Some(Reading::List(_) | Reading::Mapping(_)))
            {
                return Err(A::Error::custom("a key that is a collection"));
            }
            parts.extend(part);
            count += 1;
        }
        let Flat(mut values) = Flat::one(Reading::Mapping(count));
        values.append(&mut parts);
        Ok(Flat(values))
    }
}
