//! Moves the selection between pairs, groups and changes.

use std::sync::Arc;

use super::desk::ReviewDesk;
use super::status::DecisionStatus;
use crate::core::Core;
use crate::core::navigation::StepDirection;
use compare::review::PairKey;

impl ReviewDesk {
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
