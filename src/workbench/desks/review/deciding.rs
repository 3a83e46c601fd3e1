//! Decisions: made, undone, and saved in the project after each step.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::DecisionScope;
use super::desk::ReviewDesk;
use super::status::DecisionStatus;
use crate::{Core, Effect, StepDirection};
use compare::review::{ChangeKey, PairKey, ReviewVerdict};
use document::Severity;
use document::diff::Side;
use document::text::{counted, thousands};
use protocol::SaveDecisions;

impl ReviewDesk {
    /// Decides about pairs, and goes to the next undecided pair. Accepting a pair keeps the chosen sides of its changes.
    pub(super) fn decide(&mut self, core: &mut Core, scope: DecisionScope, mark: &ReviewVerdict) {
        let mut pairs = self.pairs_of(scope);
        if *mark == ReviewVerdict::KeepNoise {
            self.leave_refused(core, &mut pairs);
        }
        if scope != DecisionScope::Pair {
            self.leave_edited(core, &mut pairs, mark);
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
        if let (DecisionScope::Pair, [index]) = (scope, &*pairs) {
            self.warn_of_edits(core, *index, mark);
        }
        self.decisions.decide(keys, mark);
        self.statuses.update(&self.review, &self.decisions, pairs);
        if let Some((done_count, total)) = self.progress().filter(|_| scope != DecisionScope::Pair)
        {
            // A change that was not compared yet is not decided unseen.
            let left = counted(total.saturating_sub(done_count), "file remains", "files remain");
            let text = format!("Decided what has been compared; {left}.");
            core.notify(Severity::Note, text);
        }
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

    /// Leaves out the pairs that would overwrite what was edited by hand, and says so: each is decided by itself.
    fn leave_edited(&self, core: &mut Core, pairs: &mut Vec<usize>, mark: &ReviewVerdict) {
        let edited_pairs: Vec<usize> =
            pairs.extract_if(.., |index| self.loses_edits(*index, mark)).collect();
        let Some(first) = edited_pairs.first() else { return };
        let path = self.review.pairs[*first].pair.path();
        let text = match edited_pairs.len() {
            1 => format!("Left undecided, since values in it were edited by hand: {path}."),
            count => format!(
                "{} files were left undecided, since values in them were edited by hand. First: {path}.",
                thousands(count)
            ),
        };
        core.refuse(Severity::Warning, text);
    }

    /// Says that a decision overwrites what was edited by hand.
    fn warn_of_edits(&self, core: &mut Core, index: usize, mark: &ReviewVerdict) {
        let overwritten = self.review.pairs[index].compared.overwritten();
        if let Some(values) = overwritten.filter(|_| self.loses_edits(index, mark)) {
            core.notify(Severity::Warning, format!("This overwrites {values}."));
        }
    }

    /// Returns whether a decision overwrites what was edited by hand. Accepting keeps the chosen sides of changes.
    fn loses_edits(&self, index: usize, mark: &ReviewVerdict) -> bool {
        let reviewed = &self.review.pairs[index];
        let keeps_edits = |verdict: &ReviewVerdict| verdict.keeps_edits(&reviewed.compared);
        let old_verdict = self.decisions.verdict(&reviewed.pair.key());
        let part = old_verdict.filter(|old| matches!(old, ReviewVerdict::Part(_)));
        let is_accept = *mark == ReviewVerdict::Accept;
        !keeps_edits(part.filter(|_| is_accept).unwrap_or(mark))
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

    /// Selects a pair and opens its group.
    pub(super) fn select(&mut self, index: usize) {
        let Some(pair) = self.review.pairs.get(index) else { return };
        self.group = pair.group.or(self.group);
        if self.pair != Some(index) {
            self.pair = Some(index);
            (self.pane.change, self.pane.call) = (0, None);
            self.shows_partners = false;
            self.pane.opened.clear();
        }
        self.revision += 1;
    }

    /// Opens a group at its first undecided pair.
    pub(super) fn open(&mut self, group: usize) {
        let Some(open_group) = self.review.groups.get(group) else { return };
        let is_open = |index: &&usize| self.status(**index) == DecisionStatus::Open;
        let first = open_group.pairs.iter().find(is_open).or(open_group.pairs.first());
        if let Some(first) = first.copied() {
            self.select(first);
        }
    }

    /// The pairs of the group that is listed before or after this one.
    pub(super) fn adjacent_group(&self, group: usize, step: StepDirection) -> Option<&[usize]> {
        Some(&self.review.groups.get(step.beside(group)?)?.pairs)
    }

    /// Goes to the first undecided pair.
    pub(super) fn go_to_first(&mut self) {
        let first = (0..self.review.groups.len()).find(|group| self.statuses.is_open(*group));
        self.open(first.unwrap_or_default());
    }

    /// Goes to the next undecided pair: in this group after the pair, then before it, then in the next group; skipped pairs
    /// come last.
    pub(super) fn advance(&mut self) {
        let (Some(group), Some(pair)) = (self.group, self.pair) else { return self.go_to_first() };
        let open_group = &self.review.groups[group];
        if !open_group.needs_decision {
            // Nothing in it is open, so the user goes through it as listed.
            let later_pairs = open_group.pairs.iter().skip_while(|index| **index != pair).skip(1);
            let is_next = |index: &&usize| self.status(**index) == DecisionStatus::Ignored;
            if let Some(next) = later_pairs.copied().find(|index| is_next(&index)) {
                return self.select(next);
            }
        }
        for status in [DecisionStatus::Open, DecisionStatus::Skipped] {
            let is_wanted = |index: &&usize| self.status(**index) == status && **index != pair;
            let pairs = &self.review.groups[group].pairs;
            let position = pairs.iter().position(|p| *p == pair).unwrap_or(0);
            let (earlier_pairs, later_pairs) = pairs.split_at(position);
            // Down the list, then from its top.
            let (groups_above, groups_below) = self.review.groups.split_at(group);
            let other_groups = groups_below[1..].iter().chain(groups_above);
            let mut other_pairs = other_groups.flat_map(|other| &other.pairs);
            let target = later_pairs.iter().chain(earlier_pairs).find(is_wanted);
            let next = target.or_else(|| other_pairs.find(is_wanted)).copied();
            if let Some(next) = next {
                return self.select(next);
            }
        }
    }

    /// The position of the user, to find it again after another comparison.
    pub(super) fn place(&self) -> Option<(PairKey, Arc<str>)> {
        let pair = &self.selected()?.pair;
        Some((pair.key(), pair.path().into()))
    }

    /// Goes back to that position, or to the first pair.
    pub(super) fn go_back_to(&mut self, place: Option<(PairKey, Arc<str>)>) {
        // A recording that was made again has another key at the same path.
        let index = place.and_then(|(key, path)| self.find(&key).or_else(|| self.find_path(&path)));
        let is_listed = |index: &usize| self.review.pairs[*index].group.is_some();
        (self.pair, self.group) = (None, None);
        // `select` starts at the first change.
        let pane = (self.pane.change, std::mem::take(&mut self.pane.opened));
        match index.filter(is_listed) {
            Some(index) => {
                self.select(index);
                let last = self.selected().map_or(0, |p| p.compared.direct_changes().count());
                self.pane.change = pane.0.min(last.saturating_sub(1));
                self.pane.opened = pane.1;
            }
            None => self.go_to_first(),
        }
    }

    /// Selects the document of the selected new recording. Reads it if it has conflict markers, because its versions are
    /// shown next.
    pub(super) fn sync_selected_take(&mut self, core: &mut Core) {
        let take = self.selected().and_then(|p| p.pair.new.as_ref());
        self.doc = take.and_then(|take| core.library.find(&take.path));
        let is_read = self.selected().is_some_and(|p| p.compared.fault.is_some());
        if let Some(doc) = self.doc.filter(|_| is_read) {
            core.request_document(doc);
        }
    }
}
