//! Spans of OpenTelemetry, whatever file holds them. Which span is a call of a model, and where its messages are, depends on the library that
//! wrote it: in attributes with an index, in attributes with JSON, or in a record of its own for each message.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::attributes::{Attributes, plain};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::trace::{Grouped, ToolSpan, TraceReader};
use super::traced_value::{answer, message, message_of, tool, with_value};
use super::{AgentRun, CallContent, RunCall, RunGap, RunTokens};
use document::text::Source;
use document::{Node, json};

/// A span.
#[derive(Debug)]
pub(super) struct Span<'d> {
    pub(super) node: Node<'d>,
    pub(super) trace: &'d str,
    pub(super) id: &'d str,
    pub(super) parent: &'d str,
    /// As written.
    pub(super) started: Option<Cow<'d, str>>,
    /// As written.
    pub(super) ended: Option<Cow<'d, str>>,
    /// The text of its error, if it failed.
    pub(super) error: Option<Cow<'d, str>>,
    /// Its kind, where that is stored beside the attributes.
    pub(super) kind: Option<&'d str>,
    pub(super) attributes: Attributes<'d>,
    pub(super) records: Vec<Record<'d>>,
}

/// A record of a log or an event of a span, which may be a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'d> {
    pub(super) name: &'d str,
    pub(super) node: Node<'d>,
    pub(super) body: Option<Node<'d>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpanRole {
    Call,
    Tool,
    Other,
}

const REQUESTS: [&str; 3] = ["gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages"];
const ANSWERS: [&str; 3] = ["gen_ai.output.messages", "gen_ai.completion", "llm.output_messages"];
const TOOLS: [&str; 4] = [
    "gen_ai.tool.definitions",
    "llm.request.functions",
    "llm.tools",
    "model_request_parameters.function_tools",
];

