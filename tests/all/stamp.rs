//! `retake stamp`, from outside: what is written, what is left and why.

use std::time::{Duration, SystemTime};

use crate::project::{Project, recording, stamped};

const TRIAGE: &str = "machine \"Triage\"\ntask a;\ntask b;\na -\"go\"-> b;\n";
const CLOSE: &str = "machine \"Close\"\n";

/// 2026-02-02T02:40:00.1236Z
const CHANGED: Duration = Duration::from_nanos(1_770_000_000_123_600_000);

/// Two sets of the first version with their sources, and other files in such a folder.
fn project() -> Project {
    let (one, two) = (recording("req-1", ""), recording("req-2", ""));
    let project = Project::new(&[
        ("retake.toml", ""),
        ("machines/triage.dygram", TRIAGE),
        ("machines/close.mach", CLOSE),
        ("rec/triage/turn-1.json", &one),
        ("rec/close/turn-1.json", &two),
        ("rec/close/other.json", "{\"meta\": {}}"),
    ]);
    for source in ["machines/triage.dygram", "machines/close.mach"] {
        let file = std::fs::File::options().write(true).open(project.path(source));
        let changed = SystemTime::UNIX_EPOCH + CHANGED;
        file.unwrap().set_modified(changed).unwrap();
    }
    project
}

/// What a recording holds behind its time.
fn tail(project: &Project, path: &str) -> String {
    let text = project.read(path);
    text[text.find("\"recordedAt\"").unwrap()..].to_owned()
}

