//! Two views that draw much at once: a run of many calls as a strip, and a machine of many nodes as a map in its versions. What is not on
//! screen must cost nothing.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use calls::source::{PresentSource, SourceFinding, SourceState};
use calls::tape::timeline::TimeRange;
use calls::tape::timing::SECOND;
use calls::{Item, ItemFacts, Pool};
use document::FileKind;
use document::text::Source;
use egui::{Event as Input, Modifiers, PointerButton, Pos2, pos2, vec2};
use machine::{CallAtNode, Machine, MachineMap, MachineVersion};
use play::playback::{PlaybackRules, RecordingSet, SetRecording, requests};
use protocol::{DocId, EngineEvent, PlaybackEvent, PlaybackInput, PlaybackResult, Request};
use serde_json::json;
use workbench::{
    Action, Command, Effect, PlaybackAction, PlayheadAction, SourceAction, SourceTab, Workbench,
    Zoom,
};

use crate::window::{PICTURE_COUNT, Window, turn_wheel};
use crate::{Target, amount, heading, lists, millis};

/// How many calls the run has, and how many recordings the set.
const CALL_COUNT: usize = 10_000;
/// How many nodes they are at.
const LANE_COUNT: usize = 12;
/// How many nodes the machine has, one recording at each, and how many versions.
const NODE_COUNT: usize = 1_000;
const VERSION_COUNT: usize = 20;
/// What a picture may take and should take, in milliseconds.
const PICTURE_TARGET: Target = Target::new(6.0, 3.0);

pub(crate) fn measure_strip() -> io::Result<()> {
    heading("10,000 calls against 10,000 recordings, as a strip");
    let mut window = Window::new(open_run());
    let no_change = |_: &mut Workbench| {};
    slowest(&mut window, "a picture of the strip, p99", no_change, &[]);
    let (mut short_move, mut long_move) = (moving(60.0), moving(4_000.0));
    slowest(&mut window, "while moving, p99", &mut short_move, &[]);
    let step = |workbench: &mut Workbench| run(workbench, Command::NextColumn);
    slowest(&mut window, "for each step, p99", step, &[]);
    let mut seconds = 0.0;
    run(&mut window.workbench, Command::PlayTape);
    let play = |workbench: &mut Workbench| {
        seconds += 0.25;
        workbench.set_time(seconds);
        let _ = workbench.refresh();
    };
    slowest(&mut window, "while playing, p99", play, &[]);
    run(&mut window.workbench, Command::PlayTape);
    slowest(&mut window, "a thousand calls while moving, p99", &mut long_move, &[]);
    act(&mut window.workbench, PlayheadAction::Zoom(Zoom::Fit));
    slowest(&mut window, "all calls, p99", no_change, &[]);
    Ok(())
}

fn act(workbench: &mut Workbench, action: PlayheadAction) {
    let _ = workbench.apply(Action::from(PlaybackAction::Playhead(action)));
    let _ = workbench.refresh();
}

/// Shows as many seconds of the run, from a later time in each picture.
fn moving(seconds: f64) -> impl FnMut(&mut Workbench) {
    let mut from = 0.0;
    move |workbench| {
        from += seconds / 500.0;
        let range = TimeRange { from_nanos: from * SECOND, to_nanos: (from + seconds) * SECOND };
        act(workbench, PlayheadAction::ShowRange(range));
    }
}

pub(crate) fn measure_map() -> io::Result<()> {
    heading("a machine of 1,000 nodes with 1,000 recordings in 20 versions, as a map");
    let mut window = Window::new(open_map());
    let no_change = |_: &mut Workbench| {};
    slowest(&mut window, "a picture of the map, p99", no_change, &[]);
    let middle = pos2(560.0, 420.0);
    let button = |is_pressed| Input::PointerButton {
        pos: middle,
        button: PointerButton::Primary,
        pressed: is_pressed,
        modifiers: Modifiers::NONE,
    };
    window.paint(vec![Input::PointerMoved(middle)]);
    for _ in 0..8 {
        window.paint(vec![turn_wheel(vec2(0.0, 60.0))]);
    }
    window.paint(vec![Input::PointerMoved(middle), button(true)]);
    let mut at = 0.0_f32;
    let times = window.times_with(|| {
        at += 0.1;
        let to: Pos2 = middle + vec2(at.sin() * 200.0, at.cos() * 100.0);
        vec![Input::PointerMoved(to)]
    });
    report("while panning, p99", &times);
    window.paint(vec![button(false)]);
    let mut slides = 0;
    let slide = |workbench: &mut Workbench| {
        slides += 1;
        let forward = slides / (VERSION_COUNT - 1) % 2 == 1;
        let step = if forward { Command::NextColumn } else { Command::PreviousColumn };
        run(workbench, step);
    };
    slowest(&mut window, "while sliding through versions, p99", slide, &[]);
    Ok(())
}

fn run(workbench: &mut Workbench, command: Command) {
    let _ = workbench.apply(Action::Run(command));
    let _ = workbench.refresh();
}

/// Reports how long the slowest picture of a hundred takes.
fn slowest(window: &mut Window, name: &str, prepare: impl FnMut(&mut Workbench), events: &[Input]) {
    report(name, &window.times(prepare, events));
}

fn report(name: &str, times: &[Duration]) {
    amount(name, millis(times[PICTURE_COUNT * 99 / 100]), "ms", PICTURE_TARGET);
}

