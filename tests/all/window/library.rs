//! The library: filtering, sorting, grouping, and moving by keys.

use super::*;
use crate::project::recording;

/// The rows that are recordings.
fn recordings(window: &Window) -> Vec<String> {
    let mut rows = window.rows();
    rows.retain(|row| row.contains(", recording, "));
    rows
}

#[test]
fn a_filter_narrows_while_it_is_typed_and_stays_as_chips() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    assert!(window.find(Role::TextInput, "Filter").is_focused());

    window.type_text("status:sta");
    assert_eq!(recordings(&window).len(), 7);
    window.type_text("le");
    assert!(window.shows("7 of 28"));
    assert!(recordings(&window).iter().all(|row| row.contains(", Stale")));
    window.press(Key::Enter);
    assert!(!window.find(Role::TextInput, "Filter").is_focused());

    window.press(Key::Slash);
    window.type_text("id:\"req-1773324124911");
    assert_eq!(recordings(&window), ["req-1773324124911-3, recording, Stale, breaks"]);
    window.type_text("-3");
    window.press(Key::Enter);
    assert_eq!(window.rows(), recordings(&window), "no list completes");
    assert!(!window.find(Role::TextInput, "Filter").is_focused());

    window.click(Role::Button, "Remove status stale");
    assert!(window.shows("1 of 28"));
    window.click(Role::Button, "Remove id req-1773324124911-3");
    assert_eq!(window.rows().len(), 28);
}

#[test]
fn a_filter_that_is_not_understood_says_so_and_offers_what_was_meant() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    window.type_text("knd:tape");
    window.press(Key::Escape);
    assert!(window.says("there is no key \"knd\"; did you mean \"kind\"?"));
    assert_eq!(window.rows().len(), 28);
    window.click(Role::Link, "Use kind:tape");
    assert_eq!(window.rows().len(), 3);
}

#[test]
fn the_menu_of_the_list_sorts_and_groups_it() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    window.type_text("kind:recording ");
    window.press(Key::Escape);
    let first = |window: &Window| window.rows()[0].clone();
    assert_eq!(first(&window), "turn-1.json, recording, Not wrapped");
    window.press(Key::V);
    window.click(Role::MenuItemRadio, "Newest first");
    assert_eq!(first(&window), "req-1780281204339-3, recording, Fresh");
    window.click(Role::MenuItemRadio, "Name");
    assert_eq!(first(&window), "req-1780281201443-1, recording, Fresh");
    window.click(Role::MenuItemRadio, "Status");
    assert_eq!(first(&window), "Errors");
    window.click(Role::MenuItemRadio, "Source");
    assert!(window.rows().contains(&"No source".to_owned()), "{:?}", window.rows());
    window.press(Key::Escape);
    assert!(!window.shows("Newest first"));
}

#[test]
fn above_the_list_is_what_is_wrong_and_each_finding_has_its_action() {
    let project = samples();
    let mut window = open_samples(&project);
    window
        .wait_for("3 recordings break: requests at classify no longer match triage-ticket.dygram.");
    let renamed = "2 recordings name a source that was renamed";
    assert!(!window.says(renamed));
    let more = window.texts().into_iter().find(|text| text.ends_with(" more findings")).unwrap();
    window.click(Role::Button, &more);
    assert!(window.shows(renamed));
    window.press(Key::Escape);
    assert!(!window.shows(renamed));

    window.press_with(Modifiers::ALT, Key::Num1);
    window.wait_for("7 changes");
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    window.press_with(Modifiers::ALT, Key::Num2);
    window.wait_for("Wrap 1 answer");
    window.press(Key::Enter);
    window.wait_for("Saved 1 file.");
    // It is fixed, so the next finding is the second.
    window.press_with(Modifiers::ALT, Key::Num2);
    window.wait_for("Save 2 sessions…");
}

#[test]
fn a_verdict_lists_its_items_and_all_lists_them_again() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::RadioButton, "Errors 2");
    let report = "flakestorm-2026-05-28.json, report, 2 failed".to_owned();
    assert_eq!(window.rows().len(), 2);
    assert!(window.rows().contains(&report));
    window.click(Role::RadioButton, "All 28");
    assert_eq!(window.rows().len(), 28);
}

