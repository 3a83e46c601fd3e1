//! Reads everything that is open, on all processors, and returns items while the rest is still being read.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    Progress(ScanProgress),
    /// All files were read. Sent once, unless the scan was cancelled, if the project uses [caches](Project::use_caches): they are to be
    /// written, on any thread.
    Read(IndexCaches),
    /// Problems that depend on other items, each with its item's position in the order of arrival. Sent once, last.
    Judged(Vec<(usize, Problem)>),
}

/// The progress of a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanProgress {
    /// Files read.
    pub read: usize,
    /// Number of files; 0 while folders are still being listed.
    pub known: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Files and folders listed with the reason why they were not opened.
    pub not_opened: usize,
    /// Number of files and folders that were left out because git ignores them; known at the end.
    pub ignored: IgnoredCount,
}

/// The result of a scan.
#[derive(Debug)]
pub struct ScanOutcome {
    /// Its progress at the end.
    pub progress: ScanProgress,
    /// True when it was cancelled; then problems that depend on other items are missing.
    pub cancelled: bool,
    /// Files that were read and are not listed.
    pub(crate) unlisted: Vec<ScannedFile>,
    /// Number of items that precede the files of unknown kinds, which are listed last.
    pub(crate) known: usize,
    /// For each item in the order of arrival its position in the listing: folder by folder, names as players sort
    /// them.
    pub order: Vec<u64>,
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
    let options = project.caches.as_ref();
    let caches = options.map(|options| IndexCaches::read(options, &project.opened));
    let caches = caches.unwrap_or_default();
    let _lent = LentCaches::lend(&caches, project);
    let readers = GroupReader { project, lookup, cancel, caches: &caches, group_size: &size };
    thread::scope(|scope| {
        let (to_read, files) = bounded::<Vec<WalkEntry>>(MAX_QUEUED_GROUPS);
        let (to_collect, rows) = bounded::<Vec<ScannedFile>>(MAX_QUEUED_GROUPS);
        let (known_files, readers) = (&known_files, &readers);
        let walker =
            thread::Builder::new().name("retake walk".into()).spawn_scoped(scope, move || {
                let mut group = Vec::new();
                let stamps = if readers.caches.has_rows() { Stamps::Take } else { Stamps::Skip };
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
        // Rows that a cancelled scan did not reach count as unused, and writing would drop them.
        if !readers.is_cancelled() && !caches.is_empty() {
            (collector.sink)(ScanStep::Read(caches.clone()));
        }
        let ignored_count = walker.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(collector.finish(readers.is_cancelled(), ignored_count))
    })
}

/// The caches that the sources of a project use during a scan.
struct LentCaches<'a>(&'a Project);

impl<'a> LentCaches<'a> {
    /// Lends the caches until the result is dropped.
    fn lend(caches: &IndexCaches, project: &'a Project) -> Self {
        for (opened, context) in project.root_contexts.iter().enumerate() {
            context.sources.use_cache(caches.of(opened).cloned());
        }
        Self(project)
    }
}

impl Drop for LentCaches<'_> {
    fn drop(&mut self) {
        for context in &self.0.root_contexts {
            context.sources.use_cache(None);
        }
    }
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
    caches: &'a IndexCaches,
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
            let cache = self.caches.of(entry.opened).map(|cache| &**cache);
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
    progress: ScanProgress,
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
            progress: ScanProgress::default(),
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

    fn finish(mut self, cancelled: bool, ignored: IgnoredCount) -> ScanOutcome {
        if !cancelled {
            self.list_unreadable_files();
        }
        let known_count = self.arrived.len();
        self.progress.ignored = ignored;
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
            cancelled,
            unlisted: self.unlisted,
            known: known_count,
            order: self.order,
        }
    }

    /// Lists files that do not parse if nothing else was read: a folder of nothing but broken fixtures is not a healthy one.
    fn list_unreadable_files(&mut self) {
        let dirs = KnownFolders::from_items(self.arrived.iter().map(|item| &**item));
        if dirs.is_empty() && self.unlisted.iter().all(|row| row.listing != FileListing::Deferred) {
            let rows = self.unlisted.extract_if(.., |row| row.listing == FileListing::Broken);
            rows.collect::<Vec<_>>().into_iter().for_each(|row| self.list(row));
        }
    }

    /// Lists the files of unknown kinds that are beside files of known kinds.
    fn list_unknown_files(&mut self) {
        let folders = KnownFolders::from_items(self.arrived.iter().map(|item| &**item));
        for row in std::mem::take(&mut self.unlisted) {
            let is_deferred = matches!(row.listing, FileListing::Deferred | FileListing::Broken);
            if is_deferred && folders.lists(&row.item) {
                self.list(row);
            } else {
                self.unlisted.push(row);
            }
        }
        self.flush();
    }
}
