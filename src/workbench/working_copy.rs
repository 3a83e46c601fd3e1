//! A document that was edited: its text on disk, its text here, and how saving it stands.

use std::sync::Arc;

use crate::ops::saving::SaveFault;
use crate::text::Source;

/// Names one text of one document. Every change of a text takes a new one, also an undo; none is ever used twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(pub(super) u64);

#[cfg(test)]
impl Revision {
    /// The name of some text.
    pub(crate) fn of(number: u64) -> Self {
        Self(number)
    }
}

/// A document that was edited since it was opened. Kept until its project is closed, so that every edit can be undone.
#[derive(Clone, Debug)]
pub struct WorkingCopy {
    /// The text on which edits are based: as read, or as last saved.
    base: Source,
    text: Source,
    revision: Revision,
    is_unsaved: bool,
    /// What others have done to the file since it was read.
    pub(super) on_disk: OnDisk,
    /// The text that is on its way to disk.
    pub(super) saving: Option<Source>,
    /// Why the last save failed.
    pub(super) fault: Option<Arc<SaveFault>>,
    /// Whether its file is being read.
    pub(super) disk: DiskRead,
    /// The text that is being read, so that views get a reading of it.
    pub(super) reading: Option<Revision>,
}

/// What others have done to a file while it was edited here.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OnDisk {
    /// Nothing that is known.
    #[default]
    AsRead,
    /// It holds this text now: theirs.
    Changed(Source),
    /// It is gone.
    Gone,
}

/// Whether an edited document's file is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DiskRead {
    /// It is not.
    #[default]
    Idle,
    /// It is, and the answer tells what is there.
    Asked,
    /// It was asked for before a save: the answer may tell what was there before.
    Overtaken,
}

impl WorkingCopy {
    pub(super) fn new(base: Source, revision: Revision) -> Self {
        Self {
            text: base.clone(),
            base,
            revision,
            is_unsaved: false,
            on_disk: OnDisk::AsRead,
            saving: None,
            fault: None,
            disk: DiskRead::Idle,
            reading: None,
        }
    }

    /// The text on which edits are based: as it was read from disk, or last saved.
    pub fn base(&self) -> &Source {
        &self.base
    }

    /// The text as it is now.
    pub fn text(&self) -> &Source {
        &self.text
    }

    /// Names the text as it is now.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Whether the text differs from that on which edits are based.
    pub fn is_unsaved(&self) -> bool {
        self.is_unsaved
    }

    /// What others have done to the file.
    pub fn on_disk(&self) -> &OnDisk {
        &self.on_disk
    }

    /// Whether the file was changed by others and edited here, so that somebody has to decide.
    pub fn is_in_conflict(&self) -> bool {
        self.is_unsaved && matches!(self.on_disk, OnDisk::Changed(_))
    }

    /// Whether a text is on its way to disk.
    pub fn is_being_saved(&self) -> bool {
        self.saving.is_some()
    }

    /// Why the last save failed.
    pub fn fault(&self) -> Option<&SaveFault> {
        self.fault.as_deref()
    }

    pub(super) fn set_text(&mut self, text: Source, revision: Revision) {
        self.text = text;
        self.revision = revision;
        self.is_unsaved = self.text != self.base;
    }

    /// Notes that what is being read from disk may be older than what was just saved there.
    pub(super) fn overtake_read(&mut self) {
        if self.disk == DiskRead::Asked {
            self.disk = DiskRead::Overtaken;
        }
    }

    /// Takes another text for what is on disk.
    pub(super) fn set_base(&mut self, base: Source) {
        self.base = base;
        self.on_disk = OnDisk::AsRead;
        self.fault = None;
        self.is_unsaved = self.text != self.base;
    }
}
