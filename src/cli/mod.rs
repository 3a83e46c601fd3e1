//! The command line: a file for each command. Commands only call the library and print.
//!
//! Results go to stdout, messages to stderr. Exit codes: 0 success, 1 findings that fail, 2 the command could not do its
//! work. Hidden characters in text from files are made visible when they are printed (see `output`).

mod check;
mod common;
mod contract;
mod diff;
mod difference;
mod edit;
mod export;
mod hook;
mod import;
mod list;
mod live;
mod lookup;
mod matching;
mod outbox;
mod output;
mod play;
mod progress;
mod review;
mod seeds;
mod source;
mod stamp;
mod verify;

use std::collections::BTreeMap;
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
use crate::format::Document;
use crate::format::foreign::ForeignFormat;
use crate::ops::Item;
use crate::ops::secret::Mask;
use crate::text::upper_first;
use output::Output;
use progress::ProgressLine;

/// The request of the user.
#[derive(Debug)]
pub enum Asked {
    /// The window.
    Window {
        /// The files and folders to open; empty: those that were open last.
        paths: Vec<PathBuf>,
        /// The folder outside of which nothing is read; `None` means the project that contains each path.
        root: Option<PathBuf>,
    },
    /// A command that has run.
    Done(ExitCode),
}

/// See, compare and curate recordings of language-model agents.
///
/// Without a command, opens files and folders in the window; without paths, those that were open last. The window needs a
/// display; the commands do not. Write a path that has the name of a command as ./list.
#[derive(Debug, Parser)]
#[command(
    name = "retake",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    after_help = "Examples:\n  retake sample-recordings\n  retake check fixtures --mode strict\n\n\
                  Exit codes: 0 success, 1 findings that fail, 2 the command could not do its work: wrong usage, a \
                  missing file, no display. Results go to stdout, messages to stderr."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Files and folders to open in the window.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read nothing outside this folder [default: the project that contains each path].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Check(check::Arguments),
    Match(matching::Arguments),
    Source(source::Arguments),
    Stamp(stamp::Arguments),
    Diff(diff::Arguments),
    Review(review::Arguments),
    Edit(edit::Arguments),
    Import(import::Arguments),
    Contract(contract::Arguments),
    Lookup(lookup::Arguments),
    Play(play::Arguments),
    Verify(verify::Arguments),
    Export(export::Arguments),
    Answer(live::answer::Arguments),
    Record(live::record::Arguments),
    Serve(live::serve::Arguments),
    Hook(hook::Arguments),
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// No finding that fails.
    Passed,
    /// A finding that fails.
    Failed,
    /// Not everything could be checked.
    Incomplete,
}

/// Why a command could not do its work.
#[derive(Debug)]
struct Failure(String);

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(format!("The output cannot be written: {error}"))
    }
}

/// Runs the command in the arguments, of which the first is the program's name. The caller opens the window.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Asked {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return Asked::Done(usage(&error)),
    };
    let done = match arguments.command {
        None => window(arguments.paths, arguments.root),
        Some(Command::List(arguments)) => list::run(&arguments).map(Asked::from),
        Some(Command::Check(arguments)) => check::run(&arguments).map(Asked::from),
        Some(Command::Match(arguments)) => matching::run(&arguments).map(Asked::from),
        Some(Command::Source(arguments)) => source::run(&arguments).map(Asked::from),
        Some(Command::Stamp(arguments)) => stamp::run(&arguments).map(Asked::from),
        Some(Command::Diff(arguments)) => diff::run(&arguments).map(Asked::from),
        Some(Command::Review(arguments)) => review::run(&arguments).map(Asked::from),
        Some(Command::Edit(arguments)) => edit::run(&arguments).map(Asked::from),
        Some(Command::Import(arguments)) => import::run(&arguments).map(Asked::from),
        Some(Command::Contract(arguments)) => contract::run(&arguments).map(Asked::from),
        Some(Command::Lookup(arguments)) => lookup::run(&arguments).map(Asked::from),
        Some(Command::Play(arguments)) => play::run(&arguments).map(Asked::from),
        Some(Command::Verify(arguments)) => verify::run(&arguments).map(Asked::from),
        Some(Command::Export(arguments)) => export::run(&arguments).map(Asked::from),
        Some(Command::Answer(arguments)) => live::answer::run(&arguments).map(Asked::from),
        Some(Command::Record(arguments)) => live::record::run(&arguments).map(Asked::from),
        Some(Command::Serve(arguments)) => live::serve::run(&arguments).map(Asked::from),
        Some(Command::Hook(arguments)) => hook::run(&arguments).map(Asked::from),
    };
    done.unwrap_or_else(|Failure(reason)| {
        complain(&reason);
        Asked::from(Verdict::Incomplete)
    })
}

