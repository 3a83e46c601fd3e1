//! A call that a proxy passes on, as a tape.
//!
//! A streamed answer becomes a chunk for each piece that came, with its time, also where it is empty or a part of a tool call;
//! one that is not streamed becomes one chunk. So a tape that was served is heard with the same chunks, with two exceptions:
//! Gemini tells a tool call with its last part, where the others leave empty chunks; and an empty chunk that has no words
//! beside it is lost with Anthropic and OpenAI's responses, whose empty texts would be a block that is not there. A
//! call that did not end well is kept, and `meta.ended` says how it ended: `refused` with a status and a body, `error` within
//! a stream, `cut-off`, or `cancelled` by the client (with `complete: false`). A stream has ended well with its API's own last
//! event, whoever closes the connection after it. Nothing of a call's headers or of its query is kept; where bodies repeat a
//! credential that stands in them, it is masked.

mod call;
mod config_order;
mod credentials;
mod event;
mod hearing;
mod spool;
mod unpack;
mod whole;

use std::time::Duration;

use crate::ops::tape::sse::Api;

pub use call::Call;
pub use config_order::ConfigOrders;
pub use credentials::Credentials;
pub use event::{Asked, Began, Event, Kept};
pub use hearing::Hearing;
pub use spool::{NewSpool, Passed, file_stem};
pub use unpack::understood;

/// How many seconds the model's side may send nothing, where nobody says otherwise.
pub const PATIENCE: &str = "120";

/// How long the model's side may send nothing, from what people write: a number of seconds above 0.
pub fn patience(seconds: &str) -> Option<Duration> {
    let seconds = seconds.trim().parse().ok();
    let seconds = seconds.filter(|seconds: &f64| *seconds > 0.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// How the passing on of a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All came.
    Done,
    /// The model's side broke off, as the sentence says.
    CutOff(String),
    /// The client hung up.
    Cancelled,
    /// The recorder was ended.
    Stopped,
    /// The model's side was not reached: the client got this status, and the sentence.
    Unreached(u16, String),
    /// The recorder did not pass the call on: the client got this status, and the sentence. Nothing is kept.
    Refused(u16, String),
}

impl Outcome {
    /// The word in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::CutOff(_) => "cut-off",
            Self::Cancelled => "cancelled",
            Self::Stopped => "stopped",
            Self::Unreached(..) => "unreached",
            Self::Refused(..) => "refused",
        }
    }
}

/// How many bytes of an answer are kept, as they come and as a tape has them; what is beyond goes through all the same.
pub const MOST_KEPT: usize = 16 << 20;

/// What is known of an answer from its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Such as 200.
    pub status: u16,
    /// `content-type`, without parameters and in small letters.
    pub content_type: String,
    /// `content-encoding`.
    pub encoding: String,
}

impl Head {
    /// Whether the answer comes piece by piece.
    pub fn is_stream(&self) -> bool {
        self.is_events() || self.is_lines()
    }

    fn is_events(&self) -> bool {
        self.content_type == "text/event-stream"
    }

    fn is_lines(&self) -> bool {
        const LINES: [&str; 5] = [
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
            "application/x-jsonlines",
            "application/stream+json",
        ];
        LINES.contains(&self.content_type.as_str())
    }

    /// Whether an answer to a call of this API becomes a tape: each of a known API, and each that is streamed.
    pub fn becomes_tape(&self, api: Option<Api>) -> bool {
        api.is_some() || self.is_stream()
    }
}

#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;
