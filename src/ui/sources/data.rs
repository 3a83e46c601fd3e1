//! Data of the selected source. Rebuilt when the source or its input changes.

use std::collections::BTreeMap;

use super::describe::{self, SuggestedFix};
use crate::format::json;
use crate::ops::diff::marks;
use crate::ops::source::{PresentSource, SourceFinding};
use crate::ops::{Item, ItemStatus, ValueMark};
use crate::text::{Span, thousands, visible};
use crate::ui::dates;
use crate::workbench::{DocId, Library, SourceName, SourceRow, SourcesDesk, Workbench};

/// Maximum number of recorded source texts that are listed.
const MAX_TEXTS: usize = 4;
/// Number of hash digits shown.
const HASH_DIGITS: usize = 8;

/// The selected source.
#[derive(Debug, Default)]
pub struct SourcesData {
    /// The details; `None` if no source is selected.
    pub detail: Option<SourceDetail>,
    /// The revisions of the list and of the items.
    key: Option<(u64, u64)>,
}

/// The details of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDetail {
    pub name: SourceName,
    /// Its path with hidden characters escaped: the folder with a slash, and the file.
    pub path: (String, String),
    pub status: ItemStatus,
    /// What happened, and its consequence.
    pub explanation: (String, String),
    /// The files that contain its text, if it moved.
    pub places: Vec<SourcePlace>,
    /// The edit that writes the chosen path.
    pub rewrite: Option<PathRewrite>,
    /// Number of recordings that can be restamped.
    pub restampable: usize,
    /// The recordings that a request made today would not match.
    pub breaking: Vec<DocId>,
    /// Whether there is a change to show.
    pub is_changed: bool,
    /// The recorded source texts, latest first.
    pub recorded_hashes: Vec<HashLine>,
    /// Number of texts that are not listed.
    pub more: usize,
    pub current_hash: Option<HashLine>,
    /// Its recordings, folder by folder.
    pub recordings: Vec<DocId>,
    /// The library filter for these recordings.
    pub filter: String,
}

/// A file that contains the text of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The path from the project root.
    pub path: Box<str>,
    /// How many recordings have their text there.
    pub detail: String,
    /// Whether it is the chosen one.
    pub chosen: bool,
}

/// A line before and after the edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRewrite {
    /// The place: `line 38, the same in each of 4`.
    pub detail: String,
    /// Number of recordings to write: those of the chosen file.
    pub count: usize,
    /// Both lines, in parts with whether they change; `None` until a file is chosen.
    pub lines: Option<[Vec<(String, bool)>; 2]>,
}

/// A text by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashLine {
    /// The first digits.
    pub short: String,
    pub whole: String,
    /// A description.
    pub detail: String,
}

impl SourcesData {
    /// Updates the data from the workbench, if something changed.
    pub fn update(&mut self, workbench: &Workbench) {
        let (desk, library) = (&workbench.problems.sources, &workbench.core.library);
        let key = (desk.revision, library.items_revision);
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
        let breaks = |doc: &DocId| status(doc) == Some(ItemStatus::StaleBreaks);
        let then = recorded_hashes(items());
        let quoted = row.name.file.replace('\\', "\\\\").replace('"', "\\\"");
        Self {
            name: row.name.clone(),
            path: split_path(library.shown_path(&row.name.file)),
            status: row.status,
            explanation: describe::explain(row, library),
            places: places(desk, row),
            rewrite: rewrite(desk, row, items()),
            restampable: row.restampable,
            breaking: row.recordings.iter().copied().filter(breaks).collect(),
            is_changed: SuggestedFix::best_for(row) == Some(SuggestedFix::ThenAndNow),
            more: then.len().saturating_sub(MAX_TEXTS),
            recorded_hashes: then.into_iter().take(MAX_TEXTS).collect(),
            current_hash: current_hash(row, library),
            recordings: row.recordings.clone(),
            filter: format!("source:\"{quoted}\""),
        }
    }
}

/// Splits a path into its folder with a slash, and the file, with hidden characters escaped.
pub(super) fn split_path(path: &str) -> (String, String) {
    let at = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let (folder, file) = path.split_at(at);
    (visible(folder).into_owned(), visible(file).into_owned())
}

fn places(desk: &SourcesDesk, row: &SourceRow) -> Vec<SourcePlace> {
    let chosen = desk.place_of(row);
    let all = row.recordings.len();
    let place = |path: &str, count: usize| SourcePlace {
        path: path.into(),
        detail: match count {
            count if count == all => "contains the text of all recordings".to_owned(),
            count => format!("contains the text of {} of {}", thousands(count), thousands(all)),
        },
        chosen: chosen == Some(path),
    };
    let places = row.places.iter();
    places.map(|(path, count)| place(path, *count)).collect()
}

