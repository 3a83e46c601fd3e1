//! Subjects of the values of decoded bodies, in each API of models.

use super::view::{BodyJson, BodySide, CallView};
use crate::review::subject::{ChangeSubject, ChangeTopic};
use document::recording::MessageBlock;
use document::{FileKind, Node, NodeKind};

/// Subject of a value, and its place in the recording of the call.
pub(super) struct BodyTopic<'a> {
    pub(super) topic: ChangeTopic<'a>,
    /// A pointer into the recording that the call is converted to.
    pub(super) shown_at: String,
}

/// Returns what a value of a body is about. What has no prompt, or is answered by no model, are plain values.
pub(super) fn topic<'a>(view: &CallView<'_>, side: BodySide, node: Node<'a>) -> BodyTopic<'a> {
    let mut path: Vec<Node<'a>> = node.ancestors().collect();
    path.reverse();
    let keys: Vec<&str> = path[1..].iter().map(|node| node.key().unwrap_or("#")).collect();
    let (subject, depth) = match side {
        BodySide::Request if view.call.is_of_model() || has_prompt(path[0]) => {
            request(&keys, &path)
        }
        BodySide::Response if view.call.is_of_model() => answer(&keys, &path),
        _ => (ChangeSubject::Value, None),
    };
    let thing = depth.and_then(|depth| path.get(depth)).copied().unwrap_or(node);
    let (number, shown_at) = match subject {
        ChangeSubject::Message => {
            let number = message_number(path[0], thing);
            (number, format!("/request/messages/{}", number - 1))
        }
        ChangeSubject::Prompt => (1, "/request/systemPrompt".to_owned()),
        ChangeSubject::OfferedTool => {
            let number = thing.index() + 1;
            (number, format!("/request/tools/{}", number - 1))
        }
        _ => {
            let at = match side {
                BodySide::Request => "/request".to_owned(),
                BodySide::Response => block_pointer(view, subject, thing),
            };
            (thing.index() + 1, at)
        }
    };
    BodyTopic {
        topic: ChangeTopic {
            kind: FileKind::Cassette,
            subject,
            thing,
            number,
            label: None,
            call: None,
            is_json_text: [false; 2],
        },
        shown_at,
    }
}

/// Returns where the recording of a call shows a block of its answer.
fn block_pointer(view: &CallView<'_>, subject: ChangeSubject, thing: Node<'_>) -> String {
    let is_call = subject == ChangeSubject::ToolCall;
    let siblings = thing.parent().into_iter().flat_map(Node::items);
    let earlier = siblings.take(thing.index()).filter(|node| {
        let is_in_calls = thing.parent().and_then(Node::key) == Some("tool_calls");
        block(node, is_in_calls) == subject
    });
    let matching_node = |block: &MessageBlock| match block {
        MessageBlock::ToolUse(call) if is_call => Some(call.node),
        MessageBlock::Text(field) if !is_call => Some(field.node),
        _ => None,
    };
    let blocks = view.call.answer().into_iter().flat_map(|answer| &answer.blocks);
    let block_node = blocks.filter_map(matching_node).nth(earlier.count());
    block_node.map_or_else(|| "/response".to_owned(), |n| view.call.document.node(n).pointer())
}

/// Subject of a value, and the number of steps from the root to where that begins.
type SubjectDepth = (ChangeSubject, Option<usize>);

/// Returns whether a body is a prompt although no model answers, as where tokens are only counted.
fn has_prompt(root: Node<'_>) -> bool {
    let has = |key: &str| root.get(key).is_some();
    has("contents") || has("model") && (has("messages") || has("input"))
}

fn word<'a>(node: Option<&Node<'a>>, key: &str) -> &'a str {
    node.and_then(|node| node.get(key)?.as_str()).unwrap_or_default()
}

