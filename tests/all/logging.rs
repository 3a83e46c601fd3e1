//! The log and the crash reports of the command line.

use crate::project::{Project, Run, recording};

#[test]
fn the_command_line_logs_to_stderr_only_on_request() {
    let project = Project::new(&[]);
    project.write("a.json", recording("1", ""));
    let quiet = project.run(&["list", "a.json"]);
    assert!(!quiet.stderr.contains("retake::"), "{}", quiet.stderr);
    let log = |filter: &str| {
        let mut command = project.command(&["list", "a.json"]);
        let run = Run::of(&command.env("RETAKE_LOG", filter).output().unwrap());
        assert_eq!((run.code, &run.stdout), (quiet.code, &quiet.stdout));
        let lines = run.stderr.lines().filter(|it| it.contains("retake::"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(log("off"), "");
    assert_eq!(log("warn,retake=error"), "");
    let lines = log("info");
    assert!(lines.contains("Z INFO  retake::engine::logging: Retake "), "{lines}");
    assert!(log("retake=loud").contains("RETAKE_LOG is not a filter"));
    assert!(!project.path("state/log").exists());
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_leaves_a_report_that_stderr_names() {
    let project = Project::new(&[]);
    let mut command = project.command(&["list"]);
    let run = Run::of(&command.env("RETAKE_PANIC", "start").output().unwrap());
    assert_eq!(run.code, Some(101));
    let path = run.stderr.trim().rsplit_once(" is in ").unwrap().1;
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let report = std::fs::read_to_string(path).unwrap();
    for part in ["Message: a forced panic", "Thread: main", "Nothing was sent.", "Backtrace"] {
        assert!(report.contains(part), "{report}");
    }
}
