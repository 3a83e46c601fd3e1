//! Parses a stream while it is received.

use super::CaptureTiming;
use super::stream_builder::{PieceMode, StreamBuilder};
use crate::api::{AnswerStop, Api, ApiError, SseReader};
use document::json::quote;

/// Parses a stream of server-sent events incrementally. In streams of unknown APIs, the data of each event is a piece.
///
/// Each event with content becomes a piece: a text, even an empty one, or a part of a tool call's input.
#[derive(Debug)]
pub struct StreamParser {
    reader: SseReader,
    /// The incomplete line.
    line: Vec<u8>,
    /// Whether the previous byte was a carriage return, which ends a line with or without a line feed.
    after_return: bool,
    builder: StreamBuilder,
    /// Whether any bytes were received.
    has_bytes: bool,
    /// Data and time of events while the API is unknown.
    unknown: Vec<(f64, String)>,
}

/// The parsed content of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedStream {
    /// The API, if known.
    pub api: Option<Api>,
    /// The model that answered, if the stream names it.
    pub model: Option<String>,
    /// The pieces in order: arrival time in nanoseconds, and text as a JSON string.
    pub pieces: Vec<(f64, String)>,
    /// Notes on what was left out: sentences without a full stop.
    pub notes: Vec<String>,
    /// The error that ended it.
    pub error: Option<ApiError>,
    /// The reason why the answer ends.
    pub stop: Option<AnswerStop>,
    /// Whether its end event was received; always true for unknown APIs.
    pub is_over: bool,
}

impl Default for StreamParser {
    fn default() -> Self {
        Self {
            reader: SseReader::default(),
            line: Vec::new(),
            after_return: false,
            builder: StreamBuilder { mode: PieceMode::Events, ..StreamBuilder::default() },
            has_bytes: false,
            unknown: Vec::new(),
        }
    }
}

