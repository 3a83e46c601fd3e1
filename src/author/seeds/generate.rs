//! Seeds made of recordings and replay sessions.
//!
//! - A *recording* becomes one seed: what its text says if that is JSON, else the input of its first tool call, else its text
//!   as it is. The schema is the node it was recorded at, else that tool; the job its set.
//! - Each call of a model in a *cassette* or an HTTP archive becomes one like a recording; the job is the name of the file.
//! - A *session* becomes a seed for each of its tools' responses that is not empty: as JSON, under the tool's name. The job
//!   is its id.
//!
//! Parts that the caller sets come first. Rounds count the answers of one schema, model and job, in the order of the files.

use std::collections::HashMap;
use std::sync::Arc;

use super::write::NewSeed;
use calls::Item;
use calls::reading::{calls, reads};
use document::call::{CallFailure, ModelCall};
use document::json::JsonLayout;
use document::recording::{MessageBlock, Recording};
use document::session::Session;
use document::text::Source;
use document::{Document, DocumentBody, Node, NodeKind, json as json_reader, text};

/// Parts of keys that the caller sets; one that is `None` is taken from the file.
#[derive(Clone, Debug, Default)]
pub struct SeedOptions {
    pub schema: Option<String>,
    pub model: Option<String>,
    pub job: Option<String>,
}

/// The seeds that were made, and the files that were skipped.
#[derive(Debug, Default)]
pub struct GeneratedSeeds {
    wanted: SeedOptions,
    /// The seeds, in the order of the files.
    pub seeds: Vec<NewSeed>,
    /// The files that gave none, or not all, each with the reason as a sentence.
    pub skipped: Vec<(Arc<str>, String)>,
    rounds: HashMap<(String, String, String), i64>,
}

impl GeneratedSeeds {
    /// Makes seeds with the parts of keys that are wanted.
    pub fn new(options: SeedOptions) -> Self {
        Self { wanted: options, ..Self::default() }
    }

    /// Makes seeds of one more file, given its row.
    pub fn add(&mut self, item: &Item, document: &Document) {
        let result = match &document.body {
            DocumentBody::Recording(recording) => {
                let job = set_of(item);
                self.recording((document, recording), (job, item.model.as_deref()))
            }
            DocumentBody::Session(session) => self.session(item, document, session),
            DocumentBody::Foreign(file) if reads(file.format) => {
                self.add_calls(item.file_name(), calls(document).iter())
            }
            _ => Err(format!(
                "Expected a recording, a cassette or a session, found {}",
                document.describe_kind()
            )),
        };
        if let Err(reason) = result {
            self.skipped.push((Arc::clone(&item.path), reason));
        }
    }

