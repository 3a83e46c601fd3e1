//! Logs as they are pasted.

use std::sync::Arc;

use super::{FailureKind, FailureLog, SetIndex, SetOfLog};
use crate::playback::testing::{recording, set, stored};
use crate::playback::{RecordingSet, error_text};
use calls::{Item, Pool, summarise};
use document::text::Source;

const NO_MATCH: &str = "\
❌ No matching recording found for request

Current Request:
  Tools (2): read_T, transition_to_reply
  Message count: 1

Available Recordings:
  [0] req-1 (USED)
      Tools: transition_to_classify
      Messages: 1
  [1] req-2
      Tools: read_T, transition_to_respond
      Messages: 1
  [2] undefined
      Tools: 
      Messages: 3

  Recordings directory: /home/ilse/desk/rec/triage
";

fn describe(text: &str) -> String {
    let log = FailureLog::read("ci.log", text);
    let mut lines = Vec::new();
    for failure in &log.failures {
        let directory = failure.directory.as_deref().unwrap_or("nowhere");
        lines.push(format!("{}: {} in {directory}", failure.line, failure.title()));
        let FailureKind::NoMatch { request, available } = &failure.kind else { continue };
        let tools = request.offered.join(" ");
        let count = request.signature().message_count;
        lines.push(format!("  {}: {tools}; {count}; {:?}", request.name, request.origin));
        for one in available {
            let id = one.id.as_deref().unwrap_or("no id");
            let used = if one.used { " used" } else { "" };
            let tools = one.tools.join(" ");
            lines.push(format!("  {} {id}{used}: {tools}; {:?}", one.index, one.messages));
        }
    }
    lines.extend(log.unread);
    lines.join("\n")
}

