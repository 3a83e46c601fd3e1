//! The sessions desk, as a person uses it: a form and its text in step, faults, rows that move.

use super::*;

const INCIDENT: &str = "# June
id: incident     # kept
input: >-
  I was charged twice.
captured_at: 2026-06-11
tool_responses:
  - tool: lookup
    status: 200          # as in the trace
    response: [{ order: \"88\" }]
  - tool: mail
    status: 0
    response: null
";

fn open(text: &str) -> (Project, Window) {
    let project = Project::new(&[("incident.yaml", text)]);
    let mut window = Window::open(start_with(&project, "incident.yaml"), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Tool response 1");
    window.press(Key::Y);
    window.wait_for("Text of incident.yaml");
    (project, window)
}

fn saved(project: &Project, window: &mut Window) -> String {
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Saved incident.yaml.");
    project.read("incident.yaml")
}

/// Waits until the text beside the form has this in it.
fn wait_for_text(window: &mut Window, text: &str) {
    let holds = |window: &Window| {
        let editor = window.find(Role::MultilineTextInput, "Text of incident.yaml");
        editor.value().is_some_and(|value| value.contains(text))
    };
    window.wait_until(text, holds);
}

#[test]
fn what_is_typed_into_the_form_is_in_the_text_at_once_and_undone_there() {
    let (project, mut window) = open(INCIDENT);
    window.fill(Role::TextInput, "Name", "Paid 2x");
    wait_for_text(&mut window, "name: \"Paid 2x\"\n");
    window.fill(Role::TextInput, "Id", "no");
    wait_for_text(&mut window, "id: \"no\"     # kept\n");
    window.press_with(Modifiers::COMMAND, Key::Z);
    wait_for_text(&mut window, "id: incident     # kept\n");
    let after = INCIDENT.replace("# kept\n", "# kept\nname: \"Paid 2x\"\n");
    assert_eq!(saved(&project, &mut window), after);
}

#[test]
fn what_is_typed_into_the_text_is_in_the_form() {
    let (_project, mut window) = open(INCIDENT);
    window.find(Role::MultilineTextInput, "Text of incident.yaml").focus();
    window.settle();
    window.press_with(Modifiers::CTRL | Modifiers::COMMAND, Key::End);
    window.type_text("name: n");
    window.wait_until("the name", |window| {
        window.find(Role::TextInput, "Name").value().as_deref() == Some("n")
    });
}

#[test]
fn a_refused_value_is_reported_at_its_place_and_fixed_with_a_click() {
    let (project, mut window) = open(INCIDENT);
    assert!(window.shows("YAML 1.1 reads a date"));
    window.click(Role::Button, "Quote: Captured at");
    wait_for_text(&mut window, "captured_at: \"2026-06-11\"\n");
    assert!(window.shows("Expected text, an object or null, found a list."));
    window.click(Role::Button, "Wrap: response 1");
    window.wait_until("the fix", |window| !window.says("Expected text, an object or null"));
    let text = saved(&project, &mut window);
    let kept = ["id: incident     # kept\n", "# as in the trace\n", "result:"];
    assert!(kept.iter().all(|kept| text.contains(kept)), "{text}");
}

#[test]
fn a_digit_puts_a_fault_in_and_esc_closes_what_offers_it() {
    let (_project, mut window) = open(INCIDENT);
    window.press(Key::Enter);
    window.press(Key::J);
    window.press(Key::F);
    assert!(window.shows("Rate limit"));
    window.press(Key::Num3);
    wait_for_text(&mut window, "status: 429");
    window.press(Key::Num0);
    window.wait_until("the response before", |window| {
        let editor = window.find(Role::MultilineTextInput, "Text of incident.yaml");
        editor.value().as_deref() == Some(INCIDENT)
    });
    window.press(Key::Escape);
    assert!(!window.shows("Rate limit"));
}

#[test]
fn rows_are_moved_by_keys_and_cells_are_typed_into() {
    let (project, mut window) = open(INCIDENT);
    window.fill(Role::TextInput, "Status of response 2", "5O");
    window.fill(Role::TextInput, "Status of response 2", "503");
    window.press(Key::Enter);
    wait_for_text(&mut window, "status: 503");
    // What is typed is in the file before its row moves.
    window.fill(Role::TextInput, "Latency in ms of response 2", "40");
    window.press_with(Modifiers::ALT, Key::ArrowUp);
    window.wait_until("the row", |window| window.rows().contains(&">Tool response 1".to_owned()));
    let text = saved(&project, &mut window);
    let (_, rows) = text.split_once("tool_responses:\n").unwrap();
    let wanted = "  - tool: mail\n    status: 503\n    response: null\n    latency_ms: 40\n  - tool: lookup\n";
    assert!(rows.starts_with(wanted), "{rows}");
    assert!(rows.contains("    status: 200          # as in the trace\n"), "{rows}");
}

#[test]
fn a_response_is_edited_below_its_row_and_a_value_that_is_no_object_is_reported() {
    let (project, mut window) = open(INCIDENT);
    // The first click selects the row.
    window.click(Role::Button, "Edit response 2");
    assert!(!window.shows("Response 2"));
    window.click(Role::Button, "Edit response 2");
    window.click(Role::RadioButton, "Object");
    window.wait_for("Response 2");
    window.fill(Role::MultilineTextInput, "Response 2", "- 7");
    window.wait_for("Expected an object, found a list.");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Response 2 is invalid: expected an object, found a list. It contains `- 7`. Correct it first.");
    window.fill(Role::MultilineTextInput, "Response 2", "sent: yes");
    assert!(saved(&project, &mut window).ends_with("sent: true\n"));
}

#[test]
fn the_name_is_a_menu_of_all_sessions() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Caught");
    window.click(Role::Button, "refund-twice");
    window.click(Role::MenuItem, "ticket-loop");
    window.wait_for("Tool response 4");
}

#[test]
fn the_samples_have_their_sessions() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Sessions");
    window.wait_until("the first", |window| window.says("refund-twice"));
    window.press(Key::J);
    window.wait_for("Tool response 4");
}

const EMPTY: &str = "id: incident\ninput: Where is it?\n";

/// Saves, and waits until the file is this.
#[track_caller]
fn save_as(project: &Project, window: &mut Window, expected: &str) {
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until(expected, |_| project.read("incident.yaml") == expected);
}

/// Waits until a field has the focus.
#[track_caller]
fn wait_for_focus(window: &mut Window, role: Role, name: &str) {
    window.wait_until(name, |window| window.shows(name) && window.find(role, name).is_focused());
}

#[test]
fn responses_are_added_by_the_keyboard_alone_and_saved_as_they_were_typed() {
    let project = Project::new(&[("incident.yaml", EMPTY)]);
    let mut window = Window::open(start_with(&project, "incident.yaml"), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("No tool responses");
    window.press(Key::Enter);
    wait_for_focus(&mut window, Role::TextInput, "Tool of response 1");
    window.type_text("lookup");
    window.press(Key::Tab);
    wait_for_focus(&mut window, Role::Button, "Edit response 1");
    window.press(Key::Tab);
    wait_for_focus(&mut window, Role::TextInput, "Status of response 1");
    window.type_text("429");
    window.press(Key::Tab);
    wait_for_focus(&mut window, Role::TextInput, "Latency in ms of response 1");
    window.type_text("1.5 s");
    // Back to the response, which opens with the focus in its field, and from there past *Null*.
    for _ in 0..2 {
        window.press_with(Modifiers::SHIFT, Key::Tab);
    }
    wait_for_focus(&mut window, Role::Button, "Edit response 1");
    window.press(Key::Enter);
    wait_for_focus(&mut window, Role::MultilineTextInput, "Response 1");
    for _ in 0..2 {
        window.press_with(Modifiers::SHIFT, Key::Tab);
    }
    wait_for_focus(&mut window, Role::RadioButton, "Object");
    window.press(Key::Space);
    wait_for_focus(&mut window, Role::MultilineTextInput, "Response 1");
    window.type_text("{found: true}");
    let first = "tool_responses:\n  - tool: \"lookup\"\n    response:\n      found: true\n    status: 429\n    latency_ms: 1500\n";
    save_as(&project, &mut window, &format!("{EMPTY}{first}"));

    // The second one, with the keys of the table.
    window.press(Key::Escape);
    window.press(Key::Escape);
    window.press(Key::Insert);
    wait_for_focus(&mut window, Role::TextInput, "Tool of response 2");
    window.type_text("mail");
    window.press(Key::Tab);
    window.press(Key::Tab);
    wait_for_focus(&mut window, Role::TextInput, "Status of response 2");
    window.press(Key::Tab);
    window.type_text("40");
    let second = "  - tool: \"mail\"\n    response: null\n    status: 200\n    latency_ms: 40\n";
    save_as(&project, &mut window, &format!("{EMPTY}{first}{second}"));

    // F2 edits the row again; undo takes one field back at a time.
    window.press(Key::F2);
    wait_for_focus(&mut window, Role::TextInput, "Tool of response 2");
    window.press_with(Modifiers::COMMAND, Key::Z);
    let second = second.replace("    latency_ms: 40\n", "");
    save_as(&project, &mut window, &format!("{EMPTY}{first}{second}"));
}

#[test]
fn a_null_response_that_was_opened_stays_null() {
    let (project, mut window) = open(INCIDENT);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.find(Role::Button, "Edit response 2").focus();
    window.settle();
    window.press(Key::Enter);
    wait_for_focus(&mut window, Role::MultilineTextInput, "Response 2");
    window.press(Key::Escape);
    window.press(Key::Escape);
    window.fill(Role::TextInput, "Name", "June");
    assert!(saved(&project, &mut window).ends_with("    response: null\n"));
}

#[test]
fn a_new_tool_without_a_name_is_an_error_only_when_its_field_was_left() {
    let (_project, mut window) = open(INCIDENT);
    window.press(Key::A);
    wait_for_focus(&mut window, Role::TextInput, "Tool of response 3");
    window.wait_for("Type the name of the tool, as the agent calls it.");
    window.find(Role::TextInput, "Name").focus();
    window.wait_until("the error", |window| {
        window.says("`tool`") && !window.says("Type the name of the tool")
    });
    // Back in the field, and then a save is tried.
    window.find(Role::TextInput, "Tool of response 3").focus();
    window.wait_for("Type the name of the tool, as the agent calls it.");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("the error", |window| {
        window.says("Not saved yet") && !window.says("Type the name of the tool")
    });
}

#[test]
fn in_a_small_window_the_name_is_whole_beside_its_tag() {
    let id = "flakestorm-paraphrase-refund-twice";
    let (_project, mut window) = open(&INCIDENT.replace("id: incident", &format!("id: {id}")));
    window.press(Key::Y);
    window.harness.set_size(egui::vec2(1280.0, 720.0));
    window.fill(Role::TextInput, "Name", "June");
    window.wait_for("Unsaved");
    window.find(Role::Label, id);
}

#[test]
fn nothing_is_saved_while_a_field_is_invalid_and_the_cursor_goes_to_it() {
    let (project, mut window) = open(INCIDENT);
    window.fill(Role::TextInput, "Name", "June");
    window.fill(Role::TextInput, "Status of response 1", "12:30");
    window.find(Role::TextInput, "Name").focus();
    window.settle();
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for(
        "Status of response 1 is invalid: expected a whole number or an empty field. It contains `12:30`. Correct it first, or \
         press Esc in the field to restore its value.",
    );
    wait_for_focus(&mut window, Role::TextInput, "Status of response 1");
    assert_eq!(project.read("incident.yaml"), INCIDENT);
    window.press(Key::Escape);
    window.wait_until("the value before", |window| {
        let field = window.find(Role::TextInput, "Status of response 1");
        field.value().as_deref() == Some("200")
    });
    let after = INCIDENT.replace("# kept\n", "# kept\nname: June\n");
    assert_eq!(saved(&project, &mut window), after);
}

#[test]
fn a_tool_without_a_name_is_reported_before_it_is_saved() {
    let (project, mut window) = open(INCIDENT);
    window.press(Key::A);
    wait_for_focus(&mut window, Role::TextInput, "Tool of response 3");
    window.press(Key::Escape);
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("the report", |window| {
        window.says("Not saved yet: tool response 3 names no tool")
    });
    assert_eq!(project.read("incident.yaml"), INCIDENT);
    wait_for_focus(&mut window, Role::TextInput, "Tool of response 3");
    window.type_text("refund");
    assert!(saved(&project, &mut window).contains("- tool: \"refund\"\n"));
}

#[test]
fn keys_of_other_desks_do_nothing_on_the_sessions_desk() {
    let (_project, mut window) = open(INCIDENT);
    let before = window.texts();
    for key in
        [Key::N, Key::P, Key::X, Key::V, Key::C, Key::M, Key::G, Key::Num1, Key::Num2, Key::Num3]
    {
        window.press(key);
    }
    assert_eq!(window.texts(), before);
}

#[test]
fn what_is_rarely_edited_is_folded_until_it_has_a_problem() {
    let quoted = INCIDENT.replace("2026-06-11", "\"2026-06-11\"");
    for (text, is_open) in [(INCIDENT, true), (&quoted, false)] {
        let (_project, mut window) = open(text);
        assert_eq!(window.shows("Captured at"), is_open);
        window.click(Role::Button, "Captured 2026-06-11, manual");
        assert_eq!(window.shows("Captured at"), !is_open);
    }
}

#[test]
fn the_first_click_selects_a_row_and_the_second_edits() {
    let (_project, mut window) = open(INCIDENT);
    let tool = "Tool of response 2";
    window.click(Role::TextInput, tool);
    assert!(!window.find(Role::TextInput, tool).is_focused());
    window.click(Role::TextInput, tool);
    assert!(window.find(Role::TextInput, tool).is_focused());
    // No key is shown that the field would type.
    assert!(!window.shows("insert a fault"));
    window.click(Role::TextInput, "Tool of response 1");
    assert!(window.shows("insert a fault"));
    window.press(Key::Delete);
    window.wait_until("one row", |window| !window.shows("Tool response 2"));
    let left = window.find(Role::TextInput, "Tool of response 1").value();
    assert_eq!(left.as_deref(), Some("mail"));
}
