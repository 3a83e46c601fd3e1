use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use serde_json::json;

use crate::{CheckFacts, check_document};
use author::redact::{SetChange, makes_same_choices};
use calls::Pool;
use calls::cassette_config::{CassetteFacts, ConfigOrigin, ConfigTexts};
use calls::stable::*;
use document::FileKind;
use document::body::testing::event_message;
use document::json::quote;
use document::read as read_document;
use document::text::Source;
use play::playback::{PlaybackRules, PlaybackRun, requests};
use play::triage::SetFiles;

/// Variations between two recordings of the same calls.
#[derive(Clone, Debug)]
struct RunNoise {
    seed: u64,
    /// Seconds since 1970.
    at: u32,
    headers: Vec<&'static str>,
}

fn noise() -> impl Strategy<Value = RunNoise> {
    let names = ["cf-ray", "x-request-id", "server", "x-ratelimit-limit-tokens"];
    let headers = prop::sample::subsequence(names.to_vec(), 0..=4);
    (any::<u64>(), 1_500_000_000..1_900_000_000_u32, headers)
        .prop_map(|(seed, at, headers)| RunNoise { seed, at, headers })
}

impl RunNoise {
    /// A random text of these letters, which begins with one of each kind.
    fn id(&self, name: &str, start: &str, len: usize, letters: &str) -> String {
        let hash = |round| sha256(&format!("{} {name} {round}", self.seed));
        let bytes = (0..).flat_map(|round| hash(round).into_bytes());
        let letters = letters.as_bytes();
        let rest = bytes.take(len).enumerate();
        let rest: String = rest
            .map(|(at, byte)| letters[(usize::from(byte) * 31 + at * 7) % letters.len()] as char)
            .collect();
        format!("{start}{rest}")
    }

    fn hex(&self, name: &str, start: &str) -> String {
        self.id(name, &format!("{start}0a"), 30, "0123456789abcdef")
    }

    fn mixed(&self, name: &str, start: &str) -> String {
        let letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
        self.id(name, &format!("{start}01Xy"), 20, letters)
    }

    fn uuid(&self, name: &str) -> String {
        let hex = self.id(name, "", 32, "0123456789abcdef");
        let (a, b) = (&hex[..8], &hex[8..12]);
        format!("{a}-{b}-4{}-a{}-{}", &hex[13..16], &hex[17..20], &hex[20..])
    }

    fn iso(&self) -> String {
        let time = jiff::Timestamp::from_second(self.at.into()).unwrap();
        format!("{time:.3}")
    }

    fn http(&self) -> String {
        let time = jiff::Timestamp::from_second(self.at.into()).unwrap();
        time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }
}

fn sha256(text: &str) -> String {
    calls::source::sha256_hex(text.as_bytes()).to_string()
}

struct Exchange {
    method: &'static str,
    uri: String,
    sent: String,
    received: String,
    kind: &'static str,
}

