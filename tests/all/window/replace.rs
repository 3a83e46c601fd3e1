//! Replacing in all files: places are listed and excluded before anything changes, and one undo restores every file.

use super::*;

/// Where the samples offer, call or store the tool.
const OLD: &str = "transition_to_support";
const NEW: &str = "transition_to_help";

fn texts(project: &Project) -> BTreeMap<PathBuf, String> {
    let mut folders = vec![project.path("sample-recordings")];
    let mut texts = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read(&path).unwrap();
                texts.insert(path, String::from_utf8_lossy(&text).into_owned());
            }
        }
    }
    texts
}

/// How often the files contain the new name.
fn renamed(project: &Project) -> usize {
    let texts = texts(project);
    texts.values().map(|text| text.matches(NEW).count()).sum()
}

/// The check boxes of single places, each with whether it is on.
fn places(window: &Window) -> Vec<(String, bool)> {
    let boxes = window.nodes().filter(|it| role_of(it) == Role::CheckBox);
    let named = boxes.map(|it| (text_of(&it).unwrap_or_default(), is_on(&it)));
    named.filter(|(name, _)| !name.contains('→')).collect()
}

fn open_rename(window: &mut Window) {
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Rename throughout");
    window.press(Key::Enter);
    window.wait_for("Old name");
    // The first field has the focus.
    window.type_text(OLD);
    window.press(Key::Tab);
    window.type_text(NEW);
    window.wait_until("the places", |window| !places(window).is_empty());
}

#[test]
fn a_tool_is_renamed_in_all_files_except_an_excluded_place_and_undone_at_once() {
    let project = samples();
    let before = texts(&project);
    let mut window = open_samples(&project);
    open_rename(&mut window);
    let all = places(&window);
    assert!(all.len() > 3, "{all:?}");
    assert!(all.iter().all(|(_, is_included)| *is_included));
    let (last, _) = all.last().unwrap().clone();
    window.tab_to(Role::CheckBox, &all[0].0);
    for _ in 1..all.len() {
        window.press(Key::ArrowDown);
    }
    assert!(window.find(Role::CheckBox, &last).is_focused());
    window.press(Key::Space);
    assert!(window.says(", 1 excluded."));
    assert_eq!(places(&window).last().unwrap(), &(last.clone(), false));

    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("Undo later with");
    assert!(window.says(&format!("Rename {OLD} to {NEW} in ")));
    assert_eq!(texts(&project), before);
    // Esc leads back to the form, with what was excluded.
    window.press(Key::Escape);
    window.wait_until("the places again", |window| !places(window).is_empty());
    assert_eq!(places(&window).last().unwrap(), &(last, false));
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("Undo later with");
    window.press(Key::Enter);
    window.wait_until("saved", |window| window.says("Saved "));
    assert!(!window.shows("Old name"), "the form is done");
    assert_eq!(renamed(&project), all.len() - 1);

    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("undone", |window| window.says(" unsaved"));
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::S);
    window.wait_until("all as before", |_| texts(&project) == before);
}

#[test]
fn a_change_is_excluded_as_a_whole_and_nothing_is_left_to_apply() {
    let project = samples();
    let mut window = open_samples(&project);
    open_rename(&mut window);
    let texts = window.texts();
    let group = texts.iter().find(|it| it.contains('→')).unwrap();
    window.click(Role::CheckBox, group);
    assert!(places(&window).iter().all(|(_, is_included)| !is_included));
    window.press_with(Modifiers::COMMAND, Key::Enter);
    assert!(window.shows("Old name"), "the form is still open");
    window.press(Key::Escape);
    assert!(!window.shows("Old name"));
}

#[test]
fn invalid_input_is_reported_and_the_search_is_limited_to_the_filter() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    window.type_text("kind:session");
    window.press(Key::Enter);
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::H);
    window.wait_for("Only at");
    window.click(Role::RadioButton, "Regular expression");
    window.fill(Role::TextInput, "Replace", "(");
    window.wait_until("the reason", |window| window.says("The regular expression is invalid"));
    window.click(Role::RadioButton, "JSON Pointer");
    window.fill(Role::TextInput, "Values at", "/tool_responses/*/status");
    window.fill(Role::TextInput, "New value", "50 2");
    window.wait_for("Nothing is searched while a field is not valid.");
    window.fill(Role::TextInput, "New value", "502");
    window.wait_until("the places", |window| !places(window).is_empty());
    let listed = places(&window);
    assert!(listed.iter().all(|(name, _)| name.contains(".yaml:")), "{listed:?}");
    assert!(window.shows("Listed files"));
}

#[test]
fn rows_stay_where_they_are_when_the_kind_changes_and_a_request_while_searching_is_kept() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Replace in files");
    window.press(Key::Enter);
    window.wait_for("Only at");
    let scope = |window: &Window| {
        let all = window.nodes().find(|node| {
            role_of(node) == Role::RadioButton
                && text_of(node).is_some_and(|text| text.starts_with("All files"))
        });
        all.unwrap().rect().top()
    };
    let top = scope(&window);
    window.click(Role::RadioButton, "Model");
    assert_eq!(scope(&window), top);
    window.click(Role::RadioButton, "Tool");
    window.find(Role::TextInput, "Old name").focus();
    window.settle();
    window.type_text(OLD);
    window.press(Key::Tab);
    window.type_text(NEW);
    // Whether or not the places are found by now.
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_until("the step", |window| window.says("Rename") && !window.shows("Old name"));
}