fn rewrite<'a>(
    desk: &SourcesDesk,
    row: &SourceRow,
    items: impl Iterator<Item = &'a Item>,
) -> Option<PathRewrite> {
    if row.places.is_empty() {
        return None;
    }
    let place = desk.place_of(row);
    let count = place.and_then(|place| row.places.get(place).copied()).unwrap_or(row.renamed);
    let renamed = items.filter_map(|item| {
        let source = item.source.as_ref()?;
        matches!(source.found, SourceFinding::Renamed(_)).then_some(source.file_mark)?
    });
    let mut lines: Vec<u32> = renamed.map(|mark: ValueMark| mark.place.line).collect();
    lines.dedup();
    let detail = match (lines.as_slice(), count) {
        ([line], 1) => format!("line {line}"),
        ([line], count) => format!("line {line}, the same in each of {}", thousands(count)),
        (_, count) => format!("in each of {}", thousands(count)),
    };
    let line = |path: &str| {
        let value = json::quote(path);
        visible(&format!("\"sourceFile\": {value}")).into_owned()
    };
    let lines = place.map(|place| {
        let (then, now) = (line(&row.name.file), line(place));
        let (gone, new) = marks(&then, &now);
        [pieces(&then, &gone), pieces(&now, &new)]
    });
    Some(PathRewrite { detail, count, lines })
}

/// Splits a line into parts, each with whether it is marked.
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
    filled.map(|(text, marked)| (text.to_owned(), marked)).collect()
}

/// Returns the recorded source texts, latest first.
fn recorded_hashes<'a>(items: impl Iterator<Item = &'a Item>) -> Vec<HashLine> {
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
        let on = last.map_or_else(String::new, |last| format!(" {}", dates::day_of_iso(last)));
        let words = if only {
            format!("recorded{on}")
        } else {
            format!("{} recorded, last{on}", thousands(count))
        };
        HashLine::new(hash, words)
    };
    texts.into_iter().map(line).collect()
}

fn current_hash(row: &SourceRow, library: &Library) -> Option<HashLine> {
    let source = library.get(row.first)?.source.as_ref()?;
    let (present, words): (&PresentSource, &str) = match &source.found {
        SourceFinding::Fresh(present) => (present, "equal"),
        SourceFinding::LineEndings(present) => (present, "other line endings, otherwise equal"),
        SourceFinding::Stale(present) => (present, "different text"),
        SourceFinding::Renamed(places) => match (places.first()?, places.len()) {
            (moved, 1) if !moved.same_text => (&moved.now, "different text, in another place"),
            (moved, _) if !moved.same_text => (&moved.now, "different text, in other places"),
            (moved, 1) => (&moved.now, "equal, in another place"),
            (moved, _) => (&moved.now, "equal, in other places"),
        },
        SourceFinding::Unstamped | SourceFinding::Missing(_) | SourceFinding::Outside(_) => {
            return None;
        }
    };
    Some(HashLine::new(&present.hash, words.to_owned()))
}

impl HashLine {
    fn new(hash: &str, words: String) -> Self {
        let whole = visible(hash).into_owned();
        Self { short: whole.chars().take(HASH_DIGITS).collect(), whole, detail: words }
    }
}

#[cfg(test)]
mod tests {
    use crate::workbench::ProblemsAction;
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::format::FileKind;
    use crate::ops::ItemFacts;
    use crate::ops::source::{MovedSource, SourceState};
    use crate::text::{Place, Span};
    use crate::workbench::{
        Action, Command, EngineEvent, ProjectInfo, ReadProgress, Remembered, SourceAction,
    };

    fn present(path: &str, text: &str) -> Arc<PresentSource> {
        Arc::new(PresentSource::from_bytes(path, text.as_bytes(), true))
    }

    /// Opens recordings with sources in these states, with whether each breaks.
    fn opened(found: Vec<(&str, SourceFinding, Option<bool>)>) -> Workbench {
        let item = |(at, (file, found, affected)): (usize, (&str, SourceFinding, Option<bool>))| {
            let hash = crate::ops::source::content_hash(b"a\nb\n");
            let place = Place { line: 38, column: 19 };
            let span = Span::new(0, 0);
            let source = SourceState {
                affected,
                breaks_at: affected.filter(|it| *it).map(|_| "classify".into()),
                file_mark: Some(ValueMark { span, place }),
                ..SourceState::new(Some(file.into()), Some(hash.into()), found)
            };
            Arc::new(Item::from(ItemFacts {
                kind: FileKind::Recording,
                recorded_at: Some(format!("2026-03-{:02}T08:00:00Z", at + 1).into()),
                source: Some(source.into()),
                ..ItemFacts::new(&format!("set/{at}.json"))
            }))
        };
        let mut workbench = Workbench::new(Remembered::default());
        let (generation, progress) = (1, ReadProgress::default());
        let project = ProjectInfo::default();
        let items = found.into_iter().enumerate().map(item).collect();
        for event in [
            EngineEvent::ScanStarted { generation, project },
            EngineEvent::ItemsFound { generation, items },
            EngineEvent::ScanEnded { generation, progress, cancelled: false },
        ] {
            workbench.receive(event);
        }
        act(&mut workbench, Action::Run(Command::GoSources));
        workbench
    }

    fn act(workbench: &mut Workbench, action: Action) {
        let _ = workbench.apply(action);
        workbench.refresh();
    }

