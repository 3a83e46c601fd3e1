use super::*;
use crate::redact::NameList;
use crate::session::SessionFormat;
use ::calls::secret::CustomPatterns;
use document::read;
use document::text::Source;
use document::time::{parse_time, start_of_range};

fn document(name: &str, text: &str) -> Document {
    read(Source::new(text), name)
}

fn imported(name: &str, text: &str) -> Imported {
    let document = document(name, text);
    drafts(ImportInput { file: name, document: &document }, &ImportOptions::default()).unwrap()
}

/// Returns the drafts as they would be written, with their notes.
fn shown(imported: &Imported) -> String {
    let one = |draft: &SessionDraft| {
        let notes: Vec<String> = draft.notes.iter().map(|note| format!("# {note}\n")).collect();
        format!("{}{}", notes.concat(), draft.session.render(SessionFormat::Yaml).unwrap())
    };
    let drafts: Vec<String> = imported.drafts.iter().map(one).collect();
    format!("{}passed over: {}", drafts.join("---\n"), imported.skipped)
}

/// Returns where each field of a draft came from.
fn origins(draft: &SessionDraft) -> String {
    let one = |(pointer, origin): &(String, FieldOrigin)| match origin {
        FieldOrigin::Read { file, pointer: from, place } => {
            format!("{pointer} {file}{from} {}:{}", place.line, place.column)
        }
        FieldOrigin::Generated(how) => format!("{pointer} ({how})"),
    };
    draft.origins.iter().map(one).collect::<Vec<String>>().join("\n")
}

const REPORT: &str = r#"{"version": "1.0", "started_at": "2026-05-28T06:00:12", "statistics": {}, "mutations": [
  {"original_prompt": "Refund me", "mutation": {"id": "m1", "original": "Refund me", "mutated": "refnud me", "type": "noise"},
   "response": "Sorry", "latency_ms": 9120.5, "passed": false,
   "checks": [{"check_type": "contains", "passed": false, "details": "'ticket' not found"}, {"check_type": "latency", "passed": true}],
   "error": null},
  {"original_prompt": "Refund me", "mutation": {"id": "m2", "mutated": "Please refund me", "type": "paraphrase"},
   "response": "ok", "latency_ms": 10, "passed": true, "checks": [], "error": null},
  {"original_prompt": "Refund me", "mutation": {"id": "m3", "mutated": "REFUND!", "type": "tone_shift"},
   "response": "", "latency_ms": 15000, "passed": false, "checks": [], "error": "no answer"}]}"#;

