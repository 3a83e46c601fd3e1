//! Lookup as the provider does it.

use std::sync::Arc;

use super::answer::{Answer, Left, LeftWhy, Mode, Outcome, Question, Step, Tried, Would};
use super::hash::user_text_hash;
use super::memory::{At, Memory, Slot};
use super::seed::Said;

/// The schemas for which the provider has an answer built in; `v2` is for calls that name neither schema nor step.
pub const FIXTURES: [&str; 5] = [
    "intent_parse",
    "copy_proposal",
    "critique",
    "decision_collapse",
    GENERIC,
];

const GENERIC: &str = "v2";

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
fn fixture_schema(question: &Question) -> &str {
    const IN_JOB: [(&str, &str); 6] = [
        ("test:test:1", "decision_collapse"),
        ("intent_parse", "intent_parse"),
        ("generate_candidates", "copy_proposal"),
        ("copy_proposal", "copy_proposal"),
        ("critique", "critique"),
        ("decision_collapse", "decision_collapse"),
    ];
    let of_job = || {
        let job = question.job()?;
        let mut known = IN_JOB.into_iter();
        known.find_map(|(part, schema)| job.contains(part).then_some(schema))
    };
    question
        .schema()
        .or_else(|| question.step().map(schema_of_step))
        .or_else(of_job)
        .unwrap_or(GENERIC)
}

impl Memory {
    /// Looks for what answers a call.
    pub fn lookup(&self, question: &Question) -> Answer {
        let mut tried = vec![
            self.exact(question),
            self.wildcard(question),
            self.hashed(question),
            fixture(question),
        ];
        let has_answer = |tried: &Tried| tried.outcome == Outcome::Answers;
        let first = tried.iter().position(has_answer);
        for later in tried
            .iter_mut()
            .skip(first.map_or(usize::MAX, |first| first + 1))
        {
            later.outcome = Outcome::NotReached;
        }
        let answering = first.map(|first| &tried[first]);
        let step = answering.map(|tried| tried.step);
        let seed = answering.and_then(|tried| tried.finds);
        let key = match seed {
            Some(seed) => self.seed(seed).key.text().map(Arc::from),
            None => answering
                .and_then(|tried| tried.key.as_deref())
                .map(Arc::from),
        };
        let left = self.left(question, seed, &tried);
        let would = match step {
            Some(Step::Exact) => Vec::new(),
            _ => self.would(question),
        };
        Answer {
            step,
            key,
            seed,
            tried,
            left,
            would,
        }
    }

    fn exact(&self, question: &Question) -> Tried {
        let key = question.key();
        let slot = key.as_deref().and_then(|key| self.slot(key));
        Tried {
            step: Step::Exact,
            outcome: match slot {
                _ if key.is_none() => Outcome::NotAsked,
                Some(slot) if self.answers(slot) => Outcome::Answers,
                Some(_) => Outcome::Empty,
                None => Outcome::NotSeeded,
            },
            remark: key.is_none().then(|| question.lacks().to_owned()),
            key,
            finds: slot.map(Slot::last),
        }
    }

    fn wildcard(&self, question: &Question) -> Tried {
        let pattern = question.pattern();
        let mut fits = self.fits(question);
        let first = fits.next();
        let fitting = usize::from(first.is_some()) + fits.count();
        let is_empty = first.is_some_and(|slot| !self.answers(slot));
        let remark = match (&pattern, question.mode, fitting) {
            (None, ..) => question.lacks().to_owned(),
            (_, Mode::Live, 0) => "Only in test mode".to_owned(),
            (_, Mode::Live, _) if is_empty => {
                "Only in test mode, where the first matching seed is empty".to_owned()
            }
            (_, Mode::Live, _) => {
                format!("Only in test mode, where {} would answer", seeds(fitting))
            }
            (_, Mode::Test, 0) => "No key has this beginning and end".to_owned(),
            (_, Mode::Test, 1) => "The only matching seed".to_owned(),
            (_, Mode::Test, _) if is_empty => {
                format!("First inserted of {fitting} matching seeds; the others are not tried")
            }
            (_, Mode::Test, _) => format!("First inserted of {fitting} matching seeds"),
        };
        Tried {
            step: Step::Wildcard,
            outcome: match (question.mode, first) {
                _ if pattern.is_none() => Outcome::NotAsked,
                (Mode::Live, _) => Outcome::NotAsked,
                (Mode::Test, Some(_)) if is_empty => Outcome::Empty,
                (Mode::Test, Some(_)) => Outcome::Answers,
                (Mode::Test, None) => Outcome::NotSeeded,
            },
            key: pattern,
            finds: first.map(Slot::last),
            remark: Some(remark),
        }
    }

    /// Returns what the wildcard fits, in insertion order. The provider takes the first one, even when its response is empty.
    fn fits(&self, question: &Question) -> impl Iterator<Item = &Slot> {
        let ends = question.job().and(question.schema()).map(|schema| {
            (
                format!("{schema}:{}:", question.model),
                format!(":{}", question.round),
            )
        });
        self.slots().iter().filter(move |slot| {
            let fits = |(prefix, suffix): &(String, String)| {
                slot.key.starts_with(prefix.as_str()) && slot.key.ends_with(suffix.as_str())
            };
            ends.as_ref().is_some_and(fits)
        })
    }

