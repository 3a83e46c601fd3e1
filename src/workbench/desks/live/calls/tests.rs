use super::*;
use crate::{Action, Bench, Command, LiveAction};
use jiff::Timestamp;
use protocol::{EngineEvent, ListenJob, ListenRequest};

const SERVER: ListenerKind = ListenerKind::Server;

fn bench() -> Bench {
    let mut bench = Bench::open(&[("a.tape.json", "{}")]);
    bench.act(Action::from(LiveAction::Show(crate::LiveSide::Calls)));
    bench
}

fn act(bench: &mut Bench, action: CallsAction) -> Vec<Effect> {
    bench.workbench.apply(Action::from(LiveAction::Calls(action)))
}

fn receive(bench: &mut Bench, event: CallsEvent) {
    bench.receive(EngineEvent::Calls(event));
}

fn desk(bench: &Bench) -> &CallsDesk {
    &bench.workbench.live.calls
}

fn listening(run: u32) -> CallsEvent {
    CallsEvent::Run(SERVER, run, ListenState::Listening(([127, 0, 0, 1], 8020).into()))
}

fn call(run: u32, number: u64, outcome: Option<&str>) -> CallsEvent {
    CallsEvent::Call(LiveCall {
        id: CallId { listener: SERVER, run, number },
        at: Timestamp::UNIX_EPOCH,
        title: "Where is my order?".to_owned(),
        outcome: outcome.map(str::to_owned),
        has_failed: false,
        file: Some("a.tape.json".into()),
    })
}

#[test]
fn the_server_starts_as_its_form_says_and_stops() {
    let mut bench = bench();
    let form = ListenForm { path: "tapes ".to_owned(), ..ListenForm::new(SERVER) };
    act(&mut bench, CallsAction::Edit(SERVER, form));
    let effects = act(&mut bench, CallsAction::Start(SERVER));
    let request: &ListenRequest = effects[0].request().unwrap();
    let job = ListenJob::Serve { port: 8020, paths: vec!["tapes".into()] };
    assert_eq!((effects.len(), request.run, &request.job), (1, 1, &job));
    assert_eq!(desk(&bench).addresses(), []);
    receive(&mut bench, listening(1));
    assert_eq!(desk(&bench).addresses(), [([127, 0, 0, 1], 8020).into()]);
    let copy_effects = act(&mut bench, CallsAction::CopyUrl);
    assert_eq!(copy_effects, [Effect::Copy("http://127.0.0.1:8020".to_owned())]);

    let effects = act(&mut bench, CallsAction::Stop(SERVER));
    let request: &ListenRequest = effects[0].request().unwrap();
    assert_eq!(request.job, ListenJob::Stop);
    assert_eq!(act(&mut bench, CallsAction::Stop(SERVER)), []);
    // This event was sent before the stop.
    receive(&mut bench, listening(1));
    assert_eq!(desk(&bench).listener(SERVER).state, ListenState::Stopping);
    receive(&mut bench, CallsEvent::Run(SERVER, 1, ListenState::Off));
    assert_eq!(desk(&bench).listener(SERVER).state, ListenState::Off);
}

#[test]
fn a_reason_is_shown_until_the_form_changes() {
    let mut bench = bench();
    bench.press(Command::RecordCalls);
    let kind = ListenerKind::Recorder;
    let form = |path: &str| ListenForm { path: path.to_owned(), ..ListenForm::new(kind) };
    act(&mut bench, CallsAction::Edit(kind, form("../out")));
    assert_eq!(act(&mut bench, CallsAction::Start(kind)), []);
    assert!(matches!(desk(&bench).listener(kind).state, ListenState::Failed(_)));
    act(&mut bench, CallsAction::Edit(kind, form("tapes/new/")));
    assert_eq!(desk(&bench).listener(kind).state, ListenState::Off);
    let effects = act(&mut bench, CallsAction::Start(kind));
    let request: &ListenRequest = effects[0].request().unwrap();
    let upstream = "https://api.anthropic.com".to_owned();
    let job = ListenJob::Record { port: 8017, upstream, folder: "tapes/new".to_owned() };
    assert_eq!(request.job, job);
}

#[test]
fn an_invalid_form_is_reported() {
    let reason = |change: fn(&mut ListenForm)| {
        let mut form = ListenForm::new(ListenerKind::Recorder);
        change(&mut form);
        form.job(ListenerKind::Recorder, &[]).unwrap_err()
    };
    let reasons = [
        reason(|form| form.port = "70000".to_owned()),
        reason(|form| form.upstream = "api.anthropic.com".to_owned()),
        reason(|form| form.upstream = "https://".to_owned()),
        reason(|form| form.path = "C:/x".to_owned()),
        reason(|form| form.path = " ".to_owned()),
    ];
    insta::assert_snapshot!(reasons.join("\n"), @"
    Expected a port number up to 65535; 0 uses any free port
    Expected a URL that starts with https:// or http://, such as https://api.anthropic.com
    Expected a URL that starts with https:// or http://, such as https://api.anthropic.com
    Expected a folder inside the open folder, such as tapes/new
    Expected a folder inside the open folder, such as tapes/new
    ");
}

#[test]
fn a_call_is_one_row_and_the_selection_stays_with_it() {
    let mut bench = bench();
    receive(&mut bench, call(1, 1, None));
    bench.press(Command::NextRow);
    let selected_id = desk(&bench).selected;
    assert_eq!((selected_id.map(|id| id.number), desk(&bench).streaming()), (Some(1), 1));
    for number in 1..=900 {
        receive(&mut bench, call(1, number, Some("200")));
    }
    assert_eq!((desk(&bench).calls().len(), desk(&bench).streaming()), (900, 0));
    // The calls of another start begin at 1 again, and are listed as later ones.
    for number in 1..=200 {
        receive(&mut bench, call(2, number, Some("200")));
    }
    assert_eq!(desk(&bench).calls().len(), MAX_CALLS);
    let first = desk(&bench).calls().next().map(|call| (call.id.run, call.id.number));
    assert_eq!((first, desk(&bench).selected), (Some((2, 200)), selected_id));
    bench.press(Command::NextRow);
    assert_eq!(desk(&bench).selected.map(|id| (id.run, id.number)), Some((2, 200)));
}
