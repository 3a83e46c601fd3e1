//! Files as each recorder writes them, with what must be read of them. Each holds calls of every API that the recorder can store.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use document::body::testing::event_message;
use document::call::{BodyContent, BodyForm, HttpBody, ModelCall};
use document::text::Source;
use document::{Document, NodeKind, read};
use serde_json::{Value, json};

use super::calls;

/// A call, and what is read of it.
struct Exchange {
    url: &'static str,
    /// The provider at the address.
    provider: &'static str,
    api: &'static str,
    /// As requested.
    model: &'static str,
    /// As the answer names it.
    answered_model: Option<&'static str>,
    request: Value,
    status: u16,
    answer: Answer,
    /// The texts of the answer, and the tools that it calls.
    texts: &'static str,
    tools: &'static str,
}

/// An answer as it is received.
enum Answer {
    Json(Value),
    /// Server-sent events, with their names if they have some, and the text after the last one.
    Events(Vec<Value>, bool, &'static str),
    /// A line of JSON for each event.
    Lines(Vec<Value>),
    /// An event stream of Amazon: the kind and the payload of each message.
    Messages(Vec<(&'static str, Value)>),
}

impl Answer {
    fn text(&self) -> Option<String> {
        Some(match self {
            Self::Json(value) => value.to_string(),
            Self::Events(events, has_names, end) => {
                let event = |event: &Value| match event["type"].as_str().filter(|_| *has_names) {
                    Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
                    None => format!("data: {event}\n\n"),
                };
                events.iter().map(event).collect::<String>() + end
            }
            Self::Lines(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
            Self::Messages(_) => return None,
        })
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Messages(messages) => {
                let message =
                    |(kind, payload): &(&str, Value)| event_message(kind, &payload.to_string());
                messages.iter().flat_map(message).collect()
            }
            other => other.text().unwrap().into_bytes(),
        }
    }

    fn base64(&self) -> String {
        STANDARD.encode(self.bytes())
    }

    fn content_type(&self) -> &'static str {
        match self {
            Self::Json(_) => "application/json",
            Self::Events(..) => "text/event-stream",
            Self::Lines(_) => "application/x-ndjson",
            Self::Messages(_) => "application/vnd.amazon.eventstream",
        }
    }

    fn is_streamed(&self) -> bool {
        !matches!(self, Self::Json(_))
    }
}

impl Exchange {
    fn path(&self) -> &'static str {
        let (_, address) = self.url.split_once("://").unwrap();
        &address[address.find('/').unwrap()..]
    }

    /// What must be read where the file has the whole address, only its path, or no request at all.
    fn expected(&self, place: Address) -> String {
        let is_whole = place == Address::Whole;
        let provider = if is_whole { self.provider } else { "-" };
        let has_model = self.request.get("model").is_some() || place != Address::None;
        let named = Some(self.model).filter(|_| has_model && place != Address::Missing);
        let model = self.answered_model.or(named).unwrap_or("-");
        format!(
            "{provider} | {} | {model} | {} | {} | {} | {}",
            self.api,
            self.texts,
            self.tools,
            if place == Address::Missing { 0 } else { self.status },
            if self.answer.is_streamed() { "streamed" } else { "whole" },
        )
    }
}

/// How much of an address a recorder stores.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Address {
    Whole,
    Path,
    /// The request without its address.
    None,
    /// No request.
    Missing,
}

/// Describes a call as [`Exchange::expected`] does.
fn described(call: &ModelCall<'_>, document: &Document) -> String {
    let facts = &call.facts;
    // What has no HTTP side was written by hand.
    let http = facts.http.clone().unwrap_or_default();
    let texts: String = call.answer().into_iter().flat_map(|answer| answer.texts()).collect();
    let tools: Vec<&str> = call.answer().into_iter().flat_map(|answer| answer.tools()).collect();
    let is_streamed = http.response_body.as_ref().is_some_and(|body| is_stream(body, document));
    format!(
        "{} | {} | {} | {texts} | {} | {} | {}",
        facts.provider.as_deref().unwrap_or("-"),
        facts.api.unwrap_or("-"),
        facts.model.as_deref().unwrap_or("-"),
        tools.join(" "),
        http.status,
        if is_streamed { "streamed" } else { "whole" },
    )
}

/// Returns whether a body has several events.
fn is_stream(body: &HttpBody, document: &Document) -> bool {
    match &body.content {
        BodyContent::Text(text) => {
            let is_whole = document::json::parse_container(text).is_some();
            body.form == BodyForm::Events
                || !is_whole && text.text().trim().lines().nth(1).is_some()
        }
        BodyContent::Bytes(_) => true,
        BodyContent::Tree(node) => document.node(*node).kind() == NodeKind::Array,
    }
}

fn chat(messages: &[&str]) -> Value {
    json!(messages.iter().map(|text| json!({"role": "user", "content": text})).collect::<Vec<_>>())
}

const TOOL: &str = "book_table";

