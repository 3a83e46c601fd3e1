//! Edits of a session that a file holds: each replaces the bytes of what it is about, and no others.

use super::{Fault, Mending, fault};
use crate::format::session::Session;
use crate::format::{Body, Document, Node, NodeKind, Tree};
use crate::ops::edit::{self, Edit, Refusal, Value};
use crate::text::{TextEdit, visible};

/// A change of a session. Pointers are JSON Pointers (RFC 6901) into its document as it is before.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEdit {
    /// A field, which may not be there yet, becomes a text.
    Text(String, String),
    /// A field, which may not be there yet, becomes a whole number or null.
    Number(String, Option<i64>),
    /// A field goes.
    Clear(String),
    /// What YAML 1.1 reads as something else becomes a text, with the letters it has.
    Quote(String),
    /// The response of the tool response at this place.
    Response(String, Value),
    /// Something goes wrong in the tool response at this place.
    Fault(String, Fault),
    /// The tool response at this place has these members in place of what a fault made of them.
    Restore(String, Value),
    /// The tool response at this place gets a response that its owner accepts.
    Mend(String, Mending),
    /// The session at this place gets another tool response, before the one with this index.
    Add(String, usize),
    /// The tool response at this place stands twice.
    Duplicate(String),
    /// The tool response at this place goes.
    Delete(String),
    /// The tool response at this place gets this index.
    Move(String, usize),
}

/// The keys of a session in the order of the owner's documents.
const SESSION: &[&str] = &[
    "id",
    "name",
    "source",
    "captured_at",
    "input",
    "context",
    "tool_responses",
    "expected_failure",
    "contract",
];

/// The keys of a tool response.
const TOOL_RESPONSE: &[&str] = &["tool", "response", "status", "latency_ms"];

/// What a fault may change.
const FAULTY: &[&str] = &["response", "status", "latency_ms"];

/// The session at a pointer: the file's own at the root, or one of those in a configuration.
pub fn session_at<'d>(document: &'d Document, pointer: &str) -> Option<&'d Session> {
    match &document.body {
        Body::Session(session) if pointer.is_empty() => Some(session),
        Body::Config(config) => {
            let node = document.tree.at_pointer(pointer)?.id();
            config.sessions.iter().find(|it| it.node == node)
        }
        _ => None,
    }
}

/// What of a tool response a fault may change, to be put back.
pub fn faultless(response: Node<'_>) -> Value {
    let members = FAULTY.iter().filter_map(|key| {
        let node = response.get(key)?;
        Some((*key, Value::of(node)))
    });
    Value::object(&members.collect::<Vec<_>>())
}

impl SessionEdit {
    /// The bytes it replaces; `None` where it would change nothing.
    ///
    /// # Errors
    ///
    /// When there is nothing at its place, or an edit is refused.
    pub fn plan(&self, document: &Document) -> Result<Option<TextEdit>, Refusal> {
        let tree = &document.tree;
        let edits = match self {
            Self::Text(pointer, text) => vec![put(tree, pointer, Value::text(text))],
            Self::Number(pointer, number) => vec![put(tree, pointer, number_or_null(*number))],
            Self::Clear(pointer) | Self::Delete(pointer) => match tree.at_pointer(pointer) {
                Some(_) => vec![remove(pointer)],
                None => Vec::new(),
            },
            Self::Quote(pointer) => {
                let letters = edit::at(tree, pointer)?.raw();
                vec![put(tree, pointer, Value::text(letters))]
            }
            Self::Response(pointer, value) => {
                vec![put(tree, &format!("{pointer}/response"), value.clone())]
            }
            Self::Fault(pointer, fault) => return fault::plan(tree, pointer, *fault),
            Self::Restore(pointer, value) => restore(tree, pointer, value)?,
            Self::Mend(pointer, mending) => return mending.plan(tree, pointer),
            Self::Add(pointer, at) => vec![add(tree, pointer, *at)],
            Self::Duplicate(pointer) => vec![duplicate(edit::at(tree, pointer)?, pointer)],
            Self::Move(pointer, to) => vec![Edit::Move {
                pointer: pointer.clone(),
                to: *to,
            }],
        };
        edit::plan_all(tree, &edits)
    }

