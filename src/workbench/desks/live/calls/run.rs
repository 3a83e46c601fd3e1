//! The recorder and the server: their state and settings.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::ops::live::serve::ServeRules;
use crate::ops::tape::playback::Speed;
use crate::text::quoted;
use crate::workbench::core::task::{TaskRequest, quote_paths};

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

/// The settings of a recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordRequest {
    /// The URL of the API.
    pub upstream: String,
    /// The folder for the tapes, from the open folder.
    pub folder: String,
    /// 0 uses any free port.
    pub port: u16,
    /// The name of tapes whose client gives no name.
    pub label: Option<String>,
    /// The comment on each tape.
    pub comment: Option<String>,
    /// After how long without a byte the upstream times out.
    pub idle_timeout: Duration,
}

/// The settings of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServeRequest {
    /// The files and folders to serve.
    pub paths: Vec<PathBuf>,
    /// How the answer to a call is found.
    pub rules: ServeRules,
    /// The speed of answers.
    pub speed: Speed,
    /// 0 uses any free port.
    pub port: u16,
}

/// A request to start or restart the recorder or the server.
#[derive(Clone, Debug, PartialEq)]
pub struct ListenRequest<O> {
    /// Identifies the run.
    pub run: u32,
    pub options: O,
}

impl TaskRequest for ListenRequest<RecordRequest> {
    fn describe(&self) -> String {
        format!("recording calls into {}", quoted(&self.options.folder))
    }
}

impl TaskRequest for ListenRequest<ServeRequest> {
    fn describe(&self) -> String {
        format!("serving {}", quote_paths(&self.options.paths))
    }
}

/// What a server can serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServeOffer {
    pub tapes: usize,
    /// The sets, each a folder with `/` at its end or a file, with the number of their recordings.
    pub sets: Vec<(Arc<str>, usize)>,
    /// What could not be read, one sentence each.
    pub faults: Vec<String>,
}

impl ServeOffer {
    /// Whether there is nothing to serve.
    pub fn is_empty(&self) -> bool {
        self.tapes == 0 && self.sets.iter().all(|(_, recordings)| *recordings == 0)
    }
}

/// The state of a listener.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ListenState {
    /// Not running.
    #[default]
    Off,
    Starting,
    /// Running.
    Listening {
        address: SocketAddr,
        /// The start time.
        since: Timestamp,
    },
    /// Stopping; calls in progress are saved first.
    Stopping,
    /// It could not be started.
    Failed(StartFault),
}

impl ListenState {
    /// Whether it is starting, running or stopping.
    pub fn is_on(&self) -> bool {
        matches!(self, Self::Starting | Self::Listening { .. } | Self::Stopping)
    }
}

/// Why a listener could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFault {
    /// The field of the form to correct.
    pub field: Option<StartField>,
    /// A sentence without a full stop.
    pub message: String,
}

/// A field of the forms that start listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartField {
    /// The API.
    Upstream,
    /// The folder for the tapes.
    Folder,
    Port,
    /// The idle timeout of the upstream.
    IdleTimeout,
    /// What to serve.
    Sources,
}

impl StartFault {
    /// Creates the error of a field.
    pub fn in_field(field: StartField, words: impl Into<String>) -> Self {
        Self { field: Some(field), message: words.into() }
    }
}

/// A listener with the settings `O`.
#[derive(Debug)]
pub struct ListenerRun<O> {
    pub request: Option<O>,
    pub state: ListenState,
    /// Counts starts; events of earlier runs are ignored.
    run: u32,
}

impl<O> Default for ListenerRun<O> {
    fn default() -> Self {
        Self { request: None, state: ListenState::Off, run: 0 }
    }
}

impl<O> ListenerRun<O> {
    /// The address while it is running.
    pub fn address(&self) -> Option<SocketAddr> {
        match self.state {
            ListenState::Listening { address, .. } => Some(address),
            _ => None,
        }
    }

    /// The start time while it is running.
    pub fn since(&self) -> Option<Timestamp> {
        match self.state {
            ListenState::Listening { since, .. } => Some(since),
            _ => None,
        }
    }

    pub(super) fn start(&mut self, options: O) -> ListenRequest<O>
    where
        O: Clone,
    {
        self.request = Some(options.clone());
        self.state = ListenState::Starting;
        self.run += 1;
        ListenRequest { run: self.run, options }
    }

    /// Stops the run; returns false if there is none.
    pub(super) fn stop(&mut self) -> bool {
        let is_on = matches!(self.state, ListenState::Starting | ListenState::Listening { .. });
        if is_on {
            self.state = ListenState::Stopping;
        }
        is_on
    }

    /// Clears the error of the last start.
    pub(super) fn clear_fault(&mut self) {
        if let ListenState::Failed(_) = self.state {
            self.state = ListenState::Off;
        }
    }

    /// Handles a state change of a run; returns false if it is an old run.
    pub(super) fn on_state(&mut self, run: u32, state: ListenState) -> bool {
        let is_present = run == self.run;
        // A late start event while it is being stopped is ignored.
        let is_late =
            self.state == ListenState::Stopping && matches!(state, ListenState::Listening { .. });
        if is_present && !is_late {
            self.state = state;
        }
        is_present && !is_late
    }
}
