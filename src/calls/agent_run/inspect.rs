//! Logs of Inspect: a run for each sample, with its calls in the events of the sample.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::chat::{self, items, text, word};
use super::message::{PartContent, RunMessage, RunRole, RunValue, ToolOutcome};
use super::traced_value::answer;
use super::{AgentRun, CallContent, RunCall, RunTokens};
use document::Node;

/// Reads a log, or its parts one a line: the header and the samples.
pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut id = None;
    let mut samples = Vec::new();
    for part in chat::values(root, "") {
        match part.get("eval") {
            Some(eval) => {
                id = id.or_else(|| eval.get("eval_id").and_then(Node::as_str));
                samples.extend(items(part, "samples"));
            }
            None => samples.push(part),
        }
    }
    samples.into_iter().map(|node| sample(node, id)).collect()
}

fn sample<'d>(node: Node<'d>, eval_id: Option<&'d str>) -> AgentRun<'d> {
    let mut run = AgentRun::new(node);
    run.add_id("eval", eval_id);
    (run.started, run.ended) = (text(node, "started_at"), text(node, "completed_at"));
    let events: Vec<Node<'d>> =
        items(node, "events").filter(|event| word(*event, "event") == "model").collect();
    let mut by_message: HashMap<&str, Node<'d>> = HashMap::new();
    for event in &events {
        let id = answer_of(*event).map_or("", |answer| word(answer, "id"));
        by_message.extend(Some((id, *event)).filter(|_| !id.is_empty()));
    }
    let mut in_conversation = HashSet::new();
    for message in items(node, "messages") {
        let Some(read) = chat::message(message) else { continue };
        if read.role != RunRole::Assistant || word(message, "source") == "input" {
            run.messages.push(read);
            continue;
        }
        let event = by_message.get(word(message, "id"));
        let call = run.push_answer(read);
        if let Some(event) = event {
            in_conversation.insert(event.id());
            note_event(call, *event);
        }
    }
    let attachments = node.get("attachments");
    let data = node.get("events_data");
    let stored: Vec<Node<'d>> = data.into_iter().flat_map(|data| items(data, "messages")).collect();
    for event in events.into_iter().filter(|event| !in_conversation.contains(&event.id())) {
        let sent =
            requested(event, &stored).map(|message| attached(message, attachments)).collect();
        let answer = answer_of(event).and_then(answer).map(|answer| attached(answer, attachments));
        let mut call = RunCall::new(event, CallContent::Own { sent, answer });
        note_event(&mut call, event);
        run.errors.extend(call.error.clone());
        run.calls.push(call);
    }
    let error = node.get("error").and_then(|error| text(error, "message"));
    run.errors.extend(error);
    run.finish_trace(Vec::new());
    run
}

/// Returns the message with which an event of a model ended.
fn answer_of(event: Node<'_>) -> Option<Node<'_>> {
    items(event.get("output")?, "choices").next()?.get("message")
}

fn note_event<'d>(call: &mut RunCall<'d>, event: Node<'d>) {
    let output = event.get("output");
    let tools = event.get("tools").map(|tools| tools.items().map(chat::tool).collect());
    call.tools = tools;
    call.model = text(event, "model");
    call.stop = output
        .and_then(|output| items(output, "choices").next())
        .and_then(|choice| text(choice, "stop_reason"));
    call.tokens = RunTokens::sum(
        output.and_then(|output| output.get("usage")),
        &[&["input_tokens"], &["input_tokens_cache_read"], &["input_tokens_cache_write"]],
        &[&["output_tokens"]],
    );
    (call.started, call.ended) = (text(event, "timestamp"), text(event, "completed"));
    call.error = text(event, "error");
}

/// Returns the messages of a request: its own, or ranges of those that the sample stores once.
fn requested<'d>(event: Node<'d>, stored: &[Node<'d>]) -> impl Iterator<Item = RunMessage<'d>> {
    let range = |range: Node<'_>| {
        let mut ends = range.items().filter_map(|end| Some(end.as_f64()? as usize));
        let (start, end) = (ends.next().unwrap_or_default(), ends.next().unwrap_or_default());
        stored.get(start..end.min(stored.len())).unwrap_or_default().iter().copied()
    };
    let ranges = items(event, "input_refs").flat_map(range);
    items(event, "input").chain(ranges).filter_map(chat::message)
}

/// Puts in place of a mark the long text that is stored apart.
fn attached<'d>(mut message: RunMessage<'d>, attachments: Option<Node<'d>>) -> RunMessage<'d> {
    for part in &mut message.parts {
        let text = match &mut part.content {
            PartContent::Text(text) => text,
            PartContent::ToolOutcome(ToolOutcome {
                content: Some(RunValue::Text(text)), ..
            }) => text,
            _ => continue,
        };
        if let Some(hash) = text.strip_prefix("attachment://")
            && let Some(whole) = attachments.and_then(|all| all.get(hash)?.as_str())
        {
            *text = Cow::Borrowed(whole);
        }
    }
    message
}
