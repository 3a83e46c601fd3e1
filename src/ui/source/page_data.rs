//! The first line of the page of a source, which is the same on all tabs.

use std::sync::Arc;

use calls::source::{SourceFinding, SourceState};
use calls::{Item, ItemStatus};
use check::change::Change;
use document::text::{counted, thousands, visible};
use machine::MachineMap;
use protocol::{DocId, SourceRow, is_renamed_to};
use widgets::theme::Tone;
use widgets::{icons, status_look};
use workbench::{Action, Library, RecordingFit, SourceChanges, TerminalAction, Workbench};

/// The first line of the page, and what names it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SourceData {
    pub(super) doc: DocId,
    /// The name of the file without its ending.
    pub(super) title: String,
    /// The path as the lists show it.
    pub(super) path: String,
    pub(super) icon: &'static str,
    pub(super) tone: Tone,
    /// The problem with its number; empty if there is none.
    pub(super) lead: String,
    /// The sentence after it; code is between backticks.
    pub(super) rest: String,
    /// Label and actions of the button; several actions are a choice, each with its name.
    pub(super) fix: Option<Fix>,
    key: DataKey,
}

/// Inputs: the recording, the revisions of the library and of the comparison, and whether the map is read.
type DataKey = (DocId, u64, u64, bool);

impl SourceData {
    /// Updates `data` from the workbench, if something changed.
    pub(super) fn update(data: &mut Option<Self>, workbench: &Workbench, doc: DocId) {
        let library = &workbench.core.library;
        let side = workbench.core.side.as_ref();
        let map = workbench.source.map();
        let revision = side.map_or(0, |side| side.revision);
        let key = (doc, library.revision, revision, map.is_some());
        if data.as_ref().is_some_and(|data| data.key == key) {
            return;
        }
        let no_changes = SourceChanges::default();
        let changes = side.map_or(&no_changes, |side| &side.source);
        *data = library.get(doc).and_then(|item| {
            let source = item.source.as_deref()?;
            let row = workbench.core.list.listing.orders.sources.of_recording(source);
            let file = source.file.as_deref().unwrap_or_default();
            let status = match (&source.found, row) {
                // Whatever else is wrong with the recording is of no interest here.
                (SourceFinding::Unstamped, _) => ItemStatus::Unstamped,
                (_, Some(row)) => row.status,
                (_, None) => item.status(),
            };
            let (icon, tone) = status_look(status);
            let first_line = match (&source.found, status) {
                (SourceFinding::Unstamped, _) => unstamped(library),
                _ if !changes.affected.of(RecordingFit::Breaks).is_empty() => broken(changes, map),
                (_, ItemStatus::Stale) => still_matching(library, changes),
                (found, _) => moved(library, (source, found), row, changes),
            };
            let (lead, rest, fix) = first_line;
            // The first line of a source that is as it was recorded has no problem.
            let (icon, tone) =
                if lead.is_empty() { (icons::CIRCLE_CHECK, Tone::Good) } else { (icon, tone) };
            let path = visible(library.shown_path(file)).into_owned();
            let title = match stem(file) {
                "" => "Source".to_owned(),
                stem => visible(stem).into_owned(),
            };
            Some(Self { doc, title, path, icon, tone, lead, rest, fix, key })
        });
    }
}

/// A problem with its number, the sentence after it, and its fix.
type FirstLine = (String, String, Option<Fix>);
/// Label and actions of a button.
type Fix = (String, Vec<(String, Action)>);

/// Describes that recordings name no source.
fn unstamped(library: &Library) -> FirstLine {
    let is_unstamped = |item: &Item| {
        item.source.as_ref().is_some_and(|source| source.found == SourceFinding::Unstamped)
    };
    let items = library.iter().filter(|(_, item)| is_unstamped(item));
    let docs: Vec<DocId> = items.map(|(doc, _)| doc).collect();
    let words = format!("Stamp {}", counted(docs.len(), "recording", "recordings"));
    let fix = one_action(format!("{words}…"), Action::Batch(Change::Stamp, docs));
    (words, " to see them here.".to_owned(), Some(fix))
}

/// Describes recordings that break: their number, the node, since when, and why.
fn broken(changes: &SourceChanges, map: Option<&MachineMap>) -> FirstLine {
    let breaking = changes.affected.of(RecordingFit::Breaks);
    let (count, total) = (thousands(breaking.len()), changes.affected.docs().count());
    let action = TerminalAction::Regenerate(breaking.to_vec());
    let fix = one_action(format!("Record {count} again…"), action.into());
    let verb = if breaking.len() == 1 { "breaks" } else { "break" };
    let lead = format!("{count} of {} {verb}", counted(total, "recording", "recordings"));
    (lead, broken_at(changes, map), Some(fix))
}

/// Describes a changed source of which no recording is known to break.
fn still_matching(library: &Library, changes: &SourceChanges) -> FirstLine {
    let fix = restamp(library, changes);
    match changes.affected.of(RecordingFit::Unknown).len() {
        0 => {
            let total = changes.affected.docs().count();
            let verb = if total == 1 { "still matches" } else { "still match" };
            let lead = format!("{} {verb}", counted(total, "recording", "recordings"));
            (lead, ", although the source has changed.".to_owned(), fix)
        }
        unknown => {
            let unknown = counted(unknown, "recording", "recordings");
            let rest = format!(", and {unknown} may not match.");
            ("The source has changed".to_owned(), rest, fix)
        }
    }
}

