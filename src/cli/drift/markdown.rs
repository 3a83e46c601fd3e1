//! The drift as Markdown, for a comment on a pull request.

use std::fmt::Write as _;

use super::text::{places, record_lines};
use crate::markdown::{cell, code, inline};
use machine::html::sentence_html;
use play::drift::{DriftReport, DriftVerdict};

pub(super) fn text(report: &DriftReport, log: &str) -> String {
    let mut text = format!("### {}\n\n", inline(&report.title()));
    for note in report.notes() {
        let _ = writeln!(text, "{}  ", inline(&note));
    }
    if !report.causes.is_empty() {
        text.push_str("\n| Cause | Verdict | Calls |\n| --- | --- | --- |\n");
    }
    for cause in &report.causes {
        let row = [&cause.name, cause.verdict.label(), &report.counts_of(cause)].map(cell);
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    for cause in report.causes.iter().filter(|cause| cause.verdict != DriftVerdict::Harmless) {
        // Markdown is not interpreted on the line of an HTML element.
        let title = sentence_html(&cause.name);
        let _ =
            write!(text, "\n<details><summary>{title}</summary>\n\n{}\n\n", inline(&cause.reason));
        for place in places(report, cause) {
            let _ = writeln!(text, "- {}", inline(&place));
        }
        text.push_str("\n</details>\n");
    }
    if !report.record.cassettes.is_empty() {
        let lines = record_lines(&report.record, log);
        let _ = write!(text, "\n**{}**\n\n", inline(&lines[0]));
        for line in &lines[1..] {
            let line = line.trim();
            let is_code = line.starts_with(['r', 'p']) || line.contains('/');
            let _ = writeln!(text, "- {}", if is_code { code(line) } else { inline(line) });
        }
    }
    text
}
