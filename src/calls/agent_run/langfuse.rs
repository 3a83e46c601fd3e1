//! Traces of Langfuse: its observations, with keys as its interface or as its exports write them.

use std::borrow::Cow;

use super::chat::{items, text, values, word};
use super::message::{RunValue, ToolOutcome};
use super::trace::{Grouped, ToolSpan, TraceReader};
use super::traced_value::{answer, sent, tools};
use super::{AgentRun, CallContent, RunCall, RunTokens};
use document::{Node, NodeKind};

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut traces = Grouped::new();
    for value in values(root, "data") {
        let is_trace = value.get("observations").is_some();
        let observations = items(value, "observations").chain(Some(value).filter(|_| !is_trace));
        for observation in observations {
            let trace_id = member(observation, "traceId", "trace_id").or_else(|| value.get("id"));
            let id = trace_id.and_then(Node::as_str).unwrap_or_default();
            let node = if is_trace { value } else { observation };
            let trace = traces.entry(id, || LangfuseTrace::new(node, id));
            trace.read(observation);
        }
    }
    traces.into_values().map(LangfuseTrace::finish).collect()
}

/// Returns a member, whose key is in camel case or in snake case; `None` also if it is null.
fn member<'d>(node: Node<'d>, camel: &str, snake: &str) -> Option<Node<'d>> {
    let value = node.get(camel).or_else(|| node.get(snake));
    value.filter(|value| value.kind() != NodeKind::Null)
}

struct LangfuseTrace<'d> {
    reader: TraceReader<'d>,
    /// The observation that has no parent, or the trace itself.
    outermost: Option<Node<'d>>,
}

impl<'d> LangfuseTrace<'d> {
    fn new(node: Node<'d>, id: &'d str) -> Self {
        let mut reader = TraceReader::new(node, id);
        let session = member(node, "sessionId", "session_id").and_then(Node::as_str);
        reader.run.add_id("session", session);
        Self { reader, outermost: node.get("observations").map(|_| node) }
    }

    fn read(&mut self, node: Node<'d>) {
        let time = |camel, snake| member(node, camel, snake)?.as_str().map(Cow::Borrowed);
        let (started, ended) = (time("startTime", "start_time"), time("endTime", "end_time"));
        self.reader.times.add(started.clone(), ended.clone());
        let message = member(node, "statusMessage", "status_message").and_then(Node::as_str);
        let is_error = word(node, "level") == "ERROR";
        let error = is_error.then(|| Cow::Borrowed(message.unwrap_or_default()));
        let (input, output) = (node.get("input"), member(node, "output", "output"));
        match word(node, "type") {
            "GENERATION" => {
                let details = member(node, "usageDetails", "usage_details");
                let usage = details.filter(|usage| !usage.is_empty()).or_else(|| node.get("usage"));
                self.reader.push_call(RunCall {
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
                    is_error: error.is_some(),
                    error: error.filter(|_| content.is_none()),
                    content,
                    ..ToolOutcome::default()
                };
                let tool = ToolSpan::new(node, word(node, "name").into(), input, outcome);
                self.reader.tools.push(ToolSpan { started, ended, ..tool });
            }
            _ => {
                self.reader.run.errors.extend(error);
                let parent = member(node, "parentObservationId", "parent_observation_id");
                if parent.is_none() {
                    self.outermost = self.outermost.or(Some(node));
                }
            }
        }
    }

    fn finish(self) -> AgentRun<'d> {
        let outermost = |key| self.outermost.and_then(|node| member(node, key, key));
        let (input, output) = (outermost("input"), outermost("output"));
        self.reader.finish(input, output)
    }
}
