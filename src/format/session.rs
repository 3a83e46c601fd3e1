//! Replay sessions of Flakestorm: one incident per YAML or JSON file, or inline in a configuration.
//!
//! Defined by Flakestorm's `ReplaySessionConfig`, read with PyYAML's `safe_load`, that is as YAML 1.1.

use super::field::Field;
use super::tree::{NodeId, NodeKind};

/// One replay session.
#[derive(Clone, Debug)]
pub struct Session {
    /// The mapping.
    pub node: NodeId,
    /// Needed, unless `file` is set.
    pub id: Option<Field<String>>,
    /// What the agent is asked. Needed, unless `file` is set.
    pub input: Option<Field<String>>,
    /// Name or path of a contract; the owner takes `default` when it is missing.
    pub contract: Option<Field<String>>,
    /// The session is loaded from here, relative to the configuration's folder.
    pub file: Option<Field<String>>,
    /// For people.
    pub name: Option<Field<String>>,
    /// What is expected to go wrong.
    pub expected_failure: Option<Field<String>>,
    /// As written.
    pub captured_at: Option<Field<String>>,
    /// `manual`, `langsmith` or `flakestorm_export`; the owner takes `manual` when it is missing.
    pub source: Option<Field<String>>,
    /// The conversation so far: a list of objects.
    pub context: Option<NodeId>,
    /// What the tools answered, in order.
    pub tool_responses: Vec<ToolResponse>,
}

/// What one tool answered.
#[derive(Clone, Debug)]
pub struct ToolResponse {
    /// The mapping.
    pub node: NodeId,
    /// The tool's name.
    pub tool: Option<Field<String>>,
    /// The answer: text, an object or null; the owner accepts no other kind.
    pub response: Option<(NodeId, NodeKind)>,
    /// HTTP status; 0 means no answer.
    pub status: Option<Field<i64>>,
    /// Milliseconds until the answer.
    pub latency_ms: Option<Field<i64>>,
}
