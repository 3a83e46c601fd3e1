//! A log of requests that is dropped: the causes of drift, and the cassettes to record again.

use serde_json::json;

use super::drafts::drop_file;
use super::*;

#[test]
fn a_dropped_log_shows_what_is_sent_and_marks_its_cassettes_as_stale() {
    let project = Project::new(&[("retake.toml", "")]);
    let body = |model: &str| {
        let messages = json!([{ "role": "user", "content": "Where is order 17 now?" }]);
        json!({ "model": model, "messages": messages }).to_string()
    };
    let url = "https://api.openai.com/v1/chat/completions";
    let answer = json!({ "id": "c", "object": "chat.completion", "model": "m",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Here." }, "finish_reason": "stop" }] });
    let mut log = "{\"retake\": \"pytest-log\", \"version\": 1}\n".to_owned();
    for (name, sent) in [("same", "small"), ("other", "large")] {
        let call = json!({ "request": { "method": "POST", "uri": url, "headers": {}, "body": body("small") },
            "response": { "status": { "code": 200, "message": "OK" }, "headers": {}, "body": { "string": answer.to_string() } } });
        let path = format!("cassettes/{name}.json");
        project.write(&path, json!({ "interactions": [call], "version": 1 }).to_string());
        let request = json!({ "test": format!("t.py::{name}"), "phase": "call", "cassette": path, "call": 0,
            "method": "POST", "url": url, "headers": {}, "body": body(sent) });
        log += &format!("{request}\n");
    }
    project.write("requests.jsonl", format!("{log}{{\"tests\": 2}}\n"));
    let mut window = Window::open(start_with(&project, "cassettes"), Vec::new());
    window.wait_for("2 cassettes");
    drop_file(&mut window, &project.path("requests.jsonl"));
    window.wait_for("1 cause: 1 of 2 calls in 1 of 2 tests");
    window.wait_for("Model small became large, 1 call in 1 test, Record again");
    assert!(window.shows("Record again: 1") && window.shows("t.py::other"));
    assert!(window.shows("Copy the record command"));
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.wait_for("other.json, cassette, Stale");
}
