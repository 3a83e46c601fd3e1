//! What the system says of a file without its being read.

use std::path::Path;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, Metadata};

use crate::engine::walk::{Identity, identity};

/// How coarse the times of a file system can be, and how far its clock may be from ours.
const COARSE: Duration = Duration::from_secs(2);

/// What a file looks like from outside. One that was written looks different afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    identity: Option<Identity>,
    pub(super) bytes: u64,
    modified: Option<SystemTime>,
    /// When anything of it was changed, its name included. No program can set this.
    changed: Option<SystemTime>,
}

impl Stamp {
    /// Looks at a file, or at what a link leads to.
    pub(super) fn of(dir: &Dir, path: &Path) -> Option<Self> {
        let metadata = dir.metadata(path).ok()?;
        Some(Self {
            identity: identity(&metadata),
            bytes: metadata.len(),
            modified: metadata
                .modified()
                .ok()
                .map(cap_std::time::SystemTime::into_std),
            changed: changed(&metadata),
        })
    }

    /// Whether it may have been written since a time.
    pub(super) fn may_be_since(&self, time: SystemTime) -> bool {
        let latest = self.modified.max(self.changed);
        latest.is_none_or(|latest| latest + COARSE >= time)
    }

    /// Whether this can be that same file under another name. Its number alone would not do: systems give it to the next
    /// file.
    pub(super) fn is_renamed(&self, other: &Self) -> bool {
        self.identity.is_some()
            && (self.identity, self.bytes, self.modified)
                == (other.identity, other.bytes, other.modified)
    }

    /// The number of the file.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.identity
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
