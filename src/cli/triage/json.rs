//! The triage as one JSON document.

use schemars::JsonSchema;
use serde::Serialize;

use calls::file_part::FilePart;
use document::files::FileStep;
use play::run_log::FailedTest;
use play::triage::{CassetteDiagnosis, Cause, CauseGroup, TriageReport};

#[derive(Serialize, JsonSchema)]
pub(crate) struct TriageDocument {
    failures: usize,
    causes: Vec<CauseJson>,
    unassigned: Vec<UnassignedJson>,
    /// Null unless requested.
    after_fix: Option<AfterJson>,
}

#[derive(Serialize, JsonSchema)]
struct CauseJson {
    cause: &'static str,
    title: String,
    detail: &'static str,
    /// The renamed tool; of a cassette, the value that is recorded and the one that is sent, or the names of a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    /// False if the reason why the test failed is not known.
    explained: bool,
    evidence: Option<String>,
    fix: Option<String>,
    /// The command that records the tests again that play cassettes.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<String>,
    failures: Vec<FailureJson>,
    sets: Vec<SetJson>,
}

#[derive(Serialize, JsonSchema)]
struct FailureJson {
    log: String,
    line: usize,
    test: Option<String>,
    message: String,
    set: String,
    recording: Option<String>,
    /// `retake LINK` shows the recording.
    link: Option<String>,
    why: String,
    /// Of a test that plays a cassette.
    #[serde(skip_serializing_if = "Option::is_none")]
    cassette: Option<CassetteJson>,
}

