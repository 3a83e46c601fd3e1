//! Contracts: which there are for a session, and what their invariants say of an answer.
//!
//! The invariants that need no model are tried at once, with the owner's semantics (flakestorm 2.0); those that need one
//! are named as such. What cannot be tried here, for want of an engine that does as Python does, says so.

mod answer;
mod invariant;
mod pii;
pub mod python;
mod reference;
mod types;

use document::contract::{Contract, Invariant};
use document::{Document, Field, Node, NodeId, NodeKind, text};
use invariant::InvariantFields;

pub use answer::{AnswerOrigin, FileAnswer, file_answers, incident_answer};
pub use reference::{DEFAULT, contract_of};
pub use types::{INVARIANT_TYPES, nearest_type};

/// Sample on which a contract is tried: the answer of the agent, and its latency.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub answer: &'a str,
    /// Milliseconds until the answer was complete; `None` if unknown.
    pub latency_ms: Option<f64>,
}

/// The result of checking an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvariantVerdict {
    /// The answer fulfils it, for this reason.
    Passes(String),
    /// The answer violates it, for this reason.
    Fails(String),
    /// It needs a model, so it is not checked here.
    NeedsModel(String),
    /// It cannot be checked here, for this reason.
    Unsupported(String),
}

impl InvariantVerdict {
    /// Returns the reason, a sentence without a full stop.
    pub fn reason(&self) -> &str {
        match self {
            Self::Passes(reason)
            | Self::Fails(reason)
            | Self::NeedsModel(reason)
            | Self::Unsupported(reason) => reason,
        }
    }

    /// Returns whether the answer fulfils it; `None` if it was not checked.
    pub fn passed(&self) -> Option<bool> {
        match self {
            Self::Passes(_) => Some(true),
            Self::Fails(_) => Some(false),
            Self::NeedsModel(_) | Self::Unsupported(_) => None,
        }
    }
}

/// An invariant and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct InvariantResult {
    pub node: NodeId,
    /// Its id; empty when it has none.
    pub id: String,
    /// Its type as written.
    pub kind: String,
    /// `critical`, `high`, `medium` or `low`; what the owner takes when none is written is `medium`.
    pub severity: String,
    /// When the owner applies it, as written; `always` when it does not say.
    pub when: String,
    pub verdict: InvariantVerdict,
    /// Reason for which Flakestorm rejects the whole contract because of this invariant, if it does: then nothing is checked.
    pub refusal: Option<String>,
}

/// Tries every invariant of a contract.
pub fn check_all(doc: &Document, contract: &Contract, sample: Sample<'_>) -> Vec<InvariantResult> {
    contract.invariants.iter().map(|invariant| check_one(doc, invariant, sample)).collect()
}

fn check_one(document: &Document, invariant: &Invariant, sample: Sample<'_>) -> InvariantResult {
    let node = document.node(invariant.node);
    let rules = InvariantFields::new(node, text(&invariant.kind).unwrap_or_default());
    let text_of = |field: &Option<Field<String>>, otherwise: &str| {
        text(field).unwrap_or(otherwise).to_owned()
    };
    let when = node.get("when").and_then(Node::as_str).unwrap_or("always");
    let refusal = rules.refusal();
    // Flakestorm checks nothing then, so nothing passes.
    let verdict = match &refusal {
        Some(_) => InvariantVerdict::Fails("Rejected by Flakestorm".to_owned()),
        None => rules.verdict(sample),
    };
    InvariantResult {
        node: invariant.node,
        id: text_of(&invariant.id, ""),
        kind: text_of(&invariant.kind, ""),
        severity: text_of(&invariant.severity, "medium"),
        when: when.to_owned(),
        verdict,
        refusal,
    }
}

/// Returns why Flakestorm rejects a contract because of one of its invariants, if it does.
pub fn refusal_of(document: &Document, invariant: &Invariant) -> Option<String> {
    let kind = text(&invariant.kind).unwrap_or_default();
    InvariantFields::new(document.node(invariant.node), kind).refusal()
}

/// Returns the member that an invariant of this type requires and does not have.
pub fn required_member(invariant: Node<'_>, kind: &str) -> Option<&'static str> {
    InvariantFields::new(invariant, kind).required_member()
}

/// Returns whether a value is missing, or null, which is the same to the owner.
fn is_absent(node: Option<Node<'_>>) -> bool {
    node.is_none_or(|node| node.kind() == NodeKind::Null)
}

#[cfg(test)]
mod tests;
