//! Builds the pieces of a stream from its events, for any API.

use std::collections::BTreeMap;

use super::calls::StreamedCall;
use super::{Capture, CaptureTiming, StreamPiece};
use crate::format::json::{self, quote_utf16};
use crate::format::{Node, NodeKind};
use crate::ops::api::{AnswerStop, Api, ApiError, StreamEvent, read_event};
use crate::text::{Source, counted};

/// What becomes a piece.
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
                StreamEvent::Other(what) => self.leave_out(what),
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
        let units = json::utf16(text);
        if !units.is_empty() || self.mode == PieceMode::Events {
            let chars = text.as_str().map_or(0, |text| text.chars().count());
            self.pieces.push(StreamPiece { at_nanos, text: quote_utf16(&units), chars });
        }
    }

    fn leave_out(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    pub(super) fn finish(mut self, timing: CaptureTiming) -> Result<Capture, String> {
        let Some(api) = self.api else {
            return Err(match &self.error {
                Some(error) => format!("The stream contains only an error ({error})"),
                None => "No stream of Anthropic, OpenAI or Gemini was found in the text".to_owned(),
            });
        };
        if self.done {
            let last = self.pieces.last().and_then(|piece| piece.at_nanos);
            self.finish_calls(last);
        }
        let open = self.calls.len();
        let mut notes = Vec::new();
        match &self.error {
            Some(error) => notes.push(format!("The stream ended with an error ({error})")),
            None if !self.done => {
                notes.push("The stream breaks off: nothing says that it is over".to_owned());
            }
            None => {}
        }
        if open > 0 {
            notes.push(format!(
                "{} broke off and stayed out",
                counted(open, "tool call", "tool calls")
            ));
        }
        notes.append(&mut self.notes);
        let left_out = self.left_out.iter().map(|(what, count)| {
            format!("{what} is not in the chunks ({})", counted(*count, "piece", "pieces"))
        });
        notes.extend(left_out);
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
}
