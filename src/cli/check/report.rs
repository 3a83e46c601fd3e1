//! The report that all formats of `retake check` print.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ReadFiles;
use calls::Item;
use calls::source::sha256_hex;
use check::rule;
use document::text::count;
use document::{Problem, RuleId, Severity};

/// Problems by file, in the order of listing.
pub(super) struct CheckReport<'a> {
    pub(super) files: Vec<CheckedFile<'a>>,
    pub(super) summary: CheckSummary,
    /// Whether every path could be opened and read.
    pub(super) is_complete: bool,
}

/// One item with its problems.
#[derive(Clone, Copy)]
pub(super) struct CheckedFile<'a> {
    pub(super) item: &'a Item,
    /// The project root that contains `item.root_path()`; `None` for a file outside a project.
    pub(super) root: Option<&'a Path>,
    /// The lowest level that fails the check.
    pub(super) fail_on: Severity,
}

impl CheckedFile<'_> {
    /// Returns whether a problem of the file fails the check.
    pub(super) fn fails(&self, problem: &Problem) -> bool {
        problem.severity >= self.fail_on
    }
}

/// Identity of a finding in later runs: its rule, the path of its file from the project root, and its place: the call that
/// it is in, and its pointer there. Lines and calls move, and messages name other files, so none of these is part of it.
pub(super) type FindingKey<'a> = (RuleId, &'a str, Cow<'a, str>);

/// Returns what a finding is recognised by; equal ones are counted.
pub(super) fn finding_key<'a>(item: &'a Item, problem: &'a Problem) -> FindingKey<'a> {
    let hash = problem.call_hash.map(|hash| format!("{hash:08x}"));
    let place = match hash {
        // These findings have no place in the file, so only their messages, which name the tests, differ.
        None if problem.rule == RuleId::CassetteOrphan => Cow::Borrowed(&*problem.message),
        hash => finding_place(hash.as_deref(), &problem.pointer),
    };
    (problem.rule, item.root_path(), place)
}

/// Returns the place of a finding: its pointer, or the hash of its call and the pointer from there.
pub(super) fn finding_place<'a>(call: Option<&str>, pointer: &'a str) -> Cow<'a, str> {
    let Some(call) = call else { return Cow::Borrowed(pointer) };
    // Left out: the first number in the pointer is that of the call, which changes when calls before it do.
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = pointer.split('/').skip_while(|part| !is_number(part));
    parts.next();
    let place_parts: Vec<&str> = parts.collect();
    Cow::Owned(format!("{call}/{}", place_parts.join("/")))
}

/// Computes fingerprints: hashes of findings that do not change when lines move.
#[derive(Default)]
pub(super) struct Fingerprints<'a>(HashMap<FindingKey<'a>, usize>);

impl<'a> Fingerprints<'a> {
    /// Returns the hash of a finding and of its number among equal ones. Findings are passed in the order of the report.
    pub(super) fn next(&mut self, item: &'a Item, problem: &'a Problem) -> String {
        let (rule, path, place) = finding_key(item, problem);
        // No path and no pointer contains a null, so the parts cannot run into each other.
        let text = format!("{rule}\0{path}\0{place}");
        let number = self.0.entry((rule, path, place)).or_default();
        *number += 1;
        // Half of the digest: 128 bits are enough to distinguish the findings of a report.
        sha256_hex(format!("{text}\0{number}").as_bytes())[..32].to_owned()
    }
}

/// Numbers of files, items and problems.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub(super) struct CheckSummary {
    pub(super) files: usize,
    pub(super) items: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) notes: usize,
    /// Findings that are in the baseline, and not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) known: Option<usize>,
    pub(super) elapsed_ms: u64,
}

impl<'a> CheckReport<'a> {
    pub(super) fn new(input: &'a ReadFiles) -> Self {
        let files: Vec<CheckedFile> = (input.items.iter().zip(&input.numbers))
            .map(|(item, number)| CheckedFile {
                item,
                root: input.project.root_above(*number),
                fail_on: input.project.fail_on(*number),
            })
            .collect();
        let summary = CheckSummary {
            files: input.files(),
            // Findings about tests and settings are rows without a file.
            items: files.len() - input.inserted,
            elapsed_ms: u64::try_from(input.elapsed.as_millis()).unwrap_or(u64::MAX),
            ..CheckSummary::of(&files)
        };
        Self { files, summary, is_complete: input.unopened == 0 }
    }

    /// Returns whether a problem fails the check.
    pub(super) fn fails(&self) -> bool {
        self.problems().any(|(file, problem)| file.fails(problem))
    }

    /// Every problem with its file.
    pub(super) fn problems(&self) -> impl Iterator<Item = (&CheckedFile<'a>, &'a Problem)> {
        self.files.iter().flat_map(|file| file.item.problems.iter().map(move |p| (file, p)))
    }
}

impl CheckSummary {
    pub(super) fn of(files: &[CheckedFile]) -> Self {
        let total = |severity| files.iter().map(|file| file.item.count(severity)).sum();
        Self {
            files: files.len(),
            items: files.len(),
            errors: total(Severity::Error),
            warnings: total(Severity::Warning),
            notes: total(Severity::Note),
            known: None,
            elapsed_ms: 0,
        }
    }

    pub(super) fn sentence(&self) -> String {
        let problems = match (self.errors, self.warnings, self.notes) {
            (0, 0, 0) if self.known.is_some() => "No new problems".to_owned(),
            (0, 0, 0) => "No problems".to_owned(),
            (errors, warnings, notes) => format!(
                "{}, {}, {}",
                count(errors, "error"),
                count(warnings, "warning"),
                count(notes, "note")
            ),
        };
        let (items, files) = (count(self.items, "item"), count(self.files, "file"));
        // Otherwise a folder that Retake does not read would look correct.
        let is_empty = self.items == 0 && self.errors + self.warnings + self.notes == 0;
        if is_empty && self.known.unwrap_or_default() == 0 {
            return format!("Nothing was checked ({files})");
        }
        let known_findings = match self.known {
            None | Some(0) => String::new(),
            Some(known_findings) => {
                format!("; {} in the baseline", count(known_findings, "known finding"))
            }
        };
        format!("{problems} in {items} ({files}){known_findings}")
    }
}

/// The help of a problem, or of its rule if it has none.
pub(super) fn help(problem: &Problem) -> &str {
    problem.help.as_deref().unwrap_or(rule(problem.rule).fix)
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use calls::ItemFacts;
    use document::RuleId;
    use document::text::{Place, Span};

    /// Items with problems of all levels, with names and texts that every format has to escape.
    pub(crate) fn items() -> Vec<Item> {
        let problem = |rule, line, column, message: &str| Problem {
            place: Place { line, column },
            span: Span::default(),
            ..Problem::whole_file(rule, message)
        };
        let item = |path: &str, problems: Vec<Problem>| {
            Item::from(ItemFacts::at(path.into(), &format!("fixtures/{path}")))
                .with_problems(problems)
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
            item("ü.json", vec![problem(RuleId::SignatureShared, 1, 1, "Is shared")]),
        ]
    }

    pub(crate) fn report(items: &[Item]) -> CheckReport<'_> {
        let root = Path::new("/home/a b");
        let files: Vec<CheckedFile> = (items.iter())
            .map(|item| CheckedFile { item, root: Some(root), fail_on: Severity::Error })
            .collect();
        CheckReport { summary: CheckSummary::of(&files), files, is_complete: true }
    }
}
