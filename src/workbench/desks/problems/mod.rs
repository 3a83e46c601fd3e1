//! The problems desk: problems by rule or file, and the sources of recordings.

pub(crate) mod sources;

use std::cmp::Reverse;

use crate::core::library::{Library, ProblemId};
use crate::core::navigation::{DeskView, PAGE_ROWS, StepDirection};
use crate::core::{Core, News, ProjectStart};
use crate::desks::DeskState;
use crate::desks::problems::sources::{SourceAction, SourcesDesk};
use calls::Item;
use check::change::{Change, fix_of};
use document::{Problem, RuleId, Severity};
use protocol::{Desk, DiskChange, DocId};

/// Content of the list on the problems desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProblemsView {
    #[default]
    Rules,
    /// The sources of recordings, with their status.
    Sources,
}

/// An action of the problems desk.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemsAction {
    /// Lists problems by rule, or lists sources.
    SetView(ProblemsView),
    /// Shows what a rule checks and where it applies: its problems of a severity, or all.
    SelectRule(RuleId, Option<Severity>),
    /// Shows the location of one problem.
    Select(ProblemId),
    /// Shows problems of one severity only, or all.
    Filter(Option<Severity>),
    /// Fixes what a rule reports: in one document, or in all.
    Fix(RuleId, Option<DocId>),
    /// An action of the list of sources.
    Sources(SourceAction),
}

/// The view state of the problems desk.
#[derive(Debug, Default)]
pub struct ProblemsDesk {
    pub view: ProblemsView,
    pub sources: SourcesDesk,
    pub level: Option<Severity>,
    pub rule: Option<RuleId>,
    /// The severity of the selected row of the rule; `None` for any.
    pub severity: Option<Severity>,
    pub problem: Option<ProblemId>,
    /// The selected problem as it was before a change on disk.
    before_change: Option<(ProblemId, Problem)>,
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
    /// The rules with problems of a severity (`None` for any): by severity, then by count, then by name.
    pub fn rules_found(&self, level: Option<Severity>) -> Vec<FoundRule> {
        let rows = self.tally().map(|(rule, severity, count)| FoundRule { rule, severity, count });
        let mut rules: Vec<FoundRule> =
            rows.filter(|row| level.is_none_or(|level| level == row.severity)).collect();
        rules.sort_by_key(|row| (Reverse(row.severity), Reverse(row.count), row.rule.as_str()));
        rules
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
        let problem = self.problem.filter(|_| self.view != ProblemsView::Sources);
        problem.map(|problem| problem.doc)
    }

    /// Updates the list of sources. Selects the first place if the desk is shown without a selection, so that a text is
    /// always shown.
    fn sync(&mut self, core: &mut Core) {
        if !core.shows(Desk::Problems) {
            return;
        }
        let is_arriving = core.progress.is_some();
        if self.view == ProblemsView::Sources {
            let sources = &core.list.listing.orders.sources;
            return self.sources.sync(sources, is_arriving);
        }
        let selected_problem = self.problem.and_then(|id| core.library.problem(id));
        // While files arrive, the first place changes again and again.
        if selected_problem.is_some() || is_arriving {
            return;
        }
        self.problem = None;
        let rule_places = self.rule.map(|rule| self.places_of(core, (rule, self.severity)));
        let first = rule_places.and_then(|places| places.first().copied());
        // Else the first place of the first rule.
        let first =
            first.or_else(|| self.places_of(core, *self.rules(core).first()?).first().copied());
        if let Some(problem) = first {
            self.select_problem(core, problem);
        }
    }

    fn has_rows(&self) -> bool {
        match self.view {
            ProblemsView::Sources => self.sources.has_rows(),
            ProblemsView::Rules => self.problem.is_some(),
        }
    }

