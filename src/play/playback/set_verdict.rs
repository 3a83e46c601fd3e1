//! Judges in a few words whether a set answers the requests that were played against it.

use super::{CallVerdict, PlaybackRun, PlayedCall, ResultStatus};
use document::text::thousands;

/// The verdict on a set, short enough for a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetVerdict {
    pub status: ResultStatus,
    /// `7 of 7`, `2 unanswered`, or `8 by file order`.
    pub label: String,
    /// The summary of the run, one sentence with its full stop.
    pub title: String,
    /// The status of each call, in order.
    pub calls: Box<[ResultStatus]>,
}

impl SetVerdict {
    /// Judges a run. A call that a real run may not make is uncertain, and never bad.
    pub fn new(run: &PlaybackRun) -> Self {
        let (status, label) = judge(&run.calls);
        let calls = run.calls.iter().map(|call| call.verdict.status()).collect();
        Self { status, label, title: run.summary.title.clone(), calls }
    }

    /// Returns the verdict on a set that could not be played, for a reason as a sentence with its full stop.
    pub fn not_played(reason: String) -> Self {
        let (status, label) = (ResultStatus::Bad, "not played".to_owned());
        Self { status, label, title: reason, calls: Box::default() }
    }
}

fn judge(calls: &[PlayedCall]) -> (ResultStatus, String) {
    // A file that makes the client fail does so at every request, so it counts even if a call is uncertain.
    if calls.iter().any(|call| call.verdict == CallVerdict::Breaks) {
        return (ResultStatus::Bad, "client fails".to_owned());
    }
    let is_uncertain = |call: &PlayedCall| {
        let is_made = call.request.uncertain.is_none();
        matches!(call.verdict, CallVerdict::Unknown(_)) || !is_made && call.verdict.is_bad()
    };
    let uncertain = calls.iter().filter(|call| is_uncertain(call)).count();
    let count = |is: fn(&CallVerdict) -> bool| {
        calls.iter().filter(|call| !is_uncertain(call)).filter(|call| is(&call.verdict)).count()
    };
    let bad_parts = [
        (count(CallVerdict::is_unanswered), "unanswered"),
        (count(|verdict| matches!(verdict, CallVerdict::Wrong(_))), "wrong"),
        (count(|verdict| *verdict == CallVerdict::Undefined), "undefined"),
    ];
    let by_file_order =
        count(|verdict| matches!(verdict, CallVerdict::ByPosition(_) | CallVerdict::FirstOf(_)));
    let doubtful = [(by_file_order, "by file order"), (uncertain, "uncertain")];
    if let Some(label) = join(&bad_parts) {
        (ResultStatus::Bad, label)
    } else if let Some(label) = join(&doubtful) {
        (ResultStatus::Doubtful, label)
    } else if calls.is_empty() {
        (ResultStatus::Doubtful, "no calls".to_owned())
    } else {
        let all = thousands(calls.len());
        (ResultStatus::Good, format!("{all} of {all}"))
    }
}

/// Returns the counts that are not 0 with their words; `None` if all are 0.
fn join(counts: &[(usize, &str)]) -> Option<String> {
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = counts.map(|(c, w)| format!("{} {w}", thousands(*c))).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::playback::testing::{play, played_request, recording, set};
    use crate::playback::{PlaybackRules, RecordingSet};
    use machine::Uncertain;

    fn verdict<'a>(
        set: &Arc<RecordingSet>,
        requests: impl IntoIterator<Item = &'a Value>,
    ) -> String {
        show(&SetVerdict::new(&play(set, PlaybackRules::default(), requests)))
    }

    fn show(verdict: &SetVerdict) -> String {
        format!("{:?}: {}", verdict.status, verdict.label)
    }

    #[test]
    fn the_worst_of_a_run_is_counted() {
        let (go, stop) = (recording("a", "n", "go", 1), recording("b", "n", "stop", 1));
        let all = set([("a", go.clone()), ("b", stop.clone())]);
        assert_eq!(verdict(&all, [&go, &stop]), "Good: 2 of 2");
        assert_eq!(verdict(&all, []), "Doubtful: no calls");
        // The third call gets a recording again, by its position.
        let again = [&go, &stop, &go];
        assert_eq!(verdict(&all, again), "Doubtful: 1 by file order");
        let late_recording = recording("c", "n", "go", 3);
        assert_eq!(verdict(&all, [&late_recording]), "Doubtful: 1 by file order");
        let other = recording("d", "n", "wait", 1);
        assert_eq!(verdict(&all, [&other, &late_recording, &go]), "Bad: 1 unanswered, 2 wrong");
    }

    #[test]
    fn an_answer_that_is_not_wrapped_is_undefined() {
        let mut flat = recording("a", "n", "go", 1);
        flat["response"] = json!({ "content": [] });
        let all = set([("a", flat.clone())]);
        assert_eq!(verdict(&all, [&flat]), "Bad: 1 undefined");
    }

    #[test]
    fn a_call_that_may_not_be_made_is_never_bad() {
        let mut flat = recording("a", "n", "go", 1);
        flat["response"] = json!({ "content": [] });
        let all = set([("a", flat.clone())]);
        let played = |recording: &Value| {
            let mut request = played_request(recording);
            Arc::make_mut(&mut request).uncertain = Some(Uncertain::Imported);
            let run = PlaybackRun::new(Arc::clone(&all), PlaybackRules::default(), vec![request]);
            show(&SetVerdict::new(&run))
        };
        let unanswered = recording("b", "n", "stop", 1);
        assert_eq!(played(&unanswered), "Doubtful: 1 uncertain");
        assert_eq!(played(&flat), "Doubtful: 1 uncertain");
    }
}
