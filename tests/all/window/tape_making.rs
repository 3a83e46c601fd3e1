//! Tapes that are made, dragged and drawn, as a person does it.

use std::sync::Arc;

use egui::{Pos2, Vec2};

use super::*;

/// A stream whose lines were stamped as they came, as `ts` does.
const CAPTURE: &str = "\
0.250 data: {\"model\":\"gpt-x\",\"choices\":[{\"delta\":{\"content\":\"It goes\"}}]}\n\n\
0.900 data: {\"choices\":[{\"delta\":{\"content\":\" out.\"}}]}\n\n\
0.950 data: [DONE]\n\n";

/// Opens a folder with one tape of four chunks, at the tapes desk.
fn open(chosen: Vec<PathBuf>) -> (Project, Window) {
    let tape = r#"{"meta": {"model": "m", "recordedAt": "2026-03-09T11:02:17Z"}, "request":
        {"model": "m", "systemPrompt": "", "history": []}, "stream": [
        {"delayNs": 100e6, "text": "Write to an"}, {"delayNs": 100e6, "text": "na@acme"},
        {"delayNs": 100e6, "text": ".org"}, {"delayNs": 100e6, "text": " now."}]}"#;
    let project = Project::new(&[("tapes/first.json", tape), ("tapes/.keep", "")]);
    let mut window = Window::open(start_with(&project, "tapes"), chosen);
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 0.400 s");
    (project, window)
}

#[test]
fn a_saved_response_that_is_dropped_becomes_a_tape_beside_the_others() {
    let (project, mut window) = open(Vec::new());
    let capture = project.path("answer.sse");
    std::fs::write(&capture, CAPTURE).unwrap();
    let dropped = Arc::new(opening::Dropped(capture));
    window.harness.input_mut().dropped_files.push(dropped);
    window.wait_for("Recorded timing");
    assert!(window.says("2 chunks, 12 characters, 0.900 s, the first after 250 ms"));
    assert!(window.says("a saved stream of OpenAI chat completions"));
    window.fill(Role::TextInput, "File of the tape", "first");
    window.click(Role::Button, "Save tape");
    window.wait_until("that a file is never replaced", |window| {
        window.says("first.json") && window.says("already")
    });
    window.fill(Role::TextInput, "File of the tape", "new/said");
    window.click(Role::Button, "Save tape");
    window.wait_until("the new tape", |window| window.shows("0.000 / 0.900 s"));
    let saved = project.read("tapes/new/said.json");
    assert!(saved.contains(r#""model": "gpt-x""#), "{saved}");
}

#[test]
fn a_pasted_text_is_cut_and_timed_as_the_form_says() {
    let (_project, mut window) = open(Vec::new());
    window.harness.event(egui::Event::Paste("One. Two! Three?".to_owned()));
    window.wait_for("Estimated timing");
    window.click(Role::RadioButton, "Sentences");
    window.wait_until("sentences", |window| window.says("3 chunks, 16 characters"));
    window.click(Role::RadioButton, "Fixed size");
    window.fill(Role::TextInput, "Characters per chunk", "4");
    window.wait_until("pieces of four", |window| window.says("4 chunks, 16 characters"));
    window.fill(Role::TextInput, "Characters per second", "none");
    window.wait_until("what is wrong", |window| window.says("The rate must be a number above 0."));
    window.press(Key::Escape);
    assert!(!window.shows("Save tape"));
}

#[test]
fn a_recording_becomes_a_tape_of_its_answer() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, "req-1780281204339-3, recording, Fresh");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("make tape from");
    window.press(Key::Enter);
    window.wait_for("Estimated timing");
    assert!(window.says("the answer of a recording"));
}

#[test]
fn keys_push_a_chunk_and_each_push_counts() {
    let (_project, mut window) = open(Vec::new());
    window.press(Key::ArrowRight);
    window.press_with(Modifiers::SHIFT, Key::ArrowRight);
    window.press_with(Modifiers::SHIFT, Key::ArrowRight);
    window.press_with(Modifiers::SHIFT | Modifiers::ALT, Key::ArrowRight);
    window.wait_for("0.112 / 0.412 s");
    window.press_with(Modifiers::SHIFT, Key::ArrowLeft);
    window.wait_for("0.111 / 0.411 s");
}

/// Where a moment of the tape, of 0.4 s, is on the timeline, and low enough to be in the marks.
fn place(window: &Window, millis: f32) -> Pos2 {
    let rect = window.find(Role::Slider, "Playhead, in seconds").rect();
    let width = rect.width() - 32.0;
    egui::pos2(rect.left() + 16.0 + width * millis / 400.0, rect.top() + rect.height() * 0.65)
}

fn pointer(window: &mut Window, at: Pos2, pressed: Option<bool>) {
    window.harness.event(egui::Event::PointerMoved(at));
    if let Some(pressed) = pressed {
        window.harness.event(egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    window.settle();
}

#[test]
fn a_mark_is_dragged_with_live_totals_and_one_step_to_undo() {
    let (_project, mut window) = open(Vec::new());
    let from = place(&window, 200.0);
    pointer(&mut window, from, None);
    pointer(&mut window, from, Some(true));
    let to = place(&window, 260.0);
    pointer(&mut window, from + Vec2::new(20.0, 0.0), None);
    pointer(&mut window, to, None);
    window.wait_for("after the edit 0.460 s");
    assert!(window.shows("0.000 / 0.400 s"), "nothing is changed yet");
    pointer(&mut window, to, Some(false));
    window.wait_for("0.000 / 0.460 s");
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("0.000 / 0.400 s");
}

#[test]
fn esc_gives_a_drag_up() {
    let (_project, mut window) = open(Vec::new());
    let (from, to) = (place(&window, 200.0), place(&window, 260.0));
    pointer(&mut window, from, None);
    pointer(&mut window, from, Some(true));
    pointer(&mut window, from + Vec2::new(20.0, 0.0), None);
    pointer(&mut window, to, None);
    window.wait_for("after the edit 0.460 s");
    window.press(Key::Escape);
    window.wait_until("the total before", |window| !window.says("after the edit"));
    pointer(&mut window, to + Vec2::new(9.0, 0.0), None);
    pointer(&mut window, to, Some(false));
    assert!(!window.says("after the edit") && !window.shows("Unsaved"));
}

#[test]
fn what_is_shown_becomes_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("first.svg");
    let (_project, mut window) = open(vec![file.clone()]);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    window.wait_until("the picture", |window| window.says("Saved the picture as"));
    let picture = std::fs::read_to_string(file).unwrap();
    assert_eq!(picture.matches("class=\"mark\"").count(), 4);
}
