//! Lists within documents and dialogs with the keyboard: beyond what is visible, row by row.

use super::*;

const COUNT: usize = 40;

/// Puts the focus on the first row of a list and moves it down until the last one; returns the rows. Each is in sight.
#[track_caller]
fn step_through(window: &mut Window, is_listed: impl Fn(&str) -> bool) -> Vec<String> {
    let rows = window
        .nodes()
        .filter(|node| role_of(node) == Role::ListBoxOption);
    let first = rows
        .filter_map(|row| text_of(&row))
        .find(|it| is_listed(it));
    window.find(Role::ListBoxOption, &first.unwrap()).focus();
    window.press(Key::Home);
    let mut reached = Vec::new();
    loop {
        let focused = focused_row(window).unwrap();
        if reached.last() == Some(&focused) {
            return reached;
        }
        assert!(is_listed(&focused), "{focused:?}");
        reached.push(focused);
        window.press(Key::ArrowDown);
    }
}

/// Returns the row with the keyboard focus, which is in sight.
#[track_caller]
fn focused_row(window: &Window) -> Option<String> {
    let mut rows = window
        .nodes()
        .filter(|node| role_of(node) == Role::ListBoxOption);
    let row = rows.find(|node| node.is_focused())?;
    let height = window.harness.ctx.content_rect().height();
    assert!(row.rect().top() >= 80.0 && row.rect().bottom() <= height);
    text_of(&row)
}

/// Tapes of many chunks, of which the first one is shown.
fn open_tapes(count: usize) -> (Project, Window) {
    let project = Project::new(&[]);
    for number in 0..count {
        let chunk = |at| {
            format!(
                r#"{{"delayNs": {}000000, "text": "{number} {at}"}}"#,
                at + number
            )
        };
        let stream: Vec<String> = (1..=COUNT).map(chunk).collect();
        let meta = r#"{"model": "m", "recordedAt": "2026-03-09T11:02:17Z"}"#;
        let request = r#"{"model": "m", "contents": ""}"#;
        let text = stream.join(", ");
        let text = format!(r#"{{"meta": {meta}, "request": {request}, "stream": [{text}]}}"#);
        project.write(&format!("tapes/{number:02}.json"), text);
    }
    let mut window = Window::open(start_with(&project, "tapes"), Vec::new());
    let items = format!("{count} items");
    window.wait_until("all tapes", |window| window.shows(&items));
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 0.820 s");
    (project, window)
}

#[test]
fn chunks_and_how_they_differ_are_stepped_through() {
    let (_project, mut window) = open_tapes(2);
    let chunks = step_through(&mut window, |row| row.starts_with("Chunk "));
    assert_eq!(chunks.len(), COUNT);
    window.press(Key::Enter);
    window.wait_for("0.820 / 0.820 s");
    window.click(Role::RadioButton, "As JSON");
    let chunks = step_through(&mut window, |row| row.contains(" as JSON: "));
    assert_eq!(chunks.len(), COUNT);
    window.press(Key::O);
    window.wait_until("the other tape", |window| window.says("same request"));
    window.press(Key::Enter);
    window.wait_until("the comparison", |window| window.says("Compared with"));
    let differences = step_through(&mut window, |row| row.contains(" against "));
    assert!(!differences.is_empty());
}

#[test]
fn the_tapes_to_compare_with_are_stepped_through_while_a_name_is_typed() {
    let (_project, mut window) = open_tapes(COUNT);
    window.press(Key::O);
    let chosen = |window: &Window| {
        let rows = window.rows();
        rows.into_iter().rfind(|row| row.starts_with('>'))
    };
    window.wait_until("the other tapes", |window| window.says("same request"));
    for _ in 0..COUNT {
        window.press(Key::ArrowDown);
    }
    assert!(chosen(&window).unwrap().starts_with(">The tape at HEAD"));
    // A row that Tab reaches is chosen.
    window.press(Key::Tab);
    window.press(Key::Tab);
    let row = focused_row(&window).unwrap();
    assert_eq!(chosen(&window).unwrap(), format!(">{row}"));
    window.press(Key::Enter);
    let name = row.split_once(',').unwrap().0;
    let name = format!("Compared with {name}");
    window.wait_until("the comparison", |window| window.says(&name));
}

#[test]
fn differences_of_a_request_are_stepped_through() {
    let event = |text: &str| format!(r#"{{"role": "user", "text": "{text}"}}"#);
    let request = |begin: &str| {
        let events: Vec<String> = (0..COUNT)
            .map(|at| event(&format!("{begin} {at}")))
            .collect();
        let events = events.join(", ");
        format!(r#"{{"model": "m", "systemPrompt": "", "history": [{events}]}}"#)
    };
    let meta = r#"{"model": "m", "recordedAt": "2026-03-09T11:02:17Z"}"#;
    let tape = format!(
        r#"{{"meta": {meta}, "request": {}, "stream": []}}"#,
        request("a")
    );
    let project = Project::new(&[("a.json", &tape), ("request.json", &request("b"))]);
    let chosen = vec![project.path("request.json")];
    let mut window = Window::open(start_with(&project, "a.json"), chosen);
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("Verify request…");
    window.click(Role::Button, "Verify request…");
    window.click(Role::Button, "Choose a file…");
    window.wait_until("the differences", |window| window.says("40 differences"));
    let differences = step_through(&mut window, |row| row.contains(", request "));
    assert_eq!(differences.len(), COUNT);
}

#[test]
fn changes_of_a_source_and_the_recordings_it_breaks_are_stepped_through() {
    let project = samples();
    let mut window = open_samples(&project);
    let stale = "req-1773409556874-1, recording, Stale, breaks";
    window.click(Role::ListBoxOption, stale);
    window.click(Role::Button, "Compare source versions");
    window.wait_for("Copy the text: then");
    let changes = step_through(&mut window, |row| row.contains(": Line"));
    assert_eq!(changes.len(), 7);
    window.press(Key::Escape);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.click(Role::RadioButton, "Sources");
    window.wait_for("Open in Library");
    let recordings = step_through(&mut window, |row| !row.contains(".dygram,"));
    assert!(recordings.len() > 1);
    window.press(Key::Enter);
    window.wait_for("28 items");
}

#[test]
fn drafts_are_stepped_through() {
    let run = |at: usize| {
        format!(
            r#"{{"id": "run-{at}", "name": "Agent", "run_type": "chain", "trace_id": "{at}", "inputs": {{"input": "Hi"}},
            "outputs": {{"output": "Hello"}}, "error": null, "start_time": "2026-06-12T10:00:00Z", "end_time": "2026-06-12T10:00:01Z"}}"#
        )
    };
    let runs: Vec<String> = (0..COUNT).map(run).collect();
    let project = samples();
    project.write("incident.json", format!("[{}]", runs.join(",\n")));
    let start = start_with(&project, "sample-recordings");
    let mut window = Window::open(start, vec![project.path("incident.json")]);
    window.wait_for_samples();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    window.wait_until("the drafts", |window| window.says("Draft run-1,"));
    let drafts = step_through(&mut window, |row| row.starts_with("Draft "));
    assert_eq!(drafts.len(), COUNT);
    window.press(Key::Enter);
    let selected = window
        .rows()
        .into_iter()
        .find(|row| row.starts_with(">Draft"));
    assert_eq!(selected.unwrap(), format!(">{}", drafts[COUNT - 1]));
}
