//! Stamps of files, which show whether a file has changed without reading it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;

/// The identity of a file or folder: device and inode number.
pub(crate) type Identity = (u64, u64);

/// Size, times and identity of a file or folder. While they are the same, so is its content: every write sets the time of the
/// change, which no program can set back. Only on Unix: elsewhere the standard library does not report that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) bytes: u64,
    modified: FileTime,
    changed: FileTime,
    pub(crate) identity: Option<Identity>,
}

/// Nanoseconds since 1970; a time beyond their range is the nearest one within it.
pub(crate) type FileTime = i64;

impl FileStamp {
    /// Number of bytes of a stamp in the cache.
    pub(crate) const BYTES: usize = 5 * 8;

    #[cfg(unix)]
    pub(crate) fn new(metadata: &Metadata) -> Self {
        use cap_std::fs::MetadataExt as _;
        Self {
            bytes: metadata.size(),
            modified: file_time(metadata.mtime(), metadata.mtime_nsec()),
            changed: file_time(metadata.ctime(), metadata.ctime_nsec()),
            identity: identity(metadata),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn new(facts: &Metadata) -> Self {
        let modified = facts.modified().map(|time| settled_before(time.into_std(), Duration::ZERO));
        Self {
            bytes: facts.len(),
            // A file without a time is never old enough for its stamp to be trusted.
            modified: modified.unwrap_or(FileTime::MAX),
            changed: 0,
            identity: None,
        }
    }

    /// Returns the stamp where it proves that a file is unchanged.
    pub(crate) fn exact(metadata: &Metadata) -> Option<Self> {
        cfg!(unix).then(|| Self::new(metadata))
    }

    /// Returns whether both times are before `time`: a file that is changed from then on has another stamp.
    pub(crate) fn is_before(&self, time: FileTime) -> bool {
        self.modified < time && self.changed < time
    }

    /// Returns whether the file may have been written since a time.
    pub(crate) fn may_have_changed_since(&self, time: SystemTime) -> bool {
        !self.is_before(settled_before(time, MIN_AGE))
    }

    /// Returns whether this can be the same file under another name. Its inode number alone is not enough: systems reuse it for the next
    /// file.
    pub(crate) fn is_renamed(&self, other: &Self) -> bool {
        // Renaming sets the time of the change on most file systems, so only this time may differ.
        self.identity.is_some() && Self { changed: other.changed, ..*self } == *other
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let (device, inode) = self.identity.unwrap_or_default();
        let numbers = [
            self.bytes.to_le_bytes(),
            self.modified.to_le_bytes(),
            self.changed.to_le_bytes(),
            device.to_le_bytes(),
            inode.to_le_bytes(),
        ];
        let mut bytes = [0; Self::BYTES];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number);
        }
        bytes
    }
}

/// Returns the identity of a file or folder, if the system has one.
#[cfg(unix)]
pub(crate) fn identity(metadata: &Metadata) -> Option<Identity> {
    use cap_std::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> Option<Identity> {
    None
}

/// The age of the last change of a file from which its stamp is final: a file that is changed twice within one tick of its clock has
/// the same times after both, and a tick takes up to two seconds, on FAT.
pub(crate) const MIN_AGE: Duration = Duration::from_secs(2);

/// Returns the time before which a file of this age at least was changed.
pub(crate) fn settled_before(now: SystemTime, min_age: Duration) -> FileTime {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(min_age);
    FileTime::try_from(since.as_nanos()).unwrap_or(FileTime::MAX)
}

#[cfg(unix)]
fn file_time(seconds: i64, nanos: i64) -> FileTime {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_just_changed_is_not_settled() {
        let stamp =
            |modified, changed| FileStamp { bytes: 1, modified, changed, identity: Some((1, 1)) };
        let time = settled_before(UNIX_EPOCH + Duration::new(100, 5), MIN_AGE);
        assert_eq!(time, 98_000_000_005);
        assert!(stamp(0, time - 1).is_before(time));
        assert!(!stamp(0, time).is_before(time));
        assert!(!stamp(99_000_000_000, time - 1).is_before(time));
        assert_eq!(settled_before(UNIX_EPOCH, MIN_AGE), 0);
    }
}
