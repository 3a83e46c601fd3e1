//! Data of the selected source. Rebuilt when the source or its input changes.

use super::describe::{self, SuggestedFix};
use calls::{Item, ItemStatus};
use document::text::{thousands, visible};
use protocol::{DocId, SourceName, SourceRow};
use workbench::{Library, SourcesDesk, Workbench};

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
    /// Two sentences: the change of the source, and its consequence for recordings.
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
    /// Sentence with the number of recordings that have their text there.
    pub detail: String,
    /// Whether it is the chosen one.
    pub chosen: bool,
}

/// The edit that writes a new path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRewrite {
    /// Number of recordings to write: those of the chosen file.
    pub count: usize,
    /// Whether a file is chosen.
    pub is_chosen: bool,
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
        let status = |doc: &DocId| library.get(*doc).map(Item::status);
        let breaks = |doc: &DocId| status(doc) == Some(ItemStatus::StaleBreaks);
        // The filter language escapes like this; the backslash first, or those of the quotes would be doubled.
        let escaped_path = row.name.file.replace('\\', "\\\\").replace('"', "\\\"");
        Self {
            name: row.name.clone(),
            path: split_path(library.shown_path(&row.name.file)),
            status: row.status,
            explanation: describe::explain(row, library),
            places: places(desk, row),
            rewrite: rewrite(desk, row),
            restampable: row.restampable,
            breaking: row.recordings.iter().copied().filter(breaks).collect(),
            is_changed: SuggestedFix::best_for(row) == Some(SuggestedFix::ThenAndNow),
            recordings: row.recordings.clone(),
            filter: format!("source:\"{escaped_path}\""),
        }
    }
}

/// Splits a path into its folder with a slash, and the file, with hidden characters escaped.
pub(super) fn split_path(path: &str) -> (String, String) {
    // Recordings made on Windows have backslashes.
    let (folder, file) = path.split_at(path.rfind(['/', '\\']).map_or(0, |index| index + 1));
    (visible(folder).into_owned(), visible(file).into_owned())
}

fn places(desk: &SourcesDesk, row: &SourceRow) -> Vec<SourcePlace> {
    let selection = desk.place_of(row);
    let total = row.recordings.len();
    let place = |path: &str, count: usize| SourcePlace {
        path: path.into(),
        detail: match count {
            count if count == total => "contains the text of all recordings".to_owned(),
            count => format!("contains the text of {} of {}", thousands(count), thousands(total)),
        },
        chosen: selection == Some(path),
    };
    let places = row.places.iter();
    places.map(|(path, count)| place(path, *count)).collect()
}

fn rewrite(desk: &SourcesDesk, row: &SourceRow) -> Option<PathRewrite> {
    let place = desk.place_of(row);
    // Recordings of one source may have moved to different files; only those of the chosen one are written.
    let count = place.and_then(|place| row.places.get(place).copied()).unwrap_or(row.renamed);
    (!row.places.is_empty()).then_some(PathRewrite { count, is_chosen: place.is_some() })
}

/// The data to paint.
pub(super) struct SourcesView<'a> {
    pub(super) desk: &'a SourcesDesk,
    pub(super) library: &'a Library,
    pub(super) detail: Option<&'a SourceDetail>,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;
    use workbench::ProblemsAction;

    use super::*;
    use calls::ItemFacts;
    use calls::source::{MovedSource, PresentSource, SourceFinding, SourceState};
    use document::FileKind;
    use protocol::{EngineEvent, ProjectInfo, ReadProgress, Remembered};
    use workbench::{Action, Command, SourceAction};

    fn present(path: &str, text: &str) -> Arc<PresentSource> {
        Arc::new(PresentSource::from_bytes(path, text.as_bytes(), true))
    }

    /// Opens recordings with sources in these states, with whether each breaks.
    fn opened(found: Vec<(&str, SourceFinding, Option<bool>)>) -> Workbench {
        let item =
            |(index, (file, found, affected)): (usize, (&str, SourceFinding, Option<bool>))| {
                let hash = calls::source::content_hash(b"a\nb\n");
                let source = SourceState {
                    affected,
                    breaks_at: affected.filter(|a| *a).map(|_| "classify".into()),
                    ..SourceState::new(Some(file.into()), Some(hash.into()), found)
                };
                Arc::new(Item::from(ItemFacts {
                    kind: FileKind::Recording,
                    recorded_at: Some(format!("2026-03-{:02}T08:00:00Z", index + 1).into()),
                    source: Some(source.into()),
                    ..ItemFacts::new(&format!("set/{index}.json"))
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
        let places = ["m/a/route.dy", "m/b/route.dy"]
            .map(|path| MovedSource::unchanged(present(path, "a\nb\n")));
        opened(vec![
            ("m/triage.dy", SourceFinding::Stale(present("m/triage.dy", "c")), Some(true)),
            ("m/triage.dy", SourceFinding::Stale(present("m/triage.dy", "c")), None),
            ("m/gone.dy", SourceFinding::Missing(None), None),
            ("m/route.dy", SourceFinding::Renamed(places.into()), None),
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
        for row in (0..desk.listed()).filter_map(|index| desk.row(index)) {
            let describe::AffectedCounts { breaks, rest } = describe::AffectedCounts::from_row(row);
            let fix = SuggestedFix::best_for(row).map_or_else(String::new, SuggestedFix::label);
            let status = describe::short_status(row, &workbench.core.library);
            let (heading, body) = describe::explain(row, &workbench.core.library);
            let file = &row.name.file;
            let _ = writeln!(text, "{file}: {status}; {breaks}{rest} [{fix}]");
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
    fn the_path_can_be_updated_once_a_place_is_chosen() {
        let mut workbench = all();
        let name = |workbench: &Workbench| {
            let mut rows = workbench.core.list.listing.orders.sources.rows.iter();
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
        assert!(!detail.rewrite.as_ref().unwrap().is_chosen);

        let place = Box::from("m/b/route.dy");
        act(
            &mut workbench,
            Action::from(ProblemsAction::Sources(SourceAction::Choose(name, place))),
        );
        data.update(&workbench);
        let detail = data.detail.as_ref().unwrap();
        assert_eq!(detail.rewrite, Some(PathRewrite { count: 1, is_chosen: true }));
        assert_eq!(detail.filter, "source:\"m/route.dy\"");
    }
}