    /// Makes a seed of each call of a model; their job is the name of the file.
    ///
    /// # Errors
    ///
    /// The reasons why calls gave none, as a sentence without a full stop.
    pub fn add_calls<'d>(
        &mut self,
        name: &str,
        calls: impl Iterator<Item = &'d ModelCall<'d>>,
    ) -> Result<(), String> {
        let job = key_part(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
        let mut skipped = Vec::new();
        let mut number = 0;
        for call in calls {
            number += 1;
            // A recorded error answers nothing.
            if call.failure().is_some_and(CallFailure::is_of_call) {
                continue;
            }
            let model = call.facts.model.as_deref();
            let result = match &call.document.body {
                DocumentBody::Recording(recording) => {
                    self.recording((&*call.document, recording), (job.clone(), model))
                }
                _ => Err("It has no answer".to_owned()),
            };
            if let Err(reason) = result {
                skipped.push(format!("Call {number}: {reason}"));
            }
        }
        if number == 0 {
            return Err("It has no call of a model".to_owned());
        }
        let reasons = skipped.join("; ");
        if reasons.is_empty() { Ok(()) } else { Err(reasons) }
    }

    fn recording(
        &mut self,
        (document, recording): (&Document, &Recording),
        (set, model): (Option<String>, Option<&str>),
    ) -> Result<(), String> {
        let response = answer_text(document, recording).ok_or("It has no answer")?;
        let node = document.tree.at_pointer("/request/context/currentNode").and_then(Node::as_str);
        let name = node.or_else(|| recording.answer.as_ref()?.tools().next()).and_then(key_part);
        let schema = self.wanted.schema.clone().or(name);
        let schema =
            schema.ok_or("It names neither a node nor a tool for the schema of its key; on the command line, --schema sets it")?;
        let title = self.wanted.job.clone().or(set);
        let job = title
            .ok_or("It is not in a folder that names a job; on the command line, --job sets it")?;
        self.push(model, schema, job, response)
    }

    fn session(&mut self, item: &Item, doc: &Document, session: &Session) -> Result<(), String> {
        let job = text(&session.id).and_then(key_part);
        let job =
            self.wanted.job.clone().or(job).ok_or(
                "It has no id for the job of its keys; on the command line, --job sets it",
            )?;
        let mut any = false;
        for response in &session.tool_responses {
            let schema = self.wanted.schema.clone().or(text(&response.tool).and_then(key_part));
            let value = response.response.map(|(node, _)| doc.node(node));
            let answered = value.filter(|node| node.kind() != NodeKind::Null);
            if let (Some(schema), Some(answered)) = (schema, answered) {
                let answered = json_reader::write(answered, JsonLayout::Compact);
                self.push(item.model.as_deref(), schema, job.clone(), answered)?;
                any = true;
            }
        }
        if any { Ok(()) } else { Err("None of its tools has a response".to_owned()) }
    }

    fn push(
        &mut self,
        model: Option<&str>,
        schema: String,
        job: String,
        response: String,
    ) -> Result<(), String> {
        let model_name = self.wanted.model.clone().or_else(|| model.and_then(key_part));
        let model = model_name.ok_or("The file does not name a model; set it with --model")?;
        let key = (schema.clone(), model.clone(), job.clone());
        let round = self.rounds.entry(key).and_modify(|round| *round += 1).or_insert(0);
        self.seeds.push(NewSeed::Trace { schema, model, job, round: *round, response });
        Ok(())
    }
}

/// A name as a part of a key: letters, digits, `_`, `.` and `-`; anything else becomes `-`. `None` when nothing is left.
pub fn key_part(name: &str) -> Option<String> {
    let mut part = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if c.is_alphanumeric() || matches!(c, '_' | '.') => part.push(c),
            // The most important one is `:`, which separates the parts of a key.
            _ if part.ends_with('-') => {}
            _ => part.push('-'),
        }
    }
    let part = part.trim_matches('-');
    (!part.is_empty()).then(|| part.to_owned())
}

/// Returns what a recording answers, as the text of a seed.
fn answer_text(document: &Document, recording: &Recording) -> Option<String> {
    let answer = recording.answer.as_ref()?;
    let text: String = answer.texts().collect();
    if is_json(&text) {
        return Some(text.trim().to_owned());
    }
    let input = answer.blocks.iter().find_map(|block| match block {
        MessageBlock::ToolUse(tool) => Some(tool.input),
        _ => None,
    });
    match input {
        // A call without an input passes no parameters.
        Some(input) => Some(input.map_or("{}".to_owned(), |input| {
            json_reader::write(document.node(input), JsonLayout::Compact)
        })),
        None => Some(text).filter(|text| !text.trim().is_empty()),
    }
}

/// Returns the folder of a recording, from the project root or, where that is the folder itself, as it was given.
fn set_of(item: &Item) -> Option<String> {
    let folder = item.path.rsplit('/').nth(1).unwrap_or_default();
    let names = [item.set(), folder].into_iter().filter(|name| !matches!(*name, "." | ".."));
    names.filter_map(key_part).next()
}

