//! A file's metadata, to detect changes without reading it.

use std::path::Path;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, Metadata};

use crate::engine::disk::root::{Identity, identity};

/// The coarsest resolution of a file system's times, including clock differences.
const TIME_GRANULARITY: Duration = Duration::from_secs(2);

/// A file's metadata. It differs after the file was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    pub(super) identity: Option<Identity>,
    pub(super) bytes: u64,
    modified: Option<SystemTime>,
    /// When its content, metadata or name was last changed. No program can set this time.
    changed: Option<SystemTime>,
}

impl FileStamp {
    /// Reads the metadata of a file, or of a link's target.
    pub(super) fn read(dir: &Dir, path: &Path) -> Option<Self> {
        let metadata = dir.metadata(path).ok()?;
        Some(Self {
            identity: identity(&metadata),
            bytes: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            changed: changed(&metadata),
        })
    }

    /// Returns whether it may have been written since a time.
    pub(super) fn may_have_changed_since(&self, time: SystemTime) -> bool {
        let latest = self.modified.max(self.changed);
        latest.is_none_or(|latest| latest + TIME_GRANULARITY >= time)
    }

    /// Returns whether this can be the same file under another name. Its inode number alone is not enough: systems reuse it for the next
    /// file.
    pub(super) fn is_renamed(&self, other: &Self) -> bool {
        self.identity.is_some()
            && (self.identity, self.bytes, self.modified)
                == (other.identity, other.bytes, other.modified)
    }
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use cap_std::fs::MetadataExt as _;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanos = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<SystemTime> {
    None
}
