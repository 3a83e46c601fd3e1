//! `retake check`: reports every problem with its place. Each format has a file.

mod baseline;
mod fix;
mod github;
mod gitlab;
mod json;
mod junit;
mod markdown;
mod report;
mod sarif;
mod text;
mod watch;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

pub(super) use json::ProblemsDocument;

use super::common::{ColorOption, ScanOptions, one_of, paths_or_default};
use super::output::shown;
use super::{
    CommandError, CommandResult, CommandVerdict, OpenedPaths, ReadFiles, print_stderr, write,
};
use baseline::{Baseline, BaselineReport};
use check::{
    Metadata, Overrides, SourceMode, ambiguous_settings, tests_without_cassette, unread_recordings,
};
use document::Severity;
use engine::undo::StepRecorder;
use engine::{ChangedFiles, Phase, Project, SourceLookup, find_failed_runs};
use fix::{FixReport, FixSelection};
use report::CheckReport;

/// Report every problem with file, line and column; fail if there is an error.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake check                        # the paths in retake.toml\n  retake check fixtures --mode strict --rule signature-shared=off\n  \
                  retake check --staged               # the files of the next commit\n  \
                  retake check fixtures --watch\n  \
                  retake check --changed-since origin/main...   # what this branch changed\n  \
                  retake check fixtures --fix --dry-run\n  retake check fixtures --fix=signature-missing\n  \
                  retake check fixtures --fail-on warning\n  \
                  retake check fixtures --write-baseline retake-baseline.json\n  \
                  retake check fixtures --baseline retake-baseline.json\n  \
                  retake check fixtures --format sarif > retake.sarif\n  \
                  retake check fixtures --format markdown > comment.md\n  \
                  retake check fixtures --format json"
)]
pub(super) struct CheckArgs {
    /// Files and folders. One that does not exist is reported, the others are checked, and the exit code is 2
    /// [default: the `paths` of the project's retake.toml].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Check the files that are staged for the next commit, in their staged version, and the recordings whose source is
    /// staged.
    #[arg(long, conflicts_with_all = ["paths", "root"])]
    staged: bool,
    /// Check only the files that differ from a git revision, and the recordings whose source does. main...HEAD, or main...,
    /// means the commit at which this branch began.
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    changed_since: Option<String>,
    /// How to treat stale or missing sources [default: the mode in retake.toml, else warn].
    #[arg(long, value_parser = one_of(MODES))]
    mode: Option<SourceMode>,
    /// Fail on recordings that do not name their source.
    #[arg(long)]
    require_metadata: bool,
    /// Set the level of a rule: error, warning, note or off. May be repeated.
    #[arg(long = "rule", value_name = "ID=LEVEL")]
    rules: Vec<String>,
    /// The lowest level that makes the exit code 1 [default: fail_on in retake.toml, else error].
    #[arg(long, value_name = "LEVEL", value_parser = one_of(LEVELS))]
    fail_on: Option<Severity>,
    /// Report only findings that are not in this file; list on stderr what it contains in vain.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings into this file, as a baseline for later runs, and report none of them. Entries of files that are not
    /// checked now are kept.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "staged", "dry_run"])]
    write_baseline: Option<PathBuf>,
    #[command(flatten)]
    within: ScanOptions,
    /// Fix what can be fixed, write the files, then report what remains. Without rules: errors and warnings whose fix is safe
    /// in every project. With rules: only these, at any level.
    #[arg(
        long,
        value_name = "RULE,…",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "staged"
    )]
    fix: Option<String>,
    /// With --fix: write nothing; show the differences, then report what would remain.
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Check again after each change on disk, and print what is new and what is gone, until Ctrl+C. The exit code is that of
    /// the last check.
    #[arg(long, conflicts_with_all = ["staged", "fix", "write_baseline"])]
    watch: bool,
    /// The output format.
    #[arg(long, default_value = "text")]
    format: CheckFormat,
    /// List each note about a cookie or the id of an account. Without this, the text has one line for all of them; other formats
    /// always list them.
    #[arg(long)]
    notes: bool,
    /// Print one JSON document; short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
}