#[test]
fn a_project_without_findings_has_nothing_to_fix() {
    let project = samples();
    let start = start_with(&project, "sample-recordings/replays/refund-twice.yaml");
    let mut window = Window::open(start, Vec::new());
    window.wait_for("Nothing to fix");
}

#[test]
fn a_set_is_one_row_that_unfolds_and_a_folder_folds() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::G);
    window.press(Key::Slash);
    window.type_text("path:ticket ");
    window.press(Key::Escape);
    insta::assert_snapshot!(window.rows().join("\n"), @"
    recordings
    recordings/ticket-legacy, 3 recordings, Not wrapped
    recordings/triage-ticket, 7 recordings, 3 break
    recordings/close-ticket, 3 recordings, No player matches
    recordings/merge-tickets, 3 recordings, Not stamped
    recordings/ticket-routing, 2 recordings, Source renamed
    replays
    ticket-loop, session, OK
    tapes
    ticket-summary, tape, OK
    ");
    const SET: &str = "recordings/triage-ticket, 7 recordings, 3 break";
    window.click(Role::ListBoxOption, SET);
    assert_eq!(window.selected().as_deref(), Some(SET));
    window.press(Key::ArrowRight);
    window.wait_until("the recordings are listed", |window| window.rows().len() > 10);
    let is_breaking = |row: &String| row.ends_with("recording, Stale, breaks");
    assert_eq!(window.rows().iter().filter(|row| is_breaking(row)).count(), 3);
    assert!(window.selected().is_some_and(|row| is_breaking(&row)));
    window.press(Key::Space);
    assert_eq!(window.selected().as_deref(), Some(SET));
    window.click(Role::ListBoxOption, "recordings");
    assert!(!window.shows(SET));
    window.click(Role::ListBoxOption, "recordings");
    assert!(window.shows(SET));
}

#[test]
fn letters_move_through_rows_and_the_inspector_follows() {
    let project = samples();
    let mut window = open_samples(&project);
    let rows = window.rows();
    window.press(Key::J);
    assert_eq!(window.selected().as_ref(), Some(&rows[0]));
    window.press(Key::J);
    window.press(Key::ArrowDown);
    assert_eq!(window.selected().as_ref(), Some(&rows[2]));
    window.press(Key::K);
    assert_eq!(window.selected().as_ref(), Some(&rows[1]));
    let id = rows[1].split(',').next().unwrap().to_owned();
    window.wait_for(&id);
    window.press(Key::End);
    assert_eq!(window.selected().as_ref(), rows.last());
}

#[test]
fn the_prompt_of_a_node_is_a_card_and_a_key_shows_its_full_text() {
    let project = samples();
    let mut window = open_samples(&project);
    let stale = "req-1773324124911-3, recording, Stale, breaks";
    window.click(Role::ListBoxOption, stale);
    window.wait_for("respond, known issue, called");
    window.wait_for("Full text");
    window.press(Key::E);
    window.wait_until("the text", |window| !window.shows("respond, known issue, called"));
    assert!(window.says("Decide who should handle this ticket."));
    window.press(Key::E);
    window.wait_for("respond, known issue, called");
}

#[test]
fn a_row_below_the_answer_is_open_for_the_next_recording_too() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, "req-1773324124911-3, recording, Stale, breaks");
    window.wait_for("Tools, 4 offered");
    assert!(!window.shows("Tool write_Ticket"));
    window.click(Role::Button, "Tools, 4 offered");
    window.wait_for("Tool write_Ticket");
    window.click(Role::ListBoxOption, "req-1773324123377-2, recording, Stale, breaks");
    window.wait_for("Tool write_Ticket");
}

#[test]
fn typing_goes_on_behind_what_was_completed() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    window.type_text("sta");
    window.press(Key::Tab);
    window.type_text("unst");
    window.press(Key::Enter);
    assert!(window.shows("Remove status unstamped"));
    window.press(Key::Slash);
    assert!(window.shows("kind:"), "what is offered next is another term");
    window.click(Role::Button, "Clear filter");
    assert_eq!(window.rows().len(), 28);
}

