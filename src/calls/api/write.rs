//! Writes answers: what all APIs have in common.
//!
//! An empty chunk is sent as an event with an empty delta; if it is not next to text, as an event that clients ignore:
//! `ping` with Anthropic, a comment with OpenAI's responses. A tool call that is cut into chunks is sent in parts of
//! its input, each with its chunk; Gemini has no such parts and sends the call with the last of them.

use std::sync::Arc;

use super::request::text;
use super::{Api, ResponseForm, Route, ToolCall};
use crate::json::Json;
use document::Node;

/// A block of content to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentBlock {
    /// Plain text.
    Text(String),
    /// A part of a tool call.
    Call(CallPart),
}

/// The part of a tool call that is sent at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPart {
    /// The whole call; its input is incomplete if it broke off.
    pub call: Arc<ToolCall>,
    /// The part of its input.
    pub input: String,
    /// Whether this is the first part of the call.
    pub is_first: bool,
    /// Whether this is the last part of the call; no part is if the stream broke off inside the call.
    pub is_last: bool,
}

impl ContentBlock {
    /// Wraps a tool call that is sent in one part.
    pub fn whole_call(call: ToolCall) -> Self {
        Self::Call(CallPart {
            input: call.input.clone(),
            call: Arc::new(call),
            is_first: true,
            is_last: true,
        })
    }
}

/// Reason why a model stops generating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerStop {
    /// The answer is complete.
    #[default]
    End,
    /// It waits for tool results.
    Tools,
    /// The token limit is reached.
    Length,
    /// The model refuses, or a filter of content ends the answer.
    Filter,
}

impl AnswerStop {
    /// Returns the word of an API.
    pub(super) fn word(self, words: &[(Self, &'static str)]) -> &'static str {
        // The first of several rows is the word to write: `end_turn`, not `stop_sequence`.
        let word = words.iter().find(|(stop, _)| *stop == self);
        word.map_or("", |(_, word)| word)
    }
}

/// The reason why an answer ends, as an API says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopReason<'t> {
    pub word: &'t str,
    /// The meaning of the word, if it is known.
    pub stop: Option<AnswerStop>,
}

impl<'t> StopReason<'t> {
    /// Reads the word of an API under a key.
    pub(super) fn read(
        answer: Node<'t>,
        key: &str,
        words: &[(AnswerStop, &'static str)],
    ) -> Option<Self> {
        let word = text(answer, key)?;
        let stop = words.iter().find(|(_, w)| *w == word).map(|(stop, _)| *stop);
        Some(Self { word, stop })
    }
}

/// Values of a response besides its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseContext {
    /// A number that is unique among the answers of this server.
    pub number: u64,
    /// The model's name.
    pub model: String,
    /// Seconds since 1970.
    pub created: i64,
    pub tokens: TokenCounts,
}

/// Numbers of tokens of a call; 0 where no recording has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Of the request with those of a cache.
    pub input: usize,
    /// Of the answer with its reasoning.
    pub output: usize,
}

/// Continuation after content that is sent at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerEnd<'a> {
    /// More content, or the stream breaks off.
    Open,
    /// The answer ends, for this reason.
    Whole(AnswerStop),
    /// The stream reports an error and ends.
    Error { kind: &'a str, message: &'a str },
}

/// Writes an answer as the events of one API.
pub(super) trait EventWriter {
    /// Writes the events before the first content.
    fn begin(&mut self, _: &mut EventBuffer) {}
    /// Writes an empty chunk that is not next to text.
    fn pause(&mut self, events: &mut EventBuffer);
    fn text(&mut self, text: &str, events: &mut EventBuffer);
    fn call(&mut self, part: &CallPart, events: &mut EventBuffer);
    /// Writes the end of an answer that is complete.
    fn end(&mut self, stop: AnswerStop, events: &mut EventBuffer);
    /// Writes what is still to be written of content that is sent at one time.
    fn flush(&mut self, _: &mut EventBuffer) {}
    /// Writes an error in the middle of the stream.
    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer);
}

/// Events to send to the client.
#[derive(Debug)]
pub(super) struct EventBuffer {
    form: ResponseForm,
    count: usize,
    text: String,
}

