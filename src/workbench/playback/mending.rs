//! What mends a set: texts are edited as one step and shown before they are saved; what becomes of files is shown before
//! it is done, and can be taken back.

use std::sync::Arc;

use super::{PlaybackAction, PlaybackEffect};
use crate::format::Severity;
use crate::ops::Item;
use crate::ops::diff::counted;
use crate::ops::playback::fixes::{FileChange, Fix, REGENERATE};
use crate::workbench::action::{Action, Overlay};
use crate::workbench::batch::Batch;
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;
use crate::workbench::terminal::TerminalAction;

/// What becomes of a file of a set. Names are those in its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileStep {
    /// It gets another name, which nobody has.
    Rename {
        /// As it is.
        from: Arc<str>,
        /// As it shall be.
        to: Arc<str>,
    },
    /// A copy of it is written, where nothing is.
    Copy {
        /// What is copied.
        from: Arc<str>,
        /// Where to.
        to: Arc<str>,
    },
    /// It goes to the trash.
    Trash(Arc<str>),
    /// It is written, where nothing is.
    Write {
        /// Its name.
        name: Arc<str>,
        /// All of it.
        bytes: Arc<[u8]>,
    },
}

/// What is to become of the files of one folder.
#[derive(Clone, Debug, PartialEq)]
pub struct FileOrder {
    /// A document of the folder, and its row.
    pub doc: DocId,
    /// Its row.
    pub item: Arc<Item>,
    /// In the order in which it has to be done.
    pub steps: Vec<FileStep>,
    /// How it is told when it is done: `Renamed 4 files`.
    pub done: String,
}

/// What became of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesChanged {
    /// How many steps were taken.
    pub done: usize,
    /// What takes them back, in order.
    pub undo: Vec<FileStep>,
    /// Why the next one was not taken, as a sentence without a full stop.
    pub fault: Option<String>,
}

/// What would become of files, shown before it is done.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePlan {
    /// What mends the set.
    pub fix: Fix,
    /// File by file, in order.
    pub changes: Vec<FileChange>,
    order: FileOrder,
}

impl FilePlan {
    /// What is done, in the imperative and with its size: `Rename 4 files`.
    pub fn deed(&self) -> String {
        let files = counted(self.changes.len(), "file", "files");
        match self.changes.first() {
            Some(FileChange::Copy { .. }) => "Write the copy".to_owned(),
            Some(FileChange::Trash { .. }) => format!("Move {files} to the trash"),
            _ => format!("Rename {files}"),
        }
    }
}

/// The name in its folder of the file at a path.
fn name_of(path: &Arc<str>) -> Arc<str> {
    path.rsplit('/').next().unwrap_or(path).into()
}

fn step(change: &FileChange) -> FileStep {
    match change {
        FileChange::Rename { from, to } => FileStep::Rename {
            from: name_of(from),
            to: name_of(to),
        },
        FileChange::Copy { from, to } => FileStep::Copy {
            from: name_of(from),
            to: name_of(to),
        },
        FileChange::Trash { path } => FileStep::Trash(name_of(path)),
    }
}

/// How changes are told when they are done.
fn done(changes: &[FileChange]) -> String {
    let files = counted(changes.len(), "file", "files");
    match changes.first() {
        Some(FileChange::Copy { to, .. }) => format!("Wrote {}", name_of(to)),
        Some(FileChange::Trash { .. }) => format!("Moved {files} to the trash"),
        _ => format!("Renamed {files}"),
    }
}

impl Workbench {
    /// Shows what would be changed, or does what changes nothing.
    pub(super) fn mend(&mut self, fix: &Fix) -> Vec<Effect> {
        let Some(played) = self.playback.played().cloned() else {
            return Vec::new();
        };
        match fix {
            Fix::ShowSourceChange(position) => match played.doc(*position) {
                Some(doc) => self.apply(Action::ThenAndNow(doc)),
                None => Vec::new(),
            },
            Fix::Regenerate(positions) if self.can_regenerate() => {
                let docs = positions
                    .iter()
                    .filter_map(|position| played.doc(*position));
                let regenerate = TerminalAction::Regenerate(docs.collect());
                self.apply(Action::Terminal(regenerate))
            }
            Fix::Regenerate(_) => self.copy(REGENERATE.to_owned()),
            Fix::Duplicate(_) | Fix::Reorder(_) | Fix::TrashUnused(_) => {
                self.propose_files(fix, fix.files(&played.run.set));
                Vec::new()
            }
            _ => {
                let docs = fix
                    .edited()
                    .iter()
                    .filter_map(|position| played.doc(*position));
                self.batch(Batch::Mend(fix.clone()), docs.collect())
            }
        }
    }

