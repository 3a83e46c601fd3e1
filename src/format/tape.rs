//! Tapes: one streamed call per JSON file, with its exact chunks and delays.

use super::field::Field;
use super::tree::NodeId;
use crate::text::Span;

/// A tape.
#[derive(Clone, Debug)]
pub struct Tape {
    /// `meta.label`
    pub label: Option<Field<String>>,
    /// `meta.model`; needed.
    pub model: Option<Field<String>>,
    /// `meta.recordedAt`, as written; needed.
    pub recorded_at: Option<Field<String>>,
    /// `meta.sdk`
    pub sdk: Option<Field<String>>,
    /// `meta.comment`
    pub comment: Option<Field<String>>,
    /// `request`, in whatever shape.
    pub request: Option<NodeId>,
    /// Which shape the request has.
    pub request_shape: RequestShape,
    /// `request.model`
    pub request_model: Option<Field<String>>,
    /// The pieces, in order.
    pub chunks: Vec<Chunk>,
}

/// The two request shapes in use, and any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestShape {
    /// `{model, systemPrompt, history: […]}`
    History,
    /// `{model, contents: string, config: {…}}`
    Contents,
    /// Anything else; kept as it is.
    Other,
}

/// One piece of a streamed reply: an element of a tape's `stream`.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Wait before this piece, in nanoseconds, counted from the piece before it (for the first, from the start
    /// of the call). Zero where the file has none that can be used. May have a fraction: the recorder's schema accepts
    /// any number.
    pub delay_nanos: f64,
    /// The text as received; empty pieces are legal. A piece may end in half a surrogate pair: [`Tape::joined`] makes
    /// such text whole.
    pub text: String,
    /// The element.
    pub node: NodeId,
    /// Where the element stands in the file.
    pub span: Span,
}
