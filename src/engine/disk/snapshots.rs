//! Copies of sources from when recordings of them were up to date, stored in the platform's data folder: without a git
//! history, only they can show what has changed since.
//!
//! Each is a file named by its hash, readable only by its owner. This is a cache: what cannot be stored is skipped, a file
//! that does not match its hash is not used, and the oldest are removed when the limit is reached.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::disk::guard::lock;
use crate::disk::root::read_file;
use crate::disk::save::{clean, files_by_age, open_private, open_to_lock, write_cached};
use calls::source::content_hash;

/// A store of copies of sources. Several windows may share its folder.
#[derive(Debug)]
pub struct Snapshots {
    folder: PathBuf,
    limit: StoreSize,
    /// The present size, once it was counted; without what other windows store meanwhile.
    held: Mutex<Option<StoreSize>>,
}

/// Number of files, and of bytes in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StoreSize {
    files: usize,
    bytes: u64,
}

/// The most that is stored.
const MAX_SIZE: StoreSize = StoreSize { files: 10_000, bytes: 64 << 20 };

/// A single source takes at most this part of the limit: 4 MiB. Twice as much is freed at a time, so that the folder is
/// not listed for each new one.
const LARGEST_FILE_DIVISOR: u64 = 16;

/// A stored copy of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSnapshot {
    /// The bytes: their [`content_hash`] is the requested one.
    pub bytes: Vec<u8>,
    /// Time at which they were stored, in seconds since 1970, UTC: the last time that a recording of them was seen up to date.
    pub seconds: i64,
}

impl Snapshots {
    /// Opens a store in a folder, which is created when there is something to store; see
    /// [`state::sources`](crate::disk::state::sources).
    pub fn open(folder: PathBuf) -> Self {
        Self { folder, limit: MAX_SIZE, held: Mutex::default() }
    }

    /// Stores the source with this hash, or updates the time of the stored one. It is read only if none is stored yet.
    pub(crate) fn keep(&self, hash: &str, source: impl FnOnce() -> Option<Vec<u8>>) {
        if is_hash(hash) {
            // The user did not request it, so a failure is not reported.
            let _ = self.try_keep(hash, source);
        }
    }

    fn try_keep(&self, hash: &str, source: impl FnOnce() -> Option<Vec<u8>>) -> io::Result<()> {
        // Held until the copy is written: the readers of a scan share the store, and each copy counts towards its limit.
        let mut stored_size = lock(&self.held);
        let dir = open_private(&self.folder)?;
        if self.find(hash).is_some() {
            return open_to_lock(&dir, hash.as_ref())?.set_modified(SystemTime::now());
        }
        let Some(bytes) = source() else { return Ok(()) };
        let length = bytes.len() as u64;
        // The source may have changed since it was hashed.
        if length > self.limit.bytes / LARGEST_FILE_DIVISOR || *content_hash(&bytes) != *hash {
            return Ok(());
        }
        let size = match *stored_size {
            Some(size) => size,
            None => {
                // Programs that were killed while they wrote may have left temporary files.
                clean(&dir, &mut |_| {});
                self.remove_oldest(&dir, self.limit)?
            }
        };
        let is_full = size.files >= self.limit.files || size.bytes + length > self.limit.bytes;
        // Two of the largest parts are freed, and as large a part of the files: an eighth.
        let target_size = StoreSize {
            files: self.limit.files - self.limit.files.div_ceil(8),
            bytes: self.limit.bytes - self.limit.bytes / LARGEST_FILE_DIVISOR * 2,
        };
        let size = if is_full { self.remove_oldest(&dir, target_size)? } else { size };
        write_cached(&dir, hash.as_ref(), &bytes)?;
        *stored_size = Some(StoreSize { files: size.files + 1, bytes: size.bytes + length });
        Ok(())
    }

    /// Removes the oldest copies until the others fit, and counts the rest.
    fn remove_oldest(&self, dir: &Dir, limit: StoreSize) -> io::Result<StoreSize> {
        let files = files_by_age(dir, is_hash)?;
        let mut size =
            StoreSize { files: files.len(), bytes: files.iter().map(|(_, len, _)| len).sum() };
        for (_, len, name) in files {
            if size.files <= limit.files && size.bytes <= limit.bytes {
                break;
            }
            dir.remove_file(name)?;
            size.files -= 1;
            size.bytes -= len;
        }
        Ok(size)
    }

    /// Returns the source with this hash, if it is stored. Creates no folder; removes a file that does not match its hash.
    pub(crate) fn find(&self, hash: &str) -> Option<SourceSnapshot> {
        if !is_hash(hash) {
            return None;
        }
        let dir = Dir::open_ambient_dir(&self.folder, ambient_authority()).ok()?;
        let bytes = read_file(&dir, Path::new(hash)).ok()?;
        if *content_hash(&bytes) != *hash {
            // If it stays, it is refused again the next time.
            let _ = dir.remove_file(hash);
            return None;
        }
        let modified = dir.metadata(hash).ok()?.modified().ok()?.into_std();
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(SourceSnapshot { bytes, seconds: i64::try_from(since.as_secs()).ok()? })
    }
}

