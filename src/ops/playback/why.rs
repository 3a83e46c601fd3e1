//! Why a call gets what it gets, step by step.

use super::{Run, Standing};

/// One step of the way from a request to its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// One sentence with its full stop. Names stand in backquotes.
    pub text: String,
    /// How the step stands.
    pub standing: Standing,
}

pub(super) fn why(_run: &Run, _call: usize) -> Vec<Why> {
    Vec::new()
}
