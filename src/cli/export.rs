//! `retake export`: writes curated files. Each kind has a file.

mod map;
mod picture;
mod seeds;
mod session;
mod strip;
mod tape;

use std::io::{IsTerminal as _, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Subcommand;

use super::common::{ColorOption, ScanOptions};
use super::difference::difference;
use super::files_document::{FileOutcome, FilesDocument, slashed};
use super::outbox::{WriteOutcome, write_file};
use super::output::{on_terminal, shown};
use super::{CommandError, CommandResult, write};
use author::saving::Expected;
use engine::save::SaveTarget;
use engine::undo::StepRecorder;

/// Write seeds, sessions, tapes or pictures from recordings, cassettes, sessions, seeds and saved streams.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake export seeds fixtures/triage --model router --to tests/triage.seeds.json\n  \
                  retake export picture tapes/answer.json --to answer.svg\n  \
                  retake export map fixtures --to machine.svg\n  \
                  retake export strip --recordings fixtures/triage --requests ci-run.log --to run.svg\n  \
                  retake export session replays --to replays-json --as json\n  \
                  retake export tape answer.sse --to tapes/answer.json"
)]
pub(super) struct ExportArgs {
    #[command(subcommand)]
    command: ExportCommand,
}

#[derive(Debug, Subcommand)]
enum ExportCommand {
    Map(map::ExportMapArgs),
    Picture(picture::ExportPictureArgs),
    Seeds(seeds::ExportSeedsArgs),
    Session(session::ExportSessionArgs),
    Strip(strip::ExportStripArgs),
    Tape(tape::ExportTapeArgs),
}

pub(super) fn run(arguments: &ExportArgs, recorder: &StepRecorder) -> CommandResult {
    match &arguments.command {
        ExportCommand::Map(arguments) => map::run(arguments, recorder),
        ExportCommand::Strip(arguments) => strip::run(arguments, recorder),
        ExportCommand::Picture(arguments) => picture::run(arguments, recorder),
        ExportCommand::Seeds(arguments) => seeds::run(arguments, recorder),
        ExportCommand::Session(arguments) => session::run(arguments, recorder),
        ExportCommand::Tape(arguments) => tape::run(arguments, recorder),
    }
}

/// Options of every export.
#[derive(Debug, clap::Args)]
struct Destination {
    /// The file to write, or the folder for several files; - is standard output.
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
    /// Replace existing files with different content.
    #[arg(long)]
    force: bool,
    /// Print one JSON document with the outcome for each file.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

impl Destination {
    fn is_stdout(&self) -> bool {
        self.to == Path::new("-")
    }

    /// Prints the outcome for the one file, if JSON is wanted.
    fn report(&self, outcome: FileOutcome) -> CommandResult<()> {
        let mut files = FilesDocument::new(false);
        files.add(&slashed(&self.to), outcome);
        self.report_files(&files)
    }

    /// Prints the outcome for each file, if JSON is wanted.
    fn report_files(&self, files: &FilesDocument) -> CommandResult<()> {
        if !self.json {
            return Ok(());
        }
        write(self.look.color, |output| output.document(files))
    }

    /// Fails if the file and the JSON document would both go to standard output.
    fn check(&self) -> CommandResult<()> {
        if self.json && self.is_stdout() {
            return Err(
                "--json prints the document to standard output; give a file with --to".into()
            );
        }
        Ok(())
    }

    fn target(&self) -> CommandResult<SaveTarget> {
        Ok(SaveTarget::chosen(&self.to, self.within.root())?)
    }

    /// A file in the destination folder, else the destination file. Creates missing folders.
    fn target_of(&self, relative_path: Option<&Path>) -> CommandResult<SaveTarget> {
        let (folder, name) = match (relative_path, self.to.parent(), self.to.file_name()) {
            (Some(relative_path), ..) => (self.to.as_path(), relative_path),
            // A single file in a folder that is missing: the folder is created as for several.
            (None, Some(folder), Some(name)) if !folder.exists() => (folder, Path::new(name)),
            (None, ..) => return self.target(),
        };
        let target = SaveTarget::below(folder, name, self.within.root())?;
        target.make_folder()?;
        Ok(target)
    }

    /// Writes the text. If the file exists with another text, shows a diff and fails, unless --force is given.
    fn write(&self, recorder: &StepRecorder, text: &str) -> CommandResult<FileOutcome> {
        if self.is_stdout() {
            self.print(text.as_bytes())?;
            Ok(FileOutcome::Written)
        } else {
            self.write_to(recorder, self.target()?, text)
        }
    }

    /// Prints text: byte for byte to a file or a pipe, with hidden characters made visible on a terminal.
    fn print(&self, bytes: &[u8]) -> CommandResult<()> {
        // Text from files must not control a terminal.
        let text = stdout().is_terminal().then(|| on_terminal(&String::from_utf8_lossy(bytes)));
        let bytes = text.as_deref().map_or(bytes, str::as_bytes);
        write(self.look.color, |output| output.raw(bytes))
    }

    /// Writes binary data. If the file exists with other content, fails, unless --force is given.
    fn write_bytes(&self, log: &StepRecorder, bytes: &[u8]) -> CommandResult<FileOutcome> {
        if self.is_stdout() {
            self.print(bytes)?;
            return Ok(FileOutcome::Written);
        }
        match self.save(log, self.target()?, bytes)? {
            Ok(outcome) => Ok(outcome),
            Err(_) => Err(CommandError(format!(
                "{} exists with different content; --force replaces it",
                shown(&self.to.to_string_lossy())
            ))),
        }
    }

    /// As [`write`](Self::write), to one of several files.
    fn write_to(
        &self,
        recorder: &StepRecorder,
        target: SaveTarget,
        text: &str,
    ) -> CommandResult<FileOutcome> {
        let path = Arc::clone(&target.shown);
        let other_text = match self.save(recorder, target, text.as_bytes())? {
            Ok(outcome) => return Ok(outcome),
            Err(other_text) => other_text,
        };
        let remark = if self.json {
            ""
        } else {
            write(self.look.color, |output| difference(output, &path, &other_text, text))?;
            " and makes the changes shown above"
        };
        Err(CommandError(format!(
            "{} exists with a different text; --force replaces it{remark}",
            shown(&path)
        )))
    }

    /// Writes a file. The inner error is the existing content if it is different.
    fn save(
        &self,
        recorder: &StepRecorder,
        target: SaveTarget,
        bytes: &[u8],
    ) -> CommandResult<Result<FileOutcome, String>> {
        let expected = if self.force { Expected::Anything } else { Expected::Nothing };
        Ok(match write_file(recorder, target, bytes, expected)? {
            WriteOutcome::Conflict(other_text) => Err(other_text),
            WriteOutcome::Written => Ok(FileOutcome::Written),
            WriteOutcome::Same => Ok(FileOutcome::Unchanged),
        })
    }
}
