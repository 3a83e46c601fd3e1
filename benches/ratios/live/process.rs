//! Servers in processes of their own, so that what they cost is theirs alone.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A server, until it is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Process {
    /// A command of Retake's that listens.
    pub(crate) fn retake(arguments: &[&OsStr]) -> io::Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retake"));
        command.args(arguments).args(["--listen", "127.0.0.1:0", "--json"]);
        Self::start(&mut command, |line| {
            let line: Value = serde_json::from_str(line).ok()?;
            line["address"].as_str()?.parse().ok()
        })
    }

    /// The bare server, for the frames of a file.
    pub(crate) fn floor(frames: &Path) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--floor").arg(frames);
        Self::start(&mut command, |line| line.trim().parse().ok())
    }

    fn start(
        command: &mut Command,
        address: impl FnOnce(&str) -> Option<SocketAddr>,
    ) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut log = BufReader::new(child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?);
        let mut line = String::new();
        log.read_line(&mut line)?;
        let address = address(&line).ok_or(io::ErrorKind::InvalidData)?;
        // Further output has to be read.
        thread::spawn(move || io::copy(&mut log, &mut io::sink()));
        Ok(Self { child, address })
    }

    /// The processor time it has used, to the hundredth of a second; 0 if the system has no file for it.
    pub(crate) fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let ticks: u64 =
            fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let id = self.child.id().to_string();
        // As Ctrl+C does it, so that what is under way is kept; what is over by itself is over.
        let _ = Command::new("kill").args(["-INT", &id]).status();
        let _ = self.child.wait();
    }
}
