use super::*;
use crate::format::{DocumentBody, read};
use crate::ops::live::answer::ServedAnswer;
use crate::ops::live::client_call::ClientCall;
use crate::ops::tape::playback::TapePlayback;
use crate::text::Source;

fn answer(ended: &str) -> ServedAnswer {
    let stream = r#"[{"delayNs": 5, "text": "On "}, {"delayNs": 2, "text": "it."}, {"delayNs": 1, "text": "\n{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"go\",\"input\":{\"z\":1,\"a\":2}}"}]"#;
    let text = format!(
        r#"{{"meta": {{"model": "m", "recordedAt": "t"{ended}}}, "request": {{}}, "stream": {stream}}}"#
    );
    let document = read(Source::new(text), "tape.json");
    match &document.body {
        DocumentBody::Tape(tape) => {
            ServedAnswer::from_tape(&document, tape, &TapePlayback::default())
        }
        other => panic!("{other:?}"),
    }
}

fn context() -> ResponseContext {
    ResponseContext {
        number: 7,
        model: "m".to_owned(),
        created: 1,
    }
}

fn streamed(path: &str, query: Option<&str>, body: &str, ended: &str) -> String {
    let mut route = Route::from_request("POST", path, query).unwrap();
    let call = ClientCall::read(&mut route, "c", body).unwrap();
    let answer = answer(ended);
    let mut writer = ResponseWriter::new(&route, call.with_usage, context());
    let pieces = (0..answer.fragments.len()).map(|index| {
        let (blocks, end) = answer.fragment(index);
        writer.fragment(blocks, end)
    });
    pieces.collect::<Vec<_>>().join("---\n")
}

#[test]
fn anthropic_streams_blocks() {
    insta::assert_snapshot!(streamed("/v1/messages", None, r#"{"stream": true}"#, ""), @r#"
    event: message_start
    data: {"type":"message_start","message":{"id":"msg_retake_7","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}}

    event: content_block_start
    data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"On "}}

    ---
    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"it."}}

    ---
    event: content_block_stop
    data: {"type":"content_block_stop","index":0}

    event: content_block_start
    data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"go","input":{}}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"z\":1,\"a\":2}"}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":1}

    event: message_delta
    data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":0}}

    event: message_stop
    data: {"type":"message_stop"}
    "#);
}

