//! Two things beside each other: what was found, and where in it the user is.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::conflict::Conflict;
use super::navigation::View;
use crate::ops::diff::fold::Opened;
use crate::ops::diff::recordings::Comparison;
use crate::ops::diff::source::SourceDiff;
use crate::ops::machine::{Drawing, MachineDiff};
use crate::ops::source::Origin;
use crate::text::Source;

/// What is compared, how far that is, and where in it the user is.
#[derive(Clone, Debug)]
pub struct SideBySide {
    pub(super) view: View,
    pub(super) finding: Finding,
    pub(super) change: usize,
    opened: BTreeMap<usize, Opened>,
    /// Grows with every change of finding or folds, so that views know when to lay out anew.
    pub(super) revision: u64,
}

/// What a comparison gave.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Being worked out.
    Working,
    /// Two recordings, or a recording and a request.
    Recordings(Arc<Comparison>),
    /// A source as it was and as it is.
    Source(Arc<ThenAndNow>),
    /// A document as it was read, as it is on disk and as it is here.
    Versions(Conflict),
    /// It could not be worked out, for this reason.
    Failed(Arc<str>),
}

/// The source of a recording as it was recorded and as it is.
#[derive(Clone, Debug)]
pub struct ThenAndNow {
    /// `sourceFile`, as the recording names it.
    pub file: String,
    /// `contentHash`, as recorded.
    pub recorded_hash: String,
    /// The text it was recorded from, or why it was not found, in a sentence.
    pub then: Result<Then, String>,
    /// The text as it is, or why there is none, in a sentence.
    pub now: Result<Now, String>,
    /// What changed; `None` unless both are there.
    pub diff: Option<SourceDiff>,
    /// What that means for the machine; where then is not found, as far as the recording tells. `None` without now.
    pub machine: Option<MachineDiff>,
    /// The machine drawn, with what changed; `None` when there is none, or too much of it.
    pub drawing: Option<Drawing>,
    /// What the recording itself keeps of its source: title, nodes and labels, for when the text is not found.
    pub kept: Vec<(&'static str, String)>,
}

/// A source as it was.
#[derive(Clone, Debug)]
pub struct Then {
    /// The text.
    pub text: Source,
    /// Where it was found.
    pub origin: Origin,
}

/// A source as it is.
#[derive(Clone, Debug)]
pub struct Now {
    /// The text.
    pub text: Source,
    /// Its path from the project root.
    pub path: String,
    /// SHA-256, 64 lower-case hex digits.
    pub hash: String,
    /// When the file was last changed, in seconds since 1970, UTC, if the system says.
    pub seconds: Option<i64>,
}

impl SideBySide {
    pub(super) fn new(view: View) -> Self {
        Self {
            view,
            finding: Finding::Working,
            change: 0,
            opened: BTreeMap::new(),
            revision: 0,
        }
    }

    /// What was found.
    pub fn finding(&self) -> &Finding {
        &self.finding
    }

    /// The change in focus, counted from 0.
    pub fn change(&self) -> usize {
        self.change
    }

    /// Which folds of a section are opened; a source is one section, number 0.
    pub fn opened(&self, section: usize) -> Option<&Opened> {
        self.opened.get(&section)
    }

    /// Grows with every change of what was found or of what is folded.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How many changes there are to step through.
    pub fn changes(&self) -> usize {
        match &self.finding {
            Finding::Recordings(comparison) => comparison.differences.len(),
            Finding::Source(source) => source.diff.as_ref().map_or(0, |diff| diff.changes.len()),
            Finding::Versions(conflict) => conflict.places().len(),
            Finding::Working | Finding::Failed(_) => 0,
        }
    }

    pub(super) fn show(&mut self, change: usize) {
        self.change = change.min(self.changes().saturating_sub(1));
    }

    pub(super) fn toggle(&mut self, section: usize, fold: usize) {
        let opened = self.opened.entry(section).or_default();
        if !opened.remove(&fold) {
            opened.insert(fold);
        }
        self.revision += 1;
    }
}
