//! Later calls of a cassette that repeat what changes in one: an agent sends its prompt, its tools and the conversation so far with each
//! request.

use std::collections::BTreeSet;

use serde_json::Value;

use super::MAX_NAMED_CALLS;
use super::nearest::NearestCall;
use crate::client::RecordedRequest;
use crate::run_log::PrintedBody;
use document::cassette::{Interaction, StoredBody};
use document::edit::{Edit, JsonValue};
use document::text::{counted, some};
use document::{Document, Node, NodeKind, member_pointer};

/// The calls of one address behind a changed one.
#[derive(Clone, Debug, Default)]
pub(super) struct LaterCalls {
    /// Those that have recorded the same where the request changes.
    pub(super) changed: Vec<LaterCall>,
    /// Positions of those of which the log does not show what is sent, from 0.
    pub(super) unknown: BTreeSet<usize>,
}

/// A later call, and what changes in it.
#[derive(Clone, Debug)]
pub(super) struct LaterCall {
    /// Its position, from 0.
    pub(super) index: usize,
    pub(super) pointer: String,
    pub(super) edits: Vec<Edit>,
}

impl LaterCalls {
    /// Finds the calls behind the nearest one, whose request becomes the one that was sent.
    pub(super) fn find(document: &Document, near: &NearestCall) -> Self {
        let old = &near.call.request;
        let has_address = near.differences.iter().any(|difference| difference.place.is_empty());
        let new_body = match &near.sent.body {
            Some(PrintedBody::Whole(body)) if !near.has_same_body => Some(body),
            _ => None,
        };
        let bodies = new_body.and_then(|new| old.body.json().zip(JsonValue::parse(new).ok()));
        let mut all = Self::default();
        let requests = RecordedRequest::all(document).into_iter();
        for later in requests.skip_while(|later| later.index <= near.call.index) {
            let address = |call: &RecordedRequest| {
                (call.is_in_list, call.request.method.clone(), call.request.url.clone())
            };
            if address(&later) != address(&near.call) {
                continue;
            }
            let Some(call) = document.tree.find(later.node) else { continue };
            let mut edits = Vec::new();
            if has_address {
                edits.extend(address_edit(call, &near.sent.url));
            }
            let known_body = bodies.as_ref().zip(later.request.body.json()).zip(body_pointer(call));
            let is_known = match known_body {
                Some((((old, new), later), pointer)) => {
                    carry(&mut edits, &pointer, [old.root(), new.root(), later.root()])
                }
                None => new_body.is_none(),
            };
            if !is_known {
                all.unknown.insert(later.index);
            }
            if !edits.is_empty() {
                all.changed.push(LaterCall { index: later.index, pointer: call.pointer(), edits });
            }
        }
        all
    }

    /// Leaves all of these calls as they are, so that it is not known whether they answer.
    pub(super) fn leave(&mut self) {
        self.unknown.extend(self.changed.drain(..).map(|call| call.index));
    }
}

/// Returns the edit of the address of a recorded call.
pub(super) fn address_edit(call: Node<'_>, url: &str) -> Option<Edit> {
    let request = call.get("request")?;
    let address = request.get("uri").or_else(|| request.get("url"))?;
    Some(Edit::Set { pointer: address.pointer(), value: JsonValue::text(url) })
}

/// Returns the pointer of the JSON that the body of a recorded request is.
fn body_pointer(call: Node<'_>) -> Option<String> {
    match Interaction::parse(call)?.request_body() {
        StoredBody::Tree(node) => Some(node.pointer()),
        StoredBody::Text(node) | StoredBody::JsonText(node) => Some(node.pointer() + "#"),
        _ => None,
    }
}

