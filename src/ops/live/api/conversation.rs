//! Converts the conversation in a request to the format of recordings: messages of blocks, tools with their schemas, a
//! system prompt.
//!
//! Where an API has a message for each tool result, consecutive ones become one message, as in recordings.

use super::super::json::{Json, object};
use crate::format::{Node, NodeKind, json};
use crate::ops::tape::javascript::stringify;
use crate::ops::tape::sse::Api;
use crate::text::Source;

/// A conversation in the format of recordings.
pub(super) struct ApiConversation {
    pub(super) messages: Vec<Json>,
    pub(super) tools: Vec<Json>,
    pub(super) system: String,
}

pub(super) fn parse_conversation(api: Api, root: Node<'_>) -> ApiConversation {
    let mut turns = Turns::default();
    match api {
        Api::AnthropicMessages => anthropic(root, &mut turns),
        Api::OpenAiChat => chat(root, &mut turns),
        Api::OpenAiResponses => responses(root, &mut turns),
        Api::Gemini => gemini(root, &mut turns),
    }
    turns.finish()
}

/// Builder of the turns of a conversation.
#[derive(Default)]
struct Turns {
    all: Vec<ApiTurn>,
    tools: Vec<Json>,
    system: Vec<String>,
}

struct ApiTurn {
    role: &'static str,
    blocks: Vec<Json>,
    /// Whether blocks of the same kind that follow belong to this turn.
    is_open: bool,
}

impl Turns {
    fn push(&mut self, role: &'static str, blocks: Vec<Json>) {
        self.all.push(ApiTurn {
            role,
            blocks,
            is_open: false,
        });
    }

    /// Adds a block to the previous turn if that is of the same kind.
    fn join(&mut self, role: &'static str, block: Json) {
        match self.all.last_mut() {
            Some(turn) if turn.is_open && turn.role == role => turn.blocks.push(block),
            _ => {
                self.push(role, vec![block]);
                if let Some(turn) = self.all.last_mut() {
                    turn.is_open = true;
                }
            }
        }
    }

    fn tool(
        &mut self,
        name: Option<Node<'_>>,
        description: Option<Node<'_>>,
        schema: Option<Node<'_>>,
    ) {
        self.tools.push(object! {
            "name": name, "description": description.map_or_else(|| Json::from(""), Json::from), "input_schema": schema,
        });
    }

    fn finish(self) -> ApiConversation {
        let messages = self.all.into_iter().map(|turn| {
            let content = match &turn.blocks[..] {
                [only] => plain(only).unwrap_or_else(|| turn.blocks.clone().into()),
                _ => turn.blocks.into(),
            };
            object! { "role": turn.role, "content": content }
        });
        ApiConversation {
            messages: messages.collect(),
            tools: self.tools,
            system: self.system.join("\n"),
        }
    }
}

/// Returns the text of a block that has nothing else.
fn plain(block: &Json) -> Option<Json> {
    let text = block
        .as_str()
        .strip_prefix("{\"type\":\"text\",\"text\":")?;
    Some(Json::raw(text.strip_suffix('}')?))
}

fn text_block(text: Node<'_>) -> Json {
    object! { "type": "text", "text": text }
}

fn items<'t>(root: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    root.get(key).into_iter().flat_map(Node::items)
}

fn word<'t>(node: Node<'t>, key: &str) -> &'t str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

/// Joins all texts of a string or a list of blocks with line feeds.
fn texts(node: Node<'_>) -> String {
    if let Some(text) = node.as_str() {
        return text.to_owned();
    }
    let texts: Vec<&str> = node
        .items()
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    texts.join("\n")
}

/// Messages are kept as received: recordings have the same format.
fn anthropic(root: Node<'_>, turns: &mut Turns) {
    for message in items(root, "messages") {
        let role = match word(message, "role") {
            "assistant" => "assistant",
            _ => "user",
        };
        let blocks = match message.get("content") {
            Some(content) if content.kind() == NodeKind::String => vec![text_block(content)],
            content => content
                .into_iter()
                .flat_map(Node::items)
                .map(Json::from)
                .collect(),
        };
        turns.push(role, blocks);
    }
    for tool in items(root, "tools") {
        let schema = tool.get("input_schema");
        turns.tool(tool.get("name"), tool.get("description"), schema);
    }
    turns.system.extend(root.get("system").map(texts));
}

