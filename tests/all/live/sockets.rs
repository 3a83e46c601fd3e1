//! Nothing opens a socket unless it was asked for.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Stdio;

use super::{Running, tape};
use crate::project::Project;

/// The sockets that a process has open, as the system lists them.
fn sockets(pid: u32) -> Vec<PathBuf> {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let open = open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    open.filter(|link| link.to_string_lossy().starts_with("socket:"))
        .collect()
}

#[test]
#[cfg(target_os = "linux")]
fn only_a_command_that_listens_has_a_socket() {
    // So many findings that the command waits for whoever reads them.
    let bad: Vec<(u32, &str)> = vec![(0, ""); 5000];
    let bad = tape("{}", &bad).replace("\"delayNs\":0", "\"delayNs\":-1");
    let project = Project::new(&[("bad.json", &bad), ("good.json", &tape("{}", &[(0, "a")]))]);
    let mut command = project.command(&["check", "bad.json"]);
    let mut check = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = check.stdout.take().unwrap();
    output.read_exact(&mut [0; 1]).unwrap();
    assert_eq!(sockets(check.id()), Vec::<PathBuf>::new());
    drop(output);
    check.wait().unwrap();
    let (serve, _) = Running::listening(&project, &["serve", "good.json"]);
    assert!(!sockets(serve.child.id()).is_empty());
}
