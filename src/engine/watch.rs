//! Watches what is open: reads files again that change on disk, and reports the differences to the window.
//!
//! The system reports paths ([`system`]); they are collected until they are quiet ([`pending`]), checked, read if they
//! changed, and entered into the [`ledger`], which also has the window's state, so that only differences are reported ([`publish`]). If
//! the system reports no changes, or has lost some, everything is scanned again: by walking, and by the metadata of
//! files ([`stamp`]), without reading those that did not change.

mod absent;
mod around;
mod folders;
mod ledger;
mod pending;
mod publish;
mod stamp;
mod survey;
mod system;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::Metadata;
use crossbeam_channel::{Receiver, Sender, at, bounded, select, unbounded};

use super::outlet::Outlet;
use super::project::Project;
use super::reader::Listing;
use super::root::Opened;
use super::scan::Row;
use super::walk::identity;
use crate::format::Problem;
use crate::ops::Item;
use crate::ops::recovered::RecoveredDraft;
use crate::workbench::{Cause, Event, News, Progress, Watching};
use around::Around;
use folders::Folders;
use ledger::{Key, Ledger};
use pending::{Batch, Pending};
use publish::{Changes, Removals};
use system::{Ear, Tidings};

pub(super) use system::Senses;

/// The shortest time between two scans when the system does not report changes; and how much of the time they
/// may take, as a fraction 1 / N.
const RESCAN: Duration = Duration::from_secs(2);
const RESCAN_PART: u32 = 10;

/// The longest pause before the next scan, however long a scan takes.
const LONGEST_REST: Duration = Duration::from_secs(15);

/// How long to pause after work, as a fraction of its duration: a burst of changes must not keep a processor busy.
const REST: u32 = 2;

/// Above this number of items, listing takes the window a while; changes are then reported less often.
const MANY: usize = 4096;
const MANY_PAUSE: Duration = Duration::from_millis(200);

/// The most events that are received at once.
const HEARD_AT_ONCE: usize = 4096;

/// What a scan passes on to the watcher of the files it read.
pub(super) struct Scanned {
    /// The items in the order of arrival, without the problems that depend on other items.
    pub(super) rows: Vec<Arc<Item>>,
    /// Those problems, by the number of their item.
    pub(super) judged: Vec<(usize, Problem)>,
    /// How many of the items are of a known kind.
    pub(super) known: usize,
    /// What was read and is not listed.
    pub(super) unlisted: Vec<Row>,
    /// When the scan began.
    pub(super) began: SystemTime,
}

/// Watches a project from the end of its scan until this is dropped.
pub(super) struct Watch {
    cancel: Arc<AtomicBool>,
    /// Wakes the thread, also when it is dropped.
    drafts: Sender<Arc<RecoveredDraft>>,
}

impl Watch {
    /// Starts the watching thread; it waits for the scan's result, and ends without it.
    ///
    /// # Errors
    ///
    /// When no thread can be started.
    pub(super) fn start(
        project: &Arc<Project>,
        generation: u64,
        sender: Outlet,
        senses: impl FnOnce() -> Senses + Send + 'static,
    ) -> std::io::Result<(Self, Sender<Scanned>)> {
        let (to_watch, from_scan) = bounded::<Scanned>(1);
        let (drafts, to_locate) = unbounded::<Arc<RecoveredDraft>>();
        let cancel = Arc::new(AtomicBool::new(false));
        let window = Window {
            generation,
            outlet: sender,
            cancel: Arc::clone(&cancel),
        };
        let project = Arc::clone(project);
        let thread = thread::Builder::new().name("retake watch".into());
        thread.spawn(move || {
            if let Ok(scanned) = from_scan.recv()
                && !window.is_closed()
            {
                Follower::new(project, window, senses(), scanned).follow(&to_locate);
            }
        })?;
        let watch = Self { cancel, drafts };
        Ok((watch, to_watch))
    }

