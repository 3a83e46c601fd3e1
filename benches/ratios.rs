//! Holds what must be quick against what cannot be quicker, in one run on one machine.
//!
//! `cargo bench --bench ratios [-- RECORDINGS|live]` makes a corpus, opens it, and prints each time beside that of a plainer piece
//! of work on the same data: reading the bytes, a JSON parser, a search for a word, a sort of texts. Times differ between
//! machines; the ratios say more. It takes less than a minute.

#[path = "ratios/corpus.rs"]
mod corpus;
#[path = "ratios/disk.rs"]
mod disk;
#[path = "ratios/edits.rs"]
mod edits;
#[path = "ratios/lists.rs"]
mod lists;
#[path = "ratios/live.rs"]
mod live;
#[path = "ratios/playback.rs"]
mod playback;
#[path = "ratios/window.rs"]
mod window;

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

/// How many recordings are read unless a number is given.
const RECORDINGS: usize = 10_000;
/// How many items there are in the lists of what is in memory.
const ITEMS: usize = 100_000;
/// Every measure is taken so often, in turn, and the fastest counts: the others were disturbed.
const ROUNDS: usize = 5;
/// The heading of what is live.
const LIVE: &str = "200 answers of 100 chunks at once";

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--floor") {
        return live::serve_floor(&arguments.next().unwrap_or_default());
    }
    if std::env::args().any(|argument| argument == "live") {
        heading(LIVE);
        return live::measure(tempfile::tempdir()?.path());
    }
    let count = std::env::args().find_map(|argument| argument.parse().ok());
    let folder = tempfile::tempdir()?;
    let files = corpus::write(folder.path(), count.unwrap_or(RECORDINGS))?;
    let bytes = disk::read_all(&files)?;
    let megabytes = bytes / 1_000_000;
    heading(&format!("{} recordings, {megabytes} MB", files.len()));
    disk::measure(folder.path(), &files)?;
    window::measure_opening(folder.path(), &files)?;

    let items = corpus::items(ITEMS);
    heading(&format!("{ITEMS} items in memory"));
    lists::measure(&items);
    window::measure_frames(&items);

    heading("edits");
    edits::measure();

    heading("10,000 calls, 10,000 recordings");
    playback::measure();

    heading(LIVE);
    live::measure(folder.path())
}

fn heading(what: &str) {
    println!("\n{what:<34}{:>12}{:>12}  beside", "ours", "ratio");
}

/// One line of the table: what is ours, and the time of what it is held against.
fn line(name: &str, ours: Duration, (beside, time): (&str, Duration)) {
    let ratio = ours.as_secs_f64() / time.as_secs_f64();
    let (ours, time) = (millis(ours), millis(time));
    println!("{name:<34}{ours:>9.2} ms{ratio:>12.2}  {time:.2} ms  {beside}");
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The shortest time of several runs.
fn shortest<T>(mut work: impl FnMut() -> T) -> Duration {
    let run = |_| timed(|| black_box(work())).1;
    (0..ROUNDS).map(run).min().unwrap_or_default()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}
