//! The diagnostic format of reviewdog, which comments on the lines of a pull request.
//!
//! Columns are left out: reviewdog counts bytes, Retake counts characters.

use serde::Serialize;

use super::report::{CheckReport, help};
use crate::format::Severity;

/// All problems, as reviewdog reads them.
#[derive(Serialize)]
pub(super) struct DiagnosticsDocument<'a> {
    source: DiagnosticSource,
    /// The level of the worst problem.
    severity: &'static str,
    diagnostics: Vec<Diagnostic<'a>>,
}

#[derive(Serialize)]
struct DiagnosticSource {
    name: &'static str,
    url: &'static str,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    /// The message, and below it how to fix it.
    message: String,
    location: DiagnosticLocation<'a>,
    /// `ERROR`, `WARNING` or `INFO`.
    severity: &'static str,
    code: DiagnosticCode,
}

#[derive(Serialize)]
struct DiagnosticLocation<'a> {
    /// From the project root.
    path: &'a str,
    range: DiagnosticRange,
}

#[derive(Serialize)]
struct DiagnosticRange {
    start: DiagnosticPosition,
}

#[derive(Serialize)]
struct DiagnosticPosition {
    line: u32,
}

#[derive(Serialize)]
struct DiagnosticCode {
    /// The id of the rule.
    value: &'static str,
}

pub(super) fn document<'a>(report: &CheckReport<'a>) -> DiagnosticsDocument<'a> {
    let diagnostics = report.problems().map(|(file, problem)| Diagnostic {
        message: format!("{}\n{}", problem.message, help(problem)),
        location: DiagnosticLocation {
            path: &file.item.root_path,
            range: DiagnosticRange { start: DiagnosticPosition { line: problem.place.line } },
        },
        severity: name(problem.severity),
        code: DiagnosticCode { value: problem.rule.as_str() },
    });
    let worst = report.problems().map(|(_, problem)| problem.severity).max();
    DiagnosticsDocument {
        source: DiagnosticSource { name: "retake", url: crate::REPOSITORY },
        severity: name(worst.unwrap_or(Severity::Note)),
        diagnostics: diagnostics.collect(),
    }
}

fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::Note => "INFO",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::check::report::testing::{items, report};

    #[test]
    fn a_diagnostic_has_the_members_that_reviewdog_reads() {
        let items = items();
        let document = serde_json::to_value(document(&report(&items))).unwrap();
        assert_eq!(document["severity"], "ERROR");
        assert_eq!(document["source"]["name"], "retake");
        let second = serde_json::to_string_pretty(&document["diagnostics"][1]).unwrap();
        insta::assert_snapshot!(second, @r#"
        {
          "code": {
            "value": "source-stale"
          },
          "location": {
            "path": "fixtures/set/a, 50% <b>.json",
            "range": {
              "start": {
                "line": 9
              }
            }
          },
          "message": "The source has changed\n1. Review: it\n2. Regenerate",
          "severity": "WARNING"
        }
        "#);
    }
}
