//! The command line: a file or a folder for each command (`match`: `matching/`; `answer`, `record`, `serve`: `live/`; `explain`: `rules.rs`). Commands call other members and print.
//!
//! Results go to stdout, messages to stderr. Exit codes: 0 success, 1 findings that fail, 2 the command could not do its
//! work. JSON documents have a `schema_version` (see `output`) and a schema (see `schema`). Hidden characters in text from files are made
//! visible when they are printed (see `output`).

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

mod audit;
mod blame;
mod check;
mod choices;
mod common;
mod completions;
mod contract;
mod diff;
mod difference;
mod drift;
mod edit;
mod export;
mod files_document;
mod hook;
mod import;
mod init;
mod list;
mod live;
mod lookup;
mod man;
mod markdown;
mod matching;
mod outbox;
mod output;
mod pager;
mod play;
mod plugin;
mod progress;
mod read_files;
mod redact;
mod review;
mod rewrite;
mod rules;
mod schema;
mod seeds;
mod skill;
mod source;
mod stabilize;
mod stamp;
mod triage;
mod undo;
mod unused;
mod verify;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

use author::saving::SaveFault;
use calls::file_part::FilePart;
use calls::secret::Mask;
use document::text::Place;
use engine::Project;
use engine::root::OpenError;
use engine::undo::StepRecorder;
use output::Output;
use progress::{clear_progress, show_progress};
use read_files::{
    OpenedPaths, ReadFiles, read_document, read_everything, read_with_secrets, report_ignored,
};

/// The request of the user.
#[derive(Debug)]
pub enum CliRequest {
    /// The window.
    Window {
        /// The files and folders to open; empty: those that were open last.
        paths: Vec<PathBuf>,
        /// One of these files, and what to show of it.
        place: Option<(PathBuf, Vec<FilePart>)>,
        /// The folder outside of which nothing is read; `None` means the project that contains each path.
        root: Option<PathBuf>,
        /// Whether the start page is shown in place of what was open last.
        is_new: bool,
    },
    /// A command that has run.
    Done(ExitCode),
}

