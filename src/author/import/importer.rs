//! Many files become one import: each by itself, but recordings by their sets. A cassette is the calls of one test, so it is a set.

use super::{
    ImportInput, ImportKind, ImportOptions, Imported, detect_kind, drafts, drafts_of_runs,
    drafts_of_set,
};
use calls::agent_run::joined_files;
use document::signature::utf16_order;
use document::text::visible;
use document::{Document, FileKind};

/// Whether the user named the file, or a folder that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOrigin {
    /// It is an incident, whatever it looks like.
    Explicit,
    /// It may be anything.
    InFolder,
}

/// The documents of one set, by their paths; the set is a folder or a cassette.
type SetDocuments = (String, Vec<(String, Document)>);

/// Collects documents and makes drafts from them.
#[derive(Debug, Default)]
pub struct Importer {
    options: ImportOptions,
    imported: Imported,
    sets: Vec<SetDocuments>,
    /// Runs of agents, of which several files may hold parts.
    runs: Vec<(String, Document)>,
    kind: Option<ImportKind>,
}

impl Importer {
    /// Creates an importer without documents.
    pub fn new(options: ImportOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Adds a document. Files in a folder that are not incidents are skipped.
    pub fn add_document(&mut self, path: &str, document: Document, origin: FileOrigin) {
        let kind = detect_kind(&document);
        match kind {
            ImportKind::Text | ImportKind::ChatLog | ImportKind::FailureLog | ImportKind::Session
                // A folder contains many texts that are no incident; only one that the user named is refused with its reason.
                if origin == FileOrigin::InFolder => {}
            ImportKind::AgentRun => {
                self.kind = self.kind.or(Some(kind));
                self.runs.push((path.to_owned(), document));
            }
            ImportKind::Recording => {
                self.kind = self.kind.or(Some(kind));
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let set = if document.kind() == FileKind::Cassette { path } else { folder };
                let file = (path.to_owned(), document);
                match self.sets.iter_mut().find(|(name, _)| name == set) {
                    Some((_, files)) => files.push(file),
                    None => self.sets.push((set.to_owned(), vec![file])),
                }
            }
            _ => {
                let result = drafts(ImportInput { file: path, document: &document }, &self.options);
                if result.is_ok() {
                    self.kind = self.kind.or(Some(kind));
                }
                self.add(path, result);
            }
        }
    }

    /// Takes a document that holds runs of LangSmith, whatever else it may look like.
    pub fn add_runs(&mut self, path: &str, document: &Document) {
        let result = drafts_of_runs(ImportInput { file: path, document }, &self.options);
        self.kind = self.kind.or(Some(ImportKind::LangSmith));
        self.add(path, result);
    }

    /// Returns the kind of the first document, if it is known.
    pub fn kind(&self) -> Option<ImportKind> {
        self.kind
    }

    /// Makes the drafts of the runs and of the sets, and returns all drafts.
    pub fn finish(mut self) -> Imported {
        for (path, document) in joined_files(std::mem::take(&mut self.runs)) {
            let input = ImportInput { file: &path, document: &document };
            self.add(&path, drafts(input, &self.options));
        }
        for (set, mut files) in std::mem::take(&mut self.sets) {
            // The order in which DyGram's player loads the files of a set.
            files.sort_by(|(a, _), (b, _)| utf16_order(a, b));
            let inputs: Vec<ImportInput<'_>> =
                files.iter().map(|(file, document)| ImportInput { file, document }).collect();
            self.add(&set, drafts_of_set(&inputs, &self.options));
        }
        self.imported
    }

    fn add(&mut self, path: &str, result: Result<Imported, String>) {
        let all = &mut self.imported;
        match result {
            Ok(imported) => {
                all.drafts.extend(imported.drafts);
                all.skipped += imported.skipped;
                all.notes.extend(imported.notes);
            }
            Err(reason) => all.notes.push(format!("{reason}: {}", visible(path))),
        }
    }
}
