//! `retake serve`, as clients meet it.

use std::net::{SocketAddr, TcpListener};
use std::thread;

use serde_json::{Value, json};

use super::{Running, receive, send, send_request, tape};
use crate::project::{Project, archive};

const ANTHROPIC: &str = "POST /v1/messages";

fn request(word: &str) -> String {
    json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": word }] })
        .to_string()
}

fn recording(id: &str, tool: &str) -> String {
    json!({
        "request": { "type": "llm_invocation_request", "requestId": id, "messages": [{ "role": "user", "content": "x" }], "tools": [{ "name": tool }] },
        "response": { "response": { "content": [{ "type": "tool_use", "id": id, "name": tool, "input": { "x": 1 } }], "stop_reason": "tool_use" } },
        "recordedAt": "2026-03-09T11:02:17Z",
    })
    .to_string()
}

fn project() -> Project {
    let chunks = [(1, "Hello"), (2, " there")];
    Project::new(&[
        ("retake.toml", ""),
        ("tapes/hi.json", &tape(&request("Hi"), &chunks)),
        ("tapes/ho.json", &tape(&request("Ho"), &chunks)),
        ("set/turn-1.json", &recording("r1", "go")),
        ("set/turn-2.json", &recording("r2", "stop")),
    ])
}

fn texts(events: &[Value]) -> String {
    let texts = events.iter().filter_map(|event| event["delta"]["text"].as_str());
    texts.collect()
}

#[test]
fn a_call_gets_the_tape_that_was_made_for_it_and_the_log_says_why() {
    let project = project();
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes"]);
    let reply = send_request(at, ANTHROPIC, &request("Hi"));
    assert_eq!(reply.status, 200);
    assert!(reply.head.contains("content-type: text/event-stream"), "{}", reply.head);
    assert_eq!(texts(&reply.events()), "Hello there");
    let line = serve.line();
    assert_eq!(
        (&line["served"], &line["how"], &line["ended"], &line["chunks"]),
        (&json!("tapes/hi.json"), &json!("strict"), &json!("done"), &json!(2)),
        "{line}"
    );
    assert_eq!(serve.end(), (Some(0), String::new()));
}

#[test]
fn a_call_without_a_match_gets_the_nearest_recordings() {
    let project = project();
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes"]);
    let message = |path: &str, body: &str| {
        let reply = send_request(at, path, body);
        let json = reply.json();
        format!("{} {}", reply.status, json["error"]["message"].as_str().unwrap())
    };
    insta::assert_snapshot!(message(ANTHROPIC, &request("Ha")), @r#"404 No tape or recording answers this call. None of 2 tapes was recorded for this request. The closest is tapes/hi.json (1 difference): The tape has `"Hi"`, the request has `"Ha"`."#);
    assert_eq!(serve.line()["status"], 404);
    insta::assert_snapshot!(message("POST /v1/chat/completions", "[]"), @"400 The body of the request is not a JSON object");
    insta::assert_snapshot!(message("GET /v1/models", ""), @"404 Retake does not serve GET /v1/models; it serves POST …/v1/messages, …/chat/completions, …/responses, …/models/MODEL:generateContent and :streamGenerateContent");
}

#[test]
fn a_set_answers_by_signature_with_its_tool_calls() {
    let project = project();
    let (mut serve, at) = Running::listening(&project, &["serve", "set", "--instant"]);
    let body = json!({
        "model": "m", "messages": [{ "role": "user", "content": "y" }],
        "tools": [{ "type": "function", "function": { "name": "stop", "parameters": {} } }],
    });
    let reply = send_request(at, "POST /v1/chat/completions", &body.to_string()).json();
    let call = &reply["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"], json!({ "name": "stop", "arguments": "{\"x\":1}" }), "{reply}");
    let line = serve.line();
    assert_eq!((&line["served"], &line["how"]), (&json!("set/turn-2.json"), &json!("signature")));
}

