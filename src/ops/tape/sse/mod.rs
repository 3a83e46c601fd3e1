//! Saved streams of model APIs as tapes.
//!
//! Understood are streams of server-sent events of Anthropic's messages, OpenAI's chat completions and responses, and Gemini's
//! `streamGenerateContent` (also as one JSON list). Joined, the chunks are the message's text; a tool call is one chunk, a JSON
//! object on a line of its own, as it would be in a recording. What is heard [live](Live) keeps the parts in which it came.
//!
//! When the events came is known where each line has its time before it, as `ts` writes it (seconds since 1970, seconds
//! since the start, or ISO 8601), and in what `curl --trace FILE --trace-time` writes. Else it is estimated, and said so.

mod anthropic;
mod calls;
mod chat;
mod gemini;
mod heard;
mod lines;
mod live;
mod responses;
mod stamps;
#[cfg(test)]
mod tests;
mod trace;

use super::make::{Meta, NewChunk, NewTape, Plan};
use super::timing::SECOND;
use crate::format::{Node, Tree, json};
use crate::text::Source;
pub use heard::Failed;
use heard::Heard;
use lines::{Event, Lines};
pub use live::{Caught, Live};

/// Whose stream it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// Anthropic's messages.
    AnthropicMessages,
    /// OpenAI's chat completions.
    OpenAiChat,
    /// OpenAI's responses.
    OpenAiResponses,
    /// Gemini's `streamGenerateContent`.
    Gemini,
}

/// How it is known when the events came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timing {
    /// It is not: it is estimated by the lengths of the chunks.
    Estimated,
    /// Seconds since 1970 before each line.
    Epoch,
    /// Seconds since the start before each line.
    SinceStart,
    /// Seconds since the line before, before each line.
    SinceLast,
    /// Date and time, as ISO 8601, before each line.
    Iso,
    /// What `curl --trace FILE --trace-time` writes.
    CurlTrace,
}

impl Api {
    /// Display name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "Anthropic messages",
            Self::OpenAiChat => "OpenAI chat completions",
            Self::OpenAiResponses => "OpenAI responses",
            Self::Gemini => "Gemini streamGenerateContent",
        }
    }

    /// Whose event this is, if it says so.
    fn of(event: Node<'_>) -> Option<Self> {
        let kind = event.get("type").and_then(Node::as_str).unwrap_or_default();
        let has = |key| event.get(key).is_some();
        match kind {
            "message_start" | "message_delta" | "message_stop" => Some(Self::AnthropicMessages),
            kind if kind.starts_with("content_block_") => Some(Self::AnthropicMessages),
            kind if kind.starts_with("response.") => Some(Self::OpenAiResponses),
            _ if has("choices") => Some(Self::OpenAiChat),
            _ if has("candidates") || has("promptFeedback") || has("usageMetadata") => {
                Some(Self::Gemini)
            }
            _ => None,
        }
    }
}

impl Timing {
    /// How it is known, as the end of a sentence: "The timing is …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Estimated => "estimated",
            Self::Epoch => "as captured (seconds since 1970 before each line)",
            Self::SinceStart => "as captured (seconds since the start before each line)",
            Self::SinceLast => "as captured (seconds since the last line before each line)",
            Self::Iso => "as captured (date and time before each line)",
            Self::CurlTrace => "as captured (by curl, with --trace-time)",
        }
    }
}

/// A saved stream, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// Whose it is.
    pub api: Api,
    /// How it is known when the events came.
    pub timing: Timing,
    /// The model that answered, if the stream names it.
    pub model: Option<String>,
    /// What is to be said of it: that it broke off, what was left out. Sentences without a full stop.
    pub notes: Vec<String>,
    /// The pieces of the answer.
    pieces: Vec<Piece>,
    /// When the call was made, if the stream says so; ISO 8601.
    created_at: Option<String>,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    /// When it came, in nanoseconds since the start.
    at_nanos: Option<f64>,
    /// A JSON string.
    text: String,
    chars: usize,
}

