//! Events of a call that is being served.

use std::sync::Arc;

use jiff::Timestamp;

use super::ServeChoice;
use crate::live::answer::{AnswerEnding, ServedAnswer};
use calls::api::Api;

/// An event of a call; the first field is the number of the call.
#[derive(Clone, Debug)]
pub enum ServeEvent {
    /// The call arrived.
    Began(u64, Arc<ServedCallStart>),
    /// The choice of its answer was made.
    Chose(u64, Arc<ServeChoice>),
    /// The answer was planned: when each fragment is due, in nanoseconds since the call arrived.
    Planned(u64, Vec<u64>),
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
    /// The first words of the last message.
    pub words: String,
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

impl ServedCallEnd {
    /// Returns how a call ends that this answer was sent to, with this status.
    pub fn from_answer(answer: &ServedAnswer, status: u16) -> Self {
        match answer.ending {
            AnswerEnding::Whole(_) => Self::Done,
            _ => Self::AsRecorded(status),
        }
    }
}
