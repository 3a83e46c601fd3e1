//! One call of a model, whatever file holds it. A file may hold none, one or many.

use std::borrow::Cow;

use super::recording::{Message, MessageBlock, RecordedAnswer, Recording, Request};
use super::{Document, DocumentBody, NodeId};

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

/// What is known of a call besides its content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallFacts {
    /// Who answered, such as `OpenAI`.
    pub provider: Option<String>,
    /// The API, such as `OpenAI chat completions`.
    pub api: Option<&'static str>,
    pub model: Option<String>,
    /// Settings such as `temperature`, each with its value as JSON.
    pub parameters: Vec<(&'static str, String)>,
    /// Number of tokens of the request.
    pub input_tokens: Option<u64>,
    /// Number of tokens of the answer.
    pub output_tokens: Option<u64>,
    /// As written.
    pub started_at: Option<String>,
    /// From the request to the end of the answer.
    pub duration_nanos: Option<f64>,
    pub http: Option<HttpExchange>,
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
}

/// Why a call has no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// The HTTP status is an error.
    Status(u16),
    NoAnswer,
}

impl<'d> ModelCall<'d> {
    /// Returns the call of a recording or a request; `None` for another document.
    pub fn from_document(document: Cow<'d, Document>) -> Option<Self> {
        document.body.request()?;
        Some(Self {
            node: NodeId::ROOT,
            facts: CallFacts::default(),
            document,
        })
    }

    /// Returns whether the file is this call, not a list that has it in it.
    pub fn is_file(&self) -> bool {
        self.node == NodeId::ROOT
    }

    pub fn answer(&self) -> Option<&RecordedAnswer> {
        self.document.body.answer()
    }

    /// Returns why it has no usable answer; `None` if it has one.
    pub fn failure(&self) -> Option<CallFailure> {
        let status = self.facts.http.as_ref().map(|http| http.status);
        match status.filter(|status| *status >= 400) {
            Some(status) => Some(CallFailure::Status(status)),
            None if self.answer().is_none() => Some(CallFailure::NoAnswer),
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
