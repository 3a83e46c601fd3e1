//! Whole runs: the logs of many tests in, causes out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    CassetteFiles, CommittedRecordings, EmptyFolder, SetFiles, Triage, TriageReport, assign,
    looks_like_run, read_failures, read_log, remove_repeated,
};
use crate::playback::failure_log::{LoggedFailure, SetIndex};
use crate::playback::fixes::Fix;
use crate::playback::testing::{recording, stored};
use calls::{Item, Pool, summarise};
use document::text::Source;

/// One set, and what its tests print.
struct TestedSet {
    name: String,
    files: Vec<(String, Value)>,
    /// Lines of the client before the test fails.
    stdout: String,
    /// Error with which each test fails.
    error: String,
}

/// Causes for which the tests of a set fail.
const CAUSES: [&str; 5] =
    ["tool-renamed", "context-keys", "signatures-outdated", "answers-not-wrapped", "file-order"];

const SET_COUNT: usize = 60;
const FAILURE_COUNT: usize = 200;

fn no_match(set: &str, tools: &str, available: &[&str]) -> String {
    let mut text = format!(
        "Error: ❌ No matching recording found for request\n\nCurrent Request:\n  Tools ({}): {tools}\n  Message count: 1\n\nAvailable Recordings:\n",
        tools.split(", ").count(),
    );
    for (at, tools) in available.iter().enumerate() {
        let _ = writeln!(text, "  [{at}] {set}-{at}\n      Tools: {tools}\n      Messages: 1");
    }
    text + &format!("\n  Recordings directory: /builds/team/app/recordings/{set}\n")
}

fn tested_set(at: usize) -> TestedSet {
    let name = format!("set-{at:02}");
    let set = name.as_str();
    let id = |at: usize| format!("{set}-{at}");
    let turn = |at: usize| format!("turn-{}", at + 1);
    let loaded = |count: usize| {
        format!(
            "[PlaybackTestClient] Loaded {count} recordings from /builds/team/app/recordings/{set}\n"
        )
    };
    let other = recording(&id(1), "b", "transition_to_close", 3);
    let (files, stdout, error) = match at % CAUSES.len() {
        0 => {
            let old = recording(&id(0), "a", "transition_to_respond read_mail", 1);
            let (tools, recorded) =
                ("read_mail, transition_to_reply", "read_mail, transition_to_respond");
            (vec![old, other], loaded(2), no_match(set, tools, &[recorded, "transition_to_close"]))
        }
        1 => {
            let keyed = stored(recording(&id(0), "a", "look_up", 1), &["userId"]);
            (
                vec![keyed, other],
                loaded(2),
                no_match(set, "look_up", &["look_up", "transition_to_close"]),
            )
        }
        2 => {
            let mut old = stored(recording(&id(0), "a", "book read_mail", 1), &[]);
            old["signature"]["toolNames"] = json!(["book"]);
            (
                vec![old, other],
                loaded(2),
                no_match(set, "book, read_mail", &["book", "transition_to_close"]),
            )
        }
        3 => {
            let mut flat = recording(&id(0), "a", "send", 1);
            flat["response"] = flat["response"]["response"].take();
            let step =
                format!("Matched recording by signature\n   Tools: send\n   Request ID: {set}-0\n");
            let error = "TypeError: Cannot read properties of undefined (reading 'content')\n";
            (vec![flat, other], loaded(2) + &step, error.to_owned())
        }
        _ => {
            let files: Vec<Value> =
                (0..11).map(|at| recording(&id(at), "a", &format!("step_{at:02}"), 1)).collect();
            let order = [0, 9, 10, 1];
            let mut stdout = loaded(11);
            for (call, served) in order.into_iter().enumerate() {
                let _ = writeln!(
                    stdout,
                    "Playing back recording {}/11\n   Request ID: {set}-{served}",
                    call + 1
                );
                if call != served {
                    let _ = writeln!(
                        stdout,
                        "Tool name mismatch at index 0: current=\"step_{call:02}\", recorded=\"step_{served:02}\""
                    );
                }
            }
            (files, stdout, "AssertionError: expected 'b' to be 'a'\n".to_owned())
        }
    };
    let files = files.into_iter().enumerate();
    TestedSet { files: files.map(|(at, file)| (turn(at), file)).collect(), stdout, error, name }
}

