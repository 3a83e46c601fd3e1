//! The command line against a floor and peers. The floor reads every byte on all processors and does nothing with it; `rg`, if it is
//! installed, also looks for a word that is not there; another peer parses every file with `serde_json` on one thread. Ours lists or checks, and prints.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::{RECORDING_COUNT, ROUND_COUNT, Target, corpus, heading, line, row, timed};

/// What `list` and `check` may take of the time in which `rg` reads every byte.
const READING_TARGET: Target = Target::new(2.5, 1.8);
/// What `list` may take of the time in which a program in Node loads the recordings.
const LOADER_TARGET: Target = Target::new(0.5, 0.3);
/// What a file of a million small ones may take of the time of one of a hundred thousand.
const PER_FILE_TARGET: Target = Target::new(1.1, 1.0);

pub(crate) fn measure() -> io::Result<()> {
    let folder = corpus::recordings(RECORDING_COUNT)?;
    let files = corpus::files(&folder)?;
    let megabytes = read_all(&files)? / 1_000_000;
    heading(&format!("{} recordings, {megabytes} MB", files.len()));
    let [mut floor, mut rg, mut peer, mut node, mut list, mut check] = [Duration::MAX; 6];
    for _ in 0..ROUND_COUNT {
        floor = floor.min(timed_io(|| read_all(&files))?);
        if let Some(time) = search_all(&folder)? {
            rg = rg.min(time);
        }
        peer = peer.min(timed_io(|| parse_all(&files))?);
        node = node.min(load_in_node(&folder)?.unwrap_or(Duration::MAX));
        list = list.min(run("list", &folder)?);
        check = check.min(run("check", &folder)?);
    }
    let reading =
        if rg == Duration::MAX { ("reading, all processors", floor) } else { ("rg, no match", rg) };
    row("retake list --json", list, reading, READING_TARGET);
    row("retake check --json", check, reading, READING_TARGET);
    line("retake check --json", check, ("serde_json, one thread", peer));
    if node < Duration::MAX {
        row("retake list --json", list, ("a loader in Node", node), LOADER_TARGET);
    }
    measure_per_file()
}

/// A million recordings against a hundred thousand, each of about 300 bytes.
fn measure_per_file() -> io::Result<()> {
    const SMALL_COUNT: u32 = 100_000;
    const LARGE_COUNT: u32 = 10 * SMALL_COUNT;
    heading(&format!("{LARGE_COUNT} recordings of 300 bytes, a file"));
    let small_folder = corpus::small_recordings(SMALL_COUNT as usize)?;
    let large_folder = corpus::small_recordings(LARGE_COUNT as usize)?;
    for command in ["list", "check"] {
        let per_file = |folder, count| run(command, folder).map(|time| time / (count / 1000));
        let [mut ours, mut reference] = [Duration::MAX; 2];
        for _ in 0..2 {
            reference = reference.min(per_file(&small_folder, SMALL_COUNT)?);
            ours = ours.min(per_file(&large_folder, LARGE_COUNT)?);
        }
        let reference = ("the same of 100,000", reference);
        row(&format!("retake {command} --json, 1,000 files"), ours, reference, PER_FILE_TARGET);
    }
    Ok(())
}

fn timed_io<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<Duration> {
    let (output, time) = timed(work);
    black_box(output?);
    Ok(time)
}

/// Reads every byte on all processors; returns their number.
pub(crate) fn read_all(files: &[PathBuf]) -> io::Result<usize> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let next = AtomicUsize::new(0);
    let read = || {
        let mut buffer = Vec::new();
        let mut bytes = 0;
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            buffer.clear();
            bytes += File::open(file)?.read_to_end(&mut buffer)?;
        }
        io::Result::Ok(bytes)
    };
    thread::scope(|scope| {
        let readers: Vec<_> = (0..workers).map(|_| scope.spawn(read)).collect();
        let bytes =
            readers.into_iter().map(|reader| reader.join().expect("a reader does not panic"));
        bytes.sum()
    })
}

/// How long `rg` takes to look for a word that is not there; `None` where it is not installed.
pub(crate) fn search_all(folder: &Path) -> io::Result<Option<Duration>> {
    let mut rg = Command::new("rg");
    run_peer(rg.args(["-j2", "-uuu", "--no-mmap", "-c", "zzzqqq"]).arg(folder))
}

/// How long Node takes to do what a player does when it loads recordings: list the folders, read and parse each file, and keep its
/// value; `None` where Node is not installed.
fn load_in_node(folder: &Path) -> io::Result<Option<Duration>> {
    const LOADER: &str = "const fs = require('fs'), values = [];
        const load = folder => fs.readdirSync(folder, { withFileTypes: true }).forEach(entry => {
            const path = `${folder}/${entry.name}`;
            if (entry.isDirectory()) load(path);
            else if (path.endsWith('.json')) values.push(JSON.parse(fs.readFileSync(path, 'utf8')));
        });
        load(process.argv[1]);";
    run_peer(Command::new("node").args(["-e", LOADER]).arg(folder))
}

/// How long a program takes whose exit code does not matter; `None` where it is not installed.
fn run_peer(program: &mut Command) -> io::Result<Option<Duration>> {
    let (output, time) = timed(|| program.output());
    match output {
        Ok(_) => Ok(Some(time)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn parse_all(files: &[PathBuf]) -> io::Result<()> {
    for file in files {
        black_box(serde_json::from_slice::<Value>(&fs::read(file)?)?);
    }
    Ok(())
}

/// Runs the program as a user would, without what it knows from earlier runs, makes sure that it did its work, and returns the time.
pub(crate) fn run(command: &str, folder: &Path) -> io::Result<Duration> {
    let mut retake = Command::new(env!("CARGO_BIN_EXE_retake"));
    retake.args([command, "--json", "--no-cache"]).arg(folder);
    run_command(&mut retake)
}

/// As [`run`], with any command that prints JSON.
pub(crate) fn run_command(retake: &mut Command) -> io::Result<Duration> {
    let (output, time) = timed(|| retake.output());
    let output = output?;
    // The end of the document, which is there only when all is.
    let is_whole = output.stdout.trim_ascii_end().ends_with(b"}");
    if output.status.success() && is_whole {
        return Ok(time);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{retake:?} failed: {complaint}")))
}
