//! Trace-keyed seeds: what a file seeds, what the provider's memory then holds, and what it answers.
//!
//! The provider keeps all seeds in one JavaScript `Map`, keys of both kinds alike. [`Memory`] does as it does: files in the
//! order of their paths, seeds in the order of their places; a key that is seeded again keeps its first place and gets the
//! last response. An empty response counts as absent, but the wildcard of test mode takes the first key that fits and tries no
//! other, even when its response is empty.

mod answer;
mod edit;
mod glance;
mod hash;
mod lookup;
mod making;
mod memory;
mod seed;
mod write;

pub use answer::{Answer, Left, LeftWhy, Mode, Outcome, Question, Step, Tried, Would};
pub use edit::{Change, plan};
pub use glance::{Glance, glance};
pub use hash::user_text_hash;
pub use lookup::{FIXTURES, schema_of_step};
pub use making::{Making, Wanted, key_part, make};
pub use memory::{At, File, Memory, Slot};
pub use seed::{HashKey, Key, Said, Seed, TraceKey, seeds_of};
pub use write::{NewSeed, json, seed_json, typescript};
