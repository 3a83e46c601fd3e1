//! `retake match`, from outside: what a set answers, what it does not, and why.

use crate::project::{Project, Run, archive, recording};

/// A set of two, and a queue in which three requests wait; the last offers another tool.
fn project() -> Project {
    let (one, two) = (recording("req-1", ""), recording("req-2", ""));
    let keys = r#", "signature": { "toolNames": ["transition_to_b"], "messageCount": 1, "contextKeys": ["testName"] }"#;
    let waiting = |id: &str, tool: &str| {
        format!(
            r#"{{ "type": "llm_invocation_request", "requestId": "{id}", "context": {{ "currentNode": "start" }},
  "messages": [ {{ "role": "user", "content": "Hello" }} ], "tools": [ {{ "name": "{tool}" }} ] }}"#
        )
    };
    Project::new(&[
        ("retake.toml", ""),
        ("set/turn-1.json", &one),
        ("set/turn-10.json", &recording("req-10", keys)),
        ("set/turn-2.json", &two.replace("\"b\"", "\"c\"")),
        ("set/notes.txt", "no recording"),
        ("set/below/turn-0.json", &one),
        ("queue/requests/req-7.json", &waiting("req-7", "transition_to_b")),
        ("queue/requests/req-8.json", &waiting("req-8", "transition_to_b")),
        ("queue/requests/req-9.json", &waiting("req-9", "transition_to_c")),
        ("a.dygram", "machine \"A\"\ntask start;\ntask b;\ntask c;\nstart -> b;\nstart -> c;\n"),
    ])
}

fn played(project: &Project, requests: &str, more: &[&str]) -> Run {
    let arguments = ["match", "--recordings", "set", "--requests", requests];
    project.run(&[&arguments, more].concat())
}

