//! The palette: any command and any file by a few letters.

use super::*;

#[test]
fn the_palette_runs_a_command_by_a_few_letters_of_its_name() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("group by fo");
    window.press(Key::Enter);
    assert!(window.rows().contains(&"recordings/triage-ticket, 7 recordings, 3 break".to_owned()));
}

#[test]
fn the_palette_finds_a_file_and_selects_it() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("slow-start");
    window.press(Key::Enter);
    assert_eq!(window.selected().unwrap(), "slow-start, tape, OK");
}

#[test]
fn escape_leaves_the_palette_and_nothing_happened() {
    let project = samples();
    let mut window = open_samples(&project);
    // The last of what comes by itself.
    window.wait_for("Watching");
    let before = window.texts();
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("close the project");
    assert_ne!(window.texts(), before);
    window.press(Key::Escape);
    assert_eq!(window.texts(), before);
}
