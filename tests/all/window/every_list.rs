//! Every list of the window with the keyboard: beyond what is visible, row by row.

use serde_json::json;

use super::lists::*;
use super::triage::{open_causes, open_nearest};
use super::*;
use crate::live::send_request;

/// Declares a test of each list: its accessible name, how many of its rows take the focus, and how it is opened.
macro_rules! every_list {
    ($($test:ident: $name:literal, $rows:expr, $open:expr;)*) => {
        $(
            #[test]
            fn $test() {
                step_through($name, $rows, $open);
            }
        )*

        /// The lists that are stepped through.
        const STEPPED_THROUGH: &[&str] = &[$($name),*];
    };
}

every_list! {
    items: "Items", COUNT, open_recordings(Key::Num1);
    tapes: "List of tapes", COUNT, open_tapes();
    recordings_of_a_source: "Recordings of the source", COUNT + 1, open_recordings_of_a_source();
    changes_of_a_source: "Changes of the source", 7, open_changes_of_a_source();
    conversation: "Conversation", COUNT, open_conversation();
    playable: "What can be played", COUNT, open_playable();
    causes: "Causes", 2 * COUNT, open_causes();
    nearest_recordings: "Nearest recordings", 12, open_nearest();
    rules: "Rules", 7, open_rules();
    places_of_a_rule: "Places of the rule", COUNT, open_recordings(Key::Num7);
    problems_of_a_file: "Problems of the file", COUNT, open_problems_of_a_file();
    review_queue: "Review queue", COUNT + 1, open_review();
    old_recordings_without_a_partner: "Old recordings without a partner", PARTNERS, open_partners();
    differences: "List of differences", COUNT, open_differences();
    places_in_conflict: "Places in conflict", COUNT, open_conflict();
    edits: "Edits", COUNT, open_edits();
    recent_projects: "Recent projects", COUNT, open_recent();
    drafts: "Drafts", COUNT, open_drafts();
    calls_of_a_draft: "Calls of the draft", COUNT, open_calls_of_a_draft();
    recorded_answers: "Recorded answers", COUNT, open_answers();
    chunks: "List of chunks", COUNT, open_chunks();
    chunks_of_a_new_tape: "Chunks of the new tape", COUNT, open_new_tape();
    seeds: "Grid of seeds", 2 * COUNT, open_seeds();
    waiting_requests: "Waiting requests", COUNT, open_waiting_requests();
    answered_requests: "Ended requests", COUNT, open_answered_requests();
    calls: "Calls", COUNT, open_live_calls();
    responses: "Tool responses", COUNT, open_session();
    secrets: "Personal data", COUNT, open_secrets();
    palette: "Matches", 20, open_palette();
}

/// A list that never has the focus: its rows are chosen while the field above it has.
const CHOSEN_WHILE_TYPING: &str = "Completions";

/// A list of check boxes, which the tests of replacing step through.
const CHECK_BOXES: &str = "Places";

#[test]
fn every_list_is_stepped_through() {
    let mut lists = Vec::new();
    let mut folders = vec![checkout().join("src/ui"), checkout().join("src/widgets")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let code: String = code.collect();
            let named = code.split("List::new(").skip(1);
            let named = named.filter(|rest| rest.trim_start().starts_with('"'));
            lists.extend(named.map(|rest| rest.trim_start().split('"').nth(1).unwrap().to_owned()));
        }
    }
    lists.retain(|name| name != CHOSEN_WHILE_TYPING && name != CHECK_BOXES);
    lists.retain(|name| !STEPPED_THROUGH.contains(&&**name));
    assert!(lists.is_empty(), "{lists:#?}");
}

