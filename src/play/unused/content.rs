//! Compares recordings by the values in their requests and answers.

use std::borrow::Cow;

use calls::source::sha256_hex;
use document::{Document, Node, NodeKind, json};

/// Members of a request that differ each time a call is made.
const CALL_KEYS: [&str; 2] = ["requestId", "timestamp"];

/// Returns a hash of the request and the answer of a recording: the same for other spacing, other orders of keys, other spellings of
/// values, and other random ids. `None` if it lacks one of them.
pub fn content_hash(document: &Document) -> Option<Box<str>> {
    document.body.recording()?;
    let root = document.tree.root()?;
    let request = root.get("request")?;
    let answer = root.get("response")?.get("response")?;
    // Only members of the request itself: inputs of tools may have the same names.
    let is_of_request = |node: Node<'_>| node.parent().is_some_and(|p| p.id() == request.id());
    let mut bytes = ValueBytes::new(
        |node| node.key().is_some_and(|key| CALL_KEYS.contains(&key)) && is_of_request(node),
        |text| Cow::Borrowed(text),
    );
    bytes.add(request);
    bytes.add(answer);
    Some(bytes.hash())
}

/// Bytes of values: equal values, and only these, have equal bytes, whatever the order of their keys and the random ids of tool calls.
pub(crate) struct ValueBytes<I, T> {
    is_ignored: I,
    text: T,
    bytes: Vec<u8>,
}

impl<I: Fn(Node<'_>) -> bool, T: Fn(&str) -> Cow<'_, str>> ValueBytes<I, T> {
    /// Starts without a value. Members that are ignored are left out; `text` returns what counts of a text.
    pub(crate) fn new(is_ignored: I, text: T) -> Self {
        Self { is_ignored, text, bytes: Vec::new() }
    }

    /// Returns a hash of all that was added.
    pub(crate) fn hash(&self) -> Box<str> {
        sha256_hex(&self.bytes)
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, node: Node<'_>) {
        self.bytes.push(node.kind() as u8);
        match node.kind() {
            NodeKind::Object => {
                let random = match node.get("type").and_then(Node::as_str) {
                    Some("tool_use") => "id",
                    Some("tool_result") => "tool_use_id",
                    _ => "",
                };
                let members = node
                    .items()
                    .filter_map(|item| Some((item.key()?, item)))
                    .filter(|(k, i)| *k != random && !(self.is_ignored)(*i));
                let mut members: Vec<_> = members.collect();
                members.sort_by_key(|(key, _)| *key);
                self.add_length(members.len());
                for (key, value) in members {
                    self.add_exactly(key);
                    self.add(value);
                }
            }
            NodeKind::Array => {
                self.add_length(node.len());
                node.items().for_each(|item| self.add(item));
            }
            NodeKind::Number => self.add_exactly(&number(node)),
            NodeKind::String => self.add_text(node.as_str().unwrap_or_default()),
            _ => self.add_text(&json::text(node)),
        }
    }

    /// Adds what counts of a text.
    pub(crate) fn add_text(&mut self, text: &str) {
        let text = (self.text)(text).into_owned();
        self.add_exactly(&text);
    }

    fn add_exactly(&mut self, text: &str) {
        // Lengths come first, so that texts side by side cannot be read as others.
        self.add_length(text.len());
        self.bytes.extend(text.as_bytes());
    }

    fn add_length(&mut self, length: usize) {
        self.bytes.extend((length as u64).to_le_bytes());
    }
}

/// Returns a number in one spelling: `1`, `1.0` and `1e0` are equal. Integers that a float cannot hold stay as written.
fn number(node: Node<'_>) -> String {
    let text = node.scalar_text().unwrap_or_default();
    // Large ids are not the same number after a conversion to a float.
    if text.parse::<i128>().is_ok() {
        return text.to_owned();
    }
    match node.as_f64().filter(|number| number.is_finite()) {
        Some(number) => format!("{number}"),
        None => text.to_owned(),
    }
}