    /// Returns where to send unsaved edits of an earlier run whose document is not listed. The result for each is
    /// [`Event::Located`]; it arrives after the scan has ended, and never if that is cancelled.
    pub(super) fn drafts(&self) -> Sender<Arc<RecoveredDraft>> {
        self.drafts.clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// Sends events to the window for as long as this project is open.
struct Window {
    generation: u64,
    outlet: Outlet,
    cancel: Arc<AtomicBool>,
}

impl Window {
    fn is_closed(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    fn tell(&self, news: News) {
        self.send(Event::News(self.generation, news));
    }

    fn send(&self, event: Event) {
        self.outlet.send(event, &self.cancel);
    }

    fn tell_changes(&self, changes: Changes) {
        let generation = self.generation;
        if !changes.added.is_empty() {
            let items = changes.added;
            self.send(Event::Found { generation, items });
        }
        if !changes.changed.is_empty() {
            self.tell(News::Changed(changes.changed));
        }
        if !changes.removed.is_empty() {
            self.tell(News::Removed(changes.removed));
        }
        if !changes.rewritten.is_empty() {
            self.tell(News::Rewritten(changes.rewritten));
        }
    }
}

/// The state of the watching thread.
struct Follower {
    project: Arc<Project>,
    window: Window,
    ear: Ear,
    folders: Folders,
    around: Around,
    ledger: Ledger,
    pending: Pending,
    /// Watched folders that may have been replaced.
    doubted: HashSet<PathBuf>,
    /// Nothing is checked before this time.
    rest_until: Instant,
    /// When to check without an event: the opened paths, whose removal is not reported; and
    /// everything, if the system does not report changes.
    look_at: Instant,
    /// Whether events were lost since the last complete scan.
    is_behind: bool,
    told: Watching,
    /// Whether the project must be opened again because its settings changed.
    is_outdated: bool,
    /// The totals that were last reported.
    totals: Progress,
}

impl Follower {
    fn new(project: Arc<Project>, window: Window, senses: Senses, scanned: Scanned) -> Self {
        Self {
            around: Around::new(&project),
            ledger: entered(&project, scanned),
            project,
            window,
            ear: senses.ear,
            folders: Folders::new(senses.watcher),
            pending: Pending::default(),
            doubted: HashSet::new(),
            rest_until: Instant::now(),
            look_at: Instant::now(),
            is_behind: false,
            told: Watching::Off,
            is_outdated: false,
            totals: Progress::default(),
        }
    }

    fn follow(mut self, to_locate: &Receiver<Arc<RecoveredDraft>>) {
        self.catch_up(Batch::All);
        while !self.window.is_closed() {
            let alarm = at(self.next());
            select! {
                recv(to_locate) -> draft => match draft {
                    Ok(draft) => self.locate(&draft),
                    Err(_) => return,
                },
                recv(self.ear.tidings) -> event => match event {
                    Ok(event) => self.hear(event),
                    Err(_) => self.ear.close(),
                },
                recv(alarm) -> _ => {}
            }
            let now = Instant::now();
            if self.look_at <= now {
                self.look();
            } else if self.next() <= now
                && let Some(batch) = self.pending.take(now)
            {
                self.catch_up(batch);
            }
        }
    }

    /// Returns when there is something to do next.
    fn next(&self) -> Instant {
        let due = self.pending.next().map(|due| due.max(self.rest_until));
        due.map_or(self.look_at, |due| due.min(self.look_at))
    }

    fn look(&mut self) {
        if self.told == Watching::Live && self.standing() == Standing::Here {
            self.look_at = Instant::now() + RESCAN;
        } else {
            self.catch_up(Batch::All);
        }
    }

    /// Returns the worst state of the opened paths.
    fn standing(&self) -> Standing {
        let opened = self.project.opened.iter().map(Standing::of);
        opened.max().unwrap_or(Standing::Here)
    }

    fn hear(&mut self, first: Tidings) {
        let now = Instant::now();
        let more = self.ear.tidings.try_iter().take(HEARD_AT_ONCE);
        let mut is_lost = false;
        for event in std::iter::once(first).chain(more) {
            match event {
                Tidings::Changed(path) => {
                    if self.folders.is_watched(&path) {
                        self.doubted.insert(path.clone());
                    }
                    self.pending.note(path, now);
                }
                Tidings::Lost => is_lost = true,
            }
        }
        if is_lost | self.ear.has_missed() {
            self.pending.note_all(now);
            self.is_behind = true;
            self.tell_watching();
        }
    }

    /// Checks what changed, reads it, and reports it to the window.
    fn catch_up(&mut self, batch: Batch) {
        let began = Instant::now();
        if batch == Batch::All {
            self.is_behind = false;
        }
        self.survey(batch);
        if self.window.is_closed() {
            return;
        }
        self.publish(Removals::Tell);
        self.tell_watching();
        if self.standing() == Standing::Replaced || self.is_outdated {
            self.window.tell(News::Replaced);
        }
        let took = began.elapsed();
        let pause = if self.totals.known > MANY {
            MANY_PAUSE
        } else {
            Duration::ZERO
        };
        self.rest_until = Instant::now() + (took * REST).max(pause);
        let rest = (took * RESCAN_PART).min(took + LONGEST_REST);
        self.look_at = Instant::now() + RESCAN.max(rest);
    }

    /// Reports at once what can be reported without checking everything.
    fn publish_touched(&mut self) {
        let Some(mut changes) = self.ledger.publish_touched(&self.project) else {
            return;
        };
        for place in changes.places.drain(..) {
            self.project.arrived(place);
        }
        let seen = std::mem::take(&mut changes.changed);
        if !seen.is_empty() {
            self.window.tell(News::Seen(seen));
        }
        self.window.tell_changes(changes);
    }

    fn publish(&mut self, removals: Removals) {
        let mut changes = self.ledger.publish(&self.project, removals);
        for place in changes.places.drain(..) {
            self.project.arrived(place);
        }
        let totals = changes.totals;
        self.window.tell_changes(changes);
        if self.totals != totals {
            self.totals = totals;
            self.window.tell(News::Totals(totals));
        }
    }

    fn tell_watching(&mut self) {
        let watching = match self.folders.trouble() {
            _ if self.standing() != Standing::Here => Watching::Gone,
            Some(cause) => Watching::Rescanning(cause.clone()),
            None if self.is_behind => Watching::Rescanning(Cause::TooManyChanges),
            None => Watching::Live,
        };
        if self.told != watching {
            self.told = watching.clone();
            self.window.tell(News::Watching(watching));
        }
    }
}

/// The state of an opened path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Here,
    /// Another folder is there now.
    Replaced,
    Gone,
}

impl Standing {
    fn of(opened: &Opened) -> Self {
        let there = std::fs::metadata(&opened.folder).map(Metadata::from_just_metadata);
        match (there, opened.dir.dir_metadata()) {
            (Err(_), _) => Self::Gone,
            (Ok(there), Ok(ours)) if identity(&there) != identity(&ours) => Self::Replaced,
            (Ok(_), _) => Self::Here,
        }
    }
}

/// Builds the ledger of what a scan has read and reported.
fn entered(project: &Project, scanned: Scanned) -> Ledger {
    let mut ledger = Ledger::new(scanned.began);
    let mut judged = scanned.judged.into_iter().peekable();
    let places = project.places();
    for (index, item) in scanned.rows.into_iter().enumerate() {
        let mut beside = Vec::new();
        while let Some((_, problem)) = judged.next_if(|(of, _)| *of == index) {
            beside.push(problem);
        }
        let place = places.get(index);
        let place = place.and_then(|place| project.whereabouts(place, &item));
        let key = place.map(|(opened, beneath)| Key { opened, beneath });
        let listing = if index < scanned.known {
            Listing::Listed
        } else {
            Listing::Held
        };
        ledger.enter_told(key, (item, listing), &beside);
    }
    for row in scanned.unlisted {
        if let Some((opened, beneath)) = project.whereabouts(&row.place, &row.item) {
            ledger.enter_unlisted(Key { opened, beneath }, row);
        }
    }
    ledger
}
