//! Watches what is open: reads files again that change on disk, and reports the differences to the window.
//!
//! The system reports paths ([`fs_events`]); they are collected until they are quiet ([`pending`]), checked, read if they
//! changed, and entered into the [`ledger`], which also has the window's state, so that only differences are reported ([`publish`]). If
//! the system reports no changes, or has lost some, everything is scanned again: by walking, and by the metadata of
//! files ([`FileStamp`](crate::disk::file_stamp::FileStamp)), without reading those that did not change.

mod absent;
mod dependencies;
mod folders;
mod fs_events;
mod ledger;
mod pending;
mod publish;
mod rescan;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::Metadata;
use crossbeam_channel::{Receiver, Sender, at, bounded, select, unbounded};

use crate::disk::file_stamp::identity;
use crate::disk::project::Project;
use crate::disk::reader::FileListing;
use crate::disk::root::OpenedPath;
use crate::disk::scan::ScannedFile;
use crate::event_sender::EventSender;
use crate::run::{CancelOnDrop, spawn_guarded};
use author::recovered::RecoveredDraft;
use calls::Item;
use dependencies::Dependencies;
use document::Problem;
use folders::WatchedFolders;
use fs_events::{FsEvent, FsEventReceiver};
use ledger::{FileKey, Ledger};
use pending::{Pending, PendingBatch};
use protocol::{DiskChange, EngineEvent, ReadProgress, WatchFailure, WatchState};
use publish::{Removals, WindowChanges};

pub(super) use fs_events::FsWatch;

/// The shortest time between two scans when the system does not report changes; and how much of the time they
/// may take, as a fraction 1 / N.
const RESCAN_INTERVAL: Duration = Duration::from_secs(2);
const RESCAN_PAUSE_FACTOR: u32 = 10;

/// The longest pause before the next scan, however long a scan takes.
const MAX_RESCAN_PAUSE: Duration = Duration::from_secs(15);

/// Pause after work, as a multiple of its duration: a burst of changes must not keep a processor busy.
const REST_FACTOR: u32 = 2;

/// The most events that are received at once.
const MAX_EVENTS_AT_ONCE: usize = 4096;

/// Results that a scan passes on to the watcher of the files it read.
pub(super) struct ScanHandover {
    /// The items in the order of arrival, without the problems that depend on other items.
    pub(super) rows: Vec<Arc<Item>>,
    /// Those problems, by the number of their item.
    pub(super) judged: Vec<(usize, Problem)>,
    /// Number of the items that are of a known kind.
    pub(super) known: usize,
    /// Files that were read and are not listed.
    pub(super) unlisted: Vec<ScannedFile>,
    /// Time at which the scan began.
    pub(super) began: SystemTime,
}

/// Watches a project from the end of its scan until this is dropped.
pub(super) struct Watch {
    _cancel: CancelOnDrop,
    /// Wakes the thread, also when it is dropped.
    pub(super) drafts: Sender<Arc<RecoveredDraft>>,
}

impl Watch {
    /// Starts the watching thread; it waits for the scan's result, and ends without it.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub(super) fn start(
        project: &Arc<Project>,
        generation: u64,
        sender: EventSender,
        senses: impl FnOnce() -> FsWatch + Send + 'static,
    ) -> std::io::Result<(Self, Sender<ScanHandover>)> {
        let (to_watch, from_scan) = bounded::<ScanHandover>(1);
        let (drafts, to_locate) = unbounded::<Arc<RecoveredDraft>>();
        let cancel = CancelOnDrop::default();
        let window = WatchOutput { generation, sender, cancel: Arc::clone(&cancel.0) };
        let project = Arc::clone(project);
        let description = format!("watching `{}`", project.folder().unwrap_or_default().display());
        let output = window.clone();
        let fail = move |reason| {
            output.send(EngineEvent::Failed(format!("{reason}.")));
            output.report(DiskChange::Watching(WatchState::Off));
        };
        spawn_guarded("watch", description, fail, move || {
            if let Ok(handover) = from_scan.recv()
                && !window.is_closed()
            {
                WatchWorker::new(project, window, senses(), handover).run(&to_locate);
            }
        })?;
        let watch = Self { _cancel: cancel, drafts };
        Ok((watch, to_watch))
    }
}

/// Sends events to the window for as long as this project is open.
#[derive(Clone)]
struct WatchOutput {
    generation: u64,
    sender: EventSender,
    cancel: Arc<AtomicBool>,
}

