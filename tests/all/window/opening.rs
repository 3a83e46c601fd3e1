//! Opening: from the start page, by a dialog, by dropping, and what was open last.

use std::path::PathBuf;
use std::sync::Arc;

use ::calls::file_part::FilePart;

use super::*;
use crate::project::archive;

/// A file or folder in the hand, about to be dropped.
#[derive(Debug)]
pub(super) struct Dropped(pub(super) PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("only its path counts".to_owned())
    }
}

#[test]
fn the_start_page_opens_the_samples_with_one_click_or_key() {
    let mut window = open_start_page();
    window.click(Role::Button, "Open the samples");
    window.wait_for_all_samples();

    let mut window = open_start_page();
    window.press(Key::Enter);
    window.wait_for_all_samples();
    // Their folder is deleted, so they are not offered again.
    assert_eq!(*window.kept.borrow(), Remembered::default());
}

#[test]
fn the_samples_have_their_history_and_a_request_that_waits_in_the_queue() {
    let mut window = open_start_page();
    window.click(Role::Button, "Open the samples");
    window.wait_for_all_samples();
    let row = "req-1773324124911-3, recording, Stale, breaks";
    window.click(Role::ListBoxOption, row);
    window.wait_for("Then and now");
    window.click_last(Role::Button, "Then and now");
    window.wait_until("the texts", |window| window.says("working tree"));

    window.press_with(Modifiers::COMMAND, Key::Num8);
    let watch = "Watch sample-recordings/.dygram-test-queue";
    window.wait_for(watch);
    window.click(Role::Button, watch);
    window.wait_until("a request", |window| {
        let selected = window.selected();
        selected.is_some_and(|row| row.contains("extra seat"))
    });
}

#[test]
fn each_stop_opens_the_samples_at_its_job() {
    for (stop, shown) in [
        ("See why 3 recordings break", "3 of 7 recordings break"),
        ("Make 2 sessions of a report", "Save 2 sessions…"),
        ("Or see why a pytest run is red", "1 of 4 tests failed, 1 skipped"),
        ("Review 3 re-recorded calls", "3 recordings changed"),
    ] {
        let mut window = open_start_page();
        window.click(Role::Link, stop);
        window.wait_until(shown, |window| window.says(shown));
    }
}

#[test]
fn a_job_on_the_start_page_starts_when_its_folder_is_chosen() {
    let project = samples();
    let folder = project.path("sample-recordings");
    let open = || Window::open(StartOptions::default(), vec![folder.clone()]);
    let mut window = open();
    window.click(Role::Link, "Paste failure log…");
    window.wait_for("The log");

    let mut window = open();
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.wait_until("the review", |window| window.says("Review"));
    window.wait_for("28 items");
}

#[test]
fn the_start_page_shows_the_field_for_a_path() {
    let project = samples();
    let mut window = open_start_page();
    window.click(Role::Button, "Type or paste a path");
    assert!(window.find(Role::TextInput, "Path").is_focused());
    let folder = project.path("sample-recordings/tapes");
    window.type_text(&format!("'{}'", folder.display()));
    window.press(Key::Enter);
    window.wait_for("3 items");
}

#[test]
fn sources_are_kept_as_they_were_recorded_where_there_is_a_folder_for_them() {
    let project = samples();
    let sources = project.path("kept");
    let start = StartOptions {
        paths: vec![project.path("sample-recordings")],
        sources: Some(sources.clone()),
        ..StartOptions::default()
    };
    let mut window = Window::open(start, Vec::new());
    window.wait_for_samples();
    window.wait_until("kept sources", |_| {
        std::fs::read_dir(&sources).is_ok_and(|kept| kept.count() > 0)
    });
}

#[test]
fn a_dialog_opens_what_is_chosen_and_nothing_when_it_is_left() {
    let project = samples();
    let folder = project.path("sample-recordings/tapes");
    let mut window = Window::open(StartOptions::default(), vec![folder]);
    window.press_with(Modifiers::COMMAND, Key::O);
    window.wait_for("3 items");
    assert_eq!(window.rows().len(), 3);

    let mut window = Window::open(StartOptions::default(), Vec::new());
    window.press_with(Modifiers::COMMAND, Key::O);
    assert!(window.shows("Open folder…"));
}

