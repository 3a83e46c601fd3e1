//! The drift as one JSON document.

use schemars::JsonSchema;
use serde::Serialize;

use compare::review::TakeValue;
use play::drift::{DriftCause, DriftReport, DriftVerdict, RequestResult};

#[derive(Serialize, JsonSchema)]
pub(crate) struct DriftDocument<'a> {
    /// Number of tests in the logs; 0 if they do not show tests.
    tests: usize,
    /// Numbers of requests.
    requests: RequestCounts,
    causes: Vec<CauseJson<'a>>,
    record_again: RecordJson<'a>,
    /// Reasons for which requests were not compared.
    not_compared: Vec<NotComparedJson<'a>>,
    /// Reasons for which the logs have less than the run.
    missing: Vec<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct RequestCounts {
    all: usize,
    same: usize,
    harmless: usize,
    record_again: usize,
    matcher_too_loose: usize,
    /// No recorded call answered.
    unanswered: usize,
}

#[derive(Serialize, JsonSchema)]
struct CauseJson<'a> {
    /// `matcher-too-loose`, `record-again` or `harmless`.
    verdict: &'static str,
    name: &'a str,
    /// Such as `offered-tool`, `prompt`, `message`, `model` or `value`.
    subject: &'static str,
    reason: &'a str,
    /// Ids of tests; of logs that do not show tests, cassettes.
    tests: Vec<&'a str>,
    calls: Vec<CallJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct CallJson<'a> {
    log: &'a str,
    line: usize,
    test: Option<&'a str>,
    /// The line of the test that sent the request.
    test_line: Option<usize>,
    cassette: Option<&'a str>,
    /// The number of the recorded call, from 1.
    call: Option<usize>,
    /// What changed.
    change: &'a str,
    /// The recorded value as JSON; null if there was none.
    recorded: Option<&'a str>,
    /// The value that is sent.
    sent: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct RecordJson<'a> {
    tests: Vec<&'a str>,
    cassettes: Vec<&'a str>,
    /// The command; null if the tests are not known.
    command: Option<String>,
    calls: usize,
    /// Tokens of the recorded calls.
    input_tokens: u64,
    output_tokens: u64,
    /// Number of calls whose tokens are not known.
    unknown_calls: usize,
}

#[derive(Serialize, JsonSchema)]
struct NotComparedJson<'a> {
    requests: usize,
    reason: &'a str,
}

impl<'a> DriftDocument<'a> {
    pub(super) fn new(report: &'a DriftReport) -> Self {
        let counts = report.counts();
        let count = |verdict| counts.get(&verdict).copied().unwrap_or_default();
        let plan = &report.record;
        let texts = |list: &'a [std::sync::Arc<str>]| list.iter().map(|text| &**text).collect();
        let not_compared = report.not_compared().into_iter();
        Self {
            tests: report.tests,
            requests: RequestCounts {
                all: report.requests.len(),
                same: report.same(),
                harmless: count(DriftVerdict::Harmless),
                record_again: count(DriftVerdict::RecordAgain),
                matcher_too_loose: count(DriftVerdict::MatcherTooLoose),
                unanswered: report.unanswered(),
            },
            causes: report.causes.iter().map(|cause| cause_json(report, cause)).collect(),
            record_again: RecordJson {
                tests: texts(&plan.tests),
                cassettes: texts(&plan.cassettes),
                command: plan.command(None),
                calls: plan.calls,
                input_tokens: plan.tokens.input,
                output_tokens: plan.tokens.output,
                unknown_calls: plan.tokens.unknown_calls,
            },
            not_compared: not_compared
                .map(|(reason, requests)| NotComparedJson { requests, reason })
                .collect(),
            missing: report.missing.iter().map(String::as_str).collect(),
        }
    }
}

fn cause_json<'a>(report: &'a DriftReport, cause: &'a DriftCause) -> CauseJson<'a> {
    let calls = cause.requests.iter().filter_map(|(at, index)| {
        let request = report.requests.get(*at)?;
        let RequestResult::Answered { call, changes } = &request.result else { return None };
        let (_, change) = changes.get(*index)?;
        let json = |value: &'a Option<TakeValue>| value.as_ref().map(|value| &*value.json);
        Some(CallJson {
            log: &request.place.log,
            line: request.place.line,
            test: request.test.as_deref(),
            test_line: request.line,
            cassette: request.cassette.as_deref(),
            call: Some(call + 1),
            change: &change.sentence,
            recorded: json(&change.old),
            sent: json(&change.new),
        })
    });
    CauseJson {
        verdict: cause.verdict.as_str(),
        name: &cause.name,
        subject: cause.subject.as_str(),
        reason: &cause.reason,
        tests: cause.users.iter().map(|user| &**user).collect(),
        calls: calls.collect(),
    }
}
