//! What happens to a call that is served, as it happens.

use std::sync::Arc;

use jiff::Timestamp;

use super::Choice;
use crate::ops::live::answer::{Answer, Piece, Said};
use crate::ops::live::wire::Form;
use crate::ops::tape::sse::Api;

/// Something happened to a call; the first field is the call's number.
#[derive(Clone, Debug)]
pub enum Event {
    /// It is there.
    Began(u64, Arc<Began>),
    /// What serves it was found, or nothing.
    Chose(u64, Arc<Choice>),
    /// What will be said, and when.
    Plans(u64, Arc<Plan>),
    /// A piece was handed to the client, so many nanoseconds after the call was there.
    Told {
        /// The call.
        call: u64,
        /// The piece.
        index: usize,
        /// When.
        at_nanos: u64,
    },
    /// It is over, so many nanoseconds after it was there.
    Ended(u64, Ended, u64),
}

/// A call that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Began {
    /// When it came.
    pub at: Timestamp,
    /// Whose call it is; `None` for an address that nothing is served at.
    pub api: Option<Api>,
    /// The method and the path, without a query.
    pub address: String,
    /// The model it asks.
    pub model: Option<String>,
    /// How many tools it offers.
    pub tools: usize,
    /// How many messages it holds.
    pub messages: usize,
    /// The request as recordings keep it, as JSON; empty where it could not be read, or is very long.
    pub request: Arc<str>,
}

/// What will be said to a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// When each piece is due, in nanoseconds since the call was there.
    pub due_nanos: Vec<u64>,
    /// How many characters each brings.
    pub chars: Vec<usize>,
    /// The tools that the answer calls.
    pub calls: Vec<Arc<str>>,
    /// How its text begins.
    pub text: String,
}

/// How a served call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All was said.
    Done,
    /// As it was recorded: with this status, or in the middle.
    AsRecorded(u16),
    /// Nothing answers it: the client got this status.
    Refused(u16, String),
    /// The client hung up.
    HungUp,
}

/// How many calls, and characters of text, are told of an answer.
const MOST_TOLD: usize = 200;

impl Plan {
    /// Of an answer in this form: one document comes with the last piece.
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
