//! The rows of files that were read before, so that opening an unchanged folder again reads none of them.
//!
//! A cache is a file in the platform's cache folder for each opened folder, readable only by its owner. A row is used only if its
//! file has the same [stamp](FileStamp): size, times and identity. As in git's index, a file that had only just been changed when
//! it was read is not stored, because another change within the same tick of the clock would leave its times as they are. What
//! else a row depends on is in the [key](CacheKey): the program, the project, and its settings. What depends on other files is
//! not stored: the state of a source, the contracts of a session, the findings of rules for the project. Nor is the row of a file
//! with secrets, unless all of them only identify an account or a client: of these the hashes are stored, by which they are
//! hidden in texts. The row of a cassette is stored with what is configured about it, and used while that is the same.
//!
//! A cache that is missing, damaged, or for something else costs time, never a wrong row. Two programs may write the same one: the
//! later one replaces it in one step.

mod bytes;
mod row;
mod store;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime};

use foldhash::HashMap;
use sha2::{Digest as _, Sha256};

use self::bytes::{ByteReader, ByteWriter};
pub(crate) use self::row::StoredRow;
use self::row::{RowReader, RowWriter};
use self::store::{CacheKey, StoredIndex};
use crate::disk::file_stamp::{FileStamp, FileTime, MIN_AGE, settled_before};
use crate::disk::guard::lock;
use crate::disk::reader::FileListing;
use crate::disk::root::OpenedPath;
use calls::source::sha256_hex;
use calls::{Item, Pool};

/// Options of the caches of a project.
#[derive(Clone, Debug)]
pub(crate) struct CacheOptions {
    folder: PathBuf,
    /// Time since the last change of a file from which its row is stored.
    min_age: Duration,
}

impl CacheOptions {
    /// Uses the caches in a folder; see [`state::caches`](crate::disk::state::caches).
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder, min_age: MIN_AGE }
    }
}

/// The caches of what is open, for one scan.
#[derive(Clone, Debug, Default)]
pub struct IndexCaches {
    /// For each opened path; `None` for one that has none.
    caches: Arc<[Option<IndexCache>]>,
}

impl IndexCaches {
    /// Reads the caches of opened paths; none without options.
    pub(crate) fn read(options: Option<&CacheOptions>, opened: &[OpenedPath], pool: &Pool) -> Self {
        let Some(options) = options else { return Self::default() };
        let settle_time = settled_before(SystemTime::now(), options.min_age);
        let folder = &options.folder;
        let cache = |opened| IndexCache::read(folder.clone(), opened, settle_time, pool);
        Self { caches: opened.iter().map(cache).collect() }
    }

    /// Returns the cache of an opened path.
    pub(crate) fn of(&self, opened: usize) -> Option<&IndexCache> {
        self.caches.get(opened)?.as_ref()
    }

    /// Returns whether anything is stored, so that files need stamps.
    pub(crate) fn has_rows(&self) -> bool {
        let mut caches = self.caches.iter().flatten();
        caches.any(|cache| !cache.stored.rows.is_empty())
    }

    /// Stores what was read, for the next scan. What cannot be stored is read again then.
    pub fn write(&self) {
        for cache in self.caches.iter().flatten() {
            cache.write();
        }
    }
}

/// Rows of the files in one opened folder from earlier scans, and those that a scan adds.
#[derive(Debug)]
pub(crate) struct IndexCache {
    folder: PathBuf,
    name: OsString,
    key: CacheKey,
    stored: StoredIndex,
    settled_before: FileTime,
    added: Mutex<Option<AddedEntries>>,
}

/// New entries.
#[derive(Debug, Default)]
struct AddedEntries {
    texts: TextCollector,
    rows: ByteWriter,
    count: usize,
}

/// The texts that rows share: those of the previous file with their numbers, then new ones.
#[derive(Debug, Default)]
struct TextCollector {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, usize>,
}

impl TextCollector {
    /// Returns the number of a text.
    fn number(&mut self, text: &str) -> usize {
        self.numbers.get(text).copied().unwrap_or_else(|| self.push(text.into()))
    }

    fn push(&mut self, text: Arc<str>) -> usize {
        let number = self.texts.len();
        self.numbers.insert(Arc::clone(&text), number);
        self.texts.push(text);
        number
    }
}

