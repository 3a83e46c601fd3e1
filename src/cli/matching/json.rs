//! The run as one JSON document.

use std::io;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::MatchOutput;
use crate::output::Output;
use engine::Phase;
use play::playback::failure_log::{LoggedCall, LoggedFailure, LoggedStep, Suspect};
use play::playback::fixes::{Fix, for_run};
use play::playback::{
    CallOutcome, MatchStep, Miss, Misses, PlaybackRun, PlayedCall, Ranking, Reason, ResultStatus,
    SetRecording,
};

#[derive(Serialize, JsonSchema)]
pub(crate) struct MatchDocument<'r> {
    mode: &'static str,
    client: &'static str,
    /// The result, in a word and in a sentence.
    standing: &'static str,
    verdict: &'r str,
    detail: &'r str,
    calls: Vec<MatchCallJson<'r>>,
    unused: Vec<&'r str>,
    served_twice: Vec<Twice<'r>>,
    ambiguous: Vec<Vec<&'r str>>,
    /// Numbers of calls, from 1.
    fell_back: Vec<usize>,
    wrong: Vec<usize>,
    undefined: Vec<usize>,
    unanswered: Vec<usize>,
    uncertain: Vec<usize>,
    skipped: Vec<SkippedJson<'r>>,
    fixes: Vec<FixRow<'r>>,
    /// Present only for the log of a failed run.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureRow<'r>>,
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct MatchCallJson<'r> {
    number: usize,
    request: &'r str,
    id: Option<&'r str>,
    node: Option<&'r str>,
    signature: CallSignatureJson<'r>,
    outcome: &'static str,
    recording: Option<&'r str>,
    index: Option<usize>,
    reused: bool,
    /// Number of the earlier call that the recording answered.
    reused_from: Option<usize>,
    verdict: &'static str,
    why: Option<String>,
    /// Why it is uncertain that a run makes the call; null if it is certain.
    uncertain: Option<String>,
    /// Position of the next sequential step afterwards.
    next: usize,
    /// Nearest first; `rejected_count` is the total number.
    rejected: Vec<Rejected<'r>>,
    rejected_count: usize,
    /// The first line of the error with which the client ends.
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct CallSignatureJson<'r> {
    tool_names: Vec<&'r str>,
    message_count: u64,
    context_keys: Vec<&'r str>,
}

#[derive(Serialize, JsonSchema)]
struct Rejected<'r> {
    recording: &'r str,
    index: usize,
    reasons: Vec<ReasonRow>,
    /// The smallest change that would make it match.
    change: String,
}

#[derive(Default, Serialize, JsonSchema)]
struct ReasonRow {
    reason: &'static str,
    missing: Vec<String>,
    extra: Vec<String>,
    expected: Option<u64>,
    actual: Option<u64>,
    /// Number of the call that used it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_by: Option<usize>,
    message: String,
}

#[derive(Serialize, JsonSchema)]
struct Twice<'r> {
    recording: &'r str,
    calls: Vec<usize>,
}

#[derive(Serialize, JsonSchema)]
struct SkippedJson<'r> {
    path: &'r str,
    reason: &'r str,
}

#[derive(Serialize, JsonSchema)]
struct FixRow<'r> {
    title: &'static str,
    what: String,
    recordings: Vec<&'r str>,
}

#[derive(Serialize, JsonSchema)]
struct FailureRow<'r> {
    line: usize,
    title: String,
    directory: Option<&'r str>,
    suspect: Option<&'r str>,
    why: Option<String>,
    /// The name of the test in its runner.
    test: Option<&'r str>,
    /// The earlier calls in the log; `calls` above is their playback.
    logged: Vec<LoggedRow<'r>>,
}

#[derive(Serialize, JsonSchema)]
struct LoggedRow<'r> {
    line: usize,
    step: Option<&'static str>,
    /// From 0.
    position: Option<usize>,
    id: Option<&'r str>,
    /// The client's messages.
    mismatches: Vec<String>,
}

fn logged_row(call: &LoggedCall) -> LoggedRow<'_> {
    let mismatches = call.mismatches.iter();
    LoggedRow {
        line: call.line,
        step: call.step.map(|step| match step {
            LoggedStep::Signature => "signature",
            LoggedStep::Sequential | LoggedStep::InOrder => "sequential",
            LoggedStep::Empty => "none",
        }),
        position: call.position.map(|(position, _)| position),
        id: call.id.as_deref(),
        mismatches: mismatches.map(|mismatch| mismatch.kind.to_string()).collect(),
    }
}

/// Writes a run. `stop_reason` is the reason why nothing could be played.
pub(super) fn write(
    output: &mut Output,
    run: &PlaybackRun,
    logged_failure: Option<&LoggedFailure>,
    nearest: usize,
    stop_reason: Option<&str>,
) -> io::Result<()> {
    let calls: Vec<usize> = (0..run.calls.len()).collect();
    // One ranking for all calls, so that what it computes of the set is computed once.
    let (ranking, phase) = (Ranking::new(run), Phase::new("Explaining", calls.len()));
    let row = |index: &usize| {
        phase.step();
        Some(call_row(run, *index, run.calls.get(*index)?, ranking.misses(*index, nearest)))
    };
    let document = MatchOutput::Set(document(run, logged_failure, stop_reason));
    output.document_with_rows(&document, "calls", &calls, row)
}

