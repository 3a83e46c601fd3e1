//! GitLab's Code Quality report: a list of issues, each with a fingerprint that stays when lines move.

use std::collections::BTreeMap;

use serde::Serialize;

use super::report::{CheckReport, Fingerprints, help};
use document::Severity;

/// An issue of a Code Quality report.
#[derive(Serialize)]
pub(super) struct CodeQualityIssue<'a> {
    /// The message and how to fix it.
    description: String,
    /// The id of the rule.
    check_name: &'static str,
    /// Unique in the report, and the same in later runs.
    fingerprint: String,
    /// `major` for an error, `minor` for a warning, `info` for a note.
    severity: &'static str,
    location: CodeQualityLocation<'a>,
}

#[derive(Serialize)]
struct CodeQualityLocation<'a> {
    /// From the project root.
    path: &'a str,
    lines: BTreeMap<&'static str, u32>,
}

pub(super) fn document<'a>(report: &CheckReport<'a>) -> Vec<CodeQualityIssue<'a>> {
    let mut fingerprints = Fingerprints::default();
    let issues = report.problems().map(|(file, problem)| CodeQualityIssue {
        description: format!("{}. {}", problem.message, help(problem)),
        check_name: problem.rule.as_str(),
        fingerprint: fingerprints.next(file.item, problem),
        severity: match problem.severity {
            // GitLab also knows `blocker` and `critical`, which no level of Retake means.
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: CodeQualityLocation {
            // GitLab expects a path from the root of the repository, which is usually the root of the project.
            path: file.item.root_path(),
            lines: BTreeMap::from([("begin", problem.place.line)]),
        },
    });
    issues.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::check::report::testing::{items, report};

    #[test]
    fn an_issue_has_the_members_that_gitlab_reads() {
        let items = items();
        let issues = serde_json::to_value(document(&report(&items))).unwrap();
        let first = serde_json::to_string_pretty(&issues[0]).unwrap();
        insta::assert_snapshot!(first, @r#"
        {
          "check_name": "syntax",
          "description": "Ends & \"too\" early\u001b. Fix the text at the marked place, or record the file again if writing it was interrupted.",
          "fingerprint": "46cc2a6239e0ecc6db343e2a27f74193",
          "location": {
            "lines": {
              "begin": 3
            },
            "path": "fixtures/set/a, 50% <b>.json"
          },
          "severity": "major"
        }
        "#);
        let levels: Vec<_> = issues.as_array().unwrap().iter().map(|i| &i["severity"]).collect();
        assert_eq!(levels, ["major", "minor", "major", "info"]);
    }

    #[test]
    fn fingerprints_are_unique_and_survive_added_lines() {
        let mut items = items();
        let problem = items[0].problems[0].clone();
        items[0].change_problems(|problems| problems.push(problem));
        let fingerprints = |items: &[calls::Item]| {
            let report = report(items);
            document(&report).into_iter().map(|issue| issue.fingerprint).collect::<Vec<_>>()
        };
        let old_fingerprints = fingerprints(&items);
        for problem in std::sync::Arc::make_mut(&mut items[0].problems) {
            problem.place.line += 10;
        }
        assert_eq!(fingerprints(&items), old_fingerprints);
        assert_eq!(old_fingerprints.iter().collect::<BTreeSet<_>>().len(), old_fingerprints.len());
    }
}