impl IndexCache {
    /// Reads the cache of an opened folder. A named file has none, nor has what is staged.
    fn read(
        folder: PathBuf,
        opened: &OpenedPath,
        settled_before: FileTime,
        pool: &Pool,
    ) -> Option<Self> {
        if opened.file.is_some() || opened.root.staged.is_some() {
            return None;
        }
        let place = format!("{:?}\n{:?}\n", opened.root.path(), opened.prefix);
        // Hashed, since a path may be longer than a file's name can be.
        let name = store::file_name(&sha256_hex(place.as_bytes())[..32]);
        let key = Sha256::new()
            .chain_update(program()?)
            .chain_update(place)
            .chain_update(format!("{:?}", opened.root.settings.file))
            .finalize()
            .into();
        Some(Self {
            stored: StoredIndex::read(&folder, &name, &key, pool),
            folder,
            name,
            key,
            settled_before,
            added: Mutex::default(),
        })
    }

    /// Returns the row of the file at this path below the folder, if it has not changed.
    pub(crate) fn row(&self, path: &str, stamp: &FileStamp, pool: &Pool) -> Option<StoredRow> {
        let StoredIndex { texts, rows, .. } = &self.stored;
        let entry = rows.get(path).filter(|entry| entry.stamp == stamp.to_bytes())?;
        entry.is_used.store(true, Relaxed);
        StoredRow::read(&mut RowReader { bytes: ByteReader(&entry.row), texts, pool })
    }

    /// Adds the row of a file that was read. Its problems must have the severities of their rules.
    pub(crate) fn add_row(
        &self,
        path: &str,
        stamp: &FileStamp,
        listing: FileListing,
        item: &Item,
        node: Option<&str>,
    ) {
        let hashes = match &item.secrets {
            None => Some(Vec::new()),
            // No text of the row may quote what is stored as a hash only.
            Some(secrets) => {
                let mut bare_item = Item::clone(item);
                bare_item.secrets = None;
                let hashes = secrets.hashes();
                hashes.filter(|_| !secrets.is_quoted_in(&format!("{bare_item:?}")))
            }
        };
        if let Some(hashes) = hashes.filter(|_| stamp.is_before(self.settled_before)) {
            let mut added = lock(&self.added);
            let entries = added.get_or_insert_with(|| {
                let mut entries = AddedEntries::default();
                // All of them, used or not: rows are copied as bytes, which contain these numbers.
                for text in &self.stored.texts {
                    entries.texts.push(Arc::clone(text));
                }
                entries
            });
            let mut row = ByteWriter::default();
            let mut writer = RowWriter { bytes: &mut row, texts: &mut entries.texts };
            StoredRow::write(listing, item, (node, hashes), &mut writer);
            entries.push(path, &stamp.to_bytes(), &row.0);
        }
    }

    /// Writes what was used and what was added, if anything was added.
    fn write(&self) {
        let mut entries = lock(&self.added);
        let result = match entries.take() {
            Some(entries) => match self.encode(entries) {
                Some(file) => store::write(&self.folder, &self.name, &file),
                None => store::delete(&self.folder, &self.name),
            },
            None => Ok(()),
        };
        if let Err(error) = result {
            // Only logged: without the cache, the next start only takes longer.
            log::debug!("The index cache cannot be written: {error}");
        }
    }

    /// Returns the new content; `None` when it should be begun again: it is too large, or most of its texts may be unused.
    fn encode(&self, mut entries: AddedEntries) -> Option<Vec<u8>> {
        /// Number of rows that may be added for each stored one until the file is begun again.
        const MAX_GROWTH: usize = 8;
        let rows_added = self.stored.added + entries.count;
        let stored = self.stored.rows.iter();
        for (path, entry) in stored.filter(|(_, entry)| entry.is_used.load(Relaxed)) {
            entries.push(path, &entry.stamp, &entry.row);
        }
        // The texts of replaced rows stay in the file. A hundred more, so that a small cache is not begun again all the time.
        if rows_added > (entries.count + 100) * MAX_GROWTH {
            return None;
        }
        let mut content = ByteWriter::default();
        content.length(rows_added);
        content.length(entries.texts.texts.len());
        entries.texts.texts.iter().for_each(|text| content.text(text));
        content.length(entries.count);
        content.bytes(&entries.rows.0);
        Some(store::file(&self.key, &content.0))
    }
}

impl AddedEntries {
    fn push(&mut self, path: &str, stamp: &[u8], row: &[u8]) {
        self.count += 1;
        self.rows.text(path);
        self.rows.bytes(stamp);
        self.rows.length(row.len());
        self.rows.bytes(row);
    }
}

/// Identifies the program: two builds of a version may differ in their rules. `None` when it is unknown.
fn program() -> Option<&'static str> {
    static PROGRAM: LazyLock<Option<String>> = LazyLock::new(|| {
        let file = std::env::current_exe().ok()?.metadata().ok()?;
        let modified = file.modified().ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&file);
        #[cfg(not(unix))]
        let inode = 0;
        let version = document::program::version();
        Some(format!("{version} {} {modified:?} {inode}\n", file.len()))
    });
    PROGRAM.as_deref()
}
