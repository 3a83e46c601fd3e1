//! Recordings and bare requests of DyGram: one model call per JSON file.
//!
//! Defined by DyGram's recording and playback clients. Two shapes are met: *wrapped* (the answer is in
//! `response.response.content`, which is where the players look) and *flat* (`response.content`).

use super::field::Field;
use super::fields::{Fields, wrong_type};
use super::problems::Problems;
use super::tree::{Node, NodeId, NodeKind};

/// How far a recording has come: what its owner added over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// Neither signature nor source.
    V1,
    /// With `signature`.
    V2,
    /// With `sourceMetadata`.
    V3,
}

impl Version {
    /// `v1`, `v2` or `v3`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
        }
    }
}

/// Where the answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `response.response.content`: what players serve.
    Wrapped,
    /// `response.content`: loads, and is then served as `undefined`.
    Flat,
}

/// One recorded call.
#[derive(Clone, Debug)]
pub struct Recording {
    /// By the fields it has.
    pub version: Version,
    /// Where its answer stands.
    pub shape: Shape,
    /// What was asked.
    pub request: Request,
    /// What was answered; `None` when `response` is missing or no object.
    pub answer: Option<Answer>,
    /// When, as written (ISO 8601, UTC).
    pub recorded_at: Option<Field<String>>,
    /// As stored; `None` for v1.
    pub signature: Option<Field<StoredSignature>>,
    /// Which source it was recorded from, and how that looked.
    pub source: Option<Field<SourceMetadata>>,
    /// When its owner last found it valid, as written.
    pub last_validated: Option<Field<String>>,
}

/// What a client asks: `messages`, offered `tools`, and where it comes from.
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
    pub blocks: Vec<Block>,
}

/// One piece of content.
#[derive(Clone, Debug)]
pub enum Block {
    /// Words.
    Text(Field<String>),
    /// The model calls a tool.
    ToolUse(ToolUse),
    /// What a tool gave back.
    ToolResult {
        /// The block.
        node: NodeId,
        /// `tool_use_id`
        id: Option<Field<String>>,
        /// `content`: a string, blocks, or anything else.
        content: Option<NodeId>,
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

/// A tool that a request offers.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The tool object.
    pub node: NodeId,
    /// Its name.
    pub name: Option<Field<String>>,
    /// What the model is told of it.
    pub description: Option<Field<String>>,
    /// JSON Schema of its input.
    pub input_schema: Option<NodeId>,
}

/// What the model answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The object that holds `content`.
    pub node: NodeId,
    /// `requestId` of the response.
    pub request_id: Option<Field<String>>,
    /// As written.
    pub timestamp: Option<Field<String>>,
    /// Why it answered so, as the recorder noted.
    pub reasoning: Option<Field<String>>,
    /// Text and tool calls, in order.
    pub blocks: Vec<Block>,
    /// `stop_reason`
    pub stop_reason: Option<Field<String>>,
}

/// The `signature` field of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSignature {
    /// `toolNames`, in the order of the file.
    pub tool_names: Vec<String>,
    /// `messageCount`; `None` when it is missing or no whole number.
    pub message_count: Option<u64>,
    /// `contextKeys`, in the order of the file.
    pub context_keys: Vec<String>,
}

/// The `sourceMetadata` field of a recording.
#[derive(Clone, Debug)]
pub struct SourceMetadata {
    /// `sourceFile`: relative to the project root, as written.
    pub file: Option<Field<String>>,
    /// `contentHash`: SHA-256 of the source's text as UTF-8, 64 lower-case hex digits.
    pub hash: Option<Field<String>>,
    /// `fileSize`, in bytes.
    pub file_size: Option<Field<f64>>,
    /// `lastModified`, as written.
    pub last_modified: Option<Field<String>>,
    /// `machineTitle`
    pub machine_title: Option<Field<String>>,
    /// `nodeNames`
    pub node_names: Vec<String>,
    /// `edgeLabels`
    pub edge_labels: Vec<String>,
}

