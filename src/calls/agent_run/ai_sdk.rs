//! Messages of Vercel's AI SDK: of models, and of its interface, where one message of the assistant holds all steps.

use super::chat::{self, items, word};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::{AgentRun, RunGap, RunTokens};
use crate::api::ToolCall;
use document::{Node, NodeKind};

/// Text in place of an error that the server does not pass on.
const MASKED_ERROR: &str = "An error occurred.";

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    for message in chat::values(root, "messages") {
        if message.get("parts").is_some() {
            read_ui_message(&mut run, message);
        } else {
            read_message(&mut run, message);
        }
    }
    vec![run]
}

fn read_message<'d>(run: &mut AgentRun<'d>, node: Node<'d>) {
    let Some(mut message) = chat::message(node) else { return };
    let content = node.get("content").filter(|content| content.kind() == NodeKind::Array);
    if let Some(content) = content {
        message.parts = content.items().map(part).collect();
    }
    run.push(message);
}

fn part(node: Node<'_>) -> RunPart<'_> {
    let content = match word(node, "type") {
        "tool-call" => PartContent::ToolCall(chat::tool_call(node)),
        "tool-result" => {
            let output = node.get("output").filter(|output| output.get("type").is_some());
            let kind = output.map_or("", |output| word(output, "type"));
            // Before version 5 the result was not wrapped.
            let value = match output {
                Some(output) => output.get("value").or_else(|| output.get("reason")),
                None => node.get("result"),
            };
            let is_error = node.get("isError").and_then(Node::as_bool) == Some(true);
            PartContent::ToolOutcome(ToolOutcome {
                call_id: chat::text(node, "toolCallId"),
                tool: chat::text(node, "toolName"),
                content: value.map(RunValue::read),
                is_error: is_error || kind.starts_with("error") || kind == "execution-denied",
                ..ToolOutcome::default()
            })
        }
        _ => chat::part(node),
    };
    RunPart { node, content }
}

fn tool_call(node: Node<'_>, name: &str) -> ToolCall {
    ToolCall { name: name.to_owned(), ..chat::tool_call(node) }
}

fn read_ui_message<'d>(run: &mut AgentRun<'d>, message: Node<'d>) {
    let metadata = message.get("metadata");
    let usage =
        metadata.and_then(|metadata| metadata.get("totalUsage").or_else(|| metadata.get("usage")));
    let tokens = RunTokens::read(usage, &["inputTokens"], &["outputTokens"]);
    run.tokens = [run.tokens, tokens].into_iter().flatten().reduce(RunTokens::plus);
    let role = match word(message, "role") {
        "system" => RunRole::System,
        "assistant" => RunRole::Assistant,
        _ => RunRole::User,
    };
    // A step is a call of the model; what its tools returned is beside their calls.
    let is_start = |part: &Node<'_>| word(*part, "type") == "step-start";
    let parts: Vec<Node<'d>> = items(message, "parts").collect();
    for step in parts.split(is_start).filter(|step| !step.is_empty()) {
        let step_parts: Vec<_> = step.iter().filter_map(|node| ui_part(*node)).collect();
        // No other call has the same value.
        if run.push(RunMessage::new(step[0], role, step_parts)).is_none() {
            continue;
        }
        let outcomes: Vec<_> = step.iter().filter_map(|node| ui_outcome(*node)).collect();
        let is_masked = |part: &RunPart<'_>| match &part.content {
            PartContent::ToolOutcome(outcome) => outcome.error_text() == Some(MASKED_ERROR),
            _ => false,
        };
        if outcomes.iter().any(is_masked) {
            run.gaps.push(RunGap::ErrorTexts);
        }
        run.push_outcomes(step[0], outcomes);
    }
}

/// Returns the value of a tool call, and the name of the tool.
fn ui_tool(part: Node<'_>) -> Option<(Node<'_>, &str)> {
    match word(part, "type") {
        "dynamic-tool" => Some((part, word(part, "toolName"))),
        // The form of version 4.
        "tool-invocation" => part.get("toolInvocation").map(|call| (call, word(call, "toolName"))),
        kind => Some((part, kind.strip_prefix("tool-")?)),
    }
}

fn ui_part(node: Node<'_>) -> Option<RunPart<'_>> {
    let content = match (word(node, "type"), ui_tool(node)) {
        (_, Some((call, name))) => PartContent::ToolCall(tool_call(call, name)),
        ("text", _) => PartContent::Text(chat::text(node, "text").filter(|text| !text.is_empty())?),
        ("reasoning", _) => PartContent::Reasoning(chat::text(node, "text")?),
        ("file", _) => PartContent::Other,
        _ => return None,
    };
    Some(RunPart { node, content })
}

fn ui_outcome(node: Node<'_>) -> Option<RunPart<'_>> {
    let (call, name) = ui_tool(node)?;
    let error = call.get("errorText");
    let value = error.or_else(|| call.get("output")).or_else(|| call.get("result"))?;
    let outcome = ToolOutcome {
        call_id: chat::text(call, "toolCallId"),
        tool: Some(name.into()),
        content: Some(RunValue::read(value)),
        is_error: error.is_some(),
        ..ToolOutcome::default()
    };
    Some(RunPart::of_outcome(node, outcome))
}
