//! `retake import`: converts incidents to replay sessions, or to the fixtures of another program.

mod fixture;
mod gather;
mod langsmith;
mod listing;
mod report;

use std::path::PathBuf;

use clap::ValueEnum;
use jiff::Timestamp;

use super::common::{ColorOption, ScanOptions, one_of};
use super::files_document::slashed;
use super::outbox::{OutputFolder, WriteMode, WriteOutcome};
use super::output::{shown, shown_path};
use super::redact::read_names;
use super::{
    CommandError, CommandResult, CommandVerdict, print_stderr, print_summary, report_error, write,
};
use author::fixture::FixtureTarget;
use author::import::{
    self, DraftSecret, Duplicate, Filter, ImportOptions, Imported, PATTERN, RunStatus,
    SecretChoice, SecretSelector, SessionDraft, choose, file_name, make_ids_unique, redaction,
};
use author::redact::CHECKED_FOR;
use author::session::SessionFormat;
use document::text::count;
use document::time::{parse_time, start_of_range};
use engine::Phase;
use engine::undo::StepRecorder;
pub(super) use fixture::FixtureDocument;
use fixture::TargetChoice;
use gather::{ImportInputs, gather};
pub(super) use report::ImportDocument;
use report::{DECIDE_SECRETS, DraftReport, DraftStatus};

/// Convert incidents to replay sessions, or with --as to the fixtures of another program: a Flakestorm report, transcripts and traces of agents, recordings, cassettes, an HTTP archive, a chat or a failure log.
///
/// A session is made from each failed mutation of a report, with the mutated text as its input and the original text in its
/// context; from each root run of LangSmith, with the answers of its tools; and from each set of recordings and each cassette. Ids depend only
/// on the imported content, so that importing again changes nothing. The path - is standard input.
///
/// Sessions that already exist are skipped. A session with a secret or personal data is written only when --redact or --keep decides about
/// it, and never if a value remains where it cannot be replaced; the report says what was looked for. An existing file with different content is not replaced, and a diff is shown, unless --force is given. The path
/// of each written file is printed. If a session is not written, the reason is reported, and
/// the exit code is 1.
///
/// With --as, the model calls of the sources become one fixture: HTTP bodies that a source has are kept byte for byte, and what it lacks
/// is written as the SDK of the API sends it today. The file is named after --test by the habit of the project. Notes say what the source
/// does not hold.
///
/// --redact and --keep may be repeated and accept `all`, a kind from the report, such as `email` or `phone`, or a place:
/// `/input` in every session or file, `run-1:/input` in the session with that id, `a.yaml:/input` in the file with that path. A secret that is redacted in one place is replaced
/// by the same placeholder everywhere. --keep takes precedence: `--redact all --keep email`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake import sample-recordings/reports --to replays --dry-run\n  \
                  retake import runs.json --to replays --filter-status error --since last_7_days --redact all\n  \
                  retake import --from-langsmith-project helpdesk --filter-status error --to replays\n  \
                  retake import runs.json --to replays --redact /input --keep address --name 'incident-{date}-{id}'\n  \
                  retake import incident.har --as vcrpy --test tests/test_refund.py::test_twice --redact all\n  \
                  pbpaste | retake import - --to replays --add-to-config"
)]
pub(super) struct ImportArgs {
    /// Files and folders. Files in a folder that are not incidents are skipped.
    #[arg(
        required_unless_present_any = ["from_langsmith", "from_langsmith_project"],
        value_name = "PATH"
    )]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    langsmith: langsmith::LangSmithArgs,
    /// The folder to write to, which is created if it does not exist; with --as also a file.
    #[arg(long, value_name = "PATH", required_unless_present = "test")]
    to: Option<PathBuf>,
    #[command(flatten)]
    fixture: fixture::FixtureArgs,
    /// The contract of the sessions [default: that of the enclosing flakestorm.yaml].
    #[arg(long, value_name = "NAME")]
    contract: Option<String>,
    /// The file names; {id}, {date}, {source} and {number} are replaced. The ending selects the format [default: {id}.yaml].
    #[arg(long, value_name = "PATTERN")]
    name: Option<String>,
    /// Import only LangSmith runs with this status.
    #[arg(long, value_name = "STATUS", default_value = "all", value_parser = one_of(STATUSES))]
    filter_status: RunStatus,
    /// Import only LangSmith runs that started at this date or time or later; last_7_days is accepted, too.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Import only LangSmith runs that started before this date or time.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Import only LangSmith runs that took at least this long.
    #[arg(long, value_name = "MS")]
    min_latency_ms: Option<i64>,
    /// Import only LangSmith runs that took at most this long.
    #[arg(long, value_name = "MS")]
    max_latency_ms: Option<i64>,
    /// Replace these secrets with placeholders: all, a kind or a place; `none` is short for --keep all.
    #[arg(long, value_name = "SECRETS")]
    redact: Vec<String>,
    /// Write these secrets unchanged: all, a kind or a place.
    #[arg(long, value_name = "SECRETS")]
    keep: Vec<String>,
    /// A text file with names of persons on its lines, which are secrets too. Keep it out of the repository.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Add the files to `replays.sessions` of the enclosing flakestorm.yaml.
    #[arg(long)]
    add_to_config: bool,
    /// Replace existing files with different content.
    #[arg(long, visible_alias = "overwrite")]
    force: bool,
    /// Write nothing; show what would be written.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document with each draft, the origin of its fields, and its status.
    #[arg(long)]
    json: bool,
    /// The format of the input. A file of unknown format, a chat or a text without a failure is refused; `text` imports every file as text.
    #[arg(long, value_enum, default_value = "auto")]
    from: IncidentInputFormat,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IncidentInputFormat {
    /// Detect the format from the content.
    Auto,
    Text,
}

