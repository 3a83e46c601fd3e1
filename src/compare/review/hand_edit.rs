//! Values of an old take that were edited by hand, and that the new take would overwrite.

use std::sync::Arc;

use super::{ChangeKey, PairComparison, ReviewVerdict, Take, TakeChange, TakePair, compare};
use document::commit::CommitSummary;
use document::text::{counted, listed};

/// A file as it was when some of its calls were recorded, before values in them were edited by hand.
#[derive(Clone, Debug)]
pub struct RecordedTake {
    pub take: Arc<Take>,
    pub calls: Vec<EditedCall>,
}

/// A call of which a part was edited by hand.
#[derive(Clone, Debug)]
pub struct EditedCall {
    /// Its number in the old take, from 0.
    pub number: usize,
    /// Its number in the file as it was recorded, from 0.
    pub recorded: usize,
    /// The commit of the edit; `None` if it is not committed.
    pub commit: Option<Arc<CommitSummary>>,
}

/// A change of a pair that overwrites a value that was edited by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandEdit {
    pub change: ChangeKey,
    /// Whether the old value can be kept without the other changes of its file.
    pub is_separable: bool,
    /// The commit of the edit; `None` if it is not committed.
    pub commit: Option<Arc<CommitSummary>>,
}

impl PairComparison {
    /// Returns whether values changed that are not ignored, so that they may be values edited by hand.
    pub fn has_values_changed(&self) -> bool {
        self.fault.is_none() && self.changes.iter().any(|change| change.ignored.is_none())
    }

    /// Returns the verdict that accepts the new take and keeps what was edited by hand; `None` if nothing of it is overwritten, or if a part
    /// of it can only be kept with a whole call or a streamed body.
    pub fn keep_edits(&self) -> Option<ReviewVerdict> {
        let is_possible = !self.edits.is_empty() && self.edits.iter().all(|edit| edit.is_separable);
        let keys = self.edits.iter().map(|edit| edit.change.clone());
        is_possible.then(|| ReviewVerdict::Part(keys.collect()))
    }

    /// Returns how much the new take overwrites of what was edited by hand, as `2 values edited by hand in 1a2b3c4`; `None` if nothing.
    pub fn overwritten(&self) -> Option<String> {
        let mut commits: Vec<&str> = Vec::new();
        for commit in self.edits.iter().filter_map(|edit| edit.commit.as_deref()) {
            if !commits.contains(&commit.id.short()) {
                commits.push(commit.id.short());
            }
        }
        let place =
            if commits.is_empty() { String::new() } else { format!(" in {}", listed(&commits)) };
        let values = counted(self.edits.len(), "value", "values");
        (!self.edits.is_empty()).then(|| format!("{values} edited by hand{place}"))
    }
}

impl ReviewVerdict {
    /// Returns whether the file that it leaves has all values that were edited by hand.
    pub fn keeps_edits(&self, comparison: &PairComparison) -> bool {
        match self {
            Self::Accept | Self::KeepNoise => comparison.edits.is_empty(),
            Self::Reject | Self::Skip | Self::Discuss => true,
            Self::Part(kept) => comparison.edits.iter().all(|edit| kept.contains(&edit.change)),
        }
    }
}

/// Finds the changes of a compared pair that overwrite values of the old take that were edited by hand.
pub fn find_overwritten(
    pair: &TakePair,
    comparison: &PairComparison,
    recorded: &[RecordedTake],
) -> Vec<HandEdit> {
    let Some(old) = &pair.old else { return Vec::new() };
    let mut found: Vec<HandEdit> = Vec::new();
    for recorded in recorded {
        let edited = compare(&TakePair::by_hand(&recorded.take, old), &[]);
        for edit in edited.changes.iter().filter(|change| change.ignored.is_none()) {
            let Some(call) = recorded.calls.iter().find(|call| call.is_of(edit)) else { continue };
            let overwriting = comparison.changes.iter().filter(|change| overwrites(change, edit));
            for change in overwriting.filter(|change| change.ignored.is_none()) {
                let hand_edit = HandEdit {
                    change: change.key(),
                    is_separable: change.is_separable(),
                    commit: call.commit.clone(),
                };
                if !found.iter().any(|known| known.change == hand_edit.change) {
                    found.push(hand_edit);
                }
            }
        }
    }
    found
}

impl EditedCall {
    /// Returns whether an edit between the file as it was recorded and the old take is in the call. A file that is one call has no numbers.
    fn is_of(&self, edit: &TakeChange) -> bool {
        let numbers = [Some(self.recorded + 1), Some(self.number + 1)];
        edit.call.as_ref().is_none_or(|call| call.numbers == numbers)
    }
}

/// Returns whether a change of the old take is of the value that an edit changed, added, or removed, of a part of it or of what contains it.
fn overwrites(change: &TakeChange, edit: &TakeChange) -> bool {
    match (&change.old, &edit.new) {
        (Some(changed), Some(edited)) => {
            is_within(&changed.pointer, &edited.pointer)
                || is_within(&edited.pointer, &changed.pointer)
        }
        // What was removed by hand is in the new take again, at the same place.
        (None, None) => {
            let number = |change: &TakeChange, side: usize| change.call.as_ref()?.numbers[side];
            number(change, 0) == number(edit, 1) && place(change) == place(edit)
        }
        _ => false,
    }
}

/// Returns whether a pointer is of a value in another one, or of that itself.
fn is_within(outer: &str, inner: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
}

/// Returns the pointer of a change without the number of its call.
fn place(change: &TakeChange) -> String {
    let pointer = change.pointer();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = pointer.split('/').find(is_number).filter(|_| change.call.is_some());
    number.map_or_else(|| pointer.to_owned(), |number| pointer.replacen(number, "*", 1))
}
