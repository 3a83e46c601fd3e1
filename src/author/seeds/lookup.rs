//! Lookup as the provider does it.

use std::sync::Arc;

use super::answer::{
    AlternativeSeed, LookupStep, ProviderMode, SeedAnswer, SeedRequest, StepOutcome, StepResult,
    UnusedReason, UnusedSeed,
};
use super::hash::user_text_hash;
use super::memory::{KeySlot, Memory, SeedIndex};
use super::seed::SeedValue;

/// The schemas for which the provider has an answer built in; `v2` is for calls that name neither schema nor step.
pub const FIXTURES: [&str; 5] =
    ["intent_parse", "copy_proposal", "critique", "decision_collapse", GENERIC_SCHEMA];

const GENERIC_SCHEMA: &str = "v2";

/// Returns the schema that the provider assumes for a step.
pub fn schema_of_step(step: &str) -> &str {
    match step {
        "generate_candidates" => "copy_proposal",
        "test" => "decision_collapse",
        _ => step,
    }
}

/// Returns the schema whose fixture the provider takes: the call's own, else that of its step, else one whose name is in
/// the job's id, else the generic one. It throws when there is no such fixture.
fn fixture_schema(question: &SeedRequest) -> &str {
    // In the provider's order: the first name that is part of the id decides.
    const JOB_SCHEMAS: [(&str, &str); 6] = [
        ("test:test:1", "decision_collapse"),
        ("intent_parse", "intent_parse"),
        ("generate_candidates", "copy_proposal"),
        ("copy_proposal", "copy_proposal"),
        ("critique", "critique"),
        ("decision_collapse", "decision_collapse"),
    ];
    let of_job = || {
        let job = question.job()?;
        JOB_SCHEMAS.into_iter().find_map(|(part, schema)| job.contains(part).then_some(schema))
    };
    let of_step = || question.step().map(schema_of_step);
    question.schema().or_else(of_step).or_else(of_job).unwrap_or(GENERIC_SCHEMA)
}

impl Memory {
    /// Looks for what answers a call.
    pub fn lookup(&self, query: &SeedRequest) -> SeedAnswer {
        let mut tried =
            vec![self.exact(query), self.wildcard(query), self.hashed(query), fixture(query)];
        let has_answer = |tried: &StepResult| tried.outcome == StepOutcome::Answers;
        let first = tried.iter().position(has_answer);
        for later in tried.iter_mut().skip(first.map_or(usize::MAX, |first| first + 1)) {
            later.outcome = StepOutcome::NotReached;
        }
        let answering = first.map(|first| &tried[first]);
        let step = answering.map(|tried| tried.step);
        let seed = answering.and_then(|tried| tried.finds);
        let key = match seed {
            Some(seed) => self.seed(seed).key.text().map(Arc::from),
            None => answering.and_then(|tried| tried.key.as_deref()).map(Arc::from),
        };
        let unused = self.unused_seeds(query, seed, &tried);
        let would = match step {
            Some(LookupStep::Exact) => Vec::new(),
            _ => self.alternatives(query),
        };
        SeedAnswer { step, key, seed, tried, unused, alternatives: would }
    }

    fn outcome_of(&self, slot: Option<&KeySlot>) -> StepOutcome {
        match slot {
            Some(slot) if self.answers(slot) => StepOutcome::Answers,
            Some(_) => StepOutcome::Empty,
            None => StepOutcome::NotSeeded,
        }
    }

    fn exact(&self, question: &SeedRequest) -> StepResult {
        let key = question.key();
        let slot = key.as_deref().and_then(|key| self.slot(key));
        StepResult {
            step: LookupStep::Exact,
            outcome: match &key {
                Some(_) => self.outcome_of(slot),
                None => StepOutcome::NotApplicable,
            },
            remark: key.is_none().then(|| question.lacks().to_owned()),
            key,
            finds: slot.map(KeySlot::last),
        }
    }

    fn wildcard(&self, question: &SeedRequest) -> StepResult {
        let pattern = question.pattern();
        // Computed outside of test mode, too, to show what would answer in a test.
        let mut fits = self.fits(question);
        let first = fits.next();
        let fitting = usize::from(first.is_some()) + fits.count();
        let is_empty = first.is_some_and(|slot| !self.answers(slot));
        let remark = match (&pattern, question.mode, fitting) {
            (None, ..) => question.lacks().to_owned(),
            (_, ProviderMode::Live, 0) => "Only in test mode".to_owned(),
            (_, ProviderMode::Live, _) if is_empty => {
                "Only in test mode, where the first matching seed is empty".to_owned()
            }
            (_, ProviderMode::Live, _) => {
                format!("Only in test mode, where {} would answer", seeds(fitting))
            }
            (_, ProviderMode::Test, 0) => "No key has this beginning and end".to_owned(),
            (_, ProviderMode::Test, 1) => "The only matching seed".to_owned(),
            (_, ProviderMode::Test, _) if is_empty => {
                format!("First inserted of {fitting} matching seeds; the others are not tried")
            }
            (_, ProviderMode::Test, _) => format!("First inserted of {fitting} matching seeds"),
        };
        StepResult {
            step: LookupStep::Wildcard,
            outcome: match question.mode {
                ProviderMode::Test if pattern.is_some() => self.outcome_of(first),
                _ => StepOutcome::NotApplicable,
            },
            key: pattern,
            finds: first.map(KeySlot::last),
            remark: Some(remark),
        }
    }

