//! Events of a call that is being served.

use std::sync::Arc;

use jiff::Timestamp;

use super::ServeChoice;
use crate::ops::api::{Api, ContentBlock, ResponseForm};
use crate::ops::live::answer::{Fragment, ServedAnswer};

/// An event of a call; the first field is the number of the call.
#[derive(Clone, Debug)]
pub enum ServeEvent {
    /// The call arrived.
    Began(u64, Arc<ServedCallStart>),
    /// The choice of its answer was made.
    Chose(u64, Arc<ServeChoice>),
    /// The answer was planned.
    Planned(u64, Arc<AnswerPlan>),
    /// A fragment was sent to the client.
    Sent {
        call: u64,
        /// Index of the fragment.
        index: usize,
        /// When, in nanoseconds since the call arrived.
        at_nanos: u64,
    },
    /// The call ended, this many nanoseconds after it arrived.
    Ended(u64, ServedCallEnd, u64),
}

/// A call that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedCallStart {
    /// When it arrived.
    pub at: Timestamp,
    /// The API of the call; `None` for an unknown address.
    pub api: Option<Api>,
    /// The method and the path, without a query.
    pub address: String,
    /// The requested model.
    pub model: Option<String>,
    /// Number of offered tools.
    pub tools: usize,
    pub messages: usize,
    /// The request in the format of recordings, as JSON; empty if it could not be read or is very long.
    pub request: Arc<str>,
}

/// The planned answer to a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerPlan {
    /// When each fragment is due, in nanoseconds since the call arrived.
    pub due_nanos: Vec<u64>,
    /// Number of characters in each.
    pub chars: Vec<usize>,
    /// The tools that the answer calls.
    pub calls: Vec<Arc<str>>,
    /// Start of its text.
    pub text: String,
}

/// The end of a served call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServedCallEnd {
    /// The answer was sent completely.
    Done,
    /// As recorded: with this status, or in the middle.
    AsRecorded(u16),
    /// No answer was found: the client received this status and message.
    Refused(u16, String),
    /// The client disconnected.
    HungUp,
}

/// Maximum number of tool calls, and of characters, listed of an answer.
const MAX_LISTED: usize = 200;

impl AnswerPlan {
    /// Plans an answer in this form: one document is sent with the last fragment.
    pub fn new(answer: &ServedAnswer, form: ResponseForm) -> Self {
        let pieces = answer.fragments.iter();
        let (due_nanos, chars) = match form {
            ResponseForm::Whole => {
                (vec![answer.last_nanos()], vec![pieces.map(Fragment::chars).sum()])
            }
            _ => pieces.map(|piece| (piece.due_nanos, piece.chars())).unzip(),
        };
        let blocks = || answer.fragments.iter().flat_map(|piece| &piece.blocks);
        let calls = blocks().filter_map(|block| match block {
            ContentBlock::Call(part) => part.is_first.then(|| part.call.name.as_str().into()),
            ContentBlock::Text(_) => None,
        });
        let texts = blocks().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.chars()),
            ContentBlock::Call(_) => None,
        });
        Self {
            due_nanos,
            chars,
            calls: calls.take(MAX_LISTED).collect(),
            text: texts.flatten().take(MAX_LISTED).collect(),
        }
    }
}
