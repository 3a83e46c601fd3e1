//! An edited document: its text on disk, its current text, and the state of saving.

use std::sync::Arc;

use author::saving::SaveFault;
use document::text::Source;
use protocol::Revision;

/// An edited document. It is kept until its project is closed, so that all edits can be undone.
#[derive(Clone, Debug)]
pub struct WorkingCopy {
    /// The text that edits are based on: as read, or as last saved.
    pub base: Source,
    pub text: Source,
    pub revision: Revision,
    is_unsaved: bool,
    /// Change of the file since it was read.
    pub on_disk: OnDisk,
    /// The text that is being saved.
    pub(crate) saving: Option<Source>,
    /// Reason the last save failed.
    pub fault: Option<Arc<SaveFault>>,
    /// Whether its file is being read.
    pub(crate) disk_read: DiskRead,
    /// The revision that is being parsed for the views.
    pub(crate) reading: Option<Revision>,
}

/// Change of a file while it was edited here.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OnDisk {
    /// Nothing, as far as is known.
    #[default]
    AsRead,
    /// It has this text now: theirs.
    Changed(Source),
    /// It was deleted.
    Gone,
}

/// Whether the file of an edited document is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DiskRead {
    /// Not being read.
    #[default]
    Idle,
    /// Requested; the response contains the current text.
    Requested,
    /// Requested before a save: the response may contain the text before it.
    Overtaken,
}

impl WorkingCopy {
    pub(crate) fn new(base: Source, revision: Revision) -> Self {
        Self {
            text: base.clone(),
            base,
            revision,
            is_unsaved: false,
            on_disk: OnDisk::AsRead,
            saving: None,
            fault: None,
            disk_read: DiskRead::Idle,
            reading: None,
        }
    }

    /// Whether the text differs from the base.
    pub fn is_unsaved(&self) -> bool {
        self.is_unsaved
    }

    /// Whether the file was changed both on disk and here, so that the user has to decide.
    pub fn is_in_conflict(&self) -> bool {
        self.is_unsaved && matches!(self.on_disk, OnDisk::Changed(_))
    }

    pub(crate) fn set_text(&mut self, text: Source, revision: Revision) {
        self.text = text;
        self.revision = revision;
        // Kept, because views need it in each frame and texts may be long.
        self.is_unsaved = self.text != self.base;
    }

    /// Sets the text on disk.
    pub(crate) fn set_base(&mut self, base: Source) {
        self.base = base;
        self.on_disk = OnDisk::AsRead;
        self.fault = None;
        self.is_unsaved = self.text != self.base;
    }
}