fn is_json(text: &str) -> bool {
    let (tree, problems) = json_reader::parse(&Source::new(text));
    // A number or a quoted word is JSON, too, but no structured answer.
    let is_value =
        tree.root().is_some_and(|root| matches!(root.kind(), NodeKind::Array | NodeKind::Object));
    is_value && problems.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::ItemFacts;
    use document::read;

    fn made(files: &[(&str, &str)], options: &SeedOptions) -> String {
        let mut making = GeneratedSeeds::new(options.clone());
        for (path, text) in files {
            let document = read(Source::new(*text), path);
            let item = Item::from(ItemFacts { kind: document.kind(), ..ItemFacts::new(path) });
            making.add(&item, &document);
        }
        let seeds = making.seeds.iter().map(super::super::write::seed_json);
        let skipped = making.skipped.iter().map(|(path, reason)| format!("{path}: {reason}"));
        let lines: Vec<String> = seeds.chain(skipped).collect();
        lines.join("\n")
    }

    fn recording(node: &str, content: &str) -> String {
        format!(
            r#"{{ "request": {{ "context": {{ "currentNode": "{node}" }}, "messages": [], "tools": [] }}, "response": {{ "response": {{ "content": {content} }} }} }}"#
        )
    }

    fn model() -> SeedOptions {
        SeedOptions { model: Some("router".to_owned()), ..SeedOptions::default() }
    }

    #[test]
    fn recordings_become_seeds_of_their_set_and_node() {
        let recordings = [
            recording("triage", r#"[{ "type": "text", "text": " {\"best\": 1} " }]"#),
            recording(
                "triage",
                r#"[{ "type": "text", "text": "I go" }, { "type": "tool_use", "name": "go", "input": { "to": [1.50, "b"] } }]"#,
            ),
            recording("close", r#"[{ "type": "text", "text": "Done." }]"#),
            recording("close", "[]"),
        ];
        let files: Vec<(String, &String)> = recordings
            .iter()
            .enumerate()
            .map(|(n, text)| (format!("sets/my set/turn-{n}.json"), text))
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        insta::assert_snapshot!(made(&files, &model()), @r#"
        { "schema": "triage", "model": "router", "jobId": "my-set", "round": 0, "response": "{\"best\": 1}" }
        { "schema": "triage", "model": "router", "jobId": "my-set", "round": 1, "response": "{\"to\":[1.50,\"b\"]}" }
        { "schema": "close", "model": "router", "jobId": "my-set", "round": 0, "response": "Done." }
        sets/my set/turn-3.json: It has no answer
        "#);
        insta::assert_snapshot!(made(&files[..1], &SeedOptions::default()), @"sets/my set/turn-0.json: The file does not name a model; set it with --model");
    }

    #[test]
    fn sessions_become_a_seed_for_each_answer_of_a_tool() {
        let session = "id: refund/twice\ninput: x\ntool_responses:\n  - tool: lookup\n    response: {order: 7, paid: yes}\n  - tool: lookup\n    response: none\n  - tool: pay\n    status: 0\n";
        insta::assert_snapshot!(made(&[("a.yaml", session)], &model()), @r#"
        { "schema": "lookup", "model": "router", "jobId": "refund-twice", "round": 0, "response": "{\"order\":7,\"paid\":true}" }
        { "schema": "lookup", "model": "router", "jobId": "refund-twice", "round": 1, "response": "\"none\"" }
        "#);
        let options = SeedOptions {
            schema: Some("critique".to_owned()),
            job: Some("j".to_owned()),
            ..model()
        };
        insta::assert_snapshot!(made(&[("a.yaml", session), ("b.json", "{}")], &options), @r#"
        { "schema": "critique", "model": "router", "jobId": "j", "round": 0, "response": "{\"order\":7,\"paid\":true}" }
        { "schema": "critique", "model": "router", "jobId": "j", "round": 1, "response": "\"none\"" }
        b.json: Expected a recording, a cassette or a session, found a file of kind unknown
        "#);
    }

    #[test]
    fn names_become_parts_of_keys() {
        assert_eq!(key_part("my set: é/2").as_deref(), Some("my-set-é-2"));
        assert_eq!(key_part(" :- "), None);
    }
}
