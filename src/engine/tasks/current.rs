//! Reads documents as they are now, for tasks.

use crate::engine::disk::project::Project;
use crate::engine::run::guard_file;
use crate::format::{self, Document};
use crate::workbench::CurrentDocument;

/// Reads a document: from memory if its text is loaded, else from disk.
///
/// # Errors
///
/// A message that says why it cannot be read; after an internal error, too.
pub(in crate::engine) fn read_current(
    project: &Project,
    current: &CurrentDocument,
) -> Result<Document, String> {
    let CurrentDocument { doc, item, text } = current;
    guard_file(&item.root_path, || match text {
        Some((_, source)) => Ok(format::read(source.clone(), item.file_name())),
        None => project.read(doc.index(), item),
    })
}
