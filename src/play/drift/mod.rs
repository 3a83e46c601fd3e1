//! Drift: what tests send today beside what was recorded, while the recordings still answer.
//!
//! Each request of a [log](crate::run_requests) is paired with the recorded call that answered it (`pair`): by the log, else by the
//! rules of the client. What differs is found as in a review; each change gets a [verdict](DriftVerdict) (`judge`), and changes of the
//! same kind are one [cause](DriftCause), in however many calls.

mod judge;
mod pair;
mod rerecord;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::client::{NO_VALUE, differing_words, shortened};
use crate::run_requests::{LogPlace, LoggedRequest, RunRequests};
use crate::triage::CassetteFiles;
use compare::review::{ChangeSubject, IgnoreRule, TakeChange, shared_changes};
use document::text::{counted, named_enum, thousands};
use pair::{Pairing, pair_requests};

pub use rerecord::{RecordPlan, TokenCount};

named_enum! {
    /// What a change of a request means for the recorded answer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum DriftVerdict {
        // In the order in which causes are listed.
        /// What the test is about differs, and the recording answers all the same.
        MatcherTooLoose = "matcher-too-loose" "Matcher too loose" "The recording answers another question than the one that is sent" "with a matcher that is too loose",
        /// The answer may depend on it.
        RecordAgain = "record-again" "Record again" "The model may answer otherwise" "to record again",
        /// The answer does not depend on it.
        Harmless = "harmless" "Harmless" "The answer does not depend on it" "harmless",
    }

    /// Returns its name in JSON.
    pub fn as_str;

    /// Returns its label.
    pub fn label;

    /// Returns a sentence without a full stop that explains it.
    pub fn describe;

    /// Returns what is behind a number of calls.
    fn noun;
}

/// The recorded calls beside the requests of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DriftReport {
    /// Number of tests in the logs.
    pub tests: usize,
    /// In the order of the logs.
    pub requests: Vec<ComparedRequest>,
    /// Those that need something first.
    pub causes: Vec<DriftCause>,
    /// The tests to record again, for the causes that need it.
    pub record: RecordPlan,
    /// Reasons for which the logs have less than the run, as sentences without a full stop.
    pub missing: Vec<String>,
}

/// A request beside the recorded call that answered it.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRequest {
    pub place: LogPlace,
    /// `None` if the log does not show it.
    pub test: Option<Arc<str>>,
    /// The line of the test that sent it, from 1.
    pub line: Option<usize>,
    /// From the project root if the project has it, else as the log names it.
    pub cassette: Option<Arc<str>>,
    pub result: RequestResult,
}

/// The result of comparing a request.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestResult {
    /// The recorded call with this index answered.
    Answered { call: usize, changes: Vec<(DriftVerdict, TakeChange)> },
    /// No recorded call answered.
    Unanswered,
    /// They cannot be compared: the reason, as a sentence without a full stop.
    NotCompared(String),
}

impl ComparedRequest {
    /// Returns the verdict that needs most; `None` if it is as recorded, or was not compared.
    pub fn verdict(&self) -> Option<DriftVerdict> {
        match &self.result {
            RequestResult::Answered { changes, .. } => changes.iter().map(|(v, _)| *v).min(),
            _ => None,
        }
    }

    /// Returns the test, or if that is not known the cassette.
    pub fn user(&self) -> Option<&Arc<str>> {
        self.test.as_ref().or(self.cassette.as_ref())
    }
}

/// A kind of change that requests share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftCause {
    pub verdict: DriftVerdict,
    /// Names the change; names are in backquotes.
    pub name: String,
    pub subject: ChangeSubject,
    /// The reason for the verdict, as a sentence without a full stop.
    pub reason: String,
    /// The positions of its requests, and the position of the first of its changes in each.
    pub requests: Vec<(usize, usize)>,
    /// The tests that send them, or their cassettes if the logs do not show the tests; in the order of the logs.
    pub users: Vec<Arc<str>>,
}

