//! Suggests fixes for a call or a set.

use std::sync::Arc;

use super::Fix;
use super::files::by_number;
use super::simulate;
use crate::playback::comparison::ClientComparison;
use crate::playback::{
    CallVerdict, PlaybackClient, PlaybackMode, PlaybackRun, Reason, RecordingSet, ResponseShape,
    SetRecording,
};

/// Suggests fixes for a call, the most likely first.
pub fn for_call(run: &PlaybackRun, call: usize) -> Vec<Fix> {
    let Some(at) = run.calls.get(call) else { return Vec::new() };
    let set = &*run.set;
    let mut fixes = Vec::new();
    // No client loads the calls of one file as a set, and they have no files of their own to change.
    if set.is_file {
        return fixes;
    }
    match at.verdict {
        CallVerdict::Right => return fixes,
        CallVerdict::Undefined => fixes.push(Fix::WrapResponses(flat(set))),
        CallVerdict::FirstOf(_) => fixes.extend(renumber(set)),
        _ => {}
    }
    let Some(nearest) = run.nearest(call) else {
        // A log that names no tools leaves nothing to compare.
        let served = at.index().filter(|_| at.verdict.is_bad());
        fixes.extend(served.map(|index| Fix::Regenerate(vec![index])));
        return fixes;
    };
    for reason in &nearest.reasons {
        match reason {
            Reason::ToolNames { missing, extra } => {
                fixes.extend(recompute(set, nearest.index));
                fixes.extend(source_change(set, nearest.index));
                fixes.extend(rename(run, missing, extra));
            }
            Reason::MessageCount { .. } | Reason::OtherCount { .. } => {
                fixes.extend(recompute(set, nearest.index));
            }
            Reason::ContextKeys { .. } => fixes.extend(drop_keys(set, run.rules.client)),
            Reason::Used { .. } => fixes.push(Fix::Duplicate(nearest.index)),
            Reason::Never(_) | Reason::Breaks(_) => fixes.extend(recompute(set, nearest.index)),
        }
    }
    fixes.dedup();
    keep_helpful(run, call, &mut fixes);
    let has_edit = fixes.iter().any(is_simulated);
    let records_again = |reason: &Reason| match reason {
        Reason::ToolNames { .. } => !has_edit,
        reason => reason.needs_recording(run),
    };
    if nearest.reasons.iter().any(records_again) {
        fixes.push(Fix::Regenerate(of_node(run, call)));
    }
    fixes
}

/// Keeps the fixes after which a call finds its recording: each that suffices alone, or else all if they do together.
fn keep_helpful(run: &PlaybackRun, call: usize, fixes: &mut Vec<Fix>) {
    let all: Vec<Fix> = fixes.iter().filter(|fix| is_simulated(fix)).cloned().collect();
    let suffices = |fix: &&Fix| simulate::solves(run, call, std::slice::from_ref(*fix));
    let mut helpful: Vec<Fix> = all.iter().filter(suffices).cloned().collect();
    if helpful.is_empty() && all.len() > 1 && simulate::solves(run, call, &all) {
        helpful = all;
    }
    fixes.retain(|fix| !is_simulated(fix) || helpful.contains(fix));
}

/// Returns whether a fix changes which recording a client finds.
fn is_simulated(fix: &Fix) -> bool {
    matches!(
        fix,
        Fix::RenameTool { .. }
            | Fix::DropContextKeys(_)
            | Fix::RecomputeSignatures(_)
            | Fix::Duplicate(_)
    )
}