#[test]
fn the_calls_of_an_archive_are_served_except_those_that_failed() {
    let project = project();
    project.write(
        "in/a.har",
        archive(&[("go", "go", 200), ("stop", "stop", 500), ("stop", "stop", 200)]),
    );
    let (mut serve, at) = Running::listening(&project, &["serve", "in", "--instant"]);
    let body = json!({
        "model": "m", "messages": [{ "role": "user", "content": "y" }],
        "tools": [{ "name": "stop", "input_schema": {} }],
    });
    let reply = send_request(at, ANTHROPIC, &body.to_string()).json();
    let call = &reply["content"][0];
    assert_eq!((&call["name"], &call["input"]), (&json!("stop"), &json!({ "x": 1 })));
    let line = serve.line();
    assert_eq!((&line["served"], &line["how"]), (&json!("in/a.har#3"), &json!("signature")));
    project.write("failed/b.har", archive(&[("go", "go", 429), ("go", "go", 500)]));
    insta::assert_snapshot!(project.run(&["serve", "failed"]).printed(), @"
    2
    ---
    retake: HTTP status 429, so it is not served: failed/b.har#1
    retake: HTTP status 500, so it is not served: failed/b.har#2
    retake: No tapes and no recordings to serve
    ");
}

#[test]
fn the_failed_calls_of_a_cassette_are_served_in_their_order() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
    let call = |status: u16, received: &str| {
        format!(
            "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: '{body}'}}\n  \
             response: {{status: {{code: {status}, message: x}}, headers: {{}}, {received}}}\n"
        )
    };
    let answer = r#"body: {string: '{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}'}"#;
    let calls = [
        call(429, r#"body: {string: '{"error":{"message":"Later"}}'}"#),
        call(200, answer),
        call(500, "parsed_body: {error: {message: 'No'}}"),
        call(401, "body: {string: ''}"),
        call(200, answer),
    ];
    let cassette = format!("interactions:\n{}version: 1\n", calls.concat());
    let project = Project::new(&[("retake.toml", ""), ("cassettes/c.yaml", &cassette)]);
    let (_serve, at) = Running::listening(&project, &["serve", "cassettes", "--instant"]);
    let served = (0..5).map(|_| {
        let reply = send_request(at, "POST /v1/chat/completions", body);
        let json: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let message = json["error"]["message"].as_str();
        let content = json["choices"][0]["message"]["content"].as_str();
        format!("{} {}", reply.status, message.or(content).unwrap_or_default())
    });
    let served: Vec<String> = served.collect();
    assert_eq!(served, ["429 Later", "200 Hello", "500 No", "401 ", "200 Hello"]);
}

#[test]
fn a_tape_that_is_gone_harms_no_other_call() {
    let project = project();
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes"]);
    std::fs::remove_file(project.path("tapes/hi.json")).unwrap();
    let reply = send_request(at, ANTHROPIC, &request("Hi"));
    assert_eq!(reply.status, 410);
    insta::assert_snapshot!(reply.json()["error"]["message"].as_str().unwrap(), @"The file that answers this call can no longer be read. There is no such file: tapes/hi.json");
    assert_eq!(serve.line()["status"], 410);
    assert_eq!(texts(&send_request(at, ANTHROPIC, &request("Ho")).events()), "Hello there");
}

#[test]
fn a_client_that_hangs_up_is_reported_and_affects_no_other_call() {
    let project = project();
    project.write("tapes/long.json", tape(&request("Long"), &[(0, "a"), (3_600_000, "b")]));
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes"]);
    let mut client = send(at, ANTHROPIC, "", &request("Long"));
    std::io::Read::read_exact(&mut client, &mut [0; 1]).unwrap();
    drop(client);
    let line = serve.line();
    assert_eq!((&line["ended"], &line["planned"]), (&json!("hung-up"), &json!(2)), "{line}");
    assert_eq!(texts(&send_request(at, ANTHROPIC, &request("Hi")).events()), "Hello there");
}

#[test]
fn errors_are_played_as_they_were_recorded() {
    let marked = |word: &str, ended: &Value| {
        let mut tape: Value = serde_json::from_str(&tape(&request(word), &[(0, "a")])).unwrap();
        tape["meta"]["ended"] = ended.clone();
        tape.to_string()
    };
    let refused = json!({ "how": "refused", "status": 429, "body": "{\"type\":\"error\"}" });
    let error = json!({ "how": "error", "kind": "overloaded_error", "message": "Later" });
    let project = Project::new(&[
        ("tapes/1.json", &marked("1", &refused)),
        ("tapes/2.json", &marked("2", &error)),
        ("tapes/3.json", &marked("3", &json!({ "how": "cut-off" }))),
    ]);
    let (_serve, at) = Running::listening(&project, &["serve", "tapes"]);
    let reply = send_request(at, ANTHROPIC, &request("1"));
    assert_eq!((reply.status, reply.json()), (429, json!({ "type": "error" })));
    let reply = send_request(at, ANTHROPIC, &request("2"));
    assert_eq!(reply.events().last().unwrap()["error"]["type"], "overloaded_error");
    assert!(reply.is_whole);
    let reply = send_request(at, ANTHROPIC, &request("3"));
    assert_eq!(texts(&reply.events()), "a");
    assert!(!reply.is_whole);
}

#[test]
fn an_address_that_cannot_be_had_is_reported() {
    let project = project();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = project.run(&["serve", "tapes", "--listen", &address]);
    assert_eq!(run.code, Some(2));
    let printed =
        format!("retake: Another program is already listening on {address}; choose another port\n");
    assert_eq!(run.stderr, printed);
    let run = project.run(&["serve", "tapes", "--listen", "0.0.0.0:0"]);
    assert_eq!(run.code, Some(2));
    insta::assert_snapshot!(run.stderr, @"retake: Other computers can reach 0.0.0.0:0; use an address such as 127.0.0.1, or allow it with --open-to-network");
}

#[test]
fn two_hundred_calls_at_once_each_get_their_answer() {
    let project = project();
    let chunks: Vec<(u32, String)> = (0..20).map(|at| (5, format!("{at} "))).collect();
    let chunks: Vec<(u32, &str)> = chunks.iter().map(|(at, text)| (*at, text.as_str())).collect();
    project.write("tapes/many.json", tape(&request("Many"), &chunks));
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes"]);
    let whole: String = chunks.iter().map(|(_, text)| *text).collect();
    let clients: Vec<_> = (0..200).map(|_| send(at, ANTHROPIC, "", &request("Many"))).collect();
    let readers: Vec<_> =
        clients.into_iter().map(|client| thread::spawn(|| receive(client))).collect();
    for reader in readers {
        assert_eq!(texts(&reader.join().unwrap().events()), whole);
    }
    let late: Vec<u64> = (0..200).map(|_| serve.line()["late_ns"].as_u64().unwrap()).collect();
    eprintln!("late by at most {} µs", late.iter().max().unwrap() / 1000);
}

#[test]
fn a_log_without_a_reader_delays_neither_calls_nor_the_end() {
    let project = project();
    // Nothing listens there.
    let upstream = "http://127.0.0.1:1";
    let commands: [&[&str]; 2] =
        [&["serve", "tapes"], &["record", "--upstream", upstream, "--to", "out"]];
    for (command, signal) in commands.into_iter().zip(["TERM", "INT"]) {
        let (mut running, at) = Running::listening(&project, command);
        // The address makes a line longer than 4 KiB: of these, a pipe holds 16.
        let path = format!("GET /{}", "x".repeat(4096));
        for _ in 0..40 {
            assert_ne!(send_request(at, &path, "").status, 200, "{command:?}");
        }
        assert_eq!(running.end_unread(signal), Some(0), "{command:?}");
    }
}

#[test]
fn other_hosts_and_foreign_pages_are_refused_and_move_no_set_on() {
    let project = project();
    let arguments = ["serve", "set", "--instant", "--mode", "sequential"];
    let (mut serve, at) = Running::listening(&project, &arguments);
    let body = request("x");
    for headers in [
        "Host: rebind.evil.example:8020\r\n",
        "Host: localhost\r\nHost: evil.example\r\n",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        let reply = receive(send(at, ANTHROPIC, headers, &body));
        assert_eq!(reply.status, 403, "{headers}");
        assert_eq!(reply.json()["error"]["type"], "permission_error", "{headers}");
        let line = serve.line();
        assert_eq!(
            (&line["ended"], &line["status"], &line["served"]),
            (&json!("refused"), &json!(403), &json!(null)),
            "{line}"
        );
        assert_eq!(line["message"], reply.json()["error"]["message"]);
    }
    let target = format!("POST http://evil.example/{}", "v1/messages");
    assert_eq!(receive(send(at, &target, "", &body)).status, 403);
    serve.line();
    for (headers, served) in [
        (
            "Host: localhost\r\nOrigin: http://localhost:3000\r\nSec-Fetch-Site: cross-site\r\n",
            "set/turn-1.json",
        ),
        ("Host: [::1]:8020\r\nSec-Fetch-Site: same-origin\r\n", "set/turn-2.json"),
    ] {
        let reply = receive(send(at, ANTHROPIC, headers, &body));
        assert_eq!(reply.status, 200, "{headers}");
        assert_eq!(serve.line()["served"], served);
    }
}

#[test]
fn a_refusal_has_the_shape_of_the_api_and_is_a_sentence_in_the_log() {
    let project = project();
    let mut serve = Running::start(&project, &["serve", "tapes", "--listen", "127.0.0.1:0"]);
    let at = serve.printed_address();
    let message = |path: &str, pointer: &str| {
        let reply = receive(send(at, path, "Host: evil.example\r\n", "{}"));
        assert_eq!(reply.status, 403);
        let json = reply.json();
        let message = json.pointer(pointer).unwrap_or_else(|| panic!("{json}"));
        message.as_str().unwrap().replace(&at.to_string(), "ADDRESS")
    };
    let printed = "The request was sent to the host `evil.example`, but only requests to this computer's loopback addresses are \
                answered; use http://ADDRESS as the base URL, or allow other hosts with --open-to-network";
    assert_eq!(message("POST /v1/chat/completions", "/error/message"), printed);
    assert_eq!(message("POST /v1beta/models/m:generateContent?key=x", "/error/message"), printed);
    assert_eq!(message("GET /", "/error/message"), printed);
    let line = serve.text_line();
    assert!(
        line.contains("OpenAI chat completions no model: 403")
            && line.contains("`evil.example`, but only requests"),
        "{line}"
    );
}

#[test]
fn a_server_that_is_open_to_the_network_answers_under_any_name() {
    let project = project();
    let arguments = ["serve", "tapes", "--open-to-network"];
    let (_serve, at) = Running::listening(&project, &arguments);
    let headers = "Host: retake.example:8020\r\nOrigin: http://app.example\r\n";
    let reply = receive(send(at, ANTHROPIC, headers, &request("Hi")));
    assert_eq!(reply.status, 200);
}

#[test]
fn an_answer_is_sent_as_it_was_received_with_the_times_of_its_chunks() {
    let event = |name: &str, data: &Value| format!("event: {name}\ndata: {data}\n\n");
    let delta = |delta: Value| {
        let data = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
        event("content_block_delta", &data)
    };
    let start = json!({ "type": "message_start", "message": { "id": "msg_01", "model": "m" } });
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } });
    let received = [
        event("message_start", &start),
        delta(json!({ "type": "thinking_delta", "thinking": "Hm." })),
        delta(json!({ "type": "text_delta", "text": "Hello" })),
        delta(json!({ "type": "text_delta", "text": " there" })),
        event("message_delta", &stop),
        event("message_stop", &json!({ "type": "message_stop" })),
    ];
    let received = received.concat();
    let mut tape: Value =
        serde_json::from_str(&tape(&request("Hi"), &[(1, "Hello"), (200, " there")])).unwrap();
    tape["meta"]["sdk"] = json!("Anthropic messages");
    tape["received"] = json!(received);
    let whole = r#"{"choices":[{"message":{"role":"assistant","content":null,"refusal":"No."},"finish_reason":"content_filter"}], "id": "c-1"}"#;
    let cassette = json!({ "version": 1, "interactions": [{
        "request": { "method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "body": r#"{"model":"m","messages":[]}"# },
        "response": { "status": { "code": 200 }, "headers": { "content-type": ["application/json"] }, "body": { "string": whole } },
    }] });
    let project = Project::new(&[
        ("retake.toml", ""),
        ("tapes/hi.json", &tape.to_string()),
        ("cassettes/c.json", &cassette.to_string()),
    ]);
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes", "cassettes"]);
    let reply = send_request(at, ANTHROPIC, &request("Hi"));
    assert_eq!(reply.text(), received);
    let line = serve.line();
    assert_eq!((&line["how"], &line["chunks"]), (&json!("strict"), &json!(2)));
    let body = r#"{"messages": [], "model": "m"}"#;
    let reply = send_request(at, "POST /v1/chat/completions", body);
    assert_eq!(reply.text(), whole);
    assert_eq!(serve.line()["how"], json!("client"));
}

