//! Finds the cause of a failure: the fix after which its calls find their answers.

use std::sync::Arc;

use super::cassettes::CassetteDiagnosis;
use super::cause::Cause;
use super::no_recordings::{CommittedRecordings, EmptyFolder};
use super::set_files::SetFiles;
use crate::playback::failure_log::{FailureKind, LoggedFailure, Replay};
use crate::playback::fixes::{Fix, for_run};
use crate::playback::{
    CallVerdict, PlaybackMode, PlaybackRules, PlaybackRun, Reason, ResultStatus, ToolsKnown,
    requests,
};
use calls::Pool;
use document::text::visible;

/// The cause of a failure.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    pub cause: Cause,
    /// The fixes that together make its calls find their answers, in order; empty if there are none.
    pub fixes: Vec<Fix>,
    /// The recording to look at.
    pub recording: Option<Arc<str>>,
    /// Fault of that recording, as a sentence; empty if none is known.
    pub evidence: String,
    /// Committed recordings of its folder, if the client found none there and there are none.
    pub(super) committed: Option<CommittedRecordings>,
    /// The cassette of a test that plays one.
    pub cassette: Option<CassetteDiagnosis>,
    /// The calls of the failure as they were made against the set in the log. They stay the same when the set changes.
    pub(super) calls: LoggedCalls,
}

impl Diagnosis {
    /// Returns why a call fails that needs a folder without recordings.
    pub(super) fn of_empty_folder(folder: &EmptyFolder) -> Self {
        let revision = folder.committed.as_ref().map(|committed| Arc::clone(&committed.revision));
        Self {
            cause: Cause::NoRecordings { revision },
            fixes: Vec::new(),
            recording: None,
            evidence: folder.describe(),
            committed: folder.committed.clone(),
            cassette: None,
            calls: Default::default(),
        }
    }

    /// Returns why a test that plays a cassette failed.
    pub(super) fn of_cassette(cause: Cause, evidence: String, cassette: CassetteDiagnosis) -> Self {
        Self {
            cause,
            fixes: Vec::new(),
            recording: cassette.path.clone().filter(|_| cassette.exists),
            evidence,
            committed: None,
            cassette: Some(cassette),
            calls: LoggedCalls::default(),
        }
    }

    /// Returns whether each call of the failure finds its answer in the set as it is now.
    pub(super) fn is_answered_by(&self, failure: &LoggedFailure, files: &SetFiles) -> bool {
        // No change of recordings makes these tests succeed.
        let is_in_test = matches!(self.cause, Cause::Expectation | Cause::ToolNotFound { .. });
        !is_in_test && is_answered(&self.calls.play(failure, files))
    }
}

/// Requests of a failure, and the rules by which they are played.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LoggedCalls {
    rules: PlaybackRules,
    replay: Replay,
}

impl LoggedCalls {
    fn new(case: &LoggedFailure, files: &SetFiles) -> Self {
        Self { rules: case.rules(&files.set).unwrap_or_default(), replay: case.replay(&files.set) }
    }

    /// Plays the calls against the set as it is now.
    pub(super) fn play(&self, failure: &LoggedFailure, files: &SetFiles) -> PlaybackRun {
        // The recordings that were used before may be elsewhere now.
        let start_state = failure.replay(&files.set).before;
        let requests = self.replay.requests.clone();
        PlaybackRun::resume(Arc::clone(&files.set), self.rules, start_state, requests)
    }
}

/// Returns whether each call of a run finds its answer.
fn is_answered(run: &PlaybackRun) -> bool {
    !run.calls.is_empty() && run.calls.iter().all(|call| !call.verdict.is_bad())
}

/// Finds causes in one set. Fixes that were tried are kept.
#[derive(Debug)]
pub(super) struct SetDiagnosis<'a> {
    files: &'a SetFiles,
    pool: Pool,
    tried: Vec<(Vec<Fix>, SetFiles)>,
}

impl<'a> SetDiagnosis<'a> {
    pub(super) fn new(files: &'a SetFiles) -> Self {
        Self { files, pool: Pool::default(), tried: Vec::new() }
    }

    /// Finds the cause of a failure in this set.
    ///
    /// # Errors
    ///
    /// Returns the reason why it cannot be played, as a sentence without a full stop.
    pub(super) fn diagnose(&mut self, failure: &LoggedFailure) -> Result<Diagnosis, String> {
        self.diagnose_calls(failure, LoggedCalls::new(failure, self.files))
    }