/// Each failed test: its file, its name, and its set.
fn tests(sets: &[TestedSet]) -> Vec<(String, String, &TestedSet)> {
    let mut tests = Vec::new();
    for case in 0.. {
        for set in sets {
            if tests.len() == FAILURE_COUNT {
                return tests;
            }
            let file = format!("test/{}.test.ts", set.name);
            tests.push((file, format!("{} > case {case}", set.name), set));
        }
    }
    tests
}

fn plain(sets: &[TestedSet]) -> String {
    let mut text = String::from(" RUN  v3.2.4 /builds/team/app\n\n");
    for (file, test, set) in tests(sets) {
        let _ = writeln!(text, "stdout | {file} > {test}\n{}", set.stdout);
    }
    for (file, test, set) in tests(sets) {
        let error = set.error.split_once("Error: ").unwrap().1;
        let _ =
            writeln!(text, " ❯ {file} (4 tests | 3 failed) 21ms\n   × {test} 14ms\n     → {error}");
    }
    for (file, test, set) in tests(sets) {
        let _ = writeln!(text, " FAIL  {file} > {test}\n{}", set.error);
    }
    text
}

fn each_line(text: &str, change: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(at, line)| change(at, line)).collect()
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn junit(sets: &[TestedSet], writes_output: impl Fn(&str) -> String) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<testsuites name=\"run\">\n<testsuite name=\"all\">\n".to_owned();
    for (file, test, set) in tests(sets) {
        let (stdout, error) = (writes_output(&set.stdout), writes_output(&set.error));
        let message = xml(set.error.lines().next().unwrap());
        let _ = write!(
            text,
            "<testcase classname=\"{file}\" name=\"{}\" time=\"0.1\">\n<system-out>\n{stdout}</system-out>\n<failure message=\"{message}\" type=\"Error\">\n{error}\n</failure>\n</testcase>\n<testcase classname=\"{file}\" name=\"passes\"/>\n",
            xml(&test),
        );
    }
    text + "</testsuite>\n</testsuites>\n"
}

/// As jest prints it.
fn jest(sets: &[TestedSet]) -> String {
    let mut text = String::new();
    let tests = tests(sets);
    for set in sets {
        let _ = writeln!(text, "FAIL test/{}.test.ts", set.name);
        for (_, test, _) in tests.iter().filter(|(.., of)| of.name == set.name) {
            let test = test.replace(" > ", " › ");
            let output = each_line(&set.stdout, |_, line| format!("      {line}\n"));
            let error = each_line(&set.error, |_, line| format!("    {line}\n"));
            let _ = writeln!(text, "  ● {test}\n\n    console.log\n{output}\n{error}");
        }
    }
    text
}

/// As pytest prints it.
fn pytest(sets: &[TestedSet]) -> String {
    let mut text = "=========== FAILURES ===========\n".to_owned();
    for (_, test, set) in tests(sets) {
        let error = each_line(&set.error, |_, line| format!("E       {line}\n"));
        let _ = writeln!(
            text,
            "________ {test} ________\n\n    def test():\n{}>       play()\n{error}\ntest_a.py:16: Error",
            set.stdout
        );
    }
    text.push_str("=========== short test summary info ===========\n");
    for (file, test, set) in tests(sets) {
        let error = set.error.lines().next().unwrap();
        let _ = writeln!(
            text,
            "FAILED {file}::{test} - {}...",
            &error[..error.floor_char_boundary(40)]
        );
    }
    text
}

