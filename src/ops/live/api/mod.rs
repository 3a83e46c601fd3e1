//! The formats of the model APIs: parses requests and writes answers.
//!
//! An empty chunk is sent as an event with an empty delta; if it is not next to text, as an event that clients ignore:
//! `ping` with Anthropic, a comment with OpenAI's responses. A tool call that is cut into chunks is sent in parts of
//! its input, each with its chunk; Gemini has no such parts and sends the call with the last of them.
//!
//! Supports Anthropic's messages, OpenAI's chat completions and responses, and Gemini's `generateContent` and
//! `streamGenerateContent`, streamed or not. Values that no recording has, such as token counts, are 0.

mod anthropic;
mod chat;
mod conversation;
mod error_body;
mod gemini;
mod request;
mod responses;
mod route;

use super::answer::{
    AnswerEnding, AnswerStop, CallPart, ContentBlock, ServedAnswer, ServedToolCall,
};
use super::json::Json;
use crate::ops::tape::sse::Api;

pub use error_body::error_body;
pub use request::ClientCall;
pub use route::{ResponseForm, Route};

/// Values of a response besides its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseContext {
    /// A number that is unique among the answers of this server.
    pub number: u64,
    /// The model's name.
    pub model: String,
    /// Seconds since 1970.
    pub created: i64,
}

/// Whether a fragment is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FragmentPosition {
    /// More follows, or the stream breaks off.
    Within,
    /// The answer ends with it, for this reason.
    Last(AnswerStop),
}

/// Writes an answer as the events of one API.
trait EventWriter {
    /// Writes the events before the first fragment.
    fn begin(&mut self, events: &mut EventBuffer);
    /// Writes an empty chunk that is not next to text.
    fn pause(&mut self, events: &mut EventBuffer);
    fn fragment(
        &mut self,
        blocks: &[ContentBlock],
        place: FragmentPosition,
        events: &mut EventBuffer,
    );
    /// Writes an error in the middle of the stream.
    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer);
}

/// Events to send to the client.
#[derive(Debug)]
struct EventBuffer {
    form: ResponseForm,
    count: usize,
    text: String,
}

impl EventBuffer {
    /// Adds a named event.
    fn named(&mut self, name: &str, data: &Json) {
        self.text += &format!("event: {name}\n");
        self.push(data.as_str());
    }

    fn data(&mut self, data: &Json) {
        match self.form {
            ResponseForm::List => {
                self.text += if self.count == 0 { "[" } else { ",\r\n" };
                self.text += data.as_str();
                self.count += 1;
            }
            _ => self.push(data.as_str()),
        }
    }

    /// Adds a comment, which clients ignore.
    fn comment(&mut self) {
        self.text += ":\n\n";
    }

    fn push(&mut self, data: &str) {
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
    /// Starts an answer to a call.
    pub fn new(route: &Route, call: &ClientCall, context: ResponseContext) -> Self {
        let writer: Box<dyn EventWriter + Send> = match route.api {
            Api::AnthropicMessages => Box::new(anthropic::Messages::new(context)),
            Api::OpenAiChat => Box::new(chat::Chat::new(context, call.wants_usage())),
            Api::OpenAiResponses => Box::new(responses::Responses::new(context)),
            Api::Gemini => Box::new(gemini::Gemini::new(context)),
        };
        Self {
            writer,
            events: EventBuffer {
                form: route.form,
                count: 0,
                text: String::new(),
            },
            has_begun: false,
        }
    }

    /// Returns the bytes of a fragment; the first includes the start of the stream, the last its end.
    pub fn fragment(&mut self, answer: &ServedAnswer, index: usize) -> String {
        self.begin();
        let is_last = index + 1 >= answer.fragments.len();
        let place = match answer.ending {
            AnswerEnding::Whole(stop) if is_last => FragmentPosition::Last(stop),
            _ => FragmentPosition::Within,
        };
        let blocks = answer.fragments.get(index).map(|piece| &*piece.blocks);
        if blocks.is_some_and(<[ContentBlock]>::is_empty) {
            self.writer.pause(&mut self.events);
        }
        let blocks = blocks.unwrap_or_default();
        self.writer.fragment(blocks, place, &mut self.events);
        if let (true, AnswerEnding::Error { kind, message }) = (is_last, &answer.ending) {
            self.writer.error(kind, message, &mut self.events);
        }
        let is_over = is_last && answer.ending != AnswerEnding::CutOff;
        if self.events.form == ResponseForm::List && is_over {
            self.events.text += "]";
        }
        std::mem::take(&mut self.events.text)
    }

    fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.writer.begin(&mut self.events);
        }
    }
}

/// Returns the whole answer as one document.
pub fn whole_response(api: Api, answer: &ServedAnswer, context: &ResponseContext) -> String {
    let mut blocks: Vec<ContentBlock> = Vec::new();
    for block in answer.blocks() {
        match (blocks.last_mut(), block) {
            (Some(ContentBlock::Text(before)), ContentBlock::Text(text)) => before.push_str(text),
            (_, ContentBlock::Call(CallPart { is_first, call, .. })) => {
                blocks.extend(
                    is_first.then(|| ContentBlock::whole_call(ServedToolCall::clone(call))),
                );
            }
            _ => blocks.push(block.clone()),
        }
    }
    blocks.retain(|block| *block != ContentBlock::Text(String::new()));
    let stop = match answer.ending {
        AnswerEnding::Whole(stop) => stop,
        _ => AnswerStop::End,
    };
    let json = match api {
        Api::AnthropicMessages => anthropic::whole(&blocks, stop, context),
        Api::OpenAiChat => chat::whole(&blocks, stop, context),
        Api::OpenAiResponses => responses::whole(&blocks, stop, context),
        Api::Gemini => gemini::whole(&blocks, stop, context),
    };
    json.into_string()
}

/// Returns all text of the blocks.
fn text_of(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().filter_map(|blocks| match blocks {
        ContentBlock::Text(text) => Some(text.as_str()),
        ContentBlock::Call(_) => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests;
