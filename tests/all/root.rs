//! The root bounds what is named, too: no command reads or writes outside it, by a path or by a link.

#![cfg(unix)]

use std::os::unix::fs::symlink;

use crate::project::{Project, Run, recording};

const TAPE: &str = r#"{ "meta": { "model": "m", "recordedAt": "2026-01-18T16:00:00Z", "label": "L" },
  "request": { "model": "m", "contents": "x", "config": {} }, "stream": [ { "delayNs": 1, "text": "a" } ] }"#;
const SESSION: &str = "id: x\ninput: hello\ntool_responses: []\ncontract: c\n";
const CONFIG: &str = "agent: {endpoint: a}\ngolden_prompts: [a]\ncontract: {name: c, invariants: [{type: completes}]}\n";
const SEEDS: &str = r#"{ "seeds": [ { "schema": "s", "model": "m", "jobId": "j", "round": 0, "response": "{}" } ] }"#;

/// A project `in` with links to what is in `out`, beside it.
fn place() -> Project {
    let project = Project::new(&[
        ("in/retake.toml", ""),
        ("in/tape.json", TAPE),
        ("in/set/turn-1.json", &recording("req-1", "")),
        ("in/m/a.dygram", "machine \"A\"\na -> b;\n"),
        ("in/replays/x.yaml", SESSION),
        ("in/seeds.json", SEEDS),
        ("in/config/flakestorm.yaml", "replays:\n  sessions: []\n"),
        ("out/tape.json", TAPE),
        ("out/set/turn-1.json", &recording("req-1", "")),
        ("out/y.yaml", "kept"),
        ("out/seeds.json", SEEDS),
        ("out/a.dygram", "machine \"A\"\na -> b;\n"),
        ("out/flakestorm.yaml", "replays:\n  sessions: []\n"),
        ("in/rp/keep.txt", ""),
    ]);
    for (target, link) in [
        ("../out/tape.json", "in/link.json"),
        ("../out", "in/folder"),
        ("../../out/y.yaml", "in/rp/x.yaml"),
        ("../out/y.yaml", "in/y.yaml"),
        ("../out/set", "in/linked-set"),
        ("../out/seeds.json", "in/linked-seeds.json"),
        ("../out/a.dygram", "in/linked.dygram"),
        ("../out/flakestorm.yaml", "in/flakestorm.yaml"),
    ] {
        symlink(target, project.path(link)).unwrap();
    }
    project
}

/// Checks that a command is refused with exit code 2, names the target and touches nothing that is outside.
fn refused(project: &Project, arguments: &[&str], target: &str) -> Run {
    let outside = || {
        let all = project.snapshot().into_iter();
        let out = project.path("out");
        all.filter(|(path, _)| path.starts_with(&out)).collect::<Vec<_>>()
    };
    let before = outside();
    let run = project.run(arguments);
    let printed = format!("{arguments:?}\n{}", run.printed());
    assert_eq!(run.code, Some(2), "{printed}");
    assert!(run.stderr.contains(target), "{printed}");
    assert!(outside() == before, "{printed}");
    run
}

#[test]
fn a_file_is_read_once_where_paths_overlap() {
    let project = place();
    symlink("set", project.path("in/again")).unwrap();
    let file = "in/set/turn-1.json";
    for paths in [
        &["in/set", file][..],
        &["in/set", "in/set/"],
        &["in/set", "./in/set"],
        &["in/set", "in/again"],
        &[file, "in/set"],
        &[file, "in/again/turn-1.json"],
    ] {
        let listed = project.run(&[&["list", "--json"], paths].concat()).json();
        let items = listed["items"].as_array().unwrap();
        let listed: Vec<_> = items.iter().map(|item| item["path"].as_str()).collect();
        assert_eq!(listed, [Some(file)], "{paths:?}");
        let checked = project.run(&[&["check", "--json"], paths].concat()).json();
        assert_eq!(checked["summary"]["files"], 1, "{paths:?}");
        let problems = checked["problems"].as_array().unwrap();
        let shared = problems.iter().find(|it| it["rule"] == "signature-shared");
        assert_eq!(shared, None, "{paths:?}");
    }
}

