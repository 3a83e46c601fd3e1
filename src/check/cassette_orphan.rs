//! `cassette-orphan`: a cassette without a test, or a test without a cassette.

use crate::check_document::ProblemCollector;
use calls::cassette_config::TestPlace;
use document::RuleId;
use document::text::visible;

rule! {
    /// The cassette is in the folder of a test file, `cassettes/test_mail/`, in which no test has its name: the test was renamed
    /// or deleted. Or a test of that file is marked with `vcr`, and has no cassette there; `retake check` reports this at the test, the window
    /// at the first cassette of the folder.
    ///
    /// Python files are only read. Where a name follows from more than their text, as with a base class in another file or a fixture for
    /// the name or the folder, nothing is reported.
    CassetteOrphan {
        title: "A cassette has no test, or a test has no cassette",
        fix: "Delete the cassette or rename it after its test; record a cassette that is missing.",
        before: "The test was renamed" => "cassettes/test_mail/test_draft.yaml\ndef test_draft_reply(): …",
        after: "Has its name" => "cassettes/test_mail/test_draft_reply.yaml\ndef test_draft_reply(): …",
    }
}

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    let Some(root) = findings.tree.root() else { return };
    let facts = &findings.facts.cassette;
    if let Some(orphan) = &facts.orphan {
        let message = format!("No test uses this cassette: {}", visible(orphan));
        findings.add_at(RuleId::CassetteOrphan, root, message);
    }
    for test in &facts.missing {
        findings.add_at(RuleId::CassetteOrphan, root, missing_message(test));
    }
}

/// Returns the message about a test without a cassette.
pub(super) fn missing_message(test: &TestPlace) -> String {
    format!(
        "{} ({}) is marked with vcr and has no cassette in this folder",
        visible(&test.name),
        test.origin
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{shown, with_facts};
    use calls::cassette_config::{CassetteFacts, ConfigOrigin};

    #[test]
    fn the_cassette_and_the_tests_are_named() {
        let test = |name: &str, line| TestPlace {
            name: name.into(),
            origin: ConfigOrigin { path: "tests/test_a.py".into(), line },
        };
        let facts = CheckFacts {
            cassette: CassetteFacts {
                orphan: Some("tests/test_a.py has no test test_old".into()),
                missing: vec![test("test_b", 4), test("TestC.test_d", 9)],
                ..CassetteFacts::default()
            },
            ..CheckFacts::default()
        };
        let text = "interactions:\n- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}\n  response: {status: {code: 200, message: OK}, headers: {}, body: {string: ''}}\nversion: 1\n";
        let problems = with_facts("test_old.yaml", text, &facts);
        insta::assert_snapshot!(shown(RuleId::CassetteOrphan, &problems).join("\n"), @"
        warning 1:1  No test uses this cassette: tests/test_a.py has no test test_old
        warning 1:1  test_b (tests/test_a.py:4) is marked with vcr and has no cassette in this folder
        warning 1:1  TestC.test_d (tests/test_a.py:9) is marked with vcr and has no cassette in this folder
        ");
    }
}
