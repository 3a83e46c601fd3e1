//! `retake edit`, from outside: what is written, what is shown, what is refused.

use crate::project::{Project, Run};

const SESSION: &str = "\u{feff}# the incident\r\nid: a=b\r\ntool_responses:\r\n  - tool: \"store\"   # saved\r\n    status: 200\r\n  - tool: \"mail\"\r\n    status: 1_000";

fn session() -> Project {
    Project::new(&[("retake.toml", ""), ("replays/loop.yaml", SESSION)])
}

fn text(project: &Project) -> String {
    project.read("replays/loop.yaml")
}

fn edit(project: &Project, options: &[&str]) -> Run {
    let mut arguments = vec!["edit", "replays/loop.yaml"];
    arguments.extend(options);
    project.run(&arguments)
}

#[test]
fn edits_are_made_in_order_and_leave_every_other_byte() {
    let project = session();
    let run = edit(
        &project,
        &[
            "--insert",
            r#"/tool_responses/0={"tool": "no", "status": 1e3}"#,
            "--rename",
            "/tool_responses/1/tool=name",
            "--move",
            "/tool_responses/2=0",
            "--set",
            "/tool_responses/0/status=\"12:30\"",
            "--remove",
            "/tool_responses/2/status",
        ],
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    insta::assert_snapshot!(run.stderr, @r#"
    Insert tool response 1
    Rename tool of tool response 2 to name
    Move tool response 3 to place 1
    Set status of tool response 1 to "12:30"
    Remove status of tool response 3
    "#);
    insta::assert_snapshot!(text(&project).replace("\r\n", "\\r\\n\n"), @r#"
    ﻿# the incident\r\n
    id: a=b\r\n
    tool_responses:\r\n
      - tool: "mail"\r\n
        status: "12:30"\r\n
      - tool: "no"\r\n
        status: 1.0e+3\r\n
      - name: "store"   # saved
    "#);
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let project = session();
    let before = project.snapshot();
    let run = edit(
        &project,
        &["--set", "/tool_responses/1/status=504", "--set", "/id=\"\\u001b[31m\"", "--dry-run"],
    );
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(run.stdout.replace('\r', "\\r"), @r#"
    --- replays/loop.yaml
    +++ replays/loop.yaml
    @@ -1,7 +1,7 @@
     \u{feff}# the incident\r
    -id: a=b\r
    +id: "\u001b[31m"\r
     tool_responses:\r
       - tool: "store"   # saved\r
         status: 200\r
       - tool: "mail"\r
    -    status: 1_000
    \ No newline at end of file
    +    status: 504
    \ No newline at end of file
    "#);
    assert_eq!(project.snapshot(), before);
}

#[test]
fn what_changes_nothing_is_not_written() {
    let project = session();
    let before = project.snapshot();
    let run = edit(&project, &["--set", "/tool_responses/0/status=200"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = edit(&project, &["--set", "/tool_responses/0/status=200", "--dry-run"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    assert_eq!(project.snapshot(), before);
}

#[test]
fn all_edits_are_made_or_none_and_the_reason_has_its_place() {
    let project = session();
    let refused = |options: &[&str]| {
        let run = edit(&project, options);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert_eq!(text(&project), SESSION);
        run.stderr
    };
    insta::assert_snapshot!(refused(&["--set", "/id=1", "--remove", "/tool_responses/7"]), @"retake: There is no element 7 in `/tool_responses`, which has 2, counted from 0: --remove /tool_responses/7: replays/loop.yaml:4:3");
    insta::assert_snapshot!(refused(&["--set", "/id=timeout"]), @"retake: `timeout` is not a JSON value; text needs double quotes: --set /id=timeout");
    insta::assert_snapshot!(refused(&["--set", "/id"]), @"retake: expected POINTER=JSON: --set /id");
    insta::assert_snapshot!(refused(&["--move", "/tool_responses/0=-1"]), @"retake: expected POINTER=INDEX: --move /tool_responses/0=-1");
    insta::assert_snapshot!(refused(&[]), @"retake: No edit given; use --set, --insert, --remove, --rename or --move");
    insta::assert_snapshot!(refused(&["--insert", "/new=1", "--rename", "/new=id"]), @"retake: The key `id` already exists: --rename /new: replays/loop.yaml:2:5");

    let folder = project.run(&["edit", "replays", "--rename", "/id=name"]);
    assert_eq!(folder.code, Some(2));
    insta::assert_snapshot!(folder.stderr, @"retake: --rename edits a single file; give one file, and none of the options for many places");

    project.write("broken.json", "{\"a\": [1,]}");
    let broken = project.run(&["edit", "broken.json", "--set", "/a/0=2"]);
    assert_eq!(broken.code, Some(2));
    insta::assert_snapshot!(broken.stderr, @"retake: The file cannot be read completely: A trailing comma before `]`; JSON allows none: --set /a/0: broken.json:1:9");
}

#[test]
fn a_key_may_hold_an_equals_sign() {
    let project = Project::new(&[("a.json", r#"{"x": 1, "x=y": 2}"#)]);
    let run = project.run(&["edit", "a.json", "--set", "/x=y=3", "--set", "/x=\"=\""]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = project.read("a.json");
    assert_eq!(text, r#"{"x": "=", "x=y": 3}"#);
}

#[test]
fn what_follows_an_edit_by_its_name_is_reported() {
    let project = Project::new(&[("a.yaml", "base: &base {a: 1}\nsame: *base\n")]);
    let run = project.run(&["edit", "a.yaml", "--set", "/base/a=2"]);
    assert_eq!(run.code, Some(0));
    insta::assert_snapshot!(run.stderr, @"
    retake: The alias *base refers to the changed value and changes, too: a.yaml:2:7
    Set a of base to 2
    ");
}

/// A cassette whose response has a header with this length.
fn with_length(length: usize) -> String {
    format!(
        "interactions:\n- request: {{method: GET, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: null}}\n  response:\n    status: {{code: 200, message: OK}}\n    headers: {{content-length: ['{length}'], content-type: [application/json]}}\n    body: {{string: '{{\"id\": \"chatcmpl-AbCdEf0123456789abcdefghij\", \"created\": 1761000000, \"to\": \"ilse.maier@helpdesk-customer.org\"}}'}}\nversion: 1\n"
    )
}

#[test]
fn a_length_that_was_right_stays_right_and_a_wrong_one_stays_as_it_is() {
    const BODY: &str = "/interactions/0/response/body/string";
    let value = format!("{BODY}#/to=\"none\"");
    let content = format!("{BODY}#=\"{{}}\"");
    let whole = format!("{BODY}=\"{{}}\"");
    let commands: [(&[&str], bool); 6] = [
        (&["edit", "a.yaml", "--set", &value], true),
        (&["edit", "a.yaml", "--set", &content], true),
        (&["edit", "a.yaml", "--replace", "helpdesk", "desk"], true),
        (&["stabilize", "a.yaml"], true),
        (&["redact", "a.yaml"], true),
        // Without `#`, no other byte changes.
        (&["edit", "a.yaml", "--set", &whole], false),
    ];
    let body = |text: &str| {
        let (_, rest) = text.split_once("string: '").unwrap();
        rest.split_once('\'').unwrap().0.to_owned()
    };
    let right = body(&with_length(0)).len();
    for (arguments, is_corrected) in commands {
        for length in [right, 7] {
            let project = Project::new(&[("retake.toml", ""), ("a.yaml", &with_length(length))]);
            let run = project.run(arguments);
            assert_eq!(run.code, Some(0), "{arguments:?} {}", run.stderr);
            let after = project.read("a.yaml");
            assert_ne!(after, with_length(length), "{arguments:?}");
            let expected = match length {
                7 => 7,
                _ if is_corrected => body(&after).len(),
                _ => right,
            };
            let header = format!("content-length: ['{expected}']");
            assert!(after.contains(&header), "{arguments:?} {after}");
        }
    }
}