/// Returns calls of all APIs, each with a request and an answer of its own.
fn exchanges() -> Vec<Exchange> {
    let function = json!({"name": TOOL, "description": "Books a table", "parameters": {"type": "object", "properties": {"seats": {"type": "integer"}}}});
    let chunk = |delta: Value, stop: Value| json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini-2024-07-18", "choices": [{"index": 0, "delta": delta, "finish_reason": stop}]});
    let claude = "claude-haiku-4-5-20251001";
    let gemini = |parts: Value, stop: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": stop, "index": 0}], "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 6}, "modelVersion": "gemini-2.5-flash"});
    let response = |output: Value, status: &str| json!({"id": "resp_1", "object": "response", "status": status, "model": "gpt-4o-2024-08-06", "output": output});
    let output_text = |text: &str| json!([{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}]);
    let base = |url, provider, api, model| Exchange {
        url,
        provider,
        api,
        model,
        answered_model: Some(model),
        request: Value::Null,
        status: 200,
        answer: Answer::Json(Value::Null),
        texts: "",
        tools: "",
    };
    let chat_url = "https://api.openai.com/v1/chat/completions";
    let chat_api = "OpenAI chat completions";
    let bedrock_nova = "us.amazon.nova-lite-v1:0";
    vec![
        Exchange {
            answered_model: Some("gpt-4o-mini-2024-07-18"),
            request: json!({"model": "gpt-4o-mini", "messages": chat(&["A greeting, please"]), "temperature": 0.5}),
            answer: Answer::Json(
                json!({"id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o-mini-2024-07-18", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Good evening."}, "finish_reason": "stop"}]}),
            ),
            texts: "Good evening.",
            ..base(chat_url, "OpenAI", chat_api, "gpt-4o-mini")
        },
        Exchange {
            request: json!({"messages": chat(&["A table for two"]), "model": "llama-3.3-70b-versatile", "tools": [{"type": "function", "function": function}]}),
            // Without `object`, as some servers leave it out.
            answer: Answer::Json(
                json!({"model": "llama-3.3-70b-versatile", "choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": "{\"seats\":2}"}}]}, "finish_reason": "tool_calls"}]}),
            ),
            tools: TOOL,
            ..base(
                "https://api.groq.com/openai/v1/chat/completions",
                "Groq",
                chat_api,
                "llama-3.3-70b-versatile",
            )
        },
        Exchange {
            answered_model: Some("gpt-4o-mini-2024-07-18"),
            request: json!({"model": "gpt-4o-mini", "messages": chat(&["Count to three"]), "stream": true, "stream_options": {"include_usage": true}}),
            answer: Answer::Events(
                vec![
                    chunk(json!({"role": "assistant", "content": ""}), Value::Null),
                    chunk(json!({"content": "One, two"}), Value::Null),
                    chunk(json!({"content": ", three."}), json!("stop")),
                    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "gpt-4o-mini-2024-07-18", "choices": [], "usage": {"prompt_tokens": 8, "completion_tokens": 5}}),
                ],
                false,
                "data: [DONE]\n\n",
            ),
            texts: "One, two, three.",
            ..base(chat_url, "OpenAI", chat_api, "gpt-4o-mini")
        },
        Exchange {
            answered_model: None,
            request: json!({"model": "gpt-4o-mini", "messages": chat(&["Are you there?"])}),
            status: 401,
            answer: Answer::Json(
                json!({"error": {"message": "Incorrect API key provided", "type": "invalid_request_error", "param": null, "code": "invalid_api_key"}}),
            ),
            ..base(chat_url, "OpenAI", chat_api, "gpt-4o-mini")
        },
        Exchange {
            request: json!({"model": claude, "max_tokens": 64, "system": "Be brief.", "messages": chat(&["A table for four"]), "tools": [{"name": TOOL, "description": "Books", "input_schema": {"type": "object"}}]}),
            answer: Answer::Json(
                json!({"id": "msg_1", "type": "message", "role": "assistant", "model": claude, "content": [{"type": "text", "text": "I book it."}, {"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": {"seats": 4}}], "stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 5}}),
            ),
            texts: "I book it.",
            tools: TOOL,
            ..base(
                "https://api.anthropic.com/v1/messages",
                "Anthropic",
                "Anthropic messages",
                claude,
            )
        },
        Exchange {
            request: json!({"model": claude, "max_tokens": 64, "messages": chat(&["A rhyme"]), "stream": true}),
            answer: Answer::Events(
                vec![
                    json!({"type": "message_start", "message": {"id": "msg_2", "type": "message", "role": "assistant", "model": claude, "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}}}),
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                    json!({"type": "ping"}),
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Roses are "}}),
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "red: “rot”."}}),
                    json!({"type": "content_block_stop", "index": 0}),
                    json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}),
                    json!({"type": "message_stop"}),
                ],
                true,
                "",
            ),
            texts: "Roses are red: “rot”.",
            ..base(
                "https://api.anthropic.com/v1/messages",
                "Anthropic",
                "Anthropic messages",
                claude,
            )
        },
        Exchange {
            answered_model: Some("gpt-4o-2024-08-06"),
            request: json!({"model": "gpt-4o", "input": "A table for six", "instructions": "Be brief.", "tools": [{"type": "function", "name": TOOL, "parameters": {"type": "object"}}]}),
            answer: Answer::Json(response(
                json!([{"type": "reasoning", "id": "rs_1", "summary": []}, {"type": "function_call", "id": "fc_1", "call_id": "call_2", "name": TOOL, "arguments": "{\"seats\":6}", "status": "completed"}]),
                "completed",
            )),
            tools: TOOL,
            ..base("https://api.openai.com/v1/responses", "OpenAI", "OpenAI responses", "gpt-4o")
        },
        Exchange {
            answered_model: Some("gpt-4o-2024-08-06"),
            request: json!({"model": "gpt-4o", "input": [{"role": "user", "content": "Name a river"}], "stream": true}),
            answer: Answer::Events(
                vec![
                    json!({"type": "response.created", "sequence_number": 0, "response": response(json!([]), "in_progress")}),
                    json!({"type": "response.output_text.delta", "sequence_number": 1, "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": "The "}),
                    json!({"type": "response.output_text.delta", "sequence_number": 2, "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": "Elbe."}),
                    json!({"type": "response.completed", "sequence_number": 3, "response": response(output_text("The Elbe."), "completed")}),
                ],
                true,
                "",
            ),
            texts: "The Elbe.",
            ..base("https://api.openai.com/v1/responses", "OpenAI", "OpenAI responses", "gpt-4o")
        },
        Exchange {
            request: json!({"contents": [{"role": "user", "parts": [{"text": "A table for eight"}]}], "tools": [{"functionDeclarations": [{"name": TOOL, "parameters": {"type": "OBJECT"}}]}]}),
            answer: Answer::Json(gemini(
                json!([{"functionCall": {"name": TOOL, "args": {"seats": 8}}}]),
                json!("STOP"),
            )),
            tools: TOOL,
            ..base(
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
                "Gemini",
                "Gemini generateContent",
                "gemini-2.5-flash",
            )
        },
        Exchange {
            request: json!({"contents": [{"parts": [{"text": "Name a lake"}]}], "generationConfig": {"temperature": 0}}),
            answer: Answer::Events(
                vec![
                    gemini(json!([{"text": "Lake "}]), Value::Null),
                    gemini(json!([{"text": "Constance."}]), json!("STOP")),
                ],
                false,
                "",
            ),
            texts: "Lake Constance.",
            ..base(
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
                "Gemini",
                "Gemini streamGenerateContent",
                "gemini-2.5-flash",
            )
        },
        Exchange {
            answered_model: None,
            request: json!({"contents": [{"role": "user", "parts": [{"text": "Again"}]}]}),
            status: 429,
            answer: Answer::Json(
                json!({"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}}),
            ),
            ..base(
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
                "Gemini",
                "Gemini generateContent",
                "gemini-2.5-flash",
            )
        },
        Exchange {
            answered_model: None,
            request: json!({"messages": [{"role": "user", "content": [{"text": "Name a hill"}]}], "inferenceConfig": {"maxTokens": 20}}),
            answer: Answer::Json(
                json!({"metrics": {"latencyMs": 300}, "output": {"message": {"role": "assistant", "content": [{"text": "The Brocken."}]}}, "stopReason": "end_turn", "usage": {"inputTokens": 4, "outputTokens": 3}}),
            ),
            texts: "The Brocken.",
            ..base(
                "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/converse",
                "Amazon Bedrock",
                "Bedrock Converse",
                bedrock_nova,
            )
        },
        Exchange {
            answered_model: None,
            request: json!({"messages": [{"role": "user", "content": [{"text": "A table for ten"}]}], "toolConfig": {"tools": [{"toolSpec": {"name": TOOL, "inputSchema": {"json": {}}}}]}}),
            answer: Answer::Messages(vec![
                ("messageStart", json!({"role": "assistant"})),
                (
                    "contentBlockStart",
                    json!({"contentBlockIndex": 0, "start": {"toolUse": {"name": TOOL, "toolUseId": "t1"}}}),
                ),
                (
                    "contentBlockDelta",
                    json!({"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{\"seats\":10}"}}}),
                ),
                ("contentBlockStop", json!({"contentBlockIndex": 0})),
                ("messageStop", json!({"stopReason": "tool_use"})),
                ("metadata", json!({"usage": {"inputTokens": 4, "outputTokens": 9}})),
            ]),
            tools: TOOL,
            ..base(
                "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/converse-stream",
                "Amazon Bedrock",
                "Bedrock Converse",
                bedrock_nova,
            )
        },
        Exchange {
            answered_model: None,
            request: json!({"inputText": "Name a sea", "textGenerationConfig": {"maxTokenCount": 9}}),
            answer: Answer::Json(
                json!({"inputTextTokenCount": 3, "results": [{"tokenCount": 3, "outputText": "The North Sea.", "completionReason": "FINISH"}]}),
            ),
            texts: "The North Sea.",
            ..base(
                "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan-text-express-v1/invoke",
                "Amazon Bedrock",
                "Bedrock Titan",
                "amazon.titan-text-express-v1",
            )
        },
        Exchange {
            request: json!({"model": "qwen3:8b", "messages": chat(&["Name a bird"]), "tools": []}),
            answer: Answer::Lines(vec![
                json!({"model": "qwen3:8b", "created_at": "2026-01-02T03:04:05Z", "message": {"role": "assistant", "content": "A wag"}, "done": false}),
                json!({"model": "qwen3:8b", "created_at": "2026-01-02T03:04:06Z", "message": {"role": "assistant", "content": "tail."}, "done": false}),
                json!({"model": "qwen3:8b", "created_at": "2026-01-02T03:04:06Z", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 4}),
            ]),
            texts: "A wagtail.",
            ..base("http://localhost:11434/api/chat", "Ollama", "Ollama chat", "qwen3:8b")
        },
        Exchange {
            request: json!({"model": "qwen3:8b", "prompt": "Name a fish", "stream": false}),
            answer: Answer::Json(
                json!({"model": "qwen3:8b", "response": "A pike.", "done": true, "done_reason": "stop", "eval_count": 3}),
            ),
            texts: "A pike.",
            ..base("http://localhost:11434/api/generate", "Ollama", "Ollama generate", "qwen3:8b")
        },
        Exchange {
            answered_model: None,
            request: json!({"model": "command-r-08-2024", "messages": chat(&["Name a tree"]), "stream": true}),
            answer: Answer::Events(
                vec![
                    json!({"type": "message-start", "id": "c1", "delta": {"message": {"role": "assistant", "content": []}}}),
                    json!({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}}),
                    json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "A lime."}}}}),
                    json!({"type": "content-end", "index": 0}),
                    json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": {"tokens": {"input_tokens": 3, "output_tokens": 3}}}}),
                ],
                true,
                "",
            ),
            texts: "A lime.",
            ..base("https://api.cohere.com/v2/chat", "Cohere", "Cohere chat", "command-r-08-2024")
        },
        Exchange {
            request: json!({"model": "gpt-3.5-turbo-instruct", "prompt": "Name a stone", "max_tokens": 5}),
            answer: Answer::Json(
                json!({"id": "cmpl-1", "object": "text_completion", "model": "gpt-3.5-turbo-instruct", "choices": [{"text": "Basalt.", "index": 0, "finish_reason": "stop"}]}),
            ),
            texts: "Basalt.",
            ..base(
                "https://api.openai.com/v1/completions",
                "OpenAI",
                "OpenAI completions",
                "gpt-3.5-turbo-instruct",
            )
        },
    ]
}

