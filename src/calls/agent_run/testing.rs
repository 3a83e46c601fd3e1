//! Prints runs, to compare them with text.

use std::fmt::Write as _;

use super::{AgentRun, RunGap, RunRole, RunTool, RunValue, agent_runs, chat_messages, chat_run};
use document::read;
use document::text::Source;

/// Describes the runs in a file, a line for each fact.
pub(super) fn describe(file_name: &str, text: &str) -> String {
    let document = read(Source::new(text), file_name);
    agent_runs(&document).iter().map(describe_run).collect()
}

/// Describes the chat in a text.
pub(super) fn describe_chat(text: &str) -> String {
    let Some(messages) = chat_messages(text) else { return "no chat".to_owned() };
    let document = read(Source::new(messages.into_string()), "chat.json");
    document.tree.root().and_then(chat_run).as_ref().map(describe_run).unwrap_or_default()
}

fn describe_run(run: &AgentRun<'_>) -> String {
    let mut lines = String::new();
    for (kind, id) in &run.ids {
        let _ = writeln!(lines, "{kind} {id}");
    }
    let _ = writeln!(lines, "system: {:?}", run.system().unwrap_or_default());
    for message in run.inputs() {
        let _ = writeln!(lines, "input: {:?}", message.text().unwrap_or_default());
    }
    let names = |tools: &[RunTool<'_>]| {
        tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>().join(", ")
    };
    let tools = run.tools.as_deref().map_or_else(|| "not stored".to_owned(), names);
    let _ = writeln!(lines, "tools: {tools}");
    for call in &run.calls {
        let roles = run.sent(call).iter().map(|message| match message.role {
            RunRole::System => 's',
            RunRole::User => 'u',
            RunRole::Assistant => 'a',
            RunRole::Tool => 't',
        });
        let answer = run.answer(call);
        let texts = answer.and_then(|answer| answer.text()).unwrap_or_default();
        let tools = answer.into_iter().flat_map(|answer| answer.tool_calls());
        let tools: Vec<&str> = tools.map(|call| &*call.name).collect();
        let place = call.node.place();
        let _ = writeln!(
            lines,
            "call at {place}: {} -> {texts:?} {tools:?} {} {:?} {:?}",
            roles.collect::<String>(),
            call.model.as_deref().unwrap_or("-"),
            call.tokens.map(|tokens| (tokens.input, tokens.output)),
            call.error,
        );
    }
    for tool in run.tool_calls() {
        let outcome = tool.outcome.map(|(outcome, _)| match outcome.error_text() {
            Some(error) => format!("error {error:?}"),
            None => format!("{:?}", outcome.content.as_ref().map(RunValue::as_str)),
        });
        let _ = writeln!(
            lines,
            "tool {} {}({}) = {}",
            tool.call.id.as_deref().unwrap_or("-"),
            tool.call.name,
            tool.call.input,
            outcome.unwrap_or_else(|| "no result".to_owned())
        );
    }
    let _ = writeln!(lines, "final: {:?}", run.final_answer());
    let _ = writeln!(lines, "times: {:?} {:?}", run.started, run.ended);
    if !run.errors.is_empty() {
        let _ = writeln!(lines, "errors: {:?}", run.errors);
    }
    let gaps: Vec<&str> = run.missing().into_iter().map(RunGap::as_str).collect();
    let _ = writeln!(lines, "missing: {}", gaps.join(", "));
    lines
}
