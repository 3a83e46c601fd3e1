//! Tool calls of a stream: converts their parts to pieces of a tape.
//!
//! Joined, the pieces of a call are a JSON object on a separate line. In [`PieceMode::Events`] mode, each event with a
//! part of its input is a piece: the first contains what precedes the input, the last what closes the object.

use super::StreamPiece;
use super::stream_builder::{PieceMode, StreamBuilder};
use crate::format::json::quote;
use crate::format::{Node, json};
use crate::ops::api::{ToolCall, input_text};
use crate::text::Source;

/// A tool call that is received in parts.
#[derive(Debug, Default)]
pub(super) struct StreamedCall {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// JSON, as far as received.
    pub(super) arguments: String,
    /// Its parts, if each becomes a piece.
    pub(super) parts: Vec<StreamedPart>,
    /// When its last part arrived, for APIs without an event for the end of a call.
    pub(super) at_nanos: Option<f64>,
}

/// A part of a tool call's input.
#[derive(Debug)]
pub(super) struct StreamedPart {
    piece: usize,
    /// Its end in the arguments.
    end: usize,
}

impl StreamedCall {
    /// Returns the text on the tape up to its input.
    fn head(&self) -> String {
        call_head(self.id.as_deref(), self.name.as_deref())
    }

    /// Sets the complete arguments that an API sends at the end.
    pub(super) fn settle(&mut self, arguments: String) {
        if arguments.is_empty() || arguments == self.arguments {
            return;
        }
        if let Some(mut last) = self.parts.pop() {
            last.end = arguments.len();
            self.parts = vec![last];
        }
        self.arguments = arguments;
    }

    /// Returns whether its input is complete JSON.
    pub(super) fn is_json(&self) -> bool {
        let (tree, problems) = json::parse(&Source::new(self.arguments.as_str()));
        tree.root().is_some() && problems.is_empty()
    }

    /// Returns whether there is no other content between its parts.
    fn is_in_one_go(&self) -> bool {
        let pieces = self.parts.iter().map(|part| part.piece);
        pieces.clone().is_sorted_by(|one, next| one + 1 == *next)
    }

    /// Returns each part of its input as received.
    fn inputs(&self) -> impl Iterator<Item = String> {
        let starts = std::iter::once(0).chain(self.parts.iter().map(|part| part.end));
        starts.zip(&self.parts).map(|(start, part)| on_one_line(&self.arguments[start..part.end]))
    }
}

impl StreamBuilder {
    /// Handles a part of a tool call's input.
    pub(super) fn on_call_part(
        &mut self,
        call: u64,
        json: Option<Node<'_>>,
        at_nanos: Option<f64>,
    ) {
        let call = self.calls.entry(call).or_default();
        call.at_nanos = at_nanos;
        call.arguments += json.and_then(Node::as_str).unwrap_or_default();
        if self.mode == PieceMode::Events {
            call.parts.push(StreamedPart { piece: self.pieces.len(), end: call.arguments.len() });
            self.push_empty_piece(at_nanos);
        }
    }

    /// Handles a whole tool call, whose parts may have been received before.
    pub(super) fn on_call(&mut self, index: Option<u64>, whole: ToolCall, at_nanos: Option<f64>) {
        let begun = index.and_then(|index| self.calls.remove(&index)).unwrap_or_default();
        let mut call = StreamedCall {
            id: whole.id,
            name: Some(whole.name).filter(|name| !name.is_empty()),
            parts: begun.parts,
            arguments: begun.arguments,
            at_nanos: None,
        };
        call.settle(whole.input);
        self.finish_call(&call, at_nanos);
    }

    /// Handles the end of a tool call. Its parts become pieces, unless there is other content between them or they are
    /// not JSON.
    pub(super) fn finish_call(&mut self, call: &StreamedCall, at_nanos: Option<f64>) {
        let arguments = Some(call.arguments.trim()).filter(|arguments| !arguments.is_empty());
        let (tree, problems) = json::parse(&Source::new(arguments.unwrap_or("{}")));
        let input = tree.root().filter(|_| problems.is_empty());
        if call.parts.len() > 1 && call.is_in_one_go() && arguments.and(input).is_some() {
            self.push_call_parts(call, "}");
            return;
        }
        let input = match (call.parts.len(), input) {
            (1, Some(_)) => on_one_line(arguments.unwrap_or("{}")),
            (_, Some(input)) => input_text(input),
            (_, None) => {
                let name = call.name.as_deref().unwrap_or("a tool");
                self.notes.push(format!("The input of a call of {name} is no JSON"));
                quote(&call.arguments)
            }
        };
        let piece = match call.parts.last() {
            Some(part) => part.piece,
            None => self.push_empty_piece(at_nanos),
        };
        self.push_call_start(piece, &format!("{}{input}}}", call.head()));
    }

    /// Adds the received parts of a call that broke off; returns whether that is possible.
    pub(super) fn push_broken_call(&mut self, call: &StreamedCall) -> bool {
        let can_be = !call.parts.is_empty() && call.is_in_one_go() && call.name.is_some();
        if can_be {
            self.push_call_parts(call, "");
        }
        can_be
    }

    /// Adds an empty piece and returns its index.
    fn push_empty_piece(&mut self, at_nanos: Option<f64>) -> usize {
        self.pieces.push(StreamPiece { at_nanos, text: quote(""), chars: 0 });
        self.pieces.len() - 1
    }

    fn push_call_parts(&mut self, call: &StreamedCall, end: &str) {
        let last = call.parts.len() - 1;
        for (index, (part, input)) in call.parts.iter().zip(call.inputs()).enumerate() {
            let end = if index == last { end } else { "" };
            match index {
                0 => self.push_call_start(part.piece, &format!("{}{input}{end}", call.head())),
                _ => self.append_text(part.piece, &format!("{input}{end}")),
            }
        }
    }

    /// Adds the start of a call, on a separate line.
    fn push_call_start(&mut self, piece: usize, text: &str) {
        let is_first = self.pieces[..piece].iter().all(|piece| piece.chars == 0);
        let lead = if is_first { "" } else { "\n" };
        self.append_text(piece, &format!("{lead}{text}"));
    }

    fn append_text(&mut self, piece: usize, text: &str) {
        let piece = &mut self.pieces[piece];
        piece.text = quote(text);
        piece.chars = text.chars().count();
    }

    /// Finishes all open tool calls because other content follows.
    pub(super) fn finish_calls(&mut self, at_nanos: Option<f64>) {
        for call in std::mem::take(&mut self.calls).into_values() {
            self.finish_call(&call, call.at_nanos.or(at_nanos));
        }
    }
}

/// Returns the text of a whole tool call on a tape.
pub fn call_text(call: &ToolCall) -> String {
    let head = call_head(call.id.as_deref(), Some(&call.name));
    format!("{head}{}}}", call.input)
}

fn call_head(id: Option<&str>, name: Option<&str>) -> String {
    let id = id.map(|id| format!("\"id\":{},", quote(id))).unwrap_or_default();
    let name = quote(name.unwrap_or_default());
    format!("{{\"type\":\"tool_use\",{id}\"name\":{name},\"input\":")
}

/// Returns JSON on one line: line ends outside of strings are insignificant, and strings contain none.
fn on_one_line(json: &str) -> String {
    json.replace(['\r', '\n'], "")
}
