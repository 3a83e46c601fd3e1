//! Descriptions of formats: previews what one finds, and adds it to the project's settings.

use std::path::Path;
use std::sync::Arc;

use super::write_review::settings_step;
use crate::disk::files::{beneath, change_files};
use crate::disk::formats::{find_files, guess_format};
use crate::disk::guard::guard_file;
use crate::disk::root::{self, OpenedPath, to_sentence};
use crate::run::{TaskContext, Work};
use calls::reading::listed_calls;
use calls::{Item, Pool, summarise};
use check::settings::{Formats, parse};
use document::files::FilesChanged;
use document::text::Source;
use document::{Problem, RuleId};
use protocol::{
    EngineEvent, FormatPreview, ImportEvent, Lane, MAX_PREVIEWED_FILES, PreviewFormat, SaveFormat,
    SessionSteps,
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
            let format = &request.format;
            let step = settings_step(project, &format.toml(), |text| {
                parse(text).0.formats.table_of(text.text(), &format.paths)
            });
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
    let is_described = |path: &str| is_complete && formats.of(path).is_some();
    let opened = project.opened_path(key.doc.index())?;
    let (root, mut paths) = find_files(opened, is_described)?;
    if context.is_cancelled() {
        return None;
    }
    // The file that the form is for comes first, wherever it is in the folder.
    paths.sort_by_key(|path| **path != *item.root_path());
    let count = paths.len();
    let files = paths.into_iter().take(MAX_PREVIEWED_FILES).map(|path| {
        let file = guard_file(&path, || read_file(&root, &path, &formats));
        file.unwrap_or_else(|reason| {
            let problem = Problem::whole_file(RuleId::Unreadable, reason);
            Item::new(&path).with_problems(vec![problem])
        })
    });
    let files = files.collect();
    Some(Ok(Arc::new(FormatPreview { format, files, count })))
}

fn read_file(root: &OpenedPath, path: &Arc<str>, formats: &Formats) -> Result<Item, String> {
    let bytes = root::read_file(&root.dir, Path::new(&**path)).map_err(to_sentence)?;
    let document = formats.read(Source::from_bytes(bytes), path);
    let (calls, pool) = (listed_calls(&document), Pool::default());
    let problems = document.problems.clone();
    let item = summarise(Arc::clone(path), path, 0, &document, problems, None, &pool);
    Ok(item.with_calls(&document, &calls, &pool))
}