#[test]
fn a_report_gives_one_draft_for_each_failed_mutation_with_what_was_really_sent() {
    let imported = imported("reports/may.json", REPORT);
    insta::assert_snapshot!(shown(&imported), @r#"
    id: flakestorm-noise-968ae2dff01b
    name: "noise: Refund me"
    source: flakestorm_export
    captured_at: "2026-05-28T06:00:12"
    input: refnud me
    context:
      - provenance: flakestorm_report
        file: may.json
        original_prompt: Refund me
        mutation_id: m1
        mutation_type: noise
        response: Sorry
        latency_ms: 9120.5
    tool_responses: []
    expected_failure: "contains: 'ticket' not found"
    ---
    id: flakestorm-tone-shift-0122775f8bdf
    name: "tone shift: Refund me"
    source: flakestorm_export
    captured_at: "2026-05-28T06:00:12"
    input: REFUND!
    context:
      - provenance: flakestorm_report
        file: may.json
        original_prompt: Refund me
        mutation_id: m3
        mutation_type: tone_shift
        response: ""
        latency_ms: 15000
        error: no answer
    tool_responses: []
    expected_failure: "error: no answer"
    passed over: 1
    "#);
    insta::assert_snapshot!(origins(&imported.drafts[0]), @"
    /input reports/may.json/mutations/0/mutation/mutated 2:97
    /id (A digest of the imported content, the same at each import)
    /name (The mutation's type and the original prompt)
    /source (Fixed for reports)
    /captured_at reports/may.json/started_at 1:34
    /expected_failure reports/may.json/mutations/0/checks/0 4:15
    /context/0 reports/may.json/mutations/0 2:3
    /context/0/original_prompt reports/may.json/mutations/0/original_prompt 2:23
    ");
    assert_eq!(
        imported.drafts[0].answer,
        Some(AgentAnswer { text: "Sorry".to_owned(), latency_ms: Some(9120.5) })
    );
}

#[test]
fn ids_are_the_same_at_each_import_and_different_for_each_draft() {
    let ids = |name: &str| {
        imported(name, REPORT).drafts.into_iter().map(|draft| draft.session.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("a.json"), ids("elsewhere/b.json"));
    let mut twice = imported("a.json", REPORT).drafts;
    twice.extend(imported("a.json", REPORT).drafts);
    make_ids_unique(&mut twice);
    let ids: std::collections::HashSet<&str> =
        twice.iter().map(|draft| draft.session.id.as_str()).collect();
    assert_eq!(ids.len(), 4);
    assert!(twice[2].session.id.ends_with("-2"));
}

const RUN: &str = r#"{"id": "8e1f0b9e-3d0d-4a57-9f4e-1c5f1e6a2b11", "name": "Support agent", "run_type": "chain",
  "start_time": "2026-06-11T10:00:00.000000", "end_time": "2026-06-11T10:00:31.200000", "status": "error",
  "inputs": {"input": "Refund 88-2042"}, "outputs": null, "error": "TimeoutError('refund')",
  "child_runs": [
    {"id": "c3", "name": "refund_payment", "run_type": "tool", "start_time": "2026-06-11T10:00:01Z", "end_time": "2026-06-11T10:00:31Z",
     "inputs": {}, "outputs": null, "error": "504 Gateway timeout"},
    {"id": "c0", "name": "ChatOpenAI", "run_type": "llm", "start_time": "2026-06-11T10:00:00Z", "inputs": {}, "outputs": {}},
    {"id": "c1", "name": "tools", "run_type": "chain", "start_time": "2026-06-11T10:00:00.1Z", "inputs": {}, "outputs": {}, "child_runs": [
      {"id": "c2", "name": "lookup_order", "run_type": "tool", "start_time": "2026-06-11T10:00:00.100Z", "end_time": "2026-06-11T10:00:00.2804Z",
       "inputs": {}, "outputs": {"order": "88-2042", "items": [1.50, 12345678901234567890]}, "error": null},
      {"id": "c4", "name": "list_orders", "run_type": "tool", "start_time": "2026-06-11T10:00:00.3Z", "inputs": {}, "outputs": [1, 2]}]}]}"#;

#[test]
fn a_run_becomes_a_session_with_its_tools_as_they_answered() {
    let imported = imported("run.json", RUN);
    insta::assert_snapshot!(shown(&imported), @r#"
    # Tool response 2 is a list, which sessions do not support, so it is put into an object under `result`
    id: "8e1f0b9e-3d0d-4a57-9f4e-1c5f1e6a2b11"
    name: Support agent
    source: langsmith
    captured_at: "2026-06-11T10:00:00.000000"
    input: Refund 88-2042
    context:
      - provenance: langsmith_run
        run_id: "8e1f0b9e-3d0d-4a57-9f4e-1c5f1e6a2b11"
        status: error
        latency_ms: 31200
    tool_responses:
      - tool: lookup_order
        response:
          order: "88-2042"
          items:
            - 1.50
            - 12345678901234567890
        latency_ms: 180
      - tool: list_orders
        response:
          result:
            - 1
            - 2
      - tool: refund_payment
        response: 504 Gateway timeout
        status: 500
        latency_ms: 30000
    expected_failure: TimeoutError('refund')
    passed over: 0
    "#);
    insta::assert_snapshot!(origins(&imported.drafts[0]), @"
    /input run.json/inputs/input 3:23
    /tool_responses/0 run.json/child_runs/2/child_runs/0 9:7
    /tool_responses/1 run.json/child_runs/2/child_runs/1 11:7
    /tool_responses/2 run.json/child_runs/0 5:5
    /tool_responses/2/status (500 for a result that is marked as an error)
    /expected_failure (The first error of the run)
    /id run.json/id 1:8
    /name run.json/name 1:56
    /captured_at run.json/start_time 2:17
    /source (Fixed for LangSmith runs)
    /context/0 run.json 1:1
    ");
}

#[test]
fn a_list_of_runs_is_put_together_by_parents_and_filtered() {
    let list = r#"{"runs": [
      {"id": "a", "trace_id": "a", "name": "one", "start_time": "2026-06-01T00:00:00", "end_time": "2026-06-01T00:00:05", "inputs": {"question": "Why?"}, "outputs": {"output": "So."}, "error": null},
      {"id": "b", "trace_id": "a", "parent_run_id": "a", "run_type": "tool", "name": "search", "start_time": "2026-06-01T00:00:01", "end_time": "2026-06-01T00:00:02.5", "inputs": {}, "outputs": {"hits": 0}},
      {"id": "c", "trace_id": "c", "name": "two", "start_time": "2026-06-09T00:00:00", "end_time": "2026-06-09T00:00:01", "status": "error", "error": "E",
       "inputs": {"messages": [{"role": "system", "content": "Be kind"}, {"type": "human", "content": [{"type": "text", "text": "Hi"}]}]}}]}"#;
    insta::assert_snapshot!(shown(&imported("runs.json", list)), @r#"
    id: a
    name: one
    source: langsmith
    captured_at: "2026-06-01T00:00:00"
    input: Why?
    context:
      - provenance: langsmith_run
        run_id: a
        latency_ms: 5000
        response: So.
    tool_responses:
      - tool: search
        response: {hits: 0}
        latency_ms: 1500
    ---
    id: c
    name: two
    source: langsmith
    captured_at: "2026-06-09T00:00:00"
    input: Hi
    context:
      - role: system
        content: Be kind
      - provenance: langsmith_run
        run_id: c
        status: error
        latency_ms: 1000
    tool_responses: []
    expected_failure: E
    passed over: 0
    "#);
    let document = document("runs.json", list);
    let ids = |filter: Filter| {
        let options = ImportOptions { filter, ..ImportOptions::default() };
        let imported =
            drafts(ImportInput { file: "runs.json", document: &document }, &options).unwrap();
        imported.drafts.into_iter().map(|draft| draft.session.id).collect::<Vec<_>>().join(" ")
    };
    let now = parse_time("2026-06-10").unwrap();
    assert_eq!(ids(Filter { status: RunStatus::Error, ..Filter::default() }), "c");
    assert_eq!(ids(Filter { status: RunStatus::Warning, ..Filter::default() }), "a");
    assert_eq!(ids(Filter { from: start_of_range("last_7_days", now), ..Filter::default() }), "c");
    assert_eq!(ids(Filter { until: parse_time("2026-06-05T00:00:00Z"), ..Filter::default() }), "a");
    assert_eq!(ids(Filter { min_latency_ms: Some(5000), ..Filter::default() }), "a");
}

#[test]
fn runs_may_be_one_on_a_line() {
    let line = |id: &str| {
        format!(
            "{{\"id\": \"{id}\", \"trace_id\": \"{id}\", \"inputs\": {{\"input\": \"x\"}}, \"outputs\": null}}\n"
        )
    };
    let imported = imported("runs.jsonl", &format!("{}{}", line("a"), line("b")));
    let ids: Vec<&str> = imported.drafts.iter().map(|draft| draft.session.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn the_recordings_of_a_set_become_one_session_in_their_order() {
    let recording = |number: u32, messages: &str, answer: &str| {
        format!(
            r#"{{"request": {{"type": "llm_invocation_request", "requestId": "req-{number}", "timestamp": "2026-03-12T14:00:0{number}.000Z",
            "context": {{"machineTitle": "Triage"}}, "messages": [{messages}], "tools": []}},
            "response": {{"type": "llm_invocation_response", "requestId": "req-{number}", "timestamp": "2026-03-12T14:00:0{number}.400Z",
            "response": {{"content": [{answer}], "stop_reason": "tool_use"}}}}, "recordedAt": "2026-03-12T14:00:0{number}.500Z"}}"#
        )
    };
    let user = r#"{"role": "user", "content": "The export hangs"}"#;
    let call = |id: &str, name: &str| {
        format!(r#"{{"type": "tool_use", "id": "{id}", "name": "{name}", "input": {{}}}}"#)
    };
    let result = |id: &str, content: &str| {
        format!(
            r#"{{"role": "user", "content": [{{"type": "tool_result", "tool_use_id": "{id}", "content": {content}}}]}}"#
        )
    };
    let assistant = |calls: &str| format!(r#"{{"role": "assistant", "content": [{calls}]}}"#);
    let (one, two) = (call("t1", "read_Ticket"), call("t2", "search"));
    let second = format!("{user}, {}, {}", assistant(&one), result("t1", r#""{\"id\": 1}""#));
    let third = format!(
        "{second}, {}, {}",
        assistant(&two),
        result("t2", r#"[{"type": "text", "text": "none"}], "is_error": true"#)
    );
    let texts = [
        recording(1, user, &one),
        recording(2, &second, &two),
        recording(
            3,
            &third,
            &format!(
                r#"{{"type": "text", "text": "Known issue."}}, {}"#,
                call("t3", "transition_to_done")
            ),
        ),
    ];
    let documents: Vec<Document> = texts.iter().map(|text| document("turn.json", text)).collect();
    let names = ["rec/triage/turn-1.json", "rec/triage/turn-2.json", "rec/triage/turn-3.json"];
    let inputs: Vec<ImportInput<'_>> = names
        .iter()
        .zip(&documents)
        .map(|(file, document)| ImportInput { file, document })
        .collect();
    let imported = drafts_of_set(
        &inputs,
        &ImportOptions { contract: Some("c".to_owned()), ..ImportOptions::default() },
    )
    .unwrap();
    insta::assert_snapshot!(shown(&imported), @r#"
    # These calls have no recorded result and are skipped: transition_to_done
    id: recorded-triage-269f4c0982b1
    name: Triage
    source: manual
    captured_at: "2026-03-12T14:00:01.500Z"
    input: The export hangs
    context:
      - provenance: recordings
        set: triage
        files:
          - turn-1.json
          - turn-2.json
          - turn-3.json
    tool_responses:
      - tool: read_Ticket
        response: "{\"id\": 1}"
        latency_ms: 600
      - tool: search
        response: none
        status: 500
        latency_ms: 600
    contract: c
    passed over: 0
    "#);
    assert_eq!(imported.drafts[0].answer.as_ref().unwrap().text, "Known issue.");
}

#[test]
fn an_archive_distinguishes_calls_to_models_from_calls_to_tools() {
    let har = r#"{"log": {"version": "1.2", "entries": [
      {"startedDateTime": "2026-06-11T10:00:00Z", "time": 900.4, "request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages",
        "postData": {"text": "{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"Where is my parcel?\"}]}"}},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{\"content\": [{\"type\": \"tool_use\"}]}"}}},
      {"startedDateTime": "2026-06-11T10:00:01Z", "time": 30000, "request": {"method": "GET", "url": "https://shop.example.com/api/parcels/7?key=abc"},
        "response": {"status": 504, "content": {"mimeType": "application/json", "text": "{\"error\": \"timeout\"}"}}},
      {"startedDateTime": "2026-06-11T10:00:01Z", "time": 3, "request": {"method": "GET", "url": "https://shop.example.com/logo.png"},
        "response": {"status": 200, "content": {"mimeType": "image/png", "encoding": "base64", "text": "AAAA"}}},
      {"startedDateTime": "2026-06-11T10:00:01Z", "time": 12, "request": {"method": "POST", "url": "http://localhost:9000/notify"},
        "response": {"status": 0, "content": {}}},
      {"startedDateTime": "2026-06-11T10:00:02Z", "time": 800, "request": {"method": "POST", "url": "http://localhost:11434/api/chat",
        "postData": {"text": "{\"model\": \"m\", \"messages\": []}"}},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{\"choices\": [{\"message\": {\"content\": \"On its way.\"}}]}"}}}]}}"#;
    let imported = imported("incident.har", har);
    insta::assert_snapshot!(shown(&imported), @r#"
    id: har-65907c902628
    source: manual
    captured_at: "2026-06-11T10:00:00Z"
    input: Where is my parcel?
    context:
      - provenance: http_archive
        file: incident.har
        response: On its way.
        latency_ms: 800
    tool_responses:
      - tool: GET shop.example.com/api/parcels/7
        response: {error: timeout}
        status: 504
        latency_ms: 30000
      - tool: POST localhost:9000/notify
        response: null
        status: 0
        latency_ms: 12
    passed over: 1
    "#);
    assert_eq!(
        imported.drafts[0].answer,
        Some(AgentAnswer { text: "On its way.".to_owned(), latency_ms: Some(800.0) })
    );
}

#[test]
fn telemetry_in_an_archive_is_no_tool_and_bodies_in_base64_are_read() {
    use base64::Engine as _;
    use serde_json::json;
    let tools = |url: &str| {
        let har = archive(&[
            (
                "https://api.openai.com/v1/chat/completions",
                json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}),
                json!({"choices": [{"message": {"content": "Hello"}}]}),
            ),
            (url, json!({}), json!({"ok": true})),
        ]);
        let mut har: serde_json::Value = serde_json::from_str(&har).unwrap();
        for entry in har["log"]["entries"].as_array_mut().unwrap() {
            let content = &mut entry["response"]["content"];
            let text = content["text"].as_str().unwrap();
            content["text"] = base64::engine::general_purpose::STANDARD.encode(text).into();
            content["encoding"] = "base64".into();
        }
        let imported = imported("a.har", &har.to_string());
        let draft = &imported.drafts[0];
        assert_eq!(draft.answer.as_ref().unwrap().text, "Hello");
        let tools = draft.session.tool_responses.iter();
        tools.map(|tool| format!("{} {}", tool.tool, tool.response.json())).collect::<Vec<_>>()
    };
    for url in [
        "https://o4.ingest.sentry.io/api/1/envelope/?sentry_key=1",
        "https://o4.ingest.us.sentry.io/api/1/envelope/",
        "https://eu.i.posthog.com/batch/",
        "https://api.segment.io/v1/batch",
        "https://browser-intake-datadoghq.com/api/v2/rum",
        "https://http-intake.logs.datadoghq.eu/v1/input",
        "http://localhost:4318/v1/traces",
        "https://otel.corp.example/prefix/v1/metrics",
    ] {
        assert_eq!(tools(url), [""; 0], "{url}");
    }
    for url in ["https://notsentry.io/api", "https://shop.example.com/v1/orders"] {
        let path = url.strip_prefix("https://").unwrap();
        assert_eq!(tools(url), [format!("POST {path} {{\"ok\":true}}")]);
    }
}

/// Returns an archive of calls: the address, what was sent, what was answered.
fn archive(calls: &[(&str, serde_json::Value, serde_json::Value)]) -> String {
    let entries = calls.iter().enumerate().map(|(at, (url, sent, answered))| {
        let text = match answered.as_str() {
            Some(text) => text.to_owned(),
            None => answered.to_string(),
        };
        serde_json::json!({"startedDateTime": format!("2026-06-11T10:00:0{at}Z"), "time": 800 + at,
            "request": {"method": "POST", "url": url, "postData": {"text": sent.to_string()}},
            "response": {"status": 200, "content": {"mimeType": "application/json", "text": text}}})
    });
    serde_json::json!({"log": {"entries": entries.collect::<Vec<_>>()}}).to_string()
}

#[test]
fn a_conversation_in_an_archive_keeps_its_tools_answers_by_their_calls_and_the_last_answer() {
    use serde_json::json;
    let chat = "https://api.openai.com/v1/chat/completions";
    let user = json!({"role": "user", "content": "Is AF276 on time?"});
    let called = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "flight_status", "arguments": "{}"}},
        {"id": "call_2", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]});
    let answered = [
        json!({"role": "tool", "tool_call_id": "call_2", "content": "rain"}),
        json!({"role": "tool", "tool_call_id": "call_1", "content": "{\"status\":\"delayed\",\"min\":45}"}),
    ];
    let words = json!({"role": "assistant", "content": "Let me look again."});
    let more = json!({"role": "user", "content": "And now?"});
    let har = archive(&[
        ("https://shop.example.com/events", json!({}), json!({})),
        (
            chat,
            json!({"model": "m", "messages": [user]}),
            json!({"choices": [{"message": called}]}),
        ),
        (
            chat,
            json!({"model": "m", "messages": [{"role": "user", "content": "Name this conversation"}]}),
            json!({"choices": [{"message": {"content": "A flight"}}]}),
        ),
        (
            chat,
            json!({"model": "m", "messages": [user, called, answered[0], answered[1]]}),
            json!({"choices": [{"message": words}]}),
        ),
        (
            chat,
            json!({"model": "m", "messages": [user, called, answered[0], answered[1], words, more]}),
            json!(
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"AF276 \"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"is on time.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
            ),
        ),
    ]);
    insta::assert_snapshot!(shown(&imported("a.har", &har)), @r#"
    # 1 call to other hosts skipped, because the answers of the tools are in the requests to the model
    # 1 call to a model starts with another question and is skipped
    id: har-9cc1726cf1bb
    source: manual
    captured_at: "2026-06-11T10:00:01Z"
    input: Is AF276 on time?
    context:
      - provenance: http_archive
        file: a.har
        response: AF276 is on time.
        latency_ms: 804
    tool_responses:
      - tool: weather
        response: rain
      - tool: flight_status
        response: {status: delayed, min: 45}
    passed over: 0
    "#);
}