/// Returns whether a recorded hash may be a file name: recordings may contain any text there.
fn is_hash(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 64 && text.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::Duration;

    use super::*;

    const SMALL_SIZE: StoreSize = StoreSize { files: 8, bytes: 800 };

    /// A small store that makes its folder when it has to.
    fn store(temp: &tempfile::TempDir) -> Snapshots {
        Snapshots { limit: SMALL_SIZE, ..Snapshots::open(temp.path().join("deep/sources")) }
    }

    fn keep(store: &Snapshots, text: &str) -> Box<str> {
        let hash = content_hash(text.as_bytes());
        store.keep(&hash, || Some(text.into()));
        hash
    }

    fn found(store: &Snapshots, hash: &str) -> Option<String> {
        let bytes = store.find(hash)?.bytes;
        Some(String::from_utf8(bytes).unwrap())
    }

    /// Makes a kept one older.
    fn age(store: &Snapshots, hash: &str, hours: u64) {
        let file = File::options().write(true).open(store.folder.join(hash));
        let time = SystemTime::now() - Duration::from_secs(hours * 3600);
        file.unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn what_is_kept_is_found_by_its_hash_and_read_once() {
        let temp = tempfile::tempdir().unwrap();
        let snapshots = store(&temp);
        assert_eq!(found(&snapshots, &content_hash(b"a")), None);
        assert!(!snapshots.folder.exists());
        let hash = keep(&snapshots, "a");
        assert_eq!(found(&snapshots, &hash).as_deref(), Some("a"));
        snapshots.keep(&hash, || panic!("it is there"));
        let latin = b"machine \"\xe9\"";
        snapshots.keep(&content_hash(latin), || Some(latin.to_vec()));
        assert_eq!(store(&temp).find(&content_hash(latin)).unwrap().bytes, latin);
    }

    #[test]
    fn the_oldest_go_and_one_that_is_seen_again_is_young() {
        let temp = tempfile::tempdir().unwrap();
        let snapshots = store(&temp);
        let hashes: Vec<_> = (0..8).map(|number| keep(&snapshots, &number.to_string())).collect();
        for (hash, hours) in hashes.iter().zip(1..) {
            age(&snapshots, hash, hours);
        }
        keep(&snapshots, "7");
        keep(&snapshots, "new");
        let remaining: Vec<bool> =
            hashes.iter().map(|hash| found(&snapshots, hash).is_some()).collect();
        assert_eq!(remaining, [true, true, true, true, true, true, false, true]);
    }

    #[test]
    fn there_is_never_more_than_fits() {
        let temp = tempfile::tempdir().unwrap();
        let mut last = Box::default();
        for number in 0..100 {
            // Each beginning counts again.
            let snapshots = store(&temp);
            keep(&snapshots, &format!("{number:>50}"));
            last = keep(&snapshots, &format!("{number}"));
        }
        for number in 0..100 {
            keep(&store(&temp), &format!("{number:>49}"));
            let sizes: Vec<u64> = fs::read_dir(store(&temp).folder)
                .unwrap()
                .map(|entry| entry.unwrap().metadata().unwrap().len())
                .collect();
            assert!(
                sizes.len() <= SMALL_SIZE.files && sizes.iter().sum::<u64>() <= SMALL_SIZE.bytes
            );
        }
        assert_eq!(found(&store(&temp), &last), None);
        let large = keep(&store(&temp), &"x".repeat(51));
        assert_eq!(found(&store(&temp), &large), None);
    }

    #[test]
    fn what_does_not_fit_its_hash_is_neither_kept_nor_believed() {
        let temp = tempfile::tempdir().unwrap();
        let snapshots = store(&temp);
        let hash = keep(&snapshots, "a");
        let place = snapshots.folder.join(&*hash);
        fs::write(&place, "b").unwrap();
        assert_eq!(found(&snapshots, &hash), None);
        assert!(!place.exists());
        snapshots.keep(&hash, || Some(b"changed meanwhile".to_vec()));
        assert!(!place.exists());
        // A recording may name anything as its hash.
        fs::write(temp.path().join("secret"), "s").unwrap();
        for name in ["../../secret", "", ".", &hash.to_uppercase()] {
            snapshots.keep(name, || panic!("no hash"));
            assert_eq!(found(&snapshots, name), None);
        }
        assert!(temp.path().join("secret").exists());
    }

    #[test]
    fn an_unexpected_file_is_ignored() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("deep"), "no folder").unwrap();
        let snapshots = store(&temp);
        let hash = keep(&snapshots, "a");
        assert_eq!(found(&snapshots, &hash), None);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_look() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let snapshots = store(&temp);
        let hash = keep(&snapshots, "a");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&snapshots.folder), 0o700);
        assert_eq!(mode(&snapshots.folder.join(&*hash)), 0o600);
        assert_eq!(fs::read_dir(&snapshots.folder).unwrap().count(), 1);
    }
}
