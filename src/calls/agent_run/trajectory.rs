//! Trajectories: of SWE-agent and mini-swe-agent, which hold chats, and in the format ATIF, which has steps.

use std::borrow::Cow;

use super::chat::{self, items, word};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::{AgentRun, RunGap, RunTokens};
use document::{Node, NodeKind};

/// Reads a trajectory of SWE-agent, or a demonstration, which has a history alone.
pub(super) fn swe_agent(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    for node in items(root, "history") {
        let Some(mut message) = chat::message(node) else { continue };
        // Without calls of tools, their results are messages of the user.
        let is_result = word(node, "message_type") == "observation" && !run.calls.is_empty();
        let is_demo = node.get("is_demo").and_then(Node::as_bool) == Some(true);
        message.is_of_program = is_demo || is_result && message.role == RunRole::User;
        if message.role == RunRole::Assistant && !is_demo {
            run.push_answer(message);
        } else {
            run.messages.push(message);
        }
    }
    let info = root.get("info");
    run.result = info.and_then(submission);
    let stats = info.and_then(|info| info.get("model_stats"));
    run.tokens = RunTokens::read(stats, &["tokens_sent"], &["tokens_received"]);
    run.gaps.push(RunGap::ErrorMarks);
    vec![run]
}

/// Returns what an agent handed in, if it did.
fn submission(info: Node<'_>) -> Option<Cow<'_, str>> {
    chat::text(info, "submission").filter(|text| !text.is_empty())
}

/// Reads a trajectory of mini-swe-agent.
pub(super) fn mini_swe_agent(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    let info = root.get("info");
    let model = info.and_then(|info| info.get("config")?.get("model"));
    for node in items(root, "messages") {
        let Some(mut message) = chat::message(node) else { continue };
        let extra = |key| node.get("extra").and_then(|extra| extra.get(key));
        if message.role == RunRole::Assistant {
            let usage = extra("response").and_then(|response| response.get("usage"));
            let answer = run.push_answer(message);
            answer.model = model.and_then(|model| chat::text(model, "model_name"));
            answer.tokens = RunTokens::read(usage, &["prompt_tokens"], &["completion_tokens"]);
            answer.ended = extra("timestamp").and_then(Node::scalar_text).map(Into::into);
            continue;
        }
        let code = extra("returncode").and_then(Node::as_f64);
        for part in &mut message.parts {
            if let PartContent::ToolOutcome(outcome) = &mut part.content {
                outcome.is_error = code.is_some_and(|code| code != 0.0);
            }
        }
        run.messages.push(message);
    }
    run.result = info.and_then(submission);
    vec![run]
}

/// Reads a trajectory in the format ATIF with those of its sub-agents.
pub(super) fn atif(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    run.add_id("session", root.get("session_id").and_then(Node::as_str));
    run.add_id("trajectory", root.get("trajectory_id").and_then(Node::as_str));
    let agent = root.get("agent");
    let definitions = agent.and_then(|agent| agent.get("tool_definitions"));
    let is_list = |tools: &Node<'_>| tools.kind() == NodeKind::Array;
    run.tools = definitions.filter(is_list).map(|tools| tools.items().map(chat::tool).collect());
    for step in items(root, "steps") {
        run.note_time(step.get("timestamp"));
        read_step(&mut run, step, agent);
    }
    let mut results = items(root, "steps").flat_map(|step| {
        step.get("observation").into_iter().flat_map(|observation| items(observation, "results"))
    });
    if results.clone().next().is_some() && !results.any(|result| error_mark(result).is_some()) {
        run.gaps.push(RunGap::ErrorMarks);
    }
    let totals = root.get("final_metrics");
    run.tokens = RunTokens::read(totals, &["total_prompt_tokens"], &["total_completion_tokens"]);
    let sub_agents = items(root, "subagent_trajectories").filter(|t| t.get("steps").is_some());
    std::iter::once(run).chain(sub_agents.flat_map(atif)).collect()
}

fn read_step<'d>(run: &mut AgentRun<'d>, step: Node<'d>, agent: Option<Node<'d>>) {
    let mut parts = step.get("message").map(chat::parts).unwrap_or_default();
    parts.retain(|part| !matches!(&part.content, PartContent::Text(text) if text.is_empty()));
    match word(step, "source") {
        "agent" => {
            let thought = step.get("reasoning_content").and_then(|node| {
                Some(RunPart { node, content: PartContent::Reasoning(node.as_str()?.into()) })
            });
            let calls = chat::call_parts(step, "tool_calls");
            let parts = thought.into_iter().chain(parts).chain(calls).collect();
            let message = RunMessage::new(step, RunRole::Assistant, parts);
            // Some steps of the agent are no work of a model.
            if step.get("llm_call_count").and_then(Node::as_f64) == Some(0.0) {
                run.messages.push(message);
            } else {
                let answer = run.push_answer(message);
                let names = [Some(step), agent].into_iter().flatten();
                answer.model = names.filter_map(|node| chat::text(node, "model_name")).next();
                answer.tokens = RunTokens::read(
                    step.get("metrics"),
                    &["prompt_tokens"],
                    &["completion_tokens"],
                );
                answer.ended = chat::text(step, "timestamp");
            }
        }
        source if !parts.is_empty() => {
            let role = if source == "system" { RunRole::System } else { RunRole::User };
            run.messages.push(RunMessage::new(step, role, parts));
        }
        _ => {}
    }
    let results = step.get("observation").into_iter().flat_map(|o| items(o, "results"));
    let outcomes = results.map(|node| {
        let content = node.get("content").map(RunValue::read);
        let is_error = error_mark(node).unwrap_or_default();
        let call_id = chat::text(node, "source_call_id");
        RunPart::of_outcome(node, ToolOutcome::given(call_id, content, is_error))
    });
    run.push_outcomes(step, outcomes.collect());
}

/// Returns whether a result is marked as an error, or as none; the format has no place of its own for that.
fn error_mark(result: Node<'_>) -> Option<bool> {
    result.get("extra")?.get("is_error")?.as_bool()
}
