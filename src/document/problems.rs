//! Collects the problems of one file.

use std::sync::Arc;

use super::problem::{Problem, RuleId};
use super::tree::Node;

/// The most problems of one rule that are listed for one file: with more, users fix the cause and not each place.
const MAX_PROBLEMS_PER_RULE: usize = 50;

/// The problems found while one file is read.
#[derive(Debug, Default)]
pub(crate) struct ProblemList {
    list: Vec<Problem>,
    left_out: Vec<(RuleId, usize)>,
}

impl ProblemList {
    /// Adds a problem about a value.
    pub(crate) fn at(&mut self, rule: RuleId, node: Node<'_>, message: impl Into<Arc<str>>) {
        self.add_with(rule, || node.problem(rule, message));
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        self.add_with(problem.rule, || problem);
    }

    /// Adds a problem of `rule`, unless there are too many already: then it is only counted.
    pub(crate) fn add_with(&mut self, rule: RuleId, problem: impl FnOnce() -> Problem) {
        let problems = self.list.iter().filter(|problem| problem.rule == rule);
        if problems.count() < MAX_PROBLEMS_PER_RULE {
            self.list.push(problem());
            return;
        }
        match self.left_out.iter_mut().find(|(listed_rule, _)| *listed_rule == rule) {
            Some((_, count)) => *count += 1,
            None => self.left_out.push((rule, 1)),
        }
    }

    /// True when a problem of `rule` was found.
    pub(crate) fn has(&self, rule: RuleId) -> bool {
        self.list.iter().any(|problem| problem.rule == rule)
    }

    /// Forgets the problems of `rule`.
    pub(crate) fn forget(&mut self, rule: RuleId) {
        self.list.retain(|problem| problem.rule != rule);
        self.left_out.retain(|(listed_rule, _)| *listed_rule != rule);
    }

    /// Problems that hide content of the file, as in [`Self::finish`].
    pub(crate) fn hiding_content(mut self) -> Vec<Problem> {
        self.list.retain(|problem| problem.rule.hides_content());
        self.left_out.retain(|(rule, _)| rule.hides_content());
        self.finish()
    }

    /// Everything found, in the order of the text. Where some were left out, the last of their rule says how many.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        // Stable: problems of one place stay in the order in which they were found.
        self.list.sort_by_key(|problem| problem.span.start);
        for (rule, count) in self.left_out {
            if let Some(last) = self.list.iter_mut().rfind(|problem| problem.rule == rule) {
                last.add_unlisted_count(count);
            }
        }
        self.list
    }
}
