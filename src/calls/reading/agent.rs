//! The calls of models in runs of agents. In a transcript the request of each is the conversation so far, which is not copied where only rows
//! are needed.

use super::{CallDetail, ReadCall};
use crate::agent_run::{
    AgentRun, CallContent, PartContent, RunCall, RunMessage, RunPart, RunRole, RunTool, RunValue,
    agent_runs, iso_time,
};
use crate::api::Api;
use crate::json::{Json, object};
use document::call::{CallFacts, ModelCall};
use document::text::Source;
use document::time::milliseconds;
use document::{Document, DocumentBody, NodeId, json};
use std::borrow::Cow;

/// Number of bytes of messages in the requests of all calls of a file, above which each has only those since the call before: 64 MiB. All
/// calls of a long transcript would need its size times half their number.
const MAX_REPEATED_BYTES: usize = 64 << 20;

/// Number of bytes of messages in the request of one call, above which it has only those since the call before: 8 MiB. Building it must not
/// delay a view.
const MAX_CALL_BYTES: usize = 8 << 20;

/// Returns the calls of a document, run by run.
pub(super) fn calls(document: &Document, detail: CallDetail) -> Vec<ModelCall<'_>> {
    let runs: Vec<_> = agent_runs(document).into_iter().map(SizedRun::new).collect();
    let bytes: usize =
        runs.iter().flat_map(|run| run.run.calls.iter().map(|call| run.bytes(call))).sum();
    let mut calls = Vec::new();
    for run in &runs {
        let mut end_before = 0;
        for call in &run.run.calls {
            let extent = match (&call.content, detail) {
                (_, CallDetail::Listed) => RequestExtent::Outline,
                (CallContent::Shared { .. }, _) if bytes > MAX_REPEATED_BYTES => {
                    RequestExtent::From(end_before)
                }
                _ => RequestExtent::From(0),
            };
            if let CallContent::Shared { end, .. } = call.content {
                end_before = end;
            }
            calls.extend(run.convert(document, call, extent));
        }
    }
    calls
}

/// Returns the call at a value.
pub(super) fn call_at(document: &Document, node: NodeId) -> Option<ModelCall<'_>> {
    agent_runs(document).into_iter().find_map(|run| {
        let index = run.calls.iter().position(|call| call.node.id() == node)?;
        let run = SizedRun::new(run);
        let call = &run.run.calls[index];
        let start = match index.checked_sub(1).map(|before| &run.run.calls[before].content) {
            Some(CallContent::Shared { end, .. }) if run.bytes(call) > MAX_CALL_BYTES => *end,
            _ => 0,
        };
        run.convert(document, call, RequestExtent::From(start))
    })
}

/// The messages of a request that are written: none but their number, or those from a position in the conversation of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestExtent {
    Outline,
    From(usize),
}

/// A run with the sizes of the beginnings of its conversation.
struct SizedRun<'d> {
    run: AgentRun<'d>,
    /// Before each message: the number of bytes from which the earlier ones were read, and of messages as a recording has them.
    sizes: Vec<(usize, usize)>,
}

impl<'d> SizedRun<'d> {
    fn new(run: AgentRun<'d>) -> Self {
        let mut sizes = vec![(0, 0)];
        let mut last_role = RunRole::System;
        for message in &run.messages {
            let (bytes, count) = sizes[sizes.len() - 1];
            let is_new = begins_message(last_role, message.role);
            sizes.push((bytes + message.node.span().len(), count + usize::from(is_new)));
            last_role = message.role;
        }
        Self { run, sizes }
    }

    /// Returns the number of bytes from which the messages of a request were read, where they are not its own.
    fn bytes(&self, call: &RunCall<'_>) -> usize {
        match call.content {
            CallContent::Shared { first, end, .. } => self.sizes[end].0 - self.sizes[first].0,
            CallContent::Own { .. } => 0,
        }
    }

    /// Returns the number of messages that were sent, as a recording has them.
    fn message_count(&self, call: &RunCall<'_>) -> usize {
        match &call.content {
            CallContent::Shared { first, end, .. } => self.sizes[*end].1 - self.sizes[*first].1,
            CallContent::Own { sent, .. } => grouped(sent).len(),
        }
    }

