use serde_json::{Value, json};

use super::*;
use crate::playback::testing::{document, recording};
use crate::playback::{SetRecording, requests};
use crate::triage::read_runs;
use calls::{Item, ItemFacts, Pool};
use document::text::Source;
use machine::Machine;

/// A set of these files with their texts, without evidence.
fn usage_of_texts(files: &[(&str, String)]) -> SetUsage {
    let pool = Pool::default();
    let read = files.iter().map(|(name, text)| {
        let path: Arc<str> = format!("rec/a/{name}.json").into();
        let document = document::read(Source::new(text.clone()), "turn.json");
        let file = RecordingFile {
            path: Arc::clone(&path),
            bytes: text.len() as u64,
            recorded_at: document
                .body
                .recording()
                .and_then(|_| text.split("recordedAt\":\"").nth(1)?.get(..24))
                .map(Arc::from),
            content: content_hash(&document),
        };
        (SetRecording::read(path, &document, &pool), file)
    });
    let (recordings, files): (Vec<_>, Vec<_>) = read.unzip();
    SetUsage {
        folder: "rec/a".into(),
        set: Arc::new(RecordingSet::new("rec/a", recordings)),
        files,
        evidence: Ok(UsageEvidence::Itself),
    }
}

fn usage(files: &[(&str, Value)]) -> SetUsage {
    let texts = files.iter().map(|(name, value)| (*name, value.to_string()));
    usage_of_texts(&texts.collect::<Vec<_>>())
}

/// The report as lines.
fn lines(usage: SetUsage) -> String {
    let options = UnusedOptions { duplicates: true, ..UnusedOptions::default() };
    let report = UnusedReport::new(&[usage], options);
    let mut lines = Vec::new();
    for unused in &report.unused {
        lines.push(format!("{}: {}", unused.file.path, unused.reason));
    }
    for duplicate in &report.duplicates {
        lines.push(format!("{} = {}", duplicate.file.path, duplicate.of));
    }
    let sets = report.not_judged.iter();
    lines.extend(sets.map(|set| format!("{}? {}", set.folder, set.reason)));
    lines.join("\n")
}

fn machine(text: &str) -> Result<UsageEvidence, String> {
    let path = "a.dygram";
    let machine = Machine::read(&Source::new(text));
    Ok(UsageEvidence::Machines {
        paths: vec![path.into()],
        requests: requests::from_machine(path, &machine, &Pool::default())?,
    })
}

const MACHINE: &str = "machine \"A\"\nTask first { prompt: \"Go on.\" }\nTask second { prompt: \"End.\" }\nTask third {}\n\
                       first -> second\nfirst -> third\nsecond -> third\nsecond -> first\n";

fn log(lines: &str) -> Vec<(Arc<str>, String)> {
    vec![("ci.log".into(), lines.to_owned())]
}

/// The evidence of logs for the set.
fn logs(usage: &SetUsage, logs: Vec<(Arc<str>, String)>) -> Result<UsageEvidence, String> {
    let item = |recorded: &SetRecording| {
        Item::from(ItemFacts {
            kind: document::FileKind::Recording,
            id: recorded.id.as_deref().map(Box::from),
            ..ItemFacts::new(&recorded.path)
        })
    };
    let items: Vec<Item> = usage.set.recordings.iter().map(item).collect();
    let runs = logs.into_iter().map(|(name, text)| (Arc::clone(&name), read_runs(&name, &text)));
    runs_of_sets(runs.collect(), items.iter()).evidence("rec/a")
}

fn three() -> SetUsage {
    usage(&[
        ("1", recording("a-1", "x", "one", 1)),
        ("2", recording("a-2", "x", "two", 1)),
        ("3", recording("a-3", "x", "three", 1)),
    ])
}

fn by_logs(mut usage: SetUsage, text: &str) -> String {
    usage.evidence = logs(&usage, log(text));
    lines(usage)
}

const LOG_HEAD: &str =
    "stdout | t.test.ts > a\n[PlaybackTestClient] Loaded 3 recordings from /ci/app/rec/a\n";

fn served(id: &str) -> String {
    format!(
        "[PlaybackTestClient] Matched recording by signature\n   Tools: one\n   Request ID: {id}\n\n"
    )
}

#[test]
fn a_recording_that_no_run_in_the_logs_names_is_unused() {
    let text = format!("{LOG_HEAD}{}{}", served("a-1"), served("a-3"));
    assert_eq!(by_logs(three(), &text), "rec/a/2.json: no run in the logs uses it");
    // A second run of the set uses it.
    let again = format!("{LOG_HEAD}{}", served("a-2")).replace("> a", "> b");
    assert_eq!(by_logs(three(), &(text + &again)), "");
}

