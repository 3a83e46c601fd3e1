//! Compares tapes with other tapes.

use std::path::Path;
use std::sync::Arc;

use crate::engine::current::read_current;
use crate::engine::disk::guard::guard_file;
use crate::engine::disk::project::{Project, to_sentence};
use crate::engine::disk::root::{self, open_all};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::format::{self, Document, DocumentBody};
use crate::ops::tape::overlay::{ComparedTake, TapeSimilarityKey};
use crate::text::Source;
use crate::workbench::{
    CompareEvent, CompareTapes, ComparedTape, CurrentDocument, EngineEvent, FilterDifferences,
    RankTapes, TapesEvent,
};

impl Task for RankTapes {
    fn lane() -> Lane {
        Lane::Newest("rank")
    }

    /// Files that are no longer tapes are left out.
    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let ours = similarity_key(project, &self.tape)?;
        let mut ranked = Vec::with_capacity(self.others.len());
        for other in &self.others {
            if context.is_cancelled() {
                return None;
            }
            let theirs = similarity_key(project, other);
            ranked.extend(theirs.map(|theirs| (other.doc, ours.compare(&theirs))));
        }
        let CurrentDocument { doc, item, .. } = &self.tape;
        let is_committed = project.committed(doc.index(), item).is_ok();
        let event = CompareEvent::Ranked(*doc, ranked, is_committed);
        Some(EngineEvent::Tapes(TapesEvent::Compare(event)))
    }
}

impl CompareTapes {
    pub(crate) fn answer(&self, takes: Result<ComparedTake, String>) -> EngineEvent {
        let result = takes.map(|takes| {
            let differing = takes.find_differing(self.tolerance_nanos);
            (Arc::new(takes), Arc::new(differing))
        });
        let event = CompareEvent::Compared(self.request.clone(), result);
        EngineEvent::Tapes(TapesEvent::Compare(event))
    }
}

impl Task for CompareTapes {
    fn lane() -> Lane {
        Lane::Newest("overlay")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let takes = compare(context.project.as_deref()?, context.root.as_deref(), self);
        Some(self.answer(takes))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}

impl Task for FilterDifferences {
    fn lane() -> Lane {
        Lane::Newest("differences")
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let differing = Arc::new(self.takes.find_differing(self.tolerance_nanos));
        let event = CompareEvent::Filtered(self.request.clone(), differing);
        Some(EngineEvent::Tapes(TapesEvent::Compare(event)))
    }
}

/// Reads a file that the user chose.
fn read_file(path: &Path, root: Option<&Path>) -> Result<Document, String> {
    let opened = open_all(&[path.to_owned()], root).map_err(|error| error.to_string())?;
    let opened = opened.first().ok_or("Nothing was chosen")?;
    let file = opened.file.as_ref().ok_or("Expected a file, found a folder")?;
    let bytes = root::read(&opened.dir, file);
    let bytes = bytes.map_err(|refusal| to_sentence(&refusal.to_string()))?;
    Ok(format::read(Source::from_bytes(bytes), &file.to_string_lossy()))
}

fn similarity_key(project: &Project, tape: &CurrentDocument) -> Option<TapeSimilarityKey> {
    let key = guard_file(&tape.item.root_path, || {
        Ok(TapeSimilarityKey::from_document(&read_current(project, tape)?))
    });
    key.ok().flatten()
}

fn compare(
    project: &Project,
    root: Option<&Path>,
    task: &CompareTapes,
) -> Result<ComparedTake, String> {
    let tape = read_current(project, &task.tape)?;
    let DocumentBody::Tape(tape) = &tape.body else {
        return Err("The file is no longer a tape".to_owned());
    };
    let other = match &task.request.other {
        ComparedTape::Open(_) => {
            let other = task.other.as_ref();
            read_current(project, other.ok_or("The other tape is no longer open")?)?
        }
        ComparedTape::Head => {
            let CurrentDocument { doc, item, .. } = &task.tape;
            let bytes = project.committed(doc.index(), item)?;
            format::read(Source::from_bytes(bytes), item.file_name())
        }
        ComparedTape::File(path) => read_file(path, root)?,
    };
    ComparedTake::new(tape, Arc::new(other))
        .ok_or_else(|| "The other file is not a tape".to_owned())
}
