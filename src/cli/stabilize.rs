//! `retake stabilize`: replaces what every recording of the same calls has its own of.

use std::path::PathBuf;
use std::sync::Arc;

use super::choices::{ChoiceReport, SentValues};
use super::common::{ColorOption, ScanOptions, paths_or_default};
use super::files_document::{FileOutcome, FilesDocument};
use super::output::{shown, shown_path};
use super::rewrite::{Planned, PlannedFile, RewriteCommand, RewriteMode, rewrite};
use super::{CommandError, CommandResult, CommandVerdict, print_summary, report_error, write};
use calls::Item;
use calls::stable::{StablePlan, can_be_stable};
use document::Document;
use document::edit::EditRefusal;
use document::text::{count, counted, listed};
use engine::undo::StepRecorder;
use engine::{Project, SourceLookup};

/// Make recordings, cassettes and tapes stable, so that recording them again changes only what must change.
///
/// Ids become a hash of their call with the same length and prefix, everywhere in the file; times become zero or 1970-01-01; headers
/// that do not matter for playback are removed; the file ends with a line end. What a model wrote stays, and so does what the tested
/// program chose itself where the player compares it. A stable file does not change.
///
/// With on_save = true in the table [stable] of retake.toml, files are also made stable whenever Retake saves them. Its other keys,
/// headers and keep, apply to this command as well.
///
/// Each cassette is played by the rules of its client, before and after; a call that gets another answer is reported.
///
/// The exit code is 2 if something cannot be changed, and with --check 1 if a file is not stable.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake stabilize fixtures --dry-run\n  retake stabilize tests/cassettes\n  retake stabilize --check --json"
)]
pub(super) struct StabilizeArgs {
    /// Files and folders [default: the paths in retake.toml].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write nothing; list the files that are not stable, and fail if there is one.
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Write nothing; show the differences.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document with the outcome for each file.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

/// The files so far.
struct Stabilizer<'a> {
    project: &'a Project,
    files: FilesDocument,
    /// The number of files that are stable already.
    stable: usize,
    /// The number of files that are made stable, or are not.
    found: usize,
    refused: usize,
    /// A line for each file that is not stable.
    lines: Vec<String>,
    choices: ChoiceReport,
}

impl RewriteCommand for Stabilizer<'_> {
    const PHASE: &'static str = "Reading";
    const BATCH: usize = 256;
    /// Summary of the changes, as the end of a line.
    type Note = String;

    fn plan(&mut self, number: usize, item: &Arc<Item>, document: Document) -> Planned<String> {
        let plan = self.project.stable(number, item)?.plan(&document).map_err(|r| r.to_string())?;
        for EditRefusal { reason, place } in &plan.refused {
            report_error(&format!("{}:{place}: {reason}", shown(&item.path)));
        }
        let is_whole = plan.refused.is_empty();
        self.refused += usize::from(!is_whole);
        let changes = changes(&plan);
        if let Some(after) = &plan.after {
            self.choices.add((item, &item.path), &document, after, SentValues::Changed);
        }
        if plan.after.is_none() && is_whole {
            self.stable += 1;
            self.files.add(&item.path, FileOutcome::Unchanged);
        } else if plan.after.is_none() {
            let reason = "something in it cannot be changed";
            self.files.add_refused(&item.path, FileOutcome::Skipped, reason);
        }
        Ok(plan.after.map(|source| (source, changes)))
    }

    fn on_written(&mut self, file: PlannedFile<'_, String>) {
        let path = &file.item.path;
        self.found += 1;
        self.files.add(path, FileOutcome::Written);
        self.lines.push(format!("{}{}", shown_path(path), file.note));
    }

    fn on_refused(&mut self, item: &Item, outcome: FileOutcome, reason: &str) {
        self.refused += 1;
        self.files.add_refused(&item.path, outcome, reason);
        report_error(&match outcome {
            FileOutcome::Failed => reason.to_owned(),
            _ => format!("{}: {reason}", shown(&item.path)),
        });
    }
}

pub(super) fn run(arguments: &StabilizeArgs, recorder: &StepRecorder) -> CommandResult {
    let paths = paths_or_default(&arguments.paths, arguments.within.root())?.ok_or_else(|| {
        let reason = "Nothing to make stable: give a PATH, or list paths in a retake.toml";
        CommandError(reason.to_owned())
    })?;
    let input = &*arguments.within.read(&paths, SourceLookup::LeaveAlone)?;
    let is_writing = !arguments.check && !arguments.dry_run;
    let broken_files = input.report_broken(&paths);
    let mut result = Stabilizer {
        project: &input.project,
        files: FilesDocument::with_broken(!is_writing, &broken_files),
        stable: 0,
        found: 0,
        refused: 0,
        lines: Vec::new(),
        choices: ChoiceReport::default(),
    };
    let files: Vec<_> = input.numbered().filter(|(_, item)| can_be_stable(item.kind)).collect();
    let file_count = files.len();
    write(arguments.look.color, |output| {
        let mode = if is_writing {
            RewriteMode::Write(recorder)
        } else if arguments.dry_run && !arguments.json {
            output.hide(input.secrets());
            RewriteMode::ShowDifferences(output)
        } else {
            RewriteMode::DryRun
        };
        rewrite(input, files, mode, &mut result)?;
        if arguments.json {
            return output.document(&result.files);
        }
        // The differences of a dry run name the files already.
        result.lines.iter().filter(|_| !arguments.dry_run).try_for_each(|line| output.line(line))
    })?;
    let Stabilizer { stable: stable_count, found: rest, refused: refused_count, choices, .. } =
        result;
    if file_count == 0 {
        let names: Vec<_> =
            paths.iter().map(|path| shown(&path.to_string_lossy()).into_owned()).collect();
        report_error(&format!(
            "Expected recordings, cassettes or tapes, found none in {}",
            names.join(", ")
        ));
    } else if !arguments.json {
        let label = if is_writing { "made stable" } else { "not stable" };
        let files = count(file_count, "file");
        let remark = match refused_count {
            0 => String::new(),
            refused_count => format!(", {refused_count} not as a whole"),
        };
        print_summary(&format!("{files}: {rest} {label}, {stable_count} stable already{remark}"));
        choices.print();
    }
    // A folder may have none; a file that was named is a mistake.
    let is_missed = file_count == 0 && !input.project.has_folder();
    let is_incomplete = is_missed || refused_count + broken_files.len() > 0;
    // Without --check, a dry run is no test.
    Ok(input.verdict(CommandVerdict::new(is_incomplete, arguments.check && rest > 0)))
}

/// Returns what a plan changes, as the end of a line.
fn changes(plan: &StablePlan) -> String {
    let numbers = [(plan.ids, "ID"), (plan.times, "time"), (plan.headers, "header")];
    let numbers = numbers.into_iter().filter(|(number, _)| *number > 0);
    let counts: Vec<String> =
        numbers.map(|(number, noun)| counted(number, noun, &format!("{noun}s"))).collect();
    match counts.as_slice() {
        [] => ": format".to_owned(),
        counts => format!(": {}", listed(counts)),
    }
}
