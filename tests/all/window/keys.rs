//! The sheet of keys: what it lists first, what a search finds, and how it is closed.

use super::*;

/// Returns the rows of the sheet, each with its keys.
fn listed(window: &Window) -> Vec<String> {
    let rows = window.nodes().filter_map(|node| text_of(&node));
    rows.filter(|text| text.contains(": ") && !text.starts_with("Project: ")).collect()
}

#[test]
fn the_keys_of_the_present_desk_come_first_and_the_same_key_closes_the_sheet() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.press(Key::F1);
    assert!(window.find(Role::TextInput, "Command or key").is_focused());
    let rows = listed(&window);
    let place = |row: &str| rows.iter().position(|listed| listed == row).unwrap();
    assert!(place("Accept group: A") < place("Redo: Ctrl+Shift+Z or Ctrl+Y"));
    assert!(!window.shows("Play or pause: Space"));

    window.click(Role::Link, "Tapes");
    assert!(window.shows("Play or pause: Space"));
    assert!(!window.shows("Accept group: A"));

    window.press(Key::F1);
    assert!(!window.shows("Command or key"));
}

#[test]
fn typing_finds_commands_of_every_desk_and_escape_closes_the_sheet() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.press(Key::F1);
    window.type_text("inject");
    assert_eq!(listed(&window), ["Inject fault…: f"]);
    window.fill(Role::TextInput, "Command or key", "ctrl z");
    assert_eq!(listed(&window), ["Undo: Ctrl+Z"]);
    window.press(Key::Escape);
    assert!(!window.shows("Command or key"));
}

#[test]
fn a_key_without_meaning_on_a_desk_does_nothing() {
    let project = samples();
    let mut window = open_samples(&project);
    for desk in [Key::Num2, Key::Num6, Key::Num8] {
        window.press_with(Modifiers::COMMAND, desk);
        for key in [Key::Num2, Key::N, Key::P, Key::A, Key::R, Key::U, Key::X] {
            window.press(key);
            assert!(!window.shows("Dismiss"), "{key:?}: {:?}", window.texts());
        }
    }
}