/// A call of a chat in a cassette.
fn chat_call(prompt: &str, answer: &str) -> Value {
    json!({
        "request": { "method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "headers": { "content-type": ["application/json"] },
            "body": json!({ "model": "m", "messages": [{ "role": "user", "content": prompt }] }).to_string() },
        "response": { "status": { "code": 200 }, "headers": {}, "body": { "string":
            json!({ "choices": [{ "message": { "role": "assistant", "content": answer }, "finish_reason": "stop" }] }).to_string() } },
    })
}

/// Sends a prompt. Returns the status, and the answer or the error.
fn send_prompt(at: SocketAddr, prompt: &str) -> String {
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": prompt }] });
    let reply = send_request(at, "POST /v1/chat/completions", &body.to_string());
    let json = reply.json();
    let content = json["choices"][0]["message"]["content"].as_str();
    let message = content.or(json["error"]["message"].as_str());
    format!("{} {}", reply.status, message.unwrap_or_default())
}

#[test]
fn cassettes_are_served_in_their_order_but_first_the_one_with_an_equal_request() {
    let cassette = |prompt: &str, answer: &str| {
        json!({ "version": 1, "interactions": [chat_call(prompt, answer)] }).to_string()
    };
    let project = Project::new(&[
        ("retake.toml", ""),
        ("cassettes/a.json", &cassette("First", "a")),
        ("cassettes/b.json", &cassette("Second", "b")),
        ("cassettes/c.json", &cassette("Third", "c")),
    ]);
    let arguments = ["serve", "cassettes", "--listen", "127.0.0.1:0", "--instant"];
    let mut serve = Running::start(&project, &arguments);
    let (line, at) = serve.printed_line();
    assert!(
        line.starts_with("Serving 3 recordings from cassettes/a.json, cassettes/b.json"),
        "{line}"
    );
    let served = ["Second", "Other", "Second", "Third"].map(|prompt| send_prompt(at, prompt));
    assert_eq!(served[..3], ["200 b", "200 a", "200 c"]);
    assert!(served[3].starts_with("404") && served[3].contains("already played"), "{}", served[3]);
}

