//! Calls that are found by their shape: each way to store the two sides, in each arrangement of a recorder.

use document::text::Source;
use document::{Document, read};

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
        ("config.yaml", "model: m\nmessages: [hello, world]\n".to_owned()),
        ("package.json", r#"{"name": "a", "version": "1.0.0", "dependencies": {"openai": "1"}}"#.to_owned()),
    ] {
        let found = document(name, text.clone());
        assert_eq!(all_calls(&found).len(), 0, "{name}: {text}");
    }
}

/// Each text is changed where it is, also in a text, a line or a document of its own, and nothing else; and back again.
#[test]
fn an_edit_of_a_call_changes_only_its_place() {
    use document::edit::{Edit, JsonValue, plan, read_again};
    for Sides { request, answer, .. } in [&SIDES[0], &SIDES[1]] {
        for (name, text) in files(&Json::raw(*request), &Json::raw(*answer)) {
            let document = document(name, text.clone());
            let texts: Vec<String> = document
                .tree
                .nodes()
                .filter(|node| node.as_str() == Some("Q") || node.as_str() == Some("It rains"))
                .map(document::Node::pointer)
                .collect();
            assert!(!texts.is_empty(), "{name}");
            for pointer in texts {
                let value = JsonValue::text("a \"new\"\ntext");
                let edit =
                    plan(&document.tree, &Edit::Set { pointer: pointer.clone(), value }).unwrap();
                let mut new_text = text.clone();
                edit.apply(&mut new_text);
                let new_tree = read_again(&document.tree, &new_text);
                let changed = new_tree.at_pointer(&pointer).unwrap();
                assert_eq!(changed.as_str(), Some("a \"new\"\ntext"), "{name} {pointer}");
                let old = document.tree.at_pointer(&pointer).unwrap();
                let others = |tree: &document::Tree| {
                    let texts = tree
                        .nodes()
                        .filter(|n| n.pointer() != pointer)
                        .filter_map(document::Node::scalar_text);
                    texts.map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(others(&new_tree), others(&document.tree), "{name} {pointer}");
                let value = JsonValue::text(old.as_str().unwrap());
                let back = plan(&new_tree, &Edit::Set { pointer: pointer.clone(), value }).unwrap();
                back.apply(&mut new_text);
                assert_eq!(new_text, text, "{name} {pointer}");
            }
        }
    }
}
