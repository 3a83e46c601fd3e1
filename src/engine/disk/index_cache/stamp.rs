//! What a file is recognised by as unchanged, without reading it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;

/// Size, times and identity of a regular file. While they are the same, so is its content: every write sets the time of the
/// change, which no program can set back.
///
/// Exists only on Unix: elsewhere the standard library does not report the time of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct FileStamp {
    bytes: u64,
    modified: FileTime,
    changed: FileTime,
    device: u64,
    inode: u64,
}

/// Seconds and nanoseconds since 1970.
pub(super) type FileTime = (i64, i64);

impl FileStamp {
    /// How many bytes a stamp is in the cache.
    pub(super) const BYTES: usize = 7 * 8;

    /// Returns the stamp of a file or folder.
    #[cfg(unix)]
    pub(in crate::engine) fn new(metadata: &Metadata) -> Option<Self> {
        use cap_std::fs::MetadataExt as _;
        Some(Self {
            bytes: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }

    #[cfg(not(unix))]
    pub(in crate::engine) fn new(metadata: &Metadata) -> Option<Self> {
        let stamp =
            Self { bytes: metadata.len(), modified: (0, 0), changed: (0, 0), device: 0, inode: 0 };
        Some(stamp).filter(|_| cfg!(unix))
    }

    /// Returns whether both times are before `time`: a file that is changed from then on has another stamp.
    pub(super) fn is_before(&self, time: FileTime) -> bool {
        self.modified < time && self.changed < time
    }

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let numbers = [
            self.bytes.to_le_bytes(),
            self.modified.0.to_le_bytes(),
            self.modified.1.to_le_bytes(),
            self.changed.0.to_le_bytes(),
            self.changed.1.to_le_bytes(),
            self.device.to_le_bytes(),
            self.inode.to_le_bytes(),
        ];
        let mut bytes = [0; Self::BYTES];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number);
        }
        bytes
    }
}

/// How long ago a file must have been changed before it was read, so that its row is stored: a file that is changed twice within
/// one tick of its clock has the same times after both, and a tick takes up to two seconds, on FAT.
pub(in crate::engine) const MIN_AGE: Duration = Duration::from_secs(2);

/// Returns the time before which a file of this age at least was changed.
pub(super) fn settled_before(now: SystemTime, min_age: Duration) -> FileTime {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(min_age);
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    (seconds, since.subsec_nanos().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_just_changed_is_not_settled() {
        let stamp =
            |modified, changed| FileStamp { bytes: 1, modified, changed, device: 1, inode: 1 };
        let before = settled_before(UNIX_EPOCH + Duration::new(100, 5), MIN_AGE);
        assert_eq!(before, (98, 5));
        assert!(stamp((0, 0), (98, 4)).is_before(before));
        assert!(!stamp((0, 0), (98, 5)).is_before(before));
        assert!(!stamp((99, 0), (98, 4)).is_before(before));
        assert_eq!(settled_before(UNIX_EPOCH, MIN_AGE), (0, 0));
    }
}
