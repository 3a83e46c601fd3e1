//! A value to begin with, for a schema.

use super::resolve::{Schemas, alternatives};
use calls::javascript::stringify;
use calls::json::{Json, list};
use document::Node;

/// Deeper objects are empty.
const MAX_DEPTH: usize = 4;

/// Returns the least value of a schema as JSON: its constants, its defaults, and its required properties, empty.
pub(super) fn template(schemas: Schemas<'_>, schema: Node<'_>) -> String {
    value(schemas, schema, 0).into_string()
}

fn value(schemas: Schemas<'_>, schema: Node<'_>, depth: usize) -> Json {
    let preset = ["const", "default"].iter().find_map(|key| schema.get(key));
    let schema = schemas.resolved(schema);
    // A value beside a reference replaces one in its target.
    let preset = preset.or(schema.get("const")).or(schema.get("default"));
    let first = || schema.get("enum")?.items().next();
    if let Some(preset) = preset.or_else(first) {
        return Json::raw(stringify(preset));
    }
    if let Some(first) = alternatives(schema).first().filter(|_| depth < MAX_DEPTH) {
        return value(schemas, *first, depth + 1);
    }
    match schema.get("type").and_then(Node::as_str) {
        Some("string") => Json::from(""),
        Some("number" | "integer") => Json::from(0_usize),
        Some("boolean") => Json::from(false),
        Some("array") => list![],
        Some("null") => Json::raw("null".to_owned()),
        _ if depth >= MAX_DEPTH => Json::object(Vec::<(&str, Json)>::new()),
        _ => {
            let required = schema.get("required");
            let is_required = |name: &str| {
                required.into_iter().flat_map(Node::items).any(|node| node.as_str() == Some(name))
            };
            let properties = schema.get("properties").into_iter().flat_map(Node::items);
            let members = properties.filter_map(|property| {
                let name = property.key().filter(|name| is_required(name))?;
                Some((name, value(schemas, property, depth + 1)))
            });
            Json::object(members.collect::<Vec<_>>())
        }
    }
}
