//! Problems of cassettes in two to four words, as a row has room for.

use crate::format::call::CallFailure;
use crate::format::{Problem, RuleId, Severity};
use crate::ops::{CallRow, Item, check};

/// Returns what a problem is called in a row: `Recorded error: 429`.
pub(in crate::ui) fn problem_label(problem: &Problem, item: &Item) -> String {
    let label = match problem.rule {
        RuleId::CallAmbiguous => "Ambiguous: order decides",
        RuleId::RepeatUnreachable => {
            let call = item.calls.iter().position(|call| concerns(problem, call));
            return match call {
                Some(call) => format!("Call {} is never reached", call + 1),
                None => "Call is never reached".to_owned(),
            };
        }
        RuleId::RecordedError => {
            let call = item.calls.iter().find(|call| concerns(problem, call));
            return match call.and_then(|call| call.failure) {
                Some(CallFailure::Status(status)) => format!("Recorded error: {status}"),
                _ => "Recorded error".to_owned(),
            };
        }
        RuleId::StreamTruncated => "Stream has no end",
        RuleId::BodyNotDecodable => "Body cannot be decoded",
        RuleId::LengthMismatch => "Wrong content-length",
        RuleId::EncodingMismatch => "Wrong encoding",
        // Notes are about what identifies somebody, and opens nothing.
        RuleId::Secret if problem.severity == Severity::Note => "Account id or address",
        RuleId::Secret => "Contains a secret",
        RuleId::CassetteOrphan => {
            let facts = item.cassette.as_ref();
            if facts.is_some_and(|facts| facts.orphan.is_some()) {
                "No test uses this file"
            } else {
                "A test has no cassette"
            }
        }
        RuleId::NeverLoads => "Call is never loaded",
        RuleId::Expired => "Too old",
        rule => check::rule(rule).title,
    };
    label.to_owned()
}

/// Returns whether a problem is in a call.
pub(in crate::ui) fn concerns(problem: &Problem, call: &CallRow) -> bool {
    let (inner, outer) = (problem.span, call.mark.span);
    outer.start <= inner.start && inner.end <= outer.end && !problem.pointer.is_empty()
}