fn forms(sets: &[TestedSet]) -> Vec<(&'static str, String)> {
    let text = plain(sets);
    let github =
        each_line(&text, |at, line| format!("2026-11-20T10:11:{:02}.1234567Z {line}\n", at % 60));
    let github = format!(
        "2026-11-20T10:11:00.0000000Z ##[group]Run npm test\n{github}2026-11-20T10:12:00.0000000Z ##[error]Process completed with exit code 1.\n"
    );
    let downloaded = each_line(&text, |_, line| {
        format!("test\tRun npm test\t2026-11-20T10:11:12.1234567Z {line}\n")
    });
    let gitlab = each_line(&text, |at, line| {
        format!("2026-11-20T10:11:12.{at:06}Z 01O \u{1b}[0K\u{1b}[31m{line}\u{1b}[39m\r\n")
    });
    let gitlab = format!(
        "section_start:1700000000:step_script\r\u{1b}[0K\u{1b}[36;1m$ npm test\u{1b}[0;m\n{gitlab}section_end:1700000000:step_script\r\u{1b}[0K\n"
    );
    vec![
        ("vitest", junit(sets, xml)),
        ("plain", text.clone()),
        ("jest", jest(sets)),
        ("pytest log", pytest(sets)),
        ("github", github),
        ("gh run view --log", downloaded),
        ("gitlab", gitlab),
        (
            "colors and times",
            each_line(&text, |_, line| {
                format!("\u{1b}[2m10:11:12\u{1b}[0m \u{1b}[31;1m{line}\u{1b}[0m\n")
            }),
        ),
        (
            "pytest",
            junit(sets, |text| each_line(&xml(text), |_, line| format!("#x1B[31m{line}#x1B[0m\n"))),
        ),
        ("CDATA", junit(sets, |text| format!("<![CDATA[{text}]]>"))),
    ]
}

fn read_sets(sets: &[TestedSet]) -> (Vec<Item>, BTreeMap<Arc<str>, SetFiles>) {
    let pool = Pool::default();
    let (mut items, mut all) = (Vec::new(), BTreeMap::new());
    for set in sets {
        let folder = format!("recordings/{}", set.name);
        let files = set.files.iter().map(|(name, value)| {
            let path: Arc<str> = format!("{folder}/{name}.json").into();
            let text = Source::new(serde_json::to_string_pretty(value).unwrap());
            let document = document::read(text.clone(), "turn.json");
            items.push(summarise(Arc::clone(&path), &path, 0, &document, Vec::new(), None, &pool));
            (path, Ok(text))
        });
        let files = SetFiles::new(&folder, files.collect::<Vec<_>>(), &pool);
        all.insert(folder.into(), files);
    }
    (items, all)
}

fn triage(text: &str, items: &[Item], sets: &BTreeMap<Arc<str>, SetFiles>) -> Triage {
    let log = read_log("ci.log", text);
    assert!(log.unread.is_empty(), "{:?}", log.unread.first());
    let index = SetIndex::new(items.iter());
    let failures = log.failures.into_iter().map(|failure| {
        let folder = assign(&failure, &index);
        (failure, folder)
    });
    Triage::new(failures.collect(), sets, &BTreeMap::new(), &CassetteFiles::default())
}

