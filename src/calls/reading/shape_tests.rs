//! Calls that are found by their shape: each way to store the two sides, in each arrangement of a recorder.

use document::text::Source;
use document::{Document, Node, read};

use super::all_calls;
use crate::json::{Json, list, object};

/// The two sides of a call in one API, and what is read of its answer. A stream is the list of its events.
struct Sides {
    api: &'static str,
    request: &'static str,
    answer: &'static str,
}

const SIDES: [Sides; 9] = [
    Sides {
        api: "OpenAI chat completions",
        request: r#"{"model": "m", "messages": [{"role": "user", "content": "Q"}]}"#,
        answer: r#"{"choices": [{"message": {"role": "assistant", "content": "It rains"}, "finish_reason": "stop"}]}"#,
    },
    Sides {
        api: "OpenAI chat completions",
        request: r#"{"model": "m", "messages": [{"role": "user", "content": "Q"}], "stream": true}"#,
        answer: r#"[{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "It "}}]}, {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "rains"}, "finish_reason": "stop"}]}]"#,
    },
    Sides {
        api: "Anthropic messages",
        request: r#"{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Q"}]}"#,
        answer: r#"{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "It rains"}], "stop_reason": "end_turn"}"#,
    },
    Sides {
        api: "OpenAI responses",
        request: r#"{"model": "m", "input": "Q"}"#,
        answer: r#"{"object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It rains"}]}]}"#,
    },
    Sides {
        api: "Gemini generateContent",
        request: r#"{"contents": [{"role": "user", "parts": [{"text": "Q"}]}]}"#,
        answer: r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": "It rains"}]}, "finishReason": "STOP"}]}"#,
    },
    Sides {
        api: "Ollama chat",
        request: r#"{"model": "m", "messages": [{"role": "user", "content": "Q"}], "stream": false}"#,
        answer: r#"{"message": {"role": "assistant", "content": "It rains"}, "done": true}"#,
    },
    Sides {
        api: "OpenAI completions",
        request: r#"{"model": "m", "prompt": "Q"}"#,
        answer: r#"{"choices": [{"text": "It rains", "finish_reason": "stop"}]}"#,
    },
    Sides {
        api: "Bedrock Converse",
        request: r#"{"messages": [{"role": "user", "content": [{"text": "Q"}]}], "inferenceConfig": {"maxTokens": 9}}"#,
        answer: r#"{"output": {"message": {"role": "assistant", "content": [{"text": "It rains"}]}}, "stopReason": "end_turn"}"#,
    },
    Sides {
        api: "Cohere chat",
        request: r#"{"model": "m", "messages": [{"role": "user", "content": "Q"}]}"#,
        answer: r#"{"message": {"role": "assistant", "content": [{"type": "text", "text": "It rains"}]}, "finish_reason": "COMPLETE"}"#,
    },
];

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Stores a side in each way in which recorders do.
fn stored(json: &str) -> Vec<Json> {
    let mut ways = vec![Json::raw(json), Json::from(json), Json::from(base64(json))];
    let tree = document::json::parse(&Source::new(json)).0;
    let Some(events) = tree.root().filter(|root| root.kind() == document::NodeKind::Array) else {
        return ways;
    };
    let events: Vec<String> = events.items().map(|event| Json::from(event).into_string()).collect();
    let of_texts =
        |texts: Vec<String>| Json::from(texts.into_iter().map(Json::from).collect::<Vec<_>>());
    let lines: Vec<String> =
        events.iter().flat_map(|event| [format!("data: {event}"), String::new()]).collect();
    let stream = lines.join("\n");
    let pieces = stream
        .as_bytes()
        .chunks(7)
        .map(|piece| object! { "b64": base64(std::str::from_utf8(piece).unwrap()) });
    ways.extend([
        Json::from(stream.clone()),
        Json::from(base64(&stream)),
        Json::from(events.join("\n")),
        of_texts(lines.clone()),
        of_texts(lines.iter().map(|line| format!("{line}\n")).collect()),
        of_texts(events.iter().map(|event| format!("data: {event}")).collect()),
        Json::from(events.iter().map(|event| object! { "data": event }).collect::<Vec<_>>()),
        Json::from(pieces.collect::<Vec<_>>()),
    ]);
    ways
}

