//! The problems desk: problems by rule, with what the fix of the selected one changes.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::{
    Core, DeskState, DeskView, Effect, Latest, Library, News, PAGE_ROWS, ProblemId, ProjectStart,
    RecordingFit, StepDirection,
};
use calls::Item;
use check::change::{Change, fix_at, fix_of};
use document::diff::text::TextDiff;
use document::{Problem, RuleId, Severity};
use protocol::{Desk, DiskChange, DocId, FixPreviewKey, PreviewFix};

/// An action of the problems desk.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemsAction {
    /// Shows what a rule checks and where it applies: its problems of a severity, or all.
    SelectRule(RuleId, Option<Severity>),
    /// Shows the location of one problem.
    Select(ProblemId),
    /// Lists notes, too, or hides them.
    ToggleNotes,
    /// Fixes what a rule reports: in one document, or in all.
    Fix(RuleId, Option<DocId>),
}

/// A rule, with only the problems of one severity.
pub type RuleRow = (RuleId, Option<Severity>);

/// The view state of the problems desk.
#[derive(Debug, Default)]
pub struct ProblemsDesk {
    /// Whether notes are listed.
    pub shows_notes: bool,
    pub rule: Option<RuleId>,
    /// The severity of the selected row of the rule; `None` for any.
    pub severity: Option<Severity>,
    pub problem: Option<ProblemId>,
    /// The selected problem as it was before a change on disk.
    before_change: Option<(ProblemId, Problem)>,
    /// The changes of the selected problem's fix in its file, or the reason that they are unknown.
    pub(crate) fix: Latest<FixPreviewKey, Result<Arc<TextDiff>, String>>,
}

/// A rule with problems of one severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundRule {
    pub rule: RuleId,
    /// The severity of the problems.
    pub severity: Severity,
    /// The number of problems.
    pub count: usize,
}

impl Library {
    /// The rules with problems: by severity, then by count, then by name.
    pub fn rules_found(&self, with_notes: bool) -> Vec<FoundRule> {
        let rows = self.tally().map(|(rule, severity, count)| FoundRule { rule, severity, count });
        let mut rules: Vec<FoundRule> =
            rows.filter(|row| with_notes || row.severity != Severity::Note).collect();
        rules.sort_by_key(|row| (Reverse(row.severity), Reverse(row.count), row.rule.as_str()));
        rules
    }

    /// Whether a recording that a rule reports still matches its changed source; `None` for other rules.
    pub fn place_fit(&self, rule: RuleId, doc: DocId) -> Option<RecordingFit> {
        Some(RecordingFit::of_item(self.get(doc).filter(|_| rule == RuleId::SourceStale)?))
    }

    /// The documents that the fix of a rule changes, in one document or in all; empty if the rule has none.
    pub fn fix_targets(&self, rule: RuleId, only_doc: Option<DocId>) -> Vec<DocId> {
        let Some(fix) = fix_of(rule) else { return Vec::new() };
        let items: Vec<(DocId, &Item)> = self.iter().collect();
        fix.targets(&items, |doc, _| only_doc.is_none_or(|only_doc| only_doc == doc))
    }
}

impl DeskState for ProblemsDesk {
    fn subject(&self, _core: &Core) -> Option<DocId> {
        self.problem.map(|problem| problem.doc)
    }

    /// Selects the first place if the desk is shown without a selection, so that a text is always shown, and requests what its
    /// fix changes.
    fn sync(&mut self, core: &mut Core) {
        if !core.shows(Desk::Problems) {
            return;
        }
        let is_selected = self.problem.is_some_and(|id| core.library.problem(id).is_some());
        // While files arrive, the first place changes again and again.
        if !is_selected && core.progress.is_none() {
            self.select_first(core);
        }
        self.sync_fix(core);
    }

    fn has_rows(&self) -> bool {
        self.problem.is_some()
    }

    /// Selects the next or previous place. A page of places is all places of a rule.
    fn step(&mut self, core: &mut Core, step: StepDirection, rows: usize) {
        let problem = if rows == PAGE_ROWS {
            let rule = self.adjacent_rule(core, step);
            rule.and_then(|rule| self.places_of(core, rule).first().copied())
        } else {
            self.adjacent_place(core, step)
        };
        if let Some(problem) = problem {
            self.select_problem(core, problem);
        }
    }

    /// Selects the first or last place of the selected rule.
    fn step_to_end(&mut self, core: &mut Core, end: StepDirection) {
        let places = self.rule.map(|rule| self.places_of(core, (rule, self.severity)));
        if let Some(problem) = places.and_then(|p| end.pick(p.last(), p.first()).copied()) {
            self.select_problem(core, problem);
        }
    }