/// Moves the focus from the first row of a list to the last one, with the arrow key and with Tab. Each row that has it is in
/// sight; at first, some are not.
#[track_caller]
fn step_through(list: &str, count: usize, (_project, mut window): (Project, Window)) {
    let first = rows_of(&window, list).next().unwrap();
    let is_beyond =
        rows_of(&window, list).filter(|row| is_in_sight(&window, list, row)).count() < count;
    first.focus();
    window.settle();
    window.press(Key::Home);
    let mut rows = Vec::new();
    while let Some(row) = focused_row(&window, list).filter(|row| !rows.contains(row)) {
        rows.push(row);
        window.press(Key::ArrowDown);
    }
    assert_eq!(rows.len(), count, "{rows:#?}");
    assert!(is_beyond, "all rows are in sight at first");

    window.press(Key::Home);
    let mut reached = Vec::new();
    // There may be controls between the rows.
    for _ in 0..10 * count {
        reached.extend(focused_row(&window, list));
        if reached.len() == count {
            break;
        }
        window.press(Key::Tab);
    }
    assert_eq!(reached, rows);
}

#[test]
fn what_was_scrolled_stays_when_one_goes_elsewhere_and_back() {
    let (project, mut window) = open_recordings(Key::Num1);
    window.press(Key::J);
    window.wait_for("Conversation");
    window.harness.set_size(egui::vec2(1280.0, 400.0));
    window.settle();
    assert_kept_scrolled("Items", (project, window));
    assert_kept_scrolled("Changes of the source", open_changes_of_a_source());
    assert_kept_scrolled("List of differences", open_differences());
}

/// Scrolls whatever is under the pointer, goes to another desk and back: everything is where it was.
#[track_caller]
fn assert_kept_scrolled(list: &str, (_project, mut window): (Project, Window)) {
    let places = |window: &Window| {
        let nodes = window.nodes().filter(|node| role_of(node) != Role::ListBox);
        let place = |node: Node<'_>| Some((text_of(&node)?, format!("{:?}", node.rect())));
        nodes.filter_map(place).collect::<Vec<_>>()
    };
    let is_shown = |window: &Window| {
        let mut nodes = window.nodes();
        nodes.any(|node| role_of(&node) == Role::ListBox && text_of(&node).as_deref() == Some(list))
    };
    let before = places(&window);
    let size = window.harness.ctx.content_rect().size();
    for part in [0.15, 0.35, 0.55, 0.75, 0.95] {
        let pointer = egui::pos2(part * size.x, 0.6 * size.y);
        window.harness.event(egui::Event::PointerMoved(pointer));
        window.harness.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, -90.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        window.settle();
    }
    window.harness.event(egui::Event::PointerGone);
    window.settle();
    let scrolled = places(&window);
    assert_ne!(scrolled, before);
    let elsewhere = if list == "Items" { Key::Num7 } else { Key::Num1 };
    window.press_with(Modifiers::COMMAND, elsewhere);
    assert!(!is_shown(&window));
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    window.wait_until("the list", is_shown);
    assert_eq!(places(&window), scrolled);
}

fn rows_of<'a>(window: &'a Window, list: &'a str) -> impl Iterator<Item = Node<'a>> {
    let list = window.find(Role::ListBox, list);
    let rows = list.children_recursive();
    rows.filter(|node| node.accesskit_node().data().position_in_set().is_some())
}

fn is_in_sight(window: &Window, list: &str, row: &Node<'_>) -> bool {
    let seen = window.find(Role::ListBox, list).rect().expand(1.0);
    seen.contains_rect(row.rect().with_max_x(row.rect().left() + 1.0))
}

/// Returns the position and the name of the row with the keyboard focus.
#[track_caller]
fn focused_row(window: &Window, list: &str) -> Option<(Option<usize>, String)> {
    let row = rows_of(window, list).find(|row| row.is_focused())?;
    assert!(is_in_sight(window, list, &row), "{:?}: {:?}", text_of(&row), row.rect());
    Some((row.accesskit_node().data().position_in_set(), text_of(&row)?))
}

fn wait_for_items(window: &mut Window, count: usize) {
    let items = counted(count);
    window.wait_until("all items", |window| window.shows(&items));
}

fn counted(items: usize) -> String {
    format!("{items} item{}", if items == 1 { "" } else { "s" })
}

fn make_low(window: &mut Window) {
    window.harness.set_size(egui::vec2(1280.0, 560.0));
    window.settle();
}

fn open_palette() -> (Project, Window) {
    let project = samples();
    let mut window = open_samples(&project);
    window.press_with(Modifiers::COMMAND, Key::K);
    window.type_text("s");
    make_low(&mut window);
    (project, window)
}

