//! Decides which recordings of a set no run uses, where that is certain.

use std::sync::Arc;

use super::{SetUsage, UsageEvidence};
use crate::playback::failure_log::{FailureKind, ObservedRun};
use crate::playback::{
    CallVerdict, PlaybackRules, PlaybackRun, PlayedCall, PlayedRequest, RecordingSet, SetRecording,
    requests,
};
use document::text::{counted, listed, lower_first};
use machine::Uncertain;

/// Returns the positions of unused recordings, and why they count as such, as the end of a sentence.
///
/// # Errors
///
/// Returns the reason why it is uncertain, as a sentence without a full stop.
pub(super) fn unused(usage: &SetUsage) -> Result<(Vec<usize>, String), String> {
    let set = &usage.set;
    let (unused, reason) = match usage.evidence.as_ref()? {
        UsageEvidence::Itself => {
            let unused = unused_when_played(set, requests::from_set(set))?;
            (unused, "no request of its set gets it".to_owned())
        }
        UsageEvidence::Machines { paths, requests } => {
            let mut unused = unused_by_machine(set, requests)?;
            unused.sort_unstable();
            (unused, format!("no node of {} offers its tools", listed(paths)))
        }
        UsageEvidence::Logs(runs) => {
            let is_used = used_in_all(set, runs)?;
            let all = (0..is_used.len()).filter(|index| !is_used[*index]);
            (all.collect(), "no run in the logs uses it".to_owned())
        }
    };
    // Clients load other JSON files, too, but these may have another purpose.
    let is_recording = |index: &usize| usage.files[*index].content.is_some();
    Ok((unused.into_iter().filter(is_recording).collect(), reason))
}

/// Returns which recordings answered a call in a log, as far as that is known.
pub(super) fn used_in_logs(usage: &SetUsage) -> Vec<bool> {
    let mut used = vec![false; usage.set.recordings.len()];
    if let Ok(UsageEvidence::Logs(runs)) = &usage.evidence {
        // A run that does not fit the set of today proves nothing.
        let used_recordings = runs.iter().filter_map(|r| r.run.used_recordings(&usage.set).ok());
        for (index, is_used) in used_recordings.flat_map(|of_run| of_run.into_iter().enumerate()) {
            used[index] |= is_used;
        }
    }
    used
}

/// Plays requests. Unused recordings are certain only if each call finds a recording of an equal request.
fn unused_when_played(
    set: &Arc<RecordingSet>,
    requests: Vec<Arc<PlayedRequest>>,
) -> Result<Vec<usize>, String> {
    let run = PlaybackRun::new(Arc::clone(set), PlaybackRules::default(), requests);
    if run.calls.is_empty() {
        return Err("There is no request to play".to_owned());
    }
    for call in &run.calls {
        match call.verdict {
            CallVerdict::Right | CallVerdict::FirstOf(_) => {}
            // A run in which the condition is true does not make the call.
            CallVerdict::Unknown(Uncertain::Condition) => {}
            _ => return Err(doubt(&run, call)),
        }
    }
    Ok(run.findings.unused)
}

/// Returns why the answer to a call does not show what is used, as a sentence without a full stop.
fn doubt(run: &PlaybackRun, call: &PlayedCall) -> String {
    let name = &call.request.name;
    let Some(why) = call.verdict.explain() else {
        return format!("No recording of an equal request answers {name}");
    };
    let served = call.index().and_then(|at| run.set.recordings.get(at));
    let other = served.filter(|served| served.path != *name);
    let by = other.map(|other| format!(", answered by {},", other.path));
    format!(
        "The request {name}{} does not show what is used: {}",
        by.unwrap_or_default(),
        lower_first(&why)
    )
}

/// A machine shows only the first request of each node. Later requests of a node offer the same tools, so only a recording with tools
/// that no node offers is certain to be unused.
fn unused_by_machine(
    set: &Arc<RecordingSet>,
    requests: &[Arc<PlayedRequest>],
) -> Result<Vec<usize>, String> {
    // An imported node may offer any tool, also one that no other node does.
    let mut imported_requests =
        requests.iter().filter(|request| request.uncertain == Some(Uncertain::Imported));
    if let Some(request) = imported_requests.next() {
        let name = &request.name;
        return Err(format!("The tools of {name} are unknown: it is imported"));
    }
    let unused = unused_when_played(set, requests.to_vec())?;
    let offered: Vec<_> = requests.iter().map(|r| sorted(&r.signature().tool_names)).collect();
    let is_offered = |recording: &SetRecording| {
        // A stored signature may list its tools in any order.
        let stored = sorted(&recording.signature().tool_names);
        offered.contains(&stored) || offered.contains(&sorted(recording.offered()))
    };
    Ok(unused.into_iter().filter(|index| !is_offered(&set.recordings[*index])).collect())
}

fn sorted(names: &[Arc<str>]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(|name| &**name).collect();
    names.sort_unstable();
    names
}

/// Returns which recordings the runs of a set use.
fn used_in_all(set: &RecordingSet, runs: &[ObservedRun]) -> Result<Vec<bool>, String> {
    if runs.is_empty() {
        return Err("No log contains a run of this set".to_owned());
    }
    let mut used = vec![false; set.recordings.len()];
    for run in runs {
        for (used, is_used) in used.iter_mut().zip(used_in_run(set, run)?) {
            *used |= is_used;
        }
    }
    Ok(used)
}

fn used_in_run(set: &RecordingSet, observed_run: &ObservedRun) -> Result<Vec<bool>, String> {
    let run = &observed_run.run;
    let at = |line: usize| format!("{}:{line}", run.log());
    if !matches!(run.kind, FailureKind::Run { assertion: None }) {
        return Err(format!("{}: the run failed, so its later calls are unknown", at(run.line)));
    }
    if run.calls.is_empty() {
        return Err(format!("{}: the log shows no call of the run", at(run.line)));
    }
    let now = set.recordings.len();
    let totals = run.calls.iter().filter_map(|call| Some(call.position?.1));
    if let Some(then) = observed_run.loaded.into_iter().chain(totals).find(|then| *then != now) {
        return Err(format!(
            "{}: the log shows {}, but the set now has {now}",
            at(run.line),
            counted(then, "recording", "recordings")
        ));
    }
    run.used_recordings(set)
        .map_err(|l| format!("{}: no recording of the set is known to answer this call", at(l)))
}
