//! The log of the command line.

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
    assert!(
        lines.contains("Z INFO  retake::engine::logging: Retake "),
        "{lines}"
    );
    assert!(log("retake=loud").contains("RETAKE_LOG is not a filter"));
    assert!(!project.path("state/log").exists());
}
