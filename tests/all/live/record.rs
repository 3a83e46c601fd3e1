//! `retake record`, between a client and another side that says what the test has written.

use std::io::Write as _;
use std::net::{Shutdown, TcpListener, TcpStream};

use base64::Engine as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::mock::{Mock, say};
use super::{Running, receive, send, tape};
use crate::project::Project;

const SSE: &str = "Content-Type: text/event-stream\r\n";
const KEYS: &str = "Authorization: Bearer sk-secret-1\r\nX-Api-Key: sk-secret-2\r\nx-goog-api-key: sk-secret-3\r\n";

fn event(text: &str) -> String {
    let json = json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": "STOP" }] });
    format!("data: {json}\r\n\r\n")
}

const GEMINI: &str = "POST /v1beta/models/m:streamGenerateContent?alt=sse&key=sk-secret-4";
const REQUEST_BODY: &str = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"generationConfig":{"temperature":0.5}}"#;

fn recording(project: &Project, upstream: &str) -> (Running, std::net::SocketAddr) {
    Running::listening(project, &["record", "--upstream", upstream, "--to", "out"])
}

fn written(project: &Project, line: &Value) -> Value {
    let path = line["tape"].as_str().unwrap_or_else(|| panic!("{line}"));
    let text = project.read(path);
    assert!(!text.contains("sk-secret"), "{text}");
    serde_json::from_str(&text).unwrap()
}

fn text(tape: &Value) -> String {
    let chunks = tape["stream"].as_array().unwrap().iter();
    chunks.map(|chunk| chunk["text"].as_str().unwrap()).collect()
}

#[test]
fn a_call_passes_byte_by_byte_and_becomes_a_tape_without_its_keys() {
    let project = Project::new(&[]);
    let body = event("Hel") + &event("lo");
    let text_of_body = body.clone();
    let upstream = Mock::start(move |_, stream| {
        let headers = format!("{SSE}X-Own: Kept\r\nKeep-Alive: timeout=5\r\n");
        say(stream, "200 OK", &headers, text_of_body.as_bytes());
    });
    let (mut record, at) = recording(&project, &(upstream.url() + "/base/"));
    let headers = format!(
        "{KEYS}X-Retake-Label: Greeting, short\r\nX-Retake-Comment: By hand.\r\nProxy-Connection: close\r\n"
    );
    let reply = receive(send(at, GEMINI, &headers, REQUEST_BODY));
    assert_eq!((reply.status, reply.text()), (200, body));
    assert!(
        reply.head.contains("x-own: kept") && !reply.head.contains("keep-alive"),
        "{}",
        reply.head
    );
    let received = upstream.received.recv().unwrap();
    let (head, body) = received.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with(&GEMINI.replace("/v1beta", "/base/v1beta")), "{head}");
    assert_eq!(body, REQUEST_BODY);
    for line in KEYS.lines().chain([&*format!("Host: {}", upstream.address)]) {
        assert!(head.to_ascii_lowercase().contains(&line.to_ascii_lowercase()), "{line}: {head}");
    }
    assert!(
        !head.to_ascii_lowercase().contains("retake")
            && !head.to_ascii_lowercase().contains("proxy"),
        "{head}"
    );
    let line = record.line();
    assert_eq!(
        (&line["tape"], &line["ended"]),
        (&json!("out/greeting-short-1.json"), &json!("done"))
    );
    assert!(!line.to_string().contains("sk-secret"));
    let tape = written(&project, &line);
    assert_eq!(
        tape["request"],
        json!({ "model": "m", "contents": "Hi", "config": { "temperature": 0.5 } })
    );
    let meta = &tape["meta"];
    assert_eq!((&meta["label"], &meta["comment"]), (&json!("Greeting, short"), &json!("By hand.")));
    assert_eq!(meta["ended"], Value::Null);
    let texts: Vec<&Value> =
        tape["stream"].as_array().unwrap().iter().map(|chunk| &chunk["text"]).collect();
    assert_eq!(texts, ["Hel", "lo"]);
    assert_eq!(project.run(&["check", "out"]).code, Some(0));
}