/// Suggests fixes for the set from all calls of a run, the most likely first.
pub fn for_run(run: &PlaybackRun) -> Vec<Fix> {
    let set = &*run.set;
    let mut fixes = Vec::new();
    if set.is_file {
        return fixes;
    }
    // Only the first: a test stops there, and never makes the calls after it.
    let bad_call = run.calls.iter().position(|call| call.verdict.is_bad());
    fixes.extend(bad_call.into_iter().flat_map(|call| for_call(run, call)));
    fixes.extend(drop_keys(set, run.rules.client));
    let outdated: Vec<usize> = positions(set, is_outdated);
    if !outdated.is_empty() {
        let recompute = Fix::RecomputeSignatures(outdated);
        // A request may be answered now only because a stored signature is outdated.
        if !simulate::harms(run, &recompute) {
            fixes.push(recompute);
        }
    }
    if !flat(set).is_empty() {
        fixes.push(Fix::WrapResponses(flat(set)));
    }
    // Elsewhere, new names would only make a diff.
    let by_order = !run.findings.ambiguous.is_empty() || run.rules.mode == PlaybackMode::Sequential;
    fixes.extend(renumber(set).filter(|_| by_order));
    // Fixes of the call and of the set may be equal without following each other.
    let mut once: Vec<Fix> = Vec::new();
    for fix in fixes {
        if !once.contains(&fix) {
            once.push(fix);
        }
    }
    once
}

fn positions(set: &RecordingSet, is: impl Fn(&SetRecording) -> bool) -> Vec<usize> {
    let recordings = set.recordings.iter().enumerate();
    recordings.filter(|(_, recording)| is(recording)).map(|(index, _)| index).collect()
}

fn flat(set: &RecordingSet) -> Vec<usize> {
    positions(set, |r| r.response == ResponseShape::Undefined && r.request.is_some())
}

/// Returns whether a stored signature has other tools or another message count than the request.
fn is_outdated(recording: &SetRecording) -> bool {
    let computed = &recording.matching.computed;
    let differs = recording.matching.stored.as_ref().is_some_and(|value| {
        value.tool_names != computed.tool_names || value.message_count != computed.message_count
    });
    let is_broken = !matches!(recording.comparison, ClientComparison::Compared(_));
    recording.request.is_some() && recording.is_stored && (differs || is_broken)
}

/// Suggests the source change of a recording that is stamped with its source.
fn source_change(set: &RecordingSet, index: usize) -> Option<Fix> {
    set.recordings.get(index)?.source.as_ref()?;
    Some(Fix::ShowSourceChange(index))
}

fn recompute(set: &RecordingSet, index: usize) -> Option<Fix> {
    let is_outdated = set.recordings.get(index).is_some_and(is_outdated);
    is_outdated.then(|| Fix::RecomputeSignatures(vec![index]))
}

/// Suggests dropping stored context keys that no shipped client can match.
fn drop_keys(set: &RecordingSet, client: PlaybackClient) -> Option<Fix> {
    if client.computes_context_keys() {
        return None;
    }
    let indices = positions(set, |recording| {
        let signature = recording.matching.stored.as_ref();
        signature.is_some_and(|s| !s.context_keys.is_empty())
    });
    (!indices.is_empty()).then_some(Fix::DropContextKeys(indices))
}

/// Suggests renaming a tool that is no longer offered to the new one.
fn rename(run: &PlaybackRun, missing: &[Arc<str>], extra: &[Arc<str>]) -> Option<Fix> {
    let [from, to] = run.tool_uses().find_rename(missing, extra)?;
    Some(Fix::RenameTool {
        from: Arc::clone(from),
        to: Arc::clone(to),
        recordings: run.tool_uses().recordings_of(from).to_vec(),
    })
}

/// Suggests the order by number if the files do not sort so.
fn renumber(set: &RecordingSet) -> Option<Fix> {
    let order = by_number(set);
    (!order.is_sorted()).then_some(Fix::Reorder(order))
}

/// Returns the recordings of the node of a call; if there are none, the closest match.
fn of_node(run: &PlaybackRun, call: usize) -> Vec<usize> {
    let nearest = run.nearest(call).map(|miss| miss.index);
    // A log does not name the node of a request.
    let recording = || run.set.recordings.get(nearest?)?.node.as_ref();
    let node = run.calls[call].request.node.as_ref().or_else(recording);
    let is_same_node = |recording: &SetRecording| node.is_some() && recording.node.as_ref() == node;
    let made_there = positions(&run.set, is_same_node);
    if made_there.is_empty() { nearest.into_iter().collect() } else { made_there }
}
