//! Builds the pieces of a stream from its events, for any API.

use std::collections::BTreeMap;
use std::fmt;

use super::calls::StreamedCall;
use super::{Api, Capture, CaptureTiming, StreamPiece, anthropic, chat, gemini, responses};
use crate::format::json::{self, quote_utf16, utf16};
use crate::format::{Node, NodeKind};
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
    pub(super) error: Option<StreamError>,
}

/// An error that a stream reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamError {
    /// Such as `overloaded_error`.
    pub kind: String,
    /// Human-readable message.
    pub message: String,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
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
        self.api = self.api.or_else(|| Api::detect(event));
        if let Some(error) = event
            .get("error")
            .filter(|error| error.kind() == NodeKind::Object)
        {
            self.on_error(error);
            return;
        }
        match self.api {
            Some(Api::AnthropicMessages) => anthropic::handle_event(self, event, at_nanos),
            Some(Api::OpenAiChat) => chat::handle_event(self, event, at_nanos),
            Some(Api::OpenAiResponses) => responses::handle_event(self, event, at_nanos),
            Some(Api::Gemini) => gemini::handle_event(self, event, at_nanos),
            None => {}
        }
    }

    /// Handles a text. An empty one only counts in [`PieceMode::Events`] mode.
    pub(super) fn on_text(&mut self, text: Option<Node<'_>>, at_nanos: Option<f64>) {
        let Some(text) = text.filter(|text| text.kind() == NodeKind::String) else {
            return;
        };
        let units = utf16(text.raw());
        if !units.is_empty() || self.mode == PieceMode::Events {
            let chars = text.as_str().map_or(0, |text| text.chars().count());
            self.pieces.push(StreamPiece {
                at_nanos,
                text: quote_utf16(&units),
                chars,
            });
        }
    }

    /// Handles an error in the stream.
    pub(super) fn on_error(&mut self, error: Node<'_>) {
        let text = |key| error.get(key).and_then(Node::as_str);
        let kind = text("type")
            .or(text("status"))
            .or(text("code"))
            .unwrap_or("error");
        self.error = Some(StreamError {
            kind: kind.to_owned(),
            message: text("message").unwrap_or_default().to_owned(),
        });
    }

    pub(super) fn leave_out(&mut self, what: &'static str) {
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
            format!(
                "{what} was left out ({})",
                counted(*count, "piece", "pieces")
            )
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

/// Returns the string value of a node.
pub(super) fn text(node: Option<Node<'_>>) -> Option<String> {
    node.and_then(Node::as_str).map(str::to_owned)
}

/// Returns the index in an event, 0 by default.
pub(super) fn index(node: Node<'_>, key: &str) -> u64 {
    node.get(key)
        .and_then(Node::as_f64)
        .map_or(0, |index| index as u64)
}

/// Formats seconds since 1970 as ISO 8601.
pub(super) fn instant(seconds: Option<Node<'_>>) -> Option<String> {
    let seconds = seconds.and_then(Node::as_f64)?;
    jiff::Timestamp::from_second(seconds as i64)
        .ok()
        .map(|at| at.to_string())
}
