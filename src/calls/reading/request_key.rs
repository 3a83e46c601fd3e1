//! Keys of requests: equal for requests that are equal.

use std::hash::{BuildHasher as _, Hash};

use foldhash::quality::FixedState;

use super::recorded;
use super::tape::read_request;
use crate::api::Api;
use crate::javascript::canonical;
use document::tape::RequestShape;
use document::text::Source;
use document::{Document, Node, NodeKind, json};

/// A request as a client sent it.
pub struct SentRequest<'t> {
    pub api: Api,
    /// The model, where the body or the address names it.
    pub model: Option<&'t str>,
    pub is_stream: bool,
    pub body: Option<Node<'t>>,
}

/// Members of a body that hold the conversation, or refer to it.
const CONVERSATION_KEYS: [&str; 4] = ["messages", "contents", "input", "previous_response_id"];

/// Returns the keys of a request, the strictest first: of its body as JSON, of its [conversation](conversation_key), and of its
/// messages, tools and system prompt alone. `recording` is the request in the format of recordings, or a recording of it.
pub fn request_keys(request: &SentRequest<'_>, recording: &Document) -> Vec<u64> {
    let SentRequest { api, model, is_stream, body } = *request;
    let address = (api, model, is_stream);
    let body_keys = body.map(|body| {
        let conversation = conversation_key(body, RequestShape::Other);
        // The numbers keep a key of one strictness from equalling one of another.
        [hash((0, address, canonical(body))), hash((1, address, conversation))]
    });
    body_keys.into_iter().flatten().chain(messages_key(recording.tree.root())).collect()
}

/// Returns the key of a request as a conversation: what the model answered counts by its texts and tool calls, which is all that every
/// client sends back. So it does not matter whether empty members, ids of items and thinking come with it.
pub fn conversation_key(request: Node<'_>, shape: RequestShape) -> u64 {
    let (api, model_request) = read_request(request, shape);
    let is_setting = |(key, _): &(&str, Node<'_>)| !CONVERSATION_KEYS.contains(key);
    let mut settings: Vec<(&str, String)> = request
        .members()
        .into_iter()
        .filter(is_setting)
        .map(|(key, value)| (key, canonical(value)))
        .collect();
    // The order of members depends on the client, and says nothing.
    settings.sort_unstable();
    let recording = recorded::request(None, None, api, &model_request).into_string();
    let (recording, _) = json::parse(&Source::new(recording));
    hash((settings, messages_key(recording.root())))
}

/// Returns the key of the messages, tools and system prompt of a request or a recording.
pub fn messages_key(recording: Option<Node<'_>>) -> Option<u64> {
    let request = recording?.get("request").or(recording)?;
    let texts = ["tools", "systemPrompt"].map(|key| {
        let text = request.get(key).map(canonical);
        // One client sends an empty list or prompt where another leaves it out.
        text.filter(|text| !matches!(text.as_str(), "[]" | "\"\""))
    });
    Some(hash((2, request.get("messages")?.items().map(message_text).collect::<Vec<_>>(), texts)))
}

/// Returns what counts of a message.
fn message_text(message: Node<'_>) -> Vec<String> {
    let role = message.get("role").and_then(Node::as_str).unwrap_or_default();
    let content = message.get("content");
    let block = |block: Node<'_>| {
        let text = |key| block.get(key).map(canonical).unwrap_or_default();
        match block.get("type").and_then(Node::as_str) {
            Some("text") => text("text"),
            Some("tool_use") => ["id", "name", "input"].map(text).join(","),
            Some("tool_result") => ["tool_use_id", "content"].map(text).join(","),
            // Thinking and other blocks of an answer are not sent back by every client.
            _ if role == "assistant" => String::new(),
            _ => canonical(block),
        }
    };
    let blocks = match content {
        Some(text) if text.kind() == NodeKind::String => vec![canonical(text)],
        content => content.into_iter().flat_map(Node::items).map(block).collect(),
    };
    let is_content = |text: &String| !matches!(text.as_str(), "" | "\"\"");
    [role.to_owned()].into_iter().chain(blocks.into_iter().filter(is_content)).collect()
}

fn hash(value: impl Hash) -> u64 {
    // A fixed state: keys of documents that are read at different times are compared.
    FixedState::default().hash_one(value)
}
