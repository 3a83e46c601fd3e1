//! `retake edit` on many places of many files.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::report::{ChangedFile, EditReport};
use super::{EditArgs, replacements::replacements};
use crate::files_document::FileOutcome;
use crate::list::refusal;
use crate::output::shown;
use crate::rewrite::{Planned, PlannedFile, RewriteCommand, RewriteMode, rewrite};
use crate::{CommandResult, CommandVerdict, report_error, write};
use author::replace::{PlacePattern, ReplacePlace, Replacement, has_values, plan};
use calls::Item;
use check::search::FilterQuery;
use document::edit::{self, Edit};
use document::text::{Place, Source};
use document::{Document, Tree};
use engine::SourceLookup;
use engine::undo::StepRecorder;

/// Whether an edit has a `*` that is not the name of a key in the file, and so names many places.
pub(super) fn finds_places(tree: &Tree, edits: &[Edit]) -> bool {
    let adds_keys = |edit: &Edit| !matches!(edit, Edit::Set { .. } | Edit::Remove { .. });
    let is_pattern = |pointer: &str| {
        let pattern = PlacePattern::parse(pointer);
        pattern.is_ok_and(|p| p.has_wildcard()) && edit::at(tree, pointer).is_err()
    };
    // Inserting, renaming and moving are for one place, so a `*` in them can only be a key.
    !edits.iter().any(adds_keys) && edits.iter().map(Edit::pointer).any(is_pattern)
}

/// The places to leave as they are, each as it was written, and whether it matched.
struct SkippedPlaces(BTreeMap<String, bool>);

impl SkippedPlaces {
    fn new(paths: &[String]) -> Self {
        let entry = |path: &String| (plain_path(path).to_owned(), false);
        Self(paths.iter().map(entry).collect())
    }

    fn contains(&mut self, place: &str) -> bool {
        self.0.get_mut(place).is_some_and(|is_used| {
            *is_used = true;
            true
        })
    }

    /// Reports each that matched nothing.
    fn report_unused(&self) {
        for (place, _) in self.0.iter().filter(|(_, is_used)| !**is_used) {
            report_error(&format!("--skip matches no place: {}", shown(place)));
        }
    }
}

fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

pub(super) fn run(arguments: &EditArgs, edits: &[Edit], recorder: &StepRecorder) -> CommandResult {
    let replacements = replacements(arguments, edits)?;
    let query = FilterQuery::parse(arguments.many.filter.as_deref().unwrap_or_default());
    if let Some(refusal) = refusal(&query) {
        return Err(refusal);
    }
    let lookup =
        // A filter may need the status of sources, which is only known after they were read.
        if arguments.many.filter.is_some() { SourceLookup::Look } else { SourceLookup::LeaveAlone };
    let input = arguments.within.read(&arguments.paths, lookup)?;
    let input = &*input;
    let mut editor = Editor {
        arguments,
        replacements,
        skipped: SkippedPlaces::new(&arguments.many.skip),
        report: EditReport::default(),
    };
    let mut files = Vec::new();
    // A file that is named twice is changed once.
    let mut seen_paths = BTreeSet::new();
    for (number, item) in input.filtered(&query) {
        if !editor.skipped.contains(plain_path(&item.path)) {
            // By its target, since two paths may lead to one file.
            let target = input.project.target(number, item)?;
            files.extend(seen_paths.insert(target.path()).then_some((number, item)));
        }
    }
    let mode = if arguments.dry_run { RewriteMode::DryRun } else { RewriteMode::Write(recorder) };
    rewrite(input, files, mode, &mut editor)?;
    let Editor { skipped, report, .. } = editor;
    write(arguments.look.color, |output| {
        output.hide(input.secrets());
        report.write(output, arguments)
    })?;
    report.report_refused();
    skipped.report_unused();
    Ok(input.verdict(match (&*report.refused, &*report.files) {
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

struct Editor<'a> {
    arguments: &'a EditArgs,
    replacements: Vec<Replacement>,
    skipped: SkippedPlaces,
    report: EditReport,
}

impl RewriteCommand for Editor<'_> {
    const PHASE: &'static str = "Editing";
    const BATCH: usize = 256;
    type Note = Vec<ReplacePlace>;

    /// Plans the changes of a file. One in a folder that has no values stays.
    fn plan(&mut self, _: usize, item: &Arc<Item>, document: Document) -> Planned<Self::Note> {
        let path = &*item.path;
        let mut paths = self.arguments.paths.iter();
        if !paths.any(|p| p.to_string_lossy() == path) && !has_values(&document) {
            return Ok(None);
        }
        let skips = RefCell::new(&mut self.skipped);
        let is_skipped = |Place { line, column }: Place| {
            let (mut skips, path) = (skips.borrow_mut(), plain_path(path));
            // Both are looked up, so that neither is reported as unused.
            let is_line = skips.contains(&format!("{path}:{line}"));
            skips.contains(&format!("{path}:{line}:{column}")) || is_line
        };
        let plan = plan(&document, &self.replacements, &is_skipped);
        let refusals = plan.refused.into_iter();
        self.report.refused.extend(refusals.map(|refusal| (path.to_owned(), refusal)));
        Ok(plan.edit.map(|edit| {
            let mut text = document.source().text().to_owned();
            edit.apply(&mut text);
            (Source::new(text), plan.places)
        }))
    }

    fn on_written(&mut self, file: PlannedFile<'_, Self::Note>) {
        let (path, places) = (file.item.path.to_string(), file.note);
        self.report.files.push(ChangedFile { path, places });
    }

    fn on_refused(&mut self, item: &Item, _: FileOutcome, reason: &str) {
        self.report.refuse_file(item.path.to_string(), reason.to_owned());
    }
}
