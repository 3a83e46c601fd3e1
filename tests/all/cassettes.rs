//! Cassettes beside the tests that use them.

use serde_json::json;

use crate::project::{Project, copy};

fn cassette(calls: &[(&str, &str)]) -> String {
    let call = |(body, answer): &(&str, &str)| {
        format!(
            "- request:\n    body: '{body}'\n    headers: {{}}\n    method: POST\n    uri: http://localhost:8000/v1/chat\n  response:\n    body: {{string: '{answer}'}}\n    headers: {{date: ['Mon, 06 Jan 2025 09:00:00 GMT']}}\n    status: {{code: 200, message: OK}}\n"
        )
    };
    let calls: String = calls.iter().map(call).collect();
    format!("interactions:\n{calls}version: 1\n")
}

#[test]
fn what_tests_configure_decides_what_is_reported() {
    let calls = cassette(&[("a", "1"), ("b", "2")]);
    let project = Project::new(&[
        ("retake.toml", "[cassettes]\nmax_age_days = 90\n"),
        (
            "tests/conftest.py",
            "import pytest\n\n@pytest.fixture(scope=\"module\")\ndef vcr_config():\n    return {\"ignore_localhost\": True}\n",
        ),
        (
            "tests/test_mail.py",
            "import pytest\n\n@pytest.mark.vcr(match_on=[\"method\", \"body\"])\ndef test_draft(): ...\n\n@pytest.mark.vcr\ndef test_send(): ...\n\ndef test_other(): ...\n",
        ),
        ("tests/cassettes/test_mail/test_draft.yaml", &*calls),
        ("tests/cassettes/test_mail/test_old.yaml", &*calls),
        ("tests/cassettes/test_mail/test_other.yaml", &*calls),
    ]);
    let run = project.run(&["check", "tests"]);
    insta::assert_snapshot!(run.stdout, @"
    tests/test_mail.py:7:1: warning[cassette-orphan] test_send is marked with vcr and has no cassette in tests/cassettes/test_mail
        help: Delete the cassette or rename it after its test; record a cassette that is missing.
    tests/cassettes/test_mail/test_draft.yaml:2:3: warning[never-loads] Call 1 is never loaded: ignore_localhost ignores localhost (tests/conftest.py:5)
        help: Remove the host from the setting, or delete the call.
    tests/cassettes/test_mail/test_draft.yaml:2:3: warning[expired] Call 1 was recorded on 2025-01-06; at most 90 days are allowed (retake.toml:2)
        help: Record the cassette again.
    tests/cassettes/test_mail/test_draft.yaml:11:3: warning[never-loads] Call 2 is never loaded: ignore_localhost ignores localhost (tests/conftest.py:5)
    tests/cassettes/test_mail/test_old.yaml:1:1: warning[cassette-orphan] No test uses this cassette: tests/test_mail.py has no test test_old
    tests/cassettes/test_mail/test_old.yaml:2:3: warning[call-ambiguous] vcrpy cannot distinguish calls 1 and 2: it compares method, scheme, host, port, path and query, and their answers differ
        help: Compare `body` as well: it differs between these requests.
    tests/cassettes/test_mail/test_old.yaml:2:3: warning[expired] Call 1 was recorded on 2025-01-06; at most 90 days are allowed (retake.toml:2)
    tests/cassettes/test_mail/test_other.yaml:2:3: warning[never-loads] Call 1 is never loaded: ignore_localhost ignores localhost (tests/conftest.py:5)
    tests/cassettes/test_mail/test_other.yaml:2:3: warning[expired] Call 1 was recorded on 2025-01-06; at most 90 days are allowed (retake.toml:2)
    tests/cassettes/test_mail/test_other.yaml:11:3: warning[never-loads] Call 2 is never loaded: ignore_localhost ignores localhost (tests/conftest.py:5)

    0 errors, 10 warnings, 0 notes in 3 items (3 files)
    ");

    let items = project.run(&["list", "tests", "--json"]).json()["items"].clone();
    assert_eq!(
        items[0]["test"],
        json!({"name": "test_draft", "path": "tests/test_mail.py", "line": 4})
    );
    assert_eq!(
        items[0]["match_on"],
        json!({"names": ["method", "body"], "path": "tests/test_mail.py", "line": 3})
    );
    assert_eq!((&items[1]["test"], &items[2]["match_on"]), (&json!(null), &json!(null)));
}

#[test]
fn what_cassettes_share_is_one_finding_at_its_place() {
    let calls = cassette(&[("a", "1"), ("b", "2")]).replace("localhost:8000", "a.example");
    let same = cassette(&[("a", "1"), ("a", "2")]).replace("localhost:8000", "a.example");
    let config = "import pytest\n\n@pytest.fixture\ndef vcr_config():\n    config = {\n        'match_on': ['method', 'path'],\n    }\n    return config\n";
    let project = Project::new(&[
        ("retake.toml", ""),
        ("tests/conftest.py", config),
        (
            "tests/test_mail.py",
            "import pytest\n\n@pytest.mark.vcr\ndef test_draft(): ...\n\n@pytest.mark.vcr\ndef test_send(): ...\n\n@pytest.mark.vcr\ndef test_sign(): ...\n",
        ),
        ("tests/cassettes/test_mail/test_draft.yaml", &*calls),
        ("tests/cassettes/test_mail/test_draft[a].yaml", &*same),
    ]);
    insta::assert_snapshot!(project.run(&["check", "tests"]).stdout, @"
    tests/test_mail.py:7:1: warning[cassette-orphan] test_send is marked with vcr and has no cassette in tests/cassettes/test_mail
        help: Delete the cassette or rename it after its test; record a cassette that is missing.
    tests/test_mail.py:10:1: warning[cassette-orphan] test_sign is marked with vcr and has no cassette in tests/cassettes/test_mail
    tests/conftest.py:6:1: warning[call-ambiguous] 2 cassettes depend on the order of their calls: vcrpy compares method and path; comparing body as well would settle 1
        in tests/cassettes/test_mail/test_draft.yaml and tests/cassettes/test_mail/test_draft[a].yaml
        help: Compare what distinguishes the requests; where they are equal, keep their order. A check of one file names its calls. If the order is checked elsewhere, turn the rule off in retake.toml.

    0 errors, 3 warnings, 0 notes in 2 items (2 files)
    ");
    let check = |arguments: &[&str]| {
        project.run(&[&["check", "tests", "--json"], arguments].concat()).json()
    };
    let found = check(&[]);
    let files: Vec<String> =
        ["", "[a]"].map(|it| format!("tests/cassettes/test_mail/test_draft{it}.yaml")).into();
    assert_eq!(found["problems"][2]["files"], json!(files));
    assert_eq!(found["problems"][0].get("files"), None);
    // One cassette more than those that are known.
    project.run(&["check", "tests", "--write-baseline", "known.json"]);
    assert_eq!(check(&["--baseline", "known.json"])["summary"]["known"], 4);
    project.write("tests/cassettes/test_mail/test_draft[b].yaml", &calls);
    project
        .write("tests/test_mail.py", project.read("tests/test_mail.py").replace("\n\n", "\n\n\n"));
    let found = check(&["--baseline", "known.json"]);
    assert_eq!(found["problems"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["problems"][0]["path"], "tests/cassettes/test_mail/test_draft[b].yaml");
}

#[test]
fn findings_are_known_by_their_call_and_not_by_its_number() {
    let call = |body: &str, status: u16| {
        let call = cassette(&[(body, "1")]).replace("code: 200", &format!("code: {status}"));
        call.replace("interactions:\n", "").replace("version: 1\n", "")
    };
    let file = |calls: &[String]| format!("interactions:\n{}version: 1\n", calls.concat());
    let all = [call("a", 200), call("b", 500), call("c", 429), call("c", 429)];
    let path = "tests/cassettes/test_mail/test_draft.yaml";
    let project = Project::new(&[("retake.toml", ""), (path, &*file(&all))]);
    project.run(&["check", "tests", "--write-baseline", "known.json"]);
    let new = |calls: &[String]| {
        project.write(path, file(calls));
        let found = project.run(&["check", "tests", "--baseline", "known.json", "--json"]).json();
        let problems = found["problems"].as_array().unwrap().iter();
        problems.map(|it| it["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(new(&all).is_empty());
    assert!(new(&all[1..]).is_empty());
    assert!(new(&[all[2].clone(), all[1].clone()]).is_empty());
    let status = "response/status/code";
    assert_eq!(new(&[call("d", 500), all[1].clone()]), [format!("/interactions/0/{status}")]);
    let thrice = [&all[1..], &all[3..]].concat();
    assert_eq!(new(&thrice), [format!("/interactions/3/{status}")]);
    // A baseline without calls is read as before.
    assert!(new(&all[..3]).is_empty());
    project.run(&["check", "tests", "--write-baseline", "known.json"]);
    let known = project.read("known.json");
    let (first, parts) = known.split_once(",\"call\":\"").unwrap();
    let rests = parts.split(",\"call\":\"").map(|part| part.split_once('"').unwrap().1);
    let without = format!("{first}{}", rests.collect::<String>());
    assert!(!without.contains("call\""), "{without}");
    project.write("known.json", &without);
    assert!(new(&all[..3]).is_empty());
    assert_eq!(new(&all), [format!("/interactions/3/{status}")]);
}

#[test]
fn fixes_of_cassettes_change_nothing_else() {
    let call = |uri: &str, headers: &str, body: &str| {
        format!(
            "- request:\n    body: null\n    headers: {{}}\n    method: GET\n    uri: {uri}\n  response:\n    body:\n      string: {body}\n    headers:\n{headers}    status: {{code: 200, message: OK}}\n"
        )
    };
    let length = |length: &str| format!("      content-length:\n      - '{length}'\n");
    let encoding = "      content-encoding:\n      - gzip\n";
    let file = |calls: &[String]| format!("interactions:\n{}version: 1\n", calls.concat());
    let text = file(&[
        call("http://a.example/1", &length("7"), "ok"),
        call("http://a.example/2", &(length("30") + encoding), "'{}'"),
        call("http://a.example/1", &length("2"), "no"),
    ]);
    let project = Project::new(&[
        ("retake.toml", "[cassettes]\nallow_playback_repeats = true\n"),
        ("cassettes/a.yaml", &*text),
    ]);
    let run = project.run(&["check", "cassettes", "--fix"]);
    insta::assert_snapshot!(run.stdout, @"
    cassettes/a.yaml: fixed[encoding-mismatch] Removed the header
    cassettes/a.yaml: fixed[length-mismatch] Corrected the length

    cassettes/a.yaml:26:3: warning[repeat-unreachable] Call 3 is never played: vcrpy always answers with call 1, which is equal in method, scheme, host, port, path and query; repeats are allowed (retake.toml:2)
        help: Delete the call, compare more (`match_on` with `body`), or remove `allow_playback_repeats`.

    0 errors, 1 warning, 0 notes in 1 item (1 file)
    ");
    let fixed = [
        call("http://a.example/1", &length("2"), "ok"),
        call("http://a.example/2", &length("2"), "'{}'"),
    ];
    let last = call("http://a.example/1", &length("2"), "no");
    let all = [&fixed[..], &[last]].concat();
    assert_eq!(project.read("cassettes/a.yaml"), file(&all));

    let run = project.run(&["check", "cassettes", "--fix=repeat-unreachable"]);
    assert_eq!(run.code, Some(0), "{}", run.printed());
    assert_eq!(project.read("cassettes/a.yaml"), file(&fixed));
}

#[test]
fn calls_of_cassettes_become_tapes_and_seeds() {
    let project = Project::new(&[("retake.toml", "")]);
    let samples = crate::samples::checkout().join("sample-recordings/cassettes");
    copy(&samples, &project.path("cassettes"));
    let run = project.run(&["export", "tape", "cassettes", "--to", "tapes"]);
    insta::assert_snapshot!(run.stdout, @"
    tapes/mailer/TestDraftReply.json
    tapes/spec/draft_reply.json
    tapes/test_mail/test_mail_draft.json
    tapes/test_refund/test_refund_needs_approval-1.json
    tapes/test_refund/test_refund_needs_approval-2.json
    tapes/test_refund/test_refund_needs_approval-3.json
    tapes/test_refund/test_refund_needs_approval-4.json
    tapes/test_refund/test_refund_rate_limit.json
    tapes/test_summary/test_summary_cut_off.json
    tapes/test_summary/test_summary_plain.json
    tapes/test_summary/test_summary_stream.json
    tapes/test_summary/test_summary_vertex.json
    ");
    let tape = project.read("tapes/test_refund/test_refund_needs_approval-4.json");
    let tape: serde_json::Value = serde_json::from_str(&tape).unwrap();
    let texts = tape["stream"].as_array().unwrap().iter();
    let texts: String = texts.filter_map(|chunk| chunk["text"].as_str()).collect();
    assert!(texts.starts_with("A manager has to approve"), "{texts}");
    assert_eq!(tape["meta"]["model"], "claude-sonnet-4-5");

    let run = project.run(&["export", "seeds", "cassettes/test_refund", "--to", "-"]);
    insta::assert_snapshot!(run.stdout, @r#"
    {
      "seeds": [
        {
          "schema": "lookup_order",
          "model": "claude-sonnet-4-5",
          "jobId": "test_refund_needs_approval",
          "round": 0,
          "response": "{\"order\":\"4471\"}"
        },
        {
          "schema": "check_policy",
          "model": "claude-sonnet-4-5",
          "jobId": "test_refund_needs_approval",
          "round": 0,
          "response": "{\"topic\":\"refund\"}"
        },
        {
          "schema": "request_approval",
          "model": "claude-sonnet-4-5",
          "jobId": "test_refund_needs_approval",
          "round": 0,
          "response": "{\"order\":\"4471\",\"amount\":129.0}"
        },
        {
          "schema": "refund",
          "model": "gpt-5",
          "jobId": "test_refund_rate_limit",
          "round": 0,
          "response": "{\"order\":\"4471\"}"
        }
      ]
    }
    "#);
}
