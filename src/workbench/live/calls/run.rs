//! The recorder and the server: whether each runs, and as what it was started.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::ops::live::serve::Rules;
use crate::ops::tape::playback::Speed;

/// One of the two that listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Listener {
    /// The recorder stands between a client and a model.
    Recorder,
    /// The server plays the model.
    Server,
}

impl Listener {
    /// Both, in the order of the desk.
    pub const ALL: [Self; 2] = [Self::Recorder, Self::Server];
}

/// How a recorder is to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordOrder {
    /// Where the model is.
    pub upstream: String,
    /// The folder for the tapes, from the folder that is open.
    pub folder: String,
    /// 0: any that is free.
    pub port: u16,
    /// What tapes are called whose client does not say it.
    pub label: Option<String>,
    /// What is said of each tape.
    pub comment: Option<String>,
    /// How long the model's side may send nothing.
    pub patience: Duration,
}

/// How a server is to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct ServeOrder {
    /// What is served: files and folders.
    pub paths: Vec<PathBuf>,
    /// How a call finds its answer.
    pub rules: Rules,
    /// How fast answers are told.
    pub speed: Speed,
    /// 0: any that is free.
    pub port: u16,
}

/// What a server has to serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnOffer {
    /// How many tapes.
    pub tapes: usize,
    /// Each set, by its folder, with the count of its recordings.
    pub sets: Vec<(Arc<str>, usize)>,
    /// What could not be read, a sentence each.
    pub faults: Vec<String>,
}

impl OnOffer {
    /// Whether there is nothing to serve.
    pub fn is_nothing(&self) -> bool {
        self.tapes == 0 && self.sets.iter().all(|(_, recordings)| *recordings == 0)
    }
}

/// How far one of the two is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunState {
    /// It does not listen.
    #[default]
    Off,
    /// It is about to.
    Starting,
    /// It listens.
    Listening {
        /// Where.
        address: SocketAddr,
        /// Since when.
        since: Timestamp,
    },
    /// It is about to end; what is under way is kept first.
    Stopping,
    /// It could not be started.
    Failed(StartFault),
}

impl RunState {
    /// Whether it listens, or is about to, or still ends.
    pub fn is_on(&self) -> bool {
        matches!(
            self,
            Self::Starting | Self::Listening { .. } | Self::Stopping
        )
    }
}

/// Why one of the two could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFault {
    /// What would have to be filled in otherwise.
    pub field: Option<StartField>,
    /// A sentence without a full stop.
    pub words: String,
}

/// A field of the forms with which the two are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartField {
    /// Where the model is.
    Upstream,
    /// The folder for the tapes.
    Folder,
    /// The port.
    Port,
    /// How long the model's side may send nothing.
    Patience,
    /// What is served.
    Sources,
}

impl StartFault {
    /// A fault of what stands in a field.
    pub fn of(field: StartField, words: impl Into<String>) -> Self {
        Self {
            field: Some(field),
            words: words.into(),
        }
    }
}

/// One of the two, as `O` says.
#[derive(Debug)]
pub struct Station<O> {
    order: Option<O>,
    state: RunState,
    /// Counts starts; what is told of an earlier run changes nothing here.
    run: u32,
}

impl<O> Default for Station<O> {
    fn default() -> Self {
        Self {
            order: None,
            state: RunState::Off,
            run: 0,
        }
    }
}

impl<O> Station<O> {
    /// How it was started last; `None` before that.
    pub fn order(&self) -> Option<&O> {
        self.order.as_ref()
    }

    /// How far it is.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        match self.state {
            RunState::Listening { address, .. } => Some(address),
            _ => None,
        }
    }

    /// Since when it listens.
    pub fn since(&self) -> Option<Timestamp> {
        match self.state {
            RunState::Listening { since, .. } => Some(since),
            _ => None,
        }
    }

    /// Begins a run; answers its number.
    pub(super) fn start(&mut self, order: O) -> u32 {
        self.order = Some(order);
        self.state = RunState::Starting;
        self.run += 1;
        self.run
    }

    /// Ends the run; answers false where there is none.
    pub(super) fn stop(&mut self) -> bool {
        let is_on = matches!(self.state, RunState::Starting | RunState::Listening { .. });
        if is_on {
            self.state = RunState::Stopping;
        }
        is_on
    }

    /// Forgets why it could not be started.
    pub(super) fn forgive(&mut self) {
        if let RunState::Failed(_) = self.state {
            self.state = RunState::Off;
        }
    }

    /// Takes what was told of a run; false when it is not the present one.
    pub(super) fn told(&mut self, run: u32, state: RunState) -> bool {
        let is_present = run == self.run;
        // What was to listen and is being stopped is not on again.
        let is_late =
            self.state == RunState::Stopping && matches!(state, RunState::Listening { .. });
        if is_present && !is_late {
            self.state = state;
        }
        is_present && !is_late
    }
}
