//! A stream that is heard while it comes.

use super::heard::{Failed, Heard, Keeping};
use super::lines::Reader;
use super::{Api, Timing};
use crate::ops::edit::json_string;

/// Hears a stream of server-sent events while it comes. Streams of APIs that are not known are heard too: then each event's
/// data is a piece.
///
/// Each event that brings something becomes a piece: a text, though an empty one; a part of a tool call's input.
#[derive(Debug)]
pub struct Live {
    reader: Reader,
    /// The line that is not complete.
    line: Vec<u8>,
    /// Whether the byte before was a carriage return, which ends a line with or without a line feed.
    after_return: bool,
    heard: Heard,
    /// Whether anything came, and what of it.
    came: Came,
    /// The data of events while nobody knows whose they are, each with its time.
    unknown: Vec<(f64, String)>,
}

/// What was heard of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caught {
    /// Whose it is, if that is known.
    pub api: Option<Api>,
    /// The model that answered, if the stream names it.
    pub model: Option<String>,
    /// The pieces in order: when each came, in nanoseconds, and its text as a JSON string.
    pub pieces: Vec<(f64, String)>,
    /// What is to be said of it: what was left out. Sentences without a full stop.
    pub notes: Vec<String>,
    /// The error with which it ended.
    pub error: Option<Failed>,
    /// Whether it said that it is over; streams that are not known never do, and need not.
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

/// What came of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Nothing,
    /// Bytes, but no event.
    Bytes,
    Events,
}

impl Live {
    /// Hears what came at a time, in nanoseconds since the call began.
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

    /// Hears the data of one event.
    pub fn event(&mut self, data: &str, at_nanos: f64) {
        self.came = Came::Events;
        self.heard.data(data, Some(at_nanos));
        match self.heard.api {
            Some(_) => self.unknown = Vec::new(),
            None => self.unknown.push((at_nanos, data.to_owned())),
        }
    }

    /// Whether the stream's own last event came, which may be an error. Whoever closes the connection after that, the answer
    /// is complete.
    pub fn is_complete(&self) -> bool {
        self.is_done() || self.heard.error.is_some()
    }

    /// Whether the stream says that it is over; a `[DONE]` counts without the empty line that belongs behind it.
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

    /// How long the pieces are together that came behind the first `pieces`, as JSON strings.
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

    /// What was heard, now that nothing more comes.
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
        // What is wrong with the end is told by the call, not in passing.
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
    /// Tells the tool calls that are not complete as far as they came.
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
        let heard = caught(&[(1.0, head), (2.0, tail), (3.0, last)]);
        assert_eq!(
            heard.pieces,
            [(2.0, "\"é\"".to_owned()), (3.0, "\"!\"".to_owned())]
        );
        assert_eq!((heard.api, heard.is_over), (Some(Api::Gemini), true));
    }

    #[test]
    fn a_stream_of_an_unknown_api_is_its_data() {
        let heard = caught(&[
            (1.0, b"data: one\n\ndata: {\"x\":1}\n\n"),
            (5.0, b"data: [DONE]\n\n"),
        ]);
        assert_eq!(
            heard.pieces,
            [
                (1.0, "\"one\\n\"".to_owned()),
                (1.0, "\"{\\\"x\\\":1}\\n\"".to_owned())
            ]
        );
        assert_eq!((heard.api, heard.is_over), (None, true));
    }

    #[test]
    fn a_stream_that_breaks_off_or_ends_with_an_error_says_so() {
        let begin: &[u8] = b"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n";
        let heard = caught(&[(1.0, begin)]);
        assert_eq!((heard.is_over, heard.error), (false, None));
        let error: &[u8] = b"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Later\"}}\n\n";
        let heard = caught(&[(1.0, begin), (2.0, b"data: {\n\n"), (3.0, error)]);
        assert_eq!(heard.error.unwrap().to_string(), "overloaded_error: Later");
        assert_eq!(heard.notes, ["1 event is no JSON and left out"]);
    }
}
