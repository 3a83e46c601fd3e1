//! `--shard`: the report of a part carries what `merge-reports` needs to judge all parts together.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::report::{CheckReport, Outcome};
use crate::cli::ReadFiles;
use crate::cli::read_files::is_unread;
use crate::engine::Shard;
use crate::format::cassette::CassetteClient;
use crate::format::foreign::{Foreign, ForeignFormat};
use crate::format::{FileKind, Problem, ProblemCalls, RuleId, Severity};
use crate::ops::cassette_config::{CassetteFacts, ConfigOrigin, ConfigTexts};
use crate::ops::check::{RuleLevel, SeedFact, ambiguous_settings_of, seed_facts};
use crate::ops::file_part::FilePart;
use crate::ops::{Item, ItemFacts};
use crate::text::{Place, Span};

/// What `retake merge-reports` needs of one part of a check. Not meant for other programs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct ShardReport {
    /// The number of the part, from 1.
    pub(super) number: usize,
    /// How many parts there are.
    pub(super) count: usize,
    /// The version of Retake, which must be the same for all parts.
    pub(super) version: String,
    /// A hash of paths and settings, which must be the same for all parts.
    pub(super) settings: String,
    /// A hash of the listed paths, which must be the same for all parts.
    pub(super) tree: String,
    /// Whether every path could be opened and read.
    pub(super) is_complete: bool,
    /// How many files were examined.
    pub(super) examined: usize,
    /// Number of `files` that are only places of findings, such as a test.
    #[serde(default)]
    pub(super) inserted: usize,
    pub(super) elapsed_ms: u64,
    /// Whether a recording of this part names its source.
    pub(super) any_stamped: bool,
    /// The project roots.
    pub(super) roots: Vec<String>,
    /// The folders with files that tests play.
    pub(super) fixtures: Vec<String>,
    pub(super) files: Vec<ShardFile>,
}

/// A file of a part.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct ShardFile {
    /// Its position in the listing of all parts.
    pub(super) order: u64,
    pub(super) path: String,
    /// The path from the project root.
    pub(super) root_path: String,
    /// The position of the root in `roots`.
    pub(super) root: Option<usize>,
    /// The lowest level that fails.
    pub(super) fail_on: String,
    /// Whether it is listed only if it is below a folder of fixtures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_candidate: bool,
    /// Whether links lead to chunks of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_tape: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) problems: Vec<ShardProblem>,
    /// Problems in place of those of `source-unstamped`, if a recording of another part names its source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) if_stamped: Vec<ShardProblem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seeds: Option<ShardSeeds>,
    /// The program that plays a cassette with calls that cannot be distinguished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    player: Option<ShardPlayer>,
    /// The format of another tool's file with calls that are not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

/// A program that plays a cassette, and what it is set to compare.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct ShardPlayer {
    client: String,
    /// Null if nothing is set, or if it cannot be read.
    #[serde(default)]
    matchers: Option<Vec<String>>,
    /// The file and the line where that is set.
    #[serde(default)]
    set_at: Option<(String, u32)>,
}

/// A problem of a file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct ShardProblem {
    rule: String,
    severity: String,
    line: u32,
    column: u32,
    pointer: String,
    message: String,
    /// The help of the problem itself; null for that of its rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// The number of the call that it is in, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<usize>,
    /// A hash of that call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call_hash: Option<NonZeroU32>,
    /// A matcher that would distinguish its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settled_by: Option<String>,
}

/// The seeds of a file, to compare them with those of other parts.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct ShardSeeds {
    /// The level of a warning of the rule; null if it is off.
    pub(super) warning: Option<String>,
    /// The level of a note of the rule; null if it is off.
    pub(super) note: Option<String>,
    keys: Vec<ShardSeed>,
}

/// A seed: the hash of its key, the key as messages show it, and its place.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct ShardSeed {
    hash: String,
    key: String,
    pointer: String,
    line: u32,
    column: u32,
}

/// Parses the value of `--shard`: a number and how many there are, from 1, such as 2/3.
pub(super) fn parse_shard(value: &str) -> Result<Shard, String> {
    let parsed = value.split_once('/').and_then(|(number, count)| {
        let (number, count) = (number.parse().ok()?, count.parse().ok()?);
        (1 <= number && number <= count).then_some(Shard { number, count })
    });
    parsed.ok_or_else(|| "expected a number and how many there are, such as 1/3 or 3/3".to_owned())
}