#[test]
fn escape_takes_away_one_thing_at_a_press() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::J);
    window.press(Key::M);
    assert!(window.shows("A is marked, select B"));

    let row = window.rows()[2].clone();
    window.find(Role::ListBoxOption, &row).click_secondary();
    window.settle();
    assert!(window.shows("Copy path"));
    window.press(Key::Escape);
    assert!(!window.shows("Copy path"));
    assert!(window.shows("A and B can be compared"));
    window.press(Key::Escape);
    assert!(!window.shows("A and B can be compared"));
}

#[test]
fn in_a_narrow_window_the_details_cover_the_desk_until_esc() {
    let project = samples();
    let mut window = open_samples(&project);
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.settle();
    assert!(!window.shows("All 28"), "the verdicts are in the menu");
    window.press(Key::J);
    let selected = window.selected();
    window.wait_for("Details");
    assert!(!window.shows("Conversation"));
    window.press(Key::Enter);
    window.wait_for("Conversation");
    window.press(Key::Escape);
    assert!(!window.shows("Conversation"));
    window.click(Role::Button, "Details");
    window.click(Role::Button, "Close inspector");
    assert!(!window.shows("Conversation"));
    assert_eq!(window.selected(), selected);
}

/// An archive with a call that calls a tool, one that fails, and one that went to a tool.
const ARCHIVE: &str = r#"{"log": {"version": "1.2", "entries": [
    {"startedDateTime": "2026-01-18T16:00:00.000Z", "time": 1500,
     "request": {"method": "POST", "url": "https://api.openai.com/v1/chat/completions",
      "postData": {"text": "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"Where is 4711?\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look_up\",\"parameters\":{}}}]}"}},
     "response": {"status": 200, "content": {"text": "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"t1\",\"function\":{\"name\":\"look_up\",\"arguments\":\"{}\"}}]}}]}"}}},
    {"request": {"method": "GET", "url": "https://shop.example/orders"}, "response": {"status": 200, "content": {"text": "{}"}}},
    {"request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages",
      "postData": {"text": "{\"model\":\"claude-opus\",\"messages\":[{\"role\":\"user\",\"content\":\"Did it ship?\"}]}"}},
     "response": {"status": 529, "content": {"text": "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Later\"}}"}}}
]}}"#;

