//! A search in the content of files, beside the same by `rg`, and how soon a change on disk shows in the window.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use protocol::DocId;
use workbench::Action;

use crate::opened_folder::OpenedFolder;
use crate::{RECORDINGS, ROUNDS, Target, amount, corpus, disk, heading, line, row};

/// What a search of all files, of which the items are loaded, may take of the time in which `rg` searches them.
const SEARCH: Target = Target::new(1.5, 1.2);
/// How long it may take until a change on disk is in its row, in milliseconds.
const CHANGE: Target = Target::new(250.0, 100.0);
/// How many files are changed, one after the other.
const CHANGES: usize = 21;
/// A word that is in no file, which both have to read to the end.
const WORD: &str = "zzzqqq";

pub(crate) fn measure() -> io::Result<()> {
    let folder = corpus::recordings(RECORDINGS)?;
    heading(&format!("search and changes in {RECORDINGS} recordings"));
    let mut window = OpenedFolder::open(&folder)?;
    let [mut rg, mut text, mut regex, mut list] = [Duration::MAX; 4];
    for _ in 0..ROUNDS {
        rg = rg.min(disk::search_all(&folder)?.unwrap_or(Duration::MAX));
        text = text.min(search(&mut window, &format!("body:{WORD}")));
        regex = regex.min(search(&mut window, &format!("body:/{WORD}.x/")));
        list = list.min(list_filtered(&folder)?);
    }
    if rg == Duration::MAX {
        println!("rg is not installed, so that no search is measured");
    } else {
        let beside = ("rg, no match", rg);
        row("window: search for a text", text, beside, SEARCH);
        line("window: search for a regular expression", regex, beside);
        line("retake list --filter body:… --json", list, beside);
    }
    let mut rows = Vec::new();
    let all = window.workbench().core.library.len();
    for number in 0..CHANGES {
        rows.push(change(&mut window, DocId::new(number * all / CHANGES))?);
    }
    rows.sort_unstable();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    amount("a change on disk to its row", millis(rows[CHANGES / 2]), "ms", CHANGE);
    amount("the slowest of 21", millis(rows[CHANGES - 1]), "ms", CHANGE);
    Ok(())
}

fn list_filtered(folder: &Path) -> io::Result<Duration> {
    let mut list = Command::new(env!("CARGO_BIN_EXE_retake"));
    list.args(["list", "--json", "--filter", &format!("body:{WORD}")]).arg(folder);
    let started = Instant::now();
    let output = list.output()?;
    let took = started.elapsed();
    output
        .status
        .success()
        .then_some(took)
        .ok_or_else(|| io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// Returns how long a search takes until the list has all rows.
fn search(opened: &mut OpenedFolder, filter: &str) -> Duration {
    let started = Instant::now();
    opened.act(Action::SetFilter(filter.to_owned()));
    opened.wait(|workbench| workbench.core.bodies.progress.is_none());
    let took = started.elapsed();
    opened.act(Action::SetFilter(String::new()));
    took
}

/// Appends a space to the file of an item. Returns how long it took until its row was there.
fn change(opened: &mut OpenedFolder, doc: DocId) -> io::Result<Duration> {
    let before = opened.workbench().core.library.share(doc);
    let before = before.ok_or_else(|| io::Error::other("there are fewer items"))?;
    let started = Instant::now();
    let mut file = OpenOptions::new().append(true).open(&*before.path)?;
    file.write_all(b" ")?;
    drop(file);
    opened.wait(|workbench| workbench.core.library.get(doc) != Some(&*before));
    let took = started.elapsed();
    // As it was, for the next run.
    let file = OpenOptions::new().write(true).open(&*before.path)?;
    file.set_len(file.metadata()?.len() - 1)?;
    drop(file);
    opened.wait(|workbench| {
        let item = workbench.core.library.get(doc);
        item.map(|item| item.bytes) == Some(before.bytes)
    });
    Ok(took)
}
