//! `retake lookup`: shows which seed answers a call, at which step, and which seeds it shadows.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, ScanOptions};
use super::output::{Output, OutputStyle, shown};
use super::{
    CommandError, CommandResult, CommandVerdict, read_everything, report_error, seeds, write,
};
use author::seeds::{
    AlternativeSeed, Memory, ProviderMode, SeedAnswer, SeedIndex, SeedRequest, SeedValue,
    StepOutcome, StepResult,
};
use document::Severity;
use engine::SourceLookup;

/// Show which seed answers a call of the memory provider, and why.
///
/// Seeds are read from `*.seeds.json` and from literal calls of seedMemoryTraceResponse and seedMemoryResponse in test code,
/// in the order of the paths. The lookup takes the same steps as the provider: the exact key; in test mode the first inserted
/// key of any job; the deprecated hash of the user text; the built-in fixture of the schema, else of the step. The exit code is
/// 1 if no step answers. The text of a fixture is part of the provider's code; in JSON, its `response` is null.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake lookup --seeds tests --schema critique --model router --job refund-1 --round 1 --test-mode\n  \
                  retake lookup --seeds tests --model router --step critique --user-text message.txt --json"
)]
pub(super) struct LookupArgs {
    /// Files and folders with seeds.
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// The schema of the answer; without it, exact keys and the wildcard are skipped.
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// The model of the call.
    #[arg(long, value_name = "NAME")]
    model: String,
    /// The id of the job; without it, exact keys and the wildcard are skipped.
    #[arg(long, value_name = "ID")]
    job: Option<String>,
    /// The round.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    round: i64,
    /// Look up as the provider does in tests, where seeds of other jobs match, too.
    #[arg(long)]
    test_mode: bool,
    /// The step of a deprecated key [default: unknown].
    #[arg(long, value_name = "NAME")]
    step: Option<String>,
    /// A file with the first user message, for deprecated keys. Every byte counts, including a final line end [default: the
    /// empty text, which the provider uses for a call without a user message].
    #[arg(long, value_name = "FILE")]
    user_text: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

pub(super) fn run(arguments: &LookupArgs) -> CommandResult {
    let root = arguments.within.root();
    let text = arguments.user_text.as_deref();
    let request = SeedRequest {
        schema: arguments.schema.clone(),
        model: arguments.model.clone(),
        job: arguments.job.clone(),
        round: arguments.round,
        mode: if arguments.test_mode { ProviderMode::Test } else { ProviderMode::Live },
        step: arguments.step.clone(),
        user_text: text.map(|file| read_text(file, root)).transpose()?,
    };
    let input = arguments.within.read(&arguments.seeds, SourceLookup::LeaveAlone)?;
    let memory = seeds::memory(input);
    // Not an error: a fixture of the provider may still answer.
    if memory.files().is_empty() {
        report_error("The given paths contain no seeds");
    }
    let answer = memory.lookup(&request);
    write(arguments.look.color, |output| {
        if arguments.json {
            output.document(&LookupDocument::new(&memory, &answer))
        } else {
            output.hide(input.secrets());
            print(output, &memory, &answer)
        }
    })?;
    Ok(input.verdict(CommandVerdict::new(false, answer.step.is_none())))
}

/// Reads the text of a file.
fn read_text(path: &Path, root: Option<&Path>) -> CommandResult<String> {
    let name = path.to_string_lossy();
    let input = read_everything(&[path.to_owned()], root, SourceLookup::LeaveAlone)?;
    let document = match (input.items.as_slice(), input.numbers.as_slice()) {
        ([item], [number]) if !input.project.has_folder() => input.project.read(*number, item),
        _ => Err("Expected a file with the user text, found a folder".to_owned()),
    };
    let document = document.map_err(|r| CommandError(format!("{r}: {}", self::shown(&name))))?;
    // The hash is over the text, and replacement characters in it would give another one.
    match document.source().fault() {
        None => Ok(document.source().text().to_owned()),
        Some(_) => Err(CommandError(format!("The user text is not UTF-8: {}", self::shown(&name)))),
    }
}

/// The place of a seed as text.
fn place(memory: &Memory, index: SeedIndex) -> String {
    let seed = memory.seed(index);
    format!("{}:{}", shown(memory.path(index)), seed.mark.place)
}

fn print(output: &mut Output, memory: &Memory, answer: &SeedAnswer) -> io::Result<()> {
    print_head(output, memory, answer)?;
    output.line("")?;
    for (index, step) in answer.tried.iter().enumerate() {
        print_step(output, index + 1, step)?;
    }
    if !answer.unused.is_empty() {
        heading(output, "Shadowed")?;
    }
    for entry in &answer.unused {
        let key = memory.seed(entry.seed).key.to_string();
        let place = place(memory, entry.seed);
        output.line(&format!("  {}  {} ({place})", shown(&key), entry.why.description()))?;
    }
    if !answer.alternatives.is_empty() {
        heading(output, "Would have matched exactly")?;
    }
    for alternative in &answer.alternatives {
        let (difference, agreement) = match alternative {
            AlternativeSeed::Round(round, _) => (format!("round {round}"), "same job"),
            AlternativeSeed::Job(job, _) => (format!("job {}", shown(job)), "same round"),
        };
        let place = place(memory, alternative.seed());
        output.line(&format!("  {difference}, {agreement} ({place})"))?;
    }
    if !memory.unknown().is_empty() {
        heading(output, "Skipped: the key is known only when the code runs")?;
    }
    for index in memory.unknown() {
        let key = memory.seed(*index).key.to_string();
        output.line(&format!("  {} ({})", shown(&key), place(memory, *index)))?;
    }
    Ok(())
}

/// Prints the seed that answers, its place and its response.
fn print_head(output: &mut Output, memory: &Memory, answer: &SeedAnswer) -> io::Result<()> {
    let Some(step) = answer.step else {
        let line = output
            .styled(
                OutputStyle::Of(Severity::Error),
                "No seed answers: the provider throws an error",
            )
            .into_owned();
        return output.line(&line);
    };
    let key = answer.key.as_deref().unwrap_or_default();
    let title = output.styled(OutputStyle::Strong, step.title()).into_owned();
    output.line(&format!("{title}: {}", shown(key)))?;
    // The text of a fixture is in the provider's code, which is not read.
    let Some(index) = answer.seed else { return output.line("  built into the provider") };
    let line = place(memory, index);
    let line = output.styled(OutputStyle::Quiet, &line);
    output.line(&format!("  {line}"))?;
    output.line("")?;
    match &memory.seed(index).response {
        SeedValue::Known(response) => response.lines().map(shown).try_for_each(|l| output.line(&l)),
        value => output.line(&format!("not a literal: {}", shown(&value.to_string()))),
    }
}

fn print_step(output: &mut Output, number: usize, result: &StepResult) -> io::Result<()> {
    let StepResult { step, outcome, key, remark, .. } = result;
    let (mark, style) = match outcome {
        // A sign as well as a style: colour alone carries no meaning.
        StepOutcome::Answers => (">", OutputStyle::Strong),
        _ => (" ", OutputStyle::Quiet),
    };
    let title = format!("{mark} {number} {:<34}", step.title());
    let title = output.styled(style, &title);
    let mut line = format!("{title}{:<15}", outcome.description());
    line.push_str(&shown(key.as_deref().unwrap_or_default()));
    if let Some(remark) = remark {
        let space = if key.is_some() { "  " } else { "" };
        line.push_str(&format!("{space}{}", shown(remark)));
    }
    output.line(line.trim_end())
}

fn heading(output: &mut Output, title: &str) -> io::Result<()> {
    output.line("")?;
    output.line(&output.styled(OutputStyle::Strong, title))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LookupDocument<'a> {
    step: &'static str,
    key: Option<&'a str>,
    path: Option<&'a str>,
    pointer: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    response: Option<&'a str>,
    /// The source text of a response that is not a literal.
    expression: Option<&'a str>,
    tried: Vec<LookupStepJson<'a>>,
    shadowed: Vec<Shadowed<'a>>,
    would_match: Vec<Match<'a>>,
    unknown: Vec<SeedJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct LookupStepJson<'a> {
    step: &'static str,
    outcome: &'static str,
    key: Option<&'a str>,
    path: Option<&'a str>,
    pointer: Option<&'a str>,
    remark: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct SeedJson<'a> {
    key: String,
    path: &'a str,
    pointer: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize, JsonSchema)]