impl From<Verdict> for Asked {
    fn from(verdict: Verdict) -> Self {
        Self::Done(ExitCode::from(match verdict {
            Verdict::Passed => 0,
            Verdict::Failed => 1,
            Verdict::Incomplete => 2,
        }))
    }
}

/// Reports wrong arguments, or prints the help or the version.
fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // An argument may be the name of a file, which may hold anything.
        for line in error.to_string().lines() {
            tell(&output::shown(line));
        }
        return ExitCode::from(2);
    }
    match error.print() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&Failure::from(error).0);
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes an error message to stderr.
pub fn complain(message: &str) {
    for line in message.lines() {
        tell(&format!("retake: {}", output::shown(line)));
    }
}

/// Writes one line to stderr, with known forms of keys masked. A closed or full stderr is ignored.
fn tell(line: &str) {
    let line = Mask::default().apply(line).into_owned();
    let _ = writeln!(io::stderr(), "{}", output::guarded(&line));
}

/// Checks that the paths for the window exist, so that a typing error is reported in the terminal.
fn window(paths: Vec<PathBuf>, root: Option<PathBuf>) -> Result<Asked, Failure> {
    let Err(error) = Project::open(&paths, root.as_deref()) else {
        return Ok(Asked::Window { paths, root });
    };
    let shown = error.path.to_string_lossy();
    let commands = [
        "list", "check", "match", "lookup", "source", "stamp", "diff", "review", "edit", "play",
        "verify", "import", "contract", "export", "answer", "record", "serve", "hook",
    ];
    let near = if paths.contains(&error.path) {
        similar::get_close_matches(&*shown, &commands, 1, 0.6).pop()
    } else {
        None
    };
    Err(Failure(match near {
        Some(near) => format!(
            "No file, folder or command {}; did you mean `retake {near}`?",
            output::shown(&shown)
        ),
        None => unopened(&error),
    }))
}

fn unopened(error: &OpenError) -> String {
    match error.error.kind() {
        io::ErrorKind::NotFound => format!(
            "No file or folder at {}; paths are relative to the current folder",
            output::shown(&error.path.to_string_lossy())
        ),
        _ => format!("Cannot open: {error}"),
    }
}

/// All files that were read, in the order of listing, with their problems.
struct Everything {
    project: Project,
    /// The number of paths that could not be opened.
    unopened: usize,
    items: Vec<Arc<Item>>,
    /// The number of each item in the order of arrival.
    numbers: Vec<usize>,
    progress: Progress,
    elapsed: Duration,
}

impl Everything {
    /// Removes items that were read only as sources of others.
    fn keep_checked(&mut self) {
        let rows = self.items.drain(..).zip(self.numbers.drain(..));
        let project = &self.project;
        let kept: Vec<_> = rows
            .filter(|(item, number)| project.is_checked(*number, item))
            .collect();
        (self.items, self.numbers) = kept.into_iter().unzip();
        self.progress.read = self.items.len();
        self.progress.not_opened = 0;
    }

    /// Reports on stderr that folders contain nothing that Retake reads, and what they contain instead.
    fn tell_of_nothing(&self) {
        let is_nothing = self.items.iter().all(|item| item.foreign.is_some());
        if !self.project.has_folder() || !is_nothing || self.project.is_staged() {
            return;
        }
        let mut formats: BTreeMap<ForeignFormat, usize> = BTreeMap::new();
        for foreign in self.items.iter().filter_map(|item| item.foreign) {
            *formats.entry(foreign.format).or_default() += 1;
        }
        let line = |(format, number): (&ForeignFormat, &usize)| {
            let files = count(*number, "file");
            format!(
                "{files} of another tool ({}). {}",
                format.label(),
                format.help()
            )
        };
        match (self.files(), formats.is_empty()) {
            (0, _) => {
                complain("No recording, tape or session found: no JSON or YAML files");
            }
            (files, true) => {
                let files = count(files, "file");
                complain(&format!(
                    "No recording, tape or session found: {files} of unknown format"
                ));
            }
            (_, false) => {
                let lines: Vec<String> = formats.iter().map(line).collect();
                complain(&format!(
                    "No recording, tape or session found: {}",
                    lines.join(" ")
                ));
            }
        }
    }

    /// Removes files of other tools; reports the format of those that are named in the arguments.
    fn leave_out_other_tools(&mut self, named: &[PathBuf]) {
        for item in &self.items {
            if let Some(foreign) = item.foreign
                && named.iter().any(|path| path == Path::new(&*item.path))
            {
                let what = upper_first(&foreign.describe());
                let path = output::shown(&item.path);
                complain(&format!("{path}: {what}. {}", foreign.format.help()));
            }
        }
        let rows = self.items.drain(..).zip(self.numbers.drain(..));
        let kept: Vec<_> = rows.filter(|(item, _)| item.foreign.is_none()).collect();
        (self.items, self.numbers) = kept.into_iter().unzip();
    }

