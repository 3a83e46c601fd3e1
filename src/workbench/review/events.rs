//! What the review desk is told.

use std::sync::Arc;

use super::ruling::Silences;
use crate::ops::diff::recordings::Comparison;
use crate::ops::diff::text::TextDiff;
use crate::ops::review::{Decisions, PairKey, Plan, Review, Rule, Standing, Write};
use crate::text::Span;

/// What a review begins with.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The decisions that were kept in the project, or why they cannot be read.
    pub kept: Result<Decisions, String>,
    /// When the old takes were committed, in seconds since 1970 (UTC), if they come from git.
    pub committed_at: Option<i64>,
    /// How many files could not be read.
    pub unread: usize,
}

/// How far a review is, and what was found by then.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Everything that was compared so far.
    pub review: Arc<Review>,
    /// The differences that the project sets aside.
    pub rules: Arc<[Rule]>,
    /// How many pairs were compared.
    pub done: usize,
    /// How many there are.
    pub of: usize,
    /// Nothing more comes.
    pub is_whole: bool,
}

/// A pair, laid out to be looked at.
#[derive(Clone, Debug)]
pub struct PairShown {
    /// Both as calls, where they are.
    pub conversation: Option<Arc<Comparison>>,
    /// Both as values, where they can be read as such.
    pub json: Option<Layout>,
    /// Both as they are written.
    pub text: Layout,
    /// The conversation that the pair is a turn of, by places in the review.
    pub chain: Vec<(usize, Standing)>,
    /// How many pairs follow from this one, and the names of the first of them.
    pub followers: (usize, Vec<String>),
    /// What became of the source between the takes.
    pub why: Option<Why>,
}

/// Two texts beside each other, and where in them the pair's own changes are.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The texts.
    pub diff: Arc<TextDiff>,
    /// For each of the pair's changes its places in the old and in the new text.
    pub places: Vec<[Option<Span>; 2]>,
}

/// What became of the source that two takes were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// What happened, as a sentence without a full stop; names stand in backquotes.
    pub words: String,
}

/// Something about a review.
#[derive(Clone, Debug)]
pub enum ReviewEvent {
    /// The review with this number began.
    Begun(u64, Box<Begun>),
    /// The review with this number is so far.
    Found(u64, Snapshot),
    /// The review with this number cannot be had, for this reason.
    Failed(u64, String),
    /// A pair was laid out.
    Shown(u64, Arc<PairShown>),
    /// What the rule that is typed would silence.
    Tried(Silences),
    /// A rule was added to the project's file, or not.
    RuleKept(Result<(), String>),
    /// What applying would write.
    Planned(Arc<Plan>),
    /// Files were written; those that were not, each with the reason.
    Written {
        /// What was written, as it was asked for.
        done: Vec<Write>,
        /// What was not, and why: a sentence without a full stop.
        left: Vec<(PairKey, String)>,
    },
    /// The decisions could not be kept, for this reason.
    NotKept(String),
}
