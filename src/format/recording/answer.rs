//! The answer of a recording.

use super::{Block, Shape};
use crate::format::field::Field;
use crate::format::fields::Fields;
use crate::format::problems::Problems;
use crate::format::tree::{Node, NodeId, NodeKind};

/// The model's answer.
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

impl Answer {
    /// Reads `response`, and returns where in it the answer is.
    pub(super) fn read(response: Node<'_>, problems: &mut Problems) -> (Shape, Option<Self>) {
        let mut outer = Fields::of(response, problems);
        let is_flat = outer.get("response").is_none() && outer.get("content").is_some();
        let (shape, inner) = if is_flat {
            (Shape::Flat, response)
        } else {
            outer.need("response");
            let inner = outer.object("response");
            (Shape::Wrapped, inner.unwrap_or(response))
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
