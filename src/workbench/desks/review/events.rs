//! Events of the review desk.

use std::sync::Arc;

use super::rule_draft::RulePreview;
use crate::ops::diff::recordings::RecordingComparison;
use crate::ops::diff::text::TextDiff;
use crate::ops::review::{
    AlignedCalls, ChangeSubject, Decisions, IgnoreRule, LineCounts, PairKey, PartnerCandidate,
    PlannedWrite, Review, TurnStatus, WritePlan,
};
use crate::text::Span;

/// The start of a review.
#[derive(Clone, Debug)]
pub struct ReviewStart {
    /// The decisions that are saved in the project, or why they cannot be read.
    pub decisions: Result<Decisions, String>,
    /// The commit time of the old recordings, in seconds since 1970 (UTC), if they come from git.
    pub committed_at: Option<i64>,
    /// How many files could not be read.
    pub unread: usize,
}

/// The progress of a review, with its result so far.
#[derive(Clone, Debug)]
pub struct ReviewSnapshot {
    /// All pairs compared so far.
    pub review: Arc<Review>,
    /// The differences that the project ignores.
    pub rules: Arc<[IgnoreRule]>,
    /// How many pairs are compared.
    pub done: usize,
    /// How many pairs there are.
    pub total: usize,
    /// Whether the review is complete.
    pub is_complete: bool,
}

/// The details of a pair.
#[derive(Clone, Debug)]
pub struct PairDetails {
    /// The calls; of other files than cassettes only one.
    pub calls: Vec<PairCall>,
    /// As JSON values, if both can be parsed.
    pub json: Option<PairText>,
    pub text: PairText,
    /// The conversation of the pair, as positions in the review.
    pub chain: Vec<(usize, TurnStatus)>,
    /// How many pairs follow from this one, and the names of the first of them.
    pub followers: (usize, Vec<String>),
    /// The old recordings that the new one can be paired with instead.
    pub partners: Vec<PartnerCandidate>,
    /// What changed in the source between the recordings.
    pub source_change: Option<SourceChangeNote>,
}

/// A call of a pair.
#[derive(Clone, Debug)]
pub struct PairCall {
    /// Its numbers in both files.
    pub numbers: AlignedCalls,
    /// As a conversation, if both are calls of models.
    pub conversation: Option<Arc<RecordingComparison>>,
    /// What differs in it, without what is ignored; only of cassettes.
    pub subjects: Vec<ChangeSubject>,
}

/// Two compared texts, with the ranges of the pair's own changes.
#[derive(Clone, Debug)]
pub struct PairText {
    pub diff: Arc<TextDiff>,
    /// For each of the pair's changes, its ranges in the old and in the new text.
    pub places: Vec<[Option<Span>; 2]>,
}

/// A change of the source between two recordings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceChangeNote {
    /// What happened, as a sentence without a full stop; names are in backquotes.
    pub message: String,
}

/// An event of a review.
#[derive(Clone, Debug)]
pub enum ReviewEvent {
    /// The review with this number started.
    Started(u64, Box<ReviewStart>),
    /// The progress of the review with this number.
    Progressed(u64, ReviewSnapshot),
    /// The review with this number failed, for this reason.
    Failed(u64, String),
    /// The details of a pair, or why there are none.
    Shown(u64, Result<Arc<PairDetails>, String>),
    /// The preview of the rule that is being edited, or why there is none.
    RulePreviewed(Result<RulePreview, String>),
    /// A rule was added to the project's file, or not.
    RuleSaved(Result<(), String>),
    /// How many lines git shows of some pairs of a review, or why the old noise of one cannot be kept.
    LinesCounted(Arc<Review>, Vec<(usize, Result<LineCounts, String>)>),
    /// The plan for applying the decisions, with how many lines git shows before and after that, or why there is none.
    Planned(Result<(Arc<WritePlan>, LineCounts), String>),
    /// Files were written; others were not, each with the reason.
    Written {
        /// The writes that were done.
        done: Vec<PlannedWrite>,
        /// The pairs that were not written, each with the reason as a sentence without a full stop.
        left: Vec<(PairKey, String)>,
    },
    /// The decisions could not be saved, for this reason.
    SaveFailed(String),
}
