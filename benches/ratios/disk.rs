//! The command line against a floor and a peer: the floor reads every byte and does nothing with it, the peer parses every
//! file with `serde_json` and keeps one tree at a time, and ours lists or checks, and prints.

use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::{ROUNDS, line, timed};

pub(crate) fn measure(folder: &Path, files: &[PathBuf]) -> io::Result<()> {
    let [mut floor, mut peer, mut list, mut check] = [Duration::MAX; 4];
    for _ in 0..ROUNDS {
        floor = floor.min(timed_io(|| read_all(files))?);
        peer = peer.min(timed_io(|| parse_all(files))?);
        list = list.min(timed_io(|| run("list", "items", folder, files.len()))?);
        check = check.min(timed_io(|| run("check", "problems", folder, 1))?);
    }
    line("retake list --json", list, ("reading the bytes", floor));
    line("retake list --json", list, ("serde_json, one thread", peer));
    line(
        "retake check --json",
        check,
        ("serde_json, one thread", peer),
    );
    Ok(())
}

fn timed_io<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<Duration> {
    let (done, time) = timed(work);
    black_box(done?);
    Ok(time)
}

pub(crate) fn read_all(files: &[PathBuf]) -> io::Result<usize> {
    files.iter().map(|file| Ok(fs::read(file)?.len())).sum()
}

fn parse_all(files: &[PathBuf]) -> io::Result<()> {
    for file in files {
        black_box(serde_json::from_slice::<Value>(&fs::read(file)?)?);
    }
    Ok(())
}

/// Runs the program as a user would, and makes sure that it saw what is there.
fn run(command: &str, key: &str, folder: &Path, at_least: usize) -> io::Result<()> {
    let output = Command::new(env!("CARGO_BIN_EXE_retake"))
        .args([command, "--json"])
        .arg(folder)
        .output()?;
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let count = printed[key].as_array().map_or(0, Vec::len);
    let complete = output.status.success() && count >= at_least;
    complete.then_some(()).ok_or_else(|| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("{command} reported {count} {key}: {complaint}"))
    })
}