    /// Selects the next or previous source or place. A page of places is all places of a rule.
    fn step(&mut self, core: &mut Core, step: StepDirection, rows: usize) {
        match self.view {
            ProblemsView::Sources => self.sources.step(step, rows),
            ProblemsView::Rules => {
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
        }
    }

    /// Selects the first or last source, or place of the selected rule.
    fn step_to_end(&mut self, core: &mut Core, end: StepDirection) {
        if self.view == ProblemsView::Sources {
            return self.sources.step(end, usize::MAX);
        }
        let places = self.rule.map(|rule| self.places_of(core, (rule, self.severity)));
        let place = places.and_then(|p| end.pick(p.last(), p.first()).copied());
        if let Some(problem) = place {
            self.select_problem(core, problem);
        }
    }

    fn open_selected(&mut self, core: &mut Core) {
        if self.view == ProblemsView::Sources {
            return self.on_source(core, None, SourceAction::Compare);
        }
        let place = self.problem.and_then(|id| Some((id.doc, core.library.problem(id)?.span)));
        match place {
            Some((doc, span)) => core.reveal(doc, span),
            None => core.inspector.show(),
        }
    }

    fn on_disk_change(&mut self, core: &Core, change: &DiskChange) {
        // The library still has the old items here; afterwards the problem cannot be looked up.
        if let DiskChange::Changed(_) | DiskChange::Seen(_) = change {
            let selected_id = self.problem;
            self.before_change =
                selected_id.and_then(|id| Some((id, core.library.problem(id)?.clone())));
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
            ProblemsAction::SetView(view) => self.view = view,
            ProblemsAction::SelectRule(rule, severity) => {
                // With no problem selected, `sync` selects the first place of the rule.
                (self.rule, self.severity) = (Some(rule), severity);
                self.problem = None;
            }
            ProblemsAction::Select(problem) => self.select_problem(core, problem),
            ProblemsAction::Filter(level) => self.filter_problems(core, level),
            ProblemsAction::Fix(rule, doc) => {
                core.plan_batch(Change::FixRule(rule), core.library.fix_targets(rule, doc));
            }
            ProblemsAction::Sources(action) => self.act_on_sources(core, action),
        }
    }

    fn select_problem(&mut self, core: &mut Core, problem: ProblemId) {
        if let Some(found_problem) = core.library.problem(problem) {
            (self.rule, self.severity) = (Some(found_problem.rule), Some(found_problem.severity));
            self.problem = Some(problem);
            core.request_document(problem.doc);
        }
    }

    /// Goes through the files in the order of their paths, and through each file from top to bottom.
    pub(crate) fn step_problem(&mut self, core: &mut Core, step: StepDirection) {
        let level = self.level;
        let current_id = self.problem;
        let is_in_level = |problem: &Problem| level.is_none_or(|level| problem.severity == level);
        let file_problems = |doc: DocId| {
            let problems =
                core.library.listed_problems(doc).filter(|(_, problem)| is_in_level(problem));
            problems.map(move |(index, _)| ProblemId { doc, index })
        };
        let neighbour = current_id.and_then(|current_id| match step {
            StepDirection::Next => file_problems(current_id.doc).find(|id| *id > current_id),
            StepDirection::Previous => file_problems(current_id.doc).rfind(|id| *id < current_id),
        });
        let target = neighbour.or_else(|| {
            let doc = self.adjacent_file(
                core,
                current_id.map(|current_id| current_id.doc),
                step,
                is_in_level,
            )?;
            step.pick(file_problems(doc).next(), file_problems(doc).next_back())
        });
        let Some(problem) = target else { return };
        if self.view == ProblemsView::Sources {
            self.view = ProblemsView::Rules;
        }
        core.go(Desk::Problems, DeskView::List);
        self.select_problem(core, problem);
    }

    /// The next file, by path, with a matching problem; wraps around at the end. Sorts nothing, because there may be a hundred
    /// thousand files.
    fn adjacent_file(
        &self,
        core: &Core,
        current: Option<DocId>,
        step: StepDirection,
        is_wanted: impl Fn(&Problem) -> bool,
    ) -> Option<DocId> {
        let current = current.and_then(|doc| Some((&core.library.get(doc)?.path, doc)));
        let has_problem = |doc| core.library.listed_problems(doc).any(|(_, p)| is_wanted(p));
        let files = core
            .library
            .iter()
            .filter(|(doc, _)| has_problem(*doc))
            .map(|(doc, item)| (&item.path, doc));
        let file = match step {
            // Files behind the present one are `false` and come first; without any, the first file is next.
            StepDirection::Next => files.min_by_key(|file| (Some(*file) <= current, *file)),
            // The same in the other direction.
            StepDirection::Previous => files.max_by_key(|file| (Some(*file) < current, *file)),
        };
        file.map(|(_, doc)| doc)
    }

    /// Shows only one severity, or all. Keeps the selection if it has that severity.
    pub(crate) fn filter_problems(&mut self, core: &mut Core, level: Option<Severity>) {
        self.level = level;
        let selected_problem = self.problem.and_then(|id| core.library.problem(id));
        if selected_problem
            .is_none_or(|problem| level.is_some_and(|level| level != problem.severity))
        {
            self.problem = None;
            (self.rule, self.severity) = (None, None);
        }
    }

    /// The places of a rule, by folder and file in natural order, then by position.
    fn places_of(
        &self,
        core: &Core,
        (rule, severity): (RuleId, Option<Severity>),
    ) -> Vec<ProblemId> {
        let level = self.level.or(severity);
        let places = core.list.listing.orders.by_path.iter().flat_map(|doc| {
            let problems = core.library.listed_problems(*doc).filter(move |(_, problem)| {
                problem.rule == rule && level.is_none_or(|level| level == problem.severity)
            });
            problems.map(|(index, _)| ProblemId { doc: *doc, index })
        });
        places.collect()
    }

    /// The rows of the rules in order; a rule with problems of two severities has two.
    fn rules(&self, core: &Core) -> Vec<(RuleId, Option<Severity>)> {
        let found_rules = core.library.rules_found(self.level).into_iter();
        found_rules.map(|row| (row.rule, Some(row.severity))).collect()
    }

    fn adjacent_rule(
        &self,
        core: &Core,
        step: StepDirection,
    ) -> Option<(RuleId, Option<Severity>)> {
        let rules = self.rules(core);
        let rule = self.rule?;
        let is_here = |row: &(RuleId, Option<Severity>)| {
            row.0 == rule && (self.severity.is_none() || row.1 == self.severity)
        };
        let index = rules.iter().position(is_here)?;
        rules.get(step.beside(index)?).copied()
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
fn most_similar(problems: &[Problem], old_problem: &Problem) -> Option<usize> {
    let similarity = |problem: &Problem| {
        (problem.pointer == old_problem.pointer, problem.message == old_problem.message)
    };
    // `max_by_key` takes the last of several, so in reverse it takes the first.
    let candidates =
        problems.iter().enumerate().rev().filter(|(_, problem)| problem.rule == old_problem.rule);
    candidates.max_by_key(|(_, problem)| similarity(problem)).map(|(index, _)| index)
}
