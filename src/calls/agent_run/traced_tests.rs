//! Tests of the traces that several services store in forms of their own.

use super::testing::describe;
use insta::assert_snapshot;
use serde_json::{Map, Value, json};

/// Describes the runs in a file without the places of calls, which depend on how the JSON is written.
fn facts(file_name: &str, text: &str) -> String {
    let without_place = |line: &str| match line.strip_prefix("call at ") {
        Some(call) => format!("call{}\n", &call[call.find(": ").unwrap_or_default()..]),
        None => format!("{line}\n"),
    };
    let described: String = describe(file_name, text).lines().map(without_place).collect();
    described.replace(r#"{"id":7}"#, ARGUMENTS)
}

/// A span: its id, its time in seconds, its error, and its attributes.
type TestSpan = (&'static str, u8, Option<&'static str>, Value);

const ARGUMENTS: &str = r#"{"id": 7}"#;

/// Returns the spans of a run of two calls and a tool, newest first, with the messages as a library writes them.
fn spans(first: Value, second: Value) -> Vec<TestSpan> {
    let merged = |common: Value, messages: Value| {
        let mut all = common.as_object().unwrap().clone();
        all.extend(messages.as_object().unwrap().clone());
        Value::Object(all)
    };
    let call = |input: u8, messages: Value| {
        merged(
            json!({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": 2}),
            messages,
        )
    };
    vec![
        ("c2", 3, None, call(9, second)),
        (
            "t",
            2,
            Some("no order 7"),
            json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.id": "k", "gen_ai.tool.call.arguments": ARGUMENTS, "gen_ai.tool.call.result": "Error: none"}),
        ),
        ("c1", 1, None, call(5, first)),
    ]
}

/// Returns the same two requests and answers in each encoding of messages.
fn encodings() -> [(&'static str, Vec<TestSpan>); 4] {
    let by_index = |messages: &[Value], prefix: &str, call: &str, function: &str| {
        let mut all = Map::new();
        for (index, message) in messages.iter().enumerate() {
            for (key, value) in message.as_object().unwrap() {
                let start = format!("{prefix}.{index}{call}");
                if key == "call" {
                    let names = [("id", "id"), ("name", function), ("arguments", function)];
                    for (name, inner) in names {
                        let inner = if inner == name || inner.is_empty() {
                            name.to_owned()
                        } else {
                            format!("{inner}.{name}")
                        };
                        let wrap = if function.is_empty() { "" } else { ".tool_call" };
                        all.insert(
                            format!("{start}.tool_calls.0{wrap}.{inner}"),
                            value[name].clone(),
                        );
                    }
                } else {
                    all.insert(format!("{start}.{key}"), value.clone());
                }
            }
        }
        Value::Object(all)
    };
    let call = json!({"id": "k", "name": "look", "arguments": ARGUMENTS});
    let sent = [
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "user", "content": "Where is 7?"}),
        json!({"role": "assistant", "call": call}),
        json!({"role": "tool", "content": "Error: none", "tool_call_id": "k"}),
    ];
    let last = json!({"role": "assistant", "content": "Nowhere."});
    let indexed = |count: usize, answer: &Value| {
        let mut all = by_index(&sent[..count], "gen_ai.prompt", "", "");
        let answer = by_index(std::slice::from_ref(answer), "gen_ai.completion", "", "");
        all.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        all["gen_ai.prompt.0.role"] = "system".into();
        all.as_object_mut().unwrap().extend([
            ("llm.request.functions.0.name".to_owned(), json!("look")),
            ("llm.request.functions.0.parameters".to_owned(), json!("{}")),
        ]);
        all
    };
    let inferred = |count: usize, answer: &Value| {
        let mut all = by_index(&sent[..count], "llm.input_messages", ".message", "function");
        let answer =
            by_index(std::slice::from_ref(answer), "llm.output_messages", ".message", "function");
        all.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        all["llm.tools.0.tool.json_schema"] =
            json!(r#"{"type": "function", "function": {"name": "look", "parameters": {}}}"#);
        all
    };
    let in_parts = |is_text: bool, count: usize, is_last: bool| {
        let value = |value: Value| if is_text { json!(value.to_string()) } else { value };
        let call = json!({"role": "assistant", "parts": [{"type": "tool_call", "id": "k", "name": "look", "arguments": if is_text { json!({"id": 7}) } else { json!(ARGUMENTS) }}]});
        let (role, key) = if is_text { ("tool", "response") } else { ("user", "result") };
        let sent = [
            json!({"role": "user", "parts": [{"type": "text", "content": "Where is 7?"}]}),
            call.clone(),
            json!({"role": role, "parts": [{"type": "tool_call_response", "id": "k", key: "Error: none"}]}),
        ];
        let last = json!({"role": "assistant", "parts": [{"type": "text", "content": "Nowhere."}], "finish_reason": "stop"});
        json!({
            "gen_ai.system_instructions": value(json!([{"type": "text", "content": "Be brief."}])),
            "gen_ai.input.messages": value(json!(sent[..count])),
            "gen_ai.output.messages": value(json!([if is_last { last } else { call }])),
            "gen_ai.tool.definitions": value(json!([{"type": "function", "name": "look", "parameters": {}}])),
        })
    };
    let calling = json!({"role": "assistant", "call": call});
    [
        ("by index", spans(indexed(2, &calling), indexed(4, &last))),
        ("OpenInference", spans(inferred(2, &calling), inferred(4, &last))),
        ("parts as text", spans(in_parts(true, 1, false), in_parts(true, 3, true))),
        ("parts", spans(in_parts(false, 1, false), in_parts(false, 3, true))),
    ]
}

fn typed(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({"stringValue": text}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        Value::Array(items) => {
            json!({"arrayValue": {"values": items.iter().map(typed).collect::<Vec<_>>()}})
        }
        Value::Object(members) => {
            let pairs =
                members.iter().map(|(key, value)| json!({"key": key, "value": typed(value)}));
            json!({"kvlistValue": {"values": pairs.collect::<Vec<_>>()}})
        }
        other => json!({"boolValue": other}),
    }
}

fn otlp(spans: &[TestSpan]) -> Value {
    let span = |(id, second, error, attributes): &TestSpan| {
        let pairs = attributes.as_object().unwrap().iter();
        let pairs: Vec<Value> =
            pairs.map(|(key, value)| json!({"key": key, "value": typed(value)})).collect();
        let status = error.map_or(json!({}), |message| json!({"code": 2, "message": message}));
        json!({"traceId": "t-1", "spanId": id, "parentSpanId": "", "startTimeUnixNano": format!("179586776{second}000000000"), "attributes": pairs, "status": status})
    };
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans.iter().map(span).collect::<Vec<_>>()}]}]})
}

