//! The playback desk: what a client serves for each request, and why.

use ::calls::file_part::FilePart;

use super::*;
use crate::project::archive;

const LOG: &str = include_str!("../../../sample-recordings/logs/playback-2026-06-02.log");

/// Opens the samples at the playback desk, with the verdicts on all sets.
fn open_desk(project: &Project) -> Window {
    let mut window = open_samples(project);
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.wait_for("Choose what to play");
    window.wait_until("the verdicts", |window| row(window, "merge-tickets").ends_with("calls"));
    window
}

/// The row of what can be played at a path.
fn row(window: &Window, path: &str) -> String {
    window.rows().into_iter().find(|row| row.starts_with(path)).unwrap_or_default()
}

/// Plays what is listed at a path.
fn choose(window: &mut Window, path: &str) {
    let row = row(window, path);
    window.click(Role::ListBoxOption, &row);
}

/// Chooses an entry of the desk's one menu, and closes it.
fn choose_in_menu(window: &mut Window, role: Role, name: &str) {
    window.press(Key::V);
    window.click(role, name);
    if role == Role::MenuItemRadio {
        window.press(Key::Escape);
    }
}

/// Checks the set of the triage against itself.
fn check_triage(project: &Project) -> Window {
    let mut window = open_desk(project);
    choose(&mut window, "triage-ticket");
    window.wait_until("the machine's calls", |window| calls(window).len() == 4);
    choose_in_menu(&mut window, Role::MenuItemRadio, "The set itself");
    window.wait_until("the calls", |window| calls(window).len() == 7);
    window
}

/// The blocks of calls, each with `>` where it is selected.
fn calls(window: &Window) -> Vec<String> {
    named(window, "Call ").lines().map(str::to_owned).collect()
}

#[track_caller]
fn assert_selected(window: &Window, call: &str) {
    let calls = calls(window);
    let selected = calls.iter().find_map(|call| call.strip_prefix('>')).unwrap_or_default();
    assert!(selected.starts_with(&format!("{call},")), "{selected}");
}