impl StreamParser {
    /// Parses bytes that arrived at a time, in nanoseconds since the call began.
    pub fn push_bytes(&mut self, bytes: &[u8], at_nanos: f64) {
        self.has_bytes |= !bytes.is_empty();
        for byte in bytes {
            let is_second = std::mem::take(&mut self.after_return) && *byte == b'\n';
            match byte {
                _ if is_second => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    // Decoded by whole lines, since bytes may arrive in the middle of a character.
                    let line = String::from_utf8_lossy(&line);
                    self.reader.line(&line, Some(at_nanos));
                }
                byte => self.line.push(*byte),
            }
        }
        for event in self.reader.take() {
            self.push_event(&event.data, event.at_nanos.unwrap_or(at_nanos));
        }
    }

    /// Handles the data of one event.
    pub fn push_event(&mut self, data: &str, at_nanos: f64) {
        self.builder.on_data(data, Some(at_nanos));
        match self.builder.api {
            // Kept only while the stream may be of no API that is known.
            Some(_) => self.unknown = Vec::new(),
            None => self.unknown.push((at_nanos, data.to_owned())),
        }
    }

    /// Returns whether the last event of the stream was received, which may be an error. The answer is then complete,
    /// no matter who closes the connection.
    pub fn is_complete(&self) -> bool {
        self.is_done() || self.builder.error.is_some()
    }

    /// Returns whether the end event was received; a `[DONE]` counts without the empty line after it.
    fn is_done(&self) -> bool {
        let line = self.line.strip_prefix(b"data:").unwrap_or_default();
        let unfinished_data = self.reader.unfinished().unwrap_or_default();
        self.builder.done
            || [line, unfinished_data.as_bytes()].iter().any(|data| data.trim_ascii() == b"[DONE]")
    }

    /// Number of fragments received.
    pub fn pieces(&self) -> usize {
        self.builder.pieces.len().max(self.unknown.len())
    }

    /// Returns the total length of the pieces after the first `pieces`, as JSON strings.
    pub fn chars_after(&self, pieces: usize) -> usize {
        match self.builder.pieces.get(pieces..).unwrap_or_default() {
            [] => {
                let events = self.unknown.get(pieces..).unwrap_or_default();
                events.iter().map(|(_, data)| quote(data).len()).sum()
            }
            list => list.iter().map(|piece| piece.text.len()).sum(),
        }
    }

    /// Returns the parsed stream at its end.
    pub fn finish(mut self) -> ParsedStream {
        let error = self.builder.error.clone();
        if self.builder.api.is_none() {
            // Consumers of tapes read each chunk as lines of JSON.
            let line = |(at, data): (f64, String)| (at, quote(&format!("{data}\n")));
            let note = "The answer says that it is a stream of events, but there is none in it";
            let has_note = self.has_bytes && self.unknown.is_empty();
            let pieces = self.unknown.into_iter().filter(|(_, data)| data != "[DONE]");
            return ParsedStream {
                pieces: pieces.map(line).collect(),
                notes: has_note.then(|| note.to_owned()).into_iter().collect(),
                error,
                is_over: true,
                ..ParsedStream::default()
            };
        }
        let (is_over, stop) = (self.is_done(), self.builder.stop);
        // Problems with the end are reported by the caller, not here.
        self.builder.error = None;
        self.builder.done = true;
        if !is_over {
            self.finish_broken_calls();
        }
        // `finish` fails only without an API, which is handled above.
        let Ok(capture) = self.builder.finish(CaptureTiming::SinceStart) else {
            return ParsedStream::default();
        };
        let pieces = capture.pieces.into_iter();
        ParsedStream {
            api: Some(capture.api),
            model: capture.model,
            notes: capture.notes,
            pieces: pieces.map(|piece| (piece.at_nanos.unwrap_or_default(), piece.text)).collect(),
            error,
            stop,
            is_over,
        }
    }

    /// Adds the received parts of incomplete tool calls.
    fn finish_broken_calls(&mut self) {
        for call in std::mem::take(&mut self.builder.calls).into_values() {
            // Chat completions have no event that closes a call.
            if self.builder.api == Some(Api::OpenAiChat) && call.is_json() {
                self.builder.finish_call(&call, call.at_nanos);
                continue;
            }
            let note = if self.builder.push_broken_call(&call) {
                "A tool call broke off"
            } else {
                "A tool call broke off and stayed out"
            };
            self.builder.notes.push(note.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caught(parts: &[(f64, &[u8])]) -> ParsedStream {
        let mut live = StreamParser::default();
        for (at, bytes) in parts {
            live.push_bytes(bytes, *at);
        }
        live.finish()
    }

    #[test]
    fn events_have_the_time_of_the_bytes_that_complete_them() {
        let text = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"é\"}]}}]}\r\n\r\n"
            .as_bytes();
        let (head, tail) = text.split_at(53);
        let last = b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"!\"}]},\"finishReason\":\"STOP\"}]}\n\n";
        let builder = caught(&[(1.0, head), (2.0, tail), (3.0, last)]);
        assert_eq!(builder.pieces, [(2.0, "\"é\"".to_owned()), (3.0, "\"!\"".to_owned())]);
        assert_eq!((builder.api, builder.is_over), (Some(Api::Gemini), true));
    }

    #[test]
    fn a_stream_of_an_unknown_api_is_its_data() {
        let builder =
            caught(&[(1.0, b"data: one\n\ndata: {\"x\":1}\n\n"), (5.0, b"data: [DONE]\n\n")]);
        assert_eq!(
            builder.pieces,
            [(1.0, "\"one\\n\"".to_owned()), (1.0, "\"{\\\"x\\\":1}\\n\"".to_owned())]
        );
        assert_eq!((builder.api, builder.is_over), (None, true));
    }

    #[test]
    fn a_stream_that_breaks_off_or_ends_with_an_error_says_so() {
        let begin: &[u8] = b"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n";
        let builder = caught(&[(1.0, begin)]);
        assert_eq!((builder.is_over, builder.error), (false, None));
        let error: &[u8] = b"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Later\"}}\n\n";
        let builder = caught(&[(1.0, begin), (2.0, b"data: {\n\n"), (3.0, error)]);
        assert_eq!(builder.error.unwrap().to_string(), "overloaded_error: Later");
        assert_eq!(builder.notes, ["1 event is no JSON and left out"]);
    }
}
