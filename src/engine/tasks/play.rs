//! Plays requests against a set: reads what is open, unsaved texts before those on disk.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::disk::playback::{self, read_requests};
use crate::disk::project::Project;
use crate::disk::root::to_sentence;
use crate::run::Work;
use crate::tasks::set_reader::SetReader;
use calls::Item;
use document::FileKind;
use document::text::{Source, quoted, some};
use play::playback::failure_log::{
    FailureKind, FailureLog, FoundFolder, LoggedFailure, SetIndex, SetOfLog,
};
use play::playback::{PlayedRequest, PlayerState, RecordingSet, SkippedFile, requests};
use play::triage::read_failures;
use protocol::{
    EngineEvent, Lane, LogNote, PlayRequest, PlaybackEvent, PlaybackInput, PlaybackResult,
    RequestsSource,
};

pub(crate) fn play(request: PlayRequest) -> Work {
    Work::answering(
        Lane::Newest("play"),
        request,
        |request, context| {
            let result = read_and_play(context.project.as_deref()?, request, &context.cancel)?;
            Some(result.map(Arc::new))
        },
        |request, result| EngineEvent::Playback(PlaybackEvent::Played(request.key.clone(), result)),
    )
}

/// Reads what is not loaded yet, and plays it; `None` when it was cancelled.
fn read_and_play(
    project: &Project,
    request: &PlayRequest,
    cancel: &AtomicBool,
) -> Option<Result<PlaybackResult, String>> {
    let input = match &request.known {
        Some(input) => Arc::clone(input),
        None => {
            let texts = request.edited.iter().map(|(doc, text)| (*doc, text));
            let reader = PlaybackReader {
                request,
                files: SetReader {
                    project,
                    items: request.items.iter().collect(),
                    edited: texts.collect(),
                    cancel,
                },
            };
            match reader.read_fixtures() {
                Ok(input) => Arc::new(input),
                Err(reason) => return Some(Err(reason)),
            }
        }
    };
    let is_wanted = !cancel.load(Ordering::Relaxed);
    // The rules of a log are only the first choice: the user may play it by others.
    let logged_rules = input.log.as_ref().and_then(|log| log.rules);
    let rules = logged_rules.filter(|_| request.is_new).unwrap_or(request.key.rules);
    is_wanted.then(|| Ok(PlaybackResult::new(input, rules)))
}

/// Reads what a playback needs.
struct PlaybackReader<'a> {
    request: &'a PlayRequest,
    files: SetReader<'a>,
}

/// Requests, before it is known what they are played against.
#[derive(Default)]
struct LoadedRequests {
    requests: Vec<Arc<PlayedRequest>>,
    skipped: Vec<SkippedFile>,
    log: Option<(FailureLog, usize)>,
}