#[test]
fn answers_of_tools_are_found_in_the_archives_of_each_api() {
    use serde_json::json;
    let tools = |calls: &[(&str, serde_json::Value, serde_json::Value)]| {
        let imported = imported("a.har", &archive(calls));
        let draft = &imported.drafts[0];
        let tools: Vec<String> = draft
            .session
            .tool_responses
            .iter()
            .map(|response| {
                format!("{} = {} {:?}", response.tool, response.response.json(), response.status)
            })
            .collect();
        let answer = draft.answer.as_ref().map(|answer| answer.text.as_str());
        format!("{}\n{answer:?}", tools.join("\n"))
    };
    let anthropic = "https://api.anthropic.com/v1/messages";
    let user = json!({"role": "user", "content": "Refund 7"});
    let called = json!([{"type": "text", "text": "One moment"}, {"type": "tool_use", "id": "t1", "name": "refund", "input": {}}]);
    let result = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [{"type": "text", "text": "no such order"}]}]});
    insta::assert_snapshot!(tools(&[
        (anthropic, json!({"model": "m", "messages": [user]}), json!({"content": called})),
        (anthropic, json!({"model": "m", "messages": [user, {"role": "assistant", "content": called}, result]}),
            json!({"content": [{"type": "text", "text": "I cannot find it."}]})),
    ]), @r#"
    refund = "no such order" Some(0)
    Some("I cannot find it.")
    "#);
    let responses = "https://api.openai.com/v1/responses";
    insta::assert_snapshot!(tools(&[
        (responses, json!({"model": "m", "input": "Refund 7"}),
            json!({"output": [{"type": "function_call", "call_id": "c1", "name": "refund", "arguments": "{}"}]})),
        (responses, json!({"model": "m", "previous_response_id": "r1", "input": [{"type": "function_call_output", "call_id": "c1", "output": "[1]"}]}),
            json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": "Done."}]}]})),
    ]), @r#"
    refund = "[1]" None
    Some("Done.")
    "#);
    let gemini = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent";
    let requested = json!({"role": "user", "parts": [{"text": "Refund 7"}]});
    let turn = |one: u8| {
        [
            json!({"role": "model", "parts": [{"functionCall": {"name": "refund", "args": {}}}]}),
            json!({"role": "user", "parts": [{"functionResponse": {"name": "refund", "response": {"try": one}}}]}),
        ]
    };
    let (first, second) = (turn(1), turn(2));
    let call = |name: &str| json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": name, "args": {}}}]}}]});
    insta::assert_snapshot!(tools(&[
        (gemini, json!({"contents": [requested]}), call("refund")),
        (gemini, json!({"contents": [requested, first[0], first[1]]}), call("refund")),
        (gemini, json!({"contents": [requested, first[0], first[1], second[0], second[1]]}),
            json!({"candidates": [{"content": {"parts": [{"text": "Done."}]}}]})),
    ]), @r#"
    refund = {"try":1} None
    refund = {"try":2} None
    Some("Done.")
    "#);
}

#[test]
fn a_server_of_models_on_this_computer_is_known_by_its_port() {
    use serde_json::json;
    let har = archive(&[
        (
            "http://localhost:11434/api/generate",
            json!({"model": "m", "prompt": "Where is 7?"}),
            json!({"model": "m"}),
        ),
        ("http://localhost:8000/v1/orders", json!({"id": 7}), json!({"ok": true})),
    ]);
    let imported = imported("a.har", &har);
    let session = &imported.drafts[0].session;
    let tools = session.tool_responses.iter().map(|response| response.tool.as_str());
    assert_eq!(session.input, "Where is 7?");
    assert_eq!(tools.collect::<Vec<_>>(), ["POST localhost:8000/v1/orders"]);
}

#[test]
fn failed_and_nested_runs_are_taken_in_order_with_a_comment() {
    let run = r#"{"id": "r", "name": " ", "run_type": "chain", "trace_id": "r", "inputs": {"input": " ", "question": "Why?"}, "outputs": null, "child_runs": [
      {"id": "a", "name": "lookup_order", "run_type": "tool", "inputs": {}, "outputs": {"order": 7}, "error": "", "child_runs": [
        {"id": "b", "name": "http_get", "run_type": "tool", "inputs": {}, "outputs": null, "error": "TimeoutError\n  at 7, asked by ada@private.dev"}]},
      {"id": "c", "name": "refund", "run_type": "tool", "inputs": {}, "outputs": {"ok": false}, "error": "refused", "status": "error"}]}"#;
    let mut imported = imported("run.json", run);
    insta::assert_snapshot!(shown(&imported), @r#"
    id: r
    name: " "
    source: langsmith
    input: " "
    context:
      - provenance: langsmith_run
        run_id: r
    tool_responses:
      - tool: lookup_order
        response: {order: 7}
      - tool: http_get
        response: |-
          TimeoutError
            at 7, asked by ada@private.dev
        status: 500
      # Error: refused
      - tool: refund
        response: {ok: false}
        status: 500
    passed over: 0
    "#);
    let mut secrets = secrets(&imported.drafts, &CustomPatterns::default(), &NameList::default());
    assert_eq!(secrets[0].places, [(0, "/tool_responses/1/response".to_owned())]);
    secrets[0].choice = SecretChoice::Redact;
    imported.drafts[0].redact(&redaction(&secrets, &CustomPatterns::default())).unwrap();
    let text = imported.drafts[0].session.render(SessionFormat::Yaml).unwrap();
    assert!(!text.contains("ada@private.dev"), "{text}");
}

#[test]
fn logs_become_drafts_as_well() {
    let log = "10:00 agent starts\nInput: Where is my parcel?\n10:01 calling tool\nTimeoutError: parcels\n FAILED test_parcels\n";
    insta::assert_snapshot!(shown(&imported("run.log", log)), @r#"
    id: log-7b87bf5262fa
    source: manual
    input: Where is my parcel?
    context:
      - provenance: failure_log
        file: run.log
    tool_responses: []
    expected_failure: "TimeoutError: parcels"
    passed over: 0
    "#);
    let document = document("a.yaml", "id: a\ninput: b\n");
    let input = ImportInput { file: "a.yaml", document: &document };
    assert_eq!(drafts(input, &ImportOptions::default()).unwrap_err(), "It is already a session");
}

#[test]
fn sessions_that_are_there_are_recognised_by_content_and_by_id() {
    let draft = &imported("a.json", REPORT).drafts[0];
    let mut known_sessions = KnownSessions::default();
    let mut add = |place: &str, text: &str| {
        let document = document("a.yaml", text);
        if let DocumentBody::Session(session) = &document.body {
            known_sessions.add(&document, session, place);
        }
    };
    add("other.yaml", "id: x\ninput: refnud me\ntool_responses: [{tool: t}]\n");
    add("same.yaml", "id: y\ninput: |\n  refnud me\ntool_responses: []\n");
    add(
        "id.yaml",
        &format!("id: {}\ninput: edited\n", imported("a.json", REPORT).drafts[1].session.id),
    );
    assert_eq!(
        known_sessions.find(&draft.session),
        Some(Duplicate::Content("same.yaml".to_owned()))
    );
    assert_eq!(
        known_sessions.find(&imported("a.json", REPORT).drafts[1].session),
        Some(Duplicate::Id("id.yaml".to_owned()))
    );
}

#[test]
fn a_secret_goes_from_every_field_alike() {
    let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    let run = RUN
        .replace("Refund 88-2042", &format!("Use {key}"))
        .replace("504 Gateway timeout", &format!("bad \\\"{key}\\\""));
    let mut draft = imported("run.json", &run).drafts.remove(0);
    let drafts = [draft.clone()];
    let mut found = secrets(&drafts, &CustomPatterns::default(), &NameList::default());
    choose(&mut found, &SecretSelector::All, &[], SecretChoice::Redact);
    let redaction = redaction(&found, &CustomPatterns::default());
    draft.redact(&redaction).unwrap();
    let text = draft.session.render(SessionFormat::Yaml).unwrap();
    assert!(
        !text.contains(&key) && text.matches("[redacted-github-token-1]").count() == 2,
        "{text}"
    );
}

#[test]
fn what_is_no_session_is_refused_by_its_name() {
    let chat = "User: Hi, failed!\n\nAssistant: Sent.\n";
    let crashed = format!(
        "{chat}Traceback (most recent call last):\n  assert refund is None\nAssertionError: refund\n"
    );
    let json = "[\n  {\"level\": \"error\", \"message\": \"error: it failed\"},\n  {}\n]";
    for (name, text, what) in [
        (
            "a.jsonl",
            "{\"span\": 1}\n{\"error\": \"error: x\"}\n{\"b\": 2}\n",
            "JSON lines of an unknown kind",
        ),
        ("a.json", json, "JSON of an unknown kind"),
        ("pasted text", "  no  \n", "a text without a failure"),
        ("a.log", &crashed, ""),
        ("a.log", "request: {\"a\": 1}\ncall x {}\nexpected 2 failed\nFAIL test_a\n", ""),
    ] {
        let document = document(name, text);
        assert_eq!(is_refused(&document), !what.is_empty(), "{text}");
        let input = ImportInput { file: name, document: &document };
        let result = drafts(input, &ImportOptions::default());
        match result {
            Ok(result) => assert_eq!((result.drafts.len(), what), (1, ""), "{text}"),
            Err(reason) => {
                let start = format!("It is {what}. ");
                let is_whole = reason.starts_with(&start)
                    && reason.ends_with(". Retake does not make a session of it yet");
                assert!(!what.is_empty() && is_whole, "{reason}");
            }
        }
        let as_text = ImportOptions { as_text: true, ..ImportOptions::default() };
        assert!(drafts(input, &as_text).is_ok());
    }
}

#[test]
fn the_calls_of_an_archive_are_imported_as_a_set() {
    let user = serde_json::json!({"role": "user", "content": "Is AF276 on time?"});
    let called = serde_json::json!({"role": "assistant", "tool_calls": [
        {"id": "call_1", "function": {"name": "flight_status", "arguments": "{}"}}]});
    let answered = serde_json::json!({"role": "tool", "tool_call_id": "call_1", "content": "late"});
    let chat = "https://api.openai.com/v1/chat/completions";
    let har = archive(&[
        (
            chat,
            serde_json::json!({"model": "m", "messages": [user]}),
            serde_json::json!({"choices": [{"message": called}]}),
        ),
        (
            chat,
            serde_json::json!({"model": "m", "messages": [user, called, answered]}),
            serde_json::json!({"choices": [{"message": {"content": "No."}}]}),
        ),
    ]);
    let document = document("a.har", &har);
    let input = ImportInput { file: "calls/a.har", document: &document };
    let imported = drafts_of_set(&[input], &ImportOptions::default()).unwrap();
    insta::assert_snapshot!(shown(&imported), @r#"
    id: recorded-calls-605010d48775
    source: manual
    captured_at: "2026-06-11T10:00:00Z"
    input: Is AF276 on time?
    context:
      - provenance: recordings
        set: calls
        files:
          - a.har
    tool_responses:
      - tool: flight_status
        response: late
        latency_ms: 200
    passed over: 0
    "#);
}

#[test]
fn each_cassette_of_a_folder_becomes_a_session() {
    let cassette = |ticket: u32| {
        let user = serde_json::json!({"role": "user", "content": format!("Close ticket {ticket}")});
        let called = serde_json::json!({"role": "assistant", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "close", "arguments": "{}"}}]});
        let answered = serde_json::json!({"role": "tool", "tool_call_id": "call_1", "content": format!("closed {ticket}")});
        let call = |messages: serde_json::Value, answer: &serde_json::Value| {
            serde_json::json!({
                "request": {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "headers": {},
                    "body": serde_json::json!({"model": "m", "messages": messages}).to_string()},
                "response": {"status": {"code": 200, "message": "OK"}, "headers": {},
                    "body": {"string": serde_json::json!({"choices": [{"message": answer}]}).to_string()}}})
        };
        let calls = [
            call(serde_json::json!([user]), &called),
            call(
                serde_json::json!([user, called, answered]),
                &serde_json::json!({"role": "assistant", "content": "Done."}),
            ),
        ];
        serde_json::json!({"version": 1, "interactions": calls}).to_string()
    };
    let mut importer = Importer::new(ImportOptions::default());
    for ticket in [1, 2] {
        let path = format!("cassettes/TestClose.test_{ticket}.json");
        let document = document(&path, &cassette(ticket));
        importer.add_document(&path, document, FileOrigin::InFolder);
    }
    insta::assert_snapshot!(shown(&importer.finish()), @"
    id: recorded-testclose-test-1-ea7a8abf93b1
    source: manual
    input: Close ticket 1
    context:
      - provenance: recordings
        set: TestClose.test_1
        files:
          - TestClose.test_1.json
    tool_responses:
      - tool: close
        response: closed 1
    ---
    id: recorded-testclose-test-2-ca273511f5cc
    source: manual
    input: Close ticket 2
    context:
      - provenance: recordings
        set: TestClose.test_2
        files:
          - TestClose.test_2.json
    tool_responses:
      - tool: close
        response: closed 2
    passed over: 0
    ");
}

#[test]
fn a_cassette_of_failed_calls_says_so() {
    let call = |status: u16| {
        format!(
            "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', body: '{{\"model\":\"m\",\"messages\":[]}}', headers: {{}}}}\n  response: {{status: {{code: {status}, message: x}}, headers: {{}}, body: {{string: '{{\"error\": {{}}}}'}}}}\n"
        )
    };
    let text = format!("version: 1\ninteractions:\n{}{}{}", call(404), call(400), call(404));
    let document = document("a.yaml", &text);
    let input = ImportInput { file: "a.yaml", document: &document };
    assert_eq!(
        drafts(input, &ImportOptions::default()).unwrap_err(),
        "It holds only failed calls (status 400, 404)"
    );
}

#[test]
fn steps_of_a_run_are_responses_only_where_nothing_shows_its_tools() {
    let run = r#"{"id": "r", "name": "agent", "run_type": "chain", "trace_id": "r", "inputs": {"input": "Why?"}, "outputs": null, "child_runs": [
      {"id": "a", "name": "steps", "run_type": "chain", "inputs": {}, "outputs": {}, "child_runs": [
        {"id": "b", "name": "search", "run_type": "tool", "inputs": {}, "outputs": {}},
        {"id": "c", "name": "fetch", "run_type": "chain", "inputs": {}, "outputs": {}}]},
      {"id": "d", "name": "chat", "run_type": "llm", "inputs": {}, "outputs": ANSWER},
      {"id": "e", "name": "read", "run_type": "parser", "inputs": {}, "outputs": {}}]}"#;
    let tools = |kind: &str, answer: &str| {
        let run = run.replace("tool", kind).replace("ANSWER", answer);
        let imported = imported("run.json", &run);
        let responses = &imported.drafts[0].session.tool_responses;
        responses.iter().map(|response| response.tool.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(tools("tool", "{}"), "search");
    assert_eq!(tools("prompt", "{}"), "fetch");
    assert_eq!(tools("prompt", r#"{"output": "So."}"#), "");
}

#[test]
fn what_a_graph_wraps_around_the_answers_of_tools_is_removed_and_its_last_message_is_the_answer() {
    let message = |content: &str, more: &str| {
        format!(
            r#"{{"content": {content}, "additional_kwargs": {{}}, "type": "tool", "name": "t", "tool_call_id": "c"{more}}}"#
        )
    };
    let serialized = format!(
        r#"{{"output": {{"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": {}}}}}"#,
        message("\"kept\"", "")
    );
    let outputs = [
        format!(r#"{{"output": {}}}"#, message(r#""{\"order\": 1}""#, "")),
        format!(
            r#"{{"messages": [{}]}}"#,
            message(r#""Error: too much""#, r#", "status": "error""#)
        ),
        format!(
            r#"{{"output": {}}}"#,
            message(r#"[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]"#, "")
        ),
        serialized,
        r#"{"output": "plain", "price": NaN, "most": -Infinity}"#.to_owned(),
    ];
    let children: Vec<String> = outputs
        .iter()
        .enumerate()
        .map(|(at, outputs)| format!(r#"{{"id": "{at}", "name": "t{at}", "run_type": "tool", "inputs": {{}}, "outputs": {outputs}}}"#))
        .chain([r#"{"id": "5", "name": "t5", "run_type": "tool", "inputs": {}, "outputs": {}, "status": "error"}"#.to_owned()])
        .collect();
    let run = format!(
        r#"{{"id": "r", "name": "g", "run_type": "chain", "trace_id": "r", "inputs": {{"messages": [{{"role": "user", "content": "Refund NaN"}}]}},
        "outputs": {{"messages": [{{"type": "human", "content": "Refund NaN"}}, {{"type": "ai", "content": "Done."}}]}}, "child_runs": [{}]}}"#,
        children.join(", ")
    );
    for text in [
        run.clone(),
        format!("[{run}]"),
        run.replace('\n', " ") + "\n" + &run.replace('\n', " ").replace("\"r\"", "\"s\""),
    ] {
        let imported = imported("runs.json", &text);
        let text = shown(&imported);
        let first = text.split("---").next().unwrap().split("passed over").next().unwrap();
        insta::allow_duplicates! {
            insta::assert_snapshot!(first, @r#"
            id: r
            name: g
            source: langsmith
            input: Refund NaN
            context:
              - provenance: langsmith_run
                run_id: r
                response: Done.
            tool_responses:
              - tool: t0
                response: "{\"order\": 1}"
              - tool: t1
                response: "Error: too much"
                status: 500
              - tool: t2
                response: |-
                  a
                  b
              - tool: t3
                response: kept
              - tool: t4
                response: {output: plain, price: null, most: null}
              - tool: t5
                response: {}
                status: 500
            "#);
        }
        let document = read(
            Source::new(imported.drafts[0].session.render(SessionFormat::Yaml).unwrap()),
            "a.yaml",
        );
        let DocumentBody::Session(session) = &document.body else { panic!("no session") };
        assert_eq!(crate::contract::incident_answer(&document, session).unwrap().text, "Done.");
    }
    let broken = document("runs.json", &run.replace("NaN", "NaNs"));
    let input = ImportInput { file: "runs.json", document: &broken };
    let reason = drafts(input, &ImportOptions::default()).unwrap_err();
    assert!(
        broken.problems.iter().any(|problem| reason.contains(&problem.place.to_string())),
        "{reason}"
    );
}

#[test]
fn each_run_of_an_agent_becomes_a_session() {
    let line = |kind: &str, content: &str| {
        format!(
            r#"{{"type": "{kind}", "sessionId": "s-1", "timestamp": "2026-05-04T08:00:00Z", "message": {{"id": "{kind}", "role": "{kind}", "content": {content}}}}}"#
        ) + "\n"
    };
    let call = |id: &str| {
        format!(r#"{{"type": "tool_use", "id": "{id}", "name": "Read", "input": {{}}}}"#)
    };
    let transcript = [
        line("user", r#""Is it done?""#),
        line("assistant", &format!("[{}, {}]", call("a"), call("b"))),
        line(
            "user",
            r#"[{"type": "tool_result", "tool_use_id": "a", "content": "missing", "is_error": true}]"#,
        ),
        line("user", r#""And now?""#),
    ];
    insta::assert_snapshot!(shown(&imported("a.jsonl", &transcript.concat())), @r#"
    # A session has one input, without 1 later message of the user
    # These calls have no recorded result and are skipped: Read
    id: claude-code-5cb361c5b080
    source: manual
    captured_at: "2026-05-04T08:00:00Z"
    input: Is it done?
    context:
      - provenance: claude-code
        file: a.jsonl
        session: s-1
    tool_responses:
      - tool: Read
        response: missing
        status: 500
    passed over: 0
    "#);
    let chat = "User: Where is A?\n[track(number=\"A\") -> In transit]\nAssistant: On its way.\n";
    insta::assert_snapshot!(shown(&imported("a.txt", chat)), @"
    id: chat-b7fde1386c1f
    source: manual
    input: Where is A?
    context:
      - provenance: chat
        file: a.txt
    tool_responses:
      - tool: track
        response: In transit
    passed over: 0
    ");
    insta::assert_snapshot!(origins(&imported("a.txt", chat).drafts[0]), @"
    /input (The chat)
    /tool_responses/0 (The chat)
    /id (A digest of the imported content, the same at each import)
    /source (For entry by hand)
    /context/0 (The imported run)
    ");
    let messages =
        r#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]"#;
    insta::assert_snapshot!(shown(&imported("a.json", messages)), @"
    id: chat-977083cee915
    source: manual
    input: Hi
    context:
      - provenance: chat
        file: a.json
    tool_responses: []
    passed over: 0
    ");
    let lines = messages.replace("}, {", "}\n{").replace(['[', ']'], "");
    assert_eq!(imported("a.jsonl", &lines).drafts[0].session.input, "Hi");
}
