//! One seed, independent of its file.

use std::fmt;
use std::sync::Arc;

use document::ValueMark;
use document::seeds::SeedRound;
use document::text::PlaceFinder;
use document::{Document, DocumentBody, Field, Node, NodeId, NodeKind};

/// The value of a field in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SeedValue<T> {
    Known(T),
    /// Code whose value is only known when it runs; here its source text.
    Code(Arc<str>),
    /// Nothing, or a value of another type.
    Missing,
}

impl<T> SeedValue<T> {
    /// Returns the value, if it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Code(_) | Self::Missing => None,
        }
    }
}

impl<T: fmt::Display> fmt::Display for SeedValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(f),
            Self::Code(code) => write!(f, "{{{code}}}"),
            Self::Missing => f.write_str("?"),
        }
    }
}

/// The parts of a key in the trace form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TraceKey {
    /// Name of the schema of the answer.
    pub schema: SeedValue<Arc<str>>,
    pub model: SeedValue<Arc<str>>,
    /// The job, an id of the test.
    pub job: SeedValue<Arc<str>>,
    /// Counted from 0.
    pub round: SeedValue<i64>,
}

/// The parts of a deprecated key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HashKey {
    /// The step of the job.
    pub step: SeedValue<Arc<str>>,
    pub model: SeedValue<Arc<str>>,
    /// See [`user_text_hash`](super::user_text_hash).
    pub hash: SeedValue<Arc<str>>,
}

/// The key of a seed. Displays the key, with the source text of unknown parts in braces.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderKey {
    /// `schema:model:job:round`
    Trace(TraceKey),
    /// `step:model:hash`
    Hash(HashKey),
}

impl fmt::Display for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trace(TraceKey { schema, model, job, round }) => {
                write!(f, "{schema}:{model}:{job}:{round}")
            }
            Self::Hash(HashKey { step, model, hash }) => write!(f, "{step}:{model}:{hash}"),
        }
    }
}

impl ProviderKey {
    /// Returns the key as the provider's map has it; `None` when a part is not known.
    pub fn text(&self) -> Option<String> {
        let is_known = |parts: &[&SeedValue<Arc<str>>]| parts.iter().all(|p| p.known().is_some());
        let is_known = match self {
            Self::Trace(TraceKey { schema, model, job, round }) => {
                is_known(&[schema, model, job]) && round.known().is_some()
            }
            Self::Hash(HashKey { step, model, hash }) => is_known(&[step, model, hash]),
        };
        is_known.then(|| self.to_string())
    }

    /// Returns the parts of a key in the trace form.
    pub fn trace(&self) -> Option<&TraceKey> {
        match self {
            Self::Trace(key) => Some(key),
            Self::Hash(_) => None,
        }
    }
}

/// One seed of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedEntry {
    pub key: ProviderKey,
    /// Text of the answer.
    pub response: SeedValue<Arc<str>>,
    /// Its JSON Pointer; in code that of the call, such as `/2`.
    pub pointer: Box<str>,
    pub mark: ValueMark,
    /// The place of its response, or of the seed.
    pub response_mark: ValueMark,
}

impl SeedEntry {
    /// Returns whether the provider treats it as an answer. Code may be anything, and is treated as an answer.
    pub fn answers(&self) -> bool {
        match &self.response {
            SeedValue::Known(response) => !response.is_empty(),
            SeedValue::Code(_) => true,
            SeedValue::Missing => false,
        }
    }
}

/// Returns the seeds of a document in their order; empty if it is not a seeds file.
pub fn seeds_of(document: &Document) -> Vec<SeedEntry> {
    let DocumentBody::Seeds(body) = &document.body else { return Vec::new() };
    let mut places = PlaceFinder::new(document.source());
    let reader = SeedReader { document };
    let trace = body.seeds.iter().map(|seed| {
        let key = ProviderKey::Trace(TraceKey {
            schema: reader.text(seed.node, "schema", &seed.schema),
            model: reader.text(seed.node, "model", &seed.model),
            job: reader.text(seed.node, "jobId", &seed.job_id),
            round: reader.round(&seed.round),
        });
        (seed.node, key, &seed.response)
    });
    let hash = body.hash_seeds.iter().map(|seed| {
        let key = ProviderKey::Hash(HashKey {
            step: reader.text(seed.node, "step", &seed.step),
            model: reader.text(seed.node, "model", &seed.model),
            hash: reader.text(seed.node, "userTextHash", &seed.user_text_hash),
        });
        (seed.node, key, &seed.response)
    });
    let mut calls: Vec<_> = trace.chain(hash).collect();
    // The provider's map has both kinds in the order in which a file seeds them, and the wildcard takes the first.
    calls.sort_by_key(|(node, ..)| document.node(*node).span());
    let mut mark = |node: Node<'_>| ValueMark {
        span: node.span(),
        place: places.place_at(node.span().start as usize),
    };
    let seed = |(id, key, response): (NodeId, ProviderKey, &Option<Field<String>>)| {
        let node = document.node(id);
        SeedEntry {
            key,
            response: reader.text(id, "response", response),
            pointer: node.pointer().into(),
            mark: mark(node),
            response_mark: mark(node.get("response").unwrap_or(node)),
        }
    };
    calls.into_iter().map(seed).collect()
}

struct SeedReader<'a> {
    document: &'a Document,
}

impl SeedReader<'_> {
    fn text(&self, seed: NodeId, key: &str, field: &Option<Field<String>>) -> SeedValue<Arc<str>> {
        match field {
            Some(field) => SeedValue::Known(field.value.as_str().into()),
            None => self.code(self.document.node(seed).get(key)),
        }
    }

    fn round(&self, round: &SeedRound) -> SeedValue<i64> {
        match (round.number(), round) {
            (Some(number), _) => SeedValue::Known(number),
            (None, SeedRound::Unread(node)) => self.code(Some(self.document.node(*node))),
            (None, _) => SeedValue::Missing,
        }
    }

    fn code<T>(&self, node: Option<Node<'_>>) -> SeedValue<T> {
        node.filter(|node| node.kind() == NodeKind::Expression)
            .map_or(SeedValue::Missing, |node| SeedValue::Code(node.raw().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    fn shown(name: &str, text: &str) -> String {
        let document = read(Source::new(text), name);
        let line = |seed: &SeedEntry| {
            format!("{} {} {} = {}", seed.mark.place, seed.pointer, seed.key, seed.response)
        };
        let lines: Vec<String> = seeds_of(&document).iter().map(line).collect();
        lines.join("\n")
    }

    #[test]
    fn seeds_are_in_file_order() {
        insta::assert_snapshot!(shown("a.seeds.json", r#"{ "hashSeeds": [ { "step": "s", "model": "m", "userTextHash": "1a", "response": "h" } ],
  "seeds": [ { "schema": "critique", "model": "m", "jobId": "j", "response": "{}" }, { "round": 1.5, "response": 7 } ] }"#), @"
        1:18 /hashSeeds/0 s:m:1a = h
        2:14 /seeds/0 critique:m:j:0 = {}
        2:86 /seeds/1 ?:?:?:? = ?
        ");
    }

    #[test]
    fn what_is_code_is_reported_as_it_is_written() {
        insta::assert_snapshot!(shown("a.test.ts", "seedMemoryTraceResponse('critique', MODEL, 'j', round + 1, text());\nseedMemoryResponse('s', 'm', '1a', 'x');"), @"
        1:1 /0 critique:{MODEL}:j:{round + 1} = {text()}
        2:1 /1 s:m:1a = x
        ");
    }
}
