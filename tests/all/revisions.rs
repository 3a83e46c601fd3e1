//! Revisions of git: what changed since one of them, and since a branch began.

use calls::source::sha256_hex;
use serde_json::Value;

use crate::project::{Project, Run, recording, stamped};

/// A recording that has no answer to load.
const BROKEN: &str = "{ \"request\": {";

/// A repository with a branch on which nothing has changed yet: a recording with its source, one without, and a broken file.
fn repository() -> Project {
    let machine = "machine \"Then\"\na -> b;\n";
    let fresh = stamped("machines/a.dygram", &sha256_hex(machine.as_bytes()));
    let project = Project::new(&[
        (".gitignore", "*.tmp.json\nstate/\n"),
        ("machines/a.dygram", machine),
        ("set/turn-1.json", &recording("req-1", &fresh)),
        ("set/turn-2.json", &recording("req-2", "")),
        ("set/half.json", BROKEN),
    ]);
    project.git(&["init", "-q", "-b", "main"]);
    commit(&project, 1);
    project.git(&["checkout", "-q", "-b", "branch"]);
    project
}

/// Commits everything, on a day.
fn commit(project: &Project, day: usize) {
    project.git(&["add", "-A"]);
    project.git_on(Some(day), &["commit", "-q", "--allow-empty", "-m", "change"]);
}

/// The files in which `check` finds something, without the options of their rules.
fn checked(project: &Project, revision: &str) -> (Option<i32>, Vec<String>) {
    let run = project.run(&["check", ".", "--changed-since", revision, "--json"]);
    let json = run.json();
    let problems = json["problems"].as_array().unwrap().iter();
    let line = |it: &Value| {
        let text = |field: &str| it[field].as_str().unwrap();
        format!("{} {}", text("path"), text("rule"))
    };
    (run.code, problems.map(line).collect())
}

fn message(run: &Run) -> &str {
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    run.stderr.strip_prefix("retake: ").unwrap().trim_end()
}

#[test]
fn only_what_differs_from_the_revision_is_checked() {
    let project = repository();
    assert_eq!(checked(&project, "main"), (Some(0), vec![]));
    let run = project.run(&["check", ".", "--changed-since", "main"]);
    assert_eq!((run.code, &*run.stdout), (Some(0), ""));

    // A file that was written again, even with other line ends, is the same to git.
    let text = project.read("set/turn-2.json");
    project.write("set/turn-2.json", text.replace('\n', "\r\n"));
    project.write("set/half.json", BROKEN);
    assert_eq!(checked(&project, "main"), (Some(0), vec![]));

    project.write("set/turn-2.json", BROKEN);
    project.write("set/turn-3.json", BROKEN);
    project.write("set/turn-4.tmp.json", BROKEN);
    let broken = ["./set/turn-2.json syntax", "./set/turn-3.json syntax"];
    let broken = (Some(1), broken.map(str::to_owned).to_vec());
    assert_eq!(checked(&project, "main"), broken);
    commit(&project, 2);
    assert_eq!(checked(&project, "main"), broken);
    assert_eq!(checked(&project, "HEAD"), (Some(0), vec![]));

    project.git(&["mv", "set/half.json", "set/whole.json"]);
    let renamed = vec!["./set/whole.json syntax".to_owned()];
    assert_eq!(checked(&project, "HEAD"), (Some(1), renamed));
}

#[test]
fn rules_about_several_files_consider_those_that_did_not_change() {
    let project = repository();
    let changed = project.read("set/turn-1.json").replace("Hello", "Hello again");
    project.write("set/turn-1.json", changed.replace("req-1", "req-2"));
    let (code, problems) = checked(&project, "main");
    assert_eq!(code, Some(0));
    assert_eq!(problems, ["./set/turn-1.json signature-shared"]);
}

#[test]
fn a_changed_source_checks_the_recordings_that_name_it() {
    let project = repository();
    let sources = |revision: &str| {
        let (_, mut problems) = checked(&project, revision);
        problems.retain(|problem| problem.contains(" source-"));
        problems
    };
    project.write("machines/a.dygram", "machine \"Now\"\n");
    assert_eq!(sources("main"), ["./set/turn-1.json source-stale"]);
    commit(&project, 2);
    assert_eq!(sources("main"), ["./set/turn-1.json source-stale"]);
    assert_eq!(sources("HEAD"), [""; 0]);
    std::fs::remove_file(project.path("machines/a.dygram")).unwrap();
    assert_eq!(sources("HEAD"), ["./set/turn-1.json source-missing"]);
}

