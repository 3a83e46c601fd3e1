//! A whole run: its causes, their fixes, and which failures are answered since.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::drafts::drop_file;
use super::few_keys::{Keys, changed, files};
use super::legible::{look, places};
use super::*;
use crate::project::{copy, no_match, recording_offering};
use crate::samples::checkout;

/// The sets whose tool was renamed, and how many tests fail in each.
const RENAMED: [&str; 3] = ["billing", "intake", "refunds"];
const TESTS: usize = 4;

/// Six sets whose tests fail for three causes.
fn project() -> Project {
    let project = Project::new(&[("retake.toml", "")]);
    let write = |set: &str, value: &Value| {
        let text = serde_json::to_string_pretty(value).unwrap() + "\n";
        project.write(&format!("rec/{set}/turn-1.json"), text);
    };
    for set in RENAMED {
        write(set, &recording_offering(&format!("{set}-1"), &["respond", "look_up"]));
    }
    for set in ["mail", "notes"] {
        let mut flat = recording_offering(&format!("{set}-1"), &["send"]);
        flat["response"] = flat["response"]["response"].take();
        write(set, &flat);
    }
    let mut keyed = recording_offering("orders-1", &["look_up"]);
    keyed["signature"] =
        json!({ "toolNames": ["look_up"], "messageCount": 1, "contextKeys": ["userId"] });
    write("orders", &keyed);
    project
}

/// Each failed test: its set, its name, what the client prints before, and why it fails.
fn failures() -> Vec<(&'static str, String, String, String)> {
    let mut all = Vec::new();
    for set in RENAMED {
        for case in 1..=TESTS {
            let error = format!("Error: {}", no_match(set, "look_up, reply"));
            all.push((set, format!("case {case}"), String::new(), error));
        }
    }
    for set in ["mail", "notes"] {
        for case in 1..=2 {
            let stdout = format!(
                "[PlaybackTestClient] Loaded 1 recordings from /ci/app/rec/{set}\n\
                 [PlaybackTestClient] Matched recording by signature\n   Tools: send\n   Request ID: {set}-1\n"
            );
            let error = "TypeError: Cannot read properties of undefined (reading 'content')\n";
            all.push((set, format!("case {case}"), stdout, error.to_owned()));
        }
    }
    for case in 1..=3 {
        let error = format!("Error: {}", no_match("orders", "look_up"));
        all.push(("orders", format!("case {case}"), String::new(), error));
    }
    let lost = "Error: Tool 'vanish' not found\n".to_owned();
    all.push(("elsewhere", "works".to_owned(), String::new(), lost));
    all
}

/// The output of the run, as vitest prints it.
fn log() -> String {
    let mut text = String::new();
    for (set, test, stdout, _) in &failures() {
        if !stdout.is_empty() {
            let _ = writeln!(text, "stdout | test/{set}.test.ts > {test}\n{stdout}");
        }
    }
    for (set, test, _, error) in &failures() {
        let _ = writeln!(text, " FAIL  test/{set}.test.ts > {test}\n{error}");
    }
    text
}

fn open(project: &Project) -> Keys {
    let mut window = Window::open(start_with(project, "rec"), Vec::new());
    window.wait_for("6 items");
    Keys { window, pressed: 0 }
}

/// Opens sets with the log of their tests in a low window. Each failure has its set, the tool that was renamed in it, and its test.
fn open_run(failures: &[(String, String, String)]) -> (Project, Window) {
    let project = Project::new(&[("retake.toml", "")]);
    let mut log = String::new();
    for (set, tool, test) in failures {
        let value = recording_offering(&format!("{set}-1"), &[tool, "look_up"]);
        project.write(&format!("rec/{set}/turn-1.json"), value.to_string());
        let error = no_match(set, &format!("look_up, new_{tool}"));
        let _ = writeln!(log, " FAIL  test/{set}.test.ts > {test}\nError: {error}");
    }
    let mut window = Window::open(start_with(&project, "rec"), Vec::new());
    window.wait_until("the recordings", |window| window.says("1 item") || window.says(" items"));
    window.harness.set_size(egui::vec2(1280.0, 560.0));
    window.harness.event(egui::Event::Paste(log));
    let title = format!("{} tests failed", failures.len());
    window.wait_for(&title);
    (project, window)
}

