//! Where the old noise is kept, the text is the one that a second recording without noise would have had.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::review::{PairedBy, Take, TakePair, compare, keep_noise};
use document::body::testing::packed_body;

/// Format in which a run is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CassetteShape {
    Yaml,
    /// With packed answers.
    Packed,
    /// With streamed answers.
    Streamed,
    Json,
    Toml,
    /// As documents of httpmock.
    Mocks,
    /// As values in the entries of Azure's test proxy, with variables beside them.
    Entries,
    /// As lines of a recorder of one's own: the request twice, and the answer in Base64.
    Lines,
}

impl CassetteShape {
    const ALL: [Self; 8] = [
        Self::Yaml,
        Self::Packed,
        Self::Streamed,
        Self::Json,
        Self::Toml,
        Self::Mocks,
        Self::Entries,
        Self::Lines,
    ];
    /// Those whose bodies can be edited.
    const EDITABLE: [Self; 7] =
        [Self::Yaml, Self::Packed, Self::Json, Self::Toml, Self::Mocks, Self::Entries, Self::Lines];
}

/// A recorded run of a conversation with a tool.
#[derive(Clone, Debug)]
struct RecordedRun {
    /// 0 for the old run and 1 for the new one.
    noise: usize,
    shape: CassetteShape,
    turns: usize,
    prompt: &'static str,
    /// The turn whose answer has another word.
    answered: Option<usize>,
    has_field: bool,
    added_at: Option<usize>,
    is_moved: bool,
}

impl RecordedRun {
    fn new(shape: CassetteShape) -> Self {
        Self {
            noise: 0,
            shape,
            turns: 3,
            prompt: "Help.",
            answered: None,
            has_field: false,
            added_at: None,
            is_moved: false,
        }
    }

    fn id(&self, kind: &str, turn: usize) -> String {
        let run = ["Aq3", "Zk8"][self.noise];
        format!("{kind}_01{run}x{turn}9bYh7Lm2{turn}")
    }

    fn answer(&self, turn: usize) -> Value {
        let day = if self.answered == Some(turn) { "Tuesday, most likely" } else { "Monday" };
        json!([{"type": "text", "text": format!("Parcel {turn}0{turn} of yours is sent on {day}.")},
            {"type": "tool_use", "id": self.id("toolu", turn), "name": "track", "input": {"day": day, "number": turn}}])
    }

