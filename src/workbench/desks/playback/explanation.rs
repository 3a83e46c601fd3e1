//! Explains why a call gets its answer, and how to fix a wrong one.

use super::result::PlaybackResult;
use crate::ops::playback::fixes::{self, Fix};
use crate::ops::playback::{ExplanationStep, Misses};

/// How many of the nearest misses are shown.
const MAX_MISSES: usize = 4;

/// The number of a result, and the call that is explained, counted from 0.
pub type ExplainKey = (u64, usize);

/// The reason for the answer of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub why: Vec<ExplanationStep>,
    /// The recordings that do not match, the nearest first.
    pub misses: Misses,
    /// The fixes, the most likely first.
    pub fixes: Vec<Fix>,
    /// The error message of the client, if the call fails.
    pub error: Option<String>,
}

impl Explanation {
    /// Explains a call. Examines all recordings of the set.
    pub fn new(played: &PlaybackResult, call: usize) -> Self {
        let run = &played.run;
        Self {
            why: run.explain(call),
            misses: run.misses(call, MAX_MISSES),
            fixes: fixes::for_call(run, call),
            error: run.error(call),
        }
    }
}
