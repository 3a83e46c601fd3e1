//! Handlers of the actions and events of the review desk.

use std::sync::Arc;

use super::desk::{CountedLines, PairPane, ReviewDesk, ReviewState};
use super::{DecisionScope, DecisionStatus, ReviewAction};
use crate::{Core, DeskState, DeskView, Effect, News, ProjectStart, StepDirection};
use compare::review::Review;
use document::Severity;
use protocol::{
    CountLines, Desk, DiskChange, DocId, PairRequest, ReviewBase, ReviewEvent, ReviewRequest,
    ReviewSnapshot, ReviewStart,
};

impl DeskState for ReviewDesk {
    fn subject(&self, _core: &Core) -> Option<DocId> {
        self.doc
    }

    /// Compares the recordings if needed, and requests the details of the selected pair.
    fn sync(&mut self, core: &mut Core) {
        let is_shown = core.shows(Desk::Review);
        if core.project.is_none() || !(is_shown || self.is_counted(core)) {
            return;
        }
        let is_wanted = self.state == ReviewState::NotStarted || self.is_dirty;
        let is_busy = matches!(self.state, ReviewState::Comparing(..)) || core.progress.is_some();
        if is_wanted && !is_busy {
            self.is_dirty = false;
            self.number += 1;
            self.state = ReviewState::Comparing(0, 0);
            self.revision += 1;
            let by_hand = self.manual_pairs.iter();
            core.request(Effect::run(ReviewRequest {
                number: self.number,
                base: self.base.clone(),
                manual_pairs: by_hand
                    .map(|(new, old)| (Arc::clone(old), Arc::clone(new)))
                    .collect(),
                rules: Arc::clone(&self.rules),
                known: Arc::clone(&self.review),
            }));
        }
        if is_shown {
            self.sync_pair(core);
            self.sync_line_counts(core);
        }
    }

    fn has_rows(&self) -> bool {
        self.pair.is_some()
    }

    /// Moves by some pairs of the open group, and from its end to the next group.
    fn step(&mut self, _core: &mut Core, step: StepDirection, distance: usize) {
        self.is_touched = true;
        let (Some(group), Some(pair)) = (self.group, self.pair) else { return self.go_to_first() };
        let pairs = &self.review.groups[group].pairs;
        let position = pairs.iter().position(|p| *p == pair).unwrap_or(0);
        let last = pairs.len().saturating_sub(1);
        let target = if position == step.pick(last, 0) {
            let next_group = self.adjacent_group(group, step);
            next_group.and_then(|pairs| step.pick(pairs.first(), pairs.last()))
        } else {
            pairs.get(step.target(position, distance).min(last))
        };
        if let Some(target) = target.copied() {
            self.select(target);
        }
    }

    /// Goes to the first or last pair of the open group.
    fn step_to_end(&mut self, _core: &mut Core, step: StepDirection) {
        self.is_touched = true;
        let group = self.group.and_then(|group| self.review.groups.get(group));
        let pairs = group.map_or(&[][..], |group| &group.pairs);
        if let Some(end) = step.pick(pairs.last(), pairs.first()).copied() {
            self.select(end);
        }
    }

    fn step_change(&mut self, _core: &mut Core, step: StepDirection) {
        self.is_touched = true;
        let changes = self.selected().map_or(0, |p| p.compared.direct_changes().count());
        self.pane.change = step.target_in(Some(self.pane.change), 1, changes);
        // The call that the user opened gives way to that of the change.
        self.pane.call = None;
        self.revision += 1;
    }

    fn open_selected(&mut self, core: &mut Core) {
        if let Some(doc) = self.doc {
            core.show(doc);
        }
    }

    fn on_disk_change(&mut self, _core: &Core, change: &DiskChange) {
        let touches = match change {
            DiskChange::Changed(_)
            | DiskChange::Seen(_)
            | DiskChange::Rewritten(_)
            | DiskChange::Removed(_) => true,
            // Only a revision such as `HEAD` may name another commit now.
            DiskChange::Commit => matches!(self.base, ReviewBase::Revision(_)),
            _ => false,
        };
        self.is_dirty |= touches && self.state != ReviewState::NotStarted;
    }

