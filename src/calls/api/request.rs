//! The content of a request, independent of the API.

use std::borrow::Cow;

use document::json::{JsonLayout, quote};
use document::text::Source;
use document::{Node, NodeKind, json};

/// A request to a model. What has a place in the body is a value of its tree.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest<'t> {
    /// The model, where the body names it.
    pub model: Option<&'t str>,
    /// Whether the body requests a stream.
    pub is_stream: bool,
    /// Whether the body requests token counts at the end of a stream.
    pub with_usage: bool,
    /// The system prompts.
    pub system: Vec<String>,
    /// The messages. Consecutive tool results are one message, where an API has one for each.
    pub messages: Vec<ModelMessage<'t>>,
    pub tools: Vec<ModelTool<'t>>,
    /// Settings such as `temperature`, `max_tokens`, `top_p` and `stop`, by Anthropic's or OpenAI's name.
    pub parameters: Vec<(&'static str, Node<'t>)>,
}

/// A message of a conversation.
#[derive(Clone, Debug)]
pub struct ModelMessage<'t> {
    pub role: MessageRole,
    pub blocks: Vec<ModelBlock<'t>>,
    /// Whether blocks of the same kind that follow belong to this message.
    is_open: bool,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageRole {
    User,
    Assistant,
}

/// A block of a message.
#[derive(Clone, Debug)]
pub struct ModelBlock<'t> {
    pub content: BlockContent<'t>,
    /// The block as received, or a text; `None` if it was put together from events.
    pub node: Option<Node<'t>>,
}

#[derive(Clone, Debug)]
pub enum BlockContent<'t> {
    Text(Cow<'t, str>),
    Image,
    ToolUse(ToolCall),
    ToolResult {
        /// Id of the call; with Gemini, which may have none, the name of the tool.
        call_id: Option<Cow<'t, str>>,
        content: Option<Node<'t>>,
        is_error: bool,
    },
    /// The thoughts of a model, as far as they are readable.
    Reasoning(Cow<'t, str>),
    Other,
}

/// A tool call of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// Id of the call, if it has one.
    pub id: Option<String>,
    pub name: String,
    /// Its input as JSON.
    pub input: String,
}

impl ToolCall {
    /// Returns whether it is one that the server runs, by the form of Anthropic's ids.
    pub fn is_server_call(&self) -> bool {
        self.id.as_deref().is_some_and(|id| id.starts_with("srvtoolu_"))
    }
}

/// A tool that a request offers.
#[derive(Clone, Copy, Debug)]
pub struct ModelTool<'t> {
    pub name: Option<Node<'t>>,
    pub description: Option<Node<'t>>,
    /// Schema of its input.
    pub schema: Option<Node<'t>>,
}

impl MessageRole {
    /// Returns the role in Anthropic's and OpenAI's words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    /// Reads a role. Gemini's model is an assistant; what is not known counts as a user.
    pub(crate) fn of(message: Node<'_>) -> Self {
        match word(message, "role") {
            "assistant" | "model" => Self::Assistant,
            _ => Self::User,
        }
    }
}

impl<'t> ModelRequest<'t> {
    /// Reads what all APIs but Gemini have in the same place, and the `parameters` at the paths of the table.
    pub(super) fn new(body: Node<'t>, parameters: &[(&'static str, &str)]) -> Self {
        let value = |(name, path): &(&'static str, &str)| Some((*name, at(body, path)?));
        // Only OpenAI's chat completions send token counts of a stream on request; the others always do.
        let options = body.get("stream_options");
        Self {
            model: body.get("model").and_then(Node::as_str),
            is_stream: is_true(body.get("stream")),
            with_usage: is_true(options.and_then(|options| options.get("include_usage"))),
            parameters: parameters.iter().filter_map(value).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, role: MessageRole, blocks: Vec<ModelBlock<'t>>) {
        self.messages.push(ModelMessage { role, blocks, is_open: false });
    }

    /// Adds a block to the previous message if that consists of blocks of the same kind.
    pub(super) fn join(&mut self, role: MessageRole, block: ModelBlock<'t>) {
        match self.messages.last_mut() {
            Some(message) if message.is_open && message.role == role => message.blocks.push(block),
            _ => self.messages.push(ModelMessage { role, blocks: vec![block], is_open: true }),
        }
    }

    /// Adds a tool whose schema is under one of these keys.
    pub(super) fn push_tool(&mut self, tool: Node<'t>, schema: &[&str]) {
        self.tools.push(ModelTool {
            name: tool.get("name"),
            description: tool.get("description"),
            schema: schema.iter().find_map(|key| tool.get(key)),
        });
    }
}

impl ModelMessage<'_> {
    /// Returns the texts of the message, joined with line feeds, if there are any.
    pub fn text(&self) -> Option<String> {
        joined_text(&self.blocks)
    }
}

