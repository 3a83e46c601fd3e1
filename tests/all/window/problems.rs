//! Problems: from one to the next, by rule, and to the exact place.

use super::*;

/// What is selected: a rule, and a place where it applies.
fn selected(window: &Window) -> String {
    let rows = window.rows();
    let selected: Vec<&str> = rows.iter().filter_map(|row| row.strip_prefix('>')).collect();
    selected.join(": ")
}

#[test]
fn f8_goes_from_problem_to_problem_wherever_one_is() {
    let project = samples();
    let mut window = open_samples(&project);
    let mut visited = Vec::new();
    for modifiers in [Modifiers::NONE, Modifiers::NONE, Modifiers::SHIFT] {
        window.press_with(modifiers, Key::F8);
        visited.push(selected(&window));
    }
    insta::assert_snapshot!(visited.join("\n"), @"
    No released player can match the signature, 1: req-1780281204339-3.json, line 95, column 20
    The recording does not name its source, 2: turn-1.json, line 1, column 1
    No released player can match the signature, 1: req-1780281204339-3.json, line 95, column 20
    ");
}

#[test]
fn a_rule_leads_to_its_places_and_a_place_to_its_line_in_the_file() {
    let project = samples();
    let mut window = open_samples(&project);
    let report = project.run(&["check", "sample-recordings", "--json"]).json();
    let problems = report["problems"].as_array().unwrap();
    let is_note = |problem: &serde_json::Value| problem["severity"] == "note";
    let count = problems.iter().filter(|problem| !is_note(problem)).count();

    window.click(Role::Tab, "Problems, 1");
    window.wait_for(&format!("{count} problems"));
    let rule_rows = |window: &Window| {
        let rows = window.rows().into_iter().map(|row| row.trim_start_matches('>').to_owned());
        rows.take_while(|row| !row.contains(", line ")).collect::<Vec<_>>()
    };
    let without_notes = rule_rows(&window).len();
    window.press(Key::V);
    window.click(Role::MenuItemCheckBox, "Notes");
    window.wait_for(&format!("{} problems", problems.len()));
    assert!(rule_rows(&window).len() > without_notes);
    window.click(Role::MenuItemCheckBox, "Notes");
    window.press(Key::Escape);

    window.click(Role::ListBoxOption, "The answer is not wrapped, 1");
    window.click(Role::ListBoxOption, "turn-1.json, line 39, column 15");
    window.wait_until("the fix", |window| window.says("After the fix"));
    assert_eq!(selected(&window), "The answer is not wrapped, 1: turn-1.json, line 39, column 15");
    window.click(Role::Button, "Open file");
    window.wait_for("Text of turn-1.json");
    assert_eq!(window.selected().unwrap(), "turn-1.json, recording, Not wrapped");
    assert!(is_on(&window.find(Role::Tab, "Text")));
}

#[test]
fn a_place_is_copied_as_editors_take_it() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::F8);
    let row = "req-1780281204339-3.json, line 95, column 20";
    window.find(Role::ListBoxOption, row).click_secondary();
    window.settle();
    window.click(Role::MenuItem, "Copy as path:line:column");
    let copied = window.copied.unwrap();
    assert!(copied.ends_with("recordings/close-ticket/req-1780281204339-3.json:95:20"), "{copied}");
}

#[test]
fn keys_go_through_what_is_listed_and_enter_opens_the_place() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::End);
    let in_library = window.selected();
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.wait_for("Open file");
    let mut visited = vec![selected(&window)];
    for key in [Key::J, Key::J, Key::K, Key::PageDown, Key::End, Key::Home] {
        window.press(key);
        visited.push(selected(&window));
    }
    insta::assert_snapshot!(visited.join("\n"), @"
    The answer is not wrapped, 1: turn-1.json, line 39, column 15
    The source has changed since the recording, 7: req-1773324121806-1.json, line 92, column 20
    The source has changed since the recording, 7: req-1773324126480-4.json, line 83, column 20
    The source has changed since the recording, 7: req-1773324121806-1.json, line 92, column 20
    The source was renamed, 2: turn-1.json, line 104, column 19
    The source was renamed, 2: turn-2.json, line 93, column 19
    The source was renamed, 2: turn-1.json, line 104, column 19
    ");

    window.press_with(Modifiers::COMMAND, Key::Num1);
    assert_eq!(window.selected(), in_library, "the other list stayed as it was");
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.press(Key::Enter);
    assert_eq!(window.selected().unwrap(), "req-ticket-routing-turn-1, recording, Renamed");
    assert!(is_on(&window.find(Role::Tab, "Text")));
}

