use std::fmt::Write as _;

use serde_json::{Value, json};

use super::*;
use document::read;

/// A call of a cassette: what is sent, the reply, and what differs each time it is recorded.
fn call(prompt: &str, reply: &str, noise: usize) -> Value {
    let sent = json!({"model": "m", "messages": [{"role": "user", "content": prompt}]});
    let received = json!({
        "id": format!("chatcmpl-{noise:08}"), "object": "chat.completion", "created": 1_767_225_600 + noise, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10 + noise, "completion_tokens": 2},
    });
    exchange("https://api.openai.com/v1/chat/completions", &sent, (200, &received), noise)
}

fn exchange(uri: &str, sent: &Value, (status, received): (u16, &Value), noise: usize) -> Value {
    json!({
        "request": {"method": "POST", "uri": uri, "headers": {"x-attempt": [noise.to_string()]}, "body": sent.to_string()},
        "response": {
            "status": {"code": status, "message": ""}, "headers": {"request-id": [format!("req_{noise}")]},
            "body": {"string": received.to_string()},
        },
    })
}

fn cassette(calls: Vec<Value>) -> String {
    json!({"version": 1, "interactions": calls}).to_string()
}

/// The number of the version that recorded the answer and the request of each call, given all versions, the oldest first.
fn blame(texts: &[String]) -> String {
    let versions: Vec<Vec<CallFingerprint>> = texts
        .iter()
        .map(|text| CallFingerprint::of_document(&read(Source::new(text.as_str()), "test.json")))
        .collect();
    let newest = versions.last().unwrap();
    let mut found = vec![[0; 3]; newest.len()];
    let mut open = OpenParts::new(0..newest.len());
    for number in (1..=versions.len()).rev() {
        let older = match number {
            1 => Vec::new(),
            _ => match_versions(&versions[number - 1], &versions[number - 2]),
        };
        let passed = open.pass_on(&older);
        for ((call, part), _) in open.iter() {
            found[call][part as usize] = number;
        }
        open = passed;
    }
    let mut lines = String::new();
    for [answer, request, _] in found {
        let _ = write!(lines, "{answer}/{request} ");
    }
    lines.trim_end().to_owned()
}

#[test]
fn an_answer_is_of_the_version_that_changed_it() {
    let versions = [
        cassette(vec![call("a", "one", 1), call("b", "two", 2)]),
        cassette(vec![call("a", "one", 1), call("b", "three", 3)]),
        cassette(vec![call("a, please", "one", 1), call("b", "three", 3)]),
    ];
    assert_eq!(blame(&versions[..1]), "1/1 1/1");
    assert_eq!(blame(&versions[..2]), "1/1 2/1");
    assert_eq!(blame(&versions), "1/3 2/1");
}