impl Recording {
    /// Reads a recording. What is missing or of a wrong type is told, and the rest is read.
    pub(super) fn read(root: Node<'_>, problems: &mut Problems) -> Self {
        let mut root = Fields::of(root, problems);
        root.need("request");
        root.need("response");
        let signature = root.object("signature");
        let source = root.object("sourceMetadata");
        let version = match (source, signature) {
            (Some(_), _) => Version::V3,
            (None, Some(_)) => Version::V2,
            (None, None) => Version::V1,
        };
        let request = match root.object("request") {
            Some(request) => Request::read(request, root.problems),
            None => Request::absent(root.node),
        };
        let (shape, answer) = match root.object("response") {
            Some(response) => Answer::read(response, root.problems),
            None => (Shape::Wrapped, None),
        };
        Self {
            version,
            shape,
            request,
            answer,
            recorded_at: root.text("recordedAt"),
            signature: signature
                .map(|node| Field::new(StoredSignature::read(node, root.problems), node.id())),
            source: source
                .map(|node| Field::new(SourceMetadata::read(node, root.problems), node.id())),
            last_validated: root.text("lastValidated"),
        }
    }
}

impl Request {
    /// Reads a request; a bare one is the root of its file.
    pub(super) fn read(node: Node<'_>, problems: &mut Problems) -> Self {
        let mut fields = Fields::of(node, problems);
        fields.need("messages");
        let mut request = Self {
            id: fields.text("requestId"),
            timestamp: fields.text("timestamp"),
            system_prompt: fields.text("systemPrompt"),
            ..Self::absent(node)
        };
        for message in fields.objects("messages") {
            request
                .messages
                .push(Message::read(message, fields.problems));
        }
        for tool in fields.objects("tools") {
            request.tools.push(Tool::read(tool, fields.problems));
        }
        if let Some(context) = fields.object("context") {
            request.context = Some(context.id());
            let keys = context.items().filter_map(Node::key);
            request.context_keys = keys.map(str::to_owned).collect();
            request.current_node = text_of(context.get("currentNode"));
            request.machine_title = text_of(context.get("machineTitle"));
        }
        request
    }

