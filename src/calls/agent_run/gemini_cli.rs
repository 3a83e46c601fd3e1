//! Sessions of Gemini CLI: messages a line, of which each is written again as it grows, and patches. Older versions write one object.

use std::collections::HashMap;

use super::chat::{self, items, word};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::{AgentRun, RunTokens};
use document::Node;

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    let mut messages: Vec<Node<'_>> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for value in chat::values(root, "") {
        run.add_id("session", value.get("sessionId").and_then(Node::as_str));
        run.started = run.started.take().or_else(|| chat::text(value, "startTime"));
        let patch = value.get("$set").unwrap_or(value);
        let own = value.get("id").map(|_| value);
        for message in items(patch, "messages").chain(own) {
            let id = word(message, "id");
            match positions.get(id) {
                // The last one counts.
                Some(position) => messages[*position] = message,
                None => {
                    positions.insert(id, messages.len());
                    messages.push(message);
                }
            }
        }
    }
    messages.into_iter().for_each(|message| read(&mut run, message));
    vec![run]
}

fn read<'d>(run: &mut AgentRun<'d>, node: Node<'d>) {
    run.note_time(node.get("timestamp"));
    match word(node, "type") {
        "user" => {
            let outcomes: Vec<RunPart<'d>> = items(node, "content").filter_map(outcome).collect();
            if outcomes.is_empty() {
                let mut message = RunMessage::new(node, RunRole::User, chat::content(node));
                let text = message.text().unwrap_or_default();
                message.is_of_program = text.starts_with("<session_context>");
                run.messages.push(message);
            } else if run.messages.last().is_none_or(|last| last.role != RunRole::Tool) {
                // Mostly the answer before already has them.
                run.push_outcomes(node, outcomes);
            }
        }
        "gemini" => read_answer(run, node),
        "error" => run.errors.extend(chat::text(node, "content")),
        _ => {}
    }
}

fn read_answer<'d>(run: &mut AgentRun<'d>, node: Node<'d>) {
    let thought = |node: Node<'d>| {
        let texts = ["subject", "description"].map(|key| word(node, key));
        RunPart { node, content: PartContent::Reasoning(texts.join("\n").trim().to_owned().into()) }
    };
    let has_text =
        |part: &RunPart<'_>| !matches!(&part.content, PartContent::Text(text) if text.is_empty());
    let text = chat::content(node).into_iter().filter(has_text);
    let words = items(node, "thoughts").map(thought).chain(text);
    let parts = words.chain(chat::call_parts(node, "toolCalls")).collect();
    let answer = run.push_answer(RunMessage::new(node, RunRole::Assistant, parts));
    answer.model = chat::text(node, "model");
    answer.ended = chat::text(node, "timestamp");
    answer.tokens =
        RunTokens::sum(node.get("tokens"), &[&["input"]], &[&["output"], &["thoughts"]]);
    let outcomes = items(node, "toolCalls").flat_map(|call| {
        let is_error = matches!(word(call, "status"), "error" | "cancelled");
        items(call, "result").filter_map(outcome).map(move |mut part| {
            if let PartContent::ToolOutcome(outcome) = &mut part.content {
                outcome.is_error |= is_error;
            }
            part
        })
    });
    run.push_outcomes(node, outcomes.collect());
}

/// Beginnings of the lines that follow the exit code in what a command returned.
const AFTER_EXIT_CODE: [&str; 4] =
    ["</untrusted_context>", "Process Group PGID: ", "Background PIDs: ", "Signal: "];

/// Reads what a tool returned. A command that fails has its exit code in the text only, after its own output.
fn outcome(node: Node<'_>) -> Option<RunPart<'_>> {
    let function = node.get("functionResponse")?;
    let response = function.get("response")?;
    let error = response.get("error");
    let content = RunValue::read(error.or_else(|| response.get("output")).unwrap_or(response));
    let is_after = |line: &&str| AFTER_EXIT_CODE.iter().any(|start| line.starts_with(start));
    let last = content.as_str().lines().rev().find(|line| !is_after(line));
    let is_command = word(function, "name") == "run_shell_command";
    let code = last.filter(|_| is_command).and_then(|line| line.strip_prefix("Exit Code: "));
    let outcome = ToolOutcome {
        call_id: chat::text(function, "id"),
        tool: chat::text(function, "name"),
        is_error: error.is_some() || code.is_some_and(|code| code.trim() != "0"),
        content: Some(content),
        ..ToolOutcome::default()
    };
    Some(RunPart::of_outcome(node, outcome))
}