fn request(keys: &[&str], path: &[Node<'_>]) -> SubjectDepth {
    use ChangeSubject::{Message, Model, OfferedTool, Prompt, Value};
    match keys {
        ["model"] => (Model, None),
        // The keys of Anthropic and Bedrock, OpenAI Responses, and Gemini, whose SDK dumps snake case.
        ["system" | "instructions" | "systemInstruction" | "system_instruction", ..] => {
            (Prompt, Some(1))
        }
        ["messages" | "input" | "contents", "#", ..] => match word(path.get(2), "role") {
            // OpenAI has prompts among the messages.
            "system" | "developer" => (Prompt, Some(2)),
            _ => (Message, Some(2)),
        },
        // OpenAI Responses takes a text in place of a list.
        ["input"] if path[1].kind() == NodeKind::String => (Message, Some(1)),
        // Gemini lists several functions in one tool.
        ["tools", "#", "functionDeclarations" | "function_declarations", "#", ..] => {
            (OfferedTool, Some(4))
        }
        ["tools", "#", ..] => (OfferedTool, Some(2)),
        // Bedrock Converse has the tools in `toolConfig`.
        ["toolConfig", "tools", "#", ..] => (OfferedTool, Some(3)),
        _ => (Value, None),
    }
}

fn answer(keys: &[&str], path: &[Node<'_>]) -> SubjectDepth {
    use ChangeSubject::{Answer, Model, Reasoning, StopReason, ToolCall, Value};
    let has = |depth: usize, key: &str| path.get(depth).is_some_and(|node| node.get(key).is_some());
    let depth = match keys {
        ["model" | "modelVersion"] => return (Model, None),
        ["stop_reason" | "stopReason" | "stop_sequence" | "incomplete_details", ..]
        | ["choices", "#", "finish_reason" | "native_finish_reason"]
        | ["candidates", "#", "finishReason"]
        | ["done_reason" | "finish_reason"]
        | ["results", "#", "completionReason"] => return (StopReason, None),
        // In OpenAI Responses the status says whether the answer is complete.
        ["status"] if has(0, "output") => return (StopReason, None),
        ["choices", "#", "message", "tool_calls", "#", ..] => 5,
        ["choices", "#", "message", "content" | "refusal", ..] => return (Answer, Some(4)),
        // Providers behind OpenAI's API name it `reasoning`, `reasoning_content` or `reasoning_details`.
        ["choices", "#", "message", key, ..] if key.starts_with("reasoning") => {
            return (Reasoning, Some(4));
        }
        // Completions of a prompt: OpenAI's, those at Bedrock, Hugging Face's and Ollama's.
        ["choices" | "generations" | "outputs", "#", "text"] | ["results", "#", "outputText"] => {
            return (Answer, Some(3));
        }
        ["completions", "#", "data", "text"] => return (Answer, Some(4)),
        ["generation" | "generated_text" | "response" | "text"] => return (Answer, Some(1)),
        // Ollama's and Cohere's chats.
        ["message", "tool_calls", "#", ..] => 3,
        ["message", "content", ..] => return (Answer, Some(2)),
        ["message", "thinking" | "tool_plan"] => return (Reasoning, Some(2)),
        // Gemini, then Bedrock Converse, then Anthropic and OpenAI Responses.
        ["candidates", "#", "content", "parts", "#", ..] => 5,
        ["output", "message", "content", "#", ..] => 4,
        ["content" | "output", "#", ..] => 2,
        _ => return (Value, None),
    };
    let rest = &keys[depth..];
    let subject = block(&path[depth], keys.get(depth - 2) == Some(&"tool_calls"));
    // A block also has an id, a state and notes, which are not its content.
    let is_content = match subject {
        ToolCall => !matches!(rest, ["id" | "call_id" | "type" | "status" | "index", ..]),
        _ => {
            let name = rest.iter().rev().find(|key| **key != "#");
            name.is_none_or(|name| {
                matches!(*name, "text" | "content" | "refusal" | "thinking" | "summary" | "thought")
            })
        }
    };
    if is_content { (subject, Some(depth)) } else { (Value, None) }
}

/// Returns what a block of an answer is.
fn block(block: &Node<'_>, is_call: bool) -> ChangeSubject {
    let kind = word(Some(block), "type");
    let has = |key| block.get(key).is_some();
    let is_call = is_call
        || kind == "tool_use"
        // OpenAI Responses: `function_call`, `web_search_call` and others.
        || kind.ends_with("_call")
        || has("functionCall")
        || has("toolUse");
    if is_call {
        ChangeSubject::ToolCall
    } else if matches!(kind, "thinking" | "redacted_thinking" | "reasoning")
        // Gemini marks the parts that are thoughts; `reasoningContent` is Bedrock's.
        || block.get("thought").and_then(Node::as_bool) == Some(true)
        || has("reasoningContent")
    {
        ChangeSubject::Reasoning
    } else {
        ChangeSubject::Answer
    }
}

/// Returns the number of a message as conversations count: system prompts are none, and the results of several tools are one.
fn message_number(root: Node<'_>, message: Node<'_>) -> usize {
    let Some(list) = message.parent().filter(|list| list.id() != root.id()) else { return 1 };
    let role = |item: Node<'_>| match word(Some(&item), "role") {
        "" => word(Some(&item), "type").to_owned(),
        role => role.to_owned(),
    };
    let joins = |role: &str| matches!(role, "tool" | "function_call" | "function_call_output");
    let (mut number, mut previous_role) = (0, String::new());
    for item in list.items().take(message.index() + 1) {
        let role = role(item);
        let is_none = matches!(role.as_str(), "system" | "developer" | "reasoning");
        let is_same = joins(&role) && role == previous_role;
        if !is_none && !is_same {
            number += 1;
        }
        previous_role = role;
    }
    number.max(1)
}

/// Returns whether a value of a body is another one in every answer of a service.
pub(super) fn is_generated(json: &BodyJson, side: BodySide, node: Node<'_>) -> bool {
    let is_top = node.parent().map(Node::id) == json.root().map(Node::id);
    match node.key() {
        Some("id" | "responseId" | "system_fingerprint") => side == BodySide::Response && is_top,
        Some("previous_response_id" | "call_id") => true,
        // Anthropic, Gemini and OpenAI return encrypted reasoning, which is different in every answer.
        Some("signature" | "thoughtSignature" | "thought_signature" | "encrypted_content") => true,
        _ => false,
    }
}
