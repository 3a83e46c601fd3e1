//! Events of a call that is being served.

use std::sync::Arc;

use jiff::Timestamp;

use super::Choice;
use crate::ops::live::answer::{Answer, Piece, Said};
use crate::ops::live::wire::Form;
use crate::ops::tape::sse::Api;

/// An event of a call; the first field is the number of the call.
#[derive(Clone, Debug)]
pub enum Event {
    /// The call arrived.
    Began(u64, Arc<Began>),
    /// The choice of its answer was made.
    Chose(u64, Arc<Choice>),
    /// The answer was planned.
    Plans(u64, Arc<Plan>),
    /// A fragment was sent to the client.
    Told {
        /// The call.
        call: u64,
        /// Index of the fragment.
        index: usize,
        /// When, in nanoseconds since the call arrived.
        at_nanos: u64,
    },
    /// The call ended, this many nanoseconds after it arrived.
    Ended(u64, Ended, u64),
}

/// A call that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Began {
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
    /// Number of messages.
    pub messages: usize,
    /// The request in the format of recordings, as JSON; empty if it could not be read or is very long.
    pub request: Arc<str>,
}

/// The planned answer to a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// When each fragment is due, in nanoseconds since the call arrived.
    pub due_nanos: Vec<u64>,
    /// Number of characters in each.
    pub chars: Vec<usize>,
    /// The tools that the answer calls.
    pub calls: Vec<Arc<str>>,
    /// Start of its text.
    pub text: String,
}

/// How a served call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
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
const MOST_TOLD: usize = 200;

impl Plan {
    /// Plans an answer in this form: one document is sent with the last fragment.
    pub fn of(answer: &Answer, form: Form) -> Self {
        let pieces = answer.pieces.iter();
        let (due_nanos, chars) = match form {
            Form::Whole => (
                vec![answer.last_nanos()],
                vec![pieces.map(Piece::chars).sum()],
            ),
            _ => pieces.map(|piece| (piece.due_nanos, piece.chars())).unzip(),
        };
        let said = || answer.pieces.iter().flat_map(|piece| &piece.said);
        let calls = said().filter_map(|said| match said {
            Said::Call(part) => part.is_first.then(|| part.call.name.as_str().into()),
            Said::Text(_) => None,
        });
        let texts = said().filter_map(|said| match said {
            Said::Text(text) => Some(text.chars()),
            Said::Call(_) => None,
        });
        Self {
            due_nanos,
            chars,
            calls: calls.take(MOST_TOLD).collect(),
            text: texts.flatten().take(MOST_TOLD).collect(),
        }
    }
}
