//! Reviews of re-recorded files: what is compared, its details, and what decisions write.

use std::path::PathBuf;
use std::sync::Arc;

use crate::name_of_path;
use compare::recordings::RecordingComparison;
use compare::review::{
    AlignedCalls, ChangeSubject, Decisions, IgnoreRule, LineCounts, PairKey, PartnerCandidate,
    PlannedWrite, Review, TakeChange, TakeOrigin, TurnStatus, WritePlan,
};
use document::diff::text::TextDiff;
use document::text::Span;

/// Other side of a review, with which the open recordings are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReviewBase {
    /// A git revision: `HEAD`, a branch, a tag, a commit.
    Revision(Arc<str>),
    /// Recordings in another folder.
    Folder(PathBuf),
    /// Pending recordings beside the open ones.
    Sidecars,
    /// Two files: the new one with the old one.
    Files {
        /// The old recording.
        old: PathBuf,
        /// The new recording.
        new: PathBuf,
    },
}

impl Default for ReviewBase {
    fn default() -> Self {
        Self::Revision("HEAD".into())
    }
}

impl ReviewBase {
    /// The origin of the old recordings.
    pub fn origin(&self) -> TakeOrigin {
        match self {
            Self::Sidecars => TakeOrigin::Sidecars,
            Self::Revision(_) | Self::Folder(_) | Self::Files { .. } => TakeOrigin::Elsewhere,
        }
    }

    /// The label: `against HEAD`.
    pub fn label(&self) -> String {
        match self {
            Self::Revision(revision) => format!("against {revision}"),
            Self::Folder(folder) => format!("against {}", name_of_path(folder)),
            Self::Sidecars => "pending recordings".to_owned(),
            Self::Files { old, new } => {
                format!("{} against {}", name_of_path(new), name_of_path(old))
            }
        }
    }
}

/// Pairs, compares and groups recordings; the answers are [`ReviewEvent::Started`] and then, several times, [`ReviewEvent::Progressed`].
#[derive(Debug)]
pub struct ReviewRequest {
    /// Counts requests; the answers carry the same number.
    pub number: u64,
    pub base: ReviewBase,
    /// Old recordings with the new ones that the user paired them with.
    pub manual_pairs: Vec<(Arc<str>, Arc<str>)>,
    /// The differences that earlier rules ignore.
    pub rules: Arc<[IgnoreRule]>,
    /// The last review by these rules: unchanged pairs are not compared again.
    pub known: Arc<Review>,
}

/// Computes the details of a pair; the answer is [`ReviewEvent::Shown`].
#[derive(Debug)]
pub struct PairRequest {
    /// Counts requests; the answer carries the same number.
    pub number: u64,
    pub review: Arc<Review>,
    /// The pair's position in the review.
    pub at: usize,
    /// The differences that the project ignores.
    pub rules: Arc<[IgnoreRule]>,
}

/// Counts the lines that git shows of pairs; the answers are [`ReviewEvent::LinesCounted`], that of the first
/// pair on its own.
#[derive(Debug)]
pub struct CountLines {
    pub review: Arc<Review>,
    /// The positions of the pairs in the review.
    pub pairs: Vec<usize>,
}

/// Finds what applying the decisions would write; the answer is [`ReviewEvent::Planned`].
#[derive(Debug)]
pub struct PlanReview {
    pub review: Arc<Review>,
    pub decisions: Decisions,
    pub origin: TakeOrigin,
}

/// Writes files as decided, or undoes that; the answer is [`ReviewEvent::Written`].
#[derive(Debug)]
pub struct WriteReview {
    pub writes: Arc<[PlannedWrite]>,
}

/// Saves the decisions in the project; the answer is [`ReviewEvent::SaveFailed`] or none.
#[derive(Debug)]
pub struct SaveDecisions {
    pub decisions: Decisions,
}

