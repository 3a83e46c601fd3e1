//! Traces of the OpenAI Agents SDK: the trace and its spans, each written when it ends. Spans of the responses API have neither what was sent
//! nor the answer.

use super::chat::{self, items, word};
use super::message::{RunValue, ToolOutcome};
use super::trace::{Grouped, ToolSpan, TraceReader};
use super::{AgentRun, CallContent, RunCall, RunTokens};
use document::{Node, NodeKind};

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut traces = Grouped::new();
    for value in chat::values(root, "data") {
        let is_trace = word(value, "object") == "trace";
        let id = word(value, if is_trace { "id" } else { "trace_id" });
        let trace = traces.entry(id, || TraceReader::new(value, id));
        if is_trace {
            trace.run.add_id("group", value.get("group_id").and_then(Node::as_str));
        } else if let Some(data) = value.get("span_data") {
            read_span(trace, value, data);
        }
    }
    traces.into_values().map(|trace| trace.finish(None, None)).collect()
}

fn read_span<'d>(trace: &mut TraceReader<'d>, span: Node<'d>, data: Node<'d>) {
    let (started, ended) = (chat::text(span, "started_at"), chat::text(span, "ended_at"));
    trace.times.add(started.clone(), ended.clone());
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
                error: error_text,
                ..RunCall::new(
                    span,
                    CallContent::Own {
                        sent: items(data, "input").filter_map(chat::message).collect(),
                        answer: items(data, "output").find_map(chat::message),
                    },
                )
            };
            trace.push_call(call);
        }
        "function" => {
            let outcome = ToolOutcome {
                content: data
                    .get("output")
                    .filter(|output| output.kind() != NodeKind::Null)
                    .map(RunValue::read),
                is_error: error.is_some(),
                error: error_text,
                ..ToolOutcome::default()
            };
            let name = word(data, "name").into();
            let tool = ToolSpan::new(span, name, data.get("input"), outcome);
            trace.tools.push(ToolSpan { started, ended, ..tool });
        }
        kind => {
            trace.run.errors.extend(error_text);
            let tools = data.get("tools").filter(|_| kind == "agent");
            for tool in tools.into_iter().flat_map(Node::items).map(chat::tool) {
                let tools = trace.run.tools.get_or_insert_default();
                if !tools.contains(&tool) {
                    tools.push(tool);
                }
            }
        }
    }
}
