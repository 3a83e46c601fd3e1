//! A request beside a tape, as a person has it verified: pasted, chosen or dropped; judged; gone through.

use std::sync::Arc;

use super::opening::Dropped;
use super::*;

const TAPE: &str = r#"{
  "meta": { "label": "ours", "model": "m", "recordedAt": "2026-03-09T11:02:17Z" },
  "request": {
    "model": "m",
    "systemPrompt": "Be kind.",
    "history": [{ "role": "user", "text": "a" }, { "role": "model", "text": "b" }, { "role": "user", "text": "c" }]
  },
  "stream": [{ "delayNs": 1e9, "text": "It goes" }]
}"#;

const REORDERED: &str = r#"{"systemPrompt": "Be kind.", "model": "m", "history": [{"role": "user", "text": "a"}, {"text": "b", "role": "model"}, {"role": "user", "text": "c"}]}"#;

/// Opens the tape; dialogs answer with `chosen`, if it is there.
fn open_tape(chosen: &str) -> (Project, Window) {
    let project = Project::new(&[("a.json", TAPE), ("r/request.json", REORDERED)]);
    let mut window = Window::open(start_with(&project, "a.json"), vec![project.path(chosen)]);
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 1.000 s");
    (project, window)
}

fn paste(window: &mut Window, text: &str) {
    window.press(Key::R);
    window.wait_until("the field", |window| window.shows("The request"));
    window.harness.event(egui::Event::Paste(text.to_owned()));
    window.settle();
    window.press_with(Modifiers::COMMAND, Key::Enter);
}

#[test]
fn a_request_that_is_only_written_otherwise_is_answered_loosely() {
    let (_project, mut window) = open_tape("r/request.json");
    window.click(Role::Button, "Verify request…");
    window.click(Role::Button, "Choose a file…");
    window.wait_for("The tape does not answer this request: 1 difference in strict comparison.");
    assert!(window.shows("request.json"));
    assert!(window.says("same meaning but different bytes"));
    assert!(window.shows("3 equal: model to event 1") && window.shows("Equal: event 3"));
    insta::assert_snapshot!(differences(&window), @">Equal in meaning, different in bytes: the keys are `role` and `text` in the tape, `text` and `role` in the request; /history/1, tape 6:50, request 1:87");
    window.click(Role::RadioButton, "Loose");
    window.wait_for("The tape answers this request in loose comparison.");
    insta::assert_snapshot!(differences(&window), @">Ignored: Equal in meaning, different in bytes: the keys are `role` and `text` in the tape, `text` and `role` in the request; /history/1, tape 6:50, request 1:87");
    window.press(Key::Escape);
    window.wait_for("Text at the playhead");
}

/// The list of differences, the selected one with `>`.
fn differences(window: &Window) -> String {
    let rows = window.rows();
    let rows = rows.iter().filter(|row| row.contains(", request "));
    rows.cloned().collect::<Vec<_>>().join("\n")
}

#[test]
fn a_pasted_request_is_compared_event_by_event() {
    let (_project, mut window) = open_tape("r/request.json");
    paste(
        &mut window,
        r#"{"model": "m", "systemPrompt": "Be brief.", "history": [{"role": "user", "text": "a"}, {"role": "model", "text": "B"}, {"role": "user", "text": "c"}, {"role": "user", "text": "d"}]}"#,
    );
    window.wait_for("The tape does not answer this request: 3 differences in strict comparison.");
    assert!(window.shows("event 2") && window.shows("event 4, only in the request"));
    window.press(Key::N);
    insta::assert_snapshot!(differences(&window), @r#"
    The tape has `"Be kind."`, the request has `"Be brief."`; /systemPrompt, tape 5:21, request 1:32
    >The tape has `"b"`, the request has `"B"`; /history/1/text, tape 6:77, request 1:114
    The tape lacks event 4, `{"role": "user", "text": "d"}`; /history/3, tape 6:16, request 1:151
    "#);
    window.click(Role::Button, "Equal: event 1");
    window.wait_for("event 1");
    window.click(Role::Button, "Show difference 1 in the tape's file");
    window.wait_for("Library");
}

#[test]
fn what_is_no_json_is_reported_with_line_and_column() {
    let (_project, mut window) = open_tape("r/request.json");
    paste(&mut window, "{\n  \"model\": nothing\n}");
    window.wait_for("The request cannot be compared.");
    assert!(
        window.says("Pasted request: The request cannot be read completely: line 2, column 12: ")
    );
}

#[test]
fn a_file_that_is_dropped_is_taken_for_the_request() {
    let (project, mut window) = open_tape("r/request.json");
    window.press(Key::R);
    let dropped = Arc::new(Dropped(project.path("r/request.json")));
    window.harness.input_mut().dropped_files.push(dropped);
    window.wait_for("The tape does not answer this request: 1 difference in strict comparison.");
}