    fn hashed(&self, question: &Question) -> Tried {
        let step = question.step().unwrap_or("unknown");
        let text = question.user_text.as_deref();
        let prefix = format!("{step}:{}:", question.model);
        let key = format!("{prefix}{}", user_text_hash(text.unwrap_or_default()));
        let slot = self.slot(&key);
        let others = || {
            let is_other = |slot: &&Slot| {
                let seed = self.seed(slot.last());
                seed.key.trace().is_none() && slot.key.starts_with(&prefix) && *slot.key != *key
            };
            self.slots().iter().filter(is_other).count()
        };
        let remark = match (text, slot) {
            (None, _) => Some(match others() {
                0 => "No user text given, so the empty text is hashed".to_owned(),
                1 => "No user text given, so the empty text is hashed; 1 seed has another hash"
                    .to_owned(),
                many => format!(
                    "No user text given, so the empty text is hashed; {many} seeds have another hash"
                ),
            }),
            (Some(_), None) => Some(format!("No seed for step {step}")),
            (Some(_), Some(_)) => None,
        };
        Tried {
            step: Step::Hash,
            outcome: match slot {
                Some(slot) if self.answers(slot) => Outcome::Answers,
                Some(_) => Outcome::Empty,
                None => Outcome::NotSeeded,
            },
            key: Some(key),
            finds: slot.map(Slot::last),
            remark,
        }
    }

    fn left(&self, question: &Question, answering: Option<At>, tried: &[Tried]) -> Vec<Left> {
        let mut left = Vec::new();
        let mut add = |seed: At, why| {
            let is_new =
                Some(seed) != answering && left.iter().all(|left: &Left| left.seed != seed);
            if is_new {
                left.push(Left { seed, why });
            }
        };
        let found = tried.iter().filter_map(|tried| Some((tried, tried.finds?)));
        for (tried, found) in found {
            let is_empty = tried.outcome == Outcome::Empty;
            let applies = Some(found) == answering || is_empty;
            let slot = self.seed(found).key.text();
            let Some(slot) = slot.as_deref().and_then(|key| self.slot(key)) else {
                continue;
            };
            if applies {
                let earlier = slot.seeded.iter().rev().skip(1).rev();
                earlier.for_each(|seed| add(*seed, LeftWhy::SeededAgain));
            }
            if is_empty {
                add(found, LeftWhy::Empty);
            }
            if tried.step == Step::Hash
                && tried.outcome == Outcome::NotReached
                && self.answers(slot)
            {
                add(found, LeftWhy::LaterStep);
            }
        }
        let wildcard = tried.iter().find(|tried| tried.step == Step::Wildcard);
        if wildcard.is_some_and(|it| matches!(it.outcome, Outcome::Answers | Outcome::Empty)) {
            self.fits(question)
                .for_each(|slot| add(slot.last(), LeftWhy::InsertedLater));
        }
        left.sort_by_key(|left| left.seed);
        left
    }

    fn would(&self, question: &Question) -> Vec<Would> {
        let (mut rounds, mut jobs) = (Vec::new(), Vec::new());
        for slot in self.slots().iter().filter(|slot| self.answers(slot)) {
            let at = slot.last();
            let Some(key) = self.seed(at).key.trace() else {
                continue;
            };
            let is = |part: &Said<Arc<str>>, requested: Option<&str>| {
                requested
                    .is_some_and(|requested| part.known().is_some_and(|part| **part == *requested))
            };
            if !is(&key.schema, question.schema()) || !is(&key.model, Some(&question.model)) {
                continue;
            }
            let same_job = is(&key.job, question.job());
            match (&key.job, &key.round) {
                (_, Said::Is(round)) if same_job && *round != question.round => {
                    rounds.push(Would::Round(*round, at));
                }
                (Said::Is(job), Said::Is(round)) if !same_job && *round == question.round => {
                    jobs.push(Would::Job(Arc::clone(job), at));
                }
                _ => {}
            }
        }
        rounds.extend(jobs);
        rounds
    }
}

fn fixture(question: &Question) -> Tried {
    let schema = fixture_schema(question);
    let is_there = FIXTURES.contains(&schema);
    let remark = if !is_there {
        Some("The provider has no fixture for it and throws an error".to_owned())
    } else {
        (schema == GENERIC && question.schema().is_none())
            .then(|| "The generic fixture: the call has no schema".to_owned())
    };
    Tried {
        step: Step::Fixture,
        outcome: if is_there {
            Outcome::Answers
        } else {
            Outcome::NotSeeded
        },
        key: Some(schema.to_owned()),
        finds: None,
        remark,
    }
}

fn seeds(count: usize) -> String {
    match count {
        1 => "1 seed".to_owned(),
        _ => format!("the first of {count} seeds"),
    }
}

#[cfg(test)]
mod tests;
