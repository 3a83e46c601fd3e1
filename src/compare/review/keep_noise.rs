//! The old take with the causes of the new one: ids, times, token counts, headers, order and format stay as they were.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PairComparison;
use super::cassette;
use super::change::{ChangedValues, IgnoredChanges, TakeChange};
use super::compare::{compare, find_fault};
use super::noise::IgnoreReason;
use super::old_ids::OldIds;
use super::pair::{Take, TakePair};
use super::patch::patch;
use super::structure::{ValueDifference, differences};
use super::subject::ChangeSubject;
use calls::tape::verify::ignore;
use document::Node;
use document::diff::Side;
use document::diff::text::count_changed;
use document::tape::Tape;
use document::text::lower_first;

mod chunks;
#[cfg(test)]
mod tests;

impl TakePair {
    /// Returns the take whose path stays when the old noise is kept: the old one if the names differ only in ids and times.
    pub(super) fn kept_path(&self) -> Option<&Arc<Take>> {
        let (Some(old), Some(new)) = (&self.old, &self.new) else { return self.new.as_ref() };
        let [old_name, new_name] = [old, new].map(|take| ignore::masked(take.file_name()).0);
        let is_noise = old.folder() == new.folder() && old_name == new_name;
        Some(if is_noise { old } else { new })
    }
}

/// Returns the old take with all changes of the new one that are not ignored; every other byte is old. An added take is returned as it is,
/// and so is a new take of which git shows fewer lines.
///
/// Old ids stay, also where what changed refers to them. The hash of a source is that of the new take, which was recorded from it. What
/// is returned has been compared: it differs from the new take only in what is ignored, and from the old one only in what is not.
///
/// # Errors
///
/// The reason that it cannot be done, as a sentence without a full stop.
pub fn keep_noise(pair: &TakePair, result: &PairComparison) -> Result<Option<Arc<[u8]>>, String> {
    let (Some(old_take), Some(new_take)) = (&pair.old, &pair.new) else {
        return Ok(pair.new.as_ref().map(|take| Arc::clone(&take.bytes)));
    };
    let (old, new) = (old_take.read(), new_take.read());
    if old_take.bytes == new_take.bytes {
        return Ok(Some(Arc::clone(&old_take.bytes)));
    }
    if let Some(fault) = find_fault([Some(&old), Some(&new)]) {
        return Err(format!("{fault}; the file can only be taken as a whole"));
    }
    let ignored = IgnoredChanges::new(&result.changes);
    let causes: Vec<&TakeChange> =
        result.changes.iter().filter(|change| change.ignored.is_none()).collect();
    let (text, ids, noise) = match cassette::keep_noise(&old, &new, &ignored) {
        Some(cassette) => {
            let cassette = cassette?;
            let noise =
                if cassette.has_whole_bodies { TakenNoise::Bodies } else { TakenNoise::Lengths };
            (cassette.text, cassette.ids, noise)
        }
        None => {
            let all_differences = differences(&old.tree, &new.tree);
            let why = |difference: &_| ignored.reason(&TakeChange::new(difference).key());
            let reasons = all_differences.iter().map(why).collect::<Result<Vec<_>, _>>()?;
            let ids = OldIds::new(all_differences.iter().zip(reasons.iter().copied()));
            let is_tape = chunks::tape(&old).and(chunks::tape(&new)).is_some();
            let is_taken = |(difference, why): &(&ValueDifference<'_>, &Option<IgnoreReason>)| {
                let is_stream =
                    is_tape && difference.node().is_some_and(|d| is_stream(&d.pointer()));
                (why.is_none() || names_source(difference)) && !is_stream
            };
            let differences = all_differences.iter().zip(&reasons).filter(is_taken);
            let differences: Vec<&ValueDifference<'_>> =
                differences.map(|(difference, _)| difference).collect();
            let text = patch(&old.tree, &differences, Side::Left, &ids).map_err(|r| r.reason)?;
            if is_tape {
                (chunks::with_words(&text, &new)?, ids, TakenNoise::Stream)
            } else {
                (text, ids, TakenNoise::Source)
            }
        }
    };
    let kept_take = Arc::new(new_take.with_bytes(text.into_bytes()));
    check(pair, &kept_take, &causes, &ignored, &ids, noise)?;
    let changed_lines = |take: &Take| {
        let [old, new] = [&**old_take, take].map(|take| String::from_utf8_lossy(&take.bytes));
        count_changed(&old, &new)
    };
    // Where the new layout of what changed fits the old one badly, the old noise is no gain.
    let is_larger = changed_lines(&kept_take) > changed_lines(new_take);
    let smaller_take = if is_larger { new_take } else { &kept_take };
    Ok(Some(Arc::clone(&smaller_take.bytes)))
}

/// Ignored values that come from the new take nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TakenNoise {
    /// The lengths of edited bodies.
    Lengths,
    /// Whole bodies, and the headers that describe them.
    Bodies,
    /// The source that the take was recorded from.
    Source,
    /// The delays of the chunks of a tape.
    Stream,
}