/// Inspect, compare and curate recordings of language-model agents.
///
/// Without a command, Retake opens the given files and folders in its window; without paths, those that were open last. The
/// window needs a display; the commands do not. To open a folder that has the name of a command, write it with ./, as in
/// ./list.
#[derive(Debug, Parser)]
#[command(
    name = "retake",
    version = document::program::version(),
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    after_help = "Examples:\n  retake sample-recordings\n  retake fixtures/turn-2.json:12:5      # its text, at line 12 and column 5\n  retake 'cassettes/agent.yaml#call=3'  # its third call\n  retake check fixtures --mode strict\n\n\
                  Exit codes: 0 success, 1 findings that fail, 2 the command could not run: wrong usage, a \
                  missing file, no display. Results go to stdout, messages to stderr."
)]
struct RetakeArgs {
    #[command(subcommand)]
    command: Option<CliCommand>,
    /// Files and folders to open in the window; of a file as FILE:LINE or FILE:LINE:COLUMN, the text is shown at that place.
    /// Links such as FILE#call=3, FILE#chunk=17, FILE#line=12 or FILE#pointer=/a/b show that part; FOLDER#call=3 plays the set.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read nothing outside this folder [default: the enclosing project of each path].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Open a window without a project, not what was open last.
    #[arg(long, conflicts_with = "paths")]
    new_window: bool,
    /// Show no progress and no summary on stderr, only what went wrong.
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    List(list::ListArgs),
    Check(check::CheckArgs),
    Rules(rules::RulesArgs),
    Explain(rules::ExplainArgs),
    Init(init::InitArgs),
    Match(matching::MatchArgs),
    Triage(triage::TriageArgs),
    Drift(drift::DriftArgs),
    Audit(audit::AuditArgs),
    Source(source::SourceArgs),
    Blame(blame::BlameArgs),
    Stamp(stamp::StampArgs),
    Stabilize(stabilize::StabilizeArgs),
    Diff(diff::DiffArgs),
    Review(review::ReviewArgs),
    Edit(edit::EditArgs),
    Redact(redact::RedactArgs),
    // Boxed: it has the options of both ways to import.
    Import(Box<import::ImportArgs>),
    Contract(contract::ContractArgs),
    Lookup(lookup::LookupArgs),
    Play(play::PlayArgs),
    Verify(verify::VerifyArgs),
    Export(export::ExportArgs),
    Answer(live::answer::AnswerArgs),
    Record(live::record::RecordArgs),
    Serve(live::serve::ServeArgs),
    Plugin(plugin::PluginArgs),
    Hook(hook::HookArgs),
    Unused(unused::UnusedArgs),
    Undo(undo::UndoArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Schema(schema::SchemaArgs),
    Skill(skill::SkillArgs),
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ColorMode {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandVerdict {
    /// No finding that fails.
    Passed,
    /// A finding that fails.
    Failed,
    /// Not everything could be checked.
    Incomplete,
}

impl CommandVerdict {
    /// Returns the verdict of a command. What could not be checked counts more than a finding, since it may hide others.
    fn new(is_incomplete: bool, has_failed: bool) -> Self {
        match (is_incomplete, has_failed) {
            (true, _) => Self::Incomplete,
            (false, true) => Self::Failed,
            (false, false) => Self::Passed,
        }
    }
}

/// Reason why a command could not do its work.
#[derive(Debug)]
struct CommandError(String);

/// Result of a command, or of a part of its work.
type CommandResult<T = CommandVerdict> = Result<T, CommandError>;

impl From<String> for CommandError {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

impl From<&str> for CommandError {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self(format!("The output cannot be written: {error}"))
    }
}

impl From<SaveFault> for CommandError {
    fn from(fault: SaveFault) -> Self {
        Self(fault.to_string())
    }
}

/// Runs the command in the arguments, of which the first is the program's name. The caller opens the window.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> CliRequest {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Before parsing, which consumes the arguments.
    let recorder = StepRecorder::new(undo::command_line(&arguments));
    let arguments = match RetakeArgs::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return CliRequest::Done(report_usage(&error)),
    };
    if arguments.quiet {
        IS_QUIET.store(true, Ordering::Relaxed);
    // The window shows progress itself.
    } else if arguments.command.is_some() {
        show_progress();
    }
    let result = match arguments.command {
        None => window(arguments.paths, arguments.root, arguments.new_window),
        Some(command) => run_command(&command, &recorder).map(CliRequest::from),
    };
    // Also after an error: what was written before it can be undone.
    if let Some(reason) = recorder.finish() {
        report_error(&reason);
    }
    result.unwrap_or_else(|CommandError(reason)| {
        report_error(&reason);
        CliRequest::from(CommandVerdict::Incomplete)
    })
}

fn run_command(cmd: &CliCommand, recorder: &StepRecorder) -> CommandResult {
    match cmd {
        CliCommand::List(arguments) => list::run(arguments),
        CliCommand::Check(arguments) => check::run(arguments, recorder),
        CliCommand::Rules(arguments) => rules::list(arguments),
        CliCommand::Explain(arguments) => rules::explain(arguments),
        CliCommand::Init(arguments) => init::run(arguments, recorder),
        CliCommand::Match(arguments) => matching::run(arguments),
        CliCommand::Triage(arguments) => triage::run(arguments, recorder),
        CliCommand::Drift(arguments) => drift::run(arguments),
        CliCommand::Audit(arguments) => audit::run(arguments),
        CliCommand::Source(arguments) => source::run(arguments),
        CliCommand::Blame(arguments) => blame::run(arguments),
        CliCommand::Stamp(arguments) => stamp::run(arguments, recorder),
        CliCommand::Stabilize(arguments) => stabilize::run(arguments, recorder),
        CliCommand::Diff(arguments) => diff::run(arguments),
        CliCommand::Review(arguments) => review::run(arguments, recorder),
        CliCommand::Redact(arguments) => redact::run(arguments),
        CliCommand::Edit(arguments) => edit::run(arguments, recorder),
        CliCommand::Import(arguments) => import::run(arguments, recorder),
        CliCommand::Contract(arguments) => contract::run(arguments),
        CliCommand::Lookup(arguments) => lookup::run(arguments),
        CliCommand::Play(arguments) => play::run(arguments),
        CliCommand::Verify(arguments) => verify::run(arguments),
        CliCommand::Export(arguments) => export::run(arguments, recorder),
        CliCommand::Answer(arguments) => live::answer::run(arguments),
        CliCommand::Record(arguments) => live::record::run(arguments),
        CliCommand::Serve(arguments) => live::serve::run(arguments),
        CliCommand::Plugin(arguments) => plugin::run(arguments, recorder),
        CliCommand::Hook(arguments) => hook::run(arguments),
        CliCommand::Unused(arguments) => unused::run(arguments),
        CliCommand::Undo(arguments) => undo::run(arguments),
        CliCommand::Completions(arguments) => completions::run(arguments),
        CliCommand::Man(arguments) => man::run(arguments),
        CliCommand::Schema(arguments) => schema::run(arguments),
        CliCommand::Skill(arguments) => skill::run(arguments),
    }
}

impl From<CommandVerdict> for CliRequest {
    fn from(verdict: CommandVerdict) -> Self {
        Self::Done(ExitCode::from(match verdict {
            CommandVerdict::Passed => 0,
            CommandVerdict::Failed => 1,
            CommandVerdict::Incomplete => 2,
        }))
    }
}

/// Reports wrong arguments, or prints the help or the version.
fn report_usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // An argument may be the name of a file, which may contain hidden characters.
        for line in error.to_string().lines() {
            print_stderr(&output::shown(line));
        }
        return ExitCode::from(2);
    }
    match error.print() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            report_error(&CommandError::from(error).0);
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes an error message to stderr.
pub fn report_error(message: &str) {
    for line in message.lines() {
        print_stderr(&format!("retake: {}", output::shown(line)));
    }
}