/// Arranges two calls as recorders do. Returns the text of each file with its name.
fn files(request: &Json, answer: &Json) -> Vec<(&'static str, String)> {
    let record = || {
        let sent = object! { "method": "POST", "url": "https://model.example/v1", "body": request.clone() };
        let received = object! { "status": 200i64, "headers": object! {}, "body": answer.clone() };
        object! { "id": "a", "request": sent, "response": received }
    };
    let plain =
        || object! { "prompt_sent": request.clone(), "seconds": 1i64, "result": answer.clone() };
    let deep = || object! { "data": object! { "req": object! { "json": request.clone() }, "res": object! { "json": answer.clone() } } };
    let event = |kind: &str, side: &Json| object! { "kind": kind, "payload": side.clone() };
    let pair = || [event("sent", request), event("received", answer)];
    let line = |json: Json| json.into_string() + "\n";
    vec![
        ("cassettes/records.json", list![record(), record()].into_string()),
        ("cassettes/reversed.json", list![object! { "a": answer.clone(), "q": request.clone() }, plain()].into_string()),
        ("cassettes/map.json", object! { "first": plain(), "second": deep() }.into_string()),
        ("cassettes/lists.json", object! {
            "sent": list![request.clone(), request.clone()], "received": list![answer.clone(), answer.clone()],
        }.into_string()),
        ("cassettes/events.json", object! { "log": Json::from([pair(), pair()].concat()) }.into_string()),
        ("cassettes/lines.jsonl", line(record()) + &line(deep())),
        ("cassettes/documents.yaml", format!("a: {}\nb: {}\n---\n{}", request.as_str(), answer.as_str(), line(plain()))),
    ]
}

fn document(name: &str, text: String) -> Document {
    read(Source::new(text), name)
}

#[test]
fn a_call_is_found_in_each_form_and_arrangement() {
    for Sides { api, request, answer } in SIDES {
        for (request, answer) in
            stored(request).iter().flat_map(|r| stored(answer).into_iter().map(move |a| (r, a)))
        {
            for (name, text) in files(request, &answer) {
                let document = document(name, text.clone());
                let calls = all_calls(&document);
                let answers: Vec<String> = calls
                    .iter()
                    .map(|call| {
                        let words: String =
                            call.answer().into_iter().flat_map(|a| a.texts()).collect();
                        format!("{} {words}", call.facts.api.unwrap_or_default())
                    })
                    .collect();
                let expected = format!("{api} It rains");
                assert_eq!(answers, [expected.clone(), expected], "{name}: {text}");
                // What names a call leads to the same one.
                for call in &calls {
                    let again = super::call_at(&document, call.node).unwrap();
                    assert_eq!(again.facts.api, call.facts.api, "{name}: {text}");
                    assert_eq!(again.node, call.node, "{name}: {text}");
                }
            }
        }
    }
}

