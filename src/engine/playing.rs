//! Playback for the window: reads what is open, unsaved texts before those on disk, and plays it on its own thread.

use std::collections::HashMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::outlet::Job;
use super::playback::{self, read_requests};
use super::project::{Project, sentence};
use super::runner::Engine;
use crate::format::{self, Document, Kind};
use crate::ops::Item;
use crate::ops::diff::listed;
use crate::ops::machine::Machine;
use crate::ops::playback::failure_log::{
    FailureKind, FailureLog, FoundFolder, LoggedFailure, SetOfLog,
};
use crate::ops::playback::{
    PlayedRequest, PlayerState, RecordingSet, RequestOrigin, SetRecording, SkippedFile, requests,
};
use crate::ops::signature::utf16_order;
use crate::text::{Source, quoted};
use crate::workbench::{
    DocId, Event, Explanation, FoundSets, Items, LogNote, PlayOrder, PlaybackEvent, Played,
    RequestsFrom, Stock,
};

/// The message when one of our threads panicked.
const OWN_FAULT: &str = "Internal error; please report it";

/// The jobs of the playback desk: at most one of each kind.
#[derive(Default)]
pub(super) struct Playing {
    play: Job,
    sort: Job,
    explain: Job,
}

impl Playing {
    pub(super) fn stop(&mut self) {
        self.play.stop();
        self.sort.stop();
        self.explain.stop();
    }
}

impl Engine {
    /// Plays requests against a set; the result arrives as [`PlaybackEvent::Played`]. Cancels a playback that is still
    /// running.
    pub fn play(&mut self, order: PlayOrder) {
        self.playing.play.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let sender = self.outlet.clone();
        let job = Job::start("retake play", move |cancel| {
            let played = catch_unwind(AssertUnwindSafe(|| play(&project, &order, cancel)));
            let played = played.unwrap_or_else(|_| Some(Err(OWN_FAULT.to_owned())));
            if let Some(played) = played.filter(|_| !cancel.load(Ordering::Relaxed)) {
                let played = PlaybackEvent::Played(order.number, played.map(Arc::new));
                sender.send(Event::Playback(played), cancel);
            }
        });
        match job {
            Ok(job) => self.playing.play = job,
            Err(error) => self.fail(format!("Cannot start a thread to play: {error}")),
        }
    }

    /// Sorts items of this revision into sets; the result arrives as [`PlaybackEvent::SetsFound`].
    pub fn find_sets(&mut self, revision: u64, items: Items) {
        let sender = self.outlet.clone();
        let job = Job::start("retake sets", move |cancel| {
            let sets = Arc::new(FoundSets::of(&items));
            let event = PlaybackEvent::SetsFound(revision, sets);
            sender.send(Event::Playback(event), cancel);
        });
        match job {
            Ok(job) => self.playing.sort = job,
            Err(error) => self.fail(format!("Cannot start a thread to look for sets: {error}")),
        }
    }

    /// Explains the answer of a call; the result arrives as [`PlaybackEvent::Explained`].
    pub fn explain(&mut self, played: Arc<Played>, call: usize) {
        let sender = self.outlet.clone();
        let job = Job::start("retake explain", move |cancel| {
            let explanation = Arc::new(Explanation::new(&played, call));
            let event = PlaybackEvent::Explained(played, explanation);
            sender.send(Event::Playback(event), cancel);
        });
        match job {
            Ok(job) => self.playing.explain = job,
            Err(error) => self.fail(format!("Cannot start a thread to explain: {error}")),
        }
    }
}

/// Reads what is not loaded yet, and plays it; `None` when it was cancelled.
fn play(
    project: &Project,
    order: &PlayOrder,
    cancel: &AtomicBool,
) -> Option<Result<Played, String>> {
    let stock = match &order.known {
        Some(stock) => Arc::clone(stock),
        None => {
            let reading = Reading {
                project,
                order,
                edited: order
                    .edited
                    .iter()
                    .map(|(doc, text)| (*doc, text))
                    .collect(),
                cancel,
            };
            match reading.stock() {
                Ok(stock) => Arc::new(stock),
                Err(reason) => return Some(Err(reason)),
            }
        }
    };
    let is_wanted = !cancel.load(Ordering::Relaxed);
    let logged_rules = stock.log.as_ref().and_then(|log| log.rules);
    let rules = logged_rules.filter(|_| order.is_new).unwrap_or(order.rules);
    is_wanted.then(|| Ok(Played::new(order.number, stock, rules, order.beside)))
}