#[test]
fn a_failure_is_read_whole() {
    insta::assert_snapshot!(describe(NO_MATCH), @"
    1: No matching recording found for request in /home/ilse/desk/rec/triage
      ci.log:1: read_T transition_to_reply; 1; Log { line: 1, messages: Yes }
      0 req-1 used: transition_to_classify; Some(1)
      1 req-2: read_T transition_to_respond; Some(1)
      2 no id: ; Some(3)
    ");
    assert!(FailureLog::looks_like_log(NO_MATCH));
    assert!(!FailureLog::looks_like_log("a file was not found\nTools: a"));
}

#[test]
fn text_around_lines_does_not_matter() {
    let expected = describe(NO_MATCH);
    let each = |change: &dyn Fn(&str) -> String| -> String {
        NO_MATCH.lines().map(|line| change(line) + "\n").collect()
    };
    let texts = [
        each(&|line| format!("2026-06-02T10:11:12.123Z {line}")),
        each(&|line| format!("[worker 3] {line}")),
        each(&|line| format!("[3]     {line}   ")),
        each(&|line| format!("\u{1b}[31m{line}\u{1b}[39m\r")),
        each(&|line| format!("    | {line}")),
    ];
    for text in texts {
        assert_eq!(describe(&text), expected, "{text}");
    }
    let quoted = serde_json::json!({ "message": NO_MATCH }).to_string();
    assert_eq!(describe(&quoted), expected, "{quoted}");
    let twice = format!("{NO_MATCH}\n FAIL  again\n{NO_MATCH}");
    assert_eq!(describe(&twice), expected);
}

#[test]
fn each_of_several_failures_is_read_and_missing_parts_are_reported() {
    insta::assert_snapshot!(describe("\
[PlaybackTestClient] Loaded 3 recordings from rec/merge
   Request ID: req-7
Error: LLM invoked but no recording available (index: 3, total: 3)
Error: No more recordings available (index: 4, total: 4)
Error: Tool 'transition_to_respond' not found
No matching recording found. Tools: b, a
No matching recording found for request
  Message count: 2
No matching recording found for request
  Tools (3): read_T, transition_to_escalate,
     transition_to_reply
No matching recording found for request
  Tools (3): read_T"), @"
    3: LLM invoked but no recording available (index: 3, total: 3) in rec/merge
    4: LLM invoked but no recording available (index: 4, total: 4) in nowhere
    5: Tool 'transition_to_respond' not found in rec/merge
    6: No matching recording found for request in rec/merge
      ci.log:6: b a; 1; Log { line: 6, messages: No }
    9: No matching recording found for request in rec/merge
      ci.log:9: read_T transition_to_escalate transition_to_reply; 1; Log { line: 9, messages: No }
    12: No matching recording found for request in rec/merge
      ci.log:12: read_T; 1; Log { line: 12, messages: No }
    Line 7: the request's tools are not printed
    Line 12: 3 tools announced, but 1 named
    ");
}

fn item(path: &str, text: &serde_json::Value) -> Item {
    let text = text.to_string();
    let document = document::read(Source::new(text.as_str()), "x.json");
    let path: Arc<str> = path.into();
    summarise(Arc::clone(&path), &path, 0, &document, Vec::new(), None, &Pool::default())
}

/// Three sets of a project.
fn items() -> Vec<Item> {
    let at = |path: &str, id: &str, tools: &str| item(path, &recording(id, "a", tools, 1));
    vec![
        at("rec/triage/1.json", "req-1", "classify"),
        at("rec/triage/2.json", "req-2", "respond read_T"),
        at("rec/merge/1.json", "req-5", "merge"),
        at("rec/merge/2.json", "req-6", "done"),
        at("rec/merge/3.json", "req-7", "done"),
        at("rec/close/1.json", "req-8", "archive"),
    ]
}

#[test]
fn every_failure_leads_to_its_set() {
    let items = items();
    let set = |text: &str| {
        let log = FailureLog::read("ci.log", text);
        let failure = log.failures.first().unwrap();
        match failure.set_among(&SetIndex::new(items.iter())) {
            SetOfLog::One(found) => Some(found.folder.to_string()),
            SetOfLog::Unknown | SetOfLog::Several(_) => None,
        }
    };
    assert_eq!(set(NO_MATCH).as_deref(), Some("rec/triage"));
    let past = "LLM invoked but no recording available (index: 3, total: 3)";
    assert_eq!(set(past).as_deref(), Some("rec/merge"));
    let elsewhere =
        format!("[PlaybackTestClient] Loaded 3 recordings from /ci/app/rec/other\n{past}");
    assert_eq!(set(&elsewhere), None, "the log names a set that is not open");
    let log = "FAIL test/close.test.ts\nTool 'go' not found";
    assert_eq!(set(log).as_deref(), Some("rec/close"));
    let offered = "Tool 'archive' not found";
    assert_eq!(set(offered).as_deref(), Some("rec/close"));
    assert_eq!(set("Tool 'go' not found"), None);
}

fn triage() -> Arc<RecordingSet> {
    set([
        ("1", recording("req-1", "a", "transition_to_classify", 1)),
        ("2", recording("req-2", "a", "transition_to_respond read_T", 1)),
        ("3", recording("req-3", "a", "transition_to_respond read_T", 3)),
    ])
}

fn suspect(text: &str, set: &Arc<RecordingSet>) -> String {
    let log = FailureLog::read("ci.log", text);
    let suspect = log.failures.first().unwrap().suspect(set).unwrap();
    format!("{}: {}", set.recordings[suspect.index].label(), suspect.why)
}

#[test]
fn every_failure_has_a_first_suspect() {
    let set = triage();
    insta::assert_snapshot!(suspect(NO_MATCH, &set), @"req-2: It is the closest match. It lacks transition_to_reply and additionally has transition_to_respond.");
    insta::assert_snapshot!(suspect("No matching recording found. Tools: transition_to_respond", &set), @"req-2: It is the closest match. It additionally has read_T.");
    insta::assert_snapshot!(suspect("Tool 'transition_to_respond' not found", &set), @"req-2: Its answer calls `transition_to_respond`.");
    insta::assert_snapshot!(suspect("Request ID: req-3\nTool 'transition_to_respond' not found", &set), @"req-3: It was served last, and its answer calls `transition_to_respond`.");
    insta::assert_snapshot!(suspect("LLM invoked but no recording available (index: 3, total: 3)", &set), @"req-3: There were more calls than recordings; the recording after this one is missing.");
    let keys = stored(recording("req-4", "a", "go", 1), &["testName"]);
    let unmatchable =
        super::super::testing::set([("1", recording("req-1", "a", "go", 1)), ("2", keys)]);
    insta::assert_snapshot!(suspect("LLM invoked but no recording available (index: 2, total: 2)", &unmatchable), @"req-4: It matches no request of a shipped client. Calls that it should answer use up other recordings by position.");
}

#[test]
fn the_state_is_that_of_the_marks() {
    let log = FailureLog::read("ci.log", NO_MATCH);
    let failure = &log.failures[0];
    assert_eq!(failure.state(&triage()).used, [true, false, false]);
    assert_eq!(failure.changed_since(&triage()), None);
}

#[test]
fn what_the_simulator_prints_is_read_again() {
    use crate::playback::{CallOutcome, PlaybackRules, PlayerState};
    let (set, now) = (triage(), recording("", "a", "new old", 2));
    let request = crate::playback::testing::played_request(&now);
    let state = PlayerState { used: vec![false, true, false], next: 0 };
    let text = error_text(&set, PlaybackRules::default(), &request, &CallOutcome::NoMatch, || {
        state.clone()
    });
    let log = FailureLog::read("log", &text.unwrap());
    let failure = &log.failures[0];
    assert_eq!(failure.state(&set), state);
    let read = failure.request().unwrap().signature();
    assert_eq!(read.tool_names, request.signature().tool_names);
    assert_eq!(read.message_count, 2);
    assert!(log.unread.is_empty());
}

/// The log of a hybrid run of two calls, the second of which finds its recording.
const HYBRID: &str = "\
[PlaybackTestClient] Loaded 3 recordings from /home/ilse/desk/rec/triage
[PlaybackTestClient] Using sequential recording 1/3
   Request ID: req-1
   Recorded: 2026-03-12T14:02:03.280Z
[PlaybackTestClient] Tool name mismatch at index 0: current=\"transition_to_sort\", recorded=\"transition_to_classify\"
[PlaybackTestClient] Matched recording by signature
   Tools: read_T, transition_to_respond
   Request ID: req-3
AssertionError: expected 'a' to be 'b'
";

/// Returns the run that a log shows, played again against a set.
fn replayed(text: &str, set: &Arc<RecordingSet>) -> crate::playback::PlaybackRun {
    let log = FailureLog::read("ci.log", text);
    let failure = log.failures.first().unwrap();
    let replay = failure.replay(set);
    let rules = failure.rules(set).unwrap_or_default();
    crate::playback::PlaybackRun::resume(Arc::clone(set), rules, replay.before, replay.requests)
}

#[test]
fn the_calls_of_a_hybrid_run_are_played_again_and_the_renamed_tool_is_the_cause() {
    let run = replayed(HYBRID, &triage());
    insta::assert_snapshot!(super::super::testing::describe_run(&run), @"
    Bad: 1 of 2 calls gets a wrong answer, because the request now offers sort, but no recording does.
    Hybrid mode falls back to position. Call 1 then gets a call of transition_to_classify, a tool that is not offered.
    1 ci.log:2: req-1 by Sequential, Wrong answer It answers with a call of transition_to_classify, which is not offered
    2 ci.log:6: req-3 by Signature, Right answer
    ");
    let fixes = crate::playback::fixes::for_run(&run);
    let is_rename = |fix: &crate::playback::fixes::Fix| {
        fix.describe().starts_with("Renames `transition_to_classify` to `transition_to_sort`")
    };
    assert!(is_rename(&fixes[0]), "{fixes:?}");
    assert_eq!(run.calls[1].verdict_label(), "Fitting answer");
    // Once the tool is renamed, the same log finds its recording by signature.
    let renamed = set([
        ("1", recording("req-1", "a", "transition_to_sort", 1)),
        ("3", recording("req-3", "a", "transition_to_respond read_T", 3)),
    ]);
    let run = replayed(HYBRID, &renamed);
    assert!(run.findings.wrong.is_empty() && run.findings.fell_back.is_empty());
}

#[test]
fn text_around_the_lines_of_a_hybrid_run_does_not_matter() {
    let each = |change: &dyn Fn(&str) -> String| -> String {
        HYBRID.lines().map(|line| change(line) + "\n").collect()
    };
    let expected = super::super::testing::describe_run(&replayed(HYBRID, &triage()));
    let texts = [
        each(&|line| format!("2026-06-02T10:11:12.1234567Z {line}")),
        each(&|line| format!("test\tRun npm test\t2026-06-02T10:11:12.1234567Z {line}")),
        each(&|line| format!("\u{1b}[33m{line}\u{1b}[39m\r")),
        each(&|line| format!("    | {line}")),
    ];
    for text in texts {
        assert!(FailureLog::looks_like_log(&text));
        let run = replayed(&text, &triage());
        assert_eq!(super::super::testing::describe_run(&run), expected, "{text}");
        let title = FailureLog::read("", &text).failures[0].title();
        assert_eq!(title, "AssertionError: expected 'a' to be 'b'");
    }
}

#[test]
fn warnings_that_a_runner_prints_apart_go_to_the_calls_that_they_are_of() {
    let run = replayed(
        "\
stdout | test/a.test.ts > a
Loaded 3 recordings from rec/triage
Using sequential recording 1/3
   Request ID: req-1
Using sequential recording 2/3
   Request ID: req-2
stdout | test/b.test.ts > b
Loaded 9 recordings from rec/other
Matched recording by signature
   Tools: a
stderr | test/a.test.ts > a
Tool count mismatch: current has 4, recording has 1
Tool name mismatch at index 1: current=\"transition_to_reply\", recorded=\"transition_to_respond\"
",
        &triage(),
    );
    insta::assert_snapshot!(super::super::testing::describe_run(&run), @"
    Bad: 2 of 2 calls get a wrong answer, because the request offers 4 tools, but the next recording has 1.
    Hybrid mode falls back to position. Call 1 then gets an answer that was recorded with other tools.
    1 ci.log:3: req-1 by Sequential, Wrong answer It was recorded with other tools
    2 ci.log:5: req-2 by Sequential, Wrong answer It answers with a call of transition_to_respond, which is not offered
    ");
    assert_eq!(run.calls[1].request.offered.join(" "), "read_T transition_to_reply");
}

#[test]
fn an_exhausted_run_has_used_what_its_counter_passed() {
    let text =
        "LLM invoked but no recording available (index: 3, total: 3). This machine requires it.";
    let run = replayed(text, &triage());
    assert_eq!(run.state_after(0).used, [true; 3]);
    assert_eq!(run.rules.mode, crate::playback::PlaybackMode::Hybrid);
    insta::assert_snapshot!(super::super::testing::describe_run(&run), @"
    Bad: The call finds no recording, because all 3 recordings are already used by position.
    The test stops here.
    1 ci.log:1: none, No recording
    ");
    assert!(run.findings.unused.is_empty());
    let why = run.explain(0).into_iter().map(|step| step.text).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(why, @"
    The log does not name the tools of this request, so signatures cannot be compared.
    Position 4 is past the last recording.
    The client fails with an error.
    ");
    assert!(run.misses(0, 5).nearest.is_empty());
}

#[test]
fn calls_by_position_whose_signatures_fit_are_of_a_sequential_run() {
    let text = "Using sequential recording 1/3\n Request ID: req-1\nUsing sequential recording 2/3\n Request ID: req-2\n";
    let run = replayed(text, &triage());
    assert_eq!(run.rules.mode, crate::playback::PlaybackMode::Sequential);
    // Where a signature was found as well, the client looked for one in each call.
    let keys = stored(recording("req-2", "a", "go", 1), &["testName"]);
    let set = set([("1", recording("req-1", "a", "go", 3)), ("2", keys)]);
    let text = "Matched recording by signature\nTools: go\nRequest ID: req-1\nUsing sequential recording 1/2\nRequest ID: req-1\n";
    let run = replayed(text, &set);
    assert_eq!(run.rules.mode, crate::playback::PlaybackMode::Hybrid);
    assert_eq!((run.calls[1].index(), run.calls[1].reused), (Some(0), Some(0)));
}

#[test]
fn an_error_without_its_first_line_is_read() {
    let middle = NO_MATCH.split_once("\n\n").unwrap().1;
    assert!(FailureLog::looks_like_log(middle));
    assert!(!FailureLog::looks_like_log("Current Request: none"));
    let with_line = describe(middle).replace("1:", "3:").replace("line: 1", "line: 3");
    let lines = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&with_line)[1..], lines(&describe(NO_MATCH))[1..]);
}

#[test]
fn sets_that_fit_as_well_are_named_with_the_reason() {
    let mut items = items();
    items.push(item("rec/again/1.json", &recording("req-1", "a", "classify", 1)));
    items.push(item("rec/again/2.json", &recording("req-2", "a", "classify", 1)));
    let log = FailureLog::read("ci.log", "Using sequential recording 1/2\nRequest ID: req-1\n");
    let SetOfLog::Several(found) = log.failures[0].set_among(&SetIndex::new(items.iter())) else {
        panic!("one of two equal sets was chosen")
    };
    let lines: Vec<_> =
        found.iter().map(|suspect| format!("{}: {}", suspect.folder, suspect.why)).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    rec/again: it has 1 recording that the log mentions
    rec/triage: it has 1 recording that the log mentions
    ");
}
