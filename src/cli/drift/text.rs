//! The drift as lines of text.

use std::io;

use crate::output::{Output, OutputStyle, shown};
use document::Severity;
use document::text::{counted, lower_first, thousands};
use play::client::shortened;
use play::drift::{DriftCause, DriftReport, DriftVerdict, RecordPlan};

/// Number of tests of a cause that are listed.
const MAX_TESTS: usize = 5;

/// Number of tests up to which the command names each.
const MAX_NAMED_TESTS: usize = 8;

pub(super) fn write(output: &mut Output, report: &DriftReport, log: &str) -> io::Result<()> {
    output.line(&output.styled(OutputStyle::Strong, &shown(&report.title())))?;
    for line in notes(report) {
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
    output.line(&format!("  {}: {}", counts(report, cause), shown(&lower_first(&cause.reason))))?;
    if cause.verdict == DriftVerdict::Harmless {
        return Ok(());
    }
    for (sign, style, value) in example(report, cause) {
        let line = format!("  {sign} {}", shown(&value));
        output.line(&output.styled(style, &line))?;
    }
    for line in places(report, cause) {
        output.line(&format!("    {}", shown(&line)))?;
    }
    Ok(())
}

/// What the report says besides its causes, one sentence each.
pub(super) fn notes(report: &DriftReport) -> Vec<String> {
    let counts = report.counts();
    let count = |verdict| counts.get(&verdict).copied().unwrap_or_default();
    let mut parts = vec![format!("{} as recorded", thousands(report.same()))];
    for (verdict, name) in [
        (DriftVerdict::Harmless, "harmless"),
        (DriftVerdict::RecordAgain, "to record again"),
        (DriftVerdict::MatcherTooLoose, "with a matcher that is too loose"),
    ] {
        match count(verdict) {
            0 => {}
            number => parts.push(format!("{} {name}", thousands(number))),
        }
    }
    let mut notes = vec![parts.join(", ")];
    match report.unanswered() {
        0 => {}
        number => notes.push(format!(
            "{} no recorded call answered; `retake triage` finds why",
            counted(number, "request", "requests")
        )),
    }
    for (reason, number) in report.not_compared() {
        notes.push(format!("{} not compared: {reason}", counted(number, "request", "requests")));
    }
    notes.extend(report.missing.iter().cloned());
    notes
}

/// The numbers of calls and tests of a cause.
pub(super) fn counts(report: &DriftReport, cause: &DriftCause) -> String {
    let calls = counted(cause.requests.len(), "call", "calls");
    let users = cause.users.len();
    let users = match report.tests {
        0 => counted(users, "cassette", "cassettes"),
        _ => counted(users, "test", "tests"),
    };
    format!("{calls} in {users}")
}

/// The recorded and the sent value of the first change.
fn example(
    report: &DriftReport,
    cause: &DriftCause,
) -> impl Iterator<Item = (char, OutputStyle, String)> {
    let change = report.example(cause).map(|(_, change)| change);
    let values = change.map(|change| {
        let value = |value: &Option<compare::review::TakeValue>| {
            value.as_ref().map(|value| shortened(&value.json))
        };
        [
            ('-', OutputStyle::Removed, value(&change.old)),
            ('+', OutputStyle::Added, value(&change.new)),
        ]
    });
    values.into_iter().flatten().filter_map(|(sign, style, value)| Some((sign, style, value?)))
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
    let calls = counted(plan.calls, "call", "calls");
    let tests = match plan.tests.len() {
        0 => counted(plan.cassettes.len(), "cassette", "cassettes"),
        number => counted(number, "test", "tests"),
    };
    let mut lines = vec![format!("Record again: {tests}, {calls}")];
    let is_short = plan.tests.len() <= MAX_NAMED_TESTS;
    if let Some(command) = plan.command((!is_short).then_some("again.txt")) {
        if !is_short {
            lines.push(format!("  retake drift {log} --tests > again.txt"));
        }
        lines.push(format!("  {command}"));
    } else {
        lines.extend(plan.cassettes.iter().map(|path| format!("  {path}")));
    }
    lines.push(format!("  {}", tokens(plan)));
    lines
}

fn tokens(plan: &RecordPlan) -> String {
    let unknown = plan.tokens.unknown_calls;
    if plan.calls == unknown {
        return "The tokens of the recorded answers are not known".to_owned();
    }
    let number = |count: u64| thousands(usize::try_from(count).unwrap_or(usize::MAX));
    let (input, output) = (number(plan.tokens.input), number(plan.tokens.output));
    let known =
        format!("About {input} input and {output} output tokens, as in the recorded answers");
    match unknown {
        0 => known,
        unknown => format!("{known}; those of {} are not known", counted(unknown, "call", "calls")),
    }
}