/// A recorder: the path of its files, how much of an address it stores, and its text for one or more calls; `None` if it cannot store one.
type Recorder = (&'static str, Address, fn(&[&Exchange]) -> Option<String>);

const RECORDERS: [Recorder; 15] = [
    ("tests/cassettes/a/rig.yaml", Address::Path, |calls| documents(calls, rig_mock)),
    ("tests/fixtures/a/jp.yml", Address::Path, |calls| documents(calls, jp_mock)),
    ("tests/mocks/hand.yaml", Address::Path, |calls| documents(calls, hand_mock)),
    ("tests/recordings/0a1b.json", Address::Whole, llama_stack),
    ("tests/recordings/1a1b.json", Address::Whole, llama_stack_passed),
    ("SessionRecords/ChatTests/Test.json", Address::Whole, azure_proxy),
    ("__cassettes__/v1.cassette.json", Address::Whole, seinfeld),
    ("test/fixtures/recordings/a.json", Address::Whole, opencode),
    ("test/support/fixtures/a/b/c.json", Address::Whole, req_llm),
    ("bundle/test_a-0a1b/0000-post.json", Address::Path, litellm),
    ("tests/cassettes/test_a.yaml.gz", Address::None, langchain),
    ("testdata/TestA.httprr", Address::Whole, httprr),
    ("src/__fixtures__/a.json", Address::Missing, one_answer),
    ("src/__fixtures__/a.chunks.txt", Address::Missing, chunks),
    ("tests/Fixtures/a/b-1.sse", Address::Missing, saved_stream),
];

fn pretty(value: &Value) -> Option<String> {
    Some(serde_json::to_string_pretty(value).unwrap() + "\n")
}

/// Writes a YAML document for each call.
fn documents(calls: &[&Exchange], document: fn(&Exchange) -> Option<String>) -> Option<String> {
    let documents: Option<Vec<String>> = calls.iter().map(|call| document(call)).collect();
    Some(documents?.join("---\n"))
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
        .collect()
}

fn rig_mock(call: &Exchange) -> Option<String> {
    let body = match call.answer.text() {
        Some(text) => format!("  body: {}\n", json!(text)),
        None => format!("  body: {}\n  body_encoding: base64\n", call.answer.base64()),
    };
    Some(format!(
        "when:\n  path: {}\n  method: POST\n  header:\n  - name: content-type\n    value: application/json\n  body: {}\nthen:\n  status: {}\n  header:\n  - name: content-type\n    value: {}\n{body}",
        json!(call.path().split('?').next()),
        json!(call.request.to_string()),
        call.status,
        call.answer.content_type(),
    ))
}

fn jp_mock(call: &Exchange) -> Option<String> {
    let request = indented(&pretty(&call.request)?);
    let answer = match &call.answer {
        Answer::Json(answer) => format!("  json_body_str: >-\n{}", indented(&pretty(answer)?)),
        answer => format!("  body: |+\n{}", indented(&answer.text()?)),
    };
    Some(format!(
        "when:\n  path: {}\n  method: POST\n  json_body_str: >-\n{request}then:\n  status: {}\n  header:\n  - name: content-type\n    value: {}\n{answer}",
        json!(call.path().split('?').next()),
        call.status,
        call.answer.content_type(),
    ))
}

fn hand_mock(call: &Exchange) -> Option<String> {
    let answer = match call.answer.text() {
        Some(text) => format!("body: {}", json!(text)),
        None => format!("body_base64: {}", call.answer.base64()),
    };
    Some(format!(
        "when: {{method: POST, path: {}, json_body: {}}}\nthen: {{status: {}, {answer}}}\n",
        json!(call.path().split('?').next()),
        call.request,
        call.status,
    ))
}

/// A type of an SDK as llama-stack writes it.
fn dump(value: &Value) -> Value {
    json!({"__type__": "openai.types.Any", "__data__": value})
}

fn llama_stack(calls: &[&Exchange]) -> Option<String> {
    let [call] = calls else { return None };
    let (body, is_streaming) = match &call.answer {
        Answer::Json(_) if call.status != 200 => return None,
        Answer::Json(answer) => (dump(answer), false),
        Answer::Events(events, false, _) | Answer::Lines(events) => {
            (events.iter().map(dump).collect(), true)
        }
        _ => return None,
    };
    let test = "tests/integration/test_a.py::test_b[txt=a/b]";
    pretty(&json!({
        "test_id": test,
        "request": {"method": "POST", "url": call.url, "headers": {}, "body": call.request, "endpoint": call.path(), "model": call.model, "provider_metadata": {}},
        "response": {"body": body, "is_streaming": is_streaming},
        "id_normalization_mapping": {},
    }))
}

fn llama_stack_passed(calls: &[&Exchange]) -> Option<String> {
    let [call] = calls else { return None };
    let body = match &call.answer {
        Answer::Json(answer) => answer.clone(),
        Answer::Events(..) => call.answer.text()?.lines().map(|line| json!(line)).collect(),
        _ => return None,
    };
    pretty(&json!({
        "test_id": "tests/integration/test_a.py::test_b",
        "request": {"test_id": "tests/integration/test_a.py::test_b", "url": call.url, "method": "POST", "payload": call.request},
        "response": {"status": call.status, "body": body, "is_streaming": call.answer.is_streamed()},
        "id_normalization_mapping": {},
    }))
}

fn azure_proxy(calls: &[&Exchange]) -> Option<String> {
    let entry = |call: &&Exchange| {
        let body = match &call.answer {
            Answer::Json(answer) => answer.clone(),
            answer => answer.text()?.split_inclusive('\n').map(|line| json!(line)).collect(),
        };
        Some(json!({
            "RequestUri": call.url, "RequestMethod": "POST",
            "RequestHeaders": {"Authorization": "Sanitized", "Content-Type": "application/json"},
            "RequestBody": call.request, "StatusCode": call.status,
            "ResponseHeaders": {"Content-Type": call.answer.content_type()}, "ResponseBody": body,
        }))
    };
    let entries: Option<Vec<Value>> = calls.iter().map(entry).collect();
    pretty(&json!({"Entries": entries?, "Variables": {}}))
}

fn seinfeld(calls: &[&Exchange]) -> Option<String> {
    let entry = |(index, call): (usize, &&Exchange)| {
        let body = match &call.answer {
            Answer::Json(answer) => json!({"kind": "json", "value": answer}),
            Answer::Events(..) => {
                let text = call.answer.text().unwrap();
                json!({"kind": "sse", "chunks": text.trim_end().split("\n\n").collect::<Vec<_>>()})
            }
            Answer::Lines(_) => json!({"kind": "text", "value": call.answer.text()}),
            Answer::Messages(_) => {
                json!({"kind": "base64", "value": call.answer.base64(), "contentType": call.answer.content_type()})
            }
        };
        json!({
            "callIndex": index, "id": "2bb2abdc43ebde9d", "matchKey": format!("POST {}", call.url), "recordedAt": "2026-08-12T03:36:33.058Z",
            "request": {"body": {"kind": "json", "value": call.request}, "headers": {}, "method": "POST", "url": call.url},
            "response": {"body": body, "headers": {"content-type": call.answer.content_type()}, "status": call.status},
        })
    };
    let entries: Vec<Value> = calls.iter().enumerate().map(entry).collect();
    pretty(&json!({"entries": entries, "meta": {"createdAt": "2026-08-12T03:36:33.058Z"}}))
}

fn opencode(calls: &[&Exchange]) -> Option<String> {
    let interaction = |call: &&Exchange| {
        let mut response =
            json!({"status": call.status, "headers": {"content-type": call.answer.content_type()}});
        match call.answer.text() {
            Some(text) => response["body"] = json!(text),
            None => {
                response["body"] = json!(call.answer.base64());
                response["bodyEncoding"] = json!("base64");
            }
        }
        json!({
            "transport": "http",
            "request": {"method": "POST", "url": call.url, "headers": {"content-type": "application/json"}, "body": call.request.to_string()},
            "response": response,
        })
    };
    let interactions: Vec<Value> = calls.iter().map(interaction).collect();
    pretty(
        &json!({"version": 1, "metadata": {"name": "a/b", "recordedAt": "2026-04-28T21:18:46.878Z"}, "interactions": interactions}),
    )
}

/// Bytes in pieces that break anywhere.
fn pieces(call: &Exchange, size: usize) -> Vec<String> {
    call.answer.bytes().chunks(size).map(|piece| STANDARD.encode(piece)).collect()
}

fn req_llm(calls: &[&Exchange]) -> Option<String> {
    let [call] = calls else { return None };
    let body = STANDARD.encode(call.request.to_string());
    let mut record = json!({
        "request": {"method": "post", "url": call.url, "headers": {"content-type": ["application/json"]}, "canonical_json": call.request, "body": {"b64": body}},
        "response": {"status": call.status, "headers": {"content-type": [call.answer.content_type()]}, "body": null},
        "captured_at": "2025-10-10T11:12:13Z", "streaming": call.answer.is_streamed(),
    });
    match &call.answer {
        Answer::Json(answer) => record["response"]["body"] = answer.clone(),
        _ => {
            let chunks = pieces(call, 101).into_iter().map(|piece| json!({"b64": piece}));
            record["chunks"] = chunks.collect();
        }
    }
    pretty(&record)
}

fn litellm(calls: &[&Exchange]) -> Option<String> {
    let [call] = calls else { return None };
    let headers = json!({"content-type": call.answer.content_type()});
    let response = match &call.answer {
        Answer::Json(_) => {
            json!({"kind": "http", "status_code": call.status, "headers": headers, "body_b64": call.answer.base64()})
        }
        _ => {
            json!({"kind": "streamed", "status_code": call.status, "headers": headers, "chunks_b64": pieces(call, 150), "truncated": false})
        }
    };
    pretty(&json!({
        "request": {"method": "post", "path": call.path(), "headers": {}, "params": {}, "body": call.request, "form": null, "file_name": null, "file_sha256": null, "file_bytes": null},
        "response": response,
    }))
}

fn langchain(calls: &[&Exchange]) -> Option<String> {
    let request = |call: &&Exchange| {
        format!(
            "- body: !!binary |\n    {}\n  headers:\n    Content-Type:\n    - '**REDACTED**'\n  method: POST\n  uri: '**REDACTED**'\n",
            STANDARD.encode(call.request.to_string()),
        )
    };
    let response = |call: &&Exchange| {
        let body = match call.answer.text() {
            Some(text) => json!(text).to_string(),
            None => format!("!!binary |\n        {}", call.answer.base64()),
        };
        format!(
            "- body:\n    string: {body}\n  headers:\n    Content-Type:\n    - '**REDACTED**'\n  status:\n    code: {}\n    message: OK\n",
            call.status,
        )
    };
    let requests: String = calls.iter().map(request).collect();
    let responses: String = calls.iter().map(response).collect();
    Some(format!("requests:\n{requests}responses:\n{responses}"))
}

fn httprr(calls: &[&Exchange]) -> Option<String> {
    let mut trace = "httprr trace v1\n".to_owned();
    for (index, call) in calls.iter().enumerate() {
        let sent = call.request.to_string();
        let (_, address) = call.url.split_once("://")?;
        let host = address.split('/').next()?;
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\nContent-Type: application/json\r\n\r\n{sent}",
            call.url,
            sent.len(),
        );
        let received = call.answer.text()?;
        // Go stores an answer as it was sent: in chunks, or with its length.
        let (length, received) = if index % 2 == 0 && call.answer.is_streamed() {
            (
                "Transfer-Encoding: chunked".to_owned(),
                format!("{:x}\r\n{received}\r\n0\r\n\r\n", received.len()),
            )
        } else {
            (format!("Content-Length: {}", received.len()), received)
        };
        let response = format!(
            "HTTP/2.0 {} OK\r\n{length}\r\nContent-Type: {}\r\n\r\n{received}",
            call.status,
            call.answer.content_type(),
        );
        trace += &format!("{} {}\n{request}{response}", request.len(), response.len());
    }
    Some(trace)
}

