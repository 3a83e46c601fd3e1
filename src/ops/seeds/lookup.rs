//! Lookup as the provider does it.

use std::sync::Arc;

use super::answer::{Answer, Left, LeftWhy, Mode, Outcome, Question, Step, Tried, Would};
use super::hash::user_text_hash;
use super::memory::{At, Memory, Slot};
use super::seed::Said;

/// The schemas for which the provider has an answer built in.
const FIXTURES: [&str; 4] = [
    "intent_parse",
    "copy_proposal",
    "critique",
    "decision_collapse",
];

/// The fixture that answers when nothing is seeded: of the schema, or of the step where no schema is given.
pub fn fixture_of<'a>(schema: Option<&'a str>, step: Option<&'a str>) -> Option<&'a str> {
    let wanted = schema.or(step)?;
    let wanted = match wanted {
        "generate_candidates" if schema.is_none() => "copy_proposal",
        _ => wanted,
    };
    FIXTURES.contains(&wanted).then_some(wanted)
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
        let left = self.left(question, step, seed, &tried);
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
        let remark = match (&pattern, question.mode, fitting) {
            (None, ..) => question.lacks().to_owned(),
            (_, Mode::Live, 0) => "Only in test mode".to_owned(),
            (_, Mode::Live, _) => {
                format!("Only in test mode, where {} would answer", seeds(fitting))
            }
            (_, Mode::Test, 0) => "No key begins and ends so".to_owned(),
            (_, Mode::Test, 1) => "The only seed that fits".to_owned(),
            (_, Mode::Test, _) => format!("First inserted of {fitting} that fit"),
        };
        Tried {
            step: Step::Wildcard,
            outcome: match (question.mode, first) {
                _ if pattern.is_none() => Outcome::NotAsked,
                (Mode::Live, _) => Outcome::NotAsked,
                (Mode::Test, Some(_)) => Outcome::Answers,
                (Mode::Test, None) => Outcome::NotSeeded,
            },
            key: pattern,
            finds: first.map(Slot::last),
            remark: Some(remark),
        }
    }

    /// What the wildcard fits, in the order in which it looks.
    fn fits(&self, question: &Question) -> impl Iterator<Item = &Slot> {
        let ends = question
            .job
            .as_ref()
            .and(question.schema.as_ref())
            .map(|schema| {
                (
                    format!("{schema}:{}:", question.model),
                    format!(":{}", question.round),
                )
            });
        let slots = self.slots().iter().filter(move |slot| {
            let fits = |(prefix, suffix): &(String, String)| {
                slot.key.starts_with(prefix.as_str()) && slot.key.ends_with(suffix.as_str())
            };
            ends.as_ref().is_some_and(fits)
        });
        slots.filter(|slot| self.answers(slot))
    }

    fn hashed(&self, question: &Question) -> Tried {
        let step = question.step.as_deref().unwrap_or("unknown");
        let key = question
            .user_text
            .as_deref()
            .map(|text| format!("{step}:{}:{}", question.model, user_text_hash(text)));
        let slot = key.as_deref().and_then(|key| self.slot(key));
        let remark = match (&key, slot) {
            (None, _) => Some("The user text is not given".to_owned()),
            (Some(_), None) => Some(format!("Nothing for step {step}")),
            (Some(_), Some(_)) => None,
        };
        Tried {
            step: Step::Hash,
            outcome: match slot {
                _ if key.is_none() => Outcome::NotAsked,
                Some(slot) if self.answers(slot) => Outcome::Answers,
                Some(_) => Outcome::Empty,
                None => Outcome::NotSeeded,
            },
            key,
            finds: slot.map(Slot::last),
            remark,
        }
    }

    fn left(
        &self,
        question: &Question,
        step: Option<Step>,
        answering: Option<At>,
        tried: &[Tried],
    ) -> Vec<Left> {
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
            let is_asked = Some(found) == answering || is_empty;
            let slot = self.seed(found).key.text();
            let Some(slot) = slot.as_deref().and_then(|key| self.slot(key)) else {
                continue;
            };
            if is_asked {
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
        if step == Some(Step::Wildcard) {
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
            let is = |part: &Said<Arc<str>>, asked: Option<&str>| {
                asked.is_some_and(|asked| part.known().is_some_and(|part| **part == *asked))
            };
            if !is(&key.schema, question.schema.as_deref())
                || !is(&key.model, Some(&question.model))
            {
                continue;
            }
            let same_job = is(&key.job, question.job.as_deref());
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
    let fixture = fixture_of(question.schema.as_deref(), question.step.as_deref());
    Tried {
        step: Step::Fixture,
        outcome: match fixture {
            Some(_) => Outcome::Answers,
            None => Outcome::NotSeeded,
        },
        key: fixture.map(str::to_owned),
        finds: None,
        remark: fixture
            .is_none()
            .then(|| "The provider has none for this schema".to_owned()),
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
