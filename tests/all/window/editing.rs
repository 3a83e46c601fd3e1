//! Editing values in place: in the tree and in the summary.

use super::*;

const SESSION: &str = "sample-recordings/replays/ticket-loop.yaml";

/// Opens the samples and shows a tab of the session.
fn open_session(project: &Project, tab: &str) -> Window {
    let mut window = open_samples(project);
    window.click(Role::ListBoxOption, "ticket-loop, session, OK");
    window.wait_for(tab);
    window.click(Role::Tab, tab);
    window
}

impl Window {
    /// Types in place of what the field holds that has the cursor.
    fn replace_text(&mut self, text: &str) {
        self.press_with(Modifiers::COMMAND, Key::A);
        self.harness.event(egui::Event::Text(text.to_owned()));
        self.settle();
    }

    /// Puts the cursor on a row of the tree.
    #[track_caller]
    fn go_to(&mut self, row: &str) {
        self.click(Role::TreeItem, row);
    }

    /// How many rows or texts say this.
    fn count(&self, name: &str) -> usize {
        let is_it = |node: &Node<'_>| text_of(node).as_deref() == Some(name);
        self.nodes().filter(is_it).count()
    }

    /// The rows of the tree from one to another.
    fn tree(&self, from: &str, to: &str) -> String {
        let rows = self
            .nodes()
            .filter(|node| role_of(node) == Role::TreeItem)
            .filter_map(|node| text_of(&node));
        let rows = rows.skip_while(|row| row != from);
        let mut rows: Vec<String> = rows.collect();
        let end = rows.iter().position(|row| row == to);
        rows.truncate(end.map_or(rows.len(), |end| end + 1));
        rows.join("\n")
    }
}

#[test]
fn a_number_is_edited_in_its_row_undone_and_done_again() {
    let project = samples();
    let before = std::fs::read(project.path(SESSION)).unwrap();
    let mut window = open_session(&project, "YAML");
    window.go_to("latency_ms: 85");
    window.press(Key::ArrowUp);
    window.press(Key::Enter);
    window.find(Role::TextInput, "Edit status");
    window.replace_text("504");
    window.press(Key::Enter);
    window.wait_until("the new status", |window| window.count("status: 504") == 2);
    assert!(window.says("Unsaved"), "{:#?}", window.texts());

    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_until("the old status", |window| window.count("status: 504") == 1);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.wait_until("the new status", |window| window.count("status: 504") == 2);
    assert_eq!(std::fs::read(project.path(SESSION)).unwrap(), before);
}

#[test]
fn a_number_takes_units_and_a_bad_one_stays_until_it_is_given_up() {
    let project = samples();
    let mut window = open_session(&project, "YAML");
    window.go_to("latency_ms: 240");
    window.press(Key::F2);
    window.replace_text("soon");
    window.press(Key::Enter);
    assert!(window.shows("This is not a number"));
    window.find(Role::TextInput, "Edit latency_ms");
    window.press(Key::Escape);
    assert!(!window.shows("This is not a number"));
    assert!(window.shows("latency_ms: 240"));

    window.press(Key::F2);
    window.replace_text("1.24 s");
    window.press(Key::Enter);
    window.wait_for("latency_ms: 1240");
}

#[test]
fn tab_goes_on_with_the_next_value() {
    let project = samples();
    let mut window = open_session(&project, "YAML");
    window.go_to("id: ticket-loop");
    window.press(Key::Enter);
    window.replace_text("loop");
    window.press(Key::Tab);
    window.wait_for("id: loop");
    window.find(Role::TextInput, "Edit name");
    window.press(Key::Escape);
    assert!(window.shows("name: \"Ticket opened again and again\""));
}

#[test]
fn bad_json_cannot_be_applied_and_escape_leaves_the_file_as_it_was() {
    let project = samples();
    let mut window = open_session(&project, "YAML");
    window.go_to("context: [ 2 elements ]");
    window.press(Key::F2);
    window.find(Role::MultilineTextInput, "Edit context");
    window.replace_text("[1,\n oops]");
    assert!(window.says("Line 2, column 2: "));
    assert!(window.find(Role::Button, "Apply").accesskit_node().is_disabled());
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.find(Role::MultilineTextInput, "Edit context");
    window.press(Key::Escape);
    assert!(window.shows("context: [ 2 elements ]"));
    assert!(!window.says("Unsaved"));

    window.press(Key::F2);
    window.replace_text("[1, \"two\"]");
    window.click(Role::Button, "Apply");
    window.wait_for("1: \"two\"");
}

#[test]
fn elements_and_members_are_added_moved_renamed_and_removed() {
    let project = samples();
    let mut window = open_session(&project, "YAML");
    let entries = |window: &Window| {
        window.tree("context: [ 2 elements ]", "content: \"Hello, is anybody there?\"")
    };
    window.go_to("role: user");
    window.press(Key::ArrowUp);
    window.press_with(Modifiers::ALT, Key::ArrowDown);
    window.wait_until("another order", |window| {
        entries(window).lines().nth(2) == Some("role: assistant")
    });
    // The cursor has moved along.
    window.press_with(Modifiers::ALT, Key::ArrowUp);
    window.wait_until("the first order", |window| {
        entries(window).lines().nth(2) == Some("role: user")
    });

    window.go_to("role: user");
    window.press_with(Modifiers::SHIFT, Key::F2);
    window.find(Role::TextInput, "Rename role");
    window.replace_text("speaker");
    window.press(Key::Enter);
    window.wait_for("speaker: user");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::D);
    window.wait_for("speaker_2: \"user\"");
    window.press(Key::Delete);
    window.wait_until("one speaker", |window| !window.shows("speaker_2: \"user\""));

    window.go_to("speaker: user");
    window.press(Key::ArrowUp);
    window.press(Key::Insert);
    window.find(Role::MultilineTextInput, "New element 1 of context");
    window.replace_text("{\"role\": \"system\"}");
    window.click(Role::Button, "Apply");
    window.wait_for("role: system");
    for _ in 0..6 {
        window.press_with(Modifiers::COMMAND, Key::Z);
    }
    window.wait_until("nothing unsaved", |window| !window.says("Unsaved"));
}