    /// The same for calls as they were made against the set in the log.
    pub(super) fn diagnose_calls(
        &mut self,
        failure: &LoggedFailure,
        calls: LoggedCalls,
    ) -> Result<Diagnosis, String> {
        if failure.lacks_recordings() {
            return Ok(Diagnosis {
                cause: match self.files.set.recordings[..] {
                    [] => Cause::NoRecordings { revision: None },
                    _ => Cause::RecordingsPresent,
                },
                fixes: self.own_fixes(),
                recording: None,
                evidence: describe_present(self.files),
                committed: None,
                cassette: None,
                calls,
            });
        }
        let run = calls.play(failure, self.files);
        // This error alone shows its cause, even if the log shows no call.
        let has_no_call = matches!(failure.kind, FailureKind::ToolNotFound { .. });
        if run.calls.is_empty() && !has_no_call {
            return Err("The log shows none of its calls".to_owned());
        }
        let bad_call = first_bad(&run);
        let (recording, evidence) = evidence(failure, &run, bad_call);
        let diagnosis = |cause, fixes| Diagnosis {
            cause,
            fixes,
            recording,
            evidence,
            committed: None,
            cassette: None,
            calls: calls.clone(),
        };
        let candidates = candidates(&run);
        let sufficient_fixes = match bad_call {
            None => self.solve_order(failure, &calls, &run, &candidates),
            Some(_) => self.solve(candidates, |files| is_answered(&calls.play(failure, files))),
        };
        if let Some(fixes) = sufficient_fixes
            && let Some(cause) = fixes.first().and_then(Cause::removed_by)
        {
            return Ok(diagnosis(cause, fixes));
        }
        let cause = bad_call
            .map_or_else(|| without_bad_call(failure), |call| without_fix(failure, &run, call));
        Ok(diagnosis(cause, Vec::new()))
    }

    /// Returns the fixes after which the set answers the requests of its own recordings; empty if it does, or if none help.
    pub(super) fn own_fixes(&mut self) -> Vec<Fix> {
        let run = own_run(self.files);
        if run.summary.status != ResultStatus::Bad {
            return Vec::new();
        }
        let answers_own = |files: &SetFiles| own_run(files).summary.status != ResultStatus::Bad;
        self.solve(candidates(&run), answers_own).unwrap_or_default()
    }

    /// Returns the first fix that suffices alone; else all together, if they do.
    fn solve(&mut self, pool: Vec<Fix>, is_solved: impl Fn(&SetFiles) -> bool) -> Option<Vec<Fix>> {
        let alone = pool.iter().map(|fix| vec![fix.clone()]);
        // Fewer fixes first: together, only the first ones of the list up to the last that is needed.
        let together = (2..=pool.len()).map(|count| pool[..count].to_vec());
        alone.chain(together).find(|fixes| is_solved(self.fixed(fixes)))
    }

    /// Returns the fix of the file order, for a run in which each call is answered, but some by that order.
    fn solve_order(
        &mut self,
        failure: &LoggedFailure,
        calls: &LoggedCalls,
        run: &PlaybackRun,
        candidates: &[Fix],
    ) -> Option<Vec<Fix>> {
        let by_order = |run: &PlaybackRun| -> usize {
            let is_by_order = |verdict: &CallVerdict| {
                matches!(verdict, CallVerdict::FirstOf(_) | CallVerdict::ByPosition(_))
            };
            run.calls.iter().filter(|call| is_by_order(&call.verdict)).count()
        };
        // A run in signature mode fails only without a match: if each call has one now, the set was fixed since.
        if by_order(run) == 0 || run.rules.mode == PlaybackMode::Signature {
            return None;
        }
        let fix = candidates.iter().find(|fix| match fix {
            Fix::Reorder(_) => true,
            _ => by_order(&calls.play(failure, self.fixed(&[(*fix).clone()]))) < by_order(run),
        })?;
        Some(vec![fix.clone()])
    }

    fn fixed(&mut self, fixes: &[Fix]) -> &SetFiles {
        // Hundreds of failures of a set try the same few fixes, and each try reads the changed files.
        let index = self.tried.iter().position(|(tried, _)| tried == fixes).unwrap_or_else(|| {
            self.tried.push((fixes.to_vec(), self.files.fixed(fixes, &self.pool).files));
            self.tried.len() - 1
        });
        &self.tried[index].1
    }
}

/// Plays a set with the requests of its own recordings.
pub(super) fn own_run(files: &SetFiles) -> PlaybackRun {
    let own = requests::from_set(&files.set);
    PlaybackRun::new(Arc::clone(&files.set), PlaybackRules::default(), own)
}

/// Describes how the set of a client that found no recordings answers the requests of its own recordings, as a sentence; empty if
/// each gets its answer.
pub(super) fn describe_present(files: &SetFiles) -> String {
    let set = &files.set;
    if set.recordings.is_empty() {
        return format!("{}: no file in it is a recording", set.folder);
    }
    let run = own_run(files);
    if run.summary.status != ResultStatus::Bad {
        return String::new();
    }
    format!("With the requests of its own recordings: {}", run.summary.title)
}

