//! What is found of recorded calls: where their parts are, as values of a tree or as their ids.

/// The API of a request or an answer, by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiShape {
    /// OpenAI's chat completions, and those of the many providers that have the same.
    Chat,
    /// Completions of a prompt, before chats.
    Completions,
    Responses,
    Anthropic,
    Gemini,
    Interactions,
    Converse,
    Titan,
    Llama,
    Ai21,
    /// Mistral's completions at Bedrock.
    MistralPrompt,
    CohereChat,
    CohereGenerate,
    OllamaChat,
    OllamaGenerate,
    TextGeneration,
    /// Vectors of texts: of no model that answers, and known so that they are not taken for such calls.
    Embeddings,
}

/// One recorded call: where its parts are, as values of a tree or as their ids.
#[derive(Clone, Copy, Debug)]
pub struct CallParts<N> {
    /// The value that names the call: the nearest one around its request and its answer, or its request where several calls have the
    /// same.
    pub node: N,
    /// The record of the answer, where it is another one.
    pub answer_node: Option<N>,
    pub sent: Option<PayloadAt<N>>,
    pub received: Option<PayloadAt<N>>,
    pub url: Option<N>,
    pub method: Option<N>,
    pub status: Option<N>,
    /// When it was made.
    pub time: Option<N>,
    /// The headers of the request and of the answer.
    pub headers: [Option<N>; 2],
    /// What the player of the recordings finds it by; only of a described format, as the next.
    pub key: Option<N>,
    /// The test that made it.
    pub test: Option<N>,
}

/// A request or an answer.
#[derive(Clone, Copy, Debug)]
pub struct PayloadAt<N> {
    pub node: N,
    pub form: PayloadForm,
    pub(super) side: Side,
    pub(super) api: Option<ApiShape>,
}

impl<N: Copy> CallParts<N> {
    /// Returns the same call with its values in another form.
    pub(super) fn map<M>(self, at: impl Fn(N) -> M + Copy) -> CallParts<M> {
        let payload = |payload: PayloadAt<N>| payload.map(at);
        CallParts {
            node: at(self.node),
            answer_node: self.answer_node.map(at),
            sent: self.sent.map(payload),
            received: self.received.map(payload),
            url: self.url.map(at),
            method: self.method.map(at),
            status: self.status.map(at),
            time: self.time.map(at),
            headers: self.headers.map(|headers| headers.map(at)),
            key: self.key.map(at),
            test: self.test.map(at),
        }
    }
}

impl<N: Copy> PayloadAt<N> {
    pub(super) fn map<M>(self, at: impl Fn(N) -> M) -> PayloadAt<M> {
        PayloadAt { node: at(self.node), form: self.form, side: self.side, api: self.api }
    }
}

/// How a file stores a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadForm {
    /// As a value; a stream as a list of its events.
    Tree,
    /// As text.
    Text,
    Base64,
    /// As a list of texts that follow each other after this separator.
    Lines(&'static str),
    /// As a list of pieces in Base64, each a text or under a key.
    Pieces,
    /// As messages of a WebSocket: those of the server in a part of a list, from this one on.
    Frames {
        first: usize,
        count: usize,
    },
    /// As a value in JSON that is stored as text: its bytes there.
    Inside {
        start: usize,
        end: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Answer,
    /// An error in place of an answer.
    Error,
}

/// What was found in a document.
#[derive(Clone, Debug)]
pub struct CallsFound<N> {
    /// In the order of the file.
    pub calls: Vec<CallParts<N>>,
    /// Requests and answers of which it is not certain which belong together.
    pub unsure: Vec<PayloadAt<N>>,
}

/// Not derived, because a value has no default.
impl<N> Default for CallsFound<N> {
    fn default() -> Self {
        Self { calls: Vec::new(), unsure: Vec::new() }
    }
}
