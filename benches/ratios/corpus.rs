//! Recordings that are made on the spot, the same each time: as files, and as the items that reading them gives.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use retake::format::recording::RecordingVersion;
use retake::format::{FileKind, Problem, RuleId};
use retake::ops::signature::SignatureText;
use retake::ops::{Item, Pool};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Calls in one recording set.
const CALLS: usize = 8;

/// Writes sets of recordings and their sources; every tenth set is stale.
pub(crate) fn write(root: &Path, recordings: usize) -> io::Result<Vec<PathBuf>> {
    fs::write(root.join("retake.toml"), "")?;
    fs::create_dir(root.join("machines"))?;
    let mut files = Vec::with_capacity(recordings);
    for set in 0..recordings.div_ceil(CALLS) {
        let machine = format!("machines/set-{set}.dygram");
        let source = format!("machine \"Set {set}\"\ntask a;\na -> b;\na -> c;\n");
        let now = if set % 10 == 0 { "// since" } else { "" };
        fs::write(root.join(&machine), format!("{source}{now}"))?;
        let folder = root.join(format!("recordings/set-{set}"));
        fs::create_dir_all(&folder)?;
        for call in (0..CALLS).take(recordings - files.len()) {
            let file = folder.join(format!("turn-{}.json", call + 1));
            let recording = recording(set * CALLS + call, &machine, &source);
            fs::write(&file, serde_json::to_string_pretty(&recording)?)?;
            files.push(file);
        }
    }
    Ok(files)
}

/// One wrapped recording of four to eight kilobytes, with signature and source.
fn recording(n: usize, machine: &str, source: &str) -> Value {
    let hash: String = Sha256::digest(source)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let id = format!("req-{}-1", 1_770_000_000_000 + n);
    let at = "2026-02-02T02:40:00.000Z";
    let tool = |name: &str| {
        json!({ "name": name, "description": format!("Tool {name}"), "input_schema": { "type": "object",
            "properties": { "reason": { "type": "string", "description": "Why, in a few words" } } } })
    };
    let notes =
        "- The ticket was read \u{2013} its \"urgency\" is still open.\n".repeat(20 + n % 40);
    let prompt = format!("# Current Position\n- **Node**: a\n- **Type**: task\n\n# Notes\n{notes}");
    json!({
        "request": { "type": "llm_invocation_request", "requestId": id, "timestamp": at, "context": {},
            "messages": [{ "role": "user", "content": prompt }],
            "tools": [tool("transition_to_b"), tool("transition_to_c")],
            "systemPrompt": prompt },
        "response": { "type": "llm_invocation_response", "requestId": id, "timestamp": at, "reasoning": "",
            "response": { "stop_reason": "tool_use", "content": [
                { "type": "text", "text": format!("Ticket {n} goes to b.") },
                { "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": { "reason": "Urgent" } }] } },
        "recordedAt": at,
        "signature": { "toolNames": ["transition_to_b", "transition_to_c"], "messageCount": 1, "contextKeys": [] },
        "sourceMetadata": { "sourceFile": machine, "contentHash": hash, "fileSize": source.len(), "lastModified": at },
    })
}

/// The given number of items, recordings in sets of eight, each recorded at another time, every fifth with a problem.
pub(crate) fn items(count: usize) -> Vec<Arc<Item>> {
    let pool = Pool::default();
    let problem = |rule| Problem::whole_file(rule, "Something is not as it should be");
    let item = |n: usize| {
        // Far from sorted, as files of many tests are.
        let mixed = n.wrapping_mul(2_654_435_761) % 100_000_007;
        let names = [
            format!("transition_to_{}", mixed % 50),
            "read_ticket".to_owned(),
        ];
        let signature = SignatureText {
            tool_names: names.iter().map(String::as_str).collect(),
            message_count: 1,
            context_keys: Vec::new(),
        };
        let (hour, minute, second) = (mixed % 24, mixed % 60, mixed % 59);
        let day = 1 + mixed % 28;
        let path = format!(
            "test/fixtures/recordings/suite-{}/set-{}/turn-{}.json",
            n % 9,
            n / CALLS,
            n % CALLS
        );
        let id = format!("req-{}-{}", 1_770_000_000_000 + mixed, n % CALLS);
        let at = format!("2026-02-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z");
        Arc::new(Item {
            kind: FileKind::Recording,
            version: Some(RecordingVersion::V2),
            id: Some(id.as_str().into()),
            recorded_at: Some(at.as_str().into()),
            bytes: 5000,
            signature: Some(pool.signature(&signature)),
            problems: match mixed % 5 {
                0 => vec![
                    problem(RuleId::SourceStale),
                    problem(RuleId::SignatureShared),
                ],
                _ => Vec::new(),
            },
            ..Item::new(&path)
        })
    };
    (0..count).map(item).collect()
}