#[test]
fn what_is_packed_goes_through_packed_and_is_text_on_the_tape() {
    let project = Project::new(&[]);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(event("Hello").as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let text_of_body = packed.clone();
    let upstream = Mock::start(move |_, stream| {
        say(stream, "200 OK", &format!("{SSE}Content-Encoding: gzip\r\n"), &text_of_body);
    });
    let (mut record, at) = recording(&project, &upstream.url());
    let reply = receive(send(at, GEMINI, "Accept-Encoding: gzip, zstd\r\n", REQUEST_BODY));
    assert_eq!(reply.body, packed);
    let received = upstream.received.recv().unwrap().to_ascii_lowercase();
    assert!(received.contains("accept-encoding: gzip\r\n"), "{received}");
    assert_eq!(text(&written(&project, &record.line())), "Hello");
}

#[test]
fn a_server_that_refuses_or_is_missing_is_reported_and_recorded() {
    let project = Project::new(&[]);
    let upstream = Mock::start(|_, stream| say(stream, "429 Slow down", "", b"{\"error\":{}}"));
    let (mut record, at) = recording(&project, &upstream.url());
    assert_eq!(receive(send(at, GEMINI, KEYS, REQUEST_BODY)).status, 429);
    let ended = &written(&project, &record.line())["meta"]["ended"];
    assert_eq!(*ended, json!({ "how": "refused", "status": 429, "body": "{\"error\":{}}" }));

    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (mut record, at) = recording(&project, &format!("http://{unused}"));
    let reply = receive(send(at, GEMINI, KEYS, REQUEST_BODY));
    let message = reply.json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(reply.status, 502);
    assert!(message.starts_with(&format!("{unused} cannot be reached: ")), "{message}");
    let line = record.line();
    assert_eq!((&line["ended"], &line["status"]), (&json!("unreached"), &json!(502)));
    let tape = written(&project, &line);
    assert_eq!(tape["meta"]["ended"]["status"], 502);
    assert_eq!(tape["request"]["contents"], "Hi");
}

#[test]
fn a_request_that_its_client_cuts_off_is_no_fault_of_the_server() {
    let project = Project::new(&[]);
    let mut held = Vec::new();
    let upstream = Mock::start(move |_, stream| held.push(stream.try_clone().unwrap()));
    let (mut record, at) = recording(&project, &upstream.url());
    let chunked = "Transfer-Encoding: chunked\r\n\r\n";
    for (head, body) in [
        ("Content-Length: 9\r\n\r\n", "{\"a\""),
        (chunked, "4\r\n{\"a\""),
        (chunked, "x\r\n{\"a\"\r\n"),
    ] {
        let mut stream = TcpStream::connect(at).unwrap();
        let request =
            format!("{GEMINI} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n{head}{body}");
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let reply = receive(stream);
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.text().contains("The request was cut off"), "{reply:?}");
        let line = record.line();
        assert_eq!(
            (&line["ended"], &line["message"], &line["tape"]),
            (&json!("refused"), &json!("The request was cut off"), &Value::Null)
        );
    }
}

#[test]
fn a_stream_that_breaks_or_is_no_stream_is_passed_on_and_marked() {
    let project = Project::new(&[]);
    let mut turn = 0;
    let upstream = Mock::start(move |_, stream| {
        turn += 1;
        let half = event("Hel").replace("\"finishReason\":\"STOP\"", "\"index\":0");
        if turn == 1 {
            let size = half.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{SSE}\r\n{size:x}\r\n{half}\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            let _ = stream.shutdown(Shutdown::Both);
        } else {
            say(stream, "200 OK", SSE, format!("data: {{\n\n{}", event("lo")).as_bytes());
        }
    });
    let (mut record, at) = recording(&project, &upstream.url());
    let reply = receive(send(at, GEMINI, KEYS, REQUEST_BODY));
    assert!(!reply.is_whole && reply.text().contains("Hel"));
    let line = record.line();
    assert_eq!(line["ended"], "cut-off", "{line}");
    let tape = written(&project, &line);
    assert_eq!((text(&tape), &tape["meta"]["ended"]["how"]), ("Hel".to_owned(), &json!("cut-off")));

    let reply = receive(send(at, GEMINI, KEYS, REQUEST_BODY));
    assert!(reply.is_whole && reply.text().starts_with("data: {\n\n"));
    let line = record.line();
    assert_eq!(line["notes"], json!(["1 event is no JSON and left out"]));
    assert_eq!(text(&written(&project, &line)), "lo");
}

