//! Reads what playback needs: the recordings of a set, and the requests that are played against it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::disk::guard::catch;
use crate::disk::parallel::map_parallel;
use crate::disk::root::{
    OpenError, OpenFolder, OpenedPath, ReadRefusal, describe_error, display_path, open_all,
    open_one, read_file, to_sentence,
};
use calls::Pool;
use document::signature::utf16_order;
use document::text::Source;
use document::{Document, DocumentBody, FileKind, is_machine};
use machine::Machine;
use play::playback::failure_log::FailureLog;
use play::playback::{PlayedRequest, RecordingSet, SetRecording, SkippedFile, requests};

/// The folder of a queue in which requests wait.
const REQUESTS_FOLDER: &str = "requests";

/// A set and the requests that are played against it.
#[derive(Debug)]
pub struct SetAndRequests {
    pub set: Arc<RecordingSet>,
    pub requests: Requests,
}

/// Requests, and where they come from.
#[derive(Debug)]
pub struct Requests {
    /// In the order in which they are played.
    pub requests: Vec<Arc<PlayedRequest>>,
    /// Their origin.
    pub origin: RequestSource,
    /// Files that could not be read.
    pub skipped: Vec<SkippedFile>,
}

/// Origin of requests.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestSource {
    /// The set itself.
    Set,
    /// The folder of a queue.
    Queue,
    /// A folder of recordings or of bare requests.
    Folder,
    /// One file with recorded calls or a request.
    File,
    /// A machine: the first requests that its nodes would send today.
    Machine,
    /// The log of a run. Its requests also depend on the set: see [`LoggedFailure::replay`].
    ///
    /// [`LoggedFailure::replay`]: play::playback::failure_log::LoggedFailure::replay
    Log(FailureLog),
}

/// Reason that playback cannot be read.
#[derive(Debug)]
pub enum PlaybackError {
    /// A path cannot be opened.
    NotOpened(OpenError),
    /// Something was opened that cannot be played; a message without a full stop.
    NotPlayed(String),
}

impl From<OpenError> for PlaybackError {
    fn from(error: OpenError) -> Self {
        Self::NotOpened(error)
    }
}

/// Reads a set and the requests to play against it. Blocks. Nothing outside `root` is read, or else outside of the project
/// that each path is in.
///
/// # Errors
///
/// Returns an error if a path cannot be opened, or contains no set or no requests.
pub fn read_playback(
    recordings: &Path,
    file: &Path,
    root: Option<&Path>,
) -> Result<SetAndRequests, PlaybackError> {
    let paths: [PathBuf; 2] = [recordings.to_owned(), file.to_owned()];
    let opened = open_all(&paths, root)?;
    let [recordings, file] = &opened[..] else {
        return Err(PlaybackError::NotPlayed("Two paths are required".to_owned()));
    };
    // One pool for both, since requests and recordings name the same tools.
    let pool = Pool::default();
    let set = Arc::new(read_opened_set(recordings, &pool)?);
    // A set that is played against itself is read once.
    let is_same = file.file == recordings.file && file.folder == recordings.folder;
    let requests = if is_same {
        Requests::complete(requests::from_set(&set), RequestSource::Set)
    } else {
        read_opened_requests(file, &pool)?
    };
    Ok(SetAndRequests { set, requests })
}

/// Reads the requests in a queue, a folder, a file, a machine or the log of a failed run. Blocks.
///
/// # Errors
///
/// Returns an error if it cannot be opened, or is a file in which no request is found.
pub fn read_requests(path: &Path, root: Option<&Path>) -> Result<Requests, PlaybackError> {
    read_opened_requests(&open_one(path, root)?, &Pool::default())
}

fn read_opened_set(opened: &OpenedPath, pool: &Pool) -> Result<RecordingSet, PlaybackError> {
    if let Some(file) = &opened.file {
        let document = opened.root.parse(read_source(opened, file)?, &opened.root_path(file));
        if let DocumentBody::Foreign(foreign) = &document.body
            && document.kind() == FileKind::Cassette
        {
            let client = foreign.client.map(|client| format!(", {}", client.as_str()));
            return Err(PlaybackError::NotPlayed(format!(
                "{} is played by its own client{}, not by that of DyGram",
                opened.given,
                client.unwrap_or_default()
            )));
        }
        if let (DocumentBody::Foreign(foreign), FileKind::Runs) = (&document.body, document.kind())
        {
            return Err(PlaybackError::NotPlayed(format!(
                "{} is {}, which no client plays; `retake import --as` makes a fixture of its calls",
                opened.given,
                foreign.describe()
            )));
        }
        let set = RecordingSet::from_calls(&opened.given, &document, pool);
        return set.ok_or_else(|| {
            PlaybackError::NotPlayed(format!("Expected a folder, found a file: {}", opened.given))
        });
    }
    let files = read_each_json(opened, Path::new(""), |p, d| SetRecording::read(p, d, pool))?;
    Ok(RecordingSet::new(&opened.given, files))
}

impl Requests {
    /// Requests without skipped files.
    fn complete(requests: Vec<Arc<PlayedRequest>>, origin: RequestSource) -> Self {
        Self { requests, origin, skipped: Vec::new() }
    }
}

