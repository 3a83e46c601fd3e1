//! Reads everything that is open, on all processors, and returns items while the rest is still being read.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use std::{io, thread};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::disk::gitignore::IgnoredCount;
use crate::disk::index_cache::IndexCaches;
use crate::disk::project::{ItemLocation, Project, SourceLookup};
use crate::disk::reader::{FileListing, KnownFolders, read_row};
use crate::disk::walk::{EntryKind, Stamps, WalkEntry, walk};
use calls::Item;
use check::check_project;
use document::Problem;
use protocol::ReadProgress;

/// The size of the first batch, which is shown at once, and of later ones.
const FIRST_BATCH_ROWS: usize = 32;
const MAX_BATCH_ROWS: usize = 2048;

/// Time that items wait for their batch to fill.
const BATCH_TIMEOUT: Duration = Duration::from_millis(40);

/// Time that reading one group of files should take, the unit that is passed between threads. Waking a thread for each file would take
/// longer than reading a small one; large groups would leave other threads without work.
const GROUP_TIME: Duration = Duration::from_millis(2);
const MAX_GROUP_FILES: usize = 64;

/// The most groups that wait between two threads: enough for the files of most projects to be counted at once.
const MAX_QUEUED_GROUPS: usize = 2048;

/// Report of a scan while it runs.
#[derive(Debug)]
pub enum ScanStep {
    /// Rows, in the order of arrival.
    Rows(Vec<Arc<Item>>),
    Progress(ReadProgress),
    /// Problems that depend on other items, each with its item's position in the order of arrival. Sent once, last.
    Judged(Vec<(usize, Problem)>),
}

/// The result of a scan.
#[derive(Debug)]
pub struct ScanOutcome {
    /// Its progress at the end.
    pub progress: ReadProgress,
    /// What was left out because git ignores it.
    pub ignored: IgnoredCount,
    /// The [caches](Project::use_caches) of the project, which are to be written.
    pub caches: IndexCaches,
    /// True when it was cancelled; then problems that depend on other items are missing.
    pub cancelled: bool,
    /// Files that were read and are not listed.
    pub(crate) unlisted: Vec<ScannedFile>,
    /// Number of items that precede the files of unknown kinds, which are listed last.
    pub(crate) known: usize,
    /// For each item in the order of arrival its position in the listing: folder by folder, names as players sort
    /// them.
    pub(crate) order: Vec<u64>,
}

