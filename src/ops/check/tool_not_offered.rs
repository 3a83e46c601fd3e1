//! `tool-not-offered`: the answer calls a tool that the request does not offer.

use std::collections::HashSet;

use super::document::ProblemCollector;
use super::phrases::format_list;
use crate::format::call::ModelCall;
use crate::format::recording::{MessageBlock, Recording};
use crate::format::{Document, Field, RuleId, text};
use crate::text::quoted;

rule! {
    /// The answer calls a tool that the request in the same recording does not offer. The machine that plays it has no such
    /// tool, so the call fails or has no effect.
    ///
    /// Possible causes are an edit by hand, a renamed node, or a model that invented a name.
    ToolNotOffered {
        title: "The answer calls a tool that was not offered",
        fix: "Correct the tool's name in the answer, or record the call again.",
        before: "The call has no effect" => "\"tools\": [ { \"name\": \"transition_to_done\" } ]\n…\n{ \"type\": \"tool_use\", \"name\": \"transition_to_end\" }",
        after: "The tool is called" => "\"tools\": [ { \"name\": \"transition_to_done\" } ]\n…\n{ \"type\": \"tool_use\", \"name\": \"transition_to_done\" }",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    for (name, message) in missing(recording) {
        let node = findings.tree().node(name.node);
        findings.add_at(RuleId::ToolNotOffered, node, message);
    }
}

/// Judges the calls in a file of another tool, each at its place. An API also has calls without a name, for tools of its own, and
/// requests that refer to tools elsewhere: only a request with named tools says what it offers.
pub(super) fn judge_calls(
    document: &Document,
    calls: &[ModelCall<'_>],
    findings: &mut ProblemCollector<'_>,
) {
    for call in calls {
        let Some(recording) = call.document.body.recording() else {
            continue;
        };
        let tools = &recording.request.tools;
        if tools.is_empty() || tools.iter().any(|tool| text(&tool.name).is_none()) {
            continue;
        }
        for (name, message) in missing(recording) {
            if !name.value.is_empty() {
                findings.add_at(RuleId::ToolNotOffered, document.node(call.node), message);
            }
        }
    }
}

/// Returns the names of called tools that were not offered, each with a message.
fn missing(recording: &Recording) -> Vec<(&Field<String>, String)> {
    let Some(answer) = &recording.answer else {
        return Vec::new();
    };
    let names = || {
        recording
            .request
            .tools
            .iter()
            .filter_map(|tool| text(&tool.name))
    };
    let offered: HashSet<&str> = names().collect();
    let offers = || {
        if offered.is_empty() {
            "no tools".to_owned()
        } else {
            format_list(names())
        }
    };
    let called = answer.blocks.iter().filter_map(|block| match block {
        MessageBlock::ToolUse(call) => call.name.as_ref(),
        _ => None,
    });
    let missing = called.filter(|name| !offered.contains(&*name.value));
    let message = |name: &Field<String>| {
        let called = quoted(&name.value);
        format!(
            "The answer calls {called}, but the request offers {}",
            offers()
        )
    };
    missing.map(|name| (name, message(name))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::format::RuleId;
    use crate::ops::calls::testing::archive;
    use crate::ops::check::testing::{found, recording};

    #[test]
    fn the_call_is_reported_with_what_was_offered() {
        let calls =
            r#"[{ "type": "tool_use", "id": "t", "name": "transition_to_c", "input": {} }]"#;
        let judge = |tools: &str| {
            found(
                RuleId::ToolNotOffered,
                "turn-1.json",
                &recording("{}", tools, calls, ""),
            )
            .join("\n")
        };
        insta::assert_snapshot!(judge(r#"[{ "name": "transition_to_a" }, { "name": "transition_to_b" }]"#), @"warning 6:70 /response/response/content/0/name The answer calls `transition_to_c`, but the request offers `transition_to_a`, `transition_to_b`");
        insta::assert_snapshot!(judge("[]"), @"warning 6:70 /response/response/content/0/name The answer calls `transition_to_c`, but the request offers no tools");
        assert_eq!(judge(r#"[{ "name": "transition_to_c" }]"#), "");
    }

    #[test]
    fn the_calls_of_an_archive_are_judged_at_their_places() {
        let judge = |calls: &[(&str, &str, u16)]| {
            found(RuleId::ToolNotOffered, "a.har", &archive(calls)).join("\n")
        };
        insta::assert_snapshot!(judge(&[("go", "go", 200), ("go stop", "end", 200), ("go", "end", 500)]), @"warning 1:599 /log/entries/1 The answer calls `end`, but the request offers `go`, `stop`");
        assert_eq!(judge(&[("", "end", 200)]), "");
    }

    /// Returns what is reported of an answer of Anthropic's API, as one document and as a stream.
    fn judge_server_tools(block: &str) -> String {
        let stream = format!(
            "data: {{\"type\":\"message_start\",\"message\":{{}}}}\n\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{block}}}\n\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{{}}\"}}}}\n\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
        );
        let whole = format!(r#"{{"type": "message", "content": [{block}]}}"#);
        let entry = |answer: &str| {
            let sent = json!({ "model": "m", "max_tokens": 9, "messages": [], "tools": [
                { "name": "go", "input_schema": {} }, { "type": "code_execution_20250825", "name": "code_execution" }] });
            json!({ "request": { "method": "POST", "url": "https://api.anthropic.com/v1/messages", "postData": { "text": sent.to_string() } },
                "response": { "status": 200, "content": { "text": answer } } })
        };
        let archive =
            json!({ "log": { "version": "1.2", "entries": [entry(&whole), entry(&stream)] } });
        found(RuleId::ToolNotOffered, "a.har", &archive.to_string()).join("\n")
    }

    #[test]
    fn tools_that_the_server_runs_need_not_be_offered_by_name() {
        let own = r#"{"type": "tool_use", "id": "toolu_1", "name": "end", "input": {}}"#;
        insta::assert_snapshot!(judge_server_tools(own), @"
        warning 1:20 /log/entries/0 The answer calls `end`, but the request offers `go`, `code_execution`
        warning 1:453 /log/entries/1 The answer calls `end`, but the request offers `go`, `code_execution`
        ");
        let server = r#"{"type": "server_tool_use", "id": "srvtoolu_1", "name": "bash_code_execution", "input": {}}"#;
        assert_eq!(judge_server_tools(server), "");
        let mcp = r#"{"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "echo", "server_name": "s", "input": {}}"#;
        assert_eq!(judge_server_tools(mcp), "");
    }

    /// Returns what is reported of an answer that calls `go` and `end`.
    fn judge_exchange(url: &str, sent: &str, received: &str) -> String {
        let archive = json!({ "log": { "version": "1.2", "entries": [{
            "request": { "method": "POST", "url": url, "postData": { "text": sent } },
            "response": { "status": 200, "content": { "text": received } } }] } });
        found(RuleId::ToolNotOffered, "a.har", &archive.to_string()).join("\n")
    }

    #[test]
    fn tools_are_known_wherever_an_api_offers_them() {
        insta::assert_snapshot!(judge_exchange(
            "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
            r#"{"contents": [], "tools": [{"function_declarations": [{"name": "go"}]}]}"#,
            r#"{"candidates": [{"content": {"parts": [{"functionCall": {"name": "go"}}, {"functionCall": {"name": "end"}}]}}]}"#,
        ), @"warning 1:20 /log/entries/0 The answer calls `end`, but the request offers `go`");
        insta::assert_snapshot!(judge_exchange(
            "https://api.openai.com/v1/responses",
            r#"{"input": "x", "tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "go"}]}]}"#,
            r#"{"object": "response", "output": [{"type": "web_search_call", "id": "w"}, {"type": "function_call", "name": "go", "arguments": "{}"}, {"type": "function_call", "name": "end", "arguments": "{}"}]}"#,
        ), @"warning 1:20 /log/entries/0 The answer calls `end`, but the request offers `n`, `go`");
    }
}
