//! What is wrong in the project, over all desks, and the action of each finding.

use std::path::Path;

use crate::workbench::ProblemsAction;
use crate::workbench::action::Action;
use crate::workbench::core::findings::{Finding, FindingKind};
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::desks::incident::{ImportAction, IncidentSource};
use crate::workbench::desks::live::LiveSide;
use crate::workbench::state::Workbench;

impl Workbench {
    /// What is wrong or waits for a decision, in the order of what it breaks.
    pub fn findings(&self) -> Vec<Finding> {
        let mut found = self.core.list.listing.orders.findings.to_vec();
        let counts = [
            (FindingKind::Waiting, self.live.queue.waiting()),
            (FindingKind::Undecided, self.review.statuses.all.undecided()),
        ];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        found.extend(counts.map(|(kind, count)| Finding {
            kind,
            count,
            place: None,
        }));
        found.sort_by_key(Finding::rank);
        found
    }

    pub(in crate::workbench) fn act_on_finding(&mut self, number: usize) {
        let Some(finding) = self.findings().into_iter().nth(number) else {
            return;
        };
        match finding.kind {
            FindingKind::Breaks { first, .. } => {
                self.act(Action::Select(first));
                self.act(Action::CompareSource(first));
            }
            FindingKind::Fixable(rule) => self.act(Action::from(ProblemsAction::Fix(rule, None))),
            FindingKind::Listed(status) => self.act(Action::ShowStatus(Some(status))),
            FindingKind::FailedRuns(doc) => {
                let item = self.core.library.get(doc);
                let root = self.core.project.as_ref().map(|project| &project.root);
                if let (Some(item), Some(root)) = (item, root) {
                    let file = Path::new(root).join(&*item.path);
                    let source = IncidentSource::Files(vec![file]);
                    self.act(Action::from(ImportAction::Read(source)));
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
