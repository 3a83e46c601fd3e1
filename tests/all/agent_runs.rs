//! Runs of agents, with facts that are known beforehand: samples of what the owners of the formats wrote, and generated runs, which the
//! owners write where they can be installed.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use calls::agent_run::{AgentRun, PartContent, RunGap, RunMessage, RunPart, RunRole, RunTool, RunTokens, RunValue, agent_runs, chat_messages, chat_run};
use document::text::Source;
use document::{Document, eval_archive};
use serde_json::{Value, json};

use crate::owner_mocks::{cache_folder, pass_over, prepare};

/// Number of generated runs of each source; the variable `RETAKE_GENERATED_RUNS` sets another number, and `RETAKE_PLAYED_SEED` makes
/// other runs.
const RUNS: &str = "5";

/// Number of bytes that an archive may have unpacked.
const MAX_BYTES: usize = 1 << 24;

/// Compares the runs in the files of a folder with `expected.json`, which has the facts of each file: of its only run, or of all in a list.
pub(crate) fn differences(folder: &Path) -> Vec<String> {
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected: BTreeMap<String, Value> = serde_json::from_slice(&expected).unwrap();
    let mut differences = Vec::new();
    for (name, expected) in &expected {
        let document = read(folder, name, expected);
        let chat;
        let mut runs = agent_runs(&document);
        if let Some(messages) = chat_messages(document.source().text()).filter(|_| runs.is_empty()) {
            chat = document::read(Source::new(messages.into_string()), "chat.json");
            runs.extend(chat.tree.root().and_then(chat_run));
        }
        let expected = expected.as_array().map_or(std::slice::from_ref(expected), Vec::as_slice);
        if runs.len() != expected.len() {
            differences.push(format!("{name}: {} runs, expected {}", runs.len(), expected.len()));
        }
        for (index, (run, expected)) in runs.iter().zip(expected).enumerate() {
            let facts = facts(run);
            compare(&format!("{name} {index}"), expected, &facts, &mut differences);
        }
    }
    assert!(!expected.is_empty());
    differences
}

/// Reads a file; of several that belong together, the lines of all.
fn read(folder: &Path, name: &str, expected: &Value) -> Document {
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let text = match expected.get("files").and_then(Value::as_array) {
        Some(files) => files.iter().flat_map(|name| [bytes(name.as_str().unwrap()), b"\n".to_vec()].concat()).collect(),
        None if name.ends_with(".eval") => eval_archive::lines(&bytes(name), MAX_BYTES).unwrap(),
        None => bytes(name),
    };
    let name = if expected.get("files").is_some() || name.ends_with(".eval") { "lines.jsonl" } else { name };
    document::read(Source::new(String::from_utf8(text).unwrap()), name)
}

/// Compares what is expected; other facts are not compared.
fn compare(place: &str, expected: &Value, fact: &Value, differences: &mut Vec<String>) {
    match (expected, fact) {
        (Value::Object(members), Value::Object(_)) => {
            for (key, expected) in members.iter().filter(|(key, _)| *key != "files") {
                compare(&format!("{place}.{key}"), expected, &fact[key], differences);
            }
        }
        (Value::Array(items), Value::Array(facts)) if items.len() == facts.len() => {
            for (index, (expected, fact)) in items.iter().zip(facts).enumerate() {
                compare(&format!("{place}[{index}]"), expected, fact, differences);
            }
        }
        _ if expected == fact => {}
        _ => differences.push(format!("{place}: {fact}\n    expected {expected}")),
    }
}

fn facts(run: &AgentRun<'_>) -> Value {
    let texts: Vec<_> = run.inputs().filter_map(RunMessage::text).collect();
    let names = |tools: &[RunTool<'_>]| tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
    let usage = |tokens: RunTokens| json!({ "input": tokens.input, "output": tokens.output });
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    let tool_calls = run.tool_calls().into_iter().map(|tool| {
        let outcome = tool.outcome.map(|(outcome, _)| outcome);
        let error = outcome.and_then(|outcome| outcome.error_text());
        let result = outcome.and_then(|outcome| outcome.content.as_ref()).filter(|_| error.is_none());
        json!({
            "id": tool.call.id, "name": tool.call.name, "arguments": value(&tool.call.input),
            "result": result.map(RunValue::as_str), "error": error,
        })
    });
    let calls = run.calls.iter().map(|call| {
        let sent = run.sent(call).iter().flat_map(sent_parts);
        let answer = run.answer(call);
        let tool_calls = answer.into_iter().flat_map(RunMessage::tool_calls);
        json!({
            "sent": sent.collect::<Vec<_>>(),
            "text": answer.and_then(RunMessage::text), "answered": answer.is_some(),
            "tool_calls": tool_calls.map(|call| json!([call.id, call.name, value(&call.input)])).collect::<Vec<_>>(),
            "tools": run.offered(call).map(|tools| tools.iter().map(tool).collect::<Vec<_>>()),
            "model": call.model, "stop": call.stop, "usage": call.tokens.map(usage),
            "started": call.started, "ended": call.ended, "error": call.error,
        })
    });
    json!({
        "system": run.system(), "input": texts.first(), "later_inputs": texts.get(1..).unwrap_or_default(),
        "tools_offered": run.tools.as_deref().map(names), "model": run.model(), "model_calls": run.calls.len(),
        "tool_calls": tool_calls.collect::<Vec<_>>(), "calls": calls.collect::<Vec<_>>(), "final": run.final_answer(),
        "started": run.started, "ended": run.ended, "usage": run.all_tokens().map(usage), "errors": run.errors,
        "ids": run.ids.iter().map(|(kind, id)| (kind.to_string(), json!(id))).collect::<serde_json::Map<_, _>>(),
        "missing": run.missing().into_iter().map(RunGap::as_str).collect::<Vec<_>>(),
    })
}

/// Returns the role and the text of a message, or those of each result of a tool.
fn sent_parts(message: &RunMessage<'_>) -> Vec<Value> {
    if message.role != RunRole::Tool {
        return vec![json!([role(message.role), message.text()])];
    }
    let result = |part: &RunPart<'_>| match &part.content {
        PartContent::ToolOutcome(outcome) => Some(json!(["tool", outcome.content.as_ref().map(RunValue::as_str)])),
        _ => None,
    };
    message.parts.iter().filter_map(result).collect()
}

fn tool(tool: &RunTool<'_>) -> Value {
    let schema = tool.schema.as_deref().map(|schema| serde_json::from_str::<Value>(schema).unwrap());
    json!({ "name": tool.name, "description": tool.description, "schema": schema })
}

fn role(role: RunRole) -> &'static str {
    match role {
        RunRole::System => "system",
        RunRole::User => "user",
        RunRole::Assistant => "assistant",
        RunRole::Tool => "tool",
    }
}