#[test]
fn a_file_of_calls_unfolds_and_each_call_is_shown() {
    let project = Project::new(&[("trace.har", ARCHIVE), ("a.json", lists::RECORDING)]);
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(2);
    window.press(Key::Slash);
    window.type_text("tool:look_up model:claude-opus");
    window.press(Key::Escape);
    window.press(Key::Escape);
    assert_eq!(window.rows(), ["trace.har, har, Other format"]);

    window.press(Key::J);
    window.press(Key::ArrowRight);
    window.wait_until("the calls are listed", |window| window.rows().len() == 3);
    insta::assert_snapshot!(window.rows().join("\n"), @"
    >trace.har, har, Other format
    Call 1, look_up
    Call 2, HTTP status 529
    ");
    window.press(Key::J);
    window.wait_for("Where is 4711?");
    assert!(window.shows("Call, 1 of 2"));
    window.press(Key::J);
    window.wait_for("Did it ship?");
    assert!(window.shows("HTTP status 529."));
    assert!(!window.shows("Where is 4711?"));

    // On a focused row, Left goes to the row that contains it.
    let call = window.find(Role::ListBoxOption, "Call 2, HTTP status 529");
    call.focus();
    window.settle();
    window.press(Key::ArrowLeft);
    let file = window.find(Role::ListBoxOption, "trace.har, har, Other format");
    assert!(file.is_focused());

    window.press(Key::ArrowLeft);
    window.wait_until("only the file is listed", |window| window.rows().len() == 1);
    assert!(window.shows("trace.har"));
}

#[test]
fn the_calls_of_a_home_made_recorder_are_listed_without_a_setting() {
    let project = Project::new(&[]);
    copy(&checkout().join("sample-recordings/fixtures"), &project.path("fixtures"));
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(2);
    assert_eq!(
        window.rows(),
        ["classify_ticket.json, recorded calls, OK", "look_up_order.json, recorded calls, OK"]
    );
    window.press(Key::J);
    window.press(Key::J);
    for expected in ["2 items", "Where is order 4471?", "I look up the order.", "find_order"] {
        window.wait_for(expected);
    }
}

#[test]
fn a_cassette_unfolds_and_a_call_shows_what_is_wrong_with_it() {
    let project = Project::new(&[("retake.toml", "")]);
    let samples = checkout().join("sample-recordings/cassettes");
    copy(&samples, &project.path("cassettes"));
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(9);
    window.press(Key::Slash);
    window.type_text("kind:cassette model:claude*");
    window.press(Key::Escape);
    window.press(Key::Escape);
    assert_eq!(window.rows(), ["test_refund_needs_approval.yaml, cassette, All 4 alike"]);

    window.press(Key::J);
    window.press(Key::ArrowRight);
    window.wait_until("the calls are listed", |window| window.rows().len() == 5);
    insta::assert_snapshot!(window.rows().join("\n"), @"
    >test_refund_needs_approval.yaml, cassette, All 4 alike
    Call 1, lookup_order, order decides
    Call 2, check_policy, order decides
    Call 3, request_approval, order decides
    Call 4, A manager has to approve this refund. You get an e-mail today., order decides
    ");
    for _ in 0..3 {
        window.press(Key::J);
    }
    window.wait_for("Stream");
    let texts = window.texts().join("\n");
    for expected in [
        "Call, 3 of 4",
        "vcrpy cannot distinguish calls 1 to 4",
        "Headers, 7 sent, 6 received",
        "base64 › gzip › events, 3.0 kB",
    ] {
        assert!(texts.contains(expected), "{texts}");
    }
}

#[test]
fn cookies_and_ids_that_nearly_each_call_has_are_not_repeated_in_rows_and_conversations() {
    let sent = r#"{"model": "gpt-5", "messages": [{"role": "user", "content": "Where is it?"}]}"#;
    let answer = r#"{"id": "c", "object": "chat.completion", "model": "gpt-5", "choices": [{"index": 0, "message": {"role": "assistant", "content": "In Riga."}, "finish_reason": "stop"}]}"#;
    let cassette = format!(
        "interactions:\n- request:\n    body: '{sent}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n  response:\n    body: {{string: '{answer}'}}\n    \
         headers: {{set-cookie: ['__cf_bm=jQ2l1nB3xK.9s0aPq7; path=/'], openai-organization: [user-ab3kq91m]}}\n    status: {{code: 200, message: OK}}\nversion: 1\n"
    );
    let project = Project::new(&[("retake.toml", ""), ("cassettes/a.yaml", &cassette)]);
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(1);
    for key in [Key::J, Key::ArrowRight, Key::J] {
        window.press(key);
    }
    window.wait_for("Call, 1 of 1");
    window.wait_for("In Riga.");
    let texts = format!("{}\n{}", window.rows().join("\n"), window.texts().join("\n"));
    for unwanted in ["Account id or address", "This looks like"] {
        assert!(!texts.contains(unwanted), "{texts}");
    }
}

#[test]
fn a_folder_of_cassettes_shows_which_tests_depend_on_file_order() {
    let project = Project::new(&[
        ("retake.toml", ""),
        (
            "tests/conftest.py",
            "import pytest\n\n@pytest.fixture\ndef vcr_config():\n    return {'match_on': ['method', 'host', 'path']}\n",
        ),
        (
            "tests/test_refund.py",
            "import pytest\n\n@pytest.mark.vcr\ndef test_refund_needs_approval(): pass\n\n@pytest.mark.vcr\ndef test_refund_rate_limit(): pass\n",
        ),
    ]);
    let samples = checkout().join("sample-recordings/cassettes");
    copy(&samples, &project.path("tests/cassettes"));
    let trace = project.path("tests/cassettes/mailer/trace.json");
    std::fs::write(trace, r#"{"resourceSpans": []}"#).unwrap();
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(10);
    window.wait_for("2 cassettes depend on file order; comparing bodies would settle 1.");
    window.press(Key::G);
    window.wait_for("tests/cassettes/test_refund");
    let ambiguous = [
        "test_refund_needs_approval.yaml, cassette, All 4 alike",
        "test_refund_rate_limit.yaml, cassette, Both alike",
    ];
    window.click(Role::RadioButton, "Order decides 2");
    window.wait_until("only these", |window| window.rows() == ambiguous);
    window.click(Role::RadioButton, "All 10");
    window.wait_for("tests/cassettes/mailer");
}

#[test]
fn the_decoded_content_of_a_body_is_edited_and_encoded_again() {
    let file = "cassettes/test_refund_needs_approval.yaml";
    let project = Project::new(&[("retake.toml", "")]);
    let sample = "sample-recordings/cassettes/test_refund/test_refund_needs_approval.yaml";
    std::fs::create_dir(project.path("cassettes")).unwrap();
    std::fs::copy(checkout().join(sample), project.path(file)).unwrap();
    let before = project.read(file);
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(1);
    for key in [Key::J, Key::ArrowRight, Key::J] {
        window.press(key);
    }
    window.wait_for("Call, 1 of 4");
    let layers = |window: &Window| {
        let mut texts = window.texts().into_iter();
        texts.find(|text| text.starts_with("base64 › "))
    };
    let before_edit = layers(&window).expect("the body has layers");
    window.click(Role::Link, "Edit decoded");
    type_body(&mut window);
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("Unsaved");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("it is saved", |_| project.read(file) != before);
    let after = project.read(file);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let kept = lines(&before).into_iter().filter(|line| lines(&after).contains(line)).count();
    let of_body = lines(&before).len() - kept;
    assert!((2..20).contains(&of_body), "{of_body} lines changed");
    window.wait_until("the body is there again", |window| window.says("decoded 12"));
    assert!(before_edit.contains("gzip"), "{before_edit}");
}

/// Types another body in place of the decoded one.
fn type_body(window: &mut Window) {
    window.press_with(Modifiers::COMMAND, Key::A);
    window.press(Key::Delete);
    window.type_text("{\"first\": 1}");
}

const EDITED: &str = "cassettes/test_refund_needs_approval.yaml";

/// Opens a cassette and types into the decoded body of its first call.
fn edit_first_body() -> (Project, Window) {
    let project = Project::new(&[("retake.toml", "")]);
    let sample = "sample-recordings/cassettes/test_refund/test_refund_needs_approval.yaml";
    std::fs::create_dir(project.path("cassettes")).unwrap();
    std::fs::copy(checkout().join(sample), project.path(EDITED)).unwrap();
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(1);
    window.wait_for("Watching");
    for key in [Key::J, Key::ArrowRight, Key::J] {
        window.press(key);
    }
    window.wait_for("Call, 1 of 4");
    window.click(Role::Link, "Edit decoded");
    type_body(&mut window);
    (project, window)
}

/// Gives the first call the body of the second one, and another order to all, as another program. Returns the file.
fn change_first_body(project: &Project) -> String {
    const BODY: &str = "string: !!binary |\n";
    let before = project.read(EDITED);
    let bodies: Vec<&str> = before.split(BODY).skip(1).collect();
    let body = |index: usize| bodies[index].split("    headers:").next().unwrap();
    let after = before.replacen(body(0), body(1), 1).replace("4471", "4472");
    project.write(EDITED, &after);
    after
}

#[test]
fn a_body_that_changed_while_it_was_edited_is_not_overwritten_and_esc_discards_the_input() {
    let (project, mut window) = edit_first_body();
    let changed = change_first_body(&project);
    window.wait_for("The file changed; the body is different now.");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("the reason", |window| {
        window.says("/interactions/0/response/body/string changed since you began to edit it.")
    });
    assert_eq!(project.read(EDITED), changed);
    assert!(window.shows("Edit decoded body") && !window.shows("Unsaved"));
    window.tab_to(Role::Button, "Cancel");
    window.press(Key::Escape);
    assert!(window.shows("Edit decoded") && !window.shows("Edit decoded body"));
    assert!(window.shows("Call, 1 of 4"));
    assert_eq!(project.read(EDITED), changed);
}

#[test]
fn the_input_for_a_body_that_is_not_shown_is_not_written_over_its_change() {
    let (project, mut window) = edit_first_body();
    window.tab_to(Role::Button, "Cancel");
    window.press(Key::Tab);
    window.press(Key::J);
    window.wait_for("Call, 2 of 4");
    let changed = change_first_body(&project);
    window.wait_until("the change", |window| window.says("4472"));
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("the reason", |window| {
        window.says("/interactions/0/response/body/string changed since you began to edit it.")
    });
    assert_eq!(project.read(EDITED), changed);
    window.press(Key::K);
    window.wait_for("The file changed; the body is different now.");
}

#[test]
fn what_is_typed_while_a_step_appears_does_not_apply_it() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    window.type_text("-kind:tape");
    window.press_with(Modifiers::ALT, Key::Num2);
    window.wait_for("Wrap 1 answer");
    window.type_text(" a");
    window.press(Key::Enter);
    assert!(window.shows("Wrap 1 answer") && !window.says("Saved 1 file."));
    // The palette covers the step, and does not cancel it.
    window.press_with(Modifiers::COMMAND, Key::K);
    window.press(Key::Escape);
    assert!(window.shows("Wrap 1 answer"));
    window.tab_to(Role::Button, "Save 1 file");
    window.press(Key::Enter);
    window.wait_for("Saved 1 file.");
}

#[test]
fn the_commit_that_recorded_an_answer_is_shown_and_copied() {
    let project = Project::new(&[("set/turn-1.json", &recording("req-1", ""))]);
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "-A"]);
    project.git_on(Some(70), &["commit", "-q", "-m", "Record the first turn"]);
    let commit = project.git(&["rev-parse", "HEAD"]);
    let mut window = Window::open(start_with(&project, "set"), Vec::new());
    window.wait_for(&commit[..7]);
    assert!(window.shows("Answer committed 12 Mar 2026 in"));
    window.click(Role::Link, &commit[..7]);
    assert_eq!(window.copied.as_deref(), Some(&*commit));
}

