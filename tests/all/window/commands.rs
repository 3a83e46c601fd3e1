//! Commands outside: a command is shown first, started by the user, its output is followed, and it is stopped.

use super::*;

/// The samples with a command in their project's file.
fn project(command: &str) -> Project {
    let project = samples();
    let settings = format!("[regenerate]\ncommand = '''{command}'''\n");
    project.write("retake.toml", &settings);
    project
}

/// Opens the recordings that a stale source breaks, and requests the command.
fn open_command(project: &Project) -> Window {
    let mut window = open_samples(project);
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Record all that break");
    window.press(Key::Enter);
    window.wait_for("Not run yet");
    window
}

#[test]
#[cfg(unix)]
fn the_exact_command_is_shown_run_followed_and_stopped() {
    let project = project("touch ran; echo up {sets}; exec sleep 1000");
    let mut window = open_command(&project);
    assert!(window.shows("Record 3 recordings again"));
    assert!(window.shows("touch ran; echo up triage-ticket; exec sleep 1000"));
    assert!(window.shows("From retake.toml, line 2. Change it there."));
    window.click(Role::Button, "Copy");
    let copied = window.copied.clone();
    assert_eq!(copied.as_deref(), Some("touch ran; echo up triage-ticket; exec sleep 1000"));
    assert!(!project.path("ran").exists());

    window.click(Role::Button, "Run");
    window.wait_for("up triage-ticket");
    assert!(project.path("ran").exists());
    assert!(window.shows("Running"));
    window.click(Role::Button, "Stop");
    window.wait_for("The command was stopped.");
    window.wait_until("how it ended", |window| window.shows("Stopped"));
}

#[test]
#[cfg(unix)]
fn enter_runs_what_is_shown_and_escape_puts_it_away() {
    let project = project("echo hello; exit 3");
    let mut window = open_command(&project);
    window.press(Key::Escape);
    assert!(!window.says("Not run yet"));

    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("Record all that break");
    window.press(Key::Enter);
    window.wait_for("Not run yet");
    window.press(Key::Enter);
    window.wait_for("The command ended with exit code 3.");
    assert!(window.shows("hello"));
    assert!(window.shows("Ended with exit code 3"));
    window.click(Role::Button, "Copy the output");
    assert_eq!(window.copied.as_deref(), Some("$ echo hello; exit 3\nhello\n"));
    window.press_with(Modifiers::COMMAND, Key::J);
    assert!(!window.shows("hello"));
}

#[test]
#[cfg(unix)]
fn what_runs_is_reported_and_stopped_wherever_the_user_is() {
    let project = project("echo up; exec sleep 1000");
    let mut window = open_command(&project);
    window.press(Key::Enter);
    window.wait_for("up");
    window.press_with(Modifiers::COMMAND, Key::J);
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window
        .wait_until("the status line", |window| window.says("Record 3 recordings again: running"));
    window.click(Role::Link, "Stop");
    window.wait_for("The command was stopped.");
}

#[test]
fn without_a_command_the_lines_for_the_file_are_offered() {
    let project = samples();
    let mut window = open_samples(&project);
    window.click(Role::RadioButton, "Stale, breaks 3");
    window.click(Role::ListBoxOption, "req-1773324124911-3, recording, Stale, breaks");
    window.wait_for("Record again…");
    window.click(Role::Button, "Record again…");
    window.wait_for("No command is set");
    window.click(Role::Button, "Copy");
    let copied = window.copied.clone().unwrap();
    assert!(copied.starts_with("[regenerate]\ncommand = "), "{copied}");
    window.press(Key::Escape);
    assert!(!window.shows("No command is set"));
}

#[test]
fn then_and_now_offers_to_record_again_what_breaks() {
    let project = project("npm test -- {sets}");
    let mut window = open_samples(&project);
    window.click(Role::RadioButton, "Stale, breaks 3");
    window.click(Role::ListBoxOption, "req-1773324124911-3, recording, Stale, breaks");
    window.press_with(Modifiers::COMMAND, Key::D);
    window.wait_for("Record 3 again…");
    window.click(Role::Button, "Record 3 again…");
    window.wait_for("npm test -- triage-ticket");
    assert!(window.shows("Not run yet"));
}