    /// What it is called in the history, in the imperative.
    pub fn name(&self) -> String {
        match self {
            Self::Text(pointer, _) | Self::Number(pointer, _) => format!("Edit {}", of(pointer)),
            Self::Clear(pointer) => format!("Remove {}", of(pointer)),
            Self::Quote(pointer) => format!("Quote {}", of(pointer)),
            Self::Response(pointer, _) => format!("Edit response of {}", of(pointer)),
            Self::Fault(pointer, fault) => format!("{} in {}", fault.name(), of(pointer)),
            Self::Restore(pointer, _) => format!("No fault in {}", of(pointer)),
            Self::Mend(pointer, Mending::AsText) => format!("Make {} a text", of(pointer)),
            Self::Mend(pointer, Mending::Wrapped) => format!("Wrap {}", of(pointer)),
            Self::Add(_, at) => format!("Add tool response {}", at + 1),
            Self::Duplicate(pointer) => format!("Duplicate {}", of(pointer)),
            Self::Delete(pointer) => format!("Delete {}", of(pointer)),
            Self::Move(pointer, to) => format!("Move {} to place {}", of(pointer), to + 1),
        }
    }
}

/// What stands at a pointer, in words: "status of tool response 2".
fn of(pointer: &str) -> String {
    let mut tokens = pointer.rsplit('/');
    let (Some(last), before) = (tokens.next(), tokens.next()) else {
        return String::new();
    };
    let response = |index: &str| {
        let number = index.parse::<usize>().map_or(0, |index| index + 1);
        format!("tool response {number}")
    };
    match (before, tokens.next()) {
        (Some("tool_responses"), _) => response(last),
        (Some(index), Some("tool_responses")) => format!("{last} of {}", response(index)),
        _ => visible(last).into_owned(),
    }
}

fn number_or_null(number: Option<i64>) -> Value {
    let number = number.and_then(|number| Value::parse(&number.to_string()).ok());
    number.unwrap_or_else(Value::null)
}

fn remove(pointer: &str) -> Edit {
    Edit::Remove {
        pointer: pointer.to_owned(),
    }
}

/// Sets a member, or puts it where members of its kind stand by custom.
fn put(tree: &Tree, pointer: &str, value: Value) -> Edit {
    let (pointer, around) = (pointer.to_owned(), pointer.rsplit_once('/'));
    if tree.at_pointer(&pointer).is_some() {
        return Edit::Set { pointer, value };
    }
    let before = around.and_then(|(around, key)| {
        let mapping = tree.at_pointer(around)?;
        follower(mapping, key)
    });
    match before {
        Some(before) => Edit::InsertBefore {
            pointer,
            before,
            value,
        },
        None => Edit::Insert { pointer, value },
    }
}

/// The first of the keys that are there and stand behind `key` by custom.
fn follower(mapping: Node<'_>, key: &str) -> Option<String> {
    let order = [SESSION, TOOL_RESPONSE]
        .into_iter()
        .find(|order| order.contains(&key))?;
    let behind = order.iter().skip_while(|other| **other != key).skip(1);
    let mut there = behind.filter(|other| mapping.items().any(|it| it.key() == Some(other)));
    there.next().map(|key| (*key).to_owned())
}

fn restore(tree: &Tree, pointer: &str, value: &Value) -> Result<Vec<Edit>, Refusal> {
    let now = edit::at(tree, pointer)?;
    let edits = FAULTY.iter().filter_map(|key| {
        let pointer = format!("{pointer}/{key}");
        match (value.root().get(key), now.get(key)) {
            (Some(before), _) => Some(put(tree, &pointer, Value::of(before))),
            (None, Some(_)) => Some(remove(&pointer)),
            (None, None) => None,
        }
    });
    Ok(edits.collect())
}

/// A tool response that says nothing yet.
fn add(tree: &Tree, session: &str, at: usize) -> Edit {
    let value = Value::object(&[
        ("tool", Value::text("")),
        ("response", Value::null()),
        ("status", number_or_null(Some(200))),
    ]);
    let list = format!("{session}/tool_responses");
    let is_list = |node: &Node<'_>| node.kind() == NodeKind::Array;
    match tree.at_pointer(&list).filter(is_list) {
        Some(_) => Edit::Insert {
            pointer: format!("{list}/{at}"),
            value,
        },
        None => put(tree, &list, Value::list(&[value])),
    }
}

fn duplicate(response: Node<'_>, pointer: &str) -> Edit {
    let list = pointer.rsplit_once('/').map_or("", |(list, _)| list);
    Edit::Insert {
        pointer: format!("{list}/{}", response.index() + 1),
        value: Value::of(response),
    }
}
