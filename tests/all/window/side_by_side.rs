//! Side by side: a stale source then and now, and two recordings.

use super::*;

const STALE: &str = "req-1773324124911-3, recording, Stale, breaks";

/// The lines of both texts.
fn sides(window: &Window) -> [Vec<String>; 2] {
    let now = window.find(Role::Label, "Now").rect().left() - 16.0;
    [(0.0, now), (now, now + 520.0)]
        .map(|(left, right)| window.lines_in(Rect::from_x_y_ranges(left..=right, 0.0..=1200.0)))
}

#[test]
fn a_new_user_sees_what_a_stale_source_was_within_two_clicks() {
    let mut window = open_start_page();
    window.click(Role::Button, "Open the samples");
    window.wait_for("Then and now");
    window.click(Role::Button, "Then and now");
    window.wait_until("the texts", |window| window.says("working tree"));

    let [then, now] = sides(&window);
    let has = |side: &[String], text: &str| side.iter().any(|line| line.trim() == text);
    for (old, new) in [
        ("machine \"Ticket triage\"", "machine \"Ticket triage and refunds\""),
        ("task respond \"Answer the customer\" {", "task reply \"Answer the customer\" {"),
        (
            "prompt: \"Decide who should handle this ticket.\";",
            "prompt: \"Decide who can handle the ticket.\";",
        ),
        ("respond -> close;", "reply -> close;"),
    ] {
        assert!(has(&then, old) && !has(&then, new), "{then:#?}");
        assert!(has(&now, new) && !has(&now, old), "{now:#?}");
    }
    insta::assert_snapshot!(window.rows().join("\n"), @"
    >Node respond renamed to reply: Line 24, 3 recordings break
    Edge classify → refund added: Line 45, 3 recordings break
    Title of the machine is now Ticket triage and refunds, was Ticket triage: Line 1, breaks nothing
    Prompt of classify changed, 2 words: Line 21, breaks nothing
    Node refund added: Lines 28 to 31, breaks nothing
    Edge refund → close added: Line 49, breaks nothing
    Comments only: Line 53
    ");
    let is_commit = |text: &String| text.len() == 7 && text.chars().all(|c| c.is_ascii_hexdigit());
    assert!(window.texts().iter().any(is_commit), "{:#?}", window.texts());
}

#[test]
fn enter_opens_and_escape_leads_back_and_decides_nothing() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::RadioButton, "Stale, breaks 3");
    window.click(Role::ListBoxOption, STALE);
    window.wait_for("Then and now");
    let (rows, kept, files) = (window.rows(), window.kept.borrow().clone(), project.snapshot());
    window.press(Key::Enter);
    window.wait_for("7 changes");
    let first = window.selected();
    window.press(Key::N);
    assert_ne!(window.selected(), first);
    window.press(Key::P);
    assert_eq!(window.selected(), first);

    for _ in 0..3 {
        window.press(Key::Escape);
        assert_eq!(window.rows(), rows);
    }
    assert_eq!(*window.kept.borrow(), kept);
    assert_eq!(project.snapshot(), files);
}

#[test]
fn a_stale_source_says_once_what_it_breaks() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, STALE);
    window.press(Key::Enter);
    window.wait_for("7 changes");
    let shown: Vec<String> = window
        .texts()
        .into_iter()
        .filter(|text| text.contains("break") || text.contains("match"))
        .filter(|text| !text.contains("breaks nothing"))
        // The commit has another id in each run.
        .map(|text| match text.split_once(", since ") {
            Some((start, rest)) => format!("{start}, since …{}", &rest[7..]),
            None => text,
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    3 of 7 recordings break, all at classify, since …: respond became reply, and edge classify → refund added.
    breaks
    Node respond renamed to reply: Line 24, 3 recordings break
    Edge classify → refund added: Line 45, 3 recordings break
    4 still match
    ");
}

#[test]
fn what_still_matches_is_stamped_from_the_view_of_its_source() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, STALE);
    window.press(Key::Enter);
    window.wait_for("7 changes");
    window.click(Role::Button, "Restamp 4…");
    window.wait_for("Restamp 4 recordings that still match");
    window.press(Key::Enter);
    window.wait_for("Saved 4 files.");
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("the step undone", |window| window.says("Undid: Restamp 4 recordings"));
    window.wait_for("7 changes");
}

