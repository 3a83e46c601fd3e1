//! Each fix: text in, text out.

use std::sync::Arc;

use super::{Fix, for_call, for_run, simulate};
use crate::playback::testing::{document, play, recording, set, stored};
use crate::playback::{CallVerdict, PlaybackRules, PlaybackRun, PlayedCall, RecordingSet};
use document::files::FileStep;
use document::text::Source;

const RECORDING: &str = r#"{ "request": { "messages": [ { "role": "assistant", "content": [
      { "type": "tool_use", "id": "t", "name": "b_old",   "input": {} } ] } ],
    "tools": [ {"name":"a"}, { "name": "b_old" },
               {"name":"c"} ] },
  "response": { "response": {"content":[{"type":"tool_use","id":"t","name":"b_old","input":{"b_old":1}}]} },
  "signature": { "toolNames": ["a","b_old", "c"], "messageCount": 9,
                 "contextKeys": [ "k" ] } }"#;

fn fixed(fix: &Fix, text: &str) -> String {
    let mut fixed = text.to_owned();
    match fix.edit(&document(text)) {
        Ok(Some(edit)) => drop(edit.apply(&mut fixed)),
        Ok(None) => return "nothing to do".to_owned(),
        Err(reason) => return reason,
    }
    fixed
}

fn rename(from: &str, to: &str) -> Fix {
    Fix::RenameTool { from: from.into(), to: to.into(), recordings: vec![0] }
}

