//! The file of a cache, and the folder with all of them.

use std::ffi::{OsStr, OsString};
use std::hash::BuildHasher as _;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use foldhash::HashMap;
use foldhash::quality::FixedState;

use super::bytes::ByteReader;
use crate::disk::file_stamp::FileStamp;
use crate::disk::root::{MAX_FILE_BYTES, read_file};
use crate::disk::save::{clean, files_by_age, open_private, open_to_lock, write_cached};
use calls::Pool;
use calls::secret::HashKey;

/// Beginning of each file. The number changes with the format.
const MAGIC: &[u8; 16] = b"retake index  5\n";

/// Ending of the names of the files.
const NAME_ENDING: &str = ".index";

/// The most that is stored of all projects together: 512 MiB. The oldest files are deleted first.
const MAX_BYTES: u64 = 512 << 20;

/// A file that was not used for this long is deleted: 60 days.
const MAX_AGE: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Age from which the time of a used file is updated: a day, so that opening a folder does not write each time.
const TIME_STEP: Duration = Duration::from_secs(24 * 60 * 60);

/// The file with the key of the hashes of secrets, for all caches.
const KEY_NAME: &str = "secrets.key";

/// Purpose of a file: a hash of everything but the files of the project that its content depends on.
pub(super) type CacheKey = [u8; 32];

/// A file that was read, or nothing.
#[derive(Debug, Default)]
pub(super) struct StoredIndex {
    /// Number of rows that were added since the file was begun.
    pub(super) added: usize,
    /// Texts that many rows share: stored once, and referred to by number.
    pub(super) texts: Vec<Arc<str>>,
    file: Vec<u8>,
    /// The entries of files, by the hashes of their paths.
    entries: HashMap<u64, EntryPlace>,
}

/// Place of an entry in the file. Its bytes are read when they are needed: copying each takes longer than reading the file.
#[derive(Debug)]
struct EntryPlace {
    start: usize,
    /// Whether it is still valid: whether it was used.
    is_used: AtomicBool,
}

/// A file as it is stored; valid for a file with the same stamp.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredEntry<'a> {
    pub(super) path: &'a str,
    pub(super) stamp: [u8; FileStamp::BYTES],
    pub(super) row: &'a [u8],
}

impl StoredIndex {
    /// Reads a file of a folder. One that is missing, damaged or for something else counts as nothing.
    pub(super) fn read(folder: &Path, name: &OsStr, key: &CacheKey, pool: &Pool) -> Self {
        Self::try_read(folder, name, key, pool).unwrap_or_default()
    }

    fn try_read(folder: &Path, name: &OsStr, key: &CacheKey, pool: &Pool) -> Option<Self> {
        let dir = Dir::open_ambient_dir(folder, ambient_authority()).ok()?;
        let file = read_file(&dir, Path::new(name)).ok()?;
        let index = Self::parse(file, key, pool)?;
        let modified = dir.metadata(name).ok()?.modified().ok()?.into_std();
        let now = SystemTime::now();
        if now.duration_since(modified).is_ok_and(|age| age > TIME_STEP) {
            // If this fails, the file is only deleted earlier.
            let _ = open_to_lock(&dir, name).and_then(|file| file.set_modified(now));
        }
        Some(index)
    }

    fn parse(file: Vec<u8>, key: &CacheKey, pool: &Pool) -> Option<Self> {
        let mut reader = ByteReader(&file);
        if reader.array()? != *MAGIC {
            return None;
        }
        let checksum = u64::from_le_bytes(reader.array()?);
        if checksum != checksum_of(reader.0) || reader.array()? != *key {
            return None;
        }
        let added = usize::try_from(reader.number()?).ok()?;
        let texts = (0..reader.length()?)
            .map(|_| Some(pool.text(reader.text()?)))
            .collect::<Option<_>>()?;
        let count = reader.length()?;
        let mut entries = HashMap::with_capacity_and_hasher(count, Default::default());
        for _ in 0..count {
            let start = file.len() - reader.0.len();
            let path = StoredEntry::parse(&mut reader)?.path;
            // Of two paths with the same hash, the first is read again each time.
            entries.insert(path_hash(path), EntryPlace { start, is_used: AtomicBool::default() });
        }
        reader.0.is_empty().then_some(())?;
        Some(Self { added, texts, entries, file })
    }

    /// Returns the row of the file with this path and this stamp, and keeps it.
    pub(super) fn row(&self, path: &str, stamp: &FileStamp) -> Option<&[u8]> {
        let place = self.entries.get(&path_hash(path))?;
        let entry = self.entry(place)?;
        let is_valid = entry.path == path && entry.stamp == stamp.to_bytes();
        is_valid.then(|| {
            place.is_used.store(true, Relaxed);
            entry.row
        })
    }

