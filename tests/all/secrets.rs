//! What rule `secret` is silent about, in every kind of file.

use serde_json::json;

use crate::project::Project;

/// Letters as they stand in Base64, by a fixed rule that no issuer of keys follows.
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
fn hashes_uuids_images_and_signatures_raise_no_alarm() {
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
        (
            "seeds/a.seeds.json",
            &json!([{"key": hash, "response": base64(500)}]).to_string(),
        ),
    ]);
    let told = project.run(&["check", "--json"]).json();
    let problems = told["problems"].as_array().unwrap().iter();
    let alarms: Vec<_> = problems.filter(|it| it["rule"] == "secret").collect();
    assert!(alarms.is_empty(), "{alarms:?}");

    // The same files with a key in one of them.
    let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    project.write("replays/b.yaml", session.replace("page 2", &key));
    let told = project.run(&["check", "--json"]).json();
    let problems = told["problems"].as_array().unwrap().iter();
    let alarms = problems.filter(|it| it["rule"] == "secret");
    assert_eq!(alarms.count(), 1);
}
