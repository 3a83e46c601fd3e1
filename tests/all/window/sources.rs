//! Sources: the state of each, the recordings that this affects, and the fixes that are written.

use super::*;

const MACHINE: &str = "sample-recordings/machines/close-ticket.dygram";
const SET: &str = "sample-recordings/recordings/close-ticket";

fn open_sources(project: &Project) -> Window {
    let mut window = open_samples(project);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.click(Role::RadioButton, "Sources");
    window
}

/// The rows of the list of sources, the selected one marked.
fn sources(window: &Window) -> String {
    let rows = window.rows();
    let rows = rows.iter().filter(|row| row.contains(".dygram,"));
    rows.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// The texts of the recordings; what is being written beside them is none of them.
fn recordings(project: &Project) -> Vec<String> {
    let folder = std::fs::read_dir(project.path(SET)).unwrap();
    let mut paths: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    paths.iter().map(read).collect()
}

#[test]
fn sources_are_listed_with_their_recordings_and_open_then_and_now() {
    let project = samples();
    let mut window = open_sources(&project);
    insta::assert_snapshot!(sources(&window), @"
    >machines/triage-ticket.dygram, Stale, breaks, 7 recordings, 3 break
    machines/route-ticket.dygram, Renamed, 2 recordings, None breaks
    machines/close-ticket.dygram, Fresh, 3 recordings, None
    ");
    assert!(window.says("3 recordings break"));
    window.click(Role::RadioButton, "Fresh 1");
    insta::assert_snapshot!(sources(&window), @">machines/close-ticket.dygram, Fresh, 3 recordings, None");
    window.click(Role::RadioButton, "All 3");
    window.press(Key::Home);
    window.press(Key::Enter);
    window.wait_for("Change 1 of 7");
    window.press(Key::Escape);
    window.wait_for("Compare source versions");
}

#[test]
fn in_a_narrow_window_the_changes_of_a_source_replace_its_texts() {
    let project = samples();
    let mut window = open_sources(&project);
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.settle();
    window.press(Key::Home);
    window.press(Key::Enter);
    window.wait_for("Change 1 of 7");
    assert!(!window.says("What changed,"));
    window.click(Role::Button, "Changes");
    assert!(window.says("What changed,"));
    assert!(window.says("Restamp the "), "{:?}", window.texts());
    // A change leads to its place in the text.
    window.press(Key::N);
    assert!(window.says("What changed,"));
    window.click(Role::Button, "Changes");
    assert!(!window.says("What changed,"));
    window.wait_for("Change 2 of 7");
}

#[test]
fn a_slash_narrows_the_list_and_a_recording_leads_to_the_library() {
    let project = samples();
    let mut window = open_sources(&project);
    window.press(Key::Slash);
    window.type_text("classify");
    window.press(Key::Escape);
    insta::assert_snapshot!(sources(&window), @">machines/triage-ticket.dygram, Stale, breaks, 7 recordings, 3 break");
    window.click(Role::Link, "Open in Library");
    window.wait_for("7 of 28");
    window.press_with(Modifiers::COMMAND, Key::Num7);
    let row = "req-1773324123377-2, triage-ticket, breaks";
    window.click(Role::ListBoxOption, row);
    window.wait_until("the recording", |window| {
        let selected = window.selected();
        selected.is_some_and(|row| row.starts_with("req-1773324123377-2, recording"))
    });
}

#[test]
fn a_renamed_source_gets_its_new_name_once_its_place_was_chosen() {
    let project = samples();
    let text = project.read(MACHINE);
    std::fs::remove_file(project.path(MACHINE)).unwrap();
    for place in ["a", "b"] {
        let path = format!("sample-recordings/machines/{place}/close.dygram");
        project.write(&path, &text);
    }
    let before = recordings(&project);
    let mut window = open_sources(&project);
    window.click(Role::RadioButton, "Renamed 2");
    let row = "machines/close-ticket.dygram, Renamed, 3 recordings, None breaks";
    window.click(Role::ListBoxOption, row);
    let rewrite = "Update the path in 3…";
    assert!(window.find(Role::Button, rewrite).accesskit_node().is_disabled());
    let place = "sample-recordings/machines/b/close.dygram";
    window.click(Role::RadioButton, place);
    window.click(Role::Button, rewrite);
    window.wait_for("Update the path in 3 recordings");
    assert_eq!(recordings(&project), before, "nothing is saved unasked");

    window.press(Key::Enter);
    window.wait_for("Saved 3 files.");
    let old = format!("\"sourceFile\": \"{MACHINE}\"");
    let new = format!("\"sourceFile\": \"{place}\"");
    let expected: Vec<String> = before.iter().map(|text| text.replace(&old, &new)).collect();
    assert_eq!(recordings(&project), expected);
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("3 unsaved");
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::S);
    window.wait_until("all as before", |_| recordings(&project) == before);
}

#[test]
fn other_line_ends_are_stamped_from_the_rule_and_from_the_list() {
    let project = samples();
    let text = project.read(MACHINE);
    project.write(MACHINE, text.replace('\n', "\r\n"));
    let before = recordings(&project);
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.click(Role::ListBoxOption, "warning source-line-endings, 3");
    window.wait_until("its first place", |window| window.says("Restamp 3…"));
    window.click(Role::Button, "Restamp 3…");
    window.wait_for("Restamp 3 recordings that still match");
    window.press(Key::Escape);

    window.click(Role::RadioButton, "Sources");
    window.click(Role::RadioButton, "Line endings 1");
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Restamp matching");
    window.press(Key::Enter);
    window.wait_for("Restamp 3 recordings that still match");
    window.press(Key::Enter);
    window.wait_for("Saved 3 files.");
    let after = recordings(&project);
    for (then, now) in before.iter().zip(&after) {
        let changed = then.lines().zip(now.lines()).filter(|(a, b)| a != b);
        let keys = changed.map(|(_, line)| line.trim().split('"').nth(1).unwrap_or_default());
        let keys: Vec<&str> = keys.collect();
        assert_eq!(keys, ["contentHash", "fileSize", "lastModified"]);
    }
    assert!(!window.says("check that they still match"), "what is known needs no warning");
}

#[test]
fn what_names_no_source_is_one_press_away() {
    let project = samples();
    let mut window = open_sources(&project);
    window.click(Role::Link, "Show");
    window.wait_for("6 of 28");
    assert!(window.rows().iter().all(|row| row.contains(", recording, ")));
}