/// Returns the members of an object with points in its keys as nested objects and lists.
fn nested(attributes: &Value) -> Value {
    let mut root = json!({});
    for (key, value) in attributes.as_object().unwrap() {
        let mut at = &mut root;
        for part in key.split('.') {
            at = match part.parse::<usize>() {
                Ok(index) => {
                    if !at.is_array() {
                        *at = json!([]);
                    }
                    let list = at.as_array_mut().unwrap();
                    list.resize(list.len().max(index + 1), Value::Null);
                    &mut list[index]
                }
                Err(_) => {
                    if !at.is_object() {
                        *at = json!({});
                    }
                    at.as_object_mut().unwrap().entry(part).or_insert(Value::Null)
                }
            };
        }
        *at = value.clone();
    }
    root
}

fn phoenix(spans: &[TestSpan], attributes_of: fn(&Value) -> Value) -> Vec<Value> {
    let span = |(id, second, error, attributes): &TestSpan| {
        json!({"name": "s", "context": {"trace_id": "t-1", "span_id": id}, "span_kind": "UNKNOWN", "parent_id": null, "start_time": format!("2026-05-04T08:00:0{second}Z"),
            "status_code": error.map_or("OK", |_| "ERROR"), "status_message": error, "attributes": attributes_of(attributes)})
    };
    spans.iter().map(span).collect()
}

