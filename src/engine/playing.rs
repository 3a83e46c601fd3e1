//! Playback for the window: reads what is open, unsaved texts before those on disk, and plays it on a thread of its own.

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
use crate::ops::machine::Machine;
use crate::ops::playback::failure_log::FailureLog;
use crate::ops::playback::{
    Asked, Client, MessagesKnown, Mode, Origin, Recorded, Rules, Set, Skipped, State, requests,
};
use crate::ops::signature::utf16_order;
use crate::text::{Source, quoted};
use crate::workbench::{
    DocId, Event, Explanation, FoundSets, Items, LogNote, PlayOrder, PlaybackEvent, Played,
    RequestsFrom, Stock,
};

/// What is said where a thread of ours came to an end by itself.
const OWN_FAULT: &str = "Retake came to a fault of its own; please report it";

/// What the playback desk has the engine do: the latest wish of each kind.
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
    /// Plays requests against a set; the answer is [`PlaybackEvent::Played`]. What is being played already is not wanted any
    /// more.
    pub fn play(&mut self, order: PlayOrder) {
        self.playing.play.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let outlet = self.outlet.clone();
        let job = Job::start("retake play", move |cancel| {
            let played = catch_unwind(AssertUnwindSafe(|| play(&project, &order, cancel)));
            let played = played.unwrap_or_else(|_| Some(Err(OWN_FAULT.to_owned())));
            if let Some(played) = played.filter(|_| !cancel.load(Ordering::Relaxed)) {
                let played = PlaybackEvent::Played(order.number, played.map(Arc::new));
                outlet.send(Event::Playback(played), cancel);
            }
        });
        match job {
            Ok(job) => self.playing.play = job,
            Err(error) => self.fail(format!("No thread can be started to play: {error}")),
        }
    }

    /// Sorts items of this revision into sets; the answer is [`PlaybackEvent::SetsFound`].
    pub fn find_sets(&mut self, revision: u64, items: Items) {
        let outlet = self.outlet.clone();
        let job = Job::start("retake sets", move |cancel| {
            let sets = Arc::new(FoundSets::of(&items));
            let event = PlaybackEvent::SetsFound(revision, sets);
            outlet.send(Event::Playback(event), cancel);
        });
        match job {
            Ok(job) => self.playing.sort = job,
            Err(error) => self.fail(format!(
                "No thread can be started to look for sets: {error}"
            )),
        }
    }

    /// Says why a call gets what it gets; the answer is [`PlaybackEvent::Explained`].
    pub fn explain(&mut self, played: Arc<Played>, call: usize) {
        let outlet = self.outlet.clone();
        let job = Job::start("retake explain", move |cancel| {
            let explanation = Arc::new(Explanation::new(&played, call));
            let event = PlaybackEvent::Explained(played, explanation);
            outlet.send(Event::Playback(event), cancel);
        });
        match job {
            Ok(job) => self.playing.explain = job,
            Err(error) => self.fail(format!("No thread can be started to explain: {error}")),
        }
    }
}

/// Reads what is not known yet, and plays it; `None` when that was stopped.
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
    let told = stock.log.as_ref().and_then(|log| log.rules);
    let rules = told.filter(|_| order.is_new).unwrap_or(order.rules);
    is_wanted.then(|| Ok(Played::new(order.number, stock, rules, order.beside)))
}

/// Reads what an order is about.
struct Reading<'a> {
    project: &'a Project,
    order: &'a PlayOrder,
    edited: HashMap<DocId, &'a Source>,
    cancel: &'a AtomicBool,
}

/// Requests, before it is known what they are played against.
#[derive(Default)]
struct Wanted {
    asked: Vec<Arc<Asked>>,
    left: Vec<Skipped>,
    log: Option<(FailureLog, usize)>,
}