fn open_secrets() -> (Project, Window) {
    let secret = |at| format!("ghp_Zk3vQ8rT1mXw7LpBy5NcZk3vQ8rT1mXw7L{at:02}");
    let secrets: Vec<String> = (0..COUNT).map(secret).collect();
    open_runs(&[run(0, "").replace("Hi", &secrets.join(" "))])
}

fn open_rules() -> (Project, Window) {
    let project = samples();
    let mut window = open_samples(&project);
    window.harness.set_size(egui::vec2(1280.0, 320.0));
    window.press_with(Modifiers::COMMAND, Key::Num7);
    (project, window)
}

fn open_problems_of_a_file() -> (Project, Window) {
    let chunk = r#"{"delayNs": -1, "text": "a"}"#;
    let project = Project::new(&[("a.json", &tape_of(&vec![chunk; COUNT].join(", ")))]);
    let mut window = Window::open(start_with(&project, "a.json"), Vec::new());
    window.wait_for_rows(1);
    window.press(Key::J);
    window.wait_for("Problems");
    window.click(Role::Tab, "Problems");
    make_low(&mut window);
    (project, window)
}

fn open_recordings_of_a_source() -> (Project, Window) {
    let one = |text: &str| text.replace("machines/#.dygram", "machines/one.dygram");
    let (project, mut window) = open_many("recording.json", &one(RECORDING), Key::Num1);
    window.press_with(Modifiers::COMMAND, Key::D);
    window.press(Key::Num3);
    (project, window)
}

fn open_changes_of_a_source() -> (Project, Window) {
    let project = samples();
    let mut window = open_samples(&project);
    let stale = "req-1773409556874-1, recording, Stale, breaks";
    window.click(Role::ListBoxOption, stale);
    window.click_last(Role::Button, "Then and now");
    window.wait_until("the texts", |window| window.says("working tree"));
    window.harness.set_size(egui::vec2(1280.0, 400.0));
    window.settle();
    (project, window)
}