impl WatchOutput {
    fn is_closed(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    fn report(&self, news: DiskChange) {
        self.send(EngineEvent::DiskChanged(self.generation, news));
    }

    fn send(&self, event: EngineEvent) {
        self.sender.send(event, &self.cancel);
    }

    fn report_changes(&self, changes: WindowChanges) {
        let generation = self.generation;
        // First, since the other changes may refer to the ids of new items.
        if !changes.added.is_empty() {
            let items = changes.added;
            self.send(EngineEvent::ItemsFound { generation, items });
        }
        if !changes.changed.is_empty() {
            self.report(DiskChange::Changed(changes.changed));
        }
        if !changes.removed.is_empty() {
            self.report(DiskChange::Removed(changes.removed));
        }
        if !changes.rewritten.is_empty() {
            self.report(DiskChange::Rewritten(changes.rewritten));
        }
    }
}

/// The state of the watching thread.
struct WatchWorker {
    project: Arc<Project>,
    output: WatchOutput,
    events: FsEventReceiver,
    folders: WatchedFolders,
    dependencies: Dependencies,
    ledger: Ledger,
    pending: Pending,
    /// Watched folders that may have been replaced.
    to_rewatch: HashSet<PathBuf>,
    /// Nothing is checked before this time.
    rest_until: Instant,
    /// Problems that depend on other items are not reported before this time.
    publish_rest_until: Instant,
    /// Time at which to report what has been read, if that had to wait.
    publish_at: Option<Instant>,
    /// Time at which to check without an event: the opened paths, whose removal is not reported; and
    /// everything, if the system does not report changes.
    look_at: Instant,
    /// Whether events were lost since the last complete scan.
    is_behind: bool,
    reported: WatchState,
    /// Whether the project must be opened again because its settings changed.
    is_outdated: bool,
    /// The totals that were last reported.
    totals: ReadProgress,
}

impl WatchWorker {
    fn new(
        project: Arc<Project>,
        window: WatchOutput,
        senses: FsWatch,
        handover: ScanHandover,
    ) -> Self {
        Self {
            dependencies: Dependencies::new(&project),
            ledger: build_ledger(&project, handover),
            project,
            output: window,
            events: senses.receiver,
            folders: WatchedFolders::new(senses.watcher),
            pending: Pending::default(),
            to_rewatch: HashSet::new(),
            rest_until: Instant::now(),
            publish_rest_until: Instant::now(),
            publish_at: None,
            look_at: Instant::now(),
            is_behind: false,
            reported: WatchState::Off,
            is_outdated: false,
            totals: ReadProgress::default(),
        }
    }

    fn run(mut self, to_locate: &Receiver<Arc<RecoveredDraft>>) {
        // Files may have changed since the scan read them.
        self.catch_up(PendingBatch::All);
        while !self.output.is_closed() {
            let wake = at(self.next_wake());
            select! {
                recv(to_locate) -> draft => match draft {
                    Ok(draft) => self.locate(&draft),
                    Err(_) => return,
                },
                recv(self.events.events) -> event => match event {
                    Ok(event) => self.receive_events(event),
                    // A disconnected channel is always ready and would make this loop spin.
                    Err(_) => self.events.close(),
                },
                recv(wake) -> _ => {}
            }
            let now = Instant::now();
            if self.look_at <= now {
                self.check();
            } else if self.next_wake() <= now
                && let Some(batch) = self.pending.take(now)
            {
                self.catch_up(batch);
            }
            if self.publish_at.is_some_and(|t| t <= Instant::now()) {
                self.publish_after_rest();
            }
        }
    }

    /// Returns when there is something to do next.
    fn next_wake(&self) -> Instant {
        let wake_times =
            self.pending.next.map(|t| t.max(self.rest_until)).into_iter().chain(self.publish_at);
        wake_times.fold(self.look_at, Instant::min)
    }

    fn check(&mut self) {
        // The system reports everything but the removal of an opened path itself.
        if self.reported == WatchState::Live && self.root_state() == RootState::Present {
            self.look_at = Instant::now() + RESCAN_INTERVAL;
        } else {
            self.catch_up(PendingBatch::All);
        }
    }

    /// Returns the worst state of the opened paths.
    fn root_state(&self) -> RootState {
        let states = self.project.opened.iter().map(RootState::read);
        states.max().unwrap_or(RootState::Present)
    }

    fn receive_events(&mut self, first: FsEvent) {
        let now = Instant::now();
        let more_events = self.events.events.try_iter().take(MAX_EVENTS_AT_ONCE);
        let mut is_lost = false;
        for event in std::iter::once(first).chain(more_events) {
            match event {
                FsEvent::Changed(path) => {
                    if self.folders.is_watched(&path) {
                        self.to_rewatch.insert(path.clone());
                    }
                    self.pending.note(path, now);
                }
                FsEvent::Written(path) => self.pending.note_written(path, now),
                FsEvent::Lost => is_lost = true,
            }
        }
        // Not `||`, since the flag must be reset in any case.
        if is_lost | self.events.take_lost() {
            self.pending.note_all(now);
            self.is_behind = true;
            self.report_watching();
        }
    }