fn logfire_rows(spans: &[TestSpan]) -> Vec<Value> {
    let row = |(id, second, error, attributes): &TestSpan| json!({"trace_id": "t-1", "span_id": id, "start_timestamp": format!("2026-05-04T08:00:0{second}Z"), "is_exception": error.is_some(), "exception_message": error, "attributes": attributes});
    spans.iter().map(row).collect()
}

fn logfire_columns(spans: &[TestSpan]) -> Value {
    let rows = logfire_rows(spans);
    let column = |name: &String| json!({"name": name, "values": rows.iter().map(|row| row[name].clone()).collect::<Vec<_>>()});
    json!({"columns": rows[0].as_object().unwrap().keys().map(column).collect::<Vec<_>>()})
}

#[test]
fn a_run_is_the_same_in_each_encoding_of_messages_and_each_file_of_spans() {
    for (encoding, spans) in encodings() {
        let values = phoenix(&spans, Value::clone);
        let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
        let files = [
            ("OTLP", otlp(&spans).to_string()),
            ("Phoenix answer", json!({"data": values}).to_string()),
            ("Phoenix lines", lines),
            ("Phoenix nested", json!(phoenix(&spans, nested)).to_string()),
            ("Logfire rows", json!({"columns": [], "rows": logfire_rows(&spans)}).to_string()),
            ("Logfire data", json!({"schema": {}, "data": logfire_rows(&spans)}).to_string()),
            ("Logfire columns", logfire_columns(&spans).to_string()),
        ];
        for (file, text) in files {
            let facts = facts("a.json", &text);
            let facts: Vec<&str> =
                facts.lines().filter(|line| !line.starts_with("times")).collect();
            let expected = r#"trace t-1
system: "Be brief."
input: "Where is 7?"
tools: look
call: su -> "" ["look"] m Some((Some(5), Some(2))) None
call: suat -> "Nowhere." [] m Some((Some(9), Some(2))) None
tool k look({"id": 7}) = error "Error: none"
final: Some("Nowhere.")
missing: "#;
            assert_eq!(facts.join("\n"), expected, "{encoding}, {file}");
        }
    }
}

