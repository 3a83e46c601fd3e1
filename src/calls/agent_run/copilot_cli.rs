//! Sessions of Copilot CLI: an event a line.

use super::chat::{self, items, word};
use super::message::{RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::{AgentRun, RunTokens};
use document::{Node, NodeKind};
use std::borrow::Cow;

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    let mut model: Option<Cow<'_, str>> = None;
    for event in root.items() {
        let Some(data) = event.get("data") else { continue };
        run.note_time(event.get("timestamp"));
        let named =
            ["selectedModel", "newModel", "model"].iter().find_map(|key| chat::text(data, key));
        match word(event, "type") {
            "session.start" | "session.resume" | "session.model_change" => {
                run.add_id("session", data.get("sessionId").and_then(Node::as_str));
                model = named.or(model);
            }
            "user.message" => {
                run.messages.push(RunMessage::new(event, RunRole::User, chat::content(data)));
            }
            "assistant.message" => {
                let calls = chat::call_parts(data, "toolRequests");
                let parts = chat::content(data).into_iter().chain(calls).collect();
                let answer = run.push_answer(RunMessage::new(event, RunRole::Assistant, parts));
                answer.model = named.or_else(|| model.clone());
                answer.ended = chat::text(event, "timestamp");
            }
            "tool.execution_complete" => {
                run.push_outcomes(event, vec![RunPart::of_outcome(event, outcome(data))]);
            }
            "session.error" => {
                if let Some(message) = chat::text(data, "message") {
                    run.push_failure(event, message);
                }
            }
            "session.shutdown" => {
                let usages = items(data, "modelMetrics").filter_map(|model| {
                    RunTokens::read(model.get("usage"), &["inputTokens"], &["outputTokens"])
                });
                run.tokens = usages.reduce(RunTokens::plus);
            }
            _ => {}
        }
    }
    vec![run]
}

fn outcome(data: Node<'_>) -> ToolOutcome<'_> {
    let stored = data.get("result").filter(|result| result.kind() != NodeKind::Null);
    let result = stored.map(|result| result.get("content").unwrap_or(result));
    let error = data.get("error").map(|error| error.get("message").unwrap_or(error));
    let has_failed = data.get("success").and_then(Node::as_bool) == Some(false);
    let content = result.or(error).map(RunValue::read);
    ToolOutcome::given(chat::text(data, "toolCallId"), content, has_failed)
}
