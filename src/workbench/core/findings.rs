//! What is wrong in a project or waits for a decision, in the order of what it breaks.

use std::sync::Arc;

use crate::format::{RuleId, Severity};
use crate::ops::change::{fix_at, fixes};
use crate::ops::{Item, ItemStatus};
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;
use crate::workbench::core::source_list::{SourceList, SourceRow};

/// A finding: a sentence with one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// How many recordings, files, runs or requests it is about.
    pub count: usize,
    /// The folder, the source or the report in which they are, if there is only one.
    pub place: Option<Arc<str>>,
}

/// What a finding is about, and so what its action does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// Recordings that their changed source breaks: requests at these nodes no longer match. The action shows both versions, from
    /// the recording that shows most of the changes.
    Breaks { nodes: Vec<Arc<str>>, first: DocId },
    /// A rule reports them, and has a fix.
    Fixable(RuleId),
    /// Files of this status, which have no fix. The action lists them.
    Listed(ItemStatus),
    /// Runs of a report that failed. The action makes sessions of them.
    FailedRuns(DocId),
    /// Requests that wait for an answer.
    Waiting,
    /// Re-recorded files that are not decided.
    Undecided,
}

impl Finding {
    /// Files of this status without a fix.
    fn listed(status: ItemStatus, items: &[(DocId, &Item)]) -> Option<Self> {
        let has_fix = |item: &Item| item.problems.iter().any(|it| fix_at(it, item).is_some());
        let listed = items.iter().map(|(_, item)| *item);
        let listed = listed.filter(|item| item.status() == status && !has_fix(item));
        Self::about(FindingKind::Listed(status), listed)
    }

    fn about<'a>(kind: FindingKind, items: impl Iterator<Item = &'a Item>) -> Option<Self> {
        let folders: Vec<&str> = items.map(Item::folder).collect();
        let first = folders.first()?;
        let is_one = folders.iter().all(|folder| folder == first);
        Some(Self {
            kind,
            count: folders.len(),
            place: is_one.then(|| (*first).into()),
        })
    }

    fn breaks(row: &SourceRow) -> Option<Self> {
        (row.fits.breaks > 0).then(|| Self {
            kind: FindingKind::Breaks {
                nodes: row.breaks_at.keys().cloned().collect(),
                first: row.first,
            },
            count: row.fits.breaks,
            place: Some(Arc::clone(&row.name.file)),
        })
    }

    /// Its place among others: what a program waits for, what breaks, what is wrong, what could be better.
    pub(in crate::workbench) fn rank(&self) -> u8 {
        match self.kind {
            FindingKind::Waiting => 0,
            FindingKind::Breaks { .. } => 1,
            FindingKind::Fixable(rule) if rule.default_level() == Severity::Error => 2,
            FindingKind::Listed(ItemStatus::SourceGone) => 5,
            FindingKind::Listed(_) => 3,
            FindingKind::FailedRuns(_) => 4,
            FindingKind::Undecided => 6,
            FindingKind::Fixable(_) => 7,
        }
    }

    /// Its severity, for its sign.
    pub fn severity(&self) -> Severity {
        match self.kind {
            FindingKind::Breaks { .. } => Severity::Warning,
            FindingKind::Fixable(rule) => rule.default_level(),
            FindingKind::Listed(_) | FindingKind::FailedRuns(_) => Severity::Error,
            FindingKind::Waiting | FindingKind::Undecided => Severity::Note,
        }
    }
}

/// Finds what is wrong in files, the worst first.
pub(in crate::workbench) fn in_items(all: &Items, sources: &SourceList) -> Vec<Finding> {
    let items: Vec<(DocId, &Item)> = all.iter().map(|(id, item)| (id, &**item)).collect();
    let mut found: Vec<Finding> = sources.rows.iter().filter_map(Finding::breaks).collect();
    let statuses = [
        ItemStatus::Unreadable,
        ItemStatus::Incomplete,
        ItemStatus::SourceGone,
    ];
    found.extend(
        statuses
            .into_iter()
            .filter_map(|status| Finding::listed(status, &items)),
    );
    for fix in fixes() {
        let docs = fix.targets(&items, |_, _| true);
        let fixed = docs.iter().filter_map(|doc| all.get(*doc));
        let kind = FindingKind::Fixable(fix.rule);
        found.extend(Finding::about(kind, fixed.map(|item| &**item)));
    }
    let failed = items.iter().filter(|(_, item)| item.failed_runs > 0);
    found.extend(failed.map(|(doc, item)| Finding {
        kind: FindingKind::FailedRuns(*doc),
        count: item.failed_runs as usize,
        place: Some(item.label().into()),
    }));
    found.sort_by_key(Finding::rank);
    found
}
