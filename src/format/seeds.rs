//! Trace-keyed seeds: `*.seeds.json`, Retake's file format for what AI Tennis's memory provider is seeded with.

use super::field::Field;
use super::tree::NodeId;

/// A seeds file.
#[derive(Clone, Debug)]
pub struct Seeds {
    /// `seeds`: keyed by schema, model, job and round.
    pub seeds: Vec<Seed>,
    /// `hashSeeds`: the deprecated kind, keyed by a hash of the first user message.
    pub hash_seeds: Vec<HashSeed>,
}

/// One trace-keyed seed.
#[derive(Clone, Debug)]
pub struct Seed {
    /// The object.
    pub node: NodeId,
    /// `schema`
    pub schema: Option<Field<String>>,
    /// `model`
    pub model: Option<Field<String>>,
    /// `jobId`
    pub job_id: Option<Field<String>>,
    /// `round`; the provider takes 0 when it is missing.
    pub round: Option<Field<i64>>,
    /// The text the provider hands out, often JSON.
    pub response: Option<Field<String>>,
}

impl Seed {
    /// `schema:model:job:round`, the provider's key; `None` when a part is missing.
    pub fn key(&self) -> Option<String> {
        let part = super::field::text;
        let round = self.round.as_ref().map_or(0, |round| round.value);
        Some(format!(
            "{}:{}:{}:{round}",
            part(&self.schema)?,
            part(&self.model)?,
            part(&self.job_id)?
        ))
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
    /// The text the provider hands out.
    pub response: Option<Field<String>>,
}

impl HashSeed {
    /// `step:model:hash`, the provider's key; `None` when a part is missing.
    pub fn key(&self) -> Option<String> {
        let part = super::field::text;
        Some(format!(
            "{}:{}:{}",
            part(&self.step)?,
            part(&self.model)?,
            part(&self.user_text_hash)?
        ))
    }
}