#[test]
fn ids_times_usage_headers_and_the_form_of_a_body_are_no_change() {
    let mut versions =
        vec![cassette(vec![call("a", "one", 1)]), cassette(vec![call("a", "one", 2)])];
    let event = |delta: &str| {
        let event = json!({"id": "chatcmpl-00000009", "object": "chat.completion.chunk", "model": "m",
            "choices": [{"index": 0, "delta": {"content": delta}, "finish_reason": null}]});
        format!("data: {event}\n\n")
    };
    let end = json!({"id": "chatcmpl-00000009", "object": "chat.completion.chunk", "model": "m",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let stream = format!("{}{}data: {end}\n\ndata: [DONE]\n\n", event("o"), event("ne"));
    let mut streamed = call("a", "one", 4);
    streamed["response"]["body"]["string"] = stream.into();
    versions.push(cassette(vec![streamed]));
    assert_eq!(blame(&versions), "1/1");
    versions.push(cassette(vec![call("a", "ones", 4)]));
    assert_eq!(blame(&versions), "4/1");
}

#[test]
fn moved_calls_keep_their_versions_and_added_ones_have_their_own() {
    let versions = [
        cassette(vec![call("a", "one", 1), call("b", "two", 1), call("c", "three", 1)]),
        cassette(vec![call("c", "three", 2), call("a", "one", 2), call("b", "two", 2)]),
        cassette(vec![
            call("c", "four", 3),
            call("x", "new", 3),
            call("a", "one", 3),
            call("b", "two", 3),
        ]),
        cassette(vec![call("x", "new", 4), call("b", "two", 4)]),
        cassette(vec![call("x", "new", 5), call("a", "one", 5), call("b", "two", 5)]),
    ];
    assert_eq!(blame(&versions[..2]), "1/1 1/1 1/1");
    assert_eq!(blame(&versions[..3]), "3/1 3/3 1/1 1/1");
    // What was removed and added again is new.
    assert_eq!(blame(&versions), "3/3 5/5 1/1");
}

#[test]
fn equal_requests_are_matched_by_their_answers_then_by_their_order() {
    let poll =
        |replies: &[&str]| cassette(replies.iter().map(|reply| call("state?", reply, 1)).collect());
    let versions = [
        poll(&["waiting", "done"]),
        poll(&["waiting", "still waiting", "done"]),
        poll(&["waiting", "nearly", "done"]),
    ];
    assert_eq!(blame(&versions[..2]), "1/1 2/2 1/1");
    assert_eq!(blame(&versions), "1/1 3/2 1/1");
}

#[test]
fn errors_and_calls_of_no_model_are_compared_by_status_and_body() {
    let error = |message: &str| json!({"error": {"message": message, "type": "overloaded", "request_id": "req_000000001"}});
    let chat = "https://api.openai.com/v1/chat/completions";
    let sent = json!({"model": "m", "messages": [{"role": "user", "content": "a"}]});
    let token = |text: &str| {
        exchange(
            "https://example.org/token",
            &json!({"grant": "x"}),
            (200, &json!({"token": text})),
            1,
        )
    };
    let versions = [
        cassette(vec![exchange(chat, &sent, (429, &error("Later")), 1), token("t")]),
        cassette(vec![exchange(chat, &sent, (529, &error("Later")), 2), token("t")]),
        cassette(vec![exchange(chat, &sent, (529, &error("Much later")), 3), token("t")]),
        cassette(vec![exchange(chat, &sent, (529, &error("Much later")), 4), token("u")]),
    ];
    assert_eq!(blame(&versions[..2]), "2/1 1/1");
    assert_eq!(blame(&versions), "3/1 4/1");
}

#[test]
fn recordings_and_tapes_are_one_call() {
    let recording = |id: &str, prompt: &str, number: u32| {
        json!({
            "request": {"requestId": id, "timestamp": format!("2026-01-0{number}T00:00:00Z"), "context": {},
                "messages": [{"role": "user", "content": prompt}], "tools": []},
            "response": {"requestId": id, "response": {"content": [
                {"type": "tool_use", "id": format!("toolu_{id}"), "name": "refund", "input": {"id": number.min(2), "usage": number}}]}},
            "recordedAt": format!("2026-01-0{number}T00:00:00Z"),
        })
        .to_string()
    };
    let versions = [
        recording("req-1", "a", 1),
        recording("req-2", "a", 1),
        recording("req-3", "b", 1),
        // What a body has as noise is part of the answer if it is an argument of a tool.
        recording("req-3", "b", 2),
        recording("req-3", "b", 3),
    ];
    assert_eq!(blame(&versions[..3]), "1/3");
    assert_eq!(blame(&versions[..4]), "4/3");
    assert_eq!(blame(&versions), "5/3");

    let tape = |model: &str, delay: u32, texts: [&str; 2]| {
        let chunk = |text: &&str| json!({"delayNs": delay, "text": text});
        json!({"meta": {"model": model}, "request": {"model": model, "contents": "x"},
            "stream": texts.iter().map(chunk).collect::<Vec<_>>()})
        .to_string()
    };
    let versions = [
        tape("m", 5, ["Hel", "lo"]),
        tape("m", 7, ["Hell", "o"]),
        tape("n", 7, ["Hell", "o"]),
        tape("n", 7, ["Hell", "o!"]),
    ];
    assert_eq!(blame(&versions[..3]), "1/3");
    assert_eq!(blame(&versions), "4/3");
}

#[test]
fn what_is_no_list_of_calls_has_no_versions() {
    let calls = vec![call("a", "one", 1)];
    assert_eq!(blame(&["".into(), "{\"interactions\": [".into(), cassette(calls)]), "3/3");
}

#[test]
fn a_constant_in_place_of_an_id_does_not_make_two_takes_one() {
    let take = |reply: &str, noise: usize, request_id: &str| {
        let mut call = call("state?", reply, noise);
        call["response"]["headers"] =
            json!({"request-id": [request_id], "date": ["Mon, 08 Jun 2026 18:46:15 GMT"]});
        CallFingerprint::of_document(&read(Source::new(cassette(vec![call])), "test.json"))
    };
    for (new, old, expected) in [
        (take("yes", 2, "FILTERED"), take("no", 1, "FILTERED"), Some(true)),
        (take("yes", 1, "FILTERED"), take("no", 1, "FILTERED"), Some(false)),
        (take("yes", 2, "req_2abcdef"), take("yes", 1, "req_1abcdef"), Some(true)),
    ] {
        assert_eq!(match_versions(&new, &old)[0].is_recorded_again, expected);
    }
}

/// The version that recorded the take of each call, given all versions, the oldest first.
fn takes(texts: &[String]) -> Vec<usize> {
    let mut found = Vec::new();
    let read = |text: &String| {
        CallFingerprint::of_document(&read(Source::new(text.as_str()), "test.json"))
    };
    let versions: Vec<_> = texts.iter().map(read).collect();
    let mut open = OpenParts::new(0..versions.last().unwrap().len());
    for number in (0..versions.len()).rev() {
        let older =
            number.checked_sub(1).map(|older| match_versions(&versions[number], &versions[older]));
        let passed = open.pass_on(&older.unwrap_or_default());
        found.extend(open.takes().map(|(call, _)| (call, number + 1)));
        open = passed;
    }
    found.sort_unstable();
    found.into_iter().map(|(_, number)| number).collect()
}

#[test]
fn a_take_is_of_the_version_before_all_edits() {
    let edited = |reply: &str, noise: usize| {
        cassette(vec![call("a", reply, noise), call("b", "two", noise)])
    };
    let versions = [edited("one", 1), edited("one", 2), edited("uno", 2), edited("ein", 2)];
    assert_eq!(takes(&versions), [2, 2]);
    assert_eq!(takes(&[&versions[..], &[edited("ein", 3)]].concat()), [5, 5]);
}

#[test]
fn an_answer_without_an_id_beside_others_with_one_was_not_recorded() {
    let written =
        |calls: Vec<Value>| written_answers(&read(Source::new(cassette(calls)), "test.json"));
    let mut without = call("b", "two", 2);
    let body = without["response"]["body"]["string"].as_str().unwrap();
    let body = body.replace("\"id\":\"chatcmpl-00000002\",", "");
    without["response"]["body"]["string"] = body.into();
    let sibling = || call("a", "one", 1);
    assert_eq!(written(vec![sibling(), without.clone()]), [false, true]);
    // Of two without one, or of one alone, it is not known.
    assert_eq!(written(vec![without.clone()]), [false]);
    assert_eq!(written(vec![sibling(), without.clone(), without]), [false, false, false]);
}
