//! The command line: one file a command, each a face of the library and nothing more.
//!
//! Results go to stdout, messages for people to stderr. Exit codes: 0 done, 1 findings that fail, 2 the work could not be
//! done. Whatever comes from a file is made visible on its way out (see `output`).

mod check;
mod list;
mod output;
mod progress;
mod source;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand, ValueEnum};

use crate::engine::root::OpenError;
use crate::engine::{Progress, Project, SourceLookup, Step, scan};
use crate::ops::Item;
use output::Output;
use progress::ProgressLine;

/// What the user asked for.
#[derive(Debug)]
pub enum Asked {
    /// The window, on these files and folders; none: what was open last.
    Window(Vec<PathBuf>),
    /// A command, which is done.
    Done(ExitCode),
}

/// See, compare and curate recordings of language-model agents.
///
/// Without a command, opens the window on files and folders; without those, on what was open last. A path that is named
/// like a command is given as ./list.
#[derive(Debug, Parser)]
#[command(
    name = "retake",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    after_help = "Examples:\n  retake sample-recordings\n  retake check fixtures --mode strict\n\n\
                  Exit codes: 0 done, 1 findings that fail, 2 the work could not be done."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Files and folders to open in the window.
    paths: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Check(check::Arguments),
    Source(source::Arguments),
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing that fails.
    Passed,
    /// Something that fails.
    Failed,
}

/// Why the work could not be done.
#[derive(Debug)]
struct Failure(String);

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(format!("The output cannot be written: {error}"))
    }
}

/// Runs the command that the arguments ask for, the program's name first; the window is left to the caller.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Asked {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout; who closed that pipe has seen enough.
            let _ = error.print();
            return Asked::Done(if error.use_stderr() {
                exit_code(2)
            } else {
                exit_code(0)
            });
        }
    };
    let done = match arguments.command {
        None => return window(arguments.paths),
        Some(Command::List(arguments)) => list::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Source(arguments)) => source::run(&arguments),
    };
    Asked::Done(match done {
        Ok(Verdict::Passed) => exit_code(0),
        Ok(Verdict::Failed) => exit_code(1),
        Err(Failure(reason)) => {
            complain(&reason);
            exit_code(2)
        }
    })
}

/// Writes a line to stderr. Whoever closed that pipe does not want to know.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn exit_code(code: u8) -> ExitCode {
    ExitCode::from(code)
}

/// Tells people something on stderr.
pub fn complain(message: &str) {
    for line in message.lines() {
        tell(&format!("retake: {}", output::guarded(line)));
    }
}

/// Makes sure that what the window shall open is there: a typing error is told where it was made.
fn window(paths: Vec<PathBuf>) -> Asked {
    let Err(error) = Project::open(&paths, None) else {
        return Asked::Window(paths);
    };
    let shown = error.path.to_string_lossy();
    let commands = ["list", "check", "source"];
    let near = similar::get_close_matches(&*shown, &commands, 1, 0.6);
    complain(&match near.first() {
        Some(near) => format!(
            "There is no file, folder or command {}; did you mean `retake {near}`?",
            output::shown(&shown)
        ),
        None => unopened(&error),
    });
    Asked::Done(exit_code(2))
}

fn unopened(error: &OpenError) -> String {
    match error.error.kind() {
        io::ErrorKind::NotFound => format!(
            "There is no file or folder at {}; paths are taken from the current folder",
            output::shown(&error.path.to_string_lossy())
        ),
        _ => format!("Cannot be opened: {error}"),
    }
}

/// Everything that was read, in the order of listing, with all its problems.
struct Everything {
    project: Project,
    items: Vec<Item>,
    progress: Progress,
    elapsed: Duration,
}

impl Everything {
    /// How many files were looked at.
    fn files(&self) -> usize {
        self.progress.read + self.progress.not_opened
    }
}

/// Opens and reads all paths, with a line of progress for whoever waits.
fn read_everything(
    paths: &[PathBuf],
    root: Option<&Path>,
    lookup: SourceLookup,
) -> Result<Everything, Failure> {
    let started = Instant::now();
    let project = Project::open(paths, root).map_err(|error| Failure(unopened(&error)))?;
    let mut line = ProgressLine::new(started);
    let (mut arrived, mut judged) = (Vec::new(), Vec::new());
    let outcome = scan(
        &project,
        lookup,
        &AtomicBool::new(false),
        &mut |step| match step {
            Step::Rows(rows) => arrived.extend(rows),
            Step::Progress(progress) => line.show(progress),
            Step::Judged(problems) => judged = problems,
        },
    );
    line.clear();
    let outcome =
        outcome.map_err(|error| Failure(format!("No thread can be started to read: {error}")))?;
    let mut items: Vec<(u64, Item)> = outcome
        .order
        .iter()
        .copied()
        .zip(arrived.into_iter().map(Arc::unwrap_or_clone))
        .collect();
    for (index, problem) in judged {
        if let Some((_, item)) = items.get_mut(index) {
            item.problems.push(problem);
        }
    }
    items.sort_by_key(|(order, _)| *order);
    let items = items.into_iter().map(|(_, mut item)| {
        item.problems
            .sort_by_key(|problem| (problem.place, problem.rule));
        item
    });
    Ok(Everything {
        items: items.collect(),
        project,
        progress: outcome.progress,
        elapsed: started.elapsed(),
    })
}

/// Writes the result. Whoever closed the pipe has seen enough: that is no error.
fn write(color: Color, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), Failure> {
    let mut output = Output::new(color);
    match write(&mut output).and_then(|()| output.finish()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Failure::from),
    }
}

/// A number with its word, such as `1 error` or `3 errors`.
fn count(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}
