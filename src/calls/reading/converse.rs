//! Bedrock's Converse API, translated to Anthropic's messages: the same content by other names. Nova's models have the same bodies
//! when they are invoked directly.

use crate::json::{Json, object};
use document::text::Source;
use document::{Node, NodeKind, json};

/// The display name of the API.
pub(super) const LABEL: &str = "Bedrock Converse";

/// Returns whether the path of an address is that of a call: `/model/MODEL/converse` or `…/converse-stream`.
pub(super) fn is_path(path: &str) -> bool {
    path.starts_with("/model/")
        && (path.ends_with("/converse") || path.ends_with("/converse-stream"))
}

/// Translates the body of a request.
pub(super) fn request(body: Node<'_>) -> Option<String> {
    let messages: Vec<Json> = body
        .get("messages")?
        .items()
        .map(|message| {
            let content = blocks(message.get("content"));
            object! { "role": message.get("role"), "content": content }
        })
        .collect();
    let tools = body.get("toolConfig").and_then(|c| c.get("tools")).into_iter().flat_map(Node::items).filter_map(|tool| {
        let tool = tool.get("toolSpec")?;
        let schema = tool.get("inputSchema").and_then(|schema| schema.get("json"));
        Some(object! {
            "name": tool.get("name"), "description": tool.get("description"), "input_schema": schema
        })
    });
    let settings = body.get("inferenceConfig");
    let names = [
        ("maxTokens", "max_tokens"),
        ("temperature", "temperature"),
        ("topP", "top_p"),
        ("stopSequences", "stop_sequences"),
    ];
    let settings =
        names.iter().filter_map(|(theirs, ours)| Some((*ours, Json::from(settings?.get(theirs)?))));
    let members = [
        ("messages", messages.into()),
        ("system", blocks(body.get("system")).into()),
        ("tools", tools.collect::<Vec<Json>>().into()),
    ];
    Some(Json::object(members.into_iter().chain(settings)).into_string())
}

/// Translates a whole answer; `None` for an error.
pub(super) fn answer(body: Node<'_>) -> Option<String> {
    let content = blocks(body.get("output")?.get("message")?.get("content"));
    Some(message(content, body.get("stopReason"), body.get("usage")))
}

/// Puts the answer together from the events of a stream, each with its kind.
pub(super) fn streamed_answer<'t>(
    events: impl Iterator<Item = (&'t str, Node<'t>)>,
) -> Option<String> {
    let mut content: Vec<Block> = Vec::new();
    let (mut stop, mut usage) = (None, None);
    for (kind, event) in events {
        match kind {
            // Only calls need their start: blocks of text begin with their first delta.
            "contentBlockStart" => {
                let call = event.get("start").and_then(|start| start.get("toolUse"));
                content.extend(call.map(Block::call));
            }
            "contentBlockDelta" => {
                if let Some(delta) = event.get("delta") {
                    push_delta(&mut content, delta);
                }
            }
            "contentBlockStop" => content.push(Block::End),
            "messageStop" => stop = event.get("stopReason"),
            "metadata" => usage = event.get("usage"),
            _ => {}
        }
    }
    let content: Vec<Json> = content.into_iter().filter_map(Block::into_json).collect();
    (!content.is_empty() || stop.is_some()).then(|| message(content, stop, usage))
}

fn push_delta(content: &mut Vec<Block>, delta: Node<'_>) {
    let text = delta.get("text").and_then(Node::as_str);
    let input = delta.get("toolUse").and_then(|call| call.get("input")?.as_str());
    let thought = delta.get("reasoningContent").and_then(|c| c.get("text")?.as_str());
    match (content.last_mut(), text, thought) {
        (Some(Block::Call { input: block_input, .. }), ..) => {
            block_input.push_str(input.unwrap_or_default());
        }
        (Some(Block::Text(block_text)), Some(text), _) => block_text.push_str(text),
        (Some(Block::Thought(block_text)), _, Some(thought)) => block_text.push_str(thought),
        (_, Some(text), _) => content.push(Block::Text(text.to_owned())),
        (_, None, Some(thought)) => content.push(Block::Thought(thought.to_owned())),
        (_, None, None) => {}
    }
}

/// A block of a streamed answer.
enum Block {
    Text(String),
    Thought(String),
    Call {
        id: Json,
        name: Json,
        input: String,
    },
    /// The end of a block: a delta after it belongs to another one.
    End,
}

impl Block {
    fn call(call: Node<'_>) -> Self {
        Self::Call {
            id: call.get("toolUseId").into(),
            name: call.get("name").into(),
            input: String::new(),
        }
    }

    fn into_json(self) -> Option<Json> {
        Some(match self {
            Self::Text(text) => object! { "type": "text", "text": text },
            Self::Thought(text) => object! { "type": "thinking", "thinking": text },
            Self::Call { id, name, input } => {
                // A stream that broke off leaves half an input, and the input is written as raw JSON.
                let is_json = json::parse_container(&Source::new(&*input)).is_some();
                let input = if is_json { input } else { "{}".to_owned() };
                object! { "type": "tool_use", "id": id, "name": name, "input": Json::raw(input) }
            }
            Self::End => return None,
        })
    }
}

fn message(content: Vec<Json>, stop: Option<Node<'_>>, usage: Option<Node<'_>>) -> String {
    let count = |key| usage.and_then(|usage| usage.get(key));
    let usage = object! {
        "input_tokens": count("inputTokens"), "output_tokens": count("outputTokens"),
        // Nova has the longer names when it is invoked directly.
        "cache_creation_input_tokens": count("cacheWriteInputTokens").or(count("cacheWriteInputTokenCount")),
        "cache_read_input_tokens": count("cacheReadInputTokens").or(count("cacheReadInputTokenCount")),
    };
    let message = object! {
        "type": "message", "role": "assistant", "content": content, "stop_reason": stop, "usage": usage
    };
    message.into_string()
}

/// Translates the blocks of a message.
fn blocks(content: Option<Node<'_>>) -> Vec<Json> {
    content.into_iter().flat_map(Node::items).map(block).collect()
}

fn block(block: Node<'_>) -> Json {
    let is_object = |node: &Node<'_>| node.kind() == NodeKind::Object;
    let part = |key| block.get(key).filter(is_object);
    if let Some(text) = block.get("text") {
        object! { "type": "text", "text": text }
    } else if let Some(call) = part("toolUse") {
        object! {
            "type": "tool_use", "id": call.get("toolUseId"), "name": call.get("name"), "input": call.get("input")
        }
    } else if let Some(result) = part("toolResult") {
        let results: Vec<Json> = result
            .get("content")
            .into_iter()
            .flat_map(Node::items)
            .map(|item| match item.get("json") {
                // Anthropic's results have no blocks of JSON.
                Some(json) => object! { "type": "text", "text": Json::from(json).into_string() },
                None => self::block(item),
            })
            .collect();
        let is_error = result.get("status").and_then(Node::as_str) == Some("error");
        object! {
            "type": "tool_result", "tool_use_id": result.get("toolUseId"), "content": results, "is_error": is_error
        }
    } else if let Some(thought) = part("reasoningContent") {
        let text = thought.get("reasoningText").and_then(|t| t.get("text"));
        object! { "type": "thinking", "thinking": text }
    } else {
        block.into()
    }
}
