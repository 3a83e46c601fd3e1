//! The drift as lines of text.

use std::io;

use crate::output::{Output, OutputStyle, shown};
use document::Severity;
use document::text::lower_first;
use play::drift::{DriftCause, DriftReport, DriftVerdict, RecordPlan};

/// Number of tests of a cause that are listed.
const MAX_TESTS: usize = 5;

/// Number of tests up to which the command names each.
const MAX_NAMED_TESTS: usize = 8;

pub(super) fn write(output: &mut Output, report: &DriftReport, log: &str) -> io::Result<()> {
    output.line(&output.styled(OutputStyle::Strong, &shown(&report.title())))?;
    for line in report.notes() {
        output.line(&shown(&line))?;
    }
    for cause in &report.causes {
        output.line("")?;
        write_cause(output, report, cause)?;
    }
    if !report.record.cassettes.is_empty() {
        output.line("")?;
        for (index, line) in record_lines(&report.record, log).iter().enumerate() {
            let style = if index == 0 { OutputStyle::Strong } else { OutputStyle::Plain };
            output.line(&output.styled(style, &shown(line)))?;
        }
    }
    Ok(())
}

fn write_cause(output: &mut Output, report: &DriftReport, cause: &DriftCause) -> io::Result<()> {
    let style = match cause.verdict {
        DriftVerdict::MatcherTooLoose => OutputStyle::Of(Severity::Error),
        DriftVerdict::RecordAgain => OutputStyle::Of(Severity::Warning),
        DriftVerdict::Harmless => OutputStyle::Quiet,
    };
    let title = format!("{}: {}", cause.verdict.label(), shown(&cause.name));
    output.line(&output.styled(style, &title))?;
    output.line(&format!(
        "  {}: {}",
        report.counts_of(cause),
        shown(&lower_first(&cause.reason))
    ))?;
    if cause.verdict == DriftVerdict::Harmless {
        return Ok(());
    }
    match report.example_values(cause) {
        Some([recorded, sent]) => {
            let lines = [("-", OutputStyle::Removed, recorded), ("+", OutputStyle::Added, sent)];
            for (sign, style, value) in lines {
                let line = format!("  {sign} {}", shown(&value));
                output.line(&output.styled(style, &line))?;
            }
        }
        None => {
            let change = report.example(cause).map(|(_, change)| &*change.sentence);
            output.line(&format!("  {}", shown(change.unwrap_or_default())))?;
        }
    }
    for line in places(report, cause) {
        output.line(&format!("    {}", shown(&line)))?;
    }
    Ok(())
}

/// The tests of a cause, the first with its line.
pub(super) fn places(report: &DriftReport, cause: &DriftCause) -> Vec<String> {
    let mut lines: Vec<String> =
        cause.users.iter().take(MAX_TESTS).map(ToString::to_string).collect();
    let first = report.example(cause).and_then(|(request, _)| {
        Some(format!("{}, line {}", request.test.as_ref()?, request.line?))
    });
    if let (Some(first), Some(line)) = (first, lines.first_mut()) {
        *line = first;
    }
    match cause.users.len().saturating_sub(MAX_TESTS) {
        0 => {}
        more => lines.push(format!("and {more} more")),
    }
    lines
}

/// What is recorded again and how; the first line is a title.
pub(super) fn record_lines(plan: &RecordPlan, log: &str) -> Vec<String> {
    let mut lines = vec![format!("Record again: {}", plan.counts())];
    let is_short = plan.tests.len() <= MAX_NAMED_TESTS;
    if let Some(command) = plan.command((!is_short).then_some("again.txt")) {
        if !is_short {
            lines.push(format!("  retake drift {log} --tests > again.txt"));
        }
        lines.push(format!("  {command}"));
    } else {
        lines.extend(plan.cassettes.iter().map(|path| format!("  {path}")));
    }
    lines.push(format!("  {}", plan.describe_tokens()));
    lines
}
