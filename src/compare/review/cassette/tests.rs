//! Properties of the comparison of cassettes.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::review::{
    AlignedCalls, ChangeKey, PairComparison, PairedBy, Review, Take, TakePair, aligned_calls,
    compare, decoded_values, partial_bytes,
};
use document::body::testing::packed_body;
use document::call::BodyLayer;

/// Writes a call as vcrpy does: the request as text, the answer packed if it is not a stream.
fn call(number: usize, request: &Value, answer: &str) -> String {
    let packed = || {
        let [value, headers] = packed_body(answer, BodyLayer::Gzip);
        (format!("{value}\n"), headers)
    };
    let (body, headers) = if answer.starts_with("data:") {
        let headers = "      content-type:\n      - text/event-stream\n".to_owned();
        (format!("{}\n", serde_json::to_string(answer).unwrap()), headers)
    } else {
        packed()
    };
    let request = request.to_string().replace('\'', "''");
    format!(
        "- request:\n    body: '{request}'\n    headers:\n      host:\n      - api.anthropic.com\n    method: POST\n    \
         uri: https://api.anthropic.com/v1/messages\n  response:\n    body:\n      string: {body}    headers:\n{headers}      \
         request-id:\n      - req_{number}\n    status:\n      code: 200\n      message: OK\n"
    )
}

fn cassette(calls: &[String]) -> String {
    format!("interactions:\n{}version: 1\n", calls.concat())
}