    /// Whether the project says how recordings are made again; else the usual command can be copied.
    pub fn can_regenerate(&self) -> bool {
        let project = self.project.as_ref();
        project.is_some_and(|project| project.regenerate.is_some())
    }

    fn propose_files(&mut self, fix: &Fix, changes: Vec<FileChange>) {
        let Some(played) = self.playback.played() else {
            return;
        };
        let doc = played.stock.docs.iter().flatten().next().copied();
        let item = doc.and_then(|doc| Some((doc, self.library.share(doc)?)));
        let Some((doc, item)) = item.filter(|_| !changes.is_empty()) else {
            return self.notify(Severity::Note, "There is nothing to change.");
        };
        let order = FileOrder {
            doc,
            item,
            steps: changes.iter().map(step).collect(),
            done: done(&changes),
        };
        self.playback.plan = Some(FilePlan {
            fix: fix.clone(),
            changes,
            order,
        });
        self.overlay = Some(Overlay::FileChanges);
    }

    /// Has what was shown done.
    pub(super) fn change_files(&mut self) -> Vec<Effect> {
        self.overlay = None;
        match self.playback.plan.take() {
            Some(plan) => self.order_files(plan.order),
            None => Vec::new(),
        }
    }

    /// Has what was done to files taken back.
    pub(in crate::workbench) fn undo_files(&mut self) -> Vec<Effect> {
        match self.playback.undo.take() {
            Some((order, _)) => self.order_files(order),
            None => Vec::new(),
        }
    }

    /// Whether the last thing that was done is what was done to files.
    pub(in crate::workbench) fn can_undo_files(&self) -> bool {
        let undo = self.playback.undo.as_ref();
        undo.is_some_and(|(_, revision)| *revision == self.journal.revision())
    }

    /// Orders changes of files, unless what was edited in one of them would lose its file.
    fn order_files(&mut self, order: FileOrder) -> Vec<Effect> {
        let folder = order.item.folder();
        let concerns = |name: &str| {
            order.steps.iter().any(|step| match step {
                FileStep::Rename { from, .. } | FileStep::Copy { from, .. } => **from == *name,
                FileStep::Trash(gone) => **gone == *name,
                FileStep::Write { .. } => false,
            })
        };
        let mut unsaved = self.library.unsaved();
        let edited = unsaved.find_map(|(doc, _)| {
            let item = self.library.get(doc)?;
            let is_one = item.folder() == folder && concerns(item.file_name());
            is_one.then(|| item.file_name().to_owned())
        });
        drop(unsaved);
        if let Some(name) = edited {
            let text = format!(
                "{name} holds edits that are not saved, so no file was changed. Save or revert it first."
            );
            self.notify(Severity::Warning, text);
            return Vec::new();
        }
        vec![Effect::Playback(PlaybackEffect::ChangeFiles(order))]
    }

    /// Tells what became of files, and keeps what takes it back.
    pub(super) fn files_changed(&mut self, order: FileOrder, changed: FilesChanged) {
        let is_undo = order.done.starts_with(TOOK_BACK);
        match changed.fault {
            None => self.notify(Severity::Note, format!("{}.", order.done)),
            Some(fault) => {
                let text = format!(
                    "{} of {} steps were taken, then one failed. {fault}.",
                    changed.done,
                    order.steps.len()
                );
                self.notify(Severity::Error, text);
            }
        }
        let back = FileOrder {
            steps: changed.undo,
            done: format!("{TOOK_BACK} what was done to files"),
            ..order
        };
        let can_be_undone = !is_undo && !back.steps.is_empty();
        self.playback.undo = can_be_undone.then(|| (back, self.journal.revision()));
    }

    /// Does what is asked about files.
    pub(super) fn do_files(&mut self, action: &PlaybackAction) -> Vec<Effect> {
        match action {
            PlaybackAction::Mend(fix) => self.mend(fix),
            PlaybackAction::ChangeFiles => self.change_files(),
            PlaybackAction::UndoFiles => self.undo_files(),
            _ => Vec::new(),
        }
    }
}

/// How it is told that something was taken back.
const TOOK_BACK: &str = "Took back";
