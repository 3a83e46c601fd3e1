//! `retake triage`: groups the failures of a whole run by their cause. Each format has a file.

mod json;
mod markdown;
mod text;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;

pub(super) use json::TriageDocument;

use super::common::{ColorOption, ScanOptions, paths_or_default, standard_input};
use super::output::shown;
use super::{CommandResult, CommandVerdict, report_error, write};
use calls::Pool;
use engine::undo::StepRecorder;
use engine::{
    RunLogs, SourceLookup, find_empty_folders, read_run_logs, read_triage_cassettes,
    read_triage_maps, read_triage_sets, write_triage_fixes,
};
use play::playback::failure_log::SetIndex;
use play::triage::{Triage, TriageReport, assign, page, read_log, remove_repeated};

/// Group the failures of a test run by their cause, with the fix of each.
///
/// A log is what a test runner printed, also with the time stamps and colors of GitHub Actions or GitLab, or a JUnit report; of a
/// folder or a zip file, all *.log, *.txt, *.out and *.xml files are read. Each failure is assigned to its set of recordings and played again
/// there. A fix counts as the cause if the failing calls find their answers after it. A failed test that plays a cassette is
/// assigned to its cassette, and the request that the log prints is compared with the nearest recorded call.
///
/// The exit code is 1 if the cause of a failure is unknown; with --after-fix and --fix, if a failure remains. It is 2 if a log
/// cannot be read or a fix cannot be written.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake triage ci.log\n  retake triage reports/ --recordings fixtures --after-fix\n  \
                  gh run view --log-failed | retake triage - --format markdown\n  \
                  retake triage junit.xml --fix --dry-run\n  retake triage ci.log --json\n  \
                  retake triage ci.log --format html > failures.html"
)]
pub(super) struct TriageArgs {
    /// Logs, JUnit reports, folders and zip files of them; - reads from standard input.
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// Where the recordings are; may be repeated [default: the `paths` of retake.toml, else the current folder].
    #[arg(long, value_name = "PATH")]
    recordings: Vec<PathBuf>,
    #[command(flatten)]
    within: ScanOptions,
    /// Play all failures and the changed sets again as if the fixes were written, and show what still fails.
    #[arg(long)]
    after_fix: bool,
    /// Write the fixes of all causes, then show what still fails. A recorded call that other tests may play stays, and the request
    /// gets a call of its own with the same answer.
    #[arg(long)]
    fix: bool,
    /// With --fix: write nothing and show the differences.
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// The output format.
    #[arg(long, default_value = "text")]
    format: TriageFormat,
    /// Print one JSON document; short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TriageFormat {
    /// Lines of text.
    Text,
    /// One JSON document.
    Json,
    /// Markdown, for a comment on a pull request.
    Markdown,
    /// One page for a browser with each call, what was served and why, and the fix. Retake opens it, too.
    Html,
}