#[test]
fn changes_are_listed_by_what_they_break() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, STALE);
    window.press(Key::Enter);
    window.wait_for("7 changes");
    insta::assert_snapshot!(window.rows().join("\n"), @"
    >Node respond renamed to reply: Line 24, 3 recordings break
    Edge classify → refund added: Line 45, 3 recordings break
    Title of the machine is now Ticket triage and refunds, was Ticket triage: Line 1, breaks nothing
    Prompt of classify changed, 2 words: Line 21, breaks nothing
    Node refund added: Lines 28 to 31, breaks nothing
    Edge refund → close added: Line 49, breaks nothing
    Comments only: Line 53
    ");
}

#[test]
fn a_tool_of_a_renamed_node_is_renamed_in_the_recordings_of_the_source() {
    let project = samples();
    let set = "sample-recordings/recordings/triage-ticket";
    let offering = |project: &Project| {
        let folder = std::fs::read_dir(project.path(set)).unwrap();
        let texts = folder.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let names = ["\"transition_to_respond\"", "\"transition_to_reply\""];
        let texts: Vec<String> = texts.collect();
        names.map(|name| texts.iter().filter(|text| text.contains(name)).count())
    };
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, STALE);
    window.press(Key::Enter);
    window.wait_for("7 changes");
    let rename = "Rename in 3…";
    window.press(Key::N);
    assert!(window.shows(rename), "also while another change is selected");
    window.press(Key::P);
    window.wait_for("3 offer respond");
    let (before, offered) = (project.snapshot(), offering(&project));
    window.click(Role::Button, rename);
    let step = "Rename transition_to_respond to transition_to_reply in 3 recordings";
    window.wait_for(step);
    window.press(Key::Escape);
    window.wait_until("the dialog is closed", |window| !window.shows(step));
    assert_eq!(project.snapshot(), before);
    assert!(!window.says("unsaved"));

    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Rename the tool");
    window.press(Key::Enter);
    window.wait_for(step);
    window.press(Key::Enter);
    window.wait_for("Saved 3 files.");
    let [_, new] = offered;
    assert_eq!(offering(&project), [0, new + 3]);
    window.wait_until("nothing to rename", |window| !window.shows(rename));
}

#[test]
fn a_folded_stretch_opens() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, STALE);
    window.press(Key::Enter);
    window.wait_for("7 changes");
    assert!(!window.says("context Customer"));
    window.click(Role::Button, "Show 13 unchanged lines: Ticket, Customer, intake");
    assert!(window.says("context Customer"));
}

#[test]
fn two_recordings_are_compared_by_a_mark() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::ListBoxOption, "req-1773324123377-2, recording, Stale, breaks");
    window.press(Key::M);
    assert!(window.shows("A is marked, select B"));
    window.click(Role::ListBoxOption, "req-1773409556874-1, recording, Stale, breaks");
    assert!(window.shows("A and B can be compared"));
    window.press(Key::C);
    window.wait_for("Difference 1 of 5");
    insta::assert_snapshot!(window.rows().join("\n"), @"
    >Answer, 1 line replaced, ignored by playback
    Calls escalate instead of read_Ticket, ignored by playback
    Input reason, only right, ignored by playback
    The ticket, 3 lines replaced, ignored by playback
    Reasoning, only right, ignored by playback
    ");
    assert!(window.shows("The signatures match: each recording can answer the other's request."));
    assert!(window.shows("req-1773324123377-2 and req-1773409556874-1"));

    window.press(Key::X);
    window.wait_for("req-1773409556874-1 and req-1773324123377-2");
    window.press(Key::Escape);
    window.wait_for("28 items");
    let right = ">req-1773409556874-1, recording, Stale, breaks, B of the comparison".to_owned();
    assert!(window.rows().contains(&right));
}

#[test]
fn two_transcripts_part_in_a_call_that_is_marked_and_others_can_be_chosen() {
    let project = crate::first_difference::parting_transcripts();
    let mut window = Window::open(start_with(&project, "runs"), Vec::new());
    window.wait_for("2 items");
    let row = |window: &Window, name: &str| {
        window.rows().into_iter().find(|row| row.trim_start_matches('>').starts_with(name)).unwrap()
    };
    let [first, second] = ["a.jsonl", "b.jsonl"].map(|name| row(&window, name));
    window.click(Role::ListBoxOption, first.trim_start_matches('>'));
    window.press(Key::M);
    window.click(Role::ListBoxOption, second.trim_start_matches('>'));
    window.press(Key::C);
    window.wait_for("Call 2, first difference");
    assert!(window.says("First difference that matters: call 2: answer text, "));
    window.click(Role::Button, "Call 3, nothing else differs");
    window.wait_until("the third call", |window| window.says("Message 4, 2 words"));
    window.click(Role::Link, "Go to the first difference");
    window.wait_until("the second call", |window| !window.says("Message 4"));
}
