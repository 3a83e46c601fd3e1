//! Lists with the keyboard: beyond what is visible, row by row.

use super::*;

const COUNT: usize = 40;

/// Opens a folder of files of the same kind at their desk.
fn open_many(name: &str, text: &str, desk: Key) -> (Project, Window) {
    let project = Project::new(&[]);
    for number in 0..COUNT {
        let text = text.replace('#', &format!("{number:02}"));
        project.write(&format!("many/{number:02}-{name}"), text);
    }
    let mut window = Window::open(start_with(&project, "many"), Vec::new());
    let items = format!("{COUNT} items");
    window.wait_until("all files", |window| window.shows(&items));
    window.press_with(Modifiers::COMMAND, desk);
    window.harness.set_size(egui::vec2(1280.0, 560.0));
    window.settle();
    (project, window)
}

fn open_sessions() -> (Project, Window) {
    let text = "id: \"#-session\"\nfailure_report: \"x\"\ninput: \"y\"\n";
    let (project, mut window) = open_many("session.yaml", text, Key::Num4);
    window.click(Role::Button, "Show or hide session list");
    (project, window)
}

fn open_tapes() -> (Project, Window) {
    let text = r#"{"meta": {"model": "m", "recordedAt": "2026-03-09T11:02:17Z"}, "request": {"model": "m", "contents": ""}, "stream": []}"#;
    open_many("tape.json", text, Key::Num3)
}

/// The rows of the list at the left, and whether each is in sight.
fn list_rows(window: &Window) -> Vec<Node<'_>> {
    let rows = window.nodes();
    rows.filter(|node| role_of(node) == Role::ListBoxOption && node.rect().left() < 100.0)
        .collect()
}

fn is_in_sight(node: &Node<'_>) -> bool {
    node.rect().top() >= 80.0 && node.rect().bottom() <= 540.0
}

#[track_caller]
fn assert_follows_the_selection(mut window: Window) {
    for _ in 0..COUNT {
        window.press(Key::J);
        let rows = list_rows(&window);
        let selected = rows.iter().find(|row| is_on(row)).unwrap();
        assert!(is_in_sight(selected), "{:?}", text_of(selected));
    }
    assert!(window.rows().iter().any(|row| row.starts_with(">39-")));
    for _ in 0..COUNT {
        window.press(Key::K);
    }
    assert!(window.rows()[0].starts_with(">00-"));
}

#[test]
fn sessions_scroll_to_the_selection() {
    assert_follows_the_selection(open_sessions().1);
}

#[test]
fn tapes_scroll_to_the_selection() {
    assert_follows_the_selection(open_tapes().1);
}

/// The row with the keyboard focus, which is in sight.
#[track_caller]
fn focused_row(window: &Window) -> Option<String> {
    let rows = list_rows(window);
    let focused = rows.iter().find(|row| row.is_focused())?;
    assert!(is_in_sight(focused), "{:?}", text_of(focused));
    text_of(focused)
}

#[track_caller]
fn assert_reached_by_tab(mut window: Window) {
    let first = text_of(&list_rows(&window)[0]).unwrap();
    window.find(Role::ListBoxOption, &first).focus();
    window.settle();
    let mut reached = Vec::new();
    while let Some(row) = focused_row(&window) {
        reached.push(row);
        window.press(Key::Tab);
    }
    assert_eq!(reached.len(), COUNT, "{reached:#?}");
    window.press_with(Modifiers::SHIFT, Key::Tab);
    while let Some(row) = focused_row(&window) {
        assert_eq!(reached.pop(), Some(row));
        window.press_with(Modifiers::SHIFT, Key::Tab);
    }
    assert!(reached.is_empty(), "{reached:#?}");
}

#[test]
fn tab_reaches_every_session() {
    assert_reached_by_tab(open_sessions().1);
}

#[test]
fn tab_reaches_every_tape() {
    assert_reached_by_tab(open_tapes().1);
}

#[test]
fn on_a_focused_row_the_arrow_keys_move_the_focus_and_enter_selects() {
    let (_project, mut window) = open_sessions();
    let first = text_of(&list_rows(&window)[0]).unwrap();
    window.find(Role::ListBoxOption, &first).focus();
    window.settle();
    let mut after = |key| {
        window.press(key);
        let focused = focused_row(&window).unwrap();
        focused[..2].to_owned()
    };
    assert_eq!(after(Key::ArrowDown), "01");
    assert_eq!(after(Key::ArrowDown), "02");
    assert_eq!(after(Key::ArrowUp), "01");
    assert_eq!(after(Key::PageDown), "10");
    assert_eq!(after(Key::PageUp), "01");
    assert_eq!(after(Key::End), "39");
    assert_eq!(after(Key::Enter), "39");
    assert!(window.selected().unwrap().starts_with("39-"));
    // Commands go on from there, and the focus with them.
    window.press(Key::K);
    assert!(window.selected().unwrap().starts_with("38-"));
    assert!(focused_row(&window).unwrap().starts_with("38-"));
}

#[test]
fn tab_reaches_the_answers_to_choose_from() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Choose an answer");
    let before = window.rows().len();
    window.click(Role::Link, "Choose an answer");
    window.wait_until("answers", |window| window.rows().len() > before);
    let answer = window.rows().pop().unwrap();
    window.tab_to(Role::ListBoxOption, &answer);
    window.press(Key::Enter);
    window.wait_until("it is chosen", |window| !window.shows("Find an answer"));
}
