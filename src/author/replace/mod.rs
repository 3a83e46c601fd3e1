//! Changes many places of many files in the same way: which places, how each of them changes, and the text afterwards.
//!
//! All replacements of one plan are made on the document as it is, not on the result of one another. Every byte outside of the
//! replaced places stays; a place that cannot be replaced is refused with its reason, and the other places are replaced.

mod collect;
mod form;
mod groups;
mod pattern;
mod rename;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::BTreeMap;
use std::ops::Range;

use document::edit::{self, Edit, EditRefusal, JsonValue, NewValue, readable};
use document::text::{Place, PlaceFinder, TextEdit};
use document::{Document, DocumentBody, Node, NodeId, Tree};

pub use form::{
    ReplaceChange, ReplaceFault, ReplaceField, ReplaceForm, ReplaceKind, SkippedPlaces,
};
pub use groups::{ChangeGroup, group_changes};
pub use pattern::PlacePattern;
pub use rename::RenameKind;
pub use texts::TextPattern;
pub(crate) use texts::with_parts;

/// One change to make wherever it applies.
#[derive(Clone, Debug)]
pub enum Replacement {
    /// Puts this value in place of the values at a pattern.
    Set { at: PlacePattern, value: JsonValue },
    /// Removes the values at a pattern.
    Remove { at: PlacePattern },
    /// Replaces text inside string values: all of them, or those at a pattern and below it.
    Text { find: TextPattern, at: Option<PlacePattern> },
    /// Renames something wherever a file refers to it.
    Rename { kind: RenameKind, from: String, to: String },
}

/// One place that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacePlace {
    /// The JSON Pointer of the value.
    pub pointer: String,
    /// Place of the value, or of the changed part of a text, in the file as it was.
    pub place: Place,
    pub change: PlaceChange,
}

/// Change of a place. Values are JSON as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlaceChange {
    pub old: Box<str>,
    /// `None` if the value is removed.
    pub new: Option<Box<str>>,
}

/// Result of replacements in one document.
#[derive(Clone, Debug, Default)]
pub struct ReplacePlan {
    /// The places that change, in the order of the text.
    pub places: Vec<ReplacePlace>,
    /// Places that cannot be changed, and why.
    pub refused: Vec<EditRefusal>,
    /// The edit that makes all changes; `None` if there are none.
    pub edit: Option<TextEdit>,
}

/// A place with what is to be done there.
struct Candidate {
    node: NodeId,
    /// Its place, in bytes.
    offset: usize,
    change: PlaceChange,
    step: Step,
}

enum Step {
    /// Replaces a part of a text, in bytes of the decoded text.
    Part(Range<usize>, String),
    Values(Vec<(NodeId, JsonValue)>),
    Remove,
}

/// Plans replacements in one document. Places for which `is_skipped` returns true stay.
///
/// A document that cannot be read completely is refused, because a place may be in the part that was not read.
pub fn plan(
    document: &Document,
    replacements: &[Replacement],
    is_skipped: &dyn Fn(Place) -> bool,
) -> ReplacePlan {
    let tree = &document.tree;
    let mut plan = ReplacePlan::default();
    if let Err(refusal) = readable(tree) {
        plan.refused.push(refusal);
        return plan;
    }
    let mut all_candidates = Vec::new();
    for replacement in replacements {
        match collect::candidates(document, replacement) {
            Ok(more) => all_candidates.extend(more),
            Err(refusal) => plan.refused.push(refusal),
        }
    }
    // In order, `PlaceFinder` needs one pass; and of two conflicting changes, the first in the text is kept.
    all_candidates.sort_by_key(|candidate| candidate.offset);
    let mut places = PlaceFinder::new(tree.source());
    let placed_candidates = all_candidates.into_iter().map(|c| (places.place_at(c.offset), c));
    let allowed_candidates: Vec<(Place, Candidate)> =
        placed_candidates.filter(|(place, _)| !is_skipped(*place)).collect();
    let candidates = without_conflicts(tree, allowed_candidates, &mut plan.refused);
    make(tree, candidates, &mut plan);
    plan
}

/// Whether a file has JSON or YAML values: not code, a machine or a log.
pub fn has_values(document: &Document) -> bool {
    let is_log = matches!(document.body, DocumentBody::Foreign(_)) && document.tree.is_empty();
    document.syntax.has_editable_values() && !is_log
}