struct Shadowed<'a> {
    #[serde(flatten)]
    seed: SeedJson<'a>,
    why: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Match<'a> {
    job: Option<&'a str>,
    round: Option<i64>,
    #[serde(flatten)]
    seed: SeedJson<'a>,
}

impl<'a> SeedJson<'a> {
    fn new(memory: &'a Memory, index: SeedIndex) -> Self {
        let seed = memory.seed(index);
        Self {
            key: seed.key.to_string(),
            path: memory.path(index),
            pointer: &seed.pointer,
            line: seed.mark.place.line,
            column: seed.mark.place.column,
        }
    }
}

impl<'a> LookupDocument<'a> {
    fn new(memory: &'a Memory, answer: &'a SeedAnswer) -> Self {
        let seed = answer.seed.map(|index| SeedJson::new(memory, index));
        let response = answer.seed.map(|index| &memory.seed(index).response);
        let steps = answer.tried.iter().map(|result| LookupStepJson {
            step: result.step.as_str(),
            outcome: result.outcome.as_str(),
            key: result.key.as_deref(),
            path: result.finds.map(|index| &**memory.path(index)),
            pointer: result.finds.map(|index| &*memory.seed(index).pointer),
            remark: result.remark.as_deref(),
        });
        let entries = answer.unused.iter().map(|entry| Shadowed {
            seed: SeedJson::new(memory, entry.seed),
            why: entry.why.as_str(),
        });
        let alternatives = answer.alternatives.iter().map(|alternative| {
            let key = memory.seed(alternative.seed()).key.trace();
            Match {
                job: key.and_then(|key| key.job.known()).map(|job| &**job),
                round: key.and_then(|key| key.round.known()).copied(),
                seed: SeedJson::new(memory, alternative.seed()),
            }
        });
        Self {
            step: answer.step.map_or("none", |step| step.as_str()),
            key: answer.key.as_deref(),
            path: seed.as_ref().map(|seed| seed.path),
            pointer: seed.as_ref().map(|seed| seed.pointer),
            line: seed.as_ref().map(|seed| seed.line),
            column: seed.as_ref().map(|seed| seed.column),
            response: response.and_then(SeedValue::known).map(|response| &**response),
            expression: match response {
                Some(SeedValue::Code(code)) => Some(code),
                _ => None,
            },
            tried: steps.collect(),
            shadowed: entries.collect(),
            would_match: alternatives.collect(),
            unknown: memory.unknown().iter().map(|index| SeedJson::new(memory, *index)).collect(),
        }
    }
}