#[test]
fn after_a_filter_the_list_has_the_keys() {
    let project = samples();
    let mut window = open_samples(&project);
    let first = |window: &Window| window.rows().first().cloned().unwrap_or_default();
    window.press(Key::Slash);
    window.type_text("kind:session");
    window.press(Key::Enter);
    assert!(first(&window).starts_with('>'), "{:?}", window.rows());
    window.press(Key::ArrowDown);
    assert!(window.rows()[1].starts_with('>'), "{:?}", window.rows());

    window.press_with(Modifiers::COMMAND, Key::F);
    window.type_text("kind:tape ");
    window.press(Key::ArrowDown);
    assert!(window.rows().iter().any(|row| row.starts_with('>')), "{:?}", window.rows());

    window.press(Key::Slash);
    window.type_text("slow ");
    window.press(Key::Escape);
    window.press(Key::J);
    assert!(first(&window).starts_with('>'), "{:?}", window.rows());
}

#[test]
fn a_file_with_a_warning_is_not_called_ok() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::Slash);
    window.type_text("severity:warning kind:seeds refund ");
    window.press(Key::Escape);
    assert_eq!(window.rows(), ["refund-decision.seeds.json, seeds, Problems"]);
}

#[test]
fn files_that_were_edited_by_hand_say_so_and_are_found() {
    let project = crate::review::edited_by_hand();
    project.git(&["checkout", "-q", "--", "fixtures"]);
    let mut window = Window::open(start_with(&project, "fixtures"), Vec::new());
    window.wait_for("2 cassettes");
    let is_edited = |window: &Window, name: &str| {
        let rows = window.rows();
        rows.iter().any(|row| row.contains(name) && row.contains("edited by hand"))
    };
    window.wait_until("the badge", |window| is_edited(window, "a.yaml"));
    assert!(!is_edited(&window, "b.yaml"));
    window.press(Key::Slash);
    window.type_text("is:edited ");
    window.wait_until("the edited file", |window| window.says("1 of 2"));
    assert!(is_edited(&window, "a.yaml"));
}