/// Refuses what changes a value that an earlier place changes, or one around or in it.
fn without_conflicts(
    tree: &Tree,
    placed_candidates: Vec<(Place, Candidate)>,
    refused: &mut Vec<EditRefusal>,
) -> Vec<(Place, Candidate)> {
    // By their start: the end of the positions that are taken, and the end of the last part that is replaced in a text there.
    let mut taken_ranges: BTreeMap<usize, (usize, Option<usize>)> = BTreeMap::new();
    let mut candidates = Vec::with_capacity(placed_candidates.len());
    for (place, candidate) in placed_candidates {
        let nodes = match &candidate.step {
            Step::Values(values) => values.iter().map(|(node, _)| *node).collect(),
            Step::Part(..) | Step::Remove => vec![candidate.node],
        };
        let part = match &candidate.step {
            Step::Part(range, _) => Some(range.clone()),
            _ => None,
        };
        let is_free = nodes.iter().all(|node| {
            let positions = tree.node(*node).positions();
            taken_ranges.range(..positions.end).next_back().is_none_or(|(start, (end, text_end))| {
                let same_text = *start == positions.start
                    && matches!((&part, text_end), (Some(part), Some(end)) if part.start >= *end);
                *end <= positions.start || same_text
            })
        });
        if !is_free {
            let reason = "Two replacements change this value".to_owned();
            refused.push(EditRefusal { reason, place });
            continue;
        }
        for node in nodes {
            let positions = tree.node(node).positions();
            taken_ranges.insert(positions.start, (positions.end, part.as_ref().map(|p| p.end)));
        }
        candidates.push((place, candidate));
    }
    candidates
}

/// Makes the changes, and adds the places to the plan.
fn make(tree: &Tree, candidates: Vec<(Place, Candidate)>, plan: &mut ReplacePlan) {
    let (values, owners) = new_values(tree, &candidates);
    // The refusals by place: of several values of one place, the first counts.
    let mut failed: BTreeMap<usize, String> = BTreeMap::new();
    let mut text = tree.source().text().to_owned();
    match edit::replace_values(tree, &values) {
        Ok(result) => {
            // Before values are removed, so that the calls have their indices.
            text = edit::correct_lengths(tree, result.text);
            for (index, refusal) in result.refused {
                for owner in &owners[index] {
                    failed.entry(*owner).or_insert_with(|| refusal.reason.clone());
                }
            }
        }
        Err(refusal) => plan.refused.push(refusal),
    }
    // From the last to the first, so that the pointers of the others stay valid.
    for (index, (_, candidate)) in candidates.iter().enumerate().rev() {
        if !matches!(candidate.step, Step::Remove) {
            continue;
        }
        let pointer = tree.node(candidate.node).pointer();
        // Commas and blank lines depend on what was removed before, so each removal has a new tree.
        match edit::plan(&edit::read_again(tree, &text), &Edit::Remove { pointer }) {
            Ok(edit) => {
                edit.apply(&mut text);
            }
            Err(refusal) => {
                failed.insert(index, refusal.reason);
            }
        }
    }
    plan.edit = TextEdit::between(tree.source().text(), &text);
    for (index, (place, candidate)) in candidates.into_iter().enumerate() {
        match failed.remove(&index) {
            Some(reason) => plan.refused.push(EditRefusal { reason, place }),
            None => plan.places.push(ReplacePlace {
                pointer: tree.node(candidate.node).bounded_pointer(),
                place,
                change: candidate.change,
            }),
        }
    }
    plan.refused.sort_by_key(|refusal| refusal.place);
}

/// Returns the new values in the order of the text, each with the indices of the places that it belongs to.
fn new_values(tree: &Tree, candidates: &[(Place, Candidate)]) -> (Vec<NewValue>, Vec<Vec<usize>>) {
    type Parts = Vec<(Range<usize>, String)>;
    let mut all: BTreeMap<NodeId, (Option<JsonValue>, Parts, Vec<usize>)> = BTreeMap::new();
    for (index, (_, candidate)) in candidates.iter().enumerate() {
        match &candidate.step {
            Step::Part(range, new) => {
                let (_, parts, owners) = all.entry(candidate.node).or_default();
                parts.push((range.clone(), new.clone()));
                owners.push(index);
            }
            Step::Values(values) => {
                for (node, value) in values {
                    let (new, _, owners) = all.entry(*node).or_default();
                    *new = Some(value.clone());
                    owners.push(index);
                }
            }
            Step::Remove => {}
        }
    }
    let values = all.into_iter().map(|(node, (value, parts, owners))| {
        let value = value.unwrap_or_else(|| texts::with_parts(tree.node(node), &parts));
        (NewValue { node, value, parts }, owners)
    });
    values.unzip()
}

/// Returns a value as JSON, as it is written there.
fn json_of(node: Node<'_>) -> Box<str> {
    JsonValue::from_node(node).json().into()
}
