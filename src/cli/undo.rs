//! `retake undo`: undoes the last command that wrote files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, RootOption};
use super::difference::difference;
use super::output::{Output, OutputStyle, shown, shown_path};
use super::{
    CommandError, CommandResult, CommandVerdict, print_stderr, print_summary, report_error, write,
};
use author::command_step::{CommandStep, UndoMode};
use calls::secret::Mask;
use document::shell::CommandShell;
use document::text::{Source, count};
use engine::undo::{MAX_COMMAND_WAIT, UndoFile, UndoPlan, UndoRefusal, UndoStore};

/// Undo the last `edit`, `check --fix`, `check --write-baseline`, `init`, `triage --fix`, `stamp`, `stabilize`, `review`, `import` or `export` of a project.
///
/// Each file gets the bytes that it had before the command, and files that the command created are deleted. The command before that
/// is then the last one. A command that was killed is undone as far as it came, and so is the rest after an undo that was killed. If
/// one of the files has changed since, nothing is undone, and the exit code is 2: --skip restores the other files, and --drop
/// none. The last 20 commands of a project are kept, up to 200 MiB.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake undo --list --json\n  retake undo --dry-run\n  retake undo fixtures --skip"
)]
pub(super) struct UndoArgs {
    /// A file or folder in the project [default: the current folder].
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    path: PathBuf,
    /// List the commands that can be undone, the last one first.
    #[arg(long)]
    list: bool,
    /// Leave files that have changed since as they are, and restore the others.
    #[arg(long)]
    skip: bool,
    /// Change no file, and forget the last command, so that the one before can be undone.
    #[arg(long, conflicts_with_all = ["skip", "dry_run"])]
    drop: bool,
    /// Change no file; show the differences.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: RootOption,
    #[command(flatten)]
    look: ColorOption,
}

/// Returns the arguments of the program as a line, with known forms of keys masked.
pub(super) fn command_line(arguments: &[OsString]) -> String {
    let quoted_word = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        CommandShell::CURRENT
            .quote(&argument)
            // An argument that no shell can quote is only shown, not to be copied.
            .unwrap_or_else(|| format!("\"{}\"", argument.escape_debug()))
    };
    let words = arguments.iter().skip(1).map(quoted_word);
    let words = std::iter::once("retake".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
    Mask::default().apply(&words).into_owned()
}

pub(super) fn run(arguments: &UndoArgs) -> CommandResult {
    // Otherwise a mistyped path would mean the project around it, whose last command would be undone.
    if let Err(error) = arguments.path.symlink_metadata() {
        let path = arguments.path.to_string_lossy();
        return Err(CommandError(format!("{error}: {}", shown(&path))));
    }
    let fault = |refusal| CommandError(refusal_message(&refusal));
    let store = UndoStore::open(&arguments.path)?;
    let lock = if arguments.list || arguments.dry_run {
        None
    } else {
        // Two undos at once would restore one step twice.
        Some(store.lock(MAX_COMMAND_WAIT).map_err(fault)?)
    };
    // After the lock, since another command may have added one.
    let steps = store.steps();
    if arguments.list {
        write(arguments.look.color, |output| {
            if arguments.json {
                output.document(&UndoListDocument::new(&steps))
            } else {
                list(output, &steps)
            }
        })?;
        if steps.is_empty() && !arguments.json {
            print_stderr("Nothing to undo");
        }
        return Ok(CommandVerdict::Passed);
    }
    let Some(step) = steps.first() else {
        report_error("Nothing to undo in this project");
        return Ok(CommandVerdict::Failed);
    };
    let root = arguments.within.root();
    let mode = match (arguments.drop, arguments.skip) {
        (true, _) => UndoMode::Forget,
        (_, true) => UndoMode::SkipChanged,
        _ => UndoMode::All,
    };
    let plan = match &lock {
        Some(lock) => lock.undo(step, root, mode),
        None => store.plan(step, root, mode),
    };
    let plan = plan.map_err(fault)?;
    if arguments.json {
        write(arguments.look.color, |output| {
            output.document(&UndoDocument::new(step, &plan, arguments.dry_run))
        })?;
        return Ok(CommandVerdict::Passed);
    }
    write(arguments.look.color, |output| {
        for file in &plan.files {
            show(output, file, arguments.dry_run)?;
        }
        for (path, reason) in &plan.skipped {
            output.line(&format!("{}: skipped, {reason}", shown_path(&from_here(path))))?;
        }
        Ok(())
    })?;
    let label = match (arguments.drop, arguments.dry_run) {
        (true, _) => "Forgotten",
        (_, true) => "Would undo",
        _ => "Undone",
    };
    let files = match plan.files.len() {
        _ if arguments.drop => "no file was changed".to_owned(),
        files => count(files, "file"),
    };
    print_summary(&format!("{label}: {} ({files})", shown(&step.command)));
    Ok(CommandVerdict::Passed)
}

