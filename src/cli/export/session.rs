//! `retake export session`: writes sessions as YAML or JSON files, or into a configuration.

use std::path::{Path, PathBuf};

use crate::common::{ColorOption, ScanOptions, one_of};
use crate::difference::difference;
use crate::edit::store;
use crate::files_document::{FileOutcome, FilesDocument, FilesSummary, slashed};
use crate::outbox::{OutputFolder, WriteMode, WriteOutcome};
use crate::output::{shown, shown_path};
use crate::{
    CommandError, CommandResult, CommandVerdict, ReadFiles, print_summary, read_everything,
    report_error, write,
};
use author::import::file_name;
use author::session::{
    Acceptance, NewSession, ResponseFix, SessionFormat, SessionListing, acceptance, add, render,
    yaml_text,
};
use check::{CheckFacts, check_document};
use document::edit::{Edit, JsonValue};
use document::session::Session;
use document::text::{Source, count};
use document::{Document, DocumentBody, Severity, Syntax, text};
use engine::undo::StepRecorder;
use engine::{Phase, SourceLookup};

/// Write replay sessions as YAML or JSON files, or into a configuration.
///
/// Sessions are read from their files and from configurations. A session that is already in the output format is copied with
/// its comments and unknown fields; another keeps all its values. A session that Flakestorm would reject is not written: the
/// reason is reported, and the exit code is 1. With --mend, a tool response that is a list, a number or a boolean is
/// converted to one that Flakestorm accepts. An existing file with different content is not replaced, unless --force is given.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake export session replays --to replays-json --as json\n  \
                  retake export session drafts/refund.yaml --to flakestorm.yaml --dry-run\n  \
                  retake export session flakestorm.yaml --to replays --name '{number}-{id}.yaml' --json"
)]
pub(crate) struct ExportSessionArgs {
    /// Sessions and configurations: files and folders.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The folder to write to, or a configuration (flakestorm.yaml) to add the sessions to.
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
    /// The output format [default: by the ending of --name].
    #[arg(long = "as", value_name = "FORMAT", value_parser = one_of(FORMATS))]
    form: Option<SessionFormat>,
    /// The file names; {id}, {date}, {source} and {number} are replaced [default: {id}.yaml or {id}.json].
    #[arg(long, value_name = "PATTERN")]
    name: Option<String>,
    /// Convert tool responses that are a list, a number or a boolean to ones that Flakestorm accepts.
    #[arg(long = "mend", value_name = "KIND", value_parser = one_of(FIXES))]
    fix_responses: Option<ResponseFix>,
    /// Replace existing files with different content.
    #[arg(long, visible_alias = "overwrite")]
    force: bool,
    /// Write nothing; show what would be written.
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

const FORMATS: [(&str, &str, SessionFormat); 2] =
    [("yaml", "", SessionFormat::Yaml), ("json", "", SessionFormat::Json)];

/// Fixes of tool responses, with their help.
const FIXES: [(&str, &str, ResponseFix); 2] = [
    ("text", "A string that contains their JSON", ResponseFix::AsText),
    ("wrap", "An object with the value under `result`", ResponseFix::Wrapped),
];

/// A session to write.
struct SessionToWrite {
    /// Path of the file in which it was found.
    path: String,
    /// The values that its file name is made from.
    names: NewSession,
    value: JsonValue,
    /// The text and syntax of its file; `None` for a session from a configuration.
    as_it_is: Option<(Source, Syntax)>,
}

pub(super) fn run(args: &ExportSessionArgs, recorder: &StepRecorder) -> CommandResult {
    let input = args.within.read(&args.paths, SourceLookup::LeaveAlone)?;
    let mut sessions = Vec::new();
    for (number, item) in Phase::over("Reading", input.numbered()) {
        match input.project.read(number, item) {
            Ok(document) => collect(&mut sessions, &item.path, &document),
            Err(reason) => report_error(&format!("{reason}: {}", shown(&item.path))),
        }
    }
    let broken_files = input.report_broken(&args.paths);
    if sessions.is_empty() {
        return Err("No session found in the given paths".into());
    }
    if let Some(fix) = args.fix_responses {
        sessions.iter_mut().for_each(|session| session.fix_responses(fix));
    }
    match args.to.extension() {
        // A name with an ending is a file, unless there is a folder of that name.
        Some(_) if !args.to.is_dir() => into_config(args, (&sessions, &broken_files), recorder),
        _ => into_folder(args, input, (&sessions, &broken_files), recorder),
    }
}

fn collect(sessions: &mut Vec<SessionToWrite>, path: &str, document: &Document) {
    let mut push = |session: &Session, as_it_is| {
        sessions.push(SessionToWrite {
            path: path.to_owned(),
            names: NewSession {
                id: text(&session.id).unwrap_or_default().to_owned(),
                source: text(&session.source).map(str::to_owned),
                captured_at: text(&session.captured_at).map(str::to_owned),
                ..NewSession::default()
            },
            value: JsonValue::from_node(document.node(session.node)),
            as_it_is,
        });
    };
    match &document.body {
        DocumentBody::Session(session) => {
            push(session, Some((document.source().clone(), document.syntax)));
        }
        // The text of a session that is loaded from a file is in that file, not in the configuration.
        DocumentBody::Config(config) => {
            config.sessions.iter().filter(|s| s.file.is_none()).for_each(|s| push(s, None));
        }
        _ => {}
    }
}

impl SessionToWrite {
    fn fix_responses(&mut self, fix: ResponseFix) {
        let responses = self.value.root().get("tool_responses").map_or(0, |list| list.len());
        for index in 0..responses {
            let pointer = format!("/tool_responses/{index}/response");
            let node = self.value.tree().at_pointer(&pointer);
            let Some(node) = node.filter(|n| acceptance(n.kind()) != Acceptance::Accepted) else {
                continue;
            };
            let value = fix.apply(&JsonValue::from_node(node));
            if let Some(new_value) = self.value.edited(&Edit::Set { pointer, value }) {
                self.value = new_value;
                // The text of the file has the old value.
                self.as_it_is = None;
            }
        }
    }