    fn all() -> Workbench {
        let both = ["m/a/route.dy", "m/b/route.dy"]
            .map(|path| MovedSource::unchanged(present(path, "a\nb\n")));
        opened(vec![
            ("m/triage.dy", SourceFinding::Stale(present("m/triage.dy", "c")), Some(true)),
            ("m/triage.dy", SourceFinding::Stale(present("m/triage.dy", "c")), None),
            ("m/gone.dy", SourceFinding::Missing(None), None),
            ("m/route.dy", SourceFinding::Renamed(both.into()), None),
            (
                "m/lost.dy",
                SourceFinding::Renamed(
                    [MovedSource::unchanged(present("m/parcel/lost.dy", "a\nb\n"))].into(),
                ),
                None,
            ),
            ("m/ends.dy", SourceFinding::LineEndings(present("m/ends.dy", "a\r\nb\r\n")), None),
            ("../out.dy", SourceFinding::Outside("It is outside".into()), None),
            ("m/fresh.dy", SourceFinding::Fresh(present("m/fresh.dy", "a\nb\n")), None),
        ])
    }

    #[test]
    fn each_row_shows_the_state_of_its_source_and_the_fix() {
        let workbench = all();
        let desk = &workbench.problems.sources;
        let mut text = String::new();
        for row in (0..desk.listed()).filter_map(|at| desk.row(at)) {
            let describe::AffectedCounts { breaks, rest } = describe::AffectedCounts::from_row(row);
            let fix = SuggestedFix::best_for(row).map_or_else(String::new, SuggestedFix::label);
            let short = describe::short_status(row, &workbench.core.library);
            let (heading, body) = describe::explain(row, &workbench.core.library);
            let file = &row.name.file;
            let _ = writeln!(text, "{file}: {short}; {breaks}{rest} [{fix}]");
            let _ = writeln!(text, "  {heading} {body}");
        }
        insta::assert_snapshot!(text, @"
        m/triage.dy: changed since 1 Mar 2026, breaks at classify; 1 breaks, 1 unknown [Compare versions]
          The source has changed, and 1 recording breaks. A request made today offers other tools at classify.
        m/gone.dy: not in the tree; 1 unknown [Compare versions]
          The source does not exist. No file of the project has the text that was recorded.
        ../out.dy: It is outside; 1 unknown []
          The source is not read. It is outside.
        m/lost.dy: now m/parcel/lost.dy; None breaks [Update path…]
          The file has moved, its text has not changed. The recorded text is now in m/parcel/lost.dy.
        m/route.dy: the same text is in 2 other places; None breaks [Choose place…]
          The file has moved, its text has not changed. The recorded text is in 2 other places. Choose the one that these recordings belong to.
        m/ends.dy: CRLF now, LF when recorded, otherwise equal; None breaks [Restamp 1…]
          Only the line endings have changed. Lines end in CRLF now, and ended in LF when this was recorded. If git changed them on checkout, an entry in .gitattributes prevents that.
        m/fresh.dy: unchanged since 8 Mar 2026; None []
          The source is as it was recorded.
        ");
    }

    #[test]
    fn the_new_line_is_shown_once_a_place_is_chosen() {
        let mut workbench = all();
        let name = |workbench: &Workbench| {
            let sources = &workbench.core.list.listing.orders.sources;
            let mut rows = sources.rows.iter();
            let row = rows.find(|row| row.places.len() == 2).unwrap();
            row.name.clone()
        };
        let name = name(&workbench);
        act(
            &mut workbench,
            Action::from(ProblemsAction::Sources(SourceAction::Select(name.clone()))),
        );
        let mut data = SourcesData::default();
        data.update(&workbench);
        let detail = data.detail.as_ref().unwrap();
        assert!(detail.places.iter().all(|place| !place.chosen));
        assert_eq!(detail.rewrite.as_ref().unwrap().lines, None);

        let place = Box::from("m/b/route.dy");
        act(
            &mut workbench,
            Action::from(ProblemsAction::Sources(SourceAction::Choose(name, place))),
        );
        data.update(&workbench);
        let detail = data.detail.as_ref().unwrap();
        let rewrite = detail.rewrite.as_ref().unwrap();
        let [then, now] = rewrite.lines.as_ref().unwrap().each_ref().map(|line| {
            let piece = |(text, marked): &(String, bool)| {
                if *marked { format!("[{text}]") } else { text.clone() }
            };
            line.iter().map(piece).collect::<String>()
        });
        insta::assert_snapshot!(format!("{}\n{then}\n{now}", rewrite.detail), @r#"
        line 38
        "sourceFile": "m/route.dy"
        "sourceFile": "m/[b/]route.dy"
        "#);
        let details: Vec<&str> = detail
            .recorded_hashes
            .iter()
            .chain(&detail.current_hash)
            .map(|line| line.detail.as_str())
            .collect();
        assert_eq!(details, ["recorded 4 Mar 2026", "equal, in other places"]);
        assert_eq!(detail.filter, "source:\"m/route.dy\"");
    }
}
