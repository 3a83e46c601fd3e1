//! `retake drift`: what tests send today beside what was recorded. Each format has a file.

mod json;
mod markdown;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;

pub(super) use json::DriftDocument;

use super::common::{ColorOption, ScanOptions, paths_or_default};
use super::{CommandResult, CommandVerdict, report_error, write};
use engine::{SourceLookup, read_drift_cassettes, read_request_logs};
use play::drift::DriftReport;
use play::run_requests::RunRequests;

/// Compare what tests send today with what was recorded, while the recordings still answer.
///
/// A log of requests is what the plugin of `retake plugin pytest` or `retake serve --watch-drift` writes; of a folder or a zip file,
/// all logs are read. Each request is compared with the recorded call that answered it. Changes of the same kind are one cause, and
/// each cause has a verdict: matcher too loose, if the recording answers another question; record again, if the answer may depend on the
/// change; harmless. The tests to record again are listed last, with the command. No model is called.
///
/// The exit code is 1 if a cause is not harmless, and 2 if a log or a file cannot be read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake drift requests.jsonl\n  retake drift logs/ tests/cassettes --json\n  \
                  retake drift requests.jsonl --tests > again.txt && pytest @again.txt --record-mode=rewrite\n  \
                  retake drift requests.jsonl --format markdown"
)]
pub(super) struct DriftArgs {
    /// A log of requests, or a folder or zip file of logs.
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Where the recordings are [default: the `paths` of retake.toml, else the current folder].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print only the tests to record again, one on each line.
    #[arg(long, conflicts_with_all = ["json", "format"])]
    tests: bool,
    /// The output format.
    #[arg(long, default_value = "text")]
    format: DriftFormat,
    /// Print one JSON document; short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DriftFormat {
    /// Lines of text.
    Text,
    /// One JSON document.
    Json,
    /// Markdown, for a comment on a pull request.
    Markdown,
}

pub(super) fn run(arguments: &DriftArgs) -> CommandResult {
    let root = arguments.within.root();
    let logs = read_request_logs(std::slice::from_ref(&arguments.log), root);
    logs.unread.iter().for_each(|reason| report_error(reason));
    if logs.logs.is_empty() {
        return Err("There is no log to read".into());
    }
    let run =
        RunRequests::read(logs.logs.iter().map(|(name, text): &(Arc<str>, _)| (name, &**text)));
    run.faults.iter().for_each(|fault| report_error(&fault.to_string()));
    let paths = paths_or_default(&arguments.paths, root)?
        .unwrap_or_else(|| vec![root.unwrap_or(Path::new(".")).to_owned()]);
    let input = &*arguments.within.read(&paths, SourceLookup::LeaveAlone)?;
    let files = read_drift_cassettes(&input.project, input.numbered(), &run);
    let rules = input.project.settings().map_or(&[][..], |settings| &settings.review);
    let report = DriftReport::new(&run, &files, rules);
    let log = arguments.log.to_string_lossy();
    write(arguments.look.color, |output| {
        output.hide(input.secrets());
        match arguments.format {
            _ if arguments.tests => {
                report.record.tests.iter().try_for_each(|test| output.line(test))
            }
            _ if arguments.json => output.document(&DriftDocument::new(&report)),
            DriftFormat::Json => output.document(&DriftDocument::new(&report)),
            DriftFormat::Markdown => {
                markdown::text(&report, &log).lines().try_for_each(|line| output.line(line))
            }
            DriftFormat::Text => text::write(output, &report, &log),
        }
    })?;
    let is_incomplete = !logs.unread.is_empty() || !run.faults.is_empty() || input.unopened > 0;
    Ok(CommandVerdict::new(is_incomplete, report.drifted().next().is_some()))
}
