//! Tests of the sessions desk.

use super::{DraftField, FormCursor, InputKind, Panel, SessionsAction};
use crate::testing::doc;
use crate::{Action, Bench, Command};
use author::session::{InjectedFault, ResponseFix, SessionEdit};
use protocol::{Desk, Revision};

const INCIDENT_TEXT: &str = "# June
id: incident   # kept
input: >-
  I was charged twice.
  Help.
captured_at: 2026-06-11

tool_responses:
  - tool: lookup
    status: 200          # as in the trace
    response: { order: \"88\" }
  - {tool: mail, response: [sent]}
";

fn open() -> Bench {
    let mut bench = Bench::open(&[("incident.yaml", INCIDENT_TEXT)]);
    bench.act(Action::Go(Desk::Sessions));
    bench
}

fn base(bench: &Bench) -> Revision {
    bench.workbench.core.library.text(doc(0)).unwrap().1
}

fn act(bench: &mut Bench, action: SessionsAction) {
    bench.act(Action::from(action));
}

fn edit(bench: &mut Bench, edit: SessionEdit) {
    let base = base(bench);
    act(bench, SessionsAction::Edit(base, edit));
}

fn type_in(bench: &mut Bench, pointer: &str, text: &str) {
    let kind = InputKind::Optional;
    let field = DraftField { pointer: pointer.to_owned(), name: "Field".to_owned(), kind };
    act(bench, SessionsAction::Draft(field, text.to_owned()));
}

fn point(bench: &mut Bench, row: usize) {
    act(bench, SessionsAction::Point(Some(FormCursor::Response(row))));
}

/// The lines that were added, and how many of the original lines were removed.
fn changed(bench: &Bench) -> String {
    let text = bench.text(doc(0));
    let is_old = |line: &&str| INCIDENT_TEXT.lines().any(|old| old == *line);
    let removed_lines = INCIDENT_TEXT
        .lines()
        .filter(|old| !text.lines().any(|l| l == *old))
        .map(|line| format!("- {line}"));
    let new = text.lines().filter(|line| !is_old(line));
    let lines: Vec<String> = removed_lines.chain(new.map(|line| format!("+ {line}"))).collect();
    lines.join("\n")
}

#[test]
fn the_session_that_was_looked_at_is_shown() {
    let bench = open();
    let desk = &bench.workbench.sessions;
    assert_eq!(desk.selected.as_ref().map(|id| id.doc), Some(doc(0)));
    assert_eq!(
        bench.workbench.sessions.session(&bench.workbench.core).unwrap().tool_responses.len(),
        2
    );
}

#[test]
fn typed_text_is_one_step_and_a_new_field_is_inserted_in_order() {
    let mut bench = open();
    for text in ["T", "Tw", "Twice"] {
        type_in(&mut bench, "/name", text);
    }
    act(&mut bench, SessionsAction::Focus(None));
    type_in(&mut bench, "/id", "no");
    insta::assert_snapshot!(changed(&bench), @r#"
    - id: incident   # kept
    + id: "no"   # kept
    + name: Twice
    "#);
    insta::assert_snapshot!(bench.steps().join("\n"), @"
    Edit name
    Edit id
    ");
    bench.press(Command::Undo);
    bench.press(Command::Undo);
    assert_eq!(bench.text(doc(0)), INCIDENT_TEXT);
}

#[test]
fn a_fault_is_taken_out_again_wherever_the_response_has_gone() {
    let mut bench = open();
    point(&mut bench, 0);
    act(&mut bench, SessionsAction::Fault(Some(InjectedFault::GatewayTimeout)));
    act(&mut bench, SessionsAction::Fault(Some(InjectedFault::RateLimit)));
    bench.press(Command::MoveResponseDown);
    assert_eq!(bench.workbench.sessions.response(), Some(1));
    act(&mut bench, SessionsAction::Fault(None));
    bench.press(Command::MoveResponseUp);
    assert_eq!(bench.text(doc(0)), INCIDENT_TEXT);
    insta::assert_snapshot!(bench.steps().join("\n"), @"
    Gateway timeout in tool response 1
    Rate limit in tool response 1
    Move tool response 1 to place 2
    No fault in tool response 2
    Move tool response 2 to place 1
    ");
    point(&mut bench, 1);
    act(&mut bench, SessionsAction::Fault(None));
    assert_eq!(bench.notice_texts().last(), Some(&"The original response is unknown."));
}

#[test]
fn rows_are_added_deleted_and_duplicated() {
    let mut bench = open();
    bench.press(Command::AddResponse);
    assert_eq!(bench.workbench.sessions.response(), Some(2));
    point(&mut bench, 0);
    bench.press(Command::DuplicateResponse);
    point(&mut bench, 2);
    bench.press(Command::DeleteResponse);
    let text = bench.text(doc(0));
    insta::assert_snapshot!(text[text.find("tool_responses").unwrap()..], @r#"
    tool_responses:
      - tool: lookup
        status: 200          # as in the trace
        response: { order: "88" }
      - {tool: lookup, status: 200, response: { order: "88" }}
      - {tool: "", response: null, status: 200}
    "#);
    insta::assert_snapshot!(bench.steps().join("\n"), @"
    Add tool response 3
    Duplicate tool response 1
    Delete tool response 3
    ");
    bench.act(Action::JumpTo(0));
    assert_eq!(bench.text(doc(0)), INCIDENT_TEXT);
}

#[test]
fn values_that_yaml_or_flakestorm_reads_differently_are_fixed_in_place() {
    let mut bench = open();
    edit(&mut bench, SessionEdit::Quote("/captured_at".to_owned()));
    let response = "/tool_responses/1".to_owned();
    edit(&mut bench, SessionEdit::FixResponse(response, ResponseFix::Wrapped));
    edit(&mut bench, SessionEdit::Number("/tool_responses/1/status".to_owned(), Some(0)));
    insta::assert_snapshot!(changed(&bench), @r#"
    - captured_at: 2026-06-11
    -   - {tool: mail, response: [sent]}
    + captured_at: "2026-06-11"
    +   - {tool: mail, response: { result: [sent] }, status: 0}
    "#);
}

#[test]
fn an_edit_for_an_older_text_is_refused_aloud() {
    let mut bench = open();
    let old = base(&bench);
    type_in(&mut bench, "/id", "b");
    let edit = SessionEdit::Delete("/tool_responses/0".to_owned());
    act(&mut bench, SessionsAction::Edit(old, edit));
    assert_eq!(bench.notice_texts().len(), 1);
    assert_eq!(bench.steps(), ["Edit id"]);
}

#[test]
fn esc_closes_one_thing_a_press_and_decides_nothing() {
    let mut bench = open();
    bench.press(Command::OpenSelected);
    bench.press(Command::PutFault);
    let desk = &bench.workbench.sessions;
    assert_eq!((desk.response(), desk.panel()), (Some(0), Some(Panel::Faults)));
    bench.press(Command::Close);
    assert_eq!(bench.workbench.sessions.panel(), None);
    bench.press(Command::Close);
    assert_eq!(bench.workbench.sessions.response(), None);
    assert_eq!(bench.text(doc(0)), INCIDENT_TEXT);
}

#[test]
fn keys_step_through_responses_where_the_cursor_is_in_one() {
    let mut bench = open();
    bench.press(Command::OpenSelected);
    bench.press(Command::NextRow);
    assert_eq!(bench.workbench.sessions.response(), Some(1));
    bench.press(Command::NextRow);
    assert_eq!(bench.workbench.sessions.response(), Some(1));
    bench.press(Command::FirstRow);
    assert_eq!(bench.workbench.sessions.response(), Some(0));
}

#[test]
fn a_command_waits_for_what_is_typed_and_is_refused_while_that_is_invalid() {
    let mut bench = open();
    let latency = DraftField {
        pointer: "/tool_responses/0/latency_ms".to_owned(),
        name: "Latency".to_owned(),
        kind: InputKind::Millis,
    };
    let unchanged = INCIDENT_TEXT;
    for (typed, result) in [("1.5 x", None), ("1.5 s", Some("latency_ms: 1500"))] {
        act(&mut bench, SessionsAction::Draft(latency.clone(), typed.to_owned()));
        assert_eq!(bench.text(doc(0)), unchanged, "a number is written when its field is left");
        bench.press(Command::Save);
        match result {
            Some(line) => assert!(bench.disk[&doc(0)].contains(line)),
            None => {
                assert_eq!(bench.disk[&doc(0)], unchanged);
                assert!(bench.notice_texts().last().is_some_and(|t| t.contains("`1.5 x`")));
                assert_eq!(bench.workbench.sessions.focus.as_deref(), Some(&*latency.pointer));
            }
        }
    }
}
