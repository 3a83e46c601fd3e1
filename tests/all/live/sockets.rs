//! No socket is opened unless the user requested it.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Stdio;

use super::{Running, tape};
use crate::project::Project;

/// The sockets that a process has open, as the system lists them.
fn sockets(pid: u32) -> Vec<PathBuf> {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let open = open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    open.filter(|link| link.to_string_lossy().starts_with("socket:")).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn the_window_has_a_socket_only_while_something_runs_that_was_started() {
    const ALONE: &str = "RETAKE_TEST_ALONE";
    // Other tests of this process have sockets of their own.
    if std::env::var_os(ALONE).is_none() {
        let name =
            "live::sockets::the_window_has_a_socket_only_while_something_runs_that_was_started";
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name]).env(ALONE, "yes").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let own = || {
        let table =
            |name| std::fs::read_to_string(format!("/proc/self/net/{name}")).unwrap_or_default();
        let known = ["tcp", "tcp6", "udp", "udp6"].map(table).concat();
        let mut own = sockets(std::process::id());
        // The runtime keeps a pair of pipes to itself for signals, which lead nowhere else.
        own.retain(|link| {
            let link = link.to_string_lossy();
            let number = link.trim_start_matches("socket:[").trim_end_matches(']');
            known.split_whitespace().any(|word| word == number)
        });
        own
    };
    let counts = crate::window::calls::sockets_of_a_window(own);
    let [desks, started, stopped] = counts.map(|sockets| sockets.len());
    assert!((desks, stopped) == (0, 0) && started > 0, "{desks}, {started}, {stopped}");
}

#[test]
#[cfg(target_os = "linux")]
fn only_a_command_that_listens_has_a_socket() {
    // Enough findings that the command waits for its reader.
    let bad: Vec<(u32, &str)> = vec![(0, ""); 5000];
    let bad = tape("{}", &bad).replace("\"delayNs\":0", "\"delayNs\":-1");
    let project = Project::new(&[("bad.json", &bad), ("good.json", &tape("{}", &[(0, "a")]))]);
    let mut command = project.command(&["check", "bad.json"]);
    let mut check =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut output = check.stdout.take().unwrap();
    output.read_exact(&mut [0; 1]).unwrap();
    assert_eq!(sockets(check.id()), Vec::<PathBuf>::new());
    drop(output);
    check.wait().unwrap();
    let (serve, _) = Running::listening(&project, &["serve", "good.json"]);
    assert!(!sockets(serve.child.id()).is_empty());
}
