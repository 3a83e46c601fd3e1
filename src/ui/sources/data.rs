//! What is shown of the selected source. Built when it, or what it is made from, changes.

use std::collections::BTreeMap;

use super::told::{self, Remedy};
use crate::ops::diff::marks;
use crate::ops::source::{Found, Present};
use crate::ops::{Item, Mark, Status};
use crate::text::{Span, visible};
use crate::ui::dates;
use crate::ui::widgets::thousands;
use crate::workbench::{DocId, Library, SourceName, SourceRow, SourcesDesk, Workbench};

/// How many of the texts that were recorded from are listed.
const TEXTS: usize = 4;
/// How many digits of a hash are shown.
const DIGITS: usize = 8;

/// The selected source.
#[derive(Debug, Default)]
pub struct SourcesData {
    /// What is known of it; `None` while none is selected.
    pub detail: Option<SourceDetail>,
    /// The revisions of the list and of the items.
    key: Option<(u64, u64)>,
}

/// What is known of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDetail {
    /// Which.
    pub name: SourceName,
    /// Its path with nothing hidden: the folder with its slash, and the file.
    pub path: (String, String),
    /// How it stands.
    pub status: Status,
    /// What happened, and what follows from it.
    pub happened: (String, String),
    /// The files that hold its text, if it is not where it was.
    pub places: Vec<PlaceLine>,
    /// What is written to name another of them.
    pub rewrite: Option<Rewrite>,
    /// How many recordings can be stamped anew.
    pub restampable: usize,
    /// Those that a request made today would not match.
    pub breaking: Vec<DocId>,
    /// Whether it can be shown as it was and as it is with something to see.
    pub is_changed: bool,
    /// The texts that were recorded from, the latest first, with their number where not all are told.
    pub then: Vec<HashLine>,
    /// How many texts are not told.
    pub more: usize,
    /// What there is now.
    pub now: Option<HashLine>,
    /// Its recordings, folder by folder.
    pub recordings: Vec<DocId>,
    /// What to filter the library by, for just these.
    pub filter: String,
}

/// A file that holds the text of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceLine {
    /// From the project root.
    pub path: Box<str>,
    /// How many recordings have their text there.
    pub words: String,
    /// Whether it is the one to be written.
    pub chosen: bool,
}

/// A line as it is and as it will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Where: `line 38, the same in each of 4`.
    pub aside: String,
    /// How many recordings are written; those of the file that was chosen.
    pub count: usize,
    /// Both lines, in pieces that change or do not; `None` until a file is chosen.
    pub lines: Option<[Vec<(String, bool)>; 2]>,
}

/// A text by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashLine {
    /// The beginning.
    pub short: String,
    /// All of it.
    pub whole: String,
    /// What is said of it.
    pub words: String,
}

impl SourcesData {
    /// Follows the workbench. Costs nothing while nothing changed.
    pub fn update(&mut self, workbench: &Workbench) {
        let (desk, library) = (workbench.problems_desk().sources(), workbench.library());
        let key = (desk.revision(), library.items_revision());
        if self.key != Some(key) {
            self.key = Some(key);
            let row = desk.selected();
            self.detail = row.map(|row| SourceDetail::new(desk, row, library));
        }
    }
}

impl SourceDetail {
    fn new(desk: &SourcesDesk, row: &SourceRow, library: &Library) -> Self {
        let items = || row.recordings.iter().filter_map(|doc| library.get(*doc));
        let status = |doc: &DocId| library.get(*doc).map(Item::status);
        let breaks = |doc: &DocId| status(doc) == Some(Status::StaleBreaks);
        let then = then(items());
        let quoted = row.name.file.replace('\\', "\\\\").replace('"', "\\\"");
        Self {
            name: row.name.clone(),
            path: split(&row.name.file),
            status: row.status,
            happened: told::at_length(row, library),
            places: places(desk, row),
            rewrite: rewrite(desk, row, items()),
            restampable: row.restampable,
            breaking: row.recordings.iter().copied().filter(breaks).collect(),
            is_changed: Remedy::of(row) == Some(Remedy::ThenAndNow),
            more: then.len().saturating_sub(TEXTS),
            then: then.into_iter().take(TEXTS).collect(),
            now: now(row, library),
            recordings: row.recordings.clone(),
            filter: format!("source:\"{quoted}\""),
        }
    }
}

/// A path in its folder with a slash, and the file; with nothing hidden.
pub(super) fn split(path: &str) -> (String, String) {
    let at = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let (folder, file) = path.split_at(at);
    (visible(folder).into_owned(), visible(file).into_owned())
}

