//! What tests send beside what was recorded.

use std::sync::Arc;

use calls::Item;
use play::drift::{DriftCause, DriftReport};
use protocol::DocId;

use crate::{Core, StepDirection};

/// The drift of the logs that were read last.
#[derive(Debug, Default)]
pub struct DriftDesk {
    /// The name of the logs.
    pub name: String,
    pub report: Option<Arc<DriftReport>>,
    /// The position of the selected cause.
    pub selected: usize,
    /// Counts the reports.
    pub revision: u64,
}

impl DriftDesk {
    /// Shows a report, and marks the cassettes that drifted.
    pub(super) fn new(
        core: &mut Core,
        name: String,
        report: Arc<DriftReport>,
        revision: u64,
    ) -> Self {
        let drifted = report.drifted_cassettes();
        let marked = core.library.iter().filter_map(|(doc, item)| {
            let is_drifted = drifted.contains(item.root_path());
            (item.is_drifted != is_drifted).then(|| {
                let mut item = Item::clone(item);
                item.is_drifted = is_drifted;
                (doc, Arc::new(item))
            })
        });
        let marked: Vec<(DocId, Arc<Item>)> = marked.collect();
        core.library.replace(marked);
        Self { name, report: Some(report), selected: 0, revision }
    }

    /// Returns the causes in their order.
    pub fn causes(&self) -> &[DriftCause] {
        self.report.as_ref().map_or(&[], |report| &report.causes)
    }

    /// Returns the selected cause with its report.
    pub fn cause(&self) -> Option<(&DriftReport, &DriftCause)> {
        let report = self.report.as_ref()?;
        Some((report, report.causes.get(self.selected)?))
    }

    pub(super) fn step(&mut self, step: StepDirection, rows: usize) {
        let count = self.causes().len();
        self.selected =
            step.target_in(Some(self.selected), rows, count).min(count.saturating_sub(1));
    }

    /// Opens the recorded call of the selected cause.
    pub(super) fn open_selected(&self, core: &mut Core) {
        let path =
            self.cause().and_then(|(report, cause)| report.example(cause)?.0.cassette.clone());
        if let Some(doc) = path.and_then(|path| core.library.find(&path)) {
            core.show(doc);
        }
    }
}
