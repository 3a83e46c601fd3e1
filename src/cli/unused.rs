//! `retake unused`: lists recordings that no run uses, copies, and the largest and oldest recordings.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, ScanOptions};
use super::output::{Output, OutputStyle, shown, shown_path};
use super::{CommandResult, CommandVerdict, ReadFiles, report_error, write};
use document::text::{bytes, counted};
use document::time::parse_time;
use engine::{SourceLookup, read_run_logs, read_set_usage};
use play::triage::read_runs;
use play::unused::{
    RecordingFile, RunsOfSets, SetUsage, UnusedOptions, UnusedReport, runs_of_sets,
};

/// List recordings that no run uses.
///
/// With logs of test runs, recordings are unused that answer no call in them: give the complete logs of all tests. Without logs, a set
/// is played with the first requests that its machine would make today, and recordings are unused whose tools no node of the machine
/// offers. A set without a source is played with its own requests.
///
/// A set is not judged if the answer to a call is not that of an equal request, a run failed, its machine cannot be read completely, or no
/// log has a run of it: then none of its recordings is listed as unused.
///
/// The exit code is 1 if unused recordings or duplicates are found, and 2 if a file cannot be read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake unused fixtures\n  retake unused fixtures --logs reports/ --duplicates\n  \
                  retake unused fixtures --largest 10 --oldest 10 --json"
)]
pub(super) struct UnusedArgs {
    /// Folders with sets of recordings.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Logs of test runs, JUnit reports and folders of them; may be repeated.
    #[arg(long, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Also list recordings with the same request and the same answer as an earlier one of their set.
    #[arg(long)]
    duplicates: bool,
    /// Also list the N largest recordings.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    largest: usize,
    /// Also list the N oldest recordings.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    oldest: usize,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

pub(super) fn run(args: &UnusedArgs) -> CommandResult {
    let root = args.within.root();
    let has_logs = !args.logs.is_empty();
    // Without logs, a set is played with the requests of its source.
    let lookup = if has_logs { SourceLookup::LeaveAlone } else { SourceLookup::Look };
    let input = &*args.within.read(&args.paths, lookup)?;
    let mut is_incomplete = input.unopened > 0;
    let (runs, has_unread) = has_logs.then(|| read_logs(args, input)).transpose()?.unzip();
    is_incomplete |= has_unread == Some(true);
    let sets = read_set_usage(&input.project, input.numbered(), runs.as_ref(), root);
    let report = UnusedReport::new(
        &sets,
        UnusedOptions { duplicates: args.duplicates, largest: args.largest, oldest: args.oldest },
    );
    write(args.look.color, |output| {
        output.hide(input.secrets());
        if args.json {
            output.document(&UnusedDocument::new(&report))
        } else {
            print(output, &report, &sets)
        }
    })?;
    input.report_nothing_found();
    let has_findings = !report.unused.is_empty() || !report.duplicates.is_empty();
    Ok(CommandVerdict::new(is_incomplete, has_findings))
}

/// Reads the runs in the logs. Also returns whether a log could not be read.
fn read_logs(args: &UnusedArgs, input: &ReadFiles) -> CommandResult<(RunsOfSets, bool)> {
    let logs = read_run_logs(&args.logs, args.within.root());
    logs.unread.iter().for_each(|reason| report_error(reason));
    if logs.logs.is_empty() {
        return Err("There is no log to read".into());
    }
    let runs = logs.logs.iter().map(|(name, text)| (Arc::clone(name), read_runs(name, text)));
    let items = input.items.iter().map(|item| &**item);
    Ok((runs_of_sets(runs.collect(), items), !logs.unread.is_empty()))
}

fn print(output: &mut Output, report: &UnusedReport, sets: &[SetUsage]) -> io::Result<()> {
    for entry in &report.unused {
        row(output, &entry.file, &format!("unused: {}", entry.reason))?;
    }
    for duplicate in &report.duplicates {
        row(output, &duplicate.file, &format!("duplicate of {}", duplicate.of))?;
    }
    for file in &report.largest {
        row(output, file, "among the largest")?;
    }
    for file in &report.oldest {
        row(output, file, "among the oldest")?;
    }
    for set in &report.not_judged {
        let line = format!("{}  not judged: {}", shown_path(&set.folder), shown(&set.reason));
        output.line(&output.styled(OutputStyle::Quiet, &line))?;
    }
    let size = |f: &mut dyn Iterator<Item = &RecordingFile>| bytes(f.map(|file| file.bytes).sum());
    let folders = report.not_judged.iter().map(|set| &set.folder);
    let judged_sets: Vec<_> =
        sets.iter().filter(|u| !folders.clone().any(|folder| *folder == u.folder)).collect();
    let tool_count = judged_sets.iter().filter(|usage| usage.is_by_tools()).count();
    let mut totals = match report.unused.len() {
        0 if sets.is_empty() => {
            vec!["No sets of recordings: other files are not judged".to_owned()]
        }
        // *No unused recordings* would be wrong if no set was judged.
        0 if judged_sets.is_empty() => Vec::new(),
        0 if tool_count > 0 => vec![format!(
            "No unused recordings ({} judged only by the tools that their machine offers)",
            counted(tool_count, "set", "sets")
        )],
        0 => vec!["No unused recordings".to_owned()],
        number => vec![format!(
            "{} ({})",
            counted(number, "unused recording", "unused recordings"),
            size(&mut report.unused.iter().map(|u| &u.file))
        )],
    };
    if !report.duplicates.is_empty() {
        totals.push(format!(
            "{} ({})",
            counted(report.duplicates.len(), "duplicate", "duplicates"),
            size(&mut report.duplicates.iter().map(|d| &d.file))
        ));
    }
    if !report.not_judged.is_empty() {
        let sets = counted(report.not_judged.len(), "set", "sets");
        totals.push(format!("{sets} not judged"));
    }
    output.line(&output.styled(OutputStyle::Strong, &totals.join(", ")))
}

fn row(output: &mut Output, file: &RecordingFile, reason: &str) -> io::Result<()> {
    let recorded_at = file.recorded_at.as_deref().and_then(parse_time);
    let day = recorded_at.map_or("unknown date".to_owned(), |t| t.strftime("%Y-%m-%d").to_string());
    let (path, size) = (shown_path(&file.path), bytes(file.bytes));
    output.line(&format!("{path}  {size}  {day}  {}", shown(reason)))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct UnusedDocument<'a> {
    unused: Vec<UnusedJson<'a>>,
    duplicates: Vec<DuplicateJson<'a>>,
    largest: Vec<FileJson<'a>>,
    oldest: Vec<FileJson<'a>>,
    not_judged: Vec<NotJudgedJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FileJson<'a> {
    path: &'a str,
    bytes: u64,
    recorded_at: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct UnusedJson<'a> {
    #[serde(flatten)]
    file: FileJson<'a>,
    reason: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct DuplicateJson<'a> {
    path: &'a str,
    of: &'a str,
    bytes: u64,
}

#[derive(Serialize, JsonSchema)]
struct NotJudgedJson<'a> {
    set: &'a str,
    reason: &'a str,
}

impl<'a> UnusedDocument<'a> {
    fn new(report: &'a UnusedReport) -> Self {
        let files = |files: &'a [RecordingFile]| files.iter().map(FileJson::new).collect();
        let duplicates = report.duplicates.iter().map(|duplicate| DuplicateJson {
            path: &duplicate.file.path,
            of: &duplicate.of,
            bytes: duplicate.file.bytes,
        });
        let entries = report
            .unused
            .iter()
            .map(|entry| UnusedJson { file: FileJson::new(&entry.file), reason: &entry.reason });
        let sets =
            report.not_judged.iter().map(|s| NotJudgedJson { set: &s.folder, reason: &s.reason });
        Self {
            unused: entries.collect(),
            duplicates: duplicates.collect(),
            largest: files(&report.largest),
            oldest: files(&report.oldest),
            not_judged: sets.collect(),
        }
    }
}

impl<'a> FileJson<'a> {
    fn new(file: &'a RecordingFile) -> Self {
        Self { path: &file.path, bytes: file.bytes, recorded_at: file.recorded_at.as_deref() }
    }
}