/// Reads what a playback needs.
struct Reading<'a> {
    project: &'a Project,
    order: &'a PlayOrder,
    edited: HashMap<DocId, &'a Source>,
    cancel: &'a AtomicBool,
}

/// Requests, before it is known what they are played against.
#[derive(Default)]
struct Wanted {
    asked: Vec<Arc<PlayedRequest>>,
    left: Vec<SkippedFile>,
    log: Option<(FailureLog, usize)>,
}

impl Reading<'_> {
    fn stock(&self) -> Result<Stock, String> {
        let mut wanted = self.wanted()?;
        let FoundFolder { folder, why } = self.folder(&wanted)?;
        let (set, docs) = self.set(&folder)?;
        if self.order.requests == RequestsFrom::SetItself {
            wanted.asked = requests::from_set(&set);
        }
        let mut before = PlayerState::default();
        let chosen = wanted.log.as_ref();
        let chosen = chosen.and_then(|(log, at)| Some((log, *at, log.failures.get(*at)?)));
        let mut log = None;
        if let Some((all, at, failure)) = chosen {
            let replay = failure.replay(&set);
            (before, wanted.asked) = (replay.before, replay.requests);
            // The requests do not change when the set is edited.
            let read = self.order.read.as_ref().filter(|read| {
                let note = read.log.as_ref();
                read.set.folder == set.folder && note.is_some_and(|note| note.failure == *failure)
            });
            if let Some(read) = read {
                wanted.asked.clone_from(&read.requests);
            }
            log = Some(note(all, at, failure, &set, &why));
        }
        if let Some((call, text)) = &self.order.typed
            && let Some(request) = wanted.asked.get_mut(*call)
        {
            *request = self.typed(text)?;
        }
        Ok(Stock {
            set,
            docs,
            requests: wanted.asked,
            before,
            left: wanted.left,
            log,
        })
    }

    /// The folder of the set: the one that was chosen, else the one that the log points to.
    fn folder(&self, wanted: &Wanted) -> Result<FoundFolder, String> {
        let chosen = |folder: &Arc<str>| FoundFolder {
            folder: Arc::clone(folder),
            why: String::new(),
        };
        if let Some(folder) = &self.order.set {
            return Ok(chosen(folder));
        }
        let failure = wanted.log.as_ref();
        let failure = failure.and_then(|(log, failure)| log.failures.get(*failure));
        let items = self.order.items.iter().map(|(_, item)| &**item);
        let found = failure.map_or(SetOfLog::Unknown, |failure| failure.set_among(items));
        let named = failure.and_then(|failure| failure.directory.as_deref());
        match (found, &self.order.fallback, named) {
            (SetOfLog::One(found), ..) => Ok(found),
            (SetOfLog::Several(found), Some(folder), _)
                if found.iter().any(|found| found.folder == *folder) =>
            {
                Ok(chosen(folder))
            }
            (SetOfLog::Several(found), ..) => Err(several(&found)),
            (SetOfLog::Unknown, Some(folder), _) => Ok(chosen(folder)),
            (SetOfLog::Unknown, None, Some(named)) => Err(format!(
                "The log was made with the recordings in {}, which are not open. Choose the set to play against.",
                quoted(named)
            )),
            (SetOfLog::Unknown, None, None) => {
                Err("Which set was this run against? Choose one above.".to_owned())
            }
        }
    }

    /// Reads a folder as clients load it, with the documents of its recordings.
    fn set(&self, folder: &str) -> Result<(Arc<RecordingSet>, Vec<Option<DocId>>), String> {
        let is_loaded =
            |item: &Item| item.folder() == folder && item.file_name().ends_with(".json");
        let found = self.each(is_loaded, |path, document| {
            let document = document.map_err(|reason| SkippedFile {
                path: Arc::clone(&path),
                reason: reason.into(),
            })?;
            SetRecording::read(path, &document, &self.project.pool)
        });
        if found.is_empty() {
            return Err(format!("{} no longer contains recordings.", quoted(folder)));
        }
        let doc_of = |(doc, path, _): &(DocId, Arc<str>, _)| (Arc::clone(path), *doc);
        let docs: HashMap<Arc<str>, DocId> = found.iter().map(doc_of).collect();
        let set = RecordingSet::new(folder, found.into_iter().map(|(_, _, read)| read));
        let recordings = set.recordings.iter();
        let docs = recordings.map(|recorded| docs.get(&recorded.path).copied());
        let docs = docs.collect();
        Ok((Arc::new(set), docs))
    }

    fn wanted(&self) -> Result<Wanted, String> {
        match &self.order.requests {
            RequestsFrom::SetItself => Ok(Wanted::default()),
            RequestsFrom::Folder(folder) => Ok(self.in_folder(folder)),
            RequestsFrom::Machine(path) => self.of_machine(path),
            RequestsFrom::Path(path) => of_path(path),
            RequestsFrom::Log {
                name,
                text,
                failure,
            } => of_log(FailureLog::read(name, text), *failure),
            RequestsFrom::Typed(text) => Ok(Wanted {
                asked: vec![self.typed(text)?],
                ..Wanted::default()
            }),
        }
    }

    /// The requests in the files of a folder, by the names of the files.
    fn in_folder(&self, folder: &str) -> Wanted {
        let is_request = |item: &Item| {
            item.folder() == folder && matches!(item.kind, Kind::Recording | Kind::Request)
        };
        let found = self.each(is_request, |path, document| {
            requests::from_document(path, &document?, &self.project.pool)
        });
        let mut wanted = Wanted::default();
        for (_, path, request) in found {
            match request {
                Ok(request) => wanted.asked.push(Arc::new(request)),
                Err(reason) => wanted.left.push(SkippedFile {
                    path,
                    reason: reason.into(),
                }),
            }
        }
        wanted
    }

    /// Returns the requests that a machine's nodes would send today. The machine is found through a recording made from it.
    fn of_machine(&self, path: &str) -> Result<Wanted, String> {
        let points_here = |item: &Item| {
            let source = item.source.as_ref();
            let present = source.and_then(|source| source.found.present());
            present.is_some_and(|present| &*present.path == path)
        };
        let mut items = self.order.items.iter();
        let (doc, _) = items.find(|(_, item)| points_here(item)).ok_or_else(|| {
            format!(
                "No recording names {} as its source any longer.",
                quoted(path)
            )
        })?;
        let bytes = self.project.read_beneath(doc.index(), path);
        let bytes = bytes.map_err(|refusal| format!("{path}: {refusal}."))?;
        let machine = Machine::read(&Source::from_bytes(bytes));
        Ok(Wanted {
            asked: requests::from_machine(path, &machine, &self.project.pool)
                .map_err(|reason| reason + ".")?,
            ..Wanted::default()
        })
    }

    /// Reads a request that was typed by hand.
    fn typed(&self, text: &str) -> Result<Arc<PlayedRequest>, String> {
        let document = format::read(Source::new(text), "request.json");
        let name: Arc<str> = "typed by hand".into();
        let request = requests::from_document(name, &document, &self.project.pool);
        let fault = |reason| format!("The typed request cannot be played: {reason}.");
        let mut request = request.map_err(fault)?;
        request.origin = RequestOrigin::Edited;
        Ok(Arc::new(request))
    }

    /// Reads each file on all processors; the results are in the order of the names.
    fn each<T: Send>(
        &self,
        is_wanted: impl Fn(&Item) -> bool,
        read: impl Fn(Arc<str>, Result<Document, String>) -> T + Sync,
    ) -> Vec<(DocId, Arc<str>, T)> {
        let items = self.order.items.iter().filter(|(_, item)| is_wanted(item));
        let mut items: Vec<(DocId, &Arc<Item>)> = items.collect();
        items.sort_by(|(_, a), (_, b)| utf16_order(a.file_name(), b.file_name()));
        let (next, items) = (AtomicUsize::new(0), &items);
        let work = || {
            let mut done = Vec::new();
            while let Some((doc, item)) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.cancel.load(Ordering::Relaxed) {
                    break;
                }
                let path = Arc::clone(&item.root_path);
                done.push((
                    *doc,
                    Arc::clone(&path),
                    read(path, self.document(*doc, item)),
                ));
            }
            done
        };
        let workers = thread::available_parallelism().map_or(2, NonZero::get);
        let mut all = thread::scope(|scope| {
            let helpers: Vec<_> = (1..workers.min(items.len()))
                .filter_map(|_| {
                    let helper = thread::Builder::new().name("retake play".into());
                    helper.spawn_scoped(scope, work).ok()
                })
                .collect();
            let mut all = work();
            for helper in helpers {
                all.extend(helper.join().unwrap_or_default());
            }
            all
        });
        all.sort_by(|(_, a, _), (_, b, _)| utf16_order(a, b));
        all
    }

    /// A document as it would be saved now.
    fn document(&self, doc: DocId, item: &Item) -> Result<Document, String> {
        let read = || match self.edited.get(&doc) {
            Some(text) => Ok(format::read((*text).clone(), item.file_name())),
            None => self.project.read(doc.index(), item),
        };
        catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(OWN_FAULT.to_owned()))
    }
}

