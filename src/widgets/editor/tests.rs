//! Tests of the editor as a user works with it, on a file that accepts every edit.

use std::sync::Arc;

use egui::{Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::*;
use crate::code::{CodeData, CodeFocus};
use crate::theme;
use document::text::Source;
use protocol::{DocId, Revision, Theme};
use workbench::{FindRequest, StepDirection};

/// A file, the requests for it, and the find request for the next frame.
struct EditorHost {
    file: String,
    name: &'static str,
    data: EditorData,
    state: EditorState,
    find: Option<FindRequest>,
    requests: Vec<EditorRequest>,
    ready: bool,
}

impl EditorHost {
    fn new(file: &str, name: &'static str) -> Self {
        Self {
            file: file.to_owned(),
            name,
            data: data(file, name),
            state: EditorState::default(),
            find: None,
            requests: Vec::new(),
            ready: false,
        }
    }

    /// Shows another file.
    fn show(&mut self, file: &str) {
        self.set(file);
        self.data.doc = DocId::new(1);
    }

    fn set(&mut self, file: &str) {
        self.file = file.to_owned();
        self.data = data(file, self.name);
    }

    fn ui(ui: &mut egui::Ui, host: &mut Self) {
        if !host.ready {
            theme::install(ui.ctx(), Theme::Dark);
            host.ready = true;
            return;
        }
        let _ = ui.button("Before");
        let find = host.find.take();
        let requests = editor_ui(ui, &host.data, CodeFocus::default(), find, &mut host.state);
        for request in &requests {
            if let EditorRequest::Type(edit) | EditorRequest::Step(edit, _) = request {
                let mut file = host.file.clone();
                edit.apply(&mut file).unwrap();
                host.set(&file);
            }
        }
        host.requests.extend(requests);
    }
}

fn data(file: &str, name: &str) -> EditorData {
    let source = Source::new(file);
    let code = CodeData::new(&Arc::new(document::read(source.clone(), name)), &[]);
    EditorData::new(DocId::new(0), name, (&source, Revision::default()), code, None)
}

fn open(file: &str, name: &'static str) -> Harness<'static, EditorHost> {
    let mut harness = Harness::builder()
        .with_size([420.0, 300.0])
        .build_ui_state(EditorHost::ui, EditorHost::new(file, name));
    harness.run();
    harness.run();
    harness
}

fn focus(harness: &mut Harness<'_, EditorHost>) {
    harness.get_by_label(&format!("Text of {}", harness.state().name)).focus();
    harness.run();
}

/// Selects bytes of the normalized text; an empty range is the caret.
fn select(harness: &mut Harness<'_, EditorHost>, range: std::ops::Range<usize>) {
    harness.state_mut().state.next_selection = Some(range);
    harness.run();
}

fn type_text(harness: &mut Harness<'_, EditorHost>, text: &str) {
    harness.event(Event::Text(text.to_owned()));
    harness.run();
}

fn press(harness: &mut Harness<'_, EditorHost>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run();
}

fn has_focus(harness: &Harness<'_, EditorHost>) -> bool {
    harness.get_by_label(&format!("Text of {}", harness.state().name)).accesskit_node().is_focused()
}

#[test]
fn enter_in_a_file_with_crlf_writes_crlf_and_keeps_the_indentation() {
    let mut harness = open("{\r\n  \"a\": 1\r\n}", "a.json");
    focus(&mut harness);
    select(&mut harness, 10..10);
    type_text(&mut harness, ",");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    type_text(&mut harness, "\"b\": 2");
    assert_eq!(harness.state().file, "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}");
    assert!(!harness.state().requests.contains(&EditorRequest::EndTyping));
}

#[test]
fn pasted_text_takes_the_line_ends_of_the_file() {
    let mut harness = open("a: 1\r\nb: 2\r\n", "a.yaml");
    focus(&mut harness);
    select(&mut harness, 5..5);
    harness.event(Event::Paste("x: 1\ny: 2\n".to_owned()));
    harness.run();
    assert_eq!(harness.state().file, "a: 1\r\nx: 1\r\ny: 2\r\nb: 2\r\n");
}

#[test]
fn an_edit_from_elsewhere_moves_the_caret_with_its_text() {
    let mut harness = open("a: 1\nb: 2\n", "a.yaml");
    focus(&mut harness);
    select(&mut harness, 9..9);
    harness.state_mut().set("first: 0\na: 1\nb: 2\n");
    harness.run();
    type_text(&mut harness, "3");
    assert_eq!(harness.state().file, "first: 0\na: 1\nb: 23\n");
}

#[test]
fn an_edit_from_elsewhere_is_scrolled_into_view() {
    let file = "a: 1\n".repeat(200);
    let mut harness = open(&file, "a.yaml");
    focus(&mut harness);
    select(&mut harness, 0..0);
    let last = |harness: &Harness<'_, EditorHost>| {
        let name = "Text of a.yaml";
        harness.get_by_label(name).rect().bottom()
    };
    let old_place = last(&harness);
    harness.state_mut().set(&(file + "b: 2\n"));
    harness.run();
    assert!(last(&harness) < old_place - 3_000.0, "scrolled to the end");
}

#[test]
fn undo_is_handled_by_the_owner_of_the_text() {
    let mut harness = open("{}", "a.json");
    focus(&mut harness);
    select(&mut harness, 1..1);
    type_text(&mut harness, "1");
    harness.event(Event::Text("2".to_owned()));
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    press(&mut harness, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(harness.state().file, "{12}");
}

#[test]
fn typing_ends_when_the_caret_goes_elsewhere() {
    let mut harness = open("{}", "a.json");
    focus(&mut harness);
    select(&mut harness, 1..1);
    type_text(&mut harness, "1");
    press(&mut harness, Modifiers::NONE, Key::ArrowLeft);
    press(&mut harness, Modifiers::NONE, Key::ArrowLeft);
    let ends = |request: &&EditorRequest| **request == EditorRequest::EndTyping;
    assert_eq!(harness.state().requests.iter().filter(ends).count(), 1);
}

#[test]
fn tab_indents_lines_and_leaves_the_text_after_esc() {
    let mut harness = open("a:\n    b: 1\nc: 2\n", "a.yaml");
    focus(&mut harness);
    select(&mut harness, 0..8);
    press(&mut harness, Modifiers::NONE, Key::Tab);
    assert_eq!(harness.state().file, "    a:\n        b: 1\nc: 2\n");
    press(&mut harness, Modifiers::SHIFT, Key::Tab);
    assert_eq!(harness.state().file, "a:\n    b: 1\nc: 2\n");
    assert!(has_focus(&harness));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::NONE, Key::Tab);
    assert!(!has_focus(&harness));
    assert_eq!(harness.state().file, "a:\n    b: 1\nc: 2\n");
}

#[test]
fn tab_writes_the_step_of_the_file_at_the_caret() {
    let mut harness = open("{\n   \"a\": 1\n}", "a.json");
    focus(&mut harness);
    select(&mut harness, 2..2);
    press(&mut harness, Modifiers::NONE, Key::Tab);
    type_text(&mut harness, "x");
    assert_eq!(harness.state().file, "{\n   x   \"a\": 1\n}");
}

#[test]
fn find_wraps_around_and_counts() {
    let mut harness = open("one two one two one", "a.yaml");
    focus(&mut harness);
    select(&mut harness, 4..7);
    harness.state_mut().find = Some(FindRequest::Find);
    harness.run();
    harness.run();
    harness.get_by_value("1 of 2");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    harness.get_by_value("2 of 2");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    harness.get_by_value("1 of 2");
    press(&mut harness, Modifiers::SHIFT, Key::Enter);
    harness.get_by_value("2 of 2");
    harness.state_mut().find = Some(FindRequest::Go(StepDirection::Next));
    harness.run();
    harness.get_by_value("1 of 2");
    // A longer query, typed over the selected shorter one.
    type_text(&mut harness, "one");
    harness.get_by_value("2 of 3");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.query_by_label("Find").is_none());
    assert!(has_focus(&harness));
    type_text(&mut harness, "1");
    assert_eq!(harness.state().file, "one two 1 two one");
}

