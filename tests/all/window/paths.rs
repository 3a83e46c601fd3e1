//! The field for a path: it completes names, opens what is typed, and replaces dialogs that the desktop cannot show.

use super::*;

const FIELD: &str = "Open a folder or a file";

#[test]
fn a_typed_path_is_completed_and_opened_relative_to_what_is_open() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::L);
    assert!(window.find(Role::TextInput, "Path").is_focused());
    window.type_text("rep");
    window.wait_for("replays/");
    assert!(window.shows("reports/"));
    window.type_text("l");
    window.wait_until("one name", |window| !window.shows("reports/"));
    window.press(Key::Tab);
    window.wait_for("replays/refund-twice.yaml");
    window.press(Key::ArrowDown);
    window.press(Key::Tab);
    window.wait_until("the file", |window| {
        window.find(Role::TextInput, "Path").value().as_deref() == Some("replays/refund-twice.yaml")
    });
    window.press(Key::Enter);
    window.wait_for("1 item");
    assert!(!window.shows(FIELD));
}

#[test]
fn a_path_that_names_nothing_stays_in_the_field_with_the_reason() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::L);
    window.type_text("recordings/none/here");
    window.press(Key::Enter);
    window.wait_until("the reason", |window| window.says("`none` does not exist in "));
    window.type_text("x");
    assert!(!window.says("does not exist"));
    window.press(Key::Escape);
    assert!(!window.shows(FIELD));
    assert!(window.shows("28 items"));
}

#[test]
fn without_file_dialogs_opening_a_folder_shows_the_field() {
    let project = samples();
    let start = StartOptions::default();
    let mut window = Window::open_without_dialogs(start);
    window.settle();
    window.press_with(Modifiers::COMMAND, Key::O);
    window.wait_for("This desktop has no file dialog. Type or paste the path instead.");
    assert!(window.shows("Open folder"));
    let folder = project.path("sample-recordings");
    window.type_text(&folder.to_string_lossy());
    window.press(Key::Enter);
    window.wait_for("28 items");
}

#[test]
fn without_file_dialogs_an_incident_is_imported_by_its_path() {
    let project = samples();
    let mut window = Window::open_without_dialogs(start_with(&project, "sample-recordings"));
    window.wait_for_samples();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    window.wait_for("This desktop has no file dialog. Type or paste the path instead.");
    window.type_text("reports");
    window.press(Key::Enter);
    window.wait_until("the reason", |window| window.says("Expected a file, found a folder"));
    window.type_text("/flakestorm-2026-05-28.json");
    window.press(Key::Enter);
    window.wait_for("Drafts");
}

#[test]
fn a_form_under_the_field_keeps_what_is_in_it() {
    let project = samples();
    let mut window = Window::open_without_dialogs(start_with(&project, "sample-recordings"));
    window.wait_for_samples();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("paste failure log");
    window.press(Key::Enter);
    window.wait_for("The log");
    let log = |window: &Window| window.find(Role::MultilineTextInput, "The log").value();
    window.type_text("a log");
    window.press_with(Modifiers::COMMAND, Key::O);
    window.wait_for("Open folder");
    assert!(!window.shows("The log"));
    window.press(Key::Escape);
    assert_eq!(log(&window).as_deref(), Some("a log"));
}