/// Whether summaries are left out; it applies to the whole process.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Writes a summary of what was done to stderr, unless --quiet is given.
fn print_summary(line: &str) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        print_stderr(line);
    }
}

/// Writes one line to stderr, with known forms of keys masked. A closed or full stderr is ignored.
fn print_stderr(line: &str) {
    let line = Mask::default().apply(line).into_owned();
    clear_progress();
    let _ = writeln!(io::stderr(), "{}", output::guard_line(&line));
}

/// Splits a path that names a part of a file, as in `a.json:12:5` and `a.yaml#call=3`. A file of that name itself has no part.
fn split_part(path: &Path) -> CommandResult<Option<(PathBuf, Vec<FilePart>)>> {
    if path.symlink_metadata().is_ok() {
        return Ok(None);
    }
    // A name may not be valid UTF-8, but what follows it is ASCII.
    let name = path.as_os_str().as_encoded_bytes();
    for index in memchr::memchr_iter(b'#', name) {
        let (file, part) = (path_of(&name[..index]), String::from_utf8_lossy(&name[index + 1..]));
        // A name may contain `#`, so the first `#` after the name of an existing file counts.
        if file.symlink_metadata().is_err() {
            continue;
        }
        let link = path.to_string_lossy();
        let link = output::shown(&link);
        let parts = FilePart::parse_all(&part)
            .map_err(|reason| CommandError(format!("The link {link} names no place: {reason}")))?;
        let is_call = |part: &FilePart| matches!(part, FilePart::Call(_));
        if file.is_dir() && !(parts.len() == 1 && parts.iter().all(is_call)) {
            return Err(CommandError(format!(
                "The link {link} is to a folder: write #call=3, or the path of a file"
            )));
        }
        return Ok(Some((file, parts)));
    }
    Ok(split_place(path).map(|(file, place)| (file, vec![FilePart::Place(place)])))
}

