//! Descriptions of formats: previews what one finds, and adds it to the project's settings.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::write_review::settings_step;
use crate::disk::files::{beneath, change_files};
use crate::disk::guard::guard_file;
use crate::disk::project::Project;
use crate::disk::root::{self, OpenedPath, to_sentence};
use crate::disk::walk::{EntryKind, Stamps, walk};
use crate::run::{TaskContext, Work};
use calls::reading::listed_calls;
use calls::{Item, Pool, summarise};
use check::settings::Formats;
use document::RuleId;
use document::files::FilesChanged;
use document::format::{RecordingFormat, format_pattern, guess};
use document::text::Source;
use protocol::{
    EngineEvent, FormatPreview, ImportEvent, Lane, MAX_PREVIEWED_FILES, PreviewFormat,
    PreviewedFile, SaveFormat, SessionSteps,
};

pub(crate) fn preview_format(request: PreviewFormat) -> Work {
    Work::answering(Lane::Newest("format"), request, preview, |request, preview| {
        EngineEvent::FormatPreviewed(request.key.clone(), preview)
    })
}

pub(crate) fn save_format(request: SaveFormat) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            let step = settings_step(project, &request.format.toml());
            Some(step.and_then(|step| {
                let root = project.root().ok_or("Nothing is open")?;
                Ok((vec![step.clone()], change_files(&[step], beneath(root))))
            }))
        },
        |request, result| {
            let (steps, changes) =
                result.unwrap_or_else(|reason| (Vec::new(), FilesChanged::failed(reason)));
            let message = request.message.clone();
            let steps = SessionSteps { steps, message, is_undo: false };
            EngineEvent::Import(ImportEvent::FilesWritten(steps, changes))
        },
    )
}

/// Returns what a description finds; `None` when it was cancelled.
fn preview(
    request: &PreviewFormat,
    context: &TaskContext,
) -> Option<Result<Arc<FormatPreview>, String>> {
    let project = context.project.as_deref()?;
    let PreviewFormat { key, item } = request;
    let format = match &key.format {
        Some(format) => format.clone(),
        None => match guess_format(project, key.doc.index(), item) {
            Ok(format) => format,
            Err(reason) => return Some(Err(reason)),
        },
    };
    let is_complete = format.pointers.as_ref().is_none_or(|pointers| pointers.fault().is_none());
    let mut formats = Formats::default();
    formats.add(format.clone());
    let mut found: Vec<(usize, PathBuf, Arc<str>)> = Vec::new();
    // The file that the form is for comes first, wherever it is in the folder.
    let mut has_own = formats.of(&item.root_path).is_none();
    let _ = walk(&project.opened, Stamps::Skip, &mut |entry| {
        let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Named);
        if is_file && is_complete && formats.of(&entry.root_path).is_some() {
            let is_own = entry.root_path == item.root_path;
            has_own |= is_own;
            let place = if is_own { 0 } else { found.len() };
            if is_own || found.len() < MAX_PREVIEWED_FILES {
                found.insert(place, (entry.opened, entry.beneath, entry.root_path));
            }
        }
        found.truncate(MAX_PREVIEWED_FILES);
        if context.is_cancelled() || has_own && found.len() == MAX_PREVIEWED_FILES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if context.is_cancelled() {
        return None;
    }
    let files = found.into_iter().map(|(opened, beneath, path)| {
        let opened = &project.opened[opened];
        let file = guard_file(&path, || read_file(opened, &beneath, &path, &formats));
        file.unwrap_or_else(|reason| PreviewedFile {
            path,
            calls: 0,
            model: None,
            words: "".into(),
            fault: Some(reason.into()),
        })
    });
    let files = files.collect();
    Some(Ok(Arc::new(FormatPreview { format, files })))
}

/// Returns a description of the files like one of the project.
fn guess_format(project: &Project, index: usize, item: &Item) -> Result<RecordingFormat, String> {
    let document = project.read(index, item)?;
    Ok(RecordingFormat {
        name: document.format.as_ref().map_or_else(String::new, |format| format.name.clone()),
        paths: match &document.format {
            Some(format) if format.pointers.is_some() => format.paths.clone(),
            _ => vec![format_pattern(&item.root_path)],
        },
        pointers: Some(guess(&document)),
    })
}

fn read_file(
    opened: &OpenedPath,
    beneath: &std::path::Path,
    path: &Arc<str>,
    formats: &Formats,
) -> Result<PreviewedFile, String> {
    let bytes = root::read_file(&opened.dir, beneath).map_err(to_sentence)?;
    let document = formats.read(Source::from_bytes(bytes), path);
    let calls = listed_calls(&document);
    let pool = Pool::default();
    let (path, problems) = (Arc::clone(path), document.problems.clone());
    let item = summarise(Arc::clone(&path), path, 0, &document, problems, None, &pool)
        .with_calls(&document, &calls, &pool);
    let is_fault = |rule: RuleId| {
        rule == RuleId::FormatMismatch || rule == RuleId::Syntax || rule.hides_content()
    };
    let fault = document.problems.iter().find(|problem| is_fault(problem.rule));
    let first = item.calls.first();
    Ok(PreviewedFile {
        path: Arc::clone(&item.root_path),
        calls: calls.len(),
        model: item.model.clone(),
        words: first.map_or("", |call| call.summary.label()).into(),
        fault: fault.map(|problem| Arc::clone(&problem.message)),
    })
}
