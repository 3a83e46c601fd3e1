//! The list of problems, by rule, then by folder and file.

use std::cmp::Reverse;

use crate::format::{Problem, RuleId, Severity};
use crate::workbench::core::library::{DocId, Library};
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::navigation::{Desk, DeskView, Location};
use crate::workbench::core::state::ProblemId;
use crate::workbench::state::Workbench;

use crate::workbench::desks::problems::sources::SourcesDesk;

/// What the problems desk lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProblemsView {
    #[default]
    Rules,
    Files,
    /// The sources of recordings, with their status.
    Sources,
}

/// The view state of the problems desk.
#[derive(Debug, Default)]
pub struct ProblemsDesk {
    pub view: ProblemsView,
    pub sources: SourcesDesk,
    pub level: Option<Severity>,
    pub rule: Option<RuleId>,
    pub problem: Option<ProblemId>,
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
        let found = self.tally().map(|(rule, severity, count)| FoundRule {
            rule,
            severity,
            count,
        });
        let mut rules: Vec<FoundRule> = found
            .filter(|found| level.is_none_or(|level| level == found.severity))
            .collect();
        rules.sort_by_key(|found| {
            (
                Reverse(found.severity),
                Reverse(found.count),
                found.rule.as_str(),
            )
        });
        rules
    }
}

impl Workbench {
    pub(in crate::workbench) fn select_problem(&mut self, problem: ProblemId) {
        if let Some(found) = self.core.library.problem(problem) {
            self.problems.rule = Some(found.rule);
            self.problems.problem = Some(problem);
            self.core.request_document(problem.doc);
        }
    }

    /// Goes through the files in the order of their paths, and through each file from top to bottom.
    pub(in crate::workbench) fn step_problem(&mut self, step: StepDirection) {
        let level = self.problems.level;
        let here = self.problems.problem;
        let wanted = |problem: &Problem| level.is_none_or(|level| problem.severity == level);
        let in_file = |doc: DocId| {
            let problems = self
                .core
                .library
                .get(doc)
                .map_or(&[][..], |item| &item.problems);
            let problems = problems.iter().enumerate();
            let wanted = problems.filter(|(_, problem)| wanted(problem));
            wanted.map(move |(index, _)| ProblemId { doc, index })
        };
        let beside = here.and_then(|here| match step {
            StepDirection::Next => in_file(here.doc).find(|id| *id > here),
            StepDirection::Previous => in_file(here.doc).rfind(|id| *id < here),
        });
        let found = beside.or_else(|| {
            let doc = self.adjacent_file(here.map(|here| here.doc), step, wanted)?;
            match step {
                StepDirection::Next => in_file(doc).next(),
                StepDirection::Previous => in_file(doc).next_back(),
            }
        });
        let Some(problem) = found else {
            return;
        };
        if self.problems.view == ProblemsView::Sources {
            self.problems.view = ProblemsView::Rules;
        }
        self.core.go(Desk::Problems, DeskView::List);
        self.select_problem(problem);
    }

    /// The next file, by path, with a matching problem; wraps around at the end. Sorts nothing, because there may be a hundred
    /// thousand files.
    fn adjacent_file(
        &self,
        here: Option<DocId>,
        step: StepDirection,
        wanted: impl Fn(&Problem) -> bool,
    ) -> Option<DocId> {
        let here = here.and_then(|doc| Some((&self.core.library.get(doc)?.path, doc)));
        let files = self.core.library.iter();
        let files = files.filter(|(_, item)| item.problems.iter().any(&wanted));
        let files = files.map(|(doc, item)| (&item.path, doc));
        let file = match step {
            StepDirection::Next => files.min_by_key(|file| (Some(*file) <= here, *file)),
            StepDirection::Previous => files.max_by_key(|file| (Some(*file) < here, *file)),
        };
        file.map(|(_, doc)| doc)
    }

    /// Selects the next or previous place on the problems desk; does nothing at the ends.
    pub(in crate::workbench) fn step_place(&mut self, step: StepDirection) {
        if let Some(problem) = self.adjacent_place(step) {
            self.select_problem(problem);
        }
    }

    /// Selects the first place of the next or previous rule; does nothing at the ends.
    pub(in crate::workbench) fn step_rule(&mut self, step: StepDirection) {
        let rule = self.adjacent_rule(step);
        let first = rule.and_then(|rule| self.places_of(rule).first().copied());
        if let Some(problem) = first {
            self.select_problem(problem);
        }
    }

