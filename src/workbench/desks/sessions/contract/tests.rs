//! Tests of the contract column.

use super::*;
use crate::testing::doc;
use crate::{Action, Bench, Command, SessionsAction};
use author::contract::AnswerOrigin;
use document::diff::text::TextDiff;
use document::text::Source;
use protocol::{
    ConfigFound, ConfigListing, Desk, EngineEvent, PlannedEdit, ReferenceKind, Resolution,
    RunCommands, SessionsEvent, TestedAnswer,
};

const SESSION: &str = "id: a\ninput: hello\ntool_responses: []\ncontract: c\n";
const CONFIG: &str = "agent: { endpoint: x }\ncontract: { name: c, invariants: [] }\n";

fn open() -> Bench {
    let mut bench = Bench::open(&[("flakestorm.yaml", CONFIG), ("a.yaml", SESSION)]);
    bench.act(Action::Go(Desk::Sessions));
    let id = SessionId::file(doc(1));
    bench.act(Action::from(SessionsAction::Select(id)));
    bench
}

fn act(bench: &mut Bench, action: ContractAction) {
    bench.act(Action::from(SessionsAction::Contract(action)));
}

fn receive(bench: &mut Bench, event: ContractEvent) {
    bench.receive(EngineEvent::Sessions(SessionsEvent::Contract(event)));
}

fn found(bench: &Bench, text: &str, listing: ConfigListing) -> ContractEvent {
    let report = ContractReport {
        config: Some(ConfigFound {
            path: "flakestorm.yaml".into(),
            doc: Some(doc(0)),
            listing,
            sessions: Vec::new(),
            sources: Vec::new(),
        }),
        configs: vec![(doc(0), "flakestorm.yaml".into())],
        offered: Vec::new(),
        reference: "c".into(),
        reference_kind: ReferenceKind::Explicit,
        resolution: Resolution::Missing,
        invariants: Vec::new(),
        answer: Some(TestedAnswer {
            text: text.into(),
            latency_ms: None,
            since: AnswerOrigin::Given,
            place: "".into(),
        }),
        commands: RunCommands {
            one: Some("flakestorm replay run a.yaml -c flakestorm.yaml".into()),
            has_flakestorm: true,
            ..RunCommands::default()
        },
    };
    let key = bench.workbench.sessions.contract.report.awaited.as_ref().unwrap();
    ContractEvent::Found(key.clone(), Ok(Arc::new(report)))
}

fn answer(bench: &Bench) -> Option<&str> {
    let report = bench.workbench.sessions.report()?;
    report.answer.as_ref().map(|answer| &*answer.text)
}

#[test]
fn what_was_found_for_an_earlier_answer_is_dropped_and_each_session_keeps_its_own() {
    let mut bench = open();
    let possible_listing = || ConfigListing::Possible("a.yaml".into());
    let early_event = found(&bench, "early", possible_listing());
    let source = AnswerSource::Given("late".into(), None);
    act(&mut bench, ContractAction::Try(source.clone()));
    receive(&mut bench, early_event);
    assert_eq!(answer(&bench), None);
    let late_event = found(&bench, "late", possible_listing());
    receive(&mut bench, late_event);
    assert_eq!(answer(&bench), Some("late"));

    let id = SessionId::file(doc(1));
    let other = SessionId::file(doc(0));
    bench.act(Action::from(SessionsAction::Select(other.clone())));
    let desk = &bench.workbench.sessions.contract;
    assert_eq!((desk.answer(&id), desk.answer(&other)), (source, AnswerSource::Kept));
    assert!(bench.workbench.sessions.report().is_none());
}

#[test]
fn a_report_that_failed_says_why_until_its_inputs_change() {
    let mut bench = open();
    let key = bench.workbench.sessions.contract.report.awaited.as_ref().unwrap();
    let event = ContractEvent::Found(key.clone(), Err("no reason".to_owned()));
    receive(&mut bench, event);
    let reason = |bench: &Bench| {
        let report = bench.workbench.sessions.report_or_reason();
        report.map(|report| report.unwrap_err().to_owned())
    };
    assert_eq!(reason(&bench).as_deref(), Some("no reason"));
    let source = AnswerSource::Given("late".into(), None);
    act(&mut bench, ContractAction::Try(source));
    let late_event = found(&bench, "late", ConfigListing::Possible("a.yaml".into()));
    receive(&mut bench, late_event);
    assert_eq!(answer(&bench), Some("late"));
}

#[test]
fn a_session_that_is_listed_cannot_be_added_and_the_command_is_proposed_as_it_is() {
    let mut bench = open();
    let event = found(&bench, "", ConfigListing::Listed);
    receive(&mut bench, event);
    let can_add = Command::AddToConfig.enabled(&bench.workbench);
    assert_eq!(can_add, Err("the configuration already lists it"));
    bench.press(Command::RunSession);
    assert_eq!(bench.requested, [""; 0]);
    let number = bench.workbench.terminal.proposals;
    bench.act(Action::from(crate::TerminalAction::Run(number)));
    assert_eq!(bench.requested, ["run flakestorm replay run a.yaml -c flakestorm.yaml"]);
}

#[test]
fn a_session_is_listed_as_it_was_shown_as_one_step() {
    let mut bench = open();
    let event = found(&bench, "", ConfigListing::Possible("a.yaml".into()));
    receive(&mut bench, event);
    bench.press(Command::AddToConfig);
    assert_eq!(bench.workbench.core.overlay, Some(Overlay::AddToConfig));
    act(&mut bench, ContractAction::List);
    assert_eq!(bench.text(doc(0)), CONFIG);

    let (source, base) = bench.workbench.core.library.text(doc(0)).unwrap();
    let (source, base) = (source.clone(), Some(base));
    let edit = document::text::TextEdit {
        range: CONFIG.len()..CONFIG.len(),
        new: "replays: {}\n".to_owned(),
    };
    let mut new_text = source.text().to_owned();
    edit.apply(&mut new_text);
    let document = document::read(Source::new(new_text), "flakestorm.yaml");
    let diff = TextDiff::new(&source, document.source(), document::diff::outline::Outline::Plain);
    let list_edit = ConfigEdit::List { path: "a.yaml".to_owned(), session: "a".to_owned() };
    let plan = PlannedChange {
        change: Change::Config(list_edit),
        first: (doc(0), base),
        name: "Add a to the configuration".to_owned(),
        edits: vec![PlannedEdit {
            doc: doc(0),
            base,
            text: source,
            edit,
            parsed: protocol::ParsedText { document: Arc::new(document), item: None },
        }],
        skipped: Vec::new(),
        remark: None,
        diff: Some(Arc::new(diff)),
    };
    bench.receive(EngineEvent::ChangePlanned(1, plan));
    act(&mut bench, ContractAction::List);
    assert_eq!(bench.workbench.core.overlay, None);
    assert_eq!(bench.text(doc(0)), format!("{CONFIG}replays: {{}}\n"));
    assert_eq!(bench.steps(), ["Add a to the configuration"]);
    bench.press(Command::Undo);
    assert_eq!(bench.text(doc(0)), CONFIG);
}