/// Splits a path that ends with a line, or a line and a column.
fn split_place(path: &Path) -> Option<(PathBuf, Place)> {
    let (prefix, last) = split_number(path)?;
    let column_place = split_number(&prefix).map(|(f, line)| (f, Place { line, column: last }));
    // The longer name first: a file may be called `a.json:12`.
    let candidates = [Some((prefix, Place { line: last, column: 1 })), column_place];
    candidates.into_iter().flatten().find(|(file, _)| file.is_file())
}

/// Splits off a number behind the last colon of a path.
fn split_number(path: &Path) -> Option<(PathBuf, u32)> {
    let name = path.as_os_str().as_encoded_bytes();
    let colon = memchr::memrchr(b':', name)?;
    let number = std::str::from_utf8(&name[colon + 1..]).ok()?;
    // `parse` would also take a sign.
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|_| is_number)?;
    Some((path_of(&name[..colon]), number))
}

/// Returns the path of a name, which on Unix may be any bytes.
fn path_of(name: &[u8]) -> PathBuf {
    #[cfg(unix)]
    let path = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name).into();
    #[cfg(not(unix))]
    let path = String::from_utf8_lossy(name).into_owned().into();
    path
}

/// Checks that the paths for the window exist, so that a typing error is reported in the terminal.
fn window(
    mut paths: Vec<PathBuf>,
    root: Option<PathBuf>,
    is_new: bool,
) -> CommandResult<CliRequest> {
    let mut place = None;
    for path in &mut paths {
        if let Some((file, parts)) = split_part(path)? {
            path.clone_from(&file);
            place = place.or(Some((file, parts)));
        }
    }
    let Err(error) = Project::open(&paths, root.as_deref()) else {
        return Ok(CliRequest::Window { paths, place, root, is_new });
    };
    let name = error.path.to_string_lossy();
    let command = RetakeArgs::command();
    let commands: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    // Below 0.7, short commands would be proposed for unrelated names.
    let similar_name = similar::get_close_matches(&*name, &commands, 1, 0.7).pop();
    Err(CommandError(match similar_name.filter(|_| paths.contains(&error.path)) {
        Some(similar_name) => format!(
            "No file, folder or command {}; did you mean `retake {similar_name}`?",
            output::shown(&name)
        ),
        None => open_error_message(&error),
    }))
}

fn open_error_message(error: &OpenError) -> String {
    match error.error.kind() {
        io::ErrorKind::NotFound => format!(
            "No file or folder at {}; paths are relative to the current folder",
            output::shown(&error.path.to_string_lossy())
        ),
        _ => format!("Cannot open: {error}"),
    }
}

