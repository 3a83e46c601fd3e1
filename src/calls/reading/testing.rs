//! An archive of calls in a few words, for tests.

use serde_json::{Value, json};

/// Returns an HTTP archive with a call for each of these: the offered tools joined by a space, the tool that the answer calls,
/// and the status.
pub fn archive(calls: &[(&str, &str, u16)]) -> String {
    let entries: Vec<Value> = (1..).zip(calls).map(|(number, (tools, called, status))| {
        let tools: Vec<Value> = tools.split_whitespace()
            .map(|name| json!({ "type": "function", "function": { "name": name, "parameters": {} } }))
            .collect();
        let sent = json!({
            "model": "m", "tools": tools, "messages": [{ "role": "user", "content": format!("Call {number}") }],
        });
        let call = json!({ "id": "t", "function": { "name": called, "arguments": "{}" } });
        let received = match status {
            200 => json!({
                "id": format!("c{number}"), "object": "chat.completion",
                "choices": [{ "message": { "content": null, "tool_calls": [call] }, "finish_reason": "tool_calls" }],
            }),
            _ => json!({ "error": { "message": "Later", "type": "overloaded" } }),
        };
        json!({
            "startedDateTime": "2026-01-18T16:00:00.000Z", "time": 1500,
            "request": {
                "method": "POST", "url": "https://api.openai.com/v1/chat/completions",
                "postData": { "text": sent.to_string() },
            },
            "response": { "status": status, "content": { "text": received.to_string() } },
        })
    }).collect();
    json!({ "log": { "version": "1.2", "entries": entries } }).to_string()
}
