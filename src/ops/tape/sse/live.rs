//! Parses a stream while it is received.

use super::heard::{Failed, Heard, Keeping};
use super::lines::Reader;
use super::{Api, Timing};
use crate::ops::edit::json_string;

/// Parses a stream of server-sent events incrementally. In streams of unknown APIs, the data of each event is a piece.
///
/// Each event with content becomes a piece: a text, even an empty one, or a part of a tool call's input.
#[derive(Debug)]
pub struct Live {
    reader: Reader,
    /// The incomplete line.
    line: Vec<u8>,
    /// Whether the previous byte was a carriage return, which ends a line with or without a line feed.
    after_return: bool,
    heard: Heard,
    /// What was received so far.
    came: Came,
    /// Data and time of events while the API is unknown.
    unknown: Vec<(f64, String)>,
}

/// The parsed content of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caught {
    /// The API, if known.
    pub api: Option<Api>,
    /// The model that answered, if the stream names it.
    pub model: Option<String>,
    /// The pieces in order: arrival time in nanoseconds, and text as a JSON string.
    pub pieces: Vec<(f64, String)>,
    /// Notes on what was left out: sentences without a full stop.
    pub notes: Vec<String>,
    /// The error that ended it.
    pub error: Option<Failed>,
    /// Whether its end event was received; always true for unknown APIs.
    pub is_over: bool,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            reader: Reader::default(),
            line: Vec::new(),
            after_return: false,
            heard: Heard {
                keeping: Keeping::Events,
                ..Heard::default()
            },
            came: Came::Nothing,
            unknown: Vec::new(),
        }
    }
}

/// What was received of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Nothing,
    /// Bytes, but no event.
    Bytes,
    Events,
}

impl Live {
    /// Parses bytes that arrived at a time, in nanoseconds since the call began.
    pub fn bytes(&mut self, bytes: &[u8], at_nanos: f64) {
        if self.came == Came::Nothing && !bytes.is_empty() {
            self.came = Came::Bytes;
        }
        for byte in bytes {
            let is_second = std::mem::take(&mut self.after_return) && *byte == b'\n';
            match byte {
                _ if is_second => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    let line = String::from_utf8_lossy(&line);
                    self.reader.line(&line, Some(at_nanos));
                }
                byte => self.line.push(*byte),
            }
        }
        for event in self.reader.take() {
            self.event(&event.data, event.at_nanos.unwrap_or(at_nanos));
        }
    }

    /// Handles the data of one event.
    pub fn event(&mut self, data: &str, at_nanos: f64) {
        self.came = Came::Events;
        self.heard.data(data, Some(at_nanos));
        match self.heard.api {
            Some(_) => self.unknown = Vec::new(),
            None => self.unknown.push((at_nanos, data.to_owned())),
        }
    }

    /// Returns whether the last event of the stream was received, which may be an error. The answer is then complete,
    /// no matter who closes the connection.
    pub fn is_complete(&self) -> bool {
        self.is_done() || self.heard.error.is_some()
    }

    /// Returns whether the end event was received; a `[DONE]` counts without the empty line after it.
    fn is_done(&self) -> bool {
        let line = self.line.strip_prefix(b"data:").unwrap_or_default();
        let unfinished = self.reader.unfinished().unwrap_or_default();
        self.heard.done
            || [line, unfinished.as_bytes()]
                .iter()
                .any(|data| data.trim_ascii() == b"[DONE]")
    }

    /// Number of fragments received.
    pub fn pieces(&self) -> usize {
        self.heard.pieces.len().max(self.unknown.len())
    }

    /// Returns the total length of the pieces after the first `pieces`, as JSON strings.
    pub fn chars_behind(&self, pieces: usize) -> usize {
        match self.heard.pieces.get(pieces..).unwrap_or_default() {
            [] => {
                let unknown = self.unknown.get(pieces..).unwrap_or_default();
                unknown
                    .iter()
                    .map(|(_, data)| json_string(data).len())
                    .sum()
            }
            known => known.iter().map(|piece| piece.text.len()).sum(),
        }
    }

    /// Returns the parsed stream at its end.
    pub fn finish(mut self) -> Caught {
        let error = self.heard.error.clone();
        if self.heard.api.is_none() {
            let line = |(at, data): (f64, String)| (at, json_string(&format!("{data}\n")));
            let pieces = self
                .unknown
                .into_iter()
                .filter(|(_, data)| data != "[DONE]");
            let note = "The answer says that it is a stream of events, but there is none in it";
            return Caught {
                pieces: pieces.map(line).collect(),
                notes: (self.came == Came::Bytes)
                    .then(|| note.to_owned())
                    .into_iter()
                    .collect(),
                error,
                is_over: true,
                ..Caught::default()
            };
        }
        let is_over = self.is_done();
        // Problems with the end are reported by the caller, not here.
        self.heard.error = None;
        self.heard.done = true;
        if !is_over {
            self.break_off();
        }
        match self.heard.finish(Timing::SinceStart) {
            Ok(capture) => Caught {
                api: Some(capture.api),
                model: capture.model,
                notes: capture.notes,
                pieces: capture
                    .pieces
                    .into_iter()
                    .map(|piece| (piece.at_nanos.unwrap_or_default(), piece.text))
                    .collect(),
                error,
                is_over,
            },
            Err(_) => Caught::default(),
        }
    }
}

impl Live {
    /// Adds the received parts of incomplete tool calls.
    fn break_off(&mut self) {
        for call in std::mem::take(&mut self.heard.calls).into_values() {
            // Chat completions have no event that closes a call.
            if self.heard.api == Some(Api::OpenAiChat) && call.is_json() {
                self.heard.call(&call, call.at_nanos);
                continue;
            }
            let note = if self.heard.tell_broken(&call) {
                "A tool call broke off"
            } else {
                "A tool call broke off and stayed out"
            };
            self.heard.notes.push(note.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caught(parts: &[(f64, &[u8])]) -> Caught {
        let mut live = Live::default();
        for (at, bytes) in parts {
            live.bytes(bytes, *at);
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
        assert_eq!(
            builder.pieces,
            [(2.0, "\"é\"".to_owned()), (3.0, "\"!\"".to_owned())]
        );
        assert_eq!((builder.api, builder.is_over), (Some(Api::Gemini), true));
    }

    #[test]
    fn a_stream_of_an_unknown_api_is_its_data() {
        let builder = caught(&[
            (1.0, b"data: one\n\ndata: {\"x\":1}\n\n"),
            (5.0, b"data: [DONE]\n\n"),
        ]);
        assert_eq!(
            builder.pieces,
            [
                (1.0, "\"one\\n\"".to_owned()),
                (1.0, "\"{\\\"x\\\":1}\\n\"".to_owned())
            ]
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
        assert_eq!(
            builder.error.unwrap().to_string(),
            "overloaded_error: Later"
        );
        assert_eq!(builder.notes, ["1 event is no JSON and left out"]);
    }
}
