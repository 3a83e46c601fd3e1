//! Finds different times and ids, which are ignored.

use super::{ComparedCall, IgnoredDifference};
use document::Field;
use document::recording::MessageBlock;

/// Returns the different times and ids.
pub(super) fn find_ignored(calls: &[ComparedCall<'_>; 2]) -> Vec<IgnoredDifference> {
    let [left, right] = calls.map(ids_and_times);
    let mut all = Vec::new();
    for (a, b) in left.iter().zip(&right) {
        // Tool calls are compared by their place, since their ids are what differs.
        for at in 0..a.1.len().max(b.1.len()) {
            let (l, r) = (a.1.get(at).copied().flatten(), b.1.get(at).copied().flatten());
            let [lv, rv] = [l, r].map(|field| field.map(|field| field.value.clone()));
            if lv == rv {
                continue;
            }
            let pointer = match (r, l) {
                (Some(field), _) => calls[1].document.node(field.node).pointer(),
                (None, Some(field)) => calls[0].document.node(field.node).pointer(),
                (None, None) => continue,
            };
            all.push(IgnoredDifference { name: a.0.into(), pointer, left: lv, right: rv });
        }
    }
    all
}

type IgnoredFields<'a> = (&'static str, Vec<Option<&'a Field<String>>>);

fn ids_and_times(call: ComparedCall<'_>) -> [IgnoredFields<'_>; 7] {
    let recording = call.recording;
    let answer = recording.and_then(|recording| recording.answer.as_ref());
    let blocks = answer.map_or(&[][..], |answer| &answer.blocks);
    let tool_ids = blocks.iter().filter_map(|block| match block {
        MessageBlock::ToolUse(call) => Some(call.id.as_ref()),
        _ => None,
    });
    [
        ("request id", vec![call.request.id.as_ref()]),
        ("requested at", vec![call.request.timestamp.as_ref()]),
        ("request id of the answer", vec![answer.and_then(|answer| answer.request_id.as_ref())]),
        ("answered at", vec![answer.and_then(|answer| answer.timestamp.as_ref())]),
        ("tool call id", tool_ids.collect()),
        ("recorded at", vec![recording.and_then(|recording| recording.recorded_at.as_ref())]),
        ("last validated", vec![recording.and_then(|recording| recording.last_validated.as_ref())]),
    ]
}
