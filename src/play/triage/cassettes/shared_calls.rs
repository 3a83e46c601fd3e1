//! Cassettes that several tests play: a fix for one test leaves the calls of the others.

use std::collections::BTreeSet;

use super::CassetteIndex;
use super::fixes::{CassetteChange, CassetteFix};
use super::index::{common_end, stem};
use super::plan::CallChange;
use super::{CassetteDiagnosis, Cause};
use crate::run_log::{FailedTest, MissKind};
use calls::cassette_config::TestPlace;
use document::text::{quoted, some};

/// Number of tests that are named.
const MAX_NAMED_TESTS: usize = 3;

/// A failed test with what was found out about it.
pub(crate) struct DiagnosedTest<'t> {
    pub(crate) test: &'t FailedTest,
    pub(crate) cause: Cause,
    pub(crate) cassette: &'t mut CassetteDiagnosis,
}

impl DiagnosedTest<'_> {
    fn call(&self) -> Option<&CallChange> {
        match &self.cassette.fix.change {
            Some(CassetteChange::Call(call)) => Some(call),
            _ => None,
        }
    }
}

/// Makes changes of calls that other tests may play as they are recorded to changes of copies.
pub(crate) fn keep_calls_of_others(tests: &mut [DiagnosedTest<'_>], index: &CassetteIndex) {
    for at in 0..tests.len() {
        let test = &tests[at];
        let Some(path) = test.cassette.path.clone() else { continue };
        let of_cassette = |other: &&DiagnosedTest<'_>| other.cassette.path.as_ref() == Some(&path);
        let failed: Vec<&DiagnosedTest<'_>> = tests.iter().filter(of_cassette).collect();
        let passed = index.at_path(&path).into_iter().flat_map(|cassette| cassette.facts.tests());
        let passed =
            passed.filter(|place| !failed.iter().any(|failed| is_test(failed.test, place)));
        let mut users: BTreeSet<String> = passed.map(|place| place.name.to_string()).collect();
        let has_parameters = is_parameter(test.test, &path);
        let is_used = failed.len() > 1 || !users.is_empty() || has_parameters;
        if let Some(call) = test.call() {
            let others = failed.iter().filter(|other| needs(other, call, test));
            users.extend(others.map(|other| other.test.test.with_class()));
        }
        // The first of several changes of one call is made in its place.
        let is_changed_before = tests[..at].iter().filter_map(DiagnosedTest::call).any(|before| {
            tests[at].call().is_some_and(|call| {
                !before.is_copy
                    && (&before.path, before.index) == (&call.path, call.index)
                    && before.edits != call.edits
            })
        });
        // What is sent for a call that another failed test changes is known.
        let changed: Vec<usize> =
            failed.iter().filter_map(|other| Some(other.call()?.index)).collect();
        let CassetteFix { change, users: named_users, is_shared, .. } = &mut tests[at].cassette.fix;
        *is_shared = is_used;
        if let Some(CassetteChange::Call(call)) = change
            && !call.is_copy
            && (!users.is_empty() || is_changed_before || has_parameters)
        {
            call.is_copy = true;
            call.later.leave();
            let names = users.iter().map(|name| quoted(name));
            *named_users = (!users.is_empty()).then(|| some(names, MAX_NAMED_TESTS));
        }
        if let Some(CassetteChange::Call(call)) = change {
            call.later.unknown.retain(|index| !changed.contains(index));
        }
    }
}

/// Returns whether a failed test is one of a test with parameters that play one cassette.
fn is_parameter(failed: &FailedTest, path: &str) -> bool {
    failed.test.name.contains('[') && !stem(path).contains('[') && !path.contains("...")
}

fn is_test(failed: &FailedTest, place: &TestPlace) -> bool {
    let name = failed.test.with_class();
    let is_file = |file: &str| common_end(file, &place.origin.path) > 0;
    name.split('[').next() == Some(&*place.name) && failed.test.file.as_deref().is_none_or(is_file)
}

/// Returns whether a failed test may play a call as it is recorded that is to change for another one.
fn needs(other: &DiagnosedTest<'_>, call: &CallChange, test: &DiagnosedTest<'_>) -> bool {
    if std::ptr::eq(other.test, test.test) {
        return false;
    }
    let miss = &other.test.miss;
    match other.call() {
        // It needs the same change, or one that is made of a copy.
        Some(other) if other.index == call.index => miss.kind == MissKind::Consumed,
        // Without numbers, a test that failed for the same cause has not played a call that is to change for it.
        _ => miss.counts.map_or(other.cause != test.cause, |(_, played)| played > 0),
    }
}
