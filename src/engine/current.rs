//! Reads and edits documents as they are now, for tasks.

use std::sync::Arc;

use crate::disk::guard::guard_file;
use crate::disk::project::Project;
use crate::disk::reader::row_for_document;
use calls::Item;
use document::Document;
use document::text::{Source, TextEdit};
use protocol::{CurrentDocument, DocId, ParsedText, PlannedEdit};

/// Reads a document: from memory if its text is loaded, else from disk.
///
/// # Errors
///
/// A message that says why it cannot be read; after an internal error, too.
pub(crate) fn read_current(project: &Project, file: &CurrentDocument) -> Result<Document, String> {
    let text = file.text.as_ref().map(|(_, source)| source);
    read_text_or_file(project, file.doc, &file.item, text)
}

/// As [`read_current`], with the texts of all edited documents in the order of their ids.
pub(crate) fn read_edited(
    project: &Project,
    texts: &[(DocId, Source)],
    doc: DocId,
    item: &Item,
) -> Result<Document, String> {
    let index = texts.binary_search_by_key(&doc, |(d, _)| *d);
    read_text_or_file(project, doc, item, index.ok().map(|index| &texts[index].1))
}

/// Reads a document from its text, if that is edited, else from disk.
pub(crate) fn read_text_or_file(
    project: &Project,
    doc: DocId,
    item: &Item,
    text: Option<&Source>,
) -> Result<Document, String> {
    // One file that makes the parser panic must not end a task over many files.
    guard_file(item.root_path(), || match text {
        Some(source) => Ok(project.parse(doc.index(), item, source.clone())),
        None => project.read(doc.index(), item),
    })
}

/// Applies an edit to the text that it was planned for.
pub(crate) fn apply_edit(
    project: &Project,
    current: &CurrentDocument,
    old_document: &Document,
    edit: TextEdit,
) -> PlannedEdit {
    let CurrentDocument { doc, item, text } = current;
    let mut new_text = old_document.source().text().to_owned();
    edit.apply(&mut new_text);
    PlannedEdit {
        doc: *doc,
        base: text.as_ref().map(|(revision, _)| *revision),
        text: old_document.source().clone(),
        edit,
        parsed: parse(project, *doc, item, Source::new(new_text)),
    }
}

/// Parses a text of an item.
pub(crate) fn parse(project: &Project, doc: DocId, item: &Item, text: Source) -> ParsedText {
    let document = Arc::new(project.parse(doc.index(), item, text));
    let row = || Ok(row_for_document(project, doc.index(), item, &document));
    // The previous row is better than none.
    let row = guard_file(item.root_path(), row).ok().flatten();
    ParsedText { document, item: row.map(Arc::new) }
}
