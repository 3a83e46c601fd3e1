//! Lists with the keyboard: beyond what is visible, row by row.

use std::ops::Range;

use super::*;

pub(super) const COUNT: usize = 40;

/// A recording with a number in place of each `#`.
pub(super) const RECORDING: &str = r#"{
    "request": {
        "type": "llm_invocation_request", "requestId": "req-#", "timestamp": "2026-02-19T09:37:44.702Z",
        "context": {}, "messages": [{"role": "user", "content": "q #"}],
        "tools": [{"name": "tool_#", "description": "", "input_schema": {"type": "object", "properties": {}}}]
    },
    "response": {
        "type": "llm_invocation_response", "requestId": "req-#", "timestamp": "2026-02-19T09:37:44.702Z",
        "response": {"content": [{"type": "text", "text": "a #"}], "stop_reason": "end_turn"}
    },
    "sourceMetadata": {
        "sourceFile": "machines/#.dygram",
        "contentHash": "167c26eb73bbe4176385529f713a017230e947db5e127ba972f67b6db17eee76"
    }
}"#;

/// Opens a folder of files of the same kind at their desk.
pub(super) fn open_many(name: &str, text: &str, desk: Key) -> (Project, Window) {
    let project = Project::new(&[]);
    for number in 0..COUNT {
        let text = text.replace('#', &format!("{number:02}"));
        project.write(&format!("many/{number:02}-{name}"), text);
    }
    let mut window = Window::open(start_with(&project, "many"), Vec::new());
    // A project of cassettes counts cassettes.
    let loaded = ["items", "cassettes"].map(|noun| format!("{COUNT} {noun}"));
    window.wait_until("all files", |window| loaded.iter().any(|label| window.shows(label)));
    window.press_with(Modifiers::COMMAND, desk);
    window.harness.set_size(egui::vec2(1280.0, 560.0));
    window.settle();
    (project, window)
}

pub(super) fn open_tapes() -> (Project, Window) {
    let text = r#"{"meta": {"model": "m", "recordedAt": "2026-03-09T11:02:17Z"}, "request": {"model": "m", "contents": ""}, "stream": []}"#;
    open_many("tape.json", text, Key::Num3)
}

pub(super) fn open_recordings(desk: Key) -> (Project, Window) {
    open_many("recording.json", RECORDING, desk)
}

pub(super) fn open_conversation() -> (Project, Window) {
    let (project, mut window) = open_recordings(Key::Num2);
    window.press(Key::Enter);
    window.wait_until("the calls", |window| window.says("Call 1, "));
    // It ends at the playhead.
    window.press(Key::End);
    (project, window)
}

pub(super) fn open_playable() -> (Project, Window) {
    const CASSETTE: &str = "interactions:
- request: {method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {}, body: '{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"q #\"}]}'}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '{\"choices\": [{\"message\": {\"content\": \"a\"}}]}'}}
version: 1
";
    open_many("cassette.yaml", CASSETTE, Key::Num2)
}

/// Where the rows of a list begin: at the left of the desk, or beside what is there.
const LEFT: Range<f32> = 0.0..100.0;

fn list_rows(window: &Window, left: Range<f32>) -> Vec<Node<'_>> {
    let rows = window.nodes();
    rows.filter(|node| role_of(node) == Role::ListBoxOption && left.contains(&node.rect().left()))
        .collect()
}

/// The names of all rows; after this, some are out of sight.
fn all_rows(window: &mut Window, left: Range<f32>) -> Vec<String> {
    window.harness.set_size(egui::vec2(1280.0, 4000.0));
    window.settle();
    let rows = list_rows(window, left);
    let names = rows.iter().filter_map(text_of).collect();
    window.harness.set_size(egui::vec2(1280.0, 560.0));
    window.settle();
    names
}

fn is_in_sight(node: &Node<'_>) -> bool {
    node.rect().top() >= 40.0 && node.rect().bottom() <= 540.0
}