#[test]
fn chat_completions_stream_deltas() {
    insta::assert_snapshot!(streamed("/v1/chat/completions", None, r#"{"stream": true, "stream_options": {"include_usage": true}}"#, ""), @r#"
    data: {"id":"chatcmpl-retake-7","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

    data: {"id":"chatcmpl-retake-7","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"On "},"logprobs":null,"finish_reason":null}]}

    ---
    data: {"id":"chatcmpl-retake-7","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"it."},"logprobs":null,"finish_reason":null}]}

    ---
    data: {"id":"chatcmpl-retake-7","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"go","arguments":"{\"z\":1,\"a\":2}"}}]},"logprobs":null,"finish_reason":null}]}

    data: {"id":"chatcmpl-retake-7","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}

    data: {"id":"chatcmpl-retake-7","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}

    data: [DONE]
    "#);
}

#[test]
fn responses_stream_items() {
    insta::assert_snapshot!(streamed("/v1/responses", None, r#"{"stream": true}"#, ""), @r#"
    event: response.created
    data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_retake_7","object":"response","created_at":1,"status":"in_progress","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":"m","output":[],"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":null}}

    event: response.in_progress
    data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_retake_7","object":"response","created_at":1,"status":"in_progress","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":"m","output":[],"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":null}}

    event: response.output_item.added
    data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"type":"message","id":"item_retake_7_1","status":"in_progress","role":"assistant","content":[]}}

    event: response.content_part.added
    data: {"type":"response.content_part.added","sequence_number":3,"item_id":"item_retake_7_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}}

    event: response.output_text.delta
    data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"item_retake_7_1","output_index":0,"content_index":0,"delta":"On ","logprobs":[]}

    ---
    event: response.output_text.delta
    data: {"type":"response.output_text.delta","sequence_number":5,"item_id":"item_retake_7_1","output_index":0,"content_index":0,"delta":"it.","logprobs":[]}

    ---
    event: response.output_text.done
    data: {"type":"response.output_text.done","sequence_number":6,"item_id":"item_retake_7_1","output_index":0,"content_index":0,"text":"On it.","logprobs":[]}

    event: response.content_part.done
    data: {"type":"response.content_part.done","sequence_number":7,"item_id":"item_retake_7_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"On it.","annotations":[],"logprobs":[]}}

    event: response.output_item.done
    data: {"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":{"type":"message","id":"item_retake_7_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"On it.","annotations":[],"logprobs":[]}]}}

    event: response.output_item.added
    data: {"type":"response.output_item.added","sequence_number":9,"output_index":1,"item":{"type":"function_call","id":"item_retake_7_2","status":"in_progress","call_id":"t1","name":"go","arguments":""}}

    event: response.function_call_arguments.delta
    data: {"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"item_retake_7_2","output_index":1,"delta":"{\"z\":1,\"a\":2}"}

    event: response.function_call_arguments.done
    data: {"type":"response.function_call_arguments.done","sequence_number":11,"item_id":"item_retake_7_2","output_index":1,"name":"go","arguments":"{\"z\":1,\"a\":2}"}

    event: response.output_item.done
    data: {"type":"response.output_item.done","sequence_number":12,"output_index":1,"item":{"type":"function_call","id":"item_retake_7_2","status":"completed","call_id":"t1","name":"go","arguments":"{\"z\":1,\"a\":2}"}}

    event: response.completed
    data: {"type":"response.completed","sequence_number":13,"response":{"id":"resp_retake_7","object":"response","created_at":1,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":"m","output":[{"type":"message","id":"item_retake_7_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"On it.","annotations":[],"logprobs":[]}]},{"type":"function_call","id":"item_retake_7_2","status":"completed","call_id":"t1","name":"go","arguments":"{\"z\":1,\"a\":2}"}],"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":{"input_tokens":0,"input_tokens_details":{"cached_tokens":0},"output_tokens":0,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":0}}}
    "#);
}

#[test]
fn gemini_streams_responses_as_events_or_as_a_list() {
    let path = "/v1beta/models/m:streamGenerateContent";
    insta::assert_snapshot!(streamed(path, Some("alt=sse"), "{}", ""), @r#"
    data: {"candidates":[{"content":{"role":"model","parts":[{"text":"On "}]},"index":0}],"modelVersion":"m","responseId":"retake-7"}

    ---
    data: {"candidates":[{"content":{"role":"model","parts":[{"text":"it."}]},"index":0}],"modelVersion":"m","responseId":"retake-7"}

    ---
    data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"t1","name":"go","args":{"z":1,"a":2}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0},"modelVersion":"m","responseId":"retake-7"}
    "#);
    insta::assert_snapshot!(streamed(path, None, "{}", ""), @r#"
    [{"candidates":[{"content":{"role":"model","parts":[{"text":"On "}]},"index":0}],"modelVersion":"m","responseId":"retake-7"}---
    ,
    {"candidates":[{"content":{"role":"model","parts":[{"text":"it."}]},"index":0}],"modelVersion":"m","responseId":"retake-7"}---
    ,
    {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"t1","name":"go","args":{"z":1,"a":2}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0},"modelVersion":"m","responseId":"retake-7"}]
    "#);
}

#[test]
fn a_stream_ends_with_the_error_that_the_tape_has() {
    let ended = r#", "ended": {"how": "error", "kind": "overloaded_error", "message": "Later"}"#;
    let last = |path: &str, body: &str| {
        let text = streamed(path, Some("alt=sse"), body, ended);
        text.lines().rev().nth(1).unwrap_or_default().to_owned()
    };
    let stream = r#"{"stream": true}"#;
    let all = [
        last("/v1/messages", stream),
        last("/v1/chat/completions", stream),
        last("/v1/responses", stream),
        last("/v1beta/models/m:streamGenerateContent", "{}"),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    data: {"type":"error","error":{"type":"overloaded_error","message":"Later"}}
    data: {"error":{"message":"Later","type":"overloaded_error","param":null,"code":null}}
    data: {"type":"error","sequence_number":13,"code":"overloaded_error","message":"Later","param":null}
    data: {"error":{"code":500,"message":"Later","status":"overloaded_error"}}
    "#);
}

#[test]
fn an_answer_can_be_sent_as_one_document() {
    let apis = [
        Api::AnthropicMessages,
        Api::OpenAiChat,
        Api::OpenAiResponses,
        Api::Gemini,
    ];
    let all = apis.map(|api| answer("").document(api, &context()));
    insta::assert_snapshot!(all.join("\n"), @r#"
    {"id":"msg_retake_7","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"On it."},{"type":"tool_use","id":"t1","name":"go","input":{"z":1,"a":2}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}
    {"id":"chatcmpl-retake-7","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"On it.","refusal":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"go","arguments":"{\"z\":1,\"a\":2}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}
    {"id":"resp_retake_7","object":"response","created_at":1,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":"m","output":[{"type":"message","id":"item_retake_7_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"On it.","annotations":[],"logprobs":[]}]},{"type":"function_call","id":"item_retake_7_2","status":"completed","call_id":"t1","name":"go","arguments":"{\"z\":1,\"a\":2}"}],"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":{"input_tokens":0,"input_tokens_details":{"cached_tokens":0},"output_tokens":0,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":0}}
    {"candidates":[{"content":{"role":"model","parts":[{"text":"On it."},{"functionCall":{"id":"t1","name":"go","args":{"z":1,"a":2}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0},"modelVersion":"m","responseId":"retake-7"}
    "#);
}

fn recorded(path: &str, body: &str) -> String {
    let mut route = Route::from_request("POST", path, None).unwrap();
    let call = ClientCall::read(&mut route, "c", body).unwrap();
    let text = call.recorded.source().text().to_owned();
    assert!(
        matches!(call.recorded.body, DocumentBody::Request(_)),
        "{text}"
    );
    text
}

#[test]
fn one_conversation_is_the_same_in_the_words_of_all_apis() {
    let anthropic = recorded(
        "/v1/messages",
        r#"{"model": "m", "system": [{"type": "text", "text": "Be kind."}], "messages": [{"role": "user", "content": "Go"},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes"}, {"type": "tool_use", "id": "a", "name": "go", "input": {"x": 1}}, {"type": "tool_use", "id": "b", "name": "go", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}, {"type": "tool_result", "tool_use_id": "b", "content": "2"}]}],
        "tools": [{"name": "go", "description": "Goes", "input_schema": {"type": "object"}}]}"#,
    );
    let chat = recorded(
        "/v1/chat/completions",
        r#"{"model": "m", "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Go"},
        {"role": "assistant", "content": "Yes", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "go", "arguments": "{\"x\": 1}"}}, {"id": "b", "type": "function", "function": {"name": "go", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "1"}, {"role": "tool", "tool_call_id": "b", "content": "2"}],
        "tools": [{"type": "function", "function": {"name": "go", "description": "Goes", "parameters": {"type": "object"}}}]}"#,
    );
    insta::assert_snapshot!(anthropic, @r#"{"type":"llm_invocation_request","requestId":"c","messages":[{"role":"user","content":"Go"},{"role":"assistant","content":[{"type":"text","text":"Yes"},{"type":"tool_use","id":"a","name":"go","input":{"x":1}},{"type":"tool_use","id":"b","name":"go","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}],"tools":[{"name":"go","description":"Goes","input_schema":{"type":"object"}}],"systemPrompt":"Be kind."}"#);
    assert_eq!(chat, anthropic);
}

#[test]
fn responses_and_gemini_are_read_too() {
    insta::assert_snapshot!(recorded("/v1/responses", r#"{"instructions": "Be kind.", "input": [{"role": "user", "content": [{"type": "input_text", "text": "Go"}]}, {"type": "reasoning"},
        {"type": "function_call", "call_id": "a", "name": "go", "arguments": "{"}, {"type": "function_call_output", "call_id": "a", "output": "1"}], "tools": [{"type": "function", "name": "go", "parameters": {}}]}"#), @r#"{"type":"llm_invocation_request","requestId":"c","messages":[{"role":"user","content":"Go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"go","input":"{"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}],"tools":[{"name":"go","description":"","input_schema":{}}],"systemPrompt":"Be kind."}"#);
    insta::assert_snapshot!(recorded("/v1beta/models/m:generateContent", r#"{"systemInstruction": {"parts": [{"text": "Be kind."}]}, "contents": [{"role": "user", "parts": [{"text": "Go"}]}, {"role": "model", "parts": [{"functionCall": {"name": "go", "args": {"x": 1}}}]},
        {"parts": [{"functionResponse": {"name": "go", "response": {"y": 2}}}]}], "tools": [{"functionDeclarations": [{"name": "go"}]}]}"#), @r#"{"type":"llm_invocation_request","requestId":"c","messages":[{"role":"user","content":"Go"},{"role":"assistant","content":[{"type":"tool_use","id":null,"name":"go","input":{"x":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"go","content":{"y":2}}]}],"tools":[{"name":"go","description":"","input_schema":null}],"systemPrompt":"Be kind."}"#);
    assert_eq!(
        recorded("/v1/responses", r#"{"input": "Go"}"#)
            .matches("role")
            .count(),
        1
    );
}

#[test]
fn gemini_requests_are_kept_as_callers_write_them() {
    let mut route = Route::from_request("POST", "/v1beta/models/m:generateContent", None).unwrap();
    let body = r#"{"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "systemInstruction": {"role": "user", "parts": [{"text": "S"}]}, "generationConfig": {"temperature": 0.5, "responseMimeType": "application/json"}}"#;
    let call = ClientCall::read(&mut route, "c", body).unwrap();
    insta::assert_snapshot!(call.for_tape(None), @r#"{"model":"m","contents":"Hi","config":{"systemInstruction":"S","temperature":0.5,"responseMimeType":"application/json"}}"#);
    let like = read(
        Source::new(
            r#"{"model": "m", "contents": "Hi", "config": {"responseMimeType": "", "systemInstruction": {}}}"#,
        ),
        "r.json",
    );
    insta::assert_snapshot!(call.in_shape(crate::format::tape::RequestShape::Contents, like.tree.root()), @r#"{"model":"m","contents":"Hi","config":{"responseMimeType":"application/json","systemInstruction":{"role":"user","parts":[{"text":"S"}]},"temperature":0.5}}"#);
}

/// Describes what was read of an answer.
fn read_as(answer: Option<ModelAnswer<'_>>) -> String {
    let Some(answer) = answer else {
        return "nothing".to_owned();
    };
    let texts: String = answer.texts().collect();
    let calls = answer.calls();
    let calls: Vec<String> = calls
        .map(|it| format!("{:?} {}{}", it.id, it.name, it.input))
        .collect();
    format!("{:?} {texts:?} {calls:?} {:?}", answer.model, answer.stop)
}

/// Each cell is an API and what is written and read of it. The product writes no requests, so those are only read:
/// `one_conversation_is_the_same_in_the_words_of_all_apis` and `responses_and_gemini_are_read_too`.
#[test]
fn what_is_written_in_an_api_is_read_as_the_same() {
    let paths = [
        "/v1/messages",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1beta/models/m:streamGenerateContent",
    ];
    let call = ContentBlock::whole_call(ToolCall {
        id: Some("t1".to_owned()),
        name: "go".to_owned(),
        input: "{\"z\":1}".to_owned(),
    });
    let text = ContentBlock::Text("On it.".to_owned());
    let (tools, end, length) = (AnswerStop::Tools, AnswerStop::End, AnswerStop::Length);
    let cells = [
        (
            "answer",
            vec![text.clone()],
            end,
            r#"Some("m") "On it." [] Some(End)"#,
        ),
        (
            "tool call",
            vec![text.clone(), call],
            tools,
            r#"Some("m") "On it." ["Some(\"t1\") go{\"z\":1}"] Some(Tools)"#,
        ),
        (
            "limit",
            vec![text],
            length,
            r#"Some("m") "On it." [] Some(Length)"#,
        ),
    ];
    for (api, path) in Api::ALL.into_iter().zip(paths) {
        for (cell, blocks, stop, expected) in &cells {
            let whole = whole_response(api, blocks.iter(), *stop, &context());
            let (tree, _) = crate::format::json::parse(&Source::new(&*whole));
            let body = tree.root().unwrap();
            let read = api.read_answer(body);
            assert_eq!(read_as(read), *expected, "{api:?}, {cell}, whole");
            assert_eq!(Api::of_answer(body), Some(api), "{cell}, whole");
            for query in [Some("alt=sse"), None] {
                let mut route = Route::from_request("POST", path, query).unwrap();
                if api != Api::Gemini {
                    route.form = ResponseForm::Events;
                }
                let mut writer = ResponseWriter::new(&route, false, context());
                let stream = writer.fragment(Some(blocks), AnswerEnd::Whole(*stop));
                let read = ModelAnswer::from_stream(&stream);
                assert_eq!(
                    read_as(read),
                    *expected,
                    "{api:?}, {cell}, {:?}",
                    route.form
                );
            }
        }
        let error = error_body(Some(api), 404, "No");
        let (tree, _) = crate::format::json::parse(&Source::new(&*error));
        let read = ApiError::of_body(tree.root().unwrap()).map(|error| error.message);
        assert_eq!(read.as_deref(), Some("No"), "{api:?}, error");
    }
}

#[test]
fn models_of_other_clouds_are_recognised_by_their_paths() {
    let found = |path: &str| match Route::from_request("POST", path, None) {
        Some(route) => format!("{:?} {:?} {:?}", route.api, route.model, route.form),
        None => "none".to_owned(),
    };
    let vertex = |path: &str| found(&format!("/v1/projects/p/locations/l/publishers/{path}"));
    assert_eq!(
        vertex("google/models/gemini-x:generateContent"),
        "Gemini Some(\"gemini-x\") Whole"
    );
    assert_eq!(
        vertex("anthropic/models/claude-x:rawPredict"),
        "AnthropicMessages Some(\"claude-x\") Whole"
    );
    assert_eq!(
        vertex("anthropic/models/claude-x:streamRawPredict"),
        "AnthropicMessages Some(\"claude-x\") Events"
    );
    assert_eq!(vertex("mistralai/models/m:rawPredict"), "none");
    assert_eq!(
        found("/model/us.anthropic.claude-x-v1:0/invoke"),
        "AnthropicMessages Some(\"us.anthropic.claude-x-v1:0\") Whole"
    );
    assert_eq!(found("/model/amazon.titan/invoke"), "none");
}

#[test]
fn a_single_text_with_a_cache_mark_is_a_plain_text() {
    let body = r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "Go", "cache_control": {"type": "ephemeral"}}]}]}"#;
    let text = recorded("/v1/messages", body);
    assert!(
        text.contains(r#"[{"role":"user","content":"Go"}]"#),
        "{text}"
    );
}
