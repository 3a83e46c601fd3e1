//! Flakestorm reports: what a run of mutated prompts gave.

use super::field::Field;
use super::tree::NodeId;

/// A report.
#[derive(Clone, Debug)]
pub struct Report {
    /// As written.
    pub started_at: Option<Field<String>>,
    /// As written.
    pub completed_at: Option<Field<String>>,
    /// In order.
    pub mutations: Vec<MutationResult>,
}

/// One mutated prompt and how the agent took it.
#[derive(Clone, Debug)]
pub struct MutationResult {
    /// The object.
    pub node: NodeId,
    /// `mutation.id`
    pub id: Option<Field<String>>,
    /// `mutation.type`, such as `paraphrase`
    pub kind: Option<Field<String>>,
    /// The prompt before it was mutated.
    pub original_prompt: Option<Field<String>>,
    /// `mutation.mutated`: what the agent was really asked.
    pub mutated: Option<Field<String>>,
    /// The agent's answer.
    pub response: Option<Field<String>>,
    /// Milliseconds until the answer.
    pub latency_ms: Option<Field<f64>>,
    /// Whether all checks held.
    pub passed: Option<Field<bool>>,
    /// The checks, in order.
    pub checks: Vec<CheckResult>,
    /// What went wrong before there was an answer.
    pub error: Option<Field<String>>,
}

/// One check of a mutation's answer.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The object.
    pub node: NodeId,
    /// `check_type`
    pub kind: Option<Field<String>>,
    /// Whether it held.
    pub passed: Option<Field<bool>>,
    /// Why.
    pub details: Option<Field<String>>,
}
