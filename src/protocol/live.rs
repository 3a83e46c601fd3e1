//! Waiting requests of programs at queues, and calls that are recorded or served.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::{DocId, Items};
use play::live::log::LogRow;
use play::live::queue::{AnswerRule, QueueReply, RuleRequest};
use play::playback::PlayedRequest;

/// A command for the thread that watches a queue and writes the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueRequest {
    /// The folder.
    pub queue: Arc<Path>,
    pub command: QueueCommand,
}

/// Command for a queue, or for a request there, which is given by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueCommand {
    Watch(RuleMode),
    Stop,
    SetRuleMode(RuleMode),
    Write(Arc<str>, QueueReply),
    /// Answers with the first matching rule.
    AnswerByRule(Arc<str>),
    /// Tries the rules again on all waiting requests, if they answer automatically.
    TryRules,
}

/// A request to rank recordings by their distance to a waiting request.
#[derive(Clone, Debug)]
pub struct RankRequest {
    /// The waiting request.
    pub id: RequestId,
    /// The part that is compared.
    pub request: Arc<PlayedRequest>,
    /// The revision of the items.
    pub revision: u64,
    /// All open items.
    pub items: Items,
}

/// A request to append a rule to the project's file.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveAnswerRule(pub AnswerRule);

/// Whether the project's rules answer requests automatically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleMode {
    /// They answer a matching request as soon as it arrives.
    #[default]
    Automatic,
    /// They answer when the user requests it.
    OnDemand,
}

/// An event of a queue.
#[derive(Clone, Debug)]
pub enum QueueEvent {
    RequestArrived {
        id: RequestId,
        /// Its content.
        question: Box<RuleRequest>,
        /// The time at which it was written.
        at: Timestamp,
        age: Duration,
    },
    /// Its answer was written at this time, or not, with the reason as a sentence.
    Written(RequestId, Result<Timestamp, String>),
    AnsweredByRule(RequestId, Timestamp, Arc<str>),
    /// Another program answered it.
    AnsweredElsewhere(RequestId, Timestamp),
    /// It was withdrawn.
    Withdrawn(RequestId, Timestamp),
    /// A file cannot be read or answered, with the reason as a sentence.
    Failed(RequestId, Timestamp, String),
    /// The folder does not exist.
    FolderGone(Arc<Path>),
    /// The folder exists again.
    FolderBack(Arc<Path>),
    /// The queue is no longer watched, for this reason.
    WatchFailed(Arc<Path>, String),
    /// The project's rules, and the errors in its file.
    Rules(Arc<[AnswerRule]>, Arc<[String]>),
    /// The sets with the recordings nearest to a request, the nearest first, for this revision of the items; or why they are not known.
    Ranked(RequestId, u64, Result<Arc<[NearSet]>, String>),
    /// A rule was added to the project's file, or not.
    RuleSaved(Result<(), String>),
}

/// Identifies a request: its queue, and its file name without `.json`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId {
    /// The folder of the queue.
    pub queue: Arc<Path>,
    /// The name of its file without `.json`.
    pub name: Arc<str>,
}

/// A set with recordings similar to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct NearSet {
    /// Its folder, from the project root.
    pub folder: Arc<str>,
    /// The nearest first.
    pub nearest: Vec<NearRecording>,
}

/// A recording similar to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct NearRecording {
    pub doc: DocId,
    /// Its path, from the project root.
    pub path: Arc<str>,
    pub label: Arc<str>,
    /// Differences in a few words.
    pub summary: String,
    /// The differences as sentences; empty if it has the signature of the request.
    pub differences: Vec<String>,
    /// The amount of difference; only for comparison.
    pub distance: usize,
    /// Its answer, or why it has none.
    pub reply: Result<QueueReply, String>,
}

/// One of the two listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ListenerKind {
    /// The recorder, between a client and a model.
    Recorder,
    /// The server, in place of a model.
    Server,
}

impl ListenerKind {
    /// Both, in the order of the desk.
    pub const ALL: [Self; 2] = [Self::Recorder, Self::Server];
}

/// A request to start, restart or stop a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenRequest {
    pub kind: ListenerKind,
    /// The number of the start, by which its events are recognized.
    pub run: u32,
    pub job: ListenJob,
}

/// Work of a listener. Port 0 uses any free port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenJob {
    /// Forwards calls to the API at this URL, and saves them as tapes in a folder of the open folder.
    Record {
        port: u16,
        upstream: String,
        folder: String,
    },
    /// Answers calls from these files and folders.
    Serve {
        port: u16,
        paths: Vec<PathBuf>,
    },
    Stop,
}

/// The state of a listener.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListenState {
    #[default]
    Off,
    Starting,
    Listening(SocketAddr),
    /// Stopping; calls in progress are saved first.
    Stopping,
    /// It could not be started, for this reason, without a full stop.
    Failed(String),
}

/// Identifies a call until the window closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId {
    pub listener: ListenerKind,
    /// The number of the listener's start.
    pub run: u32,
    /// Its number since then.
    pub number: u64,
}

/// A call that was recorded or served, or is being.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveCall {
    pub id: CallId,
    pub at: Timestamp,
    /// The first words of its request, or else its address.
    pub title: String,
    /// Outcome in one line; `None` while it is in progress.
    pub outcome: Option<String>,
    pub has_failed: bool,
    /// Its new tape, or the file that it was served from, as files are listed.
    pub file: Option<Arc<str>>,
}

impl LiveCall {
    /// Returns the row of a call as it is now.
    pub fn new(id: CallId, row: &impl LogRow) -> Self {
        Self {
            id,
            at: row.at(),
            title: row.title(),
            outcome: row.is_over().then(|| row.describe()),
            has_failed: row.has_failed(),
            file: row.file().cloned(),
        }
    }
}

/// An event of the recorder or the server.
#[derive(Clone, Debug)]
pub enum CallsEvent {
    /// The state of a listener, with the number of its start.
    Run(ListenerKind, u32, ListenState),
    /// A call that began or ended.
    Call(LiveCall),
}
