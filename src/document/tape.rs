//! Tapes: one streamed call per JSON file, with its exact chunks and delays.

use super::field::Field;
use super::fields::Fields;
use super::problems::ProblemList;
use super::recording::text_of;
use super::tree::{Node, NodeId, NodeKind};
use super::{Document, DocumentBody};
use crate::text::Span;

/// The member with the answer as it was received, which the tape's owner ignores. It counts only while it is the answer that the
/// chunks have.
pub const RECEIVED: &str = "received";

/// Returns the answer of a tape as it was received: what is in it is also in its chunks. `None` for other documents.
pub fn received(document: &Document) -> Option<Node<'_>> {
    let is_tape = matches!(document.body, DocumentBody::Tape(_));
    document.tree.root()?.get(RECEIVED).filter(|_| is_tape)
}

#[derive(Clone, Debug, Default)]
pub struct Tape {
    /// `meta.label`
    pub label: Option<Field<String>>,
    /// `meta.model`; required.
    pub model: Option<Field<String>>,
    /// `meta.recordedAt`, as written; required.
    pub recorded_at: Option<Field<String>>,
    /// `meta.sdk`
    pub sdk: Option<Field<String>>,
    /// `meta.comment`
    pub comment: Option<Field<String>>,
    /// `request`, in whatever shape.
    pub request: Option<NodeId>,
    /// Shape of the request.
    pub request_shape: RequestShape,
    /// `request.model`
    pub request_model: Option<Field<String>>,
    /// The pieces, in order.
    pub chunks: Vec<Chunk>,
}

/// The two request shapes in use, and any other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RequestShape {
    /// `{model, systemPrompt, history: […]}`
    History,
    /// `{model, contents: string, config: {…}}`
    Contents,
    /// Anything else; kept as it is.
    #[default]
    Other,
}

/// One piece of a streamed reply: an element of a tape's `stream`.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// `delayNs`, of any type; `None` if it is missing.
    pub delay: Option<NodeId>,
    /// Wait before this piece, in nanoseconds, counted from the piece before it (for the first, from the start
    /// of the call). Zero if the file has no valid one. May have a fraction: the recorder's schema accepts
    /// any number.
    pub delay_nanos: f64,
    /// The text as received; empty pieces are legal. A piece may end in half a surrogate pair: [`Tape::joined`] makes
    /// such pairs whole.
    pub text: String,
    /// The second half of a surrogate pair that the text begins with (U+DC00 to U+DFFF).
    pub leading_half: Option<u16>,
    /// The first half of a surrogate pair that the text ends with (U+D800 to U+DBFF).
    pub trailing_half: Option<u16>,
    /// The element.
    pub node: NodeId,
    /// The bytes of the element.
    pub span: Span,
}

impl Tape {
    /// Reads a tape. Missing fields and wrong types are reported, and the rest is read.
    pub(super) fn read(root: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(root, problems);
        for key in ["meta", "request", "stream"] {
            fields.require(key);
        }
        let request = fields.get("request");
        let mut tape = Self {
            request: request.map(Node::id),
            request_shape: request.map(RequestShape::detect).unwrap_or_default(),
            request_model: text_of(request.and_then(|request| request.get("model"))),
            ..Self::default()
        };
        if let Some(meta) = fields.object("meta") {
            let mut meta = Fields::new(meta, fields.problems);
            tape.label = meta.text("label");
            tape.model = meta.required_text("model");
            tape.recorded_at = meta.required_text("recordedAt");
            tape.sdk = meta.text("sdk");
            tape.comment = meta.text("comment");
        }
        tape.chunks = fields.read_objects("stream", Chunk::read);
        tape
    }

    /// Returns the whole reply: the texts of all chunks in order. Surrogate pairs that are split between two
    /// chunks are joined; a lone surrogate becomes its escape.
    pub fn joined(&self) -> String {
        let lengths = self.chunks.iter().map(|chunk| chunk.text.len());
        let mut full_text = String::with_capacity(lengths.sum());
        let mut previous_half = None;
        // An empty chunk between two halves does not separate them.
        for chunk in self.chunks.iter().filter(|chunk| !chunk.text.is_empty()) {
            let mut text = chunk.text.as_str();
            if let (Some(high), Some(low)) = (previous_half, chunk.leading_half)
                && let Some(Ok(c)) = char::decode_utf16([high, low]).next()
            {
                full_text.truncate(full_text.len().saturating_sub(HALF_ESCAPE_BYTES));
                full_text.push(c);
                text = text.get(HALF_ESCAPE_BYTES..).unwrap_or_default();
            }
            full_text.push_str(text);
            previous_half = chunk.trailing_half;
        }
        full_text
    }
}

