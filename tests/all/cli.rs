//! The promises of the command line: exit codes, fields, and where output goes.

use calls::source::sha256_hex;
use cli::CliRequest;
use serde_json::{Value, json};

use crate::project::{Project, Run, recording, stamped};

const THEN: &str = "machine \"Then\"\na -> b;\n";
const NOW: &str = "machine \"Now\"\na -> b;\n";

/// A project with a fresh, a stale and an unstamped recording, a tape and a file of no known kind beside them.
fn project() -> Project {
    let hash = |text: &str| sha256_hex(text.as_bytes());
    let tape = r#"{ "meta": { "model": "m", "recordedAt": "2026-01-18T16:00:00Z" },
        "request": { "model": "m", "contents": "x", "config": {} },
        "stream": [ { "delayNs": 1.5, "text": "a" }, { "delayNs": 2e6, "text": "b" } ] }"#;
    let project = Project::new(&[
        ("retake.toml", ""),
        ("machines/a.dygram", NOW),
        ("set/turn-1.json", &recording("req-1", &stamped("machines/a.dygram", &hash(NOW)))),
        ("set/turn-2.json", &recording("req-2", &stamped("machines/a.dygram", &hash(THEN)))),
        ("set/turn-3.json", &recording("req-3", "")),
        ("set/package.json", "{ \"name\": \"x\" }"),
        ("tapes/a.json", tape),
        ("other/package.json", "{ \"name\": \"x\" }"),
        ("other/tsconfig.json", "{ // with comments\n}"),
    ]);
    project.write("set/notes.txt", "not ours");
    project
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap();
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Each item's `field`, in the order of the list.
fn all<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    let list = list.as_array().unwrap();
    list.iter().map(|item| item[field].as_str().unwrap()).collect()
}