pub(super) fn run(arguments: &TriageArgs, recorder: &StepRecorder) -> CommandResult {
    let logs = read_logs(arguments)?;
    logs.unread.iter().for_each(|reason| report_error(reason));
    if logs.logs.is_empty() {
        return Err("There is no log to read".into());
    }
    let mut failures = Vec::new();
    let mut is_incomplete = !logs.unread.is_empty();
    for (name, text) in &logs.logs {
        let log = read_log(name, text);
        for reason in &log.unread {
            report_error(&format!("{}: {reason}", shown(name)));
            is_incomplete = true;
        }
        failures.extend(log.failures);
    }
    // A log and a JUnit report of one run have the same failures.
    remove_repeated(&mut failures, |failure| failure);
    let root = arguments.within.root();
    let paths = paths_or_default(&arguments.recordings, root)?
        .unwrap_or_else(|| vec![root.unwrap_or(Path::new(".")).to_owned()]);
    // Only the page shows machines.
    let lookup = match arguments.format {
        TriageFormat::Html => SourceLookup::Look,
        _ => SourceLookup::LeaveAlone,
    };
    let input = &*arguments.within.read(&paths, lookup)?;
    let items = || input.numbered();
    let index = SetIndex::new(items().map(|(_, item)| &**item));
    let failures: Vec<_> = failures
        .into_iter()
        .map(|failure| {
            let folder = assign(&failure, &index);
            (failure, folder)
        })
        .collect();
    let folders: BTreeSet<Arc<str>> =
        failures.iter().filter_map(|(_, folder)| folder.as_ref().ok()).cloned().collect();
    let sets = read_triage_sets(&input.project, items(), &folders);
    // A set that a log names may have no recording at all, and so no item.
    let empty_folders =
        find_empty_folders(&input.project, &folders, &sets, &AtomicBool::new(false));
    let cassettes =
        read_triage_cassettes(&input.project, items(), failures.iter().map(|(failure, _)| failure));
    let triage = Triage::new(failures, &sets, &empty_folders, &cassettes);
    let is_played = arguments.after_fix || arguments.fix;
    let outcome = is_played.then(|| triage.after_fixes(&sets, &Pool::default()));
    let mut write_result = None;
    if let Some(outcome) = outcome.as_ref().filter(|_| arguments.fix && !arguments.dry_run) {
        // Only when files are written: a dry run removes nothing either.
        input.project.clean_leftovers(&AtomicBool::new(false));
        let result = write_triage_fixes(recorder, &input.project, items(), outcome);
        if let Some(fault) = &result.fault {
            report_error(fault);
        }
        write_result = Some(result);
    }
    for set in outcome.iter().flat_map(|outcome| outcome.sets.values()) {
        for refusal in &set.refused {
            report_error(&format!("{}: {}", shown(&refusal.path), shown(&refusal.reason)));
        }
    }
    let folders = input.items.iter().map(|item| {
        let name = item.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        (item.folder(), name)
    });
    let mut doc = TriageReport::new(&triage, folders.collect());
    doc.after = outcome.as_ref();
    doc.written = write_result.as_ref();
    if arguments.format == TriageFormat::Html {
        let set_folders: BTreeSet<Arc<str>> = sets.keys().cloned().collect();
        doc.maps = read_triage_maps(&input.project, items(), &set_folders, &AtomicBool::new(false));
    }
    let shows_differences = arguments.dry_run;
    write(arguments.look.color, |output| {
        output.hide(input.secrets());
        match arguments.format {
            _ if arguments.json => output.document(&json::document(&doc)),
            TriageFormat::Json => output.document(&json::document(&doc)),
            TriageFormat::Markdown => {
                // Line by line, because raw output is not masked.
                markdown::text(&doc).lines().try_for_each(|line| output.line(line))
            }
            TriageFormat::Html => {
                // The page masks its texts itself.
                output.raw(page(&doc, &sets, &logs.logs, &input.secrets()).as_bytes())
            }
            TriageFormat::Text => {
                if shows_differences {
                    text::differences(output, &doc)?;
                }
                text::write(output, &doc)
            }
        }
    })?;
    let has_fault = write_result.is_some_and(|write_result| write_result.fault.is_some());
    is_incomplete |= input.unopened > 0 || has_fault;
    let has_remains = match &outcome {
        Some(outcome) => !outcome.failing.is_empty(),
        None => triage.unexplained().next().is_some(),
    };
    Ok(CommandVerdict::new(is_incomplete, has_remains))
}

fn read_logs(arguments: &TriageArgs) -> CommandResult<RunLogs> {
    let is_pasted = |path: &&PathBuf| path.as_path() == Path::new("-");
    let files: Vec<PathBuf> = arguments.logs.iter().filter(|p| !is_pasted(p)).cloned().collect();
    let mut logs = read_run_logs(&files, arguments.within.root());
    if arguments.logs.iter().any(|path| is_pasted(&path)) {
        let text = standard_input()?;
        logs.logs.push(("standard input".into(), text.into()));
    }
    Ok(logs)
}