#[test]
fn a_tool_is_renamed_wherever_it_is_named_and_stored_names_stay_sorted() {
    insta::assert_snapshot!(fixed(&rename("b_old", "z"), RECORDING), @r#"
    { "request": { "messages": [ { "role": "assistant", "content": [
          { "type": "tool_use", "id": "t", "name": "z",   "input": {} } ] } ],
        "tools": [ {"name":"a"}, { "name": "z" },
                   {"name":"c"} ] },
      "response": { "response": {"content":[{"type":"tool_use","id":"t","name":"z","input":{"b_old":1}}]} },
      "signature": { "toolNames": ["a","c", "z"], "messageCount": 9,
                     "contextKeys": [ "k" ] } }
    "#);
    assert_eq!(fixed(&rename("b_old", "c"), RECORDING), "It already offers a tool named `c`");
    assert_eq!(fixed(&rename("x", "y"), RECORDING), "nothing to do");
}

#[test]
fn context_keys_are_dropped_and_nothing_else() {
    let fix = Fix::DropContextKeys(vec![0]);
    let expected = RECORDING.replace("[ \"k\" ]", "[]");
    assert_eq!(fixed(&fix, RECORDING), expected);
    assert_eq!(fixed(&fix, &expected), "nothing to do");
}

#[test]
fn a_signature_is_computed_again_and_keeps_its_keys() {
    let fix = Fix::RecomputeSignatures(vec![0]);
    let expected = RECORDING.replace("\"messageCount\": 9", "\"messageCount\": 1");
    assert_eq!(fixed(&fix, RECORDING), expected);
    assert_eq!(fixed(&fix, &expected), "nothing to do");
}

#[test]
fn a_flat_answer_goes_one_level_deeper_with_every_byte_of_it() {
    let fix = Fix::WrapResponses(vec![0]);
    let flat = "{\n  \"request\": {\"messages\":[],\"tools\":[]},\n  \"response\": {\n    \"content\" : [1e0],\n    \"stop_reason\": \"end_turn\"\n  }\n}";
    insta::assert_snapshot!(fixed(&fix, flat), @r#"
    {
      "request": {"messages":[],"tools":[]},
      "response": { "response": {
        "content" : [1e0],
        "stop_reason": "end_turn"
      } }
    }
    "#);
    let tight = r#"{"request":{"messages":[],"tools":[]},"response":{"content":[]}}"#;
    insta::assert_snapshot!(fixed(&fix, tight), @r#"{"request":{"messages":[],"tools":[]},"response":{"response":{"content":[]}}}"#);
    assert_eq!(fixed(&fix, &fixed(&fix, flat)), "nothing to do");
    assert_eq!(fixed(&fix, RECORDING), "nothing to do");

    let yaml = "request: {messages: [], tools: []}\nresponse:\n  content: []\n";
    let document = document::read(Source::new(yaml), "turn-1.yaml");
    assert_eq!(fix.edit(&document).unwrap_err(), "The file is YAML, but players read JSON");
}

fn files(fix: &Fix, set: &RecordingSet) -> String {
    let changes = fix.files(set);
    let lines = changes.iter().map(ToString::to_string);
    lines.collect::<Vec<_>>().join("\n")
}

fn named(names: &[&str]) -> Arc<RecordingSet> {
    set(names.iter().map(|name| (*name, recording(name, "a", "go", 1))))
}

#[test]
fn files_are_renamed_one_by_one_to_names_that_are_free() {
    let turns = [
        "turn-1", "turn-10", "turn-2", "turn-3", "turn-4", "turn-5", "turn-6", "turn-7", "turn-8",
        "turn-9",
    ];
    let turns = named(&turns);
    let order = super::files::by_number(&turns);
    insta::assert_snapshot!(files(&Fix::Reorder(order), &turns), @"
    Rename turn-1.json to turn-01.json
    Rename turn-2.json to turn-02.json
    Rename turn-3.json to turn-03.json
    Rename turn-4.json to turn-04.json
    Rename turn-5.json to turn-05.json
    Rename turn-6.json to turn-06.json
    Rename turn-7.json to turn-07.json
    Rename turn-8.json to turn-08.json
    Rename turn-9.json to turn-09.json
    ");
    let swapped = Fix::Reorder(vec![1, 0]);
    insta::assert_snapshot!(files(&swapped, &named(&["turn-1", "turn-2"])), @"
    Rename turn-1.json to turn-1.json.moving-1
    Rename turn-2.json to turn-1.json
    Rename turn-1.json.moving-1 to turn-2.json
    ");
    insta::assert_snapshot!(files(&swapped, &named(&["1-x", "2-y"])), @"
    Rename 1-x.json to 2-x.json
    Rename 2-y.json to 1-y.json
    ");
    insta::assert_snapshot!(files(&swapped, &named(&["req-1", "req-2"])), @"
    Rename req-1.json to 2-req-1.json
    Rename req-2.json to 1-req-2.json
    ");
}

#[test]
fn files_whose_new_names_stay_taken_keep_theirs() {
    let turns = named(&["turn-0", "turn-1", "turn-2", "turn-3"]);
    assert_eq!(files(&Fix::Reorder(vec![0, 1, 2]), &turns), "");
}

/// Returns the file names of a folder after changes; panics if two collide.
fn names_after(set: &RecordingSet, changes: &[FileStep]) -> Vec<(String, usize)> {
    let all = set.recordings.iter().enumerate();
    let mut names: Vec<(String, usize)> =
        all.map(|(at, file)| (file.path.to_string(), at)).collect();
    for change in changes {
        let FileStep::Rename { from, to } = change else {
            panic!("{change} renames nothing");
        };
        assert!(names.iter().all(|(name, _)| **name != **to), "{to} is taken");
        let file = names.iter_mut().find(|(name, _)| **name == **from);
        file.unwrap().0 = to.to_string();
    }
    names.sort();
    names
}

proptest::proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn any_order_can_be_had(keys in proptest::collection::vec(0u32..1000, 1..12), turns in proptest::bool::ANY) {
        let stem = if turns { "turn" } else { "req" };
        let names: Vec<String> = (0..keys.len()).map(|at| format!("{stem}-{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let set = named(&names);
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|at| keys[*at]);
        let changes = Fix::Reorder(order.clone()).files(&set);
        let positions: Vec<usize> = names_after(&set, &changes).into_iter().map(|(_, at)| at).collect();
        proptest::prop_assert_eq!(positions, order);
    }
}

#[test]
fn a_copy_sorts_beside_what_it_is_a_copy_of() {
    let fix = Fix::Duplicate(0);
    insta::assert_snapshot!(files(&fix, &named(&["turn-1", "turn-10"])), @"Copy turn-1.json to turn-1-copy.json");
    insta::assert_snapshot!(files(&Fix::Duplicate(1), &named(&["turn-1", "turn-1-copy"])), @"Copy turn-1.json to turn-1-copy-2.json");
}

fn suggested(fixes: &[Fix]) -> String {
    let line = |fix: &Fix| format!("{} | {} | {}", fix.title(), fix.extent(), fix.describe());
    fixes.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn hybrid(files: &[serde_json::Value], calls: &[&serde_json::Value]) -> PlaybackRun {
    let names = ["a", "b", "c", "d", "e"];
    let files = names.into_iter().zip(files.iter().cloned());
    play(&set(files), PlaybackRules::default(), calls.iter().copied())
}

#[test]
fn suggested_fixes_follow_from_the_differences() {
    let (one, two) = (recording("1", "n", "old go", 1), recording("2", "n", "new go", 1));
    let mut stamped = one.clone();
    stamped["sourceMetadata"] = serde_json::json!({ "sourceFile": "a.dygram" });
    let run = hybrid(&[stamped, one.clone()], &[&two]);
    insta::assert_snapshot!(suggested(&for_call(&run, 0)), @"
    Then and now |  | Shows the recorded source beside the current one.
    Rename the tool throughout this set… | 2 files | Renames `old` to `new` wherever it is offered, called or stored, and sorts the stored names again.
    ");
    let run = hybrid(std::slice::from_ref(&one), &[&one, &one]);
    insta::assert_snapshot!(suggested(&for_call(&run, 1)), @"Duplicate for a second call | 1 file | Writes a copy with the same `requestId` that sorts next to it.");
    let keys = stored(one.clone(), &["testName"]);
    let run = hybrid(&[keys.clone(), keys], &[&one]);
    insta::assert_snapshot!(suggested(&for_call(&run, 0)), @"Drop the stored context keys | 2 files | Empties `signature.contextKeys`: shipped clients compute no context keys for a request.");
    let run = hybrid(&[one.clone(), two], &[&one]);
    insta::assert_snapshot!(suggested(&for_run(&run)), @"");
    assert!(for_call(&run, 0).is_empty());
}

#[test]
fn a_fix_is_offered_only_if_the_call_then_finds_its_recording() {
    let one = |tools| recording("1", "n", tools, 1);
    let keys = |tools| stored(one(tools), &["testName"]);
    let mut other_signature = stored(one("go old"), &[]);
    other_signature["signature"]["toolNames"] = serde_json::json!(["go", "new"]);
    let cases = [
        ("renamed", vec![one("old go")], vec![one("new go")]),
        ("renamed, and another one is new", vec![one("respond go")], vec![one("reply refund go")]),
        ("two renamed", vec![one("old1 old2 go")], vec![one("new1 new2 go")]),
        (
            "both names are offered by a recording",
            vec![one("old go"), one("old new")],
            vec![one("new go")],
        ),
        (
            "the old name is still offered",
            vec![one("old go"), one("old")],
            vec![one("new go"), one("old")],
        ),
        ("another kind of tool", vec![one("transition_to_a go")], vec![one("read_a go")]),
        ("another turn", vec![recording("1", "n", "old go", 3)], vec![one("new go")]),
        ("renamed, with context keys", vec![keys("old go")], vec![one("new go")]),
        ("used, and other tools", vec![one("go")], vec![one("go"), one("go a b")]),
        ("used", vec![one("go")], vec![one("go"), one("go")]),
        (
            "an outdated signature answers another call",
            vec![other_signature.clone()],
            vec![one("go new"), one("go old")],
        ),
        ("an outdated signature", vec![other_signature], vec![one("go old")]),
    ];
    let lines = cases.map(|(case, files, calls)| {
        let run = hybrid(&files, &calls.iter().collect::<Vec<_>>());
        let bad_call = run.calls.iter().position(|call| call.verdict.is_bad());
        let fixes = for_call(&run, bad_call.unwrap_or(calls.len() - 1));
        let titles: Vec<&str> = fixes.iter().map(Fix::title).collect();
        format!("{case}: {}", titles.join(", "))
    });
    insta::assert_snapshot!(lines.join("\n"), @"
    renamed: Rename the tool throughout this set…
    renamed, and another one is new: Copy command to record all tests
    two renamed: Copy command to record all tests
    both names are offered by a recording: Copy command to record all tests
    the old name is still offered: Copy command to record all tests
    another kind of tool: Copy command to record all tests
    another turn: Copy command to record all tests
    renamed, with context keys: Rename the tool throughout this set…, Drop the stored context keys
    used, and other tools: Copy command to record all tests
    used: Duplicate for a second call
    an outdated signature answers another call: Copy command to record all tests
    an outdated signature: Recompute the signatures
    ");
}

/// Applies a fix to the texts of recordings.
fn fix_all(files: &[serde_json::Value], fix: &Fix) -> Vec<serde_json::Value> {
    let texts = files.iter().map(ToString::to_string);
    let mut fixed: Vec<serde_json::Value> = texts
        .map(|mut text| {
            if let Ok(Some(edit)) = fix.edit(&document(&text)) {
                edit.apply(&mut text);
            }
            serde_json::from_str(&text).unwrap()
        })
        .collect();
    if let Fix::Duplicate(index) = fix {
        fixed.insert(index + 1, files[*index].clone());
    }
    fixed
}

proptest::proptest! {
    #![proptest_config(document::text::cases(128))]

    #[test]
    fn a_fix_does_what_its_simulation_says(
        recordings in proptest::collection::vec((1usize..8, 1usize..3, proptest::option::of((1usize..8, 1usize..3, proptest::bool::ANY))), 1..4),
        requests in proptest::collection::vec((1usize..8, 1usize..3, proptest::bool::ANY), 1..4),
    ) {
        let names = |bits: usize, old: &'static str| -> Vec<&'static str> {
            let all = ["a", "b", old].into_iter().enumerate();
            all.filter(|(at, _)| (bits >> at) & 1 == 1).map(|(_, name)| name).collect()
        };
        let files: Vec<_> = recordings
            .iter()
            .map(|(tools, messages, signature)| {
                let mut file = recording("1", "n", &names(*tools, "old").join(" "), *messages);
                if let Some((tools, messages, has_key)) = signature {
                    let keys: &[&str] = if *has_key { &["k"] } else { &[] };
                    file["signature"] = serde_json::json!({
                        "toolNames": names(*tools, "old"),
                        "messageCount": messages,
                        "contextKeys": keys,
                    });
                }
                file
            })
            .collect();
        let requests: Vec<_> = requests
            .iter()
            .map(|(tools, messages, is_new)| {
                let tool = if *is_new { "new" } else { "old" };
                recording("1", "n", &names(*tools, tool).join(" "), *messages)
            })
            .collect();
        let requests: Vec<_> = requests.iter().collect();
        let all: Vec<usize> = (0..files.len()).collect();
        let run = hybrid(&files, &requests);
        for fix in [
            Fix::RenameTool { from: "old".into(), to: "new".into(), recordings: all.clone() },
            Fix::DropContextKeys(all.clone()),
            Fix::RecomputeSignatures(all),
            Fix::Duplicate(0),
        ] {
            let fixed = hybrid(&fix_all(&files, &fix), &requests);
            let simulated = simulate::replay(&run, std::slice::from_ref(&fix));
            let verdicts = |calls: &[PlayedCall]| -> Vec<CallVerdict> {
                calls.iter().map(|call| call.verdict.clone()).collect()
            };
            proptest::prop_assert_eq!(verdicts(&fixed.calls), verdicts(&simulated), "{:?}", fix);
        }
    }
}
