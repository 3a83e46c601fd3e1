//! Data of the seeds desk, built from the workbench.

use std::collections::BTreeSet;

use author::seeds::{
    AlternativeSeed, FIXTURES, LookupStep, Memory, ProviderMode, SeedAnswer, SeedIndex,
    SeedRequest, SeedValue, UnusedReason,
};
use document::json::{self, JsonLayout};
use document::text::{Source, upper_first, visible, visible_lines};
use document::{Node, NodeKind};
use protocol::{DocId, LoadedSeeds, SeedId};
use workbench::{SeedsDesk, Workbench};

/// Maximum number of seeds in a list; the others are only counted.
const MAX_LISTED_SEEDS: usize = 8;

/// Data that is rebuilt when the desk changes.
#[derive(Debug, Default)]
pub struct SeedsData {
    built: Option<(u64, u64)>,
    /// The schemas to choose from.
    pub schemas: Vec<String>,
    /// The files to which seeds can be added, each with its path.
    pub files: Vec<(DocId, String)>,
    /// The answer; `None` if no call is looked up.
    pub answer: Option<AnswerData>,
}

/// The answer of a call.
#[derive(Debug)]
pub struct AnswerData {
    pub step: Option<LookupStep>,
    /// A warning about the answer, as a sentence; empty if there is none.
    pub warning: String,
    pub response: Option<ResponseData>,
    /// Seeds that nearly match.
    pub candidates: Vec<SeedLine>,
    /// Seeds that would match exactly if the call had another job or round.
    pub exact_matches: Vec<SeedLine>,
    /// Numbers of further seeds: that nearly match, and that would match exactly.
    pub more: (usize, usize),
    /// Whether a seed for the call could be created from the response.
    pub can_seed: bool,
}

#[derive(Debug)]
pub struct ResponseData {
    pub seed: Option<SeedId>,
    /// Its origin, such as a job.
    pub origin: String,
    /// Its position, such as `tests/refund.seeds.json, line 28`.
    pub place: String,
    /// Its members, each with its name; empty if it is not an object.
    pub fields: Vec<(String, String)>,
    /// Its text, formatted if it is JSON.
    pub text: String,
}

/// A seed in a list.
#[derive(Debug)]
pub struct SeedLine {
    pub seed: Option<SeedId>,
    /// The data: a key, a job, a round.
    pub title: String,
    /// Reason why it is not used.
    pub detail: String,
}

impl SeedsData {
    /// Synchronizes with the workbench.
    pub fn update(&mut self, workbench: &Workbench) {
        let desk = &workbench.seeds;
        let key = (desk.revision, workbench.core.library.items_revision);
        if self.built == Some(key) {
            return;
        }
        self.built = Some(key);
        let Some(seeds) = desk.loaded.value.as_ref() else {
            // Seeds of a closed folder must not be offered; the key stays, so that this is done once.
            *self = Self { built: self.built, ..Self::default() };
            return;
        };
        self.schemas = schemas(seeds);
        let library = &workbench.core.library;
        let files = seeds
            .docs()
            .filter_map(|doc| Some((doc, library.get(doc)?)))
            // Seeds in test code are only read: there is no safe place to write one.
            .filter(|(_, item)| item.path.ends_with(".json"));
        self.files = files
            .map(|(doc, item)| (doc, library.shown_path(item.root_path()).to_owned()))
            .collect();
        let answer = desk.answer.as_ref();
        self.answer = answer.map(|answer| AnswerData::new(desk, seeds, answer));
        let answer = self.answer.as_mut();
        if let Some(response) = answer.and_then(|answer| answer.response.as_mut()) {
            // Only the library knows how much of a path the opened folder implies.
            response.place = library.shown_path(&response.place).to_owned();
        }
    }
}

/// Returns every schema with a seed or a fixture, in alphabetical order.
fn schemas(seeds: &LoadedSeeds) -> Vec<String> {
    let seeds = seeds.memory.files().iter().flat_map(|file| file.seeds.iter());
    let used_schemas = seeds.filter_map(|seed| seed.key.trace()?.schema.known());
    let mut names: BTreeSet<String> = used_schemas.map(|schema| schema.to_string()).collect();
    // The provider answers these without any seed.
    names.extend(FIXTURES.map(str::to_owned));
    names.into_iter().collect()
}

impl AnswerData {
    fn new(desk: &SeedsDesk, seeds: &LoadedSeeds, answer: &SeedAnswer) -> Self {
        let memory = &seeds.memory;
        let question = &desk.question;
        let more = |count: usize| count.saturating_sub(MAX_LISTED_SEEDS);
        let candidates = answer.unused.iter().take(MAX_LISTED_SEEDS).map(|entry| SeedLine {
            seed: seeds.id(entry.seed),
            title: memory.seed(entry.seed).key.to_string(),
            detail: why_unused(memory, entry.seed, entry.why),
        });
        let matches = answer.alternatives.iter().take(MAX_LISTED_SEEDS).map(|alternative| {
            let (title, detail) = match alternative {
                AlternativeSeed::Round(round, _) => (format!("round {round}"), "same job"),
                AlternativeSeed::Job(job, _) => (format!("job {job}"), "same round"),
            };
            SeedLine { seed: seeds.id(alternative.seed()), title, detail: detail.to_owned() }
        });
        let response = answer.seed.map(|index| ResponseData::new(seeds, index));
        Self {
            step: answer.step,
            warning: warning(memory, question, answer),
            // With an exact key the new seed would have the key of the old one.
            can_seed: question.key().is_some() && answer.step != Some(LookupStep::Exact),
            response,
            candidates: candidates.collect(),
            exact_matches: matches.collect(),
            more: (more(answer.unused.len()), more(answer.alternatives.len())),
        }
    }
}

