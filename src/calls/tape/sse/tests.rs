use super::*;
use crate::tape::make::{PieceTiming as Guess, TextSplit};
use document::{DocumentBody, read as read_document};

fn plan() -> TapePlan {
    TapePlan {
        model: None,
        recorded_at: "2026-03-09T11:02:17Z".to_owned(),
        label: None,
        split: TextSplit::Chars(usize::MAX),
        timing: Guess::default(),
        shape: document::tape::RequestShape::Contents,
    }
}

/// Describes the tape of a stream.
fn describe(text: &str) -> String {
    let capture = match read(text) {
        Ok(capture) => capture,
        Err(reason) => return reason,
    };
    let tape = capture.tape(&plan(), None);
    let document = read_document(Source::new(tape.json()), "tape.json");
    let DocumentBody::Tape(read) = &document.body else { panic!("{}", tape.json()) };
    assert_eq!(document.problems, []);
    let chunks =
        read.chunks.iter().map(|chunk| format!("{} {:?}\n", chunk.delay_nanos, chunk.text));
    let model = read.model.as_ref().map_or("", |model| &model.value);
    let comment = read.comment.as_ref().map_or("", |comment| &comment.value);
    format!(
        "{}, {model}\n{comment}\n{}{:?}",
        capture.api.as_str(),
        chunks.collect::<String>(),
        read.joined()
    )
}

const ANTHROPIC: &str = r#"event: message_start
data: {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "claude-sonnet", "usage": {"input_tokens": 25}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 0}

event: content_block_start
data: {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type": "content_block_delta", "index": 1,
data:  "delta": {"type": "text_delta", "text": "It goes \ud83d"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "\ude00 out."}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 1}

event: content_block_start
data: {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "reply", "input": {}}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"day\": \"Tue"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "sday\"}"}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 2}

event: message_delta
data: {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 15}}

event: message_stop
data: {"type": "message_stop"}

"#;