impl<'t> ModelBlock<'t> {
    /// Wraps content that is not in the body as such.
    pub(crate) fn without_node(content: BlockContent<'t>) -> Self {
        Self { content, node: None }
    }

    pub(super) fn new(content: BlockContent<'t>, node: Node<'t>) -> Self {
        let node = Some(node);
        Self { content, node }
    }

    /// Reads a block in the format of Anthropic or OpenAI, whose types have other names: also a plain text.
    pub(crate) fn read(node: Node<'t>) -> Self {
        let content = match word(node, "type") {
            _ if node.kind() == NodeKind::String => {
                BlockContent::Text(node.as_str().unwrap_or_default().into())
            }
            "image" | "image_url" | "input_image" => BlockContent::Image,
            "tool_use" => BlockContent::ToolUse(ToolCall {
                id: text(node, "id").map(str::to_owned),
                name: word(node, "name").to_owned(),
                input: node.get("input").map_or_else(empty_input, input_text),
            }),
            "tool_result" => BlockContent::ToolResult {
                call_id: text(node, "tool_use_id").map(Cow::Borrowed),
                content: node.get("content"),
                is_error: is_true(node.get("is_error")),
            },
            "thinking" | "redacted_thinking" => {
                // Mistral's `thinking` is a list.
                BlockContent::Reasoning(node.get("thinking").map(texts).unwrap_or_default().into())
            }
            // OpenAI's refusal is a block without `text`, and is what the user reads.
            _ => match text(node, "text").or_else(|| text(node, "refusal")) {
                Some(text) => BlockContent::Text(text.into()),
                None => BlockContent::Other,
            },
        };
        Self::new(content, node)
    }

    /// Reads the content of a message: a text, or a list of blocks.
    pub(crate) fn read_all(content: Option<Node<'t>>) -> Vec<Self> {
        match content {
            Some(content) if content.kind() == NodeKind::String => vec![Self::read(content)],
            content => content.into_iter().flat_map(Node::items).map(Self::read).collect(),
        }
    }

    /// Wraps a tool call whose arguments are JSON inside a string, as OpenAI writes it.
    pub(super) fn call(id: Option<Node<'t>>, function: Option<Node<'t>>) -> Self {
        let arguments = function.and_then(|function| function.get("arguments"));
        let json_text = arguments.and_then(Node::as_str).unwrap_or("{}");
        let (tree, problems) = json::parse(&Source::new(json_text));
        // Arguments that broke off become a string: an input is written as raw JSON, and must be valid.
        let input = tree.root().filter(|_| problems.is_empty());
        Self::without_node(BlockContent::ToolUse(ToolCall {
            id: id.and_then(Node::as_str).map(str::to_owned),
            name: function.map_or("", |function| word(function, "name")).to_owned(),
            input: input.map_or_else(|| quote(json_text), input_text),
        }))
    }

    /// Wraps the result of a tool that is a message or an item of its own, as with OpenAI.
    pub(super) fn result(call_id: Option<Node<'t>>, content: Option<Node<'t>>) -> Self {
        Self::without_node(BlockContent::ToolResult {
            call_id: call_id.and_then(Node::as_str).map(Cow::Borrowed),
            content,
            // OpenAI does not mark a result that is an error.
            is_error: false,
        })
    }
}

pub(super) fn joined_text(blocks: &[ModelBlock<'_>]) -> Option<String> {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match &block.content {
            BlockContent::Text(text) => Some(&**text),
            _ => None,
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Returns the JSON of an input on one line, with its numbers as they are written: those of ids may be larger than JavaScript's.
pub(crate) fn input_text(input: Node<'_>) -> String {
    json::write(input, JsonLayout::Compact)
}

/// Returns the JSON of an input without members.
pub(super) fn empty_input() -> String {
    "{}".to_owned()
}

pub(super) fn items<'t>(root: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    root.get(key).into_iter().flat_map(Node::items)
}

/// Returns the string under a key.
pub(super) fn text<'t>(node: Node<'t>, key: &str) -> Option<&'t str> {
    node.get(key).and_then(Node::as_str)
}

pub(super) fn word<'t>(node: Node<'t>, key: &str) -> &'t str {
    text(node, key).unwrap_or_default()
}

/// Finds the value at a path such as `generationConfig/temperature`.
pub(super) fn at<'t>(node: Node<'t>, path: &str) -> Option<Node<'t>> {
    path.split('/').try_fold(node, |node, key| node.get(key))
}

fn is_true(node: Option<Node<'_>>) -> bool {
    node.and_then(Node::as_bool) == Some(true)
}

/// Joins all texts of a string or a list of blocks with line feeds.
pub(super) fn texts(content: Node<'_>) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    content.items().filter_map(|block| block.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
}