#[test]
fn a_queue_is_played_and_reported_as_text() {
    let project = project();
    insta::assert_snapshot!(played(&project, "queue", &[]).printed(), @"
    0
    set: 3 recordings, hybrid mode, the shipped client

    1 of 3 calls gets a wrong answer, because start now offers c, but no recording does.
    Hybrid mode falls back to position. Call 3 then gets a call of transition_to_b, a tool that is not offered.

    Call  At     Offered tools  Served recording  Step                       Verdict
    1     start  b              [0] req-1         by signature               Right answer
    2     start  b              [2] req-2         by signature               Right answer
    3     start  c              [0] req-1         by position, as in call 1  Wrong answer

    Call 3 at start: Wrong answer
      It answers with a call of transition_to_b, which is not offered
      [1] req-10: 1 missing, 1 extra tool, context keys. Record it again with the tools that are offered now.
      [2] req-2: 1 missing, 1 extra tool, used by call 2. Record it again with the tools that are offered now.

    Fell back to position  call 3
    Served more than once  [0] req-1, in calls 1 and 3
    Never used             [1] req-10

    Fix:
      Record all tests of the project again: DYGRAM_TEST_MODE=interactive npm test
      Drop the stored context keys (1 file). Empties `signature.contextKeys`: shipped clients compute no context keys for a request.
    ---
    ");
    assert_eq!(played(&project, "queue", &["--strict"]).code, Some(1));
}

#[test]
fn a_call_that_finds_nothing_is_reported_as_by_the_client() {
    let project = project();
    let run = played(&project, "queue/requests/req-9.json", &["--mode", "signature"]);
    insta::assert_snapshot!(run.printed(), @r#"
    1
    set: 3 recordings, signature mode, the shipped client

    The call finds no recording, because start now offers c, but no recording does.
    The test stops here.

    Call  At     Offered tools  Served recording  Step  Verdict
    1     start  c              none                    No recording

    Call 1 at start: No recording
      ❌ No matching recording found for request

      Current Request:
        Tools (1): transition_to_c
        Message count: 1

      Available Recordings:
        [0] req-1
            Tools: transition_to_b
            Messages: 1
        [1] req-10
            Tools: transition_to_b
            Messages: 1
        [2] req-2
            Tools: transition_to_b
            Messages: 1

      Troubleshooting:
        1. Regenerate recordings if source file changed
        2. Check that tool names match exactly
        3. Use matchingMode: "hybrid" for backward compatibility

        Recordings directory: set

      [0] req-1: 1 missing, 1 extra tool. Rename transition_to_b to transition_to_c.
      [2] req-2: 1 missing, 1 extra tool. Rename transition_to_b to transition_to_c.
      [1] req-10: 1 missing, 1 extra tool, context keys. Rename transition_to_b to transition_to_c. Drop its stored context keys.

    Never used  [0] req-1, [1] req-10 and [2] req-2

    Fix:
      If only the name of transition_to_b changed, rename it to transition_to_c throughout the set (3 files).
      Drop the stored context keys (1 file). Empties `signature.contextKeys`: shipped clients compute no context keys for a request.
    ---
    "#);
    // What was printed is a log of a failed run.
    project.write("failed.log", &run.stdout);
    let again = played(&project, "failed.log", &["--mode", "signature"]);
    let (head, call) = again.stdout.split_once("\n\nCall 1 ").unwrap();
    insta::assert_snapshot!(head, @"
    set: 3 recordings, signature mode, the shipped client

    Line 10 of the log: No matching recording found for request
    Its recordings: set
    Look first at [0] req-1. It is the closest match. It lacks transition_to_c and additionally has transition_to_b.

    The call finds no recording, because the request now offers c, but no recording does.
    The test stops here.

    Call  At             Offered tools  Served recording  Step  Verdict
    1     failed.log:10  c              none                    No recording
    ");
    let before = run.stdout.split_once("\n\nCall 1 ").unwrap().1;
    let unused = "Never used  [0] req-1, [1] req-10 and [2] req-2\n\n";
    assert_eq!(call, before.replace("at start:", "(failed.log:10):").replace(unused, ""));
    assert_eq!(again.code, Some(1));
}

#[test]
fn a_set_checks_itself() {
    let run = played(&project(), "set", &[]);
    insta::assert_snapshot!(run.printed(), @"
    0
    set: 3 recordings, hybrid mode, the shipped client

    All 3 calls get an answer that fits, 1 only by position: 1 recording stores context keys, but the shipped client computes none.
    1 recording is served more than once and 1 recording is never used.

    Call  At      Offered tools  Served recording  Step                       Verdict
    1     req-1   b              [0] req-1         by signature               Right answer
    2     req-10  b              [2] req-2         by signature               Right answer
    3     req-2   b              [0] req-1         by position, as in call 1  Used again

    Fell back to position  call 3
    Served more than once  [0] req-1, in calls 1 and 3
    Never used             [1] req-10

    Fix:
      Drop the stored context keys (1 file). Empties `signature.contextKeys`: shipped clients compute no context keys for a request.
    ---
    ");
}

#[test]
fn the_nodes_of_a_machine_make_requests() {
    let run = played(&project(), "a.dygram", &["--mode", "signature", "--nearest", "0"]);
    insta::assert_snapshot!(run.printed(), @r#"
    1
    set: 3 recordings, signature mode, the shipped client

    The call finds no recording, because start now offers c, but no recording does.
    The test stops here.

    Call  At     Offered tools  Served recording  Step  Verdict
    1     start  b, c           none                    No recording

    Call 1 at start: No recording
      ❌ No matching recording found for request

      Current Request:
        Tools (2): transition_to_b, transition_to_c
        Message count: 1

      Available Recordings:
        [0] req-1
            Tools: transition_to_b
            Messages: 1
        [1] req-10
            Tools: transition_to_b
            Messages: 1
        [2] req-2
            Tools: transition_to_b
            Messages: 1

      Troubleshooting:
        1. Regenerate recordings if source file changed
        2. Check that tool names match exactly
        3. Use matchingMode: "hybrid" for backward compatibility

        Recordings directory: set

    Never used  [0] req-1, [1] req-10 and [2] req-2

    Fix:
      Record all tests of the project again: DYGRAM_TEST_MODE=interactive npm test
      Drop the stored context keys (1 file). Empties `signature.contextKeys`: shipped clients compute no context keys for a request.
    ---
    "#);
}

#[test]
fn as_json_each_call_has_what_people_see() {
    let run = played(&project(), "queue", &["--json"]);
    let json = run.json();
    assert_eq!(run.code, Some(0));
    let call = &json["calls"][2];
    let pretty = serde_json::to_string_pretty(&[
        &call["request"],
        &call["outcome"],
        &call["recording"],
        &call["index"],
        &call["reused"],
        &call["verdict"],
        &call["rejected"][0],
        &call["rejected_count"],
        &json["unused"],
        &json["ambiguous"],
        &json["error"],
        &json["verdict"],
    ]);
    insta::assert_snapshot!(pretty.unwrap(), @r#"
    [
      "queue/requests/req-9.json",
      "sequential",
      "set/turn-1.json",
      0,
      true,
      "wrong",
      {
        "change": "Record it again with the tools that are offered now.",
        "index": 1,
        "reasons": [
          {
            "actual": null,
            "expected": null,
            "extra": [
              "transition_to_b"
            ],
            "message": "It lacks transition_to_c and additionally has transition_to_b",
            "missing": [
              "transition_to_c"
            ],
            "reason": "tool-names"
          },
          {
            "actual": null,
            "expected": null,
            "extra": [
              "testName"
            ],
            "message": "It stores the context keys testName, but the client computes none for the request",
            "missing": [],
            "reason": "context-keys"
          }
        ],
        "recording": "set/turn-10.json"
      },
      2,
      [
        "set/turn-10.json"
      ],
      [],
      null,
      "1 of 3 calls gets a wrong answer, because start now offers c, but no recording does."
    ]
    "#);
    let run = played(&project(), "queue", &["--json", "--mode", "signature"]);
    assert_eq!(run.code, Some(1));
    let error = run.json()["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("❌ No matching recording found for request"));
}

#[test]
fn the_browser_goes_on_past_the_end_and_the_others_do_not() {
    let project = project();
    let play = |client: &str| {
        let more = ["--mode", "sequential", "--client", client, "--json"];
        let run = project.run(
            &[&["match", "--recordings", "set/below", "--requests", "queue"], &more[..]].concat(),
        );
        let json = run.json();
        format!("{:?} {} {}", run.code, json["calls"][1]["verdict"], json["error"])
    };
    insta::assert_snapshot!(play("shipped"), @r#"Some(1) "none" "LLM invoked but no recording available (index: 1, total: 1). This machine requires LLM interaction but recordings are missing.""#);
    insta::assert_snapshot!(play("browser"), @r#"Some(1) "empty" null"#);
    insta::assert_snapshot!(play("documented"), @r#"Some(1) "none" "LLM invoked but no recording available (index: 1, total: 1). This machine requires LLM interaction but recordings are missing.""#);
}

#[test]
fn what_cannot_be_played_is_reported() {
    let project = project();
    project.write("set/broken.json", "{ \"request\": ");
    project.write("queue/requests/half.json", "{ \"type\": \"llm");
    project.write("empty.txt", "all is well");
    insta::assert_snapshot!(played(&project, "queue", &["--nearest", "0"]).stderr, @"
    retake: Skipped, as clients do: set/broken.json: The file ends inside the object that starts at line 1; `}` is expected (line 1)
    retake: Not played: queue/requests/half.json: The file ends inside a string that starts at line 1
    ");
    assert_eq!(played(&project, "queue", &[]).code, Some(2));
    insta::assert_snapshot!(played(&project, "empty.txt", &[]).printed(), @"
    2
    ---
    retake: empty.txt contains no request, no machine and no playback log
    ");
    insta::assert_snapshot!(played(&project, "nowhere", &[]).printed(), @"
    2
    ---
    retake: No file or folder at nowhere; paths are relative to the current folder
    ");
    let file = ["match", "--recordings", "set/turn-1.json", "--requests", "queue"];
    insta::assert_snapshot!(project.run(&file).printed(), @"
    2
    ---
    retake: Expected a folder, found a file: set/turn-1.json
    ");
}

#[test]
fn the_calls_of_an_archive_are_requests_and_a_set() {
    let project = project();
    let (b, c) = ("transition_to_b", "transition_to_c");
    project.write("a.har", archive(&[(b, b, 200), (c, c, 200), (b, b, 500)]));
    insta::assert_snapshot!(played(&project, "a.har", &["--nearest", "0"]).printed(), @"
    0
    set: 3 recordings, hybrid mode, the shipped client

    1 of 3 calls gets a wrong answer, because the request now offers c, but no recording does.
    Hybrid mode falls back to position. Call 2 then gets a call of transition_to_b, a tool that is not offered.

    Call  At       Offered tools  Served recording  Step                       Verdict
    1     a.har#1  b              [0] req-1         by signature               Right answer
    2     a.har#2  c              [0] req-1         by position, as in call 1  Wrong answer
    3     a.har#3  b              [2] req-2         by signature               Right answer

    Call 2 (a.har#2): Wrong answer
      It answers with a call of transition_to_b, which is not offered

    Fell back to position  call 2
    Served more than once  [0] req-1, in calls 1 and 2
    Never used             [1] req-10

    Fix:
      Record all tests of the project again: DYGRAM_TEST_MODE=interactive npm test
      Drop the stored context keys (1 file). Empties `signature.contextKeys`: shipped clients compute no context keys for a request.
    ---
    ");
    let against = |requests: &str| {
        let arguments = ["match", "--recordings", "a.har", "--requests", requests];
        project.run(&arguments).printed()
    };
    insta::assert_snapshot!(against("queue"), @"
    0
    a.har: 2 recordings, hybrid mode, the shipped client

    By DyGram's rules, all 3 calls get an answer that fits, 1 only by position: every recording of such a request is already used.
    1 recording is served more than once. The file itself has no player.

    Call  At     Offered tools  Served recording  Step                       Verdict
    1     start  b              [0] a.har#1       by signature               Right answer
    2     start  b              [0] a.har#1       by position, as in call 1  Used again
    3     start  c              [1] a.har#2       by signature               Right answer

    Fell back to position  call 2
    Served more than once  [0] a.har#1, in calls 1 and 2
    ---
    retake: Not in the set: a.har#3: HTTP status 500
    ");
    insta::assert_snapshot!(against("a.har"), @"
    0
    a.har: 2 recordings, hybrid mode, the shipped client

    By DyGram's rules, both calls get the right answer.
    The file itself has no player.

    Call  At       Offered tools  Served recording  Step          Verdict
    1     a.har#1  b              [0] a.har#1       by signature  Right answer
    2     a.har#2  c              [1] a.har#2       by signature  Right answer
    ---
    retake: Not in the set: a.har#3: HTTP status 500
    ");
    project.write("session.yaml", "id: a\ninput: b\ntool_responses: []\n");
    insta::assert_snapshot!(played(&project, "session.yaml", &[]).printed(), @"
    2
    ---
    retake: session.yaml contains no request, no machine and no playback log
    ");
}

/// The log of a hybrid run against the set: the first call offers a tool with another name.
const HYBRID: &str = "stdout | test/a.test.ts > machine > reaches b
[PlaybackTestClient] Loaded 3 recordings from /ci/work/set
[PlaybackTestClient] Using sequential recording 1/3
   Request ID: req-1
   Recorded: 2026-03-12T14:02:03.280Z

stderr | test/a.test.ts > machine > reaches b
[PlaybackTestClient] Tool name mismatch at index 0: current=\"transition_to_d\", recorded=\"transition_to_b\"

stdout | test/a.test.ts > machine > reaches b
[PlaybackTestClient] Matched recording by signature
   Tools: transition_to_b
   Request ID: req-2
   Recorded: 2026-03-12T14:02:04.280Z

 FAIL  test/a.test.ts > machine > reaches b
AssertionError: expected 'start' to be 'b'
";

#[test]
fn the_log_of_a_hybrid_run_leads_to_the_tool_that_differs() {
    let project = project();
    project.write("hybrid.log", HYBRID);
    let run = played(&project, "hybrid.log", &[]);
    let text = &run.stdout;
    for line in [
        "set: 3 recordings, hybrid mode, the shipped client",
        "Line 17 of the log: AssertionError: expected 'start' to be 'b'",
        "Its test: test/a.test.ts > machine > reaches b",
        "1 of 2 calls gets a wrong answer, because the request now offers d, but no recording does.",
        "  Line 8 of the log: Tool name mismatch at index 0: current=\"transition_to_d\", recorded=\"transition_to_b\"",
        // The other call still offers the old name.
        "  Record all tests of the project again: DYGRAM_TEST_MODE=interactive npm test",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n\n{text}");
    }
    // Each call gets an answer, so only a strict check fails.
    assert_eq!(run.code, Some(0));
    assert_eq!(played(&project, "hybrid.log", &["--strict"]).code, Some(1));
    let json = played(&project, "hybrid.log", &["--json"]).json();
    assert_eq!(json["mode"], "hybrid");
    assert_eq!(json["calls"][0]["outcome"], "sequential");
    assert_eq!(json["calls"][1]["outcome"], "signature");
    let logged = &json["failure"]["logged"][0];
    assert_eq!((&logged["id"], &logged["position"]), (&"req-1".into(), &0.into()));
    assert_eq!(json["failure"]["test"], "test/a.test.ts > machine > reaches b");
}

#[test]
fn without_anything_to_play_it_is_no_pass() {
    let project = project();
    project.write("broken.dygram", "task a {\n  a -> -> b;\n}\n");
    project.write("silent.dygram", "state a; a -> b;\n");
    project.write("others/package.json", "{ \"name\": \"x\" }");
    project.write("others/calls.yaml", "interactions: []\n");
    let stopped = |set: &str, requests: &str| {
        let arguments = ["match", "--recordings", set, "--requests", requests];
        let run = project.run(&arguments);
        let json = project.run(&[&arguments[..], &["--json"]].concat());
        assert_eq!((run.code, json.code), (Some(2), Some(2)), "{requests}");
        let error = json.json()["error"].as_str().unwrap().to_owned();
        assert_eq!(run.stderr.lines().last(), Some(&*format!("retake: {error}")));
        error
    };
    std::fs::create_dir(project.path("empty")).unwrap();
    std::fs::create_dir_all(project.path("waits/requests")).unwrap();
    let printed = [
        stopped("set", "broken.dygram"),
        stopped("set", "silent.dygram"),
        stopped("set", "waits"),
        stopped("empty", "a.dygram"),
        stopped("others", "others"),
        stopped("set", "nowhere"),
    ];
    let expected = [
        "broken.dygram:2:8: Expected the name of a node, found `->`, so the machine could not be read completely",
        "silent.dygram: no node of the machine calls a model",
        "waits: no requests to play",
        "empty: no recordings; a set is the *.json files of one folder",
    ];
    assert_eq!(printed[..4], expected);
}

#[test]
fn a_call_that_may_not_be_made_is_no_failure() {
    let project = project();
    let machine = |condition: &str| {
        format!(
            "task start;\nstart -when: \"{condition}\"-> b;\nstart -> c;\ntask t {{ prompt: \"Go.\"; }}\nt -@async-> c;\n"
        )
    };
    project.write("if.dygram", machine("n > 3"));
    let run = played(&project, "if.dygram", &["--mode", "signature", "--nearest", "0"]);
    // The other node certainly makes a request, and has no recording.
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains("Unknown"), "{}", run.stdout);
    project.write("only.dygram", machine("n > 3").replace("task t", "state t"));
    let run = played(&project, "only.dygram", &["--strict", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let json = run.json();
    assert_eq!(json["calls"][0]["verdict"], "unknown");
    assert_eq!(json["uncertain"], serde_json::json!([1]));
    assert_eq!(json["error"], serde_json::Value::Null);
    let why = json["calls"][0]["uncertain"].as_str().unwrap();
    assert!(why.contains("condition"), "{why}");
}

/// A call of vcrpy to an address.
fn recorded(uri: &str, prompt: &str, answer: &str) -> String {
    let body =
        format!(r#"{{"messages": [{{"role": "user", "content": "{prompt}"}}], "model": "m"}}"#);
    format!(
        "- request:\n    body: '{body}'\n    headers:\n      content-type:\n      - application/json\n    method: POST\n    uri: {uri}\n  response:\n    body:\n      string: '{{\"choices\": [{{\"message\": {{\"role\": \"assistant\", \"content\": \"{answer}\"}}}}]}}'\n    headers: {{}}\n    status:\n      code: 200\n      message: OK\n"
    )
}

fn cassette(calls: &[String]) -> String {
    format!("interactions:\n{}version: 1\n", calls.concat())
}

#[test]
fn a_cassette_is_played_by_the_rules_of_its_client() {
    let chat = "https://api.openai.com/v1/chat/completions";
    let azure = |deployment: &str| {
        format!(
            "https://acme.openai.azure.com/openai/deployments/{deployment}/chat/completions?api-version=2024-10-21"
        )
    };
    let test = |settings: &str| {
        format!(
            "import vcr\n\ndef test_a():\n    with vcr.use_cassette('tests/cassettes/test_a.yaml', record_mode='none'{settings}):\n        ...\n"
        )
    };
    let call = |prompt: &str, answer: &str| recorded(chat, prompt, answer);
    for (name, settings, recorded_calls, sent_calls, code, expected) in [
        (
            "order",
            "",
            vec![call("First", "one"), call("Second", "two")],
            vec![call("Second", ""), call("First", "")],
            0,
            vec![
                "2 of 2 requests get the answer to another request.",
                "body /messages/0/content: sent \"Second\", recorded \"First\"",
            ],
        ),
        (
            "body",
            ", match_on=['method', 'uri', 'body']",
            vec![call("My parcel is late", "a")],
            vec![call("My parcel is late!", "")],
            1,
            vec![
                "Compared: method, uri and body (tests/test_a.py:4)",
                "Refused: no call matches",
                "body differs",
                "body /messages/0/content: sent \"My parcel is late!\", recorded \"My parcel is late\"",
            ],
        ),
        (
            "path",
            "",
            vec![recorded(&azure("gpt4o"), "Hi", "a")],
            vec![recorded(&azure("gpt41"), "Hi", "")],
            1,
            vec![
                "path differs",
                "path: sent /openai/deployments/gpt41/chat/completions, recorded /openai/deployments/gpt4o/chat/completions",
            ],
        ),
        (
            "repeats",
            ", allow_playback_repeats=True",
            vec![call("Roll", "1"), call("Roll", "2")],
            vec![call("Roll", ""), call("Roll", ""), call("Roll", "")],
            0,
            vec!["All 3 requests are answered.", "Played again", "Never played: call 2"],
        ),
        (
            "consumed",
            "",
            vec![call("Hello", "Hi")],
            vec![call("Hello", ""), call("Hello", "")],
            1,
            vec![
                "1 of 2 requests gets no answer.",
                "Refused: already played",
                "matches, and was already played",
            ],
        ),
        (
            "ignored",
            ", ignore_hosts=['api.openai.com']",
            vec![call("Hello", "Hi")],
            vec![call("Hello", "")],
            0,
            vec![
                "1 of 1 request would go to the real server: no call is played for it.",
                "Sent: its host is ignored",
            ],
        ),
    ] {
        let project = Project::new(&[("retake.toml", "")]);
        project.write("tests/cassettes/test_a.yaml", cassette(&recorded_calls));
        project.write("tests/test_a.py", test(settings));
        project.write("now.yaml", cassette(&sent_calls));
        let arguments =
            ["match", "--recordings", "tests/cassettes/test_a.yaml", "--requests", "now.yaml"];
        let run = project.run(&arguments);
        assert_eq!(run.code, Some(code), "{name}: {}{}", run.stdout, run.stderr);
        for text in expected {
            assert!(run.stdout.contains(text), "{name}: {text}\n{}", run.stdout);
        }
        let json = project.run(&[&arguments[..], &["--json"]].concat()).json();
        let calls = json["calls"].as_array().unwrap();
        assert_eq!(calls.len(), sent_calls.len());
        let has_failed = calls.iter().any(|call| call["outcome"] == "refused");
        assert_eq!(has_failed, code == 1, "{json}");
        assert_eq!((&json["client"], &json["record_mode"]), (&"vcrpy".into(), &"none".into()));
    }
}

#[test]
fn the_requests_in_a_log_are_played_against_a_cassette() {
    let chat = "https://api.openai.com/v1/chat/completions";
    let project = Project::new(&[("retake.toml", "[cassettes]\nmatch_on = [\"uri\", \"body\"]\n")]);
    let calls = [recorded(chat, "My parcel is late", "a"), recorded(chat, "Hi", "b")];
    project.write("tests/cassettes/test_a.yaml", cassette(&calls));
    let error = |prompt: &str| {
        format!(
            "E   vcr.errors.CannotOverwriteExistingCassetteException: Can't play back this request: no recorded interaction matches it (the closest differ in body).\nE   \nE     POST {chat}\nE     body: {{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{prompt}\"}}]}}\nE   \nE   Cassette: /ci/tests/cassettes/test_a.yaml\nE     match_on: uri, body\n"
        )
    };
    let log = |prompt: &str| {
        format!(
            "=== FAILURES ===\n___ test_a ___\ntests/test_a.py:1: in test_a\n{}=== short test summary info ===\nFAILED tests/test_a.py::test_a - x\n",
            error(prompt)
        )
    };
    let arguments =
        ["match", "--recordings", "tests/cassettes/test_a.yaml", "--requests", "ci.log"];
    for (prompt, code, expected) in [
        ("My parcel is lost", 1, "body /messages/0/content: sent \"My parcel is lost\""),
        // Since the run, the cassette has it.
        ("Hi", 0, "The request is answered."),
    ] {
        project.write("ci.log", log(prompt));
        let run = project.run(&arguments);
        assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(expected), "{}", run.stdout);
        let json = project.run(&[&arguments[..], &["--json"]].concat()).json();
        assert_eq!(json["calls"][0]["request"], "ci.log:4: tests/test_a.py::test_a");
    }
}

#[test]
fn options_say_how_a_cassette_is_played() {
    let chat = "https://api.openai.com/v1/chat/completions";
    let project = Project::new(&[("retake.toml", "")]);
    project.write("a.yaml", cassette(&[recorded(chat, "Hi", "Ho")]));
    project.write("b.yaml", cassette(&[recorded(chat, "Hey", ""), recorded(chat, "Hi", "")]));
    let outcomes = |options: &[&str]| {
        let arguments = ["match", "--recordings", "a.yaml", "--requests", "b.yaml", "--json"];
        let run = project.run(&[&arguments[..], options].concat());
        let json = run.json();
        let calls = json["calls"].as_array().unwrap().iter();
        let calls: Vec<&str> = calls.map(|call| call["outcome"].as_str().unwrap()).collect();
        format!("{} {}", run.code.unwrap(), calls.join(" "))
    };
    for (options, expected) in [
        (&[][..], "1 played refused"),
        (&["--strict"], "1 played refused"),
        (&["--allow-repeats"], "0 played repeat"),
        (&["--allow-repeats", "--strict"], "1 played repeat"),
        (&["--match-on", "method,uri,body"], "1 refused played"),
        (&["--record-mode", "new_episodes"], "0 played recorded"),
        (&["--client", "cassetter"], "0 played repeat"),
        (&["--client", "other"], "1 refused played"),
    ] {
        assert_eq!(outcomes(options), expected, "{options:?}");
    }
    let run = project.run(&[
        "match",
        "--recordings",
        "a.yaml",
        "--requests",
        "b.yaml",
        "--match-on",
        "mine",
    ]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("--match-on: vcrpy compares method, scheme, host"),
        "{}",
        run.stderr
    );
}

#[test]
fn requests_without_an_address_are_not_played_against_a_cassette() {
    let project = project();
    let call = "- request: {uri: 'https://api.openai.com/v1/chat/completions', method: POST, body: '{}', headers: {}}\n  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '{}'}}\n";
    project.write("a.yaml", format!("interactions:\n{call}version: 1\n"));
    for requests in ["set", "queue"] {
        let run = project.run(&["match", "--recordings", "a.yaml", "--requests", requests]);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""));
        assert!(run.stderr.contains("has no HTTP requests"), "{}", run.stderr);
    }
}

#[test]
fn a_matcher_that_a_client_does_not_have_is_named_with_those_that_it_has() {
    let project =
        Project::new(&[("retake.toml", "[cassettes]\nmatch_on = [\"uri\", \"bodyy\"]\n")]);
    let call = recorded("https://api.openai.com/v1/chat/completions", "Hi", "Ho");
    project.write("a.yaml", cassette(&[call]));
    let run = project.run(&["match", "--recordings", "a.yaml", "--requests", "a.yaml"]);
    insta::assert_snapshot!(run.printed(), @"
    2
    ---
    retake: `bodyy` in match_on (retake.toml:2) is no matcher of vcrpy, so what answers is not known; its matchers are method, scheme, host, port, path, query, uri, headers, raw_body and body.
    ");
}

#[test]
fn fixtures_of_aimock_are_played_by_their_conditions() {
    let fixtures = r#"{"fixtures": [
  {"match": {"userMessage": "weather", "model": "gpt-4o"}, "response": {"content": "Rain"}},
  {"match": {"userMessage": "news"}, "response": {"content": "None"}}
]}"#;
    let call = |prompt: &str| {
        let url = "http://localhost:4010/v1/chat/completions";
        recorded(url, prompt, "")
    };
    let project = Project::new(&[("retake.toml", ""), ("fixtures/a.json", fixtures)]);
    project.write("now.yaml", cassette(&[call("Any news?"), call("What weather?")]));
    let run = project.run(&["match", "--recordings", "fixtures/a.json", "--requests", "now.yaml"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    for text in [
        "fixtures/a.json: 2 calls, played by aimock",
        "1 of 2 requests gets no answer.",
        "model differs",
        "recorded \"gpt-4o\"",
    ] {
        assert!(run.stdout.contains(text), "{text}\n{}", run.stdout);
    }
}