    fn convert<'c>(
        &self,
        document: &'c Document,
        call: &RunCall<'_>,
        extent: RequestExtent,
    ) -> Option<ModelCall<'c>> {
        let started_at = call.started.as_deref().map(iso_time);
        let ended_at = call.ended.as_deref().map(iso_time);
        let times = started_at.as_deref().zip(ended_at.as_deref());
        let facts = CallFacts {
            duration_nanos: times.and_then(|(from, to)| Some(milliseconds(from, to)? as f64 * 1e6)),
            started_at: started_at.clone().or_else(|| ended_at.clone()).map(Cow::into_owned),
            is_failed: call.error.is_some(),
            ..CallFacts::default()
        };
        if extent == RequestExtent::From(0)
            && let Some(stored) = stored_call(call, facts.clone())
        {
            return Some(stored);
        }
        let mut request = vec![("type", Json::from("llm_invocation_request"))];
        let outline = extent == RequestExtent::Outline;
        request.push(("messages", self.recorded_messages(call, extent).into()));
        if let Some(tools) = self.run.offered(call) {
            let tools = tools.iter().map(|tool| recorded_tool(tool, outline));
            request.push(("tools", tools.collect::<Vec<_>>().into()));
        }
        if !outline && let Some(system) = self.system(call) {
            request.push(("systemPrompt", system.into()));
        }
        request.extend(started_at.as_deref().map(|at| ("timestamp", at.into())));
        let request = Json::object(request);
        let json = match self.run.answer(call) {
            None => request,
            Some(answer) => {
                let response = recorded_answer(answer, call, ended_at.as_deref());
                let mut sides = vec![("request", request), ("response", response)];
                sides.extend(started_at.as_deref().map(|at| ("recordedAt", at.into())));
                if outline {
                    sides.push(("signature", self.signature(call)));
                }
                Json::object(sides)
            }
        };
        let facts = CallFacts {
            api: match &document.body {
                DocumentBody::Foreign(foreign) => Some(foreign.format.label()),
                _ => None,
            },
            model: call.model.as_deref().map(str::to_owned),
            input_tokens: call.tokens.and_then(|tokens| tokens.input),
            output_tokens: call.tokens.and_then(|tokens| tokens.output),
            ..facts
        };
        let recording = document::read(Source::new(json.into_string()), "call.json");
        let model_call = ModelCall::from_document(Cow::Owned(recording))?;
        Some(ModelCall { node: call.node.id(), facts, ..model_call })
    }

    fn recorded_messages(&self, call: &RunCall<'_>, extent: RequestExtent) -> Vec<Json> {
        let sent = self.run.sent(call);
        let start = match (extent, &call.content) {
            (RequestExtent::From(start), CallContent::Shared { first, .. }) => {
                start.saturating_sub(*first)
            }
            (RequestExtent::From(_), CallContent::Own { .. }) => 0,
            // Without an answer, a row shows what was sent last.
            (RequestExtent::Outline, _) if self.run.answer(call).is_none() => {
                sent.len().saturating_sub(1)
            }
            (RequestExtent::Outline, _) => sent.len(),
        };
        let sent = sent.get(start..).unwrap_or_default();
        grouped(sent).into_iter().map(|(role, parts)| recorded_message(role, &parts)).collect()
    }

    /// Returns the system prompts of a call, also those before its conversation began again.
    fn system(&self, call: &RunCall<'_>) -> Option<String> {
        let messages = match &call.content {
            CallContent::Shared { end, .. } => &self.run.messages[..*end],
            CallContent::Own { sent, .. } => sent,
        };
        let prompts = messages.iter().filter(|message| message.role == RunRole::System);
        let texts: Vec<String> = prompts.filter_map(RunMessage::text).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Writes the signature, of a request that has no messages.
    fn signature(&self, call: &RunCall<'_>) -> Json {
        let tools = self.run.offered(call).unwrap_or_default();
        object! {
            "toolNames": tools.iter().map(|tool| Json::from(&*tool.name)).collect::<Vec<_>>(),
            "messageCount": self.message_count(call),
            "contextKeys": Vec::new(),
        }
    }
}

