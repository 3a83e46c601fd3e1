//! The content blocks of messages and answers.

use super::text_of;
use crate::field::Field;
use crate::fields::{Fields, wrong_type};
use crate::problems::ProblemList;
use crate::tree::{Node, NodeId, NodeKind};

/// One content block.
#[derive(Clone, Debug)]
pub enum MessageBlock {
    Text(Field<String>),
    /// The model calls a tool.
    ToolUse(ToolUse),
    /// The result of a tool.
    ToolResult {
        /// The block.
        node: NodeId,
        /// `tool_use_id`
        id: Option<Field<String>>,
        /// `content`: a string, blocks, or anything else.
        content: Option<NodeId>,
    },
    /// Reasoning of the model, as far as it is readable.
    Reasoning {
        /// The block.
        node: NodeId,
        text: Field<String>,
    },
    Image {
        /// The block.
        node: NodeId,
    },
    /// A block of another type, kept and shown as JSON.
    Other {
        /// The block.
        node: NodeId,
        /// Its `type`, if it says one.
        kind: Option<String>,
    },
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct ToolUse {
    /// The block.
    pub node: NodeId,
    /// `id`, such as `tool-1`
    pub id: Option<Field<String>>,
    /// The tool's name.
    pub name: Option<Field<String>>,
    /// `input`, any JSON.
    pub input: Option<NodeId>,
}

impl MessageBlock {
    /// Reads `content`: a list of blocks, or one string.
    pub(super) fn read_all(
        content: Option<Node<'_>>,
        expected: &str,
        problems: &mut ProblemList,
    ) -> Vec<Self> {
        let Some(content) = content else { return Vec::new() };
        match content.kind() {
            NodeKind::Array => content.items().map(|block| Self::read(block, problems)).collect(),
            NodeKind::String => {
                // A message may be one string, an answer may not.
                if !expected.contains("string") {
                    wrong_type(problems, content, expected);
                }
                text_of(Some(content)).map(Self::Text).into_iter().collect()
            }
            _ => {
                wrong_type(problems, content, expected);
                Vec::new()
            }
        }
    }

    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        if node.kind() != NodeKind::Object {
            wrong_type(problems, node, NodeKind::Object.name());
        }
        let kind = node.get("type").and_then(Node::as_str);
        let mut fields = Fields::new(node, problems);
        match kind {
            Some("text") => match fields.required_text("text") {
                Some(text) => Self::Text(text),
                None => Self::other(node, kind),
            },
            Some("tool_use") => Self::ToolUse(ToolUse {
                node: node.id(),
                id: fields.text("id"),
                name: fields.required_text("name"),
                input: fields.any("input"),
            }),
            Some("tool_result") => Self::ToolResult {
                node: node.id(),
                id: fields.text("tool_use_id"),
                content: fields.any("content"),
            },
            Some("thinking") => match fields.text("thinking") {
                Some(text) => Self::Reasoning { node: node.id(), text },
                None => Self::other(node, kind),
            },
            Some("image") => Self::Image { node: node.id() },
            _ => Self::other(node, kind),
        }
    }

    fn other(node: Node<'_>, kind: Option<&str>) -> Self {
        Self::Other { node: node.id(), kind: kind.map(str::to_owned) }
    }
}