fn recording(call: usize) -> String {
    let names = [format!("transition_to_{}", call % 100), "read_ticket".to_owned()];
    let tools = names.each_ref().map(|name| json!({ "name": name }));
    let at = |seconds: usize| {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        format!("2026-03-12T{:02}:{minutes:02}:{:02}.000Z", hours % 24, seconds % 60)
    };
    let node = format!("node-{}", call / 3 % LANE_COUNT);
    let answer = [
        json!({ "type": "text", "text": format!("The ticket {call} is about a refund.") }),
        json!({ "type": "tool_use", "id": "t", "name": names[0], "input": {} }),
    ];
    json!({
        "request": {
            "requestId": format!("req-{call}"),
            "timestamp": at(call * 4),
            "context": { "currentNode": node },
            "messages": [{ "role": "user", "content": "x" }],
            "tools": tools,
        },
        "response": { "timestamp": at(call * 4 + 1 + call % 3), "response": { "content": answer } },
    })
    .to_string()
}

/// A workbench that has played a set against itself.
fn open_run() -> Workbench {
    let path = |call: usize| format!("set/{call:05}.json");
    let item = |call: usize| {
        Arc::new(Item::from(ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(&path(call)) }))
    };
    let items: Vec<Arc<Item>> = (0..CALL_COUNT).map(item).collect();
    let mut workbench = lists::open(&items);
    let check = PlaybackAction::CheckSet("set".into());
    let mut effects = workbench.apply(Action::from(check));
    effects.extend(workbench.refresh());
    let mut requests_to_play = effects.into_iter().filter_map(|effect| match effect {
        Effect::Run(Request::Play(request)) => Some(request),
        _ => None,
    });
    let request = requests_to_play.next().expect("a set is played");
    let pool = Pool::default();
    let recordings = (0..CALL_COUNT).map(|call| {
        let document = document::read(Source::new(recording(call)), "turn-1.json");
        SetRecording::read(path(call).into(), &document, &pool)
    });
    let set = Arc::new(RecordingSet::new("set", recordings.collect::<Vec<_>>()));
    let input = PlaybackInput {
        requests: requests::from_set(&set),
        docs: (0..CALL_COUNT).map(|doc| Some(DocId::new(doc))).collect(),
        set,
        ..PlaybackInput::default()
    };
    let rules = PlaybackRules::default();
    let result = PlaybackResult::new(Arc::new(input), rules);
    let result = PlaybackEvent::Played(request.key, Ok(Arc::new(result)));
    workbench.receive(EngineEvent::Playback(result));
    let _ = workbench.refresh();
    workbench
}

/// The text of a machine in one of its versions.
fn machine(version: usize) -> String {
    let mut text = "machine \"Routing\"\n".to_owned();
    for node in 0..NODE_COUNT {
        let suffix = if node % VERSION_COUNT == version { " again" } else { "" };
        text += &format!("task n{node} \"Step {node}\" {{ prompt: \"Decide{suffix}.\"; }}\n");
    }
    for node in 1..NODE_COUNT {
        text += &format!("n{} -> n{node};\n", (node - 1) / 3);
    }
    text
}

/// A workbench that shows a machine.
fn open_map() -> Workbench {
    const MACHINE_PATH: &str = "machines/routing.dygram";
    let present =
        PresentSource::from_bytes(MACHINE_PATH, machine(VERSION_COUNT - 1).as_bytes(), true);
    let present = Arc::new(present);
    let item = |node: usize| {
        Arc::new(Item::from(ItemFacts {
            kind: FileKind::Recording,
            source: Some(Arc::new(SourceState::new(
                Some(MACHINE_PATH.into()),
                Some(Arc::clone(&present.hash)),
                SourceFinding::Fresh(Arc::clone(&present)),
            ))),
            ..ItemFacts::new(&format!("set/{node:04}.json"))
        }))
    };
    let items: Vec<Arc<Item>> = (0..NODE_COUNT).map(item).collect();
    let mut workbench = lists::open(&items);
    let mut effects =
        workbench.apply(Action::from(SourceAction::Show(DocId::new(0), SourceTab::Map)));
    effects.extend(workbench.refresh());
    let mut requests = effects.into_iter().filter_map(|effect| match effect {
        Effect::Run(Request::ReadMap(request)) => Some(request),
        _ => None,
    });
    let request = requests.next().expect("a map is read");
    let versions: Vec<MachineVersion> = (0..VERSION_COUNT)
        .map(|version| MachineVersion {
            older: version.checked_sub(1).into_iter().collect(),
            commit: None,
            machine: Arc::new(Machine::read(&Source::new(machine(version)))),
        })
        .collect();
    let calls = (0..NODE_COUNT).map(|node| {
        let tools = [json!({ "name": format!("transition_to_n{}", node * 3 + 1) })];
        let text = json!({
            "request": { "context": { "currentNode": format!("n{node}") }, "messages": [], "tools": tools },
            "response": { "response": { "content": [] } },
        });
        let document = document::read(Source::new(text.to_string()), "turn-1.json");
        let call = document.body.recording().map(CallAtNode::new);
        let made_from = versions.get(node % VERSION_COUNT).map(|version| Arc::clone(&version.machine));
        (call.unwrap_or_default(), made_from)
    });
    let calls: Vec<_> = calls.collect();
    let map = MachineMap::new(&versions, &calls).expect("it is not too large to draw");
    let docs = (0..NODE_COUNT).map(DocId::new).collect();
    let read = EngineEvent::MapRead(request.key, Box::new(Ok((docs, map))));
    workbench.receive(read);
    let _ = workbench.refresh();
    workbench
}
