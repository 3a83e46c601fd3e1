//! Decisions: made, undone, and saved in the project after each step.

use std::collections::BTreeSet;

use super::{DecisionScope, DecisionStatus, ReviewDesk};
use crate::core::Core;
use crate::core::effect::Effect;
use compare::review::{ChangeKey, PairKey, ReviewVerdict};
use document::Severity;
use document::diff::Side;
use document::text::thousands;
use protocol::SaveDecisions;

impl ReviewDesk {
    /// Decides about pairs, and goes to the next undecided pair. Accepting a pair keeps the chosen sides of its changes.
    pub(super) fn decide(
        &mut self,
        core: &mut Core,
        scope: DecisionScope,
        verdict: &ReviewVerdict,
    ) {
        let mut pairs = self.pairs_of(scope);
        if *verdict == ReviewVerdict::KeepNoise {
            self.leave_refused(core, &mut pairs);
        }
        if pairs.is_empty() {
            return;
        }
        let is_part =
            |key: &PairKey| matches!(self.decisions.verdict(key), Some(ReviewVerdict::Part(_)));
        let stays = |at: &usize| {
            *verdict == ReviewVerdict::Accept && is_part(&self.review.pairs[*at].pair.key())
        };
        let keys: Vec<PairKey> = pairs
            .iter()
            .filter(|at| !stays(at))
            .map(|at| self.review.pairs[*at].pair.key())
            .collect();
        if *verdict == ReviewVerdict::Accept {
            self.warn_of_unreadable(core, &pairs);
        }
        self.decisions.decide(keys, verdict);
        self.statuses.update(&self.review, &self.decisions, pairs);
        // A lane folds when it is decided.
        let statuses = &self.statuses;
        self.folded.retain(|lane, _| statuses.lane(*lane).undecided() > 0);
        self.advance();
        self.save_decisions(core);
    }

    /// Says which of the accepted files cannot be read.
    fn warn_of_unreadable(&self, core: &mut Core, pairs: &[usize]) {
        let fault = |at: &usize| {
            let reviewed = &self.review.pairs[*at];
            Some(reviewed.compared.fault.as_ref()?.of_new()?.describe(reviewed.pair.path()))
        };
        let faults: Vec<String> = pairs.iter().filter_map(fault).collect();
        let text = match faults.as_slice() {
            [] => return,
            [fault] => format!("Accepted, but {fault}."),
            [fault, ..] => {
                let count = thousands(faults.len());
                format!("Accepted, but {count} files cannot be read. First: {fault}.")
            }
        };
        core.notify(Severity::Warning, text);
    }

    /// Leaves out the pairs of which it is known that the old noise cannot be kept, and says why.
    fn leave_refused(&self, core: &mut Core, pairs: &mut Vec<usize>) {
        let reason = |at: &usize| self.line_counts.get(at)?.as_ref().err();
        let refused: Vec<usize> = pairs.iter().filter(|at| reason(at).is_some()).copied().collect();
        let Some(first) = refused.first() else { return };
        let path = self.review.pairs[*first].pair.path();
        let why = reason(first).map_or("", String::as_str);
        let text = match refused.len() {
            1 => format!("The old noise of {path} cannot be kept: {why}."),
            count => {
                format!("The old noise of {count} files cannot be kept. First: {path}: {why}.")
            }
        };
        core.refuse(Severity::Warning, text);
        pairs.retain(|at| !refused.contains(at));
    }

    /// The pairs that a decision applies to.
    pub(super) fn pairs_of(&self, scope: DecisionScope) -> Vec<usize> {
        // A pair that is to be discussed is not decided along with the rest.
        let undecided = |pairs: &mut dyn Iterator<Item = &usize>| -> Vec<usize> {
            let is_meant = |status: DecisionStatus| {
                !status.is_decided() && status != DecisionStatus::Discussed
            };
            pairs.filter(|at| is_meant(self.status(**at))).copied().collect()
        };
        let to_discuss = |pairs: &[usize]| -> Vec<usize> {
            let is_meant = |at: &&usize| self.status(**at) == DecisionStatus::Discussed;
            pairs.iter().filter(is_meant).copied().collect()
        };
        match scope {
            DecisionScope::Pair => self.pair.into_iter().collect(),
            DecisionScope::Group => {
                let group = self.group.and_then(|group| self.review.groups.get(group));
                let pairs = group.map_or(&[][..], |group| &group.pairs);
                let choices = [undecided(&mut pairs.iter()), to_discuss(pairs)];
                let some = choices.into_iter().find(|some| !some.is_empty());
                some.unwrap_or_else(|| pairs.to_vec())
            }
            DecisionScope::Lane(lane) => {
                undecided(&mut self.review.groups_in(lane).flat_map(|it| &it.pairs))
            }
            DecisionScope::Rest => {
                undecided(&mut self.review.groups.iter().flat_map(|it| &it.pairs))
            }
        }
    }

    /// Chooses the side of a change of the selected pair.
    pub(super) fn choose_side(&mut self, core: &mut Core, change: ChangeKey, side: Side) {
        let (Some(at), Some(reviewed)) = (self.pair, self.selected()) else { return };
        let key = reviewed.pair.key();
        // A change that can only be decided with its whole file stays as it is in the new file.
        let own = || {
            let own = reviewed.compared.direct_changes();
            own.filter(|change| change.is_separable()).map(|change| change.key())
        };
        let mut from_old: BTreeSet<ChangeKey> = match self.decisions.verdict(&key) {
            Some(ReviewVerdict::Part(changes)) => changes.clone(),
            Some(ReviewVerdict::Reject) => own().collect(),
            _ => BTreeSet::new(),
        };
        match side {
            Side::Left => from_old.insert(change),
            Side::Right => from_old.remove(&change),
        };
        let verdict = if from_old.is_empty() {
            // Every change has its new side, which is the same as no decision.
            ReviewVerdict::Skip
        } else {
            ReviewVerdict::Part(from_old)
        };
        self.decisions.decide([key], &verdict);
        self.statuses.update(&self.review, &self.decisions, [at]);
        self.save_decisions(core);
    }

    pub(super) fn undo_decision(&mut self, core: &mut Core) {
        let keys = self.decisions.undo();
        let pairs: Vec<usize> = keys.iter().filter_map(|key| self.find(key)).collect();
        self.statuses.update(&self.review, &self.decisions, pairs.iter().copied());
        if let Some(first) = pairs.first() {
            self.select(*first);
        }
        self.save_decisions(core);
    }

    pub(super) fn write_note(&mut self, core: &mut Core, key: PairKey, note: &str) {
        // An unchanged note needs no write.
        if self.decisions.decision(&key).map_or("", |decision| &decision.note) == note {
            return;
        }
        self.decisions.set_note(key, note);
        self.save_decisions(core);
    }

    pub(super) fn write_group_note(&mut self, core: &mut Core, id: &str, note: &str) {
        if self.decisions.group_note(id) == note {
            return;
        }
        self.decisions.set_group_note(id, note);
        self.save_decisions(core);
    }

    pub(super) fn save_decisions(&mut self, core: &mut Core) {
        core.request(Effect::run(SaveDecisions { decisions: self.decisions.clone() }));
    }
}
