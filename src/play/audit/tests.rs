use std::fmt::Write as _;

use super::*;
use calls::cassette_config::{CassetteFacts, ConfigOrigin, TestPlace};
use calls::{ItemFacts, RareFacts};
use document::FileKind;
use document::cassette::CassetteClient;
use document::foreign::{Foreign, ForeignFormat};

const MODULE: &str = "\
def test_plain(vcr):
    assert run() == 'Paris'

def test_retries(vcr):
    assert run(retries=2) == 'Paris'

@pytest.mark.parametrize('city', ['a', 'b'])
def test_city(vcr, city):
    run(city)
    assert len(vcr) == 1
    assert vcr.play_count == 1  # all

class TestA:
    def test_b(self):
        with my_vcr.use_cassette('tests/b.yaml') as tape:
            value = run()
        assert tape.requests[0].body
        assert value
";

/// A cassette of the test whose function is in a line of the module.
fn cassette(path: &str, test: Option<(&str, u32)>, problems: &[(RuleId, &str)]) -> Item {
    let test = test.map(|(name, line)| TestPlace {
        name: name.into(),
        origin: ConfigOrigin { path: "tests/test_a.py".into(), line },
    });
    let facts = CassetteFacts { test, ..CassetteFacts::default() };
    let foreign = Foreign {
        format: ForeignFormat::VcrCassette,
        entries: Some(1),
        client: Some(CassetteClient::Vcrpy),
    };
    let problems = problems.iter().map(|(rule, text)| Problem::whole_file(*rule, *text));
    let kind = FileKind::Cassette;
    let rare = RareFacts { foreign: Some(foreign), ..RareFacts::default() }.into();
    Item::from(ItemFacts { kind, rare, ..ItemFacts::new(path) })
        .with_cassette(Some(facts))
        .with_problems(problems.collect())
}

fn report(items: &[Item], logs: &[&str]) -> String {
    let logs: Vec<_> = logs.iter().map(|text| ("ci.log".into(), (*text).into())).collect();
    let report = AuditReport::new(&AuditInput {
        items: items.iter().collect(),
        logs: &logs,
        modules: [("tests/test_a.py".into(), MODULE.into())].into(),
        ..AuditInput::default()
    });
    let mut text = String::new();
    for finding in &report.findings {
        writeln!(text, "{}", finding.sentence).unwrap();
        for place in &finding.places {
            writeln!(text, "  {}  {}", finding.label(place), place.note).unwrap();
        }
    }
    text + &report.unknown.join("\n")
}