/// Returns a run for each trace, in the order in which they begin in the file.
pub(super) fn runs(spans: Vec<Span<'_>>) -> Vec<AgentRun<'_>> {
    let mut traces = Grouped::new();
    for span in spans {
        traces.entry(span.trace, Vec::new).push(span);
    }
    traces.into_values().filter_map(run).collect()
}

fn run(spans: Vec<Span<'_>>) -> Option<AgentRun<'_>> {
    let first = spans.first()?;
    let mut trace = TraceReader::new(first.node, first.trace);
    let calls: HashSet<&str> =
        spans.iter().filter(|span| span.role() == SpanRole::Call).map(|span| span.id).collect();
    for span in &spans {
        trace.times.add(span.started.clone(), span.ended.clone());
        match span.role() {
            // Two libraries may record one call, the one that calls the other around it.
            SpanRole::Call if calls.contains(span.parent) => {}
            SpanRole::Call => {
                // A library may limit the number of attributes, and each message of a request has some.
                if span.node.get("droppedAttributesCount").is_some() {
                    trace.run.gaps.push(RunGap::RequestParts);
                }
                let agent = spans.iter().find(|other| other.id == span.parent);
                trace.push_call(span.call(agent));
            }
            SpanRole::Tool => trace.tools.push(span.tool()),
            SpanRole::Other => {
                trace.run.errors.extend(span.error.clone().filter(|error| !error.is_empty()));
                let is_outermost = span.parent.is_empty();
                let result = span.attributes.text(&["final_result"]).filter(|_| is_outermost);
                trace.run.result = trace.run.result.or(result);
            }
        }
    }
    if spans.iter().any(|span| !span.records.is_empty()) {
        complete_answers(&mut trace.run.calls);
    }
    let is_outermost = |span: &&Span<'_>| span.parent.is_empty() && span.role() != SpanRole::Call;
    let outermost = spans.iter().find(is_outermost);
    let value = |key| outermost.and_then(|span| span.attributes.first(&[key]));
    Some(trace.finish(value("input.value"), value("output.value")))
}

/// Puts the text of an answer into the requests after it. A library that writes a record for each message leaves it out where the answer
/// calls tools.
fn complete_answers(calls: &mut [RunCall<'_>]) {
    let id = |message: &RunMessage<'_>| message.tool_calls().next()?.id.clone();
    let mut answers = HashMap::new();
    for call in &*calls {
        if let CallContent::Own { answer: Some(answer), .. } = &call.content {
            answers.extend(id(answer).map(|id| (id, answer.clone())));
        }
    }
    let is_text = |part: &&RunPart<'_>| matches!(part.content, PartContent::Text(_));
    for call in calls {
        let CallContent::Own { sent, .. } = &mut call.content else { continue };
        for message in sent.iter_mut().filter(|message| message.text().is_none()) {
            if let Some(answer) = id(message).and_then(|id| answers.get(&id)) {
                message.parts.splice(0..0, answer.parts.iter().filter(is_text).cloned());
            }
        }
    }
}

impl<'d> Span<'d> {
    fn role(&self) -> SpanRole {
        let word = |key| self.attributes.first(&[key]).and_then(Node::as_str);
        let of_library = || word("openinference.span.kind").or(self.kind);
        let words = [word("gen_ai.operation.name"), word("llm.request.type"), of_library()];
        let role = words.into_iter().flatten().find_map(|word| match word {
            "chat" | "text_completion" | "completion" | "generate_content" | "LLM" => {
                Some(SpanRole::Call)
            }
            "execute_tool" | "TOOL" => Some(SpanRole::Tool),
            _ => None,
        });
        let is_tool = || self.attributes.first(&["gen_ai.tool.name"]).is_some();
        role.unwrap_or_else(|| if is_tool() { SpanRole::Tool } else { SpanRole::Other })
    }

    /// Reads a call of a model in a span of an agent.
    fn call(&self, agent: Option<&Self>) -> RunCall<'d> {
        let attributes = &self.attributes;
        let read = |item: Node<'_>, node| Some(message(item)?.placed_at(node));
        let (events, choices) = self.messages();
        let mut sent = attributes.items(&REQUESTS, read).unwrap_or(events);
        // Pydantic AI stores what was sent for a call that failed with its agent only.
        let agent = agent.filter(|_| sent.is_empty() && self.error.is_some());
        if let Some(agent) = agent {
            let keys = ["pydantic_ai.all_messages"];
            sent = agent.attributes.items(&keys, read).unwrap_or_default();
        }
        if !sent.iter().any(|message| message.role == RunRole::System) {
            sent.splice(0..0, agent.unwrap_or(self).instructions());
        }
        let answers = attributes
            .items(&ANSWERS, |item, node| Some(answer(item)?.placed_at(node)))
            .unwrap_or(choices);
        let model = |item: Node<'_>, _| Some(Cow::Owned(item.get("model")?.as_str()?.to_owned()));
        let stop_of = |item: Node<'_>, _| Some(item.get("finish_reason")?.as_str()?.to_owned());
        let reasons = ["gen_ai.response.finish_reasons"];
        let stops = attributes
            .items(&reasons, |item, _| item.as_str().map(str::to_owned))
            .or_else(|| attributes.items(&ANSWERS, stop_of));
        let usage = |keys: &[&str]| attributes.number(keys);
        let tokens = RunTokens {
            input: usage(&[
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.prompt_tokens",
                "llm.token_count.prompt",
                "llm.usage.prompt_tokens",
            ]),
            output: usage(&[
                "gen_ai.usage.output_tokens",
                "gen_ai.usage.completion_tokens",
                "llm.token_count.completion",
                "llm.usage.completion_tokens",
            ]),
        };
        let answer = answers.into_iter().next();
        RunCall {
            tools: attributes.items(&TOOLS, |item, _| Some(tool(item))),
            model: attributes
                .text(&[
                    "gen_ai.request.model",
                    "llm.model_name",
                    "gen_ai.response.model",
                    "llm.request.model",
                ])
                .or_else(|| attributes.items(&["llm.invocation_parameters"], model)?.pop()),
            stop: stops
                .and_then(|stops| stops.into_iter().next())
                .map(Cow::Owned)
                .or_else(|| attributes.text(&["llm.finish_reason"])),
            tokens: Some(tokens).filter(|tokens| *tokens != RunTokens::default()),
            started: self.started.clone(),
            ended: self.ended.clone(),
            error: self.error.clone(),
            ..RunCall::new(self.node, CallContent::Own { sent, answer })
        }
    }

    /// Returns the system prompt that is stored beside the messages.
    fn instructions(&self) -> Option<RunMessage<'d>> {
        let keys = ["gen_ai.system_instructions"];
        let texts = self.attributes.items(&keys, |item, _| {
            let text = item.as_str().or_else(|| item.get("content")?.as_str());
            text.map(str::to_owned)
        })?;
        let node = self.attributes.first(&keys).unwrap_or(self.node);
        let text = texts.join("\n");
        (!text.is_empty()).then(|| RunMessage::of_text(node, RunRole::System, text))
    }

    /// Returns the messages and the answers that are records of their own.
    fn messages(&self) -> (Vec<RunMessage<'d>>, Vec<RunMessage<'d>>) {
        let (mut sent, mut choices) = (Vec::new(), Vec::new());
        let mut add = |name: &str, body: Node<'_>, node| {
            let Some(read) = event_message(name, body) else { return };
            let list = if name == "gen_ai.choice" { &mut choices } else { &mut sent };
            list.push(read.placed_at(node));
        };
        for record in &self.records {
            let (Some(body), node) = (record.body, record.node) else { continue };
            let json = if body.as_str().is_some() { None } else { Some(plain(body)) };
            let tree = json.map(|json| json::parse(&Source::new(json.into_string())).0);
            match tree.as_ref().and_then(|tree| tree.root()) {
                Some(body) => add(record.name, body, node),
                None => with_value(body, |body| add(record.name, body, node)),
            }
        }
        // An older version of Pydantic AI has all of them in one attribute.
        self.attributes.items(&["events"], |event, node| {
            add(event.get("event.name")?.as_str()?, event, node);
            Some(())
        });
        (sent, choices)
    }

    fn tool(&self) -> ToolSpan<'d> {
        let attributes = &self.attributes;
        let arguments = ["gen_ai.tool.call.arguments", "tool_arguments", "input.value"];
        let results = ["gen_ai.tool.call.result", "tool_response", "output.value"];
        let text = |keys: &[&str]| attributes.text(keys);
        let name = text(&["gen_ai.tool.name", "tool.name"]).unwrap_or_default();
        let content = attributes.first(&results).map(RunValue::read);
        let outcome = ToolOutcome {
            call_id: text(&["gen_ai.tool.call.id", "tool_call.id"]),
            is_error: self.error.is_some(),
            // What the span shows of an error is for people. The model was given the result.
            error: self.error.clone().filter(|_| content.is_none()),
            content,
            ..ToolOutcome::default()
        };
        let tool = ToolSpan::new(self.node, name, attributes.first(&arguments), outcome);
        ToolSpan { started: self.started.clone(), ended: self.ended.clone(), ..tool }
    }
}

/// Reads a message that is a record of its own, whose name has the role.
fn event_message<'d>(name: &str, body: Node<'d>) -> Option<RunMessage<'d>> {
    if name == "gen_ai.choice" {
        return answer_of_choice(body);
    }
    let role = name.strip_prefix("gen_ai.")?.strip_suffix(".message")?;
    let mut read = message_of(role, body)?;
    for part in &mut read.parts {
        if let RunPart { content: PartContent::ToolOutcome(outcome), .. } = part {
            let id = || body.get("id").and_then(Node::as_str).map(Cow::Borrowed);
            outcome.call_id = outcome.call_id.take().or_else(id);
        }
    }
    Some(read)
}

fn answer_of_choice(body: Node<'_>) -> Option<RunMessage<'_>> {
    message_of("assistant", body.get("message").unwrap_or(body))
}
