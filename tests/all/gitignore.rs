//! What git ignores is left out of folders.

use serde_json::Value;

use crate::project::{Project, recording};

/// A work tree with a recording, and copies of it that git ignores: a file, and one in a folder.
fn work_tree() -> Project {
    let text = recording("req-1", "");
    let project = Project::new(&[
        (".gitignore", "*.tmp.json\n/out/\n"),
        ("set/a.json", &text),
        ("set/b.tmp.json", &text),
        ("out/c.json", &text),
    ]);
    project.git(&["init", "-q"]);
    project
}

fn listed(project: &Project, arguments: &[&str]) -> (Vec<String>, String) {
    let run = project.run(&[&["list", "--json"], arguments].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json = run.json();
    let items = json["items"].as_array().unwrap().iter();
    let path = |item: &Value| item["path"].as_str().unwrap().to_owned();
    (items.map(path).collect(), run.stderr)
}

#[test]
fn what_git_ignores_is_left_out_and_counted() {
    let project = work_tree();
    let (items, stderr) = listed(&project, &["."]);
    assert_eq!(items, ["./set/a.json"]);
    assert_eq!(stderr, "Ignored by .gitignore: 1 file and 1 folder; --no-ignore reads them\n");
    let (items, stderr) = listed(&project, &[".", "--no-ignore"]);
    assert_eq!(items, ["./out/c.json", "./set/a.json", "./set/b.tmp.json"]);
    assert_eq!(stderr, "");
    project.write("retake.toml", "gitignore = false\n");
    assert_eq!(listed(&project, &["."]).0.len(), 3);
}

#[test]
fn what_is_named_is_read() {
    let project = work_tree();
    let (items, stderr) = listed(&project, &["out", "set/b.tmp.json"]);
    assert_eq!(items, ["out/c.json", "set/b.tmp.json"]);
    assert_eq!(stderr, "");
    project.write("retake.toml", "paths = [\"out\"]\n");
    let run = project.run(&["check", "--json"]);
    assert_eq!(run.json()["summary"]["items"], 1, "{}", run.stderr);
}

#[test]
fn a_run_in_which_everything_is_ignored_fails_with_the_reason() {
    let project = work_tree();
    project.write(".gitignore", "*.json");
    let reason = "retake: Nothing to read: .gitignore ignores 2 files; --no-ignore reads them\n";
    for command in ["list", "check", "serve", "diff"] {
        let run = project.run(&[command, "set"]);
        let reason = match command {
            "diff" => "retake: There is no revision HEAD in this repository\n",
            _ => reason,
        };
        assert_eq!((run.code, &*run.stderr), (Some(2), reason), "{command}");
    }
    project.git(&["add", ".gitignore"]);
    project.git(&["commit", "-q", "-m", "all"]);
    for command in ["diff", "review"] {
        let run = project.run(&[command, "set"]);
        assert_eq!((run.code, &*run.stderr), (Some(2), reason), "{command}");
    }
    let run = project.run(&["diff", "set", "--no-ignore"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
}

#[test]
fn fixes_leave_out_what_git_ignores_and_count_it_once() {
    let project = work_tree();
    let before = project.read("set/b.tmp.json");
    let run = project.run(&["check", ".", "--fix=signature-missing"]);
    assert_eq!(run.stderr.matches("Ignored by").count(), 1, "{}", run.stderr);
    assert!(project.read("set/a.json").contains("signature"));
    assert_eq!(project.read("set/b.tmp.json"), before);
    assert_eq!(project.read("out/c.json"), before);
}