    fn messages(&self, turn: usize) -> Vec<Value> {
        let mut messages = vec![json!({"role": "user", "content": "Where is it?"})];
        for earlier in 0..turn {
            messages.push(json!({"role": "assistant", "content": self.answer(earlier)}));
            messages.push(json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": self.id("toolu", earlier), "content": format!("At stop {earlier}")}]}));
        }
        messages
    }

    /// Returns the request and the answer of each call, and the path of its address.
    fn calls(&self) -> Vec<(String, String, &'static str)> {
        let call = |turn: usize| {
            let request = json!({"model": "claude-sonnet-4-5", "system": self.prompt, "messages": self.messages(turn)});
            let usage = 20 + turn + self.noise * 100;
            let mut answer = json!({"id": self.id("msg", turn), "type": "message", "role": "assistant",
                "model": "claude-sonnet-4-5", "content": self.answer(turn), "stop_reason": "tool_use",
                "usage": {"input_tokens": usage, "output_tokens": usage + 5}});
            if self.has_field && turn == 0 {
                answer["zone"] = json!("eu");
            }
            let answer = match self.shape {
                CassetteShape::Streamed => self.stream(turn),
                _ => answer.to_string(),
            };
            (request.to_string(), answer, "messages")
        };
        let mut calls: Vec<_> = (0..self.turns).map(call).collect();
        if self.is_moved {
            calls.swap(0, 1);
        }
        if let Some(at) = self.added_at {
            // It repeats what the first tool call was answered.
            let request =
                json!({"model": "claude-sonnet-4-5", "messages": self.messages(1)[1..].to_vec()});
            let counted = ("{\"input_tokens\":7}".to_owned(), "messages/count_tokens");
            calls.insert(at, (request.to_string(), counted.0, counted.1));
        }
        calls
    }

    fn stream(&self, turn: usize) -> String {
        let answer = self.answer(turn);
        let [text, tool] = [&answer[0]["text"], &answer[1]];
        let start = json!({"type": "message_start", "message": {"id": self.id("msg", turn), "type": "message", "role": "assistant",
            "model": "claude-sonnet-4-5", "content": [], "stop_reason": null, "usage": {"input_tokens": 20, "output_tokens": 1}}});
        let empty =
            json!({"type": "tool_use", "id": tool["id"], "name": tool["name"], "input": {}});
        let events = [
            start,
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": empty}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": tool["input"].to_string()}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}),
            json!({"type": "message_stop"}),
        ];
        let event = |event: &Value| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
        };
        events.iter().map(event).collect()
    }

    fn cassette(&self) -> String {
        let calls = self.calls();
        let numbered = calls.iter().enumerate();
        match self.shape {
            CassetteShape::Json => {
                let calls = numbered.map(|(at, (request, answer, path))| {
                    json!({"request": {"method": "POST", "uri": address(path), "body": request, "headers": {}},
                        "response": {"status": {"code": 200, "message": "OK"}, "headers": {"request-id": [self.id("req", at)]},
                            "body": {"string": answer}}})
                });
                let calls: Vec<Value> = calls.collect();
                serde_json::to_string_pretty(&json!({"version": 1, "interactions": calls})).unwrap()
            }
            CassetteShape::Toml => {
                let calls = numbered.map(|(at, (request, answer, path))| {
                    format!(
                        "[[interactions]]\nrecorded_at = \"2026-03-1{}T10:00:00Z\"\n\n[interactions.request]\nmethod = \"POST\"\nuri = \"{}\"\n\
                         body_type = \"json\"\nbody_content = '{request}'\n\n[interactions.request.headers]\n\n[interactions.response]\n\
                         status = 200\nbody_type = \"json\"\nbody_content = '{answer}'\n\n[interactions.response.headers]\nrequest-id = [\"{}\"]\n\n",
                        self.noise,
                        address(path),
                        self.id("req", at)
                    )
                });
                format!("version = 1\n\n{}", calls.collect::<String>())
            }
            CassetteShape::Mocks => {
                let calls = numbered.map(|(at, (request, answer, path))| {
                    let id = self.id("req", at);
                    format!(
                        "when:\n  method: POST\n  path: /v1/{path}\n  body: '{request}'\nthen:\n  status: 200\n  header:\n  - name: request-id\n    \
                         value: {id}\n  body: '{answer}'\n"
                    )
                });
                calls.collect::<Vec<_>>().join("---\n")
            }
            CassetteShape::Entries => {
                let calls = numbered.map(|(at, (request, answer, path))| {
                    let [request, answer] = [request, answer].map(|body| parsed(body));
                    json!({"RequestUri": address(path), "RequestMethod": "POST", "RequestHeaders": {}, "RequestBody": request,
                        "StatusCode": 200, "ResponseHeaders": {"request-id": self.id("req", at)}, "ResponseBody": answer})
                });
                let recorded_at = format!("2026-03-1{}T10:00:00Z", self.noise);
                let variables = json!({"Prompt": self.prompt, "RecordedAt": recorded_at});
                let calls: Vec<Value> = calls.collect();
                serde_json::to_string_pretty(&json!({"Entries": calls, "Variables": variables}))
                    .unwrap()
            }
            CassetteShape::Lines => {
                let packed = |body: &str| {
                    let layers = [document::call::BodyLayer::Base64];
                    document::body::pack(body.as_bytes().to_vec(), &layers, "").unwrap().0
                };
                let calls = numbered.map(|(at, (request, answer, path))| {
                    let sent = json!({"url": address(path), "method": "POST", "body": parsed(request), "raw": packed(request)});
                    let headers = json!([{"name": "request-id", "value": self.id("req", at)}]);
                    let received = json!({"status": 200, "headers": headers, "body_b64": packed(answer)});
                    json!({"request": sent, "response": received}).to_string() + "\n"
                });
                calls.collect()
            }
            _ => {
                let calls = numbered.map(|(at, call)| self.yaml_call(at, call));
                format!("interactions:\n{}version: 1\n", calls.collect::<String>())
            }
        }
    }

    fn yaml_call(&self, at: usize, (request, answer, path): &(String, String, &str)) -> String {
        let id = self.id("req", at);
        let (mut body, mut headers) = (format!("'{answer}'"), String::new());
        if answer.starts_with("event:") {
            body = serde_json::to_string(answer).unwrap();
            headers = "      content-type:\n      - text/event-stream\n".to_owned();
        } else if self.shape == CassetteShape::Packed {
            [body, headers] = packed_body(answer, document::call::BodyLayer::Gzip);
        }
        headers += &format!("      request-id:\n      - {id}\n");
        format!(
            "- request:\n    body: '{request}'\n    headers:\n      host:\n      - api.anthropic.com\n    method: POST\n    uri: {}\n  \
             response:\n    body:\n      string: {body}\n    headers:\n{headers}    status:\n      code: 200\n      message: OK\n",
            address(path)
        )
    }
}

