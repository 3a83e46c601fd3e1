use super::*;
use document::text::Source;
use document::{DocumentBody, read};

fn tried(invariant: &str, answer: &str, latency_ms: Option<f64>) -> InvariantResult {
    let document =
        read(Source::new(format!("{{\"name\": \"c\", \"invariants\": [{invariant}]}}")), "c.json");
    let DocumentBody::Contract(contract) = &document.body else { panic!("{invariant}") };
    check_all(&document, contract, Sample { answer, latency_ms }).remove(0)
}

/// Every case of the table beside the tests, which the owner's own checkers have filled in.
#[test]
fn the_owners_checkers_say_the_same() {
    let table = include_str!("../../../tests/owner/cases.jsonl");
    let (mut count, mut wrong, mut beyond) = (0, Vec::new(), 0);
    for line in table.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let answer = case["answer"].as_str().unwrap();
        let tried = tried(&case["invariant"].to_string(), answer, case["latency_ms"].as_f64());
        count += 1;
        let refused = case["refused"].as_bool() == Some(true);
        match tried.verdict.passed() {
            // Nothing passes that the owner does not load.
            passed if refused => assert_eq!(passed, Some(false), "{line}"),
            None => beyond += 1,
            Some(passed) if Some(passed) == case["passed"].as_bool() => {}
            Some(_) => wrong.push(format!("{line}\n  {:?}", tried.verdict)),
        }
        if let Some(refused) = case["refused"].as_bool()
            && refused != tried.refusal.is_some()
        {
            wrong.push(format!("{line}\n  refusal {:?}", tried.refusal));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 300, "{count}");
    // Unsupported patterns are reported as such, and are rare.
    assert!(beyond * 50 < count, "{beyond} of {count}");
}

#[test]
fn each_verdict_has_its_reason() {
    let say = |invariant: &str| {
        let tried =
            tried(invariant, "I have refunded 49.00 EUR twice, jun@private.dev.", Some(31_200.0));
        let verdict = match &tried.verdict {
            InvariantVerdict::Passes(_) => "passes",
            InvariantVerdict::Fails(_) => "fails",
            InvariantVerdict::NeedsModel(_) => "needs a model",
            InvariantVerdict::Unsupported(_) => "beyond",
        };
        let refusal = tried.refusal.map(|refusal| format!(" / {refusal}")).unwrap_or_default();
        format!("{} {verdict}: {}{refusal}", tried.kind, tried.verdict.reason())
    };
    let invariants = [
        r#"{"id": "a", "type": "contains", "value": "TWICE", "negate": true}"#,
        r#"{"id": "a", "type": "contains_any", "values": ["ticket", "T-"]}"#,
        r#"{"id": "a", "type": "excludes_pattern", "patterns": ["guaranteed", "twice"]}"#,
        r#"{"id": "a", "type": "regex", "pattern": "\\d+\\.\\d\\d (?=EUR)"}"#,
        r#"{"id": "a", "type": "regex", "pattern": "\\N{BULLET}"}"#,
        r#"{"id": "a", "type": "regex", "pattern": "(?<=a+)b"}"#,
        r#"{"id": "a", "type": "latency", "max_ms": 20000}"#,
        r#"{"id": "a", "type": "latency"}"#,
        r#"{"id": "a", "type": "valid_json"}"#,
        r#"{"id": "a", "type": "output_not_empty"}"#,
        r#"{"id": "a", "type": "completes"}"#,
        r#"{"id": "a", "type": "excludes_pii"}"#,
        r#"{"id": "a", "type": "refusal_check"}"#,
        r#"{"id": "a", "type": "behavior_unchanged"}"#,
        r#"{"id": "a", "type": "vibe"}"#,
        r#"{"type": "completes"}"#,
    ];
    insta::assert_snapshot!(invariants.map(say).join("\n"), @r#"
    contains fails: The answer contains “TWICE”, and it should not
    contains_any fails: The answer contains none of “ticket”, “T-”
    excludes_pattern fails: The answer contains “twice”
    regex passes: The pattern finds “49.00 ”
    regex beyond: Named characters (`\N{…}`) are not supported here
    regex fails: Python rejects the pattern: look-behind requires fixed-width pattern
    latency fails: 31,200 ms, but only 20,000 ms are allowed
    latency fails: Rejected by Flakestorm / `latency` requires `max_ms`; Flakestorm rejects it without that
    valid_json fails: The answer is not valid JSON, from character 0 on
    output_not_empty passes: The answer is not empty
    completes passes: There is an answer
    excludes_pii fails: The answer contains what looks like an e-mail address
    refusal_check passes: The answer does not suggest that an injected instruction was followed
    behavior_unchanged needs a model: `behavior_unchanged` compares meanings and needs a model
    vibe fails: Rejected by Flakestorm / “vibe” is not an invariant type, so it is treated as `regex`, which Flakestorm rejects without a `pattern`
    completes fails: Rejected by Flakestorm / It has no `id`, so Flakestorm rejects the contract
    "#);
}
