//! Each job takes few keys: the window is driven from a fresh start with the keyboard alone, and the keys are counted. A chord
//! is one key, and so is a pasted text. No file is written before a dialog that lists it, or it is shown as it will be.

use super::*;

/// Counts the keys that a job takes.
pub(super) struct Keys {
    pub(super) window: Window,
    pub(super) pressed: usize,
}

impl Keys {
    pub(super) fn press(&mut self, modifiers: Modifiers, key: Key) {
        self.pressed += 1;
        self.window.press_with(modifiers, key);
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.pressed += 1;
        self.window.harness.event(egui::Event::Paste(text.to_owned()));
        self.window.settle();
    }

    #[track_caller]
    pub(super) fn end(&self, most: usize) {
        assert!(self.pressed <= most, "{} keys", self.pressed);
    }
}

/// Opens the samples from the start page by its main key.
fn open_by_key() -> Keys {
    let mut keys = Keys { window: open_start_page(), pressed: 0 };
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_until("all samples", |window| window.shows("All 39"));
    keys
}

/// The texts of all files of a project.
pub(super) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // The repository's own files, the decisions of a review, and what is being written.
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            let text = std::fs::read(&path).unwrap();
            all.insert(path, text);
        }
    }
    all
}

/// The names of the files that differ.
pub(super) fn changed(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
) -> Vec<String> {
    let is_changed = |path: &&PathBuf| before.get(*path) != after.get(*path);
    let all: std::collections::BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let changed = all.into_iter().filter(is_changed);
    changed.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn from_the_start_page_to_the_cause_of_stale_recordings() {
    let mut keys = open_by_key();
    keys.press(Modifiers::ALT, Key::Num1);
    keys.window.wait_for("7 changes");
    assert!(keys.window.says("Node respond renamed to reply"));
    keys.end(3);
}

#[test]
fn from_a_report_to_saved_sessions() {
    let project = samples();
    let mut keys = Keys { window: open_samples(&project), pressed: 0 };
    let before = files(&project.path(""));
    keys.press(Modifiers::ALT, Key::Num3);
    keys.window.wait_for("Save 2 sessions…");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Save 2 sessions");
    assert!(changed(&before, &files(&project.path(""))).is_empty(), "nothing is written unasked");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Saved 2 sessions.");
    insta::assert_snapshot!(changed(&before, &files(&project.path(""))).join(" "), @"flakestorm-paraphrase-7899184a1948.yaml flakestorm-prompt-injection-a7125be8a1dd.yaml");
    keys.end(4);
}

/// The log of a test that offered a tool that was recorded by another name.
const LOG: &str = "\
[PlaybackTestClient] Loaded 7 recordings from /ci/sample-recordings/recordings/triage-ticket
[PlaybackTestClient] Using sequential recording 1/7
   Request ID: req-1773324121806-1
[PlaybackTestClient] Tool name mismatch at index 0: current=\"transition_to_sort\", recorded=\"transition_to_classify\"
AssertionError: expected 'intake' to be 'sort'
";

#[test]
fn from_a_pasted_log_to_a_saved_fix() {
    let project = samples();
    let mut keys = Keys { window: open_samples(&project), pressed: 0 };
    let before = files(&project.path(""));
    keys.paste(LOG);
    keys.window.wait_until("the fix", |window| window.says("Rename the tool throughout this set"));
    keys.press(Modifiers::NONE, Key::F);
    keys.window.wait_for("Save 1 file");
    assert!(changed(&before, &files(&project.path(""))).is_empty(), "nothing is written unasked");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Saved 1 file.");
    insta::assert_snapshot!(changed(&before, &files(&project.path(""))).join(" "), @"req-1773324121806-1.json");
    keys.end(3);
}

/// The cassette of a test whose prompt has three words, and the log of pytest in which it has two.
fn pytest_run() -> (Project, String) {
    let body = |count: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":"Sum up in {count} words."}}]}}"#
        )
    };
    let url = "https://api.example/v1/chat/completions";
    let cassette = format!(
        "interactions:\n- request:\n    body: '{}'\n    headers:\n      content-type: [application/json]\n    method: POST\n    uri: {url}\n  response:\n    body:\n      string: '{{\"choices\":[{{\"message\":{{\"role\":\"assistant\",\"content\":\"Hi\"}}}}]}}'\n    headers: {{}}\n    status: {{code: 200, message: OK}}\nversion: 1\n",
        body("three")
    );
    let error = "vcr.errors.CannotOverwriteExistingCassetteException: Can't play back this request: no recorded interaction matches it (the closest differ in body).";
    let log = format!(
        "=== FAILURES ===\n___ test_sum ___\ntests/test_mail.py:6: in test_sum\nE   {error}\nE   \nE     POST {url}\nE     body: {}\nE   \nE   Cassette: /ci/tests/cassettes/test_mail/test_sum.yaml\nE     record_mode: none\nE     match_on: method, uri, body\nE     interactions: 1 recorded, 0 played\n=== short test summary info ===\nFAILED tests/test_mail.py::test_sum - x\n",
        body("two")
    );
    let project = Project::new(&[("retake.toml", "")]);
    project.write("tests/cassettes/test_mail/test_sum.yaml", cassette);
    (project, log)
}