#[test]
fn a_dropped_folder_takes_the_place_of_what_is_open() {
    let project = samples();
    let mut window = open_samples(&project);
    let folder = project.path("sample-recordings/replays");
    let dropped = Arc::new(Dropped(folder));
    window.harness.input_mut().dropped_files.push(dropped);
    window.wait_for("2 items");
    assert_eq!(window.rows(), ["refund-twice, session, OK", "ticket-loop, session, OK"]);
}

#[test]
fn a_machine_that_is_named_shows_its_title_and_nodes() {
    let project = samples();
    let machine = "sample-recordings/machines/close-ticket.dygram";
    let mut window = Window::open(start_with(&project, machine), Vec::new());
    window.wait_for_rows(1);
    assert_eq!(window.rows(), [">close-ticket.dygram, machine, OK"]);
    window.wait_until("its content", |window| window.says("Close a ticket"));
    assert!(window.says("Resolution, verify, summarize, reopen, archive"));
}

#[test]
fn what_was_open_comes_back_with_the_next_start() {
    let project = samples();
    let window = open_samples(&project);
    let remembered = window.kept.borrow().clone();
    let start = StartOptions { remembered, ..StartOptions::default() };
    drop(window);
    let mut window = Window::open(start, Vec::new());
    window.wait_for_samples();
}

#[test]
fn a_project_is_shown_as_when_it_was_left() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::V);
    window.click(Role::MenuItemRadio, "Newest first");
    window.press(Key::Escape);
    window.click(Role::RadioButton, "Stale 4");
    window.press(Key::Slash);
    window.type_text("tool:transition_to_close ");
    window.press(Key::Escape);
    window.click(Role::ListBoxOption, "req-1773324127914-5, recording, Stale");
    let rows = window.rows();
    window.press_with(Modifiers::COMMAND, Key::Q);
    let start = StartOptions {
        remembered: window.kept.borrow().clone(),
        ..start_with(&project, "sample-recordings")
    };
    drop(window);
    let mut window = Window::open(start, Vec::new());
    window.wait_until("the same rows", |window| window.rows() == rows);

    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.press_with(Modifiers::COMMAND, Key::Q);
    let start =
        StartOptions { remembered: window.kept.borrow().clone(), ..StartOptions::default() };
    drop(window);
    let mut window = Window::open(start, Vec::new());
    window.wait_for("Queue");
}

#[test]
fn the_widths_of_panels_belong_to_the_project() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, "req-1773324127914-5, recording, Stale");
    let places = |window: &Window| window.find(Role::Tab, "Text").rect().left();
    let drag = |window: &mut Window, edge: &str, by: f32| {
        let from = window.find(Role::Splitter, edge).rect().center();
        let to = from + egui::vec2(by, 0.0);
        window.harness.drag_at(from);
        window.settle();
        window.harness.hover_at(to);
        window.settle();
        window.harness.drop_at(to);
        window.settle();
    };
    let before = places(&window);
    drag(&mut window, "Resize panel", -60.0);
    let dragged = places(&window);
    assert!(dragged < before - 50.0, "{before} {dragged}");
    window.press_with(Modifiers::COMMAND, Key::Q);
    let start = StartOptions {
        remembered: window.kept.borrow().clone(),
        ..start_with(&project, "sample-recordings")
    };
    drop(window);
    let mut window = Window::open(start, Vec::new());
    window.wait_for_samples();
    // The selection, with which the inspector is shown.
    window.wait_for("Text");
    assert_eq!(places(&window), dragged);
}

#[test]
fn what_is_not_there_is_reported_and_what_is_open_stays() {
    let project = samples();
    let mut window = open_samples(&project);
    let gone = project.path("gone");
    let dropped = Arc::new(Dropped(gone.clone()));
    window.harness.input_mut().dropped_files.push(dropped);
    let printed = format!("no file or folder at {}", gone.display());
    window
        .wait_until("a notice", |window| window.texts().iter().any(|text| text.contains(&printed)));
    assert_eq!(window.rows().len(), 28);
}

