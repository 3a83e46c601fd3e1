//! The report that all formats of `retake check` print.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{ReadFiles, count};
use crate::format::{Problem, Severity};
use crate::ops::Item;
use crate::ops::check::rule;

/// Problems by file, in the order of listing.
pub(super) struct CheckReport<'a> {
    pub(super) files: Vec<CheckedFile<'a>>,
    pub(super) summary: CheckSummary,
    /// Whether every path could be opened and read.
    pub(super) outcome: Outcome,
}

/// Whether every path could be opened and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Complete,
    /// A path could not be opened.
    Incomplete,
}

/// One item with its problems.
#[derive(Clone, Copy)]
pub(super) struct CheckedFile<'a> {
    pub(super) item: &'a Item,
    /// The project root that contains `item.root_path`; `None` for a file outside a project.
    pub(super) root: Option<&'a Path>,
}

/// Numbers of files, items and problems.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub(super) struct CheckSummary {
    pub(super) files: usize,
    pub(super) items: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) notes: usize,
    pub(super) elapsed_ms: u64,
}

impl<'a> CheckReport<'a> {
    pub(super) fn new(read: &'a ReadFiles) -> Self {
        let files: Vec<CheckedFile> = (read.items.iter().zip(&read.numbers))
            .map(|(item, number)| CheckedFile {
                item,
                root: read.project.root_above(*number),
            })
            .collect();
        let summary = CheckSummary {
            files: read.files(),
            elapsed_ms: u64::try_from(read.elapsed.as_millis()).unwrap_or(u64::MAX),
            ..CheckSummary::of(&files)
        };
        let outcome = match read.unopened {
            0 => Outcome::Complete,
            _ => Outcome::Incomplete,
        };
        Self {
            files,
            summary,
            outcome,
        }
    }

    /// Every problem with its file.
    pub(super) fn problems(&self) -> impl Iterator<Item = (&CheckedFile<'a>, &'a Problem)> {
        let files = self.files.iter();
        files.flat_map(|file| file.item.problems.iter().map(move |it| (file, it)))
    }
}

impl CheckSummary {
    fn of(files: &[CheckedFile]) -> Self {
        let all = |severity| files.iter().map(|file| file.item.count(severity)).sum();
        Self {
            files: files.len(),
            items: files.len(),
            errors: all(Severity::Error),
            warnings: all(Severity::Warning),
            notes: all(Severity::Note),
            elapsed_ms: 0,
        }
    }

    pub(super) fn sentence(&self) -> String {
        let found = match (self.errors, self.warnings, self.notes) {
            (0, 0, 0) => "No problems".to_owned(),
            (errors, warnings, notes) => format!(
                "{}, {}, {}",
                count(errors, "error"),
                count(warnings, "warning"),
                count(notes, "note")
            ),
        };
        let (items, files) = (count(self.items, "item"), count(self.files, "file"));
        format!("{found} in {items} ({files})")
    }
}

/// The help of a problem, or of its rule if it has none.
pub(super) fn help(problem: &Problem) -> &str {
    let own = problem.help.as_deref();
    own.unwrap_or(rule(problem.rule).fix)
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::format::RuleId;
    use crate::text::{Place, Span};

    /// Items with problems of all levels, with names and texts that every format has to escape.
    pub(in crate::cli::check) fn items() -> Vec<Item> {
        let problem = |rule, line, column, message: &str| Problem {
            place: Place { line, column },
            span: Span::default(),
            ..Problem::whole_file(rule, message)
        };
        let item = |path: &str, problems: Vec<Problem>| Item {
            root_path: format!("fixtures/{path}").into(),
            problems,
            ..Item::new(path)
        };
        vec![
            item(
                "set/a, 50% <b>.json",
                vec![
                    problem(RuleId::Syntax, 3, 7, "Ends & \"too\" early\u{1b}"),
                    problem(RuleId::SourceStale, 9, 2, "The source has changed")
                        .with_help("1. Review: it\n2. Regenerate"),
                    problem(RuleId::DelayInvalid, 9, 2, "Is negative"),
                ],
            ),
            item("set/b.json", Vec::new()),
            item(
                "ü.json",
                vec![problem(RuleId::SignatureShared, 1, 1, "Is shared")],
            ),
        ]
    }

    pub(in crate::cli::check) fn report(items: &[Item]) -> CheckReport<'_> {
        let root = Path::new("/home/a b");
        let files: Vec<CheckedFile> = (items.iter())
            .map(|item| CheckedFile {
                item,
                root: Some(root),
            })
            .collect();
        CheckReport {
            summary: CheckSummary::of(&files),
            files,
            outcome: Outcome::Complete,
        }
    }
}