#[test]
fn a_cassette_is_served_by_the_rules_of_its_client() {
    let calls = [chat_call("First", "one"), chat_call("Second", "two")];
    let cassette = json!({ "version": 1, "interactions": calls }).to_string();
    let project = Project::new(&[("retake.toml", ""), ("c.json", &cassette)]);
    let served = |options: &[&str]| {
        let arguments = [&["serve", "c.json", "--instant"], options].concat();
        let (_serve, at) = Running::listening(&project, &arguments);
        ["Second"; 3].map(|prompt| send_prompt(at, prompt))
    };
    let [first, second, third] = served(&[]);
    assert_eq!([&*first, &*second], ["200 one", "200 two"]);
    assert!(third.starts_with("404") && third.contains("already played"), "{third}");
    assert_eq!(served(&["--allow-repeats"]), ["200 one"; 3]);
    let [first, second, _] = served(&["--match-on", "method,body", "--allow-repeats"]);
    assert_eq!([&*first, &*second], ["200 two"; 2]);
    let project = Project::new(&[
        ("retake.toml", "[cassettes]\nmatch_on = [\"uri\", \"body\"]\n"),
        ("c.json", &cassette),
    ]);
    let (_serve, at) = Running::listening(&project, &["serve", "c.json"]);
    let body = r#"{"model":"m","messages":[{"role":"user","content":"Third"}]}"#;
    let reply = send_request(at, "POST /v1/chat/completions", body);
    let message = reply.json()["error"]["message"].to_string();
    assert!(message.contains("body /messages/0/content: sent"), "{message}");
}

