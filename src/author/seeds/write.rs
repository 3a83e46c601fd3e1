//! Writes seeds: as a file in Retake's format, and as calls for test code.

use std::fmt::Write as _;

use super::memory::Memory;
use super::seed::{HashKey, ProviderKey, SeedEntry, SeedValue, TraceKey};
use document::json::{JsonLayout, JsonWriter, quote};
use document::text::Source;
use document::{Node, NodeKind, code, json as json_reader};

/// A seed to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewSeed {
    /// Keyed by its trace.
    Trace {
        /// Name of the schema of the answer.
        schema: String,
        model: String,
        job: String,
        /// Counted from 0.
        round: i64,
        /// Text of the answer.
        response: String,
    },
    /// Of the deprecated kind.
    Hash {
        step: String,
        model: String,
        /// The hash of the first user message.
        hash: String,
        /// Text of the answer.
        response: String,
    },
}

impl NewSeed {
    /// Converts a seed of a file; `None` if a part of it is code or missing.
    pub fn from_seed(seed: &SeedEntry) -> Option<Self> {
        let known_text = |p: &SeedValue<std::sync::Arc<str>>| p.known().map(|p| p.to_string());
        let response = known_text(&seed.response)?;
        Some(match &seed.key {
            ProviderKey::Trace(TraceKey { schema, model, job, round }) => Self::Trace {
                schema: known_text(schema)?,
                model: known_text(model)?,
                job: known_text(job)?,
                round: *round.known()?,
                response,
            },
            ProviderKey::Hash(HashKey { step, model, hash }) => Self::Hash {
                step: known_text(step)?,
                model: known_text(model)?,
                hash: known_text(hash)?,
                response,
            },
        })
    }

    /// Returns the seeds that the provider would hold of a memory: each key once, with its last response. Those that are code or empty
    /// are left out.
    pub fn all_of(memory: &Memory) -> Vec<Self> {
        let answering = memory.slots().iter().filter(|slot| memory.answers(slot));
        answering.filter_map(|slot| Self::from_seed(memory.seed(slot.last()))).collect()
    }

    /// Returns the response.
    pub fn response(&self) -> &str {
        match self {
            Self::Trace { response, .. } | Self::Hash { response, .. } => response,
        }
    }

    /// Returns the members of the seed's object, in order; the values are JSON.
    fn members(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Trace { schema, model, job, round, response } => vec![
                ("schema", quote(schema)),
                ("model", quote(model)),
                ("jobId", quote(job)),
                ("round", round.to_string()),
                ("response", quote(response)),
            ],
            Self::Hash { step, model, hash, response } => vec![
                ("step", quote(step)),
                ("model", quote(model)),
                ("userTextHash", quote(hash)),
                ("response", quote(response)),
            ],
        }
    }

    /// Returns the arguments of the call before the response.
    fn arguments(&self) -> (&'static str, String) {
        match self {
            Self::Trace { schema, model, job, round, .. } => {
                let (schema, model, job) = (quote(schema), quote(model), quote(job));
                ("seedMemoryTraceResponse", format!("{schema}, {model}, {job}, {round}"))
            }
            Self::Hash { step, model, hash, .. } => {
                let (step, model, hash) = (quote(step), quote(model), quote(hash));
                ("seedMemoryResponse", format!("{step}, {model}, {hash}"))
            }
        }
    }
}

/// Returns a file of seeds.
pub fn json(seeds: &[NewSeed]) -> String {
    let is_trace = |seed: &&NewSeed| matches!(seed, NewSeed::Trace { .. });
    let (trace, hash): (Vec<&NewSeed>, Vec<&NewSeed>) = seeds.iter().partition(is_trace);
    let mut lists = vec![(quote("seeds"), trace)];
    // The list of the deprecated kind is written only where it is needed.
    if !hash.is_empty() {
        lists.push((quote("hashSeeds"), hash));
    }
    let mut writer = JsonWriter::new(JsonLayout::PRETTY);
    writer.object(lists, |writer, seeds| {
        writer.list(seeds, |writer, seed| {
            let members = seed.members().into_iter();
            writer.object(members.map(|(key, value)| (quote(key), value)), |writer, value| {
                writer.json(&value);
            });
        });
    });
    writer.into_text() + "\n"
}

/// One seed as the JSON object that a file of seeds has for it.
pub fn seed_json(seed: &NewSeed) -> String {
    let member = |(key, value)| format!("\"{key}\": {value}");
    let members: Vec<String> = seed.members().into_iter().map(member).collect();
    format!("{{ {} }}", members.join(", "))
}

/// Seeds as calls for test code, one after the other. A response that `JSON.stringify` makes is written as what it makes it
/// of, any other as a string.
pub fn typescript(seeds: &[NewSeed]) -> String {
    seeds.iter().map(call).collect()
}

fn call(seed: &NewSeed) -> String {
    let (function, key) = seed.arguments();
    let call = |response: &str| format!("{function}({key}, {response});\n");
    let (tree, problems) = json_reader::parse(&Source::new(seed.response()));
    let literal = tree.root().filter(|root| problems.is_empty() && root.kind() != NodeKind::String);
    let stringified = literal.map(|root| {
        let mut literal = String::new();
        write_literal(&mut literal, root, 0);
        call(&format!("JSON.stringify({literal})"))
    });
    // The text that is read back must be identical: white space or the spelling of a number would be lost.
    let is_same = |text: &String| {
        let tree = code::parse(&Source::new(text.as_str()));
        let response = tree.at_pointer("/0/response").and_then(Node::as_str);
        response == Some(seed.response())
    };
    stringified.filter(is_same).unwrap_or_else(|| call(&quote(seed.response())))
}

