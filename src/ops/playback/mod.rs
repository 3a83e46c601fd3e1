//! Playback simulated: which recording a client of DyGram serves for each request, by which step, and why no other.
//!
//! A [`Set`] holds the recordings of one folder in the order in which clients load them. [`Asked`] is one request, wherever
//! it comes from (see [`requests`], [`failure_log`]). [`Run::new`] plays requests against a set as [`Rules`] say, and tells
//! for each [`Call`] what served it and how that stands, with [`Findings`] over all. A [`Player`] does the same call by call.
//! [`Run::misses`] says of one call why the others were passed over, nearest first, and [`fixes`] what would mend it.
//!
//! **What a client keeps**: which recordings are used, and a counter that only sequential steps move. Whatever is served is
//! marked used; the counter skips nothing, so that hybrid mode can serve a recording twice.
//!
//! **What it compares**: names of tools as lists, one by one, so that a stored list that is not sorted or names one twice
//! matches no request that does not; counts of messages as numbers; context keys if either side has any. It looks through the
//! unused recordings from the first. One that lacks what it reads ends it with a `TypeError` as soon as it comes to it,
//! whatever was asked: see [`Comparison`].
//!
//! **What is not simulated**: a stored `toolNames` or `contextKeys` that is a text, which JavaScript compares letter by
//! letter, matches nothing here; folders are as they are now, and not as they were when the client started.

mod asked;
mod call;
mod comparison;
mod error_text;
pub mod failure_log;
pub mod fixes;
mod listing;
mod misses;
mod player;
pub mod requests;
mod run;
mod set;
mod summary;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod why;

use std::fmt;

pub use asked::{Asked, MessagesKnown, Origin, ToolsKnown};
pub use call::{Call, Doubt, Verdict, Wrong};
pub use comparison::{Comparison, TypeError};
pub use error_text::{EMPTY_ANSWER, error_text};
pub use misses::{Miss, Misses, Ranking, Reason};
pub use player::{Outcome, Player, Served, State, Step};
pub use run::{Findings, Run, ServedTwice};
pub use set::{Handed, Recorded, Set, Skipped};
pub use summary::{Standing, Summary};
pub use why::{NO_SIGNATURE, Why};

/// How a client chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The first unused recording with the signature of the request, or an error.
    Signature,
    /// One after the other.
    Sequential,
    /// By signature; where none fits, the next one in order.
    #[default]
    Hybrid,
}

impl Mode {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Signature, Self::Sequential, Self::Hybrid];

    /// The word in settings and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Sequential => "sequential",
            Self::Hybrid => "hybrid",
        }
    }
}

/// Which client plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Client {
    /// The one that tests run: it computes no context keys, neither for a live request nor for a recording without a
    /// signature, and ends with an error where the recordings are used up.
    #[default]
    Shipped,
    /// The one of the playground: as the other, but past the end it hands out [`EMPTY_ANSWER`].
    Browser,
    /// The one the documents describe: context keys are those of the request's context.
    Documented,
}

impl Client {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Shipped, Self::Browser, Self::Documented];

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Browser => "browser",
            Self::Documented => "documented",
        }
    }

    /// What it is called in a sentence: `the shipped client`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shipped => "the shipped client",
            Self::Browser => "the shipped client for browsers",
            Self::Documented => "the documented client",
        }
    }

    /// Whether it computes context keys from the request's context.
    pub fn computes_context_keys(self) -> bool {
        self == Self::Documented
    }
}

/// How a run is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// How it chooses.
    pub mode: Mode,
    /// Which client plays.
    pub client: Client,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mode, {}", self.mode.as_str(), self.client.name())
    }
}