/// Opens a run in which each failure has a cause of its own.
pub(super) fn open_causes() -> (Project, Window) {
    let failures = (0..lists::COUNT)
        .map(|at| (format!("set-{at:02}"), format!("tool_{at:02}"), "plays".to_owned()));
    open_run(&failures.collect::<Vec<_>>())
}

/// Opens a failure in whose set no recording answers.
pub(super) fn open_nearest() -> (Project, Window) {
    let project = Project::new(&[("retake.toml", "")]);
    for number in 0..lists::COUNT {
        let value = recording_offering(&format!("all-{number}"), &[&format!("tool_{number:02}")]);
        project.write(&format!("rec/all/turn-{number:02}.json"), value.to_string());
    }
    let mut window = Window::open(start_with(&project, "rec"), Vec::new());
    window.wait_for(&format!("{} items", lists::COUNT));
    window.harness.set_size(egui::vec2(1280.0, 560.0));
    let mut log = String::new();
    for case in ["plays", "ends"] {
        let _ =
            writeln!(log, " FAIL  test/all.test.ts > {case}\nError: {}", no_match("all", "other"));
    }
    window.harness.event(egui::Event::Paste(log));
    window.wait_for("2 tests failed");
    window.press(Key::Enter);
    window.wait_for("Nearest recordings");
    (project, window)
}

/// The cause that is selected.
fn selected_cause(window: &Window) -> Option<String> {
    window.rows().into_iter().find(|row| row.starts_with('>'))
}