#[test]
fn an_answer_in_another_form_than_recorded_is_reported_on_its_line() {
    let whole = |text: &str| {
        let content = json!([
            { "type": "thinking", "thinking": "Hm.", "signature": "s" },
            { "type": "text", "text": text },
        ]);
        json!({ "id": "msg_01", "type": "message", "role": "assistant", "model": "m", "content": content,
                "stop_reason": "end_turn", "stop_sequence": null, "usage": {} })
    };
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hi" }] });
    let mut tape: Value = serde_json::from_str(&tape(&body.to_string(), &[(0, "Hello")])).unwrap();
    tape["meta"]["sdk"] = json!("Anthropic messages");
    tape["received"] = json!(whole("Hello").to_string());
    let project = Project::new(&[("retake.toml", ""), ("tapes/hi.json", &tape.to_string())]);
    let arguments = ["serve", "tapes", "--listen", "127.0.0.1:0", "--instant", "--next"];
    let sentence = "It was received in the form of another call, so it is written from its texts and tool calls, without 1 block of \
                    other content.";
    let mut serve = Running::start(&project, &arguments);
    let at = serve.printed_address();
    assert_eq!(send_request(at, ANTHROPIC, &body.to_string()).json(), whole("Hello"));
    let line = serve.text_line();
    assert!(!line.contains("form of another call"), "{line}");
    let reply = send_request(at, ANTHROPIC, &request("Hi"));
    assert_eq!(texts(&reply.events()), "Hello");
    let line = serve.text_line();
    assert!(line.trim_end().ends_with(sentence), "{line}");
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes", "--instant", "--next"]);
    send_request(at, ANTHROPIC, &request("Hi"));
    let line = serve.line();
    assert_eq!(line["why"].as_array().unwrap().last(), Some(&json!(sentence)), "{line}");
}

#[test]
fn a_document_that_broke_off_is_served_as_far_as_it_was_received() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
    let received = r#"{"id": "c", "choices": [{"mess"#;
    let mut tape: Value = serde_json::from_str(&tape(body, &[(0, received)])).unwrap();
    tape["meta"]["sdk"] = json!("OpenAI chat completions");
    tape["meta"]["ended"] = json!({ "how": "cut-off" });
    tape["received"] = json!(received);
    let project = Project::new(&[("retake.toml", ""), ("a.json", &tape.to_string())]);
    let (mut serve, at) = Running::listening(&project, &["serve", "a.json", "--instant"]);
    let reply = send_request(at, "POST /v1/chat/completions", body);
    assert_eq!((reply.status, reply.is_whole), (200, false));
    assert_eq!(reply.text(), received);
    let line = serve.line();
    assert_eq!((&line["ended"], &line["chunks"]), (&json!("as-recorded"), &json!(1)));
}