#[test]
fn list_has_every_field_of_every_item() {
    let run = project().run(&["list", "--json", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let listed = run.json();
    assert_eq!(keys(&listed), ["items", "schema_version", "summary"]);
    assert_eq!(keys(&listed["summary"]), ["bytes", "elapsed_ms", "files", "items"]);
    assert_eq!(
        all(&listed["items"], "path"),
        [
            "./set/package.json",
            "./set/turn-1.json",
            "./set/turn-2.json",
            "./set/turn-3.json",
            "./tapes/a.json"
        ]
    );
    assert_eq!(listed["summary"]["files"], json!(7));

    let fields = [
        "bytes",
        "chunks",
        "duration_ns",
        "id",
        "kind",
        "model",
        "path",
        "problems",
        "recorded_at",
        "signature",
        "source",
        "version",
    ];
    for item in listed["items"].as_array().unwrap() {
        assert_eq!(keys(item), fields);
        assert_eq!(keys(&item["problems"]), ["error", "note", "warning"]);
    }
    let stale = &listed["items"][2];
    assert_eq!(stale["version"], "v3");
    assert_eq!(
        stale["signature"],
        json!({ "tool_names": ["transition_to_b"], "message_count": 1, "context_keys": [] })
    );
    assert_eq!(
        stale["source"],
        json!({ "file": "machines/a.dygram", "recorded_hash": sha256_hex(THEN.as_bytes()),
            "current_hash": sha256_hex(NOW.as_bytes()), "status": "stale", "affected": null,
            "affected_because": "It cannot be said whether it is affected: no model is asked at `a` today, and whether one was asked there before is not known" })
    );
    assert_eq!(listed["items"][3]["source"]["status"], "unstamped");
    let tape = &listed["items"][4];
    assert_eq!(tape["source"], Value::Null);
    assert_eq!(tape["chunks"], json!(2));
    assert_eq!(tape["duration_ns"], json!(2_000_001.5));
}

#[test]
fn list_is_one_row_an_item_and_can_be_filtered() {
    let run = project().run(&["list", ".", "--filter", "status:stale"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(run.stdout.trim_end().ends_with("./set/turn-2.json"));
    assert!(run.stderr.contains("1 item in 7 files"), "{}", run.stderr);

    let run = project().run(&["list", ".", "--filter", "status:wrong"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout, "");
}

#[test]
fn check_reports_every_problem_with_its_place() {
    let project = project();
    let run = project.run(&["check", "--json", "set"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_eq!(keys(&report), ["problems", "schema_version", "summary"]);
    assert_eq!(
        keys(&report["summary"]),
        ["elapsed_ms", "errors", "files", "items", "notes", "warnings"]
    );
    let fields =
        ["column", "help", "line", "link", "message", "path", "pointer", "rule", "severity"];
    for problem in report["problems"].as_array().unwrap() {
        assert_eq!(keys(problem), fields);
    }
    let stale = report["problems"].as_array().unwrap();
    let stale = stale.iter().find(|it| it["rule"] == "source-stale").unwrap();
    assert_eq!(stale["path"], "set/turn-2.json");
    assert_eq!(stale["pointer"], "/sourceMetadata/contentHash");
    let text = project.read("set/turn-2.json");
    let mut lines = text.lines().enumerate();
    let (line, hash) =
        lines.find_map(|(line, text)| Some((line + 1, text.find("\"contentHash\"")?))).unwrap();
    let column = hash + "\"contentHash\": ".len() + 1;
    assert_eq!((&stale["line"], &stale["column"]), (&json!(line), &json!(column)));
    assert!(stale["help"].as_str().unwrap().contains("npm test"));
    assert!(all(&report["problems"], "rule").contains(&"unknown-format"));
}

#[test]
fn check_fails_only_on_errors_and_the_user_sets_the_levels() {
    let project = project();
    let code = |arguments: &[&str]| project.run(&[&["check", "set"], arguments].concat()).code;
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--mode", "strict"]), Some(1));
    assert_eq!(code(&["--mode", "skip", "--require-metadata"]), Some(0));
    assert_eq!(code(&["--require-metadata"]), Some(1));
    assert_eq!(code(&["--rule", "source-stale=error"]), Some(1));
    assert_eq!(code(&["--mode", "strict", "--rule", "source-stale=off"]), Some(0));
    assert_eq!(code(&["--rule", "no-such-rule=off"]), Some(2));
    assert_eq!(code(&["--mode", "loud"]), Some(2));

    project.write("set/half.json", "{ \"request\": {");
    assert_eq!(code(&["--mode", "skip"]), Some(1));
    let run = project.run(&["check", "set"]);
    let place = run.stdout.lines().find(|line| line.contains("half.json"));
    assert!(
        place.is_some_and(
            |line| line.starts_with("set/half.json:1:") && line.contains("error[syntax]")
        ),
        "{}",
        run.stdout
    );
    assert!(run.stdout.lines().last().unwrap().starts_with("1 error, "));
}

#[test]
fn source_prints_the_text_as_it_was() {
    let project = project();
    project.write("machines/a.dygram", THEN);
    project.git(&["init", "-q"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "then"]);
    project.write("machines/a.dygram", NOW);
    project.git(&["commit", "-q", "-a", "-m", "now"]);

    let run = project.run(&["source", "set/turn-2.json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, THEN);
    assert!(run.stderr.contains("machines/a.dygram"), "{}", run.stderr);

    let run = project.run(&["source", "set/turn-2.json", "--json"]);
    let answer = run.json();
    assert_eq!(answer["found"], true);
    assert_eq!(answer["where"], "git");
    assert_eq!(answer["commit"].as_str().unwrap().len(), 40);
    assert_eq!(answer["path"], "machines/a.dygram");
    assert_eq!(answer["text"], THEN);
    assert_eq!(answer["current_text"], NOW);

    let answer = project.run(&["source", "set/turn-1.json", "--json"]).json();
    assert_eq!((&answer["where"], &answer["text"]), (&json!("working-tree"), &json!(NOW)));

    project.write(
        "set/turn-4.json",
        recording("req-4", &stamped("machines/a.dygram", &"0".repeat(64))),
    );
    let run = project.run(&["source", "set/turn-4.json", "--json"]);
    assert_eq!(run.code, Some(1));
    let answer = run.json();
    assert_eq!(answer["found"], false);
    for field in ["where", "commit", "path", "text"] {
        assert_eq!(answer[field], Value::Null);
    }
    assert_eq!(answer["current_text"], NOW);

    assert_eq!(project.run(&["source", "set/turn-3.json"]).code, Some(1));
    assert_eq!(project.run(&["source", "tapes/a.json"]).code, Some(2));
    assert_eq!(project.run(&["source", "set"]).code, Some(2));
}

#[test]
fn source_finds_what_the_window_kept_and_nothing_is_kept_without_it() {
    let project = project();
    let before = project.snapshot();
    for arguments in [
        &["list", "."][..],
        &["check", "."],
        &["source", "set/turn-1.json"],
        &["source", "set/turn-2.json"],
    ] {
        project.run(arguments);
        assert_eq!(project.snapshot(), before, "{arguments:?}");
    }

    let kept = format!("state/sources/{}", sha256_hex(THEN.as_bytes()));
    project.write(&kept, THEN);
    let before = project.snapshot();
    let run = project.run(&["source", "set/turn-2.json"]);
    assert_eq!((run.code, &*run.stdout), (Some(0), THEN));
    assert!(run.stderr.contains("Stored by Retake on "), "{}", run.stderr);
    let answer = project.run(&["source", "set/turn-2.json", "--json"]).json();
    assert_eq!(answer["where"], "snapshot");
    assert_eq!((&answer["commit"], &answer["path"]), (&Value::Null, &Value::Null));
    assert_eq!(answer["text"], THEN);
    assert_eq!(answer["current_text"], NOW);
    assert_eq!(project.snapshot(), before);

    let mut switched_off = project.command(&["source", "set/turn-2.json"]);
    let output = switched_off.env("RETAKE_NO_SNAPSHOTS", "1").output().unwrap();
    assert_eq!(Run::of(&output).code, Some(1));
    project.write(&kept, "something else");
    assert_eq!(project.run(&["source", "set/turn-2.json"]).code, Some(1));
    assert!(!project.path(&kept).exists());
}

#[test]
fn errors_go_to_stderr() {
    let project = project();
    for arguments in [
        &["list", "no/such/folder"] as &[&str],
        &["check", "no/such/folder"],
        &["source", "no/such/folder"],
        &["list", ".", "--root", "no/such/folder"],
        &["no/such/folder"],
    ] {
        let run = project.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains("no/such/folder"), "{}", run.stderr);
    }
    let run = project.run(&["chekc", "set"]);
    assert!(run.stderr.contains("did you mean `retake check`?"), "{}", run.stderr);
    // Without a path, it is the current folder.
    assert_eq!(project.run(&["list"]).stdout, project.run(&["list", "."]).stdout);
}

#[test]
fn existing_paths_are_handled_beside_missing_ones() {
    let project = project();
    for (arguments, first) in [
        (&["list", "set/turn-3.json", "gone"] as &[&str], "Unstamped"),
        (&["check", "gone", "set/turn-3.json"], "set/turn-3.json:"),
    ] {
        let run = project.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stdout.starts_with(first), "{}", run.stdout);
        assert!(run.stderr.contains("No file or folder at gone;"), "{}", run.stderr);
    }
    let run = project.run(&["list", "--json", "set/turn-3.json", "gone", "gone too"]);
    assert_eq!(run.json()["summary"]["items"], 1);
    assert_eq!(run.stderr.lines().count(), 2);

    let run = project.run(&["check", "gone", "gone too", "--json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
}

#[test]
fn a_filter_that_is_not_understood_lists_nothing_and_points_at_the_place() {
    let printed = |filter: &str| {
        let run = project().run(&["list", ".", "--filter", filter]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{filter}");
        run.stderr
    };
    insta::assert_snapshot!(printed("kind:tape knd:\u{1b}tape version:v9 set:\"my se"), @r#"
    retake: The filter is invalid:
    retake:   kind:tape knd:\u{1b}tape version:v9 set:"my se
    retake:             ^^^^^^^^^^^^^^ there is no key "knd"; did you mean "kind"?
    retake:                            ^^^^^^^^^^ there is no version "v9"
    retake:                                       ^^^^^^^^^^ a quote is opened and not closed
    retake:   help: keys are kind, status, tool, model, path, set, rule, severity, source, id, version, api, provider, called, code, tokens, client, is, body
    retake:   help: version is one of v1, v2, v3
    "#);
    insta::assert_snapshot!(printed("-\"ümlaut\t\" http://a"), @r#"
    retake: The filter is invalid:
    retake:   -"ümlaut\t" http://a
    retake:               ^^^^^^^^ there is no key "http"; put it in quotes to search for this text
    retake:   help: keys are kind, status, tool, model, path, set, rule, severity, source, id, version, api, provider, called, code, tokens, client, is, body
    "#);
    let run = project().run(&["list", ".", "--filter", "-kind:recording -kind:unknown"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1));
}

#[test]
fn a_filter_looks_into_the_content_of_files() {
    let session = |id: &str, input: &str| {
        format!(r#"{{"id": "{id}", "input": "{input}", "tool_responses": []}}"#)
    };
    let project = Project::new(&[]);
    project.write("a.json", session("a", r"The refund was\nDENIED, caf\u00e9"));
    project.write("b.json", session("b", "granted"));
    let listed = |filter: &str| {
        let run = project.run(&["list", ".", "--json", "--filter", filter]);
        assert_eq!(run.code, Some(0), "{filter}: {}", run.stderr);
        let items = run.json()["items"].as_array().unwrap().clone();
        let ids = items.iter().map(|item| item["id"].as_str().unwrap_or("-").to_owned());
        ids.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(listed("kind:session body:DENIED"), "a");
    assert_eq!(listed("kind:session -body:denied"), "b");
    assert_eq!(listed("kind:session body:café body:refund"), "a");
    assert_eq!(listed(r"kind:session body:/was\sdenied|grant/"), "a b");
    assert_eq!(listed("kind:session body:/^was/"), "");
    let run = project.run(&["list", ".", "--filter", "body:/a(/"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("the regular expression is invalid: unclosed group"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_window_opens_a_file_at_a_line_and_column() {
    let project = Project::new(&[("a.json", "{}"), ("b.json:2", "{}")]);
    for path in ["a.json:3", "a.json:3:5", "b.json:2", "b.json:2:7:1"] {
        let run = project.run(&[path]);
        assert!(run.stderr.contains("no display"), "{path}: {}", run.stderr);
    }
    for path in ["a.json:", "a.json:x", "a.json:-1", "a.json:1:2:3", "gone.json:1", ".:1"] {
        let run = project.run(&[path]);
        let expected = format!("No file or folder at {path};");
        assert!(run.stderr.contains(&expected), "{path}: {}", run.stderr);
    }
}

#[test]
fn without_a_display_the_window_says_what_to_do() {
    for arguments in [&[] as &[&str], &["set"], &["set", "--root", "."]] {
        let run = project().run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains("DISPLAY") && run.stderr.contains("retake list"));
    }
}

#[test]
fn the_root_bounds_the_window_as_it_bounds_the_commands() {
    let project = project();
    let parsed = |arguments: &[&str]| {
        let arguments = arguments.iter().map(Into::into);
        cli::run(std::iter::once("retake".into()).chain(arguments))
    };
    let (set, root) = (project.path("set"), project.path(""));
    let (set, root) = (set.to_str().unwrap(), root.to_str().unwrap());
    for arguments in [[set, "--root", root], ["--root", root, set]] {
        let CliRequest::Window { paths, place: None, root: given, is_new: false } =
            parsed(&arguments)
        else {
            panic!("{arguments:?} should open the window");
        };
        assert_eq!(paths, [project.path("set")]);
        assert_eq!(given, Some(project.path("")));
    }
    let CliRequest::Window { root, .. } = parsed(&[set]) else {
        panic!("a path should open the window");
    };
    assert_eq!(root, None);

    let run = project.run(&["set", "--root", "machines"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("outside the root"), "{}", run.stderr);

    let run = project.run(&["set", "--root", "no/such/folder"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("no/such/folder"), "{}", run.stderr);
}

#[test]
fn every_command_has_help_with_an_example() {
    let project = Project::new(&[]);
    for command in
        ["list", "check", "source", "edit", "lookup", "export", "hook", "contract", "undo"]
    {
        let run = project.run(&[command, "--help"]);
        assert_eq!(run.code, Some(0));
        assert!(run.stdout.contains("Example"), "{command}");
        assert!(run.stdout.contains(&format!("retake {command} ")), "{command}");
    }
}

#[test]
fn a_file_named_like_a_command_is_given_with_its_folder() {
    let project = Project::new(&[("list", "{ \"x\": 1 }")]);
    let run: Run = project.run(&["list", "--json", "./list"]);
    assert_eq!(run.json()["items"][0]["kind"], "unknown");
}

#[test]
fn a_machine_that_is_named_is_read_as_one() {
    let project = project();
    project.write("machines/broken.mach", "task a {\n  a -> -> b;\n}\n");
    let run = project.run(&["check", "machines/a.dygram", "set/turn-1.json"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let run = project.run(&["check", "machines/broken.mach", "--format", "github"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("line=2,col=8"), "{}", run.stdout);
    let listed = project.run(&["list", "machines/a.dygram", "--json"]).json();
    assert_eq!(listed["items"][0]["kind"], "machine");
    let run = project.run(&["check", "machines"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
}
