//! What becomes of the files of a set: other names, copies, the trash. One step after the other, each of which can be
//! taken back.

use std::sync::Arc;

use super::project::Project;
use super::save::{self, SaveRequest, Target, save};
use crate::ops::saving::{Expected, ReadOnly, SaveFault};
use crate::workbench::{FileOrder, FileStep, FilesChanged};

/// Carries out an order. Stops at the first step that fails.
pub(super) fn carry_out(project: &Project, order: &FileOrder) -> FilesChanged {
    let mut undo = Vec::new();
    let mut fault = None;
    for step in &order.steps {
        match take(project, order, step) {
            Ok(back) => undo.push(back),
            Err(reason) => {
                fault = Some(reason);
                break;
            }
        }
    }
    let done = undo.len();
    undo.reverse();
    FilesChanged { done, undo, fault }
}

/// Takes one step. Answers the one that takes it back.
fn take(project: &Project, order: &FileOrder, step: &FileStep) -> Result<FileStep, String> {
    let at = |name: &str| project.sibling(order.doc.index(), &order.item, name);
    let told = |fault: SaveFault| fault.to_string();
    match step {
        FileStep::Rename { from, to } => {
            save::rename(&at(from)?, &at(to)?).map_err(told)?;
            Ok(FileStep::Rename {
                from: Arc::clone(to),
                to: Arc::clone(from),
            })
        }
        FileStep::Copy { from, to } => {
            let bytes = save::read(&at(from)?).map_err(told)?;
            write(at(to)?, bytes).map_err(told)?;
            Ok(FileStep::Trash(Arc::clone(to)))
        }
        FileStep::Trash(name) => {
            let bytes = save::trash(&at(name)?).map_err(told)?;
            let name = Arc::clone(name);
            Ok(FileStep::Write { name, bytes })
        }
        FileStep::Write { name, bytes } => {
            write(at(name)?, Arc::clone(bytes)).map_err(told)?;
            Ok(FileStep::Trash(Arc::clone(name)))
        }
    }
}

/// Writes a new file.
fn write(target: Target, bytes: Arc<[u8]>) -> Result<(), SaveFault> {
    let request = SaveRequest {
        target,
        bytes,
        expected: Expected::Nothing,
        read_only: ReadOnly::Refuse,
    };
    save(&request).map(drop)
}
