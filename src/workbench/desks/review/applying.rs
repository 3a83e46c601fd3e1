//! Applies decisions to the files: planned first, written as one step of the journal, and undone as one step.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{PlanReview, WriteReview};
use crate::format::Severity;
use crate::ops::review::{Applied, PairKey, PlannedWrite, WritePlan};
use crate::text::counted;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::journal::JournalEntry;
use crate::workbench::core::view::Overlay;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn propose_apply(&mut self) {
        let desk = &mut self.review;
        desk.plan = None;
        desk.revision += 1;
        self.core.overlay = Some(Overlay::ReviewApply);
        let desk = &self.review;
        self.core.request(Effect::run(PlanReview {
            review: Arc::clone(&desk.review),
            decisions: desk.decisions.clone(),
            origin: desk.base.origin(),
        }));
    }

    pub(super) fn on_review_planned(&mut self, plan: Result<Arc<WritePlan>, String>) {
        match plan {
            Ok(plan) => self.review.plan = Some(plan),
            Err(reason) => self.close_failed(Overlay::ReviewApply, &reason),
        }
        self.review.revision += 1;
    }

    /// Closes a dialog that waits for what cannot be computed.
    pub(super) fn close_failed(&mut self, overlay: Overlay, reason: &str) {
        self.core.overlay = self.core.overlay.take().filter(|open| *open != overlay);
        self.core.notify(Severity::Error, format!("{reason}."));
    }

    /// Writes the planned files, unless one of them has unsaved edits.
    pub(super) fn apply_decisions(&mut self) {
        let Some(plan) = self.review.plan.take() else {
            return;
        };
        self.core.overlay = None;
        let mut unsaved = self.core.library.unsaved();
        let edited = unsaved.find_map(|(doc, _)| {
            let path = &self.core.library.get(doc)?.root_path;
            let is_written = plan.writes.iter().any(|write| write.step.path() == path);
            is_written.then(|| path.to_string())
        });
        drop(unsaved);
        if let Some(path) = edited {
            let text = format!(
                "{path} has unsaved edits, so nothing was written. Save or revert it first."
            );
            self.core.notify(Severity::Warning, text);
            return;
        }
        for pair in &plan.settled {
            let left = Applied::from_sha256(pair.new.clone());
            self.review.decisions.set_applied(pair, Some(left));
        }
        self.save_decisions();
        if plan.writes.is_empty() {
            let settled = counted(plan.settled.len(), "decision", "decisions");
            let text = format!("Applied {settled}: no file needed a change.");
            self.core.notify(Severity::Note, text);
        } else {
            self.review.applying = Some(plan.settled.len());
            let writes = plan.writes.clone().into();
            self.core.request(Effect::run(WriteReview { writes }));
        }
        self.update_statuses();
    }

    /// Handles the result of writing files. Adds a journal step unless it was an undo or a redo.
    pub(super) fn on_review_written(
        &mut self,
        done: Vec<PlannedWrite>,
        left: &[(PairKey, String)],
    ) {
        // Undo and redo write files, too, and already have a step.
        let settled = std::mem::take(&mut self.review.applying);
        let is_new = settled.is_some();
        let is_left = |pair: &PairKey| left.iter().any(|(left, _)| left == pair);
        let pairs: BTreeSet<&PairKey> = done.iter().map(|write| &write.pair).collect();
        let written = pairs.iter().filter(|pair| !is_left(pair)).count();
        let decisions = written + settled.unwrap_or_default();
        let decisions = counted(decisions, "decision", "decisions");
        for write in done.iter().filter(|write| !is_left(&write.pair)) {
            if let Some(left) = write.applied() {
                let left = Some(left).filter(|_| is_new || !self.is_undone(write));
                self.review.decisions.set_applied(&write.pair, left);
            }
        }
        if let Some((pair, reason)) = left.first() {
            let text = match left.len() {
                1 => format!("{} was not written: {reason}.", pair.path),
                many => format!(
                    "{many} files were not written. First: {}: {reason}.",
                    pair.path
                ),
            };
            self.core.notify(Severity::Error, text);
        }
        if !done.is_empty() && is_new {
            let files = counted(done.len(), "file", "files");
            self.core.notify(
                Severity::Note,
                format!("Applied {decisions}: wrote {files}."),
            );
            self.core.journal.record(JournalEntry {
                name: format!("Apply {decisions}"),
                changes: Vec::new(),
                writes: done.into(),
            });
        }
        self.review.is_dirty = true;
        self.update_statuses();
        self.save_decisions();
    }

    /// Whether a write undoes a decision.
    fn is_undone(&self, write: &PlannedWrite) -> bool {
        let back = write.inverse();
        let steps = self.core.journal.steps.iter();
        steps
            .flat_map(|step| &*step.writes)
            .any(|other| Some(other) == back.as_ref())
    }

    pub(super) fn update_statuses(&mut self) {
        let desk = &mut self.review;
        desk.statuses = super::status::DecisionStatuses::new(&desk.review, &desk.decisions);
        desk.revision += 1;
    }
}
