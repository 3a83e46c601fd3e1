//! Holds what must be quick against what cannot be quicker, in one run on one machine.
//!
//! `cargo bench --bench ratios [-- SECTION…]` prints a table: each time beside that of a plainer piece of work on the same data (reading the
//! bytes, a JSON parser, a search for a word, a sort of texts), and the ratio beside what it may be at most and what is aimed at. Times
//! differ between machines; the ratios say more. All sections together take less than 15 minutes on two processors, without
//! the corpora, which are made once and kept in `target/bench`.

#[path = "ratios/cassettes.rs"]
mod cassettes;
#[path = "ratios/corpus.rs"]
mod corpus;
#[path = "ratios/disk.rs"]
mod disk;
#[path = "ratios/documents.rs"]
mod documents;
#[path = "ratios/edits.rs"]
mod edits;
#[path = "ratios/lists.rs"]
mod lists;
#[path = "ratios/live.rs"]
mod live;
#[path = "ratios/opened_folder.rs"]
mod opened_folder;
#[path = "ratios/pairs.rs"]
mod pairs;
#[path = "ratios/playback.rs"]
mod playback;
#[path = "ratios/reopening.rs"]
mod reopening;
#[path = "ratios/search.rs"]
mod search;
#[path = "ratios/table.rs"]
mod table;
#[path = "ratios/views.rs"]
mod views;
#[path = "ratios/window.rs"]
mod window;
#[path = "ratios/yaml_trees.rs"]
mod yaml_trees;

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

use protocol::Grouping;

pub(crate) use table::{Target, amount, heading, line, millis, row};

/// That of the program, so that what runs in this process takes the time that it takes there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How many recordings are opened by the window.
const RECORDING_COUNT: usize = 100_000;
/// How many items there are in the lists of what is in memory.
const ITEM_COUNT: usize = 100_000;
/// How many items there are in the list of which pictures are measured.
const ROW_COUNT: usize = 1_000_000;
/// Every measure is taken so often, in turn, and the fastest counts: the others were disturbed.
const ROUND_COUNT: usize = 5;

/// Measures one section, and prints its rows.
type Measure = fn() -> io::Result<()>;

/// The sections by name, in the order in which they are measured.
const SECTIONS: [(&str, Measure); 14] = [
    ("disk", disk::measure),
    ("reopening", reopening::measure),
    ("window", window::measure),
    ("million", window::measure_million),
    ("cassettes", cassettes::measure),
    ("search", search::measure),
    ("documents", documents::measure),
    ("lists", measure_lists),
    ("edits", measure_edits),
    ("pairs", pairs::measure),
    ("playback", playback::measure),
    ("strip", views::measure_strip),
    ("map", views::measure_map),
    ("live", live::measure),
];

fn main() -> io::Result<()> {
    // Cargo adds `--bench`.
    let names: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [flag, frames @ ..] = &*names
        && flag == "--floor"
    {
        return live::serve_floor(frames.first().map_or("", String::as_str));
    }
    let section_names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown_name) = names.iter().find(|name| !section_names.contains(&name.as_str())) {
        let list = section_names.join(", ");
        return Err(io::Error::other(format!("no section {unknown_name}; there are {list}")));
    }
    for (name, measure) in SECTIONS {
        if names.is_empty() || names.iter().any(|n| n == name) {
            measure()?;
        }
    }
    table::print_result();
    Ok(())
}

fn measure_lists() -> io::Result<()> {
    let items = corpus::items(ITEM_COUNT);
    heading(&format!("{ITEM_COUNT} items in memory"));
    lists::measure(&items);
    drop(items);
    let items = corpus::items(ROW_COUNT);
    for (grouping, name) in [(Grouping::Folder, "by folder"), (Grouping::None, "without groups")] {
        heading(&format!("{ROW_COUNT} items {name}, some unfolded"));
        window::measure_frames(&items, grouping);
    }
    Ok(())
}

fn measure_edits() -> io::Result<()> {
    heading("edits");
    edits::measure();
    Ok(())
}

/// The shortest time of several runs.
fn shortest<T>(mut work: impl FnMut() -> T) -> Duration {
    let run = |_| timed(|| black_box(work())).1;
    (0..ROUND_COUNT).map(run).min().unwrap_or_default()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let output = work();
    (output, start.elapsed())
}