/// Reads a call from its request and answer in the form of the provider, which have more than the conversation.
fn stored_call<'c>(call: &RunCall<'_>, facts: CallFacts) -> Option<ModelCall<'c>> {
    let bodies = call.provider_call?.bodies()?;
    let [request, answer] = bodies.map(|body| json::parse(&Source::new(body)).0);
    let (request, answer) = (request.root()?, answer.root()?);
    let api = Api::of_request(request).or_else(|| Api::of_answer(answer))?;
    let facts = CallFacts { api: Some(api.as_str()), ..facts };
    let answer = Some(api.read_answer(answer)?);
    let request = api.read_request(request);
    ReadCall { node: call.node, api, request, answer, facts }.convert(CallDetail::All)
}

/// Returns whether a message of this role is one of its own in a recording, which has all results of tools in a row as one.
fn begins_message(last: RunRole, role: RunRole) -> bool {
    role != RunRole::System && !(last == RunRole::Tool && role == RunRole::Tool)
}

/// Returns the parts of the messages as a recording has them, without system prompts.
fn grouped<'r, 'd>(messages: &'r [RunMessage<'d>]) -> Vec<(RunRole, Vec<&'r RunPart<'d>>)> {
    let mut groups: Vec<(RunRole, Vec<&RunPart<'d>>)> = Vec::new();
    let mut last_role = RunRole::System;
    for message in messages {
        if begins_message(last_role, message.role) {
            groups.push((message.role, Vec::new()));
        }
        if let Some((role, parts)) = groups.last_mut()
            && *role == message.role
        {
            parts.extend(&message.parts);
        }
        last_role = message.role;
    }
    groups
}

fn recorded_message(role: RunRole, parts: &[&RunPart<'_>]) -> Json {
    let content = match parts {
        [RunPart { content: PartContent::Text(text), .. }] => Json::from(&**text),
        parts => parts.iter().map(|part| recorded_part(part)).collect::<Vec<_>>().into(),
    };
    let role = if role == RunRole::Assistant { "assistant" } else { "user" };
    object! { "role": role, "content": content }
}

fn recorded_part(part: &RunPart<'_>) -> Json {
    match &part.content {
        PartContent::Text(text) => object! { "type": "text", "text": &**text },
        PartContent::Reasoning(text) => object! { "type": "thinking", "thinking": &**text },
        PartContent::ToolCall(call) => {
            // What is no JSON was cut, or never was.
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&call.input).is_ok();
            let input = if is_json { Json::raw(&*call.input) } else { Json::from(&call.input) };
            object! { "type": "tool_use", "id": call.id.as_deref(), "name": &call.name, "input": input }
        }
        PartContent::ToolOutcome(outcome) => {
            let content = outcome.content.as_ref().map(RunValue::as_str);
            let error = outcome.error_text().map(|_| ("is_error", true.into()));
            let members = [
                ("type", "tool_result".into()),
                ("tool_use_id", outcome.call_id.as_deref().into()),
                ("content", content.or(outcome.error.as_deref()).into()),
            ];
            Json::object(members.into_iter().chain(error))
        }
        PartContent::Other => part.node.into(),
    }
}

fn recorded_tool(tool: &RunTool<'_>, is_outline: bool) -> Json {
    let schema = tool.schema.as_deref().filter(|_| !is_outline).unwrap_or("{}");
    let description = tool.description.as_deref().filter(|_| !is_outline).unwrap_or_default();
    object! { "name": &*tool.name, "description": description, "input_schema": Json::raw(schema) }
}

fn recorded_answer(answer: &RunMessage<'_>, call: &RunCall<'_>, ended_at: Option<&str>) -> Json {
    let blocks: Vec<Json> = answer.parts.iter().map(recorded_part).collect();
    let stop = call.stop.as_deref().map(|word| ("stop_reason", word.into()));
    let response = Json::object([("content", blocks.into())].into_iter().chain(stop));
    let time = ended_at.map(|at| ("timestamp", at.into()));
    let members = [("type", "llm_invocation_response".into()), ("response", response)];
    Json::object(members.into_iter().chain(time))
}
