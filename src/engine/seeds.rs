//! Reads seeds for the window, and plans edits of them, on separate threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::HashMap;

use crate::engine::disk::project::Project;
use crate::engine::disk::reader;
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::format::{self, Document, FileKind};
use crate::ops::Item;
use crate::ops::seeds::{SeedFile, SeedFileEdit, plan, seeds_of};
use crate::text::Source;
use crate::workbench::{
    DocId, EngineEvent, LoadSeeds, LoadedSeeds, PlannedEdit, Revision, SeedsEvent,
};

/// A document that gets a seed.
#[derive(Clone, Debug)]
pub struct SeedEditRequest {
    /// The document.
    pub doc: DocId,
    /// The document's item, as it was last read.
    pub item: Arc<Item>,
    /// The edited text with its revision; `None` for the text on disk.
    pub text: Option<(Revision, Source)>,
    /// The edit.
    pub change: SeedFileEdit,
}

impl Engine {
    /// Reads all seeds; the result arrives as [`SeedsEvent::Loaded`]. Cancels one that is still running.
    pub fn load_seeds(&mut self, wanted: LoadSeeds) {
        self.seeds.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let sender = self.sender.clone();
        let job = BackgroundJob::start("retake seeds", move |cancel| {
            if let Some(loaded) = load(&project, &wanted, cancel) {
                let loaded = SeedsEvent::Loaded(wanted.key, Arc::new(loaded));
                sender.send(EngineEvent::Seeds(loaded), cancel);
            }
        });
        match job {
            Ok(job) => self.seeds = job,
            Err(error) => self.fail(format!("Cannot start a thread to read seeds: {error}")),
        }
    }

    /// Stops reading seeds.
    pub fn stop_seeds(&mut self) {
        self.seeds.stop();
    }

    /// Plans an edit; the result arrives as [`SeedsEvent::Planned`].
    pub fn plan_seed(&mut self, wanted: SeedEditRequest) {
        let Some(project) = self.project.clone() else {
            return;
        };
        let (generation, sender) = (self.generation, self.sender.clone());
        let job = BackgroundJob::start("retake seed", move |cancel| {
            let planned = catch_unwind(AssertUnwindSafe(|| plan_change(&project, &wanted)));
            let planned =
                planned.unwrap_or_else(|_| Err("Internal error; please report it".to_owned()));
            let planned = SeedsEvent::Planned(generation, wanted.doc, Box::new(planned));
            sender.send(EngineEvent::Seeds(planned), cancel);
        });
        match job {
            Ok(job) => self.seeding = job,
            Err(error) => self.fail(format!("Cannot start a thread to edit seeds: {error}")),
        }
    }
}

/// Reads all seeds; `None` when it was cancelled. A file that cannot be read has an error in its row.
fn load(project: &Project, wanted: &LoadSeeds, cancel: &AtomicBool) -> Option<LoadedSeeds> {
    let texts: HashMap<DocId, &Source> = wanted
        .texts
        .iter()
        .map(|(doc, text)| (*doc, text))
        .collect();
    let mut files = Vec::new();
    for (doc, item) in wanted.items.iter() {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        if item.kind != FileKind::Seeds {
            continue;
        }
        let read = || match texts.get(&doc) {
            Some(text) => Ok(format::read((*text).clone(), item.file_name())),
            None => project.read(doc.index(), item),
        };
        let document = catch_unwind(AssertUnwindSafe(read));
        if let Ok(Ok(document)) = document {
            let path = Arc::clone(&item.root_path);
            let seeds = seeds_of(&document).into();
            files.push((doc, SeedFile { path, seeds }));
        }
    }
    Some(LoadedSeeds::new(files))
}

fn plan_change(project: &Project, wanted: &SeedEditRequest) -> Result<PlannedEdit, String> {
    let SeedEditRequest {
        doc,
        item,
        text,
        change,
    } = wanted;
    let index = doc.index();
    let read = |source: Source| format::read(source, item.file_name());
    let (base, before): (Option<Revision>, Document) = match text {
        Some((revision, source)) => (Some(*revision), read(source.clone())),
        None => (None, project.read(index, item)?),
    };
    let edit = plan(&before, change, item.file_name())?;
    let mut after = before.source().text().to_owned();
    edit.apply(&mut after);
    let document = read(Source::new(after));
    Ok(PlannedEdit {
        doc: *doc,
        base,
        text: before.source().clone(),
        edit,
        item: reader::row_for_document(project, index, item, &document).map(Arc::new),
        document: Arc::new(document),
    })
}
