//! One call of a model, whatever file holds it. A file may hold none, one or many.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::recording::{Message, MessageBlock, RecordedAnswer, Recording, Request};
use super::{Document, DocumentBody, Node, NodeId};
use crate::text::{Source, counted, named_enum};

/// One call of a model.
///
/// Its content is a recording of the call, or a bare request if there is no answer. In files of these kinds that is the file
/// itself, and its values have their places in it; of other formats it is converted.
#[derive(Clone, Debug)]
pub struct ModelCall<'d> {
    /// The value of the file that holds the call; the root if it holds only one.
    pub node: NodeId,
    /// The recording or the request.
    pub document: Cow<'d, Document>,
    pub facts: CallFacts,
}

/// Facts of a call besides its content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallFacts {
    /// Provider that answered, such as `OpenAI`.
    pub provider: Option<String>,
    /// The API, such as `OpenAI chat completions`.
    pub api: Option<&'static str>,
    pub model: Option<String>,
    /// Settings such as `temperature`, each with its value as JSON.
    pub parameters: Vec<(&'static str, String)>,
    /// Number of tokens of the request with those of a cache.
    pub input_tokens: Option<u64>,
    /// Number of tokens of the answer with its reasoning.
    pub output_tokens: Option<u64>,
    /// As written.
    pub started_at: Option<String>,
    /// From the request to the end of the answer.
    pub duration_nanos: Option<f64>,
    pub http: Option<HttpExchange>,
    /// Whether the source says that it failed, where that is not seen from a status of HTTP.
    pub is_failed: bool,
    /// What the player of the recordings finds it by, and the test that made it; where the description of a format says so.
    pub key: Option<String>,
    pub test: Option<String>,
    /// Only of calls that are read to be served.
    pub served: Option<ServedFacts>,
}

/// Facts of a call by which the same request is answered again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServedFacts {
    /// Keys of its request, the strictest first.
    pub keys: Vec<u64>,
    /// The answer as it was received; `None` if it is no text of the call's API.
    pub received: Option<String>,
}

/// The HTTP side of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HttpExchange {
    /// Such as `POST`.
    pub method: String,
    pub url: String,
    /// Status of the answer; 0 if there is none.
    pub status: u16,
    pub request_headers: Vec<(String, String)>,
    pub response_headers: Vec<(String, String)>,
    /// Body of the request; `None` where the format has no bodies of its own.
    pub request_body: Option<HttpBody>,
    /// Body of the answer.
    pub response_body: Option<HttpBody>,
}

/// A body of an HTTP message, without the layers around its content.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpBody {
    /// The value of the file that holds it.
    pub node: NodeId,
    /// The layers around its content, outermost first.
    pub layers: Vec<BodyLayer>,
    /// Size on the network: without the layers of the file, with those of HTTP. `None` if it is stored as a tree.
    pub sent_bytes: Option<usize>,
    pub form: BodyForm,
    pub content: BodyContent,
    /// Reason a layer could not be removed. The content is then the bytes in it.
    pub fault: Option<BodyFault>,
    /// Whether it is only a part of the text of its value, which cannot be written in place of that.
    pub is_inside: bool,
}

/// Form in which a file stores a body.
#[derive(Clone, Debug)]
pub enum StoredBody<'a> {
    Missing,
    /// The text is the body.
    Text(Node<'a>),
    Base64(Node<'a>),
    Hex(Node<'a>),
    /// The text is JSON that was written again: not the bytes that were sent.
    JsonText(Node<'a>),
    /// The value itself, as JSON.
    Tree(Node<'a>),
    /// The parts of a stream, and the value that holds them.
    Parts(Node<'a>, Vec<StoredBody<'a>>),
    /// The lines of a text, the value that holds them, and what is between two of them.
    Lines(Node<'a>, Vec<Node<'a>>, &'static str),
    /// A value in JSON that is stored as text, by its bytes in that text.
    Inside(Node<'a>, Range<usize>),
}

/// The content of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyContent {
    Text(Source),
    /// Bytes that are not UTF-8.
    Bytes(Vec<u8>),
    /// The value of the file that is the content, as JSON.
    Tree(NodeId),
}

named_enum! {
    /// A layer around the content of a body.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BodyLayer {
        Base64 = "base64",
        Hex = "hex",
        /// Gzip in which the file stores a body, whatever was received.
        RawGzip = "gzip",
        /// Chunks of HTTP/1.1 with their sizes.
        Chunked = "chunked",
        Gzip = "gzip",
        Deflate = "deflate",
        Brotli = "br",
        Zstd = "zstd",
    }

    /// The name, as HTTP has it where it is one of HTTP.
    pub fn as_str;
}

named_enum! {
    /// Form of the content of a body.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BodyForm {
        Empty = "empty",
        Json = "JSON",
        /// Server-sent events.
        Events = "events",
        /// Messages of `application/vnd.amazon.eventstream`.
        EventStream = "event stream",
        /// Fields of a form in one line.
        Form = "form",
        Multipart = "multipart",
        Text = "text",
        Binary = "bytes",
    }

    /// The name in a list of layers.
    pub fn as_str;
}

/// Reason a body could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// The bytes are not what the layer requires, or break off.
    Invalid(BodyLayer),
    /// The headers name the layer. It is not there, and what is there is damaged: often compressed bytes that were stored as text.
    Unreadable(BodyLayer),
    /// More comes out than the limit, in bytes.
    TooLarge(BodyLayer, usize),
}

impl fmt::Display for BodyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(layer) => write!(f, "it is not valid {}", layer.as_str()),
            Self::Unreadable(layer) => {
                write!(f, "it is not in {}, and not readable without it", layer.as_str())
            }
            Self::TooLarge(layer, max_bytes) => {
                // The limit is a whole number of MiB.
                let limit = counted(max_bytes >> 20, "MiB", "MiB");
                write!(f, "{} expands to more than {limit}", layer.as_str())
            }
        }
    }
}

