//! One JSON document with all problems.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::Extras;
use super::report::{CheckReport, CheckSummary, CheckedFile, help};
use crate::output::Output;
use calls::file_part::FilePart;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProblemsDocument<'a> {
    problems: Vec<ProblemJson<'a>>,
    /// What `--fix` fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<Vec<FixJson<'a>>>,
    /// What the baseline has left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineJson<'a>>,
    summary: CheckSummary,
}

#[derive(Serialize, JsonSchema)]
struct ProblemJson<'a> {
    rule: &'static str,
    severity: &'static str,
    path: &'a str,
    pointer: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
    help: &'a str,
    /// `retake LINK` shows the call, the chunk or the line: `fixtures/turns.yaml#call=3`.
    link: String,
    /// The files that the problem is about, if it is about several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct FixJson<'a> {
    rule: &'static str,
    path: &'a str,
    fix: &'static str,
    written: bool,
}

#[derive(Serialize, JsonSchema)]
struct BaselineJson<'a> {
    /// The file, as it was named.
    file: &'a str,
    /// How many findings are in the baseline, and not in `problems`.
    known: usize,
    /// How many findings of the baseline do not occur any more.
    gone: usize,
    /// Files that seem to be renamed, so that their findings count as new.
    renamed: Vec<RenamedFileJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct RenamedFileJson<'a> {
    /// The path in the baseline.
    old: &'a str,
    /// The path now.
    new: &'a str,
}

pub(super) fn write(
    output: &mut Output,
    report: &CheckReport<'_>,
    extras: &Extras<'_>,
) -> io::Result<()> {
    output.document_with_rows(&document(report, extras), "problems", &report.files, problems)
}

/// The problems of a file.
fn problems<'a>(file: &CheckedFile<'a>) -> impl Iterator<Item = ProblemJson<'a>> + use<'a> {
    let item = file.item;
    item.problems.iter().map(|problem| ProblemJson {
        rule: problem.rule.as_str(),
        severity: problem.severity.as_str(),
        path: &item.path,
        pointer: &problem.pointer,
        line: problem.place.line,
        column: problem.place.column,
        message: &problem.message,
        help: help(problem),
        link: FilePart::of_problem(item, problem).link(&item.path),
        files: (problem.calls.iter()).flat_map(|c| c.files.iter().map(|path| &**path)).collect(),
    })
}

/// Returns the document without the problems.
fn document<'a>(report: &CheckReport<'a>, extras: &Extras<'a>) -> ProblemsDocument<'a> {
    let fixes = extras.fixed.map(|fixes| {
        let rows = fixes.rows().map(|(path, fix, is_written)| FixJson {
            rule: fix.rule.as_str(),
            path,
            fix: fix.one,
            written: is_written,
        });
        rows.collect()
    });
    let baseline = extras.baseline.map(|baseline| BaselineJson {
        file: &baseline.name,
        known: baseline.known,
        gone: baseline.gone,
        renamed: (baseline.renamed.iter()).map(|(old, new)| RenamedFileJson { old, new }).collect(),
    });
    // The problems are written one file at a time, so that a large report is never in memory as a whole.
    ProblemsDocument { problems: Vec::new(), fixes, baseline, summary: report.summary }
}