const RENAMED: &str = "The source was renamed, 2";
const STALE: &str = "The source has changed since the recording, 7";
const ROUTING: &str = "sample-recordings/recordings/ticket-routing";

#[test]
fn a_rule_with_a_fix_offers_it_for_all_places_and_for_each() {
    let project = samples();
    let path = |turn: u32| format!("{ROUTING}/turn-{turn}.json");
    let before = [1, 2].map(|turn| project.read(&path(turn)));
    let is_fixed = |turn: u32| {
        let text = project.read(&path(turn));
        text.contains("\"sourceFile\": \"sample-recordings/machines/ticket-routing.dygram\"")
    };
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.click(Role::ListBoxOption, RENAMED);

    window.click(Role::Button, "Update path…");
    window.wait_for("Update the path in 1 recording");
    window.press(Key::Escape);
    assert!(!window.says("unsaved") && !window.says("Update the path in 1 recording"));

    // The desk is where it was.
    window.find(Role::Button, "Update the path in 2 recordings…");
    window.press(Key::F);
    window.wait_for("Update the path in 2 recordings");
    assert!(window.says("Before: …/"), "{:#?}", window.texts());
    assert!(before == [1, 2].map(|turn| project.read(&path(turn))));
    window.press(Key::Enter);
    window.wait_for("Saved 2 files.");
    assert!(is_fixed(1) && is_fixed(2));
    window.wait_until("the rule has no places", |window| !window.says(RENAMED));
}

#[test]
fn what_a_fix_changes_is_shown_before_it_is_made() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.click(Role::ListBoxOption, STALE);
    window.wait_until("the fix", |window| window.says("After the fix"));
    assert!(window.says("\"contentHash\""), "{:#?}", window.texts());
    window.find(Role::Button, "Restamp 4…");
    window.find(Role::Button, "Record 3 again…");
    // What breaks has no fix, so its place is shown.
    window.press(Key::End);
    window.wait_for("Place");
    window.click(Role::Button, "Then and now");
    window.wait_until("the source", |window| window.says("3 of 7 recordings break"));
    window.press(Key::Escape);
    window.wait_for("Place");
}

#[test]
fn the_inspector_offers_the_fix_in_its_banner_and_in_its_list() {
    let project = samples();
    let path = "sample-recordings/recordings/ticket-legacy/turn-1.json";
    let before = project.read(path);
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, "turn-1.json, recording, Not wrapped");
    window.press(Key::Enter);
    window.wait_for("The answer is not wrapped.");
    window.click_last(Role::Button, "Wrap the answer…");
    window.wait_for("Wrap 1 answer");
    window.find(Role::Label, "Before: undefined");
    window.press(Key::Escape);
    assert!(!window.says("unsaved") && window.shows("The answer is not wrapped."));
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Fix problem");
    window.press(Key::Enter);
    window.wait_for("Wrap 1 answer");
    window.click(Role::Button, "Keep unsaved");
    window.wait_for("Wrap 1 answer: 1 file kept unsaved.");
    window.wait_for("1 unsaved");
    assert_eq!(project.read(path), before);
    window.click(Role::Button, "Undo");
    window.wait_for("Undid: Wrap 1 answer.");
    window.wait_for("The answer is not wrapped.");
    assert!(!window.says("unsaved"));

    window.click(Role::Tab, "Problems");
    window.click(Role::Link, "Wrap…");
    window.wait_for("Wrap 1 answer");
    window.press(Key::Enter);
    window.wait_for("Saved 1 file.");
    assert_ne!(project.read(path), before);
}

#[test]
fn a_key_fixes_the_selected_problem_or_says_that_it_has_no_fix() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.wait_for("Open file");
    window.press_with(Modifiers::SHIFT, Key::F);
    window.wait_for("Save 1 file");
    window.press(Key::Escape);
    window.click(Role::ListBoxOption, "The seed's response is empty, 1");
    window.press_with(Modifiers::SHIFT, Key::F);
    window.wait_for("Fix problem: this problem has no automatic fix.");
}

#[test]
fn the_files_with_problems_are_listed_in_the_library() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.press(Key::V);
    window.click(Role::MenuItem, "Show only items with problems");
    window.wait_until("fewer files", |window| window.rows().len() < 28);
    assert!(window.rows().iter().any(|row| row.ends_with("turn-1.json, recording, Not wrapped")));
}
