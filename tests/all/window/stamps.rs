//! Recordings are stamped with their sources: shown before they are saved, and removed by one undo.

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