#[test]
fn replacing_all_is_one_edit_that_keeps_the_text_between() {
    let mut harness = open("a: x\r\nb: X\nc: xx\r\n", "a.yaml");
    harness.state_mut().find = Some(FindRequest::Replace);
    harness.run();
    type_text(&mut harness, "x");
    harness.get_by_label("Replace with").focus();
    harness.run();
    type_text(&mut harness, "yy");
    harness.get_by_label("All").click();
    harness.run();
    assert_eq!(harness.state().file, "a: yy\r\nb: yy\nc: yyyy\r\n");
    let edits = |request: &&EditorRequest| matches!(request, EditorRequest::Step(..));
    assert_eq!(harness.state().requests.iter().filter(edits).count(), 1);
}

#[test]
fn replacing_one_goes_on_to_the_next() {
    let mut harness = open("x x x", "a.yaml");
    harness.state_mut().find = Some(FindRequest::Replace);
    harness.run();
    type_text(&mut harness, "x");
    harness.get_by_value("1 of 3");
    harness.get_by_label("Replace with").focus();
    harness.run();
    type_text(&mut harness, "long");
    for expected_text in ["long x x", "long long x", "long long long"] {
        press(&mut harness, Modifiers::NONE, Key::Enter);
        assert_eq!(harness.state().file, expected_text);
    }
}

#[test]
fn toggles_narrow_the_matches() {
    let mut harness = open("tool Tool tools", "a.yaml");
    harness.state_mut().find = Some(FindRequest::Find);
    harness.run();
    type_text(&mut harness, "tool");
    harness.get_by_value("1 of 3");
    harness.get_by_label("Whole words").click();
    harness.run();
    harness.get_by_value("1 of 2");
    harness.get_by_label("Match case").click();
    harness.run();
    harness.get_by_value("1 of 1");
}

#[test]
fn another_file_is_searched_again() {
    let mut harness = open("x x x", "a.yaml");
    harness.state_mut().find = Some(FindRequest::Replace);
    harness.run();
    type_text(&mut harness, "x");
    harness.state_mut().show("one: x");
    harness.run();
    harness.get_by_label("All").click();
    harness.run();
    assert_eq!(harness.state().file, "one: ");
}

#[test]
fn a_read_only_text_shows_the_reason() {
    let harness = open(&format!("[\"{}\"]", "x".repeat(30_000)), "a.json");
    harness.get_by_label_contains("Read-only");
    assert!(harness.query_by_label("Text of a.json").is_none());
}
