//! Trace-keyed seeds: what a file seeds, what the provider's memory then holds, and what it answers.
//!
//! The provider keeps all seeds in one JavaScript `Map`, keys of both kinds alike. [`Memory`] does as it does: files in the
//! order of their paths, seeds in the order of their places; a key that is seeded again keeps its first place and gets the
//! last response. An empty response counts as absent, but the wildcard of test mode takes the first key that fits and tries no
//! other, even when its response is empty.

mod answer;
mod edit;
mod generate;
mod hash;
mod lookup;
mod memory;
mod seed;
mod summary;
mod write;

pub use answer::{
    AlternativeSeed, LookupStep, ProviderMode, SeedAnswer, SeedRequest, StepOutcome, StepResult,
    UnusedReason, UnusedSeed,
};
pub use edit::{SeedFileEdit, plan};
pub use generate::{GeneratedSeeds, SeedOptions, key_part};
pub use hash::user_text_hash;
pub use lookup::{FIXTURES, schema_of_step};
pub use memory::{KeySlot, Memory, SeedFile, SeedIndex};
pub use seed::{HashKey, ProviderKey, SeedEntry, SeedValue, TraceKey, seeds_of};
pub use summary::{SeedSummary, summarise_response};
pub use write::{NewSeed, json, seed_json, typescript};