/// Returns why a seed is not used, or its position if several have the same key.
fn why_unused(memory: &Memory, index: SeedIndex, why: UnusedReason) -> String {
    let line = memory.seed(index).mark.place.line;
    match why {
        // Their keys are equal, so only the line distinguishes them.
        UnusedReason::SeededAgain => format!("line {line}, seeded again later; the last seed wins"),
        _ => why.description().to_owned(),
    }
}

/// Returns the warning about an answer that is not from the exact key.
fn warning(memory: &Memory, question: &SeedRequest, answer: &SeedAnswer) -> String {
    match answer.step {
        Some(LookupStep::Exact) => String::new(),
        Some(LookupStep::Wildcard) => {
            // Looked up a second time, since the wildcard is for tests only and production would do something else.
            let live = SeedRequest {
                mode: ProviderMode::Live,
                ..question.clone()
            };
            let live_answer = match memory.lookup(&live).step {
                Some(LookupStep::Hash) => "a deprecated seed",
                Some(_) => "the built-in fixture",
                None => "nothing",
            };
            format!("The answer is from another job. Outside test mode this call gets {live_answer}.")
        }
        Some(LookupStep::Hash) => {
            "The answer is from a deprecated key: when the user text changes, the key no longer matches.".to_owned()
        }
        Some(LookupStep::Fixture) => {
            "No seed for this call, so the provider's built-in fixture answers.".to_owned()
        }
        None => "No answer for this call: the provider throws an error.".to_owned(),
    }
}

impl ResponseData {
    fn new(seeds: &LoadedSeeds, index: SeedIndex) -> Self {
        let (memory, seed) = (&seeds.memory, seeds.memory.seed(index));
        let origin = match seed.key.trace() {
            Some(key) => format!("from {}", visible(&key.job.to_string())),
            None => "by hash".to_owned(),
        };
        let place = format!("{}, line {}", visible(memory.path(index)), seed.mark.place.line);
        let (fields, text) = match &seed.response {
            SeedValue::Known(response) => read_response(response),
            // Test code may build the response, and is not run.
            code => (Vec::new(), format!("Value known only at run time: {code}")),
        };
        Self { seed: seeds.id(index), origin, place, fields, text }
    }
}

/// Returns the members of an object as text, and the whole text, formatted if it is JSON.
fn read_response(response: &str) -> (Vec<(String, String)>, String) {
    /// A longer list of members is not readable.
    const MAX_FIELDS: usize = 40;
    let (tree, problems) = json::parse(&Source::new(response));
    // The parser returns what it understood; a part of an answer would look like all of it.
    let is_broken = problems.iter().any(|problem| problem.rule.hides_content());
    let Some(root) = tree.root().filter(|_| !is_broken) else {
        return (Vec::new(), visible_lines(response));
    };
    let text = visible_lines(&json::write(root, JsonLayout::PRETTY));
    let members = root.items().take(MAX_FIELDS).filter(|_| root.kind() == NodeKind::Object);
    let fields = members.map(|member| {
        // Names are labels here; the other view has them as written.
        let name = member.key().unwrap_or_default().replace('_', " ");
        (upper_first(&visible(&name)), describe_value(member))
    });
    (fields.collect(), text)
}

fn describe_value(node: Node<'_>) -> String {
    match node.kind() {
        NodeKind::Array => {
            let parts: Vec<String> = node.items().map(describe_value).collect();
            // Sentences are hard to distinguish in one line.
            if parts.iter().any(|part| part.len() > 24) {
                parts.iter().map(|part| format!("• {part}")).collect::<Vec<_>>().join("\n")
            } else {
                parts.join(", ")
            }
        }
        NodeKind::Object => {
            let member = |part: Node<'_>| {
                format!("{}: {}", part.key().unwrap_or_default(), describe_value(part))
            };
            let parts: Vec<String> = node.items().map(member).collect();
            parts.join("; ")
        }
        _ => visible_lines(node.scalar_text().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_shown_as_fields_and_as_formatted_json() {
        let (fields, text) =
            read_response(r#"{"score":0.81,"why_not":["short"],"a":{"b":null},"list":[]}"#);
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(fields, ["Score=0.81", "Why not=short", "A=b: null", "List="]);
        insta::assert_snapshot!(text, @r#"
        {
          "score": 0.81,
          "why_not": [
            "short"
          ],
          "a": {
            "b": null
          },
          "list": []
        }
        "#);
        assert_eq!(read_response("{ half"), (Vec::new(), "{ half".to_owned()));
        assert_eq!(read_response("\"text\""), (Vec::new(), "\"text\"".to_owned()));
    }
}
