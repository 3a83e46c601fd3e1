//! Describes the state of a source.

use calls::ItemStatus;
use calls::source::SourceFinding;
use document::text::{counted, listed, thousands, visible};
use protocol::SourceRow;
use widgets::dates;
use workbench::Library;

/// Maximum number of nodes that are named.
const MAX_NAMED_NODES: usize = 3;

/// Counts of recordings that break or may break: `9 break` and `2 unknown`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AffectedCounts {
    /// The breaking recordings; empty for none.
    pub(super) breaks: String,
    /// The other recordings.
    pub(super) rest: String,
}

/// The fix that the first button of a source runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SuggestedFix {
    /// Compare the old and the current text.
    ThenAndNow,
    /// Choose one of several places.
    Choose,
    /// Rewrite its path.
    Repath,
    /// Restamp this many recordings.
    Restamp(usize),
}

impl AffectedCounts {
    pub(super) fn from_row(row: &SourceRow) -> Self {
        let (breaks, unknown) = (row.fits.breaks, row.fits.unknown);
        let rest = match (breaks, unknown) {
            // If the source is unchanged, nothing can break, which needs no word.
            (0, 0) if row.status == ItemStatus::Fresh => "None".to_owned(),
            (0, 0) => "None breaks".to_owned(),
            (0, unknown) => format!("{} unknown", thousands(unknown)),
            (_, 0) => String::new(),
            (_, unknown) => format!(", {} unknown", thousands(unknown)),
        };
        let breaks = match breaks {
            0 => String::new(),
            1 => "1 breaks".to_owned(),
            count => format!("{} break", thousands(count)),
        };
        Self { breaks, rest }
    }
}

impl SuggestedFix {
    /// Returns the best fix; `None` if nothing needs fixing.
    pub(super) fn best_for(row: &SourceRow) -> Option<Self> {
        match (row.status, row.places.len()) {
            // A source outside of the project is not read, so nothing is known to fix.
            (ItemStatus::Fresh | ItemStatus::Outside, _) => None,
            (ItemStatus::LineEnds, _) => Some(Self::Restamp(row.restampable)),
            (ItemStatus::Renamed, 1) => Some(Self::Repath),
            // A changed source may have moved as well; versions are compared only once its place is known.
            (ItemStatus::Renamed | ItemStatus::StaleBreaks | ItemStatus::Stale, 2..) => {
                Some(Self::Choose)
            }
            _ => Some(Self::ThenAndNow),
        }
    }

    pub(super) fn label(self) -> String {
        match self {
            Self::ThenAndNow => "Compare versions".to_owned(),
            Self::Choose => "Choose place…".to_owned(),
            Self::Repath => "Update path…".to_owned(),
            Self::Restamp(count) => format!("Restamp {}…", thousands(count)),
        }
    }
}

/// Returns the short status below the path of a source in the list.
pub(super) fn short_status(row: &SourceRow, library: &Library) -> String {
    let day = row.recorded_at.as_deref().map(dates::day_of_iso);
    let age = day.map_or_else(String::new, |day| format!(" since {day}"));
    let place_prefix = match places(row).as_slice() {
        [] => String::new(),
        [place] => format!("now {place}, "),
        places => format!("continues in {} other places, ", places.len()),
    };
    match row.status {
        ItemStatus::StaleBreaks => match nodes(row) {
            nodes if nodes.is_empty() => format!("{place_prefix}changed{age}"),
            nodes => format!("{place_prefix}changed{age}, breaks at {nodes}"),
        },
        ItemStatus::Stale => format!("{place_prefix}changed{age}"),
        ItemStatus::SourceGone => match deleted_in(row, library) {
            Some(commit) => format!("not in the tree, deleted in commit {commit}"),
            None => "not in the tree".to_owned(),
        },
        ItemStatus::Outside => reason(row, library),
        ItemStatus::Renamed => match places(row).as_slice() {
            [place] => format!("now {place}"),
            places => format!("the same text is in {} other places", places.len()),
        },
        ItemStatus::LineEnds => {
            let (new_ends, old_ends) = line_ends(row, library);
            format!("{new_ends} now, {old_ends} when recorded, otherwise equal")
        }
        _ => format!("unchanged{age}"),
    }
}

