//! Detects the kind of a file by its content.
//!
//! Projects contain much other JSON and YAML, so a file gets a kind only when several of its fields together indicate it; a field
//! that is missing or invalid does not change the kind.

use super::members::{has, has_all, has_any, list, object};
use super::tree::{Node, NodeKind};
use super::{FileKind, Syntax, code, recorded};
use crate::text::has_ending;

/// Returns whether a path is that of a machine's source.
pub fn is_machine(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // `.dy` alone is a hidden file, not one with this extension.
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    matches!(ending, Some((_, "dygram" | "dy" | "mach")))
}

/// Guesses the syntax of a text. The file name decides only for the extensions of code, machines, YAML and TOML; a text that starts as
/// JSON is JSON.
pub fn syntax(text: &str, file_name: &str) -> Syntax {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    // Checked before YAML, as which the lines of a replay would be parsed.
    if code::is_code(file_name) || is_mcp_replay(text) {
        Syntax::Code
    } else if is_machine(file_name) {
        Syntax::Machine
    } else if has_ending(file_name, &[".yaml", ".yml"]) {
        Syntax::Yaml
    } else if has_ending(file_name, &[".toml"]) {
        Syntax::Toml
    } else if has_ending(file_name, &[".json"]) || start.starts_with(['{', '[']) {
        Syntax::Json
    } else {
        Syntax::Yaml
    }
}

/// Returns whether a text is what a server of MCP reads and writes, a message a line.
pub(super) fn is_mcp_replay(text: &str) -> bool {
    text.lines().next().is_some_and(|line| {
        ["STDIN: ", "STDOUT: ", "STDERR: "].iter().any(|start| line.starts_with(start))
    })
}

/// Returns the kind of a file with this root. Code with seeding calls is a file of seeds.
pub(super) fn kind_of(root: Node<'_>) -> FileKind {
    if root.tree().syntax() == Syntax::Code && !root.is_empty() {
        return FileKind::Seeds;
    }
    if root.kind() != NodeKind::Object {
        return FileKind::Unknown;
    }
    match root {
        _ if is_tape(root) => FileKind::Tape,
        _ if is_recording(root) => FileKind::Recording,
        _ if is_request(root) => FileKind::Request,
        _ if is_report(root) => FileKind::Report,
        _ if is_config(root) => FileKind::Config,
        _ if is_contract(root) => FileKind::Contract,
        _ if is_seeds(root) => FileKind::Seeds,
        // Last, because fields such as `id`, `input` and `name` are common in other files.
        _ if is_session(root) => FileKind::Session,
        _ => FileKind::Unknown,
    }
}

/// Returns what is expected in place of a root that is not an object: for a list of sessions or similar a single one, for a lone YAML scalar a
/// mapping. Other lists belong to other programs.
pub(super) fn misses_object(root: Node<'_>) -> Option<String> {
    match root.kind() {
        NodeKind::Object => None,
        _ if root.tree().syntax() == Syntax::Code => None,
        NodeKind::Array => {
            // A list of one kind shows it in its first elements; other programs' lists may be long.
            let kind = root.items().take(3).map(kind_of).find(|kind| *kind != FileKind::Unknown)?;
            Some(format!("one {} per file", kind.as_str()))
        }
        _ if root.tree().syntax() == Syntax::Yaml => Some("a mapping".to_owned()),
        _ => None,
    }
}

/// Returns whether the `type` field is the one that DyGram writes for a call.
fn is_invocation(node: Node<'_>, kind: &str) -> bool {
    node.get("type").and_then(Node::as_str) == Some(kind)
}

/// Returns whether this is a streamed call: `stream` with `meta` or `request`, or timed pieces, or `request` with `meta` that has a model.
fn is_tape(root: Node<'_>) -> bool {
    let has_delays = |stream: Node<'_>| stream.items().next().is_some_and(|c| has(c, "delayNs"));
    let has_meta = |meta| has_any(meta, &["model", "recordedAt"]);
    // The answer of a tape is its `stream`.
    if has(root, "response") {
        return false;
    }
    // `stream` beside `model` is an option in a request to a provider.
    has(root, "stream") && has_any(root, &["meta", "request"]) && !has(root, "model")
        || list(root, "stream").is_some_and(has_delays)
        || has(root, "request") && object(root, "meta").is_some_and(has_meta)
}

