//! On a terminal, output goes through the user's pager; only the user's own settings name one.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::project::Project;

/// Both ends of a pseudo terminal: that of a person, and that of a program.
fn terminal() -> (File, File) {
    let person: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let path = Path::new(name.to_str().unwrap());
    let program = OpenOptions::new().read(true).write(true).open(path);
    (File::from(person), program.unwrap())
}

/// Runs a command on a terminal. Returns what the terminal shows, and what the command wrote to stderr.
fn run_on_terminal(mut command: Command) -> (Option<i32>, String, String) {
    let (mut person, program) = terminal();
    command.stdout(program.try_clone().unwrap()).stdin(Stdio::null());
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    // The terminal ends when no program has it any more.
    drop((command, program));
    let (mut shown, mut bytes) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = person.read(&mut bytes) {
        shown.extend_from_slice(&bytes[..count]);
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    (output.status.code(), text(&shown), text(&output.stderr))
}

fn project() -> Project {
    let call = |answer: &str| {
        format!(
            r#"{{"request": {{"messages": [], "tools": []}}, "response": {{"response": {{"content": [{{"type": "text", "text": "{answer}"}}]}}}}}}"#
        )
    };
    let project = Project::new(&[
        ("old.json", &call("All is well.")),
        ("new.json", &call("All is lost.")),
        ("global", "[core]\n\tpager = cat > by-git\n"),
        ("none", ""),
    ]);
    // Who wrote a repository's configuration does not start programs.
    project.git(&["init", "-q"]);
    project.git(&["config", "core.pager", "touch by-repository"]);
    project
}

/// `retake diff` of two files, with this pager in the environment and this file as git's configuration.
fn diff(
    project: &Project,
    pager: Option<&str>,
    git: &str,
    more: &[&str],
) -> (Option<i32>, String, String) {
    let mut command = project.command(&[&["diff", "old.json", "new.json"], more].concat());
    command.env("GIT_CONFIG_GLOBAL", project.path(git));
    command.env("TERM", "xterm").env_remove("LESS");
    match pager {
        Some(pager) => command.env("PAGER", pager),
        None => command.env_remove("PAGER"),
    };
    run_on_terminal(command)
}

const SUMMARY: &str = "1 pair differs; 0 only in ignored values, 0 only in bytes";

#[test]
fn the_pager_gets_the_colors_and_the_exit_code_stays() {
    let project = project();
    let pager = "cat > paged; echo \"$LESS\" > less";
    let (code, shown, complaint) = diff(&project, Some(pager), "global", &[]);
    assert_eq!((code, &*shown, &*complaint), (Some(1), "", ""));
    let paged = project.read("paged");
    assert!(paged.contains(SUMMARY) && paged.contains("\x1b[31m"), "{paged}");
    assert_eq!(project.read("less"), "FRX\n");
    assert!(!project.path("by-git").exists());
}

#[test]
fn the_pager_of_git_is_that_of_the_user_not_of_the_repository() {
    let project = project();
    let (code, shown, complaint) = diff(&project, None, "global", &[]);
    assert_eq!((code, &*shown, &*complaint), (Some(1), "", ""));
    assert!(project.read("by-git").contains(SUMMARY));
    let (_, shown, _) = diff(&project, None, "none", &[]);
    assert!(shown.contains(SUMMARY), "{shown}");
    assert!(!project.path("by-repository").exists());
}

#[test]
fn without_a_pager_or_a_terminal_output_is_printed() {
    let project = project();
    for (pager, more) in [("cat", &[][..]), ("", &[]), ("touch started", &["--no-pager"])] {
        let (code, shown, complaint) = diff(&project, Some(pager), "global", more);
        assert_eq!((code, &*complaint), (Some(1), ""));
        assert!(shown.contains(SUMMARY), "{pager}: {shown}");
    }
    let mut command = project.command(&["diff", "old.json", "new.json"]);
    let output = command.env("PAGER", "touch started").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(SUMMARY));
    assert!(!project.path("started").exists());
    // A pager that ends before it has read anything is no error, and its own output is what is shown.
    let (code, shown, complaint) = diff(&project, Some("echo enough;"), "global", &[]);
    assert_eq!((code, &*shown, &*complaint), (Some(1), "enough\n", ""));
    // One that does not exist is reported, with a shell and without one.
    for pager in ["no-such-pager -R", "no-such-pager 2> /dev/null"] {
        let (code, shown, complaint) = diff(&project, Some(pager), "global", &[]);
        assert_eq!(code, Some(1));
        assert!(shown.contains(SUMMARY), "{shown}");
        let expected = format!("retake: The pager {pager} cannot be started: ");
        assert!(complaint.starts_with(&expected), "{complaint}");
    }
}
