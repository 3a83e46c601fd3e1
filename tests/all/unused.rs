//! `retake unused`, from outside: what is listed, what is moved to the trash, and how it comes back.

use std::fs;

use serde_json::json;

use crate::project::{Project, Run, recording};

/// A set of four recordings, two of them copies, and the log of a run that uses one of them.
fn project() -> Project {
    let other = recording("a-3", "").replace("transition_to_b", "transition_to_c");
    let project = Project::new(&[
        ("retake.toml", ""),
        ("rec/a/1.json", &recording("a-1", "")),
        ("rec/a/2.json", &recording("a-2", "")),
        ("rec/a/3.json", &other),
        ("rec/a/4.json", &recording("a-4", "").replace("02-02T", "02-01T")),
    ]);
    let mut log = "stdout | test/a.test.ts > a > answers\n[PlaybackTestClient] Loaded 4 recordings from /ci/rec/a\n".to_owned();
    for id in ["a-1", "a-2"] {
        log += &format!(
            "[PlaybackTestClient] Matched recording by signature\n   Tools: transition_to_b\n   Request ID: {id}\n\n"
        );
    }
    project.write("ci.log", log);
    project
}

/// Runs the program with a trash in the project's own folder.
fn run(project: &Project, arguments: &[&str]) -> Run {
    let mut command = project.command(arguments);
    command.env("XDG_DATA_HOME", project.path("data")).env("HOME", project.path("home"));
    Run::of(&command.output().unwrap())
}