const STATUSES: [(&str, &str, RunStatus); 3] = [
    ("all", "", RunStatus::All),
    ("error", "", RunStatus::Error),
    ("warning", "", RunStatus::Warning),
];

pub(super) fn run(args: &ImportArgs, log: &StepRecorder) -> CommandResult {
    let is_session = |target: &TargetChoice| *target == TargetChoice::Named(FixtureTarget::Session);
    if let Some(target) = args.fixture.target.filter(|target| !is_session(target)) {
        return fixture::run(args, target, log);
    }
    let folder = args.to.as_deref().ok_or("Set the folder of the sessions with --to")?;
    let options = ImportOptions {
        contract: args.contract.clone(),
        filter: args.filter()?,
        as_text: args.from == IncidentInputFormat::Text,
    };
    let fetched_runs = args.langsmith.fetch(&options.filter)?;
    let inputs = gather(fetched_runs, &args.paths, folder, args.within.bounds(), options)?;
    let ImportInputs { mut imported, .. } = inputs;
    if imported.drafts.is_empty() && imported.skipped == 0 {
        imported.notes.iter().for_each(|note| report_error(note));
        return Err("Nothing to import".into());
    }
    // Before secrets: decisions may name a session by its id.
    make_ids_unique(&mut imported.drafts);
    let names = read_names(args.names.as_deref())?;
    let mut secrets = import::secrets(&imported.drafts, &inputs.secrets, &names);
    let ids: Vec<&str> = imported.drafts.iter().map(|draft| &*draft.session.id).collect();
    args.decide(&mut secrets, &ids);
    // One for all drafts, so that a secret has the same placeholder everywhere.
    let redaction = redaction(&secrets, &inputs.secrets);
    let redacted: Vec<Result<(), String>> =
        imported.drafts.iter_mut().map(|draft| draft.redact(&redaction)).collect();
    let outbox = OutputFolder {
        folder: folder.to_owned(),
        root: args.within.root(),
        mode: WriteMode::from_flags(args.dry_run, args.force),
        recorder: log,
    };
    let mut reports = Vec::new();
    for (number, draft) in Phase::over("Writing", imported.drafts.iter().enumerate()) {
        let pattern = args.name.as_deref().unwrap_or(PATTERN);
        let name = file_name(pattern, &draft.session, number + 1);
        let file = outbox.path(&name);
        let secrets = report::secrets_of(&secrets, number);
        let path = slashed(&file);
        let render_result =
            redacted[number].clone().and_then(|()| draft.session.render(form_of(&file)));
        let duplicate = inputs.known.find(&draft.session);
        let status = match reason_against(draft, duplicate.filter(|_| !args.force), &path) {
            Some(status) => status,
            // Never written by default: a secret in git history cannot be undone.
            None if secrets.iter().any(report::ReportedSecret::is_open) => DraftStatus::Secret,
            None => match &render_result {
                Ok(text) => DraftStatus::Sent(outbox.write_file(&name, text)?),
                Err(reason) => DraftStatus::Incomplete(reason.clone()),
            },
        };
        let text = render_result.unwrap_or_default();
        reports.push(DraftReport { draft, path, text, status, secrets });
    }
    report_drafts(args, &outbox, &imported, &reports)?;
    if args.add_to_config {
        listing::list(args, &reports, &outbox)?;
    }
    let is_unfinished = reports.iter().any(|draft| draft.status.needs_attention());
    Ok(CommandVerdict::new(inputs.is_incomplete, is_unfinished))
}

