//! The served files: tapes, recordings and files with calls, found at the start and read again for each call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::gitignore::IgnoredCount;
use crate::engine::disk::root::{OpenError, ReadBounds, given_path};
use crate::engine::disk::scan::scan;
use crate::engine::{Project, ScanStep, SourceLookup};
use crate::format::{Document, DocumentBody, FileKind};
use crate::ops::api::Api;
use crate::ops::calls;
use crate::ops::live::answer::ServedAnswer;
use crate::ops::live::client_call::ClientCall;
use crate::ops::live::received::ReceivedAnswer;
use crate::ops::live::refusal;
use crate::ops::live::serve::{Catalog, ServeChoice, ServeRules};
use crate::ops::playback::{PlayedRequest, RecordingSet, SetRecording, SkippedFile};
use crate::ops::tape::playback::TapePlayback;
use crate::ops::{Item, Pool};

/// Tapes and recordings that are served.
#[derive(Debug)]
pub struct Fixtures {
    project: Project,
    files: HashMap<Arc<str>, (usize, Arc<Item>)>,
    catalog: Catalog,
    playback: TapePlayback,
    pub tapes: usize,
    /// Each set with the count of its recordings: a folder, with `/` at its end, or a file.
    pub sets: Vec<(Arc<str>, usize)>,
    /// What could not be opened or read.
    pub faults: Vec<String>,
    /// What was left out because git ignores it.
    pub ignored: IgnoredCount,
}

/// How tapes and recordings are served.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServeOptions {
    /// How a call finds its answer.
    pub rules: ServeRules,
    /// When the pieces of an answer are sent.
    pub playback: TapePlayback,
}

/// The answer to a call.
#[derive(Debug)]
pub(super) enum FixtureReply {
    Answer(ServedAnswer),
    /// The file that answers can no longer be read; with a message.
    Gone(String),
    /// Nothing matches.
    NoMatch,
}

