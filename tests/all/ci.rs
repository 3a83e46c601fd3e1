//! What a build relies on: the formats of `check`, the project's own settings, and the hook.

use calls::source::sha256_hex;
use serde_json::{Value, json};

use crate::project::{Project, Run, recording, stamped};

/// A project with a stale recording, one of no source, and a draft that does not parse.
fn project(settings: &str) -> Project {
    Project::new(&[
        ("retake.toml", settings),
        ("machines/a.dygram", "machine \"Now\"\na -> b;\n"),
        (
            "fixtures/set/turn-1.json",
            &recording("req-1", &stamped("machines/a.dygram", &"0".repeat(64))),
        ),
        ("fixtures/set/turn-2.json", &recording("req-2", "")),
        ("fixtures/drafts/half.json", "{ \"request\": { \"messages\": [], \"tools\": ["),
        ("other/half.json", "{ \"request\": {"),
    ])
}

/// `path: level rule` of each problem.
fn printed(report: &Value) -> Vec<String> {
    let problems = report["problems"].as_array().unwrap().iter();
    let row = |it: &Value| {
        let text = |field: &str| it[field].as_str().unwrap().to_owned();
        format!("{}: {} {}", text("path"), text("severity"), text("rule"))
    };
    problems.map(row).collect()
}

