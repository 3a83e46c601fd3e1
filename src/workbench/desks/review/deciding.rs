//! Decisions: made, undone, and saved in the project after each step.

use std::collections::BTreeSet;

use super::{DecisionScope, SaveDecisions};
use crate::ops::diff::Side;
use crate::ops::review::{ChangeKey, PairKey, ReviewVerdict};
use crate::workbench::core::effect::Effect;
use crate::workbench::state::Workbench;

impl Workbench {
    /// Decides about pairs, and goes to the next undecided pair. Accepting a pair keeps the chosen sides of its changes.
    pub(super) fn decide(&mut self, scope: DecisionScope, verdict: &ReviewVerdict) {
        let pairs = self.pairs_of(scope);
        if pairs.is_empty() {
            return;
        }
        let desk = &mut self.review;
        let is_part =
            |key: &PairKey| matches!(desk.decisions.verdict(key), Some(ReviewVerdict::Part(_)));
        let stays = |at: &usize| {
            *verdict == ReviewVerdict::Accept && is_part(&desk.review.pairs[*at].pair.key())
        };
        let keys = pairs.iter().filter(|at| !stays(at));
        let keys: Vec<PairKey> = keys.map(|at| desk.review.pairs[*at].pair.key()).collect();
        desk.decisions.decide(keys, verdict);
        desk.statuses.update(&desk.review, &desk.decisions, pairs);
        desk.advance();
        self.save_decisions();
    }

    /// The pairs that a decision applies to.
    pub(super) fn pairs_of(&self, scope: DecisionScope) -> Vec<usize> {
        let desk = &self.review;
        let undecided = |pairs: &mut dyn Iterator<Item = &usize>| -> Vec<usize> {
            pairs
                .filter(|at| !desk.status(**at).is_decided())
                .copied()
                .collect()
        };
        match scope {
            DecisionScope::Pair => desk.pair.into_iter().collect(),
            DecisionScope::Group => {
                let group = desk.group.and_then(|group| desk.review.groups.get(group));
                let pairs = group.map_or(&[][..], |group| &group.pairs);
                match undecided(&mut pairs.iter()) {
                    none if none.is_empty() => pairs.to_vec(),
                    some => some,
                }
            }
            DecisionScope::Rest => {
                undecided(&mut desk.review.groups.iter().flat_map(|it| &it.pairs))
            }
        }
    }

    /// Chooses the side of a change of the selected pair.
    pub(super) fn choose_side(&mut self, change: ChangeKey, side: Side) {
        let desk = &mut self.review;
        let (Some(at), Some(reviewed)) = (desk.pair, desk.selected()) else {
            return;
        };
        let key = reviewed.pair.key();
        let own = || {
            reviewed
                .compared
                .direct_changes()
                .map(|change| change.key())
        };
        let mut from_old: BTreeSet<ChangeKey> = match desk.decisions.verdict(&key) {
            Some(ReviewVerdict::Part(changes)) => changes.clone(),
            Some(ReviewVerdict::Reject) => own().collect(),
            _ => BTreeSet::new(),
        };
        match side {
            Side::Left => from_old.insert(change),
            Side::Right => from_old.remove(&change),
        };
        let verdict = if from_old.is_empty() {
            // Equal to no choice.
            ReviewVerdict::Skip
        } else {
            ReviewVerdict::Part(from_old)
        };
        desk.decisions.decide([key], &verdict);
        desk.statuses.update(&desk.review, &desk.decisions, [at]);
        desk.revision += 1;
        self.save_decisions();
    }

    pub(super) fn undo_decision(&mut self) {
        let desk = &mut self.review;
        let keys = desk.decisions.undo();
        let pairs: Vec<usize> = keys.iter().filter_map(|key| desk.find(key)).collect();
        desk.statuses
            .update(&desk.review, &desk.decisions, pairs.iter().copied());
        desk.revision += 1;
        if let Some(first) = pairs.first() {
            desk.select(*first);
        }
        self.save_decisions();
    }

    pub(super) fn write_note(&mut self, key: PairKey, note: &str) {
        let desk = &mut self.review;
        if desk
            .decisions
            .decision(&key)
            .map_or("", |decision| &decision.note)
            == note
        {
            return;
        }
        desk.decisions.set_note(key, note);
        desk.revision += 1;
        self.save_decisions();
    }

    pub(super) fn save_decisions(&mut self) {
        let decisions = self.review.decisions.clone();
        self.core.request(Effect::run(SaveDecisions { decisions }));
    }
}
