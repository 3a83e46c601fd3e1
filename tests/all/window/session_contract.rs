//! The contract of a session, as a person uses it: chosen, tried on an answer, listed, run.

use super::*;

const CONFIG: &str = "# the agent
agent: { endpoint: http://localhost }
contract:
  name: Helpdesk
  invariants:
    - { id: once, type: excludes_pattern, patterns: [twice], severity: critical }
    - { id: polite, type: contain, pattern: sorry }
    - { id: tone, type: similarity }
replays:
  sessions:
    - file: gone.yaml   # not there
";

const SESSION: &str = "id: incident
input: I was charged twice.
context:
  - { provenance: flakestorm_report, response: I paid it twice., latency_ms: 31200 }
tool_responses: []
contract: contracts/strict.yaml   # for now
";

const STRICT: &str =
    "name: strict\ninvariants:\n  - { id: quick, type: latency, max_ms: 1000, severity: low }\n";

fn open() -> (Project, Window) {
    let project = Project::new(&[
        ("flakestorm.yaml", CONFIG),
        ("contracts/strict.yaml", STRICT),
        ("replays/incident.yaml", SESSION),
    ]);
    let mut window = Window::open(start_with(&project, ""), Vec::new());
    window.wait_for_rows(3);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Caught");
    window.click(Role::Button, "contracts/strict.yaml");
    window.wait_for("Contract: contracts/strict.yaml");
    (project, window)
}

/// The invariants, as they are read out.
fn invariants(window: &Window, ids: &[&str]) -> String {
    let is_one = |text: &String| ids.iter().any(|id| text.starts_with(&format!("{id}, ")));
    let texts = window.texts().into_iter().filter(is_one);
    texts.collect::<Vec<_>>().join("\n")
}

fn choose_helpdesk(window: &mut Window) {
    window.click(Role::Button, "Contract: contracts/strict.yaml");
    window.click(Role::MenuItem, "Helpdesk, 3 invariants");
    window.wait_for("Contract: Helpdesk");
    window.wait_until("its invariants", |window| window.says("once, fails"));
}

#[test]
fn the_contract_is_tried_on_what_the_session_has_kept_and_another_is_chosen() {
    let (project, mut window) = open();
    assert!(window.shows("The contract fails the recorded answer."));
    assert_eq!(
        invariants(&window, &["quick"]),
        "quick, fails, low, latency: 31,200 ms, but only 1,000 ms are allowed"
    );
    choose_helpdesk(&mut window);
    insta::assert_snapshot!(invariants(&window, &["once", "polite", "tone"]), @"
    once, fails, critical, excludes_pattern: the answer contains “twice”
    polite, fails, medium, contain: nothing in the answer matches “sorry”, `contain` is not an invariant type, so it is treated as `regex`
    tone, fails, medium, similarity: rejected by Flakestorm, `similarity` requires `expected`; Flakestorm rejects it without that
    ");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Saved incident.yaml.");
    let saved = project.read("replays/incident.yaml");
    assert_eq!(saved, SESSION.replace("contracts/strict.yaml", "Helpdesk"));
}

#[test]
fn an_answer_of_ones_own_is_tried_at_once_and_the_session_stays() {
    let (_project, mut window) = open();
    window.click(Role::Link, "Choose an answer…");
    window.find(Role::TextInput, "Latency in milliseconds").focus();
    window.settle();
    window.type_text("900");
    window.find(Role::MultilineTextInput, "Your own answer").focus();
    window.settle();
    window.type_text("Paid once.");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.wait_for("Passes");
    assert!(window.says("Paid once."));
    assert!(!window.shows("Unsaved"));
}

#[test]
fn an_unknown_type_is_fixed_at_its_place() {
    let (project, mut window) = open();
    choose_helpdesk(&mut window);
    window.click(Role::Link, "Change to contains");
    window.wait_for("flakestorm.yaml was edited but is not saved yet.");
    window.wait_until("it is gone", |window| !window.says("is not a type of invariant"));
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::S);
    window.wait_for("Saved 2 files.");
    let saved = project.read("flakestorm.yaml");
    assert_eq!(saved, CONFIG.replace("contain,", "contains,"));
}

#[test]
fn the_session_is_listed_in_the_configuration_after_a_look_at_the_lines() {
    let (project, mut window) = open();
    window.wait_until("what is missing", |window| {
        window.says("gone.yaml, missing, There is no such file")
    });
    window.click(Role::Button, "Add to config…");
    window.wait_until("the lines", |window| window.says("- file: replays/incident.yaml"));
    window.press(Key::Enter);
    window.wait_for("flakestorm.yaml was edited but is not saved yet.");
    window.wait_until("it is listed", |window| window.says("lists 2 sessions"));
    // Beside the file, and in the notice while it is shown.
    assert!(window.shows("Save flakestorm.yaml"));
    window.click(Role::Button, "Save flakestorm.yaml");
    window.wait_for("Saved flakestorm.yaml.");
    window.wait_until("nothing to save", |window| {
        !window.shows("Save flakestorm.yaml") && !window.says("is not saved yet")
    });
    let saved = project.read("flakestorm.yaml");
    assert_eq!(saved, format!("{CONFIG}    - file: replays/incident.yaml\n"));
}

#[test]
fn the_command_is_copied_as_it_is() {
    let (_project, mut window) = open();
    let command = "flakestorm replay run replays/incident.yaml -c flakestorm.yaml";
    window.click(Role::Button, "Copy run command");
    assert_eq!(window.copied.as_deref(), Some(command));
}