#[test]
fn prose_and_facts_are_edited_in_place() {
    let project = samples();
    let mut window = open_session(&project, "Content");
    window.click(Role::Button, "Edit /input");
    window.find(Role::MultilineTextInput, "Edit input");
    window.replace_text("Where is my money?\nI want it back.");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_until("the new text", |window| window.says("I want it back."));
    assert!(!window.says("The export stops"));

    window.click(Role::Button, "Edit /tool_responses/0/latency_ms");
    window.find(Role::TextInput, "Edit latency_ms");
    window.replace_text("2 s");
    window.press(Key::Enter);
    window.wait_for("2,000 ms");

    window.click(Role::Button, "Edit /contract");
    window.replace_text("Other");
    window.press(Key::Escape);
    assert!(window.shows("Helpdesk contract"));
}

#[test]
fn what_was_typed_stays_when_the_value_changes_under_it() {
    let project = samples();
    let mut window = open_session(&project, "YAML");
    window.go_to("source: manual");
    window.press(Key::Enter);
    window.replace_text("typed");
    let text = project.read(SESSION);
    project.write(SESSION, text.replace("source: manual", "source: other"));
    window.press(Key::F5);
    window.wait_for_samples();
    window.click(Role::ListBoxOption, "ticket-loop, session, OK");
    window.wait_until("a remark", |window| window.says("The file changed; the value is now other"));
    window.click(Role::TextInput, "Edit source");
    window.press(Key::Enter);
    window.wait_for("source: typed");
}

#[test]
fn a_boolean_and_a_known_word_are_chosen() {
    let project = samples();
    let file = "sample-recordings/tapes/flags.json";
    project.write(file, r#"{"on": true, "messages": [{"role": "user"}]}"#);
    let mut window = Window::open(
        StartOptions { paths: vec![project.path(file)], ..StartOptions::default() },
        Vec::new(),
    );
    window.wait_for("JSON");
    window.click(Role::Tab, "JSON");
    window.go_to("on: true");
    window.press(Key::Enter);
    window.press(Key::ArrowRight);
    window.press(Key::Escape);
    assert!(window.shows("on: true"));
    window.press(Key::Enter);
    window.press(Key::F);
    window.press(Key::Enter);
    window.wait_for("on: false");

    window.go_to("role: \"user\"");
    window.press(Key::F2);
    window.click(Role::Button, "Choose a value");
    window.click(Role::MenuItem, "assistant");
    window.press(Key::Enter);
    window.wait_for("role: \"assistant\"");
}

#[test]
fn a_save_and_the_way_out_count_what_is_still_being_typed() {
    let project = samples();
    let before = project.read(SESSION);
    let mut window = open_session(&project, "YAML");
    window.go_to("latency_ms: 240");
    window.press(Key::F2);
    window.replace_text("241");
    window.press_with(Modifiers::COMMAND, Key::S);
    let saved = before.replace("latency_ms: 240", "latency_ms: 241");
    window.wait_until("the saved file", |_| project.read(SESSION) == saved);

    window.go_to("latency_ms: 241");
    window.press(Key::F2);
    window.replace_text("soon");
    window.press_with(Modifiers::COMMAND, Key::Q);
    assert!(window.shows(
        "A value being edited could not be applied to its file. Fix it, or discard it with Esc."
    ));
    window.find(Role::TextInput, "Edit latency_ms");
    window.replace_text("242");
    window.press_with(Modifiers::COMMAND, Key::Q);
    window.wait_for("Save your work before closing?");
}

#[test]
fn what_the_command_line_has_written_is_in_the_history_and_undone_there() {
    let project = samples();
    project.write("retake.toml", "");
    let before = std::fs::read(project.path(SESSION)).unwrap();
    let set = ["edit", SESSION, "--set", "/tool_responses/1/status=502"];
    assert_eq!(project.run(&set).code, Some(0));
    let start = StartOptions {
        paths: vec![project.path("sample-recordings")],
        undo: Some(project.path("state/undo")),
        ..StartOptions::default()
    };
    let mut window = Window::open(start, Vec::new());
    window.wait_for_samples();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::H);
    window.wait_for("On the command line");
    let listed = window.texts();
    let is_command = |text: &&String| text.contains("retake edit sample-recordings/replays");
    assert!(listed.iter().any(|text| is_command(&text)), "{listed:#?}");
    // A file that has changed since is refused, and then the choices are shown.
    let edited = project.read(SESSION);
    project.write(SESSION, "");
    assert!(!window.shows("Forget the last command"));
    window.click(Role::Button, "Undo the last command");
    window.wait_for("Restore unchanged files only");
    assert!(window.shows("Forget the last command"));
    project.write(SESSION, edited);
    window.click(Role::Button, "Undo the last command");
    window.wait_until("the old bytes", |_| std::fs::read(project.path(SESSION)).unwrap() == before);
    window.wait_until("no more commands", |window| !window.says("On the command line"));
    assert_eq!(project.run(&["undo"]).code, Some(1));
}
