//! `retake edit` on many places of many files, from outside.

use crate::project::{Project, recording, stamped};

const HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Two recordings, a session, a tape, a machine and a broken file.
fn project() -> Project {
    let project = Project::new(&[
        ("retake.toml", ""),
        ("set/turn-1.json", &recording("req-1", "")),
        ("set/turn-2.json", &recording("req-2", &stamped("a.dygram", HASH))),
        (
            "replays/loop.yaml",
            "id: loop\ninput: go\ntool_responses:\n  - tool: transition_to_b # first\n    status: 200\n  - tool: mail\n    status: 504\n",
        ),
        ("machines/a.dygram", "task transition_to_b;\n"),
    ]);
    let tape = r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {"model": "m", "contents": "transition_to_b", "config": {}}, "stream": []}"#;
    project.write("tapes/one.json", tape);
    project
}

const ALL: [&str; 4] = ["set", "replays", "tapes", "machines"];

fn edit(project: &Project, options: &[&str]) -> crate::project::Run {
    let mut arguments = vec!["edit"];
    arguments.extend(ALL);
    arguments.extend(options);
    project.run(&arguments)
}

#[test]
fn a_tool_is_renamed_in_all_files_and_the_differences_are_grouped() {
    let project = project();
    let before = project.snapshot();
    let rename = ["--rename-tool", "transition_to_b=go"];
    let dry = edit(&project, &[&rename[..], &["--dry-run"]].concat());
    insta::assert_snapshot!(dry.printed(), @r#"
    0
    "transition_to_b" → "go": 6 places in 3 files
      set/turn-1.json  4:26, 7:53
      set/turn-2.json  4:26, 7:53, 9:32
      replays/loop.yaml  4:11
    6 places in 3 files
    ---
    "#);
    assert_eq!(project.snapshot(), before);
    let first = project.read("set/turn-1.json");
    let run = edit(&project, &rename);
    insta::assert_snapshot!(run.printed(), @r"
    0
    set/turn-1.json: 2 places
    set/turn-2.json: 3 places
    replays/loop.yaml: 1 place
    6 places in 3 files
    ---
    ");
    assert_eq!(project.read("set/turn-1.json"), first.replace("transition_to_b", "go"));
    assert!(project.read("tapes/one.json").contains("transition_to_b"));
    insta::assert_snapshot!(edit(&project, &rename).printed(), @r"
    1
    ---
    retake: Nothing matches
    ");
}

#[test]
fn a_filter_a_pointer_and_skipped_places_bound_what_changes() {
    let project = project();
    let options =
        ["--replace", "transition", "change", "--where", "-kind:tape", "--at", "/response"];
    let run = edit(&project, &[&options[..], &["--skip", "./set/turn-2.json"]].concat());
    insta::assert_snapshot!(run.printed(), @r"
    0
    set/turn-1.json: 1 place
    1 place in 1 file
    ---
    ");
    let run = edit(
        &project,
        &[
            "--set",
            "/tool_responses/*/status=502",
            "--skip",
            "replays/loop.yaml:5:13",
            "--skip",
            "no.json:1",
            "--dry-run",
        ],
    );
    insta::assert_snapshot!(run.printed(), @r"
    0
    504 → 502: 1 place in 1 file
      replays/loop.yaml  7:13
    1 place in 1 file
    ---
    retake: --skip matches no place: no.json:1
    ");
    let run = project.run(&["edit", "replays/loop.yaml", "--remove", "/tool_responses/*/status"]);
    insta::assert_snapshot!(run.printed(), @r"
    0
    replays/loop.yaml: 2 places
    2 places in 1 file
    ---
    ");
    insta::assert_snapshot!(project.read("replays/loop.yaml"), @r"
    id: loop
    input: go
    tool_responses:
      - tool: transition_to_b # first
      - tool: mail
    ");
}

#[test]
fn the_changes_are_printed_as_json() {
    let project = project();
    let options = [
        "--replace-regex",
        r"req-(\d)",
        "call-$1",
        "--rename-model",
        "m=n",
        "--remove",
        "/tool_responses/1",
        "--json",
        "--dry-run",
    ];
    let run = edit(&project, &options);
    assert_eq!(run.code, Some(0));
    let json = serde_json::to_string_pretty(&run.json()).unwrap();
    insta::assert_snapshot!(json, @r#"
    {
      "changes": [
        {
          "new": "call-1",
          "old": "req-1",
          "places": [
            {
              "column": 64,
              "line": 2,
              "path": "set/turn-1.json",
              "pointer": "/request/requestId"
            },
            {
              "column": 66,
              "line": 5,
              "path": "set/turn-1.json",
              "pointer": "/response/requestId"
            }
          ]
        },
        {
          "new": "call-2",
          "old": "req-2",
          "places": [
            {
              "column": 64,
              "line": 2,
              "path": "set/turn-2.json",
              "pointer": "/request/requestId"
            },
            {
              "column": 66,
              "line": 5,
              "path": "set/turn-2.json",
              "pointer": "/response/requestId"
            }
          ]
        },
        {
          "new": "n",
          "old": "m",
          "places": [
            {
              "column": 20,
              "line": 1,
              "path": "tapes/one.json",
              "pointer": "/meta/model"
            },
            {
              "column": 66,
              "line": 1,
              "path": "tapes/one.json",
              "pointer": "/request/model"
            }
          ]
        },
        {
          "old": {
            "status": 504,
            "tool": "mail"
          },
          "places": [
            {
              "column": 5,
              "line": 6,
              "path": "replays/loop.yaml",
              "pointer": "/tool_responses/1"
            }
          ]
        }
      ],
      "files": 4,
      "places": 7,
      "refused": [],
      "schema_version": 1
    }
    "#);
}

#[test]
fn what_is_refused_is_reported_with_its_place_and_the_rest_is_changed() {
    let project = project();
    project.write("set/broken.json", r#"{"request": {"requestId": "req-1", "messages": []},"#);
    project.write("replays/two.json", r#"{"id": "loop", "input": "go", "id": "loop"}"#);
    let run = edit(&project, &["--remove", "/id", "--replace", "go", "start"]);
    insta::assert_snapshot!(run.printed(), @r"
    2
    replays/loop.yaml: 2 places
    replays/two.json: 1 place
    3 places in 2 files
    ---
    retake: set/broken.json:1:52: The file cannot be read completely: The file ends inside the object that starts at line 1; `}` is expected
    retake: replays/two.json:1:37: The key `id` also occurs at line 1 and would become effective; edit the text itself
    ");
    assert!(project.read("replays/loop.yaml").starts_with("input: start\n"));
    assert!(project.read("replays/two.json").contains("\"start\""));
}

#[test]
fn wrong_options_are_reported() {
    let project = project();
    let refused = |options: &[&str]| {
        let run = edit(&project, options);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        run.stderr
    };
    insta::assert_snapshot!(refused(&["--rename-tool", "a"]), @"retake: expected OLD=NEW: --rename-tool a");
    insta::assert_snapshot!(refused(&["--rename-node", "a=a"]), @"retake: expected OLD=NEW: --rename-node a=a");
    insta::assert_snapshot!(refused(&["--replace-regex", "a(", "b"]), @"retake: The regular expression is invalid: unclosed group: --replace-regex a( b");
    insta::assert_snapshot!(refused(&["--replace", "go", "--dry-run"]), @"retake: expected OLD NEW, found an option: --replace go --dry-run");
    insta::assert_snapshot!(refused(&["--replace", "", "b"]), @"retake: The text to replace is empty: --replace  b");
    insta::assert_snapshot!(refused(&["--set", "/id=1", "--at", "/id"]), @"retake: --at needs --replace or --replace-regex");
    insta::assert_snapshot!(refused(&["--set", "id=1"]), @"retake: `id` is not a JSON Pointer, which starts with `/`, as in `/stream/*/text`");
    insta::assert_snapshot!(refused(&["--insert", "/id=1"]), @"retake: --insert edits a single file; give one file, and none of the options for many places");
    insta::assert_snapshot!(refused(&["--where", "knd:x", "--remove", "/id"]), @r#"
    retake: The filter is invalid:
    retake:   knd:x
    retake:   ^^^^^ there is no key "knd"; did you mean "kind"?
    retake:   help: keys are kind, status, tool, model, path, set, rule, severity, source, id, version, api, provider, called, code, tokens, client, is, body
    "#);
    insta::assert_snapshot!(refused(&["--where", "kind:tape"]), @"retake: No edit given; use --set, --insert, --remove, --rename or --move");
}

#[test]
fn a_star_that_is_a_key_names_only_that_key() {
    let project = Project::new(&[("a.json", r#"{"*": 1, "b": 2}"#)]);
    let run = project.run(&["edit", "a.json", "--set", "/*=3"]);
    insta::assert_snapshot!(run.printed(), @r"
    0
    ---
    Set * to 3
    ");
    assert_eq!(project.read("a.json"), r#"{"*": 3, "b": 2}"#);
}

#[test]
fn two_thousand_files_change_only_in_the_replaced_places_and_one_undo_restores_them() {
    let project = Project::new(&[("retake.toml", "")]);
    let text = |number: usize| {
        let more = match number % 3 {
            0 => String::new(),
            _ => stamped("a.dygram", HASH),
        };
        let indent = " ".repeat(number % 7);
        recording(&format!("req-{number}"), &more).replace('\n', &format!("\n{indent}"))
    };
    let path = |number: usize| format!("set-{}/turn-{number}.json", number % 20);
    for number in 0..2000 {
        project.write(&path(number), text(number));
    }
    let run = project.run(&["edit", ".", "--rename-tool", "transition_to_b=go_on"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut places = 0;
    for number in 0..2000 {
        let before = text(number);
        places += before.matches("transition_to_b").count();
        let expected = before.replace("transition_to_b", "go_on");
        assert_eq!(project.read(&path(number)), expected);
    }
    let last = run.stdout.lines().last().unwrap();
    assert_eq!(last, format!("{places} places in 2000 files"));

    let undo = project.run(&["undo"]);
    assert_eq!(undo.code, Some(0), "{}", undo.stderr);
    for number in 0..2000 {
        assert_eq!(project.read(&path(number)), text(number));
    }
    assert_eq!(project.run(&["undo"]).code, Some(1));
}

#[test]
fn a_pointer_into_texts_of_several_files_is_refused_with_the_reason() {
    let project = Project::new(&[("a.json", r#"[{"body": "{\"model\": \"m\"}"}]"#)]);
    let run = project.run(&["edit", "a.json", "--set", r#"/*/body#/model="n""#]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("`#` leads into a text only in one file, and without `*`"),
        "{}",
        run.stderr
    );
    let run = project.run(&["edit", "a.json", "--set", r#"/0/body#/model="n""#]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.read("a.json"), r#"[{"body": "{\"model\": \"n\"}"}]"#);
}