    fn open_selected(&mut self, core: &mut Core) {
        match self.problem.and_then(|id| Some((id.doc, core.library.problem(id)?.span))) {
            Some((doc, span)) => core.reveal(doc, span),
            None => core.inspector.show(),
        }
    }

    fn on_disk_change(&mut self, core: &Core, change: &DiskChange) {
        // The library still has the old items here; afterwards the problem cannot be looked up.
        if let DiskChange::Changed(_) | DiskChange::Seen(_) = change {
            let focus = self.problem;
            self.before_change = focus.and_then(|id| Some((id, core.library.problem(id)?.clone())));
        }
    }

    /// Keeps the selected problem selected, or the most similar one, while its item changes.
    fn on_news(&mut self, core: &Core, news: &News) {
        if let Some((id, problem)) = self.before_change.take()
            && news.changed.contains(&id.doc)
        {
            let problems = core.library.get(id.doc).map(|item| &*item.problems);
            let index = problems.and_then(|problems| most_similar(problems, &problem));
            self.problem = index.map(|index| ProblemId { index, ..id });
        }
        self.problem = self.problem.and_then(|id| {
            let doc = news.removed.get(&id.doc).copied().unwrap_or(Some(id.doc))?;
            Some(ProblemId { doc, ..id })
        });
    }

    fn start_project(&mut self, start: ProjectStart) {
        self.problem = None;
        if start == ProjectStart::Other {
            *self = Self::default();
        }
    }
}

