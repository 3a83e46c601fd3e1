//! Formats a recording as the test client lists it in its error, with values as JavaScript prints them.

use super::comparison::{
    JsValue, TypeError, is_nothing, is_truthy, property, require_value, sort_names,
};
use calls::Pool;
use document::{Node, NodeKind, json};

/// The values that the client prints of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClientListing {
    /// Its `requestId`.
    pub(super) id: String,
    /// Its tool names, joined by commas.
    pub(super) tools: String,
    /// Its number of messages; a string counts its UTF-16 code units.
    pub(super) messages: String,
}

impl ClientListing {
    /// Lists a file of a set.
    ///
    /// # Errors
    ///
    /// Returns the error of the client when it prints this file.
    pub(super) fn from_recording(root: JsValue<'_>, pool: &Pool) -> Result<Self, TypeError> {
        let id = property(property(root, "request")?, "requestId")?;
        let signature = property(root, "signature")?.filter(|signature| is_truthy(*signature));
        let (tools, messages) = match signature {
            Some(signature) => {
                let tools = require_value(signature.get("toolNames"), "join")?;
                if tools.kind() != NodeKind::Array {
                    return Err(TypeError::NAMES_NOT_JOINED);
                }
                let names = tools.items().map(|name| joined(Some(name)));
                let count = signature.get("messageCount");
                (names.collect::<Vec<_>>().join(", "), text(count))
            }
            None => {
                let request = property(root, "request")?;
                let (tools, messages) =
                    (property(request, "tools")?, property(request, "messages")?);
                let tools = require_value(tools, "map")?;
                if tools.kind() != NodeKind::Array {
                    return Err(TypeError::TOOLS_NOT_MAPPED);
                }
                let (mut names, mut others) = (Vec::new(), Vec::new());
                for tool in tools.items() {
                    let name = property(Some(tool), "name")?;
                    match name.and_then(Node::as_str) {
                        Some(name) => names.push(Some(pool.text(name))),
                        None => others.push(joined(name)),
                    }
                }
                sort_names(&mut names);
                let names = names.iter().flatten().map(ToString::to_string);
                let names: Vec<String> = names.chain(others).collect();
                (names.join(", "), length(require_value(messages, "length")?))
            }
        };
        let id = text(id);
        Ok(Self { id, tools, messages })
    }
}

/// `${value.length}`
fn length(value: Node<'_>) -> String {
    match (value.kind(), value.as_str()) {
        (NodeKind::Array, _) => value.len().to_string(),
        (_, Some(text)) => text.encode_utf16().count().to_string(),
        _ => text(value.get("length")),
    }
}

/// Formats a value like `join`: nothing for a missing one.
fn joined(value: JsValue<'_>) -> String {
    if is_nothing(value) { String::new() } else { text(value) }
}

/// `${value}`
fn text(value: JsValue<'_>) -> String {
    let Some(value) = value else { return "undefined".to_owned() };
    match value.kind() {
        NodeKind::String => value.as_str().unwrap_or_default().to_owned(),
        NodeKind::Number => number(value),
        NodeKind::Array => value.items().map(|i| joined(Some(i))).collect::<Vec<_>>().join(","),
        NodeKind::Object => "[object Object]".to_owned(),
        _ => json::text(value).into_owned(),
    }
}

/// Formats a number like JavaScript; numbers with an exponent are kept as written.
fn number(node: Node<'_>) -> String {
    match node.as_f64() {
        // JavaScript prints -0 without its sign.
        Some(0.0) => "0".to_owned(),
        // Outside these bounds JavaScript writes an exponent, which Rust does not.
        Some(number) if (1e-6..1e21).contains(&number.abs()) => number.to_string(),
        _ => json::text(node).into_owned(),
    }
}
