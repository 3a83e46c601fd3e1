//! What a crash leaves is offered by the next window: the edits and the report. The log is shown.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::project::Run;

fn start(project: &Project) -> Window {
    let start = StartOptions {
        paths: vec![project.path("sample-recordings")],
        state: Some(project.path("state")),
        ..StartOptions::default()
    };
    Window::open(start, Vec::new())
}

/// Starts a window and edits a value. The edit is applied in the last frame, and stored 300 ms later.
fn start_and_edit(project: &Project) -> Window {
    let mut window = start(project);
    window.wait_for_samples();
    window.click(Role::ListBoxOption, "ticket-loop, session, OK");
    window.wait_for("YAML");
    window.click(Role::Tab, "YAML");
    window.click(Role::TreeItem, "status: 504");
    window.press(Key::Enter);
    window.press_with(Modifiers::COMMAND, Key::A);
    window.harness.event(egui::Event::Text("503".to_owned()));
    window.press(Key::Enter);
    window
}

/// Leaves the report of a crash, as the program does.
fn crash(project: &Project) {
    let mut command = project.command(&[]);
    let run = Run::of(&command.env("RETAKE_PANIC", "start").output().unwrap());
    assert_eq!(run.code, Some(101), "{}", run.stderr);
}

#[test]
fn the_last_keystroke_before_a_panic_is_recovered() {
    let project = samples();
    let window = start_and_edit(&project);
    let unwound = catch_unwind(AssertUnwindSafe(move || {
        let _window = window;
        panic!("a forced panic");
    }));
    assert!(unwound.is_err());

    let mut window = start(&project);
    window.wait_for("Recover unsaved edits?");
    assert!(!window.says("Show report"), "nothing has written one");
    window.click(Role::Button, "Recover all");
    window.wait_for("ticket-loop, session, OK, unsaved");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Saved ticket-loop.yaml.");
    let saved = project.read("sample-recordings/replays/ticket-loop.yaml");
    assert!(saved.contains("status: 503"), "{saved}");
}

#[cfg(debug_assertions)]
#[test]
fn the_report_of_a_crash_is_offered_once_with_the_edits() {
    let project = samples();
    drop(start_and_edit(&project));
    crash(&project);

    let mut window = start(&project);
    window.wait_for("Recover unsaved edits?");
    window.wait_for("Show report");
    window.click(Role::Button, "Show report");
    window.wait_for("Crash report");
    assert!(window.says("Nothing was sent"));
    window.click(Role::Button, "Copy");
    let copied = window.copied.clone().unwrap();
    assert!(copied.contains("Message: a forced panic"), "{copied}");
    window.press(Key::Escape);
    window.wait_for("Recover unsaved edits?");
    drop(window);

    let mut window = start(&project);
    window.wait_for("Recover unsaved edits?");
    assert!(!window.says("Show report"));
}

#[cfg(debug_assertions)]
#[test]
fn the_report_of_a_crash_without_edits_is_offered_by_a_notice() {
    let project = samples();
    crash(&project);
    let mut window = start(&project);
    window.wait_for_samples();
    window.wait_for("Show report");
    assert!(window.says("Retake ended unexpectedly."));
    window.click(Role::Button, "Show report");
    window.wait_for("Crash report");
    window.press(Key::Escape);
    window.settle();
    assert!(!window.says("Retake ended unexpectedly."));
}

#[test]
fn the_log_is_shown_and_copied() {
    let project = samples();
    project.write("state/log/retake.log", "first\nlast\n");
    let mut window = start(&project);
    window.wait_for_samples();
    let show_log = |window: &mut Window| {
        window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
        window.type_text("Show log");
        window.press(Key::Enter);
    };
    show_log(&mut window);
    window.wait_until("the path", |window| window.says("retake.log"));
    window.click(Role::Button, "Copy");
    assert_eq!(window.copied.as_deref(), Some("first\nlast"));
    window.press(Key::Escape);

    std::fs::remove_file(project.path("state/log/retake.log")).unwrap();
    show_log(&mut window);
    window.wait_for("No log is written.");
}
