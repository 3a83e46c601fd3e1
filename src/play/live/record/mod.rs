//! Turns a call that passes through a proxy into a tape.
//!
//! A streamed answer becomes a chunk for each fragment that arrived, with its time, also where it is empty or a part of
//! a tool call; an answer that is not streamed becomes one chunk. So a served tape is recorded with the same chunks,
//! with two exceptions: Gemini sends a tool call with its last part, where the others leave empty chunks; and an empty
//! chunk that is not next to text is lost with Anthropic and OpenAI's responses, whose empty texts would be a block
//! that does not exist. What chunks cannot hold (ids, thinking, reasons) is in the answer as it was received, which is kept
//! beside them: see [`ReceivedAnswer`](super::received::ReceivedAnswer). A call that failed is kept, and `meta.ended` contains
//! how it ended: `refused` with a status and a body, `error` within a stream, `cut-off`, or `cancelled` by the client (with
//! `complete: false`); or `length` if it ended at the limit of its tokens. A stream ended normally with its API's own last event, no matter who closes the connection after it. No headers and no query of a
//! call are kept; where bodies repeat a credential from them, it is masked.

mod call;
mod config_order;
mod credentials;
mod event;
mod pending_tape;
mod stream_recorder;
mod unpack;

use std::time::Duration;

use calls::api::Api;

pub use call::RecordedCall;
pub use config_order::ConfigOrders;
pub use credentials::Credentials;
pub use event::{RecordEvent, RecordedCallStart, RecordedRequest, StoreResult};
pub use pending_tape::{CallMetadata, PendingTape, RecordedExchange, file_stem};
pub use stream_recorder::StreamRecorder;
pub use unpack::supported_encodings;

/// Default of how many seconds the upstream server may send nothing.
pub const DEFAULT_IDLE_TIMEOUT: &str = "120";

/// Parses how long the upstream server may send nothing: a number of seconds above 0.
pub fn parse_idle_timeout(seconds: &str) -> Option<Duration> {
    let seconds = seconds.trim().parse().ok().filter(|seconds: &f64| *seconds > 0.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The end of a proxied call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProxyOutcome {
    /// The response was complete.
    Done,
    /// The upstream server broke off, with the reason as a sentence.
    CutOff(String),
    /// The client disconnected.
    Cancelled,
    /// The recorder was stopped.
    Stopped,
    /// The upstream server was not reached: the client received this status and message.
    Unreached(u16, String),
    /// The recorder refused the call: the client received this status and message. Nothing is stored.
    Refused(u16, String),
}

impl ProxyOutcome {
    /// Returns its name in JSON.
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

/// Maximum number of bytes of an answer that are recorded, as received and as written to a tape; the rest is still
/// passed on.
pub const MOST_KEPT: usize = 16 << 20;

/// The parts of a response's head that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// Such as 200.
    pub status: u16,
    /// `content-type` in lower case, without parameters.
    pub content_type: String,
    /// `content-encoding`.
    pub encoding: String,
}

impl ResponseHead {
    /// Returns whether the answer is streamed.
    pub fn is_stream(&self) -> bool {
        self.is_events() || self.is_lines()
    }

    fn is_events(&self) -> bool {
        self.content_type == "text/event-stream"
    }

    fn is_lines(&self) -> bool {
        // No media type is registered for lines of JSON, so servers use several.
        const LINES: [&str; 5] = [
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
            "application/x-jsonlines",
            "application/stream+json",
        ];
        LINES.contains(&self.content_type.as_str())
    }

    /// Returns whether an answer to a call of this API becomes a tape: every answer of a known API, and every streamed
    /// one.
    pub fn becomes_tape(&self, api: Option<Api>) -> bool {
        api.is_some() || self.is_stream()
    }
}

#[cfg(test)]
mod round_trip_tests;
#[cfg(test)]
mod tests;
