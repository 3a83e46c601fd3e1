use super::testing::archive;
use super::*;
use document::read;

/// The calls of a file: where each is, what is known of it, and its recording.
fn described(name: &str, text: &str) -> String {
    let document = read(Source::new(text), name);
    let calls = calls(&document);
    let lines = calls.iter().map(|call| {
        let alone = call_at(&document, call.node).unwrap();
        assert_eq!(alone.facts, call.facts);
        assert_eq!(alone.document.source().text(), call.document.source().text());
        let CallFacts {
            key: _,
            test: _,
            provider,
            api,
            model,
            parameters,
            input_tokens,
            output_tokens,
            started_at,
            duration_nanos,
            http,
            served: _,
            is_failed: _,
        } = &call.facts;
        let words = |text: &Option<String>| text.clone().unwrap_or("-".to_owned());
        let tokens = [input_tokens, output_tokens]
            .map(|t| t.map_or("-".to_owned(), |count| count.to_string()));
        let http = http.as_ref().map(|h| format!("{} {} {}", h.method, h.url, h.status));
        format!(
            "{:?} {} {} {} {parameters:?} {} tokens at {} for {} ns {}\n{}",
            document.node(call.node).pointer(),
            words(provider),
            api.unwrap_or("-"),
            words(model),
            tokens.join("+"),
            words(started_at),
            duration_nanos.unwrap_or_default(),
            http.unwrap_or_default(),
            call.document.source().text(),
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_recording_is_its_own_call() {
    let recording = r#"{"request": {"messages": [], "tools": []}, "response": {"response": {"content": [{"type": "text", "text": "a"}, {"type": "tool_use", "name": "go", "input": {}}, {"type": "text", "text": "b"}]}}}"#;
    let document = read(Source::new(recording), "a.json");
    let calls = calls(&document);
    assert_eq!(calls[0].document.source().text(), recording);
    let answer = calls[0].answer().unwrap();
    assert_eq!(answer.texts().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(answer.tools().collect::<Vec<_>>(), ["go"]);
    assert!(super::calls(&read(Source::new("{}"), "a.json")).is_empty());
}

#[test]
fn a_tape_is_a_call_in_each_shape_of_its_request() {
    let tape = |request: &str| {
        described(
            "tape.json",
            &format!(
                r#"{{"meta": {{"model": "m", "recordedAt": "2026-01-18T16:00:00Z"}}, "request": {request},
                "stream": [{{"delayNs": 1e9, "text": "Let me.\n{{\"type\":\"tool_use\",\"id\":\"t\",\"na"}}, {{"delayNs": 5, "text": "me\":\"go\",\"input\":{{\"a\":1}}}}\nSo."}}]}}"#
            ),
        )
    };
    insta::assert_snapshot!(tape(r#"{"model": "m", "contents": "Hi", "config": {"systemInstruction": "Be kind.", "tools": [{"functionDeclarations": [{"name": "go", "parameters": {}}]}]}}"#), @r#"
    "" - - m [] -+- tokens at 2026-01-18T16:00:00Z for 1000000005 ns 
    {"request":{"type":"llm_invocation_request","messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"go","description":"","input_schema":{}}],"systemPrompt":"Be kind.","timestamp":"2026-01-18T16:00:00Z"},"response":{"type":"llm_invocation_response","timestamp":"2026-01-18T16:00:01.000000005Z","response":{"content":[{"type":"text","text":"Let me."},{"type":"tool_use","id":"t","name":"go","input":{"a":1}},{"type":"text","text":"So."}]}},"recordedAt":"2026-01-18T16:00:00Z"}
    "#);
    insta::assert_snapshot!(tape(r#"{"model": "m", "systemPrompt": "Be kind.", "history": [{"role": "user", "content": "Hi"}, {"role": "model", "text": "Yes?"}]}"#), @r#"
    "" - - m [] -+- tokens at 2026-01-18T16:00:00Z for 1000000005 ns 
    {"request":{"type":"llm_invocation_request","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yes?"}],"tools":[],"systemPrompt":"Be kind.","timestamp":"2026-01-18T16:00:00Z"},"response":{"type":"llm_invocation_response","timestamp":"2026-01-18T16:00:01.000000005Z","response":{"content":[{"type":"text","text":"Let me."},{"type":"tool_use","id":"t","name":"go","input":{"a":1}},{"type":"text","text":"So."}]}},"recordedAt":"2026-01-18T16:00:00Z"}
    "#);
    insta::assert_snapshot!(tape(r#"{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.5, "tools": [{"type": "function", "function": {"name": "go", "parameters": {}}}]}"#), @r#"
    "" - - m [("temperature", "0.5")] -+- tokens at 2026-01-18T16:00:00Z for 1000000005 ns 
    {"request":{"type":"llm_invocation_request","messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"go","description":"","input_schema":{}}],"systemPrompt":"","timestamp":"2026-01-18T16:00:00Z"},"response":{"type":"llm_invocation_response","timestamp":"2026-01-18T16:00:01.000000005Z","response":{"content":[{"type":"text","text":"Let me."},{"type":"tool_use","id":"t","name":"go","input":{"a":1}},{"type":"text","text":"So."}]}},"recordedAt":"2026-01-18T16:00:00Z"}
    "#);
    insta::assert_snapshot!(tape(r#"{"model": "m", "contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "config": {"systemInstruction": "Be kind."}}"#), @r#"
    "" - - m [] -+- tokens at 2026-01-18T16:00:00Z for 1000000005 ns 
    {"request":{"type":"llm_invocation_request","messages":[{"role":"user","content":"Hi"}],"tools":[],"systemPrompt":"Be kind.","timestamp":"2026-01-18T16:00:00Z"},"response":{"type":"llm_invocation_response","timestamp":"2026-01-18T16:00:01.000000005Z","response":{"content":[{"type":"text","text":"Let me."},{"type":"tool_use","id":"t","name":"go","input":{"a":1}},{"type":"text","text":"So."}]}},"recordedAt":"2026-01-18T16:00:00Z"}
    "#);
}

#[test]
fn a_session_is_a_call_with_its_tool_responses_and_the_answer_of_the_incident() {
    let session = "id: a\ninput: Refund it\ncaptured_at: \"2026-01-18T16:00:00Z\"\ncontext:\n  - {role: user, content: Hi}\n  - {role: assistant, content: Hello}\n  - {provenance: flakestorm_report, response: paid twice, latency_ms: 1200}\ntool_responses:\n  - {tool: refund, response: {ok: true}, status: 500}\n  - {tool: refund, response: done}\n";
    insta::assert_snapshot!(described("a.yaml", session), @r#"
    "" - - - [] -+- tokens at 2026-01-18T16:00:00Z for 1200000000 ns 
    {"request":{"type":"llm_invocation_request","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Refund it"},{"role":"assistant","content":[{"type":"tool_use","id":"tool-1","name":"refund","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"tool-1","content":{"ok":true},"is_error":true}]},{"role":"assistant","content":[{"type":"tool_use","id":"tool-2","name":"refund","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"tool-2","content":"done"}]}],"tools":[],"systemPrompt":"","timestamp":"2026-01-18T16:00:00Z"},"response":{"type":"llm_invocation_response","timestamp":"2026-01-18T16:00:01.2Z","response":{"content":[{"type":"text","text":"paid twice"}]}},"recordedAt":"2026-01-18T16:00:00Z"}
    "#);
    let config = "replays:\n  sessions:\n    - {id: a, input: one, contract: c}\n    - {id: b, file: b.yaml, contract: c}\n    - {id: c, input: two, contract: c}\n";
    insta::assert_snapshot!(described("flakestorm.yaml", config), @r#"
    "/replays/sessions/0" - - - [] -+- tokens at - for 0 ns 
    {"type":"llm_invocation_request","messages":[{"role":"user","content":"one"}],"tools":[],"systemPrompt":""}
    "/replays/sessions/2" - - - [] -+- tokens at - for 0 ns 
    {"type":"llm_invocation_request","messages":[{"role":"user","content":"two"}],"tools":[],"systemPrompt":""}
    "#);
}

#[test]
fn an_archive_has_a_call_for_each_entry_that_went_to_a_model() {
    let archive = r#"{"log": {"version": "1.2", "entries": [
        {"startedDateTime": "2026-01-18T16:00:00.000Z", "time": 1500,
         "request": {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "headers": [{"name": "content-type", "value": "application/json"}],
          "postData": {"text": "{\"model\":\"gpt-5\",\"temperature\":0.5,\"messages\":[{\"role\":\"user\",\"content\":\"Refund?\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"go\",\"parameters\":{}}}]}"}},
         "response": {"status": 200, "headers": [], "content": {"text": "{\"id\":\"c1\",\"object\":\"chat.completion\",\"model\":\"gpt-5-1\",\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"t1\",\"function\":{\"name\":\"go\",\"arguments\":\"{\\\"a\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}"}}},
        {"request": {"method": "GET", "url": "https://shop.example/orders"}, "response": {"status": 200, "content": {"text": "{}"}}},
        {"request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages", "postData": {"text": "{\"model\":\"claude\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{}},{\"type\":\"text\",\"text\":\"What?\"}]}]}"}},
         "response": {"status": 529, "content": {"text": "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Later\"}}"}}}
    ]}}"#;
    insta::assert_snapshot!(described("a.har", archive), @r#"
    "/log/entries/0" OpenAI OpenAI chat completions gpt-5-1 [("temperature", "0.5")] 9+3 tokens at 2026-01-18T16:00:00.000Z for 1500000000 ns POST https://api.openai.com/v1/chat/completions 200
    {"request":{"type":"llm_invocation_request","requestId":"c1","messages":[{"role":"user","content":"Refund?"}],"tools":[{"name":"go","description":"","input_schema":{}}],"systemPrompt":"","timestamp":"2026-01-18T16:00:00.000Z"},"response":{"type":"llm_invocation_response","requestId":"c1","timestamp":"2026-01-18T16:00:01.5Z","response":{"content":[{"type":"tool_use","id":"t1","name":"go","input":{"a":1}}],"stop_reason":"tool_calls"}},"recordedAt":"2026-01-18T16:00:00.000Z"}
    "/log/entries/2" Anthropic Anthropic messages claude [] -+- tokens at - for 0 ns POST https://api.anthropic.com/v1/messages 529
    {"type":"llm_invocation_request","messages":[{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"What?"}]}],"tools":[],"systemPrompt":""}
    "#);
}

#[test]
fn a_call_of_a_model_is_known_by_its_body_at_any_host() {
    let item = r#"{"role": "user", "content": "Hi"}"#;
    let cases = [
        ("gw.corp/v1/responses", r#"{"model": "m", "input": "Hi"}"#.to_owned(), "OpenAI responses"),
        ("gw.corp/llm", format!(r#"{{"model": "m", "input": [{item}]}}"#), "OpenAI responses"),
        (
            "localhost:4000/x",
            r#"{"model": "m", "input": [{"type": "function_call_output", "call_id": "c", "output": "1"}]}"#.to_owned(),
            "OpenAI responses",
        ),
        ("gw.corp/llm", r#"{"model": "m", "input": "Hi", "stream": true}"#.to_owned(), "OpenAI responses"),
        (
            "openrouter.ai/api/v1/responses",
            r#"{"model": "m", "input": "Hi"}"#.to_owned(),
            "OpenAI responses",
        ),
        ("gw.corp/llm", format!(r#"{{"model": "m", "messages": [{item}]}}"#), "OpenAI chat completions"),
        (
            "gw.corp/v1beta/models/m:generateContent",
            r#"{"contents": []}"#.to_owned(),
            "Gemini generateContent",
        ),
        ("gw.corp/v1/embeddings", r#"{"model": "m", "input": "Hi"}"#.to_owned(), ""),
        ("api.openai.com/v1/embeddings", r#"{"model": "m", "input": ["Hi"]}"#.to_owned(), ""),
        ("gw.corp/v1/embeddings", r#"{"model": "m", "input": [{"text": "Hi"}]}"#.to_owned(), ""),
        (
            "api.openai.com/v1/moderations",
            r#"{"model": "m", "input": [{"type": "text", "text": "Hi"}]}"#.to_owned(),
            "",
        ),
        (
            "gw.corp/v1/audio/speech",
            r#"{"model": "m", "input": "Hi", "voice": "v", "instructions": "Low"}"#.to_owned(),
            "",
        ),
        (
            "gw.corp/predictions",
            r#"{"model": "m", "input": {"prompt": "Hi"}, "stream": true}"#.to_owned(),
            "",
        ),
        ("gw.corp/responses", r#"{"survey": 1, "input": "Hi"}"#.to_owned(), ""),
        ("gw.corp/api/messages", r#"{"text": "Hi"}"#.to_owned(), ""),
        (
            "api.anthropic.com/v1/messages/count_tokens",
            format!(r#"{{"model": "m", "messages": [{item}]}}"#),
            "",
        ),
        (
            "generativelanguage.googleapis.com/v1beta/cachedContents",
            r#"{"model": "m", "contents": []}"#.to_owned(),
            "",
        ),
        (
            "api.openai.com/v1/threads/t/messages",
            r#"{"role": "user", "content": "Hi"}"#.to_owned(),
            "",
        ),
        ("api.openai.com/v1/threads", format!(r#"{{"messages": [{item}]}}"#), ""),
    ];
    for (address, body, expected) in cases {
        let archive = serde_json::json!({ "log": { "entries": [{
            "request": { "method": "POST", "url": format!("https://{address}"), "postData": { "text": body } },
            "response": { "status": 200, "content": { "text": "{}" } },
        }] } });
        let document = read(Source::new(archive.to_string()), "a.har");
        let api = calls(&document).first().and_then(|call| call.facts.api);
        assert_eq!(api.unwrap_or_default(), expected, "{address} {body}");
    }
}

fn sent(name: &str, text: &str) -> String {
    let document = read(Source::new(text), name);
    let calls = named_calls(&name.into(), &document);
    let describe_call = |(name, call): &(Arc<str>, ModelCall<'_>)| match call.failure() {
        None => name.to_string(),
        Some(failure) => format!("{name}: {failure:?}"),
    };
    calls.iter().map(describe_call).collect::<Vec<_>>().join("\n")
}

#[test]
fn calls_are_named_after_their_file_and_numbered_where_there_are_several() {
    insta::assert_snapshot!(sent("a.har", &archive(&[("go", "go", 200), ("go", "go", 503), ("go", "go", 200)])), @"
    a.har#1
    a.har#2: Status(503)
    a.har#3
    ");
    assert_eq!(sent("a.har", &archive(&[("go", "go", 200)])), "a.har");
    let request = r#"{"type": "llm_invocation_request", "messages": [], "tools": []}"#;
    assert_eq!(sent("a.json", request), "a.json: NoAnswer");
    let tape = |request: &str| {
        let meta = r#"{"model": "m", "recordedAt": "t"}"#;
        sent("t.json", &format!(r#"{{"meta": {meta}, "request": {request}, "stream": []}}"#))
    };
    assert_eq!(tape(r#"{"model": "m", "contents": "Hi"}"#), "t.json");
    assert_eq!(tape(r#"{"model": "m", "history": []}"#), "");
    assert_eq!(sent("a.yaml", "id: a\ninput: b\ntool_responses: []\n"), "");
}

#[test]
fn an_answer_ends_in_the_word_of_its_own_api() {
    let call = r#"{"id": "t", "type": "function", "function": {"name": "go", "arguments": "{}"}}"#;
    let chat = |stop: &str| {
        format!(
            r#"{{"object": "chat.completion", "choices": [{{"message": {{"content": null, "tool_calls": [{call}]}}, "finish_reason": "{stop}"}}]}}"#
        )
    };
    let chunk = |stop: &str| {
        format!(
            "data: {{\"object\": \"chat.completion.chunk\", \"choices\": [{{\"delta\": {{\"content\": \"Hi\"}}, \"finish_reason\": {stop}}}]}}\n\n"
        )
    };
    let gemini = |part: &str| {
        format!(
            r#"{{"candidates": [{{"content": {{"parts": [{part}]}}, "finishReason": "STOP"}}]}}"#
        )
    };
    let responses = |status: &str, reason: &str| {
        format!(
            r#"{{"object": "response", "status": "{status}", "incomplete_details": {reason}, "output": [{{"type": "message", "content": [{{"type": "output_text", "text": "Hi"}}]}}]}}"#
        )
    };
    let anthropic = |stop: &str| {
        format!(
            r#"{{"type": "message", "role": "assistant", "content": [{{"type": "text", "text": "Hi"}}], "stop_reason": "{stop}"}}"#
        )
    };
    let cases = [
        ("v1/chat/completions", chat("tool_calls"), "tool_calls"),
        ("v1/chat/completions", chat("content_filter"), "content_filter"),
        ("v1/chat/completions", chunk("null") + &chunk("\"tool_calls\""), "tool_calls"),
        ("v1/chat/completions", chunk("\"length\""), "length"),
        ("v1beta/models/g:generateContent", gemini(r#"{"text": "Hi"}"#), "STOP"),
        (
            "v1beta/models/g:generateContent",
            gemini(r#"{"functionCall": {"name": "go", "args": {}}}"#),
            "STOP",
        ),
        (
            "v1beta/models/g:streamGenerateContent",
            format!("data: {}\n\n", gemini(r#"{"text": "Hi"}"#)),
            "STOP",
        ),
        ("v1/responses", responses("completed", "null"), "completed"),
        (
            "v1/responses",
            responses("incomplete", r#"{"reason": "max_output_tokens"}"#),
            "max_output_tokens",
        ),
        (
            "v1/responses",
            responses("incomplete", r#"{"reason": "content_filter"}"#),
            "content_filter",
        ),
        ("v1/responses", responses("incomplete", "null"), "incomplete"),
        (
            "v1/responses",
            format!(
                "data: {{\"type\": \"response.completed\", \"response\": {}}}\n\n",
                responses("completed", "null")
            ),
            "completed",
        ),
        ("v1/messages", anthropic("stop_sequence"), "stop_sequence"),
        ("v1/messages", anthropic("refusal"), "refusal"),
    ];
    for (path, received, word) in cases {
        let entry = serde_json::json!({
            "startedDateTime": "2026-01-18T16:00:00.000Z", "time": 1500,
            "request": {
                "method": "POST", "url": format!("https://example.com/{path}"),
                "postData": { "text": r#"{"model": "m", "messages": [], "contents": [], "input": "Hi"}"# },
            },
            "response": { "status": 200, "content": { "text": received } },
        });
        let archive = serde_json::json!({ "log": { "version": "1.2", "entries": [entry] } });
        let document = document::read(Source::new(archive.to_string()), "a.har");
        let calls = calls(&document);
        let answer = calls.first().and_then(ModelCall::answer);
        let stop = answer.and_then(|answer| answer.stop_reason.as_ref());
        assert_eq!(stop.map(|stop| &*stop.value), Some(word), "{path}: {received}");
    }
}
