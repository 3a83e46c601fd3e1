//! Recordings, the same each time: as files, which are kept in `target/bench`, and as the items that reading them gives.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use calls::{CallRow, Item, ItemFacts, ItemSummary, Pool, Rare, RareFacts};
use document::ValueMark;
use document::recording::RecordingVersion;
use document::signature::{Signature, SignatureText};
use document::text::{Place, Span};
use document::{FileKind, NodeId, Problem, RuleId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Calls in one recording set.
const CALL_COUNT: usize = 8;

/// Returns the folder of a corpus with this name. It is made by `write` unless it is there from an earlier run; a change of what is written
/// needs another name.
pub(crate) fn stored(
    name: &str,
    write: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench");
    let (folder, unfinished_folder) = (root.join(name), root.join(format!("{name}.unfinished")));
    if !folder.exists() {
        eprintln!("making the corpus {}", folder.display());
        if unfinished_folder.exists() {
            fs::remove_dir_all(&unfinished_folder)?;
        }
        fs::create_dir_all(&unfinished_folder)?;
        write(&unfinished_folder)?;
        fs::rename(&unfinished_folder, &folder)?;
    }
    Ok(folder)
}

/// Recordings of four to eight kilobytes in sets of eight, with their sources; every tenth set is stale.
pub(crate) fn recordings(count: usize) -> io::Result<PathBuf> {
    stored(&format!("recordings-{count}"), |root| {
        fs::write(root.join("retake.toml"), "")?;
        fs::create_dir(root.join("machines"))?;
        in_sets(count, |set, calls| {
            let machine = format!("machines/set-{set}.dygram");
            let source = format!("machine \"Set {set}\"\ntask a;\na -> b;\na -> c;\n");
            let comment = if set % 10 == 0 { "// since" } else { "" };
            fs::write(root.join(&machine), format!("{source}{comment}"))?;
            let folder = root.join(format!("recordings/suite-{}/set-{set}", set % 9));
            fs::create_dir_all(&folder)?;
            for call in 0..calls {
                let recording = recording(set * CALL_COUNT + call, &machine, &source);
                let text = serde_json::to_string_pretty(&recording)?;
                fs::write(folder.join(format!("turn-{}.json", call + 1)), text)?;
            }
            Ok(())
        })
    })
}

/// Recordings of about 300 bytes in sets of eight.
pub(crate) fn small_recordings(count: usize) -> io::Result<PathBuf> {
    stored(&format!("small-{count}"), |root| {
        fs::write(root.join("retake.toml"), "")?;
        in_sets(count, |set, calls| {
            let folder = root.join(format!("recordings/suite-{}/set-{set}", set % 97));
            fs::create_dir_all(&folder)?;
            for call in 0..calls {
                let text = small_recording(set * CALL_COUNT + call);
                fs::write(folder.join(format!("turn-{}.json", call + 1)), text)?;
            }
            Ok(())
        })
    })
}

/// The same recordings in two folders, `old` and `new`; those of every tenth set were recorded again, with another answer.
pub(crate) fn pairs(count: usize) -> io::Result<PathBuf> {
    stored(&format!("pairs-{count}"), |root| {
        fs::write(root.join("retake.toml"), "")?;
        in_sets(count, |set, calls| {
            let machine = format!("machines/set-{set}.dygram");
            for side in ["old", "new"] {
                let folder = root.join(format!("{side}/suite-{}/set-{set}", set % 9));
                fs::create_dir_all(&folder)?;
                for call in 0..calls {
                    let recording = recording(set * CALL_COUNT + call, &machine, "a -> b;\n");
                    let mut text = serde_json::to_string_pretty(&recording)?;
                    if set % 10 == 0 && side == "new" {
                        let later_text = text.replace("2026-02-02T02:40", "2026-03-02T10:15");
                        text =
                            later_text.replace("goes to b", "is for b").replace("Urgent", "Late");
                    }
                    fs::write(folder.join(format!("turn-{}.json", call + 1)), text)?;
                }
            }
            Ok(())
        })
    })
}

/// Two texts, `old.txt` and `new.txt`; every twentieth line of the new one has another word, is new, or is missing.
pub(crate) fn texts(lines: usize) -> io::Result<PathBuf> {
    stored(&format!("texts-{lines}"), |root| {
        let (mut old, mut new) = (String::new(), String::new());
        for n in 0..lines {
            let line = match n % 5 {
                0 => "  {".to_owned(),
                4 => "  },".to_owned(),
                part => {
                    let ticket = n.wrapping_mul(2_654_435_761) % 100_000_007;
                    format!(
                        "    \"part {part}\": \"Ticket {ticket} was read, its urgency is open.\","
                    )
                }
            };
            let new_line = match (n % 20, n / 20 % 10) {
                (13, 0) => format!("    \"note\": {n},\n{line}\n"),
                (13, 1) => String::new(),
                (13, _) => format!("{}\n", line.replace("is open", "was judged")),
                _ => format!("{line}\n"),
            };
            old.push_str(&line);
            old.push('\n');
            new.push_str(&new_line);
        }
        fs::write(root.join("old.txt"), old)?;
        fs::write(root.join("new.txt"), new)
    })
}

/// A folder `set` of recordings with this number of signatures, in turn, and a folder `requests` with as many of which every tenth
/// offers another tool.
pub(crate) fn one_set(count: usize, signatures: usize) -> io::Result<PathBuf> {
    stored(&format!("set-{count}-{signatures}"), |root| {
        fs::write(root.join("retake.toml"), "")?;
        for folder in ["set", "requests"] {
            fs::create_dir(root.join(folder))?;
            for call in 0..count {
                let kind = call % signatures;
                let tool = match (folder, call % 10) {
                    ("requests", 0) => "close",
                    _ => "write",
                };
                let names = [
                    format!("read_{}", kind % 7),
                    format!("transition_to_{kind}"),
                    tool.to_owned(),
                ];
                let messages = vec![
                    json!({ "role": "user", "content": format!("Ticket {call}") });
                    1 + kind % 3
                ];
                let text = json!({
                    "request": { "requestId": format!("req-{call}"), "messages": messages,
                        "tools": names.map(|name| json!({ "name": name })) },
                    "response": { "response": { "content": [{ "type": "text", "text": call.to_string() }] } },
                });
                fs::write(root.join(format!("{folder}/{call:05}.json")), text.to_string())?;
            }
        }
        Ok(())
    })
}

/// Returns the files of recordings below a folder of this module.
pub(crate) fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![root.join("recordings")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let list = if entry.file_type()?.is_dir() { &mut folders } else { &mut files };
            list.push(entry.path());
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Calls `write` with the number of each set and how many calls it has, on all processors.
fn in_sets(
    recordings: usize,
    write: impl Fn(usize, usize) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let write = &write;
    thread::scope(|scope| {
        let writers = (0..workers).map(|worker| {
            scope.spawn(move || {
                let mut sets = (worker..recordings.div_ceil(CALL_COUNT)).step_by(workers);
                sets.try_for_each(|set| write(set, CALL_COUNT.min(recordings - set * CALL_COUNT)))
            })
        });
        let writers: Vec<_> = writers.collect();
        let mut results =
            writers.into_iter().map(|writer| writer.join().expect("a writer does not panic"));
        results.try_for_each(|r| r)
    })
}

/// One wrapped recording of about 300 bytes, without signature and source.
fn small_recording(n: usize) -> String {
    let tool = n % 50;
    format!(
        r#"{{"request":{{"type":"llm_invocation_request","requestId":"req-{n}","messages":[{{"role":"user","content":"Ticket {n}"}}],"tools":[{{"name":"go_{tool}"}}]}},"response":{{"type":"llm_invocation_response","response":{{"content":[{{"type":"tool_use","id":"t","name":"go_{tool}","input":{{}}}}],"stop_reason":"tool_use"}}}}}}"#
    )
}

/// One wrapped recording of four to eight kilobytes, with signature and source.
fn recording(n: usize, machine: &str, source: &str) -> Value {
    let hash: String = Sha256::digest(source).iter().map(|byte| format!("{byte:02x}")).collect();
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

/// The given number of items, recordings in sets of eight, each recorded at another time, every fifth with a problem. Every hundredth
/// holds five calls.
pub(crate) fn items(count: usize) -> Vec<Arc<Item>> {
    let pool = Pool::default();
    let problem = |rule| Problem::whole_file(rule, "Something is not as it should be");
    let item = |index: usize| {
        // Far from sorted, as files of many tests are.
        let number = index.wrapping_mul(2_654_435_761) % 100_000_007;
        let names = [format!("transition_to_{}", number % 50), "read_ticket".to_owned()];
        let signature = SignatureText {
            tool_names: names.iter().map(String::as_str).collect(),
            message_count: 1,
            context_keys: Vec::new(),
        };
        let (hour, minute, second) = (number % 24, number % 60, number % 59);
        let day = 1 + number % 28;
        let path = format!(
            "test/fixtures/recordings/suite-{}/set-{}/turn-{}.json",
            index % 9,
            index / CALL_COUNT,
            index % CALL_COUNT
        );
        let id = format!("req-{}-{}", 1_770_000_000_000 + number, index % CALL_COUNT);
        let at = format!("2026-02-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z");
        Arc::new(
            Item::from(ItemFacts {
                kind: FileKind::Recording,
                version: Some(RecordingVersion::V2),
                id: Some(id.as_str().into()),
                recorded_at: Some(at.as_str().into()),
                bytes: 5000,
                signature: Some(pool.signature(&signature)),
                rare: match index % 100 {
                    0 => {
                        let calls = (0..5).map(|_| call_row(pool.signature(&signature))).collect();
                        RareFacts { calls, ..RareFacts::default() }.into()
                    }
                    _ => Rare::default(),
                },
                ..ItemFacts::new(&path)
            })
            .with_problems(match number % 5 {
                0 => vec![problem(RuleId::SourceStale), problem(RuleId::SignatureShared)],
                _ => Vec::new(),
            }),
        )
    };
    (0..count).map(item).collect()
}

fn call_row(signature: Arc<Signature>) -> CallRow {
    CallRow {
        node: NodeId::ROOT,
        summary: ItemSummary::default(),
        provider: None,
        model: None,
        started_at: None,
        signature,
        failure: None,
        api: None,
        http: None,
        tokens: (None, None),
        mark: ValueMark { span: Span { start: 0, end: 0 }, place: Place { line: 1, column: 1 } },
    }
}
