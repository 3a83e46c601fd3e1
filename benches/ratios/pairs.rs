//! Two sides of many recordings, two long texts, and many requests against many recordings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use compare::review::Review;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::text::Source;
use engine::{Engine, EngineOptions};
use protocol::{DiskChange, EngineEvent, ReviewBase, ReviewEvent, ReviewRequest, WatchState};

use crate::{Target, amount, corpus, disk, heading, millis, row, shortest, timed};

/// How many recordings each side has.
const PAIR_COUNT: usize = 30_000;
/// How many lines each text has; every twentieth is changed.
const LINE_COUNT: usize = 50_000;
/// How many requests are played against as many recordings.
const REQUEST_COUNT: usize = 10_000;
/// Each program is measured so often: what it is held against takes as long.
const RUN_COUNT: usize = 3;

/// What a comparison of all pairs may take of the time in which `rg` searches both sides.
const COMPARING_TARGET: Target = Target::new(2.5, 2.0);
/// How long it may take until the window shows the first group, in milliseconds.
const FIRST_GROUP_TARGET: Target = Target::new(1000.0, 500.0);
/// What a comparison of two texts may take of the time of `git diff --no-index`.
const TEXTS_TARGET: Target = Target::new(1.0, 0.7);
/// What the reasons may cost: the time with them, of that without.
const REASONS_TARGET: Target = Target::new(3.0, 2.0);

pub(crate) fn measure() -> io::Result<()> {
    measure_pairs()?;
    measure_texts()?;
    measure_reasons()
}

fn measure_pairs() -> io::Result<()> {
    let folder = corpus::pairs(PAIR_COUNT)?;
    let sides = ["old", "new"].map(|side| folder.join(side));
    heading(&format!("{PAIR_COUNT} pairs, a tenth of them changed"));
    let [mut rg, mut diff, mut first, mut whole_review] = [Duration::MAX; 4];
    for _ in 0..RUN_COUNT {
        rg = rg.min(disk::search_all(&folder)?.unwrap_or(Duration::MAX));
        diff = diff.min(compare(&sides)?);
        let (group, review) = show_review(&sides)?;
        (first, whole_review) = (first.min(group), whole_review.min(review));
    }
    if rg == Duration::MAX {
        println!("rg is not installed, so that no comparison is measured");
    } else {
        let reference = ("rg, no match", rg);
        row("retake diff OLD NEW --json", diff, reference, COMPARING_TARGET);
        row("window: the whole review", whole_review, reference, COMPARING_TARGET);
    }
    amount("window: the first group", millis(first), "ms", FIRST_GROUP_TARGET);
    Ok(())
}

fn compare(sides: &[PathBuf; 2]) -> io::Result<Duration> {
    let mut retake = Command::new(env!("CARGO_BIN_EXE_retake"));
    run_whole(retake.args(["diff", "--json"]).args(sides))
}

/// Runs a command whose exit code reports what it finds, makes sure that it printed its whole document, and returns the time.
fn run_whole(retake: &mut Command) -> io::Result<Duration> {
    let (output, time) = timed(|| retake.output());
    let output = output?;
    let is_whole = output.stdout.trim_ascii_end().ends_with(b"}");
    let complaint = String::from_utf8_lossy(&output.stderr);
    is_whole
        .then_some(time)
        .ok_or_else(|| io::Error::other(format!("{retake:?} failed: {complaint}")))
}

/// Returns how long it takes until a window could show the first group of a review, and until it could show all.
fn show_review([old, new]: &[PathBuf; 2]) -> io::Result<(Duration, Duration)> {
    let (mut engine, events) = Engine::start(EngineOptions::default(), || {})?;
    engine.scan(vec![new.clone()]);
    // Until changes are watched, the folder is being walked once more.
    let is_settled = |event: &EngineEvent| {
        matches!(event, EngineEvent::DiskChanged(_, DiskChange::Watching(WatchState::Live)))
    };
    events.iter().find(is_settled);
    let start = Instant::now();
    let request = ReviewRequest {
        number: 1,
        base: ReviewBase::Folder(old.clone()),
        manual_pairs: Vec::new(),
        rules: Arc::default(),
        known: Arc::new(Review::default()),
    };
    engine.run(request.into());
    let mut first = None;
    for event in &events {
        match event {
            EngineEvent::Review(ReviewEvent::Progressed(_, snapshot)) => {
                if !snapshot.review.groups.is_empty() {
                    first.get_or_insert_with(|| start.elapsed());
                }
                if let (true, Some(first)) = (snapshot.is_complete, first) {
                    assert_eq!(snapshot.review.pairs.len(), PAIR_COUNT, "all pairs are compared");
                    return Ok((first, start.elapsed()));
                }
            }
            EngineEvent::Review(ReviewEvent::Failed(_, reason)) => {
                return Err(io::Error::other(reason));
            }
            _ => {}
        }
    }
    Err(io::Error::other("the review did not end"))
}

fn measure_texts() -> io::Result<()> {
    let folder = corpus::texts(LINE_COUNT)?;
    let [old, new] = ["old.txt", "new.txt"].map(|name| folder.join(name));
    heading(&format!("two texts of {LINE_COUNT} lines, 5% changed"));
    let compare = || {
        let [old, new] = [&old, &new].map(|path| fs::read(path).map(Source::from_bytes));
        io::Result::Ok(TextDiff::new(&old?, &new?, Outline::Plain))
    };
    let size = compare()?.size();
    assert!(size.words > 0, "words differ");
    let ours = shortest(compare);
    let git = || {
        let mut git = Command::new("git");
        git.args(["diff", "--no-index"]).args([&old, &new]).output()
    };
    if git().is_err() {
        println!("git is not installed, so that no comparison of texts is measured");
        return Ok(());
    }
    let reference = ("git diff --no-index", shortest(git));
    row("lines and words", ours, reference, TEXTS_TARGET);
    Ok(())
}

fn measure_reasons() -> io::Result<()> {
    heading(&format!("{REQUEST_COUNT} requests, {REQUEST_COUNT} recordings"));
    for (name, signatures) in [("100 signatures", 100), ("10,000", REQUEST_COUNT)] {
        let folder = corpus::one_set(REQUEST_COUNT, signatures)?;
        let (mut with_reasons, mut without_reasons) = (Duration::MAX, Duration::MAX);
        for _ in 0..RUN_COUNT {
            without_reasons = without_reasons.min(explain(&folder, &["--nearest", "0"])?);
            with_reasons = with_reasons.min(explain(&folder, &[])?);
        }
        let reference = ("--nearest 0", without_reasons);
        row(&format!("retake match --json, {name}"), with_reasons, reference, REASONS_TARGET);
    }
    Ok(())
}

/// Plays the requests of a set against the set, with the reasons why the nearest recordings do not match.
fn explain(folder: &Path, options: &[&str]) -> io::Result<Duration> {
    let mut retake = Command::new(env!("CARGO_BIN_EXE_retake"));
    retake.args(["match", "--json", "--recordings"]).arg(folder.join("set"));
    retake.arg("--requests").arg(folder.join("requests"));
    run_whole(retake.args(options))
}
