//! `retake stamp`: adds or updates signatures and source metadata.

use std::path::PathBuf;
use std::sync::Arc;

use super::common::{ColorOption, ScanOptions, one_of};
use super::files_document::{FileOutcome, FilesDocument};
use super::output::{shown, shown_path};
use super::rewrite::{Planned, PlannedFile, RewriteCommand, RewriteMode, report_refused, rewrite};
use super::{CommandResult, CommandVerdict, print_stderr, print_summary, report_error, write};
use calls::Item;
use document::recording::RecordingVersion;
use document::text::{Source, count};
use document::{Document, FileKind};
use engine::snapshots::Snapshots;
use engine::undo::StepRecorder;
use engine::{SourceLookup, StampPlanner, StampRequest, StampSource, state};
use machine::stamp::{Renewal, Stamp, StampChange, StampContextKeys};

/// Add or update `signature` and `sourceMetadata` of recordings, and change no other byte.
///
/// Recordings of version 1 have neither, those of version 2 have a signature, and those of version 3 also name their source.
/// Only differences are written: stamping again changes nothing. Without --source and --sources, the source that each
/// recording names is read again. With --sources, all clues must lead to the same source: the path or text in the existing
/// stamp, else the machine's title and the name of the recording's folder.
///
/// A copy of each source is stored with those of the window, so that `retake source` finds it after it has changed, also if
/// git ignores it. Set RETAKE_NO_SNAPSHOTS=1 to store none.
///
/// A stamp says only that the source is the same since: recordings whose request the changed source no longer makes are reported.
///
/// The path of each written file is printed. A recording that cannot be stamped is not changed, the reason is reported, and the
/// exit code is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake stamp fixtures/triage --source machines/triage.dygram\n  \
                  retake stamp fixtures --sources machines --only-missing --dry-run\n  \
                  retake stamp fixtures --to v2\n  retake stamp fixtures --json"
)]
pub(super) struct StampArgs {
    /// Files and folders. Files in a folder that are not recordings are skipped.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Use this source for all recordings.
    #[arg(long, value_name = "FILE", conflicts_with = "sources")]
    source: Option<PathBuf>,
    /// Choose the source of each recording from this folder and its subfolders.
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// The version to write: v2 has a signature and names no source.
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "v3",
        value_parser = one_of([("v2", "", RecordingVersion::V2), ("v3", "", RecordingVersion::V3)])
    )]
    to: RecordingVersion,
    /// Add missing values only; do not change existing ones, even if they are wrong.
    #[arg(long)]
    only_missing: bool,
    /// The client whose context keys the signature lists [default: the stored keys, else none].
    #[arg(long, value_name = "CLIENT", value_parser = one_of(CLIENTS))]
    client: Option<StampContextKeys>,
    /// Write nothing; show the differences.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document with the outcome for each recording.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

/// Clients whose context keys a signature lists, with their help.
const CLIENTS: [(&str, &str, StampContextKeys); 2] = [
    ("shipped", "No keys: shipped clients compute none", StampContextKeys::Shipped),
    ("documented", "The sorted keys of the request's context", StampContextKeys::Documented),
];

/// Numbers for the summary.
#[derive(Debug, Default)]
struct StampSummary {
    stamped: usize,
    /// Number of those that have a source whose text has changed since the last stamp.
    changed: usize,
    /// Number of those that do not match a request that is made from the present source.
    mismatched: usize,
    already: usize,
    left: usize,
    /// Recordings that could be stamped but not written.
    failed: usize,
    /// Files that cannot be parsed, which may be recordings.
    broken: usize,
}

pub(super) fn run(arguments: &StampArgs, recorder: &StepRecorder) -> CommandResult {
    let request = stamp_options(arguments)?;
    let input = arguments.within.read(&arguments.paths, SourceLookup::Look)?;
    input.project.use_snapshots(state::sources().map(Snapshots::open));
    let input = &*input;
    let planner = StampPlanner::new(&input.project, request)?;
    let broken_files = input.report_broken(&arguments.paths);
    let mut stamper = Stamper {
        stamping: planner,
        is_dry_run: arguments.dry_run,
        needs_a_source: arguments.needs_a_source(),
        files: FilesDocument::with_broken(arguments.dry_run, &broken_files),
        summary: StampSummary { broken: broken_files.len(), ..StampSummary::default() },
    };
    write(arguments.look.color, |output| {
        // Other files are skipped in a folder, and refused with a reason if they are named.
        let is_meant = |item: &Item| item.kind == FileKind::Recording || arguments.is_named(item);
        let mode = match (arguments.dry_run, arguments.json) {
            (false, _) => RewriteMode::Write(recorder),
            (true, false) => RewriteMode::ShowDifferences(output),
            (true, true) => RewriteMode::DryRun,
        };
        let files = input.numbered().filter(|(_, item)| is_meant(item)).collect();
        rewrite(input, files, mode, &mut stamper)?;
        // Printed at the end, so that a closed pipe does not prevent recordings from being stamped.
        if arguments.json {
            return output.document(&stamper.files);
        }
        let mut paths = stamper.files.written().filter(|_| !arguments.dry_run);
        paths.try_for_each(|path| output.line(&shown_path(path)))
    })?;
    let summary = stamper.summary;
    if summary.left > 0 && arguments.needs_a_source() {
        print_stderr("Give the source with --source FILE or --sources DIR");
    }
    if !arguments.json {
        print_summary(&summary.text(arguments));
    }
    let has_skipped = summary.left + summary.broken > 0;
    Ok(input.verdict(CommandVerdict::new(summary.failed > 0, has_skipped)))
}

