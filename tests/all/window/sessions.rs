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
    window
        .find(Role::MultilineTextInput, "Text of incident.yaml")
        .focus();
    window.settle();
    window.press_with(Modifiers::CTRL | Modifiers::COMMAND, Key::End);
    window.type_text("name: n");
    window.wait_until("the name", |window| {
        window.find(Role::TextInput, "Name").value().as_deref() == Some("n")
    });
}

#[test]
fn what_is_refused_is_told_where_it_stands_and_mended_at_a_press() {
    let (project, mut window) = open(INCIDENT);
    assert!(window.shows("YAML 1.1 reads a date"));
    window.click(Role::Button, "Quote it: Captured at");
    wait_for_text(&mut window, "captured_at: \"2026-06-11\"\n");
    assert!(window.shows("A list is not accepted here. Text, an object or null is."));
    window.click(Role::Button, "Wrap it: response 1");
    window.wait_until("the fix", |window| {
        !window.says("A list is not accepted here")
    });
    let text = saved(&project, &mut window);
    let kept = [
        "id: incident     # kept\n",
        "# as in the trace\n",
        "result:",
    ];
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
    wait_for_text(&mut window, "status: 503");
    window.fill(Role::TextInput, "Latency in ms of response 2", "40");
    wait_for_text(&mut window, "latency_ms: 40");
    window.press_with(Modifiers::ALT, Key::ArrowUp);
    window.wait_until("the row", |window| {
        window.rows().contains(&">Tool response 1".to_owned())
    });
    let text = saved(&project, &mut window);
    let (_, rows) = text.split_once("tool_responses:\n").unwrap();
    let wanted = "  - tool: mail\n    status: 503\n    response: null\n    latency_ms: 40\n  - tool: lookup\n";
    assert!(rows.starts_with(wanted), "{rows}");
    assert!(
        rows.contains("    status: 200          # as in the trace\n"),
        "{rows}"
    );
}

#[test]
fn a_response_is_edited_below_its_row_and_what_is_no_object_is_told() {
    let (project, mut window) = open(INCIDENT);
    window.click(Role::Button, "Edit response 2");
    window.click(Role::RadioButton, "Object");
    window.wait_for("Response 2");
    window.fill(Role::MultilineTextInput, "Response 2", "- 7");
    window.wait_for("This is a list, and no object.");
    window.fill(Role::MultilineTextInput, "Response 2", "sent: yes");
    wait_for_text(&mut window, "sent: true");
    assert!(saved(&project, &mut window).ends_with("sent: true\n"));
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
