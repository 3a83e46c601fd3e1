//! The versions of a document that was changed both here and on disk, and the choices between them.

use std::sync::Arc;

use document::merge::{HunkKind, Merge, MergeSide};
use protocol::Revision;

/// Origin of the versions of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConflictOrigin {
    /// It was changed both here and on disk.
    Disk,
    /// The document contains them between conflict markers.
    Markers,
}

/// The three versions of a document, and the choices so far.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// Base, theirs and ours, hunk by hunk.
    pub merge: Arc<Merge>,
    /// The revision of our text, or of the text with the markers.
    pub revision: Revision,
    /// Their origin.
    pub origin: ConflictOrigin,
    /// The user's choice for each hunk that differs, in the order of [`Conflict::places`].
    pub(crate) choices: Vec<Option<MergeSide>>,
    /// The positions in [`Merge::hunks`] of the hunks that differ.
    pub places: Vec<usize>,
}

impl Conflict {
    /// Creates a conflict without choices.
    pub fn new(merge: Arc<Merge>, revision: Revision, origin: ConflictOrigin) -> Self {
        let hunks = merge.hunks.iter().enumerate();
        let places: Vec<usize> =
            hunks.filter(|(_, hunk)| hunk.kind != HunkKind::Same).map(|(index, _)| index).collect();
        Self { choices: vec![None; places.len()], places, merge, revision, origin }
    }

    /// The version used at a place (counted from 0): the user's choice, else the automatic merge; `None` if the user has
    /// to decide.
    pub fn version(&self, place: usize) -> Option<MergeSide> {
        self.choices
            .get(place)
            .copied()
            .flatten()
            .or_else(|| self.merge.hunks.get(*self.places.get(place)?)?.version())
    }

    /// Number of places that the user still has to decide.
    pub fn undecided(&self) -> usize {
        let places = 0..self.places.len();
        places.filter(|place| self.version(*place).is_none()).count()
    }

    /// The merged text; ours where nothing is chosen.
    pub fn result(&self) -> String {
        let mut place = 0;
        let hunks = self.merge.hunks.iter().map(|hunk| {
            let version = match hunk.kind {
                // The versions have the same text here.
                HunkKind::Same => MergeSide::Ours,
                _ => {
                    place += 1;
                    self.version(place - 1).unwrap_or(MergeSide::Ours)
                }
            };
            self.merge.text(hunk, version)
        });
        hunks.collect()
    }
}