/// Modes for stale and missing sources, with their help.
const MODES: [(&str, &str, SourceMode); 3] = [
    ("strict", "Report them as errors", SourceMode::Strict),
    ("warn", "Report them as warnings", SourceMode::Warn),
    ("skip", "Do not check them", SourceMode::Skip),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Lines of text.
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning services and editors.
    Sarif,
    /// JUnit XML: a test suite for each folder, a test case for each file.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
    /// The Code Quality report of GitLab.
    Gitlab,
    /// A comment for a pull request, of at most 65,536 characters.
    Markdown,
}

/// Levels that can fail.
const LEVELS: [(&str, &str, Severity); 3] = [
    ("error", "", Severity::Error),
    ("warning", "", Severity::Warning),
    ("note", "", Severity::Note),
];

pub(super) fn run(args: &CheckArgs, log: &StepRecorder) -> CommandResult {
    let overrides = overrides(args)?;
    // Before anything is read, so that a typing error is reported at once.
    let selection = args.fix.as_deref().map(FixSelection::parse).transpose()?;
    let format = if args.json { CheckFormat::Json } else { args.format };
    if args.watch {
        if format != CheckFormat::Text {
            return Err(
                "--watch prints only text: a document in another format would never be complete"
                    .into(),
            );
        }
        return watch::run(args, paths(args)?, &overrides);
    }
    let opened_paths = if args.staged {
        OpenedPaths::staged()?
    } else {
        OpenedPaths::new(&paths(args)?, args.within.bounds())?
    };
    let mut changes = changed_files(&opened_paths, args)?;
    let mut input = read(opened_paths, &overrides)?;
    input.report_nothing_found();
    // A part of the project does not show which nodes no recording covers.
    if !args.staged && changes.is_none() {
        input.check_optional_rules();
    }
    keep_checked(input, args, changes.as_mut());
    let fixes = match selection {
        None => None,
        Some(selection) => {
            let fixes = fix::fix(input, &selection, args.dry_run, log)?;
            if fixes.has_written() {
                // Paths that cannot be opened have been reported.
                let (opened_paths, _) = OpenedPaths::open(&paths(args)?, args.within.bounds())?;
                let mut changes = changed_files(&opened_paths, args)?;
                input = self::read(opened_paths, &overrides)?;
                keep_checked(input, args, changes.as_mut());
            } else {
                // After a dry run, the report shows the problems that would remain.
                fixes.leave_out_fixed(input);
            }
            Some(fixes)
        }
    };
    let is_nothing_read = input.is_nothing_read();
    input.leave_out_other_tools(&args.paths);
    // Before the baseline, which may contain these findings.
    let findings = tests_without_cassette(&mut input.items);
    input.insert(findings);
    let root = args.within.root();
    let baseline = match (&args.baseline, &args.write_baseline) {
        (Some(path), _) => Some(Baseline::read(path, root)?),
        // Applied to this run as well, so that nothing is reported that was just accepted.
        (None, Some(path)) => Some(Baseline::store(path, root, input, log)?),
        (None, None) => None,
    };
    let baseline = baseline.map(|baseline| baseline.apply(input));
    if let Some(baseline) = &baseline {
        baseline.report();
    }
    // The baseline has the findings of single cassettes. They are grouped after it, so that one more is new.
    let findings = ambiguous_settings(&mut input.items);
    input.insert(findings);
    let findings = unread_recordings(&mut input.items);
    input.insert(findings);
    input.leave_out_other_tools(&[]);
    let mut report = CheckReport::new(input);
    report.summary.known = baseline.as_ref().map(|b| b.known);
    let is_part = args.staged || args.changed_since.is_some();
    // Other programs read the other formats.
    if let Some(fixes) = fixes.as_ref().filter(|_| format != CheckFormat::Text) {
        fixes.lines().for_each(|line| print_stderr(&line));
    }
    // Most commits touch no recording.
    if format != CheckFormat::Text || !is_part || !report.files.is_empty() {
        let has_runs = format == CheckFormat::Text && !is_part;
        let failed_runs = if has_runs { find_failed_runs(&input.project) } else { Vec::new() };
        let (fixed, baseline) = (fixes.as_ref(), baseline.as_ref());
        let extras = Extras { fixed, baseline, notes: args.notes, failed_runs };
        print(&report, format, &extras, args.look)?;
    }
    // Whatever was found: a file that could not be written needs attention first.
    let is_incomplete = is_nothing_read || fixes.is_some_and(|fixes| fixes.has_failed());
    Ok(input.verdict(CommandVerdict::new(is_incomplete, report.fails())))
}