#[test]
fn no_command_reads_or_writes_a_named_path_outside_the_root() {
    let project = place();
    for path in ["out/tape.json", "in/link.json", "in/folder/tape.json"] {
        let commands: [&[&str]; 10] = [
            &["list", path],
            &["check", path],
            &["play", path, "--instant"],
            &["contract", path],
            &["verify", path, "--request", "in/tape.json"],
            &["verify", "in/tape.json", "--request", path],
            &["edit", path, "--set", "/meta/label=\"A\""],
            &["diff", path, "in/tape.json"],
            &["diff", "in/tape.json", path],
            &["export", "picture", path, "--to", "in/p.svg"],
        ];
        for command in commands {
            let arguments = [command, &["--root", "in"]].concat();
            let run = refused(&project, &arguments, "/out/tape.json");
            assert!(run.stderr.contains("outside the root"), "{}", run.stderr);
            assert_eq!(run.stdout, "", "{command:?}");
        }
    }
    for set in ["out/set", "in/linked-set", "in/folder/set"] {
        let commands: [&[&str]; 9] = [
            &["match", "--recordings", set, "--requests", "in/set"],
            &["match", "--recordings", "in/set", "--requests", set],
            &["stamp", set, "--source", "in/m/a.dygram"],
            &["source", &format!("{set}/turn-1.json")],
            &["review", set, "--against", "in/set"],
            &["review", "in/set", "--against", set],
            &["import", set, "--to", "in/new"],
            &["answer", "in/queue", "--from", set, "--once"],
            &["answer", set, "--from", "in/set", "--once"],
        ];
        for command in commands {
            let arguments = [command, &["--root", "in"]].concat();
            refused(&project, &arguments, "/out/set");
        }
    }
    let commands: [(&[&str], &str); 9] = [
        (&["stamp", "in/set", "--source", "out/a.dygram"], "/out/a.dygram"),
        (&["stamp", "in/set", "--sources", "out"], "/out"),
        (&["import", "in/set", "--to", "out/new"], "/out"),
        (&["export", "session", "in/replays", "--to", "out/new"], "/out"),
        (&["export", "tape", "in/set/turn-1.json", "--to", "out/t.json"], "/out"),
        (&["export", "tape", "in/set/turn-1.json", "--to", "in/folder/new/t.json"], "/out"),
        (&["export", "seeds", "in/seeds.json", "--to", "in/folder/s.json"], "/out"),
        (
            &[
                "lookup",
                "--seeds",
                "in/linked-seeds.json",
                "--schema",
                "s",
                "--model",
                "m",
                "--job",
                "j",
            ],
            "/out/seeds.json",
        ),
        (
            &[
                "lookup",
                "--seeds",
                "in/seeds.json",
                "--schema",
                "s",
                "--model",
                "m",
                "--job",
                "j",
                "--user-text",
                "out/y.yaml",
            ],
            "/out/y.yaml",
        ),
    ];
    for (command, target) in commands {
        let arguments = [command, &["--root", "in"]].concat();
        refused(&project, &arguments, target);
    }
}

#[test]
fn without_a_root_no_link_of_a_project_leads_out_of_it() {
    let project = place();
    let commands: [(&[&str], &str); 11] = [
        (&["list", "in/link.json"], "/out/tape.json"),
        (&["check", "in/folder"], "/out"),
        (&["check", "in/folder/tape.json"], "/out"),
        (&["edit", "in/link.json", "--set", "/meta/label=\"A\""], "/out/tape.json"),
        (&["edit", "in/folder/tape.json", "--set", "/meta/label=\"A\""], "/out"),
        (&["stamp", "in/linked-set", "--source", "out/a.dygram"], "/out/set"),
        (&["stamp", "in/set", "--source", "in/linked.dygram"], "/out/a.dygram"),
        (&["diff", "in/link.json", "in/tape.json"], "/out/tape.json"),
        (&["export", "session", "in/replays", "--to", "in/folder/new"], "/out"),
        (
            &["export", "session", "in/replays", "--to", "in/flakestorm.yaml"],
            "/out/flakestorm.yaml",
        ),
        (
            &[
                "record",
                "--upstream",
                "http://127.0.0.1:9",
                "--to",
                "in/folder/tapes",
                "--listen",
                "127.0.0.1:0",
            ],
            "/out",
        ),
    ];
    for (command, target) in commands {
        let run = refused(&project, command, target);
        assert!(run.stderr.contains("a link leads out of the project"), "{}", run.stderr);
    }
    // The window, in the same words.
    let run = refused(&project, &["in/link.json"], "/out/tape.json");
    let here = std::fs::canonicalize(project.path("")).unwrap();
    assert_eq!(
        run.stderr.replace(&*here.to_string_lossy(), "…"),
        "retake: Cannot open: in/link.json: a link leads out of the project …/in, to …/out/tape.json; give the \
         link's target instead of the link\n"
    );
    // What is elsewhere has a project of its own.
    for command in [
        &["list", "in", "out"] as &[&str],
        &["diff", "in/tape.json", "out/tape.json"],
        &["verify", "in/tape.json", "--request", "out/tape.json"],
        &["edit", "out/tape.json", "--set", "/meta/label=\"A\""],
    ] {
        assert_ne!(project.run(command).code, Some(2), "{command:?}");
    }
    assert!(project.read("out/tape.json").contains("\"A\""));
}