#[test]
fn two_hundred_failures_of_five_causes_are_five_groups_in_each_form_of_log_and_none_is_left_after_the_fixes()
 {
    let sets: Vec<TestedSet> = (0..SET_COUNT).map(tested_set).collect();
    let (items, files) = read_sets(&sets);
    let cause_of = |test: &str| {
        let number = test.split("set-").last().unwrap();
        CAUSES[number[..2].parse::<usize>().unwrap() % CAUSES.len()]
    };
    for (form, text) in forms(&sets) {
        let triage = triage(&text, &items, &files);
        assert_eq!(triage.failures.len(), FAILURE_COUNT, "{form}");
        assert_eq!(triage.unassigned().next(), None, "{form}");
        let mut groups: Vec<&str> =
            triage.groups.iter().map(|group| group.cause.as_str()).collect();
        groups.sort_unstable();
        let mut expected = CAUSES;
        expected.sort_unstable();
        assert_eq!(groups, expected, "{form}");
        for group in &triage.groups {
            for at in &group.failures {
                let test = triage.failures[*at].failure.test.as_deref().unwrap();
                assert_eq!(group.cause.as_str(), cause_of(test), "{form}: {test}");
            }
        }
        let after_fixes = triage.after_fixes(&files, &Pool::default());
        assert_eq!(
            (after_fixes.answered.len(), &after_fixes.failing[..]),
            (FAILURE_COUNT, &[][..]),
            "{form}"
        );
        assert_eq!(after_fixes.worse().next(), None, "{form}");
        assert_eq!(after_fixes.sets.len(), SET_COUNT, "{form}");
    }
}

#[test]
fn a_run_is_played_again_with_its_own_calls_after_some_and_after_all_of_its_fixes() {
    let sets: Vec<TestedSet> = (0..10).map(tested_set).collect();
    let (items, files) = read_sets(&sets);
    let triage = triage(&plain(&sets), &items, &files);
    let first = triage.first_progress();
    assert_eq!((first.count(), first.fixes.len()), (0, CAUSES.len()));
    assert_eq!(triage.progress(&files, &CassetteFiles::default()), first, "nothing has changed");

    let pool = Pool::default();
    let fixed = |fixes: &BTreeMap<Arc<str>, Vec<Fix>>| {
        let mut now = files.clone();
        for (folder, fixes) in fixes {
            now.insert(Arc::clone(folder), files[folder].fixed(fixes, &pool).files);
        }
        now
    };
    for (at, group) in triage.groups.iter().enumerate() {
        let progress = triage.progress(&fixed(&group.fixes), &CassetteFiles::default());
        assert_eq!(progress.count(), group.failures.len(), "{:?}", group.cause);
        assert_eq!(progress.count_of(&group.failures), group.failures.len());
        let mut others = first.fixes.clone();
        others[at].clear();
        assert_eq!(progress.fixes, others, "{:?}", group.cause);
    }
    let progress = triage.progress(&fixed(&first.all_fixes()), &CassetteFiles::default());
    assert_eq!(progress.count(), triage.failures.len());
    assert!(progress.all_fixes().is_empty());

    let (path, _) = files.first_key_value().unwrap();
    let mut now = files.clone();
    now.remove(&**path);
    assert_eq!(triage.progress(&now, &CassetteFiles::default()).count(), 0, "a set is gone");
}

#[test]
fn a_report_is_read_with_its_numbers_and_repeated_failures_are_removed() {
    let sets = [tested_set(0)];
    let (plain, junit) = (plain(&sets), junit(&sets, xml));
    let all = read_failures("report.xml", &junit).failures;
    assert_eq!(all, read_log("report.xml", &junit).failures);
    let mut failures: Vec<(usize, LoggedFailure)> = all.into_iter().enumerate().collect();
    let count = failures.len();
    failures.extend(read_log("report.xml", &junit).failures.into_iter().enumerate());
    remove_repeated(&mut failures, |(_, failure)| failure);
    assert_eq!(failures.len(), count);
    assert!(looks_like_run(&plain) && looks_like_run(&junit) && !looks_like_run("<a/>"));
}

/// Output of vitest for tests whose folders have no recordings, and of one that passes.
const NO_RECORDINGS: &str = "
stdout | test/tools.test.ts > tools > routes
[PlaybackTestClient] Loaded 0 recordings from /ci/app/recordings/tools

stdout | test/tools.test.ts > tools > passes without a call
[PlaybackTestClient] Loaded 0 recordings from /ci/app/recordings/tools