/// Writes the result. A pipe that the reader closed is not an error.
fn write(color: ColorMode, write: impl FnOnce(&mut Output) -> io::Result<()>) -> CommandResult<()> {
    let mut output = Output::new(color);
    match write(&mut output).and_then(|()| output.flush()) {
        // As in `retake list | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(CommandError::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_parts_of_files_and_a_file_of_that_name_wins() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a.json", "b#call=1", "c#.json"] {
            std::fs::write(path(name), "{}").unwrap();
        }
        let description_of = |name: &str| {
            let split = split_part(&path(name));
            let text = match split {
                Ok(Some((file, parts))) => {
                    let parts: Vec<String> = parts.iter().map(FilePart::to_string).collect();
                    format!("{} {}", file.display(), parts.join(" "))
                }
                Ok(None) => "no part".to_owned(),
                Err(CommandError(message)) => message,
            };
            let folder = folder.path().display().to_string();
            format!("{name}: {}", text.replace(&folder, "").replace('\\', "/"))
        };
        let links = [
            "a.json",
            "a.json#call=3",
            "a.json#call=3,chunk=17",
            "a.json#pointer=/a#b",
            "a.json#lin=3",
            "a.json:12:5",
            "b#call=1",
            "c#.json#line=2",
            "none#call=3",
            "#call=3",
            "#line=3",
        ];
        insta::assert_snapshot!(links.map(description_of).join("\n"), @"
        a.json: no part
        a.json#call=3: /a.json call=3
        a.json#call=3,chunk=17: /a.json call=3 chunk=17
        a.json#pointer=/a#b: /a.json pointer=/a#b
        a.json#lin=3: The link /a.json#lin=3 names no place: expected #call=3, #chunk=17, #line=12 or #pointer=/a/b, found `#lin=3`
        a.json:12:5: /a.json line=12
        b#call=1: no part
        c#.json#line=2: /c#.json line=2
        none#call=3: no part
        #call=3: / call=3
        #line=3: The link /#line=3 is to a folder: write #call=3, or the path of a file
        ");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_utf8_has_parts_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &[u8]| folder.path().join(path_of(name));
        std::fs::write(path(b"\xff.json"), "{}").unwrap();
        let place = |line, column| vec![FilePart::Place(Place { line, column })];
        for (name, expected) in [
            (&b"\xff.json"[..], None),
            (b"\xff.json:3", Some(place(3, 1))),
            (b"\xff.json:3:7", Some(place(3, 7))),
            (b"\xff.json#call=2", Some(vec![FilePart::Call(2)])),
            (b"\xfe.json:3", None),
        ] {
            let split = split_part(&path(name)).ok().unwrap();
            let expected = expected.map(|parts| (path(b"\xff.json"), parts));
            assert_eq!(split, expected);
        }
    }

    /// Splits a line of a shell into its arguments, up to a comment, a pipe or a redirection.
    fn split_line(line: &str) -> Vec<String> {
        let (mut arguments, mut word, mut quote) = (Vec::new(), String::new(), None);
        for c in line.chars().chain([' ']) {
            match (quote, c) {
                (None, '#' | '|' | '>') if word.is_empty() => break,
                (None, ' ') if word.is_empty() => {}
                (None, ' ') => arguments.push(std::mem::take(&mut word)),
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), _) if c == open => quote = None,
                _ => word.push(c),
            }
        }
        arguments
    }

    /// Calls a function with each command, those of `export` included, and its names.
    fn each_command(
        command: &clap::Command,
        names: &str,
        visit: &mut impl FnMut(&str, &clap::Command),
    ) {
        for command in command.get_subcommands() {
            let names = format!("{names} {}", command.get_name());
            visit(&names, command);
            each_command(command, &names, visit);
        }
    }

    #[test]
    fn the_examples_of_every_help_are_valid() {
        let mut faults = String::new();
        each_command(&RetakeArgs::command(), "retake", &mut |names, command| {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples = help.lines().filter_map(|line| line.split_once("retake "));
            for (_, example) in examples {
                let example = format!("retake {example}");
                if let Err(error) = RetakeArgs::try_parse_from(split_line(&example)) {
                    faults += &format!("{names}: {example}\n{error}\n");
                }
            }
        });
        assert_eq!(faults, "");
    }

    /// Each option is in an example of the help, or in the section of the command in the guide.
    #[test]
    fn every_option_is_in_an_example_or_in_the_guide() {
        const SHARED: &[&str] =
            &["color", "root", "no-ignore", "no-cache", "quiet", "help", "version"];
        let guide = include_str!("../../assets/guide/command-line.md");
        let mut missing_options = String::new();
        each_command(&RetakeArgs::command(), "retake", &mut |names, command| {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let first = names.split(' ').take(2).collect::<Vec<_>>().join(" ");
            let section =
                guide.split("\n## ").find(|section| section.starts_with(&format!("{first}\n")));
            for option in command.get_arguments().filter_map(clap::Arg::get_long) {
                let option = format!("--{option}");
                let is_shown =
                    help.contains(&option) || section.is_some_and(|s| s.contains(&option));
                if !is_shown && !SHARED.contains(&&option[2..]) {
                    missing_options += &format!("{names} {option}\n");
                }
            }
        });
        assert_eq!(missing_options, "");
    }
}