fn chat(root: Node<'_>, turns: &mut Turns) {
    for message in items(root, "messages") {
        let content = message.get("content");
        match word(message, "role") {
            "system" | "developer" => turns.system.extend(content.map(texts)),
            "tool" => {
                let id = message.get("tool_call_id");
                turns.join(
                    "user",
                    object! { "type": "tool_result", "tool_use_id": id, "content": content },
                );
            }
            role => {
                let mut blocks = content.map(blocks).unwrap_or_default();
                blocks.extend(items(message, "tool_calls").map(|call| {
                    let function = call.get("function");
                    let get = |key| function.and_then(|function| function.get(key));
                    call_block(call.get("id"), get("name"), get("arguments"))
                }));
                let role = if role == "assistant" {
                    "assistant"
                } else {
                    "user"
                };
                turns.push(role, blocks);
            }
        }
    }
    for tool in items(root, "tools") {
        let function = tool.get("function").unwrap_or(tool);
        let schema = function.get("parameters");
        turns.tool(function.get("name"), function.get("description"), schema);
    }
}

/// Converts the blocks of OpenAI content, whose text types have other names.
fn blocks(content: Node<'_>) -> Vec<Json> {
    if content.kind() == NodeKind::String {
        return vec![text_block(content)];
    }
    let blocks = content.items().map(|block| match block.get("text") {
        Some(text) => text_block(text),
        None => Json::from(block),
    });
    blocks.collect()
}

fn call_block(id: Option<Node<'_>>, name: Option<Node<'_>>, arguments: Option<Node<'_>>) -> Json {
    let written = arguments.and_then(Node::as_str).unwrap_or("{}");
    let (tree, problems) = json::parse(&Source::new(written));
    let input = match tree.root().filter(|_| problems.is_empty()) {
        Some(input) => Json::raw(stringify(input)),
        None => written.into(),
    };
    object! { "type": "tool_use", "id": id, "name": name, "input": input }
}

fn responses(root: Node<'_>, turns: &mut Turns) {
    turns.system.extend(root.get("instructions").map(texts));
    let input = root.get("input");
    if let Some(text) = input.filter(|input| input.kind() == NodeKind::String) {
        turns.push("user", vec![text_block(text)]);
    }
    for item in input.into_iter().flat_map(Node::items) {
        let content = item.get("content");
        match (word(item, "type"), word(item, "role")) {
            ("function_call", _) => {
                let block =
                    call_block(item.get("call_id"), item.get("name"), item.get("arguments"));
                turns.join("assistant", block);
            }
            ("function_call_output", _) => {
                let (id, output) = (item.get("call_id"), item.get("output"));
                turns.join(
                    "user",
                    object! { "type": "tool_result", "tool_use_id": id, "content": output },
                );
            }
            (_, "system" | "developer") => turns.system.extend(content.map(texts)),
            ("" | "message", role) => {
                let blocks = content.map(blocks).unwrap_or_default();
                let role = if role == "assistant" {
                    "assistant"
                } else {
                    "user"
                };
                turns.push(role, blocks);
            }
            // Thinking and what is referred to by its id are no messages.
            _ => {}
        }
    }
    for tool in items(root, "tools") {
        let schema = tool.get("parameters");
        turns.tool(
            tool.get("name").or(tool.get("type")),
            tool.get("description"),
            schema,
        );
    }
}

fn gemini(root: Node<'_>, turns: &mut Turns) {
    let system = root
        .get("systemInstruction")
        .or(root.get("system_instruction"));
    turns
        .system
        .extend(system.map(|system| texts(system.get("parts").unwrap_or(system))));
    for content in items(root, "contents") {
        let role = match word(content, "role") {
            "model" => "assistant",
            _ => "user",
        };
        let parts = items(content, "parts").map(|part| {
            let called = part.get("functionCall");
            let answered = part.get("functionResponse");
            match (part.get("text"), called, answered) {
                (Some(text), ..) => text_block(text),
                (_, Some(call), _) => {
                    let input = call.get("args").map_or_else(|| object! {}, Json::from);
                    object! { "type": "tool_use", "id": call.get("id"), "name": call.get("name"), "input": input }
                }
                (.., Some(answer)) => {
                    let id = answer.get("id").or(answer.get("name"));
                    object! { "type": "tool_result", "tool_use_id": id, "content": answer.get("response") }
                }
                _ => Json::from(part),
            }
        });
        turns.push(role, parts.collect());
    }
    let tools = items(root, "tools").flat_map(|tool| items(tool, "functionDeclarations"));
    for tool in tools {
        let schema = tool.get("parameters").or(tool.get("parametersJsonSchema"));
        turns.tool(tool.get("name"), tool.get("description"), schema);
    }
}
