//! Writes calls in the format of recordings, whatever API they are of.

use crate::api::{Api, BlockContent, ModelAnswer, ModelBlock, ModelMessage, ModelRequest};
use crate::json::{Json, object};
use document::{Node, NodeKind};

/// Writes a request in the format of recordings: messages of blocks, tools with their schemas, a system prompt.
pub fn request(id: Option<&str>, at: Option<&str>, api: Api, request: &ModelRequest<'_>) -> Json {
    let messages = request.messages.iter().map(|message| recorded_message(api, message));
    let tools = request.tools.iter().map(|tool| {
        let description = tool.description.map_or_else(|| Json::from(""), Json::from);
        object! { "name": tool.name, "description": description, "input_schema": tool.schema }
    });
    let messages = messages.collect::<Vec<_>>();
    let tools = tools.collect::<Vec<_>>();
    let members = [
        Some(("type", "llm_invocation_request".into())),
        id.map(|id| ("requestId", id.into())),
        Some(("messages", messages.into())),
        Some(("tools", tools.into())),
        Some(("systemPrompt", request.system.join("\n").into())),
        at.map(|at| ("timestamp", at.into())),
    ];
    Json::object(members.into_iter().flatten())
}

/// Writes a request with its tools and the number of its messages, without their texts and schemas.
pub(super) fn request_outline(request: &ModelRequest<'_>) -> Json {
    let turns = request.messages.iter().map(|m| object! { "role": m.role.as_str(), "content": "" });
    let tools = request.tools.iter().map(|tool| {
        object! { "name": tool.name, "description": "", "input_schema": object! {} }
    });
    object! {
        "type": "llm_invocation_request",
        "messages": turns.collect::<Vec<_>>(),
        "tools": tools.collect::<Vec<_>>(),
        "systemPrompt": "",
    }
}

/// Writes a message; a single text is a plain string.
fn recorded_message(api: Api, message: &ModelMessage<'_>) -> Json {
    let content = match &message.blocks[..] {
        [block] if let Some(text) = plain_text(block) => text,
        blocks => blocks.iter().map(|block| recorded_block(api, block)).collect::<Vec<_>>().into(),
    };
    object! { "role": message.role.as_str(), "content": content }
}

/// Returns the text of a block that is one, as it was received: a string of Rust has no half a surrogate pair.
fn plain_text(block: &ModelBlock<'_>) -> Option<Json> {
    let (BlockContent::Text(text) | BlockContent::Reasoning(text)) = &block.content else {
        return None;
    };
    match block.node {
        Some(node) if node.kind() == NodeKind::String => Some(node.into()),
        Some(node) => node.get("text").map(Json::from),
        None => Some(Json::from(&**text)),
    }
}

/// Writes a block. Recordings have the blocks of Anthropic's API, so these are kept as received, as is what they have
/// no word for.
fn recorded_block(api: Api, block: &ModelBlock<'_>) -> Json {
    let is_tool_block = |node: Node<'_>| {
        matches!(node.get("type").and_then(Node::as_str), Some("tool_use" | "tool_result"))
    };
    match (&block.content, block.node.filter(|node| node.kind() == NodeKind::Object)) {
        (_, Some(node)) if api == Api::AnthropicMessages || is_tool_block(node) => node.into(),
        (BlockContent::ToolUse(call), _) => {
            // As written, since a large number would lose digits when it is parsed.
            let input = Json::raw(call.input.as_str());
            object! { "type": "tool_use", "id": call.id.as_ref(), "name": &call.name, "input": input }
        }
        (BlockContent::ToolResult { call_id, content, is_error }, _) => {
            let error = is_error.then(|| ("is_error", true.into()));
            let members = [
                ("type", "tool_result".into()),
                ("tool_use_id", call_id.as_deref().into()),
                ("content", (*content).into()),
            ];
            Json::object(members.into_iter().chain(error))
        }
        (_, node) => plain_text(block)
            .map_or_else(|| node.into(), |text| object! { "type": "text", "text": text }),
    }
}

/// Writes an answer in the format of recordings, as it was received at a time. Why it ends stays in the word of its API.
pub(super) fn answer(
    id: Option<&str>,
    at: Option<&str>,
    api: Api,
    answer: &ModelAnswer<'_>,
) -> Json {
    let blocks: Vec<Json> = answer.blocks.iter().map(|block| answered_block(api, block)).collect();
    let stop = answer.stop_word.as_deref().map(|word| ("stop_reason", word.into()));
    let content = [("content", blocks.into())];
    let members = [
        Some(("type", "llm_invocation_response".into())),
        id.map(|id| ("requestId", id.into())),
        at.map(|at| ("timestamp", at.into())),
        Some(("response", Json::object(content.into_iter().chain(stop)))),
    ];
    Json::object(members.into_iter().flatten())
}

/// Writes a block of an answer, where what the model thought is not part of its text.
fn answered_block(api: Api, block: &ModelBlock<'_>) -> Json {
    match &block.content {
        // Anthropic's own block has a signature, without which the API refuses it in the next request.
        BlockContent::Reasoning(text) if api != Api::AnthropicMessages || block.node.is_none() => {
            object! { "type": "thinking", "thinking": &**text }
        }
        _ => recorded_block(api, block),
    }
}
