//! Finds the outcome of a test of the project among those in logs.

use std::collections::HashMap;

use super::test_log::TestLog;
use crate::run_log::{TestName, TestOutcome};
use calls::cassette_config::{TestPlace, cassette_name};

/// The tests in logs, by the names of their functions.
pub(super) struct TestIndex<'l> {
    by_function: HashMap<&'l str, Vec<(&'l TestName, TestOutcome)>>,
}

/// Facts of a run about the test of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TestRun {
    Ran,
    Skipped,
    NotListed,
}

impl<'l> TestIndex<'l> {
    pub(super) fn new(log: &'l TestLog) -> Self {
        let mut by_function: HashMap<&str, Vec<_>> = HashMap::new();
        for (name, outcome) in &log.outcomes {
            by_function.entry(function(&name.name)).or_default().push((name, *outcome));
        }
        Self { by_function }
    }

    /// Returns whether the test of a recording ran. `stem` is the file name of the recording without its ending: if it has parameters in
    /// brackets, only the test with these counts.
    pub(super) fn run_of(&self, test: &TestPlace, stem: &str) -> TestRun {
        let name = function(test.name.rsplit('.').next().unwrap_or(&test.name));
        let listed = self.by_function.get(name).map_or(&[][..], Vec::as_slice);
        let own: Vec<_> = listed.iter().filter(|(name, _)| is_of_test(name, test)).collect();
        // A class may inherit the test from another one, also of another file.
        let own =
            if own.is_empty() && test.name.contains('.') { listed.iter().collect() } else { own };
        let prefix = format!("{}[", test.name);
        let has_parameters = stem.starts_with(&*cassette_name(&prefix)) && !stem.contains("...");
        let is_exact = |name: &TestName| cassette_name(&name.with_class()) == stem;
        let mut run = TestRun::NotListed;
        for (name, outcome) in own {
            if has_parameters && !is_exact(name) {
                continue;
            }
            match outcome {
                TestOutcome::Skipped => run = TestRun::Skipped,
                _ => return TestRun::Ran,
            }
        }
        run
    }
}

/// Returns whether a test in a log is that of a function of the project.
pub(super) fn is_of_test(name: &TestName, test: &TestPlace) -> bool {
    let full_name = name.with_class();
    function(&full_name) == &*test.name
        && name.file.as_deref().is_none_or(|file| same_end(file, &test.origin.path))
}

/// Returns whether one of two paths ends with the other: a project may be opened above or below the folder in which its tests run.
pub(super) fn same_end(a: &str, b: &str) -> bool {
    let ends = |a: &str, b: &str| {
        a.strip_suffix(b).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('/'))
    };
    ends(a, b) || ends(b, a)
}

/// Returns a name without the parameters in brackets.
fn function(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}