/// Adds a rule to the project's file; the answer is [`ReviewEvent::RuleSaved`].
#[derive(Debug)]
pub struct SaveIgnoreRule {
    pub rule: IgnoreRule,
}

/// The start of a review.
#[derive(Clone, Debug)]
pub struct ReviewStart {
    /// The decisions that are saved in the project, or why they cannot be read.
    pub decisions: Result<Decisions, String>,
    /// Number of files that could not be read.
    pub unread: usize,
}

/// The progress of a review, with its result so far.
#[derive(Clone, Debug)]
pub struct ReviewSnapshot {
    /// All pairs compared so far.
    pub review: Arc<Review>,
    /// The differences that the project ignores.
    pub rules: Arc<[IgnoreRule]>,
    /// Number of pairs that are compared.
    pub done: usize,
    /// Number of all pairs.
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
    /// For each of the pair's own changes, up to a number of them, its two values; `None` if both are the same, as of a call that moved.
    pub values: Vec<Option<ChangedValue>>,
    /// The conversation of the pair, as positions in the review.
    pub chain: Vec<(usize, TurnStatus)>,
    /// The old recordings that the new one can be paired with instead.
    pub partners: Vec<PartnerCandidate>,
    /// Change of the source between the recordings.
    pub source_change: Option<SourceChangeNote>,
}

/// A call of a pair.
#[derive(Clone, Debug)]
pub struct PairCall {
    /// Its numbers in both files.
    pub numbers: AlignedCalls,
    /// As a conversation, if both are calls of models.
    pub conversation: Option<Arc<RecordingComparison>>,
    /// Subjects that differ in it, without what is ignored; only of cassettes.
    pub subjects: Vec<ChangeSubject>,
}

/// The old and the new value of a change.
#[derive(Clone, Debug)]
pub struct ChangedValue {
    /// Texts without the quotes and escapes of the file, other values as formatted JSON.
    pub diff: Arc<TextDiff>,
    /// Whether both are texts.
    pub is_text: bool,
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
    /// Description of the change, as a sentence without a full stop; names are in backquotes.
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
    /// Numbers of lines that git shows of some pairs of a review, or why the old noise of one cannot be kept.
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

/// The form of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleDraft {
    /// The places it applies to.
    pub at: String,
    /// The pattern of text that may differ; empty for any text.
    pub text: String,
    /// The allowed difference of numbers; empty for any.
    pub tolerance: String,
}

/// Differences that a rule would ignore.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RulePreview {
    pub draft: RuleDraft,
    /// The number of differences that are not ignored yet.
    pub changes: usize,
    /// The number of pairs with such differences.
    pub pairs: usize,
    /// The number of these pairs that have no other difference.
    pub fully_ignored: usize,
    /// The first of these pairs.
    pub first: Vec<String>,
}

impl RuleDraft {
    /// Creates a rule for differences like this one: at the same path, in any element of a list.
    pub fn from_change(change: &TakeChange) -> Self {
        let is_index = |step: &&str| !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit());
        let steps: Vec<&str> = change
            .pointer()
            .split('/')
            // The position in a list differs from pair to pair.
            .map(|step| if is_index(&step) { "*" } else { step })
            .collect();
        Self { at: steps.join("/"), ..Self::default() }
    }

    /// Returns the rule.
    ///
    /// # Errors
    ///
    /// Returns the fault, as a sentence without a full stop.
    pub fn rule(&self) -> Result<IgnoreRule, String> {
        let mut rule = IgnoreRule::at(self.at.trim())?;
        if !self.text.is_empty() {
            let text = regex::Regex::new(&self.text);
            rule.text =
                // The messages of `regex` have several lines, too many for a form.
                Some(text.map_err(|_| "The text pattern is not a valid regular expression")?);
        }
        let tolerance = self.tolerance.trim();
        if !tolerance.is_empty() {
            let number = tolerance.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
            rule.tolerance = Some(number.ok_or("The tolerance must be a number of at least 0")?);
        }
        Ok(rule)
    }
}