impl Reading<'_> {
    fn stock(&self) -> Result<Stock, String> {
        let mut wanted = self.wanted()?;
        let folder = self.folder(&wanted)?;
        let (set, docs) = self.set(&folder)?;
        if self.order.requests == RequestsFrom::SetItself {
            wanted.asked = requests::of_set(&set);
        }
        if let Some((call, text)) = &self.order.typed
            && let Some(asked) = wanted.asked.get_mut(*call)
        {
            *asked = self.typed(text)?;
        }
        let (log, before) = match &wanted.log {
            Some((log, failure)) => note(log, *failure, &set),
            None => (None, State::default()),
        };
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
    fn folder(&self, wanted: &Wanted) -> Result<Arc<str>, String> {
        if let Some(folder) = &self.order.set {
            return Ok(Arc::clone(folder));
        }
        let failure = wanted.log.as_ref();
        let failure = failure.and_then(|(log, failure)| log.failures.get(*failure));
        let items = self.order.items.iter().map(|(_, item)| &**item);
        let folder = failure.and_then(|failure| failure.set_among(items));
        let named = failure.and_then(|failure| failure.directory.as_deref());
        match (folder, &self.order.fallback, named) {
            (Some(folder), ..) => Ok(folder.into()),
            (None, Some(folder), _) => Ok(Arc::clone(folder)),
            (None, None, Some(named)) => Err(format!(
                "The log is of the recordings in {}, which are not open. Choose the set to play against.",
                quoted(named)
            )),
            (None, None, None) => {
                Err("Nothing tells which set this was played against. Choose it above.".to_owned())
            }
        }
    }

    /// What clients load of a folder, with the documents of its recordings.
    fn set(&self, folder: &str) -> Result<(Arc<Set>, Vec<Option<DocId>>), String> {
        let is_loaded =
            |item: &Item| item.folder() == folder && item.file_name().ends_with(".json");
        let found = self.each(is_loaded, |path, document| {
            let document = document.map_err(|reason| Skipped {
                path: Arc::clone(&path),
                reason: reason.into(),
            })?;
            Recorded::read(path, &document, &self.project.pool)
        });
        if found.is_empty() {
            return Err(format!(
                "There are no recordings in {} any more.",
                quoted(folder)
            ));
        }
        let doc_of = |(doc, path, _): &(DocId, Arc<str>, _)| (Arc::clone(path), *doc);
        let docs: HashMap<Arc<str>, DocId> = found.iter().map(doc_of).collect();
        let set = Set::new(folder, found.into_iter().map(|(_, _, read)| read));
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
        let asks = |item: &Item| {
            item.folder() == folder && matches!(item.kind, Kind::Recording | Kind::Request)
        };
        let found = self.each(asks, |path, document| {
            requests::of_document(path, &document?, &self.project.pool)
        });
        let mut wanted = Wanted::default();
        for (_, path, asked) in found {
            match asked {
                Ok(asked) => wanted.asked.push(Arc::new(asked)),
                Err(reason) => wanted.left.push(Skipped {
                    path,
                    reason: reason.into(),
                }),
            }
        }
        wanted
    }

    /// What the nodes of a machine would ask today. It is found by a recording that points to it.
    fn of_machine(&self, path: &str) -> Result<Wanted, String> {
        let points_here = |item: &Item| {
            let source = item.source.as_ref();
            let present = source.and_then(|source| source.found.present());
            present.is_some_and(|present| &*present.path == path)
        };
        let mut items = self.order.items.iter();
        let (doc, _) = items
            .find(|(_, item)| points_here(item))
            .ok_or_else(|| format!("No recording points to {} any more.", quoted(path)))?;
        let bytes = self.project.read_beneath(doc.index(), path);
        let bytes = bytes.map_err(|refusal| format!("{path}: {refusal}."))?;
        let machine = Machine::read(&Source::from_bytes(bytes));
        Ok(Wanted {
            asked: requests::of_machine(path, &machine, &self.project.pool),
            ..Wanted::default()
        })
    }

    /// Reads a request that was typed by hand.
    fn typed(&self, text: &str) -> Result<Arc<Asked>, String> {
        let document = format::read(Source::new(text), "request.json");
        let name: Arc<str> = "typed by hand".into();
        let asked = requests::of_document(name, &document, &self.project.pool);
        let fault = |reason| format!("The typed request cannot be played: {reason}.");
        let mut asked = asked.map_err(fault)?;
        asked.origin = Origin::Edited;
        Ok(Arc::new(asked))
    }

    /// Reads each file that is wanted, on all processors; by the order of their names.
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

/// The request of a failure.
fn of_log(log: FailureLog, failure: usize) -> Result<Wanted, String> {
    let chosen = log.failures.get(failure);
    let chosen = chosen.ok_or("No failure of a playback client is told in this log.")?;
    Ok(Wanted {
        asked: chosen.asked().cloned().into_iter().collect(),
        left: Vec::new(),
        log: Some((log, failure)),
    })
}

/// What a log says beside its request, and what was used before.
fn note(log: &FailureLog, failure: usize, set: &Arc<Set>) -> (Option<LogNote>, State) {
    let Some(chosen) = log.failures.get(failure) else {
        return (None, State::default());
    };
    let title = |failure: &crate::ops::playback::failure_log::Failure| {
        format!("Line {}: {}", failure.line, failure.title())
    };
    let no_request = chosen.asked().is_none().then(|| {
        format!(
            "{}: the log prints no request, so nothing can be played.",
            sentence(&chosen.title())
        )
    });
    let note = LogNote {
        failures: log.failures.iter().map(title).collect(),
        chosen: failure,
        rules: chosen.asked().map(|asked| rules_of(asked)),
        no_request,
        suspect: chosen.suspect(set),
        unread: log.unread.clone(),
    };
    (Some(note), chosen.state(set))
}

/// How the client played that found no match: only one that looks at signatures alone ends so. The one for browsers prints
/// no count of messages.
fn rules_of(asked: &Asked) -> Rules {
    let client = match asked.origin {
        Origin::Log {
            messages: MessagesKnown::No,
            ..
        } => Client::Browser,
        _ => Client::Shipped,
    };
    Rules {
        mode: Mode::Signature,
        client,
    }
}
