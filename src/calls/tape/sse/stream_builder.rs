//! Builds the pieces of a stream from its events, for any API.
//!
//! Joined, the pieces of a tool call are a JSON object on a separate line. In [`PieceMode::Events`] mode, each event with a
//! part of its input is a piece: the first contains what precedes the input, the last what closes the object.

use std::collections::BTreeMap;

use super::streamed_call::{StreamedCall, StreamedPart, on_one_line};
use super::{Capture, CaptureTiming, StreamPiece};
use crate::api::{AnswerStop, Api, ApiError, StreamEvent, ToolCall, input_text, read_event};
use document::json::{self, quote, quote_utf16};
use document::text::{Source, counted};
use document::{Node, NodeKind};

/// Content that becomes a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PieceMode {
    /// Each text, and each tool call as a whole.
    #[default]
    Content,
    /// Each event with a text, even an empty one, or with a part of a tool call's input.
    Events,
}

/// The content of a stream so far.
#[derive(Debug, Default)]
pub(super) struct StreamBuilder {
    pub(super) mode: PieceMode,
    pub(super) api: Option<Api>,
    pub(super) model: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) notes: Vec<String>,
    /// Whether the end event of the stream was received.
    pub(super) done: bool,
    /// Number of events that are not JSON.
    pub(super) not_json: usize,
    /// Other content than text and tool calls, with the number of pieces.
    pub(super) left_out: BTreeMap<&'static str, usize>,
    /// Tool calls that are not complete, by their index.
    pub(super) calls: BTreeMap<u64, StreamedCall>,
    pub(super) pieces: Vec<StreamPiece>,
    pub(super) error: Option<ApiError>,
    /// The reason why the answer ends.
    pub(super) stop: Option<AnswerStop>,
}

impl StreamBuilder {
    /// Handles the data of one event that arrived `at_nanos` nanoseconds after the start.
    pub(super) fn on_data(&mut self, data: &str, at_nanos: Option<f64>) {
        if data.trim() == "[DONE]" {
            self.done = true;
            return;
        }
        let (tree, problems) = json::parse(&Source::new(data));
        let root = tree.root().filter(|root| root.kind() == NodeKind::Object);
        match root.filter(|_| problems.is_empty()) {
            Some(event) => self.on_event(event, at_nanos),
            None => self.not_json += 1,
        }
    }

    /// Handles one event that arrived `at_nanos` nanoseconds after the start.
    pub(super) fn on_event(&mut self, event: Node<'_>, at_nanos: Option<f64>) {
        for event in read_event(&mut self.api, event) {
            match event {
                StreamEvent::Head { model, created_at, .. } => {
                    let model = || model.map(str::to_owned);
                    self.model = self.model.take().or_else(model);
                    self.created_at = self.created_at.take().or(created_at);
                }
                StreamEvent::Text(text) => self.on_text(text, at_nanos),
                StreamEvent::Reasoning(_) => self.leave_out("Thinking"),
                StreamEvent::Other(kind) => self.leave_out(kind),
                StreamEvent::CallStart { index, id, name } => {
                    let call = self.calls.entry(index).or_default();
                    call.id = call.id.take().or_else(|| id.map(str::to_owned));
                    call.name = call.name.take().or_else(|| name.map(str::to_owned));
                }
                StreamEvent::CallInput { index, json } => self.on_call_part(index, json, at_nanos),
                StreamEvent::CallEnd { index } => {
                    if let Some(call) = self.calls.remove(&index) {
                        self.finish_call(&call, at_nanos);
                    }
                }
                StreamEvent::Call { index, call } => self.on_call(index, call, at_nanos),
                StreamEvent::CallsEnd => self.finish_calls(at_nanos),
                StreamEvent::Note(note) => self.notes.push(note),
                StreamEvent::Error(error) => self.error = Some(error),
                StreamEvent::End => self.done = true,
                StreamEvent::Stop(reason) => self.stop = reason.stop,
                StreamEvent::Tokens { .. } => {}
            }
        }
    }

    /// Handles a text. An empty one only counts in [`PieceMode::Events`] mode.
    pub(super) fn on_text(&mut self, text: Option<Node<'_>>, at_nanos: Option<f64>) {
        let Some(text) = text.filter(|text| text.kind() == NodeKind::String) else { return };
        // As UTF-16: a stream may cut a text inside a character.
        let units = json::utf16(text);
        if !units.is_empty() || self.mode == PieceMode::Events {
            let chars = text.as_str().map_or(0, |text| text.chars().count());
            self.pieces.push(StreamPiece { at_nanos, text: quote_utf16(&units), chars });
        }
    }

    fn leave_out(&mut self, kind: &'static str) {
        *self.left_out.entry(kind).or_default() += 1;
    }

    pub(super) fn finish(mut self, timing: CaptureTiming) -> Result<Capture, String> {
        let Some(api) = self.api else {
            return Err(match &self.error {
                Some(error) => format!("The stream contains only an error ({error})"),
                None => "No stream of Anthropic, OpenAI or Gemini was found in the text".to_owned(),
            });
        };
        if self.done {
            // The end of the stream also ends calls that have no end of their own.
            self.finish_calls(self.pieces.last().and_then(|piece| piece.at_nanos));
        }
        let open_calls = self.calls.len();
        let mut notes = Vec::new();
        match &self.error {
            Some(error) => notes.push(format!("The stream ended with an error ({error})")),
            None if !self.done => {
                notes.push("The stream breaks off: nothing says that it is over".to_owned());
            }
            None => {}
        }
        if open_calls > 0 {
            notes.push(format!(
                "{} broke off and stayed out",
                counted(open_calls, "tool call", "tool calls")
            ));
        }
        notes.append(&mut self.notes);
        notes.extend(self.left_out.iter().map(|(kind, count)| {
            format!("{kind} is not in the chunks ({})", counted(*count, "piece", "pieces"))
        }));
        if self.not_json > 0 {
            notes.push(format!(
                "{} no JSON and left out",
                counted(self.not_json, "event is", "events are")
            ));
        }
        Ok(Capture {
            api,
            timing,
            model: self.model,
            notes,
            pieces: self.pieces,
            created_at: self.created_at,
        })
    }

    /// Handles a part of a tool call's input.
    pub(super) fn on_call_part(&mut self, call: u64, json: Option<Node<'_>>, nanos: Option<f64>) {
        let call = self.calls.entry(call).or_default();
        call.at_nanos = nanos;
        call.arguments += json.and_then(Node::as_str).unwrap_or_default();
        // An empty piece keeps the place of the part: whether the parts are JSON and without gaps is known only at their end.
        if self.mode == PieceMode::Events {
            call.parts.push(StreamedPart { piece: self.pieces.len(), end: call.arguments.len() });
            self.push_empty_piece(nanos);
        }
    }

    /// Handles a whole tool call, whose parts may have been received before.
    pub(super) fn on_call(&mut self, index: Option<u64>, tool: ToolCall, at_nanos: Option<f64>) {
        let partial_call = index.and_then(|index| self.calls.remove(&index)).unwrap_or_default();
        let mut call = StreamedCall {
            id: tool.id,
            name: Some(tool.name).filter(|name| !name.is_empty()),
            parts: partial_call.parts,
            arguments: partial_call.arguments,
            at_nanos: None,
        };
        call.settle(tool.input);
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
                // A string, so that the line of the call stays JSON.
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
        let is_possible = !call.parts.is_empty() && call.is_in_one_go() && call.name.is_some();
        if is_possible {
            self.push_call_parts(call, "");
        }
        is_possible
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
        // A consumer of lines needs the call on a line of its own.
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
