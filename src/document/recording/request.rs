//! The request of a recording: messages, offered tools, and the place in the machine.

use super::{MessageBlock, text_of};
use crate::field::Field;
use crate::fields::Fields;
use crate::problems::ProblemList;
use crate::tree::{Node, NodeId};

/// A client's request: `messages`, offered `tools`, and its context.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request object; the root for a bare request.
    pub node: NodeId,
    /// `requestId`; flat recordings have none.
    pub id: Option<Field<String>>,
    /// As written.
    pub timestamp: Option<Field<String>>,
    /// `context`, an object of any content.
    pub context: Option<NodeId>,
    /// The keys of `context`, in the order of the file.
    pub context_keys: Vec<String>,
    /// `context.currentNode`
    pub current_node: Option<Field<String>>,
    /// `context.machineTitle`
    pub machine_title: Option<Field<String>>,
    /// In order.
    pub messages: Vec<Message>,
    /// In order; duplicates stay.
    pub tools: Vec<Tool>,
    /// `systemPrompt`
    pub system_prompt: Option<Field<String>>,
}

/// One message of a request.
#[derive(Clone, Debug)]
pub struct Message {
    /// The message object.
    pub node: NodeId,
    /// `user`, `assistant`, …
    pub role: Option<Field<String>>,
    /// Its content; a plain string is one text block.
    pub blocks: Vec<MessageBlock>,
}

/// A tool that a request offers.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The tool object.
    pub node: NodeId,
    pub name: Option<Field<String>>,
    /// Its description for the model.
    pub description: Option<Field<String>>,
    /// JSON Schema of its input.
    pub input_schema: Option<NodeId>,
}

impl Request {
    /// Reads a request; a bare one is the root of its file.
    pub(crate) fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        // `objects` does not report a list that is missing.
        fields.require("messages");
        let mut request = Self {
            id: fields.text("requestId"),
            timestamp: fields.text("timestamp"),
            system_prompt: fields.text("systemPrompt"),
            ..Self::absent(node)
        };
        request.messages = fields.read_objects("messages", Message::read);
        request.tools = fields.read_objects("tools", Tool::read);
        if let Some(context) = fields.object("context") {
            request.context = Some(context.id());
            let keys = context.items().filter_map(Node::key);
            request.context_keys = keys.map(str::to_owned).collect();
            // DyGram defines no types in `context`, so other types there are not reported.
            request.current_node = text_of(context.get("currentNode"));
            request.machine_title = text_of(context.get("machineTitle"));
        }
        request
    }

    /// Returns an empty request.
    pub(super) fn absent(node: Node<'_>) -> Self {
        Self {
            node: node.id(),
            id: None,
            timestamp: None,
            context: None,
            context_keys: Vec::new(),
            current_node: None,
            machine_title: None,
            messages: Vec::new(),
            tools: Vec::new(),
            system_prompt: None,
        }
    }
}

impl Message {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        fields.require("content");
        Self {
            node: node.id(),
            role: fields.required_text("role"),
            blocks: MessageBlock::read_all(
                fields.get("content"),
                "a string or a list",
                fields.problems,
            ),
        }
    }
}

impl Tool {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        Self {
            node: node.id(),
            name: fields.required_text("name"),
            description: fields.text("description"),
            input_schema: fields.any("input_schema"),
        }
    }
}
