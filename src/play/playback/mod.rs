//! Simulates playback: which recording a client of DyGram serves for each request, by which step, and why no other.
//!
//! A [`RecordingSet`] has the recordings of one folder in the order in which clients load them. [`PlayedRequest`] is one request from
//! any source (see [`requests`], [`failure_log`]). [`PlaybackRun::new`] plays requests against a set with [`PlaybackRules`], and
//! returns for each [`PlayedCall`] what served it and a verdict, with [`RunFindings`] for the whole run. A [`Player`] does the
//! same call by call. [`RunStrip`] lays the calls out in time. [`PlaybackRun::misses`] explains for one call why the other recordings do not match, closest first, and
//! [`fixes`] how to fix it. [`PlaybackRun::of_cassette`] makes a run of a cassette, whose client the caller knows.
//!
//! **State of a client**: which recordings are used, and a counter that only sequential steps advance. Every served
//! recording is marked as used; the counter skips nothing, so hybrid mode can serve a recording twice.
//!
//! **What it compares**: tool names as lists, one by one, so a stored list that is unsorted or has duplicates only
//! matches an equal list; message counts as numbers; context keys if either side has any. It checks the unused
//! recordings in order. One that lacks what it reads makes the client fail with a `TypeError` when it is reached, for
//! every request: see [`ClientComparison`].
//!
//! **What is not simulated**: a stored `toolNames` or `contextKeys` that is a string, which JavaScript compares
//! character by character, matches nothing here; folders are read in their current state, not as they were when the
//! client started.

mod call;
mod cassette;
mod comparison;
mod error_text;
mod explanation;
pub mod failure_log;
pub mod fixes;
mod listing;
mod logged_call;
mod misses;
mod play;
mod played_request;
mod player;
pub mod requests;
mod run;
mod set;
mod set_verdict;
mod strip;
pub mod strip_picture;
mod summary;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tool_uses;

use document::text::named_enum;
use std::fmt;

pub use call::{CallVerdict, MismatchCause, PlayedCall, WrongAnswer};
pub use cassette::CassetteAnswer;
pub use comparison::{ClientComparison, TypeError};
pub use error_text::error_text;
pub use explanation::{ExplanationStep, NO_SIGNATURE};
pub use misses::{Miss, Misses, Ranking, Reason};
pub use played_request::{MessagesKnown, PlayedRequest, RequestOrigin, ToolsKnown};
pub use player::{CallOutcome, MatchStep, Player, PlayerState, Served};
pub use run::{PlaybackRun, ResultStatus, RunFindings, RunSummary, ServedTwice};
pub use set::{RecordingSet, ResponseShape, SetRecording, SkippedFile};
pub use set_verdict::SetVerdict;
pub use strip::{CallBlock, CallLane, RunStrip};

named_enum! {
    /// Rule by which a client chooses a recording.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum PlaybackMode {
        /// The first unused recording with the signature of the request, or an error.
        Signature = "signature",
        /// In file order.
        Sequential = "sequential",
        /// By signature; if none matches, the next one in file order.
        #[default]
        Hybrid = "hybrid",
    }

    /// Returns the word used in settings and on the command line.
    pub fn as_str;
}

impl PlaybackMode {
    /// All, in display order.
    pub const ALL: [Self; 3] = [Self::Signature, Self::Sequential, Self::Hybrid];
}

named_enum! {
    /// The simulated client.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum PlaybackClient {
        /// The one that tests run: it computes no context keys, neither for a live request nor for a recording without a
        /// signature, and fails with an error if all recordings are used.
        #[default]
        Shipped = "shipped" "the shipped client",
        /// The one of the playground: like the shipped one, but past the end it returns a fixed text.
        Browser = "browser" "the shipped client for browsers",
        /// The one in DyGram's documentation: context keys are those of the request's context.
        Documented = "documented" "the documented client",
    }

    /// Returns its name on the command line.
    pub fn as_str;

    /// Returns its name for a sentence: `the shipped client`.
    pub fn name;
}

impl PlaybackClient {
    /// All, in display order.
    pub const ALL: [Self; 3] = [Self::Shipped, Self::Browser, Self::Documented];

    /// Returns whether it computes context keys from the request's context.
    pub fn computes_context_keys(self) -> bool {
        self == Self::Documented
    }
}

/// Options of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlaybackRules {
    /// Rule by which the client chooses recordings.
    pub mode: PlaybackMode,
    /// The simulated client.
    pub client: PlaybackClient,
}

impl fmt::Display for PlaybackRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mode, {}", self.mode.as_str(), self.client.name())
    }
}