/// The length of `\ud83d`.
const HALF_ESCAPE_BYTES: usize = 6;

impl RequestShape {
    fn detect(request: Node<'_>) -> Self {
        let kind = |key| request.get(key).map(Node::kind);
        // A request with both counts as `contents`: the player ignores the rest.
        match (kind("contents"), kind("history")) {
            (Some(NodeKind::String), _) => Self::Contents,
            (_, Some(NodeKind::Array)) => Self::History,
            _ => Self::Other,
        }
    }
}

impl Chunk {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        let delay = node.get("delayNs");
        let usable = |nanos: &f64| nanos.is_finite() && *nanos >= 0.0;
        let text = fields.required_text("text");
        let (leading_half, trailing_half) = halves(text.as_ref(), node);
        Self {
            delay: delay.map(Node::id),
            delay_nanos: delay.and_then(Node::as_f64).filter(usable).unwrap_or(0.0),
            text: text.map(|text| text.value).unwrap_or_default(),
            leading_half,
            trailing_half,
            node: node.id(),
            span: node.span(),
        }
    }
}

/// The halves of surrogate pairs with which a chunk's text begins and ends.
fn halves(text: Option<&Field<String>>, chunk: Node<'_>) -> (Option<u16>, Option<u16>) {
    let Some(text) = text else { return (None, None) };
    // Only an escape in the file can be a lone surrogate, and it is kept as written.
    let ends = text.value.len().checked_sub(HALF_ESCAPE_BYTES).and_then(|at| text.value.get(at..));
    let is_escape = |text: &str| text.starts_with("\\u");
    if !(is_escape(&text.value) || ends.is_some_and(is_escape)) {
        return (None, None);
    }
    let units = super::json::utf16(chunk.tree().node(text.node));
    let low = |unit: &u16| (0xdc00..0xe000).contains(unit);
    let high = |unit: &u16| (0xd800..0xdc00).contains(unit);
    (units.first().copied().filter(low), units.last().copied().filter(high))
}

#[cfg(test)]
mod tests {
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{Document, DocumentBody, read};

    fn tape_of(text: &str) -> (super::Tape, Document) {
        let document = read(Source::new(text), "tape.json");
        match &document.body {
            DocumentBody::Tape(tape) => (tape.clone(), document),
            other => panic!("{other:?}"),
        }
    }

    fn joined(stream: &str) -> String {
        tape_of(&format!(r#"{{"meta": {{}}, "request": {{}}, "stream": {stream}}}"#)).0.joined()
    }

    #[test]
    fn a_character_that_was_cut_into_two_chunks_is_whole_again() {
        assert_eq!(
            joined(
                r#"[{"delayNs": 1, "text": "a \ud83d"}, {"delayNs": 1, "text": ""}, {"delayNs": 1, "text": "\ude00!"}]"#
            ),
            "a 😀!"
        );
        assert_eq!(
            joined(r#"[{"text": "\ud83d"}, {"text": "\ude00\ud83d"}, {"text": "\ude01"}]"#),
            "😀😁"
        );
    }

    #[test]
    fn a_half_that_stays_alone_and_a_written_backslash_stay() {
        assert_eq!(joined(r#"[{"text": "\ud83d"}, {"text": "x"}]"#), r"\ud83dx");
        assert_eq!(joined(r#"[{"text": "\\ud83d"}, {"text": "\ude00"}]"#), r"\ud83d\ude00");
    }

    #[test]
    fn what_a_tape_lacks_is_reported_and_the_rest_is_read() {
        let (tape, document) = tape_of(
            r#"{"meta": {"model": 3}, "request": {"contents": "c", "model": "m"}, "stream": [{"delayNs": "1", "text": "a"}, {"delayNs": -5}, 7]}"#,
        );
        assert_eq!(tape.chunks.len(), 2);
        assert_eq!(tape.request_shape, super::RequestShape::Contents);
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"
        1:10 missing-field at "/meta": `recordedAt` is missing
        1:20 wrong-type at "/meta/model": `model` is a number; a string is expected
        1:110 missing-field at "/stream/1": `text` is missing
        1:127 wrong-type at "/stream/2": The element is a number; an object is expected
        "#);
        let (_, document) = tape_of(
            r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {"history": []}, "stream": {}}"#,
        );
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"1:83 wrong-type at "/stream": `stream` is an object; a list is expected"#);
    }
}