#[track_caller]
fn assert_follows_the_selection((_project, mut window): (Project, Window)) {
    let all = all_rows(&mut window, LEFT);
    assert_eq!(all.len(), COUNT, "{all:#?}");
    let is_selected_in_sight = |window: &Window, row: &str| {
        let rows = list_rows(window, LEFT);
        let selected = rows.iter().find(|row| is_on(row)).unwrap();
        assert_eq!(text_of(selected).as_deref(), Some(row));
        assert!(is_in_sight(selected), "{row}");
    };
    window.press(Key::Home);
    for row in &all {
        is_selected_in_sight(&window, row);
        window.press(Key::J);
    }
    for row in all.iter().rev() {
        is_selected_in_sight(&window, row);
        window.press(Key::K);
    }
}

#[test]
fn tapes_scroll_to_the_selection() {
    assert_follows_the_selection(open_tapes());
}

#[test]
fn what_can_be_played_scrolls_to_the_selection() {
    assert_follows_the_selection(open_playable());
}

#[test]
fn the_library_scrolls_to_the_selection() {
    assert_follows_the_selection(open_recordings(Key::Num1));
}

/// The row with the keyboard focus, which is in sight.
#[track_caller]
fn focused_row(window: &Window, left: Range<f32>) -> Option<String> {
    let rows = list_rows(window, left);
    let focused = rows.iter().find(|row| row.is_focused())?;
    let (name, rect) = (text_of(focused), focused.rect());
    assert!(is_in_sight(focused), "{name:?} at {rect}");
    name
}

#[test]
fn left_and_right_fold_and_unfold() {
    const SET: &str = "recordings/ticket-routing, 2 recordings, Source renamed";
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::G);
    window.wait_for(SET);
    let folded = window.rows();
    window.find(Role::ListBoxOption, SET).focus();
    window.settle();
    window.press(Key::ArrowRight);
    window.wait_until("its recordings", |window| window.rows().len() == folded.len() + 2);
    window.press(Key::ArrowLeft);
    window.wait_until("the set again", |window| window.rows().len() == folded.len());
}

#[test]
fn on_a_focused_row_the_arrow_keys_move_the_focus_and_enter_selects() {
    let (_project, mut window) = open_tapes();
    let first = text_of(&list_rows(&window, LEFT)[0]).unwrap();
    window.find(Role::ListBoxOption, &first).focus();
    window.settle();
    let mut after = |key| {
        window.press(key);
        let focused = focused_row(&window, LEFT).unwrap();
        focused[..2].to_owned()
    };
    assert_eq!(after(Key::ArrowDown), "01");
    assert_eq!(after(Key::ArrowDown), "02");
    assert_eq!(after(Key::ArrowUp), "01");
    assert_eq!(after(Key::PageDown), "06");
    assert_eq!(after(Key::PageUp), "01");
    assert_eq!(after(Key::End), "39");
    assert_eq!(after(Key::Enter), "39");
    assert!(window.selected().unwrap().starts_with("39-"));
    // Commands go on from there, and the focus with them.
    window.press(Key::K);
    assert!(window.selected().unwrap().starts_with("38-"));
    assert!(focused_row(&window, LEFT).unwrap().starts_with("38-"));
}

#[test]
fn tab_reaches_the_answers_to_choose_from() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Caught");
    window.click(Role::Button, "Helpdesk contract: 3 pass");
    let before = window.rows().len();
    window.click(Role::Link, "Choose an answer…");
    window.wait_until("answers", |window| window.rows().len() > before);
    let answer = window.rows().pop().unwrap();
    window.tab_to(Role::ListBoxOption, &answer);
    window.press(Key::Enter);
    window.wait_until("it is chosen", |window| !window.shows("Find an answer"));
}

#[test]
fn enter_in_the_search_chooses_the_answer_that_the_arrows_selected() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Caught");
    window.click(Role::Button, "Helpdesk contract: 3 pass");
    let before = window.rows().len();
    window.click(Role::Link, "Choose an answer…");
    window.wait_until("answers", |window| window.rows().len() > before);
    let chosen = |window: &Window| {
        let rows = window.rows();
        rows.iter().skip(before).position(|row| row.starts_with('>'))
    };
    assert_eq!(chosen(&window), Some(0));
    window.press(Key::ArrowDown);
    assert_eq!(chosen(&window), Some(1));
    window.press(Key::Enter);
    window.wait_until("it is chosen", |window| !window.shows("Find an answer"));
}
