//! The rows of files that were read before, so that opening an unchanged folder again reads none of them.
//!
//! A cache is a file in the platform's cache folder for each opened folder, readable only by its owner. A row is used only if its
//! file has the same [stamp](FileStamp): size, times and identity. As in git's index, a file that had only just been changed when
//! it was read is not stored, because another change within the same tick of the clock would leave its times as they are. What
//! else a row depends on is in the [key](CacheKey): the program, the project, and its settings. What depends on other files is
//! not stored: the state of a source, the findings of rules for the project. The row of a cassette is stored with what is configured
//! about it, that of a session with the contracts that it can refer to, and used while these are the same.
//!
//! Of secrets only hashes are stored, by which they are hidden in texts. The hashes have a random key, in a file beside the caches,
//! so that a secret cannot be guessed from a cache alone; without the key, a cache is nothing. What a row shows of its file has no
//! secrets; if a name in it has one all the same, such as that of a file, the row is not stored.
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
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime};

use foldhash::HashMap;
use sha2::{Digest as _, Sha256};

use self::bytes::{ByteReader, ByteWriter};
pub(crate) use self::row::{RowExtras, StoredRow};
use self::row::{RowReader, RowWriter};
use self::store::{CacheKey, StoredIndex};
use crate::disk::file_stamp::{FileStamp, FileTime, MIN_AGE, settled_before};
use crate::disk::guard::lock;
use crate::disk::reader::FileListing;
use crate::disk::root::OpenedPath;
use calls::secret::{HashKey, HashedSecrets};
use calls::source::{PresentSource, sha256_hex};
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
        // Without random numbers, what would be stored could be guessed.
        let Some(mask_key) = store::mask_key(folder) else { return Self::default() };
        let cache = |opened| IndexCache::read(folder.clone(), opened, settle_time, mask_key, pool);
        Self { caches: opened.iter().map(cache).collect() }
    }

    /// Returns the cache of an opened path.
    pub(crate) fn of(&self, opened: usize) -> Option<&IndexCache> {
        self.caches.get(opened)?.as_ref()
    }

    /// Returns whether anything may be stored, so that files need stamps.
    pub(crate) fn may_have_rows(options: Option<&CacheOptions>, opened: &[OpenedPath]) -> bool {
        let is_stored = |folder: &PathBuf, opened| folder.join(IndexCache::name(opened)).exists();
        options.is_some_and(|options| {
            let mut opened = opened.iter().filter(|opened| IndexCache::is_kept(opened));
            opened.any(|opened| is_stored(&options.folder, opened))
        })
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
    mask_key: HashKey,
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
    /// Returns whether an opened path has a cache. A named file has none, nor has what is staged.
    fn is_kept(opened: &OpenedPath) -> bool {
        opened.file.is_none() && opened.root.staged.is_none()
    }

    fn place(opened: &OpenedPath) -> String {
        format!("{:?}\n{:?}\n", opened.root.path(), opened.prefix)
    }

    /// Returns the name of the file of an opened folder.
    fn name(opened: &OpenedPath) -> OsString {
        // Hashed, since a path may be longer than a file's name can be.
        store::file_name(&sha256_hex(Self::place(opened).as_bytes())[..32])
    }

    /// Reads the cache of an opened folder.
    fn read(
        folder: PathBuf,
        opened: &OpenedPath,
        settled_before: FileTime,
        mask_key: HashKey,
        pool: &Pool,
    ) -> Option<Self> {
        if !Self::is_kept(opened) {
            return None;
        }
        let name = Self::name(opened);
        let key = Sha256::new()
            .chain_update(program()?)
            .chain_update(Self::place(opened))
            .chain_update(format!("{:?}", opened.root.settings.file))
            .chain_update(mask_key.0)
            .finalize()
            .into();
        Some(Self {
            stored: StoredIndex::read(&folder, &name, &key, pool),
            folder,
            name,
            key,
            mask_key,
            settled_before,
            added: Mutex::default(),
        })
    }

    /// Returns the row of the file at this path below the folder, if it has not changed.
    pub(crate) fn row(&self, path: &str, stamp: &FileStamp, pool: &Pool) -> Option<StoredRow> {
        let bytes = ByteReader(self.stored.row(path, stamp)?);
        StoredRow::read(&mut RowReader {
            bytes,
            texts: &self.stored.texts,
            mask_key: self.mask_key,
            pool,
        })
    }

    /// Adds the row of a file that was read. Its problems must have the severities of their rules.
    pub(crate) fn add_row(
        &self,
        path: &str,
        stamp: &FileStamp,
        listing: FileListing,
        item: &Item,
        extras: &RowExtras,
    ) {
        if stamp.is_before(self.settled_before)
            && let Some(secrets) = self.hashed_secrets(path, listing, item, extras)
        {
            self.add(path, stamp, |texts, row| {
                StoredRow::write(
                    listing,
                    item,
                    (extras, &secrets),
                    &mut RowWriter { bytes: row, texts },
                );
            });
        }
    }

    /// Returns the source at a path from the root, if it has not changed.
    pub(crate) fn source(&self, path: &str, stamp: &FileStamp) -> Option<PresentSource> {
        let mut reader = ByteReader(self.stored.row(&source_key(path), stamp)?);
        let mut hash = || reader.text().map(Arc::from);
        let [hash, hash_lf, hash_crlf] = [hash()?, hash()?, hash()?];
        Some(PresentSource { path: path.into(), hash, hash_lf, hash_crlf, at_root: true })
    }

    /// Adds the hashes of a source that was read.
    pub(crate) fn add_source(&self, path: &str, stamp: &FileStamp, source_file: &PresentSource) {
        if stamp.is_before(self.settled_before) {
            let PresentSource { hash, hash_lf, hash_crlf, .. } = source_file;
            self.add(&source_key(path), stamp, |_, row| {
                [hash, hash_lf, hash_crlf].into_iter().for_each(|hash| row.text(hash));
            });
        }
    }

    /// Adds an entry in place of a stored one.
    fn add(
        &self,
        path: &str,
        stamp: &FileStamp,
        write: impl FnOnce(&mut TextCollector, &mut ByteWriter),
    ) {
        self.stored.forget(path);
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
        write(&mut entries.texts, &mut row);
        entries.push(path, &stamp.to_bytes(), &row.0);
    }

    /// Returns the hashes of the secrets of an item; `None` if its row would quote one of them.
    fn hashed_secrets(
        &self,
        path: &str,
        listing: FileListing,
        item: &Item,
        extras: &RowExtras,
    ) -> Option<HashedSecrets> {
        let Some(secrets) = &item.secrets else { return Some(HashedSecrets::default()) };
        let (mut row, mut texts) = (ByteWriter::default(), TextCollector::default());
        let mut writer = RowWriter { bytes: &mut row, texts: &mut texts };
        StoredRow::write(listing, item, (extras, &HashedSecrets::default()), &mut writer);
        let texts = texts.texts.iter().map(|text| text.as_bytes());
        let mut parts = texts.chain([path.as_bytes(), &row.0]);
        (!parts.any(|part| secrets.is_quoted_in(part))).then(|| secrets.hashes(self.mask_key))
    }

    /// Writes what was used and what was added, if anything was added.
    fn write(&self) {
        let mut entries = lock(&self.added);
        let result = match entries.take() {
            Some(entries) => match self.encode(entries) {
                Some(file) => store::write(&self.folder, &self.name, &file, self.mask_key),
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
        for entry in self.stored.used() {
            entries.push(entry.path, &entry.stamp, entry.row);
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

/// Returns the path under which the hashes of a source are stored. No file has such a path.
fn source_key(path: &str) -> String {
    format!("\0{path}")
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
