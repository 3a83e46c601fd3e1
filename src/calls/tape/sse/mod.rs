//! Converts saved streams of model APIs to tapes.
//!
//! Supports server-sent events of Anthropic's messages, OpenAI's chat completions and responses, and Gemini's
//! `streamGenerateContent` (also as one JSON list). Joined, the chunks are the message's text; a tool call is one
//! chunk, a JSON object on a separate line, as it would be in a recording. [`StreamParser`] keeps the parts in which it was
//! received.
//!
//! The time of events is known if each line starts with its time, as `ts` writes it (seconds since 1970, seconds since
//! the start, or ISO 8601). Otherwise it is estimated, and a note says so.

mod lines;
mod stamps;
mod stream_builder;
mod stream_parser;
mod streamed_call;
#[cfg(test)]
mod tests;

use super::make::{NewChunk, NewTape, TapePlan};
use crate::api::{Api, SseEvent};
use document::text::{Source, named_enum};
use document::{Node, Tree, json};

use lines::SseEvents;
use stream_builder::StreamBuilder;
pub use stream_parser::{ParsedStream, StreamParser};
pub use streamed_call::call_text;

named_enum! {
    /// Source of the times of events.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum CaptureTiming {
        /// Unknown: estimated from the lengths of the chunks.
        Estimated = "estimated",
        /// Seconds since 1970 before each line.
        Epoch = "as captured (seconds since 1970 before each line)",
        /// Seconds since the start before each line.
        SinceStart = "as captured (seconds since the start before each line)",
        /// Seconds since the previous line, before each line.
        SinceLast = "as captured (seconds since the last line before each line)",
        /// Date and time, as ISO 8601, before each line.
        Iso = "as captured (date and time before each line)",
    }

    /// Describes it as the end of a sentence: "The timing is …".
    pub fn describe;
}

/// A parsed saved stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    pub api: Api,
    /// Source of the times of events.
    pub timing: CaptureTiming,
    /// The model that answered, if the stream names it.
    pub model: Option<String>,
    /// Notes, such as that it broke off or what was left out: sentences without a full stop.
    pub notes: Vec<String>,
    /// The pieces of the answer.
    pieces: Vec<StreamPiece>,
    /// When the call was made, if the stream contains it; ISO 8601.
    created_at: Option<String>,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
struct StreamPiece {
    /// When it arrived, in nanoseconds since the start.
    at_nanos: Option<f64>,
    /// Its text as a JSON string.
    text: String,
    chars: usize,
}

/// Returns whether a text looks like a stream that [`read`] supports. Checks only its start.
pub fn is_capture(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(4096)).unwrap_or_default();
    let is_field = |line: &str| line.starts_with("data:") || line.starts_with("event:");
    head.lines()
        // `ts` writes a time before each line.
        .any(|line| is_field(line) || line.split_once(' ').is_some_and(|(_, tail)| is_field(tail)))
}

/// Parses a saved stream.
///
/// # Errors
///
/// Returns why it is not valid, as a sentence without a full stop.
pub fn read(text: &str) -> Result<Capture, String> {
    // A byte order mark would hide the name of the first field.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('[') {
        return read_list(text);
    }
    let SseEvents { events, timing, start_nanos } = lines::read(text);
    let start =
        start_nanos.or_else(|| events.first().and_then(|event| event.at_nanos)).unwrap_or_default();
    let mut builder = StreamBuilder::default();
    for SseEvent { data, at_nanos } in &events {
        builder.on_data(data, at_nanos.map(|at| at - start));
    }
    let mut capture = builder.finish(timing)?;
    if start_nanos.is_none() && timing != CaptureTiming::Estimated {
        capture.notes.push(
            "When the call began is not known; it is taken to begin with the first event"
                .to_owned(),
        );
    }
    Ok(capture)
}

/// Parses a list of Gemini responses.
fn read_list(text: &str) -> Result<Capture, String> {
    // A list that broke off still has the responses before its end.
    let (tree, _): (Tree, _) = json::parse(&Source::new(text));
    let mut builder = StreamBuilder::default();
    for event in tree.root().into_iter().flat_map(Node::items) {
        builder.on_event(event, None);
    }
    if !tree.is_well_formed() {
        builder.notes.push("The list breaks off".to_owned());
    }
    builder.finish(CaptureTiming::Estimated)
}

impl Capture {
    /// Creates the tape of this stream. The timing of the plan is only used if no times were captured; its way of
    /// splitting text is never used. `request` is the request as JSON, if known.
    pub fn tape(&self, plan: &TapePlan, request: Option<&str>) -> NewTape {
        let mut notes = self.notes.clone();
        notes.insert(
            0,
            match self.timing {
                CaptureTiming::Estimated => plan.timing_note(),
                timing => format!("The timing is {}", timing.describe()),
            },
        );
        if request.is_none() {
            notes.push("The request is not in the stream; only the model is kept of it".to_owned());
        }
        let mut meta = plan.meta(self.created_at.clone());
        meta.model = self.model.clone().unwrap_or(meta.model);
        meta.sdk = Some(self.api.as_str().to_owned());
        meta.comment = Some(notes.join(". ") + ".");
        NewTape {
            request: request.map_or_else(|| plan.request(&meta.model, None, None), str::to_owned),
            meta,
            chunks: self.timed_chunks(plan),
            received: None,
            notes,
        }
    }

    fn timed_chunks(&self, plan: &TapePlan) -> Vec<NewChunk> {
        let mut last_arrival = 0.0;
        let chunks = self.pieces.iter().enumerate().map(|(index, piece)| NewChunk {
            delay_nanos: match piece.at_nanos {
                // Clocks may be set back.
                Some(at) => {
                    let delay = (at - last_arrival).max(0.0);
                    last_arrival = at;
                    delay
                }
                None => plan.timing.delay_nanos(index, piece.chars),
            },
            text: piece.text.clone(),
        });
        chunks.collect()
    }
}
