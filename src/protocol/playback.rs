//! Requests played against a set, and the changes of files that fix it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{DocId, FoundSets, Items, JudgedSet, Revision, name_of_path};
use calls::Item;
use document::files::{FileStep, FilesChanged};
use document::text::Source;
use play::client::CassettePlay;
use play::playback::failure_log::{LoggedFailure, Suspect};
use play::playback::fixes::{self, Fix};
use play::playback::{
    CallVerdict, PlaybackRules, PlaybackRun, PlayedRequest, PlayerState, RecordingSet, RunStrip,
    SkippedFile,
};

/// An event of the playback desk.
#[derive(Clone, Debug)]
pub enum PlaybackEvent {
    /// The requests of this key were played, or could not be.
    Played(PlayKey, Result<Arc<PlaybackResult>, String>),
    /// The sets among the items with this revision.
    SetsFound(u64, Arc<FoundSets>),
    /// Verdicts on sets, by folder, for the request with this number.
    SetsJudged(u64, Vec<(Arc<str>, JudgedSet)>),
    /// The explanation of a call, or why it cannot be explained.
    Explained(ExplainKey, Result<Explanation, String>),
    /// The result of changing files.
    FilesChanged(FileChangeRequest, FilesChanged),
}

/// The source of the requests. Folders and machines are paths from the project root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestsSource {
    /// The set itself, in its order.
    SetItself,
    /// The recordings and bare requests of an open folder, by file name.
    Folder(Arc<str>),
    /// The requests that the nodes of a machine would send today.
    Machine(Arc<str>),
    /// A file or folder that may not be open: a machine, requests, recordings or a log.
    Path {
        path: PathBuf,
        /// The failure in a log, counted from 0.
        failure: usize,
    },
    /// A failure of a log, counted from 0.
    Log {
        /// The name of the log.
        name: Arc<str>,
        text: Arc<str>,
        /// The failure, counted from 0.
        failure: usize,
    },
    /// A request in JSON, pasted by the user.
    Typed(Arc<str>),
}

impl RequestsSource {
    pub fn label(&self) -> String {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        match self {
            Self::SetItself => "The set itself".to_owned(),
            // The path of the project root is empty, so it has no last part.
            Self::Folder(folder) if folder.is_empty() => "The project's folder".to_owned(),
            Self::Folder(path) | Self::Machine(path) => last(path),
            Self::Path { path, .. } => name_of_path(path),
            Self::Log { name, .. } => name.to_string(),
            Self::Typed(_) => "A pasted request".to_owned(),
        }
    }
}

/// Inputs that a result was played from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayKey {
    /// Of the scan.
    pub generation: u64,
    /// Number of changes of the requests or the set.
    pub content: u64,
    /// Number of changes of their files on disk.
    pub touched: u64,
    /// The texts that are edited.
    pub edited: Vec<(DocId, Revision)>,
    pub rules: PlaybackRules,
    /// The matchers to use in place of those of the cassette's client; `None` for its own.
    pub matchers: Option<Arc<[Box<str>]>>,
}

/// A request to play, with all inputs.
#[derive(Clone, Debug)]
pub struct PlayRequest {
    /// Key that the response carries; with the rules, unless the log contains its own.
    pub key: PlayKey,
    /// Everything that is open.
    pub items: Items,
    /// The texts of edited documents, used in place of the files.
    pub edited: Vec<(DocId, Source)>,
    /// The source of the requests.
    pub requests: RequestsSource,
    /// The folder of the set; `None` for the one that the log names.
    pub set: Option<Arc<str>>,
    /// The folder of the set if a log names none.
    pub fallback: Option<Arc<str>>,
    /// Whether the requests are new: a log is then played with its own rules.
    pub is_new: bool,
    /// The input of an earlier run, if it is unchanged.
    pub known: Option<Arc<PlaybackInput>>,
    /// The input of the last run of the same requests, if files have changed.
    pub read: Option<Arc<PlaybackInput>>,
}