fn places(desk: &SourcesDesk, row: &SourceRow) -> Vec<PlaceLine> {
    let chosen = desk.place_of(row);
    let all = row.recordings.len();
    let place = |(path, count): (&Box<str>, &usize)| PlaceLine {
        path: path.clone(),
        words: match *count {
            count if count == all => "holds the text of all recordings".to_owned(),
            count => format!(
                "holds the text of {} of {}",
                thousands(count),
                thousands(all)
            ),
        },
        chosen: chosen == Some(&**path),
    };
    row.places.iter().map(place).collect()
}

fn rewrite<'a>(
    desk: &SourcesDesk,
    row: &SourceRow,
    items: impl Iterator<Item = &'a Item>,
) -> Option<Rewrite> {
    if row.places.is_empty() {
        return None;
    }
    let place = desk.place_of(row);
    let count = place
        .and_then(|place| row.places.get(place).copied())
        .unwrap_or(row.renamed);
    let renamed = items.filter_map(|item| {
        let source = item.source.as_ref()?;
        matches!(source.found, Found::Renamed(_)).then_some(source.file_mark)?
    });
    let mut lines: Vec<u32> = renamed.map(|mark: Mark| mark.place.line).collect();
    lines.dedup();
    let aside = match (lines.as_slice(), count) {
        ([line], 1) => format!("line {line}"),
        ([line], count) => format!("line {line}, the same in each of {}", thousands(count)),
        (_, count) => format!("in each of {}", thousands(count)),
    };
    let line = |path: &str| {
        let value = serde_json::Value::from(path).to_string();
        visible(&format!("\"sourceFile\": {value}")).into_owned()
    };
    let lines = place.map(|place| {
        let (then, now) = (line(&row.name.file), line(place));
        let (gone, new) = marks(&then, &now);
        [pieces(&then, &gone), pieces(&now, &new)]
    });
    Some(Rewrite {
        aside,
        count,
        lines,
    })
}

/// A line in pieces, each with whether it is marked.
fn pieces(line: &str, marks: &[Span]) -> Vec<(String, bool)> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for mark in marks {
        let range = mark.range();
        pieces.push((line.get(end..range.start).unwrap_or_default(), false));
        pieces.push((line.get(range.clone()).unwrap_or_default(), true));
        end = range.end;
    }
    pieces.push((line.get(end..).unwrap_or_default(), false));
    let filled = pieces.into_iter().filter(|(text, _)| !text.is_empty());
    filled
        .map(|(text, marked)| (text.to_owned(), marked))
        .collect()
}

/// The texts that recordings were made from, the latest first.
fn then<'a>(items: impl Iterator<Item = &'a Item>) -> Vec<HashLine> {
    let mut texts: BTreeMap<&str, (Option<&str>, usize)> = BTreeMap::new();
    for item in items {
        let source = item.source.as_ref();
        let Some(hash) = source.and_then(|source| source.recorded_hash.as_deref()) else {
            continue;
        };
        let (last, count) = texts.entry(hash).or_default();
        *last = (*last).max(item.recorded_at.as_deref());
        *count += 1;
    }
    let only = texts.len() == 1;
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by_key(|(hash, (last, _))| (std::cmp::Reverse(*last), *hash));
    let line = |(hash, (last, count)): (&str, (Option<&str>, usize))| {
        let on = last.map_or_else(String::new, |last| format!(" {}", dates::of_iso(last)));
        let words = match only {
            true => format!("recorded{on}"),
            false => format!("{} recorded, last{on}", thousands(count)),
        };
        HashLine::new(hash, words)
    };
    texts.into_iter().map(line).collect()
}

fn now(row: &SourceRow, library: &Library) -> Option<HashLine> {
    let source = library.get(row.first)?.source.as_ref()?;
    let (present, words): (&Present, &str) = match &source.found {
        Found::Fresh(present) => (present, "equal"),
        Found::LineEndings(present) => (present, "other line ends, else equal"),
        Found::Stale(present) => (present, "another text"),
        Found::Renamed(places) => match (places.first()?, places.len()) {
            (present, 1) => (present, "equal, in another place"),
            (present, _) => (present, "equal, in other places"),
        },
        Found::Unstamped | Found::Missing | Found::Outside(_) => return None,
    };
    Some(HashLine::new(&present.hash, words.to_owned()))
}

impl HashLine {
    fn new(hash: &str, words: String) -> Self {
        let whole = visible(hash).into_owned();
        Self {
            short: whole.chars().take(DIGITS).collect(),
            whole,
            words,
        }
    }
}