#[test]
fn from_a_pasted_log_of_pytest_to_a_saved_fix_from_any_desk() {
    for desk in [None, Some(Key::Num2), Some(Key::Num7)] {
        let (project, log) = pytest_run();
        let mut window = Window::open(start_with(&project, "tests"), Vec::new());
        window.wait_for("1 cassette");
        if let Some(desk) = desk {
            window.press_with(Modifiers::COMMAND, desk);
        }
        save_pasted_fix(Keys { window, pressed: 0 }, &project, &log, 3);
    }
}

#[test]
fn from_a_log_of_pytest_on_the_start_page_to_a_saved_fix() {
    let (project, log) = pytest_run();
    let mut window = Window::open(StartOptions::default(), vec![project.path("tests")]);
    window.settle();
    // Which project it is of is not in the log: one more key opens its folder.
    save_pasted_fix(Keys { window, pressed: 0 }, &project, &log, 4);
}

/// Pastes a log, sees the cause and saves its fix.
fn save_pasted_fix(mut keys: Keys, project: &Project, log: &str, most_keys: usize) {
    let before = files(&project.path(""));
    keys.paste(log);
    if most_keys > 3 {
        keys.window.wait_until("the reason", |window| {
            window.says("open the folder with the recordings first")
        });
        keys.press(Modifiers::COMMAND, Key::O);
    }
    keys.window.wait_until("the cause", |window| window.says("Prompt changed: three → two"));
    keys.press(Modifiers::NONE, Key::F);
    keys.window.wait_for("Change 2 files");
    assert!(changed(&before, &files(&project.path(""))).is_empty(), "nothing is written unasked");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_for("Changed 2 files.");
    assert_eq!(changed(&before, &files(&project.path(""))), ["test_sum.yaml"]);
    assert!(project.read(".retake/review.json").contains("Not recorded again"));
    keys.end(most_keys);
}

/// A set of 400 recordings in a repository, and how each was recorded again: a tool renamed, another answer, another prompt, or a
/// field added.
fn recorded_again() -> Project {
    const COUNT: usize = 400;
    let recording = |number: usize, is_new: bool| {
        let changed = |cause: usize, old: &'static str, new: &'static str| {
            if is_new && number % 4 == cause { new } else { old }
        };
        let tool = changed(0, "look_up", "find");
        let answer = changed(1, "The order is on its way.", "The order was sent.");
        let prompt = changed(2, "You help customers.", "You help customers of the shop.");
        let field = changed(3, "", ", \"limit\": 3");
        format!(
            r#"{{
  "request": {{
    "type": "llm_invocation_request", "requestId": "req-{number}", "systemPrompt": "{prompt}",
    "messages": [{{"role": "user", "content": "Where is order {number}?"}}],
    "tools": [{{"name": "{tool}", "description": "Looks up an order.", "input_schema": {{"type": "object"}}}}]
  }},
  "response": {{
    "type": "llm_invocation_response", "requestId": "req-{number}",
    "response": {{"content": [
      {{"type": "text", "text": "{answer}"}},
      {{"type": "tool_use", "id": "t", "name": "{tool}", "input": {{"order": "{number}"{field}}}}}
    ]}}
  }}
}}
"#
        )
    };
    let project = Project::new(&[]);
    let write = |is_new: bool| {
        for number in 0..COUNT {
            let path = format!("recordings/orders/turn-{number}.json");
            project.write(&path, recording(number, is_new));
        }
    };
    write(false);
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "recorded"]);
    write(true);
    project
}

#[test]
fn each_lane_of_a_review_is_decided_by_one_key() {
    let project = recorded_again();
    let start = StartOptions { paths: vec![project.path("recordings")], ..StartOptions::default() };
    let mut keys = Keys { window: Window::open(start, Vec::new()), pressed: 0 };
    keys.window.wait_for("400 items");
    let before = files(&project.path(""));
    keys.press(Modifiers::COMMAND, Key::Num6);
    review::wait_for_all_pairs(&mut keys.window);
    keys.press(Modifiers::ALT, Key::A);
    keys.press(Modifiers::ALT, Key::R);
    keys.press(Modifiers::COMMAND, Key::Enter);
    keys.window.wait_for("Write 200 files");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_until("the files", |_| files(&project.path("")) != before);
    keys.end(5);
}