#[test]
fn an_export_writes_through_no_link_that_leads_out_of_its_folder() {
    let project = place();
    for to in ["in/rp", "in"] {
        let name = if to == "in" { "y.yaml" } else { "x.yaml" };
        let command = ["export", "session", "in/replays", "--to", to, "--name", name, "--force"];
        refused(&project, &command, "/out/y.yaml");
        let dry = [&command[..], &["--dry-run"]].concat();
        let run = refused(&project, &dry, "/out/y.yaml");
        assert!(!run.stdout.contains("kept"), "{}", run.stdout);
    }
    // Nor through one that stays in the project.
    std::fs::remove_file(project.path("in/rp/x.yaml")).unwrap();
    symlink("../replays/x.yaml", project.path("in/rp/x.yaml")).unwrap();
    let command = ["export", "session", "in/replays", "--to", "in/rp", "--mend", "text", "--force"];
    let run = project.run(&command);
    assert_eq!(run.code, Some(2), "{}", run.printed());
    assert!(run.stderr.contains("/in/replays/x.yaml"), "{}", run.stderr);
    assert_eq!(project.read("in/replays/x.yaml"), SESSION);
    // And a tape keeps the folder of its recording, unless that leads out.
    symlink("../../out", project.path("in/rp/set")).unwrap();
    let command = ["export", "tape", "in", "--to", "in/rp"];
    let run = project.run(&command);
    assert_eq!(run.code, Some(2), "{}", run.printed());
    assert!(run.stderr.contains("a link leads out of"), "{}", run.stderr);
}

#[test]
fn a_hook_is_installed_also_where_the_git_directory_is_behind_a_link() {
    let project = Project::new(&[("work/a.txt", "")]);
    project.git(&["init", "-q", "work"]);
    std::fs::rename(project.path("work/.git"), project.path("store")).unwrap();
    symlink("../store", project.path("work/.git")).unwrap();
    let mut command = project.command(&["hook", "install"]);
    let output = command.current_dir(project.path("work")).output().unwrap();
    let run = Run::of(&output);
    assert_eq!(run.code, Some(0), "{}", run.printed());
    assert!(project.path("store/hooks/pre-commit").exists());
}

#[test]
fn without_git_the_root_is_in_the_current_folder() {
    let source = format!(
        r#", "sourceMetadata": {{ "sourceFile": "m/a.dygram", "contentHash": "{}" }}"#,
        "0".repeat(64)
    );
    let project = Project::new(&[
        ("flakestorm.yaml", CONFIG),
        ("replays/x.yaml", SESSION),
        ("m/a.dygram", "machine \"A\"\na -> b;\n"),
        ("set/turn-1.json", &recording("req-1", &source)),
        ("plain/replays/x.yaml", SESSION),
    ]);
    let run = project.run(&["contract", "replays/x.yaml", "--answer", "m/a.dygram"]);
    assert!(run.stdout.contains("flakestorm.yaml"), "{}", run.printed());
    let run = project.run(&["list", "set", "--filter", "status:stale"]);
    assert!(run.stdout.contains("set/turn-1.json"), "{}", run.printed());
    std::fs::rename(project.path("flakestorm.yaml"), project.path("plain/other.yaml")).unwrap();
    let run = project.run(&["contract", "plain/replays/x.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.printed());
    for part in ["up to the project root", "plain/replays", "--root"] {
        assert!(run.printed().contains(part), "{}", run.printed());
    }
}
