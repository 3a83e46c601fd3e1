//! Subjects of changes: the parts of a conversation.

use document::text::named_enum;
use document::{FileKind, Node};

named_enum! {
    /// Part of a conversation that a change is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ChangeSubject {
        // In falling importance: the least one is the subject of a group, and its changes are listed first.
        /// A tool that is offered.
        OfferedTool = "offered-tool" "offered tools",
        /// A tool call of the answer.
        ToolCall = "tool-call" "calls",
        /// The system prompt, or a session's input.
        Prompt = "prompt" "prompt",
        /// The conversation so far.
        Message = "message" "messages",
        /// The text of the answer.
        Answer = "answer" "answer text",
        /// Thoughts of the model before its answer.
        Reasoning = "reasoning" "reasoning",
        /// Reason that the answer ended.
        StopReason = "stop-reason" "stop reason",
        /// Answer of a tool, in a session.
        ToolResponse = "tool-response" "tool responses",
        /// The stored signature.
        Signature = "signature" "signature",
        /// Source that it was recorded from.
        Source = "source" "source",
        /// The request's context.
        Context = "context" "context",
        Model = "model" "model",
        /// When the chunks of a tape came.
        Timing = "timing" "timing",
        /// A recorded HTTP call as a whole, in a file of several.
        HttpCall = "call" "recorded calls",
        /// Anything else.
        Value = "value" "values",
        /// The file as a whole, which cannot be read as values.
        Text = "text" "text",
    }

    /// Returns its name in JSON.
    pub fn as_str;

    /// Returns what it is called where several are listed, such as in "calls and offered tools".
    pub fn description;
}

impl ChangeSubject {
    /// Returns the subject of a value in a file of a kind, and the value with which that begins: the tool, the call, the message.
    pub(super) fn of_value<'a>(kind: FileKind, node: Node<'a>) -> (Self, Node<'a>) {
        let mut path: Vec<Node<'a>> = node.ancestors().collect();
        path.reverse();
        let keys: Vec<&str> = path[1..].iter().map(|node| node.key().unwrap_or("#")).collect();
        let (keys, above) = match keys.split_first() {
            // A file in the queue of DyGram is the bare request; a recording and a tape have it as a member.
            Some((&"request", rest)) => (rest, 2),
            _ => (keys.as_slice(), 1),
        };
        let (subject, depth) = match (kind, keys) {
            (FileKind::Recording, ["signature", ..]) => (Self::Signature, 0),
            (FileKind::Recording, ["sourceMetadata", ..]) => (Self::Source, 0),
            (FileKind::Recording, ["response", rest @ ..]) => answer(rest, &path[2..]),
            (FileKind::Tape, ["meta", "model"]) | (_, ["model"]) => (Self::Model, 0),
            (FileKind::Tape, ["stream", "#", "delayNs"]) => (Self::Timing, 1),
            (FileKind::Tape, ["stream", "#", ..]) => (Self::Answer, 1),
            (_, ["tools", "#", ..]) => (Self::OfferedTool, 1),
            (_, ["messages" | "history", "#", ..]) => (Self::Message, 1),
            (FileKind::Session, ["context", "#", ..]) => (Self::Message, 1),
            (_, ["systemPrompt" | "contents", ..]) | (FileKind::Session, ["input"]) => {
                (Self::Prompt, 0)
            }
            (FileKind::Recording | FileKind::Request, ["context", ..]) => (Self::Context, 1),
            (FileKind::Session, ["tool_responses", "#", ..]) => (Self::ToolResponse, 1),
            (FileKind::Seeds, [_, "#", "response"]) => (Self::Answer, 2),
            _ => return (Self::Value, node),
        };
        (subject, path.get(above + depth).copied().unwrap_or(node))
    }
}

/// Subject of a value, with the facts that its sentences and patterns need.
#[derive(Clone, Debug)]
pub(super) struct ChangeTopic<'a> {
    pub(super) kind: FileKind,
    pub(super) subject: ChangeSubject,
    /// The value with which the subject begins: the tool, the call, the message.
    pub(super) thing: Node<'a>,
    /// The place of `thing` in its list, from 1.
    pub(super) number: usize,
    /// Name of the value, if its key says too little.
    pub(super) label: Option<String>,
    /// The number of the HTTP call that it is in, from 1, if the file holds several.
    pub(super) call: Option<usize>,
    /// Whether the old and the new value are JSON in a text.
    pub(super) is_json_text: [bool; 2],
}

impl<'a> ChangeTopic<'a> {
    /// Returns what a value of a file is about.
    pub(super) fn of_value(kind: FileKind, node: Node<'a>) -> Self {
        let (subject, thing) = ChangeSubject::of_value(kind, node);
        Self {
            kind,
            subject,
            thing,
            number: thing.index() + 1,
            label: None,
            call: None,
            is_json_text: [false; 2],
        }
    }

    /// Returns the name of a tool or a call, which some APIs have in an object of its own.
    pub(super) fn name(&self) -> Option<&'a str> {
        // OpenAI and Gemini have one key each, Bedrock Converse the last two; `tool` below is the name in a session.
        const FUNCTION_KEYS: [&str; 4] = ["function", "functionCall", "toolUse", "toolSpec"];
        let thing = self.thing;
        let within = || FUNCTION_KEYS.iter().find_map(|key| thing.get(key)?.get("name"));
        thing.get("name").or_else(|| thing.get("tool")).or_else(within).and_then(Node::as_str)
    }

    /// Returns whether a value is that thing, not a part of it.
    pub(super) fn is_thing(&self, node: Node<'_>) -> bool {
        self.thing.id() == node.id()
    }
}

/// Returns what a value of a response is about, and how far below the root that begins.
fn answer(keys: &[&str], nodes: &[Node<'_>]) -> (ChangeSubject, usize) {
    match keys {
        // Wrapped recordings have the answer in `response.response`, flat ones in `response`.
        ["response", rest @ ..] if !rest.is_empty() => {
            let (subject, depth) = answer(rest, &nodes[1..]);
            (subject, depth + 1)
        }
        ["content", "#", ..] => match nodes[1..].first().and_then(|b| b.get("type")?.as_str()) {
            Some("tool_use") => (ChangeSubject::ToolCall, 2),
            _ => (ChangeSubject::Answer, 2),
        },
        ["content", ..] => (ChangeSubject::Answer, 1),
        ["stop_reason"] => (ChangeSubject::StopReason, 1),
        ["reasoning"] => (ChangeSubject::Reasoning, 1),
        _ => (ChangeSubject::Value, 0),
    }
}