/// Facts that some formats print beside the report.
struct Extras<'a> {
    fixed: Option<&'a FixReport>,
    baseline: Option<&'a BaselineReport>,
    /// Whether notes about cookies and ids are listed.
    notes: bool,
    /// Logs of failed test runs beside the files.
    failed_runs: Vec<String>,
}

/// Prints a report.
fn print(
    report: &CheckReport<'_>,
    format: CheckFormat,
    extras: &Extras<'_>,
    look: ColorOption,
) -> CommandResult<()> {
    write(look.color, |output| match format {
        CheckFormat::Text => {
            if let Some(fixes) = extras.fixed {
                fixes.write(output)?;
            }
            text::write(output, report, extras.notes)?;
            text::failed_runs(output, &extras.failed_runs)
        }
        CheckFormat::Json => json::write(output, report, extras),
        CheckFormat::Sarif => output.json(&sarif::document(report)),
        CheckFormat::Junit => output.raw(junit::text(report).as_bytes()),
        CheckFormat::Github => {
            // Set by GitHub's runners to the folder of the checkout.
            let workspace = std::env::var_os("GITHUB_WORKSPACE");
            output.raw(github::text(report, workspace.as_ref().map(Path::new)).as_bytes())
        }
        CheckFormat::Gitlab => output.json(&gitlab::document(report)),
        CheckFormat::Markdown => output.raw(markdown::text(report).as_bytes()),
    })
}

/// Applies the settings of the arguments. Returns whether sources are needed.
fn prepare(opened_paths: &mut OpenedPaths, overrides: &Overrides) -> SourceLookup {
    // The problems of settings are a part of the report, although no one named these files.
    opened_paths.project.open_settings();
    opened_paths.project.override_levels(overrides);
    opened_paths.project.lookup()
}

/// Reads what is to be checked.
fn read(
    mut opened_paths: OpenedPaths,
    overrides: &Overrides,
) -> CommandResult<&'static mut ReadFiles> {
    let lookup = prepare(&mut opened_paths, overrides);
    opened_paths.read(lookup)
}

/// Compares with the revision in the arguments, if there is one.
fn changed_files(
    opened_paths: &OpenedPaths,
    arguments: &CheckArgs,
) -> CommandResult<Option<ChangedFiles>> {
    let revision = arguments.changed_since.as_deref();
    let changes = revision.map(|revision| opened_paths.project.changed_since(revision)).transpose();
    changes.map_err(|reason| CommandError(shown(&reason).into_owned()))
}

/// Keeps only what is staged or changed, if the arguments say so.
fn keep_checked(input: &mut ReadFiles, arguments: &CheckArgs, changes: Option<&mut ChangedFiles>) {
    if arguments.staged {
        input.keep_checked(Project::is_checked);
    }
    if let Some(changes) = changes {
        let phase = Phase::new("Comparing with git", input.items.len());
        input.keep_checked(|project, number, item| {
            phase.step();
            changes.affects(project, number, item)
        });
    }
}

/// Settings in the arguments that override those of the project.
fn overrides(arguments: &CheckArgs) -> CommandResult<Overrides> {
    let mut overrides = Overrides {
        mode: arguments.mode,
        metadata: arguments.require_metadata.then_some(Metadata::Required),
        fail_on: arguments.fail_on,
        ..Overrides::default()
    };
    for setting in &arguments.rules {
        let fault = |reason| CommandError(format!("--rule {}: {reason}", shown(setting)));
        overrides.set(setting).map_err(fault)?;
    }
    Ok(overrides)
}

/// The paths to check: those in the arguments, else those in the project's retake.toml.
fn paths(arguments: &CheckArgs) -> CommandResult<Vec<PathBuf>> {
    paths_or_default(&arguments.paths, arguments.within.root())?.ok_or_else(|| {
        CommandError::from(
            "Nothing to check: give a PATH, or list paths in a retake.toml, as in \
             paths = [\"fixtures\"]",
        )
    })
}
