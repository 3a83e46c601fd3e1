//! What a build relies on: the formats of `check`, the project's own settings, and the hook.

use serde_json::{Value, json};

use crate::project::{Project, recording, stamped};

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
        ("fixtures/drafts/half.json", "{ \"request\": {"),
        ("other/half.json", "{ \"request\": {"),
    ])
}

/// `path: level rule` of each problem.
fn told(report: &Value) -> Vec<String> {
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
    assert_eq!(told(&run.json()), [stale]);

    // From a folder below, paths are printed as they lead from there.
    let mut command = project.command(&["check", "--json"]);
    let output = command.current_dir(project.path("other")).output().unwrap();
    let below = crate::project::Run::of(&output);
    assert_eq!(told(&below.json()), [format!("../{stale}")]);

    // The command line beats the file, one setting at a time.
    let run = project.run(&[
        "check",
        "--json",
        "--mode",
        "warn",
        "--rule",
        "signature-missing=note",
    ]);
    let expected = [
        stale.replace("error", "warning"),
        "fixtures/set/turn-2.json: note signature-missing".to_owned(),
    ];
    assert_eq!((run.code, told(&run.json())), (Some(0), expected.to_vec()));

    // What is ignored can be named all the same, and a list leaves it out too.
    let run = project.run(&["check", "fixtures/drafts/half.json"]);
    assert_eq!(run.code, Some(1));
    let list = project.run(&["list", "--json", "fixtures"]).json();
    assert_eq!(list["summary"]["items"], 2);
    assert_eq!(
        list["items"][0]["problems"],
        json!({ "error": 1, "warning": 0, "note": 0 })
    );
}

#[test]
fn settings_that_are_not_understood_are_told_and_the_defaults_hold() {
    let project = project("[rules]\nsorce-stale = \"error\"\nsource-stale = \"note\"\n");
    let run = project.run(&["check", "fixtures/set"]);
    assert_eq!(run.code, Some(1));
    let first = run
        .stdout
        .lines()
        .find(|line| line.contains("error"))
        .unwrap();
    assert_eq!(
        first,
        "retake.toml:2:1: error[wrong-type] There is no rule \"sorce-stale\"; did you mean \"source-stale\"?"
    );
    assert!(run.stdout.contains("note[source-stale]"), "{}", run.stdout);

    project.write("retake.toml", "mode = strict\n");
    let run = project.run(&["check", "."]);
    assert!(
        run.stdout.contains("./retake.toml:1:8: error[syntax]"),
        "{}",
        run.stdout
    );
    // A command on one file is not kept from its work.
    assert_eq!(
        project.run(&["source", "fixtures/set/turn-1.json"]).code,
        Some(1)
    );
    project.write("retake.toml", "paths = [\"/etc\"]\n");
    assert!(
        project
            .run(&["check"])
            .stdout
            .contains("leads out of the project")
    );
}

#[test]
fn without_a_path_and_without_settings_there_is_nothing_to_check() {
    let project = Project::new(&[("set/turn-1.json", "{")]);
    let run = project.run(&["check"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("retake.toml"), "{}", run.stderr);
    // Settings that name nothing mean the whole project.
    project.write("retake.toml", "");
    assert_eq!(project.run(&["check"]).code, Some(1));
}

#[test]
fn every_format_tells_the_same_and_none_changes_the_verdict() {
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
    assert_eq!(
        *place,
        json!({ "uri": "fixtures/drafts/half.json", "uriBaseId": "ROOT" })
    );
    assert_eq!(run("sarif"), run("sarif"));
    let github = run("github");
    assert_eq!(
        github.lines().filter(|line| line.starts_with("::")).count(),
        count
    );
    let junit = run("junit");
    let junit = roxmltree::Document::parse(&junit).unwrap();
    let cases = junit.descendants().filter(|it| it.has_tag_name("testcase"));
    assert_eq!(cases.count(), 3);
}
