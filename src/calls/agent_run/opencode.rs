//! Sessions that opencode exports: messages with parts, of which each step of the assistant is a message.

use super::chat::{self, items, word};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::{AgentRun, RunTokens};
use crate::api::ToolCall;
use document::{Node, NodeKind};

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    run.add_id("session", root.get("info").and_then(|info| info.get("id")?.as_str()));
    for message in items(root, "messages") {
        let Some(info) = message.get("info") else { continue };
        let time = |key| info.get("time").and_then(|time| time.get(key));
        run.note_time(time("created"));
        run.note_time(time("completed"));
        match word(info, "role") {
            "user" => {
                let parts: Vec<_> = items(message, "parts").filter_map(part).collect();
                let is_synthetic =
                    |part: Node<'_>| part.get("synthetic").and_then(Node::as_bool) == Some(true);
                let mut user = RunMessage::new(message, RunRole::User, parts);
                user.is_of_program = items(message, "parts").all(is_synthetic);
                run.messages.push(user);
            }
            "assistant" => read_answer(&mut run, message, info),
            _ => {}
        }
    }
    vec![run]
}

fn read_answer<'d>(run: &mut AgentRun<'d>, message: Node<'d>, info: Node<'d>) {
    let parts: Vec<_> = items(message, "parts").filter_map(part).collect();
    let time = |key| info.get("time").and_then(|time| time.get(key)).and_then(Node::scalar_text);
    let stored = info.get("error").filter(|error| error.kind() == NodeKind::Object);
    let error = stored.and_then(|error| {
        chat::text(error.get("data").unwrap_or(error), "message")
            .or_else(|| chat::text(error, "name"))
    });
    let call = match error {
        Some(error) if parts.is_empty() => run.push_failure(message, error),
        error => {
            run.errors.extend(error);
            run.push_answer(RunMessage::new(message, RunRole::Assistant, parts))
        }
    };
    call.model = chat::text(info, "modelID");
    call.stop = chat::text(info, "finish");
    call.started = time("created").map(Into::into);
    call.ended = time("completed").map(Into::into);
    let tokens = info.get("tokens");
    call.tokens = RunTokens::sum(tokens, &[&["input"]], &[&["output"], &["reasoning"]]);
    let cached = RunTokens::sum(
        tokens.and_then(|tokens| tokens.get("cache")),
        &[&["read"], &["write"]],
        &[],
    );
    if let (Some(tokens), Some(cached)) = (&mut call.tokens, cached) {
        tokens.input = tokens.input.map(|input| input + cached.input.unwrap_or(0));
    }
    run.push_outcomes(message, items(message, "parts").filter_map(outcome).collect());
}

fn part(node: Node<'_>) -> Option<RunPart<'_>> {
    let content = match word(node, "type") {
        "text" => PartContent::Text(chat::text(node, "text")?),
        "reasoning" => PartContent::Reasoning(chat::text(node, "text")?),
        "tool" => PartContent::ToolCall(ToolCall {
            id: chat::text(node, "callID").map(Into::into),
            name: word(node, "tool").to_owned(),
            input: node
                .get("state")
                .and_then(|state| state.get("input"))
                .map(chat::arguments_text)
                .unwrap_or_default(),
        }),
        "file" => PartContent::Other,
        _ => return None,
    };
    Some(RunPart { node, content })
}

/// Reads what a tool returned. A command that fails is completed, with its exit code beside.
fn outcome(node: Node<'_>) -> Option<RunPart<'_>> {
    let state = node.get("state").filter(|_| word(node, "type") == "tool")?;
    let content = state.get("output").or_else(|| state.get("error")).map(RunValue::read)?;
    let code = state.get("metadata").and_then(|metadata| metadata.get("exit")?.as_f64());
    let outcome = ToolOutcome {
        call_id: chat::text(node, "callID"),
        tool: chat::text(node, "tool"),
        content: Some(content),
        is_error: word(state, "status") == "error" || code.is_some_and(|code| code != 0.0),
        ..ToolOutcome::default()
    };
    Some(RunPart::of_outcome(node, outcome))
}
