//! Data of the dialog of unsaved documents.

use super::changes::{ChangeFolds, ChangedFile};
use author::saving;
use document::text::counted;
use protocol::DocId;
use workbench::{Action, Leaving, OnDisk, SaveMode, Workbench, WorkingCopy};

/// Number of documents that are unfolded at first.
const MAX_UNFOLDED_DOCUMENTS: usize = 5;

/// Data of the dialog, including its unfolded documents.
#[derive(Debug, Default)]
pub struct UnsavedData {
    /// The question.
    pub title: &'static str,
    /// The explanation.
    pub detail: String,
    /// The number of documents, such as "3 files".
    pub files: String,
    /// Whether closing or opening waits for the answer.
    pub is_leaving: bool,
    /// The documents.
    pub entries: Vec<UnsavedEntry>,
    built_from: Option<(u64, usize)>,
    /// Documents that the user folded and unfolded.
    pub folds: ChangeFolds,
}

#[derive(Clone, Debug)]
pub struct UnsavedEntry {
    pub file: ChangedFile,
    /// The number of edits, such as "2 edits".
    pub edits: String,
    /// Change of the file on disk, if there was one.
    pub change_on_disk: Option<&'static str>,
    /// Reason why it cannot be saved.
    pub fault: Option<UnsavedFault>,
}

/// Reason why a document is not saved, and the possible actions.
#[derive(Clone, Debug, PartialEq)]
pub struct UnsavedFault {
    /// The reason as a sentence.
    pub text: String,
    /// The possible actions.
    pub actions: Vec<(&'static str, Action)>,
}

impl UnsavedData {
    /// Updates the data from the workbench.
    pub fn update(&mut self, workbench: &Workbench) {
        let copies = workbench.core.library.unsaved();
        let copies =
            copies.filter(|(doc, _)| workbench.core.unsaved_diffs.unsaved_changes(*doc).is_some());
        // Diffs arrive one by one from the engine, so their number shows whether there is a new one.
        let made_from = (workbench.core.library.revision, self.folds.revision + copies.count());
        let is_leaving = workbench.core.leaving.is_some();
        if self.built_from == Some(made_from) && self.is_leaving == is_leaving {
            return;
        }
        self.built_from = Some(made_from);
        self.is_leaving = is_leaving;
        self.title = title(workbench.core.leaving.as_ref());
        let copies: Vec<_> = workbench.core.library.unsaved().collect();
        let conflicts = copies.iter().filter(|(_, copy)| copy.is_in_conflict());
        self.detail = detail(copies.len(), conflicts.count());
        self.files = counted(copies.len(), "file", "files");
        let entry = |(index, (doc, copy)): (usize, &(DocId, &WorkingCopy))| UnsavedEntry {
            file: self.folds.file(workbench, *doc, index < MAX_UNFOLDED_DOCUMENTS),
            edits: counted(workbench.core.journal.edits_of(*doc).max(1), "edit", "edits"),
            change_on_disk: match &copy.on_disk {
                OnDisk::AsRead => None,
                OnDisk::Changed(_) => Some("Changed on disk"),
                OnDisk::Gone => Some("Deleted on disk"),
            },
            fault: fault(*doc, copy),
        };
        self.entries = copies.iter().enumerate().map(entry).collect();
    }
}

fn title(leaving: Option<&Leaving>) -> &'static str {
    match leaving {
        Some(Leaving::Quit) => "Save your work before closing?",
        Some(Leaving::Close) => "Save your work before closing the project?",
        Some(Leaving::Open(_)) => "Save your work before opening something else?",
        Some(Leaving::Reload) => "Save your work before reloading?",
        None => "Unsaved changes",
    }
}

fn detail(files: usize, conflicts: usize) -> String {
    let edits_sentence = match files {
        1 => "1 file has unsaved edits.".to_owned(),
        _ => format!("{} have unsaved edits.", counted(files, "file", "files")),
    };
    let conflicts_sentence = match (files, conflicts) {
        (_, 0) => "",
        (1, _) => " It also changed on disk.",
        (_, 1) => " One of them also changed on disk.",
        _ => " Some of them also changed on disk.",
    };
    format!("{edits_sentence}{conflicts_sentence}")
}

fn fault(doc: DocId, copy: &WorkingCopy) -> Option<UnsavedFault> {
    // Before the fault of the last save: without a decision, saving would fail again.
    if copy.is_in_conflict() {
        return Some(UnsavedFault {
            text: "Both versions are shown before this file is saved.".to_owned(),
            actions: vec![("Compare now", Action::ShowConflict(doc))],
        });
    }
    let fault = copy.fault.as_deref()?;
    let retry = ("Try again", Action::Save(doc, SaveMode::Usual));
    Some(UnsavedFault {
        text: format!("{}.", fault.reason),
        actions: match &fault.reason {
            // Offered apart from *Try again*, because it needs the user's consent.
            saving::SaveFailure::ReadOnlyFile => {
                let action = Action::Save(doc, SaveMode::ReplaceReadOnly);
                vec![("Replace it anyway", action)]
            }
            saving::SaveFailure::FileGone => {
                vec![("Save as a new file", Action::Save(doc, SaveMode::Recreate))]
            }
            _ => vec![retry],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detail_counts_files_and_conflicts() {
        let details =
            [(1, 0), (1, 1), (3, 1), (1200, 7)].map(|(files, conflicts)| detail(files, conflicts));
        insta::assert_snapshot!(details.join("\n"), @"
        1 file has unsaved edits.
        1 file has unsaved edits. It also changed on disk.
        3 files have unsaved edits. One of them also changed on disk.
        1,200 files have unsaved edits. Some of them also changed on disk.
        ");
    }
}