#[test]
fn a_pasted_run_is_fixed_in_few_keys_and_its_failures_are_played_again() {
    let project = project();
    let mut keys = open(&project);
    let before = files(&project.path(""));
    keys.paste(&log());
    keys.window.wait_for("20 tests failed");
    assert!(keys.window.shows("3 causes"));
    insta::assert_snapshot!(keys.window.rows().join("\n"), @r"
    >respond became reply, 12
    >test/billing.test.ts > case 1, 1 call, 1 fails
    test/billing.test.ts > case 2, 1 call, 1 fails
    test/billing.test.ts > case 3, 1 call, 1 fails
    test/billing.test.ts > case 4, 1 call, 1 fails
    test/intake.test.ts > case 1, 1 call, 1 fails
    test/intake.test.ts > case 2, 1 call, 1 fails
    6 more
    Answers load as undefined, 4
    test/mail.test.ts > case 1, 1 call, 1 fails
    test/mail.test.ts > case 2, 1 call, 1 fails
    test/notes.test.ts > case 1, 1 call, 1 fails
    test/notes.test.ts > case 2, 1 call, 1 fails
    Signatures store context keys, 3
    test/orders.test.ts > case 1, 1 call, 1 fails
    test/orders.test.ts > case 2, 1 call, 1 fails
    test/orders.test.ts > case 3, 1 call, 1 fails
    No set named, 1
    test/elsewhere.test.ts > works, 1 call, 1 fails
    ");
    assert!(keys.window.shows("Rename respond to reply in 3 files…"));
    assert!(keys.window.shows("− recorded   + sent"));
    assert!(!keys.window.says(" solved"));

    keys.press(Modifiers::NONE, Key::F);
    keys.window.wait_for("Save 3 files");
    assert!(changed(&before, &files(&project.path(""))).is_empty(), "nothing is written unasked");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("12 solved, 8 left");
    keys.window.wait_for("Saved 3 files.");
    keys.end(3);
    assert_eq!(changed(&before, &files(&project.path(""))).len(), 3);
    // A cause that is solved folds to the end.
    assert_eq!(keys.window.rows().last().unwrap(), ">respond became reply, 12, solved");

    // What is undone is unsaved, and counts nevertheless.
    keys.press(Modifiers::COMMAND, Key::Z);
    keys.window.wait_until("the failures", |window| !window.says(" solved"));
    keys.press(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    keys.window.wait_for("12 solved, 8 left");

    keys.press(Modifiers::SHIFT, Key::F);
    keys.window.wait_for("Save 3 files");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("19 solved, 1 left");
    keys.window.wait_until("all files", |_| changed(&before, &files(&project.path(""))).len() == 6);
}

#[test]
fn a_fixed_cassette_is_played_again_with_the_request_of_the_log() {
    let project = Project::new(&[("retake.toml", "")]);
    copy(&checkout().join("sample-cassettes"), &project.path("sample"));
    let mut window = Window::open(start_with(&project, "sample"), Vec::new());
    window.wait_for("5 cassettes");
    let mut keys = Keys { window, pressed: 0 };
    keys.paste(&project.read("sample/run.log"));
    keys.window.wait_for("1 of 4 tests failed, 1 skipped");
    assert!(keys.window.shows("− recorded   + sent"));
    // As many files as the dialog changes.
    assert!(keys.window.shows("Change the recorded request: 2 files…"));
    keys.press(Modifiers::NONE, Key::F);
    keys.window.wait_for("Change 2 files");
    assert!(keys.window.says("(also call 2, where the same is recorded)"));
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("All 1 solved");
    keys.end(3);
    assert!(keys.window.shows("Each request in the log finds an answer in the present files."));
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Fixed since the log was written.");
    assert!(!keys.window.says("Tool schema changed"));
}

#[test]
fn all_causes_are_fixed_in_one_step_and_changes_on_disk_are_followed() {
    let project = project();
    let mut keys = open(&project);
    keys.paste(&log());
    keys.window.wait_for("20 tests failed");
    let broken = project.read("rec/orders/turn-1.json");
    keys.press(Modifiers::SHIFT, Key::F);
    keys.window.wait_for("Save 6 files");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("19 solved, 1 left");
    keys.window.wait_for("Saved 6 files.");
    keys.end(3);
    project.write("rec/orders/turn-1.json", broken);
    keys.window.wait_for("16 solved, 4 left");
}

#[test]
fn causes_and_failures_are_reached_by_keys_and_a_failure_is_played_and_left_again() {
    let project = project();
    let mut keys = open(&project);
    keys.paste(&log());
    keys.window.wait_for("20 tests failed");
    let selected = |keys: &Keys| selected_cause(&keys.window).unwrap();
    for (key, cause) in [
        (Key::N, ">Answers load"),
        (Key::J, ">Signatures store"),
        (Key::K, ">Answers load"),
        (Key::P, ">respond became"),
    ] {
        keys.press(Modifiers::NONE, key);
        assert!(selected(&keys).starts_with(cause), "{key:?}: {}", selected(&keys));
    }

    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Call 1 found no recording: its tools differ.");
    assert!(keys.window.shows("1 of 12"));
    // What was recorded comes first: over the calls that were sent, and at the left of a value.
    let [recorded, sent] = ["Recorded", "Sent"].map(|name| places(&keys.window, name));
    let [recorded_strip, recorded_value] = recorded[..] else { panic!("{recorded:?}") };
    let [sent_strip, sent_value] = sent[..] else { panic!("{sent:?}") };
    assert!(recorded_strip.y < sent_strip.y && recorded_value.x < sent_value.x);
    keys.press(Modifiers::NONE, Key::J);
    keys.window.wait_for("2 of 12");
    insta::assert_snapshot!(keys.window.rows().join("\n"), @">turn-1.json, 1 missing, 1 extra tool");
    keys.press(Modifiers::NONE, Key::Escape);
    keys.window.wait_for("20 tests failed");
    assert!(
        keys.window.rows().contains(&">test/billing.test.ts > case 2, 1 call, 1 fails".to_owned())
    );

    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.click(Role::Link, "Play in Playback");
    keys.window.wait_until("the call", |window| window.says("Rename the tool throughout this set"));
    keys.press(Modifiers::ALT, Key::ArrowLeft);
    keys.press(Modifiers::ALT, Key::ArrowLeft);
    keys.window.wait_for("20 tests failed");
    keys.window.click(Role::ListBoxOption, "6 more");
    assert!(keys.window.says("test/refunds.test.ts > case 4"));
    keys.window.click(Role::Link, "billing/turn-1.json");
    keys.window.wait_for("6 items");
}

#[test]
fn a_run_of_which_nothing_is_assigned_says_so_and_a_set_is_chosen() {
    let project = project();
    let window = Window::open(start_with(&project, "rec"), vec![project.path("rec/billing")]);
    let mut keys = Keys { window, pressed: 0 };
    keys.window.wait_for("6 items");
    let mut text = log();
    let others = ["oak", "elm", "ash", "fir", "yew", "box"];
    let sets = ["billing", "intake", "refunds", "mail", "notes", "orders"];
    for (set, other) in sets.into_iter().zip(others) {
        text = text.replace(set, other);
    }
    keys.paste(&text);
    keys.window.wait_for("20 failures name no set");
    keys.press(Modifiers::NONE, Key::F);
    assert!(keys.window.shows("20 tests failed"), "nothing is fixed");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Choose the set that answers");
    keys.press(Modifiers::ALT, Key::ArrowLeft);
    keys.window.click(Role::Button, "Choose…");
    keys.window.wait_for("Rename respond to reply in 1 file…");
}

#[test]
fn a_log_without_failures_says_how_many_tests_passed_on_any_desk() {
    let project = project();
    for desk in [Key::Num1, Key::Num2, Key::Num6, Key::Num7] {
        let mut keys = open(&project);
        keys.press(Modifiers::COMMAND, desk);
        keys.paste("==== 1204 passed, 3 skipped in 93.20s (0:01:33) ====\n");
        keys.window.wait_for("All 1,204 tests passed");
    }
}

#[test]
fn a_dropped_report_and_a_folder_of_logs_are_triaged_and_a_folder_of_recordings_is_opened() {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let mut report = "<testsuites>\n<testsuite name=\"all\">\n".to_owned();
    for (set, test, stdout, error) in &failures() {
        let _ = writeln!(
            report,
            "<testcase classname=\"test/{set}.test.ts\" name=\"{test}\">\n<system-out>\n{}</system-out>\n<failure message=\"it failed\">\n{}\n</failure>\n</testcase>\n<testcase name=\"passes\"/>",
            escaped(stdout),
            escaped(error)
        );
    }
    report += "</testsuite>\n</testsuites>\n";
    let project = project();
    project.write("junit.xml", &report);
    project.write("logs/first.log", log());
    project.write("logs/notes.txt", "nothing of a client");
    let mut keys = open(&project);
    drop_file(&mut keys.window, &project.path("junit.xml"));
    keys.window.wait_for("20 of 40 tests failed");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Call 1 found no recording: its tools differ.");

    drop_file(&mut keys.window, &project.path("logs"));
    keys.window.wait_for("20 tests failed");
    drop_file(&mut keys.window, &project.path("rec/mail"));
    keys.window.wait_for("1 item");

    // A report that is chosen is triaged like a dropped one.
    let chosen = vec![project.path("junit.xml")];
    let mut window = Window::open(start_with(&project, "rec"), chosen);
    window.wait_for("6 items");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.wait_for("Choose what to play");
    window.press(Key::V);
    window.click(Role::MenuItem, "Play a machine, request or log…");
    window.wait_for("20 of 40 tests failed");
}

#[test]
fn a_shared_run_is_a_page_without_secrets_that_opens_again() {
    let project = project();
    let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    let mut secret = recording_offering("billing-1", &["respond", "look_up"]);
    secret["request"]["messages"][0]["content"] = json!(format!("My token is {key}."));
    secret["request"]["tools"][0]["description"] = json!(format!("Responds with {key}."));
    let text = serde_json::to_string_pretty(&secret).unwrap() + "\n";
    project.write("rec/billing/turn-1.json", text);
    project.write("junit.log", log() + &format!("\nAuthorization: {key}\n"));
    let page = project.path("shared.html");
    let window = Window::open(start_with(&project, "rec"), vec![page.clone()]);
    let mut keys = Keys { window, pressed: 0 };
    keys.window.wait_for("6 items");
    drop_file(&mut keys.window, &project.path("junit.log"));
    keys.window.wait_for("20 tests failed");
    let share = |keys: &mut Keys| {
        keys.press(Modifiers::NONE, Key::V);
        keys.window.click(Role::MenuItem, "Share run…");
        keys.window
            .wait_until("the page", |window| window.says("It opens in any browser and in Retake."));
        project.read("shared.html")
    };
    let shared = share(&mut keys);
    assert!(shared.contains("respond</code> became <code>reply"));
    assert!(shared.contains("After the fix, <code>rec/billing/turn-1.json</code>"));
    assert!(!shared.contains(&key) && !shared.contains(&key[..12]));
    assert!(!shared.contains("answered now"));
    // The command line writes the same page.
    let logs = ["triage", "junit.log", "--recordings", "rec", "--format", "html"];
    assert_eq!(project.run(&logs).stdout, shared);

    keys.press(Modifiers::NONE, Key::F);
    keys.window.wait_for("Save 3 files");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("12 solved, 8 left");
    keys.window.wait_for("Saved 3 files.");
    std::fs::remove_file(&page).unwrap();
    let shared = share(&mut keys);
    assert!(shared.contains("12 of 20 answered now; 8 still fail."));
    assert_eq!(shared.matches("<p>Solved: ").count(), 1);

    let mut keys = open(&project);
    drop_file(&mut keys.window, &page);
    keys.window.wait_for("20 tests failed");
    assert!(keys.window.says("test/mail.test.ts > case 1"));
}

#[test]
fn the_log_of_a_single_failure_is_shared_from_where_it_is_played() {
    let project = project();
    let page = project.path("one.html");
    let mut window = Window::open(start_with(&project, "rec"), vec![page]);
    window.wait_for("6 items");
    let error = no_match("billing", "look_up, reply");
    let log = format!(" FAIL  test/billing.test.ts > plays\n{error}\n");
    window.harness.event(egui::Event::Paste(log));
    window.wait_until("the call", |window| window.says("Rename the tool throughout this set"));
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("share run");
    window.press(Key::Enter);
    window.wait_until("the page", |window| window.says("It opens in any browser and in Retake."));
    assert!(project.read("one.html").contains("1 failure, 1 cause"));
}

#[test]
fn files_of_several_sets_are_renamed_after_one_dialog_and_that_is_undone() {
    let project = Project::new(&[("retake.toml", "")]);
    let mut log = String::new();
    for set in ["first", "second"] {
        for turn in 1..=11 {
            let value = recording_offering(&format!("{set}-{turn}"), &[&format!("step_{turn:02}")]);
            let text = serde_json::to_string_pretty(&value).unwrap();
            project.write(&format!("rec/{set}/turn-{turn}.json"), text);
        }
        let _ = writeln!(
            log,
            "stdout | test/{set}.test.ts > plays\n[PlaybackTestClient] Loaded 11 recordings from /ci/app/rec/{set}"
        );
        for (call, served) in [1, 10, 11, 2].into_iter().enumerate() {
            let _ = writeln!(
                log,
                "Playing back recording {}/11\n   Request ID: {set}-{served}",
                call + 1
            );
            if call + 1 != served {
                let _ = writeln!(
                    log,
                    "Tool name mismatch at index 0: current=\"step_{:02}\", recorded=\"step_{served:02}\"",
                    call + 1
                );
            }
        }
        log += "\n";
    }
    for set in ["first", "second"] {
        let _ = writeln!(
            log,
            " FAIL  test/{set}.test.ts > plays\nAssertionError: expected 'b' to be 'a'\n"
        );
    }
    let mut window = Window::open(start_with(&project, "rec"), Vec::new());
    window.wait_for("22 items");
    let mut keys = Keys { window, pressed: 0 };
    let before = files(&project.path(""));
    keys.paste(&log);
    keys.window.wait_for("2 tests failed");
    keys.press(Modifiers::NONE, Key::F);
    keys.window.wait_until("the dialog", |window| window.says("Rename 18 files"));
    assert!(changed(&before, &files(&project.path(""))).is_empty());
    keys.window.click(Role::Button, "Rename 18 files");
    keys.window.wait_for("Renamed 18 files.");
    keys.window.wait_for("All 2 solved");
    keys.press(Modifiers::COMMAND, Key::Z);
    keys.window.wait_until("the failures", |window| !window.says("solved"));
    assert!(changed(&before, &files(&project.path(""))).is_empty());
}

#[test]
fn without_a_project_a_run_is_kept_until_its_recordings_are_open() {
    let project = project();
    let mut window = Window::open(StartOptions::default(), vec![project.path("rec")]);
    window.settle();
    let mut keys = Keys { window, pressed: 0 };
    keys.paste(&log());
    keys.window.wait_until("the reason", |window| {
        window.says("open the folder with the recordings first")
    });
    keys.press(Modifiers::COMMAND, Key::O);
    keys.window.wait_for("20 tests failed");
}

#[test]
fn chosen_logs_are_triaged_and_logs_without_failures_say_so() {
    let project = project();
    project.write("first.log", log());
    let pick = |chosen: &str| {
        let chosen = vec![project.path(chosen)];
        let mut window = Window::open(start_with(&project, "rec"), chosen);
        window.wait_for("6 items");
        window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
        window.type_text("triage a run");
        window.press(Key::Enter);
        window
    };
    let mut window = pick("first.log");
    window.wait_for("20 tests failed");
    assert!(window.says("test/billing.test.ts > case 1"));
    project.write("notes.txt", "all is well");
    pick("notes.txt").wait_for("No failure to triage");
}

#[test]
fn a_run_in_the_form_for_a_log_is_triaged() {
    let project = project();
    let mut window = open(&project).window;
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("paste failure log");
    window.press(Key::Enter);
    window.wait_for("The log");
    window.harness.event(egui::Event::Paste(log()));
    window.settle();
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("20 tests failed");
}

#[test]
fn what_is_cut_has_a_tooltip_and_no_controls_overlap() {
    let mut found = Vec::new();
    for size in [egui::vec2(900.0, 600.0), egui::vec2(1440.0, 900.0)] {
        let project = project();
        let mut keys = open(&project);
        keys.window.harness.set_size(size);
        keys.window.settle();
        keys.paste(&log());
        keys.window.wait_for("20 tests failed");
        look(&mut keys.window, "a run", &mut found);
        keys.press(Modifiers::NONE, Key::Enter);
        keys.window.wait_for("Nearest recordings");
        look(&mut keys.window, "a failure", &mut found);
        keys.press(Modifiers::NONE, Key::Escape);
        keys.press(Modifiers::NONE, Key::F);
        keys.window.wait_for("Save 3 files");
        keys.press(Modifiers::NONE, Key::Enter);
        keys.window.wait_for("12 solved, 8 left");
        keys.window.wait_for("Saved 3 files.");
        look(&mut keys.window, "a run after a fix", &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}
