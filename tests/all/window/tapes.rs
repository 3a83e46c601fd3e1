//! The tapes desk, as a person uses it: seen, stepped through, played in its own time.

use super::*;

const SLOW: &str = "sample-recordings/tapes/slow-start.json";

/// Opens the samples at the tapes desk, with the first of three tapes.
fn open_tapes(project: &Project) -> Window {
    let mut window = open_samples(project);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("Text at the playhead");
    window.wait_until("a tape", |window| window.shows("0.000 / 10.616 s"));
    window
}

/// Opens one tape.
fn open_tape(stream: &str) -> (Project, Window) {
    let tape = format!(
        "{{\"meta\": {{\"model\": \"m\", \"recordedAt\": \"2026-03-09T11:02:17Z\"}}, \"request\": \
         {{\"model\": \"m\", \"contents\": \"\"}}, \"stream\": {stream}}}"
    );
    let project = Project::new(&[("a.json", &tape)]);
    let mut window = Window::open(start_with(&project, "a.json"), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("Text at the playhead");
    (project, window)
}

#[test]
fn a_tape_is_described_in_numbers_and_chunk_by_chunk() {
    let project = samples();
    let mut window = open_tapes(&project);
    assert!(window.shows("First chunk after: 3.130 s"));
    assert!(window.shows("Longest gap: 1.6 s at chunk 32"));
    insta::assert_snapshot!(window.rows()[..7].join("\n"), @r"
    >slow-start, 10.62 s, 104 chunks
    stall-mid-answer, 7.67 s, 6 chunks
    ticket-summary, 0.57 s, 6 chunks
    Chunk 1, waits 3,130.4 ms, at 3.130 s, 10 characters: The export
    Chunk 2, waits 40 ms, at 3.170 s, 8 characters: ·stopped
    Chunk 3, waits 28.3 ms, at 3.199 s, 6 characters: ·at 99
    Chunk 4, waits 19.2 ms, at 3.218 s, 10 characters: ·% because
    ");
    window.press(Key::ArrowRight);
    window.click(Role::Button, "Longest gap: 1.6 s at chunk 32");
    assert!(window.shows("6.212 / 10.616 s"));
}

#[test]
fn keys_step_through_chunks_and_go_to_both_ends() {
    let project = samples();
    let mut window = open_tapes(&project);
    window.press(Key::ArrowRight);
    window.press(Key::ArrowRight);
    assert!(window.shows("3.170 / 10.616 s"));
    assert!(window.rows().iter().any(|row| row.starts_with(">Chunk 2, waits 40 ms")));
    window.press(Key::ArrowLeft);
    assert!(window.shows("3.130 / 10.616 s"));
    window.press(Key::End);
    assert!(window.shows("10.616 / 10.616 s"));
    window.press(Key::Home);
    assert!(window.shows("0.000 / 10.616 s"));
    window.press(Key::Enter);
    assert!(window.shows("Library"));
}

/// Whether the table shows the chunk at the playhead.
fn shows_chunk(window: &Window) -> bool {
    let rows = window.rows();
    rows.iter().any(|row| row.starts_with(">Chunk "))
}

#[test]
fn a_tape_is_played_by_the_clock_and_stops_at_its_end() {
    let project = samples();
    let mut window = open_tapes(&project);
    window.press(Key::Space);
    assert!(window.shows("Pause"));
    // Each frame of the harness takes a quarter of a second.
    for _ in 0..8 {
        window.harness.step();
    }
    assert!(window.shows("Pause") && !window.shows("0.000 / 10.616 s"));
    for _ in 0..40 {
        window.harness.step();
        let is_waiting = window.texts().iter().any(|text| text.contains("chunk in"));
        assert!(!window.shows("Pause") || is_waiting || shows_chunk(&window));
    }
    window.settle();
    assert!(window.shows("Play") && window.shows("10.616 / 10.616 s"));
    assert!(shows_chunk(&window));

    window.press(Key::V);
    window.click(Role::MenuItemRadio, "Instant");
    window.press(Key::Escape);
    window.press(Key::Home);
    window.press(Key::Space);
    assert!(window.shows("Play") && window.shows("10.616 / 10.616 s"));
}

#[test]
fn in_a_small_window_the_chunks_keep_room_for_their_texts() {
    let project = samples();
    let mut window = open_tapes(&project);
    let has = |window: &Window| ["At, s", "Size"].map(|name| window.shows(name));
    assert_eq!(has(&window), [true, true]);
    window.harness.set_size(egui::vec2(960.0, 600.0));
    window.settle();
    assert_eq!(has(&window), [true, false]);
}

#[test]
fn a_wait_of_more_than_a_minute_is_offered_to_be_skipped() {
    let (_project, mut window) = open_tape(
        r#"[{"delayNs": 90e9, "text": "late"}, {"delayNs": -5, "text": "x"}, {"delayNs": 1e9, "text": 7}]"#,
    );
    window.wait_for("0.000 / 91.000 s");
    window.click(Role::Button, "Skip 1 min 30 s");
    assert!(window.shows("90.000 / 91.000 s"));
    assert!(window.shows("Show the first of 2 problems"));
    assert!(window.rows().iter().any(|row| row.starts_with(">Chunk 2, waits 0 ms")));
}

#[test]
fn a_tape_that_changes_on_disk_shows_as_it_is_now() {
    let project = samples();
    let mut window = open_tapes(&project);
    window.press(Key::End);
    let text = project.read(SLOW);
    project.write(SLOW, text.replace("61000000", "1061000000"));
    window.wait_for("11.616 / 11.616 s");
}

/// Replaces the text in a field and applies it.
fn put(window: &mut Window, name: &str, text: &str) {
    window.fill(Role::TextInput, name, text);
    window.press(Key::Enter);
}

#[test]
fn chunks_are_cut_step_by_step_and_every_step_is_undone() {
    const STREAM: &str = r#"[{"delayNs": 8e6, "text": "ab"}, {"delayNs": 2e6,  "text": "c"}]"#;
    let (project, mut window) = open_tape(STREAM);
    let before = project.read("a.json");
    window.wait_for("0.000 / 0.010 s");
    window.press(Key::ArrowRight);
    put(&mut window, "Delay of chunk 1, in ms", "20");
    window.wait_for("0.020 / 0.022 s");
    put(&mut window, "Text of chunk 1", "abc");
    window.wait_for("Text: 4 characters");
    window.settle();
    assert!(!window.says("was not edited"));
    window.click(Role::Button, "Merge chunks 1 to 2");
    window
        .wait_until("one chunk", |window| !window.rows().iter().any(|r| r.starts_with("Chunk 2")));
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Saved a.json.");
    let after = project.read("a.json");
    assert!(after.ends_with(r#"[{"delayNs": 22000000, "text": "abcc"}]}"#), "{after}");
    for _ in 0..3 {
        window.press_with(Modifiers::COMMAND, Key::Z);
    }
    window.wait_for("Text: 3 characters");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("the text of before", |_| project.read("a.json") == before);
}

#[test]
fn a_shape_shows_its_total_before_it_is_made_and_esc_gives_it_up() {
    let project = samples();
    let mut window = open_tapes(&project);
    window.click(Role::Button, "Shape timing");
    window.click(Role::MenuItem, "Scale…");
    window.wait_for("10.616 s → 21.231 s");
    assert!(window.shows("after the edit 21.231 s"));
    window.press(Key::Escape);
    assert!(!window.shows("10.616 s → 21.231 s"));
    window.click(Role::Button, "Shape timing");
    window.click(Role::MenuItem, "Scale…");
    put(&mut window, "times as long", "0.5");
    window.wait_for("0.000 / 5.308 s");
    assert!(window.shows("Unsaved"));
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("0.000 / 10.616 s");
}

#[test]
fn the_inspector_of_a_tape_opens_it_in_tapes() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, "ticket-summary, tape, OK");
    window.click(Role::Link, "Open in Tapes");
    window.wait_until("the tape", |window| window.shows("0.000 / 0.574 s"));
}

#[test]
fn a_silence_counts_down_while_the_playhead_is_in_it() {
    let (_project, mut window) = open_tape(
        r#"[{"delayNs": 3e9, "text": "It goes"}, {"delayNs": 1e9, "text": " out"}, {"delayNs": 1e8, "text": "."}]"#,
    );
    window.wait_for("0.000 / 4.100 s");
    window.press(Key::Space);
    let mut seen = Vec::new();
    for _ in 0..16 {
        window.harness.step();
        let labels = window.texts().into_iter();
        let label = labels.filter(|text| text.ends_with(" left") || text.contains("chunk in"));
        seen.extend(label);
    }
    seen.dedup();
    let last = &seen[seen.len().saturating_sub(6)..];
    insta::assert_snapshot!(last.join("\n"), @"
    first chunk in 0.8 s
    first chunk in 0.5 s
    first chunk in 0.3 s
    silence, 0.8 s left
    silence, 0.5 s left
    silence, 0.3 s left
    ");
}

#[test]
fn a_marked_tape_is_compared_with_another_like_any_two_calls() {
    let tape = |first: &str, text: &str| {
        format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "2026-03-09T11:02:17Z"}}, "request": {{"model": "m", "contents": "Hi"}},
            "stream": [{{"delayNs": {first}, "text": "It goes"}}, {{"delayNs": 5e7, "text": "{text}"}}]}}"#
        )
    };
    let project = Project::new(&[
        ("tapes/a.json", &tape("1e9", " on Tuesday")),
        ("tapes/b.json", &tape("1.4e9", " on Monday")),
    ]);
    let mut window = Window::open(start_with(&project, "tapes"), Vec::new());
    window.wait_for_rows(2);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 1.050 s");
    window.press(Key::M);
    window.press(Key::J);
    window.wait_for("0.000 / 1.450 s");
    window.press(Key::C);
    window.wait_until("the figures", |window| {
        window.says("First chunk after 1.4 s instead of 1.0 s")
    });
    assert!(window.says("Timing"));
    window.press(Key::Escape);
    window.wait_for("0.000 / 1.450 s");
}
