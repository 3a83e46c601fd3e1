//! Comparing a tape with another one: choosing it, stepping through, and stopping.

use super::*;

/// A tape that answers one request with these chunks.
fn tape(label: &str, stream: &str) -> String {
    format!(
        "{{\"meta\": {{\"label\": \"{label}\", \"model\": \"m\", \"recordedAt\": \"2026-03-09T11:02:17Z\"}}, \
         \"request\": {{\"model\": \"m\", \"systemPrompt\": \"\", \"history\": []}}, \"stream\": {stream}}}"
    )
}

const OURS: &str = r#"[{"delayNs": 1e9, "text": "It goes"}, {"delayNs": 5e7, "text": " on Tues"}, {"delayNs": 5e7, "text": "day"}, {"delayNs": 5e7, "text": " at noon"}, {"delayNs": 5e7, "text": "."}]"#;
const THEIRS: &str = r#"[{"delayNs": 1.2e9, "text": "It goes"}, {"delayNs": 5e7, "text": " on"}, {"delayNs": 5e7, "text": " Tuesday"}, {"delayNs": 5e7, "text": " at two"}, {"delayNs": 5.8e7, "text": "."}]"#;

fn open_tapes() -> (Project, Window) {
    let project = Project::new(&[
        ("tapes/ours.json", &tape("ours", OURS)),
        ("tapes/theirs.json", &tape("theirs", THEIRS)),
    ]);
    let window = open_tapes_of(&project);
    (project, window)
}

fn open_tapes_of(project: &Project) -> Window {
    let mut window = Window::open(start_with(project, "tapes"), Vec::new());
    window.wait_for_rows(2);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 1.200 s");
    window
}

#[test]
fn the_tape_at_head_is_offered_only_where_the_file_is_committed() {
    let (_project, mut window) = open_tapes();
    window.press(Key::O);
    window.wait_until("the other tape", |window| window.says("same request"));
    assert!(!window.says("The tape at HEAD"));
}

