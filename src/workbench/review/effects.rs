//! What the review desk asks of the world outside.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use super::ruling::RuleDraft;
use crate::ops::review::{Decisions, Origin, Review, Rule, Write};

/// What is reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Against {
    /// What is open, against a revision of git: `HEAD`, a branch, a tag, a commit.
    Revision(Arc<str>),
    /// What is open, against the takes in another folder.
    Folder(PathBuf),
    /// What is open, against the pending takes beside it.
    Sidecars,
    /// The new one of two files against the old one.
    Files {
        /// The take as it was.
        old: PathBuf,
        /// The take as it is.
        new: PathBuf,
    },
}

impl Default for Against {
    fn default() -> Self {
        Self::Revision("HEAD".into())
    }
}

impl Against {
    /// Where its takes come from.
    pub fn origin(&self) -> Origin {
        match self {
            Self::Sidecars => Origin::Sidecars,
            Self::Revision(_) | Self::Folder(_) | Self::Files { .. } => Origin::Elsewhere,
        }
    }

    /// What it is called: `against HEAD`.
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

/// Something that is handed on as a whole: it is the same only as itself.
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

/// Takes that are to be looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct LookOrder {
    /// Counts such orders; the answers carry the same number.
    pub number: u64,
    /// What is reviewed.
    pub against: Against,
    /// New takes with the old ones that the user paired them with.
    pub by_hand: Vec<(Arc<str>, Arc<str>)>,
    /// The differences that were set aside before.
    pub rules: Arc<[Rule]>,
    /// What was found before, by these rules: a pair that is still the same is not compared again.
    pub known: Shared<Review>,
}

/// A pair that is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOrder {
    /// Counts such orders; the answer carries the same number.
    pub number: u64,
    /// The review.
    pub review: Shared<Review>,
    /// The pair's place in it.
    pub at: usize,
}

/// Work on the outside world for the review desk.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewEffect {
    /// Pair, compare and group takes; what is being looked at already is not wanted any more.
    Look(Box<LookOrder>),
    /// Lay a pair out for someone to look at.
    Show(PairOrder),
    /// Keep the decisions in the project.
    Keep(Shared<Decisions>),
    /// Find what a rule would silence.
    Try(Shared<Review>, RuleDraft),
    /// Add a rule to the project's file.
    KeepRule(Rule),
    /// Find what applying the decisions writes.
    Plan(Shared<Review>, Shared<Decisions>, Origin),
    /// Write files, or put back what was written.
    Write(Arc<[Write]>),
}