    /// Checks what changed, reads it, and reports it to the window.
    fn catch_up(&mut self, batch: PendingBatch) {
        let start = Instant::now();
        if batch == PendingBatch::All {
            // Before the scan, so that events that are lost while it runs are noticed.
            self.is_behind = false;
        }
        self.rescan(batch);
        if self.output.is_closed() {
            return;
        }
        let work_time = start.elapsed();
        self.publish_after_rest();
        self.report_watching();
        if self.root_state() == RootState::Replaced || self.is_outdated {
            // The handles still lead to the old folder, or the settings are old, so everything has to be opened again.
            self.output.report(DiskChange::Replaced);
        }
        self.rest_until = Instant::now() + work_time * REST_FACTOR;
        let total_time = start.elapsed();
        let pause = (total_time * RESCAN_PAUSE_FACTOR).min(total_time + MAX_RESCAN_PAUSE);
        self.look_at = Instant::now() + RESCAN_INTERVAL.max(pause);
    }

    /// Reports at once what can be reported without checking everything.
    fn publish_touched(&mut self) {
        let Some(mut changes) = self.ledger.publish_touched(&self.project) else { return };
        // Before the window has the items, whose files it may then request.
        for place in changes.places.drain(..) {
            self.project.add_location(place);
        }
        let changed_items = std::mem::take(&mut changes.changed);
        if !changed_items.is_empty() {
            self.output.report(DiskChange::Seen(changed_items));
        }
        self.output.report_changes(changes);
    }

    /// Reports all that has changed, once the rest from the last time is over: until then each changed file has its row, without what
    /// depends on other files.
    fn publish_after_rest(&mut self) {
        let start = Instant::now();
        if start < self.publish_rest_until {
            self.publish_at = Some(self.publish_rest_until);
            return;
        }
        self.publish_at = None;
        self.publish(Removals::Report);
        self.publish_rest_until = Instant::now() + start.elapsed() * REST_FACTOR;
    }

    fn publish(&mut self, removals: Removals) {
        let mut changes = self.ledger.publish(&self.project, removals);
        for place in changes.places.drain(..) {
            self.project.add_location(place);
        }
        let totals = changes.totals;
        self.output.report_changes(changes);
        if self.totals != totals {
            self.totals = totals;
            self.output.report(DiskChange::Totals(totals));
        }
    }

    fn report_watching(&mut self) {
        let state = match self.folders.failure.as_ref() {
            _ if self.root_state() != RootState::Present => WatchState::Gone,
            Some(cause) => WatchState::Rescanning(cause.clone()),
            None if self.is_behind => WatchState::Rescanning(WatchFailure::TooManyChanges),
            None => WatchState::Live,
        };
        if self.reported != state {
            self.reported = state.clone();
            self.output.report(DiskChange::Watching(state));
        }
    }
}

/// The state of an opened path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RootState {
    Present,
    /// Another folder is there now.
    Replaced,
    Gone,
}

impl RootState {
    fn read(opened: &OpenedPath) -> Self {
        // The handle keeps the folder that was opened, even if another one has its path now.
        let path_metadata = std::fs::metadata(&opened.folder).map(Metadata::from_just_metadata);
        match (path_metadata, opened.dir.dir_metadata()) {
            (Err(_), _) => Self::Gone,
            (Ok(path_metadata), Ok(handle)) if identity(&path_metadata) != identity(&handle) => {
                Self::Replaced
            }
            (Ok(_), _) => Self::Present,
        }
    }
}

/// Builds the ledger of what a scan has read and reported.
fn build_ledger(project: &Project, handover: ScanHandover) -> Ledger {
    let mut ledger = Ledger::new(handover.began, handover.rows.len() + handover.unlisted.len());
    let mut problems = handover.judged.into_iter().peekable();
    let places = project.locations();
    for (index, item) in handover.rows.into_iter().enumerate() {
        let mut item_problems = Vec::new();
        while let Some((_, problem)) = problems.next_if(|(i, _)| *i == index) {
            item_problems.push(problem);
        }
        let place = places.get(index).and_then(|place| project.resolve_location(place, &item));
        let key = place.map(|(opened, beneath)| FileKey { opened, beneath: beneath.into() });
        let is_known = index < handover.known;
        let listing = if is_known { FileListing::Listed } else { FileListing::Deferred };
        ledger.enter_reported(key, (item, listing), &item_problems);
    }
    for row in handover.unlisted {
        if let Some((opened, beneath)) = project.resolve_location(&row.place, &row.item) {
            ledger.enter_unlisted(FileKey { opened, beneath: beneath.into() }, row);
        }
    }
    ledger
}