    /// A request of which nothing is known.
    fn absent(node: Node<'_>) -> Self {
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

/// A text in a place where any type is legal.
pub(super) fn text_of(node: Option<Node<'_>>) -> Option<Field<String>> {
    let node = node?;
    Some(Field::new(node.as_str()?.to_owned(), node.id()))
}

impl Message {
    fn read(node: Node<'_>, problems: &mut Problems) -> Self {
        let mut fields = Fields::of(node, problems);
        fields.need("content");
        Self {
            node: node.id(),
            role: fields.needed_text("role"),
            blocks: Block::all(fields.get("content"), "a string or a list", fields.problems),
        }
    }
}

impl Block {
    /// Reads `content`: blocks, or one plain text.
    fn all(content: Option<Node<'_>>, expected: &str, problems: &mut Problems) -> Vec<Self> {
        let Some(content) = content else {
            return Vec::new();
        };
        match content.kind() {
            NodeKind::Array => {
                let blocks = content.items();
                blocks.map(|block| Self::read(block, problems)).collect()
            }
            NodeKind::String => {
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

    fn read(node: Node<'_>, problems: &mut Problems) -> Self {
        if node.kind() != NodeKind::Object {
            wrong_type(problems, node, NodeKind::Object.name());
        }
        let kind = node.get("type").and_then(Node::as_str);
        let mut fields = Fields::of(node, problems);
        match kind {
            Some("text") => match fields.needed_text("text") {
                Some(text) => Self::Text(text),
                None => Self::other(node, kind),
            },
            Some("tool_use") => Self::ToolUse(ToolUse {
                node: node.id(),
                id: fields.text("id"),
                name: fields.needed_text("name"),
                input: fields.any("input"),
            }),
            Some("tool_result") => Self::ToolResult {
                node: node.id(),
                id: fields.text("tool_use_id"),
                content: fields.any("content"),
            },
            _ => Self::other(node, kind),
        }
    }

    fn other(node: Node<'_>, kind: Option<&str>) -> Self {
        Self::Other {
            node: node.id(),
            kind: kind.map(str::to_owned),
        }
    }
}

impl Tool {
    fn read(node: Node<'_>, problems: &mut Problems) -> Self {
        let mut fields = Fields::of(node, problems);
        Self {
            node: node.id(),
            name: fields.needed_text("name"),
            description: fields.text("description"),
            input_schema: fields.any("input_schema"),
        }
    }
}

impl Answer {
    /// Reads `response`, and tells where in it the answer stands.
    fn read(response: Node<'_>, problems: &mut Problems) -> (Shape, Option<Self>) {
        let mut outer = Fields::of(response, problems);
        let is_flat = outer.get("response").is_none() && outer.get("content").is_some();
        let (shape, inner) = match is_flat {
            true => (Shape::Flat, response),
            false => {
                outer.need("response");
                let inner = outer.object("response");
                (Shape::Wrapped, inner.unwrap_or(response))
            }
        };
        if shape == Shape::Wrapped && inner.id() != response.id() {
            Fields::of(inner, outer.problems).need("content");
        }
        let answer = Self {
            node: inner.id(),
            request_id: outer.text("requestId"),
            timestamp: outer.text("timestamp"),
            reasoning: outer.text("reasoning"),
            blocks: Block::all(inner.get("content"), NodeKind::Array.name(), outer.problems),
            stop_reason: Fields::of(inner, outer.problems).text("stop_reason"),
        };
        (shape, Some(answer))
    }
}

impl StoredSignature {
    fn read(node: Node<'_>, problems: &mut Problems) -> Self {
        let mut fields = Fields::of(node, problems);
        for key in ["toolNames", "messageCount", "contextKeys"] {
            fields.need(key);
        }
        let count = fields.whole("messageCount");
        Self {
            tool_names: fields.texts("toolNames"),
            message_count: count.and_then(|count| u64::try_from(count.value).ok()),
            context_keys: fields.texts("contextKeys"),
        }
    }
}

impl SourceMetadata {
    fn read(node: Node<'_>, problems: &mut Problems) -> Self {
        let mut fields = Fields::of(node, problems);
        Self {
            file: fields.needed_text("sourceFile"),
            hash: fields.needed_text("contentHash"),
            file_size: fields.number("fileSize"),
            last_modified: fields.text("lastModified"),
            machine_title: fields.text("machineTitle"),
            node_names: fields.texts("nodeNames"),
            edge_labels: fields.texts("edgeLabels"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::told;
    use crate::format::{Body, Document, read, text};
    use crate::text::Source;

    fn recording_of(text: &str) -> (Recording, Document) {
        let document = read(Source::new(text), "turn-1.json");
        match &document.body {
            Body::Recording(recording) => (recording.clone(), document),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_wrapped_recording_is_read_whole() {
        let (recording, document) = recording_of(
            r#"{"request": {"type": "llm_invocation_request", "requestId": "req-1", "timestamp": "t", "context": {"currentNode": "a", "x": 1},
  "messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": []}, {"type": "image"}]}],
  "tools": [{"name": "go", "input_schema": {}}], "systemPrompt": "s"},
 "response": {"requestId": "req-1", "reasoning": "", "response": {"content": [{"type": "text", "text": "ok"},
  {"type": "tool_use", "id": "tool-1", "name": "go", "input": {}}], "stop_reason": "tool_use"}},
 "recordedAt": "t", "signature": {"toolNames": ["go"], "messageCount": 2, "contextKeys": []},
 "sourceMetadata": {"sourceFile": "a.dygram", "contentHash": "00", "fileSize": 3, "lastModified": "t"}, "lastValidated": null}"#,
        );
        assert_eq!(told(&document.problems), "");
        assert_eq!(
            (recording.version, recording.shape),
            (Version::V3, Shape::Wrapped)
        );
        let request = &recording.request;
        assert_eq!(request.context_keys, ["currentNode", "x"]);
        assert_eq!(text(&request.current_node), Some("a"));
        let blocks: Vec<_> = request
            .messages
            .iter()
            .flat_map(|message| &message.blocks)
            .collect();
        assert!(matches!(
            blocks[..],
            [
                Block::Text(_),
                Block::ToolResult { .. },
                Block::Other { .. }
            ]
        ));
        let answer = recording.answer.as_ref().unwrap();
        assert!(matches!(
            answer.blocks[..],
            [Block::Text(_), Block::ToolUse(_)]
        ));
        assert_eq!(document.node(answer.node).pointer(), "/response/response");
        assert_eq!(recording.signature.unwrap().value.message_count, Some(2));
    }

    #[test]
    fn a_flat_recording_lacks_nothing_that_is_told() {
        let (recording, document) = recording_of(
            r#"{"request": {"messages": [{"role": "user", "content": "hi"}], "tools": [], "systemPrompt": ""},
 "response": {"content": [{"type": "tool_use", "name": "go", "input": {}}], "stop_reason": "tool_use"}, "recordedAt": "t"}"#,
        );
        assert_eq!(told(&document.problems), "");
        assert_eq!(
            (recording.version, recording.shape),
            (Version::V1, Shape::Flat)
        );
        let answer = recording.answer.unwrap();
        assert_eq!(text(&answer.stop_reason), Some("tool_use"));
    }

    #[test]
    fn what_is_missing_or_of_a_wrong_type_is_told_at_its_place() {
        let (recording, document) = recording_of(
            r#"{"request": {"requestId": 7, "messages": [{"role": "user"}, "x", {"content": 1}], "tools": [{}, {"name": null}]},
 "response": {"response": {"content": "plain"}},
 "signature": {"toolNames": ["a", 1], "messageCount": 1.5},
 "sourceMetadata": []}"#,
        );
        insta::assert_snapshot!(told(&document.problems), @r#"
        1:27 wrong-type at "/request/requestId": `requestId` is a number; a string is expected
        1:43 missing-field at "/request/messages/0": `content` is missing
        1:61 wrong-type at "/request/messages/1": The element is a string; an object is expected
        1:66 missing-field at "/request/messages/2": `role` is missing
        1:78 wrong-type at "/request/messages/2/content": `content` is a number; a string or a list is expected
        1:93 missing-field at "/request/tools/0": `name` is missing
        1:106 missing-field at "/request/tools/1/name": `name` is null; a value is expected
        2:39 wrong-type at "/response/response/content": `content` is a string; a list is expected
        3:15 missing-field at "/signature": `contextKeys` is missing
        3:35 wrong-type at "/signature/toolNames/1": The element is a number; a string is expected
        3:55 wrong-type at "/signature/messageCount": `messageCount` is `1.5`; a whole number is expected
        4:20 wrong-type at "/sourceMetadata": `sourceMetadata` is a list; an object is expected
        "#);
        assert_eq!(recording.request.messages.len(), 2);
        assert_eq!(recording.answer.unwrap().blocks.len(), 1);
        assert_eq!(recording.signature.unwrap().value.tool_names, ["a"]);
    }

    #[test]
    fn one_side_alone_is_still_a_recording() {
        let (recording, document) = recording_of(r#"{"request": 5, "recordedAt": "t"}"#);
        insta::assert_snapshot!(told(&document.problems), @r#"
        1:1 missing-field at "": `response` is missing
        1:13 wrong-type at "/request": `request` is a number; an object is expected
        "#);
        assert!(recording.answer.is_none());
        let (_, document) = recording_of(
            r#"{"request": {"messages": [], "tools": []}, "response": {"type": "llm_invocation_response"}}"#,
        );
        insta::assert_snapshot!(told(&document.problems), @r#"1:56 missing-field at "/response": `response` is missing"#);
        let (_, document) =
            recording_of(r#"{"request": {"type": "llm_invocation_request", "messages": [{"ro"#);
        insta::assert_snapshot!(told(&document.problems), @r#"1:65 syntax at "/request/messages/0": The file ends inside a string that starts at line 1"#);
    }
}
