//! A request to the provider, and the result of its lookup.

use std::sync::Arc;

use super::memory::SeedIndex;
use document::text::named_enum;

/// A request to the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedRequest {
    /// The schema of the answer; without it neither exact keys nor the wildcard apply.
    pub schema: Option<String>,
    pub model: String,
    /// The job; without it neither exact keys nor the wildcard apply.
    pub job: Option<String>,
    /// Counted from 0, which the provider takes when there is none.
    pub round: i64,
    /// Environment of the provider.
    pub mode: ProviderMode,
    /// The step, for deprecated keys; without it they are looked for under `unknown`.
    pub step: Option<String>,
    /// The first user message, for deprecated keys; without it the provider hashes the empty text.
    pub user_text: Option<String>,
}

impl SeedRequest {
    /// Returns the key in the trace form; `None` when a part is missing that it needs.
    pub fn key(&self) -> Option<String> {
        let (schema, job) = (self.schema()?, self.job()?);
        Some(format!("{schema}:{}:{job}:{}", self.model, self.round))
    }

    pub(super) fn pattern(&self) -> Option<String> {
        // The provider looks at traces only for a call that names both.
        let schema = self.job().and(self.schema())?;
        Some(format!("{schema}:{}:…:{}", self.model, self.round))
    }

    /// Returns why a call without schema or job is not looked up by its trace.
    pub(super) fn lacks(&self) -> &'static str {
        match (self.schema(), self.job()) {
            (None, None) => "The call has neither schema nor job",
            (None, Some(_)) => "The call has no schema",
            (Some(_), _) => "The call has no job",
        }
    }

    /// Returns the schema. As for the job and the step, the provider takes an empty one for none.
    pub(super) fn schema(&self) -> Option<&str> {
        self.schema.as_deref().filter(|name| !name.is_empty())
    }

    pub(super) fn job(&self) -> Option<&str> {
        self.job.as_deref().filter(|name| !name.is_empty())
    }

    pub(super) fn step(&self) -> Option<&str> {
        self.step.as_deref().filter(|name| !name.is_empty())
    }
}

/// Environment of the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProviderMode {
    /// As in production: without the wildcard.
    #[default]
    Live,
    /// In a test: another job's seed will do.
    Test,
}

named_enum! {
    /// The steps of a lookup, in their order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum LookupStep {
        Exact = "exact" "Exact key",
        /// The first inserted of any job, in test mode.
        Wildcard = "wildcard" "Wildcard, test mode only",
        /// The deprecated key.
        Hash = "hash" "Hash of the user text, deprecated",
        /// An answer that is built into the provider.
        Fixture = "fixture" "Built-in fixture",
    }

    /// Returns its name on the command line.
    pub fn as_str;

    /// Returns its name in sentences and headings.
    pub fn title;
}

impl LookupStep {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Wildcard, Self::Hash, Self::Fixture];
}

named_enum! {
    /// The result of a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StepOutcome {
        Answers = "answers" "answers",
        /// A step before it answered.
        NotReached = "not-reached" "not reached",
        /// It was tried and has no seed.
        NotSeeded = "not-seeded" "not seeded",
        /// It was tried, and its seed has an empty response.
        Empty = "empty" "seeded empty",
        /// It does not apply to such a call.
        NotApplicable = "not-asked" "not applicable",
    }

    /// Returns its name in JSON.
    pub fn as_str;

    /// Returns the text for users.
    pub fn description;
}

/// One step and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct StepResult {
    pub step: LookupStep,
    pub outcome: StepOutcome,
    /// Text that it looks for: a key, for the wildcard `schema:model:…:round`, for the fixture its schema.
    pub key: Option<String>,
    /// The seed that it finds, whether it is tried or not.
    pub finds: Option<SeedIndex>,
    /// An additional short sentence, such as why it does not apply.
    pub remark: Option<String>,
}

named_enum! {
    /// Reason for which a seed that is related to the request is not used.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum UnusedReason {
        /// Its key is seeded again later.
        SeededAgain = "seeded-again" "its key is seeded again later; the last wins",
        /// Its response is empty.
        Empty = "empty" "its response is empty, which counts as absent",
        /// It fits the wildcard, and another one was inserted before it.
        InsertedLater = "inserted-later" "fits the wildcard too, inserted later",
        /// Only a later step would have found it.
        LaterStep = "later-step" "keyed by the hash of this user text; that step is not reached",
    }

    /// Returns its name in JSON.
    pub fn as_str;

    /// Returns the text for users.
    pub fn description;
}

/// A seed that is related to the request but is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedSeed {
    pub seed: SeedIndex,
    pub why: UnusedReason,
}

/// A seed whose key differs from the request in one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlternativeSeed {
    /// The same job in this round.
    Round(i64, SeedIndex),
    /// This job in the same round.
    Job(Arc<str>, SeedIndex),
}

impl AlternativeSeed {
    /// Returns the seed.
    pub fn seed(&self) -> SeedIndex {
        match self {
            Self::Round(_, seed) | Self::Job(_, seed) => *seed,
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedAnswer {
    /// The step that answers; `None` when nothing does.
    pub step: Option<LookupStep>,
    /// The key that answers; for a fixture its schema.
    pub key: Option<Arc<str>>,
    /// The seed that answers; `None` for a fixture, which is built into the provider.
    pub seed: Option<SeedIndex>,
    /// All four steps.
    pub tried: Vec<StepResult>,
    /// Seeds that might have answered and do not, in the order of insertion.
    pub unused: Vec<UnusedSeed>,
    /// Seeds that would have matched exactly with another round or job, if none did; other rounds first.
    pub alternatives: Vec<AlternativeSeed>,
}
