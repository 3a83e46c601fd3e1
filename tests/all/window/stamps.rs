//! Recordings are stamped with their sources: shown before they are saved, and removed by one undo.

use serde_json::Value;

use super::*;

const SET: &str = "sample-recordings/recordings/ticket-routing";

fn texts(project: &Project) -> Vec<String> {
    let read = |n| project.read(&format!("{SET}/turn-{n}.json"));
    (1..=2).map(read).collect()
}

fn open_routing(project: &Project) -> Window {
    let mut window = open_samples(project);
    window.press(Key::Slash);
    window.type_text("set:ticket-routing");
    window.wait_for("2 of 28");
    window.press(Key::Enter);
    window
}

#[test]
fn all_that_is_listed_is_stamped_as_one_step_and_saved_together() {
    let project = samples();
    let before = texts(&project);
    let mut window = open_routing(&project);
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Stamp all");
    window.press(Key::Enter);
    window.wait_for("Stamp 2 recordings");
    window.wait_until("the lines", |window| window.says("machines/ticket-routing.dygram"));
    assert_eq!(texts(&project), before);

    window.press(Key::Enter);
    window.wait_for("Saved 2 files.");
    let after = texts(&project);
    let path = "\"sourceFile\": \"sample-recordings/machines/ticket-routing.dygram\"";
    assert!(after.iter().all(|text| text.contains(path)));
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("2 unsaved");
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::S);
    window.wait_until("all as before", |_| texts(&project) == before);
}

#[test]
fn a_recording_without_a_matching_source_is_skipped_and_reported() {
    let project = samples();
    project.write("sample-recordings/machines/copies/merge-tickets.dy", "machine \"A\"\n");
    project.write("sample-recordings/machines/merge-tickets.dy", "machine \"B\"\n");
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    window.type_text("set:merge-tickets");
    window.wait_for("3 of 28");
    window.press(Key::Enter);
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Stamp all");
    window.press(Key::Enter);
    window.wait_until("the reason", |window| window.says("3 recordings were not stamped"));
    assert!(window.says("Several sources match"));
    assert!(!window.says("unsaved"));
}

#[test]
fn a_group_is_stamped_by_the_menu_of_its_heading() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::G);
    window.find(Role::ListBoxOption, "recordings").click_secondary();
    window.settle();
    window.click(Role::MenuItem, "Stamp recordings with their source…");
    window.wait_until("the step", |window| {
        window.texts().iter().any(|t| t.starts_with("Stamp ") && t.ends_with(" recordings"))
    });
}

/// The values in which recordings differ before and after: their keys, and those of the source.
fn changed_values(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
) -> String {
    let keys = |old: &Value, new: &Value| -> Vec<String> {
        let members = new.as_object().unwrap().iter();
        let differing = members.filter(|(key, value)| old[*key] != **value);
        let keys: std::collections::BTreeSet<String> =
            differing.map(|(key, _)| key.clone()).collect();
        keys.into_iter().collect()
    };
    let mut lines = Vec::new();
    for (path, old) in before {
        let [old, new] = [old, &after[path]].map(|text| serde_json::from_slice(text).unwrap());
        let (old, new): (Value, Value) = (old, new);
        if old != new {
            let of_source = keys(&old["sourceMetadata"], &new["sourceMetadata"]).join(", ");
            let name = path.file_stem().unwrap().to_string_lossy();
            lines.push(format!("{name}: {}: {of_source}", keys(&old, &new).join(", ")));
        }
    }
    lines.join("\n")
}

/// Selects a recording and runs a command of the palette.
fn run_for(window: &mut Window, row: &str, command: &str) {
    window.click(Role::ListBoxOption, row);
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text(command);
}

#[test]
fn the_recordings_of_a_source_that_still_match_are_restamped_by_a_command() {
    let project = samples();
    let folder = project.path("sample-recordings/recordings/triage-ticket");
    let before = few_keys::files(&folder);
    let mut window = open_samples(&project);
    run_for(&mut window, "req-1773324124911-3, recording, Stale, breaks", "Restamp matching");
    window.press(Key::Enter);
    window.wait_for("Restamp 4 recordings that still match");
    assert_eq!(few_keys::files(&folder), before, "nothing is saved unasked");

    window.press(Key::Enter);
    window.wait_for("Saved 4 files.");
    insta::assert_snapshot!(changed_values(&before, &few_keys::files(&folder)), @"
    req-1773324121806-1: sourceMetadata: contentHash, edgeLabels, fileSize, lastModified, machineTitle, nodeNames
    req-1773324126480-4: sourceMetadata: contentHash, edgeLabels, fileSize, lastModified, machineTitle, nodeNames
    req-1773324127914-5: sourceMetadata: contentHash, edgeLabels, fileSize, lastModified, machineTitle, nodeNames
    req-1773409558302-2: sourceMetadata: contentHash, edgeLabels, fileSize, lastModified, machineTitle, nodeNames
    ");
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("4 unsaved");
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::S);
    window.wait_until("all as before", |_| few_keys::files(&folder) == before);
}

#[test]
fn a_source_that_has_not_changed_needs_no_restamp_and_no_path() {
    let project = samples();
    let mut window = open_samples(&project);
    let row = "req-1780281204339-3, recording, Fresh";
    for (command, reason) in [
        ("Restamp matching", "none of its recordings can be restamped"),
        ("Update source path", "the source was not renamed"),
    ] {
        run_for(&mut window, row, command);
        assert!(window.says(reason), "{command}");
        window.press(Key::Escape);
    }
}

#[test]
fn the_new_path_of_a_source_is_written_by_a_command() {
    let project = samples();
    let before = few_keys::files(&project.path(SET));
    let mut window = open_samples(&project);
    run_for(&mut window, "req-ticket-routing-turn-2, recording, Renamed", "Update source path");
    window.press(Key::Enter);
    window.wait_for("Update the path in 2 recordings");
    assert_eq!(few_keys::files(&project.path(SET)), before, "nothing is saved unasked");

    window.press(Key::Enter);
    window.wait_for("Saved 2 files.");
    insta::assert_snapshot!(changed_values(&before, &few_keys::files(&project.path(SET))), @"
    turn-1: sourceMetadata: sourceFile
    turn-2: sourceMetadata: sourceFile
    ");
    let path = "\"sourceFile\": \"sample-recordings/machines/ticket-routing.dygram\"";
    assert!(texts(&project).iter().all(|text| text.contains(path)));
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("2 unsaved");
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::S);
    window.wait_until("all as before", |_| few_keys::files(&project.path(SET)) == before);
}

#[test]
fn of_two_places_of_a_renamed_source_one_is_chosen_on_its_page() {
    let project = samples();
    let machine = "sample-recordings/machines/ticket-routing.dygram";
    project.write("sample-recordings/machines/copies/routing.dygram", project.read(machine));
    let before = texts(&project);
    let mut window = open_samples(&project);
    run_for(&mut window, "req-ticket-routing-turn-2, recording, Renamed", "Update source path");
    window.press(Key::Enter);
    window.wait_for("Update the path in 2…");
    assert_eq!(texts(&project), before);
}