#[test]
fn a_set_is_stamped_with_its_source_and_then_has_nothing_to_be_stamped() {
    let project = project();
    let source = ["--source", "machines/triage.dygram"];
    let run = project.run(&[&["stamp", "rec/triage"], &source[..]].concat());
    insta::assert_snapshot!(run.printed(), @"
    0
    rec/triage/turn-1.json
    ---
    1 recording: 1 stamped, 0 unchanged
    ");
    insta::assert_snapshot!(tail(&project, "rec/triage/turn-1.json"), @r#"
    "recordedAt": "2026-02-02T02:40:01.000Z",
      "signature": {
        "toolNames": [
          "transition_to_b"
        ],
        "messageCount": 1,
        "contextKeys": []
      },
      "sourceMetadata": {
        "sourceFile": "machines/triage.dygram",
        "contentHash": "aad997a115201e4bf850cc6c68657edc7b939ad383e9cfc5d94d6ea464cfe6f9",
        "fileSize": 46,
        "lastModified": "2026-02-02T02:40:00.124Z",
        "machineTitle": "Triage",
        "nodeNames": [
          "a",
          "b"
        ],
        "edgeLabels": [
          "go"
        ]
      }
    }
    "#);

    let before = project.snapshot();
    for arguments in [&["stamp", "rec/triage"][..], &["stamp", "rec/triage", "--sources", "."]] {
        let run = project.run(arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        insta::allow_duplicates! {
            insta::assert_snapshot!(run.printed(), @"
            0
            ---
            1 recording: 0 stamped, 1 unchanged
            ");
        }
    }
    assert_eq!(project.snapshot(), before);
}

#[test]
fn every_set_finds_its_own_source_in_a_folder_or_says_why_not() {
    let project = project();
    project.write("rec/unknown/turn-1.json", recording("req-3", ""));
    project.write("machines/old/close.dy", CLOSE);
    let run = project.run(&["stamp", "rec", "--sources", "machines"]);
    insta::assert_snapshot!(run.printed(), @"
    1
    rec/triage/turn-1.json
    ---
    retake: Several sources match: `machines/close.mach`, `machines/old/close.dy`: rec/close/turn-1.json
    retake: No source matches the title of its machine, the name of its folder or the stamped path: rec/unknown/turn-1.json
    3 recordings: 1 stamped, 0 unchanged, 2 skipped
    ");
    assert!(project.read("rec/triage/turn-1.json").contains("machines/triage.dygram"));
    assert_eq!(project.read("rec/close/turn-1.json"), recording("req-2", ""));
}

#[test]
fn a_dry_run_shows_the_differences_and_writes_nothing() {
    let project = project();
    let before = project.snapshot();
    let run = project.run(&["stamp", "rec", "--to", "v2", "--dry-run"]);
    insta::assert_snapshot!(run.printed(), @r#"
    0
    --- rec/close/turn-1.json
    +++ rec/close/turn-1.json
    @@ -5,5 +5,12 @@
       "response": { "type": "llm_invocation_response", "requestId": "req-2", "timestamp": "2026-02-02T02:40:01.000Z",
         "reasoning": "", "response": { "stop_reason": "tool_use", "content": [
           { "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": {} } ] } },
    -  "recordedAt": "2026-02-02T02:40:01.000Z"
    +  "recordedAt": "2026-02-02T02:40:01.000Z",
    +  "signature": {
    +    "toolNames": [
    +      "transition_to_b"
    +    ],
    +    "messageCount": 1,
    +    "contextKeys": []
    +  }
     }
    \ No newline at end of file
    --- rec/triage/turn-1.json
    +++ rec/triage/turn-1.json
    @@ -5,5 +5,12 @@
       "response": { "type": "llm_invocation_response", "requestId": "req-1", "timestamp": "2026-02-02T02:40:01.000Z",
         "reasoning": "", "response": { "stop_reason": "tool_use", "content": [
           { "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": {} } ] } },
    -  "recordedAt": "2026-02-02T02:40:01.000Z"
    +  "recordedAt": "2026-02-02T02:40:01.000Z",
    +  "signature": {
    +    "toolNames": [
    +      "transition_to_b"
    +    ],
    +    "messageCount": 1,
    +    "contextKeys": []
    +  }
     }
    \ No newline at end of file
    ---
    2 recordings: 2 to be stamped, 0 unchanged
    "#);
    assert_eq!(project.snapshot(), before);
}

#[test]
fn versions_come_one_after_the_other_and_what_is_there_can_be_left_alone() {
    let project = project();
    let old = stamped("machines/triage.dygram", &"0".repeat(64));
    project.write("rec/triage/turn-2.json", recording("req-3", &old));
    let run = project.run(&["stamp", "rec", "--to", "v2"]);
    insta::assert_snapshot!(run.printed(), @"
    0
    rec/close/turn-1.json
    rec/triage/turn-1.json
    ---
    3 recordings: 2 stamped, 1 unchanged
    ");
    let run = project.run(&["stamp", "rec", "--sources", "machines", "--only-missing"]);
    insta::assert_snapshot!(run.printed(), @"
    0
    rec/close/turn-1.json
    rec/triage/turn-1.json
    ---
    3 recordings: 2 stamped, 1 unchanged
    ");
    assert_eq!(project.read("rec/triage/turn-2.json"), recording("req-3", &old));
    let run = project.run(&["stamp", "rec"]);
    insta::assert_snapshot!(run.printed(), @"
    0
    rec/triage/turn-2.json
    ---
    3 recordings: 1 stamped (1 with a source that changed since), 2 unchanged
    ");
    insta::assert_snapshot!(tail(&project, "rec/triage/turn-2.json"), @r#"
    "recordedAt": "2026-02-02T02:40:01.000Z",
      "signature": { "toolNames": ["transition_to_b"], "messageCount": 1, "contextKeys": [] },
      "sourceMetadata": { "sourceFile": "machines/triage.dygram", "contentHash": "aad997a115201e4bf850cc6c68657edc7b939ad383e9cfc5d94d6ea464cfe6f9", "fileSize": 46,
        "lastModified": "2026-02-02T02:40:00.124Z",
        "machineTitle": "Triage",
        "nodeNames": [ "a", "b" ],
        "edgeLabels": [ "go" ] }
    }
    "#);
    let check = project.run(&["check", "rec", "--mode", "strict", "--require-metadata"]);
    assert_eq!(check.code, Some(0), "{}", check.stdout);
}

#[test]
fn a_renamed_source_is_found_by_its_text() {
    let project = project();
    let source = ["--source", "machines/triage.dygram"];
    project.run(&[&["stamp", "rec/triage"], &source[..]].concat());
    std::fs::rename(
        project.path("machines/triage.dygram"),
        project.path("machines/sorting.dygram"),
    )
    .unwrap();
    let run = project.run(&["stamp", "rec/triage"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(project.read("rec/triage/turn-1.json").contains("machines/sorting.dygram"));
}

#[test]
fn what_cannot_be_stamped_is_left_with_the_reason() {
    let project = project();
    let outside = Project::new(&[("a.dygram", TRIAGE)]);
    let outside = outside.path("a.dygram");
    let before = project.snapshot();
    let arguments: [&[&str]; 7] = [
        &["stamp", "rec/triage"],
        &["stamp", "rec/close/other.json", "--source", "machines/close.mach"],
        &["stamp", "rec/triage", "--source", "machines/none.dygram"],
        &["stamp", "rec/triage", "--source", "machines"],
        &["stamp", "rec/triage", "--to", "v2", "--source", "x"],
        &[
            "stamp",
            "rec",
            "none",
            "--to",
            "v2",
            "--dry-run",
            "--only-missing",
            "--client",
            "nobody",
        ],
        &["stamp", "rec/none", "--to", "v2"],
    ];
    let printed: Vec<String> =
        arguments.iter().map(|arguments| project.run(arguments).printed()).collect();
    insta::assert_snapshot!(printed.join("\n\n"), @"
    1
    ---
    retake: The recording names no source: rec/triage/turn-1.json
    Give the source with --source FILE or --sources DIR
    1 recording: 0 stamped, 0 unchanged, 1 skipped


    1
    ---
    retake: The file is not a recording: rec/close/other.json
    1 recording: 0 stamped, 0 unchanged, 1 skipped


    2
    ---
    retake: The source cannot be read: no such file or directory: `machines/none.dygram`


    2
    ---
    retake: The source is a folder, not a file: `machines`


    2
    ---
    retake: --to v2 stamps no source; leave out --source and --sources


    2
    ---
    error: invalid value 'nobody' for '--client <CLIENT>'
      [possible values: shipped, documented]

    For more information, try '--help'.


    2
    ---
    retake: No file or folder at rec/none; paths are relative to the current folder
    ");
    let run = project.run(&["stamp", "rec/triage", "--source", outside.to_str().unwrap()]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("is outside the project root"), "{}", run.stderr);
    assert_eq!(project.snapshot(), before);
}

#[test]
fn what_is_not_written_is_reported_beside_what_is() {
    let project = project();
    project.make_read_only("rec/close/turn-1.json");
    let run = project.run(&["stamp", "rec", "--to", "v2"]);
    insta::assert_snapshot!(run.printed(), @"
    2
    rec/triage/turn-1.json
    ---
    retake: The file is read-only and was not changed. Save under another name, or replace the file anyway: rec/close/turn-1.json
    2 recordings: 1 stamped, 0 unchanged, 1 not written
    ");
}

#[test]
fn recordings_that_no_longer_match_are_reported_when_they_are_stamped() {
    let project = project();
    let run = project.run(&["stamp", "rec/triage", "--source", "machines/triage.dygram"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    project.write(
        "machines/triage.dygram",
        TRIAGE.replace("-> b", "-> c").replace("task b", "task c"),
    );
    for options in [&["--dry-run"] as &[&str], &[]] {
        let run = project.run(&[&["stamp", "rec/triage"], options].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        for part in [
            "rec/triage/turn-1.json: The recording no longer matches its source: ",
            "(1 with a source that changed since, 1 that a request made today does not match)",
        ] {
            assert!(run.stderr.contains(part), "{}", run.stderr);
        }
    }
    let run = project.run(&["stamp", "rec/triage"]);
    assert!(!run.stderr.contains("matches"), "{}", run.stderr);
}
