//! The triage as lines of text.

use std::io;

use crate::difference::difference;
use crate::output::{Output, OutputStyle, shown};
use document::Severity;
use document::files::FileStep;
use document::text::counted;
use play::triage::TriageReport;

/// Maximum number of listed failures of a set.
const MAX_FAILURES: usize = 3;

/// Maximum number of listed sets of a cause.
const MAX_SETS: usize = 12;

pub(super) fn write(output: &mut Output, report: &TriageReport<'_>) -> io::Result<()> {
    output.line(&output.styled(OutputStyle::Strong, &report.title()))?;
    for group in &report.triage.groups {
        output.line("")?;
        let count = counted(group.failures.len(), "failure", "failures");
        let title = format!("{count}: {}", shown(&group.cause.title()));
        output.line(&output.styled(OutputStyle::Of(Severity::Error), &title))?;
        output.line(&format!("  {}", group.cause.describe()))?;
        if let Some(evidence) = report.evidence(group) {
            output.line(&format!("  {}", shown(&evidence)))?;
        }
        if let Some(fix) = report.fix(group) {
            output.line(&format!("  Fix: {}", shown(&fix)))?;
        }
        let sets = report.by_set(group);
        for (folder, failures) in sets.iter().take(MAX_SETS) {
            let folder = shown(report.folder(folder)).into_owned();
            let line = format!("  {folder}: {}", failures.len());
            output.line(&output.styled(OutputStyle::Strong, &line))?;
            places(output, report, failures)?;
        }
        more(output, "  ", sets.len().saturating_sub(MAX_SETS), "set", "sets")?;
    }
    if report.triage.unassigned().next().is_some() {
        output.line("")?;
        output.line(&output.styled(OutputStyle::Strong, report.triage.unassigned_heading()))?;
        for (index, reason) in report.triage.unassigned() {
            output.line(&format!("  {}", shown(&report.place(index))))?;
            output.line(&format!("    {}", shown(reason)))?;
        }
    }
    after(output, report)
}

fn after(output: &mut Output, report: &TriageReport<'_>) -> io::Result<()> {
    let (Some(outcome), Some(result)) = (report.after, report.result()) else { return Ok(()) };
    output.line("")?;
    output.line(&output.styled(OutputStyle::Strong, &result))?;
    for (index, reason) in &outcome.failing {
        output.line(&format!("  {}", shown(&report.place(*index))))?;
        output.line(&format!("    {}", shown(reason)))?;
    }
    report.changes().map_or(Ok(()), |changes| output.line(&shown(&changes)))
}

fn places(output: &mut Output, report: &TriageReport<'_>, failures: &[usize]) -> io::Result<()> {
    for index in failures.iter().take(MAX_FAILURES) {
        output.line(&format!("    {}", shown(&report.place(*index))))?;
    }
    // For each set, since one with many failures must not hide the others.
    let rest = failures.len().saturating_sub(MAX_FAILURES);
    more(output, "    ", rest, "failure", "failures")
}

fn more(
    output: &mut Output,
    indent: &str,
    count: usize,
    singular: &str,
    plural: &str,
) -> io::Result<()> {
    match count {
        0 => Ok(()),
        count => {
            let line = format!("{indent}and {} more", counted(count, singular, plural));
            output.line(&output.styled(OutputStyle::Quiet, &line))
        }
    }
}

/// Writes what the fixes would change.
pub(super) fn differences(output: &mut Output, report: &TriageReport<'_>) -> io::Result<()> {
    let sets = report.after.iter().flat_map(|outcome| outcome.sets.values());
    for step in sets.flat_map(|set| &set.steps) {
        match step {
            FileStep::Write { path, before: Some(old_bytes), after: Some(new_bytes) } => {
                let text = String::from_utf8_lossy;
                difference(output, &report.path(path), &text(old_bytes), &text(new_bytes))?;
            }
            // Other steps, such as a rename, have at most one of the two texts.
            step => output.line(&shown(&step.to_string()))?,
        }
    }
    Ok(())
}
