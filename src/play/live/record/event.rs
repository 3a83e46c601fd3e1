//! Events of a call that is being recorded.

use std::sync::Arc;

use jiff::Timestamp;

use super::ProxyOutcome;
use calls::api::Api;

/// An event of a call; the first field is the number of the call.
#[derive(Clone, Debug)]
pub enum RecordEvent {
    /// The call arrived.
    Began(u64, Arc<RecordedCallStart>),
    /// The request was read completely.
    RequestRead(u64, Arc<RecordedRequest>),
    /// The upstream server started to respond with this status.
    Answered(u64, u16),
    /// The call ended, this many nanoseconds after it arrived.
    Ended(u64, ProxyOutcome, u64),
    /// The part of the call that was stored.
    Stored(u64, StoreResult),
}

/// A call that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCallStart {
    /// When it arrived.
    pub at: Timestamp,
    /// The API of the call, if known.
    pub api: Option<Api>,
    /// Display name of the upstream server's provider, if known.
    pub provider: Option<&'static str>,
    /// The method and the path, without a query.
    pub address: String,
    /// Label from the header `x-retake-label`, or else from the command line.
    pub label: Option<String>,
}

/// Summary of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedRequest {
    pub model: Option<String>,
    /// Number of offered tools.
    pub tools: usize,
    pub messages: usize,
    /// The first words of its last message.
    pub words: String,
}

/// The part of a call that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreResult {
    Tape {
        /// Its file.
        path: Arc<str>,
        /// Size of the file in bytes.
        bytes: usize,
        chunks: usize,
        /// Notes for the user: sentences without a full stop.
        notes: Vec<String>,
    },
    /// Nothing: it was not a model call.
    PassedOn,
    /// Nothing: the recorder refused the call.
    Refused,
    /// Nothing, because the tape could not be written; the reason is a sentence.
    Failed(String),
}
