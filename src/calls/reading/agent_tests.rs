//! The calls of runs of agents, as all desks and commands get them.

use super::{call_at, calls, listed_calls};
use document::call::ModelCall;
use document::signature::SignatureText;
use document::text::Source;
use document::{Document, read};

const SESSION: &str = r#"{"info": {"id": "ses_1"}, "messages": [
  {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Test both"}]},
  {"info": {"role": "assistant", "modelID": "m", "finish": "tool-calls", "time": {"created": 1777881600000, "completed": 1777881602500}, "tokens": {"input": 5, "output": 3}},
   "parts": [{"type": "reasoning", "text": "Hm"},
     {"type": "tool", "tool": "bash", "callID": "a", "state": {"status": "completed", "input": {"n": 12345678901234567890}, "output": "ok"}},
     {"type": "tool", "tool": "bash", "callID": "b", "state": {"status": "error", "input": {}, "error": "no"}}]},
  {"info": {"role": "assistant", "modelID": "m"}, "parts": [{"type": "text", "text": "One passes."}]},
  {"info": {"role": "user"}, "parts": [{"type": "text", "text": "And now?"}]},
  {"info": {"role": "assistant", "error": {"name": "APIError", "data": {"message": "overloaded"}}}, "parts": []}]}"#;

fn text_of<'c>(call: &'c ModelCall<'_>) -> &'c str {
    call.document.source().text()
}

fn document(text: &str) -> Document {
    read(Source::new(text), "session.json")
}

