//! Plays a run again as if fixes were applied, to offer only those that help.

use std::sync::Arc;

use super::Fix;
use crate::playback::comparison::{ClientComparison, MatchKey, sort_names};
use crate::playback::play::play_calls;
use crate::playback::{
    CallVerdict, MessagesKnown, PlaybackRun, PlayedCall, RecordingSet, SetRecording,
};
use document::signature::utf16_order;

/// Returns whether a call finds its recording after fixes, and no other call loses its answer.
pub(super) fn solves(run: &PlaybackRun, call: usize, fixes: &[Fix]) -> bool {
    let calls = replay(run, fixes);
    let is_found = calls.get(call).is_some_and(|call| match call.verdict {
        CallVerdict::Right | CallVerdict::FirstOf(_) => true,
        // Without the number of messages no recording can be found by its signature.
        CallVerdict::ByPosition(_) => call.request.messages_known() == MessagesKnown::No,
        _ => false,
    });
    is_found && !loses_answers(run, &calls)
}

/// Returns whether a call has an answer now and none after a fix.
pub(super) fn harms(run: &PlaybackRun, fix: &Fix) -> bool {
    loses_answers(run, &replay(run, std::slice::from_ref(fix)))
}

fn loses_answers(run: &PlaybackRun, calls: &[PlayedCall]) -> bool {
    run.calls.iter().zip(calls).any(|(old, new)| !old.verdict.is_bad() && new.verdict.is_bad())
}

/// Plays the calls of a run after fixes.
pub(super) fn replay(run: &PlaybackRun, fixes: &[Fix]) -> Vec<PlayedCall> {
    let mut set = RecordingSet::clone(&run.set);
    let mut start_state = run.before.clone();
    for fix in fixes {
        if let Fix::Duplicate(index) = fix {
            let copy = set.recordings.get(*index).cloned();
            if let Some(copy) = copy {
                set.recordings.insert(index + 1, copy);
                // The copy moves every later position, also in the state that a log left.
                start_state.next += usize::from(start_state.next > *index);
                if start_state.used.len() > *index {
                    start_state.used.insert(index + 1, false);
                }
            }
        }
        for index in fix.edited() {
            if let Some(recording) = set.recordings.get_mut(*index) {
                apply(recording, fix);
            }
        }
    }
    let requests = run.calls.iter().map(|call| Arc::clone(&call.request));
    play_calls(&set, run.rules, &start_state, requests).calls
}

/// Changes what a client compares of a recording, as the edit of a fix does.
fn apply(recording: &mut SetRecording, fix: &Fix) {
    match fix {
        Fix::RenameTool { from, to, .. } => {
            let rename = |name: &mut Arc<str>| {
                if *name == *from {
                    *name = Arc::clone(to);
                }
            };
            recording.calls.iter_mut().for_each(rename);
            let matching = &mut recording.matching;
            for signature in matching.stored.iter_mut().chain([&mut matching.computed]) {
                let names = &mut signature.tool_names;
                // The edit leaves a list without the tool as it is, even if it is not sorted.
                if names.contains(from) {
                    names.iter_mut().for_each(rename);
                    names.sort_by(|a, b| utf16_order(a, b));
                }
            }
            if let Some(key) = match_key(recording)
                && key.names.iter().flatten().any(|name| name == from)
            {
                key.names.iter_mut().flatten().for_each(rename);
                sort_names(&mut key.names);
            }
        }
        Fix::DropContextKeys(_) if recording.is_stored => {
            if let Some(key) = match_key(recording) {
                key.keys = Box::default();
            }
        }
        // A computed signature follows its request already.
        Fix::RecomputeSignatures(_) if recording.is_stored => {
            let computed = &recording.matching.computed;
            let stored_signature = recording.matching.stored.as_ref();
            recording.comparison = ClientComparison::Compared(MatchKey {
                names: computed.tool_names.iter().cloned().map(Some).collect(),
                messages: computed.message_count,
                keys: stored_signature.map(|s| s.context_keys.clone()).unwrap_or_default(),
            });
        }
        _ => {}
    }
}

fn match_key(recording: &mut SetRecording) -> Option<&mut MatchKey> {
    match &mut recording.comparison {
        ClientComparison::Compared(key) | ClientComparison::BreaksWhenAlike(key, _) => Some(key),
        ClientComparison::Never(_) | ClientComparison::Breaks(_) => None,
    }
}
