//! Work that the review desk requests from the engine.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use super::ruling::RuleDraft;
use crate::ops::review::{Decisions, IgnoreRule, PlannedWrite, Review, TakeOrigin};

/// What the open recordings are compared with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Against {
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

impl Default for Against {
    fn default() -> Self {
        Self::Revision("HEAD".into())
    }
}

impl Against {
    /// The origin of the old recordings.
    pub fn origin(&self) -> TakeOrigin {
        match self {
            Self::Sidecars => TakeOrigin::Sidecars,
            Self::Revision(_) | Self::Folder(_) | Self::Files { .. } => TakeOrigin::Elsewhere,
        }
    }

    /// The label: `against HEAD`.
    pub fn words(&self) -> String {
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
            Self::Sidecars => "pending takes".to_owned(),
            Self::Files { old, new } => format!("{} against {}", name(new), name(old)),
        }
    }
}

/// A shared value that is equal only to itself.
#[derive(Debug, Default)]
pub struct Shared<T>(pub Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

/// A request to compare recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct LookOrder {
    /// Counts requests; the responses carry the same number.
    pub number: u64,
    /// What is reviewed.
    pub against: Against,
    /// New recordings with the old ones that the user paired them with.
    pub by_hand: Vec<(Arc<str>, Arc<str>)>,
    /// The differences that earlier rules ignore.
    pub rules: Arc<[IgnoreRule]>,
    /// The last review by these rules: unchanged pairs are not compared again.
    pub known: Shared<Review>,
}

/// A request for the details of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOrder {
    /// Counts requests; the response carries the same number.
    pub number: u64,
    /// The review.
    pub review: Shared<Review>,
    /// The pair's position in it.
    pub at: usize,
}

/// Work for the review desk.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewEffect {
    /// Pairs, compares and groups recordings; replaces a running comparison.
    Look(Box<LookOrder>),
    /// Computes the details of a pair.
    Show(PairOrder),
    /// Saves the decisions in the project.
    Keep(Shared<Decisions>),
    /// Finds what a rule would ignore.
    Try(Shared<Review>, RuleDraft),
    /// Add a rule to the project's file.
    KeepRule(IgnoreRule),
    /// Finds what applying the decisions would write.
    Plan(Shared<Review>, Shared<Decisions>, TakeOrigin),
    /// Writes files, or undoes that.
    Write(Arc<[PlannedWrite]>),
}