/// True when a text looks like a stream that [`read`] may understand. Looks at its beginning only.
pub fn is_capture(text: &str) -> bool {
    let head = text
        .get(..text.floor_char_boundary(4096))
        .unwrap_or_default();
    let is_field = |line: &str| line.starts_with("data:") || line.starts_with("event:");
    head.lines()
        .any(|line| is_field(line) || line.split_once(' ').is_some_and(|(_, rest)| is_field(rest)))
        || trace::is_trace(head)
}

/// Understands a saved stream.
///
/// # Errors
///
/// Why it is none, as a sentence without a full stop.
pub fn read(text: &str) -> Result<Capture, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('[') {
        return read_list(text);
    }
    let Lines {
        events,
        timing,
        start_nanos,
    } = lines::read(text)?;
    let start = start_nanos
        .or_else(|| events.first().and_then(|event| event.at_nanos))
        .unwrap_or_default();
    let mut heard = Heard::default();
    for Event { data, at_nanos } in &events {
        heard.data(data, at_nanos.map(|at| at - start));
    }
    let mut capture = heard.finish(timing)?;
    if start_nanos.is_none() && timing != Timing::Estimated {
        capture.notes.push(
            "When the call began is not known; it is taken to begin with the first event"
                .to_owned(),
        );
    }
    Ok(capture)
}

/// A list of Gemini's answers.
fn read_list(text: &str) -> Result<Capture, String> {
    let (tree, _): (Tree, _) = json::parse(&Source::new(text));
    let mut heard = Heard::default();
    for event in tree.root().into_iter().flat_map(Node::items) {
        heard.event(event, None);
    }
    if !tree.is_well_formed() {
        heard.notes.push("The list breaks off".to_owned());
    }
    heard.finish(Timing::Estimated)
}

impl Capture {
    /// How many chunks the tape will have.
    pub fn chunks(&self) -> usize {
        self.pieces.len()
    }

    /// Returns the texts of the pieces in order: words, and each tool call as a JSON object of the type `tool_use`.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let texts = self.pieces.iter();
        texts.map(|piece| serde_json::from_str(&piece.text).unwrap_or_default())
    }

    /// The tape of this stream. Only where no times were captured does the plan's timing count; its pieces never do. `request`
    /// is the request as JSON, if it is known.
    pub fn tape(&self, plan: &Plan, request: Option<&str>) -> NewTape {
        let mut notes = self.notes.clone();
        notes.insert(
            0,
            match self.timing {
                Timing::Estimated => plan.timed(),
                timing => format!("The timing is {}", timing.words()),
            },
        );
        if request.is_none() {
            notes.push("The request is not in the stream; only the model is kept of it".to_owned());
        }
        let model = self.model.clone().or_else(|| plan.model.clone());
        let model = model.unwrap_or_else(|| "unknown".to_owned());
        NewTape {
            meta: Meta {
                label: plan.label.clone(),
                model: model.clone(),
                recorded_at: self
                    .created_at
                    .clone()
                    .unwrap_or_else(|| plan.recorded_at.clone()),
                sdk: Some(self.api.as_str().to_owned()),
                comment: Some(notes.join(". ") + "."),
            },
            request: match request {
                Some(request) => request.to_owned(),
                None => plan.request(&model, None, None),
            },
            chunks: self.delayed(plan),
            notes,
        }
    }

    fn delayed(&self, plan: &Plan) -> Vec<NewChunk> {
        let mut before = 0.0;
        let pieces = self.pieces.iter().enumerate();
        let chunks = pieces.map(|(index, piece)| NewChunk {
            delay_nanos: match piece.at_nanos {
                // Clocks may be set back.
                Some(at) => {
                    let delay = (at - before).max(0.0);
                    before = at;
                    delay
                }
                None => plan.timing.delay_nanos(index, piece.chars),
            },
            text: piece.text.clone(),
        });
        chunks.collect()
    }
}

/// Seconds in nanoseconds, to the whole one.
fn nanos(seconds: f64) -> f64 {
    (seconds * SECOND).round()
}