    /// The text to write: unchanged if the file is already in the output format.
    fn text(&self, form: SessionFormat) -> Result<String, String> {
        match (&self.as_it_is, form) {
            (Some((source, Syntax::Yaml)), SessionFormat::Yaml)
            | (Some((source, Syntax::Json)), SessionFormat::Json) => Ok(source.text().to_owned()),
            _ => render(&self.value, form),
        }
    }
}

/// Returns the text of a session, or why Flakestorm would reject it.
fn accepted(text: String, form: SessionFormat) -> Result<String, String> {
    let name = if form == SessionFormat::Json { "session.json" } else { "session.yaml" };
    let document = document::read(Source::new(text.as_str()), name);
    // Checked by the rules of `retake check`, so that both agree on what Flakestorm accepts.
    let problems = check_document(&document, &CheckFacts::default());
    match problems.iter().find(|p| p.severity == Severity::Error) {
        Some(problem) => Err(format!("{} ({})", problem.message, problem.pointer)),
        None => Ok(text),
    }
}

fn into_folder(
    arguments: &ExportSessionArgs,
    input: &ReadFiles,
    (sessions, broken_files): (&[SessionToWrite], &[(&str, String)]),
    recorder: &StepRecorder,
) -> CommandResult {
    let outbox = OutputFolder {
        folder: arguments.to.clone(),
        root: arguments.within.root(),
        mode: WriteMode::from_flags(arguments.dry_run, arguments.force),
        recorder,
    };
    let form = arguments.form();
    let mut files = FilesDocument::with_broken(arguments.dry_run, broken_files);
    for (number, session) in Phase::over("Exporting", sessions.iter().enumerate()) {
        let text = match session.text(form).and_then(|text| accepted(text, form)) {
            Ok(text) => text,
            Err(reason) => {
                files.add_refused(&session.path, FileOutcome::Skipped, &reason);
                report_error(&format!("{}: {}", shown(&reason), shown(&session.path)));
                continue;
            }
        };
        let name = file_name(&arguments.pattern(), &session.names, number + 1);
        let outcome = outbox.write_file(&name, &text)?;
        let path = outbox.path(&name);
        let path = slashed(&path);
        if !arguments.json {
            write(arguments.look.color, |output| outbox.show(output, &path, &outcome, &text))?;
        }
        match outcome {
            WriteOutcome::Written => files.add(&path, FileOutcome::Written),
            WriteOutcome::Same => files.add(&path, FileOutcome::Unchanged),
            WriteOutcome::Conflict(_) => {
                let reason = "A different file exists; --force replaces it";
                files.add_refused(&path, FileOutcome::Skipped, reason);
                report_error(&format!(
                    "Skipped: a different file exists; --force replaces it: {}",
                    shown(&path)
                ));
            }
        }
    }
    if arguments.json {
        write(arguments.look.color, |output| output.document(&files))?;
    } else if outbox.mode != WriteMode::DryRun {
        write(arguments.look.color, |output| {
            files.written().try_for_each(|path| output.line(&shown_path(path)))
        })?;
    }
    let word = if arguments.dry_run { "to be written" } else { "written" };
    let FilesSummary { written, unchanged, skipped, .. } = files.summary;
    arguments.print_summary(&format!(
        "{}: {written} {word}, {unchanged} unchanged, {} skipped",
        count(sessions.len(), "session"),
        // Broken files are counted as skipped, but were reported before and are no sessions.
        skipped - broken_files.len()
    ));
    Ok(input.verdict(if skipped > 0 { CommandVerdict::Failed } else { CommandVerdict::Passed }))
}

/// Adds the sessions to a configuration, and changes no other byte of it.
fn into_config(
    arguments: &ExportSessionArgs,
    (sessions, broken_files): (&[SessionToWrite], &[(&str, String)]),
    recorder: &StepRecorder,
) -> CommandResult {
    let input = read_everything(
        std::slice::from_ref(&arguments.to),
        arguments.within.root(),
        SourceLookup::LeaveAlone,
    )?;
    let path = arguments.to.to_string_lossy();
    let (Some(number), Some(item)) = (input.numbers.first(), input.items.first()) else {
        return Err(CommandError(format!("The file cannot be read: {}", shown(&path))));
    };
    let old_document = input
        .project
        .read(*number, item)
        .map_err(|reason| CommandError(format!("{reason}: {}", shown(&path))))?;
    let mut document = old_document.clone();
    let mut added_count = 0;
    let mut files = FilesDocument::with_broken(arguments.dry_run, broken_files);
    for session in sessions {
        // In the loop, because the document is parsed again after each session that is added.
        let DocumentBody::Config(config) = &document.body else {
            return Err(CommandError(format!(
                "Expected a configuration (flakestorm.yaml) or a folder: {}",
                shown(&path)
            )));
        };
        if config.sessions.iter().any(|s| text(&s.id) == Some(&session.names.id)) {
            let reason = "A session with this id already exists";
            files.add_refused(&session.path, FileOutcome::Skipped, reason);
            report_error(&format!(
                "A session with this id already exists: {}: {}",
                shown(&session.names.id),
                shown(&session.path)
            ));
            continue;
        }
        let text = yaml_text(&session.value);
        if let Err(reason) = accepted(text, SessionFormat::Yaml) {
            files.add_refused(&session.path, FileOutcome::Skipped, &reason);
            report_error(&format!("{}: {}", shown(&reason), shown(&session.path)));
            continue;
        }
        let edit = add(&document, SessionListing::Inline(&session.value))
            .map_err(|refusal| CommandError(format!("{refusal}: {}", shown(&path))))?;
        if let Some(edit) = edit {
            let mut text = document.source().text().to_owned();
            edit.apply(&mut text);
            document = document::read(Source::new(text), item.file_name());
            added_count += 1;
        }
    }
    if arguments.dry_run && !arguments.json {
        write(arguments.look.color, |output| {
            difference(output, &path, old_document.source().text(), document.source().text())
        })?;
    } else if added_count > 0 && !arguments.dry_run {
        let target = input.project.target(*number, item)?;
        store(recorder, target, old_document.source(), document.source())?;
    }
    if arguments.json {
        let outcome = if added_count == 0 { FileOutcome::Unchanged } else { FileOutcome::Written };
        files.add(&slashed(&arguments.to), outcome);
        write(arguments.look.color, |output| output.document(&files))?;
    }
    let word = if arguments.dry_run { "to be added" } else { "added" };
    arguments.print_summary(&format!(
        "{}: {added_count} {word}, {} skipped",
        count(sessions.len(), "session"),
        files.summary.skipped - broken_files.len()
    ));
    Ok(if files.summary.skipped > 0 { CommandVerdict::Failed } else { CommandVerdict::Passed })
}

impl ExportSessionArgs {
    fn print_summary(&self, line: &str) {
        if !self.json {
            print_summary(line);
        }
    }

    fn form(&self) -> SessionFormat {
        let ending = self.name.as_deref().and_then(|name| Path::new(name).extension());
        let is_json = ending.is_some_and(|ending| ending == "json");
        self.form.unwrap_or(if is_json { SessionFormat::Json } else { SessionFormat::Yaml })
    }

    fn pattern(&self) -> String {
        let ending = match self.form() {
            SessionFormat::Json => "{id}.json",
            SessionFormat::Yaml => "{id}.yaml",
        };
        self.name.clone().unwrap_or_else(|| ending.to_owned())
    }
}
