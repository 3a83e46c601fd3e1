use std::sync::Arc;

use jiff::Timestamp;

use super::*;
use crate::ops::live::log::{CallLog, LogRow as _};
use crate::ops::live::serve::{AnswerPlan, ServeEvent as Served, ServedCallEnd, ServedCallStart};
use crate::workbench::action::Action;
use crate::workbench::core::command::Command;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::navigation::Desk;
use crate::workbench::core::view::Overlay;
use crate::workbench::desks::live::{LiveAction, LiveEvent};
use crate::workbench::event::EngineEvent;
use crate::workbench::testing::Bench;

fn bench() -> Bench {
    let mut bench = Bench::open(&[("a.tape.json", "{}")]);
    bench.act(Action::from(LiveAction::Show(crate::workbench::LiveSide::Calls)));
    bench
}

fn act(bench: &mut Bench, action: CallsAction) -> Vec<Effect> {
    bench.workbench.apply(Action::from(LiveAction::Calls(action)))
}

fn receive(bench: &mut Bench, event: CallsEvent) {
    bench.receive(EngineEvent::Live(LiveEvent::Calls(event)));
}

fn desk(bench: &Bench) -> &CallsDesk {
    &bench.workbench.live.calls
}

fn listening(run: u32, which: ListenerKind, port: u16) -> CallsEvent {
    let state = ListenState::Listening {
        address: ([127, 0, 0, 1], port).into(),
        since: Timestamp::UNIX_EPOCH,
    };
    CallsEvent::Run(which, run, state)
}

fn some_of(path: &str) -> ServeForm {
    ServeForm { selection: ServeSelection::Paths([Arc::from(path)].into()), ..ServeForm::default() }
}

/// A call with this number of chunks, of which some were sent; it is complete when all were sent.
fn call(number: u64, sent: usize, planned: usize) -> serve::ServedCall {
    let mut log = CallLog::<serve::ServedCall>::default();
    let began = ServedCallStart {
        at: Timestamp::UNIX_EPOCH,
        api: None,
        address: "POST /v1/messages".to_owned(),
        model: None,
        tools: 0,
        messages: 1,
        request: "{}".into(),
    };
    log.note(Served::Began(number, Arc::new(began)));
    let plan = AnswerPlan {
        due_nanos: (0..planned as u64).collect(),
        chars: vec![4; planned],
        ..AnswerPlan::default()
    };
    log.note(Served::Planned(number, Arc::new(plan)));
    for index in 0..sent {
        let at_nanos = index as u64 + 7;
        log.note(Served::Sent { call: number, index, at_nanos });
    }
    if sent == planned {
        log.note(Served::Ended(number, ServedCallEnd::Done, 9));
    }
    log.take_changed().pop().unwrap()
}

#[test]
fn progress_of_chunks_updates_one_row() {
    let call = call(1, 1_000_000, 1_000_000);
    assert_eq!((call.chunks, call.planned, call.late_nanos), (1_000_000, 1_000_000, 7));
    assert!(call.is_over());
    let plan = call.plan.unwrap();
    assert!(plan.due_nanos.is_empty() && plan.chars.is_empty());
    assert!(call.bars.marks().count() <= 256);
}

#[test]
fn the_server_starts_as_its_form_says_and_the_form_stays_until_it_listens() {
    let mut bench = bench();
    bench.press(Command::ServeCalls);
    assert_eq!(bench.workbench.core.overlay, Some(Overlay::ServeCalls));
    act(&mut bench, CallsAction::EditServe(some_of("tapes")));
    let effects = act(&mut bench, CallsAction::Start(ListenerKind::Server));
    let request: &ListenRequest<ServeRequest> = effects[0].request().unwrap();
    assert_eq!((request.run, effects.len()), (1, 1));
    let order = &request.options;
    assert_eq!((order.paths[0].to_str(), order.port), (Some("tapes"), 8020));
    assert_eq!(bench.workbench.core.overlay, Some(Overlay::ServeCalls));
    assert_eq!(desk(&bench).addresses(), []);
    receive(&mut bench, listening(1, ListenerKind::Server, 8020));
    assert_eq!(bench.workbench.core.overlay, None);
    assert_eq!(desk(&bench).addresses(), [([127, 0, 0, 1], 8020).into()]);

    bench.press(Command::CopyBaseUrl);
    assert_eq!(
        act(&mut bench, CallsAction::StopBoth),
        [Effect::cancel::<ListenRequest<ServeRequest>>()]
    );
    assert_eq!(desk(&bench).state(ListenerKind::Server), &ListenState::Stopping);
    // This event was sent before the stop.
    receive(&mut bench, listening(1, ListenerKind::Server, 8020));
    assert_eq!(desk(&bench).addresses(), []);
    receive(&mut bench, CallsEvent::Run(ListenerKind::Server, 1, ListenState::Off));
    assert_eq!(desk(&bench).state(ListenerKind::Server), &ListenState::Off);
}