#[test]
fn a_side_that_stalls_is_given_up_and_what_came_is_kept() {
    let project = Project::new(&[]);
    let mut held = Vec::new();
    let upstream = Mock::start(move |request, stream| {
        if request.contains("stall in mid-stream") {
            let half = event("Hel").replace("\"finishReason\":\"STOP\"", "\"index\":0");
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n{SSE}\r\n{half}");
            stream.write_all(head.as_bytes()).unwrap();
        }
        // It stays open, and nothing more comes.
        held.push(stream.try_clone().unwrap());
    });
    let with_timeout = |seconds: &str| {
        let upstream = upstream.url();
        let arguments = ["record", "--upstream", &upstream, "--to", "out", "--patience", seconds];
        Running::listening(&project, &arguments)
    };
    let (mut record, at) = with_timeout("0.05");
    let reply = receive(send(at, GEMINI, KEYS, REQUEST_BODY));
    let message = reply.json()["error"]["message"].to_string();
    assert_eq!(reply.status, 504, "{message}");
    assert!(message.contains("did not answer within 50 ms"), "{message}");
    let tape = written(&project, &record.line());
    assert_eq!(tape["meta"]["ended"]["status"], 504);

    let (mut record, at) = with_timeout("1");
    let received = REQUEST_BODY.replace("Hi", "stall in mid-stream");
    let reply = receive(send(at, GEMINI, KEYS, &received));
    assert!(!reply.is_whole && reply.text().contains("Hel"), "{reply:?}");
    let line = record.line();
    assert_eq!(line["ended"], "cut-off", "{line}");
    let why = line["message"].as_str().unwrap();
    assert!(why.ends_with("sent no data for 1.0 s"), "{why}");
    let tape = written(&project, &line);
    assert_eq!((text(&tape), &tape["meta"]["ended"]["how"]), ("Hel".to_owned(), &json!("cut-off")));
}

#[test]
fn a_stream_that_holds_no_events_is_reported() {
    let project = Project::new(&[]);
    let upstream = Mock::start(|_, stream| say(stream, "200 OK", SSE, b"<html>Sorry</html>\n"));
    let (mut record, at) = recording(&project, &upstream.url());
    assert_eq!(receive(send(at, GEMINI, KEYS, REQUEST_BODY)).text(), "<html>Sorry</html>\n");
    let line = record.line();
    assert_eq!(
        line["notes"],
        json!(["The answer says that it is a stream of events, but there is none in it"])
    );
}

#[test]
fn a_call_that_is_cancelled_and_one_that_is_under_way_at_the_end_are_kept() {
    let request = r#"{"model":"m","stream":true}"#;
    let project = Project::new(&[("tapes/a.json", &tape(request, &[(0, "a"), (3_600_000, "b")]))]);
    let (_serve, upstream) = Running::listening(&project, &["serve", "tapes"]);
    let (mut record, at) = recording(&project, &format!("http://{upstream}"));
    let begin = |at| {
        let mut client = send(at, "POST /v1/messages", KEYS, request);
        // The first chunk has arrived when its text has.
        let mut arrived = Vec::new();
        while !String::from_utf8_lossy(&arrived).contains("text_delta") {
            let mut byte = [0];
            std::io::Read::read_exact(&mut client, &mut byte).unwrap();
            arrived.extend(byte);
        }
        client
    };
    drop(begin(at));
    let line = record.line();
    assert_eq!(line["ended"], "cancelled", "{line}");
    let tape = written(&project, &line);
    assert_eq!(
        (text(&tape), &tape["meta"]["ended"]),
        ("a".to_owned(), &json!({ "how": "cancelled", "complete": false }))
    );
    for signal in ["INT", "TERM", "HUP"] {
        if signal == "HUP" && ignores_hangup() {
            eprintln!("These tests run where a closed terminal is ignored: SIGHUP was not tried");
            continue;
        }
        let (record, at) = recording(&project, &format!("http://{upstream}"));
        let client = begin(at);
        let (code, rest) = record.end_by(signal);
        drop(client);
        let line: Value =
            serde_json::from_str(&rest).unwrap_or_else(|error| panic!("{error}: {rest}"));
        assert_eq!((code, &line["ended"]), (Some(0), &json!("stopped")));
        let tape = written(&project, &line);
        assert_eq!(
            (text(&tape), &tape["meta"]["ended"]["how"]),
            ("a".to_owned(), &json!("cut-off"))
        );
    }
}