impl ShardReport {
    /// Makes the report of a part, and removes from what was read the files that other parts decide about.
    pub(super) fn take(read: &mut ReadFiles, shard: Shard) -> Self {
        let part = read.part.take().unwrap_or_default();
        let candidates: HashSet<usize> = part.candidates.iter().copied().collect();
        let mut if_stamped: HashMap<usize, Vec<ShardProblem>> = HashMap::new();
        for (number, problem) in &part.if_stamped {
            let problems = if_stamped.entry(*number).or_default();
            problems.push(ShardProblem::new(problem, None));
        }
        let mut roots: Vec<String> = Vec::new();
        let mut files = Vec::with_capacity(read.items.len());
        for (number, item) in read.numbered() {
            let root = read.project.root_above(number).map(|root| {
                let root = root.to_string_lossy().into_owned();
                let known = roots.iter().position(|known| *known == root);
                known.unwrap_or_else(|| {
                    roots.push(root);
                    roots.len() - 1
                })
            });
            let level = |found| {
                let level = read.project.level_of(number, RuleId::SeedKeyReused, found);
                level.map(|level| level.to_string())
            };
            let keys: Vec<ShardSeed> = seed_facts(item).into_iter().map(ShardSeed::new).collect();
            files.push(ShardFile {
                order: read.order.get(number).copied().unwrap_or_default(),
                path: item.path.to_string(),
                root_path: item.root_path.to_string(),
                root,
                fail_on: read.project.fail_on(number).to_string(),
                is_candidate: candidates.contains(&number),
                problems: (item.problems.iter())
                    .map(|problem| ShardProblem::new(problem, Some(&**item)))
                    .collect(),
                is_tape: item.kind == FileKind::Tape,
                if_stamped: if_stamped.remove(&number).unwrap_or_default(),
                seeds: (!keys.is_empty()).then(|| ShardSeeds {
                    warning: level(Severity::Warning),
                    note: level(Severity::Note),
                    keys,
                }),
                player: ShardPlayer::new(item),
                unread: (item.foreign.filter(|_| is_unread(item)))
                    .map(|foreign| foreign.format.as_str().to_owned()),
            });
        }
        let rows = read.items.drain(..).zip(read.numbers.drain(..));
        let kept: Vec<_> = rows.filter(|(_, number)| !candidates.contains(number)).collect();
        (read.items, read.numbers) = kept.into_iter().unzip();
        let summary = CheckReport::new(read).summary;
        Self {
            number: shard.number,
            count: shard.count,
            version: crate::version().to_owned(),
            settings: read.project.settings_hash(),
            tree: part.tree,
            is_complete: CheckReport::new(read).outcome == Outcome::Complete,
            examined: summary.files,
            inserted: read.inserted,
            elapsed_ms: summary.elapsed_ms,
            any_stamped: part.any_stamped,
            roots,
            fixtures: part.fixtures,
            files,
        }
    }

    /// Returns the root of a file.
    pub(super) fn root(&self, file: &ShardFile) -> Option<&Path> {
        let root = self.roots.get(file.root?)?;
        Some(Path::new(root))
    }
}

impl ShardFile {
    /// Returns the file as an item with its problems; `None` if it was written by another version.
    pub(super) fn item(&self, has_stamped: bool) -> Option<Item> {
        let mut problems = Vec::with_capacity(self.problems.len());
        for problem in &self.problems {
            let problem = problem.problem()?;
            if !has_stamped || problem.rule != RuleId::SourceUnstamped {
                problems.push(problem);
            }
        }
        if has_stamped {
            for problem in &self.if_stamped {
                problems.push(problem.problem()?);
            }
        }
        let kind = if self.is_tape { FileKind::Tape } else { FileKind::Unknown };
        let foreign = match &self.unread {
            None => None,
            Some(name) => {
                let mut formats = ForeignFormat::ALL.into_iter();
                Some(Foreign {
                    format: formats.find(|format| format.as_str() == name)?,
                    entries: None,
                    client: None,
                })
            }
        };
        Some(
            Item::from(ItemFacts {
                root_path: self.root_path.as_str().into(),
                kind,
                foreign,
                ..ItemFacts::new(&self.path)
            })
            .with_cassette(self.player.as_ref().and_then(ShardPlayer::facts))
            .with_problems(problems),
        )
    }
}

