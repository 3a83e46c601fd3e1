//! Traces of the OpenAI Agents SDK: the trace and its spans, each written when it ends. Spans of the responses API have neither what was sent
//! nor the answer.

use std::collections::HashMap;

use super::chat::{self, arguments_text, items, word};
use super::message::{RunValue, ToolOutcome};
use super::trace::{Times, ToolSpan};
use super::{AgentRun, CallContent, RunCall, RunTokens};
use crate::api::ToolCall;
use document::{Node, NodeKind};

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut traces: Vec<Trace<'_>> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for value in chat::values(root, "data") {
        let is_trace = word(value, "object") == "trace";
        let id = word(value, if is_trace { "id" } else { "trace_id" });
        let index = *positions.entry(id).or_insert_with(|| {
            traces.push(Trace {
                run: AgentRun::new(value),
                tools: Vec::new(),
                times: Times::default(),
            });
            traces.len() - 1
        });
        let trace = &mut traces[index];
        trace.run.add_id("trace", Some(id).filter(|id| !id.is_empty()));
        if is_trace {
            trace.run.add_id("group", value.get("group_id").and_then(Node::as_str));
        } else if let Some(data) = value.get("span_data") {
            trace.read_span(value, data);
        }
    }
    traces.into_iter().map(Trace::finish).collect()
}

struct Trace<'d> {
    run: AgentRun<'d>,
    tools: Vec<ToolSpan<'d>>,
    times: Times<'d>,
}

impl<'d> Trace<'d> {
    fn read_span(&mut self, span: Node<'d>, data: Node<'d>) {
        let (started, ended) = (chat::text(span, "started_at"), chat::text(span, "ended_at"));
        self.times.add(started.clone(), ended.clone());
        let error = span.get("error").filter(|error| error.kind() == NodeKind::Object);
        let error_data = error.and_then(|error| error.get("data"));
        let error_text = error_data
            .and_then(|data| chat::text(data, "error"))
            .or_else(|| chat::text(error?, "message"));
        match word(data, "type") {
            "generation" | "response" => {
                let usage = data.get("usage");
                let call = RunCall {
                    model: chat::text(data, "model"),
                    tokens: RunTokens::read(
                        usage,
                        &["input_tokens", "prompt_tokens"],
                        &["output_tokens", "completion_tokens"],
                    ),
                    started,
                    ended,
                    error: error_text.clone(),
                    ..RunCall::new(
                        span,
                        CallContent::Own {
                            sent: items(data, "input").filter_map(chat::message).collect(),
                            answer: items(data, "output").find_map(chat::message),
                        },
                    )
                };
                self.run.calls.push(call);
                self.run.errors.extend(error_text);
            }
            "function" => {
                let input = data.get("input").map_or_else(|| "{}".to_owned(), arguments_text);
                let outcome = ToolOutcome {
                    tool: chat::text(data, "name"),
                    content: data
                        .get("output")
                        .filter(|o| o.kind() != NodeKind::Null)
                        .map(RunValue::read),
                    is_error: error.is_some(),
                    error: error_text,
                    ..ToolOutcome::default()
                };
                let call = ToolCall { id: None, name: word(data, "name").to_owned(), input };
                self.tools.push(ToolSpan { node: span, call, outcome, started, ended });
            }
            kind => {
                self.run.errors.extend(error_text);
                let tools = data.get("tools").filter(|_| kind == "agent");
                for tool in tools.into_iter().flat_map(Node::items).map(chat::tool) {
                    let tools = self.run.tools.get_or_insert_default();
                    if !tools.contains(&tool) {
                        tools.push(tool);
                    }
                }
            }
        }
    }

    fn finish(mut self) -> AgentRun<'d> {
        self.run.finish_trace(self.tools);
        (self.run.started, self.run.ended) = (self.times.started, self.times.ended);
        self.run
    }
}
