//! Works for the window: each wish on a thread of its own, each answer an [`Event`].

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, SendTimeoutError, Sender, bounded};

use super::project::Project;
use super::scan::{self, SourceLookup, Step, scan};
use super::state;
use super::then::{self, SourceInTime};
use crate::format::Document;
use crate::ops::diff::recordings::Comparison;
use crate::ops::diff::source::SourceDiff;
use crate::text::Source;
use crate::workbench::{self, DocId, Effect, Event, Origin, ThenAndNow};

/// Events that wait for the window at most; a scan waits when there are more.
const EVENTS: usize = 256;

/// Files that wait to be read again at most: more than a person can click.
const WANTED: usize = 64;

/// How often someone who waits for the window looks whether to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// The engine as the window uses it. Dropping it stops all its threads.
///
/// Events come by the channel that [`Engine::start`] gives back; after each, `wake` is called, so that the window paints.
pub struct Engine {
    outlet: Outlet,
    generation: u64,
    project: Option<Arc<Project>>,
    scan: Job,
    side_by_side: Job,
    /// Stops the thread that reads files again.
    _reader: Job,
    wanted: Sender<Wanted>,
}

/// A file that is to be read again.
struct Wanted {
    project: Arc<Project>,
    id: DocId,
}

impl Engine {
    /// Starts the engine. `wake` is called from its threads.
    ///
    /// # Errors
    ///
    /// When no thread can be started.
    pub fn start(
        wake: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<(Self, Receiver<Event>)> {
        let (events, receiver) = bounded(EVENTS);
        let outlet = Outlet {
            events,
            wake: Arc::new(wake),
        };
        let (wanted, to_read) = bounded::<Wanted>(WANTED);
        let to_window = outlet.clone();
        let reader = Job::start("retake open", move |cancel| {
            for Wanted { project, id } in to_read {
                let document = project.read(id.index()).map(Arc::new);
                if !to_window.send(Event::Opened(id, document), cancel) {
                    break;
                }
            }
        })?;
        let engine = Self {
            outlet,
            generation: 0,
            project: None,
            scan: Job::default(),
            side_by_side: Job::default(),
            _reader: reader,
            wanted,
        };
        Ok((engine, receiver))
    }

    /// Does what the window asks for. What is not the engine's work (dialogs, the clipboard, closing) is handed back.
    #[must_use]
    pub fn run(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Scan(paths) => self.scan(paths),
            Effect::CancelScan => self.scan.stop(),
            Effect::Read(id) => self.read(id),
            Effect::Compare { left, right } => self.compare(left, right),
            Effect::FindSource(id) => self.find_source(id),
            Effect::CancelSideBySide => self.side_by_side.stop(),
            Effect::Remember(remembered) => {
                if let Err(reason) = state::save(&remembered) {
                    self.fail(reason);
                }
            }
            effect @ (Effect::PickFolder | Effect::PickFiles | Effect::Copy(_) | Effect::Quit) => {
                return Some(effect);
            }
        }
        None
    }

    /// Opens and reads files and folders in place of what is open.
    fn scan(&mut self, paths: Vec<PathBuf>) {
        self.scan.stop();
        self.side_by_side.stop();
        let project = match Project::open(&paths, None) {
            Ok(project) => Arc::new(project),
            Err(error) => return self.fail(error.to_string()),
        };
        self.generation += 1;
        self.project = Some(Arc::clone(&project));
        let (generation, outlet) = (self.generation, self.outlet.clone());
        let job = Job::start("retake scan", move |cancel| {
            scan_for_window(&project, paths, generation, &outlet, cancel);
        });
        match job {
            Ok(job) => self.scan = job,
            Err(error) => self.fail(format!("No thread can be started to read: {error}")),
        }
    }

    fn read(&mut self, id: DocId) {
        let Some(project) = self.project.clone() else {
            return;
        };
        if self.wanted.try_send(Wanted { project, id }).is_err() {
            let reason = "Too many files are being read at once; try again in a moment";
            self.send(Event::Opened(id, Err(reason.into())));
        }
    }

    fn compare(&mut self, left: DocId, right: DocId) {
        self.beside("retake compare", move |project, _| {
            let both = project
                .read(left.index())
                .and_then(|left| Ok((left, project.read(right.index())?)));
            let result = both.and_then(|(left, right)| {
                let neither = "Only recordings and requests can be compared";
                Comparison::new(&left, &right).ok_or_else(|| neither.to_owned())
            });
            Event::Compared {
                left,
                right,
                result: result.map(Arc::new),
            }
        });
    }

    fn find_source(&mut self, id: DocId) {
        self.beside("retake history", move |project, cancel| {
            let found = project.read(id.index()).and_then(|document| {
                let in_time = project.source_of(id.index(), &document, cancel)?;
                Ok(Arc::new(then_and_now(in_time, &document)))
            });
            Event::SourceFound(id, found)
        });
    }

    /// Works out what is shown side by side, in place of what was being worked out before.
    fn beside(
        &mut self,
        name: &str,
        work: impl FnOnce(&Project, &AtomicBool) -> Event + Send + 'static,
    ) {
        self.side_by_side.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let outlet = self.outlet.clone();
        let job = Job::start(name, move |cancel| {
            let event = work(&project, cancel);
            if !cancel.load(Ordering::Relaxed) {
                outlet.send(event, cancel);
            }
        });
        match job {
            Ok(job) => self.side_by_side = job,
            Err(error) => self.fail(format!("No thread can be started to compare: {error}")),
        }
    }

    fn fail(&self, reason: String) {
        self.send(Event::Failed(reason));
    }

    /// Sends from the window's own thread, which must not wait for itself.
    fn send(&self, event: Event) {
        if self.outlet.events.try_send(event).is_ok() {
            (self.outlet.wake)();
        }
    }
}

