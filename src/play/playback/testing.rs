//! Sets and requests in a few words, for the tests of playback.

#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use std::sync::Arc;

use serde_json::json;

use super::{PlaybackRules, PlaybackRun, PlayedRequest, RecordingSet, SetRecording, requests};
use calls::Pool;
use document::Document;
use document::text::Source;

/// Returns a recording at a node: `tools` joined by a space, the first of which it answers with.
pub fn recording(id: &str, node: &str, tools: &str, messages: usize) -> serde_json::Value {
    let names: Vec<&str> = tools.split_whitespace().collect();
    let offered: Vec<_> = names.iter().map(|name| json!({ "name": name })).collect();
    let call =
        json!({ "type": "tool_use", "id": id, "name": names.first(), "input": { "of": id } });
    json!({
        "request": {
            "type": "llm_invocation_request",
            "requestId": id,
            "context": { "currentNode": node },
            "messages": vec![json!({ "role": "user", "content": "x" }); messages],
            "tools": offered,
        },
        "response": { "response": { "content": [call], "stop_reason": "tool_use" } },
        "recordedAt": "2026-03-12T14:02:04.911Z",
    })
}

/// Returns the same with a stored signature that lists these context keys.
pub fn stored(mut recording: serde_json::Value, keys: &[&str]) -> serde_json::Value {
    let request = &recording["request"];
    let tools = request["tools"].as_array().into_iter().flatten();
    let mut names: Vec<_> = tools.map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    recording["signature"] = json!({
        "toolNames": names,
        "messageCount": request["messages"].as_array().map(Vec::len),
        "contextKeys": keys,
    });
    recording
}

pub fn document(text: &str) -> Document {
    document::read(Source::new(text), "turn-1.json")
}

/// Returns a set of files with these names.
pub fn set<'a>(files: impl IntoIterator<Item = (&'a str, serde_json::Value)>) -> Arc<RecordingSet> {
    let pool = Pool::default();
    let files = files.into_iter().map(|(name, text)| {
        let path = format!("set/{name}.json").into();
        SetRecording::read(path, &document(&text.to_string()), &pool)
    });
    Arc::new(RecordingSet::new("set", files))
}

/// Returns the request of a recording.
pub fn played_request(recording: &serde_json::Value) -> Arc<PlayedRequest> {
    let document = document(&recording["request"].to_string());
    let requests = requests::from_document(&"request".into(), &document, &Pool::default());
    requests.unwrap().swap_remove(0)
}

pub fn play<'a>(
    set: &Arc<RecordingSet>,
    rules: PlaybackRules,
    requests: impl IntoIterator<Item = &'a serde_json::Value>,
) -> PlaybackRun {
    PlaybackRun::new(Arc::clone(set), rules, requests.into_iter().map(played_request))
}

/// Returns a run as text: the verdict, each call, what shows over all.
pub fn describe_run(run: &PlaybackRun) -> String {
    let mut lines = vec![format!("{:?}: {}", run.summary.status, run.summary.title)];
    if !run.summary.detail.is_empty() {
        lines.push(run.summary.detail.clone());
    }
    for (at, call) in run.calls.iter().enumerate() {
        let label = |index: usize| run.set.recordings[index].label();
        let served = call.served().map_or("none".to_owned(), |served| {
            format!("{} by {:?}", label(served.index), served.step)
        });
        let why = call.verdict.explain().unwrap_or_default();
        let line = format!("{} {}: {served}, {} {why}", at + 1, call.request.label(), call.verdict);
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}
