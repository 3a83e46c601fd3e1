//! The events of a stream, independent of the API.

use std::fmt;

use super::request::text;
use super::{Api, StopReason, ToolCall};
use document::call::{BodyContent, HttpExchange};
use document::text::Source;
use document::{Document, Node, NodeKind, json};

/// The most bytes of a body that may be an error.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// One fact of an event of a stream; an event may have several.
#[derive(Clone, Debug)]
pub(crate) enum StreamEvent<'t> {
    /// The answer's id, model and time. May be repeated.
    Head {
        id: Option<&'t str>,
        model: Option<&'t str>,
        /// When the call was made; ISO 8601.
        created_at: Option<String>,
    },
    /// A text; not always a string.
    Text(Option<Node<'t>>),
    /// A text that the model thought.
    Reasoning(Option<Node<'t>>),
    /// Other content, as the subject of a sentence.
    Other(&'static str),
    /// A tool call begins. May be repeated, with the values that were missing.
    CallStart {
        index: u64,
        id: Option<&'t str>,
        name: Option<&'t str>,
    },
    /// A part of a tool call's input.
    CallInput {
        index: u64,
        json: Option<Node<'t>>,
    },
    /// A tool call ends, if it began.
    CallEnd {
        index: u64,
    },
    /// A whole tool call, which may have begun before. Its input may be empty.
    Call {
        index: Option<u64>,
        call: ToolCall,
    },
    /// All tool calls end.
    CallsEnd,
    Tokens {
        input: Option<u64>,
        output: Option<u64>,
    },
    /// The reason why the answer ends.
    Stop(StopReason<'t>),
    /// A note for the user: a sentence without a full stop.
    Note(String),
    Error(ApiError),
    /// The stream ends.
    End,
}

/// An error that an API reports, in a stream or in place of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// Such as `overloaded_error`.
    pub kind: String,
    /// Human-readable message.
    pub message: String,
}

impl<'t> StreamEvent<'t> {
    /// Reads what is known of an answer besides its content; no two APIs have different values under the same key.
    pub(super) fn head(answer: Node<'t>) -> Self {
        let model = text(answer, "model").or_else(|| text(answer, "modelVersion"));
        let created = answer.get("created").or_else(|| answer.get("created_at"));
        Self::Head {
            id: text(answer, "id").or_else(|| text(answer, "responseId")),
            model: model.filter(|model| !model.is_empty()),
            created_at: instant(created).or_else(|| text(answer, "createTime").map(str::to_owned)),
        }
    }

    /// Reads the numbers of tokens in `usage`.
    pub(super) fn tokens(usage: Option<Node<'_>>, keys: &TokenKeys) -> Self {
        let count = |key: &&str| number(usage?.get(key));
        // Counts in a file may have any size, so their sum could overflow.
        let sum = |keys: &[&str]| keys.iter().filter_map(count).reduce(u64::saturating_add);
        let input = sum(keys.input);
        // xAI counts reasoning only in the total.
        let total = keys.total.as_ref().and_then(count);
        let remainder = total.zip(input).map(|(total, input)| total.saturating_sub(input));
        let output = sum(keys.output).max(remainder.filter(|r| *r > 0));
        Self::Tokens { input, output }
    }
}

/// Keys in the usage of an API, which are added up: what is cached is not part of the first number of each.
pub(super) struct TokenKeys {
    pub(super) input: &'static [&'static str],
    pub(super) output: &'static [&'static str],
    pub(super) total: Option<&'static str>,
}

impl ApiError {
    /// Reads the object of an error, or an event of the type `error`.
    pub(super) fn read(error: Node<'_>) -> Self {
        let text = |key| text(error, key);
        // `error` is the type of an event; the kind is then in `code` (OpenAI) or `status` (Google).
        let kind = text("type").filter(|kind| *kind != "error").or(text("status")).or(text("code"));
        Self {
            kind: kind.unwrap_or("error").to_owned(),
            message: text("message").unwrap_or_default().to_owned(),
        }
    }

    /// Reads a body that is an error; all APIs have it in the same place.
    pub fn of_body(body: Node<'_>) -> Option<Self> {
        let error = body.get("error")?;
        // OpenAI's responses have `error: null` when they succeed.
        (error.kind() == NodeKind::Object).then(|| Self::read(error))
    }

    /// Reads the error that a received answer reports in its body or its stream.
    pub fn of_exchange(document: &Document, http: &HttpExchange) -> Option<Self> {
        // Services without an object `error` have the message of a failed call in the body itself.
        let is_message = |body: &Node<'_>| http.status >= 400 && text(*body, "message").is_some();
        let of_body = |body: Node<'_>| {
            let own_error = || Some(body).filter(is_message).map(Self::read);
            Self::of_body(body).or_else(own_error)
        };
        match &http.response_body.as_ref()?.content {
            BodyContent::Tree(node) => of_body(document.node(*node)),
            BodyContent::Bytes(_) => None,
            // An error is short, so a large answer is not parsed.
            BodyContent::Text(text) if text.text().trim_start().starts_with('{') => {
                let bytes = text.text().as_bytes();
                let has_text = |part: &[u8]| memchr::memmem::find(bytes, part).is_some();
                // A search is much cheaper than parsing each answer of a list; an escape could hide the key from it.
                let may_be_error = http.status >= 400 || has_text(b"\"error\"") || has_text(b"\\u");
                let (tree, _) =
                    (may_be_error && bytes.len() < MAX_ERROR_BYTES).then(|| json::parse(text))?;
                tree.root().and_then(of_body)
            }
            BodyContent::Text(text) => {
                let events = text.text().lines().filter_map(|line| line.strip_prefix("data:"));
                events.filter(|data| data.contains("\"error\"")).find_map(|data| {
                    let (tree, _) = json::parse(&Source::new(data.trim_start()));
                    let event = tree.root()?;
                    let is_error = |node: &Node<'_>| node.get("error").is_some();
                    let events = read_event(&mut None, Some(event).filter(is_error)?);
                    events.into_iter().find_map(|event| match event {
                        StreamEvent::Error(error) => Some(error),
                        _ => None,
                    })
                })
            }
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// Reads an event. The API is recognised by the first event that only one has.
pub(crate) fn read_event<'t>(api: &mut Option<Api>, event: Node<'t>) -> Vec<StreamEvent<'t>> {
    *api = api.or_else(|| Api::of_answer(event));
    let mut events = Vec::new();
    // An error has the same form in all APIs, and may come before any event that shows the API.
    match (ApiError::of_body(event), *api) {
        (Some(error), _) => events.push(StreamEvent::Error(error)),
        (None, Some(api)) => api.known().read_event(event, &mut events),
        (None, None) => {}
    }
    events
}

/// Returns the index in an event, 0 by default.
pub(super) fn index(node: Node<'_>, key: &str) -> u64 {
    number(node.get(key)).unwrap_or_default()
}

fn number(node: Option<Node<'_>>) -> Option<u64> {
    node.and_then(Node::as_f64).map(|number| number as u64)
}

/// Formats seconds since 1970 as ISO 8601.
fn instant(seconds: Option<Node<'_>>) -> Option<String> {
    // Recorders that make answers repeatable, such as that of ogx, store 0.
    let seconds = seconds.and_then(Node::as_f64).filter(|at| *at > 0.0)?;
    let time = jiff::Timestamp::from_second(seconds as i64).ok();
    time.map(|time| time.to_string())
}
