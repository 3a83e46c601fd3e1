//! Unsaved edits, kept so that they survive whatever ends the program.

use std::path::{Path, PathBuf};

use super::save::Target;

/// The unsaved edits of this process, one file each, in the platform's state folder.
#[derive(Debug)]
pub struct Drafts {
    folder: PathBuf,
}

/// An unsaved edit that an earlier run left.
#[derive(Debug)]
pub struct Draft {
    /// The file that was edited, as an absolute path.
    pub path: PathBuf,
    /// What it held when the edit began; `None` for a file that was yet to be made.
    pub base: Option<String>,
    /// The text as edited.
    pub text: String,
    /// When it was kept, in seconds since 1970, UTC.
    pub seconds: i64,
    /// What the file is now.
    pub now: Now,
}

/// What has become of a file since an edit of it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Now {
    /// It is what the edit is based on.
    Unchanged,
    /// It holds the edited text: it was saved.
    Saved,
    /// It holds something else.
    Changed(Vec<u8>),
    /// It is gone.
    Gone,
    /// It cannot be read, for the reason given.
    Unreadable(String),
}

impl Drafts {
    /// Opens the store in the platform's state folder, or in the one that `RETAKE_STATE_DIR` names.
    ///
    /// # Errors
    ///
    /// A sentence for people; edits are not kept then.
    pub fn open() -> Result<Self, String> {
        todo!()
    }

    /// Keeps an unsaved edit in place of what was kept of the same file.
    ///
    /// # Errors
    ///
    /// A sentence for people; what was kept before stays.
    pub fn keep(
        &mut self,
        _target: &Target,
        _base: Option<&str>,
        _text: &str,
    ) -> Result<(), String> {
        todo!()
    }

    /// Forgets what was kept of a file: it was saved, or its edit taken back.
    pub fn forget(&mut self, _target: &Target) {
        todo!()
    }

    /// What earlier runs left, and a remark for each that cannot be read. Other windows that run now keep theirs.
    pub fn left(&mut self) -> (Vec<Draft>, Vec<String>) {
        let _: &Path = &self.folder;
        todo!()
    }

    /// Drops an edit that an earlier run left: it was taken over, or the user does not want it.
    pub fn discard(&mut self, _draft: &Draft) {
        todo!()
    }
}
