//! `tool-not-offered`: the answer calls a tool that the request does not offer.

use std::collections::HashSet;

use super::phrases::format_list;
use crate::check_document::ProblemCollector;
use document::call::{BodyContent, ModelCall};
use document::recording::{MessageBlock, Recording};
use document::text::{Source, quoted};
use document::{Document, Field, Node, RuleId, json, text};

rule! {
    /// The answer calls a tool that the request in the same recording does not offer. The machine that plays it has no such
    /// tool, so the call fails or has no effect.
    ///
    /// Possible causes are an edit by hand, a renamed node, or a model that invented a name.
    ///
    /// In calls over HTTP these are offered, too: tools of the provider, such as Bedrock's `systemTool`; tools that items of the request or of the
    /// answer add, as the results of a tool search do; and if a tool loads others, those that its results name.
    ToolNotOffered {
        title: "The answer calls a tool that was not offered",
        fix: "Correct the tool's name in the answer, or record the call again.",
        before: "The call has no effect" => "\"tools\": [ { \"name\": \"transition_to_done\" } ]\n…\n{ \"type\": \"tool_use\", \"name\": \"transition_to_end\" }",
        after: "The tool is called" => "\"tools\": [ { \"name\": \"transition_to_done\" } ]\n…\n{ \"type\": \"tool_use\", \"name\": \"transition_to_done\" }",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    for (name, message) in missing(recording) {
        findings.add_at(RuleId::ToolNotOffered, findings.tree.node(name.node), message);
    }
}

/// Judges the calls in a file of another tool, each at its place. An API also has calls without a name, for tools of its own, and
/// requests that refer to tools elsewhere: only a request with named tools says what it offers.
pub(super) fn judge_calls(findings: &mut ProblemCollector<'_>) {
    let ProblemCollector { document, calls, .. } = *findings;
    for call in calls {
        let Some(recording) = call.document.body.recording() else { continue };
        let tools = &recording.request.tools;
        if tools.is_empty() || tools.iter().any(|tool| text(&tool.name).is_none()) {
            continue;
        }
        let mut added_tools = None;
        for (name, message) in missing(recording) {
            let added_tools = added_tools.get_or_insert_with(|| AddedTools::find(document, call));
            if !name.value.is_empty() && !added_tools.names.contains(&name.value) {
                findings.add_at(RuleId::ToolNotOffered, document.node(call.node), message);
            }
        }
    }
}

/// The tools that a call over HTTP offers elsewhere than in the list of its request.
#[derive(Default)]
struct AddedTools {
    names: HashSet<String>,
    /// The results of tools.
    results: String,
}

impl AddedTools {
    fn find(document: &Document, call: &ModelCall<'_>) -> Self {
        let mut tools = Self::default();
        let http = call.facts.http.as_ref();
        let bodies = http.map(|http| [&http.request_body, &http.response_body]);
        let mut texts: Vec<&str> = Vec::new();
        for body in bodies.into_iter().flatten().flatten() {
            match &body.content {
                BodyContent::Tree(node) => tools.read(document.node(*node)),
                BodyContent::Text(body) => texts.push(body.text()),
                BodyContent::Bytes(_) => {}
            }
        }
        if bodies.is_none_or(|bodies| bodies.iter().all(|body| body.is_none())) {
            // An archive has its bodies as texts.
            let positions = document.node(call.node).positions();
            texts.extend(document.tree.nodes_at(positions).filter_map(Node::as_str));
        }
        for text in texts {
            let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
            // Most events are pieces of text and need no parsing. `unction` is a part of `function` and `Function`.
            let has_tools = |text: &&str| text.contains("tool") || text.contains("unction");
            for json in events.chain([text]).filter(has_tools) {
                let (tree, _) = json::parse(&Source::new(json.trim_start()));
                tree.root().inspect(|root| tools.read(*root));
            }
        }
        let results = std::mem::take(&mut tools.results);
        if tools.names.iter().any(|name| loads_tools(name)) {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            tools.names.extend(results.split(|c| !is_part(c)).map(str::to_owned));
        }
        tools
    }

    /// Adds the names of the tools in all lists of tools in a value, and of those that search results refer to; and the results of tools.
    fn read(&mut self, value: Node<'_>) {
        const TOOL_LIST_KEYS: [&str; 3] =
            ["tools", "functionDeclarations", "function_declarations"];
        for node in value.tree().nodes_at(value.positions()) {
            let parent = node.parent();
            let has = |k: &str, word: &str| parent.and_then(|p| p.get(k)?.as_str()) == Some(word);
            let is_tool = match node.key() {
                Some("output") => has("type", "function_call_output"),
                Some("content") => has("type", "tool_result") || has("role", "tool"),
                Some("functionResponse" | "toolResult") => true,
                _ => false,
            };
            // An answer to a call of a tool that does not exist repeats its name.
            let texts = value
                .tree()
                .nodes_at(node.positions())
                .filter(|_| is_tool)
                .filter_map(Node::as_str);
            for text in texts.filter(|text| !text.to_ascii_lowercase().contains("unknown tool")) {
                self.results.push_str(text);
                self.results.push(' ');
            }
            let name = match node.key() {
                Some("systemTool") => node.get("name"),
                Some("tool_name") => Some(node),
                _ if parent.and_then(Node::key).is_some_and(|k| TOOL_LIST_KEYS.contains(&k)) => {
                    let tool = node.get("function").unwrap_or(node);
                    tool.get("name").or(tool.get("type"))
                }
                _ => None,
            };
            self.names.extend(name.and_then(Node::as_str).map(str::to_owned));
        }
    }
}

/// Returns whether a tool, by its name, loads other tools.
fn loads_tools(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |part: &&str| name.contains(*part);
    ["tool", "capabilit"].iter().any(has)
        && ["search", "load", "find", "discover", "enable", "activate"].iter().any(has)
}

/// Returns the names of called tools that were not offered, each with a message.
fn missing(recording: &Recording) -> Vec<(&Field<String>, String)> {
    let Some(answer) = &recording.answer else { return Vec::new() };
    let names = || recording.request.tools.iter().filter_map(|tool| text(&tool.name));
    let offered_names: HashSet<&str> = names().collect();
    let offer_text = || {
        if offered_names.is_empty() { "no tools".to_owned() } else { format_list(names()) }
    };
    let called_names = answer.blocks.iter().filter_map(|block| match block {
        MessageBlock::ToolUse(call) => call.name.as_ref(),
        _ => None,
    });
    let missing_names = called_names.filter(|name| !offered_names.contains(&*name.value));
    let message = |name: &Field<String>| {
        let quoted_name = quoted(&name.value);
        format!("The answer calls {quoted_name}, but the request offers {}", offer_text())
    };
    missing_names.map(|name| (name, message(name))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{found, recording};
    use calls::reading::testing::archive;
    use document::RuleId;

    #[test]
    fn the_call_is_reported_with_what_was_offered() {
        let calls =
            r#"[{ "type": "tool_use", "id": "t", "name": "transition_to_c", "input": {} }]"#;
        let judge = |tools: &str| {
            found(RuleId::ToolNotOffered, "turn-1.json", &recording("{}", tools, calls, ""))
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
        let message_json = format!(r#"{{"type": "message", "content": [{block}]}}"#);
        let entry = |answer: &str| {
            let request_body = json!({ "model": "m", "max_tokens": 9, "messages": [], "tools": [
                { "name": "go", "input_schema": {} }, { "type": "code_execution_20250825", "name": "code_execution" }] });
            json!({ "request": { "method": "POST", "url": "https://api.anthropic.com/v1/messages", "postData": { "text": request_body.to_string() } },
                "response": { "status": 200, "content": { "text": answer } } })
        };
        let archive = json!({ "log": { "version": "1.2", "entries": [entry(&message_json), entry(&stream)] } });
        found(RuleId::ToolNotOffered, "a.har", &archive.to_string()).join("\n")
    }

    #[test]
    fn tools_that_the_server_runs_need_not_be_offered_by_name() {
        let own_call = r#"{"type": "tool_use", "id": "toolu_1", "name": "end", "input": {}}"#;
        insta::assert_snapshot!(judge_server_tools(own_call), @"
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

    #[test]
    fn tools_that_are_added_later_and_those_of_the_provider_are_offered() {
        let responses = |input: &str, more: &str, output: &str| {
            judge_exchange(
                "https://api.openai.com/v1/responses",
                &format!(
                    r#"{{"model": "m", "input": [{input}], "tools": [{{"type": "function", "name": "go"}}{more}]}}"#
                ),
                &format!(
                    r#"{{"object": "response", "output": [{output}{{"type": "function_call", "name": "end", "arguments": "{{}}"}}]}}"#
                ),
            )
        };
        let result = |text: &str| {
            format!(r#"{{"type": "function_call_output", "call_id": "c", "output": "{text}"}}"#)
        };
        let end = r#"{"tools": [{"type": "function", "name": "end"}], "type": "#;
        let other = end.replace("end", "stop");
        let load = r#", {"type": "function", "name": "load_capability"}"#;
        let cases = [
            (responses(&format!(r#"{end}"additional_tools"}}"#), "", ""), true),
            (responses(&format!(r#"{other}"additional_tools"}}"#), "", ""), false),
            (
                responses(
                    "",
                    r#", {"type": "tool_search"}"#,
                    &format!(r#"{end}"tool_search_output"}},"#),
                ),
                true,
            ),
            (
                responses(
                    "",
                    r#", {"type": "tool_search"}"#,
                    &format!(r#"{other}"tool_search_output"}},"#),
                ),
                false,
            ),
            (responses(&result("added: end, stop"), load, ""), true),
            (responses(&result("added: append"), load, ""), false),
            (responses(&result("Unknown tool name: 'end'"), load, ""), false),
            (responses(&result("added: end"), "", ""), false),
        ];
        for (number, (found, is_offered)) in cases.iter().enumerate() {
            assert_eq!(found.is_empty(), *is_offered, "{number} {found}");
        }
        let cases = [
            (
                "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse",
                r#"{"messages": [{"role": "user", "content": [{"text": "x"}]}], "toolConfig": {"tools": [{"toolSpec": {"name": "go", "inputSchema": {"json": {}}}}, {"systemTool": {"name": "end"}}]}}"#,
                r#"{"output": {"message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "end", "input": {}}}]}}, "stopReason": "tool_use"}"#,
            ),
            (
                "https://api.anthropic.com/v1/messages",
                r#"{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "tool_reference", "tool_name": "end"}]}]}], "tools": [{"name": "go", "input_schema": {}}, {"type": "web_search_20250305", "name": "web_search"}]}"#,
                r#"{"type": "message", "content": [{"type": "tool_use", "id": "t", "name": "end", "input": {}}, {"type": "tool_use", "id": "u", "name": "web_search", "input": {}}]}"#,
            ),
            (
                "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
                r#"{"contents": [], "tools": [{"functionDeclarations": [{"name": "go"}]}, {"googleSearch": {}}, {"codeExecution": {}}]}"#,
                r#"{"candidates": [{"content": {"parts": [{"executableCode": {"code": "1"}}, {"functionCall": {"name": "go"}}]}}]}"#,
            ),
        ];
        for (url, sent, received) in cases {
            assert_eq!(judge_exchange(url, sent, received), "", "{url}");
            let renamed_answer = received
                .replace(r#""name": "end""#, r#""name": "stop""#)
                .replace(r#""name": "go""#, r#""name": "stop""#);
            assert_ne!(judge_exchange(url, sent, &renamed_answer), "", "{url}");
        }
    }
}
