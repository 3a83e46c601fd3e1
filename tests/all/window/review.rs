//! A regeneration is reviewed: groups, not files, are decided with one key each, and files are as decided after that.

use super::*;

const SETS: &str = "sample-recordings/recordings";

/// Every recording, by its path in the sets.
/// The recordings with their texts; what is being written beside them is none of them.
fn recordings(project: &Project) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for set in std::fs::read_dir(project.path(SETS)).unwrap() {
        for file in std::fs::read_dir(set.unwrap().path()).unwrap() {
            let file = file.unwrap();
            if file.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = file.path();
            let name = path.strip_prefix(project.path(SETS)).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            all.insert(name.to_string_lossy().replace('\\', "/"), text);
        }
    }
    all
}

fn rewrite(project: &Project, set: &str, change: impl Fn(&str) -> String) {
    for (path, text) in recordings(project) {
        if path.starts_with(set) {
            project.write(&format!("{SETS}/{path}"), change(&text));
        }
    }
}

/// Records again: other times everywhere, a tool renamed in one set, a field added in another, one take gone.
pub(super) fn regenerated() -> Project {
    let project = samples();
    rewrite(&project, "", |text| {
        let is_time = |line: &str| ["timestamp", "recordedAt"].iter().any(|it| line.contains(it));
        let lines = text.split_inclusive('\n').map(|line| {
            if is_time(line) { line.replace("2026-0", "2027-0") } else { line.to_owned() }
        });
        lines.collect()
    });
    rewrite(&project, "triage-ticket", |text| {
        text.replace("transition_to_respond", "transition_to_reply")
    });
    rewrite(&project, "ticket-routing", |text| {
        text.replace("\"reason\": \"", "\"currency\": \"EUR\", \"reason\": \"")
    });
    std::fs::remove_file(project.path(&format!("{SETS}/merge-tickets/turn-10.json"))).unwrap();
    project
}

pub(super) fn open_review(project: &Project) -> Window {
    open_review_of(project, "27 items")
}

fn open_review_of(project: &Project, items: &str) -> Window {
    let mut window = Window::open(start_with(project, "sample-recordings"), Vec::new());
    window.wait_for(items);
    window.press_with(Modifiers::COMMAND, Key::Num6);
    wait_for_all_pairs(&mut window);
    window
}

/// Waits until every pair is compared: a group decided earlier is decided only as far as it is known.
pub(super) fn wait_for_all_pairs(window: &mut Window) {
    window.wait_for("More decisions");
    let is_busy = |window: &Window| {
        ["Reading", "Compared ", "Looking for changes"].iter().any(|text| window.says(text))
    };
    window.wait_until("all pairs", |window| !is_busy(window));
}

/// Opens the menu of the other decisions and clicks an entry.
fn click_more(window: &mut Window, role: Role, name: &str) {
    window.click(Role::Button, "More decisions");
    window.click(role, name);
}

/// The groups, and the pairs of the open one if it has several.
fn queue(window: &Window) -> String {
    window.rows().join("\n")
}