/// Returns whether this is a call of DyGram: `request` and `response` where the request has messages or tools, or the recorder's fields.
fn is_recording(root: Node<'_>) -> bool {
    let has_messages_or_tools = |request: Node<'_>| {
        has_any(request, &["messages", "tools"]) || is_invocation(request, "llm_invocation_request")
    };
    // A recorder writes in place, so a file without `response` may be a recording that is half-written.
    let cut_off = |request: Node<'_>| {
        is_invocation(request, "llm_invocation_request") || has_all(request, &["messages", "tools"])
    };
    let request = object(root, "request");
    // HTTP requests are from other recorders.
    if request.is_some_and(|request| has_any(request, &["method", "url", "stream"])) {
        return false;
    }
    let answers = object(root, "response")
        .is_some_and(|response| is_invocation(response, "llm_invocation_response"));
    let both_sides = request.is_some_and(has_messages_or_tools) && has(root, "response");
    // The answer of a provider's own API is of another recorder, whatever it calls the two sides.
    if root.get("response").is_some_and(recorded::is_answer) {
        return false;
    }
    let has_stamp =
        has_any(root, &["recordedAt", "sourceMetadata"]) || object(root, "signature").is_some();
    let has_stamped_side = has_stamp && has_any(root, &["request", "response"]);
    both_sides || has_stamped_side || answers || request.is_some_and(cut_off)
}

/// Returns whether this is a request without its answer, as a live run puts it into a queue.
fn is_request(root: Node<'_>) -> bool {
    is_invocation(root, "llm_invocation_request")
        || has(root, "messages")
            && has_any(root, &["tools", "requestId"])
            // Another recorder may add the answer to the request.
            && !root.items().any(recorded::is_answer)
}

fn is_report(root: Node<'_>) -> bool {
    list(root, "mutations").is_some() && has_any(root, &["statistics", "started_at"])
}

fn is_config(root: Node<'_>) -> bool {
    let replays = object(root, "replays");
    let contract = object(root, "contract");
    let is_list_of_runs = |replays| has_any(replays, &["sessions", "sources"]);
    let promises = |contract| has_any(contract, &["invariants", "chaos_matrix", "name"]);
    replays.is_some_and(is_list_of_runs)
        || contract.is_some_and(promises)
        || object(root, "agent").is_some()
            && has_any(root, &["golden_prompts", "replays", "contract", "invariants"])
}

fn is_contract(root: Node<'_>) -> bool {
    has(root, "invariants") && has_any(root, &["name", "chaos_matrix"])
        || has_all(root, &["name", "chaos_matrix"])
}

fn is_seeds(root: Node<'_>) -> bool {
    let has_seed_keys = |seed: Node<'_>| {
        let count = ["schema", "model", "jobId", "round", "response", "step", "userTextHash"]
            .iter()
            .filter(|key| has(seed, key))
            .count();
        // One name alone, such as `model`, is in many other lists.
        count >= 2
    };
    let any_keyed =
        |key| list(root, key).is_some_and(|seeds| seeds.items().take(20).any(has_seed_keys));
    // A new file has no seeds yet by which to recognise it.
    let only_seeds = || {
        let mut other_keys =
            root.items().filter_map(Node::key).filter(|key| !matches!(*key, "seeds" | "hashSeeds"));
        has_any(root, &["seeds", "hashSeeds"]) && other_keys.next().is_none()
    };
    any_keyed("seeds") || any_keyed("hashSeeds") || only_seeds()
}

fn is_session(root: Node<'_>) -> bool {
    // Files of other tools with one model call have these fields.
    if has_any(root, &["model", "messages", "output", "type", "$schema"]) {
        return false;
    }
    let count = |keys: &[&str]| keys.iter().filter(|key| has(root, key)).count();
    let characteristic = count(&["tool_responses", "expected_failure"]);
    let names = count(&["id", "input", "contract"]);
    let adds = count(&["file", "name", "source", "context", "captured_at"]);
    let points = has(root, "file") && has_any(root, &["contract", "id"]);
    characteristic == 2 || characteristic == 1 && names + adds > 0 || names >= 2 || points
}

