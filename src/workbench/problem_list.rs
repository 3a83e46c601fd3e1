//! The problems in the order in which people go through them: rule by rule, then by folder and file.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::action::Step;
use super::event::Effect;
use super::library::{DocId, Library};
use super::listing::natural;
use super::navigation::{Desk, Location, View};
use super::state::{ProblemId, Workbench};
use crate::format::{RuleId, Severity};
use crate::ops::Item;

/// A rule that found something, at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundRule {
    /// The rule.
    pub rule: RuleId,
    /// The level its problems have here.
    pub severity: Severity,
    /// How many problems it found at this level.
    pub count: usize,
}

impl Library {
    /// The rules that found something at a level (at any: `None`): by level, then those that found most, then by name.
    pub fn rules_found(&self, level: Option<Severity>) -> Vec<FoundRule> {
        let mut counts: BTreeMap<(Severity, RuleId), usize> = BTreeMap::new();
        for (_, _, problem) in self.problems() {
            if level.is_none_or(|level| level == problem.severity) {
                *counts.entry((problem.severity, problem.rule)).or_default() += 1;
            }
        }
        let mut rules: Vec<FoundRule> = counts
            .into_iter()
            .map(|((severity, rule), count)| FoundRule {
                rule,
                severity,
                count,
            })
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

    /// Where a rule found something at a level (at any: `None`): by folder and file, as people count, then from the top.
    pub fn places(&self, rule: RuleId, level: Option<Severity>) -> Vec<ProblemId> {
        let found = |item: &Item, index: usize| {
            let problem = &item.problems[index];
            problem.rule == rule && level.is_none_or(|level| level == problem.severity)
        };
        let mut docs: Vec<(DocId, &Item)> = self
            .iter()
            .filter(|(_, item)| (0..item.problems.len()).any(|index| found(item, index)))
            .collect();
        docs.sort_by(|(_, a), (_, b)| {
            let by_folder = natural(a.folder(), b.folder());
            by_folder.then_with(|| natural(&a.root_path, &b.root_path))
        });
        let places = docs.into_iter().flat_map(|(doc, item)| {
            let indices = (0..item.problems.len()).filter(move |index| found(item, *index));
            indices.map(move |index| ProblemId { doc, index })
        });
        places.collect()
    }
}

impl Workbench {
    /// Goes to the next or the previous problem, round and round, whatever desk is shown.
    pub(super) fn step_problem(&mut self, step: Step) -> Vec<Effect> {
        let Some(problem) = self.place_beside(step).or_else(|| self.outermost(step)) else {
            return Vec::new();
        };
        let mut effects = self.go(Desk::Problems, View::List);
        effects.extend(self.select_problem(problem));
        effects
    }

    /// Selects the next or the previous place on the problems desk; at its ends nothing.
    pub(super) fn step_place(&mut self, step: Step) -> Vec<Effect> {
        match self.place_beside(step) {
            Some(problem) => self.select_problem(problem),
            None => Vec::new(),
        }
    }

    /// Selects the first place of the next or the previous rule; at the ends nothing.
    pub(super) fn step_rule(&mut self, step: Step) -> Vec<Effect> {
        let rule = self.rule_beside(step);
        let first = rule.and_then(|rule| self.places_of(rule).first().copied());
        match first {
            Some(problem) => self.select_problem(problem),
            None => Vec::new(),
        }
    }

    /// Selects the first or the last place of the rule that is shown.
    pub(super) fn step_to_end(&mut self, end: Step) -> Vec<Effect> {
        let places = self.problems.rule.map(|rule| self.places_of(rule));
        let place = places.and_then(|places| match end {
            Step::Next => places.last().copied(),
            Step::Previous => places.first().copied(),
        });
        match place {
            Some(problem) => self.select_problem(problem),
            None => Vec::new(),
        }
    }

    pub(super) fn select_problem(&mut self, problem: ProblemId) -> Vec<Effect> {
        if let Some(found) = self.problem(problem) {
            self.problems.rule = Some(found.rule);
            self.problems.problem = Some(problem);
            return self.want(problem.doc);
        }
        Vec::new()
    }

    /// Shows only one level, or all. What is selected stays if it is of that level.
    pub(super) fn filter_problems(&mut self, level: Option<Severity>) -> Vec<Effect> {
        self.problems.level = level;
        let selected = self.problems.problem.and_then(|id| self.problem(id));
        if selected.is_none_or(|problem| level.is_some_and(|level| level != problem.severity)) {
            self.problems.problem = None;
            self.problems.rule = None;
        }
        Vec::new()
    }

    /// Chooses the first place when the problems desk is shown and none is chosen, so that its text is never missing.
    pub(super) fn follow_problems(&mut self) -> Vec<Effect> {
        let at_desk = self.here()
            == Location {
                desk: Desk::Problems,
                view: View::List,
            };
        let chosen = self.problems.problem.and_then(|id| self.problem(id));
        if !at_desk || chosen.is_some() || self.progress.is_some() {
            return Vec::new();
        }
        self.problems.problem = None;
        let of_rule = self.problems.rule.map(|rule| self.places_of(rule));
        let first = of_rule.and_then(|places| places.first().copied());
        match first.or_else(|| self.outermost(Step::Next)) {
            Some(problem) => self.select_problem(problem),
            None => Vec::new(),
        }
    }

    fn places_of(&self, rule: RuleId) -> Vec<ProblemId> {
        self.library.places(rule, self.problems.level)
    }

    /// The rules from top to bottom; one that found something at two levels stands at the weightier.
    fn rules(&self) -> Vec<RuleId> {
        let mut rules = Vec::new();
        for found in self.library.rules_found(self.problems.level) {
            if !rules.contains(&found.rule) {
                rules.push(found.rule);
            }
        }
        rules
    }

    fn rule_beside(&self, step: Step) -> Option<RuleId> {
        let rules = self.rules();
        let here = self.problems.rule?;
        let at = rules.iter().position(|rule| *rule == here)?;
        let beside = match step {
            Step::Next => at + 1,
            Step::Previous => at.checked_sub(1)?,
        };
        rules.get(beside).copied()
    }

    /// The place after or before the selected one, over the border of its rule.
    fn place_beside(&self, step: Step) -> Option<ProblemId> {
        let (rule, problem) = (self.problems.rule?, self.problems.problem?);
        let places = self.places_of(rule);
        let at = places.iter().position(|place| *place == problem)?;
        let beside = match step {
            Step::Next => places.get(at + 1),
            Step::Previous => at.checked_sub(1).and_then(|at| places.get(at)),
        };
        beside.copied().or_else(|| {
            let places = self.places_of(self.rule_beside(step)?);
            match step {
                Step::Next => places.first().copied(),
                Step::Previous => places.last().copied(),
            }
        })
    }

    /// The first place of the first rule, for a step forward; for one back, the last of the last.
    fn outermost(&self, step: Step) -> Option<ProblemId> {
        let rules = self.rules();
        match step {
            Step::Next => self.places_of(*rules.first()?).first().copied(),
            Step::Previous => self.places_of(*rules.last()?).last().copied(),
        }
    }
}
