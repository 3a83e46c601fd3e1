//! `retake export seeds`: writes seeds from seeds, recordings and sessions as a file or as calls.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Destination;
use crate::output::shown;
use crate::{CommandResult, CommandVerdict, ReadFiles, print_summary, report_error, seeds};
use author::seeds::{GeneratedSeeds, Memory, NewSeed, SeedIndex, SeedOptions, json, typescript};
use document::FileKind;
use document::code::is_code;
use document::text::count;
use engine::undo::StepRecorder;
use engine::{Phase, SourceLookup};

/// Write seeds as *.seeds.json or as TypeScript calls.
///
/// Seeds from *.seeds.json and from test code are written as the provider would store them: each key once, the last one wins,
/// and empty responses are skipped. A recording becomes one seed: the response is its text if that is JSON, else the input of
/// its first tool call; the schema is the node it was recorded at, else that tool; the job is the set. Each call of a cassette becomes
/// a seed in the same way; the job is the name of the file. A session becomes one
/// seed for each tool response: the schema is the tool, the job is the session. Rounds count from 0 for each schema, model
/// and job. Seeds that cannot be written are reported, and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake export seeds tests --to tests/all.seeds.json --json\n  \
                  retake export seeds fixtures/triage --schema triage --model router --job triage-1 --to - --format ts"
)]
pub(super) struct ExportSeedsArgs {
    /// Seeds, recordings, cassettes and sessions: files and folders.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    destination: Destination,
    /// The output format [default: by the ending of the file name].
    #[arg(long, value_name = "FORMAT")]
    format: Option<SeedsFormat>,
    /// The schema of seeds made from recordings and sessions [default: the node, else the tool].
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// The model of seeds made from recordings and sessions.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The job of seeds made from recordings and sessions [default: the set, the session].
    #[arg(long, value_name = "ID")]
    job: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SeedsFormat {
    /// A *.seeds.json file.
    Json,
    /// Calls for test code.
    Ts,
}

pub(super) fn run(arguments: &ExportSeedsArgs, recorder: &StepRecorder) -> CommandResult {
    let destination = &arguments.destination;
    destination.check()?;
    // Before reading, so that a path that cannot be written is refused at once.
    let target = if destination.is_stdout() { None } else { Some(destination.target()?) };
    let input = arguments.destination.within.read(&arguments.paths, SourceLookup::LeaveAlone)?;
    if let Some(target) = &target {
        let path = target.path();
        // An earlier export in a folder that is read would be one of its own sources.
        input.retain(|project, n, item| !project.target(n, item).is_ok_and(|t| t.path() == path));
    }
    let memory = seeds::memory(input);
    let mut new_seeds = NewSeed::all_of(&memory);
    let mut remarks = report_unwritten(&memory);
    let options = SeedOptions {
        schema: arguments.schema.clone(),
        model: arguments.model.clone(),
        job: arguments.job.clone(),
    };
    let generator = seeds_from_items(input, options);
    new_seeds.extend(generator.seeds);
    remarks.extend(generator.skipped.iter().map(|(p, reason)| format!("{reason}: {}", shown(p))));
    remarks.iter().for_each(|line| report_error(line));
    let broken_files = input.report_broken(&arguments.paths);
    if new_seeds.is_empty() {
        return Err("No seeds, recordings, cassettes or sessions found; nothing was written".into());
    }
    let text = match arguments.format() {
        SeedsFormat::Json => json(&new_seeds),
        SeedsFormat::Ts => typescript(&new_seeds),
    };
    let outcome = destination.write(recorder, &text)?;
    destination.report(outcome)?;
    if !destination.is_stdout() && !destination.json {
        let path = destination.to.to_string_lossy();
        print_summary(&format!("Wrote {} to {}", count(new_seeds.len(), "seed"), shown(&path)));
    }
    Ok(input.verdict(CommandVerdict::new(false, !remarks.is_empty() || !broken_files.is_empty())))
}

impl ExportSeedsArgs {
    fn format(&self) -> SeedsFormat {
        let name = self.destination.to.to_string_lossy();
        let default_format = if is_code(&name) { SeedsFormat::Ts } else { SeedsFormat::Json };
        self.format.unwrap_or(default_format)
    }
}

/// Makes seeds from the recordings and sessions that were read.
fn seeds_from_items(input: &ReadFiles, options: SeedOptions) -> GeneratedSeeds {
    let mut generator = GeneratedSeeds::new(options);
    let rows = input.items.iter().zip(&input.numbers);
    for (item, number) in Phase::over("Exporting", rows) {
        let is_named = !input.project.has_folder();
        match item.kind {
            FileKind::Seeds => continue,
            FileKind::Recording | FileKind::Session | FileKind::Cassette => {}
            // Other files in a folder are not reported.
            _ if !is_named => continue,
            _ => {}
        }
        match input.project.read(*number, item) {
            Ok(document) => generator.add(item, &document),
            Err(reason) => generator.skipped.push((item.path.clone(), reason)),
        }
    }
    generator
}

/// Reports seeds that cannot be written because a part of them is not a literal, and empty ones.
fn report_unwritten(memory: &Memory) -> Vec<String> {
    let line = |index: SeedIndex, reason: &str| {
        let seed = memory.seed(index);
        let (path, place) = (shown(memory.path(index)), seed.mark.place);
        format!("{reason}: {} at {path}:{place}", shown(&seed.key.to_string()))
    };
    let slots = memory.slots().iter().map(|slot| slot.last());
    let lines = memory.unknown().iter().copied().chain(slots).filter_map(|index| {
        let seed = memory.seed(index);
        match NewSeed::from_seed(seed) {
            // The provider treats an empty response as absent, so writing it would change nothing.
            _ if !seed.answers() => Some(line(index, "Skipped, because its response is empty")),
            Some(_) => None,
            None => {
                Some(line(index, "Skipped, because its value is known only when the code runs"))
            }
        }
    });
    lines.collect()
}