#[test]
fn four_hundred_files_recorded_again_are_decided_and_applied() {
    let project = recorded_again();
    let start = StartOptions { paths: vec![project.path("recordings")], ..StartOptions::default() };
    let mut keys = Keys { window: Window::open(start, Vec::new()), pressed: 0 };
    keys.window.wait_for("400 items");
    let before = files(&project.path(""));
    keys.press(Modifiers::COMMAND, Key::Num6);
    review::wait_for_all_pairs(&mut keys.window);
    keys.press(Modifiers::SHIFT, Key::A);
    keys.press(Modifiers::SHIFT, Key::A);
    keys.press(Modifiers::SHIFT, Key::A);
    keys.press(Modifiers::SHIFT, Key::R);
    keys.press(Modifiers::COMMAND, Key::Enter);
    keys.window.wait_for("Write 100 files");
    assert!(changed(&before, &files(&project.path(""))).is_empty(), "nothing is written unasked");
    keys.press(Modifiers::NONE, Key::Enter);
    keys.window.wait_until("the files", |_| files(&project.path("")) != before);
    keys.end(8);
}

/// A transcript of Claude Code: the agent reads the same file twice.
const TRANSCRIPT: &str = r#"{"type":"user","sessionId":"s","uuid":"1","timestamp":"2026-06-11T10:00:00Z","message":{"role":"user","content":"Refund ada@private.dev"}}
{"type":"assistant","sessionId":"s","uuid":"2","timestamp":"2026-06-11T10:00:01Z","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.py"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}}
{"type":"user","sessionId":"s","uuid":"3","timestamp":"2026-06-11T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"LIMIT = 1"}]}}
{"type":"assistant","sessionId":"s","uuid":"4","timestamp":"2026-06-11T10:00:03Z","message":{"id":"m2","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"a.py"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}}
{"type":"user","sessionId":"s","uuid":"5","timestamp":"2026-06-11T10:00:04Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"LIMIT = 1"}]}}
{"type":"assistant","sessionId":"s","uuid":"6","timestamp":"2026-06-11T10:00:05Z","message":{"id":"m3","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}}
"#;

const CASSETTE: &str = r#"interactions:
- request: {method: POST, uri: "https://api.openai.com/v1/chat/completions", body: '{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}'}
  response: {status: {code: 200, message: OK}, body: {string: '{"model":"m","choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}'}}
version: 1
"#;

/// Opens a project that plays cassettes, and pastes the transcript.
fn paste_transcript() -> (Project, Keys) {
    let project = Project::new(&[("tests/cassettes/test_a/test_b.yaml", CASSETTE)]);
    let mut keys = Keys { window: Window::open(start_with(&project, "."), Vec::new()), pressed: 0 };
    keys.window.wait_for_rows(1);
    keys.paste(TRANSCRIPT);
    keys.window.wait_for("Decide 1 value first");
    (project, keys)
}

#[test]
fn from_a_pasted_transcript_to_a_cassette_of_the_project() {
    let (project, mut keys) = paste_transcript();
    assert!(keys.window.shows("Make a vcrpy cassette"));
    // The loop is found.
    assert!(keys.window.shows("Calls 1 and 2 as a vcrpy cassette"));
    let path = "tests/cassettes/test_incident/test_incident.yaml";
    keys.press(Modifiers::COMMAND, Key::Enter);
    assert!(!project.path(path).exists(), "a value is not decided");
    keys.press(Modifiers::NONE, Key::R);
    keys.window.wait_until("the decision", |window| !window.shows("Decide 1 value first"));
    keys.press(Modifiers::COMMAND, Key::Enter);
    keys.window.wait_for(&format!("Wrote {path}."));
    let text = project.read(path);
    assert!(!text.contains("ada@private.dev") && text.contains("redacted"), "{text}");
    assert_eq!(text.matches("method: POST").count(), 2, "{text}");
    keys.end(5);
    keys.window.press_with(Modifiers::COMMAND, Key::Z);
    keys.window.wait_until("the undo", |_| !project.path(path).exists());
}

#[test]
fn what_a_transcript_becomes_is_chosen_in_a_menu() {
    let (project, mut keys) = paste_transcript();
    keys.press(Modifiers::NONE, Key::M);
    keys.window.click(Role::MenuItemRadio, "vcrpy cassette, bodies as trees");
    keys.window.wait_for("Make a vcrpy cassette, bodies as trees");
    keys.window.click(Role::CheckBox, "Keep call 1 before it");
    keys.window.fill(Role::TextInput, "Test", "tests/test_refund.py::test_limit");
    keys.window.fill(Role::TextInput, "Max tokens", "100");
    let path = "tests/cassettes/test_refund/test_limit.yaml";
    keys.press(Modifiers::COMMAND, Key::E);
    keys.window.wait_until("the decision", |window| !window.shows("Decide 1 value first"));
    keys.window.click(Role::Button, "Write the cassette");
    keys.window.wait_for(&format!("Wrote {path}."));
    let text = project.read(path);
    assert_eq!(text.matches("parsed_body:").count(), 2, "{text}");
    assert!(text.contains("max_tokens: 100"), "{text}");
}
