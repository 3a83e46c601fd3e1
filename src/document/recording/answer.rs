//! The answer of a recording.

use super::{AnswerShape, MessageBlock};
use crate::field::Field;
use crate::fields::Fields;
use crate::problems::ProblemList;
use crate::tree::{Node, NodeId, NodeKind};

/// The model's answer.
#[derive(Clone, Debug)]
pub struct RecordedAnswer {
    /// The object that holds `content`.
    pub node: NodeId,
    /// `requestId` of the response.
    pub request_id: Option<Field<String>>,
    /// As written.
    pub timestamp: Option<Field<String>>,
    /// Reason for the answer, as the recorder noted it.
    pub reasoning: Option<Field<String>>,
    /// Text and tool calls, in order.
    pub blocks: Vec<MessageBlock>,
    /// `stop_reason`
    pub stop_reason: Option<Field<String>>,
}

impl RecordedAnswer {
    /// Reads `node`, and returns where in it the answer is.
    pub(super) fn read(node: Node<'_>, problems: &mut ProblemList) -> (AnswerShape, Option<Self>) {
        let mut shell = Fields::new(node, problems);
        // With both, players serve `response.response`, so the recording is wrapped.
        let is_flat = shell.get("response").is_none() && shell.get("content").is_some();
        let (shape, inner_response) = if is_flat {
            (AnswerShape::Flat, node)
        } else {
            // Players look in `response.response`, so that is what a response without either lacks.
            shell.require("response");
            (AnswerShape::Wrapped, shell.object("response").unwrap_or(node))
        };
        // A missing inner object is reported already.
        if shape == AnswerShape::Wrapped && inner_response.id() != node.id() {
            Fields::new(inner_response, shell.problems).require("content");
        }
        let answer = Self {
            node: inner_response.id(),
            request_id: shell.text("requestId"),
            timestamp: shell.text("timestamp"),
            reasoning: shell.text("reasoning"),
            blocks: MessageBlock::read_all(
                inner_response.get("content"),
                NodeKind::Array.name(),
                shell.problems,
            ),
            stop_reason: Fields::new(inner_response, shell.problems).text("stop_reason"),
        };
        (shape, Some(answer))
    }
}
