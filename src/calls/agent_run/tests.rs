use super::testing::describe;
use insta::assert_snapshot;

/// Writes a value a line, without line feeds in it.
fn lines(values: &[&str]) -> String {
    values.iter().map(|value| value.replace('\n', "") + "\n").collect()
}

#[test]
fn the_lines_of_an_answer_of_claude_code_are_one_call() {
    let usage =
        r#""usage": {"input_tokens": 2, "cache_read_input_tokens": 40, "output_tokens": 7}"#;
    let answer = |id: &str, time: u8, block: &str, stop: &str| {
        format!(
            r#"{{"type": "assistant", "uuid": "{time}", "sessionId": "s-1", "timestamp": "2026-05-04T08:00:0{time}Z", "message": {{"id": "{id}", "role": "assistant", "model": "claude-x", "content": [{block}], "stop_reason": "{stop}", {usage}}}}}"#
        )
    };
    let call = |id: &str| {
        format!(
            r#"{{"type": "tool_use", "id": "{id}", "name": "Read", "input": {{"file": "{id}"}}}}"#
        )
    };
    let result = |id: &str, rest: &str| {
        format!(
            r#"{{"type": "user", "sessionId": "s-1", "toolUseResult": "x", "message": {{"role": "user", "content": [{{"type": "tool_result", "tool_use_id": "{id}", {rest}}}]}}}}"#
        )
    };
    let text = lines(&[
        r#"{"type": "queue-operation", "sessionId": "s-1", "timestamp": "2026-05-04T07:59:59Z", "content": "Is it done?"}"#,
        r#"{"type": "user", "isMeta": true, "sessionId": "s-1", "timestamp": "2026-05-04T08:00:00Z", "message": {"role": "user", "content": "Caveat"}}"#,
        r#"{"type": "user", "sessionId": "s-1", "message": {"role": "user", "content": "Is it done?"}}"#,
        &answer("m1", 1, r#"{"type": "thinking", "thinking": "Hm"}"#, "tool_use"),
        &answer("m1", 2, &call("a"), "tool_use"),
        &result("a", r#""content": "no", "is_error": false"#),
        &answer("m1", 3, &call("b"), "tool_use"),
        &result(
            "b",
            r#""content": [{"type": "text", "text": "File not found"}], "is_error": true"#,
        ),
        &answer("m2", 4, r#"{"type": "text", "text": "Not yet."}"#, "end_turn"),
        r#"{"type": "user", "sessionId": "s-1", "message": {"role": "user", "content": "Go on"}}"#,
        r#"{"type": "assistant", "isApiErrorMessage": true, "sessionId": "s-1", "timestamp": "2026-05-04T08:00:09Z", "message": {"id": "e", "role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 529"}]}}"#,
        r#"{"type": "user", "sessionId": "#,
    ]);
    assert_snapshot!(describe("a.jsonl", &text), @r#"
    session s-1
    system: ""
    input: "Is it done?"
    input: "Go on"
    tools: not stored
    call at 4:1: uu -> "" ["Read", "Read"] claude-x Some((Some(42), Some(7))) None
    call at 9:1: uuatt -> "Not yet." [] claude-x Some((Some(42), Some(7))) None
    call at 11:1: uuattau -> "" [] - None Some("API Error: 529")
    tool a Read({"file":"a"}) = Some("no")
    tool b Read({"file":"b"}) = error "File not found"
    final: None
    times: Some("2026-05-04T08:00:00Z") Some("2026-05-04T08:00:09Z")
    errors: ["API Error: 529"]
    missing: system, tools_offered
    "#);
}

#[test]
fn a_sub_agent_of_claude_code_between_the_lines_is_a_run_of_its_own() {
    let line = |uuid: &str, parent: &str, side: bool, kind: &str, content: &str| {
        format!(
            r#"{{"type": "{kind}", "uuid": "{uuid}", "parentUuid": {parent}, "isSidechain": {side}, "sessionId": "s", "message": {{"role": "{kind}", "content": "{content}"}}}}"#
        )
    };
    let text = lines(&[
        &line("1", "null", false, "user", "Plan"),
        &line("2", "null", true, "user", "Look"),
        &line("3", "null", true, "user", "Search"),
        &line("4", "\"2\"", true, "assistant", "Seen"),
        &line("5", "\"3\"", true, "assistant", "Nothing"),
        &line("6", "\"1\"", false, "assistant", "Planned"),
    ]);
    assert_snapshot!(describe("a.jsonl", &text), @r#"
    session s
    system: ""
    input: "Plan"
    tools: not stored
    call at 6:1: u -> "Planned" [] - None None
    final: Some("Planned")
    times: None None
    missing: system, tools_offered, model, times, usage
    session s
    system: ""
    input: "Look"
    tools: not stored
    call at 4:1: u -> "Seen" [] - None None
    final: Some("Seen")
    times: None None
    missing: system, tools_offered, model, times, usage
    session s
    system: ""
    input: "Search"
    tools: not stored
    call at 5:1: u -> "Nothing" [] - None None
    final: Some("Nothing")
    times: None None
    missing: system, tools_offered, model, times, usage
    "#);
}

#[test]
fn items_of_codex_up_to_the_next_input_are_one_call() {
    let output = |id: &str, text: &str| {
        format!(
            r#"{{"type": "response_item", "payload": {{"type": "function_call_output", "call_id": "{id}", "output": {text}}}}}"#
        )
    };
    let text = lines(&[
        r#"{"timestamp": "2026-05-04T08:00:00Z", "type": "session_meta", "payload": {"id": "c-1", "base_instructions": {"text": "Be brief."}}}"#,
        r#"{"type": "turn_context", "payload": {"model": "gpt-x"}}"#,
        r#"{"type": "response_item", "payload": {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Sandbox"}]}}"#,
        r#"{"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]}}"#,
        r#"{"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Test it"}]}}"#,
        r#"{"type": "event_msg", "payload": {"type": "user_message", "message": "Test it"}}"#,
        r#"{"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Both"}]}}"#,
        r#"{"type": "response_item", "payload": {"type": "function_call", "name": "exec", "arguments": "{\"cmd\": \"make\"}", "call_id": "a"}}"#,
        r#"{"type": "response_item", "payload": {"type": "local_shell_call", "call_id": "b", "action": {"command": ["ls"]}}}"#,
        &output(
            "a",
            r#""Wall time: 1 s\nProcess exited with code 2\nOutput:\nProcess exited with code 0\n""#,
        ),
        &output("b", r#""{\"output\": \"\", \"metadata\": {\"exit_code\": 0}}""#),
        r#"{"type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 9, "output_tokens": 4}}}}"#,
        r#"{"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It fails."}]}}"#,
        r#"{"type": "compacted", "payload": {"message": "The tests fail."}}"#,
        r#"{"timestamp": "2026-05-04T08:00:07Z", "type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": null, "error": {"message": "quota"}}}"#,
    ]);
    assert_snapshot!(describe("rollout.jsonl", &text), @r#"
    session c-1
    system: "Be brief."
    input: "Test it"
    tools: not stored
    call at 7:1: ssuu -> "" ["exec", "local_shell_call"] gpt-x Some((Some(9), Some(4))) None
    call at 13:1: ssuuatt -> "It fails." [] gpt-x None None
    call at 15:1: u -> "" [] gpt-x None Some("quota")
    tool a exec({"cmd": "make"}) = error "Wall time: 1 s\nProcess exited with code 2\nOutput:\nProcess exited with code 0\n"
    tool b local_shell_call({"command":["ls"]}) = Some("{\"output\": \"\", \"metadata\": {\"exit_code\": 0}}")
    final: None
    times: Some("2026-05-04T08:00:00Z") Some("2026-05-04T08:00:07Z")
    errors: ["quota"]
    missing: tools_offered
    "#);
}

#[test]
fn spans_of_the_agents_sdk_are_put_in_order_and_tools_paired_without_ids() {
    let span = |id: &str, seconds: u8, data: &str, error: &str| {
        format!(
            r#"{{"object": "trace.span", "id": "{id}", "trace_id": "t", "started_at": "2026-05-04T08:00:0{seconds}Z", "ended_at": "2026-05-04T08:00:0{}Z", "span_data": {data}, "error": {error}}}"#,
            seconds + 1
        )
    };
    let call = r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{\"id\":1}"}}]}"#;
    let given = r#"{"role": "tool", "tool_call_id": "a", "content": "An error occurred"}"#;
    let text = lines(&[
        r#"{"object": "trace", "id": "t", "workflow_name": "w", "group_id": "g"}"#,
        &span(
            "2",
            3,
            &format!(
                r#"{{"type": "generation", "model": "m", "input": [{{"role": "system", "content": "S"}}, {{"role": "user", "content": "U"}}, {call}, {given}], "output": [{{"role": "assistant", "content": "Sorry"}}]}}"#
            ),
            "null",
        ),
        &span(
            "f",
            2,
            r#"{"type": "function", "name": "look", "input": "{\"id\": 1}", "output": "An error occurred"}"#,
            r#"{"message": "Error running tool", "data": {"error": "redacted"}}"#,
        ),
        &span(
            "1",
            1,
            &format!(
                r#"{{"type": "generation", "model": "m", "usage": {{"input_tokens": 5, "output_tokens": 2}}, "input": [{{"role": "system", "content": "S"}}, {{"role": "user", "content": "U"}}], "output": [{call}]}}"#
            ),
            "null",
        ),
        &span("r", 0, r#"{"type": "agent", "tools": ["look"]}"#, "null"),
    ]);
    assert_snapshot!(describe("a.jsonl", &text), @r#"
    trace t
    group g
    system: "S"
    input: "U"
    tools: look
    call at 4:1: su -> "" ["look"] m Some((Some(5), Some(2))) None
    call at 2:1: suat -> "Sorry" [] m None None
    tool a look({"id":1}) = error "redacted"
    final: Some("Sorry")
    times: Some("2026-05-04T08:00:00Z") Some("2026-05-04T08:00:04Z")
    missing: tool_schemas
    "#);
    let responses = lines(&[
        &span(
            "1",
            1,
            r#"{"type": "response", "response_id": "r", "usage": {"input_tokens": 5, "output_tokens": 2}}"#,
            "null",
        ),
        &span(
            "f",
            2,
            r#"{"type": "function", "name": "look", "input": "{\"id\": 1}", "output": "found"}"#,
            "null",
        ),
    ]);
    assert_snapshot!(describe("a.jsonl", &format!("[{}]", responses.trim().replace('\n', ","))), @r#"
    trace t
    system: ""
    tools: not stored
    call at 1:2:  -> "" [] - Some((Some(5), Some(2))) None
    tool - look({"id": 1}) = Some("found")
    final: None
    times: Some("2026-05-04T08:00:01Z") Some("2026-05-04T08:00:03Z")
    missing: system, tools_offered, model, input, answers, call_ids
    "#);
}