impl DriftReport {
    /// Compares the requests of a run with what was recorded.
    pub fn new(run: &RunRequests, files: &CassetteFiles, rules: &[IgnoreRule]) -> Self {
        let Pairing { requests, tokens, limits } = pair_requests(run, files, rules);
        let mut changes: Vec<Vec<(DriftVerdict, TakeChange)>> = Vec::new();
        for request in &requests {
            changes.push(match &request.result {
                RequestResult::Answered { changes, .. } => changes.clone(),
                _ => Vec::new(),
            });
        }
        let causes = shared_changes(&changes).into_iter().map(|shared| {
            let of_cause =
                shared.members.iter().flat_map(|(at, all)| all.iter().map(move |i| (*at, *i)));
            let change = |(at, index): (usize, usize)| (at, &changes[at][index].1);
            let reason = judge::reason(shared.key, of_cause.map(change), &limits);
            let first = |(at, all): (&usize, &Vec<usize>)| (*at, all[0]);
            let users = shared.members.keys().filter_map(|at| requests[*at].user());
            let mut seen = HashSet::new();
            let users = users.filter(|user| seen.insert(*user)).cloned().collect();
            DriftCause {
                verdict: shared.key,
                name: shared.name,
                subject: shared.subject,
                reason,
                requests: shared.members.iter().map(first).collect(),
                users,
            }
        });
        let causes: Vec<DriftCause> = causes.collect();
        let record = RecordPlan::new(&requests, run, files, &tokens);
        let tests = run.tests.iter().map(|test| &test.test);
        let tests: BTreeSet<&Arc<str>> =
            tests.chain(run.requests.iter().filter_map(|request| request.test.as_ref())).collect();
        let tests = tests.len();
        Self { tests, requests, causes, record, missing: run.missing.clone() }
    }

    /// Returns the changes of a cause: the recorded and the sent value with their sentence, of the first request.
    pub fn example(&self, cause: &DriftCause) -> Option<(&ComparedRequest, &TakeChange)> {
        let (at, index) = cause.requests.first()?;
        let request = self.requests.get(*at)?;
        match &request.result {
            RequestResult::Answered { changes, .. } => Some((request, &changes.get(*index)?.1)),
            _ => None,
        }
    }

    /// Returns the recorded and the sent value of the example of a cause: of texts the words that differ. `None` if only one has a value.
    pub fn example_values(&self, cause: &DriftCause) -> Option<[String; 2]> {
        let (_, change) = self.example(cause)?;
        let (old, new) = change.old.as_ref().zip(change.new.as_ref())?;
        if old.json.starts_with('"') && new.json.starts_with('"') {
            let (old, new) = differing_words(&old.text(), &new.text());
            return (old != NO_VALUE && new != NO_VALUE).then_some([old, new]);
        }
        Some([shortened(&old.json), shortened(&new.json)])
    }

    /// Returns the number of requests with each verdict.
    pub fn counts(&self) -> BTreeMap<DriftVerdict, usize> {
        let mut counts = BTreeMap::new();
        for verdict in self.requests.iter().filter_map(ComparedRequest::verdict) {
            *counts.entry(verdict).or_default() += 1;
        }
        counts
    }

    /// Returns the number of requests that are as recorded.
    pub fn same(&self) -> usize {
        let is_same = |request: &&ComparedRequest| matches!(&request.result, RequestResult::Answered { changes, .. } if changes.is_empty());
        self.requests.iter().filter(is_same).count()
    }

    /// Returns the number of requests that no recorded call answered.
    pub fn unanswered(&self) -> usize {
        let is_open = |r: &&ComparedRequest| matches!(r.result, RequestResult::Unanswered);
        self.requests.iter().filter(is_open).count()
    }

    /// Returns the reasons for which requests were not compared, each with their number.
    pub fn not_compared(&self) -> BTreeMap<&str, usize> {
        let mut reasons = BTreeMap::new();
        for request in &self.requests {
            if let RequestResult::NotCompared(reason) = &request.result {
                *reasons.entry(reason.as_str()).or_default() += 1;
            }
        }
        reasons
    }

