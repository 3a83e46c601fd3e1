//! The official SDKs of Anthropic, OpenAI and Google, pointed at `serve`, and through `record` at `serve`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{Running, tape};
use crate::project::Project;

/// The folder with the SDKs; `None` where node or npm are not there, or npm has nothing to give.
static SDK: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk");
    std::fs::create_dir_all(&folder).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
    let lock = std::fs::read(own.join("package-lock.json")).unwrap();
    let is_there =
        std::fs::read(folder.join("installed.json")).is_ok_and(|installed| installed == lock);
    for name in ["package.json", "package-lock.json", "client.mjs"] {
        std::fs::copy(own.join(name), folder.join(name)).unwrap();
    }
    if !is_there {
        // A registry that does not answer must not keep the tests.
        let install = "timeout 240 npm ci --ignore-scripts --no-audit --no-fund";
        let mut command = Command::new("sh");
        command
            .args(["-c", install])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().ok().filter(std::process::ExitStatus::success)?;
        std::fs::write(folder.join("installed.json"), lock).unwrap();
    }
    let node = Command::new("node").arg("--version").stdout(Stdio::null()).status();
    node.is_ok_and(|status| status.success()).then_some(folder)
});

const APIS: [&str; 4] = ["anthropic", "chat", "responses", "gemini"];

/// What the SDKs made of the answers.
fn call_sdk(sdk: &Path, base: &str, apis: &[&str]) -> Vec<Value> {
    let run = Command::new("node")
        .arg("client.mjs")
        .arg(base)
        .args(apis)
        .current_dir(sdk)
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&run.stderr);
    let lines = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{complaint}");
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const CHUNKS: [(u32, &str); 8] = [
    (60, "It goes"),
    (25, " out “on” 🙂"),
    (30, " Tuesday\n"),
    (0, " at noon."),
    // One call in three chunks, with one of them within a key.
    (20, "\n{\"type\":\"tool_use\",\"id\":\"call-1\",\"name\":\"remind\",\"input\":{\"da"),
    (15, "y\":2,\"a\":"),
    (15, "{\"z\":1.5}}}"),
    (10, "\n{\"type\":\"tool_use\",\"id\":\"call-2\",\"name\":\"remind\",\"input\":{}}"),
];

#[test]
fn official_sdks_stream_a_tape_and_a_recorder_between_records_the_same() {
    let Some(sdk) = &*SDK else {
        eprintln!("skipped: Node.js or the official SDKs are not installed");
        return;
    };
    let project = Project::new(&[("tapes/a.json", &tape("{}", &CHUNKS))]);
    let (mut serve, at) = Running::listening(&project, &["serve", "tapes", "--next"]);
    let upstream = format!("http://{at}");
    let (mut record, at) =
        Running::listening(&project, &["record", "--upstream", &upstream, "--to", "out"]);
    let wholes = APIS.map(|api| format!("{api}:whole"));
    let apis: Vec<&str> = APIS.into_iter().chain(wholes.iter().map(String::as_str)).collect();
    let direct = call_sdk(sdk, &upstream, &apis);
    let calls = json!([{ "name": "remind", "input": { "day": 2, "a": { "z": 1.5 } } }, { "name": "remind", "input": {} }]);
    for sdk_texts in &direct {
        let text = "It goes out “on” 🙂 Tuesday\n at noon.";
        assert_eq!(
            (&sdk_texts["text"], &sdk_texts["calls"]),
            (&json!(text), &calls),
            "{sdk_texts}"
        );
        let is_whole = sdk_texts["api"].as_str().unwrap().ends_with(":whole");
        assert_eq!(sdk_texts["chunks"], if is_whole { 0 } else { 4 }, "{sdk_texts}");
    }
    for _ in &direct {
        assert_eq!(serve.line()["ended"], "done");
    }
    let passed = call_sdk(sdk, &format!("http://{at}"), &apis);
    assert_eq!(passed, direct);
    let mut furthest = 0;
    for sdk_texts in &passed {
        let line = record.line();
        let text = std::fs::read_to_string(project.path(line["tape"].as_str().unwrap())).unwrap();
        assert!(!text.contains("must-never-be-written"), "{text}");
        let tape: Value = serde_json::from_str(&text).unwrap();
        let recorded = tape["stream"].as_array().unwrap();
        if sdk_texts["api"].as_str().unwrap().ends_with(":whole") {
            assert_eq!(recorded.len(), 1, "{text}");
            continue;
        }
        let texts: Vec<&str> =
            recorded.iter().map(|chunk| chunk["text"].as_str().unwrap()).collect();
        let printed = CHUNKS.map(|(_, text)| text);
        assert_eq!(texts.concat(), printed.concat(), "{line}");
        // Gemini reports a call with its last part.
        if sdk_texts["api"] == "gemini" {
            assert_eq!(texts.len(), printed.len(), "{line}");
        } else {
            assert_eq!(texts, printed, "{line}");
        }
        let off = off(recorded);
        eprintln!("{}: at most {off} µs off", sdk_texts["api"]);
        furthest = furthest.max(off);
    }
    // What was recorded is served to its end, and the SDKs make the same of it.
    let (mut again, at) = Running::listening(&project, &["serve", "out", "--next"]);
    assert_eq!(call_sdk(sdk, &format!("http://{at}"), &apis), direct);
    for _ in &direct {
        assert_eq!(again.line()["ended"], "done");
    }
    // On a computer that does other things as well, time says nothing.
    if std::env::var_os("RETAKE_TEST_TIMES").is_some() {
        assert!(furthest < 5000, "{furthest} µs");
    }
}

/// How far the time of a chunk is from the tape's, at most, in microseconds.
fn off(recorded: &[Value]) -> u64 {
    let times = recorded.iter().zip(CHUNKS).map(|(chunk, (millis, _))| {
        let nanos = chunk["delayNs"].as_f64().unwrap() as u64;
        nanos.abs_diff(u64::from(millis) * 1_000_000) / 1000
    });
    times.max().unwrap()
}
