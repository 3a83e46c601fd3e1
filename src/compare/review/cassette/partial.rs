//! A new cassette with some of its changes as they are in the old one.

use std::collections::{BTreeMap, BTreeSet};

use super::alignment::align;
use super::differences::{CallDifference, find};
use super::view::{BodyJson, CallView};
use crate::review::change::{ChangeKey, ChangedValues, TakeChange};
use crate::review::old_ids::OldIds;
use crate::review::pair::Take;
use crate::review::patch::{EditPlaces, edits};
use crate::review::structure::ValueDifference;
use document::diff::Side;
use document::edit::{Edit, JsonValue, plan_all};
use document::{Document, Node, Tree};

/// Returns the new cassette with these changes reverted to the old one; `None` if one of them is no cassette.
///
/// # Errors
///
/// The reason that it is not possible, as a sentence without a full stop. The new text is compared with both cassettes before, so that
/// nothing else changes.
pub(crate) fn partial_text(
    old: &Document,
    new: &Document,
    new_take: &Take,
    from_old: &BTreeSet<ChangeKey>,
) -> Option<Result<String, String>> {
    let views = [CallView::read_all(old)?, CallView::read_all(new)?];
    let all_differences = find(&views, &align(&views));
    let changes: Vec<TakeChange> = all_differences.iter().map(CallDifference::change).collect();
    let is_chosen: Vec<bool> = changes.iter().map(|c| from_old.contains(&c.key())).collect();
    let differences: Vec<&CallDifference<'_>> = all_differences
        .iter()
        .zip(&is_chosen)
        .filter(|(_, is)| **is)
        .map(|(call, _)| call)
        .collect();
    if differences.len() < from_old.len() {
        return Some(Err("The takes changed since these changes were chosen".to_owned()));
    }
    if !differences.iter().all(|call| call.place.is_separable) {
        let reason = "A whole call and a streamed or packed body cannot be taken in part";
        return Some(Err(reason.to_owned()));
    }
    let kept_counts = changes.iter().zip(&is_chosen).filter(|(_, is)| !**is);
    let kept_counts = counted(kept_counts.map(|(change, _)| change));
    Some(patched(&new.tree, &differences).and_then(|text| {
        let document = new_take.with_bytes(text.as_bytes().to_vec()).read();
        let views = CallView::read_all(&document).zip(CallView::read_all(old));
        let counts_left = views.map(|(new, old)| {
            let views = [old, new];
            let rest = find(&views, &align(&views));
            let changes: Vec<TakeChange> = rest.iter().map(CallDifference::change).collect();
            counted(changes.iter())
        });
        let is_exact = counts_left.as_ref() == Some(&kept_counts);
        is_exact.then_some(text).ok_or_else(|| {
            "These changes depend on others, so that the file is taken as a whole".to_owned()
        })
    }))
}

/// Counts equal changes. What follows from an edit of a body is left out: its length.
fn counted<'c>(changes: impl Iterator<Item = &'c TakeChange>) -> BTreeMap<ChangedValues, usize> {
    let mut counts = BTreeMap::new();
    for change in changes {
        if change.pointer().to_ascii_lowercase().contains("content-length") {
            continue;
        }
        let [old, new] = [&change.old, &change.new].map(|v| v.as_ref().map(|v| v.json.clone()));
        *counts.entry((change.kind, old, new)).or_default() += 1;
    }
    counts
}

fn patched(new: &Tree, differences: &[&CallDifference<'_>]) -> Result<String, String> {
    let edits = file_edits(differences, Side::Right, &OldIds::default());
    let edit = plan_all(new, &edits).map_err(|refusal| refusal.to_string())?;
    let mut text = new.source().text().to_owned();
    if let Some(edit) = edit {
        edit.apply(&mut text);
    }
    Ok(text)
}

/// Returns the edits that change these differences of the `base` side to what the other side has, with the old ids.
pub(super) fn file_edits(diffs: &[&CallDifference<'_>], base: Side, ids: &OldIds) -> Vec<Edit> {
    let mut all: Vec<Edit> = Vec::new();
    let is_same = |a: &Option<[&BodyJson; 2]>, b: &Option<[&BodyJson; 2]>| match (a, b) {
        (Some([_, a]), Some([_, b])) => std::ptr::eq(*a, *b),
        (None, None) => true,
        _ => false,
    };
    // The differences of a body are next to each other.
    for group in diffs.chunk_by(|a, b| is_same(&a.bodies, &b.bodies)) {
        let differences: Vec<&ValueDifference<'_>> = group.iter().map(|c| &c.difference).collect();
        let bodies = group.first().and_then(|call| call.bodies);
        let pointer = |node: Node<'_>| match bodies {
            Some(bodies) => bodies[base as usize].pointer(node),
            None => node.pointer(),
        };
        let value = |node: Node<'_>| -> JsonValue {
            ids.in_value(&match bodies {
                Some(bodies) => bodies[base.other() as usize].value(node),
                None => JsonValue::from_node(node),
            })
        };
        let places = EditPlaces { base, pointer: &pointer, value: &value };
        for edit in edits(&differences, &places) {
            let repeated = group.first().map(|call| call.repeated(base, edit.pointer()));
            let copies = repeated.unwrap_or_default().into_iter().map(|pointer| edit.at(pointer));
            let copies: Vec<Edit> = copies.collect();
            all.push(edit);
            all.extend(copies);
        }
    }
    all
}
