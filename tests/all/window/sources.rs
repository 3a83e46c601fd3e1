//! The page of a source: its tabs, the recordings that it affects, and the fixes that are written.

use super::*;

const MACHINE: &str = "sample-recordings/machines/close-ticket.dygram";
const SET: &str = "sample-recordings/recordings/close-ticket";

/// Opens the page of the source of a recording.
fn open_source(project: &Project, row: &str) -> Window {
    let mut window = open_samples(project);
    window.click(Role::ListBoxOption, row);
    window.press_with(Modifiers::COMMAND, Key::D);
    window
}

const STALE: &str = "req-1773324124911-3, recording, Stale, breaks";

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
fn all_tabs_have_one_first_line_and_button_and_digits_choose_them() {
    let project = samples();
    let mut window = open_source(&project, STALE);
    window.wait_until("why", |window| {
        window.says("`respond` became `reply`") || window.says("respond became reply")
    });
    for key in [Key::Num2, Key::Num3, Key::Num1] {
        window.press(key);
        window.wait_until("the first line", |window| {
            window.says("3 of 7 recordings break, all at classify")
        });
        window.find(Role::Button, "Record 3 again…");
    }
    window.press(Key::Num2);
    assert!(is_on(&window.find(Role::Tab, "Map")));
    window.press(Key::Escape);
    window.wait_until("the library", |window| window.selected().as_deref() == Some(STALE));
}

#[test]
fn another_source_is_chosen_beside_the_name() {
    let project = samples();
    let mut window = open_source(&project, STALE);
    window.click(Role::Button, "Choose a source");
    window.click(Role::MenuItemRadio, "machines/close-ticket.dygram");
    window.wait_for("3 recordings match.");
}

#[test]
fn recordings_are_listed_by_whether_they_match_and_open_in_the_library() {
    let project = samples();
    let mut window = open_source(&project, STALE);
    window.press(Key::Num3);
    window.wait_for("Restamp 4…");
    insta::assert_snapshot!(window.rows().join("\n"), @"
    3 break
    req-1773324123377-2, Ticket, breaks
    >req-1773324124911-3, respond, breaks
    req-1773409556874-1, escalate, breaks
    4 still match
    req-1773324121806-1, Ticket, still matches
    req-1773324126480-4, Customer, still matches
    req-1773324127914-5, close, still matches
    req-1773409558302-2, close, still matches
    ");
    window.wait_for("Offered at classify");
    window.press(Key::J);
    window.press(Key::Enter);
    window.wait_until("the recording", |window| {
        window.selected().is_some_and(|row| row.contains(", recording, Stale"))
    });
}

#[test]
fn in_a_narrow_window_the_changes_of_a_source_replace_its_texts() {
    let project = samples();
    let mut window = open_source(&project, STALE);
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.settle();
    window.wait_until("the texts", |window| window.says("working tree"));
    assert!(!window.shows("7 changes"));
    window.click(Role::Button, "Changes");
    assert!(window.shows("7 changes") && window.says("Restamp 4…"), "{:?}", window.texts());
    // A change leads to its place in the text.
    let row = window.rows().into_iter().find(|row| row.starts_with("Node refund added"));
    window.click(Role::ListBoxOption, &row.unwrap());
    assert!(!window.shows("7 changes"));
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
    let mut window = open_source(&project, "req-1780281204339-3, recording, Renamed");
    window.click(Role::Button, "Update the path in 3…");
    let place = "sample-recordings/machines/b/close.dygram";
    window.click(Role::MenuItem, "machines/b/close.dygram");
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
fn other_line_ends_are_stamped_from_the_rule_and_from_the_page() {
    let project = samples();
    let text = project.read(MACHINE);
    project.write(MACHINE, text.replace('\n', "\r\n"));
    let before = recordings(&project);
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    let rule = "Only the line endings of the source have changed, 3";
    window.click(Role::ListBoxOption, rule);
    window.wait_until("its first place", |window| window.says("Restamp 3…"));
    window.click(Role::Button, "Restamp 3…");
    window.wait_for("Restamp 3 recordings that still match");
    window.press(Key::Escape);

    window.click(Role::Button, "Then and now");
    window.wait_until("what happened", |window| {
        window.says("Only line endings have changed: CRLF now")
    });
    window.click(Role::Button, "Restamp 3…");
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
