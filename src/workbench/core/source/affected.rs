//! The recordings affected by a change of their source.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::core::library::Library;
use calls::{Item, ItemStatus};
use document::text::{counted, listed};
use protocol::DocId;

/// The recordings made from one source, by their state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffectedRecordings {
    /// The states with their counts, worst first.
    pub by_fit: Vec<(RecordingFit, usize)>,
    /// Recordings of a stale source that a request made today would still match.
    pub still_match: Vec<DocId>,
    /// Recordings that a request made today would not match.
    pub breaking: Vec<DocId>,
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
    fn from_item(item: &Item) -> Self {
        let is_affected = item.source.as_ref().and_then(|source| source.affected);
        match (item.status(), is_affected) {
            (ItemStatus::StaleBreaks, _) => Self::Breaks,
            (ItemStatus::Stale, Some(false)) => Self::Matches,
            (ItemStatus::Stale, _) => Self::Unknown,
            (status, _) => Self::Other(status),
        }
    }

    /// Returns the label for a count: `break`, `still match`.
    pub fn label(self, count: usize) -> String {
        match (self, count) {
            (Self::Breaks, 1) => "breaks".to_owned(),
            (Self::Breaks, _) => "break".to_owned(),
            (Self::Unknown, _) => "unknown".to_owned(),
            (Self::Matches, 1) => "still matches".to_owned(),
            (Self::Matches, _) => "still match".to_owned(),
            (Self::Other(status), _) => status.label().to_lowercase(),
        }
    }

    /// Returns the label with its reason.
    pub fn describe(self, count: usize) -> String {
        let words = self.label(count);
        match self {
            Self::Breaks => words + ": a request made today offers other tools",
            Self::Unknown => words + ": the request made today is unknown",
            Self::Matches => words + ", and can be restamped",
            Self::Other(_) => words,
        }
    }
}

impl AffectedRecordings {
    /// Collects every recording that names `file`. `hash` is that of the text whose changes are shown.
    pub fn collect(library: &Library, file: &str, hash: Option<&str>) -> Self {
        let mut counts: BTreeMap<RecordingFit, usize> = BTreeMap::new();
        let mut affected = Self::default();
        for (doc, item) in library.iter() {
            let Some(source) = &item.source else { continue };
            // No source has an empty name.
            if file.is_empty() || source.file.as_deref() != Some(file) {
                continue;
            }
            let fit = RecordingFit::from_item(item);
            *counts.entry(fit).or_default() += 1;
            if !matches!(fit, RecordingFit::Other(_)) {
                affected.stale.push(doc);
                let tools = item.signature.iter().flat_map(|s| &s.tool_names);
                // Two edges to one node offer a tool twice.
                for tool in tools.collect::<BTreeSet<_>>() {
                    *affected.offering.entry(tool.clone()).or_default() += 1;
                }
            }
            match fit {
                RecordingFit::Matches => affected.still_match.push(doc),
                RecordingFit::Breaks => affected.breaking.push(doc),
                RecordingFit::Unknown | RecordingFit::Other(_) => {}
            }
            // The shown changes are those since this text; recordings of another text may break because of other changes.
            let same_text = source.recorded_hash.as_deref() == hash;
            if let (RecordingFit::Breaks, Some(node), true) = (fit, &source.breaks_at, same_text) {
                *affected.breaks_at.entry(node.clone()).or_default() += 1;
            }
        }
        affected.by_fit = counts.into_iter().collect();
        affected
    }

    /// Returns the number of recordings.
    pub fn count(&self) -> usize {
        self.by_fit.iter().map(|(_, count)| count).sum()
    }

    /// Returns how many recordings break.
    pub fn breaks(&self) -> usize {
        // The list is sorted, and breaking recordings are the worst.
        match self.by_fit.first() {
            Some((RecordingFit::Breaks, count)) => *count,
            _ => 0,
        }
    }

    /// Returns a summary: `7 recordings: 3 break and 4 still match`.
    pub fn summary(&self) -> String {
        let parts: Vec<String> = self
            .by_fit
            .iter()
            .map(|(fit, count)| format!("{count} {}", fit.label(*count)))
            .collect();
        let total = counted(self.count(), "recording", "recordings");
        if parts.is_empty() { total } else { format!("{total}: {}", listed(&parts)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_breaking_recordings() {
        let recordings = |fit: &[(RecordingFit, usize)]| AffectedRecordings {
            by_fit: fit.to_vec(),
            ..AffectedRecordings::default()
        };
        let sentences = [
            recordings(&[(RecordingFit::Breaks, 3), (RecordingFit::Matches, 4)]),
            recordings(&[
                (RecordingFit::Breaks, 1),
                (RecordingFit::Unknown, 2),
                (RecordingFit::Matches, 1),
                (RecordingFit::Other(ItemStatus::Fresh), 1),
            ]),
            recordings(&[(RecordingFit::Matches, 1)]),
            recordings(&[]),
        ]
        .map(|recordings| recordings.summary());
        insta::assert_snapshot!(sentences.join("\n"), @r"
        7 recordings: 3 break and 4 still match
        5 recordings: 1 breaks, 2 unknown, 1 still matches and 1 fresh
        1 recording: 1 still matches
        0 recordings
        ");
    }
}