fn list(output: &mut Output, steps: &[CommandStep]) -> std::io::Result<()> {
    for step in steps {
        let time = output.styled(OutputStyle::Quiet, &time(step.seconds)).into_owned();
        let files = count(step.files.len(), "file");
        output.line(&format!("{time}  {}  {files}", shown(&step.command)))?;
    }
    Ok(())
}

/// The steps that can be undone, the last one first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UndoListDocument<'s> {
    steps: Vec<UndoStepJson<'s>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct UndoStepJson<'s> {
    command: &'s str,
    /// When it ran, in seconds since 1970 (UTC).
    seconds: i64,
    files: usize,
}

/// What was undone. With --drop, there are no files.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UndoDocument<'s> {
    command: &'s str,
    /// Whether nothing was changed: the files are those that a run without --dry-run would change.
    dry_run: bool,
    files: Vec<UndoFileJson>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct UndoFileJson {
    path: String,
    outcome: UndoOutcome,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum UndoOutcome {
    Restored,
    /// The command had created it.
    Deleted,
    /// It has changed since, and stays as it is.
    Skipped,
}

impl<'s> UndoListDocument<'s> {
    fn new(steps: &'s [CommandStep]) -> Self {
        let steps = steps.iter().map(|step| UndoStepJson {
            command: &step.command,
            seconds: step.seconds,
            files: step.files.len(),
        });
        Self { steps: steps.collect() }
    }
}

impl<'s> UndoDocument<'s> {
    fn new(step: &'s CommandStep, plan: &UndoPlan, dry_run: bool) -> Self {
        let files = plan.files.iter().map(|file| UndoFileJson {
            path: from_here(&file.path),
            outcome: match file.before {
                Some(_) => UndoOutcome::Restored,
                None => UndoOutcome::Deleted,
            },
        });
        let leftovers = plan
            .skipped
            .iter()
            .map(|(path, _)| from_here(path))
            .map(|path| UndoFileJson { path, outcome: UndoOutcome::Skipped });
        Self { command: &step.command, dry_run, files: files.chain(leftovers).collect() }
    }
}

/// A time to the minute.
fn time(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Writes the path of a file that was restored or deleted, or its difference.
fn show(output: &mut Output, file: &UndoFile, is_dry_run: bool) -> std::io::Result<()> {
    let path = from_here(&file.path);
    let text = |bytes: &Option<std::sync::Arc<[u8]>>| {
        let bytes = bytes.as_deref().unwrap_or_default().to_vec();
        Source::from_bytes(bytes).text().to_owned()
    };
    if is_dry_run {
        difference(output, &path, &text(&file.now), &text(&file.before))?;
    }
    let label = match (&file.before, is_dry_run) {
        (None, true) => "would be deleted",
        (None, false) => "deleted",
        (_, true) => "would be restored",
        (_, false) => "restored",
    };
    output.line(&format!("{}: {label}", shown_path(&path)))
}

fn refusal_message(refusal: &UndoRefusal) -> String {
    match refusal {
        UndoRefusal::Failed(_) => refusal.to_string(),
        UndoRefusal::Changed(files) => {
            let files: Vec<String> =
                files.iter().map(|(p, reason)| format!("{}: {reason}", from_here(p))).collect();
            format!(
                "Nothing was undone:\n{}\n\
                 Use --skip to restore the other files only, or --drop to forget this command without changing a file",
                files.join("\n")
            )
        }
    }
}

/// The path from the current folder, if the file is below that.
fn from_here(path: &Path) -> String {
    // Paths of steps begin with the real path of the project, so the current folder is compared in that form.
    let current_folder = std::env::current_dir().and_then(|d| d.canonicalize());
    let relative_path = current_folder.ok().and_then(|folder| path.strip_prefix(folder).ok());
    relative_path.unwrap_or(path).to_string_lossy().replace('\\', "/")
}
