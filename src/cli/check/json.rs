//! One JSON document with all problems.

use serde::Serialize;

use super::report::{CheckReport, CheckSummary, help};

#[derive(Serialize)]
pub(super) struct ProblemsDocument<'a> {
    problems: Vec<ProblemJson<'a>>,
    summary: CheckSummary,
}

#[derive(Serialize)]
struct ProblemJson<'a> {
    rule: &'static str,
    severity: &'static str,
    path: &'a str,
    pointer: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
    help: &'a str,
}

pub(super) fn document<'a>(report: &CheckReport<'a>) -> ProblemsDocument<'a> {
    let rows = report.problems().map(|(file, problem)| ProblemJson {
        rule: problem.rule.as_str(),
        severity: problem.severity.as_str(),
        path: &file.item.path,
        pointer: &problem.pointer,
        line: problem.place.line,
        column: problem.place.column,
        message: &problem.message,
        help: help(problem),
    });
    ProblemsDocument {
        problems: rows.collect(),
        summary: report.summary,
    }
}
