//! Cassettes of a large project: checked against `rg`, and their unfolded rows while scrolling.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use egui::{Event as Input, pos2, vec2};
use flate2::Compression;
use flate2::write::GzEncoder;
use protocol::DocId;
use serde_json::json;
use workbench::Action;

use crate::opened_folder::OpenedFolder;
use crate::window::turn_wheel;
use crate::{
    ROUND_COUNT, Target, amount, corpus, disk, heading, millis, reopening, row, timed, yaml_trees,
};

/// How many cassettes there are, with about 150 MB together.
const CASSETTE_COUNT: usize = 1500;

/// What the commands may take of the time in which `rg` reads every byte: the bodies are decoded as well.
const CHECKING_TARGET: Target = Target::new(5.0, 3.0);
/// The same where the bodies are trees of YAML.
const TREES_TARGET: Target = Target::new(12.0, 6.0);
/// What `list` may take of the time of `check`.
const LISTING_TARGET: Target = Target::new(1.1, 1.0);
/// What it may take until a window shows the first rows, of the time in which the program starts and ends.
const OPENING_TARGET: Target = Target::new(10.0, 5.0);
/// What a picture of unfolded rows may take, in milliseconds.
const PICTURE_TARGET: Target = Target::new(4.0, 2.0);

pub(crate) fn measure() -> io::Result<()> {
    let folder = corpus::stored("cassettes-1500", write)?;
    measure_commands(&folder, CHECKING_TARGET)?;
    let trees_folder = corpus::stored("cassettes-trees", yaml_trees::write)?;
    measure_commands(&trees_folder, TREES_TARGET)?;
    measure_opening(&trees_folder)?;
    measure_frames(&folder)
}

/// Lists and checks a folder of cassettes.
fn measure_commands(folder: &Path, target: Target) -> io::Result<()> {
    let files = files(folder)?;
    let megabytes = disk::read_all(&files)? / 1_000_000;
    heading(&format!("{} cassettes, {megabytes} MB", files.len()));
    let state = tempfile::tempdir()?;
    let [mut rg, mut list, mut check, mut check_again] = [Duration::MAX; 4];
    for _ in 0..ROUND_COUNT {
        if let Some(time) = disk::search_all(folder)? {
            rg = rg.min(time);
        }
        list = list.min(disk::run("list", folder)?);
        check = check.min(disk::run("check", folder)?);
        // The first time fills the cache.
        check_again = check_again.min(reopening::run("check", folder, state.path())?);
    }
    if rg != Duration::MAX {
        row("retake check --json", check, ("rg, no match", rg), target);
        row("retake check --json, again", check_again, ("rg, no match", rg), target);
    }
    row("retake list --json", list, ("check", check), LISTING_TARGET);
    Ok(())
}

/// Opens a folder in a window without a frame and a graphics card, which takes a driver's time and not ours.
fn measure_opening(folder: &Path) -> io::Result<()> {
    let [mut start, mut first_rows] = [Duration::MAX; 2];
    for _ in 0..ROUND_COUNT {
        let mut retake = Command::new(env!("CARGO_BIN_EXE_retake"));
        let (output, time) = timed(|| retake.arg("--version").output());
        output?;
        start = start.min(time);
        first_rows = first_rows.min(OpenedFolder::open(folder)?.first_rows);
    }
    row(
        "window: the first rows are painted",
        first_rows,
        ("retake --version", start),
        OPENING_TARGET,
    );
    Ok(())
}

/// Scrolls through the rows of all cassettes and their calls.
fn measure_frames(folder: &Path) -> io::Result<()> {
    const PICTURE_COUNT: usize = 1000;
    let mut opened_folder = OpenedFolder::open(folder)?;
    for number in 0..CASSETTE_COUNT {
        opened_folder.act(Action::ToggleCalls(DocId::new(number)));
    }
    opened_folder.wait(|workbench| workbench.core.list.listing.rows.len() > 4 * CASSETTE_COUNT);
    opened_folder.picture(vec![Input::PointerMoved(pos2(400.0, 500.0))]);
    let wheel = turn_wheel(vec2(0.0, -60.0));
    let old_texts = opened_folder.window.texts();
    let picture = |_| opened_folder.picture(vec![wheel.clone()]);
    let mut times: Vec<Duration> = (0..PICTURE_COUNT).map(picture).collect();
    let has_moved = opened_folder.window.texts() != old_texts;
    assert!(has_moved, "the rows are scrolled");
    times.sort_unstable();
    let slow_time = millis(times[PICTURE_COUNT * 99 / 100]);
    amount("unfolded rows while scrolling, p99", slow_time, "ms", PICTURE_TARGET);
    Ok(())
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for set in fs::read_dir(folder.join("tests/cassettes"))? {
        for file in fs::read_dir(set?.path())? {
            files.push(file?.path());
        }
    }
    Ok(files)
}

