//! The files in `assets/ci/` and the hooks for pre-commit, tried with the programs that read them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::project::{Project, Run, recording};
use crate::samples::checkout;

/// The folder of the installed programs; `None` where they cannot be installed.
static PROGRAMS: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ci-kit");
    std::fs::create_dir_all(&folder).unwrap();
    // A registry that does not answer must not keep the tests.
    let install = "venv/bin/pre-commit --version && venv/bin/check-jsonschema --version && venv/bin/junitparser --version || \
        { timeout 60 python3 -m venv venv && timeout 240 venv/bin/python -m pip install -q --timeout 10 --retries 1 \
        pre-commit==4.7.0 check-jsonschema==0.39.0 junitparser==5.0.3; }";
    let mut command = Command::new("sh");
    command.args(["-c", install]).current_dir(&folder);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let programs = status.is_ok_and(|status| status.success());
    programs.then(|| folder.join("venv/bin"))
});

fn programs() -> Option<&'static Path> {
    if PROGRAMS.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "ci kit: pre-commit, check-jsonschema and junitparser cannot be installed here"
        );
    }
    PROGRAMS.as_deref()
}

/// Runs one of the programs in a project, with this `retake` on the search path.
fn run(project: &Project, program: &str, arguments: &[&str]) -> Run {
    let programs = programs().unwrap();
    let retake = Path::new(env!("CARGO_BIN_EXE_retake")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(programs.join(program));
    let output = command
        .args(arguments)
        .current_dir(project.path(""))
        .env("PATH", format!("{}:{}:{path}", retake.display(), programs.display()))
        .env("PRE_COMMIT_HOME", project.path("pre-commit-home"))
        .env("RETAKE_STATE_DIR", project.path("state"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    Run::of(&output)
}

#[test]
fn the_hook_of_pre_commit_stops_a_bad_recording_and_passes_a_good_one() {
    if programs().is_none() {
        return;
    }
    // What pre-commit clones: a repository with the hooks.
    let hooks = Project::new(&[]);
    let manifest = std::fs::read_to_string(checkout().join(".pre-commit-hooks.yaml")).unwrap();
    hooks.write(".pre-commit-hooks.yaml", manifest);
    hooks.git(&["init", "-q"]);
    hooks.git(&["add", "-A"]);
    hooks.git(&["commit", "-q", "-m", "hooks"]);
    let revision = hooks.git(&["rev-parse", "HEAD"]);

    let project = Project::new(&[("set/turn-1.json", &recording("req-1", ""))]);
    let config = format!(
        "repos:\n- repo: {}\n  rev: {revision}\n  hooks:\n  - id: retake-system\n",
        hooks.path("").display()
    );
    project.write(".pre-commit-config.yaml", config);
    project.git(&["init", "-q"]);
    project.git(&["add", "set", ".pre-commit-config.yaml"]);
    let good = run(&project, "pre-commit", &["run"]);
    assert_eq!(good.code, Some(0), "{}", good.printed());

    project.write("set/turn-2.json", "{ \"request\": {");
    project.git(&["add", "set"]);
    let bad = run(&project, "pre-commit", &["run"]);
    assert_eq!(bad.code, Some(1), "{}", bad.printed());
    assert!(bad.stdout.contains("error[syntax]"), "{}", bad.printed());
}

#[test]
fn the_files_for_services_are_valid() {
    if programs().is_none() {
        return;
    }
    let project = Project::new(&[]);
    let file = |name: &str| checkout().join(name).to_string_lossy().into_owned();
    let manifest =
        run(&project, "pre-commit", &["validate-manifest", &file(".pre-commit-hooks.yaml")]);
    assert_eq!(manifest.code, Some(0), "{}", manifest.printed());
    let action = file("assets/ci/action.yml");
    let schema = ["--builtin-schema", "vendor.github-actions", &action];
    let action = run(&project, "check-jsonschema", &schema);
    assert_eq!(action.code, Some(0), "{}", action.printed());
    // The schema is for the second document, after the inputs.
    let template = std::fs::read_to_string(file("assets/ci/gitlab.yml")).unwrap();
    let (_, jobs) = template.split_once("\n---\n").unwrap();
    project.write("jobs.yml", jobs.replace("$[[ inputs.stage ]]", "test"));
    let schema = ["--builtin-schema", "vendor.gitlab-ci", "jobs.yml"];
    let template = run(&project, "check-jsonschema", &schema);
    assert_eq!(template.code, Some(0), "{}", template.printed());
}

/// The schemas of outputs are for other programs, too.
#[test]
fn another_program_validates_outputs_by_their_schemas_and_reads_junit() {
    if programs().is_none() {
        return;
    }
    let project = Project::new(&[
        ("set/turn-1.json", &recording("req-1", "")),
        ("set/half.json", "{ \"request\": {"),
    ]);
    for (command, arguments) in
        [("list", ["list", "set", "--json"]), ("check", ["check", "set", "--json"])]
    {
        project.write("output", project.run(&arguments).stdout);
        project.write("schema", project.run(&["schema", command]).stdout);
        let found = run(&project, "check-jsonschema", &["--schemafile", "schema", "output"]);
        assert_eq!(found.code, Some(0), "{command}: {}", found.printed());
    }
    project.write("retake.xml", project.run(&["check", "set", "--format", "junit"]).stdout);
    let read = "import junitparser\nxml = junitparser.JUnitXml.fromfile('retake.xml')\nprint(sum(suite.tests for suite in xml), sum(suite.failures + suite.errors for suite in xml))";
    let read = run(&project, "python", &["-c", read]);
    assert_eq!(read.stdout.trim(), "2 1", "{}", read.printed());
}

#[test]
fn the_problem_matcher_reads_every_line_of_the_text() {
    let text = std::fs::read_to_string(checkout().join("assets/ci/problem-matcher.json")).unwrap();
    let matcher: Value = serde_json::from_str(&text).unwrap();
    let pattern = matcher["problemMatcher"][0]["pattern"][0]["regexp"].as_str().unwrap();
    let pattern = Regex::new(pattern).unwrap();
    let project = Project::new(&[
        ("set/turn-1.json", &recording("req-1", "")),
        ("set/ä, b:1.json", "{ \"request\": {"),
    ]);
    let run = project.run(&["check", "set"]);
    let found = run.stdout.lines().find_map(|line| pattern.captures(line));
    let found = found.unwrap_or_else(|| panic!("{}", run.printed()));
    let parts: Vec<&str> =
        found.iter().skip(1).take(5).map(|part| part.unwrap().as_str()).collect();
    assert_eq!(parts[0], "set/ä, b:1.json");
    assert_eq!((parts[3], parts[4]), ("error", "syntax"));
    assert!(parts[1].parse::<u32>().is_ok() && parts[2].parse::<u32>().is_ok());
}