/// The maximum length of a list or object on one line, in characters.
const MAX_LINE_CHARS: usize = 60;

/// A value as people write it in TypeScript.
fn write_literal(text: &mut String, node: Node<'_>, depth: usize) {
    // Deeper values are written on one line, which bounds the recursion.
    if depth > 60 || !matches!(node.kind(), NodeKind::Array | NodeKind::Object) || node.is_empty() {
        return text.push_str(&json_reader::text(node));
    }
    let (opening, closing) = if node.kind() == NodeKind::Array { ("[", "]") } else { ("{", "}") };
    let part = |item: Node<'_>| {
        let mut part = item.key().map_or(String::new(), |key| member_name(key) + ": ");
        write_literal(&mut part, item, depth + 1);
        part
    };
    let parts: Vec<String> = node.items().map(part).collect();
    let length: usize = parts.iter().map(|part| part.len() + 2).sum();
    let is_line = length <= MAX_LINE_CHARS && parts.iter().all(|part| !part.contains('\n'));
    if is_line {
        let space = if opening == "{" { " " } else { "" };
        let _ = write!(text, "{opening}{space}{}{space}{closing}", parts.join(", "));
        return;
    }
    let indent = "  ".repeat(depth + 1);
    text.push_str(opening);
    for part in parts {
        let _ = write!(text, "\n{indent}{part},");
    }
    let _ = write!(text, "\n{}{closing}", "  ".repeat(depth));
}

/// Returns a key, in quotes unless it is a name.
fn member_name(key: &str) -> String {
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c))
        && key.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c));
    if is_name { key.to_owned() } else { quote(key) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::seeds::{SeedFile, seeds_of};
    use document::read;

    fn trace(job: &str, response: &str) -> NewSeed {
        NewSeed::Trace {
            schema: "critique".to_owned(),
            model: "router".to_owned(),
            job: job.to_owned(),
            round: 1,
            response: response.to_owned(),
        }
    }

    fn hash(response: &str) -> NewSeed {
        NewSeed::Hash {
            step: "critique".to_owned(),
            model: "router".to_owned(),
            hash: "1a".to_owned(),
            response: response.to_owned(),
        }
    }

    #[test]
    fn a_file_is_written_as_people_write_it() {
        insta::assert_snapshot!(json(&[trace("a", "{\"best\":1}"), hash("x")]), @r#"
        {
          "seeds": [
            {
              "schema": "critique",
              "model": "router",
              "jobId": "a",
              "round": 1,
              "response": "{\"best\":1}"
            }
          ],
          "hashSeeds": [
            {
              "step": "critique",
              "model": "router",
              "userTextHash": "1a",
              "response": "x"
            }
          ]
        }
        "#);
        insta::assert_snapshot!(json(&[]), @r#"
        {
          "seeds": []
        }
        "#);
        assert_eq!(
            seed_json(&hash("\"")),
            r#"{ "step": "critique", "model": "router", "userTextHash": "1a", "response": "\"" }"#
        );
    }

    #[test]
    fn calls_say_what_is_stringified_where_that_gives_the_same_text() {
        let long = r#"{"candidates":["The 12 euros are on their way back to you.","We have sent the 12 euros back."],"best-of":2}"#;
        let seeds = [
            trace("a", long),
            trace("b", "{ \"spaced\": 1 }"),
            trace("c", "1e5"),
            trace("d", "it's"),
            hash("[]"),
        ];
        insta::assert_snapshot!(typescript(&seeds), @r#"
        seedMemoryTraceResponse("critique", "router", "a", 1, JSON.stringify({
          candidates: [
            "The 12 euros are on their way back to you.",
            "We have sent the 12 euros back.",
          ],
          "best-of": 2,
        }));
        seedMemoryTraceResponse("critique", "router", "b", 1, "{ \"spaced\": 1 }");
        seedMemoryTraceResponse("critique", "router", "c", 1, "1e5");
        seedMemoryTraceResponse("critique", "router", "d", 1, "it's");
        seedMemoryResponse("critique", "router", "1a", JSON.stringify([]));
        "#);
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn what_is_written_is_read_back(seeds in prop::collection::vec(("\\PC{0,6}", prop::sample::select(vec!["{\"a\":[1,{\"b-c\":null}]}", "", "{", "-0", "\"\\u2028\"", "{\"1\":2,\"a\":1}"])), 0..5)) {
            let seeds: Vec<NewSeed> = seeds.iter().map(|(job, response)| trace(job, response)).chain([hash("h")]).collect();
            for (name, text) in [("a.seeds.json", json(&seeds)), ("a.ts", typescript(&seeds))] {
                let document = read(Source::new(text.as_str()), name);
                let read: Vec<NewSeed> = seeds_of(&document).iter().filter_map(NewSeed::from_seed).collect();
                prop_assert_eq!(&read, &seeds, "{}", text);
            }
        }
    }

    #[test]
    fn of_a_memory_each_key_is_written_once() {
        let text = typescript(&[trace("a", "1"), trace("b", ""), trace("a", "2")])
            + "seedMemoryResponse(a, b, c, d)";
        let file = SeedFile {
            path: "a.ts".into(),
            seeds: seeds_of(&read(Source::new(text), "a.ts")).into(),
        };
        assert_eq!(NewSeed::all_of(&Memory::new([file])), [trace("a", "2")]);
    }
}