fn write(root: &Path) -> io::Result<()> {
    fs::write(root.join("retake.toml"), "")?;
    for number in 0..CASSETTE_COUNT {
        let folder = root.join(format!("tests/cassettes/test_{}", number / 25));
        fs::create_dir_all(&folder)?;
        let text = cassette(number)?;
        fs::write(folder.join(format!("test_case_{number}.yaml")), text)?;
    }
    Ok(())
}

/// Returns a cassette of four calls. Of a hundred one holds audio, one a long line; every fifth has compressed answers.
fn cassette(number: usize) -> io::Result<String> {
    let mut text = "interactions:\n".to_owned();
    for call in 0..4 {
        let words = match number % 100 {
            // What is one line in the file: as JSON within a text in quotes.
            7 => 1_300_000 * usize::from(call == 0),
            _ => 12_000 + 37 * (number % 50),
        };
        let prompt = "The customer \"Ada\" asks where order 4471 is. ".repeat(words / 45);
        let tools =
            json!([{ "type": "function", "name": "look_up", "parameters": { "type": "object" } }]);
        let request = json!({ "model": "gpt-5", "input": prompt, "tools": tools });
        let answer = json!({
            "id": format!("resp_{number}_{call}"), "object": "response", "model": "gpt-5", "status": "completed",
            "output": [{ "type": "message", "role": "assistant", "content": [{ "type": "output_text",
                "text": format!("Order {number} was sent. {}", "It left on Monday. ".repeat(300)) }] }],
            "usage": { "input_tokens": words / 4, "output_tokens": 900 },
        });
        let bytes = match (number % 100, call) {
            (3, 0) => audio(number),
            _ => answer.to_string().into_bytes(),
        };
        let is_audio = (number % 100, call) == (3, 0);
        let is_compressed = !is_audio && number.is_multiple_of(5);
        let (body, length, encoding) = if is_compressed {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(&bytes)?;
            let gzip_bytes = gzip.finish()?;
            let encoding = "      content-encoding:\n      - gzip\n";
            (binary(&gzip_bytes), gzip_bytes.len(), encoding)
        } else if is_audio {
            (binary(&bytes), bytes.len(), "")
        } else {
            let text = String::from_utf8_lossy(&bytes).replace('\'', "''");
            (format!("'{text}'\n"), bytes.len(), "")
        };
        let kind = if is_audio { "audio/mpeg" } else { "application/json" };
        let request = request.to_string().replace('\'', "''");
        let _ = write!(
            text,
            "- request:\n    body: '{request}'\n    headers:\n      content-type:\n      - application/json\n    method: POST\n    uri: https://api.openai.com/v1/responses?call={call}\n  response:\n    body:\n      string: {body}    headers:\n{encoding}      content-length:\n      - '{length}'\n      content-type:\n      - {kind}\n    status:\n      code: 200\n      message: OK\n"
        );
    }
    text.push_str("version: 1\n");
    Ok(text)
}

/// Returns two megabytes that no compression makes smaller, as audio.
fn audio(seed: usize) -> Vec<u8> {
    let mut state = seed as u64 | 1;
    let next = |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..2_000_000).map(next).collect()
}

/// Writes bytes as vcrpy does: in Base64, in lines of 76 characters.
fn binary(bytes: &[u8]) -> String {
    let base64 = STANDARD.encode(bytes);
    let mut text = "!!binary |\n".to_owned();
    for line in base64.as_bytes().chunks(76) {
        let _ = writeln!(text, "        {}", String::from_utf8_lossy(line));
    }
    text
}