stdout | test/set-00.test.ts > set-00 > passes
[PlaybackTestClient] Loaded 2 recordings from /ci/app/recordings/set-00
[PlaybackTestClient] Matched recording by signature
   Tools: transition_to_close
   Request ID: set-00-1

 ❯ test/tools.test.ts (3 tests | 2 failed) 10ms
   × tools > routes 5ms
     → LLM invoked but no recording available (index: 0, total: 0). This machine requires LLM interaction but recordings are missing.
   ✓ tools > passes without a call 0ms
   × tools > set-00 at several points 1ms
     → Recordings directory not found: /ci/app/recordings/tools-complex
 ❯ test/set-00.test.ts (3 tests | 2 failed) 8ms
   × set-00 > case 1 4ms
     → Recordings directory not found: /ci/app/recordings/tasks
   × set-00 > case 10 1.02s
     → Recordings directory not found: /ci/app/recordings/tasks

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 4 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/set-00.test.ts > set-00 > case 1
 FAIL  test/set-00.test.ts > set-00 > case 10
Error: Recordings directory not found: /ci/app/recordings/tasks
 ❯ new PlaybackTestClient src/client.ts:6:65

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/4]⎯

 FAIL  test/tools.test.ts > tools > routes
Error: LLM invoked but no recording available (index: 0, total: 0). This machine requires LLM interaction but recordings are missing.

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[3/4]⎯

 FAIL  test/tools.test.ts > tools > set-00 at several points
Error: Recordings directory not found: /ci/app/recordings/tools-complex
";