/// Returns the first call that finds no right answer, if possible one whose tools are known.
fn first_bad(run: &PlaybackRun) -> Option<usize> {
    let calls = run.calls.iter().enumerate();
    let mut bad_calls = calls.filter(|(_, call)| call.verdict.is_bad()).map(|(at, _)| at);
    let is_known = |at: &usize| run.calls[*at].request.tools_known == ToolsKnown::Yes;
    let first = bad_calls.clone().next();
    // Unknown tools leave nothing to compare, and so no cause.
    bad_calls.find(is_known).or(first)
}

/// Returns the fixes that write something, the most likely first. One for a whole set replaces the same for a part of it.
fn candidates(run: &PlaybackRun) -> Vec<Fix> {
    let all: Vec<Fix> =
        for_run(run).into_iter().filter(|fix| Cause::removed_by(fix).is_some()).collect();
    let is_part = |fix: &Fix, of: &Fix| {
        let is_same_kind = std::mem::discriminant(fix) == std::mem::discriminant(of);
        let (part, recordings) = (fix.recordings(), of.recordings());
        let is_edit = !fix.edited().is_empty();
        let is_smaller = part.len() < recordings.len();
        is_edit && is_same_kind && is_smaller && part.iter().all(|index| recordings.contains(index))
    };
    let mut full_fixes: Vec<Fix> = Vec::new();
    for fix in &all {
        let fix = all.iter().find(|of| is_part(fix, of)).unwrap_or(fix);
        if !full_fixes.contains(fix) {
            full_fixes.push(fix.clone());
        }
    }
    // A new name that other recordings have already is more likely another turn's tool than a renamed one.
    let is_known = |fix: &Fix| {
        let Fix::RenameTool { to, .. } = fix else { return false };
        run.set.recordings.iter().any(|recording| recording.offered().contains(to))
    };
    full_fixes.sort_by_key(is_known);
    full_fixes
}

/// Returns the recording to look at, and what is wrong with it.
fn evidence(
    failure: &LoggedFailure,
    run: &PlaybackRun,
    bad_call: Option<usize>,
) -> (Option<Arc<str>>, String) {
    let path = |index: usize| run.set.recordings.get(index).map(|r| Arc::clone(&r.path));
    if let Some(nearest) = bad_call.and_then(|call| run.nearest(call)) {
        let reasons: Vec<String> = nearest.reasons.iter().map(Reason::sentence).collect();
        let end = if reasons.is_empty() { "" } else { "." };
        let evidence = visible(&(reasons.join(". ") + end)).into_owned();
        return (path(nearest.index), evidence);
    }
    match failure.suspect(&run.set) {
        Some(suspect) => (path(suspect.index), suspect.why),
        None => (bad_call.and_then(|call| run.calls[call].index()).and_then(path), String::new()),
    }
}

/// Returns the cause of a call without a right answer, where no fix helps.
fn without_fix(failure: &LoggedFailure, run: &PlaybackRun, call: usize) -> Cause {
    let without_reason = || match failure.kind {
        FailureKind::PastEnd { .. } => Cause::RecordingMissing,
        _ => Cause::NoAnswer,
    };
    if run.calls[call].verdict == CallVerdict::Breaks {
        return Cause::RecordingBroken;
    }
    let Some(nearest) = run.nearest(call) else { return without_reason() };
    let mut causes = nearest.reasons.iter().filter_map(|reason| match reason {
        Reason::ToolNames { missing, extra } => {
            Some(Cause::ToolsChanged { missing: missing.clone(), extra: extra.clone() })
        }
        Reason::MessageCount { .. } | Reason::OtherCount { .. } => Some(Cause::MessagesChanged),
        Reason::Used { .. } => Some(Cause::UsedUp),
        Reason::Breaks(_) => Some(Cause::RecordingBroken),
        // A fix was tried for both, and did not help.
        Reason::ContextKeys { .. } | Reason::Never(_) => None,
    });
    causes.next().unwrap_or_else(without_reason)
}

/// Returns the cause of a failure of which each call finds its answer.
fn without_bad_call(failure: &LoggedFailure) -> Cause {
    match &failure.kind {
        FailureKind::ToolNotFound { tool } => Cause::ToolNotFound { tool: Arc::clone(tool) },
        FailureKind::Run { .. } | FailureKind::Cassette(_) => Cause::Expectation,
        FailureKind::NoMatch { .. } | FailureKind::PastEnd { .. } | FailureKind::NoDirectory => {
            Cause::AnsweredNow
        }
    }
}