/// The repository after a commit on each of its branches.
fn two_branches() -> Project {
    let project = repository();
    project.write("set/turn-3.json", BROKEN);
    commit(&project, 2);
    project.git(&["checkout", "-q", "main"]);
    let changed = project.read("set/turn-2.json").replace("Hello", "Good morning");
    project.write("set/turn-2.json", changed);
    commit(&project, 3);
    project.git(&["checkout", "-q", "branch"]);
    project
}

#[test]
fn three_dots_mean_the_commit_at_which_the_branch_began() {
    let project = two_branches();
    let broken = (Some(1), vec!["./set/turn-3.json syntax".to_owned()]);
    for revision in ["main...HEAD", "main...", "main...branch"] {
        assert_eq!(checked(&project, revision), broken, "{revision}");
    }
    let run = project.run(&["check", ".", "--changed-since", "branch...main"]);
    assert_eq!(
        message(&run),
        "The files here are compared, and main is not checked out; write branch...HEAD"
    );
    let run = project.run(&["check", ".", "--changed-since", "nowhere"]);
    assert_eq!(message(&run), "There is no revision nowhere in this repository");
}

/// Each pair of a comparison that differs, with its status.
fn differing(run: &Run) -> Vec<String> {
    let json = run.json();
    let pairs = json["pairs"].as_array().unwrap().iter();
    let line = |it: &Value| {
        let path = it["new"].as_str().or(it["old"].as_str()).unwrap();
        format!("{path} {}", it["status"].as_str().unwrap())
    };
    let lines = pairs.map(line);
    lines.filter(|line| !line.ends_with(" same")).collect()
}

#[test]
fn two_revisions_are_compared_as_git_does_it() {
    let project = two_branches();
    project.git(&["rm", "-q", "set/turn-3.json"]);
    project.write("set/turn-3.json", recording("req-3", ""));
    commit(&project, 4);
    // Neither is what the folder contains.
    project.write("set/turn-4.json", recording("req-4", ""));
    let diff = |range: &str| {
        let run = project.run(&["diff", "set", "--git", range, "--format", "json"]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        differing(&run)
    };
    assert_eq!(diff("main...branch"), ["set/turn-3.json added"]);
    assert_eq!(diff("main..HEAD"), ["set/turn-2.json changed", "set/turn-3.json added"]);
    assert_eq!(diff("branch...main"), ["set/turn-2.json changed"]);
    assert_eq!(diff("branch~1.."), ["set/turn-3.json changed"]);
    let run = project.run(&["review", "set", "--git", "main...HEAD", "--json"]);
    assert_eq!(differing(&run), ["set/turn-3.json added", "set/turn-4.json added"]);
}

#[test]
fn a_shallow_clone_without_the_revision_says_what_to_fetch() {
    let project = two_branches();
    let origin = format!("file://{}", project.path("").display());
    let arguments = ["clone", "-q", "--depth=1", "--branch=branch", "--no-single-branch"];
    project.git(&[&arguments[..], &[&origin, "clone"]].concat());
    let check = |revision: &str| {
        let run = project.run(&["check", "clone", "--changed-since", revision]);
        message(&run).to_owned()
    };
    assert_eq!(
        check("HEAD~1"),
        "There is no revision HEAD~1 in this shallow clone; fetch the whole history: git fetch --unshallow"
    );
    assert_eq!(
        check("origin/main...HEAD"),
        "origin/main and HEAD have no common commit in this shallow clone; fetch the whole history: \
         git fetch --unshallow"
    );
}

#[cfg(unix)]
#[test]
fn borrowed_objects_missing_ones_and_links_to_folders_stop_no_review() {
    let project = repository();
    project.git(&["clone", "-q", "--shared", ".", "clone"]);
    // The link leads to a folder that is read by its own name.
    std::os::unix::fs::symlink("set", project.path("clone/linked")).unwrap();
    let changed = recording("req-2", "").replace("req-2", "req-3");
    project.write("clone/set/turn-2.json", changed);
    let review = |command: &str| {
        let run = project.run(&[command, "clone", "--root", "clone", "--json"]);
        (run.code, differing(&run), run.stderr)
    };
    let expected = vec!["set/turn-2.json ignored-only".to_owned()];
    for command in ["review", "diff"] {
        let (code, files, errors) = review(command);
        assert_eq!((&files, &*errors), (&expected, ""), "{command}: {code:?}");
        assert_ne!(code, Some(2), "{command}");
    }
    let blob = project.git(&["rev-parse", "HEAD:set/turn-1.json"]);
    let (folder, name) = blob.trim().split_at(2);
    std::fs::remove_file(project.path(&format!(".git/objects/{folder}/{name}"))).unwrap();
    let (code, files, errors) = review("review");
    assert_eq!((code, files), (Some(2), expected));
    assert!(errors.contains("Not compared: set/turn-1.json: Its content in "), "{errors}");
}
