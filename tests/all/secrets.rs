//! What rule `secret` is silent about, in every kind of file.

use serde_json::json;

use crate::project::Project;

/// Letters as in Base64, by a fixed rule that no issuer of keys follows.
fn base64(letters: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 7u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(ALPHABET[(state >> 26) as usize])
    };
    (0..letters).map(next).collect()
}

#[test]
fn hashes_uuids_images_and_signatures_are_not_reported() {
    let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    let image = format!("data:image/png;base64,{}", base64(20_000));
    let recording = json!({
        "version": "1.0",
        "metadata": {"machineFile": "a.dygram", "machineHash": hash, "contentHash": hash, "sessionToken": uuid},
        "request": {"signature": {"toolNames": [], "messageCount": 1, "contextKeys": []}, "id": uuid,
            "messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": base64(20_000)}},
                {"type": "image_url", "image_url": {"url": image}}]}]},
        "response": {"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "signature": base64(700), "content":
            [{"type": "thinking", "thinking": "…", "signature": base64(900)}, {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9"}]},
    });
    let tape = json!({"schemaVersion": 1, "meta": {"configHash": hash, "requestId": uuid, "etag": base64(27)},
        "request": {"messages": []}, "stream": [{"delayNs": 0, "text": base64(400)}]});
    let session = format!(
        "id: {uuid}\ninput: |\n  The token of page 2 is {uuid}.\ntool_responses:\n  - tool: store\n    response: {{sha256: {hash}, etag: '{}', thought_signature: {}}}\n",
        base64(27),
        base64(600)
    );
    let project = Project::new(&[
        ("retake.toml", ""),
        ("recordings/a.json", &recording.to_string()),
        ("tapes/a.tape.json", &tape.to_string()),
        ("replays/a.yaml", &session),
        ("seeds/a.seeds.json", &json!([{"key": hash, "response": base64(500)}]).to_string()),
    ]);
    let printed = project.run(&["check", "--json"]).json();
    let problems = printed["problems"].as_array().unwrap().iter();
    let alarms: Vec<_> = problems.filter(|it| it["rule"] == "secret").collect();
    assert!(alarms.is_empty(), "{alarms:?}");

    // The same files with a key in one of them.
    let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    project.write("replays/b.yaml", session.replace("page 2", &key));
    let printed = project.run(&["check", "--json"]).json();
    let problems = printed["problems"].as_array().unwrap().iter();
    let alarms = problems.filter(|it| it["rule"] == "secret");
    assert_eq!(alarms.count(), 1);
}

#[test]
fn no_report_on_files_shows_a_secret_of_them() {
    // Concatenated so that this file contains no complete key.
    let token = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    let recording = |turn: u32| {
        json!({
            "request": {"type": "llm_invocation_request", "requestId": format!("{token}-{turn}"), "context": {&token: turn},
                "messages": [{"role": "user", "content": format!("password=\"abc-7rX!\" {turn}")}], "tools": [{"name": &token}]},
            "response": {"response": {"content": [{"type": "tool_use", "id": "t", "name": format!("{token}x"), "input": {}}]}},
            "signature": {"toolNames": [&token], "messageCount": 1, "contextKeys": []},
            "sourceMetadata": {"sourceFile": format!("{token}.dygram"), "contentHash": "00", "machineTitle": "M"},
        })
        .to_string()
    };
    let tape = |word: &str| {
        json!({"meta": {"model": "m", "recordedAt": "t"}, "request": {"model": "m", "contents": format!("{word} {token} abc-7rX!"),
            "config": {"password": "abc-7rX!", &token: word}}, "stream": [{"delayNs": 1, "text": &token[..20]}, {"delayNs": 1, "text": &token[20..]}]})
        .to_string()
    };
    let seeds = json!({"seeds": [{"schema": &token, "model": "m", "jobId": "j", "round": 0, "response": "{"}]});
    let project = Project::new(&[
        ("retake.toml", ""),
        ("set/turn-1.json", &recording(1)),
        ("set/turn-2.json", &recording(2)),
        ("tapes/a.json", &tape("one")),
        ("tapes/b.json", &tape("two")),
        ("a.seeds.json", &seeds.to_string()),
        (
            "broken.json",
            &format!("{{\"request\": {{\"messages\": [{token}]}}, \"response\": {{}}}}"),
        ),
    ]);
    let mut runs = vec![
        vec!["list"],
        vec!["list", "--json"],
        vec!["match", "--recordings", "set", "--requests", "set"],
        vec!["match", "--recordings", "set", "--requests", "set", "--json"],
        vec!["verify", "tapes/a.json", "--request", "tapes/b.json"],
        vec!["verify", "tapes/a.json", "--request", "tapes/b.json", "--json"],
        vec!["verify", "tapes/a.json", "--request", "broken.json"],
        vec!["lookup", "--seeds", "a.seeds.json", "--schema", "s", "--model", "m", "--job", "j"],
    ];
    for format in ["text", "json", "sarif", "junit", "github"] {
        runs.push(vec!["check", "--format", format]);
    }
    for arguments in runs {
        let run = project.run(&arguments);
        let printed = run.stdout + &run.stderr;
        assert!(
            !printed.is_empty() && !printed.contains(&token[4..14]),
            "{arguments:?}: {printed}"
        );
        let is_exact = ["check", "list", "verify"].contains(&arguments[0]);
        assert!(!is_exact || !printed.contains("abc-7rX"), "{arguments:?}: {printed}");
    }
    let check = project.run(&["check", "--json"]).json();
    let cut = check["problems"].as_array().unwrap().iter().filter(|it| {
        let message = it["message"].as_str().unwrap();
        message == "This looks like a GitHub token, split over 2 chunks: `ghp_…`"
    });
    assert_eq!(cut.count(), 2);
    // Commands that print contents print them unchanged.
    let played = project.run(&["play", "tapes/a.json", "--instant"]);
    assert_eq!(played.stdout, token);
}

