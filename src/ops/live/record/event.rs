//! What happens to a call that is recorded, as it happens.

use std::sync::Arc;

use jiff::Timestamp;

use super::Outcome;
use crate::ops::tape::sse::Api;

/// Something happened to a call; the first field is the call's number.
#[derive(Clone, Debug)]
pub enum Event {
    /// It is there.
    Began(u64, Arc<Began>),
    /// The client has asked all.
    Asked(u64, Arc<Asked>),
    /// The model's side began to answer with this status.
    Answered(u64, u16),
    /// So many pieces came until now, the last so many nanoseconds after the call was there.
    Heard {
        /// The call.
        call: u64,
        /// How many.
        pieces: usize,
        /// How many characters those have that are new.
        chars: usize,
        /// When.
        at_nanos: u64,
    },
    /// It is over, so many nanoseconds after it was there.
    Ended(u64, Outcome, u64),
    /// What became of it.
    Kept(u64, Kept),
}

/// A call that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Began {
    /// When it came.
    pub at: Timestamp,
    /// Whose call it is, if that is known.
    pub api: Option<Api>,
    /// The method and the path, without a query.
    pub address: String,
    /// What the client calls it, by the header `x-retake-label`, or else what the command does.
    pub label: Option<String>,
}

/// What a client asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The model.
    pub model: Option<String>,
    /// How many tools it offers.
    pub tools: usize,
    /// How many messages it holds.
    pub messages: usize,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A tape.
    Tape {
        /// Its file.
        path: Arc<str>,
        /// How long the file is.
        bytes: usize,
        /// How many chunks it has.
        chunks: usize,
        /// What is to be said of it. Sentences without a full stop.
        notes: Vec<String>,
    },
    /// Nothing: it was no call of a model.
    PassedOn,
    /// Nothing: the recorder refused the call.
    Refused,
    /// Nothing, because it cannot be written; why, in a sentence.
    Failed(String),
}