/// Returns the status of a draft that is not written, for a reason that is known before its file is compared.
fn reason_against(draft: &SessionDraft, dup: Option<Duplicate>, path: &str) -> Option<DraftStatus> {
    match (draft.fault(), dup) {
        (Some(fault), _) => Some(DraftStatus::Incomplete(fault.to_owned())),
        // A repeated import finds the file that it wrote before, which is no duplicate.
        (None, Some(Duplicate::Content(spot))) if spot == path => {
            Some(DraftStatus::Sent(WriteOutcome::Same))
        }
        (None, Some(Duplicate::Content(spot))) => Some(DraftStatus::Duplicate(spot)),
        // If the id is used by the file of this path, that file is compared when the draft is written.
        (None, Some(Duplicate::Id(spot))) => (spot != path).then_some(DraftStatus::IdTaken(spot)),
        (None, None) => None,
    }
}

fn form_of(path: &std::path::Path) -> SessionFormat {
    match path.extension().and_then(|e| e.to_str()) {
        Some("json") => SessionFormat::Json,
        _ => SessionFormat::Yaml,
    }
}

fn report_drafts(
    arguments: &ImportArgs,
    outbox: &OutputFolder<'_>,
    imported: &Imported,
    reports: &[DraftReport<'_>],
) -> CommandResult<()> {
    if arguments.json {
        return write(arguments.look.color, |output| {
            output.document(&ImportDocument::new(imported, reports))
        });
    }
    imported.notes.iter().for_each(|note| report_error(&shown(note)));
    write(arguments.look.color, |output| {
        for draft in reports {
            let DraftStatus::Sent(outcome) = &draft.status else { continue };
            outbox.show(output, &draft.path, outcome, &draft.text)?;
            if (outcome, outbox.mode) == (&WriteOutcome::Written, WriteMode::Careful)
                || outbox.mode == WriteMode::Force
            {
                output.line(&shown_path(&draft.path))?;
            }
        }
        Ok(())
    })?;
    for draft in reports {
        draft.reasons().iter().for_each(|reason| report_error(reason));
    }
    if reports.iter().any(|draft| matches!(draft.status, DraftStatus::Secret)) {
        print_stderr(DECIDE_SECRETS);
    }
    print_summary(&summary(imported, reports, outbox.mode));
    print_summary(CHECKED_FOR);
    Ok(())
}

fn summary(imported: &Imported, reports: &[DraftReport<'_>], mode: WriteMode) -> String {
    let how_many = |is: fn(&DraftStatus) -> bool| reports.iter().filter(|d| is(&d.status)).count();
    let label = if mode == WriteMode::DryRun { "to be written" } else { "written" };
    let mut words = format!(
        "{}: {} {label}",
        count(reports.len(), "session"),
        how_many(|s| *s == DraftStatus::Sent(WriteOutcome::Written))
    );
    let others = [
        (
            how_many(|status| {
                matches!(status, DraftStatus::Sent(WriteOutcome::Same) | DraftStatus::Duplicate(_))
            }),
            "unchanged",
        ),
        (how_many(DraftStatus::needs_attention), "not written"),
    ];
    for (number, word) in others.into_iter().filter(|(number, _)| *number > 0) {
        words += &format!(", {number} {word}");
    }
    if imported.skipped > 0 {
        words += &format!("; {} skipped", imported.skipped);
    }
    words
}

impl ImportArgs {
    /// Decides about the secrets by --redact and --keep; reports arguments that match none of them.
    fn decide(&self, secrets: &mut [DraftSecret], ids: &[&str]) {
        let redact = self.redact.iter().map(|selector| match selector.as_str() {
            "none" => ("--redact", "all", SecretChoice::Keep),
            selector => ("--redact", selector, SecretChoice::Redact),
        });
        let keep = self.keep.iter().map(String::as_str).map(|w| ("--keep", w, SecretChoice::Keep));
        // --keep last, so that it takes precedence: `--redact all --keep email`.
        for (option, words, choice) in redact.chain(keep) {
            let selector = SecretSelector::parse(words);
            // `all` without any secret is no mistake; a selection that matches nothing probably is.
            if !choose(secrets, &selector, ids, choice) && selector != SecretSelector::All {
                report_error(&format!("No secret matches {option} {}", shown(words)));
            }
        }
    }

    fn filter(&self) -> CommandResult<Filter> {
        let now = Timestamp::now();
        let time = |option: &str, words: &Option<String>| {
            let Some(words) = words else { return Ok(None) };
            let time = start_of_range(words, now).or_else(|| parse_time(words));
            let fault = || {
                CommandError(format!(
                    "Expected a date, a time or a range such as last_7_days: {option} {}",
                    shown(words)
                ))
            };
            time.map(Some).ok_or_else(fault)
        };
        Ok(Filter {
            status: self.filter_status,
            from: time("--since", &self.since)?,
            until: time("--until", &self.until)?,
            min_latency_ms: self.min_latency_ms,
            max_latency_ms: self.max_latency_ms,
        })
    }
}