/// A recording whose answer has fields with these values.
fn recording_of(values: &str) -> String {
    let fields: Vec<String> = (0..COUNT).map(|at| format!(r#""f{at}": "{values} {at}""#)).collect();
    let content = format!(
        r#"[{{"type": "tool_use", "id": "t", "name": "tool_#", "input": {{{}}}}}]"#,
        fields.join(", ")
    );
    RECORDING.replace(r##"[{"type": "text", "text": "a #"}]"##, &content)
}

fn open_review() -> (Project, Window) {
    let project = Project::new(&[]);
    project.git(&["init", "-q", "-b", "main"]);
    for answer in ["a #", "b #"] {
        let text = RECORDING.replace("a #", answer);
        for number in 0..COUNT {
            let text = text.replace('#', &format!("{number:02}"));
            project.write(&format!("many/{number:02}.json"), text);
        }
        if answer == "a #" {
            project.git(&["add", "-A"]);
            project.git(&["commit", "-q", "-m", "then"]);
        }
    }
    let mut window = Window::open(start_with(&project, "many"), Vec::new());
    wait_for_items(&mut window, COUNT);
    window.press_with(Modifiers::COMMAND, Key::Num6);
    let more = format!("{} more", COUNT - 8);
    window.wait_for(&more);
    window.click(Role::ListBoxOption, &more);
    make_low(&mut window);
    (project, window)
}

/// How many old recordings are offered at most.
const PARTNERS: usize = 12;

fn open_partners() -> (Project, Window) {
    let project = Project::new(&[]);
    project.git(&["init", "-q", "-b", "main"]);
    for number in 0..PARTNERS {
        let text = RECORDING.replace('#', &format!("{number:02}"));
        project.write(&format!("many/{number:02}.json"), text);
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "then"]);
    for number in 0..PARTNERS {
        std::fs::remove_file(project.path(&format!("many/{number:02}.json"))).unwrap();
    }
    let other = RECORDING.replace("tool_#", "other").replace("q #", "why");
    project.write("many/new.json", other.replace('#', "99"));
    let mut window = Window::open(start_with(&project, "many"), Vec::new());
    wait_for_items(&mut window, 1);
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.wait_for("Files added, 1");
    window.click(Role::ListBoxOption, "Files added, 1");
    window.wait_for("More decisions");
    window.click(Role::Button, "More decisions");
    window.click(Role::MenuItem, "Choose another old recording");
    make_low(&mut window);
    (project, window)
}

fn open_differences() -> (Project, Window) {
    let project = Project::new(&[
        ("many/a.json", &recording_of("a").replace('#', "1")),
        ("many/b.json", &recording_of("b").replace('#', "1")),
    ]);
    let mut window = Window::open(start_with(&project, "many"), Vec::new());
    window.wait_for_rows(2);
    window.press(Key::J);
    window.press(Key::M);
    window.press(Key::J);
    window.press(Key::C);
    window.wait_for("Difference 1 of 40");
    make_low(&mut window);
    (project, window)
}

fn session_of(status: &str) -> String {
    let response = |at| {
        format!("  - tool: t{at}\n    response: {{}}\n    status: {status}\n    latency_ms: 1\n")
    };
    let responses: String = (0..COUNT).map(response).collect();
    format!("id: a\ninput: b\ntool_responses:\n{responses}")
}

fn open_session() -> (Project, Window) {
    let project = Project::new(&[("a.yaml", &session_of("200"))]);
    let mut window = Window::open(start_with(&project, "a.yaml"), Vec::new());
    window.wait_for_rows(1);
    window.wait_for("Watching");
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Tool response 1");
    make_low(&mut window);
    (project, window)
}

fn open_conflict() -> (Project, Window) {
    let (project, mut window) = open_session();
    window.fill(Role::TextInput, "Status of response 1", "503");
    window.press(Key::Tab);
    window.wait_for("1 unsaved");
    project.write("a.yaml", session_of("504"));
    window.wait_for("1 unsaved, 1 changed on disk");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Places, 40");
    (project, window)
}

fn open_edits() -> (Project, Window) {
    let (project, mut window) = open_session();
    for left in (1..COUNT).rev() {
        window.find(Role::ListBoxOption, "Tool response 1").focus();
        window.press(Key::Space);
        window.press(Key::Delete);
        let next = format!("Tool response {}", left + 1);
        window.wait_until("one less", |window| !window.shows(&next));
    }
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::H);
    (project, window)
}

fn open_recent() -> (Project, Window) {
    let project = Project::new(&[]);
    let folders = (0..COUNT).map(|at| format!("project-{at}"));
    let recent: Vec<PathBuf> = folders.map(|name| project.path(&name)).collect();
    for folder in &recent {
        std::fs::create_dir(folder).unwrap();
    }
    let remembered = Remembered { recent, ..Remembered::default() };
    let start = StartOptions { remembered, ..StartOptions::default() };
    let mut window = Window::open(start, Vec::new());
    make_low(&mut window);
    (project, window)
}

fn run(at: usize, more: &str) -> String {
    format!(
        r#"{{"id": "run-{at}", "name": "Agent", "run_type": "chain", "trace_id": "{at}", "inputs": {{"input": "Hi"}}{more},
        "outputs": {{"output": "Hello"}}, "error": null, "start_time": "2026-06-12T10:00:00Z", "end_time": "2026-06-12T10:00:01Z"}}"#
    )
}

fn open_runs(runs: &[String]) -> (Project, Window) {
    let project = samples();
    project.write("incident.json", format!("[{}]", runs.join(",\n")));
    let start = start_with(&project, "sample-recordings");
    let mut window = Window::open(start, vec![project.path("incident.json")]);
    window.wait_for_samples();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    window.wait_until("the drafts", |window| window.says("Draft run-0,"));
    window.wait_until("the fields", |window| window.says("input: "));
    make_low(&mut window);
    (project, window)
}

fn open_drafts() -> (Project, Window) {
    open_runs(&(0..COUNT).map(|at| run(at, "")).collect::<Vec<_>>())
}

