//! The APIs of models: recognises, reads and writes requests, answers, streams and errors.
//!
//! Each API has a file with everything that is known of it, in both directions: `anthropic.rs` (Anthropic's messages),
//! `openai_chat.rs`, `openai_responses.rs` and `gemini.rs` (`generateContent` and `streamGenerateContent`). What is
//! read is plain data: a [`ModelRequest`], a [`ModelAnswer`], or the events of a stream. Numbers that no recording has are written as 0.
//!
//! Tapes are made from streams in [`sse`](super::tape::sse), and calls are answered in `play::live`.

mod answer;
mod anthropic;
mod event_lines;
mod gemini;
mod openai_chat;
mod openai_responses;
mod provider;
mod request;
mod route;
mod stream;
mod stream_end;
mod write;
mod write_request;

use super::json::Json;
use document::shapes::{self, ApiShape};
use document::text::{Source, named_enum};
use document::{Node, json};
use write::EventWriter;

pub use answer::ModelAnswer;
pub(crate) use event_lines::{SseEvent, SseReader, lines};
pub use gemini::sdk_request;
pub use provider::Provider;
pub(crate) use provider::provider_of_folder;
pub(crate) use request::input_text;
pub use request::{
    BlockContent, MessageRole, ModelBlock, ModelMessage, ModelRequest, ModelTool, ToolCall,
};
pub(crate) use route::unescaped_model;
pub use route::{ResponseForm, Route};
pub use stream::ApiError;
pub(crate) use stream::{StreamEvent, read_event};
pub use stream_end::has_stream_end;
pub use write::{
    AnswerEnd, AnswerStop, CallPart, ContentBlock, ResponseContext, ResponseWriter, StopReason,
    TokenCounts, error_body, whole_response,
};

/// Number of lines of a stream in which an event must show its API.
const MAX_FIRST_LINES: usize = 24;

named_enum! {
    /// The API of a call.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Api {
        /// Anthropic's messages.
        AnthropicMessages = "Anthropic messages",
        /// OpenAI's chat completions.
        OpenAiChat = "OpenAI chat completions",
        /// OpenAI's responses.
        OpenAiResponses = "OpenAI responses",
        /// Gemini's `generateContent` and `streamGenerateContent`.
        Gemini = "Gemini streamGenerateContent",
    }

    /// Returns the display name.
    pub fn as_str;
}

/// One API in both directions: routes, requests, answers, streams and errors.
trait ModelApi {
    /// Finds the call for the path of an address without its query, if it is one of this API.
    fn route(&self, path: &str, query: Option<&str>) -> Option<Route>;
    fn read_request<'t>(&self, body: Node<'t>) -> ModelRequest<'t>;
    /// Reads a whole answer; `None` if it is not one of this API.
    fn read_answer<'t>(&self, body: Node<'t>) -> Option<ModelAnswer<'t>>;
    /// Reads an event of a stream, which is not an error, and adds what it says.
    fn read_event<'t>(&self, event: Node<'t>, events: &mut Vec<StreamEvent<'t>>);
    /// Writes the body of a request.
    fn write_request(&self, request: &ModelRequest<'_>, is_stream: bool) -> Json;
    /// Returns the address for requests.
    fn address(&self, model: &str, is_stream: bool) -> String;
    fn write_answer(
        &self,
        blocks: &[ContentBlock],
        stop: AnswerStop,
        context: &ResponseContext,
    ) -> Json;
    /// Starts a stream. `with_usage`: whether the client requested an event with token counts.
    fn write_stream(
        &self,
        context: ResponseContext,
        with_usage: bool,
    ) -> Box<dyn EventWriter + Send>;
    fn write_error(&self, status: u16, message: &str) -> Json;
}

impl Api {
    pub const ALL: [Self; 4] =
        [Self::AnthropicMessages, Self::OpenAiChat, Self::OpenAiResponses, Self::Gemini];

    /// Finds the API with this display name.
    pub fn from_name(name: &str) -> Option<Self> {
        // Gemini's whole answers have a name of their own.
        let is_gemini = |api: &Self| *api == Self::Gemini && name.starts_with("Gemini ");
        Self::ALL.into_iter().find(|api| api.as_str() == name || is_gemini(api))
    }

