//! The recordings affected by a change of their source.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::Library;
use calls::{Item, ItemStatus};
use document::text::{counted, natural_order, thousands};
use protocol::DocId;

/// The recordings made from one source, by their state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffectedRecordings {
    /// The states with their recordings by path, worst first.
    pub by_fit: Vec<(RecordingFit, Vec<DocId>)>,
    /// Number of breaking recordings made from the same text, by node.
    pub breaks_at: BTreeMap<Arc<str>, usize>,
    /// Recordings of a stale source.
    pub stale: Vec<DocId>,
    /// Number of them that offer a tool, by its name.
    pub offering: BTreeMap<Arc<str>, usize>,
}

/// Whether a recording still fits its current source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordingFit {
    /// A request made today would not match it.
    Breaks,
    /// It is unknown whether it would match.
    Unknown,
    /// A request made today would match it, although the source changed.
    Matches,
    /// Its source did not change, or another status takes precedence.
    Other(ItemStatus),
}

impl RecordingFit {
    /// Returns the state of a recording.
    pub(crate) fn of_item(item: &Item) -> Self {
        match (item.status(), item.source.as_ref().and_then(|source| source.affected)) {
            (ItemStatus::StaleBreaks, _) => Self::Breaks,
            (ItemStatus::Stale, Some(false)) => Self::Matches,
            (ItemStatus::Stale, _) => Self::Unknown,
            (status, _) => Self::Other(status),
        }
    }

    /// Returns the state of a recording; `None` for what has no source.
    pub fn of_doc(library: &Library, doc: DocId) -> Option<Self> {
        library.get(doc).filter(|item| item.source.is_some()).map(Self::of_item)
    }

    /// Returns the label of some recordings: `3 break`, `4 still match`.
    pub fn label(self, count: usize) -> String {
        match self {
            Self::Breaks => counted(count, "breaks", "break"),
            Self::Unknown => counted(count, "may match", "may match"),
            Self::Matches => counted(count, "still matches", "still match"),
            Self::Other(ItemStatus::Fresh) => counted(count, "matches", "match"),
            Self::Other(status) => {
                format!("{} {}", thousands(count), status.label().to_lowercase())
            }
        }
    }
}

impl AffectedRecordings {
    /// Collects every recording that names `file`. `hash` is that of the text whose changes are shown.
    pub fn collect(library: &Library, file: &str, hash: Option<&str>) -> Self {
        let mut by_fit: BTreeMap<RecordingFit, Vec<DocId>> = BTreeMap::new();
        let mut affected = Self::default();
        for (doc, item) in library.iter() {
            let Some(source) = &item.source else { continue };
            // No source has an empty name.
            if file.is_empty() || source.file.as_deref() != Some(file) {
                continue;
            }
            let fit = RecordingFit::of_item(item);
            by_fit.entry(fit).or_default().push(doc);
            if !matches!(fit, RecordingFit::Other(_)) {
                affected.stale.push(doc);
                let tools = item.signature.iter().flat_map(|s| &s.tool_names);
                // Two edges to one node offer a tool twice.
                for tool in tools.collect::<BTreeSet<_>>() {
                    *affected.offering.entry(tool.clone()).or_default() += 1;
                }
            }
            // The shown changes are those since this text; recordings of another text may break because of other changes.
            let same_text = source.recorded_hash.as_deref() == hash;
            if let (RecordingFit::Breaks, Some(node), true) = (fit, &source.breaks_at, same_text) {
                *affected.breaks_at.entry(node.clone()).or_default() += 1;
            }
        }
        for docs in by_fit.values_mut() {
            docs.sort_by(|a, b| {
                let path = |doc: &DocId| library.get(*doc).map_or("", |item| &item.path);
                natural_order(path(a), path(b))
            });
        }
        affected.by_fit = by_fit.into_iter().collect();
        affected
    }

    /// Returns all recordings, worst first.
    pub fn docs(&self) -> impl Iterator<Item = DocId> {
        self.by_fit.iter().flat_map(|(_, docs)| docs.iter().copied())
    }

    /// Returns the recordings in a state.
    pub fn of(&self, fit: RecordingFit) -> &[DocId] {
        self.by_fit.iter().find(|(other, _)| *other == fit).map_or(&[], |(_, docs)| docs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_agree_with_the_number() {
        use RecordingFit::{Breaks, Matches, Other, Unknown};
        let labels =
            [Breaks, Unknown, Matches, Other(ItemStatus::Fresh), Other(ItemStatus::Renamed)]
                .map(|fit| [1, 2].map(|count| fit.label(count)).join(", "));
        insta::assert_snapshot!(labels.join("\n"), @r"
        1 breaks, 2 break
        1 may match, 2 may match
        1 still matches, 2 still match
        1 matches, 2 match
        1 renamed, 2 renamed
        ");
    }
}
