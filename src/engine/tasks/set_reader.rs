//! Reads sets and the requests of machines from what is open, unsaved texts before those on disk.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::current::read_text_or_file;
use crate::disk::parallel::map_parallel;
use crate::disk::project::Project;
use calls::Item;
use calls::cassette_config::{ConfigOrigin, ConfigTexts};
use document::signature::utf16_order;
use document::text::{Source, quoted};
use document::{Document, FileKind};
use machine::Machine;
use play::client::CassettePlay;
use play::playback::{PlayedRequest, RecordingSet, SetRecording, SkippedFile, requests};
use protocol::{DocId, PlaybackInput};

/// Items and texts from which sets are read.
pub(super) struct SetReader<'a> {
    pub(super) project: &'a Project,
    /// The items that are looked at.
    pub(super) items: Vec<(DocId, &'a Arc<Item>)>,
    /// The texts of edited documents, used in place of the files.
    pub(super) edited: HashMap<DocId, &'a Source>,
    pub(super) cancel: &'a AtomicBool,
}

impl SetReader<'_> {
    /// Reads a folder as clients load it, with the documents of its recordings.
    pub(super) fn read_set(
        &self,
        folder: &str,
    ) -> Result<(Arc<RecordingSet>, Vec<Option<DocId>>), String> {
        let is_loaded =
            // Clients load only `*.json` of one folder.
            |item: &Item| item.folder() == folder && item.file_name().ends_with(".json");
        let files = self.read_each(is_loaded, |path, document| {
            let document = document
                .map_err(|reason| SkippedFile { path: Arc::clone(&path), reason: reason.into() })?;
            SetRecording::read(path, &document, &self.project.pool)
        });
        if files.is_empty() {
            return Err(format!("{} no longer contains recordings.", quoted(folder)));
        }
        let doc_of = |(doc, path, _): &(DocId, Arc<str>, _)| (Arc::clone(path), *doc);
        let docs: HashMap<Arc<str>, DocId> = files.iter().map(doc_of).collect();
        let set = RecordingSet::new(folder, files.into_iter().map(|(_, _, r)| r));
        let recordings = set.recordings.iter();
        let docs = recordings.map(|r| docs.get(&r.path).copied()).collect();
        Ok((Arc::new(set), docs))
    }

    /// Reads a cassette and what its client plays, if it compares what it does or these matchers; `None` if there is none at this path.
    pub(super) fn read_cassette(
        &self,
        path: &str,
        matchers: Option<&[Box<str>]>,
    ) -> Option<Result<PlaybackInput, String>> {
        let is_wanted = |item: &Item| item.kind == FileKind::Cassette && *item.root_path() == *path;
        let (doc, item) = self.items.iter().find(|(_, item)| is_wanted(item))?;
        let read = self.read_document(*doc, item).and_then(|document| {
            let unknown = || format!("The program that plays {} is not known.", quoted(path));
            let path: Arc<str> = path.into();
            let client = item.client().ok_or_else(unknown)?;
            let mut facts = item.cassette.as_deref().cloned().unwrap_or_default();
            if let Some(matchers) = matchers {
                let key = "match_on".into();
                let origin = ConfigOrigin { path: Arc::clone(&path), line: 1 };
                facts.match_on = Some(ConfigTexts { key, texts: Some(matchers.to_vec()), origin });
            }
            let cassette = CassettePlay::new(&document, client, &facts)?;
            let set = RecordingSet::of_cassette(&path, &document, &self.project.pool);
            Ok(PlaybackInput {
                docs: vec![Some(*doc); set.recordings.len()],
                set: Arc::new(set),
                cassette: Some(Arc::new(cassette)),
                ..PlaybackInput::default()
            })
        });
        Some(read)
    }

    /// Returns the requests that a machine's nodes would send today. The machine is found through a recording made from it.
    pub(super) fn read_machine_requests(
        &self,
        path: &str,
    ) -> Result<Vec<Arc<PlayedRequest>>, String> {
        let points_here = |item: &Item| {
            let source = item.source.as_ref();
            let file = source.and_then(|source| source.found.present());
            file.is_some_and(|file| &*file.path == path)
        };
        let mut items = self.items.iter();
        let (doc, _) = items.find(|(_, item)| points_here(item)).ok_or_else(|| {
            format!("No recording names {} as its source any longer.", quoted(path))
        })?;
        let bytes =
            self.project.read_beneath(doc.index(), path).map_err(|r| format!("{path}: {r}."))?;
        let machine = Machine::read(&Source::from_bytes(bytes));
        requests::from_machine(path, &machine, &self.project.pool).map_err(|reason| reason + ".")
    }

    /// Reads each file on all processors; the results are in the order of the names.
    pub(super) fn read_each<T: Send>(
        &self,
        is_wanted: impl Fn(&Item) -> bool,
        read: impl Fn(Arc<str>, Result<Document, String>) -> T + Sync,
    ) -> Vec<(DocId, Arc<str>, T)> {
        let mut items: Vec<(DocId, &Arc<Item>)> =
            self.items.iter().filter(|(_, item)| is_wanted(item)).copied().collect();
        // Clients sort names with JavaScript's `sort()`, and serve in that order.
        items.sort_by(|(_, a), (_, b)| utf16_order(a.root_path(), b.root_path()));
        map_parallel("Reading", &items, self.cancel, |(doc, item)| {
            let path: Arc<str> = item.root_path().into();
            let value = read(Arc::clone(&path), self.read_document(*doc, item));
            (*doc, path, value)
        })
    }

    /// A document as it would be saved now.
    fn read_document(&self, doc: DocId, item: &Item) -> Result<Document, String> {
        read_text_or_file(self.project, doc, item, self.edited.get(&doc).copied())
    }
}