/// Whether these tests were started with `nohup`, which what they start inherits.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| mask.trim().ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']))
}

/// The end of a stream of each API that is streamed: what brings a text, and the last event.
const LAST_EVENTS: [(&str, &str, &str); 6] = [
    (
        "POST /v1/chat/completions",
        r#"data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#,
        "data: [DONE]",
    ),
    (
        "POST /v1/messages",
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
        r#"data: {"type":"message_stop"}"#,
    ),
    (
        "POST /v1/responses",
        r#"data: {"type":"response.output_text.delta","delta":"Hi"}"#,
        r#"data: {"type":"response.completed","response":{}}"#,
    ),
    (
        "POST /v1/responses",
        r#"data: {"type":"response.output_text.delta","delta":"Hi"}"#,
        r#"data: {"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#,
    ),
    (
        "POST /v1/responses",
        r#"data: {"type":"response.output_text.delta","delta":"Hi"}"#,
        r#"data: {"type":"response.failed","response":{"error":{"code":"server_error","message":"Later"}}}"#,
    ),
    (
        GEMINI,
        r#"data: {"candidates":[{"content":{"parts":[{"text":"H"}]}}]}"#,
        r#"data: {"candidates":[{"content":{"parts":[{"text":"i"}]},"finishReason":"STOP"}]}"#,
    ),
];

#[test]
fn a_stream_is_complete_at_its_last_event_no_matter_which_side_closes_the_connection() {
    let project = Project::new(&[]);
    let mut held = Vec::new();
    let upstream = Mock::start(move |request, stream| {
        let all = LAST_EVENTS.iter();
        let wanted = all.clone().position(|(_, _, last)| request.ends_with(last));
        let (_, text, last) = LAST_EVENTS[wanted.unwrap()];
        let events = format!("{text}\n\n{last}\n\n");
        let head = format!("HTTP/1.1 200 OK\r\n{SSE}Transfer-Encoding: chunked\r\n\r\n");
        let answer = format!("{head}{:x}\r\n{events}\r\n", events.len());
        stream.write_all(answer.as_bytes()).unwrap();
        // The chunk that ends the transfer never comes; where the client waits for it, the connection breaks.
        if request.contains("x-client: waits") {
            drop(stream.shutdown(Shutdown::Both));
        } else {
            held.push(stream.try_clone().unwrap());
        }
    });
    let (mut record, at) = recording(&project, &upstream.url());
    for (path, _, last) in LAST_EVENTS {
        for client in ["closes", "waits"] {
            let mut stream = send(at, path, &format!("x-client: {client}\r\n"), last);
            let mut arrived = Vec::new();
            while !arrived.ends_with(format!("{last}\n\n").as_bytes()) {
                let mut byte = [0];
                std::io::Read::read_exact(&mut stream, &mut byte).unwrap();
                arrived.extend(byte);
            }
            if client == "waits" {
                let _ = std::io::Read::read_to_end(&mut stream, &mut arrived);
            }
            drop(stream);
            let line = record.line();
            assert_eq!(line["ended"], "done", "{path} {client}: {line}");
            let tape = written(&project, &line);
            assert_eq!(text(&tape), "Hi", "{path}");
            let how = if last.contains("failed") { json!("error") } else { Value::Null };
            assert_eq!(tape["meta"]["ended"]["how"], how, "{path} {client}");
        }
    }
}

