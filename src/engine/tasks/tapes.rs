//! Prepares tapes and their thumbnails.

use std::sync::Arc;

use crate::current::read_current;
use crate::disk::guard::guard_file;
use crate::disk::project::Project;
use crate::run::Work;
use calls::tape::prepared_tape::{PreparedTape, miniature};
use calls::tape::timeline::Timeline;
use calls::tape::timing::TapePace;
use document::DocumentBody;
use protocol::{
    CurrentDocument, EngineEvent, Lane, MakeThumbnails, PrepareTape, TapeThumbnail, TapesEvent,
};

pub(crate) fn prepare_tape(job: PrepareTape) -> Work {
    Work::answering(
        Lane::Newest("tape"),
        job,
        |job, _| {
            let tape = PreparedTape::new(Arc::clone(&job.document)).map(Arc::new);
            Some(tape.ok_or_else(|| "The file is no longer a tape".to_owned()))
        },
        |job, tape| EngineEvent::Tapes(TapesEvent::Prepared(job.doc, job.revision, tape)),
    )
}

pub(crate) fn make_thumbnails(request: MakeThumbnails) -> Work {
    Work::failing(
        Lane::Newest("thumbnails"),
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            let mut thumbnails = Vec::with_capacity(request.tapes.len());
            for tape in &request.tapes {
                if context.is_cancelled() {
                    return None;
                }
                let thumbnail = guard_file(tape.item.root_path(), || thumbnail(project, tape));
                thumbnails.push((tape.doc, thumbnail.unwrap_or_else(|_| no_thumbnail(tape))));
            }
            Some(EngineEvent::Tapes(TapesEvent::ThumbnailsReady(thumbnails, None)))
        },
        // The tapes get thumbnails without columns, so that they are not requested again at once.
        |request, reason| {
            let thumbnail = |tape: &CurrentDocument| (tape.doc, no_thumbnail(tape));
            let thumbnails = request.tapes.iter().map(thumbnail).collect();
            EngineEvent::Tapes(TapesEvent::ThumbnailsReady(thumbnails, Some(reason)))
        },
    )
}

fn thumbnail(project: &Project, tape: &CurrentDocument) -> Result<TapeThumbnail, String> {
    let mut thumbnail = no_thumbnail(tape);
    if let DocumentBody::Tape(tape) = read_current(project, tape)?.body {
        thumbnail.columns = miniature(&Timeline::new(&tape, TapePace::Recorded));
    }
    Ok(thumbnail)
}

/// Returns the thumbnail of a tape that cannot be read.
fn no_thumbnail(tape: &CurrentDocument) -> TapeThumbnail {
    TapeThumbnail { item: Arc::clone(&tape.item), columns: Arc::default() }
}