#[test]
fn groups_are_decided_with_one_key_each_and_files_are_as_decided_and_back_again() {
    let project = regenerated();
    let new = recordings(&project);
    let mut window = open_review(&project);
    insta::assert_snapshot!(queue(&window), @"
    Only times and ids differ, 9, ignored
    >Field currency added, 2
    >turn-1
    turn-2
    Tool respond became reply, 3
    Files removed, 1
    ");
    assert!(window.shows("15 recordings changed") && window.shows("3 groups left"));

    // The added field is not kept.
    window.press_with(Modifiers::SHIFT, Key::R);
    insta::assert_snapshot!(queue(&window), @"
    Only times and ids differ, 9, ignored
    Field currency added, 2, rejected
    >Tool respond became reply, 3
    >req-1773324123377-2
    req-1773324124911-3
    req-1773409556874-1
    Files removed, 1
    ");
    // The renamed tool is, with everything that follows from it.
    window.press_with(Modifiers::SHIFT, Key::A);
    window.press(Key::R);
    insta::assert_snapshot!(queue(&window), @"
    Only times and ids differ, 9, ignored
    Field currency added, 2, rejected
    Tool respond became reply, 3, accepted
    >Files removed, 1, rejected
    ");
    assert_eq!(recordings(&project), new);

    window.click(Role::Button, "Apply 6 decisions…");
    window.wait_for("Write 3 files");
    insta::assert_snapshot!(dialog(&window), @r"
    sample-recordings/recordings/merge-tickets/turn-10.json: is restored
    sample-recordings/recordings/ticket-routing/turn-1.json: is reset to the old version
    sample-recordings/recordings/ticket-routing/turn-2.json: is reset to the old version
    sample-recordings/recordings/triage-ticket/req-1773324123377-2.json: keeps the new version
    sample-recordings/recordings/triage-ticket/req-1773324124911-3.json: keeps the new version
    sample-recordings/recordings/triage-ticket/req-1773409556874-1.json: keeps the new version
    ");
    window.click(Role::Button, "Write 3 files");
    window.wait_until("the old bytes", |_| recordings(&project) != new);
    window.wait_until("what was done", |window| window.says("Applied"));
    let old = recordings(&samples());
    for (path, text) in recordings(&project) {
        let is_back = path.starts_with("ticket-routing") || path == "merge-tickets/turn-10.json";
        let expected = if is_back { &old[&path] } else { &new[&path] };
        assert_eq!(text, *expected, "{path}");
    }

    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("all as before", |_| recordings(&project) == new);
    window.wait_for("Apply 6 decisions…");
}

/// What the dialog lists.
fn dialog(window: &Window) -> String {
    let texts = window.texts();
    let texts = texts.iter().filter(|text| text.starts_with(SETS));
    texts.map(String::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn decisions_are_undone_one_by_one_and_resumed_next_time() {
    let project = regenerated();
    let mut window = open_review(&project);
    let first = queue(&window);
    window.press(Key::A);
    window.press(Key::S);
    window.press(Key::U);
    window.press(Key::U);
    assert_eq!(queue(&window), first);
    window.press(Key::A);
    let decided = queue(&window);
    assert_ne!(decided, first);
    drop(window);
    assert!(project.path(".retake/review.json").exists());

    let mut window = open_review(&project);
    assert!(window.says("1 decision"));
    // A file that changes after its review falls back into the queue.
    let accepted = decided.lines().find(|row| row.contains("accepted")).unwrap();
    let accepted = accepted.split(',').next().unwrap().trim_start_matches('>');
    let path = format!("{SETS}/ticket-routing/{accepted}.json");
    let text = std::fs::read_to_string(project.path(&path)).unwrap();
    project.write(&path, text.replace("2027-0", "2028-0").replace("_reply", "_answer"));
    window.wait_until("the pair again", |window| !window.says("Apply 1 decision"));
}

/// The texts of the two recordings from top to bottom.
fn sheet(window: &Window) -> String {
    let lines = window.lines_in(Rect::from_x_y_ranges(400.0..=1440.0, 90.0..=2000.0));
    let is_of_pair = |line: &&String| !line.contains("git diff") && !line.starts_with("next");
    lines.iter().take_while(is_of_pair).map(String::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_change_to_decide_is_above_what_else_differs_as_written() {
    let project = samples();
    rewrite(&project, "triage-ticket", |text| {
        text.replace("transition_to_respond", "transition_to_reply")
            .replace("## respond", "## reply")
    });
    let mut window = open_review_of(&project, "28 items");
    // The change that the group is named after is the first one, though the prompt is above it in the file.
    window.wait_for("Tool transition_to_respond is now transition_to_reply");
    insta::assert_snapshot!(sheet(&window), @"
    Tool respond became reply
    1 of 3
    Change 1 of 2
    transition_to_respond
    transition_to_reply
    read_Ticket, in both
    transition_to_escalate, in both
    transition_to_respond left, transition_to_reply right
    write_Ticket, in both
    Permissions: read, write
    Permissions: read, write
    Available Transitions
    Available Transitions
    ## respond
    ## reply
    Description: known issue
    Description: known issue
    escalate
    escalate
    ");
    window.press(Key::N);
    window.wait_for("Message 1, 1 word replaced");
    // Above, so that it is left out below.
    assert_eq!(sheet(&window).matches("## reply").count(), 1);
}

#[test]
fn a_removed_recording_that_is_accepted_is_applied_and_counted_once() {
    let project = samples();
    std::fs::remove_file(project.path(&format!("{SETS}/merge-tickets/turn-10.json"))).unwrap();
    let mut window = Window::open(start_with(&project, "sample-recordings"), Vec::new());
    window.wait_for("27 items");
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.wait_for("Accept");
    // The group has one pair, so there is nothing to choose.
    assert!(!window.says("All 1") && !window.says("Apply 0"));
    window.press(Key::A);
    window.click(Role::Button, "Apply 1 decision…");
    window.wait_for("Applied 1 decision: no file needed a change.");
    window.wait_for("1 decided, all applied");
    assert!(window.says("Commit the files with git.") && !window.says("Apply 0"));
}

#[test]
fn the_library_lists_what_is_undecided_before_the_review_was_opened() {
    let project = regenerated();
    let mut window = Window::open(start_with(&project, "sample-recordings"), Vec::new());
    let ends = |text: &String| text.ends_with(" more findings");
    let more = |window: &Window| window.texts().into_iter().find(ends);
    window.wait_until("findings", |window| more(window).is_some());
    let more = more(&window).unwrap();
    window.click(Role::Button, &more);
    window.wait_for("6 changed files are not reviewed");
    window.click(Role::MenuItem, "6 changed files are not reviewed");
    window.wait_for("More decisions");
}

#[test]
fn a_folder_without_git_can_be_compared_with_another_one() {
    let project =
        Project::new(&[("a/turn-1.json", r#"{"request": {"messages": [], "tools": []}}"#)]);
    let mut window = Window::open(start_with(&project, "a"), Vec::new());
    window.wait_for("1 item");
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.wait_for(
        "This folder has no git history. Compare it with an older copy of it, or two files.",
    );
    assert!(!window.says("Apply 0") && !window.says("0 of 0"));
    window.click(Role::Button, "Review against…");
    window.wait_for("Another folder");
}

#[test]
fn another_old_recording_is_chosen_by_what_differs() {
    let recording = |shown: &str, answer: &str| {
        let tools = r#"[{"name": "look_up", "description": "Finds an order"}]"#;
        format!(
            r#"{{"request": {{"requestId": "req-1", "messages": [{{"role": "user", "content": "{shown}"}}], "tools": {tools}}},
            "response": {{"response": {{"content": [{{"type": "text", "text": "{answer}"}}]}}}}}}"#
        )
    };
    let project = Project::new(&[]);
    project.git(&["init", "-q", "-b", "main"]);
    let name = |number: usize| {
        format!("set/req-17800000000{number:02}-with-a-long-name-that-does-not-fit-{number}.json")
    };
    project.write(&name(1), recording("Where is the parcel?", "It is late today."));
    project.write(&name(2), recording("Cancel the order of Monday", "It is cancelled."));
    project.write(&name(3), recording("Who are you?", "An agent."));
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "then"]);
    for number in [1, 2] {
        std::fs::remove_file(project.path(&name(number))).unwrap();
    }
    project.write(&name(4), recording("Where is my letter now?", "It is late again."));
    let mut window = Window::open(start_with(&project, "set"), Vec::new());
    window.wait_for("2 items");
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.wait_for("Paired by signature: the requests differ.");
    click_more(&mut window, Role::MenuItem, "Choose another old recording");
    let choices = |window: &Window| {
        let rows = window.rows().into_iter();
        let rows = rows.filter(|row| row.contains("Pair with"));
        rows.collect::<Vec<String>>().join("\n")
    };
    insta::assert_snapshot!(choices(&window), @"Pair with set/req-1780000000002-with-a-long-name-that-does-not-fit-2.json: Message 1, 5 words replaced, Answer text, 1 word became 2");
    let first = choices(&window);
    window.click(Role::ListBoxOption, &first);
    window.wait_for("Paired by you.");
    assert_eq!(choices(&window), "");
    click_more(&mut window, Role::MenuItem, "Restore the automatic pairing");
    window.wait_for("Paired by signature: the requests differ.");
}

#[test]
fn single_changes_are_taken_from_the_old_side() {
    let project = regenerated();
    let mut window = open_review(&project);
    let before = recordings(&project);
    window.wait_for("Field currency in the call of transition_to_support added");
    let name = "Keep the old value of this change";
    click_more(&mut window, Role::MenuItemCheckBox, name);
    window.press(Key::Escape);
    assert!(window.says("partly accepted"));
    window.press(Key::A);
    window.click(Role::Button, "Apply 1 decision…");
    window.click(Role::Button, "Write 1 file");
    window.wait_until("another text", |_| recordings(&project) != before);
    let after = recordings(&project);
    let changed: Vec<&String> = after.keys().filter(|path| after[*path] != before[*path]).collect();
    let [path] = changed[..] else { panic!("{changed:?}") };
    let lines = before[path].lines().zip(after[path].lines()).filter(|(a, b)| a != b);
    let lines: Vec<String> = lines.map(|(_, b)| b.trim().to_owned()).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#""reason": "Dead link first""#);
}

#[test]
fn differences_like_one_are_ignored_by_a_rule_that_shows_first_what_it_silences() {
    let project = regenerated();
    project.write("retake.toml", "mode =  \"warn\" # so be it\n");
    let mut window = open_review(&project);
    window.wait_for("Field currency in the call of transition_to_support added");
    click_more(&mut window, Role::MenuItem, "Ignore differences like this…");
    window.wait_until("what it silences", |window| window.says("Ignores "));
    window.click(Role::Button, "Save rule");
    window.wait_for("The rule was added to retake.toml.");
    let toml = project.read("retake.toml");
    insta::assert_snapshot!(toml, @r#"
    mode =  "warn" # so be it

    [[review.ignore]]
    at = '/response/response/content/*/input/currency'
    "#);
}

#[test]
fn versions_between_conflict_markers_are_side_by_side_and_are_merged() {
    let project = samples();
    let path = format!("{SETS}/ticket-routing/turn-1.json");
    let text = std::fs::read_to_string(project.path(&path)).unwrap();
    let reason = text.lines().find(|line| line.contains("\"reason\": \"")).unwrap();
    let theirs = reason.replace("\": \"", "\": \"Truly: ");
    let both = format!("<<<<<<< HEAD\n{reason}\n=======\n{theirs}\n>>>>>>> other");
    project.write(&path, text.replace(reason, &both));
    let mut window = open_review_of(&project, "28 items");
    let line = text.lines().take_while(|line| *line != reason).count() + 1;
    assert!(window.says(&format!("The new version has conflict markers: line {line}.")));
    window.click(Role::Button, "Show versions");
    window.wait_for("Place 1 of 1");
    window.press(Key::Num1);
    window.click(Role::Button, "Merge and save");
    let merged = text.replace(reason, &theirs);
    window.wait_until("the merged text", |_| {
        std::fs::read_to_string(project.path(&path)).unwrap() == merged
    });
}

#[test]
fn a_group_is_marked_for_a_talk_with_a_note_that_is_there_next_time() {
    let project = regenerated();
    let mut window = open_review(&project);
    window.click(Role::Button, "More decisions");
    window.fill(Role::MultilineTextInput, "Note on this group", "Who renamed it?");
    window.click(Role::MenuItem, "Discuss all 2");
    insta::assert_snapshot!(queue(&window), @"
    Only times and ids differ, 9, ignored
    Field currency added, 2, to discuss
    >Tool respond became reply, 3
    >req-1773324123377-2
    req-1773324124911-3
    req-1773409556874-1
    Files removed, 1
    ");
    drop(window);
    let ledger = project.read(".retake/review.json");
    assert!(ledger.contains("\"note\": \"Who renamed it?\""), "{ledger}");

    let mut window = open_review(&project);
    window.click(Role::ListBoxOption, "Field currency added, 2, to discuss");
    window.click(Role::Button, "More decisions");
    let note = window.find(Role::MultilineTextInput, "Note on this group");
    assert_eq!(note.value().as_deref(), Some("Who renamed it?"));
}

#[test]
fn old_noise_is_kept_only_where_there_is_an_old_and_a_new_version() {
    let project = regenerated();
    let mut window = open_review(&project);
    assert!(window.shows("Keep old noise of all 2"));
    window.click(Role::ListBoxOption, "Files removed, 1");
    window.settle();
    assert!(!window.says("Keep old noise"));
    let listed = queue(&window);
    window.press(Key::O);
    window.press_with(Modifiers::SHIFT, Key::O);
    assert_eq!(queue(&window), listed);
}

#[test]
fn the_old_noise_is_kept_of_a_group_and_comes_off_with_one_undo() {
    let project = regenerated();
    let new = recordings(&project);
    let mut window = open_review(&project);
    window.wait_for("git diff 16 → 2 lines");
    // The group with the field stays undecided, that of the renamed tool is next.
    window.press(Key::S);
    window.press(Key::S);
    window.press_with(Modifiers::SHIFT, Key::O);
    let noise = "Only times and ids differ, 9, ignored";
    window.click(Role::ListBoxOption, noise);
    window.press_with(Modifiers::SHIFT, Key::O);
    insta::assert_snapshot!(queue(&window), @"
    Only times and ids differ, 9, old noise kept
    Field currency added, 2
    Tool respond became reply, 3, old noise kept
    >Files removed, 1
    ");
    window.press(Key::U);
    assert!(queue(&window).contains(noise));
    window.press_with(Modifiers::SHIFT, Key::O);

    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("Write 12 files");
    assert!(dialog(&window).contains("req-1773409556874-1.json: keeps the old noise"));
    window.click(Role::Button, "Write 12 files");
    window.wait_until("what was done", |window| window.says("Applied"));
    let old = recordings(&samples());
    for (path, text) in recordings(&project) {
        let expected = match path.split('/').next() {
            Some("ticket-routing") => new[&path].clone(),
            Some("triage-ticket") => {
                old[&path].replace("transition_to_respond", "transition_to_reply")
            }
            _ => old[&path].clone(),
        };
        assert_eq!(text, expected, "{path}");
    }
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("all as before", |_| recordings(&project) == new);
}

#[test]
fn differences_are_not_denied_before_all_files_are_read() {
    let project = regenerated();
    let mut window = Window::open(start_with(&project, SETS), Vec::new());
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.wait_until("the review", |window| {
        assert!(!window.shows("Nothing to review"));
        !window.rows().is_empty()
    });
}

#[test]
fn after_a_group_the_next_below_is_selected() {
    let project = regenerated();
    let mut window = open_review(&project);
    window.click(Role::ListBoxOption, "Tool respond became reply, 3");
    window.press_with(Modifiers::SHIFT, Key::A);
    let rows = queue(&window);
    assert!(rows.contains(">Files removed, 1"), "{rows}");
}

#[test]
fn what_needs_no_file_is_applied_without_a_dialog() {
    let project = regenerated();
    let mut window = open_review(&project);
    window.press_with(Modifiers::SHIFT, Key::A);
    window.click(Role::Button, "Apply 2 decisions…");
    window.wait_for("Applied 2 decisions: no file needed a change.");
}

#[test]
fn a_change_that_the_conversation_leaves_out_is_shown_above_it() {
    let cassette = |seed: u8| {
        let sent = format!(
            r#"{{"model": "gpt-5", "seed": {seed}, "messages": [{{"role": "user", "content": "Where is it?"}}]}}"#
        );
        let answer = r#"{"id": "c", "object": "chat.completion", "model": "gpt-5", "choices": [{"index": 0, "message": {"role": "assistant", "content": "In Riga."}, "finish_reason": "stop"}]}"#;
        format!(
            "interactions:\n- request:\n    body: '{sent}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n  \
             response:\n    body: {{string: '{answer}'}}\n    headers: {{}}\n    status: {{code: 200, message: OK}}\nversion: 1\n"
        )
    };
    let project = Project::new(&[("cassettes/a.yaml", &cassette(7))]);
    for git in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "then"]] {
        project.git(git);
    }
    project.write("cassettes/a.yaml", cassette(8));
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.wait_until("the values", |window| window.says("seed"));
    insta::assert_snapshot!(sheet(&window), @"
    Field seed changed
    7
    8
    ");
}

#[test]
fn what_was_edited_by_hand_is_kept_with_one_click_and_never_lost_with_a_group() {
    let project = crate::review::edited_by_hand();
    let new = project.read("fixtures/a.yaml");
    let mut window = Window::open(start_with(&project, "fixtures"), Vec::new());
    window.wait_for("2 cassettes");
    window.press_with(Modifiers::COMMAND, Key::Num6);
    wait_for_all_pairs(&mut window);
    let is_edited = |name: &String| name.ends_with("1 edited by hand");
    let group = window.texts().into_iter().find(is_edited).unwrap();
    click_more(&mut window, Role::MenuItem, "Accept the rest");
    window.wait_until("the warning", |window| {
        window.says("Left undecided, since values in it were edited by hand: fixtures/a.yaml.")
    });
    window.click(Role::ListBoxOption, &group);
    window.wait_until("the remark", |window| window.says("Overwrites 2 values edited by hand in "));
    window.click(Role::Button, "Keep the edits");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("Write 1 file");
    assert!(window.says("Keeps 2 values edited by hand in ") && !window.shows("Keep the edits"));
    window.press(Key::Enter);
    window.wait_until("the file", |_| project.read("fixtures/a.yaml") != new);
    assert_eq!(project.read("fixtures/a.yaml"), new.replace("Refund of ten", "Refund of 11"));
}

#[test]
fn the_first_difference_of_a_pair_has_a_mark_and_a_link() {
    let project = crate::review::edited_by_hand();
    let mut window = Window::open(start_with(&project, "fixtures"), Vec::new());
    window.wait_for("2 cassettes");
    window.press_with(Modifiers::COMMAND, Key::Num6);
    wait_for_all_pairs(&mut window);
    let is_first = |window: &Window, call: &str| {
        window
            .texts()
            .iter()
            .any(|text| text.starts_with(call) && text.ends_with(", first difference"))
    };
    let is_other = |name: &String| name.starts_with("Text changed") || name.ends_with("by hand");
    let group = window.texts().into_iter().find(is_other).unwrap();
    window.click(Role::ListBoxOption, &group);
    window.wait_until("the mark", |window| is_first(window, "Call 1, "));
    assert!(window.says("First difference that matters: call 1: answer text, "));
    window.press(Key::N);
    window.click(Role::Link, "Go to the first difference");
    window.wait_until("the change", |window| window.says("Call 1: answer text"));
}