#[test]
fn what_a_log_does_not_show_for_certain_leaves_a_set_without_judgement() {
    let ok = format!("{LOG_HEAD}{}", served("a-1"));
    let failed = format!("{ok} FAIL  t.test.ts > a\nAssertionError: expected 1 to be 2\n");
    let no_match = format!(
        "{ok} FAIL  t.test.ts > a\nError: ❌ No matching recording found for request\n\nCurrent Request:\n  \
         Tools (1): four\n  Message count: 1\n\n  Recordings directory: /ci/app/rec/a\n"
    );
    let empty =
        format!("{ok}[PlaybackTestClient] No recording available, returning empty response\n");
    let cases = [
        (failed.as_str(), "the run failed, so its later calls are unknown"),
        (&no_match, "the run failed, so its later calls are unknown"),
        (&empty, "no recording of the set is known to answer this call"),
        (&ok.replace("a-1", "a-9"), "no recording of the set is known to answer this call"),
        (&ok.replace("Loaded 3", "Loaded 2"), "the log shows 2 recordings, but the set now has 3"),
        (LOG_HEAD, "the log shows no call of the run"),
        (
            &ok.replace("rec/a", "rec/other").replace("a-1", "o-1").replace("> a", "> b"),
            "No log contains a run of this set",
        ),
        ("Error: Tool 'vanish' not found\n", "nothing in the log names the set of this run"),
        (
            " FAIL  t.test.ts > a\nError: Tool 'vanish' not found\n",
            "the run failed, so its later calls are unknown",
        ),
    ];
    for (text, reason) in cases {
        let lines = by_logs(three(), text);
        assert!(lines.starts_with("rec/a? ") && lines.ends_with(reason), "{text}\n{lines}");
    }
}

#[test]
fn reports_are_read_with_the_tests_that_passed() {
    let output = format!("{}{}", LOG_HEAD, served("a-1"));
    let report = |failure: &str| {
        format!(
            "<testsuites><testsuite><testcase name=\"a\" classname=\"t.test.ts\">{failure}<system-out>{output}</system-out>\
             </testcase><testcase name=\"sums\" classname=\"u.test.ts\"><failure message=\"1 is not 2\"/></testcase>\
             </testsuite></testsuites>"
        )
    };
    let report = |failure| report(failure).replace("t.test.ts > a", "t.test.ts");
    assert_eq!(
        by_logs(three(), &report("")),
        "rec/a/2.json: no run in the logs uses it\nrec/a/3.json: no run in the logs uses it"
    );
    let failed = by_logs(three(), &report("<failure message=\"expected 1\"/>"));
    assert!(
        failed.starts_with("rec/a? ci.log:") && failed.contains(": the run failed"),
        "{failed}"
    );
}

#[test]
fn by_a_machine_only_what_no_node_offers_is_unused() {
    let mut set = usage(&[
        ("1", recording("a-1", "first", "transition_to_second transition_to_third", 1)),
        ("2", recording("a-2", "second", "transition_to_third transition_to_first", 1)),
        // A later turn, and a second visit: the machine does not show them.
        ("3", recording("a-3", "first", "transition_to_second transition_to_third", 3)),
        ("4", recording("a-4", "first", "transition_to_second transition_to_third", 1)),
        ("5", recording("a-5", "gone", "transition_to_gone", 1)),
    ]);
    set.evidence = machine(MACHINE);
    assert_eq!(lines(set.clone()), "rec/a/5.json: no node of a.dygram offers its tools");
    // A node whose call finds no recording.
    set.evidence = machine(&MACHINE.replace("second -> third", "second -> fourth"));
    assert_eq!(
        lines(set),
        "rec/a? The request a.dygram at second, answered by rec/a/1.json, does not show what is used: it answers with a call of transition_to_second, which is not offered"
    );
    assert!(machine(&MACHINE.replace("second -> third", "second -> -> third")).is_err());
}

#[test]
fn a_set_without_a_source_is_played_with_its_own_requests() {
    assert_eq!(lines(three()), "");
    let mut other = recording("a-2", "x", "two", 1);
    other["signature"] = json!({ "toolNames": ["else"], "messageCount": 1, "contextKeys": [] });
    let set = usage(&[("1", recording("a-1", "x", "one", 1)), ("2", other)]);
    assert_eq!(
        lines(set),
        "rec/a? The request rec/a/2.json, answered by rec/a/1.json, does not show what is used: it answers with a call of one, which is not offered"
    );
    // A JSON file that clients load, too, is no recording.
    let set = usage(&[("1", recording("a-1", "x", "one", 1)), ("notes", json!({ "by": "me" }))]);
    assert!(!lines(set).contains("notes"));
}