fn parsed(body: &str) -> Value {
    serde_json::from_str(body).unwrap()
}

fn address(path: &str) -> String {
    format!("https://api.anthropic.com/v1/{path}")
}

fn pair(name: &str, old: &str, new: &str) -> TakePair {
    let take = |text: &str| Some(Arc::new(Take::new(name, text.as_bytes().to_vec())));
    TakePair { old: take(old), new: take(new), by: PairedBy::Path }
}

fn write_kept(name: &str, old: &str, new: &str) -> Result<String, String> {
    let pair = pair(name, old, new);
    let bytes = keep_noise(&pair, &compare(&pair, &[]))?;
    Ok(String::from_utf8(bytes.unwrap().to_vec()).unwrap())
}

/// Checks that two texts are equal, by lines.
fn check_lines(text: &str, expected: &str, run: &RecordedRun) {
    for (line, expected) in text.lines().zip(expected.lines()) {
        assert_eq!(line, expected, "{run:?}");
    }
    assert_eq!(text, expected, "{run:?}");
}

/// Returns the name of a file with a run.
fn name(shape: CassetteShape) -> &'static str {
    match shape {
        CassetteShape::Json | CassetteShape::Entries => "a.json",
        CassetteShape::Toml => "a.toml",
        CassetteShape::Lines => "a.jsonl",
        _ => "a.yaml",
    }
}

/// Checks that a second run is written with the noise of the first one.
fn check_run(old: &RecordedRun, change: impl Fn(&mut RecordedRun)) {
    let mut expected = old.clone();
    change(&mut expected);
    let new = RecordedRun { noise: 1, ..expected.clone() };
    let text = write_kept(name(old.shape), &old.cassette(), &new.cassette());
    check_lines(&text.unwrap(), &expected.cassette(), &new);
}

#[test]
fn what_is_only_noise_is_the_old_text() {
    for shape in CassetteShape::ALL {
        check_run(&RecordedRun::new(shape), |_| {});
    }
}

#[test]
fn an_answer_is_taken_and_the_ids_that_later_calls_name_stay_old() {
    for shape in CassetteShape::EDITABLE {
        check_run(&RecordedRun::new(shape), |run| run.answered = Some(0));
    }
}

#[test]
fn an_added_call_has_the_old_ids_of_the_calls_that_it_follows() {
    // An id in Base64 of an added call cannot be replaced, and a call in TOML is written as a table.
    let others = [CassetteShape::Toml, CassetteShape::Lines];
    for shape in CassetteShape::ALL.into_iter().filter(|shape| !others.contains(shape)) {
        for at in [0, 1, 3] {
            let old = RecordedRun::new(shape);
            let mut expected = RecordedRun { added_at: Some(at), ..old.clone() };
            let new = RecordedRun { noise: 1, ..expected.clone() };
            let text = write_kept(name(shape), &old.cassette(), &new.cassette()).unwrap();
            // It is in the old file for the first time: its own id is new.
            expected.noise = 0;
            let own = new.id("req", at);
            let lines: Vec<&str> = text.lines().filter(|line| !line.contains("req_")).collect();
            let expected = expected.cassette();
            let expected: Vec<&str> =
                expected.lines().filter(|line| !line.contains("req_")).collect();
            assert_eq!(lines, expected);
            assert_eq!(text.matches(&own).count(), 1, "{text}");
        }
    }
}

#[test]
fn calls_that_were_removed_or_moved_have_their_old_text() {
    for shape in CassetteShape::ALL {
        check_run(&RecordedRun::new(shape), |run| run.turns = 2);
    }
    let old = RecordedRun::new(CassetteShape::Yaml);
    let new = RecordedRun { noise: 1, is_moved: true, ..old.clone() };
    let kept_text = write_kept("a.yaml", &old.cassette(), &new.cassette()).unwrap();
    let text = old.cassette();
    let (head, calls) = text.split_once("- request").unwrap();
    let mut calls: Vec<&str> = calls.split("- request").collect();
    calls.swap(0, 1);
    assert_eq!(kept_text, format!("{head}- request{}", calls.join("- request")));
}

#[test]
fn a_stream_is_taken_as_a_whole_with_the_old_ids() {
    let old = RecordedRun::new(CassetteShape::Streamed);
    check_run(&old, |run| run.answered = Some(1));
}

