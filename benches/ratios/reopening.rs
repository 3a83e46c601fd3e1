//! An unchanged folder that is opened again, against a list of its names: with the index cache, no file is read.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use engine::{Engine, EngineOptions};
use protocol::EngineEvent;

use crate::{RECORDING_COUNT, ROUND_COUNT, Target, corpus, disk, heading, row, timed};

/// What reopening may take of the time in which `rg` lists the names.
const REOPENING_TARGET: Target = Target::new(2.5, 1.8);

pub(crate) fn measure() -> io::Result<()> {
    let folder = corpus::recordings(RECORDING_COUNT)?;
    heading(&format!("{RECORDING_COUNT} recordings, unchanged"));
    // This program is another one than `retake`, so it has a cache of its own.
    let (state, caches) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let [mut names, mut list, mut check, mut window] = [Duration::MAX; 4];
    // The first round fills the cache.
    for round in 0..=ROUND_COUNT {
        let [list_time, check_time] =
            ["list", "check"].map(|command| run(command, &folder, state.path()));
        let (list_time, check_time) = (list_time?, check_time?);
        let open_time = open(&folder, caches.path().to_owned())?;
        if round > 0 {
            list = list.min(list_time);
            check = check.min(check_time);
            window = window.min(open_time);
            names = names.min(list_names(&folder)?);
        }
    }
    let reference = ("names, rg --files or one thread", names);
    row("retake list --json, again", list, reference, REOPENING_TARGET);
    row("retake check --json, again", check, reference, REOPENING_TARGET);
    row("window: everything is listed again", window, reference, REOPENING_TARGET);
    Ok(())
}

/// Runs a command that reads what is stored in the folder of a program's state, and stores more.
pub(crate) fn run(command: &str, folder: &Path, state: &Path) -> io::Result<Duration> {
    let mut retake = Command::new(env!("CARGO_BIN_EXE_retake"));
    retake.args([command, "--json"]).arg(folder);
    disk::run_command(retake.env("RETAKE_STATE_DIR", state))
}

/// How long the engine takes to report everything to a window that does nothing with it.
fn open(folder: &Path, caches: PathBuf) -> io::Result<Duration> {
    let options = EngineOptions { caches: Some(caches), ..EngineOptions::default() };
    let (wake, _wakes) = mpsc::channel();
    let (mut engine, events) = Engine::start(options, move || {
        let _ = wake.send(());
    })?;
    let (_, time) = timed(|| {
        engine.scan(vec![folder.to_owned()]);
        events.iter().find(|event| matches!(event, EngineEvent::ScanEnded { .. }))
    });
    Ok(time)
}

/// How long `rg` takes to list all names, or one thread where it is not installed.
fn list_names(folder: &Path) -> io::Result<Duration> {
    let mut rg = Command::new("rg");
    rg.args(["--files", "-uuu"]).arg(folder).stdout(Stdio::piped());
    let (output, time) = timed(|| rg.output());
    match output {
        Ok(_) => Ok(time),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (files, time) = timed(|| corpus::files(folder));
            files.map(|_| time)
        }
        Err(error) => Err(error),
    }
}
