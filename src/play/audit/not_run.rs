//! Recordings whose test did not run, and what is not known about a run.

use super::test_index::{TestIndex, TestRun};
use super::test_log::TestLog;
use super::{AuditInput, AuditKind, AuditPlace, Places};
use calls::Item;
use calls::cassette_config::TestPlace;
use document::text::{counted, some};

/// Number of logs that a sentence names.
const MAX_NAMED_LOGS: usize = 3;

pub(super) fn judge(
    input: &AuditInput<'_>,
    log: &TestLog,
    index: &TestIndex<'_>,
    places: &mut Places,
) {
    if log.is_complete() {
        // A test that looks for its recording under another name must not cost this one.
        let wanted = places.get(&AuditKind::SkippedElsewhere);
        let wanted: Vec<_> =
            wanted.into_iter().flatten().filter_map(|place| place.path.clone()).collect();
        let is_wanted = |item: &Item| wanted.iter().any(|path| **path == *input.name(item));
        for item in input.items.iter().filter(|item| !is_wanted(item)) {
            places.entry(AuditKind::TestNotRun).or_default().extend(not_run(item, index, input));
        }
    }
    places.retain(|_, places| !places.is_empty());
}

/// Returns the tests of a recording; none if a helper or a fixture loads it, which any test may call.
pub(super) fn tests_of(item: &Item) -> Vec<&TestPlace> {
    let facts = item.cassette.iter().flat_map(|facts| facts.tests());
    let is_test = |test: &&TestPlace| {
        let name = test.name.rsplit('.').next();
        name.is_some_and(|name| name.starts_with("test"))
    };
    let all: Vec<_> = facts.collect();
    if all.iter().all(is_test) { all } else { Vec::new() }
}

/// Returns a recording of which no test ran.
fn not_run(item: &Item, index: &TestIndex<'_>, input: &AuditInput<'_>) -> Option<AuditPlace> {
    let tests = tests_of(item);
    let first = tests.first()?;
    let stem = item.file_name();
    let stem = [".yaml", ".yml", ".json", ".toml"].iter().find_map(|end| stem.strip_suffix(end));
    let runs = tests.iter().map(|test| index.run_of(test, stem.unwrap_or(item.file_name())));
    let runs: Vec<TestRun> = runs.collect();
    if runs.contains(&TestRun::Ran) {
        return None;
    }
    let is_skipped = runs.contains(&TestRun::Skipped);
    let verb = if is_skipped { "was skipped" } else { "is in no log" };
    Some(AuditPlace {
        test: Some(format!("{} {}", first.origin, first.name).into()),
        note: format!("{} ({}) {verb}", first.name, first.origin),
        ..AuditPlace::new(input.name(item))
    })
}

/// Returns what is not known about tests and played calls, with the way to find out.
pub(super) fn unknown(input: &AuditInput<'_>, log: &TestLog) -> Vec<String> {
    let mut unknown = log.missing.clone();
    if input.logs.is_empty() {
        let is_python = |item: &Item| item.client().is_some_and(|c| c.has_read_settings());
        let source = if input.items.iter().any(|item| is_python(item)) {
            "Read the report of a run: `pytest -rs --junitxml=report.xml`"
        } else {
            "Read the JUnit report of a run"
        };
        unknown.push(format!(
            "Not known without a log: which tests are skipped, and which recordings they play. {source}"
        ));
        return unknown;
    }
    if !log.incomplete.is_empty() {
        unknown.push(format!(
            "Not known: which tests did not run. {} does not name all that ran; `pytest -v` and `--junitxml=report.xml` do",
            some(&log.incomplete, MAX_NAMED_LOGS)
        ));
    }
    if log.unexplained_skips > 0 {
        let tests = counted(log.unexplained_skips, "test was", "tests were");
        unknown.push(format!("Not known: why {tests} skipped. `pytest -rs` prints the reasons"));
    }
    let sets = input.unused.not_judged.iter();
    unknown.extend(sets.map(|set| format!("Not known: what plays {}. {}", set.folder, set.reason)));
    unknown
}
