//! A tool call that a stream sends in parts, and its text on a tape.

use crate::api::ToolCall;
use document::json::{self, quote};
use document::text::Source;

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
    pub(super) piece: usize,
    /// Its end in the arguments.
    pub(super) end: usize,
}

impl StreamedCall {
    /// Returns the text on the tape up to its input.
    pub(super) fn head(&self) -> String {
        call_head(self.id.as_deref(), self.name.as_deref())
    }

    /// Sets the complete arguments that an API sends at the end.
    pub(super) fn settle(&mut self, arguments: String) {
        if arguments.is_empty() || arguments == self.arguments {
            return;
        }
        // The parts are of other arguments: only the time of the last one still counts.
        if let Some(mut last_part) = self.parts.pop() {
            last_part.end = arguments.len();
            self.parts = vec![last_part];
        }
        self.arguments = arguments;
    }

    /// Returns whether its input is complete JSON.
    pub(super) fn is_json(&self) -> bool {
        let (tree, problems) = json::parse(&Source::new(self.arguments.as_str()));
        tree.root().is_some() && problems.is_empty()
    }

    /// Returns whether there is no other content between its parts.
    pub(super) fn is_in_one_go(&self) -> bool {
        let pieces = self.parts.iter().map(|part| part.piece);
        pieces.clone().is_sorted_by(|previous, next| previous + 1 == *next)
    }

    /// Returns each part of its input as received.
    pub(super) fn inputs(&self) -> impl Iterator<Item = String> {
        let starts = std::iter::once(0).chain(self.parts.iter().map(|part| part.end));
        let parts = starts.zip(&self.parts);
        parts.map(|(start, part)| on_one_line(&self.arguments[start..part.end]))
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
    // Members in the order of recordings; the reader of a tape finds a call by this beginning.
    format!("{{\"type\":\"tool_use\",{id}\"name\":{name},\"input\":")
}

/// Returns JSON on one line: line ends outside of strings are insignificant, and strings contain none.
pub(super) fn on_one_line(json: &str) -> String {
    json.replace(['\r', '\n'], "")
}