    /// The secrets of all items.
    fn secrets(&self) -> Mask {
        let mut secrets = Mask::default();
        let all = self.items.iter().filter_map(|item| item.secrets.as_ref());
        all.for_each(|more| secrets.merge(more));
        secrets
    }

    /// The number of files that were examined.
    fn files(&self) -> usize {
        self.progress.read + self.progress.not_opened
    }

    /// The final verdict: incomplete if not everything could be read.
    fn verdict(&self, verdict: Verdict) -> Verdict {
        match self.unopened {
            0 => verdict,
            _ => Verdict::Incomplete,
        }
    }
}

/// Reads one complete file.
fn read_document(file: &Path, root: Option<&Path>) -> Result<Document, Failure> {
    read_with_secrets(file, root).map(|(document, _)| document)
}

/// Reads one complete file and finds the secrets in it.
fn read_with_secrets(file: &Path, root: Option<&Path>) -> Result<(Document, Mask), Failure> {
    let paths = [file.to_owned()];
    let read = read_everything(&paths, root, SourceLookup::LeaveAlone)?;
    let shown = output::shown(&file.to_string_lossy()).into_owned();
    match read.items.as_slice() {
        [item] if !read.project.has_folder() => {
            let document = read.project.read(0, item);
            let document = document.map_err(|reason| Failure(format!("{reason}: {shown}")))?;
            Ok((document, read.secrets()))
        }
        _ => Err(Failure(format!("Expected a file, found a folder: {shown}"))),
    }
}

/// A project that is open and not yet read.
struct Opening {
    project: Project,
    /// The number of paths that could not be opened.
    unopened: usize,
    started: Instant,
}

/// Opens and reads all paths.
fn read_everything(
    paths: &[PathBuf],
    root: Option<&Path>,
    lookup: SourceLookup,
) -> Result<&'static mut Everything, Failure> {
    Opening::new(paths, root)?.read(lookup)
}

impl Opening {
    /// Opens all paths. One that cannot be opened is reported; if there is no other, that is an error.
    fn new(paths: &[PathBuf], root: Option<&Path>) -> Result<Self, Failure> {
        let started = Instant::now();
        let opened = Project::open_found(paths, root);
        let (project, errors) = opened.map_err(|error| Failure(unopened(&error)))?;
        let complaints: Vec<String> = errors.iter().map(unopened).collect();
        if project.is_empty() {
            return Err(Failure(complaints.join("\n")));
        }
        complain(&complaints.join("\n"));
        Ok(Self {
            project,
            unopened: complaints.len(),
            started,
        })
    }

    /// Opens the staged files of the repository in the current folder.
    fn staged() -> Result<Self, Failure> {
        let started = Instant::now();
        let project = Project::open_staged(Path::new("."));
        let project = project.map_err(|reason| {
            Failure(format!(
                "Staged files cannot be read: {}",
                output::shown(&reason)
            ))
        })?;
        Ok(Self {
            project,
            unopened: 0,
            started,
        })
    }

    /// Reads everything and shows progress on a terminal.
    ///
    /// The result is never freed: freeing it piece by piece would take longer than printing it.
    fn read(self, lookup: SourceLookup) -> Result<&'static mut Everything, Failure> {
        let Self {
            project,
            unopened,
            started,
        } = self;
        let mut line = ProgressLine::new(started);
        let mut arrived: Vec<Arc<Item>> = Vec::new();
        let mut judged = Vec::new();
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
        let outcome = outcome
            .map_err(|error| Failure(format!("Cannot start a thread to read files: {error}")))?;
        for (index, problem) in judged {
            if let Some(item) = arrived.get_mut(index) {
                Arc::make_mut(item).problems.push(problem);
            }
        }
        for item in &mut arrived {
            let problems = &mut Arc::make_mut(item).problems;
            problems.sort_by_key(|problem| (problem.place, problem.rule));
        }
        let mut ordered: Vec<(u64, (usize, Arc<Item>))> = outcome
            .order
            .into_iter()
            .zip(arrived.into_iter().enumerate())
            .collect();
        ordered.sort_unstable_by_key(|(order, _)| *order);
        let (numbers, items) = ordered.into_iter().map(|(_, item)| item).unzip();
        let everything = Everything {
            items,
            numbers,
            project,
            unopened,
            progress: outcome.progress,
            elapsed: started.elapsed(),
        };
        Ok(Box::leak(Box::new(everything)))
    }
}

/// Writes the result. A pipe that the reader closed is not an error.
fn write(color: Color, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), Failure> {
    let mut output = Output::new(color);
    match write(&mut output).and_then(|()| output.finish()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Failure::from),
    }
}

/// A number with a noun, such as `1 error` or `3 errors`.
fn count(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}
