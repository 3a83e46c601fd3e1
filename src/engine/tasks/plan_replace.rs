//! Finds the places of a replacement in many documents. Changes nothing.

use std::sync::Arc;

use crate::current::read_current;
use crate::disk::guard::guard_file;
use crate::run::{TaskContext, Work};
use author::replace::{self, ReplacePlace, group_changes};
use document::text::{Place, Source};
use protocol::{
    CurrentDocument, EngineEvent, Lane, PlanReplace, PreviewPlace, ReplaceGroup, ReplacePreview,
};

/// Number of places that are listed: more than anyone looks at.
const MAX_PLACES: usize = 10_000;

/// Number of characters of a line that are shown, and of those before the place.
const MAX_LINE_CHARS: usize = 160;
const LEAD_CHARS: usize = 24;

pub(crate) const LANE: Lane = Lane::Newest("replace");

pub(crate) fn plan_replace(request: PlanReplace) -> Work {
    Work::answering(LANE, request, preview, |request, preview| {
        EngineEvent::ReplacePlanned(request.key.clone(), preview)
    })
}

/// Returns the places; `None` when it was cancelled.
fn preview(
    job: &PlanReplace,
    context: &TaskContext,
) -> Option<Result<Arc<ReplacePreview>, String>> {
    let project = context.project.as_deref()?;
    let mut preview = ReplacePreview { searched: job.documents.len(), ..ReplacePreview::default() };
    let mut files: Vec<FoundFile<'_>> = Vec::new();
    let mut place_count = 0;
    for current in &job.documents {
        if context.is_cancelled() {
            return None;
        }
        let result = guard_file(current.item.root_path(), || {
            let document = read_current(project, current)?;
            // Code, machines and logs are not refused: there is nothing to replace in them.
            if !replace::has_values(&document) {
                return Ok(None);
            }
            let replacement = std::slice::from_ref(&job.replacement);
            // All places are listed; the user excludes some of them afterwards.
            let plan = replace::plan(&document, replacement, &|_| false);
            Ok(Some((document.source().clone(), plan)))
        });
        let (source, plan) = match result {
            Ok(Some(source_and_plan)) => source_and_plan,
            Ok(None) => continue,
            Err(reason) => {
                preview.refused.push((preview_place(current, None, Place::START), reason));
                continue;
            }
        };
        let refusals = plan
            .refused
            .into_iter()
            .map(|refusal| (preview_place(current, Some(&source), refusal.place), refusal.reason));
        preview.refused.extend(refusals);
        if plan.places.is_empty() {
            continue;
        }
        preview.files += 1;
        let room = MAX_PLACES - place_count;
        if plan.places.len() > room {
            // A file is listed as a whole or not at all.
            preview.more_places += plan.places.len();
            preview.more_docs.push(current.doc);
            continue;
        }
        place_count += plan.places.len();
        let lines = plan.places.iter().map(|place| excerpt(&source, place.place));
        files.push(FoundFile { current, lines: lines.collect(), places: plan.places });
    }
    preview.groups = groups(&files);
    Some(Ok(Arc::new(preview)))
}

struct FoundFile<'a> {
    current: &'a CurrentDocument,
    places: Vec<ReplacePlace>,
    /// The line of each place.
    lines: Vec<Box<str>>,
}

fn groups(files: &[FoundFile<'_>]) -> Vec<ReplaceGroup> {
    let by_path = |file: &FoundFile<'_>| file.current.item.root_path().into();
    let paths: Vec<Arc<str>> = files.iter().map(by_path).collect();
    let places_by_path = paths.iter().zip(files).map(|(path, file)| (&**path, &*file.places));
    let groups = group_changes(places_by_path).into_iter().map(|group| {
        let mut places = Vec::with_capacity(group.places());
        let mut rest = files.iter();
        for (path, _) in &group.files {
            // Both are in the order of the files.
            let Some(file) = rest.find(|file| *file.current.item.root_path() == **path) else {
                continue;
            };
            let lines = file.places.iter().zip(&file.lines);
            let found_places = lines.filter(|(place, _)| place.change == *group.change);
            places.extend(found_places.map(|(place, line)| PreviewPlace {
                doc: file.current.doc,
                path: file.current.item.root_path().into(),
                place: place.place,
                line: line.clone(),
            }));
        }
        ReplaceGroup { change: group.change.clone(), files: group.files.len(), places }
    });
    groups.collect()
}

fn preview_place(current: &CurrentDocument, source: Option<&Source>, place: Place) -> PreviewPlace {
    PreviewPlace {
        doc: current.doc,
        path: current.item.root_path().into(),
        place,
        line: source.map_or_else(Box::default, |source| excerpt(source, place)),
    }
}

/// Returns the line of a place without its indentation; of a long one, the part around the place.
fn excerpt(source: &Source, place: Place) -> Box<str> {
    let line = source.line((place.line as usize).saturating_sub(1));
    let column = (place.column as usize).saturating_sub(1);
    let indentation = line.chars().take_while(|c| c.is_whitespace()).count();
    let start = indentation.max(column.saturating_sub(LEAD_CHARS));
    let mut chars = line.chars().skip(start);
    let mut text = String::new();
    if start > indentation {
        text.push('…');
    }
    text.extend(chars.by_ref().take(MAX_LINE_CHARS));
    if chars.next().is_some() {
        text.push('…');
    }
    text.into()
}
