//! Conversations that the proxy of Copilot's SDK replays. A message of the assistant is the answer to those before it; conversations
//! that begin alike share their first answers.

use std::collections::HashSet;

use super::{CallDetail, aimock};
use crate::json::{Json, object};
use document::call::ModelCall;
use document::{Document, Node, json};

/// Returns the errors, and the messages of the assistant that answer different conversations.
pub(super) fn nodes(document: &Document) -> Vec<Node<'_>> {
    let list =
        |key| document.tree.root().and_then(|root| root.get(key)).into_iter().flat_map(Node::items);
    let mut nodes: Vec<Node<'_>> = list("errors").collect();
    let mut seen = HashSet::new();
    for conversation in list("conversations") {
        let mut prefix = String::new();
        for message in conversation.get("messages").into_iter().flat_map(Node::items) {
            prefix += &json::text(message);
            prefix.push('\n');
            if is_answer(message) && seen.insert(prefix.clone()) {
                nodes.push(message);
            }
        }
    }
    nodes
}

/// Converts an answer or an error.
pub(super) fn call(node: Node<'_>, detail: CallDetail) -> Option<ModelCall<'_>> {
    let root = node.tree().root()?;
    let model = node.get("model").or_else(|| root.get("models")?.items().next());
    let request = |messages: Vec<Json>| object! { "model": model, "messages": messages };
    if let Some(messages) = node.get("messages") {
        let messages = messages.items().map(Json::from).collect();
        return aimock::read(node, request(messages), None, node, detail);
    }
    let earlier = node.parent()?.items().take(node.index()).map(Json::from).collect();
    let choice = object! { "index": 0usize, "message": node };
    let answer = object! { "choices": vec![choice] };
    aimock::read(node, request(earlier), Some(answer), node, detail)
}

fn is_answer(message: Node<'_>) -> bool {
    message.get("role").and_then(Node::as_str) == Some("assistant")
}