fn request(system: &str, messages: &[Value]) -> Value {
    json!({"model": "claude-sonnet-4-5", "max_tokens": 64, "system": system, "messages": messages,
        "tools": [{"name": "lookup", "description": "Finds an order", "input_schema": {"type": "object"}}]})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn answered(id: &str, text: &str, tokens: usize) -> Value {
    json!({"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 20, "output_tokens": tokens}})
}

/// A conversation whose turns have these questions and answers.
fn conversation(system: &str, turns: &[(&str, &str)], run: usize) -> Vec<String> {
    let mut messages = Vec::new();
    let mut calls = Vec::new();
    for (at, (question, answer)) in turns.iter().enumerate() {
        messages.push(user(question));
        let id = format!("msg_{run}{at}00000000");
        let answer_json = answered(&id, answer, answer.len() + run).to_string();
        calls.push(call(run * 10 + at, &request(system, &messages), &answer_json));
        messages.push(json!({"role": "assistant", "content": answer}));
    }
    calls
}

fn pair(old: &str, new: &str) -> TakePair {
    let take = |text: &str| Some(Arc::new(Take::new("a.yaml", text.as_bytes().to_vec())));
    TakePair { old: take(old), new: take(new), by: PairedBy::Path }
}

fn compared(old: &str, new: &str) -> PairComparison {
    compare(&pair(old, new), &[])
}

/// Each change on a line.
fn described(old: &str, new: &str) -> String {
    let compared = compared(old, new);
    let mut text = format!("{}\n", compared.status.as_str());
    for change in &compared.changes {
        let kind = change.kind.as_str();
        let subject = change.subject.as_str();
        let because = match (&change.ignored, &change.follows) {
            (Some(reason), _) => format!(" ({reason})"),
            (None, Some(follows)) => format!(" ({follows:?})"),
            (None, None) => String::new(),
        };
        let suffix = if change.is_separable() { "" } else { " whole" };
        text += &format!(
            "{kind} {subject}{suffix}: {}{because} {}\n",
            change.sentence,
            change.pointer()
        );
    }
    text
}

const TURNS: [(&str, &str); 3] = [
    ("Where is order 4471?", "It was sent on Monday."),
    ("Can I change the address?", "Yes, until it leaves the depot."),
    ("Then please use my office.", "Done, it goes to your office."),
];

#[test]
fn noise_of_a_re_recording_is_ignored() {
    let [old, new] = [1, 2].map(|run| cassette(&conversation("Help.", &TURNS, run)));
    let compared = compared(&old, &new);
    assert_eq!(compared.status.as_str(), "ignored-only");
    let reasons: BTreeSet<String> =
        compared.changes.iter().filter_map(|change| Some(change.ignored?.to_string())).collect();
    assert_eq!(reasons.into_iter().collect::<Vec<_>>(), ["header", "id", "usage"]);
}

#[test]
fn a_changed_answer_is_found_in_its_packed_body_and_its_repetitions_follow() {
    let old = cassette(&conversation("Help.", &TURNS, 1));
    let mut turns = TURNS;
    turns[0].1 = "It was sent on Tuesday.";
    let new = cassette(&conversation("Help.", &turns, 1));
    insta::assert_snapshot!(described(&old, &new), @"
    changed
    changed answer: Call 1: answer text, 1 word replaced /interactions/0/response/body/string#/content/0/text
    changed value: Call 1: field `output_tokens` is `24`, was `23` (usage) /interactions/0/response/body/string#/usage/output_tokens
    changed message: Call 2: message 2, 1 word replaced (Call(1)) /interactions/1/request/body#/messages/1/content
    changed message: Call 3: message 2, 1 word replaced (Call(1)) /interactions/2/request/body#/messages/1/content
    ");
}

#[test]
fn calls_are_aligned_and_what_was_sent_is_compared_once() {
    let old = conversation("Help.", &TURNS, 1);
    let mut new = conversation("Help, and be brief.", &TURNS, 1);
    let counted = json!({"model": "claude-sonnet-4-5", "messages": [user("Where is order 4471?")]});
    let count = call(9, &counted, "{\"input_tokens\":20}")
        .replace("/messages\n", "/messages/count_tokens\n");
    new.insert(1, count.clone());
    let other = count.replace("order 4471", "order 4472");
    insta::assert_snapshot!(described(&cassette(std::slice::from_ref(&count)), &cassette(&[other])), @"
    changed
    changed message: Message 1, 1 word replaced /interactions/0/request/body#/messages/0/content
    ");
    let mut moved = new.clone();
    moved.swap(0, 1);
    let [old, new, moved] = [old, new, moved].map(|calls| cassette(&calls));
    insta::assert_snapshot!(described(&old, &new), @"
    changed
    changed prompt: Call 1: system prompt, 3 words added /interactions/0/request/body#/system
    added call whole: Call 2 added /interactions/1
    changed prompt: Call 3: system prompt, 3 words added (Call(1)) /interactions/2/request/body#/system
    changed prompt: Call 4: system prompt, 3 words added (Call(1)) /interactions/3/request/body#/system
    ");
    insta::assert_snapshot!(described(&new, &moved), @"
    changed
    moved call whole: Call 1 moved to 2 /interactions/1
    ");
    insta::assert_snapshot!(described(&moved, &old).lines().take(3).collect::<Vec<_>>().join("\n"), @"
    changed
    removed call whole: Call 1 removed /interactions/0
    changed prompt: Call 1: system prompt, 3 words dropped /interactions/0/request/body#/system
    ");
    let documents = [&old, &new].map(|text| Take::new("a.yaml", text.clone().into_bytes()).read());
    let numbers = |old, new| AlignedCalls { old, new };
    assert_eq!(
        aligned_calls(&documents[1], &documents[0]).unwrap(),
        [
            numbers(Some(1), Some(1)),
            numbers(Some(2), None),
            numbers(Some(3), Some(2)),
            numbers(Some(4), Some(3)),
        ]
    );
}

#[test]
fn a_parsed_body_and_a_text_are_the_same() {
    let [old] = conversation("Help.", &TURNS[..1], 1).try_into().unwrap();
    let body = request("Help.", &[user("Where is order 4471?")]);
    let line = format!("    body: '{body}'\n");
    assert!(old.contains(&line));
    let tree = format!("    parsed_body: {}\n", body.to_string().replace("\":", "\": "));
    let (old, new) = (cassette(std::slice::from_ref(&old)), cassette(&[old.replace(&line, &tree)]));
    let compared = compared(&old, &new);
    assert_eq!((compared.status.as_str(), compared.bytes_only), ("same", true));
    let new = new.replace("order 4471", "order 4472");
    insta::assert_snapshot!(described(&old, &new), @"
    changed
    changed message: Message 1, 1 word replaced /interactions/0/request/parsed_body/messages/0/content
    ");
}

fn streamed(words: &[&str]) -> String {
    let delta = |word: &&str| {
        let event = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m",
            "choices": [{"index": 0, "delta": {"content": word}}]});
        format!("data: {event}\n\n")
    };
    let deltas: String = words.iter().map(delta).collect();
    format!("{deltas}data: [DONE]\n\n")
}

#[test]
fn a_stream_is_compared_by_the_answer_it_assembles_to() {
    let sent = json!({"model": "m", "stream": true, "messages": [user("Hi")]});
    let cassette = |words: &[&str]| {
        let call = call(1, &sent, &streamed(words));
        cassette(&[call.replace("anthropic.com/v1/messages", "openai.com/v1/chat/completions")])
    };
    let old = cassette(&["It ", "came ", "broken."]);
    let same = compared(&old, &cassette(&["It came ", "broken."]));
    assert_eq!((same.status.as_str(), same.bytes_only), ("same", true));
    insta::assert_snapshot!(described(&old, &cassette(&["It ", "came ", "damaged."])), @"
    changed
    changed answer whole: Answer text, 1 word replaced /interactions/0/response/body/string#/content/0/text
    ");
}

fn tool_call(order_id: &str, reason: &str) -> String {
    let arguments = format!("{{\"order\": \"{order_id}\",  \"reason\": \"{reason}\"}}");
    json!({"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": {
        "role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
        "function": {"name": "refund", "arguments": arguments}}]}, "finish_reason": "tool_calls"}]})
    .to_string()
}

#[test]
fn arguments_in_a_text_are_values_and_each_can_be_kept_as_it_was() {
    let sent = json!({"model": "m", "messages": [user("Refund it")]});
    let cassette = |answer: &str| {
        let call = call(1, &sent, answer);
        cassette(&[call.replace("anthropic.com/v1/messages", "openai.com/v1/chat/completions")])
    };
    let (old, new) = (
        cassette(&tool_call("4471", "it came broken")),
        cassette(&tool_call("4472", "it arrived broken")),
    );
    insta::assert_snapshot!(described(&old, &new), @"
    changed
    changed tool-call: Field `order` in the call of `refund` is `4472`, was `4471` /interactions/0/response/body/string#/choices/0/message/tool_calls/0/function/arguments#/order
    changed tool-call: Field `reason` in the call of `refund`, 1 word replaced /interactions/0/response/body/string#/choices/0/message/tool_calls/0/function/arguments#/reason
    changed value: Header `content-length` is `218`, was `215` (header) /interactions/0/response/headers/content-length/0
    ");
    let changes = compared(&old, &new).changes;
    let keys: Vec<ChangeKey> = changes.iter().map(super::TakeChange::key).collect();
    let order_key = keys.iter().find(|key| key.pointer.ends_with("#/order"));
    let bytes = partial_bytes(&pair(&old, &new), &[order_key.unwrap().clone()].into()).unwrap();
    let text = std::str::from_utf8(&bytes).unwrap();
    // The length of the body follows.
    let expected = cassette(&tool_call("4471", "it arrived broken"));
    assert_eq!(text, expected);
}

#[test]
fn a_value_of_a_body_in_brotli_can_be_kept_as_it_was() {
    let cassette = |reason: &str| {
        let answer = tool_call("4471", reason);
        let [gzip, brotli] =
            [BodyLayer::Gzip, BodyLayer::Brotli].map(|coding| packed_body(&answer, coding));
        let text = cassette(&[call(1, &request("Help.", &[user("Refund it")]), &answer)]);
        text.replace("anthropic.com/v1/messages", "openai.com/v1/chat/completions")
            .replace(&gzip[0], &brotli[0])
            .replace(&gzip[1], &brotli[1])
    };
    let (old, new) = (cassette("it came broken"), cassette("it arrived broken"));
    assert!(old.contains("- br\n"));
    let changes = compared(&old, &new).changes;
    let reason = changes.iter().find(|change| change.pointer().ends_with("#/reason"));
    let keys = [reason.unwrap().key()].into();
    let bytes = partial_bytes(&pair(&old, &new), &keys).unwrap();
    assert_eq!(std::str::from_utf8(&bytes).unwrap(), old);
}

#[test]
fn what_depends_on_other_changes_is_refused_and_nothing_is_written() {
    let old = conversation("Help.", &TURNS, 1);
    let new = conversation("Help.", &TURNS[..2], 1);
    let (old, new) = (cassette(&old), cassette(&new));
    let keys: BTreeSet<ChangeKey> =
        compared(&old, &new).changes.iter().map(super::TakeChange::key).collect();
    insta::assert_snapshot!(partial_bytes(&pair(&old, &new), &keys).unwrap_err(), @"A whole call and a streamed or packed body cannot be taken in part");
    let [old, new] = [1, 2].map(|run| cassette(&conversation("Help.", &TURNS, run)));
    let changes = compared(&old, &new).changes;
    // Each single change can be reverted, and only that one.
    for change in changes.iter().filter(|change| change.is_separable()) {
        let Ok(bytes) = partial_bytes(&pair(&old, &new), &[change.key()].into()) else {
            panic!("{}", change.sentence);
        };
        let text = std::str::from_utf8(&bytes).unwrap();
        let keys_left = compared_keys(&old, text);
        assert!(!keys_left.contains(&change.key()), "{}", change.sentence);
    }
}

#[test]
fn the_version_of_an_api_is_no_noise_although_it_is_a_date() {
    let old = cassette(&conversation("Help.", &TURNS[..1], 1));
    let old = old.replacen(
        "host:\n      - api.anthropic.com",
        "anthropic-version:\n      - '2023-06-01'",
        1,
    );
    let new = old.replace("2023-06-01", "2026-06-01");
    insta::assert_snapshot!(described(&old, &new), @"
    changed
    changed value: Header `anthropic-version` is `2026-06-01`, was `2023-06-01` /interactions/0/request/headers/anthropic-version/0
    ");
}

fn compared_keys(old: &str, new: &str) -> BTreeSet<ChangeKey> {
    let changes = compared(old, new).changes;
    changes.iter().map(super::TakeChange::key).collect()
}

#[test]
fn values_are_shown_decoded() {
    let text = cassette(&conversation("Help.", &TURNS[..1], 1));
    let document = Take::new("a.yaml", text.into_bytes()).read();
    let values = decoded_values(&document).unwrap();
    let at = |pointer: &str| {
        values.at_pointer(pointer).and_then(|value| value.as_str().map(str::to_owned))
    };
    assert_eq!(at("/interactions/0/request/body/system").unwrap(), "Help.");
    let answer = "/interactions/0/response/body/string/content/0/text";
    assert_eq!(at(answer).unwrap(), TURNS[0].1);
}

/// A call of a service without a model, as vcrpy writes it.
fn other_call(uri: &str, kind: &str, body: &str, answer: &str) -> String {
    format!(
        "- request:\n    body: {body}\n    headers:\n      content-type:\n      - {kind}\n    method: POST\n    uri: {uri}\n  \
         response:\n    body:\n      string: '{answer}'\n    headers: {{}}\n    status:\n      code: 200\n      message: OK\n"
    )
}

/// An upload with a boundary, as text or with bytes in Base64.
fn upload(boundary: &str, file: &[u8]) -> String {
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n--{boundary}\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"a.mp3\"\r\nContent-Type: audio/mpeg\r\n\r\n"
    );
    let end = format!("\r\n--{boundary}--\r\n");
    let body = [head.as_bytes(), file, end.as_bytes()].concat();
    let body = match String::from_utf8(body) {
        Ok(text) => serde_json::to_string(&text).unwrap(),
        Err(error) => format!(
            "!!binary {}",
            base64::Engine::encode(&base64::prelude::BASE64_STANDARD, error.as_bytes())
        ),
    };
    let kind = format!("multipart/form-data; boundary={boundary}");
    other_call("https://api.openai.com/v1/audio/transcriptions", &kind, &body, "{\"text\": \"Hi\"}")
}

#[test]
fn a_boundary_is_noise_and_the_parts_of_a_form_are_compared() {
    let [one, other] = ["0b5e1c7a9d3f48e2a6b1", "ffeac16b6e044eec98d4"];
    let [text, new_text]: [&[u8]; 2] = [b"{\"custom_id\":\"a\"}\n", b"{\"custom_id\":\"b\"}\n"];
    let [audio, new_audio]: [&[u8]; 2] = [b"ID3\x04\xff\xfb\x90", b"ID3\x04\xff\xfb\x91\x00"];
    let described = |old: [&[u8]; 1], new: [&[u8]; 1]| {
        described(&cassette(&[upload(one, old[0])]), &cassette(&[upload(other, new[0])]))
    };
    insta::assert_snapshot!(described([text], [text]), @"
    ignored-only
    changed value: Header `content-type`, 1 word replaced (header) /interactions/0/request/headers/content-type/0
    ");
    insta::assert_snapshot!(described([audio], [audio]), @"
    ignored-only
    changed value: Header `content-type`, 1 word replaced (header) /interactions/0/request/headers/content-type/0
    ");
    insta::assert_snapshot!(described([text], [new_text]), @"
    changed
    changed value whole: Content of part `file` is `b`, was `a` /interactions/0/request/body#/file/content#/custom_id
    changed value: Header `content-type`, 1 word replaced (header) /interactions/0/request/headers/content-type/0
    ");
    insta::assert_snapshot!(described([audio], [new_audio]), @"
    changed
    changed value whole: Content of part `file`, 2 words replaced /interactions/0/request/body#/file/content
    changed value: Header `content-type`, 1 word replaced (header) /interactions/0/request/headers/content-type/0
    ");
    let [old, same, new] = [(one, audio), (other, audio), (other, new_audio)]
        .map(|(boundary, file)| cassette(&[upload(boundary, file)]));
    let kept_text = |new: &str| {
        let pair = pair(&old, new);
        let bytes = crate::review::keep_noise(&pair, &compare(&pair, &[])).unwrap().unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    assert_eq!(kept_text(&same), old);
    // A form is taken as a whole, with the header that names its boundary.
    assert_eq!(kept_text(&new), new);
}

#[test]
fn durations_telemetry_and_ids_in_addresses_are_noise() {
    let go = |took: &str, arguments: &str| {
        format!(
            "---\nversion: 2\ninteractions:\n- id: 0\n  request:\n    body: '{{\"model\": \"o4-mini\", \"messages\": []}}'\n    \
             headers: {{}}\n    url: https://api.openai.com/v1/chat/completions\n    method: POST\n  response:\n    body: \
             '{{\"model\": \"o4-mini\", \"choices\": [{{\"message\": {{\"role\": \"assistant\", \"tool_calls\": [{{\"id\": \
             \"call_1\", \"type\": \"function\", \"function\": {{\"name\": \"wait\", \"arguments\": {arguments}}}}}]}}}}]}}'\n    \
             headers: {{}}\n    status: 200 OK\n    code: 200\n    duration: {took}\n"
        )
    };
    let [short, long] = [10, 60].map(|seconds| {
        let arguments = format!("{{\"duration\": {seconds}}}");
        serde_json::to_string(&arguments).unwrap()
    });
    let traces = |body: &str| {
        let [first, second] = [body, &*body.replace('A', "B")].map(|body| {
            let uri = "https://telemetry.example.com:4319/v1/traces";
            other_call(uri, "application/x-protobuf", &format!("!!binary {body}"), "")
        });
        cassette(&[first, second])
    };
    let threads = |thread: &str, run: &str, status: &str| {
        let uri = |rest: &str| format!("https://api.openai.com/v1/threads{rest}");
        let json = |value: Value| value.to_string();
        cassette(&[
            other_call(
                &uri(""),
                "application/json",
                "''",
                &json(json!({"id": thread, "object": "thread"})),
            ),
            other_call(
                &uri(&format!("/{thread}/runs/{run}")),
                "application/json",
                "''",
                &json(json!({"id": run, "thread_id": thread, "status": status})),
            ),
        ])
    };
    let (old, same) = (
        threads("thread_MPKsf6rKSKPyP4DZiZg9yoxd", "run_afctOuljQyyu0zLmG7bJLc6G", "done"),
        threads("thread_T6qwGAxh0EaHsPrcHZ7JCJ1k", "run_IL2XI2vtDTds9edMVscOwprV", "done"),
    );
    let new = same.replace("done", "failed");
    let cases = [
        (go("1.750472792s", &short), go("7.798665417s", &short)),
        (go("812.5ms", &short), go("1m7.5s", &long)),
        (traces("/wECA6A="), traces("/wECBKA=")),
        (old.clone(), same),
        (old, new),
    ];
    let described: Vec<String> = cases.iter().map(|(old, new)| described(old, new)).collect();
    insta::assert_snapshot!(described.join("\n"), @"
    ignored-only
    changed value: Field `duration` is `7.798665417s`, was `1.750472792s` (duration) /interactions/0/response/duration

    changed
    changed value: Field `duration` is `1m7.5s`, was `812.5ms` (duration) /interactions/0/response/duration
    changed tool-call: Field `duration` in the call of `wait` is `60`, was `10` /interactions/0/response/body#/choices/0/message/tool_calls/0/function/arguments#/duration

    ignored-only
    changed value whole: Call 1: request body, 1 word replaced (telemetry) /interactions/0/request/body
    changed value whole: Call 2: request body, 1 word replaced (telemetry) /interactions/1/request/body

    ignored-only
    changed value: Call 1: field `id` is `thread_T6qwGAxh0EaHsPrcHZ7JCJ1k`, was `thread_MPKsf6rKSKPyP4DZiZg9yoxd` (id) /interactions/0/response/body/string#/id
    changed value: Call 2: address, 2 words replaced (id) /interactions/1/request/uri
    changed value: Call 2: field `id` is `run_IL2XI2vtDTds9edMVscOwprV`, was `run_afctOuljQyyu0zLmG7bJLc6G` (id) /interactions/1/response/body/string#/id
    changed value: Call 2: field `thread_id` is `thread_T6qwGAxh0EaHsPrcHZ7JCJ1k`, was `thread_MPKsf6rKSKPyP4DZiZg9yoxd` (id) /interactions/1/response/body/string#/thread_id

    changed
    changed value: Call 1: field `id` is `thread_T6qwGAxh0EaHsPrcHZ7JCJ1k`, was `thread_MPKsf6rKSKPyP4DZiZg9yoxd` (id) /interactions/0/response/body/string#/id
    changed value: Call 2: address, 2 words replaced (id) /interactions/1/request/uri
    changed value: Call 2: field `id` is `run_IL2XI2vtDTds9edMVscOwprV`, was `run_afctOuljQyyu0zLmG7bJLc6G` (id) /interactions/1/response/body/string#/id
    changed value: Call 2: field `status` is `failed`, was `done` /interactions/1/response/body/string#/status
    changed value: Call 2: field `thread_id` is `thread_T6qwGAxh0EaHsPrcHZ7JCJ1k`, was `thread_MPKsf6rKSKPyP4DZiZg9yoxd` (id) /interactions/1/response/body/string#/thread_id
    ");
}

/// The calls of a cassette two columns deeper.
fn indented(calls: &str) -> String {
    let lines = calls.split_inclusive('\n').map(|line| format!("  {line}"));
    lines.collect()
}

#[test]
fn a_file_that_was_indented_again_keeps_its_noise_beside_an_added_call() {
    let [old, new] = [1, 2].map(|run| conversation("Help.", &TURNS[..run], run));
    let other_answer = new[0].replace("Where is", "Where was");
    let deep =
        |calls: &[String]| format!("interactions:\n{}version: 1\n", indented(&calls.concat()));
    let added = [old[0].clone(), new[1].clone()];
    let cases = [
        (deep(&old), cassette(&new), deep(&added)),
        (cassette(&old), deep(&new), cassette(&added)),
        (deep(&old), deep(&new), deep(&added)),
        (deep(&old), cassette(&[other_answer]), deep(&[old[0].replace("Where is", "Where was")])),
    ];
    for (old, new, expected) in cases {
        let pair = pair(&old, &new);
        let bytes = crate::review::keep_noise(&pair, &compare(&pair, &[])).unwrap();
        assert_eq!(std::str::from_utf8(&bytes.unwrap()).unwrap(), expected);
    }
}

/// Returns the words about each group of re-recorded cassettes: its lane, its name, what changed in it, and whether in the same way.
fn group_words(pairs: &[(String, String)]) -> String {
    let pairs = pairs.iter().enumerate().map(|(at, (old, new))| {
        let take = |text: &str| {
            let path = format!("{at}.yaml");
            Some(Arc::new(Take::new(&path, text.as_bytes().to_vec())))
        };
        let pair = TakePair { old: take(old), new: take(new), by: PairedBy::Path };
        let compared = compare(&pair, &[]);
        (pair, compared)
    });
    let review = crate::review::Review::new(pairs.collect());
    let words = review.groups.iter().map(|group| {
        let (lane, mark) = (group.lane.as_str(), group.uniformity());
        format!("{lane}: {} | {} | {mark}\n", group.name, group.detail)
    });
    words.collect()
}

#[test]
fn the_words_about_a_group_are_true_of_all_that_changed_in_its_pairs() {
    let one = |system: &str, answer: &str, run: usize| {
        cassette(&conversation(system, &[("Where is it?", answer)], run))
    };
    let with_prompt = |answers: [&str; 2]| {
        let pair = |answer: &str| {
            let old = one("You sort all mail.", "It is in the box.", 1);
            (old, one("You file all mail.", answer, 2))
        };
        group_words(&answers.map(pair))
    };
    let same = "It is in the box.";
    insta::assert_snapshot!(with_prompt([same, same]), @"sent: “sort” became “file” | prompt | uniform");
    insta::assert_snapshot!(with_prompt([same, "It is in the old box."]), @"sent: “sort” became “file” | prompt and answer text | 1 cause, changed in 2 ways");
    let added = |questions: [&str; 2]| {
        let pair = |question: &str| {
            let turns = |all: &[(&str, &str)]| conversation("You sort mail.", all, 1);
            let old = turns(&[("Where is it?", same)]);
            let other = turns(&[(question, "Nobody knows.")]);
            (cassette(&old), cassette(&[old, other].concat()))
        };
        group_words(&questions.map(pair))
    };
    insta::assert_snapshot!(added(["Who?", "Who?"]), @"calls: Call of `claude-sonnet-4-5` added | recorded calls | uniform");
    insta::assert_snapshot!(added(["Who?", "When?"]), @"calls: Call of `claude-sonnet-4-5` added | recorded calls | 2 different changes");
}

#[test]
fn arguments_that_became_json_are_described_as_text() {
    let history = |arguments: &str| {
        let call = json!({"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": arguments}});
        let messages =
            [user("Where?"), json!({"role": "assistant", "content": null, "tool_calls": [call]})];
        let answer = answered("msg_100000000", "Here.", 5).to_string();
        cassette(&[call_of(&messages, &answer)])
    };
    let sentence = |old: &str, new: &str| {
        let compared = compared(&history(old), &history(new));
        compared.changes[0].sentence.to_string()
    };
    let json = r#"{"city": "Rome", "unit": "C"}"#;
    insta::assert_snapshot!([
        sentence("", json),
        sentence(json, "[1]"),
        sentence("Rome", "[]"),
    ].join("\n"), @"
    Field `arguments` of message 2 is JSON text with 2 fields, was an empty text
    Field `arguments` of message 2 is JSON text with 1 element, was JSON text with 2 fields
    Field `arguments` of message 2 is JSON text with 0 elements, was `Rome`
    ");
}

fn call_of(messages: &[Value], answer: &str) -> String {
    call(1, &request("You sort mail.", messages), answer)
}

#[test]
fn what_a_recorder_notes_of_an_answer_is_no_answer() {
    let old = cassette(&conversation("You sort mail.", &[("Where?", "Here.")], 1));
    let with = |field: &str| {
        let new = old.replacen("  response:\n", &format!("  response:\n    {field}\n"), 1);
        let compared = compared(&old, &new);
        compared.lane().as_str()
    };
    assert_eq!(with("proto: HTTP/1.1"), "same-words");
    let new = old.replace("code: 200", "code: 500");
    assert_eq!(compared(&old, &new).lane().as_str(), "answered");
    let cassette_of = |answer: &str| cassette(&[call_of(&[user("Where?")], answer)]);
    let compared = compared(&cassette_of("It is here."), &cassette_of("It is there."));
    assert_eq!(compared.lane().as_str(), "answered");
}

/// Two calls of a model with a tool: the tool call of the first with what the model thought, and what the second repeats and adds.
struct ToolTurns {
    thought: &'static str,
    city: &'static str,
    /// The arguments as the second request has them; none for those of the answer.
    sent: Option<Value>,
    result: &'static str,
    is_cached: bool,
}

const TOOL_TURNS: ToolTurns = ToolTurns {
    thought: "The user wants the weather.",
    city: "Florence",
    sent: None,
    result: "40 C",
    is_cached: false,
};

impl ToolTurns {
    fn cassette(&self, api: &str) -> String {
        let Self { thought, city, result, .. } = self;
        let arguments = json!({"city": city});
        let sent = self.sent.clone().unwrap_or_else(|| arguments.clone());
        let text = |value: &Value| match value {
            Value::String(text) => json!(text),
            other => json!(other.to_string()),
        };
        let (path, requests, answers) = match api {
            "anthropic" => {
                let used = json!({"type": "tool_use", "id": "toolu_1", "name": "weather", "input": arguments});
                let mut repeated = used.clone();
                repeated["input"] = sent;
                if self.is_cached {
                    repeated["cache_control"] = json!({"type": "ephemeral"});
                }
                let returned =
                    json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": result}]);
                let messages = [
                    user("How warm is it?"),
                    json!({"role": "assistant", "content": [repeated]}),
                    json!({"role": "user", "content": returned}),
                ];
                let content = json!([{"type": "thinking", "thinking": thought}, used]);
                let answer = |content: Value, stop: &str| json!({"type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": stop});
                (
                    "anthropic.com/v1/messages",
                    [&messages[..1], &messages]
                        .map(|messages| json!({"model": "m", "messages": messages})),
                    [
                        answer(content, "tool_use"),
                        answer(json!([{"type": "text", "text": "Warm."}]), "end_turn"),
                    ],
                )
            }
            "chat" => {
                let used = |arguments: &Value| json!([{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": text(arguments)}}]);
                let messages = [
                    user("How warm is it?"),
                    json!({"role": "assistant", "content": null, "tool_calls": used(&sent)}),
                    json!({"role": "tool", "tool_call_id": "call_1", "content": result}),
                ];
                let answer = |message: Value| json!({"object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
                let first = json!({"role": "assistant", "content": null, "reasoning_content": thought, "tool_calls": used(&arguments)});
                (
                    "openai.com/v1/chat/completions",
                    [&messages[..1], &messages]
                        .map(|messages| json!({"model": "m", "messages": messages})),
                    [answer(first), answer(json!({"role": "assistant", "content": "Warm."}))],
                )
            }
            _ => {
                let used = |arguments: &Value| json!({"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": text(arguments)});
                let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": thought}]});
                let messages = [
                    user("How warm is it?"),
                    reasoning.clone(),
                    used(&sent),
                    json!({"type": "function_call_output", "call_id": "call_1", "output": result}),
                ];
                let answer = |output: Value| json!({"object": "response", "model": "m", "status": "completed", "output": output});
                let message = json!([{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Warm."}]}]);
                (
                    "openai.com/v1/responses",
                    [&messages[..1], &messages]
                        .map(|messages| json!({"model": "m", "input": messages})),
                    [answer(json!([reasoning, used(&arguments)])), answer(message)],
                )
            }
        };
        let calls = requests.iter().zip(&answers).enumerate();
        let calls = calls.map(|(at, (request, answer))| {
            let call = call(at, request, &answer.to_string());
            call.replace("anthropic.com/v1/messages", path)
        });
        cassette(&calls.collect::<Vec<_>>())
    }
}

/// Returns the lane of a pair, and its changes of what was sent.
fn sent_changes(old: &str, new: &str) -> String {
    let lane = compared(old, new).lane().as_str();
    let described = described(old, new);
    let lines = described.lines().filter(|line| line.contains(" message"));
    let lines = lines.map(|line| {
        let (line, _) = line.rsplit_once(' ').unwrap();
        format!("\n  {line}")
    });
    format!("{lane}{}", lines.collect::<String>())
}

#[test]
fn only_what_repeats_a_changed_answer_follows_from_it() {
    let other = ToolTurns { thought: "The user asks for the weather.", ..TOOL_TURNS };
    let cases = [
        ("the model thought something else", ToolTurns { ..other }),
        ("and the tool returned something else", ToolTurns { result: "99 F", sent: None, ..other }),
        (
            "and the arguments are sent as a text in a text",
            ToolTurns { sent: Some(json!("\"{\\\"city\\\":\\\"Florence\\\"}\"")), ..other },
        ),
        (
            "and other arguments are sent",
            ToolTurns { sent: Some(json!({"city": "Rome"})), ..other },
        ),
        (
            "the model called with other arguments",
            ToolTurns { city: "Rome", result: "35 C", ..TOOL_TURNS },
        ),
        ("and what it said is cached", ToolTurns { city: "Rome", is_cached: true, ..TOOL_TURNS }),
    ];
    let mut text = String::new();
    for api in ["anthropic", "chat", "responses"] {
        let old = TOOL_TURNS.cassette(api);
        for (name, new) in &cases {
            let changes = sent_changes(&old, &new.cassette(api));
            text += &format!("{api}, {name}: {changes}\n");
        }
    }
    insta::assert_snapshot!(text, @r#"
    anthropic, the model thought something else: same-words
    anthropic, and the tool returned something else: sent
      changed message: Call 2: message 3, 2 words replaced
    anthropic, and the arguments are sent as a text in a text: sent
      changed message: Call 2: field `input` of message 2 is `"{\"city\":\"Florence\"}"`, was an object with 1 field
    anthropic, and other arguments are sent: sent
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence`
    anthropic, the model called with other arguments: answered
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence` (Call(1))
      changed message: Call 2: message 3, 1 word replaced (Call(1))
    anthropic, and what it said is cached: sent
      added message: Call 2: field `cache_control` of message 2 added
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence` (Call(1))
    chat, the model thought something else: same-words
    chat, and the tool returned something else: sent
      changed message: Call 2: message 3, 2 words replaced
    chat, and the arguments are sent as a text in a text: sent
      changed message: Call 2: field `arguments` of message 2 is `"{\"city\":\"Florence\"}"`, was JSON text with 1 field
    chat, and other arguments are sent: sent
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence`
    chat, the model called with other arguments: answered
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence` (Call(1))
      changed message: Call 2: message 3, 1 word replaced (Call(1))
    chat, and what it said is cached: answered
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence` (Call(1))
    responses, the model thought something else: same-words
      changed message: Call 2: reasoning in the request, 1 word became 2 (Call(1))
    responses, and the tool returned something else: sent
      changed message: Call 2: reasoning in the request, 1 word became 2 (Call(1))
      changed message: Call 2: field `output` of message 3, 2 words replaced
    responses, and the arguments are sent as a text in a text: sent
      changed message: Call 2: reasoning in the request, 1 word became 2 (Call(1))
      changed message: Call 2: field `arguments` of message 2 is `"{\"city\":\"Florence\"}"`, was JSON text with 1 field
    responses, and other arguments are sent: sent
      changed message: Call 2: reasoning in the request, 1 word became 2 (Call(1))
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence`
    responses, the model called with other arguments: answered
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence` (Call(1))
      changed message: Call 2: field `output` of message 3, 1 word replaced (Call(1))
    responses, and what it said is cached: answered
      changed message: Call 2: field `city` of message 2 is `Rome`, was `Florence` (Call(1))
    "#);
}

#[test]
fn an_answer_that_is_repeated_in_other_words_is_changed_by_the_program() {
    let cassette = |answer: &str, repeated: &str| {
        let first =
            call(1, &request("Help.", &[user("Hi")]), &answered("msg_1", answer, 1).to_string());
        let messages =
            [user("Hi"), json!({"role": "assistant", "content": repeated}), user("Go on")];
        let second =
            call(2, &request("Help.", &messages), &answered("msg_2", "Yes.", 1).to_string());
        cassette(&[first, second])
    };
    let old = cassette("Hello there. ", "Hello there.");
    let cases = [
        ("Hello, friend.", "Hello, friend."),
        ("Hello, friend.", "Hello, friend (said the assistant)."),
        ("Hello there, friend.", "Hello there."),
        ("Hello there. ", "Hello."),
    ];
    let lines = cases.map(|(answer, repeated)| sent_changes(&old, &cassette(answer, repeated)));
    insta::assert_snapshot!(lines.join("\n"), @"
    answered
      changed message: Call 2: message 2, 1 word replaced (Call(1))
    sent
      changed message: Call 2: message 2, 1 word became 4
    answered
    sent
      changed message: Call 2: message 2, 1 word dropped
    ");
}

/// A request, its answer and where it was sent.
type RecordedApiCall = (Value, Value, &'static str);

/// Makes the call of an API from the id of a tool call and a city.
type MakeApiCall<'a> = &'a dyn Fn(&str, &str) -> RecordedApiCall;

#[test]
fn ids_of_tool_calls_are_ignored_in_all_apis() {
    let gemini = |id: &str, city: &str| {
        let parts =
            json!([{"functionCall": {"id": id, "name": "weather", "args": {"city": city}}}]);
        let result = json!([{"functionResponse": {"id": id, "name": "weather", "response": {"result": "40 C"}}}]);
        let sent = json!({"contents": [
            {"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": parts}, {"role": "user", "parts": result}]});
        let answer = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]});
        (sent, answer, "generativelanguage.googleapis.com/v1beta/models/m:generateContent")
    };
    let mistral = |id: &str, city: &str| {
        let used = json!([{"id": id, "function": {"name": "weather", "arguments": json!({"city": city}).to_string()}}]);
        let sent = json!({"model": "m", "messages": [user("Hi"), {"role": "assistant", "content": "", "tool_calls": used},
            {"role": "tool", "tool_call_id": id, "content": "40 C"}]});
        let answer = json!({"object": "chat.completion", "model": "m", "choices": [{"message":
            {"role": "assistant", "content": "", "tool_calls": used}, "finish_reason": "tool_calls"}]});
        (sent, answer, "api.mistral.ai/v1/chat/completions")
    };
    let anthropic = |id: &str, city: &str| {
        let used = json!([{"type": "server_tool_use", "id": id, "name": "weather", "input": {"city": city}}]);
        let sent = json!({"model": "m", "messages": [user("Hi"), {"role": "assistant", "content": used},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "40 C"}]}]});
        let answer = json!({"type": "message", "role": "assistant", "model": "m", "content": used, "stop_reason": "end_turn"});
        (sent, answer, "api.anthropic.com/v1/messages")
    };
    let apis: [MakeApiCall<'_>; 3] = [&gemini, &mistral, &anthropic];
    for api in apis {
        let cassette = |id: &str, city: &str| {
            let (sent, answer, path) = api(id, city);
            let call = call(1, &sent, &answer.to_string());
            cassette(&[call.replace("api.anthropic.com/v1/messages", path)])
        };
        let old = cassette("89nz05jy", "Rome");
        let other_id = compared(&old, &cassette("j9g0pcc1", "Rome"));
        assert_eq!(other_id.status.as_str(), "ignored-only", "{other_id:?}");
        let other_call = compared(&old, &cassette("j9g0pcc1", "Florence"));
        assert_eq!(other_call.status.as_str(), "changed");
    }
}

#[test]
fn times_of_ruby_and_of_mails_are_ignored() {
    let old = cassette(&conversation("Help.", &TURNS[..1], 1));
    let at =
        |time: &str| old.replace("  response:\n", &format!("  recorded_at: {time}\n  response:\n"));
    let old = at("Mon, 08 Jun 2026 18:46:15 GMT");
    for new in [
        "Tue, 09 Jun 2026 06:01:59 GMT",
        "Tue, 09 Jun 2026 06:01:59 +0200",
        "2026-06-09 06:01:59 UTC",
        "2026-06-09 06:01:59 +0200",
    ] {
        let compared = compared(&old, &at(new));
        assert_eq!(compared.status.as_str(), "ignored-only", "{new}");
        assert_eq!(compared.ignored_counts(), ["1 timestamp"]);
    }
    assert_eq!(compared(&old, &at("on Monday")).status.as_str(), "changed");
}

#[test]
fn a_group_counts_the_calls_it_is_named_after() {
    let turns = conversation("Help.", &TURNS, 1);
    let other = |at: usize, status: &str, name: &str| {
        let answer = answered("msg_9", "Yes.", 1).to_string();
        let mut request = request("Help.", &[user(&format!("Question {at}"))]);
        request["model"] = json!(name);
        let call = call(at, &request, &answer.replace("claude-sonnet-4-5", name));
        call.replace("code: 200", &format!("code: {status}"))
    };
    let review = |pairs: &[(usize, &str, &[&str])]| {
        let pairs = pairs.iter().enumerate();
        let pairs = pairs.map(|(at, (count, status, names))| {
            let added = names.iter().flat_map(|name| (0..*count).map(|at| other(at, status, name)));
            let new: Vec<String> = turns.iter().cloned().chain(added).collect();
            let mut pair = pair(&cassette(&turns), &cassette(&new));
            for take in [&mut pair.old, &mut pair.new] {
                let bytes = take.as_ref().unwrap().bytes.to_vec();
                *take = Some(Arc::new(Take::new(&format!("{at}.yaml"), bytes)));
            }
            let compared = compare(&pair, &[]);
            (pair, compared)
        });
        let review = Review::new(pairs.collect());
        let groups = review.groups.iter();
        groups.map(|group| format!("{}: {}", group.id, group.name)).collect::<Vec<_>>().join("\n")
    };
    let cases: [&[(usize, &str, &[&str])]; 6] = [
        &[(1, "200", &["m"]), (1, "200", &["m"])],
        &[(3, "200", &["m"]), (3, "200", &["m"])],
        &[(1, "200", &["m"]), (2, "200", &["m"]), (4, "200", &["m"])],
        &[(3, "404", &["m"])],
        &[(2, "200", &["m", "n"])],
        &[(2, "200", &["m", "n", "o"])],
    ];
    let names = cases.map(review);
    insta::assert_snapshot!(names.join("\n"), @"
    call-of-m-added: Call of `m` added
    call-of-m-added: 3 calls of `m` added
    call-of-m-added: 1 to 4 calls of `m` added
    call-of-m-added-status-404: 3 calls of `m` added, status 404
    call-of-m-added-and-call-of-n-added: 2 calls of `m` added, and 2 calls of `n` added
    call-of-m-added-and-2-more: 2 calls of `m` added, and 2 more kinds of change
    ");
}

#[test]
fn calls_with_a_request_that_was_recorded_before_are_one_group() {
    let turns = conversation("Help.", &TURNS, 1);
    let pairs = [1, TURNS.len()].into_iter().enumerate().map(|(at, count)| {
        let again = turns.iter().take(count).cloned();
        let new: Vec<String> = turns.iter().cloned().chain(again).collect();
        let mut pair = pair(&cassette(&turns), &cassette(&new));
        for take in [&mut pair.old, &mut pair.new] {
            let bytes = take.as_ref().unwrap().bytes.to_vec();
            *take = Some(Arc::new(Take::new(&format!("{at}.yaml"), bytes)));
        }
        let compared = compare(&pair, &[]);
        (pair, compared)
    });
    let review = Review::new(pairs.collect());
    let mut lines: Vec<String> =
        review.groups.iter().map(|group| format!("{}: {}", group.id, group.name)).collect();
    let changes = review.pairs[0].compared.changes.iter();
    lines.extend(changes.map(|change| change.sentence.to_string()));
    insta::assert_snapshot!(lines.join("\n"), @"
    call-recorded-again: 1 to 3 calls recorded again
    Call 4 added, with the request of call 1
    ");
}

#[test]
fn a_call_without_a_model_is_named_by_the_end_of_its_address_that_is_no_id() {
    let old = one_call("https://api.openai.com/v1/threads", &json!({}), "{}");
    let run = one_call(
        "https://api.openai.com/v1/threads/thread_OWkJ3Wv1kGrkGYbHdzYKCWAY/runs/run_31fgVjfVXHHOJZbQnBWJXhlN",
        &json!({}),
        "{}",
    );
    let compared = compare(&pair(&old, &run), &[]);
    let names: Vec<&str> =
        compared.changes.iter().map(|change| &*change.patterns.coarse.name).collect();
    insta::assert_snapshot!(names.join("\n"), @"
    Call to `threads` removed
    Call to `runs` added
    ");
}

/// A cassette of one call: its address, what was sent, what was answered.
fn one_call(uri: &str, sent: &Value, answer: &str) -> String {
    let json = json!({"version": 1, "interactions": [{
        "request": {"method": "POST", "uri": uri, "headers": {}, "body": sent.to_string()},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": answer}},
    }]});
    json.to_string()
}

#[test]
fn no_words_of_an_answer_in_a_form_that_is_not_read_are_the_same() {
    let chat = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
    let prompt = json!({"model": "m", "prompt": "hi"});
    let forms = [
        (
            "https://api.openai.com/v1/completions",
            &prompt,
            r#"{"id": "cmpl-1", "choices": [{"text": "A", "index": 0}]}"#,
        ),
        (
            "http://localhost:11434/api/chat",
            &chat,
            r#"{"model": "m", "message": {"role": "assistant", "content": "A"}}"#,
        ),
        (
            "http://localhost:11434/api/generate",
            &prompt,
            r#"{"model": "m", "response": "A", "done": true}"#,
        ),
        (
            "https://api.cohere.com/v2/chat",
            &chat,
            r#"{"message": {"content": [{"type": "text", "text": "A"}]}}"#,
        ),
        (
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-v2/invoke",
            &prompt,
            r#"{"completion": "A", "stop_reason": "end"}"#,
        ),
        (
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke",
            &chat,
            r#"{"stop_reason": "A"}"#,
        ),
        (
            "https://api-inference.huggingface.co/models/gpt2",
            &prompt,
            r#"[{"generated_text": "A"}]"#,
        ),
        (
            "https://api.replicate.com/v1/models/m/predictions",
            &prompt,
            r#"{"id": "x", "output": ["A"]}"#,
        ),
        ("https://api.openai.com/v1/audio/transcriptions", &prompt, r#"{"text": "A"}"#),
        (
            "https://api.openai.com/v1/threads/thread_1/messages",
            &json!({}),
            r#"{"data": [{"content": [{"text": {"value": "A"}}]}]}"#,
        ),
    ];
    let versions = [
        ["The refund was approved.", "The refund was denied."],
        ["Come on 2026-03-01.", "Come on 2026-04-01."],
        ["2026-03-01", "2026-04-01"],
        ["Mon, 08 Jun 2026 18:46:15 GMT", "Tue, 09 Jun 2026 18:46:15 GMT"],
        ["due:2026-03-01T10:00:00Z", "due:2026-04-01T10:00:00Z"],
    ];
    for (uri, sent, form) in forms {
        for answers in versions {
            let [old, new] = answers
                .map(|text| one_call(uri, sent, &form.replace("\"A\"", &format!("\"{text}\""))));
            let compared = compared(&old, &new);
            assert_eq!(compared.lane().as_str(), "answered", "{uri} {answers:?}");
        }
    }
    let sent = json!({"city": "Rome"});
    let of =
        |id: u32| one_call("https://a.dev/x", &sent, &format!(r#"{{"id": "req_0000000{id}"}}"#));
    assert_eq!(compared(&of(1), &of(2)).lane().as_str(), "noise");
    let fields = [
        ("created_at", "noise"),
        ("createTime", "noise"),
        ("due_date", "answered"),
        ("timestamp", "answered"),
    ];
    for (key, lane) in fields {
        for times in [["1770000000", "1780000000"], ["\"2026-03-01\"", "\"2026-04-01\""]] {
            let [old, new] = times.map(|time| {
                let answer = format!(r#"{{"message": {{"content": "A"}}, "{key}": {time}}}"#);
                one_call("http://localhost:11434/api/chat", &chat, &answer)
            });
            assert_eq!(compared(&old, &new).lane().as_str(), lane, "{key} {times:?}");
        }
    }
}

#[test]
fn an_answer_with_another_number_or_negation_is_not_named_reworded() {
    let names = ["Yes, you can bring it back today.", "Yes, you may bring it back within 3 days."];
    let names = names.into_iter().flat_map(|old| {
        let changes = [("can", "can't"), ("3", "30"), ("bring", "send")];
        changes.map(|(from, to)| (old, old.replacen(from, to, 1)))
    });
    let names = names.filter(|(old, new)| old != new).map(|(old, new)| {
        let version = |answer| cassette(&conversation("Help.", &[("Can I?", answer)], 1));
        format!("{new} {}", group_words(&[(version(old), version(&new))]))
    });
    insta::assert_snapshot!(names.collect::<String>(), @"
    Yes, you can't bring it back today. answered: Text changed | answer text | uniform
    Yes, you can send it back today. answered: Reworded | answer text | uniform
    Yes, you may bring it back within 30 days. answered: Text changed | answer text | uniform
    Yes, you may send it back within 3 days. answered: Reworded | answer text | uniform
    ");
}

#[test]
fn dates_and_ids_in_messages_are_no_noise() {
    let uri = "https://api.openai.com/v1/chat/completions";
    let call = |user: &str, call: &str, arguments: &Value, result: &Value| {
        let sent = json!({"model": "m", "messages": [
            {"role": "user", "content": user},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": call, "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": call, "content": result.to_string()}]});
        let answer = json!({"id": "chatcmpl-12345678", "object": "chat.completion", "model": "m", "choices": [
            {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_00000000000000000001", "type": "function",
                 "function": {"name": "book", "arguments": arguments.to_string()}}]}}]});
        one_call(uri, &sent, &answer.to_string())
    };
    let none = json!({});
    let ids = ["7b1e3a52-0b0d-4d1f-9f6a-1a2b3c4d5e6f", "8c2f4b63-1c1e-4e2a-8a7b-2b3c4d5e6f70"];
    let days = ["2026-03-01", "2026-04-01"];
    let hashes = ["1".repeat(32), "2".repeat(32)];
    let calls = ["call_00000000000000000002", "call_00000000000000000003"];
    let plain = |user: &str| call(user, calls[0], &none, &none);
    let cases = [
        (
            "argument date",
            days.map(|day| call("hi", calls[0], &json!({"date": day}), &none)),
            "answered",
        ),
        (
            "argument id",
            ids.map(|id| call("hi", calls[0], &json!({"order_id": id}), &none)),
            "answered",
        ),
        (
            "argument hash",
            hashes.each_ref().map(|hash| call("hi", calls[0], &json!({"sha": hash}), &none)),
            "answered",
        ),
        (
            "argument time",
            [1, 2].map(|at| call("hi", calls[0], &json!({"timestamp": at}), &none)),
            "answered",
        ),
        (
            "argument in text",
            ids.map(|id| call("hi", calls[0], &json!({"q": format!("Order {id}")}), &none)),
            "answered",
        ),
        ("user date", days.map(|day| plain(&format!("Book a room on {day}"))), "sent"),
        ("user id", ids.map(|id| plain(&format!("Cancel {id}"))), "sent"),
        ("tool date", days.map(|day| call("hi", calls[0], &none, &json!({"date": day}))), "sent"),
        ("id of a call", calls.map(|id| call("hi", id, &none, &none)), "noise"),
        (
            "id of a call, named",
            calls.map(|id| call(&format!("What was {id}?"), id, &none, &none)),
            "noise",
        ),
        (
            "argument from a provider",
            ["file-1234567890abcdef", "file-1234567890abcdea"]
                .map(|id| call("hi", calls[0], &json!({"file_id": id}), &none)),
            "noise",
        ),
    ];
    for (name, [old, new], lane) in cases {
        let compared = compared(&old, &new);
        assert_eq!(compared.lane().as_str(), lane, "{name}: {:?}", compared.changes);
    }
}