#[test]
fn a_set_is_checked_against_itself() {
    let project = samples();
    let window = check_triage(&project);
    insta::assert_snapshot!(calls(&window).join("\n"), @"
    Call 1, intake, 0.0 s, right answer
    >Call 2, classify, 1.6 s, first of 2 matches
    Call 3, classify, 3.1 s, right answer
    Call 4, respond, 4.7 s, right answer
    Call 5, respond, 6.1 s, right answer
    Call 6, classify, 8.2 s, right answer
    Call 7, escalate, 9.7 s, right answer
    ");
    assert!(window.says("1 as the first of several matches"));
    assert!(window.says("2 unused recordings have this signature but different answers"));
    // Nothing differs in the signatures, and nothing is fixed by a change of recordings.
    assert!(!window.shows("Recorded, offered now"));
}

#[test]
fn cassettes_are_played_by_the_rules_of_their_clients_and_archives_are_not() {
    let project = Project::new(&[]);
    copy(&checkout().join("sample-recordings/cassettes"), &project.path("in"));
    project.write("in/a.har", archive(&[("go", "go", 200)]));
    let mut window = Window::open(start_with(&project, "in"), Vec::new());
    window.wait_until("the files", |window| !window.rows().is_empty());
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.wait_until("the cassettes", |window| window.rows().len() == 9);
    // Worst first, and nothing that has no player.
    insta::assert_snapshot!(window.rows()[..3].join("\n"), @"
    test_refund/test_refund_needs_approval.yaml, 4 calls, 4 depend on order, 4 depend on order
    test_refund/test_refund_rate_limit.yaml, 2 calls, 2 depend on order, 2 depend on order
    mailer/TestDraftReply.yaml, 1 call
    ");
    choose(&mut window, "test_refund/test_refund_needs");
    window.wait_until("the calls", |window| calls(window).len() == 4);
    insta::assert_snapshot!(calls(&window).join("\n"), @"
    >Call 1, /messages, first of 4 matches
    Call 2, /messages, first of 4 matches
    Call 3, /messages, first of 4 matches
    Call 4, /messages, first of 4 matches
    ");
    assert!(window.says("4 calls depend on the order of the file."));
    assert!(window.says("Comparing body would distinguish them."));
    for text in ["Compared", "query", "Not compared", "body", "Call 1 of 4"] {
        window.find(Role::Label, text);
    }
    window.press(Key::V);
    window.find(Role::MenuItem, "Copy link");
    for text in ["Hybrid", "Signature", "Shipped", "node", "context keys"] {
        assert!(!window.says(text), "{text}: {:?}", window.texts());
    }
    // What another choice would do is tried at once.
    window.click(Role::MenuItemCheckBox, "body");
    window.wait_until("its effect", |window| window.says("All 4 calls get their own answers."));
    window.press(Key::Escape);
    window.press(Key::Escape);
    window.wait_for("Choose what to play");
    window.press(Key::Slash);
    window.type_text("vertex");
    window.wait_until("the filtered list", |window| window.rows().len() == 1);
    window.press(Key::Enter);
    window.wait_until("the calls", |window| calls(window).len() == 2);
    assert!(window.says("Both calls get their own answers."));
    let log = "E vcr.errors.CannotOverwriteExistingCassetteException: Can't overwrite existing cassette ('/a/test_one.yaml')";
    window.harness.event(egui::Event::Paste(log.to_owned()));
    window.settle();
    window.wait_until("the triage", |window| window.says("1 failure"));
}

#[test]
fn a_pasted_text_that_is_not_used_is_called_what_it_is() {
    let texts = [
        ("Please refund my order", "It is a text without a failure"),
        (r#"{"evalId": "e", "results": {"results": [{}]}}"#, "does not make a session of it yet"),
    ];
    let project = Project::new(&[("folder/a.yaml", "id: a\ninput: b\ntool_responses: []\n")]);
    for path in ["folder", "nothing"] {
        let mut window = match path {
            "folder" => Window::open(start_with(&project, path), Vec::new()),
            _ => open_start_page(),
        };
        window.settle();
        for (text, reason) in texts {
            window.harness.event(egui::Event::Paste(text.to_owned()));
            window.settle();
            assert!(window.says("The pasted text is not used."), "{text}");
            assert!(window.says(reason), "{text}: {:?}", window.texts());
        }
    }
}

#[test]
fn keys_step_through_calls_and_the_set_follows() {
    let project = samples();
    let mut window = check_triage(&project);
    window.press(Key::Home);
    assert_selected(&window, "Call 1");
    window.find(Role::Button, "Recording 2, req-1773324123377-2, not used");
    window.press(Key::J);
    assert_selected(&window, "Call 2");
    window.find(Role::Button, "Recording 2, req-1773324123377-2, used, call 2");
    window.press(Key::End);
    assert_selected(&window, "Call 7");
    window.press(Key::N);
    assert_selected(&window, "Call 2");
    window.press(Key::Enter);
    window.wait_until("the library", |window| {
        window.selected().is_some_and(|row| row.starts_with("req-"))
    });
    assert_eq!(window.selected().unwrap().split(',').next(), Some("req-1773324123377-2"));
}

#[test]
fn another_mode_is_played_at_once() {
    let project = samples();
    let mut window = check_triage(&project);
    choose_in_menu(&mut window, Role::MenuItemRadio, "triage-ticket.dygram");
    window.wait_until("4 calls", |window| calls(window).len() == 4);
    assert!(window.says("1 of 4 calls gets a wrong answer"));
    choose_in_menu(&mut window, Role::MenuItemRadio, "Signature");
    window.wait_until("no answer", |window| window.says("1 of 4 calls finds no recording"));
    assert_eq!(calls(&window).len(), 4);
}

#[test]
fn a_pasted_log_shows_its_requests_and_the_recordings_used() {
    let project = samples();
    let mut window = open_desk(&project);
    window.harness.event(egui::Event::Paste(LOG.to_owned()));
    window.wait_for("2 of 3 tests failed");
    window.press(Key::Enter);
    window.click(Role::Link, "Play in Playback");
    window.wait_until("the call", |window| calls(window).len() == 1);
    insta::assert_snapshot!(calls(&window).join("\n"), @">Call 1, calls, no recording");
    window.find(Role::Button, "Recording 1, req-1773324121806-1, used, before");
    choose_in_menu(&mut window, Role::MenuItemRadio, "Hybrid");
    window.wait_until("a wrong answer", |window| calls(window)[0].contains("wrong answer"));
    window.find(Role::Button, "Recording 1, req-1773324121806-1, served twice, call 1");
    choose_in_menu(
        &mut window,
        Role::MenuItemRadio,
        "Line 44, test/merge-tickets.test.ts > merge > tells both customers: \
         LLM invoked but no recording available (index: 3, total: 3)",
    );
    window.wait_until("the reason", |window| {
        window.says("all 3 recordings are already used by position")
    });
    assert!(named(&window, "Recording 3,").ends_with(", used, before"));
    window.click(Role::Button, "Play this set");
    window.wait_until("the calls of the set", |window| calls(window).len() == 3);
    assert!(!window.says("of Pasted log"));
}

/// The log of a hybrid run: the first call offers a tool that was recorded by another name.
const HYBRID: &str = "\
[PlaybackTestClient] Loaded 7 recordings from /ci/sample-recordings/recordings/triage-ticket
[PlaybackTestClient] Using sequential recording 1/7
   Request ID: req-1773324121806-1
[PlaybackTestClient] Tool name mismatch at index 0: current=\"transition_to_sort\", recorded=\"transition_to_classify\"
AssertionError: expected 'intake' to be 'sort'
";

#[test]
fn the_log_of_a_hybrid_run_leads_to_its_fix_in_one_paste() {
    let project = samples();
    let mut window = open_samples(&project);
    window.harness.event(egui::Event::Paste(HYBRID.to_owned()));
    window.wait_until("the call", |window| calls(window).len() == 1);
    insta::assert_snapshot!(calls(&window).join("\n"), @">Call 1, calls, 0.0 s, wrong answer");
    assert!(window.says("the request now offers sort, but no recording does"));
    assert!(window.says("The log says: AssertionError: expected 'intake' to be 'sort'."));
    window.find(Role::Label, "transition_to_sort in place of transition_to_classify");
    window.find(Role::Button, "Rename the tool throughout this set (1 file)…");
    choose_in_menu(&mut window, Role::MenuItem, "Play set or cassette");
    window.wait_until("the machine's calls", |window| calls(window).len() == 4);
    window.harness.event(egui::Event::Paste("no log".to_owned()));
    window.wait_until("the reason", |window| window.says("The pasted text is not used."));
    assert_eq!(calls(&window).len(), 4);
}

#[test]
fn a_text_without_a_log_stays_in_the_form_with_the_reason() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("paste failure log");
    window.press(Key::Enter);
    window.wait_for("The log");
    window.type_text("npm ERR! test failed");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("This text contains no log of a playback.");
    assert!(window.says("No matching recording found"));
    let log = window.find(Role::MultilineTextInput, "The log").value();
    assert_eq!(log.as_deref(), Some("npm ERR! test failed"));
    // It is played from any desk, once it is a log.
    window.press_with(Modifiers::COMMAND, Key::A);
    window.harness.event(egui::Event::Paste(LOG.to_owned()));
    window.settle();
    assert!(!window.says("contains no log"));
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("2 of 3 tests failed");
}

#[test]
fn without_a_project_the_dialog_names_the_recordings_of_the_log() {
    let mut window = Window::open_without_dialogs(StartOptions::default());
    window.settle();
    window.click(Role::Link, "Paste failure log…");
    window.wait_for("Open the folder with the recordings of the log");
}

#[test]
fn a_pasted_request_is_played() {
    let project = samples();
    let mut window = check_triage(&project);
    let request = r#"{"messages": [], "tools": [{"name": "transition_to_nowhere"}]}"#;
    window.harness.event(egui::Event::Paste(request.to_owned()));
    window.wait_until("another answer", |window| {
        calls(window).len() == 1 && calls(window)[0].contains("wrong answer")
    });
    assert!(window.says("1 call of A pasted request"));
}

#[test]
fn a_change_on_disk_is_played_at_once() {
    let project = samples();
    let mut window = check_triage(&project);
    let path = "sample-recordings/recordings/triage-ticket/req-1773324127914-5.json";
    std::fs::remove_file(project.path(path)).unwrap();
    window.wait_until("6 calls", |window| calls(window).len() == 6);
}

#[test]
fn in_a_narrow_window_the_conversation_covers_the_desk() {
    let project = samples();
    let mut window = check_triage(&project);
    window.harness.set_size(egui::vec2(1000.0, 700.0));
    window.settle();
    assert!(!window.shows("Conversation"));
    window.click(Role::Button, "Details");
    window.find(Role::Label, "Conversation");
    window.press(Key::Escape);
    assert!(!window.shows("Conversation"));
}

/// The verdict on the set whose first answer is not wrapped.
const UNDEFINED: &str = "gets undefined";

#[test]
fn a_fix_of_texts_is_shown_saved_and_undone() {
    const FLAT: &str = "sample-recordings/recordings/ticket-legacy/turn-1.json";
    let project = samples();
    let before = project.read(FLAT);
    let mut window = open_desk(&project);
    choose(&mut window, "ticket-legacy");
    window.wait_until("undefined", |window| window.says(UNDEFINED));
    window.click(Role::Button, "Wrap the answers (1 file)…");
    window.wait_for("Wrap 1 answer");
    assert_eq!(project.read(FLAT), before);
    assert!(window.says(UNDEFINED));
    window.click(Role::Button, "Save 1 file");
    window.wait_until("the file", |_| project.read(FLAT) != before);
    window.wait_until("the answer", |window| !window.says(UNDEFINED));
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("as before", |window| window.says(UNDEFINED));
}

#[test]
fn each_row_says_what_is_wrong_and_plays_it() {
    let project = samples();
    let mut window = open_desk(&project);
    for (path, problem) in [("triage-ticket", "1 wrong"), ("ticket-legacy", "1 undefined")] {
        assert!(row(&window, path).ends_with(problem), "{}", row(&window, path));
    }
    choose(&mut window, "triage-ticket");
    window.wait_until("the machine's calls", |window| calls(window).len() == 4);
    assert!(window.says("1 of 4 calls gets a wrong answer"));

    // The action does so for a set that is played in another way.
    choose_in_menu(&mut window, Role::MenuItemRadio, "Sequential");
    choose_in_menu(&mut window, Role::MenuItemRadio, "The set itself");
    window.wait_until("the calls of the set", |window| calls(window).len() == 7);
    choose_in_menu(&mut window, Role::MenuItem, "Play set or cassette");
    window.wait_until("the machine's calls again", |window| {
        calls(window).len() == 4 && window.says("1 of 4 calls gets a wrong answer")
    });
    window.press(Key::Escape);
    window.wait_for("Choose what to play");
    // The row that was played keeps the cursor.
    window.press(Key::Enter);
    window.wait_until("the machine's calls once more", |window| calls(window).len() == 4);
}

#[test]
fn a_fix_changes_the_verdict_on_the_row_of_its_set() {
    let project = samples();
    let mut window = open_desk(&project);
    choose(&mut window, "ticket-legacy");
    window.wait_until("undefined", |window| window.says(UNDEFINED));
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("group by folder");
    window.press(Key::Enter);
    window.wait_for("recordings/ticket-legacy, 3 recordings, Not wrapped");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.click(Role::Button, "Wrap the answers (1 file)…");
    window.wait_for("Wrap 1 answer");
    window.click(Role::Button, "Save 1 file");
    window.wait_until("the answer", |window| !window.says(UNDEFINED));
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.wait_until("the row", |window| !window.says("Not wrapped"));
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("recordings/ticket-legacy, 3 recordings, Not wrapped");
}

#[test]
fn files_are_renamed_after_they_were_shown_and_named_back_by_one_undo() {
    const SET: &str = "sample-recordings/recordings/merge-tickets";
    let project = samples();
    let names = || {
        let entries = std::fs::read_dir(project.path(SET)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let before = names();
    let mut window = open_desk(&project);
    choose(&mut window, "merge-tickets");
    window.wait_until("the calls", |window| calls(window).len() == 3);
    choose_in_menu(&mut window, Role::MenuItemRadio, "Sequential");
    let fix = "Rename files to sort by number (3 files)…";
    choose_in_menu(&mut window, Role::MenuItem, fix);
    window.find(Role::Label, "turn-10.json: → turn-3.json");
    assert_eq!(names(), before);
    window.click(Role::Button, "Rename 1 file");
    window.wait_for("Renamed 1 file.");
    assert_ne!(names(), before);
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("Undid the file changes.");
    assert_eq!(names(), before);
}

/// The controls whose names begin like this, each with `>` where it is selected.
fn named(window: &Window, beginning: &str) -> String {
    let buttons = window.nodes().filter(|node| role_of(node) == Role::Button);
    let names = buttons.filter_map(|node| {
        let name = text_of(&node).filter(|name| name.starts_with(beginning))?;
        Some(format!("{}{name}", if is_on(&node) { ">" } else { "" }))
    });
    names.collect::<Vec<_>>().join("\n")
}

/// Shows the set of the triage, checked against itself, at its first call.
fn show_strip(project: &Project) -> Window {
    let mut window = check_triage(project);
    window.press(Key::Home);
    window
}

#[test]
fn the_strip_is_saved_as_a_picture_by_the_key() {
    let project = samples();
    let chosen = vec![project.path("strip.svg")];
    let mut window = Window::open(start_with(&project, "sample-recordings"), chosen);
    window.wait_for_samples();
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.wait_for("Choose what to play");
    choose(&mut window, "triage-ticket");
    window.wait_until("the calls", |window| calls(window).len() > 3);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    window.wait_until("the notice", |window| window.says("Saved the picture as"));
    let svg = std::fs::read(project.path("strip.svg")).unwrap();
    assert!(svg.starts_with(b"<svg"));
}

#[test]
fn the_strip_shows_calls_in_recorded_time_and_what_answers_them() {
    let project = samples();
    let mut window = show_strip(&project);
    insta::assert_snapshot!(named(&window, "Call "), @"
    >Call 1, intake, 0.0 s, right answer
    Call 2, classify, 1.6 s, first of 2 matches
    Call 3, classify, 3.1 s, right answer
    Call 4, respond, 4.7 s, right answer
    Call 5, respond, 6.1 s, right answer
    Call 6, classify, 8.2 s, right answer
    Call 7, escalate, 9.7 s, right answer
    ");
    insta::assert_snapshot!(named(&window, "Recording "), @"
    >Recording 1, req-1773324121806-1, used, call 1
    Recording 2, req-1773324123377-2, not used
    Recording 3, req-1773324124911-3, not used
    Recording 4, req-1773324126480-4, not used
    Recording 5, req-1773324127914-5, not used
    Recording 6, req-1773409556874-1, not used
    Recording 7, req-1773409558302-2, not used
    ");
    assert!(window.shows("0.0 s of 11.4 s"));
    assert_selected(&window, "Call 1");
    window.press(Key::ArrowRight);
    assert!(window.shows("1.6 s of 11.4 s"));
    assert!(window.says("First of 2 matches"));
    window.press(Key::End);
    assert_selected(&window, "Call 7");
    insta::assert_snapshot!(named(&window, "Recording "), @"
    Recording 1, req-1773324121806-1, used, call 1
    Recording 2, req-1773324123377-2, used, call 2
    Recording 3, req-1773324124911-3, used, call 3
    Recording 4, req-1773324126480-4, used, call 4
    Recording 5, req-1773324127914-5, used, call 5
    Recording 6, req-1773409556874-1, used, call 6
    >Recording 7, req-1773409558302-2, used, call 7
    ");
    window.press(Key::ArrowLeft);
    window.press(Key::J);
    window.press(Key::N);
    assert_selected(&window, "Call 2");
    window.click(Role::Button, "Call 4, respond, 4.7 s, right answer");
    assert_selected(&window, "Call 4");
    assert!(calls(&window)[3].starts_with(">Call 4"));
}

#[test]
fn four_lanes_of_the_strip_fit_into_a_small_window() {
    let project = samples();
    let mut window = show_strip(&project);
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.settle();
    let calls = window.nodes().filter(|node| {
        let is_call = |name: String| name.starts_with("Call ");
        role_of(node) == Role::Button && text_of(node).is_some_and(is_call)
    });
    let heights: Vec<f32> = calls.map(|call| call.rect().height()).collect();
    assert_eq!(heights, [44.0; 7], "all blocks are whole");
    // Two lanes fit; the others are reached with the wheel.
    window.harness.set_size(egui::vec2(900.0, 490.0));
    window.settle();
    let escalate = "Call 7, escalate, 9.7 s, right answer";
    assert!(!window.shows(escalate));
    let lane = window.find(Role::Label, "intake").rect().center();
    window.harness.hover_at(lane);
    window.harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, -300.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    window.settle();
    assert!(window.shows(escalate));
}

#[test]
fn space_plays_the_calls_and_the_conversation_grows() {
    let project = samples();
    let mut window = show_strip(&project);
    let turns = |window: &Window| {
        let rows = window.rows();
        rows.iter().filter(|row| !row.contains("not played")).count()
    };
    // Of the next call, only the place is shown.
    assert_eq!((turns(&window), window.rows().len()), (1, 2));
    window.click(Role::Button, "Speed, 1×");
    window.click(Role::MenuItemRadio, "4×");
    window.press(Key::Space);
    assert!(window.shows("Pause"));
    // Each frame of the harness takes a quarter of a second, and of the run a whole one.
    window.harness.run_steps(4);
    assert!(window.shows("Pause") && (2..7).contains(&turns(&window)));
    window.harness.run_steps(20);
    window.settle();
    assert!(window.shows("Play") && window.shows("11.4 s of 11.4 s"));
    assert_eq!(turns(&window), 7);
}

#[test]
fn a_link_to_a_call_of_a_set_is_copied_and_opened() {
    let project = samples();
    let mut window = show_strip(&project);
    window.press(Key::ArrowRight);
    choose_in_menu(&mut window, Role::MenuItem, "Copy link");
    let folder = project.path("sample-recordings/recordings/triage-ticket");
    let copied = window.copied.clone().unwrap();
    assert!(copied.trim_matches('\'').ends_with("recordings/triage-ticket#call=2"), "{copied}");
    let start = |call: usize| StartOptions {
        place: Some((folder.clone(), vec![FilePart::Call(call)])),
        paths: vec![folder.clone()],
        ..StartOptions::default()
    };
    let mut window = Window::open(start(3), Vec::new());
    window.wait_until("the calls", |window| calls(window).len() == 7);
    assert!(calls(&window)[2].starts_with(">Call 3"));
    let mut window = Window::open(start(8), Vec::new());
    window.wait_until("the notice", |window| window.says("has 7 calls, no call 8."));
}