fn open_calls_of_a_draft() -> (Project, Window) {
    let tool = |at| {
        format!(
            r#"{{"id": "t{at}", "name": "t{at}", "run_type": "tool", "inputs": {{}}, "outputs": {{"a": 1}}}}"#
        )
    };
    let tools: Vec<String> = (0..COUNT).map(tool).collect();
    open_runs(&[run(0, &format!(r#", "child_runs": [{}]"#, tools.join(", ")))])
}

fn open_answers() -> (Project, Window) {
    let project = Project::new(&[("many/a.yaml", "id: a\ninput: b\ntool_responses: []\n")]);
    for number in 0..COUNT {
        let text = RECORDING.replace('#', &format!("{number:02}"));
        project.write(&format!("many/{number:02}.json"), text);
    }
    let mut window = Window::open(start_with(&project, "many"), Vec::new());
    wait_for_items(&mut window, COUNT + 1);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Choose an answer…");
    window.click(Role::Link, "Choose an answer…");
    window.wait_until("answers", |window| window.says("req-00, 00.json"));
    (project, window)
}

fn tape_of(chunks: &str) -> String {
    let meta = r#"{"model": "m", "recordedAt": "2026-03-09T11:02:17Z"}"#;
    let request = r#"{"model": "m", "contents": ""}"#;
    format!(r#"{{"meta": {meta}, "request": {request}, "stream": [{chunks}]}}"#)
}

/// Opens tapes of many chunks, of which the first one is shown.
fn open_chunks() -> (Project, Window) {
    let chunk = |at| format!(r#"{{"delayNs": {at}000000, "text": "{at} "}}"#);
    let chunks: Vec<String> = (1..=COUNT).map(chunk).collect();
    let project = Project::new(&[("tapes/00.json", &tape_of(&chunks.join(", ")))]);
    let mut window = Window::open(start_with(&project, "tapes"), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.wait_for("0.000 / 0.820 s");
    (project, window)
}

fn open_new_tape() -> (Project, Window) {
    let (project, mut window) = open_chunks();
    window.harness.event(egui::Event::Paste("One. ".repeat(COUNT)));
    window.wait_for("Estimated timing");
    window.click(Role::RadioButton, "Sentences");
    window.wait_until("sentences", |window| window.says("40 chunks"));
    (project, window)
}

fn open_seeds() -> (Project, Window) {
    let seed = |at| json!({"schema": "s", "model": "m", "jobId": format!("job-{at:02}"), "round": 0, "response": "{}"});
    let seeds: Vec<_> = (0..COUNT).map(seed).collect();
    let project = Project::new(&[("a.seeds.json", &json!({"seeds": seeds}).to_string())]);
    let mut window = Window::open(start_with(&project, "a.seeds.json"), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.wait_for("Answer");
    (project, window)
}

fn open_waiting_requests() -> (Project, Window) {
    let project = live_queue::project();
    let mut window = live_queue::watch(&project);
    for number in 0..COUNT {
        live_queue::add_request(&project, &format!("req-{number:02}"), "triage", &["go"]);
    }
    window.wait_for("Live, 40");
    (project, window)
}

fn open_answered_requests() -> (Project, Window) {
    let project = live_queue::project();
    let rule = "mode = \"warn\"\n\n[[answer]]\nname = 'go'\nnode = 'triage'\ntool = 'go'\ninput = '{\"reason\":\"always\"}'\n";
    project.write("retake.toml", rule);
    let mut window = live_queue::watch(&project);
    for number in 1..=COUNT {
        let id = format!("req-{number:02}");
        live_queue::add_request(&project, &id, "triage", &["go"]);
        live_queue::answered(&mut window, &project, &id);
    }
    make_low(&mut window);
    (project, window)
}

fn open_live_calls() -> (Project, Window) {
    let (project, mut window) = calls::open(&[(0, "Hi")]);
    let server = window.serve();
    for _ in 0..COUNT {
        send_request(server, calls::ANTHROPIC, &calls::request("Hi"));
    }
    // So that all are painted.
    window.harness.set_size(egui::vec2(1280.0, 4000.0));
    window.wait_until("all calls", |window| window.ended() == COUNT);
    make_low(&mut window);
    (project, window)
}
