//! Work that the review desk requests from the engine.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use super::rule_draft::RuleDraft;
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
            name.map_or_else(
                || path.to_string_lossy().into_owned(),
                |name| name.into_owned(),
            )
        };
        match self {
            Self::Revision(revision) => format!("against {revision}"),
            Self::Folder(folder) => format!("against {}", name(folder)),
            Self::Sidecars => "pending recordings".to_owned(),
            Self::Files { old, new } => format!("{} against {}", name(new), name(old)),
        }
    }
}

/// A shared value that is equal only to itself.
#[derive(Debug, Default)]
pub struct PtrEq<T>(pub Arc<T>);

impl<T> Clone for PtrEq<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for PtrEq<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for PtrEq<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for PtrEq<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

/// A request to compare recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewRequest {
    /// Counts requests; the responses carry the same number.
    pub number: u64,
    /// What is reviewed.
    pub base: ReviewBase,
    /// New recordings with the old ones that the user paired them with.
    pub manual_pairs: Vec<(Arc<str>, Arc<str>)>,
    /// The differences that earlier rules ignore.
    pub rules: Arc<[IgnoreRule]>,
    /// The last review by these rules: unchanged pairs are not compared again.
    pub known: PtrEq<Review>,
}

/// A request for the details of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairRequest {
    /// Counts requests; the response carries the same number.
    pub number: u64,
    /// The review.
    pub review: PtrEq<Review>,
    /// The pair's position in it.
    pub at: usize,
}

/// Work for the review desk.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewEffect {
    /// Pairs, compares and groups recordings; replaces a running comparison.
    Compare(Box<ReviewRequest>),
    /// Computes the details of a pair.
    Show(PairRequest),
    /// Saves the decisions in the project.
    SaveDecisions(PtrEq<Decisions>),
    /// Finds what a rule would ignore.
    PreviewRule(PtrEq<Review>, RuleDraft),
    /// Add a rule to the project's file.
    SaveRule(IgnoreRule),
    /// Finds what applying the decisions would write.
    Plan(PtrEq<Review>, PtrEq<Decisions>, TakeOrigin),
    /// Writes files, or undoes that.
    Write(Arc<[PlannedWrite]>),
}
