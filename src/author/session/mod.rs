//! Replay sessions in the making: what one holds, how it is written, and what can go wrong with a tool's answer.
//!
//! [`NewSession`] is a session that is in no file yet. [`render`] formats it as YAML or JSON for its owner.
//! [`fault`] and [`acceptance`] are about single tool responses of a session that is there, and [`add`] puts a session into a
//! configuration; those give edits, which leave every other byte alone.

mod acceptance;
mod command;
mod edit;
pub mod fault;
mod listing;
mod write;

pub use acceptance::{Acceptance, ResponseFix, acceptance};
pub use command::{Runnable, run_command};
pub use edit::{SessionEdit, session_at};
pub use fault::InjectedFault;
pub use listing::{
    ResolvedSession, SessionListing, SessionPlace, add, add_files, path_from, resolve_sessions,
};
pub use write::{SessionFormat, json_text, render, yaml_text};

use document::edit::JsonValue;

/// A session that no file holds yet. What is `None` or empty is not written, except for `tool_responses`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewSession {
    /// Required.
    pub id: String,
    /// For people.
    pub name: Option<String>,
    /// Origin: `manual`, `langsmith` or `flakestorm_export`.
    pub source: Option<String>,
    /// When it happened (ISO 8601).
    pub captured_at: Option<String>,
    /// Required: the input of the agent.
    pub input: String,
    /// The conversation so far, and what else belongs to the incident: objects.
    pub context: Vec<JsonValue>,
    /// Responses of the tools, in order.
    pub tool_responses: Vec<NewToolResponse>,
    /// Failure that is expected.
    pub expected_failure: Option<String>,
    /// Name or path of a contract.
    pub contract: Option<String>,
}

/// Response of one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct NewToolResponse {
    /// The tool's name.
    pub tool: String,
    /// A text, an object or null.
    pub response: JsonValue,
    /// HTTP status; 0 means no answer.
    pub status: Option<i64>,
    /// Milliseconds until the answer.
    pub latency_ms: Option<i64>,
    /// Text that has no field of its own, such as that of an error: a comment above it in YAML, a member `comment` in JSON,
    /// which the owner ignores.
    pub comment: Option<String>,
}