#[cfg(test)]
mod tests {
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{FileKind, read};

    fn kind(text: &str) -> FileKind {
        read(Source::new(text), "any.json").kind()
    }

    fn yaml_kind(text: &str) -> FileKind {
        read(Source::new(text), "any.yaml").kind()
    }

    #[test]
    fn each_kind_is_known_by_its_content() {
        let kinds = [
            (r#"{"request": {"messages": [], "tools": []}, "response": {}}"#, FileKind::Recording),
            (r#"{"request": null, "signature": {}}"#, FileKind::Recording),
            (r#"{"messages": [], "tools": []}"#, FileKind::Request),
            (r#"{"type": "llm_invocation_request"}"#, FileKind::Request),
            (r#"{"meta": {"model": "m"}, "request": {}}"#, FileKind::Tape),
            (
                r#"{"meta": {}, "request": {"messages": [], "tools": []}, "stream": {}}"#,
                FileKind::Tape,
            ),
            (r#"{"stream": [{"delayNs": 1, "text": ""}]}"#, FileKind::Tape),
            (r#"{"mutations": [], "statistics": {}}"#, FileKind::Report),
            (r#"{"seeds": [{"schema": "critique", "response": ""}]}"#, FileKind::Seeds),
            (r#"{"seeds": [], "hashSeeds": []}"#, FileKind::Seeds),
            (r#"{"id": "a", "input": "b"}"#, FileKind::Session),
        ];
        for (text, expected) in kinds {
            assert_eq!(kind(text), expected, "{text}");
        }
        let kinds = [
            ("input: a\ncontract: b\n", FileKind::Session),
            ("id: a\ntool_responses: []\n", FileKind::Session),
            ("file: a.yaml\ncontract: c\n", FileKind::Session),
            ("name: c\ninvariants: []\n", FileKind::Contract),
            ("contract:\n  name: c\n", FileKind::Config),
            ("agent: {endpoint: x}\ngolden_prompts: []\n", FileKind::Config),
            ("replays:\n  sessions: []\n", FileKind::Config),
        ];
        for (text, expected) in kinds {
            assert_eq!(yaml_kind(text), expected, "{text}");
        }
    }

    #[test]
    fn a_root_that_is_no_object_is_reported_when_it_could_be_ours() {
        let problems_of =
            |text: &str| describe_problems(&read(Source::new(text), "any.yaml").problems);
        insta::assert_snapshot!(problems_of("- id: a\n  input: b\n"), @r#"1:1 wrong-type at "": The file is a list; one session per file is expected"#);
        insta::assert_snapshot!(problems_of("just text\n"), @r#"1:1 wrong-type at "": The file is a string; a mapping is expected"#);
        assert_eq!(problems_of("- hosts: all\n"), "");
    }

    #[test]
    fn other_files_of_a_project_are_none_of_them() {
        for text in [
            r#"{"name": "x", "version": "1.0.0", "scripts": {"test": "jest"}, "dependencies": {}}"#,
            r#"{"compilerOptions": {"target": "es2022"}, "include": ["src"], "files": []}"#,
            r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"id": {}, "input": {}}}"#,
            r#"{"openapi": "3.1.0", "info": {"title": "x"}, "paths": {}, "components": {}}"#,
            r#"{"type": "tool_use", "id": "a", "name": "b", "input": {}}"#,
            r#"{"model": "m", "input": "text", "stream": true}"#,
            r#"{"request": {"method": "GET", "url": "/"}, "response": {"status": 200}, "recordedAt": "t"}"#,
            r#"{"seeds": [1, 2, 3], "iterations": 10}"#,
            r#"{"mutations": 3}"#,
            r#"[{"id": 1}]"#,
            "{}",
        ] {
            assert_eq!(kind(text), FileKind::Unknown, "{text}");
        }
        for text in [
            "services:\n  web:\n    image: nginx\n    environment: {A: b}\n",
            "name: CI\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: x\nspec: {}\n",
            "- hosts: all\n  tasks: []\n",
            "just text\n",
        ] {
            assert_eq!(yaml_kind(text), FileKind::Unknown, "{text}");
        }
    }
}
