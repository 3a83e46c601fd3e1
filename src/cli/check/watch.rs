//! `--watch`: checks again after each change on disk, and prints what is new and what is gone.

use std::collections::HashMap;
use std::path::PathBuf;

use super::baseline::Baseline;
use super::report::CheckReport;
use super::{CheckArgs, prepare, text};
use crate::output::{Output, shown};
use crate::{
    CommandError, CommandResult, CommandVerdict, OpenedPaths, print_summary, report_error, write,
};
use check::{AccountNotes, Overrides};
use engine::{ChangeListener, WaitOutcome};

/// Printed line of a finding, and its identity in the next check.
struct FindingLine {
    /// Identity in the next check: everything but its place in the text.
    key: String,
    line: String,
}

/// The findings of a check.
struct WatchedCheck {
    findings: Vec<FindingLine>,
    summary: String,
}

/// Checks until the user ends it. Returns the verdict of the last check.
pub(super) fn run(
    arguments: &CheckArgs,
    paths: Vec<PathBuf>,
    overrides: &Overrides,
) -> CommandResult {
    let root = arguments.within.root().map(PathBuf::from);
    let names: Vec<String> =
        (paths.iter()).map(|path| shown(&path.to_string_lossy()).into_owned()).collect();
    // Before the first check, so that a change during it is not missed.
    let mut changes = ChangeListener::start(paths.clone(), root)?;
    print_summary(&format!("Watching {}; Ctrl+C ends", names.join(", ")));
    let mut last: Option<WatchedCheck> = None;
    loop {
        let verdict = match check(arguments, &paths, overrides, &mut last) {
            Ok(verdict) => verdict,
            // A file that is missing now may be there again after the next change.
            Err(CommandError(reason)) => {
                report_error(&reason);
                CommandVerdict::Incomplete
            }
        };
        if changes.wait() == WaitOutcome::Interrupted {
            return Ok(verdict);
        }
    }
}

/// Checks once, and prints everything or the differences from the last check.
fn check(
    arguments: &CheckArgs,
    paths: &[PathBuf],
    overrides: &Overrides,
    last: &mut Option<WatchedCheck>,
) -> CommandResult {
    let root = arguments.within.root();
    let (mut opened_paths, complaints) = OpenedPaths::open(paths, root)?;
    // Once: a path that is missing would be reported again after each change.
    if last.is_none() {
        report_error(&complaints);
    }
    let lookup = prepare(&mut opened_paths, overrides);
    let mut input = opened_paths.read_owned(lookup)?;
    input.leave_out_other_tools(&[]);
    let mut known_count = None;
    if let Some(file) = &arguments.baseline {
        // Read for each check, since `--write-baseline` may run in another terminal.
        known_count = Some(Baseline::read(file, root)?.apply(&mut input).known);
    }
    let mut report = CheckReport::new(&input);
    report.summary.known = known_count;
    write(arguments.look.color, |output| {
        let next = WatchedCheck::new(output, &report, arguments.notes);
        match last.as_ref() {
            None => text::write(output, &report, arguments.notes)?,
            Some(last) => next.write_differences(output, last)?,
        }
        *last = Some(next);
        Ok(())
    })?;
    Ok(input.verdict(CommandVerdict::new(false, report.fails())))
}

impl WatchedCheck {
    fn new(output: &Output, report: &CheckReport<'_>, with_notes: bool) -> Self {
        let list = report.problems().filter(|(_, p)| with_notes || !AccountNotes::is_one(p)).map(
            |(file, item)| {
                let (path, level, rule) = (&file.item.path, item.severity, item.rule);
                FindingLine {
                    key: format!("{path}\0{level}\0{rule}\0{}\0{}", item.pointer, item.message),
                    line: text::line(output, file, item),
                }
            },
        );
        Self { findings: list.collect(), summary: report.summary.sentence() }
    }

    /// Writes what is new, what is gone, and the summary; nothing if all of them are the same.
    fn write_differences(&self, output: &mut Output, last: &Self) -> std::io::Result<()> {
        let (new_lines, gone_lines) = (self.without(last), last.without(self));
        if new_lines.is_empty() && gone_lines.is_empty() && self.summary == last.summary {
            return Ok(());
        }
        output.line("")?;
        for line in gone_lines {
            output.line(&format!("gone: {line}"))?;
        }
        for line in new_lines {
            output.line(&format!("new: {line}"))?;
        }
        output.line(&self.summary)
    }

    /// Returns the lines of the findings that `other` does not have, or not as often.
    fn without<'a>(&'a self, other: &Self) -> Vec<&'a str> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for finding in &other.findings {
            *counts.entry(&finding.key).or_default() += 1;
        }
        let findings = self.findings.iter().filter(|finding| {
            let number = counts.get_mut(&*finding.key).filter(|number| **number > 0);
            number.map(|number| *number -= 1).is_none()
        });
        findings.map(|finding| &*finding.line).collect()
    }
}