impl ShardPlayer {
    fn new(item: &Item) -> Option<Self> {
        ambiguous_settings_of(item)?;
        let set = item.cassette.as_ref().and_then(|it| it.match_on.as_ref());
        let matchers = set.and_then(|set| set.texts.as_ref());
        Some(Self {
            client: item.client()?.as_str().to_owned(),
            matchers: matchers.map(|it| it.iter().map(|name| name.to_string()).collect()),
            set_at: set.map(|set| (set.origin.path.to_string(), set.origin.line)),
        })
    }

    /// Returns what is configured about the cassette; `None` if another version wrote it.
    fn facts(&self) -> Option<CassetteFacts> {
        let mut clients = CassetteClient::ALL.into_iter();
        let client = clients.find(|client| client.as_str() == self.client)?;
        let origin =
            |(path, line): &(String, u32)| ConfigOrigin { path: path.as_str().into(), line: *line };
        let origin = self.set_at.as_ref().map(origin);
        let matchers = self.matchers.as_ref();
        let texts = matchers.map(|it| it.iter().map(|name| name.as_str().into()).collect());
        Some(CassetteFacts {
            match_on: origin.clone().map(|origin| ConfigTexts {
                key: "match_on".into(),
                texts,
                origin,
            }),
            client: Some((client, origin.unwrap_or_default())),
            ..CassetteFacts::default()
        })
    }
}

impl ShardProblem {
    fn new(problem: &Problem, item: Option<&Item>) -> Self {
        let part = item.map(|item| FilePart::of_problem(item, problem));
        Self {
            rule: problem.rule.to_string(),
            severity: problem.severity.to_string(),
            line: problem.place.line,
            column: problem.place.column,
            pointer: problem.pointer.to_string(),
            message: problem.message.to_string(),
            help: problem.help.as_deref().map(str::to_owned),
            call: match part {
                Some(FilePart::Call(call)) => Some(call),
                _ => None,
            },
            call_hash: problem.call_hash,
            settled_by: (problem.calls.as_ref())
                .and_then(|calls| Some(calls.settled_by.as_deref()?.to_owned())),
        }
    }

    fn problem(&self) -> Option<Problem> {
        Some(Problem {
            rule: self.rule.parse().ok()?,
            severity: level(&self.severity)?,
            span: Span::default(),
            place: Place { line: self.line, column: self.column },
            pointer: self.pointer.as_str().into(),
            message: self.message.as_str().into(),
            help: self.help.as_deref().map(Into::into),
            calls: self.call.map(|call| {
                Box::new(ProblemCalls {
                    numbers: [call.saturating_sub(1)].into(),
                    settled_by: self.settled_by.as_deref().map(Into::into),
                    ..ProblemCalls::default()
                })
            }),
            call_hash: self.call_hash,
        })
    }
}

impl ShardSeeds {
    pub(super) fn facts(&self) -> Vec<SeedFact> {
        let facts = self.keys.iter().map(|seed| SeedFact {
            key: seed.hash.clone(),
            shown: seed.key.clone(),
            pointer: seed.pointer.clone(),
            place: Place { line: seed.line, column: seed.column },
        });
        facts.collect()
    }

    /// Returns the level of a problem that the rule reports as `found`.
    pub(super) fn level_of(&self, found: Severity) -> Option<Severity> {
        let word = match found {
            Severity::Note => self.note.as_deref(),
            _ => self.warning.as_deref(),
        };
        level(word?)
    }
}

impl ShardSeed {
    fn new(fact: SeedFact) -> Self {
        Self {
            hash: fact.key,
            key: fact.shown,
            pointer: fact.pointer,
            line: fact.place.line,
            column: fact.place.column,
        }
    }
}

/// Returns the level with this name.
pub(super) fn level(word: &str) -> Option<Severity> {
    match word.parse() {
        Ok(RuleLevel::At(severity)) => Some(severity),
        Ok(RuleLevel::Off) | Err(_) => None,
    }
}
