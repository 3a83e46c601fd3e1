//! The queue of the live desk, with a script that plays the recording client's part: it writes a request whole, waits for its
//! answer and reads it.

use serde_json::{Value, json};

use super::*;

/// The time of a frame, so short that no timeout expires.
const STILL: f32 = 0.001;

fn request_json(id: &str, node: &str, tools: &[&str]) -> Value {
    let schema = json!({ "type": "object", "required": ["reason"], "additionalProperties": false,
        "properties": { "reason": { "type": "string", "minLength": 3 }, "urgent": { "type": "boolean" } } });
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| json!({ "name": tool, "description": format!("Does {tool}"), "input_schema": schema }))
        .collect();
    json!({ "type": "llm_invocation_request", "requestId": id, "timestamp": "2026-03-09T11:02:17Z",
        "context": { "currentNode": node }, "messages": [{ "role": "user", "content": format!("Charged twice {id}") }],
        "tools": tools, "systemPrompt": "" })
}

fn answer(id: &str, tool: &str) -> Value {
    json!({ "type": "llm_invocation_response", "requestId": id, "timestamp": "2026-03-09T11:02:18Z", "reasoning": "As then",
        "response": { "content": [{ "type": "tool_use", "id": "tool-9", "name": tool, "input": { "reason": "as then" } }],
            "stop_reason": "tool_use" } })
}

fn recording(id: &str, tools: &[&str]) -> String {
    json!({ "request": request_json(id, "triage", tools), "response": answer(id, tools[0]), "recordedAt": "2026-03-09T11:02:18Z" })
        .to_string()
}

pub(super) fn project() -> Project {
    Project::new(&[
        ("retake.toml", "mode = \"warn\"\n"),
        ("set/r1.json", &recording("r1", &["transition_to_reply", "read_Ticket"])),
        ("set/r2.json", &recording("r2", &["other"])),
        ("queue/requests/none.txt", ""),
    ])
}

/// Writes a request whole, as the client does.
pub(super) fn add_request(project: &Project, id: &str, node: &str, tools: &[&str]) {
    let text = request_json(id, node, tools).to_string();
    let folder = project.path("queue/requests");
    std::fs::create_dir_all(&folder).unwrap();
    let hidden = folder.join(format!(".{id}.tmp"));
    std::fs::write(&hidden, text).unwrap();
    std::fs::rename(hidden, folder.join(format!("{id}.json"))).unwrap();
}

/// What the client reads as soon as it is there: the reasoning and the answer in its wrapping.
pub(super) fn answered(window: &mut Window, project: &Project, id: &str) -> String {
    let path = project.path(&format!("queue/responses/{id}.json"));
    window.wait_until(id, |_| path.is_file());
    let response: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(response["type"], "llm_invocation_response");
    assert_eq!(response["requestId"], id);
    assert!(response["timestamp"].as_str().unwrap().ends_with('Z'));
    format!("{} {}", response["reasoning"], response["response"])
}

/// Opens the project, and watches its queue.
pub(super) fn watch(project: &Project) -> Window {
    let start = StartOptions { paths: vec![project.path("")], ..StartOptions::default() };
    let mut window = Window::open_in_time(start, vec![project.path("queue")], STILL);
    window.wait_for("2 items");
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.click(Role::Button, "Watch queue…");
    window.wait_for("Watching queue");
    window
}

/// Waits until a request is shown.
pub(super) fn wait_for_request(window: &mut Window, node: &str, id: &str) {
    let row = format!("Charged twice {id}, {node}");
    window.wait_until(&row, |window| window.selected().as_ref() == Some(&row));
}