#[test]
fn a_set_is_not_judged_for_the_reason_that_its_call_has() {
    let mut flat = recording("a-2", "x", "two", 1);
    flat["response"] = flat["response"]["response"].take();
    let mut keys = recording("a-2", "x", "two", 1);
    keys["signature"] = json!({ "toolNames": ["two"], "messageCount": 1, "contextKeys": ["a"] });
    let mut called = recording("a-2", "x", "two", 1);
    called["response"]["response"]["content"][0]["name"] = json!("three");
    let table = [
        (
            flat,
            " does not show what is used: its answer is not wrapped, so the client returns undefined",
        ),
        (
            keys,
            ", answered by rec/a/1.json, does not show what is used: it answers with a call of one, which is not offered",
        ),
        (
            called,
            " does not show what is used: it answers with a call of three, which is not offered",
        ),
    ];
    for (second, why) in table {
        let set = usage(&[("1", recording("a-1", "x", "one", 1)), ("2", second)]);
        assert_eq!(lines(set), format!("rec/a? The request rec/a/2.json{why}"));
    }
}

#[test]
fn duplicates_have_equal_values_in_any_spelling() {
    let with_input = |id: &str, input: Value| {
        let mut recording = recording(id, "x", "one", 1);
        recording["response"]["response"]["content"][0]["input"] = input;
        recording.to_string()
    };
    let first = with_input("a-1", json!({ "n": 1, "text": "é" }));
    let respelled = first
        .replace("a-1", "a-2")
        .replace("\"n\":1,\"text\":\"é\"", "\"text\": \"\\u00e9\", \"n\": 1.0");
    assert_ne!(first.replace("a-1", "a-2"), respelled);
    let set = usage_of_texts(&[
        ("1", first.clone()),
        ("2", respelled.clone()),
        ("3", with_input("a-3", json!({ "n": "1", "text": "é" }))),
        ("4", with_input("a-4", json!({ "n": 1, "text": "É" }))),
    ]);
    assert_eq!(lines(set), "rec/a/2.json = rec/a/1.json");
    let big = |number: &str| first.replace("\"n\":1", &format!("\"n\":{number}"));
    let set = usage_of_texts(&[("1", big("9007199254740993")), ("2", big("9007199254740992"))]);
    assert_eq!(lines(set), "");
    let hash = |text: &str| content_hash(&document(text));
    assert_eq!(hash(&first), hash(&respelled));

    assert_ne!(hash(&first.replace("\"role\":\"user\"", "\"role\":\"system\"")), hash(&first));
}

#[test]
fn a_copy_that_a_log_shows_as_used_is_kept_and_an_unused_one_is_listed_once() {
    let copy = |id: &str| {
        let mut copy = recording("a-1", "x", "one", 1);
        copy["request"]["requestId"] = json!(id);
        copy
    };
    let set = || usage(&[("1", copy("a-1")), ("2", copy("a-2")), ("3", copy("a-3"))]);
    assert_eq!(lines(set()), "rec/a/2.json = rec/a/1.json\nrec/a/3.json = rec/a/1.json");
    let text = format!("{LOG_HEAD}{}{}", served("a-2"), served("a-3"));
    assert_eq!(by_logs(set(), &text), "rec/a/1.json: no run in the logs uses it");
}

#[test]
fn the_largest_and_the_oldest_come_first() {
    let at = |id: &str, time: &str, text: &str| {
        let mut recording = recording(id, "x", "one", 1);
        recording["recordedAt"] = json!(time);
        recording["request"]["messages"][0]["content"] = json!(text);
        recording
    };
    let set = usage(&[
        ("1", at("a-1", "2026-03-12T14:02:04.911Z", "short")),
        ("2", at("a-2", "2025-03-12T14:02:04.911Z", "much longer")),
        ("3", at("a-3", "no time, but 24 letters.", "long")),
    ]);
    let options = UnusedOptions { largest: 1, oldest: 3, ..UnusedOptions::default() };
    let report = UnusedReport::new(&[set], options);
    let paths = |files: &[RecordingFile]| {
        let paths: Vec<_> = files.iter().map(|file| file.path.to_string()).collect();
        paths.join(" ")
    };
    assert_eq!(paths(&report.largest), "rec/a/2.json");
    assert_eq!(paths(&report.oldest), "rec/a/2.json rec/a/1.json");
    assert_eq!((report.unused.len(), report.duplicates.len()), (0, 0));
}