    fn on_news(&mut self, core: &Core, news: &News) {
        let has_arrivals = !news.added.is_empty() && core.progress.is_none();
        self.is_dirty |= has_arrivals && self.state != ReviewState::NotStarted;
    }

    fn start_project(&mut self, _start: ProjectStart) {
        *self = self.after_reload();
    }
}

impl ReviewDesk {
    /// Returns whether the recordings are compared although the desk is not shown, because the library lists how many are
    /// undecided: only with a commit, and only up to a number of files that are compared in about a second, the first time, or in a
    /// moment, each time that files change.
    fn is_counted(&self, core: &Core) -> bool {
        let max_files = if self.is_dirty { 1_000 } else { 10_000 };
        let has_git = core.project.as_ref().is_some_and(|p| p.branch.is_some());
        let is_commit = matches!(self.base, ReviewBase::Revision(_));
        has_git && is_commit && (1..=max_files).contains(&core.library.len())
    }

    /// The desk after a reload of its project; the decisions are saved in the project.
    fn after_reload(&self) -> Self {
        Self {
            base: self.base.clone(),
            manual_pairs: self.manual_pairs.clone(),
            // Answers to earlier requests no longer fit.
            number: self.number + 1,
            pane: PairPane { number: self.pane.number + 1, ..PairPane::default() },
            ..Self::default()
        }
    }

    pub(crate) fn act(&mut self, core: &mut Core, action: ReviewAction) {
        self.is_touched |= !matches!(action, ReviewAction::SetBase(_) | ReviewAction::CompareAgain);
        self.revision += 1;
        match action {
            ReviewAction::SetBase(base) => self.review_against(core, base),
            ReviewAction::CompareAgain => self.is_dirty = true,
            ReviewAction::Open(id) => {
                if let Some(index) = self.find_group(&id) {
                    self.open(index);
                }
            }
            ReviewAction::Select(key) => {
                if let Some(index) = self.find(&key) {
                    self.select(index);
                }
            }
            ReviewAction::ShowChange(index) => (self.pane.change, self.pane.call) = (index, None),
            ReviewAction::ShowCall(call) => self.show_call(call),
            ReviewAction::Decide(scope, verdict) => self.decide(core, scope, &verdict),
            ReviewAction::ChooseSide(change, side) => self.choose_side(core, change, side),
            ReviewAction::Undo => self.undo_decision(core),
            ReviewAction::Note(pair, note) => self.write_note(core, pair, &note),
            ReviewAction::GroupNote(id, note) => self.write_group_note(core, &id, &note),
            ReviewAction::TogglePartners => self.shows_partners ^= true,
            ReviewAction::PairWith(old) => self.pair_by_hand(Some(old)),
            ReviewAction::PairAsFound => self.pair_by_hand(None),
            ReviewAction::DraftRule => self.draft_rule(core),
            ReviewAction::TypeRule(draft) => self.type_rule(core, draft),
            ReviewAction::SaveRule => self.save_rule(core),
            ReviewAction::ProposeApply => self.propose_apply(core),
            ReviewAction::Apply => self.apply_decisions(core),
            ReviewAction::OpenDifftool => self.propose_difftool(core),
        }
    }

    /// Shows a call of the selected pair, and its first change.
    fn show_call(&mut self, call: usize) {
        let numbers = self.shown().and_then(|details| Some(details.ok()?.calls.get(call)?.numbers));
        let first = self.selected().zip(numbers).and_then(|(pair, numbers)| {
            pair.compared.direct_changes().position(|change| change.is_in(numbers))
        });
        self.pane.change = first.unwrap_or(self.pane.change);
        self.pane.call = Some(call);
        self.pane.opened.clear();
    }

    fn review_against(&mut self, core: &mut Core, base: ReviewBase) {
        if self.base != base {
            // Decisions are those of the project, whatever it is compared with.
            let decisions = std::mem::take(&mut self.decisions);
            *self = ReviewDesk {
                base,
                decisions,
                is_resumed: self.is_resumed,
                manual_pairs: Default::default(),
                ..self.after_reload()
            };
        }
        self.is_dirty = true;
        core.go(Desk::Review, DeskView::List);
    }

