use super::testing::{describe, describe_chat};
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

#[test]
fn the_last_writing_of_a_message_of_gemini_cli_counts() {
    let response = |id: &str, response: &str| {
        format!(
            r#"{{"functionResponse": {{"id": "{id}", "name": "run_shell_command", "response": {response}}}}}"#
        )
    };
    let (failed, missing) = (
        response("a", r#"{"output": "Output: Exit Code: 1\nExit Code: 3\nProcess Group PGID: 7"}"#),
        response("b", r#"{"error": "not found"}"#),
    );
    let text = lines(&[
        r#"{"sessionId": "g-1", "projectHash": "h", "startTime": "2026-05-04T08:00:00Z", "kind": "main"}"#,
        r#"{"$set": {"messages": [{"id": "0", "type": "user", "content": [{"text": "<session_context>\nlinux"}]}]}}"#,
        r#"{"id": "1", "type": "user", "content": [{"text": "Run both"}]}"#,
        r#"{"id": "2", "type": "gemini", "content": "I do", "model": "g", "tokens": {"input": 1, "output": 1}}"#,
        &format!(
            r#"{{"id": "2", "type": "gemini", "content": "I do.", "model": "g", "thoughts": [{{"subject": "Plan", "description": "both"}}], "tokens": {{"input": 9, "output": 4, "thoughts": 2}}, "toolCalls": [{{"id": "a", "name": "run", "args": {{"n": 1}}, "status": "success", "result": [{failed}]}}, {{"id": "b", "name": "run", "args": {{"n": 2}}, "status": "error", "result": [{missing}]}}]}}"#
        ),
        &format!(r#"{{"id": "3", "type": "user", "content": [{failed}, {missing}]}}"#),
        r#"{"id": "4", "timestamp": "2026-05-04T08:00:05Z", "type": "gemini", "content": "Both failed.", "model": "g"}"#,
    ]);
    assert_snapshot!(describe("session.jsonl", &text), @r#"
    session g-1
    system: ""
    input: "Run both"
    tools: not stored
    call at 5:1: uu -> "I do." ["run", "run"] g Some((Some(9), Some(6))) None
    call at 7:1: uuat -> "Both failed." [] g None None
    tool a run({"n":1}) = error "Output: Exit Code: 1\nExit Code: 3\nProcess Group PGID: 7"
    tool b run({"n":2}) = error "not found"
    final: Some("Both failed.")
    times: Some("2026-05-04T08:00:00Z") Some("2026-05-04T08:00:05Z")
    missing: system, tools_offered
    "#);
}

#[test]
fn a_step_of_an_opencode_session_is_a_call() {
    let text = r#"{"info": {"id": "ses_1"}, "messages": [
      {"info": {"role": "user", "time": {"created": 1000}}, "parts": [{"type": "text", "text": "Test"}]},
      {"info": {"role": "assistant", "modelID": "m", "finish": "tool-calls", "time": {"created": 1100, "completed": 1200},
        "tokens": {"input": 5, "output": 3, "reasoning": 1, "cache": {"read": 10, "write": 2}}}, "parts": [
        {"type": "step-start"}, {"type": "reasoning", "text": "Hm"},
        {"type": "tool", "tool": "bash", "callID": "a", "state": {"status": "completed", "input": {"command": "make"}, "output": "no rule", "metadata": {"exit": 2}}},
        {"type": "tool", "tool": "read", "callID": "b", "state": {"status": "error", "input": {"file": "x"}, "error": "File not found"}}]},
      {"info": {"role": "assistant", "modelID": "m", "time": {"created": 1300}, "error": {"name": "APIError", "data": {"message": "overloaded"}}}, "parts": []}]}"#;
    assert_snapshot!(describe("session.json", text), @r#"
    session ses_1
    system: ""
    input: "Test"
    tools: not stored
    call at 3:7: u -> "" ["bash", "read"] m Some((Some(17), Some(4))) None
    call at 8:7: uat -> "" [] m None Some("overloaded")
    tool a bash({"command":"make"}) = error "no rule"
    tool b read({"file":"x"}) = error "File not found"
    final: None
    times: Some("1000") Some("1300")
    errors: ["overloaded"]
    missing: system, tools_offered
    "#);
}

#[test]
fn events_of_copilot_cli_are_a_conversation() {
    let text = lines(&[
        r#"{"type": "session.start", "timestamp": "2026-05-04T08:00:00Z", "data": {"sessionId": "p-1", "selectedModel": "m"}}"#,
        r#"{"type": "user.message", "data": {"content": "List"}}"#,
        r#"{"type": "assistant.message", "data": {"content": "", "toolRequests": [{"toolCallId": "a", "name": "bash", "arguments": {"command": "ls"}}]}}"#,
        r#"{"type": "tool.execution_start", "data": {"toolCallId": "a", "toolName": "bash", "arguments": {"command": "ls"}}}"#,
        r#"{"type": "tool.execution_complete", "data": {"toolCallId": "a", "success": false, "error": {"message": "denied"}}}"#,
        r#"{"type": "assistant.message", "timestamp": "2026-05-04T08:00:03Z", "data": {"content": "I may not."}}"#,
        r#"{"type": "session.shutdown", "data": {"modelMetrics": {"m": {"usage": {"inputTokens": 8, "outputTokens": 3}}, "n": {"usage": {"inputTokens": 1, "outputTokens": 1}}}}}"#,
    ]);
    assert_snapshot!(describe("events.jsonl", &text), @r#"
    session p-1
    system: ""
    input: "List"
    tools: not stored
    call at 3:1: u -> "" ["bash"] m None None
    call at 6:1: uat -> "I may not." [] m None None
    tool a bash({"command":"ls"}) = error "denied"
    final: Some("I may not.")
    times: Some("2026-05-04T08:00:00Z") Some("2026-05-04T08:00:03Z")
    missing: system, tools_offered
    "#);
}

#[test]
fn trajectories_are_read_with_the_marks_of_errors_that_they_have() {
    let swe = r#"{"history": [
      {"role": "system", "content": "S", "agent": "main"},
      {"role": "user", "content": "Fix it", "agent": "main", "message_type": "observation"},
      {"role": "assistant", "content": "I look", "agent": "main", "tool_calls": [{"id": "a", "function": {"name": "open", "arguments": "{\"path\": \"x\"}"}}]},
      {"role": "tool", "content": "[x]", "agent": "main", "tool_call_ids": ["a"]},
      {"role": "assistant", "content": "ls", "agent": "main"},
      {"role": "user", "content": "x y", "agent": "main", "message_type": "observation"}],
      "info": {"submission": "diff", "model_stats": {"tokens_sent": 7, "tokens_received": 2}}}"#;
    assert_snapshot!(describe("a.traj", swe), @r#"
    system: "S"
    input: "Fix it"
    tools: not stored
    call at 4:7: su -> "I look" ["open"] - None None
    call at 6:7: suat -> "ls" [] - None None
    tool a open({"path": "x"}) = Some("[x]")
    final: Some("diff")
    times: None None
    missing: tools_offered, model, times, error_marks
    "#);
    let mini = r#"{"trajectory_format": "mini-swe-agent-1.1", "info": {"config": {"model": {"model_name": "openai/m"}}, "submission": "done"}, "messages": [
      {"role": "user", "content": "Fix it"},
      {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "function": {"name": "bash", "arguments": "{}"}}],
       "extra": {"timestamp": 1795868595.5, "response": {"usage": {"prompt_tokens": 4, "completion_tokens": 1}}}},
      {"role": "tool", "tool_call_id": "a", "content": "<returncode>1</returncode>", "extra": {"returncode": 1}}]}"#;
    assert_snapshot!(describe("a.traj.json", mini), @r#"
    system: ""
    input: "Fix it"
    tools: not stored
    call at 3:7: u -> "" ["bash"] openai/m Some((Some(4), Some(1))) None
    tool a bash({}) = error "<returncode>1</returncode>"
    final: Some("done")
    times: None None
    missing: system, tools_offered, times
    "#);
    let atif = r#"{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"model_name": "m", "tool_definitions": []}, "steps": [
      {"step_id": 1, "source": "system", "message": "S"},
      {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "Go"}]},
      {"step_id": 3, "source": "agent", "message": "", "reasoning_content": "Hm", "tool_calls": [{"tool_call_id": "a", "function_name": "f", "arguments": {"n": 1}}],
       "observation": {"results": [{"source_call_id": "a", "content": "42"}]}},
      {"step_id": 4, "source": "agent", "message": "42", "timestamp": "2026-05-04T08:00:00Z"}],
      "final_metrics": {"total_prompt_tokens": 6, "total_completion_tokens": 2},
      "subagent_trajectories": [{"session_id": "t", "steps": [{"step_id": 1, "source": "user", "message": "Sub"}]}]}"#;
    assert_snapshot!(describe("a.json", atif), @r#"
    session s
    system: "S"
    input: "Go"
    tools: 
    call at 4:7: su -> "" ["f"] m None None
    call at 6:7: suat -> "42" [] m None None
    tool a f({"n":1}) = Some("42")
    final: Some("42")
    times: Some("2026-05-04T08:00:00Z") Some("2026-05-04T08:00:00Z")
    missing: error_marks
    session t
    system: ""
    input: "Sub"
    tools: not stored
    final: None
    times: None None
    missing: system, tools_offered, model, times, usage
    "#);
}

