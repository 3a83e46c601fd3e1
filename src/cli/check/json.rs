//! One JSON document with all problems.

use serde::Serialize;

use super::report::{Report, Summary, help};

#[derive(Serialize)]
pub(super) struct Document<'a> {
    problems: Vec<Row<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Row<'a> {
    rule: &'static str,
    severity: &'static str,
    path: &'a str,
    pointer: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
    help: &'a str,
}

pub(super) fn document<'a>(report: &Report<'a>) -> Document<'a> {
    let rows = report.problems().map(|(file, problem)| Row {
        rule: problem.rule.as_str(),
        severity: problem.severity.as_str(),
        path: &file.item.path,
        pointer: &problem.pointer,
        line: problem.place.line,
        column: problem.place.column,
        message: &problem.message,
        help: help(problem),
    });
    Document {
        problems: rows.collect(),
        summary: report.summary,
    }
}