#[test]
fn a_stream_of_anthropic_becomes_a_tape() {
    insta::assert_snapshot!(describe(ANTHROPIC), @r#"
    Anthropic messages, claude-sonnet
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. Thinking is not in the chunks (1 piece). The request is not in the stream; only the model is kept of it.
    500000000 "It goes \\ud83d"
    44000000 "\\ude00 out."
    304000000 "\n{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"reply\",\"input\":{\"day\":\"Tuesday\"}}"
    "It goes 😀 out.\n{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"reply\",\"input\":{\"day\":\"Tuesday\"}}"
    "#);
}

#[test]
fn a_stream_that_ends_with_an_error_keeps_what_came_before() {
    let end = ANTHROPIC
        .find("event: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"index\": 2")
        .unwrap();
    let error = r#"data: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
    insta::assert_snapshot!(describe(&format!("{}event: error\n{error}\n\n", &ANTHROPIC[..end])), @r#"
    Anthropic messages, claude-sonnet
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. The stream ended with an error (overloaded_error: Overloaded). 1 tool call broke off and stayed out. Thinking is not in the chunks (1 piece). The request is not in the stream; only the model is kept of it.
    500000000 "It goes \\ud83d"
    44000000 "\\ude00 out."
    "It goes 😀 out."
    "#);
    insta::assert_snapshot!(describe(&format!("event: error\n{error}\n\n")), @"The stream contains only an error (overloaded_error: Overloaded)");
}

#[test]
fn a_stream_of_chat_completions_becomes_a_tape() {
    let chunk = |delta: &str, end: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1767225600,\"model\":\"gpt-4o\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{end}}}]}}\n\n"
        )
    };
    let stream = [
        chunk(r#"{"role":"assistant","content":""}"#, "null"),
        chunk(r#"{"content":"It goes"}"#, "null"),
        chunk(r#"{"content":" out."}"#, "null"),
        chunk(
            r#"{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"reply","arguments":""}}]}"#,
            "null",
        ),
        chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"day\":"}}]}"#, "null"),
        chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":"2}"}}]}"#, "null"),
        chunk("{}", "\"tool_calls\""),
        "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\ndata: [DONE]\n\n".to_owned(),
    ];
    insta::assert_snapshot!(describe(&stream.concat()), @r#"
    OpenAI chat completions, gpt-4o
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. The request is not in the stream; only the model is kept of it.
    500000000 "It goes"
    20000000 " out."
    268000000 "\n{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "It goes out.\n{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "#);
    insta::assert_snapshot!(describe(&stream[..3].concat()), @r#"
    OpenAI chat completions, gpt-4o
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. The stream breaks off: nothing says that it is over. The request is not in the stream; only the model is kept of it.
    500000000 "It goes"
    20000000 " out."
    "It goes out."
    "#);
}

#[test]
fn a_stream_of_responses_becomes_a_tape() {
    let stream = r#"event: response.created
data: {"type":"response.created","response":{"id":"resp_1","created_at":1767225600,"model":"gpt-4.1","status":"in_progress"}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"It goes"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":" out."}

event: response.output_text.done
data: {"type":"response.output_text.done","text":"It goes out."}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"day\""}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"reply","arguments":"{\"day\":2}"}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","status":"completed"}}

"#;
    insta::assert_snapshot!(describe(stream), @r#"
    OpenAI responses, gpt-4.1
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. The request is not in the stream; only the model is kept of it.
    500000000 "It goes"
    20000000 " out."
    268000000 "\n{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "It goes out.\n{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "#);
    let failed = r#"data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"Try again"}}}"#;
    insta::assert_snapshot!(describe(&stream.replace("data: {\"type\":\"response.completed\"", &format!("{failed}\n\ndata: {{\"type\":\"x\""))), @r#"
    OpenAI responses, gpt-4.1
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. The stream ended with an error (server_error: Try again). The request is not in the stream; only the model is kept of it.
    500000000 "It goes"
    20000000 " out."
    268000000 "\n{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "It goes out.\n{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "#);
}

#[test]
fn a_stream_of_gemini_becomes_a_tape_in_both_its_forms() {
    let events = [
        r#"{"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": true}, {"text": "It goes"}], "role": "model"}, "index": 0}], "modelVersion": "gemini-2.5-flash"}"#,
        r#"{"candidates": [{"content": {"parts": [{"text": " out."}, {"functionCall": {"name": "reply", "args": {"day": 2}}}], "role": "model"}, "finishReason": "STOP"}], "usageMetadata": {"totalTokenCount": 3}}"#,
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect();
    insta::assert_snapshot!(describe(&stream), @r#"
    Gemini streamGenerateContent, gemini-2.5-flash
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. Thinking is not in the chunks (1 piece). The request is not in the stream; only the model is kept of it.
    500000000 "It goes"
    20000000 " out."
    212000000 "\n{\"type\":\"tool_use\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "It goes out.\n{\"type\":\"tool_use\",\"name\":\"reply\",\"input\":{\"day\":2}}"
    "#);
    assert_eq!(describe(&format!("[{},\n{}\n]", events[0], events[1])), describe(&stream));
    insta::assert_snapshot!(describe(&format!("[{},\n", events[0])), @r#"
    Gemini streamGenerateContent, gemini-2.5-flash
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. The stream breaks off: nothing says that it is over. The list breaks off. Thinking is not in the chunks (1 piece). The request is not in the stream; only the model is kept of it.
    500000000 "It goes"
    "It goes"
    "#);
    insta::assert_snapshot!(describe(r#"[{"error": {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED"}}]"#), @"The stream contains only an error (RESOURCE_EXHAUSTED: Quota)");
}

#[test]
fn times_that_were_captured_are_kept() {
    let lines = |stamp: fn(usize) -> String| {
        let lines =
            ANTHROPIC.lines().enumerate().map(|(at, line)| format!("{} {line}\n", stamp(at)));
        describe(&lines.collect::<String>())
    };
    insta::assert_snapshot!(lines(|at| format!("{:.6}", 1_767_225_600.0 + at as f64 / 8.0)), @r#"
    Anthropic messages, claude-sonnet
    The timing is as captured (seconds since 1970 before each line). Thinking is not in the chunks (1 piece). When the call began is not known; it is taken to begin with the first event. The request is not in the stream; only the model is kept of it.
    2375000000 "It goes \\ud83d"
    375000000 "\\ude00 out."
    1875000000 "\n{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"reply\",\"input\":{\"day\":\"Tuesday\"}}"
    "It goes 😀 out.\n{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"reply\",\"input\":{\"day\":\"Tuesday\"}}"
    "#);
    insta::assert_snapshot!(lines(|at| format!("{:.6}", 0.25 + at as f64 / 8.0)).lines().nth(1).unwrap_or_default(), @"The timing is as captured (seconds since the start before each line). Thinking is not in the chunks (1 piece). The request is not in the stream; only the model is kept of it.");
}

#[test]
fn what_is_no_stream_is_refused() {
    insta::assert_snapshot!(describe("It goes out.\n"), @"No stream of Anthropic, OpenAI or Gemini was found in the text");
    insta::assert_snapshot!(describe("[1, 2]"), @"No stream of Anthropic, OpenAI or Gemini was found in the text");
    insta::assert_snapshot!(describe("data: hello\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n"), @r#"
    OpenAI chat completions, unknown
    The timing is estimated: 500 ms to the first chunk, then 250 characters a second. 1 event is no JSON and left out. The request is not in the stream; only the model is kept of it.
    500000000 "a"
    "a"
    "#);
    assert!(is_capture(ANTHROPIC) && is_capture("1.5 data: a\n"));
    assert!(!is_capture("It goes out.\n"));
}
