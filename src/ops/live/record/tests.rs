use super::*;
use crate::format::{Document, DocumentBody, read};
use crate::ops::api::{ResponseContext, ResponseWriter, Route};
use crate::ops::live::answer::ServedAnswer;
use crate::ops::live::client_call::ClientCall;
use crate::ops::tape::playback::TapePlayback;
use crate::text::Source;

fn route(path: &str) -> Route {
    Route::from_request("POST", path, path.contains(":stream").then_some("alt=sse")).unwrap()
}

fn head(status: u16, content_type: &str) -> ResponseHead {
    ResponseHead {
        status,
        content_type: content_type.to_owned(),
        encoding: String::new(),
    }
}

fn pending_tape(
    path: &str,
    request: &str,
    recorder: Option<StreamRecorder>,
    outcome: &ProxyOutcome,
) -> PendingTape {
    let route = Route::from_request("POST", path, None);
    let metadata = CallMetadata {
        at: "2026-03-09T11:02:17.5Z".parse().unwrap(),
        route: route.as_ref(),
        request: Some(request.as_bytes()),
        label: None,
        comment: None,
        credentials: &Credentials::default(),
        config_orders: &ConfigOrders::default(),
    };
    PendingTape::new(metadata, recorder, outcome)
}

fn played(document: &Document) -> ServedAnswer {
    match &document.body {
        DocumentBody::Tape(tape) => {
            ServedAnswer::from_tape(document, tape, &TapePlayback::default())
        }
        other => panic!("{other:?}"),
    }
}

const TAPE: &str = r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {}, "stream": [{"delayNs": 5, "text": "On "}, {"delayNs": 2, "text": "it."},
    {"delayNs": 1, "text": "\n{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"go\",\"input\":{\"z\":1}}"}, {"delayNs": 9, "text": "\n{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"go\",\"input\":{}}"}]}"#;

#[test]
fn a_served_tape_is_recorded_unchanged_with_each_api() {
    let before = played(&read(Source::new(TAPE), "tape.json"));
    let stream = r#"{"model":"m","stream":true}"#;
    let apis = [
        ("/v1/messages", stream),
        ("/v1/chat/completions", stream),
        ("/v1/responses", stream),
        ("/v1beta/models/m:streamGenerateContent", "{}"),
    ];
    for (path, body) in apis {
        let mut route = route(path);
        let call = ClientCall::read(&mut route, "c", body).unwrap();
        let context = ResponseContext {
            number: 1,
            model: "m".to_owned(),
            created: 1,
        };
        let mut writer = ResponseWriter::new(&route, call.with_usage, context);
        let mut recorder = StreamRecorder::new(Some(&route), head(200, "text/event-stream"));
        for (index, piece) in before.fragments.iter().enumerate() {
            let (blocks, end) = before.fragment(index);
            let bytes = writer.fragment(blocks, end);
            recorder.push_bytes(bytes.as_bytes(), piece.due_nanos);
        }
        let pending = pending_tape(path, body, Some(recorder), &ProxyOutcome::Done);
        let after = read(Source::new(pending.json.as_str()), "tape.json");
        assert_eq!(after.problems.len(), 0, "{path}");
        assert_eq!(played(&after), before, "{path}");
        assert_eq!(pending.notes, [""; 0], "{path}");
    }
}

#[test]
fn an_answer_that_is_not_streamed_is_one_chunk() {
    let before = played(&read(Source::new(TAPE), "tape.json"));
    let paths = [
        "/v1/messages",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1beta/models/m:generateContent",
    ];
    for path in paths {
        let route = route(path);
        let context = ResponseContext {
            number: 1,
            model: "m".to_owned(),
            created: 1,
        };
        let mut recorder = StreamRecorder::new(Some(&route), head(200, "application/json"));
        recorder.push_bytes(before.document(route.api, &context).as_bytes(), 17);
        let pending = pending_tape(
            path,
            r#"{"model":"m"}"#,
            Some(recorder),
            &ProxyOutcome::Done,
        );
        let after = played(&read(Source::new(pending.json.as_str()), "tape.json"));
        assert_eq!(
            (after.fragments.len(), after.last_nanos()),
            (1, 17),
            "{path}"
        );
        assert_eq!(
            after.document(route.api, &context),
            before.document(route.api, &context),
            "{path}"
        );
    }
}

