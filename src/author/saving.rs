//! Types for saving a file: what is expected on disk, the result, and the errors.
//!
//! This is plain data for the window and the command line to decide by; the engine does the saving.

use std::fmt;
use std::sync::Arc;

use calls::source::sha256_hex;
use document::text::Source;

/// Identifies the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Number of bytes.
    pub bytes: u64,
    /// SHA-256, 64 lower-case hex digits.
    pub sha256: Box<str>,
}

impl Fingerprint {
    /// Computes the fingerprint of these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, sha256: sha256_hex(bytes) }
    }
}

/// State on disk that a save requires. Anything else is never overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No file: a new one is created.
    Nothing,
    /// A file with the content that the edit is based on.
    File(Fingerprint),
    /// Any file or none: the user named the file and confirmed to overwrite it.
    Anything,
}

impl Expected {
    /// Expects a file with this content, or none.
    pub fn from_bytes(bytes: Option<&[u8]>) -> Self {
        bytes.map_or(Self::Nothing, |bytes| Self::File(Fingerprint::from_bytes(bytes)))
    }
}

/// Treatment of a file that is marked as read-only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOnly {
    /// It is not changed, and the save fails.
    #[default]
    Refuse,
    /// It is replaced, and the new file is read-only again: the user confirmed this.
    Replace,
}

/// The result of a successful save: the file has the complete new text and was synced to disk, unless a remark says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// The content that is on disk now, on which the next edit is based.
    pub now: Fingerprint,
    /// Remarks for the user.
    pub remarks: Vec<SaveRemark>,
    /// The text that was written in place of the one to save, if that was made [stable](calls::stable).
    pub stable: Option<Source>,
}

/// A side effect of saving a file, or something that could not be guaranteed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveRemark {
    /// The file had other names (hard links); they keep the old text.
    HardLinkBroken {
        /// Number of its other names.
        others: u64,
    },
    /// The file now belongs to the user; its owner or group could not be kept.
    OwnerNotKept,
    /// An extended attribute could not be kept.
    AttributeNotKept {
        name: String,
        /// The reason in words.
        reason: String,
    },
    /// Another program replaced the file during the save, and its version could not be restored. That version is in a file
    /// with this name in the same folder, until the next start.
    TheirsSavedBeside(String),
    /// The folder could not be synced: after a power failure the old file may be there again.
    FolderNotSynced(String),
}

impl fmt::Display for SaveRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HardLinkBroken { others: 1 } => {
                f.write_str("The file had another name (a hard link), which keeps the old text")
            }
            Self::HardLinkBroken { others } => {
                write!(f, "The file had {others} other names (hard links), which keep the old text")
            }
            Self::OwnerNotKept => f.write_str("The file's owner or group could not be kept"),
            Self::AttributeNotKept { name, reason } => {
                write!(f, "The attribute {name} could not be kept: {reason}")
            }
            Self::TheirsSavedBeside(name) => write!(
                f,
                "Another program saved the file at the same time; copy its version from {name} before the next start"
            ),
            Self::FolderNotSynced(reason) => write!(
                f,
                "The folder could not be synced, so the old file may be back after a power failure: {reason}"
            ),
        }
    }
}

/// The error of a save that failed: the file on disk and the edit are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveFault {
    /// The file, for people.
    pub path: Arc<str>,
    /// The reason.
    pub reason: SaveFailure,
}

/// Reason that a file was not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveFailure {
    /// The file has a different content than the edit is based on.
    Changed {
        /// The fingerprint to expect in a save that overwrites or merges it.
        now: Fingerprint,
        /// The content on disk ("theirs").
        theirs: Arc<[u8]>,
    },
    /// The file that was to be removed has a different content than expected.
    ChangedSince,
    /// A file exists where a new one was to be created.
    Exists {
        /// The fingerprint to expect in a save that replaces it.
        now: Fingerprint,
        /// The content on disk ("theirs").
        theirs: Arc<[u8]>,
    },
    /// The file was deleted or moved away since it was read.
    FileGone,
    /// Its folder was deleted or moved away.
    FolderGone,
    /// The file is marked as read-only.
    ReadOnlyFile,
    /// No file can be created in the folder.
    ReadOnlyFolder,
    /// There is no space left, or none for this user.
    Full,
    /// The text is larger than the allowed size of a file.
    TooLarge,
    /// The system does not allow replacing the file; with its message.
    Denied(Arc<str>),
    /// The path leads out of the project; with the reason.
    Outside(Arc<str>),
    /// Any other error: the failed step, and the system's message.
    Failed {
        /// Such as `write`, after "could not".
        doing: &'static str,
        /// The system's message.
        why: Arc<str>,
    },
}

impl fmt::Display for SaveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, document::text::visible(&self.path))
    }
}

impl std::error::Error for SaveFault {}

impl fmt::Display for SaveFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { .. } => f.write_str(
                "The file changed on disk since it was read, so it was not overwritten. \
                 Compare both versions, then choose one or merge them",
            ),
            Self::ChangedSince => f.write_str("Skipped: the file was changed since"),
            Self::Exists { .. } => f.write_str(
                "A file with this name already exists and was not overwritten. \
                 Choose another name, or replace the file",
            ),
            Self::FileGone => f.write_str(
                "The file was deleted or moved since it was read, so nothing was written. \
                 Save it as a new file, here or in another folder",
            ),
            Self::FolderGone => f.write_str(
                "The folder does not exist any more, so nothing was written. \
                 Save to another folder, or restore this one and save again",
            ),
            Self::ReadOnlyFile => f.write_str(
                "The file is read-only and was not changed. \
                 Save under another name, or replace the file anyway",
            ),
            Self::ReadOnlyFolder => f.write_str(
                "The folder is not writable, so the file was not changed. \
                 Save to another folder, or make this one writable and save again",
            ),
            Self::Full => f.write_str(
                "There is no space left on the disk, so the file was not changed. \
                 Save to another disk, or free some space and save again",
            ),
            Self::TooLarge => f.write_str(
                "The text is larger than the maximum file size here, so the file was not changed. \
                 Save to another disk, or raise the limit of the file size and save again",
            ),
            Self::Denied(why) => write!(
                f,
                "The system does not allow replacing the file, so it was not changed ({why}). \
                 Save under another name, or change the permissions and save again"
            ),
            Self::Outside(why) => write!(
                f,
                "The path leads out of the project ({why}), so nothing was written. \
                 Save to a folder inside it"
            ),
            Self::Failed { doing, why } => write!(
                f,
                "The file could not be {doing}, so it was not changed ({why}). \
                 Save again, or save to another folder"
            ),
        }
    }
}
