//! `retake stabilize`: replaces what every recording of the same calls has its own of.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::common::{ColorOption, ScanOptions};
use super::difference::difference;
use super::files_document::{FileOutcome, FilesDocument};
use super::outbox::write_files;
use super::output::{shown, shown_path};
use super::{
    CommandError, CommandVerdict, ReadFiles, count, print_summary, read_everything, report_error,
    write,
};
use crate::engine::undo::{FileToWrite, StepRecorder};
use crate::engine::{Phase, SourceLookup, default_paths};
use crate::ops::Item;
use crate::ops::saving::Expected;
use crate::ops::stable::{StablePlan, can_be_stable};
use crate::text::{Source, counted, listed};

/// Make recordings, cassettes and tapes stable, so that recording them again changes only what must change.
///
/// Ids become a hash of their call with the same length and prefix, everywhere in the file; times become zero or 1970-01-01; headers
/// that do not matter for playback are removed; the file ends with a line end. What a model wrote stays, and so does what the tested
/// program chose itself where the player compares it. A stable file does not change.
///
/// With on_save = true in the table [stable] of retake.toml, files are also made stable whenever Retake saves them. Its other keys,
/// headers and keep, apply to this command as well.
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

/// A file that is not stable.
struct UnstableFile<'a> {
    number: usize,
    item: &'a Item,
    before: Source,
    after: Source,
    /// What changes, as a phrase.
    changes: String,
}

/// How many files are written together.
const BATCH: usize = 256;

pub(super) fn run(
    arguments: &StabilizeArgs,
    recorder: &StepRecorder,
) -> Result<CommandVerdict, CommandError> {
    let paths = match arguments.paths.as_slice() {
        [] => {
            let here = arguments.within.root().unwrap_or(Path::new("."));
            let paths = default_paths(here).map_err(CommandError)?;
            paths.ok_or_else(|| {
                let reason = "Nothing to make stable: give a PATH, or list paths in a retake.toml";
                CommandError(reason.to_owned())
            })?
        }
        paths => paths.to_owned(),
    };
    let read = &*read_everything(&paths, arguments.within.bounds(), SourceLookup::LeaveAlone)?;
    let writes = !arguments.check && !arguments.dry_run;
    if writes {
        read.project.clean_leftovers(&AtomicBool::new(false));
    }
    let mut files = FilesDocument::new(!writes);
    let (mut stable, mut found, mut refused, mut lines) = (0, 0, 0, Vec::new());
    let broken = read.report_broken(&paths);
    for (path, reason) in &broken {
        files.add_refused(path, FileOutcome::Skipped, reason);
    }
    let mut batch: Vec<UnstableFile<'_>> = Vec::new();
    let rows: Vec<(usize, &Item)> = read
        .numbered()
        .filter(|(_, item)| can_be_stable(item.kind))
        .map(|(number, item)| (number, &**item))
        .collect();
    let last = rows.len();
    for (index, (number, item)) in Phase::over("Reading", rows.into_iter()).enumerate() {
        match plan(read, number, item) {
            Ok((before, plan)) => {
                let is_whole = plan.refused.is_empty();
                for refusal in &plan.refused {
                    let (path, place) = (shown(&item.path), refusal.place);
                    report_error(&format!("{path}:{place}: {}", refusal.reason));
                }
                refused += usize::from(!is_whole);
                let changes = changes(&plan);
                match plan.after {
                    Some(after) => {
                        batch.push(UnstableFile { number, item, before, after, changes });
                    }
                    None if is_whole => {
                        stable += 1;
                        files.add(&item.path, FileOutcome::Unchanged);
                    }
                    None => {
                        let reason = "something in it cannot be changed";
                        files.add_refused(&item.path, FileOutcome::Skipped, reason);
                    }
                }
            }
            Err(reason) => {
                refused += 1;
                files.add_refused(&item.path, FileOutcome::Skipped, &reason);
                report_error(&format!("{}: {reason}", shown(&item.path)));
            }
        }
        if batch.len() < BATCH && index + 1 < last {
            continue;
        }
        if arguments.dry_run && !arguments.json {
            write(arguments.look.color, |output| {
                output.hide(read.secrets());
                batch.iter().try_for_each(|file| {
                    let (before, after) = (file.before.text(), file.after.text());
                    difference(output, &file.item.path, before, after)
                })
            })?;
        }
        let written = writes.then(|| write_batch(read, &batch, recorder));
        let results = written.unwrap_or_else(|| batch.iter().map(|_| Ok(())).collect());
        for (file, result) in batch.drain(..).zip(results) {
            let path = &file.item.path;
            match result {
                Ok(()) => {
                    found += 1;
                    files.add(path, FileOutcome::Written);
                    lines.push(format!("{}{}", shown_path(path), file.changes));
                }
                Err(CommandError(reason)) => {
                    refused += 1;
                    files.add_refused(path, FileOutcome::Failed, &reason);
                    report_error(&reason);
                }
            }
        }
    }
    write(arguments.look.color, |output| {
        if arguments.json {
            return output.document(&files);
        }
        let mut lines = lines.iter().filter(|_| !arguments.dry_run);
        lines.try_for_each(|line| output.line(line))
    })?;
    if last == 0 {
        let given: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        let given: Vec<_> = given.iter().map(|path| shown(path)).collect();
        report_error(&format!(
            "Expected recordings, cassettes or tapes, found none in {}",
            given.join(", ")
        ));
    } else if !arguments.json {
        let made = if writes { "made stable" } else { "not stable" };
        let all = count(last, "file");
        let refused = match refused {
            0 => String::new(),
            refused => format!(", {refused} not as a whole"),
        };
        print_summary(&format!("{all}: {found} {made}, {stable} stable already{refused}"));
    }
    let is_missed = last == 0 && !read.project.has_folder();
    Ok(read.verdict(match (refused + broken.len(), found) {
        _ if is_missed => CommandVerdict::Incomplete,
        (1.., _) => CommandVerdict::Incomplete,
        (0, 1..) if arguments.check => CommandVerdict::Failed,
        _ => CommandVerdict::Passed,
    }))
}

