//! Applies decisions to the files: planned first, written as one step of the journal, and undone as one step.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{DecisionStatus, ReviewDesk};
use crate::{Core, Effect, JournalEntry, Overlay};
use compare::review::{Applied, LineCounts, PairKey, PlannedWrite, ReviewVerdict, WritePlan};
use document::Severity;
use document::text::counted;
use protocol::{PlanReview, ReviewBase, WriteReview};

impl ReviewDesk {
    pub(super) fn propose_apply(&mut self, core: &mut Core) {
        // A plan of earlier decisions must not be applied.
        self.plan = None;
        core.overlay = self.may_write().then_some(Overlay::ReviewApply);
        core.request(Effect::run(PlanReview {
            review: Arc::clone(&self.review),
            decisions: self.decisions.clone(),
            origin: self.base.origin(),
        }));
    }

    /// Whether decisions may change files. What is accepted is in its file already, except a pending recording, which replaces one.
    fn may_write(&self) -> bool {
        let count = |status| self.statuses.all.count(status);
        let states = [DecisionStatus::NoiseKept, DecisionStatus::Rejected, DecisionStatus::Partial];
        self.base == ReviewBase::Sidecars || states.into_iter().any(|status| count(status) > 0)
    }

    pub(super) fn on_planned(
        &mut self,
        core: &mut Core,
        plan: Result<(Arc<WritePlan>, LineCounts), String>,
    ) {
        match plan {
            Ok((plan, lines)) => {
                for (pair, _) in &plan.refused {
                    if self.decisions.verdict(pair) == Some(&ReviewVerdict::KeepNoise) {
                        // The old noise of the pair cannot be kept, so the user has to decide again.
                        self.decisions.withdraw(pair);
                    }
                }
                if !plan.refused.is_empty() {
                    self.update_statuses();
                    self.save_decisions(core);
                }
                let writes_nothing =
                    plan.writes.is_empty() && plan.refused.is_empty() && !plan.settled.is_empty();
                (self.plan, self.plan_lines) = (Some(plan), lines);
                // Else the user has closed the dialog meanwhile.
                let is_awaited = core.overlay == Some(Overlay::ReviewApply)
                    || core.overlay.is_none() && !self.may_write();
                // Without a file that changes, there is nothing to confirm.
                if is_awaited && writes_nothing {
                    self.apply_decisions(core);
                } else if is_awaited {
                    core.overlay = Some(Overlay::ReviewApply);
                }
            }
            Err(reason) => core.close_failed(Overlay::ReviewApply, &reason),
        }
    }

    /// Writes the planned files, unless one of them has unsaved edits.
    pub(super) fn apply_decisions(&mut self, core: &mut Core) {
        let Some(plan) = self.plan.take() else { return };
        core.overlay = None;
        let is_written = |path: &str| plan.writes.iter().any(|write| **write.step.path() == *path);
        if let Some(item) = core.library.unsaved_among(is_written) {
            let path = item.root_path();
            let text = format!(
                "{path} has unsaved edits, so nothing was written. Save or revert it first."
            );
            return core.refuse(Severity::Warning, text);
        }
        for pair in &plan.settled {
            self.decisions.set_applied(pair, Some(Applied::from_sha256(pair.new.clone())));
        }
        self.save_decisions(core);
        if plan.writes.is_empty() {
            let decisions = counted(plan.settled.len(), "decision", "decisions");
            core.notify(Severity::Note, format!("Applied {decisions}: no file needed a change."));
        } else {
            self.applying = Some(plan.settled.clone());
            core.request(Effect::run(WriteReview { writes: plan.writes.clone().into() }));
        }
        self.update_statuses();
    }

    /// Handles the result of writing files. Adds a journal step unless it was an undo or a redo.
    pub(super) fn on_written(
        &mut self,
        core: &mut Core,
        writes: Vec<PlannedWrite>,
        failures: &[(PairKey, String)],
    ) {
        // Undo and redo write files, too, and already have a step.
        let settled_pairs = std::mem::take(&mut self.applying);
        let is_new = settled_pairs.is_some();
        let is_failed = |pair: &PairKey| failures.iter().any(|(other, _)| other == pair);
        let pairs: BTreeSet<&PairKey> = writes.iter().map(|write| &write.pair).collect();
        let written_count = pairs.iter().filter(|pair| !is_failed(pair)).count();
        let decisions = written_count + settled_pairs.as_ref().map_or(0, Vec::len);
        let decisions = counted(decisions, "decision", "decisions");
        for write in writes.iter().filter(|write| !is_failed(&write.pair)) {
            if let Some(applied) = write.applied() {
                // After an undo, the decision waits to be applied again.
                let applied = Some(applied).filter(|_| is_new || !core.journal.is_undo(write));
                self.decisions.set_applied(&write.pair, applied);
            }
        }
        match settled_pairs {
            Some(settled_pairs) => {
                // Entries of these pairs belong to undone steps, which can no longer be redone.
                self.settled.retain(|first, _| !pairs.contains(first));
                if let Some(first) = pairs.first() {
                    self.settled.insert((*first).clone(), settled_pairs);
                }
            }
            None => self.mark_settled(core, &writes),
        }
        if let Some((pair, reason)) = failures.first() {
            let text = match failures.len() {
                1 => format!("{} was not written: {reason}.", pair.path),
                count => format!("{count} files were not written. First: {}: {reason}.", pair.path),
            };
            core.notify(Severity::Error, text);
        }
        if !writes.is_empty() && is_new {
            let files = counted(writes.len(), "file", "files");
            core.journal.record(JournalEntry {
                name: format!("Apply {decisions}"),
                changes: Vec::new(),
                writes: writes.into(),
            });
            core.notify_undoable(Severity::Note, format!("Applied {decisions}: wrote {files}."));
        }
        // The files that were compared have changed.
        self.is_dirty = true;
        self.update_statuses();
        self.save_decisions(core);
    }

    /// Marks the decisions that needed no change of a file as undone or done, together with those of their step.
    fn mark_settled(&mut self, core: &Core, writes: &[PlannedWrite]) {
        for write in writes {
            let is_undo = core.journal.is_undo(write);
            for pair in self.settled.get(&write.pair).into_iter().flatten() {
                let applied = Applied::from_sha256(pair.new.clone());
                self.decisions.set_applied(pair, Some(applied).filter(|_| !is_undo));
            }
        }
    }

    pub(super) fn update_statuses(&mut self) {
        self.statuses = super::status::DecisionStatuses::new(&self.review, &self.decisions);
    }
}