#[test]
fn a_fault_is_shown_until_the_form_changes() {
    let mut bench = bench();
    bench.press(Command::RecordCalls);
    let mut form = RecordForm { folder: "../out".to_owned(), ..RecordForm::default() };
    act(&mut bench, CallsAction::EditRecord(form.clone()));
    assert_eq!(act(&mut bench, CallsAction::Start(ListenerKind::Recorder)), []);
    let fault = desk(&bench).fault(ListenerKind::Recorder).unwrap();
    assert_eq!(fault.field, Some(StartField::Folder));
    form.folder = "tapes/new/".to_owned();
    act(&mut bench, CallsAction::EditRecord(form));
    assert_eq!(desk(&bench).fault(ListenerKind::Recorder), None);
    let effects = act(&mut bench, CallsAction::Start(ListenerKind::Recorder));
    let request: &ListenRequest<RecordRequest> = effects[0].request().unwrap();
    assert_eq!(request.options.folder, "tapes/new");
    let fault = StartFault::in_field(StartField::Port, "Another program listens there");
    let failed = CallsEvent::Run(ListenerKind::Recorder, 1, ListenState::Failed(fault.clone()));
    receive(&mut bench, failed);
    assert_eq!(desk(&bench).fault(ListenerKind::Recorder), Some(&fault));
    assert_eq!(bench.workbench.core.overlay, Some(Overlay::RecordCalls));
}

#[test]
fn an_invalid_value_is_reported_with_its_field() {
    let fault = |change: fn(&mut RecordForm)| {
        let mut form = RecordForm::default();
        change(&mut form);
        let fault = form.request().unwrap_err();
        format!("{:?}: {}", fault.field.unwrap(), fault.message)
    };
    let faults = [
        fault(|form| form.port = "70000".to_owned()),
        fault(|form| form.upstream = UpstreamChoice::Other),
        fault(|form| form.folder = "C:/x".to_owned()),
        fault(|form| form.folder = " ".to_owned()),
        fault(|form| form.idle_timeout = "0".to_owned()),
    ];
    insta::assert_snapshot!(faults.join("\n"), @"
    Port: Expected a port number up to 65535; 0 uses any free port
    Upstream: Expected a URL that starts with https:// or http://, such as https://api.anthropic.com
    Folder: Expected a folder inside the open folder, such as tapes/new
    Folder: Enter a folder for the tapes
    IdleTimeout: Expected a number of seconds above 0, such as 120
    ");
    assert!(ServeForm::default().request(&[]).is_err());
    let mut form = some_of("a/b");
    if let ServeSelection::Paths(paths) = &mut form.selection {
        paths.extend(["a".into(), "ab".into()]);
    }
    let order = form.request(&[]).unwrap();
    // A folder inside another served folder is not served twice.
    assert_eq!(order.paths, ["a", "ab"].map(std::path::PathBuf::from));
}

#[test]
fn the_latest_calls_are_kept_the_earlier_ones_folded_and_the_selection_stays() {
    let mut bench = bench();
    receive(&mut bench, CallsEvent::Served(1, vec![call(1, 1, 2)]));
    bench.press(Command::NextRow);
    let selected = desk(&bench).selected;
    assert_eq!(selected.map(|id| id.number), Some(1));
    let many = (1..=1500).map(|number| call(number, 2, 2)).collect();
    receive(&mut bench, CallsEvent::Served(1, many));
    assert_eq!(desk(&bench).served.len(), 1000);
    let (shown, folded) = desk(&bench).shown(ListenerKind::Server);
    assert_eq!((shown[0].number, shown.len(), folded), (1500, 14, 986));
    assert_eq!(desk(&bench).selected, selected);

    // The calls of another run start at 1 again, and are listed as later ones.
    receive(&mut bench, CallsEvent::Served(2, vec![call(1, 1, 2)]));
    let (shown, _) = desk(&bench).shown(ListenerKind::Server);
    assert_eq!((shown[0].run, shown[0].number), (2, 1));
    act(&mut bench, CallsAction::List(CallFilter::Streaming));
    assert_eq!(desk(&bench).shown(ListenerKind::Server).0.len(), 1);
    bench.press(Command::NextRow);
    assert_eq!(desk(&bench).selected.map(|id| id.run), Some(2));
    assert_eq!(bench.workbench.core.here().desk, Desk::Live);
}