/// Adds the edits that change a later value as an old one became a new one. The largest part that is the same as in the old value is
/// replaced as a whole, so that it is written as it was sent. Returns whether this says all of the value that is sent.
fn carry(edits: &mut Vec<Edit>, pointer: &str, [old, new, later]: [Node<'_>; 3]) -> bool {
    if is_same(old, new) || is_same(later, new) {
        return true;
    }
    let set = |value| Edit::Set { pointer: pointer.to_owned(), value };
    if is_same(later, old) {
        edits.push(set(JsonValue::from_node(new)));
        return true;
    }
    match [old, new, later].map(Node::kind) {
        [NodeKind::Object, NodeKind::Object, NodeKind::Object] => {
            let new_keys =
                new.items().filter(|item| item.key().is_none_or(|k| old.get(k).is_none()));
            let keys = old.items().chain(new_keys).filter_map(Node::key);
            keys.fold(true, |is_known, key| {
                let values = [old, new, later].map(|object| object.get(key));
                carry_member(edits, member_pointer(pointer, key), values) && is_known
            })
        }
        [NodeKind::Array, NodeKind::Array, NodeKind::Array] if old.len() == new.len() => {
            let mut later_items = later.items();
            let pairs = old.items().zip(new.items()).enumerate();
            pairs.fold(true, |is_known, (at, (old, new))| {
                let is_carried = match later_items.next() {
                    Some(later) => carry(edits, &format!("{pointer}/{at}"), [old, new, later]),
                    None => is_same(old, new),
                };
                is_carried && is_known
            })
        }
        // A conversation that begins in the same way goes on in the same way.
        [NodeKind::Array, NodeKind::Array, NodeKind::Array]
            if later.len() > old.len()
                && old.items().zip(later.items()).all(|(old, later)| is_same(old, later)) =>
        {
            let items = new.items().chain(later.items().skip(old.len()));
            let items: Vec<JsonValue> = items.map(JsonValue::from_node).collect();
            edits.push(set(JsonValue::list(&items)));
            true
        }
        _ => false,
    }
}

/// The same for a member, which each of the objects may lack.
fn carry_member(edits: &mut Vec<Edit>, pointer: String, values: [Option<Node<'_>>; 3]) -> bool {
    match values {
        [Some(old), Some(new), Some(later)] => return carry(edits, &pointer, [old, new, later]),
        [None, Some(new), None] => {
            edits.push(Edit::Insert { pointer, value: JsonValue::from_node(new) });
        }
        [Some(old), None, Some(later)] if is_same(old, later) => {
            edits.push(Edit::Remove { pointer });
        }
        [_, Some(a), Some(b)] | [Some(a), Some(b), None] => return is_same(a, b),
        [_, None, later] => return later.is_none(),
    }
    true
}

/// Returns whether two values of JSON are equal, in whatever order their members are.
fn is_same(a: Node<'_>, b: Node<'_>) -> bool {
    let [a, b] = [a, b].map(JsonValue::from_node);
    let value = |json: &JsonValue| serde_json::from_str::<Value>(json.json()).ok();
    a == b || value(&a).is_some_and(|value_of_a| Some(value_of_a) == value(&b))
}

/// Describes the later calls of several changes, as a remark in parentheses behind their description; empty if there are none.
pub(super) fn describe(all: &[&LaterCalls]) -> String {
    let name = |indices: Vec<usize>| match (all, &indices[..]) {
        (_, []) => None,
        ([_], [only]) => Some(format!("call {}", only + 1)),
        ([_], several) => {
            let numbers = several.iter().map(|index| (index + 1).to_string());
            Some(format!("calls {}", some(numbers, MAX_NAMED_CALLS)))
        }
        (_, several) => Some(counted(several.len(), "later call", "later calls")),
    };
    let changed = all.iter().flat_map(|later| later.changed.iter().map(|call| call.index));
    let changed = name(changed.collect());
    let unknown = name(all.iter().flat_map(|later| later.unknown.iter().copied()).collect());
    let parts = [
        changed.map(|calls| format!("also {calls}, where the same is recorded")),
        unknown.map(|calls| format!("what is sent for {calls} is not known yet")),
    ];
    match &parts.into_iter().flatten().collect::<Vec<_>>()[..] {
        [] => String::new(),
        parts => format!(" ({})", parts.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_request_changes_where_it_repeats_what_changed() {
        // The old request, the new one, a later one, what it becomes, and whether that is all of it.
        let rows = [
            // A member that is new, and one that is gone.
            r#"{"m":1,"s":"a"} | {"m":2,"s":"a","k":0} | {"m":1,"s":"b"} | {"m":2,"s":"b","k":0} | true"#,
            r#"{"k":1,"m":1} | {"m":1} | {"k":1,"m":1} | {"m":1} | true"#,
            r#"{"k":1,"m":1} | {"m":1} | {"k":2,"m":1} | {"k":2,"m":1} | false"#,
            r#"{"m":1} | {"m":1,"k":1} | {"k":1,"m":1} | {"k":1,"m":1} | true"#,
            // A conversation goes on behind what it repeats.
            r#"{"messages":["s","q"]} | {"messages":["t","q"]} | {"messages":["s","q","a"]} | {"messages":["t","q","a"]} | true"#,
            r#"{"messages":["q"]} | {"messages":["s","q"]} | {"messages":["q","a"]} | {"messages":["s","q","a"]} | true"#,
            // Of another question it is not known whether it has changed, too.
            r#"{"messages":["s","q"]} | {"messages":["t","r"]} | {"messages":["s","other"]} | {"messages":["t","other"]} | false"#,
            r#"{"messages":["s","q"]} | {"messages":["t","q"]} | {"messages":["s"]} | {"messages":["t"]} | true"#,
            // One tool of several, with its members in another order.
            r#"{"tools":[{"a":1,"b":1}]} | {"tools":[{"a":1,"b":2}]} | {"tools":[{"b":1,"a":1},{"c":1}]} | {"tools":[{"a":1,"b":2},{"c":1}]} | true"#,
            r#"{"tools":[1]} | {"tools":[2,1]} | {"tools":[3]} | {"tools":[3]} | false"#,
        ];
        for row in rows {
            let values: Vec<_> =
                row.split(" | ").map(|text| JsonValue::parse(text).unwrap()).collect();
            let [old, new, later, expected, is_known] = &values[..] else { panic!("{row}") };
            let mut edits = Vec::new();
            let known = carry(&mut edits, "", [old.root(), new.root(), later.root()]);
            let changed = edits.iter().fold(later.clone(), |v, edit| v.edited(edit).unwrap());
            let result = (is_same(changed.root(), expected.root()), known.to_string());
            assert_eq!(result, (true, is_known.json().to_owned()), "{row}: {}", changed.json());
        }
    }
}