impl ScanOutcome {
    /// Sorts items, which are in the order of arrival, as they are listed. Each gets its number in the order of arrival.
    pub fn sort(&self, items: Vec<Arc<Item>>) -> Vec<(usize, Arc<Item>)> {
        let mut rows: Vec<_> = self.order.iter().zip(items.into_iter().enumerate()).collect();
        rows.sort_unstable_by_key(|(order, _)| **order);
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

/// One file that was read.
#[derive(Debug)]
pub(crate) struct ScannedFile {
    order: u64,
    pub(crate) place: ItemLocation,
    pub(crate) is_refused: bool,
    pub(crate) item: Arc<Item>,
    pub(crate) listing: FileListing,
}

/// Reads everything that is open. Blocks; reports results by `sink`, on the calling thread, and stops soon after `cancel`
/// is set.
///
/// # Errors
///
/// Returns an error if no thread can be started.
pub fn scan(
    project: &Project,
    lookup: SourceLookup,
    cancel: &AtomicBool,
    sink: &mut dyn FnMut(ScanStep),
) -> io::Result<ScanOutcome> {
    // Groups begin with one file, since the time that a file takes is not known yet.
    let (known_files, size) = (KnownFiles::default(), AtomicUsize::new(1));
    let caches = OnceLock::new();
    let readers = GroupReader { project, lookup, cancel, caches: &caches, group_size: &size };
    let options = project.caches.as_ref();
    thread::scope(|scope| {
        let (to_read, files) = bounded::<Vec<WalkEntry>>(MAX_QUEUED_GROUPS);
        let (to_collect, rows) = bounded::<Vec<ScannedFile>>(MAX_QUEUED_GROUPS);
        let (known_files, readers) = (&known_files, &readers);
        let walker =
            thread::Builder::new().name("retake walk".into()).spawn_scoped(scope, move || {
                let mut group = Vec::new();
                let has_rows = IndexCaches::may_have_rows(options, &project.opened);
                let stamps = if has_rows { Stamps::Take } else { Stamps::Skip };
                let outcome = walk(&project.opened, stamps, &mut |entry| {
                    known_files.count.fetch_add(1, Ordering::Relaxed);
                    group.push(entry);
                    if group.len() < readers.group_size.load(Ordering::Relaxed) {
                        return ControlFlow::Continue(());
                    }
                    if readers.is_cancelled() || to_read.send(std::mem::take(&mut group)).is_err() {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
                match outcome {
                    ControlFlow::Continue(summary) => {
                        known_files.is_complete.store(true, Ordering::Relaxed);
                        // Without readers, the scan was cancelled.
                        let _ = to_read.send(group);
                        summary.ignored
                    }
                    // A count of some of the folders would be wrong.
                    ControlFlow::Break(()) => IgnoredCount::default(),
                }
            })?;
        // While the walker is looking at the first folders.
        let read_caches = || IndexCaches::read(options, &project.opened, &project.pool);
        let caches = caches.get_or_init(read_caches);
        project.use_stored_sources(Some(caches));
        let workers = thread::available_parallelism().map_or(2, NonZero::get);
        for number in 1..=workers {
            let (files, to_collect) = (files.clone(), to_collect.clone());
            let reader = thread::Builder::new().name(format!("retake read {number}"));
            reader.spawn_scoped(scope, move || {
                let mut groups = files.into_iter();
                let _ = groups.try_for_each(|group| readers.read(group, &to_collect));
            })?;
        }
        // The channel of rows closes when the last reader ends, and that of files when the walker ends.
        drop((files, to_collect));
        let mut collector = Collector::new(project, known_files, sink);
        collector.collect(&rows);
        project.use_stored_sources(None);
        let ignored_count = walker.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(collector.finish(readers.is_cancelled(), ignored_count, caches.clone()))
    })
}

/// The files that were found so far.
#[derive(Default)]
struct KnownFiles {
    count: AtomicUsize,
    /// Whether all folders were listed.
    is_complete: AtomicBool,
}

/// State that the readers share.
struct GroupReader<'a> {
    project: &'a Project,
    lookup: SourceLookup,
    cancel: &'a AtomicBool,
    /// Set before a reader starts.
    caches: &'a OnceLock<IndexCaches>,
    /// Number of files in the next group.
    group_size: &'a AtomicUsize,
}

impl GroupReader<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Reads the files of a group. Breaks when the scan was cancelled.
    fn read(&self, group: Vec<WalkEntry>, sink: &Sender<Vec<ScannedFile>>) -> ControlFlow<()> {
        let (size, start) = (group.len(), Instant::now());
        let mut scanned_files = Vec::with_capacity(size);
        for entry in group {
            if self.is_cancelled() {
                return ControlFlow::Break(());
            }
            // Large files must not hold back those before them in their group.
            if start.elapsed() > BATCH_TIMEOUT {
                let _ = sink.send(std::mem::take(&mut scanned_files));
            }
            let cache = self.caches.get().and_then(|caches| caches.of(entry.opened));
            let (item, listing) = read_row(self.project, &entry, self.lookup, cache);
            scanned_files.push(ScannedFile {
                order: entry.order,
                place: ItemLocation::new(self.project, entry.opened, &entry.beneath),
                is_refused: matches!(entry.kind, EntryKind::Refused(..)),
                item: Arc::new(item),
                listing,
            });
        }
        let size = if start.elapsed() < GROUP_TIME {
            (size * 2).min(MAX_GROUP_FILES)
        } else {
            (size / 2).max(1)
        };
        self.group_size.store(size, Ordering::Relaxed);
        match sink.send(scanned_files) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Collects items into batches, and keeps what is needed to check them together.
struct Collector<'a> {
    project: &'a Project,
    known: &'a KnownFiles,
    sink: &'a mut dyn FnMut(ScanStep),
    batch: Vec<Arc<Item>>,
    batch_size: usize,
    arrived: Vec<Arc<Item>>,
    order: Vec<u64>,
    unlisted: Vec<ScannedFile>,
    progress: ReadProgress,
}

impl<'a> Collector<'a> {
    fn new(project: &'a Project, known: &'a KnownFiles, sink: &'a mut dyn FnMut(ScanStep)) -> Self {
        Self {
            project,
            known,
            sink,
            batch: Vec::new(),
            batch_size: FIRST_BATCH_ROWS,
            arrived: Vec::new(),
            order: Vec::new(),
            unlisted: Vec::new(),
            progress: ReadProgress::default(),
        }
    }

    fn collect(&mut self, rows: &Receiver<Vec<ScannedFile>>) {
        let mut flush_at = Instant::now() + BATCH_TIMEOUT;
        loop {
            match rows.recv_deadline(flush_at) {
                Ok(group) => group.into_iter().for_each(|row| self.add(row)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.batch.len() >= self.batch_size || Instant::now() >= flush_at {
                self.flush();
                flush_at = Instant::now() + BATCH_TIMEOUT;
            }
        }
        self.flush();
    }

    fn add(&mut self, row: ScannedFile) {
        if row.listing == FileListing::Uncounted {
            // The walker counted it, since it did not know the content.
            self.known.count.fetch_sub(1, Ordering::Relaxed);
        } else if row.is_refused {
            self.progress.not_opened += 1;
        } else {
            self.progress.read += 1;
            self.progress.bytes += row.item.bytes;
        }
        if row.listing == FileListing::Listed {
            self.list(row);
        } else {
            self.unlisted.push(row);
        }
    }

    fn list(&mut self, row: ScannedFile) {
        // Locations, order and items are found by the same number, so they are added together.
        self.project.add_location(row.place);
        self.order.push(row.order);
        self.arrived.push(Arc::clone(&row.item));
        self.batch.push(row.item);
    }

    fn flush(&mut self) {
        if !self.batch.is_empty() {
            (self.sink)(ScanStep::Rows(std::mem::take(&mut self.batch)));
            self.batch_size = (self.batch_size * 2).min(MAX_BATCH_ROWS);
        }
        if self.known.is_complete.load(Ordering::Relaxed) {
            self.progress.known = self.known.count.load(Ordering::Relaxed);
        }
        (self.sink)(ScanStep::Progress(self.progress));
    }

    fn finish(
        mut self,
        cancelled: bool,
        ignored: IgnoredCount,
        caches: IndexCaches,
    ) -> ScanOutcome {
        if !cancelled {
            self.list_unreadable_files();
        }
        let known_count = self.arrived.len();
        self.progress.ignored = ignored.files + ignored.folders;
        if !cancelled {
            self.list_unknown_files();
            let rows = self.arrived.iter().map(|item| &**item).enumerate();
            let mut problems = check_project(rows);
            self.project.apply_levels(&mut problems, |index| self.project.opened_of(index));
            self.project.pool.share_texts(problems.iter_mut().map(|(_, problem)| problem));
            if !problems.is_empty() {
                (self.sink)(ScanStep::Judged(problems));
            }
        }
        ScanOutcome {
            progress: self.progress,
            ignored,
            // Rows that a cancelled scan did not reach count as unused, and writing would drop them.
            caches: if cancelled { IndexCaches::default() } else { caches },
            cancelled,
            unlisted: self.unlisted,
            known: known_count,
            order: self.order,
        }
    }

    /// Lists files that do not parse if nothing else was read: a folder of nothing but broken fixtures is not a healthy one.
    fn list_unreadable_files(&mut self) {
        let has = |listing| self.unlisted.iter().any(|row| row.listing == listing);
        // The folders are looked for last, since that takes longest.
        if has(FileListing::Broken)
            && !has(FileListing::Deferred)
            && KnownFolders::from_items(self.arrived.iter().map(|item| &**item)).is_empty()
        {
            let rows = self.unlisted.extract_if(.., |row| row.listing == FileListing::Broken);
            rows.collect::<Vec<_>>().into_iter().for_each(|row| self.list(row));
        }
    }

    /// Lists the files of unknown kinds that are beside files of known kinds.
    fn list_unknown_files(&mut self) {
        let is_deferred =
            |row: &ScannedFile| matches!(row.listing, FileListing::Deferred | FileListing::Broken);
        // Most projects have no such file.
        if self.unlisted.iter().any(is_deferred) {
            let folders = KnownFolders::from_items(self.arrived.iter().map(|item| &**item));
            for row in std::mem::take(&mut self.unlisted) {
                if is_deferred(&row) && folders.lists(&row.item) {
                    self.list(row);
                } else {
                    self.unlisted.push(row);
                }
            }
        }
        self.flush();
    }
}