    fn pair_by_hand(&mut self, old: Option<Arc<str>>) {
        let new = self.selected().and_then(|p| p.pair.new.as_ref());
        let Some(new) = new.map(|take| Arc::clone(&take.path)) else { return };
        match old {
            Some(old) => drop(self.manual_pairs.insert(new, old)),
            None => drop(self.manual_pairs.remove(&new)),
        }
        self.shows_partners = false;
        self.is_dirty = true;
    }

    /// Opens or closes a fold of the selected pair.
    pub(crate) fn toggle_fold(&mut self, section: usize, fold: usize) {
        let open_folds = self.pane.opened.entry(section).or_default();
        if !open_folds.remove(&fold) {
            open_folds.insert(fold);
        }
        self.revision += 1;
    }

    fn sync_pair(&mut self, core: &mut Core) {
        let Some(index) = self.pair else { return };
        let is_same = |(review, pair): &(Arc<Review>, usize)| {
            // Another review may have another pair at this position.
            Arc::ptr_eq(review, &self.review) && *pair == index
        };
        if self.pane.target.as_ref().is_some_and(is_same) {
            return;
        }
        let key =
            |(review, index): &(Arc<Review>, usize)| review.pairs.get(*index).map(|p| p.pair.key());
        let old_key = self.pane.target.as_ref().and_then(key);
        // The details of the same pair stay until the new ones are there.
        if old_key != self.selected().map(|p| p.pair.key()) {
            self.pane.shown = None;
        }
        self.pane.number += 1;
        self.pane.target = Some((Arc::clone(&self.review), index));
        self.revision += 1;
        let request = PairRequest {
            number: self.pane.number,
            review: Arc::clone(&self.review),
            at: index,
            rules: Arc::clone(&self.rules),
        };
        self.sync_selected_take(core);
        core.request(Effect::run(request));
    }

    /// Requests how many lines git shows of the selected pair, and of the others of its group.
    fn sync_line_counts(&mut self, core: &mut Core) {
        let old_lines = self.counted.take().filter(|c| Arc::ptr_eq(&c.review, &self.review));
        if old_lines.is_none() {
            self.line_counts.clear();
        }
        let Some(row) = self.pair.filter(|_| self.state == ReviewState::Done) else { return };
        let group = self.open_group().map_or(&[][..], |(group, _)| &group.pairs);
        let other_pairs = group.iter().copied().filter(|other| *other != row);
        let pairs: Vec<usize> = std::iter::once(row)
            .chain(other_pairs)
            .filter(|row| !self.line_counts.contains_key(row))
            .collect();
        let is_requested = old_lines.as_ref().is_some_and(|lines| {
            // A pair that is selected before it is counted is requested again, as the first of its group.
            lines.group == self.group && (lines.first == row || pairs.first() != Some(&row))
        });
        if is_requested || pairs.is_empty() {
            self.counted = old_lines;
            return;
        }
        self.counted =
            Some(CountedLines { review: Arc::clone(&self.review), group: self.group, first: row });
        core.request(Effect::run(CountLines { review: Arc::clone(&self.review), pairs }));
    }

    /// Handles an event of a review.
    pub(crate) fn receive(&mut self, core: &mut Core, event: ReviewEvent) {
        let number = self.number;
        self.revision += 1;
        match event {
            ReviewEvent::Started(event_number, start) if event_number == number => {
                self.on_started(core, *start);
            }
            ReviewEvent::Progressed(event_number, snapshot) if event_number == number => {
                self.on_progress(snapshot);
            }
            ReviewEvent::Failed(event_number, reason) if event_number == number => {
                self.state = ReviewState::Failed(reason.into());
                self.review = Arc::default();
                (self.pair, self.group) = (None, None);
                self.update_statuses();
            }
            ReviewEvent::Shown(event_number, details) if event_number == self.pane.number => {
                self.pane.shown = Some(details);
            }
            ReviewEvent::RulePreviewed(silences) => self.on_rule_previewed(core, silences),
            ReviewEvent::RuleSaved(result) => self.on_rule_saved(core, result),
            // Counts are by position, and positions are those of one review.
            ReviewEvent::LinesCounted(review, counts) if Arc::ptr_eq(&review, &self.review) => {
                self.line_counts.extend(counts);
            }
            ReviewEvent::Planned(plan) => self.on_planned(core, plan),
            ReviewEvent::Written { done: writes, left: failures } => {
                self.on_written(core, writes, &failures);
            }
            ReviewEvent::SaveFailed(reason) => core.notify(Severity::Error, format!("{reason}.")),
            _ => {}
        }
    }