    /// Returns the causes that are not harmless.
    pub fn drifted(&self) -> impl Iterator<Item = &DriftCause> {
        self.causes.iter().filter(|cause| cause.verdict != DriftVerdict::Harmless)
    }

    /// Returns the tests, or the cassettes, of the causes that are not harmless.
    pub fn drifted_users(&self) -> BTreeSet<&Arc<str>> {
        self.drifted().flat_map(|cause| &cause.users).collect()
    }

    /// Returns the cassettes of the requests that are not harmless, from the project root.
    pub fn drifted_cassettes(&self) -> BTreeSet<&str> {
        let is_drifted =
            |r: &&ComparedRequest| r.verdict().is_some_and(|v| v != DriftVerdict::Harmless);
        self.requests.iter().filter(is_drifted).filter_map(|r| r.cassette.as_deref()).collect()
    }

    /// Returns the numbers of calls and tests of a cause, or of cassettes if the logs do not show tests.
    pub fn counts_of(&self, cause: &DriftCause) -> String {
        let users = match self.tests {
            0 => counted(cause.users.len(), "cassette", "cassettes"),
            _ => counted(cause.users.len(), "test", "tests"),
        };
        format!("{} in {users}", counted(cause.requests.len(), "call", "calls"))
    }

    /// Returns what the report says besides its causes, each as a sentence without a full stop; the first has the numbers of calls by verdict.
    pub fn notes(&self) -> Vec<String> {
        let mut parts = vec![format!("{} as recorded", thousands(self.same()))];
        let counts = self.counts().into_iter().rev();
        parts.extend(
            counts.map(|(verdict, count)| format!("{} {}", thousands(count), verdict.noun())),
        );
        let mut notes = vec![parts.join(", ")];
        let requests = |count: usize| counted(count, "request", "requests");
        if self.unanswered() > 0 {
            let requests = requests(self.unanswered());
            notes.push(format!("{requests} no recorded call answered; `retake triage` finds why"));
        }
        let not_compared = self.not_compared().into_iter();
        notes.extend(
            not_compared
                .map(|(reason, count)| format!("{} not compared: {reason}", requests(count))),
        );
        notes.extend(self.missing.iter().cloned());
        notes
    }

    /// Describes the result in one line, without a full stop.
    pub fn title(&self) -> String {
        let causes = self.drifted().count();
        let number = self.requests.len();
        let all = counted(number, "call", "calls");
        if causes == 0 {
            return self.title_without_drift();
        }
        let is_drifted =
            |r: &&ComparedRequest| r.verdict().is_some_and(|v| v != DriftVerdict::Harmless);
        let calls = self.requests.iter().filter(is_drifted).count();
        let users = self.drifted_users().len();
        let users = match self.tests {
            0 => counted(users, "cassette", "cassettes"),
            tests => format!("{users} of {}", counted(tests, "test", "tests")),
        };
        format!("{}: {calls} of {all} in {users}", counted(causes, "cause", "causes"))
    }

    fn title_without_drift(&self) -> String {
        let is_compared = |r: &&ComparedRequest| matches!(r.result, RequestResult::Answered { .. });
        let compared = self.requests.iter().filter(is_compared).count();
        let harmless = self.counts().get(&DriftVerdict::Harmless).copied().unwrap_or_default();
        let all = counted(compared, "call", "calls");
        let title = match (self.requests.len(), compared, harmless) {
            (0, ..) => return "No requests in the logs".to_owned(),
            (_, 0, _) => return "No request was compared".to_owned(),
            (.., 0) => format!("No drift in {all}"),
            (.., harmless) => format!("No drift in {all}: {harmless} differ in harmless values"),
        };
        match self.requests.len() - compared {
            0 => title,
            others => format!("{title}, {} not compared", thousands(others)),
        }
    }
}

/// Returns the requests of a run by the cassettes that they used.
fn by_cassette(run: &RunRequests) -> BTreeMap<Option<&Arc<str>>, Vec<(usize, &LoggedRequest)>> {
    let mut requests: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, request) in run.requests.iter().enumerate() {
        requests.entry(request.cassette.as_ref()).or_default().push((at, request));
    }
    requests
}
