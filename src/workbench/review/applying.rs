//! What was decided, written to the files: shown first, one step of the journal, and taken back as one.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ReviewEffect, Shared};
use crate::format::Severity;
use crate::ops::diff::counted;
use crate::ops::review::{Applied, PairKey, Plan, Write};
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::journal::Entry;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn propose_apply(&mut self) -> Vec<Effect> {
        let desk = &mut self.review;
        desk.plan = None;
        desk.revision += 1;
        self.overlay = Some(Overlay::ReviewApply);
        let desk = &self.review;
        let decisions = Shared::from(desk.decisions.clone());
        let plan = ReviewEffect::Plan(desk.review.clone(), decisions, desk.against.origin());
        vec![Effect::Review(plan)]
    }

    pub(super) fn planned_review(&mut self, plan: Arc<Plan>) {
        self.review.plan = Some(plan);
        self.review.revision += 1;
    }

    /// Has what is shown written, unless a file of it holds edits that would be lost.
    pub(super) fn apply_decisions(&mut self) -> Vec<Effect> {
        let Some(plan) = self.review.plan.take() else {
            return Vec::new();
        };
        self.overlay = None;
        let mut unsaved = self.library.unsaved();
        let edited = unsaved.find_map(|(doc, _)| {
            let path = &self.library.get(doc)?.root_path;
            let is_written = plan.writes.iter().any(|write| write.path == *path);
            is_written.then(|| path.to_string())
        });
        drop(unsaved);
        if let Some(path) = edited {
            let text = format!(
                "{path} holds edits that are not saved, so nothing was written. Save or revert it first."
            );
            self.notify(Severity::Warning, text);
            return Vec::new();
        }
        for pair in &plan.settled {
            let left = Applied::of(pair.new.clone());
            self.review.decisions.applied(pair, Some(left));
        }
        let mut effects = self.keep_decisions();
        if plan.writes.is_empty() {
            let settled = counted(plan.settled.len(), "decision", "decisions");
            let text = format!("Applied {settled}: every file is as decided already.");
            self.notify(Severity::Note, text);
        } else {
            self.review.applying = Some(plan.settled.len());
            let write = ReviewEffect::Write(plan.writes.clone().into());
            effects.push(Effect::Review(write));
        }
        self.renew_marks();
        effects
    }

    /// Takes what became of files: a step of the journal, unless it was one already.
    pub(super) fn written(&mut self, done: Vec<Write>, left: &[(PairKey, String)]) -> Vec<Effect> {
        // Undo and redo write, too, and are steps already.
        let settled = std::mem::take(&mut self.review.applying);
        let is_new = settled.is_some();
        let is_left = |pair: &PairKey| left.iter().any(|(left, _)| left == pair);
        let pairs: BTreeSet<&PairKey> = done.iter().map(|write| &write.pair).collect();
        let written = pairs.iter().filter(|pair| !is_left(pair)).count();
        let decisions = written + settled.unwrap_or_default();
        let decisions = counted(decisions, "decision", "decisions");
        for write in done.iter().filter(|write| !is_left(&write.pair)) {
            if let Some(left) = write.left() {
                let left = Some(left).filter(|_| is_new || !self.is_undone(write));
                self.review.decisions.applied(&write.pair, left);
            }
        }
        if let Some((pair, reason)) = left.first() {
            let text = match left.len() {
                1 => format!("{} was not written: {reason}.", pair.path),
                many => format!(
                    "{many} files were not written, the first is {}: {reason}.",
                    pair.path
                ),
            };
            self.notify(Severity::Error, text);
        }
        if !done.is_empty() && is_new {
            let files = counted(done.len(), "file", "files");
            self.notify(
                Severity::Note,
                format!("Applied {decisions}: wrote {files}."),
            );
            self.journal.record(Entry {
                name: format!("Apply {decisions}"),
                changes: Vec::new(),
                writes: done.into(),
            });
        }
        self.review.is_dirty = true;
        self.renew_marks();
        self.keep_decisions()
    }

    /// Whether a write takes back what a decision did.
    fn is_undone(&self, write: &Write) -> bool {
        let back = write.clone().inverse();
        let steps = self.journal.steps().iter();
        steps
            .flat_map(|step| &*step.writes)
            .any(|other| *other == back)
    }

    pub(super) fn renew_marks(&mut self) {
        let desk = &mut self.review;
        desk.marks = super::marks::Marks::of(&desk.review, &desk.decisions);
        desk.revision += 1;
    }
}

/// The writes that take others back, in the order in which that has to be done.
pub(in crate::workbench) fn taken_back(writes: &[Write]) -> Arc<[Write]> {
    writes
        .iter()
        .rev()
        .map(|write| write.clone().inverse())
        .collect()
}
