//! Holds `retake list --json` against a floor and a peer, on a corpus that is made on the spot.
//!
//! `cargo bench --bench ratios [-- RECORDINGS]` prints three times, taken in one run on the same files, and their ratios:
//! the floor reads every byte and does nothing with it, the peer parses every file with `serde_json` and keeps one tree
//! at a time, and ours lists, judges and prints. Times differ between machines; the ratios say more.

use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// How many recordings there are unless a number is given.
const RECORDINGS: usize = 10_000;
/// Calls in one recording set.
const CALLS: usize = 8;
/// Every measure is taken so often, in turn, and the fastest counts: the others were disturbed.
const ROUNDS: usize = 5;

fn main() -> io::Result<()> {
    let count = std::env::args().find_map(|argument| argument.parse().ok());
    let folder = tempfile::tempdir()?;
    let files = write_corpus(folder.path(), count.unwrap_or(RECORDINGS))?;
    let bytes = read_all(&files)?;
    println!("{} recordings, {} MB", files.len(), bytes / 1_000_000);

    let (mut floor, mut peer, mut ours) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        floor = floor.min(timed(|| read_all(&files))?);
        peer = peer.min(timed(|| parse_all(&files))?);
        ours = ours.min(timed(|| list(folder.path(), files.len()))?);
    }
    for (name, time) in [
        ("floor  read all bytes", floor),
        ("peer   serde_json", peer),
        ("ours   retake list --json", ours),
    ] {
        let ratio = time.as_secs_f64() / floor.as_secs_f64();
        println!("{name:<28}{:>9.1} ms{ratio:>8.2} x floor", millis(time));
    }
    println!("ours is {:.2} x peer", millis(ours) / millis(peer));
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn timed<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<Duration> {
    let start = Instant::now();
    black_box(work()?);
    Ok(start.elapsed())
}

fn read_all(files: &[PathBuf]) -> io::Result<usize> {
    files.iter().map(|file| Ok(fs::read(file)?.len())).sum()
}

fn parse_all(files: &[PathBuf]) -> io::Result<()> {
    for file in files {
        black_box(serde_json::from_slice::<Value>(&fs::read(file)?)?);
    }
    Ok(())
}

/// Runs the program as a user would, and makes sure that it saw every file.
fn list(folder: &Path, recordings: usize) -> io::Result<()> {
    let output = Command::new(env!("CARGO_BIN_EXE_retake"))
        .args(["list", "--json"])
        .arg(folder)
        .output()?;
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let items = listed["items"].as_array().map_or(0, Vec::len);
    let complete = output.status.success() && items == recordings;
    complete.then_some(()).ok_or_else(|| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("{items} of {recordings} listed: {complaint}"))
    })
}

/// Writes sets of recordings and their sources; every tenth set is stale. The same bytes each time.
fn write_corpus(root: &Path, recordings: usize) -> io::Result<Vec<PathBuf>> {
    fs::write(root.join("retake.toml"), "")?;
    fs::create_dir(root.join("machines"))?;
    let mut files = Vec::with_capacity(recordings);
    for set in 0..recordings.div_ceil(CALLS) {
        let machine = format!("machines/set-{set}.dygram");
        let source = format!("machine \"Set {set}\"\ntask a;\na -> b;\na -> c;\n");
        let now = if set % 10 == 0 { "// since" } else { "" };
        fs::write(root.join(&machine), format!("{source}{now}"))?;
        let folder = root.join(format!("recordings/set-{set}"));
        fs::create_dir_all(&folder)?;
        for call in (0..CALLS).take(recordings - files.len()) {
            let file = folder.join(format!("turn-{}.json", call + 1));
            let recording = recording(set * CALLS + call, &machine, &source);
            fs::write(&file, serde_json::to_string_pretty(&recording)?)?;
            files.push(file);
        }
    }
    Ok(files)
}

/// One wrapped recording of four to eight kilobytes, with signature and source.
fn recording(n: usize, machine: &str, source: &str) -> Value {
    let hash: String = Sha256::digest(source)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let id = format!("req-{}-1", 1_770_000_000_000 + n);
    let at = "2026-02-02T02:40:00.000Z";
    let tool = |name: &str| {
        json!({ "name": name, "description": format!("Tool {name}"), "input_schema": { "type": "object",
            "properties": { "reason": { "type": "string", "description": "Why, in a few words" } } } })
    };
    let notes =
        "- The ticket was read \u{2013} its \"urgency\" is still open.\n".repeat(20 + n % 40);
    let prompt = format!("# Current Position\n- **Node**: a\n- **Type**: task\n\n# Notes\n{notes}");
    json!({
        "request": { "type": "llm_invocation_request", "requestId": id, "timestamp": at, "context": {},
            "messages": [{ "role": "user", "content": prompt }],
            "tools": [tool("transition_to_b"), tool("transition_to_c")],
            "systemPrompt": prompt },
        "response": { "type": "llm_invocation_response", "requestId": id, "timestamp": at, "reasoning": "",
            "response": { "stop_reason": "tool_use", "content": [
                { "type": "text", "text": format!("Ticket {n} goes to b.") },
                { "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": { "reason": "Urgent" } }] } },
        "recordedAt": at,
        "signature": { "toolNames": ["transition_to_b", "transition_to_c"], "messageCount": 1, "contextKeys": [] },
        "sourceMetadata": { "sourceFile": machine, "contentHash": hash, "fileSize": source.len(), "lastModified": at },
    })
}
