//! Generated runs of agents, with facts that are known beforehand. The owners of the formats write them where they can be installed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use calls::agent_run::{
    AgentRun, PartContent, RunGap, RunMessage, RunPart, RunRole, RunTokens, RunTool, RunValue,
    agent_runs, chat_messages, chat_run,
};
use calls::json::Json;
use document::text::Source;
use document::{Document, eval_archive};
use serde_json::{Map, Value, json};

use crate::owner_mocks::{cache_folder, pass_over, prepare};
use crate::owner_play::seed;

/// Sets the number of generated runs of each source, and lets the owners write theirs: their libraries take minutes to install.
/// `RETAKE_PLAYED_SEED` makes other runs.
const RUN_COUNT_VARIABLE: &str = "RETAKE_GENERATED_RUNS";

/// Number of generated runs of each source unless the variable is set.
const RUNS: &str = "5";

/// Number of bytes that an archive may have unpacked.
const MAX_BYTES: usize = 1 << 24;

/// Sources that are written in the form that their programs have.
const TRANSCRIPTS: &str =
    "claude-code codex gemini-cli opencode copilot-cli atif swe-agent mini-swe-agent chat-log";

/// Packages of Python, with the sources that they write.
const OWNERS: [(&str, &str, &str); 2] = [
    (
        "run-owners",
        "openai==3.57.0 openai-agents==0.24.0 langgraph==1.2.24 langchain-openai==1.7.4 langsmith==0.15.1 inspect_ai==0.3.285 \
         pydantic-ai-slim==2.68.0 openinference-instrumentation-openai==0.1.66 opentelemetry-instrumentation-openai==0.62.4 \
         opentelemetry-instrumentation-openai-v2==2.4b0 opentelemetry-util-genai==0.4b0 opentelemetry-exporter-otlp-proto-common",
        "otel-latest otel-traceloop openinference phoenix pydantic-ai logfire openai-agents langsmith langfuse inspect",
    ),
    (
        "run-owners-of-2025",
        "openai==1.109.1 opentelemetry-sdk==1.37.0 opentelemetry-exporter-otlp-proto-common==1.37.0 \
         opentelemetry-instrumentation-openai==0.40.14 opentelemetry-instrumentation-openai-v2==2.1b0 \
         opentelemetry-semantic-conventions==0.58b0",
        "otel-prompts otel-events",
    ),
];

#[test]
fn generated_transcripts_have_their_facts() {
    compare_generated(Path::new("python3"), TRANSCRIPTS);
}

#[test]
fn runs_that_their_owners_write_have_their_facts() {
    if !is_requested("The libraries that trace agents") {
        return;
    }
    for (name, packages, sources) in OWNERS {
        let folder = cache_folder(name);
        // A registry that does not answer must not keep the tests.
        let install = format!(
            "test -e installed || (timeout 60 python3 -m venv venv && timeout 600 venv/bin/python -m pip install -q --timeout 10 --retries 1 {packages} && touch installed)"
        );
        if prepare(&folder, &install) {
            compare_generated(&folder.join("venv/bin/python"), sources);
        } else {
            pass_over("The libraries that trace agents");
        }
    }
}

#[test]
fn messages_of_the_ai_sdk_have_their_facts() {
    if !is_requested("The AI SDK") {
        return;
    }
    let install = "test -e node_modules/ai || timeout 120 npm install --ignore-scripts --no-audit --no-fund --no-save ai@6.0.326";
    if prepare(&cache_folder("ai-sdk"), install) {
        compare_generated(Path::new("python3"), "ai-sdk");
    } else {
        pass_over("The AI SDK");
    }
}

/// Returns whether owners are to write their runs; otherwise says that this one did not.
fn is_requested(owner: &str) -> bool {
    let is_set = std::env::var_os(RUN_COUNT_VARIABLE).is_some();
    if !is_set {
        let _ =
            writeln!(std::io::stderr(), "{owner} wrote no run: {RUN_COUNT_VARIABLE} is not set");
    }
    is_set
}

fn compare_generated(python: &Path, sources: &str) {
    let count = std::env::var(RUN_COUNT_VARIABLE).unwrap_or_else(|_| RUNS.to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/owner/agent_runs.py");
    let mut wrong = String::new();
    for source in sources.split(' ') {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(python);
        command.arg(&script).args([source, &count, &seed()]).arg(folder.path());
        let output = command.arg(cache_folder("ai-sdk")).output().unwrap();
        assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
        let differences = differences(folder.path());
        let examples = differences.iter().take(3).cloned().collect::<Vec<_>>().join("\n");
        if !differences.is_empty() {
            let _ = writeln!(wrong, "{source}: {} differences\n{examples}", differences.len());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Compares the runs in the files of a folder with `expected.json`, which has the facts of each file: of its only run, or of all in a list.
fn differences(folder: &Path) -> Vec<String> {
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected: BTreeMap<String, Value> = serde_json::from_slice(&expected).unwrap();
    let mut differences = Vec::new();
    for (name, expected) in &expected {
        let document = read(folder, name, expected);
        let log =
            chat_messages(document.source().text()).map_or_else(String::new, Json::into_string);
        let chat = document::read(Source::new(log), "chat.json");
        let mut runs = agent_runs(&document);
        if runs.is_empty() {
            let roots = [document.tree.root(), chat.tree.root()];
            runs.extend(roots.into_iter().flatten().find_map(chat_run));
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
        Some(files) => files
            .iter()
            .flat_map(|name| [bytes(name.as_str().unwrap()), b"\n".to_vec()].concat())
            .collect(),
        None if name.ends_with(".eval") => eval_archive::lines(&bytes(name), MAX_BYTES).unwrap(),
        None => bytes(name),
    };
    let name = if expected.get("files").is_some() || name.ends_with(".eval") {
        "lines.jsonl"
    } else {
        name
    };
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
    let names =
        |tools: &[RunTool<'_>]| tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
    let usage = |tokens: RunTokens| json!({ "input": tokens.input, "output": tokens.output });
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    let tool_calls = run.tool_calls().into_iter().map(|tool| {
        let outcome = tool.outcome.map(|(outcome, _)| outcome);
        let error = outcome.and_then(|outcome| outcome.error_text());
        let result =
            outcome.and_then(|outcome| outcome.content.as_ref()).filter(|_| error.is_none());
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
        "ids": run.ids.iter().map(|(kind, id)| (kind.to_string(), json!(id))).collect::<Map<_, _>>(),
        "missing": run.missing().into_iter().map(RunGap::as_str).collect::<Vec<_>>(),
    })
}

/// Returns the role and the text of a message, or those of each result of a tool.
fn sent_parts(message: &RunMessage<'_>) -> Vec<Value> {
    if message.role != RunRole::Tool {
        return vec![json!([role(message.role), message.text()])];
    }
    let result = |part: &RunPart<'_>| match &part.content {
        PartContent::ToolOutcome(outcome) => {
            let content = outcome.content.as_ref().map(RunValue::as_str);
            Some(json!(["tool", content.or(outcome.error.as_deref())]))
        }
        _ => None,
    };
    message.parts.iter().filter_map(result).collect()
}

fn tool(tool: &RunTool<'_>) -> Value {
    let schema =
        tool.schema.as_deref().map(|schema| serde_json::from_str::<Value>(schema).unwrap());
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
