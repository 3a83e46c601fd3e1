//! Attributes of a span, however they are written: pairs of a key and a typed value, an object whose keys have points, or nested objects.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::chat::items;
use super::traced_value::with_value;
use crate::api::input_text;
use crate::json::Json;
use document::text::Source;
use document::{Node, NodeKind, json};

/// The deepest nesting that is read, of objects and of parts of a key. Reading and dropping are recursive.
const MAX_DEPTH: usize = 16;

/// An attribute or a group of them.
#[derive(Debug, Default)]
pub(super) struct Attributes<'d> {
    value: Option<Node<'d>>,
    /// By the next part of their keys.
    members: BTreeMap<Cow<'d, str>, Self>,
}

impl<'d> Attributes<'d> {
    /// Adds attributes. Of several with one key, the first counts.
    pub(super) fn add(&mut self, node: Node<'d>) {
        self.add_members(node, MAX_DEPTH);
    }

    fn add_members(&mut self, node: Node<'d>, depth: usize) {
        let is_pairs = node.kind() == NodeKind::Array;
        for member in node.items() {
            let pair = || Some((member.get("key")?.as_str()?, typed(member.get("value")?)));
            let named = || Some((member.key()?, member));
            let Some((key, value)) = (if is_pairs { pair() } else { named() }) else { continue };
            let (mut attribute, mut depth) = (&mut *self, depth);
            for part in key.splitn(depth.max(1), '.') {
                attribute = attribute.members.entry(part.into()).or_default();
                depth = depth.saturating_sub(1);
            }
            attribute.value = attribute.value.or(Some(value));
            if value.kind() == NodeKind::Object && depth > 0 && !is_pairs {
                attribute.add_members(value, depth);
            }
        }
    }

    fn at(&self, key: &str) -> Option<&Self> {
        key.split('.').try_fold(self, |attribute, part| attribute.members.get(part))
    }

    /// Returns the members in the order of the numbers that are their keys; `None` if one is no number.
    fn numbered(&self) -> Option<Vec<&Self>> {
        let number = |(key, member): (&Cow<'_, str>, _)| Some((key.parse::<usize>().ok()?, member));
        let mut members: Vec<(usize, &Self)> =
            self.members.iter().map(number).collect::<Option<_>>()?;
        members.sort_by_key(|(number, _)| *number);
        Some(members.into_iter().map(|(_, member)| member).collect())
    }

    /// Returns the value of the first of these attributes that has one.
    pub(super) fn first(&self, keys: &[&str]) -> Option<Node<'d>> {
        let is_value = |node: &Node<'_>| node.kind() != NodeKind::Null;
        keys.iter().find_map(|key| self.at(key)?.value.filter(is_value))
    }

    /// Returns the text or number of the first of these attributes that has one.
    pub(super) fn text(&self, keys: &[&str]) -> Option<Cow<'d, str>> {
        keys.iter().find_map(|key| self.first(&[key])?.scalar_text()).map(Cow::Borrowed)
    }

    /// Returns the whole number of the first of these attributes that has one.
    pub(super) fn number(&self, keys: &[&str]) -> Option<u64> {
        keys.iter().find_map(|key| self.text(&[key])?.parse::<f64>().ok()).map(|n| n as u64)
    }

    /// Reads the items of the first of these attributes that has some: of a list, of a list as JSON in a text, or by their numbers in the keys.
    /// Each comes with the value of the document that holds it.
    pub(super) fn items<T>(
        &self,
        keys: &[&str],
        mut read: impl FnMut(Node<'_>, Node<'d>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let attribute = keys.iter().find_map(|key| self.at(key))?;
        if let Some(node) = attribute.value {
            return Some(with_value(node, |value| match value.kind() {
                NodeKind::Array => value.items().filter_map(|item| read(item, node)).collect(),
                NodeKind::Object if value.get("arrayValue").is_some() => {
                    with_json(&plain(value), |list| {
                        list.items().filter_map(|item| read(item, node)).collect()
                    })
                }
                _ => Vec::from_iter(read(value, node)),
            }));
        }
        let read = |member: &Self| {
            let node = member.first_value()?;
            with_json(&member.json(), |item| read(item, node))
        };
        Some(attribute.numbered()?.into_iter().filter_map(read).collect())
    }

    fn first_value(&self) -> Option<Node<'d>> {
        self.value.or_else(|| self.members.values().find_map(Self::first_value))
    }

    /// Writes an attribute that is spread over several keys.
    fn json(&self) -> Json {
        if let Some(value) = self.value {
            return plain(value);
        }
        match self.numbered() {
            Some(members) => members.into_iter().map(Self::json).collect::<Vec<_>>().into(),
            None => Json::object(self.members.iter().map(|(key, member)| (key, member.json()))),
        }
    }
}

fn with_json<T: Default>(json: &Json, read: impl FnOnce(Node<'_>) -> T) -> T {
    json::parse(&Source::new(json.as_str())).0.root().map(read).unwrap_or_default()
}

/// Returns the scalar in a typed value of OTLP; a list or an object stays as it is.
fn typed(node: Node<'_>) -> Node<'_> {
    let types = ["stringValue", "intValue", "doubleValue", "boolValue"];
    types.iter().find_map(|key| node.get(key)).unwrap_or(node)
}

/// Writes a value without the types of OTLP.
pub(super) fn plain(node: Node<'_>) -> Json {
    if let Some(list) = node.get("arrayValue") {
        return items(list, "values").map(plain).collect::<Vec<_>>().into();
    }
    if let Some(list) = node.get("kvlistValue") {
        let pair = |pair: Node<'_>| {
            Some((pair.get("key")?.as_str()?.to_owned(), plain(pair.get("value")?)))
        };
        return Json::object(items(list, "values").filter_map(pair));
    }
    Json::raw(input_text(typed(node)))
}