    fn on_started(&mut self, core: &mut Core, start: ReviewStart) {
        self.unread = start.unread;
        // From the second time on, the decisions here are newer than the saved ones.
        if std::mem::replace(&mut self.is_resumed, true) {
            return;
        }
        match start.decisions {
            Ok(decisions) => self.decisions = decisions,
            Err(reason) => {
                let text = format!("{reason}. New decisions replace the saved ones.");
                core.notify(Severity::Warning, text);
            }
        }
    }

    fn on_progress(&mut self, snapshot: ReviewSnapshot) {
        self.state = if snapshot.is_complete {
            ReviewState::Done
        } else {
            ReviewState::Comparing(snapshot.done, snapshot.total)
        };
        // While the recordings are compared again, the previous review is shown until the new one is complete.
        if snapshot.review.pairs.len() < self.review.pairs.len() && !snapshot.is_complete {
            return;
        }
        let place = self.place().filter(|_| self.is_touched);
        self.review = snapshot.review;
        self.rules = snapshot.rules;
        self.update_statuses();
        self.go_back_to(place);
    }

    /// Returns why no decision can be made now, if so.
    pub(crate) fn can_decide(&self, core: &Core) -> Result<(), &'static str> {
        match (core.shows(Desk::Review), self.pair) {
            (false, _) => Err("the review is not shown"),
            (true, None) => Err("no pair is selected"),
            (true, Some(_)) => Ok(()),
        }
    }

    /// Returns whether a decision about these pairs can keep old noise, or why not.
    ///
    /// # Errors
    ///
    /// If every file has only one version, the old noise of all others is known to be impossible to keep, or git would show more lines.
    pub fn can_keep_noise(&self, scope: DecisionScope) -> Result<(), &'static str> {
        let has_both = |index: &&usize| {
            let pair = self.review.pairs.get(**index);
            pair.is_some_and(|p| p.pair.old.is_some() && p.pair.new.is_some())
        };
        let all_pairs: Vec<usize> = match scope {
            DecisionScope::Pair => self.pair.into_iter().collect(),
            DecisionScope::Group => {
                let group = self.open_group();
                group.map_or_else(Vec::new, |(group, _)| group.pairs.clone())
            }
            DecisionScope::Lane => self.pairs_of(scope),
            DecisionScope::Rest => (0..self.review.pairs.len()).collect(),
        };
        let mut pairs = all_pairs.iter().filter(has_both).peekable();
        let has_noise = pairs.peek().is_some();
        let is_refused = pairs.all(|index| matches!(self.line_counts.get(index), Some(Err(_))));
        let lines = match scope {
            DecisionScope::Pair => self.pair_lines().and_then(Result::ok),
            DecisionScope::Group => self.group_lines(),
            DecisionScope::Lane | DecisionScope::Rest => None,
        };
        if !has_noise {
            Err("no old noise: there is only one version")
        } else if is_refused {
            Err("the old noise cannot be kept")
        } else if lines.is_some_and(|lines| lines.after > lines.before) {
            Err("git would show more lines with the old noise")
        } else {
            Ok(())
        }
    }

    /// Whether pairs of the lane of the open group are undecided.
    pub(crate) fn has_undecided_in_lane(&self) -> bool {
        !self.pairs_of(DecisionScope::Lane).is_empty()
    }

    /// Whether any pair is undecided.
    pub(crate) fn has_undecided(&self) -> bool {
        self.statuses
            .pairs
            .iter()
            .any(|mark| matches!(mark, DecisionStatus::Open | DecisionStatus::Skipped))
    }
}
