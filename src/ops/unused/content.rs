//! Compares recordings by the values in their requests and answers.

use crate::format::{Document, Node, NodeKind};
use crate::ops::source::sha256_hex;

/// Members of a request that differ each time a call is made.
const OF_ONE_CALL: [&str; 2] = ["requestId", "timestamp"];

/// Returns a hash of the request and the answer of a recording: the same for other spacing, other orders of keys, other spellings of
/// values, and other random ids. `None` if it lacks one of them.
pub fn content_hash(document: &Document) -> Option<Box<str>> {
    document.body.recording()?;
    let root = document.tree.root()?;
    let request = root.get("request")?;
    let answer = root.get("response")?.get("response")?;
    let mut bytes = Vec::new();
    add(request, &OF_ONE_CALL, &mut bytes);
    add(answer, &[], &mut bytes);
    Some(sha256_hex(&bytes))
}

/// Adds a value so that equal values, and only these, add equal bytes.
fn add(node: Node<'_>, ignored: &[&str], bytes: &mut Vec<u8>) {
    bytes.push(node.kind() as u8);
    match node.kind() {
        NodeKind::Object => {
            let random = match node.get("type").and_then(Node::as_str) {
                Some("tool_use") => "id",
                Some("tool_result") => "tool_use_id",
                _ => "",
            };
            let members = node.items().filter_map(|item| Some((item.key()?, item)));
            let is_compared = |key: &str| !ignored.contains(&key) && key != random;
            let mut members: Vec<_> = members.filter(|(key, _)| is_compared(key)).collect();
            members.sort_by_key(|(key, _)| *key);
            add_length(members.len(), bytes);
            for (key, value) in members {
                add_text(key, bytes);
                add(value, &[], bytes);
            }
        }
        NodeKind::Array => {
            add_length(node.len(), bytes);
            node.items().for_each(|item| add(item, &[], bytes));
        }
        NodeKind::Number => add_text(&number(node), bytes),
        _ => add_text(node.as_str().unwrap_or(node.raw()), bytes),
    }
}

/// Returns a number in one spelling: `1`, `1.0` and `1e0` are equal. Integers that a float cannot hold stay as written.
fn number(node: Node<'_>) -> String {
    let raw = node.raw();
    if raw.parse::<i128>().is_ok() {
        return raw.to_owned();
    }
    match node.as_f64().filter(|number| number.is_finite()) {
        Some(number) => format!("{number}"),
        None => raw.to_owned(),
    }
}

fn add_length(length: usize, bytes: &mut Vec<u8>) {
    bytes.extend((length as u64).to_le_bytes());
}

fn add_text(text: &str, bytes: &mut Vec<u8>) {
    add_length(text.len(), bytes);
    bytes.extend(text.as_bytes());
}