#[derive(Serialize, JsonSchema)]
struct CassetteJson {
    /// The cassette, or where it is missing.
    path: Option<String>,
    exists: bool,
    /// The number of the recorded call that is nearest to the request, from 1.
    call: Option<usize>,
    /// The program that plays it, with its versions if the log shows them.
    client: Option<&'static str>,
    /// Method and address of the request, if printed.
    request: Option<String>,
    record_mode: Option<String>,
    match_on: Vec<String>,
    /// What fixes it besides recording again.
    fix: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct SetJson {
    set: String,
    failures: usize,
    fixes: Vec<FixJson>,
}

#[derive(Serialize, JsonSchema)]
struct FixJson {
    title: &'static str,
    what: String,
}

#[derive(Serialize, JsonSchema)]
struct UnassignedJson {
    log: String,
    line: usize,
    test: Option<String>,
    message: String,
    reason: String,
}

#[derive(Serialize, JsonSchema)]
struct AfterJson {
    answered: usize,
    failing: Vec<FailingJson>,
    written: bool,
    changes: Vec<FixedFileJson>,
    sets: Vec<CheckJson>,
}

#[derive(Serialize, JsonSchema)]
struct FailingJson {
    log: String,
    line: usize,
    test: Option<String>,
    reason: String,
}

#[derive(Serialize, JsonSchema)]
struct FixedFileJson {
    path: String,
    /// `write`, `rename`, `copy`.
    kind: &'static str,
    /// The new path.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct CheckJson {
    set: String,
    calls: usize,
    bad_before: usize,
    bad_after: usize,
}

pub(super) fn document(report: &TriageReport<'_>) -> TriageDocument {
    let triage = report.triage;
    TriageDocument {
        failures: triage.failures.len(),
        causes: triage.groups.iter().map(|group| cause(report, group)).collect(),
        unassigned: triage
            .unassigned()
            .map(|(index, reason)| {
                let failure = &triage.failures[index].failure;
                UnassignedJson {
                    log: failure.log().to_string(),
                    line: failure.line,
                    test: failure.test.as_deref().map(str::to_owned),
                    message: failure.title(),
                    reason: reason.to_owned(),
                }
            })
            .collect(),
        after_fix: after(report),
    }
}

fn cause(report: &TriageReport<'_>, group: &CauseGroup) -> CauseJson {
    let names = match &group.cause {
        Cause::ToolRenamed { from, to } => Some((from.to_string(), to.to_string())),
        Cause::Cassette(cause) => cause.values().map(|(from, to)| (from.to_owned(), to.to_owned())),
        _ => None,
    };
    let (from, to) = names.unzip();
    let failures = group.failures.iter().filter_map(|index| {
        let failure = &report.triage.failures[*index];
        let assignment = failure.result.as_ref().ok()?;
        let diagnosis = &assignment.diagnosis;
        Some(FailureJson {
            log: failure.failure.log().to_string(),
            line: failure.failure.line,
            test: failure.failure.test.as_deref().map(str::to_owned),
            message: failure.failure.title(),
            set: report.folder(&assignment.folder).to_owned(),
            recording: diagnosis.recording.as_ref().map(|path| report.path(path)),
            link: diagnosis.recording.as_ref().map(|path| {
                let call = diagnosis.cassette.as_ref().and_then(|cassette| cassette.call);
                // A recording has one call.
                FilePart::Call(call.unwrap_or(1)).link(&report.path(path))
            }),
            why: diagnosis.evidence.clone(),
            cassette: failure.failure.cassette_test().and_then(|test| {
                let cassette = diagnosis.cassette.as_ref()?;
                Some(cassette_json(report, test, cassette))
            }),
        })
    });
    let sets = report.by_set(group).into_iter().map(|(folder, failures)| {
        let fixes = group.fixes[folder].iter();
        SetJson {
            set: report.folder(folder).to_owned(),
            failures: failures.len(),
            fixes: fixes.map(|fix| FixJson { title: fix.title(), what: fix.describe() }).collect(),
        }
    });
    CauseJson {
        cause: group.cause.as_str(),
        title: group.cause.title(),
        detail: group.cause.describe(),
        from,
        to,
        explained: group.cause.is_explained(),
        evidence: report.evidence(group),
        fix: report.fix(group),
        record: report.triage.record_command(group),
        failures: failures.collect(),
        sets: sets.collect(),
    }
}

fn cassette_json(
    report: &TriageReport<'_>,
    test: &FailedTest,
    cassette: &CassetteDiagnosis,
) -> CassetteJson {
    let miss = &test.miss;
    CassetteJson {
        path: cassette.path.as_ref().map(|path| report.path(path)),
        exists: cassette.exists,
        call: cassette.call,
        client: miss.client,
        request: miss.request.as_ref().map(|request| format!("{} {}", request.method, request.url)),
        record_mode: miss.record_mode.as_deref().map(str::to_owned),
        match_on: miss.match_on.iter().map(|name| name.to_string()).collect(),
        fix: cassette.fix.describe(),
    }
}

fn after(report: &TriageReport<'_>) -> Option<AfterJson> {
    let outcome = report.after?;
    let failures = outcome.failing.iter().map(|(index, reason)| {
        let failure = &report.triage.failures[*index].failure;
        FailingJson {
            log: failure.log().to_string(),
            line: failure.line,
            test: failure.test.as_deref().map(str::to_owned),
            reason: reason.clone(),
        }
    });
    let change = |step: &FileStep| {
        let path = report.path(step.path());
        let (kind, to) = match step {
            FileStep::Rename { to, .. } => ("rename", Some(report.path(to))),
            FileStep::Copy { to, .. } => ("copy", Some(report.path(to))),
            FileStep::Create { .. } | FileStep::Write { .. } => ("write", None),
        };
        FixedFileJson { path, kind, to }
    };
    let steps = outcome.sets.values().flat_map(|set| &set.steps);
    let changes = match report.written {
        // The steps that were made, which may be fewer than planned.
        Some(fixes) => fixes.done.iter().map(change).collect(),
        None => steps.map(change).collect(),
    };
    let checks = outcome.checks.iter().map(|check| CheckJson {
        set: report.folder(&check.folder).to_owned(),
        calls: check.calls,
        bad_before: check.bad_before,
        bad_after: check.bad_after,
    });
    Some(AfterJson {
        answered: outcome.answered.len(),
        failing: failures.collect(),
        written: report.written.is_some(),
        changes,
        sets: checks.collect(),
    })
}