#[test]
fn folders_without_recordings_are_the_cause_and_never_the_call_of_another_test() {
    let (items, files) = read_sets(&[tested_set(0)]);
    let removed = EmptyFolder {
        folder: "recordings/tasks".into(),
        exists: false,
        committed: Some(CommittedRecordings {
            count: 2,
            revision: "9dc0e85~1".into(),
            path_from_top: "app/recordings/tasks".into(),
        }),
    };
    let failures = read_log("ci.log", NO_RECORDINGS).failures;
    let index = SetIndex::new(items.iter());
    let failures: Vec<_> = failures
        .into_iter()
        .map(|failure| {
            assert!(failure.calls.is_empty());
            let folder = assign(&failure, &index);
            (failure, folder)
        })
        .collect();
    let folders = failures.iter().map(|(_, folder)| folder.clone().unwrap());
    let empty = folders.map(|folder| {
        if folder.ends_with("/tasks") {
            (folder, removed.clone())
        } else {
            let empty = EmptyFolder { folder: Arc::clone(&folder), exists: true, committed: None };
            (folder, empty)
        }
    });
    let triage = Triage::new(failures.clone(), &files, &empty.collect(), &CassetteFiles::default());
    let report = TriageReport::new(&triage, HashMap::new());
    let mut text = report.title() + "\n";
    for group in &triage.groups {
        let (title, evidence) = (group.cause.title(), report.evidence(group).unwrap());
        let _ = writeln!(text, "{title}\n  {evidence}\n  {}", report.fix(group).unwrap());
        for at in &group.failures {
            let _ = writeln!(text, "  {}", report.place(*at));
        }
    }
    insta::assert_snapshot!(text, @"
    4 failures, 2 causes
    Recordings missing
      /ci/app/recordings/tools: the folder has no recordings
      Record again with DYGRAM_TEST_MODE=interactive npm test
      ci.log:16: test/tools.test.ts > tools > routes
      ci.log:19: test/tools.test.ts > tools > set-00 at several points
    Recordings missing: removed by commit 9dc0e85
      recordings/tasks: there is no such folder; commit 9dc0e85 removed 2
      Restore them with `git checkout 9dc0e85~1 -- :/app/recordings/tasks`, or record again with DYGRAM_TEST_MODE=interactive npm test
      ci.log:22: test/set-00.test.ts > set-00 > case 1
      ci.log:24: test/set-00.test.ts > set-00 > case 10
    ");
    let after_fixes = triage.after_fixes(&files, &Pool::default());
    assert_eq!((after_fixes.answered.len(), after_fixes.failing.len()), (0, 4));
    let mut report = TriageReport::new(&triage, HashMap::new());
    report.after = Some(&after_fixes);
    assert_eq!(
        report.result().unwrap(),
        "After the fixes, 0 of 4 failures find their answers; 4 have no request to play:"
    );
    assert_eq!(
        after_fixes.failing[2].1,
        "Recordings missing: removed by commit 9dc0e85; restoring or recording again is not simulated"
    );

    // With one of both restored, the other is still missing.
    let one = json!(recording("1", "a", "send", 1)).to_string();
    let one = [("recordings/tasks/1.json".into(), Ok(Source::new(one)))];
    let one = SetFiles::new("recordings/tasks", one, &Pool::default());
    let mut now = files.clone();
    now.insert("recordings/tasks".into(), one);
    let progress = triage.progress(&now, &CassetteFiles::default());
    let restored = triage.with_progress(&progress);
    let mut report = TriageReport::new(&restored, HashMap::new());
    report.progress = Some(&progress);
    let group = &restored.groups[1];
    let lines = [
        report.group_title(group),
        progress.describe_present(group).unwrap(),
        report.fix(group).unwrap(),
    ];
    insta::assert_snapshot!(lines.join("\n"), @"
    Some recordings missing: removed by commit 9dc0e85
    Some recordings are there now. The client found none. The log contains no request, so no call is played. recordings/tasks: 1 file is there, and commit 9dc0e85 removed 2.
    Restore them with `git checkout 9dc0e85~1 -- :/app/recordings/tasks`, or record again with DYGRAM_TEST_MODE=interactive npm test
    ");

    // Restored, they are there, but nothing was played.
    let mut now = files.clone();
    now.insert("recordings/tasks".into(), files.values().next().unwrap().clone());
    let progress = triage.progress(&now, &CassetteFiles::default());
    assert_eq!((progress.count(), progress.describe()), (0, None));
    let group = &triage.groups[1];
    let present = "Recordings are there now. The client found none. The log contains no request, so no call is played.";
    assert_eq!(progress.describe_present(group).as_deref(), Some(present));
    assert_eq!(progress.describe_present(&triage.groups[0]), None);
    report.progress = Some(&progress);
    assert_eq!(
        (report.group_title(group), report.fix(group)),
        ("Recordings are there now".into(), None)
    );
    assert_eq!(report.group_title(&triage.groups[0]), "Recordings missing");
    assert_eq!(triage.restore_command(group, Some(&progress)), None);
    assert_eq!(
        triage.restore_command(group, None).as_deref(),
        Some("git checkout 9dc0e85~1 -- :/app/recordings/tasks")
    );
    // Read again, the cause is the same, also for a call that prints no request, and an answer that loads as `undefined` is reported.
    for (files, wrong) in [(&files, false), (&read_sets(&[tested_set(3)]).1, true)] {
        let (folder, _) = files.first_key_value().unwrap();
        let failures =
            failures.iter().map(|(failure, _)| (failure.clone(), Ok(Arc::clone(folder))));
        let triage =
            Triage::new(failures.collect(), files, &BTreeMap::new(), &CassetteFiles::default());
        let causes: Vec<_> = triage
            .groups
            .iter()
            .map(|group| (group.cause.as_str(), group.failures.len()))
            .collect();
        assert_eq!(causes, [("recordings-present", 4)]);
        let progress = triage.first_progress();
        assert_eq!(progress, triage.progress(files, &CassetteFiles::default()));
        let titles = [progress, triage.progress(&BTreeMap::new(), &CassetteFiles::default())]
            .map(|progress| progress.title(&triage.groups[0]));
        assert_eq!(titles, ["Recordings are there now", "Recordings missing"]);
        let progress = triage.first_progress();
        let evidence = TriageReport::new(&triage, HashMap::new()).evidence(&triage.groups[0]);
        assert_eq!(evidence.is_some(), wrong, "{evidence:?}");
        if let Some(evidence) = evidence {
            assert!(evidence.ends_with("the recorded answers are not wrapped."), "{evidence}");
            assert!(progress.describe_present(&triage.groups[0]).unwrap().ends_with(&evidence));
            // What is named is offered, and then no longer named.
            let fix = TriageReport::new(&triage, HashMap::new()).fix(&triage.groups[0]);
            assert_eq!(fix.as_deref(), Some("Wrap the answers (1 file in 1 set)"));
            let fixed = triage.after_fixes(files, &Pool::default()).sets;
            let fixed = fixed.into_iter().map(|(folder, fixed)| (folder, fixed.files)).collect();
            let progress = triage.progress(&fixed, &CassetteFiles::default());
            let present = progress.describe_present(&triage.groups[0]).unwrap();
            assert!(present.ends_with("so no call is played.") && progress.all_fixes().is_empty());
        }
    }
}

#[test]
fn each_failed_test_counts_once() {
    let sets: Vec<TestedSet> = (0..1).map(tested_set).collect();
    let block = |name: &str| {
        let test = format!("test/set-00.test.ts > set-00 > {name}");
        let past = "LLM invoked but no recording available (index: 2, total: 2)";
        format!(
            "stdout | {test} a\n{}\n FAIL  {test} a\n{}\n FAIL  test/other.test.ts > {name}\nError: {past}\n FAIL  test/unit.test.ts > {name}\nAssertionError: 1\n",
            sets[0].stdout, sets[0].error,
        )
    };
    let names = (1..=25).map(|number| format!("case {number}"));
    let text: String = names.map(|name| block(&name)).collect();
    let log = read_log("ci.log", &text);
    let tests: BTreeSet<&str> =
        log.failures.iter().filter_map(|failure| failure.test.as_deref()).collect();
    assert_eq!((log.failures.len(), tests.len()), (75, 75));
    let (items, files) = read_sets(&sets);
    let triage = triage(&text, &items, &files);
    assert_eq!(triage.groups[0].failures.len(), 25, "{:?}", triage.groups[0].cause);

    // A list of failed tests repeats the sections, and headings of files are no tests.
    let list = " FAIL  test/a.test.ts\n ❯ test/a.test.ts (2 tests | 2 failed) 2ms\n   × a > x 1ms\n     → expected 1\n   × a > y (retry x2) 1.5s\n";
    let sections = " FAIL  unit  test/a.test.ts > a > x\nError: expected 1\n FAIL  test/a.test.ts > a > y\nthrown\n";
    let client = "[PlaybackTestClient] Loaded 2 recordings from rec/a\n";
    for (text, count) in [
        (format!("{client}{list}{sections}"), 2),
        (format!("{client}{sections}{sections}"), 2),
        (format!("{client} FAIL  Tests failed. Watching for file changes...\n"), 0),
        (format!("{client} FAIL  test/a.test.ts [ test/a.test.ts ]\nError: no module\n"), 1),
        (format!("{client}FAIL test/a.test.ts\n  ● Console\n\n  ● a › x\n\n    Error: no\n"), 1),
    ] {
        let failures = read_log("ci.log", &text).failures;
        assert_eq!(failures.len(), count, "{text}\n{failures:#?}");
    }
}

#[test]
fn a_client_that_answers_without_a_folder_has_no_recordings_either() {
    let text = "stdout | test/a.test.ts > a\n[PlaybackTestClient] No recordings directory: /ci/rec/x\n\
        [PlaybackTestClient] No recording available, returning empty response\n FAIL  test/a.test.ts > a\nAssertionError: expected 1\n";
    let failures = read_log("ci.log", text).failures;
    assert_eq!(failures.len(), 1);
    assert!(failures[0].lacks_recordings());
    let folder = assign(&failures[0], &SetIndex::default());
    assert_eq!(folder.as_deref(), Ok("/ci/rec/x"));
}
