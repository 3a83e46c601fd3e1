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
    /// Reads `response`, and returns where in it the answer is.
    pub(super) fn read(
        response: Node<'_>,
        problems: &mut ProblemList,
    ) -> (AnswerShape, Option<Self>) {
        let mut outer = Fields::new(response, problems);
        // With both, players serve `response.response`, so the recording is wrapped.
        let is_flat = outer.get("response").is_none() && outer.get("content").is_some();
        let (shape, inner) = if is_flat {
            (AnswerShape::Flat, response)
        } else {
            // Players look in `response.response`, so that is what a response without either lacks.
            outer.require("response");
            (AnswerShape::Wrapped, outer.object("response").unwrap_or(response))
        };
        // A missing inner object is reported already.
        if shape == AnswerShape::Wrapped && inner.id() != response.id() {
            Fields::new(inner, outer.problems).require("content");
        }
        let answer = Self {
            node: inner.id(),
            request_id: outer.text("requestId"),
            timestamp: outer.text("timestamp"),
            reasoning: outer.text("reasoning"),
            blocks: MessageBlock::read_all(
                inner.get("content"),
                NodeKind::Array.name(),
                outer.problems,
            ),
            stop_reason: Fields::new(inner, outer.problems).text("stop_reason"),
        };
        (shape, Some(answer))
    }
}