fn runs() -> impl Strategy<Value = (RecordedRun, RecordedRun)> {
    let shape = proptest::sample::select(CassetteShape::ALL.to_vec());
    let causes = (
        proptest::sample::select(vec!["Help.", "Help, and be brief."]),
        proptest::option::of(0_usize..3),
        any::<bool>(),
        2_usize..4,
    );
    (shape, causes).prop_map(|(shape, (prompt, answered, has_field, turns))| {
        let old = RecordedRun::new(shape);
        let new = RecordedRun {
            prompt,
            answered,
            has_field: has_field && shape != CassetteShape::Streamed,
            turns,
            ..old.clone()
        };
        (old, new)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn what_is_kept_differs_from_the_new_run_in_noise_and_from_the_old_one_in_causes((old, expected) in runs()) {
        let new = RecordedRun { noise: 1, ..expected.clone() };
        let name = name(old.shape);
        let [old, new, expected] = [&old, &new, &expected].map(RecordedRun::cassette);
        prop_assert_eq!(write_kept(name, &old, &new), Ok(expected));
    }
}

/// Writes a recording.
fn recording(number: usize, answer: &str, hash: &str, layout: fn(&Value) -> String) -> String {
    layout(&json!({
        "request": {"requestId": format!("req-178028120144{number}-1"), "timestamp": format!("2026-03-0{number}T10:00:00.000Z"),
            "messages": [{"role": "user", "content": "Go on."}, {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": format!("toolu_01A09q90qw9{number}"), "content": "done"}]}], "tools": []},
        "response": {"requestId": format!("req-178028120144{number}-1"), "response": {"content": [{"type": "text", "text": answer}],
            "stop_reason": "end_turn"}, "latencyMs": 100 * number},
        "recordedAt": format!("2026-03-0{number}T10:00:00.000Z"),
        "sourceMetadata": {"sourceFile": "a.dygram", "contentHash": hash, "fileSize": hash.len() + number,
            "lastModified": format!("2026-02-0{number}T10:00:00.000Z")}
    }))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

fn minified(value: &Value) -> String {
    value.to_string()
}

#[test]
fn a_recording_keeps_its_format_its_ids_and_its_times() {
    let hash = "1".repeat(64);
    let old = recording(1, "The parcel is on its way.", &hash, pretty);
    let text =
        write_kept("a.json", &old, &recording(2, "The parcel has arrived.", &hash, minified))
            .unwrap();
    // The size and the time of the source belong to its hash.
    let expected = old
        .replace("is on its way", "has arrived")
        .replace("\"fileSize\": 65", "\"fileSize\": 66")
        .replace("2026-02-01", "2026-02-02");
    assert_eq!(text, expected);
}

#[test]
fn the_hash_of_a_source_is_that_of_the_new_recording() {
    let [old, new] = [(1, "1"), (2, "2")]
        .map(|(number, digit)| recording(number, "Yes.", &digit.repeat(64), pretty));
    let text = write_kept("a.json", &old, &new).unwrap();
    let changed = text.lines().filter(|line| !old.contains(line));
    let changed: Vec<&str> = changed.map(str::trim).collect();
    insta::assert_snapshot!(changed.join("\n"), @r#"
    "contentHash": "2222222222222222222222222222222222222222222222222222222222222222",
    "fileSize": 66,
    "lastModified": "2026-02-02T10:00:00.000Z",
    "#);
}

#[test]
fn what_cannot_be_kept_says_why() {
    let fault = |old: &str, new: &str| write_kept("a.json", old, new).unwrap_err();
    insta::assert_snapshot!(fault("{\"a\": 1}", "{\"a\": 1"), @"The new version cannot be read: line 1: The file ends inside the object that starts at line 1; `}` is expected; the file can only be taken as a whole");
}

/// Writes a tape with chunks and their delays, on a line each or compact.
fn tape(second: usize, chunks: &[(&str, usize)], is_compact: bool) -> String {
    let chunk = |(text, delay): &(&str, usize)| {
        let text = json!(text);
        if is_compact {
            format!("{{\"delayNs\":{delay},\"text\":{text}}}")
        } else {
            format!("    {{ \"delayNs\": {delay}, \"text\": {text} }}")
        }
    };
    let stream: Vec<String> = chunks.iter().map(chunk).collect();
    let meta = format!("{{\"model\": \"m\", \"recordedAt\": \"2026-03-09T11:08:{second}Z\"}}");
    let request = "{\"model\": \"m\", \"contents\": \"Where is it?\"}";
    if is_compact {
        format!("{{\"meta\":{meta},\"request\":{request},\"stream\":[{}]}}", stream.join(","))
    } else {
        format!(
            "{{\n  \"meta\": {meta},\n  \"request\": {request},\n  \"stream\": [\n{}\n  ]\n}}\n",
            stream.join(",\n")
        )
    }
}

#[test]
fn a_tape_keeps_its_chunks_and_delays_where_its_words_are_the_same() {
    let old_chunks = [("It is ", 100), ("on its ", 200), ("way", 300), (".", 400)];
    let old = tape(41, &old_chunks, false);
    let kept_text = |chunks: &[(&str, usize)]| write_kept("a.json", &old, &tape(55, chunks, true));
    let expect = |chunks: &[(&str, usize)]| Ok(tape(41, chunks, false));
    // The same words in other pieces.
    assert_eq!(kept_text(&[("It is on", 7), (" its way.", 8)]), expect(&old_chunks));
    // A word in as many pieces keeps the delay.
    let words = [("It is ", 1), ("on our ", 2), ("way", 3), (".", 4)];
    assert_eq!(
        kept_text(&words),
        expect(&[("It is ", 100), ("on our ", 200), ("way", 300), (".", 400)])
    );
    // More, fewer and other pieces have the new delays.
    for words in [
        vec![("It is ", 1), ("on ", 2), ("its long ", 3), ("way", 4), (".", 5)],
        vec![("It is ", 1), ("here", 2), (".", 3)],
        vec![("It is ", 1), ("on its ", 2), (".", 3)],
        vec![("So: ", 1), ("It is ", 2), ("on its ", 3), ("way", 4), (".", 5)],
        vec![("It is ", 1), ("on its ", 2), ("way", 3), (".", 4), (" Really.", 5)],
        vec![("It is ", 1), ("on its ", 2)],
    ] {
        let same = |at: &usize| words[*at].0 == old_chunks[*at].0;
        let start = (0..words.len().min(4)).take_while(same).count();
        let most = words.len().min(4) - start;
        let backwards = words.iter().rev().zip(old_chunks.iter().rev()).take(most);
        let end = backwards.take_while(|(a, b)| a.0 == b.0).count();
        let mut expected = old_chunks[..start].to_vec();
        expected.extend(&words[start..words.len() - end]);
        expected.extend(&old_chunks[4 - end..]);
        assert_eq!(kept_text(&words), expect(&expected));
    }
}

#[test]
fn each_difference_of_a_recorder_is_listed_once_where_it_is_decoded() {
    for shape in [CassetteShape::Mocks, CassetteShape::Entries, CassetteShape::Lines] {
        let old = RecordedRun::new(shape);
        let new = RecordedRun { noise: 1, answered: Some(2), ..old.clone() };
        let pair = pair(name(shape), &old.cassette(), &new.cassette());
        let compared = compare(&pair, &[]);
        let causes: Vec<&str> = compared.direct_changes().map(|change| &*change.sentence).collect();
        assert_eq!(causes.len(), 2, "{causes:?}");
        // Of three calls: the id of each answer, of its tool call and of its header, two token counts, and ids in later requests.
        let ignored = compared.ignored_counts().join(", ");
        let time = if shape == CassetteShape::Entries { "1 timestamp, " } else { "" };
        assert_eq!(ignored, format!("{time}12 IDs, 3 headers, 6 token counts"));
        assert_eq!(compared.noun, "recording");
    }
}

#[test]
fn a_stream_in_lines_or_values_differs_in_its_words_alone() {
    let chunks = |noise: usize, word: &str| -> Vec<Value> {
        let chunk = |delta: Value| {
            json!({"id": format!("chatcmpl-9x{noise}aB3kd02K"), "object": "chat.completion.chunk", "created": 1_754_425_920 + noise,
            "model": "gpt-4o", "choices": [{"index": 0, "delta": delta}]})
        };
        vec![
            chunk(json!({"role": "assistant", "content": "It is "})),
            chunk(json!({"content": word})),
        ]
    };
    let request = json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "Where?"}]});
    let record = |body: Value| {
        json!({"request": {"endpoint": "/v1/chat/completions", "body": request}, "response": {"body": body, "is_streaming": true}}).to_string()
    };
    let values = |noise: usize, word: &str| record(json!(chunks(noise, word)));
    let lines = |noise: usize, word: &str| {
        record(
            chunks(noise, word)
                .iter()
                .map(|chunk| format!("data: {chunk}\n\n"))
                .collect::<String>()
                .into(),
        )
    };
    for text in [&values as &dyn Fn(usize, &str) -> String, &lines] {
        assert_eq!(
            write_kept("a.json", &text(0, "here."), &text(1, "here.")),
            Ok(text(0, "here."))
        );
        let compared = compare(&pair("a.json", &text(0, "here."), &text(1, "there.")), &[]);
        let causes: Vec<&str> = compared.direct_changes().map(|change| &*change.sentence).collect();
        assert_eq!(causes, ["Answer text, 1 word replaced"]);
    }
}
