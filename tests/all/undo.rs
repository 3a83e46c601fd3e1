//! `retake undo`, from outside: what is restored, and what prevents it.

use std::fs;

use crate::project::{Project, recording};
use crate::samples::checkout;

fn project() -> Project {
    Project::new(&[
        ("retake.toml", ""),
        ("set/turn-1.json", &recording("req-1", "")),
        ("set/turn-2.json", &recording("req-2", "")),
        ("a.dygram", "machine \"A\"\ntask b;\n"),
    ])
}

/// The files of a project and their texts, without Retake's own folder.
fn texts(project: &Project) -> Vec<(String, String)> {
    let files = project.snapshot().into_keys();
    let base = project.path("");
    let mut texts = Vec::new();
    for file in files.filter(|file| file.is_file()) {
        let path = file.strip_prefix(&base).unwrap().display().to_string();
        if !["state", ".git/", "trace"].iter().any(|own| path.starts_with(own)) {
            texts.push((path, fs::read_to_string(file).unwrap()));
        }
    }
    texts
}

/// Lists the steps without their times.
fn listed(project: &Project) -> String {
    let run = project.run(&["undo", "--list"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = run.stdout.lines();
    let lines: Vec<&str> = lines.map(|line| line.split_once("UTC  ").unwrap().1).collect();
    lines.join("\n")
}

#[test]
fn every_command_that_writes_is_undone_and_the_one_before_is_next() {
    let project = project();
    project.git(&["init", "--quiet", "--initial-branch", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "All"]);
    let flat = r#"{"request": {"messages": [], "tools": []}, "response": {"content": []}}"#;
    project.write("flat/turn-1.json", flat);
    let mut states = vec![texts(&project)];
    for arguments in [
        &["edit", "set/turn-1.json", "--set", "/request/requestId=\"new\""][..],
        &["edit", "set", "--replace", "Hello", "Hi"],
        &["stamp", "set", "--source", "a.dygram"],
        &["check", "flat", "--fix"],
        &["review", "set", "--reject", "all"],
        &["export", "tape", "set", "--to", "tapes/new"],
        &["export", "seeds", "set", "--model", "m", "--to", "all.seeds.json"],
        &["import", "set", "--to", "replays", "--keep", "all"],
    ] {
        let run = project.run(arguments);
        assert!(run.code < Some(2), "{arguments:?}: {}", run.printed());
        assert_ne!(states.last(), Some(&texts(&project)), "{arguments:?}");
        states.push(texts(&project));
    }
    insta::assert_snapshot!(listed(&project), @r#"
    retake import set --to replays --keep all  1 file
    retake export seeds set --model m --to all.seeds.json  1 file
    retake export tape set --to tapes/new  2 files
    retake review set --reject all  3 files
    retake check flat --fix  1 file
    retake stamp set --source a.dygram  2 files
    retake edit set --replace Hello Hi  2 files
    retake edit set/turn-1.json --set '/request/requestId="new"'  1 file
    "#);
    assert_eq!(states.pop(), Some(texts(&project)));
    for state in states.into_iter().rev() {
        let before = texts(&project);
        let dry = project.run(&["undo", "--dry-run"]);
        assert_eq!((dry.code, texts(&project)), (Some(0), before));
        let run = project.run(&["undo", "set"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(texts(&project), state);
    }
    insta::assert_snapshot!(project.run(&["undo"]).printed(), @r"
    1
    ---
    retake: Nothing to undo in this project
    ");
}

#[test]
fn it_prints_what_it_restores() {
    let project = project();
    project.run(&["edit", "set", "--replace", "req-2", "req-3"]);
    insta::assert_snapshot!(project.run(&["undo", "--dry-run"]).printed(), @r#"
    0
    --- set/turn-2.json
    +++ set/turn-2.json
    @@ -1,8 +1,8 @@
     {
    -  "request": { "type": "llm_invocation_request", "requestId": "req-3", "timestamp": "2026-02-02T02:40:00.000Z",
    +  "request": { "type": "llm_invocation_request", "requestId": "req-2", "timestamp": "2026-02-02T02:40:00.000Z",
         "context": {}, "messages": [ { "role": "user", "content": "Hello" } ],
         "tools": [ { "name": "transition_to_b", "description": "Go", "input_schema": {} } ], "systemPrompt": "" },
    -  "response": { "type": "llm_invocation_response", "requestId": "req-3", "timestamp": "2026-02-02T02:40:01.000Z",
    +  "response": { "type": "llm_invocation_response", "requestId": "req-2", "timestamp": "2026-02-02T02:40:01.000Z",
         "reasoning": "", "response": { "stop_reason": "tool_use", "content": [
           { "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": {} } ] } },
       "recordedAt": "2026-02-02T02:40:01.000Z"
    set/turn-2.json: would be restored
    ---
    Would undo: retake edit set --replace req-2 req-3 (1 file)
    "#);
    insta::assert_snapshot!(project.run(&["undo"]).printed(), @r"
    0
    set/turn-2.json: restored
    ---
    Undone: retake edit set --replace req-2 req-3 (1 file)
    ");
    project.run(&["export", "tape", "set/turn-1.json", "--to", "one.json"]);
    insta::assert_snapshot!(project.run(&["undo"]).printed(), @r"
    0
    one.json: deleted
    ---
    Undone: retake export tape set/turn-1.json --to one.json (1 file)
    ");
    assert!(!project.path("one.json").exists());
}

#[test]
fn nothing_is_undone_if_a_file_has_changed_since() {
    let project = project();
    project.run(&["stamp", "set", "--source", "a.dygram"]);
    project.run(&["export", "tape", "set", "--to", "tapes"]);
    project.write("tapes/turn-1.json", "{}");
    fs::remove_file(project.path("tapes/turn-2.json")).unwrap();
    let before = texts(&project);
    // The file that was deleted is as it was before: there was none.
    for arguments in [&["undo"][..], &["undo", "--dry-run"]] {
        let run = project.run(arguments);
        insta::allow_duplicates! {
            insta::assert_snapshot!(run.printed(), @r"
            2
            ---
            retake: Nothing was undone:
            retake: tapes/turn-1.json: changed since
            retake: Use --skip to restore the other files only, or --drop to forget this command without changing a file
            ");
        }
    }
    assert_eq!(texts(&project), before);
    assert_eq!(listed(&project).lines().count(), 2);
    insta::assert_snapshot!(project.run(&["undo", "--drop"]).printed(), @r"
    0
    ---
    Forgotten: retake export tape set --to tapes (no file was changed)
    ");
    assert_eq!(texts(&project), before);
    assert_eq!(project.run(&["undo"]).code, Some(0));
}

#[test]
fn changed_files_are_skipped_and_those_with_their_old_bytes_are_no_hindrance() {
    let project = project();
    let old = project.read("set/turn-1.json");
    let edit = ["edit", "set", "--replace", "Hello", "Hi"];
    for turn_1 in [&*old, "mine"] {
        project.run(&edit);
        project.write("set/turn-1.json", turn_1);
        let skips = turn_1 == "mine";
        let dry = project.run(&["undo", "--skip", "--dry-run", "--json"]).json();
        assert_eq!(dry["files"].as_array().unwrap().len(), if skips { 2 } else { 1 });
        if skips {
            assert_eq!(project.run(&["undo"]).code, Some(2));
            insta::assert_snapshot!(project.run(&["undo", "--skip"]).printed(), @r"
            0
            set/turn-2.json: restored
            set/turn-1.json: skipped, changed since
            ---
            Undone: retake edit set --replace Hello Hi (1 file)
            ");
        } else {
            insta::assert_snapshot!(project.run(&["undo"]).printed(), @r"
            0
            set/turn-2.json: restored
            ---
            Undone: retake edit set --replace Hello Hi (1 file)
            ");
        }
        assert_eq!(project.read("set/turn-1.json"), turn_1);
        assert_eq!(project.read("set/turn-2.json"), recording("req-2", ""));
        assert_eq!(listed(&project), "");
    }
}

/// Whether the program was killed at the nth call of this name.
#[cfg(target_os = "linux")]
fn is_killed(project: &Project, arguments: &[&str], call: &str, nth: usize) -> bool {
    let injection = format!("inject={call}:signal=KILL:when={nth}");
    let (run, _) = crate::saving::traced(project, arguments, Some(injection));
    run.code.is_none()
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_is_killed_at_any_change_on_disk_is_undone_and_so_is_a_killed_undo() {
    let project = project();
    project.git(&["init", "--quiet", "--initial-branch", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "All"]);
    // None of this is committed: nothing but the step has it.
    project.write("set/turn-1.json", recording("req-1", ",\n  \"new\": true"));
    project.write("set/turn-3.json", recording("req-3", ""));
    fs::remove_file(project.path("set/turn-2.json")).unwrap();
    let before = texts(&project);
    let undone = |done: &str| {
        let undo = project.run(&["undo"]);
        assert!(undo.code < Some(2), "{done}: {}", undo.stderr);
        assert_eq!(texts(&project), before, "{done}");
    };
    let commands =
        [&["edit", "set", "--replace", "Hello", "Hi"][..], &["review", "set", "--reject", "all"]];
    let mut kills = 0;
    for command in commands {
        for call in ["write", "fsync", "renameat2", "unlinkat"] {
            for nth in 1.. {
                let done = format!("{command:?}, killed at {call} {nth}");
                let is_killed = is_killed(&project, command, call, nth);
                undone(&done);
                if !is_killed {
                    break;
                }
                kills += 1;
            }
            for nth in 1.. {
                assert_eq!(project.run(command).code, Some(0));
                let done = format!("undo of {command:?}, killed at {call} {nth}");
                let is_killed = is_killed(&project, &["undo"], call, nth);
                undone(&done);
                if !is_killed {
                    break;
                }
                kills += 1;
            }
        }
    }
    assert!(kills > 30, "{kills}");
}

#[test]
fn the_last_twenty_steps_are_kept() {
    let project = project();
    for number in 0..23 {
        let set = format!("/request/requestId=\"id-{number}\"");
        project.run(&["edit", "set/turn-1.json", "--set", &set]);
    }
    // Neither changes a file.
    project.run(&["edit", "set/turn-1.json", "--set", "/request/requestId=\"id-22\""]);
    project.run(&["edit", "set/turn-1.json", "--set", "/request/requestId=1", "--dry-run"]);
    let listed = listed(&project);
    assert_eq!(listed.lines().count(), 20);
    assert!(
        listed.starts_with(
            "retake edit set/turn-1.json --set '/request/requestId=\"id-22\"'  1 file"
        ),
        "{listed}"
    );
}

#[test]
fn steps_belong_to_their_project() {
    let project = project();
    project.write("other/retake.toml", "");
    project.write("other/set/a.json", recording("a", ""));
    project.run(&["edit", "other/set", "--replace", "Hello", "Hi"]);
    assert_eq!(listed(&project), "");
    let run = project.run(&["undo", "other"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.read("other/set/a.json"), recording("a", ""));
}

#[test]
fn a_step_that_cannot_be_kept_is_reported_and_the_file_is_written() {
    let project = project();
    project.write("state", "no folder");
    let run = project.run(&["edit", "set/turn-1.json", "--replace", "Hello", "x"]);
    assert_eq!(run.code, Some(0));
    assert!(project.read("set/turn-1.json").contains("\"x\""));
    assert!(run.stderr.starts_with("retake: This command cannot be undone: "), "{}", run.stderr);
    let mut quiet = project.command(&["edit", "set/turn-1.json", "--replace", "x", "y"]);
    let quiet = quiet.env("RETAKE_NO_UNDO", "1").output().unwrap();
    assert!(quiet.stderr.is_empty() && quiet.status.success());
}

#[test]
fn a_redaction_keeps_no_original_and_says_so() {
    let project = project();
    project.write("set/turn-1.json", recording("ilse.maier@helpdesk-customer.org", ""));
    let run = project.run(&["redact", "set"]);
    let end = "; `retake undo` does not restore them, because no original value is kept\n";
    assert!(run.stdout.ends_with(end), "{}", run.printed());
    assert_eq!(project.run(&["undo"]).code, Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_relative_home_is_ignored() {
    let project = project();
    let mut edit = project.command(&["edit", "set", "--replace", "Hello", "Hi"]);
    edit.env_remove("RETAKE_STATE_DIR").env("HOME", "relative");
    for folder in ["CACHE", "CONFIG", "DATA", "STATE"] {
        edit.env(format!("XDG_{folder}_HOME"), "relative");
    }
    let run = crate::project::Run::of(&edit.output().unwrap());
    insta::assert_snapshot!(run.stderr, @"retake: This command cannot be undone: no folder for Retake's data is available; set RETAKE_STATE_DIR");
    assert!(!project.path("relative").exists());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_steps_and_a_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let project = project();
    symlink("turn-1.json", project.path("set/link.json")).unwrap();
    let before = project.read("set/turn-1.json");
    let run = project.run(&["edit", "set/link.json", "--set", "/request/requestId=\"x\""]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let state = project.path("state/undo");
    let steps = fs::read_dir(&state).unwrap().next().unwrap().unwrap();
    for file in fs::read_dir(steps.path()).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_ne!(project.read("set/turn-1.json"), before);
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert_eq!(project.read("set/turn-1.json"), before);
    assert!(project.path("set/link.json").is_symlink());
}

#[test]
fn no_command_writes_without_a_step() {
    let mut files = vec![checkout().join("src/cli")];
    let mut wrong = Vec::new();
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let writers = [
            "save::write",
            "save::rewrite",
            "save::save",
            "save::remove",
            "save::rename",
            "review::apply",
            "keep_decisions(&root",
            "write_private",
            "SaveRequest",
        ];
        // A step would keep the values that this command removes.
        let is_redact = |writer: &str| path.ends_with("redact.rs") && writer == "save::rewrite";
        let found = writers.iter().filter(|writer| text.contains(**writer) && !is_redact(writer));
        wrong.extend(found.map(|writer| format!("{}: {writer}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_an_import_adds_to_a_configuration_is_undone_with_its_files() {
    let project = project();
    project.write("flakestorm.yaml", "version: \"2.0\"\nreplays:\n  sessions: []\n");
    let before = texts(&project);
    let import = ["import", "set", "--to", "replays", "--keep", "all", "--add-to-config"];
    let run = project.run(&import);
    assert!(run.code < Some(2), "{}", run.printed());
    assert_eq!(texts(&project).len(), before.len() + 1);
    assert_ne!(project.read("flakestorm.yaml"), before[1].1);
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert_eq!(texts(&project), before);
}
