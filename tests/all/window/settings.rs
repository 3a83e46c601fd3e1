//! The user's own settings: keys of the file, and what is wrong in it.

use super::*;

const TEXT: &str = "# Mine.\ntheme = \"light\" # by day\n\n[keys]\nquit = [] # too near\n";

/// Opens the samples with these settings.
fn open_with(project: &Project, text: Option<&str>) -> Window {
    let file = project.path("config/settings.toml");
    if let Some(text) = text {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let start = StartOptions { settings: Some(file), ..start_with(project, "sample-recordings") };
    let mut window = Window::open(start, Vec::new());
    window.wait_for_samples();
    window
}

fn file(project: &Project) -> String {
    std::fs::read_to_string(project.path("config/settings.toml")).unwrap_or_default()
}

#[test]
fn the_sheet_shows_the_keys_of_the_file() {
    let project = samples();
    let text = "[keys]\nshow-history = \"F9\"\nreload = []\n";
    let mut window = open_with(&project, Some(text));
    window.press(Key::F1);
    window.type_text("edit history");
    assert!(window.shows("Edit history: F9"));
    window.fill(Role::TextInput, "Command or key", "reload");
    assert!(window.shows("Reload: no key"), "{:?}", window.texts());
    window.press(Key::Escape);
    window.press(Key::F9);
    assert!(window.shows("Edits"));
}

#[test]
fn a_fault_has_its_line_and_the_rest_of_the_file_is_used() {
    let project = samples();
    let text = "them = \"dark\"\n[keys]\nsave-all = \"Ctrl+Hyper+S\"\nshow-history = \"F9\"\n";
    let mut window = open_with(&project, Some(text));
    window.wait_for("settings.toml:1:1: Unknown setting `them`; did you mean `theme`? 1 more.");
    window.press(Key::F9);
    assert!(window.shows("Edits"), "the rest is used");
    window.press(Key::F9);
    window.press_with(Modifiers::COMMAND, Key::Comma);
    assert!(window.says("settings.toml:3:12: `Hyper` is not Ctrl, Alt or Shift."));
    window.click(Role::Button, "Copy path");
    let path = project.path("config/settings.toml");
    assert_eq!(window.copied.as_deref(), path.to_str());
    window.press(Key::Escape);

    // A change is seen without a restart.
    std::fs::write(&path, "[keys]\nshow-history = \"F7\"\n").unwrap();
    window.harness.event(egui::Event::WindowFocused(true));
    window.wait_until("the new file", |window| !window.says("settings.toml:1:1"));
    window.press(Key::F9);
    assert!(!window.shows("Edits"));
    window.press(Key::F7);
    assert!(window.shows("Edits"));
}

/// Chooses a theme in the settings.
fn choose_theme(window: &mut Window, name: &str) {
    window.press_with(Modifiers::COMMAND, Key::Comma);
    window.click(Role::RadioButton, name);
    window.press(Key::Escape);
}

#[test]
fn a_theme_in_the_file_is_changed_there_and_else_in_the_state() {
    let project = samples();
    let mut window = open_with(&project, Some(TEXT));
    choose_theme(&mut window, "Dark");
    window.wait_until("the file", |_| file(&project) == TEXT.replace("light", "dark"));

    let project = samples();
    let mut window = open_with(&project, None);
    choose_theme(&mut window, "Light");
    assert_eq!(file(&project), "");
    assert_eq!(window.kept.borrow().theme.name(), "light");
}

#[cfg(unix)]
#[test]
fn the_selected_item_is_opened_in_the_editor_of_the_user() {
    use std::os::unix::fs::PermissionsExt;
    let project = samples();
    let editor = project.path("my editor");
    let (given, copy) = (project.path("given"), project.path("sample-recordings/copy.json"));
    let script =
        format!("#!/bin/sh\necho \"$@\" > '{}'\ncp \"$2\" '{}'\n", given.display(), copy.display());
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755)).unwrap();
    let text = format!("editor = \"'{}' +{{line}} {{file}}\"\n", editor.display());
    let mut window = open_with(&project, Some(&text));
    window.press(Key::F8);
    window.press(Key::F4);
    // The window sees the file that the editor writes.
    window.wait_for("29 items");
    let shown = std::fs::read_to_string(&given).unwrap();
    let folder = std::fs::canonicalize(project.path("sample-recordings")).unwrap();
    assert!(shown.starts_with('+'), "{shown}");
    assert!(shown.contains(folder.to_str().unwrap()), "{shown}");
}

#[test]
fn the_form_writes_the_file_and_every_other_setting_is_a_comment_there() {
    let project = samples();
    let mut window = open_with(&project, None);
    window.press_with(Modifiers::COMMAND, Key::Comma);
    window.fill(Role::TextInput, "Editor", "code {fil}");
    assert!(window.shows("Unknown placeholder `fil`."));
    window.press(Key::Enter);
    assert_eq!(file(&project), "", "nothing that is wrong is written");
    window.fill(Role::TextInput, "Editor", "code {file}");
    window.press(Key::Enter);
    window.wait_until("the editor", |_| file(&project).contains("\neditor = \"code {file}\"\n"));
    assert!(file(&project).contains("# [keys]\n# save-all"));
    window.click(Role::CheckBox, "Reduced: playheads jump, and nothing fades");
    window.wait_until("the motion", |_| file(&project).contains("\nmotion = \"reduced\"\n"));
    window.fill(Role::TextInput, "Editor", "");
    window.press(Key::Enter);
    window.wait_until("no editor", |_| file(&project).contains("\n# editor = \"code {file}\"\n"));
}
