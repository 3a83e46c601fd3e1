//! The recordings affected by a change of their source.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ops::diff::{counted, listed};
use crate::ops::{Item, ItemStatus};
use crate::workbench::{DocId, Library};

/// The recordings made from one source, by their state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The states with their counts, worst first.
    pub standing: Vec<(Standing, usize)>,
    /// Recordings of a stale source that a request made today would still match.
    pub still_match: Vec<DocId>,
    /// Recordings that a request made today would not match.
    pub breaking: Vec<DocId>,
    /// Number of breaking recordings made from the same text, by node.
    pub breaks_at: BTreeMap<Arc<str>, usize>,
}

/// Whether a recording still fits its current source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A request made today would not match it.
    Breaks,
    /// It is unknown whether it would match.
    Unknown,
    /// A request made today would match it, although the source changed.
    Matches,
    /// Its source did not change, or another status takes precedence.
    Other(ItemStatus),
}

impl Standing {
    fn of(item: &Item) -> Self {
        let affected = item.source.as_ref().and_then(|source| source.affected);
        match (item.status(), affected) {
            (ItemStatus::StaleBreaks, _) => Self::Breaks,
            (ItemStatus::Stale, Some(false)) => Self::Matches,
            (ItemStatus::Stale, _) => Self::Unknown,
            (status, _) => Self::Other(status),
        }
    }

    /// Returns the label for a count: `break`, `still match`.
    pub fn words(self, count: usize) -> String {
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
    pub fn told(self, count: usize) -> String {
        let words = self.words(count);
        match self {
            Self::Breaks => words + ": a request made today offers other tools",
            Self::Unknown => words + ": the request made today is unknown",
            Self::Matches => words + ", and can be restamped",
            Self::Other(_) => words,
        }
    }
}

impl Touched {
    /// Collects every recording that names `file`. `hash` is that of the text whose changes are shown.
    pub fn of(library: &Library, file: &str, hash: Option<&str>) -> Self {
        let mut counts: BTreeMap<Standing, usize> = BTreeMap::new();
        let mut touched = Self::default();
        for (doc, item) in library.iter() {
            let Some(source) = &item.source else { continue };
            if file.is_empty() || source.file.as_deref() != Some(file) {
                continue;
            }
            let standing = Standing::of(item);
            *counts.entry(standing).or_default() += 1;
            match standing {
                Standing::Matches => touched.still_match.push(doc),
                Standing::Breaks => touched.breaking.push(doc),
                Standing::Unknown | Standing::Other(_) => {}
            }
            let same_text = source.recorded_hash.as_deref() == hash;
            if let (Standing::Breaks, Some(node), true) = (standing, &source.breaks_at, same_text) {
                *touched.breaks_at.entry(node.clone()).or_default() += 1;
            }
        }
        touched.standing = counts.into_iter().collect();
        touched
    }

    /// Returns the number of recordings.
    pub fn count(&self) -> usize {
        self.standing.iter().map(|(_, count)| count).sum()
    }

    /// Returns how many recordings break.
    pub fn breaks(&self) -> usize {
        match self.standing.first() {
            Some((Standing::Breaks, count)) => *count,
            _ => 0,
        }
    }

    /// Returns a summary: `7 recordings: 3 break and 4 still match`.
    pub fn words(&self) -> String {
        let parts: Vec<String> = self
            .standing
            .iter()
            .map(|(standing, count)| format!("{count} {}", standing.words(*count)))
            .collect();
        let all = counted(self.count(), "recording", "recordings");
        if parts.is_empty() {
            all
        } else {
            format!("{all}: {}", listed(&parts))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_breaking_recordings() {
        let touched = |standing: &[(Standing, usize)]| Touched {
            standing: standing.to_vec(),
            ..Touched::default()
        };
        let sentences = [
            touched(&[(Standing::Breaks, 3), (Standing::Matches, 4)]),
            touched(&[
                (Standing::Breaks, 1),
                (Standing::Unknown, 2),
                (Standing::Matches, 1),
                (Standing::Other(ItemStatus::Fresh), 1),
            ]),
            touched(&[(Standing::Matches, 1)]),
            touched(&[]),
        ]
        .map(|touched| touched.words());
        insta::assert_snapshot!(sentences.join("\n"), @r"
        7 recordings: 3 break and 4 still match
        5 recordings: 1 breaks, 2 unknown, 1 still matches and 1 fresh
        1 recording: 1 still matches
        0 recordings
        ");
    }
}
