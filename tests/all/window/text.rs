//! The text of a file, edited as a person does it.

use ::calls::file_part::FilePart;
use document::text::Place;
use egui::{Event, Key, Modifiers};

use super::*;

const FILE: &str = "{\r\n  \"request\": { \"messages\": [] },\r\n  \"response\": {}\r\n}";

/// A project of one file with CRLF line ends, its text shown and the cursor before its first character.
fn open_text() -> (Project, Window) {
    let project = Project::new(&[("set/a.json", FILE)]);
    let mut window = Window::open(start_with(&project, "set/a.json"), Vec::new());
    window.wait_for_rows(1);
    window.press(Key::Home);
    window.wait_for("Text");
    window.click(Role::Tab, "Text");
    window.wait_for("Text of a.json");
    window.find(Role::MultilineTextInput, "Text of a.json").focus();
    window.settle();
    window.press_with(Modifiers::COMMAND, Key::Home);
    (project, window)
}

fn text(window: &Window) -> String {
    let field = window.find(Role::MultilineTextInput, "Text of a.json");
    field.accesskit_node().value().unwrap_or_default()
}

#[test]
fn what_is_typed_is_undone_at_once_and_saved_byte_for_byte() {
    let (project, mut window) = open_text();
    window.press(Key::End);
    window.press(Key::Enter);
    window.type_text("  \"a\": 1,");
    let shown = FILE.replace("\r\n", "\n");
    let typed = shown.replacen('\n', "\n  \"a\": 1,\n", 1);
    assert_eq!(text(&window), typed);

    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("the text as it was", |window| text(window) == shown);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.wait_until("the text as typed", |window| text(window) == typed);

    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("the save", |window| window.says("Saved a.json"));
    let saved = project.read("set/a.json");
    assert_eq!(saved, FILE.replacen("\r\n", "\r\n  \"a\": 1,\r\n", 1));
}

#[test]
fn words_are_found_and_replaced_in_one_step() {
    let (_project, mut window) = open_text();
    window.press_with(Modifiers::COMMAND, Key::H);
    window.harness.event(Event::Text("\"".to_owned()));
    window.settle();
    window.wait_for("1 of 6");
    window.press(Key::F3);
    window.wait_for("2 of 6");
    window.find(Role::TextInput, "Replace with").focus();
    window.settle();
    window.harness.event(Event::Text("'".to_owned()));
    window.press_with(Modifiers::ALT, Key::Enter);
    let shown = FILE.replace("\r\n", "\n");
    assert_eq!(text(&window), shown.replace('"', "'"));
    window.press(Key::Escape);
    assert!(!window.shows("Replace with"));
    window.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(text(&window), shown);
}

#[test]
fn the_keys_that_find_filter_the_list_where_no_text_is_shown() {
    let (_project, mut window) = open_text();
    let problems =
        |window: &Window| window.texts().into_iter().find(|it| it.starts_with("Problems, "));
    let problems = problems(&window).unwrap();
    window.click(Role::Tab, &problems);
    window.press_with(Modifiers::COMMAND, Key::F);
    assert!(!window.shows("Find"));
    assert!(window.harness.ctx.text_edit_focused());
}

#[test]
fn a_script_without_a_font_is_named_once() {
    let file = FILE.replace("\"response\": {}", "\"response\": {}, \"note\": \"안녕하세요\"");
    let project = Project::new(&[("set/a.json", &file)]);
    let mut window = Window::open(start_with(&project, "set/a.json"), Vec::new());
    let boxes = egui::MissingGlyphPolicy::Tofu;
    window.harness.ctx.set_missing_glyph_policy(boxes);
    window.wait_for_rows(1);
    let notice = "No font for Hangul was found on this system, so boxes are shown instead.";
    assert!(!window.says(notice));
    window.press(Key::Home);
    window.wait_for("Text");
    window.click(Role::Tab, "Text");
    window.wait_until("the notice", |window| window.says(notice));
}

#[test]
fn a_file_opens_at_the_place_that_the_command_line_names() {
    let project = Project::new(&[("set/a.json", FILE), ("set/b.json", FILE)]);
    let paths = ["set/b.json", "set/a.json"].map(|path| project.path(path));
    let start = StartOptions {
        place: Some((paths[1].clone(), vec![FilePart::Place(Place { line: 3, column: 3 })])),
        paths: paths.to_vec(),
        ..StartOptions::default()
    };
    let mut window = Window::open(start, Vec::new());
    window.wait_for("Text of a.json");
    window.find(Role::MultilineTextInput, "Text of a.json").focus();
    window.settle();
    window.type_text("\"a\": 1, ");
    let typed = FILE.replace("\r\n", "\n").replace("\"resp", "\"a\": 1, \"resp");
    assert_eq!(text(&window), typed);
}

#[test]
fn tab_leads_from_the_searched_text_to_its_replacement_and_letters_are_no_commands() {
    let (_project, mut window) = open_text();
    window.press_with(Modifiers::COMMAND, Key::H);
    window.type_text("request");
    window.press(Key::Tab);
    window.type_text("cvt");
    let field = |window: &Window| window.find(Role::TextInput, "Replace with").value();
    assert_eq!(field(&window).as_deref(), Some("cvt"));

    window.find(Role::Button, "Previous match").focus();
    window.settle();
    let shown = window.texts();
    window.type_text("cvt");
    assert_eq!(window.texts(), shown);
    window.find(Role::TextInput, "Replace with").focus();
    window.settle();
    window.press(Key::Tab);
    assert!(window.find(Role::Button, "One").is_focused());
}