#[test]
fn a_key_that_the_other_side_repeats_is_masked_on_the_tape_alone() {
    let project = Project::new(&[]);
    let upstream = Mock::start(|request, stream| {
        if request.contains("sse") {
            let event = |text: &str| {
                let event =
                    json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] });
                format!("data: {event}\n\n")
            };
            let last = self::event("ret-3.");
            let events = event("Your keys are sk-secret-2 and sk-") + &event("sec") + &last;
            say(stream, "200 OK", SSE, events.as_bytes());
        } else {
            let (head, _) = request.split_once("\r\n\r\n").unwrap();
            let body = json!({ "error": { "message": head } }).to_string();
            let kind = "Content-Type: application/json\r\n";
            say(stream, "401 Unauthorized", kind, body.as_bytes());
        }
    });
    let (mut record, at) = recording(&project, &upstream.url());
    let received = REQUEST_BODY.replace("Hi", "Why is sk-secret-1 refused?");
    let reply = receive(send(at, GEMINI, KEYS, &received));
    assert!(reply.text().contains("sk-secret-2 and sk-"), "{reply:?}");
    let tape = written(&project, &record.line());
    let text_of_body = text(&tape);
    let words: Vec<&str> = text_of_body.split_whitespace().collect();
    assert!(matches!(words[..], ["Your", "keys", "are", one, "and", other]
            if one.starts_with("[redacted-credential-") && other.ends_with("].")));
    let chunks = tape["stream"].as_array().unwrap();
    assert_eq!((chunks.len(), &chunks[1]["text"]), (3, &json!("")));
    assert!(tape["request"]["contents"].as_str().unwrap().starts_with("Why is [redacted-"));
    let comment = tape["meta"]["comment"].as_str().unwrap();
    let masked = "Credentials that the client sent are masked, 1 time in the request and 2 times in the answer.";
    assert!(comment.ends_with(masked), "{comment}");

    let cookie = "Cookie: session=sk-secret-5\r\n";
    let refused = GEMINI.replace("alt=sse", "alt=json");
    let reply = receive(send(at, &refused, &format!("{KEYS}{cookie}"), REQUEST_BODY));
    for key in 1..=5 {
        let key = format!("sk-secret-{key}");
        assert!(reply.text().contains(&key), "{key}: {reply:?}");
    }
    let tape = written(&project, &record.line());
    assert_eq!(tape["meta"]["ended"]["status"], 401);
    assert_eq!(tape["meta"]["ended"]["body"].as_str(), Some(text(&tape).as_str()));
    assert_eq!(text(&tape).matches("[redacted-credential-").count(), 5);
}

#[test]
fn the_keys_of_a_config_have_the_order_of_another_tape_in_the_folder() {
    let request = r#"{"model":"m","contents":"x","config":{"responseMimeType":"text/plain","temperature":1}}"#;
    let project = Project::new(&[("out/theirs.json", &tape(request, &[(0, "a")]))]);
    let text_of_body = event("Hello");
    let upstream =
        Mock::start(move |_, stream| say(stream, "200 OK", SSE, text_of_body.as_bytes()));
    let (mut record, at) = recording(&project, &upstream.url());
    let mut config = |generation: &str| {
        let received = format!(
            r#"{{"contents":[{{"parts":[{{"text":"Hi"}}]}}],"generationConfig":{generation}}}"#
        );
        receive(send(at, GEMINI, KEYS, &received));
        let line = record.line();
        let tape = project.read(line["tape"].as_str().unwrap());
        let at = |key: &str| tape.find(&format!("\"{key}\"")).unwrap();
        (at("temperature") < at("responseMimeType"), line["notes"].clone())
    };
    let both = r#"{"temperature":0.5,"responseMimeType":"text/plain"}"#;
    assert_eq!(config(both), (false, json!([])));
    let more = r#"{"temperature":0.5,"responseMimeType":"text/plain","seed":1}"#;
    let (is_own, notes) = config(more);
    assert!(
        is_own
            && notes[0]
                .as_str()
                .unwrap()
                .starts_with("The order of the keys in `config` is the recorder's"),
        "{notes}"
    );
    assert_eq!(config(both), (false, json!([])));
}

