//! Work that the review desk requests from the engine.

use std::path::PathBuf;
use std::sync::Arc;

use crate::ops::review::{Decisions, IgnoreRule, PlannedWrite, Review, TakeOrigin};

/// What the open recordings are compared with.
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
        let name = |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy());
            name.map_or_else(|| path.to_string_lossy().into_owned(), |name| name.into_owned())
        };
        match self {
            Self::Revision(revision) => format!("against {revision}"),
            Self::Folder(folder) => format!("against {}", name(folder)),
            Self::Sidecars => "pending recordings".to_owned(),
            Self::Files { old, new } => format!("{} against {}", name(new), name(old)),
        }
    }
}

/// Pairs, compares and groups recordings; the answers are [`ReviewEvent::Started`](super::ReviewEvent::Started) and then, several times, [`ReviewEvent::Progressed`](super::ReviewEvent::Progressed).
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

/// Computes the details of a pair; the answer is [`ReviewEvent::Shown`](super::ReviewEvent::Shown).
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

/// Counts the lines that git shows of pairs; the answers are [`ReviewEvent::LinesCounted`](super::ReviewEvent::LinesCounted), that of the first
/// pair on its own.
#[derive(Debug)]
pub struct CountLines {
    pub review: Arc<Review>,
    /// The positions of the pairs in the review.
    pub pairs: Vec<usize>,
}

/// Finds what applying the decisions would write; the answer is [`ReviewEvent::Planned`](super::ReviewEvent::Planned).
#[derive(Debug)]
pub struct PlanReview {
    pub review: Arc<Review>,
    pub decisions: Decisions,
    pub origin: TakeOrigin,
}

/// Writes files as decided, or undoes that; the answer is [`ReviewEvent::Written`](super::ReviewEvent::Written).
#[derive(Debug)]
pub struct WriteReview {
    pub writes: Arc<[PlannedWrite]>,
}

/// Saves the decisions in the project; the answer is [`ReviewEvent::SaveFailed`](super::ReviewEvent::SaveFailed) or none.
#[derive(Debug)]
pub struct SaveDecisions {
    pub decisions: Decisions,
}

/// Adds a rule to the project's file; the answer is [`ReviewEvent::RuleSaved`](super::ReviewEvent::RuleSaved).
#[derive(Debug)]
pub struct SaveIgnoreRule {
    pub rule: IgnoreRule,
}
