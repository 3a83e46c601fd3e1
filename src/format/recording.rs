//! Recordings and bare requests of DyGram: one model call per JSON file.
//!
//! Defined by DyGram's recording and playback clients. Two shapes are met: *wrapped* (the answer is in
//! `response.response.content`, which is where the players look) and *flat* (`response.content`).

use super::field::Field;
use super::tree::NodeId;

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
