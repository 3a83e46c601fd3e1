//! A run in one sentence.

use super::Run;

/// What came of a run, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How it stands, for a colour and a sign.
    pub standing: Standing,
    /// One sentence with its full stop.
    pub title: String,
    /// What happens then, in one or two sentences; empty where the title says all.
    pub detail: String,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Each call gets its answer.
    #[default]
    Good,
    /// Each call gets an answer that fits, some by the order of files only.
    Doubtful,
    /// Some call gets no answer, or one to another request.
    Bad,
}

impl Summary {
    pub(super) fn of(_run: &Run) -> Self {
        Self::default()
    }
}
