//! `retake audit`: lists what a green run does not prove.

use std::io;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, ScanOptions};
use super::output::{Output, OutputStyle, shown};
use super::{CommandResult, CommandVerdict, report_error, write};
use document::text::counted;
use engine::{SourceLookup, read_test_logs};
use play::audit::{AuditFinding, AuditReport};

/// Number of places that are listed of each cause without --all.
const MAX_LISTED_PLACES: usize = 10;

/// List what a green run does not prove.
///
/// One sentence for each cause, with its places and one action: tests that are skipped for a missing recording, recordings whose test did
/// not run, recordings that belong to no test, empty answers, errors that no test mentions, assertions on the recording itself, and
/// conversations that a prompt cache cannot serve.
///
/// Which tests were skipped and which ran is only in logs: give those of a complete run. `pytest -rs` prints why tests are skipped, and a
/// JUnit report names all of them. What neither the files nor the logs show is listed as not known.
///
/// Errors of `retake check` are counted, not listed, and do not change the exit code. It is 1 if anything else is found, and 2 if a file or a log cannot be read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pytest -rs --junitxml=report.xml; retake audit tests --logs report.xml\n  \
                  retake audit tests\n  retake audit tests --logs reports/ --json"
)]
pub(super) struct AuditArgs {
    /// Files and folders with recordings.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Logs of test runs, JUnit reports and folders of them; may be repeated.
    #[arg(long, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// List every place, not only the first of each cause.
    #[arg(long)]
    all: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

pub(super) fn run(args: &AuditArgs) -> CommandResult {
    let root = args.within.root();
    let input = &*args.within.read(&args.paths, SourceLookup::LeaveAlone)?;
    let logs = read_test_logs(&args.logs, root);
    if logs.logs.is_empty() && !args.logs.is_empty() {
        logs.unread.iter().for_each(|reason| report_error(reason));
        return Err("There is no log to read".into());
    }
    let report = engine::audit(&input.project, input.numbered(), &logs.logs, root, false);
    let unread: Vec<&String> = logs.unread.iter().chain(&report.unread).collect();
    unread.iter().for_each(|reason| report_error(reason));
    let is_incomplete = input.unopened > 0 || !unread.is_empty();
    write(args.look.color, |output| {
        output.hide(input.secrets());
        if args.json {
            output.document(&AuditDocument::new(&report))
        } else {
            print(output, &report, args.all)?;
            print_rest(output, &report, !is_incomplete)
        }
    })?;
    input.report_nothing_found();
    Ok(CommandVerdict::new(is_incomplete, !report.findings.is_empty()))
}

fn print(output: &mut Output, report: &AuditReport, is_all: bool) -> io::Result<()> {
    for finding in &report.findings {
        output.line(&output.styled(OutputStyle::Strong, &shown(&finding.sentence)))?;
        let limit = if is_all { usize::MAX } else { MAX_LISTED_PLACES };
        for place in finding.places.iter().take(limit) {
            let label = finding.label(place);
            output.line(shown(&format!("  {label}  {}", place.note)).trim_end())?;
        }
        let omitted = finding.places.len().saturating_sub(limit);
        if omitted > 0 {
            let places = counted(omitted, "other place", "other places");
            let line = format!("  and {places}; --all lists them");
            output.line(&output.styled(OutputStyle::Quiet, &line))?;
        }
        output.line(&shown(&format!("  {}.", finding.action)))?;
    }
    Ok(())
}

/// Prints that nothing was found, and what is not known.
fn print_rest(output: &mut Output, report: &AuditReport, is_all_read: bool) -> io::Result<()> {
    if report.findings.is_empty() {
        let line = report.nothing_found(is_all_read);
        output.line(&output.styled(OutputStyle::Strong, &line))?;
    }
    for sentence in &report.unknown {
        output.line(&output.styled(OutputStyle::Quiet, &shown(&format!("{sentence}."))))?;
    }
    Ok(())
}

#[derive(Serialize, JsonSchema)]
pub(super) struct AuditDocument<'a> {
    findings: Vec<AuditFindingJson<'a>>,
    /// What neither the files nor the logs show.
    unknown: &'a [String],
    /// Number of errors that `retake check` finds in the files.
    errors: usize,
}

#[derive(Serialize, JsonSchema)]
struct AuditFindingJson<'a> {
    /// Such as `skipped-elsewhere`.
    kind: &'a str,
    /// Number of tests, recordings, calls or answers.
    count: usize,
    sentence: &'a str,
    action: &'a str,
    places: Vec<AuditPlaceJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct AuditPlaceJson<'a> {
    /// The recording.
    path: Option<&'a str>,
    line: Option<u32>,
    /// The number of the call in the recording, from 1.
    call: Option<usize>,
    test: Option<&'a str>,
    note: &'a str,
}

impl<'a> AuditDocument<'a> {
    fn new(report: &'a AuditReport) -> Self {
        let finding = |finding: &'a AuditFinding| AuditFindingJson {
            kind: finding.kind.as_str(),
            count: finding.count,
            sentence: &finding.sentence,
            action: &finding.action,
            places: finding
                .places
                .iter()
                .map(|place| AuditPlaceJson {
                    path: place.path.as_deref(),
                    line: place.line,
                    call: place.call,
                    test: place.test.as_deref(),
                    note: &place.note,
                })
                .collect(),
        };
        Self {
            findings: report.findings.iter().map(finding).collect(),
            unknown: &report.unknown,
            errors: report.errors,
        }
    }
}
