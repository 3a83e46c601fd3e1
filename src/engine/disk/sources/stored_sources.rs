//! Hashes of sources that have not changed since an earlier scan.

use std::path::Path;
use std::sync::Mutex;

use crate::disk::file_stamp::FileStamp;
use crate::disk::guard::lock;
use crate::disk::index_cache::IndexCaches;
use crate::disk::root::{OpenFolder, ReadRefusal, Root};
use calls::source::PresentSource;

/// The sources in the cache of an opened path.
#[derive(Debug)]
pub(crate) struct StoredSources {
    caches: IndexCaches,
    /// The index of the opened path.
    opened: usize,
    /// The folder of the last source with its path: most sources are in one. A look through its handle is one system call, by a path from
    /// the root it would be three.
    folder: Mutex<Option<(Box<str>, OpenFolder)>>,
}

impl StoredSources {
    pub(crate) fn new(caches: IndexCaches, opened: usize) -> Self {
        Self { caches, opened, folder: Mutex::default() }
    }

    /// Returns the source at a path from the root. It is read, and stored for the next scan, unless the cache knows it.
    pub(super) fn find(
        &self,
        root: &Root,
        path: &str,
        read: impl FnOnce() -> Result<PresentSource, ReadRefusal>,
    ) -> Result<PresentSource, ReadRefusal> {
        let Some(cache) = self.caches.of(self.opened) else { return read() };
        // Before it is read: if it changes meanwhile, its next stamp is another one.
        let Some(stamp) = self.stamp(root, path) else { return read() };
        if let Some(source_file) = cache.source(path, &stamp) {
            return Ok(source_file);
        }
        let source_file = read()?;
        cache.add_source(path, &stamp, &source_file);
        Ok(source_file)
    }

    /// Returns the stamp of a regular file; `None` for a link.
    fn stamp(&self, root: &Root, path: &str) -> Option<FileStamp> {
        let (folder_path, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folder = lock(&self.folder);
        match &*folder {
            Some((known_path, folder)) if **known_path == *folder_path => folder.stamp(name),
            _ => {
                let new_folder = OpenFolder::open(&root.dir, Path::new(folder_path)).ok()?;
                let stamp = new_folder.stamp(name);
                *folder = Some((folder_path.into(), new_folder));
                stamp
            }
        }
    }
}
