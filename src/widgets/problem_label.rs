//! Problems of cassettes in two to four words, as a row has room for.

use calls::Item;
use document::call::CallFailure;
use document::text::thousands;
use document::{Problem, RuleId, Severity};

/// Returns what a problem is called in a row: `Recorded error 429`.
pub fn problem_label(problem: &Problem, item: &Item) -> String {
    let label = match problem.rule {
        RuleId::CallAmbiguous => return alike_label(problem, item),
        RuleId::RepeatUnreachable => {
            // A problem has its place in the file, not the number of its call.
            let call = item.calls.iter().position(|call| call.has_problem(problem));
            return match call {
                Some(call) => format!("Call {} is never reached", call + 1),
                None => "Call is never reached".to_owned(),
            };
        }
        RuleId::RecordedError => {
            let call = item.calls.iter().find(|call| call.has_problem(problem));
            return match call.and_then(|call| call.failure) {
                Some(CallFailure::Status(status)) => format!("Recorded error {status}"),
                _ => "Recorded error".to_owned(),
            };
        }
        RuleId::StreamTruncated => "Stream has no end",
        RuleId::BodyNotDecodable => "Body cannot be decoded",
        RuleId::LengthMismatch => "Wrong content-length",
        RuleId::EncodingMismatch => "Wrong encoding",
        // Notes are about data that identifies somebody but gives no access.
        RuleId::Secret if problem.severity == Severity::Note => "Account id or address",
        RuleId::Secret => "Contains a secret",
        RuleId::CassetteOrphan => {
            let facts = item.cassette.as_ref();
            // One rule reports both directions, at the cassette or at the test.
            if facts.is_some_and(|facts| facts.orphan.is_some()) {
                "No test uses this file"
            } else {
                "A test has no cassette"
            }
        }
        RuleId::NeverLoads => "Call is never loaded",
        RuleId::Expired => "Too old",
        RuleId::SourceUnstamped => "Not stamped",
        RuleId::SourceLineEndings => "Line ends changed",
        RuleId::SignatureMissing => "No signature",
        RuleId::SignatureOutdated => "Signature is outdated",
        RuleId::SignatureUnmatchable => "No player matches",
        RuleId::SignatureShared => "Signature is shared",
        RuleId::ToolNotOffered => "Tool not offered",
        RuleId::ToolResponsesUnused => "Responses not played",
        RuleId::ToolResponseType | RuleId::WrongType => "Wrong type",
        RuleId::ModelMismatch => "Two models",
        RuleId::HiddenCharacters => "Hidden characters",
        RuleId::UnknownFormat => "Unknown format",
        RuleId::FormatMismatch => "No call at the pointers",
        RuleId::CallsUnsure => "Calls are unsure",
        RuleId::MachineBound => "Names a machine",
        RuleId::CachePrefix => "Cache cannot serve it",
        RuleId::SessionIdReused => "Id is used twice",
        RuleId::SeedKeyReused => "Key is seeded twice",
        RuleId::SeedKeySeparator => "Colon in the key",
        RuleId::SeedPromptInKey => "Prompt in the key",
        RuleId::SeedHashKey => "Key is a hash",
        RuleId::SeedWildcardAmbiguous => "Ambiguous wildcard",
        RuleId::SeedEmpty | RuleId::ResponseEmpty => "Empty answer",
        RuleId::SeedNotJson => "Not JSON",
        RuleId::StreamEmpty => "No text",
        RuleId::DelayLost => "Delays are dropped",
        rule => check::rule(rule).title,
    };
    label.to_owned()
}

/// Returns which calls a program cannot distinguish: `2 and 3 alike`.
fn alike_label(problem: &Problem, item: &Item) -> String {
    let numbers = problem.calls.as_ref().map_or(&[][..], |calls| &calls.numbers);
    match numbers {
        [] => "Order decides".to_owned(),
        [_, _] if item.calls.len() == 2 => "Both alike".to_owned(),
        numbers if numbers.len() == item.calls.len() => {
            format!("All {} alike", thousands(numbers.len()))
        }
        [a, b] => format!("{} and {} alike", a + 1, b + 1),
        [first, .., last] if last - first + 1 == numbers.len() => {
            format!("{} to {} alike", first + 1, last + 1)
        }
        numbers => format!("{} calls alike", thousands(numbers.len())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use calls::cassette_config::{CassetteFacts, ConfigOrigin};
    use calls::reading::listed_calls;
    use calls::{Pool, summarise};
    use check::{CheckFacts, judge_document};
    use document::read;
    use document::text::Source;

    /// Returns the label of each problem, and the calls that it is in, from 1.
    fn labels(text: &str, cassette: CassetteFacts) -> String {
        let (document, pool) = (read(Source::new(text), "a.yaml"), Pool::default());
        let calls = listed_calls(&document);
        let facts = CheckFacts { cassette: cassette.clone(), ..CheckFacts::default() };
        let problems = judge_document(&document, &calls, &facts).problems;
        let path: Arc<str> = "a.yaml".into();
        let item = summarise(Arc::clone(&path), &path, 0, &document, problems, None, &pool)
            .with_calls(&document, &calls, &pool)
            .with_cassette(Some(cassette));
        let line = |problem: &Problem| {
            let numbers: Vec<String> = (1..)
                .zip(&item.calls)
                .filter(|(_, call)| call.has_problem(problem))
                .map(|(number, _)| number.to_string())
                .collect();
            format!("{}: {}\n", problem_label(problem, &item), numbers.join(", "))
        };
        item.problems.iter().map(line).collect()
    }

    #[test]
    fn problems_are_named_with_their_status_and_call() {
        let call = |status: u16, input: &str| {
            format!(
                "- request: {{method: POST, uri: 'https://api.openai.com/v1/responses', headers: {{}}, body: '{{\"model\": \"m\", \"input\": \"{input}\"}}'}}\n  response: {{status: {{code: {status}, message: X}}, headers: {{content-length: ['7']}}, body: {{string: '{{}}'}}}}\n"
            )
        };
        let text = format!("interactions:\n{}{}", call(200, "a"), call(429, "b"));
        insta::assert_snapshot!(labels(&text, CassetteFacts::default()), @"
        Both alike: 1
        Wrong content-length: 1
        Recorded error 429: 2
        Wrong content-length: 2
        ");
        let origin = ConfigOrigin { path: "conftest.py".into(), line: 3 };
        let set = CassetteFacts {
            repeats: Some(origin),
            orphan: Some("renamed".into()),
            ..CassetteFacts::default()
        };
        insta::assert_snapshot!(labels(&text, set), @"
        No test uses this file: 
        Wrong content-length: 1
        Call 2 is never reached: 2
        Recorded error 429: 2
        Wrong content-length: 2
        ");
    }
}