fn stamp_options(arguments: &StampArgs) -> CommandResult<StampRequest> {
    let source = match (&arguments.source, &arguments.sources) {
        (None, None) => StampSource::Named,
        _ if arguments.to == RecordingVersion::V2 => {
            return Err("--to v2 stamps no source; leave out --source and --sources".into());
        }
        (Some(file), _) => StampSource::File(file.clone()),
        (None, Some(folder)) => StampSource::Folder(folder.clone()),
    };
    Ok(StampRequest {
        source,
        version: arguments.to,
        renewal: if arguments.only_missing { Renewal::Keep } else { Renewal::Renew },
        context_keys: arguments.client.unwrap_or(StampContextKeys::AsStored),
    })
}

/// The recordings so far.
struct Stamper<'a> {
    stamping: StampPlanner<'a>,
    is_dry_run: bool,
    /// Whether sources are found, not given.
    needs_a_source: bool,
    files: FilesDocument,
    summary: StampSummary,
}

impl RewriteCommand for Stamper<'_> {
    const PHASE: &'static str = "Stamping";
    type Note = Stamp;

    fn plan(&mut self, number: usize, item: &Arc<Item>, document: Document) -> Planned<Stamp> {
        let Some(stamp) = self.stamping.plan(number, item, &document)? else {
            // A recording that is stamped already may have a source of which no copy was kept.
            self.keep_source(number);
            self.summary.already += 1;
            self.files.add(&item.path, FileOutcome::Unchanged);
            return Ok(None);
        };
        let mut new_text = document.source().text().to_owned();
        stamp.edit.apply(&mut new_text);
        Ok(Some((Source::new(new_text), stamp)))
    }

    fn on_written(&mut self, file: PlannedFile<'_, Stamp>) {
        self.keep_source(file.number);
        let reason = mismatch(file.item)
            .filter(|_| self.needs_a_source)
            // An unchanged source cannot have made the recording wrong.
            .filter(|_| file.note.source == StampChange::Changed);
        self.summary.count(file.item, &file.note, reason);
        self.files.add(&file.item.path, FileOutcome::Written);
    }

    fn on_refused(&mut self, item: &Item, outcome: FileOutcome, reason: &str) {
        self.files.add_refused(&item.path, outcome, reason);
        let has_failed = outcome == FileOutcome::Failed;
        self.summary.failed += usize::from(has_failed);
        self.summary.left += usize::from(!has_failed);
        report_refused(item, outcome, reason);
    }
}

impl Stamper<'_> {
    fn keep_source(&self, number: usize) {
        if !self.is_dry_run {
            self.stamping.keep_source(number);
        }
    }
}

/// Returns why a request made from the present source does not match a recording; `None` if it does, or if that is unknown.
fn mismatch(item: &Item) -> Option<&str> {
    let source = item.source.as_deref()?;
    source.because.as_deref().filter(|_| source.affected == Some(true))
}

impl StampArgs {
    /// Whether the source of each recording is the one it names.
    fn needs_a_source(&self) -> bool {
        self.to == RecordingVersion::V3 && self.source.is_none() && self.sources.is_none()
    }

    /// Whether the arguments name this file.
    fn is_named(&self, item: &Item) -> bool {
        let path = std::path::Path::new(&*item.path);
        self.paths.iter().any(|p| p == path)
    }
}

impl StampSummary {
    fn count(&mut self, item: &Item, stamp: &Stamp, mismatch: Option<&str>) {
        if let Some(reason) = mismatch {
            self.mismatched += 1;
            report_error(&format!(
                "{}: The recording no longer matches its source: {}",
                shown(&item.path),
                shown(reason)
            ));
        }
        self.stamped += 1;
        self.changed += usize::from(stamp.source == StampChange::Changed);
    }

    fn text(&self, arguments: &StampArgs) -> String {
        let total = self.stamped + self.already + self.left + self.failed;
        let label = if arguments.dry_run { "to be stamped" } else { "stamped" };
        let mut words = format!("{}: {} {label}", count(total, "recording"), self.stamped);
        if self.changed > 0 {
            words += &format!(" ({} with a source that changed since", self.changed);
            if self.mismatched > 0 {
                words += &format!(", {} that a request made today does not match", self.mismatched);
            }
            words += ")";
        }
        words += &format!(", {} unchanged", self.already);
        if self.left > 0 {
            words += &format!(", {} skipped", self.left);
        }
        if self.failed > 0 {
            words += &format!(", {} not written", self.failed);
        }
        words
    }
}