impl HttpBody {
    /// Returns its bytes, unless it is stored as a tree.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            BodyContent::Text(text) => Some(text.text().as_bytes()),
            BodyContent::Bytes(bytes) => Some(bytes),
            BodyContent::Tree(_) => None,
        }
    }

    /// Returns its text, if it is stored as one.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            BodyContent::Text(text) => Some(text.text()),
            BodyContent::Bytes(_) | BodyContent::Tree(_) => None,
        }
    }
}

/// Reason a call has no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// The HTTP status is an error.
    Status(u16),
    /// The source says so, without a status.
    Failed,
    NoAnswer,
    /// The received body is in a form that is not read.
    UnreadAnswer,
}

impl CallFailure {
    /// Returns whether the call itself failed.
    pub fn is_of_call(self) -> bool {
        matches!(self, Self::Status(_) | Self::Failed)
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "HTTP status {status}"),
            Self::Failed => f.write_str("Failed"),
            Self::NoAnswer => f.write_str("No answer"),
            Self::UnreadAnswer => f.write_str("The answer is in a form that is not read"),
        }
    }
}

impl<'d> ModelCall<'d> {
    /// Returns the call of a recording or a request; `None` for another document.
    pub fn from_document(document: Cow<'d, Document>) -> Option<Self> {
        document.body.request()?;
        Some(Self { node: NodeId::ROOT, facts: CallFacts::default(), document })
    }

    /// Returns whether a model was called. In files of HTTP calls there are others beside, which have no request to a model.
    pub fn is_of_model(&self) -> bool {
        self.document.body.request().is_some()
    }

    /// Returns whether the file is this call as a recording, so that the values of the document are those of the file.
    pub fn is_file(&self) -> bool {
        self.node == NodeId::ROOT && matches!(self.document, Cow::Borrowed(_))
    }

    pub fn answer(&self) -> Option<&RecordedAnswer> {
        self.document.body.answer()
    }

    /// Returns why it has no usable answer; `None` if it has one.
    pub fn failure(&self) -> Option<CallFailure> {
        let status = self.facts.http.as_ref().map(|http| http.status);
        // The status decides before the body, because the body of an error may be read as an answer.
        match status.filter(|status| *status >= 400) {
            Some(status) => Some(CallFailure::Status(status)),
            None if self.facts.is_failed => Some(CallFailure::Failed),
            None if self.is_of_model() && self.answer().is_none() => {
                let body = self.facts.http.as_ref().and_then(|http| http.response_body.as_ref());
                Some(match body.map(|body| &body.content) {
                    Some(BodyContent::Text(text)) if text.text().trim().is_empty() => {
                        CallFailure::NoAnswer
                    }
                    Some(_) => CallFailure::UnreadAnswer,
                    None => CallFailure::NoAnswer,
                })
            }
            None => None,
        }
    }
}

impl DocumentBody {
    pub fn recording(&self) -> Option<&Recording> {
        match self {
            Self::Recording(recording) => Some(recording),
            _ => None,
        }
    }

    /// Returns the request of a recording, or a bare one.
    pub fn request(&self) -> Option<&Request> {
        match self {
            Self::Recording(recording) => Some(&recording.request),
            Self::Request(request) => Some(request),
            _ => None,
        }
    }

    /// Returns the answer of a recording.
    pub fn answer(&self) -> Option<&RecordedAnswer> {
        self.recording()?.answer.as_ref()
    }
}

impl Message {
    /// Returns its texts in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(MessageBlock::text)
    }
}

impl RecordedAnswer {
    /// Returns its texts in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(MessageBlock::text)
    }

    /// Returns the names of the tools it calls, in order.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            MessageBlock::ToolUse(call) => super::text(&call.name),
            _ => None,
        })
    }
}

impl MessageBlock {
    /// Returns the text of a block that is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.value),
            _ => None,
        }
    }
}
