//! Answers the requests in a queue.
//!
//! The folder is polled many times a second, by its path: it may vanish and come back, and may be on a file system without
//! change notifications.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use jiff::Timestamp;

use super::fixtures::Fixtures;
use super::rules::ProjectRules;
use crate::disk::root::{read_file, real_path};
use crate::disk::save::{self, SaveTarget};
use author::saving::{Expected, SaveFailure};
use calls::Pool;
use document::text::Source;
use play::live::queue::{LiveQueueEvent, QueueReply, REQUESTS, RESPONSES, RuleRequest};
use play::playback::{PlayedRequest, requests};

/// The time between two polls.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Time for which a request may stay half written before that is reported.
const HALF_WRITTEN_TIMEOUT: Duration = Duration::from_secs(2);

/// A queue folder that is watched.
#[derive(Debug)]
pub struct QueueFolder {
    folder: PathBuf,
    /// The root that the user gave.
    root: Option<PathBuf>,
    /// The requests that were seen, by the names of their files without `.json`.
    seen: HashMap<Arc<str>, SeenRequest>,
    exists: bool,
}

/// The name of a request, and when it was written.
type RequestFile = (Arc<str>, Option<SystemTime>);

#[derive(Debug)]
struct SeenRequest {
    written: Option<SystemTime>,
    since: Instant,
    state: RequestState,
}

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestState {
    /// It was not read yet, or is half written.
    New,
    /// It was returned to the caller and has no answer.
    Waiting,
    /// Nothing waits for it any longer, or it cannot be read.
    Done,
}

#[derive(Clone, Debug)]
pub struct WaitingRequest {
    /// The name of its file without `.json`.
    pub name: Arc<str>,
    /// Its content.
    pub question: RuleRequest,
    /// Time at which it was written, as the file system has it.
    pub written: Option<SystemTime>,
}

impl WaitingRequest {
    /// Returns the id that its answer must have.
    pub fn id(&self) -> &str {
        self.question.played.id.as_deref().unwrap_or(&self.name)
    }
}

impl QueueFolder {
    /// A queue at a folder, which need not be there yet. It is read and written in `root`, where that is given.
    pub fn new(folder: &Path, root: Option<&Path>) -> Self {
        Self {
            folder: folder.to_owned(),
            root: root.map(Path::to_owned),
            seen: HashMap::new(),
            // A folder that is missing from the start is reported by the first poll.
            exists: true,
        }
    }

    /// Returns new requests that wait for an answer. Reports what happened
    /// to those returned before.
    pub fn poll(&mut self, report: &mut dyn FnMut(LiveQueueEvent)) -> Vec<WaitingRequest> {
        let names = self.list_requests();
        let is_up = names.is_ok();
        if is_up != std::mem::replace(&mut self.exists, is_up) {
            report(if is_up { LiveQueueEvent::FolderBack } else { LiveQueueEvent::FolderMissing });
        }
        let Ok((dir, names)) = names else {
            self.forget(&[], report);
            return Vec::new();
        };
        self.forget(&names, report);
        let mut requests = Vec::new();
        for (name, modified) in names {
            match self.state(&name, modified) {
                RequestState::Done => {}
                // The request was answered before it was seen.
                RequestState::New if has_answer(&dir, &name) => self.mark_done(&name),
                RequestState::Waiting if has_answer(&dir, &name) => {
                    self.mark_done(&name);
                    report(LiveQueueEvent::AnsweredByOther(name));
                }
                RequestState::Waiting => {}
                RequestState::New => requests.extend(self.read_request(&dir, &name, report)),
            }
        }
        requests
    }