#[test]
fn a_take_is_chosen_and_every_difference_is_gone_to() {
    let (_project, mut window) = open_tapes();
    window.click(Role::Button, "Compare with another tape…");
    window.wait_until("the likeliest take", |window| {
        window.says("theirs, same request, theirs.json, 1.41 s, 5 chunks")
    });
    window.press(Key::Enter);
    window.wait_until("what differs", |window| window.says("Compared with theirs"));
    window.wait_for(
        "Compared with theirs0 the same, 1 re-chunked, 1 text changed, 2 slower by more than 5 ms",
    );
    let steps = |window: &Window| {
        let rows = window.rows();
        let steps = rows.iter().filter(|row| row.contains("against"));
        steps.cloned().collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(steps(&window), @"
    >At 1.000 s, chunk 1 against 1, 200 ms slower: It goes
    At 1.050 s, chunk 2–3 against 2–3, re-chunked: ·on Tuesday
    At 1.150 s, chunk 4 against 4, text changed: ·at noon → ·at two
    At 1.200 s, chunk 5 against 5, 8 ms slower: .
    ");
    window.press(Key::N);
    window.press(Key::J);
    insta::assert_snapshot!(steps(&window), @"
    At 1.000 s, chunk 1 against 1, 200 ms slower: It goes
    At 1.050 s, chunk 2–3 against 2–3, re-chunked: ·on Tuesday
    >At 1.150 s, chunk 4 against 4, text changed: ·at noon → ·at two
    At 1.200 s, chunk 5 against 5, 8 ms slower: .
    ");
    assert!(window.shows("1.150 / 1.408 s"));
    window.press(Key::P);
    assert!(window.shows("1.050 / 1.408 s"));
    let changed = "At 1.150 s, chunk 4 against 4, text changed: ·at noon → ·at two";
    window.click(Role::ListBoxOption, changed);
    assert!(window.shows("1.150 / 1.408 s"));

    window.find(Role::TextInput, "Ignore time differences below this many ms").focus();
    window.settle();
    window.press_with(Modifiers::COMMAND, Key::A);
    window.type_text("10");
    window.press(Key::Enter);
    window.wait_until("another tolerance", |window| window.says("slower by more than 10 ms"));

    window.press(Key::Escape);
    window.wait_for("Text at the playhead");
}

/// Texts that say how far a tape is.
fn progress(window: &Window) -> String {
    let texts = window.texts().into_iter();
    let is_progress = |text: &String| text.contains(" chunks") || text.contains("ended at");
    let is_other = |text: &String| text.starts_with("theirs") && !text.starts_with("theirs,");
    let names = |text: &String| text.starts_with("This tape") || is_other(text);
    let texts: Vec<String> = texts.filter(|text| is_progress(text) && names(text)).collect();
    texts.join("\n")
}

#[test]
fn both_takes_play_in_the_same_time_and_each_has_its_own_end() {
    let (_project, mut window) = open_tapes();
    window.press(Key::O);
    window.wait_until("the likeliest take", |window| window.says("same request"));
    window.press(Key::Enter);
    window.wait_until("what differs", |window| window.says("Compared with theirs"));
    window.wait_for("0.000 / 1.408 s");
    window.press(Key::ArrowRight);
    insta::assert_snapshot!(progress(&window), @"
    This tape1 of 5 chunks, 7 characters ahead
    theirs0 of 5 chunks
    ");
    window.press(Key::End);
    insta::assert_snapshot!(progress(&window), @"
    This tapeended at 1.200 s, 20 characters ahead
    theirs1 of 5 chunks
    ");
    // From the end of this tape the other one goes on alone.
    window.press(Key::Space);
    for _ in 0..8 {
        window.harness.step();
    }
    window.settle();
    assert!(window.shows("1.408 / 1.408 s") && window.shows("Play"));
    insta::assert_snapshot!(progress(&window), @"
    This tapeended at 1.200 s, 1 character ahead
    theirsended at 1.408 s
    ");
    window.press(Key::P);
    assert_eq!(progress(&window), "");
    window.press(Key::End);
    window.press(Key::Escape);
    window.wait_for("1.200 / 1.200 s");
}

#[test]
fn a_take_is_found_by_a_few_letters() {
    let project = Project::new(&[
        ("tapes/ours.json", &tape("ours", OURS)),
        ("tapes/theirs.json", &tape("theirs", THEIRS)),
    ]);
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "tapes/ours.json"]);
    project.git(&["commit", "-q", "-m", "then"]);
    let mut window = open_tapes_of(&project);
    window.press(Key::O);
    window.type_text("head");
    window.wait_until("the committed tape", |window| {
        window.says("The tape at HEAD") && !window.says("same request")
    });
    window.press_with(Modifiers::COMMAND, Key::A);
    window.type_text("zzz");
    assert!(window.shows("No tape has this name."));
    window.press(Key::Escape);
    assert!(window.shows("Text at the playhead"));
}

#[test]
fn the_tape_at_head_is_compared_with_its_current_state() {
    const SLOW: &str = "sample-recordings/tapes/slow-start.json";
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 10.616 s");
    let text = project.read(SLOW);
    project.write(SLOW, text.replace("61000000", "1061000000"));
    window.wait_for("0.000 / 11.616 s");
    window.press(Key::O);
    window.type_text("head");
    window.press(Key::Enter);
    window.wait_until("what differs", |window| {
        window.says("103 the same, 1 faster by more than 5 ms")
    });
}

#[test]
fn what_is_no_tape_says_so() {
    let (project, _) = open_tapes();
    project.write("other.json", "{}");
    let mut window = Window::open(start_with(&project, "tapes"), vec![project.path("other.json")]);
    window.wait_for_rows(2);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 1.200 s");
    window.press(Key::O);
    window.click(Role::Button, "Choose a file…");
    window.wait_until("why not", |window| window.says("The other file is not a tape."));
}