#[test]
fn messages_of_logs_are_joined_to_their_spans_and_are_calls_without_them() {
    let record = |span: &str, name: &str, body: Value| {
        json!({"traceId": "t-1", "spanId": span, "timeUnixNano": "1795867761000000000", "body": typed(&body),
            "attributes": [{"key": "event.name", "value": {"stringValue": format!("gen_ai.{name}")}}]})
    };
    let call = json!({"id": "k", "type": "function", "function": {"name": "look", "arguments": ARGUMENTS}});
    let logs = json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [
        record("c1", "system.message", json!({"content": "Be brief."})),
        record("c1", "user.message", json!({"content": "Where is 7?"})),
        record("c1", "choice", json!({"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}})),
        record("c2", "user.message", json!({"content": "Where is 7?"})),
        record("c2", "assistant.message", json!({"tool_calls": [call]})),
        record("c2", "tool.message", json!({"content": "Error: none", "id": "k"})),
        record("c2", "choice", json!({"index": 0, "message": {"content": "Nowhere."}})),
        {"traceId": "t-1", "spanId": "c9", "body": {"stringValue": "GET /"}, "attributes": []},
    ]}]}]});
    let spans = otlp(&spans(json!({}), json!({})));
    assert_snapshot!(facts("a.jsonl", &format!("{logs}\n{spans}\n")), @r#"
    trace t-1
    system: ""
    input: "Where is 7?"
    tools: not stored
    call: su -> "" ["look"] m Some((Some(5), Some(2))) None
    call: uat -> "Nowhere." [] m Some((Some(9), Some(2))) None
    tool k look({"id": 7}) = error "Error: none"
    final: Some("Nowhere.")
    times: Some("1795867761000000000") None
    missing: system, tools_offered
    "#);
    assert_snapshot!(facts("logs.json", &logs.to_string()), @r#"
    trace t-1
    system: ""
    input: "Where is 7?"
    tools: not stored
    call: su -> "" ["look"] - None None
    call: uat -> "Nowhere." [] - None None
    tool k look({"id": 7}) = Some("Error: none")
    final: Some("Nowhere.")
    times: Some("1795867761000000000") Some("1795867761000000000")
    missing: system, tools_offered, model, usage
    "#);
}

#[test]
fn a_call_that_two_libraries_record_is_one_and_its_error_is_that_of_the_run() {
    let mut spans = spans(json!({}), json!({}));
    spans.truncate(1);
    spans[0].2 = Some("429 too many");
    let mut file = otlp(&spans);
    let list = file["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array_mut().unwrap();
    let mut inner = list[0].clone();
    inner["parentSpanId"] = "c2".into();
    inner["spanId"] = "c3".into();
    list.insert(0, inner);
    assert_snapshot!(facts("a.json", &file.to_string()), @r#"
    trace t-1
    system: ""
    tools: not stored
    call:  -> "" [] m Some((Some(9), Some(2))) Some("429 too many")
    final: None
    times: Some("1795867763000000000") None
    errors: ["429 too many"]
    missing: system, tools_offered, input
    "#);
}

#[test]
fn observations_of_langfuse_have_json_in_texts_and_keys_of_two_styles() {
    let messages = json!([{"role": "user", "content": "Where is 7?"}]);
    let call = json!({"role": "assistant", "tool_calls": [{"id": "k", "type": "function", "function": {"name": "look", "arguments": ARGUMENTS}}]});
    let given = json!({"role": "tool", "tool_call_id": "k", "content": "Error: none"});
    let observation = |id: &str, kind: &str, second: u8, input: Value, output: Value| {
        json!({"id": id, "traceId": "t-1", "type": kind, "name": "look", "level": if kind == "TOOL" { "ERROR" } else { "DEFAULT" }, "statusMessage": "no order 7",
            "startTime": format!("2026-05-04T08:00:0{second}.000Z"), "endTime": format!("2026-05-04T08:00:0{second}.500Z"), "sessionId": "s", "input": input, "output": output,
            "model": "m", "usageDetails": {"input": 5, "output": 2}, "parentObservationId": if kind == "AGENT" { json!(null) } else { json!("a") }})
    };
    let second = json!({"messages": [messages[0], call, given], "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}]});
    let observations = [
        observation("a", "AGENT", 0, json!("Where is 7?"), json!("Nowhere.")),
        observation("c2", "GENERATION", 3, second, json!("Nowhere.")),
        observation("t", "TOOL", 2, json!({"id": 7}), json!("Error: none")),
        observation("c1", "GENERATION", 1, messages, call),
    ];
    let export = |value: &Value| {
        let mut snake = value.to_string();
        for (camel, words) in [
            ("traceId", "trace_id"),
            ("parentObservationId", "parent_observation_id"),
            ("startTime", "start_time"),
            ("endTime", "end_time"),
            ("sessionId", "session_id"),
            ("statusMessage", "status_message"),
            ("usageDetails", "usage_details"),
        ] {
            snake = snake.replace(camel, words);
        }
        let mut value: Value = serde_json::from_str(&snake).unwrap();
        for side in ["input", "output"] {
            if !value[side].is_string() {
                value[side] = value[side].to_string().into();
            }
        }
        format!("{value}\n")
    };
    let files = [
        ("a.json", json!(observations).to_string()),
        ("a.json", json!({"data": observations, "meta": {}}).to_string()),
        (
            "a.json",
            json!({"id": "t-1", "sessionId": "s", "input": null, "observations": observations})
                .to_string(),
        ),
        ("a.jsonl", observations.iter().map(export).collect()),
    ];
    for (name, text) in files {
        insta::allow_duplicates! {
            assert_snapshot!(facts(name, &text), @r#"
            trace t-1
            session s
            system: ""
            input: "Where is 7?"
            tools: look
            call: u -> "" ["look"] m Some((Some(5), Some(2))) None
            call: uat -> "Nowhere." [] m Some((Some(5), Some(2))) None
            tool k look({"id": 7}) = error "Error: none"
            final: Some("Nowhere.")
            times: Some("2026-05-04T08:00:00.000Z") Some("2026-05-04T08:00:03.500Z")
            missing: system
            "#);
        }
    }
}

/// Returns the runs of a graph in LangSmith: nested, or flat and newest first.
fn graph_runs(is_nested: bool) -> String {
    let envelope = |kind: &str, rest: Value| {
        let mut kwargs = json!({"type": kind});
        kwargs.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": kwargs})
    };
    let call = || {
        envelope(
            "ai",
            json!({"content": [{"type": "tool_use", "id": "k", "name": "look", "input": {"id": 7}}], "tool_calls": [{"id": "k", "name": "look", "args": {"id": 7}}]}),
        )
    };
    let system = || envelope("system", json!({"content": "Be brief."}));
    let user = || envelope("human", json!({"content": "Where is 7?"}));
    let given = || {
        envelope(
            "tool",
            json!({"content": "Error: ValueError('none')", "tool_call_id": "k", "status": "error"}),
        )
    };
    let run = |id: &str, parent: Option<&str>, kind: &str, second: u8, rest: Value| {
        let mut run = json!({"id": id, "trace_id": "r", "parent_run_id": parent, "dotted_order": "x", "name": id, "run_type": kind, "error": null,
            "start_time": format!("2026-05-04T08:00:0{second}"), "end_time": format!("2026-05-04T08:00:0{second}.5"), "extra": {"score": "NaN?"}});
        run.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        run
    };
    let llm = |id: &str, second: u8, sent: Vec<Value>, answer: Value| {
        run(
            id,
            Some("agent"),
            "llm",
            second,
            json!({"inputs": {"messages": [sent]}, "outputs": {"generations": [[{"text": "", "message": answer}]]},
            "extra": {"score": "NaN?", "invocation_params": {"model": "m", "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}]}}, "prompt_tokens": 5, "completion_tokens": 2}),
        )
    };
    let messages = json!({"messages": [{"role": "user", "content": "Where is 7?"}]});
    let mut runs = vec![
        run(
            "r",
            None,
            "chain",
            0,
            json!({"inputs": messages, "outputs": {"messages": [{"type": "ai", "content": "Nowhere."}]}}),
        ),
        run("agent", Some("r"), "chain", 0, json!({"inputs": messages, "outputs": {}})),
        llm("c1", 1, vec![system(), user()], call()),
        run(
            "tool",
            Some("agent"),
            "tool",
            2,
            json!({"inputs": {"id": 7}, "outputs": {}, "error": "ValueError('none')\n\nTraceback (most recent call last):\n  File \"/srv/a.py\"", "extra": {"tool_call_id": "k"}}),
        ),
        llm(
            "c2",
            3,
            vec![system(), user(), call(), given()],
            envelope("ai", json!({"content": "Nowhere."})),
        ),
        run(
            "end",
            Some("agent"),
            "chain",
            4,
            json!({"inputs": {}, "outputs": {"output": "__end__"}}),
        ),
    ];
    let text = if is_nested {
        let inner = runs.split_off(2);
        let mut agent = runs.pop().unwrap();
        agent["child_runs"] = json!(inner);
        runs[0]["child_runs"] = json!([agent]);
        runs[0].to_string()
    } else {
        runs.iter().rev().map(|run| format!("{run}\n")).collect()
    };
    // As Python writes numbers.
    text.replace("\"NaN?\"", "NaN")
}

#[test]
fn runs_of_a_graph_are_one_run_with_what_the_model_was_given() {
    for (name, text) in [("a.json", graph_runs(true)), ("a.jsonl", graph_runs(false))] {
        insta::allow_duplicates! {
            assert_snapshot!(facts(name, &text), @r#"
            trace r
            system: "Be brief."
            input: "Where is 7?"
            tools: look
            call: su -> "" ["look"] m Some((Some(5), Some(2))) None
            call: suat -> "Nowhere." [] m Some((Some(5), Some(2))) None
            tool k look({"id": 7}) = error "ValueError('none')"
            final: Some("Nowhere.")
            times: Some("2026-05-04T08:00:00") Some("2026-05-04T08:00:04.5")
            missing:
            "#);
        }
    }
}

#[test]
fn runs_of_langsmith_without_models_show_what_was_given_and_returned() {
    let cases = [
        r#"{"id": "a", "trace_id": "a", "inputs": {"question": "Why?"}, "outputs": {"output": "So."}, "start_time": "2026-06-01T00:00:00"}"#,
        r#"[{"id": "a", "trace_id": "a", "inputs": {"messages": [{"role": "user", "content": "Why?"}]}, "outputs": {"messages": [{"type": "human", "content": "Why?"}, {"type": "ai", "content": "So."}]}},
            {"id": "b", "trace_id": "a", "parent_run_id": "a", "inputs": {"q": 1}, "outputs": {"hits": 0}, "name": "search"},
            {"id": "c", "parent_run_id": "d", "inputs": {}, "outputs": {}, "name": "x", "run_type": "tool", "session_id": "s"},
            {"id": "d", "parent_run_id": "c", "inputs": {}, "outputs": {}, "name": "y", "run_type": "tool", "session_id": "s"}]"#,
        r#"{"id": "a", "trace_id": "a", "run_type": "llm", "inputs": {"messages": [{"role": "user", "content": "Why?"}]}, "outputs": {"choices": [{"message": {"role": "assistant", "content": "So."}}], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}}"#,
    ];
    let described: Vec<String> = cases.iter().map(|text| facts("a.json", text)).collect();
    assert_snapshot!(described.join("---\n"), @r#"
    trace a
    system: ""
    input: "Why?"
    tools: not stored
    final: Some("So.")
    times: Some("2026-06-01T00:00:00") None
    missing: system, tools_offered, model, usage
    ---
    trace a
    system: ""
    input: "Why?"
    tools: not stored
    tool - search({"q":1}) = Some("{\"hits\":0}")
    final: Some("So.")
    times: None None
    missing: system, tools_offered, model, times, usage, call_ids
    trace d
    system: ""
    tools: not stored
    tool - x({}) = Some("{}")
    final: None
    times: None None
    missing: system, tools_offered, model, input, times, usage, call_ids
    trace c
    system: ""
    tools: not stored
    tool - y({}) = Some("{}")
    final: None
    times: None None
    missing: system, tools_offered, model, input, times, usage, call_ids
    ---
    trace a
    system: ""
    input: "Why?"
    tools: not stored
    call: u -> "So." [] - Some((Some(3), Some(1))) None
    final: Some("So.")
    times: None None
    missing: system, tools_offered, model, times
    "#);
}

#[test]
fn samples_of_inspect_are_runs_in_a_log_and_in_lines() {
    let call = r#"{"id": "m1", "role": "assistant", "source": "generate", "content": "", "tool_calls": [{"id": "k", "function": "look", "arguments": {"id": 7}}]}"#;
    let model = |answer: &str, refs: &str, second: u8| {
        format!(
            r#"{{"event": "model", "model": "p/m", "timestamp": "2026-05-04T08:00:0{second}Z", "input": [], "input_refs": {refs}, "tools": [{{"name": "look", "parameters": {{}}}}], "output": {{"choices": [{{"message": {answer}, "stop_reason": "stop"}}], "usage": {{"input_tokens": 5, "output_tokens": 2}}}}}}"#
        )
    };
    let last = r#"{"id": "m2", "role": "assistant", "content": "Nowhere."}"#;
    let grade = r#"{"id": "g", "role": "assistant", "content": "attachment://h2"}"#;
    let sample = format!(
        r#"{{"id": 1, "epoch": 1, "started_at": "2026-05-04T08:00:00Z", "completed_at": "2026-05-04T08:00:09Z", "messages": [
            {{"role": "system", "content": "Be brief."}}, {{"role": "user", "content": "Where is 7?"}}, {call},
            {{"role": "tool", "tool_call_id": "k", "function": "look", "content": "", "error": {{"type": "unknown", "message": "no order 7"}}}}, {last}],
            "events": [{}, {{"event": "tool"}}, {}, {}], "events_data": {{"messages": [{{"role": "user", "content": "attachment://h1"}}]}}, "attachments": {{"h1": "Grade it.", "h2": "F"}}}}"#,
        model(call, "[[0, 1]]", 1),
        model(last, "[[0, 1]]", 2),
        model(grade, "[[0, 1], [5, 2], [-1, 9]]", 3)
    )
    .replace('\n', "");
    let log = format!(
        r#"{{"version": 2, "status": "success", "eval": {{"eval_id": "e", "task": "t"}}, "samples": [{sample}]}}"#
    );
    let lines = format!(
        "{}\n{sample}\n",
        r#"{"status": "success", "eval": {"eval_id": "e", "task": "t"}}"#
    );
    for (name, text) in [("a.json", log), ("a.eval", lines)] {
        insta::allow_duplicates! {
            assert_snapshot!(facts(name, &text), @r#"
            eval e
            system: "Be brief."
            input: "Where is 7?"
            tools: look
            call: su -> "" ["look"] m Some((Some(5), Some(2))) None
            call: suat -> "Nowhere." [] m Some((Some(5), Some(2))) None
            call: uu -> "F" [] m Some((Some(5), Some(2))) None
            tool k look({"id": 7}) = error "no order 7"
            final: Some("Nowhere.")
            times: Some("2026-05-04T08:00:00Z") Some("2026-05-04T08:00:09Z")
            missing:
            "#);
        }
    }
}

#[test]
fn a_failed_call_of_pydantic_ai_has_the_messages_of_its_agent() {
    let span = |id: &str, parent: &str, attributes: Value| {
        let attributes = attributes.as_object().unwrap().iter();
        let attributes: Vec<Value> = attributes
            .map(|(key, value)| json!({"key": key, "value": {"stringValue": value}}))
            .collect();
        json!({"traceId": "t", "spanId": id, "parentSpanId": parent, "startTimeUnixNano": "1", "status": {"code": 2, "message": "429"}, "attributes": attributes})
    };
    let mut call =
        span("c", "a", json!({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}));
    call["droppedAttributesCount"] = json!(3);
    let messages = r#"[{"role": "user", "parts": [{"type": "text", "content": "Where is 7?"}]}]"#;
    let instructions = r#"[{"type": "text", "content": "Be brief."}]"#;
    let agent =
        json!({"pydantic_ai.all_messages": messages, "gen_ai.system_instructions": instructions});
    let spans = json!([call, span("a", "", agent)]);
    let text = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    assert_snapshot!(facts("a.json", &text), @r#"
    trace t
    system: "Be brief."
    input: "Where is 7?"
    tools: not stored
    call: su -> "" [] m None Some("429")
    final: None
    times: Some("1") None
    errors: ["429"]
    missing: tools_offered, usage, request_parts
    "#);
}