    /// Selects the first or last place of the selected rule.
    pub(in crate::workbench) fn step_to_end(&mut self, end: StepDirection) {
        let places = self.problems.rule.map(|rule| self.places_of(rule));
        let place = places.and_then(|places| match end {
            StepDirection::Next => places.last().copied(),
            StepDirection::Previous => places.first().copied(),
        });
        if let Some(problem) = place {
            self.select_problem(problem);
        }
    }

    /// Shows only one severity, or all. Keeps the selection if it has that severity.
    pub(in crate::workbench) fn filter_problems(&mut self, level: Option<Severity>) {
        self.problems.level = level;
        let selected = self
            .problems
            .problem
            .and_then(|id| self.core.library.problem(id));
        if selected.is_none_or(|problem| level.is_some_and(|level| level != problem.severity)) {
            self.problems.problem = None;
            self.problems.rule = None;
        }
    }

    /// Selects the first place if the problems desk is shown without a selection, so that a text is always shown.
    pub(in crate::workbench) fn sync_problems(&mut self) {
        let at_desk = self.core.here()
            == Location {
                desk: Desk::Problems,
                view: DeskView::List,
            };
        let chosen = self
            .problems
            .problem
            .and_then(|id| self.core.library.problem(id));
        if !at_desk
            || self.problems.view == ProblemsView::Sources
            || chosen.is_some()
            || self.core.progress.is_some()
        {
            return;
        }
        self.problems.problem = None;
        let of_rule = self.problems.rule.map(|rule| self.places_of(rule));
        let first = of_rule.and_then(|places| places.first().copied());
        if let Some(problem) = first.or_else(|| self.end_place(StepDirection::Next)) {
            self.select_problem(problem);
        }
    }

    /// The places of a rule, by folder and file in natural order, then by position.
    fn places_of(&self, rule: RuleId) -> Vec<ProblemId> {
        let level = self.problems.level;
        let places = self
            .core
            .list
            .listing
            .orders
            .by_path
            .iter()
            .flat_map(|doc| {
                let problems = self
                    .core
                    .library
                    .get(*doc)
                    .map_or(&[][..], |item| &item.problems);
                let found = problems.iter().enumerate().filter(move |(_, problem)| {
                    problem.rule == rule && level.is_none_or(|level| level == problem.severity)
                });
                found.map(|(index, _)| ProblemId { doc: *doc, index })
            });
        places.collect()
    }

    /// The rules in order; a rule with problems of two severities is listed at the higher one.
    fn rules(&self) -> Vec<RuleId> {
        let mut rules = Vec::new();
        for found in self.core.library.rules_found(self.problems.level) {
            if !rules.contains(&found.rule) {
                rules.push(found.rule);
            }
        }
        rules
    }

    fn adjacent_rule(&self, step: StepDirection) -> Option<RuleId> {
        let rules = self.rules();
        let here = self.problems.rule?;
        let at = rules.iter().position(|rule| *rule == here)?;
        let beside = match step {
            StepDirection::Next => at + 1,
            StepDirection::Previous => at.checked_sub(1)?,
        };
        rules.get(beside).copied()
    }

    /// The place after or before the selected one, across rules.
    fn adjacent_place(&self, step: StepDirection) -> Option<ProblemId> {
        let (rule, problem) = (self.problems.rule?, self.problems.problem?);
        let places = self.places_of(rule);
        let at = places.iter().position(|place| *place == problem)?;
        let beside = match step {
            StepDirection::Next => places.get(at + 1),
            StepDirection::Previous => at.checked_sub(1).and_then(|at| places.get(at)),
        };
        beside.copied().or_else(|| {
            let places = self.places_of(self.adjacent_rule(step)?);
            match step {
                StepDirection::Next => places.first().copied(),
                StepDirection::Previous => places.last().copied(),
            }
        })
    }

    /// The first place of the first rule for a step forward; the last place of the last rule for a step back.
    fn end_place(&self, step: StepDirection) -> Option<ProblemId> {
        let rules = self.rules();
        match step {
            StepDirection::Next => self.places_of(*rules.first()?).first().copied(),
            StepDirection::Previous => self.places_of(*rules.last()?).last().copied(),
        }
    }
}

impl crate::workbench::desks::DeskState for ProblemsDesk {}