#[test]
fn desks_without_anything_of_theirs_say_what_belongs_there() {
    let project = Project::new(&[("a.json", "{}")]);
    let mut window = Window::open(start_with(&project, "a.json"), Vec::new());
    window.wait_for_rows(1);
    for (key, words) in [
        (Key::Num3, "No tapes found"),
        (Key::Num4, "No sessions found"),
        (Key::Num5, "No seeds found"),
    ] {
        window.press_with(Modifiers::COMMAND, key);
        window.wait_until(words, |window| window.says(words));
    }
}

/// Opens a file as a link to a part of it does.
fn open_part(project: &Project, path: &str, part: FilePart) -> Window {
    let start =
        StartOptions { place: Some((project.path(path), vec![part])), ..start_with(project, path) };
    Window::open(start, Vec::new())
}

#[test]
fn a_link_shows_a_call_a_chunk_or_a_value() {
    let project = Project::new(&[]);
    let calls = [("go", "go", 200), ("stop", "stop", 200), ("end", "end", 200)];
    project.write("in/a.har", archive(&calls));
    project.write(
        "in/t.json",
        r#"{"meta": {"model": "m", "recordedAt": "t"}, "stream": [{"delayNs": 1e6, "text": "a"}, {"delayNs": 2e6, "text": "b"}]}"#,
    );
    let call = FilePart::Call;
    let mut window = open_part(&project, "in/a.har", call(2));
    window
        .wait_until("the call", |window| window.selected().is_some_and(|row| row.contains("stop")));
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("copy link");
    window.press(Key::Enter);
    assert!(window.says("a.har#call=2"));
    let mut window = open_part(&project, "in/a.har", call(9));
    window.wait_until("the notice", |window| window.says("has 3 calls, no call 9."));
    let mut window = open_part(&project, "in/t.json", FilePart::Chunk(2));
    window.wait_for("0.003 / 0.003 s");
    let mut window = open_part(&project, "in/t.json", FilePart::Chunk(3));
    window.wait_until("the notice", |window| window.says("has 2 chunks, no chunk 3."));
    let mut window = open_part(&project, "in/t.json", call(1));
    window.wait_until("the notice", |window| window.says("has 0 calls, no call 1."));
    let pointer = |text: &str| FilePart::Pointer(text.to_owned());
    let mut window = open_part(&project, "in/t.json", pointer("/meta/x"));
    window.wait_until("the notice", |window| window.says("has no value at `/meta/x`."));
    let mut window = open_part(&project, "in/t.json", pointer("/meta/model"));
    window.wait_for("Text of t.json");
}

/// Files that tests would play, each damaged in another way.
const DAMAGED: [(&str, &[u8]); 4] = [
    ("cut.json", b"{\"request\": {\"messages\": ["),
    ("empty.json", b""),
    ("binary.json", b"\x81\x12\xff\x00\x0b"),
    ("cut.yaml", b"interactions:\n- request: {uri: \"http"),
];

#[test]
fn a_folder_in_which_no_file_can_be_read_is_not_healthy() {
    for (folder, others) in [("tests", &[][..]), ("cassettes", &["package.json", "ci.yml"])] {
        let project = Project::new(&[]);
        for (name, bytes) in DAMAGED {
            project.write(&format!("{folder}/{name}"), bytes);
        }
        for other in others {
            project.write(other, "{\"any\": 1}\n");
        }
        let mut window = Window::open(start_with(&project, ""), Vec::new());
        window.wait_until("the files", |window| window.says("4 files could not be read"));
        assert!(!window.shows("Nothing to fix"));
        assert_eq!(window.rows().len(), 4, "{:?}", window.rows());
        window.press_with(Modifiers::COMMAND, Key::Num7);
        window.wait_until("the rule", |window| window.says("The text does not parse"));
        assert!(!window.shows("No problems found."));
    }
}

#[test]
fn an_empty_folder_shows_neither_a_healthy_project_nor_a_table() {
    let project = Project::new(&[("folder/readme.txt", "")]);
    let mut window = Window::open(start_with(&project, "folder"), Vec::new());
    window.wait_for("No recordings in this folder");
    for text in ["Nothing to fix", "All 0", "Status"] {
        assert!(!window.shows(text), "{text}");
    }
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.wait_for("This folder has no recordings, cassettes, sessions, tapes or seeds.");
    assert!(!window.shows("No folder is open."));
}
