//! Messages of a run, of whatever source.

use std::borrow::Cow;

use crate::api::ToolCall;
use document::{Node, NodeKind};

/// A message of a conversation.
#[derive(Clone, Debug)]
pub struct RunMessage<'d> {
    /// The value of the document that holds it.
    pub node: Node<'d>,
    pub role: RunRole,
    /// Whether the agent's program wrote it, in the place of the user or beside the system prompt.
    pub is_of_program: bool,
    pub parts: Vec<RunPart<'d>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunRole {
    System,
    User,
    Assistant,
    Tool,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub struct RunPart<'d> {
    /// The value of the document that holds it.
    pub node: Node<'d>,
    pub content: PartContent<'d>,
}

#[derive(Clone, Debug)]
pub enum PartContent<'d> {
    Text(Cow<'d, str>),
    Reasoning(Cow<'d, str>),
    ToolCall(ToolCall),
    ToolOutcome(ToolOutcome<'d>),
    /// A picture, a file or similar.
    Other,
}

/// Result of a tool.
#[derive(Clone, Debug, Default)]
pub struct ToolOutcome<'d> {
    /// Id of the call.
    pub call_id: Option<Cow<'d, str>>,
    /// Name of the tool.
    pub tool: Option<Cow<'d, str>>,
    /// The result as the model was given it.
    pub content: Option<RunValue<'d>>,
    pub is_error: bool,
    /// The error, where the source stores it apart from what the model was given.
    pub error: Option<Cow<'d, str>>,
    /// Milliseconds that the tool took.
    pub duration_ms: Option<i64>,
}

/// A text, or another value as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunValue<'d> {
    Text(Cow<'d, str>),
    Json(Cow<'d, str>),
}

impl<'d> RunPart<'d> {
    pub(super) fn of_call(node: Node<'d>, call: ToolCall) -> Self {
        Self { node, content: PartContent::ToolCall(call) }
    }

    pub(super) fn of_outcome(node: Node<'d>, outcome: ToolOutcome<'d>) -> Self {
        Self { node, content: PartContent::ToolOutcome(outcome) }
    }

    pub(super) fn is_outcome(&self) -> bool {
        matches!(self.content, PartContent::ToolOutcome(_))
    }
}

impl<'d> RunMessage<'d> {
    pub(super) fn new(node: Node<'d>, role: RunRole, parts: Vec<RunPart<'d>>) -> Self {
        Self { node, role, is_of_program: false, parts }
    }

    /// Creates a message of one text.
    pub(super) fn of_text(node: Node<'d>, role: RunRole, text: impl Into<Cow<'d, str>>) -> Self {
        Self::new(node, role, vec![RunPart { node, content: PartContent::Text(text.into()) }])
    }

    /// Returns its texts, joined with line feeds, if there are any.
    pub fn text(&self) -> Option<String> {
        let texts = self.parts.iter().filter_map(|part| match &part.content {
            PartContent::Text(text) => Some(&**text),
            _ => None,
        });
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Returns whether the user wrote it.
    pub fn is_input(&self) -> bool {
        self.role == RunRole::User && !self.is_of_program && self.text().is_some()
    }

    /// Returns the tool calls of the model.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match &part.content {
            PartContent::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// Moves what was read from a text to the value that holds the text. A picture in it has no value of its own, and is left out.
    pub fn placed_at<'n>(self, node: Node<'n>) -> RunMessage<'n> {
        let parts = self.parts.into_iter().filter_map(|part| {
            let content = match part.content {
                PartContent::Text(text) => PartContent::Text(owned(text)),
                PartContent::Reasoning(text) => PartContent::Reasoning(owned(text)),
                PartContent::ToolCall(call) => PartContent::ToolCall(call),
                PartContent::ToolOutcome(outcome) => PartContent::ToolOutcome(outcome.into_owned()),
                PartContent::Other => return None,
            };
            Some(RunPart { node, content })
        });
        let parts = parts.collect();
        RunMessage { node, role: self.role, is_of_program: self.is_of_program, parts }
    }
}

pub(super) fn owned<'n>(text: Cow<'_, str>) -> Cow<'n, str> {
    Cow::Owned(text.into_owned())
}

impl<'d> ToolOutcome<'d> {
    /// Creates one that the model was given.
    pub(super) fn given(
        call_id: Option<Cow<'d, str>>,
        content: Option<RunValue<'d>>,
        is_error: bool,
    ) -> Self {
        Self { call_id, content, is_error, ..Self::default() }
    }
}

impl ToolOutcome<'_> {
    /// Returns the error, if it is one: as stored apart, else what the model was given.
    pub fn error_text(&self) -> Option<&str> {
        let given = || self.content.as_ref().map(RunValue::as_str);
        self.error.as_deref().or_else(|| self.is_error.then(given).flatten())
    }

    pub(super) fn has_id_of(&self, call: &ToolCall) -> bool {
        self.call_id.is_some() && self.call_id.as_deref() == call.id.as_deref()
    }

    /// Returns whether it may answer a call although their ids do not show that.
    pub(super) fn may_be_of(&self, call: &ToolCall) -> bool {
        let has_ids = self.call_id.is_some() && call.id.is_some();
        !has_ids && self.tool.as_deref().is_none_or(|tool| tool == call.name)
    }

    fn into_owned<'n>(self) -> ToolOutcome<'n> {
        ToolOutcome {
            call_id: self.call_id.map(owned),
            tool: self.tool.map(owned),
            content: self.content.map(|content| match content {
                RunValue::Text(text) => RunValue::Text(owned(text)),
                RunValue::Json(json) => RunValue::Json(owned(json)),
            }),
            is_error: self.is_error,
            error: self.error.map(owned),
            duration_ms: self.duration_ms,
        }
    }
}

impl<'d> RunValue<'d> {
    /// Reads a value: a string, a list of texts in blocks, or another one as JSON.
    pub fn read(node: Node<'d>) -> Self {
        if let Some(text) = node.as_str() {
            return Self::Text(text.into());
        }
        let texts: Vec<&str> =
            node.items().filter_map(|block| block.get("text")?.as_str()).collect();
        if node.kind() == NodeKind::Array && !texts.is_empty() && texts.len() == node.len() {
            return Self::Text(match &texts[..] {
                [text] => Cow::Borrowed(*text),
                texts => texts.join("\n").into(),
            });
        }
        Self::Json(crate::api::input_text(node).into())
    }

    /// Returns the text, or the JSON of another value.
    pub fn as_str(&self) -> &str {
        let (Self::Text(text) | Self::Json(text)) = self;
        text
    }
}
