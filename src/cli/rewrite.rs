//! The skeleton of the commands that rewrite files: plan each one, show its difference or write it, report it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::difference::difference;
use super::files_document::FileOutcome;
use super::outbox::write_files;
use super::output::{Output, shown};
use super::{CommandError, CommandResult, ReadFiles, report_error};
use author::saving::Expected;
use calls::Item;
use document::Document;
use document::text::Source;
use engine::Phase;
use engine::undo::{FileToWrite, StepRecorder};

/// A file with the text that it gets.
#[derive(Debug)]
pub(super) struct PlannedFile<'a, T> {
    /// The number by which the project reads it.
    pub(super) number: usize,
    pub(super) item: &'a Arc<Item>,
    pub(super) before: Source,
    pub(super) after: Source,
    /// Note of the command, for its report.
    pub(super) note: T,
}

/// The new text of a file with what is reported beside it; `None` if it stays. Or why it cannot be changed.
pub(super) type Planned<T> = Result<Option<(Source, T)>, String>;

/// A command that rewrites files: its plan for each one, and what it reports.
pub(super) trait RewriteCommand {
    /// The name of the phase in which files are planned.
    const PHASE: &'static str;
    /// The number of files that are written together. By one, outcomes are listed in the order of the files; more than some hundred
    /// would only take memory.
    const BATCH: usize = 1;
    /// Note about a file that is reported beside its text.
    type Note;

    /// Plans a file. One that stays is reported here.
    fn plan(&mut self, number: usize, item: &Arc<Item>, document: Document) -> Planned<Self::Note>;

    /// Reports a file that was written, or would be.
    fn on_written(&mut self, file: PlannedFile<'_, Self::Note>);

    /// Reports a file that cannot be planned (skipped) or written (failed).
    fn on_refused(&mut self, item: &Item, outcome: FileOutcome, reason: &str);
}

/// Reports on stderr why a file was not rewritten. The reason of a failed save names the file.
pub(super) fn report_refused(item: &Item, outcome: FileOutcome, reason: &str) {
    match outcome {
        FileOutcome::Failed => report_error(reason),
        _ => report_error(&format!("{reason}: {}", shown(&item.path))),
    }
}

/// Whether files are written, and what is shown of them.
pub(super) enum RewriteMode<'a> {
    Write(&'a StepRecorder),
    /// Nothing is written.
    DryRun,
    /// Nothing is written, and the differences are shown.
    ShowDifferences(&'a mut Output),
}

/// Rewrites files. One that cannot be read, planned or written is reported, and the others are rewritten.
pub(super) fn rewrite<C: RewriteCommand>(
    input: &ReadFiles,
    files: Vec<(usize, &Arc<Item>)>,
    mut mode: RewriteMode<'_>,
    command: &mut C,
) -> io::Result<()> {
    // A command that writes nothing removes nothing either.
    if matches!(mode, RewriteMode::Write(_)) {
        input.project.clean_leftovers(&AtomicBool::new(false));
    }
    let mut batch = Vec::new();
    for (number, item) in Phase::over(C::PHASE, files.into_iter()) {
        let plan = input.project.read(number, item).and_then(|document| {
            let old_source = document.source().clone();
            let plan = command.plan(number, item, document)?;
            Ok(plan.map(|(new_source, note)| PlannedFile {
                number,
                item,
                before: old_source,
                after: new_source,
                note,
            }))
        });
        match plan {
            Ok(file) => batch.extend(file),
            Err(reason) => command.on_refused(item, FileOutcome::Skipped, &reason),
        }
        if batch.len() == C::BATCH {
            finish(input, std::mem::take(&mut batch), &mut mode, command)?;
        }
    }
    finish(input, batch, &mut mode, command)
}

fn finish<C: RewriteCommand>(
    input: &ReadFiles,
    batch: Vec<PlannedFile<'_, C::Note>>,
    mode: &mut RewriteMode<'_>,
    command: &mut C,
) -> io::Result<()> {
    let results = match mode {
        RewriteMode::Write(recorder) => write_batch(input, &batch, recorder),
        _ => batch.iter().map(|_| Ok(())).collect(),
    };
    for (file, result) in batch.into_iter().zip(results) {
        if let RewriteMode::ShowDifferences(output) = mode {
            difference(output, &file.item.path, file.before.text(), file.after.text())?;
        }
        match result {
            Ok(()) => command.on_written(file),
            Err(CommandError(reason)) => {
                command.on_refused(file.item, FileOutcome::Failed, &reason);
            }
        }
    }
    Ok(())
}

/// Writes files whose content is still what was read.
fn write_batch<T>(
    input: &ReadFiles,
    batch: &[PlannedFile<'_, T>],
    recorder: &StepRecorder,
) -> Vec<CommandResult<()>> {
    let mut writes = Vec::new();
    let mut results: Vec<CommandResult<()>> = batch
        .iter()
        .map(|file| {
            writes.push(FileToWrite {
                target: input.project.target(file.number, file.item)?,
                bytes: file.after.text().as_bytes().into(),
                // A file that changed since it was planned is not overwritten.
                expected: Expected::from_bytes(Some(file.before.text().as_bytes())),
            });
            Ok(())
        })
        .collect();
    let outcomes = write_files(recorder, &writes);
    // Only files with a target were written, so the outcomes belong to these.
    for (result, outcome) in results.iter_mut().filter(|result| result.is_ok()).zip(outcomes) {
        *result = outcome;
    }
    results
}