#[test]
fn named_patterns_count_and_files_are_left_out() {
    let settings = "[secrets]\npatterns = [{ name = \"ticket\", regex = 'T-\\d{4}' }]\nallow = ['ada@.*']\nignore = [\"fakes/\"]\n";
    let session = "id: a\ninput: T-1234 or ada@sandbox.dev\ncontract: c\ntool_responses: []\n";
    let project = Project::new(&[
        ("retake.toml", settings),
        ("replays/a.yaml", session),
        ("fakes/b.yaml", &session.replace("id: a", "id: b")),
    ]);
    let printed = project.run(&["check", ".", "--json"]).json();
    let secrets =
        printed["problems"].as_array().unwrap().iter().filter(|it| it["rule"] == "secret");
    let lines = secrets
        .map(|it| format!("{}:{} {}", it["path"], it["line"], it["message"]).replace('"', ""));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n").replace("./", ""), @"replays/a.yaml:2 This looks like a secret of the rule ticket: `…`");
}

#[test]
fn cookies_and_ids_are_one_line_a_project_unless_they_are_listed() {
    let cassette = |cookie: &str, organization: &str| {
        format!(
            "interactions:\n- request:\n    body: null\n    headers: {{cookie: ['{cookie}']}}\n    method: GET\n    uri: https://a.example/\n  \
             response:\n    body: {{string: ok}}\n    headers: {{openai-organization: [{organization}]}}\n    status: {{code: 200, message: OK}}\nversion: 1\n"
        )
    };
    let firewall = "__cf_bm=jQ2l1nB3xK.9s0aPq7";
    let project = Project::new(&[
        ("retake.toml", ""),
        ("cassettes/a.yaml", &cassette(firewall, "user-ab3kq91m")),
        ("cassettes/b.yaml", &cassette(firewall, "OPENAI-ORG-XXX")),
        ("cassettes/c.yaml", &cassette("LSID=38afes7a8d91c0b2e4f6; a=b", "'{{ organization }}'")),
    ]);
    insta::assert_snapshot!(project.run(&["check", "cassettes", "--rule", "cassette-orphan=off"]).printed(), @"
    0
    cassettes/c.yaml:4:30: warning[secret] This looks like the session cookie `LSID`: `…`
        help: Revoke the secret where it was issued, because it is stored in a file, and replace it with a placeholder.
    note[secret] 2 places with cookies and 1 place with ids of accounts in 2 files; list them with --notes

    0 errors, 1 warning, 3 notes in 3 items (3 files)
    ---
    ");
    let listed = project.run(&["check", "cassettes", "--rule", "cassette-orphan=off", "--notes"]);
    let notes = listed.stdout.lines().filter(|line| line.contains(": note[secret] "));
    assert_eq!(notes.count(), 3, "{}", listed.stdout);
}
