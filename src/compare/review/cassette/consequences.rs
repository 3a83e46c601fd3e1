//! Folds what only repeats a change of an earlier call of the same file under that call.

use std::collections::HashMap;

use serde_json::Value;

use super::view::CallView;
use crate::review::TakeValue;
use crate::review::change::{ChangedCallPart, Follows, TakeChange};
use crate::review::structure::ChangeKind;
use crate::review::subject::ChangeSubject;
use document::recording::{Message, MessageBlock, ToolUse};
use document::{Document, json, text};

/// A change in a request: its kind, the last step of its pointer, and both values.
type RepeatedChange = (ChangeKind, Box<str>, Option<Box<str>>, Option<Box<str>>);

/// Marks the changes that follow from one in an earlier call.
pub(super) fn fold(changes: &mut [TakeChange], views: &[Vec<CallView<'_>>; 2]) {
    let mut requested: HashMap<RepeatedChange, usize> = HashMap::new();
    let mut answers: Vec<ChangedAnswer> = Vec::new();
    for change in changes {
        let Some([Some(old), Some(new)]) = change.call.as_ref().map(|call| call.numbers) else {
            continue;
        };
        if change.ignored.is_some() || change.subject == ChangeSubject::HttpCall {
            continue;
        }
        let follows = match change.subject {
            ChangeSubject::Answer | ChangeSubject::ToolCall | ChangeSubject::Reasoning => {
                // Changes are in the order of calls, so only the last entry can be of this call.
                let last = answers.last();
                if last.is_none_or(|last| last.numbers != [old, new]) {
                    answers.push(ChangedAnswer::new([old, new], views));
                }
                None
            }
            _ if change.call.as_ref().is_none_or(|call| call.part != ChangedCallPart::Request) => {
                None
            }
            _ => repeated_answer(change, [old, new], &answers, views).or_else(|| {
                let json = |side: &Option<TakeValue>| side.as_ref().map(|value| value.json.clone());
                let last = change.pointer().rsplit('/').next().unwrap_or_default();
                let key = (change.kind, last.into(), json(&change.old), json(&change.new));
                let first = *requested.entry(key).or_insert(new);
                (first != new).then_some(first)
            }),
        };
        change.follows = follows.map(Follows::Call);
    }
}

/// Two calls whose answers differ, by their numbers in both files, and what later requests may repeat of these.
struct ChangedAnswer {
    numbers: [usize; 2],
    /// The number of messages of their requests.
    counts: [usize; 2],
    parts: [RepeatableParts; 2],
}

impl ChangedAnswer {
    fn new(numbers: [usize; 2], views: &[Vec<CallView<'_>>; 2]) -> Self {
        let view = |side: usize| call_view(views, side, numbers);
        let count = |side: usize| {
            let request = view(side).and_then(|view| view.call.document.body.request());
            request.map_or(0, |request| request.messages.len())
        };
        let parts = |side: usize| view(side).map(RepeatableParts::of_answer).unwrap_or_default();
        Self { numbers, counts: [count(0), count(1)], parts: [parts(0), parts(1)] }
    }
}

fn call_view<'a, 'd>(
    views: &'a [Vec<CallView<'d>>; 2],
    side: usize,
    numbers: [usize; 2],
) -> Option<&'a CallView<'d>> {
    views[side].get(numbers[side].checked_sub(1)?)
}

/// Returns the earlier call whose changed answer a message repeats, or that called the tool of its result with other arguments.
fn repeated_answer(
    change: &TakeChange,
    numbers: [usize; 2],
    answers: &[ChangedAnswer],
    views: &[Vec<CallView<'_>>; 2],
) -> Option<usize> {
    let is_message = change.subject == ChangeSubject::Message && is_content(change.pointer());
    if !is_message || answers.is_empty() {
        return None;
    }
    let message = |side: usize| {
        let pointer = change.call.as_ref()?.shown_at[side].as_deref()?;
        let index: usize = pointer.rsplit('/').next()?.parse().ok()?;
        let document = &*call_view(views, side, numbers)?.call.document;
        Some((index, RepeatableParts::of_message(document, index)?))
    };
    let messages = [message(0), message(1)];
    let reasoning = repeated_reasoning(change);
    let is_cause = |cause: &&ChangedAnswer| {
        // Only messages behind those of the earlier request can repeat its answer.
        let is_after =
            |side: usize| messages[side].as_ref().is_none_or(|(i, _)| *i >= cause.counts[side]);
        let has_texts = |[old, new]: &[String; 2]| {
            let [old_answer, new_answer] = &cause.parts;
            old_answer.text.contains(old) && new_answer.text.contains(new)
        };
        cause.numbers[1] < numbers[1]
            && (reasoning.as_ref().is_some_and(has_texts)
                || is_after(0) && is_after(1) && {
                    let parts = messages.each_ref().map(|m| m.as_ref().map(|(_, m)| m));
                    is_repeated(parts, &cause.parts)
                })
    };
    let cause = answers.iter().find(is_cause);
    cause.map(|cause| cause.numbers[1])
}

/// Returns whether a value of a message is a text, a tool call, a result or a part of one, not a note on it.
fn is_content(pointer: &str) -> bool {
    let is_list = |step: &&str| matches!(*step, "messages" | "input" | "contents");
    let mut steps = pointer.split(['/', '#']).skip_while(|step| !is_list(step));
    let steps: Vec<&str> = steps.by_ref().skip(2).filter(|step| !step.is_empty()).collect();
    let is_data = |step: &&str| {
        matches!(*step, "arguments" | "input" | "args" | "output" | "response" | "toolResult")
    };
    let is_index = |step: &str| step.bytes().all(|byte| byte.is_ascii_digit());
    let is_text = |step: &str| {
        step.starts_with("reasoning")
            || matches!(
                step,
                "content" | "text" | "name" | "thinking" | "refusal" | "summary" | "parts"
            )
            || matches!(
                step,
                "tool_calls" | "function" | "functionCall" | "functionResponse" | "toolUse"
            )
    };
    let last = steps.last();
    steps.iter().any(is_data) || last.is_none_or(|last| is_index(last) || is_text(last))
}

/// Parts of an answer that a later request repeats. Ids are left out: they are other ones in each recording.
#[derive(Default)]
struct RepeatableParts {
    texts: Vec<String>,
    /// All of them.
    text: String,
    calls: Vec<ToolCallPart>,
    results: Vec<ToolResultPart>,
}

/// The id of a tool call; its name and its arguments.
type ToolCallPart = (Option<String>, (String, Value));

/// The id of the tool call, and the result.
type ToolResultPart = (Option<String>, Value);

impl RepeatableParts {
    fn of_message(document: &Document, index: usize) -> Option<Self> {
        let message: &Message = document.body.request()?.messages.get(index)?;
        let mut parts = Self::new(document, &message.blocks);
        if text(&message.role) != Some("assistant") {
            // A text of a user is no answer, even if it is the same.
            parts.texts.clear();
        }
        Some(parts)
    }

    fn of_answer(view: &CallView<'_>) -> Self {
        let answer = view.call.answer();
        answer.map_or_else(Self::default, |answer| Self::new(&view.call.document, &answer.blocks))
    }

    fn new(document: &Document, blocks: &[MessageBlock]) -> Self {
        let value = |node| serde_json::from_str(&json::text(document.node(node)));
        let value = |node: Option<_>| node.and_then(|node| value(node).ok()).unwrap_or_default();
        let mut parts = Self::default();
        for block in blocks {
            match block {
                MessageBlock::Text(text) | MessageBlock::Reasoning { text, .. } => {
                    parts.texts.push(without_spaces(&text.value));
                }
                MessageBlock::ToolUse(ToolUse { id, name, input, .. }) => {
                    let call = (text(name).unwrap_or_default().to_owned(), value(*input));
                    parts.calls.push((text(id).map(str::to_owned), call));
                }
                MessageBlock::ToolResult { id, content, .. } => {
                    parts.results.push((text(id).map(str::to_owned), value(*content)));
                }
                MessageBlock::Image { .. } | MessageBlock::Other { .. } => {}
            }
        }
        parts.texts.retain(|text| !text.is_empty());
        parts.text = parts.texts.concat();
        parts
    }

    fn has_call(&self, call: &ToolCallPart) -> bool {
        self.calls.iter().any(|(_, other)| *other == call.1)
    }

    /// Returns the call that a result in a message is of: by its id, else by its place.
    fn call_of(&self, (id, _): &ToolResultPart, place: usize) -> Option<&ToolCallPart> {
        match id {
            Some(_) => self.calls.iter().find(|(other, _)| other == id),
            // Calls of Gemini mostly have no ids.
            None => self.calls.get(place),
        }
    }
}

/// Returns whether all that differs between two messages, of which one may be missing, repeats what differs between two answers.
fn is_repeated(messages: [Option<&RepeatableParts>; 2], answers: &[RepeatableParts; 2]) -> bool {
    let none = RepeatableParts::default();
    let messages = messages.map(|message| message.unwrap_or(&none));
    // A text that is in both answers is no consequence of their difference.
    let mut has_other = false;
    for (side, other) in [(0, 1), (1, 0)] {
        let [own, of_other] = [side, other].map(|at| messages[at]);
        let [answer, other_answer] = [side, other].map(|at| &answers[at]);
        for text in own.texts.iter().filter(|text| !of_other.texts.contains(text)) {
            if !answer.text.contains(text) {
                return false;
            }
            has_other |= !other_answer.text.contains(text);
        }
        for call in own.calls.iter().filter(|call| !of_other.has_call(call)) {
            if !answer.has_call(call) {
                return false;
            }
            has_other |= !other_answer.has_call(call);
        }
        let is_known = |result: &Value| of_other.results.iter().any(|(_, other)| other == result);
        for (place, result) in own.results.iter().enumerate() {
            if is_known(&result.1) {
                continue;
            }
            let call = answer.call_of(result, place);
            // The same call was made before: its other result is a cause of its own.
            if call.is_none_or(|call| other_answer.has_call(call)) {
                return false;
            }
            has_other = true;
        }
    }
    has_other
}

/// Returns the old and the new text of the reasoning that a request repeats beside its messages.
fn repeated_reasoning(change: &TakeChange) -> Option<[String; 2]> {
    let names = |step: &str| step == "summary" || step.starts_with("reasoning");
    let is_reasoning = change.pointer().split('/').any(names);
    let text = |value: &Option<TakeValue>| {
        let text: String = serde_json::from_str(&value.as_ref()?.json).ok()?;
        Some(without_spaces(&text))
    };
    is_reasoning.then_some(())?;
    Some([text(&change.old)?, text(&change.new)?])
}

/// Programs trim texts and join their pieces before they repeat them.
fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}
