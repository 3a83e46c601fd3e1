//! `calls-unsure`: requests and answers that cannot be paired.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::foreign::unsure_payloads;
use document::text::counted;

rule! {
    /// A file of an unknown recorder has values that look like requests or answers of a model, but not which of them belong together:
    /// there are more of one kind than of the other, or several in one record.
    ///
    /// Such values are in no call: they are not listed, compared or played.
    CallsUnsure {
        title: "Requests and answers cannot be paired",
        fix: "Describe the format in a table [[format]] of retake.toml; in the window, Describe this format… does it. If the file is no recording, set recording = false there.",
    }
}

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    let unsure = unsure_payloads(findings.document, &findings.facts.file_name);
    let Some(first) = unsure.iter().map(|payload| payload.node).min_by_key(|node| node.id()) else {
        return;
    };
    let message = match unsure.len() {
        1 => "1 value looks like a request or an answer, but it is not clear what belongs to it"
            .to_owned(),
        count => format!(
            "{} look like requests or answers, but it is not clear which belong together",
            counted(count, "value", "values")
        ),
    };
    findings.add_at(RuleId::CallsUnsure, first, message);
}