    /// Returns what the wildcard fits, in insertion order. The provider takes the first one, even when its response is empty.
    fn fits(&self, question: &SeedRequest) -> impl Iterator<Item = &KeySlot> {
        let ends = question.job().and(question.schema()).map(|schema| {
            (format!("{schema}:{}:", question.model), format!(":{}", question.round))
        });
        self.slots().iter().filter(move |slot| {
            let fits = |(prefix, suffix): &(String, String)| {
                slot.key.starts_with(prefix.as_str()) && slot.key.ends_with(suffix.as_str())
            };
            ends.as_ref().is_some_and(fits)
        })
    }

    fn hashed(&self, question: &SeedRequest) -> StepResult {
        // The provider writes this for a call without a step.
        let step = question.step().unwrap_or("unknown");
        let text = question.user_text.as_deref();
        let prefix = format!("{step}:{}:", question.model);
        let key = format!("{prefix}{}", user_text_hash(text.unwrap_or_default()));
        let slot = self.slot(&key);
        let others = || {
            let is_other = |slot: &&KeySlot| {
                let seed = self.seed(slot.last());
                // A key in the trace form may begin in the same way.
                seed.key.trace().is_none() && slot.key.starts_with(&prefix) && *slot.key != *key
            };
            self.slots().iter().filter(is_other).count()
        };
        let remark = match (text, slot) {
            (None, _) => {
                let others = match others() {
                    0 => String::new(),
                    1 => "; 1 seed has another hash".to_owned(),
                    many => format!("; {many} seeds have another hash"),
                };
                Some(format!("No user text given, so the empty text is hashed{others}"))
            }
            (Some(_), None) => Some(format!("No seed for step {step}")),
            (Some(_), Some(_)) => None,
        };
        StepResult {
            step: LookupStep::Hash,
            outcome: self.outcome_of(slot),
            key: Some(key),
            finds: slot.map(KeySlot::last),
            remark,
        }
    }

    fn unused_seeds(
        &self,
        question: &SeedRequest,
        answering: Option<SeedIndex>,
        tried: &[StepResult],
    ) -> Vec<UnusedSeed> {
        let mut unused = Vec::new();
        let mut add = |seed: SeedIndex, why| {
            let is_new = Some(seed) != answering
                && unused.iter().all(|unused_seed: &UnusedSeed| unused_seed.seed != seed);
            if is_new {
                unused.push(UnusedSeed { seed, why });
            }
        };
        let results = tried.iter().filter_map(|tried| Some((tried, tried.finds?)));
        for (tried, seed_index) in results {
            let is_empty = tried.outcome == StepOutcome::Empty;
            let applies = Some(seed_index) == answering || is_empty;
            let slot = self.seed(seed_index).key.text();
            let Some(slot) = slot.as_deref().and_then(|key| self.slot(key)) else { continue };
            if applies {
                // The last seed of a key is the one in the provider's map, so only the earlier ones are unused.
                let earlier = slot.seeded.iter().rev().skip(1).rev();
                earlier.for_each(|seed| add(*seed, UnusedReason::SeededAgain));
            }
            if is_empty {
                add(seed_index, UnusedReason::Empty);
            }
            if tried.step == LookupStep::Hash
                && tried.outcome == StepOutcome::NotReached
                && self.answers(slot)
            {
                add(seed_index, UnusedReason::LaterStep);
            }
        }
        let wildcard = tried.iter().find(|tried| tried.step == LookupStep::Wildcard);
        let is_reached =
            |step: &StepResult| matches!(step.outcome, StepOutcome::Answers | StepOutcome::Empty);
        if wildcard.is_some_and(is_reached) {
            self.fits(question).for_each(|slot| add(slot.last(), UnusedReason::InsertedLater));
        }
        unused.sort_by_key(|unused_seed| unused_seed.seed);
        unused
    }

    fn alternatives(&self, question: &SeedRequest) -> Vec<AlternativeSeed> {
        let (mut rounds, mut jobs) = (Vec::new(), Vec::new());
        for slot in self.slots().iter().filter(|slot| self.answers(slot)) {
            let at = slot.last();
            let Some(key) = self.seed(at).key.trace() else { continue };
            let is = |part: &SeedValue<Arc<str>>, requested: Option<&str>| {
                requested.is_some() && part.known().map(|part| &**part) == requested
            };
            if !is(&key.schema, question.schema()) || !is(&key.model, Some(&question.model)) {
                continue;
            }
            let same_job = is(&key.job, question.job());
            match (&key.job, &key.round) {
                (_, SeedValue::Known(round)) if same_job && *round != question.round => {
                    rounds.push(AlternativeSeed::Round(*round, at));
                }
                (SeedValue::Known(job), SeedValue::Known(round))
                    if !same_job && *round == question.round =>
                {
                    jobs.push(AlternativeSeed::Job(Arc::clone(job), at));
                }
                _ => {}
            }
        }
        rounds.extend(jobs);
        rounds
    }
}

fn fixture(question: &SeedRequest) -> StepResult {
    let schema = fixture_schema(question);
    let is_there = FIXTURES.contains(&schema);
    let remark = if !is_there {
        Some("The provider has no fixture for it and throws an error".to_owned())
    } else {
        (schema == GENERIC_SCHEMA && question.schema().is_none())
            .then(|| "The generic fixture: the call has no schema".to_owned())
    };
    StepResult {
        step: LookupStep::Fixture,
        outcome: if is_there { StepOutcome::Answers } else { StepOutcome::NotSeeded },
        key: Some(schema.to_owned()),
        finds: None,
        remark,
    }
}

fn seeds(count: usize) -> String {
    if count == 1 { "1 seed".to_owned() } else { format!("the first of {count} seeds") }
}

#[cfg(test)]
mod tests;
