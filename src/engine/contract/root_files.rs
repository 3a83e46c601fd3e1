//! Reads the files below a session's root.

use std::collections::HashMap;
use std::sync::Arc;

use crate::current::read_edited;
use crate::disk::project::Project;
use crate::disk::root::{parent_folder, to_sentence};
use calls::Item;
use document::text::Source;
use document::{Document, Node};
use protocol::{ContractRequest, DocId, FilePlace};

/// Reads what a lookup needs.
pub(super) struct ContractLookup<'a> {
    pub(super) project: &'a Project,
    pub(super) request: &'a ContractRequest,
    /// The number of the session's item.
    pub(super) index: usize,
    /// The open documents below the session's root, by their paths from there.
    paths: HashMap<&'a str, DocId>,
}

/// A file beneath the session's root.
#[derive(Clone)]
pub(super) struct ContractFile {
    /// From the root.
    pub(super) path: String,
    /// If it is open.
    pub(super) doc: Option<DocId>,
    /// Its content, with unsaved edits if it is open.
    pub(super) document: Arc<Document>,
}

impl ContractFile {
    pub(super) fn parent_folder(&self) -> &str {
        parent_folder(&self.path)
    }

    pub(super) fn spot(&self, node: Node<'_>) -> FilePlace {
        FilePlace {
            path: self.path.as_str().into(),
            line: node.place().line,
            reveal: self.doc.map(|doc| (doc, node.span())),
        }
    }
}

impl<'a> ContractLookup<'a> {
    pub(super) fn new(project: &'a Project, request: &'a ContractRequest) -> Self {
        let index = request.key.id.doc.index();
        let items = request.items.iter();
        // Paths from the root are equal for different files of different projects.
        let items_of_root = items.filter(|(doc, _)| project.has_same_root(index, doc.index()));
        let paths = items_of_root.map(|(doc, item)| (item.root_path(), doc)).collect();
        Self { project, request, index, paths }
    }

    /// Returns the items below the session's root.
    pub(super) fn items(&self) -> impl Iterator<Item = (DocId, &'a Arc<Item>)> {
        self.paths.values().filter_map(|doc| Some((*doc, self.request.items.get(*doc)?)))
    }

    pub(super) fn item(&self) -> Option<&'a Arc<Item>> {
        self.request.items.get(self.request.key.id.doc)
    }

    pub(super) fn item_at(&self, path: &str) -> Option<(DocId, &'a Arc<Item>)> {
        let doc = *self.paths.get(path)?;
        Some((doc, self.request.items.get(doc)?))
    }

    /// Reads a document as it is shown, with its unsaved edits.
    pub(super) fn read(&self, doc: DocId, item: &Item) -> Result<Document, String> {
        read_edited(self.project, &self.request.texts, doc, item)
    }

    /// Reads a file by its path from the root, whether or not it is open.
    pub(super) fn file(&self, path: &str) -> Result<ContractFile, String> {
        let (doc, document) = match self.item_at(path) {
            Some((doc, item)) => (Some(doc), self.read(doc, item)?),
            None => {
                let bytes = self.project.read_beneath(self.index, path).map_err(to_sentence)?;
                let root = self.project.root_context_of(self.index).map(|context| &context.root);
                let source = Source::from_bytes(bytes);
                let read = || document::read(source.clone(), path);
                (None, root.map_or_else(read, |root| root.parse(source.clone(), path)))
            }
        };
        Ok(ContractFile { path: path.to_owned(), doc, document: Arc::new(document) })
    }
}

/// Joins a folder and a path that a file contains; both are relative to the root. `None` for a path that leads out of the root.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
