//! Trace-keyed seeds of AI Tennis's memory provider, in `*.seeds.json`, Retake's file format, or as literal
//! calls in test code.

use super::field::{Field, text};
use super::fields::Fields;
use super::problems::ProblemList;
use super::tree::{Node, NodeId, NodeKind};
use super::{Syntax, code};

/// A file of seeds. An expression in code is read as missing, without a problem.
#[derive(Clone, Debug)]
pub struct Seeds {
    /// `seeds`: keyed by schema, model, job and round.
    pub seeds: Vec<TraceSeed>,
    /// `hashSeeds`: the deprecated kind, keyed by a hash of the first user message.
    pub hash_seeds: Vec<HashSeed>,
}

/// One trace-keyed seed.
#[derive(Clone, Debug)]
pub struct TraceSeed {
    /// The object.
    pub node: NodeId,
    /// `schema`
    pub schema: Option<Field<String>>,
    /// `model`
    pub model: Option<Field<String>>,
    /// `jobId`
    pub job_id: Option<Field<String>>,
    /// `round`
    pub round: SeedRound,
    /// The text that the provider returns, often JSON.
    pub response: Option<Field<String>>,
}

/// The round of a seed.
#[derive(Clone, Debug)]
pub enum SeedRound {
    /// No round is given; the provider uses 0.
    Default,
    Given(Field<i64>),
    /// Not a whole number, or code.
    Unread(NodeId),
}

impl SeedRound {
    fn read(fields: &mut Fields<'_, '_>) -> Self {
        // Not by `get` of the fields, which leaves out code: an unknown round is not the default one.
        let node = fields.node.get("round").filter(|node| node.kind() != NodeKind::Null);
        match (fields.whole("round"), node) {
            (Some(round), _) => Self::Given(round),
            (None, Some(node)) => Self::Unread(node.id()),
            (None, None) => Self::Default,
        }
    }

    /// The number in the key, if it is known.
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Default => Some(0),
            Self::Given(round) => Some(round.value),
            Self::Unread(_) => None,
        }
    }
}

impl TraceSeed {
    /// `schema:model:job:round`, the provider's key; `None` when a part is missing or not known.
    pub fn key(&self) -> Option<String> {
        let round = self.round.number()?.to_string();
        Some([text(&self.schema)?, text(&self.model)?, text(&self.job_id)?, &round].join(":"))
    }
}

/// One seed of the deprecated kind.
#[derive(Clone, Debug)]
pub struct HashSeed {
    /// The object.
    pub node: NodeId,
    /// `step`
    pub step: Option<Field<String>>,
    /// `model`
    pub model: Option<Field<String>>,
    /// `userTextHash`
    pub user_text_hash: Option<Field<String>>,
    /// The text that the provider returns.
    pub response: Option<Field<String>>,
}

impl HashSeed {
    /// `step:model:hash`, the provider's key; `None` when a part is missing or not known.
    pub fn key(&self) -> Option<String> {
        Some([text(&self.step)?, text(&self.model)?, text(&self.user_text_hash)?].join(":"))
    }
}

impl Seeds {
    /// Reads seeds. Missing fields and wrong types are reported, and the rest is read.
    pub(super) fn read(root: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(root, problems);
        let (seeds, hash_seeds) = match root.tree().syntax() {
            // In code, seeds of both kinds are calls in one list.
            Syntax::Code | Syntax::Machine => {
                root.items().partition(|call| code::is_trace_call(*call))
            }
            Syntax::Json | Syntax::Yaml | Syntax::Toml => {
                (fields.objects("seeds"), fields.objects("hashSeeds"))
            }
        };
        let seed = |node| {
            let mut fields = Fields::new(node, fields.problems);
            TraceSeed {
                node: node.id(),
                schema: fields.required_text("schema"),
                model: fields.required_text("model"),
                job_id: fields.required_text("jobId"),
                round: SeedRound::read(&mut fields),
                response: fields.required_text("response"),
            }
        };
        let seeds = seeds.into_iter().map(seed).collect();
        let hash_seed = |node| {
            let mut fields = Fields::new(node, fields.problems);
            HashSeed {
                node: node.id(),
                step: fields.required_text("step"),
                model: fields.required_text("model"),
                user_text_hash: fields.required_text("userTextHash"),
                response: fields.required_text("response"),
            }
        };
        let hash_seeds = hash_seeds.into_iter().map(hash_seed).collect();
        Self { seeds, hash_seeds }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{DocumentBody, read};

    #[test]
    fn what_a_seed_lacks_is_reported_and_the_rest_is_read() {
        let text = r#"{"seeds": [
  {"schema": "critique", "model": "router", "jobId": "j", "response": "{}"},
  {"schema": "critique", "jobId": 7, "round": 1.5, "response": {}}, "x"],
 "hashSeeds": [{"step": "s", "model": "m", "userTextHash": "1z", "response": ""}]}"#;
        let document = read(Source::new(text), "a.json");
        let DocumentBody::Seeds(seeds) = &document.body else { panic!("{:?}", document.body) };
        assert_eq!(seeds.seeds[0].key().as_deref(), Some("critique:router:j:0"));
        assert_eq!(seeds.seeds[1].key(), None);
        assert_eq!(seeds.hash_seeds[0].key().as_deref(), Some("s:m:1z"));
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"
        3:3 missing-field at "/seeds/1": `model` is missing
        3:35 wrong-type at "/seeds/1/jobId": `jobId` is a number; a string is expected
        3:47 wrong-type at "/seeds/1/round": `round` is `1.5`; a whole number is expected
        3:64 wrong-type at "/seeds/1/response": `response` is an object; a string is expected
        3:69 wrong-type at "/seeds/2": The element is a string; an object is expected
        "#);
    }
}