#[test]
fn messages_of_the_ai_sdk_keep_values_that_are_no_texts() {
    let model = r#"[{"role": "user", "content": "Go"},
      {"role": "assistant", "content": [{"type": "text", "text": "Both"},
        {"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {"n": 1}},
        {"type": "tool-call", "toolCallId": "b", "toolName": "f", "args": {"n": 2}}]},
      {"role": "tool", "content": [
        {"type": "tool-result", "toolCallId": "a", "toolName": "f", "output": {"type": "json", "value": {"sum": 1.50}}},
        {"type": "tool-result", "toolCallId": "b", "toolName": "f", "result": "no", "isError": true}]},
      {"role": "assistant", "content": "Done"}]"#;
    assert_snapshot!(describe("a.json", model), @r#"
    system: ""
    input: "Go"
    tools: not stored
    call at 2:7: u -> "Both" ["f", "f"] - None None
    call at 8:7: uat -> "Done" [] - None None
    tool a f({"n":1}) = Some("{\"sum\":1.50}")
    tool b f({"n":2}) = error "no"
    final: Some("Done")
    times: None None
    missing: system, tools_offered, model, times, usage
    "#);
    let ui = r#"[{"id": "u", "role": "user", "parts": [{"type": "text", "text": "Go"}]},
      {"id": "x", "role": "assistant", "metadata": {"usage": {"inputTokens": 3, "outputTokens": 2}}, "parts": [{"type": "step-start"},
        {"type": "tool-f", "toolCallId": "a", "state": "output-available", "input": {"n": 1}, "output": [1, 2]},
        {"type": "dynamic-tool", "toolName": "g", "toolCallId": "b", "state": "output-error", "input": {}, "errorText": "An error occurred."},
        {"type": "step-start"}, {"type": "text", "text": "Done"}]}]"#;
    assert_snapshot!(describe("a.json", ui), @r#"
    system: ""
    input: "Go"
    tools: not stored
    call at 3:9: u -> "" ["f", "g"] - None None
    call at 5:33: uat -> "Done" [] - None None
    tool a f({"n":1}) = Some("[1,2]")
    tool b g({}) = error "An error occurred."
    final: Some("Done")
    times: None None
    missing: system, tools_offered, model, times, error_texts
    "#);
}

#[test]
fn lines_of_speakers_and_tools_are_a_chat() {
    let blocks = "User: Where is A?\nUser: also B\n\nAssistant: I look.\n[track(number=\"A, 1\", fast=true) -> In transit]\n[track(number='B') -> error: not found]\n\nAssistant: A is on its way,\nresult of the search: the agent: B unknown.\n";
    assert_snapshot!(describe_chat(blocks), @r#"
    system: ""
    input: "Where is A?"
    input: "also B"
    tools: not stored
    call at 1:151: uu -> "I look." [] - None None
    call at 1:229: uua -> "" ["track"] - None None
    call at 1:429: uuaat -> "" ["track"] - None None
    call at 1:612: uuaatat -> "A is on its way,\nresult of the search: the agent: B unknown." [] - None None
    tool - track({"number":"A, 1","fast":true}) = Some("In transit")
    tool - track({"number":"B"}) = error "not found"
    final: Some("A is on its way,\nresult of the search: the agent: B unknown.")
    times: None None
    missing: system, tools_offered, model, times, usage, call_ids
    "#);
    let log = "2026-05-04 08:00:01,120 INFO  shop.agent conv=c-7 USER: Hi,\nUser: is what I type\n2026-05-04 08:00:02,000 DEBUG shop.agent conv=c-7 TOOL CALL find {\"id\": 1}\n2026-05-04 08:00:03,000 INFO shop.agent conv=c-7 TOOL RESULT find {\"total\": 2.50}\n2026-05-04 08:00:03,100 INFO shop.agent conv=c-7 TOOL CALL pay {}\n2026-05-04 08:00:03,500 ERROR shop.agent conv=c-7 TOOL ERROR pay LimitError: 422\n2026-05-04 08:00:04,000 INFO shop.agent conv=c-7 ASSISTANT: Sent.\n";
    assert_snapshot!(describe_chat(log), @r#"
    conversation c-7
    system: ""
    input: "Hi,\nUser: is what I type"
    tools: not stored
    call at 1:115: u -> "" ["find"] - None None
    call at 1:338: uat -> "" ["pay"] - None None
    call at 1:553: uatat -> "Sent." [] - None None
    tool - find({"id":1}) = Some("{\"total\":2.50}")
    tool - pay({}) = error "LimitError: 422"
    final: Some("Sent.")
    times: Some("2026-05-04 08:00:01,120") Some("2026-05-04 08:00:04,000")
    missing: system, tools_offered, model, usage, call_ids
    "#);
    for text in [
        "",
        "User: Hi\n",
        "Subject: refund\n\nWhere is it?\n",
        "User: Hi\nAssistant: Hello\nTraceback (most recent call last):\n",
        "error: no rule\nmake: failed\n",
    ] {
        assert_eq!(describe_chat(text), "no chat", "{text}");
    }
}