fn scan_for_window(
    project: &Project,
    opened: Vec<PathBuf>,
    generation: u64,
    outlet: &Outlet,
    cancel: &AtomicBool,
) {
    let root = project.root().map(super::root::Root::path);
    let name = root.and_then(|root| root.file_name());
    let about = workbench::Project {
        name: name.unwrap_or_default().to_string_lossy().into_owned(),
        branch: project.branch(),
        root: root.map_or_else(String::new, |root| root.to_string_lossy().into_owned()),
        opened,
    };
    let started = Event::ScanStarted {
        generation,
        project: about,
    };
    outlet.send(started, cancel);
    let outcome = scan(project, SourceLookup::Look, cancel, &mut |step| {
        let event = match step {
            Step::Rows(items) => Event::Found { generation, items },
            Step::Progress(progress) => Event::Progressed {
                generation,
                progress: of(progress),
            },
            Step::Judged(problems) => Event::Judged {
                generation,
                problems,
            },
        };
        outlet.send(event, cancel);
    });
    let ended = match outcome {
        Ok(outcome) => Event::ScanEnded {
            generation,
            progress: of(outcome.progress),
            cancelled: outcome.cancelled,
        },
        Err(error) => Event::Failed(format!("No thread can be started to read: {error}")),
    };
    // The window waits for this word even when it has asked to stop.
    outlet.send(ended, &AtomicBool::new(false));
}

/// Puts a source at two times into the window's words, with what changed in between.
fn then_and_now(in_time: SourceInTime, document: &Document) -> ThenAndNow {
    let then = in_time.then.map(|then| workbench::Then {
        text: Source::from_bytes(then.text),
        origin: match then.place {
            then::Place::WorkTree => Origin::WorkingTree,
            then::Place::Commit { id, seconds } => Origin::Commit {
                id,
                seconds,
                path: then.path,
            },
        },
    });
    let now = in_time.now.map(|now| workbench::Now {
        text: Source::from_bytes(now.text),
        path: now.path,
        hash: now.hash,
        seconds: now.seconds,
    });
    let diff = match (&then, &now) {
        (Ok(then), Ok(now)) => Some(SourceDiff::new(&then.text, &now.text)),
        _ => None,
    };
    ThenAndNow {
        file: in_time.file,
        recorded_hash: in_time.recorded_hash,
        then,
        now,
        diff,
        kept: then::kept(document),
    }
}

fn of(progress: scan::Progress) -> workbench::Progress {
    workbench::Progress {
        read: progress.read,
        known: progress.known,
        bytes: progress.bytes,
        not_opened: progress.not_opened,
    }
}

/// The way to the window.
#[derive(Clone)]
struct Outlet {
    events: Sender<Event>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Outlet {
    /// Waits until the window has room for an event; false when it is gone or the job was stopped.
    fn send(&self, mut event: Event, cancel: &AtomicBool) -> bool {
        loop {
            event = match self.events.send_timeout(event, GLANCE) {
                Ok(()) => {
                    (self.wake)();
                    return true;
                }
                Err(SendTimeoutError::Disconnected(_)) => return false,
                Err(SendTimeoutError::Timeout(_)) if cancel.load(Ordering::Relaxed) => {
                    return false;
                }
                Err(SendTimeoutError::Timeout(event)) => event,
            };
        }
    }
}

/// A thread that is told to stop when this is dropped. Nobody waits for it: it may be inside a large file.
#[derive(Default)]
struct Job {
    cancel: Arc<AtomicBool>,
}

impl Job {
    fn start(name: &str, work: impl FnOnce(&AtomicBool) + Send + 'static) -> std::io::Result<Self> {
        let job = Self::default();
        let cancel = Arc::clone(&job.cancel);
        let thread = thread::Builder::new().name(name.into());
        thread.spawn(move || work(&cancel))?;
        Ok(job)
    }

    fn stop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Item;

    /// Drains events up to the end of a scan.
    fn until_end(events: &Receiver<Event>) -> (Vec<Arc<Item>>, bool) {
        let mut all = Vec::new();
        loop {
            match events.recv_timeout(Duration::from_secs(30)).unwrap() {
                Event::Found { items, .. } => all.extend(items),
                Event::ScanEnded { cancelled, .. } => return (all, cancelled),
                _ => {}
            }
        }
    }

    #[test]
    fn a_scan_hands_out_rows_and_a_row_is_read_again() {
        let temp = tempfile::tempdir().unwrap();
        for n in 0..100 {
            let text = format!("{{ \"broken\": {n} ");
            std::fs::write(temp.path().join(format!("{n}.json")), text).unwrap();
        }
        let (mut engine, events) = Engine::start(|| {}).unwrap();
        assert_eq!(engine.run(Effect::Scan(vec![temp.path().to_owned()])), None);
        let (items, cancelled) = until_end(&events);
        assert!(!cancelled);
        assert_eq!(items.len(), 100);

        let last = items.len() - 1;
        assert_eq!(engine.run(Effect::Read(DocId::new(last))), None);
        let Event::Opened(id, Ok(document)) = events.recv_timeout(Duration::from_secs(30)).unwrap()
        else {
            panic!("the file is there");
        };
        assert_eq!(id, DocId::new(last));
        assert!(document.source().text().starts_with("{ \"broken\""));

        assert_eq!(engine.run(Effect::Quit), Some(Effect::Quit));
        let gone = Effect::Scan(vec!["/no/such/folder".into()]);
        assert_eq!(engine.run(gone), None);
        let event = events.recv_timeout(Duration::from_secs(30)).unwrap();
        assert!(
            matches!(&event, Event::Failed(reason) if reason.contains("/no/such/folder")),
            "{event:?}"
        );
    }
}