#[test]
fn a_call_of_a_transcript_has_the_conversation_so_far() {
    let document = document(SESSION);
    let all = calls(&document);
    let texts: Vec<&str> = all.iter().map(text_of).collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
    {"request":{"type":"llm_invocation_request","messages":[{"role":"user","content":"Test both"}],"timestamp":"2026-05-04T08:00:00Z"},"response":{"type":"llm_invocation_response","response":{"content":[{"type":"thinking","thinking":"Hm"},{"type":"tool_use","id":"a","name":"bash","input":{"n":12345678901234567890}},{"type":"tool_use","id":"b","name":"bash","input":{}}],"stop_reason":"tool-calls"},"timestamp":"2026-05-04T08:00:02.5Z"},"recordedAt":"2026-05-04T08:00:00Z"}
    {"request":{"type":"llm_invocation_request","messages":[{"role":"user","content":"Test both"},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm"},{"type":"tool_use","id":"a","name":"bash","input":{"n":12345678901234567890}},{"type":"tool_use","id":"b","name":"bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"},{"type":"tool_result","tool_use_id":"b","content":"no","is_error":true}]}]},"response":{"type":"llm_invocation_response","response":{"content":[{"type":"text","text":"One passes."}]}}}
    {"type":"llm_invocation_request","messages":[{"role":"user","content":"Test both"},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm"},{"type":"tool_use","id":"a","name":"bash","input":{"n":12345678901234567890}},{"type":"tool_use","id":"b","name":"bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"},{"type":"tool_result","tool_use_id":"b","content":"no","is_error":true}]},{"role":"assistant","content":"One passes."},{"role":"user","content":"And now?"}]}
    "#);
    for call in &all {
        assert_eq!(
            call_at(&document, call.node).map(|call| text_of(&call).to_owned()).as_deref(),
            Some(text_of(call))
        );
    }
    let facts = &all[0].facts;
    assert_eq!(
        (facts.model.as_deref(), facts.input_tokens, facts.output_tokens),
        (Some("m"), Some(5), Some(3))
    );
    assert_eq!(
        (facts.started_at.as_deref(), facts.duration_nanos),
        (Some("2026-05-04T08:00:00Z"), Some(2.5e9))
    );
}

#[test]
fn a_listed_call_has_the_number_of_its_messages_in_place_of_them() {
    let document = document(SESSION);
    let count = |call: &ModelCall<'_>| {
        let recording = call.document.body.recording();
        recording.map(|recording| SignatureText::of_recording(recording).message_count)
    };
    let listed = listed_calls(&document);
    assert_eq!(listed.iter().map(count).collect::<Vec<_>>(), [Some(1), Some(3), None]);
    assert_eq!(calls(&document).iter().map(count).collect::<Vec<_>>(), [Some(1), Some(3), None]);
    assert!(listed.iter().all(|call| !text_of(call).contains("Test both")));
    // Without an answer, the row shows what was sent last.
    assert!(text_of(&listed[2]).contains("And now?"));
}

#[test]
fn the_calls_of_a_long_transcript_have_only_what_was_new() {
    const CALLS: usize = 40;
    let result = "x".repeat(200_000);
    let mut messages =
        vec![r#"{"info": {"role": "user"}, "parts": [{"type": "text", "text": "Go"}]}"#.to_owned()];
    for id in 0..CALLS {
        messages.push(format!(
            r#"{{"info": {{"role": "assistant"}}, "parts": [{{"type": "tool", "tool": "t", "callID": "{id}", "state": {{"status": "completed", "input": {{}}, "output": "{result}"}}}}]}}"#
        ));
    }
    let text = format!(r#"{{"info": {{"id": "ses_1"}}, "messages": [{}]}}"#, messages.join(","));
    let document = document(&text);
    let all = calls(&document);
    assert_eq!(all.len(), CALLS);
    let bytes: usize = all.iter().map(|call| text_of(call).len()).sum();
    assert!(bytes < 2 * text.len(), "{bytes} of {}", text.len());
    let listed: usize = listed_calls(&document).iter().map(|call| text_of(call).len()).sum();
    assert!(listed < 1000 * CALLS, "{listed}");
}

#[test]
fn a_call_of_inspect_is_what_its_provider_was_sent_and_answered() {
    let text = r#"{"version": 2, "status": "success", "eval": {"eval_id": "e", "task": "t"}, "samples": [{"id": 1,
      "messages": [{"role": "user", "content": "Where are 7 and 8?", "source": "input"}, {"id": "m", "role": "assistant", "content": ""}],
      "events": [{"event": "model", "model": "openai/m", "timestamp": "2026-05-04T08:00:00Z", "input": [], "input_refs": [[0, 1]], "tools": [],
        "output": {"choices": [{"message": {"id": "m", "role": "assistant", "content": "Nowhere."}}]},
        "call": {"request": {"model": "m", "temperature": 0.5, "extra_headers": {"x-irid": "i"}}, "call_refs": [[0, 4]], "call_key": "messages",
          "response": {"id": "c-1", "object": "chat.completion", "model": "m-2026", "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "attachment://h2"}}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}}}],
      "events_data": {"messages": [], "calls": [{"role": "user", "content": "attachment://h1"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{\"id\": 7}"}}, {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{\"id\": 8}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "no"}, {"role": "tool", "tool_call_id": "b", "content": "attachment://no"}]},
      "attachments": {"h1": "Where \"are\" 7 and 8?", "h2": "Nowhere."}}]}"#;
    let document = read(Source::new(text), "log.json");
    let calls = calls(&document);
    insta::assert_snapshot!(text_of(&calls[0]), @r#"{"request":{"type":"llm_invocation_request","requestId":"c-1","messages":[{"role":"user","content":"Where \"are\" 7 and 8?"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{"id":7}},{"type":"tool_use","id":"b","name":"look","input":{"id":8}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"no"},{"type":"tool_result","tool_use_id":"b","content":"attachment://no"}]}],"tools":[],"systemPrompt":"","timestamp":"2026-05-04T08:00:00Z"},"response":{"type":"llm_invocation_response","requestId":"c-1","response":{"content":[{"type":"text","text":"Nowhere."}],"stop_reason":"stop"}},"recordedAt":"2026-05-04T08:00:00Z"}"#);
    let facts = &calls[0].facts;
    assert_eq!(
        (facts.api, facts.model.as_deref()),
        (Some("OpenAI chat completions"), Some("m-2026"))
    );
    assert_eq!(facts.parameters, [("temperature", "0.5".to_owned())]);
}