/// A conversation with two calls of OpenAI, one of Anthropic, and one that names an answer in its address.
fn exchanges(noise: &RunNoise) -> Vec<Exchange> {
    let (answer, call) = (noise.hex("answer", "chatcmpl-"), noise.mixed("call", "call_"));
    let response = noise.hex("response", "resp_");
    let message = noise.mixed("message", "msg_");
    let created = noise.at;
    let post = |uri: &str, sent: serde_json::Value, received: String, kind| Exchange {
        method: "POST",
        uri: uri.to_owned(),
        sent: sent.to_string(),
        received,
        kind,
    };
    let first = json!({
        "id": answer, "object": "chat.completion", "created": created, "model": "gpt-4.1-mini",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [
            {"id": call, "type": "function", "function": {"name": "find", "arguments": "{\"order\": \"550e8400-e29b-41d4-a716-446655440000\"}"}}
        ]}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    });
    let second = json!({"model": "gpt-4.1-mini", "messages": [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "tool_calls": [{"id": call, "type": "function", "function": {"name": "find", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": call, "content": format!("see {call}, on 2026-01-02")}
    ]});
    let event = |name: &str, data: serde_json::Value| format!("event: {name}\ndata: {data}\n\n");
    let stream = event(
        "response.created",
        json!({"type": "response.created", "response": {"id": response, "created_at": created, "output": []}}),
    ) + &event(
        "response.output_text.delta",
        json!({"type": "response.output_text.delta", "item_id": noise.hex("item", "msg_"), "delta": "It is there.", "obfuscation": noise.id("pad", "", 9, "abc")}),
    );
    let anthropic = json!({
        "id": message, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "tool_use", "id": noise.mixed("use", "toolu_"), "name": "find", "input": {"id": "msg_01AbCdEfGhJkLmNpQrStUvWx", "created_at": "2026-01-02"}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 5, "output_tokens": 2}
    });
    vec![
        post(
            "https://api.openai.com/v1/chat/completions",
            json!({"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Where?"}]}),
            first.to_string(),
            "application/json",
        ),
        post(
            "https://api.openai.com/v1/chat/completions",
            second,
            json!({"id": noise.uuid("second"), "object": "chat.completion", "created": created, "model": "gpt-4.1-mini",
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "There."}}]}).to_string(),
            "application/json",
        ),
        post(
            "https://api.openai.com/v1/responses",
            json!({"model": "gpt-4.1-mini", "input": "Where?", "stream": true}),
            stream,
            "text/event-stream",
        ),
        Exchange {
            method: "GET",
            uri: format!("https://api.openai.com/v1/responses/{response}"),
            sent: String::new(),
            received: json!({"id": response, "object": "response", "created_at": created, "output": []}).to_string(),
            kind: "application/json",
        },
        post(
            "https://api.anthropic.com/v1/messages",
            json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Where?"}]}),
            anthropic.to_string(),
            "application/json",
        ),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CassetteShape {
    Plain,
    Gzip,
    Json,
    CassetterYaml,
    CassetterToml,
    Parsed,
}

const SHAPES: [CassetteShape; 6] = [
    CassetteShape::Plain,
    CassetteShape::Gzip,
    CassetteShape::Json,
    CassetteShape::CassetterYaml,
    CassetteShape::CassetterToml,
    CassetteShape::Parsed,
];

