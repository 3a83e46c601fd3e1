//! Commands for problems: their fixes.

use super::dispatch::{HandlerOrReason, handler_if};
use crate::core::command::declared::by_section::Problem;
use crate::{ProblemsAction, Workbench};
use calls::Item;
use check::change::fix_at;
use document::Problem as FoundProblem;
use protocol::{Desk, DocId, FindingKind};

impl Workbench {
    pub(super) fn problem_handler(&self, command: Problem) -> HandlerOrReason {
        let Some((doc, problem)) = self.problem_subject() else {
            return Err("select a problem first");
        };
        match command {
            Problem::FixProblem => {
                let is_fixable = self.is_fixable(doc, problem);
                handler_if(is_fixable, "this problem has no automatic fix", |w| w.fix_problem(Some))
            }
            Problem::FixRule => {
                // Other problems of the rule may have a fix where this one has none.
                let mut findings = self.core.list.listing.orders.findings.iter();
                let is_fixable = findings.any(|f| f.kind == FindingKind::Fixable(problem.rule));
                handler_if(is_fixable, "this rule has no automatic fix", |workbench| {
                    workbench.fix_problem(|_| None);
                })
            }
        }
    }

    /// The problem that commands apply to: the selected one, or the worst of the selected item that has a fix.
    pub(super) fn problem_subject(&self) -> Option<(DocId, &FoundProblem)> {
        let library = &self.core.library;
        if self.core.shows(Desk::Problems) {
            let id = self.problems.problem?;
            return Some((id.doc, library.problem(id)?));
        }
        let doc = self.subject()?;
        let problems = library.get(doc)?.problems.iter();
        let fixable_problems = problems.filter(|problem| self.is_fixable(doc, problem));
        // `max_by_key` returns the last of several, so `rev` makes it the first.
        Some((doc, fixable_problems.rev().max_by_key(|problem| problem.severity)?))
    }

    fn is_fixable(&self, doc: DocId, problem: &FoundProblem) -> bool {
        self.core.library.get(doc).is_some_and(|item: &Item| fix_at(problem, item).is_some())
    }

    /// Plans the fix of the problem that commands apply to: in its document, or in all.
    fn fix_problem(&mut self, scope: fn(DocId) -> Option<DocId>) {
        if let Some((doc, problem)) = self.problem_subject() {
            let action = ProblemsAction::Fix(problem.rule, scope(doc));
            self.problems.act(&mut self.core, action);
        }
    }
}