/// The input that was read. It can be played with other rules without reading again.
#[derive(Clone, Debug, Default)]
pub struct PlaybackInput {
    pub set: Arc<RecordingSet>,
    /// The documents of its recordings, by position.
    pub docs: Vec<Option<DocId>>,
    /// The requests, in order; none of a cassette, whose calls are its own.
    pub requests: Vec<Arc<PlayedRequest>>,
    /// The recordings that were used before the first call.
    pub before: PlayerState,
    /// Files among the requests that contain no request.
    pub skipped: Vec<SkippedFile>,
    /// The content of the log, if the requests come from one.
    pub log: Option<LogNote>,
    /// Play of a cassette by the rules of its client; `None` for a set.
    pub cassette: Option<Arc<CassettePlay>>,
}

/// The content of a log, in addition to its requests.
#[derive(Clone, Debug, PartialEq)]
pub struct LogNote {
    /// The failures in a few words, in the order of the log.
    pub failures: Vec<String>,
    /// The failure that is played.
    pub chosen: usize,
    /// The rules of that failure's client; `None` if the log does not show them.
    pub rules: Option<PlaybackRules>,
    /// Remarks, as sentences: how the test ended, why this set is used, what could not be read.
    pub remarks: Vec<String>,
    /// Whether the log does not contain the failed request.
    pub lacks_request: bool,
    /// The recording to show first.
    pub suspect: Option<Suspect>,
    /// The parsed failure.
    pub failure: LoggedFailure,
}

#[derive(Clone, Debug)]
pub struct PlaybackResult {
    pub input: Arc<PlaybackInput>,
    /// The calls.
    pub run: PlaybackRun,
    /// The fixes for the set.
    pub fixes: Vec<Fix>,
    /// The calls along the time axis.
    pub strip: RunStrip,
    /// Calls with a wrong answer or none; if there are none, calls that are answered by file order.
    pub wrong: Vec<usize>,
}

impl PlaybackResult {
    /// Plays the input.
    pub fn new(input: Arc<PlaybackInput>, rules: PlaybackRules) -> Self {
        let (set, before) = (Arc::clone(&input.set), input.before.clone());
        let run = match &input.cassette {
            Some(cassette) => {
                let answers: Vec<_> = cassette.calls.iter().map(|call| call.answer).collect();
                PlaybackRun::of_cassette(set, &answers)
            }
            None => PlaybackRun::resume(set, rules, before, input.requests.clone()),
        };
        let calls_where = |predicate: &dyn Fn(&CallVerdict) -> bool| -> Vec<usize> {
            let calls = run.calls.iter().enumerate();
            calls.filter(|(_, call)| predicate(&call.verdict)).map(|(index, _)| index).collect()
        };
        let mut wrong = calls_where(&CallVerdict::is_bad);
        if wrong.is_empty() {
            // Without a failure, answers that depend on the order of files are the ones to look at.
            wrong = calls_where(&|verdict| *verdict != CallVerdict::Right);
        }
        // The fixes are those of DyGram's recordings.
        let fixes = if input.cassette.is_some() { Vec::new() } else { fixes::for_run(&run) };
        Self { fixes, strip: RunStrip::new(&run), wrong, input, run }
    }

    /// The document of the recording at a position.
    pub fn doc(&self, position: usize) -> Option<DocId> {
        self.input.docs.get(position).copied().flatten()
    }
}

/// The number of a result, and the call that is explained, counted from 0.
pub type ExplainKey = (u64, usize);

/// The reason for the answer of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The recording that is nearest to the request, by its position.
    pub nearest: Option<usize>,
    /// The fixes, the most likely first.
    pub fixes: Vec<Fix>,
    /// The error message of the client, if the call fails.
    pub error: Option<String>,
}

impl Explanation {
    /// Explains a call. Examines all recordings of the set.
    pub fn new(result: &PlaybackResult, call: usize) -> Self {
        let run = &result.run;
        Self {
            nearest: run.misses(call, 1).nearest.first().map(|miss| miss.index),
            fixes: fixes::for_call(run, call),
            error: run.error(call),
        }
    }
}

/// A request to change files of some folders.
#[derive(Clone, Debug, PartialEq)]
pub struct FileChangeRequest {
    /// A document of each folder, with its row.
    pub folders: Vec<(DocId, Arc<Item>)>,
    /// The steps, in order.
    pub steps: Vec<FileStep>,
    /// The message after success: `Renamed 4 files`.
    pub message: String,
}