#[test]
fn what_belongs_together_is_not_guessed() {
    let request = SIDES[0].request;
    let answer = SIDES[0].answer;
    let other = SIDES[3].answer;
    for text in [
        // Two requests and one answer.
        format!(r#"{{"a": {request}, "b": {}, "c": {answer}}}"#, request.replace("Q", "R")),
        // An answer of another API.
        format!(r#"{{"a": {{"contents": [{{"parts": [{{"text": "Q"}}]}}]}}, "b": {other}}}"#),
        format!(r#"{{"requests": [{request}], "expected": {answer}}}"#),
    ] {
        let found = document("recordings/a.json", text.clone());
        assert_eq!(all_calls(&found).len(), 0, "{text}");
    }
}

#[test]
fn files_of_other_programs_stay_closed() {
    let (request, answer) = (SIDES[0].request, SIDES[0].answer);
    for (name, text) in [
        ("recordings/tune.jsonl", r#"{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}"#.to_owned()),
        ("recordings/quiz.jsonl", r#"{"question": "a", "choices": ["b", "c"]}"#.to_owned()),
        ("recordings/prompt.yaml", "messages:\n- role: user\n  content: '{{question}}'\n".to_owned()),
        ("recordings/api.yaml", format!("openapi: 3.1.0\nexample: {{request: {request}, response: {answer}}}\n")),
        ("recordings/trace.json", format!(r#"{{"trace_id": "a", "inputs": {request}, "outputs": {answer}}}"#)),
        ("src/answers/one.json", answer.to_owned()),
        ("recordings/log.json", format!(r#"{{"events": [{{"action": "call", "extra": {{"reply": {answer}}}}}]}}"#)),
        ("fixtures/demo.ipynb", format!(r#"{{"cells": [{{"source": [{request}], "outputs": [{answer}]}}], "nbformat": 4}}"#)),
        ("fixtures/report.json", format!(r#"{{"exitcode": 1, "tests": [{{"call": {{"repr": {request}, "stdout": {answer}}}}}]}}"#)),
        ("config.yaml", "model: m\nmessages: [hello, world]\n".to_owned()),
        ("package.json", r#"{"name": "a", "version": "1.0.0", "dependencies": {"openai": "1"}}"#.to_owned()),
    ] {
        let found = document(name, text.clone());
        assert_eq!(all_calls(&found).len(), 0, "{name}: {text}");
    }
}

/// Returns the last words of each request with those of its answer, `-` where there is none.
fn pairs(document: &Document) -> Vec<[String; 2]> {
    let pair = |call: &document::call::ModelCall<'_>| {
        let messages = call.document.body.request().map(|request| &request.messages[..]);
        let question = messages.and_then(<[_]>::last).map(|message| message.texts().collect());
        let answer = call.answer().map(|answer| answer.texts().collect());
        [question, answer].map(|words: Option<String>| words.unwrap_or_else(|| "-".to_owned()))
    };
    all_calls(document).iter().filter(|call| call.is_of_model()).map(pair).collect()
}

/// Files as projects write them for themselves, with the calls in them. `R1` is a request, `A1` an answer to it, `S1a` and `S1b` the
/// events of a streamed one, `E` an error.
const HOME_MADE: &[(&str, &str, &str)] = &[
    (
        "an id is in both records",
        r#"{"requests": [{"id": "x7f1", "body": R1}, {"id": "x7f2", "body": R2}], "responses": [{"id": "x7f2", "body": A2}, {"id": "x7f1", "body": A1}]}"#,
        "1>1 2>2",
    ),
    (
        "records are the members of two objects",
        r#"{"received": {"b": A2, "a": A1}, "sent": {"a": R1, "b": R2}}"#,
        "1>1 2>2",
    ),
    (
        "the second answer comes first",
        r#"[{"n": 1, "seq": 1, "out": R1}, {"seq": 2, "out": R2}, {"seq": 2, "in": A2}, {"seq": 1, "in": A1}]"#,
        "1>1 2>2",
    ),
    (
        "each event names the one before it",
        r#"[{"id": "e001", "x": R1}, {"id": "e002", "parent_id": "e001", "x": A1}, {"id": "e003", "parent_id": "e002", "x": R2}, {"id": "e004", "parent_id": "e003", "x": A2}]"#,
        "1>1 2>2",
    ),
    ("nothing says which answer is first", "[R1, R2, A2, A1]", ""),
    (
        "an answer is missing in a list",
        r#"{"sent": [R1, R2, R3], "got": [A1, null, A3]}"#,
        "1>1 3>3",
    ),
    ("a list is shorter", r#"{"sent": [R1, R2], "got": [A2]}"#, ""),
    (
        "an answer and a request cannot be read",
        r#"[{"q": R1, "r": {"file": "a.bin"}}, {"q": {"file": "b.bin"}, "r": A2}]"#,
        "",
    ),
    (
        "events have their times",
        r#"{"q": R1, "r": [{"ms": 1, "event": S1a}, {"ms": 7, "event": S1b}]}"#,
        "1>1",
    ),
    (
        "the first attempt fails",
        r#"{"q": R1, "attempts": [{"status": 429, "body": E}, {"status": 200, "body": A1}]}"#,
        "1>1",
    ),
    ("an error is in the place of an answer", r#"{"log": [R1, E, R2, A2]}"#, "1>- 2>2"),
    ("drafts are beside the answer", r#"{"q": R1, "drafts": [A2, A3], "final": A1}"#, "1>1"),
    (
        "a golden answer is beside the recorded one",
        r#"{"q": R1, "golden": A2, "response": A1}"#,
        "1>1",
    ),
    ("nothing says which answer was recorded", r#"{"q": R1, "a": A2, "b": A1}"#, ""),
    (
        "an embedding is between two calls",
        r#"[R1, A1, {"model": "m", "input": "a"}, {"data": [{"embedding": [0.5]}]}, R2, A2]"#,
        "1>1 2>2",
    ),
    ("both sides are one object", r#"[{"model": "m", "messages": M1, "choices": C1}]"#, "1>1"),
    (
        "settings look like a request",
        r#"{"meta": {"prompt": "Be brief", "model": "m"}, "q": R1, "r": A1}"#,
        "1>1",
    ),
    (
        "an answer was kept as it came and put together",
        r#"{"q": R1, "r": {"raw": [S1a, S1b], "whole": A1}}"#,
        "1>1",
    ),
    ("a request is an alias", "- {q: &first R1, error: timeout}\n- {q: *first, r: A1}\n", "1>1"),
    (
        "both sides are aliases",
        "x-shared:\n  q: &q R1\n  r: &r A1\ncalls:\n- {q: *q, r: *r}\n- {q: R2, r: A2}\n",
        "1>1 2>2",
    ),
    (
        "TOML has them in tables",
        "[[calls]]\nquestion = { model = 'm', messages = [{ role = 'user', content = '1' }] }\nanswer = '''\nA1'''\n",
        "1>1",
    ),
];

#[test]
fn calls_in_home_made_files_are_found_and_none_is_invented() {
    let messages = |n: u8| format!(r#"[{{"role": "user", "content": "{n}"}}]"#);
    let choices = |n: u8| {
        let message = format!(r#"{{"role": "assistant", "content": "{n}"}}"#);
        format!(r#"[{{"message": {message}, "finish_reason": "stop"}}]"#)
    };
    let event = |n: u8, delta: &str| {
        format!(
            r#"{{"id": "c{n}", "object": "chat.completion.chunk", "choices": [{{"delta": {delta}}}]}}"#
        )
    };
    for (name, template, expected) in HOME_MADE {
        let mut text = template.replace('E', r#"{"error": {"type": "busy", "message": "a"}}"#);
        for n in 1..=3 {
            let parts = [
                (format!("R{n}"), format!(r#"{{"model": "m", "messages": {}}}"#, messages(n))),
                (format!("A{n}"), format!(r#"{{"id": "c{n}", "choices": {}}}"#, choices(n))),
                (format!("M{n}"), messages(n)),
                (format!("C{n}"), choices(n)),
                (format!("S{n}a"), event(n, r#"{"role": "assistant"}"#)),
                (format!("S{n}b"), event(n, &format!(r#"{{"content": "{n}"}}"#))),
            ];
            for (mark, json) in parts {
                text = text.replace(&mark, &json);
            }
        }
        let file_name = match text.as_bytes() {
            [b'[', b'[', ..] => "calls.toml",
            [b'[' | b'{', ..] => "calls.json",
            _ => "calls.yaml",
        };
        let found = pairs(&document(file_name, text.clone()));
        let found: Vec<String> = found.iter().map(|pair| pair.join(">")).collect();
        assert_eq!(found.join(" "), *expected, "{name}: {text}");
    }
}

/// RandomNumbers that are the same in each run.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Returns the pointers to the texts of both sides: to values of the file, and with `#` to those in its texts.
fn places_of_texts(document: &Document) -> Vec<String> {
    use base64::Engine as _;
    let is_word =
        |node: &Node<'_>| matches!(node.as_str(), Some("Q" | "It rains" | "It " | "rains"));
    let mut places = Vec::new();
    for node in document.tree.nodes() {
        let Some(text) = node.as_str() else { continue };
        if is_word(&node) {
            places.push(node.pointer());
        }
        let decoded = base64::engine::general_purpose::STANDARD.decode(text).ok();
        let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        let body = Source::new(decoded.unwrap_or_else(|| text.to_owned()));
        if let Some(inner) = document::json::parse_container(&body) {
            let words = inner.nodes().filter(is_word);
            places.extend(words.map(|word| format!("{}#{}", node.pointer(), word.pointer())));
        }
    }
    places
}

/// Changes the text at a place and back, and compares all values and calls of the file.
fn edit_and_undo(document: &Document, name: &str, pointer: &str, words: &str) {
    use document::edit::{Edit, JsonValue, plan};
    let old_text = document.source().text();
    let edit = Edit::Set { pointer: pointer.to_owned(), value: JsonValue::text(words) };
    let edit = plan(&document.tree, &edit)
        .unwrap_or_else(|refusal| panic!("{name} {pointer}: {refusal}\n{old_text}"));
    let mut text = old_text.to_owned();
    let inverse = edit.apply(&mut text).unwrap();
    let new = read(Source::new(text.as_str()), name);
    let outer = pointer.split('#').next().unwrap_or_default();
    let others = |document: &Document| {
        let nodes = document.tree.nodes().filter(|node| node.pointer() != outer);
        nodes.filter_map(Node::scalar_text).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(others(&new), others(document), "{name} {pointer}: {text}");
    let (old_pairs, new_pairs) = (pairs(document), pairs(&new));
    assert_eq!(new_pairs.len(), old_pairs.len(), "{name} {pointer}: {text}");
    let both = old_pairs.iter().flatten().zip(new_pairs.iter().flatten());
    let changed: Vec<_> = both.filter(|(old, new)| old != new).map(|(_, new)| new).collect();
    let is_there = matches!(changed[..], [new] if new.contains(words));
    assert!(is_there, "{name} {pointer}: {changed:?} {words:?}\n{text}");
    inverse.apply(&mut text).unwrap();
    assert_eq!(text, old_text, "{name} {pointer}");
}

/// Each text is changed where it is, also in a text, a line, Base64 or a document of its own, and nothing else; and back again.
#[test]
fn an_edit_of_a_call_changes_only_its_place() {
    const EDITS: usize = 2000;
    const WORDS: [&str; 11] =
        ["a", " \"new\" ", "\n", "\\", "é", "🙂", "#", "data: ", "'", "\u{2028}", "{}"];
    let mut numbers = RandomNumbers(7);
    let mut edits = 0;
    while edits < EDITS {
        let sides = numbers.pick(&SIDES);
        let (requests, answers) = (stored(sides.request), stored(sides.answer));
        let files = files(numbers.pick(&requests), numbers.pick(&answers));
        let (name, text) = numbers.pick(&files).clone();
        let document = document(name, text);
        let places = places_of_texts(&document);
        for _ in 0..places.len().min(8) {
            let words: String = (0..=numbers.below(4)).map(|_| *numbers.pick(&WORDS)).collect();
            let place: &String = numbers.pick(&places);
            edit_and_undo(&document, name, place, &words);
            edits += 1;
        }
    }
}