fn plan(read: &ReadFiles, number: usize, item: &Item) -> Result<(Source, StablePlan), String> {
    let document = read.project.read(number, item)?;
    let plan = read.project.stable(number, item)?.plan(&document);
    let plan = plan.map_err(|refusal| refusal.to_string())?;
    Ok((document.source().clone(), plan))
}

/// Returns what a plan changes, as the end of a line.
fn changes(plan: &StablePlan) -> String {
    let counts = [
        (plan.ids, "ID", "IDs"),
        (plan.times, "time", "times"),
        (plan.headers, "header", "headers"),
    ];
    let counts = counts.into_iter().filter(|(number, ..)| *number > 0);
    let counts: Vec<String> =
        counts.map(|(number, one, many)| counted(number, one, many)).collect();
    match counts.as_slice() {
        [] => ": format".to_owned(),
        counts => format!(": {}", listed(counts)),
    }
}

fn write_batch(
    read: &ReadFiles,
    batch: &[UnstableFile<'_>],
    recorder: &StepRecorder,
) -> Vec<Result<(), CommandError>> {
    let targets = batch.iter().map(|file| {
        let target = read.project.target(file.number, file.item);
        Ok(FileToWrite {
            target: target.map_err(CommandError)?,
            bytes: file.after.text().as_bytes().into(),
            expected: Expected::from_bytes(Some(file.before.text().as_bytes())),
        })
    });
    let targets: Vec<Result<FileToWrite, CommandError>> = targets.collect();
    let (mut results, mut writes) = (Vec::new(), Vec::new());
    for target in targets {
        results.push(target.map(|write| writes.push(write)));
    }
    let mut written = write_files(recorder, &writes).into_iter();
    for result in results.iter_mut().filter(|result| result.is_ok()) {
        if let Some(outcome) = written.next() {
            *result = outcome;
        }
    }
    results
}