#[test]
fn requests_are_answered_by_the_keyboard_alone() {
    let project = project();
    let mut window = watch(&project);
    add_request(&project, "req-1", "triage", &["transition_to_reply", "transition_to_refund"]);
    wait_for_request(&mut window, "triage", "req-1");
    assert!(window.says("Charged"));

    window.press(Key::Num2);
    window.press(Key::Enter);
    window.type_text("so");
    window.wait_for("Expected at least 3 characters.");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    assert!(window.says("the input does not match its schema"));
    window.type_text(" be it");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    let got = answered(&mut window, &project, "req-1");
    insta::assert_snapshot!(got, @r#""" {"content":[{"id":"tool-1","input":{"reason":"so be it"},"name":"transition_to_refund","type":"tool_use"}],"stop_reason":"tool_use"}"#);
    window.wait_for("Charged twice req-1, by hand");

    add_request(&project, "req-2", "intake", &["transition_to_reply"]);
    wait_for_request(&mut window, "intake", "req-2");
    window.press(Key::W);
    window.press(Key::Enter);
    window.type_text("No idea");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    let got = answered(&mut window, &project, "req-2");
    insta::assert_snapshot!(got, @r#""" {"content":[{"text":"No idea","type":"text"}],"stop_reason":"end_turn"}"#);

    add_request(&project, "req-3", "triage", &["transition_to_reply", "read_Ticket"]);
    wait_for_request(&mut window, "triage", "req-3");
    window.wait_until("the nearest", |window| window.says("r1, "));
    window.press(Key::R);
    window.press_with(Modifiers::COMMAND, Key::Enter);
    let got = answered(&mut window, &project, "req-3");
    insta::assert_snapshot!(got, @r#""As then" {"content":[{"id":"tool-9","input":{"reason":"as then"},"name":"transition_to_reply","type":"tool_use"}],"stop_reason":"tool_use"}"#);
    window.wait_for("Charged twice req-3, as recorded");

    // What the client records then shows in the library.
    let recorded = json!({ "request": request_json("req-3", "triage", &["transition_to_reply", "read_Ticket"]),
        "response": answer("req-3", "transition_to_reply"), "recordedAt": "2026-03-09T11:02:19Z" });
    project.write("set/req-3.json", recorded.to_string());
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.wait_until("the recording", |window| {
        window.rows().iter().any(|row| row.starts_with("req-3, recording"))
    });
}

/// Goes from one request to the one beside it. The window's clock does not advance with that of the files here, so the request that
/// was written later may be listed first.
fn step(window: &mut Window, from: &str, to: &str) {
    let rows = window.rows();
    let place = |id: &str| rows.iter().position(|row| row.contains(id));
    let is_below = place(from) < place(to);
    window.press(if is_below { Key::J } else { Key::K });
}

#[test]
fn what_was_filled_in_waits_while_another_request_is_looked_at() {
    let project = project();
    let mut window = watch(&project);
    add_request(&project, "req-1", "triage", &["go"]);
    wait_for_request(&mut window, "triage", "req-1");
    window.press(Key::Num1);
    window.press(Key::Enter);
    window.type_text("half");
    add_request(&project, "req-2", "intake", &["go"]);
    window.wait_until("both", |window| {
        window.rows().iter().any(|row| row == "Charged twice req-2, intake")
    });
    assert_eq!(window.selected().as_deref(), Some("Charged twice req-1, triage"));
    window.press(Key::Escape);
    step(&mut window, "req-1", "req-2");
    assert_eq!(window.selected().as_deref(), Some("Charged twice req-2, intake"));
    assert!(!window.says("\"half\""));
    step(&mut window, "req-2", "req-1");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    assert!(answered(&mut window, &project, "req-1").contains("\"half\""));
    wait_for_request(&mut window, "intake", "req-2");
}

#[test]
fn a_rule_that_is_kept_answers_this_request_and_those_that_come() {
    let project = project();
    let mut window = watch(&project);
    add_request(&project, "req-1", "triage", &["go"]);
    wait_for_request(&mut window, "triage", "req-1");
    window.press(Key::Num1);
    window.press(Key::Enter);
    window.type_text("always");
    window.press(Key::Escape);
    window.press_with(Modifiers::SHIFT, Key::R);
    window.wait_for("Text to add");
    window.click(Role::Button, "Save rule");
    let got = answered(&mut window, &project, "req-1");
    insta::assert_snapshot!(got, @r#""Retake: rule triage-go" {"content":[{"id":"tool-1","input":{"reason":"always"},"name":"go","type":"tool_use"}],"stop_reason":"tool_use"}"#);
    window.wait_for("Charged twice req-1, rule");
    insta::assert_snapshot!(std::fs::read_to_string(project.path("retake.toml")).unwrap(), @r#"
    mode = "warn"

    [[answer]]
    name = 'triage-go'
    node = 'triage'
    tool = 'go'
    input = '{"reason":"always"}'
    "#);

    add_request(&project, "req-2", "triage", &["go", "stop"]);
    answered(&mut window, &project, "req-2");
    add_request(&project, "req-3", "other", &["go"]);
    wait_for_request(&mut window, "other", "req-3");
    window.press(Key::U);
    window.wait_until("no rule", |window| window.says("No rule matches this request"));
    window.click(Role::CheckBox, "Apply rules automatically in this queue");
    add_request(&project, "req-4", "triage", &["go"]);
    window.wait_until("the other", |window| window.rows().iter().any(|row| row.contains("req-4")));
    step(&mut window, "req-3", "req-4");
    wait_for_request(&mut window, "triage", "req-4");
    window.press(Key::U);
    window.press_with(Modifiers::COMMAND, Key::Enter);
    answered(&mut window, &project, "req-4");
}

#[test]
fn a_folder_that_vanishes_half_a_request_and_another_program_do_no_damage() {
    let project = project();
    let mut window = watch(&project);
    project.write("queue/requests/half.json", "{\"type\": \"llm_invocation_req");
    add_request(&project, "req-1", "triage", &["go"]);
    wait_for_request(&mut window, "triage", "req-1");
    // It is reported only if it remains incomplete.
    window.wait_for("half, cannot be read");
    let whole = request_json("half", "half", &["go"]).to_string();
    project.write("queue/requests/half.json", whole);
    window.wait_until("the whole", |window| {
        window.rows().contains(&"Charged twice half, half".to_owned())
    });

    window.press(Key::Num1);
    project.write("queue/responses/req-1.json", "{}");
    window.wait_for("Answered elsewhere");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    assert!(window.says("the request is no longer waiting"));
    assert_eq!(std::fs::read_to_string(project.path("queue/responses/req-1.json")).unwrap(), "{}");

    std::fs::remove_dir_all(project.path("queue")).unwrap();
    window.wait_for("Waiting for the folder queue");
    window.wait_for("Charged twice half, withdrawn");
    add_request(&project, "req-5", "again", &["go"]);
    window.wait_for("Watching queue");
    window.wait_until("the request", |window| {
        window.rows().iter().any(|row| row.contains("req-5, again"))
    });
    window.click(Role::Button, "Stop");
    window.wait_for("No queue is watched");
    add_request(&project, "req-6", "again", &["go"]);
    window.settle();
    assert!(!window.says("req-6"));
}

#[test]
fn a_request_that_waits_is_answered_from_the_inspector() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, "req-1780410311902-1, request, Pending");
    window.click(Role::Button, "Answer it");
    window.wait_for("Stop");
}