fn recordings(project: &Project) -> Vec<(String, String)> {
    let files = fs::read_dir(project.path("rec/a")).unwrap();
    let mut files: Vec<_> = files
        .map(|file| {
            let name = file.unwrap().file_name().into_string().unwrap();
            let text = project.read(&format!("rec/a/{name}"));
            (name, text)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn logs_show_what_is_unused() {
    let project = project();
    let before = project.snapshot();
    let listed = run(&project, &["unused", "rec", "--logs", "ci.log"]);
    assert_eq!(listed.code, Some(1), "{}", listed.printed());
    assert!(listed.printed().contains("2 unused recordings"), "{}", listed.printed());
    let all = [
        "unused",
        "rec",
        "--logs",
        "ci.log",
        "--duplicates",
        "--largest",
        "1",
        "--oldest",
        "1",
        "--json",
        "--trash",
        "--dry-run",
    ];
    let listed = run(&project, &all);
    assert_eq!(listed.code, Some(1), "{}", listed.stderr);
    let document = listed.json();
    let size = |name: &str| project.read(&format!("rec/a/{name}")).len();
    assert_eq!(
        document,
        json!({
            "unused": [
                { "path": "rec/a/3.json", "bytes": size("3.json"), "recorded_at": "2026-02-02T02:40:01.000Z",
                  "reason": "no run in the logs uses it" },
                { "path": "rec/a/4.json", "bytes": size("4.json"), "recorded_at": "2026-02-01T02:40:01.000Z",
                  "reason": "no run in the logs uses it" },
            ],
            "duplicates": [],
            "largest": [
                { "path": "rec/a/1.json", "bytes": size("1.json"), "recorded_at": "2026-02-02T02:40:01.000Z" },
            ],
            "oldest": [
                { "path": "rec/a/4.json", "bytes": size("4.json"), "recorded_at": "2026-02-01T02:40:01.000Z" },
            ],
            "not_judged": [],
            "moved": [],
            "schema_version": 1,
        })
    );
    assert_eq!(project.snapshot(), before, "nothing is moved");
}

#[test]
fn without_logs_copies_are_listed_and_a_part_of_a_set_is_not_judged() {
    let project = project();
    let listed = run(&project, &["unused", "rec", "--duplicates"]);
    assert_eq!(listed.code, Some(1), "{}", listed.printed());
    assert!(listed.printed().contains("duplicate of rec/a/1.json"), "{}", listed.printed());
    let listed = run(&project, &["unused", "rec/a/1.json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    assert!(!listed.printed().contains("No unused"), "{}", listed.printed());
    assert!(listed.printed().contains("rec/a  not judged: "), "{}", listed.printed());
    let missing = run(&project, &["unused", "rec", "--logs", "none.log"]);
    assert_eq!(missing.code, Some(2), "{}", missing.printed());
    assert!(missing.printed().contains("no log to read"), "{}", missing.printed());
}

#[test]
fn a_machine_shows_which_tools_no_node_offers_any_longer() {
    let project = project();
    let source = r#",
  "sourceMetadata": { "sourceFile": "a.dygram", "contentHash": "0", "fileSize": 3, "lastModified": "2026-02-02T02:00:00.000Z" }"#;
    let stamped = |id: &str, tool: &str| {
        recording(id, source)
            .replace("\"tools\": [ ", "\"tools\": [ { \"name\": \"transition_to_c\" }, ")
            .replace("transition_to_b", tool)
    };
    for (name, tool) in [
        ("1", "transition_to_b"),
        ("2", "transition_to_b"),
        ("3", "transition_to_b"),
        ("4", "transition_to_d"),
    ] {
        project.write(&format!("rec/a/{name}.json"), stamped(name, tool));
    }
    let machine =
        "machine \"A\"\nTask a { prompt: \"Go on.\" }\nTask b {}\nTask c {}\na -> b\na -> c\n";
    project.write("a.dygram", machine);
    let listed = run(&project, &["unused", "rec"]);
    assert_eq!(listed.code, Some(1), "{}", listed.printed());
    assert!(listed.printed().contains("offers its tools"), "{}", listed.printed());
    // A recording without a source may be for another machine.
    project.write("rec/a/4.json", recording("4", ""));
    let listed = run(&project, &["unused", "rec"]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    assert!(listed.printed().contains("no source; others do"), "{}", listed.printed());
    project.write("rec/a/4.json", stamped("4", "transition_to_d"));
    project.write("a.dygram", machine.replace("a -> c", "a -> -> c"));
    let listed = run(&project, &["unused", "rec"]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    assert!(listed.printed().contains("could not be read completely"), "{}", listed.printed());
}

// The trash of other systems is not in a folder of the test.
#[cfg(target_os = "linux")]
#[test]
fn what_is_moved_to_the_trash_comes_back_as_one_step() {
    let project = project();
    let before = recordings(&project);
    let moved = run(&project, &["unused", "rec", "--logs", "ci.log", "--trash"]);
    assert_eq!(moved.code, Some(0), "{}", moved.printed());
    assert!(moved.printed().contains("2 files moved to the trash"), "{}", moved.printed());
    let names: Vec<_> = recordings(&project).into_iter().map(|it| it.0).collect();
    assert_eq!(names, ["1.json", "2.json"]);
    let trash = fs::read_dir(project.path("data/Trash/files")).unwrap();
    assert_eq!(trash.count(), 2);
    let undone = run(&project, &["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.stderr);
    assert_eq!(recordings(&project), before);

    // Largest and oldest recordings are never moved.
    let arguments = ["unused", "rec", "--largest", "4", "--oldest", "4", "--trash"];
    let listed = run(&project, &arguments);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    assert_eq!(recordings(&project), before);

    // Without logs, a copy may be there for a second call.
    let arguments = ["unused", "rec", "--duplicates", "--trash"];
    let kept = run(&project, &arguments);
    assert_eq!(kept.code, Some(1), "{}", kept.printed());
    assert!(kept.stderr.contains("2 duplicates are not moved"), "{}", kept.stderr);
    assert_eq!(recordings(&project), before);

    // With logs, a copy that answered a call stays, and one that no run uses is moved.
    let arguments = [&arguments[..], &["--logs", "ci.log"]].concat();
    let moved = run(&project, &arguments);
    assert_eq!(moved.code, Some(0), "{}", moved.printed());
    let names: Vec<_> = recordings(&project).into_iter().map(|it| it.0).collect();
    assert_eq!(names, ["1.json", "2.json"]);

    // Where the logs do not show what a run used, no copy is moved.
    assert_eq!(run(&project, &["undo"]).code, Some(0));
    let log = project.read("ci.log").replace("Loaded 4", "Loaded 5");
    project.write("ci.log", log);
    let kept = run(&project, &arguments);
    assert_eq!(kept.code, Some(1), "{}", kept.printed());
    assert!(kept.stdout.contains("1 set not judged"), "{}", kept.stdout);
    assert_eq!(recordings(&project), before);
}

#[test]
fn no_recording_is_a_copy_of_itself_where_paths_overlap() {
    let project = project();
    let once = run(&project, &["unused", "rec", "--duplicates", "--json"]);
    for paths in [["rec", "rec/a"], ["rec/a/1.json", "rec"], ["rec", "./rec"]] {
        let overlapping = [&["unused"][..], &paths, &["--duplicates", "--json"]].concat();
        let overlapping = run(&project, &overlapping);
        assert_eq!(overlapping.json(), once.json(), "{paths:?}");
    }
}

#[test]
fn without_sets_nothing_is_judged() {
    let cassette = "interactions:\n- request: {uri: 'https://a.b/c', method: GET, body: null, headers: {}}\n  response: {status: {code: 200, message: OK}, headers: {}, body: {string: ''}}\nversion: 1\n";
    let project = Project::new(&[("cassettes/a.yaml", cassette)]);
    let listed = run(&project, &["unused", "."]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    let expected = "No sets of recordings: other files are not judged";
    assert!(listed.printed().contains(expected), "{}", listed.printed());
}