/// Returns what happened, in a sentence, and its consequence.
pub(super) fn explain(row: &SourceRow, library: &Library) -> (String, String) {
    let (heading, body) = match row.status {
        ItemStatus::StaleBreaks => {
            let heading = match row.fits.breaks {
                1 => "The source has changed, and 1 recording breaks.".to_owned(),
                count => {
                    let count = thousands(count);
                    format!("The source has changed, and {count} recordings break.")
                }
            };
            let body = match nodes(row) {
                nodes if nodes.is_empty() => "A request made today would not match them.".into(),
                nodes => format!("A request made today offers other tools at {nodes}."),
            };
            return (heading, body);
        }
        // Only if every recording was compared; one unknown would make the sentence a guess.
        ItemStatus::Stale if row.fits.unknown == 0 => (
            "The source has changed, and nothing breaks.",
            "A request made today would still match every recording.".to_owned(),
        ),
        ItemStatus::Stale => (
            "The source has changed.",
            "It is unknown for some recordings whether a request made today would still match."
                .to_owned(),
        ),
        ItemStatus::SourceGone => (
            "The source does not exist.",
            match deleted_in(row, library) {
                Some(commit) => format!("It was deleted in commit {commit}."),
                None => "No file of the project has the text that was recorded.".to_owned(),
            },
        ),
        ItemStatus::Outside => {
            let reason = reason(row, library);
            ("The source is not read.", format!("{reason}."))
        }
        ItemStatus::Renamed => {
            let body = match places(row).as_slice() {
                [place] => format!("The recorded text is now in {place}."),
                places => format!(
                    "The recorded text is in {} other places. Choose the one that these recordings belong to.",
                    places.len()
                ),
            };
            ("The file has moved, its text has not changed.", body)
        }
        ItemStatus::LineEnds => {
            let (new_ends, old_ends) = line_ends(row, library);
            let body = format!(
                "Lines end in {new_ends} now, and ended in {old_ends} when this was recorded. \
                 If git changed them on checkout, an entry in .gitattributes prevents that."
            );
            ("Only the line endings have changed.", body)
        }
        _ => ("The source is as it was recorded.", String::new()),
    };
    (heading.to_owned(), body)
}

/// Returns why a recording breaks or matches.
pub(super) fn fit_reason(row: &SourceRow, source: &calls::source::SourceState) -> String {
    if let Some(reason) = &source.because {
        return visible(reason).into_owned();
    }
    match source.found {
        SourceFinding::Fresh(_) => "The source is the text that was recorded".to_owned(),
        SourceFinding::LineEndings(_) => {
            "The source is the same text except for its line endings".to_owned()
        }
        SourceFinding::Renamed(_) if source.found.has_changed() => {
            "The source has moved and changed".to_owned()
        }
        SourceFinding::Renamed(_) => match places(row).as_slice() {
            [place] => format!("The recorded text is in {place}"),
            _ => "The recorded text is in several other places".to_owned(),
        },
        SourceFinding::Stale(_) => "The source was not compared with the recorded text".to_owned(),
        _ => "The source cannot be read".to_owned(),
    }
}

fn nodes(row: &SourceRow) -> String {
    let mut names: Vec<String> = row.breaks_at.keys().map(|node| shown(node)).collect();
    if names.len() > MAX_NAMED_NODES {
        // One name fewer makes room for the number, and *1 other node* is never shown in place of its name.
        let more = names.len() - (MAX_NAMED_NODES - 1);
        names.truncate(MAX_NAMED_NODES - 1);
        names.push(counted(more, "other node", "other nodes"));
    }
    if names.is_empty() { String::new() } else { listed(&names) }
}

fn places(row: &SourceRow) -> Vec<String> {
    row.places.keys().map(|place| shown(place)).collect()
}

fn shown(text: &str) -> String {
    visible(text).into_owned()
}

/// Returns the commit that deleted a source, if known.
fn deleted_in<'a>(row: &SourceRow, library: &'a Library) -> Option<&'a str> {
    match &library.get(row.first)?.source.as_ref()?.found {
        SourceFinding::Missing(Some(commit)) => Some(commit.short()),
        _ => None,
    }
}

/// Returns why a source is not read.
fn reason(row: &SourceRow, library: &Library) -> String {
    let item = library.get(row.first);
    match item.and_then(|item| item.source.as_ref()) {
        Some(source) if let SourceFinding::Outside(reason) = &source.found => shown(reason),
        _ => String::new(),
    }
}

/// Returns the line ends of a source now and when it was recorded.
fn line_ends(row: &SourceRow, library: &Library) -> (&'static str, &'static str) {
    let source = library.get(row.first).and_then(|item| item.source.as_ref());
    let is_lf_then = source.is_some_and(|source| match &source.found {
        // The recording has one hash: if it is that of the text with LF, it was recorded with LF.
        SourceFinding::LineEndings(text) => source.recorded_hash.as_deref() == Some(&*text.hash_lf),
        _ => false,
    });
    if is_lf_then { ("CRLF", "LF") } else { ("LF", "CRLF") }
}
