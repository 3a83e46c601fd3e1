//! Names: screen readers get a name for each control.

use std::collections::HashSet;

use egui::accesskit::Action;

use super::*;

/// How many tabs the rail of desks has; those of the inspector come after them.
const DESKS: usize = protocol::Desk::ALL.len();

/// Whether the keyboard can come to a control, or the mouse can press it. Text that can only be selected is none, and
/// neither is a scroll bar, which shows a place and names nothing.
fn can_be_used(node: &Node<'_>) -> bool {
    let accesskit = node.accesskit_node();
    let can = |action| accesskit.data().supports_action(action);
    let is_control = !matches!(role_of(node), Role::Label | Role::ScrollBar);
    is_control && (can(Action::Focus) || can(Action::Click))
}

#[track_caller]
fn assert_named(window: &Window, place: &str) {
    let nodes = window.nodes().filter(can_be_used);
    let unnamed: Vec<String> = nodes
        .filter(|node| text_of(node).is_none())
        .map(|node| format!("{:?} at {:?}", role_of(&node), node.rect()))
        .collect();
    assert!(unnamed.is_empty(), "{place}: {unnamed:#?}");
}

#[test]
fn every_control_round_the_lists_has_a_name() {
    let mut window = open_start_page();
    assert_named(&window, "start page");
    window.click(Role::Button, "Menu");
    assert_named(&window, "menu");
    window.press(Key::Escape);

    window.click(Role::Button, "Open the samples");
    window.wait_for_all_samples();
    assert_named(&window, "library");
    window.press(Key::Slash);
    window.type_text("kind:");
    assert_named(&window, "completions");
    window.type_text("recording ");
    assert_named(&window, "chips");
    window.press(Key::Escape);
    window.press(Key::Escape);
    window.press_with(Modifiers::COMMAND, Key::K);
    assert_named(&window, "palette");
    window.press(Key::Escape);
    window.press(Key::F1);
    assert_named(&window, "keys");
    window.press(Key::Escape);
    window.press(Key::F8);
    assert_named(&window, "problems");
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("Text at the playhead");
    assert_named(&window, "tapes");
    window.press(Key::V);
    assert_named(&window, "how time is shown");
    window.press(Key::Escape);
    window.press(Key::F8);

    window.harness.set_size(egui::vec2(640.0, 400.0));
    window.settle();
    assert_named(&window, "problems, narrow");
    window.press_with(Modifiers::COMMAND, Key::Num1);
    assert_named(&window, "library, narrow");
}

#[test]
fn every_control_of_playback_has_a_name() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num2);
    assert_named(&window, "nothing was played");
    window.press(Key::Enter);
    window.wait_until("the calls", |window| window.says("Call 1, "));
    assert_named(&window, "a run");
    window.press(Key::V);
    assert_named(&window, "the menu of a run");
    window.press(Key::Escape);
    window.press(Key::Escape);
    window.click(Role::Button, "Paste failure log…");
    assert_named(&window, "a log");
    window.click(Role::Button, "Cancel");
    window.harness.set_size(egui::vec2(640.0, 400.0));
    window.settle();
    assert_named(&window, "playback, narrow");
}

#[test]
fn every_control_of_what_is_open_has_a_name() {
    let project = samples();
    let mut window = open_samples(&project);
    let mut seen = HashSet::new();
    for row in window.rows() {
        let (_, kind_and_status) = row.split_once(',').unwrap();
        if !seen.insert(kind_and_status.to_owned()) {
            continue;
        }
        window.click(Role::ListBoxOption, &row);
        window.wait_until("the item", |window| window.selected().as_deref() == Some(&*row));
        assert_named(&window, &row);
        let tabs = window.nodes().filter(|node| role_of(node) == Role::Tab);
        let tabs: Vec<String> = tabs.filter_map(|tab| text_of(&tab)).collect();
        let (_, tabs) = tabs.split_at(DESKS);
        for tab in tabs {
            window.click(Role::Tab, tab);
            assert_named(&window, &format!("{row}, {tab}"));
        }
    }
    assert!(seen.len() > 10, "kinds and statuses: {seen:?}");
}

#[test]
fn every_control_of_two_sides_has_a_name() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::RadioButton, "Stale, breaks 3");
    window.press(Key::J);
    window.press(Key::M);
    window.press(Key::J);
    for (key, printed) in [(Key::Enter, "7 changes"), (Key::C, "What differs")] {
        window.press(key);
        window.wait_for(printed);
        assert_named(&window, printed);
        window.press_with(Modifiers::SHIFT, Key::V);
        assert_named(&window, "in one");
        window.press_with(Modifiers::SHIFT, Key::V);
        window.press(Key::Escape);
    }
}
