//! Unsaved edits: confirmed once, shown with their lines, compared with changes by others, and kept when the program is killed.

use std::sync::atomic::Ordering;

use super::*;

const FILE: &str = "sample-recordings/replays/ticket-loop.yaml";

fn open(project: &Project, state: &Path) -> Window {
    let mut window = start(project, state);
    window.wait_for_samples();
    window
}

fn start(project: &Project, state: &Path) -> Window {
    let start = StartOptions {
        paths: vec![project.path("sample-recordings")],
        state: Some(state.to_owned()),
        ..StartOptions::default()
    };
    Window::open(start, vec![project.path("copy.yaml")])
}

/// Sets the status of the second tool response, which is 504.
fn set_status(window: &mut Window, status: &str) {
    window.click(Role::ListBoxOption, "ticket-loop, session, OK");
    window.wait_for("YAML");
    window.click(Role::Tab, "YAML");
    window.click(Role::TreeItem, "status: 504");
    window.press(Key::Enter);
    window.press_with(Modifiers::COMMAND, Key::A);
    window.harness.event(egui::Event::Text(status.to_owned()));
    window.press(Key::Enter);
    window.wait_for(&format!("status: {status}"));
}

#[test]
fn a_status_is_changed_looked_at_saved_undone_and_saved() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let before = project.read(FILE);
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    assert!(window.shows("ticket-loop, session, OK, unsaved"));
    assert!(window.shows("1 unsaved"));

    window.click(Role::Link, "1 unsaved");
    window.wait_for("    status: 503");
    assert!(window.shows("    status: 504"));
    window.press(Key::Enter);
    window.wait_for("Saved 1 file.");
    assert_eq!(project.read(FILE), before.replace("504", "503"));
    assert!(!window.shows("1 unsaved"));

    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("1 unsaved");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Saved ticket-loop.yaml.");
    assert_eq!(project.read(FILE), before);
}

#[test]
fn leaving_needs_a_confirmation_and_esc_decides_nothing() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    window.press_with(Modifiers::COMMAND, Key::W);
    window.wait_for("Save your work before closing the project?");
    window.press(Key::Escape);
    assert!(!window.says("Save your work"));
    assert!(window.shows("1 unsaved"));

    window.press_with(Modifiers::COMMAND, Key::W);
    window.click(Role::Button, "Discard 1 file");
    window.wait_for("Open folder…");
    assert!(project.read(FILE).contains("504"));
}

#[test]
fn two_versions_are_merged_place_by_place() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let before = project.read(FILE);
    let mut window = open(&project, state.path());
    window.wait_for("Watching");
    set_status(&mut window, "503");
    project.write(FILE, before.replace("504", "599").replace("status: 0", "status: 1"));
    window.wait_for("The file changed on disk while it was edited here.");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("status: 503, line 24, changed on both sides");
    assert!(project.read(FILE).contains("599"));

    window.press(Key::Num2);
    window.wait_for("Result, 2 decided, 0 open");
    window.click(Role::Button, "Merge and save");
    window.wait_for("Saved ticket-loop.yaml.");
    let merged = before.replace("504", "503").replace("status: 0", "status: 1");
    assert_eq!(project.read(FILE), merged);
}

#[test]
fn a_step_of_the_history_brings_back_the_moment_after_it() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::H);
    window.find(Role::ListBoxOption, "Set status of tool response 2 to 503, ticket-loop.yaml");
    window.click(Role::ListBoxOption, "As opened, ");
    window.wait_until("no edit", |window| !window.says("unsaved"));
}

#[test]
fn a_step_of_the_history_is_reached_and_chosen_by_the_keyboard() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::H);
    window.tab_to(Role::ListBoxOption, "As opened, ");
    window.press(Key::Enter);
    window.wait_until("no edit", |window| !window.says("unsaved"));
}

#[test]
fn a_document_is_saved_under_another_name_and_its_own_file_stays() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let before = project.read(FILE);
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
    window.wait_until("the copy", |window| window.says("Saved as"));
    let copy = project.read("copy.yaml");
    assert_eq!(copy, before.replace("504", "503"));
    assert_eq!(project.read(FILE), before);
    window.wait_for("status: 504");
}

#[test]
fn edits_survive_a_program_that_is_killed() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    drop(window);

    let mut window = open(&project, state.path());
    window.wait_for("Recover unsaved edits?");
    window.click(Role::Button, "Recover all");
    window.wait_for("1 unsaved");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Saved ticket-loop.yaml.");
    assert!(project.read(FILE).contains("status: 503"));
}

#[test]
fn a_signal_stores_the_text_that_was_just_typed_and_closes_the_window() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    // This value is still being edited.
    window.click(Role::TreeItem, "status: 503");
    window.press(Key::Enter);
    window.press_with(Modifiers::COMMAND, Key::A);
    window.harness.event(egui::Event::Text("502".to_owned()));
    let shell = window.harness.state().borrow();
    let interrupted = shell.as_ref().unwrap().interrupted();
    drop(shell);
    interrupted.store(true, Ordering::Relaxed);
    window.wait_until("the window closes", |window| window.is_closed);
    // It is stored before the program ends.
    let mut stored = std::fs::read_dir(state.path().join("unsaved")).unwrap();
    let has_text = |path: PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("status: 502"))
    };
    assert!(stored.any(|entry| has_text(entry.unwrap().path())));
    assert!(project.read(FILE).contains("status: 504"));
}

#[test]
fn edits_of_a_deleted_file_are_recovered_and_saved_at_its_old_path() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let before = project.read(FILE);
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    drop(window);
    std::fs::remove_file(project.path(FILE)).unwrap();

    // Recovered, and kept once more when the program ends again.
    for _ in 0..2 {
        let mut window = start(&project, state.path());
        window.wait_for("Recover unsaved edits?");
        window.wait_for("ticket-loop.yaml: deleted on disk");
        window.click(Role::Button, "Recover all");
        window
            .wait_until("a message", |window| window.says("ticket-loop.yaml was deleted on disk."));
        window.wait_for("1 unsaved");
    }
    let mut window = start(&project, state.path());
    window.wait_for("Recover unsaved edits?");
    window.click(Role::Button, "Recover all");
    window.wait_for("ticket-loop, session, OK, unsaved");
    // Undone, it is not listed any more, as there is no such file; redone, it is.
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("no row", |window| !window.says("ticket-loop, session"));
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.wait_for("ticket-loop, session, OK, unsaved");
    assert!(!project.path(FILE).exists());

    window.click(Role::ListBoxOption, "ticket-loop, session, OK, unsaved");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Saved ticket-loop.yaml.");
    assert_eq!(project.read(FILE), before.replace("504", "503"));
    drop(window);
    let mut window = open(&project, state.path());
    window.wait_for("ticket-loop, session, OK");
    assert!(!window.says("Recover unsaved edits?"));
}

#[test]
fn a_read_only_file_is_replaced_only_on_purpose() {
    let (project, state) = (samples(), tempfile::tempdir().unwrap());
    let before = project.read(FILE);
    project.make_read_only(FILE);
    let mut window = open(&project, state.path());
    set_status(&mut window, "503");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Replace it anyway");
    assert_eq!(project.read(FILE), before);
    window.click(Role::Link, "Replace it anyway");
    window.wait_for("Saved ticket-loop.yaml.");
    assert_eq!(project.read(FILE), before.replace("504", "503"));
}
