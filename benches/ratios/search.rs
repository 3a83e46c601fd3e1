//! A search in the content of files, beside the same by `rg`, and how soon a change on disk shows in the window.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use protocol::DocId;
use workbench::Action;

use crate::opened_folder::OpenedFolder;
use crate::{RECORDING_COUNT, ROUND_COUNT, Target, amount, corpus, disk, heading, line, row};

/// What a search of all files, of which the items are loaded, may take of the time in which `rg` searches them.
const SEARCH_TARGET: Target = Target::new(1.5, 1.2);
/// How long it may take until a change on disk is in its row, in milliseconds.
const CHANGE_TARGET: Target = Target::new(250.0, 100.0);
/// How many files are changed, one after the other.
const CHANGE_COUNT: usize = 21;
/// A word that is in no file, which both have to read to the end.
const ABSENT_WORD: &str = "zzzqqq";

pub(crate) fn measure() -> io::Result<()> {
    let folder = corpus::recordings(RECORDING_COUNT)?;
    heading(&format!("search and changes in {RECORDING_COUNT} recordings"));
    let mut window = OpenedFolder::open(&folder)?;
    let [mut rg, mut text, mut regex, mut list] = [Duration::MAX; 4];
    for _ in 0..ROUND_COUNT {
        rg = rg.min(disk::search_all(&folder)?.unwrap_or(Duration::MAX));
        text = text.min(search(&mut window, &format!("body:{ABSENT_WORD}")));
        regex = regex.min(search(&mut window, &format!("body:/{ABSENT_WORD}.x/")));
        list = list.min(list_filtered(&folder)?);
    }
    if rg == Duration::MAX {
        println!("rg is not installed, so that no search is measured");
    } else {
        let reference = ("rg, no match", rg);
        row("window: search for a text", text, reference, SEARCH_TARGET);
        line("window: search for a regular expression", regex, reference);
        line("retake list --filter body:… --json", list, reference);
    }
    let mut rows = Vec::new();
    let item_count = window.workbench().core.library.len();
    for number in 0..CHANGE_COUNT {
        rows.push(change(&mut window, DocId::new(number * item_count / CHANGE_COUNT))?);
    }
    rows.sort_unstable();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    amount("a change on disk to its row", millis(rows[CHANGE_COUNT / 2]), "ms", CHANGE_TARGET);
    amount("the slowest of 21", millis(rows[CHANGE_COUNT - 1]), "ms", CHANGE_TARGET);
    Ok(())
}

fn list_filtered(folder: &Path) -> io::Result<Duration> {
    let mut list = Command::new(env!("CARGO_BIN_EXE_retake"));
    list.args(["list", "--json", "--filter", &format!("body:{ABSENT_WORD}")]).arg(folder);
    let start = Instant::now();
    let output = list.output()?;
    let duration = start.elapsed();
    output
        .status
        .success()
        .then_some(duration)
        .ok_or_else(|| io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// Returns how long a search takes until the list has all rows.
fn search(opened_folder: &mut OpenedFolder, filter: &str) -> Duration {
    let start = Instant::now();
    opened_folder.act(Action::SetFilter(filter.to_owned()));
    opened_folder.wait(|workbench| workbench.core.bodies.progress.is_none());
    let duration = start.elapsed();
    opened_folder.act(Action::SetFilter(String::new()));
    duration
}

/// Appends a space to the file of an item. Returns how long it took until its row was there.
fn change(opened_folder: &mut OpenedFolder, doc: DocId) -> io::Result<Duration> {
    let old_item = opened_folder.workbench().core.library.share(doc);
    let old_item = old_item.ok_or_else(|| io::Error::other("there are fewer items"))?;
    let start = Instant::now();
    let mut file = OpenOptions::new().append(true).open(&*old_item.path)?;
    file.write_all(b" ")?;
    drop(file);
    opened_folder.wait(|workbench| workbench.core.library.get(doc) != Some(&*old_item));
    let duration = start.elapsed();
    // As it was, for the next run.
    let file = OpenOptions::new().write(true).open(&*old_item.path)?;
    file.set_len(file.metadata()?.len() - 1)?;
    drop(file);
    opened_folder.wait(|workbench| {
        let item = workbench.core.library.get(doc);
        item.map(|item| item.bytes) == Some(old_item.bytes)
    });
    Ok(duration)
}