impl Fixtures {
    /// Reads the recordings of one folder, without those in folders below, or the calls in one file. Blocks.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); or when it cannot be opened.
    pub fn read_set<'a>(
        folder: &Path,
        bounds: impl Into<ReadBounds<'a>>,
        rules: ServeRules,
    ) -> Result<Self, String> {
        let project =
            Project::open(&[folder.to_owned()], bounds).map_err(|error| error.to_string())?;
        let mut fixtures = Self::new(project, rules, TapePlayback::default());
        fixtures.fill(Some(&given_path(folder)), &AtomicBool::new(false))?;
        Ok(fixtures)
    }

    /// Reads all tapes and recordings at these paths. Blocks. Only files in `root` are read, or else in the project that each path
    /// is in.
    ///
    /// # Errors
    ///
    /// When the root cannot be opened, or no thread be started.
    pub fn read<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
        options: ServeOptions,
    ) -> Result<Self, String> {
        Self::read_until(paths, bounds, options, &AtomicBool::new(false))
    }

    /// As [`read`](Self::read), until `cancel` is set; the result is incomplete then.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_until<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
        options: ServeOptions,
        cancel: &AtomicBool,
    ) -> Result<Self, String> {
        let opened = Project::open_found(paths, bounds);
        let (project, unopened) = opened.map_err(|error| error.to_string())?;
        let mut fixtures = Self::new(project, options.rules, options.playback);
        fixtures.faults = unopened.iter().map(OpenError::to_string).collect();
        fixtures.fill(None, cancel)?;
        Ok(fixtures)
    }

    fn new(project: Project, rules: ServeRules, playback: TapePlayback) -> Self {
        Self {
            project,
            files: HashMap::new(),
            catalog: Catalog::new(rules),
            playback,
            tapes: 0,
            sets: Vec::new(),
            faults: Vec::new(),
            ignored: IgnoredCount::default(),
        }
    }

    /// Adds the files of one folder, or all files.
    fn fill(&mut self, only: Option<&str>, cancel: &AtomicBool) -> Result<(), String> {
        let mut items = self.items(cancel)?;
        items.retain(|(_, item)| {
            let set = match item.foreign {
                Some(_) => &*item.path,
                None => item.path.rsplit_once('/').map_or("", |(folder, _)| folder),
            };
            only.is_none_or(|only| only == set)
        });
        let pool = Pool::default();
        let mut sets: Vec<(String, Vec<Result<SetRecording, SkippedFile>>)> = Vec::new();
        let mut file_sets = Vec::new();
        let mut faults = Vec::new();
        let mut files = HashMap::new();
        let mut keys = HashMap::new();
        for (number, item) in items {
            if cancel.load(Ordering::Relaxed) {
                break;
            }
            let document = match self.project.read(number, &item) {
                Ok(document) => document,
                Err(reason) => {
                    faults.push(format!("{reason}: {}", item.path));
                    continue;
                }
            };
            match document.kind() {
                FileKind::Tape => self.catalog.add_tape(&item.path, &document),
                _ if item.foreign.is_none() => {
                    let recorded = SetRecording::read(Arc::clone(&item.path), &document, &pool);
                    let key = calls::messages_key(document.tree.root());
                    keys.insert(Arc::clone(&item.path), Vec::from_iter(key));
                    add_to_set(&mut sets, &item.path, recorded);
                }
                _ => {
                    let mut calls = calls::served_calls(&item.path, &document);
                    for (path, call) in &mut calls {
                        let served = call.facts.served.take();
                        keys.extend(served.map(|served| (Arc::clone(path), served.keys)));
                        // A queue has no form for a call that failed.
                        if only.is_none() {
                            refusal::add_to_set(call);
                        }
                    }
                    let set = RecordingSet::from_named_calls(&item.path, calls, &pool);
                    let set = set.unwrap_or_default();
                    faults.extend(set.skipped.iter().map(|skipped| {
                        let SkippedFile { path, reason } = skipped;
                        format!("{reason}, so it is not served: {path}")
                    }));
                    for recorded in &set.recordings {
                        let file = (number, Arc::clone(&item));
                        files.insert(Arc::clone(&recorded.path), file);
                    }
                    file_sets.push(set);
                    continue;
                }
            }
            files.insert(Arc::clone(&item.path), (number, item));
        }
        for (folder, files) in sets {
            self.catalog
                .add_set(RecordingSet::new(&folder, files), &keys);
        }
        file_sets.retain(|set| !set.recordings.is_empty());
        for set in file_sets {
            self.catalog.add_set(set, &keys);
        }
        let tapes = self.catalog.tapes();
        let counts = self.catalog.sets();
        let counts = counts.map(|set| {
            let end = if set.is_file { "" } else { "/" };
            (format!("{}{end}", set.folder).into(), set.recordings.len())
        });
        let counts = counts.collect();
        (self.tapes, self.sets, self.files) = (tapes, counts, files);
        self.faults.extend(faults);
        Ok(())
    }

    /// The tapes, the recordings and the files that may hold calls, in the order of listing, each with its number.
    fn items(&mut self, cancel: &AtomicBool) -> Result<Vec<(usize, Arc<Item>)>, String> {
        let mut arrived = Vec::new();
        let outcome = scan(
            &self.project,
            SourceLookup::LeaveAlone,
            cancel,
            &mut |step| {
                if let ScanStep::Rows(rows) = step {
                    arrived.extend(rows);
                }
            },
        );
        let outcome = outcome.map_err(|error| format!("Cannot start a thread to read: {error}"))?;
        self.ignored = outcome.progress.ignored;
        let numbered = arrived.into_iter().enumerate().zip(outcome.order);
        let mut items: Vec<(u64, (usize, Arc<Item>))> =
            numbered.map(|(item, order)| (order, item)).collect();
        items.retain(|(_, (_, item))| {
            let may_hold_calls = item.foreign.is_some_and(|it| calls::reads(it.format));
            may_hold_calls || matches!(item.kind, FileKind::Tape | FileKind::Recording)
        });
        items.sort_unstable_by_key(|(order, _)| *order);
        Ok(items.into_iter().map(|(_, item)| item).collect())
    }

    /// Finds the file that answers a call and reads it again. Blocks.
    pub(super) fn answer(&self, name: &str, call: &ClientCall) -> (ServeChoice, FixtureReply) {
        let mut choice = self.catalog.choose(name, call);
        let mut reply = match &choice.chosen {
            Some(chosen) => self.reread(&chosen.path),
            None => FixtureReply::NoMatch,
        };
        if let FixtureReply::Answer(answer) = &mut reply {
            choice.why.extend(answer.fit(call.api, call.form));
        }
        (choice, reply)
    }

    /// Finds the recording that answers a request of a queue and reads it again. Blocks.
    pub(super) fn recording(
        &self,
        request: &Arc<PlayedRequest>,
    ) -> (ServeChoice, Option<Result<Document, String>>) {
        let choice = self.catalog.choose_recording(request);
        let path = choice.chosen.as_ref().map(|chosen| &*chosen.path);
        let document = path.map(|path| Ok(self.document(path)?.0));
        (choice, document)
    }

    /// Reads a file again, or a call of it, with its answer as received if that is in a file of HTTP calls.
    fn document(&self, path: &str) -> Result<(Document, Option<ReceivedAnswer>), String> {
        let (number, item) = self.files.get(path).ok_or("It is no longer open")?;
        let document = self.project.read(*number, item)?;
        if item.foreign.is_none() {
            return Ok((document, None));
        }
        let mut calls = calls::served_calls(&item.path, &document).into_iter();
        let call = calls.find(|(name, _)| **name == *path);
        if let Some(tape) = call
            .as_ref()
            .and_then(|(_, call)| refusal::tape(call, &document))
        {
            return Ok((tape, None));
        }
        let call = call.filter(|(_, call)| call.failure().is_none());
        let (_, call) = call.ok_or("The file no longer has this call")?;
        let received = call.facts.served.and_then(|served| {
            let api = Api::from_name(call.facts.api?)?;
            Some(ReceivedAnswer::whole(api, served.received?))
        });
        Ok((call.document.into_owned(), received))
    }

    fn reread(&self, path: &str) -> FixtureReply {
        match self.document(path) {
            Ok((document, received)) => self.build_reply(&document, received),
            Err(reason) => FixtureReply::Gone(reason),
        }
    }

    fn build_reply(&self, document: &Document, received: Option<ReceivedAnswer>) -> FixtureReply {
        match &document.body {
            DocumentBody::Tape(tape) => {
                FixtureReply::Answer(ServedAnswer::from_tape(document, tape, &self.playback))
            }
            DocumentBody::Recording(recording) => FixtureReply::Answer(ServedAnswer {
                received,
                ..ServedAnswer::from_recording(document, recording, &self.playback)
            }),
            _ => FixtureReply::Gone("It is no longer a tape or a recording".to_owned()),
        }
    }
}

/// Adds a recording to the set of its folder.
fn add_to_set(
    sets: &mut Vec<(String, Vec<Result<SetRecording, SkippedFile>>)>,
    path: &str,
    recorded: Result<SetRecording, SkippedFile>,
) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    match sets.iter_mut().find(|(known, _)| known == folder) {
        Some((_, files)) => files.push(recorded),
        None => sets.push((folder.to_owned(), vec![recorded])),
    }
}
