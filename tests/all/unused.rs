//! `retake unused`, from outside: what is listed.

use serde_json::json;

use crate::project::{Project, recording};

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

#[test]
fn logs_show_what_is_unused() {
    let project = project();
    let before = project.snapshot();
    let listed = project.run(&["unused", "rec", "--logs", "ci.log"]);
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
    ];
    let listed = project.run(&all);
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
            "schema_version": 1,
        })
    );
    assert_eq!(project.snapshot(), before, "nothing is changed");
}

#[test]
fn without_logs_copies_are_listed_and_a_part_of_a_set_is_not_judged() {
    let project = project();
    let listed = project.run(&["unused", "rec", "--duplicates"]);
    assert_eq!(listed.code, Some(1), "{}", listed.printed());
    assert!(listed.printed().contains("duplicate of rec/a/1.json"), "{}", listed.printed());
    let listed = project.run(&["unused", "rec/a/1.json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    assert!(!listed.printed().contains("No unused"), "{}", listed.printed());
    assert!(listed.printed().contains("rec/a  not judged: "), "{}", listed.printed());
    let missing = project.run(&["unused", "rec", "--logs", "none.log"]);
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
    let listed = project.run(&["unused", "rec"]);
    assert_eq!(listed.code, Some(1), "{}", listed.printed());
    assert!(listed.printed().contains("offers its tools"), "{}", listed.printed());
    // A recording without a source may be for another machine.
    project.write("rec/a/4.json", recording("4", ""));
    let listed = project.run(&["unused", "rec"]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    assert!(listed.printed().contains("no source; others do"), "{}", listed.printed());
    project.write("rec/a/4.json", stamped("4", "transition_to_d"));
    project.write("a.dygram", machine.replace("a -> c", "a -> -> c"));
    let listed = project.run(&["unused", "rec"]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    assert!(listed.printed().contains("could not be read completely"), "{}", listed.printed());
}

#[test]
fn no_recording_is_a_copy_of_itself_where_paths_overlap() {
    let project = project();
    let once = project.run(&["unused", "rec", "--duplicates", "--json"]);
    for paths in [["rec", "rec/a"], ["rec/a/1.json", "rec"], ["rec", "./rec"]] {
        let overlapping = [&["unused"][..], &paths, &["--duplicates", "--json"]].concat();
        let overlapping = project.run(&overlapping);
        assert_eq!(overlapping.json(), once.json(), "{paths:?}");
    }
}

#[test]
fn without_sets_nothing_is_judged() {
    let cassette = "interactions:\n- request: {uri: 'https://a.b/c', method: GET, body: null, headers: {}}\n  response: {status: {code: 200, message: OK}, headers: {}, body: {string: ''}}\nversion: 1\n";
    let project = Project::new(&[("cassettes/a.yaml", cassette)]);
    let listed = project.run(&["unused", "."]);
    assert_eq!(listed.code, Some(0), "{}", listed.printed());
    let expected = "No sets of recordings: other files are not judged";
    assert!(listed.printed().contains(expected), "{}", listed.printed());
}
