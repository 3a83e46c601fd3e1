//! `retake check --shard` and `retake merge-reports`: several parts are merged into what one check reports.

use std::fmt::Write as _;

use serde_json::Value;

use crate::project::{Project, recording, stamped};

const SETS: usize = 60;
const PARTS: usize = 3;

/// Every format.
const FORMATS: &[&str] = &["text", "json", "sarif", "junit", "github", "gitlab", "markdown"];

/// A session with this id.
fn session(id: &str) -> String {
    format!("id: {id}\ninput: x\ntool_responses: []\n")
}

/// A file with a seed for each of these jobs.
fn seeds(jobs: &[String]) -> String {
    let seed = |job: &String| {
        format!(r#"{{ "schema": "critique", "model": "m", "jobId": "{job}", "response": "{{}}" }}"#)
    };
    let all: Vec<String> = jobs.iter().map(seed).collect();
    format!("{{ \"seeds\": [\n{}\n] }}", all.join(",\n"))
}

/// A project with problems of all kinds that depend on other files: recordings in 60 sets of `size` on average, and other files.
/// Only recordings of `stamped_sets` name their source.
fn project(size: usize, stamped_sets: &[usize]) -> Project {
    let project =
        Project::new(&[("retake.toml", ""), ("machines/a.dygram", "machine \"A\"\na -> b;\n")]);
    for set in 0..SETS {
        // Sets of different sizes, at different depths.
        let folder = format!("rec/group-{}/set-{set}", set % 7);
        let size = size / 2 + size * (set % 2);
        for turn in 0..size {
            let mut more = String::new();
            if stamped_sets.contains(&set) && turn % 3 > 0 {
                let source = ["machines/a.dygram", "machines/gone.dygram"][turn % 2];
                more = stamped(source, &"0".repeat(64));
            } else if turn % 5 == 0 {
                more.push_str(",\n  \"note\": 1,\n  \"note\": 2");
            }
            let mut text = recording(&format!("req-{set}-{turn}"), &more);
            if turn % 11 == 0 {
                text = text.replace(
                    "\"content\": \"Hello\"",
                    "\"content\": \"Mail jane.doe@helpdesk.dev\u{200b}\"",
                );
            }
            project.write(&format!("{folder}/turn-{turn}.json"), text);
        }
        // Broken files are listed only below a set, and that set may be in another part.
        project.write(&format!("{folder}/deep/er/half.json"), "{ \"request\": {");
        project.write(&format!("{folder}/deep/only-a-comment.yaml"), "# nothing\n");
        project.write(&format!("{folder}/other.json"), "{ \"any\": 1 }");
        let sessions = format!("replays/s-{}", set % 4);
        project.write(&format!("{sessions}/{set}.yaml"), session(&format!("export-{}", set % 9)));
        let jobs: Vec<String> = (0..6)
            .map(|n| match n {
                0 => "jane.doe@helpdesk.dev".to_owned(),
                n => format!("job-{}", (set * n) % 40),
            })
            .collect();
        project.write(&format!("seeds/{}/{set}.seeds.json", set % 13), seeds(&jobs));
    }
    let mut code = String::new();
    for job in 0..10 {
        let _ = writeln!(code, "seedMemoryTraceResponse('critique', 'm', 'job-{job}', 0, '{{}}');");
    }
    project.write("tests/a.test.ts", code);
    add_cassettes(&project);
    project.write("elsewhere/half.json", "{ \"request\": {");
    project
}

/// Adds cassettes with problems that several of them share, or that are about their tests.
fn add_cassettes(project: &Project) {
    let call = |answer: &str, status: u16| {
        format!(
            "- request:\n    body: '{{\"model\":\"m\",\"messages\":[\"{answer}\"]}}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n  \
             response:\n    body:\n      string: '{{\"answer\":\"{answer}\"}}'\n    headers: {{}}\n    status:\n      code: {status}\n      message: X\n"
        )
    };
    for (set, config) in
        [("config", "['method', 'path']"), ("computed", "matchers()"), ("none", "")]
    {
        let folder = format!("tests/{set}");
        if !config.is_empty() {
            let fixture = "import pytest\n\n\n@pytest.fixture(scope='module')\ndef vcr_config():\n";
            let text = format!("{fixture}    return {{'match_on': {config}}}\n");
            project.write(&format!("{folder}/conftest.py"), text);
        }
        for name in ["mail", "chat", "tools", "files"] {
            let mut tests = "import pytest\n".to_owned();
            for test in ["a", "b", "c"] {
                let _ = write!(tests, "\n\n@pytest.mark.vcr\ndef test_{test}():\n    call()\n");
            }
            project.write(&format!("{folder}/test_{name}.py"), tests);
            for test in ["a", "b", "gone"] {
                let calls = [call("one", 200), call("two", 500)].concat();
                let path = format!("{folder}/cassettes/test_{name}/test_{test}.yaml");
                project.write(&path, format!("interactions:\n{calls}version: 1\n"));
            }
        }
    }
}

/// Removes the times of a report.
fn without_times(report: &str) -> String {
    let (start, rest) = match report.split_once("\"elapsed_ms\":") {
        Some(parts) => parts,
        None => match report.split_once(" time=\"") {
            Some(parts) => parts,
            None => return report.to_owned(),
        },
    };
    let end = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    format!("{start}{end}")
}

/// Checks that reports of parts in these formats are merged into these formats as one check reports.
fn check_merged(project: &Project, options: &[&str], from: &[&str], to: &[&str]) {
    let arguments = [&["check", "."], options].concat();
    for from in from {
        let mut files = Vec::new();
        for number in 1..=PARTS {
            let shard = format!("{number}/{PARTS}");
            let run =
                project.run(&[&arguments[..], &["--shard", &shard, "--format", from]].concat());
            assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
            // Outside the project, so that the next part does not see it.
            let file = project.path(&format!("target/{number}.{from}"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, run.stdout).unwrap();
            files.push(format!("target/{number}.{from}"));
        }
        // The order of the reports does not matter.
        files.reverse();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        for format in to {
            let one = project.run(&[&arguments[..], &["--format", format]].concat());
            let merged =
                project.run(&[&["merge-reports", "--format", format], &files[..]].concat());
            assert_eq!(merged.code, one.code, "{}", merged.stderr);
            let (merged, one) = (without_times(&merged.stdout), without_times(&one.stdout));
            if merged != one {
                let is_different = |(a, b): &(&str, &str)| a != b;
                let split = |text: &str| text.replace("},{", "},\n{");
                let (merged, one) = (split(&merged), split(&one));
                let first = merged.lines().zip(one.lines()).find(is_different);
                panic!("{from} to {format} {options:?}: {first:#?}");
            }
        }
    }
}

#[test]
fn parts_are_merged_into_the_report_of_one_check() {
    let project = project(50, &[17, 30]);
    check_merged(&project, &[], &["json"], &["json"]);
    let all = project.run(&["check", ".", "--json"]).json();
    let rules = all["problems"].as_array().unwrap().iter();
    let rules: std::collections::BTreeSet<_> =
        rules.map(|it| it["rule"].as_str().unwrap()).collect();
    for rule in [
        "seed-key-reused",
        "session-id-reused",
        "signature-shared",
        "source-unstamped",
        "source-stale",
        "source-missing",
        "unknown-format",
        "syntax",
        "secret",
        "duplicate-key",
        "wrong-type",
        "call-ambiguous",
        "cassette-orphan",
        "recorded-error",
    ] {
        assert!(rules.contains(rule), "{rule} is missing in {rules:?}");
    }
}

#[test]
fn parts_are_merged_where_no_recording_names_its_source_and_with_other_levels() {
    let project = project(6, &[]);
    let options =
        ["--mode", "strict", "--rule", "seed-key-reused=error", "--rule", "signature-shared=off"];
    check_merged(&project, &options, &["json", "sarif"], FORMATS);
    let options = ["--require-metadata", "--rule", "seed-key-reused=off", "--fail-on", "note"];
    check_merged(&project, &options, &["json"], &["text"]);
}

#[test]
fn a_part_reads_only_its_share() {
    let project = project(6, &[]);
    let files = |arguments: &[&str]| {
        let run = project.run(&[&["check", ".", "--json"], arguments].concat());
        run.json()["summary"]["files"].as_u64().unwrap()
    };
    let all = files(&[]);
    let parts: Vec<u64> =
        (1..=PARTS).map(|number| files(&["--shard", &format!("{number}/{PARTS}")])).collect();
    assert_eq!(parts.iter().sum::<u64>(), all);
    for part in &parts {
        assert!(*part < all / 2, "{parts:?} of {all}");
    }
}

#[test]
fn parts_of_different_checks_are_not_merged() {
    let project = Project::new(&[
        ("retake.toml", ""),
        ("a/1.json", &recording("req-1", "")),
        ("b/1.json", &recording("req-2", "")),
    ]);
    let part = |shard: &str, options: &[&str], name: &str| {
        let run = project.run(&[&["check", ".", "--json", "--shard", shard], options].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        project.write(&format!("target/{name}"), run.stdout);
    };
    part("1/2", &[], "1.json");
    part("2/2", &[], "2.json");
    part("2/3", &[], "of-three.json");
    part("2/2", &["--mode", "strict"], "strict.json");
    project.write("b/2.json", recording("req-3", ""));
    part("2/2", &[], "later.json");
    project.write("target/plain.json", project.run(&["check", ".", "--json"]).stdout);

    let merge = |names: &[&str]| {
        let files: Vec<String> = names.iter().map(|name| format!("target/{name}")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        project.run(&[&["merge-reports"], &files[..]].concat())
    };
    assert_eq!(merge(&["1.json", "2.json"]).code, Some(0));
    let mut reported = String::new();
    for names in [
        &["1.json"][..],
        &["1.json", "2.json", "1.json"],
        &["1.json", "of-three.json"],
        &["1.json", "strict.json"],
        &["1.json", "later.json"],
        &["1.json", "plain.json"],
        &["1.json", "none.json"],
    ] {
        let run = merge(names);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{names:?}");
        reported += &run.stderr;
    }
    insta::assert_snapshot!(reported, @r"
    retake: The report of part 2 of 2 is missing; make it with `retake check --shard 2/2`
    retake: target/1.json and target/1.json are both reports of part 1 of 2; give each part once
    retake: target/1.json and target/of-three.json are parts of different checks, 2 parts and 3 parts; make all parts again
    retake: target/1.json and target/strict.json are parts of different checks, made with different paths, options or settings; make all parts again
    retake: target/1.json and target/later.json are parts of different checks, made from different files; make all parts again
    retake: target/plain.json is not a report of a part; make it with `retake check --shard 1/3 --format json`, or sarif
    retake: target/none.json: no such file or directory
    ");
    for shard in ["0/2", "3/2", "1", "a/b"] {
        assert_eq!(project.run(&["check", ".", "--json", "--shard", shard]).code, Some(2));
    }
    assert_eq!(project.run(&["check", ".", "--shard", "1/2"]).code, Some(2));
}

#[test]
fn parts_have_no_finding_that_is_not_in_the_baseline_of_one_check() {
    let project = project(6, &[3]);
    project.write("target/note.txt", "");
    let known = "target/known.json";
    let run = project.run(&["check", ".", "--write-baseline", known]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for number in ["1", "2", "3"] {
        let run = project.run(&["check", ".", "--json", "--shard", &format!("{number}/3")]);
        project.write(&format!("target/{number}.json"), run.stdout);
    }
    let parts = ["target/1.json", "target/2.json", "target/3.json"];
    let merged =
        project.run(&[&["merge-reports", "--json", "--baseline", known], &parts[..]].concat());
    assert_eq!(merged.json()["problems"].as_array().unwrap().len(), 0, "{}", merged.stdout);
    assert_eq!(merged.stderr, "");
}

#[test]
fn a_merged_report_is_compared_with_a_baseline() {
    let project = Project::new(&[
        ("retake.toml", ""),
        ("a/1.json", &recording("req-1", "")),
        ("b/1.json", &recording("req-2", "")),
    ]);
    // A folder that is not checked.
    project.write("target/note.txt", "");
    let run = project.run(&["check", ".", "--write-baseline", "target/known.json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    project.write("b/2.json", "{");
    for number in ["1", "2"] {
        let run = project.run(&["check", ".", "--json", "--shard", &format!("{number}/2")]);
        project.write(&format!("target/{number}.json"), run.stdout);
    }
    let merged = project.run(&[
        "merge-reports",
        "target/1.json",
        "target/2.json",
        "--baseline",
        "target/known.json",
    ]);
    let one = project.run(&["check", ".", "--baseline", "target/known.json"]);
    assert_eq!(merged.printed(), one.printed());
    assert_eq!(one.code, Some(1));
}

#[test]
fn files_of_other_recorders_are_one_note_after_merging() {
    let mock = "when:\n  path: /v1\nthen:\n  status: 200\n";
    let project = Project::new(&[
        ("retake.toml", ""),
        ("a/1.json", &recording("req-1", "")),
        ("mocks/1.yaml", mock),
        ("mocks/2.yaml", mock),
        ("mocks/3.yaml", mock),
        ("mocks/4.yaml", mock),
    ]);
    check_merged(&project, &[], &["json", "sarif"], &["json", "sarif", "text"]);
    let all = project.run(&["check", ".", "--json"]).json();
    let problems = all["problems"].as_array().unwrap();
    let is_unread = |problem: &&Value| problem["rule"] == "unknown-format";
    assert_eq!(problems.iter().filter(is_unread).count(), 1);
}
