//! What saving a file is talked about with: what is expected on disk, what came of it, and what can go wrong.
//!
//! Plain data, so that the window can decide by it; the work itself is the engine's.

use std::fmt;
use std::sync::Arc;

use super::source::sha256_hex;

/// What tells a file's content from any other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// How many bytes there are.
    pub bytes: u64,
    /// SHA-256, 64 lower-case hex digits.
    pub sha256: Box<str>,
}

impl Fingerprint {
    /// That of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len() as u64,
            sha256: sha256_hex(bytes),
        }
    }
}

/// What has to be on disk for a save to go on. What is there instead is never overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No file: a new one is made.
    Nothing,
    /// A file with the content the edit is based on.
    File(Fingerprint),
    /// Whatever there is, or nothing: the user named the file and was asked.
    Anything,
}

/// What is done with a file that is marked as read-only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOnly {
    /// It is left alone, and the save fails.
    #[default]
    Refuse,
    /// It is replaced, and the new file is read-only again: the user asked for it.
    Replace,
}

/// A file was saved: it holds the new text, whole, and it was synced to disk unless a remark says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The content that is on disk now, on which the next edit is based.
    pub now: Fingerprint,
    /// What the user should know.
    pub remarks: Vec<Remark>,
}

/// Something about a file that saving it changed besides its text, or could not make sure of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The file had other names (hard links); they keep the old text.
    HardLinkBroken {
        /// How many other names it had.
        others: u64,
    },
    /// The file belongs to the user now; its owner or group could not be kept.
    OwnerNotKept,
    /// An extended attribute could not be kept.
    AttributeNotKept {
        /// Its name.
        name: String,
        /// The reason in words.
        reason: String,
    },
    /// Another program replaced the file in the very moment of the save, and could not be given its version back. That
    /// is in a file of this name beside it, until the next start.
    TheirsAside(String),
    /// The folder could not be synced: after a power cut the old file may be there again.
    FolderNotSynced(String),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HardLinkBroken { others: 1 } => {
                f.write_str("The file had another name (a hard link), which keeps the old text")
            }
            Self::HardLinkBroken { others } => {
                write!(
                    f,
                    "The file had {others} other names (hard links), which keep the old text"
                )
            }
            Self::OwnerNotKept => f.write_str("The file's owner or group could not be kept"),
            Self::AttributeNotKept { name, reason } => {
                write!(f, "The attribute {name} could not be kept: {reason}")
            }
            Self::TheirsAside(name) => write!(
                f,
                "Another program saved the file in the same moment; copy its version before the next start from {name}"
            ),
            Self::FolderNotSynced(reason) => write!(
                f,
                "The folder could not be synced, so a power cut may bring the old file back: {reason}"
            ),
        }
    }
}

/// A file was not saved: it is as it was, whole, and so is the edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveFault {
    /// The file, for people.
    pub path: Arc<str>,
    /// Why.
    pub reason: Fault,
}

/// Why a file was not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Another text is there than the one the edit is based on.
    Changed {
        /// To be expected by a save that has taken it into account.
        now: Fingerprint,
        /// The content that is there: theirs.
        theirs: Arc<[u8]>,
    },
    /// A file is there already where a new one was to be made.
    Exists {
        /// To be expected by a save that is to replace it.
        now: Fingerprint,
        /// The content that is there: theirs.
        theirs: Arc<[u8]>,
    },
    /// The file was deleted or moved away since it was read.
    FileGone,
    /// The folder it lies in was deleted or moved away.
    FolderGone,
    /// The file is marked as read-only.
    ReadOnlyFile,
    /// Nothing can be made in the folder.
    ReadOnlyFolder,
    /// There is no space left, or none for this user.
    Full,
    /// The text is larger than a file may be here.
    TooLarge,
    /// The system forbids to replace the file; its words.
    Denied(Arc<str>),
    /// The path leads out of the folder it has to stay in; the reason in words.
    Outside(Arc<str>),
    /// Anything else: what was being done, and the system's words.
    Failed {
        /// Such as `write`, after "could not".
        doing: &'static str,
        /// The system's words.
        why: Arc<str>,
    },
}

impl fmt::Display for SaveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, crate::text::visible(&self.path))
    }
}

impl std::error::Error for SaveFault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { .. } => f.write_str(
                "The file changed on disk since it was read, so it was not overwritten. \
                 Look at both versions, then take one or merge them",
            ),
            Self::Exists { .. } => f.write_str(
                "There is a file already, which was not overwritten. \
                 Choose another name, or replace it on purpose",
            ),
            Self::FileGone => f.write_str(
                "The file is gone since it was read, so nothing was written. \
                 Save it as a new file, here or elsewhere",
            ),
            Self::FolderGone => f.write_str(
                "The folder is gone, so nothing was written. \
                 Save to another folder, or bring this one back and save again",
            ),
            Self::ReadOnlyFile => f.write_str(
                "The file is read-only and stays as it was. \
                 Save under another name, or replace it on purpose",
            ),
            Self::ReadOnlyFolder => f.write_str(
                "Nothing can be written in this folder; the file stays as it was. \
                 Save to another folder, or allow writing here and save again",
            ),
            Self::Full => f.write_str(
                "There is no space left on the disk; the file stays as it was. \
                 Save to another disk, or free some space and save again",
            ),
            Self::TooLarge => f.write_str(
                "The text is larger than a file may be here; the file stays as it was. \
                 Save to another disk, or raise the limit for the size of files and save again",
            ),
            Self::Denied(why) => write!(
                f,
                "The system forbids to replace the file, which stays as it was ({why}). \
                 Save under another name, or allow it and save again"
            ),
            Self::Outside(why) => write!(
                f,
                "The path leads out of the project ({why}), so nothing was written. \
                 Save to a place inside it"
            ),
            Self::Failed { doing, why } => write!(
                f,
                "The file could not be {doing} and stays as it was ({why}). \
                 Save again, or to another place"
            ),
        }
    }
}
