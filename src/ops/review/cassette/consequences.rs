//! Folds what only repeats a change of an earlier call of the same file under that call.

use std::collections::HashMap;

use super::view::CallView;
use crate::format::recording::MessageBlock;
use crate::ops::review::change::{ChangeKind, Follows, TakeChange};
use crate::ops::review::subject::ChangeSubject;

/// What changed in a request: its kind, the last step of its pointer, and both values.
type RepeatedChange = (ChangeKind, Box<str>, Option<Box<str>>, Option<Box<str>>);

/// Marks the changes that follow from one in an earlier call.
pub(super) fn fold(changes: &mut [TakeChange], views: &[Vec<CallView<'_>>; 2]) {
    let mut requested: HashMap<RepeatedChange, usize> = HashMap::new();
    let mut answered: Vec<[usize; 2]> = Vec::new();
    for change in changes {
        let Some([Some(old), Some(new)]) = change.call.as_ref().map(|call| call.numbers) else {
            continue;
        };
        if change.ignored.is_some() || change.subject == ChangeSubject::HttpCall {
            continue;
        }
        let follows = match change.subject {
            ChangeSubject::Answer | ChangeSubject::ToolCall | ChangeSubject::Reasoning => {
                if answered.last() != Some(&[old, new]) {
                    answered.push([old, new]);
                }
                None
            }
            _ if !is_in_request(change) => None,
            _ => {
                let repeated = repeated_answer(change, [old, new], &answered, views);
                repeated.or_else(|| {
                    let json = |side: &Option<_>| {
                        let side: Option<&super::super::TakeValue> = side.as_ref();
                        side.map(|it| it.json.clone())
                    };
                    let last = change.pointer().rsplit('/').next().unwrap_or_default();
                    let key = (
                        change.kind,
                        last.into(),
                        json(&change.old),
                        json(&change.new),
                    );
                    let first = *requested.entry(key).or_insert(new);
                    (first != new).then_some(first)
                })
            }
        };
        change.follows = follows.map(Follows::Call);
    }
}

/// Returns whether a change is in what was sent: below `/interactions/0/request`.
fn is_in_request(change: &TakeChange) -> bool {
    change.pointer().split('/').nth(3) == Some("request")
}

/// Returns the earlier call whose changed answer a message repeats, or whose tool calls it has results of.
fn repeated_answer(
    change: &TakeChange,
    numbers: [usize; 2],
    answered: &[[usize; 2]],
    views: &[Vec<CallView<'_>>; 2],
) -> Option<usize> {
    if change.subject != ChangeSubject::Message {
        return None;
    }
    let place = change.call.as_ref()?;
    let is_after = |side: usize, cause: usize| -> Option<bool> {
        let pointer = place.shown_at[side].as_deref()?;
        let index: usize = pointer.rsplit('/').next()?.parse().ok()?;
        let call = |number: usize| views[side].get(number.checked_sub(1)?);
        let (earlier, later) = (call(cause)?, call(numbers[side])?);
        let [before, after] = [earlier, later].map(|view| view.call.document.body.request());
        let (before, after) = (before?, after?);
        let message = after.messages.get(index)?;
        let is_result = message
            .blocks
            .iter()
            .any(|block| matches!(block, MessageBlock::ToolResult { .. }));
        let is_answer = message
            .role
            .as_ref()
            .is_some_and(|role| role.value == "assistant");
        Some(index >= before.messages.len() && (is_result || is_answer))
    };
    let is_cause = |cause: &&[usize; 2]| {
        let sides = [is_after(0, cause[0]), is_after(1, cause[1])];
        cause[1] < numbers[1]
            && sides.into_iter().flatten().all(|it| it)
            && sides.iter().any(Option::is_some)
    };
    answered.iter().find(is_cause).map(|[_, new]| *new)
}
