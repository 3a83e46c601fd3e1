//! `retake edit` on many places of many files.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use super::report::{ChangedFile, EditReport};
use super::{EditArgs, replacements::replacements};
use crate::cli::list::refusal;
use crate::cli::outbox::write_files;
use crate::cli::{CommandError, CommandVerdict, ReadFiles, read_everything, report_error, write};
use crate::engine::undo::{FileToWrite, StepRecorder};
use crate::engine::{Phase, SourceLookup};
use crate::format::Tree;
use crate::ops::Item;
use crate::ops::edit::{self, Edit};
use crate::ops::replace::{PlacePattern, ReplacePlan, Replacement, has_values, plan};
use crate::ops::saving::Expected;
use crate::ops::search::FilterQuery;
use crate::text::{Place, Source};

/// Whether an edit has a `*` that is not the name of a key in the file, and so names many places.
pub(super) fn finds_places(tree: &Tree, edits: &[Edit]) -> bool {
    let adds_keys = |edit: &Edit| !matches!(edit, Edit::Set { .. } | Edit::Remove { .. });
    let is_pattern = |pointer: &str| {
        let pattern = PlacePattern::parse(pointer);
        pattern.is_ok_and(|it| it.has_wildcard()) && edit::at(tree, pointer).is_err()
    };
    !edits.iter().any(adds_keys) && edits.iter().map(Edit::pointer).any(is_pattern)
}

/// The places to leave as they are, each as it was written, and whether it matched.
pub(super) struct SkippedPlaces(BTreeMap<String, bool>);

impl SkippedPlaces {
    fn new(written: &[String]) -> Self {
        let plain = |path: &String| (plain_path(path).to_owned(), false);
        Self(written.iter().map(plain).collect())
    }

    fn contains(&mut self, place: &str) -> bool {
        let found = self.0.get_mut(place);
        found.is_some_and(|is_used| {
            *is_used = true;
            true
        })
    }

    /// Those that matched nothing.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        let unused = self.0.iter().filter(|(_, is_used)| !**is_used);
        unused.map(|(place, _)| place.as_str())
    }
}

fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

pub(super) fn run(
    arguments: &EditArgs,
    edits: &[Edit],
    recorder: &StepRecorder,
) -> Result<CommandVerdict, CommandError> {
    let replacements = replacements(arguments, edits)?;
    let query = FilterQuery::parse(arguments.many.filter.as_deref().unwrap_or_default());
    if let Some(refusal) = refusal(&query) {
        return Err(refusal);
    }
    let lookup = match arguments.many.filter {
        Some(_) => SourceLookup::Look,
        None => SourceLookup::LeaveAlone,
    };
    let read = read_everything(&arguments.paths, arguments.within.bounds(), lookup)?;
    let read = &*read;
    if !arguments.dry_run {
        read.project.clean_leftovers(&AtomicBool::new(false));
    }
    let mut skipped = SkippedPlaces::new(&arguments.many.skip);
    let mut report = EditReport::default();
    let mut batch = Vec::new();
    // A file that is named twice is changed once.
    let mut seen = BTreeSet::new();
    for (number, item) in Phase::over("Editing", read.filtered(&query).into_iter()) {
        if skipped.contains(plain_path(&item.path)) {
            continue;
        }
        let target = read.project.target(number, item).map_err(CommandError)?;
        if !seen.insert(target.path()) {
            continue;
        }
        let (path, file) = (item.path.to_string(), (number, &**item));
        let (before, plan) = match plan_file(arguments, read, file, &replacements, &mut skipped) {
            Ok(Some(planned)) => planned,
            Ok(None) => continue,
            Err(reason) => {
                report.refuse_file(path, reason);
                continue;
            }
        };
        let refused = plan.refused.into_iter();
        report.refused.extend(refused.map(|refusal| (path.clone(), refusal)));
        let Some(edit) = plan.edit else { continue };
        let changed = ChangedFile { path, places: plan.places };
        if arguments.dry_run {
            report.files.push(changed);
            continue;
        }
        let mut text = before.text().to_owned();
        edit.apply(&mut text);
        let write = FileToWrite {
            target,
            bytes: text.into_bytes().into(),
            expected: Expected::from_bytes(Some(before.text().as_bytes())),
        };
        batch.push((changed, write));
        if batch.len() == BATCH {
            write_batch(recorder, &mut batch, &mut report);
        }
    }
    write_batch(recorder, &mut batch, &mut report);
    write(arguments.look.color, |output| {
        output.hide(read.secrets());
        report.write(output, arguments)
    })?;
    report.report_refused(&skipped);
    Ok(read.verdict(match (&*report.refused, &*report.files) {
        ([_, ..], _) => CommandVerdict::Incomplete,
        ([], [_, ..]) => CommandVerdict::Passed,
        ([], []) => {
            report_error(if edits.iter().any(|edit| edit.pointer().contains("#/")) {
                "Nothing matches; `#` leads into a text only in one file, and without `*`"
            } else {
                "Nothing matches"
            });
            CommandVerdict::Failed
        }
    }))
}

/// How many files are written together. More would only take memory.
const BATCH: usize = 256;

/// Writes the files of a batch, and adds them to the report.
fn write_batch(
    recorder: &StepRecorder,
    batch: &mut Vec<(ChangedFile, FileToWrite)>,
    report: &mut EditReport,
) {
    let (files, writes): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
    for (file, written) in files.into_iter().zip(write_files(recorder, &writes)) {
        match written {
            Ok(()) => report.files.push(file),
            Err(CommandError(reason)) => report.refuse_file(file.path, reason),
        }
    }
}

/// Reads a file and plans its changes; `None` for a file in a folder that has no values.
fn plan_file(
    arguments: &EditArgs,
    read: &ReadFiles,
    (number, item): (usize, &Item),
    replacements: &[Replacement],
    skipped: &mut SkippedPlaces,
) -> Result<Option<(Source, ReplacePlan)>, String> {
    let document = read.project.read(number, item)?;
    let path = &*item.path;
    let is_named = arguments.paths.iter().any(|named| named.to_string_lossy() == path);
    if !is_named && !has_values(&document) {
        return Ok(None);
    }
    let skipped = RefCell::new(skipped);
    let is_skipped = |Place { line, column }: Place| {
        let (mut skipped, path) = (skipped.borrow_mut(), plain_path(path));
        let is_line = skipped.contains(&format!("{path}:{line}"));
        skipped.contains(&format!("{path}:{line}:{column}")) || is_line
    };
    let plan = plan(&document, replacements, &is_skipped);
    Ok(Some((document.source().clone(), plan)))
}
