//! What a coding agent is given: each command of it does its work in a project with cassettes.

use std::fs;

use crate::project::{Project, copy};
use crate::samples::checkout;

const TRANSCRIPT: &str = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-06-02T14:00:00Z","version":"2.0.1","cwd":"/srv/shop","message":{"role":"user","content":"Where is P-4471?"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","timestamp":"2026-06-02T14:00:02Z","requestId":"req_1","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"In Leipzig."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":4}}}
"#;

/// The sample project below `tests`, whose red test was recorded again after the last commit.
fn project() -> Project {
    let project = Project::new(&[("retake.toml", ""), ("transcript.jsonl", TRANSCRIPT)]);
    let samples = checkout().join("sample-cassettes");
    copy(&samples, &project.path("tests"));
    let take = |folder: &str| {
        fs::read_to_string(samples.join(folder).join("test_shipping/test_late_parcel.yaml"))
            .unwrap()
    };
    project.write("run.log", fs::read_to_string(samples.join("run.log")).unwrap());
    project.write("tests/cassettes/test_x.yaml", take("cassettes"));
    let call = "\"call\":0,\"method\":\"POST\",\"url\":\"https://api.openai.com/v1/chat/completions\",\"headers\":{},\"body\":\"{}\"";
    let log = [
        "{\"retake\":\"pytest-log\",\"version\":1,\"client\":\"vcrpy 9.4.2\"}".to_owned(),
        format!("{{\"test\":\"tests/test_x.py::test_x\",\"phase\":\"call\",\"cassette\":\"tests/cassettes/test_x.yaml\",{call}}}"),
        "{\"test\":\"tests/test_x.py::test_x\",\"outcome\":\"passed\",\"cassettes\":{\"tests/cassettes/test_x.yaml\":{\"calls\":2,\"played\":[0]}}}".to_owned(),
        "{\"tests\":1}\n".to_owned(),
    ];
    project.write("requests.jsonl", log.join("\n"));
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "record"]);
    project.write("tests/cassettes/test_x.yaml", take("recorded-again"));
    project
}

#[test]
fn every_command_of_the_skill_does_its_work() {
    let project = project();
    let skill = project.run(&["skill"]);
    assert_eq!(skill.code, Some(0), "{}", skill.stderr);
    assert!(skill.stdout.starts_with("---\nname: retake\ndescription: "), "{}", skill.stdout);
    let review = project.run(&["review", "tests/cassettes", "--json"]).json();
    let group = review["groups"][0]["id"].as_str().unwrap().to_owned();
    let blocks =
        skill.stdout.split("```").skip(1).step_by(2).filter_map(|it| it.strip_prefix("sh\n"));
    let lines: Vec<&str> =
        blocks.flat_map(str::lines).map(str::trim).filter(|it| !it.is_empty()).collect();
    assert!(lines.len() >= 12, "{lines:?}");
    for line in lines {
        let words =
            line.split(' ').skip(1).map(|word| if word == "GROUP" { &*group } else { word });
        let run = project.run(&words.collect::<Vec<_>>());
        assert!(matches!(run.code, Some(0 | 1)), "{line}: {}", run.printed());
        if line.contains("--json") {
            let document = run.json();
            assert!(document["schema_version"].is_number(), "{line}");
        }
    }
    assert!(project.path("tests/cassettes/test_x.yaml").is_file());
}
