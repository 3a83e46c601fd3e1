//! Why a call gets what it gets, and what would mend it.

use crate::ops::playback::fixes::{self, Fix};
use crate::ops::playback::{Misses, Why};

use super::played::Played;

/// How many of the nearest misses are told.
const MISSES: usize = 4;

/// Why a call gets what it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The call, counted from 0.
    pub call: usize,
    /// Step by step.
    pub why: Vec<Why>,
    /// The recordings that do not answer it, the nearest first.
    pub misses: Misses,
    /// What would mend it, the likeliest first.
    pub fixes: Vec<Fix>,
    /// The text of the error with which the client ends, if it does.
    pub error: Option<String>,
}

impl Explanation {
    /// Explains a call. Looks through all recordings of the set.
    pub fn new(played: &Played, call: usize) -> Self {
        let run = &played.run;
        Self {
            call,
            why: run.why(call),
            misses: run.misses(call, MISSES),
            fixes: fixes::for_call(run, call),
            error: run.error(call),
        }
    }
}