/// Requests in a file or folder that the user has named.
fn of_path(path: &Path) -> Result<Wanted, String> {
    let read = read_requests(path, None);
    let read = read.map_err(|error| format!("{}: {error}.", path.display()))?;
    match read.from {
        playback::RequestsFrom::Log(log) => of_log(log, 0),
        _ => Ok(Wanted {
            asked: read.asked,
            left: read.skipped,
            log: None,
        }),
    }
}

/// Returns a failure of a log. Its requests depend on the set.
fn of_log(log: FailureLog, failure: usize) -> Result<Wanted, String> {
    if log.failures.get(failure).is_none() {
        return Err(match log.unread.first() {
            Some(unread) => format!("The log cannot be played. {unread}."),
            None => "This log contains no call of a playback client.".to_owned(),
        });
    }
    Ok(Wanted {
        log: Some((log, failure)),
        ..Wanted::default()
    })
}

/// The most candidate sets of a log that are named.
const SETS_NAMED: usize = 4;

/// Describes which sets a log may belong to, and why.
fn several(found: &[FoundFolder]) -> String {
    let all = found.iter().take(SETS_NAMED);
    let mut all: Vec<String> = all
        .map(|found| format!("{} ({})", quoted(&found.folder), found.why))
        .collect();
    match found.len().saturating_sub(SETS_NAMED) {
        0 => {}
        more => all.push(format!("{more} more")),
    }
    format!(
        "The log may belong to any of {} sets: {}. Choose one above.",
        found.len(),
        listed(&all)
    )
}

/// Describes a log beyond its requests.
fn note(
    log: &FailureLog,
    at: usize,
    chosen: &LoggedFailure,
    set: &Arc<RecordingSet>,
    why: &str,
) -> LogNote {
    let title = |failure: &LoggedFailure| {
        let test = failure
            .test
            .as_ref()
            .map_or(String::new(), |test| format!(", {test}"));
        format!("Line {}{test}: {}", failure.line, failure.title())
    };
    let mut remarks = Vec::new();
    match &chosen.kind {
        FailureKind::Run { assertion: None } | FailureKind::NoMatch { .. } => {}
        _ => remarks.push(format!(
            "The log ends with: {}",
            sentence(&chosen.title()) + "."
        )),
    }
    let suspect = chosen.suspect(set);
    if !why.is_empty() {
        remarks.push(format!("Played against this set, because {why}."));
    }
    remarks.extend(chosen.changed_since(set));
    remarks.extend(log.unread.iter().map(|unread| format!("{unread}.")));
    LogNote {
        failures: log.failures.iter().map(title).collect(),
        chosen: at,
        rules: chosen.rules(set),
        remarks,
        lacks_request: chosen.request().is_none(),
        suspect,
        failure: chosen.clone(),
    }
}