fn one_answer(calls: &[&Exchange]) -> Option<String> {
    let [Exchange { answer: Answer::Json(answer), status: 200, .. }] = calls else { return None };
    pretty(answer)
}

fn chunks(calls: &[&Exchange]) -> Option<String> {
    let [Exchange { answer: Answer::Events(events, ..) | Answer::Lines(events), .. }] = calls
    else {
        return None;
    };
    Some(events.iter().map(|event| format!("{event}\n")).collect())
}

fn saved_stream(calls: &[&Exchange]) -> Option<String> {
    let [Exchange { answer: answer @ Answer::Events(..), .. }] = calls else { return None };
    answer.text()
}

fn check(name: &str, text: String, expected: &[String]) -> Option<String> {
    let document = read(Source::new(text.clone()), name);
    let found: Vec<String> =
        calls(&document).iter().map(|call| described(call, &document)).collect();
    (found != expected).then(|| {
        format!(
            "{name}\n  expected {}\n  found    {}\n{text}",
            expected.join("\n           "),
            found.join("\n           ")
        )
    })
}

#[test]
fn files_of_every_recorder_are_read_as_they_are() {
    let exchanges = exchanges();
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, address, write) in RECORDERS {
        let mut of_recorder = 0;
        let singles = exchanges.iter().map(|call| vec![call]);
        let pairs = exchanges.windows(2).map(|pair| pair.iter().collect());
        let sessions = exchanges.chunks(6).map(|calls| calls.iter().collect());
        for calls in singles.chain(pairs).chain(sessions) {
            let calls: Vec<&Exchange> = calls;
            let Some(text) = write(&calls) else { continue };
            let expected: Vec<String> = calls.iter().map(|call| call.expected(address)).collect();
            of_recorder += 1;
            wrong.extend(check(name, text, &expected));
        }
        assert!(of_recorder >= 5, "{name}: {of_recorder}");
        count += of_recorder;
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Files of recorders with readers of their own, answers without requests, and forms that only one recorder has. Of each call the
/// lines of [`described`].
const FORMS: &[(&str, &str, &[&str])] = &[
    (
        "fixtures/text.json",
        r#"{"fixtures": [{"match": {"userMessage": "hello", "model": "gpt-4o"}, "response": {"content": "Hi there."}}]}"#,
        &["- | - | gpt-4o | Hi there. |  | 0 | whole"],
    ),
    (
        "fixtures/tool.json",
        r#"{"fixtures": [{"match": {"userMessage": "table", "sequenceIndex": 0}, "response": {"toolCalls": [{"name": "book_table", "arguments": "{\"seats\":2}"}]}},
            {"match": {"toolCallId": "call_1"}, "response": {"content": "Booked.", "model": "gpt-4o-2024-08-06"}, "latency": 5}]}"#,
        &[
            "- | - | - |  | book_table | 0 | whole",
            "- | - | gpt-4o-2024-08-06 | Booked. |  | 0 | whole",
        ],
    ),
    (
        "fixtures/blocks.json",
        r#"{"_warning": "partial", "fixtures": [{"match": {"userMessage": "table"}, "response": {"blocks": [{"type": "toolCall", "name": "book_table", "arguments": "{}"}, {"type": "text", "text": "I book it."}]}}]}"#,
        &["- | - | - | I book it. | book_table | 0 | whole"],
    ),
    (
        "fixtures/both.json",
        r#"{"fixtures": [{"match": {"systemMessage": "brief", "turnIndex": 1}, "response": {"content": "Yes.", "toolCalls": [{"name": "book_table", "arguments": "{}", "id": "c1"}], "finishReason": "tool_calls"}}]}"#,
        &["- | - | - | Yes. | book_table | 0 | whole"],
    ),
    (
        "fixtures/error.json",
        r#"{"fixtures": [{"match": {"userMessage": "often"}, "response": {"error": {"message": "Too many", "type": "rate_limit_error", "code": "rate_limited"}, "status": 429}}]}"#,
        &["- | - | - |  |  | 429 | whole"],
    ),
    (
        "snapshots/session/one.yaml",
        "models:\n  - claude-sonnet-4.5\nconversations:\n  - messages:\n      - role: system\n        content: ${system}\n      - role: user\n        content: What is 2+2?\n      - role: assistant\n        content: It is 4.\n",
        &["- | - | claude-sonnet-4.5 | It is 4. |  | 0 | whole"],
    ),
    (
        "snapshots/session/branches.yaml",
        "models: [gpt-4.1]\nconversations:\n  - messages:\n      - {role: user, content: One}\n      - {role: assistant, content: First.}\n      - {role: user, content: Two}\n      - {role: assistant, content: Second.}\n  - messages:\n      - {role: user, content: One}\n      - {role: assistant, content: First.}\n      - {role: user, content: Three}\n      - {role: assistant, content: Third.}\n",
        &[
            "- | - | gpt-4.1 | First. |  | 0 | whole",
            "- | - | gpt-4.1 | Second. |  | 0 | whole",
            "- | - | gpt-4.1 | Third. |  | 0 | whole",
        ],
    ),
    (
        "snapshots/tools/call.yaml",
        "models: [gpt-4.1]\nconversations:\n  - messages:\n      - role: user\n        content: A table\n      - role: assistant\n        tool_calls:\n          - id: toolcall_0\n            type: function\n            function:\n              name: book_table\n              arguments: '{\"seats\":2}'\n      - role: tool\n        tool_call_id: toolcall_0\n        content: Booked\n      - role: assistant\n        content: Done.\n",
        &["- | - | gpt-4.1 |  | book_table | 0 | whole", "- | - | gpt-4.1 | Done. |  | 0 | whole"],
    ),
    (
        "snapshots/errors/limit.yaml",
        "models: [gpt-4.1]\nerrors:\n  - model: gpt-4.1\n    status: 429\n    code: user_weekly_rate_limited\n    message: Wait\n    messages:\n      - {role: user, content: Hi}\nconversations: []\n",
        &["- | - | gpt-4.1 |  |  | 429 | whole"],
    ),
    ("snapshots/models.yaml", "models:\n  - gpt-4.1\nconversations: []\n", &[]),
    (
        "integration-tests/one.responses",
        r#"{"method":"generateContent","response":{"candidates":[{"content":{"role":"model","parts":[{"text":"It is 4."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3}}}
"#,
        &["- | Gemini generateContent | - | It is 4. |  | 0 | whole"],
    ),
    (
        "integration-tests/stream.responses",
        r#"{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"thinks","thought":true}]}}]},{"candidates":[{"content":{"role":"model","parts":[{"text":"It is 5."}]},"finishReason":"STOP"}]}]}
"#,
        &["- | Gemini streamGenerateContent | - | It is 5. |  | 0 | streamed"],
    ),
    (
        "integration-tests/tool.responses",
        r#"{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"list_files","args":{"path":"."}}}]},"finishReason":"STOP"}]}]}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"One file."}]},"finishReason":"STOP"}]}]}
"#,
        &[
            "- | Gemini streamGenerateContent | - |  | list_files | 0 | streamed",
            "- | Gemini streamGenerateContent | - | One file. |  | 0 | streamed",
        ],
    ),
    (
        "integration-tests/count.responses",
        r#"{"method":"countTokens","response":{"totalTokens":12}}
{"method":"generateContent","response":{"candidates":[{"content":{"role":"model","parts":[{"text":"Short."}]},"finishReason":"STOP"}]}}
"#,
        &["- | Gemini generateContent | - | Short. |  | 0 | whole"],
    ),
    (
        "integration-tests/tokens.responses",
        "{\"method\":\"countTokens\",\"response\":{\"totalTokens\":12}}\n",
        &[],
    ),
    (
        "tests/Fixtures/gemini/list-1.json",
        r#"[{"candidates": [{"content": {"role": "model", "parts": [{"text": "A "}]}}], "modelVersion": "gemini-2.5-pro"},
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "pear."}]}, "finishReason": "STOP"}], "modelVersion": "gemini-2.5-pro"}]"#,
        &["- | Gemini streamGenerateContent | gemini-2.5-pro | A pear. |  | 0 | streamed"],
    ),
    (
        "src/__fixtures__/openai-error.json",
        r#"{"error": {"message": "You exceeded your quota", "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}"#,
        &["- | OpenAI chat completions | - |  |  | 0 | whole"],
    ),
    (
        "tests/cassettes/embeddings.yaml",
        "when:\n  path: /v1/embeddings\n  method: POST\n  body: '{\"model\":\"text-embedding-3-small\",\"input\":\"a\",\"encoding_format\":\"float\"}'\nthen:\n  status: 200\n  body: '{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"embedding\":[0.5]}]}'\n",
        &[],
    ),
    (
        "tests/recordings/2a1b.json",
        r#"{"test_id": "t", "request": {"method": "POST", "url": "https://api.openai.com/v1/v1/chat/completions", "headers": {}, "body": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}, "endpoint": "/v1/chat/completions", "model": "gpt-4o"},
            "response": {"body": null, "is_streaming": false, "is_exception": true, "exception_data": {"category": "provider_sdk", "provider": "openai", "type": "BadRequestError", "message": "Error code: 400", "status_code": 400, "body": {"message": "Bad"}}, "exception_message": "Error code: 400"}}"#,
        &["OpenAI | OpenAI chat completions | gpt-4o |  |  | 400 | whole"],
    ),
    (
        "tests/recordings/3a1b.json",
        r#"{"test_id": "t", "request": {"method": "POST", "url": "vertexai:///generate_content", "headers": {}, "body": {"model": "gemini-2.0-flash", "contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "config": {"temperature": 0.5}}, "endpoint": "/generate_content", "model": "gemini-2.0-flash"},
            "response": {"body": [{"candidates": [{"content": {"parts": [{"text": "Hello."}], "role": "model"}, "finish_reason": "STOP"}], "model_version": "gemini-2.0-flash", "usage_metadata": {"prompt_token_count": 1}}], "is_streaming": true}}"#,
        &["- | Gemini generateContent | gemini-2.0-flash | Hello. |  | 200 | streamed"],
    ),
    (
        "tests/recordings/4a1b.json",
        r#"{"test_id": "t", "request": {"test_id": "t", "provider": "tavily", "tool_name": "web_search", "kwargs": {"query": "a"}}, "response": {"body": {"content": "b"}, "is_streaming": false}}"#,
        &[],
    ),
    (
        "test/fixtures/recordings/socket.json",
        r#"{"version": 1, "metadata": {"name": "a/socket"}, "interactions": [{"transport": "websocket", "open": {"url": "wss://api.openai.com/v1/responses", "headers": {}},
            "events": [{"direction": "client", "kind": "text", "body": "{\"type\":\"response.create\",\"model\":\"gpt-4o\",\"input\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"stream\":true}"},
            {"direction": "server", "kind": "text", "body": "{\"type\":\"response.created\",\"response\":{\"object\":\"response\",\"model\":\"gpt-4o\",\"output\":[]}}"},
            {"direction": "server", "kind": "text", "body": "{\"type\":\"response.output_text.delta\",\"delta\":\"Hello.\"}"},
            {"direction": "server", "kind": "text", "body": "{\"type\":\"response.completed\",\"response\":{\"object\":\"response\",\"model\":\"gpt-4o\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello.\"}]}]}}"}]}]}"#,
        &["OpenAI | OpenAI responses | gpt-4o | Hello. |  | 0 | streamed"],
    ),
    ("testdata/TestEmpty.httprr", "httprr trace v1\n", &[]),
    (
        "e2e/__cassettes__/empty.cassette.json",
        r#"{"entries": [], "meta": {"createdAt": "2026-08-12T03:36:33.058Z"}}"#,
        &[],
    ),
    ("SessionRecords/Empty.json", r#"{"Entries": [], "Variables": {}}"#, &[]),
    (
        "SessionRecords/Embed.json",
        r#"{"Entries": [{"RequestUri": "https://api.openai.com/v1/embeddings", "RequestMethod": "POST", "RequestHeaders": {}, "RequestBody": {"model": "text-embedding-3-small", "input": ["a"]}, "StatusCode": 200, "ResponseHeaders": {}, "ResponseBody": {"object": "list", "data": [{"object": "embedding", "embedding": [0.5]}]}}], "Variables": {}}"#,
        &[],
    ),
];

#[test]
fn forms_of_single_recorders_are_read() {
    let wrong: Vec<String> = FORMS
        .iter()
        .filter_map(|(name, text, expected)| {
            let expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
            check(name, (*text).to_owned(), &expected)
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), FORMS.len(), wrong.join("\n\n"));
}
