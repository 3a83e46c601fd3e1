//! Findings of the project, over all desks, and the action of each.

use std::path::Path;

use crate::{Action, DeskView, ImportAction, LiveSide, ProblemsAction, Workbench};
use document::RuleId;
use protocol::{Desk, Finding, FindingKind, IncidentSource};

impl Workbench {
    /// Returns the findings of all desks, in the order of what they break; of files, those of which the filter of the library lists one.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.core.list.listing.findings.to_vec();
        let counts = [
            (FindingKind::Waiting, self.live.queue.waiting()),
            (FindingKind::Undecided, self.review.statuses.all.undecided()),
        ];
        findings.extend(counts.into_iter().filter_map(|(kind, count)| Finding::note(kind, count)));
        findings.sort_by_key(Finding::rank);
        findings
    }

    /// Returns whether the list shows exactly what a finding counts.
    pub fn is_listed(&self, kind: &FindingKind) -> bool {
        let list = &self.core.list;
        list.verdict.is_none() && filter_of(kind).is_some_and(|filter| list.filter.trim() == filter)
    }

    pub(crate) fn act_on_finding(&mut self, kind: FindingKind) {
        match kind {
            FindingKind::Breaks { first, .. } => {
                self.act(Action::Select(first));
                self.act(Action::CompareSource(first));
            }
            FindingKind::Fixable(rule) => self.act(Action::from(ProblemsAction::Fix(rule, None))),
            FindingKind::Listed(_) | FindingKind::OrderDecides { .. } => {
                // A verdict and another filter would hide some of what the finding counts.
                self.act(Action::ShowVerdict(None));
                self.act(Action::SetFilter(filter_of(&kind).unwrap_or_default()));
            }
            FindingKind::Others => self.core.go(Desk::Problems, DeskView::List),
            FindingKind::FailedRuns(doc) => {
                let item = self.core.library.get(doc);
                let root = self.core.project.as_ref().map(|project| &project.root);
                if let (Some(item), Some(root)) = (item, root) {
                    let files = vec![Path::new(root).join(&*item.path)];
                    self.act(Action::from(ImportAction::Read(IncidentSource::Files(files))));
                }
            }
            FindingKind::Waiting => {
                self.live.side = LiveSide::Queue;
                self.core.go(Desk::Live, DeskView::List);
            }
            FindingKind::Undecided => self.core.go(Desk::Review, DeskView::List),
        }
    }
}

/// Returns the filter that lists what a finding counts; `None` for findings that do something else.
fn filter_of(kind: &FindingKind) -> Option<String> {
    match kind {
        FindingKind::Listed(status) => Some(format!("status:{}", status.as_str())),
        FindingKind::OrderDecides { .. } => {
            Some(format!("rule:{}", RuleId::CallAmbiguous.as_str()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use calls::ItemStatus;

    #[test]
    fn what_a_finding_lists_is_not_filtered_out() {
        let mut bench = Bench::open(&[("a.json", "{")]);
        bench.act(Action::SetFilter("b".to_owned()));
        let kind = FindingKind::Listed(ItemStatus::Unreadable);
        bench.act(Action::ActOnFinding(kind));
        let list = &bench.workbench.core.list;
        assert_eq!((list.verdict, &*list.filter), (None, "status:unreadable"));
        assert!(bench.workbench.is_listed(&FindingKind::Listed(ItemStatus::Unreadable)));
        bench.act(Action::SetFilter(String::new()));
        assert!(!bench.workbench.is_listed(&FindingKind::Listed(ItemStatus::Unreadable)));
    }
}