#[test]
fn a_skipped_test_names_the_recording_that_is_elsewhere() {
    let items = [
        cassette("rec/one.yaml", None, &[]),
        cassette("tests/cassettes/test_a/test_plain.yaml", Some(("test_plain", 1)), &[]),
        cassette("tests/cassettes/here.yaml", None, &[]),
    ];
    let log = "\
SKIPPED [2] tests/test_b.py:4: no cassette: tests/cassettes/one.yaml
SKIPPED [1] tests/test_b.py:5: no cassette: tests/cassettes/test_b/test_plain.yaml
SKIPPED [1] tests/test_b.py:6: cassette /ci/tests/cassettes/here.yaml is missing
SKIPPED [1] tests/test_b.py:7: needs a network
==== 5 skipped in 0.10s ====
";
    insta::assert_snapshot!(report(&items, &[log]), @"
        2 tests are skipped for a missing recording, and a file of its name is elsewhere or spelled differently: the path is derived differently
          tests/test_b.py:4  2 tests: `tests/cassettes/one.yaml` is missing, `rec/one.yaml` exists
        2 tests are skipped for a missing recording
          tests/test_b.py:5  no cassette: tests/cassettes/test_b/test_plain.yaml
          tests/test_b.py:6  tests/cassettes/here.yaml exists now: run the test again
        Not known: which calls the tests played. Only the log of the plugin has it: `retake plugin pytest`
        Not known: which tests did not run. ci.log does not name all that ran; `pytest -v` and `--junitxml=report.xml` do
        ");
}

#[test]
fn a_recording_that_is_spelled_differently_is_named_and_not_offered_for_deletion() {
    let items = [
        cassette("rec/test_a/Test-plain.yaml", Some(("test_plain", 1)), &[]),
        cassette("other/test_plain.yaml", Some(("test_other", 1)), &[]),
    ];
    let log = "\
tests/test_a.py::test_plain SKIPPED (no cassette: rec/test_a/test_plain.yaml) [100%]
SKIPPED [1] tests/test_a.py:1: no cassette: rec/test_a/test_plain.yaml
tests/test_a.py::test_other PASSED [100%]
==== 1 passed, 1 skipped in 0.10s ====
";
    let text = report(&items, &[log]);
    assert!(text.contains("`rec/test_a/test_plain.yaml` is missing, `rec/test_a/Test-plain.yaml` exists: only `-`, `_` or capitals differ"), "{text}");
    assert!(!text.contains("rec/test_a/Test-plain.yaml  "), "{text}");
}

#[test]
fn errors_of_the_rules_are_not_hidden_behind_a_report_without_causes() {
    let wrong = [
        cassette("a.yaml", None, &[(RuleId::Syntax, "It ends here")]),
        cassette("b.yaml", None, &[]),
    ];
    let report = |items: &[Item]| {
        AuditReport::new(&AuditInput { items: items.iter().collect(), ..AuditInput::default() })
    };
    assert_eq!(
        report(&wrong).nothing_found(true),
        "`check` finds 1 error in 1 of 2 files; nothing else was found that a green run would hide"
    );
    assert_eq!(
        report(&wrong[1..]).nothing_found(true),
        "Nothing found that a green run would hide, in 1 file without a log"
    );
}

#[test]
fn a_recording_whose_test_did_not_run_is_listed() {
    let items = [
        cassette("tests/cassettes/test_a/test_plain.yaml", Some(("test_plain", 1)), &[]),
        cassette("tests/cassettes/test_a/test_city[a].yaml", Some(("test_city", 8)), &[]),
        cassette("tests/cassettes/test_a/test_city[b].yaml", Some(("test_city", 8)), &[]),
        cassette("tests/cassettes/test_a/test_retries.yaml", Some(("test_retries", 4)), &[]),
        cassette("tests/b.yaml", Some(("TestA.test_b", 14)), &[]),
        cassette("tests/c.yaml", Some(("helper", 14)), &[]),
    ];
    let log = "\
tests/test_a.py::test_plain PASSED [ 25%]
tests/test_a.py::test_city[a] PASSED [ 50%]
tests/test_a.py::test_retries SKIPPED (needs a network) [ 75%]
tests/test_sub.py::TestSub::test_b PASSED [100%]
==== 3 passed, 1 skipped in 0.10s ====
";
    insta::assert_snapshot!(report(&items, &[log]), @"
        The tests of 2 recordings did not run
          tests/cassettes/test_a/test_city[b].yaml  test_city (tests/test_a.py:8) is in no log
          tests/cassettes/test_a/test_retries.yaml  test_retries (tests/test_a.py:4) was skipped
        2 tests have assertions on the recording itself
          tests/test_a.py:10 test_city  `assert len(vcr) == 1`; it has no other assertion
          tests/test_a.py:17 TestA.test_b  `assert tape.requests[0].body`
        Not known: which calls the tests played. Only the log of the plugin has it: `retake plugin pytest`
        Not known: why 1 test was skipped. `pytest -rs` prints the reasons
        ");
    // Without names, nothing is known.
    insta::assert_snapshot!(report(&items[..3], &["tests/test_a.py ...s [100%]\n==== 3 passed, 1 skipped in 0.10s ====\n"]), @"
        1 test has assertions on the recording itself
          tests/test_a.py:10 test_city  `assert len(vcr) == 1`; it has no other assertion
        Not known: which calls the tests played. Only the log of the plugin has it: `retake plugin pytest`
        Not known: which tests did not run. ci.log does not name all that ran; `pytest -v` and `--junitxml=report.xml` do
        ");
}

#[test]
fn the_text_of_a_test_shows_what_it_expects() {
    let error = (RuleId::RecordedError, "Call 1 is answered with status 429");
    let items = [
        cassette("a.yaml", Some(("test_plain", 1)), &[error]),
        cassette("b.yaml", Some(("test_retries", 4)), &[error]),
        cassette("c.yaml", None, &[error]),
        cassette("d[a].yaml", Some(("test_city", 8)), &[(RuleId::ResponseEmpty, "Empty")]),
        cassette("d[b].yaml", Some(("test_city", 8)), &[]),
        cassette("e.yaml", Some(("TestA.test_b", 14)), &[]),
    ];
    insta::assert_snapshot!(report(&items, &[]), @"
        1 recorded answer in 1 recording is empty
          d[a].yaml:1  Empty
        1 recorded error is in a test that mentions no error
          a.yaml:1  Call 1 is answered with status 429; test test_plain (tests/test_a.py:1)
        2 tests have assertions on the recording itself
          tests/test_a.py:10 test_city  `assert len(vcr) == 1`; it has no other assertion
          tests/test_a.py:17 TestA.test_b  `assert tape.requests[0].body`
        Not known: whether a test expects the errors in 1 recording, of which no test was found. `retake check` lists them as recorded-error
        Not known without a log: which tests are skipped, and which recordings they play. Read the report of a run: `pytest -rs --junitxml=report.xml`
        ");
}