impl CassetteShape {
    fn file_name(self) -> &'static str {
        match self {
            Self::Json => "a.json",
            Self::CassetterToml => "a.toml",
            _ => "a.yaml",
        }
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn cassette(shape: CassetteShape, noise: &RunNoise) -> String {
    let mut text = match shape {
        CassetteShape::Json => "{\"version\": 1, \"interactions\": [".to_owned(),
        CassetteShape::CassetterToml => "version = 1\n".to_owned(),
        _ => "interactions:\n".to_owned(),
    };
    for (number, exchange) in exchanges(noise).iter().enumerate() {
        let Exchange { method, uri, sent, received, kind } = exchange;
        let packed = gzip(received);
        let length = match shape {
            CassetteShape::Gzip => packed.len(),
            _ => received.len(),
        };
        let mut headers = vec![
            ("content-type", (*kind).to_owned()),
            ("content-length", length.to_string()),
            ("date", noise.http()),
            ("openai-version", "2020-10-01".to_owned()),
        ];
        let extra = noise.headers.iter();
        headers.extend(extra.map(|name| (*name, noise.hex(name, "r"))));
        if shape == CassetteShape::Gzip {
            headers.push(("content-encoding", "gzip".to_owned()));
        }
        let agent = format!("client/{}", noise.seed);
        match shape {
            CassetteShape::Json => {
                let headers =
                    headers.iter().map(|(name, value)| ((*name).to_owned(), json!([value])));
                let headers: serde_json::Map<String, serde_json::Value> = headers.collect();
                let separator = if number > 0 { ", " } else { "" };
                let call = json!({
                    "request": {"method": method, "uri": uri, "body": sent, "headers": {"user-agent": [agent]}},
                    "response": {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": {"string": received}}
                });
                let _ = write!(text, "{separator}{call}");
            }
            CassetteShape::CassetterToml => {
                let _ = writeln!(text, "\n[[interactions]]\nrecorded_at = \"{}\"\n", noise.iso());
                let _ = writeln!(
                    text,
                    "[interactions.request]\nmethod = \"{method}\"\nuri = \"{uri}\"\nbody_type = \"text\"\nbody_content = {}\n",
                    quote(sent)
                );
                let _ = writeln!(
                    text,
                    "[interactions.request.headers]\nuser-agent = [{}]\n",
                    quote(&agent)
                );
                let body = if received.contains('\'') {
                    quote(received)
                } else {
                    format!("'''{received}'''")
                };
                let _ = writeln!(
                    text,
                    "[interactions.response]\nstatus = 200\nbody_type = \"text\"\nbody_content = {body}\n\n[interactions.response.headers]"
                );
                for (name, value) in &headers {
                    let _ = writeln!(text, "{name} = [{}]", quote(value));
                }
            }
            _ => {
                let is_cassetter = shape == CassetteShape::CassetterYaml;
                let body = |body: &str| match shape {
                    CassetteShape::Parsed if body.starts_with('{') => {
                        format!("parsed_body: {body}")
                    }
                    CassetteShape::CassetterYaml => {
                        format!("body: {{type: text, content: {}}}", quote(body))
                    }
                    _ => format!("body: {}", quote(body)),
                };
                let _ = writeln!(
                    text,
                    "- request:\n    method: {method}\n    uri: {uri}\n    {}\n    headers:\n      user-agent: [{}]",
                    body(sent),
                    quote(&agent)
                );
                let status = if is_cassetter { "200" } else { "{code: 200, message: OK}" };
                let answer = match shape {
                    CassetteShape::Gzip => {
                        let encoded = base64::engine::general_purpose::STANDARD.encode(&packed);
                        let lines = encoded.as_bytes().chunks(76);
                        let lines = lines.map(|line| {
                            format!("        {}\n", std::str::from_utf8(line).unwrap())
                        });
                        format!(
                            "body:\n      string: !!binary |\n{}",
                            lines.collect::<String>().trim_end()
                        )
                    }
                    CassetteShape::Parsed if received.starts_with('{') => body(received),
                    CassetteShape::CassetterYaml => body(received),
                    _ => format!("body: {{string: {}}}", quote(received)),
                };
                let _ =
                    writeln!(text, "  response:\n    status: {status}\n    {answer}\n    headers:");
                for (name, value) in &headers {
                    let _ = writeln!(text, "      {name}:\n      - {}", quote(value));
                }
                if is_cassetter {
                    let _ = writeln!(text, "  recorded_at: {}", noise.iso());
                }
            }
        }
    }
    match shape {
        CassetteShape::Json => text + "]}",
        CassetteShape::CassetterToml => text,
        _ => text + "version: 1\n",
    }
}

/// Streams of Bedrock: a call of Converse, one that answers it, and one of the model's own API, whose events are in Base64.
fn bedrock(noise: &RunNoise) -> String {
    let message =
        |kind: &str, payload: serde_json::Value| event_message(kind, &payload.to_string());
    let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let padding = &letters[..1 + noise.seed as usize % 20];
    let tool_use_id = noise.mixed("use", "tooluse_");
    let start = json!({"contentBlockIndex": 0, "p": padding, "start": {"toolUse": {"name": "find", "toolUseId": tool_use_id}}});
    let stream = [
        message("messageStart", json!({"role": "assistant", "p": padding})),
        message("contentBlockStart", start),
        message("messageStop", json!({"stopReason": "tool_use"})),
    ];
    let event = json!({"type": "message_start", "message": {"id": noise.mixed("message", "msg_bdrk_"), "content": []}});
    let event_message =
        message("chunk", json!({"bytes": base64(event.to_string().as_bytes()), "p": padding}));
    let second = json!({"messages": [{"role": "user", "content": [{"toolResult": {"toolUseId": tool_use_id, "content": []}}]}]});
    let first = json!({"messages": [{"role": "user", "content": [{"text": "Where?"}]}]});
    let host = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude";
    let kind = "application/vnd.amazon.eventstream";
    let calls = [
        ("converse-stream", first.to_string(), base64(&stream.concat()), stream.concat().len()),
        ("converse-stream", second.to_string(), base64(&stream[0]), stream[0].len()),
        (
            "invoke-with-response-stream",
            first.to_string(),
            base64(&event_message),
            event_message.len(),
        ),
    ];
    let calls = calls.map(|(end, sent, received, length)| {
        format!(
            "- request:\n    method: POST\n    uri: {host}/{end}\n    body: {}\n    headers: {{}}\n  response:\n    status: {{code: 200, message: OK}}\n    body: {{string: !!binary {received}}}\n    headers: {{content-type: [{kind}], content-length: ['{length}']}}\n",
            quote(&sent)
        )
    });
    format!("interactions:\n{}version: 1\n", calls.concat())
}

fn recording(noise: &RunNoise) -> String {
    let (use_id, request) =
        (noise.mixed("use", "toolu_"), noise.id("request", "req-17", 11, "0123456789"));
    let value = json!({
        "request": {
            "type": "llm_invocation_request", "requestId": request, "timestamp": noise.iso(),
            "context": {"currentNode": "triage"},
            "messages": [
                {"role": "user", "content": "Where?"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": use_id, "name": "find", "input": {"date": "2026-01-02"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use_id, "content": "there"}]}
            ],
            "tools": [{"name": "find", "input_schema": {"type": "object"}}], "systemPrompt": ""
        },
        "response": {"requestId": request, "timestamp": noise.iso(), "response": {
            "id": noise.mixed("answer", "msg_"),
            "content": [{"type": "text", "text": "There."}], "stop_reason": "end_turn"
        }},
        "recordedAt": noise.iso(),
        "signature": {"toolNames": ["find"], "messageCount": 3, "contextKeys": []},
        "sourceMetadata": {"sourceFile": "a.dygram", "contentHash": "00", "fileSize": 3, "lastModified": "2026-01-01T00:00:00.000Z"}
    });
    format!("{value:#}")
}

fn tape(noise: &RunNoise) -> String {
    let value = json!({
        "meta": {"label": "a", "model": "m", "recordedAt": noise.iso()},
        "request": {"model": "m", "contents": "Where?"},
        "stream": [{"delayNs": 5, "text": "There, 2026-01-02."}]
    });
    value.to_string()
}

fn stable(text: &str, name: &str) -> String {
    stable_with(text, name, &CassetteFacts::default())
}

fn stable_with(text: &str, name: &str, facts: &CassetteFacts) -> String {
    let document = read_document(Source::new(text), name);
    let plan = stabilize(&document, name, &StableSettings::default(), Some(facts)).unwrap();
    assert_eq!(plan.refused, Vec::new());
    plan.after.map_or_else(|| text.to_owned(), |s| s.text().to_owned())
}

/// The problems that depend on what a player can distinguish.
fn problems(text: &str, name: &str) -> Vec<String> {
    let document = read_document(Source::new(text), name);
    let problems = check_document(&document, &CheckFacts::default());
    let problems = problems.into_iter();
    problems.map(|problem| problem.rule.as_str().to_owned()).collect()
}

/// Returns the answer that each request of a file gets from another file.
fn choices(from: &str, set: &str, name: &str) -> Vec<Option<usize>> {
    let pool = Pool::default();
    let set_of = |text: &str| {
        let path: Arc<str> = name.into();
        SetFiles::new("set", [(path, Ok(Source::new(text)))], &pool).set
    };
    let run =
        PlaybackRun::new(set_of(set), PlaybackRules::default(), requests::from_set(&set_of(from)));
    run.calls.iter().map(|call| call.index()).collect()
}

fn assert_stable(name: &str, first: &str, other: &str) -> Result<(), TestCaseError> {
    let stable_text = stable(first, name);
    prop_assert_eq!(&stable(other, name), &stable_text);
    prop_assert_eq!(&stable(&stable_text, name), &stable_text);
    prop_assert_eq!(problems(first, name), problems(&stable_text, name));
    let own_choices = choices(first, first, name);
    prop_assert_eq!(choices(first, &stable_text, name), own_choices.clone());
    prop_assert_eq!(choices(&stable_text, &stable_text, name), own_choices);
    let text = |text: &str| (Arc::from(format!("set/{name}")), Source::new(text));
    let change = SetChange { before: text(first), after: text(&stable_text) };
    prop_assert!(makes_same_choices("set", vec![change]));
    Ok(())
}

proptest! {
    #![proptest_config(document::text::cases(12))]

    #[test]
    fn recordings_of_the_same_calls_become_the_same_text(one in noise(), other in noise()) {
        for shape in SHAPES {
            let name = shape.file_name();
            assert_stable(name, &cassette(shape, &one), &cassette(shape, &other))?;
        }
        assert_stable("a.yaml", &bedrock(&one), &bedrock(&other))?;
        assert_stable("turn-1.json", &recording(&one), &recording(&other))?;
        assert_stable("tape.json", &tape(&one), &tape(&other))?;
    }
}

const NOISE: RunNoise = RunNoise { seed: 7, at: 1_773_306_847, headers: Vec::new() };

#[test]
fn a_stable_cassette_reads_as_its_calls() {
    let stable_text = stable(&cassette(CassetteShape::Plain, &NOISE), "a.yaml");
    insta::assert_snapshot!(stable_text.replace("\\\"", "'"), @r#"
        interactions:
        - request:
            method: POST
            uri: https://api.openai.com/v1/chat/completions
            body: "{'messages':[{'content':'Where?','role':'user'}],'model':'gpt-4.1-mini'}"
            headers: {}
          response:
            status: {code: 200, message: OK}
            body: {string: "{'choices':[{'finish_reason':'tool_calls','index':0,'message':{'role':'assistant','tool_calls':[{'function':{'arguments':'{\\'order\\': \\'550e8400-e29b-41d4-a716-446655440000\\'}','name':'find'},'id':'call_X3kxsmflLaG3z2dAfU2Kyz5i','type':'function'}]}}],'created':0,'id':'chatcmpl-f8749be707aa774e30f15d3d122f99a7','model':'gpt-4.1-mini','object':'chat.completion','usage':{'completion_tokens':2,'prompt_tokens':5,'total_tokens':7}}"}
            headers:
              content-type:
              - "application/json"
              content-length:
              - "430"
              openai-version:
              - "2020-10-01"
        - request:
            method: POST
            uri: https://api.openai.com/v1/chat/completions
            body: "{'messages':[{'content':'Where?','role':'user'},{'role':'assistant','tool_calls':[{'function':{'arguments':'{}','name':'find'},'id':'call_X3kxsmflLaG3z2dAfU2Kyz5i','type':'function'}]},{'content':'see call_X3kxsmflLaG3z2dAfU2Kyz5i, on 2026-01-02','role':'tool','tool_call_id':'call_X3kxsmflLaG3z2dAfU2Kyz5i'}],'model':'gpt-4.1-mini'}"
            headers: {}
          response:
            status: {code: 200, message: OK}
            body: {string: "{'choices':[{'finish_reason':'stop','index':0,'message':{'content':'There.','role':'assistant'}}],'created':0,'id':'ab1677f8-5697-4ee8-8b4b-80313b117df3','model':'gpt-4.1-mini','object':'chat.completion'}"}
            headers:
              content-type:
              - "application/json"
              content-length:
              - "204"
              openai-version:
              - "2020-10-01"
        - request:
            method: POST
            uri: https://api.openai.com/v1/responses
            body: "{'input':'Where?','model':'gpt-4.1-mini','stream':true}"
            headers: {}
          response:
            status: {code: 200, message: OK}
            body: {string: "event: response.created\ndata: {'response':{'created_at':0,'id':'resp_d2b5ef25948fef6ae9ccea280c8a6929','output':[]},'type':'response.created'}\n\nevent: response.output_text.delta\ndata: {'delta':'It is there.','item_id':'msg_e80476df2ce38cb526c2dbc6049fa86a','obfuscation':'','type':'response.output_text.delta'}\n\n"}
            headers:
              content-type:
              - "text/event-stream"
              content-length:
              - "312"
              openai-version:
              - "2020-10-01"
        - request:
            method: GET
            uri: https://api.openai.com/v1/responses/resp_d2b5ef25948fef6ae9ccea280c8a6929
            body: ""
            headers: {}
          response:
            status: {code: 200, message: OK}
            body: {string: "{'created_at':0,'id':'resp_d2b5ef25948fef6ae9ccea280c8a6929','object':'response','output':[]}"}
            headers:
              content-type:
              - "application/json"
              content-length:
              - "93"
              openai-version:
              - "2020-10-01"
        - request:
            method: POST
            uri: https://api.anthropic.com/v1/messages
            body: "{'max_tokens':9,'messages':[{'content':'Where?','role':'user'}],'model':'claude-sonnet-4-5'}"
            headers: {}
          response:
            status: {code: 200, message: OK}
            body: {string: "{'content':[{'id':'toolu_G2uR0VnPar7zoENtOyhNg2H2','input':{'created_at':'2026-01-02','id':'msg_01AbCdEfGhJkLmNpQrStUvWx'},'name':'find','type':'tool_use'}],'id':'msg_P9mTv4ZRpZV4O3o9AJcQWhwX','model':'claude-sonnet-4-5','role':'assistant','stop_reason':'tool_use','type':'message','usage':{'input_tokens':5,'output_tokens':2}}"}
            headers:
              content-type:
              - "application/json"
              content-length:
              - "327"
              openai-version:
              - "2020-10-01"
        version: 1
        "#);
}

#[test]
fn an_id_in_an_event_stream_is_the_same_as_in_the_next_request() {
    let stable_text = stable(&bedrock(&NOISE), "a.yaml");
    let document = read_document(Source::new(stable_text), "a.yaml");
    let calls = calls::reading::all_calls(&document);
    let texts = calls.iter().map(|call| {
        let answer = call.answer().map(|answer| answer.node);
        let answer = answer.map(|node| call.document.node(node).raw().to_owned());
        let request_body = call.facts.http.as_ref().and_then(|http| http.request_body.as_ref());
        let request_body = request_body.and_then(|body| body.text()).unwrap_or_default();
        format!("{request_body}\n{}", answer.unwrap_or_default())
    });
    insta::assert_snapshot!(texts.collect::<Vec<_>>().join("\n"), @r#"
        {"messages":[{"content":[{"text":"Where?"}],"role":"user"}]}
        {"content":[{"type":"tool_use","id":"tooluse_J3p4voJHrg1nhjshWlyq7TrK","name":"find","input":{}}],"stop_reason":"tool_use"}
        {"messages":[{"content":[{"toolResult":{"content":[],"toolUseId":"tooluse_J3p4voJHrg1nhjshWlyq7TrK"}}],"role":"user"}]}

        {"messages":[{"content":[{"text":"Where?"}],"role":"user"}]}
        {"content":[]}
        "#);
}

#[test]
fn a_stable_recording_keeps_its_signature_and_its_source() {
    insta::assert_snapshot!(stable(&recording(&NOISE), "turn-1.json"), @r#"
        {
          "recordedAt": "1970-01-01T00:00:00.000Z",
          "request": {
            "context": {
              "currentNode": "triage"
            },
            "messages": [
              {
                "content": "Where?",
                "role": "user"
              },
              {
                "content": [
                  {
                    "id": "toolu_L9ygmHqkQ9dWo3N7hhMH9UxH",
                    "input": {
                      "date": "2026-01-02"
                    },
                    "name": "find",
                    "type": "tool_use"
                  }
                ],
                "role": "assistant"
              },
              {
                "content": [
                  {
                    "content": "there",
                    "tool_use_id": "toolu_L9ygmHqkQ9dWo3N7hhMH9UxH",
                    "type": "tool_result"
                  }
                ],
                "role": "user"
              }
            ],
            "requestId": "req-9137935861722",
            "systemPrompt": "",
            "timestamp": "1970-01-01T00:00:00.000Z",
            "tools": [
              {
                "input_schema": {
                  "type": "object"
                },
                "name": "find"
              }
            ],
            "type": "llm_invocation_request"
          },
          "response": {
            "requestId": "req-9137935861722",
            "response": {
              "content": [
                {
                  "text": "There.",
                  "type": "text"
                }
              ],
              "id": "msg_G2tLvuXgnIRnSfeaAaFD81xA",
              "stop_reason": "end_turn"
            },
            "timestamp": "1970-01-01T00:00:00.000Z"
          },
          "signature": {
            "contextKeys": [],
            "messageCount": 3,
            "toolNames": [
              "find"
            ]
          },
          "sourceMetadata": {
            "contentHash": "00",
            "fileSize": 3,
            "lastModified": "2026-01-01T00:00:00.000Z",
            "sourceFile": "a.dygram"
          }
        }
        "#);
}

/// A cassette with a call of a conversation that the program chose itself, by an id in the address and one in the body.
fn chosen(id: &str, thread: &str) -> String {
    format!(
        "interactions:\n- request:\n    method: POST\n    uri: https://api.openai.com/v1/responses/{id}/input\n    \
         body: '{{\"model\": \"m\", \"previous_response_id\": \"{thread}\"}}'\n    headers: {{}}\n  \
         response:\n    status: {{code: 200, message: OK}}\n    \
         body: {{string: '{{\"id\": \"{id}\", \"thread_id\": \"{thread}\", \"created\": 1773306847}}'}}\n    headers: {{}}\nversion: 1\n"
    )
}

#[test]
fn what_the_program_chose_and_the_player_compares_stays() {
    let (id, thread) = ("resp_0123456789abcdef0", "thread_0123456789abcdef");
    let text = chosen(id, thread);
    let zero = |text: &str| text.replace("1773306847", "0");
    // By default only the address is compared.
    let stable_text = stable(&text, "a.yaml");
    assert!(stable_text.contains(id) && !stable_text.contains(thread), "{stable_text}");
    let facts = CassetteFacts {
        match_on: Some(ConfigTexts {
            key: "match_on".into(),
            texts: Some(vec!["method".into(), "body".into()]),
            origin: ConfigOrigin { path: "conftest.py".into(), line: 1 },
        }),
        ..CassetteFacts::default()
    };
    assert_eq!(stable_with(&text, "a.yaml", &facts), zero(&text));
}

#[test]
fn ids_that_name_a_model_a_file_or_an_account_stay() {
    let text = r#"{"request": {"messages": [], "tools": []}, "response": {"requestId": "req-1780281201443-1",
 "response": {"content": [], "model_id": "gpt-4o-2024-05-13", "org_id": "550e8400-e29b-41d4-a716-446655440000"}}}
"#;
    assert_eq!(stable(text, "req-1780281201443-1.json"), text);
    assert_ne!(stable(text, "turn-1.json"), text);
}

#[test]
fn settings_add_headers_and_keep_others() {
    let text = "interactions:\n- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}\n  response:\n    status: {code: 200, message: OK}\n    headers:\n      Server: [a]\n      X-Trace-Id: [b]\n      Content-Length: ['2']\n      Via: [c]\n    body: {string: '{}'}\nversion: 1\n";
    let settings = StableSettings {
        headers: vec!["x-trace-*".into(), "content-length".into()],
        keep: vec!["server".into()],
        ..StableSettings::default()
    };
    let document = read_document(Source::new(text), "a.yaml");
    let plan = stabilize(&document, "a.yaml", &settings, None).unwrap();
    assert_eq!((plan.headers, plan.ids, plan.times), (2, 0, 0));
    let expected = text.replace("      X-Trace-Id: [b]\n", "").replace("      Via: [c]\n", "");
    assert_eq!(plan.after.unwrap().text(), expected);
}

#[test]
fn a_text_that_cannot_be_read_is_refused() {
    let document = read_document(Source::new("interactions:\n- request: {uri: a\n"), "a.yaml");
    let result = stabilize(&document, "a.yaml", &StableSettings::default(), None);
    assert!(result.is_err() || document.kind() != FileKind::Cassette);
}

#[test]
fn a_boundary_becomes_the_same_one_in_each_recording() {
    let upload = |boundary: &str, byte: u8| {
        let body = [
            format!("--{boundary}\r\n\r\n").as_bytes(),
            &[byte],
            format!("\r\n--{boundary}--\r\n").as_bytes(),
        ]
        .concat();
        let body = match String::from_utf8(body) {
            Ok(text) => quote(&text),
            Err(error) => format!(
                "!!binary {}",
                base64::engine::general_purpose::STANDARD.encode(error.as_bytes())
            ),
        };
        format!(
            "interactions:\n- request:\n    body: {body}\n    headers:\n      content-type:\n      - multipart/form-data; \
             boundary={boundary}\n    method: POST\n    uri: https://api.openai.com/v1/files\n  response:\n    body:\n      \
             string: '{{}}'\n    headers: {{}}\n    status:\n      code: 200\n      message: OK\nversion: 1\n"
        )
    };
    for byte in [b'a', 0xff] {
        let [one, other] =
            ["0b5e1c7a9d3f48e2a6b1", "ffeac16b6e044eec98d4"].map(|id| upload(id, byte));
        assert_stable("a.yaml", &one, &other).unwrap();
    }
    // One that was not made at random stays.
    assert_eq!(stable(&upload("boundary", b'a'), "a.yaml"), upload("boundary", b'a'));
}

#[test]
fn what_a_service_encrypts_becomes_the_same_in_each_recording() {
    let call = |seal: &str| {
        let answer = serde_json::json!({"id": "resp_1", "output": [
            {"type": "reasoning", "id": "rs_0a1b2c3d4e5f60718293a4b5", "encrypted_content": seal, "summary": []},
        ]});
        let sent = serde_json::json!({"model": "gpt-5", "input": [{"type": "reasoning", "encrypted_content": seal}]});
        format!(
            "interactions:\n- request:\n    body: '{{}}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/responses\n  \
             response:\n    body:\n      string: '{answer}'\n    headers: {{}}\n    status:\n      code: 200\n      message: OK\n\
             - request:\n    body: '{sent}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/responses\n  \
             response:\n    body:\n      string: '{{}}'\n    headers: {{}}\n    status:\n      code: 200\n      message: OK\nversion: 1\n"
        )
    };
    let seal = |letters: &str, count: usize| format!("gAAAAAB{}==", letters.repeat(count));
    let [one, other] = [call(&seal("aZ3_-x", 60)), call(&seal("Kq7b+/", 71))];
    assert_stable("a.yaml", &one, &other).unwrap();
    // A note of a person stays.
    let note = call("[the reasoning was removed]");
    assert!(stable(&note, "a.yaml").contains("[the reasoning was removed]"));
}
