//! The triage as Markdown, for a comment on a pull request.

use std::fmt::Write as _;

use crate::markdown::{cell, code, inline};
use document::text::counted;
use machine::html::sentence_html;
use play::triage::TriageReport;

/// Maximum number of listed failures of a cause.
const MAX_FAILURES: usize = 50;

pub(super) fn text(report: &TriageReport<'_>) -> String {
    let mut text = format!("### {}\n\n", report.title());
    let groups = &report.triage.groups;
    if !groups.is_empty() {
        text.push_str("| Failures | Cause | Fix |\n| ---: | --- | --- |\n");
    }
    for group in groups {
        let fix = report.fix(group).unwrap_or_default();
        let row = [group.cause.title(), fix].map(|text| cell(&text));
        let _ = writeln!(text, "| {} | {} | {} |", group.failures.len(), row[0], row[1]);
    }
    for group in groups {
        let count = counted(group.failures.len(), "failure", "failures");
        // Markdown is not interpreted on the line of an HTML element.
        let title = sentence_html(&group.cause.title());
        let _ = write!(text, "\n<details><summary>{count}: {title}</summary>\n\n");
        let _ = writeln!(text, "{}", group.cause.describe());
        if let Some(evidence) = report.evidence(group) {
            let _ = writeln!(text, "{}", inline(&evidence));
        }
        text.push('\n');
        list(&mut text, report, &group.failures);
        text.push_str("\n</details>\n");
    }
    let unassigned_failures: Vec<_> = report.triage.unassigned().collect();
    if !unassigned_failures.is_empty() {
        let _ = write!(text, "\n#### {}\n\n", report.triage.unassigned_heading());
        for (index, reason) in unassigned_failures {
            let _ = writeln!(text, "- {}: {}", inline(&report.place(index)), inline(reason));
        }
    }
    if let (Some(outcome), Some(result)) = (report.after, report.result()) {
        let _ = write!(text, "\n**{result}**\n\n");
        for (index, reason) in &outcome.failing {
            let _ = writeln!(text, "- {}: {}", inline(&report.place(*index)), inline(reason));
        }
        if let Some(changes) = report.changes() {
            let _ = write!(text, "\n{}\n", inline(&changes));
        }
    }
    text
}

fn list(text: &mut String, report: &TriageReport<'_>, failures: &[usize]) {
    for index in failures.iter().take(MAX_FAILURES) {
        let show = report
            .show_command(*index)
            .map_or_else(String::new, |show| format!(", show: {}", code(&show)));
        let _ = writeln!(text, "- {}{show}", inline(&report.place(*index)));
    }
    match failures.len().saturating_sub(MAX_FAILURES) {
        0 => {}
        number => drop(writeln!(text, "- and {number} more")),
    }
}