#[test]
fn an_answer_with_a_length_and_in_chunks_is_passed_on_as_it_came() {
    let project = Project::new(&[]);
    let upstream = Mock::start(|_, stream| {
        let events = event("Hello");
        let head = format!(
            "HTTP/1.1 200 OK\r\n{SSE}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        let answer = format!("{head}{:x}\r\n{events}\r\n0\r\n\r\n", events.len());
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let (mut record, at) = recording(&project, &upstream.url());
    let reply = receive(send(at, GEMINI, KEYS, REQUEST_BODY));
    assert_eq!((reply.text(), reply.is_whole), (event("Hello"), true));
    assert!(!reply.head.contains("content-length"), "{}", reply.head);
    let line = record.line();
    assert_eq!(
        (&line["ended"], text(&written(&project, &line))),
        (&json!("done"), "Hello".to_owned())
    );
}

#[test]
fn a_key_in_the_label_the_model_or_the_path_or_encoded_in_the_answer_is_masked() {
    let project = Project::new(&[]);
    let encoded = base64::prelude::BASE64_STANDARD.encode("user:sk-secret-1");
    let answer = event(&encoded);
    let upstream = Mock::start(move |_, stream| say(stream, "200 OK", SSE, answer.as_bytes()));
    let (mut record, at) = recording(&project, &upstream.url());
    let call = GEMINI.replace("/m:", "/sk-secret-1:");
    let headers =
        format!("{KEYS}X-Retake-Label: by sk-secret-2\r\nX-Retake-Comment: of sk-secret-3\r\n");
    assert_eq!(receive(send(at, &call, &headers, REQUEST_BODY)).status, 200);
    let line = record.line();
    assert!(!line.to_string().contains("secret-"), "{line}");
    let tape = written(&project, &line);
    assert!(!text(&tape).contains(&encoded[8..]), "{tape}");
}

#[test]
fn a_client_that_uses_the_recorder_as_a_forward_proxy_gets_an_explanation() {
    let project = Project::new(&[]);
    let upstream = Mock::start(|_, stream| say(stream, "200 OK", "", b""));
    let (mut record, at) = recording(&project, &upstream.url());
    let reply = receive(send(at, "CONNECT api.example.com:443", "", ""));
    assert_eq!(reply.status, 501, "{reply:?}");
    assert!(reply.text().contains("base URL"), "{reply:?}");
    let line = record.line();
    assert_eq!(
        (&line["address"], &line["tape"], &line["status"]),
        (&json!("CONNECT api.example.com:443"), &Value::Null, &json!(501))
    );
    assert!(upstream.received.try_recv().is_err());
}

#[test]
fn each_call_has_a_connection_of_its_own_so_that_none_meets_one_that_was_just_closed() {
    let project = Project::new(&[]);
    let mut held = Vec::new();
    let upstream = Mock::start(move |_, stream| {
        let events = event("Hello");
        let head = format!("HTTP/1.1 200 OK\r\n{SSE}Content-Length: {}\r\n\r\n", events.len());
        stream.write_all((head + &events).as_bytes()).unwrap();
        // Nothing says that the connection will not be read from again.
        held.push(stream.try_clone().unwrap());
    });
    let (mut record, at) = recording(&project, &upstream.url());
    for _ in 0..3 {
        let reply = receive(send(at, GEMINI, KEYS, REQUEST_BODY));
        assert_eq!((reply.status, reply.text()), (200, event("Hello")));
        assert_eq!(record.line()["ended"], "done");
    }
}

#[test]
fn an_address_with_a_password_or_a_key_is_refused() {
    let project = Project::new(&[]);
    for upstream in [
        "https://user:sk-secret-1@localhost",
        "https://localhost/?key=sk-secret-1",
        "//user:sk-secret-1@localhost",
        "https:/user:sk-secret-1@localhost",
    ] {
        let arguments =
            ["record", "--upstream", upstream, "--to", "out", "--listen", "127.0.0.1:0"];
        let run = project.run(&arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(
            run.stderr.contains("remove") && !run.stderr.contains("sk-secret"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn what_takes_much_room_on_a_tape_is_cut_by_that() {
    let project = Project::new(&[]);
    let upstream = Mock::start(|request, stream| {
        // Three MiB, each byte of which becomes six; and half a million lines of one byte.
        let (kind, body) = if request.contains("lines") {
            ("application/x-ndjson", vec![b'\n'; 500_000])
        } else {
            ("application/json", vec![0; 3 << 20])
        };
        say(stream, "200 OK", &format!("Content-Type: {kind}\r\n"), &body);
    });
    let (mut record, at) = recording(&project, &upstream.url());
    for path in [GEMINI, "POST /lines"] {
        assert_eq!(receive(send(at, path, KEYS, REQUEST_BODY)).status, 200);
        let line = record.line();
        let bytes = line["bytes"].as_u64().unwrap();
        assert!((12 << 20..17 << 20).contains(&bytes), "{line}");
        let note = "The answer is longer than 16 MiB as a tape writes it; the rest is missing here";
        assert_eq!(line["notes"], json!([note]));
    }
}

#[test]
fn a_huge_answer_goes_through_and_the_tape_says_where_it_was_cut() {
    let project = Project::new(&[]);
    const MEGABYTES: usize = 24;
    let upstream = Mock::start(move |_, stream| {
        say(stream, "200 OK", "Content-Type: application/json\r\n", &vec![b'x'; MEGABYTES << 20]);
    });
    let (mut record, at) = recording(&project, &upstream.url());
    let reply = receive(send(at, GEMINI, KEYS, REQUEST_BODY));
    assert_eq!(reply.body.len(), MEGABYTES << 20);
    let line = record.line();
    let note = "The answer is longer than 16 MiB; the rest was not recorded";
    assert_eq!(line["notes"], json!([note]));
    assert_eq!(text(&written(&project, &line)).len(), 16 << 20);
}

#[test]
fn other_streams_become_tapes_and_other_calls_pass() {
    let project = Project::new(&[]);
    let mut turn = 0;
    let upstream = Mock::start(move |_, stream| {
        turn += 1;
        match turn {
            1 => say(
                stream,
                "200 OK",
                "Content-Type: application/x-ndjson\r\n",
                b"{\"a\":1}\n{\"a\":2}\n",
            ),
            _ => say(stream, "200 OK", "Content-Type: application/json\r\n", b"{\"models\":[]}"),
        }
    });
    let (mut record, at) = recording(&project, &upstream.url());
    receive(send(at, "POST /api/chat", "", r#"{"model":"llama"}"#));
    let line = record.line();
    let tape = written(&project, &line);
    assert_eq!(
        (&line["tape"], text(&tape).as_str()),
        (&json!("out/llama-1.json"), "{\"a\":1}\n{\"a\":2}\n")
    );
    assert_eq!(tape["stream"].as_array().unwrap().len(), 2);
    assert_eq!(receive(send(at, "GET /api/tags", "", "")).text(), "{\"models\":[]}");
    let line = record.line();
    assert_eq!((&line["tape"], &line["status"]), (&Value::Null, &json!(200)));
}

#[test]
fn a_call_of_a_foreign_page_goes_nowhere_and_leaves_no_tape() {
    let project = Project::new(&[]);
    let upstream = Mock::start(|_, stream| say(stream, "200 OK", SSE, event("Hi").as_bytes()));
    let (mut record, at) = recording(&project, &upstream.url());
    for headers in [
        "Host: evil.example\r\n",
        "Origin: http://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        let reply = receive(send(at, GEMINI, headers, REQUEST_BODY));
        assert_eq!(
            (reply.status, &reply.json()["error"]["status"]),
            (403, &json!("PERMISSION_DENIED")),
            "{headers}"
        );
        let line = record.line();
        assert_eq!(
            (&line["ended"], &line["status"], &line["tape"]),
            (&json!("refused"), &json!(403), &json!(null)),
            "{line}"
        );
        assert_eq!(line["message"], reply.json()["error"]["message"]);
    }
    assert!(upstream.received.try_recv().is_err());
    assert!(!project.path("out").exists());
    let headers = "Origin: http://localhost:5173\r\n";
    assert_eq!(receive(send(at, GEMINI, headers, REQUEST_BODY)).status, 200);
    assert_eq!(record.line()["tape"], "out/m-1.json");
}

#[test]
fn calls_are_also_written_as_the_fixture_of_a_program() {
    let project = Project::new(&[]);
    let upstream = Mock::start(move |_, stream| say(stream, "200 OK", SSE, event("Hi").as_bytes()));
    let arguments = ["record", "--upstream", &upstream.url(), "--to", "out", "--as", "vcrpy"];
    let (mut record, at) = Running::listening(&project, &arguments);
    for _ in 0..2 {
        receive(send(at, GEMINI, "X-Retake-Label: test_a\r\n", REQUEST_BODY));
        let line = record.line();
        assert_eq!(
            line["notes"].as_array().unwrap().last(),
            Some(&json!("Also in out/test_a.yaml"))
        );
    }
    let text = project.read("out/test_a.yaml");
    assert!(!text.contains("sk-secret"), "{text}");
    let url = format!("uri: {}/v1beta/models/m:streamGenerateContent?alt=sse\n", upstream.url());
    assert_eq!(text.matches(&url).count(), 2, "{text}");
    assert_eq!(text.matches(&*json!(REQUEST_BODY).to_string()).count(), 2, "{text}");
}