    /// Drops the row of a path, in whose place another one is stored: not only its file decides whether a row is valid.
    pub(super) fn forget(&self, path: &str) {
        if let Some(place) = self.entries.get(&path_hash(path)) {
            place.is_used.store(false, Relaxed);
        }
    }

    /// Returns the entries that were used.
    pub(super) fn used(&self) -> impl Iterator<Item = StoredEntry<'_>> {
        let places = self.entries.values().filter(|place| place.is_used.load(Relaxed));
        places.filter_map(|place| self.entry(place))
    }

    fn entry(&self, place: &EntryPlace) -> Option<StoredEntry<'_>> {
        StoredEntry::parse(&mut ByteReader(self.file.get(place.start..)?))
    }
}

impl<'a> StoredEntry<'a> {
    fn parse(reader: &mut ByteReader<'a>) -> Option<Self> {
        let (path, stamp, length) = (reader.text()?, reader.array()?, reader.length()?);
        Some(Self { path, stamp, row: reader.bytes(length)? })
    }
}

fn path_hash(path: &str) -> u64 {
    FixedState::with_seed(0).hash_one(path)
}

/// Returns a file with this content, which [`StoredIndex::read`] reads.
pub(super) fn file(key: &CacheKey, content: &[u8]) -> Vec<u8> {
    let rest = [key, content].concat();
    [&MAGIC[..], &checksum_of(&rest).to_le_bytes(), &rest].concat()
}

fn checksum_of(bytes: &[u8]) -> u64 {
    // Against damage, not against forgery: the folder belongs to the user alone.
    FixedState::with_seed(0).hash_one(bytes)
}

/// Returns the name of the file with this name without its ending.
pub(super) fn file_name(name: &str) -> OsString {
    format!("{name}{NAME_ENDING}").into()
}

/// Returns the key of the hashes of secrets in a folder, else a new one, which [`write`] stores; `None` if there are no random numbers.
pub(super) fn mask_key(folder: &Path) -> Option<HashKey> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority());
    if let Some(key) = dir.ok().and_then(|dir| stored_key(&dir)) {
        return Some(key);
    }
    let mut random = [0; 16];
    getrandom::fill(&mut random).ok()?;
    Some(HashKey(random))
}

fn stored_key(dir: &Dir) -> Option<HashKey> {
    read_file(dir, Path::new(KEY_NAME)).ok()?.try_into().ok().map(HashKey)
}

/// Replaces a file in one step, and deletes old files of the folder. The key is that of the hashes in it.
pub(super) fn write(folder: &Path, name: &OsStr, file: &[u8], key: HashKey) -> io::Result<()> {
    // `read_file` would refuse a file of this size.
    if file.len() as u64 > MAX_FILE_BYTES {
        return delete(folder, name);
    }
    let dir = open_private(folder)?;
    // One that another program has stored meanwhile is kept: then only this file is of no use.
    if stored_key(&dir).is_none() {
        write_cached(&dir, OsStr::new(KEY_NAME), &key.0)?;
    }
    write_cached(&dir, name, file)?;
    // Programs that were killed while they wrote may have left temporary files.
    clean(&dir, &mut |_| {});
    delete_old(&dir, SystemTime::now(), MAX_BYTES)
}

/// Deletes a file, if there is one.
pub(super) fn delete(folder: &Path, name: &OsStr) -> io::Result<()> {
    match std::fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Deletes files that were not used for long, and the oldest until the others fit.
fn delete_old(dir: &Dir, now: SystemTime, max_bytes: u64) -> io::Result<()> {
    let mut total_bytes = 0;
    let files = files_by_age(dir, |name| name.ends_with(NAME_ENDING))?;
    // From the newest on, so that it is the oldest that do not fit.
    for (modified, bytes, name) in files.into_iter().rev() {
        total_bytes += bytes;
        let is_old = now.duration_since(modified).is_ok_and(|age| age > MAX_AGE);
        if is_old || total_bytes > max_bytes {
            dir.remove_file(name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn old_files_are_deleted_and_those_that_do_not_fit() {
        let temp = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        for (name, days, bytes) in [
            ("a.index", 0, 60),
            ("b.index", 1, 30),
            ("c.index", 2, 20),
            ("old.index", 61, 0),
            ("other", 99, 500),
        ] {
            let path = temp.path().join(name);
            fs::write(&path, vec![0; bytes]).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(now - TIME_STEP * days).unwrap();
        }
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        delete_old(&dir, now, 100).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.index", "b.index", "other"]);
    }
}
