//! Logs of Inspect: a run for each sample, with its calls in the events of the sample.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::chat::{self, items, text, word};
use super::message::{PartContent, RunMessage, RunRole, RunValue};
use super::traced_value::answer;
use super::{AgentRun, CallContent, RunCall, RunTokens, RunTool};
use crate::json::Json;
use document::{Node, NodeKind};

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
    let attachments = Attachments(node.get("attachments"));
    let stored_call =
        |event: Node<'d>| Some(ProviderCall { call: event.get("call")?, sample: node });
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
            note_event(call, *event, attachments);
            call.provider_call = stored_call(*event);
        }
    }
    let stored = stored(node, "messages");
    for event in events.into_iter().filter(|event| !in_conversation.contains(&event.id())) {
        let sent = requested(event, &stored)
            .map(|message| attachments.complete_message(message))
            .collect();
        let answer = answer_of(event).and_then(answer);
        let answer = answer.map(|answer| attachments.complete_message(answer));
        let mut call = RunCall::new(event, CallContent::Own { sent, answer });
        note_event(&mut call, event, attachments);
        call.provider_call = stored_call(event);
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

fn note_event<'d>(call: &mut RunCall<'d>, event: Node<'d>, attachments: Attachments<'d>) {
    let output = event.get("output");
    let tool = |node| attachments.complete_tool(chat::tool(node));
    call.tools = event.get("tools").map(|tools| tools.items().map(tool).collect());
    let request = event.get("call").and_then(|call| call.get("request"));
    // Inspect puts the name of the provider before that of the model.
    let of_provider = || word(event, "model").split_once('/').map(|(_, model)| model.into());
    call.model = request.and_then(|request| text(request, "model")).or_else(of_provider);
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

/// Returns the messages that a sample stores once.
fn stored<'d>(sample: Node<'d>, key: &str) -> Vec<Node<'d>> {
    sample.get("events_data").into_iter().flat_map(|data| items(data, key)).collect()
}

/// Returns the stored messages in the ranges under a key.
fn referred<'d>(node: Node<'d>, key: &str, stored: &[Node<'d>]) -> impl Iterator<Item = Node<'d>> {
    let range = |range: Node<'_>| {
        let mut ends = range.items().filter_map(|end| Some(end.as_f64()? as usize));
        let (start, end) = (ends.next().unwrap_or_default(), ends.next().unwrap_or_default());
        stored.get(start..end.min(stored.len())).unwrap_or_default().iter().copied()
    };
    items(node, key).flat_map(range)
}

/// Returns the messages of a request: its own, or ranges of those that the sample stores once.
fn requested<'d>(event: Node<'d>, stored: &[Node<'d>]) -> impl Iterator<Item = RunMessage<'d>> {
    items(event, "input").chain(referred(event, "input_refs", stored)).filter_map(chat::message)
}

/// A call in the form of its provider, and the sample that has its messages and long texts.
#[derive(Clone, Copy, Debug)]
pub struct ProviderCall<'d> {
    call: Node<'d>,
    sample: Node<'d>,
}

impl ProviderCall<'_> {
    /// Returns the request and the answer as JSON. Headers among the arguments of the client are no part of a body.
    pub fn bodies(&self) -> Option<[String; 2]> {
        let request =
            self.call.get("request").filter(|request| request.kind() == NodeKind::Object)?;
        let calls = stored(self.sample, "calls");
        let messages: Vec<Json> =
            referred(self.call, "call_refs", &calls).map(Json::from).collect();
        let key = Some(word(self.call, "call_key")).filter(|_| !messages.is_empty());
        let messages = key.map(|key| (key, messages.into()));
        let members =
            request.items().filter_map(|member| Some((member.key()?, Json::from(member))));
        let members = members.filter(|(name, _)| *name != "extra_headers");
        let request = Json::object(messages.into_iter().chain(members)).into_string();
        let answer = Json::from(self.call.get("response")?).into_string();
        let attachments = Attachments(self.sample.get("attachments"));
        Some([request, answer].map(|body| attachments.complete_json(&body)))
    }
}

/// Long texts, which a log has once, by their hashes; a mark is in the place of each.
#[derive(Clone, Copy)]
struct Attachments<'d>(Option<Node<'d>>);

impl<'d> Attachments<'d> {
    fn whole(self, hash: &str) -> Option<&'d str> {
        self.0?.get(hash)?.as_str()
    }

    fn complete(self, text: &mut Cow<'d, str>) {
        if let Some(whole) = text.strip_prefix("attachment://").and_then(|hash| self.whole(hash)) {
            *text = Cow::Borrowed(whole);
        }
    }

    /// Completes the strings of a value.
    fn complete_json(self, json: &str) -> String {
        let mut parts = json.split("\"attachment://");
        let mut complete = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let whole =
                part.split_once('"').and_then(|(hash, rest)| Some((self.whole(hash)?, rest)));
            match whole {
                Some((text, rest)) => complete.extend([Json::from(text).as_str(), rest]),
                None => complete.extend(["\"attachment://", part]),
            }
        }
        complete
    }

    fn complete_message(self, mut message: RunMessage<'d>) -> RunMessage<'d> {
        for part in &mut message.parts {
            match &mut part.content {
                PartContent::Text(text) | PartContent::Reasoning(text) => self.complete(text),
                PartContent::ToolCall(call) => call.input = self.complete_json(&call.input),
                PartContent::ToolOutcome(outcome) => {
                    if let Some(RunValue::Text(text)) = &mut outcome.content {
                        self.complete(text);
                    }
                    outcome.error.iter_mut().for_each(|error| self.complete(error));
                }
                PartContent::Other => {}
            }
        }
        message
    }

    fn complete_tool(self, mut tool: RunTool<'d>) -> RunTool<'d> {
        tool.description.iter_mut().for_each(|text| self.complete(text));
        tool.schema = tool.schema.map(|schema| self.complete_json(&schema).into());
        tool
    }
}