impl ProblemsDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: ProblemsAction) {
        match action {
            ProblemsAction::SelectRule(rule, severity) => {
                // With no problem selected, `sync` selects the first place of the rule.
                (self.rule, self.severity) = (Some(rule), severity);
                self.problem = None;
            }
            ProblemsAction::Select(problem) => self.select_problem(core, problem),
            ProblemsAction::ToggleNotes => {
                self.shows_notes ^= true;
                if self.severity == Some(Severity::Note) && !self.shows_notes {
                    (self.rule, self.severity, self.problem) = (None, None, None);
                }
            }
            ProblemsAction::Fix(rule, doc) => {
                core.plan_batch(Change::FixRule(rule), core.library.fix_targets(rule, doc));
            }
        }
    }

    /// Whether there is a problem to go to.
    pub(crate) fn has_problems(&self, core: &Core) -> bool {
        !core.library.rules_found(self.shows_notes).is_empty()
    }

    /// The selected place of the selected rule stays; else the first one, or the first of the first rule.
    fn select_first(&mut self, core: &mut Core) {
        self.problem = None;
        let rule_places = self.rule.map(|rule| self.places_of(core, (rule, self.severity)));
        let first = rule_places.and_then(|places| places.first().copied());
        let first =
            first.or_else(|| self.places_of(core, *self.rules(core).first()?).first().copied());
        if let Some(problem) = first {
            self.select_problem(core, problem);
        }
    }

    fn sync_fix(&mut self, core: &mut Core) {
        let key = self.problem.and_then(|id| {
            let (item, problem) = (core.library.get(id.doc)?, core.library.problem(id)?);
            fix_at(problem, item)?;
            Some(FixPreviewKey {
                doc: id.doc,
                rule: problem.rule,
                revision: core.library.text(id.doc).map(|(_, revision)| revision),
                items: (core.generation, core.library.items_revision),
            })
        });
        let Some(key) = key else {
            self.fix = Latest::default();
            return;
        };
        if self.fix.want(&key)
            && let Some(document) = core.library.current(key.doc)
        {
            core.request(Effect::run(PreviewFix { key, document }));
        }
    }

    /// Returns the changes of the fix in a document, or the reason that they are unknown; `None` while they are awaited.
    pub fn fix_preview(&self, doc: DocId, rule: RuleId) -> Option<&Result<Arc<TextDiff>, String>> {
        let key = self.fix.key.as_ref()?;
        self.fix.value.as_ref().filter(|_| (key.doc, key.rule) == (doc, rule))
    }

    fn select_problem(&mut self, core: &mut Core, problem: ProblemId) {
        if let Some(found_problem) = core.library.problem(problem) {
            (self.rule, self.severity) = (Some(found_problem.rule), Some(found_problem.severity));
            self.problem = Some(problem);
            self.shows_notes |= found_problem.severity == Severity::Note;
            core.request_document(problem.doc);
        }
    }

    /// Goes through the files in the order of their paths, and through each file from top to bottom.
    pub(crate) fn step_problem(&mut self, core: &mut Core, step: StepDirection) {
        let with_notes = self.shows_notes;
        let focus = self.problem;
        let is_in_level = |problem: &Problem| with_notes || problem.severity != Severity::Note;
        let file_problems = |doc: DocId| {
            let problems =
                core.library.listed_problems(doc).filter(|(_, problem)| is_in_level(problem));
            problems.map(move |(index, _)| ProblemId { doc, index })
        };
        let neighbour = focus.and_then(|focus| match step {
            StepDirection::Next => file_problems(focus.doc).find(|id| *id > focus),
            StepDirection::Previous => file_problems(focus.doc).rfind(|id| *id < focus),
        });
        let target = neighbour.or_else(|| {
            let doc = self.adjacent_file(core, focus.map(|focus| focus.doc), step, is_in_level)?;
            step.pick(file_problems(doc).next(), file_problems(doc).next_back())
        });
        let Some(problem) = target else { return };
        core.go(Desk::Problems, DeskView::List);
        self.select_problem(core, problem);
    }

    /// The next file with a matching problem, in the order of the list; wraps around at the end. Looks only at files that had such problems
    /// when they were last listed, because there may be a million others.
    fn adjacent_file(
        &self,
        core: &Core,
        current: Option<DocId>,
        step: StepDirection,
        is_wanted: impl Fn(&Problem) -> bool,
    ) -> Option<DocId> {
        let orders = &core.list.listing.orders;
        let docs = if self.shows_notes { &orders.flawed } else { &orders.warned };
        let rank = |doc: DocId| orders.path_ranks.get(doc.index());
        let has_problem =
            |doc: &&DocId| core.library.listed_problems(**doc).any(|(_, p)| is_wanted(p));
        let current = current.and_then(rank);
        // The present file comes last in both directions; without one, all files are after it.
        let file = match step {
            StepDirection::Next => {
                let (before, after) =
                    docs.split_at(docs.partition_point(|doc| rank(*doc) <= current));
                after.iter().chain(before).find(has_problem)
            }
            StepDirection::Previous => {
                let (before, after) =
                    docs.split_at(docs.partition_point(|doc| rank(*doc) < current));
                before.iter().rev().chain(after.iter().rev()).find(has_problem)
            }
        };
        file.copied()
    }

    /// The places of a rule in the order of the list: by folder and file in natural order, then by position; recordings of a changed
    /// source by whether they still match it.
    pub fn places_of(&self, core: &Core, (rule, severity): RuleRow) -> Vec<ProblemId> {
        let places = core.list.listing.orders.by_path.iter().flat_map(|doc| {
            let problems = core.library.listed_problems(*doc).filter(move |(_, problem)| {
                problem.rule == rule && severity.is_none_or(|severity| severity == problem.severity)
            });
            problems.map(|(index, _)| ProblemId { doc: *doc, index })
        });
        let mut places: Vec<ProblemId> = places.collect();
        places.sort_by_key(|place| Reverse(core.library.place_fit(rule, place.doc)));
        places
    }

    /// The rows of the rules in order; a rule with problems of two severities has two.
    fn rules(&self, core: &Core) -> Vec<RuleRow> {
        let found_rules = core.library.rules_found(self.shows_notes).into_iter();
        found_rules.map(|row| (row.rule, Some(row.severity))).collect()
    }

    fn adjacent_rule(&self, core: &Core, way: StepDirection) -> Option<RuleRow> {
        let rules = self.rules(core);
        let rule = self.rule?;
        let is_here =
            |row: &RuleRow| row.0 == rule && (self.severity.is_none() || row.1 == self.severity);
        rules.get(way.beside(rules.iter().position(is_here)?)?).copied()
    }

    /// The place after or before the selected one, across rules.
    fn adjacent_place(&self, core: &Core, step: StepDirection) -> Option<ProblemId> {
        let (rule, problem) = (self.rule?, self.problem?);
        let places = self.places_of(core, (rule, self.severity));
        let index = places.iter().position(|place| *place == problem)?;
        step.beside(index).and_then(|index| places.get(index)).copied().or_else(|| {
            let places = self.places_of(core, self.adjacent_rule(core, step)?);
            step.pick(places.first(), places.last()).copied()
        })
    }
}

/// Finds the problem that is most similar to an earlier one of the same rule.
fn most_similar(problems: &[Problem], model: &Problem) -> Option<usize> {
    let similarity = |p: &Problem| (p.pointer == model.pointer, p.message == model.message);
    // `max_by_key` takes the last of several, so in reverse it takes the first.
    let candidates = problems.iter().enumerate().rev().filter(|(_, p)| p.rule == model.rule);
    candidates.max_by_key(|(_, p)| similarity(p)).map(|(index, _)| index)
}