impl EventBuffer {
    /// Adds a named event.
    pub(super) fn named(&mut self, name: &str, data: &Json) {
        self.text += &format!("event: {name}\n");
        self.push(data.as_str());
    }

    pub(super) fn data(&mut self, data: &Json) {
        match self.form {
            ResponseForm::List => {
                // Google's servers write this between the elements of a list.
                self.text += if self.count == 0 { "[" } else { ",\r\n" };
                self.text += data.as_str();
                self.count += 1;
            }
            _ => self.push(data.as_str()),
        }
    }

    /// Adds a comment, which clients ignore.
    pub(super) fn comment(&mut self) {
        self.text += ":\n\n";
    }

    pub(super) fn push(&mut self, data: &str) {
        self.text += &format!("data: {data}\n\n");
        self.count += 1;
    }
}

/// Writes one answer fragment by fragment.
pub struct ResponseWriter {
    writer: Box<dyn EventWriter + Send>,
    events: EventBuffer,
    has_begun: bool,
}

impl ResponseWriter {
    /// Starts an answer to a call. `with_usage`: whether the client requested an event with token counts.
    pub fn new(route: &Route, with_usage: bool, context: ResponseContext) -> Self {
        Self {
            writer: route.api.known().write_stream(context, with_usage),
            events: EventBuffer { form: route.form, count: 0, text: String::new() },
            has_begun: false,
        }
    }

    /// Returns the bytes of a fragment; the first includes the start of the stream, the last its end. `blocks` is
    /// `None` for the end of an answer without fragments.
    pub fn fragment(&mut self, blocks: Option<&[ContentBlock]>, end: AnswerEnd<'_>) -> String {
        let (writer, events) = (&mut self.writer, &mut self.events);
        if !std::mem::replace(&mut self.has_begun, true) {
            writer.begin(events);
        }
        if blocks.is_some_and(<[ContentBlock]>::is_empty) {
            writer.pause(events);
        }
        for block in blocks.unwrap_or_default() {
            match block {
                ContentBlock::Text(text) => writer.text(text, events),
                ContentBlock::Call(part) => writer.call(part, events),
            }
        }
        if let AnswerEnd::Whole(stop) = end {
            writer.end(stop, events);
        }
        // Gemini sends texts, calls and the end of a fragment as one event; an error is an event after it.
        writer.flush(events);
        if let AnswerEnd::Error { kind, message } = end {
            writer.error(kind, message, events);
        }
        // A stream that breaks off leaves its list open, as a cut connection does.
        if self.events.form == ResponseForm::List && end != AnswerEnd::Open {
            self.events.text += "]";
        }
        std::mem::take(&mut self.events.text)
    }
}

/// Returns a whole answer as one document.
pub fn whole_response<'a>(
    api: Api,
    content: impl Iterator<Item = &'a ContentBlock>,
    stop: AnswerStop,
    context: &ResponseContext,
) -> String {
    let mut blocks: Vec<ContentBlock> = Vec::new();
    for block in content {
        match (blocks.last_mut(), block) {
            (Some(ContentBlock::Text(last)), ContentBlock::Text(text)) => last.push_str(text),
            (_, ContentBlock::Call(CallPart { is_first, call, .. })) => {
                // Each part has the whole call, so the others would repeat it.
                blocks.extend(is_first.then(|| ContentBlock::whole_call(ToolCall::clone(call))));
            }
            _ => blocks.push(block.clone()),
        }
    }
    // An empty chunk is a pause in a stream; a whole answer has no time.
    blocks.retain(|block| *block != ContentBlock::Text(String::new()));
    api.known().write_answer(&blocks, stop, context).into_string()
}

/// Builds the body of an error; without an API, in a generic format.
pub fn error_body(api: Option<Api>, status: u16, message: &str) -> String {
    // Clients of all APIs look for `error.message`, which Anthropic's body has, too.
    api.unwrap_or(Api::AnthropicMessages).known().write_error(status, message).into_string()
}

/// Returns the kind of an error with this status, as Anthropic and OpenAI name it.
pub(super) fn error_kind(status: u16) -> &'static str {
    match status {
        403 => "permission_error",
        404 => "not_found_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    }
}