    /// Lists the requests in the folder, each with the time at which it was written.
    fn list_requests(&self) -> io::Result<(Dir, Vec<RequestFile>)> {
        let folder = real_path(&self.folder, self.root.as_deref())?;
        let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
        let entries = match dir.read_dir(REQUESTS) {
            Ok(entries) => entries,
            // The first request creates the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((dir, Vec::new())),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(stem) = name.strip_suffix(".json").filter(|stem| !stem.starts_with('.')) {
                let modified = entry.metadata().and_then(|metadata| metadata.modified());
                names.push((stem.into(), modified.ok().map(cap_std::time::SystemTime::into_std)));
            }
        }
        // `forget` needs sorted names for its search.
        names.sort();
        Ok((dir, names))
    }

    /// Forgets requests whose files no longer exist: their programs have stopped waiting.
    fn forget(&mut self, names: &[RequestFile], report: &mut dyn FnMut(LiveQueueEvent)) {
        self.seen.retain(|name, request| {
            let is_there = names.binary_search_by(|(n, _)| n.cmp(name)).is_ok();
            if !is_there && request.state == RequestState::Waiting {
                report(LiveQueueEvent::Withdrawn(Arc::clone(name)));
            }
            is_there
        });
    }

    /// Returns the state of a request; one that was rewritten counts as new.
    fn state(&mut self, name: &Arc<str>, time: Option<SystemTime>) -> RequestState {
        let new = || SeenRequest { written: time, since: Instant::now(), state: RequestState::New };
        let request = self.seen.entry(Arc::clone(name)).or_insert_with(new);
        if request.written != time {
            *request = new();
        }
        request.state
    }

    fn mark_done(&mut self, name: &str) {
        if let Some(request) = self.seen.get_mut(name) {
            request.state = RequestState::Done;
        }
    }

    /// Reads a request. A half-written one is read again later.
    fn read_request(
        &mut self,
        dir: &Dir,
        name: &Arc<str>,
        report: &mut dyn FnMut(LiveQueueEvent),
    ) -> Option<WaitingRequest> {
        let result = parse_request(dir, &format!("{REQUESTS}/{name}.json"));
        let request = self.seen.get_mut(name)?;
        match result {
            Ok(question) => {
                request.state = RequestState::Waiting;
                Some(WaitingRequest { name: Arc::clone(name), question, written: request.written })
            }
            Err(reason) => {
                if request.since.elapsed() >= HALF_WRITTEN_TIMEOUT {
                    request.state = RequestState::Done;
                    report(LiveQueueEvent::Failed(Arc::clone(name), reason));
                }
                None
            }
        }
    }

    /// Writes an answer atomically. An existing one is not replaced.
    ///
    /// # Errors
    ///
    /// A message that says why it was not written.
    pub fn write(&mut self, name: &str, json: &str) -> Result<(), String> {
        // The save would create the folder again, and no program waits in it.
        if !self.folder.is_dir() {
            return Err("The queue folder no longer exists".to_owned());
        }
        let path = Path::new(RESPONSES).join(format!("{name}.json"));
        let target = SaveTarget::below(&self.folder, &path, self.root.as_deref());
        match target.and_then(|target| save::write(target, json.as_bytes(), Expected::Nothing)) {
            Ok(_) => {
                self.mark_done(name);
                Ok(())
            }
            Err(fault) if matches!(fault.reason, SaveFailure::Exists { .. }) => {
                Err("Another program has already answered it".to_owned())
            }
            Err(fault) => Err(fault.to_string()),
        }
    }

    /// Answers a request by the first rule that matches; `None` when none does.
    pub fn answer_by_rule(
        &mut self,
        request: &WaitingRequest,
        rules: &ProjectRules,
    ) -> Option<LiveQueueEvent> {
        let name = Arc::clone(&request.name);
        let (rule, reply) = rules.reply(&request.question)?;
        let result = reply.and_then(|r| self.write(&name, &r.json(request.id(), Timestamp::now())));
        Some(match result {
            Ok(()) => LiveQueueEvent::AnsweredByRule(name, rule),
            Err(reason) => LiveQueueEvent::Failed(name, format!("Rule {rule}: {reason}")),
        })
    }

    /// Answers a request from a set.
    pub fn answer_from_set(&mut self, request: &WaitingRequest, sets: &Fixtures) -> LiveQueueEvent {
        let name = Arc::clone(&request.name);
        let (choice, document) = sets.recording(&request.question.played);
        let Some(document) = document else {
            return LiveQueueEvent::Unanswered(name, Arc::new(choice));
        };
        let reply = document.and_then(|document| match document.body.recording() {
            Some(recording) => QueueReply::from_recording(&document, recording),
            None => Err("The file that answers it is no longer a recording".to_owned()),
        });
        let reasoning = || {
            choice.chosen.as_ref().map_or(String::new(), |file| {
                format!("Retake: {} of {}", file.matched_by.describe(), file.path)
            })
        };
        let json = reply
            .map(|reply| reply.with_default_reasoning(reasoning))
            .map(|reply| reply.json(request.id(), Timestamp::now()));
        match json.and_then(|json| self.write(&name, &json)) {
            Ok(()) => LiveQueueEvent::Answered(name, Arc::new(choice)),
            Err(reason) => LiveQueueEvent::Failed(name, reason),
        }
    }
}

fn has_answer(dir: &Dir, name: &str) -> bool {
    dir.symlink_metadata(format!("{RESPONSES}/{name}.json")).is_ok()
}

/// Reads a complete request.
fn parse_request(dir: &Dir, path: &str) -> Result<RuleRequest, String> {
    let bytes = read_file(dir, Path::new(path)).map_err(|r| format!("It cannot be read: {r}"))?;
    let document = document::read(Source::from_bytes(bytes), path);
    if let Some(fault) = document.tree.fault() {
        return Err(format!("It is not valid JSON: {}", fault.message));
    }
    let request = document.body.request().ok_or_else(|| requests::describe_missing(&document))?;
    let played = PlayedRequest::from_request(path.into(), request, &Pool::default());
    Ok(RuleRequest::new(Arc::new(played), Arc::new(document)))
}
