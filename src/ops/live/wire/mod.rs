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
mod fault;
mod gemini;
mod request;
mod responses;
mod route;
mod turns;

use super::answer::{Answer, Call, Ending, Part, Said, Stop};
use super::json::Json;
use crate::ops::tape::sse::Api;

pub use fault::fault;
pub use request::ClientCall;
pub use route::{Form, Route};

/// Values of a response besides its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voice {
    /// A number that is unique among the answers of this server.
    pub number: u64,
    /// The model's name.
    pub model: String,
    /// Seconds since 1970.
    pub created: i64,
}

/// Whether a fragment is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// More follows, or the stream breaks off.
    Within,
    /// The answer ends with it, for this reason.
    Last(Stop),
}

/// Writes an answer as the events of one API.
trait Teller {
    /// Writes the events before the first fragment.
    fn begin(&mut self, events: &mut Events);
    /// Writes an empty chunk that is not next to text.
    fn pause(&mut self, events: &mut Events);
    fn piece(&mut self, said: &[Said], place: Place, events: &mut Events);
    /// Writes an error in the middle of the stream.
    fn error(&mut self, kind: &str, message: &str, events: &mut Events);
}

/// Events to send to the client.
#[derive(Debug)]
struct Events {
    form: Form,
    told: usize,
    text: String,
}

impl Events {
    /// Adds a named event.
    fn named(&mut self, name: &str, data: &Json) {
        self.text += &format!("event: {name}\n");
        self.push(data.as_str());
    }

    fn data(&mut self, data: &Json) {
        match self.form {
            Form::List => {
                self.text += if self.told == 0 { "[" } else { ",\r\n" };
                self.text += data.as_str();
                self.told += 1;
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
        self.told += 1;
    }
}

/// Writes one answer fragment by fragment.
pub struct Telling {
    teller: Box<dyn Teller + Send>,
    events: Events,
    has_begun: bool,
}

impl Telling {
    /// Starts an answer to a call.
    pub fn new(route: &Route, call: &ClientCall, voice: Voice) -> Self {
        let teller: Box<dyn Teller + Send> = match route.api {
            Api::AnthropicMessages => Box::new(anthropic::Messages::new(voice)),
            Api::OpenAiChat => Box::new(chat::Chat::new(voice, call.wants_usage())),
            Api::OpenAiResponses => Box::new(responses::Responses::new(voice)),
            Api::Gemini => Box::new(gemini::Gemini::new(voice)),
        };
        Self {
            teller,
            events: Events {
                form: route.form,
                told: 0,
                text: String::new(),
            },
            has_begun: false,
        }
    }

    /// Returns the bytes of a fragment; the first includes the start of the stream, the last its end.
    pub fn piece(&mut self, answer: &Answer, index: usize) -> String {
        self.begin();
        let is_last = index + 1 >= answer.pieces.len();
        let place = match answer.ending {
            Ending::Whole(stop) if is_last => Place::Last(stop),
            _ => Place::Within,
        };
        let said = answer.pieces.get(index).map(|piece| &*piece.said);
        if said.is_some_and(<[Said]>::is_empty) {
            self.teller.pause(&mut self.events);
        }
        let said = said.unwrap_or_default();
        self.teller.piece(said, place, &mut self.events);
        if let (true, Ending::Error { kind, message }) = (is_last, &answer.ending) {
            self.teller.error(kind, message, &mut self.events);
        }
        let is_over = is_last && answer.ending != Ending::CutOff;
        if self.events.form == Form::List && is_over {
            self.events.text += "]";
        }
        std::mem::take(&mut self.events.text)
    }

    fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.teller.begin(&mut self.events);
        }
    }
}

/// Returns the whole answer as one document.
pub fn whole(api: Api, answer: &Answer, voice: &Voice) -> String {
    let mut said: Vec<Said> = Vec::new();
    for one in answer.said() {
        match (said.last_mut(), one) {
            (Some(Said::Text(before)), Said::Text(text)) => before.push_str(text),
            (_, Said::Call(Part { is_first, call, .. })) => {
                said.extend(is_first.then(|| Said::call(Call::clone(call))));
            }
            _ => said.push(one.clone()),
        }
    }
    said.retain(|one| *one != Said::Text(String::new()));
    let stop = match answer.ending {
        Ending::Whole(stop) => stop,
        _ => Stop::End,
    };
    let json = match api {
        Api::AnthropicMessages => anthropic::whole(&said, stop, voice),
        Api::OpenAiChat => chat::whole(&said, stop, voice),
        Api::OpenAiResponses => responses::whole(&said, stop, voice),
        Api::Gemini => gemini::whole(&said, stop, voice),
    };
    json.into_string()
}

/// Returns all text of the blocks.
fn text_of(said: &[Said]) -> String {
    let texts = said.iter().filter_map(|said| match said {
        Said::Text(text) => Some(text.as_str()),
        Said::Call(_) => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests;