#[test]
fn a_project_says_what_is_checked_and_how_much_it_weighs() {
    let settings = "paths = [\"fixtures\"]\nmode = \"strict\"\nignore = [\"drafts/\"]\n\
                    [rules]\nsource-unstamped = \"off\"\nsignature-shared = \"off\"\nsignature-missing = \"off\"\n";
    let project = project(settings);
    let run = project.run(&["check", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let stale = "fixtures/set/turn-1.json: error source-stale";
    assert_eq!(printed(&run.json()), [stale]);

    // From a folder below, paths are printed as they lead from there.
    let mut command = project.command(&["check", "--json"]);
    let output = command.current_dir(project.path("other")).output().unwrap();
    let below = Run::of(&output);
    assert_eq!(printed(&below.json()), [format!("../{stale}")]);

    // The command line beats the file, one setting at a time.
    let run =
        project.run(&["check", "--json", "--mode", "warn", "--rule", "signature-missing=note"]);
    let expected = [
        stale.replace("error", "warning"),
        "fixtures/set/turn-2.json: note signature-missing".to_owned(),
    ];
    assert_eq!((run.code, printed(&run.json())), (Some(0), expected.to_vec()));

    // An ignored file can still be named, and a list leaves it out too.
    let run = project.run(&["check", "fixtures/drafts/half.json"]);
    assert_eq!(run.code, Some(1));
    let list = project.run(&["list", "--json", "fixtures"]).json();
    assert_eq!(list["summary"]["items"], 2);
    assert_eq!(list["items"][0]["problems"], json!({ "error": 1, "warning": 0, "note": 0 }));
}

#[test]
fn settings_that_are_not_understood_are_reported_and_the_defaults_hold() {
    let project = project("[rules]\nsorce-stale = \"error\"\nsource-stale = \"note\"\n");
    let run = project.run(&["check", "fixtures/set"]);
    assert_eq!(run.code, Some(1));
    let first = run.stdout.lines().find(|line| line.contains("error")).unwrap();
    assert_eq!(
        first,
        "retake.toml:2:1: error[wrong-type] There is no rule \"sorce-stale\"; did you mean \"source-stale\"?"
    );
    assert!(run.stdout.contains("note[source-stale]"), "{}", run.stdout);

    project.write("retake.toml", "mode = strict\n");
    let run = project.run(&["check", "."]);
    assert!(run.stdout.contains("./retake.toml:1:8: error[syntax]"), "{}", run.stdout);
    // A command on one file is not kept from its work.
    assert_eq!(project.run(&["source", "fixtures/set/turn-1.json"]).code, Some(1));
    project.write("retake.toml", "paths = [\"/etc\"]\n");
    assert!(project.run(&["check"]).stdout.contains("is outside the project"));
}

#[test]
fn without_a_path_and_without_settings_there_is_nothing_to_check() {
    let project =
        Project::new(&[("set/turn-1.json", "{ \"request\": { \"messages\": [], \"tools\": [")]);
    let run = project.run(&["check"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("retake.toml"), "{}", run.stderr);
    // Settings that name nothing mean the whole project.
    project.write("retake.toml", "");
    assert_eq!(project.run(&["check"]).code, Some(1));
}

#[test]
fn all_formats_report_the_same_and_none_changes_the_verdict() {
    let project = project("");
    let run = |format: &str| {
        let run = project.run(&["check", "fixtures", "--format", format]);
        assert_eq!(run.code, Some(1), "{format}: {}", run.stderr);
        run.stdout
    };
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    let count = json["problems"].as_array().unwrap().len();
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), count);
    let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(*place, json!({ "uri": "fixtures/drafts/half.json", "uriBaseId": "ROOT" }));
    assert_eq!(run("sarif"), run("sarif"));
    let github = run("github");
    assert_eq!(github.lines().filter(|line| line.starts_with("::")).count(), count);
    let junit = run("junit");
    let junit = roxmltree::Document::parse(&junit).unwrap();
    let cases = junit.descendants().filter(|it| it.has_tag_name("testcase"));
    assert_eq!(cases.count(), 3);
}

/// Commits what is staged, as a person does; returns whether the hook accepted it, and its output.
fn commit(project: &Project, arguments: &[&str]) -> Run {
    let mut command = std::process::Command::new("git");
    command
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(["commit", "-q", "-m", "x"])
        .args(arguments)
        .current_dir(project.path(""))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR");
    Run::of(&command.output().unwrap())
}

/// A repository with a fresh recording, all committed, and the hook.
fn repository(settings: &str) -> Project {
    let machine = "machine \"Then\"\na -> b;\n";
    let fresh = stamped("machines/a.dygram", &sha256_hex(machine.as_bytes()));
    let project = Project::new(&[
        ("retake.toml", settings),
        ("machines/a.dygram", machine),
        ("set/turn-1.json", &recording("req-1", &fresh)),
        ("other/half.json", "{ \"request\": {"),
    ]);
    project.git(&["init", "-q"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "all"]);
    let run = project.run(&["hook", "install"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("pre-commit"), "{}", run.stderr);
    project
}

#[test]
fn a_commit_is_checked_as_it_is_staged() {
    let project = repository("");
    // What was broken before is not this commit's fault.
    project.write("README", "words");
    project.git(&["add", "-A"]);
    let run = commit(&project, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));

    project.write("set/turn-2.json", "{ \"request\": {");
    project.git(&["add", "-A"]);
    let run = commit(&project, &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("set/turn-2.json:1:"), "{}", run.stderr);
    assert!(run.stderr.contains("--no-verify") && !run.stderr.contains("half.json"));

    // It is the staged text that counts, not what became of the file since.
    project.write("set/turn-2.json", recording("req-2", ""));
    assert_eq!(commit(&project, &[]).code, Some(1));
    project.git(&["add", "-A"]);
    project.write("set/turn-2.json", "broken again");
    assert_eq!(commit(&project, &[]).code, Some(0));

    // `git commit -a` has an index of its own.
    assert_eq!(commit(&project, &["-a"]).code, Some(1));
    assert_eq!(commit(&project, &["-a", "--no-verify"]).code, Some(0));
}

#[test]
fn a_staged_source_checks_the_recordings_that_name_it() {
    let project = repository("mode = \"strict\"\n");
    project.write("machines/a.dygram", "machine \"Now\"\n");
    let check = || {
        let run = project.run(&["check", "--staged", "--json"]);
        (run.code, printed(&run.json()))
    };
    // Not staged, it is no part of the commit.
    assert_eq!(check(), (Some(0), Vec::new()));
    project.git(&["add", "-A"]);
    assert_eq!(check(), (Some(1), vec!["set/turn-1.json: error source-stale".to_owned()]));
    assert_eq!(commit(&project, &[]).code, Some(1));
    project.git(&["mv", "-f", "machines/a.dygram", "machines/b.dygram"]);
    project.write("machines/b.dygram", "machine \"Then\"\na -> b;\n");
    project.git(&["add", "-A"]);
    assert_eq!(check(), (Some(1), vec!["set/turn-1.json: error source-renamed".to_owned()]));
    project.git(&["rm", "-q", "-f", "machines/b.dygram"]);
    assert_eq!(check(), (Some(1), vec!["set/turn-1.json: error source-missing".to_owned()]));

    // Settings count as they are staged, and so does what they leave out.
    project.write("retake.toml", "mode = \"skip\"\n");
    assert_eq!(check().0, Some(1));
    project.git(&["add", "retake.toml"]);
    assert_eq!(check(), (Some(0), Vec::new()));
    project.write("retake.toml", "mode = \"strict\"\nignore = [\"set/\"]\n");
    project.git(&["add", "retake.toml"]);
    assert_eq!(check(), (Some(0), Vec::new()));
    project.write("retake.toml", "mod = \"strict\"\n");
    project.git(&["add", "retake.toml"]);
    assert_eq!(
        check().1,
        ["set/turn-1.json: warning source-missing", "retake.toml: error wrong-type"]
    );
}

#[test]
fn a_project_below_the_top_has_settings_of_its_own() {
    let project = repository("");
    project.write("services/a/retake.toml", "mode = \"strict\"\n");
    let stale = recording("req-1", &stamped("a.dygram", &"0".repeat(64)));
    project.write("services/a/set/turn-1.json", &stale);
    project.write("services/b/set/turn-1.json", &stale);
    project.git(&["add", "-A"]);
    let mut command = project.command(&["check", "--staged", "--json"]);
    let output = command.current_dir(project.path("services")).output().unwrap();
    assert_eq!(
        printed(&Run::of(&output).json()),
        [
            "../services/b/set/turn-1.json: warning source-missing",
            "../services/a/set/turn-1.json: error source-missing",
        ]
    );
}

#[test]
fn a_hook_is_renewed_and_never_taken_over() {
    let project = repository("");
    let hook = project.path(".git/hooks/pre-commit");
    let text = std::fs::read_to_string(&hook).unwrap();
    std::fs::write(&hook, format!("{text}# changed\n")).unwrap();
    let run = project.run(&["hook", "install"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("Updated"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), text);

    let own = "#!/bin/sh\nexit 0\n";
    std::fs::write(&hook, own).unwrap();
    let run = project.run(&["hook", "install"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("retake check --staged || exit 1"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), own);

    // The setting for the hooks folder is relative to the top of the repository, whatever the current folder is.
    project.git(&["config", "core.hooksPath", "tools/hooks"]);
    assert_eq!(project.run(&["hook", "install", "set"]).code, Some(0));
    assert!(project.path("tools/hooks/pre-commit").is_file());
    project.write("set/turn-2.json", "{");
    project.git(&["add", "set"]);
    assert_eq!(commit(&project, &[]).code, Some(1));

    let none = Project::new(&[]);
    let run = none.run(&["hook", "install"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("Cannot open the git repository"), "{}", run.stderr);
    assert_eq!(none.run(&["check", "--staged"]).code, Some(2));
}

#[test]
fn work_trees_share_one_hook_and_have_an_index_each() {
    let project = repository("");
    project.git(&["worktree", "add", "-q", "tree"]);
    std::fs::remove_file(project.path(".git/hooks/pre-commit")).unwrap();
    let mut command = project.command(&["hook", "install"]);
    let run = Run::of(&command.current_dir(project.path("tree")).output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(project.path(".git/hooks/pre-commit").is_file());

    project.write("tree/set/turn-2.json", "{");
    project.git(&["-C", "tree", "add", "-A"]);
    assert_eq!(commit(&project, &["--allow-empty"]).code, Some(0));
    let mut command = std::process::Command::new("git");
    command
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(["commit", "-q", "-m", "x"])
        .current_dir(project.path("tree"))
        .env_remove("GIT_DIR");
    let run = Run::of(&command.output().unwrap());
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("set/turn-2.json:1:"), "{}", run.stderr);
}