    /// Returns the API by which models of this name are usually called.
    pub fn of_model(model: &str) -> Option<Self> {
        const STARTS: [(&str, Api); 7] = [
            ("claude", Api::AnthropicMessages),
            ("gemini", Api::Gemini),
            ("gpt-", Api::OpenAiChat),
            ("chatgpt", Api::OpenAiChat),
            ("o1", Api::OpenAiChat),
            ("o3", Api::OpenAiChat),
            ("o4", Api::OpenAiChat),
        ];
        // Libraries for several providers write the provider before the model.
        let name = model.rsplit(['/', ':']).next().unwrap_or(model);
        let row = STARTS.iter().find(|(start, _)| name.starts_with(start));
        row.map(|(_, api)| *api)
    }

    fn known(self) -> &'static dyn ModelApi {
        match self {
            Self::AnthropicMessages => &anthropic::AnthropicMessages,
            Self::OpenAiChat => &openai_chat::OpenAiChat,
            Self::OpenAiResponses => &openai_responses::OpenAiResponses,
            Self::Gemini => &gemini::Gemini,
        }
    }

    /// Recognises the API of an answer, or of an event of a stream.
    pub fn of_answer(answer: Node<'_>) -> Option<Self> {
        shapes::of_known_answer(answer).and_then(Self::of_shape)
    }

    /// Recognises the API of a stream by its first events.
    pub fn of_stream(text: &str) -> Option<Self> {
        let mut reader = SseReader::default();
        lines(text).take(MAX_FIRST_LINES).for_each(|line| reader.line(line, None));
        let events = reader.finish();
        events.iter().find_map(|event| {
            Self::of_answer(json::parse(&Source::new(event.data.as_str())).0.root()?)
        })
    }

    /// Recognises the API of a request by its body.
    pub fn of_request(body: Node<'_>) -> Option<Self> {
        shapes::of_known_request(body).and_then(Self::of_shape)
    }

    fn of_shape(shape: ApiShape) -> Option<Self> {
        Some(match shape {
            ApiShape::Anthropic => Self::AnthropicMessages,
            ApiShape::Chat => Self::OpenAiChat,
            ApiShape::Responses => Self::OpenAiResponses,
            ApiShape::Gemini => Self::Gemini,
            // Read by translation to one of these.
            _ => return None,
        })
    }

    /// Recognises the API of a call: by its path, by the body of the request, or else by its host.
    pub fn of_call(host: &str, path: &str, body: Option<Node<'_>>) -> Option<Self> {
        // The host comes last: one provider may serve several APIs, and `messages` is the body of two.
        let route = Route::from_request("POST", path, None).map(|route| route.api);
        let api = route.or_else(|| body.and_then(Self::of_request));
        api.or_else(|| Provider::at(host, path).map(|provider| provider.api))
    }

    /// Reads the body of a request.
    pub fn read_request(self, body: Node<'_>) -> ModelRequest<'_> {
        self.known().read_request(body)
    }

    /// Reads a whole answer; `None` if it is not one of this API.
    pub fn read_answer(self, body: Node<'_>) -> Option<ModelAnswer<'_>> {
        self.known().read_answer(body)
    }
}

/// The words of all APIs.
const STOPS: [&[(AnswerStop, &str)]; 4] =
    [&anthropic::STOPS, &openai_chat::STOPS, &openai_responses::STOPS, &gemini::STOPS];

impl AnswerStop {
    /// Returns what a word means, whatever API it is of; `None` if that is unknown.
    pub fn from_word(word: &str) -> Option<Self> {
        let mut words = STOPS.into_iter().flatten();
        words.find(|(_, w)| *w == word).map(|(stop, _)| *stop)
    }

    /// Returns the word of recordings for one of any API: theirs are Anthropic's. `None` for the end of an answer that may wait for
    /// tool results.
    pub fn recorded_word(word: &str) -> Option<&str> {
        let stops = anthropic::STOPS;
        match Self::from_word(word) {
            Some(stop) if stops.iter().all(|(_, w)| *w != word) => {
                (stop != Self::End).then(|| stop.word(&stops))
            }
            _ => Some(word),
        }
    }
}