impl PlaybackReader<'_> {
    fn read_fixtures(&self) -> Result<PlaybackInput, String> {
        let matchers = self.request.key.matchers.as_deref();
        let set = self.request.set.as_deref();
        let cassette = set.and_then(|set| self.files.read_cassette(set, matchers));
        if let Some(input) = cassette {
            return input;
        }
        let mut input = self.read_requests()?;
        let FoundFolder { folder, why, .. } = self.choose_folder(&input)?;
        let (set, docs) = self.files.read_set(&folder)?;
        if self.request.requests == RequestsSource::SetItself {
            input.requests = requests::from_set(&set);
        }
        let mut start_state = PlayerState::default();
        let selection = input.log.as_ref().and_then(|(log, failure_index)| {
            Some((log, *failure_index, log.failures.get(*failure_index)?))
        });
        let mut log = None;
        if let Some((full_log, failure_index, failure)) = selection {
            let replay = failure.replay(&set);
            (start_state, input.requests) = (replay.before, replay.requests);
            // The requests do not change when the set is edited.
            let old_input = self.request.read.as_ref().filter(|old_input| {
                let note = old_input.log.as_ref();
                old_input.set.folder == set.folder && note.is_some_and(|n| n.failure == *failure)
            });
            if let Some(old_input) = old_input {
                input.requests.clone_from(&old_input.requests);
            }
            log = Some(describe_log(full_log, failure_index, failure, &set, &why));
        }
        Ok(PlaybackInput {
            set,
            docs,
            requests: input.requests,
            before: start_state,
            skipped: input.skipped,
            log,
            cassette: None,
        })
    }

    /// The folder of the set: the one that was chosen, else the one that the log points to.
    fn choose_folder(&self, input: &LoadedRequests) -> Result<FoundFolder, String> {
        let chosen_folder = |folder: &Arc<str>| FoundFolder {
            folder: Arc::clone(folder),
            why: String::new(),
            is_named: true,
        };
        if let Some(folder) = &self.request.set {
            return Ok(chosen_folder(folder));
        }
        let failure = input.log.as_ref().and_then(|(log, failure)| log.failures.get(*failure));
        let items = self.request.items.iter().map(|(_, item)| &**item);
        let log_set = failure.map_or(SetOfLog::Unknown, |f| f.set_among(&SetIndex::new(items)));
        let directory = failure.and_then(|failure| failure.directory.as_ref());
        if let (SetOfLog::Unknown, Some(directory)) = (&log_set, directory)
            && failure.is_some_and(LoggedFailure::lacks_recordings)
        {
            // No other set is guessed for a run whose folder had no recordings; the history may explain why it had none.
            let empty = self.files.project.empty_folder(directory, self.files.cancel);
            return Err(format!("{}. {}.", empty.describe(), empty.advice()));
        }
        match (log_set, &self.request.fallback, directory) {
            (SetOfLog::One(folder), ..) => Ok(folder),
            (SetOfLog::Several(candidates), Some(folder), _)
                if candidates.iter().any(|c| c.folder == *folder) =>
            {
                Ok(chosen_folder(folder))
            }
            (SetOfLog::Several(candidates), ..) => Err(describe_candidates(&candidates)),
            (SetOfLog::Unknown, Some(folder), _) => Ok(chosen_folder(folder)),
            (SetOfLog::Unknown, None, Some(directory)) => Err(format!(
                "The log was made with the recordings in {}, which are not open. Choose the set to play against.",
                quoted(directory)
            )),
            (SetOfLog::Unknown, None, None) => {
                Err("Choose the set that this run was played against.".to_owned())
            }
        }
    }

    fn read_requests(&self) -> Result<LoadedRequests, String> {
        let without_log = |requests| LoadedRequests { requests, ..LoadedRequests::default() };
        match &self.request.requests {
            RequestsSource::SetItself => Ok(LoadedRequests::default()),
            RequestsSource::Folder(folder) => Ok(self.read_folder_requests(folder)),
            RequestsSource::Machine(path) => {
                self.files.read_machine_requests(path).map(without_log)
            }
            RequestsSource::Path { path, failure } => requests_from_path(path, *failure),
            RequestsSource::Log { name, text, failure } => {
                requests_from_log(read_failures(name, text), *failure)
            }
            RequestsSource::Typed(text) => self.parse_pasted_request(text).map(without_log),
        }
    }

    /// The requests in the files of a folder, by the names of the files.
    fn read_folder_requests(&self, folder: &str) -> LoadedRequests {
        let is_request = |item: &Item| match item.kind {
            FileKind::Recording | FileKind::Request => item.folder() == folder,
            _ => false,
        };
        let files = self.files.read_each(is_request, |path, document| {
            requests::from_document(&path, &document?, &self.files.project.pool)
        });
        let mut input = LoadedRequests::default();
        for (_, path, requests) in files {
            match requests {
                Ok(requests) => input.requests.extend(requests),
                Err(reason) => input.skipped.push(SkippedFile { path, reason: reason.into() }),
            }
        }
        input
    }

    /// Reads a request that was pasted, or the calls in a text; at least one.
    fn parse_pasted_request(&self, text: &str) -> Result<Vec<Arc<PlayedRequest>>, String> {
        let document = document::read(Source::new(text), "request.json");
        let name: Arc<str> = "pasted".into();
        let requests = requests::from_document(&name, &document, &self.files.project.pool);
        requests.map_err(|reason| format!("The pasted request cannot be played: {reason}."))
    }
}

/// Requests in a file or folder that the user has named.
fn requests_from_path(path: &Path, failure: usize) -> Result<LoadedRequests, String> {
    let input = read_requests(path, None).map_err(|e| format!("{}: {e}.", path.display()))?;
    match input.origin {
        playback::RequestSource::Log(log) => requests_from_log(log, failure),
        _ => Ok(LoadedRequests { requests: input.requests, skipped: input.skipped, log: None }),
    }
}

/// Returns a failure of a log. Its requests depend on the set.
fn requests_from_log(log: FailureLog, failure: usize) -> Result<LoadedRequests, String> {
    if log.failures.get(failure).is_none() {
        return Err(match log.unread.first() {
            Some(reason) => format!("The log cannot be played. {reason}."),
            None => "This log contains no call of a playback client.".to_owned(),
        });
    }
    Ok(LoadedRequests { log: Some((log, failure)), ..LoadedRequests::default() })
}

/// The most candidate sets of a log that are named.
const MAX_NAMED_SETS: usize = 4;

/// Describes which sets a log may belong to, and why.
fn describe_candidates(candidates: &[FoundFolder]) -> String {
    let sets = candidates.iter().map(|c| format!("{} ({})", quoted(&c.folder), c.why));
    format!(
        "The log may belong to any of {} sets: {}. Choose one.",
        candidates.len(),
        some(sets, MAX_NAMED_SETS)
    )
}

/// Describes a log beyond its requests.
fn describe_log(
    log: &FailureLog,
    index: usize,
    failure: &LoggedFailure,
    set: &Arc<RecordingSet>,
    reason: &str,
) -> LogNote {
    let title = |failure: &LoggedFailure| {
        let test = failure.test.as_ref().map_or(String::new(), |test| format!(", {test}"));
        format!("Line {}{test}: {}", failure.line, failure.title())
    };
    let mut remarks = Vec::new();
    match &failure.kind {
        FailureKind::Run { assertion: None } | FailureKind::NoMatch { .. } => {}
        _ => remarks.push(format!("The log says: {}", to_sentence(failure.title()) + ".")),
    }
    let suspect = failure.suspect(set);
    if !reason.is_empty() {
        remarks.push(format!("Played against this set, because {reason}."));
    }
    remarks.extend(failure.changed_since(set));
    remarks.extend(log.unread.iter().map(|reason| format!("{reason}.")));
    LogNote {
        failures: log.failures.iter().map(title).collect(),
        chosen: index,
        rules: failure.rules(set),
        remarks,
        lacks_request: failure.request().is_none(),
        suspect,
        failure: failure.clone(),
    }
}