/// The run without its calls.
fn document<'r>(
    run: &'r PlaybackRun,
    logged_failure: Option<&'r LoggedFailure>,
    stop_reason: Option<&str>,
) -> MatchDocument<'r> {
    let findings = &run.findings;
    let path = |index: &usize| path_of(run, *index);
    let paths = |indices: &[usize]| indices.iter().map(path).collect();
    let error = run.first_error().and_then(|call| run.error(call));
    let failure = logged_failure.map(|logged_failure| failure_row(run, logged_failure));
    MatchDocument {
        mode: run.rules.mode.as_str(),
        client: run.rules.client.as_str(),
        standing: match run.summary.status {
            ResultStatus::Good => "good",
            ResultStatus::Doubtful => "doubtful",
            ResultStatus::Bad => "bad",
        },
        verdict: &run.summary.title,
        detail: &run.summary.detail,
        // Written one by one: all calls together, each with its rejected recordings, would need much memory.
        calls: Vec::new(),
        unused: paths(&findings.unused),
        served_twice: (findings.served_twice.iter())
            .map(|r| Twice { recording: path_of(run, r.recording), calls: numbers(&r.calls) })
            .collect(),
        ambiguous: findings.ambiguous.iter().map(|group| paths(group)).collect(),
        fell_back: numbers(&findings.fell_back),
        wrong: numbers(&findings.wrong),
        undefined: numbers(&findings.undefined),
        unanswered: numbers(&findings.unanswered),
        uncertain: numbers(&findings.uncertain),
        skipped: (run.set.skipped.iter())
            .map(|file| SkippedJson { path: &file.path, reason: &file.reason })
            .collect(),
        fixes: for_run(run).iter().map(|fix| fix_row(run, fix)).collect(),
        failure,
        // A log without a printed request has only the title of its failure.
        error: stop_reason
            .map(str::to_owned)
            .or(error)
            .or_else(|| logged_failure.filter(|_| run.calls.is_empty()).map(LoggedFailure::title)),
    }
}

fn path_of(run: &PlaybackRun, index: usize) -> &str {
    let recording: Option<&SetRecording> = run.set.recordings.get(index);
    recording.map_or("", |recording| &recording.path)
}

fn texts(names: &[Arc<str>]) -> impl Iterator<Item = &str> {
    names.iter().map(|name| &**name)
}

/// Calls by their numbers, from 1.
fn numbers(calls: &[usize]) -> Vec<usize> {
    calls.iter().map(|call| call + 1).collect()
}

fn call_row<'r>(
    run: &'r PlaybackRun,
    index: usize,
    call: &'r PlayedCall,
    misses: Misses,
) -> MatchCallJson<'r> {
    let request = &*call.request;
    let recording = call.served();
    MatchCallJson {
        // From 1, as the text and the window count calls.
        number: index + 1,
        request: &request.name,
        id: request.id.as_deref(),
        node: request.node.as_deref(),
        signature: CallSignatureJson {
            tool_names: texts(&request.signature().tool_names).collect(),
            message_count: request.signature().message_count,
            context_keys: texts(&request.signature().context_keys).collect(),
        },
        outcome: match &call.outcome {
            CallOutcome::Served(recording) if recording.step == MatchStep::Signature => "signature",
            CallOutcome::Served(_) => "sequential",
            _ => "none",
        },
        recording: recording.map(|recording| path_of(run, recording.index)),
        index: call.index(),
        reused: call.reused.is_some(),
        reused_from: call.reused.map(|call| call + 1),
        verdict: call.verdict.as_str(),
        why: call.verdict.explain(),
        uncertain: request.uncertain.map(|w| w.to_string()),
        next: call.next,
        rejected_count: misses.count,
        rejected: misses.nearest.iter().map(|miss| rejected(run, miss)).collect(),
        error: run.error_line(index),
    }
}

fn rejected<'r>(run: &'r PlaybackRun, miss: &Miss) -> Rejected<'r> {
    Rejected {
        recording: path_of(run, miss.index),
        index: miss.index,
        reasons: miss.reasons.iter().map(reason_row).collect(),
        change: miss.change(run),
    }
}

fn reason_row(code: &Reason) -> ReasonRow {
    let row = ReasonRow { reason: code.as_str(), message: code.sentence(), ..ReasonRow::default() };
    match code {
        Reason::ToolNames { missing, extra } | Reason::ContextKeys { missing, extra } => {
            ReasonRow {
                missing: texts(missing).map(str::to_owned).collect(),
                extra: texts(extra).map(str::to_owned).collect(),
                ..row
            }
        }
        Reason::MessageCount { expected, actual } => {
            ReasonRow { expected: Some(*expected), actual: Some(*actual), ..row }
        }
        Reason::OtherCount { actual } => ReasonRow { actual: Some(*actual), ..row },
        Reason::Used { call } => ReasonRow { used_by: call.map(|call| call + 1), ..row },
        Reason::Never(_) | Reason::Breaks(_) => row,
    }
}

fn fix_row<'r>(run: &'r PlaybackRun, fix: &Fix) -> FixRow<'r> {
    FixRow {
        title: fix.title(),
        what: fix.describe(),
        recordings: fix.recordings().iter().map(|index| path_of(run, *index)).collect(),
    }
}

fn failure_row<'r>(run: &'r PlaybackRun, failure: &'r LoggedFailure) -> FailureRow<'r> {
    let suspect = failure.suspect(&run.set);
    let suspect_path = suspect.as_ref().map(|suspect: &Suspect| path_of(run, suspect.index));
    FailureRow {
        line: failure.line,
        title: failure.title(),
        directory: failure.directory.as_deref(),
        suspect: suspect_path,
        why: suspect.map(|suspect| suspect.why),
        test: failure.test.as_deref(),
        logged: failure.calls.iter().map(logged_row).collect(),
    }
}
