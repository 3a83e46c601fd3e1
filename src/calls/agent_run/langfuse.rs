//! Traces of Langfuse: its observations, with keys as its interface or as its exports write them.

use std::borrow::Cow;
use std::collections::HashMap;

use super::chat::{items, text, values, word};
use super::message::{RunValue, ToolOutcome};
use super::trace::{Times, ToolSpan};
use super::traced_value::{answer, sent, tools, value_text};
use super::{AgentRun, CallContent, RunCall, RunTokens};
use crate::api::ToolCall;
use document::{Node, NodeKind};

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut traces: Vec<LangfuseTrace<'_>> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for value in values(root, "data") {
        let observations: Vec<Node<'_>> = items(value, "observations").collect();
        let is_trace = value.get("observations").is_some();
        for observation in if is_trace { observations } else { vec![value] } {
            let trace_id = member(observation, "traceId", "trace_id").or_else(|| value.get("id"));
            let id = trace_id.and_then(Node::as_str).unwrap_or_default();
            let index = *positions.entry(id).or_insert_with(|| {
                traces.push(LangfuseTrace::new(if is_trace { value } else { observation }, id));
                traces.len() - 1
            });
            traces[index].read(observation);
        }
    }
    traces.into_iter().map(LangfuseTrace::finish).collect()
}

/// Returns a member, whose key is in camel case or in snake case; `None` also if it is null.
fn member<'d>(node: Node<'d>, camel: &str, snake: &str) -> Option<Node<'d>> {
    let value = node.get(camel).or_else(|| node.get(snake));
    value.filter(|value| value.kind() != NodeKind::Null)
}

struct LangfuseTrace<'d> {
    run: AgentRun<'d>,
    tools: Vec<ToolSpan<'d>>,
    times: Times<'d>,
    /// The observation that has no parent, or the trace itself.
    outermost: Option<Node<'d>>,
}

impl<'d> LangfuseTrace<'d> {
    fn new(node: Node<'d>, id: &'d str) -> Self {
        let mut run = AgentRun::new(node);
        run.add_id("trace", Some(id).filter(|id| !id.is_empty()));
        run.add_id("session", member(node, "sessionId", "session_id").and_then(Node::as_str));
        let outermost = node.get("observations").map(|_| node);
        Self { run, tools: Vec::new(), times: Times::default(), outermost }
    }

    fn read(&mut self, node: Node<'d>) {
        let time = |camel, snake| member(node, camel, snake)?.as_str().map(Cow::Borrowed);
        let (started, ended) = (time("startTime", "start_time"), time("endTime", "end_time"));
        self.times.add(started.clone(), ended.clone());
        let message = member(node, "statusMessage", "status_message").and_then(Node::as_str);
        let is_error = word(node, "level") == "ERROR";
        let error = is_error.then(|| Cow::Borrowed(message.unwrap_or_default()));
        let (input, output) = (node.get("input"), member(node, "output", "output"));
        match word(node, "type") {
            "GENERATION" => {
                let details = member(node, "usageDetails", "usage_details");
                let usage = details.filter(|usage| !usage.is_empty()).or_else(|| node.get("usage"));
                self.run.errors.extend(error.clone());
                self.run.calls.push(RunCall {
                    tools: input.and_then(tools),
                    model: text(node, "model"),
                    tokens: RunTokens::read(
                        usage,
                        &["input", "promptTokens", "prompt_tokens"],
                        &["output", "completionTokens", "completion_tokens"],
                    ),
                    started,
                    ended,
                    error,
                    ..RunCall::new(
                        node,
                        CallContent::Own {
                            sent: input.map(sent).unwrap_or_default(),
                            answer: output.and_then(answer),
                        },
                    )
                });
            }
            "TOOL" => {
                let content = output.map(RunValue::read);
                let outcome = ToolOutcome {
                    tool: text(node, "name"),
                    is_error: error.is_some(),
                    error: error.filter(|_| content.is_none()),
                    content,
                    ..ToolOutcome::default()
                };
                let input = input.map_or(Cow::Borrowed("{}"), value_text).into_owned();
                let call = ToolCall { id: None, name: word(node, "name").to_owned(), input };
                self.tools.push(ToolSpan { node, call, outcome, started, ended });
            }
            _ => {
                self.run.errors.extend(error);
                let parent = member(node, "parentObservationId", "parent_observation_id");
                if parent.is_none() {
                    self.outermost = self.outermost.or(Some(node));
                }
            }
        }
    }

    fn finish(mut self) -> AgentRun<'d> {
        let outermost = |key| self.outermost.and_then(|node| member(node, key, key));
        self.run.finish_with_outermost(self.tools, outermost("input"), outermost("output"));
        (self.run.started, self.run.ended) = (self.times.started, self.times.ended);
        self.run
    }
}