#[test]
fn a_call_that_did_not_end_well_is_kept_and_marked() {
    let path = "/v1/messages";
    let mut refused = StreamRecorder::new(Some(&route(path)), head(429, "application/json"));
    refused.push_bytes(br#"{"type":"error"}"#, 3);
    let tape = pending_tape(
        path,
        r#"{"model":"m","messages":[]}"#,
        Some(refused),
        &ProxyOutcome::Done,
    );
    insta::assert_snapshot!(tape.json, @r#"
    {
      "meta": {
        "model": "m",
        "recordedAt": "2026-03-09T11:02:17.500Z",
        "sdk": "Anthropic messages",
        "comment": "The call was refused with status 429.",
        "ended": {
          "how": "refused",
          "status": 429,
          "body": "{\"type\":\"error\"}"
        }
      },
      "request": {
        "model": "m",
        "messages": []
      },
      "stream": [
        {
          "delayNs": 3,
          "text": "{\"type\":\"error\"}"
        }
      ]
    }
    "#);
    let unreached = ProxyOutcome::Unreached(502, "Nobody listens at 127.0.0.1:1".to_owned());
    let ended = |outcome: &ProxyOutcome, recorder: Option<StreamRecorder>| {
        let tape = pending_tape(path, "no json", recorder, outcome);
        let document = read(Source::new(tape.json.as_str()), "t.json");
        format!("{:?} {:?}", played(&document).ending, tape.notes)
    };
    insta::assert_snapshot!(ended(&unreached, None), @r#"Refused { status: 502, body: "Nobody listens at 127.0.0.1:1" } ["The request is no JSON and is left out", "Nobody listens at 127.0.0.1:1"]"#);
    let half = || {
        let mut recorder = StreamRecorder::new(Some(&route(path)), head(200, "text/event-stream"));
        recorder.push_bytes(b"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\ndata: {\n\n", 3);
        Some(recorder)
    };
    insta::assert_snapshot!(ended(&ProxyOutcome::Done, half()), @r#"CutOff ["1 event is no JSON and left out", "The request is no JSON and is left out", "The stream breaks off: nothing says that it is over"]"#);
    insta::assert_snapshot!(ended(&ProxyOutcome::Cancelled, half()), @r#"CutOff ["1 event is no JSON and left out", "The request is no JSON and is left out", "The client hung up"]"#);
    insta::assert_snapshot!(ended(&ProxyOutcome::CutOff("The connection broke".to_owned()), half()), @r#"CutOff ["1 event is no JSON and left out", "The request is no JSON and is left out", "The connection broke"]"#);
}

#[test]
fn lists_and_lines_are_recorded_too() {
    let list = Route::from_request("POST", "/v1beta/models/m:streamGenerateContent", None).unwrap();
    let mut recorder = StreamRecorder::new(Some(&list), head(200, "application/json"));
    recorder.push_bytes(
        b"[{\n  \"candidates\": [{\"content\": {\"parts\": [{\"text\": \"a}\\\"{\"}]}}]\n}",
        1,
    );
    recorder.push_bytes(b",\r\n{\"candidates\": [{\"finishReason\": \"STOP\", \"content\": {\"parts\": [{\"text\": \"b\"}]}}]}]", 7);
    let served = |recorder: StreamRecorder| {
        let tape = pending_tape("/x", "", Some(recorder), &ProxyOutcome::Done);
        format!("{:?}", played(&read(Source::new(tape.json), "t.json")))
    };
    insta::assert_snapshot!(served(recorder), @r#"ServedAnswer { model: Some("unknown"), fragments: [Fragment { due_nanos: 1, blocks: [Text("a}\"{")] }, Fragment { due_nanos: 7, blocks: [Text("b")] }], ending: Whole(End) }"#);
    let mut recorder = StreamRecorder::new(None, head(200, "application/x-ndjson"));
    recorder.push_bytes(b"{\"a\":1}\n{\"a\"", 1);
    recorder.push_bytes(b":2}\n{}", 5);
    insta::assert_snapshot!(served(recorder), @r#"ServedAnswer { model: Some("unknown"), fragments: [Fragment { due_nanos: 1, blocks: [Text("{\"a\":1}\n")] }, Fragment { due_nanos: 5, blocks: [Text("{\"a\":2}\n")] }, Fragment { due_nanos: 5, blocks: [Text("{}")] }], ending: Whole(End) }"#);
}

#[test]
fn files_are_called_after_their_calls() {
    assert_eq!(
        file_stem(Some("Refund, explained/../x"), "m"),
        "refund-explained-..-x"
    );
    assert_eq!(
        file_stem(None, "models/gemini-2.5-flash"),
        "models-gemini-2.5-flash"
    );
    assert_eq!(file_stem(Some(" "), "//"), "tape");
}