/// Returns whether a place is the stream of a tape, or in it.
fn is_stream(pointer: &str) -> bool {
    pointer == "/stream" || pointer.starts_with("/stream/")
}

/// Returns whether a difference says which text of a source a take was recorded from.
fn names_source(difference: &ValueDifference<'_>) -> bool {
    let parent = difference.node().and_then(Node::parent);
    // Members of DyGram's `sourceMetadata`.
    let names = ["contentHash", "fileSize", "lastModified"];
    parent.is_some_and(|parent| parent.get("contentHash").is_some())
        && difference.node().and_then(Node::key).is_some_and(|key| names.contains(&key))
}

/// Compares what would be written with both takes.
fn check(
    pair: &TakePair,
    kept_take: &Arc<Take>,
    causes: &[&TakeChange],
    ignored: &IgnoredChanges,
    ids: &OldIds,
    noise: TakenNoise,
) -> Result<(), String> {
    // Without rules: what they ignore is known by its key from the first comparison.
    let between = |old, new| compare(&TakePair::by_hand(old, new), &[]);
    let (Some(old), Some(new)) = (&pair.old, &pair.new) else { return Ok(()) };
    // A new id that stays would refer to nothing, since what it names has its old id.
    if let Some(id) = ids.first_in(&String::from_utf8_lossy(&kept_take.bytes)) {
        return Err(format!("The new id {id} cannot be replaced everywhere"));
    }
    let depends = |change: Option<&TakeChange>| {
        let change = change.map_or_else(String::new, |change| format!(": {}", description(change)));
        format!("The changes cannot be separated from the noise{change}")
    };
    let to_new = between(kept_take, new);
    let is_tape = noise == TakenNoise::Stream;
    let is_chunk = |change: &TakeChange| is_tape && is_stream(change.pointer());
    let is_noise = |change: &TakeChange| {
        let by_rule = || ignored.reason(&change.key()).ok().flatten();
        change.ignored.or_else(by_rule).is_some() || is_chunk(change)
    };
    // Chunks are compared by their words.
    let words = |take: &Take| chunks::tape(&take.read()).map(Tape::joined);
    if is_tape && words(kept_take) != words(new) {
        return Err(depends(None));
    }
    let from_old = between(old, kept_take);
    // The fault is in what would be written, so a message about the old or the new version would be wrong.
    if to_new.fault.is_some() || from_old.fault.is_some() {
        return Err(depends(None));
    }
    if let Some(missing) = to_new.changes.iter().find(|change| !is_noise(change)) {
        return Err(depends(Some(missing)));
    }
    let is_taken = |change: &TakeChange| {
        let at = change.pointer().to_ascii_lowercase();
        change.ignored.is_some()
            && match noise {
                TakenNoise::Lengths => {
                    // The header, and the member in which go-vcr repeats it.
                    at.contains("content-length") || at.contains("content_length")
                }
                TakenNoise::Bodies => true,
                TakenNoise::Source => at.starts_with("/sourcemetadata/"),
                TakenNoise::Stream => false,
            }
    };
    let own: Vec<&TakeChange> =
        from_old.changes.iter().filter(|c| !is_taken(c) && !is_chunk(c)).collect();
    let mut causes = causes.to_vec();
    causes.retain(|change| !is_chunk(change));
    let own_counts = counted(&own, &OldIds::default());
    let cause_counts = counted(&causes, ids);
    if own_counts == cause_counts {
        return Ok(());
    }
    let is_other = |change: &&&TakeChange, ids: &OldIds| {
        let key = changed_values(change, ids);
        own_counts.get(&key) != cause_counts.get(&key)
    };
    let other = own.iter().find(|change| is_other(change, &OldIds::default()));
    Err(depends(other.or_else(|| causes.iter().find(|change| is_other(change, ids))).copied()))
}

/// Describes a change in words, with its place.
fn description(change: &TakeChange) -> String {
    match &*change.sentence {
        "" => change.pointer().to_owned(),
        sentence => format!("{} ({})", lower_first(sentence), change.pointer()),
    }
}

/// Counts equal changes, with the old ids.
fn counted(changes: &[&TakeChange], ids: &OldIds) -> BTreeMap<ChangedValues, usize> {
    let mut counts = BTreeMap::new();
    for change in changes {
        *counts.entry(changed_values(change, ids)).or_default() += 1;
    }
    counts
}

fn changed_values(change: &TakeChange, ids: &OldIds) -> ChangedValues {
    // The summary of a whole call may contain noise, so only its kind is compared.
    let is_call = change.subject == ChangeSubject::HttpCall;
    let old = change.old.as_ref().filter(|_| !is_call);
    let new = change.new.as_ref().filter(|_| !is_call);
    (change.kind, old.map(|v| v.json.clone()), new.map(|value| ids.in_text(&value.json).into()))
}
