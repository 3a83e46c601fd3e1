//! What was decided, written to the files: shown first, one step of the journal, and taken back as one.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ReviewEffect, Shared};
use crate::format::Severity;
use crate::ops::diff::counted;
use crate::ops::review::{PairKey, Plan, Write};
use crate::ops::source::sha256_hex;
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
            self.review.decisions.applied(pair, pair.new.clone());
        }
        let mut effects = self.keep_decisions();
        match plan.writes.is_empty() {
            true => {
                let settled = counted(plan.settled.len(), "decision", "decisions");
                let text = format!("Applied {settled}: every file is as decided already.");
                self.notify(Severity::Note, text);
            }
            false => {
                self.review.is_applying = true;
                let write = ReviewEffect::Write(plan.writes.clone().into());
                effects.push(Effect::Review(write));
            }
        }
        self.renew_marks();
        effects
    }

    /// Takes what became of files: a step of the journal, unless it was one already.
    pub(super) fn written(&mut self, done: Vec<Write>, left: &[(PairKey, String)]) -> Vec<Effect> {
        // Undo and redo write, too, and are steps already.
        let is_new = std::mem::take(&mut self.review.is_applying);
        let pairs: BTreeSet<&PairKey> = done.iter().map(|write| &write.pair).collect();
        let decisions = counted(pairs.len(), "decision", "decisions");
        for write in &done {
            // What lies at the pair's own path is what the decision left there.
            if write.path == write.pair.path {
                let sha256 = write.after.as_deref().map(|bytes| sha256_hex(bytes).into());
                let sha256 = sha256.filter(|_| is_new || !self.is_undone(write));
                self.review.decisions.applied(&write.pair, sha256);
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
