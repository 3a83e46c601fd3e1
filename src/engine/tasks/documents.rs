//! Reads documents, parses their texts, and writes them to files.

use std::path::Path;
use std::sync::Arc;

use crate::current::parse;
use crate::disk::project::Project;
use crate::disk::save::{self, SaveRequest, SaveTarget, save};
use crate::run::Work;
use author::saving::{Expected, SaveFailure, SaveFault, Saved};
use document::text::Source;
use protocol::{
    EngineEvent, Lane, ParseText, ReadDocument, SaveDestination, SaveDocument, SaveDocumentAs,
};

pub(crate) fn read_document(request: ReadDocument) -> Work {
    Work::answering(
        Lane::Reads,
        request,
        |ReadDocument { doc, item }, context| {
            Some(context.project.as_deref()?.read(doc.index(), item).map(Arc::new))
        },
        |request, document| EngineEvent::Opened(request.doc, document),
    )
}

/// Parses a text that is being edited.
pub(crate) fn parse_text(request: ParseText) -> Work {
    Work::answering(
        Lane::Texts,
        request,
        |ParseText { doc, item, text, .. }, context| {
            Some(Ok(parse(context.project.as_deref()?, *doc, item, text.clone())))
        },
        |request, text| EngineEvent::Parsed(request.doc, request.revision, text),
    )
}

pub(crate) fn save_document(request: SaveDocument) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| Some(context.opened().map(|project| save_to_its_file(project, request))),
        |request, result| {
            let path = || Arc::clone(&request.item.path);
            let result = result.unwrap_or_else(|reason| Err(not_saved(path(), reason)));
            EngineEvent::Saved(request.doc, result)
        },
    )
}

pub(crate) fn save_document_as(request: SaveDocumentAs) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |SaveDocumentAs { doc, item, path, text }, context| {
            Some(context.opened().map(|project| {
                let own_target = project.target(doc.index(), item).ok();
                save_elsewhere(own_target.as_ref(), path, project.bound(), text)
            }))
        },
        |request, outcome| {
            let (to, result) = outcome.unwrap_or_else(|reason| {
                let path = request.path.to_string_lossy().into();
                (SaveDestination::OtherFile, Err(not_saved(path, reason)))
            });
            EngineEvent::SavedAs {
                doc: request.doc,
                path: request.path.display().to_string(),
                text: request.text.clone(),
                to,
                result,
            }
        },
    )
}

fn not_saved(path: Arc<str>, reason: String) -> SaveFault {
    SaveFault { path, reason: SaveFailure::Failed { doing: "saved", why: reason.into() } }
}

fn save_to_its_file(project: &Project, request: &SaveDocument) -> Result<Saved, SaveFault> {
    let target = project
        .target(request.doc.index(), &request.item)
        .map_err(|reason| not_saved(Arc::clone(&request.item.path), reason))?;
    let base = request.base.as_ref().map(|base| base.text().as_bytes());
    save(&SaveRequest {
        target,
        bytes: request.text.text().as_bytes().into(),
        expected: Expected::from_bytes(base),
        read_only: request.read_only,
    })
}

/// Saves to a file that the user chose in a dialog, which confirms replacing an existing one.
fn save_elsewhere(
    own_target: Option<&SaveTarget>,
    path: &Path,
    root: Option<&Path>,
    text: &Source,
) -> (SaveDestination, Result<Saved, SaveFault>) {
    let target = match SaveTarget::chosen(path, root) {
        Ok(target) => target,
        Err(fault) => return (SaveDestination::OtherFile, Err(fault)),
    };
    // Without links, since those in the chosen path are resolved, too.
    let own_path = own_target.and_then(|t| std::fs::canonicalize(t.path()).ok());
    let to = if own_path == Some(target.path()) {
        SaveDestination::SameFile
    } else {
        SaveDestination::OtherFile
    };
    (to, save::write(target, text.text().as_bytes(), Expected::Anything))
}
