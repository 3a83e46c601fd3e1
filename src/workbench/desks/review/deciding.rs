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
    pub(super) fn decide(&mut self, core: &mut Core, scope: DecisionScope, mark: &ReviewVerdict) {
        let mut pairs = self.pairs_of(scope);
        if *mark == ReviewVerdict::KeepNoise {
            self.leave_refused(core, &mut pairs);
        }
        if pairs.is_empty() {
            return;
        }
        let is_part =
            |key: &PairKey| matches!(self.decisions.verdict(key), Some(ReviewVerdict::Part(_)));
        let is_kept = |index: &usize| {
            *mark == ReviewVerdict::Accept && is_part(&self.review.pairs[*index].pair.key())
        };
        let keys: Vec<PairKey> = pairs
            .iter()
            .filter(|index| !is_kept(index))
            .map(|index| self.review.pairs[*index].pair.key())
            .collect();
        if *mark == ReviewVerdict::Accept {
            self.warn_of_unreadable(core, &pairs);
        }
        self.decisions.decide(keys, mark);
        self.statuses.update(&self.review, &self.decisions, pairs);
        self.advance();
        self.save_decisions(core);
    }

    /// Says which of the accepted files cannot be read.
    fn warn_of_unreadable(&self, core: &mut Core, pairs: &[usize]) {
        let fault = |index: &usize| {
            let pair = &self.review.pairs[*index];
            Some(pair.compared.fault.as_ref()?.of_new()?.describe(pair.pair.path()))
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
        let reason = |index: &usize| self.line_counts.get(index)?.as_ref().err();
        let refused_pairs: Vec<usize> =
            pairs.iter().filter(|index| reason(index).is_some()).copied().collect();
        let Some(first) = refused_pairs.first() else { return };
        let path = self.review.pairs[*first].pair.path();
        let cause = reason(first).map_or("", String::as_str);
        let text = match refused_pairs.len() {
            1 => format!("The old noise of {path} cannot be kept: {cause}."),
            count => {
                format!("The old noise of {count} files cannot be kept. First: {path}: {cause}.")
            }
        };
        core.refuse(Severity::Warning, text);
        pairs.retain(|index| !refused_pairs.contains(index));
    }

    /// The pairs that a decision applies to.
    pub(super) fn pairs_of(&self, scope: DecisionScope) -> Vec<usize> {
        // A pair that is to be discussed is not decided along with the rest.
        let undecided_pairs = |pairs: &mut dyn Iterator<Item = &usize>| -> Vec<usize> {
            let is_meant =
                |state: DecisionStatus| !state.is_decided() && state != DecisionStatus::Discussed;
            pairs.filter(|index| is_meant(self.status(**index))).copied().collect()
        };
        let to_discuss = |pairs: &[usize]| -> Vec<usize> {
            let is_meant = |index: &&usize| self.status(**index) == DecisionStatus::Discussed;
            pairs.iter().filter(is_meant).copied().collect()
        };
        match scope {
            DecisionScope::Pair => self.pair.into_iter().collect(),
            DecisionScope::Group => {
                let group = self.group.and_then(|group| self.review.groups.get(group));
                let pairs = group.map_or(&[][..], |group| &group.pairs);
                let choices = [undecided_pairs(&mut pairs.iter()), to_discuss(pairs)];
                let choice = choices.into_iter().find(|choice| !choice.is_empty());
                choice.unwrap_or_else(|| pairs.to_vec())
            }
            DecisionScope::Lane => {
                let lane = self.open_group().map(|(group, _)| group.lane);
                let groups = self.review.groups.iter().filter(|group| Some(group.lane) == lane);
                undecided_pairs(&mut groups.flat_map(|group| &group.pairs))
            }
            DecisionScope::Rest => {
                undecided_pairs(&mut self.review.groups.iter().flat_map(|g| &g.pairs))
            }
        }
    }

    /// Chooses the side of a change of the selected pair.
    pub(super) fn choose_side(&mut self, core: &mut Core, change: ChangeKey, side: Side) {
        let (Some(index), Some(pair)) = (self.pair, self.selected()) else { return };
        let key = pair.pair.key();
        // A change that can only be decided with its whole file stays as it is in the new file.
        let separable_changes = || {
            let changes = pair.compared.direct_changes();
            changes.filter(|change| change.is_separable()).map(|change| change.key())
        };
        let mut from_old: BTreeSet<ChangeKey> = match self.decisions.verdict(&key) {
            Some(ReviewVerdict::Part(changes)) => changes.clone(),
            Some(ReviewVerdict::Reject) => separable_changes().collect(),
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
        self.statuses.update(&self.review, &self.decisions, [index]);
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