fn read_opened_requests(opened: &OpenedPath, pool: &Pool) -> Result<Requests, PlaybackError> {
    if let Some(file) = &opened.file {
        return read_request_file(opened, file, pool);
    }
    let metadata = opened.dir.metadata(REQUESTS_FOLDER);
    let (folder, origin) = if metadata.is_ok_and(|metadata| metadata.is_dir()) {
        (REQUESTS_FOLDER, RequestSource::Queue)
    } else {
        ("", RequestSource::Folder)
    };
    let files = read_each_json(opened, Path::new(folder), |path, document| {
        let requests = requests::from_document(&path, document, pool);
        requests.map_err(|reason| SkippedFile { path, reason: reason.into() })
    })?;
    let (mut requests, mut skipped) = (Vec::new(), Vec::new());
    for file in files {
        match file {
            Ok(file_requests) => requests.extend(file_requests),
            Err(skipped_file) => skipped.push(skipped_file),
        }
    }
    Ok(Requests { requests, origin, skipped })
}

pub(super) fn read_source(opened: &OpenedPath, file: &Path) -> Result<Source, PlaybackError> {
    let bytes = read_file(&opened.dir, file).map_err(|refusal| {
        let reason = to_sentence(refusal);
        PlaybackError::NotPlayed(format!("{}: {reason}", opened.given))
    })?;
    Ok(Source::from_bytes(bytes))
}

/// The requests in one file.
fn read_request_file(
    opened: &OpenedPath,
    file: &Path,
    pool: &Pool,
) -> Result<Requests, PlaybackError> {
    let path = &opened.given;
    let source = read_source(opened, file)?;
    let name = file.to_string_lossy();
    if is_machine(&name) {
        let machine = Machine::read(&source);
        let requests =
            requests::from_machine(path, &machine, pool).map_err(PlaybackError::NotPlayed)?;
        return Ok(Requests::complete(requests, RequestSource::Machine));
    }
    let text = source.clone();
    let requests =
        requests::from_document(path, &opened.root.parse(source, &opened.root_path(file)), pool);
    // Tried last, since a recording may quote a log in a message.
    if requests.is_err() && FailureLog::looks_like_log(text.text()) {
        let log = FailureLog::read(path, text.text());
        return Ok(Requests::complete(Vec::new(), RequestSource::Log(log)));
    }
    let requests = requests.map_err(|reason| {
        let message = format!("{path} contains no request, no machine and no playback log");
        PlaybackError::NotPlayed(if name.ends_with(".json") {
            format!("{message}: {reason}")
        } else {
            message
        })
    })?;
    Ok(Requests::complete(requests, RequestSource::File))
}

/// Reads each `*.json` of a folder, none of those below it, on all processors; in the order of the UTF-16 code units of the
/// names.
fn read_each_json<T: Send>(
    opened: &OpenedPath,
    folder: &Path,
    read: impl Fn(Arc<str>, &Document) -> Result<T, SkippedFile> + Sync,
) -> Result<Vec<Result<T, SkippedFile>>, PlaybackError> {
    let fail = |error: io::Error| {
        PlaybackError::NotOpened(OpenError { path: opened.given.as_ref().into(), error })
    };
    let names = list_json_names(opened, folder).map_err(fail)?;
    let no_cancel = AtomicBool::new(false);
    let read_name = |name: &String| read_one(opened, &folder.join(name), &read);
    let mut files = map_parallel("Reading", &names, &no_cancel, read_name);
    files.sort_by(|(a, _), (b, _)| utf16_order(a, b));
    Ok(files.into_iter().map(|(_, file)| file).collect())
}

/// The names that clients load.
pub(super) fn list_json_names(opened: &OpenedPath, folder: &Path) -> io::Result<Vec<String>> {
    let names = OpenFolder::open(&opened.dir, folder)?.names()?.into_iter();
    let names = names.map(|(name, _)| name.to_string_lossy().into_owned());
    // Not in capitals: the clients filter their files by `*.json`.
    Ok(names.filter(|name| name.ends_with(".json")).collect())
}

/// Reads one file. Never panics: an internal error becomes the reason why it is not played.
fn read_one<T>(
    opened: &OpenedPath,
    file: &Path,
    read_document: impl Fn(Arc<str>, &Document) -> Result<T, SkippedFile>,
) -> (Arc<str>, Result<T, SkippedFile>) {
    let path: Arc<str> = format!("{}/{}", opened.given, display_path(file)).into();
    let skip =
        |text: &str| Err(SkippedFile { path: Arc::clone(&path), reason: to_sentence(text).into() });
    let document = || -> Result<Document, ReadRefusal> {
        let source = Source::from_bytes(read_file(&opened.dir, file)?);
        Ok(opened.root.parse(source, &opened.root_path(file)))
    };
    let result = catch(|| match document() {
        Ok(document) => read_document(Arc::clone(&path), &document),
        Err(refusal) => skip(&refusal.to_string()),
    });
    let fault = "it caused an internal error; please report it";
    let result = result.unwrap_or_else(|_| skip(fault));
    (path, result)
}

impl std::fmt::Display for PlaybackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotOpened(error) => {
                write!(f, "Cannot open: {}", describe_error(&error.error))
            }
            Self::NotPlayed(reason) => f.write_str(reason),
        }
    }
}
