//! The words of the model APIs: which call a request is, and how an answer is told.
//!
//! A chunk is told by an event with an empty delta where it is empty; where it is empty and no words stand beside it, by one
//! that clients pass over: `ping` with Anthropic, a comment with OpenAI's responses. A tool call that is cut into chunks is
//! told in parts of its input, each with its chunk; Gemini has no such parts, and tells it with the last of them.
//!
//! Spoken are Anthropic's messages, OpenAI's chat completions and responses, and Gemini's `generateContent` and
//! `streamGenerateContent`, streamed or not. Where an API tells of things that no recording knows, such as tokens, there
//! stands 0.

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

/// What an API wants to know of an answer beside what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voice {
    /// A number that no other answer of this server has.
    pub number: u64,
    /// The model's name.
    pub model: String,
    /// Seconds since 1970.
    pub created: i64,
}

/// Whether a piece is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// More follows, or nothing, because the stream breaks.
    Within,
    /// The answer ends with it.
    Last(Stop),
}

/// How one API tells an answer event by event.
trait Teller {
    /// Before the first piece.
    fn begin(&mut self, events: &mut Events);
    /// A chunk that says nothing, where no words stand beside it.
    fn pause(&mut self, events: &mut Events);
    fn piece(&mut self, said: &[Said], place: Place, events: &mut Events);
    /// An error in mid-stream.
    fn error(&mut self, kind: &str, message: &str, events: &mut Events);
}

/// Events on their way to the client.
#[derive(Debug)]
struct Events {
    form: Form,
    told: usize,
    text: String,
}

impl Events {
    /// An event that has a name.
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

    /// A line that clients pass over.
    fn comment(&mut self) {
        self.text += ":\n\n";
    }

    fn push(&mut self, data: &str) {
        self.text += &format!("data: {data}\n\n");
        self.told += 1;
    }
}

/// Tells one answer, piece by piece.
pub struct Telling {
    teller: Box<dyn Teller + Send>,
    events: Events,
    has_begun: bool,
}

impl Telling {
    /// Begins an answer to a call.
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

    /// The bytes of a piece of the answer; with the first come those that begin a stream, with the last those that end it.
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

/// The whole answer as one document.
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

/// All words that are said.
fn text_of(said: &[Said]) -> String {
    let texts = said.iter().filter_map(|said| match said {
        Said::Text(text) => Some(text.as_str()),
        Said::Call(_) => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests;