/// Describes a source that is elsewhere, or as it was recorded.
fn moved(
    library: &Library,
    (source, found): (&SourceState, &SourceFinding),
    row: Option<&SourceRow>,
    changes: &SourceChanges,
) -> FirstLine {
    match found {
        SourceFinding::Missing(commit) => {
            let rest = match commit {
                Some(commit) => format!(": it was deleted in `{}`.", commit.short()),
                None => ": no file has the text that was recorded.".to_owned(),
            };
            ("The source does not exist".to_owned(), rest, None)
        }
        SourceFinding::Outside(reason) => {
            ("The source is not read".to_owned(), format!(": {}.", visible(reason)), None)
        }
        SourceFinding::Renamed(_) => {
            let places = row.map(|row| moves(library, row)).unwrap_or_default();
            let rest = match &places[..] {
                [(place, _)] => format!(" to `{place}`."),
                places => format!(": its text is in {} other places.", places.len()),
            };
            let count = row.map_or(0, |row| row.renamed);
            let fix = (format!("Update the path in {}…", thousands(count)), places);
            ("The source has moved".to_owned(), rest, Some(fix))
        }
        SourceFinding::LineEndings(text) => {
            let is_lf = source.recorded_hash.as_deref() == Some(&*text.hash_lf);
            let [now, then] = if is_lf { ["CRLF", "LF"] } else { ["LF", "CRLF"] };
            let rest = format!(": {now} now, {then} when recorded.");
            let fix = restamp(library, changes);
            ("Only line endings have changed".to_owned(), rest, fix)
        }
        SourceFinding::Fresh(_) | SourceFinding::Stale(_) | SourceFinding::Unstamped => {
            let total = changes.affected.docs().count();
            let verb = if total == 1 { "matches" } else { "match" };
            let rest = format!("{} {verb}.", counted(total, "recording", "recordings"));
            (String::new(), rest, None)
        }
    }
}

/// Returns the fix of recordings that still match a source with other bytes.
fn restamp(library: &Library, changes: &SourceChanges) -> Option<Fix> {
    let can_restamp = |doc: &DocId| {
        let source = library.get(*doc).and_then(|item| item.source.as_ref());
        source.is_some_and(|source| source.can_be_restamped())
    };
    let docs: Vec<DocId> = changes.affected.docs().filter(can_restamp).collect();
    let label = format!("Restamp {}…", thousands(docs.len()));
    (!docs.is_empty()).then(|| one_action(label, Action::Batch(Change::Restamp, docs)))
}

fn one_action(label: String, action: Action) -> Fix {
    (label, vec![(String::new(), action)])
}

/// Returns the name of a file without its folder and ending. Recordings made on Windows have backslashes.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the files that have the text of a moved source, each with the action that writes its path.
fn moves(library: &Library, row: &SourceRow) -> Vec<(String, Action)> {
    let action = |place: &Arc<str>| {
        let is_there = |doc: &DocId| {
            let source = library.get(*doc).and_then(|item| item.source.as_ref());
            source.is_some_and(|source| is_renamed_to(source, place))
        };
        let docs = row.recordings.iter().copied().filter(is_there).collect();
        Action::Batch(Change::RewritePath(Arc::clone(place)), docs)
    };
    let places = row.places.keys();
    places.map(|place| (visible(library.shown_path(place)).into_owned(), action(place))).collect()
}

/// Returns where, since when and why recordings break.
fn broken_at(changes: &SourceChanges, map: Option<&MachineMap>) -> String {
    let mut text = String::new();
    let breaks = changes.affected.of(RecordingFit::Breaks).len();
    let mut nodes = changes.affected.breaks_at.iter();
    if let (Some((node, count)), None) = (nodes.next(), nodes.next())
        && *count == breaks
    {
        let all = if breaks > 1 { "all " } else { "" };
        text += &format!(", {all}at `{}`", visible(node));
    }
    if let Some(commit) = map.and_then(breaking_commit) {
        text += &format!(", since `{commit}`");
    }
    let causes = changes.causes();
    if !causes.is_empty() {
        text += ": ";
        text += &visible(&causes);
    }
    text + "."
}

/// Returns the commit that broke all recordings that break now; `None` if there were several.
fn breaking_commit(map: &MachineMap) -> Option<&str> {
    let is_broken = |call: &usize| {
        map.versions.last().is_some_and(|version| version.calls[*call].matches == Some(false))
    };
    let mut versions = map.versions.iter().filter(|version| version.broke.iter().any(is_broken));
    let (only, None) = (versions.next()?, versions.next()) else { return None };
    let count = map.versions.last()?.breaks;
    let has_all = only.broke.iter().copied().filter(|call| is_broken(call)).count() == count;
    has_all.then(|| only.commit.as_ref().map(|commit| commit.id.short())).flatten()
}
